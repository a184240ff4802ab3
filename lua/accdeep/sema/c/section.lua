-- section.lua - semantic analysis of sections: from subscripts to typed sections, which section_subscripts.lua and
-- mapping_compiler.lua lower to code. Bounds are in elements.
--
-- Input: the type of an array or pointer, ASTs of its subscripts, and the environment of their bounds (symbols.lua).
-- Output: a typed section. Invariant: nothing that its types or constants show to be wrong is left for the lowering.
--
--   typed subscript {tag, pos, start?, length?, n?, to?, base?}: the typed form of one subscript.
--     tag            "index", "section" or "alias". An index is a section of one element.
--     start, length  typed integers; start nil: 0, length nil: the rest of the array's n elements.
--     to, base       of an alias p[@base]: the AST of its base, and the base as a typed value.
--   typed section {pos, type, dimensions, merged, row, element, times, start, length, levels?}
--     type           of the array or pointer.
--     dimensions     typed subscripts of the first dimension and of the arrays inside.
--     merged         number of inner dimensions that are combined with the first one; the others are whole.
--     row            type of an element after the combination; element: innermost type; times: elements in a row.
--     start, length  start and length in rows, if they are constant.
--     levels         pointers that follow, outermost first: {subscript, own, scope, element}. own: true if the bounds
--                    are computed in the level's own program; scope: the level as an element of symbols.lua.
--     ranges         of a Fortran component, in place of dimensions: typed range of each (analyse_ranges).

local advice = require "accdeep.base.lazy".require "accdeep.syntax.advice"
local arithmetic = require "accdeep.types.arithmetic"
local ast = require "accdeep.base.ast"
local c_sema = require "accdeep.sema.c.c_sema"
local diagnostic = require "accdeep.base.diagnostic"
local scoped_names = require "accdeep.types.scoped_names"
local typed_ast = require "accdeep.sema.c.typed_ast"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise
local LONG = types.scalars.long

local section = {}

-- Returns a true value if a node is the number 1; node may be nil.
local function is_one(node) return node and node.tag == "num" and node.value == 1 end

-- Raises if a section has a stride other than 1 and more than one element, or no length although its base is a pointer.
-- n: number of elements of the array, nil or false for a pointer. Sections with strides in updates never get here,
-- because sema/clauses/contiguous_runs.lua splits them into contiguous ones. Decides ACC33-2.7.1-1, OMP60-map-13.
function section.check_form(subscript, n)
  if subscript.stride and not is_one(subscript.stride) and not is_one(subscript.length) then
    raise("invalid-section", subscript.stride.pos, "the section is not contiguous: it has a stride",
      { rule = "OMP60-map-13", help = "target update takes strides" })
  elseif not subscript.length and not n then
    raise("invalid-section", subscript.pos, "the section of a pointer needs a length",
      { rule = "ACC33-2.7.1-1", help = "write [start:length]" })
  end
end

-- ------------------------------------------------------------------------------------- constants --

local SMALL = 1 << 31

-- Returns x `operator` y for bounds, if both are small constants; nil otherwise. A bound that is not constant is nil.
local function fold(operator, x, y)
  if not x or not y or x >= SMALL or x <= -SMALL or y >= SMALL or y <= -SMALL then return nil end
  return arithmetic.fold(operator, LONG, x, y)
end

-- Return the conjunction and the disjunction of two conditions, each 0, 1 or nil (not constant).
local function conjunction(x, y)
  if x then return x == 0 and 0 or y end
  return y == 0 and 0 or nil
end
local function disjunction(x, y)
  if x then return x ~= 0 and x or y end
  return y ~= 0 and y or nil
end

-- Returns start and length of a typed subscript, if they are constant; nil otherwise.
local function constants(subscript)
  local start, length = subscript.start, subscript.length
  start = start and start.const or not start and 0 or nil
  return start, length and length.const or not length and fold("-", subscript.n, start) or nil
end

