-- absent_alias.lua - what is absent where an alias cannot be translated: q[@I.start] asks for I.start, not for q (TR14
-- 3.5).

local nest = require "accdeep.lowering.nest"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local absent_alias = {}

-- The entry of the member at the end of a path of member names; nil if the treatment has none.
local function entry_at(session, member_mapping, path)
  local found
  for name in path:gmatch "[%a_][%w_]*" do
    if found then
      local inside = types.is_record(types.innermost(found.member.type))
      member_mapping = inside and nest.inner(session, member_mapping, found)
      found = nil
    end
    for _, entry in ipairs(member_mapping and nest.entries(session, member_mapping) or {}) do
      if entry.member.name == name then found = entry end
    end
    if not found then return nil end
  end
  return found
end

-- The base of the alias that an item asks for under a name, as a text; nil if it has none.
function absent_alias.base(session, item, name)
  if item.alias or not item.member_mapping or not item.name then return item.alias end
  local start = "^" .. item.name:gsub("%p", "%%%0"):gsub("%%#", "%%-?%%d+")
  local _, last = name:find(start)
  local entry = last and entry_at(session, item.member_mapping, name:sub(last + 1):gsub("%b[]", ""):gsub("%b()", ""))
  local to = entry and nest.is_alias(entry) and entry.subscripts[#entry.subscripts].to
  if not to then return nil end
  local beside = to.tag == "id" and not to.global and not entry.outer
  return beside and name:gsub("[%a_][%w_]*$", "") .. to.name or unparse.expression(to)
end

return absent_alias
