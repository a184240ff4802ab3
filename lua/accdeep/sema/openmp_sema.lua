-- openmp_sema.lua - semantic checks of OpenMP directives that need no run-time values: the kind of each construct, the
-- clauses that it takes, the modifiers of its maps.
--
-- Input: the AST of a directive (syntax/openmp_syntax.lua). Output: the entry of the directive, or the modifiers of a
-- map. Invariant: the AST is not changed. Called by sema/clauses/openmp_analysis.lua, sema/body/ and run/.

local advice = require "accdeep.syntax.advice"
local openmp_arguments = require "accdeep.sema.openmp_arguments"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local word_set = require "accdeep.base.strings".word_set
local openmp_exclusions = require "accdeep.sema.openmp_exclusions"
local version_checks = require "accdeep.sema.version_checks"

local raise = diagnostic.raise

local openmp_sema = {}

-- Set of the clauses that at least one directive takes.
local all_clauses = openmp_directives.clauses_where(function(entry) return entry.directives ~= "" end)

-- True if the combined construct `name` contains the construct `part`.
function openmp_sema.is_part(name, part)
  return (" " .. name .. " "):find(" " .. part .. " ", 1, true) ~= nil
end

-- Reduction operators of C and Fortran; declare reduction is not supported.
local operators = word_set("+ - * & | ^ && || max min .and. .or. .eqv. .neqv. iand ior ieor")

-- Clauses that require devices that share the host's memory.
local shared_memory_clauses = word_set("unified_shared_memory unified_address self_maps")

