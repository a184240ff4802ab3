! outside of a block: the explicit-shape dummy is larger than the allocated array.
subroutine fill(n, a)
  implicit none
  integer, intent(in) :: n
  real(8) :: a(n)
  integer :: i
  !$acc parallel loop copyout(a) ! expect: invalid-section
  do i = 1, n
    a(i) = i
  end do
end subroutine
program main
  implicit none
  real(8), allocatable :: x(:)
  integer :: n
  n = 3000
#ifdef RIGHT
  n = 30
#endif
  allocate (x(30))
  call fill(n, x)
  if (x(4) /= 4) stop 1
end program
