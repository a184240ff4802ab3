! reallocated array: move_alloc gives the variable another array; the target region maps that one.
program main
  implicit none
  real(8), allocatable :: a(:), larger(:)
  integer :: i
  allocate (a(8), larger(16))
  a = 1
  larger = 2
  !$omp target enter data map(to: a) ! may: still-mapped
#ifdef RIGHT
  !$omp target exit data map(release: a)
#endif
  call move_alloc(larger, a) ! expect: still-mapped
#ifdef RIGHT
  !$omp target enter data map(to: a)
#endif
  !$omp target
  do i = 1, 16
    a(i) = a(i) + 1
  end do
  !$omp end target
  !$omp target exit data map(from: a) ! may: not-present
  if (a(9) /= 3) stop 1
end program
