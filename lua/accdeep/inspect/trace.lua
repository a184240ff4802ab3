-- trace.lua - writes a run as lines of JSON, one object per line; reads them back and replays the state after each
-- event.
--
-- The first line is {"trace":"accdeep","version":1}. Events and marks follow. Marks are
-- {"mark":"scenario","name":file}, {"mark":"case","name":...} and {"mark":"end"} (of the case). Events are {op, name,
-- bytes, rule, at, device} with further fields:
--   object       number of the present object.
--   in, offset   name of the object, if not the event's; offset of the event's first byte in the object, if not 0.
--   size         bytes of the object.
--   structured, dynamic   reference counters of the object after the directive.
--   pointer      number of the attachment (attach, detach); count: attach counter; object: number of the target.
--   holder       number of the object that contains the pointer, in traces of real programs.
--   mapped       true: the program gave the object its device memory, by acc_map_data or omp_target_associate_ptr.
--   gone         true: after the event the object or attachment no longer exists.
--   async        async value of the queue. If the object has been unmapped meanwhile, the object's fields are missing.
--   callers      locations of the calls that led here, innermost first.
-- Events without an object are kernel and wait. A kernel is a body that has run; the event's name lists the data that
-- the body names: "a, b". The name of a wait is "queue 1", "all queues" or, for a program, "all tasks". If the event
-- has `async`, that queue waits, otherwise the program waits.
--
-- Changes without an event have marks: "present" and "absent" with the fields of an object, "attached" and "detached"
-- with the fields of a pointer. Numbers replace addresses, which differ from run to run.
--
-- Traces of real programs (exec/trace/trace.c) have further marks, with the field `device`:
--   region       region number `depth`, from 1, is open: {name, at}; or was closed: {gone = true}.
--   finding      {level, code, message, rule, at, help, name}, the fields of a report; name: of its object. within:
--                location of the directive that was executed.
--   more         {count}: so many further objects are present.
--   state        whole states replace events from here; the one after the call at `at` is complete.
--   member       pointer in an object {holder, offset, path, value, target, copy}; slot: an attached pointer's place
--                {holder, offset, number}; subject: the pointer that the next finding
--                is about {holder, offset}; named: name of an object where a finding is {holder, name}. Only in traces
--                for pictures; exec/trace/trace.c has the meanings.
-- A second program of the run begins with a mark "scenario", which has its name.

local diagnostic = require "accdeep.base.diagnostic"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local json = require "dkjson"
local location = require "accdeep.base.location"
local state = require "accdeep.run.state"
local strings = require "accdeep.base.strings"

local trace = {}

local VERSION = 1
local ORDER = { "trace", "version", "mark", "op", "name", "bytes", "rule", "at", "callers", "device", "async",
  "object", "in", "offset", "size", "structured", "dynamic", "pointer", "count", "gone" }

-- --------------------------------------------------------------------------------------- writing --

local Writer = {}
Writer.__index = Writer

-- Returns a writer of a trace, and writes the first line. `write`: a function of text, called with each line.
function trace.writer(write)
  local self = setmetatable({ write = write, numbers = {}, n = 0 }, Writer)
  self:line { trace = "accdeep", version = VERSION }
  return self
end

