-- c_effects.lua - what trees of C text do: which places they change, how they are left.

local ast = require "accdeep.base.ast"

local c_effects = {}

-- Whether a tree is a name and no more.
function c_effects.is_name(node, name) return node ~= nil and node.tag == "id" and node.name == name end

-- The place that an expression itself assigns to, or counts up or down; nil: it does neither.
function c_effects.assignment_target(node)
  if node.tag == "assign" then return node.to end
  return (node.op == "++" or node.op == "--") and (node.e or node.base) or nil
end

-- The first expression in a tree that changes a variable, or nil.
function c_effects.change_of(name, node)
  local found
  ast.visit(node, function(n)
    found = found or c_effects.is_name(c_effects.assignment_target(n), name) and n or nil
    return found ~= nil
  end)
  return found
end

-- The first statement that leaves a body, or nil: return, or break or continue of what is around. is_loop: the body is
-- a loop's, which continue does not leave.
function c_effects.find_exit(node, is_loop, is_breakable)
  local tag = node.tag
  if tag == "return" or tag == "break" and not is_breakable or tag == "continue" and not is_loop then return node end
  local loop = tag == "for" or tag == "while" or tag == "do"
  for _, child in ast.children(node) do
    local found = c_effects.find_exit(child, is_loop or loop, is_breakable or loop or tag == "switch")
    if found then return found end
  end
  return nil
end

return c_effects
