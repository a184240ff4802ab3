-- Fortran under the directory paper: all pieces of one array have the array as their base. So they share one device
-- block, and a kernel's index expressions stay as they are.
scenario { title = "DIR: pieces of Fortran arrays", language = "fortran", rules = "directory" }

local program = [[
  type cell
    integer :: n
    real, allocatable :: a(:)
    real :: u(40)
  end type
  type pair
    real :: re, im
  end type
  real, target :: x(100), m(10,10), low(-50:49)
  real, allocatable :: h(:)
  real, pointer :: p(:), q(:)
  type(cell) :: d
  type(pair) :: pairs(30)
  integer :: i
  x = (/(i, i = 1, 100)/)
  m = reshape(x, (/10, 10/))
  low = x
  allocate(h(100), d%a(100))
  h = x
  d%a = x
  d%u = 3
  p => x
  q => x(100:1:-1)
]]

-- The pieces that two regions name, the distance of their first bytes on the host, and the name of what is fused.
local pairs_of_pieces = {
  { "an explicit array", "x(1:20)", "x(51:70)", "x(1)", "x(51)", 50, "x(1:70)" },
  { "an array with a lower bound", "low(-50:-31)", "low(0:19)", "low(-50)", "low(0)", 50, "low(-50:19)" },
  { "an allocatable", "h(1:20)", "h(51:70)", "h(1)", "h(51)", 50, "h(1:70)" },
  { "a pointer", "p(1:20)", "p(51:70)", "p(1)", "p(51)", 50, "p(1:70)" },
  { "columns of a matrix", "m(:,2)", "m(:,6)", "m(1,2)", "m(1,6)", 40, "m(1:10,2:6)" },
  { "a column and a part of one", "m(:,2)", "m(3:4,6)", "m(1,2)", "m(3,6)", 42, "m(1,2):(4,6)" },
  { "elements of an array of derived type", "pairs(3)", "pairs(7)", "pairs(3)%re", "pairs(7)%re", 8, "pairs(3:7)" },
  { "an allocatable component", "d%a(1:20)", "d%a(51:70)", "d%a(1)", "d%a(51)", 50, "d%a(1:70)" },
}

