-- llnl.lua - rules of "Supporting Indirect Data Mapping in OpenMP" (LLNL-CONF-671602, 2015). Form and
-- meaning of the fields: see tr14.lua.
return {
  { id = "LLNL-2.1-01", section = "2.1", kind = "syntax", status = "done",
    text = "map([type:] item, ...), type alloc|to|from|tofrom; item = variable with "
      .. "optional section [start:length], start optional. (release and delete appear "
      .. "only in Fig. 5 and TR3.)" },
  { id = "LLNL-2.1-02", section = "2.1", kind = "meaning", status = "done",
    text = "alloc never copies, to copies at the begin, from at the end, tofrom both." },
  { id = "LLNL-2.1-03", section = "2.1", kind = "meaning", status = "done",
    text = "Mapping need not copy: host and device may share storage." },
  { id = "LLNL-2.1-04", section = "2.1", kind = "default", status = "done",
    text = "A variable without section is treated as a scalar; a variable used in the "
      .. "region and not listed is mapped tofrom as a scalar, pointers included." },
  { id = "LLNL-2.1-05", section = "2.1", kind = "meaning", status = "done",
    text = "A section is mapped in two parts: the pointer with alloc, the array with the "
      .. "given type; then the device pointer is set to the device array." },
  { id = "LLNL-2.1-06", section = "2.1", kind = "figure", status = "done",
    text = "Figure 4: map(from: arr[0:len]) map(to: len), uses arg: four mappings: the "
      .. "section from, len to, pointer arr alloc, arg tofrom." },
  { id = "LLNL-2.1-07", section = "2.1", kind = "meaning", status = "done",
    text = "After the region len (mapped to, assigned 5 on the device) is unspecified on "
      .. "the host, because storage may be shared. On discrete memory it keeps its "
      .. "value." },
  { id = "LLNL-2.1-08", section = "2.1", kind = "meaning", status = "done",
    text = "Two-part mapping allows changing the pointer on the device and several "
      .. "disjoint mappings of one array." },

  { id = "LLNL-2.2-01", section = "2.2", kind = "meaning", status = "done",
    text = "A mapped variable is found again in a presence table and reused without "
      .. "transfer, in any nested construct." },
  { id = "LLNL-2.2-02", section = "2.2", kind = "choice", status = "done",
    text = "The table must support range search, since sub-arrays are mapped through "
      .. "different pointers." },
  { id = "LLNL-2.2-03", section = "2.2", kind = "meaning", status = "done",
    text = "Scalars: one lookup by address." },
  { id = "LLNL-2.2-04", section = "2.2", kind = "meaning", status = "done",
    text = "Sections: first the address of the pointer variable is looked up, then the "
      .. "array address it holds; the latter's device address is assigned to the "
      .. "former's device copy." },
  { id = "LLNL-2.2-05", section = "2.2", kind = "run-time error", status = "done",
    text = "Figure 5: arrays mapped through a, b with enter data; kernel uses copies "
      .. "inner_a, inner_b: the implicit scalar tofrom maps the copies' bits, the arrays "
      .. "are not found, the access faults (host-pointer-on-device)." },

  { id = "LLNL-3.1-01", section = "3.1", kind = "meaning", status = "done",
    text = "One-step: a section maps only base address, offset and length; the pointer "
      .. "variable is neither mapped nor entered in the table. Knob "
      .. "section = \"one-step\"." },
  { id = "LLNL-3.1-02", section = "3.1", kind = "meaning", status = "done",
    text = "To change the pointer on the device it must be mapped explicitly." },
  { id = "LLNL-3.1-03", section = "3.1", kind = "meaning", status = "done",
    text = "Hence a section mapped in a function through a parameter is found by any other "
      .. "pointer to it; no dangling entry for the dead parameter remains. (Under "
      .. "two-step mapping the device copy of a dead stack pointer stays in the table.)" },
  { id = "LLNL-3.1-04", section = "3.1", kind = "choice", status = "done",
    text = "Alternative: keep both lookups but ask by value first and by the pointer's own "
      .. "address only if that fails. Knob section = \"value-first\"." },
  { id = "LLNL-3.1-05", section = "3.1", kind = "meaning", status = "done",
    text = "Neither alone repairs the implicit case (2.2-05); 3.2 is needed too." },

  { id = "LLNL-3.2-01", section = "3.2", kind = "default", status = "done",
    text = "Reference types (pointers, C++ references) default to a minimal section: "
      .. "map(alloc: v[:0]). Knob implicit = \"by-type\"." },
  { id = "LLNL-3.2-02", section = "3.2", kind = "meaning", status = "done",
    text = "They are looked up by the address they hold, unless explicitly mapped as "
      .. "values." },
  { id = "LLNL-3.2-03", section = "3.2", kind = "default", status = "done",
    text = "Value types (scalars, structures) keep tofrom; (reading) static arrays are "
      .. "values." },
  { id = "LLNL-3.2-04", section = "3.2", kind = "choice", status = "done",
    text = "Value types might better be like firstprivate (cheaper); a default clause for "
      .. "device constructs might be useful." },
  { id = "LLNL-3.2-05", section = "3.2", kind = "meaning", status = "done",
    text = "3.1-01 plus 3.2-01 make Figure 5 work without any clause on the target." },

  { id = "LLNL-4-01", section = "4", kind = "syntax", status = "done",
    text = "#pragma omp declare group with binding clauses name(g), "
      .. "bind_all(construct,...), bind_type(type) and any valid OpenMP clauses." },
  { id = "LLNL-4-02", section = "4", kind = "meaning", status = "done",
    text = "Only name, bind_all, bind_type concern the directive itself; the rest are "
      .. "stored." },
  { id = "LLNL-4-03", section = "4", kind = "meaning", status = "done",
    text = "bind_all(list): stored clauses apply to every listed construct in the same "
      .. "lexical scope or a sub-scope (reading: behind the group, and of exactly that name)." },
  { id = "LLNL-4-04", section = "4", kind = "syntax", status = "done",
    text = "On a construct: bind_group(s)([action:] g, ...), action merge (default) | "
      .. "inherit | exclude | override." },
  { id = "LLNL-4-05", section = "4", kind = "static error", status = "done",
    text = "merge: group's clauses join the construct's; two conflicting ones are an error "
      .. "(conflicting-clauses)." },
  { id = "LLNL-4-06", section = "4", kind = "precedence", status = "done",
    text = "inherit: construct's own clauses win." },
  { id = "LLNL-4-07", section = "4", kind = "precedence", status = "done",
    text = "override: group's clauses win." },
  { id = "LLNL-4-08", section = "4", kind = "precedence", status = "done",
    text = "exclude: the group is not applied even if bound by bind_all." },
  { id = "LLNL-4-09", section = "4", kind = "precedence", status = "done",
    text = "Several overrides: left-to-right order in the clause list decides (reading: "
      .. "the later one wins)." },
  { id = "LLNL-4-10", section = "4", kind = "meaning", status = "done",
    text = "A stored clause that does not apply to the construct: unspecified (reading: "
      .. "clause-not-allowed with the group named)." },
  { id = "LLNL-4-11", section = "4", kind = "meaning", status = "done",
    text = "Order-dependent clauses keep the group's order." },
  { id = "LLNL-4-12", section = "4", kind = "syntax", status = "done",
    text = "bind_types(type-or-var, ...) on a construct applies groups bound to those "
      .. "types; a group is bound to a type by standing inside its definition or by "
      .. "bind_type." },
  { id = "LLNL-4-13", section = "4", kind = "figure", status = "done",
    text = "Figure 7: file-level name(privs) firstprivate(...); function-level "
      .. "bind_all(parallel) name(par) default(none) if(use_threads): applies to all "
      .. "parallel constructs of the function but the one with bind_group(exclude: par)." },
  { id = "LLNL-4-14", section = "4", kind = "figure", status = "done",
    text = "Figure 8: reduction(+:this) bound inside a type; bind_types(args...) on the "
      .. "loop makes the wrapped member a reduction. (Reading: this is the variable that "
      .. "bind_types names, and the type's members are those of the variable.)" },
  { id = "LLNL-4-15", section = "4", kind = "static error", status = "done",
    text = "(reading) unknown group: unknown-group; equal name in one scope: duplicate-name; "
      .. "inner scope shadows outer." },
}
