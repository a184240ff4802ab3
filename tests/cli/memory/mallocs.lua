-- what a device has to know about its allocations
scenario { devices = 64 }
for d = 0, 63 do
  acc(("set device_num(%d)"):format(d))
  for _ = 1, 1000 do acc_malloc(1 << 20) end
end
