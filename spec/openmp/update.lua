-- target update: which data are copied, in which order, and which are not.
scenario { title = "OpenMP: target update", rules = "openmp-5.1" }

declare [[
  int x = 1, y = 2, zero = 0;
  double v[8], *p, *q, m[3][4], *rows[2];
  struct inner { int i, j; };
  struct node { int n; double *d; int k; struct inner in; } s, nodes[3];
]]
host.v = { 0, 1, 2, 3, 4, 5, 6, 7 }
host.p = { 10, 11, 12, 13, 14, 15, 16, 17 }
host.s = { n = 4, d = { 1, 2, 3, 4 }, k = 7 }

local function moved(text, h2d, d2h)
  expect.moves(function() expect.accepts(text) end, { h2d = h2d, d2h = d2h })
end

case("accepts: to copies to the device and from copies to the host, wholly or in part [OMP60-upd-1]", function()
  omp "target enter data map(to: v)"
  omp "target" "for (int i = 0; i < 8; i++) v[i] = 50 + i;"
  moved("target update from(v[2:2])", 0, { count = 1, bytes = 16 })
  expect.host("v[0:5]", { 0, 1, 52, 53, 4 })
  host.v[0], host.v[7] = 90, 97
  moved("target update to(v[0:1]) to(v[7])", { bytes = 16 }, 0)
  expect.device("v[0]", 90)
  expect.device("v[7]", 97)
  expect.device("v[1]", 51)
  moved("target update to(v) from(x)", { bytes = 64 }, 0)
end)

case("accepts: update does not change counts [OMP60-upd-1]", function()
  omp "target enter data map(to: v)"
  moved("target update to(v)", { bytes = 64 }, 0)
  moved("target update from(v)", 0, { bytes = 64 })
  expect.count("v", { dynamic = 1, structured = 0 })
  expect.events(function() omp "target update to(v)" end, { "h2d v" })
end)

case("accepts: update ignores absent items and copies the others [OMP60-upd-1]", function()
  moved("target update to(v) from(x, p[0:8])", 0, 0)
  omp "target enter data map(alloc: x)"
  moved("target update to(v, x)", { bytes = 4 }, 0)
  expect.absent "v"
end)

case("rejects: an item with present is absent [OMP60-upd-1 OMP60-map-9]", function()
  expect.fails("not-present", "target update to(present: @v)")
  expect.fails("not-present", "target update from(present: @x)")
  expect.fails("not-present", "target update to(present: p@[0:8])")
  omp "target enter data map(to: x)"
  expect.fails("not-present", "target update to(x) from(present: @v)")
  moved("target update to(present: x)", { bytes = 4 }, 0)
end)

case("accepts: update ignores partly present items [OMP60-upd-1]", function()
  expect.moves(function() omp "target enter data map(to: v[0:4])" end, { h2d = { count = 1, bytes = 32 }, d2h = 0 })
  moved("target update to(v)", 0, 0)
  moved("target update from(v[3:2])", 0, 0)
end)

case("rejects: an item with present is partly present [OMP60-upd-1 OMP60-map-9]", function()
  omp "target enter data map(to: v[0:4])"
  expect.fails("partially-present", "target update to(present: v@[3:2])")
end)

case("rejects: taskwait has nowait without depend [OMP60-tgt-1]", function()
  expect.invalid("omp taskwait nowait", "clause-not-allowed")
  expect.accepts "taskwait depend(in: x) nowait"
end)

case("accepts: update copies in the order of its clauses [OMP60-upd-1]", function()
  host.q = host.p
  omp "target enter data map(to: p[0:8], x, y)"
  omp "target" "p[0] = 50;"
  host.p[1] = 91
  omp "target update from(p[0:1]) to(q[0:2])"
  expect.host("p[0]", 50)
  expect.device("p[1]", 91)
  omp "target" "p[0] = 60;"
  expect.device("p[0]", 60)
  host.p[0] = 70
  omp "target update to(p[0:1]) from(q[0:1])" -- to comes first, so the host gets its own value back
  expect.host("p[0]", 70)
  expect.device("p[0]", 70)
end)

case("accepts: update copies members, members of members, and elements [OMP60-upd-1]", function()
  omp "target enter data map(to: s, s.d[0:4])"
  host.s.n, host.s.k, host.s["in"].j = 50, 51, 52
  omp "target update to(s.n, s.in.j)"
  expect.device("s.n", 50)
  expect.device("s.in.j", 52)
  expect.device("s.k", 7)
  host.s.d[2] = 33
  omp "target update to(s.d[2:1])"
  expect.device("s.d[2]", 33)
end)

