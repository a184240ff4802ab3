-- fortran_extension.lua - finds objects whose dynamic type extends the declared one, inside list items that are mapped
-- with all their components (TR14-1.1-05). fortran_section.lua calls it.
--
-- Input: a plan, and a list item with its type. Output: further items of the plan.
--
-- A mapping program is the code that the core runs for each element (mapping_compiler.lua). It treats the target of a
-- polymorphic component as bytes, because the component's dynamic type is known only when a directive is encountered.
-- Each object of an extended type then becomes a further item of the construct, with the mapping program of its dynamic
-- type.

local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local fortran_dynamic_types = require "accdeep.types.fortran_dynamic_types"
local fortran_inputs = require "accdeep.lowering.fortran_inputs"
local nest = require "accdeep.sema.members.nest"
local object = require "accdeep.backend.fortran.object"
local types = require "accdeep.types"

local fortran_extension = {}

-- Returns true if an object of type t, or an object inside, may have an extended dynamic type. Results are cached in
-- the types. A type that is still being examined gives false, so that recursive types end.
local function may_extend(t)
  while t.kind == "array" or t.kind == "descriptor" do
    if t.polymorphic then return true end
    t = t.of
  end
  if t.kind ~= "record" or not t.complete then return false end
  if t.may_extend == nil then
    t.may_extend = false
    for _, member in ipairs(t.members) do t.may_extend = t.may_extend or may_extend(member.type) end
  end
  return t.may_extend
end

-- Appends objects of extended types inside one object to a list, four entries each: address, number of elements, type,
-- name. address, name: those of the object; member_mapping: its member mapping (nest.lua). Targets of components are
-- searched, too, so recursive data structures are followed to their end. is_open: addresses and member mappings of the
-- enclosing objects of the search, as keys "address mapping": a cycle ends at them.
local function collect(session, member_mapping, address, name, list, is_open)
  local key = ("%d %p"):format(address, member_mapping)
  if is_open[key] then return end
  is_open[key] = true
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    local t, at = entry.member.type, address + entry.offset
    local text = ("%s%%%s"):format(name, entry.member.name or "")
    if entry.include and not entry.subscripts and may_extend(t) then
      local base, n, object_type = at, 1, t
      if t.kind == "array" then n, object_type = t.n, t.of end
      if t.kind == "descriptor" then
        local target, count, _, dynamic_type = object.current_elements(session, t, at, {})
        base, n, object_type = target or 0, target and count or 0, dynamic_type or t.of
        if t.attribute == "pointer" and target then
          local dims = fortran_descriptor.dims(session.host_space, t, at)
          if not fortran_descriptor.is_contiguous(object_type, dims) then n = 0 end
        end
      end
      local inner = n > 0 and (object_type == types.innermost(t) and nest.inner(session, member_mapping, entry)
        or nest.mapping_of_clause(session, object_type, {}, member_mapping.update, member_mapping.clause_action))
      if t.polymorphic and n > 0 and object_type ~= t.of and fortran_dynamic_types.extends(object_type, t.of)
        and object.has_start(object_type) then
        table.move({ base, n, object_type, text }, 1, 4, #list + 1, list)
      end
      for i = 0, n - 1 do
        collect(session, inner, base + i * object_type.size, n > 1 and ("%s(%d)"):format(text, i + 1) or text, list,
          is_open)
      end
    end
  end
  is_open[key] = nil
end

-- Returns the objects of extended types inside the objects of a request: list of {address, count, of (type), name}.
-- objects: {address, count, of}; name: the list item's name. The list is empty if the member mapping is nil or that of
-- a policy, or if rules.descriptors does not make targets of all descriptors mapped. The plan depends on the result, so
-- it is recorded as an input.
function fortran_extension.extended_objects(session, member_mapping, objects, name)
  local follows = member_mapping and not member_mapping.policy and session.rules.descriptors == true
  if not follows or not may_extend(objects.of) then return {} end
  local flat = { fortran_inputs.record_inputs(session, function()
    local list = {}
    for i = 0, objects.count - 1 do
      collect(session, member_mapping, objects.address + i * objects.of.size, name, list, {})
    end
    return table.unpack(list)
  end) }
  local list = {}
  for i = 1, #flat, 4 do
    list[#list + 1] = { address = flat[i], count = flat[i + 1], of = flat[i + 2], name = flat[i + 3] }
  end
  return list
end

return fortran_extension
