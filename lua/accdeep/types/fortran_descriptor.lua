-- fortran_descriptor.lua - array descriptors in memory: the representation of allocatable, pointer, assumed-shape and
-- polymorphic variables. A descriptor holds the address of the elements, their type and size, and the bounds and
-- strides of each dimension. No other module knows the offsets of these fields.
--
-- A layout is a table that describes the descriptors of one compiler:
--
--   +--------+-------------+     +-------------+----------------------------------+
--   | header | dimension 1 | ... | dimension n | addendum (polymorphic only)      |
--   +--------+-------------+     +-------------+----------------------------------+
--
-- The addendum is the address of the dynamic type's type record (fortran_dynamic_types.lua) and a second word, which is
-- 0 here (length parameters). Descriptors are read and written through a memory space (backend/memory_view.lua), so
-- that a descriptor in device memory is read as a kernel reads it.
--
-- Parameters of many functions:
--   t           descriptor type (fortran_types.descriptor); address: address of such a descriptor.
--   element     type of the elements.
--   dims        list of {lower, extent, sm}; sm: stride, the distance in bytes between neighbours in this dimension.
--   space       memory space; low, high: bounds of the object that contains the descriptor, nil if unknown.
--   frame       frame.pos is the position for errors; nil: none.
-- Functions with a space raise if the memory cannot be accessed.

local core = require "accdeep.core"
local fortran_dynamic_types = require "accdeep.types.fortran_dynamic_types"

local fortran_descriptor = {}

local code = core.scalar

-- Layouts by name. header: members in memory order, {name, scalar, bytes}; dimension: names of the words of one
-- dimension. version: value of the header's field version; attributes: attribute of a type -> value of the header's
-- field attribute. classes: code of a type by class, plus the kind shifted left by kind_shift bits. A table in place of
-- a code has the codes by kind.
local layouts = {
  cfi = { -- CFI_cdesc_t of gcc's ISO_Fortran_binding.h
    header = { { "base_addr", code.pointer, 8 }, { "elem_len", code.u64, 8 }, { "version", code.i32, 4 },
      { "rank", code.i8, 1 }, { "attribute", code.i8, 1 }, { "type", code.i16, 2 } },
    dimension = { "lower_bound", "extent", "sm" },
    version = 1, attributes = { pointer = 0, allocatable = 1, other = 2 },
    classes = { integer = 1, logical = 2, real = 3, complex = 4, character = 5, type = 6 }, kind_shift = 8,
  },
  flang = { -- CFI_cdesc_t of LLVM Flang; the last byte of its header is set if an addendum follows
    header = { { "base_addr", code.pointer, 8 }, { "elem_len", code.u64, 8 }, { "version", code.i32, 4 },
      { "rank", code.u8, 1 }, { "type", code.i8, 1 }, { "attribute", code.u8, 1 }, { "extra", code.u8, 1 } },
    dimension = { "lower_bound", "extent", "sm" },
    version = 20240719, attributes = { other = 0, pointer = 1, allocatable = 2 },
    classes = { integer = { 7, 8, [4] = 9, [8] = 10 }, logical = { 39, 39, [4] = 39, [8] = 39 },
      real = { [4] = 27, [8] = 28 }, complex = { [4] = 34, [8] = 35 }, character = { 40 }, type = 42 },
  },
  gfortran = { -- gfc_array_descriptor of gcc's libgfortran.h; strides count units of `span` bytes
    header = { { "base_addr", code.pointer, 8 }, { "offset", code.i64, 8 }, { "elem_len", code.u64, 8 },
      { "version", code.i32, 4 }, { "rank", code.i8, 1 }, { "type", code.i8, 1 }, { "attribute", code.i16, 2 },
      { "span", code.i64, 8 } },
    dimension = { "stride", "lower_bound", "upper_bound" },
    version = 0, attributes = { pointer = 0, allocatable = 0, other = 0 },
    classes = { integer = 1, logical = 2, real = 3, complex = 4, type = 5, character = 6 },
  },
}
local WORD = 8 -- bytes of a word
local TYPE_RECORD = 2 * WORD -- bytes of the addendum

-- Layout of gfortran's scalar pointers: the address alone.
fortran_descriptor.address = { header = { { "base_addr", code.pointer, 8 } }, dimension = {}, attributes = {},
  classes = { integer = 0, logical = 0, real = 0, complex = 0, character = 0, type = 0 } }

-- Sets the fields of a layout that follow from its members: name, members (name -> offset), header_bytes,
-- dimension_bytes, and in_spans. in_spans is true if strides are counted in units of the field `span`, not in bytes.
local function lay_out(name, layout)
  local offset = 0
  layout.name, layout.members = name, {}
  for _, member in ipairs(layout.header) do
    layout.members[member[1]] = offset
    offset = offset + member[3]
  end
  layout.header_bytes, layout.dimension_bytes = offset, WORD * #layout.dimension
  for i, word in ipairs(layout.dimension) do layout.members[word] = WORD * (i - 1) end
  layout.in_spans = layout.members.stride ~= nil
