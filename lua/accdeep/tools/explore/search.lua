-- search.lua - visits all programs of a vocabulary, the shortest first, once for each state that they reach.
--
-- Several worlds (world.lua) carry out the same words, each under its own rules. Programs are one class if each world is
-- in the same state behind them, by its digests, and if the same worlds have agreed so far. Of a class the first program
-- goes on; programs of one length come in the order of their words. Between two programs the worlds go back to the
-- longest beginning that both have, so that each word is carried out once.

local core = require "accdeep.core"

local search = {}

local Search = {}
Search.__index = Search

local PARTS = { "host", "present", "values", "counters", "rest" }
search.parts = PARTS
local NPARTS = #PARTS

local function mix(hash, value)
  hash = (hash ~ value) * 0x9E3779B97F4A7C15
  return hash ~ hash >> 29
end

-- worlds: with their words prepared; words: {kind, text, ...}. compared: names of the parts of states in which worlds may
-- differ. observer: functions that are called if they are there:
--   step(search, word, outcomes)     a word was carried out; outcomes: see Search:try
--   class(program, key, letters)     programs of a new class
--   differ(program, letters, outcomes, before)   worlds that had agreed do not any more
--   level(n, programs)               all programs of n words are known
function search.new(worlds, words, compared, observer)
  local self = setmetatable({ worlds = worlds, words = words, observer = observer, seen = {}, saved = {}, path = "",
    directives = 0, classes = 0, programs = 0, parts = {} }, Search)
  for i, part in ipairs(PARTS) do
    for _, name in ipairs(compared) do self.parts[i] = self.parts[i] or name == part end
  end
  local digests = {}
  for k = 1, #worlds do self:read(k, digests) end
  self.saved[0] = { digests = digests, letters = ("a"):rep(#worlds) }
  for k, world in ipairs(worlds) do self.saved[0][k] = world:save() end
  self.seen[self:key(digests, self.saved[0].letters)] = true
  return self
end

-- -------------------------------------------------------------------------------------- states --

function Search:read(k, digests)
  local at = (k - 1) * NPARTS
  digests[at + 1], digests[at + 2], digests[at + 3], digests[at + 4], digests[at + 5] = self.worlds[k]:digests()
end

-- Whether a world has nobody left to agree with: it does not matter any more what it does.
local function is_alone(letters, k)
  local letter = letters:sub(k, k)
  local at = letters:find(letter, 1, true)
  return not letters:find(letter, at + 1, true)
end

-- One number for the states of all worlds, and for who agrees with whom.
function Search:key(digests, letters)
  local hash = mix(0, #letters)
  for k = 1, #self.worlds do
    if is_alone(letters, k) and #self.worlds > 1 then
      hash = mix(hash, 0)
    else
      hash = mix(hash, letters:byte(k))
      for i = (k - 1) * NPARTS + 1, k * NPARTS do hash = mix(hash, digests[i]) end
      hash = mix(hash, self.worlds[k]:opened())
    end
  end
  return hash
end

-- Worlds by what they show behind a word: those with one letter have agreed all along. codes: of the word's errors.
function Search:letters(before, codes, digests)
  local names, n, made = {}, 0, {}
  for k = 1, #self.worlds do
    local shown = { before:sub(k, k), codes[k] or "" }
    for i = 1, NPARTS do
      if self.parts[i] then shown[#shown + 1] = digests[(k - 1) * NPARTS + i] end
    end
    local key = table.concat(shown, " ")
    if not names[key] then
      names[key] = string.char(97 + n)
      n = n + 1
    end
    made[k] = names[key]
  end
  return table.concat(made)
end

-- Makes the worlds what they are behind the program so far.
function Search:back(depth)
  local saved = self.saved[depth]
  for k, world in ipairs(self.worlds) do
    if saved[k] then world:restore(saved[k]) end
  end
end

-- Carries out a word in all worlds that still matter. Returns outcomes: {codes, rules, digests, letters, failed: in all},
-- by world.
function Search:try(word, before)
  local codes, rules, digests, letters = {}, {}, {}, before.letters
  local failed, several = true, #self.worlds > 1
  for k, world in ipairs(self.worlds) do
    local at = (k - 1) * NPARTS
    if several and is_alone(letters, k) then
      for i = at + 1, at + NPARTS do digests[i] = 0 end
    else
      codes[k], rules[k] = world:step(word)
      self.directives = self.directives + 1
      if codes[k] then
        for i = at + 1, at + NPARTS do digests[i] = before.digests[i] end
      else
        failed = false
        self:read(k, digests)
      end
    end
  end
  return { codes = codes, rules = rules, digests = digests, failed = failed,
    letters = several and self:letters(letters, codes, digests) or letters }
end

-- Goes to the state behind a program, whose beginnings are known.
function Search:go_to(program)
  local common = 0
  while common < #program and common < #self.path and self.path:byte(common + 1) == program:byte(common + 1) do
    common = common + 1
  end
  if common < #self.path or self.changed then self:back(common) end
  self.changed = false
  for depth = common + 1, #program do
    local before = self.saved[depth - 1]
    local made = self:try(program:byte(depth), before)
    local saved = { digests = made.digests, letters = made.letters }
    for k, world in ipairs(self.worlds) do
      saved[k] = not (#self.worlds > 1 and is_alone(made.letters, k)) and world:save() or nil
    end
    self.saved[depth] = saved
  end
  self.path = program
end

-- -------------------------------------------------------------------------------------- visiting --

-- All programs of one more word.
function Search:extend(program, last)
  local observer, depth = self.observer, #program
  self:go_to(program)
  local before = self.saved[depth]
  for word = 1, #self.words do
    if self.worlds[1]:may(word) then
      local made = self:try(word, before)
      self.programs = self.programs + 1
      if observer.step then observer.step(self, word, made, before) end
      local next_one
      if made.letters ~= before.letters then
        next_one = program .. string.char(word)
        observer.differ(next_one, before, made)
      end
      if not made.failed then
        local key = self:key(made.digests, made.letters)
        if not self.seen[key] then
          self.seen[key] = true
          self.classes = self.classes + 1
          next_one = next_one or program .. string.char(word)
          if observer.class then observer.class(next_one, key, made.letters) end
          if not last and self:goes_on(made.letters) then self.next[#self.next + 1] = next_one end
        end
        self:back(depth)
      end
    end
  end
end

-- Whether two worlds still agree.
function Search:goes_on(letters)
  if #self.worlds == 1 then return true end
  for k = 1, #letters do
    if not is_alone(letters, k) then return true end
  end
  return false
end

-- Visits programs up to a number of words. Returns why it ended early, or nothing. options: limit (directives).
function Search:run(bound, options)
  local level = { "" }
  for n = 1, bound do
    local expected = #level * #self.words * #self.worlds
    if options.limit and self.directives + expected > options.limit then
      return ("programs of %d words need about %d more directives; the limit is %d"):format(n, expected, options.limit)
    end
    self.next = {}
    local begun = core.clock()
    for i, program in ipairs(level) do
      self:extend(program, n == bound)
      if options.progress then options.progress(n, i, #level, self.directives, core.clock() - begun) end
    end
    if self.observer.level then self.observer.level(n, self) end
    level = self.next
    if #level == 0 then return nil end
  end
end

return search
