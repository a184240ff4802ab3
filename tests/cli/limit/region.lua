-- luacheck: ignore
declare "int n;" acc "data copy(n)" (function() while true do end end)
