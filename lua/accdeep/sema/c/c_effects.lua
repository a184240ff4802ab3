-- c_effects.lua - side effects of C text by its AST: which variables it assigns, and whether control leaves it.
--
-- Input: an AST. Output: the node that has the effect, or nil.

local ast = require "accdeep.base.ast"

local c_effects = {}

-- True if `node` is an identifier with this name; false if it is another node or nil.
function c_effects.is_name(node, name) return node ~= nil and node.tag == "id" and node.name == name end

-- Returns the AST of the l-value that the expression `node` itself assigns, increments or decrements; nil if `node` is
-- another expression. Assignments inside its operands are not searched.
function c_effects.assignment_target(node)
  if node.tag == "assign" then return node.to end
  return (node.op == "++" or node.op == "--") and (node.e or node.base) or nil
end

-- Returns the first expression in the AST `node` that assigns, increments or decrements the variable `name`; nil if no
-- expression does.
function c_effects.change_of(name, node)
  local change
  ast.visit(node, function(n)
    change = change or c_effects.is_name(c_effects.assignment_target(n), name) and n or nil
    return change ~= nil
  end)
  return change
end

-- Returns the first statement in the AST `node` that leaves it: return, or a break or continue of an enclosing
-- statement. is_loop: true if continue does not leave `node`, because `node` is in a loop that counts as inside;
-- is_breakable: the same for break, in a loop or switch. Returns nil if no statement leaves `node`.
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
