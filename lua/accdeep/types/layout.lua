-- layout.lua - object layout of C++ classes: the Itanium C++ ABI for x86-64, section 2.4. A POD is a class like a
-- structure of C. backend/class.lua calls layout.complete.
--
-- Fields of a record that this file sets, beside size and align; records that are laid out as in C have none of them:
--   is_pod         nil: a POD for the purpose of layout; "no": not a POD; "open": compilers disagree.
--   base_size      bytes that the record occupies as a base class (nvsize of the ABI); nil: the record's size.
--   open_size      base_size in compilers that treat a class with is_pod "open" as a POD; nil: base_size.
--   is_dynamic     true if an object begins with a pointer to a table of virtual functions.
--   is_empty       true if objects have no data, so that a base class of this type occupies no bytes.
--   parts          list of {type, offset}: the base classes and members that are empty or contain empty classes.
--   largest_empty  size in bytes of the largest empty class inside.
-- Invariant: two objects of the same empty class never have the same address. Therefore an object of the class Placed
-- records the addresses of empty classes.
--
-- A derived class may put members into the padding at the end of a base class, unless the base class is a POD.
-- Therefore the layout depends on what compilers treat as a POD.
--
--   spec: what layout.complete lays out.
--     bases       types of the base classes; members: list of {name?, type, align?, pos}.
--     align       alignment that alignas requests, or nil; has_table: true if the class has virtual functions.
--     pos         position of the class in its text.
--     pod         state as a POD from its own declarations: "no", "open" or nil.
--     is_union, largest   set by layout.complete: true for a union; size of the largest empty class inside, or nil.

local types = require "accdeep.types"

local layout = {}

-- Returns the first multiple of `align` that is at least `at`.
local function align_up(at, align) return (at + align - 1) // align * align end

-- Returns the element type of nested arrays; other types unchanged.
local function innermost(t)
  while t.kind == "array" do t = t.of end
  return t
end

-- Calls visit(class, offset) for each empty class inside an object of type t at `offset`, up to the offset `last`.
-- Returns true as soon as visit returns true; otherwise false.
local function each_empty(t, offset, last, visit)
  if not innermost(t).largest_empty or offset > last then return false end
  if t.kind == "array" then
    for i = 0, t.n - 1 do
      if offset + i * t.of.size > last then return false end
      if each_empty(t.of, offset + i * t.of.size, last, visit) then return true end
    end
    return false
  end
  if t.is_empty and visit(t, offset) then return true end
  for _, part in ipairs(t.parts or {}) do
    if each_empty(part.type, offset + part.offset, last, visit) then return true end
  end
  return false
end

-- Empty classes of the object that is being laid out: offset -> set of classes. last: highest offset with an entry, -1
-- if there is none; largest: size of the largest empty class inside the object.
local Placed = {}
Placed.__index = Placed

-- Returns true if an object of type t at this offset would have an empty class at the address of another object of the
-- same empty class.
function Placed:clashes(t, offset)
  return each_empty(t, offset, self.last, function(class, at) return self[at] and self[at][class] or false end)
end

-- Enters the empty classes of a part of type t at `offset`. is_empty_base: true if the part is an empty base class, all
-- of whose classes are entered. For other parts, enters only classes at offsets up to `largest`, with which a later
-- empty base class at offset 0 can collide.
function Placed:enter(t, offset, is_empty_base)
  each_empty(t, offset, is_empty_base and math.huge or self.largest, function(class, at)
    self[at] = self[at] or {}
    self[at][class] = true
    self.last = math.max(self.last, at)
  end)
end

-- Returns the first multiple of `align`, from `at` on, at which an object of type t does not collide with an empty
-- class.
function Placed:free(t, at, align)
  at = align_up(at, align)
  while self:clashes(t, at) do at = at + align end
  return at
end

-- Returns the index of the primary base class, with which the record shares its pointer to the table of virtual
-- functions; nil if no base class has such a pointer.
local function primary_of(bases)
  for i, base in ipairs(bases) do
    if base.is_dynamic then return i end
  end
  return nil
end

-- Returns a layout {bases, members, size, align, base_size, has_own_table?} for a spec; bases and members are lists of
-- offsets. as_pod: true to treat base classes with open_size as PODs. Changes nothing in `spec`.
local function compute(spec, as_pod)
  local placed = setmetatable({ last = -1, largest = spec.largest or 0 }, Placed)
  local size, data, align = 0, 0, spec.align or 1
  local class_layout = { bases = {}, members = {} }
  local primary = primary_of(spec.bases)
  if spec.has_table and not primary then
    class_layout.has_own_table = true
    size, data, align = 8, 8, math.max(align, 8)
  end
  local function put_base(i)
    local base = spec.bases[i]
    local at
    if base.is_empty then
      at = placed:clashes(base, 0) and placed:free(base, data, base.align) or 0
      size = math.max(size, at + base.size)
    else
      local bytes = as_pod and base.open_size or base.base_size or base.size
      at = placed:free(base, data, base.align)
      size = math.max(size, at + bytes)
      data = at + bytes
    end
    align = math.max(align, base.align)
    placed:enter(base, at, base.is_empty)
    class_layout.bases[i] = at
  end
  if primary then put_base(primary) end
  for i in ipairs(spec.bases) do
    if i ~= primary then put_base(i) end
  end
  for i, member in ipairs(spec.members) do
    local t = member.type
    local own = math.max(t.align, member.align or 1)
    local at = 0
    if not spec.is_union then
      at = placed:free(t, data, own)
      placed:enter(t, at)
    end
    data = math.max(data, at + t.size)
    size, align = math.max(size, data), math.max(align, own)
    class_layout.members[i] = at
  end
  class_layout.base_size, class_layout.align = size, align
  class_layout.size = align_up(math.max(size, 1), align)
  return class_layout
