-- Section 4: how clauses of groups and constructs combine, and which of them conflict.
scenario { title = "LLNL 4: clauses of groups and of constructs", rules = "indirect" }

declare [[
  int a = 1, b = 2, c = 3, ran;
  int v[8], w[8];
  struct s { int x, y; } s;
]]
omp "declare group name(priv) private(a)"
omp "declare group name(first) firstprivate(a, b)"
omp "declare group name(sent) map(to: v)"
omp "declare group name(four) num_threads(4)"

-- The attribute of a on a construct: "shared", "private" or "firstprivate".
local function meaning(clauses)
  host.a, host.ran = 1, 0
  local ok, problem = pcall(function() omp("parallel " .. clauses) "b = a; a = 5; ran = 1;" end)
  if not ok and problem.code == "uninitialized-read" then return "private" end
  if not ok then error(problem, 0) end
  return host.ran == 0 and "not run" or host.a == 5 and "shared" or "firstprivate"
end

case("accepts: merge combines clauses, and equal clauses count once [LLNL-4-05]", function()
  expect.equal(meaning "bind_group(first) shared(c)", "firstprivate")
  expect.equal(meaning "bind_group(first) firstprivate(a)", "firstprivate")
  expect.equal(meaning "bind_group(first, first) bind_group(merge: first)", "firstprivate")
  expect.equal(meaning "bind_group(four) num_threads(4)", "shared")
  omp "for bind_group(first) lastprivate(a)" "for (int i = 0; i < 2; i++) a = a + 1;"
  expect.host("a", 7)
  omp "target data map(from: w) bind_group(sent)" (function()
    expect.present "v"
    expect.present "w"
  end)
  omp "target data map(to: v) bind_group(sent)" (function() expect.present "v" end)
end)

case("rejects: two clauses conflict, and the error names both places [LLNL-4-05]", function()
  local problem = expect.fails("conflicting-clauses", function() omp "parallel private(b) bind_group(first)" end)
  expect.equal(problem.rule, "LLNL-4-05")
  expect.equal(problem.column, 88) -- of b in private(b)
  expect(problem.notes[1]:find ":10:48$", "the note tells where the group says it")
  for _, clauses in ipairs { "parallel bind_group(priv, first)", "parallel shared(a) bind_group(priv)",
    "parallel reduction(+:a) bind_group(first)", "parallel num_threads(2) bind_group(four)",
    "target map(tofrom: v) bind_group(sent)", "target data map(tofrom: v[0:4]) bind_group(sent)",
    "target map(a) bind_group(first)" } do
    expect.fails("conflicting-clauses", function() omp(clauses) end)
  end
  -- groups of bind_all conflict in the same way
  omp "declare group bind_all(parallel) num_threads(8)"
  expect.fails("conflicting-clauses", function() omp "parallel num_threads(4)" end)
  expect.fails("conflicting-clauses", function() omp "parallel bind_group(inherit: four)" end)
end)

case("accepts: inherited clauses yield to the construct's clauses, for each variable [LLNL-4-06]", function()
  expect.equal(meaning "private(a) bind_group(inherit: first)", "private")
  expect.equal(meaning "bind_group(inherit: first) shared(a)", "shared")
  expect.accepts("parallel private(a) bind_group(inherit: first)", "b = 9;")
  expect.host("b", 2) -- b is firstprivate still
  expect.equal(meaning "bind_group(inherit: first)", "firstprivate")
  omp "declare group name(defaults) default(none) if(1)"
  expect.equal(meaning "bind_group(inherit: defaults) default(shared)", "shared")
  -- bind_group also sets the action of a group of bind_all
  omp "declare group name(all) bind_all(parallel) private(c)"
  expect.fails("conflicting-clauses", function() omp "parallel firstprivate(c)" end)
  omp "parallel firstprivate(c) bind_group(inherit: all)" "b = c;"
  expect.host("b", 3)
  omp "target map(tofrom: v) bind_group(inherit: sent)" "v[0] = 3;"
  expect.host("v[0]", 3)
end)

