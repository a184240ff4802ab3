scenario { title = "A function that reads variables of Lua, and random numbers", rules = "openacc-3.3" }
local table_of = { 5, 7 }
func("at", function(i) return table_of[i % 2 + 1] end)
func("any", function() return math.random(1, 1000000) end)
declare "int k = 1, n = 0;"
vocabulary { bound = 3, host "k <<= 1", host "k = at(k)", host "n = any()" }
