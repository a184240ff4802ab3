-- list_item.lua - analyses list items (variables, members, elements and sections of clauses): takes their ASTs apart,
-- determines their types, and makes typed list items of C (list_item.analyse). Unless stated otherwise, `node` is the
-- AST of a list item in C.
--
-- Input: the AST of a list item. Output: its parts, as ASTs, or its type. Invariant: the AST of the clause is not
-- changed; new nodes have positions in it.

local c_sema = require "accdeep.sema.c.c_sema"
local diagnostic = require "accdeep.base.diagnostic"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"
local lazy = require "accdeep.base.lazy"
local advice = lazy.require "accdeep.syntax.advice"
local ast = require "accdeep.base.ast"
local scoped_names = require "accdeep.types.scoped_names"
local section = lazy.require "accdeep.sema.c.section"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise

local list_item = {}

-- Returns the AST of an integer constant of type int.
function list_item.number(value, pos) return { tag = "num", value = value, type = "int", pos = pos } end

-- Returns the AST of the element pointer[index]; both parameters are ASTs.
function list_item.element(pointer, index, pos) return { tag = "index", pos = pos, base = pointer, index = index } end

-- Returns the AST of the single object in p[i:1] or *p, as p[i] or p[0]. Other nodes, and sections whose length is not
-- the constant 1, are returned unchanged.
function list_item.single(node)
  local length = node.tag == "section" and node.length
  if length and length.tag == "num" and length.value == 1 then
    return list_item.element(node.base, node.start or list_item.number(0, node.pos), node.pos)
  elseif node.tag == "unary" and node.op == "*" then
    return list_item.element(node.e, list_item.number(0, node.pos), node.pos)
  end
  return node
end

-- Splits base[i]...[s:l]... and returns base, as AST, and the list of subscripts from the first section or alias on.
-- Indices before it belong to the base. Without a section, returns the node and nil.
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

-- Returns the text of an l-value of C or Fortran. Each C index that is not a number becomes #, and its node is appended
-- to the list `indices`. Decides TR14-3.4-02.
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

-- Returns the name of the variable at the root of a list item of C or Fortran; nil if the root is not a variable.
function list_item.root_variable(node)
  while node.base or node.e do node = node.base or node.e end
  return node.tag == "id" and node.name or nil
end

-- Returns the type of an l-value in a clause. Raises if the node is not an l-value, or has a semantic error.
function list_item.type_of(session, node) return c_sema.lvalue({ session = session }, node).type end

-- Returns the AST of the pointer whose target is the array that an l-value designates or is an element of: p in
-- p[i][j], (*p)[j], (*p). Returns nil if this array is not a pointer's target, but a variable or a member.
function list_item.pointer_to_array(session, node)
  while node.tag == "index" and list_item.type_of(session, node.base).kind == "array" do node = node.base end
  if node.tag == "unary" and node.op == "*" then return node.e end
  return node.tag == "index" and node.base or nil
end

-- Returns the l-value with names of members of *this changed to this->name; precondition: a member function is running.
-- Returns `node` itself if nothing changes. Decides OMPEX-struct_map-5.
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

