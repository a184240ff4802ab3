-- openacc_directives.lua - table of the directives and clauses of OpenACC and TR-14-1. Grammar, checks, policies,
-- nests, exports, completion and `accdeep explain` read these entries: adding a clause means adding one entry.
--
-- A directive is {name, kind, association?, structured?, ends?, takes?, needs_data?, specific?, text}.
--   kind: the kind of its construct IR ("region", "enter data", ...), "compute", "declaration", "body" for directives
--     inside of bodies, or "members" for directives that describe a type.
--   association: what belongs to it: "block", "loop" or "statement"; nil: it is standalone.
--   structured: true if it opens a region of data, which lasts until its end.
--   ends: the directive that it ends.
--   construct: "parallel", "serial" or "kernels", of a compute construct; it is set below.
--   takes: the form of its argument.
--   needs_data: true if it must have a data clause.
--   specific: the clauses that may follow device_type; nil if device_type does not affect other clauses.
--
-- A clause is {names, takes, directives, text, ...}.
--   names: its name, then its synonyms.
--   takes: the form of its argument ("vars", ...: syntax/openacc_syntax.lua).
--   directives: the directives that take it, with the abbreviations in `abbreviations`.
--   data: the directions in which a data clause copies: "in", "out", "in out" or ""; nil: the clause allocates nothing.
--   action: the requested action of the core, if it differs from the clause's name.
--   flag: the flag of the core's items that the clause sets, if any.
--   present_or: further names of the clause, which say that present data are accepted; declare and exit data lack them.
--   update: the direction of a clause of the directive update: "self" (to the host) or "device".
--   persistent: true if declare keeps the data of the clause until the program ends.
--   default: true if the clause default of a policy may name it.
--   wish: the rule of TR14's chapter 5, on future work, that defines the clause; only the profile tr14x accepts it.
--   unique: true if the clause may occur only once on a directive.
--   argument: true if the clause requires an argument.
--   keys: words that may precede a colon in the argument.
--   since: directive -> first version of OpenACC, for directives that got the clause later (34: 3.4).
--   own: true if no standard has the clause.

local strings = require "accdeep.base.strings"

local openacc_directives = {}

local compute_specific = "async wait num_gangs num_workers vector_length"
local loop_specific = "collapse gang worker vector seq independent auto tile"

openacc_directives.directives = {
  { "enter data", kind = "enter data", needs_data = true,
    text = "Maps data from here on; counted by the dynamic counter." },
  { "exit data", kind = "exit data", needs_data = true, text = "Ends what enter data began." },
  { "end data", kind = "end data", ends = "data", text = "Ends the innermost data region." },
  { "end host_data", kind = "end host data", ends = "host_data", text = "Ends a host_data region." },
  { "host_data", kind = "host data", association = "block", structured = true,
    text = "A region in which use_device gives device addresses." },
  { "declare", kind = "declare", needs_data = true, text = "Maps data for the life of the program or procedure." },
  { "data", kind = "region", association = "block", structured = true, specific = "async wait",
    text = "Maps data for a region; counted by the structured counter." },
  { "update", kind = "update", needs_data = true, specific = "async wait",
    text = "Copies data that are present to the host (self) or the device (device). In a policy: what an update "
    .. "takes." },
  { "parallel loop", kind = "compute", association = "loop", specific = compute_specific .. " " .. loop_specific,
    text = "A compute construct that is a loop." },
  { "serial loop", kind = "compute", association = "loop", specific = compute_specific .. " " .. loop_specific,
    text = "A compute construct of one thread that is a loop." },
  { "kernels loop", kind = "compute", association = "loop", specific = compute_specific .. " " .. loop_specific,
    text = "A compute construct that the compiler divides into kernels, and is a loop." },
  { "parallel", kind = "compute", association = "block", specific = compute_specific, text = "A compute construct." },
  { "serial", kind = "compute", association = "block", specific = compute_specific,
    text = "A compute construct of one thread." },
  { "kernels", kind = "compute", association = "block", specific = compute_specific,
    text = "A compute construct that the compiler divides into kernels." },
  { "loop", kind = "body", association = "loop", specific = loop_specific,
    text = "In a body: the loop may be divided." },
  { "atomic", kind = "body", association = "statement", text = "In a body: one access that nothing interrupts." },
  { "cache", kind = "body", takes = "vars", text = "In a body: data that are kept close: no effect here." },
  { "routine", kind = "declaration", specific = "gang worker vector seq bind",
    text = "A function that is called on devices, too." },
  { "set", kind = "set", text = "Chooses the current device or the default queue." },
  { "wait", kind = "wait", takes = "wait", text = "Waits for queues before the work, or as a directive." },
  { "init", kind = "init", text = "Starts the device." },
  { "shutdown", kind = "shutdown", text = "Ends the device." },
  { "shape", kind = "members", text = "Describes the members of a type that a deep copy takes." },
  { "policy", kind = "members", text = "Names what a data clause does with each member of a type." },
}

