-- model.lua - the findings that a program must have, by the coherence protocol of each element and the order of queues.
--
-- PROTOCOL. Each side of an element is valid or not: it has the newest value, or an old one. A value of nil is that of
-- memory that was never written. A device's copy begins invalid with this value, the host's valid.
--
--      write            this side valid, the other side invalid
--      transfer         of a valid source: both valid; of an invalid value nil: the target invalid;
--                       of an old one over a valid target: overwrites, both valid
--      read             of an invalid side: uninitialized if the value is nil, otherwise stale
--      unmap            a valid device and an invalid host: the change is lost
--
-- ORDER. Work of a queue happens after what the host has done, after earlier work of its queue, and after the work that
-- the queue has waited for. In OpenMP a queue is an address of depend clauses. Two accesses to an element on one side
-- race if one writes, and no order exists.
--
-- MODES. Both modes have the same protocol, and see parts of it:
--
--      checked   each access. A wrong read is reported at its line, and the bytes count as valid from then on.
--      strict    constructs: transfers, kernels by the bytes that they change, and the ends of data. So a wrong
--                transfer has its line, a wrong read that of its kernel's construct; only unmapping tells that a change
--                is lost.
--
-- LIMITS of a mode have the word "limit" below: there a finding may come, or may not.
local model = {}

local Model = {}
Model.__index = Model
local OTHER = { host = "device", device = "host" }
local MODES = { "checked", "strict" }

function model.new()
  local self = setmetatable({ findings = {}, states = {}, queues = {}, host_past = {}, accesses = {} }, Model)
  for _, mode in ipairs(MODES) do self.findings[mode] = {} end
  return self
end

-- Adds an array of n elements, all valid on the host.
function model.new_array(name, n, size)
  local array = { name = name, n = n, size = size, value = { host = {}, device = {} }, mapping = {}, states = {} }
  for _, mode in ipairs(MODES) do
    local function new_table() return { host = {}, device = {} } end
    array.states[mode] = { valid = new_table(), lost = {}, vague = {} }
    for i = 0, n - 1 do array.states[mode].valid.host[i] = true end
  end
  -- true for an element that a side has changed since both agreed, by a transfer or the allocation
  array.changed = { host = {}, device = {} }
  return array
end

-- Expects a finding: level "must" or "may". `i`: its element; findings of one line, code and array are one.
function Model:expect(mode, level, code, line, array, i)
  local lines = self.findings[mode]
  lines[line] = lines[line] or {}
  local key = code .. " " .. array.name
  local finding = lines[line][key] or { level = level, elements = {} }
  if level == "must" then finding.level = level end
  finding.elements[i] = true
  lines[line][key] = finding
end

-- ------------------------------------------------------------------------------------------ order --

local function join(past, earlier)
  for work in pairs(earlier) do past[work] = true end
end

local function get_queue(self, name)
  self.queues[name] = self.queues[name] or { past = {}, readers = {} }
  return self.queues[name]
end

-- Begins work of the host (queue nil) or of a queue, an address of depend clauses in OpenMP. reads: another queue, or
-- nil, that only reads its address. The past of a work or queue is the set of the works that happen before its end.
function Model:begin(queue, reads)
  self.epoch = nil
  if not queue then return end
  local one, work = get_queue(self, queue), {}
  local past = { [work] = true }
  join(past, one.past)
  join(past, one.readers)
  one.past, one.readers = past, {}
  if reads and reads ~= queue then
    join(past, get_queue(self, reads).past)
    join(get_queue(self, reads).readers, past)
  end
  self.epoch = { work = work, past = past }
end

local function is_synced(self, epoch) return not epoch or self.host_past[epoch.work] end

-- True if earlier work happens before the work that runs now.
local function is_before(self, epoch)
  return is_synced(self, epoch) or self.epoch and self.epoch.past[epoch.work]
end

