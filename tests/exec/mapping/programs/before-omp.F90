! partial section: the section begins with the second element, and the loop with the first.
program main
  implicit none
  integer :: a(32), total, i
  a = 1
  total = 0
#ifdef RIGHT
  !$omp target map(to: a(1:32)) map(tofrom: total)
#else
  !$omp target map(to: a(2:32)) map(tofrom: total)
#endif
  do i = 1, 32
    total = total + a(i) ! begin: out-of-bounds
  end do
  !$omp end target
  if (total /= 32) stop 1
end program
