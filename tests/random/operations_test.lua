-- Random sequences of directives, with sections in groups or one by one. The model is compared after each step:
-- outcome, presence, counters, attachments, and each byte on both sides.

scenario { title = "random operations against the model", cites = { "TR14-4.2-06" } }

package.path = "tests/random/?.lua;" .. package.path

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local engine = require "engine"
local operations_model = require "operations_model"
local words = require "accdeep.base.strings".word_list

local pick, one_in = engine.pick, engine.one_in

local LEAF = [[
struct leaf { int n; int *p;
  #pragma acc shape init_needed(n) include(p[0:n])
};
]]

local INT, POINTER = core.scalar.i32, core.scalar.pointer
local ARRAYS = { A = 8, B = 12, T0 = 6, T1 = 6, T2 = 6 }
local names = { "A", "B", "T0", "T1", "T2" }

-- ------------------------------------------------------------------------------------- one world --

local World = engine.worlds()

-- Returns a configuration. Elements of S point to T0..T2 or are null; some share a target, some are empty.
local function config(number)
  local c = { group_least = number % 2 == 0 and 1 or 1000, values = {}, elements = {} }
  for i = 1, 40 do c.values[i] = math.random(1, 1000) end
  for i = 0, 3 do
    local target = math.random(0, 3)
    c.elements[i] = { n = target == 3 and 0 or math.random(0, 6), to = target < 3 and "T" .. target or nil }
  end
  return c
end

