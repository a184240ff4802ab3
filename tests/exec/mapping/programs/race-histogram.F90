! data race: counters of a histogram without atomic.
program main
  implicit none
  integer :: a(64), i
  integer :: h(4)
  a = [(i, i = 1, 64)]
  h = 0
  !$acc parallel loop copyin(a) copy(h)
  do i = 1, 64
#ifdef RIGHT
    !$acc atomic update
#endif
    h(mod(a(i), 4) + 1) = h(mod(a(i), 4) + 1) + 1 ! checked: data-race
  end do
  if (h(1) /= 16) stop 1
end program
