-- values.lua - expressions in directives that only the compiler understands: calls of functions, sizes of types.
--
-- In the trees that the session gets, a variable stands for each: accdeep_value_1. It is of type long; where directives
-- become calls (calls.lua), it is a function without arguments. In the text that comes out the expression stands again.
-- In a function for objects, which q points to, names of members and of member functions are those of *q. A bound in a
-- class of C++ itself is a member function of it, which knows all names there.

local directives = require "accdeep.tools.lower.directives"
local tree = require "accdeep.base.tree"
local types = require "accdeep.types"
local unparse = require "accdeep.grammar.unparse"

local values = {}

local PREFIX = "accdeep_value_"

local Values = {}
Values.__index = Values

-- session: where the variables are declared. is_function(name): whether C++ has a function of this name outside of the
-- classes; nil: all are such (C).
function values.new(session, as_calls)
  return setmetatable({ session = session, as_calls = as_calls, list = {}, by_place = {} }, Values)
end

-- Whether a node is a call, or a member or an element of what a call gives. Subscripts of a shape have no base.
local function has_call(node)
  while node.base and (node.tag == "member" or node.tag == "index") do node = node.base end
  return node.tag == "call" or node.tag == "sizeof"
end

-- The address of variables that nothing asks for.
values.ADDRESS = 4096

local function no_function() end

local function declare(self, scope, name)
  if self.as_calls then scope.functions[name] = no_function
  else scope.variables[name] = { name = name, type = types.scalars.long, address = values.ADDRESS } end
end

-- Declares all variables in a scope.
function Values:declare(scope)
  for number in ipairs(self.list) do declare(self, scope, PREFIX .. number) end
end

-- The variable for an expression of a directive. guard: the condition under which C evaluates it, nil: always.
function Values:variable(one, node, is_inside, guard)
  local by_pos = self.by_place[one] or {}
  self.by_place[one] = by_pos
  local value = by_pos[node.pos]
  if not value then
    value = { node = node, number = #self.list + 1, is_inside = is_inside, guard = guard,
      is_of_type = directives.descriptions[one.node.name] }
    self.list[value.number], by_pos[node.pos] = value, value
    declare(self, self.session.now.scope, PREFIX .. value.number)
    if is_inside then
      one.inside = one.inside or {}
      table.insert(one.inside, value)
    end
  end
  local name = { tag = "id", pos = node.pos, name = PREFIX .. value.number }
  return self.as_calls and { tag = "call", pos = node.pos, base = name, args = {} } or name
end

-- A condition that holds with another one, or nil.
local function both(guard, condition)
  return guard and { tag = "binary", op = "&&", pos = condition.pos, a = guard, b = condition } or condition
end

local function negated(condition) return { tag = "unary", op = "!", pos = condition.pos, e = condition } end

-- A directive's tree in which variables stand for calls. guard: as of Values:variable.
function Values:without_calls(one, node, guard)
  local function under(condition, n) return self:without_calls(one, n, both(guard, condition)) end
  return tree.map(node, function(n)
    if n.tag == "call" and n.base.tag == "id" and values.is_name(n.base.name) then return n end
    if has_call(n) then return self:variable(one, n, false, guard) end
    if n.tag == "cond" then
      local made = tree.with(n, "c", self:without_calls(one, n.c, guard))
      return tree.with(tree.with(made, "a", under(n.c, n.a)), "b", under(negated(n.c), n.b))
    elseif n.tag == "binary" and (n.op == "&&" or n.op == "||") then
      local made = tree.with(n, "a", self:without_calls(one, n.a, guard))
      return tree.with(made, "b", under(n.op == "&&" and n.a or negated(n.a), n.b))
    end
  end)
end

-- Whether a bound uses no more than numbers and members of a record.
local function is_simple(bound, record)
  return not tree.any(bound, function(n)
    return not (n.tag == "num" or n.tag == "unary" or n.tag == "binary"
      or n.tag == "id" and not n.global and types.member(record, n.name) ~= nil)
  end)
