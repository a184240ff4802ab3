-- ompex.lua - rules of the OpenMP Examples, section "Structure Mapping". Form and meaning of
-- the fields: see tr14.lua.
return {
  { id = "OMPEX-struct_map-1", section = "struct_map", kind = "meaning", status = "done",
    title = "Unmapped elements of structures",
    text = "Only the structure elements in map clauses have storage on the device. The other elements (buffers of 2 "
      .. "MB, x) have no storage there, and a kernel cannot access them." },
  { id = "OMPEX-struct_map-2", section = "struct_map", kind = "meaning", status = "done",
    title = "Attachment of pointer members",
    text = "A pointer member that is the base of a mapped section, as in S.p[:N], is attached to the device storage "
      .. "of the section." },
  { id = "OMPEX-struct_map-3", section = "struct_map", kind = "meaning", status = "done",
    title = "Implicit map of the base pointer",
    text = "The target construct need not map a pointer member explicitly if a mapped section has the member as its "
      .. "base." },
  { id = "OMPEX-struct_map-4", section = "struct_map", kind = "choice", status = "done",
    title = "Adjacent mapped members",
    text = "A program can declare the mapped members next to each other, without gaps. Then the runtime can save "
      .. "transfers and device memory." },
  { id = "OMPEX-struct_map-5", section = "struct_map", kind = "meaning", status = "done",
    title = "Members with an implicit this",
    text = "In a C++ member function the same rules hold for unqualified members, with an implicit this: p[:N] is "
      .. "attached to p." },
  { id = "OMPEX-struct_map-6", section = "struct_map", kind = "run-time error", status = "done",
    title = "Case 1, wrong: implicit map alone",
    text = "Case 1, wrong: a target data construct with map(S1.p[:N]) encloses a target construct with only the "
      .. "implicit map of S1. The first map covers the elements, not S1.p, and the implicit map does not attach. A "
      .. "use of S1.p[i] reads a host address and is an error (host-pointer-on-device)." },
  { id = "OMPEX-struct_map-7", section = "struct_map", kind = "run-time error", status = "done",
    title = "Case 2, wrong: explicit map without section",
    text = "Case 2, wrong: a target data construct with map(S2.p[:N]) encloses a target construct with map(S2.p, "
      .. "S2.a, S2.b). S2.p is still not attached, and a use is the same error (host-pointer-on-device)." },
  { id = "OMPEX-struct_map-8", section = "struct_map", kind = "meaning", status = "done",
    title = "Condition for attachment",
    text = "A construct attaches a pointer if it maps a list item whose base pointer is that pointer. The pointer "
      .. "must be present already, or the same construct creates it." },
  { id = "OMPEX-struct_map-9", section = "struct_map", kind = "meaning", status = "done",
    title = "Case 1, right: one target data",
    text = "Case 1, right: target data maps S1.p[:N], S1.p, S1.a and S1.b together. S1.p is attached for the whole "
      .. "region. The implicit S1 of the nested target construct refers to this storage. A kernel may access only a, "
      .. "b and p." },
  { id = "OMPEX-struct_map-10", section = "struct_map", kind = "meaning", status = "done",
    title = "Case 2, right: zero-length section",
    text = "Case 2, right: target data maps only the section. The nested target construct maps S2.a, S2.b and a "
      .. "zero-length section with base S2.p, and so attaches S2.p. Any length from 0 to N has the same effect." },
  { id = "OMPEX-struct_map-11", section = "struct_map", kind = "meaning", status = "done",
    title = "Case 2: accessible elements",
    text = "In case 2 the implicit map of S2 gives access to a, b and p only." },
  { id = "OMPEX-struct_map-12", section = "struct_map", kind = "meaning", status = "done",
    title = "Case 3, right: target alone",
    text = "Case 3, right: there is no target data. The target construct maps S3.a, S3.b and S3.p[:N]. The implicit "
      .. "map of S3 also maps S3.p, as no other part of S3 was present before. S3.p is attached." },
  { id = "OMPEX-struct_map-13", section = "struct_map", kind = "meaning", status = "done",
    title = "Implicit map of a partly mapped structure",
    text = "If a part of a structure is present or explicitly mapped, an implicit map of the structure adds no "
      .. "storage for the other parts." },
  { id = "OMPEX-struct_map-14", section = "struct_map", kind = "background", status = "done",
    title = "Passage that is commented out",
    text = "A passage that is commented out is not normative. In this passage a pointer in target data behaves like "
      .. "alloc: its host address is neither sent nor fetched. Each inner region attaches sections at its start and "
      .. "detaches them at its end. A declare target global persists on the device and needs update to agree with "
      .. "the host." },
  { id = "OMPEX-struct_map-15", section = "struct_map", kind = "restriction", status = "done",
    title = "Versions of the examples",
    text = "Examples 1 to 4 apply to OpenMP 5.1 and later. Under 4.0 and 4.5, case 3 and zero-length sections have "
      .. "other meanings (LLNL-2.1-05, LLNL-2.2-04)." },
}
