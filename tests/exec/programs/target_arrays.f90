! OpenMP's target directives in Fortran: allocatables, components, assumed-shape dummies, declared variables.
module state
  implicit none
  type field
    integer :: n
    real(8), pointer :: values(:)
  end type
  integer :: declared(3) = [1, 2, 3]
  !$omp declare target(declared)
contains
  subroutine twice(a)
    real(8), intent(inout) :: a(:)
    integer :: i
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = 1, size(a)
      a(i) = 2 * a(i)
    end do
  end subroutine
end module

program main
  use omp_lib
  use state
  implicit none
  real(8), allocatable :: a(:), b(:, :)
  real(8), pointer :: p(:)
  type(field) :: f
  integer :: i, total
  logical :: there

  if (omp_get_num_devices() /= 1 .or. .not. omp_is_initial_device()) stop 1
  allocate (a(10), b(4, 3))
  a = 1
  b = 2
  !$omp target enter data map(to: a, b)
  a = 0
  !$omp target map(from: there)
  a(3) = a(3) + b(2, 2)
  there = .not. omp_is_initial_device()
  !$omp end target
  if (.not. there) stop 2
  if (a(3) /= 0) stop 3
  !$omp target update from(a(3:3))
  if (a(3) /= 3 .or. a(4) /= 0) stop 4
  !$omp target exit data map(from: a) map(delete: b)
  if (a(4) /= 1 .or. b(2, 2) /= 2) stop 5

  call twice(a(2:8:2))
  if (a(2) /= 2 .or. a(3) /= 3 .or. a(8) /= 2) stop 6

  f%n = 5
  allocate (f%values(f%n))
  f%values = 1
  !$omp target map(tofrom: f%values) map(to: f%n)
  do i = 1, f%n
    f%values(i) = f%values(i) + i
  end do
  !$omp end target
  if (f%values(5) /= 6) stop 7

  allocate (p(4))
  p = 4
  total = 0
  !$omp target data map(to: p)
  p = 0
  !$omp target map(tofrom: total)
  total = int(sum(p))
  !$omp end target
  !$omp end target data
  if (total /= 16) stop 8

  declared(1) = 10
  !$omp target map(from: total)
  total = sum(declared)
  !$omp end target
  if (total /= 6) stop 9
  !$omp target update to(declared)
  !$omp target map(from: total)
  total = sum(declared)
  !$omp end target
  if (total /= 15) stop 10
  deallocate (a, b, p, f%values)
end program