case("accepts: attached pointers keep their values on both sides [OMP60-upd-1 OMP60-map-8]", function()
  local before = host.s.d
  omp "target enter data map(to: s, s.d[0:4])"
  host.s.k = 8
  omp "target update to(s)"
  expect.device("s.k", 8)
  expect.attached "s.d"
  expect.device("s.d[0]", 1)
  omp "target" "s.k = 9;"
  omp "target update from(s)"
  expect.host("s.k", 9)
  expect.equal(host.s.d, before)
  omp "target update from(s.d)"
  expect.equal(host.s.d, before)
  omp "target update to(s.d)"
  expect.device("s.d[3]", 4)
end)

case("differs: update copies the value of a pointer that is not attached [OMP60-map-8]", function()
  omp "target enter data map(alloc: s)"
  omp "target update to(s)"
  expect.device("s.k", 7)
  expect.detached "s.d"
  expect.fails("host-pointer-on-device", function() omp "target" "s.d[0] = 1;" end)
end)

case("accepts: update uses mappers and iterators [OMP60-upd-1]", function()
  omp "declare mapper(struct node v) map(v, v.d[0:v.n])"
  for i = 0, 2 do host.nodes[i] = { n = 2, d = { i, i } } end
  omp "target enter data map(to: nodes)"
  host.nodes[1].d[1] = 50
  host.nodes[2].k = 51
  omp "target update to(nodes)"
  expect.device("nodes[1].d[1]", 50)
  expect.device("nodes[2].k", 51)
  omp "target" "nodes[0].d[0] = 60; nodes[2].d[1] = 62;"
  omp "target update from(nodes[2:1])"
  expect.host("nodes[2].d[1]", 62)
  expect.host("nodes[0].d[0]", 0)
  omp "target update from(iterator(i = 0:2): nodes[i].d[0:1])"
  expect.host("nodes[0].d[0]", 60)
  host.nodes[0].d[0] = 61
  omp "target update to(mapper(default): nodes[0])"
  expect.device("nodes[0].d[0]", 61)
end)

case("rejects: update has modifiers or types of the map clause [OMP60-upd-1]", function()
  expect.fails("syntax", "target update to(@always: v)", "OMP60-upd-1")
  expect.fails("syntax", "target update to(@close: v)", "OMP60-upd-1")
  expect.fails("syntax", "target update to(@from: v)", "OMP60-upd-1")
  expect.fails("duplicate-clause", "target update to(present, @present: v)")
  expect.fails("clause-not-allowed", "target update @map(to: v)")
  expect.fails("unknown-name", "target update to(mapper(@other): s)")
  expect.fails("not-a-struct", "target update to(mapper(@other): v)")
end)

case("rejects: update has no clause, wrong clauses, or a clause twice [OMP60-upd-1 OMP60-tgt-1]", function()
  expect.fails("syntax", "target update@")
  expect.fails("syntax", "target update if(1)")
  expect.fails("clause-not-allowed", "target update to(v) @private(x)")
  expect.fails("duplicate-clause", "target update to(v) if(1) @if(0)")
  expect.fails("unknown-clause", "target update to(v) @nothing(x)")
  expect.malformed "target update to()"
  expect.malformed "target update to(v"
  expect.malformed "target update to"
  expect.fails("unknown-name", "target update to(@vv)")
end)

case("rejects: an item is in to and in from [OMP60-upd-1]", function()
  omp "target enter data map(to: v, x)"
  expect.fails("conflicting-clauses", "target update to(x) from(@x)", "OMP60-upd-1")
  expect.fails("conflicting-clauses", "target update from(x, v) to(@v)", "OMP60-upd-1")
  moved("target update to(x) to(x)", { count = 2, bytes = 8 }, 0)
end)

case("accepts: update does nothing if its condition is false, or for the host [OMP60-upd-1]", function()
  omp "target enter data map(to: v)"
  host.v[0] = 50
  moved("target update to(v) if(0)", 0, 0)
  moved("target update to(v) if(target update: zero)", 0, 0)
  moved("target update to(v) device(1)", 0, 0)
  moved("target update to(v) if(x) device(0) nowait depend(inout: v)", { bytes = 64 }, 0)
end)

case("accepts: update copies parts of rows [OMP60-upd-1]", function()
  for i = 0, 2 do for j = 0, 3 do host.m[i][j] = 10 * i + j end end
  omp "target enter data map(to: m, v)"
  omp "target" "for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) m[i][j] += 100;"
  moved("target update from(m[0:2][1:2])", 0, { bytes = 32 })
  expect.host("m[0:3]", { { 0, 101, 102, 3 }, { 10, 111, 112, 13 }, { 20, 21, 22, 23 } })
  moved("target update from(m[2:1][0:2])", 0, { bytes = 16 })
  moved("target update from(m[1:2][3:1])", 0, { bytes = 16 })
  expect.host("m[2][3]", 123)
  host.m[0][2] = 7
  moved("target update to(m[:][2])", { bytes = 24 }, 0)
  expect.device("m[0][2]", 7)
end)

