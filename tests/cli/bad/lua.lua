-- Lua's own errors in a script.
declare "struct S { int n; float *a; } X; float v[3] = { 1, 2, 3 }; enum { LIMIT = 3 };"

case("error", function() error "the script gave up" end)
case("error without a position", function() error("no position", 0) end)
case("error with a table", function() error { reason = "none" } end)
case("error with nothing", function() error() end)
case("a call of nothing", function() local nothing nothing() end) -- luacheck: ignore
case("an index of nothing", function() return host.X.a.b.c end)
case("arithmetic on a table", function() return host.X + 1 end)
case("stack overflow", function()
  local function f() return 1 + f() end
  f()
end)
case("a loaded text", function() load "error 'inside'" () end)
