-- profile_differences.lua - collects programs on which rule profiles differ, and reduces them to the smallest one for
-- each kind of difference.
--
-- During the search, profile_differences.collect provides the `differ` observer of search.lua. Afterwards,
-- explore.differences in init.lua calls rows, smallest and case. Output: cases of a scenario with `expect.differs`. A
-- system (transition_system.lua) executes actions under one profile. A program is a string of action numbers, one byte
-- each. An observation is a table of digests (profile_comparison.lua), or {code} after an error.

local profile_comparison = require "accdeep.script.profile_comparison"
local deciding_knobs = require "accdeep.tools.explore.deciding_knobs"
local knobs = require "accdeep.definitions.knobs"
local equivalence = require "accdeep.tools.explore.equivalence"
local search = require "accdeep.tools.explore.search"
local steps = require "accdeep.steps"
local test_program = require "accdeep.tools.explore.test_program"

local profile_differences = {}

-- Returns the names of the parts of a state that are compared. `with_counters`: the counters are compared, too; the
-- last name is then "counters".
function profile_differences.parts(with_counters)
  local list = {}
  for i, part in ipairs(profile_comparison.parts) do
    if with_counters or part[1] ~= "counters" then list[i] = part[1] end
  end
  return list
end

-- Returns true if the list of compared parts (profile_differences.parts) contains the counters.
local function has_counters(parts) return parts[#parts] == "counters" end

-- ----------------------------------------------------------------------------- while it searches --

-- Returns a list of differences {program, names, key}, a function that adds a difference, and the `differ` callback for
-- search.lua. `names`: the profiles of the systems; in a difference, those that had agreed before. `parts`: the
-- compared parts (profile_differences.parts). The key consists of the last directive, the profiles that had agreed
-- before, the kind of the observations (equivalence.kind), and the rules of the errors. Only the first program of each
-- key is kept. `on_new(difference)` is called for each kept difference.
function profile_differences.collect(names, actions, parts, on_new)
  local differences, by_key, counters = {}, {}, has_counters(parts)
  -- Adds a difference, unless there is one with its key.
  local function add(difference)
    if by_key[difference.key] then return end
    by_key[difference.key], differences[#differences + 1] = difference, difference
    on_new(difference)
  end
  -- The `differ` callback: adds a difference for each group of systems that agreed before the action and do not agree
  -- any more. `text`: the program. `before`: one letter per system, equal for systems that agreed. `attempt`: result of
  -- Search:try for the last action.
  local function observe(text, before, attempt)
    local groups = {} -- systems that agreed before the action, by letter
    for k, name in ipairs(names) do
      local letter, at = before:sub(k, k), (k - 1) * #search.parts
      local group = groups[letter] or { names = {}, observations = {}, rules = {} }
      local observation = { code = attempt.codes[k] }
      for i, part in ipairs(search.parts) do observation[part] = attempt.digests[at + i] end
      groups[letter] = group
      group.several = group.several or group.first ~= nil and profile_comparison.difference(
        group.first, observation, counters) ~= nil
      group.first = group.first or observation
      table.insert(group.names, name)
      group.observations[name] = observation
      table.insert(group.rules, attempt.rules[k] or "")
    end
    for letter in before:gmatch "." do
      local group = groups[letter]
      if group and group.several then
        groups[letter] = nil
        local key = { steps.family(actions[text:byte(-1)]), table.concat(group.names, " "),
          equivalence.kind(group.names, group.observations, counters), table.concat(group.rules, " ") }
        add { program = text, names = group.names, key = table.concat(key, "\0") }
      end
    end
  end
  return differences, add, observe
end

-- ----------------------------------------------------------------------------------------- rows --

-- Returns the sets of knobs that cause a difference: a list of {knobs, key, names, pairs, is_of}. `names`: the profiles
-- that the knobs separate; `is_of`: the same profiles as a set; `pairs`: pairs of profiles that the knobs separate.
-- `replay`: program_replay.lua. `observations`: a table from profile to observation. `counters`: compare counters, too.
local function attribute_to_knobs(difference, replay, observations, counters)
  local list, by_key, firsts = {}, {}, {}
  -- Profiles with equal knobs and observations are represented by the first of them, so that a pair is compared once.
  for _, name in ipairs(difference.names) do
    local signature, representative = deciding_knobs.signature(name), nil
    for _, first in ipairs(firsts) do
      if first.signature == signature and not profile_comparison.difference(
        observations[first.name], observations[name], counters) then
        representative = first
      end
    end
    if not representative then
      representative = { name = name, signature = signature, all = {} }
      firsts[#firsts + 1] = representative
    end
    table.insert(representative.all, name)
  end
  for i = 1, #firsts do
    for j = i + 1, #firsts do
      local a, b = firsts[i], firsts[j]
      if profile_comparison.difference(observations[a.name], observations[b.name], counters) then
        local knob_names = deciding_knobs.knobs(replay, difference.program, a.name, b.name, counters)
        local key = table.concat(knob_names, " ")
        if not by_key[key] then
          by_key[key] = { knobs = knob_names, key = key, is_of = {}, names = {}, pairs = {} }
          list[#list + 1] = by_key[key]
        end
        for _, p in ipairs(a.all) do
          for _, q in ipairs(b.all) do
            by_key[key].is_of[p], by_key[key].is_of[q] = true, true
            table.insert(by_key[key].pairs, { p, q })
          end
        end
      end
    end
  end
  for _, row in ipairs(list) do
    for _, name in ipairs(difference.names) do
      if row.is_of[name] then table.insert(row.names, name) end
    end
  end
  return list
end

-- Replays each difference in `differences` under all profiles and attributes it to knobs. Returns rows, in the order of
-- `differences`. A difference that several sets of knobs cause has several rows.
--
-- Fields of a row. `knobs`, `key`: the knobs, as a list and as a text. `program`, `actions`: the program and the
-- vocabulary's actions. `names`, `pairs`: profiles that the knobs separate. `observations`: by profile. `mixed`:
-- number of other rows of the same difference. `agreed`: number of profiles that agreed before the last action.
-- `counters`: true if counters are compared.
function profile_differences.rows(differences, replay, names, parts)
  local rows, counters = {}, has_counters(parts)
  for _, difference in ipairs(differences) do
    local observations = {}
    for _, name in ipairs(names) do
      observations[name] = replay:observe(difference.program, name, equivalence.observe)
    end
    local list = attribute_to_knobs(difference, replay, observations, counters)
    for _, row in ipairs(list) do
      row.program, row.actions, row.observations = difference.program, replay.actions, observations
      row.mixed, row.agreed, row.counters = #list - 1, #difference.names, counters
      rows[#rows + 1] = row
    end
  end
  return rows
end

-- Returns the kind of difference between two observations as text. It is "errors" if both failed, and the code of the
-- error if one failed. Otherwise it is "device" for any difference on the device, or the part of the state that
-- differs.
local function difference_kind(a, b, counters)
  if a.code and b.code then return "errors" end
  local part = profile_comparison.difference(a, b, counters)
  local is_on_device = part == "what is present" or part == "values on the device"
  return a.code or b.code or is_on_device and "device" or part
end

-- Returns the smallest rows, ordered by program length; sorts `rows` itself. A row is kept if it shows, for its knobs,
-- a pair of profiles and a kind of difference that no smaller row shows. A row that is not kept is appended to the list
-- `also` of the first smaller row that shows one of its pairs.
function profile_differences.smallest(rows)
  for i, row in ipairs(rows) do row.index = i end
  table.sort(rows, function(a, b)
    if #a.program ~= #b.program then return #a.program < #b.program end
    if a.mixed ~= b.mixed then return a.mixed < b.mixed end
    if a.agreed ~= b.agreed then return a.agreed > b.agreed end
    return a.index < b.index
  end)
  local smallest, row_by_key = {}, {}
  for _, row in ipairs(rows) do
    local first_row
    row.also = {}
    for _, pair in ipairs(row.pairs) do
      local first, second = row.observations[pair[1]], row.observations[pair[2]]
      local key = table.concat({ row.key, pair[1], pair[2], first.code and "" or "accepted",
        difference_kind(first, second, row.counters) }, "\0")
      first_row = first_row or row_by_key[key]
      if not row_by_key[key] then
        row_by_key[key] = row
        if smallest[#smallest] ~= row then smallest[#smallest + 1] = row end
      end
    end
    if smallest[#smallest] ~= row then table.insert(first_row.also, row) end
  end
  return smallest
end

-- ----------------------------------------------------------------------------------------- text --

-- Returns the identifiers of the rules that a row's knobs decide, each once. `row`: a table with the list `knobs`.
function profile_differences.rules(row)
  local list, listed = {}, {}
  for _, name in ipairs(row.knobs) do
    for id in knobs.by_name[name].rules:gmatch "%S+" do
      if not listed[id] then list[#list + 1] = id end
      listed[id] = true
    end
  end
  return list
end

-- Returns the cause of a row's difference as a phrase, such as "KNOB decides".
function profile_differences.decision_text(row)
  if #row.knobs == 0 then return "the version of the language decides" end
  if #row.knobs == 1 then return row.knobs[1] .. " decides" end
  return ("%s and %s decide together"):format(table.concat(row.knobs, ", ", 1, #row.knobs - 1), row.knobs[#row.knobs])
end

-- Returns a row as the text of a case with `expect.differs`. `names`: all profiles. `number`: distinguishes rows with
-- equal titles, or nil.
function profile_differences.case(row, names, number)
  local lines, rules = {}, profile_differences.rules(row)
  local title = ("differs: %s, after %s%s [%s]"):format(profile_differences.decision_text(row),
    steps.family(row.actions[row.program:byte(-1)]), number and (", program %d"):format(number) or "",
    #rules > 0 and table.concat(rules, " ") or "HOUSE-explore")
  lines[#lines + 1] = ("case(%q, function()"):format(title)
  if #lines[1] > 120 then lines[1] = ("case(%q\n  .. %q, function()"):format(title:match "^(.* )(%[.*)$") end
  lines[#lines + 1] = "  expect.differs({"
  for _, group in ipairs(equivalence.groups(names, row.observations, row.counters)) do
    for _, name in ipairs(group.names) do lines[#lines + 1] = ("    [%q] = %q,"):format(name, group.text) end
  end
  lines[#lines + 1] = "  }, function()"
  for _, line in ipairs(test_program.lines(row.actions, row.program)) do lines[#lines + 1] = "    " .. line end
  lines[#lines + 1] = "  end" .. (row.counters and ', "counters"' or "") .. ")"
  lines[#lines + 1] = "end)"
  return table.concat(lines, "\n") .. "\n"
end

return profile_differences
