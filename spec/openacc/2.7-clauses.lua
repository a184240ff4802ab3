-- What each data clause does to absent data, to present data, and at the end of its region.
scenario { title = "OpenACC 2.7: data clauses" }

declare [[
  float v[6] = { 1, 2, 3, 4, 5, 6 };
  float m[3][4];
  float *p = v, *q;
  float **rows;
  struct s { int n; float *a; char name[4]; };
  struct s S;
  int n = 6;
]]
host.S = { n = 2, a = { 1, 2 } }

local function region(clause, wanted_in, wanted_out, references)
  local r
  expect.moves(function() r = acc("data " .. clause) end, { h2d = wanted_in, d2h = 0 })
  expect.count("v", { structured = references or 1 })
  expect.accepts("parallel present(v)", "for (int i = 0; i < n; ++i) v[i] = 10 * i;")
  expect.moves(function() r:close() end, { h2d = 0, d2h = wanted_out })
end

case("accepts: copy, copyin, copyout and create map absent data [ACC33-2.7-1 ACC33-2.7.2-1 ACC33-2.7.2-2]", function()
  local whole = { count = 1, bytes = 24 }
  region("copy(v)", whole, whole)
  expect.host("v[5]", 50)
  region("copyin(v)", whole, 0)
  region("copyout(v)", 0, whole)
  region("create(v)", 0, 0)
  expect.absent "v"
end)

case("accepts: data clauses on present data only change counters [ACC33-2.7-1 ACC33-2.7.3-1]", function()
  acc "data copyin(v)" (function()
    for _, clause in ipairs { "copy", "copyin", "copyout", "create", "present", "no_create" } do
      region(clause .. "(v)", 0, 0, 2)
      expect.present "v"
    end
    expect.count("v", { structured = 1 })
  end)
end)

case("rejects: a clause names partly present data, while present data are only counted"
  .. " [ACC33-2.7.2-1 ACC33-2.7.3-1 TR14-4.2-03]",
  function()
    acc "enter data copyin(v[0:3])"
    host.v[0] = 7
    expect.events(function() acc "enter data copyin(v[0:3])" end, { "incref v[0:3]" })
    expect.device("v[0]", 1)
    expect.fails("partially-present", function() acc "enter data copyin(v)" end)
    expect.fails("not-present", function() acc "data present(m)" end)
  end)

case("rejects: present and delete name absent data, while exit data with counter zero does nothing"
  .. " [ACC33-2.7-1 TR14-4.2-09]",
  function()
    expect.fails("not-present", function() acc "data present(v)" end)
    expect.fails("not-present", function() acc "exit data delete(v)" end)
    acc "data create(v)" (function()
      expect.events(function() acc "exit data copyout(v)" end, {})
      expect.events(function() acc "exit data delete(v) finalize" end, {})
      expect.count("v", { structured = 1 })
    end)
  end)

case("accepts: no_create uses present data and creates nothing [ACC33-2.7-1]", function()
  expect.accepts("data no_create(v, p[0:6])", function() expect.absent "v" end)
  acc "enter data copyin(v)"
  acc "data no_create(p[0:6])" (function()
    expect.count("v", { structured = 1, dynamic = 1 })
    acc "parallel no_create(p[0:6])" "p[0] = 9;"
  end)
  acc "exit data copyout(v)"
  expect.host("v[0]", 9)
end)

case("accepts: no_create of partly present data does nothing [ACC33-2.7-1]", function()
  rules "openacc-3.3"
  acc "enter data copyin(v[0:2])"
  expect.accepts("data no_create(v)", function() expect.count("v[0:2]", { dynamic = 1, structured = 0 }) end)
end)

case("rejects: no_create of partly present data is an error in a strict profile [ACC33-2.7-1 TR14-4.2-03]", function()
  rules "tr14"
  acc "enter data copyin(v[0:2])"
  expect.fails("partially-present", function() acc "data no_create(v)" end)
end)

case("rejects: copy of partly present data is an error [ACC33-2.7-1 ACC33-2.7.3-1]", function()
  rules "openacc-3.3"
  acc "enter data copyin(v[0:2])"
  expect.fails("partially-present", function() acc "data copy(v)" end)
end)

