-- fortran_writer.lua - methods that collect indented Fortran statements in {lines, depth}. `depth`: number of open
-- constructs.

local fortran_writer = {}

function fortran_writer:line(format, ...)
  self.lines[#self.lines + 1] = ("  "):rep(self.depth) .. (select("#", ...) > 0 and format:format(...) or format)
end

function fortran_writer:open(...)
  self:line(...)
  self.depth = self.depth + 1
end

function fortran_writer:close(text)
  self.depth = self.depth - 1
  self:line(text)
end

return fortran_writer
