-- object.lua - objects of Fortran types in host memory: initialization, deep copies, release of memory that objects
-- own. Common arguments: t is the type of the object at `address`; frame.pos is the position for errors. A descriptor
-- (types/fortran_descriptor.lua) is the object of an allocatable or pointer: address, extents and type of its data.

local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local declare_allocatables = require "accdeep.backend.fortran.declare_allocatables"
local types = require "accdeep.types"

local raise = diagnostic.raise

local object = {}

-- True if objects of type t need initialization, because they contain descriptors or have default values. For a record,
-- the result is kept in t.starts.
local function has_start(t)
  if t.kind == "descriptor" then return true end
  if t.kind == "array" then return has_start(t.of) end
  if t.kind ~= "record" then return false end
  if t.starts == nil then
    t.starts = false
    for _, member in ipairs(t.members) do t.starts = t.starts or member.start ~= nil or has_start(member.type) end
  end
  return t.starts
end

-- Initializes the descriptors (to no data) and the default values of a new object of type t.
function object.initialize(session, t, address)
  if t.kind == "descriptor" then
    core.put(address, fortran_descriptor.pack(session, t, 0))
  elseif t.kind == "array" and has_start(t.of) then
    for i = 0, t.n - 1 do object.initialize(session, t.of, address + i * t.of.size) end
  elseif t.kind == "record" and has_start(t) then
    for _, member in ipairs(t.members) do
      object.initialize(session, member.type, address + member.offset)
      if member.start then member.start(session, address + member.offset) end
    end
  end
end

-- Returns the address of a new, initialized object of type t. name, pos: name and position of its memory block, for
-- errors.
function object.new(session, t, name, pos)
  local address = session:new_block(t.size, name, t, pos)
  core.put(address, ("\0"):rep(math.min(t.size, 1 << 20)))
  object.initialize(session, t, address)
  return address
end

-- Returns four values about the allocatable whose descriptor is at `address`: address of its elements, their number,
-- dims (the list of its dimensions), and dynamic type. Returns nil if it is not allocated.
local function allocated_elements(session, t, address, frame)
  local space = session.host_space
  local base = fortran_descriptor.base(space, address, nil, nil, frame)
  if base == 0 then return nil end
  local dims = fortran_descriptor.dims(space, t, address, nil, nil, frame)
  return base, fortran_descriptor.count(dims), dims, fortran_descriptor.type(space, t, address, nil, nil, frame)
end

-- Allocates and initializes elements for the descriptor at `address`, writes the descriptor, and returns the address of
-- the elements. dims: list of {lower, extent}; name: for errors; element_type: dynamic type, nil: the declared type.
-- Raises if the size is too large, or if the device copy of a declare directive cannot be created. Then nothing is
-- allocated.
function object.allocate(session, t, address, dims, name, frame, element_type)
  element_type = element_type or t.of
  local n = fortran_descriptor.count(dims)
  local size = element_type.size
  if n > 0 and size > (1 << 46) // n then
    raise("invalid-section", frame.pos, ("%s would be larger than any memory"):format(name))
  end
  local base = session:new_block(n * size, name, nil, frame.pos)
  if session.program.persistent then
    local ok, err = pcall(declare_allocatables.on_allocate, session, address, base, n * size, frame.pos)
    if not ok then
      session:free(base)
      error(err, 0)
    end
  end
  core.put(base, ("\0"):rep(math.min(n * size, 1 << 20)))
  if has_start(element_type) then
    for i = 0, n - 1 do object.initialize(session, element_type, base + i * size) end
  end
  fortran_descriptor.write(session.host_space, t, address, base, fortran_descriptor.pack_strides(element_type, dims),
    nil, nil, frame, element_type)
  return base
end

-- Releases the memory that n elements of type `element_type` at `base` own: their allocated components, recursively.
function object.release_elements(session, element_type, base, n, frame)
  if not has_start(element_type) then return end
  for i = 0, n - 1 do object.release(session, element_type, base + i * element_type.size, frame) end
end

-- Frees the n elements of type `element_type` at `base` that the descriptor at `address` describes, and clears the
-- descriptor. Raises, before anything is freed, if a data region holds the data of a declare directive.
function object.free(session, t, address, base, n, element_type, frame)
  if session.program.persistent then declare_allocatables.on_free(session, address, base, frame and frame.pos) end
  object.release_elements(session, element_type, base, n, frame)
  session:free(base, frame and frame.pos)
  core.put(address, fortran_descriptor.pack(session, t, 0))
end

-- Frees the memory that the object at `address` owns: its allocated components or, for an allocatable, its elements.
-- Does nothing for pointers, and for objects without such components.
function object.release(session, t, address, frame)
  if t.kind == "descriptor" and t.attribute == "allocatable" then
    local base, n, _, element_type = allocated_elements(session, t, address, frame)
    if base then object.free(session, t, address, base, n, element_type, frame) end
  elseif t.kind == "array" then
    object.release_elements(session, t.of, address, t.n, frame)
  elseif t.kind == "record" and has_start(t) then
    for _, member in ipairs(t.members) do
      object.release(session, member.type, address + member.offset, frame)
    end
  end
end

-- Assigns the object at `from` to the one at `to`, both of type t. Allocatable components are copied with their
-- contents; pointer components get the same target. Memory that the object at `to` owned is freed before.
function object.copy(session, t, to, from, frame)
  if to == from then return end
  if t.kind == "descriptor" and t.attribute == "allocatable" then
    object.release(session, t, to, frame)
    local base, n, dims, element_type = allocated_elements(session, t, from, frame)
    if not base then return end
    local copy = object.allocate(session, t, to, dims, types.name(element_type), frame, element_type)
    for i = 0, has_start(element_type) and n - 1 or -1 do
      object.copy(session, element_type, copy + i * element_type.size, base + i * element_type.size, frame)
    end
    if n > 0 and not has_start(element_type) then
      session.host_space:copy(copy, base, n * element_type.size, nil, nil, nil, nil, frame)
    end
  elseif t.kind == "array" and has_start(t.of) then
    for i = 0, t.n - 1 do object.copy(session, t.of, to + i * t.of.size, from + i * t.of.size, frame) end
  elseif t.kind == "record" and has_start(t) then
    for _, member in ipairs(t.members) do
      object.copy(session, member.type, to + member.offset, from + member.offset, frame)
    end
  else
    session.host_space:copy(to, from, t.size, nil, nil, nil, nil, frame)
  end
end

object.has_start, object.current_elements = has_start, allocated_elements

return object
