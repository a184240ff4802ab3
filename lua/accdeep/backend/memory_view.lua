-- memory_view.lua - memory as scenarios and kernels access it: host and device spaces with checks that hardware does
-- not make, and views of objects for Lua.
--
-- A space (Host or Device) loads, stores and copies. An invalid access raises an error; `classify` finds out the reason
-- and raises. Arguments of every access:
--   address     host address or device address, by the space; size: number of bytes.
--   low, high   bounds of the object that contains the address; nil: unknown, then the tables of the core are asked.
--   low = note  a table in place of bounds: the pointer cannot be followed. The note's fields give the reason:
--               name, excluded, unmapped, unmatched, attached, clause. With `pieces`, the data are present in pieces:
--               as several objects, each at a device address of its own.
--   frame       table of the running code; frame.pos is the position of the access in the text. nil: unknown.
--
-- A view is a table with a location {space, type, address, low, high} under a private key. Scenarios access memory
-- through views: members of a structure are fields; elements of arrays and of pointers' targets have indices from 0.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local scoped_names = require "accdeep.types.scoped_names"
local profiles = require "accdeep.definitions.profiles"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local strings = require "accdeep.base.strings"
local types = require "accdeep.types"

local memory_view = {}

local POINTER_SIZE = 8

-- --------------------------------------------------------------------------------- host space --

-- Classes of memory spaces, with the methods load, store, copy, check and classify.
local Host, Device = {}, {}
Host.__index, Device.__index = Host, Device
memory_view.Device = Device

-- Returns the rule that says the same as the rule `id` in the documents of the session's profile; both are identifiers.
local function applicable_rule(session, id) return profiles.applicable_rule(id, session.rules.documents) end

-- Rules to cite for a pointer that cannot be followed on a device, by document. One table for each state of the
-- pointer: null; never attached; detached; attached and then overwritten.
local NULL = { TR14 = "TR14-4.3-15", FLANG = "FLANG-pointer-2", ACC33 = "ACC33-att-6", OMPEX = "OMPEX-struct_map-6" }
local NEVER_ATTACHED = { TR14 = "TR14-1.1-02", FLANG = "FLANG-storage-3", ACC33 = "ACC33-att-6",
  OMPEX = "OMPEX-struct_map-8" }
local DETACHED = { TR14 = "TR14-1.1-02", FLANG = "FLANG-pointer-6", ACC33 = "ACC33-att-6",
  OMPEX = "OMPEX-struct_map-8" }
local OVERWRITTEN = { TR14 = "TR14-4.1-07", ACC33 = "ACC33-att-8", OMPEX = "OMPEX-struct_map-8" }

-- Returns the identifier of the rule of `ids` that applies. `ids`: rule identifiers by document. In a kernel of an
-- OpenMP construct the document is OMPEX, otherwise the documents of the session's profile decide.
local function rule_of_documents(session, ids)
  local openmp = session.now.kernel and session.now.kernel.plan.openmp
  return profiles.decides(ids, openmp and "OMPEX" or session.rules.documents, session.language.pointers)
end

-- Returns the identifier of the rule about null pointers on a device.
function memory_view.null_rule(session) return rule_of_documents(session, NULL) end

-- Raises an error at the frame's position, or without a position if `frame` is nil. code: the error's code; fields:
-- table of rule, objects, help and cause, each optional.
local function fail(frame, code, message, fields)
  diagnostic.raise(code, frame and frame.pos, message, fields)
end

-- Raises the error `err`, which the core returned: {code, message, rule, asked, other, cause}. asked, other: the
-- objects that the error is about.
local function fail_core(frame, err)
  fail(frame, err.code, err.message, { rule = err.rule, objects = { err.asked, err.other },
    cause = err.cause })
end

-- Returns a new memory space of the host, for the session's accesses.
function memory_view.host(session)
  return setmetatable({ session = session, ctx = session.ctx }, Host)
end

-- Returns a new memory space of device `number`. Its field `private` is for pointers whose targets are private copies:
-- device address of the pointer -> {value, low, high}.
function memory_view.device(session, number)
  return setmetatable({ session = session, ctx = session.ctx, number = number, on_device = true, private = {} }, Device)
end

-- Returns a space for device pointers that the host program holds, in which an access outside of kernels raises. space:
-- the memory space of the device, whose data it shares.
function memory_view.device_pointer_space(space)
  return setmetatable({ session = space.session, ctx = space.ctx, number = space.number, on_device = true,
    private = space.private, handed_out = true }, Device)
end