end

-- The tree of a shape or policy for a record in whose definition it stands: all else is for the class to say, but for
-- parts of its members.
function Values:inside(one, node, record)
  return tree.map(node, function(n)
    if n.tag == "member_shape" and n.path then return n end
    if n.tag ~= "section" and n.tag ~= "index" then return nil end
    local made = tree.with(n)
    for _, field in ipairs { "start", "length", "index" } do
      if n[field] and not is_simple(n[field], record) then made[field] = self:variable(one, n[field], true) end
    end
    return made
  end)
end

function values.is_name(name) return name:find("^" .. PREFIX) ~= nil end

local function value_of(self, name)
  local number = name:match("^" .. PREFIX .. "(%d+)$")
  return number and self.list[tonumber(number)]
end


-- Names of functions that are called in an expression.
local function add_called(list, node)
  tree.visit(node, function(n)
    if n.tag == "call" and n.base.tag == "id" and not list[n.base.name] then
      list[n.base.name] = true
      list[#list + 1] = n.base.name
    end
  end)
  return list
end

-- Names of functions that a directive calls.
function Values:called(one)
  local list = {}
  for _, value in pairs(self.by_place[one] or {}) do add_called(list, value.node) end
  table.sort(list)
  return list
end

-- The expression in a function for objects of a record. is_function: as of values.new.
local function rebased(node, record, is_function)
  return tree.map(node, function(n)
    if n.tag == "call" and n.base.tag == "id" then
      local fn, args = n.base, {}
      for i, argument in ipairs(n.args) do args[i] = rebased(argument, record, is_function) end
      if not is_function(fn.name) then fn = { tag = "member", arrow = true, base = { tag = "id", name = "q" },
        name = fn.name } end
      return tree.with(tree.with(n, "base", fn), "args", args)
    elseif n.tag == "id" and n.name == "this" then
      return { tag = "id", name = "q" }
    elseif n.tag == "id" and not n.global and types.member(record, n.name) then
      return { tag = "member", arrow = true, base = { tag = "id", name = "q" }, name = n.name }
    end
  end)
end

-- Whether the expression that a variable stands for is about an object of a record: it uses its members. Where
-- directives become calls, so does its condition. Raises {cannot = reason}.
function Values:is_of(name, record, is_function)
  local value = value_of(self, name)
  if not value then return false end
  local function is_about(n)
    return n.tag == "id" and types.member(record, n.name) ~= nil
      or n.tag == "call" and n.base.tag == "id" and not is_function(n.base.name)
  end
  if value.is_inside or tree.any(value.node, is_about) then return true end
  if not (self.as_calls and value.guard and tree.any(value.guard, is_about)) then return false end
  if not value.is_of_type then error({ cannot = values.SOME }, 0) end
  return true
end

-- The reason why a call is refused whose arguments only the directive's own place knows.
values.SOME = "a call that a bound makes for some objects only"

-- A text with the expressions that the variables stand for; record: in a function for its objects. The program gives
-- the values for calls all at once: there each has its condition with it.
function Values:restored(text, record, is_function)
  return (text:gsub("(" .. PREFIX .. "%d+)%(%)", "%1"):gsub(PREFIX .. "(%d+)", function(number)
    local value = self.list[tonumber(number)]
    if value.is_inside then return ("q->accdeep_bound_%s()"):format(number) end
    if record then return unparse.expression(rebased(value.node, record, is_function)) end
    if not (self.as_calls and value.guard) then return unparse.expression(value.node) end
    return ("(%s) ? (%s) : 0"):format(unparse.expression(value.guard), unparse.expression(value.node))
  end))
end

-- Member functions for the bounds of a directive in a class.
function values.members(one)
  local list = {}
  for i, value in ipairs(one.inside or {}) do
    list[i] = (" long accdeep_bound_%d() { return (long)(%s); }"):format(value.number,
      unparse.expression(value.node))
  end
  return table.concat(list)
end

return values
