declare "char *p;"
local text = ("x"):rep(1 << 20)
for _ = 1, 1 << 30 do host.p = text end
