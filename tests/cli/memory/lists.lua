declare "char *p;"
local text = ("x"):rep(1 << 12)
for _ = 1, 1 << 30 do host.p = text end
