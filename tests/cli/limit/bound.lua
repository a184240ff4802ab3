-- luacheck: ignore
declare "float *p; int n;"
host.p = { 1 }
func("size", function() while true do end end)
acc "enter data copyin(p[0:size()])"
