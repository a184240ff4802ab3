! data race: nowait removes the barrier between two loops.
program main
  implicit none
  integer :: a(64), i
  integer :: b(64)
  a = [(i, i = 1, 64)]
  !$omp target map(tofrom: a) map(from: b)
  !$omp parallel
  !$omp do
  do i = 1, 64
    a(i) = i
#ifdef RIGHT
  end do
  !$omp end do
#else
  end do
  !$omp end do nowait
#endif
  !$omp do
  do i = 1, 64
    b(i) = a(65 - i) ! checked: data-race
  end do
  !$omp end do
  !$omp end parallel
  !$omp end target
  if (b(1) /= 64) stop 1
end program
