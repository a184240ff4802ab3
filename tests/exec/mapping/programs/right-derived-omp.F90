! nothing: components of a variable of derived type, mapped together.
program main
  implicit none
  type field
    integer :: n
    real, pointer :: u(:), v(:)
  end type
  type(field) :: f
  integer :: i
  f%n = 9
  allocate (f%u(9), f%v(9))
  f%u = 1
  f%v = 2
  !$omp target map(to: f%u) map(tofrom: f%v)
  do i = 1, 9
    f%v(i) = f%u(i) + 3
  end do
  !$omp end target
  if (f%v(9) /= 4) stop 1
end program
