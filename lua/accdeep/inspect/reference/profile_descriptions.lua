-- profile_descriptions.lua - descriptions of rule profiles: {name, follows, text, against, example}. `follows`:
-- documents that the profile follows; `example`: a scenario. Tests check that the example succeeds under the profile,
-- and fails under the profile named `against`.
return {
  { name = "tr14", follows = "TR-14-1 on OpenACC with attach and detach",
    text = "The default, except for scenarios of OpenMP alone. It is strict: what the document calls a programmer's"
      .. " error, and OpenACC 3.3 ignores, is reported.",
    against = "openacc-3.3",
    example = [[
declare "struct vector { int n; float *data; } v;"
host.v = { n = 2, data = { 1, 2 } }
acc "enter data copyin(v.data[0:v.n])"
expect.present "v"                        -- a member keeps the structure around it
expect.attached("v.data", 1)
expect.fails("still-attached", function() acc_delete "v.data[0:2]" end)
]] },
  { name = "tr14x", follows = "TR-14-1 with the future work of its chapter 5",
    text = "As `tr14`, with a syntax of our own for what the document only wishes for: parameters of shapes and"
      .. " policies, copies in one direction, recursive types. `spec/tr14/5-future.lua` begins with a list.",
    against = "tr14",
    example = [[
declare [=[
  struct node { int value; struct node *next;
    #pragma acc shape include(next[0:next ? 1 : 0])
  };
  struct node *list;
]=]
host.list = alloc("struct node", 1)
host.list[0] = { value = 1, next = alloc("struct node", 1) }
host.list.next[0] = { value = 2, next = NULL }
acc "data copy(list[0:1])" (function()    -- maps all nodes of the list
  acc "parallel present(list[0:1])" "list->next->value = 20;"
end)
expect.host("list->next->value", 20)
]] },
  { name = "openacc-2.0", follows = "OpenACC 2.0",
    text = "Plain clauses require absent data; only the `present_or_` clauses accept present data.",
    against = "tr14",
    example = [[
declare "float a[4];"
acc "enter data copyin(a)"
expect.fails("already-present", function() acc "data copyin(a)" end)
acc "data present_or_copyin(a)" (function() end)
]] },
  { name = "openacc-3.3", follows = "OpenACC 3.3",
    text = "Attach and detach use counters, and do nothing if a pointer or target is absent. A null pointer is"
      .. " present with length zero. A section of a member is mapped without the structure.",
    against = "tr14",
    example = [[
declare "struct vector { int n; float *data; } v;"
acc "enter data copyin(v)"
acc "enter data copyin(v.data[0:2])"      -- null: only the pointer is attached
acc_detach "v.data"                       -- once more does no harm
acc_detach "v.data"
acc "exit data delete(v)"
acc "exit data delete(v)"
]] },
  { name = "openacc-3.4", follows = "OpenACC 3.4",
    text = "As 3.3, with modifiers of data clauses: `always`, `alwaysin` and `alwaysout` copy data that are present,"
      .. " `capture` asks for a copy of its own.",
    against = "openacc-3.3",
    example = [[
declare "float a[4];"
acc "enter data copyin(a)"
host.a[0] = 1
acc "data copy(capture, always: a)" (function()
  expect.device("a[0]", 1)                -- copied, although present
  acc "parallel present(a)" "a[1] = 2;"
end)
expect.host("a[1]", 2)                    -- copied back, although enter data holds the data
]] },
  { name = "libgomp-12", follows = "gcc 12's own runtime",
    text = "What libgomp does where OpenACC 3.3 differs or is silent. `spec/openacc/libgomp.lua` has the list, D1 to"
      .. " D26.",
    against = "openacc-3.3",
    example = [[
declare "struct vector { int n; float *data; } v;"
host.v = { n = 2, data = { 1, 2 } }
acc "enter data copyin(v, v.data[0:2])"
local there = acc_deviceptr "v.data[0]"
acc "update self(v)"
expect(host.v.data == there)              -- attached pointers are copied like other bytes
]] },
  { name = "directory", follows = "the paper on a directory for nested data environments",
    text = "Sections of one array, named by nested environments, are in one device block at their true distances. A"
      .. " level unmaps its data at its end.",
    against = "tr14",
    example = [[
declare "float a[100];"
acc "data copyin(a[0:20])" (function()
  acc "data copyin(a[50:20])" (function() -- moves both pieces into one block
    expect.equal(acc_deviceptr "a[50]" - acc_deviceptr "a[0]", 50)
  end)
end)
]] },
  { name = "openmp-5.1", follows = "OpenMP's `map` as of 5.1",
    text = "One reference counter. A pointer is attached if the pointer or its target is new. Variables that a target"
      .. " construct uses without naming them are mapped by their kind.",
    against = "openmp-4.0",
    example = [[
declare "float *p; int n = 1;"
host.p = { 1, 2 }
omp "target data map(p[0:2])" (function()
  omp "target" "n = 2; p[1] = 20;"        -- n is firstprivate, p finds its section by its value
end)
expect.host("n", 1)
expect.host("p[1]", 20)
]] },
  { name = "openmp-5.2", follows = "OpenMP 5.2",
    text = "As 5.1, with the spellings of 5.2: a map needs no type, `enter data` and `exit data` take `tofrom`,"
      .. " `declare target` has `enter`. A pointer without a present target keeps its value.",
    against = "openmp-5.1",
    example = [[
declare "int a[4];"
omp "declare target enter(a)"
omp "target enter data map(a)"            -- maps it as map(to: a) does
]] },
  { name = "openmp-6.0", follows = "OpenMP 6.0",
    text = "As 5.2, with the spellings of 6.0: the map type `storage`, the modifiers `delete`, `self`, `ref_ptr`,"
      .. " `ref_ptee` and `ref_ptr_ptee`, `p[:]`, names of directives with underscores. Modifiers have any order, and"
      .. " commas between them. `to` on `declare target` is gone.",
    against = "openmp-5.2",
    example = [[
declare "int a[4], *p;"
host.p = addr "a[0]"
omp "target_enter_data map(storage: a)"
omp "target map(p[:])" "p[1] = 2;"
omp "target_exit_data map(delete, from: a)"
expect.host("a[1]", 2)
]] },
  { name = "openmp-6.1", follows = "the previews of OpenMP 6.1 (TR14 of OpenMP)",
    text = "As 6.0, with the modifier `attach(auto)`, `attach(always)` or `attach(never)` on maps.",
    against = "openmp-6.0",
    example = [[
declare "int a[4], *p;"
host.p = addr "a[0]"
omp "target enter data map(p, a)"         -- p is no list item's base pointer
omp "target enter data map(attach(always): p[0:2])"
expect.attached "p"                       -- though neither p nor a is new
]] },
  { name = "libgomp-12-openmp", follows = "gcc 12's own runtime for OpenMP",
    text = "As 5.1, but pointers are attached whenever both are present, and get the host's value again where their"
      .. " target leaves. `tests/explore/known_gcc.lua` has what else differs.",
    against = "openmp-5.1",
    example = [[
declare "float A[4]; struct s { int n; float *a; } S;"
host.S.a = addr "A[0]"
omp "target enter data map(to: S, A)"
omp "target data map(to: S.a[0:4])" (function()
  expect.attached "S.a"                   -- although neither is new
end)
]] },
  { name = "libomptarget-19", follows = "the runtime of LLVM 19",
    text = "As 5.1, but `S.a[0:n]` maps the pointer `S.a`, too, and attaches it always. Members that"
      .. " one construct maps are one range. Each list item counts, the members of one structure together: of data"
      .. " that a construct names twice the first item decides whether new data are copied to the device. Its end"
      .. " begins with the last item, and the item that removes the last reference copies back. Pointers on the way to"
      .. " an item, as in `t.s->d->x`, are mapped, too, and keep a reference. A pointer of a section of length zero"
      .. " keeps its value where nothing is present; in `use_device_ptr` it is null."
      .. " `tests/explore/known_clang.lua` has what else differs.",
    against = "openmp-5.1",
    example = [[
declare "float A[4]; struct s { int n; float *a; } S;"
host.S.a = addr "A[0]"
omp "target enter data map(to: S.a[0:4])"
expect.present "S.a"                      -- the pointer, too
]] },
  { name = "libomptarget-14", follows = "the runtime of LLVM 14",
    text = "As `libomptarget-19`, but a pointer of a section of length zero is null on the device where nothing is"
      .. " present. LLVM 14 itself ends a program whose construct removes data twice; the profile does not.",
    against = "libomptarget-19",
    example = [[
declare "int *p; int is_null;"
host.p = { 1, 2, 3 }
omp "target map(p[:0]) map(from: is_null)" "is_null = p == 0;"
expect.host("is_null", 1)                 -- nothing is present at p
]] },
  { name = "openmp-4.0", follows = "OpenMP's first `map`",
    text = "A section is mapped in two steps, with its pointer. Variables that no clause names are `tofrom`.",
    against = "openmp-5.1",
    example = [[
declare "float *p; int n = 1;"
host.p = { 1, 2 }
omp "target data map(p[0:2])" (function()
  expect.present "p"                      -- the pointer, too
  omp "target" "n = 2;"
end)
expect.host("n", 2)                       -- copied back
]] },
  { name = "indirect", follows = "the proposal for indirect data on top of OpenMP 4.0",
    text = "A section maps the target of a pointer, and not the pointer. Pointers that no clause names are looked up"
      .. " by the address they hold.",
    against = "openmp-4.0",
    example = [[
declare "float *a, *inner;"
host.a = { 1, 2 }
host.inner = host.a                       -- a second pointer to the same array
omp "target data map(a[0:2])" (function()
  omp "target" "inner[1] = 20;"
end)
expect.host("a[1]", 20)
]] },
}
