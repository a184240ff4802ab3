-- openmp_depend.lua - checks depend clauses: their types, iterators and list items. Dependences have no further effect,
-- because tasks are executed in order. openmp_depend.check is the entry point; the session's language chooses check_c
-- or check_fortran.
--
-- Input: a directive. Output: none; a wrong dependence is an error.

local c_sema = require "accdeep.sema.c.c_sema"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_sema = require "accdeep.sema.openmp_sema"
local list_item = require "accdeep.sema.c.list_item"
local ast = require "accdeep.base.ast"

local raise = diagnostic.raise

local openmp_depend = {}

local of_memory = { out = true, inout = true } -- types of dependences that may name omp_all_memory

-- Returns a copy of the AST `expression` in which a number replaces each name of an iterator, so that types can be
-- checked. names: the iterators' names, as keys.
local function substitute_iterators(session, expression, names)
  local language = session.language
  return ast.map(expression, function(node)
    return node.tag == "id" and names[node.name] and language.number(language.first, node.pos) or nil
  end)
end

-- Returns the names of a clause's iterators as keys. Raises for other modifiers, and for wrong bounds; bounds may use
-- earlier iterators.
local function iterators_of(session, clause)
  local names, modifier = {}, clause.modifier
  if not modifier then return names end
  if not modifier.iterators then
    raise("syntax", modifier.pos, ("'%s' is not a modifier of depend"):format(modifier.name),
      { length = #modifier.name, rule = "OMP60-tgt-1", help = "iterator(i = first:last)" })
  end
  for _, iterator in ipairs(modifier.iterators) do
    for _, bound in ipairs { iterator.first, iterator.last, iterator.step } do
      c_sema.expression(session:host_env(), substitute_iterators(session, bound, names))
    end
    names[iterator.name] = true
  end
  return names
end

-- Raises if the type, an iterator or a list item of a depend clause in Fortran is wrong.
function openmp_depend.check_fortran(session, clause)
  openmp_sema.check_dependence(clause)
  local names = {}
  for _, iterator in ipairs(clause.modifier and clause.modifier.iterators or {}) do names[iterator.name] = true end
  for _, item in ipairs(clause.items) do
    if not (item.tag == "id" and item.name == "omp_all_memory" and of_memory[clause.type.name]) then
      list_item.element_type(session, substitute_iterators(session, item, names))
    end
  end
end

-- Raises if the type, an iterator or a list item of a depend clause in C is wrong.
function openmp_depend.check_c(session, clause)
  openmp_sema.check_dependence(clause)
  local names = iterators_of(session, clause)
  for _, item in ipairs(clause.items) do
    if not (item.tag == "id" and item.name == "omp_all_memory" and of_memory[clause.type.name]) then
      item = substitute_iterators(session, item, names)
      item = session.now.this and list_item.qualify(session, item) or item
      list_item.element_type(session, item)
      local _, subscripts = list_item.split_designator(item)
      for _, subscript in ipairs(subscripts or {}) do
        for _, bound in ipairs { subscript.start or false, subscript.length or false, subscript.stride or false,
          subscript.index or false } do
          if bound then c_sema.expression(session:host_env(), bound) end
        end
      end
    end
  end
end

-- Raises if a depend clause of the directive `node` is wrong.
function openmp_depend.check(session, node)
  for _, clause in ipairs(node.clauses) do
    if clause.kind == "depend" then session.language.check_dependence(session, clause) end
  end
end

return openmp_depend
