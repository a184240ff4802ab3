! freed while mapped: a component is deallocated before exit data names it; the object itself stays present.
program main
  implicit none
  type matrix
    integer :: n
    real(8), allocatable :: val(:)
  end type
  type(matrix) :: m
  integer :: r
  allocate(m%val(100))
  m%n = 100
  !$acc enter data copyin(m)
  !$acc enter data copyin(m%val) ! may: still-mapped
#ifndef RIGHT
  deallocate(m%val) ! expect: still-mapped
#endif
  !$acc exit data delete(m%val)
  !$acc parallel present(m) copyout(r)
  r = m%n
  !$acc end parallel
  if (r /= 100) stop 1
  !$acc exit data delete(m)
end program
