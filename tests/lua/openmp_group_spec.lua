-- Groups of clauses: their texts and places, what excludes what, scopes, and random groups against the rules said
-- literally for each variable.
local syntax = require "accdeep.syntax"
local clause_groups = require "accdeep.types.clause_groups"
local unparse_openmp = require "accdeep.syntax.unparse_openmp"
local openmp_exclusions = require "accdeep.sema.openmp_exclusions"
local support = require "tests.lua.support"

local declarations = [[
  struct list { int n; double *data; };
  template<typename T> struct sum { T inner; };
  int a, b, c, n, v[8];
  struct list l;
]]

local function parse(text) return syntax.parse("omp_directive", text) end

-- Directives of a session, each at a line of its own of a file that nobody has.
local function program()
  local session = support.session(declarations, { rules = "openmp-5.1" })
  local line = 100
  local function run(text)
    line = line + 1
    return session:omp(text, nil, "program.lua", line)
  end
  local function effect(text)
    return session:with_text(text, "program.lua", line + 1, function()
      return clause_groups.apply(session, session:parse(text, "omp_directive"))
    end)
  end
  return session, run, effect
end

describe("the text of an OpenMP directive", function()
  after_each(support.close_all)

  it("is the directive again", function()
    for _, text in ipairs {
      "parallel for private(a, b) firstprivate(n) reduction(+: a) schedule(static, 4) nowait",
      "target map(always, present, tofrom: v[0:n], l.data[:l.n]) map(mapper(m), to: l) defaultmap(tofrom: scalar)",
      "target update to(iterator(i = 0:n, k = 0:8:2), present: v[i]) from(a)",
      "target data map(iterator(i = 0:n), mapper(low), to: v[i:1]) use_device_ptr(l)",
      "parallel if(parallel: n > 2 && a) num_threads(n + 1) default(none)",
      "task depend(in: a) priority(2) untied", "taskwait depend(iterator(i = 0:n), inout: v[i], *a)",
      "critical(name) hint(2)", "flush(a, b)", "declare target(a, b)",
      "declare group name(g) bind_all(parallel, target teams distribute) bind_type(double, struct list) shared(a)",
      "parallel bind_group(override: g, h) bind_groups(i) bind_types(l, unsigned int *)",
      "declare mapper(low: struct list x) map(to: x.n) map(tofrom: x.data[0:x.n / 2])",
    } do
      assert.equal(text, unparse_openmp.directive(parse(text)))
    end
  end)

  it("is the same for equal clauses", function()
    assert.equal("for schedule(static, 4) collapse(2)",
      unparse_openmp.directive(parse "omp for schedule( static ,4 ) collapse( 2)"))
    assert.equal("target map(to: v[0:n])", unparse_openmp.directive(
      parse "#pragma omp target map ( to : v [ 0 : n ] )"))
  end)
end)

describe("two clauses", function()
  -- Whether the only parts of two clauses exclude each other; nil if they are about other things.
  local function clash(one, other)
    local a = openmp_exclusions.clause_parts(parse("target " .. one).clauses[1])[1]
    local b = openmp_exclusions.clause_parts(parse("target " .. other).clauses[1])[1]
    if not a.key or a.key ~= b.key then return nil end
    assert.equal(openmp_exclusions.clash(a, b), openmp_exclusions.clash(b, a), one .. " and " .. other)
    return openmp_exclusions.clash(a, b)
  end

  it("exclude each other about one variable", function()
    for one, other in pairs {
      ["private(a)"] = "firstprivate(a)", ["shared(a)"] = "lastprivate(a)", ["reduction(+:a)"] = "reduction(*:a)",
      ["linear(a)"] = "private(a)", ["map(to: a)"] = "map(from: a)", ["map(a)"] = "firstprivate(a)",
      ["map(to: v[0:2])"] = "map(alloc: v[4:2])", ["is_device_ptr(a)"] = "map(a)", ["to(a)"] = "from(a)",
      ["in_reduction(+:a)"] = "shared(a)",
    } do
      assert.is_true(clash(one, other), one .. " and " .. other)
    end
  end)

  it("exclude each other about what is said once", function()
    for one, other in pairs {
      ["if(a)"] = "if(b)", ["if(target: a)"] = "if(target: b)", ["default(none)"] = "default(shared)",
      ["schedule(static)"] = "schedule(dynamic)", ["defaultmap(to: scalar)"] = "defaultmap(none: scalar)",
      ["collapse(2)"] = "collapse(3)", ["num_threads(a)"] = "num_threads(b)",
    } do
      assert.is_true(clash(one, other), one .. " and " .. other)
    end
  end)

  it("go together", function()
    for one, other in pairs {
      ["firstprivate(a)"] = "lastprivate(a)", ["map(a)"] = "reduction(+:a)", ["map(v[0:n])"] = "firstprivate(v)",
      ["map(to: a)"] = "map(always, to: a)", ["map(tofrom: a)"] = "shared(a)", ["map(l)"] = "use_device_ptr(l)",
      ["map(v[0:2])"] = "map(v[4:2])",
    } do
      assert.is_false(clash(one, other), one .. " and " .. other)
    end
    for one, other in pairs {
      ["private(a)"] = "private(b)", ["if(target: a)"] = "if(parallel: b)", ["map(to: l.n)"] = "map(from: l.data)",
      ["depend(in: a)"] = "depend(out: a)", ["defaultmap(to: scalar)"] = "defaultmap(none: pointer)",
      ["num_threads(2)"] = "thread_limit(2)", ["aligned(v)"] = "shared(v)",
    } do
      assert.is_nil(clash(one, other), one .. " and " .. other)
    end
  end)
end)

