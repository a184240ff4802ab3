-- What the two interfaces have in common: data of a construct, clauses that look first, several devices.
scenario { title = "DIR 1: introduction", rules = "directory", devices = 2 }

declare "float v[200], w[10];"
for k = 0, 9 do host.v[k], host.w[k] = k, 10 * k end

case("accepts: data live as long as their construct [DIR-1-01]", function()
  acc "data copyin(w)" (function() expect.present "w" end)
  expect.accepts("parallel copyin(w)", function(d) expect.equal(d.w[1], 10) end)
end)

case("differs: data are unmapped after their construct, those of an inner one before those of an outer one"
  .. " [DIR-1-01]", function()
  acc "data copyin(w)" (function()
    expect.accepts "data copyin(v[0:10])"
    expect.absent "v[0:10]"
    expect.present "w"
  end)
  expect.absent "w"
  expect.accepts "parallel copyin(w)"
  expect.absent "w"
end)

case("accepts: copyin sends data, copyout fetches them, copy does both, and create does neither [DIR-1-02]", function()
  expect.moves(function() acc "data copyin(w)" (function() end) end, { h2d = { bytes = 40 }, d2h = 0 })
  expect.moves(function() acc "data copy(w)" (function() end) end,
    { h2d = { bytes = 40 }, d2h = { bytes = 40 } })
  expect.moves(function()
    acc "data copyout(w)" (function() acc "parallel present(w)" "for (int k = 0; k < 10; ++k) w[k] = k;" end)
  end, { h2d = 0, d2h = { bytes = 40 } })
  expect.host("w[9]", 9)
  expect.moves(function() acc "data create(w)" (function() expect.uninitialized "w" end) end,
    { h2d = 0, d2h = 0 })
end)

case("accepts: present_or clauses allocate and move only what is not there yet [DIR-1-02]", function()
  acc "data copyin(w)" (function()
    expect.events(function()
      acc "data pcopy(w)" (function() end)
      acc "data present_or_copyout(w[0:5])" (function() end)
    end, { "incref w", "decref w", "incref w[0:5]", "decref w[0:5]" })
  end)
  expect.moves(function() acc "data pcopy(w)" (function() end) end,
    { h2d = { bytes = 40 }, d2h = { bytes = 40 } })
  expect.moves(function() acc "data pcopyin(w)" (function() end) end, { h2d = { bytes = 40 }, d2h = 0 })
  expect.moves(function() acc "data pcreate(w)" (function() expect.uninitialized "w" end) end,
    { h2d = 0, d2h = 0, d2d = 0 })
end)

case("rejects: present requires data that are absent or partly present [DIR-1-02]", function()
  expect.fails("not-present", function() acc "data present(w)" end)
  acc "data copyin(w[0:5])" (function()
    expect.fails("partially-present", function() acc "data present(w)" end)
    expect.fails("not-present", function() acc "data present(w[5:5])" end)
  end)
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

case("accepts: levels of two devices open and close independently [DIR-1-04]", function()
  local first = acc "data copy(w)"
  acc "set device_num(1)"
  local second = acc "data copyin(w, v[0:5])"
  expect.equal({ #state(0).levels, #state(1).levels }, { 1, 1 })
  first:close() -- the outer one, if there were one stack only
  expect.equal({ #state(0).levels, #state(1).levels }, { 0, 1 })
  expect.present "w"
  second:close()
end)

case("accepts: data that are fused on one device are separate on the other [DIR-1-04]", function()
  for device = 0, 1 do
    acc_set_device_num(device)
    acc "enter data copyin(v[0:10])"
  end
  local apart = acc_deviceptr "v[0]"
  acc "set device_num(0)"
  acc "data copyin(v[50:10])" (function()
    expect(acc_deviceptr "v[50]" == acc_deviceptr "v[0]" + 50)
    acc "parallel" "v[0] = v[50] + 500;"
    acc "set device_num(1)"
    expect(acc_deviceptr "v[0]" == apart)
    expect.absent "v[50:10]"
    expect.device("v[0]", 0)
    acc "set device_num(0)"
  end)
  expect.device("v[0]", 500)
end)

case("rejects: a device number does not exist [DIR-1-04]", function()
  expect.fails("no-device", function() acc "set device_num(2)" end)
  expect.fails("no-device", function() acc "set device_num(7)" end)
  expect.fails("no-device", function() acc_set_device_num(7) end)
  expect.fails("no-device", function() acc "init device_num(2)" end)
  expect.fails("no-device", function() state(2) end)
  expect.fails("no-device", function() state(-1) end)
  expect.equal(acc_get_device_num(), 0)
end)

case("rejects: data of one device are absent on another [DIR-1-04 ACC33-upd-1]", function()
  acc "enter data copyin(w)"
  expect.present "w"
  acc "set device_num(1)"
  expect.fails("not-present", function() acc "parallel present(w)" (function() end) end)
  expect.fails("not-present", function() acc "exit data delete(w)" end)
  expect.fails("not-present", function() acc "update self(w)" end)
end)
