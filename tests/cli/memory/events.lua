-- events of one construct
declare "struct s { int n; char *p; } s[1 << 15];"
local p = alloc("char", 1 << 15)
for i = 0, (1 << 15) - 1 do host.s[i].p = p + i end
expect.moves(function() acc "enter data copyin(s)::{ include(p[0:1]) }" end, {})
