-- The runtime routines acc_*.
scenario { title = "OpenACC 3.2: runtime routines", devices = 2 }

declare [[
  struct s { int n; float *a; };
  struct s S;
  float v[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  float w[8];
  float *p = v, *none;
]]
host.S = { n = 2, a = { 1, 2 } }

case("accepts: acc_malloc allocates device memory and acc_free frees it [ACC33-3.2.16-1]", function()
  local d = acc_malloc(32)
  expect(d ~= NULL, "an address")
  acc_memcpy_to_device(d, addr "v[0]", 32)
  host.p = d
  acc "parallel deviceptr(p)" "p[7] = 80;"
  acc_memcpy_from_device(addr "w[0]", d, 32)
  expect.host("w[6:2]", { 7, 80 })
  acc_free(d)
  expect.equal(acc_malloc(0), NULL)
  acc_free(NULL)
end)

case("rejects: a size is negative or too large, or acc_free gets memory twice [ACC33-3.2.16-1]",
  function()
    expect.fails("invalid-section", function() acc_malloc(-1) end)
    expect.fails("type-mismatch", function() acc_malloc("much") end)
    expect.equal(acc_malloc(1 << 50), NULL)
    local d = acc_malloc(8)
    acc_free(d)
    expect.fails("out-of-bounds", function() acc_free(d) end)
    expect.fails("host-pointer-on-device", function() acc_free(addr "v[0]") end)
    acc_copyin "v"
    expect.fails("already-present", function() acc_free(acc_deviceptr "v[0]") end)
  end)

case("accepts: acc_get_num_devices counts the devices of a type, of which the host is one [ACC33-3.2.1-1]", function()
  expect.equal(acc_get_num_devices(), 2)
  expect.equal(acc_get_num_devices(acc_device_default), 2)
  expect.equal(acc_get_num_devices(acc_device_current), 2)
  expect.equal(acc_get_num_devices(acc_device_not_host), 2)
  expect.equal(acc_get_num_devices(acc_device_host), 1)
end)

case("rejects: there is no device of a type, or the type is no number [ACC33-3.2.1-1 HOUSE-language]", function()
  expect.equal(acc_get_num_devices(acc_device_none), 0)
  expect.equal(acc_get_num_devices(99), 0)
  expect.fails("type-mismatch", function() acc_get_num_devices("nvidia") end)
end)

case("accepts: acc_on_device is true for the device that runs the caller [ACC33-3.2.15-1]", function()
  expect.equal(acc_on_device(acc_device_host), true)
  expect.equal(acc_on_device(acc_device_none), true)
  acc "parallel copy(v)" (function()
    expect.equal(acc_on_device(acc_device_not_host), true)
    expect.equal(acc_on_device(acc_device_nvidia), true)
  end)
  acc "parallel copy(v) if(0)" (function() expect.equal(acc_on_device(acc_device_host), true) end)
end)

case("differs: acc_on_device is false for other devices [ACC33-3.2.15-1]", function()
  expect.equal(acc_on_device(acc_device_not_host), false)
  expect.equal(acc_on_device(acc_device_nvidia), false)
  acc "parallel copy(v)" (function()
    expect.equal(acc_on_device(acc_device_host), false)
    expect.equal(acc_on_device(acc_device_none), false)
  end)
end)

case("accepts: the data routines copy and change the dynamic counters [ACC33-3.2.18-1]",
  function()
    local d = acc_copyin("v")
    expect.equal(d, acc_deviceptr(addr "v[0]"))
    expect.equal(acc_copyin(addr "v[2]", 8), acc_deviceptr "v[2]")
    expect.equal(acc_create("v[1:3]"), acc_deviceptr "v[1]")
    expect.count("v", { structured = 0, dynamic = 3 })
    host.v[0] = 10
    acc_update_device("v[0:1]")
    expect.device("v[0]", 10)
    acc "parallel present(v)" "v[1] = 20; v[2] = 30;"
    acc_update_self("v[1:1]")
    expect.host("v[1:2]", { 20, 3 })
    acc_delete("v")
    acc_delete(addr "v[0]", 32)
    expect.present "v"
    acc_copyout("v")
    expect.host("v[2]", 30)
    expect.absent "v"
    acc_create("v")
    acc_create("v")
    acc_delete_finalize("v")
    expect.absent "v"
    acc_copyin("v")
    acc_copyin("v")
    acc_copyout_finalize("v")
    expect.absent "v"
  end)

case("accepts: data routines with a size of zero do nothing [ACC33-3.2.18-1]", function()
  expect.equal(acc_copyin(addr "v[0]", 0), NULL)
  acc_update_self(addr "v[0]", 0)
  acc_delete(addr "v[0]", 0)
  expect.equal(#state().present, 0)
end)

case("rejects: data routines get null pointers, absent or partly present data, or wrong arguments"
  .. " [ACC33-3.2.18-1]", function()
  expect.fails("null-pointer", function() acc_copyin(NULL, 4) end)
  expect.fails("null-pointer", function() acc_delete(host "none", 4) end)
  expect.fails("not-present", function() acc_delete("v") end)
  expect.fails("not-present", function() acc_copyout("v") end)
  expect.fails("not-present", function() acc_update_self("v") end)
  expect.fails("invalid-section", function() acc_copyin(addr "v[0]", -4) end)
  expect.fails("out-of-bounds", function() acc_copyin(addr "v[0]", 36) end)
  expect.fails("type-mismatch", function() acc_copyin(addr "v[0]") end)
  expect.fails("type-mismatch", function() acc_copyin({}, 4) end)
  expect.fails("unknown-name", function() acc_copyin("unheard") end)
  acc_copyin("v[2:2]")
  expect.fails("partially-present", function() acc_copyin("v") end)
  expect.fails("partially-present", function() acc_create("v[3:2]") end)
  expect.fails("partially-present", function() acc_delete("v") end)
  expect.fails("partially-present", function() acc_update_device("v[1:2]") end)
end)

case("accepts: acc_attach and acc_detach change the attach counter [ACC33-3.2.18-1]", function()
  acc_copyin("S")
  acc_copyin("S.a[0:2]")
  expect.detached "S.a"
  acc_attach("S.a")
  acc_attach(addr "S.a")
  expect.attached("S.a", 2)
  acc_detach("S.a")
  expect.attached("S.a", 1)
  acc_attach("S.a")
  acc_detach_finalize("S.a")
  expect.detached "S.a"
end)

case("rejects: acc_attach names no pointer, an absent pointer, or a pointer to absent data"
  .. " [ACC33-3.2.18-1 ACC33-att-2]",
  function()
    expect.fails("not-a-pointer", function() acc_attach("S.n") end)
    expect.fails("not-present", function() acc_attach("S.a") end)
    acc_copyin("S")
    expect.fails("not-present", function() acc_attach("S.a") end)
    expect.fails("not-attached", function() acc_detach("S.a") end)
    expect.fails("null-pointer", function() acc_attach(NULL) end)
  end)

case("accepts: acc_map_data maps given device memory and acc_unmap_data ends the mapping [ACC33-3.2.21-1]", function()
  local d = acc_malloc(32)
  expect.moves(function() acc_map_data(addr "v[0]", d, 32) end, { h2d = 0, d2h = 0, d2d = 0 })
  expect.count("v", { dynamic = 1 })
  expect.uninitialized "v"
  expect.equal(acc_deviceptr "v[0]", d)
  acc "parallel present(v)" "for (int i = 0; i < 8; ++i) v[i] = i;"
  expect.moves(function() acc "update self(v)" end, { h2d = 0, d2h = { count = 1, bytes = 32 } })
  expect.host("v[7]", 7)
  acc_unmap_data(addr "v[0]")
  expect.absent "v"
  acc_free(d)
end)

case("rejects: acc_map_data gets null, no bytes or present data, or acc_unmap_data gets unmapped data"
  .. " [ACC33-3.2.21-1]",
  function()
    local d = acc_malloc(32)
    expect.fails("null-pointer", function() acc_map_data(NULL, d, 32) end)
    expect.fails("null-pointer", function() acc_map_data(addr "v[0]", NULL, 32) end)
    expect.fails("invalid-section", function() acc_map_data(addr "v[0]", d, 0) end)
    acc_copyin("v[2:2]")
    expect.fails("already-present", function() acc_map_data(addr "v[0]", d, 32) end)
    expect.fails("not-present", function() acc_unmap_data(addr "v[2]") end)
    expect.fails("null-pointer", function() acc_unmap_data(NULL) end)
    acc_delete("v[2:2]")
    acc_map_data(addr "v[0]", d, 32)
    acc "data present(v)" (function()
      expect.fails("already-present", function() acc_unmap_data(addr "v[0]") end)
    end)
  end)

case("accepts: acc_is_present, acc_deviceptr and acc_hostptr answer for present data [ACC33-3.2.26-1]", function()
  acc_copyin("v[2:4]")
  expect.equal(acc_is_present("v[2:4]"), true)
  expect.equal(acc_is_present(addr "v[3]", 4), true)
  local d = acc_deviceptr(addr "v[3]")
  expect.equal(acc_hostptr(d), addr "v[3]")
  expect.equal(acc_deviceptr(NULL), NULL)
  expect.equal(acc_hostptr(NULL), NULL)
end)

case("differs: acc_is_present is false, and addresses are null, for absent or partly present data"
  .. " [ACC33-3.2.26-1]", function()
  acc_copyin("v[2:4]")
  expect.equal(acc_is_present("v"), false)
  expect.equal(acc_is_present("v[5:2]"), false)
  expect.equal(acc_is_present("w"), false)
  expect.equal(acc_deviceptr(addr "w[0]"), NULL)
  expect.equal(acc_deviceptr(addr "v[1]"), NULL)
  expect.equal(acc_hostptr(addr "w[0]"), NULL)
end)

case("accepts: acc_memcpy routines copy to, from, within and between devices [ACC33-3.2.30-1]", function()
  local d = acc_malloc(32)
  acc_memcpy_to_device(d, addr "v[0]", 16)
  host.p = d
  acc_memcpy_device(host "p" + 4, d, 16)
  acc_memcpy_from_device(addr "w[0]", d, 32)
  expect.host("w[0:8]", { 1, 2, 3, 4, 1, 2, 3, 4 })
  acc_copyin("v")
  acc_set_device_num(1)
  acc_create("w")
  acc_memcpy_d2d(addr "w[0]", addr "v[0]", 32, 1, 0)
  expect.device("w[7]", 8)
end)

case("accepts: acc_memcpy routines copy on queues, and a size of zero copies nothing [ACC33-3.2.30-1]", function()
  local d = acc_malloc(32)
  acc_memcpy_to_device_async(d, addr "v[0]", 16, 1)
  acc_memcpy_device_async(acc_malloc(8), d, 8, 2)
  acc_memcpy_from_device_async(addr "w[0]", d, 16, 1)
  acc_wait(1)
  expect.host("w[0:4]", { 1, 2, 3, 4 })
  expect.equal(acc_async_test(1), true)
  acc_copyin_async(addr "v[0]", 32, 1)
  acc_wait(1)
  acc_wait_async(1, 2)
  acc_wait_all()
  acc_wait_all_async(3)
  acc_set_device_num(1)
  acc_create "w"
  acc_memcpy_d2d_async(addr "w[0]", addr "v[0]", 32, 1, 0, 4)
  expect.device("w[4]", 5)
  expect.moves(function()
    acc_memcpy_d2d(addr "w[0]", addr "v[0]", 0, 1, 0)
    acc_memcpy_to_device(addr "v[0]", d, 0) -- both are of the wrong side, but nothing is copied
    acc_memcpy_from_device(NULL, NULL, 0)
  end, { h2d = 0, d2h = 0, d2d = 0 })
end)

case("rejects: acc_memcpy routines get addresses of the wrong side, too many bytes, or an invalid device"
  .. " [ACC33-3.2.30-1]",
  function()
    local d = acc_malloc(16)
    expect.fails("out-of-bounds", function() acc_memcpy_to_device(d, addr "v[0]", 32) end)
    expect.fails("out-of-bounds", function() acc_memcpy_from_device(addr "w[7]", d, 16) end)
    expect.fails("host-pointer-on-device", function()
      acc_memcpy_to_device(addr "v[0]", addr "w[0]", 16)
    end)
    expect.fails("device-pointer-on-host", function() acc_memcpy_to_device(d, d, 16) end)
    expect.fails("host-pointer-on-device", function() acc_memcpy_device(d, addr "v[0]", 16) end)
    expect.fails("null-pointer", function() acc_memcpy_to_device(NULL, addr "v[0]", 4) end)
    expect.fails("null-pointer", function() acc_memcpy_d2d(NULL, addr "v[0]", 4, 1, 0) end)
    expect.fails("null-pointer", function() acc_memcpy_from_device(addr "v[0]", NULL, 4) end)
    acc_copyin("v")
    expect.fails("not-present", function() acc_memcpy_d2d(addr "w[0]", addr "v[0]", 32, 1, 0) end)
    expect.fails("no-device", function() acc_memcpy_d2d(addr "w[0]", addr "v[0]", 32, 2, 0) end)
  end)

case("accepts: the copies of acc_memcpy routines count as moves [ACC33-3.2.30-1]", function()
  acc "enter data copyin(v)"
  local d = acc_malloc(16)
  expect.moves(function() acc_memcpy_to_device(d, addr "w[0]", 16) end,
    { h2d = { count = 1, bytes = 16 }, d2h = 0, d2d = 0 })
  expect.events(function()
    acc_memcpy_device(acc_deviceptr "v[1]", d, 8)
    acc_memcpy_from_device(addr "w[2]", acc_deviceptr "v[1]", 8)
  end, { "d2d v[1]", "d2h v[1]" })
  acc_free(d)
  expect.accepts "exit data delete(v)"
end)

case("differs: the host dereferences a device pointer [ACC33-3.2.26-1 ACC33-3.2.30-1]", function()
  acc "enter data copyin(v)"
  local d = acc_deviceptr "v[0]"
  expect.fails("device-pointer-on-host", function() return d[0] end)
  expect.fails("device-pointer-on-host", function() d[0] = 1 end)
  expect.accepts "exit data delete(v)"
end)
