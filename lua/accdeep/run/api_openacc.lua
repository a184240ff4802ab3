-- api_openacc.lua - the acc_* routines under their standard names (OpenACC 3.3, section 3.2). The table `routines` of
-- this module also holds the OpenMP routines of api_openmp.lua.
--
-- An address argument is a pointer of the scenario, an integer, or a text. A text names an l-value or section, which
-- also gives the number of bytes. Mapping routines neither attach nor detach pointers inside the data (ACC33-2.7-7).
-- Scenarios, C and Fortran text call routines through api_openacc.call.
--
-- Parameters: `where` is such an address, `bytes` the number of bytes (nil if `where` is a text), and `at` {file, line}
-- of the call.

local lazy = require "accdeep.base.lazy"
local api_arguments = require "accdeep.run.api_arguments"
local async = require "accdeep.run.async"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_section = lazy.require "accdeep.plan.fortran_section"
local api_openmp = require "accdeep.run.api_openmp"
local types = require "accdeep.types"
local memory_view = require "accdeep.backend.memory_view"

local raise = diagnostic.raise
local check_result, integer, range_name = api_arguments.check_result, api_arguments.integer, api_arguments.range_name

local api_openacc = {}

-- Returns address, bytes, name and type (nil: unknown) of the range that the arguments `where` and `bytes` give. The
-- type is that of the pointer, or of the l-value that a text names. Raises if `where` is no address, if the number of
-- bytes is missing, or is negative.
local function range(session, where, bytes)
  if type(where) == "string" then
    local address, size, t = session:extent(where)
    return address, bytes and integer(bytes, "the number of bytes") or size, where:match "^[^%[]*", t
  end
  local address, at = memory_view.address(where)
  if not address then raise("type-mismatch", nil, "a pointer is needed") end
  if bytes == nil then
    raise("type-mismatch", nil, "the number of bytes is missing",
      { help = 'of a variable give the name alone, as text: acc_copyin "x"' })
  end
  local n = integer(bytes, "the number of bytes")
  if n < 0 then
    raise("invalid-section", nil, ("%d bytes"):format(n), { rule = "ACC33-3.2.18-1" })
  end
  local t = at and (at.type.kind == "pointer" and at.type or types.pointer(at.type))
  return address, n, range_name(session, address), t
end

-- Returns a scenario's pointer to `address` in memory of the current device; null for address 0. t: the pointer's type;
-- nil: void *.
local function device_pointer(session, address, t)
  return api_arguments.device_pointer(session, session.now.device, address, t)
end

-- Returns true if a routine has nothing to do, because the address is null or there are 0 bytes. kind: operation of the
-- routine; n: number of bytes. Raises if rules.null_routine, rules.zero_map or rules.zero_update makes this an error.
-- Decides ACC33-3.2.18-1, ACC33-3.2.18-2, ACC33-3.2.18-3.
local function idle(session, kind, address, n)
  if address == 0 and kind ~= "enter data" and session.rules.null_routine == "ignore" then return true end
  if n == 0 and kind == "enter data" and session.rules.zero_map == "reject" then
    raise("invalid-section", nil, "no bytes cannot be mapped", { rule = "ACC33-3.2.18-2" })
  elseif n == 0 and kind == "update" and session.rules.zero_update == "reject" then
    raise("not-present", nil, "no bytes are never present", { rule = "ACC33-3.2.18-3" })
  elseif n == 0 then
    return true
  elseif address == 0 then
    raise("null-pointer", nil, "a null pointer cannot be mapped", { rule = "ACC33-3.2.18-1" })
  end
  return false
end

-- Returns a routine (session, where, bytes, at) that maps, unmaps or updates a range. kind: operation, such as "exit
-- data"; action: action of the core; finalize: true to set reference counters to 0. For enter data, the routine returns
-- the device pointer, otherwise nil. Decides ACC33-2.7-7.
local function mapping(kind, action, finalize)
  return function(session, where, bytes, at)
    local address, n, name, t = range(session, where, bytes)
    if idle(session, kind, address, n) then return kind == "enter data" and memory_view.NULL or nil end
    session:run_one(kind, action, address, n, 0, finalize, api_arguments.label(session, name, at))
    if kind == "enter data" then
      return device_pointer(session, session.ctx:deviceptr(session.now.device, address), t)
    end
    return nil
  end
end

-- Returns address, name and type (nil: unknown) of the pointer that an argument designates: the argument is the address
-- of the pointer, or the pointer's text. Raises if the argument is neither.
local function pointer_cell(session, where)
  if type(where) == "string" then
    local address, t = session:pointer_cell(where)
    if t.kind ~= "pointer" and t.kind ~= "descriptor" then
      raise("not-a-pointer", nil, ("'%s' is %s"):format(where, types.name(t)), { rule = "ACC33-att-5" })
    end
    return address, where, t
  end
  local address = memory_view.address(where)
  if not address or address == 0 then
    raise("null-pointer", nil, "the address of a pointer is needed", { rule = "ACC33-att-5" })
  end
  return address, range_name(session, address)
