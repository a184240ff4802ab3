-- source.lua - free-form Fortran text made plain for the grammar, every character in its place.
--
-- Letters become small but in strings, comments become blanks, lines that continue become one: where the
-- line ended there are blanks. Positions in the plain text are those of the text. What is left of line
-- structure are the ends of statements, and lines that begin with the sentinel of directives: !$ and a word. The
-- sentinel of conditional compilation, !$ and a blank, becomes blanks: its line is a statement, as OpenMP has it.

local source = {}

-- A line up to its comment, in small letters but for strings.
local function without_comment(line)
  local out, at = {}, 1
  while at <= #line do
    local from, to, mark = line:find("([\"'!])", at)
    if not from or mark == "!" then
      local last = from and from - 1 or #line
      out[#out + 1] = line:sub(at, last):lower()
      out[#out + 1] = (" "):rep(#line - last)
      break
    end
    local finish = line:find(mark, to + 1, true) or #line
    out[#out + 1] = line:sub(at, from - 1):lower()
    out[#out + 1] = line:sub(from, finish)
    at = finish + 1
  end
  return table.concat(out)
end

local function blanks(text) return (" "):rep(#text) end

-- The plain form of a text.
function source.plain(text)
  local lines, n = {}, 0
  local continued = false -- false, or how a line that goes on begins
  for line, stop in text:gmatch "([^\n]*)(\n?)" do
    if line == "" and stop == "" then break end
    line = line:gsub("^([ \t]*)!%$([ \t])", "%1  %2")
    local before, rest = line:match "^([ \t]*!%$%a[%w_]*)(.*)$"
    local plain = rest and before:lower() .. without_comment(rest) or without_comment(line)
    local is_empty = not plain:find "%S"
    if continued and (is_empty or rest and continued == "statement") then
      plain = blanks(plain) -- comments and blank lines do not end a statement
    elseif continued then
      plain = plain:gsub(continued == "directive" and "^[ \t]*!%$%a[%w_]*[ \t]*&?" or "^[ \t]*&?", blanks)
    end
    if not is_empty or not continued then
      local body = plain:match "^(.-)&[ \t\r]*$"
      if body then
        continued = continued or (rest and "directive" or "statement")
        plain = body .. blanks(plain:sub(#body + 1))
      else
        continued = false
      end
    end
    n = n + 1
    lines[n] = plain:gsub("\r", " ") .. (continued and stop ~= "" and " " or stop)
  end
  return table.concat(lines)
end

-- The plain form of one directive: its sentinel may be missing, and it may stand in several lines.
function source.directive(text)
  return (source.plain(text):gsub("\n", " "))
end

return source
