-- api_openmp.lua - OpenMP's device information and device memory routines, under their standard names.
--
-- The host is also a device; its number is session.devices, the number of the other devices. If the standard defines a
-- result for a wrong argument (a nonzero number, a null pointer), the routine returns this result. Other mistakes
-- raise, as do accesses to invalid memory, which a real runtime would not notice. A routine that fails changes nothing.
-- api_openacc.lua adds these routines to its table.
--
-- Parameters: `at` is {file, line} of the call, `rule` the rule that errors cite. A device number may be the host's; a
-- pointer argument is a pointer, an integer, or the text of an l-value.

local api_arguments = require "accdeep.run.api_arguments"
local diagnostic = require "accdeep.base.diagnostic"
local types = require "accdeep.types"
local memory_view = require "accdeep.backend.memory_view"

local raise, integer = diagnostic.raise, api_arguments.integer

local INITIAL_DEVICE, INVALID_DEVICE = -1, -4
local SUCCESS, FAILURE = 0, 1
-- Limit of dimensions that omp_target_memcpy_rect returns: the largest int, because this implementation has no limit.
local MOST_DIMENSIONS = 0x7fffffff

-- ------------------------------------------------------------------------------------- arguments --

-- Returns the device number `value`, which may be the host's; nil if no device has this number. Raises if `value` is no
-- integer or is omp_invalid_device. Decides OMP60-api-2.
local function device_number(session, value)
  local n = integer(value, "a device number")
  if n == INVALID_DEVICE then
    raise("no-device", nil, "omp_invalid_device is not a device", { rule = "OMP60-api-2" })
  end
  if n == INITIAL_DEVICE then return session.devices end
  return n >= 0 and n <= session.devices and n or nil
end

-- Returns the device number `value`, which may be the host's; raises if no device has this number.
local function some_device(session, value)
  local n = device_number(session, value)
  if n then return n end
  raise("no-device", nil, ("there is no device %d; devices are 0 to %d, the host is %d"):format(value,
    session.devices - 1, session.devices), { rule = "OMP60-api-2", help = "scenario { devices = n } makes more" })
end

-- Returns the argument `value` as an integer; raises if it is negative or no integer. name: the argument's name in
-- messages; rule: the rule that the error for a negative value cites.
local function size(value, name, rule)
  local n = integer(value, name)
  if n < 0 then raise("invalid-section", nil, ("%s is %d"):format(name, n), { rule = rule }) end
  return n
end

-- Returns the address that the pointer argument `value` gives, and its pointer type if known, otherwise nil. Raises for
-- other arguments.
local function address_of(session, value, at)
  if type(value) == "string" then
    local address, _, t = session:with_text(value, at.file, at.line, session.extent, session, value)
    return address, t.kind == "pointer" and t or types.pointer(t)
  end
  local address, where = memory_view.address(value)
  if not address then raise("type-mismatch", nil, "a pointer is needed") end
  return address, where and (where.type.kind == "pointer" and where.type or types.pointer(where.type))
end

-- Raises if an address does not belong to the memory of `device`, which may be the host.
local function need_side(session, device, address, rule)
  local owner = session.ctx:device_of(address)
  if owner == (device == session.devices and -1 or device) then return end
  local owner_name = owner < 0 and "the host" or ("device %d"):format(owner)
  raise(device == session.devices and "device-pointer-on-host" or "host-pointer-on-device", nil,
    ("this is an address of %s, not of %s"):format(owner_name,
      device == session.devices and "the host" or ("device %d"):format(device)),
    { rule = rule, objects = { owner >= 0 and session.ctx:present_at(owner, address, true) or nil } })
end

-- Returns true if a range of bytes is allocated on a device or, if `device` is the host, lies in one block that has not
-- been freed.
local function holds(session, device, address, bytes)
  if device < session.devices then return session.ctx:device_holds(device, address, bytes) end
  local _, finish = session.ctx:host_bounds(address)
  return finish ~= nil and bytes <= finish - address
end

