-- luacheck: ignore
return string.format("%99999999d", 1)
