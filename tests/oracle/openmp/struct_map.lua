-- Structure Mapping of the OpenMP Examples, struct_map.1.c, .3.c and .4.c.
scenario { title = "struct_map", rules = "openmp-5.1" }

declare [[
  struct mapped { char buffera[2000000]; char bufferb[2000000]; float x; float a, b; float *p; };
  struct mapped S;
  int N = 100;
]]
local ramp = {}
for i = 1, 100 do ramp[i] = i - 1 end
host.S = { a = 2, b = 4, p = ramp }

local scale = "for (int i = 0; i < N; i++) S.p[i] = S.p[i] * S.a + S.b;"

local function scaled()
  expect.host("S.p[0]", 4)
  expect.host("S.p[99]", 202)
end

case("1: members and a section through one of them", function()
  omp "target map(alloc: S.p) map(S.p[:N]) map(to: S.a, S.b)" (scale)
  scaled()
  expect.absent "S.p[:N]"
  expect.absent "S.a"
end)

case("1: what lies between the mapped members and around them", function()
  omp "target data map(alloc: S.p) map(S.p[:N]) map(to: S.a, S.b)" (function()
    expect.present "S.a"
    expect.present "S.b"
    expect.present "S.p"
    expect.present "S.p[:N]"
    expect.absent "S.x"
    expect.absent "S.buffera[0:10]"
  end)
end)

case("3, case 1: the section outside, the structure only implied", function()
  omp "target data map(S.p[:N])" (function()
    expect.present "S.p[:N]"
    expect.absent "S.p"
    expect.fails("host-pointer-on-device", function() omp "target" (scale) end)
  end)
end)

case("3, case 2: the section outside, the members named inside", function()
  omp "target data map(S.p[:N])" (function()
    expect.fails("host-pointer-on-device", function() omp "target map(S.p, S.a, S.b)" (scale) end)
  end)
end)

case("4, case 1: everything outside, the structure implied", function()
  omp "target data map(S.p[:N], S.p, S.a, S.b)" (function()
    omp "target" (scale)
    expect.host("S.p[0]", 0)
  end)
  scaled()
end)

case("4, case 2: the section outside, a section without length inside", function()
  omp "target data map(S.p[:N])" (function()
    omp "target map(S.p[:0], S.a, S.b)" (scale)
  end)
  scaled()
end)

case("4, case 3: everything on the target", function()
  omp "target map(S.p[:N], S.a, S.b)" (scale)
  scaled()
end)
