! missing data: the variable of derived type is present, and the array of its pointer is not.
program main
  implicit none
  type field
    integer :: n
    real, pointer :: v(:)
  end type
  type(field) :: f
  integer :: i
  f%n = 8
  allocate(f%v(8))
  f%v = 1
  !$acc enter data copyin(f)
#ifdef RIGHT
  !$acc enter data copyin(f%v)
#endif
  !$acc parallel loop present(f)
  do i = 1, 8
    f%v(i) = f%v(i) + 1 ! expect: host-pointer-on-device
  end do
#ifdef RIGHT
  !$acc exit data copyout(f%v)
#endif
  !$acc exit data delete(f)
  if (f%v(3) /= 2) stop 1
end program
