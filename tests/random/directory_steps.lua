-- directory_steps.lua - generates random steps for directory_test.lua. Intervals that are likely to overlap others are
-- preferred: open ones, and parts and gaps of present data.

local engine = require "engine"
local directory_world = require "directory_world"
local words = require "accdeep.base.strings".word_list

local Steps = {}

local pick, one_in = engine.pick, engine.one_in

-- ---------------------------------------------------------------------------------------- worlds --

local kinds = words [[copy copyin copyin copyout create present present pcopy pcopyin pcopyin pcopyout pcreate
  present_and_copyin update_and_copy no_create]]
-- Clauses for pointers: they leave no pointer without a value on the device.
kinds.pointers = words "copy copyin present pcopy pcopyin present_and_copyin update_and_copy"

local long = { pcopy = "present_or_copy", pcopyin = "present_or_copyin", pcopyout = "present_or_copyout",
  pcreate = "present_or_create" }

local profiles = {
  "directory", "directory", "directory", "directory",
  { base = "directory", partial_overlap = "present_and_copyin" },
  { base = "directory", partial_overlap = "update_and_copy" },
  { base = "directory", fusion = false },
  { base = "directory", fusion = false, partial_overlap = "present_and_copyin" },
  { base = "directory", fusion = false, partial_overlap = "update_and_copy" },
}

