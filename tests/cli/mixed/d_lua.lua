local x <const> = 1 -- luacheck: ignore
x = 2 -- luacheck: ignore
