! overwritten change: the end of the region overwrites what the host has changed.
program main
  implicit none
  real(8) :: grid(0:9)
  integer :: i
  grid = 0
  !$omp target data map(tofrom: grid) ! expect: overwritten-change
  !$omp target
  do i = 1, 8
    grid(i) = 1
  end do
  !$omp end target
#ifdef RIGHT
  !$omp target update from(grid)
#endif
  grid(0) = 5
#ifdef RIGHT
  !$omp target update to(grid(0:0))
#endif
  !$omp end target data
  if (grid(4) /= 1) stop 1
end program
