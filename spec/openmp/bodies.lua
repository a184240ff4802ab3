-- Directives in bodies in C: constructs of threads, which one thread runs, and constructs that run on devices.
scenario { title = "OpenMP: directives in bodies", rules = "openmp-5.1" }

declare [[
  int a[10], b[4] = { 1, 2, 3, 4 }, m[3][4];
  int t = 4, s, n = 4, i = 9, j = 9;
  double d = 0.5;
  unsigned u = 7;
  struct pair { int x, y; } pair = { 1, 2 };
  int *p;
]]
host.p = { 5, 6, 7, 8 }

local function wrong(code, rule, text, construct)
  local at = text:find("@", 1, true)
  local body = text:gsub("@", "")
  local before = { host "a[0:10]", host "b[0:4]", host.t, host.s }
  local err = expect.fails(code, function() omp(construct or "target map(a, s, t, b)")(body) end)
  expect.equal(err.rule, rule)
  if at then
    local _, line = text:sub(1, at):gsub("\n", "")
    expect(line > 0 or err.column == at, ("%s: column %s, %s"):format(text, err.column, err.message))
  end
  expect.equal({ host "a[0:10]", host "b[0:4]", host.t, host.s }, before)
end

-- -------------------------------------------------------------------------------------- private copies --

case("accepts: a private variable is another variable than the original [OMP60-share-1]", function()
  omp "target map(a, t)" [[
    #pragma omp parallel for private(t)
    for (int i = 0; i < 2; i++) { t = i; a[i] = t + 1; }
  ]]
  expect.host("t", 4)
  expect.host("a[0:2]", { 1, 2 })
  omp "target map(a)" [[
    #pragma omp parallel private(t, b, pair)
    {
      t = 7; b[1] = 8; pair.y = 9;
      a[3] = t; a[4] = b[1]; a[5] = pair.y;
    }
  ]]
  expect.host("a[3:3]", { 7, 8, 9 })
  expect.host("pair.y", 2)
  expect.host("b[1]", 2)
end)

case("rejects: a private variable is read before it is written, or is unknown [OMP60-share-1]", function()
  wrong("uninitialized-read", "HOUSE-locals", "#pragma omp parallel private(t)\n a[0] = t;")
  wrong("uninitialized-read", "HOUSE-locals", "#pragma omp parallel private(t)\n t += 1;")
  wrong("uninitialized-read", "HOUSE-locals", "#pragma omp for private(t)\n for (int i = 0; i < 2; i++) a[i] = t++;")
  expect.fails("uninitialized-read", function()
    omp "target map(a)" "#pragma omp parallel private(b)\n { b[0] = 1; a[0] = b[1]; }"
  end)
  wrong("unknown-name", "HOUSE-names", "#pragma omp parallel private(nobody)\n a[0] = 1;")
  wrong("unknown-name", "HOUSE-names", "#pragma omp parallel shared(nobody)\n a[0] = 1;")
  wrong("conflicting-clauses", "OMP60-share-1", "#pragma omp parallel private(t) shared(t)\n a[0] = 1;")
  wrong("conflicting-clauses", "OMP60-share-1", "#pragma omp parallel private(t, t)\n a[0] = 1;")
  wrong("clause-not-allowed", "OMP60-share-1", "#pragma omp parallel private(pair.x)\n a[0] = 1;")
end)

case("accepts: a body has firstprivate and lastprivate variables, and variables that are both"
  .. " [OMP60-share-1]", function()
  omp "target map(a, t, b, pair)" [[
    #pragma omp parallel firstprivate(t, b, pair)
    { t += 1; b[0] += t; pair.x += 10; a[0] = t; a[1] = b[0]; a[2] = pair.x; }
    a[3] = t; a[4] = b[0]; a[5] = pair.x;
  ]]
  expect.host("a[0:6]", { 5, 6, 11, 4, 1, 1 })
  omp "target map(a, t, i)" [[
    #pragma omp parallel for lastprivate(t, i)
    for (i = 0; i < 5; i++) t = i * i;
    a[6] = t; a[7] = i;
  ]]
  expect.host("a[6:2]", { 16, 5 })
  omp "target map(t, s)" [[
    #pragma omp for firstprivate(t) lastprivate(t)
    for (int i = 0; i < 3; i++) t += i;
    s = t;
  ]]
  expect.host("s", 19)
  omp "target map(b, pair)" [[
    #pragma omp for lastprivate(b, pair)
    for (int i = 0; i < 3; i++) { b[i] = 10 * i; pair.y = i; }
  ]]
  expect.host("b[0:4]", { 0, 10, 20, 4 }) -- b[3], which no iteration wrote, keeps its value
  expect.host("pair.x", 1)
  expect.host("pair.y", 2)
end)

