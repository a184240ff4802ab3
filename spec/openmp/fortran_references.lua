-- What ref_ptr, ref_ptee, ref_ptr_ptee and attach map of Fortran's allocatables and pointers.
scenario { title = "OpenMP in Fortran: descriptors in maps", language = "fortran", rules = "openmp-6.1" }

local program = [[
  type t
    integer :: n
    real, allocatable :: v(:)
    real, pointer :: q(:)
  end type
  real, allocatable :: x(:)
  real, pointer :: p(:)
  real, target :: y(4)
  integer :: k
  type(t) :: s
  allocate(x(4), s%v(3))
  x = 2
  y = 3
  p => y
  s%v = 4
  s%q => y
]]

-- The names of present objects, in order of their addresses.
local function present()
  local names = {}
  for i, object in ipairs(state().present) do names[i] = object.name end
  table.sort(names)
  return table.concat(names, ", ")
end

local function enter(map) fortran("!$omp target enter data map(" .. map .. ")") end
local function exit(map) fortran("!$omp target exit data map(" .. map .. ")") end
local function refused(code, map)
  return expect.fails(code, function() enter(map) end)
end

case("accepts: ref_ptr maps a descriptor, and ref_ptee attaches it to its target [OMP60-map-17]", function()
  fortran(program)
  expect.moves(function() enter "ref_ptr, to: x" end, { h2d = { bytes = 48 }, d2h = 0 })
  expect.equal(present(), "x (descriptor)")
  enter "ref_ptee, to: x"
  expect.equal(present(), "x, x (descriptor)")
  expect.equal(#state().attached, 1)
  fortran "!$omp target\nx(2) = 7\n!$omp end target"
  exit "ref_ptr, release: x"
  expect.equal(present(), "x")
  exit "ref_ptee, from: x"
  expect.equal(present(), "")
  expect.host("x(2)", 7)
end)

case("accepts: a descriptor that is mapped after its target is attached, too [OMP60-map-17 OMP60-map-7]", function()
  fortran(program)
  enter "ref_ptee, to: p"
  expect.equal(#state().attached, 0)
  enter "ref_ptr, to: p"
  expect.equal(#state().attached, 1)
  expect.count("y", { dynamic = 1 })
  enter "ref_ptr, to: p"
  expect.count("y", { dynamic = 1 })
end)

case("accepts: ref_ptr_ptee maps both [OMP60-map-17]", function()
  fortran(program)
  enter "ref_ptr_ptee, to: x"
  expect.equal(present(), "x, x (descriptor)")
  expect.equal(#state().attached, 1)
  exit "ref_ptr_ptee, from: x"
  expect.equal(present(), "")
end)

case("accepts: a descriptor and its target are mapped for regions [OMP60-map-17]", function()
  fortran(program)
  fortran [[
    !$omp target data map(ref_ptr, to: x)
    !$omp target map(ref_ptee, tofrom: x)
    x(3) = 9
    !$omp end target
    !$omp end target data
  ]]
  expect.equal(present(), "")
  expect.host("x(3)", 9)
end)

case("accepts: components are mapped in the same way [OMP60-map-17]", function()
  fortran(program)
  enter "ref_ptr, to: s%v"
  expect.equal(present(), "s%v (descriptor)")
  enter "ref_ptee, to: s%v"
  expect.equal(present(), "s%v, s%v (descriptor)")
  expect.equal(#state().attached, 1)
  exit "ref_ptee, release: s%v"
  exit "ref_ptr, release: s%v"
  expect.equal(present(), "")
  enter "to: s%v"
  expect.equal(present(), "s%v, s%v (descriptor)")
  exit "ref_ptee, from: s%v"
  expect.equal(present(), "s%v (descriptor)")
end)

case("differs: a kernel follows a descriptor whose target is not mapped [OMP60-map-17]", function()
  fortran(program)
  expect.fails("host-pointer-on-device", function()
    fortran "!$omp target map(ref_ptr, to: x)\nx(2) = 7\n!$omp end target"
  end)
end)

case("rejects: a list item is neither allocatable nor a pointer [OMP60-map-17]", function()
  fortran(program)
  for _, modifier in ipairs { "ref_ptr", "ref_ptee", "ref_ptr_ptee" } do
    for _, item in ipairs { "k", "y", "x(1:2)", "s", "s%n", "s%v(1:2)" } do
      expect.equal(refused("clause-not-allowed", ("%s, to: %s"):format(modifier, item)).rule, "OMP60-map-17")
    end
  end
  refused("duplicate-clause", "ref_ptr, ref_ptee, to: x")
end)

case("rejects: a map has ref_ptr under 5.2 [OMP60-ver-1 OMP60-map-17]", function()
  rules "openmp-5.2"
  fortran(program)
  expect.equal(refused("clause-not-allowed", "ref_ptr, to: x").rule, "OMP60-ver-1")
  expect.equal(refused("clause-not-allowed", "ref_ptee, to: x").rule, "OMP60-ver-1")
end)

case("rejects: a map has attach under 6.0 [OMP60-ver-1 OMP61-1]", function()
  rules "openmp-6.0"
  fortran(program)
  expect.equal(refused("clause-not-allowed", "attach(always), to: p").rule, "OMP60-ver-1")
end)

case("rejects: a mapper has ref_ptr [OMP60-map-17]", function()
  fortran(program)
  expect.fails("unsupported", function()
    fortran "!$omp declare mapper(m: t :: z) map(ref_ptr, to: z%v)"
  end)
end)

case("accepts: attach says whether a descriptor is attached [OMP61-1 OMP60-map-16]", function()
  fortran(program)
  enter "attach(never), to: s%q"
  expect.equal(present(), "s%q, s%q (descriptor)")
  expect.equal(#state().attached, 0)
  enter "attach(auto), to: s%q"
  expect.equal(#state().attached, 0)
  enter "attach(always), to: s%q"
  expect.equal(#state().attached, 1)
end)

case("rejects: the list item of attach has no base pointer in Fortran [OMP61-1]", function()
  fortran(program)
  for _, item in ipairs { "k", "y", "y(1:2)", "s", "s%n" } do
    expect.equal(refused("not-a-pointer", "attach(always), to: " .. item).rule, "OMP61-1")
  end
end)
