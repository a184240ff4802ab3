! missing data: the variable of derived type is mapped, and the array of its pointer is not.
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
#ifdef RIGHT
  !$omp target map(to: f) map(tofrom: f%v)
#else
  !$omp target map(to: f)
#endif
  do i = 1, 8
    f%v(i) = f%v(i) + 1 ! expect: host-pointer-on-device
  end do
  !$omp end target
  if (f%v(3) /= 2) stop 1
end program
