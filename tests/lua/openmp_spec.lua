-- OpenMP directives: their trees, what is allowed where, and the items they become.
local core = require "accdeep.core"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local openmp_sema = require "accdeep.sema.openmp_sema"
local syntax = require "accdeep.syntax"
local openmp_execution = require "accdeep.run.openmp_execution"
local mapper = require "accdeep.sema.members.mapper"
local action_words = require "accdeep.lowering.action_words"
local support = require "tests.lua.support"

local declarations = [[
  struct V { int len; float *data; char name[8]; };
  struct S { char before[64]; int n; float x, y; float *p; struct V v; int tail[4]; };
  #pragma omp declare mapper(struct V v) map(to: v.len) map(v.data[0:v.len])
  #pragma omp declare mapper(whole: struct V v) map(v)
  struct S X, *Y; struct V vs[3]; int n, m; float a[8], w[2][3]; float *q, *rows[5];
]]
local session = support.session(declarations, { rules = "openmp-6.0" })
local host = support.host(session)
local variables = session.now.scope.variables
host.Y = session.host_space:pointer(variables.Y.type, session:new_block(variables.X.type.size))

local function tree(text) return (syntax.parse("omp_directive", text, 1, session.now.scope)) end
local function plan_of(text, options) return openmp_execution.lower(session, tree(text), options or {}) end

local actions = {}
for name, code in pairs(core.action) do actions[code] = name end

