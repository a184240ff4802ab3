-- declare mapper: the data that a mapper maps, how map types combine, and which mapper applies.
scenario { title = "OpenMP: declare mapper", rules = "openmp-5.1" }

declare [[
  struct vec { int len; double *data; int host_only; };
  #pragma omp declare mapper(struct vec v) map(v.len, v.data, v.data[0:v.len])
  struct vec v, vs[3], *pv;
  struct plain { int a; double *b; } plain;
  struct pair { struct vec first, second; int k; } pair;
  struct tree { int n; struct vec *kids; struct tree *next; } tree;
  union both { int i; float f; } u;
  double x, *p;
  int zero = 0;
]]
host.v = { len = 3, data = { 1, 2, 3 }, host_only = 9 }
for i = 0, 2 do host.vs[i] = { len = i + 1, data = { i, i, i } } end

-- -------------------------------------------------------------------------------------- what a mapper maps --

case("accepts: a mapper maps and attaches what it names, and no other members [OMP60-map-15]", function()
  omp "target data map(to: v)" (function()
    expect.present "v.len"
    expect.present "v.data[0:3]"
    expect.attached "v.data"
    expect.device("v.data[2]", 3)
    expect.absent "v.host_only"
    expect.fails("not-present", function() omp "target" "v.host_only = 1;" end)
  end)
  expect.equal(#state().present, 0)
  omp "target map(v)" "for (int i = 0; i < v.len; i++) v.data[i] *= 10;"
  expect.host("v.data[2]", 30)
  expect.host("v.host_only", 9)
end)

case("accepts: implicit maps use the mapper, too [OMP60-map-15]", function()
  expect.moves(function()
    omp "target" "v.data[0] = v.len;"
  end, { h2d = { count = 3, bytes = 36 }, d2h = { count = 2, bytes = 28 } })
  expect.host("v.data[0]", 3)
  omp("target", "vs")(function(d) d.vs[2].data[2] = 5 end)
  expect.host("vs[2].data[2]", 5)
  expect.equal(#state().present, 0)
end)

case("accepts: enter data and exit data count the parts of a mapper as one [OMP60-map-15]", function()
  omp "target enter data map(to: v)"
  omp "target enter data map(to: v)"
  expect.count("v.len", { dynamic = 2 })
  expect.count("v.data[0:3]", { dynamic = 2 })
  omp "target" "v.data[1] = 50;"
  omp "target exit data map(from: v)"
  expect.host("v.data[1]", 2)
  omp "target exit data map(from: v)"
  expect.host("v.data[1]", 50)
  expect.equal(#state().present, 0)
  omp "target enter data map(to: v)"
  omp "target enter data map(to: v)"
  expect.count("v.data[0:3]", { dynamic = 2 })
  omp "target exit data map(delete: v)"
  expect.equal(#state().present, 0)
end)

case("accepts: mappers apply to arrays of structures, their sections, and structures through pointers"
  .. " [OMP60-map-15]", function()
  omp "target enter data map(to: vs)"
  for i = 0, 2 do
    expect.attached(("vs[%d].data"):format(i))
    expect.device(("vs[%d].data[%d]"):format(i, i), i)
  end
  expect.absent "vs[1].host_only"
  omp "target exit data map(release: vs)"
  expect.equal(#state().present, 0)
  omp "target data map(to: vs[1:2])" (function()
    expect.absent "vs[0].len"
    expect.device("vs[2].data[0]", 2)
  end)
  omp "target data map(to: vs[1])" (function() expect.device("vs[1].data[1]", 1) end)
  host.pv = addr "vs[0]"
  omp "target map(pv[0:3])" "pv[2].data[1] = 77;"
  expect.host("vs[2].data[1]", 77)
  omp "target map(*pv)" "pv->data[0] = 78;"
  expect.host("vs[0].data[0]", 78)
  expect.equal(#state().present, 0)
end)

case("accepts: a clause selects a mapper by its name, also the mapper default [OMP60-map-15 OMP60-map-3]", function()
  omp "declare mapper(half: struct vec v) map(v.len, v.data) map(v.data[0:v.len/2+1])"
  omp "target data map(mapper(half), to: v)" (function()
    expect.present "v.data[0:2]"
    expect.absent "v.data[2:1]"
  end)
  omp "target data map(mapper(default), to: v)" (function() expect.present "v.data[0:3]" end)
  omp "target data map(mapper(half), to: vs[0:2], v)" (function()
    expect.present "v.data[0:2]"
    expect.absent "v.data[2:1]"
  end)
end)

case("accepts: mapper(default) applies to any type without a mapper [OMP60-map-15]", function()
  omp "target data map(mapper(default), to: plain, x)" (function() expect.present "plain" end)
end)

case("differs: without a mapper the targets of pointers are not mapped [OMP60-map-15]", function()
  host.plain = { a = 1, b = { 1, 2 } }
  omp "target data map(to: plain)" (function()
    expect.present "plain"
    expect.absent "plain.b[0:2]"
    expect.detached "plain.b"
  end)
end)

case("accepts: a mapper names the whole object and a section [OMP60-map-15]", function()
  omp "declare mapper(struct plain v) map(v, v.b[0:2])"
  host.plain = { a = 1, b = { 1, 2 } }
  expect.moves(function()
    omp "target map(plain)" "plain.a = 5; plain.b[1] = 6;"
  end, { h2d = { count = 2, bytes = 32 }, d2h = { count = 2, bytes = 24 } })
  expect.host("plain.a", 5)
  expect.host("plain.b[1]", 6)
end)

case("accepts: a target construct maps the base pointers of a mapper's sections [OMP60-map-15]", function()
  omp "declare mapper(struct plain v) map(v.a, v.b[0:v.a])"
  host.plain = { a = 2, b = { 1, 2 } }
  expect.moves(function()
    omp "target map(plain)" "plain.b[1] = 6;"
  end, { h2d = { count = 3, bytes = 28 }, d2h = { count = 2, bytes = 20 } })
  expect.host("plain.b[1]", 6)
end)

case("differs: other constructs do not map base pointers that no clause names [OMP60-map-15]", function()
  omp "declare mapper(struct plain v) map(v.a, v.b[0:v.a])"
  host.plain = { a = 2, b = { 1, 2 } }
  omp "target enter data map(alloc: plain)"
  expect.present "plain.b[0:2]"
  expect.present "plain.a"
  expect.absent "plain.b"
  omp "target exit data map(delete: plain)"
  expect.absent "plain.b[0:2]"
  omp "target data map(plain.a, plain.b[0:2])" (function() -- the same list as explicit items
    expect.present "plain.b[0:2]"
    expect.absent "plain.b"
  end)
end)

-- ------------------------------------------------------------------ members that are present already --

case("accepts: an object counts as present if the parts that its mapper names are present"
  .. " [OMP60-map-15 OMP60-map-13]", function()
  omp "declare mapper(struct plain v) map(tofrom: v.a)"
  host.plain = { a = 1 }
  omp "target enter data map(to: plain.a)"
  omp "target enter data map(to: plain)"
  expect.count("plain.a", { dynamic = 2 })
  omp "target data map(tofrom: plain)" (function() expect.count("plain.a", { structured = 1, dynamic = 2 }) end)
  omp "target map(plain)" "plain.a = 4;"
  expect.device("plain.a", 4)
  omp "target enter data map(present, alloc: plain)"
  expect.count("plain.a", { dynamic = 3 })
  host.plain.a = 5
  omp "target update to(present: plain)"
  expect.device("plain.a", 5)
  host.plain.a = 6
  omp "target enter data map(always, to: plain)"
  expect.device("plain.a", 6)
  omp "target exit data map(delete: plain)"
  expect.absent "plain.a"
  omp "target exit data map(release: plain)"
end)

case("accepts: an object is present through the sections that its mapper names [OMP60-map-15]", function()
  omp "target enter data map(to: v.len, v.data) map(to: v.data[0:3])"
  omp "target enter data map(to: v)"
  expect.count("v.data[0:3]", { dynamic = 2 })
  omp "target map(v)" "v.data[1] = 7; v.len = 3;"
  expect.device("v.data[1]", 7)
  omp "target exit data map(delete: v)"
  expect.equal(#state().present, 0)
end)

case("accepts: a target construct accepts present objects without their base pointers [OMP60-map-15]", function()
  omp "declare mapper(struct plain v) map(v.a, v.b[0:2])"
  host.plain = { a = 1, b = { 1, 2 } }
  omp "target enter data map(alloc: plain)"
  omp "target map(always, present, from: plain)" "plain.a = 222;"
  expect.host("plain.a", 222)
  expect.fails("not-present", function() omp "target map(plain)" "plain.b[0] = 5;" end) -- as with explicit items
  omp "target exit data map(delete: plain)"
  expect.absent "plain.a"
  omp "target enter data map(to: plain.a)"
  omp "target map(plain)" "plain.a = 3;"
  expect.device("plain.a", 3)
  omp "target enter data map(to: plain.b[0:2])"
  omp "target map(present, tofrom: plain)" "plain.a = 4;"
  expect.device("plain.a", 4)
end)

case("rejects: an object has other members present, or only some of the mapper's members [OMP60-map-15 OMP60-map-13]",
function()
  omp "declare mapper(struct plain v) map(tofrom: v.a)"
  omp "target enter data map(to: plain.b)"
  expect.fails("partially-present", function() omp "target enter data map(to: plain)" end)
  expect.fails("partially-present", function() omp "target enter data map(present, to: plain)" end)
  omp "target update to(plain)" -- plain.a is absent, so nothing is copied
  omp "target exit data map(delete: plain)"
  expect.present "plain.b"
  omp "target enter data map(to: v.len)"
  expect.fails("partially-present", function() omp "target enter data map(to: v)" end)
end)

-- ------------------------------------------------------------------------------------------ nested --

case("accepts: members whose types have mappers are mapped by these mappers [OMP60-map-15]", function()
  host.pair = { first = { len = 1, data = { 1 } }, second = { len = 2, data = { 2, 3 } }, k = 4 }
  omp "target map(pair)" "pair.first.data[0] += pair.second.data[1]; pair.k = 5;"
  expect.host("pair.first.data[0]", 4)
  expect.host("pair.k", 5)
  omp "declare mapper(struct pair p) map(p.second)"
  omp "target data map(to: pair)" (function()
    expect.absent "pair.first.len"
    expect.absent "pair.k"
    expect.attached "pair.second.data"
    expect.absent "pair.second.host_only"
  end)
end)

case("accepts: a mapper applies mappers to sections, also by name [OMP60-map-15]", function()
  omp "declare mapper(short: struct vec v) map(v.len, v.data) map(v.data[0:1])"
  omp "declare mapper(struct tree t) map(t.n, t.kids) map(t.kids[0:t.n])"
  omp "declare mapper(brief: struct tree t) map(t.n, t.kids) map(mapper(short), tofrom: t.kids[0:t.n])"
  host.tree = { n = 3, kids = addr "vs[0]" }
  omp "target data map(to: tree)" (function()
    expect.attached "tree.kids"
    expect.attached "vs[2].data"
    expect.present "vs[2].data[0:3]"
    expect.absent "tree.next"
    omp "target" "tree.kids[1].data[1] = tree.n;"
    expect.device("vs[1].data[1]", 3)
  end)
  omp "target data map(mapper(brief), to: tree)" (function()
    expect.present "vs[2].data[0:1]"
    expect.absent "vs[2].data[1:2]"
  end)
  expect.equal(#state().present, 0)
end)

case("rejects: a mapper maps a type that points to itself without an end [OMP60-map-15]", function()
  omp "declare mapper(struct tree t) map(t.n, t.next) map(t.next[0:1])"
  expect.fails("recursive-type", "target data map(to: tree)", "OMP60-map-15")
end)

-- ------------------------------------------------------------------------------------------- types --

case("accepts: data are sent if both types send, and copied to the host if both types do so [OMP60-map-2]", function()
  host.plain = { a = 1, b = { 1, 2 } }
  for _, own in ipairs { "alloc", "to", "from", "tofrom" } do
    omp(("declare mapper(by_%s: struct plain v) map(to: v.a, v.b) map(%s: v.b[0:2])"):format(own, own))
  end
  local function run(own, asked, sent, back)
    local text = ("target data map(mapper(by_%s), %s: plain)"):format(own, asked)
    local list = events(function() omp(text)(function() expect.present "plain.b[0:2]" end) end)
    local found = { h2d = false, d2h = false }
    for _, event in ipairs(list) do
      if event.name == "plain.b[0:2]" and found[event.op] ~= nil then found[event.op] = true end
    end
    expect(found.h2d == sent and found.d2h == back,
      ("%s for %s: sent %s, back %s"):format(own, asked, found.h2d, found.d2h))
  end
  for _, asked in ipairs { "alloc", "to", "from", "tofrom" } do
    local to, from = asked == "to" or asked == "tofrom", asked == "from" or asked == "tofrom"
    run("alloc", asked, false, false)
    run("to", asked, to, false)
    run("from", asked, false, from)
    run("tofrom", asked, to, from)
  end
end)

case("accepts: release and delete apply to all parts of a mapper [OMP60-map-2]", function()
  omp "declare mapper(struct plain v) map(to: v.a, v.b) map(from: v.b[0:2])"
  host.plain = { a = 1, b = { 1, 2 } }
  omp "target enter data map(to: plain)"
  omp "target" "plain.b[0] = 5;"
  omp "target enter data map(to: plain)"
  omp "target exit data map(release: plain)"
  expect.count("plain.b[0:2]", { dynamic = 1 })
  omp "target exit data map(from: plain)"
  expect.host("plain.b[0]", 5)
  expect.host("plain.a", 1)
  omp "target enter data map(to: plain)"
  omp "target enter data map(to: plain)"
  expect.count("plain.b[0:2]", { dynamic = 2 })
  omp "target exit data map(delete: plain)"
  expect.equal(#state().present, 0)
end)

case("accepts: modifiers of the list item and of the mapper both apply [OMP60-map-2]", function()
  omp "target enter data map(to: v)"
  expect.present "v.len"
  host.v.len, host.v.data[1] = 2, 60
  omp "target data map(always, to: v)" (function()
    expect.device("v.len", 2)
    expect.device("v.data[1]", 60)
  end)
  expect.fails("not-present", function() omp "target data map(present, to: vs[0])" end)
  omp "declare mapper(struct plain v) map(v.a, v.b) map(always, tofrom: v.b[0:1])"
  host.plain = { a = 1, b = { 1 } }
  omp "target enter data map(to: plain)"
  expect.present "plain.b[0:1]"
  host.plain.b[0] = 70
  omp "target map(plain)" "plain.b[0] = plain.b[0] + 1;"
  expect.host("plain.b[0]", 71)
end)

case("accepts: a mapper's map with always copies members of present objects [OMP60-map-15 OMP60-map-5]", function()
  declare "struct point { int x, y; } points[3];"
  omp "declare mapper(in: struct point v) map(always, to: v.x) map(to: v.y)"
  omp "declare mapper(out: struct point v) map(always, from: v.x) map(v.y)"
  omp "target enter data map(to: points)"
  for i = 0, 2 do host.points[i] = { x = 10 + i, y = 20 } end
  expect.moves(function() omp "target enter data map(mapper(in), to: points)" end,
    { h2d = { count = 3, bytes = 12 }, d2h = 0 })
  expect.device("points[2].x", 12)
  expect.device("points[2].y", 0)
  omp "target" "points[1].x = 50; points[1].y = 60;"
  expect.moves(function() omp "target data map(mapper(out), from: points)" (function() end) end,
    { h2d = 0, d2h = { count = 3, bytes = 12 } })
  expect.host("points[1].x", 50)
  expect.host("points[1].y", 20)
end)

case("rejects: a mapper's map with present names members that are absent [OMP60-map-9 OMP60-map-15]", function()
  rules "openmp-5.2"
  declare [[
    struct point { int x, y; } s;
    #pragma omp declare mapper(there: struct point v) map(present, to: v.x)
    #pragma omp declare mapper(second: struct point v) map(to: v.y)
  ]]
  expect.fails("not-present", "target enter data map(mapper(there), to: @s)", "OMP60-map-9")
  omp "target enter data map(mapper(second), to: s)"
  expect.present "s.y"
  expect.fails("not-present", "target enter data map(mapper(there), to: @s)", "OMP60-map-9")
  omp "target exit data map(mapper(second), release: s)"
  omp "target enter data map(to: s)"
  omp "target enter data map(mapper(there), to: s)"
  expect.count("s", { dynamic = 2 })
end)

case("accepts: an item of a mapper under several types follows all of them [OMP60-map-2]", function()
  omp "declare mapper(struct plain v) map(alloc: v.a, v.b, v.b[0:2]) map(from: v.b[0:2]) map(to: v.b[0:2])"
  host.plain = { a = 1, b = { 1, 2 } }
  expect.moves(function()
    omp "target map(plain)" "plain.b[0] = plain.b[1] + 3;"
  end, { h2d = { count = 2, bytes = 24 }, d2h = { count = 1, bytes = 16 } })
  expect.host("plain.b[0]", 5)
end)

case("rejects: an item of a mapper has several types with different modifiers [OMP60-map-2 OMP60-map-13]", function()
  expect.fails("conflicting-clauses", function()
    omp "declare mapper(struct plain v) map(to: v.a) map(always, from: v.a)"
  end)
end)

case("differs: data that one of the two types does not copy are not copied [OMP60-map-2]", function()
  omp "declare mapper(struct plain v) map(to: v.a, v.b) map(to: v.b[0:2])"
  host.plain = { a = 1, b = { 1, 2 } }
  expect.moves(function()
    omp "target map(tofrom: plain)" "plain.b[0] = 5; plain.a = 6;"
  end, { h2d = { bytes = 28 }, d2h = 0 })
  expect.host("plain.b[0]", 1)
  expect.host("plain.a", 1)
  expect.fails("uninitialized-read", function() omp "target map(from: plain)" "plain.b[0] = plain.b[1];" end)
end)

-- -------------------------------------------------------------------------------------- update, ends --

case("accepts: each construct evaluates the bounds of a mapper again [OMP60-map-15]", function()
  omp "target enter data map(to: v)"
  host.v.len = 1
  host.v.data[0], host.v.data[2] = 50, 52
  omp "target update to(v)"
  expect.device("v.data[0]", 50)
  expect.device("v.data[2]", 3)
  omp "target data map(to: v)" (function() -- the end uses the bounds of the begin
    expect.count("v.data[0:3]", { structured = 1, dynamic = 1 })
    host.v.len = 3
  end)
  host.v.len = 3
  omp "target exit data map(release: v)"
  expect.equal(#state().present, 0)
end)

case("rejects: a section of a mapper has grown since it was mapped [OMP60-map-15 OMP60-sec-1]", function()
  omp "target enter data map(to: vs[0])"
  host.vs[0].len = 3
  expect.fails("partially-present", function() omp "target data map(to: vs[0])" end)
  host.vs[0].len = 4
  expect.fails("out-of-bounds", function() omp "target data map(to: vs[0])" end)
  expect.fails("out-of-bounds", function() omp "target enter data map(to: vs)" end)
  host.vs[0].len = -1
  expect.fails("invalid-section", function() omp "target update to(vs[0])" end)
end)

case("accepts: a null pointer is allowed without elements, and an error with elements [OMP60-map-15]", function()
  host.v = { len = 0, data = NULL }
  omp "target map(v)" "if (v.data == 0) v.len = 5;"
  expect.host("v.len", 5)
  expect.fails("null-pointer", "target map(v)")
end)

-- -------------------------------------------------------------------------------------- definitions --

case("rejects: a mapper has a type that is not a structure, or is unknown [OMP60-map-15]", function()
  expect.fails("not-a-struct", "declare mapper(@int i) map(i)", "OMP60-map-15")
  expect.fails("not-a-struct", "declare mapper(@double *q) map(q[0:2])", "OMP60-map-15")
  expect.fails("clause-not-allowed", "declare mapper(bound: struct vec n) @bind_types(v) map(n.len)")
  expect.fails("clause-not-allowed", "declare mapper(bound: struct vec n) @bind_group(none) map(n.len)")
  expect.fails("unknown-type", "declare mapper(@struct none n) map(n)", "OMP60-map-15")
  expect.malformed "declare mapper(struct vec) map(v)"
  expect.malformed "declare mapper() map(v)"
  expect.malformed "declare mapper map(v)"
  expect.malformed "declare mapper(a: b: struct vec v) map(v)"
  expect.malformed "declare mapper(struct vec v"
end)

case("rejects: a mapper has no map, other clauses, or types of exit data [OMP60-map-15]", function()
  expect.fails("syntax", "declare mapper@(n: struct vec v)", "OMP60-map-15")
  expect.fails("clause-not-allowed", "declare mapper(n: struct vec v) @if(1) map(v)")
  expect.fails("clause-not-allowed", "declare mapper(n: struct vec v) map(@release: v)", "OMP60-map-15")
  expect.fails("clause-not-allowed", "declare mapper(n: struct vec v) map(@delete: v)", "OMP60-map-15")
  expect.fails("unknown-clause", "declare mapper(n: struct vec v) @nothing(v)")
end)

case("rejects: a mapper names another variable, or no member of its own [OMP60-map-15]", function()
  expect.fails("unknown-name", "declare mapper(n: struct vec v) map(@x)", "OMP60-map-15")
  expect.fails("unknown-name", "declare mapper(n: struct vec w) map(@v.len)", "OMP60-map-15")
  expect.fails("unknown-member", "declare mapper(n: struct vec w) map(w.@length)", "OMP60-map-15")
  expect.fails("not-a-pointer", "declare mapper(n: struct vec w) map(w.len@[0:2])", "OMP60-map-15")
  expect.fails("not-a-pointer", "declare mapper(n: struct vec w) map(w@[0:2])", "OMP60-map-15")
  expect.fails("not-a-pointer", "declare mapper(n: struct vec w) map(w@->len)", { help = "'.'" })
  expect.fails("not-a-struct", "declare mapper(n: struct vec w) map(w.@len.x)")
  expect.fails("unknown-name", "declare mapper(n: struct vec w) map(w.data[0:@length])", "OMP60-map-15")
  expect.fails("unknown-member", "declare mapper(n: struct vec w) map(w.data[0:2*w.@length])", "OMP60-map-15")
  expect.fails("clause-not-allowed", "declare mapper(n: union both w) map(w.@i)", "OMP60-map-13")
end)

case("rejects: a section in a mapper has a stride, or is of a pointer and has no length [OMP60-map-13 OMP60-sec-1]",
  function()
    expect.fails("invalid-section", "declare mapper(n: struct vec w) map(w.data[0:2:@2])", "OMP60-map-13")
    expect.fails("invalid-section", "declare mapper(n: struct vec w) map(w.data[0:w.len:@-1])", "OMP60-map-13")
    expect.fails("invalid-section", "declare mapper(n: struct vec w) map(w.data@[:])", "OMP60-sec-1")
  end)

case("accepts: a section in a mapper has a stride without effect [OMP60-map-13]", function()
  omp "declare mapper(one: struct vec w) map(w.len, w.data[0:w.len:1])"
  omp "target enter data map(mapper(one), to: v)"
  expect.present "v.data[0:v.len]"
end)

case("rejects: a type has two mappers of one name [OMP60-map-15]", function()
  omp "declare mapper(struct plain w) map(w)"
  expect.fails("duplicate-name", "declare mapper(@struct plain w) map(w)", "OMP60-map-15")
  expect.fails("duplicate-name", "declare mapper(default: @struct plain w) map(w)", "OMP60-map-15")
  omp "declare mapper(other: struct vec w) map(w)"
  expect.fails("duplicate-name", "declare mapper(other: @struct vec w) map(w)", "OMP60-map-15")
  omp "declare mapper(other: struct plain w) map(w)"
  omp "target data map(mapper(other), to: plain)" (function() expect.present "plain" end)
  omp "declare mapper(struct vec w) map(w.len)" -- replaces the mapper of the file in this case
  omp "target data map(v)" (function()
    expect.present "v.len"
    expect.absent "v.data"
  end)
end)

case("rejects: a clause names an unknown mapper, or one of another type [OMP60-map-15 OMP60-map-3]", function()
  expect.fails("unknown-name", "target data map(mapper(@none), to: v)", "OMP60-map-15")
  expect.fails("unknown-name", "target data map(mapper(@defalt), to: v)", { rule = "OMP60-map-15", help = "default" })
  expect.fails("not-a-struct", "target data map(mapper(@half), to: x)", "OMP60-map-15")
  expect.fails("not-a-struct", "target data map(mapper(@half), to: p[0:2])", "OMP60-map-15")
  expect.fails("duplicate-clause", "target data map(mapper(default), @mapper(default), to: v)", "OMP60-map-3")
  expect.fails("unknown-name", "target enter data map(mapper(@half), to: plain)", "OMP60-map-15")
end)

case("accepts: a mapper among declarations belongs to its case [OMP60-map-15]", function()
  declare [[
    struct inside { int n; float *f; };
    #pragma omp declare mapper(only: struct inside i) map(i.n, i.f) map(i.f[0:i.n])
    struct inside in;
  ]]
  host["in"] = { n = 2, f = { 1, 2 } }
  expect.moves(function()
    omp "target map(mapper(only), tofrom: in)" "in.f[1] = 5;"
  end, { h2d = { count = 3, bytes = 20 }, d2h = { count = 2, bytes = 12 } })
  expect.host("in.f[1]", 5)
end)

case("rejects: a clause names a mapper of an earlier case [OMP60-map-15]", function()
  expect.fails("unknown-name", "target data map(mapper(@other), to: v)", "OMP60-map-15")
  expect.invalid("struct inside in2;", "unknown-type")
end)

-- ------------------------------------------------------------------------------- many objects --

-- Many sections of a mapper have one entry in the present table. Each is still reported by its own name.
declare [[
  struct series { int len; int *data; };
  #pragma omp declare mapper(struct series v) map(v, v.data[0:v.len])
  struct series M[100];
  int data[200];
]]
local function fill()
  for i = 0, 99 do
    host.M[i] = { len = 2 }
    host.M[i].data = addr "data[0]" + 2 * i
    host.data[2 * i] = i
  end
end

case("accepts: a construct counts a hundred objects and their sections once each [OMP60-map-5]", function()
  fill()
  omp "target enter data map(to: M)"
  omp "target enter data map(to: M)"
  omp "target exit data map(release: M)"
  expect.count("M[7].data[0:2]", { dynamic = 1 })
  expect.attached "M[7].data"
  expect.device("M[99].data[0]", 99)
  omp "target exit data map(from: M)"
  expect.equal(#state().present, 0)
end)

case("accepts: sections are unmapped, and the pointers to them keep their values"
  .. " [OMP60-map-6 OMP60-map-7]", function()
  fill()
  omp "target enter data map(to: M)"
  omp "target enter data map(alloc: M[0].len)"
  omp "target exit data map(release: M)"
  expect.count("M[0].len", { dynamic = 1 })
  expect.absent "M[5].data[0:2]"
  expect.fails("out-of-bounds", function() omp "target map(M[0].len)" (function(d) d.M[5].data[0] = 1 end) end)
end)

case("rejects: a clause names a section that exceeds one of the mapped sections [OMP60-map-13]", function()
  fill()
  omp "target enter data map(to: M)"
  expect.fails("partially-present", function() omp "target enter data map(to: data[1:2])" end)
  omp "target exit data map(delete: M)"
  omp "target enter data map(to: data[1:2])"
  expect.present "data[1:2]"
end)