-- Always raises: the error that explains why `size` bytes at a host address cannot be accessed. Decides TR14-1.1-02.
function Host:classify(address, size, frame)
  local ctx = self.ctx
  if address >= 0 and address < 4096 then
    fail(frame, "null-pointer", "a null pointer is followed", { rule = "ACC33-2.7-2" })
  end
  local device = ctx:device_of(address)
  if device >= 0 then
    local object = ctx:present_at(device, address, true)
    fail(frame, "device-pointer-on-host",
      ("the host follows an address of device %d"):format(device),
      { rule = "TR14-1.1-02", objects = { object }, help = object and
        "read it in a compute construct, or update self first" })
  end
  local range = ctx:host_at(address)
  if range and not range.live then
    fail(frame, "out-of-bounds", ("%s was freed"):format(range.name ~= "" and range.name or "the memory"),
      { rule = "ACC33-2.7.1-1", objects = { range } })
  end
  local nearest = range or ctx:host_at(address - 1) or ctx:host_at(address - size)
  fail(frame, "out-of-bounds", nearest
    and ("%s at offset %d of %s, which has %s"):format(strings.count(size, "byte"), address - nearest.host,
      nearest.name ~= "" and nearest.name or "a block", strings.count(nearest.bytes, "byte"))
    or "the address is in no memory of the host program",
    { rule = "ACC33-2.7.1-1", objects = { nearest } })
end

-- Raises if `low` is a note, or if an access exceeds the bounds low, high. Without bounds (nil) the function does
-- nothing: the core then checks the address when it reads or writes.
function Host:check(address, size, low, high, frame)
  if type(low) == "table" then self:classify(address, size, frame) end
  if low and (address < low or address + size > high) then
    local range = self.ctx:host_at(low)
    fail(frame, "out-of-bounds", ("%s at offset %d of %s, which has %s"):format(strings.count(size, "byte"),
      address - low, range and range.name ~= "" and range.name or "an object", strings.count(high - low, "byte")),
      { rule = "ACC33-2.7.1-1", objects = { range } })
  end
end

-- Returns the number at a host address. code: the core's code of the scalar type. Raises if the access is invalid.
function Host:load(address, code, size, low, high, frame)
  if low then self:check(address, size, low, high, frame) end
  local value = self.ctx:host_read(address, code)
  if value == nil then self:classify(address, size, frame) end
  return value
end

-- Stores a number at a host address. code: the core's code of the scalar type. Raises if the access is invalid.
function Host:store(address, code, size, value, low, high, frame)
  if low then self:check(address, size, low, high, frame) end
  if not self.ctx:host_write(address, code, value) then self:classify(address, size, frame) end
end

-- Returns `value`: host pointers need no translation, unlike those of Device:translate_pointer.
function Host:translate_pointer(value) return value end

-- Returns the pointer at a host address, and the bounds of its target's object (nil if it points to none). Raises if
-- the pointer cannot be read.
function Host:load_pointer(address, low, high, frame)
  local value = self:load(address, core.scalar.pointer, POINTER_SIZE, low, high, frame)
  return value, self.ctx:host_bounds(value)
end

-- Copies `size` bytes from one host object to another. low, high: bounds of the target; slow, shigh: of the source.
-- Raises if either access is invalid.
function Host:copy(to, from, size, low, high, slow, shigh, frame)
  self:check(to, size, low, high, frame)
  self:check(from, size, slow, shigh, frame)
  local a, b = self.ctx:host_bounds(to)
  local c, d = self.ctx:host_bounds(from)
  if not a or to + size > b then self:classify(to, size, frame) end
  if not c or from + size > d then self:classify(from, size, frame) end
  core.put(to, core.get(from, size))
end

-- Raises the error `message`, about an index out of the bounds of the object at `address`.
function Host:out_of_bounds(address, message, frame)
  local range = self.ctx:host_at(address)
  fail(frame, "out-of-bounds", message, { rule = "ACC33-2.7.1-1", objects = { range } })
end

-- Returns the address of new memory for a private variable of the current kernel. name: the variable, for errors.
function Host:local_memory(size, name)
  return self.session:kernel_memory(size, name)
end

-- -------------------------------------------------------------------------------- device space --

-- Returns the text of a section of the pointer `name` (nil: p), in the language of the program, for helps. least: true
-- for the smallest section that can be mapped, otherwise an example of any section.
local function section_text(session, name, least)
  return session.language[least and "least_section" or "some_section"]:format(name or "p")
end

