-- state_diff.lua - compares two snapshots of a session and returns the differences as lines of text, for the stepper
-- and the prompt.

local core = require "accdeep.core"
local snapshot = require "accdeep.inspect.snapshot"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local state_diff = {}

local MAX_LINES = 40 -- limit of reported lines
-- Limit of bytes of an object that is compared byte by byte. For larger objects, only their rows are compared.
local BYTES = 1 << 22

-- Returns a snapshot (snapshot.lua) of the session's current device in which `memory` of each object is {bytes, t,
-- offset}: its bytes, type and offset. `memory` is nil for empty objects and for objects larger than BYTES. `numbers`:
-- a table shared by the snapshots that are compared; it keeps the ids of objects.
function state_diff.snapshot(session, numbers)
  return snapshot.take(session, nil, numbers, function(object)
    if object.bytes > BYTES or object.bytes == 0 then return nil end
    local bytes
    if object.info then
      local copy = core.malloc(object.bytes)
      if copy and session.ctx:from_device(session.now.device, copy, object.info.dev, object.bytes) then
        bytes = core.get(copy, object.bytes)
      end
      if copy then core.free(copy) end
    else
      bytes = core.get(object.address, object.bytes)
    end
    return { bytes = bytes, t = object.t, offset = object.offset or 0 }
  end)
end

-- Matches the entries of two lists by key(entry). Calls added(entry) for entries that only `after` has, removed(entry)
-- for entries that only `before` has, and both(old, new) for entries that both lists have.
local function compare(before, after, key, added, removed, both)
  local old = {}
  for _, entry in ipairs(before) do old[key(entry)] = entry end
  for _, entry in ipairs(after) do
    local old_entry = old[key(entry)]
    old[key(entry)] = nil
    if old_entry then both(old_entry, entry) else added(entry) end
  end
  for _, entry in ipairs(before) do
    if old[key(entry)] == entry then removed(entry) end
  end
end

-- Returns the reference counters of a present object as text.
local function counters(object) return ("structured %s, dynamic %s"):format(object.structured, object.dynamic) end

-- Adds lines about present objects and their counters. before, after: lists `present` of snapshots. add_line(format,
-- ...) adds a line.
local function diff_present(before, after, add_line)
  compare(before, after, function(o) return o.name .. " " .. o.bytes end,
    function(o) add_line("+ %s, %s, present: %s", o.name, strings.count(o.bytes, "byte"), counters(o)) end,
    function(o) add_line("- %s, %s, present no more", o.name, strings.count(o.bytes, "byte")) end,
    function(old, new)
      for _, counter in ipairs { "structured", "dynamic" } do
        if old[counter] ~= new[counter] then add_line("  %s: %s %s, was %s", new.name, counter, new[counter],
          old[counter]) end
      end
    end)
end

-- Adds lines about attachments and their counters. before, after: lists `attached` of snapshots. add_line(format, ...)
-- adds a line.
local function diff_attached(before, after, add_line)
  -- Returns the name of an attachment's target.
  local function target(a) return a.gone and "what is gone" or a.target end
  compare(before, after, function(a) return a.name end,
    function(a) add_line("+ %s is attached to %s, counter %d", a.name, target(a), a.count) end,
    function(a) add_line("- %s is attached no more", a.name) end,
    function(old, new)
      if old.count ~= new.count then add_line("  %s: attach counter %d, was %d", new.name, new.count, old.count) end
      if target(old) ~= target(new) then
        add_line("  %s is attached to %s, was to %s", new.name, target(new), target(old))
      end
    end)
end

-- Returns the name of the member `path` in an object of a snapshot, such as v.n or p[1]. Before an index, a section
-- [0:n] at the end of the object's name is dropped.
local function path_text(object, path)
  local dot = path ~= "" and not path:find "^[%[(]" and "." or ""
  return object.name:gsub("%[0:%d+%]$", path:find "^%[" and "" or "%0") .. dot .. path
end

-- Returns the offset of the first difference between two byte strings that differ within their common length. Halves
-- the range at each step, because comparing strings is fast.
local function first_difference(a, b)
  local from, to = 1, math.min(#a, #b)
  while from < to do
    local middle = (from + to) // 2
    if a:sub(from, middle) == b:sub(from, middle) then from = middle + 1 else to = middle end
  end
  return from - 1
end

-- Adds a line about the first byte that differs in an object although no row (line about a member) differs: members.lua
-- shows only some elements of long arrays. Adds nothing if the bytes are equal or unknown. `old`, `new`: the object in
-- both snapshots. `side`: "host  " or "device". add_line(format, ...) adds a line.
local function between_rows(side, old, new, add_line)
  local a, b = old.memory, new.memory
  if not a or not b or not a.bytes or not b.bytes or a.bytes == b.bytes then return end
  local at = first_difference(a.bytes, b.bytes)
  add_line("  %s %s: values between those shown, the first at byte %d%s", side, new.name, at,
    new.memory.t and (" (%s)"):format(types.path(new.memory.t, at + new.memory.offset)) or "")
end

-- Adds lines about changed values of the objects that both lists have. `side`: "host  " or "device", two texts of the
-- same width. before, after: lists `host` or `device` of snapshots. add_line(format, ...) adds a line.
local function values(side, before, after, add_line)
  local function nothing() end
  compare(before, after, function(o) return o.id end, nothing, nothing, function(old_object, new_object)
    local reported = false
    -- Returns a text that identifies a row of an object in both snapshots.
    local function row_key(row) return row.path .. " " .. row.offset end
    compare(old_object.rows, new_object.rows, row_key, nothing, nothing, function(old, new)
      local a, b = old.text or old.state, new.text or new.state
      if a == b then return end
      reported = true
      add_line("  %s %s = %s, was %s", side, path_text(new_object, new.path), b or "?", a or "?")
    end)
    if not reported then between_rows(side, old_object, new_object, add_line) end
  end)
end

-- Adds a line for each direction in which the events `events` copied, with the number of bytes and copies.
local function diff_transfers(events, add_line)
  local count, bytes = {}, {}
  for _, event in ipairs(events) do
    count[event.op] = (count[event.op] or 0) + 1
    bytes[event.op] = (bytes[event.op] or 0) + event.bytes
  end
  for _, row in ipairs { { "h2d", "to the device" }, { "d2h", "to the host" }, { "d2d", "within the device" } } do
    local n = count[row[1]]
    if n then add_line("  %s moved %s, in %s", strings.count(bytes[row[1]], "byte"), row[2],
      strings.count(n, "piece")) end
  end
end

-- Returns the differences in presence, counters, attachments and values between two snapshots as lines of text;
-- "nothing" if there are none. `events`: list of the events between the snapshots, whose copied bytes are added up.
function state_diff.text(before, after, events)
  local lines = {}
  -- Appends a line, as string.format formats the arguments.
  local function add_line(format, ...) lines[#lines + 1] = "  " .. format:format(...) end
  diff_present(before.present, after.present, add_line)
  diff_attached(before.attached, after.attached, add_line)
  diff_transfers(events, add_line)
  values("host  ", before.host, after.host, add_line)
  values("device", before.device, after.device, add_line)
  if #lines == 0 then return "  nothing\n" end
  if #lines > MAX_LINES then
    lines[MAX_LINES] = ("  ... and %d more"):format(#lines - MAX_LINES + 1)
  end
  return table.concat(lines, "\n", 1, math.min(#lines, MAX_LINES)) .. "\n"
end

return state_diff
