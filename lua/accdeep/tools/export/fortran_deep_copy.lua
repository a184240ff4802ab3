-- fortran_deep_copy.lua - expresses deep directives of Fortran in standard OpenACC: loops over elements, and enter
-- data, exit data and update for their components.
--
-- The code is written in place, without procedures: components are accessible there and no type names are needed. An
-- entry (nest.entries) is a component and how a member mapping (nest.lua) maps it. The clause that maps the target of
-- an allocatable or pointer component also attaches the component. If some host values of an object must stay, the
-- other values are copied out one by one. lower/fortran_unit.lua calls fortran_deep_copy.write.

local program_transfers = require "accdeep.tools.emit.program_transfers"
local fortran_writer = require "accdeep.tools.export.fortran_writer"
local nest = require "accdeep.lowering.nest"
local types = require "accdeep.types"
local ast = require "accdeep.base.ast"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"

local cannot, clause_of = program_transfers.cannot, program_transfers.clause_of

-- Replacement actions for members that a shape or policy marks as init_needed (`entry.init`), whose values are always
-- copied in (TR14-3.1.1-17).
local with_values = { create = "copyin", copyout = "copy" }

-- Returns the action for the member of `entry`. The first of these that exists decides: the entry's own action; the
-- action of the member mapping (`own`), unless it is "hold"; `action`, the action for the object.
local function action_of(member_mapping, entry, action)
  local own = member_mapping.own
  local requested = entry.action or own and own ~= "hold" and own or action
  return entry.init and with_values[requested] or requested
end

-- Returns the action for the objects that a member contains or points to, and the member mapping of these objects.
local function action_inside(session, member_mapping, entry, action)
  local inner = nest.inner(session, member_mapping, entry)
  return inner.own or action_of(member_mapping, entry, action), inner
end

-- Returns the record type of a member, or of the elements of an array; nil for other types.
local function nested_record(t)
  while t.kind == "array" do t = t.of end
  return types.is_record(t) and t or nil
end

local fortran_deep_copy = {}

local PREFIX = "accdeep_"
local UNROLLED = 16 -- maximal length of an array of records whose values are copied out one by one
local NESTING = 12 -- maximal nesting of loops and components

-- --------------------------------------------------------------------------------- member mappings --

-- Returns a list of the members (pointers or descriptors) that a member mapping leaves out, but that the type's shape
-- maps: other directives may have attached these pointers.
local function left_out(session, member_mapping)
  local attached, list = {}, {}
  for _, entry in ipairs(nest.entries(session, nest.shape(session, member_mapping.record))) do
    local t = entry.member.type
    attached[entry.member] = entry.include and (t.kind == "descriptor" or t.kind == "pointer" and entry.subscripts)
  end
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    if not entry.include and attached[entry.member] then list[#list + 1] = entry.member end
  end
  return list
end

-- Returns the size in bytes of a component that debug information calls "(bytes ...)": a polymorphic component, a
-- procedure pointer, or padding. Returns nil for other components.
local function hidden_bytes(entry)
  local first, last = entry.member.name:match "^%(bytes (%d+) to (%d+)%)$"
  return first and last - first + 1
end

local POINTER = 8 -- bytes of a pointer; a smaller hidden component is padding

-- Returns true if a component is an alias (@) of other data.
local function is_alias(entry) return entry.subscripts ~= nil and nest.is_alias(entry) end

-- Returns a true value if the target of a component is mapped, too. That is so if the rule `descriptors` is true or
-- equals the component's attribute ("allocatable" or "pointer"). It is also so if the mapping names the component
-- (fields named, listed). Returns false for components without a descriptor, excluded ones and aliases, and in a
-- shallow mapping.
local function takes_target(session, member_mapping, entry)
  local t = entry.member.type
  if t.kind ~= "descriptor" or not entry.include or member_mapping.shallow or is_alias(entry) then return false end
  local rule = session.rules.descriptors
  return rule == true or rule == t.attribute or entry.named or entry.listed or false
end

-- Returns the subscripts of an entry's section; nil if the entry has none and selects all elements. Raises {cannot =
-- reason} if they cannot be written in Fortran.
local function args_of(entry)
  local subscript = entry.subscripts and entry.subscripts[1]
  if not subscript then return nil end
  if entry.subscripts[2] then cannot "several subscripts" end
  return subscript.ranges or subscript.written or cannot "a section that is not Fortran's"
