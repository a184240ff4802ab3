-- fortran_map.lua - lowers the map, to and from clauses of an OpenMP directive in Fortran to items of its plan.
--
-- Input: requests of openmp_lowering.lua, which calls map_items through the session's language. A whole allocatable or
-- pointer component is mapped as its descriptor and its target. A section of such a component is mapped as elements
-- alone, and attached if the descriptor is present, as in C. Components of one structure form one block, which is
-- allocated together. Addresses are computed when the directive is encountered, so each plan is single_use.
--
-- Fields that this file sets in a request: extent (fortran_section.named), type, structure {node, type, address,
-- measured}: the enclosing object of a component; measured: its address is evaluated. by_pointer is true if data in the
-- target of a descriptor are mapped. holder {address, bytes, name} is the descriptor that must be mapped with the data.

local codegen = require "accdeep.lowering.codegen"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_sema = require "accdeep.sema.openmp_sema"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
local openmp_lowering = require "accdeep.lowering.openmp_lowering"
local mapper = require "accdeep.sema.members.mapper"
local list_item = require "accdeep.sema.c.list_item"
local fortran_section = require "accdeep.lowering.fortran_section"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local raise = diagnostic.raise

local fortran_map = {}

-- Returns the defaultmap category of a variable. The second result is true if the variable is mapped by default
-- although its category is otherwise private (OMP60-map-11).
function fortran_map.category(variable)
  local t = variable.type
  if t.kind == "descriptor" and t.attribute ~= "other" then return t.attribute, t.attribute == "pointer" end
  if t.kind == "array" or t.kind == "descriptor" or types.is_record(t) or t.kind == "character" then
    return "aggregate"
  end
  return "scalar", variable.target
end

-- Returns the outermost object that encloses the AST `component` in contiguous memory: {node, type, address, measured}.
local function structure_of(session, component)
  local env, at = session:host_env(), component.base
  while at.base do
    local e = fortran_expression.compile(env, at)
    if e.descriptor or e.element_of and e.element_of.descriptor then break end
    if at.tag == "reference" and at.base.tag == "id" then break end
    at = at.base
  end
  local e = fortran_expression.compile(env, at)
  return { node = at, type = e.type, address = (e.lvalue { pos = at.pos }), measured = true }
end

-- Returns the descriptor of an expression as a holder {address, bytes, name}. e: compiled expression; node: its AST.
local function holder_of(e, node)
  return { address = (e.descriptor { pos = node.pos }), bytes = e.dtype.size, name = e.text }
end

