-- What the profile `directory` and its clauses mean to the front end: knobs, clauses, where element 0 lies, and
-- how the state shows tuples.
local core = require "accdeep.core"
local syntax = require "accdeep.syntax"
local openacc_execution = require "accdeep.run.openacc_execution"
local nest = require "accdeep.sema.members.nest"
local profiles = require "accdeep.definitions.profiles"
local support = require "tests.lua.support"
local unparse = require "accdeep.syntax.unparse"

local declarations = [[
  struct in { int j, k; };
  struct S { int n; struct in i; float *a, *b; int m[4];
    #pragma acc shape include(a[0:n])
    #pragma acc policy(own) default(exclude) update_and_copy(n, a[0:n]) pcopyin(b[0:2])
    #pragma acc policy(whole) default(update_and_copy) present_and_copyin(i)
  };
  struct S X; float v[100], w[5][4]; float *p, (*rows)[4], *q[3];
]]

local function flags_of(item)
  local names = {}
  for _, name in ipairs { "present_or", "copy_absent", "update_present" } do
    if item.flags & core.flag[name] ~= 0 then names[#names + 1] = name end
  end
  return table.concat(names, " ")
end

local function node_of(session, text) return syntax.parse("directive", text, 1, session.now.scope) end

describe("a profile", function()
  it("fuses if it is the directory's, or if a knob says so", function()
    assert.is_true(profiles.profile("directory").fusion)
    assert.is_false(profiles.profile("tr14").fusion)
    assert.same({ base = "openacc-3.3", fusion = true },
      profiles.for_core(profiles.profile { base = "openacc-3.3", fusion = true }))
    assert.same({ base = "directory", fusion = false },
      profiles.for_core(profiles.profile { base = "directory", fusion = false }))
    assert.equal("held", profiles.profile("directory").members)
  end)

  it("says what becomes of partial overlaps", function()
    for _, base in ipairs(profiles.names()) do
      assert.equal("error", profiles.profile(base).partial_overlap)
      for _, way in ipairs { "present_and_copyin", "update_and_copy" } do
        local session = support.session(nil, { rules = { base = base, partial_overlap = way } })
        assert.equal(way, session.rules.partial_overlap)
      end
    end
  end)

  it("lets stale addresses be used where it is not strict", function()
    local directory = profiles.profile "directory"
    assert.equal("reject", directory.stale)
    assert.equal("reject", directory.exit_unowned)
    assert.equal("ignore", profiles.for_core(directory, false).stale)
    assert.equal("ignore", profiles.profile("tr14").exit_unowned)
  end)

  it("knows no other values", function()
    local err = support.error_of(profiles.profile, { fusion = "yes" })
    assert.equal("fusion is false or true, not 'yes'", err.message)
    err = support.error_of(profiles.profile, { partial_overlap = "split" })
    assert.equal("partial_overlap is error or present_and_copyin or update_and_copy, not 'split'", err.message)
    err = support.error_of(profiles.profile, "directry")
    assert.equal("did you mean 'directory'?", err.help)
  end)
end)

describe("present_and_copyin and update_and_copy", function()
  local session = support.session(declarations)

  local function plan_of(text)
    return openacc_execution.lower(session, node_of(session, text), { file = "spec.lua", line = 1 })
  end

  it("are copyin with a flag", function()
    for _, name in ipairs { "data", "enter data", "parallel", "serial", "kernels", "parallel loop", "kernels loop" } do
      local items = plan_of(name .. " present_and_copyin(v[0:20]) update_and_copy(p[2:3]) copyin(w)").items
      local found = {}
      for i, item in ipairs(items) do
        assert.equal(core.action.copyin, item.action)
        found[i] = ("%s %s"):format(item.name, flags_of(item))
      end
      assert.same({ "v copy_absent", "p update_present", "w " }, found)
    end
  end)

  for _, case in ipairs {
    { "exit data present_and_copyin(v)", 11 }, { "exit data update_and_copy(v)", 11 },
    { "update update_and_copy(v)", 8 }, { "declare present_and_copyin(v)", 9 },
    { "host_data present_and_copyin(v)", 11 },
  } do
    it("are not allowed everywhere: " .. case[1], function()
      local err = support.error_of(plan_of, case[1])
      assert.same({ "clause-not-allowed", case[2] }, { err.code, err.pos })
    end)
  end

  it("are no clauses of shapes", function()
    local err = support.error_of(function() session:declare "#pragma acc shape(s) type(S) present_and_copyin(a)" end)
    assert.equal("clause-not-allowed", err.code)
    assert.is_truthy(err.message:find "a shape has no direction")
  end)

  it("take shapes and nests, and name members", function()
    local function lowered(text) return unparse.directive("", nil, plan_of(text).clauses):sub(2) end
    assert.equal("invoke<>(X)::{ default(exclude) present_and_copyin(a[0:n]) update_and_copy(b[0:2]) }",
      lowered "data present_and_copyin(X.a[0:X.n]) update_and_copy(X.b[0:2])")
    assert.equal("invoke<>(X)::{ default(update_and_copy) pcopyin(m) }",
      lowered "data update_and_copy(X) present_or_copyin(X.m)")
    assert.equal("present_and_copyin<>(X)::{ include(a[0:2]) }",
      lowered "data present_and_copyin<>(X)::{ include(a[0:2]) }")
    assert.equal("update_present", flags_of(plan_of "data update_and_copy<>(X)::{ include(a[0:2]) }".items[1]))
    assert.equal("update_present", flags_of(plan_of "data update_and_copy(X) copyin(X.m)".items[1]))
    assert.equal("present_or", flags_of(plan_of "data pcopyin(X) copyin(X.a[0:2])".items[1]))
    assert.equal("present_or", flags_of(plan_of "data copyin(X.a[0:2])".items[1])) -- what holds a
  end)

  it("are actions of policies", function()
    local plan = plan_of "data invoke<whole>(X)"
    assert.equal(core.action.copyin, plan.items[1].action)
    assert.equal("update_present", flags_of(plan.items[1]))
    assert.equal(core.action.hold, plan_of "data invoke<own>(X)".items[1].action)
    local asked = {}
    for _, entry in ipairs(nest.entries(session, plan_of "data invoke<own>(X)".items[1].member_mapping)) do
      if entry.requested_action then asked[#asked + 1] = ("%s %s"):format(entry.member.name, entry.requested_action) end
    end
    assert.same({ "n update_and_copy", "a update_and_copy", "b pcopyin" }, asked)
    assert.equal(core.action.delete, plan_of "exit data invoke<whole>(X)".items[1].action)
  end)

  it("give each member the flags it asks for", function()
    local given = {}
    for i, field in ipairs(plan_of "data invoke<own>(X)".items[1].program.fields) do
      given[i] = ("%d %s%s"):format(field.action, flags_of(field), field.in_place and " in place" or "")
    end
    local copyin = core.action.copyin
    assert.same({ copyin .. " update_present", copyin .. " present_or", copyin .. " update_present in place" }, given)
  end)
end)

describe("the address of element 0", function()
  local session = support.session(declarations, { rules = "directory" })
  local host = support.host(session)
  host.p = { 1, 2, 3, 4 }
  host.X = { n = 4, a = { 1, 2, 3, 4 } }

  for _, case in ipairs {
    { "v", "v" }, { "v[50:20]", "v" }, { "v[7]", "v" }, { "p[1:2]", "p[0]" }, { "p[2]", "p[0]" }, { "*p", "p[0]" },
    { "w[2:1]", "w" }, { "w[1][1:2]", "w" }, { "w[1][2]", "w" }, { "X", "X" }, { "X.n", "X" }, { "X.a[1:2]", "X" },
  } do
    it("is known for " .. case[1], function()
      local region = session:directive(("data copyin(%s)"):format(case[1]), nil, "spec.lua", 1)
      local base = session.ctx:levels(0)[1].original[1].base
      region:close()
      assert.equal((session:extent(case[2])), base)
    end)
  end

  it("is that of what a member lies in if the structure is not mapped", function()
    local apart = support.session(declarations, { rules = { base = "openacc-3.3", fusion = true } })
    local region = apart:directive("data copyin(X.m[1:2])", nil, "spec.lua", 1)
    assert.equal((apart:extent "X.m"), apart.ctx:levels(0)[1].original[1].base)
    region:close()
  end)
end)

-- A scenario in the profile, over what the directory paper's first figure declares.
local figure = [[
  scenario { rules = "directory" }
  declare "float a[100], b[20], *c;"
  for i = 0, 99 do host.a[i] = i end
  for i = 0, 19 do host.b[i] = 1000 end
  host.c = addr "a[25]"
  local function named(list, name)
    for _, entry in ipairs(list) do if entry.name == name then return entry end end
  end
  local function fused(body)
    acc "data copyin(b[0:20]) copy(a[0:20])" (function()
      acc "data copyin(a[50:20]) pcopyin(c[0:20])" (body)
    end)
  end
]]

describe("fused data", function()
  it("are shown by state() with the clauses they come from", function()
    support.holds(figure .. [[
      fused(function()
        local s = state()
        local outer, inner = s.levels[1], s.levels[2]
        expect.equal({ outer.original[1].name, outer.original[1].state }, { "b[0:20]", "copyin" })
        expect.equal({ outer.original[2].name, outer.original[2].state }, { "a[0:20]", "copy" })
        expect.equal(#outer.artificial, 2)
        expect.equal(named(outer.artificial, "a[0:20]").state, "ALLOC")
        expect.equal(named(outer.artificial, "a[0:20]").ancestors, { "a[0:20]" })
        expect.equal({ inner.original[1].name, inner.original[1].state }, { "a[50:20]", "copyin" })
        expect.equal({ inner.original[2].name, inner.original[2].state }, { "c[0:20]", "pcopyin" })
        expect(inner.original[1].base == addr "a" and inner.original[1].host == addr "a[50]")
        expect(inner.original[2].base == addr "a[25]")
        expect.equal(#inner.artificial, 2)
        local whole = named(inner.artificial, "a[0:70]")
        expect.equal({ whole.bytes, whole.state }, { 280, "ALLOC" })
        expect.equal(whole.ancestors, { "a[0:20]", "c[0:20]", "a[50:20]" })
        expect(whole.host == addr "a" and whole.device == acc_deviceptr "a[0]")
        expect.equal(named(inner.artificial, "b[0:20]").state, "ALIAS")
        expect(inner.dynamic == nil and inner.floor == nil)
        expect.equal({ #s.dynamic, #s.floor }, { 0, 0 })
        expect.equal(named(s.present, "a[0:20]").state, "ALLOC")
        expect.equal(named(s.present, "b[0:20]").state, "ALIAS")
      end)
      expect.equal(#state().levels, 0)
    ]])
  end)

  it("are shown by show()", function()
    local text = support.holds(figure .. [[
      fused(function()
        acc "enter data copyin(a[70:10])"
        show()
      end)
      acc "exit data delete(a[70:10])"
    ]])
    assert.is_truthy(text:find("\n    a[0:70]  280  ALLOC  of a[0:20] c[0:20] a[50:20]\n", 1, true), text)
    assert.is_truthy(text:find("\n  enter data  copyin(a[70:10])\n", 1, true), text)
    assert.is_truthy(text:find("    a[0:80]  320  ALLOC  of ", 1, true), text)
  end)

  it("of enter data fill the floor of the innermost level", function()
    support.holds(figure .. [[
      acc "enter data copyin(a[80:10])"
      expect.equal(#state().dynamic, 1)
      expect.equal({ state().floor[1].name, state().floor[1].state }, { "a[80:10]", "ALLOC" })
      fused(function()
        acc "enter data copyin(a[70:10])"
        local s = state()
        expect.equal(#s.dynamic, 1)
        expect(s.levels[1].dynamic == nil)
        expect.equal(s.levels[2].dynamic[1].name, "a[70:10]")
        expect.equal(named(s.levels[1].artificial, "a[0:90]").state, "ALLOC")
        expect.equal(named(s.levels[2].floor, "a[0:90]").state, "ALIAS")
        expect.equal(named(s.present, "a[80:10]").state, "ALIAS")
      end)
      expect.equal(#state().dynamic, 2)
      acc "shutdown"
      expect.equal({ #state().dynamic, #state().present }, { 0, 0 })
    ]])
  end)

  it("are found by kernels through every name", function()
    support.holds(figure .. [[
      fused(function()
        acc "parallel" "for (int i = 0; i < 20; ++i) a[i] += a[i + 25] + a[i + 50] + b[i];"
        acc("parallel", "c") (function(d)
          expect.equal(d.c[0], 25)
          expect.equal(d.c[-25], 0 + 25 + 50 + 1000)
          d.c[44] = 7
        end)
        acc("serial", "a") (function(d) expect.equal({ d.a[69], d.a[50] }, { 7, 50 }) end)
        expect.fails("uninitialized-read", function() acc "serial" "float x = a[22];" end)
        expect.fails("out-of-bounds", function() acc "serial" "a[22] = 1;" end)
        local problem = expect.fails("out-of-bounds", function() acc "serial" "float x = a[70];" end)
        expect(problem.message:find "what a%[0:20%] was fused into", problem.message)
        expect.fails("out-of-bounds", function() acc "serial" "float x = c[-26];" end)
      end)
      expect.host("a[1]", 1 + 26 + 51 + 1000)
      expect.host("a[69]", 69)
    ]])
  end)

  it("are looked at as one range", function()
    support.holds(figure .. [[
      acc "data copyin(a[0:20])" (function()
        acc "data create(a[20:20])" (function()
          expect.present "a[0:40]"
          expect.uninitialized "a[20:20]"
          expect.device("a[18:2]", { 18, 19 })
          expect.absent "a[40:1]"
          expect(acc_is_present("a[10:20]"))
          expect(acc_deviceptr "a[20]" == acc_deviceptr "a[0]" + 20)
          acc "serial present(a[10:20])" "for (int i = 20; i < 40; ++i) a[i] = 2 * i;"
          expect.device("a[10:20]", (function()
            local list = {}
            for i = 10, 29 do list[#list + 1] = i < 20 and i or 2 * i end
            return list
          end)())
          acc "update self(a[10:20])"
          acc "host_data use_device(a)" (function()
            acc("serial deviceptr(c)") "float x = 1;"
          end)
        end)
      end)
      expect.host("a[29]", 58)
      expect.host("a[30]", 30)
    ]])
  end)

  it("are reached by addresses of now only", function()
    local steps = figure .. [[
      acc "data copyin(a[0:20])" (function()
        host.c = acc_deviceptr "a[0]"
        acc "data copyin(a[50:20])" (function() %s end)
        acc "serial deviceptr(c)" "float x = c[3];"
      end)
    ]]
    support.holds(steps:format [[
      local problem = expect.fails("out-of-bounds", function() acc "serial deviceptr(c)" "float x = c[3];" end)
      expect(problem.message:find "stale", problem.message)
    ]])
    support.holds((steps:gsub('rules = "directory"', '%0, strict = false'):format
      [[acc "serial deviceptr(c)" "float x = c[3];"]]))
  end)
end)

teardown(support.close_all)
