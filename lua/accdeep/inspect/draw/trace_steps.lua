-- trace_steps.lua - makes the steps of a picture from a trace (inspect/trace.lua), of a scenario or of a real program.
--
-- trace_steps(lines, source_line) returns the cases that step_recorder.lua describes. A step is what one directive did:
-- the events of one source line, until an event begins the directive again. A compute construct is two steps: to its
-- kernel, and from there. A finding of a real program is a step with an error; the first one is the step that fails.
--
-- A trace has no values and no types. An object of a picture therefore has a row for its bytes, and one for each
-- attached pointer in it. The trace of a program tells which object contains a pointer. For a scenario, the names of
-- both tell it: v contains v.data, and p[0:4] contains p[0].next. The host's side has the objects that are present, and
-- those that were present before. An object that is mapped again, by its name, keeps its box.

local sorted_pairs = require "accdeep.base.sorted_pairs"
local trace = require "accdeep.inspect.trace"

-- Events that begin a use of data, and those that end it: a directive has none of the first after one of the second.
local BEGINS = { alloc = true, incref = true, h2d = true, attach = true }
local ENDS = { decref = true, free = true, detach = true }
local DIRECTIONS = { h2d = "in", d2h = "out" }
local POINTER_BYTES = 8
local MAX_STEPS, MIN_STEPS, MAX_BOXES = 300, 40, 6000 -- limits of the steps of a case, see choose_steps
local MAX_ABSENT = 12 -- limit of objects on the host's side that are not present any more: the latest are drawn
local LATER = "later" -- name of the cases of whole states (exec/trace/trace.c); only the last one in a row is drawn
local MAX_PRESENT = 200 -- limit of present objects that are drawn one by one; one box stands for the others

-- Returns the name of an object without its section: "p" for p[0:4] and for p(1:4).
local function base_name(name) return (name:gsub("%b[]$", ""):gsub("%b()$", "")) end

