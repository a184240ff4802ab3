-- scenario_writer.lua - writes steps as a scenario.

local steps = require "accdeep.steps"

local scenario_writer = {}

-- Functions that write a step as one statement, by kind.
local statements = {}

-- Returns the call of the scenario's function `name` with the texts that are not nil.
local function call(name, text, more) return ("%s %q%s"):format(name, text, more and (" %q"):format(more) or "") end

-- Returns a directive or a kernel as the scenario's function of that name.
function statements.acc(step) return call(step.kind, step.text, step.body) end
statements.omp, statements.kernel, statements.fortran = statements.acc, statements.acc, statements.acc

-- Returns the call of a routine.
function statements.routine(step) return call(step.name, step.text) end

-- Returns an expression of the host as a statement.
function statements.host(step) return call("host", steps.expression(step)) end

-- Returns statements of the host: a compute construct on the host.
function statements.statements(step) return call("acc", "serial if(0) " .. (step.clauses or ""), step.text) end

-- Returns the allocation of a pointer's objects.
function statements.alloc(step)
  return ("host.%s = alloc(%q, %d%s)"):format(step.text, step.type, step.count,
    step.value and ", " .. step.value or "")
end

-- Returns the statement that prints a number.
function statements.print(step) return ("print((%q):format(host.%s))"):format(step.label .. " %g", step.text) end

-- Returns a line that only scenarios have.
function statements.script(step) return step.text end

-- Returns a step as one statement of a scenario. Precondition: its kind is none of end, c, begin.
function scenario_writer.statement(step) return statements[step.kind](step) end

-- Returns steps as statements of a scenario, a list of lines. Steps of C only, and ends without a region, are left out.
-- `is_whole`: append the ends of regions that the steps leave open. `is_free`: regions have names, because they need
-- not be nested.
function scenario_writer.lines(list, is_whole, is_free)
  local lines, open = {}, {}
  -- Removes the open region or block at index `at` (nil: the innermost one). Returns the statement that closes it, or
  -- nil for a block of C.
  local function close(at)
    local region = table.remove(open, at)
    if region.step.kind == "begin" then return nil end
    if is_free then return ("region%d:close()"):format(region.at) end
    return call(region.step.kind, "end " .. steps.opens(region.step)[1])
  end
  for i, step in ipairs(list) do
    if step.kind == "end" then
      local at = #open
      while step.opener and at > 0 and open[at].step.number ~= step.opener do at = at - 1 end
      lines[#lines + 1] = at > 0 and close(at) or nil
    elseif step.kind == "begin" then
      open[#open + 1] = { step = step }
    elseif step.kind ~= "c" then
      local text = scenario_writer.statement(step.construct or step)
      if steps.opens(step) then
        open[#open + 1] = { step = step, at = i }
        if is_free then text = ("local region%d = %s"):format(i, text) end
      end
      lines[#lines + 1] = text
    end
  end
  while is_whole and open[1] do lines[#lines + 1] = close() end
  return lines
end

-- Returns a value, a text, a number, a truth value or a table of such values by name, as Lua.
local function lua_text(value)
  if type(value) ~= "table" then return type(value) == "string" and ("%q"):format(value) or tostring(value) end
  local fields = {}
  for name, field in pairs(value) do fields[#fields + 1] = ("%s = %s"):format(name, lua_text(field)) end
  table.sort(fields)
  return ("{ %s }"):format(table.concat(fields, ", "))
end

-- Returns a program as a scenario. Fields of `program`: `scenario`: its options, or nil. `declarations`: a text of C.
-- `steps`: the steps.
function scenario_writer.write(program)
  local lines = { program.scenario and "scenario " .. lua_text(program.scenario) or nil }
  lines[#lines + 1] = ("declare [[\n%s\n]]"):format((program.declarations:gsub("%s+$", "")))
  for _, line in ipairs(scenario_writer.lines(program.steps)) do lines[#lines + 1] = line end
  return table.concat(lines, "\n") .. "\n"
end

return scenario_writer
