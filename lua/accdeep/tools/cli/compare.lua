-- compare.lua - `accdeep run --compare`: executes scenarios under several rule profiles, and prints what each case does
-- under each of them as a table, or as JSON.
--
-- The outcome of a case is its error, or the state at its end: values on host and device, and what is present.

local common = require "accdeep.tools.cli.common"
local profile_comparison = require "accdeep.script.profile_comparison"
local report = require "accdeep.base.report"
local strings = require "accdeep.base.strings"

local compare = {}

local WIDTH = 100 -- columns of a line of the table

-- Returns an observer, and a list that it fills: states[i] is the state at the end of case i (profile_comparison), or
-- false if the case failed. The state at the end of the file comes last.
local function state_observer()
  local states, run, state = {}, nil, false
  return {
    names = function(_, current) run = current end,
    ended = function() state = profile_comparison.observe(run.session) end,
    mark = function(kind)
      if kind ~= "end" then return end
      states[#states + 1], state = state, false
    end,
    last = function() states[#states + 1] = state end,
  }, states
end

-- Returns the outcomes of a file's cases, as a list of {name, ok, error, state}. run_under(profile, observer) executes
-- the file and returns its record.
local function outcomes_under(profile, run_under)
  local observer, states = state_observer()
  local list = {}
  for i, case in ipairs(run_under(profile, observer).cases) do
    list[i] = { name = case.name, ok = case.ok, error = case.error, state = states[i] or nil }
  end
  return list
end

-- Returns the text that two equal outcomes have in common: "ok", or the error.
local function key_of(outcome)
  if outcome.ok then return "ok" end
  local err = outcome.error
  return table.concat({ err.code, err.line or "", err.message, err.wanted or "", err.found or "" }, "\0")
end

-- Compares the outcomes of a case. Sets `differs_in` of each successful outcome whose state is not that of the first
-- successful one. Returns true if all outcomes are equal. `outcomes`: list of {profile, ok, error, state}.
local function compare_outcomes(outcomes)
  local first, same = nil, true
  for _, outcome in ipairs(outcomes) do
    same = same and key_of(outcome) == key_of(outcomes[1])
    if outcome.ok and outcome.state then
      first = first or outcome
      outcome.differs_in = profile_comparison.difference(first.state, outcome.state)
      outcome.differs_from = outcome.differs_in and first.profile
      same = same and not outcome.differs_in
    end
  end
  return same
end

-- Returns the cases of a file, in order, as a list of {file, name, same, outcomes}. A case that a profile does not
-- reach, because the file ends before it, has no outcome of this profile.
local function compare_file(file, profiles, run_under)
  local cases, by_name = {}, {}
  for _, profile in ipairs(profiles) do
    local counts = {}
    for _, outcome in ipairs(outcomes_under(profile, run_under)) do
      counts[outcome.name] = (counts[outcome.name] or 0) + 1
      local key = ("%d %s"):format(counts[outcome.name], outcome.name)
      local case = by_name[key]
      if not case then
        case = { file = file, name = outcome.name, outcomes = {} }
        by_name[key], cases[#cases + 1] = case, case
      end
      outcome.profile, outcome.name = profile, nil
      table.insert(case.outcomes, outcome)
    end
  end
  for _, case in ipairs(cases) do
    case.same = compare_outcomes(case.outcomes) and #case.outcomes == #profiles
    for _, outcome in ipairs(case.outcomes) do outcome.state = nil end
  end
  return cases
end

-- Returns an outcome as one line: ok, the part of the state that differs, or the error.
local function outcome_text(outcome)
  if not outcome then return "not reached" end
  if outcome.ok then
    return outcome.differs_in and ("ok, but %s: not as under %s"):format(outcome.differs_in, outcome.differs_from)
      or "ok"
  end
  local err = outcome.error
  local text = ("%s%s: %s"):format(err.line and ("line %d: "):format(err.line) or "", err.code, err.message)
  if err.wanted then text = ("%s: wanted %s, found %s"):format(text, err.wanted, err.found or "something else") end
  return (text:gsub("[%c\127]", "?"))
end

-- Prints the table: each case with a row for each profile, and how many cases differ.
local function print_table(cases, profiles, differing)
  local width = 0
  for _, profile in ipairs(profiles) do width = math.max(width, #profile) end
  for _, case in ipairs(cases) do
    local name = case.name == case.file and case.file or ("%s: %s"):format(case.file, case.name)
    common.write_output((name:gsub("[%c\127]", "?")) .. "\n")
    local by_profile = {}
    for _, outcome in ipairs(case.outcomes) do by_profile[outcome.profile] = outcome end
    for _, profile in ipairs(profiles) do
      local line = ("  %-" .. width .. "s  %s"):format(profile, outcome_text(by_profile[profile]))
      common.write_output((#line > WIDTH and line:sub(1, WIDTH - 3) .. "..." or line) .. "\n")
    end
  end
  common.write_output(("different outcomes: %d of %s, under %s\n"):format(differing, strings.count(#cases, "case"),
    strings.count(#profiles, "profile")))
end

-- Executes the files under the profiles, and prints what differs. `paths`: the files; `profiles`: names, at least two;
-- `format`: "text" or "json". run_under(path, profile, observer) executes a file and returns its record. Returns 1 if
-- cases differ; otherwise the exit status of any one profile.
function compare.run(paths, profiles, format, run_under)
  local cases, differing, records = {}, 0, { { cases = {} } }
  for _, path in ipairs(paths) do
    for _, case in ipairs(compare_file(path, profiles, function(...) return run_under(path, ...) end)) do
      cases[#cases + 1] = case
      if not case.same then differing = differing + 1 end
      table.insert(records[1].cases, case.outcomes[1])
    end
  end
  if format == "json" then
    common.write_output(report.json { profiles = profiles, cases = cases, differing = differing })
  else
    print_table(cases, profiles, differing)
  end
  return differing > 0 and 1 or report.status(records)
end

return compare
