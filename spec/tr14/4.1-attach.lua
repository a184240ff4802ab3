-- Attach and detach: device pointers follow their targets, the host never sees a device address.
scenario { title = "TR14 4.1: attach and detach", rules = "tr14" }

declare [[
  struct deep { int n; float *a, *b;
      #pragma acc shape init_needed(n) include(a[0:n], b[0:n])
      #pragma acc shape(flat) exclude(a, b)
  };
  struct deep X;
  float v[4] = { 1, 2, 3, 4 };
  float *p = v;
]]
host.X = { n = 2, a = { 1, 2 }, b = { 3, 4 } }

case("accepts: attach writes the device pointer, and detach restores it [TR14-4.1-01]", function()
  acc "enter data copyin(v) copyin(p)"
  expect.attached("p", 1)
  expect.device("p[3]", 4)
  acc "exit data detach(p)"
  expect.detached "p"
  expect.fails("host-pointer-on-device", function() expect.device("p[0]", 1) end)
  acc "enter data attach(p)"
  expect.device("p[2]", 3)
end)

case("rejects: a pointer that is not attached is detached [TR14-4.1-01 TR14-4.1-04 TR14-4.3-13]", function()
  acc "enter data copyin(p)"
  expect.detached "p"
  expect.fails("not-attached", function() acc "exit data detach(p)" end)
end)

case("accepts: pointers attach to objects of this directive and to present ones [TR14-4.1-02]",
  function()
    acc "data copyin(X)" (function() expect.attached("X.a", 1) end)
    acc "enter data copyin(X.a[0:2])"
    acc "enter data copyin(v)"
    acc "enter data copyin(p)"
    expect.attached("p", 1)
    expect.present "X.a[0:2]"
  end)

case("accepts: a pointer without an attachment is unmapped without a detach [TR14-4.1-02]", function()
  acc "enter data copyin(p)"
  expect.detached "p"
  acc "exit data delete(p)"
  expect.absent "p"
  acc "enter data copyin(v) copyin(p)"
  acc "exit data copyout(p)"
  expect.absent "p"
  expect.present "v"
end)

case("rejects: the target of an attach is absent [TR14-4.1-02 ACC33-att-2]", function()
  acc "enter data copyin(p)"
  expect.present "p"
  expect.fails("not-present", function() acc "enter data attach(p)" end)
  acc "enter data copyin(v[0:2])"
  expect.present "v[0:2]"
  host.p = addr "v[2]"
  expect.fails("not-present", function() acc "enter data attach(p)" end)
end)

