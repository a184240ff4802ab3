-- trace_steps.lua - makes the steps of a picture from a trace (inspect/trace.lua), of a scenario or of a real program.
--
-- trace_steps(lines, source_line) returns the cases that step_recorder.lua describes, here without `failed_at`. A step
-- is what one directive did: the events of one source line, until an event begins the directive again.
--
-- A trace has no values and no types. An object of a picture therefore has a row for its bytes, and one for each
-- attached pointer in it. The names of both tell which object contains a pointer: v contains v.data, and p[0:4]
-- contains p[0].next. The host's side has the objects that are present, and those that were present before.

local trace = require "accdeep.inspect.trace"

-- Events that begin a use of data, and those that end it: a directive has none of the first after one of the second.
local BEGINS = { alloc = true, incref = true, h2d = true, attach = true }
local ENDS = { decref = true, free = true, detach = true }
local DIRECTIONS = { h2d = "in", d2h = "out" }
local POINTER_BYTES = 8
local MAX_STEPS = 300 -- limit of the steps of a case; the last step is always there
local MAX_ABSENT = 12 -- limit of objects on the host's side that are not present any more: the latest are drawn

-- Returns the name of an object without its section: "p" for p[0:4] and for p(1:4).
local function base_name(name) return (name:gsub("%b[]$", ""):gsub("%b()$", "")) end

