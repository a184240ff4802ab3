-- openmp_directives.lua - table of the directives and clauses of OpenMP and of LLNL's clause groups. Grammar, checks,
-- groups, exports, completion and `accdeep explain` read these entries: adding a clause means adding one entry.
--
-- A directive is {name, kind, association?, structured?, ends?, text}.
--   kind: the kind of its construct IR ("region", "enter data", ...), "compute", "host", "declare mapper",
--     "declare group", "declare target", "requires", "nothing", or "beyond" for known directives without support.
--   association: what belongs to it: "block", "loop" or "statement"; nil: it is standalone.
--   structured: true if it opens a region of data, which lasts until its end.
--   ends: the directive that it ends.
-- Combined constructs consist of parts: {name, association?, at_end?, text}.
--   at_end: the clauses of its end directive in Fortran.
--
-- A clause is {names, takes, directives, text, ...}.
--   names: its name, then its synonyms.
--   takes: the form of its argument (syntax/openmp_syntax.lua).
--   directives: the parts and directives that take it. `any`: all directives except declarations; `group`: only LLNL's
--     clause groups; "": none. NAME@60: since OpenMP 6.0; NAME<60: removed in OpenMP 6.0.
--   unique: true if the clause may occur only once on a directive.
--   own: true if no standard has the clause.
--   argument: the form of an argument stored as text: {words, modifiers? (words before its colon),
--     list? (more may follow after a comma)}, {optional} or {positive}.
--   attribute: data-sharing effect on a variable, as words. "own": each thread has a copy. "begins": the copy begins
--     with the original's value. "lasts": the original gets the last value. "shared": all threads use the original.
--     "combined": the copies are combined by an operator. "threads": copies a variable between threads.
--   exclusive: true if a variable may occur in only one clause with this field on a directive.
--   unmapped: true if a variable in it must not be mapped on the same construct.

local strings = require "accdeep.base.strings"

local openmp_directives = {}

openmp_directives.parts = {
  { "target", association = "block", text = "A compute construct on a device." },
  { "teams", association = "block", text = "A league of teams." },
  { "distribute", association = "loop", text = "The loop is divided among teams." },
  { "parallel", association = "block", text = "A team of threads." },
  { "for", association = "loop", at_end = "nowait", text = "The loop is divided among threads." },
  { "simd", association = "loop", text = "The loop uses vectors." },
  { "loop", association = "loop", text = "The loop may be divided freely." },
  { "sections", association = "block", at_end = "nowait", text = "Each section is run by one thread." },
  { "section", text = "Statements that one thread runs." },
  { "single", association = "block", at_end = "copyprivate nowait",
    text = "One thread runs the statements." },
  { "masked", association = "block", text = "Some threads run the statements." },
  { "master", association = "block", text = "The main thread runs the statements." },
  { "scope", association = "block", text = "A block with private variables." },
  { "task", association = "block",
    text = "A task; run at once by one thread here, or put into a queue with nowait of target." },
  { "taskloop", association = "loop", text = "The iterations become tasks." },
  { "taskgroup", association = "block", text = "Waits for the tasks that begin in it." },
  { "workshare", association = "block", at_end = "nowait",
    text = "Array statements are divided among threads." },
  { "critical", association = "block", text = "One thread at a time." },
  { "ordered", association = "block", text = "In the order of the iterations." },
  { "atomic", association = "statement", text = "One access that nothing interrupts." },
}