-- Returns the path of a pointer in an object, by their names; nil if the names do not show that the object contains it.
local function pointer_path(object_name, pointer_name)
  local base = base_name(object_name)
  if pointer_name == object_name then return "" end
  if pointer_name:sub(1, #base) ~= base or not pointer_name:find("^[%.%-%[%%%(]", #base + 1) then return nil end
  return (pointer_name:sub(#base + 1):gsub("^%[0%]%.", ""):gsub("^%.", ""):gsub("^%->", ""):gsub("^%%", ""))
end

-- Recorder of a case. A trace is read twice, since only the steps that are drawn get a snapshot: the first time to
-- count the steps, the second time to record some of them. Its fields:
--   count        number of steps so far. usual: number of the first step with the most present objects; most: how many.
--   failing      number of the first step with an error, or nil.
--   chosen       numbers of the steps that are recorded, as keys; nil at the first time.
--   present      number of present objects that lines were about; more: number of others.
--   state        state of the trace (trace.state); case: the case that is recorded.
--   events       lines of the step that is collected; keys: results of line_key for them; at: their location. ends:
--                true if they end a compute construct.
--   kernel_at    location of the compute construct whose kernel was the latest; nil after another directive.
--   order        ids of the boxes of all objects that were present so far, in the order of their first events.
--   ids          number of an object -> id of its box.
--   last_known   id -> last state of the object, with its number.
--   free_ids     key_of(object) -> list of ids whose objects are not present any more.
--   devices      numbers of devices with events or objects so far, as keys.
local Recorder = {}
Recorder.__index = Recorder

-- Returns the key by which an object that is mapped again is recognised.
local function key_of(object) return object.device .. " " .. object.name end

-- Records that a line is about the present object `number`.
function Recorder:note_object(number, object, line)
  local id = self.ids[number]
  local free = self.free_ids[key_of(object)]
  if not id and free and free[1] then
    id = table.remove(free, 1)
  elseif not id then
    id = #self.order + 1
    self.order[id] = id
  end
  local before = self.ids[number] and self.last_known[id]
  self.present = self.present + (before and 0 or 1)
  object.at = object.at or before and before.at or line.at
  object.number = number
  self.ids[number], self.last_known[id], self.devices[object.device] = id, object, true
end

-- Records that the object `number` is not present any more.
function Recorder:note_absence(number)
  local id = self.ids[number]
  if not id or self.last_known[id].number ~= number then return end
  local key = key_of(self.last_known[id])
  self.free_ids[key] = self.free_ids[key] or {}
  table.insert(self.free_ids[key], id)
  self.present = self.present - 1
  self.last_known[id] = setmetatable({ number = false }, { __index = self.last_known[id] })
end

-- Returns the number of the object that contains a pointer, and the pointer's path in it. If the trace does not tell
-- the object, it is the one with the longest name that fits.
function Recorder:container(pointer)
  local objects = self.state:top().objects
  if pointer.holder and objects[pointer.holder] then
    return pointer.holder, pointer_path(objects[pointer.holder].name, pointer.name) or pointer.name
  end
  local best, best_path
  for number, object in pairs(objects) do
    local path = object.device == pointer.device and pointer_path(object.name, pointer.name)
    if path and (not best or #object.name > #objects[best].name or #object.name == #objects[best].name
        and number > best) then
      best, best_path = number, path
    end
  end
  return best, best_path
end

-- Returns the rows of attached pointers by the id of the object that contains them. side: "h" or "d"; box_of(number)
-- returns the id of an object's box in the picture.
function Recorder:pointer_rows(side, box_of)
  local rows = {}
  for _, pointer in sorted_pairs(self.state:top().pointers) do
    local container, path = self:container(pointer)
    if container then
      local id = self.ids[container]
      rows[id] = rows[id] or {}
      local is_known = self.state:top().objects[pointer.object] ~= nil or self.more > 0 and pointer.object ~= nil
      table.insert(rows[id], { path = path, kind = "pointer", offset = 0, bytes = POINTER_BYTES,
        state = not is_known and "gone" or side == "d" and "attached" or "host", count = pointer.count,
        to = is_known and side .. box_of(pointer.object) or nil })
    end
  end
  return rows
end

-- Returns an object of a snapshot. id: of its box; side: "h" or "d"; rows: of its pointers, or nil; on_device: a text
-- about its device, or nil.
function Recorder:object(id, side, rows, on_device)
  local known = self.last_known[id]
  local object = { id = side .. id, name = known.name, bytes = known.bytes,
    note = side == "h" and known.at or on_device,
    rows = { { path = "", kind = "value", offset = 0, bytes = known.bytes, text = "" } } }
  table.move(rows or {}, 1, #(rows or {}), 2, object.rows)
  return object
end

-- Returns the ids of the objects that are drawn one by one, as keys, and {n, bytes}: how many other objects are
-- present, and their bytes, nil if unknown. `events`: lines of the step, whose objects have precedence.
function Recorder:choose(events)
  local chosen, absent, rest = {}, {}, { n = self.more, bytes = self.more == 0 and 0 or nil }
  local n = 0
  -- Chooses an object that is present.
  local function choose(id)
    if id and not chosen[id] and self.last_known[id].number and n < MAX_PRESENT then
      chosen[id], n = true, n + 1
    end
  end
  for _, event in ipairs(events) do choose(event.object and self.ids[event.object]) end
  for _, id in ipairs(self.order) do
    choose(id)
    if not self.last_known[id].number then
      absent[#absent + 1] = id
    elseif not chosen[id] then
      rest.n, rest.bytes = rest.n + 1, rest.bytes and rest.bytes + self.last_known[id].bytes
    end
  end
  for i = math.max(1, #absent - MAX_ABSENT + 1), #absent do chosen[absent[i]] = true end
  return chosen, rest
end

-- Adds a box to a snapshot that stands for the objects that are not drawn one by one. rest: {n, bytes}.
local function add_rest(shot, rest)
  for _, side in ipairs { "host", "device" } do
    table.insert(shot[side], { id = side:sub(1, 1) .. "rest", name = "more", title = "more objects", group = rest.n,
      bytes = rest.bytes, rows = {}, present = "wholly", host = side == "device" and "hrest" or nil })
  end
end

-- Returns the snapshot of the present state. events: lines of the step; device: that of the step.
function Recorder:snapshot(events, device)
  local lists, numbers = self.state:lists(), {}
  for number in sorted_pairs(self.devices) do numbers[#numbers + 1] = number end
  local is_single = #numbers < 2
  local shot = { host = {}, device = {}, attached = lists.attached, present = lists.present, levels = {},
    number = is_single and device or table.concat(numbers, ", "), count = self.present + self.more }
  local chosen, rest = self:choose(events)
  -- Returns the id of the box in which an object is drawn.
  local function box_of(number) return chosen[self.ids[number]] and self.ids[number] or "rest" end
  local host_rows, device_rows = self:pointer_rows("h", box_of), self:pointer_rows("d", box_of)
  for _, id in ipairs(self.order) do
    if chosen[id] then
      local known = self.last_known[id]
      local host = self:object(id, "h", known.number and host_rows[id])
      host.present, host.is_variable = known.number and "wholly" or "absent", not known.name:find "[%[%(]"
      table.insert(shot.host, host)
      if known.number then
        local copy = self:object(id, "d", device_rows[id], not is_single and "device " .. known.device or nil)
        copy.host, copy.structured, copy.dynamic = host.id, known.structured, known.dynamic
        copy.mapped = known.mapped
        table.insert(shot.device, copy)
      end
    end
  end
  if rest.n > 0 then add_rest(shot, rest) end
  for number, regions in sorted_pairs(self.state:top().regions) do
    for _, region in ipairs(regions) do
      table.insert(shot.levels, { kind = (is_single and "" or "device %d: "):format(number) .. region.name,
        at = region.at, clauses = {} })
    end
  end
  return shot
end

-- Returns the error of a step from the mark of a finding. `text`: the source line of the finding, or nil.
local function error_of(mark, text)
  local file, line = (mark.at or ""):match "^(.*):(%d+)$"
  return { level = mark.level, code = mark.code, message = mark.message, rule = mark.rule, help = mark.help,
    file = file, line = math.tointeger(tonumber(line)), snippet = text,
    objects = mark.name and { { name = mark.name } } or nil }
end

-- Returns the numbers of the steps that are drawn, as keys: the first ones, the last one, and those around the step
-- `main`, which a picture shows. Of cases with many objects fewer steps are drawn. count: number of all steps; most:
-- the most objects of a step.
local function choose_steps(count, main, most)
  local limit = math.max(MIN_STEPS, math.min(MAX_STEPS, MAX_BOXES // math.max(1, math.min(most, MAX_PRESENT))))
  local chosen, n, after = { [main] = true, [count] = true }, main == count and 1 or 2, limit // 10
  -- Chooses the steps first ... last, as far as they exist, up to the limit.
  local function choose(first, last)
    for i = math.max(first, 1), math.min(last, count) do
      if n == limit then return end
      n, chosen[i] = n + (chosen[i] and 0 or 1), true
    end
  end
  choose(1, limit // 3)
  choose(main, main + after)
  choose(math.min(main + after, count) - (limit - n), count)
  return chosen
end

-- Ends the step that is collected: counts it, and adds it to the case if it is chosen. mark: of a finding or a state,
-- which ends the step, or nil.
function Recorder:finish_step(mark)
  local events = self.events
  if #events == 0 and not mark then return end
  local ends = not mark and self.ends or nil
  self.events, self.keys, self.ends, self.count = {}, {}, nil, self.count + 1
  local present = self.present + self.more
  if present > self.most then self.most, self.usual = present, self.count end
  if mark and mark.mark == "finding" then self.failing = self.failing or self.count end
  if not self.chosen then return end
  if not self.chosen[self.count] then
    self.case.dropped = self.case.dropped + 1
    return
  end
  local at = self.at
  if mark then at = mark.at or mark.within end
  local file, line = (at or ""):match "^(.*):(%d+)$"
  local text = file and self.source_line(file, tonumber(line))
  local title = text or at or mark and "outside of directives" or trace.describe(events[1])
  local step = { title = ends and "end of " .. title or title, text = text, ends = ends,
    file = file, line = math.tointeger(tonumber(line)), events = {}, moved = {} }
  for i, event in ipairs(events) do
    step.events[i] = { op = event.op, name = event.name, bytes = event.bytes, rule = event.rule, device = event.device }
    local id = DIRECTIONS[event.op] and self.ids[event.object]
    if id then
      table.insert(step.moved, { host = "h" .. id, device = "d" .. id, offset = event.offset or 0, bytes = event.bytes,
        direction = DIRECTIONS[event.op] })
    end
  end
  if mark and mark.mark == "finding" then
    step.error = error_of(mark, text)
    if mark.level == "error" then self.case.ok = false end
  end
  step.snapshot = self:snapshot(events, (events[1] or mark).device or 0)
  table.insert(self.case.steps, step)
  if self.failing == self.count then self.case.failed_at = #self.case.steps end
end

-- Returns a text that lines of one directive have at most once.
local function line_key(line)
  return ("%s %s %s %s %s"):format(line.op, line.object, line.pointer, line.name, line.offset)
end

-- Returns true if an event cannot belong to the directive of the events so far.
function Recorder:begins_step(line)
  local last = self.events[#self.events]
  if not last then return false end
  if last.op == "kernel" or line.at ~= self.at or line.device ~= last.device then return true end
  if self.keys[line_key(line)] then return true end
  return BEGINS[line.op] and (ENDS[last.op] or DIRECTIONS[last.op] == "out") or false
end

-- Marks that are steps of their own.
local STEPS = { finding = true, state = true }

-- Applies a line of the trace to the state, and collects it if it is an event.
function Recorder:apply(line)
  local directive = line.within or line.mark == "state" and line.at
  if line.op and self:begins_step(line) or line.mark == "present" and line.at ~= self.at
    or STEPS[line.mark] and directive ~= self.at then self:finish_step() end
  self.state:apply(line)
  local object = line.object and not line.pointer and self.state:top().objects[line.object]
  if object then self:note_object(line.object, object, line) end
  if line.object and line.gone and not line.pointer then self:note_absence(line.object) end
  if line.op then
    self.ends = self.ends or #self.events == 0 and ENDS[line.op] and line.at == self.kernel_at or nil
    self.kernel_at = line.op == "kernel" and line.at or line.at == self.kernel_at and line.at or nil
    self.at, self.devices[line.device] = line.at, true
    table.insert(self.events, line)
    self.keys[line_key(line)] = true
  end
  if line.mark == "more" then self.more = line.count end
  if STEPS[line.mark] then self:finish_step(line) end
end

-- Returns the recorders of the cases of a trace. chosen: a list, by number of the case, of the steps that are recorded.
local function record(lines, source_line, chosen)
  local state, recorders, recorder = trace.state(), {}, nil
  -- Begins a case with this name.
  local function begin(name)
    if recorder then recorder:finish_step() end
    recorder = setmetatable({ state = state, source_line = source_line, chosen = chosen[#recorders + 1], count = 0,
      usual = 1, most = -1, present = 0, more = 0, events = {}, keys = {}, order = {}, ids = {}, last_known = {},
      free_ids = {}, devices = {}, case = { name = name, ok = true, dropped = 0, steps = {} } }, Recorder)
    recorders[#recorders + 1] = recorder
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
  return recorders
end

-- Returns the cases of a trace. lines: as trace.read returns them; source_line(file, number) returns the text of a
-- source line, or nil. There is at least one case; a case has at least one step if the trace has an event in it.
return function(lines, source_line)
  local chosen, cases = {}, {}
  for i, recorder in ipairs(record(lines, source_line, {})) do
    chosen[i] = choose_steps(recorder.count, recorder.failing or recorder.usual, recorder.most)
  end
  local recorders = record(lines, source_line, chosen)
  for i, recorder in ipairs(recorders) do
    local is_replaced = recorder.case.name == LATER and recorders[i + 1] and recorders[i + 1].case.name == LATER
    if recorder.count > 0 and not is_replaced then cases[#cases + 1] = recorder.case end
  end
  return cases[1] and cases or { recorders[1].case }
end
