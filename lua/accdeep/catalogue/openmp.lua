-- openmp.lua - OpenMP directives: what kind of construct each is, which clauses it takes, and what the
-- modifiers of its maps say.

local advice = require "accdeep.grammar.advice"
local argument = require "accdeep.catalogue.openmp_arguments"
local diagnostic = require "accdeep.base.diagnostic"
local grammar = require "accdeep.grammar.openmp"
local sharing = require "accdeep.catalogue.openmp_exclusions"

local raise = diagnostic.raise

local directive = {}

local function add_words(set, list)
  for word in list:gmatch "%S+" do set[word] = true end
  return set
end

-- Clauses of the constructs that combined ones are made of.
local parts = {
  target = [[if device private firstprivate in_reduction map is_device_ptr has_device_addr defaultmap nowait depend
    allocate uses_allocators thread_limit]],
  teams = "num_teams thread_limit default private firstprivate shared reduction allocate",
  distribute = "private firstprivate lastprivate collapse dist_schedule allocate order",
  parallel = "if num_threads default private firstprivate shared copyin reduction proc_bind allocate",
  ["for"] = "private firstprivate lastprivate linear reduction schedule collapse ordered nowait allocate order",
  simd = "if safelen simdlen linear aligned nontemporal private lastprivate reduction collapse order",
  loop = "bind collapse order private lastprivate reduction",
  sections = "private firstprivate lastprivate reduction allocate nowait",
  single = "private firstprivate copyprivate allocate nowait",
  masked = "filter",
  task = [[if final untied default mergeable private firstprivate shared in_reduction depend priority detach
    allocate]],
  taskloop = [[if final untied default mergeable private firstprivate lastprivate shared reduction in_reduction
    grainsize num_tasks collapse nogroup priority allocate]],
  taskgroup = "task_reduction allocate",
  workshare = "nowait", critical = "hint", section = "", master = "", ordered = "threads simd depend doacross",
  scope = "private reduction nowait allocate",
  atomic = "hint read write update capture compare weak fail seq_cst acq_rel acquire release relaxed",
}

local bindings = "bind_group bind_groups bind_types"

local known = {
  ["target data"] = { kind = "region", clauses = "map use_device_ptr use_device_addr if device nowait depend" },
  ["end target data"] = { kind = "end data", clauses = "" },
  ["target enter data"] = { kind = "enter data", clauses = "map if device depend nowait" },
  ["target exit data"] = { kind = "exit data", clauses = "map if device depend nowait" },
  ["target update"] = { kind = "update", clauses = "to from if device depend nowait" },
  ["declare target"] = { kind = "declare target", clauses = "enter to link device_type indirect" },
  ["begin declare target"] = { kind = "declare target", clauses = "device_type indirect" },
  ["end declare target"] = { kind = "declare target", clauses = "" },
  ["declare mapper"] = { kind = "declare mapper", clauses = "map" },
  ["declare group"] = { kind = "declare group", clauses = "" }, -- any: types/groups.lua says
  requires = { kind = "requires",
    clauses = "reverse_offload unified_address unified_shared_memory dynamic_allocators self_maps" },
  barrier = { kind = "nothing", clauses = "" },
  taskwait = { kind = "nothing", clauses = "depend nowait" },
  taskyield = { kind = "nothing", clauses = "" },
  flush = { kind = "nothing", clauses = "seq_cst acq_rel acquire release" },
  nothing = { kind = "nothing", clauses = "" },
}
for _, name in ipairs(grammar.beyond) do known[name] = { kind = "beyond", clauses = "" } end

local all_clauses = add_words({}, bindings .. " name bind_all bind_type")
for _, list in pairs(parts) do add_words(all_clauses, list) end
parts["do"] = parts["for"] -- Fortran's
for _, what in pairs(known) do
  add_words(all_clauses, what.clauses)
  what.clauses = add_words({}, what.kind:find "^declare" and what.clauses or what.clauses .. " " .. bindings)
end

-- What a directive is: {kind, clauses}. Kinds are those of plans (plan/openmp.lua), and "host", "declare mapper",
-- "declare group", "declare target", "requires", "nothing", and "beyond" for what is known and not carried out.
function directive.of(name)
  local what = known[name]
  if not what and name:find "^end " then -- Fortran's: what may stand at the end
    local last = name:match "%a+$"
    local takes = { single = "copyprivate nowait", sections = "nowait", workshare = "nowait", ["do"] = "nowait",
      simd = name:find "do simd$" and "nowait" or nil }
    what = { kind = "end", clauses = add_words({}, not name:find "parallel" and takes[last] or "") }
    known[name] = what
  elseif not what then
    what = { kind = name:find "^target" and "compute" or "host", clauses = add_words({}, bindings) }
    for word in name:gmatch "%S+" do add_words(what.clauses, parts[word]) end
    known[name] = what
  end
  return what
