-- pager.lua - shows long output of a command on a terminal page by page: in the program of $PAGER, as git does.

local core = require "accdeep.core"
local files = require "accdeep.tools.files"
local system = require "accdeep.system"

local pager = {}

-- Returns the command line of the pager: $PAGER, or less, or more. Returns nil if output is no terminal, if that is
-- dumb, if $PAGER is empty or cat, or if there is no such program.
local function command_line()
  if not system.isatty(1) or os.getenv "TERM" == "dumb" then return nil end
  local chosen = os.getenv "PAGER"
  if chosen then return chosen:find "%S" and chosen ~= "cat" and chosen or nil end
  return files.program "less" and "less" or files.program "more" and "more" or nil
end

-- Starts the pager. Returns a file to write to, or nil if the output needs none. pager.finish ends the pager.
function pager.start()
  local line = command_line()
  if not line then return nil end
  io.stdout:flush()
  -- The interrupt key is for the pager. Without options of the user, less ends without a key after a short text.
  core.watch_interrupts(true)
  return io.popen('LESS="${LESS-FRX}"; export LESS; ' .. line, "w")
end

-- Waits until the user leaves the pager. `file`: result of pager.start.
function pager.finish(file)
  file:close()
  core.watch_interrupts(false)
end

return pager
