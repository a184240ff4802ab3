-- profiles.lua - rule profiles by the names that scenarios use, and changes of single knobs.
--
-- A profile chooses a value for each question on which documents differ. The core's part is in core/accdeep_rules.def,
-- the part of Lua here; knobs.lua describes the questions and values.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local knobs = require "accdeep.definitions.knobs"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local profiles = {}

-- Profile of sessions that choose none. Scenarios: script/default_profile.lua.
profiles.DEFAULT = "tr14"

-- Settings of each profile. They replace the values of its base; without a base they replace the core's values and the
-- first values of the other knobs. `openacc`, `openmp`: the version that checks of spelling assume (51: 5.1); nil: any
-- version.
local settings = {
  ["tr14"] = { members = "held", descriptors = true, openacc = 33 },
  ["tr14x"] = { base = "tr14", extended = true },
  ["openacc-2.0"] = { openacc = 20 },
  ["openacc-3.3"] = { openacc = 33, loop_reduction = "rejected" },
  ["openacc-3.4"] = { openacc = 34, loop_reduction = "rejected" },
  ["libgomp-12"] = { members = "mapped", openacc = 26, races = "ignored" },
  ["directory"] = { members = "held", openacc = 33 },
  ["openmp-4.0"] = { section = "two-step", implicit = "tofrom" },
  ["openmp-5.1"] = { unmatched = "null", descriptors = "allocatable", openmp = 51 },
  ["openmp-5.2"] = { base = "openmp-5.1", unmatched = "host", openmp = 52 },
  ["openmp-6.0"] = { base = "openmp-5.2", openmp = 60 },
  ["openmp-6.1"] = { base = "openmp-6.0", openmp = 61 },
  ["libgomp-12-openmp"] = { unmatched = "null", descriptors = "allocatable", openmp = 51, races = "ignored" },
  ["libomptarget-14"] = { members = "mapped", chains = "mapped", descriptors = "allocatable", openmp = 51,
    unmatched = "null", use_device = "null", races = "ignored" },
  ["libomptarget-19"] = { members = "mapped", chains = "mapped", descriptors = "allocatable", openmp = 51,
    use_device = "null", races = "ignored" },
  ["indirect"] = { implicit = "by-type" },
}

-- Returns a sorted list of the names of the profiles.
function profiles.names()
  local names = {}
  for name in pairs(settings) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- Returns the name of the profile of `standard` ("openacc" or "openmp") with the lowest version that is at least
-- `since` (34: 3.4); nil if all versions are lower.
function profiles.first(standard, since)
  local lowest
  for name, profile_settings in pairs(settings) do
    local version = name:find("^" .. standard .. "%-") and profile_settings[standard]
    if version and version >= since and (not lowest or version < settings[lowest][standard]) then lowest = name end
  end
  return lowest
end

-- Returns the name of the profile of `standard` ("openacc" or "openmp") with the highest version.
function profiles.newest(standard)
  local newest
  for name, profile_settings in pairs(settings) do
    local version = name:find("^" .. standard .. "%-") and profile_settings[standard]
    if version and (not newest or version > settings[newest][standard]) then newest = name end
  end
  return newest
end

-- Returns a shallow copy of a table.
local function copy(profile)
  local result = {}
  for key, value in pairs(profile) do result[key] = value end
  return result
end

-- Cache: name, or text "base+knob=value", -> profile. Tables with changes are not cached.
local cached_profiles = {}

-- Returns the profile `name`: a table with the values of all knobs, name, base, core (the name of the core's profile
-- that it uses), documents, is_openmp and changed. Precondition: the profile exists. The table is cached and shared:
-- callers must not change it.
local function load_profile(name)
  if cached_profiles[name] then return cached_profiles[name] end
  local profile_settings = settings[name]
  local profile
  if profile_settings.base then
    profile = copy(load_profile(profile_settings.base))
  else
    local documents
    profile, documents = core.profile(name)
    profile.core, profile.documents = name, documents
    for _, knob in ipairs(knobs) do
      if knob.own then profile[knob.name] = knob.values[1][1] end
    end
  end
  for knob, value in pairs(profile_settings) do profile[knob] = value end
  profile.name, profile.base = name, name
  profile.is_openmp = profile.documents:find("OMP60", 1, true) ~= nil
  profile.changed = {} -- changed values of the core's knobs; only profiles.profile makes copies that have some
  cached_profiles[name] = profile
  return profile
end

-- Returns a sentence that suggests a key of the table `names` for the misspelt value `name`; nil if no key is close.
local function suggest(name, names) return diagnostic.suggest(tostring(name), names) end

-- Returns a value of a scenario for an error message: quoted, or "a" and its type for tables, functions and nil.
local function describe_value(value)
  local kind = type(value)
  return (kind == "string" or kind == "number" or kind == "boolean") and ("'%s'"):format(value) or "a " .. kind
end

-- Raises unless `value` is one of the values of `knob`, an entry of knobs.lua.
local function check_value(knob, value)
  local values, words = {}, {}
  for i, choice in ipairs(knob.values) do
    if choice[1] == value then return end
    values[i], words[tostring(choice[1])] = tostring(choice[1]), true
  end
  diagnostic.raise("type-mismatch", nil, ("%s is %s, not %s"):format(knob.name, table.concat(values, " or "),
    describe_value(value)), { rule = "HOUSE-knobs", help = suggest(value, words)
      or "accdeep rules --profile NAME says what they mean" })
