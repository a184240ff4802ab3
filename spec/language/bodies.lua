-- Directive lines in texts, locals, switch, loops without an end.
scenario { title = "Directives and statements in texts", rules = "openmp-5.1" }

declare "int a[10], s, t = 4;"

local function wrong(code, rule, text, fields)
  local err = expect.fails(code, function() omp "target map(a, s)" (text) end)
  expect.equal(err.rule, rule)
  for key, value in pairs(fields or {}) do expect.equal(err[key], value) end
  expect.host("s", 0)
end

case("accepts: pragmas of others are skipped wherever a directive may be [HOUSE-bodies]", function()
  expect.moves(function()
    omp "target map(a)" [[
      #pragma unroll(4)
      for (int i = 0; i < 4; i++)
      #pragma GCC ivdep
        for (int k = 0; k < 2; k++) a[i] += k;
      #pragma omp parallel for
      #pragma clang loop vectorize(enable)
      for (int i = 4; i < 6; i++) a[i] = i;
      #pragma once
      #pragma
    ]]
  end, { h2d = { count = 1, bytes = 40 }, d2h = { count = 1, bytes = 40 } })
  expect.host("a[0:6]", { 1, 1, 1, 1, 4, 5 })
  declare "#pragma STDC FP_CONTRACT OFF\n#pragma message(\"x\")\nint b;"
end)

case("accepts: directives may span several lines, have comments, or be in _Pragma [HOUSE-bodies]", function()
  omp "target map(a, s)" [[
    # pragma   omp parallel \
        for /* over
        lines */ reduction(+: \
        s) // to the end
    for (int i = 0; i < 4; i++) s += i;
    _Pragma("omp parallel for private(t)")
    for (int i = 0; i < 4; i++) { t = i; a[i] = t; }
    if (s) {
      #pragma omp atomic
      s++;
    } else
      #pragma omp parallel
      s = 0;
    _Pragma("omp barrier");
  ]]
  expect.host("s", 7)
  expect.host("a[3]", 3)
  expect.host("t", 4)
  declare '_Pragma("omp declare target") int c = 1; _Pragma("omp end declare target")'
  expect.present "c"
end)

case("rejects: a line that looks like a directive is wrong [HOUSE-bodies]", function()
  wrong("syntax", "HOUSE-syntax", "#pragma omp nonsense kopy(zz)\n s = 1;")
  wrong("unknown-clause", "OMP60-map-1", "#pragma omp parallel privat(t)\n s = 1;",
    { help = "did you mean 'private'?" })
  wrong("clause-not-allowed", "OMP60-tgt-1", "#pragma omp parallel map(t)\n s = 1;")
  wrong("syntax", "HOUSE-bodies", "#pragma opm parallel\n s = 1;", { help = "did you mean 'omp'?" })
  wrong("syntax", "HOUSE-bodies", "#pragma OMP parallel\n s = 1;")
  wrong("syntax", "HOUSE-bodies", "#pragma ac loop\n s = 1;")
  wrong("unsupported", "HOUSE-version", "#pragma ompx bare\n s = 1;")
  wrong("unknown-name", "HOUSE-names", '_Pragma("omp parallel private(nobody)") s = 1;')
  wrong("syntax", "HOUSE-bodies", "s = 1;\n#pragma omp parallel")
  wrong("syntax", "HOUSE-bodies", "#pragma omp parallel\n int x;")
  wrong("syntax", "HOUSE-bodies", "if (s)\n#pragma omp barrier\n s = 1;")
  wrong("syntax", "HOUSE-syntax", "%:pragma omp parallel\n s = 1;")
  expect.fails("region-nesting", function() acc "parallel copy(s)" "#pragma acc update self(s)\n s = 1;" end)
end)

