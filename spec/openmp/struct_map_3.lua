-- Example 3: two ways to map a structure wrongly. The pointer is not attached, and its use is an error.
scenario { title = "OMPEX struct_map.3: incorrect mappings", rules = "openmp-5.1" }

declare [[
  struct mapped { char buffera[2000000]; char bufferb[2000000]; float x; float a, b; float *p; };
  struct mapped S1, S2;
  int N = 100;
]]
local ramp = {}
for i = 1, 100 do ramp[i] = i - 1 end
host.S1 = { a = 2, b = 4, p = ramp }
host.S2 = { a = 2, b = 4, p = ramp }

local function of(name)
  return (("for (int i = 0; i < N; i++) S.p[i] = S.p[i] * S.a + S.b;"):gsub("S%.", name .. "."))
end

case("differs: target data maps the section, and an implicit map of the structure does not attach"
  .. " [OMPEX-struct_map-6]", function()
  omp "target data map(S1.p[:N])" (function()
    local err = expect.fails("host-pointer-on-device", function() omp "target" (of "S1") end)
    expect(err.help and err.help:find("attach", 1, true), "the message says why")
    omp("target", "S1") (function(d)
      expect.equal(d.S1.a, 2)
      d.S1.b = 5
    end)
  end)
  expect.host("S1.b", 5)
  expect.host("S1.p[99]", 99)
end)

case("accepts: target data maps the section, and a body uses the members [OMPEX-struct_map-6]", function()
  expect.moves(function()
    omp "target data map(S1.p[:N])" (function()
      omp "target" "S1.a = S1.a + S1.b;"
    end)
  end, { h2d = { count = 2, bytes = 4000424 }, d2h = { count = 2, bytes = 4000424 } })
  expect.host("S1.a", 6)
end)

case("rejects: target data maps the section, and the inner map names the members without the section"
  .. " [OMPEX-struct_map-7 OMPEX-struct_map-8]", function()
  omp "target data map(S2.p[:N])" (function()
    expect.present "S2.p[:N]"
    local err = expect.fails("host-pointer-on-device", function()
      omp "target map(S2.p, S2.a, S2.b)" (of "S2")
    end)
    expect(err.help and err.help:find("S2.p[", 1, true), "the message says what to map")
  end)
  expect.host("S2.p[99]", 99)
end)

case("accepts: target data maps the section, and a body uses members that are mapped inside"
  .. " [OMPEX-struct_map-7]", function()
  expect.moves(function()
    omp "target data map(S2.p[:N])" (function()
      omp "target map(S2.p, S2.a, S2.b)" "S2.a = S2.a + S2.b;"
    end)
  end, { h2d = { count = 3, bytes = 416 }, d2h = { count = 3, bytes = 416 } })
  expect.host("S2.a", 6)
end)

case("accepts: a list item attaches its base pointer, which is present already [OMPEX-struct_map-8]", function()
  expect.moves(function()
    omp "target data map(S2.p, S2.a, S2.b)" (function()
      expect.detached "S2.p"
      omp "target map(S2.p[:N])" (of "S2")
      expect.host("S2.p[99]", 202)
    end)
  end, { h2d = { count = 3, bytes = 416 }, d2h = { count = 2, bytes = 408 } })
end)

case("accepts: a list item attaches its base pointer, which is new, to a present section"
  .. " [OMPEX-struct_map-8]", function()
  expect.moves(function()
    omp "target data map(S2.p[:N])" (function()
      omp "target map(S2.p[:N], S2.a, S2.b)" (of "S2")
      omp "target update from(S2.p[:N])"
      expect.host("S2.p[99]", 202)
    end)
  end, { h2d = { count = 3, bytes = 416 }, d2h = { count = 3, bytes = 808 } })
  expect.host("S2.p[99]", 202)
end)

case("rejects: a body uses a pointer that was present before, and so was its section [OMPEX-struct_map-8]", function()
  omp "target data map(S2.p, S2.a, S2.b)" (function()
    local q = host "S2.p"
    omp_target_associate_ptr(q, omp_target_alloc(400, 0), 400, 0, 0)
    expect.fails("host-pointer-on-device", function() omp "target map(S2.p[:N])" (of "S2") end)
    omp_target_disassociate_ptr(q, 0)
  end)
end)
