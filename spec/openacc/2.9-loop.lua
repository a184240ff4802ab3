-- Directives in bodies of compute constructs in C: loop, cache, atomic, and those that are errors there. The clause
-- self.
scenario { title = "OpenACC: directives in bodies", rules = "openacc-3.3" }

declare [[
  int a[10], m[3][4], s, t = 4, i = 9, n = 3, r[4], *p = r;
  double d;
  struct pair { int x, y; } pair;
]]

local FOR = "\n for (int i = 0; i < 4; i++) "

local function wrong(code, rule, text, construct)
  local err = expect.fails(code, function() acc(construct or "parallel copy(a, s)")(text) end)
  expect.equal(err.rule, rule)
  expect.host("a[0]", 0)
  expect.host("s", 0)
end

case("accepts: loop has all its clauses, in every compute construct [ACC33-2.9-1]", function()
  expect.moves(function()
    for _, construct in ipairs { "parallel", "serial", "kernels" } do
      acc(construct .. " copy(a)") [[
        #pragma acc loop gang worker vector independent
        for (int i = 0; i < 4; i++) a[i] += 1;
        #pragma acc loop seq
        for (int i = 4; i < 6; i++) a[i] += 1;
        #pragma acc loop auto private(t) device_type(nvidia) gang device_type(*) vector
        for (int i = 6; i < 10; i++) { t = i; a[t] += 1; }
      ]]
    end
  end, { h2d = { count = 3, bytes = 120 }, d2h = { count = 3, bytes = 120 } })
  expect.host("a[0:10]", { 3, 3, 3, 3, 3, 3, 3, 3, 3, 3 })
  expect.accepts("kernels copy(a)",
    "#pragma acc loop gang(n) worker(2) vector(length: 32)\n for (int i = 0; i < 4; i++) a[i] = i;")
  acc "parallel copy(a)" "#pragma acc loop gang(static: *)\n for (int i = 0; i < 4; i++) a[i] += i;"
  expect.host("a[3]", 6)
end)

case("rejects: sizes and dimensions of levels stand where they have no place, or twice [ACC33-2.9-1]", function()
  local function bad(code, clause, construct)
    wrong(code, "ACC33-2.9-1", ("#pragma acc loop %s%s a[i] = 1;"):format(clause, FOR), construct)
  end
  bad("clause-not-allowed", "gang(num: 2)", "kernels num_gangs(4) copy(a)")
  bad("clause-not-allowed", "worker(2)", "kernels num_workers(n) copy(a)")
  bad("clause-not-allowed", "vector(length: 32)", "kernels vector_length(64) copy(a)")
  bad("clause-not-allowed", "gang(dim: 1)", "kernels copy(a)")
  bad("clause-not-allowed", "worker(num: 2)")
  bad("syntax", "gang(static: 2, static: *)")
  bad("syntax", "gang(2, num: 2)", "kernels copy(a)")
  bad("syntax", "tile(0)")
  bad("syntax", "tile(*, -1)")
  wrong("clause-not-allowed", "ACC33-2.9-1", "for (int i = 0; i < 4; i++) a[i] = 1;", "parallel loop gang(4) copy(a)")
  wrong("conflicting-clauses", "ACC33-2.9-1", "for (int i = 0; i < 4; i++) a[i] = 1;", "serial loop seq auto copy(a)")
end)

