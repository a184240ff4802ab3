-- known.lua - where others differ from the scenarios, and how we read the rule: language -> file -> case ->
-- number of the check, "end" (it ended early) or "compile" -> reading {rule, text, releases?}. A reading that names
-- releases of the compiler is about these only. "Up to 21" and the like is what those runtimes' sources say.

local COUNTED_TWICE = { rule = "OMP60-map-5",
  text = "a construct adds one reference to what is present, however many of its items name it; "
    .. "LLVM counts each list item" }
local MAPPER_RESENT = { rule = "OMP60-map-8",
  text = "the device's copy of an attached pointer is not overwritten; LLVM takes members that a mapper maps for new "
    .. "while the count is 1, sends the structure again with its host pointer, and the region writes host memory" }
local MAPPER_KEPT = { rule = "OMP60-map-6",
  text = "what a mapper maps has the counts of any other item; LLVM never releases the structure itself" }
local HOST_REACHED = { rule = "AMB-OMPEX-02",
  text = "on a device whose code reaches host memory a host address works; the scenario's device tells that it "
    .. "is none of its own" }
local BROUGHT_POINTER = { rule = "OMPEX-struct_map-6",
  text = "a section maps its elements, not the pointer that leads to them; LLVM up to 21 maps both, "
    .. "as OpenMP 4.0 had it" }
local BROUGHT_AND_USED = { rule = "OMPEX-struct_map-6",
  text = "nothing attaches the pointer; LLVM up to 21 has attached it on target data, and runs the region with the "
    .. "values that a and b happen to have" }
local ORDER_OF_CLAUSES = { rule = "OMP60-map-7",
  text = "pointers are attached after all items are mapped; LLVM sends a structure or pointer that follows its section "
    .. "over the attached pointer, so that the region follows the host's" }
local EXTENSION = { rule = "OMPEX-struct_map-10",
  text = "the section of length 0 on the target brings its pointer, which is not present yet; LLVM up to 21 has it "
    .. "since target data, and refuses members beside it as an extension" }
local PADDED = { rule = "AMB-OMPEX-03", releases = { 14 },
  text = "bytes outside the mapped members are not present; LLVM 14 begins a block at a multiple of 8, with x" }
local PRIVATE_ADDRESS = { rule = "OMP60-map-11", releases = { 14 },
  text = "has_device_addr names what lies on the device already; clang 14 makes a private copy of it" }
local GROWN = { rule = "OMP60-map-13",
  text = "a structure that is present in part gets no further member; LLVM maps one that lies outside of the block as "
    .. "an object of its own" }

local openmp = {
  counts = {
    ["an item of a construct twice is one reference"] = { COUNTED_TWICE },
  },
  mappers = {
    ["enter and exit data"] = { [3] = MAPPER_RESENT },
    ["update uses it"] = { [2] = MAPPER_RESENT },
    ["behind exit data the structure is gone"] = { [2] = MAPPER_KEPT },
  },
  pointers = {
    ["a pointer that is mapped as a value leads to the host"] = { HOST_REACHED },
    ["use_device_addr of a variable"] = { PRIVATE_ADDRESS },
  },
  struct_map = {
    ["1: what lies between the mapped members and around them"] = { [5] = PADDED },
    ["3, case 1: the section outside, the structure only implied"] = { [2] = BROUGHT_POINTER, [3] = BROUGHT_AND_USED },
    ["4, case 1: everything outside, the structure implied"]
      = { ORDER_OF_CLAUSES, ORDER_OF_CLAUSES, ORDER_OF_CLAUSES },
    ["4, case 2: the section outside, a section without length inside"] = { ["end"] = EXTENSION },
  },
  structures = {
    ["sections first, then all of it, on one construct"] = { ORDER_OF_CLAUSES },
    ["another member while one is present"] = { [2] = GROWN },
  },
}

local PLAIN_POINTER = { rule = "ACC33-att-5",
  text = "a pointer in a data clause is attached if its target is present; gcc 12 maps it as any variable" }
local BROUGHT_MEMBER = { rule = "ACC33-att-10",
  text = "a section through a member maps its elements; gcc 12 maps the member beside it, as part of one structure" }
local BEHIND_MEMBER = { rule = "ACC33-2.7.1-5",
  text = "s.b was never mapped; gcc 12 gives the region the address of s.a on the device, and what lies behind that "
    .. "is nobody's" }
local FREED = { rule = "ACC33-2.7.1-1",
  text = "the scenario knows that the memory was freed; a compiled program passes an address like any other" }
local NULL_SECTION = { rule = "ACC33-2.7-2",
  text = "sections of null pointers are passed over in compiled programs, whatever the profile" }
local NO_NEGATIVE = { rule = "ACC33-3.2.16-1",
  text = "C has no negative size: -1 is the largest one, for which there is no memory, and acc_malloc returns null" }

local openacc = {
  ["2.7-clauses"] = {
    ["rejects: in a strict profile a section of a null pointer is an error [ACC33-2.7-2]"] = { NULL_SECTION },
    ["rejects: memory that is not there any more [ACC33-2.7.1-1]"] = { [2] = FREED },
  },
  ["2.7.2-attach"] = {
    ["rejects: in a strict profile a new target is an error [ACC33-att-3]"] = { PLAIN_POINTER },
    ["rejects: in a strict profile detach below zero is an error [ACC33-det-1]"] = { ["end"] = PLAIN_POINTER },
    ["rejects: where a null pointer is not present it leads to an error [ACC33-gloss-2]"]
      = { ["end"] = BROUGHT_MEMBER },
  },
  ["3.2-routines"] = {
    ["rejects: memory that acc_malloc did not give, a negative size, too much [ACC33-3.2.16-1]"] = { NO_NEGATIVE },
  },
  attach = {
    ["rejects: members alone, where clauses leave the structure out under openacc-3.3 [ACC33-att-6]"]
      = { BROUGHT_MEMBER },
    ["rejects: a member that leads to a section, where it is not mapped with it under openacc-3.3 [ACC33-att-10]"]
      = { [2] = BROUGHT_MEMBER },
  },
  lifetimes = {
    ["rejects: what was not named of a structure is not there under openacc-3.3 [ACC33-2.7.1-5]"]
      = { BEHIND_MEMBER },
    ["rejects: what was not named of a structure is not there under libgomp-12 [ACC33-2.7.1-5]"]
      = { BEHIND_MEMBER },
  },
}

return { openmp = openmp, openacc = openacc }
