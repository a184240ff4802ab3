-- scenario.lua - the scenario language: the names that a script sees, and the execution of a file of cases.
--
-- Scripts are untrusted: they see a safe part of Lua's library (sandbox.lua) and the names of this language. tools/cli,
-- tools/explore and tools/export call scenario.run and scenario.open.
--
--   Run {file, options, sessions (stack), session (its top), cases, head, checks, observers, out}
--     file session   made by `open`, replaced by scenario { } and rules { }.
--       case session   an inner session for each case, closed at its end.

local lazy = require "accdeep.base.lazy"
local advice = require "accdeep.syntax.advice"
local api_routines = require "accdeep.run.api_routines"
local async = require "accdeep.run.async"
local c_sema = require "accdeep.sema.c.c_sema"
local rules = require "accdeep.definitions.rules"
local conformance = require "accdeep.definitions.conformance"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local expect = require "accdeep.script.expect"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local ir_execution = lazy.require "accdeep.run.ir_execution"
local languages = require "accdeep.run.languages"
local syntax = require "accdeep.syntax"
local scoped_names = require "accdeep.types.scoped_names"
local clause_groups = require "accdeep.types.clause_groups"
local location = require "accdeep.base.location"
local report = require "accdeep.base.report"
local observers = require "accdeep.base.observers"
local profiles = require "accdeep.definitions.profiles"
local sandbox = require "accdeep.script.sandbox"
local session = require "accdeep.run.session"
local state_functions = require "accdeep.script.state_functions"
local transaction = require "accdeep.types.transaction"
local types = require "accdeep.types"
local memory_view = require "accdeep.backend.memory_view"
local vocabulary = require "accdeep.script.vocabulary"

local raise = diagnostic.raise
local scenario = {}

-- -------------------------------------------------------------------------------------- language --

-- Returns an open region (run/region.lua) as a script sees it: an object to call with a body, to close or to abandon.
local function handle(region)
  local function close() return region:close() end
  local function abandon() region:abandon() end
  return setmetatable({ close = close, abandon = abandon }, { __name = "region",
    __close = getmetatable(region).__close and function() if not region.closed then region:close() end end,
    __call = function(_, body) return region(body) end })
end

local STEPS_OF_A_BYTE = 10 -- steps that count for each written byte: thus the step limit also limits the output

-- Raises an error with the text `message` unless `value` is a string.
local function need_text(value, message)
  if type(value) ~= "string" then raise("type-mismatch", nil, message) end
end

-- Returns a copy of a session's options.
local function options_of(s)
  local options = {}
  for key, value in pairs(s.options) do options[key] = value end
  return options
end