case("rejects: clauses of loop exclude each other, or belong to other directives [ACC33-2.9-1]", function()
  wrong("conflicting-clauses", "ACC33-2.9-1", "#pragma acc loop seq independent" .. FOR .. "a[i] = 1;")
  wrong("conflicting-clauses", "ACC33-2.9-1", "#pragma acc loop gang seq" .. FOR .. "a[i] = 1;")
  wrong("conflicting-clauses", "ACC33-2.9-1", "#pragma acc loop collapse(1) tile(2)" .. FOR .. "a[i] = 1;")
  wrong("duplicate-clause", "ACC33-2.9-1", "#pragma acc loop gang gang" .. FOR .. "a[i] = 1;")
  wrong("clause-not-allowed", "ACC33-2.9-1", "#pragma acc loop gang(4)" .. FOR .. "a[i] = 1;")
  wrong("clause-not-allowed", "ACC33-2.9-1", "#pragma acc loop vector(32)" .. FOR .. "a[i] = 1;")
  wrong("clause-not-allowed", "ACC33-2.7-8", "#pragma acc loop copy(a)" .. FOR .. "a[i] = 1;")
  wrong("unknown-clause", "ACC33-2.7-8", "#pragma acc loop rediction(+:s)" .. FOR .. "a[i] = 1;")
  wrong("syntax", "HOUSE-syntax", "#pragma acc looop" .. FOR .. "a[i] = 1;")
  for _, text in ipairs { "seq(3)", "independent(1)", "collapse", "tile", "tile(2,)", "gang()", "gang(often: 2)",
    "vector(num: 32)", "worker(2 3)", "device_type" } do
    wrong("syntax", "ACC33-2.9-1", "#pragma acc loop " .. text .. FOR .. "a[i] = 1;")
  end
  expect.invalid("acc parallel num_gangs", "syntax")
  expect.invalid("acc exit data delete(a) finalize(1)", "syntax")
  expect.fails("region-nesting", function() acc "loop gang" end)
  expect.fails("region-nesting", function() omp "parallel" ("#pragma acc loop" .. FOR .. "a[i] = 1;") end)
end)

case("accepts: gang, worker and vector loops are nested in this order [ACC33-2.9-2]", function()
  expect.moves(function()
    acc "parallel copy(m)" [[
      #pragma acc loop gang
      for (int i = 0; i < 3; i++) {
        #pragma acc loop worker vector
        for (int j = 0; j < 4; j++) m[i][j] = i + j;
      }
    ]]
  end, { h2d = { count = 1, bytes = 48 }, d2h = { count = 1, bytes = 48 } })
  expect.host("m[2][3]", 5)
  acc "parallel loop gang copy(m)" [[
    for (int i = 0; i < 3; i++) {
      #pragma acc loop vector
      for (int j = 0; j < 4; j++) {
        #pragma acc loop seq
        for (int k = 0; k < 2; k++) m[i][j] += k;
      }
    }
  ]]
  expect.host("m[2][3]", 6)
end)

case("accepts: gang loops are nested from higher to lower dimensions [ACC33-2.9-2]", function()
  expect.moves(function()
    acc "parallel copy(m)" [[
      #pragma acc loop gang(dim: 3)
      for (int k = 0; k < 1; k++)
        #pragma acc loop gang(dim:2)
        for (int i = 0; i < 3; i++) {
          #pragma acc loop gang
          for (int j = 0; j < 4; j++) m[i][j] = i - j;
        }
    ]]
  end, { h2d = { count = 1, bytes = 48 }, d2h = { count = 1, bytes = 48 } })
  expect.host("m[2][1]", 1)
  expect.accepts("parallel loop gang(static: 4, dim: 1) copy(m)", "for (int i = 0; i < 3; i++) m[i][0] = 5;")
  expect.accepts("parallel loop gang(dim: t) copy(m)", "for (int i = 0; i < 3; i++) m[i][0] = 5;") -- t is a constant
  declare "#pragma acc routine gang(dim: 2)\n"
end)

case("rejects: a gang dimension is invalid, or the dimensions of nested loops do not decrease"
  .. " [ACC33-2.9-2]", function()
  for _, dimension in ipairs { "9", "0", "4", "-1", "1.5", "12" } do
    wrong("syntax", "ACC33-2.9-2", "#pragma acc loop gang(dim: " .. dimension .. ")" .. FOR .. "a[i] = 1;")
    expect.invalid(("acc parallel loop gang(static: *, dim:%s) copy(a)"):format(dimension), "syntax")
  end
  expect.fails("syntax", function() declare "#pragma acc routine gang(dim: 4)\n" end)
  local wrongly = { ["gang(dim: 1)"] = "gang(dim: 2)", ["gang(dim: 2)"] = "gang(dim: 2)", gang = "gang(dim: 1)" }
  for outer, inner in pairs(wrongly) do
    wrong("region-nesting", "ACC33-2.9-2", ("#pragma acc loop %s\n for (int k = 0; k < 2; k++) {\n"
      .. "#pragma acc loop %s%s s++; }"):format(outer, inner, FOR))
  end
end)

