-- documents.lua - texts of open documents, and positions in them.
--
-- The protocol counts lines from 0 and columns in UTF-16 code units, or in bytes if the client offers utf-8. accdeep
-- counts lines and bytes from 1. A line ends with "\n", "\r\n" or "\r".

local documents = {}

local Document = {}
Document.__index = Document

-- Returns a new document. `fields`: {uri, path, language, version, text}. `path`: of the file, or the URI if the
-- document is no file.
function documents.new(fields)
  local document = setmetatable(fields, Document)
  document:set_text(fields.text, fields.version)
  return document
end

-- Replaces the text of a document.
function Document:set_text(text, version)
  self.text, self.version = text, version
  local starts = { 1 }
  for at in text:gmatch "[\r\n]()" do
    local is_inside = text:byte(at) == 10 and text:byte(at - 1) == 13 -- the place between "\r" and "\n"
    if not is_inside then starts[#starts + 1] = at end
  end
  self.starts = starts
end

-- Returns the line with this number, from 1 on, without its end; "" for a line that does not exist.
function Document:line(number)
  local first = self.starts[number]
  if not first then return "" end
  local last = (self.starts[number + 1] or #self.text + 1) - 1
  return (self.text:sub(first, last):gsub("[\r\n]+$", ""))
end

-- Returns the number of the line, and the column, from 1 on, of the byte at position `at`.
function Document:position(at)
  local low, high = 1, #self.starts
  while low < high do
    local middle = (low + high + 1) // 2
    if self.starts[middle] <= at then low = middle else high = middle - 1 end
  end
  return low, at - self.starts[low] + 1
end

-- Returns the number of UTF-16 code units before the byte `column`, from 1 on, of a text. Bytes that are no UTF-8 count
-- as one unit.
function documents.utf16(text, column)
  local units, at = 0, 1
  column = math.min(column, #text + 1)
  while at < column do
    local byte = text:byte(at)
    local width = byte < 0xC0 and 1 or byte < 0xE0 and 2 or byte < 0xF0 and 3 or byte < 0xF8 and 4 or 1
    if width > 1 and not utf8.len(text, at, at) then width = 1 end
    units = units + (width == 4 and 2 or 1)
    at = at + width
  end
  return units
end

-- Returns the column, from 1 on, of the byte that begins after `units` UTF-16 code units of a text; at most the column
-- after its end.
function documents.byte_column(text, units)
  local at, count = 1, 0
  while count < units and at <= #text do
    local byte = text:byte(at)
    local width = byte < 0xC0 and 1 or byte < 0xE0 and 2 or byte < 0xF0 and 3 or byte < 0xF8 and 4 or 1
    if width > 1 and not utf8.len(text, at, at) then width = 1 end
    count, at = count + (width == 4 and 2 or 1), at + width
  end
  return math.min(at, #text + 1)
end

-- Returns a position of the protocol for line and column, both from 1 on. `encoding`: "utf-16" or "utf-8". Positions
-- outside of the text become the nearest ones in it.
function Document:to_protocol(line, column, encoding)
  line = math.max(1, math.min(line, #self.starts))
  local text = self:line(line)
  column = math.max(1, math.min(column, #text + 1))
  return { line = line - 1, character = encoding == "utf-8" and column - 1 or documents.utf16(text, column) }
end

-- Returns line and column, both from 1 on, of a position of the protocol; nil if it is no position.
function Document:from_protocol(position, encoding)
  if type(position) ~= "table" then return nil end
  local line, character = math.tointeger(position.line), math.tointeger(position.character)
  if not line or not character or line < 0 or character < 0 then return nil end
  if line >= #self.starts then return #self.starts, #self:line(#self.starts) + 1 end
  local text = self:line(line + 1)
  local column = encoding == "utf-8" and math.min(character, #text) + 1 or documents.byte_column(text, character)
  return line + 1, column
end

-- Returns the path of a URI with the scheme file; the URI itself for other schemes, or malformed ones.
function documents.path(uri)
  local path = uri:match "^file://[^/]*(/.*)$"
  if not path then return uri end
  return (path:gsub("[?#].*$", ""):gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

-- Returns the URI of an absolute path.
function documents.uri(path)
  return "file://" .. path:gsub("[^%w/._~-]", function(c) return ("%%%02X"):format(c:byte()) end)
end

return documents
