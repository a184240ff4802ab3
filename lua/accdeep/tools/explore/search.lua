-- search.lua - visits all programs of a vocabulary, the shortest first, once for each state that they reach.
--
-- Several worlds (transition_system.lua) carry out the same words, each under its own rules. Programs are one class if
-- each world is in the same state after them, by its digests, perhaps with other names, and if the same worlds have
-- agreed so far. The first program of a class is extended; programs of one length come in the order of their words.
-- Between two programs the worlds go back to the longest beginning that both have, so that each word is carried out
-- once.

local symmetry = require "accdeep.tools.explore.symmetry"

local search = {}

local Search = {}
Search.__index = Search

-- The parts of a world's state; open: the words whose regions are open.
local PARTS = { "host", "present", "values", "counters", "rest", "open" }
search.parts = PARTS
local NPARTS = #PARTS

local function mix(hash, value)
  hash = (hash ~ value) * 0x9E3779B97F4A7C15
  return hash ~ hash >> 29
end

-- worlds: with their words prepared; words: {kind, text, ...}. compared: names of the parts of states in which worlds
-- may differ. observer: functions that are called if they are there:
--   step(search, program, word, outcomes, before)   a word was carried out behind a program; outcomes: see Search:try;
--                                    true: the worlds have been changed
--   class(program, key, letters)     the first program of a new class
--   differ(program, letters, outcomes)   worlds that had agreed, by letters, do not any more
--   level(n, search)                 all programs of n words are known
function search.new(systems, words, compared, observer)
  local self = setmetatable({ systems = systems, words = words, observer = observer, seen = {}, saved = {}, path = "",
    directives = 0, classes = 0, programs = 0, parts = {}, next = {}, renamings = {}, shard = false, divided = false,
    succeeded = {}, told = false }, Search)
  for i, part in ipairs(PARTS) do
    for _, name in ipairs(compared) do self.parts[i] = self.parts[i] or name == part end
  end
  self.renamings = symmetry.renamings(systems, words)
  local digests = {}
  for k = 1, #systems do self:read(k, digests) end
  self.saved[0] = { digests = digests, partition = ("a"):rep(#systems) }
  for k, system in ipairs(systems) do self.saved[0][k] = system:save() end
  self.seen[self:key(digests, self.saved[0].partition)] = true
  return self
end

-- -------------------------------------------------------------------------------------- states --

-- way: under other names (symmetry.lua).
function Search:read(k, digests, way)
  local at = (k - 1) * NPARTS
  local system, numbers = self.systems[k], way and way.numbers
  digests[at + 1], digests[at + 2], digests[at + 3], digests[at + 4], digests[at + 5] = system:digests(numbers)
  digests[at + 6] = system:hash_open_regions(way)
end

-- Whether no other world has agreed with this one all along: what it does does not matter any more.
local function is_diverged(partition, k)
  local class = partition:sub(k, k)
  local at = partition:find(class, 1, true)
  return not partition:find(class, at + 1, true)
end

-- One number for the states of all worlds, and for who agrees with whom: the least one under all names, if some can be
-- exchanged. The worlds are in these states.
function Search:key(digests, partition)
  local least = self:hash(digests, partition)
  for _, way in ipairs(self.renamings) do
    local renamed = {}
    for k in ipairs(self.systems) do
      if #self.systems == 1 or not is_diverged(partition, k) then self:read(k, renamed, way) end
    end
    least = math.min(least, self:hash(renamed, partition))
  end
  return least
end

function Search:hash(digests, partition)
  local hash = mix(0, #partition)
  for k = 1, #self.systems do
    if is_diverged(partition, k) and #self.systems > 1 then
      hash = mix(hash, 0)
    else
      hash = mix(hash, partition:byte(k))
      for i = (k - 1) * NPARTS + 1, k * NPARTS do hash = mix(hash, digests[i]) end
    end
  end
  return hash
end

-- Worlds by what they show behind a word: those with one letter have agreed all along. codes: of the word's errors.
-- A world in which the word failed agrees with no other world any more.
function Search:partition(before, codes, digests)
  local partition, n, made = {}, 0, {}
  for k = 1, #self.systems do
    local shown = { before:sub(k, k) }
    for i = 1, NPARTS do
      if self.parts[i] then shown[#shown + 1] = digests[(k - 1) * NPARTS + i] end
    end
    local key = codes[k] and k or table.concat(shown, " ")
    if not partition[key] then
      partition[key] = string.char(97 + n)
      n = n + 1
    end
    made[k] = partition[key]
  end
  return table.concat(made)
end

-- Makes the worlds what they are behind the program so far.
function Search:back(depth)
  local saved = self.saved[depth]
  for k, system in ipairs(self.systems) do
    if saved[k] then system:restore(saved[k]) end
  end
end

-- Carries out a word in all worlds that still matter. Returns outcomes by world: {codes, rules, digests, letters,
-- failed: in all; stopped: in one, at a limit, which nothing undoes}.
function Search:try(word, before)
  local codes, rules, digests, partition = {}, {}, {}, before.partition
  local failed, several, stopped = true, #self.systems > 1, false
  for k, system in ipairs(self.systems) do
    local at = (k - 1) * NPARTS
    if several and is_diverged(partition, k) then
      for i = at + 1, at + NPARTS do digests[i] = 0 end
    else
      codes[k], rules[k] = system:step(word)
      self.directives = self.directives + 1
      if codes[k] then
        stopped = stopped or codes[k] == "limit"
        for i = at + 1, at + NPARTS do digests[i] = before.digests[i] end
      else
        failed = false
        self:read(k, digests)
      end
    end
  end
  return { codes = codes, rules = rules, digests = digests, failed = failed, stopped = stopped,
    partition = several and self:partition(partition, codes, digests) or partition }
end

-- Goes to the state behind a program, whose beginnings are known.
function Search:go_to(program)
  local common = 0
  while common < #program and common < #self.path and self.path:byte(common + 1) == program:byte(common + 1) do
    common = common + 1
  end
  if common < #self.path then self:back(common) end
  for depth = common + 1, #program do
    local before = self.saved[depth - 1]
    local made = self:try(program:byte(depth), before)
    local saved = { digests = made.digests, partition = made.partition }
    for k, system in ipairs(self.systems) do
      saved[k] = not (#self.systems > 1 and is_diverged(made.partition, k)) and system:save() or nil
    end
    self.saved[depth] = saved
  end
  self.path = program
end

-- -------------------------------------------------------------------------------------- visiting --

-- The first program of a class. last: no program goes on.
function Search:add_class(program, key, partition, last)
  self.seen[key] = true
  self.classes = self.classes + 1
  if self.observer.class then self.observer.class(program, key, partition) end
  if not last and self:has_agreement(partition) then self.next[#self.next + 1] = program end
end

-- Whether a word can come next in a world that still matters.
function Search:may(word, partition)
  for k, system in ipairs(self.systems) do
    if (#self.systems == 1 or not is_diverged(partition, k)) and system:may(word) then return true end
  end
  return false
end

-- All programs of one more word. last: they do not go on.
function Search:extend(program, last)
  local observer, depth = self.observer, #program
  self:go_to(program)
  local before = self.saved[depth]
  for word = 1, #self.words do
    if self:may(word, before.partition) then
      local made = self:try(word, before)
      self.programs = self.programs + 1
      local key = not made.failed and self:key(made.digests, made.partition)
      self.succeeded[word] = self.succeeded[word] or key ~= false
      local changed = self.words[word].of_host or made.stopped
      if observer.step and observer.step(self, program, word, made, before) then changed = true end
      local next_one
      if made.partition ~= before.partition then
        next_one = program .. string.char(word)
        observer.differ(next_one, before.partition, made)
      end
      if key then
        if not self.seen[key] then
          self:add_class(next_one or program .. string.char(word), key, made.partition, last)
        end
        changed = true
      end
      if changed then self:back(depth) end
    end
  end
end

-- Whether two worlds still agree: programs go on while some do.
function Search:has_agreement(partition)
  if #self.systems == 1 then return true end
  for k = 1, #partition do
    if not is_diverged(partition, k) then return true end
  end
  return false
end

-- Programs of one level that are this shard's: levels are divided as soon as there is enough for all, or at the end.
function Search:divide(level, n, bound)
  local shard = self.shard
  if not shard or self.divided or #level < 8 * shard[2] and n < bound then return level end
  local own = {}
  for i, program in ipairs(level) do
    if i % shard[2] == shard[1] - 1 then own[#own + 1] = program end
  end
  self.divided = { directives = self.directives, programs = self.programs }
  return own
end

-- Takes up what a file of results says (results_file.lua). Returns the level that was under way, its programs, and the
-- first one that has not been extended.
function Search:resume(loaded, bound)
  local level = self:divide({ "" }, 1, bound)
  for n, known in ipairs(loaded.levels) do
    self.next = {}
    for _, class in ipairs(known.classes) do
      self.seen[class.key] = true
      self.classes = self.classes + 1
      if n < bound and self:has_agreement(class.partition) then self.next[#self.next + 1] = class.program end
    end
    if n < loaded.level then level = self:divide(self.next, n + 1, bound) end
  end
  self.directives, self.programs = loaded.directives, loaded.programs
  if self.divided and loaded.before then self.divided = loaded.before end
  return math.max(loaded.level, 1), level, loaded.record_extended + 1
end

-- Visits programs up to a number of words. Returns why it ended early ("limit" and a sentence, "interrupted"), or
-- nothing. options: limit (directives), results
-- (file that is written), loaded (what it said before), shard, visit(search, level, first, n, last): extends the
-- programs of a level from the first one on; true: it was interrupted.
function Search:run(bound, options)
  local results, loaded = options.results, options.loaded
  self.shard = options.shard
  local n, level, first
  if loaded and loaded.level > 0 then
    n, level, first = self:resume(loaded, bound)
  else
    n, level, first = 1, self:divide({ "" }, 1, bound), 1
  end
  while n <= bound and #level > 0 do
    local expected = (#level - first + 1) * #self.words * #self.systems
    if options.limit and self.directives + expected > options.limit then
      if results then results:write() end
      return "limit", ("programs of %d words need up to %d more directives; the limit is %d"):format(n, expected,
        options.limit)
    end
    if results and first == 1 then
      results:settle("level " .. n)
      if self.divided and not self.told then
        results:add(("s %d %d"):format(self.divided.directives, self.divided.programs))
      end
      self.told = self.divided
    end
    if options.visit(self, level, first, n, n == bound) then return "interrupted" end
    if self.observer.level then self.observer.level(n, self) end
    n, first = n + 1, 1
    level = self:divide(self.next, n, bound)
    self.next = {}
  end
  if results then results:settle("done", true) end
end

return search
