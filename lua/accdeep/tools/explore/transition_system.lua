-- transition_system.lua - a session under one rule profile as a transition system: executes actions, saves and
-- restores states.
--
-- The states are those of the session: host memory, device memory, the present table, and the open regions. An action
-- is a step (steps/init.lua): a word of the scenario's vocabulary (acc, omp, host, fortran, kernel), or the end of a
-- region. A system is also a runner of steps (steps/runner.lua). search.lua enumerates programs with transition
-- systems; program_replay.lua and oracle_comparison.lua replay single programs.

local profile_comparison = require "accdeep.script.profile_comparison"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local script_functions = require "accdeep.tools.explore.script_functions"
local profiles = require "accdeep.definitions.profiles"
local region = require "accdeep.run.region"
local runner = require "accdeep.steps.runner"
local scenario = require "accdeep.script.scenario"
local vocabulary = require "accdeep.script.vocabulary"

local transition_system = {}

local TransitionSystem = {}
TransitionSystem.__index = TransitionSystem

-- Lua steps that one action may take. An action that exceeds them fails with the code `limit`, which ends infinite
-- loops.
local STEP_BUDGET = 2000000

-- Returns a system. `run`: the object that is closed with it. `watch`: see limit_steps, or a false value.
local function new(run, session, words, watch)
  local self = setmetatable({ run = run, session = session, vocabulary = words, steps = {}, open = {}, watch = watch },
    TransitionSystem)
  self.report = function(_, _, err) self.reported = err end
  return self
end

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
  return new(run, session, run.vocabulary,
    script_functions.exist(session) and script_functions.new_change_check(session, run.env))
end

-- Returns a system that starts with the declarations and values of this system. Closing the returned system undoes the
-- changes that it made. Precondition: the caller calls `prepare` before it executes actions.
function TransitionSystem:inner()
  local session = self.session:inner()
  return new(session, session, self.vocabulary, self.watch)
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

-- Returns a function of the system that executes an action and returns nothing, or the code and rule of its error.
local function compile(action)
  local execute = runner.compile(action)
  return function(self)
    self.reported = nil
    local ok, err = pcall(execute, self)
    local reported = self.reported
    if reported then return reported.code, profiles.applicable_rule(reported.rule, self.session.rules.documents) end
    if not ok then return failure(self, err) end
  end
end

-- Compiles the actions of the vocabulary and numbers them from 1. Precondition: the `end` actions come last.
function TransitionSystem:prepare(actions)
  self.actions = {}
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
  local number, step = #self.actions + 1, compile(action)
  local body = action.kind == "kernel" and action.text or action.body
  if self.watch or body and repeats(self.session, body) then step = limit_steps(step, action.file, self.watch) end
  self.actions[number], self.steps[number] = action, step
  return number
end

-- Closes the innermost region, like an `end` action. Returns nothing, or the code and rule of the error; the code is
-- "region-nesting" if no region is open.
function TransitionSystem:close_innermost() return compile { kind = "end" } (self) end

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
  return action.kind ~= "end" or runner.ended_by(self, action) > 0
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