-- Raises if a range of bytes is not allocated memory of `device`, which may be the host.
local function need_memory(session, device, address, bytes, rule)
  need_side(session, device, address, rule)
  if holds(session, device, address, bytes) then return end
  local on_host = device == session.devices
  local name = on_host and api_arguments.range_name(session, address) or session.ctx:name_at(device, address)
  raise("out-of-bounds", nil, ("%d bytes at %s are not all in %s"):format(bytes, name ~= "" and name or "an address",
    on_host and "one piece of live host memory" or ("one allocated piece of memory of device %d"):format(device)),
    { rule = rule, objects = { on_host and session.ctx:host_at(address) or nil } })
end

-- Returns a scenario's pointer to an address of a device, which may be the host; the null pointer for address 0. t: the
-- pointer's type, or nil for void *.
local function pointer_to(session, device, address, t)
  if address == 0 then return memory_view.NULL end
  if device < session.devices then return api_arguments.device_pointer(session, device, address, t) end
  return session.host_space:pointer(t or types.pointer(types.void), address, session.ctx:host_bounds(address))
end

-- Reports a copy as an event, unless both sides are host memory. to, from: addresses of the two ranges; rule: rule of
-- the event.
local function notify_copy(session, to_device, to, from_device, from, bytes, rule, at)
  local host = session.devices
  if to_device ~= host then
    session:notify_copy(from_device == host and "h2d" or "d2d", to_device, to, bytes, rule, at)
  elseif from_device ~= host then
    session:notify_copy("d2h", from_device, from, bytes, rule, at)
  end
end

-- --------------------------------------------------------------------------- device information --

-- Routines: name -> function(session, at, arguments...).
local routines = {}

-- Returns a true value while a body runs on a device; a false value otherwise, also for a construct that the host runs.
local function is_in_kernel(session) return session.now.kernel and not session.now.kernel.on_host end

-- Returns the number of devices without the host, which is also the host's number. Decides OMP60-api-1.
function routines.omp_get_num_devices(session) return session.devices end
routines.omp_get_initial_device = routines.omp_get_num_devices
-- Returns the number of the current device.
function routines.omp_get_default_device(session) return session.now.device end
-- Returns the number of the device that runs the calling body, or the host's number.
function routines.omp_get_device_num(session)
  return is_in_kernel(session) and session.now.kernel.device or session.devices
end
-- Returns 0 while a body runs on a device, otherwise 1.
function routines.omp_is_initial_device(session) return is_in_kernel(session) and 0 or 1 end

-- Makes a device the current one; raises for the host and for unknown numbers.
function routines.omp_set_default_device(session, _, device)
  local number = some_device(session, device)
  if number == session.devices then
    raise("unsupported", nil, "the host as the default device is not part of this version",
      { rule = "HOUSE-version" })
  end
  session:set_device(number)
end

-- ------------------------------------------------------------------------------ allocate, release --

-- Returns a pointer to new host memory for omp_target_alloc; a null pointer if no memory is left. Raises if a limit is
-- reached.
local function host_alloc(session, bytes)
  local ok, address = pcall(session.new_block, session, bytes, "omp_target_alloc")
  if not ok then
    if diagnostic.is(address) and address.code == "out-of-memory" then return memory_view.NULL end
    error(address, 0)
  end
  session.program.blocks[address].target = true
  return session.host_space:pointer(types.pointer(types.void), address, address, address + bytes)
end

-- Returns a pointer to new memory of a device or the host. Returns null for 0 bytes, if the device does not exist, and
-- if the device has no memory left. Decides OMP60-api-3.
function routines.omp_target_alloc(session, _, bytes, device)
  local number = device_number(session, device)
  local n = size(bytes, "the number of bytes", "OMP60-api-3")
  if not number or n == 0 then return memory_view.NULL end
  if number == session.devices then return host_alloc(session, n) end
  local address, err = session.ctx:device_alloc(number, n)
  if address then
    return session.device_side.pointer_spaces[number]:pointer(types.pointer(types.void), address, address, address + n)
  end
  if err.code ~= "out-of-device-memory" then api_arguments.check_result(session, nil, err, "OMP60-api-3") end
  return memory_view.NULL
end

-- Frees host memory that omp_target_alloc returned; raises for any other address.
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

