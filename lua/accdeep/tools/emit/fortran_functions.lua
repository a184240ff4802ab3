-- fortran_functions.lua - expresses deep directives of a unit of Fortran in OpenACC or OpenMP: calls of external
-- procedures at the unit's end (program_functions.lua, fortran_printer.lua).
--
-- fortran_functions.new(prefix) returns the procedures of a unit; `prefix` is the beginning of their names, which are
-- global in a program. Procedures:write returns the statements for the items of a directive. lower/fortran_unit.lua
-- makes items from requests (list items with their actions). Fields of an item: `member_mapping`, `program`, `action`,
-- `node`. `text`: the designator without the last subscripts; `rank`: its rank; `args`: these subscripts, or nil.
-- `guards`: conditions under which the variable exists. `may_have_gaps`: the data may be noncontiguous.

local fortran_types = require "accdeep.types.fortran_types"
local fortran_helpers = require "accdeep.tools.emit.fortran_helpers"
local fortran_printer = require "accdeep.tools.emit.fortran_printer"
local nest = require "accdeep.sema.members.nest"
local program_functions = require "accdeep.tools.emit.program_functions"
local program_transfers = require "accdeep.tools.emit.program_transfers"
local types = require "accdeep.types"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"

local fortran_functions = {}

local cannot, clause_of = program_transfers.cannot, program_transfers.clause_of

-- ------------------------------------------------------------------------------------- components --

local POINTER = 8 -- bytes of a pointer; a smaller hidden component is padding

-- Returns the bytes of a component that debug information calls "(bytes ...)": a polymorphic component, a procedure
-- pointer, or padding. Returns 0 for other components.
local function hidden_bytes(entry)
  local first, last = entry.member.name:match "^%(bytes (%d+) to (%d+)%)$"
  return first and last - first + 1 or 0
end

-- Raises {cannot = reason} if a member mapping includes components whose types are not known. `visited`: set of the
-- mappings already visited; pass {}.
local function check_components(session, member_mapping, visited)
  if visited[member_mapping] then return end
  visited[member_mapping] = true
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    if entry.include and hidden_bytes(entry) >= POINTER then
      cannot "a component that is polymorphic, a procedure pointer, or of deferred length"
    end
    local is_record = types.is_record(types.innermost(entry.member.type))
    if entry.include and is_record and not (entry.subscripts and nest.is_alias(entry)) then
      check_components(session, nest.inner(session, member_mapping, entry), visited)
    end
  end
end

-- Returns true if a standard clause copies objects of the mapping correctly. The mapping then has no policy, and its
-- objects have no descriptors and no special components (excluded, with subscripts, an action or init_needed, hidden).
local function is_plain(session, member_mapping)
  if member_mapping.policy then return false end
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    local t = entry.member.type
    while t.kind == "array" do t = t.of end
    if not entry.include or entry.subscripts or entry.init or entry.action or entry.member.type.kind == "descriptor"
      or types.is_record(t) and not is_plain(session, nest.inner(session, member_mapping, entry))
      or hidden_bytes(entry) >= POINTER then
      return false
    end
  end
  return true
end
fortran_functions.is_plain = is_plain

-- Returns true if objects of a record have components with targets: allocatable, pointers, or of unknown types.
function fortran_functions.has_targets(record)
  for _, member in ipairs(record.members) do
    local t = types.innermost(member.type)
    if member.type.kind == "descriptor" or t.kind == "descriptor" or t.kind == "pointer"
      or hidden_bytes { member = member } >= POINTER or types.is_record(t) and fortran_functions.has_targets(t) then
      return true
    end
  end
  return false
end

