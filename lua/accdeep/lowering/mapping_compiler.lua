-- mapping_compiler.lua - compiles member mappings (nest.lua) to mapping programs of the core.
--
-- Input: a session and a member mapping {record, layers, policy?, own?, bare?, update}. Output: a core program for one
-- element of the record, or nil if the element is plain data: without pointers to follow, members to exclude, or
-- actions of members. requested_action.lua and openmp_requested_action.lua call this file. The core runs a program once
-- per element, without Lua.
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
-- member mapping, with two exceptions: programs that read registers of an enclosing element (out.touched is set), or
-- refer to an enclosing program (out.leads_up). `out` holds the state of one compilation:
--     pieces, fields, excluded the lists shown above, unsorted.
--     parts                    offsets of arrays of which a section, not the whole, is mapped.
--     builder, ctx             code, and the environment of bounds: the names in scope (sema/c/symbols.lua).
--     member_mapping           mapping of the structure being collected.
--     requested_action         requested action of this structure.
--     enclosing, compiles       the enclosing `out`, and the member mapping that this `out` compiles.
--     recursive                true if a program inside refers back to the program being compiled.
--     partial                  true if only named members are mapped, so pieces are not joined over padding.
--
-- Parameters of many functions: `b` is a code builder, `ctx` its environment of bounds; values are those of
-- codegen.lua. `entry` is an entry of nest.entries, `offset` the offset of its member in the element, `name`
-- the member's name in messages. `init` is true for init_needed: the member is copied to the device even if the action
-- only allocates. An action is a word (policy.lua); nil: the enclosing element's action.

local lazy = require "accdeep.base.lazy"
local codegen = require "accdeep.lowering.codegen"
local fortran_component = lazy.require "accdeep.lowering.fortran_component"
local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_dynamic_types = lazy.require "accdeep.types.fortran_dynamic_types"
local nest = require "accdeep.lowering.nest"
local policy = require "accdeep.sema.members.policy"
local section_subscripts = require "accdeep.lowering.section_subscripts"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local raise = diagnostic.raise
local action = core.action

local mapping_compiler = {}

-- Arrays of structures with at most this many elements are unrolled: each structure adds its own pieces and fields.
-- Longer arrays become one field, which the core walks.
local UNROLLED = 16
-- Limit of padding between two members in bytes: smaller padding is copied with the members, larger gaps are not.
local PADDING = 16

local compile_program, recursion_depth -- forward declarations

-- Sets the action and flags of a field from the word `requested_action`; nil: the enclosing element's action. Returns
-- the field.
local function set_action(field, requested_action)
  field.action, field.flags = policy.code(requested_action)
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
-- value: the pointer's value. subscript: AST of [@] or [@base]. length: result of mapping_compiler.base_section, or
-- nil. base: value of the base, nil to compute it from subscript.to. The count is 0 for a null pointer or null base,
-- and for a base with an empty section (AMB-TR14-16); the pointer is then left unchanged. Raises if the base is not a
-- pointer. Decides TR14-2.3-02, TR14-3.5-02, TR14-3.5-03, TR14-3.5-05, TR14-3.5-06, TR14-A.2-01.
local function alias_field(b, ctx, value, subscript, length, base)
  local pos = subscript.pos
  local zero = codegen.constant(0)
  local count = codegen.apply(b, "!=", value, zero, pos)
  local start
  if subscript.to then
    base = base or codegen.value(b, ctx, subscript.to)
    if base.type.kind ~= "pointer" then
      raise("not-a-pointer", subscript.to.pos, ("the base of '@' is a pointer, this is %s"):format(
        types.name(base.type)), { rule = "TR14-3.5-01" })
    end
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

-- Returns true if a subscript uses the row number of its pointer (`#`), so that its bounds differ between pointers.
-- node: AST of the subscript; any other value gives false. Decides TR14-5-06.
local function is_ragged(node)
  if type(node) ~= "table" then return false end
  if node.tag == "row" then return true end
  for key, child in ast.children(node) do
    if key ~= "base" and is_ragged(child) then return true end
  end
  return node.tag ~= "section" and node.tag ~= "alias" and is_ragged(node.base)
end

