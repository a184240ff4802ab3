! uninitialized data: copyout of an array that the kernel adds to.
program main
  implicit none
  real :: a(16, 4), total(16)
  integer :: i, j
  a = 1
  total = 0
#ifdef RIGHT
  !$acc parallel loop copyin(a) copy(total)
#else
  !$acc parallel loop copyin(a) copyout(total) ! strict: uninitialized-read
#endif
  do i = 1, 16
    do j = 1, 4
      total(i) = total(i) + a(i, j) ! checked: uninitialized-read
    end do
  end do
  if (total(3) == 1) stop 1
end program
