-- omp60.lua - rules of OpenMP 6.0 and where older versions differ. Form and meaning of the fields: see tr14.lua.
-- Sections of the routines are those of 5.1, which describes all but omp_target_memset (6.0, 25.8.1).
return {
  { id = "OMP60-sec-1", section = "5.2.5", kind = "restriction", status = "done",
    title = "Array sections",
    text = "An array section a[start:length] or a[start:length:stride] is inside its array. start and length are "
      .. "integers that are not negative. A stride is positive. They may be omitted if the size of the array is known. "
      .. "Our reading: a base pointer that is null, or that points to no host memory, is an error (null-pointer, "
      .. "out-of-bounds)." },

  { id = "OMP60-race-1", section = "1.3.1", kind = "run-time error", status = "done",
    title = "Data races",
    text = "If two threads access the same memory, one of them writes it, and nothing orders the two, the program has "
      .. "a data race, and its result is unspecified. Our reading: this is an error (data-race), also for writes of "
      .. "the same value, of which accdeep exec only writes a note. Atomic operations do not race with each other, "
      .. "and neither do critical regions of one name. Iterations of loops are compared that teams, threads or lanes "
      .. "divide; safelen and ordered exclude a loop. What a thread has a copy of is shared by lanes only: there a "
      .. "read of what another iteration wrote is an error. The end of a loop counts as a barrier, also with nowait. "
      .. "Sections, tasks and statements outside of loops are not compared. Kernels on a GPU, and those that are "
      .. "functions of Lua, are not checked." },

  { id = "OMP60-map-1", section = "7.9.1", kind = "syntax", status = "done",
    title = "Map types",
    text = "The map types are storage, to, from and tofrom; tofrom is the default. In 5.x storage is called alloc, "
      .. "and on exit release. enter data takes to and alloc; exit data takes from, release and delete. In 5.1 both "
      .. "directives must name a type. From 5.2 on both take tofrom, which is to on enter data and from on exit "
      .. "data." },
  { id = "OMP60-ver-1", section = "B", kind = "syntax", status = "done",
    title = "Versions of spellings",
    text = "Each spelling belongs to versions. From 5.2 on a map beside modifiers, or on enter and exit data, needs "
      .. "no type. From 5.2 on enter and exit data take tofrom, declare target has the clause enter, and maps of "
      .. "mappers have present. Version 6.0 adds the map type storage, the modifiers delete, self, ref_ptr, ref_ptee "
      .. "and ref_ptr_ptee, and p[:]. Version 6.0 adds nowait and depend on target data. Version 6.0 adds threadset on "
      .. "tasks, memscope on atomic and flush, arguments of nowait and similar clauses, and directive names with "
      .. "underscores. Version 6.0 removes to on declare target, and modifiers without commas between them. Before "
      .. "6.0 the type of a map is the last of its modifiers. A spelling that a version does not have is an error "
      .. "(clause-not-allowed; an argument of nowait: unsupported)." },
  { id = "OMP60-map-2", section = "7.9.10", kind = "meaning", status = "done",
    title = "Map types of mapper and item",
    text = "The map type of a mapper and the map type of the list item are combined. What both send is sent, and "
      .. "what both copy to the host is copied to the host. Everything else is storage. release and delete apply to "
      .. "all parts." },
  { id = "OMP60-map-3", section = "7.9.6", kind = "syntax", status = "done",
    title = "Map modifiers",
    text = "The modifiers of a map are always, close, present, self, delete, one of ref_ptr, ref_ptee and "
      .. "ref_ptr_ptee, mapper(name) and iterator(name = first : end : step, ...). Their order is free, and each "
      .. "occurs at most once. A list item under an iterator stands for its instances." },
  { id = "OMP60-map-4", section = "7.9.6", kind = "meaning", status = "done",
    title = "Blocks of list items",
    text = "List items that share storage or belong to one structure form one block. The block is mapped and "
      .. "unmapped as a whole. Our reading: the block spans its members, and the bytes between its members are not "
      .. "present." },
  { id = "OMP60-map-5", section = "7.9.6", kind = "meaning", status = "done",
    title = "Entry: allocation, count and copy",
    text = "On entry a block that is absent is allocated, with reference count 0. A construct increments the count "
      .. "of each block once. A list item is copied to the device if its type contains to, and if the item is new or "
      .. "has always." },
  { id = "OMP60-map-6", section = "7.9.6", kind = "meaning", status = "done",
    title = "Exit: count, copy and removal",
    text = "On exit the reference count of a block is decremented by one, or set to 0 by delete. A list item whose "
      .. "type contains from is copied to the host if the count is 0 then, or with always. A block with count 0 is "
      .. "removed. Absent items are ignored. An infinite count never changes." },
  { id = "OMP60-map-7", section = "7.9.6", kind = "meaning", status = "done",
    title = "Pointer attachment",
    text = "After all blocks are mapped, base pointers of list items are attached. A base pointer is attached if it "
      .. "has a corresponding pointer, and if pointer or pointee is new on this construct." },
  { id = "OMP60-map-8", section = "7.9.6", kind = "restriction", status = "done",
    title = "Values of attached pointers",
    text = "A program must not change an attached pointer. The host pointer keeps its value, whatever is copied to "
      .. "the host. The device pointer keeps its value, whatever is copied to the device." },
  { id = "OMP60-map-9", section = "7.9.6", kind = "run-time error", status = "done",
    title = "present modifier",
    text = "A list item with the modifier present must be present before the construct maps anything. Otherwise the "
      .. "program ends with an error (not-present, partially-present). This error is reported before other errors." },
  { id = "OMP60-map-10", section = "7.9.3", kind = "meaning", status = "done",
    title = "Sections without elements",
    text = "A section of no elements stands for the present data at its address. The section counts and releases "
      .. "these data and copies nothing. Its base pointer is attached to these data. If no data are present there, "
      .. "the base pointer is attached to a list item whose extended range contains the address, or which ends "
      .. "there. An extended range starts at the base address (5.0). A pointer in the body that no clause names is "
      .. "looked up in the same way. A pointer that matches nothing becomes null, or keeps its value from 5.2 on. "
      .. "p[:] is such a section (6.0), and its map type is storage." },
  { id = "OMP60-map-11", section = "7.9.3", kind = "default", status = "done",
    title = "Implicit data-mapping attributes",
    text = "Variables that a target construct uses, and no clause names, have implicit attributes. Scalars are "
      .. "firstprivate. Pointers are sections of no elements, and themselves firstprivate. Aggregates are tofrom. "
      .. "this is this[:1]. A named constant of Fortran is firstprivate (7.1.1). defaultmap changes the rule for one "
      .. "category or for all. Its behaviour present is an implicit map(present, storage: ). From 5.2 on all is a "
      .. "category, and from 6.0 on storage, self and private are behaviours." },
  { id = "OMP60-map-12", section = "7.9.3", kind = "meaning", status = "done",
    title = "Implicit items that are partly present",
    text = "An implicit item that is partly present maps only that part. For an absent structure with listed "
      .. "members, the implicit map maps these members and the base pointers of listed sections. Our reading: the same "
      .. "holds for allocatable components of an implicit item, unless its type has a mapper. Their descriptors are "
      .. "attached to the first part that is present. What absent descriptors describe is not mapped." },
  { id = "OMP60-map-13", section = "7.9.6", kind = "restriction", status = "done",
    title = "List items that share storage",
    text = "Two items of one construct share storage only if they are the same, or if one structure contains both. "
      .. "No item may grow data that are partly present, add a member to a present structure, or span two objects. "
      .. "The storage of an item is contiguous. Bit-fields and members of unions are not allowed. Instances of an "
      .. "iterator share neither their array nor their base pointer." },
  { id = "OMP60-map-14", section = "7.9.6", kind = "meaning", status = "done",
    title = "close and self modifiers",
    text = "close is a hint. self asks for the host's own storage, and so do requires self_maps and requires "
      .. "unified_shared_memory. On a device with memory of its own this is an error (unsupported). If a map of a "
      .. "variable has self, all maps of this variable on the construct have it." },
  { id = "OMP60-map-15", section = "7.9.10", kind = "meaning", status = "done",
    title = "declare mapper directive",
    text = "declare mapper says how objects of a structure type are mapped. Members that no map of the mapper names "
      .. "are not mapped, and need not be present. The same holds for base pointers of its sections. (On a target "
      .. "construct the base pointers of an implicitly mapped structure are mapped.) The mapper's variable as a list "
      .. "item is the object itself. Members whose types have mappers are mapped by these. One type has each mapper "
      .. "name only once. A mapper without a name is the default." },
  { id = "OMP60-map-16", section = "7.9.6", kind = "meaning", status = "done",
    title = "Allocatable components",
    text = "Fortran: the allocatable components of a whole object are mapped with the object. The default mapper "
      .. "does not attach pointer components. A target construct does not allocate allocatables. A descriptor is "
      .. "sent again only with always." },

  { id = "OMP60-map-17", section = "7.9.5", kind = "meaning", status = "done",
    title = "Referencing variables: ref_ptr and ref_ptee",
    text = "A referencing variable is an allocatable or a pointer of Fortran, or a reference of C++. ref_ptr maps its "
      .. "referring pointer: the descriptor. ref_ptee maps what it points to. ref_ptr_ptee maps both. The two are "
      .. "distinct objects with counts of their own. The pointer is attached if both are present and one of them is "
      .. "new. In C and C++ the list item is a member. A list item that is no referencing variable is an error. Our "
      .. "reading: without a modifier a component is mapped as with ref_ptr_ptee. Of a variable only its target is "
      .. "mapped then, for each construct has a descriptor of its own. The device gets a defined descriptor "
      .. "whatever the map type is. accdeep has no members that are references, and no ref_ptr in mappers." },

  { id = "OMP60-map-18", section = "7.5.8", kind = "meaning", status = "done",
    title = "use_device_ptr and use_device_addr",
    text = "From 6.0 on use_device_ptr and use_device_addr count what they refer to until the end of target data. A "
      .. "pointer in use_device_ptr is mapped as p[:]. A list item of use_device_addr that is present is mapped with "
      .. "the map type storage. Before 6.0 they count nothing." },

  { id = "OMP60-upd-1", section = "15.9", kind = "meaning", status = "done",
    title = "target update construct",
    text = "target update copies the items of to and from in the order of its clauses. An absent item is ignored, or "
      .. "an error with the modifier present. Mappers and iterators apply, too. Attached pointers keep their values. "
      .. "Our reading: a list item is in either to or from. Its storage need not be contiguous." },

  { id = "OMP60-tgt-1", section = "15.7", kind = "meaning", status = "done",
    title = "target data, if and combined constructs",
    text = "target data is enter data before its body and exit data after its body. With if(false), or with the host "
      .. "as the device, the body uses host memory, and data directives have no effect. Each clause of a combined "
      .. "construct goes to the parts that allow the clause. nowait and depend have no effect here." },
  { id = "OMP60-tgt-2", section = "15.2", kind = "run-time error", status = "done",
    title = "device clause",
    text = "device(n) names a device by its number, from 0 on. The number of devices is the number of the host, and "
      .. "so is -1, the value of omp_initial_device (5.2). Any other number is an error (no-device)." },

  { id = "OMP61-1", section = "attach", kind = "meaning", status = "done",
    title = "attach modifier",
    text = "attach(always) attaches the base pointer of a list item whenever both are present. attach(never) does not "
      .. "attach it, and attach(auto) attaches it if one of the two is new (OMP60-map-7). The modifier belongs to "
      .. "6.1, not to 6.0, and occurs at most once. Our reading of the previews of 6.1: maps that begin at the "
      .. "entry of a construct may have the modifier, and so may maps of mappers. A list item without a base pointer "
      .. "is an error. The modifier is about this one pointer, not about pointers that a mapper maps. The knob attach "
      .. "says when all base pointers are attached." },

  { id = "OMP60-api-1", section = "3.7", kind = "meaning", status = "done",
    title = "Routines about the number of devices",
    text = "omp_get_num_devices returns the number of devices other than the host. omp_get_initial_device returns "
      .. "the same number, which is the host's own. omp_get_default_device and omp_set_default_device concern "
      .. "constructs that name no device. omp_get_device_num and omp_is_initial_device say where the caller runs, "
      .. "also in compute constructs." },
  { id = "OMP60-api-2", section = "3.7", kind = "meaning", status = "done",
    title = "Device numbers of routines",
    text = "A device number is a number from 0 to omp_get_num_devices(), omp_initial_device for the host (5.2), or "
      .. "omp_default_device for the default device (6.0). omp_invalid_device ends the program with an error "
      .. "(no-device). For any other number a routine with a result returns its failure. Our reading: for a routine "
      .. "without a result such a number is an error (no-device)." },
  { id = "OMP60-api-3", section = "3.8.1", kind = "meaning", status = "done",
    title = "omp_target_alloc",
    text = "omp_target_alloc returns memory of a device or of the host, or a null pointer if no memory is left. Our "
      .. "reading: a size of 0 gives a null pointer, too. A negative size is an error (invalid-section)." },
  { id = "OMP60-api-4", section = "3.8.2", kind = "meaning", status = "done",
    title = "omp_target_free",
    text = "omp_target_free frees memory that omp_target_alloc returned for the same device, and ignores a null "
      .. "pointer. The standard does not define other addresses. Our reading: they are errors (out-of-bounds, or an "
      .. "error about the other side). Memory that still holds present data is an error, too (already-present)." },
  { id = "OMP60-api-5", section = "3.8.3", kind = "meaning", status = "done",
    title = "omp_target_is_present",
    text = "omp_target_is_present is not 0 if the byte at a host address has corresponding storage on the device. "
      .. "For the host as the device the result is never 0. For a null pointer the result is 0." },
  { id = "OMP60-api-6", section = "3.8.4", kind = "meaning", status = "done",
    title = "omp_target_is_accessible",
    text = "omp_target_is_accessible is not 0 if the device can use the bytes at that very address. Presence does "
      .. "not matter. In 6.0 the address may be one of the device's own. The simulated device shares no memory with "
      .. "the host." },
  { id = "OMP60-api-7", section = "3.8.5", kind = "meaning", status = "done",
    title = "omp_target_memcpy",
    text = "omp_target_memcpy copies bytes between any two memories. Each address has an offset and a device. The "
      .. "result is 0, or another number for a failure. Our reading: wrong device numbers and null pointers are "
      .. "failures. Memory that does not exist or belongs to the other side is an error (out-of-bounds, "
      .. "host-pointer-on-device, device-pointer-on-host)." },
  { id = "OMP60-api-8", section = "3.8.6", kind = "meaning", status = "done",
    title = "omp_target_memcpy_rect",
    text = "omp_target_memcpy_rect copies a rectangular volume of one array into another array. Offsets and "
      .. "dimensions count elements, and the last dimension varies fastest. With two null pointers the result is the "
      .. "supported number of dimensions, at least 3. Our reading: a volume that is not inside both arrays is a "
      .. "failure." },
  { id = "OMP60-api-9", section = "3.8.7", kind = "meaning", status = "done",
    title = "Asynchronous routines",
    text = "The _async routines take depend objects in addition. Our reading: their work is finished when the "
      .. "routine returns." },
  { id = "OMP60-api-10", section = "3.8.9", kind = "meaning", status = "done",
    title = "omp_target_associate_ptr",
    text = "omp_target_associate_ptr maps host memory to memory of the caller on a device: device pointer plus "
      .. "offset. Nothing is copied. The count is infinite, so constructs never unmap the memory. The same call "
      .. "again has no effect and returns 0. Another device address is a failure. Our reading: host memory that a "
      .. "construct mapped is a failure, and so is device memory with other present data. A part of an association "
      .. "is associated already. Memory that is not allocated is an error (out-of-bounds, or an error about the other "
      .. "side)." },
  { id = "OMP60-api-11", section = "3.8.10", kind = "meaning", status = "done",
    title = "omp_target_disassociate_ptr",
    text = "omp_target_disassociate_ptr ends an association and copies nothing. The standard does not define the "
      .. "call for memory that is not associated. Our reading: the result is then not 0. Under rules of OpenACC the "
      .. "result is also not 0 if an open region or an attached pointer still needs the memory (ACC33-3.2.21-2)." },
  { id = "OMP60-api-12", section = "3.8.11", kind = "meaning", status = "done",
    title = "omp_get_mapped_ptr",
    text = "omp_get_mapped_ptr returns the corresponding device address, or a null pointer if the address has none. "
      .. "For the host the result is the address itself." },
  { id = "OMP60-api-13", section = "6.0 25.8.1", kind = "meaning", status = "done",
    title = "omp_target_memset",
    text = "omp_target_memset sets bytes of a device or of the host to the lowest eight bits of the value. The "
      .. "result is the pointer. A size of 0 has no effect. The routine has no result for a failure. Our reading: a "
      .. "failure is an error (null-pointer, no-device, out-of-bounds)." },
  { id = "OMP60-api-14", section = "3.8", kind = "run-time error", status = "done",
    title = "Routines in target regions",
    text = "In a target region only omp_get_device_num and omp_is_initial_device are defined. Our reading: any other "
      .. "routine there is an error (region-nesting)." },

  { id = "OMP60-body-1", section = "5.1 2.14", kind = "meaning", status = "done",
    title = "Device constructs in host constructs",
    text = "A device construct in the body of a host construct works as anywhere else. Variables of the body can be "
      .. "mapped, too." },
  { id = "OMP60-nest-1", section = "5.1 2.24", kind = "static error", status = "done",
    title = "Nesting of host constructs",
    text = "A worksharing or barrier region is not closely nested in a worksharing, task, critical, ordered or "
      .. "masked region. distribute is nested in teams. teams is nested directly in target, and is alone there. "
      .. "section is nested in sections. ordered is nested in a loop with the clause ordered. No critical region "
      .. "contains a critical region of the same name. simd, loop and teams contain only the constructs that they "
      .. "allow. No statement leaves a structured block." },
  { id = "OMP60-nest-2", section = "5.1 2.24", kind = "static error", status = "done",
    title = "Device constructs in target regions",
    text = "A target region contains no target, target data, enter data, exit data or update: their effect is "
      .. "unspecified there. (accdeep does not support target with device(ancestor: 1).)" },
  { id = "OMP60-loop-1", section = "5.1 2.11.1", kind = "static error", status = "done",
    title = "Canonical loops and collapse",
    text = "A loop construct applies to a loop in canonical form. The loop counts one variable by a step up to an "
      .. "end. The body changes neither of them, and no statement leaves the loop. collapse(n) needs n such loops, "
      .. "each directly inside the one before." },
  { id = "OMP60-simd-1", section = "5.1 2.11.5.1", kind = "static error", status = "done",
    title = "simdlen and safelen",
    text = "If a simd directive has both simdlen and safelen, simdlen is at most safelen." },
  { id = "OMP60-share-1", section = "5.1 2.21", kind = "meaning", status = "done",
    title = "Data-sharing attributes",
    text = "Private copies in a body are variables of their own. A firstprivate copy starts with the value of the "
      .. "variable. For lastprivate and linear, the variable gets the last value. The loop variables of a construct "
      .. "are private. default decides about variables that no clause names. In a task, such a variable is "
      .. "firstprivate if it is not shared outside." },
  { id = "OMP60-share-2", section = "5.1 2.21.5", kind = "meaning", status = "done",
    title = "Reductions",
    text = "reduction(op: v) on a construct with a body makes a private copy, which starts with the identity of the "
      .. "operator. At the end the copy is combined with v. In the body of a target construct this is the v of the "
      .. "device. Only a map of v copies the result to the host." },
  { id = "OMP60-atomic-1", section = "5.1 2.19.7", kind = "static error", status = "done",
    title = "Forms of omp atomic",
    text = "atomic has the forms read, write, update, capture and compare; without a word, atomic is update. Each "
      .. "form allows fixed statements on one variable x. The other operand does not use x." },
}
