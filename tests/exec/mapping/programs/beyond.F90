! partial section: the loop goes to the end of the array, and the section does not.
program main
  implicit none
  integer, parameter :: n = 40
  real(8) :: a(n), total
  integer :: i
  a = 1
  total = 0
#ifdef RIGHT
  !$acc parallel loop copyin(a(1:n)) reduction(+:total)
#else
  !$acc parallel loop copyin(a(1:n/2)) reduction(+:total)
#endif
  do i = 1, n
    total = total + a(i) ! expect: out-of-bounds
  end do
  if (total /= n) stop 1
end program
