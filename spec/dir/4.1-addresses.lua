-- Device addresses that a program asked for, before and after a fusion.
scenario { title = "DIR 4.1: device addresses", rules = "directory" }

declare "float a[2000]; float *h;"
for i = 0, 1999 do host.a[i] = i end

-- The old block stays allocated, but the data are elsewhere: a kernel that uses its address gets an error.

case("accepts: a device address is valid again after the inner level [DIR-4.1-05]",
  function()
    acc "data copyin(a[0:20])" (function()
      host.h = acc_deviceptr "a[0]"
      acc "parallel deviceptr(h)" "h[1] = h[2] + 40;"
      acc "data copyin(a[50:20])" (function()
        host.h = acc_deviceptr "a[0]"
        acc "parallel deviceptr(h)" "h[2] = h[1] + h[69];"
        host.h = acc_deviceptr "a[50]" - 50
        acc "parallel deviceptr(h)" "h[3] = h[2];"
      end)
      host.h = acc_deviceptr "a[0]"
      acc "parallel deviceptr(h)" "h[4] = h[3];"
      expect.device("a[4]", 42 + 69)
    end)
  end)

case("rejects: a kernel uses an address from before the fusion [DIR-4.1-05]", function()
  acc "data copyin(a[0:20])" (function()
    host.h = acc_deviceptr "a[0]"
    acc "data copyin(a[50:20])" (function()
      for _, body in ipairs { "h[0] = 1;", "float x = h[19];" } do
        local err = expect.fails("out-of-bounds", function() acc "parallel deviceptr(h)" (body) end)
        expect(err.message:find "stale", err.message)
      end
      expect.device("a[0]", 0)
    end)
    acc "parallel deviceptr(h)" "h[0] = 1;"
    expect.device("a[0]", 1)
  end)
end)

case("differs: a kernel uses an address of a freed fused block [DIR-4.1-05]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data copyin(a[50:20])" (function() host.h = acc_deviceptr "a[0]" end)
    expect.fails("out-of-bounds", function() acc "parallel deviceptr(h)" "h[0] = 1;" end)
    acc "enter data copyin(a[50:20])"
    host.h = acc_deviceptr "a[0]"
    acc "enter data copyin(a[100:20])" -- replaced, freed
    expect.fails("out-of-bounds", function() acc "parallel deviceptr(h)" "h[0] = 1;" end)
    expect.accepts "exit data delete(a[50:20], a[100:20])"
  end)
end)
