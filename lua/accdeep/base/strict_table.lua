-- strict_table.lua - record(what, fields): a table that has the fields it begins with; reading or setting another one
-- is an error, which says what the table is.

local function refuse(what)
  return function(_, name) error(("%s has no field '%s'"):format(what, tostring(name)), 2) end
end

return function(what, fields)
  return setmetatable(fields, { __index = refuse(what), __newindex = refuse(what) })
end
