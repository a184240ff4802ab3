-- mapper.lua - declare mapper (OMP60-map-15): defines mappers, and makes the member mappings of list items to which a
-- mapper applies.
--
-- Input: the AST of a declare mapper directive, then requests of map clauses. Output: member mappings, as nest.lua
-- makes them. run/openmp_declarations.lua calls define; openmp_requested_action.lua calls find and member_mapping.
--
--   mapper {name ("default" without one), record, variable, paths, location}.
--   paths    tree of the members that the mapper's maps name: {members, own_map?, pointer?, subscripts?, name, pos}.
--     members     name of a member -> tree of the member's own members.
--     own_map     map of this member itself: {type, map_modifiers}.
--     pointer     map of a pointer member, if own_map is the map of a section of the pointer's target; nil: no map
--                 names the pointer without a section.
--     subscripts  sections of the member in its map; false or nil: none.
--
--   map request: the map of the list item to which a mapper is applied, {type, kind, flags, actions, update}.
--     type     map type of the list item, such as "tofrom"; kind: kind of the directive, such as "exit data".
--     flags    modifiers of the list item: name -> true (mapper.flags).
--     actions  map type -> action of the core, by name.
--     update   true in an update; type is then its direction, "to" or "from".
--
-- The mapper of a list item becomes a policy whose members combine the map types of mapper and list item (OMP60-map-2).
-- Members that no map names are not available on the device.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_sema = require "accdeep.sema.openmp_sema"
local list_item = require "accdeep.sema.c.list_item"
local policy = require "accdeep.lowering.policy"
local version_checks = require "accdeep.sema.version_checks"
local section_subscripts = require "accdeep.lowering.section_subscripts"
local ast = require "accdeep.base.ast"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local raise = diagnostic.raise
local flag = core.flag

local mapper = {}

-- ----------------------------------------------------------------------------------------- words --

