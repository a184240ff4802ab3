-- compiler_values.lua - replaces expressions in directives that only the compiler can evaluate, such as calls and
-- sizeof, by variables.
--
-- A call accdeep_value_N() of a function, the "value", replaces each such expression in the AST that the session plans.
-- In the output text the original expression is restored. In a function for objects that q points to, members are
-- accessed through q. A bound inside a C++ class becomes a member function, because it may use any name of the class.
-- c_unit.lua creates the values.

local unit_directives = require "accdeep.tools.lower.unit_directives"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local compiler_values = {}

local PREFIX = "accdeep_value_"

local Values = {}
Values.__index = Values

-- Returns an empty list of values (Values) for a unit. `session`: plans the directives; values are declared in the
-- session's scope.
function compiler_values.new(session)
  return setmetatable({ session = session, list = {}, by_place = {} }, Values)
end

-- Returns true if a node is sizeof, a call, or a member or element of a call's result. The loop ends at a subscript of
-- a shape, because such a subscript has no base.
local function has_call(node)
  while node.base and (node.tag == "member" or node.tag == "index") do node = node.base end
  return node.tag == "call" or node.tag == "sizeof"
end

-- Placeholder address of variables: planning only needs some address, and no memory is read there.
compiler_values.ADDRESS = 4096

-- Placeholder for the function that a value is. It is never called: planning only checks that it exists.
local function no_function() end

-- Declares the value `name` in a scope.
local function declare(scope, name) scope.functions[name] = no_function end

-- Declares all values that exist so far in a scope.
function Values:declare(scope)
  for number in ipairs(self.list) do declare(scope, PREFIX .. number) end
end

-- Returns the node that replaces the expression `node` of a directive; expressions at one position share a value.
-- `is_inside`: a bound inside a C++ class, which a member function evaluates. `guard`: the condition under which C
-- evaluates the expression, or nil.
function Values:variable(directive, node, is_inside, guard)
  local by_pos = self.by_place[directive] or {}
  self.by_place[directive] = by_pos
  local value = by_pos[node.pos]
  if not value then
    value = { node = node, number = #self.list + 1, is_inside = is_inside, guard = guard,
      is_of_type = unit_directives.descriptions[directive.node.name] }
    self.list[value.number], by_pos[node.pos] = value, value
    declare(self.session.now.scope, PREFIX .. value.number)
    if is_inside then
      directive.rewrite_for_class = directive.rewrite_for_class or {}
      table.insert(directive.rewrite_for_class, value)
    end
  end
  local name = { tag = "id", pos = node.pos, name = PREFIX .. value.number }
  return { tag = "call", pos = node.pos, base = name, args = {} }
end

-- Returns the AST of `guard && condition`; `condition` if `guard` is nil.
local function conjunction(guard, condition)
  return guard and { tag = "binary", op = "&&", pos = condition.pos, a = guard, b = condition } or condition
end

-- Returns the AST of the negation of a condition.
local function negate(condition) return { tag = "unary", op = "!", pos = condition.pos, e = condition } end

-- Returns the AST `node` of a directive with values in place of calls and sizeof. `guard`: the condition under which C
-- evaluates `node`, or nil.
function Values:replace_calls(directive, node, guard)
  -- Replaces calls in `n`, which C evaluates only if `condition` is true.
  local function replace_under(condition, n) return self:replace_calls(directive, n, conjunction(guard, condition)) end
  return ast.map(node, function(n)
    if n.tag == "call" and n.base.tag == "id" and compiler_values.is_name(n.base.name) then return n end
    if has_call(n) then return self:variable(directive, n, false, guard) end
    if n.tag == "cond" then
      local copy = ast.copy_with(n, "c", self:replace_calls(directive, n.c, guard))
      return ast.copy_with(ast.copy_with(copy, "a", replace_under(n.c, n.a)), "b", replace_under(negate(n.c), n.b))
    elseif n.tag == "binary" and (n.op == "&&" or n.op == "||") then
      local copy = ast.copy_with(n, "a", self:replace_calls(directive, n.a, guard))
      return ast.copy_with(copy, "b", replace_under(n.op == "&&" and n.a or negate(n.a), n.b))
    end
  end)
end

-- Returns true if a bound has only numbers, operators and members of `record`.
local function is_simple(bound, record)
  return not ast.any(bound, function(n)
    return not (n.tag == "num" or n.tag == "unary" or n.tag == "binary"
      or n.tag == "id" and not n.global and types.member(record, n.name) ~= nil)
  end)
end

