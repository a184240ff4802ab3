-- Figure 2: clauses become tuples, tuples are fused, blocks are allocated and filled.
scenario { title = "DIR 4.2: entering a data environment", rules = "directory" }

declare "float a[2000], b[20]; float *c, *q, *r; int n = 0;"
for i = 0, 1999 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
host.c, host.q, host.r = addr "a[25]", addr "a[0]", addr "a[10]"

local function level()
  local levels = state().levels
  return levels[#levels]
end

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

-- The rules of the fuse events, and the names of what is fused.
local function fusions(fn)
  local list = {}
  for _, event in ipairs(events(fn)) do
    if event.op == "fuse" then list[#list + 1] = event.name .. " " .. event.rule end
  end
  return list
end

-- Allocates all memory of the device except some bytes.
local function leave(bytes)
  local spare = bytes > 0 and acc_malloc(bytes)
  local piece = 1 << 34
  while piece >= 1 do
    if acc_malloc(piece) == NULL then piece = piece >> 1 end
  end
  if spare then acc_free(spare) end
end

-- --------------------------------------------------------------------------------------- decode --

case("accepts: each clause becomes a tuple whose state is the clause [DIR-4.2-01]", function()
  local wanted = {}
  local clauses = { "copy", "copyin", "copyout", "create", "pcopy", "pcopyin", "pcopyout", "pcreate",
    "present_and_copyin", "update_and_copy" }
  local text = "data"
  for k, clause in ipairs(clauses) do
    text = ("%s %s(a[%d:5])"):format(text, clause, 10 * k)
    wanted[k] = ("%s a[%d:5]"):format(clause, 10 * k)
  end
  acc(text)(function()
    local found = {}
    for k, tuple in ipairs(level().original) do found[k] = tuple.state .. " " .. tuple.name end
    expect.equal(found, wanted) -- in the order of the clauses
    acc "data present(a[10:5])" (function()
      expect.equal(tuples(level().original), { "present a[10:5]" })
    end)
  end)
end)

case("accepts: a long clause name gives the state of its short name [DIR-4.2-01]", function()
  acc "data present_or_copyin(a[0:5]) present_or_create(b)" (function()
    expect.equal(tuples(level().original), { "pcopyin a[0:5]", "pcreate b" })
  end)
end)

case("differs: a section of length 0 makes no tuple [DIR-4.2-01]",
  function()
    acc "data copyin(a[0:n]) if(1)" (function()
      expect.equal(level().original, {})
      expect.equal(#state().present, 0)
    end)
  end)

-- ------------------------------------------------------------------------------------ inclusion --

case("accepts: present_or clauses on present data are dropped [DIR-4.2-02]", function()
  acc "data copyin(a[0:20])" (function()
    for _, clause in ipairs { "pcopy", "pcopyin", "pcopyout", "pcreate", "present_or_copy",
      "present_and_copyin" } do
      for _, section in ipairs { "a[0:20]", "a[5:5]", "q[10:10]", "r[0:10]" } do
        local text = ("data %s(%s)"):format(clause, section)
        expect.events(function() acc(text)(function() end) end,
          { "incref " .. section, "decref " .. section })
        acc(text)(function()
          expect.equal(level().original, {})
          expect.equal(tuples(level().artificial), { "ALIAS a[0:20] of a[0:20]" })
        end)
      end
    end
  end)
end)

case("accepts: present_or clauses inside another clause of the directive are dropped [DIR-4.2-02]",
  function()
    permutations({ "copyin(a[0:20])", "pcopy(a[5:5])", "pcreate(q[0:20])" }, nil, function(order)
      expect.moves(function() acc("data " .. table.concat(order, " "))(function() end) end,
        { h2d = { count = 1, bytes = 80 }, d2h = 0 })
      acc("data " .. table.concat(order, " "))(function()
        expect.equal(tuples(level().original), { "copyin a[0:20]" })
      end)
    end)
  end)

case("accepts: a dropped clause keeps the data present [DIR-4.2-02]", function()
  acc "enter data copyin(a[0:20])"
  acc "data pcopy(a[5:5])" (function()
    acc "exit data delete(a[0:20])"
    expect.present "a[0:20]"
    expect.device("a[19]", 19)
  end)
  expect.absent "a[0:20]"
end)

case("differs: clauses stay if data are partly absent or present_or is missing [DIR-4.2-02]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data pcopyin(a[20:5]) copy(a[0:5]) present(a[1:5])" (function()
      expect.equal(tuples(level().original), { "copy a[0:5]", "pcopyin a[20:5]", "present a[1:5]" })
    end)
  end)
end)

case("differs: a hole between fused ranges is absent, although the block has room for it [DIR-4.2-02]",
  function()
    expect.accepts("data copyin(a[0:10], a[50:10])", function()
      expect.absent "a[10:40]"
      acc "data pcopy(a[20:5])" (function()
        expect.equal(tuples(level().original), { "pcopy a[20:5]" })
        expect.device("a[24]", 24)
      end)
    end)
  end)

-- -------------------------------------------------------------------------------------- overlap --

case("accepts: ranges that are adjacent or contained do not overlap in part [DIR-4.2-03]", function()
  acc "data copyin(a[20:20])" (function()
    acc "data copyin(a[40:5], a[10:10]) copyin(a[20:20], a[25:5])" (function()
      expect.equal(tuples(level().artificial),
        { "ALLOC a[10:35] of a[10:10] a[20:20] a[20:20] a[25:5] a[40:5]" })
    end)
  end)
end)

case("accepts: clauses on present data map nothing and conflict with nothing [DIR-4.2-03]", function()
  acc "data copyin(a[0:20])" (function()
    for _, text in ipairs { "present(a[0:10]) present(a[5:10])", "copyin(a[0:10]) copy(a[5:10])",
      "pcopy(a[0:10]) create(a[5:10])", "present_and_copyin(a[10:20]) copy(a[5:10])",
      "update_and_copy(a[10:20]) pcopyin(a[5:10])" } do
      permutations({ text:match "^(%S+) (%S+)$" }, nil, function(order)
        acc("data " .. table.concat(order, " "))(function()
          expect.equal(#state().levels, 2)
          expect.device("a[0:2]", { 0, 1 })
        end)
      end)
    end
  end)
  expect.equal(#state().present, 0)
end)

case("rejects: a clause names partly present data, and the error names both objects [DIR-4.2-03]", function()
  acc "data copyin(a[20:20])" (function()
    local err = expect.fails("partial-overlap", function() acc "data create(b) copyin(a[30:20])" end)
    expect.equal(err.rule, "DIR-4.2-03")
    expect(err.message:find("a[30:20]", 1, true), err.message)
    expect.equal(err.objects[2].name, "a[20:20]")
    expect.fails("partial-overlap", function() acc "data pcopy(a)" end)
    expect.fails("partial-overlap", function() acc "enter data create(c[0:20])" end)
  end)
end)

case("rejects: two clauses of one directive overlap in part, under every profile [DIR-4.2-03]", function()
  permutations({ "copyin(a[0:20])", "create(a[10:20])", "copy(b)" }, nil, function(order)
    expect.fails("partial-overlap", function() acc("data " .. table.concat(order, " ")) end)
  end)
  expect.fails("partial-overlap", function() acc "data copyin(a[0:20]) pcopyin(r[0:20])" end)
  expect.fails("partial-overlap", function() acc "data present_and_copyin(a[0:20], a[10:20])" end)
  expect.accepts("data copyin(a[10:10])", function() -- even where all that both have is there
    for _, clause in ipairs { "present_and_copyin", "update_and_copy" } do
      expect.fails("partial-overlap", function()
        acc(("data %s(a[5:10]) present_and_copyin(a[12:13])"):format(clause))
      end)
    end
  end)
end)

case("rejects: a clause that requires present data reports that only a part is present"
  .. " [DIR-4.2-03 TR14-4.2-03]", function()
  acc "enter data copyin(a[20:20])"
  for _, text in ipairs { "data present(a[30:20])", "update self(a[30:20])", "update device(a[10:20])",
    "exit data delete(a[30:20])", "exit data copyout(a[10:40])", "data no_create(a[30:20])" } do
    expect.fails("partially-present", function() acc(text) end)
  end
end)

case("accepts: an interval is split until every piece is present or absent [DIR-4.2-04]", function()
  acc "data copyin(a[10:10], a[40:10])" (function()
    acc "parallel" "a[10] = a[49] = -1;"
    expect.equal(fusions(function() acc "data present_and_copyin(a[0:60])" (function() end) end),
      { "a[0:60] DIR-4.2-04" })
    -- 10 before, 20 between, 10 after
    expect.moves(function() acc "data present_and_copyin(a[0:60])" (function() end) end,
      { h2d = { bytes = 40 * 4 }, d2h = 0, d2d = { bytes = 2 * 20 * 4 } })
    acc "data present_and_copyin(a[0:60])" (function()
      expect.present "a[0:60]"
      for i = 0, 59 do expect.device(("a[%d]"):format(i), (i == 10 or i == 49) and -1 or i) end
      expect.equal(tuples(level().original), { "present_and_copyin a[0:10]", "present_and_copyin a[10:10]",
        "present_and_copyin a[20:20]", "present_and_copyin a[40:10]", "present_and_copyin a[50:10]" })
      expect.equal(#level().artificial, 1)
      expect.equal({ level().artificial[1].name, level().artificial[1].state }, { "a[0:60]", "ALLOC" })
    end)
  end)
end)

case("accepts: a clause that spans adjacent ranges joins them [DIR-4.2-04]", function()
  host.q = addr "a[20]"
  acc "data copyin(a[10:10]) copyin(q[0:10])" (function()
    expect.equal(#level().artificial, 2)
    acc "data present_and_copyin(a[5:30])" (function()
      expect(acc_deviceptr "a[34]" == acc_deviceptr "a[5]" + 29)
      expect.device("a[5:4]", { 5, 6, 7, 8 })
      expect.device("a[30:5]", { 30, 31, 32, 33, 34 })
    end)
    expect.equal(#state().present, 2)
  end)
end)

case("differs: an interval that is wholly present or wholly absent is not split [DIR-4.2-04]", function()
  expect.accepts("data copyin(a[10:10])", function()
    local function is_inner() expect.equal(#state().levels, 2) end
    expect.equal(fusions(function() acc "data present_and_copyin(a[12:5])" (is_inner) end), {})
    expect.equal(fusions(function() acc "data update_and_copy(b[2:5])" (is_inner) end), {})
    expect.moves(function() acc "data update_and_copy(b[2:5])" (function() end) end,
      { h2d = { count = 1, bytes = 20 }, d2d = 0, d2h = 0 })
  end)
end)

case("accepts: the remaining tuples are the original list of the level [DIR-4.2-05]", function()
  acc "data copy(a[0:20]) create(b)" (function()
    expect.equal(tuples(level().original), { "copy a[0:20]", "create b" })
    acc "data copyout(a[30:5]) pcopy(b[0:5]) present(b)" (function()
      expect.equal(tuples(level().original), { "copyout a[30:5]", "present b" })
      expect.equal(tuples(state().levels[1].original), { "copy a[0:20]", "create b" })
    end)
  end)
end)

case("rejects: clauses that were dropped or failed are in no list [DIR-4.2-05 DIR-4.2-03]", function()
  acc "data copy(a[0:20])" (function()
    acc "data pcopy(a[0:5])" (function() expect.equal(level().original, {}) end)
    expect.fails("partial-overlap", function() acc "data create(b) copyin(a[10:20])" end)
    expect.equal(tuples(level().original), { "copy a[0:20]" })
  end)
end)

case("accepts: other clauses on present data stay as ALIAS and allocate or move nothing [DIR-4.2-06]",
  function()
    acc "data copyin(a[0:20])" (function()
      for _, clause in ipairs { "copy", "copyin", "copyout", "create", "present" } do
        local text = ("data %s(a[5:5])"):format(clause)
        expect.events(function() acc(text)(function() end) end, { "incref a[5:5]", "decref a[5:5]" })
        acc(text)(function()
          expect.equal(tuples(level().original), { clause .. " a[5:5]" })
          expect.equal(tuples(level().artificial), { "ALIAS a[0:20] of a[0:20] a[5:5]" })
        end)
      end
    end)
  end)

case("accepts: clauses on present data take part in fusion with their base [DIR-4.2-06]", function()
  acc "data copyin(a[0:20])" (function()
    local function by(clause)
      local found
      acc(("data %s(r[0:5]) copyin(r[40:5])"):format(clause))(function()
        found = tuples(level().artificial)
      end)
      return found
    end
    -- r[0:5] lies in a[0:20] and has the base of r[40:5]
    expect.equal(by "create", { "ALLOC a[0:55] of a[0:20] r[0:5] r[40:5]" })
    expect.equal(by "present", { "ALLOC a[0:55] of a[0:20] r[0:5] r[40:5]" })
    -- a dropped clause is not an original tuple, but its base is known
    expect.equal(by "pcreate", { "ALLOC a[0:55] of a[0:20] r[40:5]" })
  end)
end)

case("accepts: a dropped clause moves nothing, and its base takes part in fusion [DIR-4.2-02]",
  function()
    acc "data copyin(a[0:20])" (function()
      expect.moves(function()
        acc "data pcopyin(r[0:5]) copyin(r[50:5])" (function()
          acc "parallel copyout(b[0:2])" "b[0] = r[0]; b[1] = r[50];"
        end)
      end, { h2d = { bytes = 20 }, d2h = { bytes = 8 } })
    end)
    expect.equal(host "b[0:2]", { host.r[0], host.r[50] })
    expect.accepts("omp target data map(to: a[0:20])", function()
      omp "target data map(to: r[0:5], r[50:5])" (function()
        omp "target map(from: b[0:2])" "b[0] = r[1]; b[1] = r[51];"
      end)
    end)
    expect.equal(host "b[0:2]", { host.r[1], host.r[51] })
  end)

case("differs: no_create of absent data gives no base to the fusion [DIR-4.2-02]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data no_create(r[60:5]) copyin(r[40:5])" (function()
      expect.equal(tuples(level().artificial), { "ALIAS a[0:20] of a[0:20]", "ALLOC r[40:5] of r[40:5]" })
    end)
  end)
end)

case("rejects: OpenACC 2.0 reports clauses on present data [DIR-4.2-06 ACC20-2.6-1]", function()
  rules "openacc-2.0"
  acc "data copyin(a[0:20])" (function()
    expect.fails("already-present", function() acc "data copyin(a[5:5])" end)
    expect.fails("already-present", function() acc "data create(a[0:20])" end)
  end)
end)

-- --------------------------------------------------------------------------------------- fusion --

case("accepts: the artificial list begins as the own originals and the tuples of the level below [DIR-4.2-07]",
  function()
    acc "data copyin(a[0:20])" (function()
      acc "data copyin(b[0:5])" (function()
        acc "data copyin(c[0:5])" (function()
          expect.equal(tuples(level().artificial), { "ALIAS a[0:20] of a[0:20]", "ALIAS b[0:5] of b[0:5]",
            "ALLOC c[0:5] of c[0:5]" })
        end)
      end)
    end)
  end)

case("accepts: ancestors are the tuples of the level below, not their own ancestors [DIR-4.2-07]",
  function()
    acc "data copyin(a[0:5])" (function()
      acc "data copyin(a[10:5])" (function()
        acc "data copyin(a[20:5])" (function()
          expect.equal(tuples(level().artificial), { "ALLOC a[0:25] of a[0:15] a[20:5]" })
        end)
      end)
    end)
  end)

case("differs: a dropped clause is not an ancestor [DIR-4.2-07]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data pcopy(a[5:5])" (function()
      expect.equal(tuples(level().artificial), { "ALIAS a[0:20] of a[0:20]" })
    end)
  end)
end)

case("accepts: ranges of one base fuse to a tuple from the first to the last element [DIR-4.2-08]", function()
  acc "data copyin(a[0:20])" (function()
    for _, section in ipairs { "a[50:20]", "q[50:20]", "a[20:50]" } do
      expect.equal(fusions(function() acc(("data copyin(%s)"):format(section))(function() end) end),
        { "a[0:70] DIR-4.2-08" })
      acc(("data copyin(%s)"):format(section))(function()
        expect.equal(tuples(level().artificial), { "ALLOC a[0:70] of a[0:20] " .. section })
      end)
    end
  end)
  acc "data copyin(a[5:5], a[50:5]) create(q[20:1])" (function()
    expect.equal(tuples(level().artificial), { "ALLOC a[5:50] of a[5:5] q[20:1] a[50:5]" })
  end)
end)

case("accepts: the entry of the figure causes these events in this order [DIR-4.2-08]", function()
  acc "data copyin(a[0:20])" (function()
    local inner
    expect.events(function() inner = acc "data copyin(a[50:20])" end, { "fuse a[0:70]", "alloc a[0:70]",
      "d2d a[0:20]", "h2d a[50:20]", "incref a[50:20]" })
    inner:close()
    local bytes = {}
    for _, event in ipairs(events(function() inner = acc "data copyin(a[50:20])" end)) do
      bytes[event.op] = event.bytes
    end
    expect.equal(bytes, { fuse = 280, alloc = 280, d2d = 80, h2d = 80, incref = 80 })
    inner:close()
  end)
end)

case("differs: ranges of different bases do not fuse, even in one array [DIR-4.2-08]", function()
  acc "data copyin(a[0:20])" (function()
    for _, section in ipairs { "c[0:20]", "c[75:5]", "r[10:5]" } do
      acc(("data copyin(%s)"):format(section))(function()
        expect.equal(#level().artificial, 2)
        expect.equal(level().artificial[2].ancestors, { section })
      end)
    end
  end)
end)

case("accepts: fusion by base comes first and finds a range between two others [DIR-4.2-09]", function()
  acc "data copyin(a[0:20])" (function()
    expect.equal(fusions(function() acc "data copyin(a[50:20], c[0:20])" (function() end) end),
      { "a[0:70] DIR-4.2-08" })
    acc "data copyin(a[50:20], c[0:20])" (function()
      expect.equal(tuples(level().artificial), { "ALLOC a[0:70] of a[0:20] c[0:20] a[50:20]" })
      acc "parallel" "for (int i = 0; i < 20; i++) a[i] += c[i] + a[50 + i];"
      expect.device("a[19]", 19 + 44 + 69)
    end)
  end)
end)

case("accepts: fusion by base is complete before ranges are compared [DIR-4.2-09]",
  function()
    -- If a[50:20] and c[0:20] fused with a[0:20] first and forgot their bases, c[1000:10] would find no partner.
    acc "data copyin(a[0:20])" (function()
      permutations({ "a[50:20]", "c[0:20]", "c[1000:10]" }, nil, function(order)
        acc(("data copyin(%s)"):format(table.concat(order, ", ")))(function()
          expect.equal(tuples(level().artificial), { "ALLOC a[0:1035] of a[0:20] c[0:20] a[50:20] c[1000:10]" })
          expect(acc_deviceptr "c[1009]" == acc_deviceptr "a[0]" + 1034)
          acc "parallel" "a[0] = c[1000] + a[69];"
          expect.device("a[0]", 1025 + 69)
        end)
      end)
    end)
  end)

case("differs: a range between two others is not found without a range of the same base [DIR-4.2-09]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data copyin(c[0:20])" (function()
      expect.equal(tuples(level().artificial), { "ALIAS a[0:20] of a[0:20]", "ALLOC c[0:20] of c[0:20]" })
      acc "data copyin(a[50:20])" (function() -- one level later the range is found
        expect.equal(tuples(level().artificial), { "ALLOC a[0:70] of a[0:20] c[0:20] a[50:20]" })
        expect.device("c[5]", 30)
      end)
    end)
  end)
end)

case("accepts: intersecting hulls become one, and so do their lists of ancestors [DIR-4.2-10]",
  function()
    -- two combs of different bases, tooth by tooth
    acc "data copyin(a[0:5], a[40:5])" (function()
      expect.equal(fusions(function() acc "data copyin(r[10:5], r[50:5])" (function() end) end),
        { "a[0:65] DIR-4.2-08" })
      acc "data copyin(r[10:5], r[50:5])" (function()
        expect.equal(tuples(level().artificial), { "ALLOC a[0:65] of a[0:45] r[10:5] r[50:5]" })
        expect.device("r[54]", 64)
      end)
    end)
  end)

case("accepts: a present range in two tuples fuses them, and nothing else moves [DIR-4.2-10]",
  function()
    host.r = addr "a[20]"
    acc "data copy(a[10:10]) copyin(r[0:10])" (function()
      expect.equal(#level().artificial, 2)
      acc "parallel" "a[10] = -1; r[9] = -2;"
      for _, clause in ipairs { "copy", "pcopyin", "create", "present" } do
        local text = ("data %s(c[-10:10])"):format(clause) -- a[15:10]
        expect.equal(fusions(function() acc(text)(function() end) end), { "a[10:20] DIR-4.2-10" })
        expect.moves(function() acc(text)(function() end) end, { h2d = 0, d2h = 0, d2d = { bytes = 160 } })
        acc(text)(function()
          expect(acc_deviceptr "r[9]" == acc_deviceptr "a[10]" + 19)
          expect.equal(tuples(level().original), { clause .. " c[-10:10]" })
          expect.device("a[10]", -1)
          expect.device("r[9]", -2)
        end)
      end
    end)
  end)

case("differs: adjacent ranges do not fuse [DIR-4.2-10]", function()
  acc "data copyin(r[0:15])" (function() -- a[10:15]
    acc "data copyin(a[0:10], c[0:5])" (function()
      expect.equal(tuples(level().artificial), { "ALIAS r[0:15] of r[0:15]", "ALLOC a[0:10] of a[0:10]",
        "ALLOC c[0:5] of c[0:5]" })
      expect.fails("out-of-bounds", function() acc "parallel" "float x = a[10];" end)
    end)
  end)
end)

case("accepts: the state is ALLOC if the fused range is larger than every tuple [DIR-4.2-11]", function()
  expect.accepts("data copyin(a[0:20])", function()
    expect.accepts("data copyin(a[30:5])", function()
      expect.equal(level().artificial[1].state, "ALLOC")
      expect.equal(state().present[1].state, "ALLOC")
    end)
  end)
end)

case("accepts: the state is ALLOC if one of the fused tuples was ALLOC [DIR-4.2-11]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data copyin(a[50:20], c[0:20])" (function() -- c lies inside of a[0:70]
      expect.equal(tuples(level().artificial), { "ALLOC a[0:70] of a[0:20] c[0:20] a[50:20]" })
    end)
  end)
end)

case("differs: the state is ALIAS if one tuple of the level below covers everything [DIR-4.2-11]", function()
  acc "data copyin(a[0:10], a[50:10])" (function()
    local block = acc_deviceptr "a[0]"
    acc "data copyin(a[2:8], c[0:5]) present(a[55:5])" (function() -- c lies in the hole
      expect.equal(tuples(level().artificial), { "ALIAS a[0:60] of a[0:60] a[2:8] c[0:5] a[55:5]" })
      expect(acc_deviceptr "c[0]" == block + 25)
    end)
  end)
end)

case("accepts: Figure 1 fuses two ranges of a with c and carries b over [DIR-4.2-12]", function()
  acc "data copyin(b[0:20], a[0:20]) copyout(a[0:20])" (function()
    expect.equal(tuples(level().original), { "copyin a[0:20]", "copyin b[0:20]", "copyout a[0:20]" })
    expect.equal(tuples(level().artificial),
      { "ALLOC a[0:20] of a[0:20] a[0:20]", "ALLOC b[0:20] of b[0:20]" })
    acc "data copyin(a[50:20], c[0:20])" (function()
      expect.equal(tuples(level().original), { "copyin a[50:20]", "copyin c[0:20]" })
      expect.equal(tuples(level().artificial), { "ALIAS b[0:20] of b[0:20]",
        "ALLOC a[0:70] of a[0:20] c[0:20] a[50:20]" })
      local found = {}
      for _, object in ipairs(state().present) do found[#found + 1] = object.state .. " " .. object.name end
      expect.equal(found, { "ALLOC a[0:20]", "ALLOC a[50:20]", "ALIAS b[0:20]", "ALLOC c[0:20]" })
    end)
  end)
end)

case("differs: b takes no part in the fusion of Figure 1 [DIR-4.2-12]", function()
  expect.accepts("data copyin(b[0:20], a[0:20]) copyout(a[0:20])", function()
    local b = acc_deviceptr "b[0]"
    local list = events(function() acc "data copyin(a[50:20], c[0:20])" (function() end) end)
    expect(#list > 4, "the others are not")
    for _, event in ipairs(list) do expect(not event.name:find "^b", "b is left alone") end
    expect.accepts("data copyin(a[50:20], c[0:20])", function() expect(acc_deviceptr "b[0]" == b) end)
  end)
end)

-- ----------------------------------------------------------------------------- allocate and copy --

local function allocations(fn)
  local list = {}
  for _, event in ipairs(events(fn)) do
    if event.op == "alloc" then list[#list + 1] = ("%s %d"):format(event.name, event.bytes) end
  end
  return list
end

case("accepts: one allocation has the full range of the tuple [DIR-4.2-13]", function()
  expect.events(function() acc "enter data create(b)" end, { "alloc b", "incref b" })
  expect.accepts("data copyin(b)", function()
    expect.equal(allocations(function()
      acc "data create(a[5:5], a[20:5], a[40:5], r[2:3])" (function() end)
    end), { "a[5:40] 160" })
  end)
end)

case("differs: ALIAS allocates nothing, even for data in a hole [DIR-4.2-13]", function()
  expect.moves(function()
    acc "data copyin(a[0:10], a[50:10])" (function()
      expect.equal(allocations(function() acc "data copyin(c[0:5]) copy(a[2:2])" (function() end) end), {})
    end)
  end, { h2d = { count = 3, bytes = 100 }, d2h = 0 })
end)

case("rejects: the device has less memory than a tuple needs [DIR-4.2-13]", function()
  declare "char *big;"
  host.big = alloc("char", 1 << 20)
  leave(1 << 16)
  expect.fails("out-of-device-memory", function() acc "enter data create(big[0:1 << 20])" end)
  expect.fails("out-of-device-memory", function() acc "data copyin(b) copyin(big[0:1 << 20])" end)
  expect.equal(#state().present, 0)
end)

case("accepts: copyin and copy are filled from the host at their place in the block [DIR-4.2-14]", function()
  for _, clause in ipairs { "copyin", "copy", "pcopyin", "pcopy" } do
    expect.moves(function()
      acc(("data %s(a[5:5], a[50:20])"):format(clause))(function()
        expect.device("a[5:5]", { 5, 6, 7, 8, 9 })
        expect.device("a[69]", 69)
      end)
    end, { h2d = { count = 2, bytes = 100 } })
  end
end)

case("accepts: tuples of the level below are filled from the device at their place in the block [DIR-4.2-14]",
  function()
    acc "data copyin(a[50:20])" (function()
      acc "data create(a[0:5])" (function()
        expect.device("a[50:3]", { 50, 51, 52 })
        expect.uninitialized "a[0:5]"
      end)
    end)
  end)

case("differs: create and copyout send nothing, fused or not [DIR-4.2-14]", function()
  acc "data copyin(a[0:20])" (function()
    for _, clause in ipairs { "create", "copyout", "pcreate", "pcopyout" } do
      local inner
      expect.moves(function() inner = acc(("data %s(a[30:5], b)"):format(clause)) end,
        { h2d = 0, d2h = 0, d2d = { count = 1, bytes = 80 } })
      expect.uninitialized "a[30:5]"
      expect.uninitialized "b"
      expect.accepts("parallel", "for (int i = 0; i < 5; i++) a[30 + i] = 0; for (int i = 0; i < 20; i++) b[i] = 0;")
      inner:close()
    end
  end)
end)

case("accepts: changes made on the device survive a fusion [DIR-4.2-15]", function()
  acc "data copyin(a[0:20])" (function()
    acc "parallel" "for (int i = 0; i < 20; i++) a[i] = -i;"
    expect.accepts("data copyin(a[50:20])", function()
      expect.device("a[0:3]", { 0, -1, -2 })
      expect.device("a[19]", -19)
    end)
    expect.device("a[19]", -19)
  end)
  expect.host("a[19]", 19)
end)

case("accepts: bytes that were never written stay uninitialised [DIR-4.2-15]", function()
  acc "data create(a[0:20])" (function()
    acc "parallel" "a[3] = 3;"
    expect.accepts("data copyin(a[50:20])", function()
      expect.uninitialized "a[0:3]"
      expect.uninitialized "a[4:16]"
      expect.device("a[3]", 3)
    end)
    expect.uninitialized "a[4:16]"
  end)
end)

case("differs: present data are not sent again, whatever clause names them [DIR-4.2-15]", function()
  acc "data copyin(a[0:20])" (function()
    acc "parallel" "a[0] = -1;"
    host.a[0] = 77
    for _, clause in ipairs { "copyin", "copy", "pcopyin" } do
      expect.moves(function() acc(("data copyin(a[50:20]) %s(a[0:20])"):format(clause))(function()
        expect.device("a[0]", -1)
      end) end, { h2d = { count = 1, bytes = 80 }, d2h = 0 })
    end
  end)
end)

case("accepts: the block of the level below stays allocated [DIR-4.2-16]", function()
  acc "data copyin(a[0:20])" (function()
    local before = acc_deviceptr "a[0]"
    local inner
    for _, event in ipairs(events(function() inner = acc "data copyin(a[50:20])" end)) do
      expect(event.op ~= "free", "nothing is freed")
    end
    expect.present "a[50:20]"
    expect(state().levels[1].artificial[1].device == before)
    inner:close()
    expect(acc_deviceptr "a[0]" == before)
  end)
end)

case("accepts: both blocks of a fusion are allocated at once, so the new one must fit [DIR-4.2-16]", function()
  acc "data copyin(a[0:20])" (function()
    leave(280)
    acc "data copyin(a[50:20])" (function()
      expect.device("a[69]", 69)
      expect(acc_malloc(1) == NULL, "all is used")
    end)
    acc_free(acc_malloc(280))
    expect(acc_malloc(281) == NULL)
  end)
end)

case("rejects: the memory of the old block does not count as free [DIR-4.2-16 DIR-4.2-13]", function()
  acc "data copyin(a[0:20])" (function()
    leave(279)
    expect.fails("out-of-device-memory", function() acc "data copyin(a[50:20])" end)
    expect.device("a[19]", 19)
  end)
end)

case("differs: a block that a floor below all levels replaces is freed [DIR-4.2-16]",
  function()
    acc "enter data copyin(a[0:20])"
    local freed = {}
    for _, event in ipairs(events(function() acc "enter data copyin(a[50:20])" end)) do
      if event.op == "free" then freed[#freed + 1] = ("%s %d"):format(event.name, event.bytes) end
    end
    expect.equal(freed, { "a[0:20] 80" })
    expect.device("a[19]", 19)
  end)

-- -------------------------------------------------------------------------------------- the end --

case("accepts: fusion continues until nothing changes [DIR-4.2-18]", function()
  declare "float *s, *t;"
  host.s, host.t = addr "a[100]", addr "a[300]"
  acc "data copyin(a[0:5])" (function()
    -- a and a fuse by base; then s[0:5] lies inside and adds s[400:5]; then t[0:5] adds t[1000:5]
    permutations({ "a[200:5]", "s[0:5]", "s[400:5]", "t[0:5]", "t[1000:5]" }, nil, function(order)
      acc(("data copyin(%s)"):format(table.concat(order, ", ")))(function()
        expect.equal(tuples(level().artificial),
          { "ALLOC a[0:1305] of a[0:5] s[0:5] a[200:5] t[0:5] s[400:5] t[1000:5]" })
      end)
    end)
  end)
end)

case("accepts: the order of clauses changes no byte and no list [DIR-4.2-18]", function()
  local wanted
  acc "data copy(a[0:20], c[5:5])" (function()
    local clauses = { "copyin(a[50:20])", "create(c[0:5])", "copy(b)", "pcopyin(b[0:5])", "present(c[6:2])" }
    permutations(clauses, nil, function(order)
      acc("data " .. table.concat(order, " "))(function()
        local found = tuples(level().original)
        for _, text in ipairs(tuples(level().artificial)) do found[#found + 1] = text end
        wanted = wanted or found
        expect.equal(found, wanted)
        expect.device("a[50:3]", { 50, 51, 52 })
        expect.uninitialized "c[0:5]"
        acc "parallel" "a[0] += 1;"
      end)
    end)
  end)
  expect.host("a[0]", 120)
end)

case("differs: the order of levels changes no distance, only which level has which tuple [DIR-4.2-18]",
  function()
    acc "data copyin(a[50:20])" (function()
      acc "data copyin(a[0:20])" (function()
        expect.equal(tuples(level().artificial), { "ALLOC a[0:70] of a[0:20] a[50:20]" })
        expect.equal(tuples(level().original), { "copyin a[0:20]" })
      end)
      expect.equal(tuples(level().artificial), { "ALLOC a[50:20] of a[50:20]" })
    end)
  end)

case("differs: ranges without a common base or byte stay separate [DIR-4.2-18]", function()
  acc "data copyin(a[0:5], a[20:5], c[0:5], c[20:5], b)" (function()
    expect.equal(tuples(level().artificial), { "ALLOC a[0:25] of a[0:5] a[20:5]", "ALLOC b of b",
      "ALLOC c[0:25] of c[0:5] c[20:5]" })
  end)
end)
