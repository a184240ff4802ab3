-- The stack of data environments: levels, their clauses, several devices.
scenario { title = "DIR: levels and devices", devices = 2, cites = { "DIR-1-01", "DIR-1-02",
  "DIR-1-04", "DIR-4.1-01", "DIR-4.1-03", "DIR-4.1-04", "DIR-4.2-13", "DIR-4.3-04", "DIR-4.3-05",
  "DIR-4.3-06" } }

declare "float v[2000]; float w[10]; float *p;"
for k = 0, 9 do host.v[k], host.w[k] = k, 10 * k end

case("accepts: data live as long as their construct [DIR-1-01]", function()
  acc "data copyin(w)" (function() expect.present "w" end)
end)

case("rejects: after it they are gone, an inner one's before an outer one's [DIR-1-01]", function()
  acc "data copyin(w)" (function()
    acc "data copyin(v[0:10])" (function() end)
    expect.absent "v[0:10]"
    expect.present "w"
  end)
  expect.absent "w"
end)

case("accepts: copyin in, copyout back, present_or clauses move only what is not there [DIR-1-02]",
  function()
    acc "data copyin(w)" (function()
      expect.moves(function()
        acc "data pcopy(w) pcopyin(w) pcopyout(w) pcreate(w) present_or_copy(w)" (function() end)
      end, { h2d = 0, d2h = 0 })
    end)
    expect.moves(function() acc "data pcopy(w)" (function() end) end,
      { h2d = { bytes = 40 }, d2h = { bytes = 40 } })
    expect.moves(function()
      acc "data copyout(w)" (function()
      acc "parallel present(w)" "for (int k = 0; k < 10; ++k) w[k] = 1;"
    end)
    end, { h2d = 0, d2h = { bytes = 40 } })
  end)

case("rejects: present wants the data there [DIR-1-02]", function()
  expect.fails("not-present", function() acc "data present(w)" end)
end)

