-- OpenMP's directives in Fortran: !$omp lines. No line with the sentinel is ignored.
scenario { title = "OpenMP in Fortran", language = "fortran", rules = "openmp-5.1" }

local function refused(code, text) expect.fails(code, function() fortran(text) end) end

local arrays = [[
  real, allocatable :: x(:)
  real, target :: y(4)
  integer :: i, k, n, total
  allocate(x(4))
  x = 2
  y = 1
  k = 7
  n = 0
  total = 0
]]

-- ------------------------------------------------------------------------------- target directives --

case("accepts: a program has enter data, update and exit data as lines [OMP60-map-1]", function()
  fortran(arrays)
  fortran [[
    !$omp target enter data map(to: x)
    x = 5
    !$omp target update to(x(2:3))
  ]]
  expect.present "x"
  expect.device("x(1)", 2)
  expect.device("x(2)", 5)
  fortran "!$omp target exit data map(delete: x)"
  expect.absent "x"
end)

case("accepts: the case of letters and continued lines do not matter [OMP60-map-1]", function()
  fortran(arrays)
  fortran [[
    !$OMP Target Enter Data &
    !$omp& Map(to: X) ! a comment
  ]]
  expect.present "x"
end)

case("accepts: target data and its end are in one text or in two [OMP60-tgt-1]", function()
  fortran(arrays)
  fortran [[
    !$omp target data map(tofrom: x)
    !$omp target
    x(1) = x(1) + 1
    !$omp end target
    !$omp end target data
  ]]
  expect.host("x(1)", 3)
  fortran "!$omp target data map(to: y)"
  expect.present "y"
  fortran "!$omp end target data"
  expect.absent "y"
end)

case("accepts: a combined construct applies to its loop, with or without an end directive [OMP60-tgt-1]", function()
  fortran(arrays)
  expect.moves(function()
    fortran [[
      !$omp target teams distribute parallel do map(tofrom: x)
      do i = 1, 4
        x(i) = x(i) * i
      end do
      !$omp end target teams distribute parallel do
      !$omp target parallel do
      do i = 1, 4
        x(i) = x(i) + 1
      end do
    ]]
  end, { h2d = { count = 2, bytes = 32 }, d2h = { count = 2, bytes = 32 } })
  expect.host("x", { 3, 5, 7, 9 })
end)

case("differs: a motion clause names a section outside the array [OMP60-upd-1]", function()
  fortran(arrays)
  fortran "!$omp target enter data map(to: x)"
  refused("out-of-bounds", "!$omp target update to(x(3:5))")
end)

case("rejects: an update with present names absent data [OMP60-upd-1 OMP60-map-9]", function()
  fortran(arrays)
  refused("not-present", "!$omp target update to(present: x)")
end)

-- ------------------------------------------------------------------------------------ implicit maps --

case("accepts: arrays and targets are mapped tofrom, and scalars are firstprivate [OMP60-map-11]", function()
  fortran(arrays)
  fortran [[
    integer, target :: seen
    seen = 0
    !$omp target
    k = k + 1
    x(1) = k
    seen = k
    !$omp end target
  ]]
  expect.host("k", 7)
  expect.host("x(1)", 8)
  expect.host("seen", 8)
end)

case("accepts: defaultmap has the category allocatable in Fortran [OMP60-map-11]", function()
  fortran(arrays)
  fortran [[
    !$omp target defaultmap(to: allocatable) defaultmap(tofrom: scalar)
    x(1) = 9
    k = int(x(1))
    !$omp end target
  ]]
  expect.host("x(1)", 2)
  expect.host("k", 9)
end)

case("rejects: an allocatable is in no clause under defaultmap(none) [OMP60-map-11]", function()
  fortran(arrays)
  refused("default-none", "!$omp target defaultmap(none: allocatable)\nx(1) = 1\n!$omp end target")
end)

-- ------------------------------------------------------------------------------------- components --

local objects = [[
  type t
    integer :: n
    real :: u(3)
    real, allocatable :: v(:)
    real, pointer :: p(:)
  end type
  type(t) :: s, many(2)
  real, target :: y(3)
  allocate(s%v(5), many(1)%v(2), many(2)%v(4))
  s%n = 4
  s%u = 2
  s%v = 1
  s%p => y
  y = 9
  many(1)%n = 1
  many(2)%n = 3
  many(1)%v = 5
  many(2)%v = 6
]]