openmp_directives.directives = {
  { "target data", kind = "region", association = "block", structured = true, text = "Maps data for a region." },
  { "end target data", kind = "end data", ends = "target data", text = "Ends a target data region." },
  { "target enter data", kind = "enter data", text = "Maps data from here on." },
  { "target exit data", kind = "exit data", text = "Ends what target enter data began." },
  { "target update", kind = "update", text = "Copies data that are present." },
  { "declare target", kind = "declare target", text = "Variables and functions that live on the device." },
  { "begin declare target", kind = "declare target", text = "Begins declarations for devices." },
  { "end declare target", kind = "declare target", ends = "begin declare target",
    text = "Ends declarations for devices." },
  { "declare mapper", kind = "declare mapper", text = "How objects of a type are mapped." },
  { "declare group", kind = "declare group", text = "A group of clauses under a name." },
  { "requires", kind = "requires", text = "What the program requires of devices." },
  { "barrier", kind = "nothing", text = "All threads wait for each other." },
  { "taskwait", kind = "nothing", text = "Waits for the tasks." },
  { "taskyield", kind = "nothing", text = "Other tasks may run." },
  { "flush", kind = "nothing", text = "Threads see the same memory." },
  { "nothing", kind = "nothing", text = "Has no effect." },
}
for _, name in ipairs { "threadprivate", "declare simd", "declare reduction", "declare variant",
  "begin declare variant", "end declare variant", "metadirective", "begin metadirective", "end metadirective",
  "dispatch", "interop", "depobj", "allocate", "allocators", "assume", "assumes", "begin assumes", "end assumes",
  "error", "scan", "cancel", "cancellation point", "tile", "unroll" } do
  table.insert(openmp_directives.directives, { name, kind = "beyond", text = "Known, and not carried out." })
end

