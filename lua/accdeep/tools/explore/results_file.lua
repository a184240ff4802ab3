-- results_file.lua - the file of results of an exploration: written during the search, resumed after an interruption,
-- and merged over shards.
--
-- Each line is a record:
--
--   accdeep explore 1 KEY            header. KEY: hash of all that determines the result.
--   part I N                         shard I of N.
--   level N                          programs of N actions begin.
--   c PROGRAM KEY LETTERS            a new class: first program (hex), key of its state, partition.
--   d JSON                           a difference, or a counterexample.
--   s DIRECTIVES PROGRAMS            counts when the programs were divided among shards.
--   e I DIRECTIVES PROGRAMS          the first I programs of the previous level are extended.
--   done                             the search is complete.
--
-- Records count only up to the last line e, level, part or done. A reader drops the lines after it, because an
-- interrupted write may have left them incomplete. A class is the set of programs that reach one state; a partition is
-- a string that has equal letters for systems which agree (both: search.lua). A shard is one of N processes that divide
-- the search. A finding is a difference between profiles or a counterexample of a property.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local json = require "dkjson"

local results_file = {}

local Results = {}
Results.__index = Results

-- Raises an error about the file of results `path`. `why`: the reason.
local function refuse(path, why)
  error(diagnostic.new { code = "file", message = ("%s: %s"):format(path, why), rule = "HOUSE-files" }, 0)
end

local FLUSH, SECONDS = 1 << 16, 5 -- buffered bytes and seconds after which the file is written

