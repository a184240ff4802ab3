! Names and lines in a Fortran program.
module probes
  use iso_c_binding
  implicit none
  interface
    subroutine names(address, bytes, wanted) bind(c)
      import
      type(c_ptr), value :: address
      integer(c_size_t), value :: bytes
      character(kind=c_char) :: wanted(*)
    end subroutine
    subroutine element(address, bytes, inside, wanted) bind(c)
      import
      type(c_ptr), value :: address, inside
      integer(c_size_t), value :: bytes
      character(kind=c_char) :: wanted(*)
    end subroutine
    subroutine stands_at(file, line, function) bind(c)
      import
      character(kind=c_char) :: file(*), function(*)
      integer(c_int), value :: line
    end subroutine
    subroutine directive(wanted) bind(c)
      import
      character(kind=c_char) :: wanted(*)
    end subroutine
    integer(c_int) function probe_done() bind(c)
      import
    end function
  end interface

  type inner
    real(4), allocatable :: q(:)
    integer :: k
  end type
  type outer
    integer :: n
    real(8), allocatable :: a(:)
    real(4), pointer :: p(:,:)
    type(inner) :: in
    type(inner), pointer :: one
  end type
  type(outer), target :: everywhere
  real(8), allocatable, target :: shared(:)
contains
  subroutine dummies(shape, size, free, v, any, k, n)
    class(inner), target :: any
    real(8), target :: shape(:), size(n), free(*)
    type(outer), target :: v
    integer, target :: k
    integer :: n
    call stands_at("fortran.F90" // c_null_char, __LINE__, "dummies" // c_null_char)
    call names(c_loc(v%n), 4_c_size_t, "v%n" // c_null_char)
    call names(c_loc(v%in%k), 4_c_size_t, "v%in%k" // c_null_char)
    call names(c_loc(any%k), 4_c_size_t, "v%in%k" // c_null_char)
    call names(c_loc(any%q(1)), 3 * 4_c_size_t, "v%in%q of 4" // c_null_char)
    call names(c_loc(v%one%k), 4_c_size_t, "v%one%k" // c_null_char)
    call names(c_loc(free(1)), 4 * 8_c_size_t, "free[0:4] of 8" // c_null_char)
    call names(c_loc(everywhere%n), 4_c_size_t, "everywhere%n" // c_null_char)
    call directive("shape of 8" // c_null_char)
    !$acc enter data copyin(shape)
    call directive("shape[2:2] of 8" // c_null_char)
    !$acc enter data copyin(shape(3:4))
    call directive("size[1:2] of 8" // c_null_char)
    !$acc enter data copyin(size(2:3))
    call directive("free[1:2] of 8" // c_null_char)
    !$acc enter data copyin(free(2:3))
    call directive("v, k" // c_null_char)
    !$acc enter data copyin(v, k)
    call directive("v%a, v%a of 8, v%a, v%a" // c_null_char)
    !$acc enter data copyin(v%a)
    call directive("v%in%q, v%in%q[1:2] of 4, v%in%q, v%in%q" // c_null_char)
    !$acc enter data copyin(v%in%q(2:3))
    call directive("v%p, v%p[2:2] of 4, v%p, v%p" // c_null_char)
    !$acc enter data copyin(v%p(:,2))
    call directive("everywhere%a, everywhere%a of 8, everywhere%a, everywhere%a" // c_null_char)
    !$acc enter data copyin(everywhere%a)
    call directive("shared of 8, shared" // c_null_char)
    !$acc enter data copyin(shared)
    k = k + 1
  end subroutine

  subroutine locals()
    real(8), allocatable, target :: b(:), c(:,:)
    type(inner), allocatable, target :: rows(:)
    type(outer), pointer :: single
    real(4), allocatable, target :: lone
    real(4), target :: fixed(0:3)
    integer, save, target :: kept(5)
    real(4), target :: common_a(4)
    common /block/ common_a
    allocate(b(-1:5), c(2, 3), rows(3), single, lone)
    allocate(rows(2)%q(4), single%a(2))
    call directive("b of 8, b" // c_null_char)
    !$acc enter data copyin(b)
    call directive("b[2:2] of 8, b" // c_null_char)
    !$acc enter data copyin(b(1:2))
    call directive("c of 8, c" // c_null_char)
    !$acc enter data copyin(c)
    call directive("rows of 72, rows" // c_null_char)
    !$acc enter data copyin(rows)
    call names(c_loc(rows(2)%q(1)), 4 * 4_c_size_t, "rows(2)%q of 4" // c_null_char)
    call names(c_loc(rows(3)%k), 4_c_size_t, "rows(3)%k" // c_null_char)
    call directive("single" // c_null_char)
    !$acc enter data copyin(single)
    call names(c_loc(single%n), 4_c_size_t, "single%n" // c_null_char)
    call names(c_loc(single%a(2)), 8_c_size_t, "single%a[1:1] of 8" // c_null_char)
    call element(c_loc(b), 7 * 8_c_size_t, c_loc(b(2)), "b(2)" // c_null_char)
    call element(c_loc(c), 6 * 8_c_size_t, c_loc(c(2,3)), "c(2,3)" // c_null_char)
    call element(c_loc(c(1,2)), 2 * 8_c_size_t, c_loc(c(1,3)), "c(1,3)" // c_null_char)
    call element(c_loc(fixed), 16_c_size_t, c_loc(fixed(1)), "fixed(1)" // c_null_char)
    call element(c_loc(rows), 3 * storage_size(rows, c_size_t) / 8, c_loc(rows(2)%k), "rows(2)%k" // c_null_char)
    call element(c_loc(rows(2)%q), 16_c_size_t, c_loc(rows(2)%q(3)), "rows(2)%q(3)" // c_null_char)
    call directive("lone" // c_null_char)
    !$acc enter data copyin(lone)
    call directive("fixed of 4, kept of 4, common_a of 4" // c_null_char)
    !$acc enter data copyin(fixed, kept, common_a)
    deallocate(single)
  end subroutine
end module

program main
  use probes
  real(8), allocatable, target, save :: mine(:)
  real(8) :: array(4, 3)
  type(outer) :: v
  integer :: k
  allocate(mine(3), shared(5), everywhere%a(3))
  allocate(v%a(4), v%in%q(3), v%p(2, 2), v%one)
  allocate(v%one%q(3))
  array = 0
  k = 1
  call names(c_loc(mine), 3 * 8_c_size_t, "mine of 8" // c_null_char)
  call dummies(array(:, 1), array(:, 2), array(:, 3), v, v%in, k, 4)
  call locals()
  deallocate(v%p, v%one)
  if (probe_done() /= 0) stop 1
end program
