-- Random references that are removed without the clause that added them: by OpenMP exits, by finalize, and by exit
-- data of data that no enter data opened. Under the profile `directory`, data can then be unmapped while clauses that
-- named them are open. Bytes come from the host only and never change. Present data must have the host's values after
-- each step, and at the end nothing may be present. ACCDEEP_SEED and ACCDEEP_ROUNDS select other runs.

scenario { title = "random references that are taken off without their clauses", cites = { "DIR-6-05" } }

package.path = "tests/random/?.lua;" .. package.path

local core = require "accdeep.core"
local engine = require "engine"
local words = require "accdeep.base.strings".word_list

local SIZE = 16
local pick, one_in = engine.pick, engine.one_in

local profiles = {
  { base = "directory", partial_overlap = "present_and_copyin" },
  { base = "directory", partial_overlap = "update_and_copy", exit_unowned = "ignore" },
  { base = "directory", exit_unowned = "ignore" },
  { base = "directory", partial_overlap = "present_and_copyin", counting = "constructs" },
  { base = "directory", partial_overlap = "present_and_copyin", fusion = false },
}

local World = engine.worlds()

local function new_world(config)
  local w = setmetatable({ config = config, host = {}, cells = {}, types = {} }, World)
  w:start({ rules = config.rules }, ("char A[%d]; char *p;"):format(SIZE))
  local at = w.session.now.scope.variables
  w.base = at.A.address
  w:add_cells(w.base, core.scalar.u8, SIZE)
  for i = 0, SIZE - 1 do w:set_host(w.base + i, i + 1) end
  w.session.ctx:host_write(at.p.address, core.scalar.pointer, w.base + config.offset)
  return w
end

function World:compare()
  local ctx = self.session.ctx
  self:compare_host()
  self:compare_values(0, function(at) return ctx:presence(0, at, 1) == "wholly", self.host[at], true end)
end

local function written(config, step)
  if step.op == "end" then return { { kind = "end" } } end
  local from = step.name == "p" and config.offset or 0
  return { { kind = step.op,
    text = (step.text:gsub("@", ("%s[%d:%d]"):format(step.name, step.low - from, step.n))) } }
end

function World.operations.acc(w, step)
  local err = w:try(function() w.runner:run_all(written(w.config, step)) end)
  w.outcome = err and err.code or "success"
end
World.operations.omp = World.operations.acc

World.operations["end"] = function(w)
  local region = table.remove(w.runner.open)
  if region then w:try(function() region.region:close() end) end
end

-- Unmaps all data: first regions, then data of enter data.
function World:close()
  while #self.runner.open > 0 do self:step { op = "end" } end
  for _, object in ipairs(self.session.ctx:present(0)) do
    self:step { op = "omp", text = "target exit data map(delete: @)", name = "A", low = object.host - self.base,
      n = object.bytes }
  end
  if self.session.ctx:stats(0).live_bytes ~= 0 then self:complain("device memory is left") end
  self.session:close()
end

local texts = {
  data = { "data copyin(@)", "data copyin(@)", "data copy(@)", "data present_and_copyin(@)" },
  acc = { "enter data copyin(@)", "enter data copyin(@)", "enter data pcopyin(@)", "exit data delete(@)",
    "exit data copyout(@)", "exit data delete(@) finalize" },
  omp = { "target enter data map(to: @)", "target enter data map(to: @)", "target exit data map(release: @)",
    "target exit data map(from: @)", "target exit data map(delete: @)" },
}

local function next_step(world)
  local op = pick(words "data acc acc acc omp omp omp end")
  if op == "end" or op == "data" and #world.runner.open > 4 then return { op = "end" } end
  local name = pick { "A", "A", "p" }
  local low = math.random(name == "p" and world.config.offset or 0, SIZE - 1)
  local n = math.random(1, one_in(3) and SIZE - low or math.min(6, SIZE - low))
  return { op = op == "data" and "acc" or op, text = pick(texts[op]), name = name, low = low, n = n }
end

local function program_of(config)
  return { scenario = { rules = config.rules },
    declarations = ("char A[%d]; char *p = A + %d;"):format(SIZE, config.offset) }
end

engine.run { rounds = 300, steps = 40, world = new_world, next = next_step, program = program_of,
  written = written, good = 0.2,
  config = function() return { rules = pick(profiles), offset = math.random(0, SIZE // 2) } end }
