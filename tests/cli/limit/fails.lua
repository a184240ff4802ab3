-- luacheck: ignore
expect.fails("not-present", function() while true do end end) print "not reached"
