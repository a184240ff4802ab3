-- flang.lua - rules of Flang's management of Fortran descriptors in OpenACC. Form and meaning of
-- the fields: see tr14.lua.
return {
  { id = "FLANG-cfi-1", section = "cfi", kind = "meaning", status = "done",
    text = "A descriptor is a CFI_cdesc_t: data address first (base_addr), size depends on rank." },

  { id = "FLANG-pointer-1", section = "pointer", kind = "meaning", status = "done",
    text = "The attachment counter belongs to each pointer in device memory and is not visible "
      .. "to the program; only its effects are." },
  { id = "FLANG-pointer-2", section = "pointer", kind = "meaning", status = "done",
    text = "enter data create(d): storage for d including its member descriptors; the (null) "
      .. "host descriptors arrive verbatim." },
  { id = "FLANG-pointer-3", section = "pointer", kind = "meaning", status = "done",
    text = "enter data copyin(d%p), target absent: allocate and copy the data, then attach: "
      .. "device base_addr becomes device address, other members from the host, counter "
      .. "becomes 1." },
  { id = "FLANG-pointer-4", section = "pointer", kind = "meaning", status = "done",
    text = "The same again: no copy, counter 2." },
  { id = "FLANG-pointer-5", section = "pointer", kind = "meaning", status = "done",
    text = "acc_detach lowers it to 1: still attached and usable; a second lowers it to 0: the "
      .. "device descriptor gets the host value." },
  { id = "FLANG-pointer-6", section = "pointer", kind = "run-time error", status = "done",
    text = "After that present(d) and a use of d%p(1,2) fails: base_addr is a host address "
      .. "(host-pointer-on-device)." },

  { id = "FLANG-detach-1", section = "detach", kind = "meaning", status = "done",
    text = "Detach restores the whole descriptor from the current host descriptor, not just "
      .. "base_addr (otherwise \"chimeras\")." },
  { id = "FLANG-detach-2", section = "detach", kind = "figure", status = "done",
    text = "copyin(d); d%p => t1; copyin(d%p); d%p(10:,10:) => d%p; acc_detach(d%p); copyout(d): "
      .. "lbound(d%p) is 10,10, not the stale bounds." },

  { id = "FLANG-moving-target-1", section = "moving-target", kind = "meaning", status = "done",
    text = "D%p => t1; attach; d%p => t2; attach: new target, counter set to 1, device "
      .. "descriptor on t2." },
  { id = "FLANG-moving-target-2", section = "moving-target", kind = "meaning", status = "done",
    text = "Same target, new bounds (d%p(10:,10:) => d%p), attach: treated as new: descriptor "
      .. "rewritten, counter 1, not 2." },
  { id = "FLANG-moving-target-3", section = "moving-target", kind = "meaning", status = "done",
    text = "The identity of a Fortran pointer for attach is the whole descriptor." },

  { id = "FLANG-dummy-1", section = "dummy", kind = "meaning", status = "done",
    text = "Pointer dummy arguments follow the same rules: attach through dummy p updates the "
      .. "device descriptor of d%p." },

  { id = "FLANG-storage-1", section = "storage", kind = "meaning", status = "done",
    text = "A member's descriptor storage comes with its aggregate, explicitly or by implicit "
      .. "copy(d) (or present under default(present))." },
  { id = "FLANG-storage-2", section = "storage", kind = "precedence", status = "done",
    text = "Serial present(d%p) with d not mapped: order must be copy(d) first, then "
      .. "present(d%p) with its attach." },
  { id = "FLANG-storage-3", section = "storage", kind = "meaning", status = "done",
    text = "No attach if the descriptor is not present, or the target is not: serial attach(p) "
      .. "on a dummy whose actual is unmapped does nothing, silently; use then fails." },

  { id = "FLANG-alloc-1", section = "alloc", kind = "meaning", status = "done",
    text = "ALLOCATABLE members and dummies follow the POINTER rules." },

  { id = "FLANG-other-1", section = "other", kind = "choice", status = "done",
    text = "Descriptors of assumed-shape, assumed-rank, polymorphic dummies are local; if placed "
      .. "on the device they live no longer than the call." },
  { id = "FLANG-other-2", section = "other", kind = "meaning", status = "done",
    text = "copyin(a) of assumed-shape a(10:,10:) bound to dd%a: only the data action is "
      .. "required; the temporary descriptor overlaps nothing; a(10,11) reads dd%a(1,2)." },

  { id = "FLANG-composite-1", section = "composite", kind = "meaning", status = "done",
    text = "Attach of a descriptor: find device descriptor; compare (for the counter); find "
      .. "device data; write data address and shape; map addendum data and attach its "
      .. "pointers." },

  { id = "FLANG-order-1", section = "order", kind = "precedence", status = "done",
    text = "In every data clause the data action precedes the attach." },

  { id = "FLANG-recipe-1", section = "recipe", kind = "choice", status = "done",
    text = "The front end hands over variable address, descriptor address, offset and size of "
      .. "the section; languages without descriptors use the plain pointer form and no recipe." },

  { id = "FLANG-api-1", section = "api", kind = "meaning", status = "untestable",
    text = "Attach-descriptor(descriptor, data, offset, size, file, line): data must equal "
      .. "base_addr, for verification only (mismatch (pointer-changed)); scalars: offset 0, "
      .. "size = scalar size.",
    why = "no scenario calls it: tests/core/descriptors.c does" },
  { id = "FLANG-api-2", section = "api", kind = "meaning", status = "done",
    text = "Step 1: data section not present (return, silently)." },
  { id = "FLANG-api-3", section = "api", kind = "meaning", status = "done",
    text = "Step 2: descriptor not present (return, silently)." },
  { id = "FLANG-api-4", section = "api", kind = "meaning", status = "done",
    text = "Step 3: counter is not 0 and host descriptor equal to the one used last (counter)+1, "
      .. "return." },
  { id = "FLANG-api-5", section = "api", kind = "meaning", status = "done",
    text = "Step 4: copy host descriptor, patch base_addr, do data actions for auxiliary "
      .. "pointers and patch them, counter becomes 1." },
  { id = "FLANG-api-6", section = "api", kind = "meaning", status = "done",
    text = "With a section the device base_addr is device(data+offset) - offset, so that indices "
      .. "keep their meaning." },
  { id = "FLANG-api-7", section = "api", kind = "meaning", status = "done",
    text = "Presence checks and auxiliary data actions are one atomic step with respect to the "
      .. "counters." },

  { id = "FLANG-todo-1", section = "todo", kind = "future", status = "done",
    text = "Device id parameter; detach. (for detach: counter-1, at 0 FLANG-detach-1 and undo "
      .. "the auxiliary data actions; counter 0: nothing.)" },
}
