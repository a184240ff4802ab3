module m
  type list
    integer :: n
    character(len=:), allocatable :: name
    real, allocatable :: x(:)
    !$acc shape exclude(name)
  end type
end module
subroutine s(l)
  use m
  type(list) :: l
  !$acc enter data copyin(l)
end subroutine