-- Returns the offsets of the pointers and descriptors that a member mapping leaves out, but that the type's shape maps:
-- other directives may have attached these pointers.
local function left_out(session, member_mapping)
  local attached, list = {}, {}
  for _, entry in ipairs(nest.entries(session, nest.shape(session, member_mapping.record))) do
    local t = entry.member.type
    attached[entry.member] = entry.include and (t.kind == "descriptor" or t.kind == "pointer" and entry.subscripts)
  end
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    if not entry.include and attached[entry.member] then list[#list + 1] = entry.offset end
  end
  return list
end

-- ------------------------------------------------------------------------------------- procedures --

-- Address of variables that stand for values: directives are planned, never executed.
local PLACEHOLDER = 4096

local Procedures = {}
Procedures.__index = Procedures

-- Returns the name of the helper `name` (fortran_helpers.lua), which is added to the unit if it is new.
function Procedures:helper(name)
  local as = self.helpers[name]
  if not as then
    as = self.prefix .. name:gsub("^accdeep_", "")
    self.helpers[name] = as
    local text = fortran_helpers.text(name, as, function(other) return self:helper(other) end, self.is_openmp)
    self.texts[#self.texts + 1] = text
  end
  return as
end

-- Adds a procedure to the unit, and sets its name.
local function define(self, fn)
  fn.name = self:name_of(fn)
  local text = fortran_printer.print(fn, fn.name, { name_of = function(other) return self:name_of(other) end,
    add_helper = function(name) return self:helper(name) end, cannot = cannot })
  self.texts[#self.texts + 1] = text
end

-- Returns the name of a procedure, and gives it one if it has none.
function Procedures:name_of(fn)
  if not fn.name then
    self.count = self.count + 1
    local word = fn.phase == "keep" and "put_back" or fn.direction and "update_" .. fn.direction or fn.phase
    fn.name = ("%s%s_%d"):format(self.prefix, word, self.count)
  end
  return fn.name
end

-- Returns the procedures of a unit. `prefix`: the beginning of their names. `is_openmp`: they call routines of OpenMP,
-- whose directives do not detach pointers.
function fortran_functions.new(prefix, is_openmp)
  local self = setmetatable({ prefix = prefix, is_openmp = is_openmp, texts = {}, helpers = {}, count = 0 },
    Procedures)
  self.functions = program_functions.new({
    input = function(symbol)
      local variable = symbol.variable or cannot "this bound"
      return { text = ("int(%s, 8)"):format(variable.value or variable.name) }
    end,
    call = function() cannot "a function in a bound" end,
    define = function(fn) define(self, fn) end,
  }, is_openmp, "accdeep_attach_at")
  return self
end

-- Returns a node for the value that the expression `node` has when the directive is executed: a new variable of the
-- session, whose value the directive passes.
function Procedures:value(session, node)
  self.nvalues = (self.nvalues or 0) + 1
  local name = ("accdeep_value_%d"):format(self.nvalues)
  session.now.scope.variables[name] = { name = name, type = fortran_types.LONG, address = PLACEHOLDER,
    value = unparse_fortran(node) }
  return { tag = "id", name = name, pos = node.pos, global = true }
end

-- Returns the text of all procedures, as a list of lines; the list is empty if there are none.
function Procedures:lines()
  local list = {}
  for _, text in ipairs(self.texts) do
    for line in (text .. "\n"):gmatch "(.-)\n" do list[#list + 1] = line end
  end
  return list
end

-- -------------------------------------------------------------------------------------- directives --

-- Returns the address of an item's first object, the number of its objects, and the designator of all of them.
local function objects_of(item)
  local text, args = item.text, item.args
  if not args then
    return ("loc(%s)"):format(text), item.rank > 0 and ("size(%s, kind=8)"):format(text) or "1_8", text
  end
  local first, list, has_range = {}, {}, false
  for d, arg in ipairs(args) do
    -- Returns a bound as text; "" if it is omitted.
    local function bound(node) return node and unparse_fortran(node) or "" end
    if arg.tag == "range" then
      has_range = true
      first[d] = arg.first and bound(arg.first) or ("lbound(%s, %d)"):format(text, d)
      list[d] = bound(arg.first) .. ":" .. bound(arg.last) .. (arg.step and ":" .. bound(arg.step) or "")
    else
      first[d], list[d] = bound(arg), bound(arg)
    end
  end
  local all = ("%s(%s)"):format(text, table.concat(list, ","))
  return ("loc(%s(%s))"):format(text, table.concat(first, ",")),
    has_range and ("size(%s, kind=8)"):format(all) or "1_8", all
end

local phases = { enter = { "map", "enter", "attach" }, exit = { "detach", "exit", "unmap" }, update = { "update" } }

-- Appends the call of the procedure for a phase of an item to `lines`, unless it has nothing to do.
local function add_call(self, lines, item, request, ...)
  local fn = item.program and self.functions:of(item.program, request)
  if not fn then return end
  local args = { "accdeep_at", "accdeep_count", ... }
  table.move(fn.inputs, 1, #fn.inputs, #args + 1, args)
  lines[#lines + 1] = ("  call %s(%s)"):format(fn.name, table.concat(args, ", "))
end

-- Appends the statements that unmap the objects of an item, and restore the host values that must stay, to `lines`.
local function unmap(self, lines, item, options)
  local moves_out, stays
  if item.program then
    moves_out, stays = select(2, program_transfers.traffic({ item.program }, item.action, self.is_openmp))
  else
    moves_out = clause_of(item.action).moves_out
  end
  local routine = moves_out and "acc_copyout" or "acc_delete"
  -- Appends the call of the routine.
  local function unmap_by(margin, name)
    lines[#lines + 1] = ("%scall %s(accdeep_at, accdeep_bytes)"):format(margin, self:helper(name))
  end
  local rest = options.finalize and left_out(options.session, item.member_mapping) or {}
  if stays then lines[#lines + 1] = ("  accdeep_kept = %s(accdeep_at, accdeep_bytes)"):format(self:helper "save") end
  if rest[1] then -- finalize only decrements such objects (TR14-4.3-12)
    lines[#lines + 1] = "  accdeep_rest = 0"
    lines[#lines + 1] = "  do accdeep_i = 0, accdeep_count - 1"
    for _, offset in ipairs(rest) do
      lines[#lines + 1] = ("    accdeep_rest = accdeep_rest + %s(%s(accdeep_at + accdeep_i * %d + %d), 1_8)"):format(
        self:helper "present", self:helper "load_pointer", item.member_mapping.record.size, offset)
    end
    lines[#lines + 1] = "  end do"
    lines[#lines + 1] = "  if (accdeep_rest > 0) then"
    unmap_by("    ", routine)
    lines[#lines + 1] = "  else"
    unmap_by("    ", routine .. "_finalize")
    lines[#lines + 1] = "  end if"
  else
    unmap_by("  ", routine .. (options.finalize and "_finalize" or ""))
  end
  if stays then
    add_call(self, lines, item, { phase = "keep", action = item.action }, "accdeep_kept")
    lines[#lines + 1] = ("  call %s(accdeep_kept)"):format(self:helper "free")
  end
end

-- Returns the intrinsic functions in a text, separated by commas: variables of the unit may have their names. `name`:
-- the variable of the item, which is not hidden.
local function intrinsics_in(text, name)
  local list = {}
  for _, word in ipairs { "loc", "size", "lbound", "is_contiguous" } do
    if word ~= name and text:find("%f[%w_]" .. word .. "%(") then list[#list + 1] = word end
  end
  return table.concat(list, ", ")
end

-- Appends the statements for an item in a phase to `lines`.
local function add_phase(self, lines, item, phase, options)
  local body = {}
  if phase == "map" then
    local moves_in = clause_of(item.action).moves_in
    if item.program then moves_in = program_transfers.traffic({ item.program }, item.action, self.is_openmp) end
    body[1] = ("  call %s(accdeep_at, accdeep_bytes)"):format(self:helper(moves_in and "acc_copyin" or "acc_create"))
  elseif phase == "unmap" then
    unmap(self, body, item, options)
  elseif phase == "update" and program_transfers.is_trivial(item.program) then
    body[1] = ("  call %s(accdeep_at, accdeep_bytes)"):format(self:helper("acc_update_"
      .. clause_of(item.action).update))
    if options.if_present then
      body[1] = ("  if (%s(accdeep_at, accdeep_bytes) /= 0)%s"):format(self:helper "present", body[1]:sub(2))
    end
  else
    add_call(self, body, item, { phase = phase, direction = clause_of(item.action).update, action = item.action,
      finalize = options.finalize, if_present = options.if_present })
  end
  if not body[1] then return end
  local address, count, all = objects_of(item)
  if count ~= "1_8" then -- arrays may be empty
    for i, line in ipairs(body) do body[i] = "  " .. line end
    table.insert(body, 1, "  if (accdeep_count > 0) then")
    body[#body + 1] = "  end if"
  end
  local functions, used = {}, table.concat(body, "\n")
  for _, name in ipairs { "present", "load_pointer", "save" } do
    local as = self.helpers[name]
    if as and used:find(as .. "(", 1, true) then functions[#functions + 1] = as end
  end
  local names = { "accdeep_at", "accdeep_count" }
  for _, name in ipairs { "accdeep_bytes", "accdeep_kept", "accdeep_rest", "accdeep_i" } do
    if used:find(name, 1, true) then names[#names + 1] = name end
  end
  for i, guard in ipairs(item.guards) do lines[#lines + 1] = ("  "):rep(i - 1) .. ("if (%s) then"):format(guard) end
  local is_whole = not item.args or item.args and count ~= "1_8"
  local checks_gaps = phase == "map" and (item.may_have_gaps or item.args) and item.rank > 0 and is_whole
    and count ~= "1_8"
  local gaps = checks_gaps and ("is_contiguous(%s)"):format(all) or ""
  lines[#lines + 1] = "block"
  lines[#lines + 1] = "  intrinsic :: " .. intrinsics_in(("%s %s %s"):format(address, count, gaps), item.name)
  lines[#lines + 1] = "  integer(8) :: " .. table.concat(names, ", ")
  if functions[1] then lines[#lines + 1] = "  integer(8), external :: " .. table.concat(functions, ", ") end
  if checks_gaps then
    lines[#lines + 1] = ("  if (.not. %s) error stop '%s is not contiguous'"):format(gaps, item.text)
  end
  lines[#lines + 1] = "  accdeep_at = " .. address
  lines[#lines + 1] = "  accdeep_count = " .. count
  if used:find("accdeep_bytes", 1, true) then
    lines[#lines + 1] = ("  accdeep_bytes = accdeep_count * %d"):format(item.member_mapping.record.size)
  end
  table.move(body, 1, #body, #lines + 1, lines)
  lines[#lines + 1] = "end block"
  for _ = 1, #item.guards do lines[#lines + 1] = "end if" end
end

-- Returns a list of statements that map, unmap or update `items`. `kind`: "enter", "exit" or "update". Raises {cannot =
-- reason} for what standard directives cannot express.
--
-- Fields of options. `session`: the session that planned the directive. `finalize`: unmap at once. `if_present`: absent
-- data are not updated. `condition`: text of a condition for all statements, or nil.
function Procedures:write(kind, items, options)
  local lines = {}
  for _, item in ipairs(items) do check_components(options.session, item.member_mapping, {}) end
  for _, phase in ipairs(phases[kind]) do
    local from, to, step = 1, #items, 1
    if kind == "exit" then from, to, step = to, from, -1 end
    for i = from, to, step do add_phase(self, lines, items[i], phase, options) end
  end
  if options.condition then
    for i, line in ipairs(lines) do lines[i] = "  " .. line end
    table.insert(lines, 1, ("if (%s) then"):format(options.condition))
    lines[#lines + 1] = "end if"
  end
  return lines
end

return fortran_functions
