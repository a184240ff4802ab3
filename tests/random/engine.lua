-- engine.lua - runs random steps in a world, which consists of a session and a model, and compares the two after each
-- step.
--
-- A step is a table that describes one operation completely. Steps can therefore be replayed in another world and
-- shortened: a difference is reported with the shortest steps found, as a scenario. ACCDEEP_SEED and ACCDEEP_ROUNDS
-- select other runs.
--
-- Fields of a test. rounds, steps: numbers of rounds, and of steps in each. config(number): returns the data from
-- which a world is made. world(config): returns a world with step(world, step) and close(world). next(world, steps):
-- returns a step that fits. program(config): returns the program in which the steps are executed (scenario_writer.lua).
-- written(config, step): returns the step as a list of steps of that program (accdeep.steps). lists: names of lists in
-- steps that can be shortened. options: names of fields that steps can lack. finished(number, config, steps, world):
-- optional. good: the least share of constructs that succeed.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local runner = require "accdeep.steps.runner"
local scenario_writer = require "accdeep.steps.scenario_writer"
local shortest = require "accdeep.steps.shrink".shortest

local engine = { seed = tonumber(os.getenv "ACCDEEP_SEED") or 1, device = os.getenv "ACCDEEP_TEST_DEVICE" }

function engine.pick(list) return list[math.random(#list)] end
function engine.one_in(n) return math.random(n) == 1 end

-- ---------------------------------------------------------------------------------------- one world --

local sizes = { [core.scalar.u8] = 1, [core.scalar.i32] = 4, [core.scalar.pointer] = 8 }

-- Base class of worlds. Fields: runner, session; model; host, values by address, shared with the model; cells, the
-- addresses that are compared; types, the type at each.
local World = {}
World.__index = World
engine.World = World

-- Returns a class of worlds. class.operations: functions by the op of a step.
function engine.worlds()
  local class = setmetatable({ operations = {} }, World)
  class.__index = class
  return class
end

-- Opens the session of a new world.
function World:start(options, declarations)
  options.device = engine.device
  self.runner = runner.open(options, declarations)
  self.session = self.runner.session
end

function World.complain(_, ...) error({ difference = string.format(...) }, 0) end

function World:add_cells(at, type, n)
  for k = 0, (n or 1) - 1 do
    local here = at + k * sizes[type]
    self.cells[#self.cells + 1], self.types[here] = here, type
  end
end

function World:set_host(at, value)
  self.session.ctx:host_write(at, self.types[at], value)
  self.host[at] = value
end

function World:step(step)
  self.operations[step.op](self, step)
  self:compare()
end

function World:close() self.session:close() end

-- Returns the host memory that a failed construct must not change, as a text; nil if `compare` detects changes.
function World.host_bytes() return nil end

-- Runs a construct. Returns its error or nil, and its result. Complains if a failed construct changed the state or
-- the host.
function World:try(run)
  local digest, host = self.session.ctx:digest(), self:host_bytes()
  local ok, result = pcall(run)
  if ok then return nil, result end
  if type(result) == "table" and result.difference then error(result, 0) end
  if not diagnostic.is(result) then self:complain("a plain error: %s", tostring(result)) end
  if self.session.ctx:digest() ~= digest then self:complain("%s, but the state changed", result.message) end
  if self:host_bytes() ~= host then self:complain("%s, but the host changed", result.message) end
  return result
end

-- Compares the outcome with the model's. errors: the set of codes of which the session may report any; nil: success.
function World:agree(err, errors)
  self.outcome = err and err.code or "success"
  if errors and not err then self:complain("no error, the model has %s", next(errors)) end
  if err and not (errors and errors[err.code]) then
    self:complain("%s: %s, the model has %s", err.code, err.message, errors and next(errors) or "no error")
  end
end

-- Runs a construct and compares its outcome. Returns true if it succeeded, and its result.
function World:both(run, errors)
  local err, result = self:try(run)
  self:agree(err, errors)
  return not err, result
end

-- Executes a step of accdeep.steps and compares its outcome. Returns true if it succeeded.
function World:run_step(step, errors)
  return (self:both(function() self.runner:run(step) end, errors))
end

-- --------------------------------------------------------------------------------------- comparing --

-- Returns an address as a variable and an offset.
function World:where(at)
  for name, v in pairs(self.session.now.scope.variables) do
    if v.address and v.address <= at and at < v.address + v.type.size then
      return ("%s+%d"):format(name, at - v.address)
    end
  end
  return ("%x"):format(at)
end

-- Compares the present objects of a device. counted(object of the model): returns its structured and dynamic
-- references; or only their sum; or nothing to skip them. Returns the present objects by their first address.
function World:compare_objects(number, objects, counted)
  local present, n = {}, 0
  for _, found in ipairs(self.session.ctx:present(number)) do present[found.host], n = found, n + 1 end
  for _, o in ipairs(objects) do
    local found = present[o.low]
    if not found then self:complain("%s is present in the model", self:where(o.low)) end
    if o.high ~= found.host + found.bytes then
      self:complain("%s is present with %d bytes, in the model with %d", found.name, found.bytes, o.high - o.low)
    end
    local structured, dynamic = counted(o)
    local sum = found.structured + found.dynamic
    if dynamic and (structured ~= found.structured or dynamic ~= found.dynamic) then
      self:complain("%s counts %d and %d, in the model %d and %d", found.name, found.structured, found.dynamic,
        structured, dynamic)
    elseif structured and not dynamic and structured ~= sum then
      self:complain("%s has %d references, in the model %d", found.name, sum, structured)
    end
  end
  if n > #objects then self:complain("%d objects are present, in the model %d", n, #objects) end
  return present
end

-- Compares values on a device. value(address): returns true if the cell is present, its value (nil: never written),
-- and true if the value is compared.
function World:compare_values(number, value)
  local ctx = self.session.ctx
  for _, at in ipairs(self.cells) do
    local type = self.types[at]
    local size = sizes[type]
    local there = ctx:presence(number, at, size) == "wholly"
    local wanted_there, wanted, compared = value(at)
    if there ~= wanted_there then
      self:complain("%s is %s, in the model it is %s", self:where(at), there and "present" or "absent",
        wanted_there and "present" or "absent")
    end
    if there and compared then
      local dev = ctx:deviceptr(number, at)
      local found = ctx:device_written(number, dev, size) == size and ctx:device_read(number, dev, type) or nil
      if found ~= wanted then
        self:complain("%s is %s on the device, in the model %s", self:where(at), tostring(found), tostring(wanted))
      end
    end
  end
end

-- Compares attached pointers and their targets. attached: by slot {count, target, pointer}. count: attach counter, or
-- nil. target: an address in the target, or nil if dangling. pointer: the host's value at the attachment, or nil for
-- the present one.
function World:compare_attached(number, attached)
  local ctx, seen = self.session.ctx, {}
  for _, found in ipairs(ctx:attachments(number)) do
    local a = attached[found.slot]
    seen[found.slot] = true
    if not a then self:complain("%s is attached", found.name) end
    if a.count and a.count ~= found.count then
      self:complain("%s is attached %d times, in the model %d", found.name, found.count, a.count)
    end
  end
  for slot, a in pairs(attached) do
    if not seen[slot] then self:complain("%s is not attached", self:where(slot)) end
    local pointer = a.pointer or ctx:host_read(slot, core.scalar.pointer)
    local found = ctx:device_read(number, ctx:deviceptr(number, slot), core.scalar.pointer)
    if a.target and found ~= ctx:deviceptr(number, a.target) + pointer - a.target then
      self:complain("%s does not point to %s", self:where(slot), self:where(pointer))
    end
  end
end

-- Compares host memory. Values that the model does not know are adopted.
function World:compare_host()
  local wrong = self.session.ctx:check()
  if wrong then self:complain("%s", wrong) end
  for _, at in ipairs(self.cells) do
    local value = self.session.ctx:host_read(at, self.types[at])
    if self.host[at] == nil then self.host[at] = value end
    if self.host[at] ~= value then
      self:complain("%s is %d on the host, in the model %d", self:where(at), value, self.host[at])
    end
  end
end

-- ------------------------------------------------------------------------------------------ running --

local function failure(fn, ...)
  local ok, err = pcall(fn, ...)
  if ok then return nil end
  return type(err) == "table" and (err.difference or err.message) or tostring(err)
end

-- Returns the difference that a step causes, or nil.
function engine.wrong(world, step) return failure(world.step, world, step) end

-- Replays steps in a new world. Returns the first difference; or nil and the result of look(world) at the end.
function engine.replay(test, config, steps, look)
  local world = test.world(config)
  local difference
  for _, step in ipairs(steps) do
    difference = engine.wrong(world, step)
    if difference then break end
  end
  local seen = not difference and look and look(world)
  local broken = failure(world.close, world)
  return difference or broken, seen
end

-- Returns the steps with one field of one step changed.
function engine.changed(steps, i, key, value)
  local copy, step = table.move(steps, 1, #steps, 1, {}), {}
  for k, v in pairs(steps[i]) do step[k] = v end
  step[key] = value
  copy[i] = step
  return copy
end

local function shortened(test, config, steps)
  local function fails(some) return engine.replay(test, config, some) ~= nil end
  steps = shortest(steps, fails)
  for i = 1, #steps do
    for _, key in ipairs(test.options or {}) do
      local other = engine.changed(steps, i, key, nil)
      if fails(other) then steps = other end
    end
    for _, key in ipairs(test.lists or {}) do
      local short = steps[i][key] and shortest(steps[i][key], function(rest)
        return #rest > 0 and fails(engine.changed(steps, i, key, rest))
      end)
      steps = engine.changed(steps, i, key, short)
    end
  end
  return shortest(steps, fails)
end

-- Returns steps as a scenario.
function engine.scenario(test, config, steps)
  local program = test.program(config)
  program.steps = program.steps or {}
  for _, step in ipairs(steps) do
    for _, one in ipairs(test.written(config, step)) do table.insert(program.steps, one) end
  end
  return scenario_writer.write(program)
end

-- Raises an error with the shortest failing steps.
function engine.complain(test, number, config, steps, difference)
  local short = shortened(test, config, steps)
  error(("seed %d: %s\n%s"):format(number, engine.replay(test, config, short) or "only once: " .. difference,
    engine.scenario(test, config, short)), 0)
end

function engine.run(test)
  local outcomes, count = {}, 0
  local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or test.rounds
  for number = engine.seed, engine.seed + rounds - 1 do
    math.randomseed(number)
    local config = test.config(number)
    local world, steps = test.world(config), {}
    for i = 1, test.steps do
      steps[i] = test.next(world, steps)
      world.outcome = nil
      local difference = engine.wrong(world, steps[i])
      if difference then engine.complain(test, number, config, steps, difference) end
      if world.outcome then
        count = count + 1
        outcomes[world.outcome] = (outcomes[world.outcome] or 0) + 1
      end
    end
    if test.finished then test.finished(number, config, steps, world) end
    local broken = failure(world.close, world)
    if broken then engine.complain(test, number, config, steps, broken) end
  end
  if os.getenv "ACCDEEP_VERBOSE" then
    for code, n in pairs(outcomes) do print(("%6d %4.1f %% %s"):format(n, 100 * n / count, code)) end
  end
  if rounds >= 100 and count > 0 then
    assert((outcomes.success or 0) > (test.good or 0.4) * count, "too few constructs succeed")
  end
end

-- Checks that the comparison notices wrong models. make(): returns a correct world. step: a step without effect.
-- spoils: functions that falsify the model.
function engine.notices(make, step, spoils)
  for i, spoil in ipairs(spoils) do
    math.randomseed(engine.seed)
    local world = make()
    spoil(world)
    assert(engine.wrong(world, step), ("wrong model %d is not noticed"):format(i))
    world:close()
  end
end

return engine
