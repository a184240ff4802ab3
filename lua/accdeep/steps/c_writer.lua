-- c_writer.lua - writes steps in C; its writer also collects the lines of lowered directives (tools/lower).

local steps = require "accdeep.steps"

local c_writer = {}

local Writer = {}
Writer.__index = Writer

-- Appends a line with the indentation of the open blocks.
function Writer:line(text)
  self.lines[#self.lines + 1] = text == "" and "" or ("    "):rep(self.depth) .. text
end

-- Appends a line without indentation.
function Writer:raw(text) self.lines[#self.lines + 1] = text end

-- Appends a brace that opens or closes a block.
function Writer:open_brace()
  self:line "{"
  self.depth = self.depth + 1
end
function Writer:close_brace()
  self.depth = self.depth - 1
  self:line "}"
end

-- Appends the lines of `text` with the indentation of the open blocks instead of their own. `in_braces`: as a block.
function Writer:statements(text, in_braces)
  local lines, least = {}, math.huge
  for line in (text:gsub("^[ \t]*\r?\n", ""):gsub("%s+$", "") .. "\n"):gmatch "(.-)\r?\n" do
    lines[#lines + 1] = line
    local indent = #line:match "^%s*"
    if line:find "%S" and (#lines > 1 or indent > 0) then least = math.min(least, indent) end
  end
  if in_braces then self:open_brace() end
  for _, line in ipairs(lines) do self:line(line:sub(math.min(least, #line:match "^%s*") + 1)) end
  if in_braces then self:close_brace() end
end

-- Functions that write a step, by kind.
local write = {}

-- Writes a directive, and the body of a compute construct. A region's block stays open.
function write.acc(self, step)
  self:line(("#pragma %s %s"):format(step.kind, steps.strip_sentinel(step.kind, step.text)))
  if step.body then self:statements(step.body, steps.definition(step).association ~= "loop") end
  if steps.opens(step) then self:open_brace() end
end
write.omp = write.acc

-- Writes the compute construct that executes a kernel's statements.
function write.kernel(self, step) write.acc(self, step.construct) end

-- Writes a statement of the host.
function write.host(self, step) self:line(step.text .. ";") end

-- Writes statements of the host.
function write.statements(self, step) self:statements(step.text, step.in_braces) end

-- Writes the allocation of a pointer's objects.
function write.alloc(self, step)
  self:line(("%s = (%s *)calloc(%d, sizeof(%s));"):format(step.text, step.type, step.count, step.type))
end

-- Writes the statement that prints a number.
function write.print(self, step) self:line(('printf("%s %%g\\n", %s);'):format(step.label, step.text)) end

-- Writes a line of C only.
function write.c(self, step) self:line(step.text) end

write.begin, write["end"] = Writer.open_brace, Writer.close_brace

-- Writes nothing: the line belongs to scenarios.
function write.script() end

-- Returns a writer without lines. `depth`: number of blocks around them.
function c_writer.new(depth) return setmetatable({ lines = {}, depth = depth }, Writer) end

-- Returns steps as a list of lines of C. `depth`: number of blocks around them. Precondition: no step is a routine or
-- Fortran.
function c_writer.lines(list, depth)
  local self = c_writer.new(depth)
  for _, step in ipairs(list) do write[step.kind](self, step) end
  return self.lines
end

-- Returns a program as C with a function main. Fields of `program`: `declarations`: a text. `steps`: the steps.
function c_writer.write(program)
  return ("#include <stdio.h>\n#include <stdlib.h>\n%s\nint main(void)\n{\n%s\n    return 0;\n}\n"):format(
    program.declarations, table.concat(c_writer.lines(program.steps, 1), "\n"))
end

return c_writer
