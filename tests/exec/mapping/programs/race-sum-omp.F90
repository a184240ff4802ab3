! data race: a sum without reduction.
program main
  implicit none
  integer :: a(64), i
  integer :: s
  a = [(i, i = 1, 64)]
  s = 0
#ifdef RIGHT
  !$omp target teams distribute parallel do map(tofrom: s) reduction(+:s)
#else
  !$omp target teams distribute parallel do map(tofrom: s)
#endif
  do i = 1, 64
    s = s + a(i) ! checked: data-race
  end do
  !$omp end target teams distribute parallel do
  if (s /= 2080) stop 1
end program
