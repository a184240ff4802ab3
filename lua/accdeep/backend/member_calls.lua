-- member_calls.lua - runs member functions of C++ that a scenario gives in Lua, and those that a script calls. Inside
-- of a member function, `this` points to the object, and members are known by their names. The first argument of each
-- function is the session.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local member_functions = require "accdeep.sema.c.member_functions"
local memory_view = require "accdeep.backend.memory_view"
local scope = require "accdeep.types.scope"
local types = require "accdeep.types"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local member_calls = {}

-- Returns function(object, ...), which runs the Lua function of `method`; `this` then points to the view `object`.
function member_calls.bind_this(session, method)
  -- The call allocates the variable `this` now: later calls, during a construct, find it.
  member_calls.this_address(session, method.record)
  return function(object, ...)
    return member_calls.run_as_member(session, method.record, memory_view.location(object).address, method.fn,
      object, ...)
  end
end

-- Returns what a name means inside a member function if it is a member of *this: {name, type, address}. Returns nil
-- outside of member functions, if a local has this name, or if the record has no such member. Members hide outer
-- declarations.
function member_calls.this_member(self, name)
  local this = self.now.this
  local member = this and not rawget(self.now.scope.variables, name) and types.member(this.record, name)
  if not member then return nil end
  local object = string.unpack("j", core.get(this.pointer_cell, 8))
  return { name = name, type = member.type, address = object + member.offset }
end

-- Returns the host address of the variable `this`, a pointer that all member functions of a record share. The first
-- call for a record allocates the variable.
function member_calls.this_address(self, record)
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
function member_calls.run_as_member(self, record, address, fn, ...)
  local pointer_cell = member_calls.this_address(self, record)
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
function member_calls.member_function(self, record, name)
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

return member_calls
