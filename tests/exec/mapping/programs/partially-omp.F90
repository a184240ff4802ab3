! partial section: a part of the section is present already.
program main
  implicit none
  integer :: a(16), i
  a = 0
#ifdef RIGHT
  !$omp target enter data map(to: a(1:16))
#else
  !$omp target enter data map(to: a(1:8))
#endif
  !$omp target map(tofrom: a(5:12)) ! expect: partially-present
  do i = 5, 12
    a(i) = 1
  end do
  !$omp end target
  !$omp target exit data map(from: a)
  if (a(6) /= 1) stop 1
end program
