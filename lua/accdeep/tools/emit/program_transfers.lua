-- program_transfers.lua - determines which bytes of objects the two directions of a clause transfer under a mapping
-- program (lowering/mapping_compiler.lua).
--
-- A standard clause copies whole objects. Host values that it must not change are saved before and restored afterwards;
-- kept_ranges lists them. An update copies single ranges; updated_ranges lists them.
--
-- Parameters of many functions: `stack` is the list of the enclosing programs, with the program itself last. `action`
-- is the name of the action on the object. `has_pointers` is true if attached pointers are copied back with their
-- device addresses, so that the host's values are restored.

local core = require "accdeep.core"
local openacc_directives = require "accdeep.definitions.openacc_directives"

local program_transfers = {}

local INHERIT = 0 -- the action of the enclosing element
local POINTER = 8 -- bytes of a pointer

-- Raises {cannot = message, help = help}: standard directives cannot express the request, which is not an error of the
-- scenario. `help`: advice for the user, or nil.
function program_transfers.cannot(message, help) error({ cannot = message, help = help }, 0) end
local cannot = program_transfers.cannot

-- Names of actions, by code of the core (core.action).
local actions = {}
for name, code in pairs(core.action) do actions[code] = name end
program_transfers.actions = actions

-- Clauses by action. `enter`, `exit`: the clauses of unstructured directives. `moves_in`, `moves_out`: values are
-- copied in or out. `update`: the clause of an update. A field is nil if the action has no such clause. The actions
-- `hold` (storage that a policy holds) and `present` (data that must be present) copy no values.
local clauses = { hold = { enter = "create", exit = "delete" }, present = { enter = "create", exit = "delete" },
  delete = { exit = "delete" } }
for name, clause in pairs(openacc_directives.clause) do
  local data, update = clause.entry.data, clause.entry.update
  if data and not clause.entry.own and not clause.present_or then
    local moves_in, moves_out = data:find "in" ~= nil, data:find "out" ~= nil
    clauses[name] = { enter = moves_in and "copyin" or "create", exit = moves_out and "copyout" or "delete",
      moves_in = moves_in, moves_out = moves_out }
  elseif update then
    clauses[clause.entry.action] = { update = update }
  end
end
-- Clause of a structured region: region_clause[values are copied in][values are copied out].
program_transfers.region_clause = { [true] = { [true] = "copy", [false] = "copyin" }, [false] = { [true] = "copyout",
  [false] = "create" } }

-- Returns the entry of `clauses` for an action. Raises {cannot = reason} if there is none.
local function clause_of(action)
  return clauses[action] or cannot(("'%s' of what a structure points to"):format(action))
end
program_transfers.clause_of = clause_of

-- Replacement actions for members that are init_needed, whose values are always copied in (TR14-3.1.1-17).
local with_values = { create = "copyin", copyout = "copy" }

-- Returns the name of the action on a piece or field of a program. `action`: that on the object.
local function action_of(entry, action)
  local own = entry.action and entry.action ~= INHERIT and actions[entry.action] or action
  return entry.init and with_values[own] or own
end
program_transfers.action_of = action_of

