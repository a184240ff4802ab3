! partial section: the dummy argument has more elements than the actual array has on the device.
module sums
  implicit none
contains
  subroutine add(n, a, total)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    real, intent(inout) :: total
    integer :: i
    !$acc parallel loop present(a(1:16)) reduction(+:total)
    do i = 1, n
      total = total + a(i) ! expect: out-of-bounds
    end do
  end subroutine
end module
program main
  use sums
  implicit none
  real :: x(24), total
  x = 2
  total = 0
#ifdef RIGHT
  !$acc data copyin(x)
#else
  !$acc data copyin(x(1:16))
#endif
  call add(24, x, total)
  !$acc end data
  if (total /= 48) stop 1
end program