case("differs: a loop without iterations does not change its lastprivate variable [OMP60-share-1]", function()
  expect.moves(function()
    omp "target map(t)" "#pragma omp for lastprivate(t)\n for (int i = 0; i < 0; i++) t = i;"
  end, { h2d = { count = 1, bytes = 4 }, d2h = { count = 1, bytes = 4 } })
  expect.host("t", 4)
end)

case("accepts: linear variables advance with the loop [OMP60-share-1]", function()
  omp "target map(a, t, s)" [[
    #pragma omp for linear(t: 2)
    for (int i = 0; i < 4; i++) a[i] = t;
    #pragma omp simd linear(s)
    for (int i = 0; i < 4; i++) { a[4 + i] = s; s++; }
  ]]
  expect.host("a[0:8]", { 4, 6, 8, 10, 0, 1, 2, 3 })
  expect.host("t", 12)
  expect.host("s", 4)
end)

case("rejects: a linear step is not a number, or another clause has a step [OMP60-share-1 HOUSE-language]", function()
  wrong("type-mismatch", "HOUSE-language", "#pragma omp for linear(t: pair)\n for (int i = 0; i < 4; i++) a[i] = t;")
  wrong("syntax", "HOUSE-syntax", "#pragma omp for lastprivate(t@: 2)\n for (int i = 0; i < 4; i++) a[i] = t;")
end)

case("accepts: loop variables are private, and simd keeps their last values [OMP60-share-1]", function()
  omp "target map(a, i, j)" [[
    #pragma omp parallel for collapse(2)
    for (i = 0; i < 2; i++)
      for (j = 0; j < 3; j++) a[3 * i + j] = i + j;
    a[8] = i; a[9] = j;
  ]]
  expect.host("a[0:10]", { 0, 1, 2, 1, 2, 3, 0, 0, 9, 9 })
  omp "target map(a, i)" "#pragma omp simd\n for (i = 0; i < 3; i++) a[i] = 5;"
  expect.host("i", 3)
end)

case("accepts: default decides about variables that no clause names [OMP60-share-1]", function()
  omp "target map(a, t, s)" [[
    #pragma omp parallel default(none) shared(a) firstprivate(t)
    { int x = t; t = 0; for (int k = 0; k < 2; k++) a[k] = x + k; }
    #pragma omp parallel default(firstprivate) shared(a)
    { t = 1; a[2] = t; }
    #pragma omp parallel default(private) shared(s)
    { t = 6; s = t; }
  ]]
  expect.host("a[0:3]", { 4, 5, 1 })
  expect.host("t", 4)
  expect.host("s", 6)
end)

case("rejects: a variable is in no clause under default(none), or default has another word"
  .. " [OMP60-share-1]", function()
  wrong("default-none", "OMP60-share-1", "#pragma omp parallel default(none)\n a[0] = 1;")
  wrong("default-none", "OMP60-share-1", "#pragma omp parallel default(none) shared(a)\n { int x = 1; a[0] = x + t; }")
  wrong("clause-not-allowed", "OMP60-share-1", "#pragma omp parallel default(tofrom)\n a[0] = 1;")
end)

case("accepts: variables that are not shared around a task are firstprivate in the task [OMP60-share-1]", function()
  omp "target map(a, t) firstprivate(n)" [[
    int x = 1;
    #pragma omp task
    { x = 2; t = 5; n = 6; }
    #pragma omp taskwait
    a[0] = x; a[1] = t; a[2] = n;
    #pragma omp parallel
    {
      int y = 1;
      #pragma omp task
      { x = 3; y = 2; }
      #pragma omp task shared(y)
      y = y + 5;
      a[3] = x; a[4] = y;
    }
    #pragma omp taskloop
    for (int k = 0; k < 2; k++) a[5 + k] = x + k;
  ]]
  expect.host("a[0:7]", { 1, 5, 4, 3, 6, 3, 4 })
end)

