-- Random programs with queues and waits, executed immediately, delayed and concurrently. A happens-before analysis
-- finds missing waits; if there are none, all modes must give the same results. Delayed execution may differ for
-- programs with missing waits, and must differ for some. Concurrent execution may differ only where the host writes
-- data that a queue has fetched and not yet stored. ACCDEEP_SEED and ACCDEEP_ROUNDS select other runs.

scenario { title = "random queues against a happens-before check", cites = { "ACC33-async-2", "ACC33-async-3",
  "ACC33-async-4" } }

local diagnostic = require "accdeep.base.diagnostic"
local observation = require "accdeep.tools.explore.observation"
local runner = require "accdeep.steps.runner"
local scenario_writer = require "accdeep.steps.scenario_writer"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 300
local STEPS, QUEUES, N = 30, 3, 4
local VARIABLES = { "a", "b", "c", "d" }
local DECLARATIONS = "int a[] = { 10, 11, 12, 13 }, b[] = { 20, 21, 22, 23 }, c[] = { 30, 31, 32, 33 }, "
  .. "d[] = { 40, 41, 42, 43 };"

-- ------------------------------------------------------------------------------ happens before --

-- Vector clocks. Clock 0 is the host's, the others are queues'.
local Order = {}
Order.__index = Order

local function new_order()
  local clocks = {}
  for t = 0, QUEUES do
    clocks[t] = {}
    for u = 0, QUEUES do clocks[t][u] = 0 end
  end
  return setmetatable({ clocks = clocks, places = {}, missing = false, fetched = {}, crossed = false }, Order)
end

-- Makes t continue after the work that u has done.
function Order:join(t, u)
  for k = 0, QUEUES do self.clocks[t][k] = math.max(self.clocks[t][k], self.clocks[u][k]) end
end

-- Records an access of t to a place. It must follow other writes, and a write must follow reads, too.
function Order:touch(t, place, writes)
  local p = self.places[place]
  if not p then
    p = { read = {}, wrote = {} }
    self.places[place] = p
  end
  local clock = self.clocks[t]
  for u, at in pairs(p.wrote) do self.missing = self.missing or at > clock[u] end
  for u, at in pairs(writes and p.read or {}) do self.missing = self.missing or at > clock[u] end
  local set = writes and p.wrote or p.read
  set[t] = clock[t]
end

