-- OpenACC in Fortran procedures: declare of allocatables, and arguments that are absent, read-only or of assumed size.
scenario { title = "OpenACC in Fortran: variables and arguments", language = "fortran", rules = "openacc-3.3" }

local function refused(code, text) expect.fails(code, function() fortran(text) end) end

-- --------------------------------------------------------------------------- declare of allocatables --

case("accepts: allocate creates the device copy of a declared allocatable, and deallocate deletes the copy"
  .. " [ACC33-dec-1]", function()
  fortran [[
    real, allocatable :: x(:)
    !$acc declare create(x)
    allocate(x(4))
    x = 3
    !$acc update device(x)
  ]]
  expect.device("x(4)", 3)
  expect.equal(state().present[1].dynamic, 1)
  expect.equal(state().present[1].structured, 0)
  fortran "deallocate(x)"
  expect.equal(#state().present, 0)
end)

case("accepts: an assignment that allocates creates the device copy, also for device_resident"
  .. " [ACC33-dec-1]", function()
  fortran [[
    real, allocatable :: x(:)
    !$acc declare device_resident(x)
    x = [1.0, 2.0]
  ]]
  expect.equal(state().present[1].bytes, 8)
  fortran "x = [1.0, 2.0, 3.0]"
  expect.equal(state().present[1].bytes, 12)
end)

case("accepts: a procedure of a module allocates the module's allocatable [ACC33-dec-1]", function()
  expect.moves(function()
    fortran [[
      module m
        real, allocatable :: x(:)
        !$acc declare create(x)
      contains
        subroutine go(n)
          integer :: n
          allocate(x(n))
          !$acc parallel present(x)
          x(1) = 5
          !$acc end parallel
          !$acc update self(x(1:1))
        end subroutine
      end module
      program p
        use m
        call go(4)
      end program
    ]]
  end, { h2d = 0, d2h = { count = 1, bytes = 4 } })
  expect.host("x(1)", 5)
end)

case("accepts: the device copy of a local allocatable ends with its procedure [ACC33-dec-1]", function()
  expect.events(function()
    fortran [[
        call s()
        call s()
      contains
        subroutine s()
          real, allocatable :: w(:)
          !$acc declare create(w)
          allocate(w(8))
        end subroutine
    ]]
  end, { "alloc w", "incref w", "decref ", "free w", "alloc w", "incref w", "decref ", "free w" })
  expect.equal(#state().present, 0)
end)

case("rejects: a program deallocates an array while a region holds the data [ACC33-dec-1]", function()
  fortran [[
    real, allocatable :: x(:)
    !$acc declare create(x)
    allocate(x(4))
    !$acc data copy(x)
  ]]
  refused("region-nesting", "deallocate(x)")
  expect.present "x"
  fortran "!$acc end data"
  fortran "deallocate(x)"
end)

case("rejects: allocate finds no device memory, and the array stays unallocated"
  .. " [ACC33-dec-1 ACC33-2.7.2-1]", function()
  fortran [[
    real, allocatable :: x(:)
    !$acc declare create(x)
  ]]
  acc_malloc(16 << 30)
  refused("out-of-device-memory", "allocate(x(4))")
  expect.host("allocated(x)", false)
end)

case("accepts: stat reports how allocate and deallocate ended [HOUSE-language]", function()
  fortran [[
    real, allocatable :: x(:)
    integer :: how(4)
    character(20) :: why
    allocate(x(2), stat=how(1))
    allocate(x(3), stat=how(2), errmsg=why)
    deallocate(x, stat=how(3))
    deallocate(x, stat=how(4))
  ]]
  expect.host("how", { 0, 1, 0, 2 })
  expect.host("why", "x is allocated alrea")
end)

case("rejects: allocate and deallocate fail without stat, or have unknown keywords [HOUSE-language]", function()
  fortran "real, allocatable :: x(:)\ninteger :: i\nallocate(x(2))"
  refused("type-mismatch", "allocate(x(3))")
  refused("syntax", "allocate(x(3), stet=i)")
  refused("syntax", "deallocate(x, source=i)")
end)

-- -------------------------------------------------------------------------------- absent arguments --

local optional = [[
    real :: x(3)
    real, allocatable :: z(:)
    x = 1
    call s(x)
    call s(x, x, z)
  contains
    subroutine s(a, b, c, d, e)
      real :: a(:)
      real, optional :: b(:), e
      real, allocatable, optional :: c(:)
      real, pointer, optional :: d(:)
      !$acc enter data copyin(b)
      !$acc enter data copyin(c, d, e)
      !$acc exit data delete(b)
      !$acc data copy(a) copyin(b, c, d, e)
      !$acc parallel
      if (present(b)) then
        a(1) = b(1) + 1
      end if
      !$acc end parallel
      !$acc end data
      !$acc update self(d)
    end subroutine
]]

for _, profile in ipairs { "openacc-3.3", "tr14", "directory" } do
  case(("accepts: an absent optional argument has no effect in clauses of %s [ACC33-2.17.1-1]"):format(profile),
    function()
      rules(profile)
      expect.moves(function() fortran(optional) end,
        { h2d = { count = 3, bytes = 36 }, d2h = { count = 2, bytes = 24 } })
      expect.host("x", { 2, 1, 1 })
      expect.equal(#state().present, 0)
    end)
end

case("accepts: an absent optional argument has no effect in map clauses of OpenMP [ACC33-2.17.1-1]", function()
  rules "openmp-5.1"
  expect.moves(function()
    fortran [[
        real :: x(3)
        x = 1
        call s(x)
      contains
        subroutine s(a, b)
          real :: a(:)
          real, optional :: b(:)
          !$omp target enter data map(to: a, b)
          !$omp target map(tofrom: b)
          a(1) = 4
          if (present(b)) a(1) = b(1)
          !$omp end target
          !$omp target exit data map(from: a, b)
        end subroutine
    ]]
  end, { h2d = { count = 1, bytes = 12 }, d2h = { count = 1, bytes = 12 } })
  expect.host("x(1)", 4)
end)

case("differs: a procedure reads an optional argument that is absent [ACC33-2.17.1-1]", function()
  refused("null-pointer", [[
      call s()
    contains
      subroutine s(b)
        real, optional :: b(:)
        print *, b(1)
      end subroutine
  ]])
end)

-- ----------------------------------------------------------------------------- read-only arguments --

local function with_argument(declaration, actual, clause, statement)
  return ([[
      type t
        real :: r
      end type
      real, target :: x(3)
      type(t) :: ts(2)
      real, allocatable :: al(:)
      real, pointer :: p(:)
      allocate(al(3))
      p => x
      call s(%s)
    contains
      subroutine s(a)
        %s
        !$acc parallel copy(%s)
        %s
        !$acc end parallel
      end subroutine
  ]]):format(actual, declaration, clause, statement)
end

for _, one in ipairs {
  { "real, intent(in) :: a(:)", "x", "a", "a(1) = 3" },
  { "real, intent(in) :: a(3)", "x", "a", "a(1) = 3" },
  { "real, intent(in) :: a(*)", "x", "a(1:3)", "a(1) = 3" },
  { "real, intent(in) :: a", "x(1)", "a", "a = 3" },
  { "real, allocatable, intent(in) :: a(:)", "al", "a", "a(1) = 3" },
  { "type(t), intent(in) :: a", "ts(1)", "a", "a%r = 3" },
  { "type(t), intent(in) :: a(:)", "ts", "a", "a(1)%r = 3" },
} do
  case(("rejects: a kernel writes to the argument %s [HOUSE-language]"):format(one[1]), function()
    refused("type-mismatch", with_argument(table.unpack(one)))
  end)
end

case("accepts: a kernel writes to the target of a pointer with intent(in) [HOUSE-language]", function()
  local text = with_argument("real, pointer, intent(in) :: a(:)", "p", "a", "a(1) = 3")
  expect.moves(function() fortran(text) end, { d2h = { count = 1, bytes = 12 } })
  expect.host("x(1)", 3)
end)

-- ---------------------------------------------------------------------------- assumed-size arguments --

local function assumed(clause)
  return ([[
      real :: x(6)
      call s(x, x)
    contains
      subroutine s(a, b)
        real :: a(*), b(2,*)
        !$acc data copyin(%s)
        !$acc end data
      end subroutine
  ]]):format(clause)
end

for _, clause in ipairs { "a", "a(2:)", "a(:)", "b", "b(:,2:)" } do
  case(("rejects: the last bound of %s is not known [ACC33-2.7.1-1]"):format(clause), function()
    refused("invalid-section", assumed(clause))
  end)
end

for clause, elements in pairs { ["a(1:2)"] = 2, ["a(:3)"] = 3, ["a(2)"] = 1, ["b(:,1:2)"] = 4, ["b(:,2)"] = 2 } do
  case(("accepts: %s names elements of an assumed-size argument [ACC33-2.7.1-1]"):format(clause), function()
    expect.moves(function() fortran(assumed(clause)) end, { h2d = { count = 1, bytes = 4 * elements }, d2h = 0 })
  end)
end

case("differs: scalars that no clause names are firstprivate on the host, too [ACC33-impl-1]", function()
  fortran "integer :: n = 0, m = 0, k = 0, a(2) = 0"
  for i, clause in ipairs { "if(m == 1)", "if(.false.) private(a)" } do
    acc("parallel copy(k) " .. clause) "n = n + 1\n k = k + n"
    expect.host("n", 0)
    expect.host("k", i)
  end
  for i, clauses in ipairs { "parallel copy(n)", "kernels", "parallel reduction(+:n)" } do
    acc(clauses .. " if(m == 1)") "n = n + 1\n a(1) = n"
    expect.host("n", i)
    expect.host("a(1)", i)
  end
end)

-- ----------------------------------------------------------------------------------------- modifiers --

case("accepts: clauses of Fortran have modifiers, in capitals, too [ACC34-mod-3 ACC34-mod-4 ACC33-2.7-4]", function()
  rules "openacc-3.4"
  fortran [[
    real :: x(4) = 1, y(2:3, 4)
    real, allocatable :: z(:)
    allocate(z(3))
    !$acc enter data copyin(x) create(zero: y, z)
    x = 2
    !$acc data copy(ALWAYSIN, alwaysout: x(2:3))
    !$acc parallel present(x, y, z)
    x(1) = x(2) + y(3,4) + z(3)
    x(3) = 7
    !$acc end parallel
    !$acc end data
    !$acc exit data copyout(always: y)
  ]]
  expect.host("x(3)", 7)
  expect.host("x(1)", 2)
  expect.device("x(1)", 2)
  expect.device("x(4)", 1)
  expect.host("y(2,1)", 0)
end)

case("rejects: a modifier is of a later version, or of another clause [ACC34-mod-1 ACC34-ver-1]", function()
  expect.fails("unsupported", function() fortran "real :: x(4)\n!$acc enter data copyin(always: x)\n" end)
  expect.fails("clause-not-allowed", function() fortran "real :: y(4)\n!$acc enter data copyin(zero: y)\n" end)
end)

-- ---------------------------------------------------------------------------------- named constants --

local constants = [[
  integer, parameter :: n = 4
  integer, parameter :: w(3) = [1, 2, 3]
  real :: a(4)
]]

case("accepts: a region uses named constants, which need no clause and are not mapped [ACC33-impl-1 ACC33-impl-2]",
  function()
    fortran(constants)
    for _, clause in ipairs { "", "default(none)", "default(present)" } do
      expect.moves(function() acc("parallel copyout(a) " .. clause)([[
        a = n
        a(2) = w(2)
      ]]) end, { h2d = 0, d2h = { count = 1, bytes = 16 } })
      expect.host("a(1)", 4)
      expect.host("a(2)", 2)
    end
    acc "kernels copyout(a)" "a = w(3)"
    expect.host("a(4)", 3)
  end)

case("rejects: default(none) needs clauses for variables, but not for named constants [ACC33-impl-2]", function()
  fortran(constants .. "real :: b(3)\n")
  local err = expect.fails("default-none", function() acc "parallel copyout(a) default(none)" "a = w(2) + b(2) + n" end)
  expect.equal(err.help, "name 'b' in a data clause")
end)
