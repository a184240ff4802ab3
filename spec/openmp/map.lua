-- The map clause: types, modifiers, entry and exit, counts, and restrictions on one construct.
scenario { title = "OpenMP: the map clause", rules = "openmp-5.1" }

declare [[
  int x = 1, y = 2, n = 4, zero = 0;
  double v[8], *p, *q, m[3][4], *rows[3], (*block)[4];
  struct inner { int i, j; };
  struct node { int n; double *d; int k; double *e; struct inner in, list[3]; } s, t, nodes[4], *np;
  union both { int i; float f; } u;
]]
host.v = { 0, 1, 2, 3, 4, 5, 6, 7 }
host.p = { 10, 11, 12, 13, 14, 15, 16, 17 }
host.q = host.p
host.s = { n = 4, d = { 1, 2, 3, 4 }, k = 7, e = { 5, 6, 7, 8 } }
host.m = { { 0, 1, 2, 3 }, { 10, 11, 12, 13 }, { 20, 21, 22, 23 } }

local function moved(text, h2d, d2h)
  expect.moves(function() expect.accepts(text) end, { h2d = h2d, d2h = d2h })
end

-- ------------------------------------------------------------------------------------------- types --

case("accepts: each map type copies on regions and target constructs as its name says"
  .. " [OMP60-map-1 OMP60-map-5 OMP60-map-6]", function()
  for _, construct in ipairs { "target data", "target", "target parallel", "target teams distribute" } do
    moved(construct .. " map(alloc: v)", 0, 0)
    moved(construct .. " map(to: v)", { count = 1, bytes = 64 }, 0)
    expect.absent "v"
  end
  for _, construct in ipairs { "target data", "target" } do
    -- bytes that the device never wrote come back unchanged
    moved(construct .. " map(tofrom: v)", { bytes = 64 }, { bytes = 64 })
    moved(construct .. " map(v)", { bytes = 64 }, { bytes = 64 })
    moved(construct .. " map(from: v)", 0, { bytes = 64 })
  end
end)

case("accepts: storage is another name of alloc [OMP60-map-1]", function()
  rules "openmp-6.0"
  moved("target data map(storage: v)", 0, 0)
  omp "target enter data map(storage: v)"
  expect.count("v", { dynamic = 1, structured = 0 })
  omp "target exit data map(release: v)"
  expect.absent "v"
end)

case("accepts: each map type copies on enter data and exit data as its name says [OMP60-map-1]", function()
  moved("target enter data map(alloc: v) map(to: x)", { bytes = 4 }, 0)
  moved("target exit data map(from: x) map(release: v)", 0, { bytes = 4 })
  moved("target enter data map(to: v)", { bytes = 64 }, 0)
  moved("target exit data map(delete: v)", 0, 0)
  expect.absent "v"
end)

case("rejects: a map type is not allowed on the construct [OMP60-map-1]", function()
  expect.fails("clause-not-allowed", "target data map(@release: v)", "OMP60-map-1")
  expect.fails("clause-not-allowed", "target data map(@delete: v)", "OMP60-map-1")
  expect.fails("clause-not-allowed", "target map(@release: v)", "OMP60-map-1")
  expect.fails("clause-not-allowed", "target map(always, @delete: v)", "OMP60-map-1")
  expect.fails("clause-not-allowed", "target enter data map(@from: v)", "OMP60-map-1")
  expect.fails("clause-not-allowed", "target enter data map(@tofrom: v)", "OMP60-ver-1")
  expect.fails("clause-not-allowed", "target enter data map(@release: v)", "OMP60-map-1")
  expect.fails("clause-not-allowed", "target enter data map(@delete: v)", "OMP60-map-1")
  expect.fails("clause-not-allowed", "target exit data map(@to: v)", "OMP60-map-1")
  expect.fails("clause-not-allowed", "target exit data map(@tofrom: v)", "OMP60-ver-1")
  expect.fails("clause-not-allowed", "target exit data map(@alloc: v)", "OMP60-map-1")
end)

case("accepts: enter data without a type sends, and exit data without a type copies to the host"
  .. " [OMP60-map-1]", function()
  rules "openmp-5.2"
  moved("target enter data map(v)", { bytes = 64 }, 0)
  moved("target enter data map(always: v)", { bytes = 64 }, 0)
  moved("target exit data map(v)", 0, 0)
  moved("target exit data map(v)", 0, { bytes = 64 })
  expect.absent "v"
end)

