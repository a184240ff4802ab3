-- unit_directives.lua - classifies the directives of a unit: those that lowering handles, and those left to the
-- compiler.
--
-- c_unit.lua, fortran_unit.lua and their helpers use it.

local deep_directive = require "accdeep.tools.emit.deep_directive"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local word_set = require "accdeep.base.strings".word_set

local unit_directives = {}

-- Kinds of directives that need no rewriting, because they map no data: the compiler handles them.
local without_data = word_set "body declaration wait init shutdown set"

-- Returns true if directives that begin with `word` may move data: all except those that map no data, and end
-- directives. `as_calls`: not nil if directives become calls of the library; host_data then counts, too.
function unit_directives.moves_data(word, as_calls)
  local entry = openacc_directives.directive(word)
  local kind = entry and entry.kind
  return word ~= "end" and not without_data[kind] and (kind ~= "host data" or as_calls ~= nil)
end

-- Names of the directives of TR-14-1 that describe a type, and of directives without a statement or region.
unit_directives.descriptions, unit_directives.standalone = {}, {}
for _, entry in ipairs(openacc_directives.directives) do
  unit_directives.descriptions[entry[1]] = entry.kind == "members" or nil
  unit_directives.standalone[entry[1]] = entry.kind ~= "members" and not entry.association or nil
end

-- Returns true if a directive is a compute construct: parallel, serial or kernels, also combined with loop.
function unit_directives.is_compute(node) return openacc_directives.directive(node.name).kind == "compute" end

-- Returns two functions: `add` and `finish`. add(directive, text, fn, ...) parses a directive by calling fn(...),
-- sets its fields `node` and `extension`, and appends it to the list. `text`: the directive without its sentinel.
-- `extension`: name of the feature of TR-14-1 that the directive uses, or nil. finish() returns the list, and true if a
-- directive is of TR-14-1. Only in that case it raises the first syntax error; otherwise the compiler reports the
-- error.
function unit_directives.reader()
  local list, is_extended, problem = {}, false, nil
  -- Parses a directive by fn(...), sets its fields `node` and `extension`, and appends it to the list.
  local function add(directive, text, fn, ...)
    local ok, node = pcall(fn, ...)
    if not ok then
      problem = problem or node
      is_extended = is_extended or unit_directives.descriptions[text:match "^%a+"] == true
      return
    end
    -- Compilers accept an empty `data`. It has no effect, therefore it is not added to the list.
    if node.name == "data" and not node.clauses[1] then return end
    directive.node = node
    directive.extension = unit_directives.descriptions[node.name] and node.name or deep_directive.extension(node)
    is_extended = is_extended or directive.extension ~= nil
    list[#list + 1] = directive
  end
  -- Returns the list of directives, and true if one is of TR-14-1; raises the first syntax error in that case.
  local function finish()
    if is_extended and problem then error(problem, 0) end
    return list, is_extended
  end
  return add, finish
end

return unit_directives
