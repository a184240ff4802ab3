-- accdeep - the package as `require "accdeep"` gives it.
--
-- run(file, text, options): runs a scenario (scenario.lua). session(options): a host program to script
-- step by step from Lua (session.lua). version: text.

local core = require "accdeep.core"

local accdeep = { version = core.version }

function accdeep.run(file, text, options)
  return require "accdeep.script.scenario".run(file, text, options)
end

function accdeep.session(options) return require "accdeep.run.session".new(options) end

-- The message of an error as the command line prints it.
function accdeep.format_error(err) return require "accdeep.base.report".error(err, {}) end

return accdeep
