-- ast.lua - walks over the trees that grammars make, in an order of their own: children come as they stand in the
-- source, those of one place by their keys. The order of Lua's pairs differs from process to process.

local ast = {}

local of_types = { type = true, resolved = true, mapped = true } -- the type that a node has is not a child of it

-- The position of a node, or of the first of a list.
local function position(node)
  while not node.pos do
    node = node[1]
    if type(node) ~= "table" then return math.huge end
  end
  return node.pos
end

local function is_before(a, at, b, other)
  local of_list = math.type(a) == "integer"
  if of_list ~= (math.type(b) == "integer") then return of_list end
  if of_list or at == other then return a < b end
  return at < other
end

local function sort(node, keys, n)
  local at = {}
  for i = 1, n do at[i] = position(node[keys[i]]) end
  for i = 2, n do -- a node has few children: each goes before those behind it
    local key, here, k = keys[i], at[i], i
    while k > 1 and is_before(key, here, keys[k - 1], at[k - 1]) do
      keys[k], at[k] = keys[k - 1], at[k - 1]
      k = k - 1
    end
    keys[k], at[k] = key, here
  end
end

-- for key, child in tree.children(node): its nodes and lists, a list's in its own order.
function ast.children(node)
  local keys, n, is_list = {}, 0, true
  for key, child in next, node do
    if type(child) == "table" and not (of_types[key] and child.kind) then
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

-- Visits a tree; fn(node) -> true ends the visit of what is inside.
function ast.visit(node, fn)
  if node.tag and fn(node) then return end
  for _, child in ast.children(node) do ast.visit(child, fn) end
end

-- Whether a test holds for a node of a tree.
function ast.any(node, test)
  if node.tag and test(node) then return true end
  for _, child in ast.children(node) do
    if ast.any(child, test) then return true end
  end
  return false
end

-- A tree with other nodes: replace(node) -> node, nil: a copy, with what is inside replaced. finish(copy), if given,
-- sees each copy of a node or list.
function ast.map(node, replace, finish)
  local other = node.tag and replace(node)
  if other then return other end
  local made = ast.copy_with(node)
  for key, child in ast.children(node) do made[key] = ast.map(child, replace, finish) end
  if finish then finish(made) end
  return made
end

-- A node with another value of a field.
function ast.copy_with(node, field, value)
  local made = {}
  for key, old in next, node do made[key] = old end
  if field then made[field] = value end
  return made
end

return ast
