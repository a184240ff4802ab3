! data race: no barrier is between two loops of one parallel construct.
program main
  implicit none
  integer :: a(64), i
  integer :: b(64)
  a = [(i, i = 1, 64)]
#ifdef RIGHT
  !$acc kernels copy(a) copyout(b)
#else
  !$acc parallel copy(a) copyout(b)
#endif
  !$acc loop gang independent
  do i = 1, 64
    a(i) = i
  end do
  !$acc loop gang independent
  do i = 1, 64
    b(i) = a(65 - i) ! checked: data-race
  end do
#ifdef RIGHT
  !$acc end kernels
#else
  !$acc end parallel
#endif
  if (b(1) /= 64) stop 1
end program
