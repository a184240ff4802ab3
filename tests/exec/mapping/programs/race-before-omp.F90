! data race: each iteration reads what the one before has written.
program main
  implicit none
  integer :: a(64), i

  a = [(i, i = 1, 64)]
  !$omp target map(tofrom: a)
#ifndef RIGHT
  !$omp parallel do
#endif
  do i = 2, 64
    a(i) = a(i - 1) + 1 ! checked: data-race
  end do
  !$omp end target
  if (a(64) /= 64) stop 1
end program
