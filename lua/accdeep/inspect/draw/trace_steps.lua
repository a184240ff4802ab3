-- trace_steps.lua - makes the steps of a picture from a trace (inspect/trace.lua), of a scenario or of a real program.
--
-- trace_steps(lines, source_line) returns the cases that step_recorder.lua describes. A step is what one directive did:
-- the events of one source line, until an event begins the directive again. A compute construct is two steps: to its
-- kernel, and from there. A finding of a real program is a step with an error; the first one is the step that fails.
--
-- A trace has no values. An object of a picture therefore has a row for its bytes, and one for each pointer in it. The
-- trace for a picture of a program tells all pointers, by their types (trace_objects.lua); other traces tell attached
-- pointers. The trace of a program tells which object contains a pointer. For a scenario, the names of both tell it: v
-- contains v.data, and p[0:4] contains p[0].next. The host's side has the objects that are present, and those that were
-- present before. An object that is mapped again, by its name, keeps its box. Private copies that a compiler maps for a
-- kernel are left out. Of many similar objects, those of the step and of the finding, and a few others, are drawn one
-- by one; a box stands for the rest.

local sorted_pairs = require "accdeep.base.sorted_pairs"
local trace = require "accdeep.inspect.trace"
local trace_objects = require "accdeep.inspect.draw.trace_objects"

-- Events that begin a use of data, and those that end it: a directive has none of the first after one of the second.
local BEGINS = { alloc = true, incref = true, h2d = true, attach = true }
local ENDS = { decref = true, free = true, detach = true }
local DIRECTIONS = { h2d = "in", d2h = "out" }
local POINTER_BYTES = 8
local MAX_STEPS, MIN_STEPS, MAX_BOXES = 300, 40, 6000 -- limits of the steps of a case, see choose_steps
local MAX_ABSENT = 12 -- limit of objects on the host's side that are not present any more: the latest are drawn
local MAX_PRESENT = 200 -- limit of present objects that are drawn one by one; one box stands for the others
-- Similar objects that make a group; of these, the first that are drawn one by one. Objects of a step that are drawn
-- one by one although they are in a group: more of them stay in it.
local GROUP_LIMIT, GROUP_START, MAX_PER_STEP = 6, 3, 6
local MANY = 100 -- number of objects of a run beyond which one object of a group is drawn alone
-- Limit of rows for the pointers in an object; of more rows, the first ones, and those that findings name, stay.
local ROWS, FIRST_ROWS = 14, 6
local MAX_FINDINGS = 8 -- limit of findings whose objects are drawn one by one
local MAX_NAMES = 200 -- limit of names of the objects in a group

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
--   last_known   id -> last state of the object, with its number, and its name in the picture, `title`.
--   objects      names and pointers (trace_objects.lua), shared by the recorders of a trace.
--   messages     texts of the findings: the objects that they name are drawn one by one.
--   subjects     pointers {holder, offset} that findings are about, which are always drawn; subject: that of the next
--                finding; ways: objects on the ways to the subjects, as keys, nil before it is needed.
--   kinds        kind of similar objects -> {count, titles, id}, of all objects of the run: their number, their names
--                as keys, and the id of the box of their group; total: number of all objects.
--   free_ids     key_of(object) -> list of ids whose objects are not present any more.
--   devices      numbers of devices with events or objects so far, as keys.
local Recorder = {}
Recorder.__index = Recorder

-- Returns the key by which an object that is mapped again is recognised.
local function key_of(object) return object.device .. " " .. object.title end

-- Records that a line is about the present object `number`. Private copies are not recorded.
function Recorder:note_object(number, object, line)
  if trace_objects.is_private(object.name) then return end
  object.title = self.objects:name(number, object.name)
  local id = self.ids[number]
  local free = self.free_ids[key_of(object)]
  if not id and free and free[1] then
    id = table.remove(free, 1)
  elseif not id then
    id = #self.order + 1
    self.order[id] = id
  end
  local before = self.ids[number] and self.last_known[id]
  if not before then table.insert(self.noted, { number = number, object = object }) end
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

-- Returns the attached pointers by the object that contains them: object -> list of {offset, path, count, object}.
function Recorder:attached_pointers()
  local attached = {}
  for number, pointer in sorted_pairs(self.state:top().pointers) do
    local holder, offset = self.objects:slot(number)
    local container, path = self:container(pointer)
    holder = holder or container
    if holder and self.ids[holder] then
      attached[holder] = attached[holder] or {}
      table.insert(attached[holder], { offset = offset, path = path or pointer.name, count = pointer.count,
        object = pointer.object })
    end
  end
  return attached
