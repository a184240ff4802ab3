! Allocatables and pointers of declare directives: what allocate makes present, what deallocate ends.
module declared_data
  implicit none
  real, allocatable, target :: a(:)
  real, allocatable :: b(:,:), t(:), never(:)
  real, pointer :: p(:)
  real, allocatable :: s
  real, allocatable :: r(:), c(:)
  !$acc declare create(a, b, t, never, p, s)
  !$acc declare device_resident(r)
  !$acc declare copyin(c)
contains
  ! names the data only inside of a routine, where no construct does
  subroutine bump(i)
    integer, intent(in) :: i
    !$acc routine seq
    a(i) = a(i) + b(1, i) + s
  end subroutine bump

  subroutine kernel(n)
    integer, intent(in) :: n
    integer :: i
    !$acc parallel loop
    do i = 1, n
      call bump(i)
    end do
  end subroutine kernel
end module declared_data

program declared
  use declared_data
  implicit none
  integer :: i

  allocate(a(4), b(2, 4), s)
  a = 1.0
  b = 10.0
  s = 100.0
  !$acc update device(a, b, s)
  a = -1.0
  call kernel(4)
  !$acc update self(a)
  print *, 1, int(a)

  ! other sizes and bounds
  deallocate(a, b)
  allocate(a(0:5), b(2, 6))
  a = 2.0
  b = 20.0
  !$acc update device(a, b)
  !$acc parallel present(a)
  a(lbound(a, 1)) = size(a)
  a(ubound(a, 1)) = 7.0
  !$acc end parallel
  call kernel(4)
  !$acc update self(a)
  print *, 2, int(a)

  ! an array grows: its data move, so that the device has none of them
  allocate(t(12))
  t(1:6) = a
  t(7:) = 0.0
  !$acc update device(t)
  call move_alloc(t, a)
  !$acc update self(a)
  print *, 3, int(a)

  ! an assignment allocates
  a = (/ 1.0, 2.0, 3.0 /)
  !$acc update device(a)
  !$acc parallel loop present(a)
  do i = 1, 3
    a(i) = 3.0 * a(i)
  end do
  !$acc update self(a)
  print *, 4, int(a)

  ! device_resident, copyin; a pointer
  allocate(r(3), c(3))
  c = 5.0
  !$acc parallel loop
  do i = 1, 3
    r(i) = 2.0 * c(i)
    a(i) = r(i)
  end do
  !$acc update self(a, r)
  print *, 5, int(a), int(r)
  allocate(p(5))
  p = 4.0
  !$acc update device(p)
  !$acc parallel loop
  do i = 1, 5
    p(i) = p(i) + i
  end do
  !$acc update self(p)
  print *, 6, int(p)
  deallocate(p, r)
  p => a
  !$acc parallel
  p(1) = -1.0
  !$acc end parallel
  !$acc update self(a)
  print *, 7, int(a)

  ! counted like other data
  !$acc enter data copyin(a)
  !$acc exit data delete(a)
  a = 0.0
  !$acc update self(a)
  print *, 8, int(a)

  select case (command_argument_count())
  case (1) ! data of a region
    !$acc data copy(a)
    deallocate(a)
    !$acc end data
  case (2) ! gcc makes the same calls for a local declare as for a data region
    call local
  case (3)
    call resident
  end select
contains
  subroutine local
    real, allocatable :: loc(:)
    !$acc declare create(loc)
    allocate(loc(3))
    !$acc update device(loc)
  end subroutine local
  subroutine resident
    real :: work(3)
    !$acc declare device_resident(work)
    !$acc parallel present(work)
    work = 1
    !$acc end parallel
  end subroutine resident
end program declared
