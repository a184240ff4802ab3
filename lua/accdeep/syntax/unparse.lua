-- unparse.lua - unparser: ASTs of directives and C expressions as text in one canonical spelling, for messages, names
-- of objects and cache keys.
--
-- Input: a node. Output: its text.
--
-- unparse.expression(node [, scope]), unparse.clause(clause [, scope]), unparse.directive(name, argument, clauses).
-- Without a scope, two expressions have the same text if and only if they are equal. A scope {base, record, of_this} is
-- used for convenience syntax, whose bounds are written in the directive but printed inside a nest. `base` is the text
-- of the nest's object: members of this object are printed without the object's name (X.n becomes n). A host variable
-- that a member hides is printed as ::n (AMB-TR14-13). of_this(name) is true if the name is a member of *this.

local unparse_fortran = require "accdeep.syntax.unparse_fortran"

local unparse = {}

local expression -- forward declaration

-- Returns the texts of a list of expressions, separated by commas. scope: see the head of this file, or nil.
local function list_of(nodes, scope)
  local parts = {}
  for i, node in ipairs(nodes) do parts[i] = expression(node, scope) end
  return table.concat(parts, ", ")
end

-- Binding strength of each kind of expression. An operand that binds less strongly than required gets parentheses.
local levels = { assign = 1, cond = 2, binary = 3, unary = 14, cast = 14, sizeof = 14 }
local binary_levels = { ["||"] = 3, ["&&"] = 4, ["|"] = 5, ["^"] = 6, ["&"] = 7, ["=="] = 8, ["!="] = 8,
  ["<"] = 9, [">"] = 9, ["<="] = 9, [">="] = 9, ["<<"] = 10, [">>"] = 10, ["+"] = 11, ["-"] = 11,
  ["*"] = 12, ["/"] = 12, ["%"] = 12 }

-- Returns the binding strength of the expression `node`; 15 for expressions that never need parentheses.
local function level(node)
  if node.tag == "binary" then return binary_levels[node.op] end
  return levels[node.tag] or 15
end

-- Returns the text of an expression, in parentheses if it binds less strongly than `precedence`.
local function parenthesize(node, precedence, scope)
  local text = expression(node, scope)
  return level(node) < precedence and "(" .. text .. ")" or text
end

-- True if the member node `node` selects a member of the object of `scope`, whose nest is printed. p->n counts as a
-- member of p[0].
function unparse.is_member_of(node, scope)
  local base = parenthesize(node.base, 15)
  return (node.arrow and base .. "[0]" or base) == scope.base
end

-- Writers: tag of a node -> function(node, scope) that returns the node's text.
local writers = {}

-- Type of an integer constant -> suffix by which its text keeps the type; int has no suffix.
local integer_suffixes = { ["unsigned int"] = "u", long = "l", ["unsigned long"] = "ul" }
function writers.num(node)
  if math.type(node.value) == "integer" then
    return ((node.value < 0 and "0x%x%s" or "%d%s"):format(node.value, integer_suffixes[node.type] or ""))
  end
  local text = ("%.17g"):format(node.value)
  return (text:find "[.en]" and text or text .. ".0") .. (node.type == "float" and "f" or "")
end
function writers.str(node) return ("%q"):format(node.value) end
function writers.row() return "#" end
-- Returns the name. It gets :: if it is global, or if a member of the scope's record hides it. A hidden name that is a
-- member of *this gets this-> instead, or nothing if the scope's object is *this.
function writers.id(node, scope)
  local members = scope and scope.record.by_name
  local hidden = members and members[node.name]
  if hidden and not node.global and scope.of_this(node.name) then
    return (scope.base == "this[0]" and "" or "this->") .. node.name
  end
  return ((hidden or node.global) and "::" or "") .. node.name
end
function writers.member(node, scope)
  if scope and unparse.is_member_of(node, scope) then return node.name end
  return parenthesize(node.base, 15, scope) .. (node.arrow and "->" or ".") .. node.name
end
function writers.index(node, scope)
  return ("%s[%s]"):format(parenthesize(node.base, 15, scope), expression(node.index, scope))
end
-- Returns the subscript of an index, section or alias node as text, without its base.
local function section(node, scope)
  local ranges = node.ranges or node.written -- Fortran's subscripts
  if ranges then return unparse_fortran { tag = "reference", base = { tag = "id", name = "" }, args = ranges } end
  if node.tag == "alias" and node.round then
    local to = node.to
    local is_sibling = to and scope and to.tag == "component" and expression(to.base) == scope.base
    return ("(@%s)"):format(is_sibling and to.name or to and expression(to) or "")
  end
  if node.tag == "index" then return ("[%s]"):format(expression(node.index, scope)) end
  if node.tag == "alias" then return ("[@%s]"):format(node.to and expression(node.to, scope) or "") end
  local length = node.length and expression(node.length, scope) or ""
  local stride = node.stride and expression(node.stride, scope)
  return ("[%s:%s%s%s]"):format(node.start and expression(node.start, scope) or "",
    length:find "^:" and " " or "", length, stride and (stride:find "^:" and ": " or ":") .. stride or "")
end
function writers.section(node, scope) return parenthesize(node.base, 15, scope) .. section(node, scope) end
writers.alias = writers.section
function writers.call(node, scope)
  return ("%s(%s)"):format(parenthesize(node.base, 15, scope), list_of(node.args, scope))
end
function writers.unary(node, scope)
  local inner = parenthesize(node.e, 14, scope)
  return node.op .. (inner:sub(1, 1) == node.op:sub(1, 1) and " " or "") .. inner
