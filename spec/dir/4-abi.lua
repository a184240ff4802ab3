-- Updates: the document gives them a routine but no algorithm. Here they work on the current level, in both
-- directions, on bytes that are present, in any number of objects.
scenario { title = "DIR: updates", rules = "directory" }

declare "int a[100];"
for k = 0, 99 do host.a[k] = k end

case("accepts: updates go both ways, wherever the current level has the bytes [DIR-ABI-03]", function()
  acc "data copyin(a[0:20], a[20:20])" (function()
    expect.accepts("data create(a[60:20])", function()
      acc "parallel present(a[0:40])" "for (int k = 0; k < 40; ++k) a[k] = -k;"
      expect.moves(function() acc "update self(a[10:20])" end, { d2h = { bytes = 80 }, h2d = 0, d2d = 0 })
      expect.host("a[9:3]", { 9, -10, -11 })
      expect.host("a[29:2]", { -29, 30 })
      host.a[15] = 150
      acc "update device(a[15:1])"
    end)
    expect.device("a[14:3]", { -14, 150, -16 })
  end)
end)

case("accepts: an update covers several objects that were never fused [DIR-ABI-03]", function()
  declare "int *p;"
  host.p = addr "a[20]"
  expect.moves(function()
    acc "data copyin(a[0:20]) copyin(p[0:20])" (function()
      acc "parallel present(a[0:20])" "a[19] = -1;"
      acc "parallel present(p[0:20])" "p[0] = -2;"
      acc "update self(a[19:2])"
      expect.host("a[18:4]", { 18, -1, -2, 21 })
    end)
  end, { h2d = { count = 2, bytes = 160 }, d2h = { count = 2, bytes = 8 } })
end)

case("rejects: an update covers bytes that no clause mapped [DIR-ABI-03 ACC33-upd-1]", function()
  acc "data copyin(a[0:20], a[60:20])" (function()
    expect.fails("partially-present", function() acc "update self(a[10:20])" end)
    expect.fails("partially-present", function() acc "update device(a[0:80])" end)
    expect.fails("not-present", function() acc "update self(a[30:10])" end)
    expect.fails("not-present", function() acc "update device(a[90:5])" end)
  end)
  expect.fails("not-present", function() acc "update device(a[0:20])" end)
end)
