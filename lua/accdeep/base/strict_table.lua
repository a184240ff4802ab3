-- strict_table.lua - strict_table(what, fields): returns the table `fields`, made strict: reading or setting a field
-- that it does not have raises an error that names `what`.

-- Returns a metamethod that raises an error about an unknown field of `what`.
local function refuse(what)
  return function(_, name) error(("%s has no field '%s'"):format(what, tostring(name)), 2) end
end

return function(what, fields)
  return setmetatable(fields, { __index = refuse(what), __newindex = refuse(what) })
end
