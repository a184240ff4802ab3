-- Cases that random tests found, each with the rule that decides the case.
scenario { title = "OpenMP: corners of the map rules", rules = "openmp-5.1", devices = 2 }

declare [[
  struct rec { int a, b; int *p; int c[3]; int *q; };
  struct vec { int len; int *data; };
  #pragma omp declare mapper(struct vec v) map(v, v.data[0:v.len])
  int x, A[8], B[6];
  int *u, *v;
  struct rec S, T;
  struct rec *L;
  struct vec W[2];
]]
host.A = { 1, 2, 3, 4, 5, 6, 7, 8 }
host.B = { 11, 12, 13, 14, 15, 16 }
host.L = addr "T"
host.T = { a = 1, b = 2, c = { 3, 4, 5 } }

-- --------------------------------------------------------------------------------------- structures --

case("rejects: a clause maps a member before or after the present members of a structure [OMP60-map-13]", function()
  omp "target enter data map(to: S.b)"
  local err = expect.fails("not-present", function() omp "target enter data map(to: S.a)" end)
  expect.equal(err.rule, "OMP60-map-13")
  expect.fails("not-present", function() omp "target data map(to: S.c[1:2])" end)
  host.L = addr "S"
  expect.fails("not-present", function() omp "target map(L->q)" "x = 1;" end)
end)

