scenario { title = "two cases" }
declare [[
  struct deep { int n; float *a;
  #pragma acc shape include(a[0:n])
  } X; int y;
]]
host.X = { n = 2, a = { 1, 2 } }
case("deep", function()
  acc "enter data copyin(X)"
  acc "data copy(X)" (function() acc "update self(X.a[0:2])" end)
  acc "exit data copyout(X)"
end)
case("flat", function()
  acc "data copy(y)" (function() end)
end)
