-- with_fields.lua - runs fn(...) while fields of an object have other values: with_fields(object, values, fn, ...).
-- values: name -> value. Returns the results of fn; the fields are then restored. If fn raises, the fields are restored
-- and the error is raised again.

-- Restores the fields of `object` that `values` names, from `before` (name -> value). ok, ...: results of a pcall.
-- Returns the results after `ok`, or raises the error of the pcall.
local function put_back(object, values, before, ok, ...)
  for name in next, values do object[name] = before[name] end
  if not ok then error((...), 0) end
  return ...
end

-- Returns fn(...), called while the fields `values` of `object` are set; see the head of this file.
return function(object, values, fn, ...)
  local before = {}
  for name, value in next, values do before[name], object[name] = object[name], value end
  return put_back(object, values, before, pcall(fn, ...))
end
