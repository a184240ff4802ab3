-- openmp_exclusions.lua - decides which clauses of one OpenMP construct exclude each other (AMB-LLNL-04). Used by
-- openmp_sema.lua, types/clause_groups.lua and run/openmp_host.lua.
--
-- Input: the clauses of a construct, split into parts. Output: whether two parts exclude each other.
--
-- A clause is split into parts {clause, item?, key, text}: one for each list item, or one for the clause. Parts with
-- equal keys concern the same variable, or are the same unique clause. Parts of other clauses (depend, allocate) have
-- no key.

local unparse_openmp = require "accdeep.syntax.unparse_openmp"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local word_set = require "accdeep.base.strings".word_set

local openmp_exclusions = {}

-- Clauses that exclude each other for a variable, except firstprivate with lastprivate.
local exclusive = openmp_directives.clauses_where(function(entry) return entry.exclusive end)
-- Clauses in which a variable that is mapped as a whole must not occur. Sharing and reduction clauses are not among
-- them, because combined constructs may share and reduce the variables that they map.
local unmapped = openmp_directives.clauses_where(function(entry) return entry.unmapped end)
local map_types = word_set "to from tofrom alloc storage release delete"

-- Clauses that may occur once.
local unique = openmp_directives.clauses_where(function(entry) return entry.unique end)

-- Returns a text that only one clause of a directive may have. For if, it has the directive-name in the clause; for
-- defaultmap, the category of variables; for a clause that may occur once, it is the clause's name. Returns nil or
-- false for other clauses.
function openmp_exclusions.once_key(clause)
  if clause.name == "if" then return "if " .. (clause.modifier and clause.modifier.name or "") end
  if clause.name == "defaultmap" then return "defaultmap " .. (clause.words[2] and clause.words[2].name or "all") end
  return unique[clause.name] and clause.name
end

-- Returns the text of the variable or member that contains the list item `item`.
local function root_item(item)
  while item.tag == "index" or item.tag == "section" or item.tag == "alias" or item.tag == "unary" do
    item = item.base or item.e
  end
  return unparse_openmp.item(item)
end

-- Returns the parts of a clause: one for each list item, or one for the whole clause.
function openmp_exclusions.clause_parts(clause)
  if not clause.vars then
    local key = openmp_exclusions.once_key(clause)
    return { { clause = clause, key = key and "once " .. key, text = unparse_openmp.clause(clause) } }
  end
  local parts = {}
  for i, item in ipairs(clause.vars) do
    local single = setmetatable({ vars = { item } }, { __index = clause })
    parts[i] = { clause = clause, item = item, key = "variable " .. root_item(item),
      text = unparse_openmp.clause(single) }
  end
  return parts
end

-- Returns the position of a part in the text: of its list item, otherwise of its clause.
function openmp_exclusions.position(part) return part.item and part.item.pos or part.clause.pos end

-- Returns the map type among a map's modifiers; "tofrom" if it has none.
local function map_type(clause)
  for _, modifier in ipairs(clause.modifiers) do
    if map_types[modifier.name] then return modifier.name end
  end
  return "tofrom"
end

-- True if two different parts `a` and `b` with equal keys exclude each other, so that one construct cannot have both
-- parts.
function openmp_exclusions.clash(a, b)
  local first, second = a.clause, b.clause
  if not a.item then return true end
  if first.kind == "map" and second.kind == "map" then return map_type(first) ~= map_type(second) end
  if first.kind == "motion" and second.kind == "motion" then return first.name ~= second.name end
  if first.kind == "map" or second.kind == "map" then
    local mapped, shared = b, first
    if first.kind == "map" then mapped, shared = a, second end
    return mapped.item.tag == "id" and unmapped[shared.name] or false
  end
  if not exclusive[first.name] or not exclusive[second.name] then return false end
  if first.name == second.name then return first.op ~= second.op end
  local pair = word_set(first.name .. " " .. second.name)
  return not (pair.firstprivate and pair.lastprivate)
end

return openmp_exclusions
