-- strings.lua - word lists and sets written as texts, counts in sentences, and conversion to valid UTF-8.

local strings = {}

-- Returns the words of a text, which blanks separate, as a list in the same order.
function strings.word_list(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  return list
end

-- Returns the words of all argument texts as a set: word -> true.
function strings.word_set(...)
  local set = {}
  for _, text in ipairs { ... } do
    for word in text:gmatch "%S+" do set[word] = true end
  end
  return set
end

-- Returns a number with its noun, as in "1 case" and "2 cases". `plural`: the noun's plural; nil: with an s.
function strings.count(n, noun, plural)
  return ("%d %s"):format(n, n == 1 and noun or plural or noun .. "s")
end

-- Returns the text as valid UTF-8: each invalid byte becomes a question mark. JSON, XML and pages require it.
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
