-- reductions.lua - checks reductions of nested OpenACC loops: all enclosing loops that a reduction spans name the
-- variable, with one operator. c_body.lua and fortran_body.lua call reductions.check.
--
-- Input: a compute construct and its analysed body. Output: none; a reduction that enclosing loops contradict is an
-- error.
--
-- The walk over a body keeps a stack of the constructs and blocks that enclose a loop, outermost first. An entry of a
-- directive is {construct, attributes, body}, where `attributes` maps a variable to its operator or "private". An entry
-- of a block is {declared}, with its own variables. ASTs are those of C or Fortran; of_loop(node) finds their loop
-- directives.

local openacc_directives = require "accdeep.definitions.openacc_directives"
local diagnostic = require "accdeep.base.diagnostic"
local list_item = require "accdeep.sema.c.list_item"
local ast = require "accdeep.base.ast"

local raise = diagnostic.raise

local reductions = {}

local makes_private = { private = true, firstprivate = true } -- clauses that make a variable private

-- Returns the attributes that the directive `construct` gives to variables: name -> the operator of the variable's
-- reduction, or "private".
local function reductions_of(construct)
  local attributes = {}
  for _, clause in ipairs(construct.clauses) do
    local attribute = clause.name == "reduction" and clause.op or makes_private[clause.name] and "private"
    for _, item in ipairs(attribute and clause.vars or {}) do
      attributes[list_item.root_variable(item) or ""] = attribute
    end
  end
  return attributes
end

-- True if a loop's body assigns to the variable `name` outside of `inner`, the loop that reduces it. Each iteration of
-- the outer loop then has a reduction of its own, which does not span the outer loop.
local function has_own_reduction(body, name, inner)
  local is_assigned = false
  ast.visit(body, function(node)
    if node.tag == "assign" and (node.op or "=") == "=" then
      local to = node.to
      while to.base do to = to.base end
      is_assigned = is_assigned or to.name == name
    end
    return node == inner
  end)
  return is_assigned
end

-- Raises if an enclosing directive reduces the variable `name` by another operator than `op`, or if the reduction spans
-- an enclosing loop that does not name the variable. enclosing: the stack of entries; inner: AST of the reducing loop.
-- Decides ACC33-2.9.11-3.
local function check(enclosing, name, op, pos, inner)
  for i = #enclosing, 1, -1 do
    local construct = enclosing[i].construct
    local attribute = construct and enclosing[i].attributes[name]
    if enclosing[i].declared and enclosing[i].declared[name] or attribute == "private" then return end
    if attribute and attribute ~= op then
      raise("conflicting-clauses", pos, ("'%s' is reduced by '%s' here, and by '%s' in the '%s' around"):format(name,
        op, attribute, construct.name), { length = #name, rule = "ACC33-2.9.11-3", help = "use one operator" })
    elseif construct and not attribute and openacc_directives.directive(construct.name).association == "loop" then
      if has_own_reduction(enclosing[i].body, name, inner) then return end
      raise("missing-clause", pos, ("the reduction of '%s' spans the '%s' around, which does not reduce it"):format(
        name, construct.name), { length = #name, rule = "ACC33-2.9.11-3",
        help = ("write reduction(%s: %s) there, too, or make %s private there"):format(op, name, name) })
    end
  end
end

local scopes = { block = true, ["for"] = true, switch = true } -- nodes that open a scope of variables

-- Raises if a loop in the body of a compute construct has a reduction that does not fit the enclosing directives.
-- compute: the construct's directive. of_loop(node) returns the directive of the loop construct that `node` stands for,
-- or nil.
function reductions.check(compute, body, of_loop)
  local enclosing = { { construct = compute, attributes = reductions_of(compute), body = body } }
  -- Visits the children of `node` with `entry` on the stack.
  local function visit_nested(entry, node, visit)
    enclosing[#enclosing + 1] = entry
    for _, child in ast.children(node) do visit(child) end
    enclosing[#enclosing] = nil
  end
  -- Checks the reductions of `node`, if it is a loop construct, and visits its children.
  local function visit(node)
    local construct = node.tag and of_loop(node)
    if construct then
      for _, clause in ipairs(construct.clauses) do
        for _, item in ipairs(clause.name == "reduction" and clause.vars or {}) do
          check(enclosing, list_item.root_variable(item), clause.op, item.pos, node)
        end
      end
      return visit_nested({ construct = construct, attributes = reductions_of(construct), body = node }, node, visit)
    elseif scopes[node.tag] then
      return visit_nested({ declared = {} }, node, visit)
    elseif node.tag == "declaration" then
      for _, item in ipairs(node.list) do
        local declarator = item.declarator
        while declarator.inner do declarator = declarator.inner end
        local scope = enclosing[#enclosing]
        if scope.declared then scope.declared[declarator.name] = true end
      end
    end
    for _, child in ast.children(node) do visit(child) end
  end
  visit(body)
end

return reductions
