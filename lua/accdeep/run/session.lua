-- session.lua - a session: a host program with its memory, its devices and its open regions.
--
-- A session owns a context of the core, the scope of the program's names and the blocks of its memory. script/,
-- embed.lua and tools/ make sessions, which execute all directives, routines and expressions.
--
--   Session:
--     ctx                context of the core: devices, present tables, queues.
--     program            what the program declared: scope, blocks, shapes, mappers.
--     device_side        regions and memory views of each device, collectors of events.
--     now                current state: scope, device, queue, text, kernel; with_fields.lua sets it temporarily.
--     caches             ASTs, plans, mapping programs; types_changed clears them.
--
-- The text of a directive is parsed once and lowered once per place; later executions reuse the plan (plan_cache.lua).
-- An inner session (a case of a scenario) sees the names and values of the outer one and restores the values when it
-- closes.

local lazy = require "accdeep.base.lazy"
local api_routines = require "accdeep.run.api_routines"
local async = require "accdeep.run.async"
local changed_bounds = require "accdeep.run.changed_bounds"
local checkpoint = require "accdeep.run.checkpoint"
local closures = require "accdeep.backend.closures"
local core = require "accdeep.core"
local core_error = require "accdeep.run.core_error"
local debug_info = lazy.require "accdeep.types.debug_info"
local declarations = require "accdeep.backend.declarations"
local type_directives = require "accdeep.run.type_directives"
local directive_dispatch = require "accdeep.run.directive_dispatch"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_execution = require "accdeep.run.fortran_execution"
local languages = require "accdeep.run.languages"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local fortran_addendum = lazy.require "accdeep.lowering.fortran_addendum"
local syntax = require "accdeep.syntax"
local clause_groups = require "accdeep.types.clause_groups"
local kernel = require "accdeep.run.kernel"
local location = require "accdeep.base.location"
local member_calls = require "accdeep.backend.member_calls"
local scoped_names = require "accdeep.types.scoped_names"
local observers = require "accdeep.base.observers"
local openmp_declarations = require "accdeep.run.openmp_declarations"
local plan_cache = require "accdeep.run.plan_cache"
local region = require "accdeep.run.region"
local profiles = require "accdeep.definitions.profiles"
local strict_table = require "accdeep.base.strict_table"
local scope = require "accdeep.types.scope"
local types = require "accdeep.types"
local memory_view = require "accdeep.backend.memory_view"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local session = {}

local Session = {}
Session.__index = Session
-- A session has only methods and the fields that session.new sets: assigning to any other field raises.
function Session.__newindex(_, name) error(("a session has no field '%s'"):format(tostring(name)), 2) end
fortran_execution.extend(Session)
openmp_declarations.extend(Session)
setmetatable(Session, { __index = Session.__newindex })
directive_dispatch.extend(Session)
type_directives.extend(Session)
checkpoint.extend(Session)

local NO_OBSERVERS = observers.combine {}

-- Bytes of freed blocks that stay in quarantine, where messages can name them; the oldest blocks are forgotten first.
local QUARANTINE = 64 << 20
-- Memory of a device in bytes. It is the same for every backend, so that a scenario fails on all of them alike.
local DEVICE_BYTES = 16 << 30

-- ------------------------------------------------------------------------------------- open, close --

-- Returns the initial field `program` of a session. own: scope of its names; outer: the enclosing session, or nil.
-- Tables registered with types/transaction.lua are restored when a declaration fails.
local function program_of(own, options, outer)
  return strict_table("the program of a session", {
    root = own,         -- scope of its names
    blocks = {},        -- address -> {bytes, name, live}; live: false after the block was freed
    heap = false,       -- the heap that holds all blocks (checkpoint.lua); false: each block has its own memory
    quarantine = { bytes = 0 }, -- addresses of freed blocks, oldest first; bytes: their sum
    saved = false,      -- address -> saved bytes of the outer session's blocks; false if there is no outer session
    layout = fortran_descriptor.layouts[options.descriptors or "cfi"], -- layout of Fortran's descriptors
    type_records = setmetatable({}, { __index = outer and outer.program.type_records or nil }), -- type -> address
    -- record -> its shapes, policies, member functions, mappers, by name
    shape_tables = {}, policy_tables = {}, method_tables = {}, mapper_tables = {},
    group_scope = false, -- innermost scope that may hold clause groups (types/clause_groups.lua)
    persistent = false, -- allocatables of declare (backend/fortran/declare_allocatables.lua)
    target_variables = {}, target_blocks = {}, -- declare target: variable -> "enter" or "link"; list of open blocks
    bound = { n = 0, calling = 0 }, -- functions that section bounds call; calling: number of functions running now
    this_cells = {},    -- record -> address of the pointer `this`, which its member functions use
    enclosing_texts = {}, -- directive among statements -> the enclosing text
    printed = {},       -- lines that print statements wrote
    without_body = {},  -- compute constructs of a scenario whose body has not been given yet (scenario.lua)
  })