describe("a group", function()
  after_each(support.close_all)

  it("leaves directives alone that it is not bound to", function()
    local session, run, effect = program()
    local node = session:parse("parallel private(a)", "omp_directive")
    assert.equal(node, effect "parallel private(a)")
    run "declare group name(g) shared(b)"
    run "declare group name(h) bind_all(target) shared(b)"
    assert.equal(node, effect "parallel private(a)")
  end)

  it("is remembered by its clauses, and tells its place", function()
    local _, run, effect = program()
    run "declare group name(outer) shared(b)"
    run "declare group name(inner) firstprivate(c) bind_group(outer)"
    local made = effect "parallel private(a) bind_group(inner) num_threads(2)"
    assert.equal("parallel private(a) firstprivate(c) shared(b) num_threads(2)", unparse_openmp.directive(made))
    local names = {}
    for i, clause in ipairs(made.clauses) do names[i] = clause.group and clause.group.name or "" end
    assert.same({ "", "inner", "outer", "" }, names)
    local err = { pos = made.clauses[3].pos, code = "unknown-name" }
    clause_groups.locate(err, "user.lua", 7)
    assert.same({ "program.lua", 101 }, { err.file, err.line })
    assert.equal("the clause is of the group 'outer', bound to the construct at user.lua:7", err.notes[1])
  end)

  it("of a type is placed in the declaration's text", function()
    local session, run = program()
    session:declare("struct t { int x;\n  #pragma omp declare group firstprivate(nobody)\n};\nstruct t t;",
      "types.lua", 20)
    local err = support.error_of(run, "parallel bind_types(t)")
    assert.same({ "unknown-name", "types.lua", 21, 42 }, { err.code, err.file, err.line, err.column })
  end)

  it("that is wrong leaves nothing behind", function()
    local session, run = program()
    run "declare group name(g) shared(a)"
    local state = clause_groups.state(session)
    for _, text in ipairs { "declare group name(g) private(a)", "declare group name(h) nothing(a)",
      "declare group name(h) bind_group(none)", "declare group name(h) private(a) bind_group(g)",
      "declare group bind_type(struct nowhere) shared(a)" } do
      support.error_of(run, text)
    end
    assert.equal(state, clause_groups.state(session))
    assert.equal("unknown-group", support.error_of(run, "parallel bind_group(h)").code)
    assert.is_nil(rawget(session.now.scope.tags, "nowhere"))
  end)

  it("of a template has one name for all its types", function()
    local session, run, effect = program()
    session:declare([[
      template<typename T> struct box { T inner;
        #pragma omp declare group name(boxed) reduction(+:this)
      };
      box<int> i; box<double> d;
    ]], "types.lua", 1)
    assert.equal("parallel reduction(+: i) reduction(+: d)", unparse_openmp.directive(
      effect "parallel bind_types(i, d)"))
    assert.equal("parallel", unparse_openmp.directive(effect "parallel bind_types(i, d) bind_group(exclude: boxed)"))
    assert.equal("duplicate-name", support.error_of(run, "declare group name(boxed) shared(a)").code)
  end)

  it("says by `this` and by members what its variable is", function()
    local _, run, effect = program()
    run "declare group bind_type(struct list) map(to: n, *this) map(tofrom: data[0:n + ::n + a], this->data[:this->n])"
    assert.equal("target map(to: l.n, l) map(tofrom: l.data[0:l.n + ::n + a], l.data[:l.n])",
      unparse_openmp.directive(effect "target bind_types(l)"))
    assert.equal("unknown-name", support.error_of(effect, "target bind_types(struct list)").code)
  end)

  it("ends with its scope, in whatever order scopes end", function()
    local session, run, effect = program()
    local outer = clause_groups.enter_scope(session)
    local inner = clause_groups.enter_scope(session)
    run "declare group name(g) shared(a)"
    clause_groups.leave_scope(session, outer)
    assert.equal("unknown-group", support.error_of(effect, "parallel bind_group(g)").code)
    assert.equal(0, clause_groups.state(session))
    run "declare group name(h) shared(a)"
    clause_groups.leave_scope(session, inner)
    assert.equal("parallel shared(a)", unparse_openmp.directive(effect "parallel bind_group(h)"))
    local case = session:inner()
    case:omp("declare group bind_all(parallel) private(b)", nil, "program.lua", 1)
    local node = case:with_text("parallel", "program.lua", 2,
      function() return clause_groups.apply(case, parse "parallel") end)
    assert.equal("parallel private(b)", unparse_openmp.directive(node))
    case:close()
    assert.equal("parallel", unparse_openmp.directive(effect "parallel"))
  end)

  it("is seen by a directive that ran before at the same place", function()
    support.holds [[
      scenario { rules = "openmp-5.1" }
      declare "int a = 1;"
      local function go() omp "target map(tofrom: a)" "a = a + 1;" return host.a end
      expect.equal(go(), 2)
      block(function()
        omp "declare group bind_all(target) if(0)"
        expect.moves(function() expect.equal(go(), 3) end, { h2d = 0 })
      end)
      expect.moves(function() expect.equal(go(), 4) end, { h2d = { count = 1 } })
    ]]
  end)
end)