openmp_directives.clauses = {
  { "map", takes = "map", directives = "target target_data target_enter_data target_exit_data declare_mapper",
    text = "Maps data: to copies at entry, from at exit, tofrom both, alloc neither; release and delete at exit "
      .. "data. Modifiers: always, close, present, self, delete, mapper(...), iterator(...), ref_ptr, ref_ptee, "
      .. "ref_ptr_ptee, attach(...)." },
  { "to", takes = "motion", directives = "target_update declare_target<60",
    text = "On target update: copies to the device. On declare target: the variable lives on the device." },
  { "from", takes = "motion", directives = "target_update", text = "On target update: copies to the host." },
  { "private", takes = "vars",
    directives = "target teams distribute parallel for simd loop sections single scope task taskloop", exclusive = true,
    unmapped = true, attribute = "own", text = "Each thread or team has its own, uninitialised copy." },
  { "firstprivate", takes = "vars", directives = "target teams distribute parallel for sections single task taskloop",
    exclusive = true, unmapped = true, attribute = "own begins",
    text = "Each thread or team has its own copy with the original's value." },
  { "lastprivate", takes = "vars", directives = "distribute for simd loop sections taskloop", exclusive = true,
    attribute = "own lasts", text = "The original gets the value of the last iteration." },
  { "shared", takes = "vars", directives = "teams parallel task taskloop", exclusive = true, attribute = "shared",
    text = "All threads use the original." },
  { "copyin", takes = "vars", directives = "parallel", attribute = "threads",
    text = "Threads begin with the main thread's values of threadprivate variables." },
  { "copyprivate", takes = "vars", directives = "single", attribute = "threads",
    text = "The value of one thread becomes that of all." },
  { "use_device_ptr", takes = "vars", directives = "target_data",
    text = "Pointers are device addresses in the body of target data." },
  { "use_device_addr", takes = "vars", directives = "target_data",
    text = "Variables are at their device addresses in the body of target data." },
  { "is_device_ptr", takes = "vars", directives = "target", exclusive = true, unmapped = true,
    text = "The variables hold device addresses already." },
  { "has_device_addr", takes = "vars", directives = "target", exclusive = true, unmapped = true,
    text = "The variables are on the device already." },
  { "enter", takes = "vars", directives = "declare_target@52",
    text = "On declare target: the variable lives on the device." },
  { "link", takes = "vars", directives = "declare_target", text = "On declare target: mapped when it is used." },
  { "nontemporal", takes = "vars", directives = "simd", text = "Data that are used once: no effect here." },
  { "linear", takes = "linear", directives = "for simd", exclusive = true, attribute = "own begins lasts",
    text = "A private copy that grows with the iterations." },
  { "if", takes = "expression",
    directives = "target parallel simd task taskloop target_data target_enter_data target_exit_data target_update",
    text = "A condition: if it is false, the construct runs on the host, or nothing is mapped." },
  { "device", takes = "expression", directives = "target target_data target_enter_data target_exit_data target_update",
    unique = true, text = "The number of the device." },
  { "num_teams", takes = "expression", directives = "teams", unique = true,
    text = "How many teams: no effect on data." },
  { "num_threads", takes = "expression", directives = "parallel", unique = true,
  text = "How many threads: no effect on data." },
  { "thread_limit", takes = "expression", directives = "target teams", unique = true,
    text = "How many threads a team has at most: no effect on data." },
  { "priority", takes = "expression", directives = "task taskloop", unique = true,
    text = "Which task is run first: no effect here." },
  { "grainsize", takes = "expression", directives = "taskloop", unique = true,
    text = "How many iterations a task has." },
  { "num_tasks", takes = "expression", directives = "taskloop", unique = true, text = "How many tasks a loop makes." },
  { "final", takes = "expression", directives = "task taskloop", unique = true,
    text = "A condition: if it is true, the tasks inside are not deferred." },
  { "reduction", takes = "reduction", directives = "teams parallel for simd loop sections scope taskloop",
    exclusive = true, attribute = "combined", text = "Combines private copies by an operator." },
  { "in_reduction", takes = "reduction", directives = "target task taskloop", exclusive = true, attribute = "combined",
    text = "The task takes part in a reduction." },
  { "task_reduction", takes = "reduction", directives = "taskgroup", exclusive = true, attribute = "combined",
    text = "Combines copies of tasks by an operator." },
  { "default", takes = "words", directives = "teams parallel task taskloop", unique = true,
    text = "What happens with variables in no clause." },
  { "defaultmap", takes = "words", directives = "target",
    text = "What happens with variables that the body uses and no clause names, by category." },
  { "bind_group bind_groups", takes = "group", directives = "any", own = true,
    text = "Applies a group of clauses to the construct." },
  { "name", takes = "names", directives = "group", own = true, text = "The name of a group." },
  { "bind_all", takes = "names", directives = "group", own = true, text = "The constructs that a group is bound to." },
  { "bind_type", takes = "names", directives = "group", own = true, text = "The types that a group is bound to." },
  { "bind_types", takes = "types", directives = "any", own = true,
    text = "Applies groups to variables of their types." },
  { "depend", takes = "depend",
    directives = "target task ordered target_data@60 target_enter_data target_exit_data target_update taskwait",
    text = "The order of tasks, by the storage that they read (in) or write (out, inout)." },
  { "schedule", takes = "anything", directives = "for", unique = true,
    argument = { words = "static dynamic guided auto runtime", modifiers = "monotonic nonmonotonic simd",
      list = true }, text = "How iterations are dealt to threads: no effect on data." },
  { "dist_schedule", takes = "anything", directives = "distribute", unique = true,
    argument = { words = "static", list = true }, text = "How iterations are dealt to teams: no effect on data." },
  { "collapse", takes = "anything", directives = "distribute for simd loop taskloop", unique = true,
    text = "How many nested loops are one." },
  { "ordered", takes = "anything", directives = "for", unique = true, argument = { optional = true },
    text = "The loop has ordered constructs." },
  { "safelen", takes = "anything", directives = "simd", unique = true, argument = { positive = true },
    text = "How far apart iterations may be that run together." },
  { "simdlen", takes = "anything", directives = "simd", unique = true, argument = { positive = true },
    text = "How many iterations run together." },
  { "aligned", takes = "anything", directives = "simd", text = "How pointers are aligned: no effect here." },
  { "allocate", takes = "anything",
    directives = "target teams distribute parallel for sections single scope task taskloop taskgroup",
    text = "Where private copies are allocated: no effect here." },
  { "order", takes = "anything", directives = "distribute for simd loop", unique = true,
    argument = { words = "concurrent", modifiers = "reproducible unconstrained" },
    text = "Iterations may run in any order." },
  { "proc_bind", takes = "anything", directives = "parallel", unique = true,
    argument = { words = "master primary close spread" }, text = "Where threads run: no effect here." },
  { "threadset", takes = "anything", directives = "task@60 taskloop@60", unique = true,
    argument = { words = "omp_team omp_pool" }, text = "Which threads may run the task: no effect here." },
  { "memscope", takes = "anything", directives = "atomic@60 flush@60", unique = true,
    argument = { words = "all cgroup device" }, text = "The threads between which memory is ordered: no effect here." },
  { "uses_allocators", takes = "anything", directives = "target",
    text = "Allocators of the target construct: no effect here." },
  { "bind", takes = "anything", directives = "loop", unique = true, argument = { words = "teams parallel thread" },
    text = "Which threads share the loop." },
  { "device_type", takes = "anything", directives = "declare_target begin_declare_target", unique = true,
    text = "On which devices the procedures and variables live." },
  { "filter", takes = "anything", directives = "masked", unique = true, text = "Which thread runs the construct." },
  { "detach", takes = "anything", directives = "task", unique = true, text = "An event that ends the task." },
  { "hint", takes = "anything", directives = "critical atomic", unique = true,
    text = "How contended the access is: no effect here." },
  { "allocator", takes = "anything", directives = "", text = "A clause of allocate, which is not carried out." },
  { "indirect", takes = "anything", directives = "declare_target begin_declare_target", argument = { optional = true },
    text = "The procedures are called by pointers." },
  { "fail", takes = "anything", directives = "atomic", text = "The memory order of a comparison that fails." },
  { "doacross", takes = "anything", directives = "ordered", text = "The order of iterations." },
  { "nowait", takes = "none",
    directives = "target for sections single scope workshare target_data@60 target_enter_data target_exit_data "
      .. "target_update taskwait",
    unique = true, text = "The construct is a task: the host continues." },
  { "untied", takes = "none", directives = "task taskloop", unique = true,
    text = "Any thread continues the task: no effect here." },
  { "mergeable", takes = "none", directives = "task taskloop", unique = true,
    text = "The task may share its data: no effect here." },
  { "nogroup", takes = "none", directives = "taskloop", unique = true, text = "The loop does not wait for its tasks." },
  { "threads", takes = "none", directives = "ordered", text = "The order is that of threads." },
  { "simd", takes = "none", directives = "ordered", text = "The order is that of vectors." },
  { "read", takes = "none", directives = "atomic", text = "A read that nothing interrupts." },
  { "write", takes = "none", directives = "atomic", text = "A write that nothing interrupts." },
  { "update", takes = "none", directives = "atomic", text = "A read and a write that nothing interrupts." },
  { "capture", takes = "none", directives = "atomic", text = "A write, and the value before or after." },
  { "compare", takes = "none", directives = "atomic", text = "A write if a comparison holds." },
  { "weak", takes = "none", directives = "atomic", text = "A comparison may fail without a reason." },
  { "seq_cst", takes = "none", directives = "atomic flush", text = "The strongest memory order." },
  { "acq_rel", takes = "none", directives = "atomic flush", text = "The memory order of reads and writes." },
  { "acquire", takes = "none", directives = "atomic flush", text = "The memory order of reads." },
  { "release", takes = "none", directives = "atomic flush", text = "The memory order of writes." },
  { "relaxed", takes = "none", directives = "atomic", text = "No memory order." },
  { "unified_shared_memory", takes = "none", directives = "requires", text = "Devices share the memory of the host." },
  { "unified_address", takes = "none", directives = "requires", text = "Addresses are the same on all devices." },
  { "dynamic_allocators", takes = "none", directives = "requires",
    text = "Allocators are used on devices without a clause." },
  { "reverse_offload", takes = "none", directives = "requires", text = "Devices call the host." },
  { "self_maps", takes = "none", directives = "requires", text = "Maps use the memory of the host itself." },
}