-- Returns the word of an action (policy.lua): its name `requested`, preceded by modifiers. A word is a text like "must
-- copyin". set: names of policy.modifiers -> true.
function mapper.action_word(requested, set)
  local parts = {}
  for _, name in ipairs(policy.modifiers) do
    if set[name] then parts[#parts + 1] = name end
  end
  parts[#parts + 1] = requested
  return table.concat(parts, " ")
end

-- Returns the modifiers of a map as a table that has a true value under each name of policy.modifiers that applies.
-- map_modifiers: result of openmp_sema.modifiers; map_type: the map's type.
function mapper.flags(map_modifiers, map_type)
  return { must = map_modifiers.present, final = map_type == "delete" or map_modifiers.delete ~= nil,
    always_in = map_modifiers.always and openmp_sema.moves_in[map_type],
    always_out = map_modifiers.always and openmp_sema.moves_out[map_type],
    attach_always = map_modifiers.attach == "always",
    attach_never = map_modifiers.attach == "never" }
end

-- Returns the core's flag bits, as one number, of a set of modifiers: name of policy.modifiers -> true.
function mapper.bits(set)
  local bits = 0
  for _, name in ipairs(policy.modifiers) do if set[name] then bits = bits | flag[name] end end
  return bits
end

-- Returns the map type of data which a mapper maps as `own`, and whose list item is mapped as `requested`. The result
-- copies in a direction only if both types copy in it, and is alloc if no direction remains; if `requested` is release
-- or delete, it is the result. Decides OMP60-map-2.
local function compose_type(own, requested)
  if requested == "release" or requested == "delete" then return requested end
  local to = openmp_sema.moves_in[own] and openmp_sema.moves_in[requested]
  local from = openmp_sema.moves_out[own] and openmp_sema.moves_out[requested]
  return to and from and "tofrom" or to and "to" or from and "from" or "alloc"
end

-- ----------------------------------------------------------------------------------------- paths --

-- Returns a copy of a mapper's expression that can be used in other scopes. The mapper's variable gets the field
-- `mapped`, the type of the mapped object; other names get the field `global` = true, so they are looked up outside of
-- members.
local function substitute_object(expression, definition)
  return ast.map(expression, function(node)
    if node.tag ~= "id" then return nil end
    if node.name == definition.variable and not node.global then
      return ast.copy_with(node, "mapped", definition.record)
    end
    return ast.copy_with(node, "global", true)
  end)
end

-- Returns the members on the access path from the mapper's variable to a list item, `node`: {name, pos, subscripts},
-- outermost first. The list is empty for the variable itself. Raises if the list item is not a part of the variable.
local function access_path(definition, node)
  if node.tag == "id" then
    if node.name ~= definition.variable then
      raise("unknown-name", node.pos, ("a mapper maps '%s' and what belongs to it, not '%s'"):format(
        definition.variable, node.name), { length = #node.name, rule = "OMP60-map-15" })
    end
    return {}
  elseif node.tag == "member" then
    local steps = access_path(definition, node.base)
    local last = steps[#steps]
    if node.arrow and not last then
      raise("not-a-pointer", node.pos, ("'%s' is an object"):format(definition.variable),
        { length = 2, help = "use '.'" })
    elseif node.arrow then
      last.subscripts[#last.subscripts + 1] =
        { tag = "section", pos = node.pos, length = list_item.number(1, node.pos) }
    end
    steps[#steps + 1] = { name = node.name, pos = node.name_pos, subscripts = {} }
    return steps
  elseif node.tag == "component" then
    local steps = access_path(definition, node.base)
    steps[#steps + 1] = { name = node.name, pos = node.name_pos, subscripts = {} }
    return steps
  elseif node.tag == "index" or node.tag == "section" or node.tag == "reference" then
    local steps = access_path(definition, node.base)
    local last = steps[#steps]
    if not last then
      raise("not-a-pointer", node.pos, ("'%s' is one object"):format(definition.variable), { rule = "OMP60-map-15" })
    elseif node.tag == "reference" and #last.subscripts > 0 then
      raise("syntax", node.pos, "a component has one list of subscripts", { rule = "OMP60-map-15" })
    end
    local section = node.tag == "reference" and { tag = "section", pos = node.pos, ranges = node.args }
      or node.tag == "section" and node
      or { tag = "section", pos = node.pos, start = node.index, length = list_item.number(1, node.pos) }
    last.subscripts[#last.subscripts + 1] = substitute_object(section, definition)
    return steps
  end
  raise("syntax", node.pos, "a mapper maps members of its variable", { rule = "OMP60-map-15" })
end

-- Returns the map type of a member that two maps of one mapper name, with the types `first` and `second`. The result
-- copies in each direction in which one of them copies.
local function combine_requests(first, second)
  local to = openmp_sema.moves_in[first] or openmp_sema.moves_in[second]
  local from = openmp_sema.moves_out[first] or openmp_sema.moves_out[second]
  return to and from and "tofrom" or to and "to" or from and "from" or "alloc"
end

-- Enters the map of a list item, `node`, into the tree of a mapper's paths. map_request: {type, map_modifiers}. Raises
-- if the list item is not a part of the mapper's variable, or if an earlier map names another section of the member.
-- Two maps of different types are combined; raises if their modifiers differ. A later map of the same type replaces the
-- earlier map.
local function enter(definition, node, map_request)
  local steps = access_path(definition, node)
  local at = definition.paths
  for _, step in ipairs(steps) do
    local path = at.members[step.name]
    if not path then
      path = { name = step.name, pos = step.pos, members = {}, subscripts = #step.subscripts > 0 and step.subscripts }
      at.members[step.name] = path
    elseif #step.subscripts > 0 and not path.subscripts then
      -- An earlier map named the pointer itself. The earlier map moves to the field `pointer`, because own_map will be
      -- the map of the section.
      path.subscripts = step.subscripts
      path.pointer, path.own_map = path.own_map, nil
    elseif #step.subscripts > 0 then
      local function text(list)
        local parts = {}
        for i, s in ipairs(list) do parts[i] = unparse.section(s) end
        return table.concat(parts)
      end
      if text(path.subscripts) ~= text(step.subscripts) then
        raise("unsupported", step.pos, ("'%s' is mapped with two sections"):format(step.name),
          { length = #step.name, rule = "OMP60-map-13" })
      end
    elseif step == steps[#steps] and path.subscripts then
      path.pointer = map_request
      return
    end
    at = path
  end
  local previous = at.own_map
  local map_modifiers = map_request.map_modifiers
  local is_other_type = previous and previous.type ~= map_request.type
  if is_other_type and (previous.map_modifiers.mapper ~= map_modifiers.mapper
    or previous.map_modifiers.always ~= map_modifiers.always
    or previous.map_modifiers.present ~= map_modifiers.present) then
    raise("conflicting-clauses", node.pos, ("it is mapped as '%s' already, with other modifiers"):format(previous.type),
      { rule = "OMP60-map-13" })
  end
  at.own_map = is_other_type and { type = combine_requests(previous.type, map_request.type),
    map_modifiers = map_modifiers } or map_request
end

-- Raises if a bound of a mapper names something that is not declared at the mapper's location, or a member that does
-- not exist. Nodes with the field `mapped` (the mapper's variable) are accepted. node: AST of the bound; values that
-- are not tables are ignored.
local function check_names(session, node)
  if type(node) ~= "table" then return end
  local scope = session.now.scope
  if node.tag == "id" and not node.mapped
    and not (scope.variables[node.name] or scope.enumerators[node.name] or scope.functions[node.name]) then
    scope:no_variable(node, nil, "OMP60-map-15")
  elseif (node.tag == "member" or node.tag == "component") and node.base.mapped
    and not types.member(node.base.mapped, node.name) then
    diagnostic.no_member(node.base.mapped, types.name(node.base.mapped), node.name, node.name_pos, "OMP60-map-15")
  end
  for _, child in ast.children(node) do check_names(session, child) end
end

-- Checks a mapper's tree of paths, `node`, below an object of type `record`. Raises if a path names a member that does
-- not exist or belongs to a union, or a section of a type that has none. Also raises if a path continues after a member
-- that is not a structure, or if a bound names something unknown (check_names).
local function check(session, record, node)
  for name, path in sorted_pairs(node.members, "pos") do
    local member = types.member(record, name)
    if not member then diagnostic.no_member(record, types.name(record), name, path.pos, "OMP60-map-15") end
    if path.subscripts and not types.element(member.type) then
      raise("not-a-pointer", path.subscripts[1].pos, ("'%s' is %s: it has no elements"):format(name,
        types.name(member.type)), { rule = "OMP60-map-15" })
    end
    if record.record == "union" then
      raise("clause-not-allowed", path.pos, "a member of a union cannot be mapped",
        { length = #name, rule = "OMP60-map-13", help = "map the union" })
    end
    local at = member.type
    for _, subscript in ipairs(path.subscripts or {}) do
      if not subscript.ranges then section_subscripts.check(subscript, at and at.kind == "array" and at.n) end
      at = at and types.element(at)
      check_names(session, subscript.start)
      check_names(session, subscript.length)
      check_names(session, subscript.ranges)
    end
    local element = types.innermost(member.type)
    if next(path.members) and not types.is_record(element) then
      raise("not-a-struct", path.pos, ("'%s' has no members"):format(name), { length = #name })
    elseif next(path.members) then
      check(session, element, path)
    end
  end
end

-- ------------------------------------------------------------------------------------ definition --

-- Executes a declare mapper directive, `node`: checks its clauses, stores the mapper in the session, and clears caches.
-- Raises, and stores nothing, if the directive is wrong, its type is not a complete structure, or the record has a
-- mapper of this name.
function mapper.define(session, node)
  openmp_sema.check(node, session.rules.openmp)
  local declared = node.mapper
  local spec = declared.type.spec or declared.type
  if spec.tag == "record" and not spec.members and not session.now.scope.tags[spec.name] then
    raise("unknown-type", spec.pos, ("there is no %s '%s'"):format(spec.kind, spec.name), { rule = "OMP60-map-15" })
  end
  local record = session.language.type_of(session, declared.type)
  if types.is_record(record) and not record.complete then
    raise("unknown-type", spec.pos, ("the members of %s are not known"):format(types.name(record)),
      { rule = "OMP60-map-15" })
  elseif not types.is_record(record) then
    raise("not-a-struct", declared.pos, ("a mapper is for a structure, this is %s"):format(types.name(record)),
      { rule = "OMP60-map-15" })
  end
  local name = declared.name or "default"
  local definition = { name = name, record = record, variable = declared.variable, paths = { members = {} },
    location = session:location_of(node.pos) }
  local table_of = session:mappers_of(record)
  if rawget(table_of, name) then
    raise("duplicate-name", declared.pos, ("%s has a mapper '%s' already"):format(types.name(record), name),
      { rule = "OMP60-map-15" })
  end
  if #node.clauses == 0 then
    raise("syntax", node.pos + #"declare mapper", "a mapper has at least one map clause", { rule = "OMP60-map-15" })
  end
  for _, clause in ipairs(node.clauses) do
    local map_modifiers = openmp_sema.modifiers(clause, session.rules.openmp)
    local map_type = map_modifiers.type or "tofrom"
    if map_modifiers.present then
      version_checks("openmp", session.rules.openmp, 52, "'present' in a mapper", clause.pos, #clause.name)
    end
    if not openmp_sema.map_actions[map_type] then
      raise("clause-not-allowed", map_modifiers.type_pos, ("a mapper's map has a type of entry, not '%s'"):format(
        map_type),
        { length = #map_type, rule = "OMP60-map-15" })
    elseif map_modifiers.ref then
      raise("unsupported", map_modifiers.ref_pos, ("'%s' in a mapper"):format(map_modifiers.ref),
        { length = #map_modifiers.ref,
        rule = "OMP60-map-17" })
    elseif #map_modifiers.iterators > 0 then
      version_checks("openmp", session.rules.openmp, 52, "an iterator in a mapper", clause.pos, #clause.name)
      raise("unsupported", clause.pos, "iterators in a mapper", { length = #clause.name, rule = "OMP60-map-3" })
    end
    local map_request = { type = map_type == "storage" and "alloc" or map_type, map_modifiers = map_modifiers }
    openmp_sema.check_attach(map_modifiers, map_type)
    for _, variable in ipairs(clause.vars) do
      if map_modifiers.attach and not (variable.tag == "section" or variable.tag == "index"
        or variable.tag == "reference") then
        openmp_sema.no_base_pointer(unparse.expression(variable), variable.pos)
      end
      enter(definition, variable, map_request)
    end
  end
  check(session, record, definition.paths)
  table_of[name] = definition
  session:types_changed()
end

-- -------------------------------------------------------------------------------- member mapping --

local member_mapping_of -- forward declaration

-- Returns the word of the action on a member, from the mapper's map `own_map` {type, map_modifiers} and the list item's
-- map request.
local function member_action(own_map, request)
  local map_type = compose_type(own_map.type, request.type)
  local set = mapper.flags(own_map.map_modifiers, map_type)
  for name, value in pairs(request.flags) do
    local fits = name == "must" or name == "final" or name == "always_in" and openmp_sema.moves_in[map_type]
      or name == "always_out" and openmp_sema.moves_out[map_type]
    set[name] = set[name] or value and fits
  end
  return mapper.action_word(request.actions[map_type], set)
end

-- Returns a true value if an update copies data whose map is own_map. The update's direction is request.type, "to" or
-- "from"; the map's type must copy in this direction (OMP60-upd-1).
local function moves(own_map, request)
  return (request.type == "to" and openmp_sema.moves_in or openmp_sema.moves_out)[own_map.type]
end

-- Returns the member mapping of the structures that a member holds or points to; nil if they are not structures. The
-- mapping is made of the members inside that `path` names. If `path` names none, the mapping is that of the mapper in
-- the member's map, else that of the default mapper of the structures' type. path: tree of the member, nil if no map
-- names it. Raises if the named mapper does not exist.
local function map_nested(session, member, path, request)
  local record = types.innermost(member.type)
  if not types.is_record(record) then return nil end
  if path and next(path.members) then return member_mapping_of(session, record, path, request) end
  local map_modifiers = path and path.own_map and path.own_map.map_modifiers
  local inner = mapper.find(session, record, map_modifiers and map_modifiers.mapper, map_modifiers
    and map_modifiers.mapper_pos)
  local inner_request = path and path.own_map and setmetatable({ type = compose_type(path.own_map.type, request.type) },
    { __index = request }) or request
  return mapper.member_mapping(session, record, inner, inner_request)
end

-- Returns the member mapping of a record under a tree of paths, for one map request.
function member_mapping_of(session, record, paths, request)
  local own = paths.own_map
  local update = request.update
  local policy_layer = { members = {}, use = {},
    default = own and (update and "update" or member_action(own, request)) or "exclude" }
  if update and own and not moves(own, request) then policy_layer.default = "exclude" end
  for name, path in pairs(paths.members) do
    local own_map = path.own_map
    if not update or not own_map or moves(own_map, request) then
      local word = own_map and not update and member_action(own_map, request) or nil
      policy_layer.members[name] = { mode = "act", action = word, requested_action = word, pos = path.pos,
        subscripts = path.subscripts or nil }
    end
  end
  local bare = policy_layer.default == "exclude"
  local inner = {}
  return { record = record, layers = {}, policy = policy_layer, bare = bare, holes = true, update = update or false,
    flags = mapper.bits(request.flags),
    -- Returns how the pointer itself of a mapped section is treated: "named" if a map names it; otherwise "unnamed" in
    -- a target construct (OMPEX-struct_map-12), and nil or false elsewhere.
    pointer_mapping = function(name)
      if update then return nil end
      return paths.members[name].pointer and "named" or request.kind == "compute" and "unnamed"
    end,
    own = not update and (bare and "hold" or policy_layer.default) or nil,
    inner_of = function(entry)
      local name = entry.member.name
      inner[name] = inner[name] or map_nested(session, entry.member, paths.members[name], request)
      return inner[name]
    end }
end

-- Returns true if a record has members, at any depth but not through pointers, whose type has a default mapper.
local function holds_mapped(session, record)
  for _, member in ipairs(record.members or {}) do
    local element = member.type
    while element.kind == "array" do element = element.of end
    if types.is_record(element) and (session:mappers_of(element).default or holds_mapped(session, element)) then
      return true
    end
  end
  return false
end

-- Tree of paths of a mapper that maps its variable as a whole. It serves records without a mapper.
local whole_object = { members = {}, own_map = { type = "tofrom", map_modifiers = {} } }

-- Returns the mapper called `name` of a record; its default mapper if `name` is nil. Returns nil if there is no default
-- mapper. Raises if a mapper of another name does not exist; pos: position of the name.
function mapper.find(session, record, name, pos)
  local definition = session:mappers_of(record)[name or "default"]
  if not definition and name and name ~= "default" then
    raise("unknown-name", pos, ("%s has no mapper '%s'"):format(types.name(record), name),
      { length = #name, rule = "OMP60-map-15", help = diagnostic.suggest(name, session:mapper_names(record)) })
  end
  return definition
end

-- Returns the member mapping of a record under the mapper `definition`, for a map request. definition nil: the object
-- is mapped as a whole, and members whose types have default mappers are mapped by these. Mappings are cached by
-- mapper, kind, type and flags. Decides OMP60-map-15.
function mapper.member_mapping(session, record, definition, request)
  if not definition and not holds_mapped(session, record) then
    return { record = record, layers = {},
      inner_of = function(entry) return map_nested(session, entry.member, nil, request) end }
  end
  local key = { "mapper", definition and definition.name or "", request.kind, request.type }
  for _, name in ipairs(policy.modifiers) do if request.flags[name] then key[#key + 1] = name end end
  local cache = session.caches.member_mappings[record] or {}
  session.caches.member_mappings[record] = cache
  key = table.concat(key, " ")
  cache[key] = cache[key]
    or member_mapping_of(session, record, definition and definition.paths or whole_object, request)
  return cache[key]
end

return mapper
