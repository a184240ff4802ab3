-- Section 2: the data environment of OpenMP 4.0, with its two-step mapping of sections (Figures 3 to 5).
scenario { title = "LLNL 2: mapping and presence in OpenMP 4.0", rules = "openmp-4.0" }

declare [[
  double *arr, *a, *b, *inner_a, *inner_b, *again;
  int len = 8, N = 8;
  double arg = 3, field[8];
  struct pair { int x, y; } pair;
]]
host.arr = { 0, 0, 0, 0, 0, 0, 0, 0 }
host.a, host.b = { 1, 2, 3, 4, 5, 6, 7, 8 }, { 10, 20, 30, 40, 50, 60, 70, 80 }
host.inner_a, host.inner_b, host.again = host.a, host.b, host.a

-- ------------------------------------------------------------------------------------- syntax --

case("accepts: all four map types have items with and without a section [LLNL-2.1-01]", function()
  expect.accepts "target data map(alloc: a[0:8]) map(to: b[:4]) map(from: arr[0:len]) map(tofrom: len)"
  omp "target data map(field[2:3])" (function() expect.present "field[2:3]" end)
end)

case("rejects: a map type does not exist, or a section has no length [LLNL-2.1-01 OMP60-map-1]", function()
  expect.malformed "target map(inout: a)"
  expect.malformed "target map(to: a[0:)"
  expect.malformed "target map(to a)"
  expect.invalid("target data map(to: a[2:])", "invalid-section")
  expect.invalid("target data map(release: len)", "clause-not-allowed")
end)

case("accepts: each map type copies at entry and exit as its name says [LLNL-2.1-02]", function()
  local function moved(text, h2d, d2h)
    expect.moves(function() expect.accepts(text) end, { h2d = h2d, d2h = d2h })
  end
  moved("target data map(alloc: field)", 0, 0)
  moved("target data map(to: field)", { bytes = 64 }, 0)
  moved("target data map(from: field)", 0, { bytes = 64 })
  moved("target data map(tofrom: field)", { bytes = 64 }, { bytes = 64 })
end)

case("differs: data that were not copied have no value [LLNL-2.1-02]", function()
  omp "target data map(alloc: field)" (function()
    expect.uninitialized "field[0]"
    expect.fails("uninitialized-read", function() omp "target" "field[1] = field[0];" end)
  end)
end)

case("accepts: a mapping is a copy where the device has its own memory [LLNL-2.1-03]", function()
  omp "target data map(to: len)" (function()
    host.len = 9
    expect.device("len", 8)
  end)
end)

case("differs: the host cannot use a device address, as storage is not shared [LLNL-2.1-03]", function()
  omp "target data map(field) use_device_ptr(field)" (function()
    expect.fails("device-pointer-on-host", function() return host "field[0]" end)
  end)
end)

-- ---------------------------------------------------------------------------- implicit mapping --

case("accepts: variables without a clause are mapped tofrom, and pointers as values [LLNL-2.1-04]", function()
  expect.moves(function() omp "target" "len = len + 1;" end, { h2d = { bytes = 4 }, d2h = { bytes = 4 } })
  expect.host("len", 9)
  omp "target" "pair.x = 1; field[3] = 4;"
  expect.host("pair.x", 1)
  expect.host("field[3]", 4)
end)

case("differs: the value of a pointer is a host address [LLNL-2.1-04]", function()
  expect.fails("host-pointer-on-device", function() omp "target" "a[0] = 1;" end)
end)

-- ------------------------------------------------------------------------------------ two steps --

case("accepts: a section maps its pointer, which is attached to the device's array [LLNL-2.1-05]", function()
  omp "target data map(to: a[0:8])" (function()
    expect.present "a"
    expect.present "a[0:8]"
    expect.attached "a"
    expect.accepts("target", "a[1] = a[0] + 1;")
    expect.device("a[1]", 2)
  end)
  expect.absent "a"
end)

case("rejects: a section has a null pointer as its base [LLNL-2.1-05 OMP60-sec-1]", function()
  host.a = NULL
  expect.fails("null-pointer", function() omp "target data map(to: a[0:8])" (function() end) end)
end)