-- Returns a text as hexadecimal digits, two for each byte.
local function hex(text) return (text:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end
-- Returns the text that hexadecimal digits describe. Precondition: their number is even.
local function text_of(digits) return (digits:gsub("%x%x", function(c) return string.char(tonumber(c, 16)) end)) end

-- Returns the line `c` of a class: first program, key of its state, partition.
function results_file.class_line(program, key, partition)
  return ("c %s %016x %s"):format(hex(program), key, partition)
end

-- Returns the integers that `pattern` captures in a text. Raises if the pattern does not match, or if a number is too
-- large.
local function numbers_of(text, pattern)
  local numbers = table.pack(text:match(pattern))
  assert(numbers[1])
  for i = 1, numbers.n do numbers[i] = assert(math.tointeger(tonumber(numbers[i]))) end
  return table.unpack(numbers, 1, numbers.n)
end

local KEY = ("%x"):rep(16)

-- Returns the class {program, key, partition} of a line `c`. `rest`: the line after "c ". Raises if it is malformed.
function results_file.class_of(rest)
  local program, key, partition = rest:match("^(%x*) (" .. KEY .. ") (%a*)$")
  assert(program and #program % 2 == 0)
  return { program = text_of(program), key = math.tointeger(tonumber("0x" .. key)), partition = partition }
end

-- Returns the line `d` of a finding: a difference or a counterexample.
function results_file.finding_line(finding)
  local copy = {}
  for name, value in pairs(finding) do copy[name] = value end
  copy.program = hex(finding.program)
  return "d " .. json.encode(copy)
end

-- Returns the finding of a line `d`. `rest`: the line after "d ". Raises if it is malformed.
function results_file.finding_of(rest)
  local finding = json.decode(rest)
  assert(finding.program:find "^%x*$" and #finding.program % 2 == 0)
  finding.program = text_of(finding.program)
  return finding
end

-- Creates a file of results and returns a Results object. `key`: hash of all that determines the result (explore.open);
-- `shard`: {i, n}, or nil. Raises if the file cannot be written.
function results_file.create(path, key, shard)
  local results = setmetatable({ path = path, file = files.open(path), waiting = {}, bytes = 0, committed = 0,
    written = core.clock() }, Results)
  results:commit(("accdeep explore 1 %016x"):format(key), not shard)
  if shard then results:commit(("part %d %d"):format(shard[1], shard[2]), true) end
  return results
end

-- Appends a line to the buffer. The line counts as complete only after the next commit.
function Results:add(line)
  self.waiting[#self.waiting + 1] = line
  self.bytes = self.bytes + #line
end

-- Appends a line that completes all lines before it. Writes the buffer if it has FLUSH bytes or was last written
-- SECONDS ago, or if `now` is true. Raises if that fails.
function Results:commit(line, now)
  self:add(line)
  self.committed = #self.waiting
  if now or self.bytes >= FLUSH or core.clock() - self.written >= SECONDS then self:write() end
end

-- Writes the buffer up to the last complete line, and drops the lines after it. Raises if that fails.
function Results:write()
  for i = #self.waiting, self.committed + 1, -1 do self.waiting[i] = nil end
  self.waiting[#self.waiting + 1] = self.committed > 0 and "" or nil
  local ok, problem = self.file:write(table.concat(self.waiting, "\n"))
  if ok then ok, problem = self.file:flush() end
  if not ok then refuse(self.path, problem) end
  self.waiting, self.bytes, self.committed, self.written = {}, 0, 0, core.clock()
end

-- Commits a line `e`: the first `i` programs of the level under way are extended, and so many directives and programs
-- were executed so far. `now`: true to write the buffer at once.
function Results:record_extended(i, directives, programs, now)
  self:commit(("e %d %d %d"):format(i, directives, programs), now)
end

-- -------------------------------------------------------------------------------------- reading --

-- Returns the lines of a file up to the last complete one (see the head of this file), and its key. Raises if the file
-- is not a file of results.
local function lines_of(path)
  local lines, complete = {}, 0
  local text = files.read(path)
  for line, ending in text:gmatch "([^\n]*)(\n?)" do
    if ending == "" then break end
    lines[#lines + 1] = line
    if line:find "^[elp]" or line == "done" or #lines == 1 then complete = #lines end
  end
  for i = #lines, complete + 1, -1 do lines[i] = nil end
  local key = (lines[1] or ""):match("^accdeep explore 1 (" .. KEY .. ")$")
  if not key then refuse(path, "these are no results of accdeep explore") end
  return lines, math.tointeger(tonumber("0x" .. key))
end

-- Applies a line to the table `loaded`, which results_file.load returns. Raises if the line is malformed or out of
-- order.
local function apply_line(loaded, line)
  local word, rest = line:match "^(%a+) ?(.*)$"
  if word == "c" then
    table.insert(loaded.levels[loaded.level].classes, results_file.class_of(rest))
  elseif word == "d" then
    table.insert(loaded.findings, results_file.finding_of(rest))
  elseif word == "level" then
    local level = numbers_of(rest, "^(%d+)$")
    -- The second alternative holds if the level was begun again after an interruption.
    assert(level == #loaded.levels + 1 or level == loaded.level and loaded.record_extended == 0)
    loaded.level, loaded.record_extended = level, 0
    loaded.levels[level] = { classes = {} }
  elseif word == "e" then
    loaded.record_extended, loaded.directives, loaded.programs = numbers_of(rest, "^(%d+) (%d+) (%d+)$")
  elseif word == "s" then
    local directives, programs = numbers_of(rest, "^(%d+) (%d+)$")
    loaded.before = { directives = directives, programs = programs }
  elseif word == "part" then
    local i, n = numbers_of(rest, "^(%d+) (%d+)$")
    assert(i >= 1 and i <= n)
    loaded.shard = { i, n }
  elseif word == "done" then
    assert(rest == "")
    loaded.done = true
  else
    assert(word == "accdeep")
  end
end

-- Loads a file of results. Returns {key, shard, lines, levels, findings, directives, programs, level, record_extended,
-- before, done}. `levels`: a list of {classes}. `level`: number of the level under way; 0: none. `record_extended`:
-- number of programs already extended in that level. `before`: {directives, programs} executed by every shard before
-- the division, or nil. `shard`, `done`: nil if the file lacks the line. Raises if a line is damaged.
function results_file.load(path)
  local lines, key = lines_of(path)
  local loaded = { key = key, levels = {}, findings = {}, directives = 0, programs = 0, level = 0, record_extended = 0,
    lines = lines }
  for i, line in ipairs(lines) do
    if not pcall(apply_line, loaded, line) then refuse(path, ("line %d is damaged"):format(i)) end
  end
  return loaded
end

-- Returns a Results object that appends to a file after the last complete line. `loaded`: result of load for the file.
-- The file is replaced atomically: an interruption leaves the old or the new file. Raises if that fails.
function results_file.continue(path, loaded)
  local next_path = path .. ".new"
  local results = setmetatable({ path = path, file = files.open(next_path), waiting = loaded.lines, bytes = 0,
    committed = #loaded.lines }, Results)
  results:write()
  local ok, problem = os.rename(next_path, path)
  if not ok then refuse(path, problem) end
  return results
end

-- Merges the results of all shards. Returns {key, levels, classes, findings, directives, programs}. `levels`: number of
-- classes by program length. `classes`: number of all classes. `findings`: with the smallest program of each key.
-- Raises unless the files are all the shards of one finished exploration.
function results_file.merge(paths)
  local parts, shards = {}, {}
  local merged = { levels = {}, findings = {}, directives = 0, programs = 0, classes = 0 }
  local n
  for _, path in ipairs(paths) do
    local part = results_file.load(path)
    local shard = part.shard or { 1, 1 }
    if parts[1] and part.key ~= parts[1].key then refuse(path, "these are results of another exploration") end
    if n and shard[2] ~= n then refuse(path, ("this is a part of %d, not of %d"):format(shard[2], n)) end
    if not part.done then refuse(path, "the exploration has not ended: continue it with --resume") end
    if shards[shard[1]] then refuse(path, ("part %d is here twice"):format(shard[1])) end
    shards[shard[1]], n, parts[#parts + 1] = true, shard[2], part
  end
  for i = 1, n do
    if not shards[i] then refuse(paths[1], ("part %d of %d is missing"):format(i, n)) end
  end
  local level_of, keys = {}, {}
  for _, part in ipairs(parts) do
    local before = part.before or { directives = 0, programs = 0 }
    merged.directives = merged.directives + part.directives - before.directives
    merged.programs = merged.programs + part.programs - before.programs
    for level, entry in ipairs(part.levels) do
      for _, class in ipairs(entry.classes) do
        level_of[class.key] = math.min(level, level_of[class.key] or level)
      end
    end
    for _, finding in ipairs(part.findings) do
      local smallest = keys[finding.key]
      if not smallest then
        keys[finding.key], merged.findings[#merged.findings + 1] = finding, finding
      elseif #finding.program < #smallest.program
        or #finding.program == #smallest.program and finding.program < smallest.program then
        smallest.program = finding.program
      end
    end
  end
  merged.key = parts[1].key
  local shared = parts[1].before or { directives = 0, programs = 0 }
  merged.directives, merged.programs = merged.directives + shared.directives,
    merged.programs + shared.programs
  for level in ipairs(parts[1].levels) do merged.levels[level] = 0 end
  for _, level in pairs(level_of) do
    merged.levels[level] = (merged.levels[level] or 0) + 1
    merged.classes = merged.classes + 1
  end
  table.sort(merged.findings, function(a, b)
    if #a.program ~= #b.program then return #a.program < #b.program end
    return a.program < b.program
  end)
  return merged
end

return results_file
