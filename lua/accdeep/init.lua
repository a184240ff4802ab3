-- accdeep - the package that `require "accdeep"` returns: run(file, text, options) runs a scenario
-- (script/scenario.lua); session(options) returns a host program to control from Lua (run/session.lua); version is a
-- text.

local core = require "accdeep.core"

local accdeep = { version = core.version }

function accdeep.run(file, text, options)
  return require "accdeep.script.scenario".run(file, text, options)
end

function accdeep.session(options) return require "accdeep.run.session".new(options) end

-- Returns the message of an error as the command line prints it.
function accdeep.format_error(err) return require "accdeep.base.report".error(err, {}) end

return accdeep
