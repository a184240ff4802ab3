-- words.lua - lists that are written as words of a text.

local words = {}

-- The words of a text, in order.
function words.list(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  return list
end

-- The words of all texts as keys of a set.
function words.set(...)
  local set = {}
  for _, text in ipairs { ... } do
    for word in text:gmatch "%S+" do set[word] = true end
  end
  return set
end

return words
