-- directives.lua - the directives of a unit that lowering is about, in C and in Fortran.

local deep = require "accdeep.tools.export.deep"

local directives = {}

-- Directives that have no data clause, or are the compiler's own matter, by their first words.
directives.others = { loop = true, routine = true, atomic = true, cache = true, wait = true, init = true,
  shutdown = true, set = true, host_data = true, ["end"] = true }
-- Whether the directives that begin with a word move data. as_calls: they become calls.
function directives.concerns(word, as_calls)
  return not directives.others[word] or as_calls ~= nil and word == "host_data"
end
directives.descriptions = { shape = true, policy = true }
-- Directives without a statement or a region.
directives.standalone = { ["enter data"] = true, ["exit data"] = true, update = true, declare = true }

function directives.is_compute(node)
  local first = node.name:match "^%a+"
  return first == "parallel" or first == "serial" or first == "kernels"
end

-- Reads the texts of directives that may move data. Returns add(one, text, fn, ...): one = a directive, text = without
-- its sentinel; fn(...) gives its tree, which becomes one.node. one.extension: what of it is of TR-14-1; and
-- finish(): the list of directives, and whether one is of TR-14-1. finish raises the first error of a text, but only
-- then: otherwise the compiler reports it.
function directives.reader()
  local list, is_extended, problem = {}, false, nil
  local function add(one, text, fn, ...)
    local ok, node = pcall(fn, ...)
    if not ok then
      problem = problem or node
      is_extended = is_extended or directives.descriptions[text:match "^%a+"] == true
      return
    end
    if node.name == "data" and not node.clauses[1] then return end -- which compilers take, and which does nothing
    one.node, one.extension = node, directives.descriptions[node.name] and node.name or deep.extension(node)
    is_extended = is_extended or one.extension ~= nil
    list[#list + 1] = one
  end
  local function finish()
    if is_extended and problem then error(problem, 0) end
    return list, is_extended
  end
  return add, finish
end

return directives
