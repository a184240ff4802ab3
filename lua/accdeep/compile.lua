-- compile.lua - from types and shapes to the core's mapping programs.
--
-- A program treats one element of a record: which of its own bytes move (pieces), which pointers are
-- followed (fields, each with the code of its bounds), which bytes are not available (excluded).
-- Nested records are part of their element; records behind pointers are programs of their own.

local codegen = require "accdeep.codegen"
local diagnostic = require "accdeep.diagnostic"
local shape = require "accdeep.shape"
local types = require "accdeep.types"

local raise = diagnostic.raise

local compile = {}

-- Arrays of records up to this many elements are unrolled into their element; longer ones are walked.
local UNROLLED = 16
-- Padding between two members travels with them.
local PADDING = 16

local program_of -- forward

local function is_pointer_member(t) return t.kind == "pointer" and t.to.kind ~= "function" end

local function add_piece(out, offset, bytes, fields)
  local piece = fields or {}
  piece.offset, piece.bytes = offset, bytes
  out.pieces[#out.pieces + 1] = piece
end

local function label(session, name, unit, layout)
  return session:label { name = name, unit = unit, member = true, section = unit ~= nil, layout = layout }
end

-- Pointers inside what is left out keep a defined value: TR14-4.3-15.
local function leave_pointers(out, t, offset)
  if is_pointer_member(t) then
    add_piece(out, offset, t.size, { entry_only = true })
  elseif t.kind == "record" and t.record == "struct" then
    for _, member in ipairs(t.members) do leave_pointers(out, member.type, offset + member.offset) end
  elseif t.kind == "array" and t.n <= UNROLLED then
    for i = 0, t.n - 1 do leave_pointers(out, t.of, offset + i * t.of.size) end
  end
end

-- Start and length of a subscript: values of codegen; a bare index is one element.
local function bounds(b, ctx, subscript, what)
  if subscript.tag == "index" then
    return codegen.integer(b, ctx, subscript.index), codegen.constant(1)
  end
  local start = subscript.start and codegen.integer(b, ctx, subscript.start) or codegen.constant(0)
  if subscript.length then return start, codegen.integer(b, ctx, subscript.length) end
  if not what.n then
    raise("invalid-section", subscript.pos, "the section of a pointer needs a length",
      { rule = "ACC33-2.7.1-1", help = "write [start:length]" })
  end
  return start, codegen.apply(b, "-", codegen.constant(what.n), start, subscript.pos)
end
compile.bounds = bounds

-- Sections of the inner dimensions of an array must be whole: memory that moves is contiguous.
local function whole_dimensions(ctx, t, subscripts, from)
  local count = 1
  for i = from, #subscripts do
    local b = codegen.builder()
    local subscript = subscripts[i]
    local start, length = bounds(b, ctx, subscript, t)
    if start.const ~= 0 or length.const ~= t.n then
      raise("invalid-section", subscript.pos, "the section is not contiguous",
        { rule = "ACC33-2.7.1-4", help = ("take all %d elements of the inner dimension"):format(t.n) })
    end
    count = count * t.n
    t = t.of
  end
  while t.kind == "array" do
    count, t = count * t.n, t.of
  end
  return t, count
end

-- Splits what a section's elements are made of: {unit, times, child type, pointer subscripts left}.
local function section_elements(ctx, of, subscripts)
  if of.kind == "void" or of.kind == "function" or (of.kind == "record" and not of.complete) then
    raise("type-mismatch", subscripts[1].pos, ("the size of %s is not known"):format(types.name(of)))
  end
  if of.kind == "pointer" and #subscripts > 1 then return of, 1, 2 end
  if of.kind == "array" then
    local t, times = whole_dimensions(ctx, of, subscripts, 2)
    return t, times, nil
  end
  if #subscripts > 1 then
    raise("not-a-pointer", subscripts[2].pos, ("%s has no elements"):format(types.name(of)),
      { rule = "TR14-3.1.1-22" })
  end
  return of, 1, nil
end

-- A program for pointers that are followed in turn: p[0:n][0:m]. Bounds belong to the enclosing
-- element, whose registers hold them.
local function pointer_program(session, b, ctx, t, subscripts, from, shape_name, place)
  local start, length = bounds(b, ctx, subscripts[from], {})
  local pos = subscripts[from].pos
  local outer_start = start.const ~= 0 and codegen.reg(b, start, pos) or nil
  local outer_length = codegen.reg(b, length, pos)
  b:pin(outer_length)
  if outer_start then b:pin(outer_start) end
  local inner = codegen.builder()
  local op = session.core.opcode
  local count = inner:emit(pos, op.INHERIT, 0, 0, outer_length)
  local first = outer_start and inner:emit(pos, op.INHERIT, 0, 0, outer_start)
  local rest = table.move(subscripts, from, #subscripts, 1, {})
  local element, times, more = section_elements(ctx, t.to, rest)
  local child
  if more then
    -- bounds of further dimensions pass through the registers of this level
    local outer = setmetatable({}, { __index = b })
    child = pointer_program(session, outer, ctx, element, rest, more, shape_name, place)
  else
    child = types.is_record(element) and program_of(session, element, shape_name, nil, place) or nil
  end
  if times > 1 then
    raise("unsupported", pos, "pointers to rows behind pointers")
  end
  return session:program {
    stride = 8, pieces = { { offset = 0, bytes = 8 } },
    fields = { { offset = 0, unit = element.size, count = count, start = first, child = child,
      code_end = inner.n, label = label(session, "", element.size, child) } },
    code = inner.code, registers = inner.most, params = 0, excluded = {},
  }
end

local function scaled(b, v, times, pos)
  return times == 1 and v or codegen.apply(b, "*", v, codegen.constant(times), pos)
end

-- A member with sections: a pointer that is followed, or a part of an array.
local function add_section(session, out, entry, offset, name, init)
  local b, ctx, t = out.builder, out.ctx, entry.member.type
  local subscripts = entry.subscripts
  local pos = subscripts[1].pos
  b:boundary()
  local element, times, more = section_elements(ctx, types.element(t), subscripts)
  local start, length = bounds(b, ctx, subscripts[1], t.kind == "array" and t or {})
  local child
  if more then
    child = pointer_program(session, b, ctx, element, subscripts, more, entry.shape, out.place)
  elseif types.is_record(element) then
    child = program_of(session, element, entry.shape, nil, out.place, nil, pos)
  end
  start, length = scaled(b, start, times, pos), scaled(b, length, times, pos)
  local field = {
    offset = offset, unit = element.size, child = child, init = init,
    count = codegen.reg(b, length, pos),
    start = start.const ~= 0 and codegen.reg(b, start, pos) or nil,
    code_end = b.n, label = label(session, name, element.size, child),
    in_place = t.kind == "array",
  }
  out.fields[#out.fields + 1] = field
end

local collect -- forward

local function add_records(session, out, entry, offset, name)
  local t = entry.member.type
  local element, n = t, 1
  while element.kind == "array" do element, n = element.of, n * element.n end
  if n <= UNROLLED then
    for i = 0, n - 1 do
      local at = t.kind == "array" and ("%s[%d]"):format(name, i) or name
      collect(session, out, element, offset + i * element.size, at .. ".", entry.shape,
        entry.init or out.init)
    end
    return
  end
  local child = program_of(session, element, entry.shape, nil, out.place)
  if not child then
    add_piece(out, offset, t.size, { init = entry.init or out.init, name = name })
    return
  end
  -- walked in place; the elements' own bytes belong to this one, so they go piece by piece
  local inner = { pieces = {}, fields = {}, excluded = {}, builder = codegen.builder(), ctx = out.ctx,
    place = out.place, init = entry.init or out.init }
  collect(session, inner, element, 0, "", entry.shape, inner.init)
  for i = 0, n - 1 do
    for _, piece in ipairs(inner.pieces) do
      add_piece(out, offset + i * element.size + piece.offset, piece.bytes,
        { init = piece.init, entry_only = piece.entry_only })
    end
    for _, excluded in ipairs(inner.excluded) do
      out.excluded[#out.excluded + 1] = { offset = offset + i * element.size + excluded.offset,
        bytes = excluded.bytes,
        label = label(session, ("%s[%d].%s"):format(name, i, excluded.name)) }
    end
  end
  local b = out.builder
  b:boundary()
  out.fields[#out.fields + 1] = { offset = offset, unit = element.size, child = child, embedded = true,
    init = entry.init or out.init, count = codegen.reg(b, codegen.constant(n)), code_end = b.n,
    label = label(session, name, nil, child) }
end

-- Whether a member holds one of those that have clauses of their own.
local function leads_to(overrides, name)
  for path in pairs(overrides) do
    if path:sub(1, #name) == name and path:find("^[.%[]", #name + 1) then return true end
  end
  return false
end

-- Members of a record that lies at base in the element.
function collect(session, out, record, base, prefix, shape_name, init)
  local ctx, was_init = out.ctx, out.init
  out.ctx = { session = session, record = record, base = base }
  out.init = init
  for _, entry in ipairs(shape.effective(session:shapes_of(record), record, shape_name)) do
    local t, offset = entry.member.type, base + entry.offset
    local inner = entry.include and entry.shape and types.innermost(t)
    if inner and inner.complete then
      session:at(entry.shape_place, shape.known, session, inner, entry.shape, entry.shape_pos)
    end
    local name = prefix .. entry.member.name
    local override = out.overrides and out.overrides[name]
    local is_init = entry.init or init
    local leads = out.hold and not override and leads_to(out.overrides, name)
    if not override and not leads and (out.hold or not entry.include) then
      out.excluded[#out.excluded + 1] = { offset = offset, bytes = t.size, name = name,
        label = label(session, name) }
      leave_pointers(out, t, offset)
    elseif override and (out.hold or override == "own") then
      out.partial = true -- its bytes have a clause of their own
    elseif entry.subscripts and not override then
      if t.kind == "pointer" then add_piece(out, offset, t.size, { name = name }) end
      session:at(entry.place, add_section, session, out, entry, offset, name, is_init)
    elseif types.is_record(types.innermost(t)) and t.kind ~= "pointer"
      and not (types.innermost(t) ~= t and t.kind == "array" and types.element(t).kind == "pointer") then
      add_records(session, out, { member = entry.member, shape = entry.shape, init = is_init }, offset, name)
    elseif is_pointer_member(t) and session.rules.untranslated ~= "host" and not override then
      add_piece(out, offset, t.size, { entry_only = true })
    else
      add_piece(out, offset, t.size, { init = is_init, name = name })
    end
  end
  out.ctx, out.init = ctx, was_init
end

-- Joins neighbours of one kind, padding included; what is excluded stays a gap.
local function join(out, size)
  local pieces = out.pieces
  table.sort(pieces, function(a, b) return a.offset < b.offset end)
  local gaps = {}
  for _, excluded in ipairs(out.excluded) do gaps[#gaps + 1] = excluded.offset end
  table.sort(gaps)
  local joined, gap = {}, 1
  local function gap_between(from, to)
    while gaps[gap] and gaps[gap] < from do gap = gap + 1 end
    return gaps[gap] and gaps[gap] < to
  end
  for _, piece in ipairs(pieces) do
    local last = joined[#joined]
    local finish = last and last.offset + last.bytes
    if last and piece.offset < finish then -- members of a union
      last.bytes = math.max(finish, piece.offset + piece.bytes) - last.offset
      last.name = nil
      last.init = last.init or piece.init
    else
      local near = last and piece.offset - finish < PADDING and not out.partial
        and not gap_between(finish, piece.offset)
      if near and not last.init == not piece.init and not last.entry_only == not piece.entry_only then
        last.bytes = piece.offset + piece.bytes - last.offset
        last.name = nil
      else
        if near and not last.init then
          last.bytes = piece.offset - last.offset
        elseif near then -- what is initialised is the member alone
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

-- Keys beside those of key_of.
local NAMES, LAYOUT = {}, {}

local function cache_of(session, record)
  local cache = session.programs[record]
  if not cache then
    cache = {}
    session.programs[record] = cache
  end
  return cache
end

-- What the leaves of a record are called in messages: offset, bytes, label.
local function names_of(session, record)
  local cache = cache_of(session, record)
  if cache[NAMES] then return cache[NAMES] end
  local names = {}
  local function add(t, offset, name)
    if t.kind == "record" then
      for _, member in ipairs(t.members) do
        local inner = member.name and name .. (name == "" and "" or ".") .. member.name or name
        add(member.type, offset + member.offset, inner)
      end
    elseif t.kind == "array" and t.n <= UNROLLED then
      for i = 0, t.n - 1 do add(t.of, offset + i * t.of.size, ("%s[%d]"):format(name, i)) end
    else
      names[#names + 1] = { offset = offset, bytes = t.size, label = label(session, name) }
    end
  end
  add(record, 0, "")
  cache[NAMES] = names
  return names
end

-- What the elements of an object are made of: its program, or for plain data one that only names the
-- members; nil for what has none.
function compile.layout(session, t, program)
  if program or not types.is_record(t) or not t.complete then return program end
  local cache = cache_of(session, t)
  cache[LAYOUT] = cache[LAYOUT] or session:program {
    stride = t.size, pieces = { { offset = 0, bytes = t.size } }, fields = {}, code = {},
    registers = 1, params = 0, excluded = {}, members = names_of(session, t),
  }
  return cache[LAYOUT]
end

local function key_of(shape_name, overrides, hold)
  if not overrides then return shape_name or true end
  local names = {}
  for name, how in pairs(overrides) do names[#names + 1] = name .. "=" .. how end
  table.sort(names)
  return ("%s|%s|%s"):format(shape_name or "", hold and "hold" or "", table.concat(names, ","))
end

-- The program of a record under a shape, or nil if its elements are plain data. overrides: members
-- that have clauses of their own, name -> "own" (their bytes move there) | "section" (their target).
-- With hold nothing but these is available: the base of the convenience syntax.
function program_of(session, record, shape_name, overrides, place, hold, pos)
  if not record.complete then return nil end
  local cache = cache_of(session, record)
  local key = key_of(shape_name, overrides, hold)
  local made = cache[key]
  if made == "under way" then
    raise("recursive-type", pos, ("the shape of %s reaches %s again"):format(types.name(record),
      types.name(record)), { rule = "TR14-4.3-18", place = place,
      help = "leave the pointer without a section, or exclude it" })
  end
  if made ~= nil then return made or nil end
  cache[key] = "under way"
  local ok, result = pcall(function()
    local out = { pieces = {}, fields = {}, excluded = {}, builder = codegen.builder(),
      overrides = overrides, place = place, hold = hold }
    collect(session, out, record, 0, "", shape_name, false)
    local pieces = join(out, record.size)
    local whole = #pieces == 1 and pieces[1].bytes == record.size and not pieces[1].entry_only
    if whole and #out.fields == 0 and #out.excluded == 0 and not pieces[1].init then return false end
    for _, piece in ipairs(pieces) do
      if piece.name then piece.label = label(session, piece.name) end
    end
    return session:program {
      stride = record.size, pieces = pieces, fields = out.fields, excluded = out.excluded,
      members = names_of(session, record),
      code = out.builder.code, registers = math.max(out.builder.most, 1), params = 0,
    }
  end)
  if not ok then
    cache[key] = nil
    error(result, 0)
  end
  cache[key] = result
  return result or nil
end

compile.program = program_of
compile.section_elements = section_elements
compile.pointer_program = pointer_program

return compile
