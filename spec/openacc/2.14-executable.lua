-- Executable directives: update, set, init and shutdown.
scenario { title = "OpenACC 2.14: executable directives", devices = 2 }

declare [[
  struct s { int n; float x[4]; };
  struct s S, T[3];
  float v[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  int which = 1;
]]

case("accepts: update copies sections and members by self, host and device, also by several clauses"
  .. " [ACC33-upd-1]", function()
  acc "enter data copyin(v, S, T)"
  acc "parallel present(v, S, T)"
    "for (int i = 0; i < 8; ++i) v[i] = 10 * i; S.x[2] = 5; T[1].n = 6;"
  expect.events(function() acc "update self(v[2:2])" end, { "d2h v[2:2]" })
  expect.host("v[0:4]", { 1, 2, 20, 30 })
  acc "update host(v[7])"
  expect.host("v[7]", 70)
  host.v[0] = 99
  expect.events(function() acc "update device(v[0:1]) self(v[1:1])" end,
    { "h2d v[0:1]", "d2h v[1:1]" })
  expect.device("v[0]", 99)
  expect.host("v[1]", 10)
  acc "update self(S.x[2:1], T[1].n)"
  expect.host("S.x[2]", 5)
  expect.host("T[1].n", 6)
end)

case("rejects: update names absent or partly present data, has no clause, or a wrong one [ACC33-upd-1]",
  function()
    expect.fails("not-present", function() acc "update self(v)" end)
    acc "enter data copyin(v[2:4])"
    expect.fails("partially-present", function() acc "update self(v[0:4])" end)
    expect.fails("not-present", function() acc "update device(v[2:4]) self(S)" end)
    expect.fails("not-present", function() acc "update self(v[0:1])" end)
    expect.malformed "acc update"
    expect.malformed "acc update if_present"
    expect.malformed "acc update self(T[0:2].n)"
  end)

case("accepts: update with if_present ignores absent data [ACC33-upd-1]", function()
  acc "enter data copyin(v)"
  expect.events(function() acc "update device(v, S) if_present" end, { "h2d v" })
end)

case("accepts: shutdown ends all lifetimes on the device and copies nothing [ACC33-shut-1]",
  function()
    acc "enter data copyin(v, S)"
    expect.accepts("parallel present(v)", "v[0] = 50;")
    acc "set device_num(which)"
    acc "enter data copyin(v)"
    acc "set device_num(0)"
    acc "shutdown"
    expect.equal(#state(0).present, 0)
    expect.equal(#state(1).present, 0)
    expect.host("v[0]", 1)
    acc "init"
    acc "enter data copyin(v)"
    expect.device("v[0]", 1)
    acc_shutdown(acc_device_host) -- whose memory is shared
    expect.present "v"
    acc_shutdown()
    expect.absent "v"
  end)

case("accepts: shutdown ends the lifetimes on the device that device_num names [ACC33-shut-1]", function()
  acc "enter data copyin(v)"
  expect.present "v"
  acc "set device_num(which)"
  acc "enter data copyin(S)"
  acc "shutdown device_num(0)"
  expect.equal(#state(0).present, 0)
  expect.equal(#state(1).present, 1)
  expect.equal(acc_get_device_num(), 1)
  acc "set device_num(0)"
  acc "data copyin(v)" (function()
    acc "shutdown device_num(which)"
    expect.present "v"
  end)
  expect.equal(#state(1).present, 0)
end)

case("accepts: set, init and acc_set_device_num select a device, a negative number the usual one [ACC33-set-1]",
  function()
    acc "set device_num(1)"
    expect.equal(acc_get_device_num(), 1)
    acc "set device_num(-1)"
    expect.equal(acc_get_device_num(), 0)
    acc "init device_num(which)"
    expect.equal(acc_get_device_num(), 1)
    acc_set_device_num(-2)
    expect.equal(acc_get_device_num(), 0)
  end)

case("differs: a device number is too large [ACC33-set-1 ACC33-shut-1]", function()
  expect.fails("no-device", { "set device_num(@2)", "init device_num(which @+ 1)", "shutdown device_num(@2)" })
  expect.fails("no-device", function() acc_set_device_num(2) end)
  expect.equal(acc_get_device_num(), 0)
  expect.malformed "acc set"
  expect.malformed "acc set if(1)"
end)

case("rejects: a program shuts the device down while a region is open [ACC33-shut-1]", function()
  acc "data copyin(v)" (function()
    expect.fails("region-nesting", function() acc "shutdown" end)
    expect.fails("region-nesting", function() acc_shutdown() end)
    acc "set device_num(1)"
    acc "enter data copyin(S)"
    expect.fails("region-nesting", function() acc "shutdown" end)
    expect.present "S"
    acc "shutdown device_num(1)"
    acc "set device_num(0)"
    expect.present "v"
  end)
end)

case("accepts: update copies parts of rows [ACC33-upd-2]", function()
  rules "openacc-3.3"
  declare "int m[4][4]; int n = 2;"
  acc "enter data copyin(m)"
  for i = 0, 3 do
    for k = 0, 3 do host.m[i][k] = 10 * i + k end
  end
  acc "update device(m[1:n][1:3])"
  expect.device("m[1][1:3]", { 11, 12, 13 })
  expect.device("m[2][1:3]", { 21, 22, 23 })
  expect.device("m[1][0]", 0)
  acc "parallel" "for (int i = 0; i < 4; i++) m[i][2] = 7;"
  acc "update self(m[0:3][2:1])"
  expect.host("m[2][2]", 7)
  expect.host("m[2][1]", 21)
end)

case("rejects: update names rows outside the array, or data names parts of rows"
  .. " [ACC33-upd-2 ACC33-2.7.1-1]", function()
  rules "openacc-3.3"
  declare "int m[4][4];"
  acc "enter data copyin(m)"
  expect.present "m"
  expect.fails("out-of-bounds", function() acc "update device(m[3:2][1:3])" end)
  expect.fails("invalid-section", function() acc "data copy(m[1:2][1:3])" end)
end)
