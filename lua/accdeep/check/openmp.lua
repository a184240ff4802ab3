-- openmp.lua - OpenMP directives: what kind of construct each is, which clauses it takes, and what the
-- modifiers of its maps say.

local advice = require "accdeep.grammar.advice"
local argument = require "accdeep.check.openmp_arguments"
local diagnostic = require "accdeep.base.diagnostic"
local openmp = require "accdeep.catalogue.openmp"
local set = require "accdeep.base.words".set
local sharing = require "accdeep.check.openmp_exclusions"
local since = require "accdeep.check.since"

local raise = diagnostic.raise

local directive = {}

-- Clauses that some directive has.
local all_clauses = openmp.where(function(entry) return entry.of ~= "" end)

local known = {} -- what directives are
for _, entry in ipairs(openmp.directives) do known[entry[1]] = { kind = entry.kind, clauses = openmp.of[entry[1]] } end

-- What a directive is: {kind, clauses = {name -> true, or a version (catalogue/openmp.lua: of)}}. Kinds are those of
-- catalogue/openmp.lua.
function directive.of(name)
  local what = known[name]
  if not what and name:find "^end " then -- Fortran's: what may stand at the end
    local last = name:match "%a+$"
    local takes = { single = "copyprivate nowait", sections = "nowait", workshare = "nowait", ["do"] = "nowait",
      simd = name:find "do simd$" and "nowait" or nil }
    what = { kind = "end", clauses = set(not name:find "parallel" and takes[last] or "") }
    known[name] = what
  elseif not what then
    what = { kind = name:find "^target" and "compute" or "host", clauses = {} }
    for part in ("any " .. name):gmatch "%S+" do
      for clause, first in pairs(openmp.of[part]) do what.clauses[clause] = first end
    end
    known[name] = what
  end
  return what
end

-- Whether a construct's name is one of those that a combined one is made of.
function directive.is_part(name, part)
  return (" " .. name .. " "):find(" " .. part .. " ", 1, true) ~= nil
end

-- Operators of reductions, in C and in Fortran; no others are declared (declare reduction).
local operators = set("+ - * & | ^ && || max min .and. .or. .eqv. .neqv. iand ior ieor")

-- What only devices can promise that share the host's memory.
local of_shared_memory = set("unified_shared_memory unified_address self_maps")

