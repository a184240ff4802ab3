-- language.lua - reference chapter: the scenario language: head, host program, directives, inspection.
-- reference/init.lua describes the entries.
return {
  title = "The scenario language",
  text = [[
A scenario is a Lua 5.4 script. It sees the names below, the expectations, the routines of OpenACC and OpenMP, and the
safe part of Lua's library. Expressions, types and directives are texts in the scenario's language: C (with C++ types)
or Fortran.]],
  prelude = [[
declare [=[
  struct vector { int n; float *data; };
  struct vector v;
  float a[4] = { 1, 2, 3, 4 };
  int n = 4;
]=]
host.v = { n = 2, data = { 5, 6 } }
]],

  { class = "accdeep.head", text = "The head of a scenario.", fields = {
    "title? string - the name of the scenario in reports",
    "rules? string|table - the rule profile, or a table `{ base = \"tr14\", knob = value }`; default: OpenMP's newest"
      .. " if all directives are of OpenMP, else `\"tr14\"`",
    "cites? string[] - ids of the rules that its cases show",
    "devices? integer - number of devices, 1 to 64; default 1",
    "language? string - `\"c\"` or `\"fortran\"`; default: Fortran if `fortran` comes first, else C",
    "strict? boolean - `false` turns three errors off: unmapping an object to which a pointer is attached, detaching"
      .. " an unattached pointer, using a device address from before a fusion",
    "async? string - when queued work is done: `\"program\"`, at once; `\"delayed\"`, at the matching wait;"
      .. " `\"concurrent\"`, while the scenario continues, if the device can (cuda)",
    "descriptors? string - layout of Fortran's descriptors: `\"cfi\"` (default), `\"flang\"`, `\"gfortran\"`",
  } },

  { name = "scenario", params = { "head accdeep.head - title, rules, and other settings of the whole file" },
    text = "The head of the file. It is optional; if present, it is the first statement.",
    rules = "HOUSE-scenario HOUSE-names",
    whole = true,
    errors = {
      { "unknown-name", "an unknown field, profile, language or rule id", [[scenario { titel = "x" }]] },
      { "type-mismatch", "a field of the wrong kind", [[scenario { title = {} }]] },
      { "no-device", "`devices` is not a number from 1 to 64", [[scenario { devices = 0 }]] },
      { "scenario-error", "not the first statement, or a second head",
        [[declare "int n;" scenario { title = "late" }]] },
    },
    example = [[
scenario { title = "Two devices", rules = "openacc-3.3", devices = 2, cites = { "ACC33-2.6.7-3" } }
declare "int n = 1;"
acc "enter data copyin(n)"
expect.count("n", { structured = 0, dynamic = 1 })
]] },

  { name = "case", params = { "name string - its name in reports; may be left out", "body fun() - the case" },
    text = "An independent part of the file, with a result of its own. It starts with devices of its own, and with a"
      .. " copy of the file's declarations and values so far. Other cases do not see what it does.",
    rules = "HOUSE-scenario",
    errors = {
      { "scenario-error", "a case inside a case", [[case("outer", function() case("inner", function() end) end)]] },
      { "type-mismatch", "there is no function", [[case "no body"]] },
      { "region-nesting", "a region is still open when the case ends",
        [[case("open", function() acc "data copy(a)" end)]] },
    },
    example = [[
case("a copy is made", function()
  acc "enter data copyin(a)"
  expect.present "a"
end)
case("which the next case does not see", function()
  expect.absent "a"
end)
]] },

  { name = "rules", params = {
      "wanted string|table - a profile, or `{ base = profile, knob = value }`, or `\"profile+knob=value\"`" },
    returns = { "string|table - the argument" },
    text = "Selects other rules for what follows. It must come before any declaration. At the beginning of a case it"
      .. " holds for that case, which keeps the declarations and values of its file.",
    rules = "HOUSE-scenario HOUSE-names HOUSE-knobs ACC20-2.6-1",
    whole = true,
    errors = {
      { "unknown-name", "an unknown profile or knob", [[rules "openacc-9"]] },
      { "type-mismatch", "a value that the knob does not take", [[rules { update = "sideways" }]] },
      { "scenario-error", "something is declared already", [[declare "int n;" rules "tr14"]] },
    },
    example = [[
declare "int n = 1;"
for _, profile in ipairs { "tr14", "openacc-3.3" } do
  case("an absent object leaves, " .. profile, function()
    rules(profile)
    if profile == "tr14" then
      expect.fails("not-present", function() acc "exit data delete(n)" end)
    else
      acc "exit data delete(n)" -- nothing to do
    end
  end)
end
]] },

  { name = "declare", params = { "text string - declarations in C or C++" },
    text = "Declares types and variables: structures, classes, unions, enumerations, templates and namespaces."
      .. " `#pragma acc shape`, `policy` and `#pragma omp declare mapper` may be inside or beside types; `declare"
      .. " target`, `requires`, `acc declare` and `routine` beside them. Layout follows the C ABI of x86-64 System V"
      .. " and the Itanium C++ ABI. Bounds may call a member function whose body is one `return`; other bodies are"
      .. " skipped. Constructors and destructors never run. A variable without an initialiser is zero, and a `const`"
      .. " one cannot be assigned to. Virtual base classes, bit-fields, specialised templates and packs are refused."
      .. " For such a class use `declare_from`, which takes the compiler's layout.",
    rules = "HOUSE-layout HOUSE-syntax HOUSE-names TR14-3.1.1-01",
    errors = {
      { "syntax", "text that does not parse", [[declare "int 3;"]] },
      { "unknown-type", "an unknown type", [[declare "vektor w;"]] },
      { "duplicate-name", "a name that is declared already", [[declare "int n;"]] },
      { "unsupported", "bit-fields, virtual base classes and the like",
      [[declare "struct s { int b : 3; };"]] },
      { "unknown-member", "a shape with an unknown member",
        [[declare "struct s { int *p; \n #pragma acc shape include(q[0:2])\n };"]] },
    },
    example = [[
declare [=[
  struct matrix {
    int rows, columns;
    double *at;
    #pragma acc shape include(at[0:rows*columns])
  };
  struct matrix m = { 2, 3 };
]=]
host.m.at = { 1, 2, 3, 4, 5, 6 }
acc "data copyin(m)" (function() expect.present "m.at[0:6]" end)
]] },

  { name = "declare_from", params = { "program string - a file that was compiled with -g",
      "type string - a structure, class or derived type of the program" },
    text = "Declares a type, and the types that it needs, from a program's debug information. The layout is the"
      .. " compiler's. The scenario must be trusted, because files are read. `accdeep types PROGRAM` lists the types"
      .. " of a program.",
    rules = "HOUSE-debug",
    errors = {
      { "unsupported", "the scenario is not trusted", [[declare_from("a.out", "struct cell")]] },
    },
    example = [[
-- accdeep run --trust: declare_from("build/particles", "struct cell")
expect.fails("unsupported", function() declare_from("build/particles", "struct cell") end)
]] },

  { name = "fortran", params = { "text string - declarations, statements and procedures in Fortran" },
    text = "Executes Fortran: derived types, `allocatable` and `pointer`, `allocate`, `deallocate`, `nullify`,"
      .. " assignments, pointer assignments, loops, `select type` and subroutines. An `!$acc` line is carried out"
      .. " when it is encountered. Names ignore case. Allocatables and pointers have descriptors in memory.",
    rules = "FLANG-api-1 TR14-1.1-05 HOUSE-syntax",
    whole = true,
    errors = {
      { "syntax", "text that does not parse", [[fortran "integer ::"]] },
      { "type-mismatch", "a scenario whose language is C", [[scenario { language = "c" } fortran "integer :: i"]] },
    },
    example = [[
fortran [=[
  real, allocatable :: x(:)
  allocate(x(2:4))
  x = 1.0
  !$acc enter data copyin(x)
]=]
expect.present "x"
expect.device("x(2)", 1)
]] },

  { name = "call", params = { "text string - `name(arguments)`" },
    text = "Calls a subroutine that a `fortran` text has defined.",
    rules = "HOUSE-names",
    whole = true,
    errors = { { "unknown-name", "there is no such subroutine", [[fortran "integer :: i" call "halve(i)"]] } },
    example = [[
fortran [=[
  integer :: i = 1
  contains
  subroutine double(k)
    integer :: k
    k = 2 * k
  end subroutine
]=]
call "double(i)"
expect.host("i", 2)
]] },

  { name = "output", params = {}, returns = { "string[] - the lines" },
    text = "The lines that Fortran's `print` has written since the last call of `output`.",
    rules = "HOUSE-language",
    whole = true,
    example = [[
fortran "print *, 6 * 7"
expect.equal(output()[1]:match "%S+", "42")
]] },

  { class = "accdeep.memory", text = "Memory of the host, or of a device as a kernel sees it. Variables are fields;"
      .. " expressions are texts.", call = "fun(expression: string): any", fields = { "[string] any - a variable" } },

  { name = "host", is = "table", type = "accdeep.memory",
    text = "The host's memory. `host.NAME` reads or writes a variable. Members are fields; elements are numbered from"
      .. " 0. A table assigned to a structure sets the listed members; assigned to an array, its elements. A table"
      .. " assigned to a pointer allocates host memory for its elements. `host \"EXPR\"` gives the value of an"
      .. " expression; a section gives a table.",
    rules = "HOUSE-names HOUSE-language TR14-1.1-02",
    errors = {
      { "unknown-name", "an unknown variable", [[host.w = 1]] },
      { "unknown-member", "an unknown member", [[print(host.v.size)]] },
      { "out-of-bounds", "an index outside of the object", [[print(host.a[4])]] },
      { "null-pointer", "a null pointer is followed", [[host.v.data = NULL print(host.v.data[0])]] },
      { "type-mismatch", "a value that does not fit", [[host.n = "four"]] },
    },
    example = [[
host.v.data[1] = 60
host.v = { n = 1 }                        -- data stays as it is
expect.equal(host.v.data[1], 60)
expect.equal(host "v.n + a[3]", 5)
expect.equal(host "a[1:2]", { 2, 3 })
]] },

  { class = "accdeep.pointer", text = "A pointer of the scenario. `p[i]` is an element, `p + n` and `p - n` are"
      .. " pointers, `p - q` is a number of elements, `p == q` compares. Other fields are members of what it points"
      .. " to. Reading through it is checked as in a kernel.",
    operators = { "add(integer): accdeep.pointer", "sub(integer): accdeep.pointer", "sub(accdeep.pointer): integer" },
    fields = { "[integer] any - an element", "[string] any - a member",
      "values fun(self: accdeep.pointer, n: integer): table - the first n elements as a list" } },

  { name = "alloc", params = { "type string - of one element", "count integer - number of elements",
      "init? table|number|fun(i: integer): number - values of the elements: a list, one for all, or a function"
        .. " of the index" },
    returns = { "accdeep.pointer - to the first element" },
    text = "Allocates host memory for elements of a type. Without `init` the elements are not initialised.",
    rules = "HOUSE-language HOUSE-names",
    errors = {
      { "unknown-type", "an unknown type, or one without a size", [[alloc("vektor", 1)]] },
      { "invalid-section", "a negative number of elements", [[alloc("int", -1)]] },
    },
    example = [[
host.v.data = alloc("float", 3, function(i) return 10 * i end)
expect.equal(host "v.data[0:3]", { 0, 10, 20 })
]] },

  { name = "free",
    params = { "pointer accdeep.pointer - what `alloc` or an assigned table gave; `NULL` does nothing" },
    text = "Releases host memory. Its device copies stay present, as with C's `free`. Following a pointer to released"
      .. " memory is an error.",
    rules = "HOUSE-language TR14-1.1-02",
    errors = {
      { "out-of-bounds", "not the start of a block, or already released", [[free(addr "a[1]")]] },
      { "device-pointer-on-host", "not a host pointer", [[free(acc_malloc(8))]] },
    },
    example = [[
local p = host.v.data
free(p)
expect.fails("out-of-bounds", function() print(p[0]) end)
]] },

  { name = "addr", params = { "text string - a variable, member, element or section" },
    returns = { "accdeep.pointer - its address; within `host_data` the device address" },
    text = "The address of an object, C's `&`.",
    rules = "HOUSE-names",
    errors = {
      { "unknown-name", "an unknown variable", [[addr "w"]] },
      { "type-mismatch", "an expression that is not an object", [[addr "n + 1"]] },
    },
    example = [[
expect.equal(addr "a[2]" - addr "a[0]", 2)
host.v.data = addr "a[1]"
expect.equal(host.v.data[0], 2)
]] },

  { name = "NULL", is = "value", type = "accdeep.pointer",
    text = "The null pointer.", rules = "HOUSE-language",
    example = [[
host.v.data = NULL
expect(host.v.data == NULL)
]] },

  { name = "sizeof", params = { "text string - a type, or a variable, member or section" },
    returns = { "integer - bytes" },
    text = "The size of a type or an object.",
    rules = "HOUSE-layout HOUSE-names",
    errors = { { "unknown-type", "a type without a size", [[declare "struct later;" sizeof "struct later"]] } },
    example = [[
expect.equal(sizeof "struct vector", 16)
expect.equal(sizeof "a[0:3]", 12)
]] },

  { name = "func", params = { "name string - how texts call it", "fn fun(...: number): number - the function" },
    text = "Makes a Lua function known to expressions and section bounds. Its arguments are numbers and pointers.",
    rules = "TR14-3.1.1-21 HOUSE-names",
    errors = {
      { "duplicate-name", "the name is declared already", [[func("n", function() return 1 end)]] },
      { "type-mismatch", "not a name, or not a function", [[func("f", 3)]] },
    },
    example = [[
func("half", function(k) return k // 2 end)
acc "data copy(a[0:half(n)])" (function()
  expect.present "a[0:2]"
  expect.absent "a[2:2]"
end)
]] },

  { name = "method", params = { "type string - a structure or class", "name string - how expressions call it",
      "fn fun(self: accdeep.pointer, ...: number): number - the function" },
    text = "Makes a Lua function a member function of a type: in expressions, in bounds, and as `object:name(...)`."
      .. " Directives in the function know `this`, and its members by name.",
    rules = "TR14-3.1.1-21 HOUSE-names",
    errors = {
      { "not-a-struct", "a type without members", [[method("int", "size", function() return 1 end)]] },
      { "duplicate-name", "the type has such a member", [[method("struct vector", "n", function() return 1 end)]] },
    },
    example = [[
method("struct vector", "size", function(self) return self.n end)
acc "data copy(v) copy(v.data[0:v.size()])" (function() expect.present "v.data[0:2]" end)
]] },

  { class = "accdeep.region", text = "An open region. It ends by `region:close()`, by `acc \"end data\"`, or at the"
      .. " end of a scope: `local r <close> = acc \"data ...\"`. Called with a function, it runs the function and"
      .. " ends. `region:abandon()` gives up a region whose end fails: its references are removed, and nothing is"
      .. " copied to the host.",
    call = "fun(body: fun())", fields = { "close fun(self: accdeep.region) - ends the region",
      "abandon fun(self: accdeep.region) - gives the region up; nothing is copied to the host" } },

  { name = "acc", params = { "text string - a directive of OpenACC, with or without `#pragma acc` or `!$acc`",
      "refs? string - for a Lua body: variables that it uses and no clause names, \"S1, n\"" },
    returns = { "accdeep.region|fun(body: string|fun(d: accdeep.memory))|nil - a region, a compute construct"
      .. " that waits for its body, or nothing" },
    text = "Executes a directive. `enter data`, `exit data`, `update`, `shape`, `policy`, `declare`, `wait`,"
      .. " `set`, `init` and `shutdown` are done at once. `data` and `host_data` open a region. `parallel`, `serial`,"
      .. " `kernels` and their `loop` forms take a body: a function of the device's memory, or C statements as text."
      .. " Unlike on hardware, a body fails if it follows a host address or reads bytes that were never written."
      .. " Copying such bytes to the host is not an error: their values are undefined, here 0x7F. In a body's text,"
      .. " one thread carries out `loop`, `atomic` and `cache`; other directives are refused. Other pragmas"
      .. " (`unroll`, `ivdep`, `once`, `STDC`, `GCC`, `clang`) are ignored. A directive that fails changes nothing.",
    rules = "HOUSE-syntax HOUSE-expect TR14-4.2-06 TR14-4.2-11 DIR-4.3-06",
    errors = {
      { "syntax", "text that does not parse", [[acc "data copy("]] },
      { "unknown-clause", "an unknown clause", [[acc "data kopy(a)"]] },
      { "unknown-name", "an unknown variable", [[acc "data copy(w)"]] },
      { "clause-not-allowed", "a clause of other directives", [[acc "enter data copyout(a)"]] },
      { "not-present", "data that must be present are not", [[acc "update self(a)"]] },
      { "partially-present", "only a part is present", [[acc "enter data copyin(a[0:2])" acc "data present(a)"]] },
      { "host-pointer-on-device", "a kernel follows an unattached pointer",
        [[acc "enter data copyin(v)" acc "parallel present(v)" "v.data[0] = 0;"]] },
      { "uninitialized-read", "a kernel reads bytes that were never written",
        [[acc "parallel create(a)" "n = a[0];"]] },
      { "out-of-device-memory", "the device has not enough memory",
        [[acc_malloc(16 << 30) acc "enter data copyin(a)"]] },
    },
    example = [[
acc "data copy(a)" (function()
  acc "parallel loop" "for (int i = 0; i < n; i++) a[i] *= 2;"
  acc "parallel" (function(d) d.a[0] = d.a[3] + 1 end)
end)
expect.host("a[0:4]", { 9, 4, 6, 8 })

local region <close> = acc "data copyin(v, v.data[0:v.n])"
expect.attached("v.data", 1)
]] },

  { name = "omp", params = { "text string - a directive of OpenMP, with or without `#pragma omp`",
      "refs? string - for a Lua body: variables that it uses and no clause names" },
    returns = { "accdeep.region|fun(body: string|fun(d: accdeep.memory))|nil - as for `acc`" },
    text = "Executes a directive of OpenMP: `target` and its combined forms, `target data`, `target enter data`,"
      .. " `target exit data`, `target update`, `declare mapper`, `declare target`, `declare group`. Constructs of"
      .. " the host, such as `parallel`, are run by one thread. In the body of a target construct, one thread runs"
      .. " the constructs of threads. In the body of a host construct, target constructs and data directives are"
      .. " carried out on devices. No directive in a text is ignored.",
    rules = "OMP60-map-5 OMP60-tgt-1 OMP60-body-1 HOUSE-threads HOUSE-bodies",
    errors = {
      { "syntax", "text that does not parse", [[omp "target map("]] },
      { "unknown-name", "an unknown variable", [[omp "target data map(w)"]] },
    },
    example = [[
omp "target data map(tofrom: a)" (function()
  omp "target teams distribute parallel for" "for (int i = 0; i < 4; i++) a[i] = i;"
end)
expect.host("a[0:4]", { 0, 1, 2, 3 })
]] },

  { name = "ir", params = { "text string - statements of the construct IR", "path? string - file that has the text" },
    text = "Executes the constructs that a text of the construct IR describes, in order. `accdeep explain --ir` prints"
      .. " such a text for a directive; `accdeep run FILE.ir` runs a file of it. Names in the text are variables of the"
      .. " scenario, or memory that the text declares. Regions that the text opens are ended in it. If the text is"
      .. " wrong, nothing is executed; if a statement fails, the open regions are abandoned.",
    rules = "HOUSE-ir",
    errors = {
      { "syntax", "a text that is no construct IR, or of another version", [[ir "accdeep ir 2"]] },
      { "unknown-name", "a variable that does not exist", [=[ir [[
accdeep ir 1
construct enter_data
  r0 = &w
  item copyin of 4 base r0 "w"
]]]=] },
      { "region-nesting", "a region that is still open at the end of the text",
        [=[ir "accdeep ir 1; construct region"]=] },
    },
    example = [=[
ir [[
accdeep ir 1
construct enter_data
  r0 = &a
  r1 = 4
  item copyin of 4 base r0 count r1 "a" section
]]
expect.present "a[0:4]"
]=] },

  { name = "block", params = { "body fun() - the statements of the block" },
    text = "A block of the host program. Groups of clauses (`declare group`) that it declares end with it.",
    rules = "LLNL-4-01",
    errors = { { "type-mismatch", "there is no function", [[block "text"]] } },
    example = [[
block(function()
  omp "declare group name(mine) map(to: a)"
  omp "target data bind_group(mine)" (function() expect.present "a" end)
end)
]] },

  { name = "vocabulary", params = { "words table - words, and the fields `bound` and `regions`" },
    text = "The words of which `accdeep explore` makes all programs; the last statement of its file. A word is `acc`,"
      .. " `omp`, `host` or `fortran` with a text, or `kernel` with statements for the device; `acc` and `omp` may have"
      .. " a second text, the body. In a vocabulary these carry nothing out. A text with `{x,y}` stands for a word"
      .. " with `x` and one with `y`. `bound`: words of the longest programs; default 4. `regions`: `\"nested\"`, one"
      .. " word ends the innermost region; `\"free\"`, each region has a word that ends it.",
    rules = "HOUSE-explore",
    errors = {
      { "type-mismatch", "something that is no word, or a field of the wrong kind", [[vocabulary { "data copy(a)" }]] },
      { "unknown-name", "an unknown field", [[vocabulary { acc "data copy(a)", depth = 3 }]] },
      { "limit", "more than 200 words", [[
vocabulary { acc "update self(a[{0,1,2,3,4,5,6,7,8,9}{0,1,2,3,4,5,6,7,8,9}{0,1,2,3}:1])" }]] },
      { "scenario-error", "a second vocabulary", [[vocabulary { host "n = 1" } vocabulary { host "n = 2" }]] },
      { "syntax", "a word that does not parse", [[vocabulary { acc "enter data copyin(" }]] },
    },
    example = [[
vocabulary { bound = 3,
  acc "enter data copyin({a,v})",
  acc "exit data delete({a,v})",
  host "a[0] = 5",
  kernel "a[1] = 6",
}
]] },

  { class = "accdeep.state", text = "What a device holds.", fields = {
    "levels table[] - open regions, outermost first: `{ kind=, at=, original={}, artificial={} }`",
    "present table[] - `{ name=, host=, bytes=, device=, structured=, dynamic=, state=\"ALLOC\"|\"ALIAS\", at= }`",
    "attached table[] - `{ name=, target=, count= }`",
    "queues table[] - pending work, by async value",
  } },

  { name = "state", params = { "device? integer - number of the device; default: the current one" },
    returns = { "accdeep.state - present objects, attached pointers, open regions" },
    text = "What a device holds now, as tables.",
    rules = "DIR-4.1-03 DIR-1-04",
    errors = {
      { "no-device", "there is no such device", [[state(5)]] },
      { "unknown-name", "a field that a state does not have", [[print(state().presnt)]] },
    },
    example = [[
acc "enter data copyin(v, v.data[0:2])"
local s = state()
expect.equal(#s.present, 2)
expect.equal(s.attached[1].name, "v.data")
]] },

  { name = "tuples", params = { "list table[]|nil - tuples of `state()`, as `levels[1].original`" },
    returns = { "string[] - their states and names, and the tuples that contain them; sorted" },
    text = "The tuples of a level as texts, to be compared.",
    rules = "DIR-4.1-03",
    whole = true,
    errors = { { "type-mismatch", "not a list of tuples", [[tuples { 1 }]] } },
    example = [[
scenario { title = "Tuples", rules = "directory" }
declare "float b[8];"
acc "data copyin(b[0:4])" (function()
  acc "data copyin(b[1:2])" (function()
    local level = state().levels[2]
    expect.equal(tuples(level.original), { "copyin b[1:2]" })
    expect.equal(tuples(level.artificial), { "ALIAS b[0:4] of b[0:4] b[1:2]" })
  end)
end)
]] },

  { name = "device_words", params = { "expression string - a variable, member or section" },
    returns = { "integer[] - its words of 8 bytes on the current device; the last one may be shorter" },
    text = "The device memory of a present object, without the checks of a kernel: also device addresses in pointers,"
      .. " and bytes that were never written.",
    rules = "HOUSE-expect",
    errors = { { "not-present", "the object is not present, or only a part of it", [[device_words "v"]] } },
    example = [[
acc "enter data copyin(v)"
local before = device_words "v"
acc "enter data copyin(v.data[0:2])"
expect(device_words "v"[2] ~= before[2]) -- the pointer was attached
]] },

  { name = "show", params = { "device? integer - number of the device; default: the current one" },
    text = "Prints what a device holds, as tables to read.",
    rules = "DIR-4.1-03 DIR-1-04",
    errors = { { "no-device", "there is no such device", [[show(5)]] } },
    example = [[
acc "data copy(a)" (function() show() end)
]] },

  { name = "draw", params = { "name string - of a file without a folder; it ends in .svg, .dot or .html" },
    text = "Draws host and device at this moment: objects with their members, pointers and attachments. `accdeep run"
      .. " --draw-dir FOLDER` says where pictures are written. `accdeep draw` makes pictures of all steps of a"
      .. " scenario.",
    rules = "HOUSE-draw",
    errors = {
      { "type-mismatch", "another ending", [[draw "state.png"]] },
      { "file", "a name with a folder, or no folder for pictures", [[draw "../state.svg"]] },
    },
    example = [[
acc "data copy(a)" (function() draw "inside.svg" end)
]] },

  { class = "accdeep.event", text = "One step of a directive.", fields = {
    "op string - `alloc`, `free`, `h2d`, `d2h`, `d2d`, `attach`, `detach`, `incref`, `decref` or `fuse`",
    "name string - of the object, or of the pointer",
    "bytes integer - number of bytes",
    "rule string - the rule that asked for it",
    "at string - file and line of the directive",
    "device integer - the number of the device",
    "async? integer - its queue",
  } },

  { name = "events", params = { "fn fun() - runs the directives" },
    returns = { "accdeep.event[] - the events in order" },
    text = "Runs a function, and gives the events of its directives. Kernels and waits are in traces alone.",
    rules = "TR14-4.2-06 TR14-4.2-07 TR14-4.2-08",
    errors = { { "type-mismatch", "there is no function", [[events "text"]] } },
    example = [[
local list = events(function() acc "enter data copyin(a)" end)
expect.equal(tostring(list[1]), "alloc a")
expect.equal(list[2].op, "h2d")
expect.equal(list[2].bytes, 16)
]] },
}
