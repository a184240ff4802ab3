-- fortran_dynamic_types.lua - dynamic types of polymorphic objects: records in host memory that the addenda of
-- descriptors point to, and which type extends which.
--
-- A record says how many bytes it has, how many an object of the type has, and which type it is. A data clause
-- maps it like other data; a kernel that asks for a dynamic type reads it there.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local types = require "accdeep.types"

local fortran_dynamic_types = {}

local WORD = 8
fortran_dynamic_types.BYTES = 3 * WORD -- of a record: its own size, that of an object, the type's number
local NUMBER = 2 * WORD

local numbered = setmetatable({}, { __mode = "v" }) -- number -> type
local last = 0

local function number_of(t)
  if not t.number then
    last = last + 1
    t.number, numbered[last] = last, t
  end
  return t.number
end

-- Address of the record of a type in a session's host memory.
function fortran_dynamic_types.record(session, t)
  local address = session.program.type_records[t]
  if not address then
    address = session:new_block(fortran_dynamic_types.BYTES, types.name(t))
    session.program.blocks[address].variable = true
    core.put(address, string.pack("<i8i8i8", fortran_dynamic_types.BYTES, t.size, number_of(t)))
    session.program.type_records[t] = address
  end
  return address
end

-- The same as a space's descriptors hold it: on the device its copy, if there is one.
function fortran_dynamic_types.pointer(space, t)
  local address = fortran_dynamic_types.record(space.session, t)
  local dev = space.on_device and space.ctx:deviceptr(space.number, address) or 0
  return dev ~= 0 and dev or address
end

-- The type that the pointer to a record points to, read as a kernel would read it.
function fortran_dynamic_types.type(space, slot, low, high, frame)
  local record, rlow, rhigh = space:load_pointer(slot, low, high, frame)
  local t = numbered[space:load(record + NUMBER, core.scalar.i64, WORD, rlow, rhigh, frame)]
  return t or diagnostic.raise("type-mismatch", frame and frame.pos, "the descriptor points to no type")
end

-- Whether a type is another one or extends it, at whatever distance.
function fortran_dynamic_types.extends(t, ancestor)
  while t and t ~= ancestor do t = t.parent end
  return t ~= nil
end

-- Generations from the root of the types it extends.
function fortran_dynamic_types.depth(t)
  local n = 0
  while t.parent do n, t = n + 1, t.parent end
  return n
end

return fortran_dynamic_types
