-- Figure 8: the groups of a type say what constructs do with its objects.
scenario { title = "LLNL Figure 8: binding a group to a type", rules = "indirect" }

declare [[
  template<typename T>
  struct ReducSum {
    T inner;
    #pragma omp declare group name(sum) reduction(+:this)
  };
  struct list { int n; double *data;
    #pragma omp declare group map(tofrom: data[0:this->n])
  };
  struct two { int a, b;
    #pragma omp declare group reduction(+:this)
  };
  ReducSum<double> checksum;
  ReducSum<int> count;
  struct list l;
  struct two t;
  double a[4] = { 1, 2, 3, 4 }, b[4] = { 10, 20, 30, 40 };
  int begin = 0, end = 4;
]]
host.l = { n = 3, data = { 1, 2, 3 } }

-- The loop of the figure with the body of the lambda, for the variables in args.
local function forall(args, body)
  omp(("parallel for bind_types(%s)"):format(args)) ("for (int i = begin; i < end; ++i) { " .. body .. " }")
end

case("accepts: this is the variable that bind_types names, and its member is reduced [LLNL-4-14]", function()
  forall("checksum", "checksum.inner += a[i] + b[i];")
  expect.host("checksum.inner", 110)
  forall("checksum, count", "checksum.inner += a[i]; count.inner++;")
  expect.host("checksum.inner", 120)
  expect.host("count.inner", 4)
  -- a conflict with another clause shows that checksum is a reduction
  expect.fails("conflicting-clauses", function() omp "parallel for private(checksum) bind_types(checksum)" end)
  expect.fails("conflicting-clauses", function() omp "parallel for reduction(*:count) bind_types(count)" end)
  omp "parallel for reduction(+:count) bind_types(count)" "for (int i = 0; i < 2; i++) count.inner++;"
  expect.host("count.inner", 6)
end)

case("accepts: members in the group of a type are members of the variable [LLNL-4-14]", function()
  omp "target bind_types(l)" "l.data[1] = 20;"
  expect.host("l.data[0:3]", { 1, 20, 3 })
  omp "target data bind_types(l)" (function() expect.present "l.data[0:3]" end)
end)

case("rejects: a group uses this without a variable, or reduces what is not a number [LLNL-4-14]", function()
  expect.fails("unknown-name", function() omp "parallel bind_types(struct two)" end)
  expect.fails("unknown-name", function() omp "target data bind_types(struct list)" end)
  local problem = expect.fails("type-mismatch", function() omp "parallel for bind_types(t)" end)
  expect.equal(problem.rule, "LLNL-4-14")
  expect.equal(problem.line, 14) -- where the group says `this`
  omp "parallel private(checksum) bind_types(count)" "count.inner = 1;"
  expect.host("count.inner", 1)
  expect.accepts("target data map(begin) bind_types(begin)", function() expect.absent "l.data[0:3]" end)
end)

case("accepts: bind_types names several types and variables, templates, and a pack [LLNL-4-12]", function()
  forall("checksum...", "checksum.inner += a[i];")
  expect.host("checksum.inner", 10)
  omp "declare group bind_type(ReducSum) firstprivate(end)"
  expect.accepts("parallel bind_types(count)", "end = 7;")
  expect.host("end", 4)
  omp "declare group bind_type(ReducSum<double>) firstprivate(begin)"
  omp "parallel bind_types(count)" "begin = 7;"
  expect.host("begin", 7)
  expect.accepts("parallel bind_types(checksum)", "begin = 8;")
  expect.host("begin", 7)
end)

case("differs: groups of types do not apply to other types, nor where they are excluded [LLNL-4-12]", function()
  expect.accepts("parallel bind_types(begin) private(checksum)", "checksum.inner = 1;")
  expect.host("checksum.inner", 0)
  block(function()
    omp "declare group bind_type(int) firstprivate(end)"
    expect.accepts("parallel bind_types(int)", "end = 1;")
    expect.host("end", 4)
  end)
  omp "parallel bind_types(int)" "end = 2;"
  expect.host("end", 2)
  expect.accepts("parallel private(count) bind_types(count) bind_group(exclude: sum)", "count.inner = 1;")
  expect.host("count.inner", 0)
end)