case("rejects: gang, worker and vector loops are nested in a wrong order [ACC33-2.9-2]", function()
  local function nested(outer, inner)
    wrong("region-nesting", "ACC33-2.9-2", ("#pragma acc loop %s\n for (int k = 0; k < 2; k++) {\n"
      .. "#pragma acc loop %s%s s++; }"):format(outer, inner, FOR))
  end
  nested("gang", "gang")
  nested("worker", "gang")
  nested("worker", "worker")
  nested("vector", "worker")
  nested("vector", "vector")
  wrong("region-nesting", "ACC33-2.9-2", "for (int k = 0; k < 2; k++) {\n#pragma acc loop gang" .. FOR .. "s++; }",
    "parallel loop gang copy(s)")
end)

case("accepts: collapse and tile apply to as many loops as they say [ACC33-2.9-3]", function()
  expect.moves(function()
    acc "parallel copy(m)" [[
      #pragma acc loop collapse(2)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) m[i][j] = 1;
      #pragma acc loop tile(2, *)
      for (int i = 0; i < 3; i++) { for (int j = 0; j < 4; j++) m[i][j] += 1; }
    ]]
  end, { h2d = { count = 1, bytes = 48 }, d2h = { count = 1, bytes = 48 } })
  expect.host("m[2][3]", 2)
  acc "parallel loop collapse(2) copy(m)" "for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) m[i][j] = 7;"
  expect.host("m[1][1]", 7)
  -- both ends move, and the number of iterations is the same; tile does not ask for that
  acc "parallel loop collapse(2) copy(m)" "for (int i = 0; i < 3; i++) for (int j = i; j < i + 2; j++) m[i][j - i] = 6;"
  acc "parallel loop tile(2, 2) copy(m)" "for (int i = 0; i < 3; i++) for (int j = i; j < 1; j++) m[i][j] = 8;"
  expect.host("m[2][0:3]", { 6, 6, 7 })
  expect.host("m[0][0]", 8)
  -- continue does not leave the loop
  acc "parallel copy(m)" ("#pragma acc loop" .. FOR .. "{ if (i == 1) continue; m[0][i] = 9; }")
  expect.host("m[0][0:3]", { 9, 6, 9 })
end)

case("accepts: collapse with force has statements between its loops [ACC33-2.9-3]", function()
  acc "parallel copy(m) private(t)" [[
    #pragma acc loop collapse(force: 2)
    for (int i = 0; i < 3; i++) {
      t = 10 * i;
      { int k = t + 1; for (int j = 0; j < 4; j++) m[i][j] = j; m[i][0] = k; }
    }
  ]]
  expect.host("m[2][0:4]", { 21, 1, 2, 3 })
  acc "parallel loop collapse(force: 2) copy(m)" [[
    for (int i = 0; i < 3; i++) { t = i; for (int j = 0; j < 4; j++) m[i][j] = t + j; }
  ]]
  expect.host("m[2][3]", 5)
end)

case("rejects: loops, directives and routines stand between the loops of collapse with force [ACC33-2.9-3]", function()
  local function between(statements)
    wrong("syntax", "ACC33-2.9-3", ("#pragma acc loop collapse(force: 2)%s{ %s\n"
      .. "for (int j = 0; j < 2; j++) a[i] = j; }"):format(FOR, statements))
  end
  between "while (s > 2) s--;"
  between "if (s) for (int k = 0; k < 2; k++) s++;"
  between "\n#pragma acc atomic\n s += 1;"
  between "\n#pragma acc loop private(t)\n for (int k = 0; k < 2; k++) t = k;"
  between "s = acc_get_device_num(acc_device_default);"
  wrong("syntax", "ACC33-2.9-3", "#pragma acc loop collapse(force: 2)" .. FOR .. "s++;")
end)

