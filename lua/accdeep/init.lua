-- accdeep - the package that `require "accdeep"` returns. run(file, text, options) runs a scenario
-- (script/scenario.lua). session(options) returns a session, a host program that Lua code controls (run/session.lua).
-- `version` is a text such as "1.2.3".

local core = require "accdeep.core"

local accdeep = { version = core.version }

-- Runs the text of a scenario; `file` is its name in messages, `options` (may be nil) are those of scenario.run.
-- Returns the record of the run. Errors of the scenario are in the record.
function accdeep.run(file, text, options)
  return require "accdeep.script.scenario".run(file, text, options)
end

-- Returns a new session, which the caller closes. Raises for wrong options (session.new).
function accdeep.session(options) return require "accdeep.run.session".new(options) end

-- Returns the message of the error `err`, a diagnostic or an error of a record, as the command line prints it.
function accdeep.format_error(err) return require "accdeep.base.report".error(err, {}) end

return accdeep
