-- fortran_view.lua - views of Fortran objects for scenarios: logical values as booleans, characters as strings, complex
-- numbers as lists of two parts, arrays as views.
--
-- The view of an array is made when the array is read. v(i, j) uses Fortran's indices; v[i] counts elements from 0 in
-- memory order; v:values() is a list, nested for several dimensions: list[i][j] is element (i,j). An array or scalar
-- that is not allocated or associated reads as nil. Assigning a list to an allocatable or pointer allocates new memory.
--
-- Arguments: space, address, low, high: memory space, and address and bounds of the object (memory_view.lua); t: type
-- of the object. A section is {address, low, high, of (element type), dims}; a dim is {lower, extent, sm (bytes from
-- one element to the next)}.

local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
local fortran_types = require "accdeep.types.fortran_types"
local object = require "accdeep.backend.fortran.object"
local types = require "accdeep.types"
local memory_view = require "accdeep.backend.memory_view"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise

local fortran_view = {}

-- Frame of accesses through views: it has no position, because the script's line is reported.
local frame = {}

-- Class of array views.
local Array = { __name = "array" }

-- Returns the elements of a section, read from the memory `space`, as nested lists: one level for each dimension.
local function nested_list(section, space)
  local dims = section.dims
  local function list(address, depth)
    local values, dim = {}, dims[depth]
    for i = 0, dim.extent - 1 do
      local at = address + i * dim.sm
      values[i + 1] = depth == #dims and memory_view.read(space, section.of, at, section.low, section.high)
        or depth < #dims and list(at, depth + 1)
    end
    return values
  end
  return list(section.address, 1)
end

-- Returns the array view of a section. t: type of the object, whose name the view shows.
local function array(space, t, section)
  local n = fortran_descriptor.count(section.dims)
  return memory_view.make(Array, space, { kind = "array", of = section.of, n = n, size = n * section.of.size,
    name = t.name },
    section.address, section.low, section.high, section)
end

-- Returns the address of the element number `index`, counted from 0 in memory order. at: location of the view. Raises
-- if the index is not an integer or is out of bounds.
local function address_of(at, index)
  local section = at.section
  if math.type(index) ~= "integer" or index < 0 or index >= at.type.n then
    raise("out-of-bounds", nil, ("element %s of an array of %s"):format(tostring(index),
      strings.count(at.type.n, "element")),
      { rule = "ACC33-2.7.1-1" })
  end
  local address = section.address
  for _, dim in ipairs(section.dims) do
    address = address + index % dim.extent * dim.sm
    index = index // dim.extent
  end
  return address
end

-- Methods of array views, by name: v:values().
local methods = {}
-- Returns the elements of an array as nested lists.
function methods.values(self)
  local at = memory_view.location(self)
  return nested_list(at.section, at.space)
end

-- Returns the method `key` of an array view, or the element number `key`, counted from 0 in memory order. Raises for
-- other keys.
function Array:__index(key)
  if methods[key] then return methods[key] end
  local at = memory_view.location(self)
  return memory_view.read(at.space, at.section.of, address_of(at, key), at.low, at.high)
end
-- Stores a value in the element number `key` of an array view, counted from 0 in memory order. Raises for other keys.
function Array:__newindex(key, value)
  local at = memory_view.location(self)
  memory_view.write(at.space, at.section.of, address_of(at, key), value, at.low, at.high)
