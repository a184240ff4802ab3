-- captured_environment.lua - captures what names and pointers mean when the construct of an asynchronous kernel is
-- encountered. The queue runs the kernel later; by then its data may be unmapped, and the host program may have changed
-- its variables.

local sorted_pairs = require "accdeep.base.sorted_pairs"
local with_fields = require "accdeep.base.with_fields"

local captured_environment = {}

local CapturedEnvironment = {}
CapturedEnvironment.__index = CapturedEnvironment

-- Returns a copy of a binding (symbols.lua) whose functions lvalue and value return what the binding's return now: an
-- address or value, then the bounds of the object. An error of the binding is raised when the copy is used. For a
-- pointer whose data are present in pieces (as several objects), the binding returns a table, the note, instead of
-- bounds (memory_view.lua). The copy then returns a copy of the note, in whose field `present` is the result of
-- present(): the list of objects that are now on the device.
local function capture_binding(binding, present)
  local captured = setmetatable({}, { __index = binding })
  for _, field in ipairs { "lvalue", "value" } do
    if binding[field] then
      local results = table.pack(pcall(binding[field], {}))
      local note = results[3]
      if results[1] and type(note) == "table" and note.pieces then
        results[3] = setmetatable({ present = present() }, { __index = note })
      end
      captured[field] = function()
        if not results[1] then error(results[2], 0) end
        return table.unpack(results, 2, results.n)
      end
    end
  end
  return captured
end

-- Returns the set of names that a kernel's body may look up. used: list of the names in the body's text, {name}; nil
-- for a Lua function, which may look up any variable of the program. Members of *this are always included.
local function names_of(session, used)
  local names = {}
  for _, r in ipairs(used or {}) do names[r.name] = true end
  if session.now.this then
    for _, member in ipairs(session.now.this.record.members) do names[member.name or ""] = true end
  end
  for name in pairs(used and {} or session.now.scope:names()) do
    names[name] = names[name] or session.now.scope.variables[name] ~= nil or nil
  end
  return names
end

-- Returns the list of device addresses that the kernel `k` uses in addition to the present table: memory allocated for
-- it, and the targets of its private or deviceptr pointers. bindings: name -> {ok, binding}. used: nil for a Lua
-- function; then only pointers in deviceptr clauses count, because its other names are unknown.
local function addresses(k, bindings, used)
  local list, copies = table.move(k.allocated, 1, #k.allocated, 1, {}), k.env.space.private
  for name, entry in sorted_pairs(bindings) do
    local binding = entry.ok and (used or k.plan.deviceptr[name]) and entry.binding
    if binding and binding.type and binding.type.kind == "pointer" then
      local ok, address = pcall(binding.lvalue or binding.value, {})
      if ok and binding.lvalue then address = copies[address] and copies[address].value end
      if ok then list[#list + 1] = address end
    end
  end
  return list
end

-- Captures the bindings of a kernel's names, and the attachments of pointers on its device. k: the kernel; its lookup
-- function is replaced by one that finds the captured bindings. used: list of the names in the body's text, {name}; nil
-- for a Lua function. Returns the captured environment, which has the method `run`.
function captured_environment.capture(k, used)
  local session = k.session
  local ctx, look_up, bindings, objects = session.ctx, k.env.lookup, {}, nil
  local function present()
    objects = objects or ctx:present(k.device)
    return objects
  end
  for name in sorted_pairs(names_of(session, used)) do
    local ok, binding = pcall(look_up, name)
    bindings[name] = { ok = ok, binding = ok and binding and capture_binding(binding, present) or binding }
  end
  k.env.lookup = function(name, pos)
    local entry = bindings[name]
    if not entry then return look_up(name, pos) end
    if not entry.ok then error(entry.binding, 0) end
    return entry.binding
  end
  local attached = {}
  for _, pointer in ipairs(ctx:attachments(k.device)) do
    if pointer.low ~= 0 then
      attached[ctx:deviceptr(k.device, pointer.slot)] = { value = pointer.dev, low = pointer.low, high = pointer.high }
    end
  end
  return setmetatable({ session = session, kernel = k, scope = session.now.scope, this = session.now.this,
    attached = attached, uses = addresses(k, bindings, used) }, CapturedEnvironment)
end

-- Runs fn(...) with the captured environment: names, scope, `this` and targets of attached pointers. Restores the
-- session's state afterwards. Returns the results of fn, or raises its error.
function CapturedEnvironment:run(fn, ...)
  local session, k, private = self.session, self.kernel, self.kernel.env.space.private
  for address, pointer in pairs(self.attached) do private[address] = private[address] or pointer end
  local captured_now = { device = k.device, scope = self.scope, this = self.this, kernel = k }
  local results = table.pack(pcall(with_fields, session.now, captured_now, fn, ...))
  for address, pointer in pairs(self.attached) do
    if private[address] == pointer then private[address] = nil end
  end
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

return captured_environment
