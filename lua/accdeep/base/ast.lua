-- ast.lua - traversal of ASTs in the order of their text. Used by all phases after the parsers of lua/accdeep/syntax.
--
-- A node is a table with `tag` (its kind) and `pos` (an index in the text). ast_kinds.lua lists the kinds, their
-- fields, and which of them are children. Children are visited in the order of that list; other fields are values, and
-- are not visited.

local lazy = require "accdeep.base.lazy"
local ast_kinds = lazy.require "accdeep.base.ast_kinds"

local ast = {}

-- Fields of each kind that hold children, in the order of their visits: tag -> list. Raises for an unknown kind.
local child_fields = setmetatable({}, { __index = function(self, tag)
  local list = {}
  for field in ast_kinds[tag]:gmatch "[%w_]+%*? ([%w_]+)" do
    if not list[field] then list[#list + 1], list[field] = field, true end
  end
  self[tag] = list
  return list
end })

-- Returns an iterator, for key, child in ast.children(node): over the child nodes and child lists of a node, or over
-- the elements of a list. Their order is that of the text.
function ast.children(node)
  if not node.tag then return ipairs(node) end
  local fields, i = child_fields[node.tag], 0
  return function()
    local child
    repeat
      i = i + 1
      child = node[fields[i]]
    until type(child) == "table" or i > #fields
    return fields[i], child
  end
end

-- Visits all nodes of an AST in preorder, `node` first. `node` may be a list of nodes. fn(node) is called for nodes
-- only, not for lists; it returns true to skip the children of the node.
function ast.visit(node, fn)
  if node.tag and fn(node) then return end
  for _, child in ast.children(node) do ast.visit(child, fn) end
end

-- Returns true if test(node) is true for at least one node of the AST `node`, which may be a list of nodes.
function ast.any(node, test)
  if node.tag and test(node) then return true end
  for _, child in ast.children(node) do
    if ast.any(child, test) then return true end
  end
  return false
end

-- Returns a copy of an AST in which nodes are replaced. replace(node) returns the replacement, whose children are not
-- visited, or nil to copy the node and continue with its children. finish(copy) is called with each copied node or list
-- after its children were copied; `finish` may be nil.
function ast.map(node, replace, finish)
  local replacement = node.tag and replace(node)
  if replacement then return replacement end
  local copy = ast.copy_with(node)
  for key, child in ast.children(node) do copy[key] = ast.map(child, replace, finish) end
  if finish then finish(copy) end
  return copy
end

-- Returns a shallow copy of a node or list. If `field` is not nil, this field of the copy is set to `value`.
function ast.copy_with(node, field, value)
  local copy = {}
  for key, old in next, node do copy[key] = old end
  if field then copy[field] = value end
  return copy
end

return ast