end
for name, layout in pairs(layouts) do lay_out(name, layout) end
lay_out("address", fortran_descriptor.address)
fortran_descriptor.layouts = layouts

-- Returns the size in bytes of a descriptor with this layout and rank.
function fortran_descriptor.size(layout, rank, is_polymorphic)
  return layout.header_bytes + rank * layout.dimension_bytes + (is_polymorphic and TYPE_RECORD or 0)
end

-- Returns the offset in bytes, in a descriptor of type t, of a member of dimension i (from 1) or, if i is nil, of the
-- header. Precondition: the layout has the member.
function fortran_descriptor.offset(t, member, i)
  local layout = t.layout
  return layout.members[member] + (i and layout.header_bytes + (i - 1) * layout.dimension_bytes or 0)
end

-- Returns the offset in bytes, in a descriptor of type t, of the pointer to the dynamic type's record. Precondition: t
-- is polymorphic.
function fortran_descriptor.type_record_offset(t) return t.size - TYPE_RECORD end

-- Returns the number with which a layout's descriptors represent an element type; nil for a kind that it does not have.
function fortran_descriptor.type_code(layout, element)
  local class_code = layout.classes[element.class]
  if type(class_code) == "table" then return class_code[element.fkind] end
  return class_code + (layout.kind_shift and element.class ~= "type" and element.fkind << layout.kind_shift or 0)
end

