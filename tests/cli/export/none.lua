scenario { title = "No programs", rules = "tr14" }
declare "struct s { int n; float *a; }; struct s X; int n;"

case("counters", function()
  acc "enter data copyin(n)"
  expect.count("n", { dynamic = 1 })
end)
case("a kernel in Lua", function()
  acc("parallel copy(n)")(function(d) d.n = 1 end)
end)
case("a nest", function() acc "enter data invoke(X)::{ default(exclude) create(n) }" end)
case("a shape", function() acc "shape(one) type(struct s) include(a[0:1])" end)
case("a type with a shape", function()
  declare "struct t { int n; float *a;\n #pragma acc shape include(a[0:n])\n };"
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