case("rejects: a map has two types, or unknown or misspelt words [OMP60-map-1]", function()
  expect.fails("conflicting-clauses", "target data map(to, @from: v)", "OMP60-map-1")
  expect.fails("conflicting-clauses", "target data map(to, @to: v)", "OMP60-map-1")
  expect.fails("syntax", "target data map(@tofrm: v)", { rule = "OMP60-map-1", help = "tofrom" })
  expect.fails("syntax", "target data map(@copyin: v)", "OMP60-map-1")
  expect.fails("syntax", "target data map(@alwys, to: v)", { rule = "OMP60-map-1", help = "always" })
  expect.fails("unknown-clause", "target data @mapp(to: v)", { help = "map" })
  expect.fails("clause-not-allowed", "target data @copyin(v)")
end)

case("rejects: the list of a map is malformed [OMP60-map-1 OMP60-sec-1]", function()
  for _, text in ipairs { "target data map()", "target data map(to:)", "target data map(to: v,)", "target data map",
    "target data map(to: v", "target data map(to: v) map", "target data map(to v)", "target data map(: v)",
    "target data map(to: v+1)", "target data map(to: p[@q])", "target data map(to:: v)", "target data map(to,: v)",
    "target data map(,to: v)", "target data map(to: v[)", "target data map(to: v[0:2)", "target data map(to: v]",
    "target data map(to: (v)", "target data map(to: v;)", "target data map(to: int)",
    "target data map(to: v) nonsense(", "target data map(to: v v)",
    "target data map(iterator(), to: v)", "target data map(iterator(i), to: v)", "target data map(mapper(), to: v)" } do
    expect.malformed(text)
  end
end)

case("rejects: a list item has an unknown name, or is not a variable [OMP60-map-1 OMP60-sec-1]", function()
  expect.fails("unknown-name", "target data map(to: @vv)")
  expect.fails("unknown-member", "target data map(to: s.@dd)")
  expect.fails("unknown-member", "target data map(to: nodes[0].@dd[0:2])")
  expect.fails("unknown-name", "target data map(to: x, v, @w)")
  expect.fails("unknown-name", "target data map(to: v[0:@nn])")
  expect.fails("not-a-struct", "target data map(to: x@.y)")
  expect.fails("not-a-pointer", "target data map(to: x@[0:1])")
end)

-- --------------------------------------------------------------------------------------- modifiers --

local function all_accepted(list)
  for _, text in ipairs(list) do
    omp "target enter data map(to: v)"
    omp("target data map(" .. text .. ": v)")(function() expect.count("v", { structured = 1, dynamic = 1 }) end)
    omp "target exit data map(release: v)"
    expect.absent "v"
  end
end

case("accepts: modifiers have any order, before 6.0 also without commas [OMP60-map-3 OMP60-ver-1]", function()
  rules "openmp-5.2"
  all_accepted { "always, to", "always to", "always, close, to", "close always, tofrom", "present, alloc",
    "always,present,close,to", "always", "close", "present" }
  rules "openmp-6.0"
  all_accepted { "always, to", "to, always", "close, tofrom, always", "storage, present", "always,present,to,close",
    "always", "close", "present" }
end)

case("rejects: before 6.0 a map type is not the last modifier, or in 6.0 a comma is missing"
  .. " [OMP60-ver-1 OMP60-map-3]", function()
  rules "openmp-5.2"
  expect.fails("clause-not-allowed", "target data map(to, @always: v)", "OMP60-ver-1")
  expect.fails("clause-not-allowed", "target data map(always, to, @close: v)", "OMP60-ver-1")
  rules "openmp-6.0"
  expect.fails("clause-not-allowed", "target data map(always @to: v)", { rule = "OMP60-ver-1", help = "','" })
  expect.fails("clause-not-allowed", "target data map(close @always, tofrom: v)", "OMP60-ver-1")
end)

case("rejects: a modifier occurs twice, or has a wrong argument [OMP60-map-3]", function()
  expect.fails("duplicate-clause", "target data map(always, @always, to: v)", "OMP60-map-3")
  expect.fails("duplicate-clause", "target data map(close, @close, to: v)", "OMP60-map-3")
  expect.fails("duplicate-clause", "target data map(present, @present: v)", "OMP60-map-3")
  expect.malformed "target data map(always(x), to: v)"
  expect.malformed "target data map(present(), to: v)"
  expect.malformed "target data map(mapper, to: v)"
  expect.malformed "target data map(iterator, to: v)"
end)

case("differs: the words of modifiers are names of variables if no colon follows [OMP60-map-3]", function()
  declare "int always = 3, to = 4, present = 5;"
  omp "target data map(always, to)" (function()
    expect.device("always", 3)
    expect.device("to", 4)
  end)
  omp "target data map(to: to, present)" (function() expect.device("present", 5) end)
end)

