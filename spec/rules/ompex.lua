-- ompex.lua - rules of the OpenMP Examples, section "Structure Mapping". Form and meaning of
-- the fields: see tr14.lua.
return {
  { id = "OMPEX-struct_map-1", section = "struct_map", kind = "meaning", status = "done",
    text = "Only structure elements in map clauses have storage on the device; the others "
      .. "(2 MB buffers, x) have none and cannot be accessed." },
  { id = "OMPEX-struct_map-2", section = "struct_map", kind = "meaning", status = "done",
    text = "A pointer member used as base of a mapped section (S.p[:N]) is attached to the "
      .. "section's device storage." },
  { id = "OMPEX-struct_map-3", section = "struct_map", kind = "meaning", status = "done",
    text = "On the target construct an explicit map of the pointer member is optional  then." },
  { id = "OMPEX-struct_map-4", section = "struct_map", kind = "choice", status = "done",
    text = "Grouping the mapped members without gaps lets the runtime optimise transfer "
      .. "and footprint." },
  { id = "OMPEX-struct_map-5", section = "struct_map", kind = "meaning", status = "done",
    text = "In a C++ member function the same holds for unqualified members (this "
      .. "implicit): p[:N] attached to p." },
  { id = "OMPEX-struct_map-6", section = "struct_map", kind = "run-time error", status = "done",
    text = "Wrong, case 1: enclosing target data map(S1.p[:N]), then target with only the "
      .. "implicit map of S1: the first map covers the elements, not S1.p; the implicit "
      .. "map does not attach. S1.p[i] then uses a host address and will probably fail "
      .. "(host-pointer-on-device)." },
  { id = "OMPEX-struct_map-7", section = "struct_map", kind = "run-time error", status = "done",
    text = "Wrong, case 2: enclosing target data map(S2.p[:N]), then target map(S2.p, "
      .. "S2.a, S2.b): still not attached (the same error)." },
  { id = "OMPEX-struct_map-8", section = "struct_map", kind = "meaning", status = "done",
    text = "Attach needs a construct that maps a list item whose base pointer is the "
      .. "pointer, while that pointer is already present or is created by this same "
      .. "construct." },
  { id = "OMPEX-struct_map-9", section = "struct_map", kind = "meaning", status = "done",
    text = "Right, case 1: target data maps S1.p[:N], S1.p, S1.a, S1.b together: attached "
      .. "for the whole region; the nested target's implicit S1 refers to that storage; "
      .. "only a, b, p may be accessed." },
  { id = "OMPEX-struct_map-10", section = "struct_map", kind = "meaning", status = "done",
    text = "Right, case 2: only the section in target data; the nested target maps S2.a, "
      .. "S2.b and a zero-length section with base S2.p: attached. Any length from 0 to "
      .. "N works alike." },
  { id = "OMPEX-struct_map-11", section = "struct_map", kind = "meaning", status = "done",
    text = "The implicit map of S2 in case 2 gives access to a, b, p only." },
  { id = "OMPEX-struct_map-12", section = "struct_map", kind = "meaning", status = "done",
    text = "Right, case 3: no target data; target maps S3.a, S3.b, S3.p[:N]; the implicit "
      .. "map of S3 maps S3.p too, because no other part of S3 was present before; "
      .. "attached." },
  { id = "OMPEX-struct_map-13", section = "struct_map", kind = "meaning", status = "done",
    text = "An implicit map of a structure some of whose parts are present or explicitly "
      .. "mapped adds no storage for the other parts." },
  { id = "OMPEX-struct_map-14", section = "struct_map", kind = "background", status = "done",
    text = "Commented-out passage (not normative): a pointer mapped in target data behaves "
      .. "as alloc, its host address is neither sent nor fetched; sections are attached "
      .. "at the begin and detached at the end of each inner region; a declare-target "
      .. "global persists on the device and needs update to agree with the host." },
  { id = "OMPEX-struct_map-15", section = "struct_map", kind = "restriction", status = "done",
    text = "Examples 1 to 4 are marked for OpenMP 5.1 and later; under 4.0/4.5 the case-3 and "
      .. "zero-length readings differ (LLNL-2.1-05, 2.2-04)." },
}
