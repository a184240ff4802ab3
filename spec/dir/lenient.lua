-- strict = false: a kernel that uses an address from before a fusion reads and writes the old block.
scenario { title = "DIR: stale addresses that are not reported", rules = "directory", strict = false }

declare "float a[100]; float *h;"
for i = 0, 99 do host.a[i] = i end

case("accepts: the old block keeps its bytes [DIR-4.1-05]", function()
  acc "data copyin(a[0:20])" (function()
    host.h = acc_deviceptr "a[0]"
    acc "data copyin(a[50:20])" (function()
      acc "parallel" "a[0] = -1;"
      acc "parallel copyin(a[50:20]) deviceptr(h)" "a[1] = h[0] + h[19];"
      expect.device("a[0:2]", { -1, 19 })
    end)
    acc "parallel deviceptr(h)" "h[2] = h[0];"
    expect.device("a[2]", -1)
  end)
end)

case("differs: bytes written to the old block are lost when the level ends [DIR-4.1-05]", function()
  acc "data copyin(a[0:20])" (function()
    host.h = acc_deviceptr "a[0]"
    acc "data copyin(a[50:20])" (function()
      expect.accepts("parallel deviceptr(h)", "h[0] = -7;")
      expect.device("a[0]", 0)
    end)
    expect.device("a[0]", 0)
  end)
end)

case("differs: a freed block is still out of bounds [DIR-4.1-05]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data copyin(a[50:20])" (function() host.h = acc_deviceptr "a[0]" end)
    expect.fails("out-of-bounds", function() acc "parallel deviceptr(h)" "h[0] = 1;" end)
  end)
end)
