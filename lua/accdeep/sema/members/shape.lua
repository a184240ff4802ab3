-- shape.lua - checks the shape directive (TR14 3.1), which says which members are included and which section a pointer
-- has. The result is a layer.
--
-- Input: the AST of a shape directive, or the clauses of a nest. Output: a layer, stored in the session under the
-- shape's name (true for the default shape). run/type_directives.lua and nest.lua call it; nest.lua combines layers.
-- policy.lua uses the functions that shapes and policies have in common.
--
--   layer {name?, default, members = {name -> entry}, params?, location, unusable?}
--     entry     {mode, init, inner, subscripts, limit, pos, has_parts?}, the clause that names the member.
--       mode    "include" or "exclude"; subscripts: sections of the member, or nil.
--       init    true for init_needed: the member is copied to the device even if the clause only allocates.
--       inner   shape of the objects inside, as the clause has it: {name?, pos, args?, empty?, nest?} (shape.brackets).
--       limit   half of the clause's copies in which the member takes part: "in", "out" or "none"; nil: all copies.
--       has_parts   true if the nest of `inner` names parts of the member, as in a.b (nested_members.lua).
--     params    parameters {name, kind?, default?}; kind: "shape" or "policy", nil for a value.
--     unusable  {name, type}: a member for which the shape cannot be used in this instance of a template.
--
--   list item of a clause: {name, pos, subscripts, path?}; path: names after the first one, as in a.b.c.

local diagnostic = require "accdeep.base.diagnostic"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local nested_members = require "accdeep.sema.members.nested_members"
local types = require "accdeep.types"

local raise = diagnostic.raise

local shape = {}

-- Names of clauses, as keys. extension_clauses: all clauses that TR14's chapter 5 adds, whose definitions have the
-- field `wish`; own_clauses: all other clauses of shapes.
local extension_clauses = openacc_directives.clauses_where(function(entry) return entry.wish end)
local own_clauses = openacc_directives.clauses_where(function(_, clause)
  return openacc_directives.clauses_of.shape[clause.name] and not extension_clauses[clause.name]
end)

-- Raises if the rule profile lacks the extensions of TR14's chapter 5 (rules.extended). extension: a plural noun for
-- the message, such as "values of shapes"; rule: the extension's rule.
function shape.wish(session, pos, rule, extension)
  if session.rules.extended then return end
  raise("syntax", pos, extension .. " are for the profile tr14x", { length = 1, rule = rule,
    help = 'scenario { rules = "tr14x" }' })
end

-- Returns true if a clause is an extension of TR14's chapter 5 and rules.extended is set; else false or nil.
function shape.is_wished(session, clause)
  return extension_clauses[clause.name] and session.rules.extended
end

-- Returns the help text that names the profile for an extension clause; nil for other clauses. Precondition: the
-- profile does not have the clause.
function shape.extension_help(clause)
  return extension_clauses[clause.name] and ("'%s' is for the profile tr14x: scenario { rules = \"tr14x\" }"):format(
    clause.name)
end

-- Raises if the name of a clause is not allowed in a shape, or does not exist. Decides TR14-1.3-03, TR14-3.1.1-03,
-- TR14-4.3-08.
local function check_clause(session, clause)
  if own_clauses[clause.name] or shape.is_wished(session, clause) then return end
  if openacc_directives.clause_names[clause.name] then
    local message, help = "'%s' is not allowed in a shape", nil
    if openacc_directives.clause[clause.name].entry.takes == "vars" or clause.name == "self" then
      message, help = "a shape has no direction: '%s' is not allowed",
        "directions come from the clause that uses the shape"
    end
    raise("clause-not-allowed", clause.pos, message:format(clause.name), { length = #clause.name,
      rule = "TR14-3.1.1-03", help = help })
  end
  raise("unknown-clause", clause.pos, ("a shape has no clause '%s'"):format(clause.name),
    { length = #clause.name, rule = "TR14-3.1.1-03",
      help = shape.extension_help(clause) or diagnostic.suggest(clause.name, own_clauses) })
end

