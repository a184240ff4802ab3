! Sections of components that are arrays, of values and of derived types; components that point into a variable of the
! same directive. alone: no: host and device differ.
module m
  implicit none
  type leaf
    integer :: n = 0
    integer, allocatable :: i(:)
  end type leaf
  type v
    integer :: n = 0
    integer :: raw(4) = 0
    integer :: two(0:1, 3) = 0
    integer, allocatable :: i(:), z(:,:)
    type(leaf) :: col(3)
    integer, allocatable :: skip(:)
    !$acc shape exclude(skip)
    !$acc shape(some) default(exclude) include(raw(n:n + 1), two(:, 2:2), col(2:2))
    !$acc policy(out) default(copyin) copyout(raw(n:3), col(n:n))
  end type v
  type w
    real, pointer :: a(:) => null()
    !$acc shape default(include)
  end type w
contains
  subroutine make(t)
    type(v), intent(out) :: t
    integer :: k
    t%n = 2
    t%raw = [5, 6, 7, 8]
    allocate(t%i(2), t%skip(2), t%z(0:1, 3))
    t%i = 0
    t%z = 4
    do k = 1, 3
      t%col(k)%n = k
      allocate(t%col(k)%i(2))
      t%col(k)%i = k
    end do
  end subroutine make
end module m
program p
  use m
  implicit none
  type(v) :: t
  type(w), target :: part(2)
  real, target :: pool(4)
  real :: s
  integer :: i, r(4), a(3), n2(0:1, 3), z(0:1, 3)
  call make(t)
  !$acc data copyin(t) copyout(t%raw(1:2), t%col(3:3))
  !$acc serial present(t)
  t%raw = 9
  t%i = 3
  t%n = 4
  t%col(3)%i(1) = 30
  t%col(3)%n = 33
  t%col(2)%n = 22
  !$acc end serial
  !$acc end data
  print '(16i4)', t%raw, t%i, t%n, t%col(2)%i(1), t%col(3)%i(1), t%col%n
  !$acc data invoke<out>(t)
  !$acc serial present<>(t)
  t%raw = 19
  t%n = 5
  t%col(2)%i(1) = 40
  t%col%n = 50
  !$acc end serial
  !$acc end data
  print '(16i4)', t%raw, t%n, t%col(2)%i(1), t%col%n
  !$acc enter data copyin(t)
  t%raw = [31, 32, 33, 34]
  t%two = 35
  t%z = 36
  do i = 1, 3
    t%col(i)%i(1) = 36 + i
  end do
  !$acc update device<some>(t)
  call show
  t%z(:, 2) = 40
  t%raw = 41
  !$acc update device(t%z(0:1, 2:2), t%raw(4:4), t%col(1:1))
  call show
  !$acc update device(t)
  !$acc serial present(t)
  t%raw = [51, 52, 53, 54]
  t%n = 1
  t%z = 55
  t%two(0, 2) = 56
  !$acc end serial
  !$acc update self(t%raw(t%n + 2:4), t%z(0:1, 2:2))
  print '(16i4)', t%raw, t%z, t%n
  !$acc update self<some>(t)
  print '(16i4)', t%raw, t%two, t%n
  !$acc serial present(t)
  do i = 1, 3
    t%col(i)%i = 60 + i
  end do
  !$acc end serial
  !$acc update self(t%col(1)%i(2:2), t%col(3)%i(1:1))
  print '(16i4)', t%col(1)%i(2), t%col(3)%i(1)
  !$acc exit data delete(t)
  pool = [(real(i), i = 1, 4)]
  do i = 1, 2
    part(i)%a => pool(i:i + 1)
  end do
  s = 0
  !$acc data copyin(pool) copyin(part)
  !$acc serial copy(s) present(part)
  do i = 1, 2
    s = s + part(i)%a(2)
  end do
  !$acc end serial
  !$acc end data
  print *, int(s)
  !$acc serial copyin(part) copy(s) copy(pool)
  do i = 1, 2
    s = s + part(i)%a(2)
    part(i)%a(1) = s
  end do
  !$acc end serial
  print *, int(s), int(pool)
contains
  subroutine show
    !$acc serial present(t) copyout(r, a, n2, z)
    r = t%raw
    n2 = t%two
    z = t%z
    do i = 1, 3
      a(i) = t%col(i)%i(1)
    end do
    !$acc end serial
    print '(20i4)', r, a, n2, z
  end subroutine show
end program p
