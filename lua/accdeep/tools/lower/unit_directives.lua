-- unit_directives.lua - the directives of a unit that lowering is about, in C and in Fortran.

local deep_copy = require "accdeep.tools.export.deep_copy"

local unit_directives = {}

-- Directives that have no data clause, or are the compiler's own matter, by their first words.
unit_directives.others = { loop = true, routine = true, atomic = true, cache = true, wait = true, init = true,
  shutdown = true, set = true, host_data = true, ["end"] = true }
-- Whether the directives that begin with a word move data. as_calls: they become calls.
function unit_directives.moves_data(word, as_calls)
  return not unit_directives.others[word] or as_calls ~= nil and word == "host_data"
end
unit_directives.descriptions = { shape = true, policy = true }
-- Directives without a statement or a region.
unit_directives.standalone = { ["enter data"] = true, ["exit data"] = true, update = true, declare = true }

function unit_directives.is_compute(node)
  local first = node.name:match "^%a+"
  return first == "parallel" or first == "serial" or first == "kernels"
end

-- Reads the texts of directives that may move data. Returns add(one, text, fn, ...): one = a directive, text = without
-- its sentinel; fn(...) gives its tree, which becomes one.node. one.extension: what of it is of TR-14-1; and
-- finish(): the list of directives, and whether one is of TR-14-1. finish raises the first error of a text, but only
-- then: otherwise the compiler reports it.
function unit_directives.reader()
  local list, is_extended, problem = {}, false, nil
  local function add(one, text, fn, ...)
    local ok, node = pcall(fn, ...)
    if not ok then
      problem = problem or node
      is_extended = is_extended or unit_directives.descriptions[text:match "^%a+"] == true
      return
    end
    if node.name == "data" and not node.clauses[1] then return end -- which compilers take, and which does nothing
    one.node, one.extension = node, unit_directives.descriptions[node.name] and node.name or deep_copy.extension(node)
    is_extended = is_extended or one.extension ~= nil
    list[#list + 1] = one
  end
  local function finish()
    if is_extended and problem then error(problem, 0) end
    return list, is_extended
  end
  return add, finish
end

return unit_directives
