! Right programs that used to be refused or warned about: components far apart that are mapped one by one, dummies
! whose descriptors and pointers are mapped with their data.
module routines
contains
  subroutine to_device(a)
    real :: a(:)
    !$acc enter data copyin(a)
  end subroutine
  subroutine from_device(a)
    real :: a(:)
    !$acc exit data copyout(a)
  end subroutine
  subroutine twice(n, a)
    integer :: n, i
    real(8), dimension(1:n) :: a
    !$acc data present(a)
    !$acc parallel loop gang
    do i = 1, n
      a(i) = 2 * a(i)
    end do
    !$acc end data
  end subroutine
end module

program checked
  use routines
  type t
    real, allocatable :: a(:,:), b(:,:), c(:,:), d(:,:), e(:,:), f(:,:), g(:,:)
  end type
  type(t) :: x
  real :: u(4), v(4)
  real(8) :: z(8)
  allocate(x%a(4,4), x%g(4,4))
  x%a = 1
  x%g = 1
  !$acc enter data copyin(x%a)
  !$acc enter data copyin(x%g)
  !$acc parallel present(x%g)
  x%g(2,2) = 5
  !$acc end parallel
  !$acc exit data copyout(x%g)
  !$acc exit data delete(x%a)
  print *, x%g(2,2)

  u = 1
  v = 2
  call to_device(u)
  call to_device(v)
  call from_device(u)
  call from_device(v)
  print *, u(1) + v(1)

  z = 3
  !$acc data copy(z)
  call twice(8, z)
  !$acc end data
  print *, z(8)
end program
