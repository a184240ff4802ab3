-- draw.lua - `accdeep draw`: draws the states of a scenario or of a trace, as a page with all cases or as a picture of
-- one step.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local draw = lazy.require "accdeep.inspect.draw"
local files = require "accdeep.tools.files"
local report = require "accdeep.base.report"
local strings = require "accdeep.base.strings"

-- Returns the name of a picture unchanged; nil and a message if its suffix is unknown.
local function file(text)
  if draw.format(text) then return text end
  return nil, ("'%s' does not end in %s"):format(text, draw.SUFFIXES)
end

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("scenario", "The scenario; or a trace, as accdeep exec --trace=FILE and run --trace=FILE write it.")
    :argname "<file>"
  command:option("-o --out", "The picture: .html has all cases and steps; .svg, .png, .pdf and .dot have one step.")
    :argname "<file>":convert(file):count(1)
  command:option("--case", "The case of a picture, or where a page opens, by number: the first that fails, or the "
    .. "first."):convert(common.parse_whole_number)
  command:option("--step", "Its step, by number: the one that fails, or the first with the most on the device.")
    :convert(common.parse_whole_number)
  command:option("--device", "Device to run on: sim, cuda, or cuda:N."):default "sim":convert(common.device)
  command:option("--rules", "Rule profile, instead of the scenario's own."):convert(common.rules)
  command:option("--descriptors",
    "Layout of Fortran's descriptors, where the scenario names none: cfi, flang, gfortran.")
    :choices { "cfi", "flang", "gfortran" }
  common.limits(command)
  command:flag("--trust", "Let the scenario use all of Lua's library.")
end

-- Returns `number`, or `usual` if `number` is nil. Prints a message and returns nil if `list` has no such entry; the
-- message names `kind` and `path`.
local function choose(list, number, usual, kind, path)
  if list[number or usual] then return number or usual end
  common.err(("accdeep: there is no %s %d in %s, they are 1 to %d\n"):format(kind, number or usual, path, #list))
  return nil
end

-- Returns the cases of a scenario or a trace, the result of the scenario's run (for a trace: no cases), and the file
-- whose source lines a page shows. Returns nil, after a message, if an option does not fit a trace.
local function load_cases(chosen, path, source)
  if source:find '^{"trace":"accdeep"' then
    if chosen.rules then
      common.err "accdeep: --rules is for scenarios: the run of a trace has ended\n"
      return nil
    end
    local cases, file_of_lines = draw.trace(path, source)
    return cases, { title = path:match "[^/]*$", cases = {} }, file_of_lines or path
  end
  common.check_device(chosen.device)
  local cases, result = draw.scenario(path, source, { device = chosen.device, rules = chosen.rules,
    descriptors = chosen.descriptors, trust = chosen.trust, limit_memory = chosen.limit_memory,
    limit_steps = chosen.limit_steps, out = function() end })
  return cases, result, path
end

-- Runs a scenario, or reads a trace, and writes the picture. Returns the exit status, which failed cases determine. If
-- there is no such case or step, draws nothing and returns the status of a usage error.
local function run(chosen)
  local path, format = chosen.scenario, draw.format(chosen.out)
  local source = common.scenario(path)
  local cases, result, file_of_lines = load_cases(chosen, path, source)
  if not cases then return common.USAGE end
  local number = choose(cases, chosen.case, draw.usual_case(cases), "case", path)
  local case = cases[number]
  local step = case and choose(case.steps, chosen.step, draw.usual(case), "step",
    ("case %d of %s"):format(number, path))
  if not step then return common.USAGE end
  if format == "html" then
    local steps = 0
    for _, drawn_case in ipairs(cases) do steps = steps + #drawn_case.steps end
    local opens_at = chosen.step or case.failed_at
    draw.write(files.prepare_output(chosen.out),
      draw.page(result.title or path, file_of_lines, cases, number, opens_at))
    common.write_output(("%s: %s, %s%s\n"):format(chosen.out, strings.count(#cases, "case"),
      strings.count(steps, "step"), opens_at and ("; opens at step %d of case %d"):format(opens_at, number) or ""))
  else
    draw.write(files.prepare_output(chosen.out), draw.step(case, step, format))
    common.write_output(("%s: case %d of %d, step %d of %d: %s\n"):format(chosen.out, number, #cases, step, #case.steps,
      case.steps[step].title))
  end
  for _, case_result in ipairs(result.cases) do
    if not case_result.ok then common.show_error(case_result.error, case_result) end
    case_result.error = case_result.error and report.to_plain_data(case_result.error)
  end
  return report.status { result }
end

return { about = "Draw host and device, step by step.", options = options, run = run }
