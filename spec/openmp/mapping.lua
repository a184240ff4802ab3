-- Combinations of map clauses: several on one variable, members with their structure, mappers with members, data of
-- declare target. The cases show values on both sides.
scenario { title = "OpenMP: combinations of map clauses", rules = "openmp-5.1" }

declare [[
  struct inner { int d, e, f; };
  struct outer { int a, b; struct { int c; struct inner r; struct inner *rp; } sub; int g; };
  struct wide { int x; int dummy[100]; int *p; };
  struct holder { struct wide w; };
  struct two { int *first, *second; };
  struct inner r, *rp;
  struct outer s, *sp;
  struct wide w, ws[2];
  struct holder hs[2];
  struct two t, u;
  struct { struct inner s2; int c, d; } s1;
  int n = 111, x[20];
  #pragma omp declare mapper(first_alone: struct inner i) map(tofrom: i.d)
  #pragma omp declare mapper(struct holder h) map(h.w.x, h.w.p[0:10])
  #pragma omp declare mapper(struct wide i) map(i.x, i.p[0:10])
  #pragma omp declare mapper(complete: struct wide i) map(i.x, i.p, i.p[0:10])
  #pragma omp declare mapper(beyond: struct wide i) map(i.x, i.p[0:20])
]]
host.rp = { { d = 0 } }
host.sp = { { a = 0 } }
host.s.sub.rp = { { d = 0 } }
host.w.p = addr "x[0]"
for i = 0, 1 do
  host.ws[i].p, host.hs[i].w.p = alloc("int", 10), alloc("int", 10)
  for k = 0, 9 do host.ws[i].p[k], host.hs[i].w.p[k] = 0, 0 end
  host.ws[i].x, host.hs[i].w.x = 111, 111
end
host.u = { first = { 5 }, second = { 6, 7 } }
host.t = { first = { 0 }, second = { 0, 0 } }
for i = 0, 19 do host.x[i] = 0 end

-- --------------------------------------------------------------------------- one variable, twice --

case("accepts: bytes that two clauses copy with always are copied once [OMP60-map-7]", function()
  omp "target data map(alloc: n)" (function()
    expect.moves(function() omp "target enter data map(alloc: n) map(to: n)" end, { h2d = 0 })
    expect.count("n", { structured = 1, dynamic = 1 })
    omp "target map(present, alloc: n)" "n = 222;"
    expect.moves(function() omp "target exit data map(always, from: n) map(always, from: n)" end,
      { d2h = { count = 1, bytes = 4 } })
  end)
  expect.host("n", 222)
end)

case("differs: without always bytes are copied when the data are unmapped, not before [OMP60-map-7]", function()
  omp "target data map(alloc: n)" (function()
    omp "target enter data map(to: n)"
    omp "target map(n)" "n = 222;"
    expect.device("n", 222)
    expect.moves(function() omp "target exit data map(from: n) map(from: n)" end, { d2h = 0 })
    expect.count("n", { structured = 1, dynamic = 0 })
  end)
  expect.host("n", 111)
end)

case("accepts: a section in two maps of one construct is mapped once [OMP60-map-6]", function()
  expect.moves(function()
    omp "target map(tofrom: u.second[0:2]) map(tofrom: u.second[0:2])" "u.second[1] = 42;"
  end, { h2d = { count = 2, bytes = 16 }, d2h = { count = 1, bytes = 8 } })
  expect.host("u.second[1]", 42)
  expect.absent "u.second[0:2]"
end)

-- ----------------------------------------------------------------- members beside their structure --

case("accepts: a structure and its member on one construct copy the whole structure [OMP60-map-5]", function()
  expect.moves(function()
    omp "target map(tofrom: r) map(tofrom: r.e)" "r.d += 1; r.e += 2; r.f += 3;"
  end, { h2d = { count = 1, bytes = 12 }, d2h = { count = 1, bytes = 12 } })
  expect.equal({ host.r.d, host.r.e, host.r.f }, { 1, 2, 3 })
  omp "target map(tofrom: rp[:1]) map(tofrom: rp->e)" "rp->d += 1; rp->e += 2; rp->f += 3;"
  expect.equal({ host.rp[0].d, host.rp[0].e, host.rp[0].f }, { 1, 2, 3 })
end)

case("differs: a member with another map type does not change the type of its structure [OMP60-map-5]", function()
  omp "target map(to: s) map(tofrom: s.sub.r.e)" "s.b = 1; s.sub.r.d = 2; s.sub.r.e = 3; s.sub.r.f = 4;"
  expect.equal({ host.s.b, host.s.sub.r.d, host.s.sub.r.e, host.s.sub.r.f }, { 0, 0, 3, 0 })
  omp "target map(to: sp[:1]) map(tofrom: sp->sub.r.e)" "sp->b = 1; sp->sub.r.d = 2; sp->sub.r.e = 3;"
  expect.equal({ host.sp[0].b, host.sp[0].sub.r.d, host.sp[0].sub.r.e }, { 0, 0, 3 })
end)

