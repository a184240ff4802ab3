-- flang.lua - rules of Flang's management of Fortran descriptors in OpenACC. Form and meaning of
-- the fields: see tr14.lua.
return {
  { id = "FLANG-cfi-1", section = "cfi", kind = "meaning", status = "done",
    title = "Layout of CFI descriptors",
    text = "A descriptor is a CFI_cdesc_t. Its first member is the data address (base_addr). Its size depends on the "
      .. "rank." },

  { id = "FLANG-pointer-1", section = "pointer", kind = "meaning", status = "done",
    title = "Attach counter of each device pointer",
    text = "Each pointer in device memory has an attach counter. The program cannot read the counter and sees only "
      .. "its effects." },
  { id = "FLANG-pointer-2", section = "pointer", kind = "meaning", status = "done",
    title = "create of a derived type",
    text = "enter data create(d) allocates device memory for d, including the descriptors of its components. The "
      .. "null descriptors of the host arrive there unchanged." },
  { id = "FLANG-pointer-3", section = "pointer", kind = "meaning", status = "done",
    title = "First copyin of a pointer component",
    text = "enter data copyin(d%p) with an absent target first allocates and copies the data, and then attaches. The "
      .. "base_addr on the device becomes the device address. The other members of the descriptor come from the "
      .. "host. The attach counter becomes 1." },
  { id = "FLANG-pointer-4", section = "pointer", kind = "meaning", status = "done",
    title = "Second copyin of a pointer component",
    text = "A second enter data copyin(d%p) copies nothing and increments the attach counter to 2." },
  { id = "FLANG-pointer-5", section = "pointer", kind = "meaning", status = "done",
    title = "acc_detach of a pointer attached twice",
    text = "After two enter data copyin(d%p), acc_detach decrements the counter to 1: the pointer stays attached and "
      .. "usable. A second acc_detach decrements the counter to 0: the device descriptor gets the value of the host "
      .. "descriptor." },
  { id = "FLANG-pointer-6", section = "pointer", kind = "run-time error", status = "done",
    title = "Use of a detached pointer component",
    text = "After the second acc_detach, a use of d%p(1,2) under present(d) is an error, as base_addr is a host "
      .. "address (host-pointer-on-device)." },

  { id = "FLANG-detach-1", section = "detach", kind = "meaning", status = "done",
    title = "Detach restores the whole descriptor",
    text = "Detach restores the whole descriptor from the current host descriptor, not only base_addr. Otherwise the "
      .. "descriptor would be a mixture of old and new members." },
  { id = "FLANG-detach-2", section = "detach", kind = "figure", status = "done",
    title = "Bounds after detach and copyout",
    text = "The steps of the example are: copyin(d); d%p => t1; copyin(d%p); d%p(10:,10:) => d%p; acc_detach(d%p); "
      .. "copyout(d). Then lbound(d%p) is 10,10 and not the old bounds." },

  { id = "FLANG-moving-target-1", section = "moving-target", kind = "meaning", status = "done",
    title = "Attach after a change of target",
    text = "The pointer d%p is attached to t1. The program assigns d%p => t2 and attaches again. Then the target is "
      .. "t2, the attach counter is 1, and the device descriptor describes t2." },
  { id = "FLANG-moving-target-2", section = "moving-target", kind = "meaning", status = "done",
    title = "Attach after a change of bounds",
    text = "Attach after a change of the bounds alone, such as d%p(10:,10:) => d%p, counts as a new attachment. The "
      .. "descriptor is written again, and the counter becomes 1, not 2." },
  { id = "FLANG-moving-target-3", section = "moving-target", kind = "meaning", status = "done",
    title = "Comparison of whole descriptors",
    text = "Attach compares the whole descriptor of a Fortran pointer, not only the address." },

  { id = "FLANG-dummy-1", section = "dummy", kind = "meaning", status = "done",
    title = "Pointer dummy arguments",
    text = "Pointer dummy arguments follow the same rules. Attach through a dummy argument p updates the device "
      .. "descriptor of d%p." },

  { id = "FLANG-storage-1", section = "storage", kind = "meaning", status = "done",
    title = "Storage of the descriptor of a component",
    text = "The storage for the descriptor of a component is mapped with its aggregate. The aggregate is mapped by a "
      .. "clause or by an implicit copy(d). Under default(present) the implicit clause is present(d)." },
  { id = "FLANG-storage-2", section = "storage", kind = "precedence", status = "done",
    title = "Implicit copy before present",
    text = "The construct serial present(d%p), where d is not mapped, does copy(d) first. Then the construct does "
      .. "present(d%p) with its attach." },
  { id = "FLANG-storage-3", section = "storage", kind = "meaning", status = "done",
    title = "Attach without descriptor or target",
    text = "Attach has no effect if the descriptor or the target is not present. So serial attach(p) on a dummy "
      .. "argument whose actual argument is unmapped has no effect and reports nothing. A later use fails." },

  { id = "FLANG-alloc-1", section = "alloc", kind = "meaning", status = "done",
    title = "Allocatable components and dummy arguments",
    text = "ALLOCATABLE components and dummy arguments follow the rules of POINTER." },

  { id = "FLANG-other-1", section = "other", kind = "choice", status = "done",
    title = "Local descriptors of dummy arguments",
    text = "Descriptors of assumed-shape, assumed-rank and polymorphic dummy arguments are local. A copy of such a "
      .. "descriptor on the device lives no longer than the call." },
  { id = "FLANG-other-2", section = "other", kind = "meaning", status = "done",
    title = "Assumed-shape dummy arguments in copyin",
    text = "copyin(a) of an assumed-shape a(10:,10:), whose actual argument is dd%a, needs only its data action. The "
      .. "temporary descriptor overlaps no mapped memory. a(10,11) reads dd%a(1,2)." },

  { id = "FLANG-composite-1", section = "composite", kind = "meaning", status = "done",
    title = "Five steps of attaching a descriptor",
    text = "Attach of a descriptor has five steps. Find the device descriptor. Compare the descriptors for the "
      .. "counter. Find the device data. Write the data address and the shape. Map the data of the addendum and "
      .. "attach its pointers." },

  { id = "FLANG-order-1", section = "order", kind = "precedence", status = "done",
    title = "Data action before attach",
    text = "In every data clause the data action precedes the attach." },

  { id = "FLANG-recipe-1", section = "recipe", kind = "choice", status = "done",
    title = "Arguments that the front end passes",
    text = "The front end passes the address of the variable, the address of the descriptor, and the offset and size "
      .. "of the section. Languages without descriptors use the form for plain pointers." },

  { id = "FLANG-api-1", section = "api", kind = "meaning", status = "untestable",
    title = "Arguments of attach-descriptor",
    text = "The routine attach-descriptor takes descriptor, data, offset, size, file and line. data serves for "
      .. "verification: a difference from base_addr is an error (pointer-changed). For a scalar, offset is 0 and "
      .. "size is the size of the scalar.",
    why = "no scenario calls it: tests/core/descriptors.c does" },
  { id = "FLANG-api-2", section = "api", kind = "meaning", status = "done",
    title = "Step 1: data section absent",
    text = "Step 1: if the data section is not present, the routine returns and reports nothing." },
  { id = "FLANG-api-3", section = "api", kind = "meaning", status = "done",
    title = "Step 2: descriptor absent",
    text = "Step 2: if the descriptor is not present, the routine returns and reports nothing." },
  { id = "FLANG-api-4", section = "api", kind = "meaning", status = "done",
    title = "Step 3: descriptor unchanged",
    text = "Step 3 applies if the counter is above 0 and the host descriptor equals the last one used. The routine "
      .. "increments the counter and returns." },
  { id = "FLANG-api-5", section = "api", kind = "meaning", status = "done",
    title = "Step 4: descriptor written",
    text = "Step 4 copies the host descriptor and sets base_addr. Then the step does the data actions for auxiliary "
      .. "pointers and sets these pointers, too. The counter becomes 1." },
  { id = "FLANG-api-6", section = "api", kind = "meaning", status = "done",
    title = "base_addr of a section",
    text = "For a section, base_addr on the device is device(data+offset) - offset. So indices keep their meaning." },
  { id = "FLANG-api-7", section = "api", kind = "meaning", status = "done",
    title = "Atomic checks and data actions",
    text = "The checks of presence and the auxiliary data actions are one atomic step with respect to the "
      .. "counters." },

  { id = "FLANG-todo-1", section = "todo", kind = "future", status = "done",
    title = "Planned device parameter and detach",
    text = "The document plans a parameter for the device and a detach. Our reading: detach decrements the counter. "
      .. "At 0, detach follows FLANG-detach-1 and undoes the auxiliary data actions. If the counter is 0 already, "
      .. "detach has no effect." },
}
