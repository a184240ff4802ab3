-- vocabulary.lua - the words of which `accdeep explore` makes all programs: vocabulary { acc "...", host "..." }.
--
-- The name vocabulary is read before its list is made. From then on acc, omp, host, kernel and fortran give words, and
-- nothing is carried out. A text with {a,b} stands for two words.

local closures = require "accdeep.backend.closures"
local profile_comparison = require "accdeep.script.profile_comparison"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"

local raise = diagnostic.raise

local vocabulary = {}

local RULE = "HOUSE-explore"
local MOST = 200 -- words

local keys = { regions = true, bound = true }

-- ---------------------------------------------------------------------------------- alternatives --

-- The alternatives between braces, or nil: braces around statements, or around one value.
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

-- Texts that a text with alternatives stands for, in order.
function vocabulary.expand_alternatives(text)
  for from, inner, to in text:gmatch "(){([^{}]*)}()" do
    local list = alternatives(inner)
    if list then
      local texts = {}
      for _, one in ipairs(list) do
        for _, whole in ipairs(vocabulary.expand_alternatives(text:sub(1, from - 1) .. one .. text:sub(to))) do
          if #texts > MOST then return texts end
          texts[#texts + 1] = whole
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

-- acc "parallel" "a[1] = 7": a word with a body. What is wrong with it is reported when the list is whole: until then
-- no statement of the script is carried out.
function Word:__call(body)
  self.body = body
  return self
end

-- The expression of a host word: an assignment stands in parentheses.
function vocabulary.expression(word)
  local text = word.text
  local assigns = text:find "[^=!<>]=[^=]" or text:find("<<=", 1, true) or text:find(">>=", 1, true)
  return assigns and "(" .. text .. ")" or text
end

-- A word as scenarios write it.
function vocabulary.format_word(word)
  local text = word.kind == "host" and vocabulary.expression(word) or word.text
  return ("%s %q%s"):format(word.kind, text, word.body and (" %q"):format(word.body) or "")
end

-- Called in place of the function of the script that it makes: its caller is the script.
local function word(kind, text)
  local file, line = location.caller(1)
  return setmetatable({ kind = kind, text = text, file = file, line = line }, Word)
end

-- The words of a list, one for each alternative.
local function all_words(list)
  local words = {}
  for i, given in ipairs(list) do
    if getmetatable(given) ~= Word then
      raise("type-mismatch", nil, ("word %d of the vocabulary is no word"):format(i), { rule = RULE,
        help = 'words are acc "...", omp "...", host "...", kernel "..." and fortran "..."' })
    end
    if type(given.text) ~= "string" or given.body ~= nil and (type(given.body) ~= "string"
      or given.kind ~= "acc" and given.kind ~= "omp") then
      raise("type-mismatch", nil, ("word %d of the vocabulary is no text, or has a body"):format(i), { rule = RULE,
        help = "a word takes a text; acc and omp take a second one, the body" })
    end
    for _, text in ipairs(vocabulary.expand_alternatives(given.text)) do
      for _, body in ipairs(given.body and vocabulary.expand_alternatives(given.body) or { false }) do
        text = text:match "^%s*(.-)%s*$"
        if given.kind == "kernel" and not text:find "[;}]$" then text = text .. ";" end
        words[#words + 1] = { kind = given.kind, text = text, body = body or nil, file = given.file, line = given.line }
      end
    end
  end
  if #words > MOST then
    raise("limit", nil, ("the vocabulary has more than %d words"):format(MOST), { rule = RULE,
      help = "each {a,b} doubles the words of its text" })
  end
  if #words == 0 then
    raise("type-mismatch", nil, "the vocabulary has no words", { rule = RULE,
      help = 'the words stand in its list: vocabulary { acc "enter data copyin(a)" }' })
  end
  return words
end

-- A word that a scenario cannot have is an error before anything is explored. Under other rules than the scenario's own
-- a word may be of a later version: it is an error whenever it is carried out.
local function check(run, one)
  local session = run.session
  local start = ({ acc = "directive", omp = "directive", host = "expression", kernel = "body" })[one.kind]
  if start == "directive" then
    local ok, err = pcall(session.with_text, session, one.text, one.file, one.line, session.check_directive, session,
      one.text, one.kind)
    local is_later = not ok and diagnostic.is(err) and run.options.rules and (err.rule or ""):find "%-ver%-1$"
    if not ok and not is_later then error(err, 0) end
  elseif start and session.language.name == "c" then
    local text = one.kind == "host" and vocabulary.expression(one) or one.text
    session:with_text(text, one.file, one.line, function()
      local node = session:parse(text, start)
      if one.kind ~= "host" then return end
      local ok, err = pcall(closures.run, session:host_env(), node)
      if not ok and (not diagnostic.is(err) or err.code:find "^unknown") then error(err, 0) end
    end)
  end
end

local function state_of(session) return table.concat({ profile_comparison.digests(session) }, " ") end

local function accept_list(run, list)
  if type(list) ~= "table" then raise("type-mismatch", nil, "vocabulary takes a list of words", { rule = RULE }) end
  local file, line = location.caller(3)
  local made = { words = all_words(list), regions = list.regions or "nested", bound = list.bound or 4,
    session = run.session, state = state_of(run.session), file = file, line = line }
  for key in pairs(list) do
    if math.type(key) ~= "integer" and not keys[key] then
      raise("unknown-name", nil, ("vocabulary has no field '%s'"):format(tostring(key)), { rule = RULE,
        help = diagnostic.suggest(tostring(key), keys) })
    end
  end
  if made.regions ~= "nested" and made.regions ~= "free" then
    raise("type-mismatch", nil, "regions is \"nested\" or \"free\"", { rule = RULE })
  end
  if math.type(made.bound) ~= "integer" or made.bound < 1 then
    raise("type-mismatch", nil, "bound is a number of words, at least 1", { rule = RULE })
  end
  for _, one in ipairs(made.words) do check(run, one) end
  run.vocabulary = made
end

-- Adds vocabulary, and in its list kernel, to a script's names. Returns a function (kind, text) that makes a word.
-- Decides HOUSE-explore.
function vocabulary.extend(env, run)
  local function require_list(list)
    run.words = nil
    if run.vocabulary and run.vocabulary.session == run.session then
      raise("scenario-error", nil, "a file has one vocabulary", { rule = RULE })
    end
    accept_list(run, list)
  end
  local function kernel(text) return word("kernel", text) end
  setmetatable(env, { __index = function(_, name)
    if name == "kernel" and run.words then return kernel end
    if name ~= "vocabulary" then return nil end
    run.words = true
    return require_list
  end })
  return word
end

-- Raises if a vocabulary is not the last statement of its file: what comes behind it is not in programs.
function vocabulary.check_last(run)
  local given = run.vocabulary
  if given.session == run.session and given.state == state_of(run.session) then return end
  raise("scenario-error", nil, "the vocabulary is not the last statement of its file", { rule = RULE,
    file = given.file, line = given.line, help = "put what declares and prepares data before it, outside of cases" })
end

-- The script has run: a vocabulary that was named was given its words.
function vocabulary.require_accepted(run)
  if run.words then
    raise("type-mismatch", nil, "vocabulary takes a list of words", { rule = RULE, help = 'vocabulary { acc "..." }' })
  end
end

return vocabulary
