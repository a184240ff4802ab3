! data race: a dependence between iterations of collapsed loops.
program main
  implicit none
  integer :: a(8, 8), i, j
  a = 0
#ifdef RIGHT
  !$acc parallel loop copy(a)
#else
  !$acc parallel loop collapse(2) copy(a)
#endif
  do j = 1, 8
    do i = 2, 8
      a(i, j) = a(i - 1, j) + 1 ! checked: data-race
    end do
  end do
  if (a(8, 3) /= 7) stop 1
end program
