-- member_functions.lua - member functions of C++: finds them, and replaces a call by the expression in the function's
-- body (inlining). Functions that a scenario gives in Lua are run by backend/member_calls.lua.
--
-- Input: a call, and the type of its object. Output: the AST of an expression, with the positions of the call.
-- Invariant: the stored body of the function is not changed.
--
-- A record's type keeps its functions by name: {name, params = names, body = AST of one expression, record, scope?,
-- other?, error?}. `other` is an overload, another function of the same name. `error` replaces the body of a function
-- that cannot be called. A session keeps {fn, record} for functions that a scenario defines with method(). Inlining
-- replaces parameters by arguments and resolves members in the object, so bounds of sections, host and device
-- expressions can all use them.

local diagnostic = require "accdeep.base.diagnostic"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local member_functions = {}

local MAX_INLINING_DEPTH = 32 -- limit of nested inlining

-- Returns the member function `name` of a record or of its base classes; nil if there is none. A function that the
-- scenario defines with method() precedes one in the text of the class.
function member_functions.find(session, record, name)
  local method = session:methods_of(record)[name] or record.methods and record.methods[name]
  for _, base in ipairs(not method and record.bases or {}) do
    method = method or member_functions.find(session, base, name)
  end
  return method
end

-- True if a record or one of its base classes declares the member function `name` without a body.
local function is_prototype(record, name)
  if record.prototypes and record.prototypes[name] then return true end
  for _, base in ipairs(record.bases or {}) do
    if is_prototype(base, name) then return true end
  end
  return false
end

-- True if a function is only declared, without a body, so that a scenario may still define it: a member function of the
-- class `record`, or a free function. record: nil if only free functions are meant.
function member_functions.is_declared(session, record, name)
  return record ~= nil and is_prototype(record, name) or session.now.scope.prototypes[name] or false
end

-- Inlines a member function at the call `node`. Returns the AST that replaces the call, and the new depth of inlining,
-- for with_inlining_depth. method: first of the overloads; the one with the call's number of arguments is used. object:
-- AST of the object; nil if the object's members are visible by their names. arrow: true if `object` is a pointer.
-- Raises if no overload fits, if the function cannot be called, or if the depth exceeds its limit.
function member_functions.inline(session, method, object, arrow, node)
  local first = method
  while method.other and #(method.params or {}) ~= #node.args do method = method.other end
  if #(method.params or node.args) ~= #node.args then
    raise("type-mismatch", node.pos, ("%s takes %d arguments"):format(first.name, #first.params))
  end
  if method.error then
    local err = {}
    for key, value in pairs(method.error) do err[key] = value end
    err.of_body = true
    err.pos, err.location = err.pos or node.pos, err.pos and method.location or nil
    error(setmetatable(err, getmetatable(method.error)), 0)
  end
  local depth = session.now.inlining + 1
  if depth > MAX_INLINING_DEPTH then
    raise("limit", node.pos, ("%s calls itself"):format(method.name), { rule = "HOUSE-limit", of_construct = true })
  end
  local args = {}
  for i, name in ipairs(method.params) do args[name] = node.args[i] end
  local pos = node.pos
  local function object_member(name)
    if not object then return { tag = "id", pos = pos, name = name } end
    return { tag = "member", pos = pos, name_pos = pos, base = object, arrow = arrow, name = name }
  end
  local function replace(inner)
    if inner.tag == "member" and inner.arrow and inner.base.tag == "id" and inner.base.name == "this" then
      return object_member(inner.name)
    elseif inner.tag == "id" then
      if args[inner.name] then return args[inner.name] end
      if types.member(method.record, inner.name) or member_functions.find(session, method.record, inner.name) then
        return object_member(inner.name)
      end
      local constant, t
      if method.scope then constant, t = method.scope:constant_named(inner.name) end
      if constant then return { tag = "num", pos = pos, value = constant, type = t.name } end
      return { tag = "id", pos = pos, name = inner.name, global = true }
    end
  end
  return ast.map(method.body, replace, function(copy)
    if copy.tag then copy.pos, copy.name_pos = pos, copy.name_pos and pos end
  end), depth
end

-- Runs fn(...) while session.now.inlining, the depth of inlining, has the value `depth`; therefore endless recursion
-- exceeds MAX_INLINING_DEPTH. Returns the results of fn.
function member_functions.with_inlining_depth(session, depth, fn, ...)
  return with_fields(session.now, { inlining = depth }, fn, ...)
end

-- Inside a member function, a call f(x) may name another member function of the same object. The result is then the AST
-- of this->f(x). node: the call. Returns nil for other calls, for ::f(x), and outside of member functions.
function member_functions.call_on_this(session, node)
  local this, base = session.now.this, node.base
  if not this or base.tag ~= "id" or base.global then return nil end
  if not member_functions.find(session, this.record, base.name) then return nil end
  return { tag = "call", pos = node.pos, args = node.args, base = { tag = "member", pos = base.pos,
    name_pos = base.pos, arrow = true, name = base.name, base = { tag = "id", pos = base.pos, name = "this" } } }
end

-- Always raises: the type `record` has no member function of the name in the call `node`.
function member_functions.unknown(session, record, node)
  local names = {}
  for name in pairs(record.methods or {}) do names[name] = true end
  for name in pairs(session:methods_of(record)) do names[name] = true end
  raise("unknown-member", node.base.name_pos or node.base.pos, ("%s has no member function '%s'"):format(
    types.name(record), node.base.name), { length = #node.base.name, rule = "TR14-3.1.1-21",
    of_body = is_prototype(record, node.base.name),
    help = diagnostic.suggest(node.base.name, names) or "give its body in the class, or method() in Lua" })
end

return member_functions
