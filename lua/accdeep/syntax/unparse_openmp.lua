-- unparse_openmp.lua - unparser for OpenMP directives: one canonical spelling, in which equal clauses have equal texts.
--
-- Input: a directive or clause. Output: its text, without sentinel.

local unparse = require "accdeep.syntax.unparse"

local unparse_openmp = {}

-- Returns the texts write(node) of a list of nodes, joined by the text `separator` (nil: a comma and a blank).
local function list_of(nodes, write, separator)
  local parts = {}
  for i, node in ipairs(nodes) do parts[i] = write(node) end
  return table.concat(parts, separator or ", ")
end

-- Returns the text of the expression `node`.
local function expression(node) return unparse.expression(node) end
-- Returns the name of a node.
local function name(node) return node.name end
-- Returns a text and ": " after it; "" for an empty text.
local function prefix(text) return text ~= "" and text .. ": " or "" end

-- Returns the text of an iterator, i = first:last:step.
local function iterator(node)
  return ("%s = %s:%s%s"):format(node.name, expression(node.first), expression(node.last),
    node.step and ":" .. expression(node.step) or "")
end

-- Returns the text of a modifier with its argument.
local function modifier(node)
  if node.mapper then return ("mapper(%s)"):format(node.mapper) end
  if node.iterators then return ("iterator(%s)"):format(list_of(node.iterators, iterator)) end
  return node.when and ("%s(%s)"):format(node.name, node.when) or node.name
end

-- Writers: kind of a clause -> function(clause) that returns the text between its parentheses
-- (syntax/openmp_syntax.lua).
local argument_writers = {
  map = function(c) return prefix(list_of(c.modifiers, modifier)) .. list_of(c.vars, expression) end,
  vars = function(c) return list_of(c.vars, expression) .. (c.step and ": " .. expression(c.step) or "") end,
  reduction = function(c) return prefix(c.op) .. list_of(c.vars, expression) end,
  expression = function(c)
    local lower = c.lower and expression(c.lower) .. ": " or ""
    return prefix(c.modifier and c.modifier.name or "") .. lower .. expression(c.e)
  end,
  words = function(c) return list_of(c.words, name, ": ") end,
  depend = function(c)
    local modifiers = c.modifier and modifier(c.modifier) .. ", " or ""
    return modifiers .. c.type.name .. (c.items and ": " .. list_of(c.items, expression) or "")
  end,
  group = function(c) return prefix(c.action and c.action.name or "") .. list_of(c.names, name) end,
  names = function(c) return c.types and list_of(c.types, unparse.type) or list_of(c.names, name) end,
  types = function(c) return list_of(c.types, unparse.type) end,
}
argument_writers.motion = argument_writers.map

-- Functions that return the text of a clause's list item, and of a map's modifier.
unparse_openmp.item, unparse_openmp.modifier = expression, modifier

-- Returns `text`, a clause's argument that the parser stored as text, with normalized blanks.
local function tidy(text)
  return (text:gsub("%s+", " "):gsub(" ?([(),:]) ?", "%1"):gsub("[,:]", "%0 "))
end

-- Returns an OpenMP clause as text; equal clauses have equal texts.
function unparse_openmp.clause(clause)
  local write = argument_writers[clause.kind]
  return clause.name .. (write and ("(%s)"):format(write(clause)) or clause.text and tidy(clause.text) or "")
end

-- Returns a directive of OpenMP as text, with its clauses.
function unparse_openmp.directive(node)
  local parts = { node.name }
  if node.mapper then
    local mapper = node.mapper
    parts[1] = ("%s(%s%s %s)"):format(node.name, prefix(mapper.name or ""), unparse.type(mapper.type), mapper.variable)
  elseif node.vars then
    parts[1] = ("%s(%s)"):format(node.name, list_of(node.vars, expression))
  end
  for _, clause in ipairs(node.clauses) do parts[#parts + 1] = unparse_openmp.clause(clause) end
  return table.concat(parts, " ")
end

return unparse_openmp
