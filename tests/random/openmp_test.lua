-- Random OpenMP directives, data environments and target constructs, compared with the literal model of the map
-- rules after every step: outcome, presence, references, attached pointers, and every byte on both sides.
-- ACCDEEP_SEED and ACCDEEP_ROUNDS choose others. A difference is told with the shortest steps found.

scenario { title = "random OpenMP directives against the map rules", cites = { "OMPEX-struct_map-8" } }

package.path = "tests/random/?.lua;" .. package.path

local shrink = require "shrink"
local Steps = require "openmp_steps"
local World = require "openmp_world"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 300
local STEPS = 30

local outcomes, count = {}, 0

-- Why a step is wrong, nil: it is not.
local function wrong(world, step)
  world.outcome = nil
  local ok, err = pcall(world.step, world, step)
  if world.outcome then
    count = count + 1
    outcomes[world.outcome] = (outcomes[world.outcome] or 0) + 1
  end
  if ok then return nil end
  return type(err) == "table" and (err.difference or err.message) or tostring(err)
end

-- What goes wrong when the steps are run in a world of their own.
local function replay(config, steps)
  local world = World.new(config)
  local difference
  for _, step in ipairs(steps) do
    difference = wrong(world, step)
    if difference then break end
  end
  world:close()
  return difference
end

local function complain(number, config, steps, difference)
  local short = shrink.steps(steps, { "clauses", "body" }, function(some) return replay(config, some) ~= nil end)
  error(("seed %d: %s\n  %s"):format(number, replay(config, short) or "only once: " .. difference,
    Steps.scenario(config, short)), 0)
end

local function round_of(number)
  math.randomseed(number)
  local config = Steps.config()
  local world, steps = World.new(config), {}
  for i = 1, STEPS do
    steps[i] = Steps.next(world, steps)
    local difference = wrong(world, steps[i])
    if difference then complain(number, config, steps, difference) end
  end
  world:close()
end

for number = seed, seed + rounds - 1 do round_of(number) end
if rounds >= 100 then expect((outcomes.success or 0) * 2 > count, "too few directives succeed") end

-- What goes wrong is told: a model that forgets, or moves too much, is found out.
local function is_noticed(spoil)
  math.randomseed(seed)
  local config = Steps.config(1)
  local world = World.new(config)
  world:step { op = "host", path = { name = "u" }, value = { array = "A", index = 0 } }
  local clauses = { { type = "to", path = { name = "A", first = 0, length = 8 } },
    { type = "to", path = { name = "u" } }, { type = "alloc", path = { name = "u", first = 0, length = 0 } } }
  assert(not wrong(world, { op = "enter", clauses = clauses }))
  local object = world.model:holder(world.base.A)
  spoil(world, object)
  local noticed = wrong(world, { op = "update", clauses = { { type = "to", path = { name = "x" } } } })
  world:close()
  return noticed
end

for _, spoil in ipairs {
  function(_, object) object.count = 2 end,
  function(_, object) object.high = object.high - 4 end,
  function(world, object) object.has[world.base.A + 4] = nil end,
  function(world, object) object.data[world.base.A] = -1 end,
  function(world) world.host[world.base.x] = -1 end,
  function(world) world.model.attached[world.base.u] = nil end,
  function(world) world.model.attached[world.base.u].pointer = world.base.A + 4 end,
  function(world) table.remove(world.model.objects) end,
} do
  expect(is_noticed(spoil), "a wrong model is noticed")
end

if os.getenv "ACCDEEP_VERBOSE" then
  for code, n in pairs(outcomes) do print(code, n, ("%.1f %%"):format(100 * n / count)) end
end