case("accepts: reductions combine their result with the old value [OMP60-share-2]", function()
  omp "target map(s, t, d, u, b)" [[
    #pragma omp parallel for reduction(+: s, d) reduction(max: t)
    for (int i = 0; i < 10; i++) { s += i; d += 0.25; t = i > t ? i : t; }
    #pragma omp parallel reduction(*: u)
    u = 5;
    #pragma omp parallel for reduction(-: b)
    for (int i = 0; i < 4; i++) b[i] -= 10;
  ]]
  expect.host("s", 45)
  expect.host("t", 9)
  expect.host("d", 3)
  expect.host("u", 35)
  expect.host("b[0:4]", { -9, -8, -7, -6 })
  host.s, host.t, host.u = 12, 1, 6
  omp "target map(s, t, u)" [[
    #pragma omp parallel reduction(&: s) reduction(|| : t) reduction(^: u)
    { s &= 10; t = t || 0; u ^= 3; }
    #pragma omp parallel reduction(min: u) reduction(&& : t) reduction(|: s)
    { if (u > 4) u = 4; t = t && 0; s |= 1; }
  ]]
  expect.host("s", 9)
  expect.host("t", 0)
  expect.host("u", 4)
end)

case("rejects: a reduction in a target construct has a wrong variable or operator, or no map"
  .. " [OMP60-share-2]", function()
  expect.accepts("target", "#pragma omp parallel for reduction(+: s)\n for (int i = 0; i < 10; i++) s += i;")
  expect.host("s", 0)
  wrong("type-mismatch", "OMP60-share-2", "#pragma omp parallel reduction(+: pair)\n a[0] = 1;")
  wrong("type-mismatch", "OMP60-share-2", "#pragma omp parallel reduction(+: p)\n a[0] = 1;")
  wrong("unsupported", "HOUSE-version", "#pragma omp parallel reduction(mine: s)\n a[0] = 1;")
  expect.invalid("parallel reduction(mine: s)", "unsupported")
  expect.invalid("target parallel reduction(mine: s)", "unsupported")
  expect.invalid("target parallel reduction(+: a[1])", "unsupported")
  expect.invalid("parallel reduction(+: a[1])", "unsupported")
  wrong("unsupported", "HOUSE-version", "#pragma omp parallel reduction(+: a[0:2])\n a[0] = 1;")
end)

-- ---------------------------------------------------------------------------------------------- loops --