end
function writers.postfix(node, scope) return parenthesize(node.base, 15, scope) .. node.op end
function writers.binary(node, scope)
  local own = level(node)
  return ("%s %s %s"):format(parenthesize(node.a, own, scope), node.op, parenthesize(node.b, own + 1, scope))
end
function writers.cond(node, scope)
  return ("%s ? %s : %s"):format(parenthesize(node.c, 3, scope), expression(node.a, scope),
    parenthesize(node.b, 2, scope))
end
function writers.assign(node, scope)
  return ("%s %s %s"):format(parenthesize(node.to, 14, scope), node.op, expression(node.e, scope))
end
function writers.comma(node, scope) return ("(%s)"):format(list_of(node.list, scope)) end

local declarator_text, type_text -- forward declarations

-- Returns the declarator node `node` as text, without its name.
function declarator_text(node)
  local parts = { ("*"):rep(node.pointers), node.inner and ("(%s)"):format(declarator_text(node.inner)) or nil }
  for _, suffix in ipairs(node.suffixes) do
    parts[#parts + 1] = suffix.tag == "parameters" and "()"
      or ("[%s]"):format(suffix.size and expression(suffix.size) or "")
  end
  return table.concat(parts)
end

-- Returns the type_name node `node` as text.
function type_text(node)
  local spec, declarator = node.spec, declarator_text(node.declarator)
  local words = spec.words and table.concat(spec.words, " ") or spec.name or spec.tag
  if spec.tag == "record" or spec.tag == "enum" then words = ("%s %s"):format(spec.kind or "enum", spec.name or "") end
  local arguments = {}
  for i, argument in ipairs(spec.arguments or {}) do arguments[i] = type_text(argument) end
  if arguments[1] then words = ("%s<%s>"):format(words, table.concat(arguments, ", ")) end
  return words .. (declarator ~= "" and " " .. declarator or "")
end
function writers.cast(node, scope) return ("(%s)%s"):format(type_text(node.type), parenthesize(node.e, 14, scope)) end
function writers.sizeof(node, scope)
  if node.type then return ("sizeof(%s)"):format(type_text(node.type)) end
  return "sizeof " .. parenthesize(node.e, 14, scope)
end

-- True for nodes that only Fortran expressions have, so that unparse_fortran writes them.
local function is_fortran_node(node)
  return not writers[node.tag] or node.tag == "binary" and not binary_levels[node.op]
    or node.tag == "num" and node.class ~= nil
end

-- Returns the text of an expression of C or Fortran. scope: see the head of this file, or nil.
function expression(node, scope)
  return is_fortran_node(node) and unparse_fortran(node) or writers[node.tag](node, scope)
end

local clause -- forward declaration

-- Returns the text of a nest, ::{ ... }; "" if `nest` is nil. The nest's own scope takes precedence over `scope`.
local function nest_text(nest, scope)
  if not nest then return "" end
  local parts = {}
  for i, inner in ipairs(nest.clauses) do parts[i] = clause(inner, nest.scope or scope) end
  return ("::{ %s }"):format(table.concat(parts, " "))
end

-- Returns a member_shape node, a list item of a shape or policy, as text: path and subscripts.
local function member_shape(member, scope)
  local parts = { member.name }
  for _, part in ipairs(member.path or {}) do parts[#parts + 1] = "." .. part.name end
  for _, s in ipairs(member.subscripts) do parts[#parts + 1] = section(s, member.outer and scope or nil) end
  return table.concat(parts)
end

-- Returns the names of a list of nodes, separated by commas.
local function names(list)
  local parts = {}
  for i, item in ipairs(list) do parts[i] = item.name end
  return table.concat(parts, ", ")
end

-- Returns a clause of OpenACC as text, with its nest. scope: see the head of this file, or nil.
function clause(node, scope)
  local parts = { node.name }
  if node.shape then
    local args = node.shape.args and ("(%s)"):format(list_of(node.shape.args)) or ""
    parts[2] = ("<%s%s>"):format(node.shape.name or "", args)
  end
  local argument
  if node.members then
    local shapes = {}
    for i, member in ipairs(node.members) do shapes[i] = member_shape(member, scope) end
    argument = (node.direction and node.direction.name .. ": " or "") .. table.concat(shapes, ", ")
  elseif node.vars then
    local before = node.direction and node.direction.name or node.op or node.modifiers and names(node.modifiers)
    argument = (before and before .. ": " or "") .. list_of(node.vars)
  elseif node.word then
    argument = node.word
  elseif node.parameters then
    local list = {}
    for i, p in ipairs(node.parameters) do
      list[i] = (p.kind and p.kind .. " " or "") .. p.name .. (p.default and " = " .. expression(p.default) or "")
    end
    argument = table.concat(list, ", ")
  elseif node.names then
    argument = names(node.names)
  elseif node.type then
    argument = type_text(node.type)
  elseif node.e then
    argument = expression(node.e)
  elseif node.values then
    argument = list_of(node.values)
  elseif node.queues and node.queues[1] then
    argument = (node.devnum and ("devnum: %s: "):format(expression(node.devnum)) or "") .. list_of(node.queues)
  end
  if argument then parts[#parts + 1] = ("(%s)"):format(argument) end
  if node.text then parts[#parts + 1] = (node.text:gsub("\\\r?\n", " ")) end
  return table.concat(parts) .. nest_text(node.nest, scope)
end

-- Returns a directive of OpenACC as text. argument: {name}, or nil.
function unparse.directive(name, argument, clauses)
  local parts = { argument and ("%s(%s)"):format(name, argument.name) or name }
  for _, c in ipairs(clauses) do parts[#parts + 1] = clause(c) end
  return table.concat(parts, " ")
end

unparse.expression, unparse.clause, unparse.section, unparse.type = expression, clause, section, type_text

return unparse
