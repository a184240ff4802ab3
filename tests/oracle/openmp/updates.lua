-- Update: between host and device, whatever the counts.
scenario { title = "Updates", rules = "openmp-5.1" }

declare [[
  double v[6] = { 1, 2, 3, 4, 5, 6 };
  struct item { int n; double *data; } X;
]]
host.X = { n = 2, data = { 10, 20 } }

case("to and from, whole and in part", function()
  omp "target enter data map(to: v)"
  host.v = { 11, 12, 13, 14, 15, 16 }
  omp "target update to(v[1:2])"
  omp "target" "for (int i = 0; i < 6; i++) v[i] = -v[i];"
  omp "target update from(v[2:3])"
  expect.host("v", { 11, 12, -13, -4, -5, 16 })
  omp "target exit data map(from: v)"
  expect.host("v", { -1, -12, -13, -4, -5, -6 })
end)

case("absent data are passed over", function()
  omp "target update to(v)"
  omp "target update from(v[0:3])"
  expect.host("v[0]", 1)
  expect.absent "v"
end)

case("not so with present", function()
  expect.fails("not-present", function() omp "target update to(present: v)" end)
end)

case("an attached pointer is left as it is on both sides", function()
  omp "target enter data map(to: X, X.data[0:X.n])"
  host.X.n = 1
  omp "target update to(X)"
  omp "target" "X.data[X.n] += 5; X.n = 7;"
  omp "target update from(X)"
  expect.host("X.n", 7)
  expect.host("X.data[1]", 20)
  omp "target exit data map(from: X.data[0:2]) map(release: X)"
  expect.host("X.data[0:2]", { 10, 25 })
end)

case("through if", function()
  omp "target enter data map(to: v)"
  host.v[0] = 99
  omp "target update to(v) if(0)"
  omp "target exit data map(from: v) if(1)"
  expect.host("v[0]", 1)
end)
