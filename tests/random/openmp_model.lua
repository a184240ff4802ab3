-- openmp_model.lua - what OpenMP's map clauses mean, as naively as it can be said: lists of objects, sets of
-- cells, no index, no plan. Written from OMP60-map-*, OMP60-upd-1 and OMPEX-* alone, for openmp_test.lua to
-- compare the session with.
--
-- A cell is a scalar of the host program: cells is the list of their addresses in order, host their values. What
-- a directive asks for is a list of items:
--   {low, high, type, always, must, base = address of its base pointer, structure = {low, high}, of, empty, from}
-- type is to, from, tofrom, alloc, release or delete; must: `present`; structure: what it is a member of, or is;
-- of: the list item that a mapper makes it for; empty: a section of no
-- elements, at low; from: its base address, where its extended range begins. Errors are sets of codes: which of
-- several mistakes is told first is not specified.

local Model = {}
Model.__index = Model

local to = { to = true, tofrom = true }
local from = { from = true, tofrom = true }

-- sizes: of cells. config: {every = pointers are attached whenever both sides are there (LLNL-2.1-05), unmatched =
-- "null" | "host": what a private pointer is that leads to nothing (OMP60-map-10)}
function Model.new(cells, sizes, host, config)
  return setmetatable({ cells = cells, sizes = sizes, host = host, config = config, objects = {}, attached = {},
    open = {}, made = 0 }, Model)
end

-- What there is of a state now, for going back to it.
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

-- The object that has a cell.
function Model:holder(at)
  for _, o in ipairs(self.objects) do
    if o.has[at] then return o end
  end
  return nil
end

-- The object that has all cells of a range; false: only some are present, or in several; nil: none is.
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

-- OMP60-map-9: what must be present is asked for before anything else.
local function must(self, items)
  local errors = {} -- items may be parts of a mapper's, of which others are present
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

-- Items that share storage or belong to one structure form a block (OMP60-map-4).
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

-- OMP60-map-13: items share storage if one item contains them, or in one structure.
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

-- The object of a block, which is made if nothing of it is present.
local function object_of(self, block, errors)
  local found, absent = nil, false
  for _, item in ipairs(block) do
    local o = self:find(item.low, item.high)
    if o == false or found and o and found ~= o then errors["partially-present"] = true end
    local s = item.structure -- another element of it is present
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

-- What an object is now: going back to a state makes others of the same number.
local function still(self, was)
  for _, o in ipairs(self.objects) do
    if was and o.number == was.number then return o end
  end
  return nil
end

-- The object that has the address of a section of no elements among its bytes.
local function at_address(self, at)
  for _, o in ipairs(self.objects) do
    if o.low <= at and at < o.high then return o end
  end
  return nil
end

-- The object that begins behind an address which a list item's extended range has, and the nearest one.
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

-- What a pointer of no clause, or a section of no elements, stands for: what is there, whose extended range it is
-- in, or what ends there (OMP60-map-10).
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

-- OMP60-map-7. Of several targets of one pointer it is that which the pointer leads into, else the first one.
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

-- An entry construct. Returns errors, or nil.
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

-- Whether of what a mapper maps of one list item only a part is present, or not in one block (OMP60-map-13).
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

-- Whether an item stands for itself: it is not a part of what a mapper or several members of one structure make.
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

-- Whether of a block with several members of a structure only some are present (OMP60-map-4).
local function is_torn(self, block)
  local some, all = false, true
  for _, item in ipairs(block) do
    local there = self:find(item.low, item.high) ~= nil
    some, all = some or there, all and there
  end
  return some and not all
end

-- An exit construct, or the end of a region with these items.
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
    if o == false and ends and is_plain(item, items) then o = nil end -- as absent
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

-- Motions {item, out = from}, in their order (OMP60-upd-1).
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

-- Where the device's pointer at a slot leads: an object and a host address in it or beyond.
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

-- The object and address of what an access means, or a private variable's name. access: {at, name?} of a
-- variable's cell, {slot, offset} behind a pointer, {pointer = name, value, offset} behind a private one.
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

-- A target construct: explicit and implicit items are entered, the body runs, they leave. Firstprivate variables:
-- {slot = of a pointer | at = of a scalar}. Statements: {to = access, from = access?, add = number}.
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
  local function place_of(access) -- what is wrong anywhere may be told first
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
