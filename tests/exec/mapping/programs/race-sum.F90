! data race: a sum without reduction.
program main
  implicit none
  integer :: a(64), i
  integer :: s
  a = [(i, i = 1, 64)]
  s = 0
#ifdef RIGHT
  !$acc parallel loop copy(s) reduction(+:s)
#else
  !$acc parallel loop copy(s)
#endif
  do i = 1, 64
    s = s + a(i) ! checked: data-race
  end do
  !$acc end parallel loop
  if (s /= 2080) stop 1
end program
