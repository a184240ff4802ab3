-- line_markers.lua - writes and reads line markers of preprocessors: `#line 3 "a.c"` and `# 3 "a.c" 1`.
--
-- The path in a marker is a C string literal with escapes.

local line_markers = {}

-- Returns a path as a C string literal.
local function literal(path)
  return '"' .. path:gsub('[\\"]', "\\%0"):gsub("%c", function(c) return ("\\%03o"):format(c:byte()) end) .. '"'
end
line_markers.literal = literal

-- Returns the marker, with line feed, which says that the next line is line `number` of the file `path`.
function line_markers.line(number, path) return ("#line %d %s\n"):format(number, literal(path)) end

-- Returns a marker in the form `# 3 "a.c"`, which says that the next line is line `number` of the file `path`. This
-- form is for Fortran compilers, and with a flag for clang. `flag`: 1, the file begins; 2, the file continues; nil: no
-- flag.
function line_markers.linemarker(number, path, flag)
  return ("# %d %s%s\n"):format(number, literal(path), flag and " " .. flag or "")
end

-- Returns the path that a C string literal denotes. `text`: the literal without its quotation marks.
local function unquote(text)
  return (text:gsub("\\(%d%d?%d?)", function(digits) return string.char(tonumber(digits, 8)) end)
    :gsub("\\n", "\n"):gsub('\\([\\"])', "%1"))
end

-- Returns the line number, the path and the first flag ("" if none) of a marker; nil for other lines.
function line_markers.read(text)
  local number, path_start = text:match '^#%s*(%d+)%s+"()'
  if not number then number, path_start = text:match '^#line%s+(%d+)%s+"()' end
  if not number then return nil end
  local at = path_start
  while true do
    local c = text:sub(at, at)
    if c == "" then return nil end
    if c == '"' then break end
    at = at + (c == "\\" and 2 or 1)
  end
  return tonumber(number), unquote(text:sub(path_start, at - 1)), text:match("^%s*(%d*)", at + 1)
end

return line_markers
