-- steps - test programs as data: lists of steps that are executed (runner.lua), shortened (shrink.lua), and written as
-- a scenario (scenario_writer.lua) or in C (c_writer.lua).
--
-- A step is a table {kind, text, ...}:
--   acc, omp     the directive `text`; `body`: the statements of a compute construct, or nil.
--   host         the expression `text` of the host, such as "a[0] = 1".
--   kernel       statements on the device; `construct`: the compute construct that executes them, a step.
--   statements   statements of C on the host; `in_braces`: as a block; `clauses`: data clauses that a scenario needs.
--   fortran      statements of Fortran on the host.
--   routine      the call of the routine `name` of OpenACC with the variable or section `text`.
--   end          the end of the innermost open region; with `opener`, of the last region that the step with this
--                number opened.
--   alloc        the pointer `text` gets `count` objects of the type `type`; `value`: the value of their bytes.
--   print        prints the number `text` after the word `label`.
--   script, c    a line of the scenario only, or of the C program only.
--   begin        the beginning of a block of C, which `end` ends.
-- Further fields: `file`, `line`: the source location. `number`: the number of the step in a vocabulary.
--
-- A program is {declarations, steps, ...}. The modules init, shrink and the two writers need no core.

local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"

local steps = {}

local tables = { acc = openacc_directives, omp = openmp_directives }

-- Returns the text of a directive in one line without its sentinel: #pragma acc, !$acc or the word acc. `kind`: acc or
-- omp.
function steps.strip_sentinel(kind, text)
  text = text:gsub("\\\r?\n", " "):gsub("^%s*#%s*pragma%f[%W]", ""):gsub("^%s*!%$", "")
  text = text:gsub("^%s*" .. kind .. "%f[^%w_]", "")
  return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

-- Returns the directive of a step in lower case with the names of its clauses, without text in parentheses.
local function directive_of(step)
  return (steps.strip_sentinel(step.kind, step.text):lower():gsub("%b()", ""))
end

-- Returns the entry of a step's directive in its table (definitions/); nil if the step is no directive.
function steps.definition(step)
  return tables[step.kind] and tables[step.kind].find(directive_of(step))
end

-- Returns the directive that opens a region of data which an `end` step closes: its entry in its table; nil if the
-- step opens no such region.
function steps.opens(step)
  local definition = steps.definition(step)
  return definition and definition.structured and definition or nil
end

-- Returns the change of the number of open regions and blocks by a step: 1, -1 or 0.
function steps.depth_change(step)
  if step.kind == "end" then return -1 end
  return (step.kind == "begin" or steps.opens(step)) and 1 or 0
end

-- Returns the index of the `end` step that closes the region which the step at index `at` opens, for nested regions;
-- nil if there is none.
function steps.end_of(list, at)
  local depth = steps.depth_change(list[at])
  if depth < 1 then return nil end
  for i = at + 1, #list do
    depth = depth + steps.depth_change(list[i])
    if depth == 0 then return i end
  end
  return nil
end

-- Returns the directive of a step without operands, such as "acc exit data delete". Returns "end of a region" for an
-- `end` step, and the kind of other steps without a directive, such as "host".
function steps.family(step)
  if step.kind == "end" then return "end of a region" end
  return tables[step.kind] and step.kind .. " " .. directive_of(step) or step.kind
end

-- Returns the step that executes the statements of a kernel step on the device: a compute construct without data
-- clauses. `is_openmp`: it is a construct of OpenMP.
function steps.construct(kernel, is_openmp)
  return { kind = is_openmp and "omp" or "acc", text = is_openmp and "target" or "parallel default(present)",
    body = kernel.text, file = kernel.file, line = kernel.line, number = kernel.number }
end

-- Returns the text of a host step as an expression; an assignment is put in parentheses, as expressions require.
function steps.expression(step)
  local text = step.text
  local assigns = text:find "[^=!<>]=[^=]" or text:find("<<=", 1, true) or text:find(">>=", 1, true)
  return assigns and "(" .. text .. ")" or text
end

return steps
