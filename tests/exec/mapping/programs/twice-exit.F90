! unmapped twice: the subroutine that ends the run unmaps what its caller has unmapped.
module field
  implicit none
  real, allocatable :: u(:)
contains
  subroutine finish
#ifndef RIGHT
    !$acc exit data delete(u) ! expect: not-present
#endif
    deallocate (u)
  end subroutine
end module
program main
  use field
  implicit none
  allocate (u(10))
  u = 0
  !$acc enter data copyin(u)
  !$acc exit data delete(u)
  call finish
end program
