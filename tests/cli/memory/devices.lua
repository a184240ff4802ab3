-- each device has its own copy, which the host's memory does not show
scenario { devices = 64 }
declare "char a[1 << 20];"
for d = 0, 63 do acc(("set device_num(%d)"):format(d)) acc "enter data copyin(a)" end