-- Returns the program of one level of pointers. Its element is one pointer of type t; its field is the section that
-- subscripts[at] selects in the pointer's target. out: the enclosing element's `out`, or nil.
--
-- outer_registers: by subscript, the registers of the enclosing element that hold the bounds of this level and of inner
-- levels; nil: all bounds use names of the host program. A bound without a register is computed in this program.
-- inner_program(element, pos, level) makes the last targets' program. alias_action: action on an absent target of @.
-- rows(builder) returns the register of the first pointer's address. Raises for rows of several elements.
local function pointer_level(session, out, t, subscripts, at, outer_registers, inner_program, alias_action, rows)
  local subscript, b = subscripts[at], codegen.builder()
  local level = { builder = b, enclosing = out, first = at, rows = rows }
  level.ctx = { session = session, out = level }
  local ctx = level.ctx
  local pos = subscript.pos
  local inherited = outer_registers and {}
  for i = at, outer_registers and #subscripts or 0 do
    inherited[i] = { type = outer_registers[i].type }
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
    field = alias_field(b, ctx, value, subscript, nil,
      inherited and inherited[at].base and { reg = inherited[at].base, type = inherited[at].type })
    field.offset, field.action = 0, alias_action or field.action
  else
    local element, times, more = section_subscripts.elements(t.to, table.move(subscripts, at, #subscripts, 1, {}))
    if times > 1 then raise("unsupported", pos, "pointers to rows that are reached through pointers") end
    local own = inherited and inherited[at] or {}
    if not own.count then
      local base = own.rows or at == level.first and level.rows and level.rows(b)
      if base and session.rules.extended then
        function ctx.row(builder, where)
          local self = builder:emit(where, core.opcode.SELF, 0, 0, 0)
          return { reg = builder:emit(where, core.opcode.DISTANCE, self, base, 8), type = types.scalars.long }
        end
      end
      local start, length = section_subscripts.bounds(b, ctx, subscript, {})
      own.count = codegen.reg(b, length, pos)
      own.first = start.const ~= 0 and codegen.reg(b, start, pos) or nil
    end
    local child
    if more then
      child = pointer_level(session, level, element, subscripts, at + 1, inherited, inner_program, alias_action)
    else
      child = types.is_record(element) and inner_program(element, pos, out and level) or nil
    end
    field = child_of({ offset = 0, unit = element.size, count = own.count, start = own.first,
      code_end = b.n, label = label("", element.size, layout_of(session, element, child)) }, child)
  end
  return {
    name = "pointers", stride = 8, pieces = { { offset = 0, bytes = 8 } }, fields = { field },
    code = b.code, registers = math.max(b.most, 1), params = 0, excluded = {},
  }
end

-- Returns the program of pointers that are followed in sequence: p[0:n][0:m], p[0:n][@]. t: type of the first pointers;
-- from: number of their subscript.
--
-- b: builder of the enclosing element, whose code computes the bounds; nil: bounds use names of the host program.
-- inner_program(element, pos, level): function that returns the program of the last targets. alias_action: action on a
-- target of @ that is not present; nil: it must be present. rows(builder): function that returns the register with the
-- address of the first pointer, from which row numbers are computed; nil: none. Decides TR14-3.5-07, TR14-3.5-08,
-- TR14-3.5-09, ACC33-2.7.1-3.
local function pointer_program(session, out, b, ctx, t, subscripts, from, inner_program, alias_action, rows)
  local bound_registers = b and {}
  for i = from, b and #subscripts or 0 do
    local subscript, registers = subscripts[i], {}
    local pos = subscript.pos
    if is_ragged(subscript) then
      if i == from and rows then registers.rows = rows(b) end
    elseif subscript.tag == "alias" then
      local base = subscript.to and codegen.value(b, ctx, subscript.to)
      if base then registers.base, registers.type = codegen.reg(b, base, pos), base.type end
    else
      local start, length = section_subscripts.bounds(b, ctx, subscript, {})
      registers.count = codegen.reg(b, length, pos)
      registers.first = start.const ~= 0 and codegen.reg(b, start, pos) or nil
    end
    for _, key in ipairs { "count", "first", "base", "rows" } do
      if registers[key] then b:pin(registers[key]) end
    end
    bound_registers[i] = registers
  end
  return pointer_level(session, out, t, subscripts, from, bound_registers, inner_program, alias_action, rows)
end

-- Returns the product of `v`, a value of codegen, and the number `times`, as a value of codegen.
local function scale(b, v, times, pos)
  return times == 1 and v or codegen.apply(b, "*", v, codegen.constant(times), pos)
end

-- Returns the extent of `section`, a section of the base of an alias, as values {count, bytes}. t: type of the base.
-- count: number of elements in the section; bytes: offset of its first byte from the base. An empty section cannot be a
-- base, so alias_field tests the count.
function mapping_compiler.base_section(b, ctx, section, t)
  local start, count = section_subscripts.bounds(b, ctx, section, {})
  local size = codegen.constant(types.element(t).size)
  return { count = count, bytes = codegen.apply(b, "*", start, size, section.pos) }
end

-- Returns the base of an entry that is an alias: the base's AST (nil for [@]), and its section and type if the base is
-- a member with a section. A base that is an alias itself is replaced by its own base, up to the first member that is
-- not an alias (TR14-3.5-12). visited: set of the entries of this chain. Raises if the chain is a cycle. Decides
-- TR14-3.5-12.
local function alias_base(session, out, entry, visited)
  local to = entry.subscripts[1].to
  local scope = entry.outer and out.member_mapping.policy.scope
  local sibling = to and to.tag == "id" and not entry.outer
  if to and scope and to.tag == "member" then sibling = unparse.is_member_of(to, scope) end
  if not sibling then return to end
  for _, other in ipairs(nest.entries(session, out.member_mapping)) do
    if other.member.name == to.name then
      local first = other.subscripts and other.subscripts[1]
      if visited[other] then
        raise("invalid-section", to.pos, ("'%s' is an alias of itself"):format(to.name),
          { length = #to.name, rule = "TR14-3.5-12" })
      end
      visited[other] = true
      if first and first.tag == "alias" then
        if first.to then return alias_base(session, out, other, visited) end
        return to
      end
      return to, first and not other.outer == not entry.outer and first or nil, other.member.type
    end
  end
  return to
end

-- Appends the field of a pointer member that is an alias: [@] or [@base] in the shape. Appends nothing in an update,
-- because updates ignore aliases (TR14-3.5-11). Decides TR14-2.3-01, TR14-3.5-11.
local function add_alias(session, out, entry, offset, name)
  if out.member_mapping.update then return end
  local b, ctx, t = out.builder, out.ctx, entry.member.type
  local subscript = entry.subscripts[1]
  b:boundary()
  local to, section, base_type = alias_base(session, out, entry, { [entry] = true })
  local length
  if section then length = mapping_compiler.base_section(b, entry.outer and { session = session }
    or ctx, section, base_type) end
  local value = codegen.load(b, { self = true, offset = offset, type = t }, subscript.pos)
  local field = alias_field(b, entry.outer and { session = session } or ctx, value,
    { pos = subscript.pos, to = to }, length)
  field.offset, field.label = offset, label(name)
  out.fields[#out.fields + 1] = field
end

-- Returns a function(element, pos, level) that compiles the program of the objects that the entry's member contains or
-- points to. level: `out` of the level of pointers (pointer_level) whose targets these objects are; nil: the element's
-- own `out`.
local function inner_program(session, out, entry)
  return function(_, pos, level)
    out.ctx.values = entry.inner_values
    return compile_program(session, nest.inner(session, out.member_mapping, entry), pos, level or out)
  end
end

-- Returns the word of the action on the objects that an entry's member contains or points to; nil: the enclosing
-- element's action. A policy that maps these objects decides. Without such a policy, the entry's action counts, then
-- that of the enclosing structure.
local function inner_action(session, out, entry)
  if types.is_record(types.innermost(entry.member.type)) and not nest.is_alias(entry) then
    local inner = nest.inner(session, out.member_mapping, entry)
    if inner.policy then return inner.own or nil end
  end
  return entry.requested_action or out.requested_action
end

-- Appends the field of a member with sections: a pointer that is followed, a part of an array, or an alias (add_alias).
-- Raises if the sections do not fit the member's type. Decides TR14-1.2-01, TR14-4.3-10, TR14-A.1-01.
local function add_section(session, out, entry, offset, name, init)
  local t, subscripts = entry.member.type, entry.subscripts
  if subscripts[1].tag == "alias" then return add_alias(session, out, entry, offset, name) end
  local b, ctx = out.builder, entry.outer and { session = session } or out.ctx
  local pos = subscripts[1].pos
  b:boundary()
  local section_element, start, length
  section_element, start, length, subscripts = section_subscripts.first_section(b, ctx, t, subscripts, offset)
  local element, times, more = section_subscripts.elements(section_element, subscripts)
  local child
  if more then
    local function rows(builder)
      return codegen.reg(builder, codegen.load(builder, { self = true, offset = offset, type = t }, pos), pos)
    end
    child = pointer_program(session, out, b, ctx, element, subscripts, more, inner_program(session, out, entry), nil,
      rows)
  elseif types.is_record(element) then
    child = inner_program(session, out, entry)(element, pos)
  end
  start, length = scale(b, start, times, pos), scale(b, length, times, pos)
  local field = child_of(set_action({
    offset = offset, unit = element.size, init = init,
    count = codegen.reg(b, length, pos),
    start = start.const ~= 0 and codegen.reg(b, start, pos) or nil,
    code_end = b.n, label = { name = name, unit = element.size, member = true, section = not t.bounds,
      round = t.bounds ~= nil, array = array_of(t) or mapping_compiler.rows(types.element(t), element),
      layout = layout_of(session, element, child) },
    in_place = t.kind == "array",
  }, inner_action(session, out, entry)), child)
  out.fields[#out.fields + 1] = field
end

-- Returns, as a value, the address of the data that the base of a Fortran alias a(@base) designates. to: AST of the
-- base, a component of the same object or a variable of the host program. Raises if the base is neither of them.
local function alias_origin(session, out, entry, to, b)
  local scope = entry.outer and out.member_mapping.policy.scope
  local variable = to.tag == "id" and session.now.scope.variables[to.name]
  local component = to.tag == "id" and not (entry.outer and variable) and types.member(out.ctx.record, to.name)
  if to.tag == "component" and scope and unparse.expression(to.base) == scope.base then
    component = types.member(scope.record, to.name)
  end
  local void = types.pointer(types.void)
  if component and component.type.kind == "descriptor" then
    return codegen.load(b, { self = true, offset = out.ctx.base + component.offset, type = void }, to.pos)
  elseif not component and variable and variable.type.kind == "descriptor" then
    return codegen.load(b, { variable = variable, offset = 0, type = void }, to.pos)
  elseif not component and variable and variable.type.kind == "array" then
    return { symbol = codegen.symbol(variable, 0), type = types.scalars.long }
  end
  if to.tag == "id" and not component and not variable then
    session.now.scope:no_variable(to, nil, "TR14-3.5-01")
  end
  raise("unsupported", to.pos, "the base of '@' is a pointer or allocatable component beside it, or a variable",
    { rule = "TR14-3.5-01" })
end

-- Appends the field of an allocatable or pointer component that is the alias `alias`, the AST of (@) or (@base). One
-- byte must be present: of the component's target or, with a base, of the base's target (TR14-3.5-03). Appends nothing
-- in an update, because updates ignore aliases.
local function add_descriptor_alias(session, out, entry, alias, offset, name)
  if out.member_mapping.update then return end
  local b, t, to, pos = out.builder, entry.member.type, alias.to, alias.pos
  local zero = codegen.constant(0)
  local value = codegen.load(b, { self = true, offset = offset, type = types.pointer(types.void) }, pos)
  local has_target, start = codegen.apply(b, "!=", value, zero, pos), nil
  if to then
    local from = alias_origin(session, out, entry, to, b)
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
local function add_type_record(session, out, entry, offset, name, count)
  local b, pos = out.builder, entry.member.pos
  local has_target = codegen.apply(b, "!=", count, codegen.constant(0), pos)
  local bytes = codegen.apply(b, "*", has_target, codegen.constant(fortran_dynamic_types.BYTES), pos)
  out.fields[#out.fields + 1] = set_action({ offset = offset + fortran_descriptor.type_record_offset(entry.member.type),
    unit = 1,
    init = true, count = codegen.reg(b, bytes, pos), code_end = b.n,
    label = { name = name .. " (type)", unit = 1, member = true } }, inner_action(session, out, entry))
end

-- Appends the piece of an allocatable or pointer component and, if its target is mapped as well, the field of the
-- target. The extent comes from the descriptor, which has a defined value on the device for every action
-- (AMB-FLANG-01). Targets are followed if rules.descriptors says so for the component's attribute, or if a layer or
-- policy names the component. own: action on the enclosing structure's bytes. Decides TR14-1.1-05, TR14-2.2-02,
-- TR14-A.4-01, FLANG-pointer-2, FLANG-alloc-1, OMP60-map-16.
local function add_descriptor(session, out, entry, offset, name, own)
  local t, b, _ = entry.member.type, out.builder, nil
  local pos = entry.subscripts and entry.subscripts[1].pos or entry.member.pos
  local bare = out.member_mapping.bare
  add_piece(out, offset, t.size, bare and { entry_only = true } or { init = true, name = name, requested_action = own })
  if out.member_mapping.shallow then return end
  local follows = session.rules.descriptors
  if follows ~= true and follows ~= t.attribute and not entry.named and not entry.listed then return end
  b:boundary()
  b.constants = {}
  local start, count
  local alias = entry.subscripts and entry.subscripts[1].tag == "alias" and entry.subscripts[1]
  if alias then return add_descriptor_alias(session, out, entry, alias, offset, name) end
  if entry.subscripts then
    local ctx = entry.outer and { session = session } or out.ctx
    _, start, count = section_subscripts.first_section(b, ctx, t, entry.subscripts, offset)
  else
    start, count = fortran_component.whole_array(b, t, offset, pos)
  end
  -- Targets of polymorphic components are mapped as bytes, because the program of the dynamic type is not known here.
  local unit = t.polymorphic and 1 or t.of.size
  local child = types.is_record(t.of) and not t.polymorphic and inner_program(session, out, entry)(t.of, pos) or nil
  if t.polymorphic then add_type_record(session, out, entry, offset, name, count) end
  out.fields[#out.fields + 1] = child_of(set_action({ offset = offset, unit = unit, slot_bytes = t.size,
    count = codegen.reg(b, count, pos), start = start.const ~= 0 and codegen.reg(b, start, pos) or nil,
    init = entry.init or nil, code_end = b.n, label = { name = name, unit = unit, member = true,
      round = true, section = entry.subscripts ~= nil, array = fortran_descriptor.array(t),
      layout = layout_of(session, t.of, child) } },
    inner_action(session, out, entry)), child)
end

local collect -- forward declaration

-- Adds a member that is a structure or an array of structures. init: true for init_needed. Up to UNROLLED structures
-- become pieces and fields of the element itself. A longer array becomes one piece if its elements are plain data,
-- otherwise one field that the core walks in place. Decides TR14-2.3-04, TR14-3.1.1-12, TR14-3.2.1-16, TR14-A.2-02.
local function add_records(session, out, entry, offset, name, init)
  local t = entry.member.type
  local element, n = t, 1
  while element.kind == "array" do element, n = element.of, n * element.n end
  local member_mapping = nest.inner(session, out.member_mapping, entry)
  out.ctx.values = entry.inner_values
  local own = inner_action(session, out, entry)
  if n <= UNROLLED then
    for i = 0, n - 1 do
      local at = t.kind == "array" and element_name(t, name, i) or name
      collect(session, out, member_mapping, offset + i * element.size, at .. (element.class and "" or "."), init, own)
    end
    return
  end
  local child = compile_program(session, member_mapping, nil, out)
  if not child then
    add_piece(out, offset, t.size, { init = init, name = name, requested_action = own })
    return
  end
  -- The array is walked in place: the field follows only pointers of its elements. The elements' own bytes belong to
  -- the enclosing element, so their pieces are added here.
  local inner = { pieces = {}, fields = {}, excluded = {}, parts = {}, builder = codegen.builder(), ctx = out.ctx,
    member_mapping = member_mapping, enclosing = out.enclosing }
  collect(session, inner, member_mapping, 0, "", init, own)
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

-- Adds pieces, fields and excluded ranges for the members of a structure at offset `base` of the element, as its member
-- mapping says. prefix: beginning of the members' names; own: the word of the action on their bytes, nil for the
-- element's own action. While it runs, out.ctx, out.member_mapping and out.requested_action are those of the structure;
-- they are restored at the end. Decides TR14-1.1-03, TR14-1.1-07, TR14-1.1-08, TR14-3.1.1-13, TR14-3.1.1-15,
-- TR14-3.1.1-16, TR14-4.3-22, ACC33-2.7.1-5.
function collect(session, out, member_mapping, base, prefix, init, own)
  local record = member_mapping.record
  local ctx, outer_mapping, outer_action = out.ctx, out.member_mapping, out.requested_action
  out.ctx = { session = session, record = record, base = base, out = out, above = ctx }
  out.member_mapping, out.requested_action = member_mapping, own
  local bare = member_mapping.bare
  if bare then out.partial = true end
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    local t, offset = entry.member.type, base + entry.offset
    local name = member_label(record, prefix, entry.member.name)
    local is_init = entry.init or init
    local element = types.innermost(t)
    out.ctx.values = entry.values
    if not entry.include then
      out.excluded[#out.excluded + 1] = { offset = offset, bytes = t.size, name = name,
        label = label(name) }
      if not member_mapping.holes then leave_pointers(out, t, offset) end
    elseif t.kind == "descriptor" then
      -- Errors about a component that no clause named are located at its declaration.
      local named = entry.subscripts and entry.location
      session:with_location(named or entry.member.position, add_descriptor, session, out, entry, offset, name, own)
    elseif entry.subscripts then
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
      session:with_location(entry.location, add_section, session, out, entry, offset, name, is_init)
    elseif types.is_record(element) and t.kind ~= "pointer"
      and not (element ~= t and t.kind == "array" and types.element(t).kind == "pointer") then
      add_records(session, out, entry, offset, name, is_init)
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
  if program or not types.is_record(t) or not t.complete or t.size == 0 then return program end
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
    local _, flags = policy.code(piece.requested_action)
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

-- Returns {up = n}, by which a recursive program refers to the program of member_mapping, n levels up (TR14-5-10).
-- Precondition: the program of member_mapping is being compiled. enclosing: `out` of the element that refers to it.
-- Marks the program of member_mapping as recursive (out.recursive), and the levels in between as not cacheable
-- (out.leads_up). Raises if the recursive program uses names of objects that enclose it.
function recursion_depth(enclosing, member_mapping, pos)
  local levels, at = 1, enclosing
  while at.compiles ~= member_mapping do
    at.leads_up = true
    levels, at = levels + 1, at.enclosing
  end
  if at.touched then
    raise("recursive-type", pos, "a recursive shape cannot use names of the objects around it",
      { rule = "TR14-5-10" })
  end
  at.recursive = true
  return { up = levels }
end

-- Returns the program for elements of a record, member_mapping.record, under a member mapping; nil if the elements are
-- plain data, incomplete or empty. Returns the reference {up} if the program is still being compiled, in a recursive
-- type (recursion_depth). pos: position for errors; enclosing: `out` of the enclosing element, or nil.
-- Raises for a recursive type unless rules.extended allows it, and for a recursive program that uses names of enclosing
-- objects. After an error, nothing is cached. Decides TR14-2.2-04, TR14-3.3-16, TR14-4.3-18.
function compile_program(session, member_mapping, pos, enclosing)
  local record = member_mapping.record
  if not record.complete or record.size == 0 then return nil end
  local cache = cache_of(session, record)
  local program = cache[member_mapping]
  if program == "under way" and session.rules.extended then return recursion_depth(enclosing, member_mapping, pos) end
  if program == "under way" then
    raise("recursive-type", pos, ("the shape of %s reaches %s again"):format(types.name(record),
      types.name(record)), { rule = "TR14-4.3-18",
      help = "leave the pointer without a section, or exclude it; for a list: rules = \"tr14x\" and include("
        .. "next[0:next != 0])" })
  end
  if program ~= nil then return program or nil end
  local out
  local ok, result = pcall(function()
    -- Assigned inside pcall, because the assignment may run out of memory.
    cache[member_mapping] = "under way"
    out = { pieces = {}, fields = {}, excluded = {}, parts = {}, builder = codegen.builder(), enclosing = enclosing,
      compiles = member_mapping }
    collect(session, out, member_mapping, 0, "", false, nil)
    local pieces = add_separate_members(out, member_mapping, join(out, record.size))
    if out.recursive and out.touched then
      raise("recursive-type", pos, "a recursive shape cannot use names of the objects around it",
        { rule = "TR14-5-10" })
    end
    local whole = #pieces == 1 and pieces[1].bytes == record.size and not pieces[1].entry_only
      and not pieces[1].requested_action
    if whole and #out.fields == 0 and #out.excluded == 0 and not pieces[1].init then return false end
    for _, piece in ipairs(pieces) do
      if piece.name then piece.label = label(piece.name) end
      piece.action = policy.code(piece.requested_action)
    end
    return {
      name = program_name(record), stride = record.size, pieces = pieces, fields = out.fields, excluded = out.excluded,
      members = names_of(session, record),
      code = out.builder.code, registers = math.max(out.builder.most, 1), params = 0,
    }
  end)
  if not ok then
    cache[member_mapping] = nil
    error(result, 0)
  end
  -- A program that reads registers of an enclosing element, or refers to an enclosing program, depends on the place
  -- where it is used, so it is not cached.
  cache[member_mapping] = not (out.touched or out.leads_up) and result or nil
  return result or nil
end

mapping_compiler.program = compile_program
mapping_compiler.names = names_of
mapping_compiler.pointer_program = pointer_program

return mapping_compiler