-- Returns the path of a pointer in an object, by their names; nil if the names do not show that the object contains it.
local function pointer_path(object_name, pointer_name)
  local base = base_name(object_name)
  if pointer_name == object_name then return "" end
  if pointer_name:sub(1, #base) ~= base or not pointer_name:find("^[%.%-%[%%%(]", #base + 1) then return nil end
  return (pointer_name:sub(#base + 1):gsub("^%[0%]%.", ""):gsub("^%.", ""):gsub("^%->", ""):gsub("^%%", ""))
end

-- Recorder of a case. Its fields:
--   state        state of the trace (trace.state); case: the case that is recorded.
--   events       lines of the step that is collected; at: their location.
--   order        numbers of all objects that were present so far, in the order of their first events.
--   last_known   number of an object -> its last state.
local Recorder = {}
Recorder.__index = Recorder

-- Returns the object with the longest name that contains a pointer, by names, and the pointer's path in it.
function Recorder:container(pointer)
  local best, best_path
  for number, object in pairs(self.state:top().objects) do
    local path = object.device == pointer.device and pointer_path(object.name, pointer.name)
    if path and (not best or #object.name > #self.last_known[best].name or #object.name == #self.last_known[best].name
        and number > best) then
      best, best_path = number, path
    end
  end
  return best, best_path
end

-- Returns the rows of attached pointers by the number of the object that contains them. side: "h" or "d".
function Recorder:pointer_rows(side)
  local rows, numbers = {}, {}
  for number in pairs(self.state:top().pointers) do numbers[#numbers + 1] = number end
  table.sort(numbers)
  for _, number in ipairs(numbers) do
    local pointer = self.state:top().pointers[number]
    local container, path = self:container(pointer)
    if container then
      rows[container] = rows[container] or {}
      local is_known = self.state:top().objects[pointer.object] ~= nil
      table.insert(rows[container], { path = path, kind = "pointer", offset = 0, bytes = POINTER_BYTES,
        state = not is_known and "gone" or side == "d" and "attached" or "host", count = pointer.count,
        to = is_known and side .. pointer.object or nil })
    end
  end
  return rows
end

-- Returns an object of a snapshot. number: of the object; side: "h" or "d"; rows: of its pointers, or nil.
function Recorder:object(number, side, rows)
  local known = self.last_known[number]
  local object = { id = side .. number, name = known.name, bytes = known.bytes,
    rows = { { path = "", kind = "value", offset = 0, bytes = known.bytes, text = "" } } }
  table.move(rows or {}, 1, #(rows or {}), 2, object.rows)
  return object
end

-- Returns the snapshot of the present state, for the device `device`.
function Recorder:snapshot(device)
  local now, lists = self.state:top(), self.state:lists()
  local shot = { host = {}, device = {}, attached = {}, present = {}, levels = {}, number = device }
  for _, entry in ipairs(lists.attached) do
    if entry.device == device then table.insert(shot.attached, entry) end
  end
  local host_rows, device_rows, absent, left_out = self:pointer_rows "h", self:pointer_rows "d", {}, {}
  for _, number in ipairs(self.order) do
    if not now.objects[number] and self.last_known[number].device == device then absent[#absent + 1] = number end
  end
  for i = 1, #absent - MAX_ABSENT do left_out[absent[i]] = true end
  for _, number in ipairs(self.order) do
    local object = now.objects[number]
    if self.last_known[number].device == device and not left_out[number] then
      local host = self:object(number, "h", host_rows[number])
      host.present, host.is_variable = object and "wholly" or "absent", not self.last_known[number].name:find "[%[%(]"
      table.insert(shot.host, host)
      if object then
        local copy = self:object(number, "d", device_rows[number])
        copy.host, copy.structured, copy.dynamic = host.id, object.structured, object.dynamic
        table.insert(shot.device, copy)
        table.insert(shot.present, { name = object.name, bytes = object.bytes, structured = object.structured,
          dynamic = object.dynamic, at = object.at })
      end
    end
  end
  return shot
end

-- Ends the step that is collected: adds it to the case.
function Recorder:finish_step()
  local events = self.events
  if #events == 0 then return end
  self.events = {}
  local file, line = (self.at or ""):match "^(.*):(%d+)$"
  local text = file and self.source_line(file, tonumber(line))
  local step = { title = text or self.at or trace.describe(events[1]), text = text, file = file,
    line = math.tointeger(tonumber(line)), events = {}, moved = {} }
  for i, event in ipairs(events) do
    step.events[i] = { op = event.op, name = event.name, bytes = event.bytes, rule = event.rule, device = event.device }
    if DIRECTIONS[event.op] and event.object then
      table.insert(step.moved, { host = "h" .. event.object, device = "d" .. event.object, offset = event.offset or 0,
        bytes = event.bytes, direction = DIRECTIONS[event.op] })
    end
  end
  step.snapshot = self:snapshot(events[1].device or 0)
  local steps = self.case.steps
  if #steps == MAX_STEPS then
    self.case.dropped = self.case.dropped + 1
    steps[#steps] = nil
  end
  steps[#steps + 1] = step
end

-- Returns true if an event cannot belong to the directive of the events so far.
function Recorder:begins_step(line)
  local last = self.events[#self.events]
  if not last then return false end
  if line.at ~= self.at or line.device ~= last.device then return true end
  for _, event in ipairs(self.events) do
    if event.op == line.op and event.object == line.object and event.pointer == line.pointer and event.name == line.name
      and event.offset == line.offset then return true end
  end
  return BEGINS[line.op] and (ENDS[last.op] or DIRECTIONS[last.op] == "out") or false
end

-- Applies a line of the trace to the state, and collects it if it is an event.
function Recorder:apply(line)
  if line.op and self:begins_step(line) then self:finish_step() end
  self.state:apply(line)
  local object = line.object and not line.pointer and self.state:top().objects[line.object]
  if object then
    if not self.last_known[line.object] then table.insert(self.order, line.object) end
    object.at = object.at or self.last_known[line.object] and self.last_known[line.object].at or line.at
    self.last_known[line.object] = object
  end
  if line.op then
    self.at = line.at
    table.insert(self.events, line)
  end
end

-- Returns the cases of a trace. lines: as trace.read returns them; source_line(file, number) returns the text of a
-- source line, or nil. There is at least one case; a case has at least one step if the trace has an event in it.
return function(lines, source_line)
  local state, cases, recorder = trace.state(), {}, nil
  -- Begins a case with this name.
  local function begin(name)
    if recorder then recorder:finish_step() end
    recorder = setmetatable({ state = state, source_line = source_line, events = {}, order = {}, last_known = {},
      case = { name = name, ok = true, dropped = 0, steps = {} } }, Recorder)
    cases[#cases + 1] = recorder.case
  end
  begin "the run"
  for _, line in ipairs(lines) do
    if line.mark and not line.device then
      recorder:finish_step()
      state:apply(line)
      if line.mark ~= "end" then begin(line.name) end
    else
      recorder:apply(line)
    end
  end
  recorder:finish_step()
  for i = #cases, 1, -1 do
    if #cases[i].steps == 0 and #cases > 1 then table.remove(cases, i) end
  end
  return cases
end
