! nothing: sections of a matrix as actual arguments, contiguous and not.
module procedures
  implicit none
contains
  subroutine twice(a)
    real, intent(inout) :: a(:)
    integer :: i
    !$acc parallel loop copy(a)
    do i = 1, size(a)
      a(i) = 2 * a(i)
    end do
  end subroutine
end module
program main
  use procedures
  implicit none
  real :: m(6, 5)
  m = 1
  call twice(m(:, 2))
  call twice(m(3, :))
  if (m(3, 2) /= 4 .or. m(1, 2) /= 2 .or. m(3, 1) /= 2 .or. m(1, 1) /= 1) stop 1
end program