-- --------------------------------------------------------------------------------------- random groups --

local ways = { "private", "firstprivate", "shared" }
local names = { "a", "b", "c" }
local action_names = { "merge", "inherit", "override", "exclude" }

-- A random choice for some variables: name -> clause.
local function choice()
  local made = {}
  for _, name in ipairs(names) do
    if math.random(2) == 1 then made[name] = ways[math.random(#ways)] end
  end
  return made
end

local function clauses_of(chosen)
  local parts = {}
  for _, way in ipairs(ways) do
    local vars = {}
    for _, name in ipairs(names) do
      if chosen[name] == way then vars[#vars + 1] = name end
    end
    if vars[1] then parts[#parts + 1] = ("%s(%s)"):format(way, table.concat(vars, ", ")) end
  end
  return table.concat(parts, " ")
end

-- What a variable is by the rules: the last override, else what construct and merged groups say with one voice,
-- else what the inherited groups say. nil, true: they disagree.
local function expected(name, own, bound)
  local last, said, inherited
  for _, b in ipairs(bound) do
    local way = b.chosen[name]
    if way and b.action == "override" then last = way end
  end
  if last then return last end
  said = own[name]
  for _, b in ipairs(bound) do
    local way = b.chosen[name]
    if way and b.action == "merge" then
      if said and said ~= way then return nil, true end
      said = way
    end
  end
  for _, b in ipairs(bound) do
    local way = b.chosen[name]
    if way and b.action == "inherit" then
      if inherited and inherited ~= way and not own[name] then return nil, true end
      -- another group's clause is not a clause of the construct
      if said and said ~= way and not own[name] then return nil, true end
      inherited = inherited or way
    end
  end
  return said or inherited
end

describe("random groups", function()
  after_each(support.close_all)

  it("do what the rules say for each variable", function()
    math.randomseed(tonumber(os.getenv "ACCDEEP_SEED") or 7)
    local conflicts, joined = 0, 0
    for _ = 1, tonumber(os.getenv "ACCDEEP_ROUNDS") or 400 do
      local _, run, effect = program()
      local own, bound, text = choice(), {}, {}
      for i = 1, math.random(0, 3) do
        local chosen, action = choice(), action_names[math.random(#action_names)]
        local says = clauses_of(chosen)
        run(("declare group name(g%d) %s"):format(i, says))
        text[i] = ("bind_group(%s: g%d)"):format(action, i)
        bound[i] = { chosen = chosen, action = action }
      end
      local directive = ("parallel %s %s"):format(clauses_of(own), table.concat(text, " "))
      local wanted, conflict = {}, false
      for _, name in ipairs(names) do
        local way, wrong = expected(name, own, bound)
        wanted[name], conflict = way, conflict or wrong
      end
      if conflict then
        conflicts = conflicts + 1
        assert.equal("conflicting-clauses", support.error_of(effect, directive).code, directive)
      else
        joined = joined + 1
        local found = {}
        for _, clause in ipairs(effect(directive).clauses) do
          for _, variable in ipairs(clause.vars) do
            assert.is_nil(found[variable.name], directive)
            found[variable.name] = clause.name
          end
        end
        assert.same(wanted, found, directive)
      end
      support.close_all()
    end
    assert.is_true(conflicts > 20 and joined > 20)
  end)
end)
