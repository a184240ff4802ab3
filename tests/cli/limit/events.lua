-- luacheck: ignore
events(function() while true do end end)
