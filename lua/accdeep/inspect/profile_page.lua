-- profile_page.lua - describes a rule profile: what it decides, beginning with the differences from tr14.

local rules = require "accdeep.definitions.rules"
local knobs = require "accdeep.definitions.knobs"
local profile_descriptions = require "accdeep.inspect.reference.profile_descriptions"
local profiles = require "accdeep.definitions.profiles"

local profile_page = {}

-- The profile with which others are compared.
local DEFAULT_PROFILE = "tr14"

-- Returns the description of the value `value` of a knob (a setting of profiles); nil if the knob has no such value.
function profile_page.meaning(knob, value)
  for _, entry in ipairs(knob.values) do
    if entry[1] == value then return entry[2] end
  end
end

-- Returns the description of the profile `name` (reference/profile_descriptions.lua) and two lists of knobs: those
-- whose values differ from tr14's, and the others. An entry of a list is {knob, value, meaning, default_meaning};
-- `default_meaning` is the meaning of tr14's value. Raises if there is no such profile.
function profile_page.describe(name)
  local settings, defaults = profiles.profile(name), profiles.profile(DEFAULT_PROFILE)
  local differing, same, entry = {}, {}, nil
  for _, knob in ipairs(knobs) do
    if settings.is_openmp or not knobs.is_openmp(knob) then
      local value = settings[knob.name]
      local list = value == defaults[knob.name] and same or differing
      list[#list + 1] = { knob = knob, value = value, meaning = profile_page.meaning(knob, value),
        default_meaning = profile_page.meaning(knob, defaults[knob.name]) }
    end
  end
  for _, candidate in ipairs(profile_descriptions) do
    if candidate.name == name then entry = candidate end
  end
  return entry, differing, same
end

local WIDTH = 100

-- Appends a list of knobs, entries of profile_page.describe, to the lines `out` under a title; nothing for an empty
-- list.
local function put_decisions(out, title, list)
  if #list == 0 then return end
  out[#out + 1] = ("\n%s"):format(title)
  for _, decision in ipairs(list) do
    out[#out + 1] = ("  %s = %s"):format(decision.knob.name, tostring(decision.value))
    local ids = decision.knob.rules:gsub(" ", ", ")
    out[#out + 1] = rules.wrap_text(("%s: %s%s"):format(decision.knob.about, decision.meaning,
      ids ~= "" and (" [%s]"):format(ids) or ""), "      ", WIDTH)
  end
end

-- Returns the head of a profile's text: the documents that it follows. Raises if there is no such profile.
function profile_page.head(name)
  local entry = profile_page.describe(name)
  return ("%s: %s\n%s\n"):format(name, entry.follows, rules.wrap_text(entry.text, "  ", WIDTH))
end

-- Returns the profile `name` as text for a terminal. Raises if there is no such profile.
function profile_page.text(name)
  local _, differing, same = profile_page.describe(name)
  local out = { (profile_page.head(name):gsub("\n$", "")) }
  put_decisions(out, "differs from " .. DEFAULT_PROFILE, differing)
  put_decisions(out, name == DEFAULT_PROFILE and "decides" or "as " .. DEFAULT_PROFILE, same)
  return table.concat(out, "\n") .. "\n"
end

return profile_page
