-- explore - the command `accdeep explore`: executes all programs of a vocabulary up to a bound, and reports
-- differences between rule profiles or violated properties.
--
-- Input: a scenario with a vocabulary, and names of rule profiles. Output: counts, findings, and a scenario that
-- reproduces the findings. cli/explore.lua and cli/merge.lua call this module. The search is in search.lua.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local profile_differences = require "accdeep.tools.explore.profile_differences"
local files = require "accdeep.tools.files"
local properties = require "accdeep.tools.explore.properties"
local level_jobs = require "accdeep.tools.explore.level_jobs"
local test_program = require "accdeep.tools.explore.test_program"
local program_replay = require "accdeep.tools.explore.program_replay"
local results_file = require "accdeep.tools.explore.results_file"
local search = require "accdeep.tools.explore.search"
local transition_system = require "accdeep.tools.explore.transition_system"

local explore = {}

-- Returns a 64-bit hash (FNV-1a) of everything that determines the result of an exploration. explore.run does not
-- resume a file of results with a different key.
local function key_of(source, names, bound, parts)
  local hash = 0xcbf29ce484222325
  for c in (table.concat({ source.text, table.concat(names, " "), bound, table.concat(parts) }, "\0")):gmatch "." do
    hash = (hash ~ c:byte()) * 0x100000001b3
  end
  return hash
end

-- Closes the transition systems of an exploration (result of explore.open).
function explore.close(exploration)
  for _, system in ipairs(exploration.systems) do system:close() end
end

-- Opens an exploration of the scenario file `path`. Returns {source, names, systems, actions, bound, parts, line, key,
-- is_own}. `names`: the profiles. `systems`: a transition system for each. `actions`: the vocabulary's actions
-- (test_program.lua). `bound`: length of the longest programs. `parts`: names of the compared parts of a state. `line`:
-- line of the vocabulary. `key`: result of key_of. `is_own`: the profile is the scenario's own. The caller closes the
-- result with explore.close, or declares its variable <close>. Raises if the scenario has an error or no vocabulary;
-- nothing stays open then.
--
-- Options. `rules`: a list of profile names, or nil for the scenario's own. `bound`: a number of actions that
-- replaces the vocabulary's, or nil. `counters`: compare reference counters, too. `hold`: check properties instead of
-- comparing profiles.
function explore.open(path, options)
  local exploration = setmetatable({ source = { file = path, text = files.read(path) }, systems = {}, names = {} },
    { __close = explore.close })
  exploration.is_own = not options.rules
  local ok, err = pcall(function()
    for k, name in ipairs(options.rules or { false }) do
      exploration.systems[k] = transition_system.open(path, exploration.source.text, name or nil)
      exploration.names[k] = exploration.systems[k].session.rules.name
    end
    local vocabulary = exploration.systems[1].vocabulary
    exploration.actions, exploration.line = test_program.all_actions(vocabulary), vocabulary.line
    exploration.bound = options.bound or vocabulary.bound
    for _, system in ipairs(exploration.systems) do system:prepare(exploration.actions) end
  end)
  if not ok then
    explore.close(exploration)
    error(err, 0)
  end
  exploration.parts = profile_differences.parts(options.counters)
  exploration.key = key_of(exploration.source, exploration.names, exploration.bound,
    options.hold and { "hold" } or exploration.parts)
  return exploration
end

-- Returns the file of results to write (results_file.lua), and its former content if options.resume is set. Returns nil
-- if options.out is nil. Raises if the former content belongs to another exploration.
local function results_of(exploration, options)
  if not options.out then return nil end
  if not options.resume then return results_file.create(options.out, exploration.key, options.shard) end
  local loaded = results_file.load(options.out)
  local loaded_shard, shard = loaded.shard or { 1, 1 }, options.shard or { 1, 1 }
  if loaded.key ~= exploration.key or loaded_shard[1] ~= shard[1] or loaded_shard[2] ~= shard[2] then
    error(diagnostic.new { code = "file", rule = "HOUSE-files",
      message = ("%s holds results of another exploration"):format(options.out),
      help = "the scenario, --rules, --bound, --counters, --hold and --shard must be those of the interrupted run" }, 0)
  end
  return results_file.continue(options.out, loaded), loaded
end

