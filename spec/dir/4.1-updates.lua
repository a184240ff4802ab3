-- Updates of fused blocks.
scenario { title = "DIR 4.1: updates of fused blocks", rules = "directory" }

declare "float a[2000]; float *q;"
for i = 0, 1999 do host.a[i] = i end
host.q = addr "a[0]"

-- update moves between the host and wherever the data are now. Every byte must be present, in as many
-- objects as there are.

case("accepts: an update names a range in a fused block [DIR-4.1-05]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data copyin(a[50:20])" (function()
      host.a[5], host.a[55] = -5, -55
      expect.moves(function() acc "update device(a[0:20], a[50:20])" end, { h2d = { bytes = 160 }, d2d = 0 })
      expect.device("a[5]", -5)
      expect.device("a[55]", -55)
      acc "parallel" "a[6] = a[5] + a[55];"
      expect.moves(function() acc "update self(a[6:1])" end, { d2h = { count = 1, bytes = 4 } })
      expect.host("a[6]", -60)
    end)
    expect.device("a[5:2]", { -5, -60 }) -- copied back with the rest
  end)
end)

case("accepts: an update covers several objects in one block or in several [DIR-4.1-05]", function()
  acc "data copyin(a[0:10]) create(a[10:10])" (function()
    acc "parallel" "for (int i = 0; i < 20; i++) a[i] = 2 * i;"
    expect.moves(function() acc "update self(a[5:10])" end, { d2h = { bytes = 40 } })
    expect.host("a[4:3]", { 4, 10, 12 })
    expect.host("a[14:2]", { 28, 15 })
  end)
  host.q = addr "a[30]"
  acc "data copyin(a[20:10]) copyin(q[0:10])" (function()
    expect.equal(#state().levels[1].artificial, 2)
    host.a[29], host.a[30] = -29, -30
    acc "update device(a[25:10])"
    expect.device("a[29]", -29)
    expect.device("a[30]", -30)
    acc_update_self "a[20:20]"
  end)
end)

case("rejects: an update names a hole or exceeds the data [DIR-4.1-05 TR14-4.2-03]", function()
  acc "data copyin(a[0:20], a[50:20])" (function()
    for _, way in ipairs { "self", "device" } do
      expect.fails("not-present", function() acc(("update %s(a[20:30])"):format(way)) end)
      expect.fails("partially-present", function() acc(("update %s(a[0:70])"):format(way)) end)
      expect.fails("partially-present", function() acc(("update %s(a[60:20])"):format(way)) end)
    end
    expect.moves(function() acc "update self(a[20:30]) if_present" end, { d2h = 0 })
  end)
end)
