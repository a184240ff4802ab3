-- section_subscripts.lua - emits the code of a section's subscripts: start and length as values of codegen, and the
-- type of its elements. c_items.lua and mapping_compiler.lua call it.
--
-- Input: subscripts and the type that they apply to. Output: registers or constants with start and length of a section,
-- and the type of its elements.
--
-- Parameters: `b` is the code builder and `ctx` the environment of bounds (codegen.lua). A subscript is an AST:
-- an index [i], a section [start:length] or, in Fortran, (ranges). Its field `start` is nil for 0, `length` nil for the
-- rest of the array.

local lazy = require "accdeep.base.lazy"
local advice = require "accdeep.syntax.advice"
local codegen = require "accdeep.lowering.codegen"
local fortran_component = lazy.require "accdeep.lowering.fortran_component"
local diagnostic = require "accdeep.base.diagnostic"
local list_item = require "accdeep.sema.c.list_item"
local scoped_names = require "accdeep.types.scoped_names"
local types = require "accdeep.types"

local raise = diagnostic.raise

local section_subscripts = {}

-- Returns start and length of a subscript as values of codegen; an index is a section of one element. array_type: the
-- array to which the subscript applies, or a table without `n` for a pointer. Raises as list_item.check_section does,
-- and for bounds that are not integers. Decides TR14-2.1-01, TR14-2.3-03, TR14-3.1.1-21, TR14-A.1-06, TR14-A.1-07.
function section_subscripts.bounds(b, ctx, subscript, array_type)
  if subscript.tag == "index" then
    return codegen.integer(b, ctx, subscript.index), codegen.constant(1)
  end
  list_item.check_section(subscript, array_type.n)
  local start = subscript.start and codegen.integer(b, ctx, subscript.start) or codegen.constant(0)
  if subscript.length then return start, codegen.integer(b, ctx, subscript.length) end
  return start, codegen.apply(b, "-", codegen.constant(array_type.n), start, subscript.pos)
end

-- Returns start and length of a section after one more dimension was added to it. Both results count elements of a row;
-- `row` is the array type of one row. start, length: rows in the outer dimension; first, count: elements in each row;
-- subscript: for the position of errors. start, length, first and count are values of codegen.
--
-- The section must be contiguous: any part of one row, or all of several rows. Raises if constants show that the
-- section is not contiguous, or is outside of a row. Emitted code checks bounds that are not constant when the program
-- runs.
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
  if sound.const == 0 then
    raise("invalid-section", pos, "the section is not contiguous",
      { rule = "ACC33-2.7.1-4", help = ("take all %d elements of the inner dimension"):format(n) })
  end
  local in_bounds = disjunction(is_none, conjunction(apply(">=", first, zero),
    apply("<=", apply("+", first, count), whole)))
  if in_bounds.const == 0 then
    raise("out-of-bounds", pos, ("the section [%d:%d] is outside the array of %d elements"):format(first.const,
      count.const, n), { rule = "ACC33-2.7.1-1", help = advice.section(first.const, count.const, n) })
  end
  codegen.emit_check(b, in_bounds, 0, pos)
  codegen.emit_check(b, sound, n, pos)
  local flat = apply("*", length, count)
  if not count.const then
    -- A negative count stays negative, whatever the number of rows, so that the core reports it.
    flat = codegen.select(b, apply("<", count, zero), count, flat, pos)
  end
  return apply("+", apply("*", start, whole), first), flat
end

-- Returns the element type, start and length of the section that the first subscripts select in an array or pointer of
-- type t. The type of an element may be an array. The fourth result is the list of remaining subscripts, which begins
-- with the last one that was used. offset: offset of a Fortran component in the element, unused in C.
--
-- Sections of inner dimensions are combined with the first one. Trailing dimensions that are whole remain a part of the
-- element type if there may be several rows. Raises if the section is invalid. Decides ACC33-2.7.1-4.
function section_subscripts.first_section(b, ctx, t, subscripts, offset)
  local element, rest = types.element(t), subscripts
  if rest[1].ranges then
    local start, length = fortran_component.array_part(b, ctx, t, offset, rest[1])
    return element, start, length, rest
  end
  local start, length = section_subscripts.bounds(b, ctx, rest[1], t.kind == "array" and t or {})
  local inner = {}
  local at, number = element, 2
  while at.kind == "array" and rest[number] and rest[number].tag ~= "alias" do
    local first, count = section_subscripts.bounds(b, ctx, rest[number], at)
    inner[#inner + 1] = { first = first, count = count, row = at, subscript = rest[number] }
    at, number = at.of, number + 1
  end
  -- The inner dimensions after number `last` are taken as a whole.
  local last = #inner
  while last > 0 and inner[last].first.const == 0 and inner[last].count.const == inner[last].row.n
    and not rest[number] do
    last = last - 1
  end
  for i, dimension in ipairs(inner) do
    if i > last and length.const ~= 1 then break end
    start, length = inner_dimension(b, dimension.row, start, length, dimension.subscript, dimension.first,
      dimension.count)
    element, rest = element.of, table.move(rest, 2, #rest, 1, {})
  end
  return element, start, length, rest
end

-- Returns the innermost type of a section's element, and the number of such objects in one element. The third result is
-- the index in `subscripts` of the first subscript that follows a pointer; nil if no subscript does. subscripts: as
-- first_section returns them. Raises if the element's type has no size, or if a subscript is left that it cannot have.
-- Decides TR14-3.1.1-22, TR14-3.2.2-07.
function section_subscripts.elements(element, subscripts)
  if element.kind == "void" or element.kind == "function" or (element.kind == "record" and not element.complete) then
    scoped_names.no_size(element, subscripts[1].pos)
  end
  if element.kind == "pointer" and #subscripts > 1 then return element, 1, 2 end
  local times = 1
  if element.kind == "array" then
    while element.kind == "array" do times, element = times * element.n, element.of end
    return element, times, nil
  end
  if #subscripts > 1 then
    raise("not-a-pointer", subscripts[2].pos, ("%s has no elements"):format(types.name(element)),
      { rule = "TR14-3.1.1-22" })
  end
  return element, 1, nil
end

return section_subscripts