-- Returns the environment of a script: the names of the language. `run`: the Run that executes the script.
local function language(run)
  local env = sandbox.environment(run.out)
  local function current() return run.session end
  local new_word = vocabulary.extend(env, run)

  -- Defines scenario { }, the first statement: sets the title and replaces the session by one with options of `head`.
  function env.scenario(head)
    if type(head) ~= "table" then raise("type-mismatch", nil, "scenario takes a table") end
    if run.begun then
      raise("scenario-error", nil, "scenario { } is the first statement",
        { rule = "HOUSE-scenario", help = "move scenario { } to the top of the file" })
    end
    local unknown
    for key in pairs(head) do
      local name = not scenario.head_keys[key] and tostring(key)
      if name and not (unknown and unknown < name) then unknown = name end
    end
    if unknown then
      raise("unknown-name", nil, ("scenario has no field '%s'"):format(unknown),
        { help = diagnostic.suggest(unknown, scenario.head_keys) })
    end
    if head.language ~= nil and not languages[head.language] then
      raise("unknown-name", nil, ("there is no language '%s'"):format(tostring(head.language)),
        { help = "c and fortran" })
    end
    if run.head.declared then raise("scenario-error", nil, "a file has one head", { rule = "HOUSE-scenario" }) end
    need_text(head.title or "", "title is a text")
    run.head.title = head.title
    if head.descriptors ~= nil and not fortran_descriptor.layouts[head.descriptors] then
      raise("unknown-name", nil, ("there is no layout of descriptors '%s'"):format(tostring(head.descriptors)),
        { help = "cfi, flang and gfortran" })
    end
    if head.async ~= nil and not async.modes[head.async] then
      raise("unknown-name", nil, ("there is no mode '%s' of queues"):format(tostring(head.async)),
        { help = "program, delayed and concurrent" })
    end
    if head.strict ~= nil and type(head.strict) ~= "boolean" then
      raise("type-mismatch", nil, "strict is true or false")
    end
    if head.cites ~= nil and type(head.cites) ~= "table" then
      raise("type-mismatch", nil, "cites is a list of rules")
    end
    for _, id in ipairs(head.cites or {}) do rules.need(id) end
    if head.devices ~= nil and type(head.devices) ~= "number" then
      raise("type-mismatch", nil, "devices is a number")
    end
    local devices = math.tointeger(head.devices)
    if head.devices ~= nil and not (devices and devices >= 1 and devices <= 64) then
      raise("no-device", nil, "devices is a number from 1 to 64")
    end
    local options = options_of(run.session)
    if run.options.rules then
      options.rules = run.options.rules
    elseif head.rules ~= nil then
      options.rules = head.rules
    end
    options.devices = devices or options.devices
    if head.strict ~= nil then options.strict = head.strict end
    options.async = head.async or options.async
    options.descriptors = head.descriptors or options.descriptors
    options.language = head.language
    run:renew(options)
    run.head.declared = true
  end

  -- Defines rules { ... } or rules "name": replaces the session, which has no declarations of its own yet, by one under
  -- other rules.
  function env.rules(requested_rules)
    local s = current()
    if s:is_busy() or run.comparing then
      raise("scenario-error", nil, "rules are outside of regions, bodies and expectations", {
        rule = "HOUSE-scenario", help = "they begin a new session: make them the first statement of the case" })
    end
    if next(s.program.blocks) or next(s.now.scope.functions) or next(s.now.scope.tags) then
      raise("scenario-error", nil, "rules come before declarations", { rule = "HOUSE-scenario",
        help = s.outer and "make them the first statement of the case: it starts again with what the file declares"
          or "give them in scenario { rules = ... }, or in each case" })
    end
    if requested_rules == nil then raise("type-mismatch", nil, "rules takes a profile's name or a table with base") end
    local options = options_of(s)
    options.rules = run.options.rules or requested_rules
    run:renew(options)
    return requested_rules
  end

  -- Records that the script has executed a statement, so that scenario { } is not allowed any more.
  local function begin() run.begun = true end

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

  -- Returns the function acc or omp (`name`), which executes the directive `text`. `refs`: names of variables that a
  -- body uses, as a text, or nil. It returns a region, a function that takes the body, or nil if the directive is done.
  local function directives(name)
    return function(text, refs)
      run.begun = true
      if run.words then return new_word(name, text) end
      if type(text) ~= "string" then raise("type-mismatch", nil, name .. " takes a directive as text") end
      if refs ~= nil then need_text(refs, ("the second argument of %s is a text: names of variables"):format(name)) end
      local file, line = location.caller(2)
      local s = run.session
      local result = s[name](s, text, refs, file, line)
      if result == nil then return nil end
      if type(result) ~= "function" then return handle(result) end
      local waiting = current().program.without_body
      local construct = { file = file, line = line }
      waiting[construct] = true
      return function(body)
        waiting[construct] = nil
        local body_file, body_line = location.caller(2)
        return result(body, { file = body_file, line = body_line })
      end
    end
  end
  env.acc = directives "acc"
  env.omp = directives "omp"

  -- Defines ir(text): executes constructs that are given as a text of the construct IR. path: the file of the text;
  -- nil: the text is in the script.
  function env.ir(text, path)
    begin()
    need_text(text, "ir takes a text of the construct IR")
    local file, line = location.caller(2)
    ir_execution.run(current(), text, path or file, path and 1 or line)
  end

  -- Defines block(fn): calls `fn` as a block of the host program, at whose end clause groups declared in it end, too.
  function env.block(body)
    begin()
    if type(body) ~= "function" then raise("type-mismatch", nil, "block takes a function") end
    local s = current()
    local scope = clause_groups.enter_scope(s)
    local ok, err = pcall(body)
    clause_groups.leave_scope(s, scope)
    if not ok then error(err, 0) end
  end

  state_functions.define(env, run, current, need_text)

  local collect
  env.expect, collect = expect.new(current, run.checks, function(text)
    return env[current():is_openmp(text) and "omp" or "acc"](text)
  end, function(profile, fn, observe)
    run:open_session(current():inner(profile))
    local inner = current()
    local was_comparing = run.comparing
    run.comparing = true
    local ok, result = inner:attempt(fn)
    run.comparing = was_comparing
    if ok then result = observe(inner) end
    run:close_session()
    return ok, result
  end)
  -- Defines events(fn): calls `fn` and returns the list of the data events that it caused, as tables of the script.
  function env.events(fn)
    local list = collect(fn)
    local named = {}
    for i, event in ipairs(list) do
      named[i] = env.setmetatable({ op = event.op, name = event.name, bytes = event.bytes,
        rule = event.rule, at = event.at, device = event.device, async = event.async },
        { __tostring = function(e) return e.op .. " " .. e.name end })
    end
    return named
  end

  -- Defines case(name, fn) and case(fn): runs `fn` as a case; without a name, the case is called "case N".
  function env.case(name, body)
    begin()
    if type(name) == "function" then name, body = "case " .. (#run.cases + 1), name end
    if type(body) ~= "function" then raise("type-mismatch", nil, "case takes a name and a function") end
    if run.in_case then
      raise("scenario-error", nil, "a case inside a case", { rule = "HOUSE-scenario",
        help = "end one case before the next one begins" })
    end
    need_text(name, "case takes a name and a function")
    run:case(name, body, location.caller(2))
  end

  -- The routines of OpenACC and OpenMP: a first argument that is a text names an object.
  for name in pairs(api_routines.routines) do
    env[name] = function(...)
      begin()
      local file, line = location.caller(2)
      local s = current()
      local text = (...)
      return s:with_text(type(text) == "string" and text or nil, file, line, api_routines.call, s, name,
        { file = file, line = line }, ...)
    end
  end
  for name, value in pairs(api_routines.constants) do env[name] = value end

  -- While the script runs, reading a global name that neither the language defines nor the script has assigned raises.
  local assigned, meta = {}, getmetatable(env)
  local words = meta.__index
  function meta.__newindex(_, name, value)
    assigned[name] = true
    rawset(env, name, value)
  end
  function meta.__index(_, name)
    local value = words(_, name)
    if value ~= nil or not run.reads_names or type(name) ~= "string" or assigned[name] then return value end
    raise("unknown-name", nil, ("there is no name '%s'"):format(name), { rule = "HOUSE-scenario",
      help = advice.name(name, current().now.scope:names(), env) or "assign it first, or make it local" })
  end

  return env
end

scenario.head_keys = { title = true, rules = true, cites = true, devices = true, language = true,
  strict = true, descriptors = true, async = true }

-- -------------------------------------------------------------------------------------- running --

local Run = {}
Run.__index = Run

-- Makes the open session `new_session` the current session. The session is closed at the latest when the file ends.
function Run:open_session(new_session)
  self.session = new_session
  table.insert(self.sessions, new_session)
end

-- Closes the current session; the session below it on the stack, or nil, becomes the current session.
function Run:close_session()
  local n = #self.sessions
  self.sessions[n]:close()
  self.session = self.sessions[n - 1]
  self.sessions[n] = nil
end

-- Replaces the current session, which has executed nothing yet, by one with other options. Raises for unknown rules.
function Run:renew(options)
  profiles.profile(options.rules) -- raises before the old session is closed
  local outer = self.session.outer
  self:close_session()
  self:open_session(session.new(options, outer))
end

-- Returns the error `err`, of any type, as a diagnostic. `file`: the scenario's file, for errors without a location.
-- `run`: the Run whose names help texts may suggest, or nil for no suggestions.
function scenario.to_diagnostic(err, file, run)
  if diagnostic.is(err) then return err end
  if diagnostic.is_limit(err) then
    local at, line = tostring(rawget(err, "where") or ""):match "^(.-):(%d+):"
    return diagnostic.new { code = "limit", rule = err.rule, message = err.message,
      file = at or file, line = tonumber(line),
      help = not rawget(err, "stopped") and ("raise --limit-%s if the scenario needs more"):format(
        rawget(err, "memory") and "memory" or "steps") or nil }
  end
  local source = location.recall_error(err)
  -- The script's metamethods must not run here, since its limits no longer apply.
  if type(err) == "table" then err = rawget(err, "message") end
  local text = (type(err) == "string" or type(err) == "number") and tostring(err)
    or "an error without a message"
  if text == "not enough memory" then
    return diagnostic.new { code = "limit", rule = "HOUSE-limit", file = file,
      message = "the scenario needs more memory than the limit allows",
      help = "raise --limit-memory if the scenario needs more" }
  end
  if text:find("stack overflow", 1, true) then text = text:match "^[^\n]*" end
  local at, line, message = text:match "^(.-):(%d+): (.*)$"
  if text:find("C stack overflow", 1, true) or at and location.is_own(at) and message:find "^stack overflow" then
    return diagnostic.new { code = "limit", rule = "HOUSE-limit", file = source.file or file, line = source.line,
      message = "functions and regions are nested too deeply" }
  end
  local internal = diagnostic.internal(text)
  if internal then
    internal.file = internal.file or file
    return internal
  end
  if at and (at == file or at:find "^%[string" or at:sub(1, 3) == "...") then
    return diagnostic.new { code = "scenario-error", message = message, file = file, line = tonumber(line),
      callers = source.callers,
      help = run and run.env and advice.lua(message, run.session and run.session.now.scope:names() or {}, run.env) }
  end
  if at then source = {} end -- the text begins with a location, so no other one is added
  return diagnostic.new { code = "scenario-error", message = text, file = source.file or file, line = source.line }
end

-- Raises if a construct of the session `s` that takes a body has not been given one.
function scenario.check_bodies(s)
  local waiting
  for construct in pairs(s.program.without_body) do
    if not waiting or construct.line < waiting.line then waiting = construct end
  end
  if waiting then
    raise("region-nesting", nil, "the construct has no body", { file = waiting.file, line = waiting.line,
      rule = "HOUSE-scenario", help = "give it one: a function of the device view, or a text of C statements" })
  end
end

-- Raises if a region, the body of a construct, or a declare target is still open at the end of a case.
local function check_regions(s)
  scenario.check_bodies(s)
  local block = s.program.target_blocks[1]
  if block then
    error(location.locate_error(diagnostic.new { code = "region-nesting", pos = block.pos, rule = "OMP60-tgt-1",
      message = "the declare target is still open at the end of the case", help = "end it: end declare target" },
      block.text, block.file, block.line), 0)
  end
  for device = 0, s.devices - 1 do
    local stack = s.device_side.regions[device]
    local top = stack[#stack]
    if top and top.plan.kind ~= "declare" then
      raise("region-nesting", nil, "the region is still open at the end of the case", {
        file = top.file, line = top.line, rule = "DIR-4.3-06",
        help = ("end it: %s, region:close(), or a body"):format(top.plan.openmp and 'omp "end target data"'
          or 'acc "end data"') })
    end
  end
end

-- Ends a case or file in the session `s`: raises if a region is still open (check_regions), else waits for all queues.
local function finish(s)
  check_regions(s)
  async.finish(s)
end

-- Appends the result of a case to self.cases. `err`: the error, if `ok` is false; `seconds`: the run time.
function Run:record(name, ok, err, seconds)
  self.cases[#self.cases + 1] = { name = name, ok = ok, error = not ok and scenario.to_diagnostic(err, self.file)
    or nil, seconds = seconds }
end

-- Notifies observers of a beginning ("scenario": file, "case": case; `name`: its name) or of the end of a case ("end").
function Run:mark(kind, name)
  if self.observers.mark then self.observers.mark(kind, name) end
end

-- Returns the error `err`; Lua's messages about a global name or field are returned as diagnostics with a help text.
function Run:add_help(err)
  local about_name = type(err) == "string" and (err:find("(global '", 1, true) or err:find("(field '", 1, true))
  return about_name and scenario.to_diagnostic(err, self.file, self) or err
end

-- Runs the function `body` as a case in an inner session, and records its result; errors of the case are recorded, not
-- raised, except limits of the run. `file`, `line`: location of the case.
function Run:case(name, body, file, line)
  local started = core.clock()
  self.checks.n, self.checks.refused = 0, {}
  self:open_session(self.session:inner())
  self:mark("case", name)
  self.in_case = true
  local ok, err = self.session:attempt(body)
  if ok then
    ok, err = pcall(function()
      if self.observers.ended then self.observers.ended() end
      finish(self.session)
      local flaw = self.options.conform and conformance.flaw(name, self.checks)
      if flaw then raise("expectation", nil, flaw, { file = file, line = line }) end
    end)
  end
  if diagnostic.is_limit(err) then error(err, 0) end
  self.in_case = nil
  if not ok then err = self:add_help(err) end
  self:close_session()
  self:mark "end"
  self:record(name, ok, err, core.clock() - started)
end

-- Kinds of the language's functions that observers may replace (hook `statement`): name -> kind.
scenario.statements = { acc = "directive", omp = "directive", declare = "text", declare_from = "text",
  fortran = "text", call = "text", func = "function", method = "function", alloc = "memory", free = "memory",
  output = "answer", state = "answer", events = "answer", case = "case" }
for name in pairs(api_routines.routines) do scenario.statements[name] = "routine" end

-- Replaces functions in `env` by wrappers that the hook `statement` returns. Precondition: an observer has this hook.
local function announce(run, env)
  local statement = run.observers.statement
  for name in pairs(scenario.statements) do
    if rawget(env, name) then env[name] = statement(run, name, env[name]) end
  end
  for name, fn in pairs(env.expect) do env.expect[name] = statement(run, "expect." .. name, fn) end
end

-- Returns a new Run with an open file session. `options`: see scenario.run.
local function open(file, text, options)
  location.remember(file, text)
  local list = table.move(options.observers or {}, 1, #(options.observers or {}), 1, {})
  if options.trace then list[#list + 1] = { event = options.trace } end
  local write = options.out or function(s) io.write(s) end
  local function out(s)
    core.take_steps(#s * STEPS_OF_A_BYTE)
    write(s)
  end
  local run = setmetatable({ file = file, cases = {}, options = options, sessions = {},
    observers = observers.combine(list), out = out, head = {}, checks = { n = 0, refused = {} } }, Run)
  run:mark("scenario", file)
  run:open_session(session.new { rules = options.rules, device = options.device, observers = list,
    warn = function(warning) run.out(report.error(warning, { warning = true })) end,
    async = options.async, descriptors = options.descriptors, device_bytes = options.device_bytes,
    group_least = options.group_least, threads = options.threads, checkpoints = options.checkpoints })
  local env = language(run)
  run.env = env
  if run.observers.statement then announce(run, env) end
  if run.observers.names then run.observers.names(env, run) end
  if options.trust then
    for name, value in pairs(_G) do
      if name ~= "print" and name ~= "_G" then env[name] = value end
    end
  end
  return run
end

-- Runs the script `text`, then finished(is_module); `is_module` is true if the script executed no statement and
-- returned a value. Returns true, or false and the error of the script or of `finished`.
local function execute(run, text, finished)
  local file, options = run.file, run.options
  -- While the script runs, methods of strings are those of its own string library, except for a trusted script.
  local strings = getmetatable ""
  local all_strings = strings.__index
  if not options.trust then strings.__index = sandbox.methods(run.env.string) end
  local ok, err = core.limited(options.limit_memory or 0, options.limit_steps or 0, function()
    -- A byte order mark and a first line for the shell are skipped, as Lua does.
    local script = text:gsub("^\xEF\xBB\xBF", ""):gsub("^#[^\n]*", "")
    local chunk, problem
    if file:find "%.ir$" then chunk = function() run.env.ir(text, file) end
    else chunk, problem = load(script, "@" .. file, "t", run.env) end
    if problem == "not enough memory" then error(problem, 0) end
    if not chunk then
      local line, message = problem:match ":(%d+): (.*)$"
      error(diagnostic.new { code = "syntax", message = message or problem, file = file,
        line = tonumber(line) or 1, rule = "HOUSE-scenario",
        help = advice.no_lua(problem, location.line(script, tonumber(line) or 1)) }, 0)
    end
    run.reads_names = not options.trust
    local done, value = run.session:attempt(chunk)
    run.reads_names = false
    if not done then error(run:add_help(value), 0) end
    vocabulary.require_accepted(run)
    finished(value ~= nil and not run.begun)
  end, "@" .. file)
  strings.__index = all_strings
  return ok, err
end

-- Closes all sessions of the run.
function Run:close()
  while #self.sessions > 0 do self:close_session() end
end

-- Runs the text of a scenario and returns the Run with its session open; the caller closes it. Raises errors of the
-- script.
function scenario.open(file, text, options)
  local run = open(file, text, options)
  local ok, err = execute(run, text, function() end)
  if ok then return run end
  run:close()
  error(scenario.to_diagnostic(err, file), 0)
end

-- Runs the text of a scenario. Returns {file, title, cases = {{name, ok, error?, seconds}}, seconds}. options:
--     rules; device ("sim", "cuda", "cuda:1"); device_bytes, group_least, threads (see session.new).
--     out          function of text; nil: standard output.
--     trust        true: the script sees all of Lua's library.
--     limit_memory (bytes), limit_steps; async, descriptors: used if the scenario does not specify them.
--     draw         function of the session and a file's name.
--     observers    list of tables of callbacks (base/observers.lua).
--     trace        function that is called with each event.
--     conform      true: cases must show what their names say (conformance.flaw).
-- Decides HOUSE-scenario.
function scenario.run(file, text, options)
  local started = core.clock()
  local run = open(file, text, options or {})
  local is_module = false
  local ok, err = execute(run, text, function(gives_value)
    is_module = gives_value
    if run.observers.ended then run.observers.ended() end
    if run.observers.last then run.observers.last(run.session) end
    finish(run.session)
  end)
  run:close()
  local seconds = core.clock() - started
  -- Statements of the file outside of cases count as one more case if they failed, or if the file has no cases. A file
  -- that only returns a value is a module, not a scenario.
  if not ok or #run.cases == 0 and not is_module then run:record(run.head.title or file, ok, err, seconds) end
  return { file = file, title = run.head.title, cases = run.cases, seconds = seconds }
end

return scenario
