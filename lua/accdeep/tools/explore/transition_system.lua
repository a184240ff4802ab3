-- transition_system.lua - a session under one rule profile as a transition system: executes actions, saves and
-- restores states.
--
-- The states are those of the session: host memory, device memory, the present table, and the open regions. An action
-- is a word of the scenario's vocabulary (acc, omp, host, fortran, kernel), or the end of a region. search.lua
-- enumerates programs with transition systems; program_replay.lua and oracle_comparison.lua replay single programs.

local closures = require "accdeep.backend.closures"
local profile_comparison = require "accdeep.script.profile_comparison"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local script_functions = require "accdeep.tools.explore.script_functions"
local profiles = require "accdeep.definitions.profiles"
local region = require "accdeep.run.region"
local scenario = require "accdeep.script.scenario"
local vocabulary = require "accdeep.script.vocabulary"

local transition_system = {}

local TransitionSystem = {}
TransitionSystem.__index = TransitionSystem

-- Lua steps that one action may take. An action that exceeds them fails with the code `limit`, which ends infinite
-- loops.
local STEP_BUDGET = 2000000

-- Executes the declarations of the scenario `text`, read from `file`, under the profile `rules` (nil: the scenario's
-- own). Returns a system in the initial state, which the caller closes. `device`: name of a device that replaces the
-- simulated one, or nil; with such a device the system cannot save states. Raises if the scenario fails, has no
-- vocabulary, or has statements after it; nothing stays open then.
function transition_system.open(file, text, rules, device)
  local run = scenario.open(file, text, { rules = rules, checkpoints = not device, device = device,
    out = function() end })
  local session = run.session
  if not run.vocabulary then
    run:close()
    diagnostic.raise("scenario-error", nil, "the file has no vocabulary", { file = file, rule = "HOUSE-explore",
      help = 'vocabulary { acc "enter data copyin(a)", acc "exit data delete(a)", host "a[0] = 1" }' })
  end
  local ok, err = pcall(vocabulary.check_last, run)
  if not ok then
    run:close()
    error(err, 0)
  end
  session.options.warn = nil
  return setmetatable({ run = run, session = session, vocabulary = run.vocabulary, steps = {}, open = {},
    watch = script_functions.exist(session) and script_functions.new_change_check(session, run.env) }, TransitionSystem)
end

-- Returns a system that starts with the declarations and values of this system. Closing the returned system undoes the
-- changes that it made. Precondition: the caller calls `prepare` before it executes actions.
function TransitionSystem:inner()
  local session = self.session:inner()
  return setmetatable({ run = session, session = session, vocabulary = self.vocabulary, steps = {}, open = {},
    watch = self.watch }, TransitionSystem)
end

-- Closes the session of the system.
function TransitionSystem:close() self.run:close() end

-- ----------------------------------------------------------------------------------------- words --

-- Returns the code of the error `err`, and its rule or nil. Errors raised by functions of the script count as failures
-- of the action; internal errors are raised again.
local function failure(self, err)
  if diagnostic.is_limit(err) then return "limit", "HOUSE-limit" end
  local scenario_error = scenario.to_diagnostic(err, self.vocabulary.file)
  if scenario_error.code == "internal" then error(err, 0) end
  return scenario_error.code, scenario_error.rule
    and profiles.applicable_rule(scenario_error.rule, self.session.rules.documents)
end

-- Returns nil if `ok` is true, otherwise the code of the error `err` and its rule or nil. `ok`, `err`: results of
-- pcall.
local function failure_of(self, ok, err)
  if ok then return nil end
  return failure(self, err)
end

-- Functions that compile an action to a step, by kind of action: makers[kind](action, actions). A step is a function of
-- the system that executes the action and returns nothing, or the code and rule of the error.
local makers = {}

