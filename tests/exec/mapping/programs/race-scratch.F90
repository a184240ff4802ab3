! data race: a scratch array that all iterations share.
program main
  implicit none
  integer :: a(64), i
  integer :: t(4), b(64), k
  a = [(i, i = 1, 64)]
#ifdef RIGHT
  !$acc parallel loop copyin(a) copyout(b) private(t)
#else
  !$acc parallel loop copyin(a) copyout(b) create(t)
#endif
  do i = 1, 64
    do k = 1, 4
      t(k) = a(i) + k ! checked: data-race
    end do
    b(i) = t(1) + t(4)
  end do
  if (b(1) /= 7) stop 1
end program
