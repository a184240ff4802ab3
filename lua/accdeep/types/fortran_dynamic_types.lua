-- fortran_dynamic_types.lua - dynamic types of polymorphic objects: their type records, and the relation "extends".
-- Type records are blocks of host memory to which the addenda of polymorphic descriptors point
-- (fortran_descriptor.lua).
--
-- A type record holds three words: its own size, the size of an object, the number of the type. Data clauses map it
-- like other data, and a kernel that inquires a dynamic type reads it on the device.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local types = require "accdeep.types"

local fortran_dynamic_types = {}

local WORD = 8
-- Size of a type record in bytes.
fortran_dynamic_types.BYTES = 3 * WORD
-- Offset of the type's number in its record.
local NUMBER = 2 * WORD

-- Number -> type. Weak: a type that nothing else uses is freed.
local numbered = setmetatable({}, { __mode = "v" })
local last = 0

-- Returns the number of a derived type; gives it one at the first call.
local function number_of(t)
  if not t.number then
    last = last + 1
    t.number, numbered[last] = last, t
  end
  return t.number
end

-- Returns the address of a type's record in the session's host memory; creates the record at the first call. Raises if
-- no memory is left.
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

-- Returns the address of a type's record as a descriptor in this memory space (host or a device) holds it. In device
-- memory, this is the address of the record's copy or, if the record is not present, its host address.
function fortran_dynamic_types.pointer(space, t)
  local address = fortran_dynamic_types.record(space.session, t)
  local dev = space.on_device and space.ctx:deviceptr(space.number, address) or 0
  return dev ~= 0 and dev or address
end

-- Returns the type whose record the pointer at pointer_address points to. low, high: bounds of the object that contains
-- the pointer, nil if unknown; frame.pos: position for errors. Raises if the pointer or the record cannot be read, or
-- has no type's number.
function fortran_dynamic_types.type(space, pointer_address, low, high, frame)
  local record, rlow, rhigh = space:load_pointer(pointer_address, low, high, frame)
  local t = numbered[space:load(record + NUMBER, core.scalar.i64, WORD, rlow, rhigh, frame)]
  return t or diagnostic.raise("type-mismatch", frame and frame.pos, "the descriptor points to no type")
end

-- Returns true if the derived type t is `ancestor`, or extends it directly or indirectly; false if t is nil.
function fortran_dynamic_types.extends(t, ancestor)
  while t and t ~= ancestor do t = t.parent end
  return t ~= nil
end

-- Returns the number of ancestors of a derived type: 0 if it does not extend another type.
function fortran_dynamic_types.depth(t)
  local n = 0
  while t.parent do n, t = n + 1, t.parent end
  return n
end

return fortran_dynamic_types
