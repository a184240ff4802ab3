-- Compute constructs: what hardware would not say.
declare [[
  struct deep { int n; float *a, *b;
      #pragma acc shape include(a[0:n]) exclude(b)
  };
  struct deep D;
  float v[4];
  float *p;
  int n = 4;
]]
host.D = { n = 3, a = { 1, 2, 3 }, b = { 4, 5, 6 } }
host.p = { 1, 2, 3, 4 }

case("excluded-member", function()
  acc "parallel copy(D)" (function(d)
    d.D.a[0] = d.D.b[0]
  end)
end)
case("excluded-member, C text", function()
  acc "parallel copy(D)" [[
    for (int i = 0; i < D.n; i++)
      D.a[i] += D.b[i];
  ]]
end)
case("host-pointer-on-device", function()
  acc("parallel", "p")(function(d) d.p[0] = 1 end)
end)
case("host-pointer-on-device, C text", function() acc "parallel copy(p)" "p[0] = 1;" end)
case("uninitialized-read", function()
  acc "parallel create(v)" [[
    float sum = 0;
    for (int i = 0; i < 4; i++) sum += v[i];
  ]]
end)
case("uninitialized-read, function", function()
  acc "parallel create(v)" (function(d) return d.v[1] end)
end)
case("out-of-bounds", function() acc "parallel copy(v)" (function(d) d.v[4] = 1 end) end)
case("out-of-bounds behind a pointer", function()
  acc "parallel copy(p[0:2])" "p[1] = 1; p[2] = 1;"
end)
case("null-pointer", function()
  host.D.a = NULL
  host.D.n = 0
  acc "parallel copy(D)" "D.a[0] = 1;"
end)
case("device-pointer-on-host", function()
  acc "enter data copyin(v)"
  local there = acc_deviceptr "v"
  host.p = there
  print(host.p[0])
end)
case("a name nobody maps", function() acc "parallel" (function(d) d.v[0] = 1 end) end)
case("an unknown name", function() acc "parallel copy(v)" (function(d) d.w[0] = 1 end) end)
case("an unknown name, C text", function() acc "parallel copy(v)" "v[0] = w;" end)
case("C text, syntax", function()
  acc "parallel copy(v)" [[
    for (int i = 0; i < 4; i++) {
      v[i] = 2 *;
    }
  ]]
end)
case("C text, no number", function() acc "parallel copy(v, D)" "v[0] = D;" end)
case("C text, division by zero", function() acc "parallel copy(n)" "n = n / (n - 4);" end)
case("C text, unknown function", function() acc "parallel copy(v)" "v[0] = frobnicate(2.0);" end)
case("C text, declared twice", function() acc "parallel copy(v)" "int i; float i;" end)
case("C text, return of a value", function() acc "parallel copy(v)" "return 4;" end)
case("default(none)", function() acc "parallel default(none)" "v[0] = n;" end)
case("a kernel that throws", function()
  acc "parallel copy(v)" (function() error "enough" end)
end)
case("a kernel that throws a table", function()
  acc "parallel copy(v)" (function() error { 1, 2 } end)
end)
case("a kernel that throws nothing", function()
  acc "parallel copy(v)" (function() error() end)
end)
case("the state after a kernel that throws", function()
  pcall(function()
    acc "parallel copy(v)" (function(d)
      d.v[0] = 77
      error "enough"
    end)
  end)
  expect.absent "v"
  expect.host("v[0]", 0)
end)
case("a directive in a kernel", function()
  acc "parallel copy(v)" (function() acc "update self(v)" end)
end)
case("a routine in a kernel", function()
  acc "parallel copy(v)" (function() acc_deviceptr "v" end)
end)
case("no body", function() acc "parallel copy(v)" (42) end)
case("a list for a device pointer", function()
  acc "parallel copy(D)" (function(d) d.D.a = { 1, 2 } end)
end)
