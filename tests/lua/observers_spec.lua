-- Observers of a run: each sees what it sees alone, however many there are.
local scenario_recorder = require "accdeep.tools.export.scenario_recorder"
local explain = require "accdeep.inspect.explain"
local observers = require "accdeep.base.observers"
local step_recorder = require "accdeep.inspect.draw.step_recorder"
local scenario = require "accdeep.script.scenario"
local trace = require "accdeep.inspect.trace"

local SCENARIO = [[
  declare "typedef struct { int n; float *a; } T; T X; int v[4];"
  host.X.n = 2
  host.X.a = alloc("float", 2, 1)
  acc "data copyin(X, v) create(X.a[0:X.n])" (function()
    acc "parallel present(v)" "v[0] = 3;"
    acc "update self(v)"
    expect.host("v[0]", 3)
  end)
  case("a routine", function()
    acc_copyin "v"
    expect.present "v"
    acc "exit data delete(v) finalize"
  end)
  case("an error", function()
    expect.fails("not-present", function() acc "data present(v)" (function() end) end)
  end)
]]

-- What makers of observers have to show after a run with all of them; each gives an observer, and a function for that.
local function shown(makers)
  local list, results = {}, {}
  for i, make in ipairs(makers) do list[i], results[i] = make() end
  local made = scenario.run("all.lua", SCENARIO, { out = function() end, observers = list })
  for _, case in ipairs(made.cases) do assert(case.ok, tostring(case.error)) end
  for i, result in ipairs(results) do results[i] = result(made) end
  return results
end

local function lines()
  local text = {}
  return function(line) text[#text + 1] = line end, function() return table.concat(text) end
end

local makers = {
  trace = function()
    local write, text = lines()
    return trace.writer(write):observer(), text
  end,
  steps = function()
    local write, text = lines()
    return explain.steps(write), text
  end,
  explanation = function()
    local write, text = lines()
    local observer = explain.new(write, function(place) return place.line == 4 end)
    return observer, text
  end,
  pictures = function()
    local recorder = step_recorder.new()
    return recorder:observer(), function(made)
      local text = {}
      for _, case in ipairs(recorder:finish(made)) do
        for _, step in ipairs(case.steps) do
          text[#text + 1] = ("%s: %d host, %d present, %d moved, %d events"):format(step.title, #step.snapshot.host,
            #step.snapshot.present, #step.moved, #step.events)
        end
      end
      return table.concat(text, "\n")
    end
  end,
  program = function()
    local recorder = scenario_recorder "all.lua"
    return recorder.observer, function()
      local text = {}
      for i, program in ipairs(recorder.cases) do
        program:finish()
        text[i] = program.reason and program.reason.message or program:text()
      end
      return table.concat(text, "\n")
    end
  end,
}
local NAMES = { "trace", "steps", "explanation", "pictures", "program" }

describe("observers of a run", function()
  it("see together what each sees alone", function()
    local all = {}
    for i, name in ipairs(NAMES) do all[i] = makers[name] end
    local together = shown(all)
    local backwards = {}
    for i, make in ipairs(all) do backwards[#all + 1 - i] = make end
    local turned = shown(backwards)
    for i, name in ipairs(NAMES) do
      local alone = shown { makers[name] }[1]
      assert.is_true(#alone > 100, name)
      assert.equal(alone, together[i], name)
      assert.equal(alone, turned[#NAMES + 1 - i], name)
    end
  end)

  it("have hooks that there are", function()
    assert.has_error(function() observers.combine { { evnt = print } } end, "an observer has no 'evnt', is it 'event'?")
    assert.has_error(function() observers.combine { { constuct = print } } end,
      "an observer has no 'constuct', is it 'construct'?")
    local none = observers.combine {}
    for _, hook in ipairs { "construct", "event", "statement" } do assert.is_false(none[hook]) end
  end)

  it("are told of an end in the order that begins with the last one", function()
    local order = {}
    local function watching(name)
      return { construct = function()
        order[#order + 1] = name .. " begins"
        return function() order[#order + 1] = name .. " ends" end
      end }
    end
    local over = observers.combine { watching "a", {}, watching "b" }.construct()
    over()
    assert.same({ "a begins", "b begins", "b ends", "a ends" }, order)
  end)
end)