-- Returns a list of the actions, without ends of regions, that succeeded in no program. `succeeded`: a table from the
-- number of an action to true.
local function never_succeeded(actions, succeeded)
  local list = {}
  for i, action in ipairs(actions) do
    if action.kind ~= "end" and not succeeded[i] then list[#list + 1] = action end
  end
  return list
end

-- Runs the search of an exploration and returns its result.
--
-- Options. `out`: path of the file of results, or nil. `resume`: continue that file. `shard`: {i, n}, or nil. `jobs`:
-- number of processes; nil: 1. `limit`: largest number of directives to execute, or nil. `hold`: check properties, of
-- one profile. `progress(n, i, all, directives, seconds)`: called after program i of the `all` programs of level n;
-- `seconds` is the time since the level began.
--
-- Result. `renamings`: number of symmetries, with the identity. `directives`, `programs`, `classes`: counts. `levels`:
-- number of classes by program length. `findings`: differences or counterexamples. `seconds`: run time. `carried_out`:
-- directives that this run executed, without those of the run that it resumed. `never`: actions that failed in every
-- program; empty in a resumed run. `ended`: nil if the search completed, otherwise "limit" or "interrupted". `why`: a
-- sentence for "limit", or nil.
function explore.run(exploration, options)
  local file, loaded = results_of(exploration, options)
  local observer, levels, counted = {}, {}, 0
  -- Called for each kept finding: writes it to the file of results, if there is one.
  local function report_finding(finding)
    if observer.on_finding then observer.on_finding(finding) end
  end
  local findings
  if options.hold then
    findings, observer.add, observer.step = properties.collect(exploration.systems[1], exploration.actions,
      report_finding)
  else
    findings, observer.add, observer.differ = profile_differences.collect(
      exploration.names, exploration.actions, exploration.parts, report_finding)
  end
  -- Counts the classes of level n.
  function observer.level(n, program_search)
    levels[n], counted = program_search.classes - counted, program_search.classes
  end
  if loaded then
    for _, finding in ipairs(loaded.findings) do observer.add(finding) end
    for n = 1, loaded.level - 1 do
      levels[n] = #loaded.levels[n].classes
      counted = counted + levels[n]
    end
  end
  if file then
    -- Writes a new class to the file of results.
    function observer.class(...) file:add(results_file.class_line(...)) end
    -- Writes a finding to the file of results.
    function observer.on_finding(finding) file:add(results_file.finding_line(finding)) end
  end
  local program_search = search.new(exploration.systems, exploration.actions, exploration.parts, observer)
  local begun, level, level_begun = core.clock(), 0, nil
  -- Reports progress: program i of the `all` programs of level n was extended.
  local function progress(n, i, all)
    if n ~= level then level, level_begun = n, core.clock() end
    if options.progress then options.progress(n, i, all, program_search.directives, core.clock() - level_begun) end
  end
  local ended, why = program_search:run(exploration.bound, { limit = options.limit, results = file, loaded = loaded,
    shard = options.shard,
    visit = level_jobs.visit(math.max(options.jobs or 1, 1), file, progress) })
  if ended and file then file:write() end
  return { ended = ended, why = why, renamings = #program_search.renamings + 1, directives = program_search.directives,
    programs = program_search.programs, classes = program_search.classes, levels = levels, findings = findings,
    seconds = math.max(core.clock() - begun, 1e-6),
    carried_out = program_search.directives - (loaded and loaded.directives or 0),
    never = not loaded and never_succeeded(program_search.actions, program_search.succeeded) or {} }
end

-- Returns the merged results (see results_file.merge) of all shards, the processes among which a search was divided.
-- `paths`: the files of the shards. Raises if the files belong to another exploration.
function explore.merge(exploration, paths)
  local joined = results_file.merge(paths)
  if joined.key ~= exploration.key then
    error(diagnostic.new { code = "file", message = "these are results of another exploration", rule = "HOUSE-files",
      help = "the scenario, --rules, --bound, --counters and --hold must be those of the shards" }, 0)
  end
  return joined
end

-- ----------------------------------------------------------------------------------- as scenario --

-- Returns the text of a scenario with a case for each counterexample in `findings` (explore.run with `hold`).
function explore.counterexamples(exploration, findings)
  local cases = { test_program.declarations(exploration.source, exploration.line) }
  for _, finding in ipairs(findings) do
    cases[#cases + 1] = properties.case(finding, exploration.actions, exploration.names[1], exploration.is_own)
  end
  return table.concat(cases, "\n")
end

-- Returns the smallest differences of each kind (profile_differences.smallest), and the text of a scenario with a case
-- for each of them. `findings`: the differences of explore.run.
function explore.differences(exploration, findings)
  local replayed = program_replay.new(exploration.source, exploration.actions)
  local rows = profile_differences.smallest(profile_differences.rows(findings, replayed, exploration.names,
    exploration.parts))
  local cases = { test_program.declarations(exploration.source, exploration.line) }
  for _, row in ipairs(rows) do cases[#cases + 1] = profile_differences.case(row, exploration.names) end
  replayed:close()
  return rows, table.concat(cases, "\n")
end

return explore
