-- shrink.lua - shortens lists of steps that show a failure.

local shrink = {}

-- Returns the list without the entries from index `first` to `last`, and without the entry at index `partner`, or nil.
function shrink.without(list, first, last, partner)
  local rest = {}
  for i, entry in ipairs(list) do
    if (i < first or i > last) and i ~= partner then rest[#rest + 1] = entry end
  end
  return rest
end

-- Returns a list shortened by removing pieces, the largest first, while fails(rest) is true. partner(list, i): the
-- index of an entry that is removed together with entry i, or nil; the argument may be nil.
function shrink.shortest(list, fails, partner)
  local n = #list
  while n >= 1 do
    local i = 1
    while i <= #list do
      local rest = shrink.without(list, i, i + n - 1, n == 1 and partner and partner(list, i))
      if fails(rest) then list = rest else i = i + n end
    end
    n = n // 2
  end
  return list
end

return shrink
