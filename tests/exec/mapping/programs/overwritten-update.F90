! overwritten change: the update overwrites what a kernel has changed.
program main
  implicit none
  integer :: a(12), i
  a = 1
  !$acc enter data copyin(a)
  !$acc parallel loop present(a)
  do i = 1, 12
    a(i) = a(i) + i
  end do
#ifdef RIGHT
  !$acc update self(a)
#else
  !$acc update device(a) ! expect: overwritten-change
#endif
  !$acc exit data delete(a)
#ifdef RIGHT
  if (a(2) /= 3) stop 1
#endif
end program