-- Raises if a request has a ref modifier (ref_ptr, ...) but its list item is neither an allocatable nor a pointer.
-- Raises if a request has the modifier attach but its list item has no base pointer.
local function check_modifiers(session, request)
  local map_modifiers, node = request.map_modifiers, request.node
  if map_modifiers.ref then
    local e = fortran_expression.compile(session:host_env(), node)
    if not e.descriptor or e.dtype.attribute == "other" then
      raise("clause-not-allowed", map_modifiers.ref_pos,
        ("'%s' is for allocatables and pointers, and '%s' is none"):format(
        map_modifiers.ref, unparse.expression(node)), { length = #map_modifiers.ref, rule = "OMP60-map-17" })
    end
  elseif map_modifiers.attach then
    local pointer = fortran_section.named(session, node).pointer
    if not pointer or pointer.dtype.attribute == "other" then
      openmp_sema.no_base_pointer(unparse.expression(node), node.pos)
    end
  end
end

-- Sets in a request the data that its list item designates. A component gets extent, type and structure; an allocatable
-- or pointer component also gets its holder. A variable gets a holder if ref_ptr or ref_ptr_ptee requests the
-- descriptor. Raises for wrong modifiers (check_modifiers).
local function look_into(plan, request)
  local session, node = plan.session, request.node
  check_modifiers(session, request)
  local component = node
  while component.base and component.tag ~= "component" do component = component.base end
  if component.tag ~= "component" then
    local ref = request.map_modifiers.ref
    if ref and ref ~= "ref_ptee" then
      request.holder = holder_of(fortran_expression.compile(session:host_env(), node), node)
      plan.single_use = true
    end
    return
  end
  local e = fortran_expression.compile(session:host_env(), component)
  request.extent = fortran_section.named(session, node)
  request.type = request.extent.of
  if e.descriptor then
    request.holder = holder_of(e, node)
    request.by_pointer = component ~= node or request.map_modifiers.ref == "ref_ptee"
  end
  request.structure = structure_of(session, component)
end

-- Adds an item for the bytes of a request's descriptor, without its target, and returns the item. action: name of the
-- core's action.
local function add_holder(plan, request, action)
  local b, holder, structure = codegen.builder(), request.holder, request.structure
  local pos, name = request.node.pos, holder.name .. " (descriptor)"
  local item = { pos = pos, unit = holder.bytes, action = core.action[action], flags = core.flag.present_or,
    base = codegen.reg(b, codegen.address(holder.address), pos), count = codegen.reg(b, codegen.constant(1), pos),
    name = name, label = plan:label(name, holder.bytes), indices = {}, inside = structure ~= nil }
  if structure then item.frame, item.room = structure.address, structure.type.size end
  if plan.kind == "exit data" then item.flags = item.flags | core.flag.if_present end
  return plan:add(item, b, request)
end

-- Adds an item that attaches a request's descriptor to the descriptor's target, if the target is present. The directive
-- itself maps only the descriptor (ref_ptr, OMP60-map-17).
local function add_attachment(plan, request)
  local attach_request = setmetatable({ action = "no_create", present_or = false, if_present = true },
    { __index = request })
  local item = plan:object(attach_request)
  item.action, item.program = core.action.no_create, nil
  item.flags = item.flags | core.flag.uncounted | core.flag.if_present
end

-- Returns the requests on components grouped by their enclosing structure: list of {structure, values, holders}.
-- holders: requests that have a holder; values: all others.
local function structures_of(requests)
  local list, by_address = {}, {}
  for _, request in ipairs(requests) do
    local structure = request.structure
    if structure then
      local group = by_address[structure.address]
      if not group then
        group = { structure = structure, values = {}, holders = {} }
        by_address[structure.address] = group
        list[#list + 1] = group
      end
      table.insert(request.holder and group.holders or group.values, request)
    end
  end
  return list
end

-- Adds the items of the components of one structure: a block with parts if several ranges of bytes are mapped,
-- otherwise a single item. group: entry of structures_of, with the field `implicit`. A group with nothing to map gets
-- no item.
local function add_structure(plan, group)
  local from, parts, members = group.structure.address, {}, {}
  -- Adds the part of the block that has `bytes` bytes at `address`, and its request.
  local function add(request, address, bytes, action)
    parts[#parts + 1] = { offset = address - from, bytes = bytes, action = action }
    members[#members + 1] = request
  end
  for _, request in ipairs(group.values) do
    add(request, request.extent.address, request.extent.bytes, request.action)
  end
  local holder
  for _, request in ipairs(group.holders) do
    if not request.by_pointer or group.implicit then
      add(request, request.holder.address, request.holder.bytes, "copyin")
      holder = request
    end
  end
  if #parts == 0 then return end
  if #parts == 1 then
    if holder then add_holder(plan, holder, "copyin") else plan:request(group.values[1]) end
    return
  end
  openmp_lowering.add_parts(plan, members, parts)
  for _, request in ipairs(group.values) do
    if types.is_record(request.type) or mapper.bits(request.map_request.flags) ~= 0 then plan:request(request) end
  end
end

-- Adds the items of all requests of a directive. implicit(group): function that returns true if the construct
-- implicitly maps the descriptors that a group's sections need; nil except on target constructs. Also defines
-- plan.request, which adds the item of one more request. Raises for errors of list items.
function fortran_map.map_items(plan, requests, implicit)
  -- Adds the item of a request, registers a variable in plan.named, and returns the item.
  function plan.request(_, request)
    local item, name = plan:object(request), list_item.root_variable(request.node)
    if not request.structure then
      plan.named[name] = plan.named[name] or item
    elseif not request.holder then
      item.frame, item.room = request.structure.address, request.structure.type.size
    end
    return item
  end
  for _, request in ipairs(requests) do
    look_into(plan, request)
    plan.roots[list_item.root_variable(request.node) or ""] = true
  end
  local is_entry = plan.kind ~= "update" and plan.kind ~= "exit data"
  if is_entry then
    for _, group in ipairs(structures_of(requests)) do
      group.implicit = implicit and implicit(group)
      add_structure(plan, group)
    end
  end
  for _, request in ipairs(requests) do
    local whole, is_descriptor_only = request.holder and not request.by_pointer, request.map_modifiers
      and request.map_modifiers.ref == "ref_ptr"
    if whole and is_entry and not request.structure then
      local item, name = add_holder(plan, request, "copyin"), list_item.root_variable(request.node)
      if is_descriptor_only then plan.named[name] = plan.named[name] or item end
    end
    if is_descriptor_only then
      if is_entry and request.map_modifiers.attach ~= "never" then add_attachment(plan, request) end
    elseif not is_entry or not request.structure or request.holder then
      plan:request(request)
    end
    if plan.kind == "exit data" and whole then add_holder(plan, request, "delete") end
  end
end

return fortran_map
