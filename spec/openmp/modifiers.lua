-- What OpenMP 6.0 and 6.1 add to maps in C: attach, self, ref_ptr, ref_ptee, ref_ptr_ptee; and what use_device counts.
scenario { title = "OpenMP: attach, self, references and use_device in maps", rules = "openmp-6.1" }

declare [[
  int a[8], b[4], n, *p;
  struct vec { int n; int *d; } s, *q;
  #pragma omp declare mapper(always: struct vec x) map(to: x.n, x.d) map(attach(always), to: x.d[0:x.n])
  #pragma omp declare mapper(never: struct vec x) map(to: x.n, x.d) map(attach(never), to: x.d[0:x.n])
  #pragma omp declare mapper(plain: struct vec x) map(to: x.n, x.d, x.d[0:x.n])
]]
host.p = addr "a[0]"
host.s = { n = 2, d = { 1, 2 } }
host.q = addr "s"

-- ----------------------------------------------------------------------------------------- attach --

case("accepts: attach(always) attaches a present pointer to present data [OMP61-1]", function()
  omp "target enter data map(to: a)"
  omp "target enter data map(to: p)"
  omp "target enter data map(to: p[0:2])"
  expect.detached "p"
  expect.count("a", { dynamic = 2 })
  omp "target enter data map(attach(auto), to: p[0:2])"
  expect.detached "p"
  expect.count("a", { dynamic = 3 })
  expect.moves(function() omp "target enter data map(attach(always), to: p[0:2])" end, { h2d = 0, d2h = 0 })
  expect.attached "p"
  omp "target map(tofrom: a)" "p[1] = 7;"
  omp "target exit data map(delete, from: a)"
  expect.host("a[1]", 7)
end)

local function target_of_p() return state().attached[1].target end

case("accepts: attach(always) moves an attached pointer to where it points now [OMP61-1]", function()
  omp "target enter data map(to: a, b) map(to: p) map(to: p[0:8])"
  expect.equal(target_of_p(), "a")
  host.p = addr "b[0]"
  omp "target enter data map(attach(auto), to: p[0:4])"
  expect.equal(target_of_p(), "a")
  expect.count("b", { dynamic = 2 })
  omp "target enter data map(attach(always), to: p[0:4])"
  expect.equal(target_of_p(), "b")
end)

case("accepts: attach(never) leaves a pointer as it is, though all is new [OMP61-1]", function()
  omp "target enter data map(to: p) map(attach(never), to: p[0:2])"
  expect.present "a[0:2]"
  expect.detached "p"
  omp "target enter data map(to: s)"
  omp "target data map(attach(never), to: s.d[0:s.n])" (function()
    expect.present "s.d[0:2]"
    expect.detached "s.d"
  end)
  omp "target data map(attach(auto), to: s.d[0:s.n])" (function() expect.attached "s.d" end)
end)

case("differs: the pointer of attach(never) holds a host address in kernels [OMP61-1]", function()
  omp "target enter data map(to: s)"
  omp "target enter data map(attach(never), to: s.d[0:s.n])"
  expect.present "s.d[0:2]"
  expect.fails("host-pointer-on-device", function() omp "target" "s.d[0] = 5;" end)
  omp "target enter data map(attach(always), to: s.d[0:s.n])"
  omp "target" "s.d[0] = 5;"
  expect.device("s.d[0]", 5)
end)

case("accepts: attach is also about pointers to structures of which members are mapped [OMP61-1]", function()
  omp "target enter data map(to: s)"
  omp "target enter data map(to: q)"
  omp "target data map(attach(never), to: q->n, q->d)" (function()
    expect.detached "q"
    expect.count("s", { structured = 1, dynamic = 1 })
  end)
  omp "target data map(attach(always), to: q->n, q->d)" (function() expect.attached "q" end)
end)

case("accepts: maps of a mapper have attach, about the pointers of members [OMP61-1 OMP60-map-15]", function()
  omp "target enter data map(mapper(never), to: s)"
  expect.present "s.d[0:2]"
  expect.detached "s.d"
  omp "target enter data map(mapper(plain), to: s)"
  expect.detached "s.d"
  expect.count("s.d[0:2]", { dynamic = 2 })
  omp "target enter data map(mapper(always), to: s)"
  expect.attached "s.d"
end)