-- Raises if the directive `node` has a clause that it does not take, has a clause too often, or is not supported. Also
-- raises for wrong arguments, for a clause from a later version, and for clauses that require memory shared with the
-- devices. Returns the entry of the directive. version: OpenMP version of the rules; nil if the rules have none.
-- Errors about a clause of a group name the group (LLNL-4-10).
function openmp_sema.check(node, version)
  local info = openmp_directives.directive(node.name)
  if info.kind == "beyond" then
    raise("unsupported", node.pos, ("'%s' is not carried out here"):format(node.name), { length = #node.name })
  end
  local keys, names = {}, {}
  for _, clause in ipairs(node.clauses) do names[clause.name] = true end
  for _, clause in ipairs(node.clauses) do
    local name, pos = clause.name, clause.pos
    local from = clause.group and (" (from %s)"):format(clause.group.title) or ""
    -- Raises an error at the clause. code, message, fields: those of the error; the message gets the name of the
    -- clause's group, if any.
    local function wrong(code, message, fields)
      fields.length = #name
      raise(code, pos, message .. from, fields)
    end
    if not info.clauses[name] then
      if not all_clauses[name] then
        wrong("unknown-clause", ("there is no clause '%s'"):format(name), { rule = "OMP60-map-1",
          help = advice.clause(name, true, info.clauses, all_clauses) })
      end
      wrong("clause-not-allowed", ("'%s' is not allowed on '%s'"):format(name, node.name), { rule = "OMP60-tgt-1",
        help = advice.clause(name, true) })
    end
    -- The grammar knows this clause only without an argument, so its kind is "unknown" if it has one.
    if clause.kind == "unknown" then
      version_checks("openmp", version, 60, ("an argument of '%s'"):format(name), pos, #name)
      wrong("unsupported", ("'%s' with an argument"):format(name), {})
    end
    openmp_arguments.check(clause)
    local key = openmp_exclusions.once_key(clause)
    if key and keys[key] then
      wrong("duplicate-clause", ("'%s' stands here twice"):format(name), { rule = "OMP60-tgt-1" })
    end
    if key then keys[key] = true end
    if node.name == "ordered" and (name == "depend" or name == "doacross") then
      wrong("unsupported", ("'%s' on 'ordered'"):format(name), {})
    elseif name == "nowait" and node.name == "taskwait" and not names.depend then
      wrong("clause-not-allowed", "'nowait' on taskwait goes with 'depend'", { rule = "OMP60-tgt-1" })
    end
    local first = info.clauses[name]
    if first ~= true then
      version_checks("openmp", version, first, ("'%s' on %s"):format(name, node.name), pos, #name,
        advice.clause(name, true))
    end
    if clause.op and not operators[clause.op:lower()] then
      wrong("unsupported", ("'%s' is not an operator of reductions, and none is declared"):format(clause.op), {})
    end
    if shared_memory_clauses[name] then
      wrong("unsupported", ("'%s': devices here have memory of their own"):format(name), { rule = "OMP60-map-14" })
    end
  end
  if names.safelen and names.simdlen then openmp_arguments.check_lengths(node.clauses) end
  return info
end

-- ------------------------------------------------------------------------------------------- maps --

-- Kind of construct -> map type -> requested action of the core. A map type without an entry is not allowed on the
-- construct (OMP60-map-1).
local entry = { alloc = "create", storage = "create", to = "copyin", from = "copyout", tofrom = "copy" }
local map_types = {
  region = entry, compute = entry,
  ["enter data"] = { alloc = "create", storage = "create", to = "copyin", tofrom = "copyin" },
  ["exit data"] = { from = "copyout", tofrom = "copyout", release = "delete", delete = "delete", storage = "delete" },
}
local is_type = word_set("alloc storage to from tofrom release delete")
local enters = word_set("alloc storage to tofrom")
local moves_in = word_set("to tofrom")
local moves_out = word_set("from tofrom")
local flag_modifiers = word_set("always close present self")
local is_ref = word_set("ref_ptr ref_ptee ref_ptr_ptee")
local is_attach = word_set("auto always never")
local other_modifiers = word_set("mapper iterator attach")

-- Sets map_modifiers[key] to `value` and its position, for a modifier that a map may have once. Raises if the key has a
-- value already.
local function set_once(map_modifiers, key, value, modifier)
  if map_modifiers[key] then
    raise("duplicate-clause", modifier.pos, map_modifiers[key] == modifier.name and ("'%s' stands here twice"):format(
      modifier.name) or ("a map has one of them, '%s' stands here already"):format(map_modifiers[key]),
      { length = #modifier.name, rule = "OMP60-map-3" })
  end
  map_modifiers[key], map_modifiers[key .. "_pos"] = value, modifier.pos
end

-- Raises if the modifiers of a map clause have an order or a separator that `version` does not allow. map_modifiers:
-- table that openmp_sema.modifiers is making. Since 6.0, commas separate modifiers and the map type may have any place;
-- earlier, the map type must be the last modifier. version: OpenMP version of the rules, or nil. Decides OMP60-ver-1.
local function check_order(clause, version, map_modifiers)
  for i, modifier in ipairs(clause.modifiers) do
    local name, pos, previous = modifier.name, modifier.pos, clause.modifiers[i - 1]
    if modifier.no_comma then
      version_checks("openmp", version, -60, ("'%s' without ',' before it"):format(name), pos, #name,
        "write ',' between modifiers")
    end
    if previous and map_modifiers.type_pos == previous.pos then
      version_checks("openmp", version, 60, ("a modifier after the map type '%s'"):format(map_modifiers.type), pos,
        #name)
    end
  end
end

-- Returns the modifiers of a map, or of a motion clause of update, as a table {type?, type_pos, always, present, self?,
-- self_pos, ref?, ref_pos, attach?, attach_pos, mapper?, mapper_pos, iterators}. In 6.0, `delete` is the position of
-- the word delete. Raises for a modifier that the clause does not take, that occurs twice, or that `version` does not
-- have. Decides OMP60-map-3, OMP60-map-17, OMP61-1.
function openmp_sema.modifiers(clause, version)
  local map_modifiers, iterators = { iterators = {} }, false
  for _, modifier in ipairs(clause.modifiers) do
    local name, pos = modifier.name, modifier.pos
    if is_type[name] and clause.kind == "map" and map_modifiers.type and (version or 60) >= 60
      -- The word delete is a modifier since 6.0. It may occur with a map type, which is then no second type.
      and (name == "delete") ~= (map_modifiers.type == "delete") then
      if name ~= "delete" then map_modifiers.type, map_modifiers.type_pos = name, pos end
      map_modifiers.delete = pos
    elseif is_type[name] and clause.kind == "map" then
      if name == "storage" then version_checks("openmp", version, 60, "the map type 'storage'", pos, #name) end
      if map_modifiers.type then
        raise("conflicting-clauses", pos, ("a map has one type, '%s' stands here already"):format(map_modifiers.type),
          { length = #name, rule = "OMP60-map-1" })
      end
      map_modifiers.type, map_modifiers.type_pos = name, pos
    elseif flag_modifiers[name] and (clause.kind == "map" or name == "present") then
      if map_modifiers[name] then
        raise("duplicate-clause", pos, ("'%s' stands here twice"):format(name),
          { length = #name, rule = "OMP60-map-3" })
      end
      if name == "self" then version_checks("openmp", version, 60, "the modifier 'self'", pos, #name) end
      map_modifiers[name], map_modifiers[name .. "_pos"] = true, pos
    elseif clause.kind == "map" and is_ref[name] then
      version_checks("openmp", version, 60, ("the modifier '%s'"):format(name), pos, #name)
      set_once(map_modifiers, "ref", name, modifier)
    elseif clause.kind == "map" and name == "attach" then
      version_checks("openmp", version, 61, "the modifier 'attach'", pos, #name)
      local when = (modifier.when or ""):lower()
      if not is_attach[when] then
        raise("syntax", modifier.when_pos or pos, ("'attach' takes auto, always or never%s"):format(when ~= ""
          and (", not '%s'"):format(when) or ""), { length = when ~= "" and #when or #name, rule = "OMP61-1",
          help = diagnostic.suggest(when, is_attach) or "map(attach(always): p[0:n])" })
      end
      set_once(map_modifiers, "attach", when, modifier)
    elseif modifier.mapper and map_modifiers.mapper or modifier.iterators and iterators then
      raise("duplicate-clause", pos, ("'%s' stands here twice"):format(name),
        { length = #name, rule = "OMP60-map-3" })
    elseif name == "mapper" and modifier.mapper then
      map_modifiers.mapper, map_modifiers.mapper_pos = modifier.mapper, modifier.mapper_pos
    elseif name == "iterator" and modifier.iterators then
      iterators = true
      for _, iterator in ipairs(modifier.iterators) do table.insert(map_modifiers.iterators, iterator) end
    else
      local is_map = clause.kind == "map"
      raise("syntax", pos, ("'%s' is not a %s"):format(name, is_map and "map type or modifier"
        or "modifier of a motion clause"), { length = #name, rule = is_map and "OMP60-map-1" or "OMP60-upd-1",
        help = diagnostic.suggest(name, is_type) or diagnostic.suggest(name, flag_modifiers)
          or is_map and (diagnostic.suggest(name, is_ref) or diagnostic.suggest(name, other_modifiers)) or nil })
    end
  end
  if clause.kind == "map" then check_order(clause, version, map_modifiers) end
  if clause.kind == "map" and #clause.modifiers > 0 and not map_modifiers.type then
    local first = clause.modifiers[1]
    version_checks("openmp", version, 52, "a map with modifiers and without a type", first.pos, #first.name)
  end
  return map_modifiers
end

-- Directive -> map type of a map without a type, or of type tofrom: the half of tofrom that the directive can perform.
-- The OpenMP Examples use such maps.
local usual = { ["enter data"] = "to", ["exit data"] = "from" }

-- Returns the requested action of a map on a construct, and the map type; the type storage is returned as release on
-- exit data, otherwise as alloc. map_modifiers: result of openmp_sema.modifiers; kind, name: those of the construct;
-- clause: the map, for positions. Raises if the construct does not take the map type or the modifiers delete and
-- attach, or if `version` requires a type. Decides OMP60-map-1.
function openmp_sema.map_action(map_modifiers, kind, name, version, clause)
  local types = map_types[kind]
  if usual[kind] and not map_modifiers.type then
    version_checks("openmp", version, 52, ("a map without a type on %s"):format(name), clause.pos, #clause.name)
  elseif map_modifiers.delete and kind ~= "exit data" then
    raise("clause-not-allowed", map_modifiers.delete, ("'delete' is not allowed on '%s'"):format(name),
      { length = #"delete", rule = "OMP60-map-1" })
  end
  local map_type = map_modifiers.type or usual[kind] or "tofrom"
  if usual[kind] and map_type == "tofrom" then
    version_checks("openmp", version, 52, ("the map type 'tofrom' on %s"):format(name), map_modifiers.type_pos,
      #map_type)
    map_type = usual[kind]
  end
  openmp_sema.check_attach(map_modifiers, map_type, kind ~= "exit data")
  if not types[map_type] then
    raise("clause-not-allowed", map_modifiers.type_pos, ("the map type '%s' is not allowed on '%s'"):format(
      map_type, name),
      { length = #map_type, rule = "OMP60-map-1",
        help = kind == "enter data" and "to or alloc" or kind == "exit data" and "from, release or delete" or nil })
  end
  return types[map_type], map_type == "storage" and (kind == "exit data" and "release" or "alloc") or map_type
end

-- Raises if a map has the modifier attach, but its map type does not enter data (alloc, storage, to, tofrom), or the
-- construct ends maps. is_entry: false for a construct that ends maps. Decides OMP61-1.
function openmp_sema.check_attach(map_modifiers, map_type, is_entry)
  if not map_modifiers.attach or is_entry ~= false and enters[map_type] then return end
  raise("clause-not-allowed", map_modifiers.attach_pos, is_entry == false and "nothing is attached at the end of a map"
    or ("nothing is attached by a map of the type '%s'"):format(map_type), { length = #"attach", rule = "OMP61-1",
    help = is_entry ~= false and "to, tofrom or storage" or nil })
end

-- Raises the error for the modifier attach on a list item without a base pointer. item: its text.
function openmp_sema.no_base_pointer(item, pos)
  raise("not-a-pointer", pos, ("'%s' has no base pointer that could be attached"):format(item), { rule = "OMP61-1",
    help = "attach is for what a pointer points to: p[0:n]" })
end

openmp_sema.map_actions, openmp_sema.moves_in, openmp_sema.moves_out = entry, moves_in, moves_out

-- ------------------------------------------------------------------------ directives with a construct --

local dependences = word_set "in out inout mutexinoutset inoutset depobj source sink" -- types of dependences
local of_ordered = word_set "source sink" -- types of dependences that only the directive ordered takes

-- Raises if the dependence type of a depend clause is unknown, is only for the directive ordered, or has no list items.
function openmp_sema.check_dependence(clause)
  local word = clause.type
  if not dependences[word.name] then
    raise("syntax", word.pos, ("'%s' is not a type of a dependence"):format(word.name), { length = #word.name,
      rule = "OMP60-tgt-1", help = diagnostic.suggest(word.name, dependences) or "in, out, inout" })
  elseif of_ordered[word.name] then
    raise("clause-not-allowed", word.pos, ("depend(%s) is for ordered"):format(word.name), { length = #word.name,
      rule = "OMP60-tgt-1" })
  elseif not clause.items then
    raise("syntax", word.pos + #word.name, ("depend(%s: ...) names variables"):format(word.name),
      { rule = "OMP60-tgt-1" })
  end
end

-- Words of defaultmap that say what happens with variables; those that OpenMP has since version 6.0.
local behaviours = word_set "alloc to from tofrom present storage self firstprivate private none default"
local behaviours_60 = word_set "storage self private"

-- Raises if a defaultmap clause has an unknown word, a word of a later version than `version`, or a category that
-- another clause of the directive has. categories: the language's categories, as keys; named: categories of earlier
-- clauses, as keys, to which that of this clause is added ("all" without a category).
local function check_defaultmap(clause, version, categories, named)
  local behaviour, category, more = table.unpack(clause.words)
  if more then
    raise("syntax", more.pos, "expected ')'", { length = #more.name, rule = "OMP60-map-11" })
  elseif not behaviours[behaviour.name] then
    raise("clause-not-allowed", behaviour.pos, ("'%s' is not a behaviour of defaultmap"):format(behaviour.name),
      { length = #behaviour.name, rule = "OMP60-map-11" })
  elseif category and not categories[category.name] then
    raise("clause-not-allowed", category.pos, ("'%s' is not a category of defaultmap"):format(category.name),
      { length = #category.name, rule = "OMP60-map-11" })
  end
  if behaviours_60[behaviour.name] then
    version_checks("openmp", version, 60, ("'%s' in defaultmap"):format(behaviour.name), behaviour.pos,
      #behaviour.name)
  end
  if category and category.name == "all" then
    version_checks("openmp", version, 52, "the category 'all' in defaultmap", category.pos, #category.name)
  end
  local key = category and category.name or "all"
  if named[key] or named.all or key == "all" and next(named) then
    raise("duplicate-clause", clause.pos, "one defaultmap for a category, or one for all",
      { length = #clause.name, rule = "OMP60-map-11" })
  end
  named[key] = true
end

-- Raises if the name before the condition of an if clause is neither that of the directive nor of a part of a compute
-- construct. Raises for another modifier of a device clause than device_num. Decides OMP60-tgt-1.
local function check_modifier(node, kind, clause)
  local modifier = clause.modifier and clause.modifier.name
  if not modifier then return end
  local is_part = kind == "compute" and openmp_sema.is_part(node.name, modifier)
  if clause.name == "if" and not is_part and modifier ~= node.name then
    raise("clause-not-allowed", clause.modifier.pos, ("'%s' is not part of '%s'"):format(modifier, node.name),
      { length = #modifier, rule = "OMP60-tgt-1" })
  elseif clause.name == "device" and modifier ~= "device_num" then
    raise("unsupported", clause.modifier.pos, ("device(%s: ...)"):format(modifier), { length = #modifier })
  end
end

-- Clauses about variables other than map: name -> effect. The clauses that name a variable have one effect.
local effects = { is_device_ptr = "device", has_device_addr = "device", private = "private", firstprivate = "copied",
  lastprivate = "copied", linear = "copied", reduction = "copied", in_reduction = "copied", task_reduction = "copied",
  use_device_ptr = "use_device_ptr", use_device_addr = "use_device_addr" }
-- Clauses whose list items may be sections of variables.
local takes_sections = word_set "use_device_addr has_device_addr reduction in_reduction task_reduction"

-- Returns the name of the variable that a list item names, or of which it is a section. Raises for other list items,
-- and for elements, which are not supported.
local function variable_name(clause, item)
  local base, innermost = item, nil
  while takes_sections[clause.name] and (base.tag == "index" or base.tag == "section" or base.tag == "alias") do
    base, innermost = base.base, base.tag
  end
  if base.tag == "id" and innermost ~= "index" then return base.name end
  if base.tag == "id" then raise("unsupported", item.pos, ("an element of an array in '%s'"):format(clause.name)) end
  raise("clause-not-allowed", item.pos, ("'%s' takes names of variables%s"):format(clause.name,
    takes_sections[clause.name] and " and sections of them" or ""), { rule = "OMP60-tgt-1" })
end

-- Raises if a list item of a clause in `effects` is no variable, or is in a clause that excludes this one. clause_of:
-- variable -> the first clause that names it; variables of this clause are added.
local function check_variables(clause, clause_of)
  local effect = effects[clause.name]
  for _, item in ipairs(effect and clause.vars or {}) do
    local name = variable_name(clause, item)
    local other = clause_of[name]
    if other and clause.name:find "^use_device" and other ~= clause.name then
      raise("conflicting-clauses", item.pos, ("'%s' is in '%s' already"):format(name, other),
        { length = #name, rule = "OMP60-tgt-1" })
    elseif other and not clause.name:find "^use_device" and (effect == "device" or effects[other] ~= effect) then
      raise("conflicting-clauses", item.pos, ("'%s' is in two clauses that exclude each other"):format(name),
        { length = #name, rule = "OMP60-map-11" })
    end
    clause_of[name] = clause.name
  end
end

-- Raises if two iterators of a map or motion clause have one name. Decides OMP60-map-3.
local function check_iterators(clause)
  local names = {}
  for _, modifier in ipairs(clause.modifiers or {}) do
    for _, iterator in ipairs(modifier.iterators or {}) do
      if names[iterator.name] then
        raise("duplicate-name", iterator.pos, ("there are two iterators '%s'"):format(iterator.name),
          { length = #iterator.name, rule = "OMP60-map-3" })
      end
      names[iterator.name] = true
    end
  end
end

-- Kind of a directive -> the clauses without which the directive is wrong, for the message.
local needs_map = { ["enter data"] = "a map clause", ["exit data"] = "a map clause",
  update = "a to or from clause", region = "a map or use_device clause" }

-- Raises for the errors of a directive with a construct that its text shows (check, and the functions above). Returns
-- the entry of the directive. version: OpenMP version of the rules, or nil; categories: words for categories of
-- variables of the language, as keys.
function openmp_sema.check_directive(node, version, categories)
  local info = openmp_sema.check(node, version)
  local named, clause_of, has_data = {}, {}, false
  for _, clause in ipairs(node.clauses) do
    check_modifier(node, info.kind, clause)
    if clause.name == "defaultmap" then check_defaultmap(clause, version, categories, named) end
  end
  for _, clause in ipairs(node.clauses) do
    check_variables(clause, clause_of)
    check_iterators(clause)
    has_data = has_data or clause.kind == "map" or clause.kind == "motion"
      or info.kind == "region" and clause.name:find "^use_device" ~= nil
  end
  if not has_data and needs_map[info.kind] then
    raise("syntax", node.pos + #node.name, ("'%s' needs %s"):format(node.name, needs_map[info.kind]),
      { rule = "OMP60-tgt-1" })
  end
  return info
end

return openmp_sema
