-- directory_model.lua - a second opinion on the profile `directory`, for directory_test.lua: Figures 2 and 3
-- of the document, followed word by word and as slowly as they are written, with the readings AMB-DIR-*.
--
-- A device is a pile of layers: a floor, then for each open data environment its level and the floor above.
-- A layer has two lists, originals (what clauses asked) and tuples (the artificial ones). After every change
-- the tuples are made again from the lists: by base to a fixed point, by range to a fixed point, until
-- nothing changes. A tuple in state ALLOC has a block: a table from host address to the byte that is there,
-- nil where nothing was ever written. One in state ALIAS has the block of the tuple below that covers it.
--
-- Readings of this file, where document and rules are silent:
--   (a) An object is what one clause, the largest, made present; every clause that meets it holds it, dropped
--       ones too. It goes when nobody holds it. Its home is the layer of the clause that made it, or what
--       that came down to: there it is a tuple even when the clause has gone before the others. The base has
--       gone then: it counts as long as an original that has it.
--   (b) exit data: its own kind decides whether bytes come back, also where the enter data had joined.
--   (c) What is copied from device bytes that nobody wrote is any value: unknown, until somebody looks.
--   (d) What a layer had in one block stays there. So does what has come together in one block, when those
--       above have gone. Everything else gets a new block, also what grows.
--   (e) When data have gone that held others together, these may stay where they are or go back to where they
--       were (`unclear`; `tangled` as long as data are left since): then it is not said what moves, nor what
--       is ALLOC. When in an inner level an original of one below has gone, the lists of those below are not
--       specified until the inner ones end (`lower_unsure`).
--   (f) Two clauses of one directive that overlap in part are an error if both bring something, some absent
--       byte, and neither is dropped. A clause that is dropped still holds the data, attaches, and is closed
--       by exit data.
--   (g) A p clause is dropped by a larger clause, or an equal one without p, that brings something.
--   (h) fusion = false: only clauses that are split, or that span several blocks and may split, put data
--       together. Nothing is dropped for other clauses' sake, joined clauses fetch like others, exit data
--       goes by counters: as in the other profiles.

local Model = {}
Model.__index = Model

local Device = {}
Device.__index = Device

-- What clauses ask, by their words without "p": creates, sends on entry, fetches at the end.
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

-- options: devices, fusion, partial_overlap, host (address -> byte, shared with the caller).
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

-- The tuple of the current level that has a byte, in which its value is now.
function Device:tuple_at(at) return tuple_at(self:top(), at) end

-- Value of a present byte, nil if it was never written.
function Device:value(at) return self:tuple_at(at).block.bytes[at] end

function Device:write(at, value) self:tuple_at(at).block.bytes[at] = value end

-- What an interval is called: by the clause that made its first byte present. nil: by one of several.
function Device:name(t)
  local o = self:object_at(t.low)
  return not o.doubtful and o.call(t.low, t.high, o.is_part or not equal(o, t)) or nil
end

-- Whether all the bytes, which are present, are in one tuple of the current level.
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

-- AMB-DIR-02: ALIAS only if one of them has memory below that is enough for both.
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

-- Base first (DIR-4.2-09), each phase to a fixed point, until nothing changes (AMB-DIR-05).
local function fused(tuples, by_base)
  repeat
    local before = #tuples
    if by_base then fuse_all(tuples, same_base) end
    fuse_all(tuples, meets)
  until #tuples == before
  table.sort(tuples, function(s, t) return s.low < t.low end)
  return tuples
end

-- What the artificial list of a layer starts as (DIR-4.2-07): its originals, and the list below.
function Device:parts(number)
  local parts, below = {}, self.layers[number - 1]
  for _, t in ipairs(below and below.tuples or {}) do
    parts[#parts + 1] = { low = t.low, high = t.high, bases = t.bases, ancestors = { t }, state = "ALIAS",
      block = t.block }
  end
  for _, c in ipairs(self.layers[number].originals) do
    -- of a clause that is dropped the base counts all the same (DIR-4.2-02)
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

-- The one block in which all bytes of a tuple that are somewhere lie, if no layer below has it.
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

-- Whether a layer's own data were in another block than the one this tuple has now.
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

-- Blocks end where the tuples in them end: what is beyond is not used again.
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

-- Gives the tuples of a layer their blocks (reading d). old: what the layer had, used: blocks of those below.
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

-- Makes the artificial lists again. now: where all bytes are before.
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

-- Values of all present bytes, and the block each is in.
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

