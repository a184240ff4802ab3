-- User-defined mappers.
scenario { title = "Mappers", rules = "openmp-5.1" }

declare [[
  typedef struct vector { int len; double *data; } vector;
  #pragma omp declare mapper(vector v) map(v, v.data[0:v.len])
  typedef struct pair { vector first, second; int k; } pair;
  #pragma omp declare mapper(pair p) map(p.k, p.first, p.second)
  #pragma omp declare mapper(half: vector v) map(v.len) map(to: v.data[0:v.len / 2])
  vector X, Y[3];
  pair P;
  int i;
]]
host.X = { len = 4, data = { 1, 2, 3, 4 } }
for i = 0, 2 do host.Y[i] = { len = i + 1, data = { i, i + 1, i + 2 } } end
host.P = { first = { len = 2, data = { 5, 6 } }, second = { len = 1, data = { 7 } }, k = 1 }

case("the default mapper on target", function()
  omp "target map(tofrom: X)" "for (int j = 0; j < X.len; j++) X.data[j] *= 10;"
  expect.host("X.data[0:4]", { 10, 20, 30, 40 })
  expect.absent "X.data[0:4]"
end)

case("to: nothing comes back", function()
  omp "target map(to: X)" "X.data[0] = 99; X.len = 0;"
  expect.host("X.data[0]", 1)
  expect.host("X.len", 4)
end)

case("enter and exit data", function()
  omp "target enter data map(to: X)"
  expect.present "X.data[0:4]"
  expect.present "X.len"
  omp "target" "X.data[2] = 33;"
  omp "target exit data map(from: X)"
  expect.host("X.data[2]", 33)
  expect.absent "X.data[0:4]"
end)

case("behind exit data the structure is gone", function()
  omp "target enter data map(to: X)"
  omp "target exit data map(release: X)"
  expect.absent "X.data[0:4]"
  expect.absent "X"
end)

case("a mapper by name", function()
  omp "target enter data map(mapper(half), to: X)"
  expect.present "X.data[0:2]"
  expect.absent "X.data[2:2]"
end)

case("mappers inside of mappers", function()
  omp "target map(tofrom: P)" "P.first.data[1] += P.k; P.second.data[0] += P.k;"
  expect.host("P.first.data[0:2]", { 5, 7 })
  expect.host("P.second.data[0]", 8)
end)

case("sections of an array of structures", function()
  omp "target map(tofrom: Y[1:2])" [[
    for (int j = 0; j < Y[2].len; j++)
      Y[2].data[j] += 100;
    Y[1].data[0] = -1;
  ]]
  expect.host("Y[2].data[0:3]", { 102, 103, 104 })
  expect.host("Y[1].data[0]", -1)
  expect.host("Y[0].data[0]", 0)
end)

case("update uses it", function()
  omp "target enter data map(to: X)"
  host.X.data[1] = 20
  omp "target update to(X)"
  omp "target" "X.data[0] = X.data[1] + 1;"
  omp "target update from(X)"
  expect.host("X.data[0:2]", { 21, 20 })
end)
