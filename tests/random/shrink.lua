-- shrink.lua - the shortest list of steps that still goes wrong, for the tests of random steps.

local shrink = {}

function shrink.without(list, first, n)
  local rest = {}
  for i, entry in ipairs(list) do
    if i < first or i >= first + n then rest[#rest + 1] = entry end
  end
  return rest
end

-- Leaves out as many entries as can be, largest pieces first. fails(rest): it is still wrong.
function shrink.shortest(list, fails)
  local n = #list
  while n >= 1 do
    local i = 1
    while i <= #list do
      local rest = shrink.without(list, i, n)
      if #rest < #list and fails(rest) then list = rest else i = i + n end
    end
    n = n // 2
  end
  return list
end

-- The list with another value of a key in one of its steps.
function shrink.changed(list, i, key, value)
  local copy, step = table.move(list, 1, #list, 1, {}), {}
  for k, v in pairs(list[i]) do step[k] = v end
  step[key] = value
  copy[i] = step
  return copy
end

-- Leaves out steps, and entries of the lists that they have by these keys.
function shrink.steps(steps, keys, fails)
  steps = shrink.shortest(steps, fails)
  for i = 1, #steps do
    for _, key in ipairs(keys) do
      if steps[i][key] then
        local short = shrink.shortest(steps[i][key], function(rest)
          return #rest > 0 and fails(shrink.changed(steps, i, key, rest))
        end)
        steps = shrink.changed(steps, i, key, short)
      end
    end
  end
  return shrink.shortest(steps, fails)
end

return shrink
