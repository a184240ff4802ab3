! nothing: an array of declare target is mapped once more, so that its descriptor on the device points to it.
program main
  implicit none
  integer, save, allocatable :: d(:)
  !$omp declare target(d)
  integer :: i
  allocate(d(40), source=[(i, i = 1, 40)])
  !$omp target map(always, tofrom: d)
  d(:) = d(:) + 1
  !$omp end target
  if (d(40) /= 41) stop 1
  !$omp target enter data map(to: d)
  !$omp target
  d(:) = d(:) + 1
  !$omp end target
  !$omp target exit data map(from: d)
  if (d(40) /= 42) stop 1
  deallocate(d)
end program
