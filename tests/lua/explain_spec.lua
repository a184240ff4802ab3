-- The printed forms of directives: what is printed is understood again, and does the same.
local explain = require "accdeep.inspect.explain"
local syntax = require "accdeep.syntax"
local openacc_execution = require "accdeep.run.openacc_execution"
local support = require "tests.lua.support"
local unparse = require "accdeep.syntax.unparse"

after_each(support.close_all)

local declarations = [[
  template<class T> class vector {
      T *base, *end;
      int size() { return end - base; }
      #pragma acc shape include(base[0:size()], end[@base])
  };
  struct deep { int n; float *a, *b, *c;
      #pragma acc shape init_needed(n) include(a[0:n], b[0:n], c[0:n])
      #pragma acc shape(part_a) exclude(b, c)
      #pragma acc shape(only_b) default(exclude) include(b)
      #pragma acc policy(calc_a) default(copyin) copyout(a)
      #pragma acc policy(no_b) use(calc_a) exclude(b)
      #pragma acc policy(update_b) default(exclude) update(b)
      #pragma acc policy(partly) default(update_and_copy) present_and_copyin(a) pcopy(b)
  };
  struct outer { int k; struct deep d; struct deep *list; vector<float> v; float plain[4]; float *raw;
      #pragma acc shape include(list[0:k]) exclude(raw)
      #pragma acc shape(flat) exclude(list, v) include<part_a>(d)
      #pragma acc policy(mixed) default(create) copyin(v) invoke<calc_a>(d)
      #pragma acc policy(on_flat) shape(flat) default(copy)
      #pragma acc policy(update_some) default(exclude) update(v) invoke<update_b>(d)
  };
  struct deep X; struct outer Y; int n = 1, i = 0; float *p, *q, w[8];
]]

local function deep(n) return { n = n, a = { 1, 2, 3 }, b = { 4, 5, 6 }, c = { 7, 8, 9 } } end

local function prepared()
  local session = support.session(declarations)
  local host = support.host(session)
  host.X = deep(2)
  host.Y = { k = 2, d = deep(3), list = { deep(1), deep(2) }, plain = { 1, 2, 3, 4 }, raw = { 1 } }
  host.Y.v.base = { 5, 6, 7 }
  host.Y.v["end"] = host.Y.v.base + 3
  host.p = { 1, 2, 3, 4 }
  host.q = host.p + 2
  return session
end