end

-- Returns the knob with the name `key`. Raises if there is no such knob, or if `key` is not a string.
local function knob_of(key)
  local knob = knobs.by_name[key]
  if knob then return knob end
  local list = "accdeep rules --profile NAME lists the knobs"
  if type(key) ~= "string" then
    diagnostic.raise("type-mismatch", nil, ("the name of a rule knob is a text, not %s"):format(describe_value(key)),
      { rule = "HOUSE-knobs", help = list })
  end
  diagnostic.raise("unknown-name", nil, ("there is no rule knob '%s'"):format(key),
    { rule = "HOUSE-knobs", help = suggest(key, knobs.by_name) or list })
end

-- Returns `profile_name`, a value of a scenario; nil becomes profiles.DEFAULT. Raises if it is not the name of a
-- profile. `subject`: start of the message for a value that is not a text.
local function name_of(profile_name, subject)
  if profile_name == nil then return profiles.DEFAULT end
  if type(profile_name) == "string" and settings[profile_name] then return profile_name end
  local choices = "known are " .. table.concat(profiles.names(), ", ")
  if type(profile_name) == "string" then
    diagnostic.raise("unknown-name", nil, ("there is no rule profile '%s'"):format(profile_name),
      { help = suggest(profile_name, settings) or choices })
  end
  diagnostic.raise("type-mismatch", nil, ("%s, not %s"):format(subject, describe_value(profile_name)),
    { rule = "HOUSE-knobs", help = choices })
end

-- Boolean values of knobs by their text; other texts are values themselves.
local booleans = { ["true"] = true, ["false"] = false }

-- Returns the text "base+knob=value+..." as a table {base = name, knob = value ...}. Raises if a change is malformed.
-- Names and values are not checked.
local function parse_changes(text)
  local changes = {}
  for part in text:gmatch "%+([^+]*)" do
    local knob, value = part:match "^([%w_]+)=([%w_-]+)$"
    if not knob then
      diagnostic.raise("type-mismatch", nil, ("a change of a profile is 'knob=value', not '%s'"):format(part),
        { rule = "HOUSE-knobs", help = "such as openacc-3.3+reattach=counts" })
    end
    if booleans[value] ~= nil then value = booleans[value] end
    changes[knob] = value
  end
  changes.base = text:match "^[^+]*"
  return changes
end

-- Returns the profile for a name, a name with changes ("base+knob=value"), or a table {base = name, knob = value ...};
-- nil means tr14. Raises if the profile, a knob or a value does not exist. The caller must not change the result.
-- Decides HOUSE-knobs.
function profiles.profile(spec)
  local text = type(spec) == "string" and spec:find("+", 1, true) and spec
  if text then
    if cached_profiles[text] then return cached_profiles[text] end
    spec = parse_changes(text)
  elseif type(spec) ~= "table" then
    return load_profile(name_of(spec, "rules is a profile's name or a table with base"))
  end
  local profile = copy(load_profile(name_of(spec.base, "base is a profile's name")))
  profile.changed = {}
  for key, value in sorted_pairs(spec) do
    if key ~= "base" then
      local knob = knob_of(key)
      check_value(knob, value)
      profile[key] = value
      if not knob.own then profile.changed[key] = value end
      profile.name = text or "changed " .. profile.base
    end
  end
  if text then cached_profiles[text] = profile end
  return profile
end

-- Row of equivalent rules (core.rules: lists of the ids by which documents state one rule) by rule id; the first such
-- row if a rule is in several rows.
local row_of = {}
for _, row in ipairs(core.rules) do
  for _, id in ipairs(row) do row_of[id] = row_of[id] or row end
end

-- Returns the prefix of a rule id, which denotes the document: ACC33 for ACC33-att-5.
local function document_of(id) return id:match "^%u[%u%d]*" end

-- Returns the equivalent of the rule `id` in the first of `documents` that has an equivalent. Returns `id` itself if no
-- document has one, or if the rule is from one of the documents. `documents`: prefixes, separated by blanks.
function profiles.applicable_rule(id, documents)
  local row = row_of[id]
  if not row or documents:find("%f[%w]" .. document_of(id) .. "%f[%W]") then return id end
  for document in documents:gmatch "%S+" do
    for _, other in ipairs(row) do
      if document_of(other) == document then return other end
    end
  end
  return id
end

-- Returns the rule in the first of `documents` (prefixes, separated by blanks) that has one in `ids`; nil if none has
-- one. `ids`: prefix -> rule id. `own`: another key of `ids`, or nil; its rule, if it has one, is used for ACC33.
function profiles.decides(ids, documents, own)
  for document in documents:gmatch "%S+" do
    local id = document == "ACC33" and ids[own] or ids[document]
    if id then return id end
  end
end

-- Returns the settings with which the core is opened, as a new table. With `strict` = false, some misuses are ignored
-- instead of reported. A construct may unmap memory to which attached pointers point (TR14-4.3-12) and detach an
-- unattached pointer (AMB-TR14-25). A kernel may use device addresses from before a fusion (AMB-DIR-14). `strict` nil
-- is true.
function profiles.for_core(profile, strict)
  local core_settings = copy(profile.changed)
  core_settings.base = profile.core
  if strict == false then
    core_settings.still_attached, core_settings.detach_unattached, core_settings.stale = "ignore", "ignore", "ignore"
  end
  return core_settings
end

return profiles
