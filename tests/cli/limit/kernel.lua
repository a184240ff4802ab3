-- luacheck: ignore
declare "float v[4];" acc "parallel copy(v)" (function(d) while true do d.v[0] = 1 end end)
