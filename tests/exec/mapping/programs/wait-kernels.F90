! missing wait: two kernels in two queues; the second one reads what the first one writes.
program main
  implicit none
  real :: a(32), b(32)
  integer :: i
  a = 0
  !$acc data create(a) copyout(b)
  !$acc parallel loop present(a) async(1)
  do i = 1, 32
    a(i) = i
  end do
#ifdef RIGHT
  !$acc wait(1) async(2)
#endif
  !$acc parallel loop present(a, b) async(2) ! strict: missing-wait
  do i = 1, 32
    b(i) = a(i) ! checked: missing-wait
  end do
  !$acc wait
  !$acc end data
  if (b(3) /= 3) stop 1
end program