-- Abbreviations for several directives.
local abbreviations = {
  combined = "parallel_loop serial_loop kernels_loop",
  compute = "parallel serial kernels combined",
  loops = "loop combined",
  regions = "data compute",
  devices = "init shutdown",
}

openacc_directives.clauses = {
  { "copy", takes = "vars", directives = "regions declare policy", data = "in out",
    present_or = "pcopy present_or_copy",
    default = true, text = "Maps the data: allocated and copied to the device at entry if absent, copied back and "
    .. "removed at exit when the last reference ends." },
  { "copyin", takes = "vars", directives = "regions enter_data declare policy", data = "in",
    present_or = "pcopyin present_or_copyin", default = true, persistent = true,
    text = "Maps the data: allocated and copied to the device if absent; removed at exit without a copy." },
  { "copyout", takes = "vars", directives = "regions exit_data declare policy", data = "out", default = true,
    present_or = "pcopyout present_or_copyout", text = "Allocates the data at entry if absent, and copies them to the "
    .. "host at exit when the last reference ends." },
  { "create", takes = "vars", directives = "regions enter_data declare policy", data = "", default = true,
    persistent = true, present_or = "pcreate present_or_create",
    text = "Allocates the data on the device if absent, without a copy." },
  { "no_create", takes = "vars", directives = "regions policy",
    text = "Uses the data if they are present; if not, nothing is allocated." },
  { "present", takes = "vars", directives = "regions declare policy", default = true,
    text = "Requires that the data are present; error not-present otherwise." },
  { "delete", takes = "vars", directives = "exit_data policy", default = true,
    text = "Decrements the counter; removes the data from the device without a copy when it is 0." },
  { "present_and_copyin", takes = "vars", directives = "regions enter_data policy", data = "in", action = "copyin",
    flag = "copy_absent", default = true, own = true,
    text = "As copyin, for data that may be present in part: what is absent is added (directory paper)." },
  { "update_and_copy", takes = "vars", directives = "regions enter_data policy", data = "in", action = "copyin",
    flag = "update_present", default = true, own = true,
    text = "As copy; data that are present already are updated as well (directory paper)." },
  { "invoke", takes = "invoke", directives = "regions enter_data exit_data update policy",
    text = "Applies a policy to variables: invoke<policy>(X)." },
  { "deviceptr", takes = "vars", directives = "regions declare",
    text = "The variables hold device addresses already: nothing is mapped." },
  { "attach", takes = "vars", directives = "regions enter_data", action = "attach",
    text = "Sets a pointer that is present to "
    .. "the device address of its target; its attach counter is incremented." },
  { "detach", takes = "vars", directives = "exit_data", action = "detach",
    text = "Decrements the attach counter of a pointer; at 0 its host value is restored on the device." },
  { "device_resident", takes = "vars", directives = "declare", action = "create", persistent = true,
    text = "On declare: the variable lives on the device." },
  { "link", takes = "vars", directives = "declare", persistent = true,
    text = "On declare: only a link lives on the device; the data are mapped when they are used." },
  { "self", takes = "self", directives = "update compute", action = "update self", update = "self",
    text = "On update: copies from the device to the host. On a compute construct: a condition for the host." },
  { "host", takes = "vars", directives = "update", action = "update self", update = "self",
    text = "On update: copies from the device to the host, as self." },
  { "device", takes = "vars", directives = "update", action = "update device", update = "device",
    text = "On update: copies from the host to the device." },
  { "use_device", takes = "vars", directives = "host_data",
    text = "On host_data: the variables are device addresses in the body." },
  { "private", takes = "vars", directives = "parallel serial loops",
    text = "Each gang or iteration has its own, uninitialised copy." },
  { "firstprivate", takes = "vars", directives = "parallel serial parallel_loop serial_loop",
    text = "Each gang has its own copy, with the value of the host." },
  { "reduction", takes = "reduction", directives = "parallel serial loops",
    text = "Combines the private copies by an operator at the end." },
  { "default", takes = "default", directives = "regions shape policy", unique = true,
    text = "default(none) requires a clause "
    .. "for each variable; default(present) requires that they are present. In shapes: whether other members are "
    .. "included." },
  { "if", takes = "expression", directives = "regions enter_data exit_data update atomic set wait devices host_data",
    since = { atomic = 34 }, unique = true, argument = true,
    text = "A condition: if it is false, the directive does nothing, or the construct runs on the host." },
  { "if_present", takes = "none", directives = "update host_data", unique = true,
    text = "The directive skips data that are not present." },
  { "finalize", takes = "none", directives = "exit_data", unique = true,
    text = "On exit data: the dynamic counter becomes 0, and the attach counter of pointers in detach." },
  { "async", takes = "expression", directives = "regions enter_data exit_data update wait", unique = true,
    text = "The work is put into a queue; the host continues." },
  { "wait", takes = "wait", directives = "regions enter_data exit_data update",
    text = "Waits for queues before the work, or as a directive." },
  { "device_type dtype", takes = "anything", directives = "update regions loop routine set devices", argument = true,
    text = "Clauses after it are for one kind of device." },
  { "device_num", takes = "expression", directives = "set devices", unique = true, argument = true,
    text = "The number of the device." },
  { "default_async", takes = "expression", directives = "set", unique = true, argument = true,
    text = "The queue of async without a value." },
  { "num_gangs", takes = "expressions", directives = "parallel kernels parallel_loop kernels_loop", argument = true,
    text = "How many gangs: no effect on data." },
  { "num_workers", takes = "expression", directives = "parallel kernels parallel_loop kernels_loop", argument = true,
    text = "How many workers: no effect on data." },
  { "vector_length", takes = "expression", directives = "parallel kernels parallel_loop kernels_loop", argument = true,
    text = "How long vectors are: no effect on data." },
  { "gang", takes = "anything", directives = "loops routine", keys = "num dim static",
    text = "The loop is divided among gangs: no effect on data." },
  { "worker", takes = "anything", directives = "loops routine", keys = "num",
    text = "The loop is divided among workers: no effect on data." },
  { "vector", takes = "anything", directives = "loops routine", keys = "length",
    text = "The loop uses vectors: no effect on data." },
  { "seq", takes = "none", directives = "loops routine", text = "The loop is sequential." },
  { "independent", takes = "none", directives = "loops", text = "The iterations are independent." },
  { "auto", takes = "none", directives = "loops", text = "The compiler decides whether iterations are independent." },
  { "collapse", takes = "anything", directives = "loops", argument = true, text = "How many nested loops are one." },
  { "tile", takes = "anything", directives = "loops", argument = true, text = "The sizes of tiles of nested loops." },
  { "read", takes = "none", directives = "atomic", unique = true, text = "On atomic: a read." },
  { "write", takes = "none", directives = "atomic", unique = true, text = "On atomic: a write." },
  { "update", takes = "none", directives = "atomic", unique = true, text = "On atomic: a read and a write." },
  { "capture", takes = "none", directives = "atomic", unique = true,
    text = "On atomic: a write, and the value before." },
  { "bind", takes = "anything", directives = "routine", argument = true,
    text = "On routine: another name on devices." },
  { "nohost", takes = "none", directives = "routine", text = "On routine: no version for the host." },
  { "include", takes = "members", directives = "shape",
    text = "In a shape or a policy: the members that a deep copy takes, with sections for pointers." },
  { "exclude", takes = "members", directives = "shape policy",
    text = "In a shape or a policy: the members that a deep copy leaves out." },
  { "init_needed", takes = "members", directives = "shape",
    text = "In a shape: members that must be initialised on the device even by a create." },
  { "update", takes = "update", directives = "policy", text = "In a policy: what an update takes." },
  { "type", takes = "type", directives = "shape policy", text = "Names the type that a shape or a policy describes." },
  { "use", takes = "names", directives = "policy",
    text = "In a policy: other policies, for members that this one does not name." },
  { "shape", takes = "names", directives = "policy", text = "Describes the members of a type that a deep copy takes." },
  { "with", takes = "parameters", directives = "shape policy", wish = "TR14-5-01", text = "Parameters of a shape." },
  { "for", takes = "words", directives = "policy", wish = "TR14-5-09",
    text = "In a policy: the clauses it stands for." },
}

