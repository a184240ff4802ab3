-- mapping_compiler.lua - compiles typed elements (sema/members/typed_members.lua) to mapping programs of the core.
--
-- Input: a session and a typed element. Output: a core program for one element of the record, or nil if the element is
-- plain data: without pointers to follow, members to exclude, or actions of members. requested_action.lua calls this
-- file. The core runs a program once per element, without Lua.
--
--   program of struct S { int n; double *a; struct T t; int x; }     shape: include(a[0:n]).
--     pieces     [n][a....][t......][x]        byte ranges that are copied; neighbours are joined over padding.
--     fields     a: count = n, unit = 8        one per pointer to follow, section, or long array of structures; its
--       code computes the bounds. child program of the target's elements; nil for plain data. up = k instead of child
--       in a recursive type: the program k levels up.
--     excluded   members of exclude            byte ranges that are not available on the device.
--     members                                  symbols of all leaf members, for messages.
--     code                                     register code; field i runs it up to code_end.
--
-- Life of a field: add_section (pointer, array part), add_descriptor (Fortran) or add_records (long array of
-- structures) makes it. They emit the code of its bounds, compile the child's program, and append the field to `out`.
-- compile_program then joins the pieces, adds fields for members that are looked up by themselves, and makes the core's
-- program.
--
-- Invariants: pieces of a finished program are sorted and disjoint. Nested structures belong to their element (offsets
-- are from its start), while structures that pointers point to have programs of their own. Programs are cached by
-- typed element, except those that depend on the enclosing elements (touched, leads_up). Nothing here raises but the
-- limit of registers (codegen.lua). `out` holds the state of one compilation:
--     pieces, fields, excluded the lists shown above, unsorted.
--     parts                    offsets of arrays of which a section, not the whole, is mapped.
--     builder, ctx             code, and the environment of bounds (codegen.lua).
--     member_mapping           mapping of the structure being collected.
--     requested_action         requested action of this structure.
--     enclosing                the enclosing `out`.
--     partial                  true if only named members are mapped, so pieces are not joined over padding.
--
-- Parameters of many functions: `b` is a code builder, `env` its environment of bounds; values are those of
-- codegen.lua. `typed` is a typed member, `offset` the member's offset in the element, `name` its name in messages.
-- `init` is true for init_needed: the member is copied to the device even if the action only allocates. An action is a
-- word (policy.lua); nil: the enclosing element's action.

local lazy = require "accdeep.base.lazy"
local codegen = require "accdeep.lowering.codegen"
local fortran_component = lazy.require "accdeep.lowering.fortran_component"
local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local fortran_dynamic_types = lazy.require "accdeep.types.fortran_dynamic_types"
local action_words = require "accdeep.lowering.action_words"
local section_subscripts = require "accdeep.lowering.section_subscripts"
local types = require "accdeep.types"
local typed_members = require "accdeep.sema.members.typed_members"

local action = core.action

local mapping_compiler = {}

-- Arrays of structures with at most this many elements are unrolled: each structure adds its own pieces and fields.
-- Longer arrays become one field, which the core walks.
local UNROLLED = typed_members.UNROLLED
-- Limit of padding between two members in bytes: smaller padding is copied with the members, larger gaps are not.
local PADDING = 16

local compile_program -- forward declaration

-- Sets the action and flags of a field from the word `requested_action`; nil: the enclosing element's action. Returns
-- the field.
local function set_action(field, requested_action)
  field.action, field.flags = action_words.code(requested_action)
  return field
end

-- Sets field.child, the program of a field's target, and returns the field. child: a program, nil for plain data, or
-- {up}, a reference to an enclosing program that is still being compiled; this sets field.up instead.
local function child_of(field, child)
  if child and child.up then field.up = child.up else field.child = child end
  return field
end

-- Returns the member name `name` for messages, preceded by `prefix`, the names of enclosing members. A component of a
-- derived type gets a % before its name. A member of a C structure gets no sign, because the core adds the point.
local function member_label(record, prefix, name) return prefix .. (record.class == "type" and "%" or "") .. name end

-- Returns the name, for messages, of element i of an array member of type t, counted from 0 in memory order. The name
-- is name[i] in C, and name(i,j) with the array's lower bounds in Fortran.
local function element_name(t, name, i)
  if not t.bounds then return ("%s[%d]"):format(name, i) end
  local indices = {}
  for k, bound in ipairs(t.bounds) do
    indices[k], i = ("%d"):format(bound.lower + i % bound.extent), i // bound.extent
  end
  return ("%s(%s)"):format(name, table.concat(indices, ","))
