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
  integer :: i, j
  do 10 j = 1, 2
    !$acc parallel loop copy<s>(x)
    do 10 i = 1, 2
      x%a(i) = j
10 continue
end subroutine work
