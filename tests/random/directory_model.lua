-- directory_model.lua - an independent model of the profile `directory`, for directory_test.lua. It follows Figures 2
-- and 3 of the document literally and without optimizations, with the readings AMB-DIR-*.
--
-- A device is a stack of layers: a floor, then for each open data environment its level and the floor above. A layer
-- has two lists: originals (clauses) and tuples (the artificial ones). After each change the tuples are derived again
-- from the originals: they are fused by base to a fixed point, then by range to a fixed point, until nothing changes.
-- A tuple in state ALLOC has a block, a table from host address to byte; bytes that were never written are nil. A
-- tuple in state ALIAS has the block of the tuple below that covers it.
--
-- Readings of this file, where document and rules are silent.
--
--   (a) The largest clause that makes bytes present makes an object. Each clause that overlaps the object holds
--       it, dropped clauses too. The object is removed when no clause holds it. Its home is the layer of its
--       clause, or the layer into which that was merged. There it is a tuple even after its clause has ended.
--       Its base address counts only as long as an original has it.
--   (b) The clause of exit data decides if bytes are copied out, even if the enter data was joined.
--   (c) A copy of device bytes that were never written has any value: unknown until it is compared.
--   (d) Data of a layer that were in one block stay in it. So do data that were joined in one block, after the
--       layers above have ended. Other data, and those that grow, get a new block.
--   (e) After the data that joined others were removed, these may stay or return to their former blocks
--       (`unclear`; `tangled` while data are left). Moves and ALLOC states are then unspecified. If an
--       original of an outer level ends in an inner one, the lists of outer levels are unspecified until the
--       inner ones end (`lower_unsure`).
--   (f) Two partially overlapping clauses of a directive are an error if both make bytes present and neither
--       is dropped. A dropped clause still holds the data, attaches, and is closed by exit data.
--   (g) A p clause is dropped for a larger clause, or an equal one without p, that makes bytes present.
--   (h) fusion = false: only clauses that are split, or that span several blocks and may split, join data. Only
--       included clauses are dropped. Joined clauses copy out like others, and exit data uses counters, as in
--       other profiles.

local Model = {}
Model.__index = Model

local Device = {}
Device.__index = Device

-- Properties of clauses. creates: makes absent bytes present; sends: copies in; fetches: copies out at the end.
-- Others. splits: may be partially present; welcome: can be dropped; refreshes: copies in present bytes, too.
local asks = {
  copy = { creates = true, sends = true, fetches = true },
  copyin = { creates = true, sends = true },
  copyout = { creates = true, fetches = true },
  create = { creates = true },
  present = {},
  no_create = {},
  present_and_copyin = { creates = true, sends = true, splits = true, welcome = true },
  update_and_copy = { creates = true, sends = true, splits = true, refreshes = true },
}
for _, word in ipairs { "copy", "copyin", "copyout", "create" } do
  local same = { welcome = true }
  for key, value in pairs(asks[word]) do same[key] = value end
  asks["p" .. word] = same
end

Model.asks = asks

local function meets(s, t) return s.low < t.high and t.low < s.high end
local function covers(s, t) return s.low <= t.low and t.high <= s.high end
local function equal(s, t) return s.low == t.low and s.high == t.high end

local function new_layer(kind) return { kind = kind, originals = {}, tuples = {} } end

-- Returns a model. options: devices; fusion; partial_overlap; host, values by address, shared with the caller.
function Model.new(options)
  local self = setmetatable({ host = options.host, devices = {} }, Model)
  for i = 0, (options.devices or 1) - 1 do
    self.devices[i] = setmetatable({ model = self, layers = { new_layer "floor" }, objects = {},
      attached = {}, opened = 0, fusion = options.fusion ~= false,
      knob = options.partial_overlap or "error" }, Device)
  end
  return self
end

-- ---------------------------------------------------------------------------------------- looking --

