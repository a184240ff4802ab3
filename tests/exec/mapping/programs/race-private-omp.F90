! data race: a scalar that the threads share.
program main
  implicit none
  integer :: a(64), i
  integer :: t, b(64)
  a = [(i, i = 1, 64)]
  t = 0
#ifdef RIGHT
  !$omp target teams distribute parallel do map(from: b) private(t)
#else
  !$omp target teams distribute parallel do map(from: b)
#endif
  do i = 1, 64
    t = a(i) ! checked: data-race
    b(i) = t + 1
  end do
  if (b(5) /= 6) stop 1
end program
