! How many numbers fall into each of four bins.
program bins
  implicit none
  integer :: count(0:3), i
  real :: x(1000)
  x = [(mod(i * 7, 40) / 10.0, i = 1, 1000)]
  count = 0
  !$omp target teams distribute parallel do map(to: x) map(tofrom: count)
  do i = 1, 1000
    count(int(x(i))) = count(int(x(i))) + 1
  end do
  print '(4i5)', count
end program
