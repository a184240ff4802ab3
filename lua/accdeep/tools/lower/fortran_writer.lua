-- fortran_writer.lua - methods that collect indented Fortran statements in {lines, depth}. `depth`: number of open
-- constructs.

local fortran_writer = {}

-- Appends a statement with indentation. Without arguments, `format` is the statement itself.
function fortran_writer:line(format, ...)
  self.lines[#self.lines + 1] = ("  "):rep(self.depth) .. (select("#", ...) > 0 and format:format(...) or format)
end

-- Appends a statement that opens a construct, formatted as by `line`; later lines are indented by one more level.
function fortran_writer:open(...)
  self:line(...)
  self.depth = self.depth + 1
end

-- Appends the statement `text`, such as "end if", that closes the innermost construct.
function fortran_writer:close(text)
  self.depth = self.depth - 1
  self:line(text)
end

return fortran_writer
