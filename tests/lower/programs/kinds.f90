! Variables of all kinds: intrinsic types, bounds, sections, scalars, reductions, conditions, host_data, modules.
module data_of_module
  implicit none
  real(8), allocatable, save :: field(:,:)
  integer, save :: counts(-2:2) = 0
  character(len=3), save :: names(2) = ['abc', 'def']
  complex(8), pointer, save :: waves(:) => null()
  logical :: flags(3) = .false.
  type point
    real :: x = 1, y = 2
  end type point
  type(point), target :: points(0:1)
  integer, parameter :: weights(3) = [1, 2, 3]
contains
  subroutine add(a, n, extra)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(:,:)
    integer, intent(in), optional :: extra(:)
    integer :: i, j
    real(8) :: total
    total = 100
    !$acc data copy(a, total) copyin(extra)
    !$acc parallel loop collapse(2) reduction(+:total)
    do j = 1, n
      do i = 1, n
        a(i, j) = a(i, j) + 10 * i + j
        total = total + 1
        if (present(extra)) a(i, j) = a(i, j) + extra(i)
      end do
    end do
    !$acc end data
    print *, int(total)
  end subroutine add
end module data_of_module

program kinds
  use data_of_module
  implicit none
  integer :: i, n, scalar
  logical :: is_large
  real, target :: all(10)
  real, pointer :: part(:)
  integer :: sum_of
  n = 3
  allocate(field(0:2, n), waves(2))
  field = 1; waves = (1d0, 2d0); all = 1
  !$acc enter data copyin(field, counts(-1:1), names, waves, flags, points)
  !$acc parallel loop present(field, waves) private(scalar)
  do i = 1, 2
    scalar = i
    field(scalar - 1, 2) = weights(i) * 2
    waves(i) = waves(i) + (1d0, 0d0)
  end do
  !$acc serial present(counts(-1:1), names, flags, points)
  counts(0) = lbound(counts, 1)
  counts(1) = 7
  names(2)(2:3) = 'xy'
  flags(3) = .true.
  points(1)%y = 9
  !$acc end serial
  !$acc update self(field(:, 2:2), counts(0:1), names(2:2), waves, points(1)%y, flags)
  print *, int(field), counts, names, int(real(waves)), flags, int(points%y)
  !$acc exit data delete(field, names, waves, flags, points) copyout(counts(-1:1))
  call add(field, 2)
  call add(field, 3, weights)
  print *, int(field)

  part => all(3:6)
  scalar = 5
  sum_of = 0
  is_large = n > 100
  !$acc data copy(part(2:3), scalar) if(.not. is_large)
  !$acc parallel loop reduction(+:sum_of) present(part(2:3))
  do i = 2, 3
    part(i) = part(i) + scalar
    sum_of = sum_of + i
  end do
  !$acc serial
  scalar = scalar + 1
  !$acc end serial
  !$acc end data
  print *, int(all), sum_of, scalar

  !$acc data copyin(all) if(is_large)
  !$acc parallel loop copy(all) if(n == 3)
  do i = 1, n
    all(i) = all(i) * 2
  end do
  !$acc end data
  print *, int(all)

  !$acc data copy(all)
  !$acc host_data use_device(all)
  call on_device(all, 10)
  !$acc end host_data
  !$acc host_data use_device(part) if(is_large)
  part(1) = -1
  !$acc end host_data
  !$acc update device(all(3:3))
  !$acc end data
  print *, int(all)
  block
    integer :: empty(n - 3)
    integer, allocatable :: none(:)
    !$acc data copy(empty, none)
    !$acc serial copy(scalar)
    scalar = size(empty)
    !$acc end serial
    !$acc end data
    print *, scalar
  end block
contains
  subroutine on_device(x, count)
    integer, intent(in) :: count
    real, intent(inout) :: x(count)
    !$acc serial deviceptr(x)
    x(count) = 77
    !$acc end serial
  end subroutine on_device
end program kinds
