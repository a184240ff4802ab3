! Dummy arguments: of assumed shape with bounds of their own, pointers, allocatables; arrays and sections.
program dummies
  implicit none
  type ty1
    real, pointer :: p(:,:)
  end type ty1
  type(ty1) :: d
  real, pointer :: t1(:,:)
  real, target :: grid(4,3)
  real, allocatable :: a(:,:)
  integer :: i, j

  allocate(t1(2,2))
  t1 = reshape((/1.0, 2.0, 3.0, 4.0/), (/2, 2/))
  nullify(d%p)
  call wrapper(d, d%p, t1)

  do j = 1, 3
    do i = 1, 4
      grid(i,j) = 10 * i + j
    end do
  end do
  a = grid
  call shifted(a)
  print *, 3, int(a)
  call shifted(grid(:,2:3))
  print *, 4, int(grid)
  call shifted(t1)
  print *, 5, int(t1)
  call allocated_one(a)
  print *, 6, int(a(:,1))

contains
  subroutine wrapper(d, p, t1)
    type(ty1), target :: d
    real, pointer :: p(:,:)
    real, pointer :: t1(:,:)
    integer :: r
    !$acc enter data copyin(d)
    !$acc enter data copyin(t1)
    p => t1
    !$acc enter data copyin(p)
    !$acc serial present(d) copyout(r)
    r = int(d%p(1,2))
    !$acc end serial
    print *, 1, r
    !$acc serial present(p) copyout(r)
    r = int(p(2,2))
    !$acc end serial
    print *, 2, r
    !$acc exit data delete(p)
    !$acc exit data delete(t1)
    !$acc exit data delete(d)
  end subroutine wrapper

  subroutine shifted(a)
    real :: a(10:,10:)
    !$acc serial copy(a)
    a(10,11) = a(10,11) + 100.0 * lbound(a, 1) + ubound(a, 2)
    !$acc end serial
  end subroutine shifted

  subroutine allocated_one(b)
    real, allocatable :: b(:,:)
    !$acc data copy(b)
    !$acc serial present(b)
    b(:,1) = b(:,1) + 1000.0
    !$acc end serial
    !$acc end data
  end subroutine allocated_one
end program dummies
