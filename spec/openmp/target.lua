-- Constructs: regions and their nesting, devices, conditions, combined constructs, declare target, use_device_ptr.
scenario { title = "OpenMP: target constructs and devices", rules = "openmp-5.1", devices = 2 }

declare [[
  int x = 1, n = 4, zero = 0;
  double v[8], *p, *q;
  float g = 1, table[4];
  #pragma omp declare target(table)
  struct node { int n; double *d; } s;
]]
host.v = { 0, 1, 2, 3, 4, 5, 6, 7 }
host.p = { 10, 11, 12, 13 }
host.s = { n = 2, d = { 1, 2 } }

-- ----------------------------------------------------------------------------------------- regions --

case("accepts: a region is an entry before its body and an exit after its body [OMP60-tgt-1]", function()
  expect.events(function() omp "target data map(tofrom: v)" (function() end) end,
    { "alloc v", "h2d v", "incref v", "decref v", "d2h v", "free v" })
  omp "target data map(to: v)"
  expect.present "v"
  omp "end target data"
  expect.absent "v"
  local region = omp "target data map(to: v)"
  expect.present "v"
  region:close()
  expect.absent "v"
  do
    local held <close> = omp "target data map(to: v)"
    expect.present "v"
    expect(held ~= nil)
  end
  expect.absent "v"
end)

case("accepts: regions on the same data are nested [OMP60-tgt-1]", function()
  omp "target data map(tofrom: v)" (function()
    omp "target data map(to: v) map(p[0:4])" (function()
      expect.count("v", { structured = 2 })
      omp "target" "v[0] = p[0];"
    end)
    expect.host("v[0]", 0)
  end)
  expect.host("v[0]", 10)
end)

case("accepts: an error in the body closes the region [OMP60-tgt-1]", function()
  expect.fails("not-present", function()
    omp "target data map(to: v)" (function()
      expect.present "v"
      omp "target map(present, to: x)" ""
    end)
  end)
  expect.absent "v"
end)

case("rejects: an end has no begin or has clauses, or a target construct contains a region [OMP60-tgt-1]", function()
  expect.fails("region-nesting", "end target data")
  expect.fails("region-nesting", function() omp "target" (function() omp "target data map(v)" (function() end) end) end)
  expect.fails("region-nesting", function() omp "target" (function() omp "target update to(v)" end) end)
  expect.fails("region-nesting", function() omp "target" (function() omp "target" "" end) end)
  omp "target data map(v)"
  expect.fails("clause-not-allowed", "end target data @map(v)")
  omp "end target data"
  local region = omp "target data map(v)"
  region:close()
  expect.fails("region-nesting", function() region:close() end)
end)

case("rejects: regions close in the wrong order [OMP60-tgt-1 DIR-4.3-06]", function()
  local outer = omp "target data map(v)"
  local inner = omp "target data map(p[0:4])"
  expect.fails("region-nesting", function() outer:close() end)
  inner:close()
  outer:close()
end)

case("rejects: a construct has no map, or clauses of other constructs [OMP60-tgt-1]", function()
  expect.fails("syntax", "target data@", "OMP60-tgt-1")
  expect.fails("syntax", "target data@ if(1)", "OMP60-tgt-1")
  expect.fails("syntax", "target enter data@", "OMP60-tgt-1")
  expect.fails("syntax", "target exit data@ device(0)", "OMP60-tgt-1")
  expect.fails("clause-not-allowed", "target enter data map(to: v) @use_device_ptr(p)", "OMP60-tgt-1")
  expect.fails("clause-not-allowed", "target data map(v) @private(x)", "OMP60-tgt-1")
  expect.fails("clause-not-allowed", "target @use_device_ptr(p)", "OMP60-tgt-1")
  expect.fails("clause-not-allowed", "target @to(v)", "OMP60-tgt-1")
  expect.fails("clause-not-allowed", "target @num_threads(4)", "OMP60-tgt-1")
  expect.fails("clause-not-allowed", "target @schedule(static)", "OMP60-tgt-1")
  expect.fails("clause-not-allowed", "target teams @schedule(static)", "OMP60-tgt-1")
  expect.fails("duplicate-clause", "target nowait @nowait", "OMP60-tgt-1")
  expect.fails("duplicate-clause", "target device(0) @device(1)", "OMP60-tgt-1")
  expect.fails("unknown-clause", "target @nowit")
end)

