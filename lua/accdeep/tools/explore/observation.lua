-- observation.lua - the state that is compared with a real runtime: for each scalar of the observed objects, its
-- value on the host and on the device.
--
-- Texts of a value. A number is decimal. "-": absent. "~3": 3 bytes are present. "u": never written. "a+4": a pointer
-- to byte 4 of the host's a. "@a+4": a pointer to byte 4 of the device copy of a. "null": a null pointer. "?": any
-- other pointer. The C program of test_driver.lua prints the same texts for the real runtime; oracle_comparison.lua
-- compares both.

local types = require "accdeep.types"

local observation = {}

-- Largest number of scalars of one observed object.
local MOST_LEAVES = 256

-- Appends the scalars of type `t` at byte `offset` to `list` as {offset, bytes, kind, code}. `kind`: "p" pointer, "f"
-- floating point, "u" unsigned, "i" signed integer. `code`: the core's code of the scalar type. Raises if the list has
-- more than MOST_LEAVES entries.
local function add_leaves(list, t, offset)
  if t.kind == "array" then
    for i = 0, t.n - 1 do add_leaves(list, t.of, offset + i * t.of.size) end
  elseif types.is_record(t) then
    for _, member in ipairs(t.members) do add_leaves(list, member.type, offset + member.offset) end
  else
    local kind = t.kind == "pointer" and "p" or t.float and "f" or t.signed == false and "u" or "i"
    list[#list + 1] = { offset = offset, bytes = t.size, kind = kind, code = t.code }
  end
  if #list > MOST_LEAVES then error(("an observed object has more than %d scalars"):format(MOST_LEAVES), 0) end
end

-- Returns the blocks (variables and allocations) of a session's host memory that are not freed and have a type, as
-- {address, block}, in the order of their creation.
local function blocks_of(session)
  local list = {}
  for address, block in pairs(session.program.blocks) do
    if block.live and block.type then list[#list + 1] = { address = address, block = block } end
  end
  table.sort(list, function(a, b) return a.block.serial < b.block.serial end)
  return list
end

-- Returns the observed objects: a list of {name, address, bytes, is_variable, leaves}. `leaves` are the object's
-- scalars: {offset, bytes, kind, code} (add_leaves). Blocks without a variable get the names that exported programs
-- give them (block_1, ...).
function observation.layout(session)
  local layout, n = {}, 0
  for i, entry in ipairs(blocks_of(session)) do
    local block, name = entry.block, entry.block.name
    if not block.variable then
      n = n + 1
      name = ("block_%d"):format(n)
    end
    layout[i] = { name = name, address = entry.address, bytes = block.type.size, is_variable = block.variable and true,
      leaves = {} }
    add_leaves(layout[i].leaves, block.type, 0)
  end
  return layout
end

-- Returns the maximal byte ranges of observed objects that are present on device 0: {object, host, device, bytes};
-- `host` and `device` are addresses.
local function runs_of(session, layout)
  local ctx, runs = session.ctx, {}
  for _, object in ipairs(layout) do
    for _, part in ipairs(ctx:present_in(0, object.address, object.bytes)) do
      local first = math.max(part.host, object.address)
      local last = math.min(part.host + part.bytes, object.address + object.bytes)
      local at, device = nil, ctx:deviceptr(0, first)
      -- Excluded members lie in a present range, but have no copy on the device; they divide the range.
      for byte = first, last do
        local is_there = byte < last and not ctx:excluded_at(0, byte)
        if is_there and not at then at = byte end
        if not is_there and at then
          runs[#runs + 1] = { object = object, host = at, device = device + (at - first), bytes = byte - at }
          at = nil
        end
      end
    end
  end
  return runs
end

-- Returns the text "NAME+OFFSET" for the host address `value`, after the prefix `mark`; nil if the address is in no
-- observed object. `tail_bytes`: bytes after the end of an object that still count as part of it.
local function host_name(layout, mark, value, tail_bytes)
  for _, object in ipairs(layout) do
    local offset = value - object.address
    if offset >= 0 and offset < object.bytes + tail_bytes then return ("%s%s+%d"):format(mark, object.name, offset) end
  end
  return nil
end

-- Returns the text of the pointer `value`. `runs`: result of runs_of. `host_pointer`: if `value` is read on the device,
-- the pointer that the host holds in the same scalar; otherwise nil. A device address may match several objects; their
-- texts are then joined by "/".
local function pointer_text(layout, runs, value, host_pointer)
  if value == 0 then return "null" end
  for _, run in ipairs(host_pointer and runs or {}) do
    local offset = host_pointer - run.object.address
    if offset >= 0 and offset <= run.object.bytes and value - run.device == host_pointer - run.host then
      local name = host_name(layout, "@", host_pointer, 0)
      if name then return name end
    end
  end
  local name = host_name(layout, "", value, 0) or host_name(layout, "", value, 1)
  if name then return name end
  local names = {}
  for _, run in ipairs(runs) do
    local offset = value - run.device + run.host - run.object.address
    if offset >= 0 and offset <= run.object.bytes then
      names[#names + 1] = ("@%s+%d"):format(run.object.name, offset)
    end
  end
  return names[1] and table.concat(names, "/") or "?"
end

-- Values of scalars that were never written, by kind and size in bytes: new device memory is filled with the byte 0x7F.
-- Which bytes were written is not recorded, since kernels write device memory directly. Therefore a scalar that a
-- program sets to this value, such as 127 in a char, counts as never written: no difference of it is reported.
local unwritten = { i = {}, f = {}, p = {} }
for bytes, format in pairs { "<i1", "<i2", [4] = "<i4", [8] = "<i8" } do
  local poison = ("\x7F"):rep(bytes)
  unwritten.i[bytes] = string.unpack(format, poison)
  unwritten.f[bytes] = bytes >= 4 and string.unpack(bytes == 4 and "<f" or "<d", poison) or nil
end
unwritten.u, unwritten.p[8] = {}, unwritten.i[8]
for bytes, value in pairs(unwritten.i) do unwritten.u[bytes] = bytes < 8 and value & ~(-1 << 8 * bytes) or value end

-- Returns the text of the scalar `leaf` (add_leaves) whose value is `value`. `runs`: result of runs_of. `host_pointer`:
-- the host's value of the same pointer if `value` is the device's, otherwise nil.
local function value_text(layout, runs, leaf, value, host_pointer)
  if value == unwritten[leaf.kind][leaf.bytes] then return "u" end
  if leaf.kind == "p" then return pointer_text(layout, runs, value, host_pointer) end
  if leaf.kind == "f" then return ((leaf.bytes == 4 and "%.9g" or "%.17g"):format(value)) end
  if value >= 0 then return ("%d"):format(value) end
  if leaf.kind == "i" then return ("%d"):format(value) end
  -- The value is an unsigned number that exceeds Lua's integers: format its last digit separately.
  local tenth = (value >> 1) // 5
  return ("%d%d"):format(tenth, value - tenth * 10)
end

-- Returns how many of the `bytes` bytes from the host address `first` on are present, given the present ranges `runs`.
local function present_bytes(runs, first, bytes)
  local n = 0
  for _, run in ipairs(runs) do
    n = n + math.max(0, math.min(run.host + run.bytes, first + bytes) - math.max(run.host, first))
  end
  return n
end

-- Returns the state of a session as a text, in the format that test_driver.lua prints. `layout`: the observed objects.
function observation.text(session, layout)
  local ctx, runs, parts = session.ctx, runs_of(session, layout), {}
  for i, object in ipairs(layout) do
    local host, device = {}, {}
    for k, leaf in ipairs(object.leaves) do
      local at = object.address + leaf.offset
      local value = ctx:host_read(at, leaf.code)
      host[k] = value_text(layout, runs, leaf, value)
      local present = present_bytes(runs, at, leaf.bytes)
      if present == 0 then
        device[k] = "-"
      elseif present < leaf.bytes then
        device[k] = "~" .. present
      else
        local device_address = ctx:deviceptr(0, at)
        device[k] = value_text(layout, runs, leaf, ctx:device_read(0, device_address, leaf.code),
          leaf.kind == "p" and value or nil)
      end
    end
    parts[i] = ("%s: %s | %s"):format(object.name, table.concat(host, " "), table.concat(device, " "))
  end
  return table.concat(parts, "; ")
end

-- Parses the text of a state. Returns a table from object name to {host, device}, two lists of value texts.
function observation.parse(text)
  local objects = {}
  for name, host, device in text:gmatch "([%w_]+): ([^|;]*) | ([^|;]*)" do
    local values = { host = {}, device = {} }
    for value in host:gmatch "%S+" do values.host[#values.host + 1] = value end
    for value in device:gmatch "%S+" do values.device[#values.device + 1] = value end
    objects[name] = values
  end
  return objects
end

-- Returns a key for a state: `text` (observation.text), extended by the present table with its counters and by the
-- attached pointers. In one session, programs that reach equal keys behave equally afterwards.
function observation.key(session, layout, text)
  local ctx, parts = session.ctx, {}
  -- Returns the name of a host address, which is equal in all runs.
  local function name(address) return host_name(layout, "", address, 0) or "?" end
  for _, object in ipairs(ctx:present(0)) do
    parts[#parts + 1] = ("%s %d %d %d"):format(name(object.host), object.bytes, object.structured, object.dynamic)
  end
  for _, attached in ipairs(ctx:attachments(0)) do
    parts[#parts + 1] = ("%s>%s %d"):format(name(attached.slot), name(attached.target), attached.count)
  end
  -- Blocks are at different addresses in each run, therefore their order in the table is arbitrary.
  table.sort(parts)
  return text .. ";" .. table.concat(parts, ";")
end

-- Returns a true value if the value texts `ours` (accdeep's) and `theirs` (the runtime's) can denote equal values. A
-- value of accdeep's that was never written equals any value. `reuses`: the runtime may give freed device memory to new
-- data, so that dangling pointers point into new data.
local function is_same(ours, theirs, reuses)
  if ours == theirs or ours == "u" or reuses and ours == "?" and theirs:find "^@" then return true end
  for our_name in ours:gmatch "@[^/]+" do
    for their_name in theirs:gmatch "@[^/]+" do
      if our_name == their_name then return true end
    end
  end
  return false
end

-- Returns the first difference of two state texts, device before host: {side, kind, object, scalar, ours, theirs}.
-- Returns nil if all values can be equal (is_same). `side`: "host" or "device"; `kind`: "presence", "pointer" or
-- "value". `scalar`: index of the scalar in the object. `reuses`: see is_same.
function observation.difference(ours, theirs, reuses)
  local a, b = observation.parse(ours), observation.parse(theirs)
  for _, side in ipairs { "device", "host" } do
    for name in ours:gmatch "([%w_]+): " do
      for i, value in ipairs(a[name][side]) do
        local other = b[name] and b[name][side][i] or "nothing"
        if not is_same(value, other, reuses) then
          local is_absent = value:find "^[-~]" or other:find "^[-~]"
          local is_pointer = value:find "[+?n]" or other:find "[+?n]" -- the letter n is that of "null"
          local kind = is_absent and "presence" or is_pointer and "pointer" or "value"
          return { side = side, kind = kind, object = name, scalar = i, ours = value, theirs = other }
        end
      end
    end
  end
  return nil
end

return observation