-- Returns the type T in a clause type(T). record: the type that encloses the directive, or nil. Raises if T does not
-- exist or is not a complete structure. If `record` is given, T must be `record` or declared inside it. Decides
-- TR14-3.1.1-06.
local function clause_type(session, clause, record)
  local spec = clause.type.spec
  local scope = session.now.scope
  -- A tag takes precedence over a variable with the same name.
  local tag = spec.tag == "record" and spec.name and scope.tags[spec.name]
  if (spec.tag == "named" or spec.tag == "record") and spec.name and not tag and not scope:type_named(spec.name) then
    local names = {}
    for name in next, scope.tags do names[name] = true end
    for name in next, scope.typedefs do names[name] = true end
    raise("unknown-type", spec.pos, ("there is no type '%s'"):format(spec.name),
      { length = #spec.name, rule = "TR14-3.1.1-07", help = diagnostic.suggest(spec.name, names) })
  end
  local t = session:type_of(clause.type)
  if not types.is_record(t) then
    raise("not-a-struct", clause.type.pos, ("%s has no members to describe"):format(types.name(t)),
      { rule = "TR14-3.1.1-07" })
  end
  if not t.complete then
    raise("unknown-type", clause.type.pos, ("%s is not defined yet"):format(types.name(t)),
      { rule = "TR14-3.1.1-07" })
  end
  if record and t ~= record then
    local enclosing = t.within
    while enclosing and enclosing ~= record do enclosing = enclosing.within end
    if enclosing then return t end
    raise("type-mismatch", clause.type.pos,
      ("inside %s the type is %s itself, or one declared in it"):format(types.name(record),
        types.name(record)), { rule = "TR14-3.1.1-06" })
  end
  return t
end

-- Returns the type that a shape or policy directive, `node`, describes: that of its clause type(T), otherwise `record`,
-- the enclosing type. Raises if both are missing, or there are two type clauses. Decides TR14-2.3-05, TR14-3.1.1-05,
-- TR14-3.1.1-07, TR14-3.1.1-08, TR14-3.2.1-08.
function shape.target(session, node, record)
  local target
  for _, clause in ipairs(node.clauses) do
    if clause.name == "type" and clause.type then
      if target then
        raise("duplicate-clause", clause.pos, ("a %s has one type"):format(node.name),
          { length = #"type", rule = "TR14-3.1.1-08" })
      end
      target = clause_type(session, clause, record)
    end
  end
  target = target or record
  if not target then
    raise("missing-type", node.pos, ("outside of a type a %s needs type(T)"):format(node.name),
      { length = #node.name, rule = "TR14-3.1.1-07", help = "add type(T) with the structure it describes" })
  end
  return target
end

-- Raises if neither a record nor its base classes have a shape `name`, or if the shape cannot be used in this instance
-- of a template (TR14-5-02). pos: position of the name. Decides TR14-3.1.2-08, TR14-3.2.2-04.
function shape.require_known(session, record, name, pos)
  local layer = session:shape_named(record, name)
  if layer and layer.unusable then
    raise("not-a-struct", pos, ("shape '%s' is for structures in '%s', which is %s"):format(name,
      layer.unusable.name, types.name(layer.unusable.type)), { length = #name, rule = "TR14-5-02" })
  end
  if layer then return end
  local is_policy = session:policies_of(record)[name]
  raise("unknown-shape", pos, ("%s has no shape '%s'"):format(types.name(record), name),
    { length = #name, rule = "TR14-3.1.2-08",
      help = is_policy and ("'%s' is a policy, which decides directions itself: invoke<%s>(...)"):format(name, name)
        or diagnostic.suggest(name, session:shape_names(record)) })
end

-- Returns the list of arguments for the shape of a container: the ASTs of start and length of its section a[0:n]
-- (TR14-5-03). subscript: the section, which has a length. Decides TR14-5-03.
function shape.section_values(subscript)
  local first = subscript.start or { tag = "num", value = 0, type = "int", pos = subscript.pos }
  return { first, subscript.length }
end

-- Returns the value of a bound, an AST, if it is a number, possibly with a minus sign; nil for other bounds, and for
-- nil.
local function number_in(node)
  local negative = node and node.tag == "unary" and node.op == "-"
  local n = negative and node.e or node
  if not n or n.tag ~= "num" then return nil end
  return negative and -n.value or n.value
end

-- Raises if a subscript of a list item is wrong, whatever values its names have. Errors are a pointer's section without
-- a length, a negative length, and a member that is an alias of itself. t: type to which the subscript applies.
local function check_bound(item, subscript, t)
  if subscript.tag == "section" and t.kind == "pointer" and not subscript.length and not subscript.ranges then
    raise("invalid-section", subscript.pos, "the section of a pointer needs a length",
      { rule = "ACC33-2.7.1-1", help = "write [start:length]" })
  end
  local length = number_in(subscript.length)
  if length and length < 0 then
    raise("invalid-section", subscript.length.pos, ("the section has a negative length, %d"):format(length),
      { rule = "TR14-3.1.1-23" })
  end
  local to = subscript.tag == "alias" and subscript.to
  if to and to.tag == "id" and to.name == item.name and not item.outer then
    raise("invalid-section", to.pos, ("'%s' is an alias of itself"):format(to.name),
      { length = #to.name, rule = "TR14-3.5-12" })
  end
end

-- Returns the member of a record that a list item of a clause names. If the member is a container with a section
-- (rules.extended), also returns the arguments for its shape. session: nil to allow no containers. Raises if the member
-- does not exist, or its type does not allow the item's subscripts. Decides TR14-3.1.1-04, TR14-3.1.1-22, TR14-3.5-01.
function shape.member(record, item, session)
  local member = types.member(record, item.name)
  if not member then diagnostic.no_member(record, types.name(record), item.name, item.pos, "TR14-3.1.1-04") end
  local t = member.type
  local first = item.subscripts[1]
  if first and session and session.rules.extended and types.is_record(t) and first.tag == "section" then
    if item.subscripts[2] or not first.length then
      raise("invalid-section", first.pos, "a container's section has a length", { rule = "TR14-5-03" })
    end
    return member, shape.section_values(first)
  end
  for i, subscript in ipairs(item.subscripts) do
    local element = types.element(t)
    if not element then
      raise("not-a-pointer", subscript.pos, ("'%s' is %s: it has no elements"):format(item.name,
        types.name(t)), { rule = "TR14-3.1.1-22" })
    end
    check_bound(item, subscript, t)
    if subscript.tag == "alias" and (t.kind ~= "pointer" and t.kind ~= "descriptor" or item.subscripts[i + 1]) then
      raise("not-a-pointer", subscript.pos, "'@' stands for what a pointer points to, as the last section",
        { rule = "TR14-3.5-01" })
    end
    t = element
  end
  return member
end

-- Returns the results of shape.member for a list item of a layer's clause; does not change the layer. Raises if the
-- member does not exist, its type does not allow the subscripts, the layer names it already, or exclude names only a
-- part of it. Decides TR14-3.1.1-20.
function shape.enter(session, record, layer, clause, item)
  local member, args = shape.member(record, item, session)
  if layer.members[item.name] then
    raise("duplicate-member", item.pos, ("'%s' is named twice"):format(item.name),
      { length = #item.name, rule = "TR14-3.1.1-20" })
  end
  if clause.name == "exclude" and #item.subscripts > 0 then
    raise("invalid-section", item.subscripts[1].pos, "a member is excluded as a whole", { rule = "TR14-3.1.1-04" })
  end
  return member, args
end

-- Raises if a clause has brackets <...> although takes_shape is false, or if exclude has a nest. Decides TR14-3.1.2-02,
-- TR14-3.3-02.
function shape.check_brackets(clause, takes_shape)
  if clause.shape and not takes_shape then
    raise("clause-not-allowed", clause.shape.pos, ("'%s' takes no shape"):format(clause.name),
      { rule = "TR14-3.1.2-02" })
  end
  if clause.nest and clause.name == "exclude" then
    raise("clause-not-allowed", clause.nest.pos, "what is excluded has no nest",
      { length = 2, rule = "TR14-3.3-02" })
  end
end

-- Returns the brackets and nest of a clause as {name?, pos, args?, empty, nest?}. empty: true for <>, which names
-- neither a shape nor values.
function shape.brackets(clause)
  local named = clause.shape or {}
  return { name = named.name, pos = named.pos or clause.pos, args = named.args,
    empty = clause.shape and not named.name and not named.args, nest = clause.nest }
end

-- Returns the mapping that a clause requests for the objects of its member, in the form of shape.brackets; nil if the
-- clause has neither brackets nor a nest. Raises if the clause has one of them, but the member's innermost type is not
-- a structure.
function shape.inner(member, item, clause)
  if not clause.shape and not clause.nest then return nil end
  if not types.is_record(types.innermost(member.type)) then
    raise("not-a-struct", item.pos, ("'%s' has no structure type, so it has no shapes"):format(item.name),
      { length = #item.name, rule = clause.nest and "TR14-3.3-15" or "TR14-3.1.2-08" })
  end
  return shape.brackets(clause)
end

-- Raises if a clause in the definition of a type has a nest, or brackets without a name, which belong in directives
-- that move data. rules.extended allows the nest (TR14-5-05). Decides TR14-5-05.
function shape.no_nest(session, clause)
  local brackets = clause.shape
  if brackets and not brackets.name and not brackets.args and not (clause.nest and session.rules.extended) then
    raise("syntax", brackets.pos, "expected a name", { rule = "TR14-3.1.2-02" })
  end
  if clause.nest and not session.rules.extended then
    raise("syntax", clause.nest.pos, "a nest is allowed only in a directive that moves data",
      { length = 2, rule = "TR14-5-05", help = "give the inner type a named shape, or use the profile tr14x" })
  end
end

-- Returns true if a name is a layer's parameter that stands for a shape or policy. The shape or policy is known only
-- when a directive uses the layer (TR14-5-02).
function shape.is_parameter(layer, name)
  for _, parameter in ipairs(layer.params or {}) do
    if parameter.name == name and parameter.kind then return true end
  end
  return false
end

-- Words that include takes as direction: include(in: a). Where a clause copies both ways, a member with `in` is only
-- copied to the device, and a member with `out` only from the device. A member with `none` is never copied (TR14-5-07,
-- -08).
local limits = { ["in"] = true, out = true, none = true }
-- Returns the direction of a clause, as in include(in: a). Raises if the rule profile has no directions
-- (rules.extended), the clause is not include, or the direction is not in, out or none.
local function limit_of(session, clause)
  local direction = clause.direction
  shape.wish(session, direction.pos, "TR14-5-07", "directions of members")
  if clause.name ~= "include" or not limits[direction.name] then
    raise("syntax", direction.pos, "include takes in, out or none as direction",
      { length = #direction.name, rule = "TR14-5-07" })
  end
  return direction.name
end

-- Raises if the shape that `inner` (shape.brackets) names for a member's objects does not exist. record: the type that
-- encloses the directive, or nil. If the member has this type or an incomplete one, nothing is checked, because the
-- shape may be declared later.
local function check_inner(session, member, inner, record)
  local element = types.innermost(member.type)
  -- An incomplete type, or the enclosing type, may get the named shape later.
  if inner.name and element.complete and element ~= record then
    shape.require_known(session, element, inner.name, inner.pos)
  end
end

-- Returns the parameters that the clause with(...) declares, {name, kind?, default?} in order. Raises if a name is
-- duplicated, or the default of a shape or policy is not a name.
function shape.parameters(clause)
  local declared = {}
  for _, parameter in ipairs(clause.parameters) do
    if declared[parameter.name] then
      raise("duplicate-name", parameter.pos, ("there are two parameters '%s'"):format(parameter.name),
        { length = #parameter.name, rule = "TR14-5-01" })
    end
    declared[parameter.name] = true
    if parameter.kind and parameter.default and parameter.default.tag ~= "id" then
      raise("syntax", parameter.default.pos, ("a %s has a name"):format(parameter.kind), { rule = "TR14-5-02" })
    end
  end
  return clause.parameters
end

-- Returns true if a clause names a parameter as the shape of a member, but the member has no structure type in this
-- instance of a template. The parameter then makes sense only in other instances, and the shape is unusable in this one
-- (TR14-5-02).
local function is_for_others(record, layer, member, clause)
  return record.template and clause.shape and clause.shape.name and shape.is_parameter(layer, clause.shape.name)
    and not types.is_record(types.innermost(member.type))
end

-- Returns the layer of a list of clauses. `record` must be complete; enclosing_type: the type that encloses the
-- directive, or nil; its shapes are not looked up, because they may be declared later. Raises if a clause is not
-- allowed or names a wrong member, if `default` occurs twice or has an unknown word, or if default(none) leaves a
-- member out. Decides TR14-3.1.1-19, TR14-3.1.1-20.
function shape.layer(session, record, clauses, enclosing_type)
  local layer = { members = {} }
  local default
  for _, clause in ipairs(clauses) do
    if clause.name == "with" and session.rules.extended then layer.params = shape.parameters(clause) end
    check_clause(session, clause)
    shape.check_brackets(clause, clause.name == "include" or clause.name == "init_needed")
    if clause.name == "default" then
      if default then
        raise("duplicate-clause", clause.pos, "a shape has one default",
          { length = #"default", rule = "TR14-3.1.1-20" })
      end
      if clause.word ~= "none" and clause.word ~= "include" and clause.word ~= "exclude" then
        raise("clause-not-allowed", clause.word_pos,
          ("a shape's default is none, include or exclude, not '%s'"):format(clause.word),
          { length = #clause.word, rule = "TR14-3.1.1-03" })
      end
      layer.default, default = clause.word, clause
    end
    for _, item in ipairs(clause.members or {}) do
      if item.path then
        nested_members.enter(record, layer, clause, item, session.rules.extended)
        goto continue
      end
      local member, args = shape.enter(session, record, layer, clause, item)
      local inner
      if is_for_others(record, layer, member, clause) then
        layer.unusable = layer.unusable or { name = item.name, type = member.type }
      else
        inner = shape.inner(member, item, clause)
      end
      if args then inner = { pos = item.pos, args = args, name = inner and inner.name } end
      if inner and not shape.is_parameter(layer, inner.name) then
        check_inner(session, member, inner, enclosing_type)
      end
      layer.members[item.name] = { mode = clause.name == "exclude" and "exclude" or "include",
        init = clause.name == "init_needed", inner = inner, pos = item.pos,
        limit = clause.direction and limit_of(session, clause) or nil,
        subscripts = not args and #item.subscripts > 0 and item.subscripts or nil }
      ::continue::
    end
  end
  nested_members.check(record, layer, function(inner_record, inner) shape.layer(session, inner_record, inner) end)
  if layer.default == "none" then
    for _, member in ipairs(record.members) do
      if member.name and not layer.members[member.name] then
        raise("default-none", default.pos, ("default(none), but member '%s' is not named"):format(
          member.name), { length = #"default", rule = "TR14-3.1.1-19",
          help = ("name '%s' in include or exclude"):format(member.name) })
      end
    end
  end
  return layer
end

-- Executes a shape directive, `node`: stores its layer in the session (session:has_described, which clears caches).
-- record: the enclosing type, or nil. Raises, and stores nothing, if the directive is wrong or the type has a shape of
-- this name. Decides TR14-1.2-03, TR14-3.1.1-01, TR14-3.1.1-10.
function shape.define(session, node, record)
  if #node.clauses == 0 then
    raise("syntax", node.pos + #"shape", "a shape has at least one clause", { rule = "TR14-3.1.1-01" })
  end
  for _, clause in ipairs(node.clauses) do
    check_clause(session, clause)
    shape.no_nest(session, clause)
  end
  local target = shape.target(session, node, record)
  nested_members.check_allowed(target, node.clauses)
  for _, clause in ipairs(node.clauses) do
    if clause.name == "for" then
      raise("clause-not-allowed", clause.pos, "'for' belongs to policies", { length = 3, rule = "TR14-5-09" })
    end
  end
  local name = node.argument and node.argument.name or true
  local shapes = session:shapes_of(target)
  if shapes[name] then
    if name == true then
      raise("duplicate-default-shape", node.pos, ("%s has a default shape already"):format(
        types.name(target)), { length = #"shape", rule = "TR14-3.1.1-10", help = "give one of them a name" })
    end
    raise("duplicate-name", node.argument.pos, ("%s has a shape '%s' already"):format(
      types.name(target), name), { length = #name, rule = "TR14-3.1.1-10" })
  end
  local layer = shape.layer(session, target, node.clauses, record)
  layer.name, layer.location = name ~= true and name or nil, session:location_of(node.pos)
  shapes[name] = layer
  session:has_described(target, layer)
end

return shape
