-- strict_table.lua - strict_table(name, fields): returns the table `fields`, made strict: reading or setting a field
-- that it does not have raises an error that names the table by `name`.

-- Returns a metamethod (__index or __newindex) that raises a Lua error about an unknown field of the table called
-- `name`.
local function refuse(name)
  return function(_, field) error(("%s has no field '%s'"):format(name, tostring(field)), 2) end
end

-- Returns `fields`, whose metatable is replaced. Fields that it has now can be read and set as before.
return function(name, fields)
  return setmetatable(fields, { __index = refuse(name), __newindex = refuse(name) })
end