end

-- Returns a routine (session, where, at) that attaches or detaches a pointer. kind, action: operation and action;
-- finalize: true to set the attach counter to 0.
local function attaching(kind, action, finalize)
  return function(session, where, at)
    local pointer_address, name, t = pointer_cell(session, where)
    local is_descriptor, first, bytes = t and t.kind == "descriptor", 0, 0
    -- A polymorphic pointer is mapped together with its type record, by one directive.
    if is_descriptor and t.polymorphic then
      local text = ("%s %s(%s)%s"):format(kind, action, where, finalize and " finalize" or "")
      return session:acc(text, nil, at.file, at.line)
    end
    if is_descriptor and action == "attach" then first, bytes = fortran_section.target(session, pointer_address, t) end
    session:run_one(kind, action, first, bytes, pointer_address, finalize, api_arguments.label(session, name, at),
      is_descriptor and t.size or nil)
  end
end

-- Returns the address in the device pointer `value`; raises for other values. If `session` is given, also raises for an
-- address that is not on the current device.
local function device_address(value, session)
  local address = memory_view.address(value)
  if not address then raise("type-mismatch", nil, "a device pointer is needed") end
  if session and address ~= 0 and session.ctx:device_of(address) ~= session.now.device then
    raise("host-pointer-on-device", nil, ("this is not an address of device %d"):format(session.now.device),
      { rule = "ACC33-3.2.30-1" })
  end
  return address
end

-- Returns address and bytes of a host range. Raises for a device address, if `where` is no address, and if `bytes` is
-- missing or negative.
local function host_range(session, where, bytes)
  local address, n = range(session, where, bytes)
  if address ~= 0 and session.ctx:device_of(address) >= 0 then
    raise("device-pointer-on-host", nil, "this is an address of a device", { rule = "ACC33-3.2.30-1" })
  end
  return address, n
end

local copyin = mapping("enter data", "copyin")
local create = mapping("enter data", "create")
local update_device = mapping("update", "update device")
local update_self = mapping("update", "update self")

-- Routines: name -> function(session, at, arguments...).
local routines = {}

-- Returns the routine (session, at, where, bytes) for scenarios that calls fn(session, where, bytes, at). If `where` is
-- a text, `bytes` may be omitted.
local function with_range(fn)
  return function(session, at, where, bytes)
    if type(where) == "string" and math.type(bytes) ~= "integer" then bytes = nil end
    return fn(session, where, bytes, at)
  end
end
routines.acc_copyin = with_range(copyin)
routines.acc_create = with_range(create)
routines.acc_present_or_copyin, routines.acc_pcopyin = routines.acc_copyin, routines.acc_copyin
routines.acc_present_or_create, routines.acc_pcreate = routines.acc_create, routines.acc_create
routines.acc_copyout = with_range(mapping("exit data", "copyout"))
routines.acc_copyout_finalize = with_range(mapping("exit data", "copyout", true))
routines.acc_delete = with_range(mapping("exit data", "delete"))
routines.acc_delete_finalize = with_range(mapping("exit data", "delete", true))
routines.acc_update_device = with_range(update_device)
routines.acc_update_self, routines.acc_update_host = with_range(update_self), with_range(update_self)

-- Returns the routine (session, at, where) for scenarios that calls fn(session, where, at).
local function pointing(fn)
  return function(session, at, where) return fn(session, where, at) end
end
routines.acc_attach = pointing(attaching("enter data", "attach"))
routines.acc_detach = pointing(attaching("exit data", "detach"))
routines.acc_detach_finalize = pointing(attaching("exit data", "detach", true))

-- Returns true if all bytes of a range are present on the current device; false if not, and for a null pointer.
function routines.acc_is_present(session, _, where, bytes)
  local address, n = range(session, where, bytes)
  if address == 0 then return false end
  return session.ctx:presence(session.now.device, address, n) == "wholly"
end

-- Returns the device pointer of a host address, or of the l-value in a text; null if the address is not present. Raises
-- for other arguments.
function routines.acc_deviceptr(session, _, where)
  local address, at, t
  if type(where) == "string" then
    address, at, t = session:extent(where)
    if t.kind ~= "pointer" then t = types.pointer(t) end
  else
    address, at = memory_view.address(where)
    if not address then raise("type-mismatch", nil, "a pointer is needed") end
    t = at and at.type
  end
  return device_pointer(session, address == 0 and 0 or session.ctx:deviceptr(session.now.device, address), t)
