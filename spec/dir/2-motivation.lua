-- Figure 1 and its three problems: separate ranges of one array, an alias into a range,
-- ranges that overlap in part.
scenario { title = "DIR 2: motivating examples", rules = "directory" }

declare "float a[120], b[20]; float *c, *q;"
for i = 0, 119 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
host.c = addr "a[25]"

local apart = { base = "directory", fusion = false }

-- ------------------------------------------------------------------------------------ Figure 1 --

-- The figure. The listing's "parallel for" is a parallel loop, and copyin(a) copyout(a) is a copy.
local function figure(between)
  acc "data copyin(b[0:20], a[0:20]) copyout(a[0:20])" (function()
    expect.accepts("parallel loop", "for (int i = 0; i < 20; i++) a[i] += b[i];")
    host.c = addr "a[25]"
    acc "data copyin(a[50:20], c[0:20])" (function()
      expect.accepts("parallel loop", "for (int i = 0; i < 20; i++) a[i] += a[i + 25] + a[i + 50];")
      if between then between() end
    end)
  end)
end

case("accepts: the figure computes the values that it states [DIR-2-02]", function()
  figure(function()
    expect.device("a[19]", 19 + 1900 + 44 + 69)
    expect.host("a[19]", 19) -- nothing is copied back before the outer end
  end)
  for i = 0, 19 do expect.host(("a[%d]"):format(i), i + 100 * i + (i + 25) + (i + 50)) end
  for i = 20, 119 do expect.host(("a[%d]"):format(i), i) end
  expect.equal(#state().present, 0)
end)

case("accepts: no data of the figure are transferred twice [DIR-2-02]", function()
  expect.moves(figure, { h2d = { count = 4, bytes = 4 * 80 }, d2h = { count = 1, bytes = 80 },
    d2d = { count = 2, bytes = 2 * 80 } })
end)

case("accepts: the figure works with its clauses and data in any other order [DIR-2-02]", function()
  expect.moves(function()
    for _, outer in ipairs { "copyout(a[0:20]) copyin(a[0:20], b[0:20])", "copy(a[0:20]) copyin(b[0:20])" } do
      for _, inner in ipairs { "copyin(c[0:20], a[50:20])", "copyin(c[0:20]) pcopyin(a[50:20])" } do
        for i = 0, 19 do host.a[i] = i end
        acc("data " .. outer)(function()
          acc "parallel loop" "for (int i = 0; i < 20; i++) a[i] += b[i];"
          acc("data " .. inner)(function()
            acc "parallel loop" "for (int i = 0; i < 20; i++) a[i] += a[i + 25] + a[i + 50];"
          end)
        end)
        for i = 0, 19 do expect.host(("a[%d]"):format(i), 103 * i + 75) end
      end
    end
  end, { h2d = { count = 16, bytes = 1280 }, d2h = { count = 4, bytes = 320 } })
end)

case("differs: without fusion the second kernel of the figure goes out of bounds [DIR-2-02]", function()
  rules(apart)
  expect.accepts("data copyin(b[0:20], a[0:20]) copyout(a[0:20])", function()
    expect.accepts("data copyin(a[50:20], c[0:20])", function()
      expect.fails("out-of-bounds", function()
        acc "parallel loop" "for (int i = 0; i < 20; i++) a[i] += a[i + 25] + a[i + 50];"
      end)
    end)
  end)
  expect.host("a[0:3]", { 0, 1, 2 })
end)

-- ------------------------------------------------------------------------------ separate ranges --

case("accepts: pieces of one array lie at their true distance [DIR-2-01]", function()
  acc "data copy(a[0:20])" (function()
    acc "data copyin(a[50:20])" (function()
      expect(acc_deviceptr "a[50]" == acc_deviceptr "a[0]" + 50)
      acc "data copyin(a[100:5])" (function()
        expect(acc_deviceptr "a[104]" == acc_deviceptr "a[0]" + 104)
        acc "parallel" "a[3] = a[50] + a[104];"
      end)
    end)
  end)
  expect.host("a[3]", 154)
end)

case("accepts: pieces are at their true distance for a pointer, too, in any order [DIR-2-01]", function()
  host.q = addr "a[0]"
  expect.moves(function()
    acc "data copy(q[50:20])" (function()
      acc "data copyin(q[10:5])" (function() acc "parallel" "q[69] = q[14];" end)
    end)
  end, { h2d = { count = 2, bytes = 100 }, d2h = { count = 1, bytes = 80 } })
  expect.host("a[69]", 14)
end)

case("differs: different arrays stay separate [DIR-2-01]", function()
  acc "data copyin(a[0:20])" (function()
    expect.moves(function() acc "data copyin(b)" (function() end) end, { h2d = 1, d2d = 0 })
    acc "data copyin(b)" (function()
      expect.equal(#state().levels[2].artificial, 2)
      expect.fails("out-of-bounds", function() acc "parallel" "float x = a[20];" end)
    end)
  end)
end)

case("differs: without fusion each piece has memory of its own [DIR-2-01]", function()
  rules(apart)
  expect.accepts("data copy(a[0:20])", function()
    expect.moves(function() acc "data copyin(a[50:20])" (function() end) end, { h2d = 1, d2d = 0 })
    expect.accepts("data copyin(a[50:20])", function()
      expect.fails("out-of-bounds", function() acc "parallel" "a[0] = a[50];" end)
    end)
  end)
end)

-- --------------------------------------------------------------------- covering ranges, aliasing --

case("accepts: an alias into a present range finds the range [DIR-2-03]", function()
  acc "data copy(a[0:40])" (function()
    local before = acc_deviceptr "a[25]"
    for _, clause in ipairs { "copyin", "pcopy", "copyout", "create", "present" } do
      expect.events(function() acc(("data %s(c[0:10])"):format(clause))(function() end) end,
        { "incref c[0:10]", "decref c[0:10]" })
    end
    acc "data copyin(c[0:10])" (function()
      expect(acc_deviceptr "c[0]" == before)
      acc "parallel" "c[1] = a[0] - 1;"
    end)
  end)
  expect.host("a[26]", -1)
end)

case("rejects: an alias exceeds the present range [DIR-2-03 DIR-4.2-03]", function()
  acc "data copy(a[0:40])" (function()
    expect.fails("partial-overlap", function() acc "data copyin(c[0:20])" end)
    host.c = addr "b[0]"
    expect.moves(function() acc "data copyin(c[0:20])" (function() end) end,
      { h2d = { count = 1, bytes = 80 }, d2d = 0 })
  end)
end)

case("accepts: a range between two others overlaps their fusion [DIR-2-04]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data copyin(a[50:20], c[0:20])" (function()
      local level = state().levels[2]
      expect.equal(#level.artificial, 1)
      expect.equal(level.artificial[1].name, "a[0:70]")
      expect.equal(level.artificial[1].bytes, 280)
      expect(acc_deviceptr "c[0]" == acc_deviceptr "a[0]" + 25)
      acc "parallel" "a[0] = c[19] + a[44];"
      expect.device("a[0]", 88)
    end)
  end)
end)

case("differs: a range between two others overlaps no range of one base [DIR-2-04]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data copyin(c[0:20])" (function() -- a[25:20]
      expect.equal(#state().levels[2].artificial, 2)
    end)
    for _, from in ipairs { 70, 75 } do
      host.c = addr(("a[%d]"):format(from))
      acc "data copyin(a[50:20], c[0:20])" (function()
        expect.equal(#state().levels[2].artificial, 2)
        expect.fails("out-of-bounds", function() acc("parallel present(a[0:20])") "float x = a[75];" end)
      end)
    end
  end)
end)

-- -------------------------------------------------------------------------------------- overlap --

local creating = { "copy", "copyin", "copyout", "create", "pcopy", "pcopyin", "pcopyout", "pcreate",
  "present_or_copy", "present_or_copyin", "present_or_copyout", "present_or_create" }

case("accepts: ranges that are contained, adjacent or disjoint do not overlap in part [DIR-2-05]", function()
  expect.accepts("data copyin(a[20:20])", function()
    for _, clause in ipairs(creating) do
      for _, section in ipairs { "a[20:20]", "a[25:5]", "c[0:15]", "a[40:5]", "a[15:5]" } do
        acc(("data %s(%s)"):format(clause, section))(function() expect.present(section) end)
      end
    end
  end)
end)

case("rejects: a clause names data that are partly present [DIR-2-05 DIR-4.2-03]", function()
  acc "data copyin(a[20:20])" (function()
    for _, clause in ipairs(creating) do
      for _, section in ipairs { "a[10:20]", "a[30:11]", "a[10:40]", "a", "c[10:10]" } do
        expect.fails("partial-overlap", function() acc(("data %s(%s)"):format(clause, section)) end)
        expect.fails("partial-overlap", function() acc(("enter data copyin(%s)"):format(section)) end)
        expect.fails("partial-overlap", function()
          acc(("parallel %s(%s)"):format(clause, section))(function() end)
        end)
      end
    end
  end)
end)

case("accepts: data are split into present and absent pieces, and one block holds all [DIR-2-06]", function()
  for clause, inside in pairs { present_and_copyin = 7, update_and_copy = 30 } do
    acc "data copyin(a[20:20])" (function()
      acc "parallel" "a[30] = 7;"
      acc(("data %s(a[10:40])"):format(clause))(function()
        expect(acc_deviceptr "a[49]" == acc_deviceptr "a[10]" + 39)
        expect.device("a[10]", 10)
        expect.device("a[49]", 49)
        expect.device("a[30]", inside)
      end)
      expect.device("a[30]", inside)
      expect.absent "a[10:10]"
      expect.absent "a[40:10]"
    end)
  end
end)

case("accepts: a knob of a profile selects the split [DIR-2-06]", function()
  rules { base = "directory", partial_overlap = "present_and_copyin" }
  expect.accepts("data copyin(a[20:20])", function()
    acc "parallel" "a[30] = 7;"
    acc "data copyin(a[30:20])" (function()
      expect.device("a[30]", 7)
      expect.device("a[49]", 49)
    end)
  end)
end)

case("rejects: nothing is split by default [DIR-2-06 DIR-4.2-03]", function()
  acc "data copyin(a[20:20])" (function()
    expect.fails("partial-overlap", function() acc "data copyin(a[10:40])" end)
  end)
end)

case("rejects: a knob for overlaps has an unknown value [DIR-2-06 HOUSE-knobs]", function()
  for _, value in ipairs { "split", "update", true, 1 } do
    expect.fails("type-mismatch", function() rules { base = "directory", partial_overlap = value } end)
  end
  expect.fails("type-mismatch", function() rules { base = "directory", fusion = "yes" } end)
end)