-- Returns the program of the elements of a field, which may be an enclosing one (field.up); nil for plain data.
local function child_of(field, stack)
  if field.up and field.up > 0 then return stack[#stack - field.up + 1] end
  return field.child
end
program_transfers.child_of = child_of

-- Returns the stack for the program of a field's elements.
local function inside(field, stack)
  local depth = field.up and field.up > 0 and #stack - field.up or #stack
  local deeper = table.move(stack, 1, depth, 1, {})
  deeper[depth + 1] = child_of(field, stack)
  return deeper
end
program_transfers.inside = inside

-- Returns true if a field is a pointer that is followed, false for elements and sections that the object contains.
local function is_pointer(field) return not field.embedded and not field.in_place end
program_transfers.is_pointer = is_pointer

-- Returns true if a standard clause copies objects of a program correctly: no member is excluded, has an action of its
-- own or is init_needed, and no pointer is followed.
function program_transfers.is_trivial(program)
  if not program then return true end
  if program.excluded[1] then return false end
  for _, piece in ipairs(program.pieces) do
    if piece.init or piece.base_pointer or piece.action and piece.action ~= INHERIT then return false end
  end
  for _, field in ipairs(program.fields) do
    if not field.embedded or not program_transfers.is_trivial(field.child) then return false end
  end
  return true
end

-- Returns true if pointers of objects, or of objects that they contain or point to, are aliases (@): pointers into
-- other mapped data. `visited`: set of the programs already visited; pass {}.
function program_transfers.has_aliases(stack, visited)
  local program = stack[#stack]
  if visited[program] then return false end
  visited[program] = true
  for _, field in ipairs(program.fields) do
    if field.alias or child_of(field, stack) and program_transfers.has_aliases(inside(field, stack), visited) then
      return true
    end
  end
  return false
end

-- Returns true if pointers of the objects point to objects of an enclosing program. `visited`: set of the programs
-- already visited; pass {}.
function program_transfers.is_recursive(stack, visited)
  local program = stack[#stack]
  if visited[program] then return false end
  visited[program] = true
  for _, field in ipairs(program.fields) do
    if field.up and field.up > 0 or field.child and program_transfers.is_recursive(inside(field, stack), visited) then
      return true
    end
  end
  return false
end

-- Returns true if the range [from, to) shares bytes with one of a list of {offset, bytes}.
local function overlaps(list, from, to)
  for _, range in ipairs(list) do
    if range.offset < to and from < range.offset + range.bytes then return true end
  end
  return false
end

-- Returns the bytes of a field's pointer: a pointer, or a descriptor that begins with one.
local function slot_bytes(field) return field.slot_bytes and field.slot_bytes > 0 and field.slot_bytes or POINTER end

-- Returns the list `ranges` of {from, to} without the ranges `removed`, sorted by their offsets.
local function subtract(ranges, removed)
  for _, hole in ipairs(removed) do
    local rest = {}
    for _, range in ipairs(ranges) do
      if hole.to <= range.from or range.to <= hole.from then
        rest[#rest + 1] = range
      else
        if range.from < hole.from then rest[#rest + 1] = { from = range.from, to = hole.from } end
        if hole.to < range.to then rest[#rest + 1] = { from = hole.to, to = range.to } end
      end
    end
    ranges = rest
  end
  table.sort(ranges, function(a, b) return a.from < b.from end)
  return ranges
end

-- Returns the ranges of the pointers of an element: members that are pointers, and slots of followed pointers.
local function pointer_ranges(program)
  local list = {}
  for _, member in ipairs(program.members or {}) do
    if member.pointer then list[#list + 1] = { from = member.offset, to = member.offset + member.bytes } end
  end
  for _, field in ipairs(program.fields) do
    if is_pointer(field) then list[#list + 1] = { from = field.offset, to = field.offset + slot_bytes(field) } end
  end
  return list
end

-- Returns true if a piece has values: it is no pointer that only the entry sets, neither an excluded one nor the base
-- of a section.
local function has_values(program, piece)
  if not piece.entry_only then return true end
  if piece.base_pointer or piece.action and piece.action ~= INHERIT then return false end
  if overlaps(program.excluded, piece.offset, piece.offset + piece.bytes) then return false end
  for _, field in ipairs(program.fields) do
    local is_slot = is_pointer(field) and field.offset >= piece.offset and field.offset < piece.offset + piece.bytes
    if is_slot then return false end
  end
  return true
end

-- Returns the ranges of a list without padding at their ends.
local function trim(program, ranges)
  local list = {}
  for _, range in ipairs(ranges) do
    local from, to = range.to, range.from
    for _, member in ipairs(program.members or {}) do
      local last = member.offset + member.bytes
      if member.offset < range.to and range.from < last then
        from, to = math.min(from, math.max(member.offset, range.from)), math.max(to, math.min(last, range.to))
      end
    end
    if from < to then list[#list + 1] = { from = from, to = to } end
  end
  return list
end

-- Returns the ranges of an element that an update copies by themselves, without pointers and nested elements, as a list
-- of {from, to} in order.
function program_transfers.updated_ranges(program)
  local ranges, removed = {}, pointer_ranges(program)
  for _, piece in ipairs(program.pieces) do
    if not piece.entry_only then ranges[#ranges + 1] = { from = piece.offset, to = piece.offset + piece.bytes } end
  end
  for _, field in ipairs(program.fields) do
    if field.embedded then
      removed[#removed + 1] = { from = field.offset, to = field.offset + program_transfers.count_of(program, field)
        * field.unit }
    end
  end
  return trim(program, subtract(ranges, removed))
end

-- Returns the constant number of elements of an embedded field.
function program_transfers.count_of(program, field)
  local count
  for i = 1, field.code_end * 5, 5 do
    if program.code[i + 1] == field.count then
      count = program.code[i] == core.opcode.CONST and program.code[i + 4] or nil
    end
  end
  return assert(count, "embedded elements have a constant number")
end

-- Returns true if an update skips a field: the bytes of a member that is a pointer.
function program_transfers.is_pointer_value(program, field)
  for _, member in ipairs(program.members or {}) do
    if member.pointer and member.offset == field.offset and field.in_place and not field.child then return true end
  end
  return false
end

-- Returns the ranges of an element whose host values must stay when the object is copied out, as a list of {from, to,
-- sections} in order. sections: fields in the range of which only a section is copied out. Also returns the fields
-- whose elements have such ranges of their own.
function program_transfers.kept_ranges(stack, action, has_pointers)
  local program = stack[#stack]
  local moved, sections, nested = {}, {}, {}
  for _, piece in ipairs(program.pieces) do
    if clause_of(action_of(piece, action)).moves_out and has_values(program, piece) then
      moved[#moved + 1] = { from = piece.offset, to = piece.offset + piece.bytes }
    end
  end
  if has_pointers then
    local slots = {}
    for _, field in ipairs(program.fields) do
      if is_pointer(field) then slots[#slots + 1] = { from = field.offset, to = field.offset + slot_bytes(field) } end
    end
    for _, member in ipairs(program.members or {}) do -- descriptors that are not followed may be attached, too
      if member.pointer and member.bytes > POINTER then
        slots[#slots + 1] = { from = member.offset, to = member.offset + member.bytes }
      end
    end
    moved = subtract(moved, slots)
  end
  for _, field in ipairs(program.fields) do
    if not is_pointer(field) then
      local _, moves_out, stays = program_transfers.traffic_of(field, stack, action, has_pointers)
      if field.embedded then
        moved[#moved + 1] = { from = field.offset, to = field.offset + program_transfers.count_of(program, field)
          * field.unit }
        if stays or not moves_out then nested[#nested + 1] = field end
      elseif moves_out then
        sections[#sections + 1] = field
        if stays then nested[#nested + 1] = field end
      end
    end
  end
  local ranges, members = {}, program.members and program.members[1] and program.members
    or { { offset = 0, bytes = program.stride } }
  table.sort(sections, function(a, b) return a.offset < b.offset end)
  for _, range in ipairs(subtract({ { from = 0, to = program.stride } }, moved)) do
    if overlaps(members, range.from, range.to) then
      range.sections = {}
      for _, field in ipairs(sections) do
        if field.offset >= range.from and field.offset < range.to then table.insert(range.sections, field) end
      end
      ranges[#ranges + 1] = range
    end
  end
  return ranges, nested
end

-- Returns three flags about the objects of the program that ends `stack`. First: a value is copied in. Second: a value
-- is copied out. Third: some host values must stay while other values are copied out.
function program_transfers.traffic(stack, action, has_pointers)
  local program = stack[#stack]
  local moves_in, moves_out = false, false
  for _, piece in ipairs(program.pieces) do
    if has_values(program, piece) then
      local clause = clause_of(action_of(piece, action))
      moves_in, moves_out = moves_in or clause.moves_in or false, moves_out or clause.moves_out or false
    end
  end
  for _, field in ipairs(program.fields) do
    moves_in = moves_in or slot_bytes(field) > POINTER -- kernels read the bounds in descriptors
    if field.in_place then
      local goes_in, goes_out = program_transfers.traffic_of(field, stack, action, has_pointers)
      moves_in, moves_out = moves_in or goes_in, moves_out or goes_out
    end
  end
  if not moves_out then return moves_in, false, false end
  local ranges, nested = program_transfers.kept_ranges(stack, action, has_pointers)
  return moves_in, true, ranges[1] ~= nil or nested[1] ~= nil
end

-- Returns the three flags of `traffic` about the elements of a field. `action`: that on the object of the field.
function program_transfers.traffic_of(field, stack, action, has_pointers)
  if child_of(field, stack) then
    return program_transfers.traffic(inside(field, stack), action_of(field, action), has_pointers)
  end
  local clause = clause_of(action_of(field, action))
  return clause.moves_in or false, clause.moves_out or false, false
end

return program_transfers
