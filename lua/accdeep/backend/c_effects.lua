-- c_effects.lua - side effects of C text by its AST: which variables it assigns, and whether control leaves it.

local ast = require "accdeep.base.ast"

local c_effects = {}

-- True if a node is the identifier `name`; false if `node` is nil.
function c_effects.is_name(node, name) return node ~= nil and node.tag == "id" and node.name == name end

-- Returns the target of the expression `node` itself if it is an assignment, ++ or --; otherwise nil. Operands inside
-- are not searched.
function c_effects.assignment_target(node)
  if node.tag == "assign" then return node.to end
  return (node.op == "++" or node.op == "--") and (node.e or node.base) or nil
end

-- Returns the first expression in an AST that assigns, increments or decrements the variable `name`; nil if no
-- expression does.
function c_effects.change_of(name, node)
  local change
  ast.visit(node, function(n)
    change = change or c_effects.is_name(c_effects.assignment_target(n), name) and n or nil
    return change ~= nil
  end)
  return change
end

-- Returns the first statement that leaves a body: return, or a break or continue that refers to an enclosing statement.
-- is_loop: true if the body is that of a loop, where continue stays inside; is_breakable: true if break stays inside.
-- Returns nil if no statement leaves the body.
function c_effects.find_exit(node, is_loop, is_breakable)
  local tag = node.tag
  if tag == "return" or tag == "break" and not is_breakable or tag == "continue" and not is_loop then return node end
  local loop = tag == "for" or tag == "while" or tag == "do"
  for _, child in ast.children(node) do
    local exit = c_effects.find_exit(child, is_loop or loop, is_breakable or loop or tag == "switch")
    if exit then return exit end
  end
  return nil
end

return c_effects