case("rejects: a directive does not exist [OMP60-tgt-1 OMP60-map-1]", function()
  for _, text in ipairs { "targets", "tarqet data map(v)", "target enter data, , map(to: v)" } do
    expect.malformed("omp " .. text)
  end
  expect.malformed "omp"
  expect.malformed "#pragma omp"
  expect.fails("unknown-clause", "target @dat map(v)")
  expect.fails("unknown-clause", "target @entr data map(to: v)")
  expect.fails("unknown-clause", "target data @data map(v)")
  expect.fails("unknown-clause", "target @target")
  expect.fails("unknown-clause", "teams @target")
end)

case("accepts: directives have sentinels, continued lines, and commas between clauses [OMP60-tgt-1]", function()
  omp "#pragma omp target data map(to: v)" (function() expect.present "v" end)
  omp "omp target data map(to: v)" (function() expect.present "v" end)
  omp "target data, map(to: v), map(to: x), if(1)" (function() expect.present "x" end)
  omp "# pragma omp target \\\n data map(to: \\\n v)" (function() expect.present "v" end)
  omp "target   data map ( to : v )device( 0 )" (function() expect.present "v" end)
end)

-- --------------------------------------------------------------------------------- conditions, devices --

case("accepts: without the condition the host runs the body, and data are not copied [OMP60-tgt-1]", function()
  omp "target if(0)" "x = x + 1; p[0] = 50; v[1] = s.d[1];"
  expect.host("x", 1) -- x is firstprivate on the host, too
  expect.host("p[0]", 50)
  expect.host("v[1]", 2)
  omp "target map(to: x) if(zero)" "x = x + 2;"
  expect.host("x", 3)
  omp "target enter data map(to: v) if(0)"
  expect.absent "v"
  omp "target enter data map(to: v) if(x > 2)"
  expect.present "v"
  omp "target exit data map(delete: v) if(target exit data: zero)"
  expect.present "v"
  expect.accepts("target data map(to: p[0:4]) if(0)", function() expect.absent "p[0:4]" end)
  expect.accepts("target data map(present, to: x) if(0)", function() expect.absent "x" end)
end)

case("accepts: a condition applies to one part of a combined construct [OMP60-tgt-1]", function()
  omp "target parallel for map(to: x) if(target: 0)" "for (int i = 0; i < 4; i++) x += i;"
  expect.host("x", 7)
  omp "target parallel for map(to: x) map(n) if(parallel: 0)" "for (int i = 0; i < 4; i++) { x += i; n = x; }"
  expect.host("x", 7)
  expect.host("n", 13)
  omp "target parallel for map(to: x) if(parallel: 0) if(target: 0)" "for (int i = 0; i < 4; i++) x += i;"
  expect.host("x", 13)
end)

case("rejects: a condition names no part, occurs twice for one part, or is missing [OMP60-tgt-1]", function()
  expect.fails("clause-not-allowed", "target if(@parallel: 1)", "OMP60-tgt-1")
  expect.fails("clause-not-allowed", "target data map(v) if(@target: 1)", "OMP60-tgt-1")
  expect.fails("duplicate-clause", "target if(1) @if(0)")
  expect.fails("duplicate-clause", "target if(target: 1) @if(target: 0)")
  expect.fails("unknown-name", "target if(@nothing)")
  expect.fails("type-mismatch", "target if(@s)")
  expect.malformed "target if()"
  expect.malformed "target if"
end)

