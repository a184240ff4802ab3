-- debug_types.lua - builds types from debug information: turns the nodes that core.debug reads into types, with the
-- offsets and sizes that are recorded there. Used by debug_info.lua.
--
-- A node describes one type: {kind, name?, size?, ...}; lua/binding/debug_type.c lists the kinds and fields. A builder
-- keeps new names in its own tables (tags, typedefs, enumerators). A type whose name the session has already must be
-- the same type. When all types fit, commit enters the names into the session's scope.
--   core.debug --nodes--> Builder:type --finish--> all records complete --commit--> scope.
--
--   Fields of a builder:
--     session, file   the session; name of the program in messages.
--     lookup(node)    completes the node of a type that is only declared; returns false if it cannot.
--     by_node         node -> type; unnamed: node.id (number of the entry) -> record without a name.
--     tags, typedefs, enumerators   new names, which commit declares: key (qualified_names.lua) -> type, or value.
--     waiting         records that finish must complete: {t, node, is_known}; is_known: the session has the record.
--     under_way       set of the records that are being completed; depth: number of nested calls of Builder:type.
--     compared_types  node -> set of types that `differs` found equal to the node, or is comparing with it.
--     makers, key, ... functions that differ between languages (see the table debug_types.c below).

local diagnostic = require "accdeep.base.diagnostic"
local qualified_names = require "accdeep.types.qualified_names"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise

local Builder = {}
Builder.__index = Builder

local BYTE = types.scalars["unsigned char"]

-- -------------------------------------------------------------------------------------- scalars --

-- Returns a type called `name` for `size` bytes that no C type describes: they are copied, but have no value.
local function opaque_type(name, size)
  local t = types.array(BYTE, size)
  t.name = name
  return t
end

local integers = { -- encoding -> size in bytes -> name of the C type
  signed = { "signed char", "short", [4] = "int", [8] = "long" },
  unsigned = { "unsigned char", "unsigned short", [4] = "unsigned int", [8] = "unsigned long" },
}
local floats = { [4] = "float", [8] = "double" }

