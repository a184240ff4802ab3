-- unparse_fortran.lua - unparser for Fortran expressions, for messages and names of objects.
--
-- Input: a node of an expression. Output: its text.

local unparse_fortran -- forward declaration

-- Returns the texts of a list of expressions, separated by commas.
local function list_of(nodes)
  local parts = {}
  for i, node in ipairs(nodes) do parts[i] = unparse_fortran(node) end
  return table.concat(parts, ",")
end

-- Binding strength of binary operators; an operand that binds less strongly than required gets parentheses.
local levels = { [".eqv."] = 1, [".neqv."] = 1, [".or."] = 2, [".and."] = 3, ["=="] = 5, ["/="] = 5, ["<"] = 5,
  ["<="] = 5, [">"] = 5, [">="] = 5, ["//"] = 6, ["+"] = 7, ["-"] = 7, ["*"] = 8, ["/"] = 8, ["**"] = 9 }

-- Returns the text of an expression, in parentheses if it binds less strongly than `precedence`.
local function parenthesize(node, precedence)
  local level = node.tag == "binary" and levels[node.op] or 10
  if node.tag == "unary" then level = node.op == ".not." and 4 or 7 end
  local text = unparse_fortran(node)
  return level < precedence and "(" .. text .. ")" or text
end

-- Writers: tag of a node -> function(node) that returns the node's text.
local writers = {}

function writers.num(node)
  local text = node.class == "integer" and ("%d"):format(node.value) or ("%.9g"):format(node.value)
  if node.class == "real" and not text:find "[.en]" then text = text .. ".0" end
  return text .. (node.kind ~= 4 and "_" .. node.kind or "")
end
function writers.str(node) return '"' .. node.value:gsub('"', '""') .. '"' end
function writers.complex(node) return ("(%s,%s)"):format(unparse_fortran(node.re), unparse_fortran(node.im)) end
function writers.truth(node) return node.value and ".true." or ".false." end
function writers.id(node) return node.name end
function writers.component(node) return unparse_fortran(node.base) .. "%" .. node.name end
function writers.reference(node) return ("%s(%s)"):format(unparse_fortran(node.base), list_of(node.args)) end
function writers.keyword(node) return node.name .. "=" .. (node.e and unparse_fortran(node.e) or "*") end
function writers.range(node)
  return (node.first and unparse_fortran(node.first) or "") .. ":" .. (node.last and unparse_fortran(node.last) or "")
    .. (node.step and ":" .. unparse_fortran(node.step) or "")
end
function writers.unary(node) return node.op .. parenthesize(node.e, 8) end
function writers.binary(node)
  local own, power = levels[node.op], node.op == "**" and 1 or 0 -- ** is right-associative
  return parenthesize(node.a, own + power) .. node.op .. parenthesize(node.b, own + 1 - power)
end
function writers.star() return "*" end
function writers.array(node) return ("[%s]"):format(list_of(node.list)) end
function writers.implied(node)
  return ("(%s,%s=%s,%s%s)"):format(list_of(node.list), node.name, unparse_fortran(node.first),
    unparse_fortran(node.last),
    node.step and "," .. unparse_fortran(node.step) or "")
end

-- Returns the text of the expression `node`.
function unparse_fortran(node) return writers[node.tag](node) end

return unparse_fortran
