-- Components of derived types under TR-14-1: in clauses, in deep copies, and their sections in shapes and nests.
scenario { title = "TR14 3: components of derived types", language = "fortran", rules = "tr14" }

fortran [[
  integer :: n = 3, i
  real, target :: a(0:9) = [(i, i = 0, 9)], b(2,3) = 0
  real :: total = 0
  real, pointer :: p(:), q(:,:), s
  real, allocatable :: c(:)
  type t
    integer :: k = 7
    real, pointer :: p(:,:)
    real, allocatable :: v(:)
  end type t
  type(t), target :: x, y(3)
  type(t), pointer :: xp, ys(:)
  c = [1.0, 2.0, 3.0]
]]

-- Returns what `enter data copyin` of a component does, as text.
local function entered(component)
  local list = {}
  for i, e in ipairs(events(function() acc(("enter data copyin(%s)"):format(component)) end)) do
    list[i] = tostring(e)
  end
  return table.concat(list, ", ")
end

case("accepts: a component in a clause holds its object [TR14-3.4-05 TR14-3.4-11]", function()
  fortran [[
    type o
      type(t) :: in(2)
      type(t), pointer :: one, many(:)
    end type o
    type(o) :: z
    z%in(2)%v = [1.0, 2.0, 3.0]
    allocate(z%many(3))
    z%many(2)%v = [4.0, 5.0]
    x%v = [1.0, 2.0, 3.0]
  ]]
  for _, example in ipairs {
    { "x%v", "alloc x, alloc x%v, h2d x%v, attach x%v, incref x, incref x%v" },
    { "x%v(2:3)", "alloc x, alloc x%v(2:3), h2d x%v(2:3), attach x%v, incref x, incref x%v(2:3)" },
    { "x%k", "alloc x, h2d x%k, incref x" },
    { "z%in(2)%v", "alloc z, alloc z%in(2)%v, h2d z%in(2)%v, attach z%in(2)%v, incref z, incref z%in(2)%v" },
    { "z%many(2)%v(1:1)", "alloc z, alloc z%many(2), alloc z%many(2)%v(1), h2d z%many(2)%v(1), attach z%many, "
      .. "attach z%many(2)%v, incref z, incref z%many(2), incref z%many(2)%v(1)" },
  } do
    expect.equal(entered(example[1]), example[2])
    acc(("exit data delete(%s)"):format(example[1]))
    expect.equal(#state().present, 0)
  end
end)

case("rejects: a section keeps the indices of its array, and a kernel leaves it"
  .. " [TR14-3.4-03 TR14-1.2-10]", function()
  fortran "x%v = [1.0, 2.0, 3.0]"
  acc "data copy(x%v(2:3))" (function()
    acc "serial" [[ x%v(3) = x%v(2) * 10 ]]
    expect.fails("out-of-bounds", function() acc "serial" [[ x%v(1) = 0 ]] end)
  end)
  expect.host("x%v", { 1, 2, 20 })
end)

case("accepts: targets of components are mapped and attached with their object [TR14-1.1-05]", function()
  fortran "x%v = [1.0, 2.0]\nx%p => b"
  acc "enter data copyin(x)"
  expect.attached("x%v", 1)
  expect.attached("x%p", 1)
  expect.present "b"
end)

case("accepts: targets are copied back, and device addresses are not [TR14-1.1-05 TR14-4.1-05]", function()
  fortran "x%v = [1.0, 2.0]\nx%p => b(:,2:3)"
  acc "data copy(x)" (function()
    acc "serial" [[ x%v(1) = 5; x%p(2,2) = 6; x%k = 8 ]]
    expect.host("x%k", 7)
  end)
  expect.host("x%v", { 5, 2 }) expect.host("b(2,3)", 6) expect.host("x%k", 8)
  expect.host("associated(x%p, b(:,2:3))", true)
end)

case("accepts: a deep copy follows strides, and stops at null descriptors [TR14-1.1-05]", function()
  fortran "x%p => b(:, 3:1:-2)\ny(2)%v = [1.0]"
  acc "enter data copyin(x, y)"
  expect.present "b" expect.detached "y(1)%v" expect.attached("y(2)%v", 1)
  fortran "!$acc serial present(x, y)\nx%p(1,2) = 4\nprint *, y(2)%v(1), allocated(y(3)%v)\n!$acc end serial"
  expect.equal(output(), { "1.0 F" })
  expect.device("b(1,1)", 4)
  acc "exit data delete(x, y)"
  expect.equal(#state().present, 0)
end)

case("accepts: a deep copy follows pointers to objects [TR14-1.1-05]", function()
  fortran "allocate(xp, ys(2))\nxp%v = [1.0, 2.0]\nys(2)%k = 4"
  acc "enter data copyin(xp, ys)"
  fortran "!$acc serial present(xp, ys)\nprint *, xp%v(2), ys(2)%k\n!$acc end serial"
  expect.equal(output(), { "2.0 4" })
end)

case("accepts: an object contains many objects with components [TR14-1.1-05 TR14-3.1.1-12]", function()
  fortran [[
    type many
      integer :: k
      type(t) :: in(20)
    end type many
    type(many) :: z
    do i = 1, 20
      z%in(i)%v = [real :: (n, n = 1, i)]
    end do
  ]]
  acc "data copy(z)" (function()
    expect.equal(#state().present, 21)
    expect.attached("z%in(17)%v", 1)
    acc "serial" [[ z%in(20)%v(20) = sum(z%in(3)%v) ]]
  end)
  expect.host("z%in(20)%v(20)", 6)
end)

case("accepts: a component has any rank [TR14-1.1-05]", function()
  fortran "type r\nreal, pointer :: p(:,:,:,:,:,:,:,:,:,:,:,:,:,:,:)\nend type\ntype(r) :: z"
  fortran "allocate(z%p(2,1,2,1,1,1,1,1,1,1,1,1,1,1,3))"
  expect.moves(function() acc "enter data copyin(z)" end, { h2d = { count = 2, bytes = 24 + 24 * 15 + 48 } })
end)

local function declare_sections()
  fortran [[
    type w
      integer :: n = 3
      real, allocatable :: v(:), m(:,:)
      real :: e(10,2)
      !$acc shape(some) include(v(2:n), m(:,2:n-1), e(1:5,2))
    end type w
    type(w) :: z
    allocate(z%v(0:5), z%m(2,4))
    z%v = [0, 1, 2, 3, 4, 5]
    z%m = 1
  ]]
end

case("rejects: sections of components count from the bounds of the array, and a kernel leaves them"
  .. " [TR14-3.1.1-21 TR14-1.2-10]", function()
  declare_sections()
  acc "enter data copyin<some>(z)"
  expect.present "z%v(2:3)" expect.absent "z%v(1)" expect.present "z%m(:,2)" expect.absent "z%m(:,3)"
  fortran "!$acc serial present<some>(z)\nprint *, z%v(2:3), z%m(2,2)\n!$acc end serial"
  expect.equal(output(), { "2.0 3.0 1.0" })
  expect.fails("out-of-bounds", function()
    fortran "!$acc serial present<some>(z)\nprint *, z%v(1)\n!$acc end serial"
  end)
end)

case("rejects: a section of a pointer component is not contiguous [TR14-3.1.1-23 TR14-3.1.1-21]", function()
  fortran [[
    type o
      real, pointer :: p(:), q(:,:)
      !$acc shape(some) include(p(2:3)) exclude(q)
      !$acc shape(cols) include(q(:,2)) exclude(p)
    end type o
    type(o) :: z
    z%p => a(3:6)
    z%q => b
  ]]
  acc "data copyin<some>(z)" (function() expect.present "a(4:5)" expect.absent "a(3)" end)
  acc "data copyin<cols>(z)" (function() expect.present "b(:,2)" expect.absent "b(:,1)" end)
  fortran "z%p => a(1:9:2)\nz%q => b(1:1,:)"
  expect.fails("invalid-section", function() acc "data copyin<some>(z)" end)
  expect.fails("invalid-section", function() acc "data copyin<cols>(z)" end)
end)

case("rejects: a section has a stride, another rank, or a bound that is not simple"
  .. " [TR14-3.1.1-21 HOUSE-language]", function()
  declare_sections()
  for _, example in ipairs { { "v(0:5:2)", "invalid-section" }, { "m(1)", "type-mismatch" },
    { "v(size(v):)", "unsupported" }, { "v(zz:)", "unknown-name" }, { "n(1)", "not-a-pointer" } } do
    expect.invalid(("data copy(z)::{ include(%s) }"):format(example[1]), example[2])
  end
  expect.fails("out-of-bounds", function() acc "enter data copyin(z)::{ include(v(5:6)) }" end)
  expect.fails("invalid-section", function() acc "enter data copyin(z)::{ include(m(1,:)) }" end)
end)

local function declare_elements()
  fortran [[
    type e
      integer :: k
      real, pointer :: p(:,:)
    end type e
    type f
      type(e) :: in(0:1,-1:1), long(0:3,5:10)
      type(e), allocatable :: s(:,:)
    end type f
    type(e), target :: g(2,3), h(0:4)
    type(e), pointer :: u(:,:), r(:)
    type(f), target :: w
  ]]
end

-- Returns a list of the names of objects in the events `op` of a directive.
local function names(text, op)
  local list = {}
  for _, e in ipairs(events(function() acc(text) end)) do
    if e.op == op then list[#list + 1] = e.name end
  end
  return list
end

case("accepts: reports of a deep copy name elements of components [HOUSE-expect TR14-1.1-05]", function()
  declare_elements()
  fortran "allocate(w%s(3:4,5:6)); w%s(4,6)%p => b; w%in(1,-1)%p => b; w%long(2,7)%p => b"
  expect.equal(names("enter data copyin(w)", "attach"), { "w%in(1,-1)%p", "w%s", "w%long(2,7)%p", "w%s(4,6)%p" })
end)
