! A component that is a pointer: mapped by itself, attached, counted, detached, with sections and strides.
! Prints numbers that are the same wherever the rules are kept, and where device and host share memory.
! gfortran 12 has no acc_attach and acc_detach: clauses do what routines do in scenarios.
module pointer_types
  type ty1
    real, pointer :: p(:,:)
  end type ty1
  type line
    integer :: n
    real, pointer :: x(:)
  end type line
end module pointer_types

program pointers
  use pointer_types
  implicit none
  type(ty1) :: d
  type(line) :: l
  real, pointer :: t1(:,:)
  real, target :: grid(6,4)
  integer :: i, j, r(8)

  nullify(d%p)
  allocate(t1(2,2))
  t1 = reshape((/1.0, 2.0, 3.0, 4.0/), (/2, 2/))
  do j = 1, 4
    do i = 1, 6
      grid(i,j) = 10 * i + j
    end do
  end do

  ! attached twice, detached once: still usable
  !$acc enter data create(d)
  d%p => t1
  !$acc enter data copyin(d%p)
  !$acc enter data copyin(d%p)
  !$acc exit data detach(d%p)
  r = 0
  !$acc serial present(d) copy(r)
  r(1) = int(d%p(1,2))
  r(2) = int(d%p(2,1))
  d%p(2,2) = 40.0
  !$acc end serial
  print *, 1, r(1:2)
  !$acc update self(t1)
  print *, 2, int(t1)
  !$acc exit data delete(d%p)
  !$acc exit data delete(t1)
  !$acc exit data delete(d)
  print *, 3, associated(d%p, t1), lbound(d%p), ubound(d%p)

  ! what is there already is attached, not copied
  !$acc enter data copyin(t1)
  d%p => t1
  !$acc enter data copyin(d)
  !$acc enter data attach(d%p)
  !$acc serial present(d)
  d%p(1,1) = d%p(1,1) + d%p(2,2)
  !$acc end serial
  !$acc exit data detach(d%p)
  !$acc exit data copyout(t1)
  !$acc exit data delete(d)
  print *, 4, int(t1)

  ! a part of an array
  l%n = 3
  l%x => grid(2:4,3)
  !$acc enter data copyin(l)
  !$acc enter data copyin(l%x)
  !$acc serial present(l)
  do i = 1, l%n
    l%x(i) = l%x(i) + 100.0
  end do
  !$acc end serial
  !$acc exit data copyout(l%x)
  !$acc exit data delete(l)
  print *, 5, int(grid(:,3))

  ! a section of a pointer
  l%x => grid(:,1)
  !$acc enter data copyin(l)
  !$acc enter data copyin(l%x(3:5))
  !$acc serial present(l)
  l%x(3) = l%x(4) + l%x(5)
  !$acc end serial
  !$acc exit data copyout(l%x(3:5))
  !$acc exit data delete(l)
  print *, 6, int(grid(:,1))
end program pointers
