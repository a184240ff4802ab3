! Derived types in derived types, and allocatable arrays of them: every level is mapped and attached by itself.
program records
  implicit none
  type point
    integer :: n
    real, pointer :: x(:)
  end type point
  type body
    type(point) :: left, right
    type(point), allocatable :: many(:)
    integer, allocatable :: total(:)
  end type body
  type(body) :: b
  real, target :: pool(0:9)
  integer :: i, k

  do i = 0, 9
    pool(i) = i
  end do
  b%left%n = 3
  b%left%x => pool(0:2)
  b%right%n = 2
  b%right%x => pool(3:4)
  allocate(b%many(2:3), b%total(1))
  b%many(2)%n = 2
  b%many(2)%x => pool(5:6)
  b%many(3)%n = 3
  b%many(3)%x => pool(7:9)
  b%total = 0

  !$acc enter data copyin(b)
  !$acc enter data copyin(b%left%x)
  !$acc enter data copyin(b%right%x)
  !$acc enter data copyin(b%total)
  !$acc serial present(b)
  do i = 1, b%left%n
    b%left%x(i) = b%left%x(i) + 100.0
  end do
  b%right%x(b%right%n) = b%right%x(1)
  b%total(1) = size(b%left%x) + size(b%right%x)
  !$acc end serial
  !$acc exit data copyout(b%left%x)
  !$acc exit data copyout(b%right%x)
  !$acc exit data copyout(b%total)
  !$acc exit data delete(b)
  print *, 1, int(pool(0:4)), b%total

  !$acc enter data copyin(b)
  !$acc enter data copyin(b%many)
  do i = 2, 3
    !$acc enter data copyin(b%many(i)%x)
  end do
  !$acc serial present(b)
  do i = lbound(b%many, 1), ubound(b%many, 1)
    do k = 1, b%many(i)%n
      b%many(i)%x(k) = b%many(i)%x(k) * 10.0
    end do
  end do
  !$acc end serial
  do i = 2, 3
    !$acc update self(b%many(i)%x)
  end do
  print *, 2, int(pool(5:9))
  do i = 2, 3
    !$acc exit data delete(b%many(i)%x)
  end do
  !$acc exit data delete(b%many)
  !$acc exit data delete(b)
  print *, 3, b%many(2)%n, lbound(b%many), associated(b%many(3)%x, pool(7:9))
end program records
