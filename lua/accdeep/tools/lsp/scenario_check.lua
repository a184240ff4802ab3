-- scenario_check.lua - checks a scenario as `accdeep run` does: in its sandbox, within limits of steps, memory and
-- time. Nothing is written: output is dropped, and scenarios draw no pictures. Runs in a child process (jobs.lua).

local context = require "accdeep.tools.lsp.context"
local explain = require "accdeep.inspect.explain"
local report = require "accdeep.base.report"
local scenario = require "accdeep.script.scenario"

local scenario_check = {}

-- Patterns of the calls that tell a scenario.
local CALLS = { "%f[%w_.:]scenario%s*{", "%f[%w_.:]vocabulary%s*{" }
for i, name in ipairs { "acc", "omp", "declare", "declare_from", "fortran" } do
  CALLS[i + 2] = "%f[%w_.:]" .. name .. "%s*%(?%s*[\"'%[]"
end

local MOST_MATCHES = 20 -- limit of matches of a pattern that are looked at: each takes the time to read the text

-- Returns true if a text of Lua is a scenario: its code has one of the CALLS, and does not call require, which
-- scenarios do not have.
function scenario_check.is_scenario(text)
  if text:find "%f[%w_]require%s*%(?%s*[\"'%[]" then return false end
  for _, pattern in ipairs(CALLS) do
    local from, count = 1, 0
    while count < MOST_MATCHES do
      local at, last = text:find(pattern, from)
      if not at then break end
      local first, is_comment = context.open_string(text, at)
      if not first and not is_comment then return true end
      from, count = last + 1, count + 1
    end
  end
  return false
end

local function drop() end

-- Returns the options of scenario.run. `request`: see scenario_check.run. `observer`: a table of hooks.
local function options(request, observer)
  return { rules = request.rules, device = "sim", out = drop, draw = drop, limit_memory = request.limit_memory,
    limit_steps = request.limit_steps, observers = { observer } }
end

-- Runs a scenario. Returns {errors, variables}: the errors of its failed cases as plain data (report.to_plain_data),
-- and a sorted list of the names of variables that the file has declared. `request`: {path, text, rules,
-- limit_memory, limit_steps}; `rules`: a profile, or nil for the scenario's own.
function scenario_check.run(request)
  local current, names = nil, {}
  -- Adds the names that are declared now.
  local function collect()
    local session = current and current.session
    for name in pairs(session and session.now.scope:names() or {}) do names[name] = true end
  end
  local record = scenario.run(request.path, request.text, options(request, {
    names = function(_, run) current = run end, mark = collect, ended = collect, failed = collect }))
  local errors, variables = {}, {}
  for _, case in ipairs(record.cases) do
    if case.error then errors[#errors + 1] = report.to_plain_data(case.error) end
  end
  for name in pairs(names) do variables[#variables + 1] = name end
  table.sort(variables)
  return { errors = errors, variables = variables }
end

-- Returns the explanation of the first directive that a scenario executes at a line, as `accdeep explain FILE:LINE`
-- prints it; nil if none is executed there. `request`: see scenario_check.run; `line`: number of the line.
function scenario_check.explain(request, line)
  local parts = {}
  local observer = explain.new(function(text) parts[#parts + 1] = text end, function(source_location)
    return explain.covers_line(source_location, request.path, line)
  end)
  scenario.run(request.path, request.text, options(request, observer))
  return parts[1] and table.concat(parts) or nil
end

return scenario_check
