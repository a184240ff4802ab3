-- The stack of data environments: levels, their two lists of tuples, what a tuple holds.
scenario { title = "DIR 4.1: directory design", rules = "directory", devices = 2 }

declare "float v[2000], w[10]; float *p;"
for k = 0, 1999 do host.v[k] = k end
for k = 0, 9 do host.w[k] = 10 * k end

-- --------------------------------------------------------------------------------------- levels --

case("accepts: each open region has a level, and the newest level is the current one [DIR-4.1-01]", function()
  acc "data copy(w)" (function()
    acc "data copyin(v[0:10]) present(w[2:3])" (function()
      local s = state()
      expect.equal(#s.levels, 2)
      expect.equal(s.levels[1].kind, "data")
      expect(s.levels[2].at:match "4.1%-design.lua:%d+$", "where the level was opened")
      expect.accepts("parallel present(w)", function() expect.equal(#state().levels, 3) end)
    end)
    expect.equal(#state().levels, 1)
    expect.equal(tuples(state().levels[1].artificial), { "ALLOC w of w" })
  end)
  expect.equal(#state().levels, 0)
end)

case("accepts: each device has a stack [DIR-4.1-01]", function()
  local outer = acc "data copy(w)"
  acc "set device_num(1)"
  acc "data copy(w)" (function()
    acc "data copyin(v)" (function()
      expect.equal({ #state(0).levels, #state(1).levels }, { 1, 2 })
    end)
  end)
  outer:close()
end)

case("differs: enter data opens no level [DIR-4.1-01]", function()
  acc "enter data copyin(w)"
  expect.equal(#state().levels, 0)
  expect.equal(#state().present, 1)
end)

case("accepts: hundreds of levels each hold a piece of one array [DIR-4.1-01]", function()
  local open, last = {}, 299
  for k = 0, last do open[k] = acc(("data copy(v[%d:1])"):format(6 * k)) end
  expect.equal(#state().levels, last + 1)
  expect(acc_deviceptr(("v[%d]"):format(6 * last)) == acc_deviceptr "v[0]" + 6 * last)
  acc "parallel" "for (int k = 0; k < 1800; k += 6) v[k] += 1;"
  for k = last, 0, -1 do open[k]:close() end
  for k = 0, 1999 do expect.host(("v[%d]"):format(k), k % 6 == 0 and k < 1800 and k + 1 or k) end
  expect.equal(#state().present, 0)
end)

-- ------------------------------------------------------------------------------------ two lists --

case("accepts: the lists of a level hold its clauses, and the ranges after fusion [DIR-4.1-02]", function()
  acc "data copyin(v[0:10], w)" (function()
    acc "data copyout(v[20:10])" (function()
      local outer, inner = state().levels[1], state().levels[2]
      expect.equal(tuples(outer.original), { "copyin v[0:10]", "copyin w" })
      expect.equal(tuples(outer.artificial), { "ALLOC v[0:10] of v[0:10]", "ALLOC w of w" })
      expect.equal(tuples(inner.original), { "copyout v[20:10]" })
      expect.equal(tuples(inner.artificial), { "ALIAS w of w", "ALLOC v[0:30] of v[0:10] v[20:10]" })
    end)
  end)
end)

case("accepts: a tuple holds the state of its clause of OpenMP, whatever came before [DIR-4.1-02]", function()
  rules { base = "openmp-5.1", fusion = true }
  declare [[
    struct pair { int x, y; } s, t;
    #pragma omp declare mapper(struct pair p) map(always, tofrom: p.x)
    #pragma omp declare mapper(sent: struct pair p) map(always, to: p.x)
    int a[4];
  ]]
  local function state_of_a()
    local found
    omp "target data map(always, tofrom: a)" (function() found = state().levels[1].original[1].state end)
    return found
  end
  expect.equal(state_of_a(), "always_in always_out pcopy")
  omp "target enter data map(to: s) map(mapper(sent), to: t)"
  expect.present "t.x"
  expect.equal(state_of_a(), "always_in always_out pcopy")
end)

case("differs: a level without clauses holds only what it found [DIR-4.1-02]", function()
  acc "data copyin(w)" (function()
    expect.accepts("parallel", function()
      local level = state().levels[2]
      expect.equal(level.original, {})
      expect.equal(tuples(level.artificial), { "ALIAS w of w" })
    end)
  end)
end)

-- --------------------------------------------------------------------------------------- tuples --

case("accepts: an original tuple has a name, a size, a host address and a clause [DIR-4.1-03]", function()
  acc "data copyin(v[5:20])" (function()
    local tuple = state().levels[1].original[1]
    expect.equal({ tuple.name, tuple.bytes, tuple.state }, { "v[5:20]", 80, "copyin" })
    expect(tuple.host == addr "v[5]")
    expect(tuple.ancestors == nil)
  end)
end)

case("accepts: an artificial tuple has a device address and ancestors [DIR-4.1-03]",
  function()
    acc "data copyin(v[5:5])" (function()
      acc "data copyin(v[15:5])" (function()
        local tuple = state().levels[2].artificial[1]
        expect.equal({ tuple.name, tuple.bytes, tuple.state }, { "v[5:15]", 60, "ALLOC" })
        expect(tuple.host == addr "v[5]")
        expect(tuple.device == acc_deviceptr "v[5]")
        expect.equal(tuple.ancestors, { "v[5:5]", "v[15:5]" })
      end)
    end)
  end)

case("accepts: a present object has a name, a size, addresses and counters [DIR-4.1-03]", function()
  acc "enter data copyin(v[5:5])"
  local object = state().present[1]
  expect.equal({ object.name, object.bytes }, { "v[5:5]", 20 })
  expect(object.host == addr "v[5]")
  expect(object.device == acc_deviceptr "v[5]")
  expect.equal({ object.structured, object.dynamic, object.state }, { 0, 1, "ALLOC" })
  acc "data present(v[5:5])" (function()
    object = state().present[1]
    expect.equal({ object.structured, object.dynamic, object.state }, { 1, 1, "ALIAS" })
  end)
end)

case("differs: a clause on present data adds only its tuple [DIR-4.1-03]", function()
  acc "enter data copyin(w)"
  acc "enter data copyin(w[1:2])"
  expect.equal(#state().present, 1)
  expect.equal(tuples(state().dynamic), { "copyin w", "copyin w[1:2]" })
  acc "exit data delete(w[1:2]) delete(w)"
  expect.equal(#state().present, 0)
end)

case("accepts: memory is allocated only for the section [DIR-4.1-04]", function()
  local list = events(function() acc "enter data copyin(v[1000:10])" end)
  expect.equal({ list[1].op, list[1].name, list[1].bytes }, { "alloc", "v[1000:10]", 40 })
  expect.equal(state().present[1].bytes, 40)
  expect.device("v[1000:3]", { 1000, 1001, 1002 }) -- the first element lies at the first address
  expect(acc_deviceptr "v[1000]" == state().present[1].device)
end)

case("differs: elements before the section are absent [DIR-4.1-04]", function()
  host.p = addr "v[0]"
  acc "data copyin(p[1000:10])" (function()
    expect.absent "v[999:1]"
    expect.fails("out-of-bounds", function() acc "parallel present(p[1000:10])" "float x = p[999];" end)
    expect.fails("out-of-bounds", function() acc "parallel present(p[1000:10])" "p[999] = 1;" end)
  end)
end)

case("differs: elements before the section stay absent after a fusion [DIR-4.1-04]",
  function()
    local bytes = 0
    for _, event in ipairs(events(function() acc "enter data copyin(v[1000:10], v[1990:10])" end)) do
      if event.op == "alloc" then bytes = bytes + event.bytes end
    end
    expect.equal(bytes, 4000)
  end)

case("accepts: addresses are those of the last reallocation, on entry and on exit [DIR-4.1-05]",
  function()
    acc "data copyin(v[0:10])" (function()
      local first = acc_deviceptr "v[0]"
      acc "data copyin(v[20:10])" (function()
        local second = acc_deviceptr "v[0]"
        expect(second ~= first)
        expect(state().present[1].device == second)
        expect(state().levels[1].artificial[1].device == first)
        acc "data copyin(v[40:10])" (function()
          local third = acc_deviceptr "v[0]"
          expect(third ~= first and third ~= second)
          expect(acc_deviceptr "v[20]" == third + 20)
          acc "host_data use_device(v)" (function() expect(addr "v[20]" == third + 20) end)
        end)
        expect(acc_deviceptr "v[0]" == second)
      end)
      expect(acc_deviceptr "v[0]" == first)
    end)
  end)

case("differs: data that no fusion moves keep their address [DIR-4.1-05]", function()
  expect.moves(function()
    acc "data copyin(v[0:10], w)" (function()
      local v, w = acc_deviceptr "v[0]", acc_deviceptr "w[0]"
      expect.accepts("data copyin(v[2:5]) create(w)", function() expect(acc_deviceptr "v[0]" == v) end)
      acc "data copyin(v[20:10])" (function() expect(acc_deviceptr "w[0]" == w) end)
    end)
  end, { h2d = { count = 3, bytes = 120 }, d2h = 0 })
end)

case("accepts: a level opens with all its clauses and closes with all of them [DIR-4.1-06]", function()
  acc "data present(v[2:3]) copyin(v[0:10]) create(v[20:10], w)" (function()
    local level = state().levels[1]
    expect.equal(#level.original, 4)
    expect.equal(tuples(level.artificial), { "ALLOC v[0:30] of v[0:10] v[2:3] v[20:10]", "ALLOC w of w" })
  end)
  expect.equal(#state().present, 0)
end)

case("rejects: one clause is impossible, and no level is opened [DIR-4.1-06 DIR-1-02]", function()
  acc "data copyin(v[0:10])" (function()
    expect.fails("partial-overlap", function() acc "data create(w, v[20:10]) copyin(v[5:10])" end)
    expect.fails("not-present", function() acc "data create(w) present(v[20:10])" end)
    expect.equal(#state().levels, 1)
    expect.equal(#state().present, 1)
  end)
end)