-- ------------------------------------------------------------------------------------ derived tables --

-- Words that can follow in combined names: `parallel` after parallel; `masked` after masked and master; `distribute`
-- after teams.
local parallel = { "for simd", "for", "loop simd", "loop", "sections", "masked", "master" }
local masked = { "taskloop simd", "taskloop" }
local distribute = { "distribute parallel for simd", "distribute parallel for", "distribute simd", "distribute",
  "loop" }

-- `names`: names of directives with clauses, longest first, so that the longest name matches. `beyond`: list of known
-- directives without support.
openmp_directives.names, openmp_directives.beyond = {}, {}

-- Adds the name of a directive to openmp_directives.names.
local function add(name) table.insert(openmp_directives.names, name) end
-- Adds the name `prefix` .. `head`, and the combined names in which one of the list `tails` follows it.
local function add_combined(prefix, head, tails)
  add(prefix .. head)
  for _, tail in ipairs(tails) do add(prefix .. head .. " " .. tail) end
end
for _, directive in ipairs(openmp_directives.directives) do
  if directive.kind == "beyond" then
    table.insert(openmp_directives.beyond, directive[1])
  elseif directive.kind ~= "declare mapper" then -- declare mapper has its own grammar rule
    add(directive[1])
  end
end
for _, name in ipairs { "for", "simd", "for simd", "loop", "sections", "section", "single", "scope", "critical", "task",
  "taskloop simd", "taskloop", "taskgroup", "ordered", "atomic", "target", "target simd" } do
  add(name)