case("differs: a kernel uses data that no_create did not create [ACC33-2.7-1]", function()
  expect.fails("host-pointer-on-device", function()
    acc "parallel no_create(p[0:6])" "p[0] = 9;"
  end)
  acc "enter data copyin(v[0:2])"
  expect.present "v[0:2]"
  expect.absent "v[2:4]"
end)

case("accepts: clauses on a null pointer map nothing [ACC33-2.7-2]", function()
  rules "openacc-3.3"
  declare "float *none;"
  expect.accepts("data copyin(none[0:4])", function()
    expect.equal(#state().present, 0)
  end)
  expect.accepts "data present(none[0:4])"
  acc "enter data create(none[0:4])"
  acc "exit data delete(none[0:4])"
end)

case("rejects: a section of a null pointer is an error in a strict profile [ACC33-2.7-2]",
  function()
    expect.fails("null-pointer", function() acc "data copyin(q[0:4])" end)
    expect.fails("null-pointer", function() acc "enter data create(q[0:1])" end)
    expect.fails("null-pointer", function() acc "parallel" "q[0] = 1;" end)
  end)

case("accepts: the end of present frees data that an exit data finalized inside [ACC33-2.7-3]",
  function()
    acc "enter data copyin(v)"
    acc "data present(v)" (function()
      acc "exit data delete(v) finalize"
      expect.present "v"
    end)
    expect.absent "v"
  end)

case("differs: the end of present frees no data that others hold [ACC33-2.7-3 ACC33-2.7.2-2]", function()
  acc "enter data copyin(v)"
  expect.accepts "data present(v)"
  expect.present "v"
end)

case("accepts: present_or_copy, pcopy and similar clauses are other spellings [ACC33-2.7-6]", function()
  for _, name in ipairs { "copy", "copyin", "copyout", "create" } do
    for _, prefix in ipairs { "p", "present_or_" } do
      acc(("data %s%s(v)"):format(prefix, name))(function()
        expect.equal(state().levels[1].original[1].state, name)
      end)
    end
  end
end)

case("rejects: no_create or present has a present_or spelling [ACC33-2.7-6 ACC33-2.7-8]", function()
  expect.invalid("acc data pno_create(v)", "unknown-clause")
  expect.invalid("acc data present_or_present(v)", "unknown-clause")
end)

case("accepts: enter data copyin does the same as the routine, and attaches [ACC33-2.7-7]", function()
  acc "enter data copyin(v)"
  acc "enter data copyin(p)"
  expect.attached("p", 1)
  expect.accepts "exit data delete(p)"
  acc_copyin "p"
  expect.present "p"
end)

case("differs: the routine does not attach [ACC33-2.7-7]", function()
  acc_copyin "v"
  acc_copyin "p"
  expect.detached "p"
end)

case("accepts: deviceptr uses a device address as it is [ACC33-2.7-9]", function()
  host.q = acc_malloc(16)
  expect.accepts("data deviceptr(q)", function()
    acc "parallel deviceptr(q) copyout(v[0:4])"
      "for (int i = 0; i < 4; ++i) { q[i] = i + 1; v[i] = 2 * q[i]; }"
  end)
  expect.host("v[0:4]", { 2, 4, 6, 8 })
  expect.fails("device-pointer-on-host", function() return host "q[0]" end)
end)

case("accepts: deviceptr on data counts for the constructs inside [ACC33-2.7-9]", function()
  host.q = acc_malloc(16)
  acc "data deviceptr(q)" (function()
    acc "parallel copyout(v[0:4])" "for (int i = 0; i < 4; ++i) { q[i] = i; v[i] = 3 * q[i]; }"
  end)
  expect.host("v[0:4]", { 0, 3, 6, 9 })
end)

case("rejects: deviceptr names no pointer or a host address, or a kernel uses a wrong element [ACC33-2.7-9]",
  function()
    expect.invalid("acc data deviceptr(v)", "not-a-pointer")
    expect.invalid("acc data deviceptr(p[0:1])", "syntax")
    expect.fails("host-pointer-on-device", function() acc "parallel deviceptr(p)" "p[0] = 1;" end)
    host.q = acc_malloc(16)
    expect.fails("out-of-bounds", function() acc "parallel deviceptr(q)" "q[4] = 1;" end)
    expect.fails("uninitialized-read", function() acc "parallel deviceptr(q)" "float x = q[0];" end)
  end)

case("accepts: sections omit the start, or a length that is known [ACC33-2.7.1-1]",
  function()
    acc "data copyin(v[2:])" (function() expect.equal(state().present[1].bytes, 16) end)
    acc "data copyin(v[:2])" (function() expect.equal(state().present[1].bytes, 8) end)
    acc "data copyin(v[:])" (function() expect.equal(state().present[1].bytes, 24) end)
    acc "data copyin(p[:n])" (function() expect.present "v" end)
    acc "data copyin(v[n-4:n/3])" (function() expect.equal(state().present[1].name, "v[2:2]") end)
    acc "data copyin(v[3])" (function() expect.equal(state().present[1].bytes, 4) end)
  end)

case("rejects: sections have no length, exceed the array, or have the wrong type [ACC33-2.7.1-1]",
  function()
    expect.invalid("acc data copyin(p[:])", "invalid-section")
    expect.invalid("acc data copyin(p[2:])", "invalid-section")
    expect.invalid("acc data copyin(v[0:7])", "out-of-bounds")
    expect.invalid("acc data copyin(v[-1:2])", "out-of-bounds")
    expect.invalid("acc data copyin(v[0:-1])", "invalid-section")
    expect.invalid("acc data copyin(n[0:1])", "not-a-pointer")
    expect.invalid("acc data copyin(v[0:1.5])", "type-mismatch")
    expect.invalid("acc data copyin(v[0:p])", "type-mismatch")
    expect.fails("out-of-bounds", function() acc "data copyin(v[n:1])" end)
    expect.fails("out-of-bounds", function() acc "data copyin(p[0:n+1])" end)
    expect.fails("invalid-section", function() acc "data copyin(p[0:-n])" end)
  end)

case("rejects: a clause names memory that was freed [ACC33-2.7.1-1]", function()
  host.q = alloc("float", 3)
  free(host.q)
  expect.fails("out-of-bounds", function() acc "data copyin(q[0:3])" end)
  expect.fails("out-of-bounds", function() return host "q[0]" end)
  host.q = alloc("float", 3, { 1, 2, 3 })
  acc "enter data copyin(q[0:3])"
  expect.present "q[0:3]"
  free(host.q)
  expect.fails("out-of-bounds", function() acc "update self(q[0:3])" end)
end)

case("accepts: a structured construct evaluates bounds once [ACC33-2.7.1-2]", function()
  expect.moves(function()
    acc "data copyin(p[0:n])" (function()
      host.n = 2
      host.p = addr "v[1]"
    end)
  end, { h2d = { count = 1, bytes = 24 }, d2h = 0 })
  expect.absent "v"
end)

case("rejects: exit data evaluates its bounds itself, and names partly present data"
  .. " [ACC33-2.7.1-2 TR14-4.2-03]", function()
  acc "enter data copyin(p[0:n])"
  host.p = addr "v[1]"
  expect.fails("partially-present", function() acc "exit data delete(p[0:n - 0])" end)
end)

case("accepts: two dimensions are arrays, pointers to pointers, or arrays of pointers [ACC33-2.7.1-3]",
  function()
    declare "float *table[2]; float (*wide)[4];"
    for i = 0, 2 do for j = 0, 3 do host.m[i][j] = 10 * i + j end end
    acc "data copy(m[1:2][0:4])" (function()
      acc "parallel present(m[1:2][0:4])" "m[1][3] = 99;"
    end)
    expect.host("m[1][3]", 99)
    host.rows = { { 1, 2 }, { 3, 4 } }
    acc "data copy(rows[0:2][0:2])" (function()
      expect.attached("rows[1]", 1)
      acc "parallel present(rows[0:2][0:2])" "rows[1][1] = 44;"
    end)
    expect.host("rows[1][1]", 44)
    host.table = { { 5, 6 }, { 7, 8 } }
    acc "data copyin(table[0:2][1:1])" (function() expect.device("table[1][1]", 8) end)
    host.wide = addr "m"
    acc "data copyin(wide[0:3][0:4])" (function() expect.device("wide[2][3]", 23) end)
  end)

case("rejects: a section has too many dimensions, or a kernel uses a row that is not mapped"
  .. " [ACC33-2.7.1-3 TR14-3.1.1-22]", function()
  expect.invalid("acc data copyin(v[0:2][0:2])", "not-a-pointer")
  host.rows = { { 1, 2 }, { 3, 4 } }
  acc "data copyin(rows[0:1][0:2])" (function()
    expect.absent "rows[1][0:2]"
    expect.fails("out-of-bounds", function()
      acc "parallel present(rows[0:1][0:2])" "rows[1][0] = 1;"
    end)
  end)
end)

case("accepts: contiguous sections are mapped [ACC33-2.7.1-4]", function()
  acc "data copyin(m[1][1:2])" (function() expect.equal(state().present[1].bytes, 8) end)
  acc "data copyin(m[1:2][0:4])" (function() expect.equal(state().present[1].bytes, 32) end)
  acc "data copyin(m[2])" (function() expect.equal(state().present[1].bytes, 16) end)
end)

case("rejects: a section has gaps [ACC33-2.7.1-4]", function()
  expect.invalid("acc data copyin(m[0:2][1:2])", "invalid-section")
end)

-- Whether a section is contiguous may depend on the values of its bounds. Then this is decided at run time.
local function rows_and_columns()
  declare "int q[3][4], rows = 3, columns = 4; int (*r)[4]; struct grid { int n; int (*rows)[4]; } g;"
  host.r = addr "q[0]"
  host.g = { n = 4, rows = addr "q[0]" }
end

local function bytes_of(variable)
  local bytes
  acc("data copyin(" .. variable .. ")") (function() bytes = state().present[1].bytes end)
  return bytes
end

case("accepts: sections of two dimensions have variables as bounds [ACC33-2.7.1-4]", function()
  rows_and_columns()
  for _, name in ipairs { "q", "r" } do
    expect.equal(bytes_of(name .. "[0:rows][0:columns]"), 48)
    expect.equal(bytes_of(name .. "[1:rows - 1][0:columns]"), 32)
    host.rows, host.columns = 1, 2
    expect.equal(bytes_of(name .. "[1:rows][1:columns]"), 8)
    host.columns = 0
    -- unnoticed: the section has no elements, so nothing happens
    acc("data copyin(" .. name .. "[0:rows][0:columns])") (function() expect.equal(#state().present, 0) end)
    host.rows, host.columns = 3, 4
  end
  acc "data copyin(g.rows[0:rows][0:g.n])" (function()
    expect.present "q[0:3]"
  end)
end)

case("rejects: variable bounds of a section in two dimensions leave gaps [ACC33-2.7.1-4]", function()
  rows_and_columns()
  host.columns = 3
  local problem = expect.fails("invalid-section", function() acc "enter data copyin(q[0:rows][0:columns])" end)
  expect.equal(problem.help, "take all elements of the inner dimension, or one row")
  expect.fails("invalid-section", function() acc "enter data copyin(r[0:rows][1:columns])" end)
  expect.fails("invalid-section", function() acc "enter data copyin(g.rows[0:rows][0:columns])" end)
  host.columns = 5
  expect.fails("out-of-bounds", function() acc "enter data copyin(q[0:1][0:columns])" end)
  host.columns = -1
  expect.fails("invalid-section", function() acc "enter data copyin(q[0:rows][0:columns])" end)
end)

case("accepts: a structure is copied byte by byte [ACC33-2.7.1-5]", function()
  host.S.name = { 65, 66, 67, 68 }
  expect.moves(function()
    acc "data copy(S)" (function()
      acc "parallel present(S)" "S.n = 5; S.name[3] = 70;"
    end)
  end, { h2d = { count = 1, bytes = 24 }, d2h = { count = 1, bytes = 24 } })
  expect.host("S.n", 5)
  expect.host("S.name[0:4]", { 65, 66, 67, 70 })
end)

case("rejects: a clause names a constant, and the targets of a structure's pointers are not copied"
  .. " [ACC33-2.7.1-5 HOUSE-language]",
  function()
    expect.moves(function()
      acc "data copy(S)" (function() expect.absent "S.a[0:2]" end)
    end, { h2d = { count = 1, bytes = 24 }, d2h = { count = 1, bytes = 24 } })
    expect.malformed "acc data copy(n + 1)"
    expect.invalid("acc data copy(1)")
    expect.invalid("acc data copy(unheard)", "unknown-name")
  end)
