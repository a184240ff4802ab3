-- Compute constructs: their bodies, variables without a clause, private and firstprivate variables.
scenario { title = "OpenACC 2.6.2: implicit data attributes" }

declare [[
  struct pair { int n; float x[2]; };
  struct pair S = { 1, { 2, 3 } };
  float v[4] = { 1, 2, 3, 4 };
  float *p = v;
  float sum = 100;
  int n = 4, k = 7;
  enum { LAST = 3 };
]]
func("twice", function(x) return 2 * x end)

case("accepts: aggregates are copied in and out [ACC33-impl-1]", function()
  expect.moves(function()
    acc "parallel" "for (int i = 0; i < 4; ++i) v[i] *= 2; S.n = 9; S.x[1] = v[LAST];"
  end, { h2d = { count = 2, bytes = 28 }, d2h = { count = 2, bytes = 28 } })
  expect.host("v[0:4]", { 2, 4, 6, 8 })
  expect.host("S.n", 9)
  expect.host("S.x[1]", 8)
  expect.absent "v"
  acc("parallel", "v, n") (function(d) d.v[0] = d.n end)
  expect.host("v[0]", 4)
end)

case("differs: scalars of parallel and serial are firstprivate [ACC33-impl-1]", function()
  acc "parallel" "k = k + 1; v[0] = k;"
  expect.host("k", 7)
  expect.host("v[0]", 8)
  expect.accepts("serial", "k = 0;")
  expect.host("k", 7)
end)

case("accepts: scalars of kernels are copied [ACC33-impl-1]", function()
  expect.moves(function()
    acc "kernels" "k = k + 1;"
  end, { h2d = { count = 1, bytes = 4 }, d2h = { count = 1, bytes = 4 } })
  expect.host("k", 8)
end)

case("differs: a pointer is a scalar, and its target is not mapped [ACC33-impl-1]", function()
  expect.fails("host-pointer-on-device", function() acc "parallel" "p[0] = 1;" end)
  acc "data copyin(p[0:4])" (function()
    expect.accepts("parallel present(p[0:4])", "p[0] = 9;")
  end)
  expect.host("v[0]", 1)
end)

case("accepts: reduction variables are copied [ACC33-impl-1]", function()
  expect.moves(function()
    acc "parallel loop reduction(+:sum) copyin(v)" "for (int i = 0; i < n; ++i) sum += v[i];"
  end, { h2d = { count = 2, bytes = 20 }, d2h = { count = 1, bytes = 4 } })
  expect.host("sum", 110)
end)

case("rejects: a kernel contains a directive [ACC33-impl-1]", function()
  expect.fails("region-nesting", function()
    acc "parallel copy(v)" (function() acc "update self(v)" end)
  end)
  expect.fails("region-nesting", function()
    acc "parallel copy(v)" (function() acc_copyin "v" end)
  end)
  expect.absent "v"
end)

case("accepts: default(none) has all variables in clauses, and default(present) has present data [ACC33-impl-2]",
  function()
    expect.moves(function()
      acc "parallel default(none) copy(v) firstprivate(n)" "v[0] = n;"
    end, { h2d = { count = 1, bytes = 16 }, d2h = { count = 1, bytes = 16 } })
    expect.host("v[0]", 4)
    acc "data copy(v)" (function() acc "parallel default(present)" "v[1] = 5;" end)
    expect.host("v[1]", 5)
  end)

case("rejects: a variable is in no clause under default(none), or absent under default(present) [ACC33-impl-2]",
  function()
    expect.fails("default-none", function() acc "parallel default(none) copy(v)" "v[0] = n;" end)
    expect.fails("default-none", function() acc("parallel default(none)", "v") (function() end) end)
    expect.fails("not-present", function() acc "parallel default(present)" "v[1] = 5;" end)
    expect.invalid("acc parallel default(shared)", "clause-not-allowed")
  end)

case("accepts: under default(none) the clauses of data constructs around count [ACC33-impl-2]", function()
  acc "data copy(v)" (function() acc "parallel default(none) firstprivate(n)" "v[0] = n;" end)
  expect.host("v[0]", 4)
  acc "data default(none) copy(v)" (function() acc "parallel copyin(n)" "v[1] = n;" end)
  expect.host("v[1]", 4)
  acc "data default(none) copy(v)" (function() acc "parallel default(present)" "v[2] = n;" end) -- the nearest one
  expect.host("v[2]", 4)
end)

case("rejects: default(none) on a data construct concerns the compute constructs inside [ACC33-impl-2]", function()
  acc "data default(none) copy(v)" (function()
    expect.fails("default-none", function() acc "parallel" "v[0] = n;" end)
  end)
  acc "data default(present) create(n)" (function()
    expect.fails("not-present", function() acc "parallel" "v[0] = 1;" end)
  end)
  expect.accepts("parallel", "v[0] = n;")
  expect.host("v[0]", 4)
end)

case("accepts: the operand of sizeof needs no clause and is not mapped [ACC33-impl-3]", function()
  expect.moves(function()
    acc "parallel default(none) copy(v)" "v[0] = sizeof S + sizeof(n) + sizeof(S.x[0]);"
  end, { h2d = { count = 1, bytes = 16 }, d2h = { count = 1, bytes = 16 } })
  expect.host("v[0]", 20)
end)

case("rejects: the value of a variable in sizeof's neighbourhood needs a clause [ACC33-impl-3 ACC33-impl-2]", function()
  expect.fails("default-none", function() acc "parallel default(none) copy(v)" "v[0] = sizeof(n) + n;" end)
  expect.fails("unknown-name", function() acc "parallel copy(v)" "v[0] = sizeof(unheard);" end)
end)

