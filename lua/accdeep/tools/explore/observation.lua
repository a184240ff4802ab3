-- observation.lua - what of a program's state is compared with a runtime's: for each scalar of the observed objects its
-- value on the host and on the device.
--
-- The text of a value: a number; "-" absent, "~3" so many bytes present, "u" never written; a pointer as what it leads
-- to: "a+4" on the host, "@a+4" on the device, "null", "?" anything else. test_driver.lua has the same in C.

local types = require "accdeep.types"

local observation = {}

local MOST_LEAVES = 256

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

-- The blocks of a session's host memory, in the order in which they were made.
local function blocks_of(session)
  local list = {}
  for address, block in pairs(session.program.blocks) do
    if block.live and block.type then list[#list + 1] = { address = address, block = block } end
  end
  table.sort(list, function(a, b) return a.block.serial < b.block.serial end)
  return list
end

-- The observed objects of a session: {name, address, bytes, is_variable, leaves = {offset, bytes, kind, code}}. Memory
-- that alloc gave has the name that exported programs give it.
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

-- Parts of observed objects that are present: {object, host, device, bytes}.
local function runs_of(session, layout)
  local ctx, runs = session.ctx, {}
  for _, object in ipairs(layout) do
    for _, part in ipairs(ctx:present_in(0, object.address, object.bytes)) do
      local first = math.max(part.host, object.address)
      local last = math.min(part.host + part.bytes, object.address + object.bytes)
      local at, device = nil, ctx:deviceptr(0, first)
      for byte = first, last do -- bytes that a clause excludes are not present
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

local function host_name(layout, mark, value, behind)
  for _, object in ipairs(layout) do
    local offset = value - object.address
    if offset >= 0 and offset < object.bytes + behind then return ("%s%s+%d"):format(mark, object.name, offset) end
  end
  return nil
end

local function pointer_text(layout, runs, value, like)
  if value == 0 then return "null" end
  for _, run in ipairs(like and runs or {}) do
    local offset = like - run.object.address
    if offset >= 0 and offset <= run.object.bytes and value - run.device == like - run.host then
      local name = host_name(layout, "@", like, 0)
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

-- What bytes hold that were never written, as each kind of scalar.
local unwritten = { i = {}, f = {}, p = {} }
for bytes, format in pairs { "<i1", "<i2", [4] = "<i4", [8] = "<i8" } do
  local poison = ("\x7F"):rep(bytes)
  unwritten.i[bytes] = string.unpack(format, poison)
  unwritten.f[bytes] = bytes >= 4 and string.unpack(bytes == 4 and "<f" or "<d", poison) or nil
end
unwritten.u, unwritten.p[8] = {}, unwritten.i[8]
for bytes, value in pairs(unwritten.i) do unwritten.u[bytes] = bytes < 8 and value & ~(-1 << 8 * bytes) or value end

local function value_text(layout, runs, leaf, value, like)
  if value == unwritten[leaf.kind][leaf.bytes] then return "u" end
  if leaf.kind == "p" then return pointer_text(layout, runs, value, like) end
  if leaf.kind == "f" then return ((leaf.bytes == 4 and "%.9g" or "%.17g"):format(value)) end
  if value >= 0 then return ("%d"):format(value) end
  if leaf.kind == "i" then return ("%d"):format(value) end
  local tenth = (value >> 1) // 5 -- an unsigned number beyond Lua's integers
  return ("%d%d"):format(tenth, value - tenth * 10)
end

local function present_bytes(runs, first, bytes)
  local n = 0
  for _, run in ipairs(runs) do
    n = n + math.max(0, math.min(run.host + run.bytes, first + bytes) - math.max(run.host, first))
  end
  return n
end

-- The state of a session, as test_driver.lua prints it.
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
        local there = ctx:deviceptr(0, at)
        device[k] = value_text(layout, runs, leaf, ctx:device_read(0, there, leaf.code),
          leaf.kind == "p" and value or nil)
      end
    end
    parts[i] = ("%s: %s | %s"):format(object.name, table.concat(host, " "), table.concat(device, " "))
  end
  return table.concat(parts, "; ")
end

-- The parts of such a text: name -> { host = {values}, device = {values} }.
function observation.parse(text)
  local objects = {}
  for name, host, device in text:gmatch "([%w_]+): ([^|;]*) | ([^|;]*)" do
    local made = { host = {}, device = {} }
    for value in host:gmatch "%S+" do made.host[#made.host + 1] = value end
    for value in device:gmatch "%S+" do made.device[#made.device + 1] = value end
    objects[name] = made
  end
  return objects
end

-- A text that is the same for states of one session's program that go on in the same way: what is present, counters,
-- attached pointers.
function observation.key(session, layout, text)
  local ctx, parts = session.ctx, {}
  local function name(address) return host_name(layout, "", address, 0) or "?" end
  for _, object in ipairs(ctx:present(0)) do
    parts[#parts + 1] = ("%s %d %d %d"):format(name(object.host), object.bytes, object.structured, object.dynamic)
  end
  for _, attached in ipairs(ctx:attachments(0)) do
    parts[#parts + 1] = ("%s>%s %d"):format(name(attached.slot), name(attached.target), attached.count)
  end
  table.sort(parts) -- blocks of the host lie in any order
  return text .. ";" .. table.concat(parts, ";")
end

-- Whether two values may be the same. What was never written may be any value. reuses: the other device gives the
-- memory of what has left to new data, to which old pointers then point.
local function is_same(ours, theirs, reuses)
  if ours == theirs or ours == "u" or reuses and ours == "?" and theirs:find "^@" then return true end
  for one in ours:gmatch "@[^/]+" do
    for other in theirs:gmatch "@[^/]+" do
      if one == other then return true end
    end
  end
  return false
end

-- Where two states differ first: "host" or "device", what kind of difference, and a sentence; nil: nowhere.
function observation.difference(ours, theirs, reuses)
  local a, b = observation.parse(ours), observation.parse(theirs)
  for _, side in ipairs { "device", "host" } do
    for name in ours:gmatch "([%w_]+): " do
      for i, value in ipairs(a[name][side]) do
        local other = b[name] and b[name][side][i] or "nothing"
        if not is_same(value, other, reuses) then
          local is_absent = value:find "^[-~]" or other:find "^[-~]"
          local is_pointer = value:find "[+?n]" or other:find "[+?n]" -- "null"
          local kind = is_absent and "presence" or is_pointer and "pointer" or "value"
          return { side = side, kind = kind, object = name, scalar = i, ours = value, theirs = other }
        end
      end
    end
  end
  return nil
end

return observation