end

-- Returns the row of a pointer on the host, and its row on the device. `member`: the pointer (TraceObjects:pointers),
-- or nil. `attached`: its attachment, or nil. path: text of the rows; box_of(number): id of an object's box, or nil.
local function rows_of_pointer(member, attached, path, box_of)
  local target = attached and attached.object or member and member.target
  local box = target and box_of(target)
  local host = { path = path, kind = "pointer", offset = member and member.offset or attached.offset or 0,
    bytes = POINTER_BYTES, state = member and member.value == "null" and "null" or "host", to = box and "h" .. box }
  local device = { path = path, kind = "pointer", offset = host.offset, bytes = POINTER_BYTES }
  if attached then
    host.state = box and "host" or "gone"
    device.state, device.count, device.to = box and "attached" or "gone", attached.count, box and "d" .. box
    return host, device
  end
  -- the value is that at the mapping, except at a finding
  if member.copy and member.value == "absent" then host.state = "absent" end
  local copy = member.copy or member.is_copied and (member.value == "null" and "null" or "host")
  device.state = copy == "other" and "device" or copy or "unknown"
  device.unknown = not copy or nil
  device.to = copy == "host" and host.to or nil
  return host, device
end

-- Returns a list of rows in which rows that tell how many they are replace others. text(i) returns the text of that row
-- for row number i, in which %d stands for the number; nil if row i stays. Sequences of one row stay.
local function replace_rows(rows, text)
  local list, first = {}, nil
  -- Ends a sequence of replaced rows before row i.
  local function close(i)
    if first and i - first == 1 then
      list[#list + 1] = rows[first]
    elseif first then
      list[#list + 1] = { path = "", kind = "elided", offset = rows[first].offset, bytes = 0,
        text = text(first):format(i - first) }
    end
    first = nil
  end
  for i, row in ipairs(rows) do
    if not text(i) then
      close(i)
      list[#list + 1] = row
    else
      first = first or i
    end
  end
  close(#rows + 1)
  return list
end

-- Returns the rows of an object's pointers on the host and on the device, shortened in the same way. A row tells how
-- many null pointers, or pointers beyond ROWS, it replaces. is_kept: numbers of rows that stay, as keys.
local function shorten(host, device, is_kept)
  -- Returns a text for rows of pointers that are null on both sides.
  local function null(i)
    return host[i].state == "null" and (device[i].state == "null" or device[i].state == "unknown") and "... %d null"
      or nil
  end
  local number_of = {}
  for i, row in ipairs(device) do number_of[row] = i end
  host, device = replace_rows(host, null), replace_rows(device, null)
  if #host <= ROWS then return host, device end
  local function beyond(i)
    return i > FIRST_ROWS and not is_kept[number_of[device[i]]] and "... %d more" or nil
  end
  return replace_rows(host, beyond), replace_rows(device, beyond)
end

-- Returns the rows of the pointers in object `number` on the host, and those on the device. `attached`: its attached
-- pointers, or nil. box_of(number): id of an object's box, or nil.
function Recorder:pointer_rows(number, attached, box_of)
  local members, by_offset, host, device, is_kept, paths = self.objects:pointers(number), {}, {}, {}, {}, {}
  local is_array = false
  for _, member in ipairs(members) do is_array = is_array or member.path:find "^%[[1-9]" ~= nil end
  for _, pointer in ipairs(attached or {}) do by_offset[pointer.offset or pointer] = pointer end
  -- Adds the rows of a pointer.
  local function add(member, pointer, path)
    if not is_array then path = path:gsub("^%[0%]", "") end
    path = path:gsub("^[%.%%]", ""):gsub("^->", "")
    paths[path] = (paths[path] or 0) + 1
    if paths[path] > 1 then path = ("%s (%d)"):format(path, paths[path]) end
    local n = #host + 1
    host[n], device[n] = rows_of_pointer(member, pointer, path, box_of)
    is_kept[n] = self:is_subject(number, host[n].offset)
      or device[n].state == "host" and self:is_in_message(number, path) or nil
  end
  for _, member in ipairs(members) do
    add(member, by_offset[member.offset], member.path)
    by_offset[member.offset] = nil
  end
  for _, pointer in ipairs(attached or {}) do
    if by_offset[pointer.offset or pointer] then add(nil, pointer, pointer.path) end
  end
  return shorten(host, device, is_kept)
end

-- Returns true if a finding is about the pointer at `offset` of object `number`.
function Recorder:is_subject(number, offset)
  for _, subject in ipairs(self.subjects) do
    if subject.holder == number and subject.offset == offset then return true end
  end
  return false
end

-- Returns true if a finding's text names the member `path` of object `number`.
function Recorder:is_in_message(number, path)
  local base = trace_objects.without_section(self.objects:name(number, ""))
  for _, message in ipairs(self.messages) do
    for _, between in ipairs { "->", ".", "%", "" } do
      if message:find(base .. between .. path:gsub("^%[0%]%.", ""), 1, true) then return true end
    end
  end
  return false
end

-- Returns true if a finding is about a pointer that is reached through an object, or if its text names the object or
-- something that is reached through it.
function Recorder:is_in_finding(object)
  if not self.ways then
    self.ways = {}
    for _, subject in ipairs(self.subjects) do
      for number in pairs(self.objects:way_to(subject.holder)) do self.ways[number] = true end
    end
  end
  if self.ways[object.number] then return true end
  local base = trace_objects.without_section(object.title)
  for _, message in ipairs(self.messages) do
    local from, to = message:find(base, 1, true)
    while from do
      if not message:sub(from - 1, from - 1):find "[%w_>%.%%%]]" and not message:find("^[%w_]", to + 1) then
        return true
      end
      from, to = message:find(base, to + 1, true)
    end
  end
  return false
end

-- Returns an object of a snapshot. id: of its box; side: "h" or "d"; rows: of its pointers, or nil; on_device: a text
-- about its device, or nil.
function Recorder:object(id, side, rows, on_device)
  local known = self.last_known[id]
  local object = { id = side .. id, name = known.title, bytes = known.bytes,
    note = known.at and (on_device and known.at .. ", " .. on_device or known.at) or on_device,
    rows = { { path = "", kind = "value", offset = 0, bytes = known.bytes, text = ("%d bytes"):format(known.bytes) } } }
  table.move(rows or {}, 1, #(rows or {}), 2, object.rows)
  return object
end

-- Returns the kind of similar objects to which an object belongs.
local function kind_of(object) return ("%s %s %s"):format(object.device, object.at, (object.title:gsub("%d+", "#"))) end

-- Counts the objects of each kind that `earlier`, the recorder of the first reading, has noted; nil: none.
function Recorder:count_kinds(earlier)
  local n = 0
  self.kinds, self.total = {}, 0
  for _, noted in ipairs(earlier and earlier.noted or {}) do
    local object = noted.object
    object.title = self.objects:name(noted.number, object.name)
    local kind = self.kinds[kind_of(object)]
    if not kind then
      n = n + 1
      kind = { count = 0, titles = {}, id = "group" .. n }
      self.kinds[kind_of(object)] = kind
    end
    if not kind.titles[object.title] then
      kind.titles[object.title], kind.count, self.total = true, kind.count + 1, self.total + 1
    end
  end
end

-- Returns the ids of the present objects that are drawn by themselves in any case, as keys. These are objects of
-- findings and, if they are few, objects of `events`, lines of the step.
function Recorder:required(events)
  local required, n = {}, 0
  for _, event in ipairs(events) do
    local id = event.object and self.ids[event.object]
    if id and self.last_known[id].number and not required[id] then required[id], n = true, n + 1 end
  end
  if n > MAX_PER_STEP then required = {} end
  for _, id in ipairs(self.order) do
    local object = self.last_known[id]
    if object.number and self:is_in_finding(object) then required[id] = true end
  end
  return required
end

-- Returns the ids of the objects that are drawn by themselves, as keys, and {n, bytes, groups, of}, what is known of
-- the other present objects. `groups`: list of {id, n, bytes, names, last}, groups of similar objects. `of`: id of an
-- object -> its group. n, bytes: number and bytes of further objects; bytes are nil if unknown. `events`: lines of the
-- step.
function Recorder:choose(events)
  local chosen, absent, n = {}, {}, 0
  local rest = { n = self.more, bytes = self.more == 0 and 0 or nil, groups = {}, of = {} }
  local required, listed, groups = self:required(events), {}, {}
  local start = self.total > MANY and 1 or GROUP_START
  -- Adds an object to the group of its kind.
  local function add_to_group(id, object, kind)
    local group = groups[kind] or { id = kind.id, n = 0, bytes = 0, names = {} }
    if group.n == 0 then rest.groups[#rest.groups + 1] = group end
    groups[kind], rest.of[id] = group, group
    group.n, group.bytes, group.last = group.n + 1, group.bytes + object.bytes, object.title
    if group.n <= MAX_NAMES then group.names[group.n] = object.title end
  end
  for _, id in ipairs(self.order) do
    local object = self.last_known[id]
    local kind = object.number and self.kinds[kind_of(object)]
    local is_single = kind and (required[id] or kind.count <= GROUP_LIMIT or (listed[kind] or 0) < start)
    if not object.number then
      absent[#absent + 1] = id
    elseif n >= MAX_PRESENT then
      rest.n, rest.bytes = rest.n + 1, rest.bytes and rest.bytes + object.bytes
    elseif is_single then
      chosen[id], n, listed[kind] = true, n + 1, (listed[kind] or 0) + 1
    else
      add_to_group(id, object, kind)
    end
  end
  for i = math.max(1, #absent - MAX_ABSENT + 1), #absent do chosen[absent[i]] = true end
  return chosen, rest
end

-- Adds boxes to a snapshot that stand for groups of objects, results of Recorder:choose.
local function add_groups(shot, groups)
  for _, group in ipairs(groups) do
    for _, side in ipairs { "host", "device" } do
      table.insert(shot[side], { id = side:sub(1, 1) .. group.id, group = group.n, bytes = group.bytes, rows = {},
        name = group.n == 1 and group.names[1] or ("%s ... %s"):format(group.names[1], group.last),
        names = group.names, present = "wholly", host = side == "device" and "h" .. group.id or nil })
    end
  end
end

-- Adds a box to a snapshot that stands for the objects that are not drawn one by one. rest: {n, bytes}.
local function add_rest(shot, rest)
  for _, side in ipairs { "host", "device" } do
    table.insert(shot[side], { id = side:sub(1, 1) .. "rest", name = "more", title = "more objects", group = rest.n,
      bytes = rest.bytes, rows = {}, present = "wholly", host = side == "device" and "hrest" or nil })
  end
end

-- Returns the tables of a snapshot: present objects, and attached pointers, by the names in the picture.
function Recorder:tables()
  local now, numbers, list = self.state:top(), {}, { present = {}, attached = {} }
  for number in sorted_pairs(now.objects) do numbers[#numbers + 1] = number end
  for _, number in ipairs(numbers) do
    local object = now.objects[number]
    if not trace_objects.is_private(object.name) then
      table.insert(list.present, { name = self.objects:name(number, object.name), bytes = object.bytes,
        structured = object.structured, dynamic = object.dynamic })
    end
  end
  for number, pointer in sorted_pairs(now.pointers) do
    local holder = self.objects:slot(number) or pointer.holder
    local target = now.objects[pointer.object]
    if not (holder and now.objects[holder] and trace_objects.is_private(now.objects[holder].name)) then
      table.insert(list.attached, { name = self.objects:pointer_name(number, pointer.name), count = pointer.count,
        target = target and self.objects:name(pointer.object, target.name) or "", gone = not target or nil })
    end
  end
  return list
end

-- Returns the snapshot of the present state. events: lines of the step; device: that of the step.
function Recorder:snapshot(events, device)
  local lists, numbers = self:tables(), {}
  for number in sorted_pairs(self.devices) do numbers[#numbers + 1] = number end
  local is_single = #numbers < 2
  local shot = { host = {}, device = {}, attached = lists.attached, present = lists.present, levels = {},
    is_openmp = self.is_openmp, number = is_single and device or table.concat(numbers, ", "),
    count = self.present + self.more }
  local chosen, rest = self:choose(events)
  local attached = self:attached_pointers()
  -- Returns the id of the box in which an object is drawn; nil for objects that are not present.
  local function box_of(number)
    local id = self.ids[number]
    if not self.state:top().objects[number] then return self.more > 0 and "rest" or nil end
    return id and (chosen[id] and id or rest.of[id] and rest.of[id].id) or "rest"
  end
  for _, id in ipairs(self.order) do
    if chosen[id] then
      local known, host_rows, device_rows = self.last_known[id], nil, nil
      if known.number then host_rows, device_rows = self:pointer_rows(known.number, attached[known.number], box_of) end
      local host = self:object(id, "h", host_rows)
      host.present, host.is_variable = known.number and "wholly" or "absent", not known.title:find "[%[%(]"
      table.insert(shot.host, host)
      if known.number then
        local copy = self:object(id, "d", device_rows, not is_single and "device " .. known.device or nil)
        copy.host, copy.structured, copy.dynamic = host.id, known.structured, known.dynamic
        copy.mapped = known.mapped
        table.insert(shot.device, copy)
      end
    end
  end
  add_groups(shot, rest.groups)
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
  if mark and mark.mark == "finding" then
    self.failing = self.failing or self.count
    if #self.found < MAX_FINDINGS then
      table.insert(self.found, mark.message)
      table.insert(self.found_subjects, self.subject)
    end
  end
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
  for _, event in ipairs(events) do
    if not trace_objects.is_private(event.name) then
      local name = event.pointer and self.objects:pointer_name(event.pointer, event.name)
        or event.object and not event["in"] and self.objects:name(event.object, event.name) or event.name
      table.insert(step.events, { op = event.op, name = name, bytes = event.bytes, rule = event.rule,
        device = event.device })
    end
    local id = DIRECTIONS[event.op] and self.ids[event.object]
    if id then
      table.insert(step.moved, { host = "h" .. id, device = "d" .. id, offset = event.offset or 0, bytes = event.bytes,
        direction = DIRECTIONS[event.op] })
    end
  end
  if mark and mark.mark == "finding" then
    step.error = error_of(mark, text)
    if mark.level == "error" then self.case.ok = false end
    local subject = self.subject
    if subject and self.ids[subject.holder] then
      step.error.subject = { id = "d" .. self.ids[subject.holder], offset = subject.offset }
    end
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
  self.is_openmp = self.is_openmp or line.rule and line.rule:find "^OMP" ~= nil
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
  if line.mark == "subject" then self.subject = { holder = line.holder, offset = line.offset } end
  if STEPS[line.mark] then self:finish_step(line) end
  if line.mark == "finding" then self.subject = nil end
end

-- Returns the recorders of the cases of a trace, and the names of its objects. earlier: recorders and names of the
-- first reading of the trace, {} in that reading; chosen: a list, by number of the case, of the steps that are
-- recorded.
local function record(lines, source_line, earlier, chosen)
  local state, objects, recorders, recorder = trace.state(), trace_objects.new(earlier.names), {}, nil
  -- Begins a case with this name.
  local function begin(name)
    if recorder then recorder:finish_step() end
    local number = #recorders + 1
    recorder = setmetatable({ state = state, source_line = source_line, chosen = chosen[number], count = 0,
      usual = 1, most = -1, present = 0, more = 0, events = {}, keys = {}, order = {}, ids = {}, last_known = {},
      free_ids = {}, devices = {}, objects = objects, found = {}, noted = {},
      found_subjects = {}, messages = earlier.recorders and earlier.recorders[number].found or {},
      subjects = earlier.recorders and earlier.recorders[number].found_subjects or {},
      case = { name = name, ok = true, dropped = 0, steps = {} } }, Recorder)
    recorder:count_kinds(earlier.recorders and earlier.recorders[number])
    recorders[number] = recorder
  end
  begin "the run"
  for _, line in ipairs(lines) do
    objects:apply(line)
    if line.mark and not line.device then
      recorder:finish_step()
      state:apply(line)
      if line.mark ~= "end" then begin(line.name) end
    else
      recorder:apply(line)
    end
  end
  recorder:finish_step()
  return { recorders = recorders, names = objects:names() }
end

-- Returns the cases of a trace. lines: as trace.read returns them; source_line(file, number) returns the text of a
-- source line, or nil. There is at least one case; a case has at least one step if the trace has an event in it.
return function(lines, source_line)
  local chosen, cases = {}, {}
  local earlier = record(lines, source_line, {}, {})
  for i, recorder in ipairs(earlier.recorders) do
    chosen[i] = choose_steps(recorder.count, recorder.failing or recorder.usual, recorder.most)
  end
  local recorders = record(lines, source_line, earlier, chosen).recorders
  for i, recorder in ipairs(recorders) do
    local is_replaced = recorder.case.name == trace_objects.LATER and recorders[i + 1]
      and recorders[i + 1].case.name == trace_objects.LATER
    if recorder.count > 0 and not is_replaced then cases[#cases + 1] = recorder.case end
  end
  return cases[1] and cases or { recorders[1].case }
end
