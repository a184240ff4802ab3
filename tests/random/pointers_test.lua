-- Random attach, detach, copies, exits and regions for two pointers of one structure, under the profiles that treat
-- them differently. A simple model in this file is compared after each step. ACCDEEP_SEED and ACCDEEP_ROUNDS select
-- other runs.

scenario { title = "random pointers under the profiles", cites = { "ACC33-att-3" } }

package.path = "tests/random/?.lua;" .. package.path

local core = require "accdeep.core"
local engine = require "engine"
local words = require "accdeep.base.strings".word_list

local POINTER = core.scalar.pointer
local SLOTS = { "p", "q" }

local pick, one_in = engine.pick, engine.one_in

-- ------------------------------------------------------------------------------------- the model --

-- Values of pointers are words: "A" is the host address of A, "A3" the device address of the third object made for A,
-- "null" a null pointer. present: by object {count, regions, name}: dynamic counter, structured counter, name of the
-- present object. attached: by slot {count, target}.
local Model = {}
Model.__index = Model

local function new_model(profile)
  return setmetatable({ libgomp = profile == "libgomp-12", times = 0, present = {}, attached = {}, holds = false,
    host = { p = "A", q = "B" }, device = {} }, Model)
end

-- Copies an object in. counter: "count" or "regions".
function Model:copyin(name, counter)
  counter = counter or "count"
  local object = self.present[name]
  if object then
    object[counter] = object[counter] + 1
    return
  end
  self.times = self.times + 1
  self.present[name] = { count = 0, regions = 0, name = name .. self.times }
  self.present[name][counter] = 1
  if name == "H" then self.device, self.holds = { p = self.host.p, q = self.host.q }, false end
end

-- Removes objects at once. out: the device values of H are copied to the host.
function Model:remove(names, out)
  local had = self.present.H
  for _, name in ipairs(names) do self.present[name] = nil end
  if had and not self.present.H and out then
    for _, slot in ipairs(SLOTS) do
      local kept = self.attached[slot] and not self.libgomp
      if not kept then self.host[slot] = self.device[slot] end
    end
  end
  for _, slot in ipairs(SLOTS) do
    local a = self.attached[slot]
    if a and not self.present.H then
      self.attached[slot] = nil
    elseif a and a.target and not self.present[a.target] and self.libgomp then
      a.target = nil -- dangles
    elseif a and a.target and not self.present[a.target] then
      self.attached[slot], self.device[slot] = nil, self.host[slot]
    end
  end
end

