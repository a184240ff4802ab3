! data race: iterations change a component that they share.
program main
  implicit none
  type state
    integer :: count, values(64)
  end type
  type(state) :: s
  integer :: i
  s%count = 0
  !$acc parallel loop copy(s)
  do i = 1, 64
    s%values(i) = i
#ifdef RIGHT
    !$acc atomic update
#endif
    s%count = s%count + 1 ! checked: data-race
  end do
  if (s%count /= 64) stop 1
end program
