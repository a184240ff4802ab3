! private copy: the reduction is that of the inner loop, and the region's copy of the sum is lost.
program main
  implicit none
  real :: a(20), total
  integer :: i
  a = 1
  total = 0
#ifdef RIGHT
  !$omp target map(to: a) map(tofrom: total)
#else
  !$omp target map(to: a) ! checked: lost-change
#endif
  !$omp parallel do reduction(+:total)
  do i = 1, 20
    total = total + a(i)
  end do
  !$omp end parallel do
  !$omp end target
  if (total < 0) stop 1
end program
