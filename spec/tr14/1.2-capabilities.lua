-- What deep copy must be able to do: presence, selection, and structures that grow and shrink.
scenario { title = "TR14 1.2: desired capabilities", rules = "tr14" }

declare [[
  struct pair {
      int n;
      float *a, *b;
      #pragma acc shape init_needed(n) include(a[0:n], b[0:n])
      #pragma acc shape(only_a) exclude(b)
      #pragma acc shape(none) exclude(a, b)
  };
  struct pair X;
  float v[4] = { 1, 2, 3, 4 };
  struct leaf { float *x; };
  struct mid { struct leaf *l; };
  struct mid M;
  float *other;
]]
host.X = { n = 3, a = { 1, 2, 3 }, b = { 4, 5, 6 } }

case("accepts: an object has the same layout on both sides [TR14-1.2-02 TR14-1.3-01]", function()
  acc "data copyin<none>(X)" (function()
    expect.equal(state().present[1].bytes, sizeof "struct pair")
    expect.accepts("parallel present<none>(X)", function(d)
      expect.equal(sizeof "struct pair", 24)
      expect.equal(d.X.n, 3)
    end)
  end)
end)

case("rejects: a present part of a structure does not count as the structure [TR14-1.2-02 TR14-1.3-01 TR14-4.2-03]",
  function()
    acc_copyin("X.n")
    expect.present "X.n"
    expect.fails("partially-present", function() acc "enter data copyin(X)" end)
  end)

case("accepts: a shape alone moves nothing [TR14-1.2-03]", function()
  expect.events(function()
    declare [[
      struct late { int n; float *p; };
      #pragma acc shape type(struct late) include(p[0:n])
      struct late L;
    ]]
  end, {})
end)

case("rejects: a shaped object is absent until a clause names it [TR14-1.2-03 TR14-4.2-09]", function()
  expect.absent "X"
  expect.fails("not-present", function() acc "parallel present(X)" (function() end) end)
end)

