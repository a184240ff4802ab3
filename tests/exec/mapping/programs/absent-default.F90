! absent data: default(present), and no region has mapped the array.
program main
  implicit none
  real :: a(16)
  integer :: i
  a = 0
#ifdef RIGHT
  !$acc data copy(a)
#endif
  !$acc parallel loop default(present) ! expect: not-present
  do i = 1, 16
    a(i) = 1
  end do
#ifdef RIGHT
  !$acc end data
#endif
  if (a(4) /= 1) stop 1
end program
