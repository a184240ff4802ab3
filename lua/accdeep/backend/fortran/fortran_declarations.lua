-- fortran_declarations.lua - evaluates Fortran declarations: input is the AST of fortran_syntax.lua; output are types
-- and variables in the session's scope.

local diagnostic = require "accdeep.base.diagnostic"
local assignment = require "accdeep.backend.fortran.assignment"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
local fortran_types = require "accdeep.types.fortran_types"
local object = require "accdeep.backend.fortran.object"
local types = require "accdeep.types"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local fortran_declarations = {}

-- Fortran's limit of an array's dimensions.
local MAX_RANK = 15
local MAX_CHARACTERS = 1 << 20 -- limit of the length of characters, which are Lua strings

-- Returns the value of a constant integer expression, such as a bound, a kind or a length. Raises if it is not a scalar
-- integer.
local function integer(session, node)
  local frame = { pos = node.pos }
  local v = fortran_expression.integer(session:host_env(), node)(frame)
  return v
end

-- Returns the derived type of a specification. forward: true if the text may define the type later, as allowed for
-- pointer and allocatable components; an unknown name then becomes an incomplete type. Otherwise an unknown name
-- raises.
local function resolve_derived_type(session, spec, forward)
  if spec.name == "*" then
    raise("unsupported", spec.name_pos, "unlimited polymorphic objects are not supported", { help = "name a type" })
  end
  local t = session.now.scope.tags[spec.name]
  if t and t.class == "type" and (forward or not session.now.forward[spec.name]) then return t end
  if forward then
    t = fortran_types.record(spec.name)
    session.now.scope.tags[spec.name], session.now.forward[spec.name] = t, { spec = spec, scope = session.now.scope }
    return t
  end
  local names = {}
  for name in next, session.now.scope.tags do names[name] = true end
  raise("unknown-type", spec.name_pos, ("there is no type '%s'"):format(spec.name), { length = #spec.name,
    help = diagnostic.suggest(spec.name, names) })
end

