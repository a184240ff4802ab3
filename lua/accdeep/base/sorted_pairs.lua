-- sorted_pairs.lua - pairs with an order: numbers, then strings, both sorted; then keys of other types in the order of
-- Lua's pairs, which is not deterministic.

-- Returns true if key `a` precedes key `b`: numbers precede strings. Each key must be a number or a string.
local function is_before(a, b)
  local number, other = type(a) == "number", type(b) == "number"
  if number ~= other then return number end
  return a < b
end

-- Returns an iterator over table `t`: for key, value in sorted_pairs(t). `t` may change during the iteration: removed
-- keys are skipped, added keys are not visited. field: if not nil, the values are tables, and are sorted by this field
-- first; keys are then numbers or strings.
return function(t, field)
  local keys, others = {}, {}
  local in_order = true
  for key in pairs(t) do
    local list = (type(key) == "number" or type(key) == "string") and keys or others
    in_order = in_order and (list == others or #keys == 0 or is_before(keys[#keys], key))
    list[#list + 1] = key
  end
  if field then
    table.sort(keys, function(a, b)
      local first, second = t[a][field], t[b][field]
      return first < second or first == second and is_before(a, b)
    end)
  elseif not in_order then
    table.sort(keys, is_before)
  end
  table.move(others, 1, #others, #keys + 1, keys)
  local i = 0
  return function()
    local value
    repeat
      i = i + 1
      value = keys[i] ~= nil and t[keys[i]]
    until value ~= nil
    if keys[i] == nil then return nil end
    return keys[i], value
  end
end
