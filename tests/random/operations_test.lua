-- Random sequences of directives, compared with the model after every step: outcome, presence, counters,
-- attachments, and every byte on both sides. ACCDEEP_SEED and ACCDEEP_ROUNDS choose others.

scenario { title = "random operations against the model", cites = { "TR14-4.2-06" } }

package.path = "tests/random/?.lua;" .. package.path

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local Model = require "model"
local session = require "accdeep.run.session"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 300
local STEPS = 40

local DECLARATIONS = [[
  struct leaf { int n; int *p;
    #pragma acc shape init_needed(n) include(p[0:n])
  };
  int A[8], B[12];
  struct leaf S[4];
  int T0[6], T1[6], T2[6];
]]

local INT, POINTER = core.scalar.i32, core.scalar.pointer

-- ------------------------------------------------------------------------------------- one world --

local World = {}
World.__index = World

-- A session and the model of it, with the same values. Elements of S lead to T0..T2, some to the same
-- one, some nowhere; some are empty.
local function world(group_least)
  local w = setmetatable({ log = {}, open = {} }, World)
  w.session = session.new { group_least = group_least, device = os.getenv "ACCDEEP_TEST_DEVICE" }
  w.session:declare(DECLARATIONS, "random", 1)
  w.variables, w.host = w.session.scope.variables, {}
  for _, name in ipairs { "A", "B", "T0", "T1", "T2" } do
    local v = w.variables[name]
    for at = v.address, v.address + v.type.size - 4, 4 do w:set_host(at, math.random(1, 1000)) end
  end
  w.elements = {}
  for i = 0, 3 do
    local at = w.variables.S.address + 16 * i
    local target = math.random(0, 3)
    local n = target == 3 and 0 or math.random(0, 6)
    w.session:host_store(at, w.variables.A.type.of, n)
    w.host[at] = n
    local pointer = target < 3 and w.variables["T" .. target].address or 0
    w.session.ctx:host_write(at + 8, POINTER, pointer)
    w.elements[i] = { at = at, n = n, target = pointer }
  end
  w.model = Model.new(w.host)
  return w
end

function World:set_host(at, value)
  self.session.ctx:host_write(at, INT, value)
  self.host[at] = value
end

