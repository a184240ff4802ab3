-- parallel_loops.lua - marks loops of a body whose iterations a device may run in parallel, for the check of data races
-- (backend/iteration_races.lua).
--
-- Input: a loop directive, the level that encloses it (nesting_check.lua), and its loop nodes. Output: the outermost
-- loop node gets the field `parallel`, the innermost one `iteration`. Both are the same table {counters, level,
-- is_simd, is_distributed, limits}:
--   counters        names of the loops' counters, from the outermost.
--   level           threads that share the iterations: 0 lanes of one thread, 1 gangs or teams, 2 threads of a team.
--   is_simd         true if lanes of one thread may run iterations, too.
--   is_distributed  true if the iterations are divided among teams.
--   limits          clauses of OpenMP that may leave one thread or one team: {clause, is_host}; is_host: true for a
--                   clause of the kernel's construct, which the host evaluates.

local nesting_check = require "accdeep.sema.body.nesting_check"
local openacc_sema = require "accdeep.sema.openacc_sema"
local word_set = require "accdeep.base.strings".word_set

local parallel_loops = {}

-- Returns the set of the names of the clauses in a list.
local function clause_names(clauses)
  local names = {}
  for _, clause in ipairs(clauses) do names[clause.name] = true end
  return names
end

-- Returns {level, is_simd} of the iterations of an OpenACC loop; nil if they run in order, or if the compiler decides.
-- node: a loop or combined construct; outer: the enclosing level, nil for a combined construct. Decides ACC33-2.9-5.
local function openacc_parallelism(node, outer)
  local clauses = clause_names(openacc_sema.default_device_clauses(node))
  if clauses.seq or clauses.auto then return nil end
  local compute = nesting_check.enclosing_compute(outer)
  local construct = (compute and compute.node or node).name:match "^%a+"
  if construct == "serial" or construct == "kernels" and not clauses.independent then return nil end
  return { level = 1, is_simd = true, limits = {} }
end

-- Returns the clauses that may leave one thread or one team for the loop construct `node` inside `outer`: `limits`.
local function limits_of(node, outer)
  local limits, has_threads, visited = {}, false, {}
  local level = { node = node, outer = outer }
  while level do
    local parts = word_set(level.node.name)
    for _, clause in ipairs(visited[level.node] and {} or level.node.clauses) do
      local modifier = clause.modifier and clause.modifier.name
      local is_condition = clause.name == "if" and (modifier == "parallel" or not modifier and not parts.target)
      local is_of_threads = parts.parallel and (is_condition or clause.name == "num_threads")
      if is_of_threads and not has_threads or clause.name == "num_teams" then
        limits[#limits + 1] = { clause = clause, is_host = parts.target ~= nil }
      end
    end
    visited[level.node] = true
    has_threads = has_threads or parts.parallel ~= nil
    level = level.outer
  end
  return limits
end

-- Returns {level, is_simd, is_distributed} of the iterations of an OpenMP loop; nil if one thread runs them in order.
-- node: the construct; outer: the enclosing level, or nil. Decides OMP60-race-1.
local function openmp_parallelism(node, outer)
  local clauses, parts = clause_names(node.clauses), word_set(node.name)
  if clauses.ordered or parts.taskloop then return nil end
  local is_in_parallel, level = parts.parallel, outer
  while level do
    is_in_parallel, level = is_in_parallel or level.part == "parallel", level.outer
  end
  local is_simd, is_worksharing = parts.simd and not clauses.safelen, parts["for"] or parts["do"]
  local found
  if is_worksharing and is_in_parallel then found = { level = 2, is_simd = is_simd }
  elseif parts.loop then found = { level = 2, is_simd = true }
  elseif parts.distribute then found = { level = 1, is_simd = is_simd }
  elseif is_simd then found = { level = 0, is_simd = true } end
  if found then found.is_distributed, found.limits = parts.distribute or parts.loop, limits_of(node, outer) end
  return found
end

-- Marks the nested loops of a loop construct whose iterations may run in parallel, and returns true; returns false for
-- other loops. language: "acc" or "omp"; loops: list of loop nodes, from the outermost; name_of(loop): its counter.
function parallel_loops.mark(language, node, outer, loops, name_of)
  local parallel = (language == "acc" and openacc_parallelism or openmp_parallelism)(node, outer)
  if not parallel or not loops[1] then return false end
  parallel.counters = {}
  for i, loop in ipairs(loops) do parallel.counters[i] = name_of(loop) end
  loops[1].parallel, loops[#loops].iteration = parallel, parallel
  return true
end

return parallel_loops
