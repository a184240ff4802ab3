-- deciding.lua - which knobs decide that two rule profiles do not do the same with a program.

local compared = require "accdeep.script.compared"
local knobs = require "accdeep.catalogue.knobs"
local profiles = require "accdeep.catalogue.profiles"

local deciding = {}

-- What a profile decides, as a text: profiles with one text differ in no knob.
function deciding.signature(name)
  local profile, values = profiles.profile(name), {}
  for i, knob in ipairs(knobs) do values[i] = tostring(profile[knob.name]) end
  return table.concat(values, " ")
end

-- Knobs that have other values in two profiles.
function deciding.between(first, second)
  local a, b, list = profiles.profile(first), profiles.profile(second), {}
  for _, knob in ipairs(knobs) do
    if a[knob.name] ~= b[knob.name] then list[#list + 1] = knob.name end
  end
  return list
end

-- A profile's name with other values of some knobs: those that another profile has.
local function changed(name, list, other)
  local from, parts = profiles.profile(other), { name }
  for _, knob in ipairs(list) do parts[#parts + 1] = ("%s=%s"):format(knob, tostring(from[knob])) end
  return table.concat(parts, "+")
end

-- The knobs that decide between two profiles on a program, the fewest: each profile does what the other one does, if
-- it has the other one's values of these. An empty list: no knob does, the version of the language does.
function deciding.knobs(replay, program, first, second, counters)
  local is, should = replay:outcome(program, first), replay:outcome(program, second)
  local function swaps(list)
    return not compared.difference(replay:outcome(program, changed(first, list, second)), should, counters)
      and not compared.difference(replay:outcome(program, changed(second, list, first)), is, counters)
  end
  local all, some = deciding.between(first, second), {}
  for _, knob in ipairs(all) do
    local there = not compared.difference(replay:outcome(program, changed(first, { knob }, second)), is, counters)
    local here = not compared.difference(replay:outcome(program, changed(second, { knob }, first)), should, counters)
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

return deciding
