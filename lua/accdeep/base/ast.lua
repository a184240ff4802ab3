-- ast.lua - traversal of ASTs in a deterministic order. Used by all phases after the parsers of lua/accdeep/syntax.
--
-- A node is a table with `tag` (its kind) and `pos` (its index in the text); other fields hold values, child nodes or
-- lists of nodes. The heads of the files in lua/accdeep/syntax list the kinds and their fields. Children are visited in
-- the order of their positions, and by key if positions are equal. Lua's pairs is not used for this, because its order
-- differs between processes.

local ast = {}

-- Fields in which semantic analysis stores a type. ast.children does not visit a table in such a field that is a type
-- (has `kind`), because a type is not a part of the AST.
local type_fields = { type = true, resolved = true, mapped = true }

-- Returns the position of a node, or of the first node in a list of nodes; math.huge for a list without nodes.
local function position(node)
  while not node.pos do
    node = node[1]
    if type(node) ~= "table" then return math.huge end
  end
  return node.pos
end

-- Returns true if the child with key `a` precedes the child with key `b` of the same node. at, other: positions of the
-- two children in the text. Elements of a list (integer keys) precede other children and keep their order. Children at
-- equal positions are ordered by key.
local function is_before(a, at, b, other)
  local is_list_element = math.type(a) == "integer"
  if is_list_element ~= (math.type(b) == "integer") then return is_list_element end
  if is_list_element or at == other then return a < b end
  return at < other
end

-- Sorts the first `n` entries of the list `keys` in place into source order. Each key is that of a child of `node`.
local function sort(node, keys, n)
  local at = {}
  for i = 1, n do at[i] = position(node[keys[i]]) end
  for i = 2, n do -- insertion sort: a node has few children
    local key, key_position, k = keys[i], at[i], i
    while k > 1 and is_before(key, key_position, keys[k - 1], at[k - 1]) do
      keys[k], at[k] = keys[k - 1], at[k - 1]
      k = k - 1
    end
    keys[k], at[k] = key, key_position
  end
end

-- Returns an iterator over the child nodes and child lists of a node or list, in source order: for key, child in
-- ast.children(node). Every field that holds a table is a child, except semantic types in a field of type_fields.
-- Elements of a list keep their order.
function ast.children(node)
  local keys, n, is_list = {}, 0, true
  for key, child in next, node do
    if type(child) == "table" and not (type_fields[key] and child.kind) then
      n = n + 1
      keys[n], is_list = key, is_list and key == n
    end
  end
  if n > 1 and not is_list then sort(node, keys, n) end
  local i = 0
  return function()
    i = i + 1
    local key = keys[i]
    return key, node[key]
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
