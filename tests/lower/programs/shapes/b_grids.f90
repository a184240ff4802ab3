! A module that hands the types on, and has one of its own.
module grids
  use types
  implicit none
  type, extends(domain) :: grid
    real(8), allocatable :: weights(:)
  end type
contains
  subroutine add(d, value)
    type(domain) :: d
    real(8) :: value
    integer :: i, k
!$acc parallel loop present(d)
    do i = 1, d%n
      do k = 1, d%cells(i)%n
        d%cells(i)%x(k) = d%cells(i)%x(k) + value
      end do
    end do
  end subroutine
end module