-- Names and sizes of everything that happens, entry and exit.
local function story(session, text)
  local lines = {}
  session:collect_into(function(event)
    lines[#lines + 1] = ("%s %s %d"):format(event.op, event.name, event.bytes)
  end)
  local region = session:directive(text, nil, "spec.lua", 1)
  if region then region:close() end
  session:stop_collecting()
  return table.concat(lines, "\n")
end

local directives = {
  "data copy(X)", "data create(X)", "data copyout<part_a>(X)", "data copy<only_b>(X)", "data copy(Y)",
  "data copyin<flat>(Y)", "data create(Y, X)", "data invoke<calc_a>(X)", "data invoke<no_b>(X)",
  "data invoke<mixed>(Y)", "data invoke<on_flat>(Y)", "data copy(Y)::{ exclude(list) include(d)::{ exclude(c) } }",
  "data copyin<>(X)::{ include(a[0:n - 1]) }", "data copyin(X)::{ include(a[0: ::n]) }",
  "data invoke<calc_a>(X)::{ exclude(b) create(c[0:1]) }", "data copyin(X.a[0:X.n]) create(X.b[0:n])",
  "data copy(X, X.a[0:X.n])", "data copyin(Y.d.a[0:Y.d.n], Y.list[1].b[0:1]) create(Y)",
  "data copyin(Y.v)", "data copyin<part_a>(Y.list[0:Y.k])", "data copy(Y.plain[1:2], Y.k)",
  "data copyin(p[0:4]) present(q[@p])", "data invoke<>(Y)::{ default(exclude) invoke<calc_a>(d) copyin(k) }",
  "data copyin(Y.list[i + 1].a[0:Y.list[i + 1].n])", "data present_and_copyin(X) update_and_copy(p[0:4])",
  "data update_and_copy(X.a[0:X.n], X.n) pcopyin(X.b[0:1])", "enter data invoke<partly>(X)",
}
local updates = {
  "update self(X)", "update self<only_b>(X)", "update device(X.b[0:X.n], X.n)", "update invoke<update_b>(device: X)",
  "update invoke<update_some>(self: Y)", "update self(Y)::{ exclude(list, v) }", "update self(Y.d.a[0:1])",
  "update invoke<>(self: Y)::{ default(exclude) update(plain) invoke<>(d)::{ default(exclude) update(n) } }",
}

local function plan_of(session, text)
  local node = syntax.parse("directive", text, 1, session.now.scope)
  return openacc_execution.lower(session, node, { file = "spec.lua", line = 1 })
end

-- A text, and what becomes of it when printed in several ways, in sessions of their own.
local function forms_of(text)
  local session = prepared()
  local plan = plan_of(session, text)
  return {
    unparse.directive(plan.node.name, nil, plan.node.clauses),
    unparse.directive(plan.node.name, nil, plan.clauses),
    explain.canonical(session, plan),
  }
end

describe("a printed directive", function()
  for _, text in ipairs(directives) do
    it("does the same: " .. text, function()
      local wanted = story(prepared(), text)
      assert.truthy(wanted:find "incref")
      for _, form in ipairs(forms_of(text)) do assert.equal(wanted, story(prepared(), form), form) end
    end)
  end

  for _, text in ipairs(updates) do
    it("does the same: " .. text, function()
      local function run(form)
        local session = prepared()
        session:directive("enter data create(X, Y)", nil, "spec.lua", 1)
        return story(session, form)
      end
      local wanted = run(text)
      assert.truthy(wanted:find "[hd]2[hd]")
      for _, form in ipairs(forms_of(text)) do assert.equal(wanted, run(form), form) end
    end)
  end

  it("has one spelling", function()
    for _, text in ipairs(directives) do
      local first = forms_of(text)
      for i = 2, 3 do assert.equal(first[i], forms_of(first[i])[i]) end
    end
  end)
end)

local components = [[
  type cell
    integer :: k
    real, allocatable :: v(:)
  end type
  type qt
    integer :: n
    real, pointer :: a(:), b(:)
    real :: m(4,4)
    type(cell), allocatable :: many(:)
    !$acc shape(two) default(exclude) include(a, b(@a))
  end type
  type(qt) :: q
  integer :: i
  i = 2
  allocate(q%a(10), q%many(3))
  allocate(q%many(2)%v(5))
  q%n = 5
  q%a = 1
  q%b => q%a(3:8)
]]

describe("a printed directive of Fortran", function()
  local function prepared_in_fortran()
    local session = support.session("", { language = "fortran" })
    session:declare(components, "spec.lua", 1)
    return session
  end

  for text, lowered in pairs {
    ["data copyin(q%b(1:5))"] = "data invoke<>(q)::{ default(exclude) copyin(b(1:5)) }",
    ["data copyin(q%a) present(q%b(@q%a))"] = "data invoke<>(q)::{ default(exclude) copyin(a) present(b(@a)) }",
    ["data copyin(q%many(i)%v(i:i+2))"] =
      "data invoke<>(q)::{ default(exclude) invoke<>(many(2))::{ default(exclude) copyin(v(2:4)) } }",
    ["data copyin(q%m(:,2:i+1)) create(q)"] = "data invoke<>(q)::{ default(create) copyin(m(:,2:3)) }",
    ["data copyin<two>(q)"] = "data copyin<two>(q)",
    ["data copyin(q)::{ include(a(2:n), b(@)) exclude(many) }"] =
      "data copyin(q)::{ include(a(2:n), b(@)) exclude(many) }",
  } do
    it("does the same: " .. text, function()
      local wanted = story(prepared_in_fortran(), text)
      assert.truthy(wanted:find "incref")
      local session = prepared_in_fortran()
      local plan = openacc_execution.lower(session, session:parse(text), { file = "spec.lua", line = 1 })
      assert.equal(lowered, unparse.directive(plan.node.name, nil, plan.clauses))
      for _, form in ipairs { lowered, explain.canonical(session, plan) } do
        assert.equal(wanted, story(prepared_in_fortran(), form), form)
      end
    end)
  end
end)

describe("expressions", function()
  it("keep their structure", function()
    local session = prepared()
    local function round(text)
      return unparse.expression((syntax.parse("expression", text, 1, session.now.scope)))
    end
    for _, text in ipairs { "a + b * c", "(a + b) * c", "a - (b - c)", "- -a", "!a && b || c", "a ? b : c ? d : e",
      "(a ? b : c) + 1", "a ? b : (c, d)", "x.y[2].z->w(1, 2)", "(int)x + sizeof(int) - sizeof x", "*p++ + --q",
      "a << 1 & 3", "a << (1 & 3)", "&x.y", "(*p).y", "1.5 + 2", "::n + n", "(a, b)", "2.0 / 3", "1.5f", "7u", "7l",
      "0xfffffffffffffffful", "sizeof(int [4])", "(float (*)[3])p",
      "sizeof(struct deep *)", "f(1)[0:2]" } do
      assert.equal(text, round(text))
    end
    assert.equal("- -a", round "-(-a)")
    assert.equal("a + b * c", round "a+(b*c)")
  end)
end)
