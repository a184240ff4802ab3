! The data of debug_fortran.c: an object of a derived type, as gfortran has it in memory.
module bodies
  use iso_c_binding
  implicit none
  type body
    integer :: id
    real(8) :: x(3)
  end type
  type, extends(body) :: planet
    real, allocatable :: map(:, :)
    type(body), pointer :: moons(:)
    real(8), pointer :: mass
    logical :: seen
  end type
  type, extends(body) :: cluster
    real, allocatable :: mass(:, :)
    type(body), pointer :: members(:)
    real(8), pointer :: total
    type(body), allocatable :: hub
  end type
  type(planet), target :: P
  type(cluster) :: stars
  real(8), target :: mass = 42
contains
  function new_planet() bind(c) result(at)
    type(c_ptr) :: at
    integer :: i
    P%id = 3
    P%x = [1, 2, 3]
    allocate (P%map(0:2, 4), P%moons(2))
    P%map = reshape([(real(i), i=1, 12)], [3, 4])
    P%moons%id = [7, 8]
    P%mass => mass
    P%seen = .true.
    at = c_loc(P)
  end function
  ! 0: everything is as it was, and a kernel has written 100 to map(1, 2) and 9 to the id of the second moon
  integer(c_int) function wrong() bind(c)
    wrong = 0
    if (abs(P%map(1, 2) - 100) > 0 .or. abs(P%map(2, 4) - 12) > 0 .or. lbound(P%map, 1) /= 0) wrong = wrong + 1
    if (P%moons(2)%id /= 9 .or. P%moons(1)%id /= 7) wrong = wrong + 2
    if (abs(P%mass - 42) > 0 .or. P%id /= 3 .or. .not. P%seen) wrong = wrong + 4
  end function
end module
