-- Errors that end a program.
scenario { title = "Errors", rules = "openmp-5.1" }

declare "int v[16]; int *p;"
for i = 0, 15 do host.v[i] = i end
host.p = addr "v[0]"

case("a range that goes beyond what is present", function()
  omp "target enter data map(to: v[0:8])"
  expect.fails("partially-present", function() omp "target enter data map(to: v[4:8])" end)
end)

case("a range that contains what is present", function()
  omp "target enter data map(to: v[4:4])"
  expect.fails("partially-present", function() omp "target map(v)" "v[0] = 1;" end)
end)

case("a range that begins before what is present, through a pointer", function()
  omp "target enter data map(to: v[4:4])"
  expect.fails("partially-present", function() omp "target data map(p[0:5])" end)
end)

case("disjoint ranges of one array", function()
  omp "target enter data map(to: v[0:4])"
  omp "target enter data map(to: p[8:4])"
  expect.present "v[0:4]"
  expect.present "v[8:4]"
  expect.absent "v[4:4]"
end)

case("present, of what is absent", function()
  expect.fails("not-present", function() omp "target map(present, to: v)" "v[0] = 1;" end)
end)

case("present, of a part", function()
  omp "target enter data map(to: v[0:8])"
  expect.fails("partially-present", function() omp "target data map(present, to: v[4:8])" end)
end)

case("present, of what is there", function()
  omp "target enter data map(to: v)"
  omp "target map(present, tofrom: v[2:2])" "v[2] = 22;"
  omp "target exit data map(from: v)"
  expect.host("v[2]", 22)
end)
