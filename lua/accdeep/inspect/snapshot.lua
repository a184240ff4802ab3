-- snapshot.lua - takes a snapshot of host and device as plain tables, for pictures, stepping and differences.
--
-- Input: a session. Output: the tables below, without addresses. draw/ and state_diff.lua call
-- snapshot.take(session, device, numbers, keep, listed_names).
--
--   snapshot:
--     host, device   {object ...}: variables first, then targets of pointers.
--     attached       attached pointers: {{name, target, count, gone} ...}.
--     present        present objects: {{name, bytes, structured, dynamic, state, at} ...}. state: "ALLOC", or "ALIAS"
--                    for a part of another block; at: "file:line" of the directive that mapped the object, or nil.
--     titles         name of a present object -> its name in a picture, where they differ.
--     levels         {{kind, at, clauses = {{name, state} ...}, tuples = {{name, bytes, state, ancestors} ...}} ...}.
--                    open data regions, the outermost first; tuples: entries of the directory for the region (DIR-4).
--     number         number of the device.
--     is_openmp      true if the rules are those of OpenMP.
--     fusion         true if levels have tuples, as in the profile "directory".
--   object:
--     id, name, type, bytes, rows.
--     title          name in a picture.
--     present        "absent", "partly" or "wholly" (host).
--     is_variable    true for a variable (host).
--     host           id of the host object (device).
--     structured, dynamic   reference counters (device).
--     offset         offset of the first byte in the host object (device).
--     part           true if the object is smaller than its host object (device).
--     note           further text below the name, in pictures of traces; or nil.
--   row:
--     path           name of the member in the object.
--     offset, bytes, text.
--     kind           "value", "pointer" or "elided".
--     unknown        true if some of its bytes were never written.
--     hidden         numbers of an array that text leaves out.
--     state          of a pointer, see below.
--     to             id of the target object; at: offset in it; into: the offset as text, nil at the beginning.
--     count          attach counter.
--   states of pointers:
--     host, attached, null.
--     excluded       not followed by a clause.
--     gone           dangling.
--     nowhere        in no known memory.
--     device         a device address that was never attached.
--     unknown        never written.
--
-- Groups: if there are more than GROUP_LIMIT similar objects, only the first GROUP_START of them are listed one by one.
-- An object is listed only if the pointer to it has a row in the parent object. Objects named in the set `listed_names`
-- are always listed. The other objects form one object {id, name = "first ... last", group = number of objects, names
-- = their names, at most NAMES, parent = id of the parent, type, bytes, ...}. If there are more than LEVELS levels, one
-- entry {kind = "... n more", clauses = {}} replaces the middle levels.
--
-- Ids are stable across snapshots that are given the same table `numbers`. If `keep` is given, keep(object) returns the
-- object's field `memory`. A second result is the function `locate`. locate(host address) returns id and offset of the
-- host object, id of the device object, and the name if the object is in a group. locate(name) returns the name if the
-- object of that name is in a group.

local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local fortran_types = require "accdeep.types.fortran_types"
local members = require "accdeep.inspect.members"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local state = require "accdeep.run.state"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local snapshot = {}

local GROUP_LIMIT, GROUP_START = 6, 3 -- similar objects that make a group; of these, the first that are listed
local MAX_LISTED = 120   -- limit of objects listed one by one, on each side; required ones are listed beyond it
local LEVELS, OUTER = 8, 3 -- levels beyond which some are omitted; the outermost that stay
local LINK = 4           -- limit of the distance, in objects, between two links of a chain (link_before)
local NAME = 80          -- limit of characters of a name: longer ones are cut off before a member is appended
local NAMES = 200        -- limit of names of the objects in a group
local POINTERS = 200000  -- limit of pointers that are followed in one snapshot

local POINTER_BYTES = 8
local INF = math.huge

