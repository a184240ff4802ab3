-- What a directive costs in Lua when it was met before, in steps of the interpreter and in memory: a directive on
-- present data asks nothing that its text and place have answered.
local scenario = require "accdeep.script.scenario"
local scope = require "accdeep.types.scope"
local support = require "tests.lua.support"

after_each(support.close_all)

local ROUNDS = 1000

-- Steps and bytes of one of many calls.
local function cost(fn)
  fn()
  local steps = 0
  collectgarbage()
  collectgarbage "stop"
  local before = collectgarbage "count"
  debug.sethook(function() steps = steps + 1 end, "", 1)
  for _ = 1, ROUNDS do fn() end
  debug.sethook()
  local bytes = (collectgarbage "count" - before) * 1024
  collectgarbage "restart"
  return steps / ROUNDS, bytes / ROUNDS
end

local function assert_within(most, fn)
  local steps, bytes = cost(fn)
  assert.is_true(steps <= most, ("%.1f steps, at most %d"):format(steps, most))
  assert.is_true(bytes < 1, ("%.1f bytes"):format(bytes))
end

describe("a directive that was met before costs few steps and no memory", function()
  local function directive(session, text)
    return function() session:directive(text, nil, "spec.lua", 1) end
  end

  it("on present data", function()
    local session = support.session "int x[100];"
    session:directive("enter data copyin(x)", nil, "spec.lua", 2)
    assert_within(40, directive(session, "enter data copyin(x[0:10])"))
    assert_within(40, directive(session, "update device(x[0:10])"))
  end)

  it("whatever else its text was met with", function()
    local session = support.session "int x[100];"
    local again = directive(session, "enter data copyin(x)")
    again()
    session:directive("enter data copyin(x)", nil, "spec.lua", 2)
    assert_within(40, again)
  end)

  it("in OpenMP", function()
    local session = support.session "int x[100];"
    session:omp("target enter data map(to: x)", nil, "spec.lua", 2)
    assert_within(40, function() session:omp("target enter data map(to: x[0:10])", nil, "spec.lua", 1) end)
  end)

  it("in a scenario", function()
    local steps, bytes
    local run = scenario.run("cost.lua", [[
      declare "int x[100];"
      steps, bytes = cost(function() acc "enter data copyin(x[0:10])" end)
    ]], { observers = { { names = function(env) env.cost = function(fn) steps, bytes = cost(fn) end end } } })
    assert.is_nil(run.cases[1].error)
    assert.is_true(steps <= 70, ("%.1f steps, at most 70"):format(steps))
    assert.is_true(bytes < 1, ("%.1f bytes"):format(bytes))
  end)
end)

describe("what a directive's place has answered", function()
  it("is forgotten with the plans", function()
    local session = support.session "int x[4], n = 1;"
    local text = "enter data copyin(x[0:2])"
    session:directive(text, nil, "spec.lua", 1)
    session:directive("exit data delete(x[0:2])", nil, "spec.lua", 2)
    session:declare("int y;", "spec.lua", 3)
    session:directive(text, nil, "spec.lua", 1)
    assert.equal(8, session.ctx:present(0)[1].bytes)
  end)

  it("is forgotten when the session speaks another language", function()
    local session = support.session "int x[4];"
    local function enter() session:directive("enter data copyin(x[0:2])", nil, "spec.lua", 1) end
    enter()
    session:speak "fortran"
    assert.equal("syntax", support.error_of(enter).code)
  end)

  it("is not what another file says in this line", function()
    local session = support.session "int x[4];"
    local function label() return session.ctx:present(0)[1] end
    for _ = 1, 2 do
      for _, file in ipairs { "one.lua", "two.lua" } do
        session:directive("enter data copyin(x)", nil, file, 7)
        assert.equal(file, label().file)
        session:directive("exit data delete(x)", nil, file, 8)
      end
    end
  end)

  it("does not hide a failure, nor where it is", function()
    local session = support.session "int x[4];"
    local function update() session:directive("update self(x)", nil, "spec.lua", 5) end
    session:directive("enter data create(x)", nil, "spec.lua", 1)
    update()
    update()
    session:directive("exit data delete(x)", nil, "spec.lua", 2)
    local err = support.error_of(update)
    assert.same({ "not-present", "spec.lua", 5, 13 }, { err.code, err.file, err.line, err.column })
  end)

  it("is asked for anew where somebody listens", function()
    local session = support.session "int x[4];"
    local function enter() session:directive("enter data copyin(x)", nil, "spec.lua", 1) end
    enter()
    enter()
    local events = {}
    session:collect_into(function(event) events[#events + 1] = event.op end)
    enter()
    session:stop_collecting()
    assert.same({ "incref" }, events)
  end)

  it("does not run inside a compute construct", function()
    local session = support.session "int x[4];"
    local function enter() session:directive("enter data copyin(x)", nil, "spec.lua", 1) end
    enter()
    enter()
    local construct = session:directive("serial present(x)", nil, "spec.lua", 2)
    assert.equal("region-nesting", support.error_of(construct, enter, { file = "spec.lua", line = 2 }).code)
  end)

  it("is not what its names mean in a member function, or in a construct of the host", function()
    local session = support.session "struct T { int x[2]; }; struct T t; int x[4];"
    local variables = session.now.scope.variables
    local function enter()
      session:directive("enter data copyin(x)", nil, "spec.lua", 1)
      local bytes = session.ctx:present(0)[1].bytes
      session:directive("exit data delete(x)", nil, "spec.lua", 2)
      return bytes
    end
    assert.equal(16, enter())
    assert.equal(16, enter())
    assert.equal(8, session:run_as_member(variables.t.type, variables.t.address, enter))
    local outer = session.now.scope
    session.now.scope, session.now.private_scope = scope.new(outer), 1
    session.now.scope.variables.x = variables.t
    assert.equal(8, enter())
    session.now.scope, session.now.private_scope = outer, false
    assert.equal(16, enter())
  end)

  it("is compared with what a failure leaves, where one is expected", function()
    local session = support.session "int x[4];"
    local function update() session:directive("update self(x)", nil, "spec.lua", 1) end
    session:directive("enter data create(x)", nil, "spec.lua", 2)
    update()
    update()
    session:directive("exit data delete(x)", nil, "spec.lua", 3)
    local class = getmetatable(session).__index
    local compared = spy.on(class, "compare")
    finally(function() class.compare:revert() end)
    session.now.expects_failure = true
    support.error_of(update)
    assert.spy(compared).called(1)
  end)

  it("does not hide the place from a function that a bound calls", function()
    local session = support.session "int x[4];"
    session.now.scope.functions.two = function() return 2 end
    session:types_changed()
    local seen = {}
    session.now.scope.functions.two = function()
      seen[#seen + 1] = session.now.current and session.now.current.line or false
      return 2
    end
    for _ = 1, 3 do session:directive("enter data copyin(x[0:two()])", nil, "spec.lua", 6) end
    assert.same({ 6, 6, 6 }, seen)
  end)
end)