case("accepts: every device has its own directory [DIR-1-04]", function()
  acc "enter data copyin(w)"
  acc "set device_num(1)"
  expect.absent "w"
  acc "enter data create(w)"
  expect.uninitialized "w"
  expect.equal(acc_get_device_num(), 1)
  expect.equal(acc_get_num_devices(), 2)
  expect.equal(#state(0).present, 1)
  acc "exit data delete(w)"
  expect.equal(#state(1).present, 0)
  acc_set_device_num(0)
  expect.device("w[3]", 30)
end)

case("rejects: devices that there are not [DIR-1-04]", function()
  expect.fails("no-device", function() acc "set device_num(2)" end)
  expect.fails("no-device", function() acc "set device_num(-1)" end)
  expect.fails("no-device", function() acc_set_device_num(7) end)
  expect.fails("no-device", function() state(2) end)
  expect.equal(acc_get_device_num(), 0)
end)

case("rejects: one device's data are not another's [DIR-1-04]", function()
  acc "enter data copyin(w)"
  acc "set device_num(1)"
  expect.fails("not-present", function() acc "parallel present(w)" (function() end) end)
  expect.fails("not-present", function() acc "exit data delete(w)" end)
end)

case("accepts: a level for each open region, with its clauses [DIR-4.1-01 DIR-4.1-03]", function()
  acc "data copy(w)" (function()
    acc "data copyin(v[0:10]) present(w[2:3])" (function()
      local s = state()
      expect.equal(#s.levels, 2)
      expect.equal(s.levels[1].kind, "data")
      expect.equal(s.levels[1].original[1].name, "w")
      expect.equal(s.levels[1].artificial[1].state, "ALLOC")
      expect.equal(s.levels[2].original[1].name, "v[0:10]")
      expect.equal(s.levels[2].original[1].bytes, 40)
      expect.equal(s.levels[2].original[1].state, "copyin")
      expect.equal(s.levels[2].original[2].name, "w[2:3]")
      expect.equal(s.levels[2].artificial[2].state, "ALIAS")
      expect(s.levels[2].at:match "levels.lua:%d+$", "where the level was opened")
    end)
    expect.equal(#state().levels, 1)
  end)
  expect.equal(#state().levels, 0)
end)

case("rejects: enter data opens no level [DIR-4.1-01]", function()
  acc "enter data copyin(w)"
  expect.equal(#state().levels, 0)
  expect.equal(#state().present, 1)
end)

case("accepts: present objects with name, size and counters [DIR-4.1-03]", function()
  acc "enter data copyin(v[5:5])"
  local object = state().present[1]
  expect.equal(object.name, "v[5:5]")
  expect.equal(object.bytes, 20)
  expect.equal(object.host, addr "v[5]")
  expect.equal(object.device, acc_deviceptr "v[5]")
  expect.equal({ object.structured, object.dynamic, object.state }, { 0, 1, "ALLOC" })
end)

case("rejects: a clause that makes no object adds no tuple of its own [DIR-4.1-03]", function()
  acc "enter data copyin(w)"
  acc "enter data copyin(w[1:2])"
  expect.equal(#state().present, 1)
end)

case("accepts: memory is allocated for the section alone [DIR-4.1-04]", function()
  expect.moves(function() acc "enter data copyin(v[1000:10])" end,
    { h2d = { count = 1, bytes = 40 } })
  expect.equal(state().present[1].bytes, 40)
end)

case("rejects: elements before the section are not there [DIR-4.1-04]", function()
  host.p = addr "v[0]"
  acc "data copyin(p[1000:10])" (function()
    expect.absent "v[999:1]"
    expect.fails("out-of-bounds", function()
      acc "parallel present(p[1000:10])" "float x = p[999];"
    end)
  end)
end)

case("accepts: one allocation for what is new [DIR-4.2-13]", function()
  expect.events(function() acc "enter data create(v)" end, { "alloc v", "incref v" })
end)

case("rejects: more than the device has [DIR-4.2-13]", function()
  local before = #state().present
  declare "char *big;"
  host.big = alloc("char", 1 << 20)
  local bytes = 1 << 34
  while bytes >= 1 << 16 do -- fill it up
    if acc_malloc(bytes) == NULL then bytes = bytes >> 1 end
  end
  expect.fails("out-of-device-memory", function() acc "enter data create(big[0:1 << 20])" end)
  expect.fails("out-of-device-memory", function() acc "data copyin(w) copyin(big[0:1 << 20])" end)
  expect.equal(#state().present, before)
end)

case("accepts: after the inner level the outer one is as before [DIR-4.3-04]", function()
  acc "data copy(w)" (function()
    local before = acc_deviceptr "w[0]"
    acc "data copy(w) create(v)" (function() end)
    expect.equal(acc_deviceptr "w[0]", before)
    expect.count("w", { structured = 1 })
  end)
end)

case("rejects: what the inner level brought goes with it [DIR-4.3-04]", function()
  acc "data copy(w)" (function()
    acc "data copyin(v[0:10])" (function() end)
    expect.absent "v[0:10]"
  end)
end)

case("accepts: the level that allocated copies out [DIR-4.3-05]", function()
  acc "data copyout(w)" (function()
    acc "parallel present(w)" "for (int k = 0; k < 10; ++k) w[k] = k;"
  end)
  expect.host("w[9]", 9)
end)

case("rejects: a clause satisfied by an outer level copies nothing out [DIR-4.3-05]", function()
  acc "data copyin(w)" (function()
    acc "data copyout(w)" (function() acc "parallel present(w)" "w[9] = 1;" end)
    expect.host("w[9]", 90)
  end)
  expect.host("w[9]", 90)
end)

case("accepts: regions close from the inside out, by body, end data, close or scope [DIR-4.3-06]",
  function()
    acc "data copyin(w)"
    acc "data copyin(v)"
    acc "end data"
    expect.absent "v"
    acc "end data"
    expect.absent "w"
    local region = acc "data copyin(w)"
    region:close()
    do
      local inner <close> = acc "data copyin(w)"
      expect(inner and true)
      expect.present "w"
    end
    expect.absent "w"
  end)

case("rejects: ends without a region, in the wrong order, twice [DIR-4.3-06]", function()
  expect.fails("region-nesting", function() acc "end data" end)
  local outer = acc "data copyin(w)"
  local inner = acc "data copyin(v)"
  expect.fails("region-nesting", function() outer:close() end)
  inner:close()
  outer:close()
  expect.fails("region-nesting", function() outer:close() end)
  expect.invalid("acc end data copyin(w)", "clause-not-allowed")
end)
