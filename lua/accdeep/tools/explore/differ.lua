-- differ.lua - the smallest programs on which rule profiles differ, one for each way in which they do.

local compared = require "accdeep.script.compared"
local knobs = require "accdeep.catalogue.knobs"
local profiles = require "accdeep.catalogue.profiles"
local program = require "accdeep.tools.explore.program"
local search = require "accdeep.tools.explore.search"

local differ = {}

-- The names of parts that are compared.
function differ.parts(with_counters)
  local list = {}
  for i, part in ipairs(compared.parts) do
    if with_counters or part[1] ~= "counters" then list[i] = part[1] end
  end
  return list
end

local function differs_in(a, b, parts) return compared.difference(a, b, parts[#parts] == "counters") end

-- ------------------------------------------------------------------------------------- outcomes --

-- The text of an outcome that differs from all in a list, of worlds that agreed before: an error's code, "accepted", or
-- where it differs from the first accepted one: "accepted: other values on the device", once more with "(2)".
local function label(one, list, parts)
  if one.code then return one.code end
  local first, plain, n = nil, "accepted", 1
  for _, other in ipairs(list) do
    if not first and not other.one.code then
      first, plain = other.one, "accepted: other " .. differs_in(other.one, one, parts)
    elseif first and differs_in(first, other.one, parts) == differs_in(first, one, parts) then
      n = n + 1
    end
  end
  return n > 1 and ("%s (%d)"):format(plain, n) or plain
end

-- What each world shows behind a word, as text: worlds that agreed before and have one text show the same.
local function labels(outcomes, nworlds, before, parts)
  local shown, by_letter = {}, {}
  for k = 1, nworlds do
    local at = (k - 1) * #search.parts
    local one = { code = outcomes.codes[k] }
    for i, name in ipairs(search.parts) do one[name] = outcomes.digests[at + i] end
    local letter, found = before:sub(k, k), nil
    local list = by_letter[letter] or {}
    by_letter[letter] = list
    for _, other in ipairs(list) do
      if not found and not differs_in(other.one, one, parts) then found = other end
    end
    if not found then
      found = { one = one, text = label(one, list, parts) }
      list[#list + 1] = found
    end
    shown[k] = found.text
  end
  return shown
end

-- Differences, the first program of each: by what its last word is, and by what worlds show behind it. Worlds that did
-- not agree before show nothing. Returns the list {program, names, labels, family, key}, a function that adds one, and
-- what a search calls (search.lua: differ). told(one): is called for each new one.
function differ.collect(names, words, parts, told)
  local found, by_key = {}, {}
  local function add(one)
    if by_key[one.key] then return end
    by_key[one.key], found[#found + 1] = one, one
    told(one)
  end
  local function observe(text, before, outcomes)
    local shown = labels(outcomes, #names, before, parts)
    local groups = {} -- of worlds that agreed before the word: those that differ behind it
    for k, name in ipairs(names) do
      local letter = before:sub(k, k)
      groups[letter] = groups[letter] or { names = {}, labels = {}, several = false }
      local group = groups[letter]
      group.several = group.several or group.labels[1] ~= nil and group.labels[1] ~= shown[k]
      table.insert(group.names, name)
      table.insert(group.labels, shown[k])
    end
    for letter in before:gmatch "." do
      local group = groups[letter]
      if group and group.several then
        groups[letter] = nil
        local family = program.family(words[text:byte(-1)])
        local key = family .. "\0" .. table.concat(group.names, " ") .. "\0" .. table.concat(group.labels, "\0")
        add { program = text, names = group.names, labels = group.labels, family = family, key = key }
      end
    end
  end
  return found, add, observe
end

-- --------------------------------------------------------------------------------------- knobs --

-- Knobs that have other values in two profiles.
local function knobs_between(a, b)
  local list = {}
  for _, knob in ipairs(knobs) do
    if a[knob.name] ~= b[knob.name] then list[#list + 1] = knob.name end
  end
  return list
end

local function changed(name, knob, value)
  return { base = name, [knob] = value }
end

-- The knobs that decide between two profiles on a program: each of them alone makes the first one do what the second
-- one does; if there is none: all without which the second one does something else, and true.
function differ.deciding(source, words, text, first, second, parts)
  local a, b = profiles.profile(first), profiles.profile(second)
  local wanted = program.outcome(source, words, text, second)
  local function same(rules) return not differs_in(program.outcome(source, words, text, rules), wanted, parts) end
  local between, alone, needed = knobs_between(a, b), {}, {}
  for _, knob in ipairs(between) do
    if same(changed(first, knob, b[knob])) then alone[#alone + 1] = knob end
  end
  if #alone > 0 then return alone, false end
  for _, knob in ipairs(between) do
    if not same(changed(second, knob, a[knob])) then needed[#needed + 1] = knob end
  end
  return needed, true
end

-- Two profiles of a difference whose labels differ, with the fewest knobs between them.
local function nearest(one)
  local best, first, second
  for i = 1, #one.names do
    for j = i + 1, #one.names do
      if one.labels[i] ~= one.labels[j] then
        local n = #knobs_between(profiles.profile(one.names[i]), profiles.profile(one.names[j]))
        if not best or n < best then best, first, second = n, one.names[i], one.names[j] end
      end
    end
  end
  return first, second
end

-- Whether what a difference shows is part of what a known one shows: each of its profiles does the same there.
local function is_part_of(one, known)
  local texts = {}
  for i, name in ipairs(known.names) do texts[name] = known.labels[i] end
  for i, name in ipairs(one.names) do
    if texts[name] ~= one.labels[i] then return false end
  end
  return true
end

-- Differences with what decided them, grouped: {knobs, together, program, names, labels, also = number of differences
-- like it}, the smallest program of each group. Fewer profiles that do the same are like it, too: the others did
-- something else before.
function differ.grouped(found, source, words, parts)
  local groups = {}
  for _, one in ipairs(found) do
    local first, second = nearest(one)
    local function decided(text)
      local list, together = differ.deciding(source, words, text, first, second, parts)
      return list, together, table.concat(list, " ")
    end
    local list, together, key = decided(one.program)
    local like
    for _, known in ipairs(groups) do
      if not like and (key ~= "" or known.family == one.family) and is_part_of(one, known) then
        local _, _, other = decided(known.program)
        like = other == key and known
      end
    end
    if like then
      like.also = like.also + 1
    else
      one.knobs, one.together, one.also = list, together, 0
      groups[#groups + 1] = one
    end
  end
  return groups
end

-- ----------------------------------------------------------------------------------------- text --

-- The rules that a group's knobs follow.
function differ.rules(group)
  local list, seen = {}, {}
  for _, name in ipairs(group.knobs) do
    for id in knobs.named[name].rules:gmatch "%S+" do
      if not seen[id] then list[#list + 1] = id end
      seen[id] = true
    end
  end
  return list
end

-- A group as a case of a scenario.
function differ.case(group, words, parts)
  local lines = {}
  local rules = differ.rules(group)
  local what = #group.knobs > 0 and table.concat(group.knobs, group.together and " and " or " or ") or "no knob alone"
  local title = ("differs: %s: %s"):format(program.family(words[group.program:byte(-1)]), what)
  if #rules > 0 then title = title .. " [" .. table.concat(rules, " ") .. "]" end
  lines[#lines + 1] = ("case(%q, function()"):format(title)
  lines[#lines + 1] = "  expect.differs({"
  for i, name in ipairs(group.names) do
    lines[#lines + 1] = ("    [%q] = %q,"):format(name, group.labels[i])
  end
  local counters = parts[#parts] == "counters" and ', "counters"' or ""
  lines[#lines + 1] = "  }, function()"
  for _, line in ipairs(program.lines(words, group.program)) do lines[#lines + 1] = "    " .. line end
  lines[#lines + 1] = "  end" .. counters .. ")"
  lines[#lines + 1] = "end)"
  return table.concat(lines, "\n") .. "\n"
end

return differ
