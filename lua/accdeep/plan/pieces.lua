-- pieces.lua - sections of update that are not in one piece of memory, as several that are.

local diagnostic = require "accdeep.base.diagnostic"
local list_item = require "accdeep.shape.list_item"
local types = require "accdeep.types"

local raise = diagnostic.raise

local pieces = { MOST = 1 << 16 } -- so many, at most

-- A subscript as {first, count} of an array's n elements.
local function range_of(session, subscript, n)
  local function value(node) return session.language.integer(session, node) end
  if subscript.index then return value(subscript.index), 1 end
  local first = subscript.start and value(subscript.start) or 0
  return first, subscript.length and value(subscript.length) or n and n - first
end

-- A section of update whose inner dimensions are not whole, as those that are in one piece (OMP60-upd-1, ACC33-upd-2).
-- rule: of sections outside of their array.
-- Decides ACC33-upd-2.
function pieces.contiguous(plan, node, rule)
  local session = plan.session
  local base, subscripts = list_item.take_apart(node)
  if not subscripts or #subscripts < 2 then return { node } end
  local t, last, arrays = list_item.type_of(session, base), nil, {}
  for i, subscript in ipairs(subscripts) do
    arrays[i], t = t, t and types.element(t)
    if subscript.tag == "alias" or i > 1 and (not arrays[i] or arrays[i].kind ~= "array") then return { node } end
    local first, count = range_of(session, subscript, arrays[i].n)
    if i > 1 and (first ~= 0 or count ~= arrays[i].n) then last = i end
  end
  if not last then return { node } end
  plan.once = true
  local list = {}
  local function each(i, at)
    if i == last then
      for k = i, #subscripts do -- the rest as it stands
        local rest = { base = at }
        for key, value in pairs(subscripts[k]) do if key ~= "base" then rest[key] = value end end
        at = rest
      end
      list[#list + 1] = at
      if #list > pieces.MOST then
        raise("limit", node.pos, ("the section has more than %d pieces"):format(pieces.MOST), { rule = "HOUSE-limit" })
      end
      return
    end
    local pos, n = subscripts[i].pos, arrays[i].n
    local first, count = range_of(session, subscripts[i], n)
    if not count or count < 0 then
      list[#list + 1] = node -- reported where it is lowered
      return
    elseif n and (first < 0 or first + count > n) then
      raise("out-of-bounds", pos, ("the section [%d:%d] is outside the array of %d elements"):format(first, count, n),
        { rule = rule })
    end
    for index = first, first + count - 1 do each(i + 1, list_item.element(at, list_item.number(index, pos), pos)) end
  end
  each(1, base)
  return list
end

return pieces
