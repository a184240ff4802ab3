! Types with shapes and a policy, for units that use the module.
module types
  implicit none
  type cell
    integer :: n
    real(8), allocatable :: x(:), scratch(:)
!$acc shape exclude(scratch)
  end type
  type domain
    integer :: n
    type(cell), allocatable :: cells(:)
    real, pointer :: names(:) => null()
!$acc shape exclude(names)
  end type
end module
