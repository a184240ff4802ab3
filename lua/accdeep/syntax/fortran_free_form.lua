-- fortran_free_form.lua - normalizes free-form Fortran text for the grammar (fortran_syntax.lua). Every character keeps
-- its position.
--
-- Input: the text of a program or directive. Output: a text of the same length.
--
-- Letters outside of strings become lower case, comments become blanks, and continued lines are joined: blanks replace
-- the end of the line. Line structure that remains: ends of statements, and lines that begin with the sentinel of a
-- directive (!$ and a word). The sentinel of conditional compilation (!$ and a blank) becomes blanks, so its line is a
-- statement, as OpenMP requires.

local diagnostic = require "accdeep.base.diagnostic"

local fortran_free_form = {}

-- Raises for a directive at a place where a compiler would treat it as a comment and ignore it (HOUSE-bodies). where:
-- the end of the message.
local function no_place(pos, where)
  diagnostic.raise("syntax", pos, ("a directive %s"):format(where), { length = #"!$acc", rule = "HOUSE-bodies",
    help = "a directive needs a line of its own, before or after a statement" })
end

-- Returns a line with blanks in place of its comment, in lower case outside of strings. first: position of the line in
-- its text. Raises for a directive in the comment.
local function strip_comment(line, first)
  local out, at = {}, 1
  while at <= #line do
    local from, to, mark = line:find("([\"'!])", at)
    if not from or mark == "!" then
      local sentinel = from and line:match("^!%$(%a+)", from)
      sentinel = sentinel and sentinel:lower()
      if sentinel == "acc" or sentinel == "omp" then no_place(first + from - 1, "after a statement") end
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

-- Returns as many blanks as `text` has characters.
local function blanks(text) return (" "):rep(#text) end

-- Returns the normalized form of a text, which has the same length. Raises for directives at places where compilers
-- ignore them: after a statement, or between the lines of a statement.
function fortran_free_form.normalize(text)
  local lines, n, start = {}, 0, 1
  local continued = false -- "directive" or "statement" if the preceding line continues in this one; else false
  for line, stop in text:gmatch "([^\n]*)(\n?)" do
    if line == "" and stop == "" then break end
    line = line:gsub("^([ \t]*)!%$([ \t])", "%1  %2")
    local odd = line:match "^[ \t]*!%$()[^%s%a]"
    if odd then
      diagnostic.raise("syntax", start + odd - 3, "'!$' without a directive's sentinel", { length = 2,
        rule = "HOUSE-bodies", help = "directives begin with !$acc or !$omp" })
    end
    local sentinel_part, rest = line:match "^([ \t]*!%$%a[%w_]*)(.*)$"
    local normalized = rest and sentinel_part:lower() .. strip_comment(rest, start + #sentinel_part)
      or strip_comment(line, start)
    local is_empty = not normalized:find "%S"
    if rest and continued == "statement" then
      no_place(start + sentinel_part:find("!", 1, true) - 1, "between the lines of a statement")
    elseif continued and is_empty then
      normalized = blanks(normalized) -- comments and blank lines do not end a statement
    elseif continued then
      normalized = normalized:gsub(continued == "directive" and "^[ \t]*!%$%a[%w_]*[ \t]*&?" or "^[ \t]*&?", blanks)
    end
    if not is_empty or not continued then
      local body = normalized:match "^(.-)&[ \t\r]*$"
      if body then
        continued = continued or (rest and "directive" or "statement")
        normalized = body .. blanks(normalized:sub(#body + 1))
      else
        continued = false
      end
    end
    n, start = n + 1, start + #line + #stop
    lines[n] = normalized:gsub("\r", " ") .. (continued and stop ~= "" and " " or stop)
  end
  return table.concat(lines)
end

-- Returns the normalized form of one directive, which may have no sentinel and several lines: the ends of lines become
-- blanks.
function fortran_free_form.directive(text)
  return (fortran_free_form.normalize(text):gsub("\n", " "))
end

return fortran_free_form