-- The text of a variable list item, and the claims it stands for.
function World:target(action)
  local kind = math.random(1, 3)
  if kind < 3 then
    local name, n = kind == 1 and "A" or "B", kind == 1 and 8 or 12
    local start = math.random(0, n - 1)
    local length = math.random(1, n - start)
    if math.random(3) == 1 then start, length = 0, n end
    local low = self.variables[name].address + 4 * start
    return ("%s[%d:%d]"):format(name, start, length),
      { { low = low, high = low + 4 * length, action = action } }
  end
  local start = math.random(0, 3)
  local length = math.random(1, 4 - start)
  if math.random(2) == 1 then start, length = 0, 4 end
  local first = self.elements[start].at
  local claims = { { low = first, high = first + 16 * length, action = action, init = {} } }
  for i = start, start + length - 1 do
    local e = self.elements[i]
    claims[1].init[e.at] = true
    if e.n > 0 and e.target ~= 0 then
      claims[#claims + 1] = { low = e.target, high = e.target + 4 * e.n, action = action, slot = e.at + 8 }
    end
  end
  return ("S[%d:%d]"):format(start, length), claims
end

local function pick(words)
  local list = {}
  for word in words:gmatch "%S+" do list[#list + 1] = word end
  return list[math.random(#list)]
end

-- Clauses of one directive: text, and all claims in order. apart: of different variables.
function World:clauses(actions, apart)
  local text, claims, used = {}, {}, {}
  for _ = 1, math.random(1, 2) do
    local action = pick(actions)
    local target, more = self:target(action)
    local name = target:sub(1, 1)
    if not (apart and used[name]) then
      used[name] = true
      text[#text + 1] = ("%s(%s)"):format(action, target)
      for _, c in ipairs(more) do claims[#claims + 1] = c end
    end
  end
  return table.concat(text, " "), claims
end

-- -------------------------------------------------------------------------------------- comparing --

function World:complain(what)
  error(("seed %d: %s after\n  %s"):format(self.seed, what, table.concat(self.log, "\n  ")), 0)
end

-- Runs the same step on both sides. wanted: errors of the model, or nil.
function World:step(text, run, wanted)
  self.log[#self.log + 1] = text
  local digest = self.session.ctx:digest()
  local ok, result = pcall(run)
  if not ok and not diagnostic.is(result) then self:complain("a plain error: " .. tostring(result)) end
  if ok and wanted then
    self:complain("no error, the model has " .. next(wanted))
  elseif not ok and not wanted then
    self:complain(("%s: %s, the model has none"):format(result.code, result.message))
  elseif not ok then
    if not wanted[result.code] then
      self:complain(("%s: %s, the model has %s"):format(result.code, result.message, next(wanted)))
    end
    if self.session.ctx:digest() ~= digest then self:complain "a failed construct changed the state" end
  end
  return ok and result
end

local function count(t)
  local n = 0
  for _ in pairs(t) do n = n + 1 end
  return n
end

function World:compare()
  local ctx, model = self.session.ctx, self.model
  local wrong = ctx:check()
  if wrong then self:complain(wrong) end
  local present = ctx:present(0)
  if #present ~= #model.objects then
    self:complain(("%d objects are present, the model has %d"):format(#present, #model.objects))
  end
  for _, found in ipairs(present) do
    local o = model:find(found.host, found.host + found.bytes)
    if not o or o.low ~= found.host or o.high ~= found.host + found.bytes or o.structured ~= found.structured
      or o.dynamic ~= found.dynamic then
      self:complain(("%s has other bounds or counters, %d and %d"):format(found.name, found.structured,
        found.dynamic))
    end
    for at = o.low, o.high - 4, 4 do
      if self.host[at] then
        local dev = found.dev + (at - o.low)
        local value = ctx:device_written(0, dev, 4) == 4 and ctx:device_read(0, dev, INT) or nil
        if value ~= o.data[at] then
          self:complain(("device byte %d of %s is %s, the model has %s"):format(at - o.low, found.name,
            tostring(value), tostring(o.data[at])))
        end
      end
    end
  end
  local attached = ctx:attachments(0)
  if #attached ~= count(model.attached) then
    self:complain(("%d pointers are attached, the model has %d"):format(#attached, count(model.attached)))
  end
  for _, found in ipairs(attached) do
    local a = model.attached[found.slot]
    if not a or a.count ~= found.count then
      self:complain(("%s is attached %d times"):format(found.name, found.count))
    end
  end
  for at, value in pairs(self.host) do
    if ctx:host_read(at, INT) ~= value then
      self:complain(("a host int is %s, the model has %d"):format(ctx:host_read(at, INT), value))
    end
  end
  for i = 0, 3 do
    local e = self.elements[i]
    if ctx:host_read(e.at + 8, POINTER) ~= e.target then self:complain "a host pointer was overwritten" end
  end
end

-- -------------------------------------------------------------------------------------- operations --

local operations = {}

function operations.open(w)
  if #w.open > 3 then return end
  local text, claims = w:clauses "copy copyin copyout create no_create present"
  local errors, objects = w.model:enter(claims, "structured")
  local region = w:step("data " .. text, function() return w.session:directive("data " .. text, nil, "r", 1) end,
    errors)
  if region then table.insert(w.open, { region = region, claims = claims, objects = objects }) end
end

function operations.close(w)
  local top = w.open[#w.open]
  if not top then return end
  local errors = w.model:leave(top.claims, "structured", top.objects)
  w:step("end data", function() top.region:close() end, errors)
  if not errors then table.remove(w.open) end
end

function operations.enter(w)
  local text, claims = w:clauses "copyin create"
  local errors = w.model:enter(claims, "dynamic")
  w:step("enter data " .. text, function() w.session:directive("enter data " .. text, nil, "r", 1) end, errors)
end

function operations.exit(w)
  local text, claims = w:clauses("copyout delete", true)
  local finalize = #w.open == 0 and math.random(4) == 1
  if finalize then text = text .. " finalize" end
  local errors = w.model:leave(claims, "dynamic", nil, finalize)
  w:step("exit data " .. text, function() w.session:directive("exit data " .. text, nil, "r", 1) end, errors)
end

function operations.update(w)
  local action = pick "self device"
  local target, claims = w:target(action)
  local if_present = math.random(3) == 1
  local text = ("update %s(%s)%s"):format(action, target, if_present and " if_present" or "")
  local errors = w.model:update(claims, action == "self", if_present)
  w:step(text, function() w.session:directive(text, nil, "r", 1) end, errors)
end

-- A kernel writes one int, or the host does.
function operations.write(w)
  local v = w.variables[pick "A B T0 T1 T2"]
  local at, value = v.address + 4 * math.random(0, v.type.n - 1), math.random(1, 1000)
  local o = w.model:find(at, at + 4)
  if o and math.random(2) == 1 then
    w:step(("device write %d"):format(value), function()
      local ok, err = w.session.ctx:device_write(0, w.session.ctx:deviceptr(0, at), INT, value)
      if not ok then error(diagnostic.new(err), 0) end
    end)
    o.data[at] = value
  else
    w:set_host(at, value)
  end
end

local names = { "open", "close", "close", "enter", "exit", "exit", "update", "write", "write" }

for round = 0, rounds - 1 do
  for _, group_least in ipairs { 1, 1000 } do
    math.randomseed(seed + round)
    local w = world(group_least)
    w.seed = seed + round
    for _ = 1, STEPS do
      operations[names[math.random(#names)]](w)
      w:compare()
    end
    w.session:close()
  end
end
