-- nesting_check.lua - checks which constructs may be nested in which (OpenMP 5.1, 2.24: OMP60-nest-1; OpenACC 3.3, 2.9:
-- ACC33-2.9-2). c_body.lua and fortran_body.lua call it.
--
-- Input: a directive, and the level that encloses it. Output: none; wrong nesting is an error.
--
-- The constructs that enclose a statement form a linked list of levels {part, node, outer, on}, innermost first. part:
-- a constituent of a combined construct; outer: the enclosing level, or nil; on: where the statement runs, "host",
-- "omp" (a target region) or "acc" (a compute region).

local openacc_sema = require "accdeep.sema.openacc_sema"
local diagnostic = require "accdeep.base.diagnostic"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local word_set = require "accdeep.base.strings".word_set

local raise = diagnostic.raise

local nesting_check = {}

local worksharing = "for sections single scope" -- worksharing constructs
-- Construct -> enclosing constructs that forbid it, unless a construct of begins_team is between the two.
local in_none_of = {
  barrier = word_set(worksharing .. " loop task taskloop critical ordered atomic masked master section"),
  masked = word_set(worksharing .. " loop task taskloop atomic section"),
  ordered = word_set "critical ordered loop atomic task taskloop",
}
in_none_of.master = in_none_of.masked
for part in worksharing:gmatch "%S+" do in_none_of[part] = in_none_of.barrier end

-- Construct -> constructs that may be nested directly in it; all others are refused.
local only_inside = {
  teams = word_set "distribute parallel loop",
  loop = word_set "loop parallel simd",
  simd = word_set "simd loop atomic ordered",
  sections = word_set "section",
}
-- Constructs that begin a new (implicit) parallel region.
local begins_team = word_set "parallel teams target"

-- Raises the error for a construct that may not be nested at its place. fields: further fields of the error; `rule` is
-- set to OMP60-nest-1 if missing.
local function refuse(node, message, fields)
  fields.length, fields.rule = #node.name, fields.rule or "OMP60-nest-1"
  raise("region-nesting", node.pos, message, fields)
end

-- True if the directive `node` has a clause of this name.
local function has_clause(node, name)
  for _, clause in ipairs(node.clauses) do
    if clause.name == name then return true end
  end
  return false
end
nesting_check.has_clause = has_clause

-- Returns the name of the critical construct `node`; "" if it has none.
function nesting_check.name_of(node) return node.vars and node.vars[1].tag == "id" and node.vars[1].name or "" end

-- Raises if the critical construct `node` is nested in a critical construct of the same name, which would deadlock.
-- level: innermost enclosing level, or nil.
local function check_critical(level, node)
  while level do
    if level.part == "critical" and nesting_check.name_of(level.node) == nesting_check.name_of(node) then
      refuse(node, "a critical region inside of one with the same name: it would wait for itself", {})
    end
    level = level.outer
  end
end

-- Raises if the ordered construct `node` is in no worksharing loop, or if the innermost worksharing loop has no ordered
-- clause. level: innermost enclosing level, or nil. ordered simd is always allowed.
local function check_ordered(level, node)
  if has_clause(node, "simd") then return end
  local at = level
  while at and at.part ~= "for" and not begins_team[at.part] do at = at.outer end
  if not at or at.part ~= "for" or not has_clause(at.node, "ordered") then
    refuse(node, "'ordered' is allowed only in a worksharing loop with the clause ordered", {})
  end
end

-- Raises if `part`, a constituent of the OpenMP construct `node` or a standalone directive, may not be nested in the
-- enclosing constructs. level: the innermost enclosing level, or nil; it may be an earlier constituent of `node`.
-- Decides OMP60-nest-1.
function nesting_check.check(part, node, level)
  local inside = level and only_inside[level.part]
  if inside and level.node ~= node and not inside[part] then
    refuse(node, ("'%s' may not stand directly inside of '%s'"):format(node.name, level.part), {})
  end
  local at, forbidden = level, in_none_of[part]
  while forbidden and at and not begins_team[at.part] do
    if forbidden[at.part] then
      refuse(node, ("'%s' must not be nested in '%s' without a parallel region between them"):format(node.name,
        at.part), {})
    end
    at = at.outer
  end
  if part == "critical" then check_critical(level, node)
  elseif part == "ordered" then check_ordered(level, node)
  elseif part == "distribute" and not (level and level.part == "teams") then
    refuse(node, "'distribute' stands directly in a teams region", {})
  elseif part == "teams" and level and level.part ~= "target" then
    refuse(node, "'teams' stands directly in a target region, or in nothing", {})
  elseif part == "section" and not (level and level.part == "sections") then
    refuse(node, "'section' stands directly in a sections region", {})
  end
end

-- ---------------------------------------------------------------------------------------- OpenACC --

-- Returns the level of the compute construct `node`, without an enclosing level.
function nesting_check.compute(node)
  local is_loop = openacc_directives.directive(node.name).association == "loop"
  return { part = is_loop and "loop" or node.name, node = node, on = "acc", compute = true }
end

-- Returns the level of the compute construct that encloses a level (or is this level); nil if there is none.
function nesting_check.enclosing_compute(level)
  while level and not level.compute do level = level.outer end
  return level
end

-- clause of a loop -> clauses that an enclosing loop must not have
local refused_in = { gang = word_set "gang worker vector", worker = word_set "worker vector",
  vector = word_set "vector" }

-- True if the gang loop `inner` may be nested in the gang loop `outer`: its dimension is lower (ACC33-2.9-2).
-- Dimensions that are not numbers must only differ. inner, outer: the gang clauses of the two loops.
local function is_lower(inner, outer)
  local low, high = openacc_sema.dimension(inner) or "1", openacc_sema.dimension(outer) or "1"
  return low ~= high and (not (tonumber(low) and tonumber(high)) or tonumber(low) < tonumber(high))
end

-- Raises if the loop directive `node` uses a level of parallelism that an enclosing loop uses, or a coarser one. From
-- coarse to fine, the levels are gang, worker, vector. level: innermost enclosing level, or nil. Decides ACC33-2.9-2.
function nesting_check.check_levels(node, level)
  for _, clause in ipairs(openacc_sema.default_device_clauses(node)) do
    local refused = refused_in[clause.name]
    local at = refused and level
    while at do
      for _, other in ipairs(at.part == "loop" and openacc_sema.default_device_clauses(at.node) or {}) do
        local both_gangs = clause.name == "gang" and other.name == "gang"
        if refused[other.name] and not (both_gangs and is_lower(clause, other)) then
          raise("region-nesting", clause.pos, ("a %s loop inside of a %s loop"):format(clause.name, other.name),
            { length = #clause.name, rule = "ACC33-2.9-2" })
        end
      end
      at = at.outer
    end
  end
end

return nesting_check