-- Modifiers of data clauses: {name, clauses, directives, since, effect?, text?}.
--   since: first version of OpenACC in which these clauses have the modifier on these directives (30: 3.0).
--   effect: "in", "out" or "in out": copies in these directions, as far as the clause does, even if the data are
--     present. "zero": clears memory that the clause allocates. nil: no effect.
-- Further rows of a name inherit `effect` and `text` from the first row of that name.
openacc_directives.modifiers = {
  { "always", "copy copyin copyout", directives = "regions declare enter_data exit_data", since = 34, effect = "in out",
    text = "Before the variables of a data clause: alwaysin and alwaysout, as far as the clause copies." },
  { "alwaysin", "copy copyin", directives = "regions declare enter_data", since = 34, effect = "in",
    text = "Before the variables of a data clause: copies to the device at entry, also data that are present." },
  { "alwaysout", "copy copyout", directives = "regions declare exit_data", since = 34, effect = "out",
    text = "Before the variables of a data clause: copies to the host at exit, also while references remain." },
  { "capture", "copyin copyout create", directives = "regions", since = 34,
    text = "Before the variables of a data clause: a copy on the device also of data in shared memory. Devices here "
    .. "share no memory: no effect." },
  { "capture", "copy", directives = "regions declare", since = 34 },
  { "readonly", "copyin", directives = "regions declare", since = 27,
    text = "Before the variables of copyin: the device does not write the data: no effect." },
  { "readonly", "copyin", directives = "enter_data", since = 34 },
  { "zero", "create", directives = "regions enter_data", since = 30, effect = "zero",
    text = "Before the variables of create and copyout: memory that the clause allocates is cleared." },
  { "zero", "copyout", directives = "regions", since = 30 },
}

