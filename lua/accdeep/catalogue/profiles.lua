-- profiles.lua - rule profiles as scenarios name them, and the knobs that change them.
--
-- Where documents differ, data decides: the core's part of a profile is in core/base/rules.c, the rest here.
-- members: what a data clause on a member asks of the structure around it: "held" allocates it whole
-- if it is absent (TR14-3.4-11); where data are fused that is storage with holes, and none where no pointer is in the
-- way (DIR-4.1-03, DIR-4.2-17); "ignored" leaves it alone (OpenACC 2.6 and later, X-04), "mapped" maps
-- the pointer that leads to a section, too, and only such pointers are attached by clauses.
-- descriptors: allocatable and pointer components of derived types are followed, as members with a shape are
-- (TR14-1.1), or only the allocatable ones (OMP60-map-16); else they are only kept as they are. extended: the wishes
-- of TR14's chapter 5 are understood.
-- section: whether a section through a pointer maps the pointer, too (LLNL-2.1-05, LLNL-3.1-01, LLNL-3.1-04);
-- implicit: what a target construct does with variables that no clause names (LLNL-3.2-01, OMP60-map-11);
-- unmatched: what a pointer is on the device that leads to nothing there (OMP60-map-10); attach: when base
-- pointers of list items are attached, counted as in OpenACC, if something is new, or always (AMB-OMPEX-01).
-- fusion: data that belong together lie in one device block at their true distances (DIR-2-01). core: the profile
-- of the core, if it has another name. openmp: the version whose spellings directives have (51: 5.1); nil: of any.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local sorted = require "accdeep.base.sorted"

local profiles = {}

local settings = {
  ["tr14"] = { members = "held", descriptors = true },
  ["tr14x"] = { members = "held", descriptors = true, extended = true, core = "tr14" },
  ["openacc-2.0"] = { members = "ignored" },
  ["openacc-3.3"] = { members = "ignored" },
  ["libgomp-12"] = { members = "mapped" },
  ["directory"] = { members = "held", fusion = true },
  ["openmp-4.0"] = { members = "ignored", section = "two-step", implicit = "tofrom", attach = "every" },
  ["openmp-5.1"] = { members = "ignored", section = "one-step", implicit = "firstprivate", unmatched = "null",
    attach = "new", descriptors = "allocatable", openmp = 51 },
  ["openmp-5.2"] = { members = "ignored", section = "one-step", implicit = "firstprivate", attach = "new",
    descriptors = "allocatable", openmp = 52, core = "openmp-5.1" },
  ["openmp-6.0"] = { members = "ignored", section = "one-step", implicit = "firstprivate", attach = "new",
    descriptors = "allocatable", openmp = 60, core = "openmp-5.1" },
  ["indirect"] = { members = "ignored", section = "one-step", implicit = "by-type", attach = "every" },
}

-- Knobs of a scenario's rules table: values allowed.
local knobs = {
  update = { split = true, reverse = true },
  untranslated = { host = true, null = true, poison = true },
  present = { deep = true, shallow = true },
  fusion = { [true] = true, [false] = true },
  partial_overlap = { error = true, present_and_copyin = true, update_and_copy = true },
  section = { ["two-step"] = true, ["one-step"] = true, ["value-first"] = true },
  implicit = { tofrom = true, ["by-type"] = true, firstprivate = true },
  unmatched = { host = true, null = true },
  attach = { counted = true, new = true, every = true },
}

function profiles.names()
  local names = {}
  for name in pairs(settings) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- The profile that a name, or a table {base = name, knob = value ...}, stands for.
function profiles.profile(wanted)
  local base, changes = wanted, {}
  if type(wanted) == "table" then
    base = wanted.base or "tr14"
    changes = wanted
  elseif type(wanted) ~= "string" then
    diagnostic.raise("type-mismatch", nil, "rules is a profile's name or a table with base")
  end
  local known = settings[base]
  if not known then
    local near = diagnostic.closest(tostring(base), settings)
    diagnostic.raise("unknown-name", nil, ("there is no rule profile '%s'"):format(tostring(base)),
      { help = near and ("did you mean '%s'?"):format(near)
        or "known are " .. table.concat(profiles.names(), ", ") })
  end
  local profile = { name = base, base = base, update = "split", untranslated = "host",
    present = "deep", members = known.members, descriptors = known.descriptors or false,
    extended = known.extended or false, fusion = known.fusion or false,
    partial_overlap = "error", core = known.core or base, section = known.section or "one-step",
    implicit = known.implicit or "firstprivate", unmatched = known.unmatched or "host",
    attach = known.attach or "counted", openmp = known.openmp,
    is_openmp = base == "indirect" or base:find "^openmp" ~= nil }
  profile.documents = core.documents(profile.core)
  for key, value in sorted(changes) do
    if key ~= "base" then
      local allowed = knobs[key]
      if not allowed then
        local near = diagnostic.closest(tostring(key), knobs)
        diagnostic.raise("unknown-name", nil, ("there is no rule knob '%s'"):format(tostring(key)),
          { help = near and ("did you mean '%s'?"):format(near) })
      end
      if not allowed[value] then
        local values = {}
        for v in pairs(allowed) do values[#values + 1] = tostring(v) end
        table.sort(values)
        diagnostic.raise("type-mismatch", nil, ("%s is %s, not '%s'"):format(key,
          table.concat(values, " or "), tostring(value)))
      end
      profile[key] = value
      profile.name = "changed " .. base
    end
  end
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
function profiles.cited(id, documents)
  local row = row_of[id]
  if not row or documents:find("%f[%w]" .. document_of(id) .. "%f[%W]") then return id end
  for document in documents:gmatch "%S+" do
    for _, other in ipairs(row) do
      if document_of(other) == document then return other end
    end
  end
  return id
end

-- strict = false: what could be undone silently is (TR14-4.3-12, AMB-TR14-25), and addresses of before a
-- fusion lead to what is left there (AMB-DIR-14).
function profiles.for_core(profile, strict)
  local wanted = { base = profile.core, update = profile.update, untranslated = profile.untranslated,
    fusion = profile.fusion, partial_overlap = profile.partial_overlap, attaching = profile.attach }
  if strict == false then
    wanted.still_attached, wanted.detach_unattached, wanted.stale = "ignore", "ignore", "ignore"
  end
  return wanted
end

return profiles
