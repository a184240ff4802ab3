-- fortran_fixed_form.lua - converts units of Fortran in fixed form to free form, line by line.
--
-- fortran_unit.lua lowers the converted unit. Every line keeps its number. Columns of statements and directives stay,
-- too, except in lines that continue others. What differs between the forms otherwise, blanks in names and numbers, the
-- compiler reports when it checks the lowered unit.

local fortran_fixed_form = {}

-- Returns true if a unit is in fixed form. `options`: list of the compiler's options.
function fortran_fixed_form.is_fixed(path, options)
  for _, option in ipairs(options) do
    if option == "-ffree-form" then return false end
  end
  return path:find "%.[fF]$" ~= nil or path:find "%.[fF][oO][rR]$" ~= nil
end

-- Returns the number of columns of statements, from the compiler's options; math.huge: no limit.
local function width_of(options)
  local width = 72
  for _, option in ipairs(options) do
    local value = option:match "^%-ffixed%-line%-length%-(%w+)$"
    if value then width = (value == "none" or value == "0") and math.huge or tonumber(value) or width end
  end
  return width
end

-- Returns the statement and the comment of a line (from column 7 on), and the quotation mark of a string that is open
-- at its end, or nil. `quote`: the mark of a string that the line before left open, or nil.
local function split_comment(line, quote)
  local at = 7
  while true do
    local from, _, mark = line:find(quote and "(" .. quote .. ")" or "([\"'!])", at)
    if not from then return line, "", quote end
    if mark == "!" then return line:sub(1, from - 1), line:sub(from), nil end
    quote = not quote and mark or nil
    at = from + 1
  end
end

-- Returns a line of a statement with blanks in place of a tab before the statement, or before the digit that continues
-- another line; and true if it continues one.
local function column_form(line)
  local head = line:gsub("^([%d ]*)\t([1-9])", "     %2", 1):gsub("^([%d ]*)\t", function(label)
    return label .. (" "):rep(6 - #label)
  end, 1)
  local mark = head:sub(6, 6)
  if mark == "0" then return head:sub(1, 5) .. " " .. head:sub(7), false end
  return head, mark ~= "" and mark ~= " " and head:sub(1, 5):find "^%s*$" ~= nil
end

-- Returns the text of a unit in free form, with the same number of lines. `options`: list of the compiler's options.
function fortran_fixed_form.convert(text, options)
  local width, lines, quote = width_of(options), {}, nil
  local last = {} -- the last line by kind, a sentinel or "statement": {body, comment, quote}
  -- Adds a line that continues the last one of its kind, if `is_continued` is true.
  local function add(kind, body, comment, is_continued)
    local before = is_continued and last[kind]
    if before and before.quote then
      before.body = before.body .. (" "):rep(math.min(width, 132) - #before.body) .. "&"
    elseif before then
      before.body = before.body:gsub("%s+$", "") .. " &"
    end
    last[kind] = { body = body, comment = comment, quote = quote }
    lines[#lines + 1] = last[kind]
  end
  for line in text:gsub("\n?$", "\n"):gmatch "(.-)\r?\n" do
    local sentinel, column, rest = line:match "^[cC*!]%$(%a%a%a)(.?)(.*)$"
    local is_conditional = line:find "^[cC*!]%$[%s%d]" ~= nil
    if sentinel then
      local is_continued = column ~= "" and column ~= " " and column ~= "0"
      add(sentinel:lower(), ("!$%s%s%s"):format(sentinel, is_continued and "&" or " ", rest:sub(1, width - 6)), "",
        is_continued)
    elseif line:find "^#" or not line:find "%S" then
      lines[#lines + 1] = { body = line, comment = "" }
    elseif not is_conditional and (line:find "^[cC*dD]" or line:find "^%s*!" and line:sub(6, 6) ~= "!") then
      lines[#lines + 1] = { body = "!" .. line:sub(2), comment = "" }
    else
      local head, is_continued = column_form(is_conditional and "  " .. line:sub(3) or line)
      if not is_continued then quote = nil end
      local body, comment
      body, comment, quote = split_comment(head:sub(1, width), quote)
      if is_continued then body = body:sub(1, 5) .. "&" .. body:sub(7) end
      if is_conditional then body = "!$" .. body:sub(3) end
      add("statement", body, comment, is_continued)
    end
  end
  for i, line in ipairs(lines) do lines[i] = line.body .. line.comment end
  return table.concat(lines, "\n") .. "\n"
end

return fortran_fixed_form
