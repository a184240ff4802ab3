-- Routines of OpenACC on fused blocks, and data that a program placed itself.
scenario { title = "DIR: routines and placed data", rules = "directory" }

declare "float a[2000], b[20]; float *c; int no = 0;"
for i = 0, 1999 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
host.c = addr "a[25]"

case("accepts: routines treat a fused block as one object, as present does [DIR-4.2-10]", function()
  acc "data copyin(a[0:10]) copyin(a[10:10])" (function()
    expect(acc_is_present "a[0:20]")
    expect(acc_is_present(addr "a[5]", 40))
    expect(acc_deviceptr "a[15]" == acc_deviceptr "a[5]" + 10)
    expect(acc_hostptr(acc_deviceptr "a[15]") == addr "a[15]")
    expect.accepts("data present(a[5:10])", function() acc "parallel" "a[5] = a[14];" end)
    acc_update_self(addr "a[5]", 40)
    expect.host("a[5]", 14)
    host.a[9], host.a[10] = -9, -10
    acc_update_device(addr "a[5]", 40)
    expect.device("a[9:2]", { -9, -10 })
  end)
end)

case("rejects: routines name holes or adjacent ranges [DIR-4.2-10 DIR-4.2-03]", function()
  acc "data copyin(a[0:10], a[20:10])" (function()
    expect(not acc_is_present "a[0:11]")
    expect(not acc_is_present "a[12:5]")
    expect(acc_deviceptr "a[12]" == NULL)
    expect(acc_hostptr(acc_deviceptr "a[0]" + 12) == NULL)
    expect.fails("partially-present", function() acc_update_self "a[0:11]" end)
    expect.fails("not-present", function() acc_update_device "a[10:5]" end)
    expect.fails("partial-overlap", function() acc_copyin "a[5:10]" end)
    expect.fails("partial-overlap", function() acc_create "a[0:30]" end)
    expect.fails("not-present", function() acc_copyout "a[0:10]" end) -- the level's
    expect.fails("partially-present", function() acc_delete "a[5:10]" end)
  end)
end)

case("accepts: data that a program placed itself move into the fused block and back [DIR-4.2-15]", function()
  local mine = acc_malloc(40)
  acc_map_data(addr "a[20]", mine, 40)
  acc "update device(a[20:10])"
  acc "data copyin(a[0:10], a[50:20])" (function()
    expect(acc_deviceptr "a[20]" == acc_deviceptr "a[0]" + 20)
    acc "parallel" "a[20] = a[29] + a[69];"
  end)
  expect(acc_deviceptr "a[20]" == mine)
  expect.device("a[20:2]", { 98, 21 })
  acc_unmap_data(addr "a[20]")
  acc_free(mine)
end)

case("differs: only fusion moves data within the device [DIR-4.2-15]", function()
  expect.moves(function()
    acc "data copyin(a[0:20])" (function()
      expect.moves(function()
        acc "update self(a[0:20])"
        acc "update device(a[5:5])"
        acc "enter data copyin(b)"
        expect.accepts "exit data delete(b)"
        expect.accepts "parallel present(a[0:20])"
        acc "data copyin(c[0:5])" (function() end)
        expect.accepts "data no_create(a[50:20])"
        expect.accepts "data copyin(a[50:20]) if(no)"
      end, { d2d = 0 })
    end)
  end, { h2d = { count = 4, bytes = 200 }, d2h = { count = 1, bytes = 80 } })
end)

case("rejects: exit data or unmapping names data that a program placed and that are in use [DIR-4.2-15 DIR-6-01]",
  function()
    local mine = acc_malloc(40)
    acc_map_data(addr "a[20]", mine, 40)
    expect.fails("not-present", function() acc "exit data delete(a[20:10])" end)
    expect.accepts("data copyin(a[0:10], a[50:20])", function()
      expect.fails("not-present", function() acc "exit data copyout(a[20:10])" end)
    end)
    acc "data present(a[20:10])" (function()
      expect.fails("already-present", function() acc_unmap_data(addr "a[20]") end)
    end)
    acc_unmap_data(addr "a[20]")
    expect.absent "a"
    acc_free(mine)
  end)
