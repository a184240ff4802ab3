-- Routines of OpenMP about devices and device memory.
scenario { title = "OpenMP 3.7, 3.8: device routines", devices = 2, rules = "openmp-5.1" }

declare [[
  struct s { int n; float *a; };
  struct s S;
  int v[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  int w[8], x[4];
  int *p = v, *none, i;
]]
host.S = { n = 2, a = { 1, 2 } }

local HOST = 2
local INT = sizeof "int"

-- Runs a kernel on memory at a device address.
local function on_device(d, code)
  host.p = d
  acc("parallel deviceptr(p)")(code)
end

case("accepts: the host has the last device number, and the default device is the current one"
  .. " [OMP60-api-1]", function()
  expect.equal(omp_get_num_devices(), 2)
  expect.equal(omp_get_initial_device(), HOST)
  expect.equal(omp_get_default_device(), 0)
  omp_set_default_device(1)
  expect.equal(omp_get_default_device(), 1)
  expect.equal(acc_get_device_num(), 1)
  acc "enter data copyin(v)"
  expect.equal(omp_target_is_present(addr "v[0]", 1), 1)
  expect.equal(host "omp_get_num_devices() + omp_get_initial_device()", 4)
end)

case("accepts: the routines say where the caller runs, on the host and in kernels"
  .. " [OMP60-api-1 OMP60-api-14]", function()
  expect.equal(omp_is_initial_device(), 1)
  expect.equal(omp_get_device_num(), HOST)
  expect.accepts("acc parallel copy(v)", function()
    expect.equal(omp_is_initial_device(), 0)
    expect.equal(omp_get_device_num(), 0)
  end)
  omp_set_default_device(1)
  acc "parallel copy(v)" "v[0] = omp_is_initial_device(); v[1] = omp_get_device_num();"
  expect.host("v[0:2]", { 0, 1 })
  acc "parallel if(0) copy(v)" "v[0] = omp_is_initial_device(); v[1] = omp_get_device_num();"
  expect.host("v[0:2]", { 1, HOST })
end)

case("rejects: a device does not exist, or the host becomes the default device [OMP60-api-1 OMP60-api-2]", function()
  expect.fails("no-device", function() omp_set_default_device(3) end)
  expect.fails("no-device", function() omp_set_default_device(-2) end)
  expect.fails("unsupported", function() omp_set_default_device(HOST) end)
  expect.fails("type-mismatch", function() omp_set_default_device({}) end)
  expect.equal(omp_get_default_device(), 0)
end)

case("accepts: omp_initial_device is also the number of the host [OMP60-api-2]", function()
  expect.equal(omp_target_is_present(addr "v[0]", omp_initial_device), 1)
  expect.equal(omp_target_memcpy(addr "w[0]", addr "v[0]", 4 * INT, 0, 0, omp_initial_device, HOST), 0)
  expect.host("w[0:5]", { 1, 2, 3, 4, 0 })
end)

case("accepts: omp_default_device means the default device [OMP60-api-2]", function()
  omp_set_default_device(1)
  local d = omp_target_alloc(8, omp_default_device)
  expect.equal(omp_target_is_accessible(d, 8, 1), 1)
  omp_target_free(d, omp_default_device)
end)

case("accepts: expressions can use the constants and the routines that ask"
  .. " [OMP60-api-2 OMP60-api-5 OMP60-api-6 OMP60-api-12]",
  function()
    omp "target map(from: i) device(omp_initial_device)" "i = omp_is_initial_device() + 4;"
    expect.host("i", 5)
    omp "target enter data map(to: v) device(1)"
    omp "parallel" "i = 10 * omp_target_is_present(&v, 1) + omp_target_is_present(v + 2, 0);"
    expect.host("i", 10)
    omp "parallel" "i = omp_target_is_accessible(&v[7], 4, omp_initial_device) + 2 * (omp_get_mapped_ptr(v, 0) == 0);"
    expect.host("i", 3)
    omp "parallel" "none = omp_get_mapped_ptr(&v[1], 1);"
    expect(host.none == omp_get_mapped_ptr(addr "v[1]", 1))
    expect.accepts("target data map(w) if(omp_target_is_present(v, 0))", function() expect.absent "w" end)
    expect.equal(host "omp_initial_device + 8 + omp_invalid_device", 3)
  end)

case("rejects: a routine gets omp_invalid_device, or another wrong device number [OMP60-api-2]",
  function()
    local d = omp_target_alloc(32, 0)
    for _, call in ipairs {
      function(n) return omp_target_alloc(8, n) end,
      function(n) return omp_target_is_present(addr "v[0]", n) end,
      function(n) return omp_target_is_accessible(addr "v[0]", 4, n) end,
      function(n) return omp_get_mapped_ptr(addr "v[0]", n) end,
      function(n) return omp_target_memcpy(d, addr "v[0]", 4, 0, 0, n, HOST) end,
      function(n) return omp_target_memcpy(d, addr "v[0]", 4, 0, 0, 0, n) end,
      function(n) return omp_target_memcpy_rect(d, addr "v[0]", 4, 1, { 1 }, { 0 }, { 0 }, { 8 }, { 8 }, n, HOST) end,
      function(n) return omp_target_associate_ptr(addr "v[0]", d, 32, 0, n) end,
      function(n) return omp_target_disassociate_ptr(addr "v[0]", n) end,
    } do
      expect.fails("no-device", function() call(omp_invalid_device) end)
      for _, n in ipairs { 3, -2, 1 << 40 } do
        local result = call(n)
        expect(result == NULL or type(result) == "number", "an answer")
      end
    end
    expect.equal(omp_target_alloc(8, 3), NULL)
    expect.equal(omp_target_is_present(addr "v[0]", 3), 0)
    expect(omp_target_memcpy(d, addr "v[0]", 4, 0, 0, 3, HOST) ~= 0)
    expect(omp_target_associate_ptr(addr "v[0]", d, 32, 0, -2) ~= 0)
    for _, n in ipairs { omp_invalid_device, 3 } do
      expect.fails("no-device", function() omp_target_free(d, n) end)
      expect.fails("no-device", function() omp_target_memset(d, 0, 8, n) end)
    end
    omp_target_free(d, 0)
  end)

case("accepts: omp_target_alloc allocates memory of a device and of the host [OMP60-api-3 OMP60-api-4]", function()
  local d = omp_target_alloc(8 * INT, 0)
  expect(d ~= NULL, "an address")
  on_device(d, "for (int k = 0; k < 8; ++k) p[k] = k * k;")
  acc_memcpy_from_device(addr "w[0]", d, 8 * INT)
  expect.host("w[7]", 49)
  local h = omp_target_alloc(8 * INT, HOST)
  host.p = h
  host.p[7] = 7
  expect.host("p[7]", 7)
  acc "parallel copy(p[0:8])" "p[0] = p[7] + 1;"
  expect.host("p[0]", 8)
  omp_target_free(h, HOST)
  omp_target_free(d, 0)
  omp_target_free(NULL, 0)
  omp_target_free(NULL, HOST)
  omp_target_free(omp_target_alloc(4, 1), 1)
end)

case("rejects: omp_target_alloc finds no memory, or its size is zero or negative [OMP60-api-3]", function()
  expect.equal(omp_target_alloc(1 << 50, 0), NULL)
  expect.equal(omp_target_alloc(0, 0), NULL)
  expect.equal(omp_target_alloc(0, HOST), NULL)
  expect.fails("invalid-section", function() omp_target_alloc(-1, 0) end)
  expect.fails("type-mismatch", function() omp_target_alloc("much", 0) end)
end)

case("rejects: omp_target_free gets memory of another origin, memory twice, or memory in use [OMP60-api-4]",
  function()
    local d, h = omp_target_alloc(32, 0), omp_target_alloc(32, HOST)
    expect.fails("host-pointer-on-device", function() omp_target_free(d, 1) end)
    expect.fails("device-pointer-on-host", function() omp_target_free(d, HOST) end)
    expect.fails("host-pointer-on-device", function() omp_target_free(h, 0) end)
    host.p = d
    expect.fails("out-of-bounds", function() omp_target_free(host "p" + 1, 0) end)
    expect.fails("out-of-bounds", function() omp_target_free(addr "v[0]", HOST) end)
    expect.fails("out-of-bounds", function() omp_target_free(alloc("int", 4), HOST) end)
    omp_target_associate_ptr(addr "v[0]", d, 32, 0, 0)
    expect.fails("already-present", function() omp_target_free(d, 0) end)
    omp_target_disassociate_ptr(addr "v[0]", 0)
    omp_target_free(d, 0)
    expect.fails("out-of-bounds", function() omp_target_free(d, 0) end)
    omp_target_free(h, HOST)
    expect.fails("out-of-bounds", function() omp_target_free(h, HOST) end)
  end)

case("accepts: omp_target_is_present is true for present addresses on each device [OMP60-api-5]", function()
  acc "enter data copyin(v[2:3])"
  expect.equal(omp_target_is_present(addr "v[2]", 0), 1)
  expect.equal(omp_target_is_present(addr "v[4]", 0), 1)
  expect.equal(omp_target_is_present("v[2:5]", 0), 1) -- the routine asks about the first byte
  expect.equal(omp_target_is_present(addr "w[0]", HOST), 1)
end)

case("rejects: omp_target_is_present gets absent, null or device addresses, or another device"
  .. " [OMP60-api-5 HOUSE-language]", function()
  expect.moves(function() acc "enter data copyin(v[2:3])" end, { h2d = { count = 1, bytes = 12 }, d2h = 0 })
  expect.equal(omp_target_is_present(addr "v[1]", 0), 0)
  expect.equal(omp_target_is_present(addr "v[5]", 0), 0)
  expect.equal(omp_target_is_present(addr "v[2]", 1), 0)
  expect.equal(omp_target_is_present(NULL, 0), 0)
  expect.equal(omp_target_is_present(NULL, HOST), 0)
  expect.equal(omp_target_is_present(acc_deviceptr "v[2]", 0), 0)
  expect.fails("type-mismatch", function() omp_target_is_present({}, 0) end)
  expect.fails("unknown-name", function() omp_target_is_present("unheard", 0) end)
end)

case("accepts: omp_target_is_accessible is true for memory that the device can use [OMP60-api-6]", function()
  local d = omp_target_alloc(32, 1)
  expect.equal(omp_target_is_accessible(d, 32, 1), 1)
  expect.equal(omp_target_is_accessible(addr "v[2]", 6 * INT, HOST), 1)
  acc "enter data copyin(v)"
  expect.equal(omp_target_is_accessible(acc_deviceptr "v[4]", 4 * INT, 0), 1)
end)

case("rejects: omp_target_is_accessible gets memory of the other side, or too many bytes [OMP60-api-6]", function()
  local d = omp_target_alloc(32, 1)
  expect.moves(function() acc "enter data copyin(v)" end, { h2d = { count = 1, bytes = 32 }, d2h = 0 })
  expect.equal(omp_target_is_accessible(addr "v[0]", 4, 0), 0)
  expect.equal(omp_target_is_accessible(d, 33, 1), 0)
  expect.equal(omp_target_is_accessible(d, math.maxinteger, 1), 0)
  expect.equal(omp_target_is_accessible(d, 32, 0), 0)
  expect.equal(omp_target_is_accessible(d, 32, HOST), 0)
  expect.equal(omp_target_is_accessible(addr "v[2]", 7 * INT, HOST), 0)
  expect.equal(omp_target_is_accessible(addr "v[2]", math.maxinteger, HOST), 0)
  expect.equal(omp_target_is_accessible(NULL, 4, 0), 0)
  expect.equal(omp_target_is_accessible(addr "v[0]", 0, HOST), 0)
  expect.fails("invalid-section", function() omp_target_is_accessible(d, -1, 1) end)
end)

case("accepts: omp_target_memcpy copies between any two memories, with offsets [OMP60-api-7]", function()
  local d, e = omp_target_alloc(8 * INT, 0), omp_target_alloc(8 * INT, 1)
  expect.equal(omp_target_memcpy(d, addr "v[0]", 4 * INT, 2 * INT, INT, 0, HOST), 0)    -- . . 2 3 4 5 . .
  expect.equal(omp_target_memcpy(d, d, INT, 7 * INT, 5 * INT, 0, 0), 0)                 -- . . 2 3 4 5 . 5
  expect.equal(omp_target_memcpy(e, d, 2 * INT, 0, 2 * INT, 1, 0), 0)                   -- on 1: 2 3
  expect.equal(omp_target_memcpy(addr "w[0]", e, 2 * INT, 0, 0, HOST, 1), 0)
  expect.equal(omp_target_memcpy(addr "w[0]", d, INT, 2 * INT, 7 * INT, HOST, 0), 0)
  expect.equal(omp_target_memcpy(addr "w[0]", addr "v[0]", 2 * INT, 6 * INT, 0, HOST, HOST), 0)
  expect.host("w[0:8]", { 2, 3, 5, 0, 0, 0, 1, 2 })
  expect.equal(omp_target_memcpy("x", "v", 2 * INT, 0, 0, HOST, HOST), 0)
  expect.host("x[1]", 2)
end)

case("accepts: copies of omp_target_memcpy to present data count as moves [OMP60-api-7]", function()
  acc "enter data copyin(v)"
  local d = omp_get_mapped_ptr(addr "v[0]", 0)
  expect.moves(function() omp_target_memcpy(d, addr "w[0]", 2 * INT, INT, 0, 0, HOST) end,
    { h2d = { count = 1, bytes = 2 * INT }, d2h = 0, d2d = 0 })
  expect.device("v[0:4]", { 1, 0, 0, 4 })
  expect.events(function()
    omp_target_memcpy(addr "w[0]", d, INT, 0, 3 * INT, HOST, 0)
    omp_target_memcpy(d, d, INT, 4 * INT, 0, 0, 0)
    omp_target_memcpy(addr "w[0]", addr "v[0]", INT, 0, 0, HOST, HOST)
    omp_target_memcpy(d, d, 0, 0, 0, 0, 0)
  end, { "d2h v[3]", "d2d v[4]" })
  local event = events(function() omp_target_memcpy(addr "w[0]", d, INT, 0, 0, HOST, 0) end)[1]
  expect.equal(event.rule, "OMP60-api-7")
end)

case("differs: omp_target_memcpy fails for null pointers and wrong device numbers [OMP60-api-7]", function()
  local d = omp_target_alloc(8, 0)
  expect(omp_target_memcpy(NULL, addr "v[0]", 4, 0, 0, 0, HOST) ~= 0)
  expect(omp_target_memcpy(d, NULL, 4, 0, 0, 0, HOST) ~= 0)
  expect(omp_target_memcpy(d, addr "v[0]", 4, 0, 0, 5, HOST) ~= 0)
  expect(omp_target_memcpy(d, addr "v[0]", 4, 0, 0, 0, -3) ~= 0)
  expect.equal(omp_target_memcpy(NULL, NULL, 0, 0, 0, 0, HOST), 0)
end)

case("rejects: omp_target_memcpy gets memory that does not exist, or belongs to the other side"
  .. " [OMP60-api-7]", function()
  local d = omp_target_alloc(8, 0)
  local problem = expect.fails("out-of-bounds", function()
    omp_target_memcpy(d, addr "v[0]", 12, 0, 0, 0, HOST)
  end)
  expect.equal(problem.rule, "OMP60-api-7")
  expect(problem.line ~= nil, "a place")
  expect.fails("out-of-bounds", function() omp_target_memcpy(d, addr "v[0]", 8, 4, 0, 0, HOST) end)
  expect.fails("out-of-bounds", function() omp_target_memcpy(d, addr "v[0]", 8, 0, 28, 0, HOST) end)
  expect.fails("out-of-bounds", function() omp_target_memcpy(addr "w[0]", addr "v[0]", 33, 0, 0, HOST, HOST) end)
  expect.fails("out-of-bounds", function()
    omp_target_memcpy(d, addr "v[0]", math.maxinteger, 0, math.maxinteger, 0, HOST)
  end)
  expect.fails("host-pointer-on-device", function() omp_target_memcpy(addr "w[0]", d, 8, 0, 0, 0, 0) end)
  expect.fails("host-pointer-on-device", function() omp_target_memcpy(d, addr "v[0]", 8, 0, 0, 0, 1) end)
  expect.fails("host-pointer-on-device", function() omp_target_memcpy(d, addr "v[0]", 8, 0, 0, 1, HOST) end)
  expect.fails("device-pointer-on-host", function() omp_target_memcpy(d, d, 8, 0, 0, HOST, 0) end)
  expect.fails("device-pointer-on-host", function() omp_target_memcpy(d, d, 8, 0, 0, 0, HOST) end)
  expect.fails("invalid-section", function() omp_target_memcpy(d, addr "v[0]", -4, 0, 0, 0, HOST) end)
  expect.fails("invalid-section", function() omp_target_memcpy(d, addr "v[0]", 4, -4, 0, 0, HOST) end)
  expect.fails("type-mismatch", function() omp_target_memcpy(d, addr "v[0]", 4) end)
  expect.host("w[0]", 0)
  local freed = alloc("int", 4)
  free(freed)
  expect.fails("out-of-bounds", function() omp_target_memcpy(d, freed, 4, 0, 0, 0, HOST) end)
end)

case("accepts: omp_target_memcpy_rect copies a rectangle of one array into another [OMP60-api-8]", function()
  declare "int a[4][5], b[3][3], offsets[2] = { 1, 2 };"
  for r = 0, 3 do for c = 0, 4 do host.a[r][c] = 10 * r + c end end
  local d = omp_target_alloc(20 * INT, 0)
  omp_target_memcpy(d, addr "a[0]", 20 * INT, 0, 0, 0, HOST)
  -- rows 1 and 2, columns 2 to 4, into the rows 0 and 1 of b
  expect.moves(function()
    expect.equal(omp_target_memcpy_rect(addr "b[0]", d, INT, 2, { 2, 3 }, { 0, 0 }, host.offsets, { 3, 3 }, { 4, 5 },
      HOST, 0), 0)
  end, { d2h = { count = 1, bytes = 6 * INT } })
  expect.host("b[0][0:3]", { 12, 13, 14 })
  expect.host("b[1][0:3]", { 22, 23, 24 })
  expect.host("b[2][0:3]", { 0, 0, 0 })
  -- a column, from the host to the device, to the other device, and back
  local e = omp_target_alloc(20 * INT, 1)
  expect.equal(omp_target_memcpy_rect(d, addr "b[0]", INT, 2, { 2, 1 }, { 2, 0 }, { 0, 1 }, { 4, 5 }, { 3, 3 }, 0,
    HOST), 0)
  expect.equal(omp_target_memcpy_rect(e, d, INT, 2, { 2, 1 }, { 0, 4 }, { 2, 0 }, { 4, 5 }, { 4, 5 }, 1, 0), 0)
  expect.equal(omp_target_memcpy_rect(addr "b[0]", e, INT, 2, { 2, 1 }, { 1, 0 }, { 0, 4 }, { 3, 3 }, { 4, 5 },
    HOST, 1), 0)
  expect.host("b[1][0:3]", { 13, 23, 24 })
  expect.host("b[2][0:3]", { 23, 0, 0 })
end)

case("accepts: omp_target_memcpy_rect copies in one and three dimensions, or no elements, and returns its limit"
  .. " [OMP60-api-8]", function()
  declare "char c[2][3][4], t[24], u[24];"
  for k = 0, 23 do host.t[k] = k end
  expect.equal(omp_target_memcpy_rect(addr "c[0]", addr "t[0]", 1, 3, { 2, 2, 2 }, { 0, 1, 2 }, { 0, 0, 1 },
    { 2, 3, 4 }, { 2, 3, 4 }, HOST, HOST), 0)
  expect.host("c[0][1][0:4]", { 0, 0, 1, 2 })
  expect.host("c[0][2][0:4]", { 0, 0, 5, 6 })
  expect.host("c[1][1][0:4]", { 0, 0, 13, 14 })
  expect.host("c[1][2][0:4]", { 0, 0, 17, 18 })
  expect.host("c[0][0][0:4]", { 0, 0, 0, 0 })
  expect.equal(omp_target_memcpy_rect(addr "u[0]", addr "t[0]", 2, 1, { 3 }, { 1 }, { 4 }, { 12 }, { 12 }, HOST,
    HOST), 0)
  expect.host("u[0:9]", { 0, 0, 8, 9, 10, 11, 12, 13, 0 })
  expect.equal(omp_target_memcpy_rect(addr "u[0]", addr "t[0]", 1, 2, { 3, 0 }, { 0, 0 }, { 0, 0 }, { 3, 8 },
    { 3, 8 }, HOST, HOST), 0)
  expect(omp_target_memcpy_rect(NULL, NULL, 0, 0, nil, nil, nil, nil, nil, 0, HOST) >= 3)
end)

case("rejects: a volume exceeds an array, has no dimensions or elements, or a pointer is null"
  .. " [OMP60-api-8]", function()
  local function rect(to, from, element, n, volume, to_offsets, from_offsets, to_dims, from_dims)
    return omp_target_memcpy_rect(to, from, element, n, volume, to_offsets, from_offsets, to_dims, from_dims, HOST,
      HOST)
  end
  local function square(volume, to, from)
    return rect(addr "w[0]", addr "v[0]", INT, 2, volume, to, from, { 2, 4 }, { 2, 4 })
  end
  expect(square({ 1, 4 }, { 0, 1 }, { 0, 0 }) ~= 0)
  expect(square({ 1, 4 }, { 0, 0 }, { 0, 1 }) ~= 0)
  expect(square({ 3, 1 }, { 0, 0 }, { 0, 0 }) ~= 0)
  expect(rect(NULL, addr "v[0]", INT, 1, { 1 }, { 0 }, { 0 }, { 8 }, { 8 }) ~= 0)
  expect(rect(addr "w[0]", NULL, INT, 1, { 1 }, { 0 }, { 0 }, { 8 }, { 8 }) ~= 0)
  expect(rect(addr "w[0]", addr "v[0]", 0, 1, { 1 }, { 0 }, { 0 }, { 8 }, { 8 }) ~= 0)
  expect(rect(addr "w[0]", addr "v[0]", INT, 0, {}, {}, {}, {}, {}) ~= 0)
  expect(rect(addr "w[0]", addr "v[0]", INT, 2, { 1, 1 }, { 0, 0 }, { 0, 0 }, { 1 << 40, 1 << 40 }, { 2, 4 }) ~= 0)
  expect.fails("type-mismatch", function() square({ 1 }, { 0, 0 }, { 0, 0 }) end)
  expect.fails("type-mismatch", function() square(1, { 0, 0 }, { 0, 0 }) end)
  expect.fails("invalid-section", function() square({ 1, 1 }, { 0, -1 }, { 0, 0 }) end)
  expect.host("w[0:8]", { 0, 0, 0, 0, 0, 0, 0, 0 })
end)

case("rejects: an array is smaller than its dimensions say, or belongs to the other side [OMP60-api-8]", function()
  local d = omp_target_alloc(8 * INT, 0)
  local function square(to, from, dims, number)
    return omp_target_memcpy_rect(to, from, INT, 2, { 2, 2 }, { dims[1] - 2, 0 }, { 0, 0 }, dims, { 2, 4 }, number,
      HOST)
  end
  local problem = expect.fails("out-of-bounds", function() square(d, addr "v[0]", { 3, 4 }, 0) end)
  expect.equal(problem.rule, "OMP60-api-8")
  expect.fails("out-of-bounds", function() square(addr "w[0]", addr "v[0]", { 3, 4 }, HOST) end)
  expect.fails("host-pointer-on-device", function() square(addr "w[0]", addr "v[0]", { 2, 4 }, 0) end)
  expect.fails("device-pointer-on-host", function() square(d, addr "v[0]", { 2, 4 }, HOST) end)
  expect.host("w[0:8]", { 0, 0, 0, 0, 0, 0, 0, 0 })
end)

case("accepts: asynchronous routines finish at once, with and without depend objects [OMP60-api-9]", function()
  local d = omp_target_alloc(8 * INT, 0)
  expect.equal(omp_target_memcpy_async(d, addr "v[0]", 8 * INT, 0, 0, 0, HOST, 0, NULL), 0)
  expect.equal(omp_target_memcpy_rect_async(addr "w[0]", d, INT, 1, { 2 }, { 0 }, { 6 }, { 8 }, { 8 }, HOST, 0, 2,
    { "one", "two" }), 0)
  expect.host("w[0:3]", { 7, 8, 0 })
  omp_target_memset_async(d, 0, 8 * INT, 0)
  omp_target_memcpy_async(addr "w[0]", d, INT, 0, 0, HOST, 0)
  expect.host("w[0]", 0)
end)

case("rejects: asynchronous routines get null pointers or too many bytes [OMP60-api-9 OMP60-api-13]", function()
  local d = omp_target_alloc(8 * INT, 0)
  expect(omp_target_memcpy_async(d, NULL, 8, 0, 0, 0, HOST, 0, NULL) ~= 0)
  expect(omp_target_memcpy_rect_async(d, NULL, INT, 1, { 2 }, { 0 }, { 6 }, { 8 }, { 8 }, 0, HOST, 0, NULL) ~= 0)
  expect.fails("out-of-bounds", function() omp_target_memset_async(d, 0, 33, 0) end)
end)

case("accepts: an association maps data without a copy, at the offset [OMP60-api-10]", function()
  local d = omp_target_alloc(40, 0)
  expect.moves(function()
    expect.equal(omp_target_associate_ptr(addr "v[0]", d, 32, 8, 0), 0)
  end, { h2d = 0, d2h = 0, d2d = 0 })
  expect.present "v"
  expect.uninitialized "v"
  host.p = d
  expect.equal(omp_get_mapped_ptr(addr "v[0]", 0), host "p" + 2)
  acc "update device(v)"
  acc "parallel present(v)" "for (int k = 0; k < 8; ++k) v[k] += 10;"
  acc "update self(v[7:1])"
  expect.host("v[6:2]", { 7, 18 })
end)

case("accepts: an association has the name of the host data, and its count is infinite"
  .. " [OMP60-api-10 OMP60-map-6]", function()
  local d = omp_target_alloc(64, 0)
  omp_target_associate_ptr(addr "v[2]", d, 2 * INT, 0, 0)
  omp_target_associate_ptr(addr "x", d + 8, 4 * INT, 8, 0)
  omp_target_associate_ptr(host.S.a, d, 4, 32, 0)
  host.none = alloc("int", 4)
  omp_target_associate_ptr(host.none + 1, d, 2 * INT, 40, 0)
  local names = {}
  for k, object in ipairs(state().present) do
    names[k] = object.name
    expect.equal(object.dynamic, math.huge)
  end
  expect.equal(names, { "block of float [2]", "none[1:2]", "v[2:2]", "x" })
  omp "target enter data map(to: x)"
  expect.count("x", { structured = 0, dynamic = math.huge })
  omp "declare target(w)"
  expect.count("w", { dynamic = math.huge })
  expect.equal((d + 8) - d, 8)
end)

case("differs: under OpenACC, memory of acc_map_data has a finite count [OMP60-map-6]", function()
  rules "openacc-3.3"
  acc_map_data(addr "v", acc_malloc(32), 32)
  expect(state().present[1].dynamic ~= math.huge)
end)

case("accepts: no construct ends an association, and the same association again has no effect"
  .. " [OMP60-api-10]", function()
  local d = omp_target_alloc(32, 0)
  omp_target_associate_ptr(addr "v[0]", d, 32, 0, 0)
  acc "enter data create(v)"
  acc "exit data delete(v) finalize"
  expect.accepts "acc data copy(v)"
  acc "exit data delete(v)"
  expect.present "v"
  expect.host("v[7]", 8) -- no construct copied v
  expect.equal(omp_target_associate_ptr(addr "v[0]", d, 32, 0, 0), 0)
  expect.equal(omp_target_associate_ptr(addr "v[2]", d, 24, 8, 0), 0)
  expect.equal(#state().present, 1)
end)

case("differs: an association fails for data that are present elsewhere, by a construct, or partly"
  .. " [OMP60-api-10]", function()
  local d, e = omp_target_alloc(32, 0), omp_target_alloc(32, 0)
  omp_target_associate_ptr(addr "v[0]", d, 32, 0, 0)
  expect(omp_target_associate_ptr(addr "v[0]", e, 32, 0, 0) ~= 0, "another address")
  expect(omp_target_associate_ptr(addr "v[0]", d, 32, 8, 0) ~= 0, "another offset")
  expect(omp_target_associate_ptr(addr "w[0]", d, 32, 0, 0) ~= 0, "memory with other data")
  expect.equal(omp_get_mapped_ptr(addr "v[0]", 0), d)
  acc "enter data copyin(w[2:2])"
  expect(omp_target_associate_ptr(addr "w[0]", e, 32, 0, 0) ~= 0, "a part is present")
  expect(omp_target_associate_ptr(addr "w[2]", omp_get_mapped_ptr(addr "w[2]", 0), 8, 0, 0) ~= 0,
    "present, but not associated")
end)

case("rejects: an association has null pointers, no bytes, the host as device, or no memory"
  .. " [OMP60-api-10]", function()
  local d = omp_target_alloc(32, 0)
  expect(omp_target_associate_ptr(NULL, d, 32, 0, 0) ~= 0)
  expect(omp_target_associate_ptr(addr "v[0]", NULL, 32, 0, 0) ~= 0)
  expect(omp_target_associate_ptr(addr "v[0]", d, 0, 0, 0) ~= 0)
  expect(omp_target_associate_ptr(addr "v[0]", addr "w[0]", 32, 0, HOST) ~= 0)
  local problem = expect.fails("out-of-bounds", function() omp_target_associate_ptr(addr "v[0]", d, 32, 4, 0) end)
  expect.equal(problem.rule, "OMP60-api-10")
  expect.fails("out-of-bounds", function() omp_target_associate_ptr(addr "v[7]", d, 32, 0, 0) end)
  expect.fails("host-pointer-on-device", function() omp_target_associate_ptr(addr "v[0]", addr "w[0]", 32, 0, 0) end)
  expect.fails("host-pointer-on-device", function() omp_target_associate_ptr(addr "v[0]", d, 32, 0, 1) end)
  expect.fails("device-pointer-on-host", function() omp_target_associate_ptr(d, d, 32, 0, 0) end)
  expect.absent "v"
end)

case("accepts: omp_target_disassociate_ptr ends an association and keeps the caller's memory"
  .. " [OMP60-api-11]", function()
  local d = omp_target_alloc(32, 0)
  omp_target_associate_ptr(addr "v[0]", d, 32, 0, 0)
  acc "update device(v)"
  acc "enter data copyin(v)"
  expect.moves(function() expect.equal(omp_target_disassociate_ptr(addr "v[0]", 0), 0) end,
    { h2d = 0, d2h = 0, d2d = 0 })
  expect.absent "v"
  omp_target_memcpy(addr "w[0]", d, 32, 0, 0, HOST, 0)
  expect.host("w[7]", 8)
  expect.equal(omp_target_associate_ptr(addr "w[0]", d, 32, 0, 0), 0)
end)

case("differs: omp_target_disassociate_ptr fails for unassociated memory, inner addresses, null and the host"
  .. " [OMP60-api-11]", function()
  local d = omp_target_alloc(32, 0)
  acc "enter data copyin(w)"
  expect(omp_target_disassociate_ptr(addr "v[0]", 0) ~= 0)
  expect(omp_target_disassociate_ptr(addr "w[0]", 0) ~= 0)
  expect(omp_target_disassociate_ptr(NULL, 0) ~= 0)
  expect(omp_target_disassociate_ptr(addr "v[0]", HOST) ~= 0)
  omp_target_associate_ptr(addr "v[0]", d, 32, 0, 0)
  expect(omp_target_disassociate_ptr(addr "v[1]", 0) ~= 0)
  expect(omp_target_disassociate_ptr(addr "v[0]", 1) ~= 0)
  expect.present "v"
  expect.present "w"
end)

case("accepts: omp_get_mapped_ptr returns the corresponding address [OMP60-api-12]", function()
  acc "enter data copyin(v[2:4])"
  expect.equal(omp_get_mapped_ptr(addr "v[3]", 0), acc_deviceptr "v[3]")
  expect.equal(omp_get_mapped_ptr("v[3]", 0), acc_deviceptr "v[3]")
  expect.equal(omp_get_mapped_ptr(addr "v[3]", HOST), addr "v[3]")
  host.p = omp_get_mapped_ptr(addr "v[2]", HOST)
  expect.host("p[1]", 4)
  on_device(omp_get_mapped_ptr(addr "v[2]", 0), "p[0] = 30;")
  expect.device("v[2]", 30)
end)

case("differs: omp_get_mapped_ptr returns null if there is no corresponding address [OMP60-api-12]", function()
  expect.moves(function() acc "enter data copyin(v[2:4])" end, { h2d = { count = 1, bytes = 16 }, d2h = 0 })
  expect.equal(omp_get_mapped_ptr(addr "v[1]", 0), NULL)
  expect.equal(omp_get_mapped_ptr(addr "v[3]", 1), NULL)
  expect.equal(omp_get_mapped_ptr(NULL, 0), NULL)
  expect.equal(omp_get_mapped_ptr(NULL, HOST), NULL)
  expect.equal(omp_get_mapped_ptr(acc_deviceptr "v[2]", 0), NULL)
end)

case("accepts: omp_target_memset fills memory of a device and of the host [OMP60-api-13]", function()
  local d = omp_target_alloc(8 * INT, 0)
  expect.equal(omp_target_memset(d, 0x101, 8 * INT, 0), d)
  on_device(d, "p[7] = p[0] + 1;")
  omp_target_memcpy(addr "w[0]", d, 8 * INT, 0, 0, HOST, 0)
  expect.host("w[7]", 0x01010102)
  expect.equal(omp_target_memset(addr "w[0]", -1, 2 * INT, HOST), addr "w[0]")
  expect.host("w[0:3]", { -1, -1, 0x01010101 })
  acc "enter data create(v)"
  omp_target_memset(omp_get_mapped_ptr(addr "v[4]", 0), 0, 4 * INT, 0)
  expect.device("v[4:4]", { 0, 0, 0, 0 })
  expect.uninitialized "v[0:4]"
  expect.equal(omp_target_memset(NULL, 0, 0, 0), NULL)
  expect.equal(omp_target_memset("x", 1, 4, HOST), addr "x[0]")
  expect.host("x[0:2]", { 0x01010101, 0 })
end)

case("rejects: omp_target_memset gets a null pointer, or memory that does not exist or belongs to the other side"
  .. " [OMP60-api-13]", function()
  local d = omp_target_alloc(32, 0)
  expect.fails("null-pointer", function() omp_target_memset(NULL, 0, 4, 0) end)
  local problem = expect.fails("out-of-bounds", function() omp_target_memset(d, 0, 33, 0) end)
  expect.equal(problem.rule, "OMP60-api-13")
  expect.fails("out-of-bounds", function() omp_target_memset(addr "v[1]", 0, 32, HOST) end)
  expect.fails("host-pointer-on-device", function() omp_target_memset(addr "v[0]", 0, 4, 0) end)
  expect.fails("device-pointer-on-host", function() omp_target_memset(d, 0, 4, HOST) end)
  expect.fails("invalid-section", function() omp_target_memset(d, 0, -1, 0) end)
  expect.host("v[1]", 2)
end)

case("rejects: a target region calls a routine other than the two that ask where they run [OMP60-api-14]", function()
  local d = omp_target_alloc(32, 0)
  expect.moves(function()
    acc "parallel copy(v)" (function()
      local problem = expect.fails("region-nesting", function() omp_target_free(d, 0) end)
      expect.equal(problem.rule, "OMP60-api-14")
      expect.fails("region-nesting", function() omp_target_memset(d, 0, 4, 0) end)
      expect.fails("region-nesting", function() omp_get_num_devices() end)
    end)
  end, { h2d = { count = 1, bytes = 32 }, d2h = { count = 1, bytes = 32 } })
  expect.fails("region-nesting", function() acc "parallel copy(v)" "v[0] = omp_get_num_devices();" end)
  expect.fails("region-nesting", function() omp "target" "v[0] = omp_target_is_present(v, 0);" end)
  expect.fails("region-nesting", function() omp "target if(0)" "v[0] = omp_target_is_present(v, 0);" end)
end)
