! absent data: the pointer is associated with another target after enter data.
program main
  implicit none
  real, target :: x(10), y(10)
  real, pointer :: p(:)
  integer :: i
  x = 1
  y = 2
  p => x
#ifdef RIGHT
  !$acc enter data copyin(x, y)
#else
  !$acc enter data copyin(x)
#endif
  p => y
  !$acc parallel loop present(p) ! expect: not-present
  do i = 1, 10
    p(i) = p(i) + 1
  end do
  !$acc exit data copyout(x, y)
  if (y(3) /= 3) stop 1
end program
