-- member_functions.lua - member functions of C++: a call is replaced by the expression in the function's body
-- (inlining), or runs a Lua function.
--
-- A record's type keeps its functions by name: {name, params = names, body = AST of one expression, record, scope?,
-- other?, error?}. `other` is an overload, another function of the same name. `error` replaces the body of a function
-- that cannot be called. A session keeps {fn, record} for functions that a scenario defines with method(). Inlining
-- replaces parameters by arguments and resolves members in the object, so bounds of sections, host and device
-- expressions can all use them.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local scope = require "accdeep.types.scope"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local memory_view = require "accdeep.backend.memory_view"
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

-- Returns function(object, ...), which runs the Lua function of `method`; `this` then points to the view `object`.
function member_functions.bind_this(session, method)
  -- The call allocates the variable `this` now: later calls, during a construct, find it.
  member_functions.this_address(session, method.record)
  return function(object, ...)
    return member_functions.run_as_member(session, method.record, memory_view.location(object).address, method.fn,
      object, ...)
  end
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

-- ------------------------------------------------------------------------ running a member function --

-- Returns what a name means inside a member function if it is a member of *this: {name, type, address}. Returns nil
-- outside of member functions, if a local has this name, or if the record has no such member. Members hide outer
-- declarations. self: the session, as in all functions below.
function member_functions.this_member(self, name)
  local this = self.now.this
  local member = this and not rawget(self.now.scope.variables, name) and types.member(this.record, name)
  if not member then return nil end
  local object = string.unpack("j", core.get(this.pointer_cell, 8))
  return { name = name, type = member.type, address = object + member.offset }
end

-- Returns the host address of the variable `this`, a pointer that all member functions of a record share. The first
-- call for a record allocates the variable.
function member_functions.this_address(self, record)
  local pointer_cell = self.program.this_cells[record]
  if not pointer_cell then
    pointer_cell = self:new_block(8, "this", types.pointer(record))
    self.program.this_cells[record] = pointer_cell
  end
  return pointer_cell
end

-- Runs fn(object, ...) as a member function: `this` points to the object of type `record` at `address`, and its members
-- are known by their names. Restores `this`. Returns the results of fn, or raises its error. The variable arguments
-- follow fn.
function member_functions.run_as_member(self, record, address, fn, ...)
  local pointer_cell = member_functions.this_address(self, record)
  local previous, inner = core.get(pointer_cell, 8), scope.new(self.now.scope)
  inner.variables.this = { name = "this", type = types.pointer(record), address = pointer_cell }
  core.put(pointer_cell, string.pack("j", address))
  local results = table.pack(pcall(with_fields, self.now, { scope = inner,
    this = { record = record, pointer_cell = pointer_cell } }, fn, ...))
  core.put(pointer_cell, previous)
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

-- Returns the Lua function for a call object:name(...) in a script; nil if the record has no such member function. The
-- returned function raises if it is called on another object than a host object of this type.
function member_functions.member_function(self, record, name)
  local method = member_functions.find(self, record, name)
  if not method then return nil end
  return function(object, ...)
    local at = memory_view.location(object)
    if not at or at.type ~= record or at.space.on_device then
      raise("type-mismatch", nil, ("%s is called as object:%s(...) on a %s of the host"):format(name, name,
        types.name(record)))
    end
    if method.fn then return self:run_as_member(record, at.address, method.fn, object, ...) end
    local arguments = {}
    for i, value in ipairs { ... } do
      arguments[i] = { tag = "num", value = value, pos = 1,
        type = math.type(value) == "integer" and "long" or "double" }
    end
    return self:run_as_member(record, at.address, function()
      local this = { tag = "id", name = "this", pos = 1 }
      local inlined = member_functions.inline(self, method, this, true, { args = arguments, pos = 1 })
      return self:value_of(inlined)
    end)
  end
end

return member_functions