local by_name = {} -- entries of directives
for _, entry in ipairs(openacc_directives.directives) do
  by_name[entry[1]] = entry
  entry.construct = entry.kind == "compute" and entry[1]:match "^%a+" or nil
end

-- Returns the entry of the directive `name`; nil for an unknown name.
function openacc_directives.directive(name) return by_name[name] end

-- Returns the entry of the directive with whose name a text begins, which has no sentinel; nil if there is none.
function openacc_directives.find(text)
  local first, second = text:match "^([%a_]+)%s*([%a_]*)"
  return by_name[("%s %s"):format(first, second)] or by_name[first]
end

-- Clauses by name: {name, first, entry, present_or}. `first`: first name of the clause. `entry`: its entry in
-- openacc_directives.clauses. `present_or`: true if this name is one of the entry's forms that accept present data. If
-- two entries have one name (update), the name has the first entry. Decides ACC33-2.7-6.
openacc_directives.clause = {}
-- List of the names of the clauses that take an argument of a form, by form ("vars", "none", ...).
openacc_directives.takes = {}
-- Clauses that a directive takes: directive -> clause -> true.
openacc_directives.clauses_of = {}
-- Set of the clauses that may follow device_type, by directive; nil if device_type does not affect other clauses.
openacc_directives.specific = {}