case("accepts: a variable in a visible clause gets no implicit clause [ACC33-impl-3]", function()
  acc "data copyin(v)" (function()
    expect.accepts("parallel", "v[0] = 50;")
    expect.count("v", { structured = 1 })
    expect.host("v[0]", 1)
  end)
  expect.host("v[0]", 1)
  acc "data copy(p[0:4])" (function() acc "parallel" "p[3] = 40;" end)
  expect.host("v[3]", 40)
end)

case("accepts: a scalar in a visible clause is not firstprivate [ACC33-impl-3]", function()
  expect.moves(function()
    acc "data copy(k)" (function() acc "parallel" "k = k + 1;" end)
  end, { h2d = { count = 1, bytes = 4 }, d2h = { count = 1, bytes = 4 } })
  expect.host("k", 8)
end)

case("rejects: a clause is not visible after its region, and a body names an unknown variable"
  .. " [ACC33-impl-3 HOUSE-names]", function()
  expect.accepts "data copyin(v)"
  acc "parallel" "v[0] = 50;"
  expect.host("v[0]", 50)
  expect.fails("unknown-name", function() acc("parallel", "unheard") (function() end) end)
end)

case("accepts: private and firstprivate variables belong to the kernel [ACC33-impl-1]", function()
  acc "parallel private(k) firstprivate(n, S) copy(v)" "k = n; n = 0; S.n = k; v[0] = S.n + S.x[0];"
  expect.host("v[0]", 6)
  expect.host("n", 4)
  expect.host("k", 7)
  expect.host("S.n", 1)
end)

case("differs: a construct on the host has private variables and changes the other ones [ACC33-impl-1]", function()
  for _, clause in ipairs { "if(0)", "self" } do
    acc("parallel private(n) " .. clause) "n = 1; k = k + n; v[0] += k;"
  end
  expect.host("n", 4)
  expect.host("k", 7)
  expect.host("v[0]", 17)
  acc "kernels if(0)" "k = 1;"
  expect.host("k", 1)
  expect.fails("uninitialized-read", function() acc "parallel private(n) if(0)" "v[0] = n;" end)
end)

case("rejects: a kernel reads a private variable before it writes the variable [ACC33-impl-1 HOUSE-names]", function()
  expect.fails("uninitialized-read", function() acc "parallel private(k) copy(v)" "v[0] = k;" end)
  expect.host("v[0]", 1)
  expect.invalid("acc parallel private(v[0:2])", "syntax")
  expect.invalid("acc parallel private(unheard)", "unknown-name")
end)

case("accepts: bodies in C have declarations, if, loops and calls [ACC33-impl-1]", function()
  expect.moves(function()
    acc "parallel copy(v)" [[
      int i = 0;
      double t[2];
      while (1) {
        if (i >= n) break;
        if (i == 2) { i++; continue; }
        t[i % 2] = v[i];
        v[i] = twice(i) + (i > 0 ? t[i % 2] : 0);
        ++i;
      }
      do v[2] += 10; while (v[2] < 30);
      { float *q = &v[3]; *q -= 1; q[-1] /= 3; }
    ]]
  end, { h2d = { count = 1, bytes = 16 }, d2h = { count = 1, bytes = 16 } })
  expect.host("v[0:4]", { 0, 4, 11, 9 })
end)

case("accepts: the body moves its own copy of a pointer whose section a clause names [ACC33-impl-1]", function()
  acc "parallel copyin(p[0:4]) copy(sum)" "sum = 0; for (int i = 0; i < 4; ++i) sum += *p++;"
  expect.host("sum", 10)
  acc "parallel copyin(p[1:2]) copy(sum)" "p += 2; sum = *p; p--; sum += 10 * p[0];"
  expect.host("sum", 23)
  expect.equal(host.p, addr "v[0]")
  expect.fails("out-of-bounds", function() acc "parallel copyin(p[1:2]) copy(sum)" "p++; sum = p[2];" end)
  acc "data copyin(p[0:4])" (function()
    acc "host_data use_device(p)" (function()
      acc "parallel deviceptr(p) copy(sum)" "p += 3; sum = *p;"
    end)
  end)
  expect.host("sum", 4)
end)

case("rejects: bodies are not C, use unknown names, or access memory outside an array"
  .. " [ACC33-impl-1 HOUSE-names]", function()
  expect.fails("syntax", function() acc "parallel copy(v)" "v[0] = ;" end)
  expect.fails("syntax", function() acc "parallel copy(v)" "for (i = 0" end)
  expect.fails("unknown-name", function() acc "parallel copy(v)" "v[0] = unheard;" end)
  expect.fails("unknown-name", function() acc "parallel copy(v)" "v[0] = thrice(1);" end)
  expect.fails("unknown-member", function() acc "parallel copy(S)" "S.y = 1;" end)
  expect.fails("out-of-bounds", function() acc "parallel copy(v)" "v[4] = 1;" end)
  expect.fails("out-of-bounds", function() acc "parallel copy(v)" (function(d) d.v[-1] = 1 end) end)
  expect.fails("scenario-error", function() acc "parallel copy(v)" "v[0] = n / (n - 4);" end)
end)

case("differs: a kernel that fails leaves device and host unchanged [ACC33-impl-1]", function()
  acc "data copyin(v)" (function()
    expect.fails("out-of-bounds", function()
      acc "parallel present(v) copy(S)" "v[0] = 50; S.n = 60; v[4] = 1;"
    end)
    expect.device("v[0]", 1)
    expect.absent "S"
    expect.count("v", { structured = 1 })
  end)
  expect.host("S.n", 1)
end)