-- The host (waiter nil) or the queue `waiter` waits for a queue, or for all (nil). line: of the wait.
function Model:wait(line, queue, waiter)
  local past = self.host_past
  if waiter then
    self:begin(waiter)
    past = self.epoch.past
  end
  for name, one in pairs(self.queues) do
    if not queue or queue == name then
      join(past, one.past)
      join(past, one.readers)
    end
  end
  self.epoch = nil
  for _, access in ipairs(self.accesses) do
    if access.host_changes and is_synced(self, access.epoch) then
      for i, level in pairs(access.host_changes) do
        self:expect("strict", level, "missing-wait", line, access.array, i)
      end
      access.host_changes = nil
    end
  end
end

-- Records an access of the work that runs now, and expects its races. Fields: array, side, from, n; kind: "transfer",
-- "kernel", "program" or "free"; writes: by mode; line: of the access; construct: line of its construct.
function Model:access(new)
  new.epoch = self.epoch
  local array, written_to = new.array, {}
  for _, old in ipairs(self.accesses) do
    if old.array == array and old.side == new.side and not is_before(self, old.epoch) then
      for i = math.max(old.from, new.from), math.min(old.from + old.n, new.from + new.n) - 1 do
        self:pair(old, new, i, written_to)
      end
    end
    for i in pairs(old.array == array and new.side == "host" and new.kind ~= "program" and old.host_changes or {}) do
      -- limit: strict runs compare at the wait, with the last transfer of the element
      if i >= new.from and i < new.from + new.n then old.host_changes[i] = "may" end
    end
  end
  for i in pairs(written_to) do -- limit: after a race of an element, checked runs know the last access only
    for _, old in ipairs(self.accesses) do
      if old.array == array and old.side == new.side then old.forgotten[i] = true end
    end
  end
  new.forgotten = {}
  if new.epoch and new.kind ~= "free" then self.accesses[#self.accesses + 1] = new end
end

-- Expects the race of two accesses that have no order, at element i.
function Model:pair(old, new, i, written_to)
  local array, code = new.array, "missing-wait"
  if old.writes.checked or new.writes.checked then
    local level = "must"
    if new.side == "host" and new.kind == "program" then
      -- limit: checked runs compare the first access to an element with pending transfers, and the first write
      local first = old.host_accesses or {}
      old.host_accesses = first
      if first[i] == "write" or (first[i] and not new.writes.checked) then level = "may" end
      first[i] = (first[i] == "write" or new.writes.checked) and "write" or "read"
    elseif new.side == "device" then
      if old.forgotten[i] then level = "may" end
      written_to[i] = true
    end
    self:expect("checked", level, code, new.line, array, i)
  end
  if new.kind == "program" then
    -- limit: strict runs do not see what the host reads; a change of the host is reported at the wait
    if new.writes.strict then
      old.host_changes = old.host_changes or {}
      old.host_changes[i] = "must"
    end
  elseif old.writes.strict or new.writes.strict then
    -- limit: strict runs do not know whether two kernels are atomic, or which bytes a kernel has only read
    local is_certain = not (old.kind == "kernel" and new.kind == "kernel") and
      (old.kind ~= "kernel" or old.writes.strict) and (new.kind ~= "kernel" or new.writes.strict)
    self:expect("strict", is_certain and "must" or "may", code, new.construct, array, i)
  end
end

-- --------------------------------------------------------------------------------------- protocol --

-- A side of an element gets a new value.
local function store(array, side, i, value)
  array.value[side][i] = value
  for _, mode in ipairs(MODES) do
    local state = array.states[mode]
    state.valid[side][i], state.lost[i], state.vague[i] = true, nil, nil
    if array.mapping[i] then state.valid[OTHER[side]][i] = false end
  end
  if array.mapping[i] then array.changed[side][i] = true end
end

-- Returns the code of a read of a side; nil: it gets the newest value.
local function classify_read(array, mode, side, i)
  local state = array.states[mode]
  if state.valid[side][i] then return nil end
  return array.value[side][i] and "stale-data" or "uninitialized-read"
end

function Model:host_write(line, array, i, value)
  self:begin()
  self:access { array = array, side = "host", from = i, n = 1, kind = "program", line = line, construct = line,
    writes = { checked = true, strict = true } }
  store(array, "host", i, value)
end

-- A read that is reported leaves the bytes valid.
local function check_read(self, line, array, side, i)
  local state, code = array.states.checked, classify_read(array, "checked", side, i)
  if state.vague[i] then
    self:expect("checked", "may", "stale-data", line, array, i)
    self:expect("checked", "may", "uninitialized-read", line, array, i)
  elseif code then
    self:expect("checked", "must", code, line, array, i)
  end
  state.valid[side][i], state.lost[i] = true, nil
  if code and array.mapping[i] and array.value.host[i] ~= array.value.device[i] then
    array.mapping[i].is_divergent = true
  end
end

function Model:host_read(line, array, i)
  self:begin()
  self:access { array = array, side = "host", from = i, n = 1, kind = "program", line = line, construct = line,
    writes = {} }
  check_read(self, line, array, "host", i)
end

-- Runs a kernel of the construct at a line, in the queue that has begun. accesses: a list with the fields array, i,
-- line, and value, nil for a read. sections: the data of the construct's clauses, with the fields array, mapping, from
-- and n.
function Model:kernel(construct, accesses, sections)
  local used = {}
  for _, access in ipairs(accesses) do
    local array, i, writes = access.array, access.i, access.value ~= nil
    self:access { array = array, side = "device", from = i, n = 1, kind = "kernel", line = access.line,
      construct = construct, writes = { checked = writes, strict = writes } }
    if access.value then
      store(array, "device", i, access.value)
    else
      check_read(self, access.line, array, "device", i)
      used[array] = used[array] or {}
      used[array][i] = classify_read(array, "strict", "device", i) == "stale-data" or nil
    end
  end
  for _, section in ipairs(sections) do self:find_stale(construct, section, used[section.array] or {}) end
end

-- Records the elements that a kernel got in an old state, for the end of the mapping.
function Model:find_stale(construct, section, used)
  local array, mapping, stale = section.array, section.mapping, { construct = construct, elements = {} }
  for i = section.from, section.from + section.n - 1 do
    if array.changed.host[i] then
      -- limit: strict runs do not see which elements a kernel reads, and compare bytes, of which both sides may have
      -- changed some
      stale.elements[i] = used[i] and not array.changed.device[i] and "must" or "may"
    end
  end
  if next(stale.elements) then mapping.stale[#mapping.stale + 1] = stale end
  for _, earlier in ipairs(mapping.stale) do
    for i in pairs(earlier.elements) do earlier.is_vague = earlier.is_vague or array.changed.device[i] end
  end
end

-- Marks small elements that were never written and lie within 4 bytes of old ones, and those.
-- limit: checked runs tell these apart by units of 4 bytes.
local function mark_vague(array, source, from, n)
  local state, reach = array.states.checked, 3 // array.size
  for i = from, from + n - 1 do
    for k = math.max(from, i - reach), i - 1 do
      if not state.valid[source][i] and not state.valid[source][k] and
        (array.value[source][i] == nil) ~= (array.value[source][k] == nil) then
        state.vague[i], state.vague[k] = true, true
      end
    end
  end
end

-- Copies n elements to a side, in the queue that has begun. line: of the construct, or of the routine.
function Model:transfer(line, array, to, from, n, kind)
  local source, mapping = OTHER[to], array.mapping[from]
  local redundant = { checked = not mapping.is_divergent, strict = true }
  for i = from, from + n - 1 do
    local valid = array.states.checked.valid
    redundant.checked = redundant.checked and valid.host[i] and valid.device[i]
    redundant.strict = redundant.strict and array.value.host[i] == array.value.device[i]
  end
  mapping.was_transferred = mapping.is_transferred
  self:access { array = array, side = source, from = from, n = n, kind = kind, line = line, construct = line,
    writes = {} }
  self:access { array = array, side = to, from = from, n = n, kind = kind, line = line, construct = line,
    writes = { checked = not redundant.checked, strict = not redundant.strict } }
  mark_vague(array, source, from, n)
  for i = from, from + n - 1 do
    for _, mode in ipairs(MODES) do self:move(mode, line, array, to, i) end
    array.value[to][i] = array.value[source][i]
    array.changed.host[i], array.changed.device[i] = nil, nil
    for _, stale in ipairs(mapping.stale) do
      stale.is_vague = stale.is_vague or stale.elements[i]
      stale.elements[i] = nil
    end
  end
  local is_unset = to == "host" and not mapping.is_transferred and n == mapping.n
  for i = from, from + n - 1 do is_unset = is_unset and array.value.device[i] == nil end
  if is_unset then
    for i = from, from + n - 1 do self:expect("strict", "must", "uninitialized-read", line, array, i) end
  end
  mapping.is_transferred = true
end

-- Moves the states of an element to a side.
function Model:move(mode, line, array, to, i)
  local state, source = array.states[mode], OTHER[to]
  local valid, is_written = state.valid, array.value[source][i] ~= nil
  local is_old = not valid[source][i] and not (source == "host" and state.lost[i])
  local overwrites = state.vague[i] or is_old and valid[to][i] and is_written
  if mode == "strict" then overwrites = array.changed[to][i] end
  if overwrites then
    -- limit: strict runs do not know whether the source's change came after the target's
    local is_certain = is_old and not state.vague[i]
    self:expect(mode, is_certain and "must" or "may", "overwritten-change", line, array, i)
  end
  valid[to][i] = valid[source][i] or is_written
  if is_old and is_written then valid[source][i] = true end
  if to == "host" then state.lost[i] = nil end
end

-- Maps elements; nothing is moved yet.
function Model:map(array, from, n)
  local mapping = { from = from, n = n, stale = {} }
  for i = from, from + n - 1 do
    array.mapping[i], array.value.device[i] = mapping, nil
    array.changed.host[i], array.changed.device[i] = nil, nil
    for _, mode in ipairs(MODES) do
      array.states[mode].valid.device[i] = false
    end
  end
  return mapping
end

-- Unmaps a mapping. with_transfer: the construct has just moved data of it; is_in_construct: a kernel's construct has
-- mapped it.
function Model:unmap(line, array, mapping, with_transfer, is_in_construct)
  if not is_in_construct then
    self:access { array = array, side = "device", from = mapping.from, n = mapping.n, kind = "free", line = line,
      construct = line, writes = { checked = true, strict = true } }
  end
  local has_earlier = false
  for _, stale in ipairs(mapping.stale) do
    for i, level in pairs(stale.elements) do
      -- limit: strict runs follow one element of an object, for the first kernel that got it in an old state, until a
      -- transfer sends it or a kernel changes it
      self:expect("strict", (has_earlier or stale.is_vague) and "may" or level, "stale-data", stale.construct, array, i)
    end
    has_earlier = has_earlier or next(stale.elements) ~= nil
  end
  for i = mapping.from, mapping.from + mapping.n - 1 do
    local valid = array.states.strict.valid
    if array.changed.device[i] then
      -- limit: data that were not moved before count as scratch memory; the host may have written the element later
      local was_moved = mapping.is_transferred and (not with_transfer or mapping.was_transferred)
      local level = was_moved and not valid.host[i] and "must" or "may"
      self:expect("strict", level, "lost-change", line, array, i)
    end
    for _, mode in ipairs(MODES) do
      local state = array.states[mode]
      if not state.valid.host[i] and state.valid.device[i] then state.lost[i] = true end
      state.valid.device[i] = nil
    end
    array.mapping[i], array.value.device[i] = nil, nil
    array.changed.host[i], array.changed.device[i] = nil, nil
  end
  local accesses = {}
  for _, access in ipairs(self.accesses) do
    if access.array ~= array or access.side ~= "device" or access.from < mapping.from or
      access.from >= mapping.from + mapping.n then
      accesses[#accesses + 1] = access
    end
  end
  self.accesses = accesses
end

return model
