-- fortran_kernel.lua - bindings of Fortran variables in compute constructs, and the variables that statements use.
--
-- A kernel reads a descriptor (address, extents and type of the data of an allocatable or pointer) from device memory
-- if the descriptor is present there. For any other variable, it has a descriptor of its own, with the host's bounds
-- and the address of the data's device copy, as a compiler passes it. fortran_expression.lua describes bindings.

local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_view = require "accdeep.backend.fortran.fortran_view"
local memory_view = require "accdeep.backend.memory_view"

local fortran_kernel = {}

-- Returns a binding with a descriptor that the kernel owns. t: type of the variable; element_type: its dynamic type;
-- name: for errors. base: device address of the data; if it is 0, the variable is not allocated or not associated, and
-- using the binding raises. dims: list of its dimensions. low, high: bounds of the data, or a note in place of `low`
-- (memory_view.lua).
local function section_binding(session, t, element_type, name, base, dims, low, high)
  local binding = { type = t, dynamic = t.polymorphic and function() return element_type end, dope = function(f)
    if base == 0 then
      diagnostic.raise("null-pointer", f.pos, ("%s is not %s"):format(name, t.attribute == "pointer" and "associated"
        or "allocated"), { rule = memory_view.null_rule(session) })
    end
    return { address = base, low = low, high = high, of = element_type, dims = fortran_descriptor.copy_dims(dims) }
  end }
  function binding.view(space) return base ~= 0 and fortran_view.view_of_section(space, t, binding.dope {}) or nil end
  return binding
end

-- Returns five values from the descriptor of a variable on the host. The first three are the base address (0: no data),
-- dims (list of dimensions) and the dynamic type. Then follow the address of the first byte of the elements, and the
-- number of bytes from there to the end of the last one.
local function contents(session, variable)
  local space, t, address = session.host_space, variable.type, variable.address
  local base, element_type = fortran_descriptor.base(space, address), fortran_descriptor.type(space, t, address)
  local dims = fortran_descriptor.dims(space, t, address)
  return base, dims, element_type, fortran_descriptor.hull(base, element_type, dims)
end

-- Returns the address of the first present byte among the `bytes` bytes at a host address, by binary search; nil if no
-- byte is present.
local function first_present(ctx, device, address, bytes)
  if ctx:presence(device, address, bytes) == "absent" then return nil end
  -- The loop keeps this invariant: the first present byte is at one of the offsets from low to high.
  local low, high = 0, bytes - 1
  while low < high do
    local middle = low + (high - low) // 2
    if ctx:presence(device, address + low, middle - low + 1) == "absent" then low = middle + 1 else high = middle end
  end
  return address + low
end

-- Returns the binding of a variable that has a descriptor, for kernel `k`; k is nil when a script inspects the device.
-- start: host address of the section that a clause names, or nil. If no data are present, accesses through the binding
-- raise. Decides FLANG-storage-3.
function fortran_kernel.binding(session, k, variable, start)
  local ctx, device = session.ctx, session.now.device
  local t, address, name = variable.type, variable.address, variable.name
  local dev = ctx:deviceptr(device, address)
  if t.attribute ~= "other" and dev ~= 0 and ctx:presence(device, address, t.size) == "wholly" then
    return { type = t, target = true, lvalue = function() return dev, dev, dev + t.size end }
  end
  local base, dims, element_type, first, bytes = contents(session, variable)
  -- If only an attach clause names the variable, its data are not looked up, so that an access raises: its descriptor
  -- should have been present (FLANG-storage-3).
  local attached = k and k.plan.attached[name]
  local on_device, low, high = base, { name = name }, nil
  if base ~= 0 and bytes > 0 and not attached then
    -- Data that are partly present are in pieces, several objects, which each access looks up. Only a script may use
    -- them.
    if not k and ctx:presence(device, first, bytes) == "partly" then
      low.pieces = true
    else
      local is_start_present = start and start >= first and start < first + bytes and ctx:deviceptr(device, start) ~= 0
      local from = is_start_present and start or first_present(ctx, device, first, bytes)
      if from then
        local device_start = ctx:deviceptr(device, from)
        on_device = base + (device_start - from)
        low, high = ctx:device_bounds(device, device_start)
      end
    end
  end
  return section_binding(session, t, element_type, name, on_device, dims, low, high)
end

-- Returns the binding of a variable in use_device: the host program can pass the device address of the data on, but not
-- access them. The binding's field `host` is the host address of the data. If the data are absent on the device or not
-- allocated, using the binding raises.
function fortran_kernel.use_device(session, variable)
  local base, dims, element_type, first = contents(session, variable)
  local dev = base ~= 0 and session.ctx:deviceptr(session.now.device, first) or 0
  local low, high = session.ctx:device_bounds(session.now.device, dev)
  local binding = section_binding(session, variable.type, element_type, variable.name, base - first + dev, dims,
    low, high)
  binding.host = first
  return binding
end

-- Returns the binding of a private copy of the data of an allocatable or pointer in kernel `k`. sharing: "private", or
-- "firstprivate", which also copies the host's values. A variable that is not allocated gets its ordinary binding.
-- Raises if copying the values fails.
function fortran_kernel.private_copy(k, variable, sharing)
  local session = k.session
  local base, dims, element_type, first, bytes = contents(session, variable)
  if base == 0 then return fortran_kernel.binding(session, k, variable) end
  local address = k:memory(math.max(bytes, 1), variable.name, true)
  if sharing == "firstprivate" then session:check_result(session.ctx:to_device(k.device, address, first, bytes)) end
  return section_binding(session, variable.type, element_type, variable.name, base - first + address, dims, address,
    address + bytes)
end

-- Fields of an AST node that contain a node, and fields that contain a list of nodes.
local keys = { "to", "e", "a", "b", "c", "target", "first", "last", "step", "base", "mask", "re", "im" }
local lists = { "list", "args", "body", "cases" }

-- Returns the program's variables that the statements in `list` use, in the order of their first use, for the implicit
-- data rules. Each is {name, pos, in_text, reduced?}; reduced is true if a loop reduces the variable. Private variables
-- of loops are not included.
function fortran_kernel.references(session, list)
  local by_name, names = {}, {}
  local function use(name, pos, private_names)
    local variable = session.now.scope.variables[name]
    if private_names[name] or not variable or variable.constant_value then return nil end
    if not by_name[name] then
      by_name[name] = { name = name, pos = pos, in_text = true }
      names[#names + 1] = by_name[name]
    end
    return by_name[name]
  end
  local function nested_scope(node, private_names)
    local inner = setmetatable({}, { __index = private_names })
    for _, copy in ipairs(node.acc.copies) do
      if not copy.op then inner[copy.name] = true end
      local reduced = copy.op and use(copy.name, copy.pos, private_names)
      if reduced then reduced.reduced = true end
    end
    return inner
  end
  local function visit(node, private_names)
    if node.tag == "id" or node.tag == "do" or node.tag == "implied" then use(node.name, node.pos, private_names) end
    if node.acc and node.acc.copies then private_names = nested_scope(node, private_names) end
    for _, key in ipairs(keys) do
      local child = node[key]
      if type(child) == "table" then visit(child, private_names) end
    end
    for _, key in ipairs(lists) do
      for _, child in ipairs(type(node[key]) == "table" and node[key] or {}) do visit(child, private_names) end
    end
  end
  for _, node in ipairs(list) do visit(node, {}) end
  return names
end

return fortran_kernel
