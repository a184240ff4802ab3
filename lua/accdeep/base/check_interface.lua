-- check_interface.lua - check_interface(slots, name, made): returns the table `made` after asserting that it has every
-- slot of an interface and no other field. slots: slot name -> description; name: the name of `made` in error messages.

return function(slots, name, made)
  for slot in pairs(slots) do assert(made[slot] ~= nil, name .. " lacks " .. slot) end
  for slot in pairs(made) do assert(slots[slot], name .. " has a slot without a use: " .. slot) end
  return made
end
