-- Random OpenMP directives, data environments and target constructs. The model of the map rules is compared after
-- each step: outcome, presence, references, attached pointers, and each byte on both sides. A difference is reported
-- with the shortest steps found. ACCDEEP_SEED and ACCDEEP_ROUNDS select other runs.

scenario { title = "random OpenMP directives against the map rules", cites = { "OMPEX-struct_map-8" } }

package.path = "tests/random/?.lua;" .. package.path

local engine = require "engine"
local openmp_steps = require "openmp_steps"
local openmp_world = require "openmp_world"

engine.run { rounds = 300, steps = 30, config = function() return openmp_steps.config() end, world = openmp_world.new,
  next = openmp_steps.next, program = openmp_steps.program, written = openmp_world.written,
  lists = { "clauses", "body" }, good = 0.5 }

local function entered()
  local world = openmp_world.new(openmp_steps.config(1))
  world:step { op = "host", path = { name = "u" }, value = { array = "A", index = 0 } }
  world:step { op = "enter", clauses = { { type = "to", path = { name = "A", first = 0, length = 8 } },
    { type = "to", path = { name = "u" } }, { type = "alloc", path = { name = "u", first = 0, length = 0 } } } }
  return world
end

local function object(world) return world.model:holder(world.base.A) end

engine.notices(entered, { op = "update", clauses = { { type = "to", path = { name = "x" } } } }, {
  function(world) object(world).count = 2 end,
  function(world) object(world).high = object(world).high - 4 end,
  function(world) object(world).has[world.base.A + 4] = nil end,
  function(world) object(world).data[world.base.A] = -1 end,
  function(world) world.host[world.base.x] = -1 end,
  function(world) world.model.attached[world.base.u] = nil end,
  function(world) world.model.attached[world.base.u].pointer = world.base.A + 4 end,
  function(world) table.remove(world.model.objects) end,
})
