-- repl.lua - `accdeep repl`: reads and executes statements of the scenario language line by line
-- (interactive/repl.lua).

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local core = require "accdeep.core"
local repl = lazy.require "accdeep.tools.interactive.repl"
local report = require "accdeep.base.report"
local terminal = require "accdeep.tools.interactive.terminal"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("file", "A scenario to begin with: it runs first."):args "?":argname "<file>"
  command:option("--device", "Device to run on: sim, cuda, or cuda:N."):default "sim":convert(common.device)
  command:option("--rules", "Rule profile, instead of the scenario's own."):convert(common.rules)
  common.limits(command)
end

-- Runs the prompt. Returns 0 on a terminal, otherwise the exit status of the gravest failure.
local function run(chosen)
  common.check_device(chosen.device)
  local text = chosen.file and common.scenario(chosen.file)
  local user = terminal.open()
  if user.is_terminal then
    user:write(("accdeep %s: statements of the scenario language. help tells more, quit leaves.\n")
      :format(core.version))
  end
  local failures = repl(chosen.file, text, { device = chosen.device, rules = chosen.rules,
    limit_memory = chosen.limit_memory, limit_steps = chosen.limit_steps }, user, common.use_color(2))
  local status = user.is_terminal and 0 or report.status { { cases = failures } }
  user:close()
  return status
end

return { about = "Try statements of the scenario language, one by one.", options = options, run = run }