end

-- Returns the host pointer of a device address; null if no host data are mapped at the address. Raises if `where` is no
-- pointer.
function routines.acc_hostptr(session, _, where)
  local address, at = memory_view.address(where)
  if not address then raise("type-mismatch", nil, "a pointer is needed") end
  local host = address == 0 and 0 or session.ctx:hostptr(session.now.device, address)
  if host == 0 then return memory_view.NULL end
  local t = at and at.type.kind == "pointer" and at.type or types.pointer(types.void)
  return session.host_space:pointer(t, host, session.ctx:host_bounds(host))
end

-- Maps a host range to device memory `dev` of the program. Raises the core's error.
function routines.acc_map_data(session, at, host, dev, bytes)
  local address, n, name = range(session, host, bytes)
  check_result(session, session.ctx:map(session.now.device, address, device_address(dev), n,
    api_arguments.label(session, name, at)))
end

-- Ends the mapping that acc_map_data made on the current device. Raises for a null pointer and if there is no such
-- mapping, or if the core cannot end it.
function routines.acc_unmap_data(session, _, host)
  local address = memory_view.address(host)
  if not address then raise("type-mismatch", nil, "a pointer is needed") end
  if address == 0 then
    raise("null-pointer", nil, "a null address is mapped to nothing", { rule = "ACC33-3.2.21-2" })
  end
  check_result(session, session.ctx:unmap(session.now.device, address))
end

-- Returns a pointer to new memory of the current device; null for 0 bytes or if memory is lacking. Raises for negative
-- numbers. Decides ACC33-3.2.16-1.
function routines.acc_malloc(session, _, bytes)
  local n = integer(bytes, "the number of bytes")
  if n < 0 then raise("invalid-section", nil, ("%d bytes"):format(n), { rule = "ACC33-3.2.16-1" }) end
  local address, err = session.ctx:device_alloc(session.now.device, n)
  if not address and err.code ~= "out-of-device-memory" then error(session:core_error(err, nil), 0) end
  if not address or address == 0 then return memory_view.NULL end
  return session.device_side.pointer_spaces[session.now.device]:pointer(types.pointer(types.void), address, address,
    address + n)
end

-- Frees device memory that acc_malloc returned; does nothing for a null pointer, and raises for other addresses.
function routines.acc_free(session, _, dev)
  local ok, err = session.ctx:device_free(session.now.device, device_address(dev))
  if not ok and err.code == "misuse" then err.code = "out-of-bounds" end -- the code that free in host memory uses
  check_result(session, ok, err)
end

-- Copies bytes on the current device: in the queue of an _async routine, otherwise at once. direction: "h2d", "d2h" or
-- "d2d". The copy is reported when it is complete. Raises for null addresses, and the core's error.
local function copy_memory(session, at, direction, to, from, bytes)
  if bytes > 0 and (to == 0 or from == 0) then
    raise("null-pointer", nil, "a copy has a null address", { rule = "ACC33-3.2.30-1" })
  end
  local ctx, device, queue = session.ctx, session.now.device, session.now.queue
  local value = queue ~= 0 and ctx:queues(device)[queue].async or nil
  check_result(session, ctx:copy_async(device, queue, direction, to, from, bytes, at.file, at.line))
  local dev = direction == "d2h" and from or to
  local function notify() session:notify_copy(direction, device, dev, bytes, "ACC33-3.2.30-1", at, value) end
  if queue == 0 then return notify() end
  check_result(session, ctx:queue_call(device, queue, notify))
end

-- Copies bytes from host memory to device memory, from device to host, or within the device. The three acc_memcpy
-- routines raise for an address of the wrong side.
function routines.acc_memcpy_to_device(session, at, to, host, bytes)
  local address, n = host_range(session, host, bytes)
  local dev = device_address(to, session)
  copy_memory(session, at, "h2d", dev, address, n)
end

function routines.acc_memcpy_from_device(session, at, host, from, bytes)
  local address, n = host_range(session, host, bytes)
  local dev = device_address(from, session)
  copy_memory(session, at, "d2h", address, dev, n)
end

function routines.acc_memcpy_device(session, at, to, from, bytes)
  local dev, n = device_address(to, session), integer(bytes, "the number of bytes")
  copy_memory(session, at, "d2d", dev, device_address(from, session), n)
end

