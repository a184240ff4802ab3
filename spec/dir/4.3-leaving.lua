-- Figure 3: the top level ends. Its data are copied to where they belong, and its memory is freed.
scenario { title = "DIR 4.3: leaving a data environment", rules = "directory" }

declare "float a[200], b[20]; float *c;"
for i = 0, 199 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
host.c = addr "a[25]"

-- What a level holds, and where its tuples lie.
local function picture(k)
  local level, places = state().levels[k], {}
  for i, tuple in ipairs(level.artificial) do places[i] = tuple.device end
  return { tuples(level.original), tuples(level.artificial), places }
end

local function same(before, now)
  expect.equal({ now[1], now[2] }, { before[1], before[2] })
  for i, place in ipairs(before[3]) do expect(place == now[3][i], "the same device address") end
end

case("accepts: ALLOC tuples cause these actions in this order [DIR-4.3-01]", function()
  local outer = acc "data copy(a[0:20])"
  local inner = acc "data copy(a[50:20])"
  expect.events(function() inner:close() end,
    { "decref a[50:20]", "d2h a[50:20]", "d2d a[0:20]", "free a[0:70]" })
  expect.events(function() outer:close() end, { "decref a[0:20]", "d2h a[0:20]", "free a[0:20]" })
end)

case("accepts: the whole block is freed at once [DIR-4.3-01]", function()
  acc "data copyin(a[0:20])" (function()
    local inner = acc "data copyin(a[50:20], c[0:20])"
    local freed = {}
    for _, event in ipairs(events(function() inner:close() end)) do
      if event.op == "free" then freed[#freed + 1] = ("%s %d"):format(event.name, event.bytes) end
    end
    expect.equal(freed, { "a[0:70] 280" })
  end)
end)

case("differs: ALIAS tuples do nothing [DIR-4.3-01]", function()
  acc "data copyin(a[0:20], b)" (function()
    local inner = acc "data copy(a[5:5]) copyout(b) present(a[0:20])"
    local list = events(function() inner:close() end)
    expect.equal(#list, 3)
    for _, event in ipairs(list) do expect.equal(event.op, "decref") end
  end)
end)

case("accepts: copyout and copy copy to the host, with present_or or without [DIR-4.3-02]", function()
  for k, clause in ipairs { "copyout", "copy", "pcopyout", "pcopy" } do
    expect.accepts("data create(a[0:20])", function()
      local inner = acc(("data %s(a[50:20])"):format(clause))
      acc "parallel" "for (int i = 50; i < 70; i++) a[i] = -i;"
      host.a[50] = k
      expect.moves(function() inner:close() end, { h2d = 0, d2h = { count = 1, bytes = 80 } })
      expect.host("a[50:2]", { -50, -51 })
      expect.host("a[69]", -69)
    end)
  end
end)

case("accepts: each range is copied from its own place in the block [DIR-4.3-02]", function()
  acc "data copyout(a[50:5]) copyin(a[10:5]) copy(c[5:5])" (function()
    acc "parallel" "for (int i = 0; i < 5; i++) { a[50 + i] = 500 + i; a[10 + i] = 1; c[5 + i] += 1; }"
  end)
  expect.host("a[50:5]", { 500, 501, 502, 503, 504 })
  expect.host("a[30:5]", { 31, 32, 33, 34, 35 })
  expect.host("a[10:2]", { 10, 11 })
end)

case("differs: copyin, create and present do not copy to the host [DIR-4.3-02]", function()
  acc "data create(a[0:20])" (function()
    expect.moves(function()
      acc "data copyin(a[50:10]) create(a[60:10]) pcreate(a[80:5]) present(a[0:20])" (function()
        expect.accepts("parallel", "for (int i = 0; i < 5; i++) { a[50 + i] = -1; a[60 + i] = -1; }")
      end)
    end, { d2h = 0 })
    expect.host("a[50]", 50)
    expect.host("a[60]", 60)
  end)
end)

case("accepts: the outer level sees the results of the inner one [DIR-4.3-03]", function()
  acc "data copy(a[0:20])" (function()
    local inner = acc "data copyin(a[50:20])"
    acc "parallel" "for (int i = 0; i < 20; i++) a[i] = a[i] + a[i + 50];"
    expect.moves(function() inner:close() end, { h2d = 0, d2h = 0, d2d = { count = 1, bytes = 80 } })
    expect.device("a[19]", 88)
    acc "parallel" "a[0] = a[0] + 1000;"
  end)
  expect.host("a[0]", 1050)
  expect.host("a[19]", 88)
  expect.host("a[50]", 50)
end)

case("accepts: each level copies back to the level below [DIR-4.3-03]", function()
  acc "data copy(a[0:10])" (function()
    acc "data copy(a[20:10])" (function()
      acc "data copy(a[40:10])" (function()
        acc "parallel" "a[0] = 1000; a[20] = 1020; a[40] = 1040;"
      end)
      expect.host("a[40]", 1040)
      expect.device("a[20]", 1020)
      expect.host("a[20]", 20)
      acc "parallel" "a[1] = a[0] + a[20];"
    end)
    expect.host("a[20]", 1020)
    expect.device("a[1]", 2020)
    expect.host("a[0]", 0)
  end)
  expect.host("a[0:2]", { 1000, 2020 })
end)

case("accepts: bytes that the inner level initialised are initialised in the outer one [DIR-4.3-03]",
  function()
    acc "data create(a[0:20])" (function()
      acc "data copyin(a[50:20])" (function() acc "parallel" "a[3] = a[50];" end)
      expect.device("a[3]", 50)
      expect.uninitialized "a[4:16]"
    end)
  end)

case("differs: data that were not moved on entry are not moved back, and new data are not either"
  .. " [DIR-4.3-03]", function()
  acc "data copyin(a[0:20], b)" (function()
    local inner = acc "data copyin(a[50:20])"
    local back = {}
    for _, event in ipairs(events(function() inner:close() end)) do
      if event.op == "d2d" then back[#back + 1] = event.name end
    end
    expect.equal(back, { "a[0:20]" })
    expect.moves(function() acc "data copyin(c[0:20])" (function() end) end, { h2d = 1, d2d = 0 })
  end)
end)

case("accepts: the lists and addresses below are current again after the level [DIR-4.3-04]",
  function()
    acc "data copy(a[0:20], b)" (function()
      local first = picture(1)
      acc "data copyin(a[50:20], c[0:5])" (function()
        local second = picture(2)
        acc "data copyin(a[100:5], b[0:3]) create(c[100:3])" (function()
          expect.equal(#state().levels, 3)
        end)
        same(second, picture(2))
        expect.equal(#state().levels, 2)
      end)
      same(first, picture(1))
      expect.count("a[0:20]", { structured = 1, dynamic = 0 })
    end)
  end)

case("accepts: the memory of the level is free again [DIR-4.3-04]", function()
  expect.moves(function()
    acc "data copy(a[0:20])" (function()
      local spare = acc_malloc(280)
      local piece = 1 << 34
      while piece >= 1 do
        if acc_malloc(piece) == NULL then piece = piece >> 1 end
      end
      acc_free(spare)
      for _ = 1, 5 do acc "data copyin(a[50:20])" (function() end) end
      expect(acc_malloc(280) ~= NULL)
    end)
  end, { h2d = { count = 6, bytes = 480 }, d2h = { count = 1, bytes = 80 } })
end)

case("differs: data that the inner level mapped are unmapped with the level [DIR-4.3-04]", function()
  acc "data copy(a[0:20])" (function()
    expect.accepts "data copyin(a[50:20], b)"
    expect.absent "a[50:20]"
    expect.absent "b"
    expect.fails("out-of-bounds", function() acc "parallel present(a[0:20])" "float x = a[50];" end)
    expect.equal(#state().present, 1)
  end)
end)

case("accepts: the level that allocated the data copies them out [DIR-4.3-05]", function()
  acc "data copyout(b)" (function()
    expect.accepts("data copyin(b)", function()
      acc "parallel present(b)" "for (int k = 0; k < 20; ++k) b[k] = k;"
    end)
    expect.host("b[9]", 900)
  end)
  expect.host("b[9]", 9)
end)

case("accepts: the level of the clause copies out after a fusion, too [DIR-4.3-05]", function()
  local outer = acc "data copy(a[0:20])"
  acc "data copy(a[50:20], a[0:20])" (function() acc "parallel" "a[0] = a[50] = 7;" end)
  expect.host("a[50]", 7)
  expect.host("a[0]", 0)
  expect.moves(function() outer:close() end, { d2h = { count = 1, bytes = 80 } })
  expect.host("a[0]", 7)
end)

case("differs: a clause satisfied by an outer level copies nothing out [DIR-4.3-05]", function()
  acc "data copyin(b)" (function()
    expect.accepts("data copyout(b)", function()
      acc "parallel present(b)" "b[9] = 1;"
      expect.device("b[9]", 1)
    end)
    expect.host("b[9]", 900)
    acc "data copyin(a[0:20]) copy(b)" (function()
      expect.accepts("data copy(a[50:5]) copyout(a[0:10])", function()
        acc "parallel" "a[0] = -1;"
        expect.device("a[0]", -1)
      end)
    end)
  end)
  expect.host("b[9]", 900)
  expect.host("a[0]", 0)
end)

case("accepts: a body, end data, close or the scope closes regions from the inside out [DIR-4.3-06]",
  function()
    acc "data copyin(a[0:20])"
    acc "data copyin(a[50:20])"
    acc "end data"
    expect.absent "a[50:20]"
    acc "end data"
    expect.absent "a"
    local region = acc "data copyin(b)"
    expect.present "b"
    region:close()
    do
      local inner <close> = acc "data copyin(b)"
      expect(inner and true)
      expect.present "b"
    end
    expect.absent "b"
  end)

case("rejects: a region ends without a begin, in the wrong order, or twice [DIR-4.3-06]", function()
  expect.fails("region-nesting", function() acc "end data" end)
  local outer = acc "data copyin(a[0:20])"
  local inner = acc "data copyin(a[50:20])"
  expect.fails("region-nesting", function() outer:close() end)
  expect.device("a[69]", 69)
  inner:close()
  outer:close()
  local err = expect.fails("region-nesting", function() outer:close() end)
  expect.equal(err.rule, "DIR-4.3-06")
  expect.invalid("acc end data copyin(b)", "clause-not-allowed")
end)
