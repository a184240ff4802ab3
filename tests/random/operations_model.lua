-- operations_model.lua - an independent model of data directives, for operations_test.lua: lists of objects, without
-- indices or plans. It is written from the rules alone.
--
-- A claim is the request of a directive for one object: {low, high, action, slot, init}. Addresses are the host's.
-- slot: the address of the pointer to the claim. host: the value of each int by address. Errors are sets of codes: it
-- is unspecified which of several is reported.

local Model = {}
Model.__index = Model

local UNWRITTEN = 0x7F7F7F7F -- value of device memory that was never written

local copies_in = { copy = true, copyin = true }
local copies_out = { copy = true, copyout = true }

function Model.new(host)
  return setmetatable({ host = host, objects = {}, attached = {}, open = {} }, Model)
end

-- Returns the object that contains a range; false if only a part of it is present; nil if none is.
function Model:find(low, high)
  for _, o in ipairs(self.objects) do
    if o.low < high and low < o.high then return o.low <= low and high <= o.high and o end
  end
  return nil
end

local function each_int(self, low, high, fn)
  for at = low, high - 4, 4 do
    if self.host[at] ~= nil then fn(at) end
  end
end

-- Resolves the claims of an entry. Returns the objects by claim, old or new; or nil and the errors.
function Model:resolve(claims)
  local errors, made, objects, late = {}, {}, {}, {}
  local absent = {}
  for i, c in ipairs(claims) do
    local o = self:find(c.low, c.high)
    if o == false then errors["partially-present"] = true end
    if o then objects[i] = o end
    if o == nil then table.insert((c.action == "present" or c.action == "no_create") and late or absent, i) end
  end
  table.sort(absent, function(x, y)
    local a, b = claims[x], claims[y]
    if a.low ~= b.low then return a.low < b.low end
    return a.high > b.high
  end)
  for _, i in ipairs(absent) do
    local c, last = claims[i], made[#made]
    if last and c.low < last.high then
      if c.high > last.high then errors["partial-overlap"] = true end
      objects[i] = last
    else
      objects[i] = { low = c.low, high = c.high, structured = 0, dynamic = 0, data = {} }
      made[#made + 1] = objects[i]
    end
  end
  for _, i in ipairs(late) do
    local c = claims[i]
    for _, o in ipairs(made) do
      if o.low < c.high and c.low < o.high then
        objects[i] = o
        if c.low < o.low or c.high > o.high then errors["partial-overlap"] = true end
      end
    end
    if not objects[i] and c.action == "present" then errors["not-present"] = true end
  end
  if next(errors) then return errors end
  return nil, objects, made
end

function Model:enter(claims, kind)
  local errors, objects, made = self:resolve(claims)
  if errors then return errors end
  for _, o in ipairs(made) do table.insert(self.objects, o) end
  for i, c in ipairs(claims) do
    local o = objects[i]
    if o then
      for _, new in ipairs(made) do
        if new == o then
          each_int(self, c.low, c.high, function(at)
            if copies_in[c.action] or c.init and c.init[at] then o.data[at] = self.host[at] end
          end)
        end
      end
      o[kind] = o[kind] + 1
      if c.slot and self:find(c.slot, c.slot + 8) then
        c.attached = true
        self.attached[c.slot] = self.attached[c.slot] or { count = 0, target = c.low }
        self.attached[c.slot].count = self.attached[c.slot].count + 1
      end
    end
  end
  return nil, objects
end

-- Executes an exit. objects: those of the claims at the entry of a region; nil for dynamic exits, which look them up.
function Model:leave(claims, kind, objects, finalize)
  local errors, taken, detached = {}, {}, {}
  objects = objects or {}
  for i, c in ipairs(claims) do
    if kind == "dynamic" then
      objects[i] = self:find(c.low, c.high)
      if objects[i] == nil then errors["not-present"] = true end
      if objects[i] == false then errors["partially-present"] = true end
      if c.slot and self:find(c.slot, c.slot + 8) and not self.attached[c.slot] then
        errors["not-attached"] = true
      end
    end
    local o = objects[i]
    if kind == "structured" and c.attached and (self.attached[c.slot] or { count = 0 }).count
      == (detached[c.slot] or 0) then
      errors["not-attached"] = true -- a different exit detached it
    end
    if o then
      local left = o[kind] - (taken[o] or 0)
      local off = finalize and left or math.min(left, 1)
      taken[o] = (taken[o] or 0) + off
      local a = c.slot and self.attached[c.slot]
      if a and o[kind] > 0 and (kind == "dynamic" or c.attached) then
        detached[c.slot] = finalize and a.count or math.min(a.count, (detached[c.slot] or 0) + 1)
      end
    end
  end
  local dying = {}
  for _, o in ipairs(self.objects) do
    dying[o] = taken[o] and o.structured + o.dynamic == taken[o] or nil
  end
  for slot, a in pairs(self.attached) do
    local holder, target = self:find(slot, slot + 8), self:find(a.target, a.target + 1)
    if a.count > (detached[slot] or 0) and (dying[holder] or dying[target]) then
      errors["still-attached"] = true
    end
  end
  if next(errors) then return errors end
  for i, c in ipairs(claims) do
    local o = objects[i]
    if o and dying[o] and copies_out[c.action] then
      each_int(self, c.low, c.high, function(at) self.host[at] = o.data[at] or UNWRITTEN end)
    end
  end
  for slot, n in pairs(detached) do
    local a = self.attached[slot]
    a.count = a.count - n
    if a.count == 0 then self.attached[slot] = nil end
  end
  for i = #self.objects, 1, -1 do
    local o = self.objects[i]
    o[kind] = o[kind] - (taken[o] or 0)
    if dying[o] then table.remove(self.objects, i) end
  end
  return nil
end

function Model:update(claims, out, if_present)
  local errors = {}
  for _, c in ipairs(claims) do
    local o = self:find(c.low, c.high)
    if o == nil and not if_present then errors["not-present"] = true end
    if o == false then errors["partially-present"] = true end
  end
  if next(errors) then return errors end
  for _, c in ipairs(claims) do
    local o = self:find(c.low, c.high)
    if o then
      each_int(self, c.low, c.high, function(at)
        if out then self.host[at] = o.data[at] or UNWRITTEN else o.data[at] = self.host[at] end
      end)
    end
  end
  return nil
end

return Model