-- Raises if a directive has a clause it does not take, or one too often. version: of the rules, nil: they have none.
-- Clauses of a group are named with the group (LLNL-4-10).
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
      since("openmp", version, 60, ("an argument of '%s'"):format(name), pos, #name)
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
    local first = what.clauses[name]
    if first ~= true then
      since("openmp", version, first, ("'%s' on %s"):format(name, node.name), pos, #name, advice.clause(name, true))
    end
    if clause.op and not operators[clause.op:lower()] then
      wrong("unsupported", ("'%s' is not an operator of reductions, and none is declared"):format(clause.op), {})
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
  ["enter data"] = { alloc = "create", storage = "create", to = "copyin", tofrom = "copyin" },
  ["exit data"] = { from = "copyout", tofrom = "copyout", release = "delete", delete = "delete", storage = "delete" },
}
local is_type = set("alloc storage to from tofrom release delete")
local enters = set("alloc storage to tofrom")
local moves_in = set("to tofrom")
local moves_out = set("from tofrom")
local plain_modifiers = set("always close present self")
local is_ref = set("ref_ptr ref_ptee ref_ptr_ptee")
local is_attach = set("auto always never")
local other_modifiers = set("mapper iterator attach")

-- A modifier of a map that stands there once: says[key] is what it says.
local function once(says, key, value, modifier)
  if says[key] then
    raise("duplicate-clause", modifier.pos, says[key] == modifier.name and ("'%s' stands here twice"):format(
      modifier.name) or ("a map has one of them, '%s' stands here already"):format(says[key]),
      { length = #modifier.name, rule = "OMP60-map-3" })
  end
  says[key], says[key .. "_pos"] = value, modifier.pos
end

-- Modifiers have commas between them since 6.0, and a type has any place among them; before, it is the last.
-- Decides OMP60-ver-1.
local function check_order(clause, version, says)
  for i, modifier in ipairs(clause.modifiers) do
    local name, pos, before_it = modifier.name, modifier.pos, clause.modifiers[i - 1]
    if modifier.no_comma then
      since("openmp", version, -60, ("'%s' without ',' before it"):format(name), pos, #name,
        "write ',' between modifiers")
    end
    if before_it and says.type_pos == before_it.pos then
      since("openmp", version, 60, ("a modifier behind the map type '%s'"):format(says.type), pos, #name)
    end
  end
end

-- What the modifiers of a map, or of a motion clause of update, say: {type?, type_pos, always, present, self?,
-- self_pos, ref?, ref_pos, attach?, attach_pos, mapper?, mapper_pos, iterators}.
-- Decides OMP60-map-3, OMP60-map-17, OMP61-1.
function directive.modifiers(clause, version)
  local says, iterators = { iterators = {} }, false
  for _, modifier in ipairs(clause.modifiers) do
    local name, pos = modifier.name, modifier.pos
    if is_type[name] and clause.kind == "map" and says.type and (version or 60) >= 60
      and (name == "delete") ~= (says.type == "delete") then -- delete is a modifier beside a type (6.0)
      if name ~= "delete" then says.type, says.type_pos = name, pos end
      says.delete = pos
    elseif is_type[name] and clause.kind == "map" then
      if name == "storage" then since("openmp", version, 60, "the map type 'storage'", pos, #name) end
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
      if name == "self" then since("openmp", version, 60, "the modifier 'self'", pos, #name) end
      says[name], says[name .. "_pos"] = true, pos
    elseif clause.kind == "map" and is_ref[name] then
      since("openmp", version, 60, ("the modifier '%s'"):format(name), pos, #name)
      once(says, "ref", name, modifier)
    elseif clause.kind == "map" and name == "attach" then
      since("openmp", version, 61, "the modifier 'attach'", pos, #name)
      local when = (modifier.when or ""):lower()
      if not is_attach[when] then
        raise("syntax", modifier.when_pos or pos, ("'attach' takes auto, always or never%s"):format(when ~= ""
          and (", not '%s'"):format(when) or ""), { length = when ~= "" and #when or #name, rule = "OMP61-1",
          help = diagnostic.meant(when, is_attach) or "map(attach(always): p[0:n])" })
      end
      once(says, "attach", when, modifier)
    elseif modifier.mapper and says.mapper or modifier.iterators and iterators then
      raise("duplicate-clause", pos, ("'%s' stands here twice"):format(name),
        { length = #name, rule = "OMP60-map-3" })
    elseif name == "mapper" and modifier.mapper then
      says.mapper, says.mapper_pos = modifier.mapper, modifier.mapper_pos
    elseif name == "iterator" and modifier.iterators then
      iterators = true
      for _, iterator in ipairs(modifier.iterators) do table.insert(says.iterators, iterator) end
    else
      local is_map = clause.kind == "map"
      raise("syntax", pos, ("'%s' is not a %s"):format(name, is_map and "map type or modifier"
        or "modifier of a motion clause"), { length = #name, rule = is_map and "OMP60-map-1" or "OMP60-upd-1",
        help = diagnostic.meant(name, is_type) or diagnostic.meant(name, plain_modifiers)
          or is_map and (diagnostic.meant(name, is_ref) or diagnostic.meant(name, other_modifiers)) or nil })
    end
  end
  if clause.kind == "map" then check_order(clause, version, says) end
  if clause.kind == "map" and #clause.modifiers > 0 and not says.type then
    local first = clause.modifiers[1]
    since("openmp", version, 52, "a map with modifiers and without a type", first.pos, #first.name)
  end
  return says
end

-- Without a type a map is tofrom; of that enter and exit data take the half that they can (the Examples have it so).
local usual = { ["enter data"] = "to", ["exit data"] = "from" }

-- What a map asks for on a construct of this kind: the action's word, and the map's type.
-- Decides OMP60-map-1.
function directive.asks(says, kind, name, version, clause)
  local types = map_types[kind]
  if usual[kind] and not says.type then
    since("openmp", version, 52, ("a map without a type on %s"):format(name), clause.pos, #clause.name)
  elseif says.delete and kind ~= "exit data" then
    raise("clause-not-allowed", says.delete, ("'delete' is not allowed on '%s'"):format(name),
      { length = #"delete", rule = "OMP60-map-1" })
  end
  local wanted = says.type or usual[kind] or "tofrom"
  if usual[kind] and wanted == "tofrom" then
    since("openmp", version, 52, ("the map type 'tofrom' on %s"):format(name), says.type_pos, #wanted)
    wanted = usual[kind]
  end
  directive.check_attach(says, wanted, kind ~= "exit data")
  if not types[wanted] then
    raise("clause-not-allowed", says.type_pos, ("the map type '%s' is not allowed on '%s'"):format(wanted, name),
      { length = #wanted, rule = "OMP60-map-1",
        help = kind == "enter data" and "to or alloc" or kind == "exit data" and "from, release or delete" or nil })
  end
  return types[wanted], wanted == "storage" and (kind == "exit data" and "release" or "alloc") or wanted
end

-- Raises if a map that says how pointers are attached maps nothing at the entry of a construct; entry: false on one
-- that ends maps.
-- Decides OMP61-1.
function directive.check_attach(says, map_type, is_entry)
  if not says.attach or is_entry ~= false and enters[map_type] then return end
  raise("clause-not-allowed", says.attach_pos, is_entry == false and "nothing is attached at the end of a map"
    or ("nothing is attached by a map of the type '%s'"):format(map_type), { length = #"attach", rule = "OMP61-1",
    help = is_entry ~= false and "to, tofrom or storage" or nil })
end

-- Raises for a list item with the modifier attach that no pointer points to.
function directive.no_base_pointer(item, pos)
  raise("not-a-pointer", pos, ("'%s' has no base pointer that could be attached"):format(item), { rule = "OMP61-1",
    help = "attach is for what a pointer points to: p[0:n]" })
end

directive.map_actions, directive.moves_in, directive.moves_out = entry, moves_in, moves_out

return directive
