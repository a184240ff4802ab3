-- macros.lua - replaces lines of a unit by their preprocessed form, so that directives made by macros and _Pragma get
-- lines of their own.
--
-- c_unit.lua and variable_uses.lua call macros.expand.

local source_map = require "accdeep.tools.lower.source_map"
local line_markers = require "accdeep.tools.lower.line_markers"
local location = require "accdeep.base.location"
local c_source = require "accdeep.tools.lower.c_source"

local macros = {}

-- Returns the preprocessed lines of the file `path`: a table from line number in the file to a list of lines.
local function expanded_lines(path, preprocessed)
  local expanded, file, line = {}, path, 1
  for text in preprocessed:gmatch "([^\n]*)\n" do
    local number, name = line_markers.read(text)
    if number then
      file, line = name, number
    elseif file == path then
      expanded[line] = expanded[line] or {}
      if text:find "%S" then table.insert(expanded[line], text) end
      line = line + 1
    end
  end
  return expanded
end

-- Returns the last line of the macro arguments that begin in the line `line`; `line` itself if no parenthesis is open
-- at its end.
local function end_of(scanned, line)
  local depth, last = 0, line
  for i = 1, scanned.n do
    local at = scanned:line(scanned.at[i])
    if at > last and depth <= 0 then break end
    if at >= line and scanned.kind[i] == "other" then
      local text = scanned:token(i)
      if text == "(" then depth = depth + 1 elseif text == ")" then depth = depth - 1 end
      last = at
    end
  end
  return last
end

-- Returns the unit with the lines `lines` replaced by their preprocessed form, as a text of source_map.lua. `path`,
-- `text`: the unit. `lines`: a list of line numbers, which is sorted here. `before`: the flattened unit
-- (source_map.lua) whose text is `text`, or nil if `text` is that of the file.
function macros.expand(path, text, preprocessed, lines, before)
  local expanded, scanned, starts = expanded_lines(path, preprocessed), c_source.scan(text), location.line_starts(text)
  local places = before and before.places or { { first = 1, path = path, line = 1 } }
  local self, cur, k = source_map.new {}, 1, 1
  -- Copies the lines up to `last` that are not yet copied, with their locations.
  local function copy_to(last)
    while cur <= last do
      while places[k] and places[k].first <= cur do
        if places[k].first == cur then self:begin(places[k].path, places[k].line, places[k].flag) end
        k = k + 1
      end
      local to = math.min(last, places[k] and places[k].first - 1 or last)
      self:add(text:sub(starts[cur], (starts[to + 1] or #text + 1) - 1))
      cur = to + 1
    end
  end
  -- Returns the file and line from which a line of `text` comes.
  local function position(line)
    if before then return before:position(line) end
    return path, line
  end
  table.sort(lines)
  for _, line in ipairs(lines) do
    if line >= cur then
      copy_to(line - 1)
      local last = end_of(scanned, line)
      for number = line, last do
        for _, row in ipairs(expanded[number] or {}) do
          self:begin(position(line))
          self:add(row .. "\n")
        end
      end
      cur = last + 1
      self:begin(position(cur))
    end
  end
  copy_to(#starts)
  self.paths = before and before.paths or self.paths
  return self:finish()
end

return macros
