-- lvalue_text.lua - names the part of an object at an offset as a C expression.

local types = require "accdeep.types"

local lvalue_text = {}

-- Returns true if an object of type `t` fits the wanted type `to`. `to`: a type, the code of a scalar (core.scalar),
-- "pointer" for any pointer, or void for any type except arrays.
local function fits(t, to)
  if to == "pointer" then return t.kind == "pointer" end
  if type(to) == "number" then return t.kind == "scalar" and t.code == to end
  return types.same(t, to) or to.kind == "void" and t.kind ~= "array"
end

-- Returns the l-value of the requested type `to` (see fits) at `offset` in the object `text` of type `t`. Returns nil
-- if no member or element there has that type, as in padding.
function lvalue_text.find(t, text, offset, to)
  if offset == 0 and fits(t, to) then return text end
  if t.kind == "array" and t.of.size > 0 then
    local i = offset // t.of.size
    -- A pointer may point past the end of an array: name the element there, which is never read.
    if i == t.n and offset == t.size then return ("%s[%d]"):format(text, i) end
    if i >= t.n then return nil end
    return lvalue_text.find(t.of, ("%s[%d]"):format(text, i), offset - i * t.of.size, to)
  elseif t.kind == "record" then
    for _, member in ipairs(t.members) do
      if offset >= member.offset and offset < member.offset + member.type.size then
        local inner = member.name and text .. "." .. member.name or text
        local inner_lvalue = lvalue_text.find(member.type, inner, offset - member.offset, to)
        if inner_lvalue then return inner_lvalue end
      end
    end
  end
  return nil
end

-- Returns the value at `offset` in the object `text` of type `t`, as an integer: a scalar of the type `code`
-- (core.scalar), or a pointer. Returns nil if no member or element there has that type.
function lvalue_text.value(t, text, offset, code)
  local value = lvalue_text.find(t, text, offset, code)
  if value then return value end
  value = lvalue_text.find(t, text, offset, "pointer")
  return value and "(long)" .. value
end

return lvalue_text
