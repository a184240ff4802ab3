-- Figure 6: the directive declare group, and the clauses that bind groups.
scenario { title = "LLNL Figure 6: declare group and the clauses that bind", rules = "indirect" }

declare [[
  struct pair { int a, b; };
  template<typename T> struct wrapped { T inner; };
  int n = 4, x, y;
  int v[8];
  struct pair p;
]]

case("accepts: a group has a name, constructs, types, and any other clauses [LLNL-4-01]", function()
  omp "declare group name(g) firstprivate(n)"
  expect.accepts "declare group bind_all(target, target teams distribute) thread_limit(n) map(tofrom: v[0:n])"
  expect.accepts "#pragma omp declare group bind_type(struct pair, wrapped, double) shared(x), nowait"
  omp [[declare group name(many) bind_all(task) bind_type(struct pair) \
    priority(n) depend(in: x) schedule(static, 4)]]
  declare [[
    #pragma omp declare group name(here) shared(y)
    int z;
  ]]
  omp "parallel bind_group(here)" "y = 1;"
  expect.host("y", 1)
  expect.fails("duplicate-name", function() omp "declare group name(g) shared(x)" end)
  expect.fails("duplicate-name", function() omp "declare group name(many) shared(x)" end)
end)

case("rejects: a group is not bound, or has two names, unknown clauses or unknown constructs [LLNL-4-01]", function()
  expect.malformed "declare group firstprivate(n)"
  expect.malformed "declare group"
  expect.malformed "declare group name()"
  expect.malformed "declare group name(g, h)"
  expect.malformed "declare group bind_all(nowhere) shared(x)"
  expect.invalid("declare group name(g) name(h)", "duplicate-clause")
  expect.invalid("declare group bind_all(task) bind_all(parallel)", "duplicate-clause")
  expect.invalid("declare group name(g) private_to(n)", "unknown-clause")
  expect.invalid("declare group bind_type(struct nowhere) shared(x)", "unknown-type")
  expect.invalid("declare group bind_type(x) shared(x)", "unknown-type")
end)

case("accepts: name, bind_all and bind_type concern the group, and other clauses are stored [LLNL-4-02]", function()
  -- stored clauses are not checked yet
  expect.moves(function() omp "declare group name(g) map(to: later[0:n]) if(n > 2) private(later)" end, { h2d = 0 })
  expect.fails("clause-not-allowed", function() omp "target data bind_group(g)" end)
  omp "declare group name(sent) map(to: v[0:n])"
  omp "target data bind_group(sent)" (function() expect.present "v[0:4]" end)
end)

case("rejects: a construct has name, bind_all or bind_type [LLNL-4-02 OMP60-tgt-1]", function()
  for _, clause in ipairs { "name(g)", "bind_all(parallel)", "bind_type(struct pair)" } do
    expect.fails("clause-not-allowed", function() omp("parallel " .. clause) end)
  end
end)

case("accepts: bind_group and bind_groups have four actions and several groups [LLNL-4-04]", function()
  omp "declare group name(g) firstprivate(x)"
  omp "declare group name(h) firstprivate(y)"
  for _, clause in ipairs { "bind_group(g, h)", "bind_groups(g, h)", "bind_group(merge: g, h)",
    "bind_group(inherit: g, h)", "bind_groups(override: g, h)", "bind_group(g) bind_group(h)" } do
    omp("parallel " .. clause) "x = 1; y = 1; n = n + 1;"
    expect.host("x", 0)
    expect.host("y", 0)
  end
  expect.host("n", 10)
  omp "parallel bind_group(exclude: g, h)" "x = 1; y = 2;"
  expect.host("x", 1)
  expect.host("y", 2)
end)

case("rejects: bind_group has an unknown action, or names no group [LLNL-4-04]", function()
  omp "declare group name(g) firstprivate(x)"
  local problem = expect.fails("syntax", function() omp "parallel bind_group(join: g)" end)
  expect.equal(problem.rule, "LLNL-4-04")
  expect.fails("syntax", function() omp "parallel bind_group()" end)
  expect.fails("syntax", function() omp "parallel bind_group(merge: )" end)
  expect.accepts("parallel bind_group(g)", "x = 1;")
  expect.host("x", 0)
end)

case("accepts: a group is bound to a type by its place or by bind_type [LLNL-4-12]", function()
  declare [[
    struct inside { int k;
      #pragma omp declare group firstprivate(this)
    };
    struct inside i;
  ]]
  omp "declare group bind_type(struct pair) firstprivate(this)"
  expect.accepts("parallel bind_types(i)", "i.k = 1;")
  expect.host("i.k", 0)
  expect.accepts("parallel bind_types(p)", "p.a = 1;")
  expect.host("p.a", 0)
  -- a type alone, several at once, and a type without a group
  omp "declare group bind_type(double) firstprivate(x)"
  omp "parallel bind_types(double, i, n)" "x = 1; i.k = 1; n = 5;"
  expect.host("x", 0)
  expect.host("i.k", 0)
  expect.host("n", 5)
end)

case("rejects: a type is unknown or not bound, or a group in a type has bind_all [LLNL-4-12]", function()
  omp "declare group bind_type(struct pair) firstprivate(this)"
  omp "parallel" "p.a = 1;"
  expect.accepts("parallel bind_types(p)", "p.a = 2;")
  expect.host("p.a", 1)
  expect.fails("unknown-type", function() omp "parallel bind_types(nobody)" end)
  expect.fails("clause-not-allowed", function()
    declare [[
      struct inside { int k;
        #pragma omp declare group bind_all(parallel) firstprivate(this)
      };
    ]]
  end)
end)
