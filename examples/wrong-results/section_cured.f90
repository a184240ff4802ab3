program heat
  implicit none
  integer, parameter :: n = 8
  real :: old(0:n + 1), new(0:n + 1)
  integer :: i
  old = 1
  new = 0
  !$acc parallel loop copyin(old(0:n + 1)) copy(new(1:n))
  do i = 1, n
    new(i) = 0.5 * (old(i - 1) + old(i + 1))
  end do
  print '(8f5.1)', new(1:n)
end program
