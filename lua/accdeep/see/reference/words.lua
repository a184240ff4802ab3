-- words.lua - clauses and directives for `accdeep explain WORD`: what each does, and which rules speak of it.
--
-- Texts by word; what takes a clause comes from the tables of the directives, rules from the catalogue.

local allowed = require "accdeep.catalogue.openacc"
local rules = require "accdeep.catalogue.rules"
local grammar = require "accdeep.grammar.openacc"
local omp = require "accdeep.catalogue.openmp"
local omp_grammar = require "accdeep.grammar.openmp"

local words = {}

local ALSO = { pcopy = "copy", present_or_copy = "copy", pcopyin = "copyin", present_or_copyin = "copyin",
  pcopyout = "copyout", present_or_copyout = "copyout", pcreate = "create", present_or_create = "create",
  dtype = "device_type", bind_groups = "bind_group" }

local openacc = {
  copy = "Maps the data: allocated and copied to the device at entry if absent, copied back and removed at exit when "
    .. "the last reference ends.",
  copyin = "Maps the data: allocated and copied to the device if absent; removed at exit without a copy.",
  copyout = "Allocates the data at entry if absent, and copies them to the host at exit when the last reference ends.",
  create = "Allocates the data on the device if absent, without a copy.",
  no_create = "Uses the data if they are present; if not, nothing is allocated.",
  present = "Requires that the data are present; error not-present otherwise.",
  delete = "Decrements the counter; removes the data from the device without a copy when it is 0.",
  deviceptr = "The variables hold device addresses already: nothing is mapped.",
  attach = "Sets a pointer that is present to the device address of its target; its attach counter is incremented.",
  detach = "Decrements the attach counter of a pointer; at 0 its host value is restored on the device.",
  present_and_copyin = "As copyin, for data that may be present in part: what is absent is added (directory paper).",
  update_and_copy = "As copy; data that are present already are updated as well (directory paper).",
  private = "Each gang or iteration has its own, uninitialised copy.",
  firstprivate = "Each gang has its own copy, with the value of the host.",
  reduction = "Combines the private copies by an operator at the end.",
  self = "On update: copies from the device to the host. On a compute construct: a condition for the host.",
  host = "On update: copies from the device to the host, as self.",
  device = "On update: copies from the host to the device.",
  use_device = "On host_data: the variables are device addresses in the body.",
  device_resident = "On declare: the variable lives on the device.",
  link = "On declare: only a link lives on the device; the data are mapped when they are used.",
  include = "In a shape or a policy: the members that a deep copy takes, with sections for pointers.",
  exclude = "In a shape or a policy: the members that a deep copy leaves out.",
  init_needed = "In a shape: members that must be initialised on the device even by a create.",
  update = "Copies data that are present to the host (self) or the device (device). In a policy: what an update takes.",
  use = "In a policy: takes over another policy.", shape = "Describes the members of a type that a deep copy takes.",
  policy = "Names what a data clause does with each member of a type.",
  invoke = "Applies a policy to variables: invoke<policy>(X).",
  ["if"] = "A condition: if it is false, the directive does nothing, or the construct runs on the host.",
  if_present = "The directive skips data that are not present.",
  finalize = "On exit data: the dynamic counter becomes 0.",
  async = "The work is put into a queue; the host goes on.",
  wait = "Waits for queues before the work, or as a directive.",
  default = "default(none) requires a clause for each variable; default(present) requires that they are present. "
    .. "In shapes: whether other members are included.",
  type = "Names the type that a shape or a policy describes.",
  device_type = "Clauses after it are for one kind of device.",
  device_num = "The number of the device.", default_async = "The queue of async without a value.",
  ["enter data"] = "Maps data from here on; counted by the dynamic counter.",
  ["exit data"] = "Ends what enter data began.", data = "Maps data for a region; counted by the structured counter.",
  ["end data"] = "Ends the innermost data region.",
  ["host_data"] = "A region in which use_device gives device addresses.",
  ["end host_data"] = "Ends a host_data region.", declare = "Maps data for the life of the program or procedure.",
  parallel = "A compute construct.", kernels = "A compute construct that the compiler divides into kernels.",
  serial = "A compute construct of one thread.", ["parallel loop"] = "A compute construct that is a loop.",
  ["serial loop"] = "A compute construct of one thread that is a loop.",
  ["kernels loop"] = "A compute construct that the compiler divides into kernels, and is a loop.",
  set = "Chooses the current device or the default queue.", init = "Starts the device.", shutdown = "Ends the device.",
  num_gangs = "How many gangs: no effect on data.", num_workers = "How many workers: no effect on data.",
  vector_length = "How long vectors are: no effect on data.",
  gang = "The loop is divided among gangs: no effect on data.",
  worker = "The loop is divided among workers: no effect on data.",
  vector = "The loop uses vectors: no effect on data.",
  seq = "The loop is sequential.", independent = "The iterations are independent.",
  auto = "The compiler decides whether iterations are independent.", collapse = "How many nested loops are one.",
  loop = "In a body: the loop may be divided.", atomic = "In a body: one access that nothing interrupts.",
  cache = "In a body: data that are kept close: no effect here.",
  routine = "A function that is called on devices, too.",
  read = "On atomic: a read.", write = "On atomic: a write.", capture = "On atomic: a write, and the value before.",
  bind = "On routine: another name on devices.", nohost = "On routine: no version for the host.",
  tile = "The sizes of tiles of nested loops.", parameters = "Parameters of a shape.", with = "Parameters of a shape.",
  ["for"] = "In a policy: the clauses it stands for.",
}

