! stale host data: a kernel multiplies a complex number by an atomic operation, and the result is not fetched.
program main
  implicit none
  complex(8) :: z
  integer :: i
  z = 1
  !$omp target enter data map(to: z)
  !$omp target map(alloc: z)
  do i = 1, 3
    !$omp atomic
    z = z * (0d0, 2d0)
  end do
  !$omp end target
#ifdef RIGHT
  !$omp target update from(z)
#endif
  print *, z ! checked: stale-data
  !$omp target exit data map(delete: z) ! strict: lost-change
end program
