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
  text = "a section maps its elements, not the pointer that points to them; LLVM up to 21 maps both, "
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

local NEVER_WRITTEN = { rule = "TR14-1.2-12",
  text = "the scenario's device knows which bytes nobody has written; a compiled program reads what is there" }
local SECTION_UNCHECKED = { rule = "ACC33-2.7.1-1",
  text = "the scenario knows how long arrays are; compiled programs map whatever lies behind them" }
local ELEMENT_POINTER = { rule = "TR14-3.4-02",
  text = "the pointer that points to the section is attached; gcc 12 leaves it where an index is a variable" }
local NO_WORDS = { rule = "ACC33-2.7.1-3", text = "gcc 12 has no data clauses of several dimensions behind pointers" }
local NO_ROUTINE = { rule = "ACC33-3.2.30-1", text = "gcc 12 declares acc_memcpy_device, but has no such routine" }
local COMPILER_CRASHES = { rule = "ACC33-att-5", text = "gcc 12 ends with an internal error" }

local UNDEFINED = { rule = "TR14-3.1.1-21",
  text = "the scenario refuses bounds that C leaves undefined; a compiled program computes some value" }
local EXCLUDED = { rule = "TR14-3.1.1-14",
  text = "an excluded member is unavailable in the scenario; in a compiled program it is memory like any other" }
local CPLUSPLUS = { rule = "TR14-3.1.2-08", text = "the case declares classes of C++, its program is C" }
local DECLARED_ANEW = { rule = "ACC33-2.7.1-4",
  text = "the case declares a variable anew for each profile, which one program cannot" }

local openacc = {
  ["3.1.1-shape"] = {
    ["bounds are undefined in C, or have a floating type"] = { UNDEFINED },
  },
  ["3.2-policy"] = {
    ["a policy has one default"] = { [2] = EXCLUDED },
  },
  classes = {
    ["neither class has the name; the derived class comes first"] = { compile = CPLUSPLUS },
  },
  ["1.2-capabilities"] = {
    ["parents are read although they were not sent"] = { NEVER_WRITTEN },
  },
  ["3.4-convenience"] = {
    ["the base may be an element, an inner structure or a pointee"] = { ELEMENT_POINTER },
    ["any object of an array of rows and a part of one row are mapped"] = { compile = NO_WORDS },
  },
  ["4.1-attach"] = {
    ["pointers attach to objects of this directive and to present ones"] = { [2] = PLAIN_POINTER },
    ["an object is unmapped while an attached pointer points to it"] = { PLAIN_POINTER },
  },
  ["2.7-clauses"] = {
    ["enter data copyin does the same as the routine, and attaches"] = { PLAIN_POINTER },
    ["sections have no length, exceed the array, or have the wrong type"]
      = { SECTION_UNCHECKED },
    ["two dimensions are arrays, pointers to pointers, or arrays of pointers"]
      = { compile = NO_WORDS },
    ["a section of a null pointer is an error in a strict profile"] = { NULL_SECTION },
    ["a clause names memory that was freed"] = { [2] = FREED },
    ["sections of two dimensions have variables as bounds"] = { compile = DECLARED_ANEW },
    ["variable bounds of a section in two dimensions leave gaps"]
      = { compile = DECLARED_ANEW },
  },
  ["2.7.2-attach"] = {
    ["each pointer in device memory has an attach counter"] = { [2] = PLAIN_POINTER },
    ["clauses attach the pointer of a section, and pointer variables"] = { [2] = PLAIN_POINTER },
    ["an attach to a new target is an error in a strict profile"] = { PLAIN_POINTER },
    ["a detach at counter zero is an error in a strict profile"] = { ["end"] = PLAIN_POINTER },
    ["a null pointer is an error where null pointers are not present"]
      = { ["end"] = BROUGHT_MEMBER },
    ["the end of a region detaches a pointer that was attached in the region under openacc-3.3"]
      = { ["end"] = BROUGHT_MEMBER },
    ["the end of a region detaches a pointer that was attached in the region under openacc-3.4"]
      = { ["end"] = BROUGHT_MEMBER },
    ["the end of a region detaches what its attach clause names under openacc-3.3"] = { [2] = PLAIN_POINTER },
    ["the end of a region detaches what its attach clause names under openacc-3.4"] = { [2] = PLAIN_POINTER },
    ["a no_create clause without data does not detach at the end of its region"] = { ["end"] = BROUGHT_MEMBER },
  },
  ["3.2-routines"] = {
    ["the copies of acc_memcpy routines count as moves"] = { compile = NO_ROUTINE },
    ["a size is negative or too large, or acc_free gets memory twice"] = { NO_NEGATIVE },
  },
  attach = {
    ["a clause attaches only the innermost pointer of a chain under openacc-3.3"]
      = { compile = COMPILER_CRASHES },
    ["a clause attaches only the innermost pointer of a chain under libgomp-12"]
      = { compile = COMPILER_CRASHES },
    ["exit data keeps the attachment of data that a region holds under openacc-3.3"]
      = { compile = COMPILER_CRASHES },
    ["exit data detaches although a region holds the data under libgomp-12"]
      = { compile = COMPILER_CRASHES },
    ["a clause on members alone does not map the structure under openacc-3.3"]
      = { BROUGHT_MEMBER },
    ["a member that points to a section is not mapped with the section under openacc-3.3"]
      = { [2] = BROUGHT_MEMBER },
  },
  lifetimes = {
    ["a kernel or a clause uses members that no clause named under openacc-3.3"]
      = { BEHIND_MEMBER },
    ["a kernel or a clause uses members that no clause named under libgomp-12"]
      = { BEHIND_MEMBER },
  },
}

return { openmp = openmp, openacc = openacc }
