-- directory_world.lua - a session under the profile `directory` and the model of it, for directory_test.lua.
--
-- A step is a table that describes one operation completely:
--
--   {op="data"|"compute"|"enter"|"exit"|"update", device=, clauses={{kind=, word=, name=, low=, high=}...},
--    if_present=, fault={of="allocation"|"copy", n=}}.
--   {op="end", device=}.
--   {op="host"|"kernel", device=, writes={{array=, index=, value=}...}}.
--   {op="attach"|"detach", device=, slot=}.
--
-- low, high: offsets from the start of an array. hands=true: a kernel step stores a device address, and a compute
-- step uses the stored one. Clauses of V[0] .. V[3] go through pointers that may be present, and are then attached.
-- Impossible steps are skipped.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local engine = require "engine"
local directory_model = require "directory_model"
local state = require "accdeep.run.state"

local BYTE, POINTER = core.scalar.u8, core.scalar.pointer

local World = engine.worlds()

World.sizes = { A = 26, B = 14, V = 32 }
-- Pointers, and the arrays that contain their targets.
World.pointers = { p = "A", q = "A", r = "A", s = "B" }

-- Returns the declarations of a configuration, with values.
function World.declarations(config)
  local parts, slots = {}, {}
  for _, name in ipairs { "A", "B" } do
    parts[#parts + 1] = ("char %s[] = { %s };"):format(name, table.concat(config.values[name], ", "))
  end
  for _, name in ipairs { "p", "q", "r", "s" } do
    parts[#parts + 1] = ("char *%s = %s + %d;"):format(name, World.pointers[name], config.offsets[name])
  end
  for k, to in ipairs(config.slots) do slots[k] = ("%s + %d"):format(to.array, to.offset) end
  return table.concat(parts, "\n") .. ("\nchar *V[] = { %s }, *h;"):format(table.concat(slots, ", "))
end

-- Returns a world. config: {rules, devices, device_bytes, offsets = {p=, ...}, values = {A = {...}, B = {...}},
-- slots}. slots: the targets {array=, offset=} of V[0] .. V[3].
function World.new(config)
  local w = setmetatable({ config = config, host = {}, open = {}, handed = {}, cells = {}, types = {} }, World)
  w:start({ rules = config.rules, devices = config.devices, device_bytes = config.device_bytes },
    World.declarations(config))
  w.base = {}
  for name, size in pairs(World.sizes) do
    w.base[name] = w.session.now.scope.variables[name].address
    w:add_cells(w.base[name], BYTE, size)
  end
  for name, array in pairs(World.pointers) do w.base[name] = w.base[array] + config.offsets[name] end
  for k, to in ipairs(config.slots) do w.base[("V[%d]"):format(k - 1)] = w.base[to.array] + to.offset end
  w:compare_host()
  local rules = type(config.rules) == "table" and config.rules or {}
  w.fusion = rules.fusion ~= false
  w.model = directory_model.new { host = w.host, devices = config.devices, fusion = w.fusion,
    partial_overlap = rules.partial_overlap }
  for i = 0, config.devices - 1 do w.open[i] = {} end
  return w
end

-- ------------------------------------------------------------------------------------------ text --

-- Returns the text of a clause's item: the array, or a pointer into it.
local function item_text(config, c)
  if c.whole then return c.array end
  local unit = c.array == "V" and 8 or 1
  local offset = c.slot and config.slots[c.slot + 1].offset or config.offsets[c.name] or 0
  return ("%s[%d:%d]"):format(c.name, (c.low - offset) // unit, (c.high - c.low) // unit)
end

local words = { data = "data", compute = "parallel", enter = "enter data", exit = "exit data",
  update = "update" }

-- Returns the directive of a step. The number of its region is that of the device.
local function directive(config, step)
  local text = step.slot and ("%s data %s(V[%d])"):format(step.op == "attach" and "enter" or "exit", step.op, step.slot)
  if not text then
    local parts = { words[step.op] }
    for _, c in ipairs(step.clauses) do
      parts[#parts + 1] = ("%s(%s)"):format(c.word or c.kind, item_text(config, c))
    end
    if step.op == "compute" and step.hands then parts[#parts + 1] = "deviceptr(h)" end
    text = table.concat(parts, " ") .. (step.if_present and " if_present" or "")
  end
  return { kind = "acc", text = text, number = step.device }
end

-- Returns a step as steps of the scenario. What only the world does is a comment.
function World.written(config, step)
  local list = {}
  if config.devices > 1 and step.device then
    list[1] = { kind = "acc", text = ("set device_num(%d)"):format(step.device) }
  end
  local function comment(format, ...) table.insert(list, { kind = "script", text = "-- " .. format:format(...) }) end
  if step.fault then comment("the next %s number %d fails first", step.fault.of, step.fault.n) end
  if step.op == "end" then
    table.insert(list, { kind = "end", opener = step.device })
  elseif step.op ~= "host" and step.op ~= "kernel" then
    table.insert(list, directive(config, step))
    if step.op == "compute" then list[#list].body = ";" end
  end
  for _, write in ipairs(step.writes or {}) do
    local text = ("%s[%d] = %d"):format(write.array, write.index, write.value)
    if step.op == "host" then table.insert(list, { kind = "host", text = text })
    else comment("a kernel: %s, if it is present", text) end
  end
  if step.hands then comment("a kernel keeps a device address in h, or uses it") end
  return list
end

-- Returns the clauses of a step as the model takes them, with addresses.
function World:claims(step)
  local claims = {}
  for i, c in ipairs(step.clauses) do
    local start = self.base[c.array]
    local function call(low, high, is_part)
      return item_text(self.config, { array = c.array, name = c.name, slot = c.slot, low = low - start,
        high = high - start, whole = c.whole and not is_part })
    end
    claims[i] = { kind = c.kind, call = call, low = start + c.low, high = start + c.high,
      base = self.base[c.name], slot = c.slot and self.base.V + 8 * c.slot, name = item_text(self.config, c) }
  end
  return claims
end

-- -------------------------------------------------------------------------------------- comparing --

local function range(w, low, high)
  for name, size in pairs(World.sizes) do
    local start = w.base[name]
    if start <= low and high <= start + size then
      return ("%s[%d:%d]"):format(name, low - start, high - low)
    end
  end
  return ("%x..%x"):format(low, high)
end

local function counters(device, o)
  local n = { level = 0, floor = 0 }
  for _, layer in ipairs(device.layers) do
    local key = layer.kind == "floor" and "floor" or "level"
    for _, c in ipairs(layer.originals) do
      if o.holders[c] then n[key] = n[key] + 1 end
    end
  end
  return n.level, n.floor
end

-- Checks that the bytes of a tuple have their host distances on the device.
function World:compare_distances(number)
  local ctx, off = self.session.ctx, {}
  for _, at in ipairs(self.cells) do
    local dev = ctx:deviceptr(number, at)
    local t = dev ~= 0 and self.model.devices[number]:tuple_at(at)
    if t then
      off[t] = off[t] or dev - at
      if off[t] ~= dev - at then
        self:complain("device %d: %s lies %d bytes off in its tuple", number, self:where(at), dev - at - off[t])
      end
    end
  end
end

-- Compares the presence of ranges, within one tuple and across tuples.
function World:compare_presence(number)
  local ctx, device = self.session.ctx, self.model.devices[number]
  for name, size in pairs(World.sizes) do
    local start = self.base[name]
    for low = start, start + size - 1, 3 do
      for high = low + 1, start + size, 5 do
        local n, all = device:present_bytes(low, high), high - low
        local one = n == all and device:in_one_tuple { low = low, high = high }
        local wanted = n == 0 and "absent" or n < all and "partly" or one and "wholly"
        if wanted and ctx:presence(number, low, all) ~= wanted then
          self:complain("device %d: %s is present %s, in the model %s", number, range(self, low, high),
            ctx:presence(number, low, all), wanted)
        end
      end
    end
  end
end

local function listed(originals)
  local list = {}
  for _, c in ipairs(originals) do
    for _, piece in ipairs(c.dropped and {} or c.pieces) do list[#list + 1] = piece end
  end
  return list
end

function World:compare_originals(where, found, shown, wanted)
  wanted = listed(wanted)
  for i, f in ipairs(found) do
    local c = wanted[i]
    local what = ("%s %s"):format(shown[i].state, range(self, f.info.host, f.info.host + f.info.bytes))
    if not c then self:complain("%s: %s is listed, not in the model", where, what) end
    local model = ("%s %s"):format(c.kind, range(self, c.low, c.high))
    if what ~= model then self:complain("%s: %s is listed, in the model %s", where, what, model) end
    if f.base ~= c.base then self:complain("%s: %s has another base", where, what) end
    if f.info.name ~= c.name then self:complain("%s: %s is called %s", where, c.name, f.info.name) end
  end
  if #wanted > #found then
    local c = wanted[#found + 1]
    self:complain("%s: the model lists %s %s, too", where, c.kind, range(self, c.low, c.high))
  end
end

-- Returns the sorted names of the clauses that a tuple is made of, or nil if one of them may have several names.
local function ancestors(device, t)
  local names = {}
  for i, a in ipairs(t.ancestors) do
    names[i] = a.name or device:name(a)
    if not names[i] then return nil end
  end
  table.sort(names)
  return table.concat(names, " ")
end

function World:compare_tuples(where, device, found, wanted)
  for i, f in ipairs(found) do
    local t = wanted[i]
    local what = ("%s %s"):format(device.tangled and "" or f.alloc and "ALLOC" or "ALIAS",
      range(self, f.info.host, f.info.host + f.info.bytes))
    if not t then self:complain("%s: %s is a tuple, not in the model", where, what) end
    local model = ("%s %s"):format(device.tangled and "" or t.state, range(self, t.low, t.high))
    if what ~= model then self:complain("%s: %s is a tuple, in the model %s", where, what, model) end
    local name, names = device:name(t), ancestors(device, t)
    if name and f.info.name ~= name then
      self:complain("%s: %s is called %s, in the model %s", where, what, f.info.name, name)
    end
    table.sort(f.ancestors)
    local of = table.concat(f.ancestors, " ")
    if names and of ~= names and not device.tangled and not device.lower_unsure then
      self:complain("%s: %s is made of %s, in the model %s", where, what, of, names)
    end
  end
  if #wanted > #found then
    local t = wanted[#found + 1]
    self:complain("%s: the model has the tuple %s %s, too", where, t.state, range(self, t.low, t.high))
  end
end

-- Compares a lower list whose structure is unspecified, because joining data were removed: only missing data are
-- reported.
function World:compare_loosely(where, device, number, found)
  local homes = {}
  for i = 1, number do homes[device.layers[i]] = true end
  for _, o in ipairs(device.objects) do
    local covered = not homes[o.home]
    for _, f in ipairs(found) do
      covered = covered or f.info.host <= o.low and o.high <= f.info.host + f.info.bytes
    end
    if not covered then self:complain("%s: %s is in no tuple", where, range(self, o.low, o.high)) end
  end
end

-- Compares the tuples of a layer. number: its index.
function World:compare_layer(where, device, number, found)
  local top = #device.layers
  if #listed(device.layers[top].originals) == 0 then top = math.max(top - 1, 1) end
  if number < top and (device.tangled or device.lower_unsure) then
    return self:compare_loosely(where, device, number, found)
  end
  self:compare_tuples(where, device, found, device.layers[number].tuples)
end

-- Compares the lists of all levels and floors.
function World:compare_lists(number)
  local device = self.model.devices[number]
  local found, shown = self.session.ctx:levels(number), state.read(self.session, number)
  if #found ~= #device.layers // 2 then
    self:complain("device %d: %d levels, in the model %d", number, #found, #device.layers // 2)
  end
  for i = 0, #found do
    local level, floor = device.layers[2 * i], device.layers[2 * i + 1]
    local f, s = found[i] or found.below, shown.levels[i] or shown
    local where = ("device %d, level %d"):format(number, i)
    if level then
      self:compare_originals(where, f.original, s.original, level.originals)
      self:compare_layer(where, device, 2 * i, f.artificial)
    end
    self:compare_originals(where .. ", enter data", f.dynamic, s.dynamic or {}, floor.originals)
    if #listed(floor.originals) > 0 then
      self:compare_layer(where .. ", floor", device, 2 * i + 1, f.floor)
    end
  end
end

function World:compare()
  for number = 0, self.config.devices - 1 do
    local device = self.model.devices[number]
    self:compare_objects(number, device.objects, function(o) return counters(device, o) end)
    self:compare_values(number, function(at)
      local o = device:object_at(at)
      return o ~= nil, o and device:value(at), not device:is_attached(at)
    end)
    self:compare_distances(number)
    self:compare_attached(number, device.attached)
    self:compare_presence(number)
    if self.fusion then self:compare_lists(number) end
  end
  self:compare_host()
end

-- Returns the state as text, without addresses.
function World:summary()
  local parts = {}
  for name, size in pairs(World.sizes) do
    for at = self.base[name], self.base[name] + size - 1 do
      local is_pointer = name == "V"
      parts[#parts + 1] = ("%s %d"):format(range(self, at, at + 1), is_pointer and 0 or self.host[at])
      for number = 0, self.config.devices - 1 do
        local t = self.model.devices[number]:tuple_at(at)
        parts[#parts + 1] = t and ("device %d, %s: %s, %s %s"):format(number, range(self, at, at + 1),
          is_pointer and "" or tostring(t.block.bytes[at]), t.state, range(self, t.low, t.high))
      end
    end
  end
  table.sort(parts)
  return table.concat(parts, "\n")
end

-- ------------------------------------------------------------------------------------------ steps --

function World:host_bytes()
  local parts = {}
  for _, name in ipairs { "A", "B", "V" } do
    parts[#parts + 1] = core.get(self.base[name], World.sizes[name])
  end
  return table.concat(parts)
end

local failures = { ["out-of-device-memory"] = true, ["device-error"] = true }

-- Runs a construct and compares outcome and moved bytes with the model's. A step with a fault first runs with it.
-- Returns the construct's result, or false.
function World:run(step, fn, model)
  local ctx = self.session.ctx
  if step.fault then
    ctx["fail_" .. step.fault.of](ctx, step.device, step.fault.n)
    local err, result = self:try(fn)
    ctx["fail_" .. step.fault.of](ctx, step.device, 0)
    if not (err and failures[err.code]) then return self:settle(step, err, result, model) end
  end
  local before = ctx:stats(step.device)
  local err, result = self:try(fn)
  if err and err.code == "out-of-device-memory" and self.config.device_bytes then return false end
  return self:settle(step, err, result, model, before)
end

function World:settle(step, err, result, model, before)
  local errors, moved = model()
  self:agree(err, errors)
  if err then return false end
  if before then self:compare_moves(step, before, moved) end
  return result
end

function World:compare_moves(step, before, moved)
  local after, present = self.session.ctx:stats(step.device), 0
  for _, o in ipairs(self.model.devices[step.device].objects) do present = present + o.high - o.low end
  for _, way in ipairs { "h2d", "d2h", "d2d" } do
    local n = after[way .. "_bytes"] - before[way .. "_bytes"]
    local wrong = n ~= moved[way]
    if way == "d2d" and self.model.devices[step.device].tangled then wrong = n > present end
    if wrong then
      self:complain("%d bytes moved %s, in the model %d", n, way, moved[way])
    end
  end
end

-- Executes a step that is a directive or the end of a region, and the model.
function World:run_both(step, model)
  return self:run(step, function()
    self.runner:run(step.op == "end" and { kind = "end", opener = step.device } or directive(self.config, step))
    return true
  end, model)
end

local steps = World.operations

function steps.data(w, step)
  local device = w.model.devices[step.device]
  local before = w:addresses(step.device)
  if w:run_both(step, function() return device:open(w:claims(step)) end) then
    table.insert(w.open[step.device], before)
  end
end

-- Returns the device addresses of objects by host address.
function World:addresses(number)
  local list = {}
  for _, o in ipairs(self.model.devices[number].objects) do
    list[o.low] = self.session.ctx:deviceptr(number, o.low)
  end
  return list
end

-- Checks that the end of a level has not moved other objects (DIR-4.3-04).
function World:compare_addresses(number, before)
  for at, dev in pairs(self:addresses(number)) do
    if before[at] and before[at] ~= dev then
      self:complain("device %d: %s is not where it was before", number, range(self, at, at + 1))
    end
  end
end

steps["end"] = function(w, step)
  local stack, device = w.open[step.device], w.model.devices[step.device]
  if #stack == 0 then return end
  local unsure = #device:top().originals > 0 or device.tangled or device.lower_unsure
  if not w:run_both(step, function() return device:close() end) then return end
  local before = table.remove(stack)
  if not unsure and not device.tangled then w:compare_addresses(step.device, before) end
end

function steps.enter(w, step)
  local device = w.model.devices[step.device]
  w:run_both(step, function() return device:enter(w:claims(step)) end)
end

function steps.exit(w, step)
  local device = w.model.devices[step.device]
  w:run_both(step, function() return device:exit(w:claims(step)) end)
end

function steps.update(w, step)
  local device = w.model.devices[step.device]
  w:run_both(step, function() return device:update(w:claims(step), step.if_present) end)
end

function steps.attach(w, step)
  local slot, to = w.base.V + 8 * step.slot, w.base[("V[%d]"):format(step.slot)]
  w:run_both(step, function() return w.model.devices[step.device]:enter_attach(slot, to) end)
end

function steps.detach(w, step)
  w:run_both(step, function() return w.model.devices[step.device]:exit_detach(w.base.V + 8 * step.slot) end)
end

function steps.host(w, step)
  for _, write in ipairs(step.writes) do w:set_host(w.base[write.array] + write.index, write.value) end
end

-- Writes the values of a kernel step to present bytes.
local function write_all(w, step)
  local ctx, device = w.session.ctx, w.model.devices[step.device]
  for _, write in ipairs(step.writes) do
    local at = w.base[write.array] + write.index
    if device:object_at(at) then
      local ok, err = ctx:device_write(step.device, ctx:deviceptr(step.device, at), BYTE, write.value)
      if not ok then w:complain("%s cannot be written: %s", range(w, at, at + 1), err.message) end
      device:write(at, write.value)
    end
  end
end

function steps.kernel(w, step)
  write_all(w, step)
  local first = step.writes[1]
  local dev = first and w.session.ctx:deviceptr(step.device, w.base[first.array] + first.index)
  if step.hands and dev and dev ~= 0 then w.handed[step.device] = dev end
end

-- Compares a byte of a tuple with the model, as seen from a variable that a clause names. Holes are not accessed.
function World:probe(view, c, at)
  local device = self.model.devices[self.session.now.device]
  local index = at - self.base[c.name]
  local ok, value = pcall(function() return view[c.name][index] end)
  local wanted = device:object_at(at) and device:value(at)
  if ok and (value & 255) ~= wanted then
    self:complain("a kernel reads %d in %s[%d], the model has %s", value & 255, c.name, index,
      tostring(wanted))
  elseif not ok and (wanted or not diagnostic.is(value) or value.code ~= "uninitialized-read") then
    self:complain("a kernel cannot read %s[%d]: %s", c.name, index, tostring(value))
  end
  if device:object_at(at) then return end
  local written, err = pcall(function() view[c.name][index] = 1 end)
  if written or err.code ~= "out-of-bounds" then
    self:complain("a kernel writes in a hole, %s[%d]: %s", c.name, index, tostring(err))
  end
end

-- True if all clauses that name a variable like this one are in one tuple: welcome clauses on included data do not
-- fuse them.
local function is_together(w, step, c)
  local t = w.model.devices[step.device]:tuple_at(w.base[c.array] + c.low)
  for _, d in ipairs(step.clauses) do
    local start = w.base[d.array]
    local there = w.model.devices[step.device]:object_at(start + d.low) and t and t.low <= start + d.low
      and start + d.high <= t.high
    if d.name == c.name and not there then return false end
  end
  return true
end

-- Returns the host address of the data or the hole at a device address; nil if there is none now.
local function lies_at(w, number, dev)
  for _, t in ipairs(w.model.devices[number]:top().tuples) do
    local at = dev - w.session.ctx:deviceptr(number, t.low) + t.low
    if t.low <= at and at < t.high then return at end
  end
  return nil
end

-- Checks what a kernel finds at a stored device address.
function World:probe_handed(view, number)
  local device, at = self.model.devices[number], lies_at(self, number, self.handed[number])
  if at and device:is_attached(at) then return end
  local value = at and device:object_at(at) and device:value(at)
  local ok, found = pcall(function() return view.h[0] end)
  local code = not ok and diagnostic.is(found) and found.code
  local wanted = not at and "out-of-bounds" or not value and "uninitialized-read"
  if wanted and code ~= wanted or not wanted and (not ok or found & 255 ~= value) then
    self:complain("device %d: an address handed out points to %s, in the model to %s (%s)", number,
      tostring(found), tostring(wanted or value), at and range(self, at, at + 1) or "nothing")
  end
end

-- Compares, inside of a compute construct, each byte that is in one tuple with a clause, as reached from the clause's
-- base.
function World:probe_all(view, step)
  local device = self.model.devices[step.device]
  for _, c in ipairs(step.clauses) do
    local start = self.base[c.array]
    local seen = c.array ~= "V" and not c.slot and device:object_at(start + c.low)
    local t = seen and is_together(self, step, c) and device:tuple_at(start + c.low)
    for at = t and math.max(t.low, self.base[c.name]) or 0, t and t.high - 1 or -1 do
      self:probe(view, c, at)
    end
  end
end

function steps.compute(w, step)
  local device, ctx = w.model.devices[step.device], w.session.ctx
  if step.hands and not w.handed[step.device] then return end
  ctx:host_write(w.session.now.scope.variables.h.address, POINTER, w.handed[step.device] or 0)
  local before, first = ctx:stats(step.device), nil
  local err, result = w:try(function()
    w.session:acc(directive(w.config, step).text, nil, "w", 1)(function(view)
      first = ctx:stats(step.device)
      local errors, moved = device:open(w:claims(step), "parallel")
      if errors then w:complain("no error, the model has %s", next(errors)) end
      w:compare_moves(step, before, moved)
      w:compare()
      write_all(w, step)
      w:probe_all(view, step)
      if step.hands then w:probe_handed(view, step.device) end
      first = ctx:stats(step.device)
    end, { file = "w", line = 2 })
  end)
  if err and err.code == "out-of-device-memory" and w.config.device_bytes and not first then return end
  w:settle(step, err, result, function()
    if err then return device:entry_errors(w:claims(step)) end
    return device:close()
  end, first)
end

function World:step(step)
  self.session:set_device(step.device or 0)
  engine.World.step(self, step)
end

return World
