! partial section: the assumed-shape dummy has all elements, and the caller has mapped a part.
module kernels
  implicit none
contains
  subroutine up(a)
    real, intent(inout) :: a(:)
    integer :: i
    !$acc parallel loop present(a) ! expect: partially-present
    do i = 1, size(a)
      a(i) = a(i) + 1
    end do
  end subroutine
end module
program main
  use kernels
  implicit none
  real :: x(30)
  x = 0
#ifdef RIGHT
  !$acc data copy(x)
#else
  !$acc data copy(x(1:15))
#endif
  call up(x)
  !$acc end data
  if (x(9) /= 1) stop 1
end program
