-- vocabulary.lua - the actions from which `accdeep explore` makes programs: vocabulary { acc "...", host "..." }.
--
-- A word is a step of such a program (steps/init.lua). Reading the name vocabulary sets run.words; acc, omp, host,
-- kernel and fortran then return words and execute nothing, until the list is complete. A text with {a,b} describes one
-- word per alternative. scenario.lua calls extend. tools/explore reads run.vocabulary, a table {words, regions, bound,
-- session, state, file, line}. `regions`: "nested" (an `end` closes the innermost region) or "free" (each region has
-- its own `end`). `bound`: largest number of words of a program. `session`, `state`: the session, and the digests of
-- its state, when the statement ends.

local lazy = require "accdeep.base.lazy"
local closures = require "accdeep.backend.closures"
local profile_comparison = lazy.require "accdeep.script.profile_comparison"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local steps = lazy.require "accdeep.steps"

local raise = diagnostic.raise

local vocabulary = {}

local RULE = "HOUSE-explore"
local MAX_WORDS = 200 -- limit of the number of words of a vocabulary

-- Fields of a vocabulary besides its words.
local keys = { regions = true, bound = true }

-- ---------------------------------------------------------------------------------- alternatives --

-- Returns a list of the alternatives in the text `inner` between braces, separated by commas outside of parentheses.
-- Returns nil if `inner` has a semicolon (statements) or a single alternative.
local function alternatives(inner)
  if inner:find ";" then return nil end
  local list, depth, from = {}, 0, 1
  for at, c in inner:gmatch "()([%(%[%)%],])" do
    if c == "(" or c == "[" then depth = depth + 1
    elseif c ~= "," then depth = depth - 1
    elseif depth == 0 then
      list[#list + 1] = inner:sub(from, at - 1)
      from = at + 1
    end
  end
  if from == 1 then return nil end
  list[#list + 1] = inner:sub(from)
  return list
end

-- Returns a list of the texts that a text with alternatives {a,b} describes, in order; {text} if it has none. The list
-- is cut off after MAX_WORDS + 1 texts, which the caller reports as too many.
function vocabulary.expand_alternatives(text)
  for from, inner, to in text:gmatch "(){([^{}]*)}()" do
    local list = alternatives(inner)
    if list then
      local texts = {}
      for _, alternative in ipairs(list) do
        local chosen = text:sub(1, from - 1) .. alternative .. text:sub(to)
        for _, expanded in ipairs(vocabulary.expand_alternatives(chosen)) do
          if #texts > MAX_WORDS then return texts end
          texts[#texts + 1] = expanded
        end
      end
      return texts
    end
  end
  return { text }
end

-- ----------------------------------------------------------------------------------------- words --

local Word = { __name = "word" }
Word.__index = Word

-- Sets the body of a word, as in acc "parallel" "a[1] = 7", and returns the word. all_words reports a wrong body later,
-- when the list is complete; nothing has been executed then.
function Word:__call(body)
  self.body = body
  return self
end

-- Returns a new word. kind: "acc", "omp", "host", "kernel" or "fortran"; text: the argument of the script's call, which
-- all_words checks. The word's location is that of the script's call.
local function word(kind, text)
  local file, line = location.caller(1)
  return setmetatable({ kind = kind, text = text, file = file, line = line }, Word)
end

-- Returns the words of a vocabulary's list, one per alternative. Raises for entries that are no words, texts that are
-- no strings, an empty list, and more than MAX_WORDS words.
local function all_words(list)
  local words = {}
  for i, entry in ipairs(list) do
    if getmetatable(entry) ~= Word then
      raise("type-mismatch", nil, ("word %d of the vocabulary is no word"):format(i), { rule = RULE,
        help = 'words are acc "...", omp "...", host "...", kernel "..." and fortran "..."' })
    end
    if type(entry.text) ~= "string" or entry.body ~= nil and (type(entry.body) ~= "string"
      or entry.kind ~= "acc" and entry.kind ~= "omp") then
      raise("type-mismatch", nil, ("word %d of the vocabulary is no text, or has a body"):format(i), { rule = RULE,
        help = "a word takes a text; acc and omp take a second one, the body" })
    end
    for _, text in ipairs(vocabulary.expand_alternatives(entry.text)) do
      for _, body in ipairs(entry.body and vocabulary.expand_alternatives(entry.body) or { false }) do
        text = text:match "^%s*(.-)%s*$"
        if entry.kind == "kernel" and not text:find "[;}]$" then text = text .. ";" end
        words[#words + 1] = { kind = entry.kind, text = text, body = body or nil, file = entry.file, line = entry.line }
      end
    end
  end
  if #words > MAX_WORDS then
    raise("limit", nil, ("the vocabulary has more than %d words"):format(MAX_WORDS), { rule = RULE,
      help = "each {a,b} doubles the words of its text" })
  end
  if #words == 0 then
    raise("type-mismatch", nil, "the vocabulary has no words", { rule = RULE,
      help = 'the words belong in its list: vocabulary { acc "enter data copyin(a)" }' })
  end
  return words
end

-- Raises if the word `entry` is wrong, without executing it. A directive is analysed. In C, a kernel is parsed and a
-- host expression is compiled. Of the diagnostics of a host expression, only those about unknown names are raised.
-- Words in Fortran are not checked. If other rules replace the scenario's own (options.rules), a directive of a later
-- version is no error here: a program that executes it fails.
local function check(run, entry)
  local session = run.session
  local start = ({ acc = "directive", omp = "directive", host = "expression", kernel = "body" })[entry.kind]
  if start == "directive" then
    local ok, err = pcall(session.with_text, session, entry.text, entry.file, entry.line, session.check_directive,
      session, entry.text, entry.kind)
    local is_later = not ok and diagnostic.is(err) and run.options.rules and (err.rule or ""):find "%-ver%-1$"
    if not ok and not is_later then error(err, 0) end
  elseif start and session.language.name == "c" then
    local text = entry.kind == "host" and steps.expression(entry) or entry.text
    session:with_text(text, entry.file, entry.line, function()
      local node = session:parse(text, start)
      if entry.kind ~= "host" then return end
      local ok, err = pcall(closures.run, session:host_env(), node)
      if not ok and (not diagnostic.is(err) or err.code:find "^unknown") then error(err, 0) end
    end)
  end
end

-- Returns the digests of a session (profile_comparison.lua) as one text, equal for sessions in equal states.
local function state_of(session) return table.concat({ profile_comparison.digests(session) }, " ") end

-- Checks the list of a vocabulary and stores it as run.vocabulary. Raises for a wrong word or field, and leaves
-- run.vocabulary unchanged then.
local function accept_list(run, list)
  if type(list) ~= "table" then raise("type-mismatch", nil, "vocabulary takes a list of words", { rule = RULE }) end
  local file, line = location.caller(3)
  local record = { words = all_words(list), regions = list.regions or "nested", bound = list.bound or 4,
    session = run.session, state = state_of(run.session), file = file, line = line }
  for key in pairs(list) do
    if math.type(key) ~= "integer" and not keys[key] then
      raise("unknown-name", nil, ("vocabulary has no field '%s'"):format(tostring(key)), { rule = RULE,
        help = diagnostic.suggest(tostring(key), keys) })
    end
  end
  if record.regions ~= "nested" and record.regions ~= "free" then
    raise("type-mismatch", nil, "regions is \"nested\" or \"free\"", { rule = RULE })
  end
  if math.type(record.bound) ~= "integer" or record.bound < 1 then
    raise("type-mismatch", nil, "bound is a number of words, at least 1", { rule = RULE })
  end
  for _, entry in ipairs(record.words) do check(run, entry) end
  run.vocabulary = record
end

-- Adds the name vocabulary, and (inside the list of words) the name kernel, to the environment `env` of a script.
-- `run`: the Run of scenario.lua. Replaces the metatable of `env`. Returns the function (kind, text) that makes a word.
-- Decides HOUSE-explore.
function vocabulary.extend(env, run)
  -- Defines vocabulary { ... }: ends the mode in which acc and others return words, and accepts the list. Raises if the
  -- file has a vocabulary already.
  local function require_list(list)
    run.words = nil
    if run.vocabulary and run.vocabulary.session == run.session then
      raise("scenario-error", nil, "a file has one vocabulary", { rule = RULE })
    end
    accept_list(run, list)
  end
  -- Defines kernel inside the list: returns a word for statements that run on the device.
  local function kernel(text) return word("kernel", text) end
  setmetatable(env, { __index = function(_, name)
    if name == "kernel" and run.words then return kernel end
    if name ~= "vocabulary" then return nil end
    run.words = true
    return require_list
  end })
  return word
end

-- Raises if the session was replaced or has changed since run.vocabulary was stored. The vocabulary is then not the
-- last statement of its file, and programs would not contain the later statements. run.vocabulary must not be nil.
function vocabulary.check_last(run)
  local record = run.vocabulary
  if record.session == run.session and record.state == state_of(run.session) then return end
  raise("scenario-error", nil, "the vocabulary is not the last statement of its file", { rule = RULE,
    file = record.file, line = record.line, help = "put what declares and prepares data before it, outside of cases" })
end

-- Raises if the script read the name vocabulary without giving it a list. Called at the end of a script.
function vocabulary.require_accepted(run)
  if run.words then
    raise("type-mismatch", nil, "vocabulary takes a list of words", { rule = RULE, help = 'vocabulary { acc "..." }' })
  end
end

return vocabulary