end

-- Whether a construct's name is one of those that a combined one is made of.
function directive.is_part(name, part)
  return (" " .. name .. " "):find(" " .. part .. " ", 1, true) ~= nil
end

-- Raises if what stands at pos is later than the version of OpenMP that the rules are of (nil: they are of none).
function directive.since(version, since, what, pos, length)
  if not version or version >= since then return end
  local function text(number) return ("%d.%d"):format(number // 10, number % 10) end
  raise("clause-not-allowed", pos, ("%s is of OpenMP %s, and the rules are those of %s"):format(what, text(since),
    text(version)), { length = length, rule = "OMP60-ver-1",
    help = ('scenario { rules = "openmp-%s" }'):format(text(since)) })
end

-- Operators of reductions, in C and in Fortran; no others are declared (declare reduction).
local operators = add_words({}, "+ - * & | ^ && || max min .and. .or. .eqv. .neqv. iand ior ieor")

-- What only devices can promise that share the host's memory.
local of_shared_memory = add_words({}, "unified_shared_memory unified_address self_maps")

-- Raises if a directive has a clause it does not take, or one too often. version: of the rules, nil: they have none.
-- Clauses that a group brought along are called so (LLNL-4-10).
function directive.check(node, version)
  local what = directive.of(node.name)
  if what.kind == "beyond" then
    raise("unsupported", node.pos, ("'%s' is not carried out here"):format(node.name), { length = #node.name })
  end
  local seen, names = {}, {}
  for _, clause in ipairs(node.clauses) do names[clause.name] = true end
  for _, clause in ipairs(node.clauses) do
    local name, pos = clause.name, clause.pos
    local from = clause.group and (" (from %s)"):format(clause.group.title) or ""
    local function wrong(code, message, fields)
      fields.length = #name
      raise(code, pos, message .. from, fields)
    end
    if not what.clauses[name] then
      if not all_clauses[name] then
        wrong("unknown-clause", ("there is no clause '%s'"):format(name), { rule = "OMP60-map-1",
          help = advice.clause(name, true, what.clauses, all_clauses) })
      end
      wrong("clause-not-allowed", ("'%s' is not allowed on '%s'"):format(name, node.name), { rule = "OMP60-tgt-1",
        help = advice.clause(name, true) })
    end
    if clause.kind == "unknown" then -- the grammar knows it without an argument
      directive.since(version, 60, ("an argument of '%s'"):format(name), pos, #name)
      wrong("unsupported", ("'%s' with an argument"):format(name), {})
    end
    argument.check(clause)
    local key = sharing.once_key(clause)
    if key and seen[key] then
      wrong("duplicate-clause", ("'%s' stands here twice"):format(name), { rule = "OMP60-tgt-1" })
    end
    if key then seen[key] = true end
    if node.name == "ordered" and (name == "depend" or name == "doacross") then
      wrong("unsupported", ("'%s' on 'ordered'"):format(name), {})
    elseif name == "nowait" and node.name == "taskwait" and not names.depend then
      wrong("clause-not-allowed", "'nowait' on taskwait goes with 'depend'", { rule = "OMP60-tgt-1" })
    end
    if node.name == "target data" and (name == "nowait" or name == "depend") then
      directive.since(version, 60, ("'%s' on target data"):format(name), pos, #name)
    end
    if clause.op and not operators[clause.op:lower()] then
      wrong("unsupported", ("'%s' is no operator of reductions, and none is declared"):format(clause.op), {})
    end
    if of_shared_memory[name] then
      wrong("unsupported", ("'%s': devices here have memory of their own"):format(name), { rule = "OMP60-map-14" })
    end
  end
  if names.safelen and names.simdlen then argument.check_lengths(node.clauses) end
  return what
end

-- ------------------------------------------------------------------------------------------- maps --

-- What a map asks for by kind of construct: an action's word; "from" on exit data is a copyout (OMP60-map-1).
local entry = { alloc = "create", storage = "create", to = "copyin", from = "copyout", tofrom = "copy" }
local map_types = {
  region = entry, compute = entry,
  ["enter data"] = { alloc = "create", storage = "create", to = "copyin" },
  ["exit data"] = { from = "copyout", release = "delete", delete = "delete", storage = "delete" },
}
local is_type = add_words({}, "alloc storage to from tofrom release delete")
local moves_in = add_words({}, "to tofrom")
local moves_out = add_words({}, "from tofrom")
local plain_modifiers = add_words({}, "always close present self")

-- Modifiers that are known, and not carried out.
local beyond = { attach = "the modifier 'attach' is of OpenMP 6.1" }
for _, name in ipairs { "ref_ptr", "ref_ptee", "ref_ptr_ptee" } do
  beyond[name] = ("'%s': what a reference or a descriptor is mapped without"):format(name)
end

-- What the modifiers of a map, or of a motion clause of update, say: {type?, type_pos, always, present, mapper?,
-- mapper_pos, iterators}.
function directive.modifiers(clause, version)
  local says, iterators = { iterators = {} }, false
  for _, modifier in ipairs(clause.modifiers) do
    local name, pos = modifier.name, modifier.pos
    if is_type[name] and clause.kind == "map" and says.type and (version or 60) >= 60
      and (name == "delete") ~= (says.type == "delete") then -- delete is a modifier beside a type (6.0)
      if name ~= "delete" then says.type, says.type_pos = name, pos end
      says.delete = pos
    elseif is_type[name] and clause.kind == "map" then
      if name == "storage" then directive.since(version, 60, "the map type 'storage'", pos, #name) end
      if says.type then
        raise("conflicting-clauses", pos, ("a map has one type, '%s' stands here already"):format(says.type),
          { length = #name, rule = "OMP60-map-1" })
      end
      says.type, says.type_pos = name, pos
    elseif plain_modifiers[name] and (clause.kind == "map" or name == "present") then
      if says[name] then
        raise("duplicate-clause", pos, ("'%s' stands here twice"):format(name),
          { length = #name, rule = "OMP60-map-3" })
      end
      if name == "self" then
        directive.since(version, 60, "the modifier 'self'", pos, #name)
        raise("unsupported", pos, "self asks for the host's own storage, and devices here have memory of their own",
          { length = #name, rule = "OMP60-map-14" })
      end
      says[name] = true
    elseif clause.kind == "map" and beyond[name] then
      directive.since(name ~= "attach" and version, 60, ("the modifier '%s'"):format(name), pos, #name)
      raise("unsupported", pos, beyond[name], { length = #name, rule = name == "attach" and "OMP61-1" or "OMP60-map-3",
        help = name == "attach" and 'for all pointers: rules = { base = "openmp-6.0", attach = "every" }' or nil })
    elseif modifier.mapper and says.mapper or modifier.iterators and iterators then
      raise("duplicate-clause", pos, ("'%s' stands here twice"):format(name),
        { length = #name, rule = "OMP60-map-3" })
    elseif name == "mapper" and modifier.mapper then
      says.mapper, says.mapper_pos = modifier.mapper, modifier.mapper_pos
    elseif name == "iterator" and modifier.iterators then
      iterators = true
      for _, iterator in ipairs(modifier.iterators) do table.insert(says.iterators, iterator) end
    else
      local near = diagnostic.closest(name, is_type) or diagnostic.closest(name, plain_modifiers)
      local is_map = clause.kind == "map"
      raise("syntax", pos, ("'%s' is no %s"):format(name, is_map and "map type or modifier"
        or "modifier of a motion clause"), { length = #name, rule = is_map and "OMP60-map-1" or "OMP60-upd-1",
        help = near and ("did you mean '%s'?"):format(near) })
    end
  end
  if clause.kind == "map" and #clause.modifiers > 0 and not says.type then
    local first = clause.modifiers[1]
    directive.since(version, 52, "a map with modifiers and without a type", first.pos, #first.name)
  end
  return says
end

-- Without a type a map is tofrom; of that enter and exit data take the half that they can (the Examples have it so).
local usual = { ["enter data"] = "to", ["exit data"] = "from" }

-- What a map asks for on a construct of this kind: the action's word, and the map's type.
function directive.asks(says, kind, name, version, clause)
  local types = map_types[kind]
  if usual[kind] and not says.type then
    directive.since(version, 52, ("a map without a type on %s"):format(name), clause.pos, #clause.name)
  elseif says.delete and kind ~= "exit data" then
    raise("clause-not-allowed", says.delete, ("'delete' is not allowed on '%s'"):format(name),
      { length = #"delete", rule = "OMP60-map-1" })
  end
  local wanted = says.type or usual[kind] or "tofrom"
  if not types[wanted] then
    raise("clause-not-allowed", says.type_pos, ("the map type '%s' is not allowed on '%s'"):format(wanted, name),
      { length = #wanted, rule = "OMP60-map-1",
        help = kind == "enter data" and "to or alloc" or kind == "exit data" and "from, release or delete" or nil })
  end
  return types[wanted], wanted == "storage" and (kind == "exit data" and "release" or "alloc") or wanted
end

directive.map_actions, directive.moves_in, directive.moves_out = entry, moves_in, moves_out
directive.names, directive.beyond = grammar.names, grammar.beyond

return directive