-- The sets of clauses_of by the name of the directive with underscores (enter_data), as in the entries of clauses.
local clauses_by_word = {}
for _, directive in ipairs(openacc_directives.directives) do
  local clauses = {}
  openacc_directives.clauses_of[directive[1]], clauses_by_word[directive[1]:gsub(" ", "_")] = clauses, clauses
  openacc_directives.specific[directive[1]] = directive.specific and strings.word_set(directive.specific)
end

-- Cache of directives_of, by text.
local cached_lists = {}

-- Returns the directives that the text `list`, words and abbreviations, denotes, as a list of words with underscores
-- (enter_data). Callers must not change the result, which is cached.
local function directives_of(list)
  local words = cached_lists[list] or {}
  if cached_lists[list] then return words end
  cached_lists[list] = words
  for _, word in ipairs(strings.word_list(list)) do
    local more = abbreviations[word] and directives_of(abbreviations[word]) or { word }
    table.move(more, 1, #more, #words + 1, words)
  end
  return words
end

-- Directives that do not take the further names `present_or` (pcopy, ...) of a clause.
local base_names_only = strings.word_set "declare exit_data"

for _, entry in ipairs(openacc_directives.clauses) do
  local own, forms = strings.word_list(entry[1]), strings.word_list(entry.present_or or "")
  local list = openacc_directives.takes[entry.takes] or {}
  openacc_directives.takes[entry.takes] = list
  local directives = directives_of(entry.directives)
  for i, name in ipairs(table.move(forms, 1, #forms, #own + 1, own)) do
    local is_form = i > #own - #forms
    openacc_directives.clause[name] = openacc_directives.clause[name]
      or { name = name, first = own[1], entry = entry, present_or = is_form }
    list[#list + 1] = name
    for _, word in ipairs(directives) do
      local clauses = clauses_by_word[word]
      if not is_form or not base_names_only[word] then clauses[name] = true end
    end
  end
end

-- Modifiers by name: {text, effect, since}. since[first name of a clause][directive] is the first version in which this
-- clause of this directive has the modifier (30: 3.0).
openacc_directives.modifier = {}
for _, row in ipairs(openacc_directives.modifiers) do
  local modifier = openacc_directives.modifier[row[1]] or { text = row.text, effect = row.effect, since = {} }
  local clauses = modifier.since
  openacc_directives.modifier[row[1]] = modifier
  for _, name in ipairs(strings.word_list(row[2])) do
    clauses[name] = clauses[name] or {}
    for _, word in ipairs(directives_of(row.directives)) do clauses[name][word:gsub("_", " ")] = row.since end
  end
end

-- Returns a table from clause name to the result of test(entry, clause), where `entry` is the clause's entry and
-- `clause` its table in openacc_directives.clause. Results that are nil or false are left out.
function openacc_directives.clauses_where(test)
  local result = {}
  for name, clause in pairs(openacc_directives.clause) do result[name] = test(clause.entry, clause) or nil end
  return result
end

-- Set of the names of all clauses, except for clauses that only chapter 5 of TR14 defines.
openacc_directives.clause_names = openacc_directives.clauses_where(function(entry) return not entry.wish end)

return openacc_directives
