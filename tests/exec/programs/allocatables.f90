! Allocatable components: whole and in arrays of derived types, allocated anew, with bounds of their own.
module allocatable_types
  type ty2
    real, allocatable :: a(:,:)
  end type ty2
  type cell
    integer :: n
    integer, allocatable :: x(:)
  end type cell
end module allocatable_types

program allocatables
  use allocatable_types
  implicit none
  type(ty2), target :: dd
  type(cell) :: c(3)
  integer :: i, k, r(6)

  dd%a = reshape((/1.0, 2.0, 3.0, 4.0/), (/2, 2/))
  call wrapper(dd, dd%a)
  print *, 2, int(dd%a)

  ! allocated anew, with other bounds
  deallocate(dd%a)
  allocate(dd%a(0:1,3))
  dd%a = 5.0
  !$acc enter data copyin(dd)
  !$acc enter data copyin(dd%a)
  r = 0
  !$acc serial present(dd) copy(r)
  r(1) = lbound(dd%a, 1)
  r(2) = ubound(dd%a, 1)
  r(3) = ubound(dd%a, 2)
  dd%a(0,3) = 6.0
  !$acc end serial
  !$acc exit data copyout(dd%a)
  !$acc exit data delete(dd)
  print *, 3, r(1:3), int(dd%a)

  ! an array of them, each with a length of its own
  do i = 1, 3
    c(i)%n = i
    allocate(c(i)%x(i))
    c(i)%x = 10 * i
  end do
  !$acc enter data copyin(c)
  do i = 1, 3
    !$acc enter data copyin(c(i)%x)
  end do
  !$acc parallel present(c)
  do i = 1, 3
    do k = 1, c(i)%n
      c(i)%x(k) = c(i)%x(k) + size(c(i)%x) + k
    end do
  end do
  !$acc end parallel
  do i = 1, 3
    !$acc exit data copyout(c(i)%x)
  end do
  !$acc exit data delete(c)
  print *, 4, c(1)%x, c(2)%x, c(3)%x

contains
  subroutine wrapper(dd, a)
    type(ty2), target :: dd
    real, allocatable, target :: a(:,:)
    integer :: s(2)
    !$acc enter data copyin(dd)
    !$acc enter data copyin(a)
    !$acc serial present(dd) copyout(s)
    s(1) = int(dd%a(1,2))
    s(2) = int(dd%a(2,1))
    dd%a(2,2) = 44.0
    !$acc end serial
    print *, 1, s
    !$acc exit data copyout(a)
    !$acc exit data delete(dd)
  end subroutine wrapper
end program allocatables
