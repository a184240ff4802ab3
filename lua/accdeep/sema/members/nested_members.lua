-- nested_members.lua - lowers parts of members in a shape to nests: include(m.a[0:m.n]) becomes a nest of m that
-- includes a[0:n]. Such a list item has the field `path`: the names after the first one. shape.lua calls it.
--
-- Input: a list item with a path, and a layer. Output: the layer with a nest for the first name of the path.
--
-- TR14-3.1.1-04 allows such shapes only for types from debug information: a library's structures may be nested, and one
-- shape of the outermost structure describes all of them. Bounds are written from the outermost type's view, and name
-- parts of the same member. shape.lua defines list items {name, path, subscripts} and layers (the clauses of a shape,
-- by member).

local diagnostic = require "accdeep.base.diagnostic"
local ast = require "accdeep.base.ast"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local types = require "accdeep.types"

local raise = diagnostic.raise

local nested_members = {}

local RULE = "HOUSE-debug"

-- Raises if a clause names a part of a member (a.b), and the record is declared by a text, not taken from debug
-- information.
function nested_members.check_allowed(record, clauses)
  for _, clause in ipairs(clauses) do
    for _, item in ipairs(clause.members or {}) do
      if item.path and not record.from_debug then
        raise("syntax", item.path[1].pos, "expected ',' or ')', found '.'", { length = 1, rule = "TR14-3.1.1-04",
          help = "give the structure inside a shape of its own" })
      end
    end
  end
end

-- Returns a copy of a bound, as AST, with names relative to the member `prefix` of a record: m.n becomes n. extended:
-- true if the bound may also name members of the enclosing record. Raises if the bound names a member that is not a
-- part of `prefix` and not allowed by `extended`.
local function rebase_bound(bound, record, prefix, extended)
  local member_type = types.member(record, prefix).type
  return ast.map(bound, function(node)
    if node.tag == "member" and not node.arrow and node.base.tag == "id" and node.base.name == prefix then
      return { tag = "id", pos = node.name_pos, name = node.name }
    elseif node.tag == "id" and not node.global and types.member(record, node.name)
      and not (extended and not types.member(member_type, node.name)) then
      raise("unsupported", node.pos, ("the bound of a part of '%s' names '%s', which is not a part of it"):format(
        prefix, node.name), { length = #node.name, rule = RULE, help = not extended
          and ("write %s.NAME for its parts; for others: rules = \"tr14x\""):format(prefix) or nil })
    end
  end)
end

-- Returns the nest, as AST, of the member item.name, with which an item's path begins. Adds the member with an empty
-- nest to the layer if the layer does not name it yet. Raises if the record has no such member, the member has no
-- parts, or a clause names the whole member.
local function nest_of(record, layer, item)
  local member, entry = types.member(record, item.name), layer.members[item.name]
  if not member then diagnostic.no_member(record, types.name(record), item.name, item.pos, "TR14-3.1.1-04") end
  if not types.is_record(member.type) then
    raise("not-a-struct", item.path[1].name_pos, ("'%s' is %s: it has no parts"):format(item.name,
      types.name(member.type)), { length = #item.path[1].name, rule = RULE,
        help = types.element(member.type) and "give what it points to a shape of its own" or nil })
  end
  if entry and not entry.has_parts then
    raise("duplicate-member", item.pos, ("'%s' is named twice"):format(item.name),
      { length = #item.name, rule = "TR14-3.1.1-20" })
  end
  if not entry then
    entry = { mode = "include", has_parts = true, pos = item.pos,
      inner = { pos = item.pos, nest = { tag = "nest", pos = item.pos, clauses = {} } } }
    layer.members[item.name] = entry
  end
  return entry.inner.nest
end

-- Adds an item with a path to the nest of its first member, as a clause for the rest of the path. extended: true if
-- bounds may name members of the enclosing record (TR14-5-06). Raises if the member or a bound is wrong.
function nested_members.enter(record, layer, clause, item, extended)
  local nest = nest_of(record, layer, item)
  local path = item.path
  local rest = { tag = "member_shape", pos = path[1].name_pos, name = path[1].name, subscripts = {} }
  if path[2] then rest.path = table.move(path, 2, #path, 1, {}) end
  for i, subscript in ipairs(item.subscripts) do rest.subscripts[i] =
    rebase_bound(subscript, record, item.name, extended) end
  table.insert(nest.clauses, ast.copy_with(clause, "members", { rest }))
end

-- Calls check_clauses(type, clauses) for the nests of a layer's members with parts; type: that of the member; clauses:
-- those of the nest. check_clauses raises if the clauses are wrong.
function nested_members.check(record, layer, check_clauses)
  for name, entry in sorted_pairs(layer.members, "pos") do
    if entry.has_parts then check_clauses(types.member(record, name).type, entry.inner.nest.clauses) end
  end
end

return nested_members
