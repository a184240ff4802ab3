-- openmp_model.lua - an independent model of OpenMP's map clauses, for openmp_test.lua: lists of objects and sets of
-- cells, without indices or plans. It is written from OMP60-map-*, OMP60-upd-1 and OMPEX-* alone.
--
-- A cell is a scalar of the host program. cells: their addresses in order. host: their values. A directive is a list
-- of items:
--
--   {low, high, type, always, must, base, structure, of, empty, from}.
--
-- type: to, from, tofrom, alloc, release or delete. must: the item has `present`. base: the address of its base
-- pointer. structure: {low, high} of the structure that it is, or is a member of. of: the list item for which a
-- mapper made it. empty: a section of no elements, at low. from: its base address, where its extended range begins.
-- Errors are sets of codes: it is unspecified which of several is reported.

local Model = {}
Model.__index = Model

local to = { to = true, tofrom = true }
local from = { from = true, tofrom = true }

-- Returns a model. sizes: those of cells. config.every: pointers are attached whenever both sides are present
-- (LLNL-2.1-05). config.unmatched: "null" or "host", the value of a private pointer without a present target
-- (OMP60-map-10).
function Model.new(cells, sizes, host, config)
  return setmetatable({ cells = cells, sizes = sizes, host = host, config = config, objects = {}, attached = {},
    open = {}, made = 0 }, Model)
end

-- Returns a copy of the state.
function Model:saved()
  local saved = { host = {}, objects = {}, attached = {} }
  for at, value in pairs(self.host) do saved.host[at] = value end
  for i, o in ipairs(self.objects) do
    local copy = {}
    for key, value in pairs(o) do copy[key] = value end
    copy.data = {}
    for at, value in pairs(o.data) do copy.data[at] = value end
    saved.objects[i] = copy
  end
  for slot, a in pairs(self.attached) do saved.attached[slot] = { pointer = a.pointer, low = a.low } end
  return saved
end

function Model:restore(saved)
  for at, value in pairs(saved.host) do self.host[at] = value end
  self.objects, self.attached = saved.objects, saved.attached
end

local function each_cell(self, low, high, fn)
  for _, at in ipairs(self.cells) do
    if low <= at and at < high then fn(at) end
  end
end

-- Returns the object that has a cell, or nil.
function Model:holder(at)
  for _, o in ipairs(self.objects) do
    if o.has[at] then return o end
  end
  return nil
end

-- Returns the object that has all cells of a range; false if only some are present, or in several objects; nil if
-- none is.
function Model:find(low, high)
  local found, some, all = nil, false, true
  each_cell(self, low, high, function(at)
    local o = self:holder(at)
    all = all and o and (not found or found == o)
    some, found = some or o, found or o
  end)
  if not some then return nil end
  return all and found or false
end

-- Returns the errors of items that must be present, which are checked first (OMP60-map-9).
local function must(self, items)
  local errors = {} -- parts of a mapper's items may be present
  for _, item in ipairs(items) do
    local o = not item.must or self:find(item.low, item.empty and item.low + 1 or item.high)
    if not o then errors["not-present"], errors["partially-present"] = true, true end
  end
  return next(errors) and errors
end

-- ------------------------------------------------------------------------------------------ blocks --

local function shares(a, b) return a.low < b.high and b.low < a.high end

local function same_block(a, b)
  local s, t = a.structure, b.structure
  return shares(a, b) or s and t and s.low == t.low and s.high == t.high
end

