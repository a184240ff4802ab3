! Arrays of every kind: explicit and assumed shape, allocatable and pointer, components of derived types,
! sections, optional arguments; routines with arrays and with lengths.
module types
  type field
    integer :: n = 0
    real, allocatable :: x(:), y(:)
  end type field
  real, allocatable :: late(:)
  !$acc declare create(late)
end module types

subroutine need(ok, number)
  logical, intent(in) :: ok
  integer, intent(in) :: number
  if (.not. ok) stop number
end subroutine need

program arrays
  use openacc
  use types
  implicit none
  integer, parameter :: n = 20
  real :: fixed(n), lower(-3:6)
  real, allocatable :: a(:), m(:,:)
  real, pointer :: p(:)
  type(field) :: f
  integer :: i, j
  external :: need

  fixed = 1.0
  allocate (a(n), m(4, 5), p(n))
  a = 2.0
  m = 3.0
  p = 4.0

  !$acc data copy(fixed) copyin(a, p) copy(m)
  !$acc parallel loop
  do i = 1, n
    fixed(i) = fixed(i) + a(i) + p(i)
  end do
  !$acc parallel loop collapse(2) present(m)
  do j = 1, 5
    do i = 1, 4
      m(i, j) = m(i, j) + 10 * i + j
    end do
  end do
  call need(fixed(3) == 1.0 .and. m(2, 3) == 3.0, 1)
  !$acc end data
  call need(all(fixed == 7.0) .and. m(2, 3) == 26.0, 2)

  lower = 0.0
  !$acc enter data copyin(lower(0:4))
  !$acc parallel loop present(lower(0:4))
  do i = 0, 4
    lower(i) = i
  end do
  !$acc exit data copyout(lower(0:4))
  call need(lower(4) == 4.0 .and. lower(-1) == 0.0, 3)

  f%n = n
  allocate (f%x(n), f%y(n))
  f%x = 1.0
  f%y = 5.0
  !$acc enter data copyin(f)
  !$acc enter data copyin(f%x, f%y)
  !$acc parallel loop present(f)
  do i = 1, f%n
    f%x(i) = f%x(i) + f%y(i)
  end do
  !$acc update self(f%x)
  call need(all(f%x == 6.0), 4)
  !$acc exit data delete(f%x, f%y)
  !$acc exit data delete(f)

  ! Bounds that were not there when the structure was mapped, and other ones later.
  deallocate (f%x, f%y)
  !$acc enter data copyin(f)
  do j = 1, 2
    allocate (f%x(j:j + 4))
    f%x = [(real(i), i = 1, 5)]
    !$acc enter data copyin(f%x)
    fixed(1) = 0.0
    !$acc serial present(f) copy(fixed)
    do i = lbound(f%x, 1), ubound(f%x, 1)
      fixed(1) = fixed(1) + f%x(i)
    end do
    !$acc end serial
    call need(fixed(1) == 15.0, 20 + j)
    !$acc exit data delete(f%x)
    deallocate (f%x)
  end do
  !$acc exit data delete(f)
  fixed(1) = 7.0

  allocate (late(3:5))
  !$acc enter data create(late)
  !$acc serial copy(fixed)
  late(3:5) = 2.0
  fixed(2) = late(4) + ubound(late, 1)
  !$acc end serial
  call need(fixed(2) == 7.0, 23)
  !$acc exit data delete(late)
  deallocate (late)

  call acc_copyin(a)
  call need(acc_is_present(a), 5)
  call acc_update_device(a(3:5))
  call acc_copyout(a)
  call need(.not. acc_is_present(a), 6)
  call acc_create(m, 80)
  call acc_delete(m, 80)
  call need(.not. acc_is_present(m, 4), 7)
  call shape_of(a, n)
  call need(all(a == 3.0), 8)
  call maybe()
  call maybe(fixed)
  call need(all(fixed == 8.0), 9)
  deallocate (a, m, p)

contains
  subroutine shape_of(x, size_of_x)
    real, intent(inout) :: x(:)
    integer, intent(in) :: size_of_x
    integer :: k
    !$acc parallel loop copy(x)
    do k = 1, size_of_x
      x(k) = x(k) + 1.0
    end do
  end subroutine shape_of

  subroutine maybe(x)
    real, intent(inout), optional :: x(:)
    !$acc data copy(x)
    !$acc serial
    if (present(x)) x(:) = x(:) + 1.0
    !$acc end serial
    !$acc end data
  end subroutine maybe
end program arrays