case("rejects: an inherited clause conflicts with a clause of another group [LLNL-4-06 LLNL-4-05]", function()
  expect.fails("conflicting-clauses", function() omp "parallel bind_group(inherit: first) bind_group(priv)" end)
  expect.fails("conflicting-clauses", function() omp "parallel bind_group(inherit: first, priv)" end)
  expect.accepts("target bind_group(inherit: sent)", "v[0] = 3;")
  expect.host("v[0]", 0)
end)

case("accepts: overriding clauses replace the construct's clauses, for each variable [LLNL-4-07]", function()
  expect.equal(meaning "private(a) bind_group(override: first)", "firstprivate")
  expect.equal(meaning "bind_group(override: priv) shared(a, b)", "private")
  expect.accepts("parallel private(a, c) bind_group(override: first)", "c = 9;")
  expect.host("c", 3) -- c is private still
  expect.equal(meaning "num_threads(2) bind_group(override: four)", "shared")
  expect.equal(meaning "bind_group(first) bind_group(override: priv)", "private")
  expect.accepts("target map(tofrom: v) bind_group(override: sent)", "v[0] = 3;")
  expect.host("v[0]", 0)
end)

case("rejects: clauses conflict although another group overrides [LLNL-4-07 LLNL-4-05]", function()
  expect.fails("conflicting-clauses", function()
    omp "parallel private(b) bind_group(override: priv) bind_group(first)"
  end)
  expect.fails("conflicting-clauses", function() omp "parallel shared(c) private(c) bind_group(override: priv)" end)
end)

case("accepts: the last of several overriding groups wins [LLNL-4-09]", function()
  expect.equal(meaning "bind_group(override: priv) bind_group(override: first)", "firstprivate")
  expect.equal(meaning "bind_group(override: first) bind_group(override: priv)", "private")
  expect.equal(meaning "bind_group(override: first, priv)", "private")
  expect.equal(meaning "bind_group(override: priv, first) shared(a)", "firstprivate")
end)

case("rejects: two groups conflict without override, whatever their order [LLNL-4-09 LLNL-4-05]", function()
  expect.fails("conflicting-clauses", function() meaning "bind_group(priv) bind_group(first)" end)
  expect.equal(meaning "bind_group(override: priv) bind_group(first)", "private")
  expect.equal(meaning "bind_group(first) bind_group(override: priv)", "private")
end)

case("accepts: a stored clause applies if the construct allows the clause [LLNL-4-10]", function()
  omp "declare group name(both) firstprivate(a)"
  expect.equal(meaning "bind_group(both)", "firstprivate")
  expect.accepts("target bind_group(both)", "a = 9;")
  expect.host("a", 1)
end)

case("rejects: a construct does not allow a stored clause, and the error names the group's place"
  .. " [LLNL-4-10]", function()
  local problem = expect.fails("clause-not-allowed", function() omp "parallel bind_group(sent)" end)
  expect.equal(problem.rule, "LLNL-4-10")
  expect.equal(problem.line, 11)
  expect.equal(problem.column, 31)
  expect(problem.message:find("the group 'sent'", 1, true))
  expect(problem.notes[1]:find ":118$", "the note tells where the construct is")
  expect.fails("clause-not-allowed", function() omp "target update to(v) bind_group(four)" end)
  expect.fails("clause-not-allowed", function() omp "taskwait bind_group(four)" end)
  -- other errors about stored clauses have the place of the group, too
  omp "declare group name(wrong) firstprivate(nobody)"
  problem = expect.fails("unknown-name", function() omp "parallel bind_group(wrong)" end)
  expect.equal(problem.line, 127)
  omp "declare group name(far) map(to: v[4:8])"
  problem = expect.fails("out-of-bounds", function() omp "target data bind_group(far)" end)
  expect.equal(problem.line, 130)
end)

