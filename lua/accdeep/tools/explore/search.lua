-- search.lua - breadth-first search over all programs of a vocabulary, with one representative program per state.
--
-- Input: transition systems (transition_system.lua), one for each rule profile, and the actions of the vocabulary.
-- Output: calls of an observer, which collects differences (profile_differences.lua) or counterexamples
-- (properties.lua). `explore.run` in init.lua calls Search:run; level_jobs.lua divides a level among processes.
--
-- Terms. An action is a word of the vocabulary: a directive, a statement, or the end of a region. A program is a
-- sequence of actions, stored as a string with one byte (the action's number) per action. A system's state is the
-- tuple of six digests named by PARTS. A partition is a string with one letter per system. Systems with one letter
-- have agreed since the program began; a system whose letter is unique has diverged, and is no longer executed. With
-- a single system there is nothing to compare, and it is always executed.
--
--   level 0    level 1          level 2
--   ""         "1"              "1 1"  dropped: key of "1"
--     \-----   "2"  ---------   "1 2"  new class
--     \-----   "3"  fails       "2 1"  dropped: key of "1 2"
--
-- A class is the set of programs with equal keys. The key hashes the partition and the digests of all systems that have
-- not diverged. It is the minimum over all renamings of variables (symmetry.lua), so that programs which differ only in
-- names are one class. Only the first program of a class is extended (by one action). Within a level, programs are
-- visited in lexicographic order.
--
-- Invariants.
--
-- - `visited` holds the key of every class that was reached.
-- - `path` is the program whose state the systems are in, between two calls of Search:extend.
-- - `saved[d]` holds the checkpoints, digests and partition after the first d actions of `path`. A diverged system
--   has no checkpoint there.
-- - `next` is the frontier: the representatives of the level under way that the following level extends.
--
-- Life of a program. Search:extend restores the longest common prefix of `path` and the program, executes the rest, and
-- saves a checkpoint after each action (Search:go_to). Search:try then executes each possible next action. The
-- observer's callback `step` is called for every execution, `differ` for each split of the partition, and `class` for
-- each new key. The checkpoint is restored after each action that changed a system. A new class in which two systems
-- still agree enters `next`.
--
-- Two different states with equal keys would be merged; keys have 64 bits.

local symmetry = require "accdeep.tools.explore.symmetry"

local search = {}

local Search = {}
Search.__index = Search

-- Components of a system's state, in the order of its digests (profile_comparison.lua). `open` is the hash of the open
-- regions.
local PARTS = { "host", "present", "values", "counters", "rest", "open" }
search.parts = PARTS
local NPARTS = #PARTS

-- Returns a hash of the hash `hash` and the integer `value`.
local function mix(hash, value)
  hash = (hash ~ value) * 0x9E3779B97F4A7C15
  return hash ~ hash >> 29
end

-- Returns a search at the empty program. `systems`: transition systems, prepared with the actions. `actions`: a list
-- of {kind, text, ...}. `part_names`: names of the entries of PARTS that must be equal in two systems that agree.
-- `observer`: a table of the following callbacks.
--
-- `step(search, program, number, attempt, before)`, optional, is called after each execution of the action `number`
-- after a program. `attempt` is the result of Search:try, `before` the entry of `saved` before the action. `step`
-- returns true if it changed the systems.
--
-- `class(program, key, partition)`, optional, is called for the first program of each new class.
--
-- `differ(program, partition_before, attempt)` is called if systems that agreed before the last action do not agree
-- any more. It is required if there are several systems.
--
-- `level(n, search)`, optional, is called after the last program of n actions.
function search.new(systems, actions, part_names, observer)
  local self = setmetatable({ systems = systems, actions = actions, observer = observer, visited = {}, saved = {},
    path = "", directives = 0, classes = 0, programs = 0, parts = {}, next = {}, renamings = {}, shard = false,
    divided = false, succeeded = {}, recorded_division = false }, Search)
  for i, part in ipairs(PARTS) do
    for _, name in ipairs(part_names) do self.parts[i] = self.parts[i] or name == part end
  end
  self.renamings = symmetry.renamings(systems, actions)
  local digests = {}
  for k = 1, #systems do self:read(k, digests) end
  self.saved[0] = { digests = digests, partition = ("a"):rep(#systems) }
  for k, system in ipairs(systems) do self.saved[0][k] = system:save() end
  self.visited[self:key(digests, self.saved[0].partition)] = true
  return self
end

-- -------------------------------------------------------------------------------------- states --

-- Writes the digests of system k's present state to the entries (k - 1) * NPARTS + 1 to k * NPARTS of `digests`.
-- `renaming`: a renaming of variables (symmetry.lua), or nil.
function Search:read(k, digests, renaming)
  local at = (k - 1) * NPARTS
  local system, numbers = self.systems[k], renaming and renaming.numbers
  digests[at + 1], digests[at + 2], digests[at + 3], digests[at + 4], digests[at + 5] = system:digests(numbers)
  digests[at + 6] = system:hash_open_regions(renaming)
end

-- Returns true if no other system has the letter of system k: system k agrees with no system and is not executed any
-- more. (A single system always counts as diverged here; callers test for it.)
local function is_diverged(partition, k)
  local class = partition:sub(k, k)
  local at = partition:find(class, 1, true)
  return not partition:find(class, at + 1, true)
end

-- Returns the key of a state: the hash of the partition and of the states of all systems that have not diverged. It is
-- the least hash under all renamings, so that symmetric states have one key. Precondition: the systems are in the
-- states that `digests` describes.
function Search:key(digests, partition)
  local least = self:hash(digests, partition)
  for _, renaming in ipairs(self.renamings) do
    local renamed = {}
    for k in ipairs(self.systems) do
      if #self.systems == 1 or not is_diverged(partition, k) then self:read(k, renamed, renaming) end
    end
    least = math.min(least, self:hash(renamed, partition))
  end
  return least
end

-- Returns the hash of the partition and of the digests of all systems that have not diverged, without renamings.
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

-- Returns the partition after an action. Two systems have a common letter if they had a common letter in `before`, the
-- action failed in neither of them, and all compared parts are equal. `codes`: error codes of the action by system, nil
-- where it succeeded. A system in which the action failed gets a letter that no other system has.
function Search:partition(before, codes, digests)
  local letter_by_key, n, letters_of_systems = {}, 0, {}
  for k = 1, #self.systems do
    local state_parts = { before:sub(k, k) }
    for i = 1, NPARTS do
      if self.parts[i] then state_parts[#state_parts + 1] = digests[(k - 1) * NPARTS + i] end
    end
    local key = codes[k] and k or table.concat(state_parts, " ")
    if not letter_by_key[key] then
      letter_by_key[key] = string.char(97 + n)
      n = n + 1
    end
    letters_of_systems[k] = letter_by_key[key]
  end
  return table.concat(letters_of_systems)
end

-- Restores the systems to the checkpoint after the first `depth` actions of `path`. Systems without a checkpoint there
-- have diverged and stay as they are.
function Search:back(depth)
  local saved = self.saved[depth]
  for k, system in ipairs(self.systems) do
    if saved[k] then system:restore(saved[k]) end
  end
end

-- Executes the action `number` in every system that has not diverged. `before`: the entry of `saved` before the action.
-- Returns {codes, rules, digests, partition, failed, stopped}. `codes`, `rules`: tables from system to the code and
-- rule of its error. `failed`: the action failed in every executed system. `stopped`: the action exceeded the step
-- budget in a system, whose changes then remain. A system in which the action failed keeps the digests of `before`.
function Search:try(number, before)
  local codes, rules, digests, partition = {}, {}, {}, before.partition
  local failed, several, stopped = true, #self.systems > 1, false
  for k, system in ipairs(self.systems) do
    local at = (k - 1) * NPARTS
    if several and is_diverged(partition, k) then
      for i = at + 1, at + NPARTS do digests[i] = 0 end
    else
      codes[k], rules[k] = system:step(number)
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

-- Moves the systems to the state after a program, saves a checkpoint after each of its actions, and sets `path`. Only
-- the actions after the common prefix with `path` are executed.
function Search:go_to(program)
  local common = 0
  while common < #program and common < #self.path and self.path:byte(common + 1) == program:byte(common + 1) do
    common = common + 1
  end
  if common < #self.path then self:back(common) end
  for depth = common + 1, #program do
    local before = self.saved[depth - 1]
    local attempt = self:try(program:byte(depth), before)
    local saved = { digests = attempt.digests, partition = attempt.partition }
    for k, system in ipairs(self.systems) do
      saved[k] = not (#self.systems > 1 and is_diverged(attempt.partition, k)) and system:save() or nil
    end
    self.saved[depth] = saved
  end
  self.path = program
end

-- -------------------------------------------------------------------------------------- visiting --

-- Records a new class and its first program. `last`: the level is the last one, therefore the program is not added to
-- `next`.
function Search:add_class(program, key, partition, last)
  self.visited[key] = true
  self.classes = self.classes + 1
  if self.observer.class then self.observer.class(program, key, partition) end
  if not last and self:has_agreement(partition) then self.next[#self.next + 1] = program end
end

-- Returns true if at least one system that has not diverged can execute the action `number`: an `end` action needs an
-- open region.
function Search:may(number, partition)
  for k, system in ipairs(self.systems) do
    if (#self.systems == 1 or not is_diverged(partition, k)) and system:may(number) then return true end
  end
  return false
end

-- Executes every enabled action after `program`, reports to the observer, and adds the new classes. `last`: the new
-- programs have the maximal length. Afterwards the systems are in the state after `program`.
function Search:extend(program, last)
  local observer, depth = self.observer, #program
  self:go_to(program)
  local before = self.saved[depth]
  for number = 1, #self.actions do
    if self:may(number, before.partition) then
      local attempt = self:try(number, before)
      self.programs = self.programs + 1
      local key = not attempt.failed and self:key(attempt.digests, attempt.partition)
      self.succeeded[number] = self.succeeded[number] or key ~= false
      local changed = self.actions[number].of_host or attempt.stopped
      if observer.step and observer.step(self, program, number, attempt, before) then changed = true end
      local next_one
      if attempt.partition ~= before.partition then
        next_one = program .. string.char(number)
        observer.differ(next_one, before.partition, attempt)
      end
      if key then
        if not self.visited[key] then
          self:add_class(next_one or program .. string.char(number), key, attempt.partition, last)
        end
        changed = true
      end
      if changed then self:back(depth) end
    end
  end
end

-- Returns true if two systems still agree in `partition`, or if there is only one system. Only programs with such a
-- partition are extended.
function Search:has_agreement(partition)
  if #self.systems == 1 then return true end
  for k = 1, #partition do
    if not is_diverged(partition, k) then return true end
  end
  return false
end

-- Returns the programs of the list `level` that this shard (process I of N) extends. `n`: the length of the programs
-- after the extension; `bound`: the length of the longest programs. The search is divided once: at the first level with
-- at least 8 programs per shard, or at the last level (n = bound). Before and after that, and without shards, returns
-- `level` itself.
function Search:divide(level, n, bound)
  local shard = self.shard
  if not shard or self.divided or #level < 8 * shard[2] and n < bound then return level end
  local shard_programs = {}
  for i, program in ipairs(level) do
    if i % shard[2] == shard[1] - 1 then shard_programs[#shard_programs + 1] = program end
  end
  self.divided = { directives = self.directives, programs = self.programs }
  return shard_programs
end

-- Restores the search from `loaded`, the content of a file of results (results_file.load). Returns the number of the
-- level under way (at least 1), the programs that it extends, and the index of the first program that is not yet
-- extended.
function Search:resume(loaded, bound)
  local level = self:divide({ "" }, 1, bound)
  for n, loaded_level in ipairs(loaded.levels) do
    self.next = {}
    for _, class in ipairs(loaded_level.classes) do
      self.visited[class.key] = true
      self.classes = self.classes + 1
      if n < bound and self:has_agreement(class.partition) then self.next[#self.next + 1] = class.program end
    end
    if n < loaded.level then level = self:divide(self.next, n + 1, bound) end
  end
  self.directives, self.programs = loaded.directives, loaded.programs
  if self.divided and loaded.before then self.divided = loaded.before end
  return math.max(loaded.level, 1), level, loaded.record_extended + 1
end

-- Visits all programs of up to `bound` actions. Returns nothing if the search completed, "interrupted" if the user
-- stopped it, or "limit" and a sentence about options.limit. Raises if the file of results cannot be written.
--
-- Options. `limit`: the number of executed directives that the search may not exceed, estimated before each level; nil:
-- none. `results`: the file of results to write, or nil. `loaded`: former content of that file, or nil. `shard`: {i, n}
-- for shard i of n, or nil. `visit(search, level, first, n, last)`: extends the programs of the list `level` from index
-- `first` on to n actions, and returns true if the user interrupted it. `last`: n is `bound`.
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
    local expected = (#level - first + 1) * #self.actions * #self.systems
    if options.limit and self.directives + expected > options.limit then
      if results then results:write() end
      return "limit", ("programs of %d words need up to %d more directives; the limit is %d"):format(n, expected,
        options.limit)
    end
    if results and first == 1 then
      results:commit("level " .. n)
      if self.divided and not self.recorded_division then
        results:add(("s %d %d"):format(self.divided.directives, self.divided.programs))
      end
      self.recorded_division = self.divided
    end
    if options.visit(self, level, first, n, n == bound) then return "interrupted" end
    if self.observer.level then self.observer.level(n, self) end
    n, first = n + 1, 1
    level = self:divide(self.next, n, bound)
    self.next = {}
  end
  if results then results:commit("done", true) end
end

return search