-- Returns a writer that stores its lines until merge_pass writes them, for a run that may be repeated: the lines of a
-- repeated run are dropped with their writer.
function Writer:pass()
  local lines = {}
  return setmetatable({ write = function(line) lines[#lines + 1] = line end, lines = lines, numbers = {}, n = self.n },
    Writer)
end

-- Writes the lines that the writer `pass`, made by Writer:pass, has stored.
function Writer:merge_pass(pass)
  for _, line in ipairs(pass.lines) do self.write(line) end
  self.n = pass.n
end

-- Returns the observer (a table of callbacks, base/observers.lua) that writes a session's events and marks.
function Writer:observer()
  return { event = function(...) self:event(...) end, mark = function(...) self:mark(...) end }
end

-- Writes the table `fields` as a line of JSON, with keys in the order of ORDER.
function Writer:line(fields) self.write(strings.to_utf8(json.encode(fields, { keyorder = ORDER })) .. "\n") end

-- Writes a mark. `kind`: "scenario", "case" or "end". `name`: name of the file or case, nil for "end".
function Writer:mark(kind, name) self:line { mark = kind, name = name } end

-- Returns the numbering of the objects and pointers of a device: {object, pointer, objects, pointers}. object, pointer:
-- tables from address to number. objects, pointers: how many of each have a number. Makes an empty numbering at first
-- use.
function Writer:device_objects(session, device)
  local devices = self.numbers[session]
  if not devices then
    devices = {}
    self.numbers[session] = devices
  end
  if not devices[device] then devices[device] = { object = {}, pointer = {}, objects = 0, pointers = 0 } end
  return devices[device]
end

-- Returns the number of the object or pointer at `address`, which gets a new number if it has none. `numbering`: result
-- of device_objects; `kind`: "object" or "pointer". After `forget`, the address gets another number.
function Writer:number(numbering, kind, address)
  local number = numbering[kind][address]
  if not number then
    self.n = self.n + 1
    number = self.n
    numbering[kind][address], numbering[kind .. "s"] = number, numbering[kind .. "s"] + 1
  end
  return number
end

-- Removes the number of an object or pointer that no longer exists from `numbering`, a result of device_objects.
-- `kind`: "object" or "pointer"; `address`: its address. Precondition: the object or pointer has a number.
local function forget(numbering, kind, address)
  numbering[kind][address], numbering[kind .. "s"] = nil, numbering[kind .. "s"] - 1
end

-- Operations on pointers.
local POINTERS = { attach = true, detach = true }
-- Texts for events that have no object, by operation: trace.describe writes them if the event names no data.
local BODILESS = { kernel = "without data", wait = "" }

-- Returns the first event of each object of which the list `batch`, the events of one directive, released references,
-- sorted by address.
local function released_objects(batch)
  local list, visited = {}, {}
  for _, event in ipairs(batch) do
    if (event.op == "decref" or event.op == "free") and event.host and not visited[event.host] then
      visited[event.host] = true
      list[#list + 1] = event
    end
  end
  table.sort(list, function(a, b) return a.host < b.host end)
  return list
end

-- Returns the event of a list sorted by address whose object contains `address`; nil if there is none.
local function containing_object(list, address)
  local low, high = 1, #list
  while low <= high do
    local middle = (low + high) // 2
    if list[middle].host <= address then low = middle + 1 else high = middle - 1 end
  end
  local event = list[high]
  return event and address - event.host < event.bytes and event or nil
end

-- Returns three values about an event's subject: the address of the object or pointer; the object or attachment that is
-- there now, or nil; the object's name, nil for pointers. Returns nil if the event has no address. `released`: result
-- of released_objects, in which objects that no longer exist are found.
local function subject(session, event, released)
  if not event.host then return nil end
  if POINTERS[event.op] then return event.host, session.ctx:attachment_at(event.device, event.host) end
  local object = session.ctx:present_at(event.device, event.host, false)
  if object then return object.host, object, object.name end
  local object_event = containing_object(released, event.host)
  return object_event and object_event.host or event.host, nil, object_event and object_event.name
end

-- Returns a key for a table of addresses: the kind of an event's subject ("object" or "pointer") and the device number.
local function side(event) return (POINTERS[event.op] and "pointer" or "object") .. event.device end

-- Returns the index of the last event about each subject (object or pointer) in the list `batch`:
-- last[side(event)][address]. `released`: result of released_objects.
local function last_ones(session, batch, released)
  local last = {}
  for i, event in ipairs(batch) do
    local address = subject(session, event, released)
    last[side(event)] = last[side(event)] or {}
    if address then last[side(event)][address] = i end
  end
  return last
end

-- Sets size, structured and dynamic in `fields`, the fields of a line, from a present object. If `object` is nil, the
-- counters are 0 and there is no size.
local function add_counters(fields, session, object)
  local dynamic = object and state.dynamic(session, object) or 0
  fields.size = object and object.bytes or nil
  fields.structured, fields.dynamic = object and object.structured or 0, dynamic == math.huge and "infinite" or dynamic
end

-- Sets the attach counter and the number of the attachment's target in `fields`, the fields of a line. If `attached` is
-- nil, the counter is 0 and there is no target.
function Writer:add_target(fields, session, numbering, device, attached)
  local target = attached and state.target(session, device, attached)
  fields.count = attached and attached.count or 0
  fields.object = target and self:number(numbering, "object", target.host) or nil
end

-- Sorts a list of entries in place by name, and returns it: the order of addresses differs from process to process.
local function sort_by_name(list)
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

-- Writes marks for changes on a device that have no event: memory mapped by routines, declared data, attachments undone
-- after a failing body. Writes nothing if the numbers of objects and of attachments are those of the numbering.
function Writer:others(session, device)
  local numbering, stats = self:device_objects(session, device), session.ctx:stats(device)
  if stats.objects == numbering.objects and stats.attachments == numbering.pointers then return end
  local current = { object = {}, pointer = {} }
  for _, object in ipairs(sort_by_name(session.ctx:present(device))) do
    current.object[object.host] = true
    if not numbering.object[object.host] then
      local fields = { mark = "present", name = object.name, device = device,
        object = self:number(numbering, "object", object.host) }
      add_counters(fields, session, object)
      self:line(fields)
    end
  end
  for _, attached in ipairs(sort_by_name(session.ctx:attachments(device))) do
    current.pointer[attached.slot] = true
    if not numbering.pointer[attached.slot] then
      local fields = { mark = "attached", name = attached.name, device = device,
        pointer = self:number(numbering, "pointer", attached.slot) }
      self:add_target(fields, session, numbering, device, attached)
      self:line(fields)
    end
  end
  for _, kind in ipairs { "object", "pointer" } do
    local addresses, removed = current[kind], {}
    for address, number in pairs(numbering[kind]) do
      if not addresses[address] then removed[#removed + 1] = { address = address, number = number } end
    end
    table.sort(removed, function(a, b) return a.number < b.number end)
    for _, entry in ipairs(removed) do
      forget(numbering, kind, entry.address)
      local mark = kind == "object" and "absent" or "detached"
      self:line { mark = mark, device = device, [kind] = entry.number, gone = true }
    end
  end
end

-- Writes event number `i` of the list `batch`, the events of one directive. After the last event, also writes marks for
-- changes without events. Must be called for all events in order, because event 1 prepares the others.
function Writer:event(event, session, batch, i)
  local fields = { op = event.op, name = event.name, bytes = event.bytes, rule = event.rule,
    at = event.at ~= "" and event.at or nil, device = event.device, async = event.async }
  if i == 1 then
    self.released = released_objects(batch)
    self.last = last_ones(session, batch, self.released)
    local file, line = (event.at or ""):match "^(.*):(%d+)$"
    local callers = location.callers(file, tonumber(line))
    self.at, self.callers = event.at, callers and location.callers_text(callers)
  end
  if event.at == self.at then fields.callers = self.callers end
  local numbering = self:device_objects(session, event.device)
  local address, subject_object, name = subject(session, event, self.released)
  local kind = POINTERS[event.op] and "pointer" or "object"
  if event.async and not subject_object and not numbering[kind][address] then
    address = nil -- the object was unmapped before the queue ran: the line gets no fields of an object
  end
  if address then
    fields[kind] = self:number(numbering, kind, address)
    if kind == "pointer" then
      self:add_target(fields, session, numbering, event.device, subject_object)
    else
      add_counters(fields, session, subject_object)
      fields["in"] = name ~= event.name and name or nil
      fields.offset = event.host > address and event.host - address or nil
    end
    if not subject_object and self.last[side(event)][address] == i then
      fields.gone = true
      forget(numbering, kind, address)
    end
  end
  self:line(fields)
  if i == #batch then
    for device = 0, session.devices - 1 do self:others(session, device) end
  end
end

-- --------------------------------------------------------------------------------------- reading --

-- Raises the error `message` about a line of the trace `path`; never returns.
local function fail(path, line, message)
  error(diagnostic.new { code = "file", rule = "HOUSE-files", file = path, line = line, message = message,
    help = "traces are written by accdeep run --trace=FILE" }, 0)
end

local TYPES = { op = "string", mark = "string", name = "string", bytes = "integer", rule = "string", at = "string",
  device = "integer", object = "integer", ["in"] = "string", offset = "integer", size = "integer",
  structured = "integer", pointer = "integer", count = "integer", gone = "boolean", async = "integer",
  holder = "integer", mapped = "boolean", depth = "integer", level = "string", code = "string", message = "string",
  help = "string", within = "string", path = "string", value = "string", copy = "string", target = "integer",
  number = "integer" }
-- Fields that marks must have.
local MARKS = { region = { "depth" }, finding = { "level", "code", "message" }, more = { "count" },
  member = { "holder", "offset", "value" }, slot = { "holder", "offset", "number" }, named = { "holder", "name" },
  subject = { "holder", "offset" } }

-- Returns a sentence about what is wrong with the fields of a line: a wrong type, or a missing field; nil if nothing
-- is.
local function wrong(fields)
  local wrong_key
  for key, value in pairs(fields) do
    if TYPES[key] and (math.type(value) or type(value)) ~= TYPES[key] and (not wrong_key or key < wrong_key) then
      wrong_key = key
    end
  end
  if wrong_key then return ("its field '%s' has to be of type %s"):format(wrong_key, TYPES[wrong_key]) end
  if not fields.op and not fields.mark then return "this is neither an event nor a mark" end
  local needed = {}
  if fields.op then needed = { "name", "bytes", "device" } end
  if MARKS[fields.mark] then needed = { "device", table.unpack(MARKS[fields.mark]) } end
  if fields.object or fields.pointer then needed[#needed + 1] = "device" end
  if not fields.gone and (fields.object or fields.pointer) then
    needed[#needed + 1] = fields.pointer and "count" or "structured"
  end
  for _, key in ipairs(needed) do
    if fields[key] == nil then return ("it has no field '%s'"):format(key) end
  end
  return nil
end

-- Returns the lines of a trace after the first, as tables. `path`: file in messages; `text`: its contents. Raises if
-- the text is not a trace of this version, or if a line is invalid.
function trace.read(path, text)
  local list, line = {}, 0
  for row in text:gmatch "([^\n]*)\n?" do
    line = line + 1
    if row ~= "" then
      local fields, _, syntax_error = json.decode(row)
      if type(fields) ~= "table" then
        fail(path, line, "this line is not part of a trace: " .. tostring(syntax_error))
      end
      if #list == 0 and fields.trace ~= "accdeep" then fail(path, line, "this is not a trace") end
      if fields.trace and fields.version ~= VERSION then
        fail(path, line, ("traces of version %s are not known"):format(tostring(fields.version)))
      end
      local problem = not fields.trace and wrong(fields)
      if problem then fail(path, line, problem) end
      list[#list + 1] = fields
    end
  end
  if #list == 0 then fail(path, 1, "this is not a trace") end
  table.remove(list, 1)
  return list
end

-- ----------------------------------------------------------------------------------------- state --

local State = {}
State.__index = State

-- Returns a state in which nothing is present. A state is a stack of {objects, pointers, regions, mark, name}: one
-- entry for the scenario, and one for the case that runs. regions: device number -> list of open regions {name, at}.
function trace.state()
  local stack = setmetatable({}, State)
  stack:push()
  return stack
end

-- Adds an entry in which nothing is present.
function State:push(mark, name)
  self[#self + 1] = { objects = {}, pointers = {}, regions = {}, mark = mark, name = name }
end

-- Returns the objects and pointers of the innermost entry: the case if one runs, else the scenario.
function State:top() return self[#self] end

-- Applies a line of a trace, an event or a mark, to the state. The mark "scenario" empties the state, "case" adds an
-- entry, and "end" removes that entry with all objects of the case.
function State:apply(line)
  if line.mark and not line.device then
    if line.mark == "end" then
      table.remove(self)
    else
      if line.mark == "scenario" then
        for i = #self, 1, -1 do self[i] = nil end
      end
      self:push(line.mark, line.name)
    end
    if #self == 0 then self:push() end
    return
  end
  local now = self:top()
  if line.mark == "region" then
    now.regions[line.device] = now.regions[line.device] or {}
    now.regions[line.device][line.depth] = not line.gone and { name = line.name, at = line.at } or nil
  elseif line.pointer then
    now.pointers[line.pointer] = not line.gone and line.count > 0 and { name = line.name, device = line.device,
      count = line.count, object = line.object, holder = line.holder } or nil
  elseif line.object and line.gone then
    now.objects[line.object] = nil
  elseif line.object then
    local previous = now.objects[line.object] or {}
    now.objects[line.object] = { name = line["in"] or line.size and line.name or previous.name or line.name,
      bytes = line.size or previous.bytes or line.bytes, structured = line.structured, dynamic = line.dynamic,
      device = line.device, mapped = line.mapped }
  end
end

-- Sorts a list in place by device, then by name; entries that are equal in both keep their order. Returns the list.
local function sorted_by_rank(list)
  local rank = {}
  for i, item in ipairs(list) do rank[item] = i end
  table.sort(list, function(a, b)
    if a.device ~= b.device then return a.device < b.device end
    if a.name ~= b.name then return a.name < b.name end
    return rank[a] < rank[b]
  end)
  return list
end

-- Returns {present, attached}, lists of the innermost entry sorted by device and name. The target of an attached
-- pointer is the object's name; if the object no longer exists, it is "" and `gone` is true.
function State:lists()
  local now, present, attached = self:top(), {}, {}
  for _, object in sorted_pairs(now.objects) do present[#present + 1] = object end
  for _, pointer in sorted_pairs(now.pointers) do
    local target = now.objects[pointer.object]
    attached[#attached + 1] = { name = pointer.name, device = pointer.device, count = pointer.count,
      target = target and target.name or "", gone = not target or nil }
  end
  return { present = sorted_by_rank(present), attached = sorted_by_rank(attached) }
end

-- Returns the state of all devices as text; a line that nothing is present if no device has an object.
function State:text()
  local devices, numbers, parts = {}, {}, {}
  for kind, list in pairs(self:lists()) do
    for _, entry in ipairs(list) do
      local number = entry.device
      if not devices[number] then
        devices[number] = { present = {}, attached = {} }
        numbers[#numbers + 1] = number
      end
      table.insert(devices[number][kind], entry)
    end
  end
  table.sort(numbers)
  for i, number in ipairs(numbers) do
    parts[i] = ("device %d\n"):format(number) .. state.table_text(devices[number])
  end
  return #parts > 0 and table.concat(parts) or "  nothing is present\n"
end

-- Returns an event or mark as one line of text: operation or mark, name, bytes, rule and location.
function trace.describe(line)
  if line.mark == "finding" then return ("finding %s[%s]: %s"):format(line.level, line.code, line.message) end
  if line.mark then return ("%s%s"):format(line.mark, line.name and " " .. line.name or "") end
  return ("%s %s%s%s%s"):format(line.op, line.name ~= "" and line.name or BODILESS[line.op] or "unnamed",
    not (POINTERS[line.op] or BODILESS[line.op]) and ", " .. strings.count(line.bytes, "byte") or "",
    line.rule and "  [" .. line.rule .. "]" or "", line.at ~= "" and line.at and "  at " .. line.at or "")
end

return trace
