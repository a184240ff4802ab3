-- tr14.lua - rules of OpenACC TR-14-1, "Complex Data Management in OpenACC Programs" (2014).
--
-- One entry a rule, in the order of the document, in our own words. A code in parentheses is the
-- error that reports a violation. status is "done" once conformance scenarios show both what
-- the rule accepts and what it rejects, until then "open".
return {
  { id = "TR14-1.1-01", section = "1.1", kind = "background", status = "done",
    text = "Data without pointers (\"flat\", \"pure\") means the same on both sides and moves as "
      .. "one contiguous block." },
  { id = "TR14-1.1-02", section = "1.1", kind = "meaning", status = "done",
    text = "A pointer may be dereferenced only on the side whose memory it targets." },
  { id = "TR14-1.1-03", section = "1.1", kind = "meaning", status = "done",
    text = "Shallow copy moves the object's own bytes and leaves pointers pointing to the old "
      .. "side (Fig. 1.1a)." },
  { id = "TR14-1.1-04", section = "1.1", kind = "meaning", status = "done",
    text = "Deep copy walks the pointer members, moves every described disjoint object and "
      .. "translates the pointers (Fig. 1.1b)." },
  { id = "TR14-1.1-05", section = "1.1", kind = "meaning", status = "done",
    text = "Fortran allocatable and pointer members are self-describing, so deep copy needs no "
      .. "section; a C/C++ pointer needs one." },
  { id = "TR14-1.1-06", section = "1.1", kind = "meaning", status = "done",
    text = "In a C++ member function any member reference is a use of *this; its implicit data "
      .. "clause is on the whole object, and a pointer member then needs deep copy." },
  { id = "TR14-1.1-07", section = "1.1", kind = "meaning", status = "done",
    text = "Direct member: stored in the object's own bytes (scalar, static array, nested "
      .. "struct, the pointer or descriptor itself). Indirect member: reached through a direct "
      .. "one (pointee, allocatable's data). Every indirect member has its direct access "
      .. "member." },
  { id = "TR14-1.1-08", section = "1.1", kind = "meaning", status = "done",
    text = "Direct members travel with the object automatically; indirect ones only by deep "
      .. "copy." },
  { id = "TR14-1.1-09", section = "1.1", kind = "choice", status = "untestable",
    text = "On shared memory host and device pointers are equivalent; a move may still happen "
      .. "for locality.",
    why = "the simulated device has memory of its own; there is none that shares the host's" },

  { id = "TR14-1.2-01", section = "1.2", kind = "meaning", status = "done",
    text = "Every sub-object on the device must be reachable by a chain of parents from one base "
      .. "object." },
  { id = "TR14-1.2-02", section = "1.2", kind = "meaning", status = "done",
    text = "Objects are placed in whole, with the same layout on both sides." },
  { id = "TR14-1.2-03", section = "1.2", kind = "meaning", status = "done",
    text = "A member shape alone allocates and moves nothing; a data clause does." },
  { id = "TR14-1.2-04", section = "1.2", kind = "meaning", status = "done",
    text = "Member shapes are global properties of the type. (A local definition is imaginable; "
      .. "section 3 offers nests for it.)" },
  { id = "TR14-1.2-05", section = "1.2", kind = "meaning", status = "done",
    text = "Full deep copy duplicates all reachable described objects and all pointer relations "
      .. "among them." },
  { id = "TR14-1.2-06", section = "1.2", kind = "meaning", status = "done",
    text = "Deep create allocates all objects, initialises no data, but must initialise the "
      .. "pointers, so it transfers something even though shallow create does not." },
  { id = "TR14-1.2-07", section = "1.2", kind = "meaning", status = "done",
    text = "Deep delete frees all objects; deep update updates all; deep copyin/copyout = deep "
      .. "create + update (+ delete)." },
  { id = "TR14-1.2-08", section = "1.2", kind = "choice", status = "done",
    text = "present may be shallow (top object checked, the rest is the programmer's duty) or "
      .. "deep (every object checked). Knob present = \"shallow\"|\"deep\"." },
  { id = "TR14-1.2-09", section = "1.2", kind = "meaning", status = "done",
    text = "Presence is not enough: the pointers between the objects must also be set up; who "
      .. "does it for present is open (programmer or implementation)." },
  { id = "TR14-1.2-10", section = "1.2", kind = "meaning", status = "done",
    text = "Selective members: an excluded member's pointer is not followed and stays invalid on "
      .. "the device (Fig. 1.3); using it is a programmer error like an out-of-bounds read "
      .. "(excluded-member)." },
  { id = "TR14-1.2-11", section = "1.2", kind = "meaning", status = "done",
    text = "What is excluded in one context may be included in another; the included part must "
      .. "still hang together (1.2-01)." },
  { id = "TR14-1.2-12", section = "1.2", kind = "meaning", status = "done",
    text = "Selective direction (Fig. 1.4): (a) deep create with pointers set, all data "
      .. "uninitialised; (b) copyin parts sent; (c) at the end copyout parts fetched; (d) "
      .. "parents stay uninitialised apart from active pointers." },
  { id = "TR14-1.2-13", section = "1.2", kind = "choice", status = "done",
    text = "The entry steps may be merged, and the exit steps too; the observable state is the "
      .. "same." },
  { id = "TR14-1.2-14", section = "1.2", kind = "meaning", status = "done",
    text = "Plain copy of everything gives the same host results as any selective direction "
      .. "(only more traffic)." },
  { id = "TR14-1.2-15", section = "1.2", kind = "meaning", status = "done",
    text = "Selective direction = deep create + separate update directives." },
  { id = "TR14-1.2-16", section = "1.2", kind = "meaning", status = "done",
    text = "update is unconditional: it moves even when a present_or create did nothing." },
  { id = "TR14-1.2-17", section = "1.2", kind = "restriction", status = "done",
    text = "Without mutable deep copy the composition of a structure is fixed while it lives on "
      .. "the device." },
  { id = "TR14-1.2-18", section = "1.2", kind = "meaning", status = "done",
    text = "Mutable deep copy: objects may be attached and detached independently of allocation "
      .. "and transfer." },
  { id = "TR14-1.2-19", section = "1.2", kind = "meaning", status = "done",
    text = "Top-down (Fig. 1.5): base + one sub-object; then another sub-object is attached to "
      .. "the present parent; then it is detached, leaving base and first sub-object." },
  { id = "TR14-1.2-20", section = "1.2", kind = "meaning", status = "done",
    text = "Bottom-up (Fig. 1.6): leaves first, then middle objects that attach to present "
      .. "leaves, then the base that attaches to present middles." },

  { id = "TR14-1.3-01", section = "1.3", kind = "meaning", status = "done",
    text = "Excluding a direct member changes neither offsets nor the allocated size." },
  { id = "TR14-1.3-02", section = "1.3", kind = "meaning", status = "done",
    text = "For an excluded indirect member the pointer slot still exists; it may be read but "
      .. "not dereferenced." },
  { id = "TR14-1.3-03", section = "1.3", kind = "restriction", status = "done",
    text = "Changing the layout on the device is out of scope; there is no syntax for it." },
  { id = "TR14-1.3-04", section = "1.3", kind = "choice", status = "done",
    text = "An object may be allocated in full and transferred only in part (saves traffic, not "
      .. "memory)." },

  { id = "TR14-1.4-01", section = "1.4", kind = "background", status = "untestable",
    text = "With unified memory the same directives stay legal and may become no-ops or "
      .. "relocations; values must not change (except where 4.3-22 says so).",
    why = "the simulated device has memory of its own; there is none that shares the host's" },

  { id = "TR14-2.1-01", section = "2.1", kind = "background", status = "done",
    text = "Survey: pointer extents come from sibling members (60 %), functions (35 %), globals "
      .. "(25 %): all three must work in section bounds." },

  { id = "TR14-2.2-01", section = "2.2", kind = "figure", status = "done",
    text = "ICON t_nh_state: shallow size about 19 KB; metrics about 84 and diag about 86 "
      .. "pointer members; only the eight paths of Fig. 2.7 are wanted." },
  { id = "TR14-2.2-02", section = "2.2", kind = "figure", status = "done",
    text = "p_nh_state(:)%prog(:)%vn(:,:,:) is an array of structures inside an array of "
      .. "structures (1 KB each)." },
  { id = "TR14-2.2-03", section = "2.2", kind = "meaning", status = "done",
    text = "Convenience pointers alias other members: they must be resolved after the members "
      .. "they point to (automatic by 4.2)." },
  { id = "TR14-2.2-04", section = "2.2", kind = "figure", status = "done",
    text = "Linked lists inside the type are left out by exclude; presence of recursion in the "
      .. "type is no error as long as it is not followed." },

  { id = "TR14-2.3-01", section = "2.3", kind = "meaning", status = "done",
    text = "Std::vector: three pointers into one block; the block moves once, three pointers are "
      .. "translated." },
  { id = "TR14-2.3-02", section = "2.3", kind = "meaning", status = "done",
    text = "The end-of-storage (and end) pointer lies outside the block and is still translated "
      .. "correctly." },
  { id = "TR14-2.3-03", section = "2.3", kind = "choice", status = "done",
    text = "Either the valid or the reserved elements may be moved; reserved is called a "
      .. "reasonable default, valid is what Fig. A.2 does (size())." },
  { id = "TR14-2.3-04", section = "2.3", kind = "meaning", status = "done",
    text = "The element type of a template may itself need deep copy: then its own default shape "
      .. "applies to each element." },
  { id = "TR14-2.3-05", section = "2.3", kind = "meaning", status = "done",
    text = "A library type in a read-only header is described from outside with type(...)" },
  { id = "TR14-2.3-06", section = "2.3", kind = "restriction", status = "done",
    text = "Reallocating a mapped block (growing the vector) while it is mapped is not "
      .. "supported, on either side; device-local containers are free." },

  { id = "TR14-3-01", section = "3", kind = "background", status = "done",
    text = "Four layers: shape (full and selective member) < policy (adds direction) < nest "
      .. "(local, canonical) < convenience (sugar over nests)." },

  { id = "TR14-3.1.1-01", section = "3.1.1", kind = "syntax", status = "done",
    text = "C/C++: #pragma acc shape[(name)] clause-list; one or more clauses." },
  { id = "TR14-3.1.1-02", section = "3.1.1", kind = "syntax", status = "done",
    text = "Fortran: !$acc shape[(name)] clause-list; names case-insensitive." },
  { id = "TR14-3.1.1-03", section = "3.1.1", kind = "syntax", status = "done",
    text = "Clauses: type(T), include(list), exclude(list), init_needed(list), "
      .. "default(none|include|exclude); any order; include/exclude/init_needed may repeat." },
  { id = "TR14-3.1.1-04", section = "3.1.1", kind = "syntax", status = "done",
    text = "A member-shape is a member name with zero or more sections, or [@]/[@base] as last "
      .. "section (3.5). Inherited and anonymous-struct members count as members." },
  { id = "TR14-3.1.1-05", section = "3.1.1", kind = "default", status = "done",
    text = "Inside a type declaration the type is the nearest enclosing one; type is optional "
      .. "there." },
  { id = "TR14-3.1.1-06", section = "3.1.1", kind = "static error", status = "done",
    text = "Inside a type, type(T) must name the nearest enclosing type or a type declared "
      .. "inside it." },
  { id = "TR14-3.1.1-07", section = "3.1.1", kind = "static error", status = "done",
    text = "Outside a type, type(T) is required (missing-type); T must be a known struct, class, "
      .. "union or derived type (unknown-type, not-a-struct)." },
  { id = "TR14-3.1.1-08", section = "3.1.1", kind = "static error", status = "done",
    text = "At most one type clause (duplicate-clause)." },
  { id = "TR14-3.1.1-09", section = "3.1.1", kind = "meaning", status = "done",
    text = "A shape without a name is the type's default shape." },
  { id = "TR14-3.1.1-10", section = "3.1.1", kind = "static error", status = "done",
    text = "One default shape per type (duplicate-default-shape). (two equal names for one type "
      .. "(duplicate-name); equal names for different types are fine; a name may equal a "
      .. "member's name, Fig. A.2; shapes and policies have separate name spaces.)" },
  { id = "TR14-3.1.1-11", section = "3.1.1", kind = "default", status = "done",
    text = "A type without a default shape behaves as shape default(include)." },
  { id = "TR14-3.1.1-12", section = "3.1.1", kind = "meaning", status = "done",
    text = "When an object of the type appears in a data or update clause its shape decides; "
      .. "this holds for variables, array elements, nested direct members and pointees of "
      .. "shaped pointers alike." },
  { id = "TR14-3.1.1-13", section = "3.1.1", kind = "meaning", status = "done",
    text = "An included member becomes available under the data clause of its containing object "
      .. "(recursively)." },
  { id = "TR14-3.1.1-14", section = "3.1.1", kind = "meaning", status = "done",
    text = "An excluded member is not available; touching it on the device is unspecified "
      .. "(simulated) device reports excluded-member." },
  { id = "TR14-3.1.1-15", section = "3.1.1", kind = "meaning", status = "done",
    text = "In an update clause included members are updated, excluded ones not." },
  { id = "TR14-3.1.1-16", section = "3.1.1", kind = "default", status = "done",
    text = "A C pointer member that is included without a section is bit-copied, not followed "
      .. "(comment in Fig. A.1)." },
  { id = "TR14-3.1.1-17", section = "3.1.1", kind = "meaning", status = "done",
    text = "init_needed(m): included, and initialised: create acts as copyin, copyout acts as "
      .. "copy for it; under other clauses it is a plain include. (Wherever the clause comes from: "
      .. "a policy builds on the shape, 3.2.1, so create(m) of a policy, of a nest behind invoke "
      .. "and create(X.m) are copyin for such a member. The shape says what the object needs to "
      .. "make sense, the policy which way data go.)" },
  { id = "TR14-3.1.1-18", section = "3.1.1", kind = "default", status = "done",
    text = "No default clause = default(include) for members named in no clause (for a shape "
      .. "that extends another one see 3.1.2-04)." },
  { id = "TR14-3.1.1-19", section = "3.1.1", kind = "meaning", status = "done",
    text = "default(exclude): unnamed members are excluded. default(none): every member must be "
      .. "named (default-none)." },
  { id = "TR14-3.1.1-20", section = "3.1.1", kind = "static error", status = "done",
    text = "More than one default (duplicate-clause) (said only for policies); one member in two "
      .. "clauses, or twice, (duplicate-member)." },
  { id = "TR14-3.1.1-21", section = "3.1.1", kind = "meaning", status = "done",
    text = "Section bounds may use sibling members, member functions and names visible at the "
      .. "declaration; they are evaluated on the host, per object, at the directive that uses "
      .. "the shape (\"n can be different for each element of Y\"). (with the types and values of the "
      .. "language: what C leaves undefined is invalid-section.)" },
  { id = "TR14-3.1.1-22", section = "3.1.1", kind = "static error", status = "done",
    text = "A section on a member that is neither pointer nor array (not-a-pointer); a shape on "
      .. "a scalar type (not-a-struct)." },
  { id = "TR14-3.1.1-23", section = "3.1.1", kind = "run-time error", status = "done",
    text = "Negative length, or bounds that overflow (invalid-section). Length 0 = the clause "
      .. "does not apply to this object (4.3-14)." },

  { id = "TR14-3.1.2-01", section = "3.1.2", kind = "meaning", status = "done",
    text = "A named shape is used only where asked for." },
  { id = "TR14-3.1.2-02", section = "3.1.2", kind = "syntax", status = "done",
    text = "clause<name>(list) on any data clause, update clause (self, device, host), include, "
      .. "init_needed." },
  { id = "TR14-3.1.2-03", section = "3.1.2", kind = "precedence", status = "done",
    text = "A named shape extends the default shape; a member named in both follows the named "
      .. "one." },
  { id = "TR14-3.1.2-04", section = "3.1.2", kind = "precedence", status = "done",
    text = "(forced by Figs. A.1 and A.2) members the named shape does not name: explicit "
      .. "default(...) in the named shape decides; without it they keep what the default shape "
      .. "gave them." },
  { id = "TR14-3.1.2-05", section = "3.1.2", kind = "precedence", status = "done",
    text = "A member named without a section inherits the section (and @) the extended shape "
      .. "gave it." },
  { id = "TR14-3.1.2-06", section = "3.1.2", kind = "precedence", status = "done",
    text = "A named shape extends the default one only, never another named one." },
  { id = "TR14-3.1.2-07", section = "3.1.2", kind = "meaning", status = "done",
    text = "The name applies to the listed objects; members of other types keep their own "
      .. "default shape unless include<s>(member) says otherwise." },
  { id = "TR14-3.1.2-08", section = "3.1.2", kind = "static error", status = "done",
    text = "(by analogy to policies) the type has no such shape (unknown-shape); the object has "
      .. "no struct type (not-a-struct). The document is silent on base classes: a named shape or policy "
      .. "of a base class is one of its derived classes, too, unless these have one of that name; a shape "
      .. "speaks only for the members of that base class, a policy for all of the object." },
  { id = "TR14-3.1.2-09", section = "3.1.2", kind = "precedence", status = "done",
    text = "<> empty, with a nest or alone: extends nothing (3.3-11)." },

  { id = "TR14-3.2.1-01", section = "3.2.1", kind = "syntax", status = "done",
    text = "C/C++ #pragma acc policy(name) clause-list, Fortran !$acc policy(name) clause-list; "
      .. "the name is mandatory (no default policy)." },
  { id = "TR14-3.2.1-02", section = "3.2.1", kind = "syntax", status = "done",
    text = "Clauses: type, use(policy-list), shape(name), exclude(list), data clauses, "
      .. "update(list), default(...), and invoke<p>(members) by 3.2.4." },
  { id = "TR14-3.2.1-03", section = "3.2.1", kind = "syntax", status = "done",
    text = "Data policy default values: none copy copyin copyout create present delete exclude. "
      .. "Update policy default values: none update exclude. Others (clause-not-allowed)." },
  { id = "TR14-3.2.1-04", section = "3.2.1", kind = "meaning", status = "done",
    text = "A policy always builds on a shape: the default shape, or the one in shape(name). "
      .. "Sections come from it when the policy names a member without one." },
  { id = "TR14-3.2.1-05", section = "3.2.1", kind = "precedence", status = "done",
    text = "The policy may turn the shape's choice round: exclude drops an included member, "
      .. "naming an excluded member in a data/update clause includes it." },
  { id = "TR14-3.2.1-06", section = "3.2.1", kind = "meaning", status = "done",
    text = "Used in a data directive it is a data policy, in an update directive an update "
      .. "policy." },
  { id = "TR14-3.2.1-07", section = "3.2.1", kind = "static error", status = "done",
    text = "A data clause in an update policy or update in a data policy (clause-not-allowed). "
      .. "(both kinds of clause in one directive, or default(update) with data clauses, is "
      .. "this error at declaration; a policy with neither kind is neutral.)" },
  { id = "TR14-3.2.1-08", section = "3.2.1", kind = "static error", status = "done",
    text = "Type: same three rules as shapes (3.1.1-05..08)." },
  { id = "TR14-3.2.1-09", section = "3.2.1", kind = "precedence", status = "done",
    text = "use(q,...): q's behaviours apply too; a member's behaviour in the current policy "
      .. "beats any used one. (In this order: the current policy names the member, a used one "
      .. "does, the current default, a used one's default. Where the current policy has a shape "
      .. "clause, its shape says what is included, and a used default gives the direction; "
      .. "without one a used default is over the shape of its own policy.)" },
  { id = "TR14-3.2.1-10", section = "3.2.1", kind = "static error", status = "done",
    text = "At most one shape clause (duplicate-clause); unknown (unknown-shape)." },
  { id = "TR14-3.2.1-11", section = "3.2.1", kind = "meaning", status = "done",
    text = "Exclude in a data policy: not accessible on the device; in an update policy: not "
      .. "updated." },
  { id = "TR14-3.2.1-12", section = "3.2.1", kind = "syntax", status = "done",
    text = "Any data clause may appear." },
  { id = "TR14-3.2.1-13", section = "3.2.1", kind = "precedence", status = "done",
    text = "default(x) applies to members named nowhere in the policy and included by the shape; "
      .. "members the shape excludes stay excluded." },
  { id = "TR14-3.2.1-14", section = "3.2.1", kind = "static error", status = "done",
    text = "At most one default (duplicate-clause)." },
  { id = "TR14-3.2.1-15", section = "3.2.1", kind = "default", status = "done",
    text = "No default = default(none)." },
  { id = "TR14-3.2.1-16", section = "3.2.1", kind = "meaning", status = "done",
    text = "Members may be of any kind: pointers with sections, nested structs (their own "
      .. "default shape is applied with the clause's direction), scalars." },

  { id = "TR14-3.2.2-01", section = "3.2.2", kind = "syntax", status = "done",
    text = "invoke<policy>(var-list) wherever data clauses are allowed; the text lists data, end "
      .. "data, exit data." },
  { id = "TR14-3.2.2-02", section = "3.2.2", kind = "static error", status = "done",
    text = "A variable whose type lacks that policy (unknown-policy) (not-a-struct for scalars)." },
  { id = "TR14-3.2.2-03", section = "3.2.2", kind = "meaning", status = "done",
    text = "invoke implies no direction: the policy gives each member's." },
  { id = "TR14-3.2.2-04", section = "3.2.2", kind = "static error", status = "done",
    text = "A policy name in an ordinary clause's <...> is not a shape (unknown-shape); a shape "
      .. "name in invoke<...> (unknown-policy)." },
  { id = "TR14-3.2.2-05", section = "3.2.2", kind = "meaning", status = "done",
    text = "The object itself is allocated whole if absent, without initialising it beyond "
      .. "attached pointers and the bytes its members' clauses send; presence, counters and "
      .. "attach as for create." },
  { id = "TR14-3.2.2-06", section = "3.2.2", kind = "meaning", status = "done",
    text = "On enter data each member does the entry half of its clause, on exit data the exit "
      .. "half." },
  { id = "TR14-3.2.2-07", section = "3.2.2", kind = "meaning", status = "done",
    text = "Arrays of objects: the policy applies to every element (Figs. A.3, A.5)." },

  { id = "TR14-3.2.3-01", section = "3.2.3", kind = "syntax", status = "done",
    text = "update invoke<policy>(self: list) or (device: list); the direction is required." },
  { id = "TR14-3.2.3-02", section = "3.2.3", kind = "static error", status = "done",
    text = "Allowed on update only; type lacks the policy (unknown-policy); a data policy here "
      .. "(clause-not-allowed)." },
  { id = "TR14-3.2.3-03", section = "3.2.3", kind = "meaning", status = "done",
    text = "Members named in update (or by default(update)) move in that direction; excluded "
      .. "ones do not; attached pointers keep their values (4.1-06)." },

  { id = "TR14-3.2.4-01", section = "3.2.4", kind = "syntax", status = "done",
    text = "invoke<p>(member-shape-list) as a policy clause (also for direct aggregate members: "
      .. "Fig. A.3 name2, update_other)." },
  { id = "TR14-3.2.4-02", section = "3.2.4", kind = "static error", status = "done",
    text = "The member's type lacks p (unknown-policy)." },
  { id = "TR14-3.2.4-03", section = "3.2.4", kind = "meaning", status = "done",
    text = "The member then follows p instead of the outer default; kinds must agree." },

  { id = "TR14-3.3-01", section = "3.3", kind = "syntax", status = "done",
    text = "Data-clause[<[shape]>](list)[::{ nest-clause-list }]." },
  { id = "TR14-3.3-02", section = "3.3", kind = "syntax", status = "done",
    text = "Data-clause here: copy copyin copyout create present delete include self device." },
  { id = "TR14-3.3-03", section = "3.3", kind = "static error", status = "done",
    text = "All variables of a nested clause have the same data type (mixed-types). (compare the "
      .. "element type after sections: X and Y[0:n] agree.)" },
  { id = "TR14-3.3-04", section = "3.3", kind = "meaning", status = "done",
    text = "The nest is a shape for that type, only for this directive and only for the listed "
      .. "variables." },
  { id = "TR14-3.3-05", section = "3.3", kind = "syntax", status = "done",
    text = "Shape nest: include exclude init_needed default(none|include|exclude); no type "
      .. "(clause-not-allowed)." },
  { id = "TR14-3.3-06", section = "3.3", kind = "meaning", status = "done",
    text = "Clauses in the nest apply to members of the associated type." },
  { id = "TR14-3.3-07", section = "3.3", kind = "precedence", status = "done",
    text = "Names in section bounds: first as in a member function of the type of the nearest "
      .. "enclosing nest, then as at the directive. Enclosing nests are not searched (future "
      .. "wish 5-04)." },
  { id = "TR14-3.3-08", section = "3.3", kind = "precedence", status = "done",
    text = "Without <...> the nest extends the type's default shape and overrides members in "
      .. "both." },
  { id = "TR14-3.3-09", section = "3.3", kind = "precedence", status = "done",
    text = "With <name> it extends the named shape (which itself extends the default)." },
  { id = "TR14-3.3-10", section = "3.3", kind = "precedence", status = "done",
    text = "What the nest does not name: as 3.1.2-04." },
  { id = "TR14-3.3-11", section = "3.3", kind = "precedence", status = "done",
    text = "With <> it is a new shape that extends nothing, so sections must be given again. "
      .. "(Shape name and nest may both be left out: copyin<>(X) is a shape that names nothing, "
      .. "a shallow copy; in Fortran too, though components describe themselves. invoke<>(X) "
      .. "without a nest names no policy, and is refused.)" },
  { id = "TR14-3.3-12", section = "3.3", kind = "syntax", status = "done",
    text = "invoke<[policy]>(list)[::{... }]; on update invoke<[policy]>(dir: list)." },
  { id = "TR14-3.3-13", section = "3.3", kind = "syntax", status = "done",
    text = "Policy nest: use shape exclude, data clauses or update, default, and "
      .. "invoke<p>(member); no type." },
  { id = "TR14-3.3-14", section = "3.3", kind = "precedence", status = "done",
    text = "With <p> the nest extends policy p (like use(p) with p's shape and default); with <> "
      .. "it extends no policy but still builds on the type's default shape, as Fig. A.7 says." },
  { id = "TR14-3.3-15", section = "3.3", kind = "syntax", status = "done",
    text = "Nested clauses may have nests themselves when their members are of aggregate type "
      .. "(or pointers to it)." },
  { id = "TR14-3.3-16", section = "3.3", kind = "restriction", status = "done",
    text = "Any non-cyclic structure of fixed depth from one root can be written; depth is "
      .. "bounded by the text." },
  { id = "TR14-3.3-17", section = "3.3", kind = "lowering", status = "done",
    text = "The nest is the common target form: shapes and policies are defined by lowering to "
      .. "it." },

  { id = "TR14-3.4-01", section = "3.4", kind = "lowering", status = "done",
    text = "Pure sugar over nests: nothing it does is impossible without it." },
  { id = "TR14-3.4-02", section = "3.4", kind = "syntax", status = "done",
    text = "Base: a simple scalar variable, or implicit this in a C++ member function. (Any lvalue "
      .. "that names one object is taken, evaluated once. A section, p[0:2].a[0:n], is none: each "
      .. "element has bounds of its own, which a nest can say and the clause cannot; the error "
      .. "prints that nest. tr14x takes it: a member without a section has the bounds of its "
      .. "shape or descriptor, a section that is written holds for all elements.)" },
  { id = "TR14-3.4-03", section = "3.4", kind = "syntax", status = "done",
    text = "C/C++ clause(base.member-shape), Fortran clause(base%member-shape); members may "
      .. "carry sections." },
  { id = "TR14-3.4-04", section = "3.4", kind = "syntax", status = "done",
    text = "A base may appear several times, in several clauses." },
  { id = "TR14-3.4-05", section = "3.4", kind = "lowering", status = "done",
    text = "One member: clause(base.m) becomes invoke<>(base)::{ default(exclude) clause(m) }." },
  { id = "TR14-3.4-06", section = "3.4", kind = "lowering", status = "done",
    text = "All members of one base in the directive are gathered, in any order, into one nest." },
  { id = "TR14-3.4-07", section = "3.4", kind = "lowering", status = "done",
    text = "If the base itself is in a clause, that clause becomes default(clause) of the nest, "
      .. "otherwise default(exclude)." },
  { id = "TR14-3.4-08", section = "3.4", kind = "lowering", status = "done",
    text = "In a member function unqualified member names lower to invoke<>(this[0:1])::{ "
      .. "default(exclude)... }." },
  { id = "TR14-3.4-09", section = "3.4", kind = "lowering", status = "done",
    text = "On update: self(base.m) becomes invoke<>(self: base)::{ default(exclude) update(m) "
      .. "}." },
  { id = "TR14-3.4-10", section = "3.4", kind = "lowering", status = "done",
    text = "Bounds are resolved where they stand, before lowering: copy(X.a[0:n]) means the "
      .. "local n, although the nest spells a[0:n] for X.n." },
  { id = "TR14-3.4-11", section = "3.4", kind = "meaning", status = "done",
    text = "An absent base is allocated whole, and nothing else of it is initialised: after "
      .. "copyin(X.a[0:X.n]) a kernel may not read X.n. OpenACC 2.6+ differs." },
  { id = "TR14-3.4-12", section = "3.4", kind = "meaning", status = "done",
    text = "present(X) copyin(X.a[0:X.n]) is top-down mutable deep copy: X must be there, a is "
      .. "added and attached." },

  { id = "TR14-3.5-01", section = "3.5", kind = "syntax", status = "done",
    text = "C/C++ present(var[@]), present(var[@base]); Fortran present(var(@)), "
      .. "present(var(@base)): brackets literal, base optional." },
  { id = "TR14-3.5-02", section = "3.5", kind = "meaning", status = "done",
    text = "@: the pointee is already on the device: look it up, translate the pointer, move "
      .. "nothing." },
  { id = "TR14-3.5-03", section = "3.5", kind = "meaning", status = "done",
    text = "@ equals present with a minimal extent of one byte." },
  { id = "TR14-3.5-04", section = "3.5", kind = "run-time error", status = "done",
    text = "With an explicit section instead of @, an absent or partly present slice is a "
      .. "run-time error (not-present, partially-present)." },
  { id = "TR14-3.5-05", section = "3.5", kind = "meaning", status = "done",
    text = "[@base]: translated = device(base) + (var - base); var itself need not be present "
      .. "(one past the end, end of storage)." },
  { id = "TR14-3.5-06", section = "3.5", kind = "run-time error", status = "done",
    text = "Base's target must be present (by this directive or before) (not-present)." },
  { id = "TR14-3.5-07", section = "3.5", kind = "syntax", status = "done",
    text = "ptrs[0:10][@]: in clauses other than present, @ may follow explicit dimensions: "
      .. "those get the clause's meaning, the aliased one gets present. ([@base] too.)" },
  { id = "TR14-3.5-08", section = "3.5", kind = "meaning", status = "done",
    text = "Each of the ten pointers is looked up and translated on its own; targets may lie "
      .. "anywhere in present objects." },
  { id = "TR14-3.5-09", section = "3.5", kind = "meaning", status = "done",
    text = "copyin(ptrs[0:10][0:1]) on pointers into a present array: same result, by "
      .. "containment (4.2-06)." },
  { id = "TR14-3.5-10", section = "3.5", kind = "static error", status = "done",
    text = "copyin(p[@]) on a variable without an explicit dimension (clause-not-allowed); on a "
      .. "member it is allowed under any clause, because the slot lies in a mapped object "
      .. "(Fig. A.2 include(end[@base]))." },
  { id = "TR14-3.5-11", section = "3.5", kind = "meaning", status = "done",
    text = "Alias pointers are attached (counted, detached at exit) like any other; update never "
      .. "moves them or their targets." },
  { id = "TR14-3.5-12", section = "3.5", kind = "meaning", status = "done",
    text = "A base in [@base] is resolved like a bound: nearest nest's members, then the "
      .. "directive's place; alias chains are resolved to the non-alias base; a cycle "
      .. "(invalid-section)." },

  { id = "TR14-4.1-01", section = "4.1", kind = "meaning", status = "done",
    text = "Attach: set a device pointer to the device copy of its target. Detach: restore the "
      .. "state before the attach." },
  { id = "TR14-4.1-02", section = "4.1", kind = "meaning", status = "done",
    text = "Attach happens among objects of the current directive and with objects present "
      .. "before." },
  { id = "TR14-4.1-03", section = "4.1", kind = "meaning", status = "done",
    text = "Detach precedes the removal of an object (pointee or holder)." },
  { id = "TR14-4.1-04", section = "4.1", kind = "meaning", status = "done",
    text = "Every attach is followed by a detach; attachments are reference-counted in a table "
      .. "like the present table." },
  { id = "TR14-4.1-05", section = "4.1", kind = "meaning", status = "done",
    text = "No device pointer value reaches host memory by any copy-out." },
  { id = "TR14-4.1-06", section = "4.1", kind = "meaning", status = "done",
    text = "update of an object with attached pointers keeps both sides' pointer values." },
  { id = "TR14-4.1-07", section = "4.1", kind = "choice", status = "done",
    text = "Two ways: split the transfer around the pointers, or transfer and reverse-translate; "
      .. "free choice per update. Knob update = \"split\"|\"reverse\": same bytes afterwards, "
      .. "different moves." },
  { id = "TR14-4.1-08", section = "4.1", kind = "restriction", status = "done",
    text = "Reverse translation needs the pointer unchanged on both sides; changing translated "
      .. "pointers in a region is prohibited (pointer-changed)." },

  { id = "TR14-4.2-01", section = "4.2", kind = "meaning", status = "done",
    text = "Clause order on a directive has no effect; without aliasing any order is legal, with "
      .. "it the implementation must find one that resolves all aliases." },
  { id = "TR14-4.2-02", section = "4.2", kind = "meaning", status = "done",
    text = "Step 1: all clauses, including those deep copy generates, form one set before "
      .. "anything is done." },
  { id = "TR14-4.2-03", section = "4.2", kind = "run-time error", status = "done",
    text = "Step 2: any object of the set that is partly present before the directive (fatal) "
      .. "partially-present. (A present piece inside a larger absent object counts: the larger "
      .. "is partly present.)" },
  { id = "TR14-4.2-04", section = "4.2", kind = "meaning", status = "done",
    text = "Step 2: objects wholly present are used as they are." },
  { id = "TR14-4.2-05", section = "4.2", kind = "run-time error", status = "done",
    text = "Step 3a: two non-present objects overlap without containment (fatal) "
      .. "partial-overlap." },
  { id = "TR14-4.2-06", section = "4.2", kind = "meaning", status = "done",
    text = "Step 3b: allocate; a contained object gets no allocation of its own." },
  { id = "TR14-4.2-07", section = "4.2", kind = "meaning", status = "done",
    text = "Step 3c: move data; same-direction moves of the same or adjacent bytes may be "
      .. "merged. (each clause asks for its own bytes; the union is moved, each byte once: "
      .. "create(a[0:20]) copyin(a[0:5]) sends 5 elements.)" },
  { id = "TR14-4.2-08", section = "4.2", kind = "meaning", status = "done",
    text = "Step 4: reference counts go up for all clauses: an object named by three clauses has "
      .. "count 3." },
  { id = "TR14-4.2-09", section = "4.2", kind = "run-time error", status = "done",
    text = "A present object found neither before nor in the set (not-present)." },
  { id = "TR14-4.2-10", section = "4.2", kind = "meaning", status = "done",
    text = "Attach after all allocations and moves; pointees of any clause are targets." },
  { id = "TR14-4.2-11", section = "4.2", kind = "meaning", status = "done",
    text = "exit mirrors entry: detach, take off every clause's reference, then move what was "
      .. "asked for objects that reached zero, then free. Counting per clause in text order "
      .. "would lose a copy-out." },

  { id = "TR14-4.3-01", section = "4.3", kind = "meaning", status = "done",
    text = "Bottom-up mutable copy needs only a present check of the pointee." },
  { id = "TR14-4.3-02", section = "4.3", kind = "meaning", status = "done",
    text = "Top-down needs to know, per member, whether it is present and attached: a member "
      .. "excluded in an outer region may become included in an inner one." },
  { id = "TR14-4.3-03", section = "4.3", kind = "choice", status = "done",
    text = "Three ways: (1) present-table entries for included/excluded members, direct or not; "
      .. "(2) only indirect members, by pointee presence and an attach entry private to the "
      .. "object; (3) only members marked dynamic/mutable in the shape. We take (2)." },
  { id = "TR14-4.3-04", section = "4.3", kind = "restriction", status = "done",
    text = "The structure may not change in a region: neither the pointers nor values that shape "
      .. "something (n of copy(x[0:n])). (bounds are those of the entry; at the exit a warning, bounds-changed, "
      .. "where a shape's or a policy's are others then.)" },
  { id = "TR14-4.3-05", section = "4.3", kind = "restriction", status = "done",
    text = "No object may be moved or deleted at the end that was not created at a start; none "
      .. "updated that was not created (not-present)." },
  { id = "TR14-4.3-06", section = "4.3", kind = "restriction", status = "done",
    text = "No device-side allocation or freeing of mirrored objects." },
  { id = "TR14-4.3-07", section = "4.3", kind = "restriction", status = "done",
    text = "Containers are not resized in a region; between regions they may be. Reserving ahead "
      .. "works if the reserved range is moved, but then the end pointer changes on the device "
      .. "(needs 4.3-04 relaxed)." },
  { id = "TR14-4.3-08", section = "4.3", kind = "restriction", status = "done",
    text = "Clauses of a shape or policy apply unconditionally." },
  { id = "TR14-4.3-09", section = "4.3", kind = "meaning", status = "done",
    text = "Transferring a C++ object calls no constructor, destructor or operator; host and "
      .. "device copies are one logical object." },
  { id = "TR14-4.3-10", section = "4.3", kind = "meaning", status = "done",
    text = "A pointer in a union is shaped like one in a struct; validity is the programmer's "
      .. "matter." },
  { id = "TR14-4.3-11", section = "4.3", kind = "meaning", status = "done",
    text = "Unstructured regions: enter and exit may describe different shapes, then traversal "
      .. "and translation differ." },
  { id = "TR14-4.3-12", section = "4.3", kind = "choice", status = "done",
    text = "Shallow copyout/delete after deep copyin: the attach table shows attached pointers "
      .. "in the object: detach them, optionally free sub-objects whose count falls to zero; "
      .. "report still-attached when not." },
  { id = "TR14-4.3-13", section = "4.3", kind = "choice", status = "done",
    text = "Deep copyout after shallow copyin: error that the object is not attached "
      .. "(not-attached)." },
  { id = "TR14-4.3-14", section = "4.3", kind = "meaning", status = "done",
    text = "A section whose size computes to 0 makes its clause not apply: no presence, no "
      .. "attach (workaround for conditional clauses and unions)." },
  { id = "TR14-4.3-15", section = "4.3", kind = "choice", status = "done",
    text = "Untranslated pointers: left as host values, or set to null (debugging aid and "
      .. "presence test; grows the table; differs on unified memory). Using one is undefined; "
      .. "debug options may help. Knob untranslated = \"host\"|\"null\"|\"poison\"." },
  { id = "TR14-4.3-16", section = "4.3", kind = "meaning", status = "done",
    text = "Templates: directives work on template types, inside and outside; a class type "
      .. "argument brings its default shape; a raw pointer argument (vector<int*>) cannot be "
      .. "shaped." },
  { id = "TR14-4.3-17", section = "4.3", kind = "restriction", status = "done",
    text = "Polymorphic objects are unsupported (size unknown). (the static type is used, with a "
      .. "warning; the virtual-table pointer is an untranslated pointer, 4.3-15.)" },
  { id = "TR14-4.3-18", section = "4.3", kind = "restriction", status = "done",
    text = "Recursive structures are not permitted." },
  { id = "TR14-4.3-19", section = "4.3", kind = "choice", status = "done",
    text = "Asynchronous deep copy may synchronise." },
  { id = "TR14-4.3-20", section = "4.3", kind = "choice", status = "done",
    text = "Many small objects: aggregate allocation and transfer are allowed, by user or "
      .. "implementation." },
  { id = "TR14-4.3-21", section = "4.3", kind = "background", status = "done",
    text = "Cost of the tables must scale with objects, not clauses." },
  { id = "TR14-4.3-22", section = "4.3", kind = "meaning", status = "done",
    text = "Null-setting of untranslated pointers is visible only on discrete memory." },

  { id = "TR14-5-01", section = "5", kind = "future", status = "done",
    text = "Value parameters of policies, with default values, usable in bounds (a nested struct "
      .. "shaped by a member of the outer one, or by a local)." },
  { id = "TR14-5-02", section = "5", kind = "future", status = "done",
    text = "Policy parameters (a vector's policy takes the element's policy)." },
  { id = "TR14-5-03", section = "5", kind = "future", status = "done",
    text = "Parameters through array syntax on a container: copy(a[0:n]) with std::vector<float> "
      .. "a." },
  { id = "TR14-5-04", section = "5", kind = "future", status = "done",
    text = "Bounds in one nest may use members of enclosing nests (lookup: nearest nest, outer "
      .. "nests, directive). Only here, not in tr14." },
  { id = "TR14-5-05", section = "5", kind = "future", status = "done",
    text = "Nests inside policy (and shape) definitions. In tr14: R (syntax)." },
  { id = "TR14-5-06", section = "5", kind = "future", status = "done",
    text = "Array parameters (true ragged arrays)." },
  { id = "TR14-5-07", section = "5", kind = "future", status = "done",
    text = "Selective direction on direct members." },
  { id = "TR14-5-08", section = "5", kind = "future", status = "done",
    text = "Other inheritance, e.g. inherit but no copyout." },
  { id = "TR14-5-09", section = "5", kind = "future", status = "done",
    text = "Default policies by direction (a copyin policy, a copyout policy)." },
  { id = "TR14-5-10", section = "5", kind = "future", status = "done",
    text = "Recursive types and policies (list, map)." },

  { id = "TR14-A.1-01", section = "A.1", kind = "figure", status = "done",
    text = "Default init_needed(n) include(a[0:n],b[0:n],c[0:n]): data copy(X) deep-copies four "
      .. "objects and attaches three pointers." },
  { id = "TR14-A.1-02", section = "A.1", kind = "figure", status = "done",
    text = "data create(X): a, b, c allocated and uninitialised, n sent, pointers attached." },
  { id = "TR14-A.1-03", section = "A.1", kind = "figure", status = "done",
    text = "data copyout<part_a>(X) (exclude(b,c)): n in and out, a allocated uninitialised, out "
      .. "at the end; b and c untouched." },
  { id = "TR14-A.1-04", section = "A.1", kind = "figure", status = "done",
    text = "update self(X) fetches n, a, b, c data; pointers kept." },
  { id = "TR14-A.1-05", section = "A.1", kind = "figure", status = "done",
    text = "update self<only_b>(X) is the same as update self(X.b[0:X.n]): the same single d2h "
      .. "of n elements." },
  { id = "TR14-A.1-06", section = "A.1", kind = "figure", status = "done",
    text = "data copy(Y[0:size]): per-element n." },
  { id = "TR14-A.1-07", section = "A.1", kind = "figure", status = "done",
    text = "update self<only_b>(Y[0:size]) is the same as a host loop of update "
      .. "self(Y[i].b[0:Y[i].n]) (same bytes, more directives)." },

  { id = "TR14-A.2-01", section = "A.2", kind = "figure", status = "done",
    text = "Template vector: include(base[0:size()], end[@base], reserved[@base]); copy, create "
      .. "and update are all deep; base once, three attaches." },
  { id = "TR14-A.2-02", section = "A.2", kind = "figure", status = "done",
    text = "Data without own shape: both vectors deep by their default shape; shape(only_d1) "
      .. "exclude(d2) drops d2." },
  { id = "TR14-A.2-03", section = "A.2", kind = "figure", status = "done",
    text = "Stuff: default(include) exclude(raw); shapes data1, data2 exclude the other member; "
      .. "shape names equal to member names." },
  { id = "TR14-A.2-04", section = "A.2", kind = "figure", status = "done",
    text = "copy<small>(s), small = include<only_d1>(data1,data2): moves direct[100], data1.d1, "
      .. "data2.d1; not raw, data1.d2, data2.d2 (so the default shape's exclude(raw) "
      .. "survives)." },

  { id = "TR14-A.3-01", section = "A.3", kind = "figure", status = "done",
    text = "policy(calc_a) default(copyin) copyout(a): n, b, c in; a out." },
  { id = "TR14-A.3-02", section = "A.3", kind = "figure", status = "done",
    text = "policy(move_a_to_c) default(copyin) copyout(c) exclude(b)." },
  { id = "TR14-A.3-03", section = "A.3", kind = "figure", status = "done",
    text = "policy(update_b) default(exclude) update(b); update invoke<update_b>(device: X) and "
      .. "(device: array_X[0:size])." },
  { id = "TR14-A.3-04", section = "A.3", kind = "figure", status = "done",
    text = "Name1: default(create) copyin(data) with exclude(raw) in the default shape: v1..v3 "
      .. "created deep, data in, raw excluded." },
  { id = "TR14-A.3-05", section = "A.3", kind = "figure", status = "done",
    text = "Name2: default(copyin) invoke<calc_a>(data)." },
  { id = "TR14-A.3-06", section = "A.3", kind = "figure", status = "done",
    text = "Name3: shape(only_vs) default(none) copyin(v2,v3) copy(v1): raw and data excluded by "
      .. "the shapes, all included members named." },
  { id = "TR14-A.3-07", section = "A.3", kind = "figure", status = "done",
    text = "update_stuff default(exclude) update(v1,v2,data); update_other update(v2) "
      .. "invoke<update_b>(data)." },

  { id = "TR14-A.4-01", section = "A.4", kind = "figure", status = "done",
    text = "Fortran: copy(X) is full deep copy of three allocatables with no shape; "
      .. "copyin<not_c>(X) leaves C out." },
  { id = "TR14-A.4-02", section = "A.4", kind = "figure", status = "done",
    text = "CompoundType: exclude(raw) include<not_c>(d1); d1 an allocatable array of a derived "
      .. "type, raw an allocatable scalar." },

  { id = "TR14-A.5-01", section = "A.5", kind = "figure", status = "done",
    text = "Fortran policy, invoke<calc_a>(X) and on a whole rank-2 allocatable array." },

  { id = "TR14-A.6-01", section = "A.6", kind = "figure", status = "done",
    text = "A.1 with local nests; the five pairs must give the events of A.1." },

  { id = "TR14-A.7-01", section = "A.7", kind = "figure", status = "done",
    text = "A.3 with invoke<>(...)::{...}; shape from the default shape." },

  { id = "TR14-A.8-01", section = "A.8", kind = "figure", status = "done",
    text = "copy(X.a[0:X.n]) is the same as invoke<>(X)::{ default(exclude) copy(a[0:n]) }." },
  { id = "TR14-A.8-02", section = "A.8", kind = "figure", status = "done",
    text = "copyin(X.a.., X.b..) copyout(X.c..) is the same as one nest with both clauses." },
  { id = "TR14-A.8-03", section = "A.8", kind = "figure", status = "done",
    text = "copy(X, X.a.., X.b.., X.c..) is the same as default(copy) copy(a,b,c)." },
  { id = "TR14-A.8-04", section = "A.8", kind = "figure", status = "done",
    text = "In a member function copyin(a[0:n], b[0:n]) is the same as invoke<>(this[0:1])::{ "
      .. "default(exclude) copyin(...) }." },
  { id = "TR14-A.8-05", section = "A.8", kind = "figure", status = "done",
    text = "Access control (private members) does not bind directives (A.8 uses private members "
      .. "from outside)." },
}
