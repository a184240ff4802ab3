-- acc33.lua - rules of OpenACC 3.3 on data: counters, clauses, sections, attachments, routines.
-- Form and meaning of the fields: see tr14.lua.
return {
  { id = "ACC33-1.18-1", section = "1.18", kind = "meaning", status = "open",
    text = "Deferred topics named by the standard itself: directives for implicit deep copy, "
      .. "clauses on one directive that alias each other, attaching pointers past the end, "
      .. "Fortran pointer variables: precisely what TR14 and this project answer." },

  { id = "ACC33-2.5-1", section = "2.5", kind = "static error", status = "done",
    text = "The body of a compute construct is a structured block: nothing leaves it before its end, and no other "
      .. "compute construct stands in it." },
  { id = "ACC33-2.5.7-1", section = "2.5.7", kind = "meaning", status = "done",
    text = "self on a compute construct: where its condition holds, or without one, the construct runs on the host; "
      .. "data that are shared with it do not move. Where an if clause says false, self has no effect." },

  { id = "ACC33-2.6-1", section = "2.6", kind = "meaning", status = "done",
    text = "At least one data clause on enter data and exit data (on data a default clause also "
      .. "counts); if(false) skips the whole directive; finalize only on exit data; if_present "
      .. "only on update and host_data." },

  { id = "ACC33-impl-1", section = "2.6.2", kind = "meaning", status = "done",
    text = "Implicit attributes in compute constructs: reduction variable (copy); aggregate "
      .. "(copy) (or present under default(present)); scalar (firstprivate) in "
      .. "parallel/serial, copy in kernels. A C pointer is a scalar: it is not followed." },
  { id = "ACC33-impl-2", section = "2.6.2", kind = "meaning", status = "done",
    text = "default(none): error for a variable without explicit clause, scalars included since "
      .. "3.2 (Flang keeps the older rule by default)." },
  { id = "ACC33-impl-3", section = "2.6.2", kind = "meaning", status = "done",
    text = "Only if no visible enclosing data clause names the variable. C++ lambda captured by "
      .. "pointer value: no_create; by reference: present." },

  { id = "ACC33-2.6.7-1", section = "2.6.7", kind = "meaning", status = "done",
    text = "Per section of device memory and device: a structured and a dynamic reference "
      .. "counter, both start at 0 (structured starts at 1 for global declare static data). "
      .. "Present exactly when sum > 0." },
  { id = "ACC33-2.6.7-2", section = "2.6.7", kind = "meaning", status = "done",
    text = "Structured: +1 entering each data or compute region with an explicit or implicit "
      .. "clause for the section, -1 leaving." },
  { id = "ACC33-2.6.7-3", section = "2.6.7", kind = "meaning", status = "done",
    text = "Dynamic: +1 per enter data copyin|create and acc_copyin|acc_create; -1 per exit data "
      .. "copyout|delete and acc_copyout|acc_delete; set to 0 with finalize or the _finalize "
      .. "routines." },
  { id = "ACC33-2.6.7-4", section = "2.6.7", kind = "meaning", status = "done",
    text = "Counters change at once in the encountering thread, even with async. Lifetime ends "
      .. "when both are 0." },
  { id = "ACC33-2.6.7-5", section = "2.6.7", kind = "meaning", status = "done",
    text = "A decrement never goes below 0. For memory mapped with acc_map_data the dynamic "
      .. "counter reaches 0 only through acc_unmap_data." },

  { id = "ACC33-2.7-1", section = "2.7", kind = "meaning", status = "done",
    text = "All entry steps are followed by attach if var is a pointer reference. Exit: if the "
      .. "relevant counter is 0, nothing at all happens (restored in 3.1; 3.0 wanted an "
      .. "error); else detach, decrement, then the action of the last column if both counters "
      .. "are 0." },
  { id = "ACC33-2.7-2", section = "2.7", kind = "meaning", status = "done",
    text = "Null pointers are neither counted nor created." },
  { id = "ACC33-2.7-3", section = "2.7", kind = "meaning", status = "done",
    text = "present may therefore free data at its exit (when an exit data finalize ran inside "
      .. "the region)." },
  { id = "ACC33-2.7-4", section = "2.7", kind = "meaning", status = "open",
    text = "zero acts only when the create action really happens: data already present are not "
      .. "cleared." },
  { id = "ACC33-2.7-5", section = "2.7", kind = "meaning", status = "open",
    text = "The delete text performs detach twice (a slip): implement once." },
  { id = "ACC33-2.7-6", section = "2.7", kind = "meaning", status = "done",
    text = "present_or_*, p* are synonyms since 2.5." },
  { id = "ACC33-2.7-7", section = "2.7", kind = "meaning", status = "done",
    text = "enter data create/copyin is declared equivalent to the API routine, except that the "
      .. "directive attaches and the routine does not (3.2.18/19 say so for both)." },
  { id = "ACC33-2.7-8", section = "2.7", kind = "static error", status = "done",
    text = "A clause stands only on the directives that allow it (clause-not-allowed); a word "
      .. "that is no clause is unknown-clause." },
  { id = "ACC33-2.7-9", section = "2.7", kind = "meaning", status = "done",
    text = "deviceptr names pointer variables that hold device addresses: no data action, the "
      .. "address is used as it is." },

  { id = "ACC33-2.7.1-1", section = "2.7.1", kind = "meaning", status = "done",
    text = "C subarray a[start:len]; start defaults to 0; len may be left out only for arrays of "
      .. "known size. Fortran: missing bounds are the declared or allocated ones; the last "
      .. "bound of an assumed-size dummy is required." },
  { id = "ACC33-2.7.1-2", section = "2.7.1", kind = "meaning", status = "done",
    text = "Expressions in a clause of a structured construct are evaluated once; the exit uses "
      .. "the same values." },
  { id = "ACC33-2.7.1-3", section = "2.7.1", kind = "meaning", status = "done",
    text = "Four C 2-D forms (static, pointer to rows, array of pointers, pointer to pointers). "
      .. "For dynamic dimensions the implementation allocates the device pointers and fills "
      .. "them; static dimensions except the first must be whole. Changing those pointers "
      .. "during the lifetime: undefined." },
  { id = "ACC33-2.7.1-4", section = "2.7.1", kind = "meaning", status = "done",
    text = "Sections must be contiguous, except such pointer arrays. An implementation may "
      .. "allocate only the subarray. (decided when the bounds are known: a part of one row, or whole rows.)" },
  { id = "ACC33-2.7.1-5", section = "2.7.1", kind = "meaning", status = "done",
    text = "A struct in a clause: all members allocated and copied bitwise, pointees not; "
      .. "Fortran allocatable/pointer members likewise not followed." },

  { id = "ACC33-2.7.2-1", section = "2.7.2", kind = "meaning", status = "done",
    text = "What is absent is allocated by the create, copyin and copyout actions; of these copyin copies the "
      .. "host's bytes. What is present is neither allocated nor copied." },
  { id = "ACC33-2.7.2-2", section = "2.7.2", kind = "meaning", status = "done",
    text = "When both counters are 0, a copyout action copies the device's bytes back and frees them, a delete "
      .. "action frees them." },
  { id = "ACC33-2.7.3-1", section = "2.7.3", kind = "run-time error", status = "done",
    text = "Data that are present in part are an error in data clauses (partially-present), absent data in present "
      .. "clauses and in update (not-present)." },

  { id = "ACC33-att-1", section = "2.7.2", kind = "meaning", status = "done",
    text = "Attach counter per pointer in device memory and device; 0 when that memory is "
      .. "allocated." },
  { id = "ACC33-att-2", section = "2.7.2", kind = "meaning", status = "done",
    text = "No action if the pointer lies in shared memory, or is not present, or its target is "
      .. "not present. Never an error." },
  { id = "ACC33-att-3", section = "2.7.2", kind = "meaning", status = "done",
    text = "Counter is not 0 and device pointer already points to the target's device copy "
      .. "(counter)+1. Otherwise write the device pointer and set the counter to 1 (also when "
      .. "it was attached elsewhere)." },
  { id = "ACC33-att-4", section = "2.7.2", kind = "meaning", status = "done",
    text = "Attach of a null pointer makes the device's pointer null." },
  { id = "ACC33-det-1", section = "2.7.2", kind = "meaning", status = "done",
    text = "No action if shared, not present, or counter 0. Else -1; at 0 the device pointer "
      .. "gets the current host value." },
  { id = "ACC33-att-5", section = "2.7.2", kind = "meaning", status = "done",
    text = "Only a \"pointer reference\" takes part: copyin(s.p[0:n]), copyin(p) with C pointer "
      .. "p, Fortran pointer/allocatable." },
  { id = "ACC33-att-6", section = "2.7.2", kind = "meaning", status = "done",
    text = "Copying a struct attaches nothing by itself; copyin(s) after copyin(s.p[0:n]) leaves "
      .. "s.p unattached, the reverse order attaches." },
  { id = "ACC33-att-7", section = "2.7.2", kind = "meaning", status = "done",
    text = "Copyout and delete detach every pointer inside var first, so device addresses do not "
      .. "reach the host. (New against 2.6: a GCC test still expects a device address after "
      .. "acc_copyout of an undetached struct.)" },
  { id = "ACC33-att-8", section = "2.7.2", kind = "meaning", status = "done",
    text = "Undefined: update of a composite while a pointer member is attached; attaching and "
      .. "assigning the same device pointer. TR14 4.1 demands the opposite for update. Our "
      .. "reading: both sides keep their pointers; libgomp copies them." },
  { id = "ACC33-att-9", section = "2.7.2", kind = "meaning", status = "done",
    text = "Fortran: attach includes the descriptor (said for members only; FLANG extends it to "
      .. "detach and dummies)." },

  { id = "ACC33-att-10", section = "2.7.2", kind = "meaning", status = "done",
    text = "The text counts what a clause names. Our reading: a section that a member points to is "
      .. "counted, the structure around the member is not; libgomp counts both." },
  { id = "ACC33-att-11", section = "2.7.2", kind = "meaning", status = "done",
    text = "The text does not say what becomes of attached pointers whose target is unmapped. Our "
      .. "reading: they are detached, and an event reports that; in libgomp they dangle and stay counted." },

  { id = "ACC33-hd-1", section = "2.8", kind = "meaning", status = "done",
    text = "host_data use_device(v): address replaced by the device address; v must be present "
      .. "unless if(false) or if_present; null stays null; v is a name, not a section." },

  { id = "ACC33-2.9-1", section = "2.9", kind = "static error", status = "done",
    text = "A loop directive stands in a compute construct, before its loop, with gang, worker, vector, seq, "
      .. "independent, auto, collapse, tile, private, reduction, device_type: one of seq, independent and auto, seq "
      .. "without a level, collapse without tile, sizes of levels in kernels alone. Our reading: with one thread the "
      .. "levels change nothing." },
  { id = "ACC33-2.9-2", section = "2.9.2", kind = "static error", status = "done",
    text = "A gang loop has no gang loop inside, but for those of lower dimensions, a worker loop no gang and worker "
      .. "loops, a vector loop none of the three. The dimension, gang(dim: d), is 1, 2 or 3; without it 1." },
  { id = "ACC33-2.9-3", section = "2.9.1", kind = "static error", status = "done",
    text = "collapse(n) and tile with n sizes are about n loops that stand tightly in each other. A loop counts one "
      .. "variable by a step to its end, which the body does not change, and which nothing leaves." },
  { id = "ACC33-2.9-4", section = "2.6.1", kind = "meaning", status = "done",
    text = "The variable that counts a loop of a loop directive is private, and so are the variables of its private "
      .. "clause: others with the same name, without a value; the variables keep theirs." },
  { id = "ACC33-2.9.11-1", section = "2.9.11", kind = "meaning", status = "done",
    text = "reduction(op: v) on a loop: a private copy begins with the operator's identity, and is combined with v "
      .. "after the loop. A v that no data clause names is copied by the compute construct around." },
  { id = "ACC33-2.10-1", section = "2.10", kind = "static error", status = "done",
    text = "cache names elements and sections of arrays. It is a hint." },
  { id = "ACC33-2.12-1", section = "2.12", kind = "static error", status = "done",
    text = "atomic read, write, update (without a word, too) and capture are about statements of fixed forms on one "
      .. "variable x, which the other operand does not use." },
  { id = "ACC33-2.15-1", section = "2.15.1", kind = "static error", status = "done",
    text = "routine says that a function serves on devices, and at which one of the levels gang, worker, vector and "
      .. "seq. It stands among declarations. Our reading: functions of a scenario serve everywhere." },

  { id = "ACC33-dec-1", section = "2.13", kind = "meaning", status = "done",
    text = "Declare: copy, copyin, copyout, create, present, deviceptr, device_resident, link; "
      .. "implicit region = routine or program; at global scope only create, copyin, "
      .. "device_resident, link. Fortran allocatable in declare create: allocate sets dynamic "
      .. "1, deallocate ends it (error if the structured count is not 0)." },

  { id = "ACC33-shut-1", section = "2.14.2", kind = "meaning", status = "done",
    text = "shutdown ends all lifetimes on the device." },

  { id = "ACC33-upd-1", section = "2.14.4", kind = "meaning", status = "done",
    text = "Update: self/host/device, at least one; done in the order written; the same array "
      .. "may appear often; var must be present unless if_present; struct members and "
      .. "subarrays of members allowed, but no subarray notation on a parent of the member "
      .. "(s[0:n].a no, s[i].a[0:n] yes)." },
  { id = "ACC33-upd-2", section = "2.14.4", kind = "meaning", status = "done",
    text = "Noncontiguous subarrays allowed in update; moving a larger enclosing range is "
      .. "permitted but no larger than the smallest contiguous range containing it." },

  { id = "ACC33-async-1", section = "2.16.1", kind = "meaning", status = "done",
    text = "async(n) names an activity queue of the device: n from 0 on, acc_async_noval (or no argument: the "
      .. "default, which set default_async and acc_set_default_async change) or acc_async_sync, which is no queue. "
      .. "Our reading: other negative values are errors (invalid-async)." },
  { id = "ACC33-async-2", section = "2.16.1", kind = "meaning", status = "done",
    text = "What one queue is asked for is done in that order; different queues, and the host, go on "
      .. "independently. async on data is about its transfers at entry and exit, not about what is inside. "
      .. "A queue may do its work at once, or as late as the wait." },
  { id = "ACC33-async-3", section = "2.16.3", kind = "meaning", status = "done",
    text = "wait, as a directive or clause, with a list of queues or for all of the device, holds back the host, or "
      .. "with async that queue, until these have done what they were asked for before. devnum: queues of another "
      .. "device." },
  { id = "ACC33-async-4", section = "2.16", kind = "run-time error", status = "done",
    text = "Memory that a queue still has to read or write must stay until then. Our reading, where queues are "
      .. "delayed: data that leave the device by another queue, or by none, without a wait, and host memory that is "
      .. "freed before the wait, are errors (missing-wait)." },
  { id = "ACC33-async-5", section = "3.2.8", kind = "meaning", status = "done",
    text = "acc_wait, acc_wait_async, acc_wait_all, acc_wait_all_async do what the directive does; acc_async_test "
      .. "and acc_async_test_all report whether there is nothing left to do, without waiting. The _async routines "
      .. "take an async value behind the others' arguments." },

  { id = "ACC33-2.17.1-1", section = "2.17.1", kind = "meaning", status = "done",
    text = "Fortran: an optional argument that is absent has no effect in a data clause." },

  { id = "ACC33-3.2.16-1", section = "3.2.16", kind = "meaning", status = "done",
    text = "acc_malloc gives device memory, of no bytes a null pointer; acc_free releases it and "
      .. "ignores a null pointer." },

  { id = "ACC33-3.2.18-1", section = "3.2.18", kind = "meaning", status = "done",
    text = "The data routines work as the clauses on present data and dynamic counters do, but "
      .. "take a null pointer with bytes for an error (null-pointer) and neither attach nor "
      .. "detach." },

  { id = "ACC33-3.2.18-2", section = "3.2.18", kind = "meaning", status = "done",
    text = "The text asks for nothing that no bytes could make present or absent. Our reading: the "
      .. "data routines then do nothing, and those with a result give null; libgomp refuses to "
      .. "make no bytes present (invalid-section)." },
  { id = "ACC33-3.2.18-3", section = "3.2.20", kind = "meaning", status = "done",
    text = "acc_update_device and acc_update_self of no bytes do nothing." },
  { id = "ACC33-3.2.18-4", section = "3.2.19", kind = "meaning", status = "done",
    text = "acc_copyout and acc_delete do nothing when the dynamic counter is 0, although absent "
      .. "data stand in the list of errors. Our reading: no error." },

  { id = "ACC33-3.2.21-1", section = "3.2.21", kind = "meaning", status = "done",
    text = "acc_map_data makes host memory present at a device address without any copy, and is "
      .. "an error if a part of it is present (already-present); acc_unmap_data ends that." },

  { id = "ACC33-3.2.21-2", section = "3.2.22", kind = "meaning", status = "done",
    text = "acc_unmap_data of data that a region uses is an error (already-present); the dynamic "
      .. "counter becomes 0 whatever it was." },

  { id = "ACC33-3.2.26-1", section = "3.2.26", kind = "meaning", status = "done",
    text = "acc_is_present is true exactly when all bytes are present; acc_deviceptr and "
      .. "acc_hostptr give the corresponding address, or null." },

  { id = "ACC33-3.2.26-2", section = "3.2.26", kind = "meaning", status = "done",
    text = "acc_is_present of no bytes asks whether the address is present." },

  { id = "ACC33-3.2.30-1", section = "3.2.30", kind = "meaning", status = "done",
    text = "The acc_memcpy routines copy between host and device memory, within a device, and "
      .. "between two devices; both ends must be there." },

  { id = "ACC33-gloss-1", section = "6", kind = "meaning", status = "done",
    text = "Present: all of it in a single present section. Partly present: part present and the "
      .. "rest absent or in another section. Two adjacent mappings do not make the union "
      .. "present." },
  { id = "ACC33-gloss-2", section = "6", kind = "meaning", status = "done",
    text = "A null pointer counts as always present, with length zero (since 3.2). Shared "
      .. "memory: every clause is a no-op, always \"present\"." },

  { id = "ACC33-A.3-1", section = "A.3", kind = "meaning", status = "open",
    text = "present(p) with p a C pointer checks the pointer variable; much old code means its "
      .. "target; an option is advised." },
}
