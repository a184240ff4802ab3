-- Pointers: private to a region, or attached.
scenario { title = "Pointers", rules = "openmp-5.1" }

declare [[
  int *p, *q, *none;
  int n = 4;
  struct holder { int *a; } H;
  int found;
]]
host.p = { 1, 2, 3, 4 }
host.q = { 5, 6, 7, 8 }
host.H = { a = host.p }

case("a pointer that no clause names finds its present target", function()
  omp "target enter data map(to: p[0:4])"
  omp "target" "p[0] = 10; p[3] = 40;"
  expect.host("p[0]", 1)
  omp "target exit data map(from: p[0:4])"
  expect.host("p[0:4]", { 10, 2, 3, 40 })
end)

case("a section of the whole through another name", function()
  omp "target data map(p[0:4])" (function()
    omp "target map(q[0:1])" "q[0] = p[1] + p[2];"
  end)
  expect.host("q[0]", 5)
end)

case("a pointer into the middle", function()
  host.q = host.p + 2
  omp "target data map(p[0:4])" (function()
    omp "target map(q[0:2])" "q[1] = 50;"
    expect.host("p[3]", 4)
  end)
  expect.host("p[3]", 50)
end)

case("firstprivate keeps what changes from the host", function()
  omp "target data map(p[0:4])" (function()
    omp "target map(p[0:4])" "p = p + 1; p[0] = 20;"
  end)
  expect.host("p[0:4]", { 1, 20, 3, 4 })
end)

case("a section without length", function()
  omp "target data map(p[0:4])" (function()
    omp "target map(p[:0])" "p[2] = 30;"
  end)
  expect.host("p[2]", 30)
end)

case("nothing is mapped for a section without length", function()
  omp "target enter data map(to: p[:0])"
  expect.absent "p[0:1]"
end)

case("a null pointer stays null", function()
  omp "target map(from: found)" "found = none == 0;"
  expect.host("found", 1)
end)

case("a section whose begin is not that of the array", function()
  omp "target map(p[2:2])" "p[2] = p[3] * 2;"
  expect.host("p[0:4]", { 1, 2, 8, 4 })
end)

case("a pointer variable that is mapped and attached", function()
  omp "target data map(p, p[0:4])" (function()
    expect.present "p"
    omp "target" "p[1] = 200;"
  end)
  expect.host("p[1]", 200)
end)

case("a pointer that is mapped as a value leads to the host", function()
  omp "target data map(q[0:4])" (function()
    expect.fails("host-pointer-on-device", function() omp "target map(tofrom: q)" "q[0] = 9;" end)
  end)
end)

case("attached when the structure comes after the section", function()
  omp "target enter data map(to: p[0:4])"
  omp "target enter data map(to: H, H.a[0:4])"
  omp "target" "H.a[0] = 70;"
  omp "target update from(p[0:1])"
  expect.host("p[0]", 70)
end)

case("use_device_ptr", function()
  omp "target data map(p[0:4]) use_device_ptr(p)" (function()
    omp "target is_device_ptr(p)" "p[3] = 44;"
  end)
  expect.host("p[3]", 44)
end)

case("use_device_addr of a variable", function()
  omp "target data map(n) use_device_addr(n)" (function()
    omp "target has_device_addr(n)" "n = n + 1;"
  end)
  expect.host("n", 5)
end)
