-- with_fields.lua - runs fn(...) while fields of an object have other values: with_fields(object, values, fn, ...).
-- values: name -> value. Returns the results of fn; the fields are then restored, even if fn raises, and its error
-- propagates.

-- Restores the fields `before` of an object; then returns the results of a pcall, or raises its error.
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
