-- profile_differences.lua - the smallest programs on which rule profiles differ, one for each way in which they do.

local profile_comparison = require "accdeep.script.profile_comparison"
local deciding_knobs = require "accdeep.tools.explore.deciding_knobs"
local knobs = require "accdeep.definitions.knobs"
local equivalence = require "accdeep.tools.explore.equivalence"
local test_program = require "accdeep.tools.explore.test_program"
local search = require "accdeep.tools.explore.search"

local profile_differences = {}

-- The names of parts that are compared.
function profile_differences.parts(with_counters)
  local list = {}
  for i, part in ipairs(profile_comparison.parts) do
    if with_counters or part[1] ~= "counters" then list[i] = part[1] end
  end
  return list
end

local function has_counters(parts) return parts[#parts] == "counters" end

-- ----------------------------------------------------------------------------- while it searches --

-- Differences, the first program of each: by its last directive, by the worlds that agreed before it, by what they show
-- behind it, and by the rules of their errors. Returns the list {program, names, key}, a function that adds one, and
-- what a search calls (search.lua: differ). told(one): is called for each new one.
function profile_differences.collect(names, words, parts, told)
  local found, by_key, counters = {}, {}, has_counters(parts)
  local function add(one)
    if by_key[one.key] then return end
    by_key[one.key], found[#found + 1] = one, one
    told(one)
  end
  local function observe(text, before, made)
    local groups = {} -- of worlds that agreed before the word
    for k, name in ipairs(names) do
      local letter, at = before:sub(k, k), (k - 1) * #search.parts
      local group = groups[letter] or { names = {}, found = {}, rules = {} }
      local one = { code = made.codes[k] }
      for i, part in ipairs(search.parts) do one[part] = made.digests[at + i] end
      groups[letter] = group
      group.several = group.several or group.first ~= nil and profile_comparison.difference(
        group.first, one, counters) ~= nil
      group.first = group.first or one
      table.insert(group.names, name)
      group.found[name] = one
      table.insert(group.rules, made.rules[k] or "")
    end
    for letter in before:gmatch "." do
      local group = groups[letter]
      if group and group.several then
        groups[letter] = nil
        local key = { test_program.family(words[text:byte(-1)]), table.concat(group.names, " "),
          equivalence.kind(group.names, group.found, counters), table.concat(group.rules, " ") }
        add { program = text, names = group.names, key = table.concat(key, "\0") }
      end
    end
  end
  return found, add, observe
end

-- ----------------------------------------------------------------------------------------- rows --

-- What decided a difference: the list {knobs, names of the profiles between which they decide}.
local function attribute_to_knobs(one, replay, outcome, counters)
  local list, by_key, firsts = {}, {}, {}
  for _, name in ipairs(one.names) do -- profiles that have the same knobs and do the same are one
    local signature, known = deciding_knobs.signature(name), nil
    for _, first in ipairs(firsts) do
      if first.signature == signature and not profile_comparison.difference(
        outcome[first.name], outcome[name], counters) then
        known = first
      end
    end
    if not known then
      known = { name = name, signature = signature, all = {} }
      firsts[#firsts + 1] = known
    end
    table.insert(known.all, name)
  end
  for i = 1, #firsts do
    for j = i + 1, #firsts do
      local a, b = firsts[i], firsts[j]
      if profile_comparison.difference(outcome[a.name], outcome[b.name], counters) then
        local given = deciding_knobs.knobs(replay, one.program, a.name, b.name, counters)
        local key = table.concat(given, " ")
        if not by_key[key] then
          by_key[key] = { knobs = given, key = key, is_of = {}, names = {}, pairs = {} }
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
    for _, name in ipairs(one.names) do
      if row.is_of[name] then table.insert(row.names, name) end
    end
  end
  return list
end

-- Differences of one vocabulary as rows: {knobs, key = knobs as text, program, words, names = profiles that they decide
-- between, pairs = of these, outcome = by profile, mixed = number of other knobs that decide there, too, agreed =
-- number of profiles that agreed before, counters}. names: all profiles.
function profile_differences.rows(found, replay, names, parts)
  local rows, counters = {}, has_counters(parts)
  for _, one in ipairs(found) do
    local outcome = {}
    for _, name in ipairs(names) do outcome[name] = replay:observe(one.program, name, equivalence.observe) end
    local list = attribute_to_knobs(one, replay, outcome, counters)
    for _, row in ipairs(list) do
      row.program, row.words, row.outcome, row.mixed = one.program, replay.words, outcome, #list - 1
      row.agreed, row.counters = #one.names, counters
      rows[#rows + 1] = row
    end
  end
  return rows
end

-- How two outcomes differ, as text. Two errors are one way, and so is all that differs on the device.
local function difference_kind(a, b, counters)
  if a.code and b.code then return "errors" end
  local part = profile_comparison.difference(a, b, counters)
  local is_on_device = part == "what is present" or part == "values on the device"
  return a.code or b.code or is_on_device and "device" or part
end

-- The smallest rows: of those with the same knobs, each has two profiles that differ in a way in which no smaller one
-- has them differ. also: rows that show nothing new. Rows come by the length of their programs.
function profile_differences.smallest(rows)
  for i, row in ipairs(rows) do row.place = i end
  table.sort(rows, function(a, b)
    if #a.program ~= #b.program then return #a.program < #b.program end
    if a.mixed ~= b.mixed then return a.mixed < b.mixed end
    if a.agreed ~= b.agreed then return a.agreed > b.agreed end
    return a.place < b.place
  end)
  local kept, shown = {}, {}
  for _, row in ipairs(rows) do
    local known
    row.also = {}
    for _, pair in ipairs(row.pairs) do
      local first, second = row.outcome[pair[1]], row.outcome[pair[2]]
      local key = table.concat({ row.key, pair[1], pair[2], first.code and "" or "accepted",
        difference_kind(first, second, row.counters) }, "\0")
      known = known or shown[key]
      if not shown[key] then
        shown[key] = row
        if kept[#kept] ~= row then kept[#kept + 1] = row end
      end
    end
    if kept[#kept] ~= row then table.insert(known.also, row) end
  end
  return kept
end

-- ----------------------------------------------------------------------------------------- text --

-- The rules that a row's knobs follow.
function profile_differences.rules(row)
  local list, seen = {}, {}
  for _, name in ipairs(row.knobs) do
    for id in knobs.named[name].rules:gmatch "%S+" do
      if not seen[id] then list[#list + 1] = id end
      seen[id] = true
    end
  end
  return list
end

-- What decided, in words.
function profile_differences.decision_text(row)
  if #row.knobs == 0 then return "the version of the language decides" end
  if #row.knobs == 1 then return row.knobs[1] .. " decides" end
  return ("%s and %s decide together"):format(table.concat(row.knobs, ", ", 1, #row.knobs - 1), row.knobs[#row.knobs])
end

-- A row as a case of a scenario. number: of the row, if its title needs one.
function profile_differences.case(row, names, number)
  local lines, rules = {}, profile_differences.rules(row)
  local title = ("differs: %s, after %s%s [%s]"):format(profile_differences.decision_text(row),
    test_program.family(row.words[row.program:byte(-1)]), number and (", program %d"):format(number) or "",
    #rules > 0 and table.concat(rules, " ") or "HOUSE-explore")
  lines[#lines + 1] = ("case(%q, function()"):format(title)
  if #lines[1] > 120 then lines[1] = ("case(%q\n  .. %q, function()"):format(title:match "^(.* )(%[.*)$") end
  lines[#lines + 1] = "  expect.differs({"
  for _, group in ipairs(equivalence.groups(names, row.outcome, row.counters)) do
    for _, name in ipairs(group.names) do lines[#lines + 1] = ("    [%q] = %q,"):format(name, group.text) end
  end
  lines[#lines + 1] = "  }, function()"
  for _, line in ipairs(test_program.lines(row.words, row.program)) do lines[#lines + 1] = "    " .. line end
  lines[#lines + 1] = "  end" .. (row.counters and ', "counters"' or "") .. ")"
  lines[#lines + 1] = "end)"
  return table.concat(lines, "\n") .. "\n"
end

return profile_differences
