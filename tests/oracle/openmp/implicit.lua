-- What no clause names, and where a target construct runs.
scenario { title = "Implicit maps", rules = "openmp-5.1" }

declare [[
  int n = 3, m = 4;
  int v[4] = { 1, 2, 3, 4 };
  struct pair { int a, b; } P = { 1, 2 };
  int *p;
]]
host.p = { 7, 8 }

case("scalars are private copies", function()
  omp "target" "n = n + 1; v[0] = n;"
  expect.host("n", 3)
  expect.host("v[0]", 4)
end)

case("arrays and structures come and go", function()
  omp "target" "for (int i = 0; i < 4; i++) v[i] += P.a; P.b = 20;"
  expect.host("v", { 2, 3, 4, 5 })
  expect.host("P.b", 20)
  expect.absent "v"
end)

case("a scalar that is present is still private", function()
  omp "target data map(tofrom: n)" (function()
    omp "target" "n = 10;"
  end)
  expect.host("n", 3)
end)

case("a scalar that a clause names is not", function()
  omp "target map(n)" "n = 10;"
  expect.host("n", 10)
end)

case("defaultmap(tofrom: scalar)", function()
  omp "target defaultmap(tofrom: scalar)" "n = n + m;"
  expect.host("n", 7)
end)

case("defaultmap(firstprivate: aggregate)", function()
  omp "target defaultmap(firstprivate: aggregate) map(from: n)" "v[0] = 50; n = v[0] + P.b;"
  expect.host("n", 52)
  expect.host("v[0]", 1)
end)

case("defaultmap(to: aggregate)", function()
  omp "target defaultmap(to: aggregate) map(from: n)" "v[1] = 9; n = v[0] + v[1];"
  expect.host("n", 10)
  expect.host("v[1]", 2)
end)

case("firstprivate and private", function()
  omp "target firstprivate(v) private(m) map(from: n)" "m = 5; v[2] += m; n = v[2];"
  expect.host("n", 8)
  expect.host("v[2]", 3)
  expect.host("m", 4)
end)

case("if(0): on the host", function()
  omp "target enter data map(to: v)"
  omp "target if(0)" "v[0] = 11;"
  expect.host("v[0]", 11)
  omp "target exit data map(from: v)"
  expect.host("v[0]", 1)
end)

case("the host's number: on the host", function()
  omp "target enter data map(to: v)"
  omp "target device(1) map(v)" "v[0] = 12;"
  expect.host("v[0]", 12)
end)

case("a region that is not entered", function()
  omp "target data map(v) if(0)" (function()
    expect.absent "v"
    omp "target" "v[3] = 5;"
    expect.host("v[3]", 5)
  end)
end)

case("loops and teams", function()
  omp "target teams distribute parallel for map(tofrom: v)" [[
    for (int i = 0; i < 4; i++)
      v[i] = v[i] * n;
  ]]
  expect.host("v", { 3, 6, 9, 12 })
end)
