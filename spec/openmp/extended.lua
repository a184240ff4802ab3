-- Pointers to an address before their section. A pointer that no clause names matches a list item if its extended range
-- contains the pointer's value; the range starts at the base address. Device addresses before their block.
scenario { title = "OpenMP: extended ranges, and device addresses before their block", rules = "openmp-5.1" }

declare [[
  int *p, *q, o, v[10];
  struct S { int k; int *q; int c[4]; } s, *sp;
  struct vec { int from; int *data; } w[20];
  #pragma omp declare mapper(struct vec v) map(v, v.data[v.from:3])
]]
host.p = { 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 }
host.v = { 20, 21, 22, 23, 24, 25, 26, 27, 28, 29 }
host.s = { k = 1, q = { 30, 31, 32, 33 }, c = { 40, 41, 42, 43 } }
host.sp = addr "s"

-- ----------------------------------------------------------------------------------- extended ranges --

case("accepts: a pointer to the base of a section finds the section [OMP60-map-10]", function()
  omp "target enter data map(to: p[5:5])"
  omp "target map(from: o)" "o = p[6];"
  expect.host("o", 16)
  host.q = host.p + 3 -- after the base, before the section
  omp "target map(from: o)" "o = q[2];"
  expect.host("o", 15)
end)

case("differs: elements before a section are absent [OMP60-map-10]", function()
  omp "target enter data map(to: p[5:5])"
  expect.fails("out-of-bounds", function() omp "target map(from: o)" "o = p[4];" end)
  expect.fails("out-of-bounds", function() omp "target" "p[0] = 1;" end)
end)

case("rejects: a pointer points before the base address of the section [OMP60-map-10]", function()
  host.q = addr "v[3]"
  omp "target enter data map(to: q[2:3])"
  expect.present "v[5:3]"
  host.p = addr "v[2]"
  local err = expect.fails("null-pointer", function() omp "target" "p[4] = 1;" end)
  expect.equal(err.rule, "OMP60-map-10")
end)

case("accepts: the base of a section is its array, and the base of a member's section is the structure"
  .. " [OMP60-map-10]",
function()
  omp "target enter data map(to: v[4:2])"
  host.q = addr "v[0]"
  omp "target map(from: o)" "o = q[5];"
  expect.host("o", 25)
  omp "target enter data map(to: s.c[1:2])"
  omp "target map(from: o)" "o = sp->c[2];"
  expect.host("o", 42)
end)

case("accepts: an item whose bytes contain the address has precedence, then the nearest item"
  .. " [OMP60-map-10]", function()
  omp "target enter data map(to: v[0:1]) map(to: v[6:2])"
  host.q = addr "v[0]"
  expect.fails("out-of-bounds", function() omp "target" "q[6] = 1;" end) -- q points into v[0:1]
  host.q = addr "v[1]"
  omp "target map(from: o)" "o = q[5];"
  expect.host("o", 26)
end)

case("accepts: a later list item on present data has a base address of its own [OMP60-map-10]", function()
  host.q = addr "v[4]"
  omp "target enter data map(to: q[0:4])"
  expect.present "v[4:4]"
  host.p = addr "v[2]"
  omp "target data map(p[2:2])" (function()
    omp "target" "p[3] = 70;"
    expect.device("v[5]", 70)
  end)
  expect.fails("null-pointer", function() omp "target" "p[3] = 71;" end) -- that list item is unmapped
  omp "target enter data map(alloc: p[2:2])"
  omp "target" "p[3] = 72;"
  expect.device("v[5]", 72)
end)

case("accepts: sections of no elements find sections by their base, too [OMP60-map-10 OMP60-map-7]", function()
  expect.moves(function()
    omp "target data map(p[5:5])" (function() omp "target map(p[:0])" "p[7] = 1;" end)
  end, { h2d = { count = 1, bytes = 20 }, d2h = { count = 1, bytes = 20 } })
  expect.host("p[7]", 1)
  omp "target data map(s.q[1:3])" (function() omp "target map(s.q[:0])" "s.q[2] = 2;" end)
  expect.host("s.q[2]", 2)
end)

case("accepts: pointers find many sections of a mapper by their bases [OMP60-map-10]", function()
  for i = 0, 19 do host.w[i] = { from = 2, data = { i, i, i, i, i } } end
  omp "target enter data map(to: w)"
  host.q = host.w[19].data
  omp "target" "q[4] = 77;"
  expect.device("w[19].data[4]", 77)
  expect.fails("out-of-bounds", function() omp "target" "q[1] = 7;" end)
end)

case("accepts: use_device_ptr translates a pointer to the base of a section [OMP60-tgt-1 OMP60-map-10]", function()
  omp "target data map(p[1:3]) use_device_ptr(p)" (function() omp "target is_device_ptr(p)" "p[2] = 7;" end)
  expect.host("p[2]", 7)
  omp "target enter data map(to: v[4:2])"
  host.q = addr "v[1]"
  omp "target data use_device_ptr(q)" (function() omp "target is_device_ptr(q)" "q[3] = 8;" end)
  expect.device("v[4]", 8)
end)

case("differs: OpenMP 4.0 looks up only the value of the pointer [OMP60-map-10]", function()
  rules { base = "openmp-4.0", implicit = "firstprivate" }
  omp "target enter data map(to: p[5:5])"
  expect.present "p[5:5]"
  expect.fails("host-pointer-on-device", function() omp "target map(from: o)" "o = p[6];" end)
end)

-- ------------------------------------------------------------------ addresses before their block --

case("accepts: the base of a section has a device address before its block [OMP60-tgt-1]", function()
  host.q = addr "v[0]"
  expect.moves(function()
    omp "target data map(tofrom: q[5:5]) use_device_addr(q[5:5])" (function()
      omp "target has_device_addr(q[5:5])" "q[5] = 222;"
    end)
  end, { h2d = { count = 1, bytes = 20 }, d2h = { count = 1, bytes = 20 } })
  expect.host("v[5]", 222)
end)

case("accepts: a pointer made from a device address may point before its memory, also when stored [OMP60-map-11]",
function()
  omp "target enter data map(to: v[5:5])"
  host.q = omp_get_mapped_ptr(addr "v[5]", 0) - 5
  omp "target is_device_ptr(q)" "q[5] = 7;"
  expect.device("v[5]", 7)
  omp "target enter data map(to: s)"
  expect.present "s"
  omp "target is_device_ptr(q)" "s.q = q - 100; s.q[106] = 9;"
  omp "target" "s.q = s.q + 100; s.q[7] = 10;"
  expect.device("v[5:3]", { 7, 9, 10 })
end)

case("differs: a pointer before its memory cannot be dereferenced there [OMP60-map-11]", function()
  omp "target enter data map(to: v[5:5])"
  host.q = omp_get_mapped_ptr(addr "v[5]", 0) - 5
  expect.fails("out-of-bounds", function() omp "target is_device_ptr(q)" "q[4] = 7;" end)
  host.q = addr "v[0]"
  expect.fails("host-pointer-on-device", function() omp "target is_device_ptr(q)" "q[5] = 7;" end)
end)

case("accepts: deviceptr of OpenACC accepts a pointer before its memory [ACC33-2.7-9]", function()
  rules "openacc-3.3"
  acc "enter data copyin(v[5:5])"
  host.q = acc_deviceptr(addr "v[5]") - 5
  acc "parallel deviceptr(q)" "q[5] = 7;"
  expect.device("v[5]", 7)
end)
