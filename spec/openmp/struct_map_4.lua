-- Example 4: three ways to map a structure whose pointer is attached, with implicit maps.
scenario { title = "OMPEX struct_map.4: correct mappings", rules = "openmp-5.1" }

declare [[
  struct mapped { char buffera[2000000]; char bufferb[2000000]; float x; float a, b; float *p; };
  struct mapped S1, S2, S3;
  int N = 100, M = 0;
  float g = 1;
]]
local ramp = {}
for i = 1, 100 do ramp[i] = i - 1 end
for _, name in ipairs { "S1", "S2", "S3" } do host[name] = { x = 1, a = 2, b = 4, p = ramp } end

local function of(name)
  return (("for (int i = 0; i < N; i++) S.p[i] = S.p[i] * S.a + S.b;"):gsub("S%.", name .. "."))
end

case("accepts: target data maps all parts, and a body uses the implicit structure [OMPEX-struct_map-9]", function()
  local before = host "S1.p"
  omp "target data map(S1.p[:N], S1.p, S1.a, S1.b)" (function()
    expect.attached "S1.p"
    expect.moves(function() omp "target" (of "S1") end, { h2d = 0, d2h = 0 })
    expect.attached "S1.p"
    expect.count("S1.a", { structured = 1 })
  end)
  expect.host("S1.p[0]", 4)
  expect.host("S1.p[99]", 202)
  expect.equal(host "S1.p", before) -- still the address of the host
end)

case("differs: a body cannot use members that target data does not map [OMPEX-struct_map-9]", function()
  omp "target data map(S1.p[:N], S1.p, S1.a, S1.b)" (function()
    expect.fails("not-present", function() omp "target" "S1.x = 2;" end)
  end)
end)

case("accepts: a section of any length on the target construct attaches [OMPEX-struct_map-10]", function()
  expect.moves(function()
    omp "target data map(S2.p[:N])" (function()
      omp "target map(S2.p[:0], S2.a, S2.b)" (of "S2")
      omp "target map(S2.p[:M], S2.a, S2.b)" (of "S2")
      omp "target map(S2.p[:50], S2.a, S2.b)" (of "S2")
      omp "target map(S2.p[:N], S2.a, S2.b)" (of "S2")
    end)
  end, { h2d = { count = 9, bytes = 464 }, d2h = { count = 5, bytes = 432 } })
  expect.host("S2.p[0]", 60) -- 2x + 4 four times
end)

case("differs: a section of no elements without present data does not attach [OMPEX-struct_map-10]", function()
  expect.fails("host-pointer-on-device", function()
    omp "target map(S2.p[:0], S2.a, S2.b)" (of "S2")
  end)
end)

case("differs: an implicit structure gives no access to absent members [OMPEX-struct_map-11]", function()
  omp "target data map(S2.p[:N])" (function()
    expect.present "S2.p[:N]"
    expect.fails("not-present", function() omp "target map(S2.p[:0], S2.a, S2.b)" "S2.x = 2;" end)
    expect.fails("not-present", function() omp "target map(S2.p[:0], S2.a, S2.b)" "S2.bufferb[1] = 2;" end)
  end)
end)

case("accepts: an implicit structure gives access to its present members [OMPEX-struct_map-11]", function()
  expect.moves(function()
    omp "target data map(S2.p[:N])" (function()
      omp "target map(S2.p[:0], S2.a, S2.b)" "S2.a = S2.b + S2.p[7];"
    end)
  end, { h2d = { count = 3, bytes = 416 }, d2h = { count = 2, bytes = 408 } })
  expect.host("S2.a", 11)
end)

case("accepts: without target data the implicit structure maps its pointer [OMPEX-struct_map-12]", function()
  expect.moves(function()
    omp "target map(S3.p[:N], S3.a, S3.b)" (of "S3")
  end, { h2d = { count = 3, bytes = 416 }, d2h = { count = 2, bytes = 408 } })
  expect.host("S3.p[99]", 202)
  expect.absent "S3.a"
end)

case("differs: the implicit structure maps no pointer if another part was present before"
  .. " [OMPEX-struct_map-12 OMPEX-struct_map-13]", function()
  omp "target data map(S3.a, S3.b)" (function()
    expect.present "S3.a"
    expect.fails("not-present", function() omp "target map(S3.p[:N])" (of "S3") end)
  end)
end)

case("accepts: an implicit structure with present parts maps no further parts [OMPEX-struct_map-13]", function()
  expect.moves(function()
    omp "target data map(S3.a)" (function()
      expect.moves(function() omp "target" "S3.a = 7;" end, { h2d = 0, d2h = 0 })
    end)
  end, { h2d = { count = 1, bytes = 4 }, d2h = { count = 1, bytes = 4 } })
  expect.host("S3.a", 7)
end)

case("accepts: a variable in declare target persists, and update copies its value [OMPEX-struct_map-14]", function()
  omp "declare target(g)"
  omp "target" "g = 2;"
  expect.host("g", 1)
  omp "target update from(g)"
  expect.host("g", 2)
  omp "target exit data map(delete: g)"
  expect.present "g"
end)

case("differs: a variable in declare target has the host's value only after update [OMPEX-struct_map-14]", function()
  omp "declare target(g)"
  host.g = 5
  omp "target map(tofrom: g)" (function(d)
    expect.equal(d.g, 1)
    d.g = 7
  end)
  expect.host("g", 5)
  omp "target update from(g)"
  expect.host("g", 7)
end)

case("accepts: a bare section does not map its pointer in 5.1 [OMPEX-struct_map-15]", function()
  expect.moves(function()
    omp "target data map(S3.p[:N])" (function() expect.absent "S3.p" end)
  end, { h2d = { count = 1, bytes = 400 }, d2h = { count = 1, bytes = 400 } })
end)

case("differs: a section maps its pointer in 4.0 [OMPEX-struct_map-15]", function()
  rules "openmp-4.0"
  declare "struct mapped { float a, b, *p; } S; int N = 2;"
  host.S = { a = 1, p = { 1, 2 } }
  omp "target data map(S.p[0:N])" (function()
    expect.present "S.p"
    expect.attached "S.p"
  end)
end)