-- Groups items into blocks: those that share storage or belong to one structure (OMP60-map-4).
local function blocks_of(items)
  local blocks = {}
  for _, item in ipairs(items) do
    if not item.empty then
      local joined = { item }
      for i = #blocks, 1, -1 do
        local joins = false
        for _, other in ipairs(blocks[i]) do joins = joins or same_block(item, other) end
        if joins then
          table.move(blocks[i], 1, #blocks[i], #joined + 1, joined)
          table.remove(blocks, i)
        end
      end
      blocks[#blocks + 1] = joined
    end
  end
  return blocks
end

-- True if items share storage partially. Allowed are items that another item contains, and items of one structure
-- (OMP60-map-13).
local function crosses(block)
  for i, a in ipairs(block) do
    for k = 1, i - 1 do
      local b = block[k]
      local apart = a.low < b.low and a.high < b.high or b.low < a.low and b.high < a.high
      local s, t = a.structure, b.structure
      local within = s and t and s.low == t.low
      for _, other in ipairs(block) do
        within = within or other.low <= math.min(a.low, b.low) and math.max(a.high, b.high) <= other.high
      end
      if apart and shares(a, b) and not within then return true end
    end
  end
  return false
end

-- Returns the object of a block; makes it if no part of it is present.
local function object_of(self, block, errors)
  local found, absent = nil, false
  for _, item in ipairs(block) do
    local o = self:find(item.low, item.high)
    if o == false or found and o and found ~= o then errors["partially-present"] = true end
    local s = item.structure -- a different element of the structure is present
    if o == nil and s and self:find(s.low, s.high) ~= nil then
      errors["partially-present"], errors["not-present"] = true, true
    end
    found, absent = found or o, absent or o == nil
  end
  if found and absent then errors["partially-present"] = true end
  if found then return found end
  if crosses(block) then errors["partial-overlap"] = true end
  local o = { low = math.huge, high = 0, has = {}, data = {}, count = 0 }
  for _, item in ipairs(block) do
    o.low, o.high = math.min(o.low, item.low), math.max(o.high, item.high)
    each_cell(self, item.low, item.high, function(at) o.has[at] = true end)
  end
  return o
end

-- ----------------------------------------------------------------------------------------- entering --

-- Returns the present object with the number of a former one: restoring a state replaces objects.
local function still(self, was)
  for _, o in ipairs(self.objects) do
    if was and o.number == was.number then return o end
  end
  return nil
end

-- Returns the object that contains the address of an empty section, or nil.
local function at_address(self, at)
  for _, o in ipairs(self.objects) do
    if o.low <= at and at < o.high then return o end
  end
  return nil
end

-- Returns the nearest object after an address that is in its list item's extended range, or nil.
local function extended(self, at, items)
  local found
  local function look(o, base)
    if base and base <= at and at < o.low and (not found or o.low < found.low) then found = o end
  end
  for _, o in ipairs(self.objects) do look(o, o.from) end
  local function list(some)
    for _, item in ipairs(some) do
      local o = still(self, item.object)
      if o then look(o, item.from) end
    end
  end
  for _, open in ipairs(self.config.extended and self.open or {}) do list(open) end
  list(self.config.extended and items or {})
  return found
end

-- Returns the object to which a pointer without clause, or an empty section, refers: one that contains the address,
-- has it in its extended range, or ends there (OMP60-map-10).
function Model:lookup(at, items)
  for back = 0, 1 do
    for _, o in ipairs(self.objects) do
      if o.low <= at - back and at - back < o.high then return o end
    end
    local o = back == 0 and extended(self, at, items or {})
    if o then return o end
  end
  return nil
end

-- Attaches pointers (OMP60-map-7). Of several targets, the one into which the pointer points is chosen, else the
-- first.
local function attach(self, items, new)
  local wanted = {}
  for _, item in ipairs(items) do
    local slot = item.base
    local holder = slot and self.host[slot] ~= 0 and self:find(slot, slot + 8)
    local target = holder and (item.empty and self:lookup(item.low, items)
      or not item.empty and self:find(item.low, item.high))
    if target and (new[target] or new[holder] or self.config.every) then
      local function leads(o) return o.low <= self.host[slot] and self.host[slot] < o.high end
      local other = wanted[slot]
      local better = other and (leads(target) and not leads(other)
        or leads(target) == leads(other) and target.low < other.low)
      if not other or better then wanted[slot] = target end
    end
  end
  for slot, target in pairs(wanted) do self.attached[slot] = { pointer = self.host[slot], low = target.low } end
end

-- Executes an entry construct. Returns errors, or nil.
function Model:enter(items, lasting)
  local errors = must(self, items)
  if errors then return errors end
  errors = {}
  local objects, new, empty = {}, {}, {}
  for _, item in ipairs(items) do
    if item.empty then
      item.object = at_address(self, item.low)
      empty[#empty + 1] = item.object
    end
  end
  for i, block in ipairs(blocks_of(items)) do
    objects[i] = object_of(self, block, errors)
    objects[i].block = block
    for _, item in ipairs(block) do item.object = objects[i] end
  end
  if next(errors) then return errors end
  for _, o in ipairs(objects) do
    if o.count == 0 then
      new[o] = true
      self.made = self.made + 1
      o.number = self.made
      table.insert(self.objects, o)
      o.count = 1
    end
  end
  for _, item in ipairs(self.config.extended and items or {}) do
    local o = item.object
    if o and (new[o] or lasting) then o.from = math.min(o.from or item.from or o.low, item.from or o.low) end
  end
  local counted = {}
  for _, o in ipairs(objects) do
    if not new[o] and not counted[o] then o.count = o.count + 1 end
    counted[o] = true
  end
  for _, o in ipairs(empty) do
    if not counted[o] then o.count = o.count + 1 end
    counted[o] = true
  end
  for _, item in ipairs(items) do
    if not item.empty and to[item.type] and (new[item.object] or item.always) then
      each_cell(self, item.low, item.high, function(at)
        if not self.attached[at] then item.object.data[at] = self.host[at] end -- OMP60-map-8
      end)
    end
  end
  attach(self, items, new)
  return nil
end

-- ------------------------------------------------------------------------------------------ leaving --

local unwritten = { [4] = 0x7F7F7F7F, [8] = 0x7F7F7F7F7F7F7F7F }

local function fetch(self, o, low, high)
  each_cell(self, low, high, function(at)
    if not self.attached[at] then self.host[at] = o.data[at] or unwritten[self.sizes[at]] end
  end)
end

local function remove(self, o)
  for at in pairs(o.has) do self.attached[at] = nil end
  for slot, a in pairs(self.attached) do
    if a.low == o.low then self.attached[slot].low = nil end -- dangles
  end
  for i, other in ipairs(self.objects) do
    if other == o then table.remove(self.objects, i) end
  end
end

-- True if the items of a mapper for one list item are only partly present, or in several blocks (OMP60-map-13).
local function is_partial(self, items)
  local found = {}
  for _, item in ipairs(items) do
    local of = item.structure and item.of
    local state = of and (self:find(item.low, item.high) or "absent")
    if of and found[of] and found[of] ~= state then return true end
    if of then found[of] = state end
  end
  return false
end

-- True if an item is independent: no part of a mapper's items, and not one of several members of a structure.
local function is_plain(item, items)
  local s, members = item.structure, 0
  if item.of or not s then return not item.of end
  for _, other in ipairs(items) do
    local t = not other.empty and other.structure
    if t and t.low == s.low and t.high == s.high then
      if other.low == s.low and other.high == s.high then return true end
      members = members + 1
    end
  end
  return members < 2
end

-- True if only some of several members of a structure are present (OMP60-map-4).
local function is_torn(self, block)
  local some, all = false, true
  for _, item in ipairs(block) do
    local there = self:find(item.low, item.high) ~= nil
    some, all = some or there, all and there
  end
  return some and not all
end

-- Executes an exit construct, or the end of a region.
function Model:exit(items, ends)
  local errors = not ends and must(self, items) or {}
  if next(errors) then return errors end
  if is_partial(self, items) then errors["partially-present"] = true end
  for _, block in ipairs(ends and blocks_of(items) or {}) do
    if is_torn(self, block) then errors["partially-present"] = true end
  end
  local objects, is_deleted = {}, {}
  for i, item in ipairs(items) do
    local o
    if not item.empty then
      o = self:find(item.low, item.high)
    elseif not ends then
      o = at_address(self, item.low)
    else
      o = still(self, item.object)
    end
    if o == false and ends and is_plain(item, items) then o = nil end -- treated as absent
    if o == false then errors["partially-present"] = true end
    objects[i] = o
    if o and item.type == "delete" then is_deleted[o] = true end
  end
  if next(errors) then return errors end
  local touched = {}
  for i, item in ipairs(items) do
    local o = objects[i]
    if o then
      touched[o] = true
      local last = o.count == 1 or is_deleted[o] and o.count < math.huge
      if from[item.type] and (last or item.always) then fetch(self, o, item.low, item.high) end
    end
  end
  for o in pairs(touched) do
    o.count = is_deleted[o] and o.count < math.huge and 0 or o.count - 1
    if o.count == 0 then remove(self, o) end
  end
  return nil
end

-- Executes the motions {item, out} of an update, in order (OMP60-upd-1).
function Model:update(motions)
  local items = {}
  for i, motion in ipairs(motions) do items[i] = motion.item end
  local errors = must(self, items)
  if errors then return errors end
  errors = is_partial(self, items) and { ["partially-present"] = true } or {}
  for _, item in ipairs(items) do
    if item.of and not item.empty and self:find(item.low, item.high) == false then
      errors["partially-present"] = true
    end
  end
  if next(errors) then return errors end
  for _, motion in ipairs(motions) do
    local item = motion.item
    local o = not item.empty and self:find(item.low, item.high)
    if o and motion.out then
      fetch(self, o, item.low, item.high)
    elseif o then
      each_cell(self, item.low, item.high, function(at)
        if not self.attached[at] then o.data[at] = self.host[at] end
      end)
    end
  end
  return nil
end

-- ------------------------------------------------------------------------------------------ regions --

function Model:begin(items)
  local errors = self:enter(items)
  if not errors then table.insert(self.open, items) end
  return errors
end

function Model:finish()
  local errors = self:exit(self.open[#self.open], true)
  if not errors then table.remove(self.open) end
  return errors
end

-- ------------------------------------------------------------------------------------------ kernels --

local BAD = { absent = { "not-present", "excluded-member", "out-of-bounds" }, host = { "host-pointer-on-device" },
  null = { "null-pointer", "host-pointer-on-device" }, unwritten = { "uninitialized-read" },
  dangling = { "host-pointer-on-device", "not-present", "out-of-bounds" } }

local function bad(why)
  local errors = {}
  for _, code in ipairs(BAD[why]) do errors[code] = true end
  error(errors, 0)
end

-- Returns the object to which the device's pointer at a slot points, and a host address in it or past it.
local function follow(self, slot)
  local holder = self:holder(slot) or bad "absent"
  local a = self.attached[slot]
  if a then
    if not a.low then bad "dangling" end
    return self:holder(a.low), a.pointer
  end
  local value = holder.data[slot]
  bad(value == nil and "unwritten" or value == 0 and "null" or "host")
end

-- Returns the data and the address of an access, or the name of a private variable. access: {at, name} for a cell;
-- {slot, offset} for data of a pointer; {pointer, value, offset} for data of a private one.
local function place(self, private, access)
  local o, at
  if access.slot and private[access.slot] then
    o = private[access.slot]
    if o == "null" or o == "host" then bad(o) end
    at = o.value + access.offset
    o = o.object
  elseif access.slot then
    o, at = follow(self, access.slot)
    at = at + access.offset
  elseif private[access.at] then
    return private, access.at
  else
    at = access.at
    o = self:holder(at)
  end
  if not o or not o.has[at] then bad "absent" end
  return o.data, at
end

-- Executes a target construct: items are entered, the body runs, the items exit. firstprivate: {slot} for a pointer,
-- {at} for a scalar. statements: {to = access, from = access or nil, add = number}.
function Model:target(items, firstprivate, statements)
  local saved = self:saved()
  local errors = self:enter(items)
  if errors then return errors end
  local private = {}
  for _, p in ipairs(firstprivate) do
    if p.slot then -- OMP60-map-10, OMP60-map-11
      local value = self.host[p.slot]
      local o = p.target and self:find(p.target, p.target + 4) or value ~= 0 and self:lookup(value)
      private[p.slot] = o and { object = o, value = value } or value == 0 and "null" or self.config.unmatched
    else
      private[p.at] = self.host[p.at]
    end
  end
  errors = {}
  local function place_of(access) -- any of several errors may be reported first
    local ok, data, at = pcall(place, self, private, access)
    if ok then return data, at end
    if type(data) ~= "table" then error(data, 0) end
    for code in pairs(data) do errors[code] = true end
  end
  for _, s in ipairs(statements) do
    local value = s.add
    if s.from then
      local data, at = place_of(s.from)
      if data and data[at] == nil then errors["uninitialized-read"] = true end
      value = data and data[at] and value + data[at]
    end
    local data, at = place_of(s.to)
    if data then data[at] = value end
  end
  errors = next(errors) and errors or self:exit(items, true)
  if errors then self:restore(saved) end
  return errors
end

return Model