case("accepts: an iterator stands for its instances [OMP60-map-3]", function()
  for i = 0, 3 do host.nodes[i] = { n = i, d = { i, i + 1 } } end
  omp "target enter data map(to: nodes)"
  omp "target enter data map(iterator(i = 0:4), to: nodes[i].d[0:2])"
  for i = 0, 3 do expect.device(("nodes[%d].d[1]"):format(i), i + 1) end
  omp "target" "for (int i = 0; i < 4; i++) nodes[i].d[0] += 100;"
  omp "target exit data map(iterator(int i = 0:4), from: nodes[i].d[0:2])"
  expect.host("nodes[3].d[0]", 103)
  expect.absent "nodes[3].d[0:2]"
  omp "target exit data map(delete: nodes)"
  expect.absent "nodes"
end)

case("accepts: iterators have steps and types, several variables, or no instances [OMP60-map-3]", function()
  for i = 0, 3 do host.nodes[i] = { n = i, d = { i, i + 1 } } end
  omp "target enter data map(iterator(i = 0:4:2), to: nodes[i].d[0:2])"
  expect.present "nodes[2].d[0:2]"
  expect.absent "nodes[1].d[0:2]"
  omp "target exit data map(iterator(i = 2:-1:-2), release: nodes[i].d[0:2])"
  expect.equal(#state().present, 0)
  omp "target enter data map(iterator(unsigned long i = 0:n-4), to: nodes[i].d[0:2])"
  expect.equal(#state().present, 0)
  for i = 0, 2 do host.rows[i] = { i, i, i, i } end
  omp "target enter data map(iterator(i = 0:3, j = 0:1), to: rows[i+j][0:4])"
  expect.equal(#state().present, 3)
end)

case("rejects: an iterator has a zero step or too many instances, or is malformed [OMP60-map-3]", function()
  expect.fails("invalid-section", "target data map(iterator(@i = 0:4:0), to: nodes[i].d[0:2])", "OMP60-map-3")
  expect.fails("duplicate-name", "target data map(iterator(i = 0:2, @i = 0:2), to: nodes[i].d[0:2])", "OMP60-map-3")
  expect.fails("limit", "target data map(iterator(i = 0:1000000000), to: nodes[i]@.n)")
  expect.fails("unknown-name", "target data map(iterator(i = 0:@k), to: nodes[i].d[0:2])")
  expect.fails("unknown-name", "target data map(iterator(i = 0:4), to: nodes[@j].d[0:2])")
  expect.fails("type-mismatch", "target data map(iterator(i = @p:4), to: nodes[i].d[0:2])")
  expect.malformed "target data map(iterator(i = 0), to: nodes[i].d[0:2])"
  expect.malformed "target data map(iterator(i = 0:4, to: nodes[i].d[0:2])"
end)

case("rejects: the instances of an iterator share one array or one pointer [OMP60-map-3 OMP60-map-13]", function()
  expect.fails("conflicting-clauses", "target data map(iterator(i = 0:4), to: v@[2*i:2])", "OMP60-map-13")
  expect.fails("conflicting-clauses", "target data map(iterator(i = 0:4), to: p@[i])", "OMP60-map-13")
  expect.fails("conflicting-clauses", "target data map(iterator(i = 0:4), to: s.d@[i:1])", "OMP60-map-13")
  expect.fails("conflicting-clauses", "target data map(iterator(i = 0:4), to: nodes[i]@.n)",
    { rule = "OMP60-map-13", help = "one section" })
  omp "target enter data map(iterator(i = 0:1), to: v[2*i:2])" -- one instance shares its array with no other instance
  expect.present "v[0:2]"
end)

case("accepts: close changes no result [OMP60-map-14]", function()
  moved("target data map(close, to: v)", { bytes = 64 }, 0)
  omp "target enter data map(close, to: v)"
  omp "target data map(close, tofrom: v)" (function() expect.count("v", { structured = 1, dynamic = 1 }) end)
end)

case("rejects: self asks for the storage of the host, which the device does not share [OMP60-map-14]", function()
  rules "openmp-6.0"
  expect.fails("unsupported", "target data map(@self: v)", "OMP60-map-14")
  expect.fails("unsupported", "target data map(@self, to: v)", "OMP60-map-14")
  expect.fails("unsupported", "requires @self_maps", "OMP60-map-14")
  expect.fails("unsupported", "requires @unified_shared_memory", "OMP60-map-14")
end)

-- ------------------------------------------------------------------------------------------ blocks --

case("accepts: members on one construct form one block with one count [OMP60-map-4]", function()
  omp "target enter data map(to: s.n, s.k) map(to: s.in)"
  expect.equal(#state().present, 1)
  expect.count("s.n", { dynamic = 1 })
  expect.count("s.in", { dynamic = 1 })
  expect.device("s.k", 7)
  omp "target exit data map(release: s.n)"
  expect.absent "s.k"
  expect.equal(#state().present, 0)
end)

case("accepts: members through a pointer form one block [OMP60-map-4]", function()
  host.np = addr "s"
  omp "target enter data map(to: np->n, np->k)"
  expect.equal(#state().present, 1)
  expect.present "s.n"
  expect.device("s.k", 7)
  expect.absent "s.d"
  expect.absent "np"
  omp "target exit data map(release: np->k, np->n)"
  expect.equal(#state().present, 0)
end)

case("accepts: each part of a block is copied by its own clause [OMP60-map-4 OMP60-map-6]", function()
  omp "target data map(to: s.n) map(from: s.k) map(alloc: s.in)" (function()
    expect.device("s.n", 4)
    expect.uninitialized "s.k"
    expect.uninitialized "s.in"
    omp "target" "s.n = 50; s.k = 51; s.in.i = 52;"
  end)
  expect.host("s.n", 4)
  expect.host("s.k", 51)
  expect.host("s.in.i", 0)
end)

case("accepts: elements of an array of structures form blocks of their own [OMP60-map-4]", function()
  omp "target enter data map(to: nodes[0].n, nodes[0].k, nodes[2].n, nodes[2].k)"
  expect.equal(#state().present, 2)
  expect.absent "nodes[1].n"
end)

case("accepts: members of a member belong to the same structure [OMP60-map-4]", function()
  omp "target enter data map(to: s.in.i, s.list[1].j, s.n)"
  expect.equal(#state().present, 1)
  expect.present "s.in.i"
  expect.absent "s.in.j"
  expect.absent "s.list[0].j"
  expect.present "s.list[1].j"
end)

case("rejects: a body or a clause uses bytes between the members of a block [OMP60-map-4 OMP60-map-9]", function()
  omp "target data map(to: s.n, s.k)" (function()
    expect.absent "s.d"
    expect.fails("not-present", function() omp "target" "s.d = 0;" end)
    expect.fails("not-present", function() omp "target map(present, alloc: s.d)" "" end)
  end)
end)

case("differs: members of two structures do not form a block [OMP60-map-4]", function()
  omp "target enter data map(to: s.n, t.n)"
  omp "target exit data map(release: s.n)"
  expect.absent "s.n"
  expect.present "t.n"
end)

-- ------------------------------------------------------------------------------------------- entry --

case("accepts: new data are counted once and sent once [OMP60-map-5]", function()
  expect.events(function() omp "target enter data map(to: v)" end, { "alloc v", "h2d v", "incref v" })
  expect.events(function() omp "target enter data map(to: v)" end, { "incref v" })
  expect.count("v", { dynamic = 2 })
end)

case("accepts: a construct counts a block once, even if several items name the block [OMP60-map-5]", function()
  omp "target enter data map(to: v) map(to: v) map(alloc: v)"
  expect.count("v", { dynamic = 1 })
  omp "target enter data map(to: p[0:8]) map(to: p[0:8], q[0:8])"
  expect.count("p[0:8]", { dynamic = 1 })
  omp "target data map(v) map(to: v)" (function() expect.count("v", { structured = 1, dynamic = 1 }) end)
  expect.count("v", { structured = 0, dynamic = 1 })
end)

case("accepts: several clauses on one item all take effect [OMP60-map-5 OMP60-map-6]", function()
  expect.moves(function()
    for _, text in ipairs { "map(to: x) map(from: x)", "map(from: x) map(to: x)", "map(alloc: x) map(tofrom: x)",
      "map(tofrom: x) map(alloc: x)" } do
      host.x = 1
      omp("target " .. text)(function(d) d.x = d.x + 1 end)
      expect.host("x", 2)
    end
  end, { h2d = { count = 4, bytes = 16 }, d2h = { count = 4, bytes = 16 } })
end)

case("accepts: the order of clauses has no effect [OMP60-map-5]", function()
  local both = { "map(v) map(present, alloc: s.n)", "map(t.d[0:2], t.d)" }
  host.t = { d = { 1, 2 } }
  for i = 1, 2 do
    omp "target enter data map(to: s.n, s.k)"
    omp("target data " .. both[i] .. " " .. both[3 - i])(function()
      expect.count("s.n", { structured = 1, dynamic = 1 })
      expect.attached "t.d"
    end)
    expect.absent "v"
    omp "target exit data map(delete: s.n)"
    expect.equal(#state().present, 0)
  end
end)

case("accepts: always copies data to the device that are present already [OMP60-map-5]", function()
  omp "target enter data map(to: v)"
  host.v[0] = 99
  moved("target enter data map(to: v)", 0, 0)
  expect.device("v[0]", 0)
  moved("target enter data map(always, to: v)", { bytes = 64 }, 0)
  expect.device("v[0]", 99)
  host.v[1] = 98
  moved("target enter data map(always, to: v[1:1])", { bytes = 8 }, 0)
  expect.device("v[1]", 98)
  expect.count("v", { dynamic = 4 })
end)

case("differs: always copies neither for alloc nor for elements that are not named [OMP60-map-5]", function()
  omp "target enter data map(to: v)"
  moved("target enter data map(always, alloc: v)", 0, 0)
  host.v[0], host.v[7] = 99, 98
  omp "target enter data map(always, to: v[0:4])"
  expect.device("v[0]", 99)
  expect.device("v[7]", 7)
  moved("target data map(always, from: v)", 0, { bytes = 64 })
end)

case("differs: a second map does not copy to the device [OMP60-map-5]", function()
  omp "target data map(alloc: v)" (function()
    moved("target data map(to: v)", 0, 0)
    expect.uninitialized "v"
  end)
end)

case("rejects: a kernel reads bytes of the device that were never written [OMP60-map-5]", function()
  declare "char big[2000000];"
  expect(sizeof "char" == 1)
  omp "target enter data map(alloc: big)"
  expect.fails("uninitialized-read", function() omp "target" "big[0] = big[1];" end)
end)

-- -------------------------------------------------------------------------------------------- exit --

case("accepts: the last reference copies the data to the host and unmaps them [OMP60-map-6]", function()
  omp "target enter data map(to: v)"
  omp "target enter data map(to: v)"
  omp "target" "v[0] = 50;"
  moved("target exit data map(from: v)", 0, 0)
  expect.host("v[0]", 0)
  expect.count("v", { dynamic = 1 })
  moved("target exit data map(from: v)", 0, { bytes = 64 })
  expect.host("v[0]", 50)
  expect.absent "v"
end)

case("accepts: references of regions and of enter data count together [OMP60-map-6]", function()
  omp "target data map(tofrom: v)" (function()
    omp "target enter data map(to: v)"
    expect.count("v", { structured = 1, dynamic = 1 })
    omp "target" "v[0] = 50;"
  end)
  expect.host("v[0]", 0)
  expect.present "v"
  moved("target exit data map(from: v)", 0, { bytes = 64 })
  expect.host("v[0]", 50)
end)

case("accepts: exit data may take the reference of a region, and the region then ends without an error"
  .. " [OMP60-map-6]", function()
  omp "target data map(tofrom: v)" (function()
    omp "target" "v[0] = 50;"
    moved("target exit data map(from: v)", 0, { bytes = 64 })
    expect.absent "v"
    expect.host("v[0]", 50)
    host.v[0] = 51
  end)
  expect.host("v[0]", 51)
  expect.equal(#state().present, 0)
end)

case("accepts: delete ends all references at once [OMP60-map-6]", function()
  expect.moves(function()
    for _ = 1, 3 do omp "target enter data map(to: v)" end
  end, { h2d = { count = 1, bytes = 64 }, d2h = 0 })
  moved("target exit data map(delete: v)", 0, 0)
  expect.absent "v"
end)

case("accepts: delete unmaps data inside a region, and the region ends without an error [OMP60-map-6]", function()
  omp "target data map(tofrom: v)" (function()
    omp "target enter data map(to: v)"
    expect.count("v", { structured = 1, dynamic = 1 })
    omp "target exit data map(delete: v)"
    expect.absent "v"
    omp "target enter data map(to: v)"
    expect.count("v", { dynamic = 1 })
  end)
end)

case("accepts: delete of a part deletes the block that contains the part [OMP60-map-6 OMP60-map-4]", function()
  expect.moves(function() omp "target enter data map(to: s.n, s.k)" end, { h2d = { count = 2, bytes = 8 }, d2h = 0 })
  omp "target enter data map(to: s.n, s.k)"
  expect.count("s.n", { dynamic = 2 })
  omp "target exit data map(delete: s.k)"
  expect.absent "s.n"
end)

case("accepts: delete on one item does not delete other items [OMP60-map-6]", function()
  for _ = 1, 2 do omp "target enter data map(to: v, x)" end
  omp "target exit data map(delete: v) map(release: x)"
  expect.absent "v"
  expect.count("x", { dynamic = 1 })
end)

case("accepts: delete and from together copy to the host and unmap [OMP60-map-6]", function()
  for _ = 1, 2 do omp "target enter data map(to: v)" end
  omp "target" "v[0] = 50;"
  moved("target exit data map(delete: v) map(from: v)", 0, { bytes = 64 })
  expect.host("v[0]", 50)
  expect.absent "v"
end)

case("accepts: always copies to the host although references remain [OMP60-map-6]", function()
  omp "target enter data map(to: v)"
  omp "target map(always, from: v)" "v[0] = 50;"
  expect.host("v[0]", 50)
  omp "target data map(always, tofrom: v)" (function() omp "target" "v[1] = 51;" end)
  expect.host("v[1]", 51)
  omp "target enter data map(to: v)"
  omp "target" "v[2] = 52;"
  moved("target exit data map(always, from: v)", 0, { bytes = 64 })
  expect.host("v[2]", 52)
  expect.count("v", { dynamic = 1 })
end)

case("differs: always with release copies nothing [OMP60-map-6]", function()
  omp "target enter data map(to: v)"
  omp "target enter data map(to: v)"
  expect.count("v", { dynamic = 2 })
  moved("target exit data map(always, release: v)", 0, 0)
  moved("target data map(always, to: v)", { bytes = 64 }, 0)
end)

case("accepts: exit data ignores absent data [OMP60-map-6]", function()
  moved("target exit data map(from: v) map(release: x) map(delete: y)", 0, 0)
  omp "target enter data map(to: v)"
  moved("target exit data map(from: v) map(from: x)", 0, { bytes = 64 })
  expect.equal(#state().present, 0)
end)

case("accepts: exit data of a part unmaps the whole, and copies only the part [OMP60-map-6]", function()
  omp "target enter data map(to: v)"
  omp "target" "for (int i = 0; i < 8; i++) v[i] = 50 + i;"
  moved("target exit data map(from: v[2:2])", 0, { bytes = 16 })
  expect.absent "v"
  expect.host("v[2]", 52)
  expect.host("v[4]", 4)
end)

case("rejects: exit data names a section that is only partly present [OMP60-map-6 OMP60-map-13]", function()
  omp "target enter data map(to: v[0:4])"
  expect.fails("partially-present", function() omp "target exit data map(from: v)" end)
  expect.fails("partially-present", function() omp "target exit data map(release: v[3:2])" end)
  expect.count("v[0:4]", { dynamic = 1 })
end)

-- ----------------------------------------------------------------------------------------- present --

case("accepts: present finds data that are wholly present [OMP60-map-9]", function()
  omp "target enter data map(to: v)"
  omp "target data map(present, to: v)" (function() expect.count("v", { structured = 1 }) end)
  omp "target map(present, tofrom: v[2:3])" "v[2] = 50;"
  omp "target enter data map(present, alloc: v)"
  omp "target update from(present: v[2:1])"
  expect.host("v[2]", 50)
  omp "target exit data map(present, release: v)"
  omp "target exit data map(present, from: v)"
  expect.absent "v"
end)

case("rejects: present names absent or partly present data [OMP60-map-9]", function()
  for _, text in ipairs { "target data map(present, to: @v)", "target map(present, alloc: @v)",
    "target enter data map(present, to: @v)", "target exit data map(present, from: @v)",
    "target exit data map(present, release: @v)", "target exit data map(present, delete: @v)",
    "target update to(present: @v)", "target update from(present: @v)", "target map(present, to: p@[0:2])",
    "target map(present, to: s@.n)" } do
    expect.fails("not-present", text, "OMP60-map-9")
  end
  omp "target enter data map(to: v[0:4])"
  expect.fails("partially-present", function() omp "target map(present, to: v)" "" end)
  expect.fails("partially-present", function() omp "target update to(present: v)" end)
  expect.fails("partially-present", function() omp "target exit data map(present, release: v[2:4])" end)
end)

case("rejects: present names data that only the same construct maps [OMP60-map-9]", function()
  expect.fails("not-present", "target data map(to: v) map(present, to: @v)", "OMP60-map-9")
  expect.fails("not-present", "target data map(present, to: @v) map(to: v)", "OMP60-map-9")
  expect.fails("not-present", "target data map(to: s) map(present, alloc: s@.n)", "OMP60-map-9")
  expect.fails("not-present", "target data map(to: v) map(present, alloc: v@[2:2])", "OMP60-map-9")
end)

case("rejects: present names absent data, which is reported before other errors [OMP60-map-9]", function()
  omp "target enter data map(to: v[0:4])"
  expect.present "v[0:4]"
  for _, text in ipairs { "target data map(v) map(present, to: @x)", "target data map(present, to: @x) map(v)" } do
    local at = text:find "@"
    local err = expect.fails("not-present", function() omp((text:gsub("@", ""))) end)
    expect.equal(err.column, at)
  end
end)

-- ---------------------------------------------------------------------------------------- sections --

case("accepts: sections have all their forms [OMP60-sec-1]", function()
  local forms = { ["v[:]"] = 64, ["v[2:]"] = 48, ["v[:3]"] = 24, ["v[2:3]"] = 24, ["v[n:n]"] = 32, ["v[3]"] = 8,
    ["p[:4]"] = 32, ["p[1:2]"] = 16, ["p[n/2]"] = 8, ["m[1]"] = 32, ["m[1:2]"] = 64, ["m[1][1:2]"] = 16,
    ["m[0:2][0:4]"] = 64, ["m[0:2][:]"] = 64, ["m[:][:]"] = 96, ["m"] = 96, ["m[1:1][1:2]"] = 16, ["m[2][3]"] = 8,
    ["s.d[0:s.n]"] = 32, ["s.list[1:2]"] = 16, ["nodes[1:2]"] = 2 * sizeof "struct node", ["*p"] = 8 }
  for text, bytes in pairs(forms) do
    expect.moves(function() omp("target data map(to: " .. text .. ")")(function() expect.present(text) end) end,
      { h2d = { bytes = bytes }, d2h = 0 })
  end
end)

case("accepts: a section through a pointer to rows is mapped [OMP60-sec-1]", function()
  host.block = addr "m[0]"
  omp "target data map(to: block[0:3])" (function() expect.device("m[2][3]", 23) end)
  omp "target data map(to: block[1:2][0:4])" (function()
    expect.device("m[2][3]", 23)
    expect.absent "m[0][0]"
    omp "target map(block[1:2])" "block[1][0] = 77;"
    omp "target" "m[1][1] = 78;"
    expect.device("m[1][0:2]", { 77, 78 })
  end)
end)

case("accepts: a section of one row in an array of pointers is mapped [OMP60-sec-1]", function()
  for i = 0, 2 do host.rows[i] = { i, i + 10 } end
  omp "target data map(to: rows) map(to: rows[1][0:2])" (function()
    expect.attached "rows[1]"
    expect.device("rows[1][1]", 11)
    expect.detached "rows[0]"
  end)
end)

case("rejects: a section exceeds its array [OMP60-sec-1]", function()
  expect.fails("out-of-bounds", "target data map(to: v@[0:9])", "OMP60-sec-1")
  expect.fails("out-of-bounds", "target data map(to: v@[8:1])", "OMP60-sec-1")
  expect.fails("out-of-bounds", "target data map(to: v@[-1:2])", "OMP60-sec-1")
  expect.fails("out-of-bounds", "target data map(to: p@[0:9])", "OMP60-sec-1")
  expect.fails("out-of-bounds", "target data map(to: p@[-1:2])", "OMP60-sec-1")
  expect.fails("out-of-bounds", "target data map(to: m@[1:3])", "OMP60-sec-1")
  expect.fails("out-of-bounds", "target data map(to: m[0]@[0:5])", "OMP60-sec-1")
end)

case("rejects: a length is negative or missing, or a bound is not an integer [OMP60-sec-1]", function()
  expect.fails("invalid-section", "target data map(to: v@[0:-1])", "OMP60-sec-1")
  expect.fails("invalid-section", "target data map(to: p@[0:zero-1])", "OMP60-sec-1")
  expect.fails("invalid-section", "target data map(to: p@[:])", "OMP60-sec-1")
  expect.fails("invalid-section", "target data map(to: p@[2:])", "OMP60-sec-1")
  expect.fails("type-mismatch", "target data map(to: v[0:@p])")
  expect.fails("type-mismatch", "target data map(to: v[@1.5:2])")
  expect.fails("not-a-pointer", "target data map(to: v[0:2]@[0:2])")
end)

case("rejects: a section has incomplete rows, a stride, or several pointers [OMP60-map-13 OMP60-sec-1]", function()
  expect.fails("invalid-section", "target data map(to: m[0:2]@[0:3])", "OMP60-map-13")
  expect.fails("invalid-section", "target data map(to: m[0:2]@[1:3])", "OMP60-map-13")
  expect.fails("invalid-section", "target data map(to: m[:]@[0:1])", "OMP60-map-13")
  expect.fails("invalid-section", { "target data map(to: v[0:4:@2])", "target data map(to: m[::@2])" }, "OMP60-map-13")
  expect.malformed "target data map(to: v[0:4:])"
  for i = 0, 2 do host.rows[i] = { i, i + 10 } end
  expect.fails("invalid-section", "target data map(to: rows[0:3]@[0:2])", "OMP60-map-13")
  expect.fails("invalid-section", "target data map(to: block[0:2]@[0:2])", "OMP60-map-13")
  expect.fails("syntax", "target data map(to: nodes@[0:2].n)")
end)

case("rejects: the base of a section is null, or points to freed memory [OMP60-sec-1]", function()
  host.p = NULL
  expect.fails("null-pointer", "target data map(to: p@[0:4])", "OMP60-sec-1")
  expect.fails("null-pointer", "target enter data map(alloc: p@[0:4])", "OMP60-sec-1")
  local gone = alloc("double", 4)
  host.p = gone
  free(gone)
  expect.fails("out-of-bounds", "target data map(to: p@[0:4])", "OMP60-sec-1")
  host.s.d = NULL
  expect.fails("null-pointer", "target data map(to: s.d@[0:4])", "OMP60-sec-1")
end)

-- --------------------------------------------------------------------------------- restrictions --

case("accepts: items share all of their storage, or one structure contains both [OMP60-map-13]", function()
  omp "target data map(to: p[0:8]) map(alloc: q[0:8])" (function() expect.count("p[0:8]", { structured = 1 }) end)
  omp "target data map(to: s) map(from: s.k)" (function()
    expect.count("s", { structured = 1 })
    omp "target" "s.k = 70; s.n = 71;"
  end)
  expect.host("s.k", 70)
  expect.host("s.n", 4)
  omp "target data map(from: s.in.i) map(to: s.in)" (function() omp "target" "s.in.i = 5; s.in.j = 6;" end)
  expect.host("s.in.i", 5)
  expect.host("s.in.j", 0)
end)

case("rejects: items share a part of their storage [OMP60-map-13]", function()
  expect.fails("partial-overlap", "target data map(to: v[0:4]) map(to: v@[2:4])", "OMP60-map-13")
  expect.fails("partial-overlap", "target data map(to: p[0:4]) map(to: q@[2:4])", "OMP60-map-13")
  expect.fails("partial-overlap", "target enter data map(to: p[0:4]) map(to: p@[3:5])", "OMP60-map-13")
end)

case("accepts: clauses name parts of a present object, also through other pointers [OMP60-map-13]", function()
  omp "target data map(to: p[0:8])" (function()
    omp "target data map(to: p[0:4])" (function() expect.count("p[0:8]", { structured = 2 }) end)
    omp "target data map(to: q[4:4])" (function() expect.count("p[0:8]", { structured = 2 }) end)
    omp "target data map(to: p[0:2]) map(to: q[6:2])" (function() expect.count("p[0:8]", { structured = 2 }) end)
  end)
  expect.equal(#state().present, 0)
end)

case("rejects: a clause names more than a present object [OMP60-map-13]", function()
  omp "target enter data map(to: p[2:4])"
  for _, text in ipairs { "p[0:8]", "p[0:3]", "p[1:2]", "p[5:2]", "p[2:5]", "p[1:6]", "q[0:3]" } do
    local err = expect.fails("partially-present", function() omp("target data map(to: " .. text .. ")") end)
    expect.equal(err.rule, "OMP60-map-13")
    expect.fails("partially-present", function() omp("target enter data map(alloc: " .. text .. ")") end)
    expect.fails("partially-present", function() omp("target map(" .. text .. ")") "" end)
  end
  expect.count("p[2:4]", { dynamic = 1 })
  omp "target data map(to: p[0:2]) map(to: p[6:2])" (function() expect.equal(#state().present, 3) end)
end)

case("rejects: a clause names two neighbours that are separate objects [OMP60-map-13]", function()
  omp "target enter data map(to: v[0:4])"
  omp "target enter data map(to: v[4:4])"
  expect.present "v[0:4]"
  expect.present "v[4:4]"
  expect.fails("partially-present", function() omp "target data map(to: v)" end)
  expect.fails("partially-present", function() omp "target data map(to: v[3:2])" end)
  expect.fails("partially-present", function() omp "target map(present, alloc: v)" "" end)
end)

case("rejects: a clause maps a further member of a structure that is partly present [OMP60-map-13]", function()
  omp "target enter data map(to: s.n)"
  local err = expect.fails("partially-present", function() omp "target data map(to: s.n, s.k)" end)
  expect.equal(err.rule, "OMP60-map-13")
  expect.fails("not-present", function() omp "target enter data map(to: s.k)" end)
  expect.fails("partially-present", function() omp "target enter data map(to: s)" end)
  expect.fails("not-present", function() omp "target data map(to: s.e[0:4], s.e)" end)
  expect.fails("not-present", function() omp "target data map(to: s.in.j)" end)
  host.np = addr "s"
  expect.fails("not-present", function() omp "target data map(to: np->list[1:1])" end)
  err = expect.fails("not-present", function() omp "target data map(to: s.k) map(present, to: x)" end)
  expect.equal(err.rule, "OMP60-map-9")
  expect.count("s.n", { dynamic = 1 })
end)

case("accepts: clauses name the same member again, and other structures [OMP60-map-13]", function()
  omp "target enter data map(to: s.n)"
  omp "target data map(to: s.n, t.k, nodes[1].k)" (function() expect.count("s.n", { structured = 1, dynamic = 1 }) end)
end)

case("rejects: a clause names a member of a union, or a structure has bit-fields [OMP60-map-13]", function()
  expect.invalid("struct more_bits { int a; int b : 3; };", "unsupported")
  expect.fails("clause-not-allowed", "target data map(to: u.@i)", "OMP60-map-13")
end)

case("accepts: a clause maps a union as a whole [OMP60-map-13]", function()
  host.u.i = 5
  expect.moves(function()
    omp "target map(u)" "u.i = u.i + 1;"
  end, { h2d = { count = 1, bytes = 4 }, d2h = { count = 1, bytes = 4 } })
  expect.host("u.i", 6)
end)