-- Records a construct of queue t (0: the host's) that reads and writes places.
function Order:run(t, reads, writes)
  if t ~= 0 then self:join(t, 0) end
  for u = 1, self.waits and QUEUES or 0 do self:join(t, u) end -- the wait clause
  self.clocks[t][t] = self.clocks[t][t] + 1
  for _, place in ipairs(reads) do self:touch(t, place, false) end
  for _, place in ipairs(writes) do self:touch(t, place, true) end
  if t == 0 and self.waits then self.fetched = {} end
  for _, place in ipairs(t ~= 0 and writes or {}) do self.fetched[place] = true end
end

-- Records a write of the host itself. crossed: a queue may have fetched data to this place without having stored
-- them.
function Order:write(place)
  self.crossed = self.crossed or (not self.waits and self.fetched[place] ~= nil)
  self:run(0, {}, { place })
end

-- ----------------------------------------------------------------------------------- programs --

local function pick(list) return list[math.random(#list)] end
local function host(name) return "host " .. name end
local function device(name) return "device " .. name end

-- Functions that return a step (accdeep.steps) and record its accesses. present: the set of present names.
local function acc(text, body) return { kind = "acc", text = text, body = body } end
local makers = {
  function(present, order, q, clauses) -- an update
    local name, out = pick(VARIABLES), math.random(2) == 1
    if not present[name] then return nil end
    local from, to = host(name), device(name)
    if out then from, to = to, from end
    order:run(q, { from }, { to })
    return acc(("update %s(%s)%s"):format(out and "self" or "device", name, clauses))
  end,
  function(present, order, q, clauses) -- a kernel on present data
    local x, y = pick(VARIABLES), pick(VARIABLES)
    if not present[x] or not present[y] then return nil end
    order:run(q, { device(x) }, { device(y) })
    return acc(("parallel present(%s, %s)%s"):format(x, y, clauses),
      ("for (int i = 0; i < %d; i++) %s[i] = 3 * %s[i] + %d;"):format(N, y, x, math.random(9)))
  end,
  function(present, order, q, clauses) -- a kernel that maps its data
    local x, y = pick(VARIABLES), pick(VARIABLES)
    if present[x] or not present[y] then return nil end
    order:run(q, { host(x), device(y) }, { host(x) })
    return acc(("parallel copy(%s) present(%s)%s"):format(x, y, clauses),
      ("for (int i = 0; i < %d; i++) %s[i] += 2 * %s[i];"):format(N, x, y))
  end,
  function(present, order, q, clauses) -- enter data
    local name = pick(VARIABLES)
    if present[name] then return nil end
    present[name] = true
    order.places[device(name)] = nil -- newly allocated memory
    order:run(q, { host(name) }, { device(name) })
    return acc(("enter data copyin(%s)%s"):format(name, clauses))
  end,
  function(present, order, q, clauses) -- exit data
    local name = pick(VARIABLES)
    if not present[name] or math.random(3) > 1 then return nil end
    present[name] = nil
    order:run(q, {}, { device(name), host(name) })
    return acc(("exit data copyout(%s)%s"):format(name, clauses))
  end,
  function(_, order) -- a write of the host
    local name = pick(VARIABLES)
    order:write(host(name))
    return { kind = "host", text = ("%s[%d] = %d"):format(name, math.random(0, N - 1), math.random(100)) }
  end,
  function() -- a test of a queue, or of all
    local queue = math.random(0, QUEUES)
    return { kind = "script", queue = queue,
      text = queue == 0 and "acc_async_test_all()" or ("acc_async_test(%d)"):format(queue) }
  end,
  function(_, order, q) -- a wait
    if math.random(3) == 1 then
      for u = 1, QUEUES do order:join(0, u) end
      order.fetched = {}
      return acc "wait"
    end
    local u = math.random(QUEUES)
    if q ~= 0 then order:join(q, 0) end
    order:join(q, u)
    return acc(("wait(%d)%s"):format(u, q ~= 0 and (" async(%d)"):format(q) or ""))
  end,
}

-- Returns a list of steps. careful: most waits that they need are included.
local function program(careful)
  local order, present, list = new_order(), {}, {}
  while #list < STEPS do
    local q = math.random(0, QUEUES)
    local clauses = q ~= 0 and (" async(%d)"):format(q) or ""
    local make = pick(makers)
    order.waits = make ~= makers[8] and math.random() < careful
    if order.waits then clauses = clauses .. " wait" end
    if make == makers[6] and order.waits then list[#list + 1] = acc "wait" end
    list[#list + 1] = make(present, order, q, clauses)
  end
  for u = 1, QUEUES do order:join(0, u) end
  list[#list + 1] = acc "wait"
  for line, step in ipairs(list) do step.line = line end
  return list, order
end

-- -------------------------------------------------------------------------------------- running --

-- Returns the final state as a text.
local function result_of(list, mode)
  local run = runner.open({ async = mode, device = os.getenv "ACCDEEP_TEST_DEVICE" }, DECLARATIONS)
  local s = run.session
  local ok, err = pcall(function()
    for line, step in ipairs(list) do
      if not step.queue then
        run:run(step)
      elseif mode == "concurrent" then -- a test in delayed mode would execute the remaining work
        s.ctx:queue_test(0, step.queue ~= 0 and s.ctx:queue(0, step.queue) or 0)
      end
      local wrong = s.ctx:check()
      if wrong then error(("step %d: %s"):format(line, wrong), 0) end
    end
  end)
  local state = ok and ("%s, %d bytes"):format(observation.text(s, observation.layout(s)), s.ctx:stats(0).live_bytes)
  s:close()
  if ok then return state end
  if diagnostic.is(err) then return err.code .. ": " .. err.message end
  error(err, 0)
end

local whole, differ, kept = 0, 0, 0
for round = 1, rounds do
  math.randomseed(seed, round)
  local list, order = program(pick { 0, 0.5, 0.95, 1 })
  local at_once, delayed = result_of(list, "program"), result_of(list, "delayed")
  local function same(mode, other)
    expect(at_once == other, ("seed %d, round %d: no wait is missing, but %s it gives\n %s\nnot\n %s\n%s")
      :format(seed, round, mode, other, at_once, scenario_writer.write { declarations = DECLARATIONS, steps = list }))
  end
  if not order.missing then
    whole = whole + 1
    same("delayed", delayed)
  elseif at_once ~= delayed then
    differ = differ + 1
  end
  if not (order.missing and order.crossed) then
    kept = kept + 1
    same("concurrent", result_of(list, "concurrent"))
  end
end
expect(whole > rounds // 10, ("%d programs without a missing wait are few"):format(whole))
expect(differ > rounds // 10, ("%d programs that show their missing wait are few"):format(differ))
expect(kept > rounds // 4, ("%d programs that keep their order are few"):format(kept))
print(("%d programs: %d miss no wait, %d show that they do, %d keep their order"):format(rounds, whole, differ, kept))
