-- Variables that target constructs use without a clause, and clauses on data sharing.
scenario { title = "OpenMP: implicit maps and data sharing", rules = "openmp-5.1", devices = 2 }

declare [[
  int x = 1, n = 4;
  double v[8], w[4], *p, *q;
  int m[3][4];
  struct inner { int i, j; };
  struct node { int n; double *d; int k; struct inner in; int list[4]; } s, t, nodes[3], *np;
]]
host.v = { 0, 1, 2, 3, 4, 5, 6, 7 }
host.p = { 10, 11, 12, 13 }
host.s = { n = 4, d = { 1, 2, 3, 4 }, k = 7 }

-- ---------------------------------------------------------------------------------------- defaults --

case("accepts: scalars are copies in the body, with the values of the host [OMP60-map-11]", function()
  expect.moves(function() expect.accepts("target", "x = x + n;") end, { d2h = 0 })
  expect.host("x", 1)
  expect.moves(function()
    omp "target map(tofrom: v)" "v[0] = x + n;"
  end, { h2d = { count = 1, bytes = 64 }, d2h = { count = 1, bytes = 64 } })
  expect.host("v[0]", 5)
end)

case("accepts: a scalar is firstprivate although it is present [OMP60-map-11]", function()
  omp "target enter data map(to: x)"
  host.x = 5
  omp "target map(from: n)" "n = x;"
  expect.host("n", 5)
  expect.accepts("target", "x = 9;")
  expect.device("x", 1)
end)

