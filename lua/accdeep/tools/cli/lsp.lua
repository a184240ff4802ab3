-- lsp.lua - `accdeep lsp`: a language server over standard input and output.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local c_source = lazy.require "accdeep.tools.lower.c_source"
local lower = lazy.require "accdeep.tools.lower"
local lsp = lazy.require "accdeep.tools.lsp"

-- Adds the options of this command to its parser `command`.
local function options(command)
  common.limits(command)
  command:option("--limit-seconds", "Seconds that the check of a file may take; a tenth of them while it is typed.")
    :default "20":convert(common.parse_whole_number)
  command:flag("--stdio", "Use standard input and output, as always: editors add this option.")
end

-- Serves the client. Returns the exit status. `chosen`: the parsed options.
local function run(chosen)
  return lsp.serve({ memory = chosen.limit_memory, steps = chosen.limit_steps,
    seconds = math.max(1, chosen.limit_seconds) },
    { scan = function(text) return c_source.scan(text) end, lower = function(request) return lower.unit(request) end })
end

return { about = "Serve editors: errors, explanations, completion.", options = options,
  run = run }
