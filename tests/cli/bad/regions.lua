-- Devices, memory and regions at run time.
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
