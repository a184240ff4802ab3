-- constructor.lua - structure constructors of Fortran: t(1, 2.0, next=null()). Extends fortran_expression.lua.
--
-- A value of a derived type is in memory, so the compiled expression has a function `lvalue`. Each evaluation
-- constructs the object again and returns its address.

local assignment = require "accdeep.backend.fortran.assignment"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
local object = require "accdeep.backend.fortran.object"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise

-- Appends the components of type t to `list`, those of its parent type first: {name, type, offset, start}. offset:
-- offset of t in the whole object; start: sets the default value, or nil. Returns `list`.
local function components_of(t, offset, list)
  for _, member in ipairs(t.members) do
    if member.name then
      list[#list + 1] = { name = member.name, type = member.type, offset = offset + member.offset,
        start = member.start }
    else
      components_of(member.type, offset + member.offset, list)
    end
  end
  return list
end

-- Returns the arguments of the constructor `node` of type t, by component name: {component, node (AST of the value)}.
-- One argument may give the parent as a whole. Raises for unknown and repeated components, and if a component has
-- neither a value nor a default and is not allocatable.
local function match_arguments(t, node)
  local components, by_name = components_of(t, 0, {}), {}
  for i, arg in ipairs(node.args) do
    local component = components[i]
    if arg.tag == "keyword" then component = t.by_name[arg.name] end
    if not component then
      raise("type-mismatch", arg.pos, arg.tag == "keyword"
        and ("%s has no component '%s'"):format(types.name(t), arg.name)
        or ("%s has %s"):format(types.name(t), strings.count(#components, "component")))
    elseif by_name[component.name] then
      raise("type-mismatch", arg.pos, ("the component '%s' is given twice"):format(component.name))
    end
    by_name[component.name] = { component = component, node = arg.tag == "keyword" and arg.e or arg }
  end
  local parent = t.parent and by_name[t.parent.tag]
  for _, component in ipairs(components) do
    local is_inherited = parent and types.member(t.parent, component.name)
    local has_value = component.start or component.type.attribute == "allocatable"
    if not by_name[component.name] and not is_inherited and not has_value then
      raise("type-mismatch", node.pos, ("the component '%s' of %s has no value"):format(component.name, types.name(t)),
        { length = #node.base.name })
    end
  end
  return by_name
end

-- Returns a step, a function of the frame, that sets one component of the constructed object to its value. instance:
-- table with address and bounds of the object, filled in before the step runs; argument: {component, node (AST of the
-- value)}.
local function component_step(env, instance, argument)
  local component, value = argument.component, argument.node
  local offset, t = component.offset, component.type
  local e = fortran_expression.compile(env, value)
  local to_node = { tag = "id", name = component.name, pos = value.pos }
  local to = fortran_expression.designator(env, to_node, t, function()
    local address = instance.address + offset
    return address, instance.low, instance.high
  end)
  local node = { pos = value.pos, to = to_node, e = value }
  if t.attribute == "pointer" then return assignment.onto(env, node, to, e) end
  if t.attribute == "allocatable" and e.is_null then return function() end end
  return assignment.value(env, node, to, e)
end

-- Compiles the constructor t(...) in `node`; returns nil if t is no derived type. Raises for abstract and incomplete
-- types, for wrong components, and on a device for types whose objects have descriptors or default values.
function fortran_expression.constructor(env, node)
  local t, session = env.session.now.scope.tags[node.base.name], env.session
  if not t or t.class ~= "type" then return nil end
  if not t.complete or t.abstract then
    raise("type-mismatch", node.pos, ("%s is %s: there are no objects of it"):format(types.name(t),
      t.abstract and "abstract" or "not complete"), { length = #node.base.name })
  end
  local on_device = env.space.on_device
  if on_device and object.has_start(t) then
    raise("unsupported", node.pos, ("the device cannot make objects of %s: they begin with something"):format(
      types.name(t)), { length = #node.base.name })
  end
  local instance, steps = {}, {}
  for _, argument in pairs(match_arguments(t, node)) do steps[#steps + 1] = argument end
  table.sort(steps, function(a, b) return a.component.offset < b.component.offset end)
  for i, argument in ipairs(steps) do steps[i] = component_step(env, instance, argument) end
  local function prepare_instance(f)
    if on_device then return env.space:local_memory(t.size) end
    -- A single object serves all evaluations of the expression on the host.
    if not instance.address then
      instance.address = object.new(session, t, types.name(t), node.pos)
      if session.now.locals then table.insert(session.now.locals, { type = t, address = instance.address }) end
    else
      object.release(session, t, instance.address, f)
      object.initialize(session, t, instance.address)
    end
    return instance.address
  end
  return { type = t, rank = 0, node = node, lvalue = function(f)
    f.pos = node.pos
    instance.address = prepare_instance(f)
    instance.low, instance.high = instance.address, instance.address + t.size
    for _, step in ipairs(steps) do step(f) end
    return instance.address, instance.low, instance.high
  end }
end

return fortran_expression
