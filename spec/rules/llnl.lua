-- llnl.lua - rules of "Supporting Indirect Data Mapping in OpenMP" (LLNL-CONF-671602, 2015). Form and
-- meaning of the fields: see tr14.lua.
return {
  { id = "LLNL-2.1-01", section = "2.1", kind = "syntax", status = "done",
    title = "Syntax of map",
    text = "The clause is map([type:] item, ...). The type is alloc, to, from or tofrom. An item is a variable, "
      .. "optionally with a section [start:length], where start may be omitted. (release and delete appear only in "
      .. "Figure 5 and in TR3.)" },
  { id = "LLNL-2.1-02", section = "2.1", kind = "meaning", status = "done",
    title = "Directions of map types",
    text = "alloc never copies, to copies at entry, from copies at exit, and tofrom copies at both." },
  { id = "LLNL-2.1-03", section = "2.1", kind = "meaning", status = "done",
    title = "Shared storage",
    text = "Mapping does not require a copy: host and device may share storage." },
  { id = "LLNL-2.1-04", section = "2.1", kind = "default", status = "done",
    title = "Variables without a section or clause",
    text = "A variable without a section is treated as a scalar. A variable that the region uses and no clause names "
      .. "is mapped tofrom as a scalar. This includes pointers." },
  { id = "LLNL-2.1-05", section = "2.1", kind = "meaning", status = "done",
    title = "Two parts of a section",
    text = "A section is mapped in two parts: the pointer with alloc, and the array with the given type. Then the "
      .. "device pointer is set to the device array." },
  { id = "LLNL-2.1-06", section = "2.1", kind = "figure", status = "done",
    title = "Figure 4: four mappings",
    text = "In Figure 4 the construct has map(from: arr[0:len]) map(to: len) and uses arg. This gives four mappings: "
      .. "the section with from, len with to, the pointer arr with alloc, and arg with tofrom." },
  { id = "LLNL-2.1-07", section = "2.1", kind = "meaning", status = "done",
    title = "Figure 4: device assignment to len",
    text = "In Figure 4 len is mapped with to, and the device assigns 5 to len. After the region the value of len on "
      .. "the host is unspecified, because storage may be shared. With separate memories len keeps its value." },
  { id = "LLNL-2.1-08", section = "2.1", kind = "meaning", status = "done",
    title = "Use of mapping in two parts",
    text = "Mapping in two parts permits a program to change the pointer on the device. It also permits several "
      .. "disjoint mappings of one array." },

  { id = "LLNL-2.2-01", section = "2.2", kind = "meaning", status = "done",
    title = "Presence table",
    text = "The presence table finds a mapped variable again in any nested construct. The construct then uses the "
      .. "variable without a transfer." },
  { id = "LLNL-2.2-02", section = "2.2", kind = "choice", status = "done",
    title = "Range search",
    text = "The table must support range search, as subarrays are mapped through different pointers." },
  { id = "LLNL-2.2-03", section = "2.2", kind = "meaning", status = "done",
    title = "Lookup of a scalar",
    text = "A scalar needs one lookup, by its address." },
  { id = "LLNL-2.2-04", section = "2.2", kind = "meaning", status = "done",
    title = "Lookups of a section",
    text = "A section needs two lookups: first the address of the pointer variable, then the array address in the "
      .. "pointer. The device copy of the pointer gets the device address of the array." },
  { id = "LLNL-2.2-05", section = "2.2", kind = "run-time error", status = "done",
    title = "Figure 5: arrays through copied pointers",
    text = "In Figure 5 enter data maps arrays through a and b, and the kernel uses the copies inner_a and inner_b. "
      .. "The implicit tofrom maps the bits of these copies as scalars, and the arrays are not found. The access is "
      .. "an error (host-pointer-on-device)." },

  { id = "LLNL-3.1-01", section = "3.1", kind = "meaning", status = "done",
    title = "One-step mapping",
    text = "With one-step mapping a section maps only base address, offset and length. The pointer variable is "
      .. "neither mapped nor entered in the table. This is the knob section = \"one-step\"." },
  { id = "LLNL-3.1-02", section = "3.1", kind = "meaning", status = "done",
    title = "One-step mapping and changed pointers",
    text = "With one-step mapping, a program that changes the pointer on the device must map the pointer "
      .. "explicitly." },
  { id = "LLNL-3.1-03", section = "3.1", kind = "meaning", status = "done",
    title = "One-step mapping through parameters",
    text = "With one-step mapping, a section that a function maps through a parameter is found through any other "
      .. "pointer to it. No dangling entry for the dead parameter remains. (With two-step mapping the device copy of "
      .. "the dead pointer stays in the table.)" },
  { id = "LLNL-3.1-04", section = "3.1", kind = "choice", status = "done",
    title = "Value-first lookup",
    text = "An alternative keeps both lookups, but tries the value of the pointer first. Only if that fails, the "
      .. "address of the pointer is looked up. This is the knob section = \"value-first\"." },
  { id = "LLNL-3.1-05", section = "3.1", kind = "meaning", status = "done",
    title = "Limits of one-step and value-first mapping",
    text = "Neither one-step nor value-first mapping alone repairs the implicit case of LLNL-2.2-05. Chapter 3.2 is "
      .. "needed, too." },

  { id = "LLNL-3.2-01", section = "3.2", kind = "default", status = "done",
    title = "Implicit minimal sections of reference types",
    text = "Reference types are pointers and C++ references. Their default is a minimal section: map(alloc: v[:0]). "
      .. "This is the knob implicit = \"by-type\"." },
  { id = "LLNL-3.2-02", section = "3.2", kind = "meaning", status = "done",
    title = "Lookup of reference types by value",
    text = "Variables of reference types are looked up by the address that they hold, unless they are explicitly "
      .. "mapped as values." },
  { id = "LLNL-3.2-03", section = "3.2", kind = "default", status = "done",
    title = "Implicit tofrom of value types",
    text = "Value types (scalars and structures) keep tofrom. Our reading: static arrays are values." },
  { id = "LLNL-3.2-04", section = "3.2", kind = "choice", status = "done",
    title = "firstprivate for value types",
    text = "For value types a default like firstprivate might be better, as it is cheaper. A default clause for "
      .. "device constructs might be useful." },
  { id = "LLNL-3.2-05", section = "3.2", kind = "meaning", status = "done",
    title = "Figure 5 with both refinements",
    text = "The rules LLNL-3.1-01 and LLNL-3.2-01 together make Figure 5 work without any clause on the target "
      .. "construct." },

  { id = "LLNL-4-01", section = "4", kind = "syntax", status = "done",
    title = "declare group directive",
    text = "The directive #pragma omp declare group has the binding clauses name(g), bind_all(construct, ...) and "
      .. "bind_type(type). Any other valid OpenMP clause may follow." },
  { id = "LLNL-4-02", section = "4", kind = "meaning", status = "done",
    title = "Clauses that a group stores",
    text = "Only name, bind_all and bind_type concern the directive itself. The group stores all other clauses." },
  { id = "LLNL-4-03", section = "4", kind = "meaning", status = "done",
    title = "bind_all clause",
    text = "With bind_all(list) the stored clauses apply to every listed construct in the same lexical scope or a "
      .. "subscope. Our reading: they apply to constructs after the group, and of exactly that name." },
  { id = "LLNL-4-04", section = "4", kind = "syntax", status = "done",
    title = "bind_group clause and its actions",
    text = "A construct takes bind_group([action:] g, ...) or bind_groups([action:] g, ...). The action is merge, "
      .. "inherit, exclude or override. The default is merge." },
  { id = "LLNL-4-05", section = "4", kind = "static error", status = "done",
    title = "merge action",
    text = "merge adds the clauses of the group to the clauses of the construct. Two conflicting clauses are an "
      .. "error (conflicting-clauses)." },
  { id = "LLNL-4-06", section = "4", kind = "precedence", status = "done",
    title = "inherit action",
    text = "inherit gives precedence to the construct's own clauses." },
  { id = "LLNL-4-07", section = "4", kind = "precedence", status = "done",
    title = "override action",
    text = "override gives precedence to the clauses of the group." },
  { id = "LLNL-4-08", section = "4", kind = "precedence", status = "done",
    title = "exclude action",
    text = "exclude keeps the group from the construct, even if bind_all binds the group." },
  { id = "LLNL-4-09", section = "4", kind = "precedence", status = "done",
    title = "Several groups with override",
    text = "If several groups have override, their order in the clause list decides, from left to right. Our "
      .. "reading: the later group wins." },
  { id = "LLNL-4-10", section = "4", kind = "meaning", status = "done",
    title = "Stored clauses that a construct does not allow",
    text = "The document does not specify a stored clause that the construct does not allow. Our reading: this is an "
      .. "error that names the group (clause-not-allowed)." },
  { id = "LLNL-4-11", section = "4", kind = "meaning", status = "done",
    title = "Order of stored clauses",
    text = "Clauses whose order matters keep the order of the group." },
  { id = "LLNL-4-12", section = "4", kind = "syntax", status = "done",
    title = "bind_types and bind_type clauses",
    text = "bind_types(type-or-var, ...) on a construct applies the groups that are bound to these types. A group is "
      .. "bound to a type by bind_type, or by its place inside the definition of the type." },
  { id = "LLNL-4-13", section = "4", kind = "figure", status = "done",
    title = "Figure 7: privs and par",
    text = "Figure 7 has a group name(privs) firstprivate(...) at file level. In a function there is "
      .. "bind_all(parallel) name(par) default(none) if(use_threads). This group applies to all parallel constructs "
      .. "of the function, except the one with bind_group(exclude: par)." },
  { id = "LLNL-4-14", section = "4", kind = "figure", status = "done",
    title = "Figure 8: reduction(+:this) in a type",
    text = "Figure 8 binds reduction(+:this) inside a type. bind_types(args...) on the loop makes the wrapped member "
      .. "a reduction. Our reading: this stands for the variable that bind_types names, and the type's members are "
      .. "the variable's members." },
  { id = "LLNL-4-15", section = "4", kind = "static error", status = "done",
    title = "Unknown, duplicate and hidden groups",
    text = "Our reading: a group that is not declared is an error (unknown-group). A second group of one name in one "
      .. "scope is an error (duplicate-name). A group in an inner scope hides an outer group of the same name." },
}
