-- Compute constructs and what their clauses may say: device_type, num_gangs, reduction.
scenario { title = "OpenACC 2.4, 2.5: clauses of compute constructs", rules = "openacc-3.3" }

declare [[
  int a[10], r[4] = { 1, 2, 3, 4 }, m[2][2] = { { 1, 2 }, { 3, 4 } }, s = 5, n = 2;
  int *p = r;
  double d = 1.5;
  struct pair { int x; double y; } pair = { 1, 2 };
  struct node { int x; struct node *next; } node;
]]

local FOR = "\n for (int i = 0; i < 3; i++) "

-- Expects an error at a directive, with or without a body, that changes nothing.
local function wrong(code, rule, text, body)
  local err = expect.fails(code, function()
    local construct = acc(text)
    if body then construct(body) end
  end)
  expect.equal(err.rule, rule)
  expect.absent "a"
  expect.host("s", 5)
end

case("accepts: async and wait of data and update follow device_type [ACC33-2.4-1]", function()
  acc "data copy(a) async(1) device_type(nvidia) async(2) device_type(*) async(3) wait" (function()
    expect.accepts("update device(a) if_present device_type(nvidia, radeon) async(1) wait(2)")
  end)
  acc_wait_all()
end)

case("accepts: numbers of gangs, workers and lanes follow device_type, and levels of loops [ACC33-2.4-1]", function()
  acc "parallel copy(a) num_gangs(2) device_type(nvidia) num_gangs(n - 2) vector_length(64) dtype(*) num_workers(4)" [[
    #pragma acc loop private(s) device_type(nvidia) gang worker device_type(*) seq
    for (int i = 0; i < 3; i++) a[i] = i;
    #pragma acc loop gang device_type(foo) worker device_type(bar) collapse(1) device_type(*) vector
    for (int i = 3; i < 6; i++) a[i] = i;
  ]]
  expect.host("a[0:6]", { 0, 1, 2, 3, 4, 5 })
  acc "parallel loop copy(a) device_type(nvidia) gang num_gangs(4)" "for (int i = 0; i < 3; i++) a[i] = 7;"
  expect.host("a[2]", 7)
  declare "#pragma acc routine device_type(foo) worker device_type(*) gang\nint f(int);"
end)

case("rejects: other clauses follow device_type [ACC33-2.4-1]", function()
  wrong("clause-not-allowed", "ACC33-2.4-1", "parallel device_type(nvidia) copy(a)", "a[0] = 1;")
  wrong("clause-not-allowed", "ACC33-2.4-1", "serial copy(a) device_type(*) if(0)", "a[0] = 1;")
  wrong("clause-not-allowed", "ACC33-2.4-1", "data device_type(nvidia) copy(a)")
  wrong("clause-not-allowed", "ACC33-2.4-1", "update device_type(nvidia) self(a)")
  wrong("clause-not-allowed", "ACC33-2.4-1", "data copy(a) device_type(*) async(1) dtype(nvidia) default(none)")
  wrong("clause-not-allowed", "ACC33-2.4-1", "parallel copy(a)",
    "#pragma acc loop device_type(nvidia) private(s)" .. FOR .. "a[i] = 1;")
  wrong("clause-not-allowed", "ACC33-2.7-8", "enter data copyin(a) device_type(nvidia) async(1)")
  wrong("clause-not-allowed", "ACC33-2.7-8", "wait device_type(nvidia)")
end)

case("rejects: the clauses for one of the device types contradict each other [ACC33-2.4-1 ACC33-2.9-1]", function()
  wrong("conflicting-clauses", "ACC33-2.9-1", "parallel copy(a)",
    "#pragma acc loop gang device_type(foo) seq" .. FOR .. "a[i] = 1;")
  wrong("duplicate-clause", "ACC33-2.6-1", "data copy(a) device_type(foo) async(1) async(2)")
  local err = expect.fails("conflicting-clauses", function()
    declare "#pragma acc routine gang device_type(foo) worker\nint f(int);"
  end)
  expect.equal(err.rule, "ACC33-2.15-1")
end)

case("accepts: num_gangs has one to three numbers on parallel and one on kernels [ACC33-2.5.10-1]", function()
  for _, clause in ipairs { "num_gangs(n)", "num_gangs(2, n)", "num_gangs(1, 2, n + 1) num_workers(2)" } do
    expect.moves(function() acc("parallel copy(s) " .. clause) "s = s + 1;" end,
      { h2d = { count = 1, bytes = 4 }, d2h = { count = 1, bytes = 4 } })
  end
  acc "kernels copy(s) num_gangs(n)" "s = s + 1;"
  expect.host("s", 9)
end)

