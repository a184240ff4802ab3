-- api_routines.lua - the routines of OpenACC and OpenMP under their standard names, for scenarios, C and Fortran text.
-- core/accdeep_routines.h lists them, and decides what a call does (context:routine). This module converts arguments of
-- scenarios to addresses and numbers, and results to pointers; it waits for queues, and reports copies to observers.
--
-- An address argument is a pointer of the scenario, an integer, or a text. A text names an l-value or section, which
-- also gives the number of bytes. `at` is {file, line} of the call.

local core = require "accdeep.core"
local lazy = require "accdeep.base.lazy"
local async = require "accdeep.run.async"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_section = lazy.require "accdeep.lowering.fortran_section"
local memory_view = require "accdeep.backend.memory_view"
local types = require "accdeep.types"

local raise = diagnostic.raise

local api_routines = {}

-- Routines by name: {number, name, arguments, returns, rule, async, in_kernels, in_expressions}, and for routines that
-- run a construct kind, action, finalize (lua/binding/routine.c). arguments: list of kinds; returns: a kind, or nil.
-- An _async form of OpenACC is an entry of its own with the field `queued`.
local table_of = {}
for number, info in ipairs(core.routines) do
  local arguments, returns = info.signature, nil
  if arguments[#arguments - 1] == "->" then
    returns = table.remove(arguments)
    table.remove(arguments)
  end
  local routine = setmetatable({ number = number, name = info.names[1], arguments = arguments, returns = returns },
    { __index = info })
  for _, name in ipairs(info.names) do table_of[name] = routine end
  if info.async then
    table_of[routine.name .. "_async"] = setmetatable({ queued = routine.name:find "^acc_" and true },
      { __index = routine })
  end
end

-- Returns the list of the other names of the routine `name`, with that of its _async form; nil if it has none, and for
-- names of no routine.
function api_routines.synonyms(name)
  local routine, list = table_of[name], {}
  if not routine then return nil end
  table.move(routine.names, 2, #routine.names, 1, list)
  if routine.async then list[#list + 1] = name .. "_async" end
  return list[1] and list
end

-- Returns the description of the routine `name` (see table_of); nil if there is none.
function api_routines.find(name) return table_of[name] end

local kind_names, action_names = {}, {} -- names by number
for name, number in pairs(core.kind) do kind_names[number] = name end
for name, number in pairs(core.action) do action_names[number] = name:gsub("^update ", "") end

-- Returns the directive and the clause that move data as the routine `name` does: "exit data", "copyout". The third
-- result is true if the directive has the clause finalize. Returns nil for routines that do not move data.
function api_routines.directive(name)
  local routine = table_of[name]
  if not routine or not routine.kind or routine.arguments[1] ~= "range" then return nil end
  return kind_names[routine.kind], action_names[routine.action], routine.finalize
end

-- ------------------------------------------------------------------------------------- arguments --

-- Returns the argument `value` as an integer; raises if it is not an integer. name: the argument's name in the message.
local function integer(value, name)
  local n = math.tointeger(value)
  if not n then raise("type-mismatch", nil, ("%s must be an integer"):format(name)) end
  return n
end

-- Returns the argument `value` as an integer; raises if it is negative or no integer. name: the argument's name in
-- messages.
local function size(routine, value, name)
  local n = integer(value, name)
  if n < 0 then
    raise("invalid-section", nil, ("%s is %d"):format(name, n), { rule = routine.rule or "ACC33-3.2.18-1" })
  end
  return n
end

-- Returns the name of a host address for messages: its block and offset. Returns "" for a block without a name, and the
-- address in hexadecimal if no block contains it.
local function range_name(session, address)
  local block = session.ctx:host_at(address)
  if not block then return ("0x%x"):format(address) end
  if block.name == "" then return "" end
  local offset = address - block.host
  return offset == 0 and block.name or ("%s+%d"):format(block.name, offset)
end

-- Returns address, type and name of the data that the argument `value` designates, and of a text the number of bytes.
-- The type is that of a pointer to the data, nil if unknown. Raises if the argument is no address.
local function address_of(session, value, at)
  if type(value) == "string" then
    local address, bytes, t = session:with_text(value, at.file, at.line, session.extent, session, value)
    return address, t.kind == "pointer" and t or types.pointer(t), value:match "^[^%[]*", bytes
  end
  local address, where = memory_view.address(value)
  if not address then raise("type-mismatch", nil, "a pointer is needed") end
  return address, where and (where.type.kind == "pointer" and where.type or types.pointer(where.type)),
    range_name(session, address)
end

-- Functions by kind of argument (core/accdeep_routines.h). readers[kind](session, call, routine, at, arguments, i)
-- reads arguments from number i on into `call`, the table that context:routine gets. Returns the number of the next
-- one.
local readers = {}

-- Sets field `first` of the call, or field `second` if `first` is set. Returns i + 1.
local function set_field(call, first, second, value, i)
  if call[first] then first = second end
  call[first] = value
  return i + 1
end

function readers.range(session, call, routine, at, arguments, i)
  local bytes = arguments[i + 1]
  local address, t, name, size_of_text = address_of(session, arguments[i], at)
  call.address, call.type, call.name = address, t, name
  if size_of_text and math.type(bytes) ~= "integer" then
    call.bytes = size_of_text
    return i + 1
  elseif bytes == nil then
    raise("type-mismatch", nil, ("%s takes the name of a variable as text, or a pointer and a number of bytes"):format(
      routine.name), { help = ('for a variable x: %s "x"'):format(routine.name) })
  end
  call.bytes = size(routine, bytes, "the number of bytes")
  return i + 2
end

function readers.host(session, call, _, at, arguments, i)
  local address, t, name = address_of(session, arguments[i], at)
  if not call.address then call.type, call.name, call.argument = t, name, arguments[i] end
  return set_field(call, "address", "from", address, i)
end
readers.device = readers.host

-- Reads the address or the text of a pointer or Fortran descriptor.
function readers.slot(session, call, routine, _, arguments, i)
  local where = arguments[i]
  if type(where) ~= "string" then
    local address = memory_view.address(where)
    if not address then raise("type-mismatch", nil, "the address of a pointer is needed") end
    call.address, call.name = address, range_name(session, address)
    return i + 1
  end
  local address, t = session:pointer_cell(where)
  if t.kind ~= "pointer" and t.kind ~= "descriptor" then
    raise("not-a-pointer", nil, ("'%s' is %s"):format(where, types.name(t)), { rule = "ACC33-att-5" })
  end
  call.address, call.name = address, where
  if t.kind ~= "descriptor" then return i + 1 end
  call.slot_bytes = t.size
  call.polymorphic = t.polymorphic
  if routine.action == core.action.attach and not t.polymorphic then
    call.from, call.bytes = fortran_section.target(session, address, t)
  end
  return i + 1
end

function readers.bytes(_, call, routine, _, arguments, i)
  call.bytes = size(routine, arguments[i], "the number of bytes")
  return i + 1
end
function readers.offset(_, call, routine, _, arguments, i)
  return set_field(call, "to_offset", "from_offset", size(routine, arguments[i], "the offset"), i)
end
function readers.number(_, call, _, _, arguments, i)
  return set_field(call, "device", "from_device", integer(arguments[i], "a device number"), i)
end
readers.devnum = readers.number
function readers.value(_, call, _, _, arguments, i)
  call.value = integer(arguments[i], "the value")
  return i + 1
end
-- Reads the type of a device; without the argument, the type is acc_device_not_host.
function readers.type(_, call, _, _, arguments, i)
  call.value = arguments[i] ~= nil and integer(arguments[i], "the type of a device")
    or api_routines.constants.acc_device_not_host
  return i + 1
end

-- Reads the size of an element, the number of dimensions, and five lists of numbers: volume, offsets, dimensions. A
-- list of the scenario begins with index 1, an array with index 0.
function readers.box(_, call, routine, _, arguments, i)
  local box = { element = integer(arguments[i], "the size of an element"),
    rank = integer(arguments[i + 1], "the number of dimensions") }
  local is_null = call.address == 0 or call.from == 0 -- the lists are not used
  local names = { volume = "the volume", to_offsets = "an offset", from_offsets = "an offset",
    to_dimensions = "a dimension", from_dimensions = "a dimension" }
  if box.element < 0 or is_null then box.element, box.rank = 0, 0 end
  for k, field in ipairs { "volume", "to_offsets", "from_offsets", "to_dimensions", "from_dimensions" } do
    local list = arguments[i + 1 + k]
    box[field] = {}
    if box.rank > 0 and type(list) ~= "table" then
      raise("type-mismatch", nil, ("%s is a list of %d numbers"):format(names[field], box.rank))
    end
    for d = 1, box.rank do box[field][d] = size(routine, list[(list[0] ~= nil and -1 or 0) + d], names[field]) end
  end
  call.box = box
  return i + 7
end

-- ---------------------------------------------------------------------------------------- results --

-- Returns a scenario's pointer of type `t` (nil: void *) to an address of the host or of a device. bytes: size of the
-- memory at the address; nil: it is that of the data there.
local function pointer_to(session, address, t, bytes)
  if address == 0 then return memory_view.NULL end
  local ctx = session.ctx
  local device = ctx:device_of(address)
  local space = device < 0 and session.host_space or session.device_side.pointer_spaces[device]
  t = t and t.kind == "pointer" and t or types.pointer(types.void)
  if bytes then return space:pointer(t, address, address, address + bytes) end
  if device < 0 then return space:pointer(t, address, ctx:host_bounds(address)) end
  return space:pointer(t, address, ctx:device_bounds(device, address))
end

-- Functions by kind of result: (session, routine, call, result of the core) -> result of the routine.
local results = {}
function results.device(session, routine, call, result)
  if routine.name == "omp_target_memset" and type(call.argument) == "table" then return call.argument end
  return pointer_to(session, result, call.type, not call.address and call.bytes)
end
results.host = results.device
function results.number(_, _, _, result) return result end
results.count, results.size = results.number, results.number
-- OpenACC's answers are booleans, those of OpenMP numbers.
function results.truth(_, routine, _, result)
  if routine.name:find "^omp_" then return result end
  return result ~= 0
end

-- ------------------------------------------------------------------------------------------ calls --

-- Returns a pointer to new host memory for omp_target_alloc; a null pointer if no memory is left. Raises if a limit is
-- reached.
local function host_alloc(session, bytes)
  local ok, address = pcall(session.new_block, session, bytes, "omp_target_alloc")
  if not ok then
    if diagnostic.is(address) and address.code == "out-of-memory" then return memory_view.NULL end
    error(address, 0)
  end
  session.program.blocks[address].target = true
  return pointer_to(session, address, nil, bytes)
end

-- Frees host memory that omp_target_alloc returned; raises for any other address. Decides OMP60-api-4.
local function host_free(session, address)
  local owner = session
  while owner and not owner.program.blocks[address] do owner = owner.outer end
  local range = session.ctx:host_at(address)
  if not owner or not owner.program.blocks[address].target or not range or not range.live then
    raise("out-of-bounds", nil, "this is not memory that omp_target_alloc gave on the host, or it was freed",
      { rule = "OMP60-api-4", objects = { range } })
  end
  session:free(address)
end

-- Reports a copy that a routine has made, when its queue has made it. way: "h2d", "d2h" or "d2d".
local function notify_copy(session, routine, call, at, way, device, address, bytes)
  local queue = routine.name ~= "acc_memcpy_d2d" and call.queue or 0
  local value = queue ~= 0 and session.ctx:queues(device)[queue].async or nil
  local function notify() session:notify_copy(way, device, address, bytes, routine.rule, at, value) end
  if queue == 0 then return notify() end
  session:check_result(session.ctx:queue_call(device, queue, notify))
end

-- Returns the name of the first visible pointer variable, in alphabetic order, that holds `address`; nil if there is
-- none.
local function holder_of(session, address)
  local best, scope, visited = nil, session.now.scope, {}
  while scope do
    for name, variable in next, scope.variables do
      if not visited[name] and variable.type.kind == "pointer" and (not best or name < best)
        and session.host_space:load(variable.address, variable.type.code, 8) == address then
        best = name
      end
      visited[name] = true
    end
    scope = scope.outer
  end
  return best
end

-- Returns the name of associated host memory: a variable, a section of an array or of a pointer's target, or else block
-- and offset.
local function association_name(session, address, bytes)
  local range, owner = session.ctx:host_at(address), session
  if not range then return range_name(session, address) end
  while owner.outer and not owner.program.blocks[range.host] do owner = owner.outer end
  local block = owner.program.blocks[range.host]
  local contents, offset = block and block.type, address - range.host
  local base = block and block.variable and block.name or holder_of(session, range.host)
  if not base or not contents then return range_name(session, address) end
  if block.variable and offset == 0 and bytes == block.bytes then return base end
  contents = types.element(contents)
  if not contents or contents.size == 0 or offset % contents.size ~= 0 or bytes % contents.size ~= 0 then
    return offset == 0 and base or ("%s+%d"):format(base, offset)
  end
  return ("%s[%d:%d]"):format(base, offset // contents.size, bytes // contents.size)
end

-- Calls a routine that the core decides, with the list of arguments; returns its result. Raises for wrong arguments,
-- and the core's error.
local function call_core(session, routine, at, arguments)
  local kernel = session.now.kernel
  local call, i = { current = session.now.device, queue = session.now.queue }, 1
  for _, kind in ipairs(routine.arguments) do i = readers[kind](session, call, routine, at, arguments, i) end
  if call.polymorphic then -- the pointer and its type record are mapped by one directive
    local text = routine.action == core.action.attach and "enter data attach(%s)" or "exit data detach(%s)%s"
    return session:acc(text:format(arguments[1], routine.finalize and " finalize" or ""), nil, at.file, at.line)
  end
  if routine.in_kernels then call.current = kernel and not kernel.on_host and kernel.device or -1 end
  if routine.name == "omp_target_associate_ptr" and not (type(call.argument) == "string"
    and not call.argument:find "%[") then
    call.name = association_name(session, call.address, call.bytes)
  end
  if routine.kind or call.from then call.label = session:label { name = call.name, file = at.file, line = at.line } end
  if routine.kind == core.kind["exit data"] then session:may_detach() end
  local snapshot = session.now.expects_failure and session:snapshot()
  local result, way, device, address, bytes = session.ctx:routine(routine.number, call)
  if not result then
    if snapshot then session:compare(snapshot) end
    if way.code == "callback" then error(way.cause, 0) end
    session:check_result(nil, way)
  end
  if way == "allocate" then return host_alloc(session, call.bytes) end
  if way == "free" then return host_free(session, call.address) end
  if way then notify_copy(session, routine, call, at, way, device, address, bytes)
  elseif session.device_side.is_observed then session:notify_events() end
  return routine.returns and results[routine.returns](session, routine, call, result)
end

-- Routines: name -> function(session, at, arguments...). The _async forms of OpenACC work in the queue of their last
-- argument. Those of OpenMP are complete on return, so depend objects have no effect. Decides OMP60-api-9.
local routines = {}
for name, routine in pairs(table_of) do
  routines[name] = function(session, at, ...)
    local arguments = { ... }
    if not routine.queued then return call_core(session, routine, at, arguments) end
    local n = select("#", ...)
    if n == 0 then raise("type-mismatch", nil, "the async value is missing", { rule = "ACC33-async-5" }) end
    local value = integer(arguments[n], "an async value")
    arguments[n] = nil
    return async.with_queue(session, value, call_core, session, routine, at, arguments)
  end
end

-- ------------------------------------------------------------------------------- devices, queues --

-- Makes a device the current one; raises if no device has this number.
function routines.acc_set_device_num(session, at, ...)
  session.now.device = call_core(session, setmetatable({ returns = "number" },
    { __index = table_of.acc_set_device_num }), at, { ... })
end
-- Makes a device the current one; raises for the host and for unknown numbers.
function routines.omp_set_default_device(session, at, ...)
  local number = call_core(session, setmetatable({ returns = "number" },
    { __index = table_of.omp_set_default_device }), at, { ... })
  if number == session.devices then
    raise("unsupported", nil, "the host as the default device is not part of this version", { rule = "HOUSE-version" })
  end
  session.now.device = number
end
-- Return the number of the current device.
function routines.acc_get_device_num(session) return session.now.device end
routines.omp_get_default_device = routines.acc_get_device_num

-- Returns the queue of the async value `value` on the current device; 0: synchronous. Raises if the value is invalid.
local function queue_at(session, value)
  return async.queue(session, integer(value, "an async value"))
end

-- Makes the program wait for the queue of the async value `value`. If the async value `later` is given, the queue of
-- `later` waits instead of the program. Does nothing for acc_async_sync; raises for invalid values, and errors of
-- queued work.
function routines.acc_wait_async(session, at, value, later)
  local queue, waiting_queue = queue_at(session, value), later and queue_at(session, later) or 0
  if queue ~= 0 then async.wait_at(session, at, waiting_queue, session.now.device, queue) end
end
-- The acc_wait routines make the program wait for a queue or for all queues; in acc_wait_all_async, the queue of the
-- async value `later` waits instead. They raise errors of queued work.
function routines.acc_wait(session, at, value) routines.acc_wait_async(session, at, value) end
function routines.acc_wait_all_async(session, at, later)
  async.wait_at(session, at, later and queue_at(session, later) or 0, session.now.device, 0)
end
function routines.acc_wait_all(session, at) routines.acc_wait_all_async(session, at) end
-- acc_async_test returns true if a queue has no pending work, acc_async_test_all if no queue of the current device has
-- any.
function routines.acc_async_test(session, _, value)
  local queue = queue_at(session, value)
  return queue == 0 or async.test(session, session.now.device, queue)
end
function routines.acc_async_test_all(session) return async.test(session, session.now.device, 0) end
-- Routines that return and set the async value for async clauses without an argument. Setting raises for negative
-- values other than the acc_async constants.
function routines.acc_get_default_async(session) return session.device_side.default_async end
function routines.acc_set_default_async(session, _, value)
  async.set_default(session, integer(value, "an async value"))
end
-- The routine acc_init has no effect, because devices are ready when the session begins.
function routines.acc_init() end
-- Ends the lifetimes of all data on all devices; raises if a region is open. Does nothing for the host.
function routines.acc_shutdown(session, _, device_type)
  if device_type ~= api_routines.constants.acc_device_host then session:forget_devices() end
end

api_routines.routines = routines

-- Calls the routine `name` from the host program or a kernel, and returns its result. Raises inside a compute
-- construct, except for routines that kernels may call. Decides OMP60-api-14.
function api_routines.call(session, name, at, ...)
  local running = session.now.kernel
  -- A construct that the host runs, such as parallel, is no compute construct.
  local in_host_text = running and running.on_host and running.plan.kind ~= "compute"
  if running and not in_host_text and not table_of[name].in_kernels then
    raise("region-nesting", nil, ("%s inside a compute construct"):format(name),
      { rule = name:find "^omp_" and "OMP60-api-14" or "ACC33-impl-1" })
  end
  return routines[name](session, at, ...)
end

-- Returns the function for calls of the routine `name` in C expressions; nil if expressions cannot call a routine of
-- this name. The function returns pointers as numbers.
function api_routines.text_routine(session, name)
  if not table_of[name] or not table_of[name].in_expressions then return nil end
  return function(...)
    local result = api_routines.call(session, name, session.now.current or {}, ...)
    return memory_view.is_pointer(result) and memory_view.address(result) or result
  end
end

-- Constants of the headers that are arguments of routines, by name.
api_routines.constants = {}
for _, constants in ipairs { core.constants, async.constants } do
  for name, value in pairs(constants) do api_routines.constants[name] = value end
end

-- Returns the binding {type, const} of the constant `name` for C expressions; nil if there is no such constant.
function api_routines.constant_in_text(name)
  local value = not name:find "^acc_device" and api_routines.constants[name]
  return value and { type = types.scalars.int, const = value }
end

return api_routines