-- The names of the data that a directive copies to the device.
local function sent(text)
  local list = {}
  for _, event in ipairs(events(function() omp(text) end)) do
    if event.op == "h2d" then list[#list + 1] = event.name end
  end
  return table.concat(list, " ")
end

case("accepts: clauses of a group keep their order, at the place of bind_group [LLNL-4-11]", function()
  omp "target enter data map(alloc: v, w, a, b)"
  omp "declare group name(moves) to(v) to(a)"
  expect.equal(sent "target update to(w) bind_group(moves) to(b)", "w v a b")
  expect.equal(sent "target update bind_group(moves) to(b, w)", "v a b w")
  omp "declare group name(nested) to(b) bind_group(moves) to(w)"
  expect.equal(sent "target update bind_group(nested)", "b v a w")
end)

case("differs: another order of clauses gives another order of copies [LLNL-4-11]", function()
  omp "target enter data map(alloc: v, w, a, b)"
  omp "declare group name(back) to(a) to(v)"
  expect.equal(sent "target update bind_group(back)", "a v")
end)

case("accepts: an inner group hides an outer group of the same name [LLNL-4-15]", function()
  block(function()
    omp "declare group name(priv) firstprivate(a)"
    expect.equal(meaning "bind_group(priv)", "firstprivate")
    block(function()
      omp "declare group name(priv) shared(a)"
      expect.equal(meaning "bind_group(priv)", "shared")
    end)
    expect.equal(meaning "bind_group(priv)", "firstprivate")
  end)
  expect.equal(meaning "bind_group(priv)", "private")
end)

case("accepts: an inner group hides an outer group that is bound to constructs or types, too"
  .. " [LLNL-4-03 LLNL-4-15]", function()
  omp "declare group name(all) bind_all(parallel) firstprivate(a)"
  expect.equal(meaning "", "firstprivate")
  block(function()
    omp "declare group name(all) private(b)"
    expect.equal(meaning "", "shared")
    block(function()
      omp "declare group name(all) bind_all(parallel) private(a)"
      expect.equal(meaning "", "private")
    end)
  end)
  expect.equal(meaning "", "firstprivate")
end)

case("rejects: this names a type, or two inheriting groups conflict [LLNL-4-14 LLNL-4-05]", function()
  declare [[
    struct whole { int k;
      #pragma omp declare group map(this->k)
    } one_whole;
    struct star { int k;
      #pragma omp declare group map(*this)
    } one_star;
  ]]
  for _, text in ipairs { "struct whole", "struct star" } do
    local problem = expect.fails("unknown-name", function() omp("target bind_types(" .. text .. ")") "" end)
    expect(problem.message:find("names a type, but its group says 'this'", 1, true), problem.message)
  end
  omp "target bind_types(one_whole, one_star)" "one_whole.k = 3; one_star.k = 4;"
  expect.host("one_whole.k", 3)
  expect.host("one_star.k", 4)
  omp "declare group name(into) map(to: a)"
  omp "declare group name(out) map(from: a)"
  local problem = expect.fails("conflicting-clauses", function() omp "target bind_group(inherit: into, out)" "" end)
  expect(not problem.help:find "inherit", problem.help)
end)

case("rejects: a group name is unknown, or occurs twice in a scope [LLNL-4-15]", function()
  local problem = expect.fails("unknown-group", function() omp "parallel bind_group(privs)" end)
  expect.equal(problem.help, "did you mean 'priv'?")
  block(function()
    omp "declare group name(inner) private(a)"
    expect.equal(meaning "bind_group(inner)", "private")
  end)
  expect.fails("unknown-group", function() omp "parallel bind_group(inner)" end)
  expect.fails("unknown-group", function() omp "declare group name(g) bind_group(g)" end)
  omp "declare group name(own) private(a)"
  problem = expect.fails("duplicate-name", function() omp "declare group name(own) shared(b)" end)
  expect(problem.notes[1]:find ":%d+:27$", "the note tells where the other one is")
  expect.equal(meaning "bind_group(own)", "private")
end)

case("differs: a directive that ran before a group was declared gets its clauses in the next round"
  .. " [LLNL-4-13]", function()
  declare "double early[4], late[4];"
  for round = 1, 2 do
    omp "target enter data map(to: early)"
    if round == 1 then
      expect.absent "late"
      omp "declare group bind_all(target enter data) map(to: late)"
    end
  end
  expect.present "late"
end)
