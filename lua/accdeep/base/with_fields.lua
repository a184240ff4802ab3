-- with_fields.lua - runs a function while fields of an object have other values: with_fields(object, values, fn, ...).
-- Returns the results of fn(...). The fields are then restored, even if fn raises; its error propagates.

local function put_back(object, before, ok, ...)
  for name, value in next, before do object[name] = value end
  if not ok then error((...), 0) end
  return ...
end

return function(object, values, fn, ...)
  local before = {}
  for name, value in next, values do before[name], object[name] = object[name], value end
  return put_back(object, before, pcall(fn, ...))
end
