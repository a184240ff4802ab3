-- knobs.lua - what rule profiles decide, in the order in which profiles are described: {name, about, rules,
-- own? (Lua decides; the others stand in core/accdeep_rules.def), values = {{value, what it means} ...}}. A profile
-- that says nothing of a knob has the first value. No rules: a runtime's own ways, of which no document speaks.

local core = require "accdeep.core"

local knobs = {
  { name = "members", about = "what a clause on a member, `copyin(v.data[0:n])`, asks of the structure around it",
    rules = "TR14-3.4-11 ACC33-att-10",
    values = { { "ignored", "nothing: the section alone is mapped" },
      { "held", "an absent structure is allocated whole, not initialised, and kept" },
      { "mapped", "the section's base pointer is mapped, too, and only base pointers are attached" } } },
  { name = "descriptors", about = "allocatable and pointer components of derived types in a clause on the object",
    rules = "TR14-1.1-05 OMP60-map-16",
    values = { { false, "are kept as they are" }, { true, "are followed, as members with a shape are" },
      { "allocatable", "the allocatable ones are followed, the pointers kept as they are" } } },
  { name = "extended", about = "the syntax that TR14's chapter 5 only wishes for", rules = "TR14-5-01",
    values = { { false, "is an error" }, { true, "is understood" } } },
  { name = "present", about = "a `present` clause on an object whose type has a shape", rules = "TR14-1.2-08",
    values = { { "deep", "asks for all that the shape includes" }, { "shallow", "asks for the object alone" } } },
  { name = "section", about = "a section through a pointer", rules = "LLNL-2.1-05 LLNL-3.1-01 LLNL-3.1-04",
    values = { { "one-step", "maps what the pointer points to" },
      { "two-step", "maps the pointer, too, and is found by the pointer's address" },
      { "value-first", "maps both, and is found by the address that the pointer holds" } } },
  { name = "implicit", about = "variables of a target construct that no clause names",
    rules = "OMP60-map-11 LLNL-3.2-01",
    values = { { "firstprivate", "scalars are firstprivate, pointers sections of no length, aggregates `tofrom`" },
      { "tofrom", "all are `map(tofrom:)`, pointers included" },
      { "by-type", "pointers and references are sections of no length, values `map(tofrom:)`" } } },
  { name = "unmatched", about = "a pointer of a section of no length that points to nothing present",
    rules = "OMP60-map-10",
    values = { { "host", "keeps the host's address" }, { "null", "is null on the device" } } },
}
for _, knob in ipairs(knobs) do knob.own = true end
for _, knob in ipairs(core.knobs()) do knobs[#knobs + 1] = knob end

-- The knobs by name.
knobs.named = {}
for _, knob in ipairs(knobs) do knobs.named[knob.name] = knob end

-- Whether only OpenMP's profiles ask what a knob decides.
function knobs.is_openmp(knob)
  return knob.rules ~= "" and not (" " .. knob.rules):gsub(" OMP60%-%S+", ""):gsub(" LLNL%-%S+", ""):find "%S"
end

-- A value as scenarios write it.
function knobs.written(value) return type(value) == "string" and ('"%s"'):format(value) or tostring(value) end

return knobs
