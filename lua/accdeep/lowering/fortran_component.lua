-- fortran_component.lua - emits the code of mapping programs for components of derived types: which elements a
-- descriptor describes, and which of them a clause selects. A descriptor is the record of address, type and bounds that
-- a compiler makes for an allocatable or pointer. mapping_compiler.lua and section_subscripts.lua call it.
--
-- Input: a component, and its typed section. Output: code in the builder, and registers with its results.
--
-- Parameters: `b` is the code builder, `env` the environment of bounds; values are those of codegen.lua. `t` is
-- the component's type, a descriptor type or an array with bounds, and `offset` its offset in the element. Dimensions
-- count from 1.

local codegen = require "accdeep.lowering.codegen"
local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local types = require "accdeep.types"

local fortran_component = {}

-- Returns the value of a field of dimension i in the descriptor at `offset`. field_name: "lower_bound", "extent" or
-- "sm" (stride in bytes), the names of CFI_cdesc_t. In a layout with spans (gfortran), extent and sm do not exist and
-- are computed from other fields.
local function dimension_field(b, t, offset, i, field_name, pos)
  local LONG = types.scalars.long
  local function load(member, number)
    return codegen.load(b, { self = true, offset = offset + fortran_descriptor.offset(t, member, number), type = LONG },
      pos)
  end
  if not t.layout.in_spans or field_name == "lower_bound" then return load(field_name, i) end
  if field_name == "sm" then return codegen.apply(b, "*", load("stride", i), load "span", pos) end
  local distance = codegen.apply(b, "-", load("upper_bound", i), load("lower_bound", i), pos)
  return codegen.apply(b, "+", distance, codegen.constant(1), pos)
end

-- Returns the first element and the number of elements, as values, of the range from the first to the last byte that a
-- descriptor describes. The first element counts from the base address. Without a target the number is 0, and the
-- first element has no meaning. A pointer's strides may skip elements, which the number includes. Negative strides make
-- the first element negative.
-- Polymorphic components are counted in bytes, because their element type is known only at run time.
function fortran_component.whole_array(b, t, offset, pos)
  local LONG, zero, one = types.scalars.long, codegen.constant(0), codegen.constant(1)
  local unit = t.polymorphic and 1 or t.of.size
  local function apply(op, x, y) return codegen.apply(b, op, x, y, pos) end
  local function load(at, value_type)
    return codegen.load(b, { self = true, offset = offset + at, type = value_type }, pos)
  end
  -- Registers are scarce and dimensions are many. keep_registers frees all registers except those of the values in
  -- `new`, which it pins and returns; `old` are the values of the dimension before, which lose their pins.
  local function keep_registers(old, new)
    for i, v in ipairs(new) do
      if old[i] and old[i].reg then b.pinned[old[i].reg] = nil end
      if v.reg then b:pin(v.reg) end
    end
    b.constants, b.next = {}, 0
    return new
  end
  local has_target = apply("!=", load(fortran_descriptor.offset(t, "base_addr"), types.pointer(types.void)), zero)
  local elem_len = t.polymorphic and load(fortran_descriptor.offset(t, "elem_len"), LONG)
  if t.rank == 0 then return zero, elem_len and apply("*", has_target, elem_len) or has_target end
  local running = keep_registers({}, { has_target, elem_len or one, zero })
  for i = 1, t.rank do
    local is_nonempty, count, first = running[1], running[2], running[3]
    local extent = dimension_field(b, t, offset, i, "extent", pos)
    if t.attribute == "allocatable" then
      count = apply("*", count, extent)
    else
      local span = apply("/", apply("*", apply("-", extent, one), dimension_field(b, t, offset, i, "sm", pos)),
        codegen.constant(unit))
      is_nonempty = apply("&", is_nonempty, apply("<", zero, extent))
      local negative, none = apply("<", span, zero), codegen.reg(b, zero, pos)
      local below = { reg = b:emit(pos, core.opcode.SELECT, negative.reg, span.reg, none), type = LONG }
      count, first = apply("+", count, apply("-", span, apply("+", below, below))), apply("+", first, below)
    end
    running = keep_registers(running, { is_nonempty, count, first })
  end
  local count = apply("*", running[2], running[1])
  for _, v in ipairs(running) do
    if v.reg then b.pinned[v.reg] = nil end
  end
  return running[3], count
end

-- ------------------------------------------------------------------------------------- sections --

-- Returns the first element, counted from 0, and the number of elements of a part like (2:n, 3) of a component, as
-- values. typed: the typed section, with ranges. A part must be contiguous: whole dimensions, one range, then single
-- elements. Emitted code checks bounds that are not constant.
function fortran_component.array_part(b, env, typed, offset)
  local LONG, one, t, pos = types.scalars.long, codegen.constant(1), typed.type, typed.pos
  local function apply(op, x, y) return codegen.apply(b, op, x, y, pos) end
  local rank, ranges = #typed.ranges, typed.ranges
  local function dimension_value(i, field_name, key)
    if t.bounds then return codegen.constant(t.bounds[i][key]) end
    return dimension_field(b, t, offset, i, field_name, pos)
  end
  local last_range = 0
  for i, range in ipairs(ranges) do last_range = range.is_range and i or last_range end
  local start, count, stride, packed = codegen.constant(0), one, one, nil
  local is_whole_row = one -- value that is 1 while all dimensions so far are taken as a whole
  for i, range in ipairs(ranges) do
    local extent = dimension_value(i, "extent", "extent")
    -- The target of a pointer may have strides, so its elements are contiguous only if each stride equals the bytes
    -- that the dimensions before it occupy.
    if t.attribute == "pointer" then
      local same_stride = apply("==", dimension_value(i, "sm"), apply("*", stride, codegen.constant(t.of.size)))
      packed = packed and apply("&", packed, same_stride) or same_stride
    end
    local is_range = range.is_range
    local is_whole = is_range and not range.first and not range.last
    -- Emits a check that `elements` is 1 or all dimensions before this one are whole: elsewhere a range of several
    -- elements is not contiguous.
    local function require_rows(elements)
      codegen.emit_check(b, codegen.logical_or(b, is_whole_row, apply("==", elements, one), pos), 1, pos)
    end
    if is_whole then
      if is_whole_row.const ~= 1 then require_rows(extent) end
      count = apply("*", count, extent)
    else
      local lower = dimension_value(i, "lower_bound", "lower")
      local from = range.first and codegen.value(b, env, range.first) or lower
      local elements = one
      if is_range then
        local last = range.last and codegen.value(b, env, range.last)
          or apply("-", apply("+", lower, extent), one)
        elements = apply("+", apply("-", last, from), one)
        if is_whole_row.const ~= 1 then require_rows(elements) end
        count = apply("*", count, elements)
      end
      -- Dimensions after the last range need no check, because they select single elements.
      if i < last_range then
        local is_row = codegen.logical_and(b, apply("==", from, lower), apply("==", elements, extent), pos)
        is_whole_row = codegen.logical_and(b, is_whole_row, is_row, pos)
      end
      start = apply("+", start, apply("*", apply("-", from, lower), stride))
    end
    if i < rank then stride = apply("*", stride, extent) end
  end
  -- If the target of a pointer is not contiguous at run time, the count becomes negative, which the core reports as an
  -- invalid section.
  if packed then
    local none = b:emit(pos, core.opcode.CONST, 0, 0, math.mininteger)
    count = { reg = b:emit(pos, core.opcode.SELECT, packed.reg, codegen.reg(b, count, pos), none), type = LONG }
  end
  return start, count
end

return fortran_component
