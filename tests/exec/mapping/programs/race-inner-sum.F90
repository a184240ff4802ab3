! data race: the reduction of an inner loop is missing.
program main
  implicit none
  integer :: a(8, 8), b(8), i, j, s
  a = 1
  !$acc parallel loop gang copyin(a) copyout(b) private(s)
  do j = 1, 8
    s = 0
#ifdef RIGHT
    !$acc loop vector reduction(+:s)
#else
    !$acc loop vector
#endif
    do i = 1, 8
      s = s + a(i, j) ! checked: data-race
    end do
    b(j) = s
  end do
  if (b(3) /= 8) stop 1
end program
