! declared variables: the module's array is changed on the device, and the host reads its old state.
module data
  implicit none
  integer :: c(10) = 0
  !$omp declare target(c)
end module
program main
  use data
  implicit none
  integer :: i
  !$omp target
  do i = 1, 10
    c(i) = i
  end do
  !$omp end target
#ifdef RIGHT
  !$omp target update from(c)
#endif
  if (c(2) == 5) stop 1 ! checked: stale-data
end program