case("accepts: a loop with seq need not count, and is left at any time [ACC33-2.9-3]", function()
  acc "parallel copy(a)" [[
    #pragma acc loop seq
    for (int i = 1; i < 9; i *= 2) { if (i == 8) break; a[i] = i; }
  ]]
  acc "serial loop seq copy(a)" "for (int i = 5; ; i--) { a[i] += 1; if (i < 4) break; }"
  expect.host("a[0:6]", { 0, 1, 2, 1, 5, 1 })
  acc "parallel copy(a, p[0:4])" ("#pragma acc loop\n for (int *q = p; q < p + 4; q++) *q = 7;")
  expect.host("r[3]", 7)
end)

case("rejects: a loop counts a number that is no integer, or has no variable [ACC33-2.9-3]", function()
  wrong("type-mismatch", "ACC33-2.9-3", "#pragma acc loop\n for (double x = 0; x < 4; x += 1) s++;")
  wrong("type-mismatch", "ACC33-2.9-3", "#pragma acc loop\n for (d = 0; d < 4; d += 1) s++;", "parallel copy(s, d)")
  wrong("syntax", "ACC33-2.9-3", "#pragma acc loop seq\n for (; s < 4;) s++;")
  wrong("syntax", "ACC33-2.9-3", "#pragma acc loop seq collapse(2)\n for (int i = 1; i < 9; i *= 2)"
    .. " for (int j = 0; j < 2; j++) s++;")
end)

case("rejects: there are too few loops, statements between loops, or no loop [ACC33-2.9-3]", function()
  local function bad(text, construct) wrong("syntax", "ACC33-2.9-3", text, construct) end
  bad("#pragma acc loop collapse(2)" .. FOR .. "a[i] = 1;")
  bad("#pragma acc loop tile(2, 2)" .. FOR .. "a[i] = 1;")
  bad("#pragma acc loop collapse(2)" .. FOR .. "{ s++; for (int j = 0; j < 2; j++) a[i] = j; }")
  bad("#pragma acc loop collapse(2)" .. FOR .. "for (int j = i; j < 2; j++) a[j] = i;")
  bad("#pragma acc loop collapse(2)" .. FOR .. "for (int j = 0; 2 * i > j; j++) a[j] = i;")
  bad("for (int i = 0; i < 4; i++) for (int j = 0; j < 4 - i; ++j) a[i] = 1;", "parallel loop collapse(2) copy(a, s)")
  bad "#pragma acc loop\n s++;"
  bad "#pragma acc loop\n while (s < 3) s++;"
  bad "#pragma acc loop\n for (int i = 1; i < 4; i *= 2) s++;"
  bad("for (int i = 0; i < 4; i++) a[i] = 1;", "parallel loop collapse(2) copy(a, s)")
  wrong("region-nesting", "ACC33-2.9-3", "#pragma acc loop" .. FOR .. "{ s++; break; }")
  wrong("syntax", "HOUSE-bodies", "s++;\n#pragma acc loop")
  wrong("syntax", "HOUSE-bodies", "#pragma acc loop\n int x = 1;")
end)

case("accepts: private variables and loop variables are private [ACC33-2.9-4]", function()
  acc "parallel copy(a, t, i)" [[
    #pragma acc loop private(t)
    for (i = 0; i < 2; i++) { t = i; a[i] = t + 10; }
    a[2] = t; a[3] = i;
  ]]
  expect.host("a[0:4]", { 10, 11, 4, 9 })
  expect.host("t", 4)
  expect.host("i", 9)
end)

case("rejects: a kernel reads a private variable without a value, or private names an unknown variable"
  .. " [ACC33-2.9-4]", function()
  wrong("uninitialized-read", "HOUSE-locals", "#pragma acc loop private(t)" .. FOR .. "a[i] = t;")
  wrong("unknown-name", "HOUSE-names", "#pragma acc loop private(nobody)" .. FOR .. "a[i] = 1;")
  wrong("conflicting-clauses", "ACC33-2.9-4", "#pragma acc loop private(s) reduction(+: s)" .. FOR .. "s += 1;")
end)

