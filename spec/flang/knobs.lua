-- The knob descriptors decides about components: the same clause under each value.
scenario { title = "Knobs: components of derived types", language = "fortran" }

local program = [[
  type t
    real, allocatable :: a(:)
    real, pointer :: p(:)
  end type
  type(t) :: d
  allocate(d%a(2))
  allocate(d%p(3))
]]

local function present_under(value)
  rules { base = "tr14", descriptors = value }
  fortran(program)
  acc "enter data copyin(d)"
  return { acc_is_present "d", acc_is_present "d%a", acc_is_present "d%p" }
end

case("accepts: descriptors = true maps the targets of both kinds of components [TR14-1.1-05]", function()
  expect.equal(present_under(true), { true, true, true })
end)

case("differs: descriptors = false maps no targets of components [TR14-1.1-05]", function()
  expect.equal(present_under(false), { true, false, false })
end)

case("differs: descriptors = \"allocatable\" maps no targets of pointers [OMP60-map-16]", function()
  expect.equal(present_under "allocatable", { true, true, false })
end)
