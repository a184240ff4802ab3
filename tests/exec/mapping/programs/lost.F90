! lost change: copyin where copy is needed.
subroutine shift(n, x)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: x(n)
  integer :: i
#ifdef RIGHT
  !$acc parallel loop copy(x)
#else
  !$acc parallel loop copyin(x) ! strict: lost-change
#endif
  do i = 1, n
    x(i) = x(i) + 1
  end do
end subroutine
program main
  implicit none
  real :: x(25)
  x = 0
  call shift(25, x)
  if (x(3) < 0) stop 1 ! checked: stale-data
end program