end

-- Returns the dimensions of a Fortran array as {rank, {lower, extent, sm} ...}, by which the core names its elements
-- (sm: stride in bytes); nil for types without bounds.
local function array_of(t)
  if not t.bounds then return nil end
  local array, sm = { rank = #t.bounds }, t.of.size
  for i, bound in ipairs(t.bounds) do
    array[i], sm = { lower = bound.lower, extent = bound.extent, sm = sm }, sm * bound.extent
  end
  return array
end

-- Returns the dimensions of the arrays between the C type `from` and its element type `to`, as {rank, {extent} ...}, by
-- which the core names elements. Returns nil if there are no arrays.
function mapping_compiler.rows(from, to)
  local rows
  while from ~= to and from.kind == "array" do
    rows = rows or {}
    table.insert(rows, 1, { extent = from.n })
    from = from.of
  end
  if rows then rows.rank = #rows end
  return rows
end

-- Returns true if t is the type of C pointers to data, false for pointers to functions and other types.
local function is_pointer_member(t) return t.kind == "pointer" and t.to.kind ~= "function" end

-- Appends a piece to out.pieces. fields: a table with its further fields, which becomes the piece; nil: none.
local function add_piece(out, offset, bytes, fields)
  local piece = fields or {}
  piece.offset, piece.bytes = offset, bytes
  out.pieces[#out.pieces + 1] = piece
end

-- Returns the core's symbol of a member, for messages and events. unit: bytes of an element of a section, nil for a
-- whole member; layout: program that names the members of the elements, or nil.
local function label(name, unit, layout)
  return { name = name, unit = unit, member = true, section = unit ~= nil, layout = layout }
end

-- Appends pieces for the pointers inside an excluded member of type t at `offset`. The pieces are copied at the entry
-- only, so that the pointers have a defined value on the device (TR14-4.3-15). Unions, and arrays of more than UNROLLED
-- elements, get no pieces. Decides TR14-1.3-02, TR14-4.3-15.
local function leave_pointers(out, t, offset)
  if is_pointer_member(t) or t.kind == "descriptor" then
    add_piece(out, offset, t.size, { entry_only = true })
  elseif t.kind == "record" and t.record == "struct" then
    for _, member in ipairs(t.members) do leave_pointers(out, member.type, offset + member.offset) end
  elseif t.kind == "array" and t.n <= UNROLLED then
    for i = 0, t.n - 1 do leave_pointers(out, t.of, offset + i * t.of.size) end
  end
end

-- Returns the program by which the core names members of a section's elements in messages. element: type of the
-- elements; child: the program that maps them, nil, or {up} for an unfinished program. The result is `child` if it is
-- finished; otherwise a program that only names members, nil for other types than structures.
local function layout_of(session, element, child)
  return mapping_compiler.layout(session, element, child and not child.up and child or nil)
end

-- Returns the field of an alias, [@] or [@base] (TR14 3.5), without its offset. The pointer is translated, but its
-- target is not mapped: one byte must be present already, at the pointer's target or, with a base, at the base's
-- target. The pointer keeps its distance from this byte.
-- value: the pointer's value. alias: typed alias. length: result of mapping_compiler.base_section, or nil. base: value
-- of the base, nil to compute it from alias.base. The count is 0 for a null pointer or null base, and for a base with
-- an empty section (AMB-TR14-16); the pointer is then left unchanged. Decides TR14-2.3-02, TR14-3.5-02, TR14-3.5-03,
-- TR14-3.5-05, TR14-3.5-06, TR14-A.2-01.
local function alias_field(b, env, value, alias, length, base)
  local pos, zero = alias.pos, codegen.constant(0)
  local count = codegen.apply(b, "!=", value, zero, pos)
  local start
  if alias.base then
    base = base or codegen.value(b, env, alias.base)
    local has_base = codegen.apply(b, "!=", base, zero, pos)
    if length then
      has_base = codegen.apply(b, "&", has_base, codegen.apply(b, "!=", length.count, zero, pos), pos)
      base = codegen.apply(b, "+", base, length.bytes, pos)
    end
    count = codegen.apply(b, "&", count, has_base, pos)
    start = codegen.reg(b, codegen.apply(b, "-", base, value, pos), pos)
  end
  return { unit = 1, count = codegen.reg(b, count, pos), start = start, action = action.present, alias = true,
    code_end = b.n, label = label("") }
end
mapping_compiler.alias_field = alias_field

-- Returns the program of one level of pointers. Its element is one pointer; its field is the section that this level
-- selects in the pointer's target. out: the enclosing element's `out`, or nil; levels: typed levels (section.lua), of
-- which this is number `number`.
--
-- outer_registers: by level, the registers of the enclosing element that hold the bounds of this level and of inner
-- levels; nil: all bounds use names of the host program. A bound without a register is computed in this program.
-- inner_program(level) makes the last targets' program. alias_action: action on an absent target of @. rows(builder)
-- returns the register of the first pointer's address.
local function pointer_level(session, out, levels, number, outer_registers, inner_program, alias_action, rows)
  local subscript, element, b = levels[number].subscript, levels[number].element, codegen.builder()
  local level = { builder = b, enclosing = out }
  local ctx, pos = { session = session, out = level }, subscript.pos
  level.ctx = ctx
  local inherited = outer_registers and {}
  for i = number, outer_registers and #levels or 0 do
    inherited[i] = {}
    for _, key in ipairs { "count", "first", "base", "rows" } do
      local register = outer_registers[i][key]
      inherited[i][key] = register and b:emit(pos, core.opcode.INHERIT, 0, 0, register)
      -- Pinned, because programs of inner levels read this register, too.
      if register then b:pin(inherited[i][key]) end
    end
  end
  local field
  if subscript.tag == "alias" then
    local value = { reg = b:emit(pos, core.opcode.LOAD, 0, core.scalar.u64, 0), type = types.pointer(types.void) }
    field = alias_field(b, ctx, value, subscript, nil, inherited and inherited[number].base
      and { reg = inherited[number].base })
    field.offset, field.action = 0, alias_action or field.action
  else
    local own = inherited and inherited[number] or {}
    if not own.count then
      local base = own.rows or rows and rows(b)
      if base then
        function b.row(builder, where)
          local self = builder:emit(where, core.opcode.SELF, 0, 0, 0)
          return { reg = builder:emit(where, core.opcode.DISTANCE, self, base, 8), type = types.scalars.long }
        end
      end
      local start, length = section_subscripts.bounds(b, ctx, subscript)
      own.count = codegen.reg(b, length, pos)
      own.first = start.const ~= 0 and codegen.reg(b, start, pos) or nil
    end
    local child
    if levels[number + 1] then
      child = pointer_level(session, level, levels, number + 1, inherited, inner_program, alias_action)
    else
      child = element.kind == "record" and inner_program(out and level) or nil
    end
    field = child_of({ offset = 0, unit = element.size, count = own.count, start = own.first,
      code_end = b.n, label = label("", element.size, layout_of(session, element, child)) }, child)
  end
  return {
    name = "pointers", stride = 8, pieces = { { offset = 0, bytes = 8 } }, fields = { field },
    code = b.code, registers = math.max(b.most, 1), params = 0, excluded = {},
  }
end

-- Returns the program of pointers that are followed in sequence: p[0:n][0:m], p[0:n][@]. levels: their typed levels.
--
-- b: builder of the enclosing element, whose code computes the bounds; nil: bounds use names of the host program. env:
-- environment of these bounds. inner_program(level): function that returns the program of the last targets.
-- alias_action: action on a target of @ that is not present; nil: it must be present. rows(builder): function that
-- returns the register with the address of the first pointer, from which row numbers are computed; nil: none. Decides
-- TR14-3.5-07, TR14-3.5-08, TR14-3.5-09, ACC33-2.7.1-3.
local function pointer_program(session, out, b, env, levels, inner_program, alias_action, rows)
  local bound_registers = b and {}
  for i, level in ipairs(b and levels or {}) do
    local subscript, registers = level.subscript, {}
    local pos = subscript.pos
    if level.own then
      if i == 1 and rows then registers.rows = rows(b) end
    elseif subscript.tag == "alias" then
      registers.base = subscript.base and codegen.reg(b, codegen.value(b, env, subscript.base), pos)
    else
      local start, length = section_subscripts.bounds(b, env, subscript)
      registers.count = codegen.reg(b, length, pos)
      registers.first = start.const ~= 0 and codegen.reg(b, start, pos) or nil
    end
    for _, key in ipairs { "count", "first", "base", "rows" } do
      if registers[key] then b:pin(registers[key]) end
    end
    bound_registers[i] = registers
  end
  return pointer_level(session, out, levels, 1, bound_registers, inner_program, alias_action, rows)
end

-- Returns the product of `v`, a value of codegen, and the number `times`, as a value of codegen.
local function scale(b, v, times, pos)
  return times == 1 and v or codegen.apply(b, "*", v, codegen.constant(times), pos)
end

-- Returns the extent of the section of an alias's base, as values {count, bytes}. target: {subscript, unit}
-- (section.lua). count: number of elements in the section; bytes: offset of its first byte from the base. An empty
-- section cannot be a base, so alias_field tests the count.
function mapping_compiler.base_section(b, env, target)
  local start, count = section_subscripts.bounds(b, env, target.subscript)
  return { count = count, bytes = codegen.apply(b, "*", start, codegen.constant(target.unit), target.subscript.pos) }
end

-- Appends the field of a pointer member that is an alias: [@] or [@base] in the shape. Appends nothing in an update,
-- because updates ignore aliases (TR14-3.5-11). Decides TR14-2.3-01, TR14-3.5-11.
local function add_alias(session, out, typed, offset, name)
  local alias, b, t = typed.alias, out.builder, typed.entry.member.type
  if not alias then return end
  local env = typed.entry.outer and { session = session } or out.ctx
  b:boundary()
  local length = typed.target and mapping_compiler.base_section(b, env, typed.target)
  local value = codegen.load(b, { self = true, offset = offset, type = t }, alias.pos)
  local field = alias_field(b, env, value, alias, length)
  field.offset, field.label = offset, label(name)
  out.fields[#out.fields + 1] = field
end

-- Returns the word of the action on the objects that a member contains or points to; nil: the enclosing element's
-- action. A policy that maps these objects decides. Without such a policy, the entry's action counts, then that of the
-- enclosing structure.
local function inner_action(out, typed)
  if typed.inner and typed.inner.policy then return typed.inner.own or nil end
  return typed.entry.requested_action or out.requested_action
end

-- Appends the field of a member with sections: a pointer that is followed, or a part of an array.
local function add_section(session, out, typed, offset, name, init)
  local t, b, section = typed.entry.member.type, out.builder, typed.section
  local env, element, times, pos = typed.entry.outer and { session = session } or out.ctx, section.element,
    section.times, section.pos
  b:boundary()
  local start, length = section_subscripts.first_section(b, env, section, offset)
  local child
  if section.levels then
    local function rows(builder)
      return codegen.reg(builder, codegen.load(builder, { self = true, offset = offset, type = t }, pos), pos)
    end
    child = pointer_program(session, out, b, env, section.levels, function(level)
      return compile_program(session, typed.child, level)
    end, nil, rows)
  else
    child = compile_program(session, typed.child, out)
  end
  start, length = scale(b, start, times, pos), scale(b, length, times, pos)
  local field = child_of(set_action({
    offset = offset, unit = element.size, init = init,
    count = codegen.reg(b, length, pos),
    start = start.const ~= 0 and codegen.reg(b, start, pos) or nil,
    code_end = b.n, label = { name = name, unit = element.size, member = true, section = not t.bounds,
      round = t.bounds ~= nil, array = array_of(t) or mapping_compiler.rows(t.of or t.to, element),
      layout = layout_of(session, element, child) },
    in_place = t.kind == "array",
  }, inner_action(out, typed)), child)
  out.fields[#out.fields + 1] = field
end

-- Returns, as a value, the address of the data that the base of a Fortran alias a(@base) designates. origin:
-- {component?, variable?}, the base (typed_members.lua).
local function alias_origin(out, origin, b, pos)
  local void = types.pointer(types.void)
  if origin.component then
    return codegen.load(b, { self = true, offset = out.ctx.base + origin.component.offset, type = void }, pos)
  elseif origin.variable.type.kind == "descriptor" then
    return codegen.load(b, { variable = origin.variable, offset = 0, type = void }, pos)
  end
  return { symbol = codegen.symbol(origin.variable, 0), type = types.scalars.long }
end

-- Appends the field of an allocatable or pointer component that is an alias, (@) or (@base). One byte must be present:
-- of the component's target or, with a base, of the base's target (TR14-3.5-03). Appends nothing in an update, because
-- updates ignore aliases.
local function add_descriptor_alias(out, typed, offset, name)
  if out.member_mapping.update then return end
  local b, t, pos = out.builder, typed.entry.member.type, typed.alias.pos
  local zero = codegen.constant(0)
  local value = codegen.load(b, { self = true, offset = offset, type = types.pointer(types.void) }, pos)
  local has_target, start = codegen.apply(b, "!=", value, zero, pos), nil
  if typed.origin then
    local from = alias_origin(out, typed.origin, b, typed.alias.to.pos)
    has_target = codegen.apply(b, "&", has_target, codegen.apply(b, "!=", from, zero, pos), pos)
    start = codegen.reg(b, codegen.apply(b, "-", from, value, pos), pos)
  end
  -- The presence of a single byte is enough (TR14-3.5-03), so an element has one byte.
  local field = { unit = 1, count = codegen.reg(b, has_target, pos), start = start, alias = true }
  field.offset, field.slot_bytes, field.action, field.code_end = offset, t.size, action.present, b.n
  field.label = label(name)
  out.fields[#out.fields + 1] = field
end

-- Appends the field of the type record that the descriptor of a polymorphic component points to (FLANG-api-5). count:
-- number of elements in the component, a value; if the number is 0 when the program runs, no record is mapped. Decides
-- FLANG-api-5.
local function add_type_record(out, typed, offset, name, count)
  local b, pos = out.builder, typed.entry.member.pos
  local has_target = codegen.apply(b, "!=", count, codegen.constant(0), pos)
  local bytes = codegen.apply(b, "*", has_target, codegen.constant(fortran_dynamic_types.BYTES), pos)
  local t = typed.entry.member.type
  out.fields[#out.fields + 1] = set_action({ offset = offset + fortran_descriptor.type_record_offset(t), unit = 1,
    init = true, count = codegen.reg(b, bytes, pos), code_end = b.n,
    label = { name = name .. " (type)", unit = 1, member = true } }, inner_action(out, typed))
end

-- Appends the piece of an allocatable or pointer component and, if its target is mapped as well, the field of the
-- target. The extent comes from the descriptor, which has a defined value on the device for every action
-- (AMB-FLANG-01). own: action on the enclosing structure's bytes. Decides TR14-2.2-02, TR14-A.4-01, FLANG-pointer-2,
-- OMP60-map-16.
local function add_descriptor(session, out, typed, offset, name, own)
  local entry, b = typed.entry, out.builder
  local t, section = entry.member.type, typed.section
  local pos = section and section.pos or entry.member.pos
  add_piece(out, offset, t.size, out.member_mapping.bare and { entry_only = true }
    or { init = true, name = name, requested_action = own })
  if not typed.follows then return end
  b:boundary()
  b.constants = {}
  if typed.alias then return add_descriptor_alias(out, typed, offset, name) end
  local start, count
  if section then
    local env = entry.outer and { session = session } or out.ctx
    start, count = section_subscripts.first_section(b, env, section, offset)
  else
    start, count = fortran_component.whole_array(b, t, offset, pos)
  end
  -- Targets of polymorphic components are mapped as bytes, because the program of the dynamic type is not known here.
  local unit = t.polymorphic and 1 or t.of.size
  local child = compile_program(session, typed.child, out)
  if t.polymorphic then add_type_record(out, typed, offset, name, count) end
  out.fields[#out.fields + 1] = child_of(set_action({ offset = offset, unit = unit, slot_bytes = t.size,
    count = codegen.reg(b, count, pos), start = start.const ~= 0 and codegen.reg(b, start, pos) or nil,
    init = entry.init or nil, code_end = b.n, label = { name = name, unit = unit, member = true,
      round = true, section = section ~= nil, array = fortran_descriptor.array(t),
      layout = layout_of(session, t.of, child) } },
    inner_action(out, typed)), child)
end

local collect -- forward declaration

-- Adds a member that is a structure or an array of structures. init: true for init_needed. Up to UNROLLED structures
-- become pieces and fields of the element itself. A longer array becomes one piece if its elements are plain data,
-- otherwise one field that the core walks in place. Decides TR14-2.3-04, TR14-3.1.1-12, TR14-3.2.1-16, TR14-A.2-02.
local function add_records(session, out, typed, offset, name, init)
  local t, element, n = typed.entry.member.type, typed.element, typed.count
  local own = inner_action(out, typed)
  if n <= UNROLLED then
    for i = 0, n - 1 do
      local at = t.kind == "array" and element_name(t, name, i) or name
      collect(session, out, typed, offset + i * element.size, at .. (element.class and "" or "."), init, own)
    end
    return
  end
  local child = compile_program(session, typed.child, out)
  if not child then
    add_piece(out, offset, t.size, { init = init, name = name, requested_action = own })
    return
  end
  -- The array is walked in place: the field follows only pointers of its elements. The elements' own bytes belong to
  -- the enclosing element, so their pieces are added here.
  local inner = { pieces = {}, fields = {}, excluded = {}, parts = {}, builder = codegen.builder(), ctx = out.ctx,
    member_mapping = typed.inner, enclosing = out.enclosing }
  collect(session, inner, typed, 0, "", init, own)
  for i = 0, n - 1 do
    for _, piece in ipairs(inner.pieces) do
      add_piece(out, offset + i * element.size + piece.offset, piece.bytes,
        { init = piece.init, entry_only = piece.entry_only, base_pointer = piece.base_pointer,
          requested_action = piece.requested_action })
    end
    for _, excluded in ipairs(inner.excluded) do
      out.excluded[#out.excluded + 1] = { offset = offset + i * element.size + excluded.offset,
        bytes = excluded.bytes,
        label = label(element_name(t, name, i) .. (element.class and "" or ".") .. excluded.name) }
    end
    for _, part in ipairs(inner.parts) do out.parts[#out.parts + 1] = offset + i * element.size + part end
  end
  local b = out.builder
  b:boundary()
  out.fields[#out.fields + 1] = set_action({ offset = offset, unit = element.size, child = child, embedded = true,
    init = init, count = codegen.reg(b, codegen.constant(n)), code_end = b.n,
    label = { name = name, unit = element.size, member = true, layout = child, round = t.bounds ~= nil,
      array = array_of(t) } }, own)
end

-- Adds pieces, fields and excluded ranges for the members of a structure at offset `base` of the element. structure:
-- {members, inner}, its typed members and member mapping. prefix: beginning of the members' names; own: the word of the
-- action on their bytes, nil for the element's own action. While it runs, out.ctx, out.member_mapping and
-- out.requested_action are those of the structure; they are restored at the end. Decides TR14-1.1-03, TR14-1.1-07,
-- TR14-1.1-08, TR14-3.1.1-13, TR14-3.1.1-15, TR14-3.1.1-16, TR14-4.3-22, ACC33-2.7.1-5.
function collect(session, out, structure, base, prefix, init, own)
  local member_mapping = structure.inner
  local record, bare = member_mapping.record, member_mapping.bare
  local ctx, outer_mapping, outer_action = out.ctx, out.member_mapping, out.requested_action
  out.ctx = { session = session, base = base, out = out, above = ctx }
  out.member_mapping, out.requested_action = member_mapping, own
  if bare then out.partial = true end
  for _, typed in ipairs(structure.members) do
    local entry, kind = typed.entry, typed.kind
    local t, offset = entry.member.type, base + entry.offset
    local name = member_label(record, prefix, entry.member.name)
    local is_init = entry.init or init
    out.builder.location = typed.location
    if kind == "excluded" then
      out.excluded[#out.excluded + 1] = { offset = offset, bytes = t.size, name = name,
        label = label(name) }
      if not member_mapping.holes then leave_pointers(out, t, offset) end
    elseif kind == "descriptor" then
      add_descriptor(session, out, typed, offset, name, own)
    elseif kind == "section" or kind == "alias" then
      local pointer_mapping = member_mapping.pointer_mapping and member_mapping.pointer_mapping(entry.member.name)
      if t.kind == "pointer" and not bare then
        add_piece(out, offset, t.size, { name = name, requested_action = own })
      elseif t.kind == "pointer" and pointer_mapping then
        add_piece(out, offset, t.size, { entry_only = true, base_pointer = pointer_mapping == "unnamed",
          requested_action = "copyin" })
      -- The mapper does not name the pointer itself, only its section, so the pointer is not available on the device
      -- (OMP60-map-15).
      elseif t.kind == "pointer" and member_mapping.holes and not member_mapping.update then
        out.excluded[#out.excluded + 1] = { offset = offset, bytes = t.size, name = name, label = label(name) }
      end
      if t.kind == "array" then out.parts[#out.parts + 1] = offset end
      if kind == "alias" then add_alias(session, out, typed, offset, name)
      else add_section(session, out, typed, offset, name, is_init) end
    elseif kind == "records" then
      add_records(session, out, typed, offset, name, is_init)
    elseif is_pointer_member(t) and session.rules.untranslated ~= "host" and not entry.named then
      add_piece(out, offset, t.size, { entry_only = true })
    else
      add_piece(out, offset, t.size, { init = is_init, name = name, requested_action = entry.requested_action or own })
    end
  end
  out.ctx, out.member_mapping, out.requested_action = ctx, outer_mapping, outer_action
end

-- Sorts out.pieces and returns the pieces of an element of `size` bytes, with neighbours of equal attributes joined
-- over padding of less than PADDING bytes. Excluded members, and arrays of which only a section is mapped, always
-- separate pieces. Decides TR14-1.3-01, TR14-1.3-04.
local function join(out, size)
  local pieces = out.pieces
  table.sort(pieces, function(a, b) return a.offset < b.offset end)
  local gaps = {}
  for _, excluded in ipairs(out.excluded) do gaps[#gaps + 1] = excluded.offset end
  table.move(out.parts, 1, #out.parts, #gaps + 1, gaps)
  table.sort(gaps)
  local joined, gap = {}, 1
  local function gap_between(from, to)
    while gaps[gap] and gaps[gap] < from do gap = gap + 1 end
    return gaps[gap] and gaps[gap] < to
  end
  for _, piece in ipairs(pieces) do
    local last = joined[#joined]
    local finish = last and last.offset + last.bytes
    -- Members of a union overlap: the last piece grows to cover this piece, too.
    if last and piece.offset < finish then
      last.bytes = math.max(finish, piece.offset + piece.bytes) - last.offset
      last.name = nil
      last.init = last.init or piece.init
    else
      local near = last and piece.offset - finish < PADDING and not out.partial
        and not gap_between(finish, piece.offset)
      if near and not last.init == not piece.init and not last.entry_only == not piece.entry_only
        and last.requested_action == piece.requested_action then
        last.bytes = piece.offset + piece.bytes - last.offset
        last.name = nil
      else
        if near and not last.init then
          last.bytes = piece.offset - last.offset
        -- `last` is initialised without its padding, so the padding goes to the next piece.
        elseif near then
          piece.bytes, piece.offset, piece.name = piece.offset + piece.bytes - finish, finish, nil
        end
        joined[#joined + 1] = piece
      end
    end
  end
  local last = joined[#joined]
  if last and not last.init and size - (last.offset + last.bytes) < PADDING and not out.partial
    and not gap_between(last.offset + last.bytes, size) then
    last.bytes = size - last.offset
  end
  return joined
end

-- Keys of the program cache (cache_of) for lists of leaf members and for programs that only name members. Its other
-- keys are member mappings and, for blocks of OpenMP structures, keys of openmp_lowering.lua.
local NAMES, LAYOUT = {}, {}

-- Returns the program cache of a record, {key -> program}; creates it at the first call.
local function cache_of(session, record)
  local cache = session.caches.programs[record]
  if not cache then
    cache = {}
    session.caches.programs[record] = cache
  end
  return cache
end

-- Returns the list of a record's leaf members, {offset, bytes, name, label}; label: the core's symbol. Arrays of more
-- than UNROLLED elements are one leaf. The list is cached.
local function names_of(session, record)
  local cache = cache_of(session, record)
  if cache[NAMES] then return cache[NAMES] end
  local symbols = {}
  local function add(t, offset, name)
    if t.kind == "record" then
      for _, member in ipairs(t.members) do
        local inner = member.name and member_label(t, name .. ((name == "" or t.class) and "" or "."), member.name)
          or name
        add(member.type, offset + member.offset, inner)
      end
    elseif t.kind == "array" and t.n <= UNROLLED then
      for i = 0, t.n - 1 do add(t.of, offset + i * t.of.size, element_name(t, name, i)) end
    else
      symbols[#symbols + 1] = { offset = offset, bytes = t.size, name = name, label = label(name),
        pointer = types.holds_pointers(t) }
    end
  end
  add(record, 0, "")
  cache[NAMES] = symbols
  return symbols
end

-- Returns the name of the program for elements of a record.
local function program_name(record) return (types.name(record):gsub("^%a+ ", "")) end

-- Returns the program that describes elements of type t for messages: `program`, unless it is nil. For a structure
-- without a program it returns a cached program that only names its members; nil for other, incomplete and empty types.
function mapping_compiler.layout(session, t, program)
  if program or t.kind ~= "record" or not t.complete or t.size == 0 then return program end
  local cache = cache_of(session, t)
  cache[LAYOUT] = cache[LAYOUT] or { name = program_name(t), stride = t.size, code = {}, fields = {}, excluded = {},
    pieces = { { offset = 0, bytes = t.size } }, registers = 1, params = 0, members = names_of(session, t) }
  return cache[LAYOUT]
end

-- Flags of single members: a member with one of them, which the enclosing object lacks, needs a field of its own.
local OF_MEMBER = core.flag.always_in | core.flag.always_out | core.flag.require_present

-- Appends fields for members whose bytes the core looks up by themselves, and returns the pieces that remain with the
-- element. These are all members in an update of single members (AMB-TR14-20), and members with the action
-- update_and_copy, which get the host's bytes even if they are present (DIR-6-04). Members with modifiers of a mapper's
-- map (OMP60-map-15) get a field, too, but also keep their pieces.
local function add_separate_members(out, member_mapping, pieces)
  local b, rest = out.builder, {}
  local all = member_mapping.update and member_mapping.bare
  for _, piece in ipairs(pieces) do
    local is_separate = all or piece.requested_action == "update_and_copy"
    local _, flags = action_words.code(piece.requested_action)
    if not is_separate then rest[#rest + 1] = piece end
    if (is_separate or flags & OF_MEMBER & ~(member_mapping.flags or 0) ~= 0) and not piece.entry_only then
      b:boundary()
      out.fields[#out.fields + 1] = set_action({ offset = piece.offset, unit = piece.bytes, in_place = true,
        count = codegen.reg(b, codegen.constant(1)), code_end = b.n,
        label = label(piece.name or types.name(member_mapping.record)) }, piece.requested_action)
    end
  end
  return rest
end

-- Returns the program for a typed element; nil for nil, and if the elements are plain data. Returns the reference {up}
-- of a recursive type as it is. enclosing: `out` of the enclosing element, or nil. Decides TR14-2.2-04, TR14-3.3-16.
function compile_program(session, element, enclosing)
  if not element or element.up then return element end
  local record, cache = element.record, cache_of(session, element.record)
  if cache[element] ~= nil then return cache[element] or nil end
  local out = { pieces = {}, fields = {}, excluded = {}, parts = {}, builder = codegen.builder(),
    enclosing = enclosing }
  collect(session, out, { members = element.members, inner = element.mapping }, 0, "", false, nil)
  local pieces = add_separate_members(out, element.mapping, join(out, record.size))
  local whole = #pieces == 1 and pieces[1].bytes == record.size and not pieces[1].entry_only
    and not pieces[1].requested_action
  local program = false
  if not whole or #out.fields > 0 or #out.excluded > 0 or pieces[1].init then
    for _, piece in ipairs(pieces) do
      if piece.name then piece.label = label(piece.name) end
      piece.action = action_words.code(piece.requested_action)
    end
    program = { name = element.name, stride = record.size, pieces = pieces, fields = out.fields,
      excluded = out.excluded, members = names_of(session, record),
      code = out.builder.code, registers = math.max(out.builder.most, 1), params = 0 }
  end
  -- A program that reads registers of an enclosing element, or refers to an enclosing program, depends on the place
  -- where it is used, so it is not cached.
  if not element.touched and not element.leads_up then cache[element] = program end
  return program or nil
end

-- Returns the program for objects of a record, member_mapping.record, under a member mapping; nil if they are plain
-- data. pos: position for errors. Raises for errors of the mapping; nothing is cached then.
function mapping_compiler.program(session, member_mapping, pos)
  return compile_program(session, typed_members.element(session, member_mapping, pos))
end

mapping_compiler.compile = compile_program
mapping_compiler.names = names_of
mapping_compiler.pointer_program = pointer_program

return mapping_compiler
