-- descriptor.lua - array descriptors in memory: what allocatable, pointer and assumed-shape variables are.
--
-- The layout is data: CFI_cdesc_t of Fortran 2018 as gcc's ISO_Fortran_binding.h has it. Nothing else knows
-- offsets. Descriptors are read and written through a space (view.lua), so that those in device memory are
-- read as a kernel would read them.

local core = require "accdeep.core"

local descriptor = {}

local code = core.scalar

-- offset and scalar of each member; those of a dimension are from its start.
local layout = {
  base_addr = { 0, code.pointer, 8 }, elem_len = { 8, code.u64, 8 }, version = { 16, code.i32, 4 },
  rank = { 20, code.i8, 1 }, attribute = { 21, code.i8, 1 }, type = { 22, code.i16, 2 },
  dim = 24, dim_size = 24,
  lower_bound = { 0, code.i64, 8 }, extent = { 8, code.i64, 8 }, sm = { 16, code.i64, 8 },
}
descriptor.layout = layout

local VERSION = 1
local attributes = { pointer = 0, allocatable = 1, other = 2 }
-- The code of a type is that of its class and, for intrinsic types, the kind in the second byte.
local classes = { integer = 1, logical = 2, real = 3, character = 5, type = 6 }
local KIND_SHIFT = 8

function descriptor.size(rank) return layout.dim + rank * layout.dim_size end

-- Offset of a member of dimension i (from 1).
function descriptor.offset(member, i)
  return layout.dim + (i - 1) * layout.dim_size + layout[member][1]
end

function descriptor.type_code(of)
  return classes[of.class] + (of.class == "type" and 0 or of.fkind << KIND_SHIFT)
end

-- The bytes of a descriptor of type t: base address and dims, a list of {lower, extent, sm}.
function descriptor.pack(t, base, dims)
  local parts = { string.pack("<I8I8i4i1i1i2", base, t.of.size, VERSION, t.rank, attributes[t.attribute],
    descriptor.type_code(t.of)) }
  for i = 1, t.rank do
    local dim = dims and dims[i]
    parts[i + 1] = dim and string.pack("<i8i8i8", dim.lower, dim.extent, dim.sm)
      or string.pack("<i8i8i8", 1, 0, t.of.size)
  end
  return table.concat(parts)
end

local function load(space, address, member, low, high, frame)
  return space:load(address + member[1], member[2], member[3], low, high, frame)
end

-- Base address with the bounds of the object it leads into.
function descriptor.base(space, address, low, high, frame)
  return space:load_pointer(address + layout.base_addr[1], low, high, frame)
end

-- Lower bound, extent and stride of dimension i.
function descriptor.dim(space, address, i, low, high, frame)
  local at = address + layout.dim + (i - 1) * layout.dim_size
  return load(space, at, layout.lower_bound, low, high, frame), load(space, at, layout.extent, low, high, frame),
    load(space, at, layout.sm, low, high, frame)
end

function descriptor.dims(space, address, rank, low, high, frame)
  local dims = {}
  for i = 1, rank do
    local lower, extent, sm = descriptor.dim(space, address, i, low, high, frame)
    dims[i] = { lower = lower, extent = extent, sm = sm }
  end
  return dims
end

-- Writes a whole descriptor of type t.
function descriptor.write(space, t, address, base, dims, low, high, frame)
  local function store(at, member, value)
    space:store(at + member[1], member[2], member[3], value, low, high, frame)
  end
  store(address, layout.base_addr, base)
  store(address, layout.elem_len, t.of.size)
  store(address, layout.version, VERSION)
  store(address, layout.rank, t.rank)
  store(address, layout.attribute, attributes[t.attribute])
  store(address, layout.type, descriptor.type_code(t.of))
  for i = 1, t.rank do
    local at = address + layout.dim + (i - 1) * layout.dim_size
    local dim = dims and dims[i] or { lower = 1, extent = 0, sm = t.of.size }
    store(at, layout.lower_bound, dim.lower)
    store(at, layout.extent, dim.extent)
    store(at, layout.sm, dim.sm)
  end
end

-- Bytes from the first to the last element, and where the first lies: strides may be negative, and where
-- there is no element there are no bytes.
function descriptor.hull(base, of, dims)
  local first, last = base, base + of.size
  for _, dim in ipairs(dims) do
    if dim.extent <= 0 then return base, 0 end
    local span = (dim.extent - 1) * dim.sm
    if span < 0 then first = first + span else last = last + span end
  end
  return first, last - first
end

function descriptor.count(dims)
  local n = 1
  for _, dim in ipairs(dims) do n = n * math.max(dim.extent, 0) end
  return n
end

-- Strides of contiguous elements, put into dims.
function descriptor.pack_strides(of, dims)
  local sm = of.size
  for _, dim in ipairs(dims) do
    dim.sm = sm
    sm = sm * dim.extent
  end
  return dims
end

-- Whether the elements lie one behind the other in memory order.
function descriptor.is_contiguous(of, dims)
  local sm = of.size
  for _, dim in ipairs(dims) do
    if dim.extent <= 0 then return true end
    if dim.extent > 1 and dim.sm ~= sm then return false end
    sm = sm * dim.extent
  end
  return true
end

return descriptor
