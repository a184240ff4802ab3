! Objects of select type: the shape is that of the type in the branch.
! openmp: no: compilers pass the host address of such an object to kernels
module boxes
  implicit none
  type box
    integer :: n = 0
    real(8), allocatable :: d(:)
    real, pointer :: view(:) => null()
    !$acc shape exclude(view)
  end type box
  type, extends(box) :: crate
    integer, allocatable :: parts(:)
    !$acc shape exclude(view)
  end type crate
contains
  subroutine add(b, by)
    class(*), intent(inout) :: b
    integer, intent(in) :: by
    select type (b)
    type is (box)
      !$acc data copy(b)
      !$acc serial
      b%d(1) = b%d(1) + by
      b%n = b%n + 1
      !$acc end serial
      !$acc end data
    type is (crate)
      !$acc data copy(b)
      !$acc serial
      b%parts(2) = b%parts(1) + by
      !$acc end serial
      !$acc end data
    end select
  end subroutine add
end module boxes
program select_type
  use boxes
  implicit none
  type(box) :: b
  type(crate) :: c
  real, target :: tgt(4)
  b%d = [1, 2]
  c%parts = [3, 4]
  b%view => tgt(1:4:2)
  call add(b, 10)
  call add(c, 20)
  print *, int(b%d), b%n, c%parts, associated(b%view)
end program select_type