-- Frees memory that omp_target_alloc returned; does nothing for a null pointer and raises for any other address.
-- Decides OMP60-api-4.
function routines.omp_target_free(session, at, pointer, device)
  local number, address = some_device(session, device), address_of(session, pointer, at)
  if address == 0 then return end
  need_side(session, number, address, "OMP60-api-4")
  if number == session.devices then return host_free(session, address) end
  local ok, err = session.ctx:device_free(number, address)
  if not ok and err.code == "misuse" then err.code = "out-of-bounds" end -- an address inside a block
  api_arguments.check_result(session, ok, err, "OMP60-api-4")
end

-- -------------------------------------------------------------------------------------- questions --

-- Returns 1 for a true value and 0 for a false one.
local function answer(yes) return yes and 1 or 0 end

-- Returns 1 if an address is present on a device, or if the device is the host; otherwise 0, also for a null pointer
-- and an unknown device. Decides OMP60-api-5.
function routines.omp_target_is_present(session, at, pointer, device)
  local number, address = device_number(session, device), address_of(session, pointer, at)
  if not number or address == 0 then return 0 end
  return answer(number == session.devices or session.ctx:presence(number, address, 1) == "wholly")
end

-- Returns 1 if a device (or the host) can access a range of bytes, because the range is allocated memory of that
-- device; otherwise 0. Decides OMP60-api-6.
function routines.omp_target_is_accessible(session, at, pointer, bytes, device)
  local number, address = device_number(session, device), address_of(session, pointer, at)
  local n = size(bytes, "the number of bytes", "OMP60-api-6")
  if not number or address == 0 or n == 0 then return 0 end
  return answer(holds(session, number, address, n))
end

-- Returns the device pointer of a host pointer; null if the pointer is null or not mapped, or the device is unknown.
-- For the host, returns the host pointer. Decides OMP60-api-12.
function routines.omp_get_mapped_ptr(session, at, pointer, device)
  local number = device_number(session, device)
  local address, t = address_of(session, pointer, at)
  if not number or address == 0 then return memory_view.NULL end
  if number < session.devices then address = session.ctx:deviceptr(number, address) end
  return pointer_to(session, number, address, t)
end

-- ------------------------------------------------------------------------------------------ copies --

-- Copies bytes between two devices, each of which may be the host. Returns 0; a nonzero number for an unknown device
-- or, unless the length is 0, for a null pointer. Raises for memory that is not allocated, and for a negative length or
-- offset. Decides OMP60-api-7.
function routines.omp_target_memcpy(session, at, to, from, length, to_offset, from_offset, to_device, from_device)
  local target, source = device_number(session, to_device), device_number(session, from_device)
  local dst, src = address_of(session, to, at), address_of(session, from, at)
  local n = size(length, "the length", "OMP60-api-7")
  to_offset = size(to_offset, "the offset", "OMP60-api-7")
  from_offset = size(from_offset, "the offset", "OMP60-api-7")
  if not target or not source then return FAILURE end
  if n == 0 then return SUCCESS end
  if dst == 0 or src == 0 then return FAILURE end
  dst, src = dst + to_offset, src + from_offset
  need_memory(session, target, dst, n, "OMP60-api-7")
  need_memory(session, source, src, n, "OMP60-api-7")
  api_arguments.copying(session, target, source, n, "OMP60-api-7", function(copy) copy(dst, src) end)
  notify_copy(session, target, dst, source, src, n, "OMP60-api-7", at)
  return SUCCESS
end

-- Returns the first n numbers of `list`, a list or an array of the scenario. Raises for other values and for negative
-- numbers. name: the argument's name in messages.
local function numbers(list, n, name)
  if type(list) ~= "table" then
    raise("type-mismatch", nil, ("%s is a list of %d numbers"):format(name, n))
  end
  local first, result = list[0] ~= nil and 0 or 1, {}
  for i = 1, n do result[i] = size(list[first + i - 1], name, "OMP60-api-8") end
  return result
end

