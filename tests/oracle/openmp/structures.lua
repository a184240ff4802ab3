-- Structures: members of one construct are one block.
scenario { title = "Structures", rules = "openmp-5.1" }

declare [[
  struct part { int k; float *q; };
  struct whole { int n; float x; struct part inner; float *p, *r; int last; } S;
  struct whole T[3];
]]
host.S = { n = 4, x = 1.5, inner = { k = 2, q = { 7, 8 } }, p = { 1, 2, 3, 4 }, r = { 5, 6 }, last = 9 }
for i = 0, 2 do host.T[i] = { n = 2, p = { 10 * i, 10 * i + 1 } } end

case("all of it, then its sections", function()
  omp "target data map(S) map(S.p[0:S.n], S.r[0:2])" (function()
    omp "target" "for (int i = 0; i < S.n; i++) S.p[i] += S.r[i % 2];"
    expect.host("S.p[3]", 4)
  end)
  expect.host("S.p[0:4]", { 6, 8, 8, 10 })
  expect.host("S.r[0:2]", { 5, 6 })
end)

case("sections first, then all of it, on one construct", function()
  omp "target map(S.p[0:4]) map(S)" "S.p[1] = 22; S.n = 5;"
  expect.host("S.p[1]", 22)
  expect.host("S.n", 5)
end)

case("a structure, and later a section through it", function()
  omp "target enter data map(to: S)"
  omp "target enter data map(to: S.p[0:4])"
  omp "target" "S.p[0] = 100;"
  omp "target exit data map(from: S.p[0:4])"
  expect.host("S.p[0]", 100)
  omp "target exit data map(release: S)"
  expect.absent "S"
end)

case("to and from members of one block", function()
  omp "target map(to: S.n) map(from: S.last) map(tofrom: S.x)" "S.last = S.n * 10; S.x = S.x * 2; S.n = 0;"
  expect.host("S.last", 40)
  expect.host("S.x", 3)
  expect.host("S.n", 4)
end)

case("a member of a structure that is present", function()
  omp "target enter data map(to: S)"
  omp "target map(S.n)" "S.n = S.n + 1;"
  expect.host("S.n", 4)
  omp "target exit data map(from: S)"
  expect.host("S.n", 5)
end)

case("a structure in a structure, with a section of its own", function()
  omp "target map(S.inner) map(S.inner.q[0:2])" "S.inner.q[1] = S.inner.q[0] + S.inner.k;"
  expect.host("S.inner.q[0:2]", { 7, 9 })
end)

case("elements of an array of structures", function()
  omp "target data map(T)" (function()
    omp "target enter data map(to: T[1].p[0:2])"
    omp "target" "T[1].p[1] = T[1].p[0] + T[1].n;"
    omp "target exit data map(from: T[1].p[0:2])"
  end)
  expect.host("T[1].p[0:2]", { 10, 12 })
end)

case("a member that makes what is present grow is an error", function()
  omp "target enter data map(to: S.x)"
  expect.fails("partially-present", function() omp "target enter data map(to: S)" end)
end)

case("another member while one is present", function()
  omp "target enter data map(to: S.n)"
  expect.present "S.n"
  expect.fails("not-present", function() omp "target enter data map(to: S.last)" end)
end)
