-- Members in data clauses: X.a[0:X.n]. They are gathered under the object that they belong to.
scenario { title = "TR14 3.4: convenience syntax", rules = "tr14" }

declare [[
  struct deep { int n; float *a, *b, *c; };
  struct nest { int k; struct deep in; struct deep *q; };
  struct deep X, Y[2];
  struct nest Z;
  int n = 1;
  int i = 1;
]]
local function deep() return { n = 2, a = { 1, 2 }, b = { 3, 4 }, c = { 5, 6 } } end
host.X = deep()
host.Y = { deep(), deep() }
host.Z = { k = 1, ["in"] = deep(), q = { deep() } }

case("accepts: one member holds its object and follows its clause [TR14-3.4-03 TR14-3.4-05]",
  function()
    expect.events(function() acc "enter data copyin(X.a[0:X.n])" end, { "alloc X", "alloc X.a[0:2]",
      "h2d X.a[0:2]", "attach X.a", "incref X", "incref X.a[0:2]" })
    expect.events(function() acc "exit data copyout(X.a[0:X.n])" end, { "detach X.a", "decref X",
      "decref X.a[0:2]", "d2h X.a[0:2]", "free X", "free X.a[0:2]" })
  end)

case("differs: the other members do not take part [TR14-3.4-05 TR14-3.4-11]", function()
  acc "data copyin(X.a[0:X.n])" (function()
    expect.present "X"
    expect.absent "X.b[0:2]"
    expect.fails("excluded-member", function()
      acc "parallel present(X.a[0:2])" (function(d) return d.X.n end)
    end)
    expect.fails("excluded-member", function()
      acc "parallel present(X.a[0:2])" (function(d) return d.X.b[0] end)
    end)
  end)
end)

