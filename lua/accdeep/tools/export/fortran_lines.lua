-- fortran_lines.lua - statements of Fortran under way: {lines (a list of texts), depth (how many constructs are open)}.

local Lines = {}

function Lines:line(format, ...)
  self.lines[#self.lines + 1] = ("  "):rep(self.depth) .. (select("#", ...) > 0 and format:format(...) or format)
end

function Lines:open(...)
  self:line(...)
  self.depth = self.depth + 1
end

function Lines:close(text)
  self.depth = self.depth - 1
  self:line(text)
end

return Lines
