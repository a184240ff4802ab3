-- export.lua - `accdeep export`: writes the cases of a scenario as C programs (tools/export).

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local export = lazy.require "accdeep.tools.export"
local files = require "accdeep.tools.files"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("scenario", "The scenario."):argname "<file>"
  command:option("--c", "The directives to use: openacc, openmp; those of the scenario if not given.")
    :choices { "openacc", "openmp" }
  command:option("--case", "The case to write, by number; needed for standard output if there are several.")
    :convert(common.parse_whole_number)
  command:option("--out", "Write each case into a file of this folder, which is made if needed."):argname "<folder>"
  command:option("--rules", "Rule profile, instead of the scenario's own."):convert(common.profile)
end

-- Writes the C programs of a scenario's cases. Returns 0 if all requested programs were written, 1 if a case failed or
-- cannot be exported.
local function run(chosen)
  local path = chosen.scenario
  local cases = export.cases(path, common.scenario(path), { rules = chosen.rules, out = function() end,
    draw = function() end, limit_memory = common.size(common.LIMIT_MEMORY),
    limit_steps = common.parse_whole_number(common.LIMIT_STEPS) }, chosen.c)
  local case_number = chosen.case or not chosen.out and #cases == 1 and 1
  if chosen.case and not cases[chosen.case] or not case_number and not chosen.out then
    common.err(("accdeep: %s has %d cases: choose one with --case, or a folder with --out\n"):format(path, #cases))
    return common.USAGE
  end
  if chosen.out then files.make_folder(chosen.out) end
  local status = 0
  for i, case in ipairs(cases) do
    if case_number and i ~= case_number then goto continue end
    if not case.text then
      common.show_error(case.error, case)
      status = 1
    elseif chosen.out then
      local name = ("%s/%s-%d.c"):format(chosen.out, path:match "([^/]*)$":gsub("%.lua$", ""), i)
      files.write(name, case.text)
      common.write_output(("%s: %s\n"):format(name, case.name))
    else
      common.write_output(case.text)
    end
    ::continue::
  end
  return status
end

return { about = "Write the cases of a scenario as standard C programs with checks.",
  options = options, run = run }