end
for _, head in ipairs { "masked", "master" } do
  add_combined("", head, masked)
  for _, tail in ipairs(masked) do add("parallel " .. head .. " " .. tail) end
end
for _, prefix in ipairs { "", "target " } do
  add_combined(prefix, "parallel", parallel)
  add_combined(prefix, "teams", distribute)
end
for _, name in ipairs(distribute) do if name ~= "loop" then add(name) end end

-- Comparison for table.sort: orders names by length, the longest first, then alphabetically.
local function longest_first(a, b) return #a > #b or #a == #b and a < b end
table.sort(openmp_directives.names, longest_first)
table.sort(openmp_directives.beyond, longest_first)

-- Entries of parts by name, and entries of directives by name. Those of combined constructs and of Fortran's end
-- directives are added when they are needed.
local part_by_name, by_name = {}, {}
for _, part in ipairs(openmp_directives.parts) do part_by_name[part[1]] = part end
for _, directive in ipairs(openmp_directives.directives) do by_name[directive[1]] = directive end
part_by_name["do"] = part_by_name["for"] -- Fortran's name

-- Returns what belongs to the directive `name`: "block", "loop", "statement" or nil. A combined construct has the
-- association of its last part.
local function association_of(name)
  return (by_name[name] or part_by_name[name:match "^.* (.*)$" or name]).association
end

local fortran_names -- cached result

-- Returns the list of the names of directives in Fortran, the longest first: those above with `do` for `for`,
-- workshare, and end directives.
function openmp_directives.fortran_names()
  if fortran_names then return fortran_names end
  fortran_names = {}
  -- Adds the name of a directive, and its end directive if statements belong to the directive.
  local function add_with_end(name)
    table.insert(fortran_names, name)
    if association_of(name) then table.insert(fortran_names, "end " .. name) end
  end
  for _, name in ipairs(openmp_directives.names) do
    if not name:find "^end " and not name:find "^begin " then add_with_end((name:gsub("%f[%a]for%f[%A]", "do"))) end
  end
  add_with_end "workshare"
  add_with_end "parallel workshare"
  table.sort(fortran_names, longest_first)
  return fortran_names
end

-- Tables built from the entries. clause: name -> entry. takes: form of an argument -> list of clause names.
-- clauses_of: part or directive -> clause -> true, the first version that has the clause, or minus the version that
-- removed it.
openmp_directives.clause, openmp_directives.takes, openmp_directives.clauses_of = {}, {}, { any = {}, group = {} }
-- Tables of `clauses_of` by name of the directive with underscores, such as target_data.
local clauses_by_word = { any = openmp_directives.clauses_of.any, group = openmp_directives.clauses_of.group }
for _, list in ipairs { openmp_directives.parts, openmp_directives.directives } do
  for _, directive in ipairs(list) do
    local clauses = {}
    openmp_directives.clauses_of[directive[1]], clauses_by_word[directive[1]:gsub(" ", "_")] = clauses, clauses
  end
