! data race: a sum without reduction; each gang has a copy of the variable.
program main
  implicit none
  integer :: a(64), i
  integer :: s
  a = [(i, i = 1, 64)]
  s = 0
#ifdef RIGHT
  !$acc parallel loop reduction(+:s)
#else
  !$acc parallel loop
#endif
  do i = 1, 64
    s = s + a(i) ! checked: data-race
  end do
  if (s > 2080) stop 1
end program
