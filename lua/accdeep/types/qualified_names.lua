-- qualified_names.lua - parses C++ names of types with scopes and template arguments; gives all spellings of a type one
-- key.
--
-- A parsed name is a list of items: words, signs, and lists of arguments. Such a list has parsed names, the arguments
-- of the preceding template, function or array, and the closing sign in `close`. For example, std::vector<float> is
-- {"std", "::", "vector", {{"float"}, close = ">"}}. The key of a name is the text that its items form, with uniform
-- blanks.
--
-- Compilers print all arguments, while users omit defaults: std::vector<float> also matches std::vector<float,
-- std::allocator<float> >.

local word_set = require "accdeep.base.strings".word_set
local types = require "accdeep.types"

local qualified_names = {}

-- Inline namespaces with which libstdc++ and libc++ mark their versions. Programs do not write them, so the parser
-- removes them.
local inline = { __cxx11 = true, __1 = true, _V2 = true }
-- Typedefs such as std::string, which compilers print instead of their type: name -> argument of basic_string.
local strings = { string = "char", wstring = "wchar_t", u16string = "char16_t", u32string = "char32_t" }
-- Words before the name of a type, which are not a part of its key.
local keywords = { struct = true, class = true, union = true, enum = true, typename = true }
-- Qualifiers that are moved to the front, because `T const` is the same type as `const T`.
local leading = { const = true, volatile = true }
-- Words that form the name of a scalar type, in any order (types.builtin).
local builtin = word_set "char short int long float double signed unsigned bool _Bool"

-- Opening sign -> closing sign of a list of arguments.
local closing = { ["<"] = ">", ["("] = ")", ["["] = "]" }

local read_items -- forward declaration

-- Parses the arguments after the opening sign at the position `at`. Returns the list of arguments and the position
-- after the closing sign; nil and a position if no closing sign ends the arguments.
local function arguments(text, at)
  local close = closing[text:sub(at, at)]
  local list = { close = close }
  at = at + 1
  repeat
    local item
    item, at = read_items(text, at)
    list[#list + 1] = item
    local sign = text:sub(at, at)
    if sign ~= "," and sign ~= close then return nil, at end
    at = at + 1
  until sign == close
  return list, at
end

-- Parses items from the position `at` up to a comma, a closing sign or the end of the text. Returns the list of items
-- and the position where they end. Returns a position two past the end of the text if arguments inside are not closed.
function read_items(text, at)
  local items, front, words, is_derived = {}, {}, {}, false
  local function flush()
    if #words == 0 then return end
    local t = types.builtin(words)
    items[#items + 1] = t and t.name or table.concat(words, " ")
    words = {}
  end
  while true do
    at = text:match("^%s*()", at)
    local word = text:match("^[%a_][%w_]*", at)
    local number = not word and text:match("^%d[%w.]*", at)
    local sign = text:sub(at, at)
    if word then
      at = at + #word
      if leading[word] and not is_derived then
        front[word] = true
      elseif builtin[word] then
        words[#words + 1] = word
      elseif inline[word] and text:find("^%s*::", at) then
        at = text:match("^%s*::()", at)
      elseif not keywords[word] then
        flush()
        items[#items + 1] = word
      end
    elseif number then
      at = at + #number
      items[#items + 1] = (number:gsub("[uUlL]+$", ""))
    elseif closing[sign] then
      flush()
      local list
      list, at = arguments(text, at)
      -- The position #text + 2 is never that of a sign, so all callers reject the text.
      if not list then return items, #text + 2 end
      items[#items + 1] = list
    elseif sign == "" or sign == "," or sign == ">" or sign == ")" or sign == "]" then
      break
    else
      flush()
      local both = text:sub(at, at + 1) == "::" and "::" or sign
      is_derived = is_derived or sign == "*" or sign == "&"
      items[#items + 1] = both
      at = at + #both
    end
  end
  flush()
  if items[1] == "::" then table.remove(items, 1) end
  local character = items[1] == "std" and items[2] == "::" and strings[items[3]]
  if character then
    items[3] = "basic_string"
    table.insert(items, 4, { { character }, close = ">" })
  end
  for _, word in ipairs { "volatile", "const" } do
    if front[word] then table.insert(items, 1, word) end
  end
  return items, at
end

-- Closing sign -> opening sign.
local opening = { [">"] = "<", [")"] = "(", ["]"] = "[" }

-- Returns a list of items as text, with blanks only between words and after commas: the key of the name.
local function format_items(items)
  local out = {}
  for i, item in ipairs(items) do
    if type(item) == "table" then
      local parts = {}
      for k, inner in ipairs(item) do parts[k] = format_items(inner) end
      out[#out + 1] = opening[item.close] .. table.concat(parts, ", ") .. item.close
    else
      local preceding = items[i - 1]
      local is_word_boundary = type(preceding) == "string" and preceding:find "^[%w_]" and item:find "^[%w_]"
      out[#out + 1] = (is_word_boundary and " " or "") .. item
    end
  end
  return table.concat(out)
end

-- Returns the items of a name and its key; nil if the text is not the name of a type.
function qualified_names.parse(text)
  local items, at = read_items(text, 1)
  if at <= #text or at > #text + 1 or #items == 0 then return nil end
  return items, format_items(items)
end

-- Returns the key of a name; the text itself if it is not the name of a type.
function qualified_names.key(text)
  local _, key = qualified_names.parse(text)
  return key or text
end

-- Returns true if `spelling` matches `full`, the full name of a type; both are lists of items. A spelling may omit
-- trailing arguments of a template, but not the template's brackets.
function qualified_names.accepts(spelling, full)
  if #spelling ~= #full then return false end
  for i, item in ipairs(spelling) do
    local other = full[i]
    if type(item) ~= type(other) then return false end
    if type(item) == "string" then
      if item ~= other then return false end
    else
      if item.close ~= other.close or #item > #other or item.close ~= ">" and #item < #other then return false end
      for k, argument in ipairs(item) do
        if not qualified_names.accepts(argument, other[k]) then return false end
      end
    end
  end
  return true
end

-- Returns the last name in a list of items, without arguments, and the list of the names of scopes before it: "vector",
-- {"std"}. Returns nil and {} if there is no name.
function qualified_names.split(items)
  local names = {}
  for i, item in ipairs(items) do
    local is_name = type(item) == "string" and item:find "^[%a_]"
    if is_name and (i == 1 or items[i - 1] == "::") then names[#names + 1] = item end
  end
  return table.remove(names), names
end

return qualified_names