-- Always raises: the error that explains why the device cannot access memory at `address`, the pointer's value. low:
-- the pointer's note; other values are ignored. Decides TR14-1.1-02, FLANG-pointer-6, OMPEX-struct_map-6,
-- OMPEX-struct_map-7.
function Device:classify(address, low, frame)
  local ctx, note = self.ctx, type(low) == "table" and low or {}
  local name = note.name and ("the pointer %s"):format(note.name) or "the pointer"
  if note.excluded then
    fail(frame, "excluded-member",
      ("%s was not followed when %s was mapped: its target is not available on device %d"):format(name,
        note.object or "its structure", self.number),
      { rule = applicable_rule(self.session, "TR14-3.1.1-14"), objects = { note.info },
        help = "include the member in the shape, or name it in a data clause" })
  end
  if note.unmapped then
    fail(frame, "out-of-bounds", ("%s points to data that are not present on device %d any more"):format(name,
      self.number), { rule = self.session.rules.is_openmp and "OMP60-map-7" or "TR14-1.2-10",
        help = "what it was attached to was unmapped; map it again: " .. section_text(self.session, note.name) })
  end
  local openmp = self.session.now.kernel and self.session.now.kernel.plan.openmp
  if note.unmatched then
    fail(frame, "null-pointer", ("%s is null on device %d: what it points to on the host is not present"):format(name,
      self.number), { rule = "OMP60-map-10", help = note.record
        and ("map the structure, %s[:1], or the members used on this construct, %s->..."):format(note.name, note.name)
        or "map a section of it: " .. section_text(self.session, note.name) })
  elseif address >= 0 and address < 4096 then
    fail(frame, "null-pointer", ("%s is null on device %d"):format(name, self.number),
      { rule = memory_view.null_rule(self.session) })
  end
  local target = ctx:present_at(self.number, address, false)
  local help = note.name and "map its target by a section: " .. section_text(self.session, note.name)
    or "map its target by a section of the pointer"
  if note.clause then
    help = ("%s(%s) keeps the value: without the clause it points to what is present there"):format(note.clause,
      note.name)
  elseif target and openmp and self.session.rules.attach == "every" then
    help = ("its target is present, but a pointer is attached only where it is mapped and a section of it, %s[:0] at "
      .. "least, is"):format(note.name or "of it")
  elseif target and openmp then
    help = ("its target is present, but a pointer is attached only where a section of it, %s at least, is mapped "
      .. "while the pointer or the section is new"):format(section_text(self.session, note.name, true))
  elseif target then
    help = ("its target, %s, is present: attach the pointer, or map it by a section of it"):format(target.name)
  end
  local why, ids = "it was never attached", NEVER_ATTACHED
  if note.attached then
    why, ids = "it was attached, and then overwritten", OVERWRITTEN
    help = "detach the pointer before a transfer overwrites it, and attach it afterwards"
  elseif self.session.device_side.has_detached then
    why, ids = "it is not attached", DETACHED
  end
  fail(frame, "host-pointer-on-device", ("%s holds a host address on device %d: %s"):format(name, self.number, why),
    { rule = rule_of_documents(self.session, ids), objects = { target, note.info }, help = help })
end

