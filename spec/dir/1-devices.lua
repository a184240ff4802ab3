-- Each device has a directory of its own.
scenario { title = "DIR 1: several devices", rules = "directory", devices = 2 }

declare [[
  float a[2000]; float *q;
  struct deep { int n; float *v;
      #pragma acc shape init_needed(n) include(v[0:n])
  };
  struct deep X;
]]
for i = 0, 1999 do host.a[i] = i end
host.q = addr "a[0]"

case("accepts: the same data are deep and fused on one device and flat on another [DIR-1-04]", function()
  host.X = { n = 4, v = { 1, 2, 3, 4 } }
  host.q = host.X.v
  acc "enter data copyin(X)"
  acc "set device_num(1)"
  acc "enter data copyin(X)"
  acc "set device_num(0)"
  expect.accepts("data copyin(q[2:2])", function()
    acc "parallel present(X)" (function(d) d.X.v[0] = 10 end)
    acc_set_device_num(1)
    acc "parallel present(X)" (function(d) d.X.v[0] = 20 end)
    expect.attached("X.v", 1)
    acc_set_device_num(0)
  end)
  for device = 0, 1 do
    acc_set_device_num(device)
    acc "exit data copyout(X)"
    expect.host("X.v[0]", 10 + 10 * device)
    expect.equal(#state().present, 0)
  end
end)

case("rejects: a directive for one device ends a region of another [DIR-1-04 DIR-1-02]", function()
  expect.accepts("data copyin(a[0:20])", function()
    acc "set device_num(1)"
    expect.fails("region-nesting", function() acc "end data" end)
    expect.fails("not-present", function() acc "data present(a[0:20])" end)
    acc "set device_num(0)"
    expect.present "a[0:20]"
  end)
end)
