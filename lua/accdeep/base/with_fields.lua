-- with_fields.lua - with(object, values, fn, ...) runs fn(...) while fields of an object have other values. Whatever
-- happens, the fields then have the values of before; an error of fn propagates.

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
