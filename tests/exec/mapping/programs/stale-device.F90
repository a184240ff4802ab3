! stale device data: the boundary is set on the host, and no update sends it.
program main
  implicit none
  real :: u(0:17), v(16)
  integer :: i
  u = 1
  !$acc data copyin(u) copyout(v)
  u(0) = 5
  u(17) = 5
#ifdef RIGHT
  !$acc update device(u(0:0))
  !$acc update device(u(17:17))
#endif
  !$acc parallel loop present(u, v) ! strict: stale-data
  do i = 1, 16
    v(i) = u(i - 1) + u(i + 1) ! checked: stale-data
  end do
  !$acc end data
  if (v(8) /= 2) stop 1
end program