function Steps.config()
  local config = { rules = pick(profiles), devices = pick { 1, 1, 2 }, offsets = {}, values = {}, slots = {},
    device_bytes = one_in(6) and math.random(8, 30) * 16 or nil }
  for _, name in ipairs { "p", "q", "r", "s" } do
    config.offsets[name] = math.random(0, directory_world.sizes[directory_world.pointers[name]] * 2 // 3)
  end
  for _, name in ipairs { "A", "B" } do
    config.values[name] = {}
    for i = 1, directory_world.sizes[name] do config.values[name][i] = math.random(0, 255) end
  end
  for k = 1, 4 do
    local array = one_in(4) and "B" or "A"
    config.slots[k] = { array = array, offset = math.random(0, directory_world.sizes[array] // 2) }
  end
  -- A pointer would have several unrelated targets without fusion.
  config.attaches = one_in(2) and (type(config.rules) == "string" or config.rules.fusion ~= false)
  return config
end

-- ---------------------------------------------------------------------------------------- clauses --

local Maker = {}
Maker.__index = Maker

-- Returns the model's present intervals of each kind in an array, as offsets from its start.
function Maker:intervals(array)
  local start, size = self.world.base[array], directory_world.sizes[array]
  local list = { originals = {}, objects = {}, tuples = {}, gaps = {}, opened = {} }
  local function add(key, low, high)
    if start <= low and high <= start + size then table.insert(list[key], { low - start, high - start }) end
  end
  for _, layer in ipairs(self.device.layers) do
    for _, c in ipairs(layer.originals) do
      add("originals", c.low, c.high)
      if layer.kind == "floor" then add("opened", c.low, c.high) end
    end
  end
  for _, o in ipairs(self.device.objects) do add("objects", o.low, o.high) end
  for _, t in ipairs(self.device:top().tuples) do add("tuples", t.low, t.high) end
  local low
  for at = start, start + size do
    local absent = at < start + size and not self.device:object_at(at)
    if absent and not low then low = at end
    if low and not absent then
      add("gaps", low, at)
      low = nil
    end
  end
  return list
end

local function part(interval)
  local low = math.random(interval[1], interval[2] - 1)
  return low, math.random(low + 1, interval[2])
end

local function random_range(size)
  if one_in(12) then return 0, size end
  local low = math.random(0, size - 1)
  return low, math.min(size, low + math.random(1, 7))
end

local function from(list, fn)
  if #list == 0 then return nil end
  return fn(pick(list))
end

local choices = {
  function(list) return from(list.gaps, part) end,
  function(list) return from(list.gaps, part) end,
  function(list) return from(list.gaps, table.unpack) end,
  function(list) return from(list.originals, table.unpack) end,
  function(list) return from(list.objects, part) end,
  function(list) return from(list.tuples, part) end,
  function(list) -- interval from one object into another
    if #list.objects == 0 then return nil end
    local s, t = pick(list.objects), pick(list.objects)
    local low, high = part { math.min(s[1], t[1]), math.max(s[2], t[2]) }
    return low, high
  end,
  function(_, size) return random_range(size) end,
}

local function named(config, array, low, high)
  local names = { array, array }
  for name, of in pairs(directory_world.pointers) do
    if of == array and config.offsets[name] <= low then names[#names + 1] = name end
  end
  table.sort(names) -- a seed must give the same steps on all machines
  local slot = config.attaches and math.random(0, 3)
  local to = slot and config.slots[slot + 1]
  if to and to.array == array and to.offset <= low and one_in(2) then
    return { array = array, name = ("V[%d]"):format(slot), slot = slot, low = low, high = high }
  end
  local c = { array = array, name = pick(names), low = low, high = high }
  c.whole = c.name == array and low == 0 and high == directory_world.sizes[array] and one_in(2)
  return c
end

-- Rounds an interval of V, which has pointers, to whole pointers.
local function whole_pointers(low, high) return low // 8 * 8, (high + 7) // 8 * 8 end

function Maker:array()
  if self.config.attaches and one_in(4) then return "V" end
  return one_in(4) and "B" or "A"
end

function Maker:interval()
  local array = self:array()
  local list, size = self:intervals(array), directory_world.sizes[array]
  local low, high = pick(choices)(list, size)
  if not low then low, high = random_range(size) end
  if array == "V" then low, high = whole_pointers(low, high) end
  return named(self.config, array, low, high)
end

function Maker:clause(allowed)
  local c = self:interval()
  c.kind = pick(c.array == "V" and allowed.pointers or allowed)
  if one_in(3) then c.word = long[c.kind] end
  return c
end

local function meets(c, d) return c.array == d.array and c.low < d.high and d.low < c.high end

local function nested(c, d)
  return c.low <= d.low and d.high <= c.high or d.low <= c.low and c.high <= d.high
end

-- Returns clauses. Without fusion, clauses that make two objects must not overlap partially: such directives are
-- skipped.
function Maker:clauses(allowed)
  local clauses = {}
  for _ = 1, pick { 1, 1, 2, 2, 3, 4 } do
    local c, fits = self:clause(allowed), true
    for _, d in ipairs(self.device.fusion and {} or clauses) do
      fits = fits and (not meets(c, d) or nested(c, d))
    end
    if fits then table.insert(clauses, c) end
  end
  return clauses
end

local function fault(most, ...)
  return one_in(8) and { of = pick { ... }, n = math.random(1, most) } or nil
end

-- Returns an entry step; most of them succeed.
function Maker:entry(op, allowed)
  local step = { op = op, device = self.number }
  for _ = 1, 6 do
    step.clauses = self:clauses(allowed)
    if one_in(8) or not self.device:entry_errors(self.world:claims(step)) then break end
  end
  step.fault = fault(4, "allocation", "copy")
  return step
end

local function apart(clauses, c)
  for _, d in ipairs(clauses) do
    if meets(c, d) then return false end
  end
  return true
end

-- ------------------------------------------------------------------------------------------ steps --

local makers = {}

function makers.data(m) return #m.device.layers < 10 and m:entry("data", kinds) or makers["end"](m) end

makers["end"] = function(m)
  return { op = "end", device = m.number, fault = fault(3, "copy") }
end

local dynamic = words "copyin copyin create pcopyin pcreate present_and_copyin update_and_copy"
dynamic.pointers = words "copyin pcopyin present_and_copyin update_and_copy"
local ways = { "self", "device" }
ways.pointers = ways

function makers.enter(m) return m:entry("enter", dynamic) end

-- True if exit data may name a clause's data. Without fusion exit data uses counters: only data of enter data, or
-- absent data, are allowed.
function Maker:may_exit(c)
  local low, high = self.world.base[c.array] + c.low, self.world.base[c.array] + c.high
  return self.device.fusion or self.device:present_bytes(low, high) < high - low
    or self.device:opened_once { low = low, high = high }
end

function makers.exit(m)
  local step = { op = "exit", device = m.number, clauses = {} }
  for _ = 1, pick { 1, 1, 2 } do
    local array = m:array()
    local opened = m:intervals(array).opened
    local any = one_in(10) or #opened == 0
    local c = any and m:interval() or named(m.config, array, table.unpack(pick(opened)))
    c.kind = pick { "copyout", "delete" }
    if apart(step.clauses, c) and m:may_exit(c) then table.insert(step.clauses, c) end
  end
  step.fault = fault(3, "allocation", "copy")
  return #step.clauses > 0 and step or makers["end"](m)
end

function makers.update(m)
  local step = { op = "update", device = m.number, clauses = {}, if_present = one_in(3) }
  for _ = 1, pick { 1, 1, 2 } do
    local c = m:clause(ways)
    if apart(step.clauses, c) then table.insert(step.clauses, c) end
  end
  return step
end

local function some_writes()
  local writes = {}
  for i = 1, math.random(1, 10) do
    local array = one_in(4) and "B" or "A"
    writes[i] = { array = array, index = math.random(0, directory_world.sizes[array] - 1), value = math.random(0, 255) }
  end
  return writes
end

function makers.host() return { op = "host", writes = some_writes() } end
function makers.kernel(m)
  return { op = "kernel", device = m.number, writes = some_writes(), hands = one_in(2) }
end

function makers.compute(m)
  local step = m:entry("compute", kinds)
  step.fault, step.writes, step.hands = nil, some_writes(), one_in(2)
  return step
end

function makers.attach(m)
  if not m.config.attaches then return makers.kernel(m) end
  return { op = pick { "attach", "detach" }, device = m.number, slot = math.random(0, 3) }
end

local weights = words [[data data data data end end end enter enter enter exit exit exit update update host
  kernel kernel kernel compute attach]]

-- Returns a step that fits the model's present state.
function Steps.next(world)
  local config = world.config
  local number = math.random(0, config.devices - 1)
  local maker = setmetatable({ config = config, world = world, number = number,
    device = world.model.devices[number] }, Maker)
  return makers[pick(weights)](maker)
end

-- Returns the program in which the steps of a test are executed.
function Steps.program(config)
  return { scenario = { rules = config.rules, devices = config.devices },
    declarations = directory_world.declarations(config), steps = { config.device_bytes and { kind = "script",
      text = ("-- device memory: %d bytes"):format(config.device_bytes) } } }
end

return Steps