end

-- Returns the initial field `device_side` of a session: its state of devices beside the core's context.
local function device_side_of(options)
  return strict_table("the device side of a session", {
    delayed = options.async == "delayed", -- queues run their tasks when the program waits
    concurrent = options.async == "concurrent", -- queues run their tasks while the program continues
    default_async = async.constants.acc_async_noval, -- async value of async clauses without argument
    regions = {},       -- device -> stack of open regions
    entry_bounds = {},  -- key of mapped data -> its bounds at enter data (changed_bounds.lua)
    -- memory of each device; pointer_spaces also keep track of stored pointers (backend/memory_view.lua)
    spaces = {}, pointer_spaces = {},
    has_detached = false, -- true if attachments may have ended; messages then say so
    collectors = {}, is_observed = false, -- receivers of events; is_observed: true if there is one
  })
end

-- Returns the initial field `now` of a session; base/with_fields.lua sets its fields temporarily. own: the program's
-- scope.
local function current_state(own)
  return strict_table("the state of a session", {
    scope = own, -- scope for lookups and declarations
    device = 0, -- number of the current device
    queue = 0,          -- queue of the current routine (async.with_queue)
    current = false,    -- text being executed: {text, file, line}; false: none
    this = false,       -- member function being executed: {record, pointer_cell}; false: none
    kernel = false,     -- current kernel (kernel.lua); false outside of kernels
    private_scope = false,      -- number of the innermost host construct with private variables; false: none
    private_blocks = {}, -- list of blocks of memory of private variables, the innermost construct's last
    replaced = false,   -- name -> binding to a device address in host_data (region.lua); false: none
    expects_failure = false,   -- true while an expected failure is executed
    measured = false,   -- host values on which the plan being made depends (lowering/fortran_inputs.lua)
    descriptions = false, -- shapes and policies of the current text (type_directives.lua)
    filling = false,    -- class whose members are being declared (backend/class.lua)
    inlining = 0, instantiating = 0, -- nesting depth of member functions and templates
    locals = false, depth = 0, activation = 0, -- Fortran procedure (backend/fortran/procedure.lua)
    -- Fortran types that are named but not yet defined (backend/fortran/fortran_declarations.lua).
    forward = {},
  })
end

-- Returns the initial field `caches` of a session.
local function new_caches()
  return strict_table("the caches of a session", {
    programs = {},      -- record -> member mapping -> program
    member_mappings = {},    -- record -> key -> member mapping
    parsed = {}, nparsed = 0, -- text -> AST
    prepared = {}, nprepared = 0, -- plans (plan_cache.lua)
    host_env = false, -- environment of host expressions, made when first needed
  })
end

