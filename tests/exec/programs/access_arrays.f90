! Accesses to arrays with descriptors, as dummies and as components.
module work
  implicit none
  type :: field
    real, allocatable :: x(:)
  end type
contains
  subroutine add(a, b)
    real, intent(inout) :: a(:)
    real, intent(in) :: b(:)
    integer :: i
    !$acc parallel loop copy(a) copyin(b)
    do i = 1, size(a)
      a(i) = a(i) + b(i)
    end do
  end subroutine
end module

program main
  use work
  implicit none
  type(field) :: f
  real, allocatable :: b(:)
  character(20) :: way
  integer :: i
  call get_command_argument(1, way)
  allocate(f%x(6), b(6))
  f%x = 1
  b = 2
  select case (way)
  case ('right')
    call add(f%x, b)
    if (any(f%x /= 3)) stop 1
    !$acc enter data copyin(b) create(f%x)
    !$acc parallel loop present(f%x, b)
    do i = 1, 6
      f%x(i) = b(i)
    end do
    !$acc exit data copyout(f%x) delete(b)
    if (any(f%x /= 2)) stop 2
  case ('unwritten')
    !$acc parallel loop copy(b) create(f%x)
    do i = 1, 6
      b(i) = b(i) + f%x(i)
    end do
  case ('stale')
    !$acc data copy(b)
    !$acc parallel loop
    do i = 1, 6
      b(i) = b(i) + 1
    end do
    if (b(3) > 7) stop 3
    !$acc end data
  end select
  print '(a)', trim(way)
end program