-- Returns the scalar type of a node of kind base, by its name or by encoding and size; an array of two floating numbers
-- for a complex type. Other base types become opaque bytes (opaque_type).
local function base_type(node)
  local encoding, size = node.encoding, node.size
  local named = types.builtin(strings.word_list(node.name or ""))
  if named and named.kind == "scalar" and named.size == size and (encoding == "float") == (named.float or false) then
    return named
  elseif encoding == "complex" and floats[size // 2] then
    return types.array(types.scalars[floats[size // 2]], 2)
  elseif encoding == "boolean" and size == 1 then
    return types.scalars._Bool
  end
  local name = encoding == "float" and floats[size]
    or (integers[encoding == "boolean" and "unsigned" or encoding] or {})[size]
  return name and types.scalars[name] or opaque_type(node.name, math.max(size, 0))
end

-- Returns the scalar type that represents an enum, by its size and signedness; int for other sizes.
local function enum_base(node)
  return types.scalars[integers[node.signed and "signed" or "unsigned"][node.size] or "int"]
end

-- -------------------------------------------------------------------------------------- members --

-- Largest plausible size of a type in bytes. Damaged files may state larger ones, which raise_damaged reports.
local MOST = 1 << 46

-- Raises the error for damaged debug information. message: the end of the error's text.
local function raise_damaged(message)
  raise("file", nil, "the debug information is damaged: " .. message, { rule = "HOUSE-debug" })
end

-- Returns true if a node, or a node that it reaches through pointers, arrays and typedefs, is const or volatile. The
-- search ends at records, which count as unqualified. node nil (void): false.
local function is_qualified(node)
  -- The loop is limited, because damaged information may refer to itself.
  for _ = 1, 64 do
    if not node or node.kind == "record" then break end
    if node.qualified then return true end
    node = node.to or node.of
  end
  return false
end

-- Returns the node that a chain of typedefs names, nil for void. in_arrays: true to continue to the elements of arrays.
-- Raises for a chain without end.
local function strip_typedefs(node, in_arrays)
  for _ = 1, 100 do
    local is_array = in_arrays and node and node.kind == "array"
    if not is_array and (not node or node.kind ~= "typedef") then return node end
    node = is_array and node.of or node.to
  end
  raise_damaged "a type names itself"
end

-- Returns true if the node of a record defines it, with a known size, and does not only declare it.
local function is_complete(node) return not node.declaration and node.size ~= nil end

-- Returns the members of a record that have a known, fixed offset, as a list of {name?, node, offset, base, closed,
-- qualified}. The second result is true if the record has further members, whose bytes the caller must cover by unnamed
-- members (fill). closed: true for a member that is not accessible outside of its class. Also stores the sets of the
-- names of bit-fields (node.bit_fields) and hidden members (node.hidden). Results are cached in the node.
function Builder:members_of(node)
  if node.list then return node.list, node.unseen end
  local list, unseen, bit_fields, hidden = {}, false, {}, {}
  -- Stored before the members are read, because damaged records may contain themselves.
  node.list, node.bit_fields, node.hidden = list, bit_fields, hidden
  for _, m in ipairs(node.members) do
    local stripped, inner = strip_typedefs(m.type), strip_typedefs(m.type, true)
    local is_known = not inner or inner.kind ~= "record" or is_complete(inner) or self.lookup(inner)
    -- A flexible array and an empty base class have no bytes, so both are left out.
    local is_endless = stripped and stripped.kind == "array" and stripped.dims[1] and not stripped.dims[1].count
    local is_empty = m.base and stripped and stripped.kind == "record" and #self:members_of(stripped) == 0
    -- A member without a name is listed only if it is a record, whose members have names.
    local has_name = m.name or stripped and stripped.kind == "record"
    if m.bits or not m.offset or not is_known or not has_name or self.is_hidden(m, stripped) then
      -- The list omits bit-fields, virtual base classes (no fixed offset), members whose type is only declared, members
      -- without a name, and members that the language hides.
      unseen = true
      if m.bits and m.name then bit_fields[m.name] = true end
      if m.name and self.is_hidden(m, stripped) then hidden[m.name] = true end
    elseif stripped and not is_endless and not is_empty then
      local name = m.name
      if name and name:find "^_vptr" then name = "__vptr" end
      list[#list + 1] = { name = name, node = m.type, offset = m.offset, base = m.base, closed = m.closed,
        qualified = m.qualified or is_qualified(m.type) }
    end
  end
  node.unseen = unseen
  return list, unseen
end

-- Returns a copy of a record without the members that `names` has as keys. The copy replaces a base class some of whose
-- members a derived class hides.
local function without_members(record, names)
  local members = {}
  for _, m in ipairs(record.members) do
    if not m.name then
      members[#members + 1] = { type = without_members(m.type, names), offset = m.offset }
    elseif not names[m.name] then
      members[#members + 1] = { name = m.name, type = m.type, offset = m.offset, closed = m.closed }
    end
  end
  local reduced = types.record(record.record, record.tag)
  reduced.name = record.name
  return types.set_members(reduced, members, record.size, record.align)
end

-- Appends members without a name to the list `members`, for the bytes of a record of `size` bytes that no member
-- covers. These bytes are then copied with the object. Sorts the list by offset.
local function fill(members, size)
  local sorted = table.move(members, 1, #members, 1, {})
  table.sort(sorted, function(a, b) return a.offset < b.offset end)
  local at = 0
  local function bytes(to)
    if to <= at then return end
    local filler = { name = ("(bytes %d to %d)"):format(at, to - 1), type = opaque_type("bytes", to - at), offset = 0 }
    members[#members + 1] = { type = types.set_members(types.record("struct"), { filler }, to - at, 1), offset = at }
  end
  for _, m in ipairs(sorted) do
    bytes(m.offset)
    at = math.max(at, m.offset + m.type.size)
  end
  bytes(size)
  table.sort(members, function(a, b) return a.offset < b.offset end)
end

-- Returns the alignment that a record's layout implies: the largest of node.align and the alignments of those members
-- whose offsets are multiples of their alignments. It is halved until the record's size is a multiple of it, too.
local function alignment(node, members)
  local align = node.align or 1
  for _, m in ipairs(members) do
    if m.offset % m.type.align == 0 then align = math.max(align, m.type.align) end
  end
  while align > 1 and node.size % align ~= 0 do align = align // 2 end
  return align
end

-- -------------------------------------------------------------------------------- building types --

Builder.damaged = raise_damaged

-- Gives a record t its members from a node; records among its members are completed first. Precondition: the node is
-- complete (is_complete). Raises if the information is inconsistent: sizes, offsets, or a record that contains itself.
function Builder:complete(t, node)
  if self.under_way[t] then raise_damaged(types.name(t) .. " contains itself") end
  if node.size < 0 or node.size > MOST then raise_damaged(types.name(t) .. " has no such size") end
  self.under_way[t] = true
  local members, names = {}, {}
  local list, unseen = self:members_of(node)
  for _, m in ipairs(list) do
    if m.name then names[m.name] = true end
  end
  local bases = {}
  for _, m in ipairs(list) do
    local member_type = self:type(m.node)
    if member_type.kind == "record" and not member_type.complete or m.offset < 0
      or m.offset + member_type.size > node.size then
      raise_damaged(("member '%s' of %s is not inside"):format(m.name or "", types.name(t)))
    end
    if m.base then bases[#bases + 1] = member_type end
    local hidden = false
    for name in pairs(not m.name and member_type.by_name or {}) do
      hidden = hidden or names[name] == true
    end
    if hidden then member_type = without_members(member_type, names) end
    for name in pairs(not m.name and member_type.by_name or {}) do names[name] = true end
    members[#members + 1] = { name = m.name, type = member_type, offset = m.offset, closed = m.closed,
      qualified = m.qualified or nil }
  end
  if unseen and not node.union then fill(members, node.size) end
  self.set_members(t, members, node.size, alignment(node, members))
  t.bases, t.from_debug, t.bit_fields, t.hidden = bases, true, node.bit_fields, node.hidden
  self.under_way[t] = nil
end

-- Stores the type of a node, for further uses of the node. Nodes are new for each type that is read, so a structure
-- without a name is also stored under the number of its entry in the debug information.
function Builder:cache_type(node, t)
  self.by_node[node] = t
  if not node.name and node.id then self.unnamed[node.id] = t end
end

-- Returns the record of a node. needed: true to complete the record now; false if a pointer is enough, so that
-- Builder:finish completes it later. A record of this name that the session has already is used, if it is equal. Raises
-- if it differs and belongs to the current scope (Builder:find_known).
function Builder:record(node, needed)
  local t = self.by_node[node] or not node.name and self.unnamed[node.id] or nil
  local key = node.name and self.key(node.name)
  if key and not t and self.distinct then key = self:distinct(node, key) end
  if not t then
    t = key and (self.tags[key] or self:find_known("tags", key, node)) or self.new_record(node, key)
    if key then self.tags[key] = t end
    if is_complete(node) then table.insert(self.waiting, { t = t, node = node, is_known = t.complete }) end
  end
  self:cache_type(node, t)
  if needed and not t.complete and is_complete(node) then self:complete(t, node) end
  return t
end

-- Returns the session's type of the name `key` if it does not differ from the node's type; an incomplete type differs
-- from no record. space: "tags" or "typedefs". Returns nil if the name is unknown, or if a different type has the name
-- in an enclosing scope. Raises if a different type has the name in this scope.
function Builder:find_known(space, key, node)
  local scope = self.session.now.scope
  local t = scope[space][key]
  if not t then return nil end
  local reason = self:differs(t, node)
  if not reason then return t end
  if not rawget(scope[space], key) then return nil end
  raise("duplicate-name", nil, ("%s is declared already, and not as in %s: %s"):format(types.name(t), self.file,
    reason), { rule = "HOUSE-debug", help = "declare it once: here, or from debug information" })
end

-- Returns the array type of a node of kind array, with the dimensions in C's order. Dimensions without a known length
-- get 0. Raises if the array is implausibly large.
function Builder:array(node)
  local element = self:type(node.of)
  local first, last, step = #node.dims, 1, -1
  if node.column_major then first, last, step = last, first, 1 end
  local t = element
  for i = first, last, step do
    local n = node.dims[i].count or 0
    if n < 0 or t.size > 0 and n > MOST // t.size then raise_damaged "an array is larger than any memory" end
    t = types.array(t, n)
  end
  return t
end

-- Returns the type by which C sessions see gfortran's array descriptor, a structure (gfc_array_descriptor of
-- libgfortran.h).
function Builder:descriptor(node)
  local LONG, INT = types.scalars.long, types.scalars.int
  local function structure(tag, list)
    local t, members = types.record("struct"), {}
    for i = 1, #list, 2 do members[#members + 1] = { name = list[i], type = list[i + 1] } end
    t.name = tag
    return types.complete(t, members)
  end
  local dtype = structure("dtype_type", { "elem_len", types.scalars["unsigned long"], "version", INT,
    "rank", types.scalars["signed char"], "type", types.scalars["signed char"], "attribute", types.scalars.short })
  local dimension = structure("descriptor_dimension", { "_stride", LONG, "lower_bound", LONG, "_ubound", LONG })
  return structure(("descriptor of rank %d"):format(node.rank), { "base_addr", self:pointer { to = node.of },
    "offset", LONG, "dtype", dtype, "span", LONG, "dim", types.array(dimension, node.rank) })
end

-- Returns the type of a pointer. If the target is a structure without a tag, it is named after the typedef in the
-- pointer's declaration. The target is not completed here, so types may be recursive.
function Builder:pointer(node)
  local to = strip_typedefs(node.to)
  if not to or to.kind ~= "record" then return types.pointer(self:type(node.to)) end
  local key = not to.name and node.to.kind == "typedef" and qualified_names.key(node.to.name)
  if not key then return types.pointer(self:record(to, false)) end
  local t = self.typedefs[key] or self:find_known("typedefs", key, node.to) or self:record(to, false)
  t.name, self.typedefs[key] = t.name or key, t
  self:cache_type(to, t)
  return types.pointer(t)
end

-- Returns the scalar type of an enum, and registers its enumerators in the builder, except those of scoped enums (enum
-- class) and of enums inside a scope.
function Builder:enum(node)
  local key = node.name and qualified_names.key(node.name)
  local t = key and (self.tags[key] or self:find_known("tags", key, node))
  if not t then
    t = types.enum(key, enum_base(node))
    if key then self.tags[key] = t end
  end
  if not node.scoped and not (key and key:find "::") then
    for _, value in ipairs(node.values) do
      if value.name then self.enumerators[value.name] = value.value end
    end
  end
  return t
end

-- Returns the type that a typedef names, and registers the name in the builder. Raises if the session has another type
-- of that name in its scope.
function Builder:typedef(node)
  if not node.name then raise_damaged "a typedef has no name" end
  local key = qualified_names.key(node.name)
  local t = self.typedefs[key] or self:find_known("typedefs", key, node)
  local to = t and t.kind == "record" and strip_typedefs(node.to)
  if to then
    if not to.name then self:cache_type(to, t) end
    -- A pointer to the record was seen before, so the record is still incomplete.
    if not t.complete then self:record(to, true) end
  elseif not t then
    t = self:type(node.to)
    if t.kind == "record" and not t.tag then t.name = t.name or key end
  end
  self.typedefs[key] = t
  return t
end

-- Returns a new, incomplete record with the tag `key`, or without a tag if `key` is nil.
local function new_record(node, key)
  local t = types.record(node.union and "union" or "struct", key)
  if key and not key:find "^[%a_][%w_]*$" then t.name = key end
  return t
end

-- Functions that make C types of nodes, by kind: function(builder, node) -> type.
local makers = {
  base = function(_, node) return base_type(node) end,
  pointer = Builder.pointer, array = Builder.array, descriptor = Builder.descriptor, enum = Builder.enum,
  typedef = Builder.typedef,
  record = function(self, node) return self:record(node, true) end,
  character = function(_, node) return types.array(types.scalars.char, math.max(node.size, 0)) end,
  ["function"] = function() return types["function"] end,
  other = function(_, node) return opaque_type(node.name, node.size) end,
}

-- Limit of nested nodes (Builder:type). Types of real programs stay below this limit; damaged files may exceed it.
local DEEPEST = 180

-- Returns the type of a node; void for nil. A record, or a record that is the element of an array, is completed at
-- once. Records that pointers point to are completed by Builder:finish. Raises if the information is damaged.
function Builder:type(node)
  if not node then return types.void end
  local t = self.by_node[node]
  if t and (t.kind ~= "record" or t.complete) then return t end
  self.depth = self.depth + 1
  if self.depth > DEEPEST then raise_damaged "types are nested too deeply" end
  t = self.makers[node.kind](self, node)
  self.depth = self.depth - 1
  self.by_node[node] = t
  return t
end

-- Completes all records that pointers point to, including records that are found meanwhile. For records that the
-- session has already, the types of members are built, too, because some may still be incomplete. Raises if the
-- information is damaged.
function Builder:finish()
  local at = 1
  while self.waiting[at] do
    local waiting = self.waiting[at]
    if not waiting.t.complete then self:complete(waiting.t, waiting.node) end
    for _, m in ipairs(waiting.is_known and self:members_of(waiting.node) or {}) do self:type(m.node) end
    at = at + 1
  end
end

-- ------------------------------------------------------------------------------------- comparison --

-- Returns the size in bytes of a node's type; 1 for void, 0 if it is not known. Raises if typedefs or arrays have no
-- end.
local function size_of(node)
  node = strip_typedefs(node)
  if not node then return 1 end
  if node.kind == "pointer" then return 8 end
  if node.kind == "array" then
    -- Called to raise if the elements' types have no end.
    strip_typedefs(node, true)
    local n = size_of(node.of)
    for _, dim in ipairs(node.dims) do n = n * (dim.count or 0) end
    return n
  end
  return node.size or 0
end

-- Returns the reason, as a text, why the record t differs from a node of a record; nil if they are equal, or if one of
-- them is incomplete. name: how the text calls the record.
function Builder:record_differs(t, node, name)
  if t.record ~= (node.union and "union" or "struct") then return ("%s is a %s"):format(name, t.record) end
  if not t.complete or not is_complete(node) then return nil end
  if t.size ~= node.size then
    return ("%s has %d bytes, there it has %d"):format(name, t.size, node.size)
  end
  local list, unseen = self:members_of(node)
  local own = {}
  for _, m in ipairs(t.members) do
    if m.name or not (unseen and next(m.type.by_name):find "^%(") then own[#own + 1] = m end
  end
  for i, m in ipairs(list) do
    local own_member = own[i]
    local display_name = m.name and ("member '%s'"):format(m.name) or "a member without a name"
    -- Debug information gives the parent component of Fortran a name.
    local name_of = own_member and (own_member.name or own_member.type == t.parent and t.parent.tag) or nil
    if not own_member or name_of ~= m.name then return display_name .. " is not in its place" end
    if own_member.offset ~= m.offset then
      return ("%s is at offset %d, there at %d"):format(display_name, own_member.offset, m.offset)
    end
    local reason = self:differs(own_member.type, m.node, display_name)
    if reason then return reason end
  end
  if #own > #list then return ("member '%s' is not there"):format(own[#list + 1].name or "(without a name)") end
  return nil
end

-- Returns the reason, as a text, why a type of the session differs from a node's type; nil if they are equal. name: how
-- the text calls the type; nil: "it". A pair that is being compared already counts as equal, so that recursive types
-- end.
function Builder:differs(t, node, name)
  node, name = strip_typedefs(node), name or "it"
  local function other() return ("%s is %s, there it has another type"):format(name, types.name(t)) end
  if not node then return t.kind ~= "void" and other() or nil end
  local pairs_of = self.compared_types[node]
  if not pairs_of then
    pairs_of = {}
    self.compared_types[node] = pairs_of
  end
  if pairs_of[t] then return nil end
  pairs_of[t] = true
  local reason
  if node.kind == "record" then
    reason = t.kind ~= "record" and other() or t.kind == "record" and self:record_differs(t, node, name)
      or (t.tag and node.name and t.tag ~= self.key(node.name) and other()) or nil
  elseif node.kind == "pointer" then
    -- A scalar pointer of Fortran is a descriptor of rank 0.
    local to = t.kind == "pointer" and t.to or t.kind == "descriptor" and t.rank == 0 and t.of
    reason = not to and other() or to and self:differs(to, node.to, name) or nil
  elseif node.kind == "array" then
    local element, bytes = t, size_of(node)
    for _ = 1, #node.dims do element = element and element.of end
    reason = (not element or t.size ~= bytes) and other() or element and self:differs(element, node.of, name) or nil
  elseif node.kind == "enum" then
    reason = (t.kind ~= "scalar" or t.size ~= node.size) and other() or nil
  elseif node.kind == "function" then
    reason = t.kind ~= "function" and other() or nil
  else
    local same = self.makers[node.kind](self, node)
    local fits = t.kind == same.kind and t.size == same.size and t.code == same.code and t.attribute == same.attribute
    reason = not fits and other() or same.kind == "descriptor" and self:differs(t.of, node.of, name) or nil
  end
  if reason then pairs_of[t] = nil end
  return reason
end

-- --------------------------------------------------------------------------------- entering names --

-- Enters the new names into the session's scope. Raises, and enters nothing, if a variable or an enumerator has one of
-- the names already.
function Builder:commit()
  local scope = self.session.now.scope
  for key in pairs(self.typedefs) do
    if rawget(scope.variables, key) or rawget(scope.enumerators, key) then
      raise("duplicate-name", nil, ("'%s' is declared already, and a type in %s"):format(key, self.file),
        { rule = "HOUSE-debug" })
    end
  end
  for name, value in pairs(self.enumerators) do
    local existing = rawget(scope.enumerators, name)
    if existing ~= value and scope:find_declared(name) then
      raise("duplicate-name", nil, ("'%s' is declared already, and an enumerator in %s"):format(name, self.file),
        { rule = "HOUSE-debug" })
    end
  end
  for _, space in ipairs { "tags", "typedefs" } do
    for key, t in pairs(self[space]) do
      if scope[space][key] ~= t then scope[space][key] = t end
      if not key:find "^[%a_][%w_]*$" then scope.qualified[key] = qualified_names.parse(key) end
    end
  end
  for name, value in pairs(self.enumerators) do scope.enumerators[name] = value end
end

local debug_types = { is_qualified = is_qualified }

-- Fields of a builder that differ between languages (session.language.debug): these are for C and C++, those in
-- fortran_debug_types.lua for Fortran.
--   makers                           kind of a node -> function(builder, node) that returns its type.
--   key(name)                        key of a type's name.
--   new_record(node, key)            new, incomplete record.
--   set_members(t, list, size, align)  completes a record.
--   is_hidden(member, node)          true if a member gets no name. node: its type without typedefs.
--   distinct(builder, node, name)    key of a type whose name is not unique; nil in C.
debug_types.c = { makers = makers, key = qualified_names.key, new_record = new_record, set_members = types.set_members,
  is_hidden = function() return false end }

-- Returns a new builder. file: the program's name in messages. lookup(node): function that completes a node that is
-- only declared where it is used, and returns true if it succeeded, otherwise false.
function debug_types.new(session, file, lookup)
  local builder = { session = session, file = file, lookup = lookup,
    by_node = {}, unnamed = {}, tags = {}, typedefs = {}, enumerators = {}, waiting = {}, under_way = {},
    compared_types = {}, depth = 0 }
  for key, value in pairs(session.language.debug) do builder[key] = value end
  return setmetatable(builder, Builder)
end

return debug_types