case("accepts: pointer relations are duplicated with their objects [TR14-1.2-05]", function()
  host.other = addr "X.a[1]"
  host.X.b = addr "X.a[0]"
  acc "data copy(X)" (function()
    acc "parallel present(X)" (function(d)
      expect.equal(d.X.a, d.X.b)
      d.X.b[0] = 10
      expect.equal(d.X.a[0], 10)
    end)
    expect.equal(#state().present, 2)
  end)
  expect.host("X.a[0]", 10)
end)

case("differs: a pointer that no shape names keeps its host value [TR14-1.2-05]", function()
  declare "struct loose { float *p; }; struct loose W;"
  host.W = { p = { 1 } }
  acc "data copyin(W)" (function()
    expect.detached "W.p"
    expect.accepts("parallel present(W)", function(d)
      expect.fails("host-pointer-on-device", function() return d.W.p[0] end)
    end)
  end)
end)

case("accepts: a deep create sets the pointers and the members in init_needed [TR14-1.2-06]", function()
  expect.moves(function() acc "enter data create(X)" end,
    { h2d = { count = 1, bytes = 4 }, d2h = 0 })
  expect.attached("X.a", 1)
  expect.attached("X.b", 1)
  expect.device("X.n", 3)
end)

case("rejects: a deep create initialises no data [TR14-1.2-06]", function()
  acc "enter data create(X)"
  expect.uninitialized "X.a[0:3]"
  expect.uninitialized "X.b[0:3]"
  expect.fails("uninitialized-read", function()
    acc "parallel present(X)" (function(d) return d.X.a[0] end)
  end)
end)

case("accepts: delete and update are deep, too [TR14-1.2-07]", function()
  acc "enter data create(X)"
  acc "update device(X)"
  expect.device("X.b[0:3]", { 4, 5, 6 })
  acc "parallel present(X)" "for (int i = 0; i < X.n; ++i) X.b[i] += 10;"
  expect.moves(function() acc "update self(X)" end, { d2h = { bytes = 8 + 12 + 12 } })
  expect.host("X.b[0:3]", { 14, 15, 16 })
  acc "exit data delete(X)"
  expect.equal(#state().present, 0)
  expect.equal(#state().attached, 0)
end)

case("rejects: a deep update names a member that was never created [TR14-1.2-07 ACC33-upd-1]", function()
  acc "enter data copyin<only_a>(X)"
  expect.present "X.a[0:3]"
  expect.fails("not-present", function() acc "update self(X)" end)
end)

case("accepts: a shallow present checks only the top object [TR14-1.2-08]", function()
  rules { base = "tr14", present = "shallow" }
  declare [[
    struct two { int n; float *a, *b;
        #pragma acc shape include(a[0:n], b[0:n])
        #pragma acc shape(only_a) exclude(b)
    };
    struct two T;
  ]]
  host.T = { n = 1, a = { 1 }, b = { 2 } }
  expect.moves(function() acc "enter data copyin<only_a>(T)" end, { h2d = { count = 2, bytes = 28 }, d2h = 0 })
  expect.accepts("parallel present(T)", function(d) expect.equal(d.T.a[0], 1) end)
end)

case("rejects: a deep present finds that a member is absent [TR14-1.2-08 TR14-1.2-11 TR14-4.2-09]", function()
  acc "enter data copyin<only_a>(X)"
  expect.present "X.a[0:3]"
  expect.fails("not-present", function() acc "parallel present(X)" (function() end) end)
end)

case("accepts: a deep present attaches what it finds [TR14-1.2-09]", function()
  acc "enter data copyin<none>(X) copyin(X.a[0:3], X.b[0:3])"
  acc "data present(X)" (function()
    expect.attached("X.a", 2)
    expect.device("X.a[2]", 3)
  end)
  expect.attached("X.a", 1)
end)

case("differs: objects that were mapped separately are not attached [TR14-1.2-09]", function()
  acc_copyin "X"
  acc_copyin "X.a[0:3]"
  expect.detached "X.a"
  expect.fails("host-pointer-on-device", function()
    acc "parallel present<none>(X)" (function(d) return d "X.a[0]" end)
  end)
end)

case("accepts: a clause may include what another one excludes [TR14-1.2-10 TR14-1.2-11]", function()
  acc "data copyin<only_a>(X)" (function()
    acc "data copyin(X)" (function()
      expect.device("X.b[0:3]", { 4, 5, 6 })
      expect.attached("X.b", 1)
      expect.attached("X.a", 2)
    end)
    expect.detached "X.b"
    expect.absent "X.b[0:3]"
    expect.attached("X.a", 1)
  end)
end)

case("differs: the pointer of an excluded member cannot be used [TR14-1.2-10 TR14-1.3-02]",
  function()
    acc "data copyin<only_a>(X)" (function()
      expect.fails("excluded-member", function()
        acc "parallel present<only_a>(X)" (function(d) return d.X.b[0] end)
      end)
      expect.fails("excluded-member", function()
        acc "parallel present<only_a>(X)" "X.b[1] = 2;"
      end)
    end)
  end)

case("accepts: the pointer of an excluded member keeps its place [TR14-1.3-02]", function()
  acc "data copyin<only_a>(X)" (function()
    expect.present "X.b"
    expect.accepts("parallel present<only_a>(X)", function(d) expect.equal(d.X.a[2], 3) end)
  end)
  expect.host("X.b[0:3]", { 4, 5, 6 })
end)

case("accepts: an update moves data that a present_or clause did not move [TR14-1.2-16]", function()
  acc "enter data copyin(v)"
  host.v[0] = 10
  expect.moves(function() acc "enter data copyin(v)" end, { h2d = 0 })
  expect.count("v", { dynamic = 2 })
  expect.device("v[0]", 1)
  expect.events(function() acc "update device(v)" end, { "h2d v" })
  expect.device("v[0]", 10)
end)

case("rejects: an update names absent data [TR14-1.2-16 ACC33-upd-1]", function()
  expect.fails("not-present", function() acc "update device(v)" end)
  expect.fails("not-present", function() acc "update self(v[1:2])" end)
end)

case("accepts: a pointer may change after its object is unmapped [TR14-1.2-17]", function()
  expect.accepts "data copyin(X)"
  host.X = { n = 1, a = { 9 }, b = { 8 } }
  acc "data copyin(X)" (function() expect.device("X.a[0]", 9) end)
end)

case("rejects: a pointer changes while its object is on the device [TR14-1.2-17 TR14-4.3-04]", function()
  local old = host "X.a"
  acc "enter data copyin(X)"
  host.X.a = { 9, 9, 9 }
  expect.fails("pointer-changed", function() acc "exit data delete(X)" end)
  host.X.a = old
  acc "exit data delete(X)"
  expect.absent "X"
end)

case("accepts: a member is added to a present parent and removed again, top-down [TR14-1.2-18 TR14-1.2-19]",
  function()
    acc "enter data copyin<only_a>(X)"
    acc "enter data copyin(X.b[0:3])"
    expect.attached("X.b", 1)
    expect.device("X.b[2]", 6)
    acc "exit data delete(X.b[0:3])"
    expect.detached "X.b"
    expect.absent "X.b[0:3]"
    expect.present "X"
    expect.device("X.a[1]", 2)
  end)

case("differs: a member that was removed cannot be used [TR14-1.2-18 TR14-1.2-19]", function()
  acc "enter data copyin<only_a>(X)"
  acc "data copyin(X.b[0:3])" (function() expect.device("X.b[0]", 4) end)
  expect.fails("excluded-member", function()
    acc "parallel present<only_a>(X)" (function(d) return d.X.b[0] end)
  end)
end)

case("accepts: the leaves are mapped first, then the objects that point to them, bottom-up [TR14-1.2-18 TR14-1.2-20]",
  function()
    host.M = { l = { { x = { 1, 2 } } } }
    expect.moves(function() acc "enter data copyin(M.l->x[0:2])" end, { h2d = { count = 1, bytes = 8 }, d2h = 0 })
    acc "exit data delete(M.l->x[0:2])"
    expect.absent "M.l->x[0:2]"
    acc_copyin "M.l->x[0:2]"
    acc_copyin "M.l[0:1]"
    acc_attach "M.l->x"
    acc_copyin "M"
    acc_attach "M.l"
    expect.accepts("parallel present(M)", function(d) expect.equal(d.M.l[0].x[1], 2) end)
  end)

case("rejects: the middle object is missing [TR14-1.2-20 ACC33-att-2]", function()
  host.M = { l = { { x = { 1, 2 } } } }
  acc_copyin "M.l->x[0:2]"
  acc_copyin "M"
  expect.fails("not-present", function() acc_attach "M.l" end)
end)

-- A tree as in Fig. 1.4: two parents with two arrays, of which one is read and the other written.
local function tree()
  declare [[
    struct child { int n; float *in, *out; };
    struct parent { int k; struct child *c; };
    #pragma acc shape type(struct child) include(in[0:n], out[0:n])
    #pragma acc shape type(struct parent) include(c[0:k])
    #pragma acc policy(step) type(struct child) default(create) copyin(in) copyout(out)
    #pragma acc policy(step) type(struct parent) default(create) invoke<step>(c)
    struct parent T;
  ]]
  host.T = { k = 1, c = { { n = 2, ["in"] = { 1, 2 }, out = { 3, 4 } } } }
end

local double_in = "for (int i = 0; i < 2; ++i) T.c[0].out[i] = 2 * T.c[0].in[i];"

case("accepts: everything on the path from the base is mapped [TR14-1.2-01]", function()
  tree()
  acc "data copyin(T.c[0].in[0:2])" (function()
    expect.present "T.c[0]"
    expect.device("T.c[0].in[1]", 2)
    expect.attached("T.c[0].in", 1)
  end)
  acc "data copyin(T)" (function()
    expect.accepts("parallel present(T)", function(d) expect.equal(d "T.c->in[1]", 2) end)
  end)
end)

case("differs: a part cannot be reached if its parent is left out or a pointer is not attached"
  .. " [TR14-1.2-01]", function()
  tree()
  acc "data copyin(T)::{ exclude(c) }" (function()
    expect.absent "T.c[0].in[0:2]"
    expect.fails("excluded-member", function() acc "parallel present(T)::{ exclude(c) }" (function(d)
      return d "T.c->in[0]"
    end) end)
  end)
  acc_copyin "T"
  acc_copyin "T.c[0]"
  acc_copyin "T.c[0].in[0:2]"
  acc_attach "T.c[0].in"
  expect.fails("host-pointer-on-device", function() acc "parallel present(T)::{ exclude(c) }" (function(d)
    return d "T.c->in[0]"
  end) end)
end)

case("accepts: a shape holds for its type everywhere from then on [TR14-1.2-04]", function()
  declare "struct plain { int n; float *p; }; struct plain P, Q[2];"
  host.P = { n = 1, p = { 1 } }
  for k = 0, 1 do host.Q[k] = { n = 1, p = { k } } end
  acc "shape type(struct plain) include(p[0:n])"
  acc "data copyin(P)" (function()
    expect.accepts("parallel copyin(Q)", function(d) expect.equal(d.Q[1].p[0], 1) end)
    expect.present "P.p[0:1]"
  end)
end)

case("differs: a nest holds only for its directive [TR14-1.2-04]", function()
  declare "struct plain { int n; float *p; }; struct plain P;"
  host.P = { n = 1, p = { 1 } }
  acc "data copyin(P)::{ include(p[0:n]) }" (function() expect.present "P.p[0:1]" end)
  expect.accepts("data copyin(P)", function() expect.absent "P.p[0:1]" end)
end)

case("accepts: selective direction creates everything, sends some parts and fetches others [TR14-1.2-12]", function()
  tree()
  local region
  expect.events(function() region = acc "data invoke<step>(T)" end, { "alloc T", "alloc T.c[0:1]",
    "alloc T.c[0].in[0:2]", "alloc T.c[0].out[0:2]", "h2d T.c[0].in[0:2]", "attach T.c", "attach T.c[0].in",
    "attach T.c[0].out", "incref T", "incref T.c[0:1]", "incref T.c[0].in[0:2]", "incref T.c[0].out[0:2]" })
  expect.uninitialized "T.k"
  expect.uninitialized "T.c[0].n"
  expect.uninitialized "T.c[0].out[0:2]"
  acc("parallel")(double_in)
  expect.moves(function() region:close() end, { h2d = 0, d2h = { count = 1, bytes = 8 } })
  expect.host("T.c[0].out[0:2]", { 2, 4 })
  expect.host("T.c[0].n", 2)
end)

case("differs: parents are read although they were not sent [TR14-1.2-12]", function()
  tree()
  acc "data invoke<step>(T)" (function()
    for _, text in ipairs { "int x = T.k;", "int x = T.c[0].n;", "float x = T.c[0].out[1];" } do
      expect.fails("uninitialized-read", function() acc "parallel" (text) end)
    end
  end)
end)

-- What a device holds: its objects, counters and attachments, by name.
local function contents()
  local found = {}
  local now = state()
  for _, o in ipairs(now.present) do
    found[#found + 1] = ("%s %d %d"):format(o.name, o.bytes, o.structured + o.dynamic)
  end
  for _, a in ipairs(now.attached) do found[#found + 1] = ("%s %d"):format(a.name, a.count) end
  table.sort(found)
  return found
end

case("accepts: the steps of entry and exit are merged or done one by one [TR14-1.2-13 TR14-1.2-15]", function()
  tree()
  local merged
  acc "data invoke<step>(T)" (function()
    merged = contents()
    acc("parallel")(double_in)
  end)
  expect.equal(contents(), {})
  expect.host("T.c[0].out[0:2]", { 2, 4 })
  host.T.c[0].out[0] = 0
  acc "enter data create(T)"
  acc "update device(T.c[0].in[0:2])"
  expect.equal(contents(), merged)
  expect.device("T.c[0].in[0:2]", { 1, 2 })
  expect.uninitialized "T.k"
  expect.uninitialized "T.c[0].out[0:2]"
  acc("parallel")(double_in)
  acc "update self(T.c[0].out[0:2])"
  acc "exit data delete(T)"
  expect.host("T.c[0].out[0:2]", { 2, 4 })
  expect.host("T.k", 1)
  expect.equal(contents(), {})
end)

case("rejects: one object is partly present, so none of the merged steps is done [TR14-1.2-13 TR14-4.2-03]", function()
  tree()
  local region = function() acc "enter data invoke<step>(T)" end
  acc_copyin "T.c[0].out[0:1]"
  expect.events(function() expect.fails("partially-present", region) end, {})
  expect.absent "T"
  acc "enter data create(T.c[0].in[0:2])" -- one by one, what was done before stays
  expect.fails("partially-present", function() acc "enter data create(T.c[0].out[0:2])" end)
  expect.present "T.c[0].in[0:2]"
end)

case("rejects: an update needs a create before it [TR14-1.2-15 ACC33-upd-1]", function()
  tree()
  expect.fails("not-present", function() acc "update device(T.c[0].in[0:2])" end)
  acc "enter data create(T)::{ exclude(c) }"
  expect.present "T.k"
  expect.fails("not-present", function() acc "update device(T.c[0].in[0:2])" end)
end)

-- Runs a kernel under a data clause, from the same values each time; returns the values of the host after it.
local function after(clause, body)
  host.T = { k = 1, c = { { n = 2, ["in"] = { 5, 6 }, out = { 7, 8 } } } }
  local bytes = 0
  for _, e in ipairs(events(function()
    acc("data " .. clause)(function()
      expect(#state().present > 0)
      expect.accepts("parallel", body)
    end)
  end)) do
    if e.op == "h2d" or e.op == "d2h" then bytes = bytes + e.bytes end
  end
  local c = host.T.c[0]
  return { host.T.k, c.n, c["in"]:values(2), c.out:values(2) }, bytes
end

case("accepts: a copy of everything gives the results of any selection, with more traffic [TR14-1.2-14]", function()
  tree()
  local wanted, most = after("copy(T)", double_in)
  expect.equal(wanted, { 1, 2, { 5, 6 }, { 10, 12 } })
  for _, clause in ipairs { "invoke<step>(T)", "copyin(T.c[0].in[0:2]) copyout(T.c[0].out[0:2])",
    "invoke<>(T)::{ default(copyin) invoke<>(c)::{ default(copyin) copyout(out) } }",
    "copyin(T.c[0].in[0:2]) copy(T.c[0].out[0:2])" } do
    local found, bytes = after(clause, double_in)
    expect.equal(found, wanted)
    expect(bytes < most, clause)
  end
end)

case("differs: a selection does not fit what the kernel does [TR14-1.2-14]", function()
  tree()
  local swapped = "for (int i = 0; i < 2; ++i) T.c[0].in[i] = 1;"
  expect.equal(after("copy(T)", swapped), { 1, 2, { 1, 1 }, { 7, 8 } })
  expect.equal(after("copyin(T)", swapped), { 1, 2, { 5, 6 }, { 7, 8 } })
  expect.fails("uninitialized-read", function()
    after("invoke<step>(T)", "T.c[0].in[0] = T.c[0].out[0];")
  end)
end)

case("accepts: the device has the layout of the host, whatever takes part [TR14-1.3-03 TR14-1.3-04]", function()
  declare [[
    struct wide { int first; double rest[100]; int last;
        #pragma acc shape(ends) exclude(rest)
    };
    struct wide W;
  ]]
  host.W = { first = 1, last = 2 }
  local allocated, sent
  for _, e in ipairs(events(function() acc "enter data copyin<ends>(W)" end)) do
    if e.op == "alloc" then allocated = e.bytes end
    if e.op == "h2d" then sent = (sent or 0) + e.bytes end
  end
  expect.equal(allocated, sizeof "struct wide")
  expect(sent <= 16, "only the ends are sent")
  expect.device("W.last", 2)
  expect.equal(acc_deviceptr "W.last" - acc_deviceptr "W.first", 202) -- in int
  expect.equal(addr "W.last" - addr "W.first", 202)
  host.W.rest[5] = 3
  acc "parallel present<ends>(W)" "W.last = 4;"
  acc "exit data copyout<ends>(W)"
  expect.host("W.last", 4)
  expect.host("W.rest[5]", 3)
end)

case("rejects: a clause asks for another layout, or a kernel reads a part that was not sent"
  .. " [TR14-1.3-03 TR14-1.3-04 TR14-3.1.1-03]", function()
  expect.invalid("acc shape(s) type(struct pair) layout(n)", "unknown-clause")
  expect.invalid("acc shape(s) type(struct pair) pack(n)", "unknown-clause")
  declare [[
    struct wide { int first; double rest[100]; int last;
        #pragma acc shape(ends) exclude(rest)
    };
    struct wide W;
  ]]
  acc "data copyin<ends>(W)" (function()
    expect.present "W.rest" -- its memory is not saved
    expect.fails("excluded-member", function() acc "parallel present<ends>(W)" "double x = W.rest[5];" end)
  end)
end)

case("accepts: a section of a short array between other members moves alone [TR14-1.3-04 TR14-A.1-01]", function()
  declare [[
    struct item { short one[2]; int k; };
    struct top { double d; short two[2][3]; int n; struct item many[20]; short last[3];
      #pragma acc policy(leaves) default(delete) copyout(d, two[1][1:1], n, last[2:1])
      #pragma acc shape(part) include(two[0:1], last[0:1])
    } T;
    #pragma acc shape(part) type(struct item) include(one[1:1])
    #pragma acc policy(leaf) type(struct item) default(delete) copyout(one[1:1], k)
    struct item L;
  ]]
  local function values(by)
    for i = 0, 5 do host.T.two[i // 3][i % 3] = by + i end
    for i = 0, 2 do host.T.last[i] = by + i end
    host.T.d, host.T.n, host.L = by, by, { one = { by, by + 1 }, k = by }
  end
  values(10)
  acc "enter data copyin(T, L)"
  values(20)
  acc "exit data invoke<leaves>(T) invoke<leaf>(L)"
  expect.host("T", { d = 10, n = 10, two = { { 20, 21, 22 }, { 23, 14, 25 } }, last = { 20, 21, 12 } })
  expect.host("L", { one = { 20, 11 }, k = 10 })
end)

case("rejects: elements that were mapped one by one lie apart, and the help says so [TR14-1.2-10]", function()
  declare "struct part { int n; float *w; }; struct whole { struct part *list; int after[4]; } W; int next[4];"
  host.W.list = { { n = 1 }, { n = 2 }, { n = 3 } }
  acc "enter data copyin(W.list[1:1])"
  acc "enter data copyin(W.list[2:1])"
  local err = expect.fails("out-of-bounds", function() acc "parallel present(W)" "W.list[2].n = 4;" end)
  expect.equal(err.help, "W.list[2:1] is present as an object of its own, elsewhere on the device: "
    .. "map both by one section")
  err = expect.fails("out-of-bounds", function() acc "parallel present(W)" "W.list[0].n = 4;" end)
  expect.equal(err.help, "keep indices and sections inside of the object")
  acc "exit data delete(W.list[1:1], W.list[2:1]) finalize"
  expect.absent "W.list[1:2]"
end)
