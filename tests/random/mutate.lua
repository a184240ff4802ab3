-- mutate.lua - returns a function that makes one random change in a text, for the tests of texts.

local pieces = { "(", ")", "[", "]", "{", "}", ":", ",", ";", ".", "->", "*", "&", "<", ">", "@", "#", "\\",
  "\"", "'", "\0", "\255\254", "\n", "/*", "//", "0x", "1e999", "99999999999999999999", "-1", "0", "acc", "copy",
  "if", "struct", "sizeof", "shape", "include", "int", "X", "a", "nosuch", "\u{20AC}", "::", "==", "?" }

local numbers = { "0", "1", "3", "-1", "07", "0x10", "65536", "2147483647", "2147483648", "4294967295",
  "9223372036854775807", "9223372036854775808", "18446744073709551615", "1.5" }

local function tokens(text)
  local list = {}
  for blank, word in text:gmatch "(%s*)([%w_]*[^%w_%s]?)" do
    if #blank + #word > 0 then list[#list + 1] = blank .. word end
  end
  return list
end

-- Returns the text with one change.
return function(text)
  local how = math.random(9)
  if how == 1 then return text:sub(1, math.random(0, #text)) end
  if how == 2 then
    local at = math.random(0, #text)
    return text:sub(1, at) .. string.char(math.random(0, 255)) .. text:sub(at + 1 + math.random(0, 1))
  end
  if how == 3 then
    local open, close = table.unpack(({ { "(", ")" }, { "{", "}" }, { "[", "]" }, { "-", "" } })[math.random(4)])
    local depth = 10 ^ math.random(1, 4) // 1 | 0
    local at = math.random(0, #text)
    return text:sub(1, at) .. open:rep(depth) .. "1" .. close:rep(depth) .. text:sub(at + 1)
  end
  if how == 4 then -- replaces a number
    local _, n = text:gsub("%d+", "")
    local chosen, seen = math.random(math.max(n, 1)), 0
    return (text:gsub("%d+", function()
      seen = seen + 1
      return seen == chosen and numbers[math.random(#numbers)] or nil
    end))
  end
  local list = tokens(text)
  if #list == 0 then return text end
  local at = math.random(#list)
  if how == 5 then table.remove(list, at)
  elseif how == 6 then table.insert(list, at, list[math.random(#list)])
  elseif how == 7 then
    local other = math.random(#list)
    list[at], list[other] = list[other], list[at]
  else
    table.insert(list, at, " " .. pieces[math.random(#pieces)] .. (how == 8 and " " or ""))
  end
  return table.concat(list)
end