case("rejects: num_gangs has too many numbers, or a number below one [ACC33-2.5.10-1]", function()
  wrong("syntax", "ACC33-2.5.10-1", "parallel num_gangs(1, 2, 3, 4) copy(s)", "s = 1;")
  wrong("syntax", "ACC33-2.5.10-1", "kernels num_gangs(2, 2) copy(s)", "s = 1;")
  wrong("syntax", "ACC33-2.5.10-1", "parallel num_gangs(0) copy(s)", "s = 1;")
  wrong("syntax", "ACC33-2.5.10-1", "parallel loop num_gangs(2, 0) copy(a)", "for (int i = 0; i < 3; i++) a[i] = 1;")
  wrong("type-mismatch", "ACC33-2.5.10-1", "parallel num_gangs(n - 2) copy(s)", "s = 1;")
  wrong("type-mismatch", "ACC33-2.5.10-1", "parallel num_gangs(2, -n) copy(s)", "s = 1;")
  wrong("unknown-name", "HOUSE-names", "parallel num_workers(unheard) copy(s)", "s = 1;")
end)

case("accepts: a reduction of elements combines these with their values before [ACC33-2.5.15-1]", function()
  acc "parallel copy(r, m)" [[
    #pragma acc loop reduction(+: r[2])
    for (int i = 0; i < 3; i++) r[2] += i;
    #pragma acc loop reduction(*: r[0:2])
    for (int i = 0; i < 3; i++) { r[0] *= 2; r[1] *= 3; }
    #pragma acc loop reduction(+: m[0:2][0:2])
    for (int i = 0; i < 3; i++) m[1][0] += i;
    #pragma acc loop reduction(max: m[0])
    for (int i = 0; i < 3; i++) m[0][1] = m[0][1] > i ? m[0][1] : i;
  ]]
  expect.host("r[0:4]", { 8, 54, 6, 4 })
  expect.host("m[0][0:2]", { 1, 2 })
  expect.host("m[1][0]", 6)
  acc "parallel copy(p[0:4])" ("#pragma acc loop reduction(+: p[1:n])" .. FOR .. "{ p[1] += 1; p[2] += i; }")
  expect.host("r[0:4]", { 8, 57, 9, 4 })
end)

case("accepts: a reduction of a part on a compute construct copies this part [ACC33-2.5.15-1 ACC33-impl-1]", function()
  expect.moves(function()
    acc "parallel reduction(+: r[2:2])" "r[2] += 5; r[3] += 1;"
  end, { h2d = { count = 1, bytes = 8 }, d2h = { count = 1, bytes = 8 } })
  expect.host("r[0:4]", { 1, 2, 8, 5 })
  expect.accepts("parallel reduction(+: s) copyin(s)", "s += 1;") -- its data clause does not copy it back
  expect.host("s", 5)
end)

case("accepts: a reduction of a structure combines its members [ACC33-2.5.15-1]", function()
  acc "parallel copy(pair)" ("#pragma acc loop reduction(+: pair)" .. FOR .. "{ pair.x += i; pair.y += 0.5; }")
  expect.host("pair.x", 4)
  expect.host("pair.y", 3.5)
end)

case("rejects: a reduction names a member, or what the operator does not take [ACC33-2.5.15-1]", function()
  wrong("clause-not-allowed", "ACC33-2.5.15-1", "parallel reduction(+: pair.x)", "s = 1;")
  wrong("type-mismatch", "ACC33-2.5.15-1", "parallel reduction(&: d)", "s = 1;")
  wrong("type-mismatch", "ACC33-2.5.15-1", "parallel reduction(+: node)", "s = 1;")
  wrong("type-mismatch", "ACC33-2.5.15-1", "parallel reduction(+: p)", "s = 1;")
  for text, code in pairs { ["+: pair.x"] = "clause-not-allowed", ["|: d"] = "type-mismatch",
    ["+: node"] = "type-mismatch", ["^: pair"] = "type-mismatch" } do
    wrong(code, "ACC33-2.5.15-1", "parallel copy(a, d, pair, node)",
      ("#pragma acc loop reduction(%s)%s a[i] = 1;"):format(text, FOR))
  end
end)
