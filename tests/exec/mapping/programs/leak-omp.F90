! leak: the module's array is mapped for the whole run, and not unmapped.
module work
  implicit none
  integer, allocatable :: w(:)
end module
program main
  use work
  implicit none
  allocate (w(30))
  w = 0
  !$omp target enter data map(to: w) ! expect: still-mapped
  !$omp target
  w(1) = 1
  !$omp end target
#ifdef RIGHT
  !$omp target exit data map(from: w)
#endif
end program
