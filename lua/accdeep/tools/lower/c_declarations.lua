-- c_declarations.lua - finds the names that statements of C and C++ declare.
--
-- Input: tokens of c_source.lua. Output: a set of names. A statement is a declaration if a type and a name begin it;
-- types are not resolved. loop_marks.lua uses it, so that marks do not name variables before their declaration.

local strings = require "accdeep.base.strings"

local c_declarations = {}

local specifiers = strings.word_set("const volatile static extern register constexpr inline thread_local _Thread_local",
  "restrict __restrict __restrict__ typename mutable __extension__")
local basic = strings.word_set "unsigned signed long short int char float double bool _Bool auto void _Complex __int128"
local tagged = strings.word_set "struct union enum class"
local with_argument = strings.word_set "typeof __typeof__ decltype alignas _Alignas __attribute__ __declspec"
local no_types = strings.word_set("return else case goto sizeof alignof throw delete new and or not do if for while",
  "switch break continue default using namespace template public private protected this")
local closers = { ["("] = ")", ["["] = "]", ["{"] = "}" }

-- Returns the number of the token after the bracket that closes the one at token i, at most last + 1.
local function skip_brackets(source, i, last)
  local depth = 0
  for k = i, last do
    local text = source.kind[k] == "other" and source:token(k)
    if closers[text] then depth = depth + 1 elseif text == ")" or text == "]" or text == "}" then depth = depth - 1 end
    if depth == 0 then return k + 1 end
  end
  return last + 1
end

-- Returns the number of the token after template arguments that begin at token i; i if none begin there.
local function skip_template(source, i, last)
  if source:token(i) ~= "<" then return i end
  local depth = 0
  for k = i, last do
    local text = source:token(k)
    if text == "<" then depth = depth + 1 elseif text == ">" then depth = depth - 1 end
    if depth == 0 then return k + 1 end
    if text == ";" or text == "{" or text == "&" and source:token(k + 1) == "&" then return i end
  end
  return i
end

-- Adds the names of the enumerators in the braces at token i to the set `names`.
local function add_enumerators(source, i, last, names)
  for k = i + 1, skip_brackets(source, i, last) - 2 do
    local before = source:token(k - 1)
    if source.kind[k] == "word" and (before == "{" or before == ",") then names[source:token(k)] = true end
  end
end

-- Returns the number of the token after the type that begins at token i, and true if it is a type without doubt. The
-- first result is nil if no type begins there.
local function read_type(source, i, last, names)
  local has_type, is_certain = false, false
  while i <= last do
    local text = source:token(i)
    if text == "[" and source:token(i + 1) == "[" or with_argument[text] and source:token(i + 1) == "(" then
      local is_type = text:find "type" ~= nil
      if is_type and has_type then break end
      has_type, is_certain = has_type or is_type, is_certain or is_type
      i = skip_brackets(source, text == "[" and i or i + 1, last)
    elseif specifiers[text] then
      is_certain = true
      i = i + 1
    elseif basic[text] then
      has_type, is_certain = true, true
      i = i + 1
    elseif tagged[text] and not has_type then
      has_type, is_certain = true, true
      i = i + 1
      if source.kind[i] == "word" then i = i + 1 end
      if source:token(i) == "{" then
        if text == "enum" then add_enumerators(source, i, last, names) end
        i = skip_brackets(source, i, last)
      end
    elseif source.kind[i] == "word" and not has_type and not no_types[text] then
      has_type = true
      i = skip_template(source, i + 1, last)
      while source:token(i) == ":" and source:token(i + 1) == ":" do i = skip_template(source, i + 3, last) end
    else
      break
    end
  end
  if not has_type then return nil end
  return i, is_certain
end

-- Adds the name of the declarator at token i to the set `names`. Returns the number of the token after it; nil if no
-- declarator begins there. `is_certain`: a type without doubt precedes.
local function read_declarator(source, i, last, names, is_certain)
  while i <= last and (source:token(i) == "*" or source:token(i) == "&" or specifiers[source:token(i)]) do i = i + 1 end
  if source:token(i) == "[" and is_certain then -- a structured binding
    local finish = skip_brackets(source, i, last)
    for k = i, finish - 1 do
      if source.kind[k] == "word" then names[source:token(k)] = true end
    end
    return finish
  end
  if source:token(i) == "(" and is_certain then -- a pointer to a function or array, or a name in parentheses
    local finish = skip_brackets(source, i, last)
    for k = i, finish - 1 do
      if source.kind[k] == "word" then
        names[source:token(k)] = true
        break
      end
    end
    return finish
  end
  if source.kind[i] ~= "word" or no_types[source:token(i)] then return nil end
  local after = source:token(i + 1)
  if not after or not (("=;,[({:)"):find(after, 1, true) or with_argument[after]) then return nil end
  names[source:token(i)] = true
  return i + 1
end

-- Adds the names that the statement at token i declares to the set `names`; none if it is no declaration.
local function read_statement(source, i, last, names)
  local at, is_certain = read_type(source, i, last, names)
  local is_name = at and (source.kind[at] == "word" or source:token(at) == "*" or source:token(at) == "&" or is_certain)
  at = is_name and read_declarator(source, at, last, names, is_certain)
  while at and at <= last do
    local text = source:token(at)
    if text == ";" or text == ")" or text == "}" or source.kind[at] == "line" then return end
    if closers[text] then at = skip_brackets(source, at, last)
    elseif text == "," then at = read_declarator(source, at + 1, last, names, true)
    else at = at + 1 end
  end
end

-- Returns the set of names that are declared in the tokens `first` to `last`.
function c_declarations.names(source, first, last)
  local names, heads = {}, {}
  for i = first, last do
    local text = source:token(i)
    if text == "(" and source.kind[i - 1] == "word" then
      local word = source:token(i - 1)
      if word == "for" or word == "if" or word == "while" or word == "switch" then
        heads[skip_brackets(source, i, last) - 1] = true
        read_statement(source, i + 1, last, names)
      end
    elseif text == "[" and source.kind[i + 1] == "word" and source:token(i + 2) == "=" then
      names[source:token(i + 1)] = true -- a lambda's capture
    end
    local is_label = text == ":" and source:token(i + 1) ~= ":" and source:token(i - 1) ~= ":"
    local is_end = source.kind[i] == "line" or source.kind[i] == "other" and (";{}"):find(text, 1, true) or heads[i]
    if is_end or is_label or text == "else" or text == "do" then
      local start = source:skip_lines(i + 1)
      if start <= last then read_statement(source, start, last, names) end
    end
  end
  return names
end

return c_declarations
