-- Data that are absent, partly present or attached: the objects are named, and where they were mapped.
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
