-- list_item.lua - what a clause names: variables, members, elements, sections of them.

local c_sema = require "accdeep.backend.c_sema"
local diagnostic = require "accdeep.base.diagnostic"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"

local raise = diagnostic.raise

local list_item = {}

function list_item.number(value, pos) return { tag = "num", value = value, type = "int", pos = pos } end

function list_item.element(pointer, index, pos) return { tag = "index", pos = pos, base = pointer, index = index } end

-- p[i:1] and *p name the objects p[i] and p[0].
function list_item.single(node)
  local length = node.tag == "section" and node.length
  if length and length.tag == "num" and length.value == 1 then
    return list_item.element(node.base, node.start or list_item.number(0, node.pos), node.pos)
  elseif node.tag == "unary" and node.op == "*" then
    return list_item.element(node.e, list_item.number(0, node.pos), node.pos)
  end
  return node
end

-- core[i]...[s:l]...: indices before the first section belong to the core.
function list_item.split_designator(node)
  local subscripts = {}
  local at = node
  while at.tag == "index" or at.tag == "section" or at.tag == "alias" do
    table.insert(subscripts, 1, at)
    at = at.base
  end
  local first
  for i, s in ipairs(subscripts) do
    if s.tag ~= "index" then
      first = i
      break
    end
  end
  if not first then return node, nil end
  local base = at
  for i = 1, first - 1 do base = list_item.element(base, subscripts[i].index, subscripts[i].pos) end
  return base, table.move(subscripts, first, #subscripts, 1, {})
end

-- Text of an lvalue; indices that are not constant become #, their nodes are collected.
-- Decides TR14-3.4-02.
function list_item.render(node, indices)
  if node.tag == "component" or node.tag == "reference" then return unparse_fortran(node) end
  if node.tag == "id" then return node.name end
  if node.tag == "member" then
    return list_item.render(node.base, indices) .. (node.arrow and "->" or ".") .. node.name
  elseif node.tag == "index" then
    local base = list_item.render(node.base, indices)
    if node.index.tag == "num" then return ("%s[%d]"):format(base, node.index.value) end
    indices[#indices + 1] = node.index
    return base .. "[#]"
  end
  return ("(%s%s)"):format(node.op, list_item.render(node.e, indices))
end

function list_item.root_variable(node)
  while node.base or node.e do node = node.base or node.e end
  return node.tag == "id" and node.name or nil
end

-- Type of a place in a clause.
function list_item.type_of(session, node) return c_sema.place({ session = session }, node).type end

-- The pointer that points to an array of which a place is an element, a row, or all: p of p[i][j], (*p)[j], (*p). nil:
-- the array is a variable or a member.
function list_item.pointer_to_array(session, node)
  while node.tag == "index" and list_item.type_of(session, node.base).kind == "array" do node = node.base end
  if node.tag == "unary" and node.op == "*" then return node.e end
  return node.tag == "index" and node.base or nil
end

-- The same place with the members of *this named as such; in a member function.
-- Decides OMPEX-struct_map-5.
function list_item.qualify(session, node)
  if node.tag == "id" then
    if node.global or not session:this_member(node.name) then return node end
    return { tag = "member", pos = node.pos, name_pos = node.pos, arrow = true, name = node.name,
      base = { tag = "id", pos = node.pos, name = "this" } }
  end
  local key = node.base and "base" or node.tag == "unary" and "e"
  local inner = key and list_item.qualify(session, node[key])
  if not inner or inner == node[key] then return node end
  return ast.copy_with(node, key, inner)
end

-- A place as steps from its root: a variable, or what a pointer points to.
local function decompose(session, node)
  if node.tag == "member" and not node.arrow then
    local root, steps = decompose(session, node.base)
    steps[#steps + 1] = { name = node.name, pos = node.name_pos }
    return root, steps
  elseif node.tag == "member" then
    list_item.type_of(session, node) -- an error about it is one about '->'
    return { node = { tag = "unary", op = "*", pos = node.base.pos, e = node.base, arrow = node.pos },
      pointer = node.base },
      { { name = node.name, pos = node.name_pos } }
  elseif node.tag == "index" then
    if list_item.type_of(session, node.base).kind == "array" then
      local root, steps = decompose(session, node.base)
      steps[#steps + 1] = { index = node.index, pos = node.pos }
      return root, steps
    end
    return { node = node, pointer = node.base, index = node.index }, {}
  elseif node.tag == "unary" and node.op == "*" then
    return { node = node, pointer = node.e }, {}
  end
  return { node = node }, {}
end

-- The pointer to the object that a place is a part of; nil if the object is a variable.
function list_item.pointer_to(session, node) return (decompose(session, node)).pointer end

-- Type of the elements that a variable with its sections stands for.
function list_item.element_type(session, node) return session.language.element_type(session, node) end

-- The same in C.
function list_item.c_element_type(session, node)
  local base, subscripts = list_item.split_designator(node)
  local t = list_item.type_of(session, base)
  for _, subscript in ipairs(subscripts or {}) do
    t = types.element(t)
    if not t then raise("not-a-pointer", subscript.pos, "it has no elements", { rule = "TR14-3.1.1-22" }) end
  end
  return t
end

-- The structures that a member lies in, outermost first, as far as they are objects of their own: the
-- variable or the element that holds it, and before it those that hold the pointers on the way. Each has
-- the steps that lead on from it: names and indices. Empty if the place is not a member.
function list_item.enclosing(session, node)
  local root, steps = decompose(session, node)
  local objects = {}
  if root.pointer and root.pointer.tag ~= "id" then objects = list_item.enclosing(session, root.pointer) end
  local at, t, i = root.node, list_item.type_of(session, root.node), 1
  while t.kind == "array" and steps[i] and steps[i].index do
    at, t, i = list_item.element(at, steps[i].index, steps[i].pos), t.of, i + 1
  end
  if not types.is_record(t) or not steps[i] then
    if #objects > 0 then return objects end -- the pointer on the way lies in a structure
    return {}
  end
  if at == root.node and root.pointer then
    at = list_item.element(root.pointer, root.index or list_item.number(0, at.pos), at.pos)
  end
  objects[#objects + 1] = { node = at, type = t, steps = table.move(steps, i, #steps, 1, {}) }
  return objects
end

return list_item
