-- host_functions.lua - the functions of a scenario that make the host program: declarations, Fortran, memory and
-- expressions.
--
-- define(env, script) adds the functions to the environment `env` of a script. script: {run, current, begin, need_text,
-- new_word}, which scenario.lua describes.

local memory_view = require "accdeep.backend.memory_view"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local languages = require "accdeep.run.languages"
local c_sema = require "accdeep.sema.c.c_sema"
local syntax = require "accdeep.syntax"
local types = require "accdeep.types"
local scoped_names = require "accdeep.types.scoped_names"
local transaction = require "accdeep.types.transaction"

local raise = diagnostic.raise

local host_functions = {}

-- Adds the functions to `env`.
function host_functions.define(env, script)
  local run, current, begin = script.run, script.current, script.begin
  local need_text, new_word = script.need_text, script.new_word

  -- Defines declare(text): executes declarations of C; if one of them is wrong, raises and declares nothing.
  function env.declare(text)
    begin()
    if type(text) ~= "string" then raise("type-mismatch", nil, "declare takes a text") end
    if current().language == languages.fortran then
      raise("type-mismatch", nil, "this is a scenario in Fortran", { help = "write fortran [[ ]] for declarations" })
    end
    transaction.run(current(), current().declare, current(), text, location.caller(2))
  end

  -- Defines declare_from("PROGRAM", "struct T"): declares a type from a program's debug information, if the scenario is
  -- trusted.
  function env.declare_from(path, text)
    if not run.options.trust then
      raise("unsupported", nil, "declare_from is for scenarios that are trusted", { rule = "HOUSE-debug",
        help = "accdeep run --trust" })
    end
    begin()
    need_text(path, "declare_from takes the name of a program and a type")
    need_text(text, "declare_from takes the name of a program and a type")
    current():declare_from(path, text, location.caller(2))
  end

  -- Defines fortran(text): executes declarations and statements of Fortran. Makes Fortran the language if the scenario
  -- has none.
  function env.fortran(text)
    begin()
    if run.words then return new_word("fortran", text) end
    need_text(text, "fortran takes a text")
    local s = current()
    if not s.options.language then s:speak "fortran" end
    if s.options.language ~= "fortran" then
      raise("type-mismatch", nil, "this is a scenario in C", { help = 'scenario { language = "fortran" }' })
    end
    s:declare(text, location.caller(2))
  end

  -- Defines call "name(arguments)": calls a Fortran subroutine.
  function env.call(text)
    begin()
    need_text(text, "call takes a call as text")
    current():fortran_call(text, location.caller(2))
  end

  -- Defines output(): returns the lines that Fortran's print wrote since the last call of output.
  function env.output() return current():output() end

  -- Returns the name of a variable as the language of the session `s` stores it (Fortran: in lower case); a value that
  -- is no string is returned unchanged.
  local function normalize_name(s, name)
    return type(name) == "string" and s.language.normalize_name(name) or name
  end

  -- Defines host: host.NAME reads or sets a variable; host "expression" returns the value of an expression.
  local host = setmetatable({}, {
    __name = "host",
    __tostring = function() return "host: the variables of the host program, as host.NAME" end,
    __index = function(_, name)
      local s = current()
      name = normalize_name(s, name)
      local binding = type(name) == "string" and s:host_env().lookup(name)
      if not binding or binding.fn then
        raise("unknown-name", nil, ("there is no variable '%s'"):format(tostring(name)),
          { help = diagnostic.suggest(name, s.now.scope:names()) })
      end
      if binding.const then return binding.const end
      if binding.view then return binding.view(s.device_side.pointer_spaces[s.now.device]) end
      if not binding.lvalue then -- a pointer that a use_device clause bound to a device address
        return s.device_side.pointer_spaces[s.now.device]:pointer(binding.type, binding.value())
      end
      return memory_view.read(s.host_space, binding.type, binding.lvalue())
    end,
    __newindex = function(_, name, value)
      begin()
      local s = current()
      name = normalize_name(s, name)
      local binding = type(name) == "string" and s:host_env().lookup(name)
      if binding and not binding.lvalue then
        raise("type-mismatch", nil, ("'%s' is not a variable: it cannot be assigned to"):format(name))
      end
      if not binding then
        raise("unknown-name", nil, ("there is no variable '%s'"):format(tostring(name)),
          { help = diagnostic.suggest(name, s.now.scope:names()) or "declare it first" })
      end
      c_sema.constness(s, name)
      local address, low, high = binding.lvalue()
      s.now.current = false
      memory_view.write(s.host_space, binding.type, address, value, low, high)
    end,
    __call = function(_, text)
      if run.words then return new_word("host", text) end
      if type(text) ~= "string" then raise("type-mismatch", nil, "host takes an expression as text") end
      local s = current()
      local file, line = location.caller(2)
      return s:with_text(text, file, line, s.value, s, s:host_env(), text, "assignment")
    end,
  })
  env.host = host

  -- Returns the type that `text` names. Raises if there is no such type.
  local function type_named(text, file, line)
    need_text(text, "a type is given as text")
    local s = current()
    return s:with_text(text, file, line, function() return s.language.type(s, text) end)
  end

  -- Defines alloc(type, count, init): returns a pointer to new host memory. `init`: values, a function of the index, or
  -- nil.
  function env.alloc(text, count, init)
    begin()
    local s = current()
    local file, line = location.caller(2)
    local t = type_named(text, file, line)
    local n = math.tointeger(count)
    if not n or n < 0 then
      raise("invalid-section", nil, ("alloc of %s elements"):format(tostring(count)))
    end
    if t.kind == "void" or t.kind == "function" or (t.kind == "record" and not t.complete) then
      scoped_names.no_size(t, nil, { code = "unknown-type" })
    end
    if n > (1 << 46) // math.max(t.size, 1) then raise("invalid-section", nil, "too many elements") end
    s.now.current = { file = file, line = line }
    local address = s:new_block(n * t.size, ("alloc(%q, %d)"):format(text, n), types.array(t, n))
    s.now.current = false
    local pointer = s.host_space:pointer(types.pointer(t), address, address, address + n * t.size)
    if type(init) == "table" then
      memory_view.fill(s.host_space, types.array(t, n), address, init, address, address + n * t.size)
    elseif init ~= nil then
      for i = 0, n - 1 do pointer[i] = type(init) == "function" and init(i) or init end
    end
    return pointer
  end

  -- Defines free(pointer): frees host memory that alloc returned; NULL is ignored. Raises for other values.
  function env.free(pointer)
    begin()
    local address, at = memory_view.address(pointer)
    if not address or (at and at.space.on_device) then
      raise("device-pointer-on-host", nil, "free takes a host pointer", { rule = "TR14-1.1-02" })
    end
    if at and at.type.kind ~= "pointer" then
      raise("type-mismatch", nil, "free takes a pointer that alloc gave")
    end
    if address ~= 0 then current():free(address) end
  end

  -- Defines addr(text): returns a pointer to a variable, an element or the first element of a section.
  function env.addr(text)
    need_text(text, "addr takes a variable as text")
    local s = current()
    local file, line = location.caller(2)
    local address, _, t = s:with_text(text, file, line, s.extent, s, text)
    local to = types.pointer(t)
    if text:find "%[[^%]]*:" then to = t.kind == "pointer" and t or types.pointer(t.of or t) end
    if s.ctx:device_of(address) >= 0 then -- inside host_data
      return s.device_side.pointer_spaces[s.now.device]:pointer(to, address, s.ctx:device_bounds(s.now.device, address))
    end
    return s.host_space:pointer(to, address, s.ctx:host_bounds(address))
  end
  env.NULL = memory_view.NULL

  -- Defines sizeof(text): returns the size in bytes of a type, variable or section. Raises if it has no size.
  function env.sizeof(text)
    local s = current()
    local file, line = location.caller(2)
    need_text(text, "sizeof takes a type or a variable as text")
    local ok, t = pcall(type_named, text, file, line)
    if ok then
      if t.kind == "function" or (t.kind == "record" and not t.complete)
        or (t.kind == "array" and not t.n) then
        scoped_names.no_size(t, nil, { code = "unknown-type" })
      end
      return t.size
    end
    local _, bytes = s:with_text(text, file, line, s.extent, s, text)
    return bytes
  end

  -- Defines func(name, fn): makes the Lua function `fn` callable in bounds and expressions. Raises if the name exists.
  function env.func(name, fn)
    begin()
    if type(name) ~= "string" or not name:match "^[%a_][%w_]*$" or type(fn) ~= "function" then
      raise("type-mismatch", nil, "func takes a name and a function")
    end
    local s = current()
    if s.now.scope:find_declared(name) or s.now.scope.variables[name] then
      raise("duplicate-name", nil, ("'%s' is declared already"):format(name))
    end
    s.now.scope.functions[name] = fn
    s:types_changed()
  end

  -- Defines method("T", "name", fn): makes `fn(self, ...)` a member function of T, for bounds and for object:name(...).
  function env.method(type_text, name, fn)
    begin()
    if type(type_text) ~= "string" or type(name) ~= "string" or not name:match "^[%a_][%w_]*$"
      or type(fn) ~= "function" then
      raise("type-mismatch", nil, "method takes a type, a name and a function")
    end
    local s = current()
    local file, line = location.caller(2)
    local t = s:with_text(type_text, file, line, function()
      return s:type_of(syntax.parse("any_type", type_text, 1, s.now.scope))
    end)
    if not types.is_record(t) then
      raise("not-a-struct", nil, ("%s has no member functions"):format(types.name(t)))
    end
    local methods = s:methods_of(t)
    if rawget(methods, name) or types.member(t, name) then
      raise("duplicate-name", nil, ("%s has a member '%s' already"):format(types.name(t), name))
    end
    methods[name] = { name = name, fn = fn, record = t }
    s:types_changed()
  end
end

return host_functions