-- Returns a new session; raises if the core cannot open the devices. outer: the enclosing session, or nil. options, or
-- nil: language ("c", "fortran"), rules (profile name or table), device ("sim", "cuda", "cuda:1"), devices (a number),
-- device_bytes, strict, group_least, threads, async ("delayed", "concurrent"). warn, trace: functions that receive
-- warnings, events. descriptors: a layout of types/fortran_descriptor.lua, "cfi" by default. unchecked: true if host
-- memory is the program's own and not registered. checkpoints: see checkpoint.lua. new_places: true if freed device
-- memory is never reused. observers: a list (base/observers.lua).
function session.new(options, outer)
  options = options or {}
  local own = scope.new(outer and outer.now.scope)
  local self = setmetatable({
    core = core,
    outer = outer or false,
    options = options,
    rules = profiles.profile(options.rules),
    observers = outer and outer.observers or options.observers and observers.combine(options.observers) or NO_OBSERVERS,

    language = languages[options.language or "c"],
    ctx = false, devices = options.devices or 1,
    host_space = false,
    program = program_of(own, options, outer),
    device_side = device_side_of(options),
    now = current_state(own),
    caches = new_caches(),
  }, Session)
  local backend, number = (options.device or "sim"):match "^(%a+):?(%d*)$"
  local ctx, err = core.open {
    backend = backend, first_device = tonumber(number),
    devices = options.devices or 1,
    device_bytes = options.device_bytes or DEVICE_BYTES,
    group_least = options.group_least,
    threads = options.threads,
    check_host = not options.unchecked,
    own_kernels = options.own_kernels,
    checkpoints = options.checkpoints,
    new_places = options.checkpoints or options.new_places,
    async = options.async,
    descriptors = options.descriptors,
    rules = profiles.for_core(self.rules, options.strict),
  }
  if not ctx then error(diagnostic.new(err), 0) end
  self.ctx = ctx
  self.host_space = memory_view.host(self)
  for i = 0, self.devices - 1 do
    self.device_side.spaces[i] = memory_view.device(self, i)
    self.device_side.pointer_spaces[i] = memory_view.device_pointer_space(self.device_side.spaces[i])
    self.device_side.regions[i] = {}
  end
  if outer then self:borrow(outer) end
  openmp_declarations.begin(self)
  if self.observers.event then self:collect_into(self.observers.event) end
  if options.trace then self:collect_into(options.trace) end
  if self.observers.read then
    local load, read = self.host_space.load, self.observers.read
    function self.host_space.load(space, address, code, size, ...)
      local value = load(space, address, code, size, ...)
      read(self, address, code, value)
      return value
    end
  end
  return self
end

-- Sets the language of later texts: "c" or "fortran".
function Session:speak(language)
  self.options.language, self.language = language, languages[language]
  self:types_changed() -- cached ASTs are in the other language
end

-- Returns a new inner session with this session's names and values. rules: a rule profile to compare with this session,
-- or nil. With rules, freed device memory is not reused, so that equal operations get equal addresses.
function Session:inner(rules)
  local options = {}
  for key, value in pairs(self.options) do options[key] = value end
  options.rules, options.new_places = rules or options.rules, rules ~= nil
  return session.new(options, self)
end

