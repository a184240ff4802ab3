-- What deep copy is for: pointers that mean something on one side only.
scenario { title = "TR14 1.1: shallow and deep copies", rules = "tr14" }

declare [[
  struct inner { int k; float w[2]; };
  struct flat { int n; double m[2][2]; struct inner in; };
  struct plain { int n; float *a; };            // no shape: its pointer is not followed
  struct deep {
      int n;
      float *a;
      #pragma acc shape include(a[0:n])
  };
  struct outer { struct deep first; struct deep *more; int k;
      #pragma acc shape include(more[0:k])
  };
  struct flat F = { 1, { { 1, 2 }, { 3, 4 } }, { 5, { 6, 7 } } };
  struct plain P;
  struct deep D;
  struct outer O;
]]
host.P = { n = 2, a = { 1, 2 } }
host.D = { n = 2, a = { 1, 2 } }
host.O = { k = 2, first = { n = 1, a = { 1 } },
  more = { { n = 2, a = { 2, 3 } }, { n = 1, a = { 4 } } } }

case("accepts: flat data move as one block [TR14-1.1-01]", function()
  expect.moves(function() acc "enter data copyin(F)" end,
    { h2d = { count = 1, bytes = sizeof "F" } })
  acc "parallel present(F)" (function(d) d.F.m[1][1], d.F["in"].w[1] = 40, 70 end)
  expect.moves(function() acc "exit data copyout(F)" end,
    { d2h = { count = 1, bytes = sizeof "F" } })
  expect.host("F.m[1][1]", 40)
  expect.host("F.in.w[1]", 70)
  expect.host("F.in.w[0]", 6)
end)

case("differs: a structure is shallow if no shape describes its pointer [TR14-1.1-01 TR14-1.1-04]",
  function()
    acc "enter data copyin(P)"
    expect.present "P"
    expect.absent "P.a[0:2]"
    expect.detached "P.a"
  end)

case("accepts: each side follows a pointer to its own memory [TR14-1.1-02]", function()
  expect.moves(function()
    acc "data copy(D)" (function()
      expect.accepts("parallel present(D)", function(d) expect.equal(d.D.a[1], 2) end)
      expect.equal(host.D.a[1], 2)
    end)
  end, { h2d = { count = 2, bytes = 24 }, d2h = { count = 2, bytes = 16 } })
end)

case("rejects: a kernel follows a host pointer [TR14-1.1-02 TR14-1.1-03]", function()
  acc "data copy(P)" (function()
    expect.fails("host-pointer-on-device", function()
      acc "parallel present(P)" (function(d) return d.P.a[0] end)
    end)
    expect.fails("host-pointer-on-device", function()
      acc "parallel present(P)" "P.a[0] = 1;"
    end)
  end)
end)

case("rejects: the host follows a device pointer [TR14-1.1-02]", function()
  acc "data copy(D)" (function()
    host.P = { a = acc_deviceptr "D.a[0:2]" }
    expect.fails("device-pointer-on-host", function() return host "P.a[0]" end)
    expect.fails("device-pointer-on-host", function() return host.P.a[0] end)
  end)
end)

case("accepts: a shallow copy moves the object and leaves its pointers as they are [TR14-1.1-03]",
  function()
    expect.events(function() acc "enter data copyin(P)" end, { "alloc P", "h2d P", "incref P" })
    expect.device("P.n", 2)
    expect.events(function() acc "exit data delete(P)" end, { "decref P", "free P" })
  end)

case("accepts: a deep copy moves everything that is described and translates the pointers [TR14-1.1-04]",
  function()
    expect.events(function() acc "enter data copyin(D)" end, { "alloc D", "alloc D.a[0:2]", "h2d D",
      "h2d D.a[0:2]", "attach D.a", "incref D", "incref D.a[0:2]" })
    expect.attached("D.a", 1)
    local translated = acc_deviceptr "D.a[0:2]"
    expect.accepts("parallel present(D)", function(d) expect.equal(d.D.a, translated) end)
  end)

case("accepts: members of all kinds move with their object [TR14-1.1-07 TR14-1.1-08]", function()
  acc "data copyin(O)" (function()
    expect.present "O.more[0:2]"
    expect.device("O.k", 2)
    expect.device("O.first.n", 1)
    expect.device("O.first.a[0]", 1)
    expect.device("O.more[0].a[0:2]", { 2, 3 })
    expect.device("O.more[1].a[0]", 4)
    expect.attached("O.more", 1)
    expect.attached("O.more[1].a", 1)
    expect.attached("O.first.a", 1)
  end)
  expect.absent "O.more[1].a[0:1]"
end)