case("differs: attach(always) of a list item does not attach what its mapper maps [OMP61-1 OMP60-map-15]", function()
  omp "target enter data map(mapper(never), to: s)"
  omp "target enter data map(to: q)"
  omp "target enter data map(mapper(plain), attach(always), to: q[0:1])"
  expect.attached "q"
  expect.detached "s.d"
end)

case("rejects: attach occurs twice, or has no argument or a wrong one [OMP61-1 OMP60-map-3]", function()
  expect.fails("duplicate-clause", "target data map(attach(always), @attach(never), to: p[0:2])", "OMP60-map-3")
  expect.fails("syntax", "target data map(attach(@sometimes), to: p[0:2])", "OMP61-1")
  expect.fails("syntax", "target data map(attach(@allways), to: p[0:2])", { rule = "OMP61-1", help = "always" })
  expect.fails("syntax", "target data map(@attach, to: p[0:2])", { rule = "OMP61-1", help = "attach(always)" })
  expect.malformed "target data map(attach(), to: p[0:2])"
  expect.malformed "target update to(attach(never): p[0:2])"
end)

case("rejects: attach stands where nothing is mapped at entry [OMP61-1]", function()
  expect.fails("clause-not-allowed", "target exit data map(@attach(always), from: p[0:2])", "OMP61-1")
  expect.fails("clause-not-allowed", "target exit data map(@attach(never), delete: p[0:2])", "OMP61-1")
  expect.fails("clause-not-allowed", "target data map(@attach(always), from: p[0:2])", "OMP61-1")
  expect.accepts "target enter data map(attach(always): p[0:2])"
end)

case("rejects: the list item of attach has no base pointer [OMP61-1]", function()
  for _, item in ipairs { "@p", "@a", "a@[0:2]", "@s", "s@.n", "s@.d", "p[0:2], @n" } do
    expect.fails("not-a-pointer", ("target data map(attach(never), to: %s)"):format(item), "OMP61-1")
  end
  expect.fails("not-a-pointer", "declare mapper(m: struct vec x) map(attach(never), to: x@.n)", "OMP61-1")
end)

-- ------------------------------------------------------------------------------------------- self --

case("accepts: self is carried out where the host is the device [OMP60-map-14]", function()
  omp "target map(self: a) device(omp_initial_device)" "a[1] = 5;"
  -- unnoticed: without a device nothing is mapped
  omp "target data map(self, to: a) if(0)" (function() expect.absent "a" end)
  omp "target map(self: a) if(0)" "a[2] = 6;"
  omp "target defaultmap(self) device(omp_initial_device)" "a[3] = 7;"
  expect.host("a[1:3]", { 5, 6, 7 })
end)

case("rejects: self asks for the host's storage on another device [OMP60-map-14]", function()
  expect.fails("unsupported", "target enter data map(@self: a)", "OMP60-map-14")
  expect.fails("unsupported", function() omp "target map(self: a) if(1)" "a[1] = 5;" end)
  expect.fails("unsupported", function() omp "target defaultmap(self: aggregate)" "a[1] = 5;" end)
  expect.host("a[1]", 0)
end)

case("rejects: only one of two maps of a variable has self [OMP60-map-14]", function()
  expect.fails("conflicting-clauses", "target data map(self: a[0:2]) map(a@[4:2]) if(0)", "OMP60-map-14")
  expect.fails("conflicting-clauses", "target data map(to: s.n) map(self: s@.d) if(0)", "OMP60-map-14")
end)

case("accepts: defaultmap(storage) copies nothing [OMP60-map-11]", function()
  expect.moves(function() omp "target defaultmap(storage: aggregate) map(from: n)" "a[1] = 5; n = a[1];" end,
    { h2d = 0, d2h = { count = 1, bytes = 4 } })
  expect.host("a[1]", 0)
  expect.host("n", 5)
end)

