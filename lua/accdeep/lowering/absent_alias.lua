-- absent_alias.lua - finds the base of an alias, for reports of absent data. An alias is a pointer member that is
-- translated, although the shape does not map its target. The pointer q of the alias q[@I.start] cannot be translated
-- if I.start is not present; q itself need not be present (TR14 3.5). run/core_error.lua calls this file.

local nest = require "accdeep.sema.members.nest"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local absent_alias = {}

-- Returns the entry of the member mapping for the member at the end of `path`, text of member names such as "a.b"; nil
-- if there is no such entry.
local function entry_at(session, member_mapping, path)
  local match
  for name in path:gmatch "[%a_][%w_]*" do
    if match then
      local inside = types.is_record(types.innermost(match.member.type))
      member_mapping = inside and nest.inner(session, member_mapping, match)
      match = nil
    end
    for _, entry in ipairs(member_mapping and nest.entries(session, member_mapping) or {}) do
      if entry.member.name == name then match = entry end
    end
    if not match then return nil end
  end
  return match
end

-- Returns the base of the alias called `name` in an item, as text; nil if `name` is not an alias. item: item of a plan;
-- name: full name of the absent datum in the core's error, such as "I.q".
function absent_alias.base(session, item, name)
  if item.alias or not item.member_mapping or not item.name then return item.alias end
  local start = "^" .. item.name:gsub("%p", "%%%0"):gsub("%%#", "%%-?%%d+")
  local _, last = name:find(start)
  local entry = last and entry_at(session, item.member_mapping, name:sub(last + 1):gsub("%b[]", ""):gsub("%b()", ""))
  local to = entry and nest.is_alias(entry) and entry.subscripts[#entry.subscripts].to
  if not to then return nil end
  local is_sibling = to.tag == "id" and not to.global and not entry.outer
  return is_sibling and name:gsub("[%a_][%w_]*$", "") .. to.name or unparse.expression(to)
end

return absent_alias
