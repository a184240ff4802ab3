! Reads of old values on the host: of elements, with their subscripts, and of one behind a section on the device.
module types
  type cell
    integer :: id
    real :: v(3)
  end type
  real(8), allocatable :: t(:,:)
end module

program subscripts
  use types
  implicit none
  real(8) :: a(10,20), b(-2:7), w(10,20)
  type(cell) :: c(5)
  integer :: i
  allocate(t(0:4,3))
  a = 1; b = 1; t = 1; w = 1
  do i = 1, 5
    c(i)%v = 0
  end do
  !$acc data copyin(a, t, c, w(:,3:5), b(0:4))
  !$acc parallel loop
  do i = 1, 10
    a(i,5) = 2
  end do
  !$acc parallel loop
  do i = 0, 4
    t(i,3) = 5
  end do
  !$acc parallel loop
  do i = 1, 5
    c(i)%v(2) = 5
  end do
  !$acc parallel loop present(w(:,3:5))
  do i = 1, 10
    w(i,4) = 5
  end do
  print *, a(4,5)
  print *, t(2,3)
  print *, c(3)%v(2)
  print *, w(2,4)
  !$acc parallel loop present(b(0:4))
  do i = 0, 5
    b(i) = 2
  end do
  !$acc end data
end program
