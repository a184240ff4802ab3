-- diff.lua - `accdeep diff`: shows where two traces begin to differ. Queued work, whose time may vary, is compared
-- after everything else (inspect/trace_order.lua).

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local trace_order = lazy.require "accdeep.inspect.trace_order"
local trace = lazy.require "accdeep.inspect.trace"
local strings = require "accdeep.base.strings"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("first", "A trace, as accdeep run --trace=FILE writes it."):argname "<file>"
  command:argument("second", "Another one."):argname "<file>"
  command:flag("--rules", "Compare the rules that decided, too.")
end

-- Fields of an event that are compared; source locations are not.
local FIELDS = { "op", "name", "bytes", "device", "object", "in", "size", "structured", "dynamic", "pointer", "count",
  "gone" }

-- Returns true if two events or marks are equal, or both nil. `with_rules`: their rules must be equal, too. Names of
-- files may differ, names of cases may not. Of two queued operations, the field `gone` may differ.
local function is_same_line(a, b, with_rules)
  if not a or not b then return a == b end
  if a.mark ~= b.mark then return false end
  if a.mark == "scenario" then return true end
  for _, field in ipairs(FIELDS) do
    -- Queued frees may occur later in one trace than in the other, therefore they may differ in `gone`.
    local later = field == "gone" and a.async and b.async
    if a[field] ~= b[field] and not later then return false end
  end
  return not with_rules or a.rule == b.rule
end

-- Returns the description of `line`, an event or mark of the trace `path`; nil: the trace has ended. `n`: number of
-- events before the line; `events`: number of all events.
local function format_difference(path, line, n, events)
  if not line then return ("%s ends after event %d\n"):format(path, n) end
  local event_text = line.op and "event " .. n + 1 or ("after event %d"):format(n)
  local counters = line.structured and (", then structured %s, dynamic %s"):format(line.structured, line.dynamic)
    or line.count and (", then counter %d"):format(line.count) or ""
  local queue = trace_order.is_work(line) and ("  in queue %d"):format(line.async) or ""
  return ("%s, %s of %d: %s%s%s\n"):format(path, event_text, events, trace.describe(line), counters, queue)
end

-- Reads a trace. Returns {path, lines, main, before, events}. `main`: indices of the lines that are not queued work.
-- `before`: a list of the number of events before each line. `events`: number of events. Raises if the file is no
-- trace.
local function read_trace(path)
  local file = { path = path, lines = trace.read(path, common.read(path)), main = {}, before = {}, events = 0 }
  for k, line in ipairs(file.lines) do
    file.before[k] = file.events
    file.events = file.events + (line.op and 1 or 0)
    if not trace_order.is_work(line) then table.insert(file.main, k) end
  end
  return file
end

-- Prints the description of line k of the trace `file` (read_trace); k nil: the trace has ended.
local function show(file, k) common.write_output(format_difference(
  file.path, file.lines[k], file.before[k] or file.events, file.events)) end

-- Returns the state before line k of the trace `file` as text; k nil: the state at its end.
local function state_text(file, k)
  local state = trace.state()
  for i = 1, (k or #file.lines + 1) - 1 do state:apply(file.lines[i]) end
  return state:text()
end

-- Prints the states of the two traces `files` before the lines `places`, or one text if they are equal.
local function show_states(files, places)
  local before = {}
  for i, file in ipairs(files) do before[i] = state_text(file, places[i]) end
  if before[1] == before[2] then return common.write_output("state before it, in both:\n" .. before[1]) end
  for i, text in ipairs(before) do common.write_output(("state before it, in %s:\n%s"):format(files[i].path, text)) end
end

-- Compares two traces; prints the first difference. Returns 0 if they are equal, otherwise 1.
local function run(chosen)
  local files = { read_trace(chosen.first), read_trace(chosen.second) }
  local first, second = table.unpack(files)
  for i = 1, math.max(#first.main, #second.main) do
    local places = { first.main[i], second.main[i] }
    if not is_same_line(first.lines[places[1]], second.lines[places[2]], chosen.rules) then
      for n, file in ipairs(files) do show(file, places[n]) end
      show_states(files, places)
      return 1
    end
  end
  local difference = trace_order.difference(first.lines, second.lines)
  if difference then
    common.write_output(difference.message .. ":\n")
    for n, file in ipairs(files) do
      for _, k in ipairs(difference[n]) do show(file, k) end
    end
    return 1
  end
  common.write_output(("no difference in %s\n"):format(strings.count(first.events, "event")))
  return 0
end

return { about = "Show where two traces begin to differ.", options = options, run = run }
