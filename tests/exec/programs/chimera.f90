! Where gfortran 12 differs: its attach clause hands over the address of the data alone. The device keeps the
! bounds that came with copyin(l), and copyout(l) brings them back over those of the host. With the descriptor
! attached and detached as a whole, as in scenarios, bounds and address always belong together.
program chimera
  implicit none
  type line
    real, pointer :: x(:)
  end type line
  type(line) :: l
  real, pointer :: a(:), b(:)
  integer :: r(3)

  allocate(a(3), b(5))
  a = (/1.0, 2.0, 3.0/)
  b = (/10.0, 20.0, 30.0, 40.0, 50.0/)
  l%x => a
  r = 0
  !$acc enter data copyin(a, b)
  !$acc enter data copyin(l)
  !$acc enter data attach(l%x)
  !$acc serial present(l) copy(r)
  r(1) = int(l%x(2))
  !$acc end serial
  print *, 1, r(1)

  ! another target of the same shape
  l%x => b(1:3)
  !$acc enter data attach(l%x)
  !$acc serial present(l) copy(r)
  r(1) = int(l%x(2))
  !$acc end serial
  print *, 2, r(1)

  ! and of another one
  l%x => b
  !$acc enter data attach(l%x)
  !$acc serial present(l) copy(r)
  r(1) = int(l%x(3))
  r(2) = size(l%x)
  !$acc end serial
  print *, 3, r(1:2)

  ! the same target, other bounds
  l%x(11:) => b
  !$acc enter data attach(l%x)
  !$acc serial present(l) copy(r)
  r(1) = int(l%x(lbound(l%x, 1)))
  r(2) = lbound(l%x, 1)
  r(3) = ubound(l%x, 1)
  !$acc end serial
  print *, 4, r

  ! bounds that change while it is attached
  l%x(21:) => b
  !$acc exit data detach(l%x)
  !$acc exit data copyout(l)
  print *, 5, lbound(l%x), ubound(l%x), associated(l%x)
  !$acc exit data delete(a, b)
end program chimera
