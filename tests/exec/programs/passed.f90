! Dummy arguments that one procedure maps, and kernels of others use. The compiler passes each by a pointer on the stack,
! where other variables lie later. With an argument, an update of what the host has changed is missing.
module passing
contains
  subroutine enter(x, v, a)
    integer, intent(inout) :: x, v(20)
    integer, allocatable, intent(inout) :: a
    !$acc enter data copyin(x, v, a)
    !$omp target enter data map(to: x, v, a)
  end subroutine
  subroutine leave(x, v, a)
    integer, intent(inout) :: x, v(20)
    integer, allocatable, intent(inout) :: a
    !$acc exit data copyout(x, v, a)
    !$omp target exit data map(from: x, v, a)
  end subroutine
  subroutine add(x, v, a)
    integer, intent(inout) :: x, v(20)
    integer, allocatable, intent(inout) :: a
    !$acc parallel present(x, v, a)
    !$omp target map(alloc: x, v, a)
    x = x + 1
    v(3) = v(3) + x
    a = a + x
    !$acc end parallel
    !$omp end target
  end subroutine
  subroutine send(v)
    integer, intent(inout) :: v(20)
    !$acc update device(v)
    !$omp target update to(v)
  end subroutine
  subroutine fetch(v)
    integer, intent(inout) :: v(20)
    !$acc update self(v)
    !$omp target update from(v)
  end subroutine
end module

program passed
  use passing
  integer :: x, v(20)
  integer, allocatable :: a
  allocate(a)
  x = 1
  v = 2
  a = 3
  call enter(x, v, a)
  call add(x, v, a)
  call fetch(v)
  v(3) = v(3) + 5
  if (command_argument_count() == 0) call send(v)
  call add(x, v, a)
  call leave(x, v, a)
  print *, x, v(3), a
end program
