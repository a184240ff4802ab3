! declared variables: the module's array is set on the host, and no update sends it.
module data
  implicit none
  real :: c(10)
  !$acc declare create(c)
end module
program main
  use data
  use openacc
  implicit none
  real :: x(10)
  integer :: i
  c = 3
#ifdef RIGHT
  call acc_update_device(c)
#endif
  !$acc parallel loop copyout(x) ! strict: stale-data
  do i = 1, 10
    x(i) = c(i) ! checked: stale-data
  end do
  if (x(2) == 4) stop 1
end program
