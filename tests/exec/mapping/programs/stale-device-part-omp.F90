! stale device data: the update sends half of what the host has changed.
program main
  implicit none
  integer :: a(16), total, i
  a = 0
  total = 0
  !$omp target enter data map(to: a)
  a = 1
#ifdef RIGHT
  !$omp target update to(a)
#else
  !$omp target update to(a(1:8))
#endif
  !$omp target map(tofrom: total) ! strict: stale-data
  do i = 1, 16
    total = total + a(i) ! checked: stale-data
  end do
  !$omp end target
  !$omp target exit data map(release: a)
  if (total > 16) stop 1
end program
