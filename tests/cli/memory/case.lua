-- luacheck: ignore
case("eats", function() return string.rep("x", 1 << 40) end)
case("goes on", function() print "the next one runs" end)
