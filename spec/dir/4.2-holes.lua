-- Holes: what lies between the data of a fused block.
scenario { title = "DIR 4.2: holes of fused blocks", rules = "directory" }

declare "float a[2000], b[20]; float *c, *q, *r; int n = 0;"
for i = 0, 1999 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
host.c, host.q, host.r = addr "a[25]", addr "a[0]", addr "a[10]"

case("accepts: a hole is absent, and a clause may map data there [DIR-4.2-17]", function()
  acc "data copyin(a[0:20], a[50:20])" (function()
    expect.absent "a[20:30]"
    expect(not acc_is_present "a[0:70]")
    expect(acc_deviceptr "a[30]" == NULL)
    acc "data copy(c[0:10])" (function() -- a[25:10]
      expect.present "a[25:10]"
      expect.device("a[34]", 34)
      acc "parallel" "a[25] = a[0] - 1;"
    end)
    expect.host("a[25]", -1)
    expect.absent "a[20:30]"
  end)
end)

case("accepts: data in a hole are sent and fetched in the existing block [DIR-4.2-17]", function()
  acc "data copyin(a[0:20], a[50:20])" (function()
    for _, clause in ipairs { "copy", "pcopy" } do
      expect.events(function() acc(("data %s(c[0:10])"):format(clause))(function() end) end,
        { "h2d c[0:10]", "incref c[0:10]", "decref c[0:10]", "d2h c[0:10]" })
    end
    expect.moves(function() acc "data create(c[0:10])" (function() expect.uninitialized "c[0:10]" end) end,
      { h2d = 0, d2h = 0, d2d = 0 })
  end)
end)

case("rejects: a kernel reads or writes a hole [DIR-4.2-17]", function()
  acc "data copyin(a[0:20], a[50:20])" (function()
    expect.fails("uninitialized-read", function() acc "parallel" "float x = a[30];" end)
    expect.fails("out-of-bounds", function() acc "parallel" "a[30] = 1;" end)
    expect.fails("out-of-bounds", function() acc "parallel" (function(d) d.a[49] = 1 end) end)
    expect.accepts("parallel", "a[19] = a[50];")
  end)
end)

case("rejects: data in a hole were unmapped, so the hole is empty again [DIR-4.2-17]", function()
  acc "data copyin(a[0:20], a[50:20])" (function()
    expect.accepts "data copyin(c[0:10])"
    expect.fails("uninitialized-read", function() acc "parallel" "float x = a[30];" end)
    expect.fails("out-of-bounds", function() acc "parallel" "a[30] = 1;" end)
    acc "data create(c[0:10])" (function() expect.uninitialized "a[25:10]" end)
  end)
end)

case("differs: data that were unmapped while fused are unmapped in lower blocks, too [DIR-4.2-17]",
  function()
    acc "data copyin(a[0:5], a[50:5])" (function()
      acc "enter data copyin(a[10:5])"
      expect.accepts("data copyin(a[60:5])", function() acc "exit data delete(a[10:5])" end)
      acc "data create(a[10:5])" (function() expect.uninitialized "a[10:5]" end)
      expect.accepts("data copyin(a[10:5])", function() acc "enter data create(a[60:5])" end)
      expect.accepts "exit data delete(a[60:5])"
      acc "data create(a[10:5])" (function() expect.uninitialized "a[10:5]" end)
      expect.device("a[50]", 50)
    end)
  end)

case("rejects: a clause requires data that are in a hole [DIR-4.2-17 DIR-4.2-03]", function()
  acc "data copyin(a[0:20], a[50:20])" (function()
    expect.fails("not-present", function() acc "data present(a[20:30])" end)
    expect.fails("partially-present", function() acc "data present(a[0:70])" end)
    expect.fails("partially-present", function() acc "update self(a[0:70])" end)
    expect.fails("partial-overlap", function() acc "data copyin(a[10:20])" end)
    expect.fails("partial-overlap", function() acc "data pcopyin(a[0:70])" end)
  end)
end)

case("differs: a kernel that fails restores data that its construct moved or refreshed [DIR-6-04]", function()
  acc "enter data copyin(a[20:6])"
  acc "parallel present(a[20:6])" "a[21] = -1;"
  expect.fails("uninitialized-read", function()
    acc "parallel create(a[0:6]) update_and_copy(a[20:6])" "a[22] = -2; float x = a[1];"
  end)
  for i, value in ipairs { 20, -1, 22 } do expect.device(("a[%d]"):format(19 + i), value) end
  acc "parallel create(a[0:6]) update_and_copy(a[20:6])" "a[22] = a[21];"
  for i, value in ipairs { 20, 21, 21 } do expect.device(("a[%d]"):format(19 + i), value) end
end)

case("accepts: a region maps data into a hole of the floor below [DIR-4.2-17]", function()
  acc "enter data copyin(a[0:10], a[50:10])"
  acc "data copy(c[0:5])" (function() -- a[25:5]
    expect.equal(tuples(state().levels[1].artificial), { "ALIAS a[0:60] of a[0:60] c[0:5]" })
    acc "parallel" "c[0] = -1;"
    acc "exit data delete(a[0:10], a[50:10])"
    expect.device("c[0:2]", { -1, 26 })
    expect.absent "a[0:25]"
    acc "parallel" "c[1] = -2;"
  end)
  expect.host("a[25:2]", { -1, -2 })
  expect.equal(#state().present, 0)
end)

case("rejects: two ranges overlap in a hole of the floor below [DIR-4.2-17 DIR-4.2-03]", function()
  acc "enter data copyin(a[0:10], a[50:10])"
  expect.present "a[50:10]"
  acc "data copy(c[0:5])" (function()
    expect.fails("partial-overlap", function() acc "enter data create(a[28:5])" end)
    acc "enter data create(a[30:5])"
    expect.uninitialized "a[30:5]"
    acc "exit data delete(a[30:5])"
    expect.absent "a[30:5]"
  end)
end)
