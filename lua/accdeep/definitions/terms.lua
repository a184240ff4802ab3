-- terms.lua - glossary of the field's and accdeep's terms for `accdeep explain`, in alphabetical order: {term, also?,
-- rule?, see, text}.
--
-- Fields: also: synonyms and other forms, separated by commas. rule: id of a rule of the document that defines the
-- term; terms without a rule, or with a rule of HOUSE (accdeep's own rules), are accdeep's. see: related terms,
-- separated by commas.

return {
  { "@", also = "pointer translation, alias", rule = "TR14-3.5-01", see = "aliasing, attach, list item",
    text = "Replaces a section: `present(p[@])`. The target is present already. Only the pointer is "
      .. "translated to the device's address; no bytes of the target move." },
  { "aliasing", rule = "TR14-4.2-02", see = "@, list item",
    text = "Objects of one directive share bytes. All its clauses are collected before anything is mapped. An "
      .. "object that lies inside another one has no allocation of its own." },
  { "attach", also = "attachment", rule = "TR14-4.1-01", see = "attach counter, attach table, detach",
    text = "Makes a pointer on the device point to the device copy of its target. Pointer and target must both "
      .. "be present. Without it the device pointer holds a host address." },
  { "attach counter", also = "attachment counter", rule = "ACC33-att-1", see = "attach, attach table, detach",
    text = "Counts the attachments of one pointer on a device. Each detach decrements it. At zero the pointer "
      .. "is detached." },
  { "attach table", rule = "TR14-4.3-12", see = "attach, attach counter, present table",
    text = "The attached pointers of a device. Each row has the pointer, its target and its attach counter. "
      .. "Copies to the host use it to keep device addresses out of host memory." },
  { "base pointer", rule = "OMP60-map-7", see = "attach, list item",
    text = "The pointer through which a list item is reached: `s.p` of `s.p[0:n]`. Mapping the section "
      .. "attaches it where both are present, under the conditions of the profile." },
  { "canonical form", also = "canonical nest", rule = "TR14-3.3-01", see = "lowered form, nest, policy, shape",
    text = "A directive with all its shapes and policies written out as nests. Two directives with the same "
      .. "canonical form do the same. `accdeep explain` prints it." },
  { "case", also = "test case", rule = "HOUSE-scenario", see = "expectation, scenario",
    text = "A part of a scenario with a name of its own. It starts with the declarations and values of the "
      .. "file, and passes or fails by itself." },
  { "clause", rule = "ACC33-2.7-1", see = "directive, list item",
    text = "A word after a directive's name, with arguments in parentheses: `copyin(a[0:n])`. A data clause "
      .. "says which list items are mapped and how." },
  { "construct", rule = "ACC33-2.5-1", see = "directive, region",
    text = "A directive together with the statement or block that it applies to. When it is executed, its "
      .. "region runs." },
  { "deep copy", rule = "TR14-1.1-04", see = "attach, policy, shape, shallow copy",
    text = "Maps an object together with what its pointers point to, at any depth. Each pointer on the device "
      .. "is attached to the copy of its target." },
  { "descriptor", also = "dope vector", rule = "FLANG-cfi-1", see = "attach, base pointer",
    text = "Describes an allocatable, a pointer or an array argument of Fortran: data address, element size, "
      .. "type, bounds. On the device it is attached as a pointer is." },
  { "detach", rule = "TR14-4.1-01", see = "attach, attach counter",
    text = "Undoes an attach. When the attach counter becomes zero, the device pointer gets the host's value "
      .. "again." },
  { "device", also = "accelerator, device data environment", rule = "OMP60-tgt-2", see = "host, transfer",
    text = "The processor with memory of its own that runs kernels. Here it is simulated, or a GPU." },
  { "device address", also = "device pointer", rule = "ACC33-2.7-9", see = "device, host, present",
    text = "An address in device memory. `acc_deviceptr`, `use_device` and `use_device_addr` give it to the host "
      .. "program. `deviceptr` and `is_device_ptr` say that a pointer holds one." },
  { "directive", rule = "TR14-4.2-01", see = "clause, construct",
    text = "A line of OpenACC or OpenMP in a program, with a name and clauses: `#pragma acc enter data "
      .. "copyin(a)`. Several clauses of one directive are treated as one set." },
  { "directory", rule = "DIR-4.1-01", see = "floor, fusion, level, present table, tuple",
    text = "The paper's table of mapped data: for each device a stack of levels. Pieces of one array lie in "
      .. "one device block, at their true distances." },
  { "dynamic reference counter", also = "dynamic counter", rule = "ACC33-2.6.7-3",
    see = "present table, reference counter, structured reference counter",
    text = "Counts the `enter data` directives and routines that hold an object on a device. `exit data` "
      .. "decrements it; `finalize` sets it to zero." },
  { "event", see = "observer, trace, transfer",
    text = "A record of one step of a construct: an allocation, a transfer, an attach, a counter that changes. "
      .. "It has the rule that asked for it." },
  { "expectation", also = "assertion", rule = "HOUSE-expect", see = "case, scenario",
    text = "A check in a scenario, such as `expect.present`. One that does not hold ends its case as a "
      .. "failure." },
  { "floor", rule = "DIR-6-02", see = "level, tuple",
    text = "In the directory: the part of a level for data of `enter data`. It outlives the region in which it "
      .. "was opened. In accdeep's source: a layer of the architecture, which calls only layers below." },
  { "fusion", also = "fuse", rule = "DIR-4.2-08", see = "directory, tuple",
    text = "Makes one interval of several that overlap or have the same base address. The device block spans "
      .. "them all, and the holes between them." },
  { "group", also = "group of clauses", rule = "LLNL-4-01", see = "clause, construct",
    text = "A list of clauses with a name, from `declare group`. Constructs apply it by name, by scope or by "
      .. "type." },
  { "host", also = "original storage, host memory, local memory", rule = "LLNL-2.1-03", see = "device, transfer",
    text = "The processor that runs the program and executes its directives, with its memory." },
  { "house rule", also = "house", see = "rule",
    text = "A rule of accdeep itself, about what no document says. Its id begins with `HOUSE`." },
  { "kernel", also = "device code", rule = "TR14-1.1-02", see = "device, region",
    text = "Code that runs on the device: the body of a compute construct. It may follow only pointers that "
      .. "point to device memory." },
  { "knob", also = "option", rule = "HOUSE-knobs", see = "profile",
    text = "One question that documents or implementations answer in different ways, with a name and a list of "
      .. "values. A profile is made of them." },
  { "level", rule = "DIR-4.1-01", see = "floor, region, tuple",
    text = "A data environment among nested ones. Each data region opens one on top of the level around it, "
      .. "and closes it at its end." },
  { "list item", also = "item, var, original list item", rule = "OMP60-map-4", see = "base pointer, clause, section",
    text = "What a clause names: a variable, a member, or a section of an array. OpenMP calls it list item, "
      .. "OpenACC var." },
  { "lowered form", also = "lowering", rule = "TR14-3-01", see = "canonical form, nest",
    text = "A directive in which members in data clauses are rewritten as nests. Shapes and policies keep "
      .. "their names until the canonical form." },
  { "map", also = "mapping", rule = "OMP60-map-5", see = "list item, present, transfer, unmap",
    text = "Gives host data their counterpart on the device. Absent data are allocated, and copied if the "
      .. "clause says so. Present data keep their bytes; a counter is incremented." },
  { "map type", also = "tofrom", rule = "OMP60-map-1", see = "map, transfer, unmap",
    text = "Says in a `map` clause what is copied: `to` at entry, `from` at exit, `tofrom` at both, `alloc` at "
      .. "neither. `release` and `delete` unmap." },
  { "mapper", rule = "OMP60-map-15", see = "map, policy, shape",
    text = "OpenMP's declaration of how objects of a type are mapped: a list of map clauses about one variable "
      .. "of the type." },
  { "mapping program", see = "deep copy, mapper, plan, shape",
    text = "What the core executes for each object of a deep copy: which bytes move, which pointers are "
      .. "followed, how many elements they point to. It is made of shapes, policies and mappers." },
  { "nest", also = "nested syntax", rule = "TR14-3.3-01", see = "canonical form, policy, shape",
    text = "A shape or policy in braces after one clause: `copyin(x)::{ include(a[0:n]) }`. It holds for that "
      .. "directive alone." },
  { "observer", also = "callback", see = "event, trace",
    text = "A set of callbacks that a run informs of its events, such as the writer of traces. Others call "
      .. "this a profiling or tool interface." },
  { "partially present", also = "partly present", rule = "ACC33-gloss-1", see = "present, section",
    text = "A part of the data is present and the rest is not, or is in another block. Mapping such data is an "
      .. "error in most profiles." },
  { "plan", see = "construct, mapping program, transfer",
    text = "The steps that one construct will take: objects, transfers, pointers, counters. It is checked as a "
      .. "whole before memory changes, so that a construct that fails changes nothing." },
  { "policy", rule = "TR14-3.2.1-01", see = "deep copy, nest, shape",
    text = "Gives each member of a type a data clause of its own, such as `copyin` or `copyout`. The clause "
      .. "`invoke` uses it." },
  { "present", also = "presence, corresponding storage", rule = "ACC33-gloss-1",
    see = "partially present, present table, reference counter",
    text = "Data are present when all their bytes lie in one mapped object of the device. Two mapped "
      .. "neighbours do not make their union present." },
  { "present table", also = "presence table", rule = "TR14-4.1-04",
    see = "attach table, present, reference counter",
    text = "The mapped objects of a device. Each row has the host address, the size, the device address and "
      .. "the reference counters." },
  { "profile", also = "rule profile", rule = "HOUSE-knobs", see = "knob, rule",
    text = "The document or runtime whose rules are followed, such as `openacc-3.3`. It has a value for each "
      .. "knob." },
  { "queue", also = "activity queue, stream", rule = "ACC33-async-1", see = "construct, kernel, transfer",
    text = "A sequence of device work that runs in order, named by `async(n)`. Other queues and the host do "
      .. "not wait for it unless `wait` says so." },
  { "recursive shape", also = "linked list, recursive type", rule = "TR14-5-10", see = "deep copy, nest, shape",
    text = "A shape that reaches its own type, as lists and trees need: `shape include(next[0:next != 0])`. The "
      .. "profile `tr14x` permits it. Each object is mapped once." },
  { "reference counter", also = "reference count, incref, decref", rule = "ACC33-2.6.7-1",
    see = "dynamic reference counter, present, structured reference counter",
    text = "Counts how many users a mapped object has. OpenACC has a structured and a dynamic one, OpenMP has "
      .. "one. The object is unmapped when all are zero." },
  { "region", also = "data region, compute region", rule = "ACC33-2.6.7-2", see = "construct, level",
    text = "All code that runs from the start of a construct to its end, calls included. A data region maps "
      .. "its data at entry and unmaps them at exit." },
  { "rule", see = "case, profile",
    text = "One statement of a document, with an id: `TR14-4.2-07`. `accdeep rules` lists all. Scenarios show "
      .. "what each accepts and rejects." },
  { "scenario", also = "test script", rule = "HOUSE-scenario", see = "case, expectation",
    text = "A Lua script that plays a host program: it declares variables, sets values, executes directives "
      .. "and checks the result." },
  { "section", also = "array section, subarray", rule = "ACC33-2.7.1-1", see = "base pointer, list item",
    text = "A range of an array's elements. In C and C++ `a[start:length]`, in Fortran `a(first:last)`." },
  { "shallow copy", rule = "TR14-1.1-03", see = "deep copy, shape",
    text = "Maps the bytes of an object alone. Its pointers keep their host addresses and cannot be followed "
      .. "on the device." },
  { "shape", rule = "TR14-3.1.1-01", see = "deep copy, nest, policy",
    text = "Says which members of a type take part in deep copy, and how many elements each pointer points to. "
      .. "It does not say in which direction they move." },
  { "structured reference counter", also = "structured counter", rule = "ACC33-2.6.7-2",
    see = "dynamic reference counter, reference counter, region",
    text = "Counts the data and compute regions that hold an object on a device. It is incremented at entry "
      .. "and decremented at exit." },
  { "trace", see = "event, observer",
    text = "The events of a run as lines of JSON. `accdeep diff` shows where two of them differ." },
  { "transfer", also = "data movement, h2d, d2h, d2d", rule = "TR14-4.2-07", see = "event, queue",
    text = "A copy of bytes between memories: `h2d` from host to device, `d2h` back, `d2d` within or between "
      .. "devices. Adjacent ones may be merged." },
  { "tuple", rule = "DIR-4.1-03", see = "floor, level, present table",
    text = "A row of the directory paper's table: an interval of a host array, its state and its device "
      .. "address. Original ones come from clauses; artificial ones are unions of them." },
  { "unmap", also = "unmapping", rule = "OMP60-map-6", see = "map, present, reference counter",
    text = "Undoes a map. A reference counter is decremented. When all counters are zero, data are copied to "
      .. "the host if the clause says so, and device memory is freed." },
}