-- Returns the layout of a volume (a box of elements) in an array: {strides, first, bytes}. strides: bytes between
-- neighbours in each dimension; first: offset of the volume's first byte in the array; bytes: number of bytes from its
-- first to its last byte. volume, offsets, dimensions: numbers of elements in each dimension; element: bytes. Returns
-- nil if the volume is not inside the array, or is too large.
local function subvolume_layout(volume, offsets, dimensions, element)
  local strides, stride, first, reach = {}, element, 0, element
  for i = #volume, 1, -1 do
    if volume[i] > dimensions[i] or offsets[i] > dimensions[i] - volume[i]
      or dimensions[i] > math.maxinteger // stride then
      return nil
    end
    strides[i], first, reach = stride, first + offsets[i] * stride, reach + (volume[i] - 1) * stride
    stride = stride * math.max(dimensions[i], 1)
  end
  return { strides = strides, first = first, bytes = reach }
end

-- Copies a volume row by row. copy(dst, src) copies a row of the last dimension, whose elements are contiguous. dst,
-- src: addresses of the first elements; to_strides, from_strides: bytes between neighbours in each dimension.
local function copy_rows(copy, volume, dst, src, to_strides, from_strides)
  local index, last = {}, #volume - 1
  for i = 1, last do index[i] = 0 end
  while true do
    copy(dst, src)
    local i = last
    while i > 0 and index[i] == volume[i] - 1 do
      dst, src = dst - index[i] * to_strides[i], src - index[i] * from_strides[i]
      index[i], i = 0, i - 1
    end
    if i == 0 then return end
    index[i], dst, src = index[i] + 1, dst + to_strides[i], src + from_strides[i]
  end
end

-- Copies a volume between two arrays on devices. Returns 0 for success, 1 for arguments that the standard calls
-- invalid, and MOST_DIMENSIONS if both pointers are null. Raises for memory that is not allocated. Decides OMP60-api-8.
function routines.omp_target_memcpy_rect(session, at, to, from, element_size, num_dims, volume, to_offsets,
    from_offsets, to_dimensions, from_dimensions, to_device, from_device)
  local target, source = device_number(session, to_device), device_number(session, from_device)
  local dst, src = address_of(session, to, at), address_of(session, from, at)
  local element, n = integer(element_size, "the size of an element"), integer(num_dims, "the number of dimensions")
  if dst == 0 and src == 0 then return MOST_DIMENSIONS end
  if not target or not source or dst == 0 or src == 0 or element < 1 or n < 1 then return FAILURE end
  volume = numbers(volume, n, "the volume")
  local target_layout = subvolume_layout(volume, numbers(to_offsets, n, "an offset"),
    numbers(to_dimensions, n, "a dimension"), element)
  local source_layout = subvolume_layout(volume, numbers(from_offsets, n, "an offset"),
    numbers(from_dimensions, n, "a dimension"),
    element)
  if not target_layout or not source_layout then return FAILURE end
  local elements = 1
  for _, count in ipairs(volume) do elements = elements * count end
  if elements == 0 then return SUCCESS end
  dst, src = dst + target_layout.first, src + source_layout.first
  need_memory(session, target, dst, target_layout.bytes, "OMP60-api-8")
  need_memory(session, source, src, source_layout.bytes, "OMP60-api-8")
  api_arguments.copying(session, target, source, volume[n] * element, "OMP60-api-8", function(copy)
    copy_rows(copy, volume, dst, src, target_layout.strides, source_layout.strides)
  end)
  notify_copy(session, target, dst, source, src, elements * element, "OMP60-api-8", at)
  return SUCCESS
end

-- Fills `count` bytes of memory with the byte `value` and returns the pointer. Device memory is filled by a copy from
-- the host. Raises for a null pointer and for memory that is not allocated. Decides OMP60-api-13.
function routines.omp_target_memset(session, at, pointer, value, count, device)
  local number = some_device(session, device)
  local address, t = address_of(session, pointer, at)
  local byte = string.char(integer(value, "the value") & 0xff)
  local n = size(count, "the number of bytes", "OMP60-api-13")
  local result = type(pointer) == "table" and pointer or pointer_to(session, number, address, t)
  if n == 0 then return result end
  if address == 0 then
    raise("null-pointer", nil, "a null pointer points to no memory to fill", { rule = "OMP60-api-13" })
  end
  need_memory(session, number, address, n, "OMP60-api-13")
  local source = number < session.devices and session:new_block(n, "") or address
  session.core.put(source, byte:rep(n))
  if source == address then return result end
  local ok, err = session.ctx:to_device(number, address, source, n)
  session:free(source)
  api_arguments.check_result(session, ok, err, "OMP60-api-13")
  session:notify_copy("h2d", number, address, n, "OMP60-api-13", at)
  return result
