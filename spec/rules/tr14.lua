-- tr14.lua - rules of OpenACC TR-14-1, "Complex Data Management in OpenACC Programs" (2014).
--
-- One entry a rule, in the order of the document, in our own words. title is the subject of the rule. A code in
-- parentheses is the error that reports a violation. status is "done" once conformance scenarios show both what
-- the rule accepts and what it rejects, until then "open".
return {
  { id = "TR14-1.1-01", section = "1.1", kind = "background", status = "done",
    title = "Flat data",
    text = "Data without pointers are called flat or pure. They mean the same on both sides and move as "
      .. "one contiguous block." },
  { id = "TR14-1.1-02", section = "1.1", kind = "meaning", status = "done",
    title = "Dereference on one side",
    text = "A pointer may be dereferenced only on the side whose memory it points to." },
  { id = "TR14-1.1-03", section = "1.1", kind = "meaning", status = "done",
    title = "Shallow copy",
    text = "A shallow copy moves the bytes of the object itself. Its pointers still point to the old side "
      .. "(Fig. 1.1a)." },
  { id = "TR14-1.1-04", section = "1.1", kind = "meaning", status = "done",
    title = "Deep copy",
    text = "A deep copy follows the pointer members. It moves every disjoint object that is described, and "
      .. "translates the pointers (Fig. 1.1b)." },
  { id = "TR14-1.1-05", section = "1.1", kind = "meaning", status = "done",
    title = "Self-describing components of Fortran",
    text = "Allocatable and pointer components of Fortran describe themselves, so a deep copy needs no "
      .. "section. A pointer of C or C++ needs one." },
  { id = "TR14-1.1-06", section = "1.1", kind = "meaning", status = "done",
    title = "Members as uses of *this",
    text = "In a C++ member function, a reference to any member is a use of *this. The implicit data "
      .. "clause is about the whole object, and a pointer member then needs deep copy." },
  { id = "TR14-1.1-07", section = "1.1", kind = "meaning", status = "done",
    title = "Direct and indirect members",
    text = "A direct member lies in the bytes of the object: a scalar, a static array, a nested struct, or "
      .. "a pointer or descriptor itself. An indirect member is reached through a direct one, as a pointee "
      .. "or the data of an allocatable. Every indirect member has one direct member that gives access to "
      .. "it." },
  { id = "TR14-1.1-08", section = "1.1", kind = "meaning", status = "done",
    title = "Movement of direct and indirect members",
    text = "Direct members move with their object. Indirect members move only with a deep copy." },
  { id = "TR14-1.1-09", section = "1.1", kind = "choice", status = "untestable",
    title = "Pointers on shared memory",
    text = "On shared memory, host pointers and device pointers are equivalent. Data may still move for "
      .. "locality.",
    why = "the simulated device has memory of its own; there is none that shares the host's" },

  { id = "TR14-1.2-01", section = "1.2", kind = "meaning", status = "done",
    title = "Reachability from a base object",
    text = "Every sub-object on the device is reachable from one base object through a chain of parents." },
  { id = "TR14-1.2-02", section = "1.2", kind = "meaning", status = "done",
    title = "Whole objects with one layout",
    text = "Objects are mapped as a whole. Their layout is the same on both sides." },
  { id = "TR14-1.2-03", section = "1.2", kind = "meaning", status = "done",
    title = "Shapes alone move nothing",
    text = "A member shape alone allocates and moves nothing. A data clause does." },
  { id = "TR14-1.2-04", section = "1.2", kind = "meaning", status = "done",
    title = "Scope of shapes and nests",
    text = "Member shapes are global properties of their type. Nests are local definitions (section 3)." },
  { id = "TR14-1.2-05", section = "1.2", kind = "meaning", status = "done",
    title = "Full deep copy",
    text = "A full deep copy duplicates all reachable objects that are described, and all pointer "
      .. "relations among them." },
  { id = "TR14-1.2-06", section = "1.2", kind = "meaning", status = "done",
    title = "Deep create",
    text = "A deep create allocates all objects and initialises no data. It must initialise the pointers, "
      .. "so it transfers something, which a shallow create does not." },
  { id = "TR14-1.2-07", section = "1.2", kind = "meaning", status = "done",
    title = "Deep delete, update, copyin and copyout",
    text = "A deep delete frees all objects, and a deep update updates all of them. A deep copyin or "
      .. "copyout is a deep create with deep updates; at the end a deep delete may follow." },
  { id = "TR14-1.2-08", section = "1.2", kind = "choice", status = "done",
    title = "Shallow and deep present",
    text = "present may check the top object only, or every object. With the shallow check, the rest is "
      .. "the programmer's responsibility. The knob is present = \"shallow\" or \"deep\"." },
  { id = "TR14-1.2-09", section = "1.2", kind = "meaning", status = "done",
    title = "Pointers between present objects",
    text = "Presence is not enough: the pointers between the objects must be set up, too. For present, the "
      .. "document leaves open whether the programmer or the implementation does this." },
  { id = "TR14-1.2-10", section = "1.2", kind = "meaning", status = "done",
    title = "Pointer of an excluded member",
    text = "The pointer of an excluded member is not followed. It stays invalid on the device (Fig. 1.3). "
      .. "Using it is an error of the program, like a read out of bounds (excluded-member)." },
  { id = "TR14-1.2-11", section = "1.2", kind = "meaning", status = "done",
    title = "Exclusion by context",
    text = "A member that is excluded in one context may be included in another. The included part must "
      .. "still be connected (TR14-1.2-01)." },
  { id = "TR14-1.2-12", section = "1.2", kind = "meaning", status = "done",
    title = "Selective direction",
    text = "Selective direction begins with a deep create that sets the pointers and leaves all data "
      .. "uninitialised (Fig. 1.4). Parts with copyin are sent, and parts with copyout are fetched at the "
      .. "end. Parents stay uninitialised apart from their active pointers." },
  { id = "TR14-1.2-13", section = "1.2", kind = "choice", status = "done",
    title = "Merged steps of entry and exit",
    text = "The steps of the entry may be merged, and so may those of the exit. The observable state stays "
      .. "the same." },
  { id = "TR14-1.2-14", section = "1.2", kind = "meaning", status = "done",
    title = "Plain copy instead of selective direction",
    text = "A plain copy of everything gives the same host results as any selective direction. It only "
      .. "moves more data." },
  { id = "TR14-1.2-15", section = "1.2", kind = "meaning", status = "done",
    title = "Selective direction as create and update",
    text = "Selective direction equals a deep create with separate update directives." },
  { id = "TR14-1.2-16", section = "1.2", kind = "meaning", status = "done",
    title = "Unconditional update",
    text = "An update is unconditional: it moves data even when a present_or create did nothing." },
  { id = "TR14-1.2-17", section = "1.2", kind = "restriction", status = "done",
    title = "Fixed composition on the device",
    text = "Without mutable deep copy, the composition of a structure is fixed while the structure is on "
      .. "the device." },
  { id = "TR14-1.2-18", section = "1.2", kind = "meaning", status = "done",
    title = "Mutable deep copy",
    text = "With mutable deep copy, objects may be attached and detached independently of their allocation "
      .. "and transfer." },
  { id = "TR14-1.2-19", section = "1.2", kind = "meaning", status = "done",
    title = "Top-down construction",
    text = "Top-down construction begins with a base and one sub-object (Fig. 1.5). Another sub-object is "
      .. "then attached to the present parent. When it is detached again, the base and the first "
      .. "sub-object stay." },
  { id = "TR14-1.2-20", section = "1.2", kind = "meaning", status = "done",
    title = "Bottom-up construction",
    text = "Bottom-up construction begins with the leaves (Fig. 1.6). Middle objects attach to present "
      .. "leaves. The base then attaches to present middle objects." },

  { id = "TR14-1.3-01", section = "1.3", kind = "meaning", status = "done",
    title = "Layout with excluded direct members",
    text = "Excluding a direct member changes neither offsets nor the allocated size." },
  { id = "TR14-1.3-02", section = "1.3", kind = "meaning", status = "done",
    title = "Pointer slot of excluded indirect members",
    text = "The pointer slot of an excluded indirect member still exists. The pointer may be read but not "
      .. "dereferenced." },
  { id = "TR14-1.3-03", section = "1.3", kind = "restriction", status = "done",
    title = "Layout changes on the device",
    text = "Changing the layout on the device is out of scope. There is no syntax for it." },
  { id = "TR14-1.3-04", section = "1.3", kind = "choice", status = "done",
    title = "Partial transfer of a full allocation",
    text = "An object may be allocated in full and transferred only in part. This saves traffic, but no "
      .. "memory." },

  { id = "TR14-1.4-01", section = "1.4", kind = "background", status = "untestable",
    title = "Unified memory",
    text = "With unified memory, the same directives stay legal. They may do nothing or relocate data. "
      .. "Values must not change, except as TR14-4.3-22 says.",
    why = "the simulated device has memory of its own; there is none that shares the host's" },

  { id = "TR14-2.1-01", section = "2.1", kind = "background", status = "done",
    title = "Sources of pointer extents",
    text = "A survey of users shows where pointer extents come from: sibling members (60 %), functions (35 "
      .. "%) and globals (25 %). All three must work in the bounds of sections." },

  { id = "TR14-2.2-01", section = "2.2", kind = "figure", status = "done",
    title = "Type t_nh_state of ICON",
    text = "The type t_nh_state of ICON has a shallow size of about 19 KB. Its member metrics has about 84 "
      .. "pointer members, and diag about 86. Only the eight paths of Fig. 2.7 are wanted." },
  { id = "TR14-2.2-02", section = "2.2", kind = "figure", status = "done",
    title = "Array of structures in an array",
    text = "p_nh_state(:)%prog(:)%vn(:,:,:) is an array of structures inside an array of structures (1 KB "
      .. "each)." },
  { id = "TR14-2.2-03", section = "2.2", kind = "meaning", status = "done",
    title = "Convenience pointers",
    text = "Convenience pointers alias other members. They must be resolved after the members that they "
      .. "point to; section 4.2 does this automatically." },
  { id = "TR14-2.2-04", section = "2.2", kind = "figure", status = "done",
    title = "Linked lists that are left out",
    text = "Linked lists inside the type are left out by exclude. A recursive type is not an error as long as "
      .. "the recursion is not followed." },

  { id = "TR14-2.3-01", section = "2.3", kind = "meaning", status = "done",
    title = "Pointers of std::vector",
    text = "The three pointers of std::vector point into one block. The block moves once, and all three "
      .. "pointers are translated." },
  { id = "TR14-2.3-02", section = "2.3", kind = "meaning", status = "done",
    title = "Pointers past the end",
    text = "The end pointer and the end-of-storage pointer lie outside the block. They are still "
      .. "translated correctly." },
  { id = "TR14-2.3-03", section = "2.3", kind = "choice", status = "done",
    title = "Valid or reserved elements",
    text = "Either the valid or the reserved elements may be moved. The document calls the reserved ones a "
      .. "reasonable default. Fig. A.2 moves the valid ones with size()." },
  { id = "TR14-2.3-04", section = "2.3", kind = "meaning", status = "done",
    title = "Template elements that need deep copy",
    text = "The element type of a template may need deep copy itself. Its own default shape then applies "
      .. "to each element." },
  { id = "TR14-2.3-05", section = "2.3", kind = "meaning", status = "done",
    title = "Library types described from outside",
    text = "A library type in a read-only header is described from outside with type(T)." },
  { id = "TR14-2.3-06", section = "2.3", kind = "restriction", status = "done",
    title = "Reallocation of mapped blocks",
    text = "Reallocating a mapped block is not supported on either side, so a vector may not grow while it "
      .. "is mapped. Containers that are local to the device may." },

  { id = "TR14-3-01", section = "3", kind = "background", status = "done",
    title = "Layers of directives",
    text = "The directives have four layers. A shape selects members in full or in part; a policy adds the "
      .. "direction. A nest is the local, canonical form. Convenience syntax is short for nests." },

  { id = "TR14-3.1.1-01", section = "3.1.1", kind = "syntax", status = "done",
    title = "Shape directive in C and C++",
    text = "In C and C++ the directive is #pragma acc shape[(name)] clause-list. The list has one or more "
      .. "clauses." },
  { id = "TR14-3.1.1-02", section = "3.1.1", kind = "syntax", status = "done",
    title = "Shape directive in Fortran",
    text = "In Fortran the directive is !$acc shape[(name)] clause-list. Names are case-insensitive." },
  { id = "TR14-3.1.1-03", section = "3.1.1", kind = "syntax", status = "done",
    title = "Clauses of a shape",
    text = "The clauses are type(T), include(list), exclude(list), init_needed(list) and "
      .. "default(none|include|exclude). They may appear in any order. include, exclude and init_needed "
      .. "may be repeated." },
  { id = "TR14-3.1.1-04", section = "3.1.1", kind = "syntax", status = "done",
    title = "Member-shapes",
    text = "A member-shape is a member name with zero or more sections. The last section may be [@] or "
      .. "[@base] (section 3.5). Inherited members and members of anonymous structs count as members." },
  { id = "TR14-3.1.1-05", section = "3.1.1", kind = "default", status = "done",
    title = "Shape inside a type",
    text = "Inside a type declaration, a shape is about the nearest enclosing type. The type clause is "
      .. "optional there." },
  { id = "TR14-3.1.1-06", section = "3.1.1", kind = "static error", status = "done",
    title = "type clause inside a type",
    text = "Inside a type, type(T) must name the nearest enclosing type or a type declared inside it." },
  { id = "TR14-3.1.1-07", section = "3.1.1", kind = "static error", status = "done",
    title = "type clause outside a type",
    text = "Outside a type, the clause type(T) is required (missing-type). T must be a known struct, "
      .. "class, union or derived type (unknown-type, not-a-struct)." },
  { id = "TR14-3.1.1-08", section = "3.1.1", kind = "static error", status = "done",
    title = "Second type clause of a shape",
    text = "A second type clause is an error (duplicate-clause)." },
  { id = "TR14-3.1.1-09", section = "3.1.1", kind = "meaning", status = "done",
    title = "Default shape",
    text = "A shape without a name is the default shape of its type." },
  { id = "TR14-3.1.1-10", section = "3.1.1", kind = "static error", status = "done",
    title = "Duplicate shapes",
    text = "A second default shape for one type is an error (duplicate-default-shape). So is a second "
      .. "shape of the same name for one type (duplicate-name). Shapes of different types may have equal "
      .. "names, and a shape's name may equal that of a member (Fig. A.2). Shapes and policies have "
      .. "separate name spaces." },
  { id = "TR14-3.1.1-11", section = "3.1.1", kind = "default", status = "done",
    title = "Type without a default shape",
    text = "A type without a default shape behaves as if it had shape default(include)." },
  { id = "TR14-3.1.1-12", section = "3.1.1", kind = "meaning", status = "done",
    title = "Objects that use the shape of their type",
    text = "When an object appears in a data or update clause, the shape of its type decides. This holds "
      .. "for variables, array elements, nested direct members and pointees of shaped pointers alike." },
  { id = "TR14-3.1.1-13", section = "3.1.1", kind = "meaning", status = "done",
    title = "Included members",
    text = "An included member becomes available under the data clause of the object that contains it. "
      .. "This holds recursively." },
  { id = "TR14-3.1.1-14", section = "3.1.1", kind = "meaning", status = "done",
    title = "Excluded members",
    text = "An excluded member is not available. The document does not specify what happens when the "
      .. "device touches it; the simulated device reports an error (excluded-member)." },
  { id = "TR14-3.1.1-15", section = "3.1.1", kind = "meaning", status = "done",
    title = "Shapes under update",
    text = "An update clause updates included members but not excluded ones." },
  { id = "TR14-3.1.1-16", section = "3.1.1", kind = "default", status = "done",
    title = "Pointer included without a section",
    text = "A C pointer member that is included without a section is copied as bits and not followed "
      .. "(comment in Fig. A.1)." },
  { id = "TR14-3.1.1-17", section = "3.1.1", kind = "meaning", status = "done",
    title = "init_needed clause",
    text = "init_needed(m) includes m and initialises it: create acts as copyin for m, and copyout as "
      .. "copy. Under other clauses m is a plain included member. The clause may also come from a policy "
      .. "(section 3.2.1), from a nest after invoke, or from create(X.m). The shape says what an object "
      .. "needs to make sense; the policy says in which direction data move." },
  { id = "TR14-3.1.1-18", section = "3.1.1", kind = "default", status = "done",
    title = "Shape without a default clause",
    text = "Without a default clause, default(include) applies to members that no clause names. "
      .. "TR14-3.1.2-04 says what holds for a shape that extends another one." },
  { id = "TR14-3.1.1-19", section = "3.1.1", kind = "meaning", status = "done",
    title = "default(exclude) and default(none)",
    text = "With default(exclude), members that no clause names are excluded. With default(none), a member "
      .. "that no clause names is an error (default-none)." },
  { id = "TR14-3.1.1-20", section = "3.1.1", kind = "static error", status = "done",
    title = "Second default clause; member named twice",
    text = "A second default clause is an error (duplicate-clause); the document says so only for "
      .. "policies. A member that is named twice, in one clause or in two, is an error (duplicate-member)." },
  { id = "TR14-3.1.1-21", section = "3.1.1", kind = "meaning", status = "done",
    title = "Names and evaluation of bounds",
    text = "The bounds of a section may use sibling members, member functions and names visible at the "
      .. "declaration. They are evaluated on the host, for each object, at the directive that uses the "
      .. "shape. So n may differ from element to element of an array. Types and values are those of the "
      .. "language; what C leaves undefined is an error (invalid-section). A function is called once for each "
      .. "element, and only where the language calls it: not in the arm of ?: that is not taken." },
  { id = "TR14-3.1.1-22", section = "3.1.1", kind = "static error", status = "done",
    title = "Sections and shapes on other types",
    text = "A section on a member that is neither a pointer nor an array is an error (not-a-pointer). So "
      .. "is a shape on a scalar type (not-a-struct)." },
  { id = "TR14-3.1.1-23", section = "3.1.1", kind = "run-time error", status = "done",
    title = "Negative and zero lengths",
    text = "A negative length is an error, and so are bounds that overflow (invalid-section). With length "
      .. "0 the clause does not apply to this object (TR14-4.3-14)." },

  { id = "TR14-3.1.2-01", section = "3.1.2", kind = "meaning", status = "done",
    title = "Named shapes on request",
    text = "A named shape is used only where a clause asks for it." },
  { id = "TR14-3.1.2-02", section = "3.1.2", kind = "syntax", status = "done",
    title = "Clauses that name a shape",
    text = "clause<name>(list) names a shape. The clause is any data clause, a clause of update (self, "
      .. "device, host), include or init_needed." },
  { id = "TR14-3.1.2-03", section = "3.1.2", kind = "precedence", status = "done",
    title = "Named shape over the default shape",
    text = "A named shape extends the default shape. A member that both name follows the named shape." },
  { id = "TR14-3.1.2-04", section = "3.1.2", kind = "precedence", status = "done",
    title = "Members that a named shape does not name",
    text = "Figs. A.1 and A.2 decide about members that a named shape does not name. An explicit default "
      .. "clause of the named shape applies to them. Without one, they keep what the default shape gives "
      .. "them." },
  { id = "TR14-3.1.2-05", section = "3.1.2", kind = "precedence", status = "done",
    title = "Inherited sections",
    text = "A member named without a section inherits the section, or the @, of the extended shape." },
  { id = "TR14-3.1.2-06", section = "3.1.2", kind = "precedence", status = "done",
    title = "Named shapes extend no named shape",
    text = "A named shape extends only the default shape, never another named one." },
  { id = "TR14-3.1.2-07", section = "3.1.2", kind = "meaning", status = "done",
    title = "Objects that a shape name applies to",
    text = "The name applies to the listed objects. Members of other types keep their own default shape, "
      .. "unless include<s>(member) says otherwise." },
  { id = "TR14-3.1.2-08", section = "3.1.2", kind = "static error", status = "done",
    title = "Unknown shapes; shapes of base classes",
    text = "A shape that the type does not have is an error (unknown-shape). So is a shape for an object "
      .. "without a struct type (not-a-struct). Both follow from what the document says of policies. The "
      .. "document does not mention base classes. Here, derived classes have the named shapes and policies "
      .. "of a base class, too, unless they have one of that name. Such a shape is about the members of "
      .. "the base class only; such a policy is about the whole object." },
  { id = "TR14-3.1.2-09", section = "3.1.2", kind = "precedence", status = "done",
    title = "Empty brackets of shapes",
    text = "Empty brackets <>, with or without a nest, extend nothing (TR14-3.3-11)." },

  { id = "TR14-3.2.1-01", section = "3.2.1", kind = "syntax", status = "done",
    title = "Policy directive",
    text = "The directive is #pragma acc policy(name) clause-list in C and C++, and !$acc policy(name) "
      .. "clause-list in Fortran. The name is required, for there is no default policy." },
  { id = "TR14-3.2.1-02", section = "3.2.1", kind = "syntax", status = "done",
    title = "Clauses of a policy",
    text = "The clauses are type, use(policy-list), shape(name), exclude(list), data clauses, update(list) "
      .. "and default(...). Section 3.2.4 adds invoke<p>(members)." },
  { id = "TR14-3.2.1-03", section = "3.2.1", kind = "syntax", status = "done",
    title = "Values of a policy's default clause",
    text = "In a data policy, default takes none, copy, copyin, copyout, create, present, delete or "
      .. "exclude. In an update policy it takes none, update or exclude. Any other value is an error "
      .. "(clause-not-allowed)." },
  { id = "TR14-3.2.1-04", section = "3.2.1", kind = "meaning", status = "done",
    title = "Shape that a policy builds on",
    text = "A policy always builds on a shape: the default shape, or that of its shape clause. When the "
      .. "policy names a member without a section, the section comes from that shape." },
  { id = "TR14-3.2.1-05", section = "3.2.1", kind = "precedence", status = "done",
    title = "Reversed choices of the shape",
    text = "A policy may reverse the choice of its shape. exclude leaves out an included member. A data or "
      .. "update clause that names an excluded member includes it." },
  { id = "TR14-3.2.1-06", section = "3.2.1", kind = "meaning", status = "done",
    title = "Data policies and update policies",
    text = "A policy used in a data directive is a data policy. Used in an update directive, it is an "
      .. "update policy." },
  { id = "TR14-3.2.1-07", section = "3.2.1", kind = "static error", status = "done",
    title = "Mixed kinds of policies",
    text = "A data clause in an update policy is an error, and so is update in a data policy "
      .. "(clause-not-allowed). A policy directive with both kinds of clause is reported at its "
      .. "declaration. default(update) with data clauses is the same error. A policy with neither kind is "
      .. "neutral." },
  { id = "TR14-3.2.1-08", section = "3.2.1", kind = "static error", status = "done",
    title = "type clause of a policy",
    text = "The type clause follows the same rules as for shapes (TR14-3.1.1-05 to TR14-3.1.1-08)." },
  { id = "TR14-3.2.1-09", section = "3.2.1", kind = "precedence", status = "done",
    title = "use clause and its order",
    text = "use(q, ...) applies the behaviour of policy q, too. The order for each member is: the current "
      .. "policy names it, a used policy names it, the current default, a used default. The first of these "
      .. "decides. If the current policy has a shape clause, its shape says what is included, and a used "
      .. "default gives the direction. Without a shape clause, a used default applies to the shape of its "
      .. "own policy." },
  { id = "TR14-3.2.1-10", section = "3.2.1", kind = "static error", status = "done",
    title = "shape clause of a policy",
    text = "A second shape clause is an error (duplicate-clause). So is an unknown shape (unknown-shape)." },
  { id = "TR14-3.2.1-11", section = "3.2.1", kind = "meaning", status = "done",
    title = "Excluded members of a policy",
    text = "In a data policy, an excluded member is not accessible on the device. In an update policy, it "
      .. "is not updated." },
  { id = "TR14-3.2.1-12", section = "3.2.1", kind = "syntax", status = "done",
    title = "Data clauses in data policies",
    text = "Any data clause may appear in a data policy." },
  { id = "TR14-3.2.1-13", section = "3.2.1", kind = "precedence", status = "done",
    title = "Members that a policy's default covers",
    text = "default(x) applies to members that the shape includes and the policy does not name. Members "
      .. "that the shape excludes stay excluded." },
  { id = "TR14-3.2.1-14", section = "3.2.1", kind = "static error", status = "done",
    title = "Second default clause of a policy",
    text = "A second default clause is an error (duplicate-clause)." },
  { id = "TR14-3.2.1-15", section = "3.2.1", kind = "default", status = "done",
    title = "Policy without a default clause",
    text = "A policy without a default clause has default(none)." },
  { id = "TR14-3.2.1-16", section = "3.2.1", kind = "meaning", status = "done",
    title = "Kinds of members in a policy",
    text = "Members may be of any kind: scalars, pointers with sections and nested structs. The default "
      .. "shape of a nested struct is applied with the direction of the clause." },

  { id = "TR14-3.2.2-01", section = "3.2.2", kind = "syntax", status = "done",
    title = "invoke clause",
    text = "invoke<policy>(var-list) may stand wherever data clauses are allowed. The document lists data, "
      .. "end data and exit data." },
  { id = "TR14-3.2.2-02", section = "3.2.2", kind = "static error", status = "done",
    title = "Variables without the invoked policy",
    text = "A variable whose type does not have the policy is an error (unknown-policy). So is a scalar "
      .. "variable (not-a-struct)." },
  { id = "TR14-3.2.2-03", section = "3.2.2", kind = "meaning", status = "done",
    title = "Direction of invoke",
    text = "invoke implies no direction. The policy gives the direction of each member." },
  { id = "TR14-3.2.2-04", section = "3.2.2", kind = "static error", status = "done",
    title = "Shape and policy names in brackets",
    text = "The name of a policy in the <> of an ordinary clause is an error (unknown-shape). So is the "
      .. "name of a shape in invoke<> (unknown-policy)." },
  { id = "TR14-3.2.2-05", section = "3.2.2", kind = "meaning", status = "done",
    title = "Absent object under invoke",
    text = "An absent object is allocated whole. Only its attached pointers and the bytes that the clauses "
      .. "of its members send are initialised. Presence, reference counters and attachments are as for "
      .. "create." },
  { id = "TR14-3.2.2-06", section = "3.2.2", kind = "meaning", status = "done",
    title = "invoke on enter data and exit data",
    text = "On enter data, each member does the entry half of its clause. On exit data, it does the exit "
      .. "half." },
  { id = "TR14-3.2.2-07", section = "3.2.2", kind = "meaning", status = "done",
    title = "invoke on arrays of objects",
    text = "For an array of objects, the policy applies to every element (Figs. A.3, A.5)." },

  { id = "TR14-3.2.3-01", section = "3.2.3", kind = "syntax", status = "done",
    title = "Syntax of update invoke",
    text = "An update policy is used as update invoke<policy>(self: list) or (device: list). The direction "
      .. "is required." },
  { id = "TR14-3.2.3-02", section = "3.2.3", kind = "static error", status = "done",
    title = "Errors of update invoke",
    text = "This form is allowed on update only. A type without the policy is an error (unknown-policy). "
      .. "So is a data policy (clause-not-allowed)." },
  { id = "TR14-3.2.3-03", section = "3.2.3", kind = "meaning", status = "done",
    title = "Members that an update policy moves",
    text = "Members named in update, or covered by default(update), move in the given direction. Excluded "
      .. "members do not move. Attached pointers keep their values (TR14-4.1-06)." },

  { id = "TR14-3.2.4-01", section = "3.2.4", kind = "syntax", status = "done",
    title = "invoke clause of a policy",
    text = "invoke<p>(member-shape-list) is a clause of a policy. Direct members of aggregate type may be "
      .. "listed, too (name2 and update_other in Fig. A.3)." },
  { id = "TR14-3.2.4-02", section = "3.2.4", kind = "static error", status = "done",
    title = "Member without the invoked policy",
    text = "A member whose type does not have policy p is an error (unknown-policy)." },
  { id = "TR14-3.2.4-03", section = "3.2.4", kind = "meaning", status = "done",
    title = "Member under an invoked policy",
    text = "The member then follows p instead of the outer default. Both policies must be of the same "
      .. "kind." },

  { id = "TR14-3.3-01", section = "3.3", kind = "syntax", status = "done",
    title = "Syntax of nested clauses",
    text = "A nested clause is written data-clause[<[shape]>](list)[::{ nest-clause-list }]." },
  { id = "TR14-3.3-02", section = "3.3", kind = "syntax", status = "done",
    title = "Clauses that take a nest",
    text = "The data clause is copy, copyin, copyout, create, present, delete, include, self or device." },
  { id = "TR14-3.3-03", section = "3.3", kind = "static error", status = "done",
    title = "Types of the variables of a nest",
    text = "All variables of a nested clause must have the same data type (mixed-types). The types of "
      .. "elements after sections are compared, so X and Y[0:n] agree." },
  { id = "TR14-3.3-04", section = "3.3", kind = "meaning", status = "done",
    title = "Scope of a nest",
    text = "A nest is a shape for its type. It holds only for this directive and only for the listed "
      .. "variables." },
  { id = "TR14-3.3-05", section = "3.3", kind = "syntax", status = "done",
    title = "Clauses of a shape nest",
    text = "A shape nest takes include, exclude, init_needed and default(none|include|exclude). A type "
      .. "clause in a nest is an error (clause-not-allowed)." },
  { id = "TR14-3.3-06", section = "3.3", kind = "meaning", status = "done",
    title = "Members that a nest names",
    text = "The clauses in a nest apply to members of its type." },
  { id = "TR14-3.3-07", section = "3.3", kind = "precedence", status = "done",
    title = "Name lookup in bounds of a nest",
    text = "A name in the bounds of a section is first looked up as in a member function of the type of "
      .. "the nearest nest. Then it is looked up as at the directive. Enclosing nests are not searched; "
      .. "that is a wish of chapter 5 (TR14-5-04)." },
  { id = "TR14-3.3-08", section = "3.3", kind = "precedence", status = "done",
    title = "Nest without brackets",
    text = "Without <>, the nest extends the default shape of the type. For members that both name, the "
      .. "nest decides." },
  { id = "TR14-3.3-09", section = "3.3", kind = "precedence", status = "done",
    title = "Nest over a named shape",
    text = "With <name>, the nest extends the named shape, which itself extends the default shape." },
  { id = "TR14-3.3-10", section = "3.3", kind = "precedence", status = "done",
    title = "Members that a nest does not name",
    text = "TR14-3.1.2-04 also holds for members that the nest does not name." },
  { id = "TR14-3.3-11", section = "3.3", kind = "precedence", status = "done",
    title = "Nest with empty brackets",
    text = "With <>, the nest is a new shape that extends nothing, so sections must be given again. The "
      .. "shape's name and the nest may both be left out: copyin<>(X) is a shallow copy. This holds in "
      .. "Fortran, too, although components describe themselves. invoke<>(X) without a nest names no "
      .. "policy and is refused." },
  { id = "TR14-3.3-12", section = "3.3", kind = "syntax", status = "done",
    title = "Syntax of invoke with a nest",
    text = "The forms are invoke<[policy]>(list)[::{ ... }], and on update invoke<[policy]>(dir: list)." },
  { id = "TR14-3.3-13", section = "3.3", kind = "syntax", status = "done",
    title = "Clauses of a policy nest",
    text = "A policy nest takes use, shape, exclude, data clauses or update, default, and "
      .. "invoke<p>(member). It takes no type clause." },
  { id = "TR14-3.3-14", section = "3.3", kind = "precedence", status = "done",
    title = "Policy nest over a policy",
    text = "With <p>, the nest extends policy p, like use(p) with the shape and default of that policy. "
      .. "With <>, it extends no policy, but still builds on the default shape of the type (Fig. A.7)." },
  { id = "TR14-3.3-15", section = "3.3", kind = "syntax", status = "done",
    title = "Nests within nests",
    text = "Clauses in a nest may have nests themselves if their members are of aggregate type or point to "
      .. "it." },
  { id = "TR14-3.3-16", section = "3.3", kind = "restriction", status = "done",
    title = "Depth of nests",
    text = "Nests can describe any non-cyclic structure of fixed depth from one root. The text bounds the "
      .. "depth." },
  { id = "TR14-3.3-17", section = "3.3", kind = "lowering", status = "done",
    title = "Lowering to nests",
    text = "The nest is the common target form. Shapes and policies are defined by lowering to nests." },

  { id = "TR14-3.4-01", section = "3.4", kind = "lowering", status = "done",
    title = "Convenience syntax",
    text = "Convenience syntax is only short for nests. Nests can express everything that it does." },
  { id = "TR14-3.4-02", section = "3.4", kind = "syntax", status = "done",
    title = "Base of convenience syntax",
    text = "The base is a simple scalar variable, or the implicit this of a C++ member function. Here, any "
      .. "lvalue that names one object is accepted and evaluated once. A section such as p[0:2].a[0:n] is "
      .. "refused: each element has bounds of its own, which only a nest can express. The error prints "
      .. "that nest. The profile tr14x accepts the section. There, a member without a section has the "
      .. "bounds of its shape or descriptor, and a written section holds for all elements." },
  { id = "TR14-3.4-03", section = "3.4", kind = "syntax", status = "done",
    title = "Form of convenience syntax",
    text = "The form is clause(base.member-shape) in C and C++, and clause(base%member-shape) in Fortran. "
      .. "Members may have sections." },
  { id = "TR14-3.4-04", section = "3.4", kind = "syntax", status = "done",
    title = "Repeated bases",
    text = "A base may appear several times, in several clauses." },
  { id = "TR14-3.4-05", section = "3.4", kind = "lowering", status = "done",
    title = "Lowering of one member",
    text = "For one member, clause(base.m) becomes invoke<>(base)::{ default(exclude) clause(m) }." },
  { id = "TR14-3.4-06", section = "3.4", kind = "lowering", status = "done",
    title = "Gathering the members of a base",
    text = "All members of one base in the directive are gathered into one nest, in any order." },
  { id = "TR14-3.4-07", section = "3.4", kind = "lowering", status = "done",
    title = "Base named beside its members",
    text = "If a clause names the base itself, the nest has default(clause). Otherwise it has "
      .. "default(exclude)." },
  { id = "TR14-3.4-08", section = "3.4", kind = "lowering", status = "done",
    title = "Unqualified members in a member function",
    text = "In a member function, unqualified member names are lowered to invoke<>(this[0:1])::{ "
      .. "default(exclude) ... }." },
  { id = "TR14-3.4-09", section = "3.4", kind = "lowering", status = "done",
    title = "Lowering of members under update",
    text = "On update, self(base.m) becomes invoke<>(self: base)::{ default(exclude) update(m) }." },
  { id = "TR14-3.4-10", section = "3.4", kind = "lowering", status = "done",
    title = "Bounds resolved before the lowering",
    text = "Bounds are resolved where they stand, before the lowering. copy(X.a[0:n]) means the local n, "
      .. "although a[0:n] in the nest would mean X.n." },
  { id = "TR14-3.4-11", section = "3.4", kind = "meaning", status = "done",
    title = "Absent base",
    text = "An absent base is allocated whole, and nothing else of it is initialised. After "
      .. "copyin(X.a[0:X.n]) a kernel may not read X.n. OpenACC 2.6 and later differ." },
  { id = "TR14-3.4-12", section = "3.4", kind = "meaning", status = "done",
    title = "present base with copyin of a member",
    text = "present(X) copyin(X.a[0:X.n]) is top-down mutable deep copy: X must be present, and a is added "
      .. "and attached." },

  { id = "TR14-3.5-01", section = "3.5", kind = "syntax", status = "done",
    title = "Syntax of @",
    text = "The forms are present(var[@]) and present(var[@base]) in C and C++, present(var(@)) and "
      .. "present(var(@base)) in Fortran. The brackets are literal, and the base is optional." },
  { id = "TR14-3.5-02", section = "3.5", kind = "meaning", status = "done",
    title = "Translation by @",
    text = "With @, the pointee is on the device already. The pointee is looked up, the pointer is "
      .. "translated, and nothing moves." },
  { id = "TR14-3.5-03", section = "3.5", kind = "meaning", status = "done",
    title = "Extent of @",
    text = "@ equals present with a minimal extent of one byte." },
  { id = "TR14-3.5-04", section = "3.5", kind = "run-time error", status = "done",
    title = "Explicit section instead of @",
    text = "With an explicit section instead of @, an absent or partly present section is a run-time error "
      .. "(not-present, partially-present)." },
  { id = "TR14-3.5-05", section = "3.5", kind = "meaning", status = "done",
    title = "Translation by @base",
    text = "With [@base], the translated pointer is device(base) + (var - base). What var points to need "
      .. "not be present: one past the end, or the end of storage." },
  { id = "TR14-3.5-06", section = "3.5", kind = "run-time error", status = "done",
    title = "Presence of the base of @",
    text = "The target of base must be present, before the directive or because of it (not-present)." },
  { id = "TR14-3.5-07", section = "3.5", kind = "syntax", status = "done",
    title = "@ after explicit dimensions",
    text = "In clauses other than present, @ or @base may follow explicit dimensions, as in ptrs[0:10][@]. "
      .. "The explicit dimensions have the meaning of the clause. The aliased one has the meaning of "
      .. "present." },
  { id = "TR14-3.5-08", section = "3.5", kind = "meaning", status = "done",
    title = "Arrays of alias pointers",
    text = "Each of the ten pointers in ptrs[0:10][@] is looked up and translated on its own. The targets "
      .. "may lie anywhere in present objects." },
  { id = "TR14-3.5-09", section = "3.5", kind = "meaning", status = "done",
    title = "Aliases by containment",
    text = "If the pointers point into a present array, copyin(ptrs[0:10][0:1]) has the same result, by "
      .. "containment (TR14-4.2-06)." },
  { id = "TR14-3.5-10", section = "3.5", kind = "static error", status = "done",
    title = "@ in clauses other than present",
    text = "copyin(p[@]) on a variable without an explicit dimension is an error (clause-not-allowed). On "
      .. "a member, @ is allowed under any clause, because the pointer lies in a mapped object. Fig. A.2 "
      .. "shows this with include(end[@base])." },
  { id = "TR14-3.5-11", section = "3.5", kind = "meaning", status = "done",
    title = "Attachment of alias pointers",
    text = "Alias pointers are attached like others: they are counted, and detached at the exit. An update "
      .. "never moves them or their targets." },
  { id = "TR14-3.5-12", section = "3.5", kind = "meaning", status = "done",
    title = "Lookup of the base of @",
    text = "The base of [@base] is looked up like a bound: among the members of the nearest nest, then as "
      .. "at the directive. A chain of aliases is resolved to the base that is not an alias. A cycle is an "
      .. "error (invalid-section)." },

  { id = "TR14-4.1-01", section = "4.1", kind = "meaning", status = "done",
    title = "Attach and detach",
    text = "An attach sets a device pointer to the device copy of its target. A detach restores the state "
      .. "before the attach." },
  { id = "TR14-4.1-02", section = "4.1", kind = "meaning", status = "done",
    title = "Targets of attachment",
    text = "Pointers are attached among the objects of the directive, and to objects that were present "
      .. "before." },
  { id = "TR14-4.1-03", section = "4.1", kind = "meaning", status = "done",
    title = "Detach before removal",
    text = "A detach precedes the removal of the pointee, and of the object that holds the pointer." },
  { id = "TR14-4.1-04", section = "4.1", kind = "meaning", status = "done",
    title = "Attach table",
    text = "Every attach is followed by a detach. A table like the present table has a reference counter "
      .. "for each attachment." },
  { id = "TR14-4.1-05", section = "4.1", kind = "meaning", status = "done",
    title = "No device pointers in host memory",
    text = "No copy to the host writes a device pointer into host memory." },
  { id = "TR14-4.1-06", section = "4.1", kind = "meaning", status = "done",
    title = "Update over attached pointers",
    text = "An update of an object with attached pointers keeps the pointer values of both sides." },
  { id = "TR14-4.1-07", section = "4.1", kind = "choice", status = "done",
    title = "Split or reverse update",
    text = "There are two ways: split the transfer around the pointers, or transfer them and translate "
      .. "back. Each update may choose. The knob is update = \"split\" or \"reverse\": the bytes "
      .. "afterwards are the same, the moves differ." },
  { id = "TR14-4.1-08", section = "4.1", kind = "restriction", status = "done",
    title = "Changed device pointers",
    text = "Translating back needs a pointer that is unchanged on both sides. Changing a translated "
      .. "pointer in a region is an error (pointer-changed)." },

  { id = "TR14-4.2-01", section = "4.2", kind = "meaning", status = "done",
    title = "Order of clauses",
    text = "The order of clauses on a directive has no effect. Without aliasing, any order is legal. With "
      .. "aliasing, the implementation must find an order that resolves all aliases." },
  { id = "TR14-4.2-02", section = "4.2", kind = "meaning", status = "done",
    title = "Step 1: one set of clauses",
    text = "Step 1: all clauses form one set before anything is done. Clauses that deep copy generates are "
      .. "in the set, too." },
  { id = "TR14-4.2-03", section = "4.2", kind = "run-time error", status = "done",
    title = "Step 2: partly present objects",
    text = "Step 2: an object of the set that is partly present before the directive is a fatal error "
      .. "(partially-present). An absent object with a present piece inside counts as partly present." },
  { id = "TR14-4.2-04", section = "4.2", kind = "meaning", status = "done",
    title = "Step 2: present objects",
    text = "Step 2: objects that are wholly present are used as they are." },
  { id = "TR14-4.2-05", section = "4.2", kind = "run-time error", status = "done",
    title = "Step 3a: overlap without containment",
    text = "Step 3a: two absent objects that overlap without containment are a fatal error "
      .. "(partial-overlap)." },
  { id = "TR14-4.2-06", section = "4.2", kind = "meaning", status = "done",
    title = "Step 3b: allocation and containment",
    text = "Step 3b: memory is allocated. A contained object gets no allocation of its own." },
  { id = "TR14-4.2-07", section = "4.2", kind = "meaning", status = "done",
    title = "Step 3c: data movement",
    text = "Step 3c: data move. Moves of the same or adjacent bytes in one direction may be merged. Each "
      .. "clause asks for its own bytes, and each byte of the union moves once. So create(a[0:20]) "
      .. "copyin(a[0:5]) sends 5 elements." },
  { id = "TR14-4.2-08", section = "4.2", kind = "meaning", status = "done",
    title = "Step 4: reference counters",
    text = "Step 4: every clause increments a reference counter. An object that three clauses name has "
      .. "counter 3." },
  { id = "TR14-4.2-09", section = "4.2", kind = "run-time error", status = "done",
    title = "present clause on absent objects",
    text = "A present clause for an object that is neither present before nor in the set is an error "
      .. "(not-present)." },
  { id = "TR14-4.2-10", section = "4.2", kind = "meaning", status = "done",
    title = "Attachment after all moves",
    text = "Pointers are attached after all allocations and moves. The pointees of any clause are targets." },
  { id = "TR14-4.2-11", section = "4.2", kind = "meaning", status = "done",
    title = "Exit mirrors the entry",
    text = "The exit mirrors the entry. Pointers are detached, and each clause removes its reference. Then "
      .. "the requested data of objects whose counter reached zero move, and those objects are freed. "
      .. "Counting clause by clause in text order would lose a copy to the host." },

  { id = "TR14-4.3-01", section = "4.3", kind = "meaning", status = "done",
    title = "Check of bottom-up mutable deep copy",
    text = "Bottom-up mutable deep copy only needs to check that the pointee is present." },
  { id = "TR14-4.3-02", section = "4.3", kind = "meaning", status = "done",
    title = "Check of top-down mutable deep copy",
    text = "Top-down mutable deep copy needs to know whether each member is present and attached. A member "
      .. "that an outer region excludes may be included in an inner one." },
  { id = "TR14-4.3-03", section = "4.3", kind = "choice", status = "done",
    title = "Knowledge of present and attached members",
    text = "There are three ways to know this. (1) The present table has entries for included and excluded "
      .. "members, direct or not. (2) Only indirect members are looked at: the pointee is present, and the "
      .. "object has its own attachment. (3) Only members that the shape marks as dynamic or mutable are "
      .. "looked at. accdeep takes the second way." },
  { id = "TR14-4.3-04", section = "4.3", kind = "restriction", status = "done",
    title = "Structure that changes in a region",
    text = "The structure may not change in a region: neither the pointers nor values that shape "
      .. "something, like n in copy(x[0:n]). Bounds are those of the entry. If the bounds of a shape or "
      .. "policy differ at the exit, a warning is reported (bounds-changed)." },
  { id = "TR14-4.3-05", section = "4.3", kind = "restriction", status = "done",
    title = "Objects that an end may move",
    text = "Only an object that was created at a start may be moved or deleted at the end. Only an object "
      .. "that was created may be updated. Any other is an error (not-present)." },
  { id = "TR14-4.3-06", section = "4.3", kind = "restriction", status = "done",
    title = "Allocation in device code",
    text = "Device code may not allocate or free mirrored objects." },
  { id = "TR14-4.3-07", section = "4.3", kind = "restriction", status = "done",
    title = "Resizing containers",
    text = "Containers may be resized between regions but not in one. Reserving ahead works if the "
      .. "reserved range is moved. The end pointer then changes on the device, which needs an exception to "
      .. "TR14-4.3-04." },
  { id = "TR14-4.3-08", section = "4.3", kind = "restriction", status = "done",
    title = "Unconditional clauses",
    text = "The clauses of a shape or policy apply unconditionally." },
  { id = "TR14-4.3-09", section = "4.3", kind = "meaning", status = "done",
    title = "No constructors on transfer",
    text = "Transferring a C++ object calls no constructor, destructor or operator. The host copy and the "
      .. "device copy are one logical object." },
  { id = "TR14-4.3-10", section = "4.3", kind = "meaning", status = "done",
    title = "Pointers in unions",
    text = "A pointer in a union is shaped like one in a struct. Whether it is valid is the programmer's "
      .. "responsibility." },
  { id = "TR14-4.3-11", section = "4.3", kind = "meaning", status = "done",
    title = "Different shapes at enter and exit",
    text = "With enter data and exit data, the two directives may describe different shapes. Traversal and "
      .. "translation then differ." },
  { id = "TR14-4.3-12", section = "4.3", kind = "choice", status = "done",
    title = "Shallow exit after a deep entry",
    text = "After a deep copyin, a shallow copyout or delete finds attached pointers of the object in the "
      .. "attach table. It may detach them, and free sub-objects whose counter reaches zero. Otherwise it "
      .. "reports an error (still-attached)." },
  { id = "TR14-4.3-13", section = "4.3", kind = "choice", status = "done",
    title = "Deep exit after a shallow entry",
    text = "A deep copyout after a shallow copyin is an error: the object is not attached (not-attached)." },
  { id = "TR14-4.3-14", section = "4.3", kind = "meaning", status = "done",
    title = "Computed length 0",
    text = "If the size of a section is computed as 0, its clause does not apply: nothing is looked up or "
      .. "attached. This is a workaround for conditional clauses and unions." },
  { id = "TR14-4.3-15", section = "4.3", kind = "choice", status = "done",
    title = "Pointers that are not translated",
    text = "Pointers that are not translated keep their host values, or are set to null. Null helps to "
      .. "debug and to test for presence; but the table grows, and unified memory differs. Using such a "
      .. "pointer is undefined; debug options may help. The knob is untranslated = \"host\", \"null\" or "
      .. "\"poison\"." },
  { id = "TR14-4.3-16", section = "4.3", kind = "meaning", status = "done",
    title = "Template types",
    text = "Directives work on template types, inside and outside of the template. A class as type "
      .. "argument has its own default shape. A raw pointer as type argument, as in vector<int*>, cannot "
      .. "be shaped." },
  { id = "TR14-4.3-17", section = "4.3", kind = "restriction", status = "done",
    title = "Polymorphic objects",
    text = "Polymorphic objects are not supported, for their size is unknown. The static type is used, "
      .. "with a warning. The pointer to the virtual table is an untranslated pointer (TR14-4.3-15)." },
  { id = "TR14-4.3-18", section = "4.3", kind = "restriction", status = "done",
    title = "Recursive structures",
    text = "Recursive structures are not permitted." },
  { id = "TR14-4.3-19", section = "4.3", kind = "choice", status = "done",
    title = "Asynchronous deep copy",
    text = "An asynchronous deep copy may synchronise." },
  { id = "TR14-4.3-20", section = "4.3", kind = "choice", status = "done",
    title = "Aggregated allocations and transfers",
    text = "The user or the implementation may aggregate the allocations and transfers of many small "
      .. "objects." },
  { id = "TR14-4.3-21", section = "4.3", kind = "background", status = "done",
    title = "Cost of the tables",
    text = "The cost of the tables must grow with the number of objects, not with that of clauses." },
  { id = "TR14-4.3-22", section = "4.3", kind = "meaning", status = "done",
    title = "Discrete memory and null pointers",
    text = "Only discrete memory shows that untranslated pointers are set to null." },

  { id = "TR14-5-01", section = "5", kind = "future", status = "done",
    title = "Value parameters of policies",
    text = "Policies have value parameters with default values, usable in bounds. A member of the outer "
      .. "struct or a local variable can then shape a nested struct." },
  { id = "TR14-5-02", section = "5", kind = "future", status = "done",
    title = "Policy parameters of policies",
    text = "Policies have policy parameters: the policy of a vector takes that of its elements." },
  { id = "TR14-5-03", section = "5", kind = "future", status = "done",
    title = "Array syntax on containers",
    text = "Array syntax on a container gives parameters: copy(a[0:n]) with std::vector<float> a." },
  { id = "TR14-5-04", section = "5", kind = "future", status = "done",
    title = "Bounds with members of enclosing nests",
    text = "Bounds in a nest may use members of enclosing nests. The nearest nest is searched first, then "
      .. "outer nests, then the directive. The profile tr14 does not have this." },
  { id = "TR14-5-05", section = "5", kind = "future", status = "done",
    title = "Nests in shapes and policies",
    text = "Definitions of policies and shapes may contain nests. In the profile tr14 this is an error "
      .. "(syntax)." },
  { id = "TR14-5-06", section = "5", kind = "future", status = "done",
    title = "Ragged arrays",
    text = "Array parameters describe true ragged arrays." },
  { id = "TR14-5-07", section = "5", kind = "future", status = "done",
    title = "Direction of direct members",
    text = "Direct members may have a direction of their own." },
  { id = "TR14-5-08", section = "5", kind = "future", status = "done",
    title = "Policy inheritance",
    text = "Policies inherit in other ways, for example all but copyout." },
  { id = "TR14-5-09", section = "5", kind = "future", status = "done",
    title = "Default policies by direction",
    text = "A type has default policies by direction: a copyin policy and a copyout policy." },
  { id = "TR14-5-10", section = "5", kind = "future", status = "done",
    title = "Recursive types and policies",
    text = "Types and policies may be recursive, as for lists and maps." },

  { id = "TR14-A.1-01", section = "A.1", kind = "figure", status = "done",
    title = "Fig. A.1: deep copy(X)",
    text = "The default shape is init_needed(n) include(a[0:n],b[0:n],c[0:n]). data copy(X) copies four "
      .. "objects deeply and attaches three pointers." },
  { id = "TR14-A.1-02", section = "A.1", kind = "figure", status = "done",
    title = "Fig. A.1: create(X)",
    text = "data create(X) allocates a, b and c uninitialised, sends n, and attaches the pointers." },
  { id = "TR14-A.1-03", section = "A.1", kind = "figure", status = "done",
    title = "Fig. A.1: copyout<part_a>(X)",
    text = "The shape part_a has exclude(b,c). data copyout<part_a>(X) moves n in and out. a is allocated "
      .. "uninitialised and copied out at the end; b and c are untouched." },
  { id = "TR14-A.1-04", section = "A.1", kind = "figure", status = "done",
    title = "Fig. A.1: update self(X)",
    text = "update self(X) fetches n and the data of a, b and c. The pointers keep their values." },
  { id = "TR14-A.1-05", section = "A.1", kind = "figure", status = "done",
    title = "Fig. A.1: update self<only_b>(X)",
    text = "update self<only_b>(X) is the same as update self(X.b[0:X.n]): one copy of n elements to the "
      .. "host." },
  { id = "TR14-A.1-06", section = "A.1", kind = "figure", status = "done",
    title = "Fig. A.1: copy(Y[0:size])",
    text = "data copy(Y[0:size]) uses the n of each element." },
  { id = "TR14-A.1-07", section = "A.1", kind = "figure", status = "done",
    title = "Fig. A.1: update self<only_b>(Y[0:size])",
    text = "update self<only_b>(Y[0:size]) is the same as a host loop of update self(Y[i].b[0:Y[i].n]). "
      .. "The loop moves the same bytes with more directives." },

  { id = "TR14-A.2-01", section = "A.2", kind = "figure", status = "done",
    title = "Fig. A.2: template vector",
    text = "The template vector has include(base[0:size()], end[@base], reserved[@base]). copy, create and "
      .. "update are all deep. base moves once, and three pointers are attached." },
  { id = "TR14-A.2-02", section = "A.2", kind = "figure", status = "done",
    title = "Fig. A.2: type data",
    text = "The type data has no default shape of its own: both vectors are deep by their default shape. "
      .. "shape(only_d1) exclude(d2) leaves out d2." },
  { id = "TR14-A.2-03", section = "A.2", kind = "figure", status = "done",
    title = "Fig. A.2: type stuff",
    text = "The type stuff has default(include) exclude(raw). Its shapes data1 and data2 exclude the other "
      .. "member. Names of shapes may equal names of members." },
  { id = "TR14-A.2-04", section = "A.2", kind = "figure", status = "done",
    title = "Fig. A.2: shape small",
    text = "The shape small is include<only_d1>(data1,data2). copy<small>(s) moves direct[100], data1.d1 "
      .. "and data2.d1. It does not move raw, data1.d2 and data2.d2, so exclude(raw) of the default shape "
      .. "survives." },

  { id = "TR14-A.3-01", section = "A.3", kind = "figure", status = "done",
    title = "Fig. A.3: policy calc_a",
    text = "policy(calc_a) default(copyin) copyout(a) moves n, b and c in, and a out." },
  { id = "TR14-A.3-02", section = "A.3", kind = "figure", status = "done",
    title = "Fig. A.3: policy move_a_to_c",
    text = "policy(move_a_to_c) has default(copyin) copyout(c) exclude(b)." },
  { id = "TR14-A.3-03", section = "A.3", kind = "figure", status = "done",
    title = "Fig. A.3: policy update_b",
    text = "policy(update_b) has default(exclude) update(b). It is used as update invoke<update_b>(device: "
      .. "X) and (device: array_X[0:size])." },
  { id = "TR14-A.3-04", section = "A.3", kind = "figure", status = "done",
    title = "Fig. A.3: policy name1",
    text = "The policy name1 has default(create) copyin(data), and the default shape has exclude(raw). v1 "
      .. "to v3 are created deeply, data moves in, and raw is excluded." },
  { id = "TR14-A.3-05", section = "A.3", kind = "figure", status = "done",
    title = "Fig. A.3: policy name2",
    text = "The policy name2 has default(copyin) invoke<calc_a>(data)." },
  { id = "TR14-A.3-06", section = "A.3", kind = "figure", status = "done",
    title = "Fig. A.3: policy name3",
    text = "The policy name3 has shape(only_vs) default(none) copyin(v2,v3) copy(v1). The shapes exclude "
      .. "raw and data, and all included members are named." },
  { id = "TR14-A.3-07", section = "A.3", kind = "figure", status = "done",
    title = "Fig. A.3: policies update_stuff and update_other",
    text = "The policy update_stuff has default(exclude) update(v1,v2,data). The policy update_other has "
      .. "update(v2) invoke<update_b>(data)." },

  { id = "TR14-A.4-01", section = "A.4", kind = "figure", status = "done",
    title = "Fig. A.4: deep copy without shapes",
    text = "In Fortran, copy(X) is a full deep copy of three allocatables without any shape. "
      .. "copyin<not_c>(X) leaves C out." },
  { id = "TR14-A.4-02", section = "A.4", kind = "figure", status = "done",
    title = "Fig. A.4: type CompoundType",
    text = "CompoundType has exclude(raw) include<not_c>(d1). d1 is an allocatable array of a derived "
      .. "type, and raw is an allocatable scalar." },

  { id = "TR14-A.5-01", section = "A.5", kind = "figure", status = "done",
    title = "Fig. A.5: policy in Fortran",
    text = "A Fortran policy is used as invoke<calc_a>(X), and on a whole allocatable array of rank 2." },

  { id = "TR14-A.6-01", section = "A.6", kind = "figure", status = "done",
    title = "Fig. A.6: local nests",
    text = "Fig. A.6 is A.1 with local nests. The five pairs must give the events of A.1." },

  { id = "TR14-A.7-01", section = "A.7", kind = "figure", status = "done",
    title = "Fig. A.7: policy nests",
    text = "Fig. A.7 is A.3 with invoke<>(...)::{...}. The shape is the default shape." },

  { id = "TR14-A.8-01", section = "A.8", kind = "figure", status = "done",
    title = "Fig. A.8: one member",
    text = "copy(X.a[0:X.n]) is the same as invoke<>(X)::{ default(exclude) copy(a[0:n]) }." },
  { id = "TR14-A.8-02", section = "A.8", kind = "figure", status = "done",
    title = "Fig. A.8: members with two directions",
    text = "copyin of X.a and X.b with copyout of X.c is the same as one nest with both clauses." },
  { id = "TR14-A.8-03", section = "A.8", kind = "figure", status = "done",
    title = "Fig. A.8: base and its members",
    text = "copy of X, X.a, X.b and X.c is the same as default(copy) copy(a,b,c)." },
  { id = "TR14-A.8-04", section = "A.8", kind = "figure", status = "done",
    title = "Fig. A.8: members in a member function",
    text = "In a member function, copyin(a[0:n], b[0:n]) is the same as invoke<>(this[0:1])::{ "
      .. "default(exclude) copyin(...) }." },
  { id = "TR14-A.8-05", section = "A.8", kind = "figure", status = "done",
    title = "Fig. A.8: private members",
    text = "Access control does not bind directives: Fig. A.8 uses private members from outside." },
}
