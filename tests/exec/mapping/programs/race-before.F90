! data race: each iteration reads what the one before has written.
program main
  implicit none
  integer :: a(64), i

  a = [(i, i = 1, 64)]
#ifdef RIGHT
  !$acc parallel loop seq copy(a)
#else
  !$acc parallel loop copy(a)
#endif
  do i = 2, 64
    a(i) = a(i - 1) + 1 ! checked: data-race
  end do
  if (a(64) /= 64) stop 1
end program
