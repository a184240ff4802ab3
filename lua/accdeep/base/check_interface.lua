-- check_interface.lua - check_interface(interface, name, implementation): returns the table `implementation`. Raises a
-- Lua error if it lacks a field of the interface, or has a field that the interface lacks. interface: field name ->
-- description; name: the name of the implementation in error messages.

-- See the head of this file.
return function(interface, name, implementation)
  for field in pairs(interface) do assert(implementation[field] ~= nil, name .. " lacks " .. field) end
  for field in pairs(implementation) do assert(interface[field], name .. " has a slot without a use: " .. field) end
  return implementation
end
