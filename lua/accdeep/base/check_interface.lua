-- check_interface.lua - interface(slots, name, made): checks that a table fills a written interface - all of its slots,
-- and nothing else. slots: name -> what it is for. Returns the table.

return function(slots, name, made)
  for slot in pairs(slots) do assert(made[slot] ~= nil, name .. " lacks " .. slot) end
  for slot in pairs(made) do assert(slots[slot], name .. " has a slot without a use: " .. slot) end
  return made
end