case("accepts: only the named member is copied back through a pointer in a member [OMP60-map-5]", function()
  omp "target map(to: s, s.b) map(to: s.sub.rp[:1]) map(tofrom: s.sub.rp->e)"
    "s.b = 1; s.sub.rp->d = 2; s.sub.rp->e = 3; s.sub.rp->f = 4;"
  expect.equal({ host.s.b, host.s.sub.rp[0].d, host.s.sub.rp[0].e, host.s.sub.rp[0].f }, { 0, 0, 3, 0 })
end)

case("accepts: a map of members alone leaves the other members absent, and the members are unmapped together"
  .. " [OMP60-map-5]", function()
  omp "target enter data map(alloc: w.x, w.p[0:10])"
  expect.present "w.x"
  expect.present "x[0:10]"
  expect.absent "w.dummy"
  expect.absent "w.p"
  omp "target exit data map(delete: w.x) map(delete: w.p[0:10])"
  expect.absent "w.x"
  expect.absent "x[0:10]"
end)

case("accepts: exit data unmaps present members and ignores absent ones [OMP60-map-6]", function()
  expect.moves(function()
    omp "target enter data map(to: u.second[0:1])"
  end, { h2d = { count = 1, bytes = 4 }, d2h = 0 })
  omp "target map(t.first[0:1], t.second[0:2])" "t.first[0] = 1; t.second[0] = 2; t.second[1] = 3;"
  omp "target exit data map(from: u.first[0:1], u.second[0:1])"
  expect.equal({ host.t.first[0], host.t.second[0], host.t.second[1] }, { 1, 2, 3 })
  expect.absent "u.second[0:1]"
end)

-- ------------------------------------------------------------------------------------- mappers --

case("accepts: a structure is copied whole although a mapper of its member also applies [OMP60-map-15]", function()
  omp "target enter data map(alloc: s1)"
  omp "target map(present, alloc: s1)" "s1.s2.d = 1; s1.s2.e = 2; s1.c = 3; s1.d = 4;"
  expect.moves(function()
    omp "target exit data map(from: s1) map(mapper(first_alone), from: s1.s2)"
  end, { h2d = 0, d2h = { count = 1, bytes = 20 } })
  expect.equal({ host.s1.s2.d, host.s1.s2.e, host.s1.c, host.s1.d }, { 1, 2, 3, 4 })
end)

case("differs: a mapper alone maps only the members that it names [OMP60-map-15]", function()
  omp "target enter data map(alloc: s1)"
  omp "target map(present, alloc: s1)" "s1.s2.d = 1; s1.s2.e = 2;"
  omp "target exit data map(mapper(first_alone), always, from: s1.s2)"
  expect.equal({ host.s1.s2.d, host.s1.s2.e }, { 1, 0 })
end)

case("accepts: a mapper maps each element of an array, also members of members [OMP60-map-15]", function()
  omp "target enter data map(to: hs)"
  for i = 0, 1 do
    expect.present(("hs[%d].w.x"):format(i))
    expect.present(("hs[%d].w.p[0:10]"):format(i))
    expect.absent(("hs[%d].w.dummy"):format(i))
  end
  omp "target exit data map(delete: hs)"
  for i = 0, 1 do
    expect.absent(("hs[%d].w.x"):format(i))
    expect.absent(("hs[%d].w.p[0:10]"):format(i))
  end
end)

case("accepts: always and present apply to all parts of a mapper [OMP60-map-2]", function()
  omp "target enter data map(mapper(complete), alloc: ws)"
  omp "target map(mapper(complete), always, present, from: ws)"
    "for (int i = 0; i < 2; i++) { ws[i].x = 222; for (int k = 0; k < 10; k++) ws[i].p[k] = 222; }"
  for i = 0, 1 do expect.equal({ host.ws[i].x, host.ws[i].p[0], host.ws[i].p[9] }, { 222, 222, 222 }) end
  expect.present "ws[1].x" -- always does not unmap
end)

case("rejects: a mapper needs more data than are present [OMP60-map-9]", function()
  omp "target data map(to: w.x, x[0:10])" (function()
    expect.moves(function() omp "target enter data map(always, present, to: w)" end, { h2d = { bytes = 44 } })
    local before = state()
    expect.fails("partially-present", function()
      omp "target enter data map(mapper(beyond), always, present, to: w)"
    end)
    expect.equal(#state().present, #before.present)
    omp "target exit data map(release: w)"
    expect.count("w.x", { structured = 1, dynamic = 0 })
  end)
end)

-- -------------------------------------------------------------------------------- declare target --

case("accepts: data of declare target stay present, whatever clauses map or delete [OMP60-map-6]", function()
  declare "int everywhere = -1;"
  omp "declare target(everywhere)"
  omp "target enter data map(to: everywhere)"
  omp "target" "everywhere = 0;"
  omp "target update from(everywhere)"
  expect.host("everywhere", 0)
  omp "target exit data map(delete: everywhere)"
  expect.present "everywhere"
end)
