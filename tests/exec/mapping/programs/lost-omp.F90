! lost change: an array of the module is released, not copied.
module state
  implicit none
  real, allocatable :: t(:)
end module
program main
  use state
  implicit none
  integer :: i
  allocate(t(16))
  t = 0
  !$omp target enter data map(to: t)
  !$omp target
  do i = 1, 16
    t(i) = 3
  end do
  !$omp end target
#ifdef RIGHT
  !$omp target exit data map(from: t)
#else
  !$omp target exit data map(delete: t) ! strict: lost-change
#endif
  if (t(5) < 0) stop 1 ! checked: stale-data
end program
