-- oracle_comparison.lua - breadth-first comparison of a rule profile with the real runtime that it describes.
--
-- A program is a list of actions, which are steps (steps/init.lua). Programs grow by one action per level. A program is
-- extended if both sides accept it with equal states, and no
-- extended program reached the same pair of states. Programs are run in the order of their length, shortest first.
-- Comparison:shrink then removes actions that a difference does not need. Differences are grouped by the last action
-- and by kind. oracle_report.lua calls this module.

local observation = require "accdeep.tools.explore.observation"
local oracle = require "accdeep.tools.explore.oracle"
local shrink = require "accdeep.steps.shrink"
local steps = require "accdeep.steps"
local test_program = require "accdeep.tools.explore.test_program"
local scenario_recorder = require "accdeep.tools.export.scenario_recorder"
local scenario = require "accdeep.script.scenario"
local diagnostic = require "accdeep.base.diagnostic"
local transition_system = require "accdeep.tools.explore.transition_system"

local oracle_comparison = {}

-- Returns the exported C program of a scenario (c_program.lua): its declarations and the statements that initialise
-- variables. `source`: {file, text} of the scenario. `rules`: a profile, or nil for the scenario's own. Raises if the
-- declarations cannot be exported.
local function exported_declarations(source, rules)
  local recorder = scenario_recorder(source.file)
  local run = scenario.open(source.file, source.text, { rules = rules, observers = { recorder.observer },
    out = function() end })
  recorder:catch_up()
  run:close()
  local reason = recorder.program.reason
  if reason then
    error(diagnostic.new { code = "unsupported", rule = "HOUSE-export", file = reason.file, line = reason.line,
      message = "the declarations have no C program: " .. reason.message, help = reason.help }, 0)
  end
  return recorder.program
end

-- Raises an error about programs that this module cannot run.
local function raise_unsupported(message, help)
  error(diagnostic.new { code = "unsupported", rule = "HOUSE-explore", message = message, help = help }, 0)
end

local Comparison = {}
Comparison.__index = Comparison

