-- acc33.lua - rules of OpenACC 3.3 on data: counters, clauses, sections, attachments, routines.
-- Form and meaning of the fields: see tr14.lua.
return {
  { id = "ACC33-1.18-1", section = "1.18", kind = "meaning", status = "open",
    title = "Topics left to later versions",
    text = "The standard names topics that a later version shall answer. They are directives for implicit deep copy, "
      .. "aliasing clauses on one directive, attaching pointers past the end, and Fortran pointer variables. TR14 "
      .. "and this project answer exactly these." },

  { id = "ACC33-2.4-1", section = "2.4", kind = "meaning", status = "done",
    title = "Clauses after device_type",
    text = "A clause after device_type is about the named device types only, and replaces the clauses of its name "
      .. "before the first device_type. An asterisk stands for all types that are not named. A directive is an error "
      .. "if its clauses for one of the types are. On data and update only async and wait may follow, on compute "
      .. "constructs also num_gangs, num_workers and vector_length. On loop these are collapse, tile, gang, worker, "
      .. "vector, seq, independent and auto, on routine the levels and bind. enter data, exit data, host_data and wait "
      .. "have no device_type. Our reading: the devices of a scenario belong to no named type." },

  { id = "ACC33-2.5-1", section = "2.5", kind = "static error", status = "done",
    title = "Structured block of a compute construct",
    text = "The body of a compute construct is a structured block: no statement leaves the block before its end. The "
      .. "body contains no other compute construct." },
  { id = "ACC33-2.5.7-1", section = "2.5.7", kind = "meaning", status = "done",
    title = "self clause of compute constructs",
    text = "A compute construct with self runs on the host if the condition of self is true or missing. Data that "
      .. "are shared with the host do not move. If an if clause is false, self has no effect." },

  { id = "ACC33-2.5.10-1", section = "2.5.10", kind = "run-time error", status = "done",
    title = "Arguments of num_gangs",
    text = "num_gangs has one, two or three numbers on parallel, one for each dimension of gangs, and one number on "
      .. "kernels. A missing number is 1. At least one gang executes a construct. Our reading: each number is at "
      .. "least 1. The numbers have no effect on data." },
  { id = "ACC33-2.5.15-1", section = "2.5.15", kind = "meaning", status = "done",
    title = "Operands of reduction clauses",
    text = "A reduction names a variable, an element of an array or a subarray, not a member of a structure. An array "
      .. "or a subarray is reduced element by element, a structure member by member. Each must be a number that the "
      .. "operator takes in the language: &, | and ^ take integers in C. Accesses to other elements of the array are "
      .. "unspecified. Our reading: && and || take all numbers." },

  { id = "ACC33-2.6-1", section = "2.6", kind = "meaning", status = "done",
    title = "Clauses that data directives need",
    text = "enter data and exit data need at least one data clause. On data a default clause is enough, too. "
      .. "if(false) skips the whole directive. finalize is a clause of exit data only. if_present is a clause of "
      .. "update and host_data only." },

  { id = "ACC33-impl-1", section = "2.6.2", kind = "meaning", status = "done",
    title = "Implicit data attributes",
    text = "A compute construct gives each variable without a clause an implicit data attribute. A variable in a "
      .. "reduction clause of a compute or combined construct gets copy, unless a data clause names it. An aggregate "
      .. "gets copy, or present under default(present). A scalar gets firstprivate in parallel and serial, and copy "
      .. "in kernels. A C pointer is a scalar: the memory that it points to is not mapped. Our reading: a named "
      .. "constant of Fortran is no variable. It needs no clause, and is not mapped." },
  { id = "ACC33-impl-2", section = "2.6.2", kind = "meaning", status = "done",
    title = "default(none) and default(present)",
    text = "default(none) on a compute construct, or on a data construct around it, makes a variable without an "
      .. "explicit clause an error. The nearest default clause counts. A clause of the construct, of a data construct "
      .. "around it or of declare is enough. Since 3.2 this includes scalars. default(present) is about aggregates "
      .. "only. Flang keeps the older rule by default." },
  { id = "ACC33-impl-3", section = "2.6.2", kind = "meaning", status = "done",
    title = "Uses that give an implicit attribute",
    text = "A variable gets an implicit attribute only if the construct uses its value or its address, and no "
      .. "visible enclosing data clause names the variable. The operand of sizeof is no such use. A pointer that a "
      .. "C++ lambda captures by value gets no_create. A variable that a lambda captures by reference gets "
      .. "present." },

  { id = "ACC33-impl-4", section = "2.6.2", kind = "static error", status = "done",
    title = "Data clause of a reduced scalar",
    text = "A loop in parallel or serial reduces a scalar that is not private around the loop. Then a data clause of "
      .. "the construct or around it names the scalar, or private, firstprivate or reduction on the construct. (The "
      .. "standard leaves it to implementations whether they report a violation.) Profiles of other documents copy "
      .. "the scalar, as gcc does. In kernels the scalar is copied as each other one." },

  { id = "ACC33-2.6.7-1", section = "2.6.7", kind = "meaning", status = "done",
    title = "Structured and dynamic reference counters",
    text = "Each section of memory has two reference counters on each device, a structured one and a dynamic one. "
      .. "Both start at 0. The structured counter of global data in declare starts at 1. A section is present "
      .. "exactly if the sum of its counters is above 0." },
  { id = "ACC33-2.6.7-2", section = "2.6.7", kind = "meaning", status = "done",
    title = "Structured counter of regions",
    text = "A data or compute region with an explicit or implicit clause for a section increments the structured "
      .. "counter at entry. The region decrements the counter at exit." },
  { id = "ACC33-2.6.7-3", section = "2.6.7", kind = "meaning", status = "done",
    title = "Dynamic counter of directives and routines",
    text = "enter data copyin or create, acc_copyin and acc_create increment the dynamic counter. exit data copyout "
      .. "or delete, acc_copyout and acc_delete decrement the dynamic counter. finalize and the _finalize routines "
      .. "set the dynamic counter to 0." },
  { id = "ACC33-2.6.7-4", section = "2.6.7", kind = "meaning", status = "done",
    title = "Counters under async; end of a lifetime",
    text = "The encountering thread changes the counters at once, even with async. The lifetime of data ends when "
      .. "both counters are 0." },
  { id = "ACC33-2.6.7-5", section = "2.6.7", kind = "meaning", status = "done",
    title = "Lower bound of reference counters",
    text = "A decrement never makes a counter negative. The dynamic counter of memory that acc_map_data mapped "
      .. "becomes 0 only through acc_unmap_data." },

  { id = "ACC33-2.7-1", section = "2.7", kind = "meaning", status = "done",
    title = "Entry and exit steps of clauses",
    text = "After the entry steps of a clause, a pointer reference is attached. At exit, a clause has no effect if "
      .. "the counter of its kind is 0. (Version 3.0 wanted an error there, 3.1 restored the rule.) Otherwise the "
      .. "clause detaches its pointer reference and decrements. If both counters are 0 then, the clause does its "
      .. "exit action." },
  { id = "ACC33-2.7-2", section = "2.7", kind = "meaning", status = "done",
    title = "Data clause on a null pointer",
    text = "A clause on a null pointer counts nothing and creates nothing." },
  { id = "ACC33-2.7-3", section = "2.7", kind = "meaning", status = "done",
    title = "present clause that frees data",
    text = "A present clause can free data at its exit. This happens if an exit data with finalize ran inside the "
      .. "region." },
  { id = "ACC33-2.7-4", section = "2.7", kind = "meaning", status = "done",
    title = "zero modifier on present data",
    text = "zero clears only data that the create action allocates. Data that are present already are not cleared." },
  { id = "ACC33-2.7-5", section = "2.7", kind = "meaning", status = "open",
    title = "Single detach of delete",
    text = "The description of delete lists the detach twice by mistake. Our reading: delete detaches once." },
  { id = "ACC33-2.7-6", section = "2.7", kind = "meaning", status = "done",
    title = "present_or clauses as synonyms",
    text = "Since 2.5, the clauses present_or_* and p* are synonyms of the plain clauses." },
  { id = "ACC33-2.7-7", section = "2.7", kind = "meaning", status = "done",
    title = "enter data compared with acc_copyin",
    text = "enter data copyin and create do the same as acc_copyin and acc_create, with one exception. The directive "
      .. "attaches pointers; the routine does not (3.2.18 and 3.2.19 confirm this)." },
  { id = "ACC33-2.7-8", section = "2.7", kind = "static error", status = "done",
    title = "Clauses that a directive allows",
    text = "A clause on a directive that does not allow the clause is an error (clause-not-allowed). A word that is "
      .. "no clause is an error (unknown-clause)." },
  { id = "ACC33-2.7-9", section = "2.7", kind = "meaning", status = "done",
    title = "deviceptr clause",
    text = "deviceptr names pointer variables that hold device addresses. The clause maps nothing: the address is "
      .. "used as it is. On data and declare the clause also counts for the compute constructs inside." },

  { id = "ACC33-2.7.1-1", section = "2.7.1", kind = "meaning", status = "done",
    title = "Syntax of subarrays",
    text = "A subarray in C is a[start:length]. start may be omitted and is then 0. length may be omitted only if "
      .. "the size of the array is known. In Fortran, omitted bounds are the declared or allocated bounds. The last "
      .. "bound of an assumed-size dummy argument must be given." },
  { id = "ACC33-2.7.1-2", section = "2.7.1", kind = "meaning", status = "done",
    title = "Evaluation of clause expressions at entry",
    text = "A structured construct evaluates the expressions of its clauses once, at entry. The exit uses the same "
      .. "values." },
  { id = "ACC33-2.7.1-3", section = "2.7.1", kind = "meaning", status = "done",
    title = "Two-dimensional arrays of C",
    text = "C has four forms of two-dimensional arrays: static array, pointer to rows, array of pointers, and "
      .. "pointer to pointers. For dynamic dimensions the implementation allocates the pointers on the device and "
      .. "sets them. Static dimensions other than the first must be whole. A program must not change these pointers "
      .. "during the lifetime: the effect is undefined." },
  { id = "ACC33-2.7.1-4", section = "2.7.1", kind = "meaning", status = "done",
    title = "Contiguous sections",
    text = "A section must be contiguous, unless the array is an array of pointers to rows. An implementation may "
      .. "allocate only the subarray. Our reading: whether a section is contiguous is decided when its bounds are "
      .. "known. A part of one row is contiguous, and so are whole rows." },
  { id = "ACC33-2.7.1-5", section = "2.7.1", kind = "meaning", status = "done",
    title = "Structs in data clauses",
    text = "A clause on a struct allocates and copies the bytes of all its members. The memory that its pointers "
      .. "point to is not mapped. The same holds for allocatable and pointer components in Fortran." },

  { id = "ACC33-2.7.2-1", section = "2.7.2", kind = "meaning", status = "done",
    title = "Entry actions create, copyin and copyout",
    text = "The create, copyin and copyout actions allocate data that are absent. Only copyin then copies the bytes "
      .. "of the host to the device. Data that are present are neither allocated nor copied." },
  { id = "ACC33-2.7.2-2", section = "2.7.2", kind = "meaning", status = "done",
    title = "Exit actions copyout and delete",
    text = "Exit actions happen when both counters are 0. A copyout action copies the bytes of the device to the "
      .. "host and frees the device memory. A delete action only frees the device memory." },
  { id = "ACC33-2.7.3-1", section = "2.7.3", kind = "run-time error", status = "done",
    title = "Partly present and absent data",
    text = "Partly present data in a data clause are an error (partially-present). Absent data in a present clause "
      .. "or in update are an error (not-present)." },

  { id = "ACC33-att-1", section = "2.7.2", kind = "meaning", status = "done",
    title = "Attach counters",
    text = "Each pointer in the memory of a device has an attach counter there. The counter is 0 when that memory is "
      .. "allocated." },
  { id = "ACC33-att-2", section = "2.7.2", kind = "meaning", status = "done",
    title = "Attach without pointer or target",
    text = "Attach has no effect if the pointer is in shared memory or not present, or if its target is not present. "
      .. "This is never an error." },
  { id = "ACC33-att-3", section = "2.7.2", kind = "meaning", status = "done",
    title = "Attach of an attached pointer",
    text = "Attach increments a counter above 0 if the device pointer points to the device copy of the target "
      .. "already. Otherwise attach writes the device pointer and sets the counter to 1. This also holds for a "
      .. "pointer that is attached to another target." },
  { id = "ACC33-att-4", section = "2.7.2", kind = "meaning", status = "done",
    title = "Attach of a null pointer",
    text = "Attach of a null pointer makes the pointer on the device null. Our reading: nothing is attached, and the "
      .. "attach counter is 0 afterwards. The text can also be read as a counter of 1, since a null pointer is "
      .. "present with length 0. But no target address is attached that a detach could undo, and an entry that maps "
      .. "nothing for a null pointer counts nothing either." },
  { id = "ACC33-det-1", section = "2.7.2", kind = "meaning", status = "done",
    title = "Detach action",
    text = "Detach has no effect if the pointer is in shared memory or not present, or if the counter is 0. "
      .. "Otherwise detach decrements the counter. At 0 the device pointer gets the current value of the host "
      .. "pointer." },
  { id = "ACC33-det-2", section = "2.6.6", kind = "meaning", status = "done",
    title = "finalize and the attach counter",
    text = "finalize sets the attach counter to 0 for a pointer in detach, and so does acc_detach_finalize. With "
      .. "finalize, copyout and delete of a section detach its pointer once: the attach counter decreases by one. "
      .. "libgomp sets this counter to 0, too. So does the profile tr14, where an attached pointer cannot lose its "
      .. "target." },
  { id = "ACC33-det-3", section = "2.7.6", kind = "meaning", status = "done",
    title = "Detach at the end of regions",
    text = "The end of a region detaches the pointers of its clauses. This includes a pointer that the entry did not "
      .. "attach, because the pointer or its target was absent then. An attach that was made inside the region is "
      .. "thus undone. A clause that found no data at the entry takes no action. The profiles tr14 and libgomp-12 "
      .. "detach only what the entry attached." },
  { id = "ACC33-att-5", section = "2.7.2", kind = "meaning", status = "done",
    title = "Pointer references that clauses attach",
    text = "Only a pointer reference in a clause is attached: the s.p of copyin(s.p[0:n]), the C pointer p of "
      .. "copyin(p), a Fortran pointer or allocatable." },
  { id = "ACC33-att-6", section = "2.7.2", kind = "meaning", status = "done",
    title = "Order of struct and pointee",
    text = "Copying a struct attaches no pointer. copyin(s) after copyin(s.p[0:n]) leaves s.p unattached. The "
      .. "reverse order attaches s.p." },
  { id = "ACC33-att-7", section = "2.7.2", kind = "meaning", status = "done",
    title = "Detach before copyout and delete",
    text = "copyout and delete first detach every pointer inside the variable. So the host receives no device "
      .. "address. (This is new since 2.6. A test of GCC still expects a device address after acc_copyout of an "
      .. "undetached struct.)" },
  { id = "ACC33-att-8", section = "2.7.2", kind = "meaning", status = "done",
    title = "Transfers and assignments over attached pointers",
    text = "The standard leaves two cases undefined: update of a composite whose pointer member is attached, and "
      .. "assignment to an attached device pointer. TR14 4.1 defines the update. Our reading: both sides keep their "
      .. "pointers; libgomp copies the pointers." },
  { id = "ACC33-att-9", section = "2.7.2", kind = "meaning", status = "done",
    title = "Attach of Fortran descriptors",
    text = "Fortran: attach also copies the descriptor. The standard says this for components only; FLANG extends "
      .. "the rule to detach and to dummy arguments." },

  { id = "ACC33-att-10", section = "2.7.2", kind = "meaning", status = "done",
    title = "Counting the parent of a member section",
    text = "The standard counts the data that a clause names. Our reading: a section that a member points to is "
      .. "counted, the structure that contains the member is not. libgomp counts both." },
  { id = "ACC33-att-11", section = "2.7.2", kind = "meaning", status = "done",
    title = "Unmapped target of an attached pointer",
    text = "The standard does not say what happens to an attached pointer when its target is unmapped. Our reading: "
      .. "the pointer is detached, and an event reports the detach. In libgomp the pointer dangles and stays "
      .. "counted." },

  { id = "ACC33-hd-1", section = "2.8", kind = "meaning", status = "done",
    title = "host_data and use_device",
    text = "In the body of host_data use_device(v), the address of v is its device address. v must be present, "
      .. "unless the directive has if(false) or if_present. A null pointer stays null. v is a name, not a section." },

  { id = "ACC33-2.9-1", section = "2.9", kind = "static error", status = "done",
    title = "Placement and clauses of loop",
    text = "A loop directive is in a compute construct, directly before its loop. Its clauses are gang, worker, "
      .. "vector, seq, independent, auto, collapse, tile, private, reduction and device_type. Only one of seq, "
      .. "independent and auto is allowed. seq excludes the levels gang, worker and vector, and collapse excludes "
      .. "tile. Only in kernels do levels have sizes, and only if the construct has no size for the level. dim has no "
      .. "place in kernels. An argument of gang is there once. Our reading: with one thread the levels have no "
      .. "effect." },
  { id = "ACC33-2.9-2", section = "2.9.2", kind = "static error", status = "done",
    title = "Nesting of gang, worker and vector loops",
    text = "A gang loop contains no gang loop, except gang loops of lower dimensions. A worker loop contains no gang "
      .. "or worker loop. A vector loop contains no gang, worker or vector loop. The dimension d of gang(dim: d) is "
      .. "1, 2 or 3. Without dim the dimension is 1." },
  { id = "ACC33-2.9-3", section = "2.9.1", kind = "static error", status = "done",
    title = "Loops of collapse and tile",
    text = "collapse(n), and tile with n positive sizes, apply to n tightly nested loops. Each loop counts one "
      .. "variable, an integer or a pointer, by a step up to an end. The body changes neither the variable nor the "
      .. "end, and no statement leaves the loop. One loop with seq has none of these conditions. The "
      .. "number of iterations of a collapsed loop is the same in all iterations of the loops around. With "
      .. "collapse(force: n) statements may stand between the loops, and may be executed several times. They contain "
      .. "no other loop, no directive and no call of a routine of OpenACC. Our reading: one thread executes them once "
      .. "in each iteration of the loop around them. Where an end has more than sums and products of names and "
      .. "numbers, we do not say that the number of iterations differs." },
  { id = "ACC33-2.9-4", section = "2.6.1", kind = "meaning", status = "done",
    title = "Private variables of loops",
    text = "The loop variable of a loop directive is private, and so are the variables of a private clause. A "
      .. "private variable has the same name, but no value at the start. The original variable keeps its value." },
  { id = "ACC33-2.9-5", section = "2.9.6", kind = "run-time error", status = "done",
    title = "Iterations of independent loops",
    text = "The iterations of a loop with independent may run in parallel, so they must not depend on each other. "
      .. "Reductions and atomic regions are excepted. A loop of a parallel construct, or of a device routine, counts "
      .. "as independent, unless it has seq or auto. A loop of a kernels construct without a clause counts as auto: "
      .. "the compiler decides. Our reading: accesses of two iterations to the same memory, one of them a write, are "
      .. "an error (data-race), also if all write the same value. Each thread has a copy of a scalar that is private "
      .. "or firstprivate on the construct. There only a read of what another iteration wrote is an error. Statements "
      .. "outside of loops, and accesses of one loop and the next, are not compared. Kernels on a GPU, and those that "
      .. "are functions of Lua, are not checked." },
  { id = "ACC33-2.9.11-1", section = "2.9.11", kind = "meaning", status = "done",
    title = "Private copies of loop reductions",
    text = "reduction(op: v) on a loop makes a private copy, which starts with the identity of the operator. After "
      .. "the loop the copy is combined with v." },
  { id = "ACC33-2.9.11-2", section = "2.9.11", kind = "static error", status = "done",
    title = "Reductions with several gang dimensions",
    text = "reduction is not allowed on parallel if num_gangs has several numbers, and not on a gang loop in such a "
      .. "construct. It is not allowed on a gang loop of dimension 2 or 3." },
  { id = "ACC33-2.9.11-3", section = "2.9.11", kind = "static error", status = "done",
    title = "Reductions across nested loops",
    text = "Nested constructs reduce a variable by one operator. A reduction that spans several loop directives is "
      .. "on each of them. Our reading: a reduction does not span a loop to which the variable is private, or whose "
      .. "body assigns to the variable beside the inner loop." },
  { id = "ACC33-2.10-1", section = "2.10", kind = "static error", status = "done",
    title = "cache directive",
    text = "cache names elements and sections of arrays. The directive is a hint." },
  { id = "ACC33-2.12-1", section = "2.12", kind = "static error", status = "done",
    title = "Forms of atomic",
    text = "atomic has the forms read, write, update and capture; without a word, atomic is update. Each form allows "
      .. "fixed statements on one variable x. The other operand does not use x. The variable that captures or reads "
      .. "x is another one, and captures an update: v = x = expr is no form." },
  { id = "ACC33-2.15-1", section = "2.15.1", kind = "static error", status = "done",
    title = "routine directive",
    text = "routine says that devices can call a function, and at which level: gang, worker, vector or seq. The "
      .. "directive is one of the declarations. Our reading: devices can call every function of a scenario." },

  { id = "ACC33-dec-1", section = "2.13", kind = "meaning", status = "done",
    title = "declare directive",
    text = "declare takes copy, copyin, copyout, create, present, deviceptr, device_resident and link. Its implicit "
      .. "region is the routine or the program. At global scope only create, copyin, device_resident and link are "
      .. "allowed, and in C deviceptr. The clauses name whole variables. A variable is in at most one clause of them. "
      .. "A Fortran allocatable in declare create gets the dynamic counter 1 from allocate. deallocate ends this, and "
      .. "is an error if the structured counter is not 0." },

  { id = "ACC33-shut-1", section = "2.14.2", kind = "meaning", status = "done",
    title = "shutdown directive",
    text = "shutdown ends the lifetimes of all data on the device that device_num names, otherwise on all devices. "
      .. "So does acc_shutdown, unless its argument is the type of the host. Our reading: an open data region on such "
      .. "a device is an error (region-nesting)." },
  { id = "ACC33-set-1", section = "2.14.3", kind = "meaning", status = "done",
    title = "Selection of the current device",
    text = "set device_num and acc_set_device_num select the current device. So does init device_num. A negative "
      .. "number is the usual device. Our reading: device 0. set needs device_num, device_type or default_async." },

  { id = "ACC33-upd-1", section = "2.14.4", kind = "meaning", status = "done",
    title = "Operands and order of update",
    text = "update needs at least one of self, host and device. The copies happen in the order of the clauses, and "
      .. "an array may appear several times. The variable must be present, unless if_present is given. Members of "
      .. "structures and sections of members are allowed. A parent of a member takes no section: s[0:n].a is an "
      .. "error, s[i].a[0:n] is allowed." },
  { id = "ACC33-upd-2", section = "2.14.4", kind = "meaning", status = "done",
    title = "Noncontiguous sections in update",
    text = "update allows noncontiguous sections. An implementation may copy more bytes, but at most the smallest "
      .. "contiguous range that contains the section." },

  { id = "ACC33-async-1", section = "2.16.1", kind = "meaning", status = "done",
    title = "Queues that async names",
    text = "async(n) with n from 0 on names an activity queue of the device. acc_async_noval names the default "
      .. "queue, and so does async without an argument. set default_async and acc_set_default_async change the "
      .. "default queue: acc_async_default makes it the first one again, and acc_async_noval changes nothing. "
      .. "acc_async_sync means no queue. Our reading: another negative value is an error "
      .. "(invalid-async)." },
  { id = "ACC33-async-2", section = "2.16.1", kind = "meaning", status = "done",
    title = "Order of work in queues",
    text = "A queue does its work in order. Different queues and the host run independently of each other. async on "
      .. "data concerns the transfers at entry and exit, not the body. A queue may do its work at once, or as late "
      .. "as the wait." },
  { id = "ACC33-async-3", section = "2.16.3", kind = "meaning", status = "done",
    title = "wait directive and clause",
    text = "wait is a directive and a clause. wait waits for a list of queues, or for all queues of the device, to "
      .. "finish their earlier work. The host waits, or with async the queue of the async clause waits. devnum "
      .. "selects the queues of another device." },
  { id = "ACC33-async-4", section = "2.16", kind = "run-time error", status = "done",
    title = "Memory that a queue still uses",
    text = "Memory must not disappear while a queue still has to read or write the memory. Our reading, under "
      .. "delayed queues: to unmap such data in another queue, or in none, without a wait is an error "
      .. "(missing-wait). To free such host memory before the wait is an error, too (missing-wait)." },
  { id = "ACC33-async-5", section = "3.2.9", kind = "meaning", status = "done",
    title = "Routines acc_wait and acc_async_test",
    text = "acc_wait, acc_wait_async, acc_wait_all and acc_wait_all_async do the same as the directive. "
      .. "acc_async_test and acc_async_test_all report whether all work is finished, and do not wait. The _async "
      .. "routines take an async value as their last argument." },

  { id = "ACC33-2.17.1-1", section = "2.17.1", kind = "meaning", status = "done",
    title = "Absent optional arguments",
    text = "Fortran: an absent optional argument has no effect in a data clause, in use_device, and in the clauses "
      .. "self, host and device of update." },

  { id = "ACC33-3.2.1-1", section = "3.2.1", kind = "meaning", status = "done",
    title = "acc_get_num_devices",
    text = "acc_get_num_devices returns the number of devices of a type. Our reading: there is one host, and a type "
      .. "without devices, such as acc_device_none, has 0." },
  { id = "ACC33-3.2.15-1", section = "3.2.15", kind = "meaning", status = "done",
    title = "acc_on_device",
    text = "acc_on_device says where the caller runs. On the host the result is true for acc_device_host and "
      .. "acc_device_none. In a kernel the result is true for acc_device_not_host and the type of the device." },

  { id = "ACC33-3.2.16-1", section = "3.2.16", kind = "meaning", status = "done",
    title = "acc_malloc and acc_free",
    text = "acc_malloc returns device memory; a null pointer for a size of 0, and if the device has no memory left. "
      .. "acc_free releases the memory and ignores a null pointer. Our reading: any other address is an error "
      .. "(out-of-bounds, host-pointer-on-device), and so is memory that holds present data (already-present)." },

  { id = "ACC33-3.2.18-1", section = "3.2.18", kind = "meaning", status = "done",
    title = "Data routines compared with clauses",
    text = "The data routines act on present data and dynamic counters like the clauses. There are two differences: "
      .. "a null pointer with a size above 0 is an error (null-pointer), and the routines neither attach nor "
      .. "detach." },

  { id = "ACC33-3.2.18-2", section = "3.2.18", kind = "meaning", status = "done",
    title = "Data routines with size 0",
    text = "The standard does not say what a data routine does for a size of 0. Our reading: the routine does "
      .. "nothing, and returns null if the routine has a result. libgomp refuses to map 0 bytes (invalid-section)." },
  { id = "ACC33-3.2.18-3", section = "3.2.20", kind = "meaning", status = "done",
    title = "Update routines with size 0",
    text = "acc_update_device and acc_update_self do nothing for a size of 0." },
  { id = "ACC33-3.2.18-4", section = "3.2.19", kind = "meaning", status = "done",
    title = "acc_copyout and acc_delete at counter 0",
    text = "acc_copyout and acc_delete do nothing if the dynamic counter is 0. The standard also lists absent data "
      .. "as an error. Our reading: no error." },

  { id = "ACC33-3.2.21-1", section = "3.2.21", kind = "meaning", status = "done",
    title = "acc_map_data and acc_unmap_data",
    text = "acc_map_data maps host memory to a given device address and copies nothing. The call is an error if a "
      .. "part of the memory is present (already-present), an address is null or the size is 0. acc_unmap_data ends "
      .. "the mapping." },

  { id = "ACC33-3.2.21-2", section = "3.2.22", kind = "meaning", status = "done",
    title = "Errors and counters of acc_unmap_data",
    text = "acc_unmap_data of data that a region uses is an error (already-present), and so is a null address. The "
      .. "call sets the dynamic counter to 0, whatever its value was." },

  { id = "ACC33-3.2.26-1", section = "3.2.25", kind = "meaning", status = "done",
    title = "acc_is_present, acc_deviceptr and acc_hostptr",
    text = "acc_is_present is true exactly if all bytes are present. acc_deviceptr and acc_hostptr return the "
      .. "corresponding address, or null." },

  { id = "ACC33-3.2.26-2", section = "3.2.25", kind = "meaning", status = "done",
    title = "acc_is_present with size 0",
    text = "acc_is_present with a size of 0 asks whether the address is present." },

  { id = "ACC33-3.2.30-1", section = "3.2.30", kind = "meaning", status = "done",
    title = "acc_memcpy routines",
    text = "The acc_memcpy routines copy between host and device memory, within a device, and between two devices. "
      .. "acc_memcpy_d2d takes host addresses of data that are present on both. The memory must exist at both ends, "
      .. "and be of the side that the argument names (host-pointer-on-device, device-pointer-on-host). A null address "
      .. "is an error. Our reading: a copy of 0 bytes does nothing, whatever its addresses are." },

  { id = "ACC33-gloss-1", section = "6", kind = "meaning", status = "done",
    title = "Present and partly present data",
    text = "Data are present if one present section contains all of them. Data are partly present if a part is "
      .. "present and the rest is absent or in another section. Two adjacent mappings do not make their union "
      .. "present." },
  { id = "ACC33-gloss-2", section = "6", kind = "meaning", status = "done",
    title = "Null pointers and shared memory are present",
    text = "Since 3.2 a null pointer is always present, with length 0. Data in shared memory are always present, and "
      .. "clauses on them have no effect." },

  { id = "ACC33-A.3-1", section = "A.3", kind = "meaning", status = "open",
    title = "present clause on a C pointer",
    text = "present(p) with a C pointer p checks the pointer variable. Much old code means the target of p. The "
      .. "standard advises implementations to offer an option for this." },
}
