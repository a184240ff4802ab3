! nothing: two tasks add up numbers of several kinds by atomic operations, in any order.
program main
  implicit none
  complex(8) :: z
  real(8) :: d
  integer :: i
  z = 0
  d = 0
  !$omp target data map(tofrom: z, d)
  do i = 1, 2
    !$omp target nowait map(tofrom: z, d)
    !$omp atomic
    z = z + (1d0, 2d0)
    !$omp atomic
    d = d + 1
    !$omp end target
  end do
  !$omp taskwait
  !$omp end target data
  print *, z, d
end program
