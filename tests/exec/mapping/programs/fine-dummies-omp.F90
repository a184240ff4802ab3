! nothing: dummy arguments of OpenMP are mapped in one procedure and unmapped in another one.
module m
  type box
    integer :: n
    real(8) :: x(10)
  end type
contains
  subroutine enter_type(g)
    type(box), intent(inout) :: g
    !$omp target enter data map(to: g)
  end subroutine
  subroutine leave_type(g)
    type(box), intent(inout) :: g
    integer :: others(100)
    others = 1
    !$omp target exit data map(from: g)
    if (sum(others) /= 100) stop 1
  end subroutine
  subroutine enter_scalar(x)
    real(8), intent(inout) :: x
    !$omp target enter data map(to: x)
  end subroutine
  subroutine leave_scalar(x)
    real(8), intent(inout) :: x
    integer :: others(100)
    others = 1
    !$omp target exit data map(from: x)
    if (sum(others) /= 100) stop 1
  end subroutine
  subroutine enter_explicit(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    !$omp target enter data map(to: x)
  end subroutine
  subroutine leave_explicit(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: others(100)
    others = 1
    !$omp target exit data map(from: x)
    if (sum(others) /= 100) stop 1
  end subroutine
  subroutine enter_size(x)
    real(8), intent(inout) :: x(*)
    !$omp target enter data map(to: x(1:20))
  end subroutine
  subroutine leave_size(x)
    real(8), intent(inout) :: x(*)
    integer :: others(100)
    others = 1
    !$omp target exit data map(from: x(1:20))
    if (sum(others) /= 100) stop 1
  end subroutine
  subroutine enter_shape(x)
    real(8), intent(inout) :: x(:)
    !$omp target enter data map(to: x)
  end subroutine
  subroutine leave_shape(x)
    real(8), intent(inout) :: x(:)
    integer :: others(100)
    others = 1
    !$omp target exit data map(from: x)
    if (sum(others) /= 100) stop 1
  end subroutine
  subroutine enter_array(x)
    real(8), allocatable, intent(inout) :: x(:)
    !$omp target enter data map(to: x)
  end subroutine
  subroutine leave_array(x)
    real(8), allocatable, intent(inout) :: x(:)
    integer :: others(100)
    others = 1
    !$omp target exit data map(from: x)
    if (sum(others) /= 100) stop 1
  end subroutine
  subroutine enter_target(x)
    real(8), pointer :: x(:)
    !$omp target enter data map(to: x)
  end subroutine
  subroutine leave_target(x)
    real(8), pointer :: x(:)
    integer :: others(100)
    others = 1
    !$omp target exit data map(from: x)
    if (sum(others) /= 100) stop 1
  end subroutine
  subroutine enter_maybe(x)
    real(8), optional, intent(inout) :: x(:)
    !$omp target enter data map(to: x)
  end subroutine
  subroutine leave_maybe(x)
    real(8), optional, intent(inout) :: x(:)
    integer :: others(100)
    others = 1
    !$omp target exit data map(from: x)
    if (sum(others) /= 100) stop 1
  end subroutine
  subroutine enter_single(x)
    real(8), allocatable, intent(inout) :: x
    !$omp target enter data map(to: x)
  end subroutine
  subroutine leave_single(x)
    real(8), allocatable, intent(inout) :: x
    integer :: others(100)
    others = 1
    !$omp target exit data map(from: x)
    if (sum(others) /= 100) stop 1
  end subroutine
end module
program main
  use m
  implicit none
  type(box) :: g
  real(8) :: s, x(20)
  real(8), allocatable :: array(:), single
  real(8), pointer :: target(:)
  allocate(array(20), target(20), single)
  g%n = 4; g%x = 1; s = 1; x = 1; array = 1; target = 1; single = 1
  call enter_type(g)
  call leave_type(g)
  call enter_scalar(s)
  call leave_scalar(s)
  call enter_explicit(x, 20)
  call leave_explicit(x, 20)
  call enter_size(x)
  call leave_size(x)
  call enter_shape(x)
  call leave_shape(x)
  call enter_array(array)
  call leave_array(array)
  call enter_target(target)
  call leave_target(target)
  call enter_maybe(x)
  call leave_maybe(x)
  call enter_single(single)
  call leave_single(single)
  if (g%n /= 4 .or. sum(x) /= 20 .or. sum(array) /= 20) stop 2
end program