end
openmp_directives.clauses_of["do"] = openmp_directives.clauses_of["for"] -- Fortran's name
for _, entry in ipairs(openmp_directives.clauses) do
  local names = openmp_directives.takes[entry.takes] or {}
  openmp_directives.takes[entry.takes] = names
  for _, name in ipairs(strings.word_list(entry[1])) do
    openmp_directives.clause[name] = entry
    names[#names + 1] = name
    for _, word in ipairs(strings.word_list(entry.directives)) do
      if clauses_by_word[word] then
        clauses_by_word[word][name] = true
      else
        local directive, sign, version = word:match "^(.*)([@<])(%d+)$"
        clauses_by_word[directive][name] = sign == "<" and -tonumber(version) or tonumber(version)
      end
    end
  end
end
for _, directive in ipairs(openmp_directives.directives) do
  for name in pairs(directive.kind:find "^declare" and {} or openmp_directives.clauses_of.any) do
    openmp_directives.clauses_of[directive[1]][name] = true end
  directive.clauses, directive.parts = openmp_directives.clauses_of[directive[1]], {}
end

-- Returns the entry of the combined construct `name`: its kind is "compute" if it begins with target, otherwise "host".
local function combined(name)
  local entry = { name, kind = name:find "^target" and "compute" or "host", association = association_of(name),
    clauses = {}, parts = {} }
  for clause in pairs(openmp_directives.clauses_of.any) do entry.clauses[clause] = true end
  for part in name:gmatch "%S+" do
    entry.parts[part] = true
    for clause, first in pairs(openmp_directives.clauses_of[part]) do entry.clauses[clause] = first end
  end
  return entry
end

-- Returns the entry of Fortran's directive that ends the construct `name`. Its kind is "end".
local function ending(name)
  local clauses = {}
  for part in name:gmatch "%S+" do
    for _, clause in ipairs(strings.word_list(part_by_name[part].at_end or "")) do clauses[clause] = true end
  end
  return { "end " .. name, kind = "end", ends = name, clauses = name:find "parallel" and {} or clauses, parts = {} }
end

-- Returns the entry of the directive `name`, which may be a combined construct or an end directive of Fortran. It also
-- has `clauses` (name -> true or a version, as in clauses_of) and `parts` (the set of the parts of a combined
-- construct).
function openmp_directives.directive(name)
  local entry = by_name[name]
  if not entry then
    local ended = name:match "^end (.*)"
    entry = ended and ending(ended) or combined(name)
    by_name[name] = entry
  end
  return entry
end

-- Returns the longest name with which a text without a sentinel begins; nil if there is none. names: list of names, the
-- longest first.
function openmp_directives.name_in(names, text)
  for _, name in ipairs(names) do
    if text:sub(1, #name) == name and not text:find("^[%w_]", #name + 1) then return name end
  end
  return nil
end

-- Returns the entry of the directive with whose name a text begins, which has no sentinel; nil if there is none. Blanks
-- and underscores between words are the same.
function openmp_directives.find(text)
  local name = openmp_directives.name_in(openmp_directives.names, (text:gsub("[%s_]+", " ")))
  return name and openmp_directives.directive(name)
end

-- Returns a table from clause name to the result of test(entry), where `entry` is the clause's entry. Results that are
-- nil or false are left out.
function openmp_directives.clauses_where(test)
  local result = {}
  for name, entry in pairs(openmp_directives.clause) do result[name] = test(entry) or nil end
  return result
end

-- Returns the set of the clauses (name -> true) whose field `attribute` contains `word`.
function openmp_directives.clauses_with_attribute(word)
  return openmp_directives.clauses_where(function(entry) return entry.attribute ~= nil
    and entry.attribute:find(word, 1, true) ~= nil end)
end

return openmp_directives
