-- Section 3: one-step mapping of sections and implicit maps by type, alone and together.
scenario { title = "LLNL 3: map refinements", rules = "indirect" }

local declarations = [[
  double *a, *b, *inner_a, *inner_b;
  int N = 4;
  double x = 1, field[4];
  struct pair { int x, y; } pair;
]]

-- The start of Figure 5 under given rules: a and b point to arrays, the inner pointers are copies.
local function begin(wanted)
  rules(wanted or "indirect")
  declare(declarations)
  host.a, host.b = { 1, 2, 3, 4 }, { 10, 20, 30, 40 }
  host.inner_a, host.inner_b = host.a, host.b
end

local function figure5()
  omp "target enter data map(to: a[0:N]) map(to: b[0:N])"
  expect.present "b[0:4]"
  omp "target teams distribute parallel for" "for (int i = 0; i < N; ++i) inner_a[i] += inner_b[i];"
  omp "target exit data map(from: a[0:N]) map(release: b[0:N])"
  return host "a[0:4]"
end

-- ------------------------------------------------------------------------------------- one step --

case("accepts: a section is mapped without its pointer [LLNL-3.1-01]", function()
  begin()
  omp "target data map(to: a[0:4])" (function()
    expect.present "a[0:4]"
    expect.absent "a"
    expect.equal(#state().present, 1)
  end)
end)

case("differs: a pointer that is not mapped cannot be changed on the device [LLNL-3.1-01 LLNL-3.1-02]", function()
  begin()
  omp "target data map(to: a[0:4])" (function()
    expect.accepts("target", "a = a + 1;") -- the body has its own copy
    expect.absent "a"
    omp "target" "a[0] = 7;"
    expect.device("a[0]", 7)
  end)
end)

case("accepts: a kernel may change a pointer that is mapped [LLNL-3.1-02]", function()
  begin()
  omp "target data map(a) map(to: a[0:4])" (function()
    expect.attached "a"
    omp "target map(a)" "a = a + 1;"
    omp "target map(a)" "a[0] = 7;"
    expect.device("a[0]", 7)
    omp "target" "inner_a[0] = inner_a[1];"
    expect.device("a[-1]", 7)
  end)
end)

case("accepts: data mapped through a parameter are found by other pointers and leave no entry"
  .. " [LLNL-3.1-03]", function()
  begin()
  local parameter = host.a
  host.b = parameter
  omp "target enter data map(to: b[0:4])"
  host.b = NULL
  omp "target map(inner_a[0:4])" "inner_a[0] = 5;"
  expect.equal(#state().present, 1)
  omp "target exit data map(from: a[0:4])"
  expect.host("a[0]", 5)
  expect.equal(#state().present, 0)
end)

case("differs: a copy of the parameter stays present with two-step mapping [LLNL-3.1-03]", function()
  begin { base = "indirect", section = "two-step" }
  host.b = host.a
  omp "target enter data map(to: b[0:4])"
  omp "target exit data map(from: a[0:4])" -- through another pointer
  expect.absent "a[0:4]"
  expect.present "b"
end)

case("accepts: value-first looks up the value, and the pointer only if that fails [LLNL-3.1-04]", function()
  begin { base = "indirect", section = "value-first" }
  omp "target data map(to: a[0:4])" (function()
    expect.present "a"
    omp "target data map(to: inner_a[0:4])" (function()
      expect.absent "inner_a"
      expect.count("a[0:4]", { structured = 2 })
    end)
  end)
end)

case("differs: two-step mapping also maps the second pointer [LLNL-3.1-04]", function()
  begin { base = "indirect", section = "two-step" }
  expect.accepts("target data map(to: a[0:4])", function()
    omp "target data map(to: inner_a[0:4])" (function() expect.present "inner_a" end)
  end)
end)

case("differs: Figure 5 fails with two-step mapping [LLNL-3.1-05]", function()
  begin { base = "indirect", section = "two-step", implicit = "tofrom" }
  expect.fails("host-pointer-on-device", figure5)
end)

case("differs: Figure 5 fails with one-step mapping [LLNL-3.1-05]", function()
  begin { base = "indirect", section = "one-step", implicit = "tofrom" }
  expect.fails("host-pointer-on-device", figure5)
end)

case("differs: Figure 5 fails with value-first mapping [LLNL-3.1-05]", function()
  begin { base = "indirect", section = "value-first", implicit = "tofrom" }
  expect.fails("host-pointer-on-device", figure5)
end)

case("accepts: Figure 5 works with implicit maps by type [LLNL-3.1-05]", function()
  begin { base = "indirect", section = "value-first", implicit = "by-type" }
  expect.equal(figure5(), { 11, 22, 33, 44 })
end)

-- -------------------------------------------------------------------------------------- by type --

case("accepts: a pointer is a section of length zero [LLNL-3.2-01 LLNL-3.2-02]", function()
  begin()
  omp "target data map(to: a[0:4])" (function()
    expect.moves(function() omp "target" "inner_a[1] = inner_a[0] + 4;" end, { h2d = 0, d2h = 0 })
    expect.device("a[1]", 5)
    expect.absent "inner_a"
  end)
end)

case("differs: a pointer to absent data keeps its host value [LLNL-3.2-01]", function()
  begin()
  expect.fails("host-pointer-on-device", function() omp "target" "inner_a[0] = 1;" end)
  expect.accepts("target", "if (inner_a == 0) x = 9;")
  expect.host("x", 1)
end)

case("differs: a pointer that is mapped as a value keeps its host address [LLNL-3.2-02]", function()
  begin()
  expect.accepts("target data map(to: a[0:4])", function()
    expect.fails("host-pointer-on-device", function() omp "target map(to: inner_a)" "inner_a[0] = 1;" end)
  end)
end)

-- Declares C++ references.
local function begin_references(wanted)
  begin(wanted)
  declare "double &rx = x, *&ra = a, (&rfield)[4] = field, &second = field[1]; struct pair &rpair = pair;"
end

case("accepts: a reference is a section of length zero, too [LLNL-3.2-01 LLNL-3.2-02]", function()
  begin_references()
  host.rx = 3
  expect.host("x + second", 3)
  omp "target data map(to: x, field) map(tofrom: pair)" (function()
    expect.moves(function()
      omp "target" "rx = rx + 4; second = 5; rfield[2] = 6; rpair.y = 7;"
    end, { h2d = 0, d2h = 0 })
    expect.device("x", 7)
    expect.device("field[1:2]", { 5, 6 })
    expect.present "rx"
  end)
  expect.host("x", 3)
  expect.host("rpair.y", 7)
  expect.accepts("target data map(to: a[0:4])", function()
    omp "target" "ra[1] = ra[0] + 8;"
    expect.device("a[1]", host "a[0] + 8")
  end)
end)

case("rejects: a kernel uses a reference to absent data [LLNL-3.2-01 LLNL-3.2-02]", function()
  begin_references()
  for _, body in ipairs { "rx = 1;", "double t = second;", "rfield[0] = 1;", "rpair.x = 1;", "ra[0] = 1;" } do
    expect.fails("host-pointer-on-device", function() omp "target"(body) end)
  end
  local err = expect.fails("host-pointer-on-device", function() omp "target" "rx = 1;" end)
  expect.equal(err.rule, "LLNL-3.2-02")
  expect.host("x", 1)
end)

case("accepts: a reference is mapped as a value by a clause or by defaultmap [LLNL-3.2-02]", function()
  begin_references()
  expect.moves(function()
    omp "target map(rx) map(from: rpair)" "rx = 2; rpair.x = 9;"
  end, { h2d = { count = 1, bytes = 8 }, d2h = { count = 2, bytes = 16 } })
  expect.host("x", 2)
  expect.host("pair.x", 9)
  omp "target defaultmap(tofrom: scalar)" "rx = 4;"
  expect.host("x", 4)
end)

case("accepts: a reference is its variable under other rules [LLNL-3.2-01]", function()
  begin_references "openmp-4.0"
  expect.moves(function()
    omp "target" "rx = 5;"
  end, { h2d = { count = 1, bytes = 8 }, d2h = { count = 1, bytes = 8 } })
  expect.host("x", 5)
end)

case("rejects: a reference names nothing, or a variable of another type [LLNL-3.2-01]", function()
  begin()
  for _, text in ipairs { "double &r;", "double &r = 4;", "float &r = x;", "double &r = x + 1;",
    "double &r[2] = field;" } do
    expect.invalid(text, "type-mismatch")
  end
  expect.invalid("double *null, &r = *null;", "null-pointer")
  expect.invalid("struct holds { int &r; };", "unsupported")
  expect.invalid("typedef int &r;", "unsupported")
  expect.malformed "double &&r = x;"
end)

case("accepts: values are mapped tofrom, including arrays [LLNL-3.2-03]", function()
  begin()
  expect.moves(function()
    omp "target" "x = x + 1; pair.y = 3; field[2] = 4;"
  end, { h2d = { count = 3, bytes = 48 }, d2h = { count = 3, bytes = 48 } })
  expect.host("x", 2)
  expect.host("pair.y", 3)
  expect.host("field[2]", 4)
end)

case("rejects: a value is mapped and firstprivate on one construct [LLNL-3.2-03 LLNL-3.2-04 OMP60-map-13]", function()
  begin()
  expect.accepts("target firstprivate(x)", "x = x + 1;")
  expect.host("x", 1)
  expect.invalid("target firstprivate(x) map(x)", "conflicting-clauses")
end)

case("accepts: a clause makes all values firstprivate [LLNL-3.2-04]", function()
  begin()
  expect.moves(function()
    omp "target defaultmap(firstprivate: scalar)" "x = x + 1; pair.y = x;"
  end, { d2h = { count = 1, bytes = 8 } })
  expect.host("x", 1)
  expect.host("pair.y", 2)
end)

case("accepts: both refinements together make Figure 5 work [LLNL-3.2-05]", function()
  begin()
  expect.equal(figure5(), { 11, 22, 33, 44 })
  expect.equal(#state().present, 0)
end)

case("differs: Figure 5 needs arrays that were mapped before [LLNL-3.2-05]", function()
  begin()
  expect.fails("host-pointer-on-device", function()
    omp "target teams distribute parallel for" "for (int i = 0; i < N; ++i) inner_a[i] += inner_b[i];"
  end)
end)