-- Copies bytes between two devices. The addresses are host addresses, whose data must be present on the devices; raises
-- otherwise, and for unknown devices. Does nothing for 0 bytes. In a queue, first waits for the queue, because the copy
-- passes through the host.
function routines.acc_memcpy_d2d(session, at, to, from, bytes, to_device, from_device)
  local target, n = range(session, to, bytes)
  local source = range(session, from, bytes)
  if n == 0 then return end
  -- Returns the device address of `n` bytes on a device; raises if one of them is not present there.
  local function present(device, address)
    if device < 0 or device >= session.devices then
      raise("no-device", nil, ("there is no device %d"):format(device), { rule = "ACC33-3.2.30-1" })
    end
    local presence = session.ctx:presence(device, address, n)
    if presence ~= "wholly" then
      raise(presence == "partly" and "partially-present" or "not-present", nil,
        ("the data are not present on device %d"):format(device), { rule = "ACC33-3.2.30-1" })
    end
    return session.ctx:deviceptr(device, address)
  end
  to_device, from_device = integer(to_device, "a device number"), integer(from_device, "a device number")
  local now = session.now
  if now.queue ~= 0 then async.wait(session, now.device, now.queue) end -- the copy passes through the host
  local dev_to, dev_from = present(to_device, target), present(from_device, source)
  api_arguments.copying(session, to_device, from_device, n, nil, function(copy) copy(dev_to, dev_from) end)
  session:notify_copy("d2d", to_device, dev_to, n, "ACC33-3.2.30-1", at)
end

-- Makes a device the current one; a negative number means device 0. Raises if no device has this number.
function routines.acc_set_device_num(session, _, number)
  session:set_device(math.max(integer(number, "a device number"), 0)) -- ACC33-set-1
end
-- acc_get_device_num returns the number of the current device, acc_get_num_devices the number of devices.
function routines.acc_get_device_num(session) return session.now.device end
function routines.acc_get_num_devices(session) return session.devices end

-- Adds the _async forms, whose last argument is the async value.
for _, name in ipairs { "acc_copyin", "acc_create", "acc_copyout", "acc_copyout_finalize", "acc_delete",
  "acc_delete_finalize", "acc_update_device", "acc_update_self", "acc_attach", "acc_detach",
  "acc_detach_finalize", "acc_memcpy_to_device", "acc_memcpy_from_device", "acc_memcpy_device",
  "acc_memcpy_d2d" } do
  local routine = routines[name]
  routines[name .. "_async"] = function(session, at, ...)
    local n = select("#", ...)
    if n == 0 then raise("type-mismatch", nil, "the async value is missing", { rule = "ACC33-async-5" }) end
    local value = integer((select(n, ...)), "an async value")
    return async.with_queue(session, value, routine, session, at, table.unpack({ ... }, 1, n - 1))
  end
end

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
routines.acc_init = function() end
-- Ends the lifetimes of all data on all devices; raises if a region is open.
function routines.acc_shutdown(session) session:forget_devices() end
-- Returns a true value while a body runs on a device; the argument, a kind of device, is ignored.
function routines.acc_on_device(session) return session.now.kernel and not session.now.kernel.on_host end

for name, routine in pairs(api_openmp.routines) do routines[name] = routine end
api_openacc.routines = routines

-- Calls the routine `name` from the host program or a kernel, and returns its result. Raises inside a compute
-- construct, except for acc_on_device and routines of api_openmp.in_kernels. Decides OMP60-api-14.
function api_openacc.call(session, name, at, ...)
  local running = session.now.kernel
  -- A construct that the host runs, such as parallel, is no compute construct.
  local in_host_text = running and running.on_host and running.plan.kind ~= "compute"
  if running and not in_host_text and name ~= "acc_on_device" and not api_openmp.in_kernels[name] then
    raise("region-nesting", nil, ("%s inside a compute construct"):format(name),
      { rule = api_openmp.routines[name] and "OMP60-api-14" or "ACC33-impl-1" })
  end
  return routines[name](session, at, ...)
end

-- Returns the function for calls of the routine `name` in C expressions; nil if expressions cannot call a routine of
-- this name. The function returns pointers as numbers.
function api_openacc.text_routine(session, name)
  if not api_openmp.text_routines[name] then return nil end
  return function(...)
    local result = api_openacc.call(session, name, session.now.current or {}, ...)
    return memory_view.is_pointer(result) and memory_view.address(result) or result
  end
end

-- Returns the binding {type, const} of the constant `name` for C expressions; nil if there is no such constant.
function api_openacc.constant_in_text(name)
  local value = api_openmp.constants[name] or async.constants[name]
  return value and { type = types.scalars.int, const = value }
end

-- Constants of the header that are arguments of routines.
api_openacc.constants = { acc_device_none = 0, acc_device_default = 1, acc_device_host = 2,
  acc_device_not_host = 3, acc_device_nvidia = 4, acc_device_current = 5 }
for name, value in pairs(async.constants) do api_openacc.constants[name] = value end
for name, value in pairs(api_openmp.constants) do api_openacc.constants[name] = value end

return api_openacc
