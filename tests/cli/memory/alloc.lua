-- luacheck: ignore
local keep = {} for i = 1, 1 << 20 do keep[i] = alloc("double", 1 << 16) end