case("accepts: arrays and structures are mapped and unmapped [OMP60-map-11]", function()
  expect.moves(function() omp "target" "v[0] = v[1];" end, { h2d = { bytes = 64 }, d2h = { bytes = 64 } })
  expect.host("v[0]", 1)
  omp "target" "s.k = s.n; s.in.j = 3;"
  expect.host("s.k", 4)
  expect.host("s.in.j", 3)
  omp "target" "nodes[2].n = 8;"
  expect.host("nodes[2].n", 8)
  expect.equal(#state().present, 0)
end)

case("accepts: the variables of a Lua body are named after the directive [OMP60-map-11]", function()
  expect.moves(function()
    omp("target", "v, x")(function(d) d.v[0] = d.x + 50 end)
  end, { h2d = { count = 1, bytes = 64 }, d2h = { count = 1, bytes = 64 } })
  expect.host("v[0]", 51)
end)

case("accepts: pointers are found by value [OMP60-map-11 OMP60-map-10]", function()
  host.q = host.p + 1
  expect.moves(function()
    omp "target data map(tofrom: p[0:4])" (function()
      omp "target" "p[0] = 50; q[0] = 51;"
      expect.absent "p"
    end)
  end, { h2d = { count = 1, bytes = 32 }, d2h = { count = 1, bytes = 32 } })
  expect.host("p[1]", 51)
end)

case("accepts: a body may change its own pointers, whatever they point to [OMP60-map-11]", function()
  expect.moves(function()
    omp "target data map(tofrom: p[0:4], v)" (function()
      omp "target" "p++; p[0] = 50; ++p; *p = 51; q = p; q[1] = 52;"
      omp "target map(p[0:4])" "p += 3; p--; v[7] = p[0];"
      omp "target" "q = &v[5]; q[0] = 53; q[1] = q[0];"
    end)
  end, { h2d = { count = 2, bytes = 96 }, d2h = { count = 2, bytes = 96 } })
  expect.host("p[0:4]", { 10, 50, 51, 52 })
  expect.host("v[5:3]", { 53, 53, 51 })
  expect.equal(host.q, NULL)
end)

case("differs: a body cannot use a pointer to absent data [OMP60-map-11]", function()
  local err = expect.fails("null-pointer", function() omp "target" "p[0] = 50;" end)
  expect.equal(err.help, "map a section of it: p[0:n]")
  host.np = addr "s"
  err = expect.fails("null-pointer", function() omp "target map(np->d[:2])" "np->d[0] = 50;" end)
  expect.equal(err.help, "map the structure, np[:1], or the members used on this construct, np->...")
  expect.fails("host-pointer-on-device", function() omp "target" "s.d[0] = 50;" end)
end)

case("accepts: an implicit this is this[:1] [OMP60-map-11]", function()
  declare "class counter { public: int hits; double *data; };  counter c;"
  host.c = { hits = 1, data = { 1, 2 } }
  method("counter", "work", function()
    omp "target" "hits = hits + 1;"
    omp "target map(hits, data[0:2])" "data[1] = hits;"
    return 0
  end)
  expect.moves(function() host "c.work()" end, { h2d = { count = 4, bytes = 44 }, d2h = { count = 3, bytes = 36 } })
  expect.host("c.hits", 2)
  expect.host("c.data[1]", 2)
end)

case("rejects: a body uses members that are not mapped, also unqualified ones"
  .. " [OMPEX-struct_map-1 OMPEX-struct_map-5]", function()
  declare "class counter { public: int hits, misses; double *data; int list[4]; };  counter c;"
  host.c = { hits = 1, data = { 1, 2 } }
  method("counter", "work", function()
    expect.fails("not-present", function() omp "target map(hits)" "misses = 1;" end)
    expect.fails("not-present", function() omp "target map(data[0:2])" "data[1] = hits;" end)
    expect.fails("not-present", function() omp "target map(hits) map(list[0:2])" "list[2] = hits;" end)
    omp "target map(hits) map(list[0:2])" "list[1] = hits;"
    omp "target map(list[2:2])" "list[3] = 5;"
    return 0
  end)
  host "c.work()"
  expect.host("c.list", { 0, 1, 0, 5 })
end)

case("rejects: a body uses names that are not declared [OMP60-map-11 HOUSE-names]", function()
  expect.fails("unknown-name", function() omp "target" "nothing = 1;" end)
  expect.fails("unknown-name", function() omp("target", "x, nothing") "" end)
  expect.fails("unknown-name", function() omp "target" (function(d) return d.nothing end) end)
end)

-- ------------------------------------------------------------------------------------ present data --

case("accepts: a partly present variable is mapped in its present part [OMP60-map-12]", function()
  omp "target data map(to: v[2:4])" (function()
    expect.moves(function() omp "target" "v[3] = 50;" end, { h2d = 0, d2h = 0 })
    expect.device("v[3]", 50)
    expect.fails("not-present", function() omp "target" "v[0] = 50;" end)
  end)
  omp "target data map(tofrom: s.n, s.k)" (function()
    omp "target" "s.k = s.n + 1;"
    expect.fails("not-present", function() omp "target" "s.in.i = 1;" end)
  end)
  expect.host("s.k", 5)
end)

-- Each part is mapped by enter data before the construct, by a region around it, by the construct, and by both.
case("accepts: a body finds the present parts of arrays and structures [OMP60-map-12]", function()
  local parts = {
    { "v[0:2]", "v[1] = 50;" }, { "v[5:3]", "double *r = v + 5; r[1] = *(v + 6);" }, { "v[5:3]", "s.d = &v[6];" },
    { "m[1]", "m[1][2] = 50;" }, { "m[1:2]", "m[2][0] = 50;" }, { "m[1][1:2]", "m[1][2] = 50;" },
    { "nodes[1:2]", "nodes[2].k = 50;" }, { "nodes[1].in", "nodes[1].in.j = 50;" },
    { "nodes[0].n, nodes[1].n", "nodes[1].n = nodes[0].n;" }, { "nodes[2].list[1:2]", "nodes[2].list[2] = 50;" },
    { "nodes[2].d, nodes[2].d[:2]", "nodes[2].d[1] = 50;" }, { "v[0:2], v[4:2]", "v[1] = v[5];" },
  }
  host.nodes[2].d = { 1, 2 }
  expect.moves(function()
    for _, part in ipairs(parts) do
      local maps, body = part[1], part[2]
      local with_s = body:find "s%." and "map(to: s) " or ""
      omp("target enter data map(to: " .. maps .. ")")
      omp("target " .. with_s)(body)
      omp("target map(" .. maps .. ") " .. with_s)(body)
      omp("target exit data map(delete: " .. maps .. ")")
      omp("target data map(" .. maps .. ")")(function() omp("target " .. with_s)(body) end)
      omp("target map(" .. maps .. ") " .. with_s)(body)
      expect.equal(#state().present, 0)
    end
  end, { h2d = { count = 49, bytes = 1080 }, d2h = { count = 28, bytes = 576 } })
  expect.host("nodes[2].d[1]", 50)
end)

case("rejects: a body uses absent parts of arrays and structures [OMP60-map-12 OMPEX-struct_map-1]", function()
  local parts = {
    { "v[2:2]", "v[4] = 50;", "v[4]" }, { "m[1]", "m[2][1] = 50;", "m[2][1]" },
    { "nodes[1].n", "nodes[0].n = 50;", "nodes[0].n" }, { "nodes[1].n", "nodes[1].in.j = 50;", "nodes[1].in.j" },
    { "np->n", "np->in.i = 50;", "np->in.i" }, { "np[1].n", "np[1].k = 50;", "np[1].k" },
    { "np->n, np->k", "np->d = 0;", "np->d" }, { "v[0:2], v[4:2]", "v[2] = 50;", "v[2]" },
  }
  host.np = addr "nodes[0]"
  for _, part in ipairs(parts) do
    local err = expect.fails("not-present", function() omp("target map(" .. part[1] .. ")")(part[2]) end)
    expect.equal(err.message, part[3] .. " is not present on device 0")
    expect.equal(err.rule, "OMPEX-struct_map-1")
  end
end)

case("accepts: a body reaches several sections of one pointer [OMP60-map-4]", function()
  omp "target map(p[0:1], p[2:1])" "p[2] = p[0];"
  omp("target map(p[0:1]) map(from: p[3:1])", "p")(function(d) d.p[3] = d.p[0] + 1 end)
  expect.host("p[0:4]", { 10, 11, 10, 11 })
  expect.fails("not-present", function() omp "target map(p[0:1], p[2:1])" "p[1] = 50;" end)
end)

case("accepts: a pointer to the end of present data finds these data [OMP60-map-10]", function()
  host.q = host.p + 4
  expect.moves(function()
    omp "target data map(p[0:4])" (function()
      omp "target map(q[:0])" "q[-1] = 50;"
      omp "target" "q[-2] = 51;"
      expect.fails("out-of-bounds", function() omp "target" "q[0] = 52;" end)
    end)
  end, { h2d = { count = 1, bytes = 32 }, d2h = { count = 1, bytes = 32 } })
  expect.host("p[2:2]", { 51, 50 })
end)

case("accepts: several parts of an array are present, each with its own counts [OMP60-map-12]", function()
  omp "target enter data map(to: v[0:2]) map(to: x)"
  omp "target enter data map(to: v[6:2])"
  omp("target", "v")(function(d)
    expect.count("v[0:2]", { structured = 1, dynamic = 1 })
    expect.count("v[6:2]", { structured = 1, dynamic = 1 })
    d.v[7] = 70
  end)
  expect.device("v[7]", 70)
  expect.count("v[0:2]", { structured = 0, dynamic = 1 })
end)

case("accepts: an implicit map of an absent structure maps the members in its clauses [OMP60-map-12]", function()
  expect.moves(function()
    omp "target map(tofrom: s.d[0:4]) map(to: s.n)" "s.d[0] = s.n;"
  end, { h2d = { count = 3, bytes = 44 }, d2h = { count = 1, bytes = 32 } })
  expect.host("s.d[0]", 4)
  omp "target map(from: s.k)" "s.k = 9;"
  expect.host("s.k", 9)
end)

case("differs: members of a structure that no clause names are absent [OMP60-map-12]", function()
  expect.fails("not-present", function() omp "target map(tofrom: s.d[0:4]) map(to: s.n)" "s.k = 1;" end)
  expect.fails("not-present", function() omp "target map(from: s.k)" "s.n = 1;" end)
  expect.fails("not-present", function()
    expect.accepts("target data map(to: s.n)", function() omp "target map(tofrom: s.n)" "s.k = 1;" end)
  end)
end)

case("rejects: a clause names a variable that is partly present [OMP60-map-12 OMP60-map-13]", function()
  omp "target data map(to: v[2:4])" (function()
    expect.fails("partially-present", function() omp "target map(tofrom: v)" "v[3] = 1;" end)
  end)
end)

-- -------------------------------------------------------------------------------------- defaultmap --

case("accepts: defaultmap changes the default for one category, or for all [OMP60-map-11]", function()
  omp "target defaultmap(tofrom: scalar)" "x = x + 1;"
  expect.host("x", 2)
  omp "target defaultmap(tofrom)" "x = x + 1; v[0] = 50;"
  expect.host("x", 3)
  expect.moves(function() omp "target defaultmap(to: aggregate)" "v[0] = 60;" end, { h2d = { bytes = 64 }, d2h = 0 })
  expect.host("v[0]", 50)
  omp "target defaultmap(from: scalar)" "x = 7;"
  expect.host("x", 7)
  expect.fails("uninitialized-read", function() omp "target defaultmap(alloc: aggregate)" "v[0] = v[1];" end)
  expect.accepts("target defaultmap(firstprivate: aggregate)", "v[0] = v[1]; s.n = 3;")
  expect.host("v[0]", 50)
  expect.host("s.n", 4)
  expect.accepts("target defaultmap(default: scalar) defaultmap(to: aggregate)", "x = v[1];")
  expect.host("x", 7)
  expect.accepts("target defaultmap(default)", "x = v[1];")
  expect.host("x", 7)
end)

case("accepts: defaultmap maps pointers as values [OMP60-map-11]", function()
  expect.accepts("target data map(p[0:4])", function()
    expect.fails("host-pointer-on-device", function() omp "target defaultmap(tofrom: pointer)" "p[0] = 1;" end)
    expect.fails("host-pointer-on-device", function() omp "target defaultmap(to: pointer)" "p[0] = 1;" end)
  end)
end)

case("accepts: defaultmap(present) finds present data [OMP60-map-11]", function()
  omp "target enter data map(to: v, x)"
  omp "target defaultmap(present: aggregate) defaultmap(present: scalar)" "v[0] = 50; x = 51;"
  expect.device("v[0]", 50)
  expect.device("x", 51)
  expect.count("v", { structured = 0, dynamic = 1 })
end)

case("rejects: defaultmap(present) finds no present data [OMP60-map-11 OMP60-map-9]", function()
  expect.fails("not-present", function() omp "target defaultmap(present: aggregate)" "v[0] = 50;" end)
  expect.fails("not-present", function() omp "target defaultmap(present)" "x = 50;" end)
  expect.accepts("target defaultmap(present: pointer)", "x = 50;")
end)

case("rejects: defaultmap(present) finds only a part of an aggregate [OMP60-map-11 OMP60-map-9]", function()
  omp "target enter data map(to: v[0:2])"
  expect.fails("partially-present", function() omp "target defaultmap(present: aggregate)" "v[0] = 50;" end)
  omp "target defaultmap(tofrom: aggregate)" "v[0] = 51;"
  expect.device("v[0]", 51)
end)

case("rejects: a variable is in no clause under defaultmap(none) [OMP60-map-11]", function()
  local err = expect.fails("default-none", function() omp "target defaultmap(none)" "x = 1;" end)
  expect.equal(err.rule, "OMP60-map-11")
  expect(err.help:find "'x'")
  expect.fails("default-none", function() omp "target defaultmap(none: aggregate)" "v[0] = x;" end)
  expect.fails("default-none", function() omp("target defaultmap(none: scalar)", "x") "" end)
  omp "target defaultmap(none) map(v) firstprivate(x)" "v[0] = x;"
  expect.host("v[0]", 1)
  expect.accepts("target defaultmap(none: scalar)", "v[0] = 2;")
  omp "target defaultmap(none) map(s.n)" "s.n = 9;"
  expect.host("s.n", 9)
  omp "target defaultmap(none) map(p[0:4])" "p[0] = 9;"
  expect.host("p[0]", 9)
end)

case("rejects: defaultmap has unknown words, or a category twice [OMP60-map-11]", function()
  expect.fails("clause-not-allowed", "target defaultmap(@copy: scalar)", "OMP60-map-11")
  expect.fails("clause-not-allowed", "target defaultmap(to: @scalars)", "OMP60-map-11")
  expect.fails("clause-not-allowed", "target defaultmap(to: @allocatable)", "OMP60-map-11")
  expect.fails("duplicate-clause", "target defaultmap(to: scalar) @defaultmap(from: scalar)")
  expect.fails("duplicate-clause", "target defaultmap(to) @defaultmap(from)")
  expect.fails("duplicate-clause", "target defaultmap(to) @defaultmap(from: scalar)")
  expect.fails("clause-not-allowed", "target data map(v) @defaultmap(to)")
  expect.malformed "target defaultmap()"
  expect.malformed "target defaultmap"
  expect.malformed "target defaultmap(to:)"
  expect.fails("syntax", "target defaultmap(to: scalar: @pointer)", "OMP60-map-11")
end)

-- ------------------------------------------------------------------------------------- data sharing --

case("accepts: firstprivate and private apply to variables of any type [OMP60-map-11]", function()
  expect.accepts("target firstprivate(x, v, s)", "x = x + 1; v[0] = 50; s.n = 51;")
  expect.host("x", 1)
  expect.host("v[0]", 0)
  expect.host("s.n", 4)
  omp "target private(x)" "x = 5; v[0] = x;"
  expect.host("v[0]", 5)
  expect.host("x", 1)
  omp "target enter data map(to: v)"
  expect.accepts("target firstprivate(v)", "v[0] = 60;")
  expect.device("v[0]", 5)
end)

case("differs: a private variable has no value [OMP60-map-11]", function()
  expect.fails("uninitialized-read", function() omp "target private(x) map(n)" "n = x;" end)
  expect.fails("uninitialized-read", function() omp "target private(v) map(n)" "n = v[0];" end)
end)

case("accepts: implicit firstprivate pointers point to present data [OMP60-map-11]", function()
  expect.moves(function()
    omp "target data map(p[0:4])" (function() omp "target" "p[0] = 5; p = p + 1; p[0] = 6;" end)
  end, { h2d = { count = 1, bytes = 32 }, d2h = { count = 1, bytes = 32 } })
  expect.host("p[0]", 5)
  expect.host("p[1]", 6)
end)

case("accepts: a pointer in a firstprivate clause keeps its value [OMP60-map-11]", function()
  local there = omp_target_alloc(32, 0)
  local before = host.p
  host.p = there
  expect.accepts("target firstprivate(p)", "p[0] = 5; p = p + 1; p[0] = 6;")
  host.p = before
  omp "target enter data map(to: p[0:4])"
  expect.present "p[0:4]"
  omp("target firstprivate(p) map(n)")(function(d) d.n = d.p == before and 1 or 2 end)
  expect.host("n", 1)
end)

case("differs: a body cannot dereference a firstprivate pointer to host memory [OMP60-map-11]", function()
  omp "target enter data map(to: p[0:4])"
  expect.present "p[0:4]"
  expect.fails("host-pointer-on-device", function() omp "target firstprivate(p)" "p[0] = 5;" end)
  expect.fails("host-pointer-on-device", function() omp "target firstprivate(p)" "p = p + 1; p[0] = 5;" end)
  expect.fails("host-pointer-on-device", function() omp "target defaultmap(firstprivate: pointer)" "p[0] = 5;" end)
end)

case("rejects: a variable is mapped and private, or in two clauses [OMP60-map-13 OMP60-map-11]", function()
  expect.fails("conflicting-clauses", "target firstprivate(x) map(@x)", "OMP60-map-13")
  expect.fails("conflicting-clauses", "target map(to: @x) private(x)", "OMP60-map-13")
  expect.fails("conflicting-clauses", "target private(x) firstprivate(@x)")
  expect.fails("conflicting-clauses", "target firstprivate(x, n) private(@n)")
  expect.fails("conflicting-clauses", "target is_device_ptr(p) map(@p)")
  expect.fails("conflicting-clauses", "target is_device_ptr(p) firstprivate(@p)")
  expect.fails("conflicting-clauses", "target has_device_addr(x) map(@x)")
  expect.fails("unknown-name", "target firstprivate(@nothing)")
  expect.fails("clause-not-allowed", "target firstprivate(v@[0:2])")
  expect.fails("clause-not-allowed", "target private(s@.n)")
end)

case("accepts: a body may change its copy of an is_device_ptr pointer [OMP60-map-11]", function()
  host.p = omp_target_alloc(32, 0)
  omp "target is_device_ptr(p)" "for (int i = 0; i < 3; i++) *p++ = i; p = p + 1; p[-1] = 3;"
  omp("target is_device_ptr(p)")(function(d) d.p = d.p + 1 d.p[0] = 9 end)
  omp "target is_device_ptr(p) map(v)" "v[0] = p[3]; v[1] = p[1]; v[2] = p[2];"
  expect.host("v[0:3]", { 3, 9, 2 })
end)

case("accepts: is_device_ptr says that the value of a pointer is a device address [OMP60-map-11]", function()
  host.p = omp_target_alloc(32, 0)
  omp "target is_device_ptr(p)" "for (int i = 0; i < 4; i++) p[i] = i;"
  omp "target is_device_ptr(p) map(from: w)" "for (int i = 0; i < 4; i++) w[i] = p[i] + 1;"
  expect.host("w[0:4]", { 1, 2, 3, 4 })
  omp "target map(from: w)" "w[0] = p[2];" -- the address is found without the clause, too
  expect.host("w[0]", 2)
  omp_target_free(host.p, 0)
end)

case("rejects: is_device_ptr names a host pointer, or no pointer [OMP60-map-11]", function()
  expect.fails("host-pointer-on-device", function() omp "target is_device_ptr(p)" "p[0] = 1;" end)
  expect.accepts("target data map(p[0:4])", function()
    expect.fails("host-pointer-on-device", function() omp "target is_device_ptr(p)" "p[0] = 1;" end)
  end)
  expect.fails("not-a-pointer", "target is_device_ptr(@x)", "OMP60-map-11")
  expect.fails("not-a-pointer", "target is_device_ptr(@s)", "OMP60-map-11")
end)

case("accepts: has_device_addr says that a variable is on the device [OMP60-map-11]", function()
  omp "target data map(v, x) use_device_addr(v, x)" (function()
    omp "target has_device_addr(v, x)" "v[0] = 50; x = 51;"
  end)
  expect.host("v[0]", 50)
  expect.host("x", 51)
end)

case("rejects: has_device_addr names an absent variable [OMP60-map-11 OMPEX-struct_map-1]", function()
  expect.fails("not-present", function() omp "target has_device_addr(v)" "v[0] = 1;" end)
  expect.fails("not-present", function() omp "target has_device_addr(x)" "x = 1;" end)
end)

case("accepts: reduction and lastprivate variables are copied to the host [OMP60-map-11]", function()
  omp "target parallel for reduction(+: x)" "for (int i = 0; i < 4; i++) x += i;"
  expect.host("x", 7)
  omp "target teams distribute parallel for lastprivate(n)" "for (int i = 0; i < 3; i++) n = i;"
  expect.host("n", 2)
  host.x = 0
  omp "target teams distribute parallel for simd reduction(max: x) map(to: v)"
    "for (int i = 0; i < 8; i++) if (v[i] > x) x = v[i];"
  expect.host("x", 7)
end)

case("differs: a scalar without a clause is not copied to the host [OMP60-map-11]", function()
  expect.accepts("target", "for (int i = 0; i < 4; i++) x += i;")
  expect.host("x", 1)
end)

-- ------------------------------------------------------------------- parts that are present --

declare [[
  int y, A[8], *u;
  struct rec { int a, b; } S;
]]
host.A = { 1, 2, 3, 4, 5, 6, 7, 8 }

case("differs: a body that fails undoes the attachments and copies of its construct"
  .. " [OMP60-map-7 OMP60-map-5]", function()
  host.u = addr "A[0]"
  omp "target enter data map(to: u, y)"
  host.y = 7
  expect.fails("out-of-bounds", function()
    omp "target map(tofrom: u[0:8]) map(always, to: y)" (function(d) d.u[9] = d.y end)
  end)
  expect.detached "u"
  expect.device("y", 0)
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
