-- Random data environments under the profile `directory`, nested and dynamic ones. The model of Figures 2 and 3 is
-- compared after each step: outcome, presence, counters, lists, moved bytes, and each byte on both sides. A
-- difference is reported with the shortest steps found. ACCDEEP_SEED and ACCDEEP_ROUNDS select other runs.

scenario { title = "random data environments against Figures 2 and 3", cites = { "DIR-4.2-18" } }

package.path = "tests/random/?.lua;" .. package.path

local engine = require "engine"
local directory_model = require "directory_model"
local directory_steps = require "directory_steps"
local directory_world = require "directory_world"

-- ------------------------------------------------------------------------- the model by itself --

local function claim(kind, base, first, n)
  return { kind = kind, base = base, low = base + first, high = base + first + n, name = "",
    call = function() return "" end }
end

-- Returns the tuples of the innermost level; with `floor`, those of the floor above it.
local function tuples_of(device, floor)
  local list, layer = {}, device.layers[#device.layers - (floor and 0 or 1)]
  for i, t in ipairs(layer.tuples) do list[i] = ("%s %d..%d"):format(t.state, t.low, t.high) end
  return list
end

local function filled(low, high)
  local host = {}
  for at = low, high - 1 do host[at] = at % 251 end
  return host
end

-- Figure 1: a at 1000, b at 2000, c = a + 25.
local function figure_1()
  local host = filled(1000, 3000)
  local model = directory_model.new { host = host }
  local device = model.devices[0]
  local errors, moved = device:open { claim("copyin", 2000, 0, 20), claim("copyin", 1000, 0, 20),
    claim("copyout", 1000, 0, 20) }
  expect.equal(errors, nil)
  expect.equal(moved, { h2d = 40, d2h = 0, d2d = 0 })
  device:write(1000, 77)
  errors, moved = device:open { claim("copyin", 1000, 50, 20), claim("copyin", 1025, 0, 20) }
  expect.equal(errors, nil)
  expect.equal(moved, { h2d = 40, d2h = 0, d2d = 20 })
  expect.equal(tuples_of(device), { "ALLOC 1000..1070", "ALIAS 2000..2020" })
  expect.equal({ device:value(1000), device:value(1025), device:value(1022) }, { 77, 1025 % 251 })
  device:write(1001, 78)
  errors, moved = device:close()
  expect.equal(errors, nil)
  expect.equal(moved, { h2d = 0, d2h = 0, d2d = 20 })
  expect.equal(tuples_of(device), { "ALLOC 1000..1020", "ALLOC 2000..2020" })
  errors, moved = device:close()
  expect.equal(errors, nil)
  expect.equal(moved, { h2d = 0, d2h = 20, d2d = 0 })
  expect.equal({ host[1000], host[1001], host[1025] }, { 77, 78, 1025 % 251 })
  expect.equal(next(device:close()), "region-nesting")
end

-- AMB-DIR-05: two examples in which bases must be fused before ranges, in any order of clauses.
local function witnesses()
  for _, order in ipairs { { 1, 2, 3 }, { 3, 2, 1 }, { 2, 3, 1 }, { 2, 1, 3 }, { 1, 3, 2 }, { 3, 1, 2 } } do
    local device = directory_model.new { host = filled(1000, 3000) }.devices[0]
    device:open { claim("copyin", 1000, 0, 20) }
    local clauses = { claim("copyin", 1000, 50, 20), claim("copyin", 1025, 0, 20),
      claim("copyin", 1025, 1000, 10) }
    local permuted = {}
    for i, k in ipairs(order) do permuted[i] = clauses[k] end
    device:open(permuted)
    expect.equal(tuples_of(device), { "ALLOC 1000..2035" })
  end
  local device = directory_model.new { host = filled(1000, 3000) }.devices[0]
  device:open { claim("create", 1000, 0, 10) }
  device:open { claim("create", 1010, 0, 10) } -- AMB-DIR-13
  expect.equal(tuples_of(device), { "ALIAS 1000..1010", "ALLOC 1010..1020" })
end

-- A hole is not present; data placed in it need no memory (AMB-DIR-10).
local function hole()
  local host = filled(1000, 1100)
  local device = directory_model.new { host = host }.devices[0]
  device:enter { claim("copyin", 1000, 0, 20) }
  device:enter { claim("copyin", 1000, 50, 20) }
  local errors, moved = device:open { claim("pcopy", 1030, 0, 5) }
  expect.equal(errors, nil)
  expect.equal(moved, { h2d = 5, d2h = 0, d2d = 0 })
  expect.equal(tuples_of(device), { "ALIAS 1000..1070" })
  device:write(1030, 9)
  errors, moved = device:close()
  expect.equal({ errors, moved.d2h, moved.d2d, host[1030] }, { nil, 5, 0, 9 })
  expect.equal(next(device:exit { claim("delete", 1000, 0, 70) }), "partially-present")
  expect.equal(next(device:exit { claim("delete", 1000, 0, 10) }), "not-present")
end

figure_1()
witnesses()
hole()

local test = { rounds = 300, steps = 40, config = function() return directory_steps.config() end,
  world = directory_world.new, next = directory_steps.next, program = directory_steps.program,
  written = directory_world.written, lists = { "clauses", "writes" }, options = { "fault" } }

-- ----------------------------------------------------------------------------------- clause order --

-- True if the clauses of a step may be permuted. If exit data closes one of two enter data of one interval, it closes
-- the later one, so the order must be kept.
local function may_be_permuted(step)
  local seen = {}
  for _, c in ipairs(step.op == "enter" and step.clauses or {}) do
    local key = ("%s %d %d"):format(c.array, c.low, c.high)
    if seen[key] then return false end
    seen[key] = true
  end
  return true
end

-- Returns the steps with the clauses of each in another order.
local function permuted(steps)
  local list = {}
  for i, step in ipairs(steps) do
    list[i] = step
    if step.clauses and may_be_permuted(step) then
      local clauses = table.move(step.clauses, 1, #step.clauses, 1, {})
      for k = #clauses, 2, -1 do
        local other = math.random(k)
        clauses[k], clauses[other] = clauses[other], clauses[k]
      end
      list = engine.changed(list, i, "clauses", clauses)
    end
  end
  return list
end

-- Checks that the order of clauses does not matter (DIR-4.2-18).
function test.finished(number, config, steps, world)
  if number % 4 ~= 0 or config.device_bytes then return end
  local summary, other = world:summary(), permuted(steps)
  local difference, found = engine.replay(test, config, other, directory_world.summary)
  if difference then engine.complain(test, number, config, other, difference) end
  for at in summary:gmatch "[^\n]+" do
    if not found:find(at, 1, true) then
      error(("seed %d: another order of clauses ends otherwise: %s\n  %s\n\n  %s"):format(number, at,
        engine.scenario(test, config, steps), engine.scenario(test, config, other)), 0)
    end
  end
end

engine.run(test)

local function entered()
  local config = directory_steps.config()
  config.rules, config.device_bytes = "directory", nil
  local world = directory_world.new(config)
  world:step { op = "enter", device = 0, clauses = { { kind = "copyin", array = "A", name = "A", low = 3, high = 9 } } }
  return world
end

local function device(world) return world.model.devices[0] end

engine.notices(entered, { op = "kernel", device = 0, writes = {} }, {
  function(world) device(world).objects[1].high = device(world).objects[1].high - 1 end,
  function(world) device(world).objects[1].holders = {} end,
  function(world) device(world):top().originals[1].pieces[1].kind = "pcopyin" end,
  function(world) device(world):top().tuples[1].state = "ALIAS" end,
  function(world) device(world):write(world.base.A + 4, -1) end,
  function(world) world.host[world.base.A] = -1 end,
  function(world) device(world).attached[world.base.V] = { count = 1, target = world.base.A + 3 } end,
})
