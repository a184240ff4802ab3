! stale host data: the host sums up what a kernel has changed, without an update.
program main
  implicit none
  real :: a(20), total
  integer :: i
  a = 1
  !$acc data copy(a)
  !$acc parallel loop present(a)
  do i = 1, 20
    a(i) = 2
  end do
#ifdef RIGHT
  !$acc update self(a)
#endif
  total = 0
  do i = 1, 20
    total = total + a(i) ! checked: stale-data
  end do
  !$acc end data
  if (total < 0) stop 1
end program