-- Returns the name of what is at a host address in data that are present in pieces (as several objects), for errors;
-- nil if the name cannot be determined. low: the pointer's note; its `type`, if known, is the type of the data.
local function name_of_piece(low, address)
  local t, offset = low.type, address - (low.host or 0)
  if t then return low.name .. types.path(t, offset) end
  local to = low.pointer and low.pointer.to
  if not to or not to.size or to.size == 0 then return nil end
  local path = types.path(to, offset % to.size)
  if offset // to.size == 0 and path:sub(1, 1) == "." then return ("%s->%s"):format(low.name, path:sub(2)) end
  return ("%s[%d]%s"):format(low.name, offset // to.size, path)
end

-- Returns the device address of a host range in data that are present in pieces (as several objects). note: the
-- pointer's note; its `present` lists the objects that were present when the kernel was queued, nil: the present table
-- is asked. address, size: the host range. Returns 0 if the range is not wholly in one object.
function Device:piece(note, address, size)
  -- A queued kernel finds the objects that were present when it was queued.
  for _, object in ipairs(note.present or {}) do
    local into = address - object.host
    if into >= 0 and into + size <= object.bytes then return object.dev + into end
  end
  if note.present or self.ctx:presence(self.number, address, size) ~= "wholly" then return 0 end
  return self.ctx:deviceptr(self.number, address)
end

-- Returns help for an access at offset `into`, beyond the end of the present object `object`. The help explains that
-- parts of an array that were mapped separately are not adjacent on the device. Returns nil if the accessed element is
-- not present as another part of the same array.
function Device:explain_split_object(object, into)
  local other = object and self.ctx:present_at(self.number, object.host + into, false)
  local function array_of(name) return name:match "^(.*)%b[]$" or name:match "^(.*)%b()$" end
  local array = other and array_of(other.name)
  if not array or other.host == object.host or array ~= array_of(object.name) then return nil end
  return ("%s is present as an object of its own, elsewhere on the device: map both by one section"):format(other.name)
end

-- Checks an access and returns its device address. For data in pieces, `address` is a host address, and the result is
-- the address in the piece that contains it; otherwise the result is `address`. Raises if the access is invalid.
function Device:check(address, size, low, high, frame)
  if self.handed_out and not self.session.now.kernel then
    fail(frame, "device-pointer-on-host", ("the host follows an address of device %d"):format(self.number),
      { rule = "TR14-1.1-02", objects = { (self.ctx:present_at(self.number, address, true)) },
        help = "read it in a compute construct, or update self first" })
  end
  if type(low) == "table" and low.pieces then
    local piece_address = self:piece(low, address, size)
    if piece_address == 0 then
      local name = name_of_piece(low, address) or "this part of " .. low.name
      fail(frame, "not-present", ("%s is not present on device %d"):format(name, self.number),
        { rule = "ACC33-2.6.7-1", objects = { (self.ctx:present_at(self.number, address, false)) } })
    end
    return piece_address
  end
  if type(low) == "table" then self:classify(address, low, frame) end
  if not low then
    low, high = self.ctx:device_bounds(self.number, address)
    if not low then
      if self.ctx:device_of(address) ~= self.number then self:classify(address, nil, frame) end
      -- The address is in memory of acc_malloc, or invalid; the core reports an invalid one when it reads or writes.
      return address
    end
  end
  if address < low or address + size > high then
    local object = self.ctx:present_at(self.number, low, true)
    local name = object and object.name ~= "" and object.name or "an object"
    if object and object.bytes < high - low then name = "what " .. name .. " was fused into" end
    fail(frame, "out-of-bounds", ("%s at offset %d of %s, which has %s on device %d"):format(
      strings.count(size, "byte"), address - low, name, strings.count(high - low, "byte"), self.number),
      { rule = applicable_rule(self.session, "TR14-1.2-10"), objects = { object },
      help = self:explain_split_object(object, address - low) })
  end
  return address
end

-- Returns what device memory gets when the pointer `value` is stored. low: the pointer's bounds or note. If its data
-- are present in pieces, the result is the device address of the piece that contains the target; otherwise it is
-- `value`.
function Device:translate_pointer(value, low)
  local piece_address = type(low) == "table" and low.pieces and self:piece(low, value, 1) or 0
  return piece_address ~= 0 and piece_address or value
end

-- Returns the number at a device address. code: the core's code of the scalar type. Raises if the access is invalid.
function Device:load(address, code, size, low, high, frame)
  address = self:check(address, size, low, high, frame)
  local value, err = self.ctx:device_read(self.number, address, code)
  if value == nil then fail_core(frame, err) end
  return value
end

-- Stores a number at a device address. code: the core's code of the scalar type. Raises if the access is invalid.
function Device:store(address, code, size, value, low, high, frame)
  address = self:check(address, size, low, high, frame)
  local ok, err = self.ctx:device_write(self.number, address, code, value)
  if not ok then fail_core(frame, err) end
end

-- Loads the pointer at a device address and returns it with the bounds of its target. A pointer that is not attached
-- may have been written by a kernel; then the object to which it points gives the bounds. If the pointer cannot be
-- followed, the second result is a note with the reason. Raises if the pointer itself cannot be read.
function Device:load_pointer(address, low, high, frame)
  address = self:check(address, POINTER_SIZE, low, high, frame)
  local ctx, number = self.ctx, self.number
  local value, from, to = ctx:device_pointer(number, address)
  if value == nil then fail_core(frame, from) end
  if from and from < to then return value, from, to end
  -- A pointer to a private copy may point below the first byte of its section, so its value alone does not give the
  -- bounds.
  local private = self.private[address]
  if private and private.value == value then return value, private.low, private.high end
  local holder = ctx:present_at(number, address, true)
  local attached = holder and ctx:attachment_at(number, holder.host + (address - holder.dev))
  -- The target was unmapped while the pointer was attached: the note says so.
  if attached and attached.low == 0 and attached.dev == value then
    return value, { name = attached.name, unmapped = true }
  end
  if ctx:device_of(value) == number then return value, ctx:device_bounds(number, value) end
  local excluded = ctx:excluded_at(number, address)
  return value, {
    name = excluded and excluded.name or holder and self.session:name_inside(holder, address - holder.dev),
    excluded = excluded ~= nil, attached = attached ~= nil,
    object = holder and holder.name,
    info = holder,
  }
end

-- Copies `size` bytes from one device object to another. low, high: bounds of the target; slow, shigh: of the source.
-- Raises if either access is invalid.
function Device:copy(to, from, size, low, high, slow, shigh, frame)
  to = self:check(to, size, low, high, frame)
  from = self:check(from, size, slow, shigh, frame)
  local byte = core.scalar.u8
  for i = 0, size - 1 do
    local value, err = self.ctx:device_read(self.number, from + i, byte)
    if value == nil then fail_core(frame, err) end
    local ok, problem = self.ctx:device_write(self.number, to + i, byte, value)
    if not ok then fail_core(frame, problem) end
  end
end

-- Raises the error `message`, about an index out of the bounds of the present object at the device address `address`.
function Device:out_of_bounds(address, message, frame)
  local object = self.ctx:present_at(self.number, address, true)
  fail(frame, "out-of-bounds", ("%s, on device %d"):format(message, self.number),
    { rule = applicable_rule(self.session, "TR14-1.2-10"), objects = { object } })
end

-- Returns the device address of `size` bytes of new memory for a private variable of the current kernel.
function Device:local_memory(size)
  return self.session:kernel_memory(size)
end

-- -------------------------------------------------------------------------------------- views --

-- Key under which a view keeps its location; no other file has it.
local LOCATION = {}
-- Classes of views, as metatables: of a structure, an array and a pointer.
local Struct, Array, Pointer = { __name = "struct" }, { __name = "array" }, { __name = "pointer" }

-- Returns the location of the view `v`, {space, type, address, low, high}. `v` must be a view.
local function locate(v) return rawget(v, LOCATION) end

-- Returns a new view. class: its metatable; the arguments from `space` to `high` are its location. section: describes
-- elements that are not contiguous (fortran/fortran_view.lua); otherwise nil.
local function make(class, space, t, address, low, high, section)
  return setmetatable({ [LOCATION] = { space = space, type = t, address = address, low = low,
    high = high, section = section } }, class)
end
memory_view.make = make

-- Returns the location {space, type, address, low, high} of a view; nil if `v` is not a view.
function memory_view.location(v)
  return type(v) == "table" and locate(v) or nil
end

-- True if `v` is a view of a pointer.
function memory_view.is_pointer(v) return getmetatable(v) == Pointer end

-- Frame of accesses through views: it has no position, because the script's line is reported.
local frame = {}

-- Returns the value of the object of type t at an address: a number for a scalar, a view for other types. The `view` of
-- a Fortran type replaces this rule. Raises if a scalar or a pointer cannot be read.
local function read_object(space, t, address, low, high)
  if t.view then return t.view.read_value(space, t, address, low, high) end
  if t.kind == "scalar" then
    local value = space:load(address, t.code, t.size, low, high, frame)
    return value
  elseif t.kind == "pointer" then
    local value, l, h = space:load_pointer(address, low, high, frame)
    return make(Pointer, space, t, value, l, h)
  end
  return make(t.kind == "record" and Struct or Array, space, t, address, low, high)
end

-- Always raises: the Lua value `value` cannot be assigned to the type t.
local function wrong_type(value, t)
  diagnostic.raise("type-mismatch", nil, ("a %s cannot be assigned to %s"):format(
    type(value) == "table" and getmetatable(value) and getmetatable(value).__name or type(value),
    types.name(t)))
end
memory_view.wrong_type = wrong_type

local fill

-- Always raises: `key` of the list `list`, which was assigned to an array or a pointer (`taker`: "an array" or "a
-- pointer"), is not the index of an element. element_type: type of the elements; base: index of the first one.
local function no_element(taker, element_type, list, key, base)
  if type(key) == "string" then
    local is_object = element_type.kind == "record" and types.member(element_type, key)
    diagnostic.raise("type-mismatch", nil, ("a list of elements has no name '%s'"):format(key), {
      help = is_object and ("%s takes a list: { { %s = %s } }"):format(taker, key,
        type(list[key]) == "table" and "..." or tostring(list[key])) or "elements have numbers: { 1, 2, 3 }" })
  end
  local is_early = math.type(key) == "integer" and key < base
  diagnostic.raise("type-mismatch", nil, is_early and ("the list has an element %d before the first one"):format(key)
    or ("the list has an element %s, but not all before it"):format(tostring(key)),
    { help = "a list has no gaps: { 1, 2, 3 }" })
end

-- Raises unless all keys of the list are the indices of elements, without gaps, from `base` on. taker, element_type: as
-- for no_element.
function memory_view.check_indices(taker, element_type, list, base)
  local count = #list
  for key in next, list do
    local is_index = math.type(key) == "integer" and key >= base and key <= count
    if not is_index then no_element(taker, element_type, list, key, base) end
  end
end

-- Returns the number of elements of a list, and the index of the first: 0 if the list has an element 0, otherwise 1. It
-- is assigned to an array or a pointer (`taker`). Raises for gaps, and for keys that are not indices.
local function count_elements(taker, element_type, list)
  local base = list[0] ~= nil and 0 or 1
  memory_view.check_indices(taker, element_type, list, base)
  return #list + 1 - base, base
end

-- Stores the elements of a Lua list from `address` on. element_type: type of each element; count, base: results of
-- count_elements.
local function write_elements(space, element_type, address, list, count, base, low, high)
  for i = 0, count - 1 do
    fill(space, element_type, address + i * element_type.size, list[base + i], low, high)
  end
end

-- Returns the type of the target of pointer type t; raises if the size of the target is unknown.
local function pointee_type(t)
  local to = t.to
  if to.kind == "void" or to.kind == "function" or (to.kind == "record" and not to.complete) then
    scoped_names.no_size(to)
  end
  return to
end

-- Stores a pointer of type t at an address. `value` gives the target. A view gives its object as target; 0 or false
-- gives the null pointer; an integer is an address. A string or a list becomes the contents of a new block in host
-- memory. Raises for any other value, and for a list if the space is that of a device.
local function write_pointer(space, t, address, value, low, high)
  local location = memory_view.location(value)
  local target
  if location then
    target = location.address
    if space.on_device then target = space:translate_pointer(target, location.low) end
  elseif value == 0 or value == false then
    target = 0
  elseif type(value) == "string" and t.to.kind == "scalar" and t.to.size == 1 then
    target = space.session:new_block(#value + 1, nil, types.array(t.to, #value + 1))
    core.put(target, value)
  elseif type(value) == "table" then
    if space.on_device then
      diagnostic.raise("type-mismatch", nil, "a list cannot be assigned to a pointer on the device")
    end
    local element_type = pointee_type(t)
    local n, base = count_elements("a pointer", element_type, value)
    target = space.session:new_block(n * element_type.size, nil, types.array(element_type, n))
    write_elements(space, element_type, target, value, n, base)
  elseif math.type(value) == "integer" then
    target = value
  else
    wrong_type(value, t)
  end
  space:store(address, core.scalar.pointer, POINTER_SIZE, target, low, high, frame)
end

-- Returns the member `name` of the record type t; raises if it does not exist.
local function member_of(t, name)
  local member = types.member(t, name)
  if member then return member end
  diagnostic.raise("unknown-member", nil, ("%s has no member '%s'"):format(types.name(t),
    tostring(name)), { help = diagnostic.suggest_member(tostring(name), t) })
end

-- Copies a whole array or record of type t to an address if `value` is a view, and returns true. Returns false, without
-- a change, for another table, which is a list. Raises for a view of another type, for a view of a record on the other
-- side (host or device), and for values that are not tables.
local function fill_whole(space, t, address, value, low, high)
  local from = memory_view.location(value)
  if not from and type(value) == "table" then return false end
  if not from or not types.same(from.type, t)
    or t.kind == "record" and from.space.on_device ~= space.on_device then
    wrong_type(value, t)
  end
  space:copy(address, from.address, t.size, low, high, from.low, from.high, frame)
  return true
end

-- Stores a Lua value into the object of type t at an address. value: a number or boolean, a pointer, a list, a string,
-- or a view to copy. Raises if the value does not fit the type; elements that were stored before the error keep their
-- new values.
function fill(space, t, address, value, low, high)
  if t.view then return t.view.fill(space, t, address, value, low, high) end
  if t.kind == "scalar" then
    if type(value) == "boolean" then value = value and 1 or 0 end
    if type(value) ~= "number" then wrong_type(value, t) end
    if not t.float and math.type(value) == "float" and value ~= math.floor(value) then
      diagnostic.raise("type-mismatch", nil, ("%s is not of type %s"):format(value, types.name(t)),
        { help = "convert it: math.floor(x)" })
    end
    space:store(address, t.code, t.size, value, low, high, frame)
  elseif t.kind == "pointer" then
    write_pointer(space, t, address, value, low, high)
  elseif t.kind == "array" then
    if type(value) == "string" and t.of.kind == "scalar" and t.of.size == 1 then
      value = { value:byte(1, -1) }
      value[#value + 1] = #value < t.n and 0 or nil
    end
    if fill_whole(space, t, address, value, low, high) then return end
    local n, base = count_elements("an array", t.of, value)
    if n > t.n then
      diagnostic.raise("out-of-bounds", nil, ("%s for %s"):format(strings.count(n, "value"),
        strings.count(t.n, "element")))
    end
    write_elements(space, t.of, address, value, n, base, low, high)
  elseif t.kind == "record" then
    if fill_whole(space, t, address, value, low, high) then return end
    for name, item in sorted_pairs(value) do
      local member = member_of(t, name)
      fill(space, member.type, address + member.offset, item, low, high)
    end
  else
    wrong_type(value, t)
  end
end

-- Stores a Lua value into the object of type t at an address. Raises if the value does not fit the type; a record or
-- array on the host then gets its old bytes back.
local function write(space, t, address, value, low, high)
  local whole = not space.on_device and (t.kind == "record" or t.kind == "array")
  local from, to
  if whole then from, to = space.ctx:host_bounds(address) end
  if not from or address + t.size > to then return fill(space, t, address, value, low, high) end
  local old_bytes = core.get(address, t.size)
  local ok, err = pcall(fill, space, t, address, value, low, high)
  if not ok then
    core.put(address, old_bytes)
    error(err, 0)
  end
end

memory_view.read, memory_view.write = read_object, write
memory_view.fill = fill -- stores into new memory, so old bytes are not restored after an error

-- Returns the member `name` of record type t, which is to be written. Raises if it does not exist, or if it is const
-- and the space is that of a device. On the host a const member can be written, because a scenario initializes it so.
local function written_member(space, t, name)
  local member = member_of(t, name)
  if member.is_const and space.on_device then
    diagnostic.raise("type-mismatch", nil, ("'%s' is const: it cannot be assigned to"):format(name),
      { rule = "HOUSE-language" })
  end
  return member
end

-- Returns the value of the member `name` of a structure, or the member function `name`. Raises if the type has neither.
function Struct:__index(name)
  local at = locate(self)
  local fn = not types.member(at.type, name) and at.space.session:member_function(at.type, name)
  if fn then return fn end
  local member = member_of(at.type, name)
  return read_object(at.space, member.type, at.address + member.offset, at.low, at.high)
end

-- Stores a value in the member `name` of a structure. Raises if the member does not exist or the value does not fit.
function Struct:__newindex(name, value)
  local at = locate(self)
  local member = written_member(at.space, at.type, name)
  write(at.space, member.type, at.address + member.offset, value, at.low, at.high)
end

-- Returns a list of the n values of type `element_type` that are in memory from `address` on.
local function values_of(space, element_type, address, n, low, high)
  local list = {}
  for i = 0, n - 1 do list[i + 1] = read_object(space, element_type, address + i * element_type.size, low, high) end
  return list
end

-- Methods of arrays and pointers, by name.
local methods = {}

-- Returns the first n elements of an array, or of a pointer's target, as a list. n may be nil for an array: all
-- elements. Raises for other arguments.
function methods.values(self, n)
  local at = memory_view.location(self)
  n = n == nil and at and at.type.kind == "array" and at.type.n or math.type(n) == "integer" and n or nil
  if not at or not n or n < 0 then
    diagnostic.raise("type-mismatch", nil, "values takes the number of elements, as in p:values(n)")
  end
  if at.type.kind == "array" then
    return values_of(at.space, at.type.of, at.address, n, at.low, at.high)
  end
  return values_of(at.space, pointee_type(at.type), at.address, n, at.low, at.high)
end

-- Returns a key of a view as an integer; nil if the key is not a whole number.
local function index_of(key)
  local i = math.type(key) == "integer" and key or (type(key) == "number" and math.tointeger(key))
  return i
end

-- Returns the address of the element with index `key`, counted from 0. at: location of the array's view. Returns nil if
-- the key is not a whole number. Raises if the index is out of bounds.
local function array_element(at, key)
  local i = index_of(key)
  if not i then return nil end
  if i < 0 or (at.type.n and i >= at.type.n) then
    at.space:out_of_bounds(at.address,
      ("index %d is outside the array of %s"):format(i, strings.count(at.type.n or 0, "element")), frame)
  end
  return at.address + i * at.type.of.size
end

-- Always raises: the index `key` is not an integer. object_noun: what is indexed, such as "an array".
local function no_integer(object_noun, key)
  diagnostic.raise("type-mismatch", nil, ("the index of %s is an integer, not '%s'"):format(object_noun, key))
end

-- Returns the element of an array with index `key`, or the method `key`. Raises for other keys.
function Array:__index(key)
  local at = locate(self)
  local address = array_element(at, key)
  if address then return read_object(at.space, at.type.of, address, at.low, at.high) end
  return methods[key] or no_integer("an array", key)
end

-- Stores a value in the element of an array with index `key`. Raises for keys that are not indices in bounds.
function Array:__newindex(key, value)
  local at = locate(self)
  local address = array_element(at, key)
  if not address then no_integer("an array", key) end
  write(at.space, at.type.of, address, value, at.low, at.high)
end

-- Returns the number of elements of an array.
function Array:__len() return locate(self).type.n end

-- Returns element `key` of a pointer's target, or a member of the target (p.x for p->x), or a method. Raises for other
-- keys.
function Pointer:__index(key)
  local at = locate(self)
  local i = index_of(key)
  if i then
    local element_type = pointee_type(at.type)
    return read_object(at.space, element_type, at.address + i * element_type.size, at.low, at.high)
  end
  local to = at.type.to
  if to.kind == "record" and types.member(to, key) then
    local member = types.member(to, key)
    return read_object(at.space, member.type, at.address + member.offset, at.low, at.high)
  end
  if methods[key] then return methods[key] end
  if to.kind == "record" then member_of(to, key) end
  no_integer("a pointer", key)
end

-- Stores a value in element `key` of a pointer's target, or in the target's member `key`. Raises for other keys.
function Pointer:__newindex(key, value)
  local at = locate(self)
  local i = index_of(key)
  if i then
    local element_type = pointee_type(at.type)
    return write(at.space, element_type, at.address + i * element_type.size, value, at.low, at.high)
  end
  local member = at.type.to.kind == "record" and written_member(at.space, at.type.to, key)
  if not member then no_integer("a pointer", key) end
  write(at.space, member.type, at.address + member.offset, value, at.low, at.high)
end

-- Returns the distance between neighbouring elements of the target of pointer type t, in bytes: 1 for void. Raises if
-- the size of the target is unknown.
local function distance(t) return t.to.kind == "void" and 1 or pointee_type(t).size end

-- Returns a view of the pointer p plus `sign` times n elements, with the bounds of p. sign: 1 or -1. Raises if p is not
-- a pointer or n is nil.
local function displace(p, n, sign)
  if not memory_view.is_pointer(p) or not n then
    diagnostic.raise("type-mismatch", nil, "pointers take p + n, p - n and p - q, with a whole number n")
  end
  local at = locate(p)
  return make(Pointer, at.space, at.type, at.address + sign * n * distance(at.type), at.low, at.high)
end

-- Returns the pointer p + n or n + p, with the same bounds; raises for other operands.
function Pointer.__add(a, b)
  if type(a) == "number" then a, b = b, a end
  return displace(a, index_of(b), 1)
end

-- Returns p - q, a number of elements, or the pointer p - n. Raises for other operands.
function Pointer.__sub(a, b)
  if memory_view.is_pointer(a) and memory_view.is_pointer(b) then
    return (locate(a).address - locate(b).address) // distance(locate(a).type)
  end
  return displace(a, index_of(b), -1)
end

-- Comparisons of two pointers by address; addresses are unsigned.
function Pointer.__eq(a, b) return locate(a).address == locate(b).address end
function Pointer.__lt(a, b) return math.ult(locate(a).address, locate(b).address) end
function Pointer.__le(a, b) return not math.ult(locate(b).address, locate(a).address) end

-- Returns the pointer's type and side (host or device) as text, or "NULL". The address is not shown, because it differs
-- from run to run.
function Pointer:__tostring()
  local at = locate(self)
  if at.address == 0 then return "NULL" end
  return ("%s (%s)"):format(types.name(at.type), at.space.on_device and "device" or "host")
end
-- Return the name of the object's type.
function Struct:__tostring() return types.name(locate(self).type) end
function Array:__tostring() return types.name(locate(self).type) end

-- Returns a view of a pointer of type t with the value `address`; low, high: bounds of its target, or a note in place
-- of `low`.
function memory_view.pointer(space, t, address, low, high)
  return make(Pointer, space, t, address, low, high)
end

-- Methods of both spaces. pointer: returns a view of a pointer with the value `address`. view: returns the value of the
-- object at `address`, which is a view except for scalars.
function Host:pointer(t, address, low, high) return make(Pointer, self, t, address, low, high) end
Device.pointer = Host.pointer
function Host:view(t, address, low, high) return read_object(self, t, address, low, high) end
Device.view = Host.view

-- The null pointer of scenarios. All functions of its space raise, because no memory can be accessed through it.
local nowhere = setmetatable({ on_device = false }, { __index = function()
  return function() fail(nil, "null-pointer", "a null pointer is followed", { rule = "ACC33-2.7-2" }) end
end })
memory_view.NULL = make(Pointer, nowhere, types.pointer(types.void), 0, nil, nil)

-- Returns the address that a runtime routine gets for the argument `value`, and the location if it is a view. An
-- integer is an address; nil means 0. Returns nil for all other values.
function memory_view.address(value)
  local at = memory_view.location(value)
  if at then return at.address, at end
  if math.type(value) == "integer" then return value end
  if value == nil then return 0 end
  return nil
end

return memory_view