case("accepts: a reduction is combined with the variable of a data clause [ACC33-2.9.11-1]", function()
  expect.moves(function()
    acc "parallel copy(a, s, d)" [[
      #pragma acc loop reduction(+: s) reduction(max: d)
      for (int i = 0; i < 10; i++) { s += 1; d = i > d ? i : d; }
    ]]
  end, { h2d = { count = 3, bytes = 52 }, d2h = { count = 3, bytes = 52 } })
  expect.host("s", 10)
  expect.host("d", 9)
  acc "serial reduction(+: s)" "#pragma acc loop reduction(+: s)\n for (int k = 0; k < 2; k++) s += 5;"
  expect.host("s", 20)
  acc "parallel copy(s)" [[
    #pragma acc loop gang reduction(+: s)
    for (int i = 0; i < 2; i++) {
      #pragma acc loop vector reduction(+: s)
      for (int j = 0; j < 3; j++) s += 1;
    }
  ]]
  expect.host("s", 26)
end)

case("differs: a reduction is not combined if another clause on the variable forbids this"
  .. " [ACC33-2.9.11-1 ACC33-impl-1]", function()
  expect.accepts("parallel firstprivate(s)", "#pragma acc loop reduction(+: s)\n for (int k = 0; k < 2; k++) s += 5;")
  expect.host("s", 0)
  expect.accepts("parallel copyin(s)", "#pragma acc loop reduction(+: s)\n for (int k = 0; k < 2; k++) s += 5;")
  expect.host("s", 0)
  wrong("syntax", "HOUSE-syntax", "#pragma acc loop reduction(plus: s)" .. FOR .. "s += 1;")
end)

case("accepts: a reduction of a loop has its variable in a clause, or is in kernels [ACC33-impl-4]", function()
  local ADD = "#pragma acc loop reduction(+: s)\n for (int k = 0; k < 2; k++) s += 5;"
  local both = { h2d = { count = 1, bytes = 4 }, d2h = { count = 1, bytes = 4 } }
  for _, construct in ipairs { "parallel copy(s)", "serial reduction(+: s)", "kernels" } do
    expect.moves(function() acc(construct)(ADD) end, both)
  end
  acc "data copy(s)" (function() acc "parallel" (ADD) end)
  expect.host("s", 40)
  expect.accepts("parallel firstprivate(s)", ADD)
  acc "parallel copy(a)" ("{ int s = 0;\n" .. ADD .. " a[0] = s; }")
  acc "parallel copy(a)" ("#pragma acc loop private(s)" .. FOR .. "{ s = i;\n" .. ADD .. " a[i + 1] = s; }")
  expect.host("s", 40)
  expect.host("a[0:5]", { 10, 10, 11, 12, 13 })
  acc "parallel loop reduction(+: s)" "for (int k = 0; k < 2; k++) s += 5;"
  expect.host("s", 50)
end)

case("rejects: a loop in parallel or serial reduces a scalar that is in no clause [ACC33-impl-4]", function()
  local ADD = "#pragma acc loop reduction(+: s)" .. FOR .. "s += 5;"
  wrong("missing-clause", "ACC33-impl-4", ADD, "parallel")
  wrong("missing-clause", "ACC33-impl-4", ADD, "serial copy(a)")
  wrong("missing-clause", "ACC33-impl-4", "for (int k = 0; k < 2; k++) {\n" .. ADD .. " s = 0; }",
    "parallel loop copy(a)")
  acc "enter data copyin(s)" -- is not visible
  wrong("missing-clause", "ACC33-impl-4", ADD, "parallel")
end)

for _, profile in ipairs { "tr14", "libgomp-12" } do
  case(("differs: a scalar that a loop reduces is copied under %s [ACC33-impl-4]"):format(profile), function()
    rules(profile)
    declare "int t;"
    expect.moves(function()
      acc "parallel" ("#pragma acc loop reduction(+: t)" .. FOR .. "t += 5;")
    end, { h2d = { count = 1, bytes = 4 }, d2h = { count = 1, bytes = 4 } })
    expect.host("t", 20)
  end)
end

case("accepts: gangs of one dimension reduce [ACC33-2.9.11-2]", function()
  acc "parallel num_gangs(2) reduction(+: s)" "s += 1;"
  acc "parallel loop gang(dim: 1) reduction(+: s) num_gangs(4)" "for (int i = 0; i < 3; i++) s += 1;"
  acc "parallel copy(s) num_gangs(2, 2)" "#pragma acc loop vector reduction(+: s)\n for (int i = 0; i < 3; i++) s++;"
  expect.host("s", 7)
end)

