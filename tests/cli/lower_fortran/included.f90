subroutine work(x)
  use types
  type(t) :: x
  !$acc enter data copyin<s>(x)
end subroutine work
