-- line_markers.lua - the lines by which the preprocessor says where text comes from: `#line 3 "a.c"`, `# 3 "a.c" 1`. A
-- path is a literal of C in them, with its escapes.

local line_markers = {}

-- A path as a literal of C.
local function literal(path)
  return '"' .. path:gsub('[\\"]', "\\%0"):gsub("%c", function(c) return ("\\%03o"):format(c:byte()) end) .. '"'
end
line_markers.literal = literal

-- A line which says that the next one is a line of a file.
function line_markers.line(number, path) return ("#line %d %s\n"):format(number, literal(path)) end

-- The same in the form that compilers of Fortran take, and clang with a flag: that the file begins (1), or goes on (2).
function line_markers.linemarker(number, path, flag)
  return ("# %d %s%s\n"):format(number, literal(path), flag and " " .. flag or "")
end

-- The path of a literal without its quotation marks.
local function unquote(text)
  return (text:gsub("\\(%d%d?%d?)", function(digits) return string.char(tonumber(digits, 8)) end)
    :gsub("\\n", "\n"):gsub('\\([\\"])', "%1"))
end

-- The number of the line, the path and the first flag ("": none) that a line marker says; nil: the line is none.
function line_markers.read(text)
  local number, behind = text:match '^#%s*(%d+)%s+"()'
  if not number then number, behind = text:match '^#line%s+(%d+)%s+"()' end
  if not number then return nil end
  local at = behind
  while true do
    local c = text:sub(at, at)
    if c == "" then return nil end
    if c == '"' then break end
    at = at + (c == "\\" and 2 or 1)
  end
  return tonumber(number), unquote(text:sub(behind, at - 1)), text:match("^%s*(%d*)", at + 1)
end

return line_markers
