-- Fortran texts that are wrong: what is said, and where.
scenario { title = "errors in Fortran", language = "fortran" }

fortran [[
  type ty1
    real, pointer :: p(:,:)
    !$acc shape(bare) exclude(p)
  end type ty1
  type(ty1) :: d
  real, target :: t1(2,2), a(10)
  real, allocatable :: c(:)
]]

case("a statement that does not parse", function()
  fortran [[
    a(1) = 2
    allocate(c(3)
    a(2) = 1
  ]]
end)

case("a component that is not there", function()
  fortran [[
    D%P => T1
    D%Q(1,1) = 3   ! what is Q?
  ]]
end)

case("an index outside", function()
  fortran "a(4) = a(1) + a(11)"
end)

case("a clause over two lines", function()
  fortran [[
    !$acc enter data copyin(a) &
    !$acc & create(t1(1,:))
  ]]
end)

case("a component that was left out", function()
  fortran [[
    d%p => t1
    !$acc enter data copyin<bare>(d)
    !$acc serial present<bare>(d)
    print *, d%p(1,2)
    !$acc end serial
  ]]
end)

case("a subroutine's argument", function()
  fortran [[
    call s(a, c)
    contains
    subroutine s(x, y)
      real, pointer :: x(:)
      real, allocatable :: y(:)
    end subroutine s
  ]]
end)

case("what is not allocated", function()
  acc "serial" [[ c(1) = 1 ]]
end)

case("a directive without its end", function()
  fortran [[
    !$acc kernels
    a = 1
  ]]
end)

case("what this version does not know", function()
  fortran [[
    type u
      integer :: n
    contains
      procedure :: f
    end type u
  ]]
end)