-- Splits an l-value of C into its root (a variable, or the target of a pointer) and the list of steps from there,
-- {name, pos} or {index, pos}. root: {node, pointer?, index?}; node: its AST. A root that is a pointer's target has the
-- pointer's AST in `pointer`; `index` is set for pointer[index], nil for *pointer. Raises if an l-value inside `node`
-- is wrong.
local function decompose(session, node)
  if node.tag == "member" and not node.arrow then
    local root, steps = decompose(session, node.base)
    steps[#steps + 1] = { name = node.name, pos = node.name_pos }
    return root, steps
  elseif node.tag == "member" then
    -- Called only for the errors that it raises: a wrong `->` is reported before errors of the steps.
    list_item.type_of(session, node)
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

-- Returns the AST of the pointer to the object that an l-value is a part of; nil if the object is a variable.
function list_item.pointer_to(session, node) return (decompose(session, node)).pointer end

-- Returns the element type of a list item, as the session's language determines it. Raises if the list item is wrong.
function list_item.element_type(session, node) return session.language.element_type(session, node) end

-- Returns the element type of a list item in C: its type after all subscripts. Raises if a subscript applies to a type
-- without elements.
function list_item.c_element_type(session, node)
  local base, subscripts = list_item.split_designator(node)
  local t = list_item.type_of(session, base)
  for _, subscript in ipairs(subscripts or {}) do
    t = types.element(t)
    if not t then raise("not-a-pointer", subscript.pos, "it has no elements", { rule = "TR14-3.1.1-22" }) end
  end
  return t
end

-- Returns the structures that enclose a member, outermost first, as {node, type, steps}; an empty list if the l-value
-- is not a member. Each structure is a variable, an element, or the target of a pointer on the path. steps: the names
-- and indices on the path from this structure to the next one or, for the last structure, to the member.
function list_item.enclosing(session, node)
  local root, steps = decompose(session, node)
  local objects = {}
  if root.pointer and root.pointer.tag ~= "id" then objects = list_item.enclosing(session, root.pointer) end
  local at, t, i = root.node, list_item.type_of(session, root.node), 1
  while t.kind == "array" and steps[i] and steps[i].index do
    at, t, i = list_item.element(at, steps[i].index, steps[i].pos), t.of, i + 1
  end
  if t.kind ~= "record" or not steps[i] then
    -- The l-value itself is not a member. If the pointer on its path is a member, `objects` has the structures that
    -- enclose this pointer; otherwise it is empty.
    if #objects > 0 then return objects end
    return {}
  end
  if at == root.node and root.pointer then
    at = list_item.element(root.pointer, root.index or list_item.number(0, at.pos), at.pos)
  end
  objects[#objects + 1] = { node = at, type = t, steps = table.move(steps, i, #steps, 1, {}) }
  return objects
end

-- Returns the access path from the outermost enclosing structure to a list item in C: the structure's AST, its type,
-- the steps, and the subscripts (nil: none). A step is {name, pos} or {index, pos}. Returns nil if the list item is not
-- a member. Raises if the list item has subscripts, although its type has no elements.
function list_item.access_path(session, variable)
  local base, subscripts = list_item.split_designator(variable)
  local t = list_item.type_of(session, base)
  local objects = list_item.enclosing(session, base)
  if #objects == 0 then return nil end
  if subscripts and not types.element(t) then
    raise("not-a-pointer", subscripts[1].pos, ("'%s' is %s: it has no elements"):format(
      list_item.render(base, {}), types.name(t)), { rule = "TR14-3.1.1-22" })
  end
  local steps = {}
  for i, object in ipairs(objects) do
    if i > 1 then steps[#steps + 1] = { index = object.node.index, pos = object.node.pos } end
    table.move(object.steps, 1, #object.steps, #steps + 1, steps)
  end
  local last = list_item.single(base)
  if last.tag == "index" and list_item.type_of(session, last.base).kind == "pointer" then
    steps[#steps + 1] = { index = last.index, pos = last.pos }
  end
  return objects[1].node, objects[1].type, steps, subscripts
end

-- Returns the object that encloses a list item in C, as AST, and a second result: true if a pointer points to this
-- object. The list item is a member, or a section of an array member. Returns nil for other list items, such as
-- sections of pointers.
function list_item.object_of(session, variable)
  local base, subscripts = list_item.split_designator(variable)
  if subscripts and list_item.type_of(session, base).kind == "pointer" then return nil end
  local objects = list_item.enclosing(session, base)
  local node = #objects > 0 and objects[#objects].node
  if not node then return nil end
  return node, #objects > 1 or node.tag == "unary" or list_item.pointer_to_array(session, node) ~= nil
end

-- ---------------------------------------------------------------------------------- typed list items --

-- Sets the fields of a typed list item with subscripts: `section`, or `alias` for p[@]. action: the clause's action.
-- Raises if the base has no elements, or constants show that the section is invalid. Also raises if '@' is not allowed:
-- outside of a present clause, without a pointer, or before another subscript. Decides TR14-3.5-10.
local function analyse_subscripts(session, typed, action)
  local t, subscripts, env = typed.type, typed.subscripts, { session = session }
  local first = subscripts[1]
  if not types.element(t) then
    raise("not-a-pointer", first.pos, ("'%s' is %s: it has no elements"):format(typed.name, types.name(t)),
      { rule = "TR14-3.1.1-22" })
  end
  for i, subscript in ipairs(subscripts) do
    if subscript.tag == "alias" and subscripts[i + 1] then
      raise("not-a-pointer", subscripts[i + 1].pos, "'@' stands for what a pointer points to, as the last section",
        { rule = "TR14-3.5-01" })
    end
  end
  if first.tag == "alias" then
    if action ~= "present" then
      raise("clause-not-allowed", first.pos, "'@' alone is allowed only in a present clause, or on a member",
        { rule = "TR14-3.5-10" })
    elseif t.kind ~= "pointer" then
      raise("not-a-pointer", first.pos, ("'@' needs a pointer, this is %s"):format(types.name(t)),
        { rule = "TR14-3.5-01" })
    end
    typed.alias = section.alias(env, first)
    return
  end
  typed.section = section.analyse(env, nil, t, subscripts)
  typed.objects = typed.section.levels and types.innermost(typed.section.element) or typed.section.element
  local start, length = typed.section.start, typed.section.length
  if length and length < 0 then
    raise("invalid-section", first.pos, ("the section has a negative length, %d"):format(length),
      { rule = "TR14-3.1.1-23" })
  end
  local n = t.kind == "array" and t.size // typed.section.row.size
  if n and start and length and (start < 0 or start + length > n) then
    raise("out-of-bounds", first.pos, ("the section [%d:%d] is outside the array of %s"):format(start, length,
      strings.count(n, "element")), { rule = "ACC33-2.7.1-1", help = advice.section(start, length, n) })
  end
end

-- Returns the typed integers of `indices`, the ASTs of a name's indices; the core keeps three per name, so further ones
-- are dropped. Raises if one is no integer.
local function analyse_indices(env, indices)
  local list = {}
  for i = 1, math.min(#indices, 3) do list[i] = c_sema.integer(env, indices[i]) end
  return list
end

-- Tags of ASTs that designate memory, and may be mapped.
local has_memory = { id = true, member = true, index = true, unary = true }

-- Returns a typed list item of C:
--   node, base, subscripts   its AST, split (split_designator); variable: the base's name if it is one.
--   lvalue, type             the base as a typed l-value, and its type.
--   section, alias           of a list item with subscripts: typed section or alias (section.lua); nil otherwise.
--   is_container             true for a section of a structure, which gives values to its shape (TR14-5-03).
--   objects, count           type of the objects that a clause maps; nil: only an alias. Of a list item without
--                            subscripts, count is their number in arrays.
--   kind                     "section", "element" (a pointer's target), or nil (the object itself).
--   name, indices            name for messages, and typed integers for its signs #. For an element, it is the name of
--                            the pointer to it. pointer_name, pointer_indices: the same of an element that is a
--                            pointer.
--   path                     of members that are mapped by themselves (rules.members): the pointer to the object that
--                            contains the list item, or the base pointer of a section, as a typed list item.
-- request: its request, nil for a pointer on the path to another list item. Raises for errors of the list item.
function list_item.analyse(session, node, request)
  local base, subscripts = list_item.split_designator(node)
  local env, indices, named = { session = session }, {}, base
  local lvalue = c_sema.lvalue(env, base)
  local t = lvalue.type
  local typed = { node = node, base = base, subscripts = subscripts, lvalue = lvalue, type = t }
  if not subscripts and lvalue.op == "deref" and (base.tag == "index" or base.tag == "unary") then
    named, typed.kind = base.base or base.e, "element"
  end
  typed.name, typed.variable = list_item.render(named, indices), named.tag == "id" and named.name or nil
  if not subscripts then
    if t.kind == "array" and not t.n or t.kind == "function" or t.kind == "void"
      or t.kind == "record" and not t.complete then
      scoped_names.no_size(t, node.pos)
    end
    local count = 1
    while t.kind == "array" do t, count = t.of, count * t.n end
    typed.objects, typed.count = t, count
  elseif t.kind == "record" and request and not request.map_request and session.rules.extended then
    typed.is_container = true
  else
    analyse_subscripts(session, typed, request and request.action)
    if typed.section then typed.kind = "section" end
  end
  typed.indices = analyse_indices(env, indices)
  if typed.kind == "element" and lvalue.type.kind == "pointer" then
    local inner = {}
    typed.pointer_name = list_item.render(base, inner)
    typed.pointer_indices = analyse_indices(env, inner)
  end
  if session.rules.members == "mapped" then
    local pointer = list_item.pointer_to(session, base)
    if subscripts and lvalue.type.kind == "pointer" then pointer = base end
    typed.path = pointer and has_memory[pointer.tag] and list_item.analyse(session, pointer) or nil
  end
  return typed
end

return list_item