-- Present bytes move from where they were to where they are now (DIR-4.2-15, DIR-4.3-03); those that were
-- nowhere have no value yet. Returns how many have another block, without those that come from the host.
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

-- Whether a clause makes some byte present.
function Device:brings(c)
  return asks[c.kind].creates and self:present_bytes(c.low, c.high) < c.high - c.low
end

-- Reading f.
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

-- Figure 2's text (AMB-DIR-01): what may not be.
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

-- Whether another clause of the directive makes all of these bytes present.
function Device:made_beside(c, clauses)
  for _, d in ipairs(clauses) do
    if d ~= c and asks[d.kind].creates and covers(d, c) then return true end
  end
  return false
end

-- Whether another one makes some of them present.
function Device:made_inside(c, clauses)
  for _, d in ipairs(clauses) do
    if d ~= c and asks[d.kind].creates and meets(d, c) then return true end
  end
  return false
end

-- Dropped: a welcome clause that is included in a tuple (DIR-4.2-02), or in another clause.
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

-- The clause makes objects itself if no larger one does, nor an equal one before it.
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

-- Absent pieces of the clauses become objects.
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

-- A clause of which a part is present is split until every piece is wholly present or wholly absent
-- (DIR-4.2-04): at the bounds of objects. They are the original tuples, and lie in one block.
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

-- Clauses become original tuples (DIR-4.2-01); each knows which bytes it makes present, and which of them it
-- wants from the host.
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

-- What clauses want from the host, and what of it comes: each byte once, attached pointers not.
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

-- The clauses enter a new level, or the floor at the top; everything from there is fused, moved and sent.
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

-- A data environment opens. Returns errors, or nil and the bytes that move.
function Device:open(clauses, kind)
  local errors = self:entry_errors(clauses)
  if errors then return errors end
  return nil, self:insert(clauses, new_layer(kind or "data"))
end

-- enter data: its clauses belong to the floor above the innermost level (DIR-6-02).
function Device:enter(clauses)
  local errors = self:entry_errors(clauses)
  if errors then return errors end
  return nil, self:insert(clauses)
end

-- ------------------------------------------------------------------------------------ attachments --
-- attached: address of a pointer -> how often, and where it leads: an address that is present. The eight
-- bytes of an attached pointer are no data: nothing moves them between host and device.

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

-- A clause attaches the pointer it goes through, if that is present, too. Of several the lowest is the first.
function Device:attach_all(originals)
  table.sort(originals, function(c, d) return c.low < d.low end)
  for _, c in ipairs(originals) do
    if c.slot and self:present_bytes(c.slot, c.slot + 8) == 8 and self:object_at(c.low) then
      self:attach(c.slot, c.low)
      c.attached = true
    end
  end
end

-- Detached: the pointer's device copy is the host's again.
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

-- What goes wrong if objects die after some pointers were detached.
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

-- enter data attach(...), exit data detach(...): of a pointer alone.
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

-- Objects that nobody holds when these clauses do not.
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

-- Bytes of some objects that a clause wants come to the host. Each once.
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

-- The clauses hold nothing any more; what is dying is gone.
function Device:release(originals, dying)
  for i = #self.objects, 1, -1 do
    for _, c in ipairs(originals) do self.objects[i].holders[c] = nil end
    if dying[self.objects[i]] then table.remove(self.objects, i) end
  end
end

-- Without fusion, as in other profiles, a clause that found its data there fetches them if they go with it.
local function fetched_by(c, device)
  if not asks[c.kind].fetches then return {} end
  if not device.fusion then return c.all end
  return c.dropped and {} or c.made
end

-- The innermost data environment closes (Figure 3); its floor comes down to the enclosing one.
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
  if self.fusion then -- a level fetches what its clauses made, though a floor may hold it (DIR-6-06)
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

-- The enter data opened last with just this interval, of those not taken.
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

-- What clauses of exit data close, which bytes they want, which pointers they detach; or errors.
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

-- Takes an original off its list.
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

-- exit data: each clause closes an enter data of any floor. Without fusion it may name what none opened, to
-- no effect, but nothing that lies in several blocks.
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

-- What an exit moves.
function Device:left(before, d2h)
  self:fuse(before)
  self.tangled = self.tangled or self.unclear
  return { h2d = 0, d2h = d2h, d2d = self:move(before) }
end

-- ------------------------------------------------------------------------------------------ update --

-- Every byte must be present, in any number of objects. if_present leaves out clauses that are absent.
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
