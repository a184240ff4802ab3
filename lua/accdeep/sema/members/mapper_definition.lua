-- mapper_definition.lua - analyses declare mapper (OMP60-map-15), and stores the mapper that it defines.
--
-- Input: the AST of the directive. Output: a mapper in the session, which sema/members/mapper.lua applies to list
-- items. run/openmp_declarations.lua calls define.
--
--   mapper {name ("default" without one), record, variable, paths, location}.
--   paths    tree of the members that the mapper's maps name: {members, own_map?, pointer?, subscripts?, name, pos}.
--     members     name of a member -> tree of the member's own members.
--     own_map     map of this member itself: {type, map_modifiers}.
--     pointer     map of a pointer member, if own_map is the map of a section of the pointer's target; nil: no map
--                 names the pointer without a section.
--     subscripts  sections of the member in its map; false or nil: none.

local diagnostic = require "accdeep.base.diagnostic"
local openmp_sema = require "accdeep.sema.openmp_sema"
local list_item = require "accdeep.sema.c.list_item"
local sections = require "accdeep.sema.c.section"
local version_checks = require "accdeep.sema.version_checks"
local ast = require "accdeep.base.ast"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local raise = diagnostic.raise

local mapper_definition = {}

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
      if not subscript.ranges then sections.check_form(subscript, at and at.kind == "array" and at.n) end
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

-- Executes a declare mapper directive, `node`: checks its clauses, stores the mapper in the session, and clears caches.
-- Raises, and stores nothing, if the directive is wrong, its type is not a complete structure, or the record has a
-- mapper of this name.
function mapper_definition.define(session, node)
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

return mapper_definition