case("rejects: gangs of several dimensions reduce [ACC33-2.9.11-2]", function()
  local ADD = FOR .. "s += 1;"
  wrong("conflicting-clauses", "ACC33-2.9.11-2", "s += 1;", "parallel num_gangs(2, 2) reduction(+: s)")
  wrong("conflicting-clauses", "ACC33-2.9.11-2", "#pragma acc loop gang(dim: 2) reduction(+: s)" .. ADD)
  wrong("conflicting-clauses", "ACC33-2.9.11-2", ADD, "parallel loop gang(dim: 3) reduction(+: s)")
  wrong("conflicting-clauses", "ACC33-2.9.11-2", "#pragma acc loop gang reduction(+: s)" .. ADD,
    "parallel num_gangs(2, 2) copy(s)")
  wrong("conflicting-clauses", "ACC33-2.9.11-2", ADD, "parallel loop gang num_gangs(2, 1) reduction(+: s)")
end)

-- An inner loop that reduces s, inside of a loop with a directive and statements before the inner loop.
local function nested(outer, before, inner, after)
  return ("#pragma acc loop %s%s{ %s\n#pragma acc loop %s\n for (int j = 0; j < 2; j++) s += 1; %s }"):format(outer,
    FOR, before, inner, after or "")
end

case("accepts: a reduction that spans loops is on each of them, and others start again [ACC33-2.9.11-3]", function()
  acc "parallel copy(s)" (nested("gang reduction(+: s)", "", "vector reduction(+: s)"))
  expect.host("s", 8)
  acc "parallel copy(s, a)" (nested("seq", "s = i;", "vector reduction(+: s)", "a[i] = s;"))
  acc "parallel copy(a)" (nested("gang", "int s = i;", "vector reduction(+: s)", "a[i] += s;"))
  acc "parallel copy(a, s)" (nested("gang private(s)", "s = i;", "vector reduction(+: s)", "a[i] += s;"))
  expect.host("a[0:4]", { 6, 9, 12, 15 })
  acc "parallel loop reduction(+: s) copy(s)" [[
    for (int i = 0; i < 2; i++) {
      #pragma acc loop seq reduction(+: s)
      for (int j = 0; j < 2; j++) s += 1;
    }
  ]]
  expect.host("s", 9)
end)

case("rejects: a loop around a reduction does not reduce, or reduces by another operator [ACC33-2.9.11-3]", function()
  wrong("missing-clause", "ACC33-2.9.11-3", nested("gang", "", "vector reduction(+: s)"))
  wrong("missing-clause", "ACC33-2.9.11-3", nested("seq", "a[i] = s;", "vector reduction(+: s)"))
  wrong("missing-clause", "ACC33-2.9.11-3", "for (int i = 0; i < 2; i++) {\n#pragma acc loop reduction(+: s)" .. FOR
    .. "s++; }", "parallel loop copy(s)")
  wrong("conflicting-clauses", "ACC33-2.9.11-3", nested("gang reduction(*: s)", "", "vector reduction(+: s)"))
  wrong("conflicting-clauses", "ACC33-2.9.11-3", "#pragma acc loop reduction(max: s)" .. FOR .. "s = s > i ? s : i;",
    "parallel reduction(+: s)")
end)

case("accepts: cache is a hint about arrays [ACC33-2.10-1]", function()
  expect.moves(function()
    acc "parallel copy(a, m)" [[
      for (int i = 0; i < 4; i++) {
        #pragma acc cache(a[i:2], m[0][0:4])
        #pragma acc cache(readonly: a[i])
        a[i] = i;
      }
    ]]
  end, { h2d = { count = 2, bytes = 88 }, d2h = { count = 2, bytes = 88 } })
  expect.host("a[3]", 3)
end)