case("accepts: defaultmap(private) makes variables of the body's own [OMP60-map-11]", function()
  omp "target defaultmap(private: scalar) map(from: b[0:1])" "n = 4; b[0] = n;"
  omp "target defaultmap(private: all) map(from: b[1:2])" "n = 5; a[1] = 6; b[1] = n; b[2] = a[1];"
  expect.host("n", 0)
  expect.host("a[1]", 0)
  expect.host("b[0:3]", { 4, 5, 6 })
end)

case("rejects: defaultmap has words of 6.0 in 5.2, or all in 5.1 [OMP60-ver-1 OMP60-map-11]", function()
  rules "openmp-5.2"
  expect.fails("clause-not-allowed", function() omp "target defaultmap(storage: aggregate)" "a[1] = 5;" end)
  expect.fails("clause-not-allowed", function() omp "target defaultmap(self)" "a[1] = 5;" end)
  expect.fails("clause-not-allowed", function() omp "target defaultmap(private: scalar)" "n = 5;" end)
  expect.moves(function() omp "target defaultmap(to: all)" "a[1] = 5;" end,
    { h2d = { count = 1, bytes = 32 }, d2h = 0 })
  rules "openmp-5.1"
  expect.fails("clause-not-allowed", function() omp "target defaultmap(to: all)" "a[1] = 5;" end)
  expect.moves(function() omp "target defaultmap(to)" "a[1] = 5;" end, { h2d = { count = 1, bytes = 32 }, d2h = 0 })
end)

-- ------------------------------------------------------------------------------------- references --

case("rejects: a list item of C is no reference [OMP60-map-17]", function()
  for _, modifier in ipairs { "ref_ptr", "ref_ptee", "ref_ptr_ptee" } do
    for _, item in ipairs { "p", "p[0:2]", "a", "s.d", "n" } do
      expect.fails("clause-not-allowed", ("target data map(@%s, to: %s)"):format(modifier, item), "OMP60-map-17")
    end
  end
end)

case("rejects: ref_ptr occurs twice, or in update [OMP60-map-3 OMP60-map-17]", function()
  expect.fails("duplicate-clause", "target data map(ref_ptr, @ref_ptr, to: p)", "OMP60-map-3")
  expect.fails("duplicate-clause", "target data map(ref_ptr, @ref_ptee, to: p)", "OMP60-map-3")
  expect.malformed "target update to(ref_ptr: p)"
end)

-- ------------------------------------------------------------------------------------- use_device --

-- What is left of a in a region whose clause names it, after its other references are gone.
local function counted_by(clause)
  local count, at = nil, addr "a"
  omp "target enter data map(to: a)"
  expect.present "a"
  omp("target data " .. clause)(function()
    expect.equal(clause:find "use_device_ptr" and host.p or addr "a", omp_get_mapped_ptr(at, 0))
    omp "target exit data map(release: a)"
    count = state().present[1] and state().present[1].structured or 0
  end)
  expect.absent "a"
  return count
end

case("accepts: use_device_ptr and use_device_addr count present data [OMP60-map-18]", function()
  expect.equal(counted_by "use_device_ptr(p)", 1)
  expect.equal(counted_by "use_device_addr(a)", 1)
  expect.equal(counted_by "use_device_addr(a[0:2])", 1)
  expect.equal(counted_by "map(a) use_device_addr(a)", 1) -- a construct counts once
  -- unnoticed: absent data are not counted
  omp "target data use_device_ptr(p)" (function() expect.absent "a" end)
end)

case("differs: before 6.0 use_device_ptr and use_device_addr count nothing [OMP60-map-18]", function()
  rules "openmp-5.2"
  expect.equal(counted_by "use_device_ptr(p)", 0)
  expect.equal(counted_by "use_device_addr(a)", 0)
end)

case("accepts: a pointer that is mapped with use_device_ptr is attached as by p[:] [OMP60-map-18]", function()
  omp "target data map(to: a, p) use_device_ptr(p)" (function() expect.equal(#state().attached, 1) end)
end)