-- Builder of one snapshot. An object of the builder is not yet the snapshot's table: `describe` makes that. Its fields
-- are the arguments of snapshot.take and:
--   session, ctx, core   the session, its context of the core, the module core.
--   number               number of the device.
--   objects, at          host objects: a list; by address.
--   present, by_host     device objects: a list; by host address.
--   pointers             number of pointers followed so far.
local SnapshotBuilder = {}
SnapshotBuilder.__index = SnapshotBuilder

-- Returns the dynamic reference counter of a present object; "infinite" if it has no end, as for OpenMP's declare
-- target.
local function dynamic_of(session, object)
  local count = state.dynamic(session, object)
  return count == INF and "infinite" or count
end

-- Returns the number of `key` in the table `numbers`, which has key -> number and the largest number `n`. A new key
-- gets the next number.
local function number_for(numbers, key)
  local n = numbers[key]
  if not n then
    n = (numbers.n or 0) + 1
    numbers.n, numbers[key] = n, n
  end
  return n
end

-- Returns the block of host memory, {name, bytes, type, serial, variable, live}, that begins at `address` in this
-- session or an outer session; nil if there is none.
local function block_at(session, address)
  while session do
    if session.program.blocks[address] then return session.program.blocks[address] end
    session = session.outer
  end
  return nil
end

-- ------------------------------------------------------------------------------------ the host --

-- Returns the range of host memory, {host, bytes, name, live}, that contains an address; nil if there is none. The
-- memory may have been freed (`live` is false). The address just after a live range belongs to that range, because many
-- structures hold such an end pointer.
function SnapshotBuilder:host_range(address)
  local range = self.ctx:host_at(address)
  if not range or not range.live then
    local before = self.ctx:host_at(address - 1)
    if before and before.live and before.host + before.bytes == address then range = before end
  end
  return range
end