case("accepts: Figure 4 has four mappings [LLNL-2.1-06 LLNL-2.1-07]", function()
  omp "target map(from: arr[0:len]) map(to: len)" [[
    arr[len - 1] = arg * arg;
    len = 5;
    for (int i = 0; i < 7; i++) arr[i] = i;
  ]]
  expect.host("arr[7]", 9)
  expect.host("arr[6]", 6)
  expect.host("len", 8) -- unspecified if storage is shared; here the device has its own
  local names = {}
  for _, event in ipairs(events(function()
    omp "target map(from: arr[0:len]) map(to: len)" "for (int i = 0; i < 8; i++) arr[i] = arg; "
  end)) do
    if event.op == "alloc" then names[#names + 1] = event.name end
  end
  table.sort(names)
  expect.equal(names, { "arg", "arr", "arr[0:8]", "len" })
end)

case("differs: Figure 4 fails without the section [LLNL-2.1-06]", function()
  expect.fails("host-pointer-on-device", function() omp "target map(to: len)" "arr[len - 1] = arg * arg;" end)
end)

case("differs: data that are mapped with to are not copied back [LLNL-2.1-07]", function()
  expect.accepts("target map(to: len)", "len = 5;")
  expect(host.len ~= 5, "len keeps its value")
end)

case("accepts: a kernel may change the pointer, and an array may be mapped in pieces [LLNL-2.1-08]", function()
  omp "target map(tofrom: a[0:8])" "a = a + 2; a[0] = 33;"
  expect.host("a[2]", 33)
  omp "target data map(a[0:2])" (function()
    omp "target data map(a[4:2])" (function()
      expect.present "a[0:2]"
      expect.present "a[4:2]"
      expect.absent "a[2:2]"
    end)
  end)
end)

case("rejects: two pieces of an array overlap partly [LLNL-2.1-08 OMP60-map-13]", function()
  omp "target data map(a[0:4])" (function()
    expect.fails("partially-present", function() omp "target data map(a[2:4])" (function() end) end)
  end)
end)

-- ------------------------------------------------------------------------------------- presence --

case("accepts: an inner construct uses data that are mapped already [LLNL-2.2-01]", function()
  omp "target data map(to: field)" (function()
    host.field[0] = 5
    expect.moves(function()
      expect.accepts("target data map(tofrom: field)", function() omp "target" "field[1] = field[0] + 1;" end)
    end, { h2d = 0, d2h = 0 })
    expect.device("field[1]", 1)
  end)
end)

case("differs: mapped data are absent after the region [LLNL-2.2-01]", function()
  expect.accepts "target data map(to: field)"
  expect.absent "field"
  expect.moves(function() omp "target map(to: field)" "field[1] = 1;" end, { h2d = { bytes = 64 } })
end)

case("accepts: parts of an array are found by their range, through other pointers [LLNL-2.2-02]", function()
  omp "target data map(to: a[0:8])" (function()
    omp "target data map(to: again[3:2])" (function()
      expect.count("a[0:8]", { structured = 2 })
      omp "target" "again[3] = 44;"
    end)
    expect.device("a[3]", 44)
  end)
end)

case("rejects: a range is partly present [LLNL-2.2-02 OMP60-map-13]", function()
  omp "target data map(to: again[3:2])" (function()
    expect.fails("partially-present", function() omp "target map(to: a[0:8])" "" end)
  end)
end)

case("accepts: scalars are found by their address [LLNL-2.2-03]", function()
  omp "target data map(to: len)" (function()
    expect.moves(function() omp "target" "len = len + 1;" end, { h2d = 0, d2h = 0 })
    expect.count("len", { structured = 1 })
    expect.device("len", 9)
  end)
  expect.host("len", 8)
end)

case("differs: another scalar is not found [LLNL-2.2-03]", function()
  expect.moves(function()
    omp "target data map(to: len)" (function() expect.absent "N" end)
  end, { h2d = { count = 1, bytes = 4 }, d2h = 0 })
end)

case("accepts: the pointer is looked up first, and then its target [LLNL-2.2-04]", function()
  omp "target enter data map(to: a[0:8])"
  expect.count("a", { dynamic = 1 })
  omp "target map(a[0:8])" "a[7] = 88;"
  expect.moves(function() omp "target map(again[0:8])" "again[0] = again[7];" end, { h2d = 0, d2h = 0 })
  expect.attached "a"
  omp "target exit data map(from: a[0:8])"
  expect.host("a[0]", 88)
  expect.absent "a"
end)

case("differs: nothing is found through another pointer that no clause names [LLNL-2.2-04]", function()
  expect.accepts("target data map(a[0:8])", function()
    expect.fails("host-pointer-on-device", function() omp "target" "again[0] = 1;" end)
  end)
end)

case("differs: Figure 5 maps the arrays and fails with copies of the pointers [LLNL-2.2-05]", function()
  omp "target enter data map(to: a[0:N]) map(to: b[0:N])"
  expect.present "a[0:N]"
  expect.fails("host-pointer-on-device", function()
    omp "target teams distribute parallel for"
      "for (int i = 0; i < N; ++i) inner_a[i] += inner_b[i];"
  end)
  expect.accepts "target exit data map(from: a[0:N]) map(release: b[0:N])"
  expect.host("a[0]", 1)
end)

case("accepts: Figure 5 works with the pointers that were mapped [LLNL-2.2-05]", function()
  expect.moves(function()
    omp "target enter data map(to: a[0:N]) map(to: b[0:N])"
  end, { h2d = { count = 2, bytes = 128 }, d2h = 0 })
  omp "target teams distribute parallel for" "for (int i = 0; i < N; ++i) a[i] += b[i];"
  omp "target exit data map(from: a[0:N]) map(release: b[0:N])"
  expect.host("a[0:8]", { 11, 22, 33, 44, 55, 66, 77, 88 })
  expect.absent "a"
  expect.absent "b[0:8]"
end)