case("accepts: a target construct maps a section of an allocatable component [OMP60-map-1]", function()
  fortran(objects)
  expect.moves(function()
    fortran [[
      !$omp target map(tofrom: s%v(1:3))
      s%v(2) = 7
      !$omp end target
    ]]
  end, { h2d = { count = 2, bytes = 60 }, d2h = { count = 1, bytes = 12 } })
  expect.host("s%v", { 1, 7, 1, 1, 1 })
  expect.absent "s"
end)

case("accepts: a clause maps a component with its descriptor, and members of one structure form one object"
  .. " [OMP60-map-1]",
  function()
    fortran(objects)
    expect.moves(function()
      fortran [[
        !$omp target enter data map(to: s%v, s%n)
        !$omp target
        s%v(2) = s%n
        !$omp end target
      ]]
    end, { h2d = { count = 3, bytes = 72 }, d2h = 0 })
    expect.absent "s%u"
    fortran "!$omp target exit data map(from: s%v) map(release: s%n)"
    expect.host("s%v(2)", 4)
    expect.equal(#state().present, 0)
  end)

case("accepts: a whole object is mapped with its allocatable components [OMP60-map-16]", function()
  fortran(objects)
  expect.moves(function()
    fortran [[
      !$omp target map(tofrom: many)
      many(2)%v(3) = many(1)%v(2)
      !$omp end target
    ]]
  end, { h2d = { count = 3, bytes = 248 }, d2h = { count = 5, bytes = 152 } })
  expect.host("many(2)%v", { 6, 6, 5, 6 })
end)

local tiles = [[
  type tile_t
    integer :: id
    real, allocatable :: a(:), b(:)
  end type
  type chunk_t
    integer :: n
    type(tile_t), allocatable :: tiles(:)
  end type
  type(chunk_t) :: var
  integer :: i
  allocate(var%tiles(3))
  do i = 1, 3
    var%tiles(i)%id = i
    allocate(var%tiles(i)%a(4), var%tiles(i)%b(4))
    var%tiles(i)%a = 10 * i
  end do
]]

-- The present element is the first one, one in the middle, the last one.
for _, version in ipairs { "openmp-5.1", "openmp-5.2", "openmp-6.0" } do
  case("accepts: an implicit object of " .. version .. " uses present parts of components [OMP60-map-12]", function()
    rules(version)
    fortran(tiles)
    for i = 1, 3 do
      local function of_element(text) fortran((text:gsub("#", tostring(i)))) end
      of_element "!$omp target enter data map(to: var%tiles(#)%a, var%tiles(#)%b)"
      expect.moves(function()
        of_element [[
          !$omp target
          var%tiles(#)%b(2) = var%tiles(#)%a(2) + 1
          var%n = 5
          !$omp end target
        ]]
      end, { h2d = { count = 1, bytes = 56 }, d2h = { count = 1, bytes = 8 } })
      expect.count(("var%%tiles(%d)%%b"):format(i), { structured = 0, dynamic = 1 })
      of_element "!$omp target exit data map(from: var%tiles(#)%b) map(release: var%tiles(#)%a)"
      expect.host(("var%%tiles(%d)%%b(2)"):format(i), 10 * i + 1)
    end
  end)
end

case("accepts: an implicit object uses the present section of a component, or one of several parts [OMP60-map-12]",
  function()
    fortran(tiles)
    fortran [[
      !$omp target data map(tofrom: var%tiles(2)%a(2:3))
      !$omp target
      var%tiles(2)%a(3) = var%tiles(2)%a(2) + 1
      !$omp end target
      !$omp end target data
    ]]
    expect.host("var%tiles(2)%a", { 20, 20, 21, 20 })
    fortran [[
      !$omp target enter data map(to: var%tiles(1)%id)
      !$omp target enter data map(to: var%tiles(3)%id)
      !$omp target
      var%n = var%tiles(1)%id
      !$omp end target
    ]]
    expect.host("var%n", 1)
    refused("out-of-bounds", "!$omp target\nvar%n = var%tiles(3)%id\n!$omp end target")
  end)

case("differs: an implicit object has no more than the present parts of its components [OMP60-map-12]", function()
  fortran(tiles)
  fortran "!$omp target enter data map(to: var%tiles(2)%a)"
  for _, absent in ipairs { "tiles(1)%a(1)", "tiles(1)%id", "tiles(3)%a(1)", "tiles(2)%b(1)", "tiles(2)%id" } do
    refused("out-of-bounds", ("!$omp target\nvar%%n = var%%%s\n!$omp end target"):format(absent))
    expect.equal(#state().present, 2)
  end
end)

case("rejects: under defaultmap(present), an object and its components must be present [OMP60-map-9 OMP60-map-11]",
  function()
    local function use(clause)
      return ("!$omp target %s\nvar%%tiles(2)%%a(2) = 1\n!$omp end target"):format(clause)
    end
    fortran(tiles)
    refused("not-present", use "defaultmap(present: aggregate)")
    fortran "!$omp target enter data map(to: var)"
    fortran(use "defaultmap(present: aggregate)")
    fortran [[
      deallocate(var%tiles(2)%a)
      allocate(var%tiles(2)%a(8))
    ]]
    refused("not-present", use "defaultmap(present: aggregate)")
    fortran "!$omp target enter data map(to: var%tiles(2)%a(2:3))"
    refused("partially-present", use "defaultmap(present: aggregate)")
    fortran(use "")
  end)

case("rejects: a clause names an object of which a component is partly present [OMP60-map-12 OMP60-map-13]", function()
  fortran(tiles)
  fortran "!$omp target enter data map(to: var%tiles(2)%a)"
  for _, clause in ipairs { "map(var)", "map(var%tiles)" } do
    refused("partially-present", ("!$omp target %s\nvar%%n = 1\n!$omp end target"):format(clause))
  end
  refused("partially-present", "!$omp target enter data map(to: var)")
end)

case("rejects: a mapper names a component that is partly present [OMP60-map-12 OMP60-map-13 OMP60-map-15]",
  function()
    fortran(tiles)
    fortran [[
      !$omp declare mapper(chunk_t :: w) map(w, w%tiles)
      !$omp target enter data map(to: var%tiles(2)%a)
    ]]
    refused("partially-present", "!$omp target\nvar%n = 1\n!$omp end target")
  end)

case("differs: the target of a pointer component is not mapped with its object [OMP60-map-16]", function()
  fortran(objects)
  fortran "!$omp target enter data map(to: s)"
  expect.absent "y"
  refused("host-pointer-on-device", "!$omp target\ns%p(1) = 1\n!$omp end target")
end)

case("rejects: a target construct contains allocate [OMP60-map-16 HOUSE-version]", function()
  fortran(arrays)
  refused("unsupported", "!$omp target\nallocate(x(2))\n!$omp end target")
end)

case("accepts: the instances of an iterator are whole components, up to the last value [OMP60-map-3]", function()
  fortran(objects)
  fortran "!$omp target enter data map(iterator(it = 1:2), to: many(it)%v)"
  expect.present "many(1)%v"
  expect.present "many(2)%v"
  refused("invalid-section", "!$omp target enter data map(iterator(it = 1:2:0), to: many(it)%v)")
end)

-- ---------------------------------------------------------------------------------------- mappers --

case("accepts: declare mapper names components of its variable, also in bounds [OMP60-map-15]", function()
  fortran(objects)
  fortran [[
    !$omp declare mapper(t :: o) map(tofrom: o%n, o%v(1:o%n))
    !$omp target enter data map(to: s)
  ]]
  expect.present "s%v(1:4)"
  expect.absent "s%v(5:5)"
  fortran [[
    !$omp target map(tofrom: s)
    s%v(4) = s%n
    !$omp end target
    !$omp target exit data map(from: s)
  ]]
  expect.host("s%v(4)", 4)
  expect.equal(#state().present, 0)
end)

case("accepts: a mapper with a name maps the section of a pointer component [OMP60-map-15]", function()
  fortran(objects)
  expect.moves(function()
    fortran [[
      !$omp declare mapper(all: type(t) :: o) map(tofrom: o, o%v, o%p(2:3))
      !$omp target map(mapper(all), tofrom: s)
      s%v(5) = s%u(1)
      s%p(3) = 8
      !$omp end target
    ]]
  end, { h2d = { count = 3, bytes = 140 }, d2h = { count = 3, bytes = 44 } })
  expect.host("s%v(5)", 2)
  expect.host("y", { 9, 9, 8 })
end)

case("rejects: a mapper has another variable, an unknown component, or a wrong type [OMP60-map-15]", function()
  fortran(objects)
  refused("unknown-name", "!$omp declare mapper(t :: o) map(s%n)")
  refused("unknown-member", "!$omp declare mapper(t :: o) map(o%zz)")
  refused("unknown-member", "!$omp declare mapper(t :: o) map(o%v(1:o%q))")
  refused("unknown-type", "!$omp declare mapper(zz :: o) map(o%v)")
  refused("not-a-struct", "!$omp declare mapper(integer :: o) map(o)")
  refused("syntax", "!$omp declare mapper(t o) map(o%v)")
end)

-- ------------------------------------------------------------------------------- the host's threads --

local loop = [[
  !$omp parallel do private(k) reduction(+:total) lastprivate(n)
  do i = 1, 4
    k = i
    n = 10 * i
    total = total + k
  end do
  !$omp end parallel do
]]

case("accepts: parallel do has private variables, also its loop variable [HOUSE-threads]", function()
  fortran(arrays)
  fortran "i = 99"
  fortran(loop)
  expect.host("total", 10)
  expect.host("k", 7)
  expect.host("n", 40)
  expect.host("i", 99)
end)

case("accepts: parallel do has private variables in the body of a target construct [HOUSE-threads]", function()
  fortran(arrays)
  fortran("!$omp target map(tofrom: total, n, k)\n" .. loop .. "!$omp barrier\n!$omp atomic\ntotal = total + k\n"
    .. "!$omp end target")
  expect.host("total", 17)
  expect.host("k", 7)
  expect.host("n", 40)
end)

case("accepts: parallel do has private variables if the host executes the target construct"
  .. " [HOUSE-threads]", function()
  fortran(arrays)
  fortran("!$omp target map(tofrom: total, n, k) if(.false.)\n" .. loop .. "!$omp end target")
  expect.host("total", 10)
  expect.host("k", 7)
  expect.host("n", 40)
end)

case("accepts: sections, single, critical, workshare and task run their statements [HOUSE-threads]", function()
  fortran(arrays)
  fortran [[
    !$omp parallel
    !$omp sections
    !$omp section
    n = n + 1
    !$omp section
    n = n + 1
    !$omp end sections nowait
    !$omp single
    n = n + 1
    !$omp endsingle
    !$omp critical
    n = n + 1
    !$omp end critical
    !$omp workshare
    y = 3
    !$omp end workshare
    !$omp task firstprivate(k)
    k = k + 1
    n = n + k
    !$omp end task
    !$omp taskwait
    !$omp end parallel
  ]]
  expect.host("n", 12)
  expect.host("k", 7)
  expect.host("y", { 3, 3, 3, 3 })
end)

case("accepts: a target construct inside parallel maps its data [HOUSE-threads]", function()
  fortran(arrays)
  expect.moves(function()
    fortran "!$omp parallel\n!$omp target map(to: x)\nx(1) = 77\n!$omp end target\n!$omp end parallel"
  end, { h2d = { count = 1, bytes = 16 } })
  expect.host("x(1)", 2)
end)

case("rejects: a private variable is read before it is written, or is in no clause under default(none)"
  .. " [HOUSE-threads]", function()
  fortran(arrays)
  refused("uninitialized-read", "!$omp parallel private(k)\nn = k\n!$omp end parallel")
  refused("uninitialized-read",
    "!$omp target map(tofrom: n)\n!$omp parallel private(k)\nn = k\n!$omp end parallel\n!$omp end target")
  refused("default-none", "!$omp parallel default(none) shared(k)\nn = k\n!$omp end parallel")
  refused("default-none",
    "!$omp target\n!$omp parallel default(none) shared(k)\nn = k\n!$omp end parallel\n!$omp end target")
  refused("unsupported", "!$omp parallel private(x)\nx(1) = 1\n!$omp end parallel")
end)

-- ------------------------------------------------------------------------------------ declarations --

case("accepts: declare target maps a variable for the whole program [OMPEX-struct_map-14]", function()
  expect.moves(function()
    fortran [[
      integer :: g(3), i
      !$omp declare target(g)
      g = 4
      !$omp target update to(g)
      call add()
      !$omp target update from(g)
    contains
      subroutine add()
        !$omp declare target
        !$omp target
        g(2) = g(2) + 1
        !$omp end target
      end subroutine
    ]]
  end, { h2d = { count = 1, bytes = 12 }, d2h = { count = 1, bytes = 12 } })
  expect.host("g", { 4, 5, 4 })
end)

case("accepts: requires names features that the devices have [OMP60-tgt-1]", function()
  local ok, problem = pcall(fortran, "!$omp requires reverse_offload")
  expect(ok, problem)
end)

case("rejects: declare target has no names outside a procedure, or unknown names [OMPEX-struct_map-14]", function()
  refused("syntax", "!$omp declare target")
  refused("unknown-name", "!$omp declare target(nothere)")
end)

case("rejects: requires asks for unified memory [HOUSE-version OMP60-map-14]", function()
  refused("unsupported", "!$omp requires unified_shared_memory")
end)

case("accepts: lines of conditional compilation are statements [HOUSE-threads]", function()
  fortran "integer :: n\nn = 1\n!$ n = 2"
  expect.host("n", 2)
end)

-- -------------------------------------------------------------------------------------- wrong lines --

local wrong = { -- the rule is OMP60-tgt-1 if an entry names no rule
  { "syntax", "!$omp frobnicate(nothere)" },
  { "syntax", "!$omp targt data map(to: x)" },
  { "syntax", "!$omp" },
  { "syntax", "!$omp parallel\ni = 1" },
  { "syntax", "!$omp parallel do\ni = 1" },
  { "syntax", "!$omp do\n!$omp end do" },
  { "syntax OMP60-map-1", "!$omp target map(too: i)\ni = 1\n!$omp end target" },
  { "unknown-name HOUSE-names", "!$omp target map(to: zz)\ni = 1\n!$omp end target" },
  { "unknown-clause OMP60-map-1", "!$omp parallel copyy(x)\ni = 1\n!$omp end parallel" },
  { "clause-not-allowed", "!$omp single\ni = 1\n!$omp end single schedule(static)" },
  { "region-nesting", "!$omp end parallel" },
  { "region-nesting", "!$omp end target data" },
  { "region-nesting", "!$omp section" },
  { "region-nesting", "!$omp parallel\n!$omp single\ni = 1\n!$omp end parallel\n!$omp end single" },
  { "region-nesting", "!$omp target\n!$omp target update to(y)\n!$omp end target" },
  { "region-nesting", "!$omp target\n!$omp target\ni = 1\n!$omp end target\n!$omp end target" },
  { "unsupported HOUSE-version", "!$omp threadprivate(i)" },
  { "unsupported HOUSE-version", "!$omp metadirective when(user={condition(.true.)}: parallel)" },
  { "unsupported HOUSE-version", "!$cuf kernel do" },
}

for _, one in ipairs(wrong) do
  local code, rule = one[1]:match "^(%S+)%s*(%S*)$"
  case(("rejects: the text %s has the error %s"
    .. " [%s]"):format(one[2]:gsub("\n", "; "), code, rule == "" and "OMP60-tgt-1" or rule),
    function()
      fortran(arrays)
      refused(code, one[2])
    end)
end

-- ---------------------------------------------------------------------------------- named constants --

case("accepts: a named constant is firstprivate in target regions [OMP60-map-11]", function()
  fortran [[
    integer, parameter :: n = 4
    integer, parameter :: w(3) = [1, 2, 3]
    real :: a(4)
  ]]
  for _, clause in ipairs { "", "defaultmap(none)", "defaultmap(tofrom)", "defaultmap(present: aggregate)" } do
    expect.moves(function() omp("target map(from: a) " .. clause)([[
      a = n
      a(2) = w(2)
    ]]) end, { h2d = 0, d2h = { count = 1, bytes = 16 } })
    expect.host("a(1)", 4)
    expect.host("a(2)", 2)
  end
end)

case("rejects: defaultmap(none) needs clauses for variables, but not for named constants [OMP60-map-11]", function()
  fortran "integer, parameter :: w(3) = [1, 2, 3]\nreal :: a(4), b(3)\n"
  local err = expect.fails("default-none", function() omp "target map(from: a) defaultmap(none)" "a = w(2) + b(2)" end)
  expect.equal(err.help, "name 'b' in a map or private clause")
end)
