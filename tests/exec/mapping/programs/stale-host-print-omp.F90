! stale host data: the program prints an array that only the device has changed.
program main
  implicit none
  integer :: a(4), i
  a = 0
  !$omp target enter data map(to: a)
  !$omp target
  do i = 1, 4
    a(i) = 2 * i
  end do
  !$omp end target
#ifdef RIGHT
  !$omp target update from(a)
#endif
  print *, a ! checked: stale-data
  !$omp target exit data map(from: a)
end program
