! finalize for a component: an object in which other directives attached components stays for them.
! accdeep: no: its library reports the attached component
module m
  implicit none
  type t
    integer :: n
    integer, allocatable :: b(:), c(:), skip(:)
    !$acc shape exclude(skip)
  end type t
contains
  subroutine add(x)
    type(t), intent(inout) :: x
    !$acc enter data copyin(x%b(1:2))
    !$acc enter data copyin(x%b(1:2))
    !$acc serial present(x)
    x%b(1) = x%b(1) + 10
    !$acc end serial
    !$acc exit data copyout(x%b(1:2)) finalize
  end subroutine add
end module m
program p
  use m
  implicit none
  type(t) :: x
  x%n = 2
  allocate(x%b(2), x%c(2))
  x%b = 1
  x%c = 2
  call add(x)
  print *, x%b
  !$acc enter data copyin(x)
  call add(x)
  print *, x%b
  !$acc enter data copyin(x%b(1:2))
  !$acc serial present(x)
  x%c(1) = x%c(1) + x%n
  !$acc end serial
  !$acc exit data copyout(x) finalize
  print *, x%b, x%c
end program p
