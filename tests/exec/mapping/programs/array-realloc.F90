! reallocated array: the array is deallocated and allocated again while the old one is mapped.
program main
  implicit none
  real, allocatable :: a(:)
  integer :: i
  allocate (a(10))
  a = 1
  !$acc enter data copyin(a)
#ifdef RIGHT
  !$acc exit data delete(a)
#endif
  deallocate (a) ! expect: still-mapped
  allocate (a(10000))
  a = 2
#ifdef RIGHT
  !$acc enter data copyin(a)
#endif
  !$acc parallel loop present(a) ! expect: not-present
  do i = 1, 10000
    a(i) = a(i) + 1
  end do
  !$acc exit data copyout(a)
  if (a(5000) /= 3) stop 1
end program