-- Returns the step of a directive. If the directive opens a region, the step appends the region to self.open, and a
-- later `end` action closes it. `body`: the statements of a compute construct, or nil.
local function directive(action, body)
  local kind, text, file, line, body_location = action.kind, action.text, action.file, action.line, nil
  if body then body_location = { file = file, line = line } end
  return function(self)
    local session, reported = self.session, nil
    local ok, result = pcall(session[kind], session, text, nil, file, line, function(_, _, err) reported = err end)
    if reported then return reported.code, profiles.applicable_rule(reported.rule, session.rules.documents) end
    if not ok then return failure(self, result) end
    if type(result) == "function" then return failure_of(self, pcall(result, body or "", body_location)) end
    if result then self.open[#self.open + 1] = { region = result, number = action.number } end
  end
end

-- Returns the step of a directive of OpenACC; the same function is the maker for OpenMP, because `action.kind` selects
-- the language.
makers.acc = function(action) return directive(action, action.body) end
makers.omp = makers.acc

-- Returns the action that executes the statements of a kernel action: a compute construct without data clauses. It is a
-- construct of OpenMP if `actions` has an OpenMP action, otherwise of OpenACC.
function transition_system.construct(action, actions)
  local is_openmp = false
  for _, other in ipairs(actions) do is_openmp = is_openmp or other.kind == "omp" end
  return { kind = is_openmp and "omp" or "acc", text = is_openmp and "target" or "parallel default(present)",
    body = action.text, file = action.file, line = action.line, number = action.number }
end

-- Returns the step of a kernel action: the step of the compute construct that executes the action's statements.
function makers.kernel(action, actions) return makers.acc(transition_system.construct(action, actions)) end

-- Returns the step of a host statement. A statement in C is compiled once. Inside a region that replaces names by
-- device addresses (host_data, use_device_ptr), it is compiled again in each execution.
function makers.host(action)
  local cached_statement -- the compiled statement, for use outside of such regions; nil: not yet compiled
  -- Executes the host statement in `session`; returns its value. Raises errors of the statement.
  local function run(session)
    if session.language.name ~= "c" then
      return session:with_text(action.text, action.file, action.line, session.value, session, session:host_env(),
        action.text)
    end
    local statement = not session.now.replaced and cached_statement
      or closures.run(session:host_env(), session:parse(vocabulary.expression(action), "expression"))
    if not session.now.replaced then cached_statement = statement end
    return statement {}
  end
  return function(self) return failure_of(self, pcall(run, self.session)) end
end

-- Returns the step of an action that executes Fortran statements on the host.
function makers.fortran(action)
  return function(self)
    return failure_of(self, pcall(self.session.declare, self.session, action.text, action.file, action.line))
  end
end

-- Returns the index in self.open of the region that an `end` action closes, or 0 if there is no such region. It
-- is the last region opened by the action number action.opener, or the innermost region if action.opener is nil or
-- false.
local function ended_by(self, action)
  local at = #self.open
  while action.opener and at > 0 and self.open[at].number ~= action.opener do at = at - 1 end
  return at
end

-- Returns the step of an `end` action. The step fails with the code `region-nesting` if ended_by finds no region.
makers["end"] = function(action)
  return function(self)
    local at = ended_by(self, action)
    if at == 0 then return "region-nesting", "DIR-4.3-06" end
    local ok, err = pcall(self.open[at].region.close, self.open[at].region)
    if not ok then return failure(self, err) end
    table.remove(self.open, at)
  end
end

-- Compiles the actions of the vocabulary to steps and numbers them from 1. Precondition: the `end` actions come last.
function TransitionSystem:prepare(actions)
  self.actions, self.base_actions = {}, actions
  for _, action in ipairs(actions) do self:add(action) end
end

-- Returns a step that executes `step` and fails with the code `limit` after STEP_BUDGET Lua steps. `file`: the
-- scenario. `check`: a function that is called after the step and may raise an error, or nil.
local function limit_steps(step, file, check)
  return function(self)
    local code, rule
    -- Every execution gets the same random numbers; otherwise equal programs could reach different states.
    math.randomseed(1)
    local ok, err = core.limited(0, STEP_BUDGET, function() code, rule = step(self) end, file)
    if check then check() end
    if not ok then return failure(self, err) end
    return code, rule
  end
end

-- Returns a true value if the statements `body` may loop: they have a loop of C, or they are Fortran, whose procedures
-- may loop.
local function repeats(session, body)
  if session.language.name ~= "c" then return true end
  -- A `do` loop has the word while at its end, so it needs no pattern.
  return body:find "%f[%w_]for%f[^%w_]" or body:find "%f[%w_]while%f[^%w_]"
end

-- Appends an action and compiles it. Returns the number of the action.
function TransitionSystem:add(action)
  local number, step = #self.actions + 1, makers[action.kind](action, self.base_actions)
  local body = action.kind == "kernel" and action.text or action.body
  if self.watch or body and repeats(self.session, body) then step = limit_steps(step, action.file, self.watch) end
  self.actions[number], self.steps[number] = action, step
  return number
end

-- Closes the innermost region, like an `end` action. Returns nothing, or the code and rule of the error; the code is
-- "region-nesting" if no region is open.
function TransitionSystem:close_innermost() return makers["end"] {}(self) end

-- Executes the action `number`. Returns nothing, or the code and rule of the error. A failed action has changed
-- nothing, with two exceptions: host statements keep the changes made before the error, and so do actions stopped by
-- the step budget.
function TransitionSystem:step(number) return self.steps[number](self) end

-- ---------------------------------------------------------------------------------------- states --

-- Returns a checkpoint of the session with the list of open regions, for TransitionSystem:restore.
function TransitionSystem:save()
  local open = table.move(self.open, 1, #self.open, 1, {})
  return { session = self.session:checkpoint(), open = open }
end

-- Restores the session and the open regions to `saved`, a result of TransitionSystem:save of this system.
function TransitionSystem:restore(saved)
  self.session:restore(saved.session)
  self.open = table.move(saved.open, 1, #saved.open, 1, {})
end

-- Returns true if the action `number` is enabled. Only an `end` action can be disabled: it needs an open region that it
-- closes.
function TransitionSystem:may(number)
  local action = self.actions[number]
  return action.kind ~= "end" or ended_by(self, action) > 0
end

-- Returns a polynomial hash of the bytes of a text, as a 64-bit integer.
local function hash_text(text)
  local hash = 0
  for c in text:gmatch "." do hash = hash * 257 + c:byte() end
  return hash
end

-- Returns a hash of the open regions and of the names that denote device addresses inside them. `renaming`: a renaming
-- of variables (symmetry.lua), or nil.
function TransitionSystem:hash_open_regions(renaming)
  local session, hash = self.session, #self.open
  for _, open_region in ipairs(self.open) do
    hash = hash * 257 + (renaming and renaming.actions[open_region.number] or open_region.number)
  end
  for name, dev in region.replaced_names(session) do
    local text = name .. "=" .. session.ctx:name_at(session.now.device, dev)
    if renaming then text = text:gsub("[%a_][%w_]*", renaming.names) end
    hash = hash + hash_text(text) * hash_text(text)
  end
  return hash
end

-- Returns the digests of the session's state (profile_comparison.lua). `numbers`: a packed permutation of memory blocks
-- (symmetry.lua), or nil for none.
function TransitionSystem:digests(numbers) return profile_comparison.digests(self.session, numbers) end

return transition_system