case("accepts: members in clauses do the same as a shape [TR14-3.4-01]", function()
  acc "shape type(struct deep) include(a[0:n], b[0:n], c[0:n])"
  local by_shape = events(function() acc "data copy(X)" (function() end) end)
  local by_members = events(function()
    acc "data copy(X, X.a[0:X.n], X.b[0:X.n], X.c[0:X.n])" (function() end)
  end)
  local function moves(list)
    local names = {}
    for _, e in ipairs(list) do
      if e.op == "h2d" or e.op == "d2h" then names[#names + 1] = tostring(e) .. " " .. e.bytes end
    end
    return names
  end
  expect.equal(#moves(by_shape), 8)
  expect.equal(moves(by_members), moves(by_shape))
end)

case("rejects: a clause with members has a modifier that a nest cannot have [TR14-3.4-01]", function()
  expect.fails("unsupported", "enter data create(@zero: X, X.a[0:X.n])", "TR14-3.4-01")
  expect.fails("unsupported", "data copyin(X) create(@zero: X.b[0:X.n])", "TR14-3.4-01")
end)

case("differs: a shape holds for all objects, and members in clauses for one object [TR14-3.4-01]", function()
  acc "data copyin(Y, Y[0].a[0:Y[0].n])" (function()
    expect.present "Y[0].a[0:2]"
    expect.absent "Y[1].a[0:2]"
  end)
end)

case("accepts: the base may be an element, an inner structure or a pointee [TR14-3.4-02]",
  function()
    acc "data copyin(Y[i].b[0:Y[i].n])" (function()
      expect.attached("Y[1].b", 1)
      expect.device("Y[1].b[1]", 4)
    end)
    acc "data copyin(Z.in.a[0:2])" (function() expect.device("Z.in.a[1]", 2) end)
    acc "data copyin(Z.q->a[0:2])" (function() expect.device("Z.q->a[1]", 2) end)
    acc "data copyin(Z.q[0].c[1:1])" (function() expect.device("Z.q[0].c[1]", 6) end)
  end)

case("rejects: the base is a section or no variable [TR14-3.4-02]", function()
  expect.malformed("acc data copyin(Y[0:2].a)")
  expect.malformed("acc data copyin(Y[0:2].a[0:2])")
  expect.malformed("acc data copyin(X.a + 1)")
  expect.invalid("acc data copyin(1)")
  expect.malformed("acc data copyin()")
  expect.malformed("acc data copyin(X.)")
end)

case("accepts: members have sections or none [TR14-3.4-03]", function()
  acc "data copyin(X.n, X.a[1:1])" (function()
    expect.device("X.n", 2)
    expect.device("X.a[1]", 2)
    expect.absent "X.a[0:1]"
  end)
end)

case("rejects: the member is unknown, or the base has no members [TR14-3.4-03 TR14-3.1.1-22]", function()
  expect.invalid("acc data copyin(X.d)", "unknown-member")
  expect.invalid("acc data copyin(n.d)", "not-a-struct")
  expect.invalid("acc data copyin(X->a)", "not-a-pointer")
  expect.invalid("acc data copyin(W.a[0:1])", "unknown-name")
  expect.invalid("acc data copyin(X.n[0:1])", "not-a-pointer")
end)

case("accepts: one base appears in several clauses in any order [TR14-3.4-04 TR14-3.4-06]", function()
  local function run(text)
    return events(function() acc(text)(function() end) end)
  end
  local first = run "data copyin(X.a[0:X.n], X.b[0:X.n]) copyout(X.c[0:X.n])"
  local second = run "data copyout(X.c[0:X.n]) copyin(X.a[0:X.n]) copyin(X.b[0:X.n])"
  local function sorted(list)
    local names = {}
    for _, e in ipairs(list) do names[#names + 1] = tostring(e) end
    table.sort(names)
    return names
  end
  expect.equal(sorted(first), sorted(second))
  acc "data copyin(X.a[0:X.n], X.b[0:X.n]) copyout(X.c[0:X.n])" (function()
    expect.count("X", { structured = 1 })
    expect.uninitialized "X.c[0:2]"
    acc "parallel present(X.a[0:2], X.b[0:2], X.c[0:2])" (function(d)
      for k = 0, 1 do d.X.c[k] = d.X.a[k] + d.X.b[k] end
    end)
  end)
  expect.host("X.c[0:2]", { 4, 6 })
  expect.host("X.a[0:2]", { 1, 2 })
end)

case("differs: members of different bases stay separate [TR14-3.4-04 TR14-3.4-06]", function()
  acc "data copyin(X.a[0:2], Y[0].a[0:2])" (function()
    expect.count("X", { structured = 1 })
    expect.count("Y[0]", { structured = 1 })
    expect.absent "Y[1]"
  end)
end)

case("accepts: the clause of the base is the default of its nest [TR14-3.4-07]", function()
  acc "data copyin(X, X.a[0:X.n])" (function()
    expect.device("X.n", 2)
    expect.device("X.a[1]", 2)
    expect.attached("X.a", 1)
  end)
end)

case("rejects: two different clauses name the base [TR14-3.4-07]", function()
  expect.invalid("acc data copyin(X) copyout(X) copy(X.a[0:2])", "duplicate-clause")
end)

case("accepts: an update of a member moves only that member [TR14-3.4-09]", function()
  acc "data copyin(X, X.a[0:2], X.b[0:2])" (function()
    acc "parallel present(X)" "X.a[0] = 10; X.b[0] = 30; X.n = 7;"
    expect.events(function() acc "update self(X.b[0:X.n])" end, { "d2h X.b[0:2]" })
    expect.host("X.b[0]", 30)
    expect.host("X.a[0]", 1)
    expect.host("X.n", 2)
    acc "update self(X.n)"
    expect.host("X.n", 7)
  end)
end)

case("rejects: an update names a member that is not present [TR14-3.4-09 ACC33-upd-1]", function()
  acc "data copyin(X, X.a[0:1])" (function()
    expect.fails("not-present", function() acc "update self(X.b[0:2])" end)
    expect.fails("partially-present", function() acc "update self(X.a[0:2])" end)
  end)
end)

case("accepts: bounds are evaluated at the place of the directive [TR14-3.4-10]", function()
  acc "data copyin(X.a[0:n])" (function()
    expect.present "X.a[0:1]"
    expect.absent "X.a[1:1]"
  end)
end)

case("rejects: bounds use a member's name that the directive does not know [TR14-3.4-10 HOUSE-names]", function()
  expect.invalid("acc data copyin(Z.in.a[0:k])", "unknown-name")
end)

case("accepts: an absent base is allocated as a whole [TR14-3.4-11]", function()
  acc "data create(X.a[0:2])" (function()
    expect.equal(state().present[1].bytes, sizeof "struct deep")
    expect.attached("X.a", 1)
  end)
  expect.absent "X"
end)

case("accepts: a member is added to a base that must be present [TR14-3.4-12]", function()
  acc "data copyin(X)" (function()
    acc "data present(X) copyin(X.a[0:X.n])" (function()
      expect.attached("X.a", 1)
      expect.device("X.n", 2)
    end)
    expect.absent "X.a[0:2]"
    expect.detached "X.a"
  end)
end)

case("rejects: the base must be present and is absent [TR14-3.4-12 TR14-4.2-09]", function()
  expect.fails("not-present", function() acc "data present(X) copyin(X.a[0:X.n])" end)
end)

case("rejects: a section of structures has members; the error prints the nest that works [TR14-3.4-02]", function()
  declare [[
    struct inner { int k; float *b; };
    struct each { int n; float *a; struct inner in, *to; };
    struct each *p;
  ]]
  host.p = { { n = 1, a = { 1 }, ["in"] = { k = 1, b = { 2 } }, to = { { k = 1, b = { 3 } } } },
    { n = 2, a = { 4, 5 }, ["in"] = { k = 1, b = { 6 } }, to = { { k = 1, b = { 7 } } } } }
  for text, nest in pairs {
    ["data copy(p[0:2].a[0:n])"] = "data invoke<>(p[0:2])::{ default(exclude) copy(a[0:n]) }",
    ["data create(p[0:2].in.b[0:k])"] = "data invoke<>(p[0:2])::{ default(exclude) invoke<>(in)::{ default(exclude) "
      .. "create(b[0:k]) } }",
    ["data copyin(p[0:2].to->b[0:1])"] = "data invoke<>(p[0:2])::{ default(exclude) invoke<>(to[0:1])::{ "
      .. "default(exclude) copyin(b[0:1]) } }",
  } do
    local help = expect.fails("syntax", function() acc(text) end).help
    expect.equal(help, "each element has bounds of its own: " .. nest)
    acc(nest) (function() expect(#state().present > 0) end)
  end
  local help = expect.fails("syntax", function() acc "update self(p[0:2].a[0:n])" end).help
  expect(help:find("update invoke<>(self: p[0:2])::{ default(exclude) update(a[0:n]) }", 1, true))
end)

case("accepts: a member without a section has the section of its shape [TR14-3.4-10 TR14-3.1.1-21]", function()
  declare [[
    struct leaf { int n; float *a;
        #pragma acc shape include(a[0:n])
    };
    struct leaf V;
  ]]
  host.V = { n = 3, a = { 1, 2, 3 } }
  expect.moves(function()
    acc "data copyin(V)" (function()
      acc "parallel present(V)" "V.a[0] = V.a[1] = V.a[2] = 9;"
      acc "update self(V.a)"
    end)
  end, { h2d = { count = 2, bytes = 28 }, d2h = { count = 1, bytes = 12 } })
  expect.host("V.a[0:3]", { 9, 9, 9 })
end)

case("accepts: any object of an array of rows and a part of one row are mapped [TR14-3.4-02 ACC33-2.7.1-4]", function()
  declare [[
    struct leaf { int n; float *a; };
    struct top { struct leaf grid[2][2]; int k; };
    struct top T;
    struct leaf M[2][2];
  ]]
  host.T.grid[1][0] = { n = 2, a = { 1, 2 } }
  acc "data copyin(T.grid[i][0].a[0:2])" (function() expect.device("T.grid[1][0].a[1]", 2) end)
  acc "data copyin(T)::{ include(grid[1:1][0:1])::{ include(a[0:n]) } }" (function()
    expect.device("T.grid[1][0].a[1]", 2)
  end)
  acc "data copyin(M[1:1][0:1])" (function()
    expect.present "M[1][0]"
    expect.absent "M[1][1]"
  end)
end)

case("rejects: a section names parts of several rows, or more than a row has [TR14-3.4-02 ACC33-2.7.1-4]", function()
  declare "struct leaf { int n; float *a; }; struct leaf M[2][2];"
  expect.invalid("acc data copyin(M[0:2][0:1])", "invalid-section")
  expect.invalid("acc data copyin(M[1:1][1:2])", "out-of-bounds")
end)

case("accepts: sections that differ in a call or a type are two sections [TR14-3.4-07]", function()
  declare "struct s { double *a; } V;"
  func("f", function(k) return k end)
  host.V.a = { 1, 2, 3, 4, 5, 6 }
  acc "enter data create(V.a[f(0):1], V.a[f(2):1], V.a[sizeof(int) * 3 / 3:1])"
  expect.present "V.a[0:1]"
  expect.present "V.a[2:1]"
  expect.present "V.a[4:1]"
  expect.absent "V.a[1:1]"
end)

case("rejects: two clauses have one section whose start is a call [TR14-3.4-07]", function()
  declare "struct s { double *a; } V;"
  func("f", function(k) return k end)
  host.V.a = { 1, 2, 3, 4 }
  expect.invalid("acc data copyin(V.a[f(0):1]) create(V.a[f(0):1])", "duplicate-clause")
  acc "data copyin(V.a[f(0):1]) create(V.a[f(2):1])" (function() expect.device("V.a[0:1]", { 1 }) end)
end)
