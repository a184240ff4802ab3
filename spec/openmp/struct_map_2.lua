-- Example 2: a class whose member function maps its members.
scenario { title = "OMPEX struct_map.2: members of *this", rules = "openmp-5.1" }

declare [[
  class SAXPY {
    float a, b, *p;
  public:
    float buffer[100];
  };
  SAXPY obj;
  float *q;
]]
local ramp = {}
for i = 1, 100 do ramp[i] = i - 1 end
host.obj = { a = 2, b = 4, p = ramp }
host.q = host "obj.p"

case("accepts: in a member function p[:N] is attached to p [OMPEX-struct_map-5]", function()
  method("SAXPY", "driver", function()
    omp "target map(alloc: p) map(to: p[:100]) map(to: a, b) map(from: buffer[:100])"
      "for (int i = 0; i < 100; i++) buffer[i] = p[i] * a + b;"
    return 0
  end)
  expect.moves(function() host "obj.driver()" end, { h2d = { bytes = 408 }, d2h = { bytes = 400 } })
  expect.host("obj.buffer[0]", 4)
  expect.host("obj.buffer[99]", 202)
  expect.absent "obj"
end)

case("accepts: an implicit map of the object maps p with its section [OMPEX-struct_map-5]", function()
  method("SAXPY", "driver", function()
    omp "target map(to: p[:100], a, b) map(from: buffer[:100])"
      "for (int i = 0; i < 100; i++) buffer[i] = p[i] * a + b;"
    return 0
  end)
  expect.moves(function() host "obj.driver()" end, { h2d = { bytes = 416 }, d2h = { bytes = 400 } })
  expect.host("obj.buffer[99]", 202)
end)

case("differs: without a map of its section p points to the host [OMPEX-struct_map-5]", function()
  method("SAXPY", "driver", function()
    expect.fails("host-pointer-on-device", function()
      omp "target map(to: p, a, b) map(from: buffer[:100])" "for (int i = 0; i < 100; i++) buffer[i] = p[i] * a + b;"
    end)
    return 0
  end)
  host "obj.driver()"
  expect.absent "obj"
end)
