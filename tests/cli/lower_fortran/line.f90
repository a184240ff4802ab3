module types
  implicit none
  type t
    integer :: n
    real, allocatable :: a(:), b(:)
    !$acc shape(s) exclude(b)
  end type t
  type node
    integer :: v
    type(node), pointer :: next
  end type node
  type other
    real, allocatable :: d(:)
    class(t), allocatable :: c
  end type other
end module types
subroutine work(x, list, o)
  use types
  implicit none
  type(t) :: x
  type(node) :: list
  type(other) :: o
  integer :: i
  if (x%n > 0) then
    !$acc parallel loop copy<s>(x)
    do i = 1, 2; x%a(i) = 1; end do; end if
end subroutine work
