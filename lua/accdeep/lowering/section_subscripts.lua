-- section_subscripts.lua - emits the code of typed sections (sema/c/section.lua): start and length in elements.
--
-- Input: a typed section, a builder `b` and the environment of its bounds (codegen.lua). Output: code in the builder,
-- and values. Constants were checked by the analysis; emitted code checks the other bounds when the program runs.

local codegen = require "accdeep.lowering.codegen"
local fortran_component = require "accdeep.base.lazy".require "accdeep.lowering.fortran_component"

local section_subscripts = {}

-- Returns start and length of a typed subscript as values of codegen.
function section_subscripts.bounds(b, env, subscript)
  local start = subscript.start and codegen.value(b, env, subscript.start) or codegen.constant(0)
  if subscript.length then return start, codegen.value(b, env, subscript.length) end
  return start, codegen.apply(b, "-", codegen.constant(subscript.n), start, subscript.pos)
end

-- Returns start and length of a section after one more dimension was added to it. Both results count elements of a row;
-- `row` is the array type of one row. start, length: rows in the outer dimension; first, count: elements in each row;
-- subscript: its typed subscript. start, length, first and count are values of codegen.
-- Emitted code checks that the section is contiguous (any part of one row, or all of several rows), and lies in its
-- row.
local function inner_dimension(b, row, start, length, subscript, first, count)
  local pos, n = subscript.pos, row.n
  local function apply(op, x, y) return codegen.apply(b, op, x, y, pos) end
  local function conjunction(x, y) return codegen.logical_and(b, x, y, pos) end
  local function disjunction(x, y) return codegen.logical_or(b, x, y, pos) end
  local zero, one, whole = codegen.constant(0), codegen.constant(1), codegen.constant(n)
  local is_whole = conjunction(apply("==", first, zero), apply("==", count, whole))
  local is_row = disjunction(is_whole, apply("==", length, one))
  local is_none = disjunction(apply("<=", count, zero), apply("==", length, zero))
  local sound = disjunction(is_row, is_none)
  local in_bounds = disjunction(is_none, conjunction(apply(">=", first, zero),
    apply("<=", apply("+", first, count), whole)))
  codegen.emit_check(b, in_bounds, 0, pos)
  codegen.emit_check(b, sound, n, pos)
  local flat = apply("*", length, count)
  if not count.const then
    -- A negative count stays negative, whatever the number of rows, so that the core reports it.
    flat = codegen.select(b, apply("<", count, zero), count, flat, pos)
  end
  return apply("+", apply("*", start, whole), first), flat
end

-- Returns start and length in rows of a typed section without the levels of pointers that follow. offset: offset of a
-- Fortran component in its element, unused in C.
function section_subscripts.first_section(b, env, typed, offset)
  if typed.ranges then return fortran_component.array_part(b, env, typed, offset) end
  local start, length = section_subscripts.bounds(b, env, typed.dimensions[1])
  local inner, row = {}, typed.type.of or typed.type.to
  for i = 2, #typed.dimensions do
    local first, count = section_subscripts.bounds(b, env, typed.dimensions[i])
    inner[i - 1] = { first = first, count = count }
  end
  for i = 1, typed.merged do
    start, length = inner_dimension(b, row, start, length, typed.dimensions[i + 1], inner[i].first, inner[i].count)
    row = row.of
  end
  return start, length
end

return section_subscripts
