-- omp60.lua - rules of OpenMP 6.0 and where older versions differ. Form and meaning of the fields: see tr14.lua.
-- Sections of the routines are those of 5.1, which describes all but omp_target_memset (6.0, 25.8.1).
return {
  { id = "OMP60-sec-1", section = "5.2.5", kind = "restriction", status = "done",
    text = "An array section a[start:length] lies in its array; start and length are integers, not negative, and "
      .. "may be left out where the array's size is known. Our reading: a pointer that points to no memory of the "
      .. "host is an error (null-pointer, out-of-bounds)." },

  { id = "OMP60-map-1", section = "7.9.1", kind = "syntax", status = "done",
    text = "Map types: storage (5.x: alloc; release on exit), to, from, tofrom, which is the default; enter data "
      .. "takes to and alloc, exit data from, release and delete, and both name one (5.1)." },
  { id = "OMP60-ver-1", section = "B", kind = "syntax", status = "done",
    text = "Spellings have versions: from 5.2 on a map needs no type beside modifiers or on enter and exit data, and "
      .. "declare target has enter; from 6.0 on there are the map type storage, the modifiers delete and self, p[:], "
      .. "nowait and depend on target data, threadset of tasks, memscope of atomic and flush, arguments of nowait and "
      .. "its like (unsupported), and directive names with underscores. Rules of an older version refuse them." },
  { id = "OMP60-map-2", section = "7.9.10", kind = "meaning", status = "done",
    text = "A mapper's map type and that of the list item make one: what both of them send is sent, what both copy "
      .. "to the host is copied to the host, everything else is storage; release and delete hold for all." },
  { id = "OMP60-map-3", section = "7.9.6", kind = "syntax", status = "done",
    text = "Modifiers of a map, each at most once and in any order: always, close, present, self, mapper(name), "
      .. "iterator(name = first : end : step, ...), whose list items stand for their instances." },
  { id = "OMP60-map-4", section = "7.9.6", kind = "meaning", status = "done",
    text = "List items that share storage or belong to one structure make one block, which is mapped and unmapped "
      .. "as a whole. Our reading: it spans its members, and what lies between them is not present." },
  { id = "OMP60-map-5", section = "7.9.6", kind = "meaning", status = "done",
    text = "On entry a block that is absent is allocated, with a count of 0; a construct counts each block up once; a "
      .. "list item is sent if its type contains to and it is new or has always." },
  { id = "OMP60-map-6", section = "7.9.6", kind = "meaning", status = "done",
    text = "On exit the count is decremented by one, or with delete set to zero; a list item whose type contains from "
      .. "is copied to the host if it then is zero, or with always; at zero the block is removed. What is absent is "
      .. "passed over, a count without end never changes." },
  { id = "OMP60-map-7", section = "7.9.6", kind = "meaning", status = "done",
    text = "After all blocks have been mapped, the base pointer of each list item that has a corresponding pointer is "
      .. "attached, if pointer or pointee is new on this construct." },
  { id = "OMP60-map-8", section = "7.9.6", kind = "restriction", status = "done",
    text = "An attached pointer is not to be changed while it is attached; the host's own pointer keeps its value, "
      .. "whatever is copied to the host, and the device's whatever is sent." },
  { id = "OMP60-map-9", section = "7.9.6", kind = "run-time error", status = "done",
    text = "With present a list item must be present before the construct maps anything; otherwise the program ends "
      .. "(not-present, partially-present), and that is reported before other errors." },
  { id = "OMP60-map-10", section = "7.9.3", kind = "meaning", status = "done",
    text = "A section of no elements stands for the present data at its address: it counts and releases them and moves "
      .. "nothing. Its base pointer is attached to them or, if there are none, to the list item in whose extended "
      .. "range, from its base address on (5.0), the address is, or to what ends there. A pointer of the body that no "
      .. "clause names is looked up so, too; one that matches nothing is null (5.2: keeps its value)." },
  { id = "OMP60-map-11", section = "7.9.3", kind = "default", status = "done",
    text = "What a target construct uses without naming it: scalars are firstprivate, pointers sections of no "
      .. "elements, firstprivate themselves, aggregates tofrom, this is this[:1]; defaultmap changes that, for a "
      .. "category or for all." },
  { id = "OMP60-map-12", section = "7.9.3", kind = "meaning", status = "done",
    text = "An implicit item that is present in part maps that part only; an implicit structure that is absent, but of "
      .. "which members are listed, maps these and the base pointers of listed sections." },
  { id = "OMP60-map-13", section = "7.9.6", kind = "restriction", status = "done",
    text = "Items of one construct share storage only if they are the same or one structure contains both; what is "
      .. "present in part stays so: no item grows it, adds a member to a structure or spans two objects; storage is "
      .. "contiguous; no bit-fields, no members of unions; instances of an iterator have neither array nor base "
      .. "pointer in common." },
  { id = "OMP60-map-14", section = "7.9.6", kind = "meaning", status = "done",
    text = "close is a hint. With self, and under requires self_maps or unified_shared_memory, the storage is the "
      .. "host's own: an error on devices with memory of their own (unsupported)." },
  { id = "OMP60-map-15", section = "7.9.10", kind = "meaning", status = "done",
    text = "declare mapper says how objects of a structure's type are mapped: what no map of it names is not, "
      .. "nor must be present - base pointers of its sections neither, but for those that a target construct has of "
      .. "an implied structure; its variable as a list item is the object itself; members of types with mappers are "
      .. "mapped by these; a name belongs to a type once, and without one it is default." },
  { id = "OMP60-map-16", section = "7.9.6", kind = "meaning", status = "done",
    text = "Fortran: a whole object is mapped with its allocatable components; pointer components are not attached by "
      .. "the default mapper; allocatables are not allocated in target constructs; a descriptor is sent again only "
      .. "with always." },

  { id = "OMP60-upd-1", section = "15.9", kind = "meaning", status = "done",
    text = "target update moves the items of to and from in the order of its clauses; what is absent is passed over, "
      .. "or with present an error; mappers and iterators hold for it too, attached pointers keep their values. Our "
      .. "reading: a list item stands in to or in from, and storage is contiguous." },

  { id = "OMP60-tgt-1", section = "15.7", kind = "meaning", status = "done",
    text = "target data is entry and exit data around its body; if(false) and the host as the device leave the body on "
      .. "host memory, and data directives without effect; clauses of combined constructs go to the parts that take "
      .. "them; nowait and depend change nothing here." },
  { id = "OMP60-tgt-2", section = "15.2", kind = "run-time error", status = "done",
    text = "device(n) names a device from 0, the number of devices being the host's; other numbers are an error "
      .. "(no-device)." },

  { id = "OMP61-1", section = "attach", kind = "future", status = "done",
    text = "The attach modifier (auto, always, never) is one of 6.1, not of 6.0; here the knob attach says when all "
      .. "base pointers are attached." },

  { id = "OMP60-api-1", section = "3.7", kind = "meaning", status = "done",
    text = "omp_get_num_devices counts the devices other than the host, whose own number, "
      .. "omp_get_initial_device, is that count. omp_get_default_device and omp_set_default_device are about the "
      .. "device of constructs that name none. omp_get_device_num and omp_is_initial_device say where the "
      .. "caller runs, in compute constructs, too." },
  { id = "OMP60-api-2", section = "3.7", kind = "meaning", status = "done",
    text = "A device number is one from 0 to omp_get_num_devices(), or omp_initial_device for the host (5.2). "
      .. "omp_invalid_device ends the program (no-device). To other numbers a routine with a result answers "
      .. "with its failure; for those without one our reading is an error (no-device)." },
  { id = "OMP60-api-3", section = "3.8.1", kind = "meaning", status = "done",
    text = "omp_target_alloc gives memory of a device or of the host, and a null pointer if there is none. Our "
      .. "reading: a null pointer for no bytes, too; a negative size is an error (invalid-section)." },
  { id = "OMP60-api-4", section = "3.8.2", kind = "meaning", status = "done",
    text = "omp_target_free releases what omp_target_alloc gave for the same device, and ignores a null pointer. "
      .. "Other addresses are undefined: an error (out-of-bounds, or of the other side), as is memory that still "
      .. "holds present data (already-present)." },
  { id = "OMP60-api-5", section = "3.8.3", kind = "meaning", status = "done",
    text = "omp_target_is_present is not 0 if the byte at a host address has corresponding storage on the device, "
      .. "and for the host always; it is 0 for a null pointer." },
  { id = "OMP60-api-6", section = "3.8.4", kind = "meaning", status = "done",
    text = "omp_target_is_accessible is not 0 if the device can use the bytes at that very address (6.0: an "
      .. "address of the device's own), whatever is present. The simulated device shares no memory with the host." },
  { id = "OMP60-api-7", section = "3.8.5", kind = "meaning", status = "done",
    text = "omp_target_memcpy copies bytes between any two memories, each address with its offset and its "
      .. "device, and gives 0, or another number if it fails. Our reading: device numbers and null pointers "
      .. "make it fail; memory that is not there or of the other side is an error (out-of-bounds, "
      .. "host-pointer-on-device, device-pointer-on-host)." },
  { id = "OMP60-api-8", section = "3.8.6", kind = "meaning", status = "done",
    text = "omp_target_memcpy_rect copies a rectangular volume of one array into another, with offsets and "
      .. "dimensions in elements, the last dimension being the fastest; for two null pointers it gives the number of "
      .. "dimensions it can do, at least 3. Our reading: it fails, too, if the volume is not inside of both "
      .. "arrays." },
  { id = "OMP60-api-9", section = "3.8.7", kind = "meaning", status = "done",
    text = "The _async forms take depend objects in addition. Our reading: they are done when the routine "
      .. "returns." },
  { id = "OMP60-api-10", section = "3.8.9", kind = "meaning", status = "done",
    text = "omp_target_associate_ptr makes host memory present at device memory of the caller's, device pointer "
      .. "plus offset, without a copy; constructs never remove it (infinite count). To associate the same "
      .. "again does nothing and gives 0; another address gives another number. Our reading: so do memory that a "
      .. "construct made present, and device memory that holds other present data." },
  { id = "OMP60-api-11", section = "3.8.10", kind = "meaning", status = "done",
    text = "omp_target_disassociate_ptr ends an association without a copy. Undefined for what is not "
      .. "associated: our reading is a number other than 0, as under rules of OpenACC for what an open region or "
      .. "an attached pointer still needs (ACC33-3.2.21-2)." },
  { id = "OMP60-api-12", section = "3.8.11", kind = "meaning", status = "done",
    text = "omp_get_mapped_ptr gives the corresponding device address, for the host the address itself, and a null "
      .. "pointer where there is none." },
  { id = "OMP60-api-13", section = "6.0 25.8.1", kind = "meaning", status = "done",
    text = "omp_target_memset sets bytes of a device's or the host's memory to the value's lowest eight bits and "
      .. "gives the pointer; no bytes, no effect. It has no answer for a failure: our reading is an error "
      .. "(null-pointer, no-device, out-of-bounds)." },
  { id = "OMP60-api-14", section = "3.8", kind = "run-time error", status = "done",
    text = "In a target region only omp_get_device_num and omp_is_initial_device are defined; our reading: the "
      .. "other routines are errors there (region-nesting)." },

  { id = "OMP60-body-1", section = "5.1 2.14", kind = "meaning", status = "done",
    text = "Device constructs in the text of a host construct's body are carried out on devices as anywhere else, on "
      .. "variables of the body, too." },
  { id = "OMP60-nest-1", section = "5.1 2.24", kind = "static error", status = "done",
    text = "What may stand in what: no worksharing or barrier closely inside of worksharing, tasks, critical, ordered "
      .. "or masked; distribute in teams, teams directly in target and alone there; section in sections; ordered in a "
      .. "loop that says so; no critical in one of its name; in simd, loop and teams only what they take. Nothing "
      .. "leaves a structured block." },
  { id = "OMP60-nest-2", section = "5.1 2.24", kind = "static error", status = "done",
    text = "In a target region there is no target, target data, enter data, exit data or update: what they do is "
      .. "unspecified there (target with device(ancestor: 1) is beyond this version)." },
  { id = "OMP60-loop-1", section = "5.1 2.11.1", kind = "static error", status = "done",
    text = "A loop construct is about a loop in canonical form: it counts one variable by a step to its end; the body "
      .. "does not change that, and nothing leaves it. collapse(n) wants n of them, each in the one before." },
  { id = "OMP60-simd-1", section = "5.1 2.11.5.1", kind = "static error", status = "done",
    text = "simdlen is at most safelen, where a simd directive has both." },
  { id = "OMP60-share-1", section = "5.1 2.21", kind = "meaning", status = "done",
    text = "In a body private copies are variables of their own, firstprivate ones begin with the value of before, the "
      .. "last value of lastprivate and linear ones is the variable's. Variables that count loops of a construct are "
      .. "private. default says what variables are that no clause names; in a task those are firstprivate that are not "
      .. "shared around." },
  { id = "OMP60-share-2", section = "5.1 2.21.5", kind = "meaning", status = "done",
    text = "reduction(op: v) in a body: a private copy begins with the operator's identity, and is combined with v at "
      .. "the end. On a target construct's body that is v of the device: map it to have it back." },
  { id = "OMP60-atomic-1", section = "5.1 2.19.7", kind = "static error", status = "done",
    text = "atomic read, write, update (without a word, too), capture and compare are about statements of fixed forms "
      .. "on one variable x, which the other operand does not use." },
}
