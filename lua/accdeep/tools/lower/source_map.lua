-- source_map.lua - the text of a unit that is put together: of files and of lines that each have a place in a file.

local Flat = {}
Flat.__index = Flat

local source_map = {}

-- An empty text, with other fields: {text (when it is finished), places (list of {at (a position), first (the line
-- there), path, line, flag}), paths (of other files in it)}.
function source_map.new(fields)
  fields.parts, fields.size, fields.line, fields.places, fields.paths = {}, 0, 1, {}, {}
  return setmetatable(fields, Flat)
end

function Flat:add(text)
  local _, feeds = text:gsub("\n", "")
  self.parts[#self.parts + 1] = text
  self.size, self.line = self.size + #text, self.line + feeds
end

-- What follows is a file's, from one of its lines on. flag: of the preprocessor's, where a file begins or goes on.
function Flat:begin(path, line, flag)
  local known_path, known_line
  if self.places[1] and not flag then known_path, known_line = self:position(self.line) end
  if known_path == path and known_line == line then return end
  table.insert(self.places, { at = self.size + 1, first = self.line, path = path, line = line, flag = flag })
end

function Flat:finish()
  self.text = table.concat(self.parts)
  return self
end

-- The file and its line that a line of the text is.
function Flat:position(line)
  local low, high = 1, #self.places
  while low < high do
    local middle = (low + high + 1) // 2
    if self.places[middle].first <= line then low = middle else high = middle - 1 end
  end
  local place = self.places[low]
  return place.path, place.line + line - place.first
end

return source_map