end

-- Returns the section that an entry selects of an array in the object: {args, entry, path, record}. `args`: the
-- subscripts. `path`, `record`: path and type of the object that has the component. Returns nil for the whole array and
-- for other components.
local function array_part(entry, member_mapping, path)
  local args = not is_alias(entry) and entry.member.type.kind == "array" and args_of(entry)
  return args and { args = args, entry = entry, path = path, record = member_mapping.record } or nil
end

-- Calls visit(entry, member_mapping, action, path, is_left, record_path, parts) for each component that is not a nested
-- record, also for the components of nested records. `path`: the component's path in the object, such as "%a%b".
-- `record_path`: the path of the record that has the component. `is_left`: the host value of the component must stay.
-- `parts`: results of array_part for the arrays around the component, each with `at`, the index of the enclosing
-- element; only elements in these sections count. `path` is nil in a long array, where one element represents all
-- elements.
local function each_entry(session, member_mapping, action, path, visit, parts)
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    local name, record = path and path .. "%" .. entry.member.name, nested_record(entry.member.type)
    if record and entry.include then
      local inner_action, inner = action_inside(session, member_mapping, entry, action)
      local t, part = entry.member.type, array_part(entry, member_mapping, path)
      if t.kind == "array" and t.n > UNROLLED then
        if part then cannot "a section of a long array of derived type in an object" end
        each_entry(session, inner, inner_action, nil, visit, parts)
      else
        for i = 0, (t.kind == "array" and t.n or 1) - 1 do
          local at, nested_parts = t.kind == "array" and session.language.subscripts(t, i) or "", parts
          if part then
            nested_parts = table.move(parts or {}, 1, #(parts or {}), 1, {})
            nested_parts[#nested_parts + 1] = setmetatable({ at = at }, { __index = part })
          end
          each_entry(session, inner, inner_action, name and name .. at, visit, nested_parts)
        end
      end
    elseif record then
      -- The host values of a nested record that is excluded must stay, so its components are visited with is_left.
      each_entry(session, nest.shape(session, record), action, name, function(inner_entry, inner_mapping, _, at)
        visit(inner_entry, inner_mapping, action, at, true)
      end)
    else
      visit(entry, member_mapping, action, name, false, path, parts)
    end
  end
end

-- Summarizes the transfers of a member mapping's objects as {moves_in, out, all_out, described}. `moves_in`: a value is
-- copied in. `out`: the values that are copied out, a list of {path, t, part, parts}. `all_out`: the whole object can
-- be copied out. `described`: the object has descriptors.
local function traffic(session, member_mapping, action)
  local transfers = { moves_in = false, out = {}, all_out = true, described = false }
  -- Adds the transfer of one component (see each_entry) to `transfers`.
  local function visit(entry, own_mapping, its_action, path, is_left, record_path, parts)
    local t = entry.member.type
    local include = entry.include and not is_left
    if hidden_bytes(entry) then
      if include and hidden_bytes(entry) >= POINTER then
        cannot "a component that is polymorphic, a procedure pointer, or of deferred length"
      end
      transfers.all_out = transfers.all_out and hidden_bytes(entry) < POINTER
    elseif t.kind == "descriptor" then
      transfers.described = true
      transfers.all_out = transfers.all_out and not is_left and takes_target(session, own_mapping, entry)
    else
      local clause = clause_of(action_of(own_mapping, entry, its_action))
      local goes_out = include and clause.moves_out or false
      transfers.moves_in = transfers.moves_in or include and clause.moves_in or false
      local part = include and array_part(entry, own_mapping, record_path)
      transfers.all_out = transfers.all_out and goes_out and not part and not parts
      if goes_out then
        if not path then cannot "values of long arrays beside what stays the host's" end
        -- Sections are stored first, because storing a value may change the bounds of a section.
        local at = (part or parts) and 1 or #transfers.out + 1
        table.insert(transfers.out, at, { path = path, t = t, part = part, parts = parts })
      end
    end
  end
  each_entry(session, member_mapping, action, "", visit)
  return transfers
end

-- Returns true if a standard clause copies objects of the mapping correctly. The mapping then has no policy, and its
-- objects have no descriptors and no special components (excluded, with subscripts, an action or init_needed, hidden).
local function is_trivial(session, member_mapping)
  if member_mapping.policy then return false end
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    if not entry.include or entry.subscripts or entry.init or entry.action or entry.member.type.kind == "descriptor"
      or nested_record(entry.member.type) and not is_trivial(session, nest.inner(session, member_mapping, entry)) then
      return false
    end
    if (hidden_bytes(entry) or 0) >= POINTER then return false end
  end
  return true
end
fortran_deep_copy.is_plain = is_trivial

-- ------------------------------------------------------------------------------------------ blocks --

-- A Block collects the statements of one directive. `lines`, `depth`: the statements and their indentation
-- (fortran_writer.lua). `declared`: declarations of the Fortran block around them. `values`: updates to be written
-- after the targets. `owner`: the object to which names in bounds belong, or nil. `count`: number of generated names.
-- `nloops`: number of open loops. `counters`: set of the loop variables.
local Block = setmetatable({}, { __index = fortran_writer })
Block.__index = Block

-- Returns a new name that begins with the prefix and `stem`.
function Block:name(stem)
  self.count = self.count + 1
  return ("%s%s%d"):format(PREFIX, stem, self.count)
end

-- Returns a loop variable for the current nesting depth; loops at one depth share a variable. Block:each frees the
-- variable at the end of its loops. Raises {cannot = reason} if loops are nested too deeply.
function Block:counter()
  self.nloops = self.nloops + 1
  if self.nloops > NESTING then cannot "types nested too deeply" end
  local name = ("%si%d"):format(PREFIX, self.nloops)
  if not self.counters[name] then
    self.counters[name] = true
    self.declared[#self.declared + 1] = "integer :: " .. name
  end
  return name
end

-- Returns the first and last index of the range `arg` in dimension d of the array `base`, as text. `own`: {lower,
-- extent} of an array without descriptor, or nil.
function Block:range(base, d, arg, own)
  local first = arg.first and self:expression(arg.first) or own and ("%d"):format(own.lower)
    or ("lbound(%s, %d)"):format(base, d)
  local last = arg.last and self:expression(arg.last) or own and ("%d"):format(own.lower + own.extent - 1)
    or ("ubound(%s, %d)"):format(base, d)
  return first, last
end

local ALL = { tag = "range" }

-- Writes loops over the elements of the designator `base`, and inside them the lines that fn(text, counters) writes.
-- `text`: the element. `counters`: the loop variables. `args`: subscripts, or nil for all elements. `bounds`: a list of
-- {lower, extent} for an array without descriptor, or nil.
function Block:each(base, rank, args, bounds, fn)
  local indices, counters, before = {}, {}, self.nloops
  -- The outermost loop is that of the last dimension, so that elements are visited in memory order.
  for d = args and #args or rank, 1, -1 do
    local arg = args and args[d] or ALL
    if arg.tag == "range" then
      local i = self:counter()
      local first, last = self:range(base, d, arg, bounds and bounds[d])
      self:open("do %s = %s, %s%s", i, first, last, arg.step and ", " .. self:expression(arg.step) or "")
      indices[d] = i
      table.insert(counters, 1, i)
    else
      indices[d] = self:expression(arg)
    end
  end
  fn(#indices > 0 and ("%s(%s)"):format(base, table.concat(indices, ",")) or base, counters)
  for _ = 1, #counters do self:close "end do" end
  self.nloops = before
end

-- Returns a bound as text. If self.owner is set, names are components of that object; raises {cannot = reason} for a
-- name that is not.
function Block:expression(node)
  if not self.owner then return unparse_fortran(node) end
  local owner = self.owner
  return unparse_fortran(ast.map(node, function(n)
    if n.tag ~= "id" or n.global then return nil end
    if not types.member(owner.record, n.name) then
      cannot(("a bound that uses '%s', which is no component"):format(n.name))
    end
    return { tag = "component", base = { tag = "id", name = owner.text }, name = n.name, pos = n.pos }
  end))
end

-- Calls fn() while names in bounds are components of the object `owner` ({text, record}); nil: names in bounds are
-- variables of the unit.
function Block:with_owner(owner, fn)
  local before = self.owner
  self.owner = owner
  fn()
  self.owner = before
end

-- Returns the subscripts `args` as a list of texts.
function Block:subscript_list(args)
  local parts = {}
  for i, arg in ipairs(args) do
    -- Returns a bound as text; "" if it is omitted.
    local function text(node) return node and self:expression(node) or "" end
    parts[i] = arg.tag ~= "range" and text(arg)
      or text(arg.first) .. ":" .. text(arg.last) .. (arg.step and ":" .. text(arg.step) or "")
  end
  return parts
end

-- Returns subscripts as text in parentheses; "" if `args` is nil.
function Block:subscripts(args)
  return args and ("(%s)"):format(table.concat(self:subscript_list(args), ",")) or ""
end

-- Calls fn(self, args, ...) with the subscripts of the section `part` (array_part) in the object named `at`. Returns
-- the result of fn.
function Block:in_object(at, part, fn, ...)
  local result
  local owner = not part.entry.outer and { text = at .. part.path, record = part.record } or nil
  local arguments = table.pack(...)
  self:with_owner(owner, function() result = fn(self, part.args, table.unpack(arguments, 1, arguments.n)) end)
  return result
end

-- Opens if constructs whose conditions are true if an element of the object named `at` is in all sections `parts` (see
-- each_entry). Returns the number of these constructs, which the caller closes.
function Block:require_parts(at, parts)
  for _, part in ipairs(parts or {}) do
    local bounds, indices = part.entry.member.type.bounds, {}
    for number in part.at:gmatch "%-?%d+" do indices[#indices + 1] = number end
    self:open("if (%s) then", self:in_object(at, part, function(_, args)
      local list = {}
      for d, arg in ipairs(args) do
        if arg.step then cannot "a section with a step in an object" end
        local first, last = self:range(nil, d, arg, bounds[d])
        list[d] = arg.tag == "range" and ("%s <= %s .and. %s <= %s"):format(first, indices[d], indices[d], last)
          or ("%s == %s"):format(self:expression(arg), indices[d])
      end
      return table.concat(list, " .and. ")
    end))
  end
  return #(parts or {})
end

-- Writes the OpenACC directive `text`, formatted with the arguments.
function Block:directive(text, ...) self:line("!$acc " .. text, ...) end

-- Declares accdeep_present, a name for acc_is_present, once per block.
function Block:declare_presence_query()
  if self.uses then return end
  self.uses = true
  table.insert(self.declared, 1, "use openacc, only: accdeep_present => acc_is_present")
end

-- ------------------------------------------------------------------------------------ whole objects --

-- Returns a designator without subscripts, for messages.
local function name_without_subscripts(text) return (text:gsub("%b()", "")) end

-- Returns the first element of a designator as text. Inquiries use it because gfortran 12 frees components of whole
-- arrays passed to them.
function Block:first(base, rank, args)
  local indices = {}
  for d = 1, args and #args or rank do
    local arg = args and args[d] or ALL
    indices[d] = arg.tag ~= "range" and self:expression(arg) or arg.first and self:expression(arg.first)
      or ("lbound(%s, %d)"):format(base, d)
  end
  return #indices > 0 and ("%s(%s)"):format(base, table.concat(indices, ",")) or base
end

-- Writes a check that ends the program if the first element of `base`(`args`) is not present.
function Block:needs(base, rank, args)
  self:declare_presence_query()
  self:line("if (.not. accdeep_present(%s)) error stop '%s is not present'", self:first(base, rank, args),
    name_without_subscripts(base))
end

-- Writes the mapping of the objects of a record: the designator `base` of rank `rank`, with the subscripts `args`. With
-- the action "present", a check precedes the mapping. `transfers`: result of traffic.
function Block:objects_come(base, rank, args, transfers, action)
  local word = (transfers.moves_in or transfers.described) and "copyin" or "create"
  if action == "present" then self:needs(base, rank, args) end
  self:directive("enter data %s(%s%s)", word, base, self:subscripts(args))
end

-- Declarations for copying single values from the device, while other values stay the host's.
local FETCH = {
  "use, intrinsic :: iso_c_binding, only: accdeep_pointer => c_ptr, accdeep_size => c_size_t",
  "interface",
  "  function accdeep_address(object) bind(C, name='acc_deviceptr') result(at)",
  "    import :: accdeep_pointer",
  "    type(*), intent(in) :: object",
  "    type(accdeep_pointer) :: at",
  "  end function accdeep_address",
  "  subroutine accdeep_fetch(object, at, bytes) bind(C, name='acc_memcpy_from_device')",
  "    import :: accdeep_pointer, accdeep_size",
  "    type(*), intent(inout) :: object",
  "    type(accdeep_pointer), value :: at",
  "    integer(accdeep_size), value :: bytes",
  "  end subroutine accdeep_fetch",
  "end interface",
  "logical :: accdeep_there",
}

-- Declares what copying single values from the device needs, once per block.
function Block:fetches()
  if self.has_fetch then return end
  self.has_fetch = true
  self:declare_presence_query()
  local at = 1
  for _, line in ipairs(FETCH) do
    if line:find "^use" then table.insert(self.declared, 1, line) else table.insert(self.declared, 2 + at, line) end
    at = at + (line:find "^use" and 0 or 1)
  end
end

-- Writes the unmapping of objects: the designator `base` of rank `rank`, with the subscripts `args` and `bounds` (see
-- Block:each). If the host values of some components must stay, the other values are first copied to variables one by
-- one. These variables are stored to the host objects only if the directive really removed the objects. `transfers`:
-- result of traffic.
function Block:objects_go(base, rank, args, bounds, transfers)
  local text, finalize = base .. self:subscripts(args), self.finalize and " finalize" or ""
  if #transfers.out == 0 then return self:directive("exit data delete(%s)%s", text, finalize) end
  if transfers.all_out then return self:directive("exit data copyout(%s)%s", text, finalize) end
  self:fetches()
  local first = self:first(base, rank, args)
  local saved_values = {}
  for k, value in ipairs(transfers.out) do
    local t, name = value.t, self:name "value"
    -- `starts`, `dims`: first indices and bounds of the component's own dimensions. `ranges`: bounds of the objects.
    local starts, dims, ranges = {}, {}, {}
    for i, bound in ipairs(t.bounds or {}) do
      starts[i], dims[i] = ("%d"):format(bound.lower), ("%d:%d"):format(bound.lower, bound.lower + bound.extent - 1)
    end
    for d = 1, args and #args or rank do
      local arg = args and args[d] or ALL
      if arg.tag == "range" then
        ranges[#ranges + 1] = ("%s:%s"):format(self:range(base, d, arg, bounds and bounds[d]))
      end
    end
    local n, own_rank = #dims + #ranges, #dims
    local attribute = #ranges > 0 and (", allocatable, dimension(%s)"):format((":,"):rep(n):sub(1, -2))
      or n > 0 and (", dimension(%s)"):format(table.concat(dims, ",")) or ""
    self.declared[#self.declared + 1] = ("%s%s :: %s"):format(types.name(t.bounds and t.of or t), attribute, name)
    if #ranges > 0 then
      self:line("allocate(%s(%s))", name, table.concat(table.move(ranges, 1, #ranges, own_rank + 1, dims), ","))
    end
    -- Returns the element of `designator` for the loop variables `counters`. The component's own dimensions get the
    -- section, or the first index if `section` is nil.
    local function element(designator, counters, section)
      local list = {}
      for i = 1, own_rank do list[i] = section and (section[i] or ":") or starts[i] end
      table.move(counters, 1, #counters, own_rank + 1, list)
      return #list > 0 and ("%s(%s)"):format(designator, table.concat(list, ",")) or designator
    end
    saved_values[k] = { name = name, path = value.path, element = element, is_array = #ranges > 0, bytes = t.size,
      part = value.part, parts = value.parts }
  end
  self:line("accdeep_there = accdeep_present(%s)", first)
  self:open "if (accdeep_there) then"
  self:each(base, rank, args, bounds, function(at, counters)
    for _, value in ipairs(saved_values) do
      self:line("call accdeep_fetch(%s, accdeep_address(%s%s), %d_accdeep_size)", value.element(value.name, counters),
        at, value.element(value.path, {}), value.bytes)
    end
  end)
  self:close "end if"
  self:directive("exit data delete(%s)%s", text, finalize)
  self:line("if (accdeep_there) accdeep_there = .not. accdeep_present(%s)", first)
  self:open "if (accdeep_there) then"
  self:each(base, rank, args, bounds, function(at, counters)
    for _, value in ipairs(saved_values) do
      local opened = self:require_parts(at, value.parts)
      local section = value.part and self:in_object(at, value.part, self.subscript_list) or {}
      self:line("%s%s%s = %s", at, value.path, section[1] and ("(%s)"):format(table.concat(section, ",")) or "",
        value.element(value.name, counters, section))
      for _ = 1, opened do self:close "end if" end
    end
  end)
  self:close "end if"
  for _, value in ipairs(saved_values) do
    if value.is_array then self:line("deallocate(%s)", value.name) end
  end
end

-- ------------------------------------------------------------------------------------- components --

-- Opens an if construct with the condition that the component `text` has a target: associated, allocated, or for
-- scalars the inquiry that inquiry_for (see fortran_deep_copy.write) returns. `t`: the component's type; `name`: its
-- name in the type `record`.
function Block:guard(text, t, record, name)
  local inquiry = t.attribute == "allocatable" and "allocated" or "associated"
  if t.rank == 0 then inquiry = self.inquiry_for(record, name, text) end
  self:open("if (%s(%s)) then", inquiry, text)
end

-- Writes a check that ends the program if the target of the array pointer `text` is not contiguous: clauses only copy
-- contiguous data. Writes nothing for other types.
function Block:contiguous(text, t)
  if t.attribute ~= "pointer" or t.rank == 0 then return end
  self:line("if (.not. is_contiguous(%s)) error stop '%s is not contiguous'", text, name_without_subscripts(text))
end

-- Returns true if components of objects, or of objects that they contain or point to, are aliases (@) of other data.
-- `under_way`: set of the member mappings being visited, which ends the recursion.
local function has_aliases(session, member_mapping, under_way)
  if under_way[member_mapping] then return false end
  under_way[member_mapping] = true
  local has_alias = false
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    local t = entry.member.type
    has_alias = has_alias or entry.include and is_alias(entry)
    local leads_on = takes_target(session, member_mapping, entry) or entry.include and nested_record(t)
    if leads_on and types.is_record(types.innermost(t)) then
      has_alias = has_alias or has_aliases(session, nest.inner(session, member_mapping, entry), under_way)
    end
  end
  under_way[member_mapping] = nil
  return has_alias or false
end

-- Returns true if there is no code to write for objects of the member mapping `inner` in this phase. In the phases
-- "attach" and "detach" that means: the objects have no aliases. In other phases: a standard clause copies the objects
-- correctly.
function Block:has_nothing(inner)
  if self.phase == "attach" or self.phase == "detach" then return not has_aliases(self.session, inner, {}) end
  return is_trivial(self.session, inner)
end

-- Writes the code for one pointer or allocatable component `text` in the current phase. `action`: the action for its
-- object. `owner`: the object that has the component, {text, record}.
function Block:component(entry, member_mapping, action, text, owner)
  local t, session, phase = entry.member.type, self.session, self.phase
  local element = types.is_record(t.of) and t.of
  local args = args_of(entry)
  local scope = not entry.outer and owner or nil
  local inner_action, inner
  if element then inner_action, inner = action_inside(session, member_mapping, entry, action) end
  local is_deep = element and not self:has_nothing(inner)
  -- Writes the code for the elements of the component, if they are deep.
  local function elements()
    if not is_deep then return end
    local function visit(at)
      self:with_owner(nil, function() self:members(inner, inner_action, at) end)
    end
    self:each(text, t.rank, args, nil, visit)
  end
  if (phase == "attach" or phase == "detach") and not is_deep then return end
  self:guard(text, t, member_mapping.record, entry.member.name)
  self:with_owner(scope, function()
    local section = text .. self:subscripts(args)
    if phase == "enter" then
      self:contiguous(text, t)
      if element then
        self:objects_come(text, t.rank, args, traffic(session, inner, inner_action), inner_action)
      else
        local word = action_of(member_mapping, entry, action)
        if word == "present" then self:needs(text, t.rank, args) end
        self:directive("enter data %s(%s)", clause_of(word).enter, section)
      end
      elements()
    elseif phase == "exit" then
      elements()
      if element then
        self:objects_go(text, t.rank, args, nil, traffic(session, inner, inner_action))
      else
        self:directive("exit data %s(%s)%s", clause_of(action_of(member_mapping, entry, action)).exit, section,
          self.finalize and " finalize" or "")
      end
    elseif phase == "update" and not is_deep then
      self:contiguous(text, t)
      self:directive("update %s(%s)%s", self.update, section, self.suffix)
    else
      elements()
    end
  end)
  self:close "end if"
end

-- Adds the update of a component to self.values, which Block:members writes before or after the object's targets.
-- Sections are updated first, while their bounds still have the old values. `args`: subscripts, or nil.
function Block:value(text, args)
  table.insert(self.values, args and 1 or #self.values + 1, ("!$acc update %s(%s%s)%s"):format(self.update, text,
    self:subscripts(args), self.suffix))
end

-- Writes the code for one component of the object `owner`; nothing if the member mapping excludes it.
function Block:entry(entry, member_mapping, action, owner)
  local t, text = entry.member.type, owner.text .. "%" .. entry.member.name
  if not entry.include then return end
  if nested_record(t) then
    local inner_action, inner = action_inside(self.session, member_mapping, entry, action)
    if self:has_nothing(inner) and self.phase ~= "update" then return end
    local args = args_of(entry)
    self:with_owner(args and not entry.outer and owner or nil, function()
      if self.phase == "update" and is_trivial(self.session, inner) then return self:value(text, args) end
      local bounds = t.kind == "array" and t.bounds or nil
      self:each(text, bounds and #bounds or 0, args, bounds, function(at)
        self:with_owner(nil, function() self:members(inner, inner_action, at) end)
      end)
    end)
  elseif is_alias(entry) then
    if self.phase ~= "attach" and self.phase ~= "detach" then return end
    self:guard(text, t, member_mapping.record, entry.member.name)
    self:directive(self.phase == "attach" and "enter data attach(%s)" or "exit data detach(%s)", text)
    self:close "end if"
  elseif t.kind == "descriptor" then
    if takes_target(self.session, member_mapping, entry) then
      self:component(entry, member_mapping, action, text, owner) end
  elseif self.phase == "update" and not hidden_bytes(entry) then
    local args = args_of(entry)
    self:with_owner(not entry.outer and owner or nil, function() self:value(text, args) end)
  end
end

-- Writes the code for the components of the object `text`, in reverse order when data are unmapped. Bounds use the
-- host's values from before the directive; an update of the host therefore copies the object's own values last. Raises
-- {cannot = reason} for recursive types.
function Block:members(member_mapping, action, text)
  if self.under_way[member_mapping] then
    cannot(("%s leads back to itself"):format(types.name(member_mapping.record)))
  end
  self.under_way[member_mapping] = true
  local entries, values = nest.entries(self.session, member_mapping), self.values
  local from, to, step = 1, #entries, 1
  if self.phase == "exit" or self.phase == "detach" then from, to, step = to, from, -1 end
  self.values = {}
  local at = #self.lines
  for i = from, to, step do self:entry(entries[i], member_mapping, action,
    { text = text, record = member_mapping.record }) end
  if self.update ~= "device" then at = #self.lines end
  for i, line in ipairs(self.values) do table.insert(self.lines, at + i, ("  "):rep(self.depth) .. line) end
  self.values = values
  self.under_way[member_mapping] = nil
end

-- ------------------------------------------------------------------------------------- directives --

-- Fields of an item, which fortran_unit.lua creates from a request (a list item with its action). `member_mapping`,
-- `action`, `node`: those of the request. `text`: the designator without the last subscripts; `rank`: its rank; `args`:
-- these subscripts, or nil. `guards`: conditions under which the variable exists. `may_have_gaps`: the data may be
-- noncontiguous.

-- Phases by kind of directive. "come", "go": map and unmap the objects themselves. "enter", "exit": map and unmap the
-- targets of their components. "attach", "detach": attach and detach aliases (@). Objects are mapped before components
-- that may point into one of them (TR14-4.2-01).
local words = { enter = { "come", "enter", "attach" }, exit = { "detach", "exit", "go" }, update = { "update" } }

-- Writes code that sets accdeep_rest if `item` has an object with components that other directives attached. Finalized
-- objects of this kind must only be decremented, not unmapped (TR14-4.3-12). Returns false, without writing code, if no
-- such component can exist, otherwise true.
function Block:find_rest(item)
  local list = left_out(self.session, item.member_mapping)
  if not list[1] then return false end
  self:declare_presence_query()
  if not self.has_rest then self.declared[#self.declared + 1] = "logical :: accdeep_rest" end
  self.has_rest = true
  self:line "accdeep_rest = .false."
  self:each(item.text, item.rank, item.args, nil, function(at)
    for _, member in ipairs(list) do
      local text, t = at .. "%" .. member.name, member.type
      self:guard(text, t, item.member_mapping.record, member.name)
      if t.rank > 0 then self:open("if (size(%s) > 0) then", text) end
      self:line("if (accdeep_present(%s)) accdeep_rest = .true.", self:first(text, t.rank))
      if t.rank > 0 then self:close "end if" end
      self:close "end if"
    end
  end)
  return true
end

-- Writes the code for an item in a phase (see `words`).
function Block:item(item, phase)
  if (phase == "attach" or phase == "detach") and not has_aliases(self.session, item.member_mapping, {}) then return end
  self.phase = phase
  for _, condition in ipairs(item.guards) do self:open("if (%s) then", condition) end
  local transfers = (phase == "come" or phase == "go") and traffic(self.session, item.member_mapping, item.action)
  if phase == "come" then
    if item.may_have_gaps then self:contiguous(item.text, { attribute = "pointer", rank = item.rank }) end
    self:objects_come(item.text, item.rank, item.args, transfers, item.action)
  end
  if phase == "update" and is_trivial(self.session, item.member_mapping) then
    self:directive("update %s(%s%s)%s", self.update, item.text, self:subscripts(item.args), self.suffix)
  elseif phase ~= "come" and phase ~= "go" then
    self:each(item.text, item.rank, item.args, nil, function(at) self:members(item.member_mapping, item.action, at) end)
  end
  if phase == "go" then
    local has_rest = self.finalize and self:find_rest(item)
    if has_rest then
      self:open "if (accdeep_rest) then"
      self.finalize = false
      self:objects_go(item.text, item.rank, item.args, nil, transfers)
      self.finalize = true
      self:line "else"
    end
    self:objects_go(item.text, item.rank, item.args, nil, transfers)
    if has_rest then self:close "end if" end
  end
  for _ = 1, #item.guards do self:close "end if" end
end

-- Returns a list of statements that map, unmap or update `items`. `kind`: "enter", "exit" or "update". Raises {cannot =
-- reason} for what standard directives cannot express.
--
-- Fields of options. `session`: the session that planned the directive. `inquiry_for(record, name, path)`: returns
-- "allocated" or "associated" for a scalar component. `finalize`: unmap at once. `suffix`: text after updates, or nil.
-- `condition`: text of a condition for all statements, or nil.
function fortran_deep_copy.write(kind, items, options)
  local block = setmetatable({ session = options.session, inquiry_for = options.inquiry_for,
    finalize = options.finalize, suffix = options.suffix or "", lines = {}, declared = {}, counters = {}, count = 0,
    nloops = 0, depth = 1, values = {}, under_way = {} }, Block)
  if options.condition then block:open("if (%s) then", options.condition) end
  for _, phase in ipairs(words[kind]) do
    local from, to, step = 1, #items, 1
    if kind == "exit" then from, to, step = to, from, -1 end
    for i = from, to, step do
      block.update = kind == "update" and clause_of(items[i].action).update or nil
      block:item(items[i], phase)
    end
  end
  if options.condition then block:close "end if" end
  if #block.declared == 0 then
    for i, line in ipairs(block.lines) do block.lines[i] = line:sub(3) end
    return block.lines
  end
  local lines = { "block" }
  for _, text in ipairs(block.declared) do lines[#lines + 1] = "  " .. text end
  table.move(block.lines, 1, #block.lines, #lines + 1, lines)
  lines[#lines + 1] = "end block"
  return lines
end

return fortran_deep_copy