case("differs: an indirect member does not move without a shape [TR14-1.1-07 TR14-1.1-08]",
  function()
    acc "data copyin(P)" (function()
      expect.device("P.n", 2)
      expect.absent "P.a[0:2]"
    end)
  end)

-- A class with member functions. shapes: the text that describes its pointer.
local function with_methods(shapes)
  declare("class series {\n int n; float *a;\n" .. shapes .. [[
    public:
      void scale(float by);
      int last() const { return n - 1; }
    };
    series M;
    int factor = 3;
  ]])
  host.M = { n = 2, a = { 1, 2 } }
end

case("accepts: the use of a member is a use of the whole *this [TR14-1.1-06]", function()
  with_methods "#pragma acc shape include(a[0:n])\n"
  method("series", "scale", function(self, by)
    host.factor = by
    acc "parallel" "for (int i = 0; i <= this->last(); ++i) a[i] *= factor;"
    return self.n
  end)
  local moves = {}
  for _, e in ipairs(events(function() expect.equal(host.M:scale(5), 2) end)) do
    if e.op == "alloc" or e.op == "h2d" or e.op == "d2h" then moves[#moves + 1] = e.op .. " " .. e.bytes end
  end
  expect.equal(moves, { "alloc 16", "alloc 8", "h2d 16", "h2d 8", "d2h 8", "d2h 8" })
  expect.host("M.a[0:2]", { 5, 10 })
  acc "data copyin(M)" (function()
    expect.moves(function() host.M:scale(2) end, { h2d = 0, d2h = 0 }) -- *this is there
    expect.device("M.a[1]", 20)
  end)
  expect.host("M.a[1]", 10)
end)

case("accepts: inside a member function clauses name members and this [TR14-1.1-06]", function()
  with_methods ""
  method("series", "scale", function()
    acc "data copy(a[0:n])" (function()
      acc "parallel present(this->a[0:2])" "a[0] += 40;"
      expect.attached("a", 1)
    end)
    expect.accepts("parallel copyin(this[0:1])", function(d) expect.equal(d.this.n, 2) end)
    acc("parallel", "this") (function(d) d.n = d.n + 1 end)
  end)
  host.M:scale()
  expect.host("M.n", 3)
  expect.host("M.a[0]", 41)
end)

case("rejects: a pointer member has no deep copy, or a name is not a member [TR14-1.1-06 TR14-4.2-09]", function()
  with_methods ""
  declare "int m = 9;"
  method("series", "scale", function()
    expect.fails("host-pointer-on-device", function() acc "parallel" "a[0] = 1;" end)
    expect.fails("not-present", function() acc "parallel default(present)" "n = 1;" end)
    expect.events(function() expect.accepts("parallel", "int n = 1, a = m; n = a;") end, {}) -- locals hide members
  end)
  host.M:scale()
  expect.host("M.n", 2)
  expect.fails("unknown-name", function() acc "parallel" "n = 1;" end)
  expect.invalid("acc data copyin(a[0:2])", "unknown-name")
  expect.invalid("acc data copyin(this[0:1])", "unknown-name")
  expect.fails("unknown-member", function() host.M:shrink() end)
end)

case("accepts: a member function calls another one of its object [TR14-1.1-06]", function()
  declare "class box { int n; float *a; int size() const { return n; } }; box B;"
  host.B = { n = 2, a = { 1, 2 } }
  method("box", "run", function()
    expect.equal(host "size()", 2)
    acc "data copyin(a[0:size()])" (function() expect.present "this->a[0:2]" end)
    expect.accepts("parallel copyin(this[0:1])", "int k = size();")
  end)
  host.B:run()
end)

case("accepts: a member function in an expression has its object [TR14-1.1-06]", function()
  declare "class box { int n; }; box B; int n = 7;"
  host.B = { n = 2 }
  method("box", "get", function() return host "n" end)
  expect.equal(host.B:get(), 2)
  expect.equal(host "B.get()", 2)
end)

case("rejects: default(none) refuses the implicit clause on *this [TR14-1.1-06 ACC33-impl-2]", function()
  declare "class box { int n; }; box B;"
  host.B = { n = 2 }
  method("box", "set", function()
    expect.fails("default-none", function() acc "parallel default(none)" "n = 1;" end)
  end)
  host.B:set()
end)

case("accepts: the second argument of acc names a member of *this [TR14-1.1-06]", function()
  declare "class box { int n; }; box B;"
  host.B = { n = 2 }
  method("box", "get", function()
    local found
    acc("parallel", "n")(function(d) found = d.n end)
    return found
  end)
  expect.moves(function() expect.equal(host.B:get(), 2) end, { h2d = { count = 1, bytes = 4 } })
end)
