! data race: none: barriers, private copies, reductions and atomics.
program main
  implicit none
  integer :: a(64), i
  integer :: b(64), s, t, n
  a = [(i, i = 1, 64)]
  s = 0
  n = 0
  !$omp target teams distribute parallel do map(tofrom: a, s, n) reduction(+:s) private(t)
  do i = 1, 64
    t = a(i)
    a(i) = 2 * t
    s = s + t
    !$omp atomic
    n = n + 1
  end do
  !$omp target map(tofrom: a) map(from: b)
  !$omp parallel
  !$omp do
  do i = 1, 64
    a(i) = i
  end do
  !$omp end do
  !$omp do
  do i = 1, 64
    b(i) = a(65 - i)
  end do
  !$omp end do
  !$omp end parallel
  !$omp end target
  if (s /= 2080 .or. n /= 64 .or. b(1) /= 64) stop 1
end program