end

-- Returns true if two layouts of a spec differ in their size, or in the offset of a part that has data.
local function differ(spec, a, b)
  if a.size ~= b.size then return true end
  for i, base in ipairs(spec.bases) do
    if a.bases[i] ~= b.bases[i] and not base.is_empty then return true end
  end
  for i, at in ipairs(a.members) do
    if b.members[i] ~= at then return true end
  end
  return false
end

-- Returns the list {type, offset} of the parts of a layout that contain empty classes; nil if no part does.
local function layout_parts(spec, class_layout)
  local parts = {}
  local function add(t, offset)
    if innermost(t).largest_empty then parts[#parts + 1] = { type = t, offset = offset } end
  end
  for i, base in ipairs(spec.bases) do add(base, class_layout.bases[i]) end
  for i, member in ipairs(spec.members) do add(member.type, class_layout.members[i]) end
  return #parts > 0 and parts or nil
end

-- Returns the size in bytes of the largest empty class in a spec's base classes and members; nil if there are none.
local function largest_empty(spec)
  local largest
  local function count(t) largest = math.max(largest or 0, innermost(t).largest_empty or 0) end
  for _, base in ipairs(spec.bases) do count(base) end
  for _, member in ipairs(spec.members) do count(member.type) end
  return largest ~= 0 and largest or nil
end

-- Returns the state of a class as a POD for the purpose of layout: nil (a POD), "open" or "no". own_state: the state
-- from its own declarations alone; base classes, virtual functions and members may change it.
local function pod_of(spec, own_state)
  if own_state == "no" or #spec.bases > 0 or spec.has_table then return "no" end
  for _, member in ipairs(spec.members) do
    local member_state = innermost(member.type).is_pod
    if member_state == "no" then return "no" end
    own_state = own_state or member_state
  end
  return own_state
end

-- Prepares a record as a base class and returns it. A record from debug information gets the fields in the head of this
-- file. Its is_pod becomes "open", because debug information does not tell if the record's tail padding may be reused.
-- Other records are unchanged.
function layout.base_layout(record)
  if not record.from_debug or record.is_pod then return record end
  local data = 0
  for _, member in ipairs(record.members) do data = math.max(data, member.offset + member.type.size) end
  local table_pointer = record.by_name.__vptr
  record.is_pod, record.base_size = "open", data
  record.open_size = data < record.size and record.size or nil
  record.is_dynamic = table_pointer and table_pointer.offset == 0 or nil
  record.is_empty = #record.members == 0 or nil
  record.largest_empty = record.is_empty and record.size or nil
  return record
end

-- Lays out and completes a record, and returns it. Changes `spec` (described above), whose members get their offsets.
-- If compilers lay the record out differently, because they disagree whether a base class is a POD, returns nil and
-- this base class; the record is then unchanged. Decides HOUSE-layout.
function layout.complete(record, spec)
  spec.is_union = record.record == "union"
  spec.largest = largest_empty(spec)
  for _, base in ipairs(spec.bases) do spec.has_table = spec.has_table or base.is_dynamic end
  local class_layout = compute(spec, false)
  local other = class_layout
  for _, base in ipairs(spec.bases) do
    if base.open_size then
      other = compute(spec, true)
      if differ(spec, class_layout, other) then return nil, base end
      break
    end
  end
  local pod = pod_of(spec, spec.pod)
  record.is_pod = pod
  record.base_size = pod and class_layout.base_size or nil
  local open_size = pod == "open" and class_layout.size or other.base_size
  record.open_size = pod and open_size ~= class_layout.base_size and open_size or nil
  record.is_dynamic = spec.has_table or nil
  local is_empty = not spec.has_table and #spec.members == 0
  for _, base in ipairs(spec.bases) do is_empty = is_empty and base.is_empty end
  record.is_empty = is_empty or nil
  record.parts = layout_parts(spec, class_layout)
  record.largest_empty = is_empty and class_layout.size or spec.largest

  local members = {}
  if class_layout.has_own_table then
    members[1] = { name = "__vptr", type = types.pointer(types.void), pos = spec.pos, offset = 0 }
  end
  for i, base in ipairs(spec.bases) do
    -- An empty base class has no bytes to map, so it is no member.
    if #base.members > 0 then
      members[#members + 1] = { type = base, offset = class_layout.bases[i], is_base = true, pos = spec.pos }
    end
  end
  for i, member in ipairs(spec.members) do
    member.offset = class_layout.members[i]
    members[#members + 1] = member
  end
  if class_layout.bases[1] then
    for i, member in ipairs(members) do member.number = i end
    table.sort(members, function(a, b)
      if a.offset ~= b.offset then return a.offset < b.offset end
      return a.number < b.number
    end)
  end
  types.set_members(record, members, class_layout.size, class_layout.align)
  return record
end

return layout
