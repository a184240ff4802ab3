-- Automatic alias resolution: all clauses are one set before anything is done.
scenario { title = "TR14 4.2: automatic alias resolution", rules = "tr14" }

declare [[
  float v[20];
  float *a = v;
  float *b = v;
  struct view { int n; float *p, *q;
      #pragma acc shape include(p[0:n], q[0:n])
  };
  struct view S;
]]
for k = 0, 19 do host.v[k] = k end

-- All orders of a list.
local function permutations(list, n, visit)
  n = n or #list
  if n <= 1 then return visit(list) end
  for k = 1, n do
    list[k], list[n] = list[n], list[k]
    permutations(list, n - 1, visit)
    list[k], list[n] = list[n], list[k]
  end
end

case("accepts: clauses appear in any order, and present finds what another clause maps [TR14-4.2-01 TR14-4.2-02]",
  function()
    permutations({ "copy(a[0:10])", "present(b[0:10])", "create(v[2:3])" }, nil, function(order)
      host.v[0] = 0
      acc("data " .. table.concat(order, " "))(function()
        expect.count("v[0:10]", { structured = 3 })
        acc "parallel present(b[0:10])" (function(d) d.b[0] = 5 end)
      end)
      expect.host("v[0]", 5)
      expect.absent "v"
    end)
  end)

case("rejects: no order of clauses helps if nothing maps the data [TR14-4.2-01 TR14-4.2-02 TR14-4.2-09]", function()
  permutations({ "copy(a[0:5])", "present(b[10:5])" }, nil, function(order)
    expect.fails("not-present", function() acc("data " .. table.concat(order, " ")) end)
  end)
end)

case("accepts: an object that is wholly present is used as it is [TR14-4.2-03 TR14-4.2-04]", function()
  acc "enter data copyin(v)"
  host.v[3] = 30
  expect.events(function() acc "enter data copyin(a[2:5])" end, { "incref a[2:5]" })
  expect.device("v[3]", 3)
end)

case("rejects: an object that is partly present is a fatal error [TR14-4.2-03 TR14-4.2-04]", function()
  acc "enter data copyin(v[5:5])"
  for _, section in ipairs { "v[0:6]", "v[9:2]", "v[4:8]", "v" } do
    for _, clause in ipairs { "copyin", "create", "copy", "copyout", "present" } do
      expect.fails("partially-present", function() acc(("data %s(%s)"):format(clause, section)) end)
    end
  end
  acc "enter data copyin(v[10:5])"
  expect.present "v[10:5]"
  expect.fails("partially-present", function()
    acc "data copyin(v[5:10])"
  end) -- two objects, side by side
end)

