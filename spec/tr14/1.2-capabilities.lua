-- What deep copy must be able to do: presence, selection, and structures that grow and shrink.
scenario { title = "TR14 1.2: desired capabilities", rules = "tr14", cites = { "TR14-1.2-02",
  "TR14-1.2-03", "TR14-1.2-05", "TR14-1.2-06", "TR14-1.2-07", "TR14-1.2-08", "TR14-1.2-09",
  "TR14-1.2-10", "TR14-1.2-11", "TR14-1.2-16", "TR14-1.2-17", "TR14-1.2-18", "TR14-1.2-19",
  "TR14-1.2-20", "TR14-1.3-01", "TR14-1.3-02" } }

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
    acc "parallel present<none>(X)" (function(d)
      expect.equal(sizeof "struct pair", 24)
      expect.equal(d.X.n, 3)
    end)
  end)
end)

case("rejects: a part of a structure does not count as the structure [TR14-1.2-02 TR14-1.3-01]",
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

case("rejects: a shaped object is absent until a clause names it [TR14-1.2-03]", function()
  expect.absent "X"
  expect.fails("not-present", function() acc "parallel present(X)" (function() end) end)
end)

case("accepts: pointer relations are doubled as the objects are [TR14-1.2-05]", function()
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

case("rejects: a pointer that no shape names keeps its host value [TR14-1.2-05]", function()
  declare "struct loose { float *p; }; struct loose W;"
  host.W = { p = { 1 } }
  acc "data copyin(W)" (function()
    expect.detached "W.p"
    acc "parallel present(W)" (function(d)
      expect.fails("host-pointer-on-device", function() return d.W.p[0] end)
    end)
  end)
end)

case("accepts: a deep create sets pointers and what init_needed names [TR14-1.2-06]", function()
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

case("accepts: delete and update are deep too [TR14-1.2-07]", function()
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

case("rejects: a deep update of what was never created [TR14-1.2-07]", function()
  acc "enter data copyin<only_a>(X)"
  expect.fails("not-present", function() acc "update self(X)" end)
end)

case("accepts: a shallow present looks at the top object alone [TR14-1.2-08]", function()
  rules { base = "tr14", present = "shallow" }
  declare [[
    struct two { int n; float *a, *b;
        #pragma acc shape include(a[0:n], b[0:n])
        #pragma acc shape(only_a) exclude(b)
    };
    struct two T;
  ]]
  host.T = { n = 1, a = { 1 }, b = { 2 } }
  acc "enter data copyin<only_a>(T)"
  acc "parallel present(T)" (function(d) expect.equal(d.T.a[0], 1) end)
end)

case("rejects: a deep present misses a member [TR14-1.2-08 TR14-1.2-11]", function()
  acc "enter data copyin<only_a>(X)"
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

case("rejects: objects that came on their own are not linked [TR14-1.2-09]", function()
  acc_copyin "X"
  acc_copyin "X.a[0:3]"
  expect.detached "X.a"
  expect.fails("host-pointer-on-device", function()
    acc "parallel present<none>(X)" (function(d) return d "X.a[0]" end)
  end)
end)

case("accepts: what one clause excludes another may include [TR14-1.2-10 TR14-1.2-11]", function()
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

case("rejects: the pointer of an excluded member is not for use [TR14-1.2-10 TR14-1.3-02]",
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

case("accepts: the pointer of an excluded member has its place [TR14-1.3-02]", function()
  acc "data copyin<only_a>(X)" (function()
    expect.present "X.b"
    acc "parallel present<only_a>(X)" (function(d) expect.equal(d.X.a[2], 3) end)
  end)
  expect.host("X.b[0:3]", { 4, 5, 6 })
end)

case("accepts: update moves what a present_or clause left alone [TR14-1.2-16]", function()
  acc "enter data copyin(v)"
  host.v[0] = 10
  expect.moves(function() acc "enter data copyin(v)" end, { h2d = 0 })
  expect.device("v[0]", 1)
  expect.events(function() acc "update device(v)" end, { "h2d v" })
  expect.device("v[0]", 10)
end)

case("rejects: update of absent data [TR14-1.2-16]", function()
  expect.fails("not-present", function() acc "update device(v)" end)
  expect.fails("not-present", function() acc "update self(v[1:2])" end)
end)

case("accepts: a pointer may change once its object has left [TR14-1.2-17]", function()
  acc "data copyin(X)" (function() end)
  host.X = { n = 1, a = { 9 }, b = { 8 } }
  acc "data copyin(X)" (function() expect.device("X.a[0]", 9) end)
end)

case("rejects: a pointer changes while its object is on the device [TR14-1.2-17]", function()
  local old = host "X.a"
  acc "enter data copyin(X)"
  host.X.a = { 9, 9, 9 }
  expect.fails("pointer-changed", function() acc "exit data delete(X)" end)
  host.X.a = old
  acc "exit data delete(X)"
  expect.absent "X"
end)

case("accepts: top down: a member joins a present parent and leaves it [TR14-1.2-18 TR14-1.2-19]",
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

case("rejects: a member that left cannot be used [TR14-1.2-18 TR14-1.2-19]", function()
  acc "enter data copyin<only_a>(X)"
  acc "data copyin(X.b[0:3])" (function() expect.device("X.b[0]", 4) end)
  expect.fails("excluded-member", function()
    acc "parallel present<only_a>(X)" (function(d) return d.X.b[0] end)
  end)
end)

case("accepts: bottom up: leaves first, then what leads to them [TR14-1.2-18 TR14-1.2-20]",
  function()
    host.M = { l = { { x = { 1, 2 } } } }
    acc "enter data copyin(M.l->x[0:2])"
    acc "exit data delete(M.l->x[0:2])"
    expect.absent "M.l->x[0:2]"
    acc_copyin "M.l->x[0:2]"
    acc_copyin "M.l[0:1]"
    acc_attach "M.l->x"
    acc_copyin "M"
    acc_attach "M.l"
    acc "parallel present(M)" (function(d) expect.equal(d.M.l[0].x[1], 2) end)
  end)

case("rejects: the middle is missing [TR14-1.2-20]", function()
  host.M = { l = { { x = { 1, 2 } } } }
  acc_copyin "M.l->x[0:2]"
  acc_copyin "M"
  expect.fails("not-present", function() acc_attach "M.l" end)
end)
