-- deciding_knobs.lua - finds the smallest set of knobs that explains why two rule profiles treat a program
-- differently.
--
-- Input: a program and two profile names, with a replay (program_replay.lua) that executes the program under any
-- profile. profile_differences.lua calls it for each pair of profiles that differ. A knob is a named setting of a
-- profile (definitions/knobs.lua).

local profile_comparison = require "accdeep.script.profile_comparison"
local knobs = require "accdeep.definitions.knobs"
local profiles = require "accdeep.definitions.profiles"

local deciding_knobs = {}

-- Returns all knob values of a profile as a text. Two profiles have equal texts only if no knob differs.
function deciding_knobs.signature(name)
  local profile, values = profiles.profile(name), {}
  for i, knob in ipairs(knobs) do values[i] = tostring(profile[knob.name]) end
  return table.concat(values, " ")
end

-- Returns the names of the knobs whose values differ between two profiles.
function deciding_knobs.between(first, second)
  local a, b, list = profiles.profile(first), profiles.profile(second), {}
  for _, knob in ipairs(knobs) do
    if a[knob.name] ~= b[knob.name] then list[#list + 1] = knob.name end
  end
  return list
end

-- Returns the name of a derived profile: the profile `name` with the values that the profile `other` has for the knobs
-- in `list`.
local function profile_with_values(name, list, other)
  local from, parts = profiles.profile(other), { name }
  for _, knob in ipairs(list) do parts[#parts + 1] = ("%s=%s"):format(knob, tostring(from[knob])) end
  return table.concat(parts, "+")
end

-- Returns a minimal list of knobs that explain why the profiles `first` and `second` treat a program differently.
-- Exchanging the values of these knobs makes each profile behave like the other. Returns an empty list if no set of
-- knobs does so; the version of the language decides then. `replay`: executes programs (program_replay.lua).
-- `counters`: compare counters, too.
--
-- If the exchange of one knob alone swaps both observations, that knob is returned at once. Otherwise the search keeps
-- each knob whose exchange alone changes an observation, then removes knobs while the rest still decides.
function deciding_knobs.knobs(replay, program, first, second, counters)
  local from_first, from_second = replay:observe(program, first), replay:observe(program, second)
  -- Returns true if each profile behaves like the other with the other's values of the knobs `list`.
  local function swaps(list)
    local new_first = replay:observe(program, profile_with_values(first, list, second))
    if profile_comparison.difference(new_first, from_second, counters) then return false end
    local new_second = replay:observe(program, profile_with_values(second, list, first))
    return not profile_comparison.difference(new_second, from_first, counters)
  end
  local all, effective = deciding_knobs.between(first, second), {}
  for _, knob in ipairs(all) do
    local keeps_first = not profile_comparison.difference(replay:observe(
      program, profile_with_values(first, { knob }, second)), from_first, counters)
    local keeps_second = not profile_comparison.difference(replay:observe(
      program, profile_with_values(second, { knob }, first)), from_second, counters)
    if not keeps_first and not keeps_second and swaps { knob } then return { knob } end
    if not keeps_first or not keeps_second then effective[#effective + 1] = knob end
  end
  -- Knobs that have an effect only together are not in `effective`: if `effective` does not decide, start with all
  -- knobs.
  if not swaps(effective) then
    if not swaps(all) then return {} end
    effective = all
  end
  local i = 1
  while i <= #effective do
    local knob = table.remove(effective, i)
    if not swaps(effective) then
      table.insert(effective, i, knob)
      i = i + 1
    end
  end
  return effective
end

return deciding_knobs
