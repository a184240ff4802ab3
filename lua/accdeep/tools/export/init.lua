-- export - exports scenarios as standard C programs with checks, one program for each case.
--
-- The scenario runs in the tool while scenario_recorder.lua records its steps; c_program.lua writes the program,
-- which prints a line for each check. A case that standard C cannot express has an error instead. cli/export.lua
-- calls export.cases.

local diagnostic = require "accdeep.base.diagnostic"
local scenario_recorder = require "accdeep.tools.export.scenario_recorder"
local scenario = require "accdeep.script.scenario"

local export = {}

-- Runs the scenario `text` of the file `file`. Returns its cases as a list of {name, profile, text} or
-- {name, profile, error}. `text`: the C program. `error`: the case failed, or C cannot express the case. `options`:
-- options of scenario.run (script/scenario.lua). `language`: "openacc", "openmp", or nil for the language that the
-- scenario uses.
function export.cases(file, text, options, language)
  local recorder = scenario_recorder(file, language)
  local list = table.move(options.observers or {}, 1, #(options.observers or {}), 1, {})
  list[#list + 1] = recorder.observer
  local result = scenario.run(file, text, setmetatable({ observers = list }, { __index = options }))
  local programs = #recorder.cases > 0 and recorder.cases or { recorder.program }
  local exported = {}
  for i, case in ipairs(result.cases) do
    local program = programs[i]
    local exported_case = { name = case.name, profile = case.profile, error = case.error }
    if not exported_case.error and program then
      program:finish(language)
      local reason = program.reason
      if reason then
        exported_case.error = diagnostic.new { code = "unsupported", rule = "HOUSE-export", file = reason.file,
          line = reason.line, message = ("'%s' has no C program: %s"):format(case.name, reason.message),
          help = reason.help }
      else
        exported_case.text = program:text()
      end
    end
    exported[i] = exported_case
  end
  return exported
end

return export