-- "action name", with the flags that are set but for present_or.
local function items(text, options)
  local list = {}
  for i, item in ipairs(plan_of(text, options).items) do
    local flags = {}
    for _, flag in ipairs { "if_present", "always_in", "always_out", "require_present", "finalize" } do
      if item.flags & core.flag[flag] ~= 0 then flags[#flags + 1] = flag end
    end
    list[i] = ("%s %s%s"):format(actions[item.action], item.name, #flags > 0 and " " .. table.concat(flags, " ") or "")
  end
  return list
end

local function refused(text, code, column)
  local err = support.error_of(plan_of, text)
  assert.equal(code, err.code)
  assert.equal(column, err.pos)
  return err
end

describe("the grammar of OpenMP", function()
  it("knows combined constructs and sentinels", function()
    assert.equal("target teams distribute parallel for simd",
      tree("#pragma omp target teams distribute parallel for simd").name)
    assert.equal("target enter data", tree("omp target  enter\tdata map(to: n)").name)
    assert.equal("parallel for", tree("parallel for").name)
    assert.equal("end target data", tree("end target data").name)
  end)

  it("tells modifiers from variables", function()
    local clause = tree("target map(always, close, to: n, a[0:2])").clauses[1]
    assert.equal(3, #clause.modifiers)
    assert.equal(2, #clause.vars)
    assert.equal(0, #tree("target map(n, a[0:2])").clauses[1].modifiers)
    clause = tree("target map(iterator(int i = 0:n:2, j = 0:2), mapper(whole), tofrom: vs[i])").clauses[1]
    assert.equal(2, #clause.modifiers[1].iterators)
    assert.equal("whole", clause.modifiers[2].mapper)
    assert.equal("target", tree("target parallel if(target: n > 0) if(parallel: m)").clauses[1].modifier.name)
  end)

  it("knows mappers and groups", function()
    local made = tree("declare mapper(id: struct V x) map(x)").mapper
    assert.equal("id", made.name)
    assert.equal("x", made.variable)
    assert.is_nil(tree("declare mapper(struct V x) map(x)").mapper.name)
    assert.equal("target data", tree("declare group bind_all(parallel, target data)").clauses[1].names[2].name)
    assert.equal("exclude", tree("parallel bind_group(exclude: g)").clauses[1].action.name)
  end)

  it("says where a text goes wrong", function()
    for text, pos in pairs { ["target map("] = 12, ["target map(to n)"] = 15, ["targett"] = 1, ["target mapp(n"] = 12,
      ["declare mapper(struct V)"] = 24, ["target if()"] = 11 } do
      local err = support.error_of(tree, text)
      assert.equal("syntax", err.code)
      assert.equal(pos, err.pos, text)
    end
  end)
end)

describe("clauses of OpenMP", function()
  it("become items in their order", function()
    assert.same({ "copyin n", "create a", "copy q" },
      items "target data map(to: n) map(alloc: a) map(q[0:n])")
    assert.same({ "copyin n always_in", "copyout a always_out", "copy m always_in always_out" },
      items "target data map(always, to: n) map(always, from: a) map(always: m)")
    assert.same({ "copyin a require_present" }, items "target enter data map(present, to: a)")
    assert.same({ "copyout a if_present", "delete n if_present", "delete m if_present finalize" },
      items "target exit data map(from: a) map(release: n) map(delete: m)")
    assert.same({ "update device a if_present", "update self q if_present", "update self n require_present" },
      items "target update to(a) from(q[0:2]) from(present: n)")
  end)

  it("gather members of a structure in a block", function()
    local plan = plan_of "target data map(to: X.n, X.y) map(from: X.p)"
    assert.equal(1, #plan.items)
    assert.equal("X", plan.items[1].name)
    assert.equal(24, plan.items[1].unit) -- n, x, y, padding, p
    assert.is_falsy(plan.single_use)
    assert.is_true(plan_of("target data map(to: Y->n, Y->y)").single_use)
    assert.same({ "copyin X.n" }, items "target data map(to: X.n)")
    assert.same({ "copy X", "copyin X.n" }, items "target data map(X) map(to: X.n)")
    assert.same({ "create X", "copyin X.n always_in" }, items "target data map(always, to: X.n) map(X.x)")
  end)

  it("leave sections of members apart, attached to their pointer", function()
    local plan = plan_of "target data map(X.p[0:4]) map(X.n, X.x)"
    assert.equal("X.p", plan.items[1].name)
    assert.equal(session.now.scope.variables.X.address + 80, plan.items[1].slot_address.value)
    assert.equal("X", plan.items[2].name)
  end)

  it("have an item for each value of an iterator", function()
    host.n = 3
    assert.same({ "copyin rows[0]", "copyin rows[1]", "copyin rows[2]" },
      items "target enter data map(iterator(i = 0:n), to: rows[i][0:2])")
    assert.same({ "create rows[4]", "create rows[2]" },
      items "target data map(iterator(i = 4:0:-2), alloc: rows[i][0:1])")
    refused("target data map(iterator(i = 0:2), alloc: a[i:1])", "conflicting-clauses", 44)
  end)

  it("say who may stand where", function()
    refused("target enter data map(from: n)", "clause-not-allowed", 23)
    refused("target data map(delete: n)", "clause-not-allowed", 17)
    refused("target exit data map(to: n)", "clause-not-allowed", 22)
    refused("target update", "syntax", 14)
    refused("target map(to, from: n)", "conflicting-clauses", 16)
    refused("target map(always, always, to: n)", "duplicate-clause", 20)
    refused("target data map(n) nowait nowait", "duplicate-clause", 27)
    refused("target update to(always: n)", "syntax", 18)
    refused("target data map(n) num_teams(2)", "clause-not-allowed", 20)
    refused("target data map(n) if(target update: n)", "clause-not-allowed", 23)
    refused("target map(mapper(none), to: X.v)", "unknown-name", 19)
    refused("target map(mapper(whole), to: n)", "not-a-struct", 19)
    refused("target private(n) map(n)", "conflicting-clauses", 23)
    refused("target firstprivate(n) is_device_ptr(n)", "conflicting-clauses", 38)
    refused("target defaultmap(alloc: all) defaultmap(none)", "duplicate-clause", 31)
  end)

  it("find the closest word", function()
    assert.equal("did you mean 'alloc'?", refused("target map(aloc: n)", "syntax", 12).help)
    assert.equal("did you mean 'map'?", refused("target mapp(n)", "unknown-clause", 8).help)
    assert.equal("did you mean 'whole'?", refused("target map(mapper(whol): vs)", "unknown-name", 19).help)
  end)

  it("are allowed for the constructs a combined one is made of", function()
    assert.is_true(openmp_directives.directive("target teams distribute").clauses.num_teams)
    assert.is_nil(openmp_directives.directive("target parallel").clauses.num_teams)
    assert.equal("host", openmp_directives.directive("teams distribute").kind)
  end)
end)

describe("what a target construct implies", function()
  local function implied(text, ...)
    local references = {}
    for i, name in ipairs { ... } do references[i] = { name = name, pos = 1 } end
    local plan = plan_of(text, { references = references, text = true })
    local private = {}
    for name in pairs(plan.private) do private[#private + 1] = name end
    table.sort(private)
    local list = {}
    for i, item in ipairs(plan.items) do list[i] = ("%s %s"):format(actions[item.action], item.name) end
    return list, private
  end

  it("is firstprivate for scalars and pointers, tofrom for the rest", function()
    local list, private = implied("target", "n", "q", "a", "X")
    assert.same({ "copy a", "copy X" }, list)
    assert.same({ "n", "q" }, private)
    list, private = implied("target map(n) defaultmap(alloc: aggregate) defaultmap(tofrom: pointer)", "n", "q", "a")
    assert.same({ "copy n", "copy q", "create a" }, list)
    assert.same({}, private)
  end)

  it("is no more than the members of a structure that are named, and their pointers", function()
    local plan = plan_of("target map(X.p[0:4], X.n)", { references = { { name = "X", pos = 1 } }, text = true })
    assert.equal(2, #plan.items)
    assert.equal("X", plan.items[2].name)
    assert.equal(24, plan.items[2].unit)
  end)

  it("can be nothing", function()
    local err = support.error_of(implied, "target defaultmap(none)", "n")
    assert.equal("default-none", err.code)
  end)
end)

describe("mappers", function()
  local function word(own, asked, kind)
    local request = { type = asked, kind = kind or "region", flags = {}, actions = openmp_sema.map_actions }
    local record = session.now.scope.variables.vs.type.of
    local treatment = mapper.member_mapping(session, record, { name = own .. asked, paths = { members = {},
      own_map = { type = own, map_modifiers = {} } } }, request)
    return treatment.own
  end

  it("give what both they and the list item ask for", function()
    for own, row in pairs {
      alloc = { alloc = "create", to = "create", from = "create", tofrom = "create" },
      to = { alloc = "create", to = "copyin", from = "create", tofrom = "copyin" },
      from = { alloc = "create", to = "create", from = "copyout", tofrom = "copyout" },
      tofrom = { alloc = "create", to = "copyin", from = "copyout", tofrom = "copy" } } do
      for asked, wanted in pairs(row) do assert.equal(wanted, word(own, asked), own .. " " .. asked) end
    end
  end)

  it("have words for actions with flags", function()
    local action, flags = action_words.code(mapper.action_word("copyin", { always_in = true, require_present = true }))
    assert.equal(core.action.copyin, action)
    assert.equal(core.flag.always_in | core.flag.require_present, flags)
    assert.equal("copy", mapper.action_word("copy", {}))
  end)

  it("are refused where they make no sense", function()
    local function declared(text)
      return support.error_of(session.declare, session, "#pragma omp " .. text .. "\n", "s", 1)
    end
    assert.equal("duplicate-name", declared("declare mapper(struct V w) map(w)").code)
    assert.equal("not-a-struct", declared("declare mapper(x: int w) map(w)").code)
    assert.equal("unknown-name", declared("declare mapper(x: struct V w) map(n)").code)
    assert.equal("unknown-member", declared("declare mapper(x: struct V w) map(w.lent)").code)
    assert.equal("not-a-pointer", declared("declare mapper(x: struct V w) map(w.len[0:2])").code)
    assert.equal("syntax", declared("declare mapper(x: struct V w)").code)
    assert.equal("clause-not-allowed", declared("declare mapper(x: struct V w) map(delete: w)").code)
  end)
end)