case("accepts: pointers are detached before objects are unmapped [TR14-4.1-03]", function()
  local region = acc "data copyin(X)"
  local order = {}
  for _, e in ipairs(events(function() region:close() end)) do order[#order + 1] = e.op end
  expect.equal({ order[1], order[2] }, { "detach", "detach" })
  expect.equal(order[#order], "free")
end)

case("rejects: an object is unmapped while an attached pointer points to it [TR14-4.1-03 TR14-4.3-12]", function()
  acc "enter data copyin(v) copyin(p)"
  expect.fails("still-attached", function() acc "exit data delete(v)" end)
  acc "exit data delete(p) delete(v)"
  expect.absent "v"
end)

case("accepts: attachments are counted [TR14-4.1-04]", function()
  acc "data copyin(X)" (function()
    acc "data copyin(X)" (function()
      expect.accepts "parallel present(X)"
      expect.attached("X.a", 2)
    end)
    expect.attached("X.a", 1)
  end)
  expect.detached "X.a"
end)

case("accepts: no device address is written to the host [TR14-4.1-05]", function()
  local a, b = host "X.a", host "X.b"
  expect.moves(function()
    acc "data copy(X)" (function() acc "update self(X)" end)
  end, { h2d = { count = 3, bytes = 40 }, d2h = { count = 6, bytes = 48 } })
  expect.equal(host "X.a", a)
  acc "data copyout(X)" (function()
    acc "parallel present(X)" "X.a[0] = X.a[1] = X.b[0] = X.b[1] = 1;"
  end)
  expect.equal(host "X.b", b)
  expect.host("X.a[1]", 1)
  acc "enter data copyin(X)"
  expect.accepts "exit data copyout(X)"
  expect.equal(host "X.a", a)
end)

case("differs: copies to the host leave out the bytes of attached pointers [TR14-4.1-05]",
  function()
    acc "enter data copyin(X)"
    expect.moves(function() acc "update self(X)" end, { d2h = { bytes = 8 + 8 + 8 } })
    expect.moves(function() acc "exit data copyout(X)" end, { d2h = { bytes = 8 + 8 + 8 } })
  end)

case("accepts: updates keep the pointers of both sides [TR14-4.1-06]", function()
  acc "data copyin(X)" (function()
    local before = host "X.a"
    host.X.n = 1
    acc "update device(X)"
    expect.device("X.n", 1)
    expect.device("X.a[0]", 1)
    expect.attached("X.a", 1)
    expect.accepts "update self(X)"
    expect.equal(host "X.a", before)
    host.X.n = 2
  end)
end)

case("differs: an update moves a pointer without an attachment as it is [TR14-4.1-06]", function()
  acc_copyin "p"
  host.p = addr "v[1]"
  expect.accepts "update device(p)"
  expect.fails("host-pointer-on-device", function() acc "parallel present(p)" "float x = p[0];" end)
end)

for _, way in ipairs { "split", "reverse" } do
  case("accepts: update = " .. way .. " leaves the same bytes [TR14-4.1-07]", function()
    rules { base = "tr14", update = way }
    declare [[
      struct q { int n; float *a; int m;
          #pragma acc shape include(a[0:n])
      };
      struct q Q;
    ]]
    host.Q = { n = 2, a = { 1, 2 }, m = 5 }
    local before = host "Q.a"
    acc "data copyin(Q)" (function()
      acc "parallel present(Q)" "Q.m = 6; Q.a[1] = 9;"
      expect.moves(function() acc "update self(Q)" end, { d2h = { bytes = way == "split" and 16 + 8 or 24 + 8 } })
      expect.equal(host "Q.a", before)
      host.Q.a[0] = 3
      acc "update device(Q)"
      expect.equal(host "Q.a", before)
      expect.host("Q.m", 6)
      expect.host("Q.a[0:2]", { 3, 9 })
      expect.device("Q.m", 6)
      expect.device("Q.a[0:2]", { 3, 9 })
    end)
  end)
end

case("rejects: the knob update has an unknown value [TR14-4.1-07 HOUSE-knobs]", function()
  expect.fails("type-mismatch", function() rules { base = "tr14", update = "sideways" } end)
end)

case("accepts: pointers do not change [TR14-4.1-08]", function()
  acc "data copyin(X)" (function()
    host.X.a[0] = 7
    acc "update device(X)"
    expect.device("X.a[0]", 7)
    expect.attached("X.a", 1)
  end)
end)

case("rejects: a kernel changes an attached pointer [TR14-4.1-08]", function()
  local before = host "X.a"
  acc "data copy(X, v)" (function()
    expect.fails("pointer-changed", function() acc "parallel present(X, v)" "X.a = v;" end)
    expect.device("X.a[1]", 2)
  end)
  expect.equal(host "X.a", before)
end)

case("rejects: a pointer changes between attach and detach, or before an update [TR14-4.1-08]", function()
  local old = host "X.a"
  acc "enter data copyin(X)"
  host.X.a = host "X.b"
  expect.fails("pointer-changed", function() acc "update self(X)" end)
  expect.fails("pointer-changed", function() acc "enter data attach(X.a)" end)
  host.X.a = old
  acc "exit data delete(X)"
  expect.absent "X"
end)
