! freed while mapped: the array is deallocated before it is unmapped.
program main
  implicit none
  real, allocatable :: a(:)
  allocate (a(100))
  a = 1
  !$acc enter data copyin(a) ! may: still-mapped
#ifdef RIGHT
  !$acc exit data delete(a)
#endif
  deallocate (a) ! expect: still-mapped
end program