end

-- Adds the _async form of the routine `name`, which is the same function. Copies are complete when the routine returns,
-- so depend objects have no effect. Decides OMP60-api-9.
local function add_async(name) routines[name .. "_async"] = routines[name] end
add_async "omp_target_memcpy"
add_async "omp_target_memcpy_rect"
add_async "omp_target_memset"

-- ------------------------------------------------------------------------------------ associations --

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
local function name_of(session, address, bytes)
  local range, owner = session.ctx:host_at(address), session
  while owner.outer and not owner.program.blocks[range.host] do owner = owner.outer end
  local block = owner.program.blocks[range.host]
  local contents, offset = block and block.type, address - range.host
  local base = block and block.variable and block.name or holder_of(session, range.host)
  if not base or not contents then return api_arguments.range_name(session, address) end
  if block.variable and offset == 0 and bytes == block.bytes then return base end
  contents = types.element(contents)
  if not contents or contents.size == 0 or offset % contents.size ~= 0 or bytes % contents.size ~= 0 then
    return offset == 0 and base or ("%s+%d"):format(base, offset)
  end
  return ("%s[%d:%d]"):format(base, offset // contents.size, bytes // contents.size)
end

-- Associates device memory with host memory. Returns 0, also if this association exists already. Returns a nonzero
-- number for null pointers, for 0 bytes, for the host and unknown devices, or if other data are present at the host
-- address. Raises for memory that is not allocated. Decides OMP60-api-10.
function routines.omp_target_associate_ptr(session, at, host, dev, bytes, offset, device)
  local ctx, number = session.ctx, device_number(session, device)
  local address, target = address_of(session, host, at), address_of(session, dev, at)
  local n = size(bytes, "the number of bytes", "OMP60-api-10")
  offset = size(offset, "the offset", "OMP60-api-10")
  if not number or number == session.devices or address == 0 or target == 0 or n == 0 then return FAILURE end
  target = target + offset
  need_memory(session, session.devices, address, n, "OMP60-api-10")
  local object = ctx:present_at(number, address, false)
  if object then
    local offset_in_object = address - object.host
    return object.mapped and object.dev + offset_in_object == target and n <= object.bytes - offset_in_object
      and SUCCESS or FAILURE
  end
  need_memory(session, number, target, n, "OMP60-api-10")
  local name = type(host) == "string" and not host:find "%[" and host or name_of(session, address, n)
  local ok, err = ctx:map(number, address, target, n, api_arguments.label(session, name, at))
  if not ok and err.code == "already-present" then return FAILURE end
  api_arguments.check_result(session, ok, err, "OMP60-api-10")
  return SUCCESS
end

-- Errors of the core for which omp_target_disassociate_ptr returns failure: no association, or one in use.
local refused = { ["not-present"] = true, ["already-present"] = true, ["still-attached"] = true }

-- Ends the association of a host address on a device. Returns 0, or a nonzero number if no association of this address
-- can end. Decides OMP60-api-11.
function routines.omp_target_disassociate_ptr(session, at, host, device)
  local number, address = device_number(session, device), address_of(session, host, at)
  if not number or number == session.devices or address == 0 then return FAILURE end
  local ok, err = session.ctx:unmap(number, address)
  if not ok and refused[err.code] then return FAILURE end
  api_arguments.check_result(session, ok, err, "OMP60-api-11")
  return SUCCESS
end

return {
  routines = routines,
  -- Routines that a compute construct may call; all others are for the host only (OMP60-api-14).
  in_kernels = { omp_get_device_num = true, omp_is_initial_device = true },
  -- Routines that C expressions in bodies and clauses may call.
  text_routines = { omp_get_num_devices = true, omp_get_initial_device = true, omp_get_default_device = true,
    omp_get_device_num = true, omp_is_initial_device = true, omp_target_is_present = true,
    omp_target_is_accessible = true, omp_get_mapped_ptr = true },
  constants = { omp_initial_device = INITIAL_DEVICE, omp_invalid_device = INVALID_DEVICE },
}
