-- transition_system.lua - a session under one rule profile: the words of a vocabulary are carried out in it one by one,
-- and it goes back to what it was.

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

-- Steps of Lua that one word may take: a loop that does not end is an error of the word.
local STEP_BUDGET = 2000000

-- Opens a scenario's declarations under a profile. The words are those of its vocabulary. device: another one, without
-- checkpoints.
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

-- A world that begins anew, with this one's declarations and values. When it is closed, they are what they were.
function TransitionSystem:inner()
  local session = self.session:inner()
  return setmetatable({ run = session, session = session, vocabulary = self.vocabulary, steps = {}, open = {},
    watch = self.watch }, TransitionSystem)
end

function TransitionSystem:close() self.run:close() end

-- ----------------------------------------------------------------------------------------- words --

-- Code and rule of an error. What a function of the script raises is one, too.
local function failure(self, err)
  if diagnostic.is_limit(err) then return "limit", "HOUSE-limit" end
  local known = scenario.to_diagnostic(err, self.vocabulary.file)
  if known.code == "internal" then error(err, 0) end
  return known.code, known.rule and profiles.applicable_rule(known.rule, self.session.rules.documents)
end

local function failure_of(self, ok, err)
  if ok then return nil end
  return failure(self, err)
end

local makers = {}

-- A directive: what it opens is closed by the word `end`; a compute construct has its body here.
local function directive(word, body)
  local kind, text, file, line, place = word.kind, word.text, word.file, word.line, nil
  if body then place = { file = file, line = line } end
  return function(self)
    local session, reported = self.session, nil
    local ok, result = pcall(session[kind], session, text, nil, file, line, function(_, _, err) reported = err end)
    if reported then return reported.code, profiles.applicable_rule(reported.rule, session.rules.documents) end
    if not ok then return failure(self, result) end
    if type(result) == "function" then return failure_of(self, pcall(result, body or "", place)) end
    if result then self.open[#self.open + 1] = { region = result, word = word.number } end
  end
end

makers.acc = function(word) return directive(word, word.body) end
makers.omp = makers.acc

-- The construct that carries out the statements of a kernel: one that maps nothing, of the language of other words.
function transition_system.construct(word, words)
  local is_openmp = false
  for _, other in ipairs(words) do is_openmp = is_openmp or other.kind == "omp" end
  return { kind = is_openmp and "omp" or "acc", text = is_openmp and "target" or "parallel default(present)",
    body = word.text, file = word.file, line = word.line, number = word.number }
end

function makers.kernel(word, words) return makers.acc(transition_system.construct(word, words)) end

function makers.host(word)
  local plain -- where no region lets names stand for device addresses
  local function run(session)
    if session.language.name ~= "c" then
      return session:with_text(word.text, word.file, word.line, session.value, session, session:host_env(), word.text)
    end
    local statement = not session.now.replaced and plain
      or closures.run(session:host_env(), session:parse(vocabulary.expression(word), "expression"))
    if not session.now.replaced then plain = statement end
    return statement {}
  end
  return function(self) return failure_of(self, pcall(run, self.session)) end
end

function makers.fortran(word)
  return function(self)
    return failure_of(self, pcall(self.session.declare, self.session, word.text, word.file, word.line))
  end
end

-- Where the region is, among those that are open, that a word ends: the innermost one, or the last one that another
-- word opened; 0: there is none.
local function ended_by(self, word)
  local at = #self.open
  while word.of and at > 0 and self.open[at].word ~= word.of do at = at - 1 end
  return at
end

-- The end of the innermost region, or of the last one that a word opened.
makers["end"] = function(word)
  return function(self)
    local at = ended_by(self, word)
    if at == 0 then return "region-nesting", "DIR-4.3-06" end
    local ok, err = pcall(self.open[at].region.close, self.open[at].region)
    if not ok then return failure(self, err) end
    table.remove(self.open, at)
  end
end

-- The words in the order of their numbers; ends of regions come behind them.
function TransitionSystem:prepare(words)
  self.words, self.given = {}, words
  for _, word in ipairs(words) do self:add(word) end
end

-- A step that fails if it takes too many steps of Lua. check: called behind it.
local function limit_steps(step, file, check)
  return function(self)
    local code, rule
    math.randomseed(1) -- the same numbers whenever it is carried out
    local ok, err = core.limited(0, STEP_BUDGET, function() code, rule = step(self) end, file)
    if check then check() end
    if not ok then return failure(self, err) end
    return code, rule
  end
end

-- Whether a body may repeat statements: it has a loop of C, or calls procedures of Fortran.
local function repeats(session, body)
  if session.language.name ~= "c" then return true end
  return body:find "%f[%w_]for%f[^%w_]" or body:find "%f[%w_]while%f[^%w_]" -- do ends with while
end

-- Adds a word behind all others. Returns its number.
function TransitionSystem:add(word)
  local number, step = #self.words + 1, makers[word.kind](word, self.given)
  local body = word.kind == "kernel" and word.text or word.body
  if self.watch or body and repeats(self.session, body) then step = limit_steps(step, word.file, self.watch) end
  self.words[number], self.steps[number] = word, step
  return number
end

-- Closes the innermost region, as a word does.
function TransitionSystem:close_innermost() return makers["end"] {}(self) end

-- Carries out a word. Returns nothing, or code and rule of the error: then nothing has changed, but for what an
-- expression of the host did before its error, and what stops at a limit.
function TransitionSystem:step(number) return self.steps[number](self) end

-- ---------------------------------------------------------------------------------------- states --

function TransitionSystem:save()
  local open = table.move(self.open, 1, #self.open, 1, {})
  return { session = self.session:checkpoint(), open = open }
end

function TransitionSystem:restore(saved)
  self.session:restore(saved.session)
  self.open = table.move(saved.open, 1, #saved.open, 1, {})
end

-- Whether a word can come next: what ends regions needs an open one.
function TransitionSystem:may(number)
  local word = self.words[number]
  return word.kind ~= "end" or ended_by(self, word) > 0
end

local function hash_text(text)
  local hash = 0
  for c in text:gmatch "." do hash = hash * 257 + c:byte() end
  return hash
end

-- A number for the words whose regions are open, and what names stand for in them. way: under other names
-- (symmetry.lua).
function TransitionSystem:hash_open_regions(way)
  local session, hash = self.session, #self.open
  for _, one in ipairs(self.open) do hash = hash * 257 + (way and way.words[one.word] or one.word) end
  for name, dev in region.replaced_names(session) do
    local text = name .. "=" .. session.ctx:name_at(session.now.device, dev)
    if way then text = text:gsub("[%a_][%w_]*", way.names) end
    hash = hash + hash_text(text) * hash_text(text)
  end
  return hash
end

-- Numbers of the state, as profile_comparison.lua has them.
function TransitionSystem:digests(numbers) return profile_comparison.digests(self.session, numbers) end

return transition_system
