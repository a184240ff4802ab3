! missing wait: enter data with nowait, and the target region does not depend on it.
program main
  implicit none
  integer :: a(20), total, i
  a = 1
  total = 0
#ifdef RIGHT
  !$omp target enter data map(to: a) nowait depend(out: a)
  !$omp target map(tofrom: total) depend(in: a)
#else
  !$omp target enter data map(to: a) nowait
  !$omp target map(tofrom: total) ! strict: missing-wait
#endif
  do i = 1, 20
    total = total + a(i) ! checked: missing-wait
  end do
  !$omp end target
  !$omp taskwait
  !$omp target exit data map(delete: a)
  if (total /= 20) stop 1
end program