-- Returns the type of a specification. value: AST of the entity's initial value, which determines the length of
-- character(*), or nil; forward: as in resolve_derived_type. Raises if there is no such type.
function fortran_declarations.type(session, spec, value, forward)
  if spec.class == "type" then return resolve_derived_type(session, spec, forward) end
  if spec.class == "character" then
    local len = spec.len
    if not len then return fortran_types.character(1) end
    if len.tag == "any_length" and value and value.tag == "str" then return fortran_types.character(#value.value) end
    if len.tag == "any_length" or len.tag == "deferred_length" then
      raise("unsupported", len.pos, "characters have a fixed length here",
        { help = "give them one: character(len=80)" })
    end
    local n = math.max(integer(session, len), 0)
    if n > MAX_CHARACTERS then
      raise("limit", len.pos, ("characters have a length up to %d"):format(MAX_CHARACTERS), { of_construct = true })
    end
    return fortran_types.character(n)
  end
  local kind = spec.double and 8 or spec.kind and integer(session, spec.kind) or 4
  local t = fortran_types.intrinsic[spec.class][kind]
  if not t then
    raise("unknown-type", spec.kind.pos, ("there is no %s of kind %d"):format(spec.class, kind),
      { help = (spec.class == "real" or spec.class == "complex") and "kinds are 4 and 8" or "kinds are 1, 2, 4 and 8" })
  end
  return t
end

-- Returns the attributes of a declaration by name. Raises if two are equal or contradict each other.
local function attributes_of(node)
  local attributes = {}
  for _, attribute in ipairs(node.attrs) do
    if attributes[attribute.name] then
      raise("duplicate-clause", attribute.pos, ("'%s' stands here twice"):format(attribute.name),
        { length = #attribute.name })
    end
    attributes[attribute.name] = attribute
  end
  for _, pair in ipairs { { "allocatable", "pointer" }, { "pointer", "target" }, { "pointer", "parameter" },
    { "allocatable", "parameter" } } do
    if attributes[pair[1]] and attributes[pair[2]] then
      raise("conflicting-clauses", attributes[pair[2]].pos, ("what is %s is not %s"):format(pair[1], pair[2]),
        { length = #pair[2] })
    end
  end
  return attributes
end

-- Returns the bounds of an explicit shape: {lower, extent} for each dimension. list: ASTs of the dimensions.
local function bounds_of(session, list)
  local bounds = {}
  for i, dim in ipairs(list) do
    local lower = dim.lower and integer(session, dim.lower) or 1
    bounds[i] = { lower = lower, extent = math.max(integer(session, dim.upper) - lower + 1, 0) }
  end
  return bounds
end

-- Returns the array type t; raises if it is too large.
local function check_size(t, pos)
  local n = 1
  for _, bound in ipairs(t.bounds) do
    if bound.extent > 0 and n > (1 << 46) // bound.extent then n = math.huge else n = n * bound.extent end
  end
  if n * t.of.size > 1 << 46 then raise("invalid-section", pos, "the array is larger than any memory") end
  return t
end

-- Returns the descriptor layout of a pointer or allocatable. gfortran uses a mere address, without a descriptor, for
-- scalars that are not polymorphic.
local function layout_of(session, rank, is_class)
  local is_address = rank == 0 and not is_class and session.program.layout == fortran_descriptor.layouts.gfortran
  return is_address and fortran_descriptor.address or session.program.layout
end

-- Returns the type of an entity. For a dummy array with bounds that the actual argument determines, returns nil and
-- {of, list, dims, polymorphic, any_rank}. node: the declaration; attributes: from attributes_of; is_dummy,
-- is_component: true for an argument or a component. Raises if type, shape and attributes do not fit.
local function entity_type(session, node, entity, attributes, is_dummy, is_component)
  local is_indirect = is_component and (attributes.allocatable or attributes.pointer)
  local is_class = node.spec.polymorphic
  local element_type = fortran_declarations.type(session, node.spec, entity.value, is_indirect)
  local dims = entity.dims or attributes.dimension and attributes.dimension.dims
  local attribute = attributes.allocatable and "allocatable" or attributes.pointer and "pointer"
  local list = dims and dims.list or {}
  if #list > MAX_RANK then
    raise("limit", dims.pos, ("an array has at most %d dimensions"):format(MAX_RANK), { rule = "HOUSE-limit" })
  end
  if element_type.kind == "record" and not element_type.complete and not attribute then
    raise("unknown-type", node.spec.name_pos or node.pos, ("%s is not complete here"):format(types.name(element_type)))
  end
  local open = 0
  for _, dim in ipairs(list) do
    if dim.any_rank and (not is_dummy or attribute or #list > 1 or attributes.value) then
      raise(attribute and "unsupported" or "syntax", dim.pos, attribute and "an argument of assumed rank that is "
        .. attribute .. " is not supported" or "'..' is the shape of an argument, and stands alone")
    end
    if dim.open or dim.star or dim.any_rank then open = open + 1 end
  end
  if attribute then
    for _, dim in ipairs(list) do
      if not dim.open or dim.lower then
        local is_pointer = attribute == "pointer"
        local noun = is_pointer and "a pointer" or attribute
        raise("syntax", dim.pos, ("an array that is %s has the shape ':'"):format(noun),
          { help = is_pointer and "its target has bounds" or "its bounds come when it is allocated" })
      end
    end
    return fortran_types.descriptor(layout_of(session, #list, is_class), element_type, #list, attribute, is_class)
  end
  if is_class and not is_dummy then
    raise("syntax", entity.pos,
      ("'%s' is polymorphic: it is allocatable, a pointer or an argument"):format(entity.name),
      { length = #entity.name })
  elseif is_class and (attributes.value or #list > 0 and open < #list) then
    raise("unsupported", entity.pos, "a polymorphic argument has an assumed shape here", { length = #entity.name })
  elseif is_class and #list == 0 then
    return fortran_types.descriptor(session.program.layout, element_type, 0, "other", true)
  elseif element_type.abstract and not is_class then
    raise("type-mismatch", node.spec.name_pos, ("%s is abstract: there are no objects of it"):format(
      types.name(element_type)), { length = #element_type.tag, help = ("use class(%s)"):format(element_type.tag) })
  end
  if open == 0 then
    if #list == 0 then return element_type end
    return check_size(fortran_types.array(element_type, bounds_of(session, list)), dims.pos)
  end
  if not is_dummy then
    raise("syntax", dims.pos, ("'%s' has no bounds"):format(entity.name),
      { help = "give it bounds, or the attribute allocatable or pointer" })
  end
  return nil, { of = element_type, list = list, dims = dims, polymorphic = is_class or nil,
    any_rank = list[1].any_rank }
end

-- ---------------------------------------------------------------------------------- derived types --

-- Returns function(session, address), which gives a component of a new object its default value. t: type of the
-- component. Returns nil if the component has no default.
local function start_of(entity, t)
  local value = entity.value or entity.target
  if not value then return nil end
  return function(session, address)
    local env = session:host_env()
    local function lvalue() return address, address, address + t.size end
    local e = fortran_expression.compile(env, value)
    local node = { pos = value.pos, to = { tag = "id", name = entity.name, pos = entity.pos }, e = value }
    local to = fortran_expression.designator(env, node.to, t, lvalue)
    if entity.target then
      -- The descriptor of a new pointer is null in any case.
      if e.is_null then return end
      raise("unsupported", value.pos, "a component's first target is null()")
    end
    assignment.value(env, node, to, e) { pos = value.pos }
  end
end

-- Returns the parent of a derived type (or nil), and true if the type is abstract. Raises for unsupported attributes.
local function attributes_of_type(session, node)
  local parent, is_abstract
  for _, attribute in ipairs(node.attrs) do
    if attribute.parent then
      if parent then
        raise("duplicate-clause", attribute.pos, "'extends' stands here twice", { length = #"extends" })
      end
      parent = resolve_derived_type(session, { name = attribute.parent, name_pos = attribute.parent_pos })
    elseif attribute.name == "abstract" then
      is_abstract = true
    elseif attribute.name ~= "public" and attribute.name ~= "private" then
      raise("unsupported", attribute.pos, ("the attribute '%s' of types is not supported"):format(attribute.name),
        { length = #attribute.name })
    end
  end
  return parent, is_abstract
end

-- Declares a derived type with its components and directives. Raises if the declaration is invalid; the type is then
-- removed.
function fortran_declarations.declare_derived_type(session, node)
  local scope = session.now.scope
  local parent, is_abstract = attributes_of_type(session, node)
  local forward = session.now.forward[node.name]
  local named = forward and forward.scope == scope
  if rawget(scope.tags, node.name) and not named then
    raise("duplicate-name", node.pos, ("there are two types '%s'"):format(node.name), { length = #"type" })
  end
  local t = named and scope.tags[node.name] or fortran_types.record(node.name)
  scope.tags[node.name] = t
  if named then session.now.forward[node.name] = nil end
  t.parent, t.abstract = parent, is_abstract
  local ok, err = pcall(function()
    local members, names, directives = {}, {}, {}
    -- The parent is a member without a name, so that its components become the type's own.
    if parent then
      members[1] = { type = parent, pos = node.pos }
      names[parent.tag] = true
      for name in pairs(parent.by_name) do names[name] = true end
    end
    for _, item in ipairs(node.list) do
      if item.tag == "directive_line" then
        directives[#directives + 1] = item
      elseif item.tag == "type_bound" then
        raise("unsupported", item.pos, "type-bound procedures are not supported", { length = #"contains" })
      elseif item.tag == "declaration" then
        local attributes = attributes_of(item)
        for _, entity in ipairs(item.list) do
          if names[entity.name] then
            raise("duplicate-name", entity.pos, ("there are two components '%s'"):format(entity.name),
              { length = #entity.name })
          end
          names[entity.name] = true
          local mt = entity_type(session, item, entity, attributes, false, true)
          members[#members + 1] = { name = entity.name, type = mt, pos = entity.pos,
            position = session:location_of(entity.pos), start = start_of(entity, mt) }
        end
      end
    end
    fortran_types.name_components(types.complete(t, members), parent, node.pos)
    t.position = session:location_of(node.pos)
    session:fortran_descriptions(t, directives)
  end)
  if ok then return end
  scope.tags[node.name] = nil
  error(err, 0)
end

-- Runs fn, which declares types. Components may have types that are defined after them, but before fn returns. Raises
-- the error of fn, or if such a type is never defined.
function fortran_declarations.complete(session, fn)
  local forward = {}
  local ok, err = pcall(with_fields, session.now, { forward = forward }, fn)
  local name, missing = next(forward)
  for other, pending in pairs(forward) do pending.scope.tags[other] = nil end
  if not ok then error(err, 0) end
  if name then resolve_derived_type(session, missing.spec) end
end

-- -------------------------------------------------------------------------------------- variables --

-- Enters a variable into the current scope and returns it. The scope's version is incremented, by which caches detect
-- that names changed.
local function enter(session, entity, t, address, attributes)
  local variable = { name = entity.name, type = t, address = address, target = attributes.target ~= nil,
    named_constant = attributes.parameter and true,
    constant = attributes.parameter ~= nil or attributes.intent and attributes.intent.direction == "in"
      and not attributes.pointer or nil }
  session.now.scope.variables[entity.name] = variable
  session.now.scope.version = (session.now.scope.version or 0) + 1
  return variable
end

-- Declares the variables of a declaration. bind: nil or, for dummy arguments, {names, bind}, where bind.bind(entity,
-- type, open, attributes) returns address and type. Names that bind.names does not have get memory of their own and
-- their initial values. Raises if the declaration is invalid or a name is in use.
function fortran_declarations.declare_variables(session, node, bind)
  local attributes = attributes_of(node)
  for _, entity in ipairs(node.list) do
    local dummy = bind and bind.names[entity.name]
    local t, open = entity_type(session, node, entity, attributes, dummy ~= nil)
    if session.now.scope:find_declared(entity.name) then session.now.scope:raise_taken(entity.name, entity.pos) end
    local address
    if dummy then
      address, t = bind.bind(entity, t, open, attributes)
    else
      address = object.new(session, t, entity.name, entity.pos)
      session.program.blocks[address].variable = true
      if session.now.locals then table.insert(session.now.locals, { type = t, address = address }) end
    end
    local variable = enter(session, entity, t, address, attributes)
    variable.any_rank = open and open.any_rank
    variable.assumed_size = open and not open.any_rank and open.list[#open.list].star and #open.list or nil
    local value = entity.value or entity.target
    if value and not dummy then
      local env = session:host_env()
      local initializer = { pos = value.pos, to = { tag = "id", name = entity.name, pos = entity.pos }, e = value }
      local was_constant = variable.constant
      variable.constant = nil
      local e = fortran_expression.compile(env, value)
      local run = entity.target and assignment.target(env, initializer, initializer.to, e)
        or assignment.value(env, initializer, fortran_expression.compile(env, initializer.to), e)
      run { pos = value.pos }
      variable.constant = was_constant
    elseif attributes.parameter then
      raise("syntax", entity.pos, ("the constant '%s' needs a value"):format(entity.name), { length = #entity.name })
    end
  end
end

return fortran_declarations
