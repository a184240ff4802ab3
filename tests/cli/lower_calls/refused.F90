module types
  implicit none
  type, private :: hidden
    integer :: n
    real, allocatable :: a(:)
  end type hidden
  type(hidden), allocatable :: secret(:)
  type cell
    integer :: n = 0
    real, allocatable :: a(:)
    real, pointer :: p(:) => null()
    !$acc shape(s) exclude(p)
  end type cell
end module types
program refused
  use types
  implicit none
  type(cell) :: x, xs(2)
  class(cell), allocatable :: any
  real :: a(4)
  real, pointer :: gap(:)
  real, target :: t(8)
  integer :: i
  a = 0
  xs%n = 0
  gap => t(1:8:2)
#if CASE == 1
  !$acc declare create(a)
#elif CASE == 2
  call acc_copyin(a, 16)
#elif CASE == 3
  !$acc enter data attach(x%p)
#elif CASE == 4
  !$acc enter data copyin(any)
#elif CASE == 5
  !$acc update self(xs(1:2)%n)
#elif CASE == 6
  !$acc data copyin(secret)
  !$acc serial
  secret(1)%n = 1
  !$acc end serial
  !$acc end data
#elif CASE == 7
  !$acc enter data copyin(x%p(@))
  !$acc data present(gap(@))
  !$acc end data
#elif CASE == 8
  !$acc parallel loop reduction(+:a) copy(a)
  do i = 1, 4
    a(i) = i
  end do
#elif CASE == 9
  !$acc parallel loop copy(x) self(i > 0)
  do i = 1, 4
    x%n = i
  end do
#elif CASE == 10
  !$acc enter data copyin(x%q)
#elif CASE == 11
  include 'update.inc'
#elif CASE == 12
  !$acc enter data copyin(gap)
#elif CASE == 13
  allocate(x%a(2))
  !$acc enter data copyin(x%n)
  !$acc update self(x%a)
#elif CASE == 14
  !$acc enter data copyin(a(2:3))
  !$acc enter data copyin(a)
#endif
end program refused
