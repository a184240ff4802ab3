-- line_writer.lua - collects indented lines of C code, for emit/deep_directive.lua and c_calls.lua. `require` returns a
-- function, which returns an empty writer.

local Writer = {}
Writer.__index = Writer
-- Appends a line with indentation.
function Writer:line(text) self.lines[#self.lines + 1] = ("    "):rep(self.depth) .. text end
-- Appends an opening brace; later lines are indented by one more level.
function Writer:open_brace()
  self:line "{"
  self.depth = self.depth + 1
end
-- Appends a line without indentation.
function Writer:raw(text) self.lines[#self.lines + 1] = text end
-- Appends the closing brace of the innermost open brace.
function Writer:close_brace()
  self.depth = self.depth - 1
  self:line "}"
end

-- Returns a writer without lines: {lines, depth}, with the methods above.
return function() return setmetatable({ lines = {}, depth = 0 }, Writer) end
