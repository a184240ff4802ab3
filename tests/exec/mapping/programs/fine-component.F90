! nothing: a component is unmapped and deallocated, and kernels go on with the rest of the object.
program main
  implicit none
  type matrix
    integer :: n
    real(8), allocatable :: val(:), large(:)
  end type
  type(matrix) :: m
  integer :: r
  allocate(m%val(100), m%large(100000))
  m%n = 100
  m%val = 1
  m%large = 1
  !$acc enter data copyin(m)
  !$acc enter data copyin(m%val, m%large)
  !$acc exit data delete(m%val, m%large)
  deallocate(m%val, m%large)
  !$acc parallel present(m) copyout(r)
  r = m%n
  !$acc end parallel
  if (r /= 100) stop 1
  !$acc exit data delete(m)
end program
