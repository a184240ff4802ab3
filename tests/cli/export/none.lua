scenario { title = "No programs", rules = "tr14" }
declare "struct s { int n; float *a; }; struct s X; int n;"

case("a declare directive", function() acc "declare create(n)" end)
case("a kernel in Lua", function()
  acc("parallel copy(n)")(function(d) d.n = 1 end)
end)
case("a nest that asks for what is there or not", function()
  acc "data invoke(X)::{ default(exclude) no_create(n) }" (function() end)
end)
case("a deep copy that fails", function()
  acc "shape(one) type(struct s) include(a[0:1])"
  expect.fails("null-pointer", function() acc "enter data copyin<one>(X)" end)
end)
case("objects that lead back to themselves", function()
  rules "tr14x"
  declare "struct t { int n; struct t *next;\n #pragma acc shape include(next[0:1])\n } T;"
  host.T.next = addr "T"
  acc "enter data copyin(T)"
end)
case("C++", function() declare "template<class T> class box { T *item; };" end)
case("a static error", function()
  expect.fails("unknown-name", function() acc "enter data copyin(nothing)" end)
end)
case("a script's own error", function()
  expect.fails("out-of-bounds", function() return (alloc("int", 1))[1] end)
end)
case("an error that nobody expects", function()
  pcall(function() acc "update self(n)" end)
end)
case("a case that fails", function() expect.host("n", 1) end)