-- Returns the greatest common divisor of two integers that are not negative.
local function divisor(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

-- Returns the unit of strides in bytes: the size of an element, or a divisor of this size. A divisor is needed if the
-- elements are parts of larger objects, so that strides are not multiples of their size.
local function span_of(element, dims)
  local span = element.size
  for _, dim in ipairs(dims) do
    if dim.extent > 0 and dim.sm % math.max(element.size, 1) ~= 0 then span = divisor(span, math.abs(dim.sm)) end
  end
  return span
end

-- Calls put(offset, scalar, bytes, value) for every word of a descriptor of type t. base: address of the first element;
-- dims nil: no elements. dynamic_type: the elements' type, nil for the declared one. record: address of the type
-- record, used only if t is polymorphic.
local function each_word(t, base, dims, dynamic_type, record, put)
  local layout, elements, dimensions = t.layout, dynamic_type or t.of, {}
  local span = layout.in_spans and span_of(elements, dims or {})
  local start = 0
  for i = 1, t.rank do
    local dim = dims and dims[i] or { lower = 1, extent = 0, sm = elements.size }
    dimensions[i] = { lower_bound = dim.lower, extent = dim.extent, sm = dim.sm }
    if span then
      local stride = span > 0 and dim.sm // span or 1
      dimensions[i].stride, dimensions[i].upper_bound = stride, dim.lower + math.max(dim.extent, 0) - 1
      start = start - stride * dim.lower
    end
  end
  local values = { base_addr = base, elem_len = elements.size, version = layout.version, rank = t.rank,
    attribute = layout.attributes[t.attribute], type = fortran_descriptor.type_code(layout, elements),
    extra = t.polymorphic and 1 or 0, span = span, offset = start }
  for _, member in ipairs(layout.header) do
    put(layout.members[member[1]], member[2], member[3], values[member[1]])
  end
  for i = 1, t.rank do
    for _, word in ipairs(layout.dimension) do
      put(fortran_descriptor.offset(t, word, i), code.i64, WORD, dimensions[i][word])
    end
  end
  if t.polymorphic then
    put(fortran_descriptor.type_record_offset(t), code.pointer, WORD, record)
    put(fortran_descriptor.type_record_offset(t) + WORD, code.i64, WORD, 0)
  end
end

-- Returns the bytes of a descriptor of type t in host memory, as a string. base: address of the first element, 0 for
-- none; dims nil: no elements. dynamic_type: the elements' type, nil for the declared one. Creates the type record if
-- it does not exist.
function fortran_descriptor.pack(session, t, base, dims, dynamic_type)
  local parts = {}
  each_word(t, base, dims, dynamic_type, t.polymorphic and fortran_dynamic_types.record(session, dynamic_type or t.of),
    function(_, _, bytes, value)
    parts[#parts + 1] = string.pack("<i" .. bytes, value)
  end)
  return table.concat(parts)
end

-- Writes a whole descriptor of type t at an address. base: address of the first element, 0 for none; dims nil: no
-- elements; dynamic_type: the elements' type, nil for the declared one.
function fortran_descriptor.write(space, t, address, base, dims, low, high, frame, dynamic_type)
  each_word(t, base, dims, dynamic_type, t.polymorphic and fortran_dynamic_types.pointer(space, dynamic_type or t.of),
    function(offset, scalar, bytes, value)
      space:store(address + offset, scalar, bytes, value, low, high, frame)
    end)
end

-- Returns the base address that a descriptor holds, 0 for none, and the bounds of the object that contains this
-- address.
function fortran_descriptor.base(space, address, low, high, frame)
  return space:load_pointer(address, low, high, frame)
end

-- Returns the type of the elements that a descriptor describes: the dynamic type if t is polymorphic. Raises if the
-- descriptor points to no type record.
function fortran_descriptor.type(space, t, address, low, high, frame)
  if not t.polymorphic then return t.of end
  return fortran_dynamic_types.type(space, address + fortran_descriptor.type_record_offset(t), low, high, frame)
end

-- Returns {rank, described, span}, with which the core reads the dimensions of a descriptor in order to name elements;
-- nil for scalars. described: offset of the first dimension; span: offset of the field `span`, or nil.
function fortran_descriptor.array(t)
  local layout = t.layout
  return t.rank > 0 and { rank = t.rank, described = layout.header_bytes, span = layout.members.span } or nil
end

-- Returns lower bound, extent and stride in bytes of dimension i (from 1).
function fortran_descriptor.dim(space, t, address, i, low, high, frame)
  local layout = t.layout
  local at = address + layout.header_bytes + (i - 1) * layout.dimension_bytes
  local a = space:load(at, code.i64, WORD, low, high, frame)
  local b = space:load(at + WORD, code.i64, WORD, low, high, frame)
  local c = space:load(at + 2 * WORD, code.i64, WORD, low, high, frame)
  if not layout.in_spans then return a, b, c end
  return b, c - b + 1, a * space:load(address + layout.members.span, code.i64, WORD, low, high, frame)
end

-- Returns all dimensions of a descriptor as a list of {lower, extent, sm}; empty for a scalar.
function fortran_descriptor.dims(space, t, address, low, high, frame)
  local dims = {}
  for i = 1, t.rank do
    local lower, extent, sm = fortran_descriptor.dim(space, t, address, i, low, high, frame)
    dims[i] = { lower = lower, extent = extent, sm = sm }
  end
  return dims
end

-- Returns the address of the lowest byte of the elements, and the number of bytes from there to the end of the highest
-- element. base: address of the first element. Strides may be negative; without elements the results are `base` and 0.
function fortran_descriptor.hull(base, element, dims)
  local first, last = base, base + element.size
  for _, dim in ipairs(dims) do
    if dim.extent <= 0 then return base, 0 end
    local span = (dim.extent - 1) * dim.sm
    if span < 0 then first = first + span else last = last + span end
  end
  return first, last - first
end

-- Describes a section with gaps between its elements, for the core. Returns the number of bytes in a run without gaps,
-- and a list {count, step, count, step, ...}: how often runs repeat, and at which distance in bytes. The largest step
-- is first. Returns nil if the section has no gaps or no elements.
function fortran_descriptor.gaps(element, dims)
  local run, steps = element.size, {}
  for _, dim in ipairs(dims) do
    if dim.extent <= 0 then return nil end
    if dim.extent > 1 then steps[#steps + 1] = { count = dim.extent, step = math.abs(dim.sm) } end
  end
  table.sort(steps, function(a, b) return a.step > b.step end)
  while steps[1] and steps[#steps].step == run do
    run = run * table.remove(steps).count
  end
  if not steps[1] then return nil end
  local flat = {}
  for _, step in ipairs(steps) do
    flat[#flat + 1] = step.count
    flat[#flat + 1] = step.step
  end
  return run, flat
end

-- Returns the number of elements in a list of dimensions; an extent below 0 counts as 0.
function fortran_descriptor.count(dims)
  local n = 1
  for _, dim in ipairs(dims) do n = n * math.max(dim.extent, 0) end
  return n
end

-- Returns a copy of a list of dimensions, whose entries the caller may change.
function fortran_descriptor.copy_dims(dims)
  local copies = {}
  for i, dim in ipairs(dims) do copies[i] = { lower = dim.lower, extent = dim.extent, sm = dim.sm } end
  return copies
end

-- Sets the strides (sm) of `dims` to those of contiguous elements; returns dims.
function fortran_descriptor.pack_strides(element, dims)
  local sm = element.size
  for _, dim in ipairs(dims) do
    dim.sm = sm
    sm = sm * dim.extent
  end
  return dims
end

-- Returns true if the elements are contiguous in memory order; also true for a section without elements.
function fortran_descriptor.is_contiguous(element, dims)
  local sm = element.size
  for _, dim in ipairs(dims) do
    if dim.extent <= 0 then return true end
    if dim.extent > 1 and dim.sm ~= sm then return false end
    sm = sm * dim.extent
  end
  return true
end

return fortran_descriptor
