-- The directives host_data and declare.
scenario { title = "OpenACC 3.3, 2.8 and 2.13: host_data, declare", rules = "openacc-3.3" }

declare [[
  double v[4] = { 1, 2, 3, 4 }, w[2] = { 5, 6 };
  double *p = v, *none;
  struct s { int k; } S;
  int yes = 1, no = 0;
]]

case("accepts: names in host_data denote device addresses [ACC33-hd-1]", function()
  acc "data copyin(v, S)" (function()
    local on_device = acc_deviceptr(addr "v")
    acc "host_data use_device(v, p, S, none)" (function()
      expect(addr "v[0]" == on_device)
      expect(host.p == on_device)
      expect(acc_hostptr(addr "S") ~= NULL)
      expect(host.none == NULL)
      acc_memcpy_from_device(addr "w[0]", host.p + 2, 16)
    end)
    expect.host("w[0:2]", { 3, 4 })
    expect(host.p == addr "v")
  end)
end)

case("accepts: names keep their host addresses with if(false), and with if_present for absent data"
  .. " [ACC33-hd-1]", function()
  expect.accepts("host_data use_device(v) if_present", function() expect.host("v[1]", 2) end)
  acc "data copyin(v)" (function()
    expect.accepts("host_data use_device(v) if(no)", function() expect.host("v[1]", 2) end)
    local region = acc "host_data use_device(v) if(yes)"
    expect.fails("device-pointer-on-host", function() host "v[1]" end)
    acc "end host_data"
    expect.host("v[1]", 2)
    expect.fails("region-nesting", function() region:close() end)
  end)
end)

case("rejects: host_data names absent data or sections, has no clause, or the host uses a device address"
  .. " [ACC33-hd-1]", function()
  expect.fails("not-present", function() acc "host_data use_device(v)" end)
  expect.fails("not-present", function() acc "host_data use_device(p)" end)
  expect.malformed "acc host_data use_device(v[0:2])"
  expect.malformed "acc host_data"
  expect.invalid("acc host_data use_device(x)", "unknown-name")
  expect.invalid("acc host_data copy(v)", "clause-not-allowed")
  acc "data copyin(v)" (function()
    acc "host_data use_device(v, p)" (function()
      expect.fails("device-pointer-on-host", function() return host "v[0] + 1" end)
      expect.fails("device-pointer-on-host", function() return host.p[0] end)
    end)
  end)
end)

case("accepts: data in declare stay present as long as the program runs [ACC33-dec-1]", function()
  acc "declare create(v) copyin(w)"
  expect.uninitialized "v[0:4]"
  expect.device("w[1]", 6)
  expect.count("v", { structured = 1 })
  acc "parallel" "for (int i = 0; i < 4; i++) v[i] = i * w[0];"
  acc "update self(v)"
  expect.host("v[3]", 15)
  acc "data copy(v)" (function() expect.count("v", { structured = 2 }) end)
  expect.present "v[0:4]"
end)

case("accepts: declare link maps nothing [ACC33-dec-1]", function()
  expect.accepts "declare link(v)"
  expect.absent "v"
  expect.moves(function()
    expect.accepts("data copyin(v)", function()
      acc "parallel" "v[0] = 9;"
      expect.device("v[0]", 9)
    end)
  end, { h2d = { count = 1, bytes = 32 }, d2h = 0 })
  expect.invalid("acc declare link(nobody)", "unknown-name")
end)

case("accepts: declare deviceptr at file scope counts for all compute constructs [ACC33-dec-1]", function()
  declare "double *q;\n#pragma acc declare deviceptr(q)"
  host.q = acc_malloc(32)
  acc "parallel copy(v)" "q[1] = 5; v[0] = q[1];"
  expect.host("v[0]", 5)
end)

case("rejects: declare at file scope has a clause that needs a region, or declare is inside a region"
  .. " [ACC33-dec-1]", function()
  for _, clause in ipairs { "copy", "copyout", "present" } do
    expect.invalid(("acc declare %s(v)"):format(clause), "clause-not-allowed")
  end
  expect.malformed "acc declare"
  expect.malformed "acc declare create(v[0:2])"
  expect.invalid("acc declare create(v) copyin(v)", "duplicate-clause")
  expect.accepts "declare create(v)"
  expect.fails("duplicate-clause", { "declare copyin(w, @v)", "declare device_resident(@v)" }, "ACC33-dec-1")
  expect.absent "w"
  acc "data copyin(w)" (function()
    expect.fails("region-nesting", function() acc "declare create(v)" end)
  end)
end)
