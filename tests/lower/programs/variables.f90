! Variables that are allocatable or pointers: of no elements, of other bounds, without a target.
module types
  implicit none
  type t
    integer :: n = 0
    real, allocatable :: a(:), b(:)
    !$acc shape(s) exclude(b)
  end type t
end module types
program variables
  use types
  implicit none
  type(t), allocatable :: q, none, zero(:)
  type(t), pointer :: p(:)
  integer :: i
  allocate(q, p(-1:0), zero(0))
  q%a = [1, 2]
  allocate(p(-1)%a(0), p(0)%a(2))
  p(0)%a = 3
  !$acc data copy<s>(q, p, zero)
  !$acc parallel loop
  do i = -1, 0
    p(i)%n = size(p(i)%a) + int(q%a(1))
  end do
  !$acc serial
  q%n = 5
  p(0)%a(2) = q%n
  !$acc end serial
  !$acc end data
  print *, q%n, p%n, p(0)%a, allocated(none)
  !$acc enter data copyin<s>(none)
  !$acc exit data copyout<s>(none)
end program variables
