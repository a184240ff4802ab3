! Pointers that are attached to one target after the other, each with its own bounds.
program moving
  implicit none
  type line
    real, pointer :: x(:)
  end type line
  type(line) :: l
  real, pointer :: a(:), b(:)
  integer :: r(4)

  allocate(a(3), b(5))
  a = (/1.0, 2.0, 3.0/)
  b = (/10.0, 20.0, 30.0, 40.0, 50.0/)
  l%x => a
  r = 0
  !$acc enter data copyin(l)
  !$acc enter data copyin(l%x)
  !$acc serial present(l) copy(r)
  r(1) = int(l%x(2))
  r(2) = ubound(l%x, 1)
  l%x(3) = 4.0
  !$acc end serial
  print *, 1, r(1:2)
  !$acc exit data copyout(l%x)

  l%x => b
  !$acc enter data copyin(l%x)
  !$acc serial present(l) copy(r)
  r(1) = int(l%x(5))
  r(2) = ubound(l%x, 1)
  !$acc end serial
  print *, 2, r(1:2)
  !$acc exit data delete(l%x)

  l%x(11:) => b
  !$acc enter data copyin(l%x)
  !$acc serial present(l) copy(r)
  r(1) = int(l%x(14))
  r(2) = lbound(l%x, 1)
  r(3) = ubound(l%x, 1)
  l%x(15) = 55.0
  !$acc end serial
  print *, 3, r(1:3)
  !$acc exit data copyout(l%x)

  ! gfortran 12 counts the bytes behind the last element, too, up to where the next one would be (and with a
  ! negative stride a negative number of them): here they all lie in b
  l%x => b(2:4:2)
  !$acc data copy(b)
  !$acc data copy(l%x)
  !$acc serial present(l) copy(r)
  r(1) = int(l%x(1))
  r(2) = int(l%x(2))
  r(3) = size(l%x)
  l%x(2) = 33.0
  !$acc end serial
  !$acc end data
  !$acc end data
  print *, 4, r(1:3)
  !$acc exit data delete(l)
  print *, 5, int(a), int(b), lbound(l%x), ubound(l%x)
end program moving
