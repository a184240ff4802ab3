-- openmp_restrictions.lua - what OpenMP forbids list items of one construct (OMP60-map-13).

local check = require "accdeep.code.check_c"
local diagnostic = require "accdeep.base.diagnostic"
local expression = require "accdeep.plan.expression"
local list_item = require "accdeep.shape.list_item"
local typed = require "accdeep.code.typed"
local types = require "accdeep.types"
local unparse = require "accdeep.grammar.unparse"

local raise = diagnostic.raise

local restrict = {}

-- A list item of update stands in to or in from, not in both (OMP60-upd-1).
-- Decides OMP60-upd-1.
function restrict.direction(directions, clause, variable)
  local text = unparse.expression(variable)
  local other = directions[text]
  directions[text] = clause.name
  if other and other ~= clause.name then
    raise("conflicting-clauses", variable.pos, ("'%s' stands in '%s' already"):format(text, other),
      { rule = "OMP60-upd-1" })
  end
end

-- Whether the place of an lvalue is known for good.
function restrict.is_constant(session, node)
  return typed.is_fixed(check.place({ session = session }, node))
end

-- The member of a union on the way to a place, or nil.
function restrict.union_member(session, node)
  while node.base do
    local of = node.tag == "member" and list_item.type_of(session, node.base)
    if of and (node.arrow and of.to or of).record == "union" then return node end
    node = node.base
  end
  return nil
end

-- What a place is part of: a variable, or the pointer that points to it.
local function container(session, node)
  while true do
    local inner = node.tag == "unary" and node.e or node.base
    if not inner then return node end
    local follows = node.tag == "unary" or node.arrow
      or node.tag == "index" and list_item.type_of(session, inner).kind == "pointer"
    node = inner
    if follows then return node end
  end
end

-- Instances of an iterator have neither an array nor a base pointer in common (OMP60-map-13).
function restrict.instances(plan, requests)
  local session, seen = plan.session, {}
  for _, request in ipairs(requests) do
    local variable = request.from.kind == "map" and request.instance_of
    if variable then
      local address = expression.extent_of(session, request.by_pointer and request.base
        or container(session, request.base))
      seen[variable] = seen[variable] or {}
      if seen[variable][address] then
        raise("conflicting-clauses", variable.pos, "instances of an iterator are parts of one array, or have one base "
          .. "pointer", { rule = "OMP60-map-13", help = "name them as one section" })
      end
      seen[variable][address] = true
    end
  end
end

-- List items are memory in one piece: a pointer in a section is not followed (OMP60-map-13).
-- Decides OMP60-map-13.
function restrict.rows(t, subscripts)
  for i, subscript in ipairs(subscripts) do
    if subscript.tag == "alias" then
      raise("syntax", subscript.pos, "'@' is not a section of OpenMP", { rule = "OMP60-sec-1" })
    elseif i > 1 and t.kind == "pointer" then
      raise("invalid-section", subscript.pos, "the section is not contiguous: it goes through several pointers",
        { rule = "OMP60-map-13", help = "an iterator names what each of them points to" })
    end
    t = types.element(t)
    if not t then return end -- reported where it is lowered
  end
end

return restrict