-- Returns the declarations of a configuration, with values.
local function declarations(c)
  local parts, at = { LEAF }, 0
  for _, name in ipairs(names) do
    parts[#parts + 1] = ("int %s[] = { %s };\n"):format(name, table.concat(c.values, ", ", at + 1, at + ARRAYS[name]))
    at = at + ARRAYS[name]
  end
  local elements = {}
  for i = 0, 3 do elements[i + 1] = ("{ %d, %s }"):format(c.elements[i].n, c.elements[i].to or "0") end
  return table.concat(parts) .. ("struct leaf S[] = { %s };"):format(table.concat(elements, ", "))
end

local function new(c)
  local w = setmetatable({ config = c, cells = {}, types = {}, host = {}, open = {}, elements = {} }, World)
  w:start({ group_least = c.group_least }, declarations(c))
  w.variables = w.session.now.scope.variables
  for _, name in ipairs(names) do w:add_cells(w.variables[name].address, INT, ARRAYS[name]) end
  for i = 0, 3 do
    local at, e = w.variables.S.address + 16 * i, c.elements[i]
    w.elements[i] = { at = at, n = e.n, target = e.to and w.variables[e.to].address or 0 }
    w:add_cells(at, INT)
  end
  w:compare_host()
  w.model = operations_model.new(w.host)
  return w
end

function World:compare()
  local model = self.model
  self:compare_objects(0, model.objects, function(o) return o.structured, o.dynamic end)
  self:compare_values(0, function(at)
    local o = model:find(at, at + 4)
    return o ~= nil, o and o.data[at], true
  end)
  self:compare_attached(0, model.attached)
  self:compare_host()
  for i = 0, 3 do
    local e = self.elements[i]
    if self.session.ctx:host_read(e.at + 8, POINTER) ~= e.target then self:complain "a host pointer was overwritten" end
  end
end

-- ------------------------------------------------------------------------------------------- steps --

-- Returns a clause: {action, name = an array, first, n}.
local function clause(action)
  local name = pick { "A", "B", "S" }
  local n = name == "S" and 4 or ARRAYS[name]
  local c = { action = action, name = name, first = math.random(0, n - 1) }
  c.n = math.random(1, n - c.first)
  if one_in(name == "S" and 2 or 3) then c.first, c.n = 0, n end
  return c
end

-- Returns clauses. apart: of different variables.
local function clauses(actions, apart)
  local list, used = {}, {}
  for _ = 1, math.random(1, 2) do
    local c = clause(pick(actions))
    if not (apart and used[c.name]) then list[#list + 1] = c end
    used[c.name] = true
  end
  return list
end

local names_of = { open = "data", enter = "enter data", exit = "exit data", update = "update" }

-- Returns a step that is a directive or a region's end.
local function directive(step)
  if step.op == "close" then return { kind = "end" } end
  local parts = { names_of[step.op] }
  for _, c in ipairs(step.clauses) do parts[#parts + 1] = ("%s(%s[%d:%d])"):format(c.action, c.name, c.first, c.n) end
  if step.finalize then parts[#parts + 1] = "finalize" end
  if step.if_present then parts[#parts + 1] = "if_present" end
  return { kind = "acc", text = table.concat(parts, " ") }
end

-- Returns the model's claims for the clauses of a step.
function World:claims(step)
  local list = {}
  for _, c in ipairs(step.clauses) do
    local unit = c.name == "S" and 16 or 4
    local low = self.variables[c.name].address + unit * c.first
    local claim = { low = low, high = low + unit * c.n, action = c.action, init = {} }
    list[#list + 1] = claim
    for i = c.first, c.name == "S" and c.first + c.n - 1 or -1 do
      local e = self.elements[i]
      claim.init[e.at] = true
      if e.n > 0 and e.target ~= 0 then
        list[#list + 1] = { low = e.target, high = e.target + 4 * e.n, action = c.action, slot = e.at + 8 }
      end
    end
  end
  return list
end

function World:construct(step, errors) return self:run_step(directive(step), errors) end

local operations = World.operations

function operations.open(w, step)
  local claims = w:claims(step)
  local errors, objects = w.model:enter(claims, "structured")
  if w:construct(step, errors) then table.insert(w.open, { claims = claims, objects = objects }) end
end

function operations.close(w, step)
  local top = w.open[#w.open]
  if not top then return end
  local errors = w.model:leave(top.claims, "structured", top.objects)
  if w:construct(step, errors) then table.remove(w.open) end
end

function operations.enter(w, step)
  local errors = w.model:enter(w:claims(step), "dynamic")
  w:construct(step, errors)
end

function operations.exit(w, step)
  if step.finalize and #w.open > 0 then return end
  w:construct(step, w.model:leave(w:claims(step), "dynamic", nil, step.finalize))
end

function operations.update(w, step)
  local out = step.clauses[1].action == "self"
  w:construct(step, w.model:update(w:claims(step), out, step.if_present))
end

-- Writes one int, in a kernel or on the host.
function operations.write(w, step)
  local at = w.variables[step.name].address + 4 * step.index
  local o = step.on_device and w.model:find(at, at + 4)
  if not o then return w:set_host(at, step.value) end
  local ctx = w.session.ctx
  w:both(function()
    local ok, err = ctx:device_write(0, ctx:deviceptr(0, at), INT, step.value)
    if not ok then error(diagnostic.new(err), 0) end
  end)
  o.data[at] = step.value
end

local makers = {}
function makers.open(w)
  return { clauses = clauses(words "copy copyin copyout create no_create present") }, #w.open < 4
end
function makers.close() return {} end
function makers.enter() return { clauses = clauses { "copyin", "create" } } end
function makers.exit(w)
  return { clauses = clauses({ "copyout", "delete" }, true), finalize = #w.open == 0 and one_in(4) or nil }
end
function makers.update() return { clauses = { clause(pick { "self", "device" }) }, if_present = one_in(3) or nil } end
function makers.write()
  local name = pick(names)
  return { name = name, index = math.random(0, ARRAYS[name] - 1), value = math.random(1, 1000), on_device = one_in(2) }
end

local weights = words "open close close enter exit exit update write write"

local function next_step(w)
  local op = pick(weights)
  local step, fits = makers[op](w)
  step.op = fits == false and "close" or op
  return step
end

-- ----------------------------------------------------------------------------------------- as text --

local function program_of(c) return { declarations = declarations(c) } end

local function written(_, step)
  if step.op ~= "write" then return { directive(step) } end
  return { { kind = "script", text = ("host.%s[%d] = %d%s"):format(step.name, step.index, step.value,
    step.on_device and " -- in a kernel, if it is present" or "") } }
end

engine.run { rounds = 600, steps = 40, config = config, world = new, next = next_step, program = program_of,
  written = written, lists = { "clauses" }, options = { "finalize", "if_present" } }

local function entered()
  local w = new(config(0))
  w:step { op = "enter", clauses = { { action = "copyin", name = "A", first = 1, n = 4 } } }
  return w
end

engine.notices(entered, { op = "close" }, {
  function(w) w.model.objects[1].dynamic = 2 end,
  function(w) w.model.objects[1].high = w.model.objects[1].high - 4 end,
  function(w) w.model.objects[1].data[w.variables.A.address + 4] = -1 end,
  function(w) table.remove(w.model.objects) end,
  function(w) w.host[w.variables.B.address] = -1 end,
  function(w) w.model.attached[w.elements[0].at + 8] = { count = 1, target = w.variables.A.address + 4 } end,
})