-- Returns the array type of the target, of `bytes` bytes, of a pointer or descriptor of type `t`; nil if the type to
-- which `t` points has no size.
local function pointee_type(t, bytes)
  local pointee = t.kind == "descriptor" and t.of or t.to
  if not pointee.size or pointee.size == 0 or pointee.kind == "void" or pointee.kind == "function" then return nil end
  if pointee.kind == "record" and not pointee.complete then return nil end
  return types.array(pointee, bytes // pointee.size)
end

-- Returns the element type of an array of one element without bounds; other types, and nil, are returned unchanged.
local function unwrap_single(t)
  return t and t.kind == "array" and t.n == 1 and not t.bounds and t.of or t
end

-- Returns the previous object of a chain, such as a linked list; nil if there is none. It is the nearest object on the
-- way to `object` that has the same type, and at most LINK objects away.
local function link_before(object)
  local before = object.from
  for _ = 1, LINK do
    if not before then return nil end
    if before.t and before.t == object.t then return before end
    before = before.from
  end
  return nil
end

-- Adds a host object and returns it. `block`: the object's block of memory, or nil if the object is no whole block.
-- `t`: its type, or nil if unknown; then `block` must not be nil. `from`: the object that holds the pointer to it, or
-- nil.
function SnapshotBuilder:add(address, name, block, t, from)
  local bytes = block and block.bytes or t.size
  local object = { name = name, address = address, bytes = bytes, t = unwrap_single(t),
    serial = block and block.serial or name, from = from, is_variable = block and block.variable and true or nil,
    required_offsets = {} }
  -- Objects are similar if their names differ only in numbers, or if they are links of one chain.
  local link = link_before(object)
  if link then
    object.key, object.depth = link.depth and link.key or link.key .. " on", (link.depth or 0) + 1
    object.base = link.base or name
    if object.depth > 2 then object.name = ("%s (%d)"):format(object.base, object.depth) end
  else
    object.key = name:gsub("%d+", "#") .. " " .. (t and types.name(object.t) or "")
  end
  local index = #self.objects + 1
  object.index, self.objects[index], self.at[address] = index, object, object
  return object
end

-- Returns the name of the target of the pointer `path` in the object `object`, as an expression of the language.
-- Elements are numbered from 0 in memory order, as in scripts. A long name of `object` is cut off at the front.
function SnapshotBuilder:pointee_name(object, path)
  local base = object.name
  if #base > NAME then base = "..." .. base:sub(-NAME // 2) end
  return self.language.pointee_name(base, object.is_variable, path)
end

-- Marks the host object `object`, and the objects through which it is reached, so that they are listed one by one.
-- `object` may be nil.
function SnapshotBuilder:mark_required(object)
  while object and not object.is_required do
    object.is_required = true
    if object.from then table.insert(object.from.required_offsets, object.pointer_offset) end
    object = object.from
  end
end

-- Returns the type `t` of a descriptor's target as an array with the bounds in the descriptor at `address`. Returns `t`
-- itself if it has bounds already, or if the descriptor's bounds are unknown, none, or do not give the number of
-- elements of `t`. `descriptor_type`: the type of the descriptor.
function SnapshotBuilder:bounded_array(t, descriptor_type, address)
  local dims = fortran_descriptor.dims(self.session.host_space, descriptor_type, address)
  local element, n = t.kind == "array" and t.of or t, 1
  for _, dim in ipairs(dims or {}) do n = n * math.max(dim.extent, 0) end
  if not dims or #dims == 0 or t.bounds or n ~= (t.n or 1) then return t end
  return fortran_types.array(element, dims)
end

-- Adds the targets of the pointers in a host object as objects, unless they were added before. Stops after POINTERS
-- pointers in all. Null pointers, and pointers to freed or unknown memory, are skipped.
function SnapshotBuilder:follow_pointers(object)
  if not object.t or not members.has_pointers(object.t) then return end
  members.each_pointer(object.t, self.language, function(offset, t, path)
    self.pointers = self.pointers + 1
    if self.pointers > POINTERS then return false end
    local value = self.ctx:host_read(object.address + offset, self.core.scalar.pointer)
    if not value or value == 0 then return true end
    local range = self:host_range(value)
    if not range or not range.live or self.at[range.host] then return true end
    local block = block_at(self.session, range.host)
    local name = self:pointee_name(object, path)
    local target_type = block and block.type or pointee_type(t, range.bytes)
    if t.kind == "descriptor" and target_type then
      target_type = self:bounded_array(target_type, t, object.address + offset)
    end
    local target = self:add(range.host, name, block, target_type, object)
    target.pointer_offset = offset
    if self.listed_names[target.name] then self:mark_required(target) end
    return true
  end)
end

-- Fills self.objects: variables, then objects reachable from them, then blocks that only the script refers to. A block
-- is a variable's memory or an allocation.
function SnapshotBuilder:collect_host()
  local session, roots, visited = self.session, {}, {}
  local scope = session.now.scope
  while scope do
    for _, variable in sorted_pairs(scope.variables) do
      local block = block_at(session, variable.address)
      if not visited[variable.address] and not variable.reference and (block or session.options.unchecked) then
        visited[variable.address] = true
        roots[#roots + 1] = { variable = variable, block = block, order = block and block.serial or variable.address }
      end
    end
    scope = scope.outer
  end
  table.sort(roots, function(a, b) return a.order < b.order end)
  for _, root in ipairs(roots) do
    self:add(root.variable.address, root.variable.name, root.block, root.variable.type)
  end
  local done = 0
  -- Follows the pointers of all objects, also of those that are added on the way.
  local function follow_all()
    while done < #self.objects do
      done = done + 1
      self:follow_pointers(self.objects[done])
    end
  end
  follow_all()
  -- The rest: blocks that no variable reaches, to which only pointers of the script refer.
  local rest, from = {}, session
  while from do
    for address, block in next, from.program.blocks do
      if block.live and not block.variable and not self.at[address] and block.name ~= "this" then
        rest[#rest + 1] = { address = address, block = block }
      end
    end
    from = from.outer
  end
  table.sort(rest, function(a, b) return a.block.serial < b.block.serial end)
  for _, entry in ipairs(rest) do
    if not self.at[entry.address] then
      self:add(entry.address, entry.block.name, entry.block, entry.block.type)
      follow_all()
    end
  end
end

-- ---------------------------------------------------------------------------------- the device --

-- Fills self.present and self.by_host with the present objects, in the order of the host's objects. Sets `present` and
-- `pieces` (number of present parts) of the host objects. Must follow collect_host.
function SnapshotBuilder:collect_device()
  local ctx, session = self.ctx, self.session
  self.present, self.by_host = {}, {}
  for i, info in ipairs(ctx:present(self.number)) do
    local range = ctx:host_at(info.host)
    local owner = range and self.at[range.host]
    local object = { name = info.name, bytes = info.bytes, info = info, owner = owner, structured = info.structured,
      dynamic = dynamic_of(session, info), mapped = info.mapped or nil, offset = range and info.host - range.host or 0 }
    -- a freed block has no host object (`owner`), so the type is taken from the block
    local block = not owner and range and block_at(session, range.host)
    object.t = owner and owner.t or unwrap_single(block and block.type)
    object.serial = ("%s+%d"):format(owner and owner.serial or object.name, object.offset)
    if owner then
      owner.pieces = (owner.pieces or 0) + 1
      owner.present = info.bytes == owner.bytes and "wholly" or "partly"
    end
    self.present[i], self.by_host[info.host] = object, object
  end
  for _, object in ipairs(self.present) do -- the parts of one host object get one key, so they are similar
    local owner = object.owner
    object.key = not owner and object.name:gsub("%d+", "#")
      or owner.pieces > 1 and ("%s of %s"):format(owner.key, owner.serial) or owner.key
  end
  table.sort(self.present, function(a, b)
    local first, second = a.owner and a.owner.index or INF, b.owner and b.owner.index or INF
    if first ~= second then return first < second end
    return a.info.host < b.info.host
  end)
end

-- Returns the device object that contains `address`, a device address if `in_device` is true, else a host address; nil
-- if there is none.
function SnapshotBuilder:device_object(address, in_device)
  local info = self.ctx:present_at(self.number, address, in_device)
  return info and self.by_host[info.host]
end

-- Returns the device object that has the pointer to the device object `object`: the copy of the host object whose
-- pointer refers to the host object of `object`. Returns nil if there is none.
function SnapshotBuilder:device_parent(object)
  local from = object.owner and object.owner.from
  return from and self.by_host[from.address]
end

-- ----------------------------------------------------------------------------------- choosing --

-- Returns true if a host object is listed one by one. An object is not listed if the pointer to it has no row in the
-- parent object, or if enough similar objects are listed; required objects are always listed. `kind`: {count, listed}
-- of the similar objects (equal `key`): their number, and how many of them are listed so far.
local function is_listed_on_host(object, kind)
  if object.is_required then return true end
  if object.from and not (object.from.pointers and object.from.pointers[object.pointer_offset]) then return false end
  return kind.count <= GROUP_LIMIT or kind.listed < GROUP_START
end

-- Returns true if a device object is listed one by one. The only present part of a host object is listed if the host
-- object is listed. For other device objects, and for several parts of one host object, `kind` decides: {count, listed}
-- of the similar objects.
local function is_listed_on_device(object, kind)
  local owner = object.owner
  if owner and (owner.is_required or owner.pieces == 1) then return owner.id ~= nil end
  return kind.count <= GROUP_LIMIT or kind.listed < GROUP_START
end

-- Returns the name of an object in a picture: the name of the host object if all of the host object is present, else
-- the object's own name.
local function title_of(object)
  local owner = object.owner
  return owner and object.bytes == owner.bytes and owner.name or object.name
end

-- Returns one list: the objects that are listed one by one, with ids, and the groups of the other objects. Similar
-- objects (with equal `key`) form a group; all objects beyond MAX_LISTED form a further group. Sets `id` or `grouped`
-- (the group) of each object. `side`: "h" for the host, "d" for the device. Call it for the host first.
function SnapshotBuilder:choose(objects, side)
  local by_key, chosen, is_listed = {}, {}, side == "h" and is_listed_on_host or is_listed_on_device
  for _, object in ipairs(objects) do
    local kind = by_key[object.key] or { count = 0, listed = 0 }
    by_key[object.key] = kind
    kind.count = kind.count + 1
  end
  local others = {}
  for _, object in ipairs(objects) do
    local kind = by_key[object.key]
    local is_required = object.is_required or object.owner and object.owner.is_required
    if #chosen >= MAX_LISTED and not kind.group and not is_required then kind = others end
    if kind ~= others and is_listed(object, kind) then
      object.id = side .. number_for(self.numbers, object.serial)
      kind.listed = kind.listed + (is_required and 0 or 1)
      if side == "h" and object.t and members.has_pointers(object.t) then
        object.pointers = members.pointer_rows(object.t, object.required_offsets)
      end
      chosen[#chosen + 1] = object
    else
      if not kind.group then
        kind.group = { group = 0, bytes = 0, present_count = 0, names = {}, first = title_of(object),
          t = kind ~= others and object.t or nil,
          parent = side == "h" and object.from or self:device_parent(object), owner = object.owner,
          id = side .. number_for(self.numbers, "group " .. (kind ~= others and object.key or "")) }
        chosen[#chosen + 1] = kind.group
      end
      local group = kind.group
      group.group, group.bytes = group.group + 1, group.bytes + object.bytes
      group.last = title_of(object)
      if group.group <= NAMES then group.names[group.group] = group.last end
      group.present_count = group.present_count + (object.present and 1 or 0)
      object.grouped = group
    end
  end
  return chosen
end

-- Returns the id of an object, or of the group that contains the object; nil for nil.
local function id_of(object) return object and (object.id or object.grouped and object.grouped.id) end

-- -------------------------------------------------------------------------------------- rows --

-- Returns the position `offset` of a pointer in a target of `bytes` bytes as text: "[3]" for the first byte of an
-- element, "the end", otherwise "+5". Returns nil for the beginning. In a language whose `numbers_places` is false,
-- elements are also given as offsets in bytes. `t`: type of the pointer.
local function into(t, offset, bytes, language)
  if offset == 0 then return nil end
  if offset == bytes then return "the end" end
  local element = t.kind == "pointer" and t.to or t.of
  local size = element and element.size or 0
  return size > 0 and offset % size == 0 and language.numbers_places and ("[%d]"):format(offset // size)
    or ("+%d"):format(offset)
end

-- Sets state, to, at and into in the row of a pointer that is not attached. `value`: the address in the pointer; `t`:
-- type of the pointer.
function SnapshotBuilder:unattached_target(row, value, t)
  local device = self.ctx:device_of(value)
  if value == 0 then
    row.state = "null"
  elseif device >= 0 then
    row.state, row.to = "device", device == self.number and id_of(self:device_object(value, true)) or nil
  else
    local range = self:host_range(value)
    row.state = not range and "nowhere" or range.live and "host" or "gone"
    row.to = row.state == "host" and id_of(self.at[range.host]) or nil
    row.at = row.to and value - range.host
    row.into = row.to and into(t, row.at, range.bytes, self.language)
  end
end

-- Returns the reader (an interface that members.lua describes) of the memory of the host object `object`.
function SnapshotBuilder:host_reader(object)
  local ctx, base, builder = self.ctx, object.address, self
  return {
    language = self.language,
    value = function(offset, t) return ctx:host_read(base + offset, t.code) end,
    pointer = function(offset, row, t)
      local value = ctx:host_read(base + offset, builder.core.scalar.pointer)
      row.address = value
      builder:unattached_target(row, value, t)
    end,
    dims = function(offset, t) return fortran_descriptor.dims(builder.session.host_space, t, base + offset) end,
  }
end

-- Sets state, count and target in the row of a pointer on the device. `at`: address of the pointer on the device;
-- `host_address`: address of its host copy; `t`: its type.
function SnapshotBuilder:device_pointer(row, at, host_address, t)
  local ctx, number = self.ctx, self.number
  if ctx:excluded_at(number, at) then
    row.state = "excluded"
    return
  elseif ctx:device_written(number, at, POINTER_BYTES) < POINTER_BYTES then
    row.state, row.unknown = "unknown", true
    return
  end
  local value = ctx:device_pointer(number, at)
  local attached = ctx:attachment_at(number, host_address)
  row.address = value
  if not value then
    row.state = "unknown"
  elseif attached and attached.low == 0 and attached.dev == value then
    row.state, row.count = "gone", attached.count
  elseif attached and (attached.dev == value or ctx:device_of(value) == number) then
    local target = self.session.rules.fusion and self:device_object(attached.target, false)
      or self:device_object(attached.low, true)
    row.state, row.count, row.to = "attached", attached.count, id_of(target)
    row.at = row.to and value - target.info.dev + target.offset
    row.into = row.to and into(t, row.at, target.offset + target.bytes, self.language)
  else
    self:unattached_target(row, value, t)
  end
end

-- Returns the reader (an interface that members.lua describes) of the memory of the device object `object`. Offsets are
-- those in the host object.
function SnapshotBuilder:device_reader(object)
  local ctx, number, builder = self.ctx, self.number, self
  local base, host = object.info.dev - object.offset, object.info.host - object.offset
  -- Returns true if `bytes` bytes at `offset` of the host object were all written on the device.
  local function is_written(offset, bytes) return ctx:device_written(number, base + offset, bytes) == bytes end
  return {
    value = function(offset, t)
      if not is_written(offset, t.size) then return nil end
      return (ctx:device_read(number, base + offset, t.code))
    end,
    language = self.language,
    pointer = function(offset, row, t) builder:device_pointer(row, base + offset, host + offset, t) end,
    dims = function(offset, t)
      local space = builder.session.device_side.spaces[number]
      return is_written(offset, t.size) and fortran_descriptor.dims(space, t, base + offset) or nil
    end,
  }
end

-- Returns the rows of an object without a known type: a list with one row, "N bytes". `low`: offset of the object in
-- the host object; `bytes`: its length.
local function raw_row(low, bytes)
  return { { path = "", offset = low, bytes = bytes, kind = "value", text = strings.count(bytes, "byte") } }
end

-- Returns the table of an object or a group in the snapshot. `object`: an entry of the result of `choose`. `reader`:
-- the method host_reader or device_reader.
function SnapshotBuilder:describe(object, reader)
  local out = { id = object.id, name = object.name, type = object.t and types.name(object.t) or nil,
    bytes = object.bytes, present = object.present, is_variable = object.is_variable, rows = {},
    structured = object.structured, dynamic = object.dynamic, mapped = object.mapped, group = object.group }
  if object.group then
    out.name = object.group == 1 and object.first or ("%s ... %s"):format(object.first, object.last)
    out.parent, out.names = id_of(object.parent), object.names
    out.host = id_of(object.owner)
    if not object.owner then
      out.present = object.present_count == object.group and "wholly" or object.present_count > 0 and "partly" or nil
    end
    return out
  end
  local low = object.info and object.offset or 0
  if object.info then
    out.host, out.offset, out.part = id_of(object.owner), low, object.owner and object.bytes < object.owner.bytes or nil
  end
  out.memory = self.keep and self.keep(object)
  local owner = object.owner or object
  out.title = title_of(object)
  local rows = object.t
    and members.rows(reader(self, object), object.t, low, low + object.bytes, owner.required_offsets)
  out.rows = rows and #rows > 0 and rows or raw_row(low, object.bytes)
  for _, row in ipairs(out.rows) do row.address = nil end
  return out
end

-- Returns `name` if the host object of this name is in a group; a false value if it is listed one by one or unknown.
function SnapshotBuilder:grouped_name(name)
  for _, object in ipairs(self.objects) do
    if object.name == name then return object.grouped and name end
  end
  return nil
end

-- ---------------------------------------------------------------------------------- the tables --

-- Returns the fields of the tuples (entries of the directory, run/state.lua) in `list` that a snapshot has; an empty
-- list if `list` is nil.
local function tuples(list)
  local out = {}
  for i, tuple in ipairs(list or {}) do
    out[i] = { name = tuple.name, bytes = tuple.bytes, state = tuple.state, ancestors = tuple.ancestors }
  end
  return out
end

-- Returns the fields of the level `from` (an open data region, run/state.lua) that a snapshot has. `fusion`: true if
-- the level has tuples. The base level, for `enter data`, has its clauses in the field `dynamic` and its tuples in
-- `floor`; both fields are nil for other levels, and if `dynamic` is empty.
local function level(from, fusion)
  return { kind = from.kind or "below all levels", at = from.at, clauses = tuples(from.original),
    tuples = fusion and tuples(from.artificial) or nil,
    dynamic = from.dynamic and #from.dynamic > 0 and tuples(from.dynamic) or nil,
    floor = from.dynamic and #from.dynamic > 0 and tuples(from.floor) or nil }
end

-- Returns the snapshot of a session, and the function `locate`. `device`: number of the device, or nil for the current
-- one. `numbers`, `keep`, `listed_names`: see the head of this file; each may be nil.
function snapshot.take(session, device, numbers, keep, listed_names)
  local builder = setmetatable({ session = session, ctx = session.ctx, core = session.core,
    number = device or session.now.device, numbers = numbers or {}, keep = keep, listed_names = listed_names or {},
    objects = {}, at = {}, pointers = 0, language = session.language }, SnapshotBuilder)
  builder:collect_host()
  builder:collect_device()
  local host, present = builder:choose(builder.objects, "h"), builder:choose(builder.present, "d")
  local result = { number = builder.number, fusion = session.rules.fusion,
    is_openmp = session.rules.is_openmp or nil, titles = {}, host = {}, device = {}, attached = {},
    present = {}, levels = {} }
  for i, object in ipairs(host) do
    object.present = object.present or "absent"
    result.host[i] = builder:describe(object, SnapshotBuilder.host_reader)
  end
  for i, object in ipairs(present) do result.device[i] = builder:describe(object, SnapshotBuilder.device_reader) end
  local s = state.read(session, builder.number)
  result.attached = s.attached
  for i, object in ipairs(s.present) do
    result.present[i] = { name = object.name, bytes = object.bytes, structured = object.structured,
      dynamic = object.dynamic == INF and "infinite" or object.dynamic, state = object.state, at = object.at }
  end
  for _, object in ipairs(builder.present) do
    local title = title_of(object)
    if title ~= object.name then result.titles[object.name] = title end
  end
  if s.dynamic and #s.dynamic > 0 then result.levels[1] = level({ dynamic = s.dynamic, floor = s.floor }, true) end
  local left_out = #s.levels > LEVELS and #s.levels - LEVELS or 0
  for i, data_level in ipairs(s.levels) do
    if left_out > 0 and i == OUTER + 1 then
      table.insert(result.levels, { kind = ("... %d more"):format(left_out), clauses = {} })
    elseif i <= OUTER or i > OUTER + left_out then
      table.insert(result.levels, level(data_level, session.rules.fusion))
    end
  end
  return result, function(address)
    if type(address) == "string" then return builder:grouped_name(address) end
    local range = builder.ctx:host_at(address)
    local object = range and builder.at[range.host]
    return id_of(object), range and address - range.host, id_of(builder:device_object(address, false)),
      object and object.grouped and object.name or nil
  end
end

return snapshot