case("accepts: several clauses name overlapping members, and the block follows all of them"
  .. " [OMP60-map-13 OMP60-map-4]",
function()
  host.S = { c = { 7, 8, 9 } }
  omp "target data map(to: S.c[0:2]) map(from: S.c[1:2]) map(to: S.a)" (function()
    expect.equal(#state().present, 1)
    expect.count("S.a", { structured = 1 })
    expect.device("S.c[0:2]", { 7, 8 })
    omp "target" "S.c[0] = 70; S.c[1] = 80; S.c[2] = 90;"
  end)
  expect.host("S.c[0:3]", { 7, 80, 90 })
end)

case("accepts: a region ends after its block was deleted, while a member in its gap is present"
  .. " [OMP60-map-6]", function()
  expect.accepts("target data map(to: S.a) map(from: S.c)", function()
    omp "target exit data map(delete: S.a, S.c)"
    omp "target enter data map(to: S.b)"
  end)
  expect.count("S.b", { dynamic = 1 })
end)

case("rejects: a region ends while only a part of its block is present [OMP60-map-4 OMP60-map-13]", function()
  local region = omp "target data map(to: S.a) map(from: S.c)"
  omp "target exit data map(delete: S.a, S.c)"
  omp "target enter data map(to: S.a)"
  expect.fails("partially-present", function() region:close() end)
  omp "target exit data map(delete: S.a)"
  region:close()
end)

case("accepts: a region ends while only a part of its array is present [OMP60-map-6]", function()
  expect.accepts("target data map(tofrom: A[0:8])", function()
    expect.accepts "target exit data map(delete: A[0:8])"
    omp "target enter data map(alloc: A[0:2])"
  end)
  expect.count("A[0:2]", { dynamic = 1 })
end)

case("rejects: exit data names an array of which only a part is present [OMP60-map-13]", function()
  omp "target enter data map(alloc: A[0:2])"
  expect.fails("partially-present", function() omp "target exit data map(delete: A[0:8])" end)
end)

case("rejects: a clause names a structure of which only the ends are present [OMP60-map-13]", function()
  omp "target enter data map(to: S.a, S.q)"
  expect.fails("partially-present", function() omp "target enter data map(to: S)" end)
  expect.fails("partially-present", function() omp "target exit data map(from: S)" end)
end)

case("accepts: members by name and by a pointer form one block, and the pointer is attached"
  .. " [OMP60-map-4 OMP60-map-7]",
function()
  omp "target enter data map(to: L) map(to: T.p) map(alloc: L->b)"
  expect.attached "L"
  expect.equal(#state().present, 2)
end)

case("accepts: an implicit structure that a pointer also names maps no further members [OMPEX-struct_map-12]",
function()
  expect.accepts("target map(tofrom: L->p[:0]) map(alloc: T.c[1:2])", "T.c[2] = 9;")
  expect.host("T.c[2]", 5)
end)

-- ----------------------------------------------------------------------------------------- pointers --

case("accepts: the base pointer of a member points to the member in a target construct"
  .. " [OMP60-map-7 OMP60-map-11]", function()
  omp "target map(L->b)" "L->b = 105;"
  expect.host("T.b", 105)
  expect.accepts("target map(to: L->c)", "L->c[1] = 7;")
  expect.host("T.c[1]", 4)
end)

case("differs: the base pointer of a member does not reach other members [OMP60-map-11]", function()
  expect.fails("not-present", function() omp "target map(L->b)" "L->a = 1;" end)
end)

case("accepts: a base pointer is firstprivate although it is present and not attached [OMP60-map-11]", function()
  host.v = addr "A[0]"
  expect.moves(function() omp "target enter data map(to: A)" end, { h2d = { count = 1, bytes = 32 }, d2h = 0 })
  omp "target enter data map(alloc: v)"
  expect.present "v"
  expect.detached "v"
  omp "target map(from: v[1:1])" "v[1] = 49; v = v + 1;"
  omp "target update from(A)"
  expect.host("A[1]", 49)
end)

case("accepts: a pointer without a clause finds a section by its base address [OMP60-map-10]", function()
  host.u = addr "A[0]"
  expect.moves(function()
    expect.accepts("target data map(u[2:3])", function() omp "target" "u[2] = 30;" end)
  end, { h2d = { count = 1, bytes = 12 }, d2h = { count = 1, bytes = 12 } })
  expect.host("A[2]", 30)
end)

case("rejects: a kernel uses elements before the start of a section [OMP60-map-10]", function()
  host.u = addr "A[1]"
  omp "target data map(u[2:3])" (function()
    expect.fails("out-of-bounds", function() omp "target" "u[1] = 3;" end)
    host.u = addr "A[0]"
    expect.fails("null-pointer", function() omp "target" "u[3] = 3;" end)
  end)
end)

case("accepts: a pointer without a clause finds a section that ends at its address [OMP60-map-10]", function()
  host.u = addr "A[4]"
  expect.moves(function()
    omp "target data map(A[0:4])" (function() omp "target" "u[-1] = 44;" end)
  end, { h2d = { count = 1, bytes = 16 }, d2h = { count = 1, bytes = 16 } })
  expect.host("A[3]", 44)
end)

case("accepts: private pointers to an address before their section do not reach its neighbours"
  .. " [OMP60-map-11]", function()
  host.u = addr "B[0]"
  expect.accepts("target data map(A, B[1:2])", function()
    omp "target map(from: u[1:2])" "u[1] = A[4] + 121;"
    expect.fails("out-of-bounds", function() omp "target map(from: u[1:2])" "u[0] = 1;" end)
  end)
  expect.host("B[1]", 126)
end)

case("accepts: a section of no elements counts the present data at its address [OMP60-map-10 OMP60-map-5]", function()
  host.u = addr "A[2]"
  omp "target enter data map(to: A)"
  host.A[2] = 30
  omp "target enter data map(always, to: u[:0])"
  expect.count("A", { dynamic = 2 })
  expect.device("A[2]", 3) -- nothing is copied
  omp "target data map(u[:0])" (function() expect.count("A", { structured = 1, dynamic = 2 }) end)
  omp "target exit data map(release: A)"
  expect.count("A", { dynamic = 1 })
  expect.accepts("target", "A[2] = 7;")
  omp "target exit data map(from: u[:0])"
  expect.absent "A"
  expect.host("A[2]", 30)
  omp "target enter data map(to: A)"
  omp "target enter data map(to: A)"
  expect.count("A", { dynamic = 2 })
  omp "target exit data map(delete: u[0:0])"
  expect.absent "A"
end)

case("differs: a section of no elements at the end of present data does not count them"
  .. " [OMP60-map-10 OMP60-map-6]", function()
  omp "target enter data map(to: A[0:4])"
  host.u = addr "A[4]"
  omp "target enter data map(to: u[:0])"
  omp "target exit data map(delete: u[:0])"
  expect.count("A[0:4]", { dynamic = 1 })
end)

case("accepts: a section of no elements satisfies present if its address is present"
  .. " [OMP60-map-9 OMP60-map-10]", function()
  expect.moves(function() omp "target enter data map(to: A[0:4])" end, { h2d = { count = 1, bytes = 16 }, d2h = 0 })
  expect.accepts("target map(present, alloc: A[2:0])", "x = 1;")
  omp "target exit data map(present, release: A[2:0])"
  expect.absent "A"
end)

case("rejects: a section of no elements has present, but its address is absent [OMP60-map-9 OMP60-map-10]", function()
  expect.fails("not-present", function() omp "target map(present, alloc: A[0:0])" "x = 1;" end)
  expect.fails("not-present", function() omp "target exit data map(present, release: A[0:0])" end)
  host.u = NULL
  local err = expect.fails("not-present", function() omp "target enter data map(present, alloc: u[:0])" end)
  expect.equal(err.rule, "OMP60-map-9")
end)

case("rejects: a kernel uses an attached pointer whose target was unmapped [OMP60-map-7]", function()
  host.S.p = addr "A[0]"
  omp "target enter data map(to: S.p, S.p[0:4])"
  omp "target exit data map(release: A[0:4])"
  local err = expect.fails("out-of-bounds", function() omp "target" "S.p[0] = 1;" end)
  expect.equal(err.rule, "OMP60-map-7")
  omp "target enter data map(to: S.p[0:8])"
  expect.accepts("target", "x = S.p[7];")
end)

-- ------------------------------------------------------------------------------------------- bodies --

case("differs: a body that fails undoes the attachments and copies of its construct"
  .. " [OMP60-map-7 OMP60-map-5]", function()
  host.u = addr "A[0]"
  omp "target enter data map(to: u, x)"
  host.x = 7
  expect.fails("out-of-bounds", function()
    omp "target map(tofrom: u[0:8]) map(always, to: x)" (function(d) d.u[9] = d.x end)
  end)
  expect.detached "u"
  expect.device("x", 0)
end)

case("accepts: a body can use all present parts of an array [OMP60-map-12]", function()
  omp "target enter data map(to: A[0:2]) map(to: A[5:2])"
  omp "target" "A[6] = A[1] + A[5];"
  expect.device("A[6]", 8)
end)

case("differs: a body can use only the section that its construct names [OMP60-map-12]", function()
  omp "target data map(A[0:4])" (function()
    expect.fails("not-present", function() omp "target map(A[5:2])" "A[2] = 0;" end)
    omp "target map(A[1:2])" "A[3] = 70;" -- the present section contains A[1:2]
  end)
  expect.host("A[3]", 70)
end)

case("differs: elements of an array that no clause names are absent [OMP60-map-12]", function()
  omp "target enter data map(to: A[0:2]) map(to: A[5:2])"
  expect.fails("not-present", function() omp "target" "A[3] = 1;" end)
end)

case("accepts: an implicit map depends on the data that are present on the construct's device"
  .. " [OMP60-map-12]", function()
  expect.moves(function() omp "target enter data map(to: S.a)" end, { h2d = { count = 1, bytes = 4 }, d2h = 0 })
  omp "target device(1)" "S.b = 3;"
  expect.host("S.b", 3)
end)

case("differs: an implicit map adds no member if another member is present on its device [OMP60-map-12]", function()
  omp "target enter data map(to: S.b) device(1)"
  expect.fails("not-present", function() omp "target device(1)" "S.a = 1;" end)
end)

-- ------------------------------------------------------------------------------------------- update --

case("accepts: update copies in the order of its clauses, also sections of a mapper [OMP60-upd-1]", function()
  host.W[0] = { len = 2 }
  host.W[0].data = addr "A[0]"
  omp "target enter data map(alloc: W[0]) map(alloc: A)"
  omp "target" "for (int i = 2; i < 8; i++) A[i] = 0;"
  expect.moves(function()
    omp "target update to(W[0:1]) from(A[0:8])"
  end, { h2d = { count = 2, bytes = 16 }, d2h = { count = 1, bytes = 32 } })
  expect.host("A[0:3]", { 1, 2, 0 })
end)

case("rejects: a clause names several objects of which only one is present [OMP60-map-13]", function()
  for i = 0, 1 do
    host.W[i] = { len = 1 }
    host.W[i].data = i == 0 and addr "A[0]" or addr "B[0]"
  end
  omp "target enter data map(to: W[1])"
  expect.fails("partially-present", function() omp "target update from(W[0:2])" end)
  expect.fails("partially-present", function() omp "target exit data map(release: W)" end)
end)

-- ------------------------------------------------------------------------------------------- groups --

-- Many sections of a mapper have one entry in the present table. Each is still reported by its own name.
declare [[
  struct vec M[100];
  int data[200];
]]
local function fill()
  for i = 0, 99 do
    host.M[i] = { len = 2 }
    host.M[i].data = addr "data[0]" + 2 * i
    host.data[2 * i] = i
  end
end

case("accepts: a construct counts a hundred objects and their sections once each [OMP60-map-5]", function()
  fill()
  omp "target enter data map(to: M)"
  omp "target enter data map(to: M)"
  omp "target exit data map(release: M)"
  expect.count("M[7].data[0:2]", { dynamic = 1 })
  expect.attached "M[7].data"
  expect.device("M[99].data[0]", 99)
  omp "target exit data map(from: M)"
  expect.equal(#state().present, 0)
end)

case("accepts: sections are unmapped, and the pointers to them keep their values"
  .. " [OMP60-map-6 OMP60-map-7]", function()
  fill()
  omp "target enter data map(to: M)"
  omp "target enter data map(alloc: M[0].len)"
  omp "target exit data map(release: M)"
  expect.count("M[0].len", { dynamic = 1 })
  expect.absent "M[5].data[0:2]"
  expect.fails("out-of-bounds", function() omp "target map(M[0].len)" (function(d) d.M[5].data[0] = 1 end) end)
end)

case("rejects: a clause names a section that exceeds one of the mapped sections [OMP60-map-13]", function()
  fill()
  omp "target enter data map(to: M)"
  expect.fails("partially-present", function() omp "target enter data map(to: data[1:2])" end)
  omp "target exit data map(delete: M)"
  omp "target enter data map(to: data[1:2])"
  expect.present "data[1:2]"
end)