-- Names of what a directive fuses.
local function fused(fn)
  local list = {}
  for _, event in ipairs(events(fn)) do
    if event.op == "fuse" then list[#list + 1] = event.name end
  end
  return table.concat(list, " ")
end

for _, one in ipairs(pairs_of_pieces) do
  local what, first, second, here, there, distance, name = table.unpack(one)
  local function apart() return acc_deviceptr(there) - acc_deviceptr(here) end

  case(("accepts: pieces of %s in nested regions share a block [DIR-4.2-08 DIR-2-01]"):format(what), function()
    fortran(program)
    local outer = acc(("data copyin(%s)"):format(first))
    local inner
    expect.equal(fused(function() inner = acc(("data copyin(%s)"):format(second)) end), name)
    expect.equal(apart(), distance)
    inner:close()
    outer:close()
    expect.absent(first)
  end)

  case(("accepts: pieces of %s in one directive share a block [DIR-4.2-08]"):format(what), function()
    fortran(program)
    acc(("data copyin(%s, %s)"):format(first, second))(function() expect.equal(apart(), distance) end)
    acc(("enter data copyin(%s, %s)"):format(first, second))
    expect.equal(apart(), distance)
    acc(("exit data delete(%s, %s)"):format(first, second))
    expect.absent(first)
  end)
end

local in_a_procedure = [[
  real, target :: x(100)
  integer :: i
  x = (/(i, i = 1, 100)/)
  call s(x)
contains
  subroutine s(a)
    real :: a(0:)
    !$acc data copyin(a(0:19)) copyout(a(90:99))
    !$acc data copyin(a(50:69))
    !$acc serial
    a(95) = a(3) + a(55)
    !$acc end serial
    !$acc end data
    !$acc end data
  end subroutine
]]

case("accepts: pieces of an assumed-shape dummy are one block for a kernel [DIR-2-01 DIR-4.1-03]", function()
  expect.moves(function() fortran(in_a_procedure) end, { h2d = { bytes = 160 }, d2h = { bytes = 40 } })
  expect.host("x(96)", 4 + 56)
end)

case("accepts: the listing of the paper works with Fortran arrays [DIR-2-01]", function()
  expect.moves(function()
    fortran [[
      real :: x(100)
      x = 1
      !$acc data copyin(x(51:70)) copyout(x(1:20))
      !$acc serial
      x(1) = x(51) + 1
      !$acc end serial
      !$acc end data
    ]]
  end, { h2d = { count = 1, bytes = 80 }, d2h = { count = 1, bytes = 80 } })
  expect.host("x(1)", 2)
end)

local components = [[
  type cell
    integer :: n
    real :: u(40)
    real, allocatable :: a(:)
  end type
  type(cell), target :: v, w(3)
  type(cell), allocatable :: g(:)
  type(cell), pointer :: p
  real :: b(4)
  integer :: i
  v%u = (/(i, i = 1, 40)/)
  w(2)%u = v%u
  w(3)%u = v%u + 100
  allocate(g(3))
  g(2)%u = v%u
  g(3)%u = v%u + 100
  p => w(2)
  b = 0
]]

-- Text of directives and statements in which V stands for an object.
local function with_object(name)
  return function(text) return (text:gsub("%f[%w]V%f[%W]", function() return name end)) end
end

for _, name in ipairs { "v", "w(2)", "g(2)", "p" } do
  local of = with_object(name)

  case(("accepts: parts of a component of %s in nested regions are each sent [DIR-2-01 DIR-4.2-17]"):format(name),
    function()
      fortran(components)
      expect.moves(function()
        acc(of "data copyin(V%u(1:10))") (function()
          expect.absent(of "V%n")
          acc(of "data copy(V%u(31:40), V%n)") (function()
            acc "serial copyout(b(1:2))" (of "b(1) = V%u(1); b(2) = V%u(31); V%u(40) = -1; V%n = 5")
          end)
          expect.host(of "V%u(40)", -1)
          expect.host(of "V%n", 5)
        end)
      end, { h2d = { count = 3, bytes = 84 }, d2h = { count = 3, bytes = 52 } })
      expect.equal(host "b(1:2)", { 1, 31 })
      expect.absent(of "V")
    end)

  case(("accepts: enter data, updates and exit data work for components of %s"
    .. " [DIR-6-01 DIR-ABI-03]"):format(name), function()
    fortran(components)
    acc(of "enter data copyin(V%u(1:10), V%n)")
    acc(of "data copyin(V%u(31:40))") (function()
      fortran(of "V%u(32) = 7")
      acc(of "update device(V%u(32:32))")
      acc "serial" (of "V%u(2) = V%u(32) + V%u(31)")
      acc(of "update self(V%u(2:3))")
      expect.host(of "V%u(2)", 38)
    end)
    expect.absent(of "V%u(31:40)")
    acc(of "serial present(V%u(1:10))") (of "V%u(3) = 8; V%n = 9")
    acc(of "exit data copyout(V%u(1:10)) delete(V%n)")
    expect.host(of "V%u(3)", 8)
    expect.host(of "V%n", 0)
    expect.absent(of "V")
  end)

  case(("rejects: a part of %s that no clause names is a hole [DIR-4.2-17 DIR-4.2-03]"):format(name), function()
    fortran(components)
    acc(of "data copyin(V%u(1:10), V%u(31:40))") (function()
      expect.fails(name == "v" and "not-present" or "uninitialized-read", function()
        acc "serial" (of "V%u(1) = V%u(20)")
      end)
      expect.fails("not-present", function() acc(of "update self(V%u(11:12))") end)
      expect.fails("partially-present", function() acc(of "update self(V%u(5:14))") end)
      expect.fails("not-present", function() acc(of "data present(V%n)") end)
      expect.fails("partial-overlap", function() acc(of "data copyin(V%u(5:14))") end)
      expect.fails("partial-overlap", function() acc(of "data pcopyin(V)") end)
    end)
  end)
end

for _, name in ipairs { "w", "g" } do
  local of = with_object(name)

  case(("accepts: components of several elements of %s are one block for a kernel [DIR-2-01 DIR-4.1-03]"):format(name),
    function()
      fortran(components)
      expect.moves(function()
        acc(of "data copyin(V(2)%u(1:10))") (function()
          acc(of "data copyin(V(3)%u(1:10), V(3)%n)") (function()
            acc "serial copyout(b(2:3))" (of "do i = 2, 3; b(i) = V(i)%u(4); end do")
          end)
        end)
      end, { h2d = { count = 3, bytes = 84 }, d2h = { count = 1, bytes = 8 } })
      expect.equal(host "b(2:3)", { 4, 104 })
    end)
end

local in_pointers = [[
  type cell
    integer :: n
    real :: u(40)
    real, allocatable :: a(:)
  end type
  type box
    type(cell), pointer :: q
    type(cell), allocatable :: c(:)
  end type
  type(cell), target :: v
  type(box) :: h
  real :: b(4)
  integer :: i
  v%u = (/(i, i = 1, 40)/)
  allocate(v%a(4), h%c(2))
  v%a = 3
  h%q => v
  h%c(2) = v
  b = 0
]]

for _, one in ipairs { { "v", "v" }, { "h%q", "h" }, { "h%c(2)", "h" } } do
  local name, root = table.unpack(one)
  local of = with_object(name)

  case(("accepts: components fill holes of %s, which is held for its allocatable component [DIR-4.2-17]"):format(name),
    function()
      fortran(in_pointers)
      acc(of "data copyin(V%a(1:4))") (function()
        acc(of "data copyin(V%u(1:10))") (function()
          acc(of "data copy(V%u(31:40), V%n)") (function()
            acc "serial copyout(b(1:3))" (of "b(1) = V%u(1); b(2) = V%u(31); b(3) = V%a(2); V%u(40) = -1; V%n = 5")
          end)
          expect.host(of "V%u(40)", -1)
          expect.host(of "V%n", 5)
          expect.equal(host "b(1:3)", { 1, 31, 3 })
        end)
      end)
      expect.absent(root)
    end)

  case(("rejects: a part of %s is present, and another clause overlaps it or reads it later"
    .. " [DIR-4.2-17 DIR-4.2-03]"):format(name),
    function()
      fortran(in_pointers)
      acc(of "data copyin(V%a(1:4))") (function()
        acc(of "data copyin(V%u(1:10))") (function()
          expect.moves(function()
            acc(of "data copyin(V%u(2:3)) pcopy(V%u(1:10))") (function() expect.equal(#state().levels, 3) end)
          end, { h2d = 0, d2h = 0, d2d = 0 })
          expect.fails("partial-overlap", function() acc(of "data copyin(V%u(5:14))") end)
        end)
        expect.fails("excluded-member", function() acc "serial" (of "b(1) = V%u(1)") end)
      end)
    end)
end

case("differs: elements of two arrays have two bases [DIR-4.1-03 DIR-4.2-08]", function()
  fortran(program)
  expect.moves(function()
    acc "data copyin(x(1:20))" (function()
      expect.equal(fused(function() acc "enter data copyin(m(:,6), d%a(51:70), h(51:70))" end), "")
    end)
  end, { h2d = { count = 4, bytes = 280 }, d2h = 0 })
  expect.accepts "exit data delete(m(:,6), d%a(51:70), h(51:70))"
end)

case("differs: without fusion pieces of one array are separate [DIR-4.2-08 DIR-2-01]", function()
  rules { base = "directory", fusion = false }
  fortran(program)
  expect.moves(function()
    acc "data copyin(x(1:20))" (function()
      expect.equal(fused(function() acc "enter data copyin(x(51:70))" end), "")
      expect.accepts "exit data delete(x(51:70))"
    end)
  end, { h2d = { count = 2, bytes = 160 }, d2h = 0 })
end)
