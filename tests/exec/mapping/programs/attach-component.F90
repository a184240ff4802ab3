! unattached pointer: the array is mapped before the variable of derived type that points to it.
program main
  implicit none
  type mesh
    integer :: n = 12
    real, allocatable :: x(:)
  end type
  type(mesh) :: m
  integer :: i
  allocate (m%x(12))
  m%x = 1
#ifdef RIGHT
  !$acc enter data copyin(m)
  !$acc enter data copyin(m%x)
#else
  !$acc enter data copyin(m%x)
  !$acc enter data copyin(m)
#endif
  !$acc parallel loop present(m)
  do i = 1, 12
    m%x(i) = 2 ! expect: host-pointer-on-device
  end do
  !$acc exit data copyout(m%x)
  !$acc exit data delete(m)
  if (m%x(2) /= 2) stop 1
end program
