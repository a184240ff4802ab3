! use after unmap: the kernel runs after the end of the data region.
program main
  implicit none
  real :: a(10)
  integer :: i
  a = 0
  !$acc data copy(a)
#ifndef RIGHT
  !$acc end data
#endif
  !$acc parallel loop present(a) ! expect: not-present
  do i = 1, 10
    a(i) = 2
  end do
#ifdef RIGHT
  !$acc end data
#endif
  if (a(3) /= 2) stop 1
end program
