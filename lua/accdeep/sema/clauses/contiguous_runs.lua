-- contiguous_runs.lua - splits the section of an update into contiguous runs: parts without gaps, each the AST of a
-- section or element. The analysis of OpenACC and the lowering of OpenMP pass the AST of a list item and receive a list
-- of ASTs.
--
-- Invariant: the runs have the order of their addresses, and together are the section.
--
-- A subscript is {index} for an element, or {start, length, stride} with ASTs, each of which may be nil.

local advice = require "accdeep.base.lazy".require "accdeep.syntax.advice"
local diagnostic = require "accdeep.base.diagnostic"
local list_item = require "accdeep.sema.c.list_item"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise

local contiguous_runs = { MOST = 1 << 16 } -- limit on the runs of one section

-- Returns first, count and stride of a subscript; count is nil if unknown. n: elements of the array, nil for a pointer.
-- Raises if the stride is not positive.
local function range_of(session, subscript, n)
  local function value(node) return session.language.integer(session, node) end
  if subscript.index then return value(subscript.index), 1, 1 end
  local first = subscript.start and value(subscript.start) or 0
  local stride = subscript.stride and value(subscript.stride) or 1
  if stride < 1 then
    raise("invalid-section", subscript.stride.pos, ("a stride is positive, not %d"):format(stride),
      { rule = "OMP60-sec-1" })
  end
  return first, subscript.length and value(subscript.length) or n and (n - first + stride - 1) // stride, stride
end

-- Raises, citing `rule`, if `count` elements from `first` with this stride are not inside an array of `n` elements.
local function require_inside(subscript, first, count, stride, n, rule)
  if first >= 0 and (count == 0 and first or first + (count - 1) * stride + 1) <= n then return end
  local stride_text = stride ~= 1 and (":%d"):format(stride) or ""
  raise("out-of-bounds", subscript.pos, ("the section [%d:%d%s] is outside the array of %s"):format(first, count,
    stride_text, strings.count(n, "element")), { rule = rule,
    help = stride_text == "" and advice.section(first, count, n) or nil })
end

-- True if the section `node` has a stride in any dimension.
local function has_stride(node)
  while node.tag == "section" or node.tag == "index" do
    if node.stride then return true end
    node = node.base
  end
  return false
end

-- Returns a copy of the section `node` without strides.
local function strip_strides(node)
  local copy = {}
  for key, value in pairs(node) do
    if key ~= "stride" then copy[key] = key == "base" and strip_strides(value) or value end
  end
  return copy
end

-- Returns a section as a single run, without strides that have no effect. Other list items are returned unchanged.
-- Raises if a stride leaves gaps. If there are strides, the directive becomes single_use, because their values are
-- checked now. Decides OMP60-map-13.
function contiguous_runs.as_single_run(directive, node)
  if not has_stride(node) then return node end
  local base, subscripts = list_item.split_designator(node)
  local t = list_item.type_of(directive.session, base)
  for _, subscript in ipairs(subscripts) do
    local _, count, stride = range_of(directive.session, subscript, t and t.n)
    if stride > 1 and count ~= 1 then
      raise("invalid-section", subscript.stride.pos, "the section is not contiguous: it has a stride",
        { rule = "OMP60-map-13", help = "target update takes strides" })
    end
    t = t and types.element(t)
  end
  directive.single_use = true
  return strip_strides(node)
end

-- Returns the contiguous runs of a section as a list of ASTs; other list items as a list of one. A section with a
-- stride, or with only a part of an inner dimension, has several runs (OMP60-upd-1, ACC33-upd-2). rule: the rule to
-- cite if the section is outside of its array. Raises in that case, and if there are more than MOST runs. Decides
-- ACC33-upd-2.
function contiguous_runs.contiguous(directive, node, rule)
  local session = directive.session
  local base, subscripts = list_item.split_designator(node)
  if not subscripts then return { node } end
  local t, last, arrays = list_item.type_of(session, base), nil, {}
  for i, subscript in ipairs(subscripts) do
    arrays[i], t = t, t and types.element(t)
    if subscript.tag == "alias" or i > 1 and (not arrays[i] or arrays[i].kind ~= "array") then return { node } end
    if i > 1 or subscript.stride then
      local first, count, stride = range_of(session, subscript, arrays[i] and arrays[i].n)
      if stride > 1 and count ~= 1 then
        last = i + 1
      elseif i > 1 and (first ~= 0 or count ~= arrays[i].n) then
        last = i
      end
    end
  end
  if not last then return { contiguous_runs.as_single_run(directive, node) } end
  directive.single_use = true
  local list = {}
  -- Appends runs of the section to `list`. at: AST of the base, with an index in place of each subscript before
  -- subscript number `i`.
  local function each(i, at)
    if i == last then
      for k = i, #subscripts do -- the remaining subscripts are copied unchanged
        local rest = { base = at }
        for key, value in pairs(subscripts[k]) do if key ~= "base" and key ~= "stride" then rest[key] = value end end
        at = rest
      end
      list[#list + 1] = at
      if #list > contiguous_runs.MOST then
        raise("limit", node.pos, ("the section has more than %d pieces"):format(contiguous_runs.MOST),
          { rule = "HOUSE-limit" })
      end
      return
    end
    local subscript, n = subscripts[i], arrays[i].n
    local first, count, stride = range_of(session, subscript, n)
    if not count or count < 0 then
      list[#list + 1] = strip_strides(node) -- the lowering of the section reports the error
      return
    end
    if n then require_inside(subscript, first, count, stride, n, rule) end
    for index = first, first + (count - 1) * stride, stride do
      each(i + 1, list_item.element(at, list_item.number(index, subscript.pos), subscript.pos))
    end
  end
  each(1, base)
  return list
end

-- Returns the list items of an update with each section split into its contiguous runs, as a list of ASTs. Raises for
-- errors of a section.
function contiguous_runs.split_update(directive, vars)
  local list = {}
  for _, variable in ipairs(vars) do
    local runs = contiguous_runs.contiguous(directive, variable, "ACC33-2.7.1-1")
    table.move(runs, 1, #runs, #list + 1, list)
  end
  return list
end

return contiguous_runs
