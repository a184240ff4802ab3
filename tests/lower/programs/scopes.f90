! Types of one name in several modules, types of procedures, blocks, several statements in a line, regions in regions,
! values of all kinds.
module lib
  implicit none
  type, public :: box
    integer :: n = 0
    real(8), allocatable :: d(:)
    character(len=4) :: label = 'none'
    logical :: on(2) = .false.
    complex :: z = (0, 0)
    real, pointer :: view(:) => null()
  end type box
end module lib
module first
  implicit none
  type t
    integer :: n = 1
    real, allocatable :: a(:)
    !$acc shape(s) exclude(a)
  end type t
end module first
module second
  implicit none
  type t
    real, allocatable :: b(:)
    integer :: k = 2
    real, allocatable :: c(:)
    !$acc shape(s) exclude(c)
  end type t
end module second
module procs
  use lib
  implicit none
  !$acc shape(novi) type(box) exclude(view)
contains
  recursive subroutine nested(depth, b)
    integer, intent(in) :: depth
    type(box), intent(inout) :: b
    type local
      real, allocatable :: q(:)
      integer :: w(0:1)
      real, allocatable :: r(:)
      !$acc shape(noq) exclude(r)
    end type local
    type(local) :: l
    type(local), allocatable :: ls(:)
    integer :: i; character(len=20) :: text = "!$acc data copy(x)"
    allocate(l%q(2), l%r(1)); l%q = depth; l%r = 0; l%w = 0; allocate(ls(2), source = l)
    !$acc data copy<novi>(b)
    !$acc serial
    b%d(1) = b%d(1) + depth; b%label = 'devi'
    b%on(2) = .true.
    b%z = cmplx(1, depth)
    !$acc end serial
    !$acc end data
    block
      type(local) :: inner
      inner = l
      !$acc data copy<noq>(inner, ls)
      if (depth > 0) then; do i = 1, 2
        !$acc data copy<noq>(l)
        !$acc parallel
        l%q(i) = l%q(i) + inner%q(1); l%w(i - 1) = 5
        ls(i)%w(0) = i; ls(i)%q = 7 * i
        !$acc end parallel
        !$acc end data
      end do; end if
      !$acc end data
    end block
    print *, trim(text), int(l%q), l%w, ls(1)%w, ls(2)%w, int(ls(2)%q), allocated(ls(1)%r)
    if (depth > 1) call nested(depth - 1, b)
  end subroutine nested
end module procs
program scopes
  use first, only: t1 => t
  use second, only: t
  use procs
  implicit none
  type(t1) :: x
  type(t) :: y
  type(box), target :: b
  real, target :: tgt(4)
  x%n = 1
  allocate(x%a(2), y%b(3), y%c(1), b%d(2))
  x%a = 1; y%b = 1; b%d = 1
  b%view => tgt(1:4:2)
  !$acc data copy<s>(x) copy<s>(y)
  !$acc serial
  x%n = y%k + 1; y%b(3) = 4
  !$acc end serial
  !$acc end data
  print *, x%n, int(y%b), y%k
  call nested(2, b)
  print *, int(b%d), b%label, b%on, b%z, associated(b%view)
end program scopes
