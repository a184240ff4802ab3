! freed while mapped: the region deallocates an array that is mapped to it.
program main
  implicit none
  integer, allocatable :: a(:), b(:)
  integer :: total
  allocate(a(100))
  a = 2
  total = 0
  !$omp target map(to: a) map(tofrom: total)
  total = sum(a)
#ifndef RIGHT
  deallocate(a) ! expect: misuse
#endif
  allocate(b(10))
  b = 1
  total = total + sum(b)
  deallocate(b)
  !$omp end target
  deallocate(a)
  if (total /= 210) stop 1
end program
