-- Constructs of the host: one thread executes them.
scenario { title = "OpenMP: constructs of the host", rules = "openmp-5.1" }

declare [[
  int a = 1, b = 2, i = 9, j = 9, sum;
  int v[4] = { 1, 2, 3, 4 };
  int *p;
  struct pair { int x, y; } s;
  struct one { double inner; } o;
]]
host.p = { 5, 6 }

-- Names of constructs that take a body.
local constructs = { "parallel", "parallel for", "parallel for simd", "parallel loop", "parallel sections",
  "parallel masked", "teams", "teams distribute", "teams distribute parallel for", "teams loop", "for", "for simd",
  "simd", "loop", "sections", "section", "single", "masked", "master", "critical", "critical(name)", "task", "taskloop",
  "taskgroup", "distribute", "ordered", "atomic" }

case("accepts: the body of every construct runs once, in C or in Lua [HOUSE-threads]", function()
  for _, name in ipairs(constructs) do omp(name) "sum++;" end
  expect.host("sum", #constructs)
  for _, name in ipairs(constructs) do omp(name) (function(d) d.sum = d.sum + 1 end) end
  expect.host("sum", 2 * #constructs)
  for _, name in ipairs { "barrier", "taskwait", "taskyield", "flush", "flush(a)" } do expect.accepts(name) end
end)

case("accepts: arguments of clauses do not change the result [HOUSE-threads]", function()
  for _, text in ipairs { "for schedule(static)", "for schedule(nonmonotonic: dynamic, b + 1)", "simd safelen(4)",
    "for schedule( monotonic, simd : guided , 4 ) ordered", "for schedule(static, b > 1 ? 1 : 2)",
    "parallel proc_bind(close)", "distribute dist_schedule(static, 4)",
    "loop bind(thread) order(reproducible: concurrent)" } do
    omp(text) "for (int k = 0; k < 2; k++) sum++;"
  end
  expect.host("sum", 16)
end)

case("accepts: simdlen is at most safelen [OMP60-simd-1]", function()
  for _, text in ipairs { "simd safelen(8) simdlen(8)", "simd simdlen(4) safelen(16)", "parallel for simd simdlen(32)",
    "for simd simdlen(8) safelen(b)",
    "target teams distribute parallel for simd safelen(4) simdlen(2) reduction(+: sum)" } do
    omp(text) "for (int k = 0; k < 2; k++) sum++;"
  end
  expect.host("sum", 10)
end)

case("rejects: simdlen is larger than safelen [OMP60-simd-1]", function()
  for _, text in ipairs { "simd safelen(4) simdlen(8)", "for simd simdlen( 16 ) safelen(15)",
    "target simd simdlen(3) safelen(2)", "parallel master taskloop simd safelen(1) simdlen(2)" } do
    expect.invalid("omp " .. text, "conflicting-clauses")
  end
  local err = expect.fails("conflicting-clauses", function() omp "simd safelen(4) simdlen(8)" "sum++;" end)
  expect.equal(err.rule, "OMP60-simd-1")
  expect.equal(err.help, "simdlen is at most 4")
  err = expect.fails("conflicting-clauses", function() -- the rule also holds in bodies
    omp "target map(tofrom: sum)" "#pragma omp simd simdlen(8) safelen(4)\n for (int k = 0; k < 2; k++) sum++;"
  end)
  expect.equal(err.rule, "OMP60-simd-1")
end)

case("rejects: a clause has a wrong argument, or none [HOUSE-threads OMP60-tgt-1]", function()
  for _, text in ipairs { "for schedule", "for schedule()", "for schedule(statik)", "for schedule(static 4)",
    "for order(any)", "for schedule(static,)", "for schedule(often: static)", "parallel proc_bind(near)",
    "simd safelen(0)", "simd safelen", "loop bind(gang)", "distribute dist_schedule(dynamic)",
    "parallel allocate", "single nowait(1)" } do
    expect.invalid(text, text:find "nowait" and "clause-not-allowed" or "syntax")
  end
end)

case("rejects: a clause is unknown, belongs to other constructs, or occurs twice [HOUSE-threads]", function()
  expect.invalid("parallel num_thread(4)", "unknown-clause")
  expect.invalid("parallel map(a)", "clause-not-allowed")
  expect.invalid("for num_threads(2)", "clause-not-allowed")
  expect.invalid("single reduction(+:a)", "clause-not-allowed")
  expect.invalid("taskwait private(a)", "clause-not-allowed")
  expect.invalid("parallel num_threads(2) num_threads(2)", "duplicate-clause")
  expect.invalid("parallel default(private) default(none)", "duplicate-clause")
  expect.invalid("parallel default(tofrom)", "clause-not-allowed")
  expect.fails("clause-not-allowed", function() omp "parallel for if(simd: a)" "a = 2;" end)
  expect.host("a", 1)
end)

case("accepts: shared and reduction variables change the variables of the program [HOUSE-threads]", function()
  omp "parallel shared(a) reduction(+:b, v, p[0:2]) reduction(max:o)" [[
    a = a + 1; b = b + 10; v[3] = 7; p[1]++; o.inner = 4; ]]
  expect.host("a", 2)
  expect.host("b", 12)
  expect.host("v[3]", 7)
  expect.host("p[1]", 7)
  expect.host("o.inner", 4)
end)

case("rejects: a reduction names a structure, private names a member, or a name is unknown"
  .. " [HOUSE-threads]", function()
  expect.invalid("parallel reduction(+:s)", "type-mismatch")
  expect.invalid("parallel reduction(+:nobody)", "unknown-name")
  expect.invalid("parallel private(s.x)", "clause-not-allowed")
end)

case("accepts: private, firstprivate, lastprivate and linear variables are copies [HOUSE-threads]", function()
  expect.accepts("parallel private(a, v, s) firstprivate(b)", function(d)
    d.a, d.v[2], d.s = 5, 6, { x = 7, y = 8 }
    expect.equal(d.b, 2)
    d.b = 9
    expect.equal(d.a + d.v[2] + d.s.y, 19)
    expect.host("a", 5) -- the name denotes the copy
  end)
  expect.host("a", 1)
  expect.host("b", 2)
  expect.host("v[2]", 3)
  expect.host("s.x", 0)
  omp "for lastprivate(a) firstprivate(b) lastprivate(b) linear(sum)" [[
    for (int k = 0; k < 4; k++) { a = k; b = b + k; sum++; } ]]
  expect.host("a", 3)
  expect.host("b", 8)
  expect.host("sum", 4)
end)

case("rejects: private memory is read before it is written, or a body fails [HOUSE-threads]", function()
  local problem = expect.fails("uninitialized-read", function() omp "parallel private(a)" "b = a;" end)
  expect.equal(problem.rule, "HOUSE-threads")
  expect.fails("uninitialized-read", function() omp "parallel private(v)" "v[0] = 1; v[0] = v[1];" end)
  expect.fails("uninitialized-read", function() omp "parallel private(p)" (function(d) d.p[0] = 1 end) end)
  expect.fails("uninitialized-read", function()
    omp "parallel private(a)" (function() omp "parallel private(b)" "b = 1; b = a;" end)
  end)
  expect.fails("null-pointer", function() omp "for lastprivate(a) private(p)" "a = 5; p = 0; a = p[0];" end)
  expect.host("a", 1)
  -- after the construct the name denotes the variable again
  omp "parallel" "b = a;"
  expect.host("b", 1)
end)

case("accepts: loop variables of a construct are private without a clause [HOUSE-threads]", function()
  omp "parallel for default(none) shared(sum)" "for (i = 0; i < 4; i++) sum += i;"
  omp "for collapse(2) reduction(+:sum)" "for (i = 0; i < 2; i++) for (j = 0; j < 3; j++) sum++;"
  expect.host("sum", 12)
  expect.host("i", 9)
  expect.host("j", 9)
  omp "simd" "for (i = 0; i < 4; i++) sum++;"
  expect.host("i", 4)
end)

case("rejects: the variable of an inner loop is shared, and is in no clause under default(none)"
  .. " [HOUSE-threads]", function()
  omp "for" "for (i = 0; i < 2; i++) for (j = 0; j < 3; j++) sum++;"
  expect.host("i", 9)
  expect.host("j", 3)
  expect.fails("default-none", function()
    omp "parallel for default(none) shared(sum)" "for (i = 0; i < 2; i++) for (j = 0; j < 3; j++) sum++;"
  end)
end)

case("accepts: default decides about variables that no clause names [HOUSE-threads]", function()
  expect.accepts("parallel default(firstprivate)", "b = a; a = 5;")
  omp "parallel default(private) shared(sum)" "b = 3; sum = b;"
  omp("parallel default(none) private(a) shared(i)", "a, i") (function(d)
    d.a = 3
    d.i = d.a
  end)
  expect.host("a", 1)
  expect.host("i", 3)
  expect.host("b", 2)
  expect.host("sum", 3)
end)

case("rejects: a variable is in no clause under default(none), or in two clauses [HOUSE-threads]", function()
  expect.fails("default-none", function() omp "parallel default(none)" "a = 5;" end)
  expect.fails("default-none", function() omp("parallel default(none)", "a") (function(d) d.a = 5 end) end)
  expect.invalid("parallel private(a) shared(a)", "conflicting-clauses")
  expect.invalid("parallel private(a, a)", "conflicting-clauses")
  expect.invalid("for private(a) lastprivate(a)", "conflicting-clauses")
  expect.invalid("parallel reduction(+:a) reduction(*:a)", "conflicting-clauses")
  expect.host("a", 1)
end)

case("accepts: bodies contain directives, also on private variables [HOUSE-threads]", function()
  for round = 1, 2 do -- each round has a new copy
    omp "parallel private(a)" (function()
      host.a = 10 * round
      omp "target map(tofrom: a)" "a = a + 1;"
      expect.host("a", 10 * round + 1)
      omp "target data map(a)" (function() expect.present "a" end)
      omp "target enter data map(to: b)"
    end)
    expect.host("a", 1)
    expect.absent "a"
    expect.present "b"
    expect.accepts "target exit data map(delete: b)"
  end
  expect.accepts("parallel private(a)", function()
    omp "target map(from: a)" "a = 4;"
    expect.host("a", 4)
  end)
end)

case("rejects: a target construct contains a construct of the host [HOUSE-threads OMP60-tgt-1]", function()
  expect.fails("region-nesting", function() omp "target" (function() omp "parallel" "a = 2;" end) end)
end)

case("accepts: a target construct that the host executes has private variables [HOUSE-threads]", function()
  expect.accepts("target if(0) firstprivate(a)", "b = a; a = 5;") -- b keeps its value, too: no clause maps b
  omp "target device(1) private(a)" "a = 7; v[0] = a;"
  expect.host("a", 1)
  expect.host("b", 2)
  expect.host("v[0]", 7)
  omp "target if(0) map(tofrom: a)" "a = a + 1;"
  expect.host("a", 2)
end)

case("rejects: a target construct that the host executes reads a private variable before it is written"
  .. " [HOUSE-threads]", function()
  expect.fails("uninitialized-read", function() omp "target if(0) private(a)" "a = a + 1;" end)
  expect.host("a", 1)
end)

case("accepts: conditions and numbers in clauses are evaluated [HOUSE-threads]", function()
  omp "parallel if(a > 5) num_threads(a + 1)" "b = 5;"
  omp "parallel if(parallel: b) proc_bind(close)" "b++;"
  expect.host("b", 6)
end)

case("rejects: a condition or number is a structure, or a body or list is wrong"
  .. " [HOUSE-threads HOUSE-language]", function()
  expect.fails("type-mismatch", function() omp "parallel num_threads(s)" "b = 5;" end)
  expect.fails("type-mismatch", function() omp "parallel if(s)" "b = 5;" end)
  expect.fails("type-mismatch", function() omp "parallel" (5) end)
  expect.malformed "parallel private()"
  expect.host("b", 2)
end)