-- Returns constant start and length of a section after one more dimension was added to it; nil for those that are not
-- constant. row: array type of one row; start, length: rows in the outer dimension. The section must be contiguous: any
-- part of one row, or all of several rows. Raises if constants show that it is not, or that it is outside of a row.
local function add_dimension(row, start, length, subscript)
  local pos, n = subscript.pos, row.n
  local first, count = constants(subscript)
  local is_whole = conjunction(fold("==", first, 0), fold("==", count, n))
  local is_row = disjunction(is_whole, fold("==", length, 1))
  local is_none = disjunction(fold("<=", count, 0), fold("==", length, 0))
  if disjunction(is_row, is_none) == 0 then
    raise("invalid-section", pos, "the section is not contiguous",
      { rule = "ACC33-2.7.1-4", help = ("take all of the inner dimension: %s"):format(strings.count(n, "element")) })
  end
  local in_row = conjunction(fold("<=", 0, first), fold("<=", fold("+", first, count), n))
  if disjunction(is_none, in_row) == 0 then
    raise("out-of-bounds", pos, ("the section [%d:%d] is outside the array of %s"):format(first, count,
      strings.count(n, "element")),
      { rule = "ACC33-2.7.1-1", help = advice.section(first, count, n) })
  end
  return fold("+", fold("*", start, n), first), fold("*", length, count)
end

-- ------------------------------------------------------------------------------------ subscripts --

-- Returns a subscript as a typed subscript. array: type of the array to which it applies, nil for a pointer. Raises for
-- a wrong form, and for bounds that are not integers. Decides TR14-2.1-01, TR14-2.3-03, TR14-3.1.1-21, TR14-A.1-06,
-- TR14-A.1-07.
local function analyse_subscript(env, subscript, array)
  local typed = { tag = subscript.tag, pos = subscript.pos, n = array and array.n }
  if subscript.tag == "index" then
    typed.start, typed.length = c_sema.integer(env, subscript.index), typed_ast.constant(LONG, 1)
  else
    section.check_form(subscript, typed.n)
    typed.start = subscript.start and c_sema.integer(env, subscript.start)
    typed.length = subscript.length and c_sema.integer(env, subscript.length)
  end
  return typed
end

-- Returns the alias `subscript`, [@] or [@base], as a typed subscript. Raises if the base is no value.
local function analyse_alias(env, subscript)
  local to = subscript.to
  return { tag = "alias", pos = subscript.pos, to = to, base = to and c_sema.value(env, to) or nil }
end

-- Returns a typed alias; raises if its base is not a pointer. Decides TR14-3.5-01.
local function check_alias(alias)
  if alias.base and alias.base.type.kind ~= "pointer" then
    raise("not-a-pointer", alias.to.pos, ("the base of '@' is a pointer, this is %s"):format(
      types.name(alias.base.type)), { rule = "TR14-3.5-01" })
  end
  return alias
end

-- Returns the alias `subscript`, [@] or [@base], as a typed subscript. Raises if the base is not a pointer.
function section.alias(env, subscript) return check_alias(analyse_alias(env, subscript)) end

-- Returns the section of an alias's base as {subscript, unit}: its typed subscript, and the bytes of an element. t:
-- type of the base, a pointer or array. Raises for errors of the bounds.
function section.target(env, subscript, t)
  return { subscript = analyse_subscript(env, subscript), unit = types.element(t).size }
end

-- Returns true if a subscript uses the row number of its pointer (`#`), so that its bounds differ between pointers.
-- node: AST of the subscript; any other value gives false. Decides TR14-5-06.
local function is_ragged(node)
  if type(node) ~= "table" then return false end
  if node.tag == "row" then return true end
  for key, child in ast.children(node) do
    if key ~= "base" and is_ragged(child) then return true end
  end
  return node.tag ~= "section" and node.tag ~= "alias" and is_ragged(node.base)
end

