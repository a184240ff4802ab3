-- Sections whose bounds or pointers fail at run time.
declare [[
  struct deep { int n; float *a;
      #pragma acc shape include(a[0:n])
  };
  struct deep D;
  float v[8], w[8];
  float *p, *q;
  int n = 4;
]]
host.D = { n = 3, a = { 1, 2, 3 } }
host.p = { 1, 2, 3, 4 }

case("negative length", function() acc "enter data copyin(p[0:-2])" end)
case("negative length at run time", function()
  host.n = -3
  acc "enter data copyin(p[0:n])"
end)
case("negative length in a shape", function()
  host.D.n = -1
  acc "enter data copyin(D)"
end)
case("bounds that overflow", function() acc "enter data copyin(p[0:1L << 62])" end)
case("bounds that overflow, start", function() acc "enter data copyin(p[(1L << 62):4])" end)
case("division by zero in a bound", function()
  host.n = 0
  acc "enter data copyin(p[0:4 / n])"
end)
case("null pointer", function() acc "enter data copyin(q[0:4])" end)
case("null pointer in a shape", function()
  host.D.a = NULL
  acc "enter data copyin(D)"
end)
case("dangling pointer", function()
  local block = alloc("float", 4)
  host.q = block
  free(block)
  acc "enter data copyin(q[0:4])"
end)
case("beyond the block", function() acc "enter data copyin(p[0:5])" end)
case("beyond the array", function() acc "enter data copyin(v[6:4])" end)
case("beyond the array at run time", function()
  host.n = 9
  acc "enter data copyin(v[0:n])"
end)
case("a wild pointer", function()
  host.q = 0x123456789
  acc "enter data copyin(q[0:4])"
end)
case("a function that fails", function()
  func("size", function() error "no size today" end)
  acc "enter data copyin(p[0:size()])"
end)
case("a function that gives no integer", function()
  func("size", function() return 2.5 end)
  acc "enter data copyin(p[0:size()])"
end)
case("a function that gives a text", function()
  func("size", function() return "four" end)
  acc "enter data copyin(p[0:size()])"
end)
