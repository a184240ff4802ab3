-- From directives to the items of one construct: what each clause asks for, and what is refused.
local core = require "accdeep.core"
local syntax = require "accdeep.syntax"
local openacc_execution = require "accdeep.run.openacc_execution"
local nest = require "accdeep.sema.members.nest"
local support = require "tests.lua.support"
local unparse = require "accdeep.syntax.unparse"

local session = support.session [[
  struct in { int k; float *data; };
  struct S { int n; float *a, *b; struct in i; struct in *list; int m[4];
    #pragma acc shape include(a[0:n])
    #pragma acc shape(plain) exclude(a)
  };
  struct S X, *Y; struct in Z[3]; int n; float v[8], w[2][3]; float *p, **q; void *any;
]]

local actions = {}
for name, code in pairs(core.action) do actions[code] = name end
local function plan_of(text, references)
  return openacc_execution.lower(session, syntax.parse("directive", text, 1, session.now.scope),
    { file = "spec.lua", line = 1, references = references })
end

-- "action name", with the flags that are set.
local function items(text)
  local list = {}
  for i, item in ipairs(plan_of(text).items) do
    local flags = {}
    for _, flag in ipairs { "uncounted", "init", "if_present", "present_or" } do
      if item.flags & (core.flag[flag] or 0) ~= 0 then flags[#flags + 1] = flag end
    end
    list[i] = ("%s %s%s"):format(actions[item.action], item.name or "pointer",
      #flags > 0 and " " .. table.concat(flags, " ") or "")
  end
  return list
end

describe("clauses", function()
  it("become items in their order", function()
    assert.same({ "copyin n", "create v", "copy p" }, items "data copyin(n) create(v) copy(p[0:n])")
    assert.same({ "delete v", "copyout p" }, items "exit data delete(v) copyout(p[0:4])")
    assert.same({ "update self v", "update device n", "update self p" },
      items "update self(v) device(n) host(p[0:2])")
    assert.same({ "present v", "no_create n" }, items "data present(v) no_create(n)")
  end)

  it("know the older names and what may be there already", function()
    assert.same({ "copy v present_or", "copyin n present_or" }, items "data pcopy(v) present_or_copyin(n)")
    assert.same({ "update self v if_present" }, items "update self(v) if_present")
  end)

  it("attach a pointer that is named itself", function()
    assert.same({ "copyin p", "attach pointer if_present" }, items "data copyin(p)")
    assert.same({ "copyout p", "detach pointer if_present" }, items "exit data copyout(p)")
    assert.same({ "attach pointer" }, items "enter data attach(p)")
    assert.same({ "update self p" }, items "update self(p)")
  end)

  it("become nests where they name members", function()
    local function lowered(text)
      return unparse.directive("", nil, plan_of(text).clauses):sub(2)
    end
    assert.equal("invoke<>(X)::{ default(exclude) copyin(a[0:n]) }", lowered "enter data copyin(X.a[0:X.n])")
    assert.equal("invoke<>(X)::{ default(exclude) copyin(a[0: ::n]) }", lowered "enter data copyin(X.a[0:n])")
    assert.equal("invoke<>(X)::{ default(exclude) copyin(a[0:2], b[0:2]) create(m) }",
      lowered "data copyin(X.a[0:2]) copyin(X.b[0:2]) create(X.m)")
    assert.equal("invoke<>(X)::{ default(create) copyin(a[0:2]) } copy(v)",
      lowered "data create(X) copy(v) copyin(X.a[0:2])")
    assert.equal("invoke<>(X)::{ default(present) shape(plain) copyin(b[n:k]) }",
      (lowered "data copyin(X.b[X.n:Y[0].i.k]) present<plain>(X)":gsub("Y%[0%].i.", "")))
    assert.equal("invoke<>(Y[0])::{ default(exclude) copyin(b[0:n]) }", lowered "data copyin(Y->b[0:Y->n])")
    assert.equal("invoke<>(X)::{ default(exclude) invoke<>(i)::{ default(exclude) copyin(data[0:k]) } }",
      lowered "data copyin(X.i.data[0:X.i.k])")
    assert.equal("invoke<>(X)::{ default(exclude) invoke<>(list[n:1])::{ default(copyin) copy(data[0:k]) } }",
      (lowered "data copy(X.list[n].data[0:X.list[n].k]) copyin(X.list[n])":gsub("::n", "n")))
    assert.equal("invoke<>(self: X)::{ default(exclude) update(a[0:2]) } "
      .. "invoke<>(device: X)::{ default(exclude) update(n) }", lowered "update self(X.a[0:2]) device(X.n)")
    assert.equal("copyin(n, v[0:2])", lowered "data copyin(n, v[0:2])")
  end)

  it("ask for what the nest says", function()
    assert.same({ "hold X present_or" }, items "enter data copyin(X.a[0:X.n])")
    assert.same({ "create X" }, items "data create(X) copyin(X.a[0:2])")
    assert.same({ "update self X" }, items "update self(X.a[0:2])")
    assert.same({ "hold X present_or", "present p" },
      items "data invoke<>(X)::{ default(exclude) copy(n) } present(p[@])")
  end)

  it("carry conditions, finalize and names", function()
    local plan = plan_of "exit data delete(v) finalize if(n > 2)"
    assert.is_true(plan.finalize)
    assert.equal("binary", plan.condition.tag)
    assert.truthy(plan.named.v)
    plan = plan_of "parallel private(n) deviceptr(p)"
    assert.equal("private", plan.private.n.attribute)
    assert.truthy(plan.deviceptr.p)
  end)

  it("add what a body uses", function()
    local plan = plan_of("parallel copyin(v)", { { name = "v" }, { name = "w" }, { name = "n" } })
    assert.equal(2, #plan.items)
    assert.equal("copy", actions[plan.named.w.action])
    assert.equal("firstprivate", plan.private.n.attribute)
  end)
end)

describe("a directive", function()
  local errors = {
    { "data", "syntax", 5 }, { "enter data if(1)", "syntax", 11 }, { "update", "syntax", 7 },
      { "exit data finalize", "syntax", 10 },
    { "data copy(zz)", "unknown-name", 11 }, { "data copy(X.zz)", "unknown-member", 13 },
      { "data copy(v[0:zz])", "unknown-name", 15 },
    { "data copy(n[0:1])", "not-a-pointer", 12 }, { "data copy(p[0:2][0:1])", "not-a-pointer", 17 },
    { "data copy(p[:])", "invalid-section", 12 }, { "data copy(p[0:-1])", "invalid-section", 12 },
    { "data copy(v[4:8])", "out-of-bounds", 12 }, { "data copy(v[9])", "out-of-bounds", 13 },
    { "data copy(w[0:2][0:2])", "invalid-section", 17 }, { "data copy(any[0:2])", "type-mismatch", 14 },
    { "data copy(n + 1)", "syntax", 13 }, { "data copy(v[0:2].x)", "syntax", 12 }, { "data copy(3)",
      "type-mismatch", 11 },
    { "data copy<plain>(Z)", "unknown-shape", 11 }, { "data copy<flat>(X)", "unknown-shape", 11 },
    { "data copy<plain>(v)", "not-a-struct", 18 }, { "data attach<plain>(p)", "clause-not-allowed", 13 },
    { "data cpy(v)", "unknown-clause", 6 }, { "data delete(v)", "clause-not-allowed", 6 },
    { "enter data copy(v)", "clause-not-allowed", 12 }, { "exit data create(v)", "clause-not-allowed", 11 },
    { "update copy(v)", "clause-not-allowed", 8 }, { "data copy(v) if(1) if(2)", "duplicate-clause", 20 },
    { "data copy(v) if", "syntax", 14 }, { "data default(some) copy(v)", "clause-not-allowed", 14 },
    { "parallel private(v[0:2])", "syntax", 19 }, { "data deviceptr(n)", "not-a-pointer", 16 },
    { "enter data attach(n)", "not-a-pointer", 19 }, { "enter data attach(p[0:2])", "not-a-pointer", 20 },
    { "data(x) copy(v)", "syntax", 6 }, { "data copy(v[0:1.5])", "type-mismatch", 15 },
      { "data copy(v[0:p])", "type-mismatch", 15 },
    { "data copy(v[0:f(1)])", "unknown-name", 15 },
  }
  for _, case in ipairs(errors) do
    it(("is refused at its place: %s"):format(case[1]), function()
      local err = support.error_of(plan_of, case[1])
      assert.equal(case[2], err.code)
      assert.equal(case[3], err.pos)
      assert.is_string(err.rule)
    end)
  end
end)

describe("shapes", function()
  local shape = require "accdeep.sema.members.shape"
  local function effective(name)
    local list = {}
    for _, entry in ipairs(nest.entries(session, nest.shape(session, session.now.scope.tags.S, name))) do
      list[#list + 1] = entry.member.name .. (entry.include and "" or "-") .. (entry.subscripts
        and "[]" or "")
        .. (entry.init and "!" or "")
    end
    return table.concat(list, " ")
  end
  local function define(text)
    shape.define(session, syntax.parse("directive", text, 1, session.now.scope), nil)
  end

  it("say how each member takes part", function()
    assert.equal("n a[] b i list m", effective())
    assert.equal("n a- b i list m", effective "plain")
    define "shape(only_a) type(struct S) default(exclude) include(a)"
    assert.equal("n- a[] b- i- list- m-", effective "only_a")
    define "shape(marked) type(struct S) init_needed(n) include(b[0:n]) exclude(m)"
    assert.equal("n! a[] b[] i list m-", effective "marked")
  end)

  local errors = {
    { "shape include(n)", "missing-type", 1 }, { "shape(x) type(struct Q) include(n)", "unknown-type", 15 },
    { "shape(x) type(int) include(n)", "not-a-struct", 15 }, { "shape(x) type(struct S) include(z)",
      "unknown-member", 33 },
    { "shape(x) type(struct S) include(n, n)", "duplicate-member", 36 },
      { "shape type(struct S) include(n)", "duplicate-default-shape", 1 },
    { "shape(plain) type(struct S) include(n)", "duplicate-name", 7 },
      { "shape(x) type(struct S) type(struct S)", "duplicate-clause", 25 },
    { "shape(x) type(struct S) default(none) include(n)", "default-none", 25 },
      { "shape(x) type(struct S) copy(n)", "clause-not-allowed", 25 },
    { "shape(x) type(struct S) includ(n)", "unknown-clause", 25 },
      { "shape(x) type(struct S) include(n[0:2])", "not-a-pointer", 34 },
    { "shape(x) type(struct S) exclude(a[0:2])", "invalid-section", 34 },
      { "shape(x) type(struct S) include<y>(n)", "not-a-struct", 36 },
    { "shape(x) type(struct S) include<y>(i)", "unknown-shape", 33 },
      { "shape(x) type(struct S) exclude<y>(i)", "clause-not-allowed", 33 },
    { "shape(x) type(struct S) default(all)", "clause-not-allowed", 33 },
  }
  it("and policies refuse clauses of OpenACC that belong elsewhere, and know their names", function()
    local policy = require "accdeep.sema.members.policy"
    local own = { shape = { type = true, include = true, exclude = true, init_needed = true, default = true },
      policy = { type = true, use = true, shape = true, exclude = true, update = true, default = true,
        invoke = true } }
    for name in pairs(policy.actions) do own.policy[name] = true end
    local count = 0
    for name in pairs(require "accdeep.definitions.openacc_directives".clause_names) do
      for what, definition in pairs { shape = shape.define, policy = policy.define } do
        for _, arguments in ipairs(own[what][name] and {} or { "", "(a)", "(1)" }) do
          local text = ("%s(y) type(struct S) %s%s"):format(what, name, arguments)
          local err = support.error_of(function()
            definition(session, syntax.parse("directive", text, 1, session.now.scope), nil)
          end)
          assert.is_true(err.code == "clause-not-allowed" or err.code == "syntax", text .. ": " .. err.code)
          if err.code ~= "syntax" then count = count + 1 end
        end
      end
    end
    assert.is_true(count > 60)
  end)

  for _, case in ipairs(errors) do
    it(("are refused at their place: %s"):format(case[1]), function()
      local err = support.error_of(define, case[1])
      assert.equal(case[2], err.code)
      assert.equal(case[3], err.pos)
      assert.is_string(err.rule)
    end)
  end
end)
