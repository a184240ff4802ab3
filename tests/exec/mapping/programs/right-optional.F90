! nothing: an optional argument that is absent, an empty array, and an array that is not allocated.
module procedures
  implicit none
contains
  subroutine up(a, b)
    integer, intent(inout) :: a(:)
    integer, intent(in), optional :: b(:)
    integer :: i
    !$acc parallel loop copy(a) copyin(b)
    do i = 1, size(a)
      a(i) = a(i) + 1
      if (present(b)) a(i) = a(i) + b(i)
    end do
  end subroutine
end module
program main
  use procedures
  implicit none
  integer :: x(10), y(10), none(0)
  x = 0
  y = 5
  call up(x)
  call up(x, y)
  call up(none)
  if (x(10) /= 7) stop 1
end program