-- Returns the innermost type of a section's element, and the number of such objects in one element. The third result is
-- true if the next subscript follows a pointer. next_subscript: AST of the subscript after the section, or nil. Raises
-- if the element's type has no size, or if a subscript is left that it cannot have. Decides TR14-3.1.1-22,
-- TR14-3.2.2-07.
local function innermost_element(element, pos, next_subscript)
  if element.kind == "void" or element.kind == "function" or (element.kind == "record" and not element.complete) then
    scoped_names.no_size(element, pos)
  end
  if element.kind == "pointer" and next_subscript then return element, 1, true end
  local times = 1
  if element.kind == "array" then
    while element.kind == "array" do times, element = times * element.n, element.of end
  elseif next_subscript then
    raise("not-a-pointer", next_subscript.pos, ("%s has no elements"):format(types.name(element)),
      { rule = "TR14-3.1.1-22" })
  end
  return element, times, false
end

-- Returns the levels of pointers that the subscripts from number `from` on follow. t: type of the first pointers. out:
-- the element whose code computes the bounds; nil: each level computes its own. Raises for rows of several elements.
-- Decides TR14-3.5-07, TR14-3.5-08, TR14-3.5-09, ACC33-2.7.1-3.
local function pointer_levels(env, out, t, subscripts, from)
  local session, levels, enclosing = env.session, {}, out
  for i = from, #subscripts do
    local subscript, level = subscripts[i], { own = out == nil or is_ragged(subscripts[i]) }
    levels[#levels + 1] = level
    if not level.own then
      local is_alias = subscript.tag == "alias"
      level.subscript = (is_alias and analyse_alias or analyse_subscript)(env, subscript)
    end
  end
  for number, level in ipairs(levels) do
    local subscript = subscripts[from + number - 1]
    local scope = { enclosing = enclosing }
    level.scope, enclosing = scope, scope
    scope.ctx = { session = session, out = scope, row = number == 1 and session.rules.extended or nil }
    if subscript.tag == "alias" then
      level.subscript = check_alias(level.subscript or analyse_alias(scope.ctx, subscript))
      return levels
    end
    local element, times, more = innermost_element(t.to, subscript.pos, subscripts[from + number])
    if times > 1 then raise("unsupported", subscript.pos, "pointers to rows that are reached through pointers") end
    level.subscript = level.subscript or analyse_subscript(scope.ctx, subscript)
    level.element, t = element, element
    if not more then return levels end
  end
  return levels
end

-- ------------------------------------------------------------------------------------- components --

-- Operators that a bound may have, unary or binary; C and Fortran write them alike.
local same = { ["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true }

-- Returns the AST of a Fortran bound as a C expression. Raises if the bound is not made of integers, names and
-- components by the operators + - * /.
local function c_bound(node)
  local c_node = { tag = node.tag, pos = node.pos, name = node.name, name_pos = node.name_pos, op = node.op,
    mapped = node.mapped, global = node.global }
  if node.tag == "num" and node.class == "integer" then
    c_node.value, c_node.type = node.value, "long"
  elseif node.tag == "component" then
    c_node.tag, c_node.base = "member", c_bound(node.base)
  elseif node.tag == "unary" and same[node.op] then
    c_node.e = c_bound(node.e)
  elseif node.tag == "binary" and same[node.op] then
    c_node.a, c_node.b = c_bound(node.a), c_bound(node.b)
  elseif node.tag ~= "id" then
    raise("unsupported", node.pos, "bounds of components are sums and products of integers", { rule = "TR14-3.1.1-21" })
  end
  return c_node
end

-- Raises if constants show that a part of a component is not contiguous. It must be whole dimensions, one range, then
-- single elements. t: type of the component; ranges: its typed ranges. Decides ACC33-2.7.1-4.
local function check_contiguous(t, ranges)
  local last_range, is_whole_row = 0, 1
  for i, range in ipairs(ranges) do last_range = range.is_range and i or last_range end
  for i, range in ipairs(ranges) do
    local bounds = t.bounds and t.bounds[i] or {}
    local from, last, elements = bounds.lower, fold("-", fold("+", bounds.lower, bounds.extent), 1), 1
    if range.first then from = range.first.const end
    if range.last then last = range.last.const end
    local is_whole = range.is_range and not range.first and not range.last
    if is_whole then elements = bounds.extent elseif range.is_range then
      elements = fold("+", fold("-", last, from), 1)
    end
    if range.step or range.is_range and disjunction(is_whole_row, fold("==", elements, 1)) == 0 then
      raise("invalid-section", range.pos, "the section is not contiguous", { rule = "ACC33-2.7.1-4",
        help = "take whole leading dimensions, without a step" })
    end
    -- Dimensions after the last range select single elements.
    if i < last_range and not is_whole then
      is_whole_row = conjunction(is_whole_row, conjunction(fold("==", from, bounds.lower),
        fold("==", elements, bounds.extent)))
    end
  end
end

-- Returns the typed ranges of a part like (2:n, 3) of a component of type t: {pos, is_range, first?, last?, step?}.
-- Raises if the component is polymorphic or of another rank, or if constants show that the part is not contiguous.
local function analyse_ranges(env, t, subscript)
  local pos, ranges = subscript.pos, {}
  local rank = t.bounds and #t.bounds or t.rank
  if t.polymorphic then raise("unsupported", pos, "a part of a polymorphic component cannot be named here") end
  if #subscript.ranges ~= rank then
    raise("type-mismatch", pos, ("the component has %s, not %d"):format(strings.count(rank, "dimension"),
      #subscript.ranges), { rule = "TR14-3.1.1-22" })
  end
  for i, range in ipairs(subscript.ranges) do
    local is_range = range.tag == "range"
    local first, last = range, nil
    if is_range then first, last = range.first, range.last end
    ranges[i] = { pos = range.pos, is_range = is_range, step = is_range and range.step or nil,
      first = first and c_sema.integer(env, c_bound(first)), last = last and c_sema.integer(env, c_bound(last)) }
  end
  check_contiguous(t, ranges)
  return ranges
end

-- --------------------------------------------------------------------------------------- sections --

-- Returns the typed section that the subscripts select in an array, pointer or component of type t. Precondition: the
-- first subscript is no alias. env: environment of the bounds; out: the element that contains the array or pointer, nil
-- for the host program. Raises if the section is invalid. Decides ACC33-2.7.1-4.
function section.analyse(env, out, t, subscripts)
  local first = subscripts[1]
  local typed = { pos = first.pos, type = t, merged = 0, row = types.element(t) }
  local number = 2 -- number of the next subscript
  if first.ranges then
    typed.ranges = analyse_ranges(env, t, first)
  else
    typed.dimensions = { analyse_subscript(env, first, t.kind == "array" and t) }
    local start, length = constants(typed.dimensions[1])
    local at = typed.row
    while at.kind == "array" and subscripts[number] and subscripts[number].tag ~= "alias" do
      typed.dimensions[number] = analyse_subscript(env, subscripts[number], at)
      at, number = at.of, number + 1
    end
    -- Trailing dimensions that are whole remain a part of the row, if there may be several rows.
    local last = #typed.dimensions - 1
    while last > 0 and not subscripts[number] do
      local from, count = constants(typed.dimensions[last + 1])
      if from ~= 0 or count ~= typed.dimensions[last + 1].n then break end
      last = last - 1
    end
    for i = 1, #typed.dimensions - 1 do
      if i > last and length ~= 1 then break end
      start, length = add_dimension(typed.row, start, length, typed.dimensions[i + 1])
      typed.row, typed.merged = typed.row.of, i
    end
    typed.start, typed.length = start, length
  end
  local follows
  typed.element, typed.times, follows = innermost_element(typed.row, subscripts[typed.merged + 1].pos,
    subscripts[typed.merged + 2])
  if follows then typed.levels = pointer_levels(env, out, typed.element, subscripts, typed.merged + 2) end
  return typed
end

return section
