-- profiles.lua - rule profiles as scenarios name them, and the knobs that change them.
--
-- Where documents differ, data decides: what a knob is about, and what its values mean, is in knobs.lua and
-- core/accdeep_rules.def. What the core decides of a profile is there; the rest is here.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local knobs = require "accdeep.definitions.knobs"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local profiles = {}

-- What differs in each profile from its base; in one without a base, from the first values of the knobs.
-- openacc, openmp: the version whose spellings directives have (51: 5.1); nil: of any.
local settings = {
  ["tr14"] = { members = "held", descriptors = true, openacc = 33 },
  ["tr14x"] = { base = "tr14", extended = true },
  ["openacc-2.0"] = { openacc = 20 },
  ["openacc-3.3"] = { openacc = 33, loop_reduction = "rejected" },
  ["openacc-3.4"] = { openacc = 34, loop_reduction = "rejected" },
  ["libgomp-12"] = { members = "mapped", openacc = 26 },
  ["directory"] = { members = "held", openacc = 33 },
  ["openmp-4.0"] = { section = "two-step", implicit = "tofrom" },
  ["openmp-5.1"] = { unmatched = "null", descriptors = "allocatable", openmp = 51 },
  ["openmp-5.2"] = { base = "openmp-5.1", unmatched = "host", openmp = 52 },
  ["openmp-6.0"] = { base = "openmp-5.2", openmp = 60 },
  ["openmp-6.1"] = { base = "openmp-6.0", openmp = 61 },
  ["libgomp-12-openmp"] = { unmatched = "null", descriptors = "allocatable", openmp = 51 },
  ["libomptarget-14"] = { members = "mapped", chains = "mapped", descriptors = "allocatable", openmp = 51,
    unmatched = "null", use_device = "null" },
  ["libomptarget-19"] = { members = "mapped", chains = "mapped", descriptors = "allocatable", openmp = 51,
    use_device = "null" },
  ["indirect"] = { implicit = "by-type" },
}

function profiles.names()
  local names = {}
  for name in pairs(settings) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- The profile of a standard ("openacc", "openmp") with its first version that has what came with one.
function profiles.first(standard, since)
  local found
  for name, known in pairs(settings) do
    local version = name:find("^" .. standard .. "%-") and known[standard]
    if version and version >= since and (not found or version < settings[found][standard]) then found = name end
  end
  return found
end

local function copy(profile)
  local made = {}
  for key, value in pairs(profile) do made[key] = value end
  return made
end

local made = {} -- name -> profile

-- The profile of a name, with the name of the core's profile that it has. The tables are shared.
local function load_profile(name)
  if made[name] then return made[name] end
  local known = settings[name]
  local profile
  if known.base then
    profile = copy(load_profile(known.base))
  else
    local documents
    profile, documents = core.profile(name)
    profile.core, profile.documents = name, documents
    for _, knob in ipairs(knobs) do
      if knob.own then profile[knob.name] = knob.values[1][1] end
    end
  end
  for knob, value in pairs(known) do profile[knob] = value end
  profile.name, profile.base = name, name
  profile.is_openmp = profile.documents:find("OMP60", 1, true) ~= nil
  profile.changed = {} -- values of the core's knobs that are not those of the core's profile
  made[name] = profile
  return profile
end

-- What was meant, of the keys of a table.
local function suggest(name, names) return diagnostic.suggest(tostring(name), names) end

-- What a scenario wrote where a name or a value belongs. Tables and functions have no text.
local function describe_value(value)
  local kind = type(value)
  return (kind == "string" or kind == "number" or kind == "boolean") and ("'%s'"):format(value) or "a " .. kind
end

-- Raises if a knob has no such value.
local function check_value(knob, value)
  local values, words = {}, {}
  for i, known in ipairs(knob.values) do
    if known[1] == value then return end
    values[i], words[tostring(known[1])] = tostring(known[1]), true
  end
  diagnostic.raise("type-mismatch", nil, ("%s is %s, not %s"):format(knob.name, table.concat(values, " or "),
    describe_value(value)), { rule = "HOUSE-knobs", help = suggest(value, words)
      or "accdeep rules --profile NAME says what they mean" })
end

-- The knob that a key of a table names, or raises.
local function knob_of(key)
  local knob = knobs.named[key]
  if knob then return knob end
  local list = "accdeep rules --profile NAME lists the knobs"
  if type(key) ~= "string" then
    diagnostic.raise("type-mismatch", nil, ("the name of a rule knob is a text, not %s"):format(describe_value(key)),
      { rule = "HOUSE-knobs", help = list })
  end
  diagnostic.raise("unknown-name", nil, ("there is no rule knob '%s'"):format(key),
    { rule = "HOUSE-knobs", help = suggest(key, knobs.named) or list })
end

-- A profile's name as a scenario wrote it; tr14, if it wrote none. Raises if there is no such profile.
local function name_of(wanted, what)
  if wanted == nil then return "tr14" end
  if type(wanted) == "string" and settings[wanted] then return wanted end
  local known = "known are " .. table.concat(profiles.names(), ", ")
  if type(wanted) == "string" then
    diagnostic.raise("unknown-name", nil, ("there is no rule profile '%s'"):format(wanted),
      { help = suggest(wanted, settings) or known })
  end
  diagnostic.raise("type-mismatch", nil, ("%s, not %s"):format(what, describe_value(wanted)),
    { rule = "HOUSE-knobs", help = known })
end

local booleans = { ["true"] = true, ["false"] = false }

-- A text "base+knob=value+..." as the table that it stands for.
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

-- The profile that a name, a name with changes ("base+knob=value"), or a table {base = name, knob = value ...} stands
-- for. The caller does not change it. Decides HOUSE-knobs.
function profiles.profile(wanted)
  local text = type(wanted) == "string" and wanted:find("+", 1, true) and wanted
  if text then
    if made[text] then return made[text] end
    wanted = parse_changes(text)
  elseif type(wanted) ~= "table" then
    return load_profile(name_of(wanted, "rules is a profile's name or a table with base"))
  end
  local profile = copy(load_profile(name_of(wanted.base, "base is a profile's name")))
  profile.changed = {}
  for key, value in sorted_pairs(wanted) do
    if key ~= "base" then
      local knob = knob_of(key)
      check_value(knob, value)
      profile[key] = value
      if not knob.own then profile.changed[key] = value end
      profile.name = text or "changed " .. profile.base
    end
  end
  if text then made[text] = profile end
  return profile
end

-- Rows of rules that say the same, by each id; the first row that has it.
local row_of = {}
for _, row in ipairs(core.rules) do
  for _, id in ipairs(row) do row_of[id] = row_of[id] or row end
end

local function document_of(id) return id:match "^%u[%u%d]*" end

-- The rule that documents (words in order) have for what a rule says; the same one if they are silent, or it is
-- of one of them.
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

-- Of rules of several documents, {document = id}, that of the document which is asked first; own: the one that a
-- language asks before OpenACC.
function profiles.decides(ids, documents, own)
  for document in documents:gmatch "%S+" do
    local id = document == "ACC33" and ids[own] or ids[document]
    if id then return id end
  end
end

-- What the core is opened with. strict = false: what could be undone silently is (TR14-4.3-12, AMB-TR14-25), and
-- addresses from before a fusion find what is left there (AMB-DIR-14).
function profiles.for_core(profile, strict)
  local wanted = copy(profile.changed)
  wanted.base = profile.core
  if strict == false then
    wanted.still_attached, wanted.detach_unattached, wanted.stale = "ignore", "ignore", "ignore"
  end
  return wanted
end

return profiles
