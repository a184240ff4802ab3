-- replay.lua - `accdeep replay`: prints the state after an event of a trace; --step asks for further events.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local terminal = require "accdeep.tools.interactive.terminal"
local trace = lazy.require "accdeep.inspect.trace"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("trace", "A trace, as accdeep run --trace=FILE writes it."):argname "<file>"
  command:option("--to", "The event, by number, after which the state is shown; the last, if not given.")
    :argname "<n>":convert(common.parse_whole_number)
  command:flag("--step", "Ask for the event, again and again: the next one, one back, or a number.")
end

-- Returns the state after the first `count` events of a trace, and the last of these events or nil. `lines`: its lines.
local function state_after(lines, count)
  local state, n, last = trace.state(), 0, nil
  for _, line in ipairs(lines) do
    if n == count then break end
    if line.op then n, last = n + 1, line end
    state:apply(line)
  end
  return state, last
end

-- Prints the state after n events by write(text).
local function show(lines, n, write)
  local state, last = state_after(lines, n)
  write(("after event %d%s\n%s"):format(n, last and ": " .. trace.describe(last) or "", state:text()))
end

-- Prints the state after n events, then asks for events and prints the states after them, until the user leaves.
-- `most`: number of events.
local function step(lines, n, most)
  local user = terminal.open()
  -- Writes a text page by page.
  local function write(text) user:page(text) end
  show(lines, n, write)
  while true do
    local line, why = user:read(("(event %d of %d) "):format(n, most))
    local word = line and line:match "^%s*(.-)%s*$"
    if why == "end" or word == "quit" or word == "q" then break end
    local target = word == "" and n + 1 or (word == "back" or word == "b") and n - 1
      or math.tointeger(tonumber(word))
    if target and target >= 0 and target <= most then
      n = target
      show(lines, n, write)
    elseif word then
      user:write(("  Enter for the next event, back, a number from 0 to %d, or quit\n"):format(most))
    end
  end
  user:close()
end

-- Prints the state after an event of a trace. Returns 0, or the status of a usage error if the trace has fewer events.
local function run(chosen)
  local lines, most = trace.read(chosen.trace, common.read(chosen.trace)), 0
  for _, line in ipairs(lines) do most = most + (line.op and 1 or 0) end
  local n = chosen.to or chosen.step and 0 or most
  if n > most then
    common.err(("accdeep: %s has %d events\n"):format(chosen.trace, most))
    return common.USAGE
  end
  if chosen.step then step(lines, n, most) else show(lines, n, common.write_output) end
  return 0
end

return { about = "Show the state at a place of a trace.", options = options, run = run }
