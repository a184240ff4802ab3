! computes.f90 ROUNDS - arrays of Fortran, allocatable ones and dummies: see computes.c.
module work
  implicit none
contains
  subroutine smooth(a, b)
    real(8), intent(in) :: a(:, :)
    real(8), intent(inout) :: b(:, :)
    integer :: i, j
    !$acc parallel loop collapse(2) present(a, b)
    do j = 2, size(a, 2) - 1
      do i = 2, size(a, 1) - 1
        b(i, j) = 0.2d0*(a(i, j) + a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
  end subroutine
end module

program computes
  use work
  implicit none
  integer, parameter :: n = 1024
  real(8), allocatable :: a(:, :), b(:, :)
  character(len=16) :: text
  integer :: rounds, r
  call get_command_argument(1, text)
  read (text, *) rounds
  allocate (a(n, n), b(n, n))
  call random_number(a)
  b = a
  !$acc data copy(a, b)
  do r = 1, rounds
    call smooth(a, b)
    call smooth(b, a)
    !$acc update self(a(:, 1:8))
    a(:, 1:4) = a(:, 5:8)
    !$acc update device(a(:, 1:4))
  end do
  !$acc end data
  print '(f8.4)', sum(a)/n/n
end program
