-- api_arguments.lua - functions shared by the API routines of OpenACC and OpenMP: they convert arguments of scenarios,
-- make device pointers, and copy between memories.

local diagnostic = require "accdeep.base.diagnostic"
local types = require "accdeep.types"
local memory_view = require "accdeep.backend.memory_view"

local raise = diagnostic.raise

local api_arguments = {}

-- Returns the name of a host address for messages: its block and offset. Returns "" for a block without a name, and the
-- address in hexadecimal if no block contains it.
function api_arguments.range_name(session, address)
  local block = session.ctx:host_at(address)
  if not block then return ("0x%x"):format(address) end
  if block.name == "" then return "" end
  local offset = address - block.host
  return offset == 0 and block.name or ("%s+%d"):format(block.name, offset)
end

-- Returns the argument `value` as an integer; raises if it is not an integer. name: the argument's name in the message.
function api_arguments.integer(value, name)
  local n = math.tointeger(value)
  if not n then raise("type-mismatch", nil, ("%s must be an integer"):format(name)) end
  return n
end

-- Returns a symbol of the core for events. name: name of the data; at: {file, line} of the call. Raises the core's
-- error.
function api_arguments.label(session, name, at)
  return session:label { name = name, file = at.file, line = at.line }
end

-- Returns a scenario's pointer to `address` in memory of a device; the null pointer for address 0. t: the pointer's
-- type, or nil for void *.
function api_arguments.device_pointer(session, device, address, t)
  if address == 0 then return memory_view.NULL end
  local space = session.device_side.pointer_spaces[device]
  return space:pointer(t and t.kind == "pointer" and t or types.pointer(types.void),
    address, session.ctx:device_bounds(device, address))
end

-- Returns `ok`, the result of a core call. If `ok` is nil or false, raises the core's error `err`. rule: the rule to
-- cite instead of the core's rule, or nil.
function api_arguments.check_result(session, ok, err, rule)
  if not ok then err.rule = rule or err.rule end
  return session:check_result(ok, err)
end

-- Calls fn(copy), where copy(to, from) copies `bytes` bytes from one memory to the other. to_device, from_device:
-- device numbers; the number session.devices stands for the host. rule: the rule that errors cite, or nil. Between two
-- different devices, the bytes pass through a block of host memory. Returns fn's results; between two different
-- devices, returns nothing. Raises the core's errors.
function api_arguments.copying(session, to_device, from_device, bytes, rule, fn)
  local ctx, host = session.ctx, session.devices
  local function finish(ok, err) api_arguments.check_result(session, ok, err, rule) end
  if to_device == host and from_device == host then
    return fn(function(to, from) session.core.put(to, session.core.get(from, bytes)) end)
  elseif from_device == host then
    return fn(function(to, from) finish(ctx:to_device(to_device, to, from, bytes)) end)
  elseif to_device == host then
    return fn(function(to, from) finish(ctx:from_device(from_device, to, from, bytes)) end)
  elseif to_device == from_device then
    return fn(function(to, from) finish(ctx:within_device(to_device, to, from, bytes)) end)
  end
  local block = session:new_block(bytes, "")
  local ok, err = pcall(fn, function(to, from)
    finish(ctx:from_device(from_device, block, from, bytes))
    finish(ctx:to_device(to_device, to, block, bytes))
  end)
  session:free(block)
  if not ok then error(err, 0) end
end

return api_arguments
