-- luacheck: ignore
expect.fails("limit", function() alloc("char", 1 << 40) end) print "an alloc that fails can be expected"