case("accepts: update copies elements at a stride [OMP60-upd-1 OMP60-sec-1]", function()
  omp "target enter data map(to: v, m, p[0:8])"
  omp "target" "for (int i = 0; i < 8; i++) { v[i] += 100; p[i] += 100; for (int k = 0; k < 4; k++) m[i % 3][k] = i; }"
  expect.events(function() omp "target update from(v[1:3:2])" end, { "d2h v[1]", "d2h v[3]", "d2h v[5]" })
  expect.host("v", { 0, 101, 2, 103, 4, 105, 6, 7 })
  moved("target update from(v[::3])", 0, { count = 3, bytes = 24 })
  expect.host("v", { 100, 101, 2, 103, 4, 105, 106, 7 })
  moved("target update from(v[5::y])", 0, { count = 2, bytes = 16 })
  expect.host("v[7]", 107)
  moved("target update from(p[2:2:4])", 0, { count = 2, bytes = 16 })
  expect.host("p[0:8]", { 10, 11, 112, 13, 14, 15, 116, 17 })
  moved("target update from(m[::2][1:2:2])", 0, { count = 4, bytes = 32 })
  expect.host("m[0:3]", { { 0, 6, 0, 6 }, { 0, 0, 0, 0 }, { 0, 5, 0, 5 } })
  moved("target update from(m[0:2:2])", 0, { count = 2, bytes = 64 })
  moved("target update from(v[2:0:3], v[8::2])", 0, 0)
end)

case("accepts: strides without effect, of one or of one element, leave sections in one piece [OMP60-map-13]", function()
  omp "target enter data map(to: v[0:8:1])"
  expect.present "v"
  omp "target enter data map(to: m[2:1:5][:])"
  expect.present "m[2]"
  moved("target update from(v[:4:1])", 0, { count = 1, bytes = 32 })
  moved("target update from(v[7:1:9])", 0, { count = 1, bytes = 8 })
end)

case("rejects: parts of rows exceed their array, use several pointers, or have wrong strides"
  .. " [OMP60-upd-1 OMP60-sec-1]", function()
  omp "target enter data map(to: m)"
  expect.present "m"
  expect.fails("out-of-bounds", function() omp "target update from(m[0:4][1:2])" end)
  expect.fails("out-of-bounds", function() omp "target update from(m[0:2][3:2])" end)
  expect.fails("invalid-section", function() omp "target update from(rows[0:2][0:2])" end)
  omp "target enter data map(to: v)"
  expect.present "v"
  expect.fails("out-of-bounds", { "target update from(v@[0:5:2])", "target update from(v@[7:2:1])" }, "OMP60-sec-1")
  expect.fails("invalid-section", { "target update from(v[0:2:@0])", "target update from(v[0:2:@-1])",
    "target update from(p@[::2])", "target update from(p@[:])" }, "OMP60-sec-1")
  expect.malformed "target update from(v[0:2:])"
end)

-- --------------------------------------------------------------------------------------- mappers --

declare [[
  struct vec { int len; int *data; };
  #pragma omp declare mapper(struct vec v) map(v, v.data[0:v.len])
  int A[8], B[6];
  struct vec W[2];
]]
host.A = { 1, 2, 3, 4, 5, 6, 7, 8 }
host.B = { 11, 12, 13, 14, 15, 16 }

case("accepts: update copies in the order of its clauses, also sections of a mapper [OMP60-upd-1]", function()
  host.W[0] = { len = 2 }
  host.W[0].data = addr "A[0]"
  omp "target enter data map(alloc: W[0]) map(alloc: A)"
  omp "target" "for (int i = 2; i < 8; i++) A[i] = 0;"
  expect.moves(function()
    omp "target update to(W[0:1]) from(A[0:8])"
  end, { h2d = { count = 2, bytes = 16 }, d2h = { count = 1, bytes = 32 } })
  expect.host("A[0:3]", { 1, 2, 0 })
end)

case("rejects: a clause names several objects of which only one is present [OMP60-map-13]", function()
  for i = 0, 1 do
    host.W[i] = { len = 1 }
    host.W[i].data = i == 0 and addr "A[0]" or addr "B[0]"
  end
  omp "target enter data map(to: W[1])"
  expect.fails("partially-present", function() omp "target update from(W[0:2])" end)
  expect.fails("partially-present", function() omp "target exit data map(release: W)" end)
end)