case("rejects: a directive among declarations is wrong or not supported"
  .. " [HOUSE-bodies HOUSE-version OMP60-map-14]", function()
  for _, name in ipairs { "unified_shared_memory", "self_maps", "unified_address" } do
    local err = expect.fails("unsupported", function() declare("#pragma omp requires " .. name) end)
    expect.equal(err.rule, "OMP60-map-14")
  end
  for _, text in ipairs { "threadprivate(s)", "declare simd", "declare variant(f) match(construct={target})",
    "declare reduction(mine: int: omp_out += omp_in)", "assumes no_openmp", "begin declare variant match(x)" } do
    local err = expect.fails("unsupported", function() declare("\n#pragma omp " .. text .. "\nint f(int);") end)
    expect.equal(err.rule, "HOUSE-version")
  end
  expect.fails("clause-not-allowed", function() declare "int x3;\n#pragma omp barrier" end)
  expect.fails("clause-not-allowed", function() declare "int x4;\n#pragma omp parallel\nint x5;" end)
  expect.fails("syntax", function() declare "#pragma opm declare target\nint x6;" end)
  expect.fails("unknown-clause", function() declare "#pragma omp requires reverse_ofload" end)
  expect.fails("clause-not-allowed", function() declare "int x7;\n#pragma acc loop\nint x8;" end)
end)

case("accepts: a requirement holds, and the directive nothing does nothing [HOUSE-version OMP60-map-14]", function()
  declare "#pragma omp requires reverse_offload dynamic_allocators\n#pragma omp nothing\nint x1;"
  omp "target map(s)" "#pragma omp nothing\n s = 3;"
  expect.accepts "omp nothing"
  expect.host("s", 3)
end)

case("accepts: a local variable is written before it is read [HOUSE-locals]", function()
  expect.moves(function()
    omp "target map(a)" "int q; q = 5; int r[2]; r[1] = q; int *p; p = r; a[0] = p[1]; int z; if (q) z = 1; a[1] = z;"
  end, { h2d = { count = 1, bytes = 40 }, d2h = { count = 1, bytes = 40 } })
  expect.host("a[0:2]", { 5, 1 })
end)

case("rejects: a local variable is read before it is written [HOUSE-locals]", function()
  expect.moves(function()
    for _, text in ipairs { "int q; s = q;", "int q; q++;", "int q; q += 1;", "int *p; s = *p;",
      "int q; if (s) q = 1; s = q;",
      "for (int i = 0; i < 2; i++) { int q; if (i) s = q; q = 1; }" } do
      local err = expect.fails("uninitialized-read", function() omp "target map(s)" (text) end)
      expect.equal(err.rule, "HOUSE-locals")
      expect.fails("uninitialized-read", function() omp "parallel" (text) end)
    end
  end, { h2d = { count = 6, bytes = 24 }, d2h = 0 })
  expect.fails("uninitialized-read", function() omp "target map(s)" "int r[2]; s = r[1];" end)
  expect.fails("uninitialized-read", function() omp "parallel" "int r[2]; s = r[1];" end)
  expect.host("s", 0)
end)

case("accepts: bytes that were never written are copied to the host and have no meaning [HOUSE-unwritten]", function()
  omp "target map(from: a)" "a[0] = 7;"
  expect.host("a[0:2]", { 7, 0x7F7F7F7F })
  omp "target enter data map(alloc: s)"
  omp "target update from(s)"
  expect.host("s", 0x7F7F7F7F)
end)

case("differs: device code cannot read bytes that were never written [HOUSE-unwritten]", function()
  expect.fails("uninitialized-read", function() omp "target map(from: a)" "a[0] = a[1];" end)
  omp "target enter data map(alloc: s)"
  expect.fails("uninitialized-read", function() expect.device("s", 0) end)
end)

case("accepts: a body may contain switch [HOUSE-version]", function()
  expect.moves(function()
    omp "target map(a)" [[
      for (int i = 0; i < 6; i++) {
        switch (i) {
          case 0: a[i] = 10; break;
          case 1: a[i] = 1;
          case 2: a[i] += 20; break;
          default: a[i] = -1; continue;
          case 'a' - 93: { a[i] = 44; }
        }
        a[i] += 100;
      }
    ]]
  end, { h2d = { count = 1, bytes = 40 }, d2h = { count = 1, bytes = 40 } })
  expect.host("a[0:6]", { 110, 121, 120, -1, 144, -1 })
end)

case("rejects: a label is outside of switch, repeated, or not constant [HOUSE-version]", function()
  wrong("syntax", "HOUSE-syntax", "case 1: s = 1;")
  wrong("duplicate-name", "HOUSE-names", "switch (s) { case 1: s = 1; case 1: s = 2; }")
  wrong("unknown-name", "HOUSE-names", "switch (s) { case x: s = 1; }")
  wrong("type-mismatch", "HOUSE-language", "switch (1.5) { case 1: s = 1; }")
  wrong("unsupported", "HOUSE-version", "switch (s) s = 1;")
end)
