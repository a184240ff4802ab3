-- The construct IR as text: every directive of the specification does the same if its plan is printed, read again, and
-- the construct that was read is executed in place of the plan's own.
local construct_ir = require "accdeep.lowering.construct_ir"
local ir_text = require "accdeep.lowering.ir_text"
local scenario = require "accdeep.script.scenario"

-- Returns the construct of a plan, made from its text.
local function construct_from_text(plan)
  local session, functions = plan.session, {}
  local function name_of(symbol)
    functions["f" .. symbol.value] = symbol.value
    return "f" .. symbol.value
  end
  for i, item in ipairs(plan.items) do item.number = i end
  local text, inputs = ir_text.write(plan, { variable = ir_text.variables_of(session), call = name_of,
    has_place = true })
  local statements, read_inputs = session.ctx:read_ir(text, plan.file, plan.line, functions)
  if not statements then error(read_inputs.message .. " in\n" .. text) end
  local values = {}
  for i, symbol in ipairs(inputs) do
    assert.equal(symbol.offset, read_inputs[i].offset)
    values[i] = symbol.variable.address + symbol.offset
  end
  assert.equal(#inputs, #read_inputs)
  assert.equal(1, #statements)
  statements[1].construct:set_inputs(values)
  return statements[1].construct
end

describe("texts of the construct IR", function()
  local Plan = getmetatable(construct_ir.new(false, {}, "update", {}))
  local prepare, count = Plan.prepare, 0

  setup(function()
    function Plan.prepare(plan)
      count = count + 1
      plan.construct = construct_from_text(plan)
    end
  end)
  teardown(function() Plan.prepare = prepare end)

  it("execute all directives of the specification", function()
    local failures, cases = {}, 0
    for path in assert(io.popen "find spec -name '*.lua' | grep -v /rules/ | sort"):lines() do
      local file = assert(io.open(path, "rb"))
      local text = file:read "a"
      file:close()
      for _, case in ipairs(scenario.run(path, text, { out = function() end, draw = function() end }).cases) do
        cases = cases + 1
        if not case.ok then failures[#failures + 1] = ("%s: %s: %s"):format(path, case.name, case.error.message) end
      end
    end
    assert.same({}, failures)
    assert.is_true(cases > 1000 and count > cases)
  end)
end)
