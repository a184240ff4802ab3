-- context.lua - the string or directive around a place of a document, and the word at the place. Hover, completion and
-- definitions use it.

local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"

local context = {}

-- Returns the string of Lua that is open at position `at` of a text: its beginning, and the code before it in its line.
-- Returns nil if `at` is not in a string; the second result is then true if `at` is in a comment.
function context.open_string(text, at)
  local from = 1
  while true do
    local start, _, mark = text:find("([\"'%[%-])", from)
    if not start or start >= at then return nil end
    local level = text:match("^%[(=*)%[", start) or mark == "-" and text:match("^%-%-%[(=*)%[", start)
    local is_comment = mark == "-" and text:sub(start, start + 1) == "--"
    local last, first
    if level and (mark == "[" or is_comment) then
      first = start + (is_comment and 4 or 2) + #level
      local _, finish = text:find("]" .. level .. "]", first, true)
      last = finish and finish - #level - 2 or #text
    elseif is_comment then
      first, last = start + 2, (text:find("\n", start, true) or #text + 1) - 1
    elseif mark == '"' or mark == "'" then
      first, last = start + 1, start + 1
      while last <= #text and text:sub(last, last) ~= mark and text:sub(last, last) ~= "\n" do
        last = last + (text:sub(last, last) == "\\" and 2 or 1)
      end
      last = last - 1
    else
      last = start - 1
    end
    if first and first <= at and at <= last + 1 then
      if is_comment then return nil, true end
      return first, text:sub(1, start - 1):match "[^\n]*$"
    end
    from = math.max(start + 1, last + 2)
  end
end

-- Returns the name of the function whose argument follows the code `code`, such as acc or expect.fails. For a value
-- that is assigned to a field, returns the field's name and "=", such as "rules=". Returns "" if there is neither.
local function receiver(code)
  local field = code:match "([%a_][%w_]*)%s*=%s*{?[%s\"'%w.,-]*$"
  return code:match "([%a_][%w_.]*)%s*%(?%s*$" or field and field .. "=" or ""
end

-- Words before a directive's name in its text.
local SENTINEL = { "^%s*#%s*pragma%s+(%a%a%a)%f[^%w_]()", "^%s*[!cC*]%$(%a%a%a)%f[^%w_]()" }

-- Returns the language of a text that begins with the sentinel of a directive, and the position after it; nil for other
-- texts.
local function sentinel(text)
  for _, pattern in ipairs(SENTINEL) do
    local language, after = text:match(pattern)
    language = language and language:lower()
    if language == "acc" or language == "omp" then return language, after end
  end
end

-- Returns the text of a line of C or Fortran up to a column, after the lines that it continues.
local function directive_of_unit(document, line, column)
  local parts, number = { document:line(line):sub(1, column - 1) }, line
  while number > 1 do
    number = number - 1
    local before = document:line(number)
    local is_c, is_fortran = before:find "\\%s*$", before:find "^%s*!%$.*&%s*$"
    local is_comment = parts[1]:find "^%s*!%$" and (before:find "^%s*$" or before:find "^%s*![^$]")
    if is_c or is_fortran then
      parts[1] = is_fortran and parts[1]:gsub("^%s*!%$%a*%s*&?", " ") or parts[1]
      table.insert(parts, 1, (before:gsub(is_c and "\\%s*$" or "&%s*$", " ")))
    elseif not is_comment then
      break
    end
  end
  return table.concat(parts)
end

-- Returns the context of line and column, both from 1 on, of a document, as a table:
--   language      "acc" or "omp" in a directive; nil elsewhere.
--   before        in a directive: its text without sentinel up to the place; in a string: its beginning.
--   receiver      in a string of Lua: the function or field that gets it; else nil.
--   is_comment    in a comment of Lua.
function context.at(document, line, column)
  local is_scenario = document.kind == "scenario"
  if not is_scenario then
    local text = directive_of_unit(document, line, column)
    local language, after = sentinel(text)
    return { language = language, before = language and text:sub(after) }
  end
  local at = document.starts[line] + column - 1
  local first, code = context.open_string(document.text, at)
  if not first then return { is_comment = code } end
  local before = document.text:sub(first, at - 1)
  local name = receiver(code)
  local language = (name == "acc" or name == "omp") and name or nil
  local after = 1
  local last_line = before:match "[^\n]*$"
  local own, own_after = sentinel(last_line)
  if own then language, before, after = own, last_line, own_after end
  if not own and not language and (name == "expect.invalid" or name == "expect.malformed") then language = "acc" end
  return { language = language, before = before:sub(after), receiver = name }
end

-- Returns the name of the directive with which a text begins, and the position after it; nil if it begins with none.
-- `language`: "acc" or "omp".
function context.directive(text, language)
  local lowered = text:lower():gsub("%s", " ")
  local start = lowered:find "%S"
  if not start then return nil end
  local best
  local function try(name)
    local pattern = "^" .. name:gsub(" ", " +") .. "%f[^%w_]()"
    local after = lowered:match(pattern, start)
    if after and (not best or #name > #best.name) then best = { name = name, after = after } end
  end
  if language == "acc" then
    for _, entry in ipairs(openacc_directives.directives) do try(entry[1]) end
  else
    for _, name in ipairs(openmp_directives.names) do try(name) end
    for _, name in ipairs(openmp_directives.fortran_names()) do try(name) end
  end
  if best then return best.name, best.after end
end

-- Returns the texts that may be meant by a column of a line as a list of {text, first, last}, the longest first. A text
-- is a rule id, a code with hyphens, a name with points, or a word.
function context.words(text, column)
  local list = {}
  for _, class in ipairs { "[%w_.-]", "[%w_.]", "[%w_-]", "[%w_]" } do
    local first, last = column, column - 1
    while first > 1 and text:sub(first - 1, first - 1):find(class) do first = first - 1 end
    while last < #text and text:sub(last + 1, last + 1):find(class) do last = last + 1 end
    local word = text:sub(first, last):match "^[-.]*(.-)[-.]*$"
    first = text:find(word, first, true)
    if word ~= "" and (not list[1] or list[#list].text ~= word) then
      list[#list + 1] = { text = word, first = first, last = first + #word - 1 }
    end
  end
  return list
end

return context