function Model:exit(names, out, finally)
  local gone = {}
  for _, name in ipairs(names) do
    local object = self.present[name]
    if object and object.count > 0 then
      object.count = finally and 0 or object.count - 1
      if object.count + object.regions == 0 then gone[#gone + 1] = name end
    end
  end
  self:remove(gone, out)
end

-- Enters a region with a clause for a pointer of H: for its section, or `attach` for the pointer. Returns the data
-- that the end of the region needs, or nil for an error.
function Model:open(clause, slot)
  local target = self.host[slot]
  local region = { slot = slot, ends = true }
  if clause == "present" and not self.present[target] then return nil end
  if clause == "no_create" and not self.present[target] then return { slot = slot } end
  if clause ~= "attach" then
    region.target = target
    self:copyin(target, "regions")
  end
  self:attach(slot)
  return region
end

function Model:close(region)
  if region.ends then self:detach(region.slot) end
  local object = self.present[region.target]
  if not object then return end
  object.regions = object.regions - 1
  if object.count + object.regions == 0 then self:remove({ region.target }, false) end
end

function Model:attach(slot)
  local a, value = self.attached[slot], self.host[slot]
  if not self.present.H then return self.libgomp and "not-present" or nil end
  if a and self.libgomp then
    a.count = a.count + 1
    return nil
  end
  if value == "null" then
    if self.libgomp then return "null-pointer" end
    self.device[slot], self.attached[slot] = "null", nil
    return nil
  end
  local target = self.present[value]
  if not target then return self.libgomp and "not-present" or nil end
  if a and a.target == value then
    a.count = a.count + 1
    return nil
  end
  self.attached[slot], self.device[slot], self.holds = { count = 1, target = value }, target.name, true
  return nil
end

function Model:detach(slot, finally)
  local a = self.attached[slot]
  if not self.present.H then return self.libgomp and "not-present" or nil end
  if not a and self.libgomp and not (finally and self.holds) then return "not-attached" end
  if not a and not self.libgomp then return nil end
  if a then a.count = finally and 0 or a.count - 1 end
  if not a or a.count == 0 then self.attached[slot], self.device[slot] = nil, self.host[slot] end
  return nil
end

function Model:update(out)
  if not self.present.H then return "not-present" end
  for _, slot in ipairs(SLOTS) do
    if self.libgomp or not self.attached[slot] then
      if out then self.host[slot] = self.device[slot] else self.device[slot] = self.host[slot] end
    end
  end
  return nil
end

-- -------------------------------------------------------------------------------------- one world --

local DECLARATIONS = "struct h { int n; int *p, *q; }; struct h H; int A[4], B[4], C[4];"

local World = engine.worlds()

local texts = { copyin = "acc_copyin", exit = "acc_%how", attach = "acc_attach", detach = "acc_detach%final",
  update = "acc_update_%side", enter_member = "enter data copyin(H.%slot[0:4])",
  exit_member = "exit data delete(H.%slot[0:4])%finalize", open = "data %clause(%part)" }

-- Returns a step as steps of the scenario.
local function written(_, step)
  if step.op == "point" then return { { kind = "host", text = ("H.%s = %s"):format(step.slot, step.to == "null" and 0
    or step.to) } } end
  if step.op == "close" then return { { kind = "end" } } end
  local text = texts[step.op]:gsub("%%(%l+)", { how = step.how, slot = step.slot, clause = step.clause,
    part = "H." .. step.slot .. (step.clause == "attach" and "" or "[0:4]"), side = step.out and "self" or "device",
    final = step.finally and "_finalize" or "", finalize = step.finally and " finalize" or "" })
  if not text:find "^acc_" then return { { kind = "acc", text = text } } end
  local is_pointer = step.op == "attach" or step.op == "detach"
  return { { kind = "routine", name = text,
    text = is_pointer and "H." .. step.slot or step.op == "update" and "H" or step.name } }
end

local function new(config)
  local w = setmetatable({ model = new_model(config.profile), address = { null = 0 }, open = {} }, World)
  w:start({ rules = config.profile }, DECLARATIONS)
  for _, name in ipairs { "H", "A", "B", "C" } do w.address[name] = w.session.now.scope.variables[name].address end
  w.slot = { p = w.address.H + 8, q = w.address.H + 16 }
  w:point("p", "A")
  w:point("q", "B")
  return w
end

function World:point(slot, word)
  self.session.ctx:host_write(self.slot[slot], POINTER, self.address[word])
  self.model.host[slot] = word
end

-- Executes a step. wanted: the model's error, or nil. Returns true if it succeeded.
function World:execute(step, wanted)
  return self:run_step(written(nil, step)[1], wanted and { [wanted] = true })
end

function World:compare()
  local ctx, model = self.session.ctx, self.model
  local wrong = ctx:check()
  if wrong then self:complain("%s", wrong) end
  for _, name in ipairs { "H", "A", "B", "C" } do
    local object, found = model.present[name], ctx:present_at(0, self.address[name], false)
    local counts = found and ("%d and %d"):format(found.dynamic, found.structured)
    local wanted = object and ("%d and %d"):format(object.count, object.regions)
    if counts ~= wanted then self:complain("%s counts %s, the model has %s", name, counts, wanted) end
    if object then self.address[object.name] = found.dev end
  end
  for _, slot in ipairs(SLOTS) do
    local a, found = model.attached[slot], ctx:attachment_at(0, self.slot[slot])
    if (found and found.count) ~= (a and a.count) then
      self:complain("%s is attached %s times, the model has %s", slot, tostring(found and found.count),
        tostring(a and a.count))
    end
    if ctx:host_read(self.slot[slot], POINTER) ~= self.address[model.host[slot]] then
      self:complain("%s is not %s on the host", slot, model.host[slot])
    end
    if model.present.H and ctx:device_read(0, ctx:deviceptr(0, self.slot[slot]), POINTER)
      ~= self.address[model.device[slot]] then
      self:complain("%s is not %s on the device", slot, model.device[slot])
    end
  end
end

-- --------------------------------------------------------------------------------------- steps --

local operations = World.operations

function operations.copyin(w, step)
  w.model:copyin(step.name)
  w:execute(step)
end

function operations.exit(w, step)
  w.model:exit({ step.name }, step.how ~= "delete", step.how:find "finalize")
  w:execute(step)
end

function operations.attach(w, step) w:execute(step, w.model:attach(step.slot)) end

function operations.detach(w, step) w:execute(step, w.model:detach(step.slot, step.finally)) end

function operations.point(w, step) w:point(step.slot, step.to) end

function operations.update(w, step) w:execute(step, w.model:update(step.out)) end

-- Returns the target of a pointer that a clause can name while the structure is present.
local function target_of(w, slot)
  local target = w.model.host[slot]
  return w.model.present.H and (target == "A" or target == "B" or target == "C") and target
end

function operations.enter_member(w, step)
  local target = target_of(w, step.slot)
  if not target then return end
  if w.model.libgomp then w.model:copyin "H" end
  w.model:copyin(target)
  w.model:attach(step.slot)
  w:execute(step)
end

-- Exits a member. With finalize, libgomp sets the attach counter to 0; the standard detaches once.
function operations.exit_member(w, step)
  local model, target = w.model, target_of(w, step.slot)
  if not target then return end
  local object, wanted = model.present[target], nil
  if model.libgomp then
    wanted = model:detach(step.slot, step.finally)
  elseif object and object.count > 0 then
    model:detach(step.slot)
  end
  if not wanted then model:exit(model.libgomp and { "H", target } or { target }, false, step.finally) end
  w:execute(step, wanted)
end

-- Opens a region of the standard. libgomp's regions also begin and end by the members that they map, so they are
-- skipped.
function operations.open(w, step)
  local target = w.model.host[step.slot]
  if w.model.libgomp or target == "null" or #w.open == 4 then return end
  local region = w.model:open(step.clause, step.slot)
  if w:execute(step, not region and "not-present" or nil) then table.insert(w.open, region) end
end

function operations.close(w, step)
  local top = table.remove(w.open)
  if not top then return end
  w.model:close(top)
  w:execute(step)
end

local ops = words [[copyin copyin exit attach attach attach detach detach point point update enter_member enter_member
  exit_member exit_member open open close close]]

-- Returns a step. It has more fields than its operation uses.
local function next_step()
  local op = pick(ops)
  return { op = op, slot = pick(SLOTS), name = pick(words(op == "copyin" and "H H A B C" or "H A B C")),
    how = pick { "copyout", "delete", "copyout_finalize" }, finally = one_in(4), out = one_in(2),
    clause = pick(words "copy copyin copyout create no_create present attach"),
    to = pick { "A", "B", "C", "A", "B", "C", "null" } }
end

local function program_of(config)
  return { scenario = { rules = config.profile }, declarations = DECLARATIONS,
    steps = { { kind = "host", text = "H.p = A" }, { kind = "host", text = "H.q = B" } } }
end

local function config_of(number) return { profile = number % 2 == 0 and "openacc-3.3" or "libgomp-12" } end

engine.run { rounds = 600, steps = 60, config = config_of, world = new, next = next_step, program = program_of,
  written = written }

engine.notices(function() return new(config_of(0)) end, { op = "point", slot = "p", to = "A" }, {
  function(w) w.model.present.A = { count = 1, regions = 0, name = "A1" } end,
  function(w) w.model.attached.q = { count = 1, target = "B" } end,
  function(w) w.model.host.q = "A" end,
})