case("accepts: constructs of threads are combined and nested [OMP60-loop-1]", function()
  omp "target map(m, s)" [[
    #pragma omp teams reduction(+: s)
    #pragma omp distribute
    for (int i = 0; i < 3; i++)
      #pragma omp parallel for simd schedule(static, 1) reduction(+: s)
      for (int j = 0; j < 4; j++) { m[i][j] = 10 * i + j; s++; }
  ]]
  expect.host("m[2][3]", 23)
  expect.host("s", 12)
  omp "target map(a)" [[ {
    #pragma omp parallel num_threads(n) if(parallel: n > 2) proc_bind(close)
    {
      #pragma omp single
      a[0] = 1;
      #pragma omp masked
      a[1] = 2;
      #pragma omp barrier
      #pragma omp critical(name) hint(0)
      { a[2] = 3; }
      #pragma omp sections
      {
        a[3] = 4;
        #pragma omp section
        { a[4] = 5; }
        #pragma omp section
        a[5] = 6; a[6] = 7;
      }
      #pragma omp for ordered nowait
      for (int i = 7; i < 9; i++) {
        #pragma omp ordered
        a[i] = i + 1;
      }
      #pragma omp flush(a)
    }
    #pragma omp taskgroup
    {
      #pragma omp task depend(out: a[9])
      a[9] = 10;
    }
    #pragma omp taskwait
  } ]]
  expect.host("a[0:10]", { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
  omp "target map(m)" [[
    #pragma omp loop collapse(2) bind(thread)
    for (int i = 2; i >= 0; i -= 1)
    {
      int half = i / 2;
      for (int j = 0; 4 > j; j = j + 1) m[i][j] = half;
    }
  ]]
  expect.host("m[2][3]", 1)
  omp "target map(a)" "#pragma omp for\n for (int i = 0; i < 2; i++) { if (i == 0) continue; a[i] = 5; }"
  expect.host("a[0:2]", { 1, 5 })
end)

case("rejects: a loop does not count, or collapse needs more loops [OMP60-loop-1]", function()
  local function bad(text) wrong("syntax", "OMP60-loop-1", text) end
  bad "#pragma omp for\n a[0] = 1;"
  bad "#pragma omp for\n { for (int i = 0; i < 2; i++) a[i] = 1; }"
  bad "#pragma omp parallel for collapse(2)\n for (int i = 0; i < 2; i++) a[i] = 1;"
  bad "#pragma omp for collapse(3)\n for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) a[i] = 1;"
  bad "#pragma omp for\n for (int i = 0; a[i]; i++) a[i] = 1;"
  bad "#pragma omp for\n for (int i = 0; i < 2; i *= 2) a[i] = 1;"
  bad "#pragma omp for\n for (int i = 0; i < 2; i++) { a[i] = 1; i = 2; }"
  bad "#pragma omp for\n for (int i = 0, k = 0; i < 2; i++) a[i] = k;"
  bad "#pragma omp for\n for (;;) a[0] = 1;"
  bad "#pragma omp simd collapse(n)\n for (int i = 0; i < 2; i++) a[i] = 1;"
  wrong("region-nesting", "OMP60-loop-1", "#pragma omp for\n for (int i = 0; i < 2; i++) { a[i] = 1; break; }")
  -- the rule also holds for the construct itself
  wrong("syntax", "OMP60-loop-1", "for (int i = 0; i < 2; i++) a[i] = 1;", "target parallel for map(a) collapse(2)")
  wrong("syntax", "OMP60-loop-1", "for (int i = 0; i < 2; i++) a[i] = 1;", "for collapse(2)")
end)

-- --------------------------------------------------------------------------------------------- atomics --

case("accepts: atomic applies to statements of all its forms [OMP60-atomic-1]", function()
  omp "target map(a, s, t)" [[
    #pragma omp atomic
    s++;
    #pragma omp atomic update seq_cst
    s = s * 2;
  ]]
  expect.host("s", 2)
  omp "target map(a, s, t)" [[
    #pragma omp atomic write
    s = 5 * t;
    #pragma omp atomic read
    a[0] = s;
    #pragma omp atomic update
    s = 1 - s;
    #pragma omp atomic update
    a[0] <<= 1;
    #pragma omp atomic capture
    a[1] = s++;
    #pragma omp atomic capture
    { a[2] = s; s += 10; }
    #pragma omp atomic capture
    { s -= 1; a[3] = s; }
    #pragma omp atomic capture
    { a[4] = s; s = 77; }
    #pragma omp atomic compare
    if (s < 100) { s = 100; }
    #pragma omp atomic compare
    t = t < 50 ? 50 : t;
  ]]
  expect.host("a[0:5]", { 40, -19, -18, -9, -9 })
  expect.host("s", 100)
  expect.host("t", 50)
end)

case("rejects: a statement does not have the form that atomic needs, or atomic has two words"
  .. " [OMP60-atomic-1]", function()
  local function bad(text) wrong("syntax", "OMP60-atomic-1", text) end
  bad "#pragma omp atomic\n s = t;"
  bad "#pragma omp atomic\n s = s + s;"
  bad "#pragma omp atomic\n s += s;"
  bad "#pragma omp atomic\n { s++; t++; }"
  bad "#pragma omp atomic read\n s = 5;"
  bad "#pragma omp atomic write\n s++;"
  bad "#pragma omp atomic write\n s = s + 1;"
  bad "#pragma omp atomic capture\n s++;"
  bad "#pragma omp atomic capture\n { t = s; a[0]++; }"
  bad "#pragma omp atomic capture\n { t = s; s++; a[0] = 1; }"
  bad "#pragma omp atomic compare\n s = 5;"
  bad "#pragma omp atomic\n if (s) t++;"
  wrong("conflicting-clauses", "OMP60-atomic-1", "#pragma omp atomic read write\n s = t;")
  wrong("unknown-clause", "OMP60-map-1", "#pragma omp atomic reed\n s = t;")
end)

-- ------------------------------------------------------------------------------------ directives in bodies --

case("accepts: device constructs in bodies of the host run on devices [OMP60-body-1]", function()
  omp "parallel" [[ {
    #pragma omp target map(to: a)
    a[0] = 77;
    s++;
  } ]]
  expect.host("a[0]", 0)
  expect.host("s", 1)
  omp "target enter data map(to: a)"
  host.a[1] = 5
  omp "single" [[
    #pragma omp target update to(a)
    ;
  ]]
  expect.device("a[1]", 5)
  omp "target exit data map(delete: a)"
  omp "parallel" [[ {
    #pragma omp target data map(tofrom: a) map(to: b)
    {
      a[2] = 1;                       // the host's
      #pragma omp target
      { a[2] = b[3]; a[3] = 8; }
      #pragma omp target update from(a[3:1])
      s = a[3] + a[2];
    }
    #pragma omp target enter data map(to: b)
    #pragma omp target exit data map(delete: b)
  } ]]
  expect.host("s", 9)
  expect.host("a[2]", 4)
  expect.absent "b"
end)

case("accepts: device constructs map variables of the body, and private ones [OMP60-body-1]", function()
  omp "parallel private(t) shared(s)" [[ {
    int x = 3, list[4], *q = list;
    for (int k = 0; k < 4; k++) list[k] = k;
    #pragma omp target map(tofrom: x, list) map(from: t)
    { x = x + 1; t = 20; for (int k = 0; k < 4; k++) list[k] *= 2; }
    #pragma omp target map(q[0:4])
    q[3] += 1;
    #pragma omp for private(i)
    for (int k = 0; k < 2; k++) {
      i = k;
      #pragma omp target map(i)
      i += 5;
      s += i;
    }
    s = s + x + list[3] + t;
  } ]]
  expect.host("s", 5 + 6 + 4 + 7 + 20)
  expect.host("i", 9)
  expect.host("t", 4)
  expect.equal(#state().present, 0)
end)

case("rejects: a body contains a wrong device construct, which is reported at its place"
  .. " [OMP60-body-1 OMP60-tgt-1]", function()
  wrong("not-present", "OMP60-map-9", "{\n#pragma omp target map(present, to: b)\n s = 1; }", "parallel")
  wrong("clause-not-allowed", "OMP60-map-1", "{\n#pragma omp target enter data map(from: b)\n }", "parallel")
  wrong("unknown-name", "HOUSE-names", "{\n#pragma omp target map(nobody)\n s = 1; }", "parallel")
  wrong("region-nesting", "OMP60-nest-1", "{\n#pragma omp target data map(b)\n { return; } }", "parallel")
  wrong("region-nesting", "OMP60-nest-1", "if (s == 0) return;", "parallel")
  wrong("uninitialized-read", "HOUSE-locals", "{ int x;\n#pragma omp target map(to: b)\n b[0] = 1;\n s = x; }",
    "parallel")
  wrong("region-nesting", "OMP60-tgt-1", "{\n#pragma omp end target data\n }", "parallel")
  wrong("clause-not-allowed", "OMP60-tgt-1", "{\n#pragma omp declare target(b)\n }", "parallel")
  wrong("clause-not-allowed", "OMP60-tgt-1", "#pragma omp requires reverse_offload\n ;")
  wrong("unsupported", "HOUSE-version", "{\n#pragma omp declare group shared(b)\n }", "parallel")
  local err = expect.fails("not-present", function()
    omp "parallel" [[ {
      s = 1;
      #pragma omp target map(present, to: b)
      s = 2; } ]]
  end)
  expect.equal({ err.line, err.column }, { 416, 43 })
  expect.absent "b"
end)

case("accepts: bodies of the host contain directives of OpenACC [OMP60-body-1]", function()
  expect.moves(function()
    omp "parallel" [[ {
      #pragma acc data copy(a) copyin(b)
      {
        #pragma acc parallel loop present(a)
        for (int k = 0; k < 4; k++) a[k] = 2 * b[k];
      }
      #pragma acc enter data copyin(b)
      #pragma acc update self(b)
      #pragma acc exit data delete(b)
    } ]]
  end, { h2d = { count = 3, bytes = 72 }, d2h = { count = 2, bytes = 56 } })
  expect.host("a[0:4]", { 2, 4, 6, 8 })
  expect.absent "b"
end)