-- Opens both sides; the caller closes the comparison. `source`: {file, text} of a scenario with a vocabulary. `rules`:
-- a profile, or nil for the scenario's own. `on_exec`: programs run under `accdeep exec` instead of the compiler's
-- runtime. Raises if either side cannot be opened, and if the vocabulary has an `end` action for each region, because
-- blocks of C are nested.
function oracle_comparison.open(source, rules, compiler, on_exec)
  local declared = exported_declarations(source, rules)
  local base = transition_system.open(source.file, source.text, rules, "guarded")
  local actions, bound, layout = test_program.all_actions(base.vocabulary), base.vocabulary.bound,
    observation.layout(base.session)
  local profile = base.session.options.rules or "tr14"
  local ok, opened = pcall(function()
    if on_exec and type(profile) ~= "string" then
      raise_unsupported("accdeep exec takes no knobs", "name a profile: --rules libgomp-12")
    elseif actions[#actions].opener then
      raise_unsupported("regions of C are nested", 'vocabulary { regions = "nested", ... }')
    end
    return oracle.open { compiler = compiler, declared = declared, actions = actions, layout = layout,
      exec = on_exec and profile }
  end)
  if not ok then
    base:close()
    error(opened, 0)
  end
  return setmetatable({ base = base, actions = actions, bound = bound, layout = layout, oracle = opened,
    reuses = on_exec }, Comparison)
end

-- Removes the oracle's files and closes the session.
function Comparison:close()
  self.oracle:close()
  self.base:close()
end

-- ----------------------------------------------------------------------------------------- outcomes --

-- Executes a program under the profile. Returns a list of states and a key
-- (observation.key); programs with equal keys behave equally afterwards. The list has the text of the state after each
-- action from index `first` on, and "" before. The last entry is { stopped = code, rule = rule } if an action failed.
function Comparison:observe(program, first)
  local system, layout, result = self.base:inner(), self.layout, {}
  local session = system.session
  system:prepare(self.actions)
  for i, action in ipairs(program) do
    local code, rule = system:step(action.number)
    result[i] = code and { stopped = code, rule = rule } or i >= first and observation.text(session, layout) or ""
    if code then break end
  end
  local key = observation.key(session, layout, tostring(result[#result]))
  for i = #system.open, 1, -1 do
    key = ("%s %d"):format(key, system.open[i].number)
    system.open[i].region:abandon()
  end
  system:close()
  return result, key
end

-- Returns the difference of the states `ours` (accdeep's) and `theirs` (the runtime's) after one action as { kind, text
-- }; nil if they are equal. A state is a text or { stopped = reason }. Two failures are never a difference. `reuses`:
-- the runtime may give freed device memory to new data.
local function compare(ours, theirs, reuses)
  local we_end, they_end = type(ours) == "table", type(theirs) == "table"
  if we_end and they_end then return nil end
  if we_end then
    return { kind = "error " .. ours.stopped,
      text = ("accdeep has an error, %s; the runtime continues"):format(ours.stopped) }
  elseif they_end then
    return { kind = "ends: " .. theirs.stopped:gsub("%d+", "N"), text = "the runtime ends: " .. theirs.stopped }
  end
  local difference = observation.difference(ours, theirs, reuses)
  return difference and { kind = ("%s %s"):format(difference.side, difference.kind),
    text = ("scalar %d of %s on the %s: accdeep %s, the runtime %s"):format(difference.scalar, difference.object,
      difference.side, difference.ours, difference.theirs) }
end

-- Returns the text of an action: "end", or its directive or statement, with the body of a construct in braces.
local function text_of(action)
  if action.kind == "end" then return "end" end
  return action.body and ("%s { %s }"):format(action.text, (action.body:gsub(";%s*$", ""))) or action.text
end

-- Returns the text of a program.
function oracle_comparison.text(program)
  local texts = {}
  for i, action in ipairs(program) do texts[i] = text_of(action) end
  return table.concat(texts, "; ")
end

-- Parses the text of a program. Returns the program, or nil if an action is not in the vocabulary.
function Comparison:parse_program(text)
  for _, action in ipairs(self.actions) do
    local own = text_of(action)
    if text == own then return { action } end
    local rest = text:sub(1, #own + 2) == own .. "; " and self:parse_program(text:sub(#own + 3))
    if rest then return table.move(rest, 1, #rest, 2, { action }) end
  end
  return nil
end

-- Returns the first difference between the states `ours` and `theirs` (as in `compare`) of one program, from index
-- `first` on: { program, kind, text, key, ours, theirs }. Returns nil if there is none. `program`: the prefix of the
-- program up to the difference. `key`: the last action and the kind.
function Comparison:difference(program, ours, theirs, first)
  for i = first, #program do
    local a, b = ours[i], theirs[i]
    local difference = a ~= nil and b ~= nil and compare(a, b, self.reuses)
    if difference then
      difference.program = table.move(program, 1, i, 1, {})
      difference.ours, difference.theirs = a, b
      difference.key = ("%s: %s"):format(text_of(program[i]), difference.kind)
      return difference
    end
  end
  return nil
end

-- -------------------------------------------------------------------------------------- exploring --

-- Returns the programs that extend the programs `agreeing` by one action. An `end` action is added only if a region is
-- open; actions that the compiler rejects are never added.
function Comparison:longer(agreeing)
  local programs = {}
  for _, program in ipairs(agreeing) do
    local open = 0
    for _, action in ipairs(program) do open = open + steps.depth_change(action) end
    for number, action in ipairs(self.actions) do
      if (action.kind ~= "end" or open > 0) and not self.oracle.refused[number] then
        local longer = table.move(program, 1, #program, 1, {})
        longer[#longer + 1] = action
        programs[#programs + 1] = longer
      end
    end
  end
  return programs
end

-- Compares all programs of up to `bound` actions. Returns the groups of differences, the number of programs, and a
-- sentence if the limit ended the search early. A group is the first difference with its key, and `count`, the number
-- of programs with that key.
--
-- Options. `limit`: largest number of programs. `every`: extend also programs whose states were reached before.
-- `progress(n, i, all)`: called for program i of the `all` programs with n actions.
function Comparison:run(bound, options)
  options = options or {}
  local groups, agreeing, reached, count = {}, { {} }, {}, 0
  for n = 1, bound do
    local programs, next_programs = self:longer(agreeing), {}
    if options.limit and count + #programs > options.limit then
      return groups, count, ("programs of %d words are %d more; the limit is %d"):format(n, #programs, options.limit)
    end
    for i, theirs in ipairs(self.oracle:run(programs)) do
      if options.progress then options.progress(n, i, #programs) end
      -- The shorter program showed no difference, therefore only the state after the last action is compared.
      local ours, key = self:observe(programs[i], n)
      local difference = self:difference(programs[i], ours, theirs, n)
      local last = theirs[n]
      if difference then
        local group = groups[difference.key]
        if not group then
          group = difference
          groups[difference.key], groups[#groups + 1], group.count = group, group, 0
        end
        group.count = group.count + 1
      elseif type(last) == "string" and type(ours[n]) == "string" then
        key = key .. last
        if options.every or not reached[key] then next_programs[#next_programs + 1] = programs[i] end
        reached[key] = true
      end
    end
    count, agreeing = count + #programs, next_programs
  end
  return groups, count
end

-- Runs the programs with the texts `texts`. Returns their first differences as a table from text to difference. Texts
-- with unknown actions, and programs without a difference, have no entry.
function Comparison:differences_of(texts)
  local programs, program_texts, differences = {}, {}, {}
  for _, text in ipairs(texts) do
    local program = self:parse_program(text)
    if program then programs[#programs + 1], program_texts[#program_texts + 1] = program, text end
  end
  for i, theirs in ipairs(self.oracle:run(programs)) do
    differences[program_texts[i]] = not theirs.refused
      and self:difference(programs[i], self:observe(programs[i], 1), theirs, 1) or nil
  end
  return differences
end

-- ---------------------------------------------------------------------------------------- shrinking --

-- Shrinks the program of each group (Comparison:run) in place: removes actions, an opening action together with the end
-- of its region, while the difference keeps its key. The oracle runs one program of each group at a time.
function Comparison:shrink(groups)
  local programs, shrinking = {}, {}
  -- Tells the shrinker of a group whether its last program shows the difference, and adds its next program, if any.
  local function continue(group, resume, fails)
    local program = resume(fails)
    if program then
      programs[#programs + 1], shrinking[#shrinking + 1] = program, { group = group, resume = resume }
    end
  end
  for _, group in ipairs(groups) do
    continue(group, coroutine.wrap(function()
      shrink.shortest(group.program, function(program) return coroutine.yield(program) end, steps.end_of)
    end))
  end
  while programs[1] do
    local batch, batch_groups = programs, shrinking
    programs, shrinking = {}, {}
    for i, theirs in ipairs(self.oracle:run(batch)) do
      local group = batch_groups[i].group
      local difference = not theirs.refused and self:difference(batch[i], self:observe(batch[i], 1), theirs, 1)
      local fails = difference and difference.key == group.key
      if fails then
        for name, value in pairs(difference) do group[name] = value end
      end
      continue(group, batch_groups[i].resume, fails)
    end
  end
end

return oracle_comparison