local openmp = {
  map = "Maps data: to copies at entry, from at exit, tofrom both, alloc neither; release and delete at exit data. "
    .. "Modifiers: always, close, present, mapper(...), iterator(...).",
  to = "On target update: copies to the device. On declare target: the variable lives on the device.",
  from = "On target update: copies to the host.",
  use_device_ptr = "Pointers are device addresses in the body of target data.",
  use_device_addr = "Variables are at their device addresses in the body of target data.",
  is_device_ptr = "The variables hold device addresses already.",
  has_device_addr = "The variables are on the device already.",
  defaultmap = "What happens with variables that the body uses and no clause names, by category.",
  ["if"] = "A condition: if it is false, the construct runs on the host, or nothing is mapped.",
  device = "The number of the device.", nowait = "The construct is a task: the host goes on.",
  depend = "The order of tasks, by the storage that they read (in) or write (out, inout).",
  enter = "On declare target: the variable lives on the device.", link = "On declare target: mapped when it is used.",
  private = "Each thread or team has its own, uninitialised copy.",
  firstprivate = "Each thread or team has its own copy with the original's value.",
  lastprivate = "The original gets the value of the last iteration.", shared = "All threads use the original.",
  copyin = "Threads begin with the main thread's values of threadprivate variables.",
  linear = "A private copy that grows with the iterations.", reduction = "Combines private copies by an operator.",
  in_reduction = "The task takes part in a reduction.", task_reduction = "Combines copies of tasks by an operator.",
  default = "What happens with variables in no clause.", bind_group = "Applies a group of clauses to the construct.",
  bind_types = "Applies groups to variables of their types.", name = "The name of a group.",
  bind_all = "The constructs that a group is bound to.", bind_type = "The types that a group is bound to.",
  target = "A compute construct on a device.", ["target data"] = "Maps data for a region.",
  ["target enter data"] = "Maps data from here on.", ["target exit data"] = "Ends what target enter data began.",
  ["target update"] = "Copies data that are present.", ["end target data"] = "Ends a target data region.",
  ["declare target"] = "Variables and functions that live on the device.",
  ["declare mapper"] = "How objects of a type are mapped.", ["declare group"] = "A group of clauses under a name.",
  teams = "A league of teams.", distribute = "The loop is divided among teams.", parallel = "A team of threads.",
  ["for"] = "The loop is divided among threads.", simd = "The loop uses vectors.",
  loop = "The loop may be divided freely.",
  task = "A task; run at once by one thread here, or put into a queue with nowait of target.",
  taskwait = "Waits for the tasks.", barrier = "All threads wait for each other.",
  taskgroup = "Waits for the tasks that begin in it.",
  requires = "What the program requires of devices.",
}

-- Names of the tables, in words of their own.
local function listed(text)
  local list = {}
  for name in text:gmatch "%S+" do list[#list + 1] = (name:gsub("^(e%l+)_", "%1 "):gsub("_loop", " loop")) end
  return list
end

local all -- word -> {language -> {text, kind, of}}

local function index()
  if all then return all end
  all = {}
  local function add(word, language, kind, of)
    local texts = language == "OpenACC" and openacc or openmp
    all[word] = all[word] or {}
    all[word][language] = { kind = kind, of = of or {}, also = ALSO[word], text = texts[word] or texts[ALSO[word]] }
  end
  for _, name in ipairs(listed(grammar.names .. " " .. grammar.member_names)) do add(name, "OpenACC", "directive") end
  local clauses = {}
  for _, list in pairs(grammar.clauses) do
    for name in list:gmatch "%S+" do clauses[name] = true end
  end
  for name in pairs(clauses) do
    if not all[name] then add(name, "OpenACC", "clause", allowed.directives_with(name)) end
  end
  for _, name in ipairs(omp_grammar.names) do add(name, "OpenMP", "directive") end
  for _, list in pairs(omp_grammar.clauses) do
    for name in list:gmatch "%S+" do
      if not (all[name] or {}).OpenMP then
        local of = {}
        for _, directive in ipairs(omp_grammar.names) do
          if not directive:find " %S+ %S+ %S+" and omp.of(directive).clauses[name] then of[#of + 1] = directive end
        end
        table.sort(of)
        add(name, "OpenMP", "clause", of)
      end
    end
  end
  return all
end

-- All words, as keys.
function words.all() return index() end

local SHOWN = 8 -- rules, directives

local function cut(list)
  local shown = table.move(list, 1, math.min(#list, SHOWN), 1, {})
  if #list > SHOWN then shown[#shown + 1] = ("and %d more"):format(#list - SHOWN) end
  return shown
end

-- What there is to say of a word; nil if it is none.
function words.text(word)
  local entry = index()[word]
  if not entry then return nil end
  local out = {}
  for _, language in ipairs { "OpenACC", "OpenMP" } do
    local e = entry[language]
    if e then
      out[#out + 1] = ("%s  a %s of %s%s"):format(word, e.kind, language, e.also and ", as " .. e.also or "")
      if e.text then out[#out + 1] = rules.wrapped(e.text, "  ", 100) end
      if #e.of > 0 then out[#out + 1] = rules.wrapped("of " .. table.concat(cut(e.of), ", "), "  ", 100) end
    end
  end
  local found = rules.search(word)
  if #found > 0 then
    out[#out + 1] = "  rules about it"
    for i = 1, math.min(#found, SHOWN) do
      out[#out + 1] = ("    %-18s %s"):format(found[i], rules.first_words(found[i]))
    end
    if #found > SHOWN then out[#out + 1] = ("    and %d more: accdeep rules %s"):format(#found - SHOWN, word) end
  end
  return table.concat(out, "\n") .. "\n"
end

return words
