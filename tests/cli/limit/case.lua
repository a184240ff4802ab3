-- luacheck: ignore
case("first", function() while true do end end) case("second", function() print "not reached" end)
