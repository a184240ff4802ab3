subroutine uses_shaped(x)
  use shaped
  type(t) :: x
!$acc enter data copyin(x)
end subroutine
