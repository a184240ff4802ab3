-- fortran_debug_types.lua - builds derived types from gfortran's debug information: the Fortran part of
-- debug_types.lua, which describes nodes and builders.
--
-- An allocatable or pointer array has gfortran's descriptor, so the session must use the layout "gfortran"; an
-- allocatable or pointer scalar is an address. Polymorphic components, procedure pointers and components added by the
-- compiler become bytes without a name.
--
-- Functions with the parameters (builder, node) return the type of a node.

local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_types = require "accdeep.types.fortran_types"
local types = require "accdeep.types"

local raise = diagnostic.raise

-- Returns the key of a type's name: the part after the module, in small letters.
local function key(name) return name:match "[^:]*$":lower() end

-- Encoding of a base type -> `class` of a Fortran type (fortran_types.lua).
local classes = { signed = "integer", float = "real", boolean = "logical", complex = "complex" }

-- Returns the intrinsic type of a base type. Raises if Fortran has no such type.
local function base(builder, node)
  local class = classes[node.encoding]
  local kind = class == "complex" and node.size // 2 or node.size
  local t = class and fortran_types.intrinsic[class][kind]
  if t then return t end
  raise("unsupported", nil, ("%s: there is no %s here"):format(builder.file, node.name), { rule = "HOUSE-debug" })
end

-- Returns the type of `node`, the target of a pointer or descriptor. A record may be returned incomplete, because
-- builder:finish completes it. Raises if `node` is nil: the target is missing.
local function target(builder, node)
  if not node then builder.damaged "an array has no elements" end
  return node.kind == "record" and builder:record(node, false) or builder:type(node)
end

-- Returns the type of an array with explicit bounds. An extent that is not known is 0.
local function array(builder, node)
  local bounds = {}
  for i, dim in ipairs(node.dims) do bounds[i] = { lower = dim.lower, extent = dim.count or 0 } end
  return fortran_types.array(builder:type(node.of), bounds)
end

-- Returns the type of a descriptor. Raises if the session uses the descriptors of another compiler.
local function descriptor_type(builder, node)
  local layout = builder.session.program.layout
  if layout ~= fortran_descriptor.layouts.gfortran then
    raise("type-mismatch", nil, ("types of %s have descriptors of gfortran, here they are %s"):format(builder.file,
      layout.name), { rule = "HOUSE-debug", help = 'scenario { descriptors = "gfortran" }' })
  end
  return fortran_types.descriptor(layout, target(builder, node.of), node.rank, node.attribute)
end

-- Returns the type of a scalar pointer or allocatable: a descriptor that is the address alone.
local function pointer(builder, node)
  return fortran_types.descriptor(fortran_descriptor.address, target(builder, node.to), 0, "pointer")
end

-- Returns a new derived type, still without components; its name is `name` without the number that `distinct` adds.
-- Raises for a record that is not of Fortran or has no name.
local function new_record(node, name)
  if node.fortran and name then return fortran_types.record((name:match "^[^#]*")) end
  raise("unsupported", nil, ("%s is not a derived type of Fortran"):format(node.name or "the type"),
    { rule = "HOUSE-debug" })
end

-- Returns true if two nodes of derived types have the same size, and components with the same names and offsets.
local function is_same(a, b)
  if a == b then return true end
  if a.size ~= b.size or #a.members ~= #b.members then return false end
  for i, m in ipairs(a.members) do
    local other = b.members[i]
    if m.name ~= other.name or m.offset ~= other.offset then return false end
  end
  return true
end

-- Returns the key of a record's type: `name`, or `name` with # and a number if a different type has the key already.
-- Debug information does not record modules and procedures of types, so types with different components may have equal
-- names.
local function distinct(builder, node, name)
  builder.nodes = builder.nodes or {}
  local own, i = name, 1
  while builder.nodes[own] and not is_same(builder.nodes[own], node) do
    i = i + 1
    own = ("%s#%d"):format(name, i)
  end
  builder.nodes[own] = builder.nodes[own] or node
  return own
end

-- Kinds of nodes whose components keep their names. Pointers to such nodes keep their names, too; components of all
-- other kinds become bytes without a name. is_hidden has further exceptions.
local readable = { base = true, record = true, array = true, descriptor = true, character = true }

-- Returns true if a component `m` gets no name, because the compiler added it (the name begins with _) or its type is
-- not supported. node: type of the component, nil if unknown. Polymorphic components (type __class_...) and pointers to
-- characters of size 0 are not supported.
local function is_hidden(m, node)
  if not node or m.name and m.name:find "^_" then return true end
  if node.kind == "pointer" then
    node = node.to
    return not node or not readable[node.kind] or node.kind == "character" and node.size == 0
  end
  return not readable[node.kind] or node.kind == "record" and node.name ~= nil and node.name:find "__class_" ~= nil
end

-- Completes a derived type t with its components (types.set_members). In a type that extends another type, the first
-- component has the name of the parent. This component loses its name, and its type is stored in t.parent.
local function set_members(t, members, size, align)
  local first = members[1]
  local parent = first and first.type.class == "type" and first.name == first.type.tag and first.type or nil
  if parent then members[1] = { type = parent, offset = 0 } end
  fortran_types.name_components(types.set_members(t, members, size, align), parent)
  t.parent = parent
end

-- Raises the error for a node whose kind Fortran does not have.
local function raise_unsupported(builder, node)
  raise("unsupported", nil, ("%s: a %s is not a type of Fortran"):format(builder.file, node.kind),
    { rule = "HOUSE-debug" })
end

return {
  key = key, distinct = distinct, new_record = new_record, set_members = set_members, is_hidden = is_hidden,
  makers = {
    base = base, array = array, descriptor = descriptor_type, pointer = pointer,
    record = function(builder, node) return builder:record(node, true) end,
    character = function(_, node) return fortran_types.character(math.max(node.size, 0)) end,
    enum = raise_unsupported, typedef = raise_unsupported, ["function"] = raise_unsupported, other = raise_unsupported,
  },
}
