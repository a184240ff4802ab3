! Routines that move data, beside directives.
module types
  type cell
    real, allocatable :: v(:)
    !$acc shape(bare) exclude(v)
  end type cell
end module types
program calls
  use types
  use openacc
  implicit none
  real :: a(4) = 1, b(2) = 2
  type(cell) :: c
  integer :: i
  allocate(c%v(2))
  c%v = 5
  !$acc enter data copyin(c)
  call acc_copyin(a(2:4))
  call acc_create_async(b, 1)
  call acc_wait(1)
  !$acc parallel loop present(a(2:4), b, c)
  do i = 2, 4
    a(i) = a(i) + i + c%v(2)
  end do
  call acc_update_self(a(2:3))
  print *, int(a(2:3))
  CALL ACC_COPYOUT_FINALIZE(a(2:4))
  call acc_delete(b)
  !$acc exit data delete(c)
  print *, int(a)
end program calls
