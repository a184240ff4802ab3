-- Clauses of Fortran: elements, sections, pointers and their descriptors, conditions.
scenario { title = "OpenACC: clauses of Fortran", language = "fortran", rules = "openacc-3.3" }

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

case("accepts: clauses name elements, and move their bytes [ACC33-2.7.1-1]", function()
  expect.moves(function() acc "enter data copyin(a(2:8), b(:,2:3), n)" end,
    { h2d = { count = 3, bytes = 28 + 16 + 4 } })
  expect.present "a(2:8)" expect.present "a(5)" expect.absent "a(9)" expect.absent "b(:,1)"
  expect.moves(function() acc "update self(a(3:4))" end, { d2h = { count = 1, bytes = 8 } })
end)

case("accepts: a clause with a whole pointer names its target, with strides"
  .. " [ACC33-2.7.1-4 ACC33-upd-2]", function()
  fortran "p => a(1:7:2)"
  expect.moves(function() acc "enter data copyin(p)" end, { h2d = { count = 1, bytes = 16 } })
  acc "exit data delete(p)"
  fortran "p => a(7:1:-3)"
  expect.moves(function() acc "enter data copyin(p)" end, { h2d = { count = 1, bytes = 12 } })
  expect.present "a(1:7)"
  acc "serial present(p)" [[ p(3) = 20 ]]
  acc "exit data copyout(p)"
  expect.host("a(1)", 20)
end)

case("rejects: a section has gaps, exceeds its array, or names no variable"
  .. " [ACC33-2.7.1-4 HOUSE-names]", function()
  for _, text in ipairs { "b(1,:)", "b(1:1,:)", "a(0:9:2)", "y%k" } do
    expect.fails("invalid-section", function() acc("enter data copyin(" .. text .. ")") end)
  end
  expect.fails("out-of-bounds", function() acc "enter data copyin(a(5:10))" end)
  expect.invalid("enter data copyin(zz)", "unknown-name")
  expect.invalid("enter data copyin(x%zz)", "unknown-member")
  expect.invalid("enter data copyin(n + 1)", "syntax")
  expect.invalid("enter data attach(a)", "not-a-pointer")
  expect.invalid("enter data attach(p(1:2))", "not-a-pointer")
end)

case("accepts: a clause maps nothing where nothing is allocated [ACC33-2.7-2]", function()
  expect.moves(function() acc "enter data copyin(p, x%v)" end, { h2d = 0 })
  expect.fails("null-pointer", function() expect.present "p" end)
end)

case("accepts: a section attaches the descriptor of its component [ACC33-att-9]", function()
  fortran "x%p => b\n!$acc enter data copyin(x)\n!$acc enter data copyin(x%p(:,2:3))"
  expect.attached("x%p", 1)
  fortran "!$acc serial present(x)\nx%p(1,2) = 5\nprint *, x%p(1,2), ubound(x%p, 2)\n!$acc end serial"
  expect.equal(output(), { "5.0 3" })
  expect.fails("out-of-bounds", function() fortran "!$acc serial present(x)\nx%p(1,1) = 5\n!$acc end serial" end)
end)

case("accepts: a directive has a condition and a device in Fortran [ACC33-2.6-1]", function()
  acc "enter data copyin(a) if(n > 5)" expect.absent "a"
  acc "enter data copyin(a) if(n == 3 .and. .true.)" expect.present "a"
  acc "set device_num(n - 3)"
  acc "enter data copyin(p(1:3)) if(associated(p))" -- what is not to be done is not looked at
  expect.fails("type-mismatch", function() acc "enter data copyin(a) if(n)" end)
end)

-- Returns what `enter data copyin` of a component does, as text.
local function entered(component)
  local list = {}
  for i, e in ipairs(events(function() acc(("enter data copyin(%s)"):format(component)) end)) do
    list[i] = tostring(e)
  end
  return table.concat(list, ", ")
end

case("accepts: a component in a clause leaves its object alone [ACC33-att-6 ACC33-2.7.1-5]", function()
  fortran "x%v = [1.0]"
  expect.equal(entered "x%v", "alloc x%v, h2d x%v, incref x%v")
  expect.absent "x"
end)

case("differs: targets of components are not mapped with an object [ACC33-2.7.1-5]", function()
  fortran "x%v = [1.0, 2.0]\nx%p => b"
  acc "enter data copyin(x)"
  expect.detached "x%v"
  expect.absent "b"
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

case("accepts: reports name elements with all their subscripts [HOUSE-expect]", function()
  declare_elements()
  fortran "g(1,2)%p => b; h(0)%p => b; u(10:,20:) => g"
  acc "enter data copyin(g, h(0:2))"
  expect.equal(names("enter data copyin(g(1,2)%p)", "attach"), { "g(1,2)%p" })
  expect.equal(names("enter data copyin(h(0)%p)", "attach"), { "h(0)%p" })
  expect.equal(state().attached[1], { name = "g(1,2)%p", target = "g(1,2)%p", count = 1 })
  expect.equal(state().attached[2].name, "h(0)%p")
  expect.equal(names("exit data delete(u(10,21)%p)", "detach"), { "u(10,21)%p" })
end)

case("rejects: a kernel follows a pointer to an element whose component was changed"
  .. " [ACC33-att-8 FLANG-storage-3]", function()
  declare_elements()
  fortran "r(7:) => h(4:0:-2); h(2)%p => b"
  acc "enter data copyin(r)"
  acc "enter data copyin(h(2)%p)"
  fortran "h(4)%p => b"
  acc "update device(r)"
  expect.fails("host-pointer-on-device", function()
    fortran "!$acc serial present(r)\nprint *, r(7)%p(1,1)\n!$acc end serial"
  end)
end)

case("accepts: an attached pointer has its own name and the bytes of its descriptor [ACC33-att-9]", function()
  fortran "x%p => b\n!$acc enter data copyin(x)"
  local list = events(function() acc "enter data copyin(x%p(:,2))" end)
  expect.equal({ list[1].name, list[3].op, list[3].name, list[3].bytes }, { "x%p(:,2)", "attach", "x%p", 72 })
  list = events(function() acc "exit data delete(x%p(:,2))" end)
  expect.equal({ list[1].op, list[1].name, list[1].bytes }, { "detach", "x%p", 72 })
end)

case("accepts: a construct is planned again after data around it changed"
  .. " [ACC33-2.7.1-2 ACC33-att-2]", function()
  fortran "type(t), target :: w\nw%p => b"
  local function run() fortran "!$acc serial present(w%p)\nw%p(1,1) = w%p(1,1) + 1\n!$acc end serial" end
  for _ = 1, 2 do
    acc "enter data copyin(b)"
    run()
    acc "data copy(w)" (run)
    acc "exit data copyout(b)"
  end
  expect.host("b(1,1)", 4)
  expect.equal(#state().present, 0)
end)
