-- deciding_knobs.lua - which knobs decide that two rule profiles do not do the same with a program.

local profile_comparison = require "accdeep.script.profile_comparison"
local knobs = require "accdeep.definitions.knobs"
local profiles = require "accdeep.definitions.profiles"

local deciding_knobs = {}

-- What a profile decides, as a text: profiles with one text differ in no knob.
function deciding_knobs.signature(name)
  local profile, values = profiles.profile(name), {}
  for i, knob in ipairs(knobs) do values[i] = tostring(profile[knob.name]) end
  return table.concat(values, " ")
end

-- Knobs that have other values in two profiles.
function deciding_knobs.between(first, second)
  local a, b, list = profiles.profile(first), profiles.profile(second), {}
  for _, knob in ipairs(knobs) do
    if a[knob.name] ~= b[knob.name] then list[#list + 1] = knob.name end
  end
  return list
end

-- A profile's name with other values of some knobs: those that another profile has.
local function profile_with_values(name, list, other)
  local from, parts = profiles.profile(other), { name }
  for _, knob in ipairs(list) do parts[#parts + 1] = ("%s=%s"):format(knob, tostring(from[knob])) end
  return table.concat(parts, "+")
end

-- The knobs that decide between two profiles on a program, the fewest: each profile does what the other one does, if
-- it has the other one's values of these. An empty list: no knob does, the version of the language does.
function deciding_knobs.knobs(replay, program, first, second, counters)
  local is, should = replay:observe(program, first), replay:observe(program, second)
  local function swaps(list)
    return not profile_comparison.difference(replay:observe(program, profile_with_values(first, list, second)), should,
      counters)
      and not profile_comparison.difference(replay:observe(program, profile_with_values(second, list, first)), is,
      counters)
  end
  local all, some = deciding_knobs.between(first, second), {}
  for _, knob in ipairs(all) do
    local there = not profile_comparison.difference(replay:observe(
      program, profile_with_values(first, { knob }, second)), is, counters)
    local here = not profile_comparison.difference(replay:observe(
      program, profile_with_values(second, { knob }, first)), should, counters)
    if not there and not here and swaps { knob } then return { knob } end
    if not there or not here then some[#some + 1] = knob end
  end
  if not swaps(some) then -- those that change nothing alone matter, too
    if not swaps(all) then return {} end
    some = all
  end
  local i = 1
  while i <= #some do
    local knob = table.remove(some, i)
    if not swaps(some) then
      table.insert(some, i, knob)
      i = i + 1
    end
  end
  return some
end

return deciding_knobs