case("accepts: every device has data of its own [OMP60-tgt-2]", function()
  omp "target enter data map(to: v) device(1)"
  expect.absent "v"
  expect.equal(#state(1).present, 2) -- table is present, too
  omp "target map(tofrom: x) device(device_num: n - 3)" "v[0] = 50; x = 5;"
  omp "target update from(v) device(1)"
  expect.host("v[0]", 50)
  expect.host("x", 5)
  omp "target exit data map(release: v) device(1)"
  expect.equal(#state(1).present, 1)
end)

case("accepts: the number of devices is the device number of the host [OMP60-tgt-2 OMP60-tgt-1]", function()
  expect.equal(omp_get_num_devices(), 2)
  omp "target device(2) map(to: x)" "x = x + 1; p[0] = 51;"
  expect.host("x", 2)
  expect.host("p[0]", 51)
  omp "target enter data map(to: v) device(omp_get_initial_device())"
  expect.absent "v"
  expect.accepts("target data map(to: v) device(n / 2)", function() expect.absent "v" end)
  omp "target update to(v) from(x) device(2)"
  omp "target exit data map(delete: v) device(2)"
end)

case("accepts: the value of omp_initial_device is the host, too, from OpenMP 5.2 on [OMP60-tgt-2]", function()
  rules "openmp-5.2"
  host.n = omp_initial_device
  omp "target device(n) map(to: x)" "x = x + 1; p[0] = 52;"
  expect.host("x", 2)
  expect.host("p[0]", 52)
  omp "target enter data map(to: v) device(-1)"
  expect.absent "v"
  expect.fails("no-device", "target enter data map(to: v) device(@-2)", "OMP60-tgt-2")
end)

case("accepts: constructs without a device clause use the default device [OMP60-tgt-2]", function()
  omp_set_default_device(1)
  omp "target enter data map(to: v)"
  expect.equal(#state(1).present, 2)
  expect.equal(#state(0).present, 1)
  omp_set_default_device(0)
  expect.absent "v"
end)

case("rejects: a device does not exist [OMP60-tgt-2]", function()
  expect.fails("no-device", "target enter data map(to: v) device(@3)", "OMP60-tgt-2")
  expect.fails("no-device", "target device(@99)", "OMP60-tgt-2")
  expect.fails("no-device", "target update to(v) device(@-1)", "OMP60-tgt-2")
  expect.fails("no-device", "target data map(v) device(@n)", "OMP60-tgt-2")
  expect.fails("no-device", "target data map(v) device(@omp_invalid_device)", "OMP60-tgt-2")
  expect.fails("type-mismatch", "target data map(v) device(@p)")
  expect.fails("unknown-name", "target data map(v) device(@nothing)")
  expect.fails("unsupported", "target device(@ancestor: 1)")
  expect.malformed "target device()"
end)

case("accepts: nowait and depend have no effect [OMP60-tgt-1]", function()
  omp "target enter data map(to: v) nowait depend(out: v)"
  expect.present "v"
  omp "target nowait depend(in: v) depend(inout: x) map(tofrom: x)" "x = 9;"
  expect.host("x", 9)
  expect.accepts "taskwait"
  omp "target exit data map(from: v) depend(in: v) nowait"
  expect.absent "v"
end)

case("accepts: depend has all types, sections, iterators, and omp_all_memory [OMP60-tgt-1]", function()
  for _, says in ipairs { "in: v, s.d[0:s.n], *p", "inout: v[n - 1]", "mutexinoutset: x", "inoutset: x", "depobj: x",
    "out: omp_all_memory", "iterator(i = 0:n, j = i:n:2), in: v[i + j], p[:j]" } do
    omp(("target map(tofrom: x) depend(%s)"):format(says)) "x = x + 1;"
  end
  expect.host("x", 8)
end)

case("rejects: depend has an unknown type or an unknown name [OMP60-tgt-1]", function()
  expect.fails("syntax", "taskwait depend(@foo: x)", "OMP60-tgt-1")
  expect.fails("syntax", "taskwait depend(@x)", "OMP60-tgt-1")
  expect.fails("syntax", "taskwait depend(in@)", "OMP60-tgt-1")
  expect.fails("syntax", "taskwait depend(@always, in: x)", "OMP60-tgt-1")
  expect.fails("clause-not-allowed", "taskwait depend(@source)", "OMP60-tgt-1")
  expect.fails("clause-not-allowed", "task depend(@sink: n - 1)", "OMP60-tgt-1")
  expect.fails("unknown-name", "target depend(in: @nothing)")
  expect.fails("unknown-name", "target update to(v) depend(in: v[@nothing])")
  expect.fails("unknown-name", "target depend(iterator(i = 0:@nothing), in: v[i])")
  expect.fails("unknown-member", "target depend(in: s.@m)")
  expect.fails("unknown-name", "target depend(in: @omp_all_memory)")
  expect.malformed "target depend()"
  expect.malformed "target depend(in:)"
end)

-- ----------------------------------------------------------------------------------- combined constructs --

case("accepts: combined constructs have the clauses of their parts [OMP60-tgt-1]", function()
  for _, name in ipairs { "target parallel", "target parallel for", "target parallel for simd", "target parallel loop",
    "target simd", "target teams", "target teams distribute", "target teams distribute simd", "target teams loop",
    "target teams distribute parallel for", "target teams distribute parallel for simd" } do
    host.x = 1
    omp(name .. " map(tofrom: x)") "x = x + 1;"
    expect.host("x", 2)
  end
  omp [[target teams distribute parallel for map(tofrom: v[0:n]) num_teams(2) thread_limit(8)
    schedule(static, 1) collapse(1)]]
    "for (int i = 0; i < n; i++) v[i] = 2 * i;"
  expect.host("v[3]", 6)
end)

case("rejects: a clause belongs to none of the parts [OMP60-tgt-1]", function()
  expect.fails("clause-not-allowed", "target parallel @num_teams(2)")
  expect.fails("clause-not-allowed", "target teams @num_threads(2)")
  expect.fails("clause-not-allowed", "target teams distribute @schedule(static)")
  expect.fails("clause-not-allowed", "target simd @proc_bind(close)")
end)

case("rejects: an end directive closes a region of the other language [OMP60-tgt-1]", function()
  local mapped = omp "target data map(to: v)"
  local err = expect.fails("region-nesting", function() acc "end data" end)
  expect.equal(err.help, 'the open one is ended by omp "end target data"')
  local copied = acc "data copyin(g)"
  expect.fails("region-nesting", function() omp "end target data" end) -- the region of acc data is still open
  expect.present "g"
  copied:close()
  mapped:close()
  acc "data copyin(g)"
  err = expect.fails("region-nesting", function() omp "end target data" end)
  expect.equal(err.help, 'the open one is ended by acc "end data"')
  acc "end data"
  expect.absent "g"
end)

case("rejects: a condition or a device number has no value [OMP60-tgt-1 OMP60-tgt-2 HOUSE-language]", function()
  expect.fails("type-mismatch", "target data map(v) if(1 @/ zero)")
  expect.fails("type-mismatch", "target data map(v) device(n @% zero)")
  expect.fails("type-mismatch", "target if(1 @/ 0)")
  local err = expect.fails("type-mismatch", function() acc "data copyin(v) if(1 / zero)" end)
  expect.equal(err.column, 81)
  expect.absent "v"
end)

-- -------------------------------------------------------------------------------- variables of the device --

case("accepts: variables in declare target are present on every device and stay present"
  .. " [OMP60-tgt-1 OMP60-map-6]", function()
  expect.present "table"
  omp "target" "table[0] = 5;"
  expect.host("table[0]", 0)
  omp "target update from(table[0:1])"
  expect.host("table[0]", 5)
  omp "target exit data map(delete: table)"
  expect.accepts("target data map(tofrom: table)", function()
    omp "target" "table[1] = 6;"
    expect.device("table[1]", 6)
  end)
  expect.present "table"
  expect.host("table[1]", 0)
  omp "target update from(table) device(1)"
  expect.host("table[0]", 0)
  omp "declare target to(g)"
  expect.present "g"
  omp "target map(always, from: g)" "g = 2;"
  expect.host("g", 2)
end)

case("accepts: declare target has the clauses enter and to, and an enclosed form [OMP60-tgt-1]", function()
  rules "openmp-5.2"
  declare [[
    float h1 = 1, h2 = 2;
    #pragma omp declare target enter(h1) device_type(any)
    #pragma omp begin declare target
    #pragma omp end declare target
  ]]
  expect.present "h1"
  expect.absent "h2"
  omp "declare target to(h2)"
  expect.device("h2", 2)
end)

case("accepts: variables between declare target and its end are present [OMPEX-struct_map-14 OMP60-tgt-1]", function()
  declare [[
    int before;
    #pragma omp declare target
    struct pair { int a, b; } pair = { 1, 2 };
    typedef struct pair two;
    #pragma omp begin declare target device_type(any)
    two inner[2];
    #pragma omp end declare target
    extern int before;
    #pragma omp end declare target
    int after;
  ]]
  for _, name in ipairs { "pair", "inner", "before" } do expect.present(name) end
  expect.absent "after"
  expect.device("pair.b", 2)
  omp "target" "pair.a = 7; inner[1].b = 8;"
  expect.host("pair.a", 1)
  omp "target update from(pair, inner[1])"
  expect.host("pair.a", 7)
  expect.host("inner[1].b", 8)
  omp "begin declare target"
  declare "int later = 3;"
  omp "end declare target"
  expect.device("later", 3)
end)

case("accepts: a variable in link is present while mapped, and a use maps the variable"
  .. " [OMPEX-struct_map-14]", function()
  declare [[
    int one, list[4];
    #pragma omp declare target link(one, list)
  ]]
  expect.absent "one"
  omp "target" "one = 4; list[0] = 5;"
  expect.host("one", 4)
  expect.host("list[0]", 5)
  expect.absent "list"
  omp "target enter data map(to: list)"
  omp "target" "list[1] = 6;"
  expect.host("list[1]", 0)
  omp "target exit data map(from: list)"
  expect.host("list[1]", 6)
end)

case("rejects: declare target and its end do not match, or a variable has two clauses"
  .. " [OMPEX-struct_map-14]", function()
  expect.fails("region-nesting", "@end declare target", "OMP60-tgt-1")
  expect.fails("clause-not-allowed", "end declare target @device_type(any)")
  omp "declare target link(g)"
  expect.fails("conflicting-clauses", "declare target to(@g)", "OMPEX-struct_map-14")
  expect.absent "g"
  expect.fails("conflicting-clauses", function() omp "declare target link(table)" end)
end)

case("rejects: declare target has unknown names or wrong clauses, or other directives are among declarations"
  .. " [OMP60-tgt-1]", function()
  rules "openmp-5.2"
  expect.fails("unknown-name", "declare target(@nothing)")
  expect.fails("unknown-name", "declare target enter(@nothing)")
  expect.fails("clause-not-allowed", "declare target enter(g) @map(g)")
  expect.fails("syntax", "declare target to(s@.n)")
  expect.invalid("int a1;\n#pragma omp target enter data map(to: a1)\n", "clause-not-allowed")
  expect.invalid("int a1;\n#pragma omp target update to(a1)\n", "clause-not-allowed")
  expect.malformed "int a1;\n#pragma omp nowhere(a1)\n"
end)

-- --------------------------------------------------------------------------------------------- use_device --

case("accepts: names in the body denote device addresses [OMP60-tgt-1]", function()
  omp "target data map(p[0:4]) use_device_ptr(p)" (function()
    local dev = host.p
    omp "target is_device_ptr(p)" "p[0] = 50;"
    expect(dev ~= NULL)
    expect.fails("device-pointer-on-host", function() return host "p[0]" end)
  end)
  expect.host("p[0]", 50)
  omp "target data map(v) use_device_addr(v)" (function()
    omp "target has_device_addr(v)" "v[0] = 60;"
  end)
  expect.host("v[0]", 60)
end)

case("accepts: use_device_addr translates sections by the address of the whole [OMP60-tgt-1]", function()
  omp "target data map(v[2:3]) use_device_addr(v[2:3])" (function()
    omp "target has_device_addr(v[2:3])" "v[3] = 61;"
  end)
  expect.host("v[3]", 61)
  omp "target data map(p[0:2]) use_device_addr(p[0:2])" (function()
    expect.fails("device-pointer-on-host", function() return host "p[1]" end)
    omp "target has_device_addr(p[0:2])" "p[1] = 62;"
  end)
  expect.host("p[1]", 62)
end)

case("accepts: use_device_ptr needs no map, and absent data keep their addresses [OMP60-tgt-1]", function()
  local before = host.p
  expect.accepts("target data use_device_ptr(p)", function() expect.equal(host.p, before) end)
  omp "target enter data map(to: p[0:4])"
  omp "target data use_device_ptr(p)" (function() expect(host.p ~= before) end)
  expect.accepts("target data map(to: v) use_device_ptr(p) if(0)", function() expect.equal(host.p, before) end)
  expect.equal(host.p, before)
end)

case("rejects: use_device_ptr names no pointer, or a name is unknown [OMP60-tgt-1]", function()
  expect.fails("not-a-pointer", "target data use_device_ptr(@x)", "OMP60-tgt-1")
  expect.fails("not-a-pointer", "target data map(s) use_device_ptr(@s)", "OMP60-tgt-1")
  expect.fails("unknown-name", "target data use_device_ptr(@nothing)")
  expect.fails("clause-not-allowed", "target data use_device_ptr(p@[0:2])")
  expect.fails("not-a-pointer", "target data use_device_addr(x@[0:2])")
  expect.fails("unknown-name", "target data use_device_addr(@nothing[0:2])")
  expect.fails("clause-not-allowed", "target has_device_addr(s@.n)")
  expect.malformed "target data map(to: v) use_device_ptr()"
end)

-- ----------------------------------------------------------------------------------------------- requires --

case("accepts: requires names features that every device has [OMP60-map-14]", function()
  for _, word in ipairs { "dynamic_allocators", "reverse_offload" } do expect.accepts("requires " .. word) end
end)

case("rejects: requires asks for memory that host and device share [OMP60-map-14]", function()
  expect.fails("unsupported", "requires @unified_shared_memory", "OMP60-map-14")
  expect.fails("unsupported", "requires @unified_address", "OMP60-map-14")
  expect.fails("unsupported", "requires reverse_offload @self_maps", "OMP60-map-14")
  expect.fails("unknown-clause", "requires @shared_memory")
end)

case("accepts: use_device_addr of a pointer variable concerns the variable [OMP60-tgt-1]", function()
  declare "int data[4], *ph;"
  host.ph = addr "data[0]"
  local at = addr "ph"
  omp "target data map(to: ph) use_device_addr(ph)" (function()
    expect.equal(addr "ph", omp_get_mapped_ptr(at, 0))
    omp "target has_device_addr(ph) map(data)" "ph = data; ph[1] = 5;"
  end)
  expect.host("data[1]", 5)
end)

case("rejects: use_device_ptr and use_device_addr name one variable [OMP60-tgt-1]", function()
  declare "int *pd;"
  host.pd = { 1, 2 }
  expect.invalid("omp target data map(pd[0:2]) use_device_addr(pd[0:2]) use_device_ptr(pd)", "conflicting-clauses")
end)
