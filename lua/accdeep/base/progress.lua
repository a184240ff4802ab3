-- progress.lua - how far long work is: one line of the terminal behind standard error, gone when other text
-- comes. new() gives a line; where there is no terminal for it, one that shows nothing.

local core = require "accdeep.core"
local system = require "accdeep.system"

local LEAST = 0.03 -- seconds between two states that are shown

-- To the beginning of the line and nothing on it; no second line for text that is too long.
local CLEAR, UNWRAPPED, WRAPPED = "\r\27[K", "\27[?7l", "\27[?7h"

local Line = {}
Line.__index = Line

-- quiet: the line would be in the way.
local function new(quiet)
  local term = os.getenv "TERM"
  return setmetatable({ wanted = not quiet and system.isatty(2) and term ~= nil and term ~= "" and term ~= "dumb",
    shown = false, at = 0 }, Line)
end

-- Shows a state of the work, unless the one that stands there is too young.
function Line:show(format, ...)
  local now = core.clock()
  if not self.wanted or self.shown and now - self.at < LEAST then return end
  self.at, self.shown = now, true
  io.stderr:write(CLEAR, UNWRAPPED, (format:format(...):gsub("[%c\127]", "?")), WRAPPED)
end

-- To be called before anything else is written to a terminal, and at the end.
function Line:hide()
  if not self.shown then return end
  self.shown = false
  io.stderr:write(CLEAR)
end

return { new = new }