case("rejects: cache names variables without a section, or unknown names [ACC33-2.10-1]", function()
  wrong("type-mismatch", "ACC33-2.10-1", "#pragma acc cache(a)\n a[0] = 1;")
  wrong("unknown-name", "HOUSE-names", "#pragma acc cache(b[0:2])\n a[0] = 1;")
  wrong("syntax", "ACC33-2.10-1", "#pragma acc cache(zero: a[0:2])\n a[0] = 1;")
  wrong("unknown-clause", "ACC33-2.7-8", "#pragma acc cache(a[0:2]) cash\n a[0] = 1;")
end)

case("accepts: atomic applies to statements of its forms [ACC33-2.12-1]", function()
  expect.moves(function()
    acc "parallel copy(a, s)" [[
      #pragma acc atomic
      s += 2;
      #pragma acc atomic read
      a[0] = s;
      #pragma acc atomic write
      s = 7;
      #pragma acc atomic update
      s = s * 3;
      #pragma acc atomic capture
      a[1] = s--;
      #pragma acc atomic capture
      { s -= 5; a[2] = s; }
      #pragma acc atomic capture
      a[3] = s = s + 1;
      #pragma acc atomic capture
      { a[4] = s; s = 9; }
    ]]
  end, { h2d = { count = 2, bytes = 44 }, d2h = { count = 2, bytes = 44 } })
  expect.host("a[0:5]", { 2, 21, 15, 16, 16 })
  expect.host("s", 9)
end)

case("rejects: a statement does not have the form that atomic needs [ACC33-2.12-1]", function()
  wrong("syntax", "ACC33-2.12-1", "#pragma acc atomic\n s = 5;")
  wrong("syntax", "ACC33-2.12-1", "#pragma acc atomic read\n s += 5;")
  wrong("syntax", "ACC33-2.12-1", "#pragma acc atomic capture\n s += 5;")
  wrong("syntax", "ACC33-2.12-1", "#pragma acc atomic capture\n a[0] = s = 5;")
  wrong("syntax", "ACC33-2.12-1", "#pragma acc atomic read\n s = s;")
  wrong("conflicting-clauses", "ACC33-2.12-1", "#pragma acc atomic read capture\n s += 5;")
  wrong("unknown-clause", "ACC33-2.7-8", "#pragma acc atomic seq_cst\n s += 5;")
end)

case("accepts: routine is a directive among declarations [ACC33-2.15-1]", function()
  declare [[
    #pragma acc routine seq
    int twice(int x);
    #pragma acc routine(twice) vector
  ]]
  func("twice", function(x) return 2 * x end)
  expect.moves(function()
    acc "parallel copy(a)" "a[0] = twice(4);"
  end, { h2d = { count = 1, bytes = 40 }, d2h = { count = 1, bytes = 40 } })
  expect.host("a[0]", 8)
end)

case("rejects: routine has no level, or is in a body [ACC33-2.15-1]", function()
  expect.fails("syntax", function() declare "#pragma acc routine\nint f(int);" end)
  expect.fails("conflicting-clauses", function() declare "#pragma acc routine seq gang\nint f(int);" end)
  expect.fails("unsupported", function() declare "#pragma acc routine seq bind(g)\nint f(int);" end)
  expect.fails("clause-not-allowed", function() declare "#pragma acc routine seq copy(a)\nint f(int);" end)
  wrong("region-nesting", "ACC33-impl-1", "#pragma acc routine seq\n a[0] = 1;")
  expect.fails("clause-not-allowed", function() acc "routine seq" end)
end)

case("accepts: a compute construct with self runs on the host and moves no data [ACC33-2.5.7-1]", function()
  local none = { h2d = 0, d2h = 0 }
  expect.moves(function() acc "parallel self copy(a)" "a[0] = 5;" end, none)
  expect.host("a[0]", 5)
  expect.moves(function() acc "kernels self(n > 2) copy(a)" "a[1] = 6;" end, none)
  expect.host("a[1]", 6)
  expect.moves(function() acc "serial self(n) copy(a)" "a[2] = 7;" end, none)
  expect.host("a[2]", 7)
  expect.moves(function() acc "parallel if(n) self(1) copy(a)" "a[3] = 8;" end, none)
  expect.host("a[3]", 8)
end)

