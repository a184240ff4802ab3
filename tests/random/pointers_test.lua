-- Random attach, detach, copies and exits around two pointers of one structure, under the profiles that
-- differ in them, compared after every step with what is written down here as naively as it can be said.
-- ACCDEEP_SEED and ACCDEEP_ROUNDS choose others.

scenario { title = "random pointers under the profiles", cites = { "ACC33-att-3" } }

local api = require "accdeep.run.api_openacc"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local session = require "accdeep.run.session"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 300
local STEPS = 60

local POINTER = core.scalar.pointer
local SLOTS = { "p", "q" }

local function pick(list) return list[math.random(#list)] end

-- ------------------------------------------------------------------------------------- the model --

-- Values of pointers are words: "A" is the host address of A, "A3" the address on the device of A's third
-- presence, "null". present: object -> {count, name of this presence}; attached: slot -> {count, target}.
local Model = {}
Model.__index = Model

local function new_model(profile)
  return setmetatable({ libgomp = profile == "libgomp-12", times = 0, present = {}, attached = {}, holds = false,
    host = { p = "A", q = "B" }, device = {} }, Model)
end

function Model:copyin(name)
  local object = self.present[name]
  if object then
    object.count = object.count + 1
    return
  end
  self.times = self.times + 1
  self.present[name] = { count = 1, name = name .. self.times }
  if name == "H" then self.device, self.holds = { p = self.host.p, q = self.host.q }, false end
end

-- The objects in a list go, all at once; out: what H has on the device reaches the host.
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
    if object then
      object.count = finally and 0 or object.count - 1
      if object.count == 0 then gone[#gone + 1] = name end
    end
  end
  self:remove(gone, out)
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

local World = {}
World.__index = World

local function world(profile)
  local w = setmetatable({ log = { profile }, model = new_model(profile), address = { null = 0 } }, World)
  w.session = session.new { rules = profile, device = os.getenv "ACCDEEP_TEST_DEVICE" }
  w.session:declare("struct h { int n; int *p, *q; }; struct h H; int A[4], B[4], C[4];", "random", 1)
  for _, name in ipairs { "H", "A", "B", "C" } do w.address[name] = w.session.scope.variables[name].address end
  w.slot = { p = w.address.H + 8, q = w.address.H + 16 }
  w:point("p", "A")
  w:point("q", "B")
  return w
end

function World:point(slot, word)
  self.session.ctx:host_write(self.slot[slot], POINTER, self.address[word])
  self.model.host[slot] = word
end

function World:complain(what)
  error(("seed %d: %s after\n  %s"):format(self.seed, what, table.concat(self.log, "\n  ")), 0)
end

-- Runs a step; wanted: the model's error, or nil.
function World:step(text, run, wanted)
  self.log[#self.log + 1] = text
  local digest = self.session.ctx:digest()
  local ok, err = pcall(run)
  if not ok and not diagnostic.is(err) then self:complain("a plain error: " .. tostring(err)) end
  local found = not ok and err.code or nil
  if found ~= wanted then self:complain(("%s, the model has %s"):format(tostring(found), tostring(wanted))) end
  if found and self.session.ctx:digest() ~= digest then self:complain "a failed step changed the state" end
end

function World:routine(name, text, wanted)
  self:step(("%s %s"):format(name, text), function()
    api.routines[name](self.session, { file = "r", line = 1 }, text)
  end, wanted)
end

function World:directive(text, wanted)
  self:step(text, function() self.session:directive(text, nil, "r", 1) end, wanted)
end

function World:compare()
  local ctx, model = self.session.ctx, self.model
  local wrong = ctx:check()
  if wrong then self:complain(wrong) end
  for _, name in ipairs { "H", "A", "B", "C" } do
    local object, found = model.present[name], ctx:present_at(0, self.address[name], false)
    if (found and found.dynamic) ~= (object and object.count) then
      self:complain(("%s counts %s, the model has %s"):format(name, tostring(found and found.dynamic),
        tostring(object and object.count)))
    end
    if object then self.address[object.name] = found.dev end
  end
  for _, slot in ipairs(SLOTS) do
    local a, found = model.attached[slot], ctx:attachment_at(0, self.slot[slot])
    if (found and found.count) ~= (a and a.count) then
      self:complain(("%s is attached %s times, the model has %s"):format(slot, tostring(found and found.count),
        tostring(a and a.count)))
    end
    if ctx:host_read(self.slot[slot], POINTER) ~= self.address[model.host[slot]] then
      self:complain(("%s is not %s on the host"):format(slot, model.host[slot]))
    end
    if model.present.H and ctx:device_read(0, ctx:deviceptr(0, self.slot[slot]), POINTER)
      ~= self.address[model.device[slot]] then
      self:complain(("%s is not %s on the device"):format(slot, model.device[slot]))
    end
  end
end

-- --------------------------------------------------------------------------------------- steps --

local steps = {}

function steps.copyin(w)
  local name = pick { "H", "H", "A", "B", "C" }
  w.model:copyin(name)
  w:routine("acc_copyin", name)
end

function steps.exit(w)
  local name, how = pick { "H", "A", "B", "C" }, pick { "copyout", "delete", "copyout_finalize" }
  w.model:exit({ name }, how ~= "delete", how:find "finalize")
  w:routine("acc_" .. how, name)
end

function steps.attach(w)
  local slot = pick(SLOTS)
  w:routine("acc_attach", "H." .. slot, w.model:attach(slot))
end

function steps.detach(w)
  local slot, finally = pick(SLOTS), math.random(4) == 1
  w:routine(finally and "acc_detach_finalize" or "acc_detach", "H." .. slot, w.model:detach(slot, finally))
end

function steps.point(w) w:point(pick(SLOTS), pick { "A", "B", "C", "A", "B", "C", "null" }) end

function steps.update(w)
  local out = math.random(2) == 1
  w:routine(out and "acc_update_self" or "acc_update_device", "H", w.model:update(out))
end

-- A clause on what a pointer leads to, while the structure is there.
local function target_of(w, slot)
  local target = w.model.host[slot]
  return w.model.present.H and w.address[target] and (target == "A" or target == "B" or target == "C") and target
end

function steps.enter_member(w)
  local slot = pick(SLOTS)
  local target = target_of(w, slot)
  if not target then return end
  if w.model.libgomp then w.model:copyin "H" end
  w.model:copyin(target)
  w.model:attach(slot)
  w:directive(("enter data copyin(H.%s[0:4])"):format(slot))
end

function steps.exit_member(w)
  local slot, model = pick(SLOTS), w.model
  local target = target_of(w, slot)
  if not target then return end
  local wanted
  if model.libgomp or model.present[target] then wanted = model:detach(slot) end
  if not wanted then model:exit(model.libgomp and { "H", target } or { target }, false) end
  w:directive(("exit data delete(H.%s[0:4])"):format(slot), wanted)
end

local names = { "copyin", "copyin", "exit", "attach", "attach", "attach", "detach", "detach", "point", "point",
  "update", "enter_member", "exit_member" }

for round = 0, rounds - 1 do
  for _, profile in ipairs { "openacc-3.3", "libgomp-12" } do
    math.randomseed(seed + round)
    local w = world(profile)
    w.seed = seed + round
    for _ = 1, STEPS do
      steps[pick(names)](w)
      w:compare()
    end
    w.session:close()
  end
end

-- What goes wrong is told: a model that forgets is found out.
local broken = world "openacc-3.3"
broken.seed = 0
broken.model.present.A = { count = 1, name = "A1" }
expect(not pcall(broken.compare, broken), "a wrong model is noticed")
broken.session:close()
