-- knobs.lua - table of the knobs: what a rule profile decides, in the order in which profiles are described.
--
-- An entry is {name, about, rules, own, values}; `values` is a list of {value, meaning}. `about` followed by a meaning
-- is a sentence about data or directives. `own` is true for knobs that Lua evaluates; the core evaluates the others,
-- from core/accdeep_rules.def. A profile that does not set a knob has the first value. `rules` are ids, separated by
-- blanks; "" means that no document decides the question.

local core = require "accdeep.core"

local knobs = {
  { name = "members", about = "the structure around a member that a clause names, `copyin(v.data[0:n])`",
    rules = "TR14-3.4-11 ACC33-att-10",
    values = { { "ignored", "is not mapped, only the section is" },
      { "held", "is allocated whole if it is absent, and held; it is not initialised" },
      { "mapped", "is mapped only at the base pointer of the section; only base pointers are attached" } } },
  { name = "chains", about = "the pointers `t.s` and `t.s->d` on the way to a list item `t.s->d->x` in C",
    rules = "OMP60-map-7",
    values = { { "ignored", "are not mapped" },
      { "mapped", "are mapped; those that lie in the target of a pointer keep a reference" } } },
  { name = "descriptors", about = "allocatable and pointer components of derived types in a clause on the object",
    rules = "TR14-1.1-05 OMP60-map-16",
    values = { { false, "are not followed" }, { true, "are followed, like members with a shape" },
      { "allocatable", "allocatable ones are followed, pointers are not" } } },
  { name = "extended", about = "the syntax for future work of TR-14-1, chapter 5", rules = "TR14-5-01",
    values = { { false, "is an error" }, { true, "is understood" } } },
  { name = "present", about = "a `present` clause on an object whose type has a shape", rules = "TR14-1.2-08",
    values = { { "deep", "requires all that the shape includes" }, { "shallow", "requires the object alone" } } },
  { name = "loop_reduction", about = "a scalar that a loop in parallel or serial reduces, and no clause names",
    rules = "ACC33-impl-4",
    values = { { "copied", "is copied, as by reduction on the construct" },
      { "rejected", "is an error (missing-clause)" } } },
  { name = "races", about = "a data race between two iterations of a parallel loop",
    rules = "ACC33-2.9-5 OMP60-race-1",
    values = { { "reported", "is an error (data-race)" },
      { "ignored", "is not looked for; the iterations run in order" } } },
  { name = "section", about = "a section through a pointer", rules = "LLNL-2.1-05 LLNL-3.1-01 LLNL-3.1-04",
    values = { { "one-step", "maps the target of the pointer" },
      { "two-step", "maps the pointer, too; it is looked up by the address of the pointer" },
      { "value-first", "maps both; it is looked up by the value of the pointer" } } },
  { name = "implicit", about = "variables of a target construct that no clause names",
    rules = "OMP60-map-11 LLNL-3.2-01",
    values = { { "firstprivate",
        "scalars are firstprivate, pointers are sections of length zero, aggregates are `tofrom`" },
      { "tofrom", "all are `map(tofrom:)`, pointers included" },
      { "by-type", "pointers and references are sections of length zero, values are `map(tofrom:)`" } } },
  { name = "unmatched", about = "the pointer of a section of length zero, without a present target",
    rules = "OMP60-map-10",
    values = { { "host", "keeps the host's address" }, { "null", "is null on the device" } } },
  { name = "use_device", about = "a pointer in `use_device_ptr` whose data are absent", rules = "OMP60-tgt-1",
    values = { { "host", "keeps the host's address" }, { "null", "is null in the region" } } },
}
-- The entries above are Lua's own; the core's entries follow.
for _, knob in ipairs(knobs) do knob.own = true end
for _, knob in ipairs(core.knobs()) do knobs[#knobs + 1] = knob end

-- Knobs by name.
knobs.by_name = {}
for _, knob in ipairs(knobs) do knobs.by_name[knob.name] = knob end

-- Returns true if a knob matters only in profiles of OpenMP: it has rules, and all of them are rules of OpenMP. A knob
-- without rules matters in all profiles.
function knobs.is_openmp(knob)
  return knob.rules ~= "" and not (" " .. knob.rules):gsub(" OMP60%-%S+", ""):gsub(" LLNL%-%S+", ""):find "%S"
end

-- Returns a knob's value (a text or boolean) as scenarios write it: quoted if it is a text.
function knobs.format_value(value) return type(value) == "string" and ('"%s"'):format(value) or tostring(value) end

return knobs
