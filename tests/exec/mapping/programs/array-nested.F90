! missing data: the arrays of the first two elements are mapped, and the kernel uses those of all three.
program main
  implicit none
  type block
    real, allocatable :: v(:)
  end type
  type(block) :: b(3)
  integer :: i, last
  do i = 1, 3
    allocate (b(i)%v(10))
    b(i)%v = i
  end do
  last = 2
#ifdef RIGHT
  last = 3
#endif
  !$acc enter data copyin(b)
  do i = 1, last
    !$acc enter data copyin(b(i)%v)
  end do
  !$acc parallel loop present(b)
  do i = 1, 3
    b(i)%v(2) = 7 ! expect: host-pointer-on-device
  end do
  do i = 1, last
    !$acc exit data copyout(b(i)%v)
  end do
  !$acc exit data delete(b)
  if (b(3)%v(2) /= 7) stop 1
end program