-- Registers the live blocks of `outer` and of its outer sessions and saves their bytes; Session:close restores the
-- bytes. Raises the core's error.
function Session:borrow(outer)
  self.program.saved = {}
  local from, blocks = outer, {}
  while from do
    for address, block in pairs(from.program.blocks) do
      if block.live and not self.program.saved[address] then
        self.program.saved[address] = core.get(address, block.bytes)
        blocks[#blocks + 1] = { address, block }
      end
    end
    from = from.outer
  end
  -- Blocks are registered in the order of their allocation, because the core numbers them in this order in digests.
  table.sort(blocks, function(a, b) return a[2].serial < b[2].serial end)
  for _, entry in ipairs(blocks) do self:register_block(entry[1], entry[2]) end
end

-- Registers a block (an entry of program.blocks) as host memory in the core. Raises the core's error.
function Session:register_block(address, block)
  local ok, err = self.ctx:host_add(address, block.bytes,
    self:label { name = block.name or "", file = block.file, line = block.line })
  if not ok then error(diagnostic.new(err), 0) end
end

-- Closes the session: frees its blocks and its context, and restores the memory of outer sessions. Does nothing if the
-- session is closed already.
function Session:close()
  if not self.ctx then return end
  for i = 0, self.devices - 1 do
    for _, open in ipairs(self.device_side.regions[i]) do open.closed = true end
  end
  -- A limit may interrupt this loop; a second call continues it.
  for address in pairs(self.program.blocks) do self:give_back(address) end
  self:close_heap()
  self.ctx:close()
  self.ctx = false
  for address, bytes in pairs(self.program.saved or {}) do core.put(address, bytes) end
end

-- ----------------------------------------------------------------------------------------- text --

-- Adds the note "used at file:line" to an error in the text of `source_location`, unless that is the same location.
local function note_use(err, source_location, file, line)
  if err.file or not file or source_location.file == file and source_location.line == line then return end
  err.notes = err.notes or {}
  table.insert(err.notes, ("used at %s:%d"):format(file, line))
end

-- Restores the current text after with_text called a function. previous: the earlier current text; ok, err, ...:
-- results of pcall. Returns the function's results, or raises its error located in `text`, which begins at file:line.
local function restore_location(self, previous, text, file, line, ok, err, ...)
  self.now.current = previous
  if ok then return err, ... end
  if diagnostic.is(err) then
    if err.rule then err.rule = profiles.applicable_rule(err.rule, self.rules.documents) end
    clause_groups.locate(err, file, line)
    if err.location then
      note_use(err, err.location, file, line)
      location.locate_error(err, err.location.text, err.location.file, err.location.line)
    end
    location.locate_error(err, text, file, line)
    err.text = err.text or text
    err.callers = err.callers or location.callers(file, line)
  end
  error(err, 0)
end

-- Calls fn(...) and returns its results; errors are located in `text`, which begins at file:line.
function Session:with_text(text, file, line, fn, ...)
  local enclosing = text and self.program.enclosing_texts[text]
  if enclosing then text, file, line = enclosing.text, enclosing.file, enclosing.line end
  local previous = self.now.current
  self.now.current = { text = text, file = file, line = line }
  return restore_location(self, previous, text, file, line, pcall(fn, ...))
end

-- Reports a warning about text that is accepted but should be written differently. pos: position in the current text;
-- fields: further fields of the diagnostic, which are changed. Without options.warn, only the observer is notified.
function Session:warn(code, pos, message, fields)
  if self.observers.warning then self.observers.warning(self, code) end
  local warn = self.options.warn
  if not warn then return end
  fields.code, fields.pos, fields.message = code, pos, message
  local current = self.now.current or {}
  warn(location.locate_error(diagnostic.new(fields), current.text, current.file, current.line))
end

-- Returns the location of position `pos` in the current text, for declarations that store it.
function Session:location_of(pos)
  local current = self.now.current or {}
  return { text = current.text, file = current.file, line = current.line, pos = pos,
    scope = self.now.scope.home and self.now.scope or nil }
end

-- Calls fn(...) as pcall does, for callers that undo changes on failure. Before the stack unwinds, internal errors get
-- the scenario's line, and the observer `failed` (a debugger) is notified.
function Session:attempt(fn, ...)
  local failed = self.observers.failed
  return xpcall(fn, function(err)
    local overflow = type(err) == "string" and err:find("stack overflow", 1, true)
    if not diagnostic.is(err) and not diagnostic.is_limit(err) then
      err = not overflow and diagnostic.internal(err) or location.record_error(err)
    end
    if failed then failed(err) end
    return err
  end, ...)
end

-- Returns the results of a pcall (ok, err, ...), or raises its error with a note about the user's location. user:
-- {file, line} of the text that uses the text at `source_location`.
local function record_use(self, source_location, user, ok, err, ...)
  if ok then return err, ... end
  -- Callers of a Fortran procedure add the note for errors in it.
  local in_procedure = self.now.depth > 0
  if diagnostic.is(err) and not in_procedure then note_use(err, source_location, user.file, user.line) end
  error(err, 0)
end

-- Calls fn(...) and returns its results. Errors get a note: `user`, {file, line}, uses the text at `source_location`.
local function for_user(self, source_location, user, fn, ...)
  return record_use(self, source_location, user, pcall(fn, ...))
end

-- Calls fn(...) and returns its results; positions belong to the text at `source_location` ({text, file, line, scope},
-- or nil for the current text). Names are looked up in the class or namespace of that location.
function Session:with_location(source_location, fn, ...)
  if not source_location or not source_location.text then return fn(...) end
  if source_location.scope and source_location.scope ~= self.now.scope then
    return scoped_names.with_scope(self, source_location.scope, self.with_location, self, source_location, fn, ...)
  end
  return self:with_text(source_location.text, source_location.file, source_location.line, for_user, self,
    source_location, self.now.current or {}, fn, ...)
end

-- Returns the core's label with these fields (Plan:label in lowering/construct_ir.lua). Raises the core's error.
function Session:label(fields)
  local label, err = self.ctx:label(fields)
  if not label then error(diagnostic.new(err), 0) end
  return label
end

-- Session:type_of returns the type that an AST names; locals_of the variables that a declaration in a body declares.
function Session:type_of(node) return declarations.type(self, node) end
function Session:locals_of(node) return declarations.locals(self, node) end

-- Clears the caches that depend on types or shapes, after a change of types, shapes or the language.
function Session:types_changed()
  self.caches.programs, self.caches.member_mappings, self.caches.parsed, self.caches.nparsed = {}, {}, {}, 0
  self:forget_plans()
end

-- Discards all cached plans, so that directives are lowered again.
function Session:forget_plans() self.caches.prepared, self.caches.nprepared = {}, 0 end

-- --------------------------------------------------------------------------------------- memory --

local serial = 0 -- number of blocks allocated so far

-- Removes a block from the session and frees its memory. Nothing may refer to the block any more.
function Session:give_back(address)
  local block = self.program.blocks[address]
  self.program.blocks[address] = nil
  if not self.program.heap then core.free(address) end
  core.charge(-block.bytes)
end

-- Allocates a zeroed block of host memory and returns its address. name: for messages, or nil to name it by its type;
-- t: type of the contents, or nil; pos: for errors. Raises if a limit is reached or no memory is left.
function Session:new_block(bytes, name, t, pos)
  if not core.charge(bytes) then
    raise("limit", pos, ("%d bytes of host memory are more than the limit allows"):format(bytes),
      { rule = "HOUSE-limit", help = "raise --limit-memory if the scenario needs more" })
  end
  local address = self:allocate_host(bytes) -- the memory is zeroed
  if not address then
    core.charge(-bytes)
    raise("out-of-memory", pos, ("the host has no %d bytes of memory left"):format(bytes),
      { rule = "HOUSE-memory" })
  end
  local current = self.now.current or {}
  serial = serial + 1
  local block = { bytes = bytes, name = name or t and ("block of %s"):format(types.name(t)), live = true,
    type = t, serial = serial, file = current.file, line = current.line }
  self.program.blocks[address] = block
  self:register_block(address, block)
  return address
end

-- Raises the error for memory that the program frees a second time.
local function raise_freed(pos) raise("out-of-bounds", pos, "the memory was freed already") end

-- Frees the block at `address`. While it is in quarantine, messages can name it as freed. Raises if no block that the
-- program allocated begins there, or if it is freed already. A block of an outer session is freed in this session only.
function Session:free(address, pos)
  if self.program.bound.calling > 0 then
    raise("region-nesting", pos, "a function called for a section bound cannot free memory",
      { rule = "TR14-3.1.1-21", help = "free it before or after the directive" })
  end
  local block = self.program.blocks[address]
  local owner = self
  while not block and owner.outer do
    owner = owner.outer
    block = owner.program.blocks[address]
  end
  if not block then
    raise("out-of-bounds", pos, "this is not the start of a block of memory", { rule = "ACC33-2.7.1-1" })
  end
  if block.variable then
    raise("type-mismatch", pos, ("%s is a variable, not memory that was allocated"):format(block.name))
  end
  local q = self.program.quarantine
  if block.bytes == 0 then -- the core has no empty ranges
    if q[block] then raise_freed(pos) end
    q[block] = true
  else
    local range = self.ctx:host_at(address)
    if not range or not range.live then raise_freed(pos) end
    self.ctx:host_mark(address, false)
  end
  if owner ~= self then return end
  block.live = false
  q[#q + 1] = address
  q.bytes = q.bytes + block.bytes
  while q.bytes > QUARANTINE do
    local oldest = table.remove(q, 1)
    q.bytes = q.bytes - self.program.blocks[oldest].bytes
    self:forget_block(oldest)
  end
end

-- Forgets a freed block of the session and frees its memory.
function Session:forget_block(address)
  self.ctx:host_forget(address)
  self:give_back(address)
end

-- Stores a number of type `t` in host memory at an address that the caller has checked.
function Session:host_store(address, t, value)
  self.host_space:store(address, t.code, t.size, value, nil, nil, nil)
end

-- Returns the address of memory for a private variable of the current kernel; see Kernel:memory in run/kernel.lua.
function Session:kernel_memory(size, name) return self.now.kernel:memory(size, name) end

-- Returns the name of the byte at `offset` of a present object, for messages; the object's name if the byte has none.
function Session:name_inside(object, offset)
  local name = self.ctx:name_at(self.now.device, object.dev + offset)
  return name ~= "" and name or object.name
end

-- Declares a variable at `address` in the host program's own memory (embedding, benchmarks). type_text: its type in C.
-- Raises for errors in type_text.
function Session:bind(name, type_text, address)
  local node = syntax.parse("type_name", type_text, 1, self.now.scope)
  local t = self:type_of(node)
  self.now.scope.variables[name] = { name = name, type = t, address = address }
end

-- -------------------------------------------------------------------------------------- names --

-- Returns the binding of a function of the scenario or an API routine; nil if neither has this name.
local function function_binding(self, name)
  local fn = self.now.scope.functions[name] or api_routines.text_routine(self, name)
  return fn and { fn = fn }
end

-- Returns the value of an expression on the host. node: its AST. Raises for errors of the expression.
function Session:value_of(node) return (closures.compile(self:host_env(), node).value {}) end

Session.this_member, Session.run_as_member = member_calls.this_member, member_calls.run_as_member
Session.member_function = member_calls.member_function

-- Returns the environment in which host expressions are compiled (backend/closures.lua). The environment is cached.
function Session:host_env()
  if not self.caches.host_env then
    self.caches.host_env = { session = self, space = self.host_space, lookup = function(name)
      local replaced = self.now.replaced and self.now.replaced[name]
      if replaced then return replaced end
      local variable = self:this_member(name) or self.now.scope.variables[name]
      if variable then
        if not variable.lvalue then
          local address, finish = variable.address, variable.address + variable.type.size
          variable.lvalue = function() return address, address, finish end
        end
        return variable
      end
      local value, t = self.now.scope:constant_named(name)
      if value then return { type = t, const = value } end
      return function_binding(self, name) or api_routines.constant_in_text(name)
    end }
  end
  return self.caches.host_env
end

-- Executes a text of declarations, which begins at file:line; in Fortran, the text may also have statements.
function Session:declare(text, file, line)
  self:with_text(text, file, line, self.language.declare, self, text)
end

-- Declares a type from the debug information of a program. Arguments: path of the program (nil: this process), text,
-- file, line.
function Session:declare_from(...) return debug_info.declare(self, ...) end

-- Registers a Lua function that section bounds call, and returns its symbol: {value = number, name, fn, record}, where
-- record is the type of the first argument. argument_types: types of its arguments,
-- which it receives as numbers, typed pointers and views. A call whose result is not an integer or boolean is an error.
function Session:bound_function(name, fn, argument_types)
  local bound = self.program.bound
  bound.n = bound.n + 1
  local host = self.host_space
  self.ctx:bind_function(bound.n, function(...)
    local args = { ... }
    for i, t in ipairs(argument_types) do
      if t.kind == "pointer" then
        args[i] = host:pointer(t, args[i], self.ctx:host_bounds(args[i]))
      elseif t.kind == "record" then -- the object of a member function
        args[i] = host:view(t, args[i], self.ctx:host_bounds(args[i]))
      end
    end
    bound.calling = bound.calling + 1
    local ok, result = pcall(fn, table.unpack(args, 1, #argument_types))
    bound.calling = bound.calling - 1
    if not ok then error(result, 0) end
    if type(result) == "boolean" then return result and 1 or 0 end
    local integer = math.tointeger(result)
    if not integer then
      error(diagnostic.new { code = "type-mismatch", rule = "TR14-3.1.1-21", -- the clause adds the position
        message = ("%s returned %s, a bound is an integer"):format(name, type(result) == "number"
          and tostring(result) or result == nil and "nothing" or "a " .. type(result)) }, 0)
    end
    return integer
  end)
  return { value = bound.n, key = "f" .. bound.n, name = name, fn = fn, record = argument_types[1] }
end

-- --------------------------------------------------------------------------------- directives --

Session.core_error = core_error

-- Returns `ok`, the first result of a core call. If it is nil or false, raises the error `err` of the core. plan: the
-- construct's plan, or nil.
function Session:check_result(ok, err, plan)
  if ok then return ok end
  error(self:core_error(err, plan), 0)
end

Session.parse, Session.kept_tree = plan_cache.parse, plan_cache.cached_tree

-- Executes the construct of a plan once, reports its events, and returns the core's result: for a region, its handle.
-- queue: the plan's queue if already known, otherwise nil. Raises the core's error.
local function execute_construct(self, plan, queue)
  queue = queue or plan.ordered and async.order(self, plan) or self.now.queue
  if plan.kind == "exit data" then self:may_detach() end
  local notify_end = self.observers.construct and self.observers.construct(self, plan)
  local snapshot = self.now.expects_failure and self:snapshot()
  local result, err = plan.construct:run(self.now.device, queue)
  if not result then
    if snapshot then self:compare(snapshot) end
    local located_error = self:core_error(err, plan)
    if notify_end then
      local directive = plan.location
      notify_end(location.locate_error(located_error, directive.text, directive.file, directive.line))
    end
    error(located_error, 0)
  end
  if plan.typed then fortran_addendum.restore_counters(plan) end
  if self.device_side.is_observed then self:notify_events() end
  if notify_end then notify_end() end
  return result
end

-- Executes a plan and returns the core's result: for a region, its handle. Bounds that the plan watches are recorded,
-- or compared with earlier ones. queue: the plan's queue if already known, otherwise nil. Raises the core's error.
function Session:run(plan, queue)
  if plan.watched and plan.kind ~= "region" then return changed_bounds.run_and_check(
    self, plan, execute_construct, queue) end
  return execute_construct(self, plan, queue)
end

-- Returns a snapshot of the whole state: directory, attachments, levels, device memory, host memory. Session:compare
-- uses it to check that a construct which failed as expected changed nothing.
function Session:snapshot()
  if self.device_side.concurrent then async.finish(self) end -- otherwise running work changes the device
  local host = {}
  local from = self
  while from do
    for address, block in pairs(from.program.blocks) do
      if block.live then host[address] = core.get(address, block.bytes) end
    end
    from = from.outer
  end
  return { digest = self.ctx:digest(), host = host }
end

-- Raises an internal error if the state differs from `snapshot`, or if an invariant of the core is broken.
-- without_host: true to ignore host memory.
function Session:compare(snapshot, without_host)
  local changed = self.ctx:digest() ~= snapshot.digest and "the device's state"
  for address, bytes in pairs(without_host and {} or snapshot.host) do
    if core.get(address, #bytes) ~= bytes then changed = changed or "host memory" end
  end
  local wrong = self.ctx:check()
  if changed or wrong then
    raise("internal", nil, ("a construct failed, but %s changed"):format(changed or wrong))
  end
end

-- Passes new events to all collectors. A collector is a function of an event, the session, the list of new events, and
-- the event's index in the list.
function Session:notify_events()
  local events = self.ctx:drain()
  for _, collect in ipairs(self.device_side.collectors) do
    for i, event in ipairs(events) do collect(event, self, events, i) end
  end
end

-- Reports to all collectors a copy that an API routine made. op: operation; dev: device address; at: {file, line} of
-- the call; value: the queue's number as the program gave it, or nil.
function Session:notify_copy(op, device, dev, bytes, rule, at, value)
  if not self.device_side.is_observed then return end
  self:notify_events()
  local event = { op = op, name = self.ctx:name_at(device, dev), bytes = bytes, device = device, rule = rule,
    at = at.file and ("%s:%d"):format(at.file, at.line) or "", async = value }
  for _, collect in ipairs(self.device_side.collectors) do collect(event, self, { event }, 1) end
end

-- Registers a collector of events (see notify_events). It receives only events that happen from now on.
function Session:collect_into(collect)
  -- Pending events are passed on first, because they are not for the new collector.
  if self.device_side.is_observed then self:notify_events() end
  table.insert(self.device_side.collectors, collect)
  if not self.device_side.is_observed then
    self.ctx:listen(true)
    self.device_side.is_observed = true
  end
end

-- Removes the collector that was registered last; without collectors, the core stops recording events.
function Session:stop_collecting()
  table.remove(self.device_side.collectors)
  if #self.device_side.collectors == 0 then
    self.ctx:listen(false)
    self.device_side.is_observed = false
  end
end

-- Returns true if a region is open, a body or a function of a bound runs, or a temporary collector is registered.
function Session:is_busy()
  local side = self.device_side
  local permanent_count = (self.observers.event and 1 or 0) + (self.options.trace and 1 or 0)
  if self.now.kernel or self.program.bound.calling > 0 or #side.collectors > permanent_count then return true end
  for device = 0, self.devices - 1 do
    local top = side.regions[device][#side.regions[device]]
    if top and top.plan.kind ~= "declare" then return true end
  end
  return false
end

-- --------------------------------------------------------------------------------------- regions --

Session.open_region = region.open

-- Returns the innermost open region of the current device that names variable `name` in a clause; nil if no region
-- does. Decides ACC33-impl-3.
function Session:visible(name)
  local stack = self.device_side.regions[self.now.device]
  for i = #stack, 1, -1 do
    local item = stack[i].handle and stack[i].plan.named[name]
    if item and (not item.home or item.home == self.now.scope.variables[name]) then return stack[i] end
  end
  return nil
end

-- Returns true if a deviceptr clause of an open region of the current device names the variable `name`.
function Session:visible_deviceptr(name)
  local stack, variable = self.device_side.regions[self.now.device], self.now.scope.variables[name]
  for i = variable and #stack or 0, 1, -1 do
    if stack[i].handle and stack[i].plan.deviceptr[name] == variable then return true end
  end
  return false
end

-- Returns the word of the default clause of the innermost region on the current device that has one; otherwise nil.
function Session:visible_default()
  local stack = self.device_side.regions[self.now.device]
  for i = #stack, 1, -1 do
    if stack[i].handle and stack[i].plan.default then return stack[i].plan.default end
  end
  return nil
end

-- Returns `number`; raises if no device has this number. pos: position for errors, or nil.
function Session:device_number(number, pos)
  if number < 0 or number >= self.devices then
    raise("no-device", pos, ("there is no device %d; devices are 0 to %d"):format(number,
      self.devices - 1), { rule = "DIR-1-04", help = "scenario { devices = n } makes more" })
  end
  return number
end

-- Makes the device with this number the current one; raises if there is none.
function Session:set_device(number) self.now.device = self:device_number(number) end

-- Raises if a region is open on a device. pos: position for errors, or nil.
local function check_closed(self, device, pos)
  if #self.device_side.regions[device] > 0 then
    raise("region-nesting", pos, "a region is still open on the device", { rule = "ACC33-shut-1" })
  end
end

-- Ends all lifetimes on the current device: counters become 0, no data are copied. pos: for errors, or nil. Raises if a
-- region is open. Decides ACC33-shut-1.
function Session:forget_device(pos)
  check_closed(self, self.now.device, pos)
  async.wait(self, self.now.device, 0)
  for _, attached in ipairs(self.ctx:attachments(self.now.device)) do
    self:run_one("exit data", "detach", 0, 0, attached.slot, true)
  end
  local mapped = {}
  for _, object in ipairs(self.ctx:present(self.now.device)) do
    if object.mapped then
      mapped[#mapped + 1] = object.host
    else -- mapped by clauses or routines, not by acc_map_data
      self:run_one("exit data", "delete", object.host, object.bytes, 0, true, nil, 0, core.flag.if_present)
    end
  end
  for _, host in ipairs(mapped) do self.ctx:unmap(self.now.device, host) end -- ends the fusion of these objects
end

-- Ends all lifetimes on all devices. Raises, before any ends, if a region is open. Decides ACC33-shut-1.
function Session:forget_devices(pos)
  for device = 0, self.devices - 1 do check_closed(self, device, pos) end
  for device = 0, self.devices - 1 do with_fields(self.now, { device = device }, self.forget_device, self, pos) end
end

-- Records whether the current device has attachments, for messages (backend/memory_view.lua). Must be called before an
-- operation that may end attachments.
function Session:may_detach()
  self.device_side.has_detached = self.device_side.has_detached or self.ctx:stats(self.now.device).attachments > 0
end

-- Executes a construct with one item, for acc_* routines. pointer_address, slot_bytes: address and bytes of the pointer
-- to attach, or nil; label: symbol, or nil; flags: core.flag, or nil. Raises the core's error.
function Session:run_one(kind, action, address, bytes, pointer_address, finalize, label, slot_bytes, flags)
  if kind == "exit data" then self:may_detach() end
  local snapshot = self.now.expects_failure and self:snapshot()
  local ok, err = self.ctx:run_one(core.kind[kind], self.now.device, core.action[action], address, bytes,
    pointer_address or 0, finalize or false, label, slot_bytes, flags, self.now.queue)
  if not ok and snapshot then self:compare(snapshot) end
  self:check_result(ok, err)
  if self.device_side.is_observed then self:notify_events() end
end

-- Returns the value of `text` in the memory of `env`. start: a grammar rule of C, nil for an expression.
function Session:value(env, text, start) return self.language.value(self, env, text, start) end
-- Returns address, bytes and type of the l-value or section `text` on the host; raises if it is neither.
function Session:extent(text) return self.language.extent(self, text) end
-- Returns the address and type of the pointer that `text` designates.
function Session:pointer_cell(text) return self.language.pointer_cell(self, text) end

-- Returns the environment of the current kernel on the current device; outside of kernels, an environment in which no
-- clause applies.
function Session:device_env()
  return kernel.env(self, self.now.kernel, self.device_side.spaces[self.now.device])
end

return session
