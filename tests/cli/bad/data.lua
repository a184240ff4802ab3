-- Constructs that fail at run time: the objects are named, and where they were mapped.
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

case("not-present", function() acc "update self(v)" end)
case("not-present, present clause", function() acc "data present(v[2:4])" end)
case("not-present, delete", function() acc "exit data delete(w)" end)
case("partially-present", function()
  acc "enter data create(v[0:4])"
  acc "update device(v)"
end)
case("partial-overlap", function()
  acc "enter data create(v[2:4])"
  acc "enter data copyin(v)"
end)
case("a pointer that is not there", function()
  acc "enter data copyin(p[0:4])"
  acc "exit data detach(p)"
end)
case("not-attached", function()
  acc "enter data copyin(p)"
  acc "exit data detach(p)"
end)
case("pointer-changed", function()
  acc "enter data copyin(D)"
  host.D.a = host.p
  acc "exit data delete(D)"
end)
case("an update of what the pointer leads to now", function()
  acc "enter data copyin(D)"
  host.D.a = { 9, 9, 9 }
  acc "update self(D)"
end)
case("still-attached", function()
  acc "enter data copyin(p[0:4])"
  host.q = host.p
  acc "enter data copyin(q) attach(q)"
  acc "exit data delete(p[0:4])"
end)
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
case("out-of-device-memory", function()
  while acc_malloc(1 << 20) ~= NULL do end
  acc "enter data create(v)"
end)
case("no-device", function() acc "set device_num(3)" end)
case("end without a region", function() acc "end data" end)
case("an open region", function()
  acc "data copyin(v)"
end)
case("closed twice", function()
  local region = acc "data copyin(v)"
  region:close()
  region:close()
end)
case("not the innermost region", function()
  local outer = acc "data copyin(v)"
  acc "data copyin(w)"
  outer:close()
end)
case("the region's end fails", function()
  host.q = alloc("float", 4)
  acc "data copy(q[0:4])"
  free(host.q)
  acc "end data"
end)
case("memory of the file is freed while it is mapped", function()
  acc "data copy(p[0:4])"
  free(host.p)
  acc "end data"
end)
