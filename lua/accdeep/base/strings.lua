-- strings.lua - lists that are written as words of a text, and text that is UTF-8.

local strings = {}

-- The words of a text, in order.
function strings.word_list(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  return list
end

-- The words of all texts as keys of a set.
function strings.word_set(...)
  local set = {}
  for _, text in ipairs { ... } do
    for word in text:gmatch "%S+" do set[word] = true end
  end
  return set
end

-- Text as JSON, XML and pages want it: bytes that are no UTF-8 become question marks.
function strings.to_utf8(text)
  local valid, bad = utf8.len(text)
  if valid then return text end
  local parts, from = {}, 1
  while not valid do
    parts[#parts + 1] = text:sub(from, bad - 1) .. "?"
    from = bad + 1
    valid, bad = utf8.len(text, from)
  end
  parts[#parts + 1] = text:sub(from)
  return table.concat(parts)
end

return strings