case("accepts: self has no effect if the condition of if is false [ACC33-2.5.7-1]", function()
  local none, both = { h2d = 0, d2h = 0 }, { h2d = { count = 1, bytes = 40 }, d2h = { count = 1, bytes = 40 } }
  for condition, moved in pairs { ["if(0) self(0)"] = none, ["if(0) self(1)"] = none, ["self(0) if(0)"] = none,
    ["if(1) self(0)"] = both, ["if(1) self(1)"] = none } do
    host.a[0] = 0
    expect.moves(function() acc("parallel copy(a) " .. condition) "a[0] += 1;" end, moved)
    expect.host("a[0]", 1)
  end
end)

case("rejects: self has no scalar condition, or occurs twice, and a false condition keeps the construct on the"
  .. " device [ACC33-2.5.7-1]", function()
  wrong("type-mismatch", "HOUSE-language", "s++;", "parallel self(pair)")
  expect.invalid("parallel self self", "duplicate-clause")
  expect.malformed "parallel self(a, s)"
  expect.malformed "update self"
  local both = { h2d = { count = 1 }, d2h = { count = 1 } }
  expect.moves(function() acc "parallel self(n > 3) copy(a)" "a[0] = 5;" end, both)
end)

case("accepts: loops in a body have break and continue [ACC33-2.5-1]", function()
  expect.moves(function()
    acc "parallel copy(a)" "for (int i = 0; i < 4; i++) { if (i == 2) break; a[i] = 1; }"
  end, { h2d = { count = 1, bytes = 40 }, d2h = { count = 1, bytes = 40 } })
  omp "parallel" "{\n#pragma acc parallel copy(a)\n { for (int i = 0; i < 4; i++) { if (i) continue; a[i] = 2; } } }"
  expect.host("a[0:3]", { 2, 1, 0 })
end)

case("rejects: a compute construct contains data or compute directives, or a return"
  .. " [ACC33-2.5-1 ACC33-impl-1]", function()
  wrong("region-nesting", "ACC33-2.5-1", "#pragma acc parallel\n a[0] = 1;")
  wrong("region-nesting", "ACC33-2.5-1", "#pragma acc kernels loop" .. FOR .. "a[i] = 1;")
  wrong("region-nesting", "ACC33-impl-1", "#pragma acc data copy(a)\n a[0] = 1;")
  wrong("region-nesting", "ACC33-impl-1", "#pragma acc update self(a)\n a[0] = 1;")
  wrong("region-nesting", "ACC33-impl-1", "a[0] = 1;\n#pragma acc enter data copyin(a)")
  wrong("region-nesting", "ACC33-2.5-1", "#pragma omp parallel\n a[0] = 1;")
  wrong("region-nesting", "ACC33-2.5-1", "a[0] = 1; return;")
  wrong("region-nesting", "ACC33-2.9-3", FOR .. "{ if (i == 1) break; a[i] = 1; }", "parallel loop copy(a, s)")
  local err = expect.fails("region-nesting", function()
    omp "parallel" "{\n#pragma acc parallel copy(a)\n { a[0] = 1; return; } }"
  end)
  expect.equal(err.rule, "ACC33-2.5-1")
end)

case("accepts: declare among declarations takes effect where it is written [ACC33-dec-1]", function()
  declare [[
    int g[4] = { 1, 2, 3, 4 };
    #pragma acc declare copyin(g)
    int h;
  ]]
  expect.present "g"
  expect.device("g[3]", 4)
  expect.absent "h"
end)

case("rejects: declare names an unknown variable, or clauses have modifiers of later versions"
  .. " [ACC33-dec-1 ACC33-2.7-8]", function()
  expect.fails("unknown-name", function() declare "int g1;\n#pragma acc declare create(nobody)" end)
  expect.fails("unknown-name", function() return host.g1 end) -- the text that failed declared nothing
  expect.fails("clause-not-allowed", function() declare "struct q {\n#pragma acc declare create(a)\n int x; };" end)
  for _, text in ipairs { "data copy(always: a)", "data create(capture: a)" } do
    expect.invalid(text, "unsupported")
  end
  expect.malformed "data copyin(redonly: a)"
end)