-- Returns the AST `node` of a shape or policy inside a class, for the class `record`. Bounds that are not simple become
-- values, which member functions of the class evaluate (compiler_values.members). Shapes of a member that is given by a
-- path stay unchanged.
function Values:rewrite_for_class(directive, node, record)
  return ast.map(node, function(n)
    if n.tag == "member_shape" and n.path then return n end
    if n.tag ~= "section" and n.tag ~= "index" then return nil end
    local copy = ast.copy_with(n)
    for _, field in ipairs { "start", "length", "index" } do
      if n[field] and not is_simple(n[field], record) then copy[field] = self:variable(directive, n[field], true) end
    end
    return copy
  end)
end

-- Returns true if a name begins like the name of a value.
function compiler_values.is_name(name) return name:find("^" .. PREFIX) ~= nil end

-- Returns the entry of self.list for the name accdeep_value_N; nil for other names.
local function value_of(self, name)
  local number = name:match("^" .. PREFIX .. "(%d+)$")
  return number and self.list[tonumber(number)]
end


-- Appends the names of the functions that an expression calls to `list`, each once; `list` is also the set of these
-- names. Returns `list`.
local function add_called(list, node)
  ast.visit(node, function(n)
    if n.tag == "call" and n.base.tag == "id" and not list[n.base.name] then
      list[n.base.name] = true
      list[#list + 1] = n.base.name
    end
  end)
  return list
end

-- Returns the sorted names of the functions that the values of a directive call.
function Values:called(directive)
  local list = {}
  for _, value in pairs(self.by_place[directive] or {}) do add_called(list, value.node) end
  table.sort(list)
  return list
end

-- Returns the expression `node` rewritten for an object of `record` to which the pointer q points: members are accessed
-- through q. is_function(name): returns true for functions outside of classes; other functions are called through q,
-- too.
local function rebase(node, record, is_function)
  return ast.map(node, function(n)
    if n.tag == "call" and n.base.tag == "id" then
      local fn, args = n.base, {}
      for i, argument in ipairs(n.args) do args[i] = rebase(argument, record, is_function) end
      if not is_function(fn.name) then fn = { tag = "member", arrow = true, base = { tag = "id", name = "q" },
        name = fn.name } end
      return ast.copy_with(ast.copy_with(n, "base", fn), "args", args)
    elseif n.tag == "id" and n.name == "this" then
      return { tag = "id", name = "q" }
    elseif n.tag == "id" and not n.global and types.member(record, n.name) then
      return { tag = "member", arrow = true, base = { tag = "id", name = "q" }, name = n.name }
    end
  end)
end

-- Returns true if the expression of the value `name` uses members of `record`; false if there is no such value.
-- is_function(name): returns true for functions outside of classes. The guard of the expression counts, too. Raises
-- {cannot = reason} if only the guard uses members and the directive is not a shape or policy.
function Values:is_of(name, record, is_function)
  local value = value_of(self, name)
  if not value then return false end
  -- Returns true if a node is a member of the record, or a call of a member function.
  local function is_about(n)
    return n.tag == "id" and types.member(record, n.name) ~= nil
      or n.tag == "call" and n.base.tag == "id" and not is_function(n.base.name)
  end
  if value.is_inside or ast.any(value.node, is_about) then return true end
  if not (value.guard and ast.any(value.guard, is_about)) then return false end
  if not value.is_of_type then error({ cannot = compiler_values.SOME }, 0) end
  return true
end

-- Returns true if the value `name` is part of a shape or policy, so that its names are those of the file.
function Values:is_of_type(name)
  local value = value_of(self, name)
  return value ~= nil and value.is_of_type ~= nil
end

-- Reason for which Values:is_of refuses: the guard of a call depends on the object.
compiler_values.SOME = "a call that a bound makes for some objects only"

-- Returns a text with the original expressions in place of the values. `record`: the text is in a function for objects
-- of this record, or nil. is_function(name): returns true for functions outside of classes. A guarded expression keeps
-- its guard, because all values are computed at once.
function Values:restore_expressions(text, record, is_function)
  return (text:gsub("(" .. PREFIX .. "%d+)%(%)", "%1"):gsub(PREFIX .. "(%d+)", function(number)
    local value = self.list[tonumber(number)]
    if value.is_inside then return ("q->accdeep_bound_%s()"):format(number) end
    if record then return unparse.expression(rebase(value.node, record, is_function)) end
    if not value.guard then return unparse.expression(value.node) end
    return ("(%s) ? (%s) : 0"):format(unparse.expression(value.guard), unparse.expression(value.node))
  end))
end

-- Returns the member functions for the bounds of a directive in a class, as text in one line; "" if there are none.
function compiler_values.members(directive)
  local list = {}
  for i, value in ipairs(directive.rewrite_for_class or {}) do
    list[i] = (" long accdeep_bound_%d() { return (long)(%s); }"):format(value.number,
      unparse.expression(value.node))
  end
  return table.concat(list)
end

return compiler_values
