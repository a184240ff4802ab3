-- luacheck: ignore
local t = {} for i = 1, 1 << 16 do t[i] = ("x"):rep(1 << 10) end for i = 1, 1 << 16 do
  t[i] = table.concat(t) end