function Device:top() return self.layers[#self.layers] end

function Device:object_at(at)
  for _, o in ipairs(self.objects) do
    if o.low <= at and at < o.high then return o end
  end
  return nil
end

function Device:present_bytes(low, high)
  local n = 0
  for at = low, high - 1 do
    if self:object_at(at) then n = n + 1 end
  end
  return n
end

local function tuple_at(layer, at)
  for _, t in ipairs(layer.tuples) do
    if t.low <= at and at < t.high then return t end
  end
  return nil
end

-- Returns the tuple of the current level that contains an address, or nil.
function Device:tuple_at(at) return tuple_at(self:top(), at) end

-- Returns the value of a present byte, or nil if it was never written.
function Device:value(at) return self:tuple_at(at).block.bytes[at] end

function Device:write(at, value) self:tuple_at(at).block.bytes[at] = value end

-- Returns the name of an interval, from the clause that made its first byte present; nil if several clauses may have.
function Device:name(t)
  local o = self:object_at(t.low)
  return not o.doubtful and o.call(t.low, t.high, o.is_part or not equal(o, t)) or nil
end

-- True if a present range is in one tuple of the current level.
function Device:in_one_tuple(c)
  for _, t in ipairs(self:top().tuples) do
    if covers(t, c) then return true end
  end
  return false
end

-- ----------------------------------------------------------------------------------------- fusion --

local function same_base(s, t)
  for base in pairs(s.bases) do
    if t.bases[base] then return true end
  end
  return false
end

-- Returns the union of two tuples. It is ALIAS only if one of them is and covers the union (AMB-DIR-02).
local function united(s, t)
  local st = { low = math.min(s.low, t.low), high = math.max(s.high, t.high), bases = {}, ancestors = {},
    state = "ALLOC" }
  for _, one in ipairs { s, t } do
    for base in pairs(one.bases) do st.bases[base] = true end
    for _, a in ipairs(one.ancestors) do table.insert(st.ancestors, a) end
    if one.state == "ALIAS" and covers(one, st) then st.state, st.block = "ALIAS", one.block end
  end
  return st
end

local function first_pair(tuples, related)
  for i, s in ipairs(tuples) do
    for k, t in ipairs(tuples) do
      if i ~= k and related(s, t) then return i, k end
    end
  end
  return nil
end

local function fuse_all(tuples, related)
  while true do
    local i, k = first_pair(tuples, related)
    if not i then return end
    local st = united(tuples[i], tuples[k])
    table.remove(tuples, math.max(i, k))
    table.remove(tuples, math.min(i, k))
    table.insert(tuples, st)
  end
end

-- Fuses tuples: first by base (DIR-4.2-09), then by range, each to a fixed point, until nothing changes (AMB-DIR-05).
local function fused(tuples, by_base)
  repeat
    local before = #tuples
    if by_base then fuse_all(tuples, same_base) end
    fuse_all(tuples, meets)
  until #tuples == before
  table.sort(tuples, function(s, t) return s.low < t.low end)
  return tuples
end

-- Returns the initial artificial list of a layer (DIR-4.2-07): its originals, and the tuples of the layer below.
function Device:parts(number)
  local parts, below = {}, self.layers[number - 1]
  for _, t in ipairs(below and below.tuples or {}) do
    parts[#parts + 1] = { low = t.low, high = t.high, bases = t.bases, ancestors = { t }, state = "ALIAS",
      block = t.block }
  end
  for _, c in ipairs(self.layers[number].originals) do
    -- The base of a dropped clause counts (DIR-4.2-02).
    if self.fusion and not c.skipped or not c.dropped and c.connects then
      parts[#parts + 1] = { low = c.low, high = c.high, bases = { [c.base] = true },
        ancestors = c.dropped and {} or c.pieces, state = "ALLOC" }
    end
  end
  for _, o in ipairs(self.objects) do
    if o.home == self.layers[number] then
      parts[#parts + 1] = { low = o.low, high = o.high, bases = {}, ancestors = {}, state = "ALLOC" }
    end
  end
  return parts
end

-- Returns the block that contains all placed bytes of a tuple, or nil if they are in several, or if a lower layer
-- uses it.
function Device:block_of(t, block_at, used)
  local block
  for at = t.low, t.high - 1 do
    local here = self:object_at(at) and block_at(at)
    if here then
      if block and here ~= block or used[here] then return nil end
      block = here
    end
  end
  return block and covers(block, t) and block or nil
end

-- True if the layer's own data in a tuple were in another block before.
function Device:was_elsewhere(t, layer, old, now)
  for _, o in ipairs(self.objects) do
    local had = not o.came_down and tuple_at(old, o.low) or {}
    local here = had.block or now.block[o.low]
    if o.home == layer and covers(t, o) and here and here ~= t.block then return true end
  end
  return false
end

local function is_among(tuples, t)
  for _, s in ipairs(tuples) do
    if s.state == "ALLOC" and equal(s, t) then return true end
  end
  return false
end

-- Shrinks blocks to the tuples in them: the rest is not reused.
function Device:trim()
  local seen = {}
  for _, layer in ipairs(self.layers) do
    for _, t in ipairs(layer.tuples) do
      local block = t.block
      local low, high = t.low, t.high
      if seen[block] then low, high = math.min(low, block.low), math.max(high, block.high) end
      block.low, block.high, seen[block] = low, high, true
    end
  end
end

-- Assigns blocks to the tuples of a layer (reading d). old: the layer's former tuples. now: a snapshot. used: blocks
-- of lower layers.
function Device:place(layer, old, now, used)
  for _, t in ipairs(layer.tuples) do
    if t.state == "ALLOC" then
      if not is_among(old.tuples, t) then self.unclear = true end
      t.block = self:block_of(t, function(at) return (tuple_at(old, at) or {}).block end, used)
        or self:block_of(t, function(at) return now.block[at] end, used)
        or { low = t.low, high = t.high, bytes = {} }
    end
    if self:was_elsewhere(t, layer, old, now) then self.unclear = true end
  end
  for _, t in ipairs(layer.tuples) do used[t.block] = true end
end

-- Derives the artificial lists of all layers again. now: a snapshot from before the change.
function Device:fuse(now)
  local used = {}
  self.unclear = false
  self.tangled = self.tangled and #self.objects > 0
  self.lower_unsure = self.lower_unsure and #self.layers > 1
  for number, layer in ipairs(self.layers) do
    local old = { tuples = layer.tuples }
    layer.tuples = fused(self:parts(number), self.fusion)
    self:place(layer, old, now, used)
  end
  self:trim()
end

-- Returns the values and the blocks of all present bytes.
function Device:snapshot()
  local now = { value = {}, block = {} }
  for _, o in ipairs(self.objects) do
    for at = o.low, o.high - 1 do
      local t = self:tuple_at(at)
      now.value[at], now.block[at] = t.block.bytes[at], t.block
    end
  end
  return now
end

-- Copies present bytes from their former to their present blocks (DIR-4.2-15, DIR-4.3-03); new bytes have no value.
-- Returns the number of bytes that changed blocks, without those that the host sends.
function Device:move(before, asked)
  local moved = 0
  for _, o in ipairs(self.objects) do
    for at = o.low, o.high - 1 do
      local block = self:tuple_at(at).block
      block.bytes[at] = before.value[at]
      local from = before.block[at]
      if from and from ~= block and not (asked and asked[at]) then moved = moved + 1 end
    end
  end
  return moved
end

-- ------------------------------------------------------------------------------------ entry, decode --

-- True if a clause makes some byte present.
function Device:brings(c)
  return asks[c.kind].creates and self:present_bytes(c.low, c.high) < c.high - c.low
end

-- Adds the errors of partially overlapping clauses (reading f).
function Device:crossing_errors(i, clauses, errors)
  local c = clauses[i]
  for k = 1, i - 1 do
    local d = clauses[k]
    local crosses = meets(c, d) and not covers(c, d) and not covers(d, c)
    if crosses and self:brings(c) and self:brings(d)
      and not self:is_dropped(c, clauses) and not self:is_dropped(d, clauses) then
      errors["partial-overlap"] = true
    end
  end
end

-- Adds the errors of a clause by itself (Figure 2, AMB-DIR-01).
function Device:clause_errors(c, clauses, errors)
  local n, size = self:present_bytes(c.low, c.high), c.high - c.low
  local ask = asks[c.kind]
  local splits = ask.splits or ask.creates and self.knob ~= "error"
  if ask.creates then
    if n > 0 and n < size and not splits then
      errors["partial-overlap"] = true
      if not self.fusion then errors["partially-present"] = true end
    end
  elseif n > 0 and n < size then
    errors["partially-present"] = true
  elseif n == 0 and not self:made_beside(c, clauses) then
    if c.kind == "present" then errors["not-present"] = true end
    if self:made_inside(c, clauses) then errors["partial-overlap"] = true end
  end
  if n == size and not self.fusion and not splits and not self:in_one_tuple(c) then
    errors["partially-present"], errors["partial-overlap"] = true, true
  end
end

function Device:entry_errors(clauses)
  local errors = {}
  for i, c in ipairs(clauses) do
    self:crossing_errors(i, clauses, errors)
    self:clause_errors(c, clauses, errors)
  end
  return next(errors) and errors or nil
end

-- True if another clause of the directive makes the whole range present.
function Device:made_beside(c, clauses)
  for _, d in ipairs(clauses) do
    if d ~= c and asks[d.kind].creates and covers(d, c) then return true end
  end
  return false
end

-- True if another clause of the directive makes a part of the range present.
function Device:made_inside(c, clauses)
  for _, d in ipairs(clauses) do
    if d ~= c and asks[d.kind].creates and meets(d, c) then return true end
  end
  return false
end

-- True if a clause is dropped: it can be, and is included in a tuple (DIR-4.2-02) or in another clause.
function Device:is_dropped(c, clauses)
  local size = c.high - c.low
  local ask = asks[c.kind]
  local n = self:present_bytes(c.low, c.high)
  if self:asks_nothing(c, clauses) then return true end
  if not ask.welcome then return false end
  if n == size and self:in_one_tuple(c) then return true end
  for _, d in ipairs(self.fusion and clauses or {}) do
    local takes = d ~= c and covers(d, c) and self:brings(d)
    if takes and (not equal(c, d) or not asks[d.kind].welcome) then return true end
  end
  return false
end

function Device:asks_nothing(c, clauses)
  return c.kind == "no_create" and self:present_bytes(c.low, c.high) == 0 and not self:made_beside(c, clauses)
end

-- True if a clause makes objects: no larger clause does, nor an equal one before it.
local function is_maker(i, originals)
  local c = originals[i]
  if not asks[c.kind].creates or c.dropped then return false end
  for k, d in ipairs(originals) do
    local takes = k ~= i and asks[d.kind].creates and not d.dropped and covers(d, c)
    if takes and (not equal(c, d) or k < i) then return false end
  end
  return true
end

local function makers_of(o, originals)
  local n = 0
  for _, c in ipairs(originals) do
    if asks[c.kind].creates and meets(c, o) then n = n + 1 end
  end
  return n
end

-- Makes objects of the absent parts of clauses.
function Device:make_objects(originals, layer)
  local made = {}
  for i, c in ipairs(originals) do
    local low
    for at = c.low, is_maker(i, originals) and c.high or c.low do
      local absent = at < c.high and not self:object_at(at)
      if absent and not low then low = at end
      if low and not absent then
        made[#made + 1] = { low = low, high = at, call = c.call, is_part = at - low < c.high - c.low,
          home = layer, holders = {} }
        low = nil
      end
    end
  end
  for _, o in ipairs(made) do o.doubtful = makers_of(o, originals) > 1 end
  table.move(made, 1, #made, #self.objects + 1, self.objects)
end

-- Returns the pieces of a partially present clause, split at the bounds of objects (DIR-4.2-04). They are original
-- tuples, and are in one block.
function Device:pieces(c)
  local n = self:present_bytes(c.low, c.high)
  if n == 0 or n == c.high - c.low then return { c } end
  local list = {}
  for at = c.low, c.high - 1 do
    local o, last = self:object_at(at), list[#list]
    if last and last.object == o then last.high = at + 1
    else list[#list + 1] = { low = at, high = at + 1, object = o } end
  end
  for _, piece in ipairs(list) do
    piece.kind, piece.base, piece.name = c.kind, c.base, c.call(piece.low, piece.high, true)
  end
  return list
end

-- Returns the original tuples of clauses (DIR-4.2-01), with the bytes that each makes present and those that it
-- copies in.
function Device:decode(clauses)
  local originals = {}
  for i, c in ipairs(clauses) do
    local ask = asks[c.kind]
    self.opened = self.opened + 1
    local original = { low = c.low, high = c.high, base = c.base, kind = c.kind, name = c.name,
      call = c.call, slot = c.slot, pieces = self:pieces(c), connects = not self:in_one_tuple(c),
      number = self.opened, dropped = self:is_dropped(c, clauses), made = {}, all = {}, sends = {} }
    local n = self:present_bytes(c.low, c.high)
    original.skipped = self:asks_nothing(c, clauses)
    local refreshed = ask.refreshes
      or self.knob == "update_and_copy" and ask.sends and not ask.splits and n > 0 and n < c.high - c.low
    for at = c.low, c.high - 1 do
      local absent = not self:object_at(at)
      original.all[at] = true
      original.made[at] = absent and ask.creates or nil
      original.sends[at] = (refreshed or absent and ask.sends) or nil
    end
    originals[i] = original
  end
  return originals
end

function Device:hold(originals)
  for _, c in ipairs(originals) do
    for _, o in ipairs(self.objects) do
      if meets(o, c) then o.holders[c] = true end
    end
  end
end

-- Returns the bytes that clauses copy in, those without attached pointers, and the number of the latter. Each byte
-- counts once.
function Device:sent_for(originals)
  local asked, sent, n = {}, {}, 0
  for _, c in ipairs(originals) do
    for at = c.low, c.dropped and c.low - 1 or c.high - 1 do
      if c.sends[at] and not asked[at] then
        asked[at] = true
        if not self:is_attached(at) then sent[at], n = true, n + 1 end
      end
    end
  end
  return asked, sent, n
end

-- Adds clauses to a new level, or to the top floor; then fuses, moves and sends. Returns the bytes moved in each
-- direction.
function Device:insert(clauses, level)
  local before = self:snapshot()
  local originals = self:decode(clauses)
  local layer = level or self:top()
  self:make_objects(originals, layer)
  if level then
    table.insert(self.layers, level)
    table.insert(self.layers, new_layer "floor")
  end
  table.move(originals, 1, #originals, #layer.originals + 1, layer.originals)
  self:hold(originals)
  self:fuse(before)
  local asked, sent, n = self:sent_for(originals)
  local d2d = self:move(before, asked)
  for at in pairs(sent) do self:write(at, self.model.host[at]) end
  self:attach_all(originals)
  return { h2d = n, d2h = 0, d2d = d2d }
end

-- Opens a data environment. Returns errors, or nil and the bytes moved.
function Device:open(clauses, kind)
  local errors = self:entry_errors(clauses)
  if errors then return errors end
  return nil, self:insert(clauses, new_layer(kind or "data"))
end

-- Executes enter data: its clauses belong to the floor above the innermost level (DIR-6-02).
function Device:enter(clauses)
  local errors = self:entry_errors(clauses)
  if errors then return errors end
  return nil, self:insert(clauses)
end

-- ------------------------------------------------------------------------------------ attachments --
-- Fields of self.attached, by address of a pointer: count; target, a present address. The eight bytes of an attached
-- pointer are no data: they are never copied between host and device.

function Device:is_attached(at)
  for slot in pairs(self.attached) do
    if slot <= at and at < slot + 8 then return true end
  end
  return false
end

function Device:attach(slot, target)
  local a = self.attached[slot] or { count = 0, target = target }
  a.count = a.count + 1
  self.attached[slot] = a
end

-- Attaches the pointers through which clauses go, if these are present. The lowest clause determines the target.
function Device:attach_all(originals)
  table.sort(originals, function(c, d) return c.low < d.low end)
  for _, c in ipairs(originals) do
    if c.slot and self:present_bytes(c.slot, c.slot + 8) == 8 and self:object_at(c.low) then
      self:attach(c.slot, c.low)
      c.attached = true
    end
  end
end

-- Detaches pointers: their device copies get the host's values again. slots: counts by address.
function Device:detach(slots)
  for slot, n in pairs(slots) do
    local a = self.attached[slot]
    a.count = a.count - n
    if a.count == 0 then
      self.attached[slot] = nil
      for at = slot, slot + 7 do self:write(at, self.model.host[at]) end
    end
  end
end

-- Returns the errors if objects are removed after some pointers were detached.
function Device:detach_errors(slots, dying)
  local errors = {}
  for slot, n in pairs(slots) do
    if not self.attached[slot] or self.attached[slot].count < n then errors["not-attached"] = true end
  end
  for slot, a in pairs(self.attached) do
    local left = a.count > (slots[slot] or 0)
    if left and (dying[self:object_at(slot)] or dying[self:object_at(a.target)]) then
      errors["still-attached"] = true
    end
  end
  return errors
end

-- Executes enter data attach(...) of a pointer alone.
function Device:enter_attach(slot, value)
  if self:present_bytes(slot, slot + 8) < 8 or not self:object_at(value) then
    return { ["not-present"] = true }
  end
  self:attach(slot, value)
  return nil, { h2d = 0, d2h = 0, d2d = 0 }
end

function Device:exit_detach(slot)
  if self:present_bytes(slot, slot + 8) < 8 then return { ["not-present"] = true } end
  if not self.attached[slot] then return { ["not-attached"] = true } end
  self:detach { [slot] = 1 }
  return nil, { h2d = 0, d2h = 0, d2d = 0 }
end

-- -------------------------------------------------------------------------------------------- exit --

-- Returns the set of objects that are held by these originals only.
function Device:left_by(originals)
  local going, dying = {}, {}
  for _, c in ipairs(originals) do going[c] = true end
  for _, o in ipairs(self.objects) do
    dying[o] = true
    for c in pairs(o.holders) do
      if not going[c] then dying[o] = nil end
    end
  end
  return dying
end

-- Copies the wanted bytes of objects to the host, each once. Returns their number.
function Device:fetch(wanted, objects)
  local n = 0
  for o in pairs(objects) do
    for at = o.low, o.high - 1 do
      if wanted[at] and not self:is_attached(at) then
        self.model.host[at] = self:value(at) -- nil: unknown
        n = n + 1
      end
    end
  end
  return n
end

-- Removes originals as holders, and removes the dying objects.
function Device:release(originals, dying)
  for i = #self.objects, 1, -1 do
    for _, c in ipairs(originals) do self.objects[i].holders[c] = nil end
    if dying[self.objects[i]] then table.remove(self.objects, i) end
  end
end

-- Returns the bytes that a clause copies out at its end. Without fusion, as in other profiles, this includes data
-- that were present before.
local function fetched_by(c, device)
  if not asks[c.kind].fetches then return {} end
  if not device.fusion then return c.all end
  return c.dropped and {} or c.made
end

-- Closes the innermost data environment (Figure 3): its floor is merged into the enclosing one.
function Device:close()
  local floor, level = self.layers[#self.layers], self.layers[#self.layers - 1]
  if not level then return { ["region-nesting"] = true } end
  local wanted, slots = {}, {}
  for _, c in ipairs(level.originals) do
    if c.attached then slots[c.slot] = (slots[c.slot] or 0) + 1 end
    for at in pairs(fetched_by(c, self)) do wanted[at] = true end
  end
  local dying = self:left_by(level.originals)
  local errors = self:detach_errors(slots, dying)
  if next(errors) then return errors end
  local fetched = dying
  if self.fusion then -- a level copies out what its clauses made, even if a floor holds it (DIR-6-06)
    fetched = {}
    for _, o in ipairs(self.objects) do fetched[o] = true end
  end
  local d2h = self:fetch(wanted, fetched)
  self:detach(slots)
  self:release(level.originals, dying)
  local before = self:snapshot()
  table.remove(self.layers)
  table.remove(self.layers)
  local below = self:top()
  table.move(floor.originals, 1, #floor.originals, #below.originals + 1, below.originals)
  for _, o in ipairs(self.objects) do
    o.came_down = o.home == level or o.home == floor
    if o.came_down then o.home = below end
  end
  return nil, self:left(before, d2h)
end

-- Returns the last enter data of exactly this interval that is not in `taken`, or nil.
function Device:opened_as(clause, taken)
  local found
  for _, layer in ipairs(self.layers) do
    for _, c in ipairs(layer.kind == "floor" and layer.originals or {}) do
      if equal(c, clause) and not taken[c] and (not found or c.number > found.number) then found = c end
    end
  end
  return found
end

function Device:opened_once(clause)
  local c = self:opened_as(clause, {})
  return c and not self:opened_as(clause, { [c] = true })
end

-- Returns errors; or nil, the originals that exit data closes, the bytes that it copies out, and the pointers that it
-- detaches.
function Device:closed_by(clauses)
  local errors, taken, wanted, slots, list = {}, {}, {}, {}, {}
  for _, clause in ipairs(clauses) do
    local n = self:present_bytes(clause.low, clause.high)
    local c = self:opened_as(clause, taken)
    local apart = not self.fusion and not self:in_one_tuple(clause)
    if n > 0 and (n < clause.high - clause.low or apart) then errors["partially-present"] = true
    elseif not c and (self.fusion or n == 0) then errors["not-present"] = true
    elseif c then
      taken[c] = true
      list[#list + 1] = c
      for at = c.low, clause.kind == "copyout" and c.high - 1 or c.low - 1 do wanted[at] = true end
    end
    if self.attached[clause.slot] then slots[clause.slot] = (slots[clause.slot] or 0) + 1 end
  end
  if next(errors) then return errors end
  return nil, list, wanted, slots
end

-- Removes an original from its layer.
function Device:strike(c)
  for number, layer in ipairs(self.layers) do
    for i = #layer.originals, 1, -1 do
      if layer.originals[i] == c then
        table.remove(layer.originals, i)
        self.lower_unsure = self.lower_unsure or number < #self.layers
      end
    end
  end
end

-- Executes exit data: each clause closes an enter data of any floor. Without fusion a clause may name data that no
-- enter data opened, without effect, unless they are in several blocks.
function Device:exit(clauses)
  local errors, list, wanted, slots = self:closed_by(clauses)
  if errors then return errors end
  local dying = self:left_by(list)
  errors = self:detach_errors(slots, dying)
  if next(errors) then return errors end
  local d2h = self:fetch(wanted, dying)
  self:detach(slots)
  self:release(list, dying)
  local before = self:snapshot()
  for _, c in ipairs(list) do self:strike(c) end
  return nil, self:left(before, d2h)
end

-- Fuses and moves after an exit. Returns the bytes moved.
function Device:left(before, d2h)
  self:fuse(before)
  self.tangled = self.tangled or self.unclear
  return { h2d = 0, d2h = d2h, d2d = self:move(before) }
end

-- ------------------------------------------------------------------------------------------ update --

-- Executes an update. Each byte must be present, in any number of objects; if_present skips absent clauses.
function Device:update(clauses, if_present)
  local errors, moved = {}, { h2d = 0, d2h = 0, d2d = 0 }
  local all = {}
  for _, c in ipairs(clauses) do
    local n = self:present_bytes(c.low, c.high)
    if n == c.high - c.low then all[#all + 1] = c
    elseif n > 0 then errors["partially-present"] = true
    elseif not if_present then errors["not-present"] = true end
    if n == c.high - c.low and not self.fusion and not self:in_one_tuple(c) then
      errors["partially-present"] = true
    end
  end
  if next(errors) then return errors end
  for _, c in ipairs(all) do
    local way = c.kind == "self" and "d2h" or "h2d"
    for at = c.low, c.high - 1 do
      if not self:is_attached(at) then
        if way == "d2h" then self.model.host[at] = self:value(at) else self:write(at, self.model.host[at]) end
        moved[way] = moved[way] + 1
      end
    end
  end
  return nil, moved
end

return Model
