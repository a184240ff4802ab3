! device pointer on the host: a procedure of the host gets the address of use_device_ptr.
module procedures
  implicit none
contains
  integer function first(x)
    integer, intent(in), target :: x(:)
    first = x(1) ! expect: device-pointer-on-host
  end function
end module
program main
  use procedures
  implicit none
  integer, pointer :: a(:)
  integer :: got
  allocate (a(10))
  a = 3
  !$omp target data map(to: a) use_device_ptr(a)
#ifndef RIGHT
  got = first(a)
#endif
  !$omp end target data
#ifdef RIGHT
  got = first(a)
#endif
  if (got /= 3) stop 1
end program