case("accepts: objects of one directive touch, contain or equal each other [TR14-4.2-05 TR14-4.2-06]",
  function()
    acc "data copyin(v[0:5], v[5:5])" (function() expect.equal(#state().present, 2) end)
    acc "data copyin(v[0:10]) create(v[2:3], b[2:3])" (function()
      expect.equal(#state().present, 1)
      expect.equal(state().present[1].bytes, 40)
    end)
  end)

case("rejects: two absent objects overlap and none contains the other [TR14-4.2-05]", function()
  expect.fails("partial-overlap", function() acc "data copyin(v[0:10]) copyin(v[5:10])" end)
  expect.fails("partial-overlap", function() acc "enter data create(a[0:3]) copyin(b[2:2])" end)
end)

case("differs: a contained object has no memory of its own [TR14-4.2-06]", function()
  expect.events(function() acc "enter data copyin(v[0:10]) create(a[2:3])" end,
    { "alloc v[0:10]", "h2d v[0:10]", "incref v[0:10]", "incref a[2:3]" })
end)

case("accepts: each clause asks for its own bytes, and each byte moves once [TR14-4.2-07]", function()
  expect.moves(function() acc "enter data create(v) copyin(a[0:5])" end,
    { h2d = { count = 1, bytes = 20 } })
  acc "exit data delete(v) delete(a[0:5])"
  expect.moves(function() acc "enter data copyin(v[0:10]) copyin(a[2:5])" end,
    { h2d = { count = 1, bytes = 40 } })
  expect.moves(function() acc "exit data copyout(v[0:10]) copyout(a[2:5])" end,
    { d2h = { count = 1, bytes = 40 } })
end)

case("differs: bytes that no clause asks for do not move [TR14-4.2-07]", function()
  acc "enter data create(v) copyin(a[0:5])"
  expect.device("v[4]", 4)
  expect.uninitialized "v[5:15]"
  expect.accepts "exit data delete(v) copyout(a[0:5])"
  expect.host("v[5]", 5)
end)

case("accepts: every clause increments the reference counter [TR14-4.2-08]", function()
  acc "data copyin(v) copyin(a[0:2]) create(b[1:1])" (function()
    expect.count("v", { structured = 3, dynamic = 0 })
  end)
  acc "enter data copyin(v) create(v[3:3])"
  expect.count("v", { structured = 0, dynamic = 2 })
end)

case("differs: clauses on other objects do not change the counter [TR14-4.2-08]", function()
  acc "data copyin(v[0:5]) copyin(v[5:5])" (function()
    expect.count("v[0:5]", { structured = 1 })
    expect.count("v[5:5]", { structured = 1 })
  end)
end)

case("accepts: another clause of the directive maps the object of present [TR14-4.2-09]", function()
  acc "data create(v) present(a[0:20])" (function() expect.present "v" end)
end)

case("rejects: neither the device nor the directive has the object of present [TR14-4.2-09]", function()
  expect.fails("not-present", function() acc "data present(v)" end)
  expect.fails("not-present", function() acc "data create(v[0:2]) present(v[4:2])" end)
end)

case("accepts: pointers attach to objects that any clause mapped [TR14-4.2-10]", function()
  host.S = { n = 4, p = addr "v[0]", q = addr "v[2]" }
  for _, text in ipairs { "data copyin(S) copyin(v)", "data copyin(v) copyin(S)" } do
    acc(text)(function()
      expect.attached("S.p", 1)
      expect.device("S.q[3]", 5)
      expect.equal(#state().present, 2)
    end)
  end
end)

case("rejects: two members of one object overlap in part [TR14-4.2-10 TR14-4.2-05]", function()
  host.S = { n = 4, p = addr "v[0]", q = addr "v[2]" }
  expect.fails("partial-overlap", function() acc "data copyin(S)" end)
end)

case("rejects: two members overlap in part, and a piece is present already [TR14-4.2-10 TR14-4.2-05]", function()
  host.S = { n = 4, p = addr "v[4]", q = addr "v[3]" }
  acc "enter data copyin(v[1:3])"
  expect.fails("partial-overlap", function() acc "data update_and_copy(S)" end)
  acc "exit data delete(v[1:3])"
  expect.absent "v[1:3]"
end)

case("accepts: at the end counters change first, then data are copied, then memory is freed [TR14-4.2-11]", function()
  expect.moves(function()
    for _, text in ipairs { "data copy(a[0:10]) present(b[0:10])",
      "data present(b[0:10]) copy(a[0:10])" } do
      host.v[1] = 1
      acc(text)(function() acc "parallel present(a[0:10])" (function(d) d.a[1] = 11 end) end)
      expect.host("v[1]", 11)
    end
  end, { h2d = { count = 2, bytes = 80 }, d2h = { count = 2, bytes = 80 } })
end)

case("differs: nothing is copied back while a reference remains [TR14-4.2-11]", function()
  acc "data create(v)" (function()
    expect.moves(function()
      expect.accepts("data copy(v)", function()
        acc "parallel present(v)" (function(d) d.v[1] = 99 end)
        expect.device("v[1]", 99)
      end)
    end, { d2h = 0 })
    expect.host("v[1]", 1)
    expect.present "v"
  end)
  expect.host("v[1]", 1)
end)

case("rejects: a partial overlap names both objects [TR14-4.2-05]", function()
  declare [[
    float cells[8];
    struct halves { float *low, *high;
      #pragma acc shape include(low[0:4], high[0:4])
    };
    struct halves H;
  ]]
  host.H.low, host.H.high = addr "cells[0]", addr "cells[2]"
  local problem = expect.fails("partial-overlap", function() acc "enter data copyin(H)" end)
  expect(problem.message:find("H.low[0:4]", 1, true) and problem.message:find("H.high[0:4]", 1, true))
end)
