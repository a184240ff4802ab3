-- A fusion moves device memory. Pointers into a moved block follow it, on entry and on exit; pointers in a
-- moved block move with it, and stay attached.
scenario { title = "DIR 4.1: attached pointers in moved blocks", rules = "directory" }

declare [[
  float a[2000]; float *c;
  struct link { int n; float *v; };
  struct link S, N[8];
  struct deep { int n; float *v;
      #pragma acc shape init_needed(n) include(v[0:n])
  };
  struct deep X;
]]
for i = 0, 1999 do host.a[i] = i end
host.c = addr "a[25]"

case("accepts: a pointer into a moved block follows the block, there and back [DIR-4.1-05]", function()
  host.S = { n = 1, v = addr "a[3]" }
  acc "data copyin(a[0:20], S)" (function()
    acc "enter data attach(S.v)"
    local before = acc_deviceptr "a[0]"
    acc "data copyin(a[50:20])" (function()
      expect.attached("S.v", 1)
      acc "parallel present(S)" "S.v[0] = S.v[60 - 13];" -- a[3] = a[50]
      expect.device("a[3]", 50)
      acc "data copyin(a[100:5])" (function()
        acc "parallel present(S)" "S.v[1] = S.v[97];"
        expect.device("a[4]", 100)
      end)
    end)
    expect(acc_deviceptr "a[0]" == before)
    expect.attached("S.v", 1)
    acc "parallel present(S)" "S.v[2] = S.v[0] + 1;"
    expect.device("a[5]", 51)
    expect.fails("out-of-bounds", function() acc "parallel present(S)" "float x = S.v[47];" end)
    acc "exit data detach(S.v)"
  end)
end)

case("accepts: pointers in a moved block point to the same data [DIR-4.1-05]", function()
  for k = 0, 7 do host.N[k].n, host.N[k].v = k, addr(("a[%d]"):format(k)) end
  acc "data copyin(a[0:20]) copy(N[0:2])" (function()
    acc "enter data attach(N[1].v)"
    acc "data copyin(N[5:2])" (function() -- N[0:7]
      expect.attached("N[1].v", 1)
      acc "enter data attach(N[6].v)"
      acc "parallel present(N[0:2])" "N[1].v[0] = N[6].n * 10; N[6].v[0] = N[1].n;"
      expect.device("a[1]", 60)
      expect.device("a[6]", 1)
      acc "exit data detach(N[6].v)"
    end)
    expect.attached("N[1].v", 1)
    acc "parallel present(N[0:2])" "N[1].v[1] = N[1].v[0];"
    expect.device("a[2]", 60)
    acc "exit data detach(N[1].v)"
  end)
  expect(host.N[1].v == addr "a[1]")
end)

case("accepts: a pointer in a moved block points into the same block [DIR-4.1-05]", function()
  declare "struct node { int k; struct node *next; }; struct node L[8];"
  for k = 0, 7 do host.L[k].k, host.L[k].next = k, addr(("L[%d]"):format((k + 1) % 3)) end
  acc "data copy(L[0:3])" (function()
    for k = 0, 2 do acc(("enter data attach(L[%d].next)"):format(k)) end
    acc "data copyin(L[6:2])" (function()
      acc "parallel present(L[0:3])" "L[0].next->next->next->k = L[7].k;"
      expect.device("L[0].k", 7)
    end)
    acc "parallel present(L[0:3])" "L[1].next->next->k += 1;"
    expect.device("L[0].k", 8)
    for k = 0, 2 do acc(("exit data detach(L[%d].next)"):format(k)) end
  end)
  expect.host("L[0].k", 8)
  expect(host.L[0].next == addr "L[1]")
end)

case("accepts: a pointer attached during the fusion points to the former place afterwards [DIR-4.1-05]", function()
  host.S = { n = 1, v = addr "a[3]" }
  acc "data copyin(a[0:20], S)" (function()
    expect.accepts("data copyin(a[50:20])", function()
      acc "enter data attach(S.v)"
      acc "parallel present(S)" "S.v[0] = -3;"
    end)
    expect.attached("S.v", 1)
    acc "parallel present(S)" "S.v[1] = S.v[0];"
    expect.device("a[3:2]", { -3, -3 })
    acc "exit data detach(S.v)"
  end)
end)

case("accepts: a pointer is detached during the fusion [DIR-4.1-05]", function()
  host.S = { n = 1, v = addr "a[3]" }
  acc "data copyin(a[0:20], S)" (function()
    acc "enter data attach(S.v)"
    expect.accepts("data copyin(a[50:20])", function() acc "exit data detach(S.v)" end)
    expect.detached "S.v"
    expect.fails("host-pointer-on-device", function() acc "parallel present(S)" "S.v[0] = 1;" end)
  end)
end)

case("rejects: a level ends while a pointer of another level points into its data [DIR-4.1-05 TR14-4.3-12]", function()
  host.S = { n = 1, v = addr "a[60]" }
  acc "data copyin(a[0:20], S)" (function()
    local inner = acc "data copyin(a[50:20])"
    acc "enter data attach(S.v)"
    expect.fails("still-attached", function() inner:close() end)
    expect.device("a[69]", 69)
    acc "exit data detach(S.v)"
    inner:close()
  end)
end)

-- The kinds of events, in order.
local function kinds(fn)
  local list = {}
  for _, event in ipairs(events(fn)) do
    if list[#list] ~= event.op then list[#list + 1] = event.op end
  end
  return list
end

case("accepts: pointers are attached after the copies and detached before them [DIR-4.2-08]", function()
  host.X = { n = 4, v = addr "a[25]" }
  acc "data copyin(c[20:5])" (function()
    local region
    expect.equal(kinds(function() region = acc "data copy(X)" end),
      { "fuse", "alloc", "d2d", "h2d", "attach", "incref" })
    local tuple = state().levels[2].artificial
    tuple = tuple[1].name == "X" and tuple[2] or tuple[1]
    expect.equal({ tuple.name, tuple.bytes, tuple.state }, { "X.v[0:25]", 100, "ALLOC" })
    expect.equal(tuple.ancestors, { "X.v[0:4]", "c[20:5]" })
    acc "parallel present(X)" "X.v[0] = X.v[24];"
    expect.equal(kinds(function() region:close() end), { "detach", "decref", "d2h", "d2d", "free" })
  end)
  expect.host("a[25]", 49)
end)
