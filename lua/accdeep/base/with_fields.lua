-- with_fields.lua - runs fn(...) while fields of an object have other values: with_fields(object, values, fn, ...).
-- values: name -> value. Returns the results of fn; the fields are then restored. If fn raises, the fields are restored
-- and the error is raised again. A field that was nil before is not restored: it keeps its temporary value.

-- Restores the fields of `object` from `before` (name -> value). ok, ...: results of a pcall. Returns the results after
-- `ok`, or raises the error of the pcall.
local function put_back(object, before, ok, ...)
  for name, value in next, before do object[name] = value end
  if not ok then error((...), 0) end
  return ...
end

-- Returns fn(...), called while the fields `values` of `object` are set; see the head of this file.
return function(object, values, fn, ...)
  local before = {}
  for name, value in next, values do before[name], object[name] = object[name], value end
  return put_back(object, before, pcall(fn, ...))
end
