-- fortran_edits.lua - edits of whole lines of a Fortran unit, with line markers that keep the lines of messages.
--
-- fortran_unit.lua and fortran_openmp.lua use it. Fields of a unit: `text`, `starts` (positions of its lines), `path`,
-- `view`, `scan`, and `edits`, a list of {first, last, text, number}. An edit replaces the lines `first` to `last`, or
-- stands before the line `first` if last < first. `number` orders edits of one line.

local deep_directive = require "accdeep.tools.emit.deep_directive"
local line_markers = require "accdeep.tools.lower.line_markers"

local fortran_edits = {}

local WIDTH = 100 -- columns of written lines; compilers accept 132

-- Returns the lines from `first` to `last` of the unit, as text with line feeds.
function fortran_edits.lines(self, first, last)
  return self.text:sub(self.starts[first], (self.starts[last + 1] or #self.text + 1) - 1)
end

-- Returns a line as a list of lines of at most WIDTH columns; a text of several lines is not split. Raises {cannot =
-- reason} if there is no blank, comma, % or parenthesis where the line can be split.
local function broken(line)
  if #line <= WIDTH or line:find "\n" then return { line } end
  local margin, sentinel = line:match "^(%s*)(!%$%a+)"
  local separator = sentinel and sentinel .. "& " or "& "
  local list, rest = {}, line
  while #rest > WIDTH do
    local at
    for i = WIDTH - 10, 40, -1 do
      local c = rest:sub(i, i)
      if c == "," or c == "%" or c == " " or c == "(" then
        at = i
        break
      end
    end
    if not at then deep_directive.cannot "a name that is too long for a line" end
    list[#list + 1] = rest:sub(1, at) .. " &"
    rest = (margin or "") .. "    " .. separator .. rest:sub(at + 1)
  end
  list[#list + 1] = rest
  return list
end

-- Returns the line marker which says that the next line is line `number` of the unit.
local function marker(self, number) return line_markers.linemarker(number, self.path) end

-- Returns lines of code, indented by `margin`, as text; a line marker for line `number` of the unit precedes each.
function fortran_edits.mark_lines(self, list, number, margin)
  local parts = {}
  for _, line in ipairs(list) do
    parts[#parts + 1] = marker(self, number) .. table.concat(broken(margin .. line), "\n") .. "\n"
  end
  return table.concat(parts)
end

-- Replaces lines `first` to `last` by a text. If last < first, inserts the text before line `first`.
function fortran_edits.add(self, first, last, text)
  self.edits[#self.edits + 1] = { first = first, last = last, text = text, number = #self.edits }
end

-- Returns the indentation of a line of the unit.
local function margin_of(self, line) return fortran_edits.lines(self, line, line):match "^[ \t]*" end

-- Returns the first and last line of the statement or directive that ends a region. Raises if they cannot be edited.
function fortran_edits.end_lines(self, construct)
  if construct.shared then deep_directive.cannot(construct.shared, "end the loop with an end do in its own line") end
  local last = self.scan.list[construct.finish]
  local from, to = self.view[last.first].line, self.view[last.last].line
  if not from or not to then deep_directive.cannot "a region that ends in a file that is included" end
  return from, to
end

-- Replaces a directive by `lines`; adds `following` after its region. `is_data`: replaces the `end` directive, too.
function fortran_edits.replace(self, construct, lines, following, is_data)
  local own = construct.own
  local margin = margin_of(self, own.first)
  fortran_edits.add(self, own.first, own.last,
    fortran_edits.mark_lines(self, lines, own.first, margin) .. marker(self, own.last + 1))
  if not construct.finish then return end
  local from, to = fortran_edits.end_lines(self, construct)
  fortran_edits.add(self, is_data and from or to + 1, to,
    fortran_edits.mark_lines(self, following, to, margin) .. marker(self, to + 1))
end

-- Returns the text with all edits applied.
function fortran_edits.apply(self)
  table.sort(self.edits, function(a, b)
    if a.first ~= b.first then return a.first < b.first end
    if (a.last < a.first) ~= (b.last < b.first) then return a.last < a.first end
    return a.number > b.number -- inner regions that end in the same line end first
  end)
  local parts, at = { marker(self, 1) }, 1
  for _, edit in ipairs(self.edits) do
    local start = self.starts[edit.first] or #self.text + 1
    parts[#parts + 1] = self.text:sub(at, start - 1)
    if start > #self.text and #self.text > 0 and self.text:sub(-1) ~= "\n" then parts[#parts + 1] = "\n" end
    parts[#parts + 1] = edit.text
    at = math.max(at, self.starts[math.max(edit.last, edit.first - 1) + 1] or #self.text + 1)
  end
  parts[#parts + 1] = self.text:sub(at)
  return table.concat(parts)
end

return fortran_edits