end
-- Return the number of an array's elements, and the name of its type.
function Array:__len() return memory_view.location(self).type.n end
function Array:__tostring() return types.name(memory_view.location(self).type) end
-- v(i, j): returns the element of the view v with these Fortran indices. Raises if an index is out of bounds or if the
-- number of indices is wrong.
function Array:__call(...)
  local at = memory_view.location(self)
  local section = at.section
  if select("#", ...) ~= #section.dims then
    raise("type-mismatch", nil, ("the array has %s"):format(strings.count(#section.dims, "dimension")))
  end
  local address = section.address
  for i, dim in ipairs(section.dims) do
    local index = math.tointeger((select(i, ...)))
    if not index or index < dim.lower or index >= dim.lower + dim.extent then
      raise("out-of-bounds", nil, ("index %s in dimension %d is outside %d:%d"):format(tostring(select(i, ...)), i,
        dim.lower, dim.lower + dim.extent - 1), { rule = "ACC33-2.7.1-1" })
    end
    address = address + (index - dim.lower) * dim.sm
  end
  return memory_view.read(at.space, section.of, address, at.low, at.high)
end

-- Returns the section that an array of type t, or the data of a descriptor of type t, occupies. address: that of the
-- array or descriptor. Returns nil for a descriptor without data.
local function section_of(space, t, address, low, high)
  if t.bounds then
    return { address = address, low = low, high = high, of = t.of,
      dims = fortran_descriptor.pack_strides(t.of, fortran_descriptor.copy_dims(t.bounds)) }
  end
  local base, blow, bhigh = fortran_descriptor.base(space, address, low, high, frame)
  if base == 0 then return nil end
  return { address = base, low = blow, high = bhigh, of = fortran_descriptor.type(space, t, address, low, high, frame),
    dims = fortran_descriptor.dims(space, t, address, low, high, frame) }
end

-- Returns the array view of a section of type t; if the section has no dimensions, the value of its scalar.
function fortran_view.view_of_section(space, t, section)
  if #section.dims > 0 then return array(space, t, section) end
  return memory_view.read(space, section.of, section.address, section.low, section.high)
end

-- Returns the value of an object of a Fortran type: a Lua value or a view. Returns nil if the object is not allocated
-- or associated. Raises if it cannot be read.
function fortran_view.read_value(space, t, address, low, high)
  if t.kind == "descriptor" or t.bounds then
    local section = section_of(space, t, address, low, high)
    if not section then return nil end
    return fortran_view.view_of_section(space, t, section)
  end
  return fortran_expression.loader(space, t)(address, low, high, frame)
end

-- Function that returns the elements of a section as nested lists.
fortran_view.nested = nested_list

-- --------------------------------------------------------------------------------------- writing --

-- Returns the extents of the nested list `value` with `rank` levels, taken from the first element of each level. Raises
-- if the nesting is not deep enough. t: type for the message.
local function shape_of(value, rank, t)
  local shape = {}
  for i = 1, rank do
    if type(value) ~= "table" or memory_view.location(value) then memory_view.wrong_type(value, t) end
    shape[i] = #value
    value = value[1]
    if i < rank and shape[i] == 0 then
      for k = i + 1, rank do shape[k] = 0 end
      break
    end
  end
  return shape
end

-- Raises unless the keys of a list, and of the lists in it to the depth `rank`, are the numbers of elements from 1 on.
-- Other values are not checked. `element_type`: type of the elements.
local function check_lists(value, rank, element_type)
  if type(value) ~= "table" or memory_view.location(value) then return end
  memory_view.check_indices("an array", element_type, value, 1)
  for _, item in ipairs(rank > 1 and value or {}) do check_lists(item, rank - 1, element_type) end
end

-- Stores the list `value`, nested or flat, into a section of type t. Raises if it has too many elements or a wrong
-- value; elements that were stored before the error keep their new values.
local function fill_section(space, section, t, value)
  local dims = section.dims
  check_lists(value, #dims, section.of)
  local function fill(address, depth, list)
    local dim = dims[depth]
    if type(list) ~= "table" or #list > dim.extent then
      if type(list) ~= "table" then memory_view.wrong_type(list, t) end
      raise("out-of-bounds", nil, ("%s for %s"):format(strings.count(#list, "value"),
        strings.count(dim.extent, "element")))
    end
    for i, item in ipairs(list) do
      local at = address + (i - 1) * dim.sm
      if depth == #dims then memory_view.fill(space, section.of, at, item, section.low, section.high)
      else fill(at, depth + 1, item) end
    end
  end
  -- A flat list has the elements of an array with several dimensions in memory order.
  if #dims > 1 and value[1] ~= nil and type(value[1]) ~= "table" then
    local addresses = fortran_expression.addresses(section)
    if #value > #addresses then
      raise("out-of-bounds", nil, ("%s for %s"):format(strings.count(#value, "value"),
        strings.count(#addresses, "element")))
    end
    for i, item in ipairs(value) do memory_view.fill(space, section.of, addresses[i], item, section.low,
      section.high) end
    return
  end
  fill(section.address, 1, value)
end

-- Assigns `value` to an allocatable or pointer of type t: nil deallocates or nullifies it; a view becomes a pointer's
-- target. A list or a scalar is stored in new memory. A flat list for several dimensions is stored in the existing
-- elements. Raises if the value does not fit, and for other lists on a device.
local function fill_descriptor(space, t, address, value, low, high)
  local session = space.session
  local at = memory_view.location(value)
  if value == nil or at and at.address == 0 then
    if t.attribute == "allocatable" then return object.release(session, t, address, frame) end
    return fortran_descriptor.write(space, t, address, 0, nil, low, high, frame)
  end
  local target = at and at.section
  if target and t.attribute == "pointer" and fortran_types.fits(target.of, t) and #target.dims == t.rank then
    return fortran_descriptor.write(space, t, address, at.address, at.section.dims, low, high, frame, target.of)
  end
  local section = section_of(space, t, address, low, high)
  local flat = t.rank > 1 and type(value) == "table" and type(value[1]) ~= "table"
  if flat and not section then
    raise("type-mismatch", nil, ("%s has no shape yet"):format(types.name(t)),
      { help = "allocate it, or give a list of lists" })
  elseif flat then
    return fill_section(space, section, t, value)
  end
  if space.on_device then
    raise("type-mismatch", nil, "a list cannot be assigned to a pointer on the device")
  end
  local dims = {}
  if t.rank > 0 then
    check_lists(value, t.rank, t.of)
    for i, n in ipairs(shape_of(value, t.rank, t)) do dims[i] = { lower = 1, extent = n } end
  end
  if t.attribute == "allocatable" then object.release(session, t, address, frame) end
  object.allocate(session, t, address, dims, types.name(t.of), frame)
  section = section_of(space, t, address, low, high)
  if t.rank == 0 then return memory_view.fill(space, t.of, section.address, value, section.low, section.high) end
  fill_section(space, section, t, value)
end

-- Stores a Lua value into an object of a Fortran type t; raises if the value does not fit.
function fortran_view.fill(space, t, address, value, low, high)
  if t.kind == "descriptor" then return fill_descriptor(space, t, address, value, low, high) end
  if t.bounds then
    local at = memory_view.location(value)
    if at then value = value:values() end
    if type(value) ~= "table" then memory_view.wrong_type(value, t) end
    return fill_section(space, section_of(space, t, address, low, high), t, value)
  end
  if t.kind == "character" and type(value) == "string" then
    value = (value .. (" "):rep(t.len - #value)):sub(1, t.len)
  elseif t.logical and type(value) == "number" then
    value = value ~= 0
  elseif t.kind == "complex" and type(value) == "number" then
    value = { value + 0.0, 0.0 }
  elseif t.kind == "complex" and type(value) == "table" and #value == 2 and type(value[1]) == "number"
    and type(value[2]) == "number" then
    value = { value[1] + 0.0, value[2] + 0.0 }
  elseif not t.logical or type(value) ~= "boolean" then
    memory_view.wrong_type(value, t)
  end
  fortran_expression.storer(space, t)(address, value, low, high, frame)
end

fortran_types.view = fortran_view
for _, class in ipairs { "logical", "complex" } do
  for _, t in pairs(fortran_types.intrinsic[class]) do t.view = fortran_view end
end

return fortran_view
