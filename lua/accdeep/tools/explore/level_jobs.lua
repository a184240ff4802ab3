-- level_jobs.lua - extends a level of programs in several processes.
--
-- Input: a search (search.lua) and a level, the programs of one length. Search:run calls this module through `visit`.
-- Each forked child inherits the whole search and extends an interval of the level. It writes new classes and findings
-- as lines of results_file.lua to a temporary file. The parent merges the files in the order of the intervals, so that
-- the result does not depend on the number of processes.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local results_file = require "accdeep.tools.explore.results_file"
local system = require "accdeep.system"

local level_jobs = {}

local ROUND = 500 -- programs of a child in one round
local POLL = 0.1  -- interval in seconds between two reports of progress

-- Runs in a child: extends level[from..to] and writes the new classes, findings, successful actions and counts as lines
-- to the file `pipe`. `last`: the new programs have the maximal length. `counter`: counters in memory shared with the
-- parent; entry 1 counts the extended programs.
local function work(search, level, from, to, last, pipe, counter)
  local lines = {}
  local before = { directives = search.directives, programs = search.programs }
  search.next = {}
  search.observer.class = function(program, key, partition)
    lines[#lines + 1] = results_file.class_line(program, key, partition)
  end
  search.observer.on_finding = function(finding) lines[#lines + 1] = results_file.finding_line(finding) end
  for i = from, to do
    search:extend(level[i], last)
    counter:add(1, 1)
  end
  for number in pairs(search.succeeded) do lines[#lines + 1] = search.succeeded[number] and "w " .. number or nil end
  lines[#lines + 1] = ("e %d %d"):format(search.directives - before.directives, search.programs - before.programs)
  pipe:write(table.concat(lines, "\n"), "\n")
  pipe:flush()
end

-- Merges a child's lines, in the file `pipe`, into the search. Returns true if the child completed, which its last
-- line, `e`, shows. Returns false if the child crashed. `last`: the new programs have the maximal length.
local function merge_results(search, pipe, last)
  local observer, ended = search.observer, false
  pipe:seek("set", 0)
  for line in pipe:lines() do
    local kind, rest = line:match "^(%a) (.*)$"
    if kind == "e" then
      local directives, programs = rest:match "^(%d+) (%d+)$"
      search.directives, search.programs = search.directives + directives, search.programs + programs
      ended = true
    elseif kind == "d" then
      observer.add(results_file.finding_of(rest))
    elseif kind == "w" then
      search.succeeded[tonumber(rest)] = true
    else
      local class = results_file.class_of(rest)
      if not search.visited[class.key] then search:add_class(class.program, class.key, class.partition, last) end
    end
  end
  pipe:close()
  return ended
end

-- Extends level[from..to] in up to `n` children. progress(done, all): called repeatedly; `all` is the size of the
-- level. Returns true if the user interrupted the round, whose results are then discarded; otherwise nothing. Raises if
-- a child has crashed.
local function round(search, level, from, to, n, last, progress, all)
  local count, counter = to - from + 1, system.counters(1)
  local pipes, statuses, running = {}, {}, 0
  for job = 1, math.min(n, count) do
    local pipe = assert(io.tmpfile())
    local pid = system.fork()
    if pid == 0 then
      core.watch_interrupts(false)
      work(search, level, from + (job - 1) * count // n, from + job * count // n - 1, last, pipe, counter)
      system.exit(0)
    end
    pipes[job], statuses[job], running = pipe, pid, running + 1
  end
  local ended = {}
  while running > 0 do
    local pid, status = system.wait(POLL)
    progress(from - 1 + counter:get(1), all)
    if pid then
      ended[pid], running = status, running - 1
    end
  end
  if core.interrupted() then return true end
  for job, pipe in ipairs(pipes) do
    if not merge_results(search, pipe, last) then
      error(diagnostic.process_error("a process that explored", ended[statuses[job]]), 0)
    end
  end
end

-- Returns the `visit` function for Search:run. `n`: number of processes. `file`: the file of results, or nil.
-- `progress(level, done, all, search)` is called as programs are extended. `visit` returns true if the user interrupted
-- it, otherwise false. After an interruption, lines in `file` after the last line that completes others
-- (results_file.lua) are not used.
function level_jobs.visit(n, file, progress)
  return function(search, level, first, number, last)
    local i = first
    while i <= #level do
      local to, stopped = n > 1 and math.min(#level, i + n * ROUND - 1) or i, false
      if to - i + 1 >= 2 * n and n > 1 then
        stopped = round(search, level, i, to, n, last, function(done, all) progress(number, done, all, search) end,
          #level)
      else
        for k = i, to do search:extend(level[k], last) end
      end
      if stopped or core.interrupted() then return true end
      progress(number, to, #level, search)
      if file then file:record_extended(to, search.directives, search.programs) end
      i = to + 1
    end
    return false
  end
end

return level_jobs
