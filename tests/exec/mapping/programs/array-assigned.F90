! reallocated array: the assignment of a larger array allocates again.
program main
  implicit none
  integer, allocatable :: a(:), b(:)
  integer :: i
  allocate (a(8), b(20))
  a = 1
  b = 2
  !$acc enter data copyin(a)
#ifdef RIGHT
  !$acc exit data delete(a)
#endif
  a = b ! expect: still-mapped
#ifdef RIGHT
  !$acc enter data copyin(a)
#endif
  !$acc parallel loop present(a) ! expect: not-present
  do i = 1, 20
    a(i) = a(i) + 1
  end do
  !$acc exit data copyout(a)
  if (a(19) /= 3) stop 1
end program
