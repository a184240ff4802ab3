-- Example 1: members of a structure are mapped without the whole structure. Large buffers never reach the device.
scenario { title = "OMPEX struct_map.1: members without the structure", rules = "openmp-5.1" }

declare [[
  struct mapped { char buffera[2000000]; char bufferb[2000000]; float x; float a, b; float *p; };
  struct mapped S;
  int N = 100;
]]
local ramp = {}
for i = 1, 100 do ramp[i] = i - 1 end
host.S = { x = 1, a = 2, b = 4, p = ramp }

local saxpy = "for (int i = 0; i < N; i++) S.p[i] = S.p[i] * S.a + S.b;"

case("accepts: a construct maps members, and a section through one of them"
  .. " [OMPEX-struct_map-1 OMPEX-struct_map-2]", function()
  expect.moves(function()
    omp "target map(alloc: S.p) map(S.p[:N]) map(to: S.a, S.b)" (saxpy)
  end, { h2d = { count = 2, bytes = 408 }, d2h = { count = 1, bytes = 400 } })
  expect.host("S.p[0]", 4)
  expect.host("S.p[99]", 202)
  expect.absent "S.a"
  expect.absent "S.p[0:N]"
end)

case("accepts: the section is attached to the member that points to the section [OMPEX-struct_map-2]", function()
  omp "target data map(alloc: S.p) map(S.p[:N]) map(to: S.a, S.b)" (function()
    expect.present "S.a"
    expect.present "S.p[0:100]"
    expect.attached("S.p", 1)
    expect.device("S.p[99]", 99)
    expect.absent "S.x"
    expect.absent "S.buffera"
  end)
end)

case("accepts: the target construct need not name the pointer [OMPEX-struct_map-3]", function()
  expect.moves(function()
    omp "target map(S.p[:N]) map(to: S.a, S.b)" (saxpy)
  end, { h2d = { count = 3, bytes = 416 }, d2h = { count = 1, bytes = 400 } })
  expect.host("S.p[99]", 202)
  omp "target map(S.p[:N]) map(to: S.a, S.b)" (function(d)
    for i = 0, 99 do d.S.p[i] = d.S.p[i] - d.S.b end
  end)
  expect.host("S.p[99]", 198)
end)

case("accepts: one small block contains the mapped members, with the offsets of the structure"
  .. " [OMPEX-struct_map-4]", function()
  expect.moves(function()
    omp "target enter data map(to: S.a, S.b, S.p)"
  end, { h2d = { bytes = 16 } })
  local present = state().present
  expect.equal(#present, 1)
  expect.equal(present[1].bytes, sizeof "struct mapped" - 4000004) -- from a to the end of p
  local a, p = omp_get_mapped_ptr(addr "S.a", 0), omp_get_mapped_ptr(addr "S.p", 0)
  expect.equal(omp_get_mapped_ptr(addr "S.b", 0) ~= NULL, true)
  expect.equal(a ~= NULL and p ~= NULL, true)
  omp "target exit data map(release: S.a, S.b, S.p)"
  expect.absent "S.a"
end)

case("rejects: a kernel uses members without storage [OMPEX-struct_map-1]", function()
  expect.fails("not-present", function()
    omp "target map(alloc: S.p) map(S.p[:N]) map(to: S.a, S.b)" "S.x = 1;"
  end)
  expect.fails("not-present", function()
    omp "target map(alloc: S.p) map(S.p[:N]) map(to: S.a, S.b)" (function(d) d.S.buffera[0] = 1 end)
  end)
  expect.host("S.x", 1)
end)

case("differs: a section that another construct mapped is not attached [OMPEX-struct_map-2]", function()
  omp "target data map(S.p[:N])" (function()
    expect.present "S.p[:N]"
    expect.fails("host-pointer-on-device", function() omp "target map(to: S.a, S.b, S.p)" (saxpy) end)
  end)
end)

case("differs: target data has to name the pointer [OMPEX-struct_map-3]", function()
  omp "target data map(S.p[:N]) map(to: S.a, S.b)" (function()
    expect.absent "S.p"
    expect.fails("not-present", function() omp "target" (saxpy) end)
  end)
end)

case("rejects: a body or an update uses bytes between mapped members [OMPEX-struct_map-4 OMP60-map-9]", function()
  omp "target data map(to: S.x, S.b)" (function()
    expect.absent "S.a"
    expect.fails("not-present", function() omp "target" "S.a = 1;" end)
    expect.fails("partially-present", function() omp "target update to(present: S)" end)
    expect.fails("not-present", function() omp "target update to(present: S.a)" end)
  end)
end)
