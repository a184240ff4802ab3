! Prints how the compiler laid out types, as layouts.c does, and then what lies in an object: bytes|HEX, and
! value|EXPRESSION|NUMBER for what a compiler makes of it.
module shapes
  use iso_c_binding
  implicit none
  type base
    integer :: id
  end type
  type, extends(base) :: particle
    real(8) :: x(3), g(2, 0:4)
    real, allocatable :: w(:)
    real, pointer :: m(:, :)
    integer(8), pointer :: one
    character(len=10) :: label
    logical :: on
    complex :: z
    type(particle), pointer :: next
    type(base), allocatable :: list(:)
    class(base), pointer :: any
    character(len=:), allocatable :: text
    integer(1) :: last
  end type
contains
  subroutine member(name, at, of, bytes)
    character(len=*), intent(in) :: name
    integer(8), intent(in) :: at, of
    integer, intent(in) :: bytes
    print '(a,a,a,i0,a,i0)', 'type(particle)|', name, '|', at - of, '|', bytes
  end subroutine
end module

program layouts
  use shapes
  implicit none
  type local
    integer(2) :: a
    real(8) :: b
  end type
  type(particle), target :: p
  type(local), target :: l
  integer(1), pointer :: bytes(:)
  real, target :: grid(-1:2, 5)
  allocate (p%w(3:7), p%list(2))
  p%m => grid(0:2, 2:5:3)
  p%id = 7
  p%label = 'gfortran'
  p%x = [1.5, 2.5, 3.5]
  nullify (p%one, p%next, p%any)
  print '(a,i0)', 'type(particle)||0|', storage_size(p) / 8
  call member('id', loc(p%id), loc(p), 4)
  call member('x', loc(p%x), loc(p), 24)
  call member('g', loc(p%g), loc(p), 80)
  call member('label', loc(p%label), loc(p), 10)
  call member('on', loc(p%on), loc(p), 4)
  call member('z', loc(p%z), loc(p), 8)
  call member('last', loc(p%last), loc(p), 1)
  l%a = 1
  print '(a,i0)', 'type(local)||0|', storage_size(l) / 8
  print '(a,i0,a)', 'TYPE(Local)|b|', loc(l%b) - loc(l), '|8'
  call c_f_pointer(c_loc(p), bytes, [storage_size(p) / 8])
  print '(a,*(z2.2))', 'bytes|', bytes
  print '(a,i0)', 'value|p%id|', p%id
  print '(a,f3.1)', 'value|p%x(2)|', p%x(2)
  print '(a,i0)', 'value|lbound(p%w, 1)|', lbound(p%w, 1)
  print '(a,i0)', 'value|ubound(p%w, 1)|', ubound(p%w, 1)
  print '(a,i0)', 'value|size(p%m, 1)|', size(p%m, 1)
  print '(a,i0)', 'value|size(p%m, 2)|', size(p%m, 2)
  print '(a,i0)', 'value|lbound(p%g, 2)|', lbound(p%g, 2)
  print '(a,i0)', 'value|size(p%list)|', size(p%list)
end program
