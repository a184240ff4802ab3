-- openmp_restrictions.lua - raises errors for list items that OpenMP forbids in a construct (OMP60-map-13).
-- openmp_analysis.lua calls it.
--
-- Input: a plan and its requests, or a list item. Output: none, except for the predicates, and for maps with self,
-- which set plan.self_maps.

local c_sema = require "accdeep.sema.c.c_sema"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_sema = require "accdeep.sema.openmp_sema"
local list_item = require "accdeep.sema.c.list_item"
local typed_ast = require "accdeep.sema.c.typed_ast"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local raise = diagnostic.raise

local openmp_restrictions = {}

-- Map types that an assumed-size section p[:] may have, because they copy nothing.
local enters_nothing = { storage = true, alloc = true, release = true, delete = true }

-- Registers the clause of a list item of update in `directions`: text of a list item -> name of its clause. Raises if
-- the list item is in both to and from (OMP60-upd-1). Decides OMP60-upd-1.
function openmp_restrictions.direction(directions, clause, variable)
  local text = unparse.expression(variable)
  local other = directions[text]
  directions[text] = clause.name
  if other and other ~= clause.name then
    raise("conflicting-clauses", variable.pos, ("'%s' is in '%s' already"):format(text, other),
      { rule = "OMP60-upd-1" })
  end
end

-- Returns true if the address of the l-value `node` is constant: it depends on no value of the program.
function openmp_restrictions.is_constant(session, node)
  return typed_ast.is_fixed(c_sema.lvalue({ session = session }, node))
end

-- Returns the AST of the union member on the access path of the l-value `node`; nil if the path has no union.
function openmp_restrictions.union_member(session, node)
  while node.base do
    local record = node.tag == "member" and list_item.type_of(session, node.base)
    if record and (node.arrow and record.to or record).record == "union" then return node end
    node = node.base
  end
  return nil
end

-- Returns the AST of the innermost pointer on the access path of a list item. If the path has no pointer, returns nil
-- and the AST of the variable at its root.
function openmp_restrictions.base_pointer(session, node)
  while true do
    local inner = node.tag == "unary" and node.e or node.base
    if not inner then return nil, node end
    local follows = node.tag == "unary" or node.arrow
      or (node.tag == "index" or node.tag == "section") and list_item.type_of(session, inner).kind == "pointer"
    if follows then return inner end
    node = inner
  end
end

-- Raises for a list item in C with a modifier for references (ref_ptr, ...), and for the modifier attach if the list
-- item has no base pointer. Decides OMP60-map-17, OMP61-1.
function openmp_restrictions.modifiers(plan, request)
  local map_modifiers, node = request.map_modifiers, request.node
  if map_modifiers.ref then
    raise("clause-not-allowed", map_modifiers.ref_pos,
      ("'%s' is for members that are references, and '%s' is none"):format(
      map_modifiers.ref, unparse.expression(node)), { length = #map_modifiers.ref, rule = "OMP60-map-17",
      help = "a pointer and what it points to are two list items: map(p), map(p[0:n])" })
  elseif map_modifiers.attach and not openmp_restrictions.base_pointer(plan.session, node) then
    openmp_sema.no_base_pointer(unparse.expression(node), node.pos)
  end
end

-- Makes a plan executable on the host only, because a clause at `pos` requests the host's own storage. Sets
-- plan.self_maps, a function(condition) that wraps the plan's condition (nil: none) in a function. The latter returns
-- false if the condition is false, so that the host runs the construct; otherwise it raises. Decides OMP60-map-14.
function openmp_restrictions.require_host_execution(plan, pos)
  function plan.self_maps(condition)
    return function()
      if condition and not condition() then return false end
      raise("unsupported", pos, "self asks for the host's own storage, and devices here have memory of their own",
        { length = #"self", rule = "OMP60-map-14" })
    end
  end
end

-- Raises if one variable is mapped both with and without the modifier self (OMP60-map-14). If any map has the modifier,
-- calls require_host_execution. Decides OMP60-map-14.
function openmp_restrictions.self_maps(plan, requests)
  local first, by_name = nil, {}
  for _, request in ipairs(requests) do
    local name = list_item.root_variable(request.node) or ""
    local is_self, other = request.map_modifiers.self or false, by_name[name]
    if other ~= nil and other ~= is_self then
      raise("conflicting-clauses", request.node.pos, ("a part of '%s' is mapped with self, and another one without")
        :format(name), { rule = "OMP60-map-14" })
    end
    by_name[name] = is_self
    if is_self and not first then first = request.map_modifiers.self_pos end
  end
  if first then openmp_restrictions.require_host_execution(plan, first) end
end

-- Raises if the assumed-size section `node`, p[:], has a map type that copies (to, from, tofrom), because p[:] only
-- designates present data (OMP60-map-10).
function openmp_restrictions.check_assumed_size(map_modifiers, node)
  if not map_modifiers.type or enters_nothing[map_modifiers.type] then return end
  raise("clause-not-allowed", map_modifiers.type_pos, ("'%s' has no size: its map type is storage, not '%s'"):format(
    unparse.expression(node), map_modifiers.type), { length = #map_modifiers.type, rule = "OMP60-map-10" })
end

-- Raises if a section of a list item goes through a second pointer, because list items are contiguous (OMP60-map-13),
-- and for '@'. t: type of the base. Decides OMP60-map-13.
function openmp_restrictions.rows(t, subscripts)
  for i, subscript in ipairs(subscripts) do
    if subscript.tag == "alias" then
      raise("syntax", subscript.pos, "'@' is not a section of OpenMP", { rule = "OMP60-sec-1" })
    elseif i > 1 and t.kind == "pointer" then
      raise("invalid-section", subscript.pos, "the section is not contiguous: it goes through several pointers",
        { rule = "OMP60-map-13", help = "an iterator names what each of them points to" })
    end
    t = types.element(t)
    -- A type without elements: the lowering of the section reports the error.
    if not t then return end
  end
end

return openmp_restrictions
