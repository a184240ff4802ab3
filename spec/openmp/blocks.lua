-- Blocks of list items that share a structure or an array: what they span, and what happens when a part is unmapped.
scenario { title = "OpenMP: blocks of list items", rules = "openmp-5.1" }

declare [[
  struct rec { int a, b; int *p; int c[3]; int *q; };
  int x, A[8];
  struct rec S, T;
  struct rec *L;
]]
host.A = { 1, 2, 3, 4, 5, 6, 7, 8 }
host.L = addr "T"
host.T = { a = 1, b = 2, c = { 3, 4, 5 } }

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
