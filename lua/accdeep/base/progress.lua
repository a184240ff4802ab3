-- progress.lua - progress of long operations: one line of the terminal on standard error, erased before other text is
-- printed. new() returns a line object; if standard error is not a terminal, it prints nothing. Used by commands of the
-- program.

local core = require "accdeep.core"
local system = require "accdeep.system"

local MIN_INTERVAL = 0.03 -- shortest time in seconds between two displayed states

-- Escape sequences of the terminal: clear the line; do not wrap a text that is too long; wrap long texts again.
local CLEAR, UNWRAPPED, WRAPPED = "\r\27[K", "\27[?7l", "\27[?7h"

local Line = {}
Line.__index = Line

-- Returns a new line object. quiet: true if it must print nothing. The object also prints nothing if standard error is
-- not a terminal that can erase a line.
local function new(quiet)
  local term = os.getenv "TERM"
  return setmetatable({ enabled = not quiet and system.isatty(2) and term ~= nil and term ~= "" and term ~= "dumb",
    is_shown = false, at = 0 }, Line)
end

-- Shows a state of the work; the arguments are those of string.format. Does nothing if the object must print nothing,
-- or if the previous state was shown less than MIN_INTERVAL seconds ago.
function Line:show(format, ...)
  local now = core.clock()
  if not self.enabled or self.is_shown and now - self.at < MIN_INTERVAL then return end
  self.at, self.is_shown = now, true
  io.stderr:write(CLEAR, UNWRAPPED, (format:format(...):gsub("[%c\127]", "?")), WRAPPED)
end

-- Erases the line if it is shown. Must be called before any other text is written to the terminal, and at the end.
function Line:hide()
  if not self.is_shown then return end
  self.is_shown = false
  io.stderr:write(CLEAR)
end

return { new = new }
