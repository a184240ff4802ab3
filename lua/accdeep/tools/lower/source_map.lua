-- source_map.lua - a text composed of pieces of several files, with a map from its lines to the original files and
-- lines.
--
-- headers.lua and macros.lua build it; c_unit.lua asks it for positions.

local Flat = {}
Flat.__index = Flat

local source_map = {}

-- Returns an empty text with the additional fields `fields`. Methods fill {parts, size, line, text, places, paths}.
-- `text`: set by finish. `places`: a sorted list of {at, first, path, line, flag}: from position `at` and line `first`
-- on, the text is from line `line` of the file `path`. `paths`: other files in the text, filled by users.
function source_map.new(fields)
  fields.parts, fields.size, fields.line, fields.places, fields.paths = {}, 0, 1, {}, {}
  return setmetatable(fields, Flat)
end

-- Appends a text to the current piece.
function Flat:add(text)
  local _, feeds = text:gsub("\n", "")
  self.parts[#self.parts + 1] = text
  self.size, self.line = self.size + #text, self.line + feeds
end

-- Starts a piece: the following text is from the file `path`, beginning at its line `line`. `flag`: the preprocessor's
-- flag for entering (1) or returning to (2) a file, or nil. Without a flag, does nothing if the previous piece already
-- continues there.
function Flat:begin(path, line, flag)
  local known_path, known_line
  if self.places[1] and not flag then known_path, known_line = self:position(self.line) end
  if known_path == path and known_line == line then return end
  table.insert(self.places, { at = self.size + 1, first = self.line, path = path, line = line, flag = flag })
end

-- Sets the field `text` to the joined pieces. Returns the object.
function Flat:finish()
  self.text = table.concat(self.parts)
  return self
end

-- Returns the file to which a line of the text belongs, and the line in that file, by binary search. Precondition: the
-- text begins with a piece.
function Flat:position(line)
  local low, high = 1, #self.places
  while low < high do
    local middle = (low + high + 1) // 2
    if self.places[middle].first <= line then low = middle else high = middle - 1 end
  end
  local piece = self.places[low]
  return piece.path, piece.line + line - piece.first
end

return source_map
