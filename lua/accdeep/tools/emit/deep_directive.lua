-- deep_directive.lua - expresses a deep directive of C and C++ in standard OpenACC.
--
-- deep_directive.new(program, session, plan) returns the deep variables of a plan (construct IR), or nil. A data clause
-- maps the variable itself. Calls of generated functions (program_functions.lua) map the targets of its pointers, as
-- the mapping program of the item says. lower/c_unit.lua and export/scenario_recorder.lua use it.
--
-- Fields of `program` (c_functions.lua has more): `globals`, a list of variables that the directive needs. `is_unit`:
-- the text is a unit of a program, so that conditions are expressions of it. `is_cxx`: it is C++. called(name, record),
-- optional: is called with the name of each function that the directive calls, and the type of its objects.

local c_functions = require "accdeep.tools.emit.c_functions"
local list_item = require "accdeep.sema.c.list_item"
local nest = require "accdeep.sema.members.nest"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local program_transfers = require "accdeep.tools.emit.program_transfers"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local deep_directive = {}

local cannot, clause_of, actions = program_transfers.cannot, program_transfers.clause_of, program_transfers.actions
deep_directive.cannot = cannot

-- Returns true if an error is {cannot = reason}: standard directives cannot express the request.
function deep_directive.is_reason(err) return type(err) == "table" and err.cannot ~= nil end

-- Clauses that no standard has.
local beyond_standard = {}
for _, catalogue in ipairs { openacc_directives, openmp_directives } do
  for name in pairs(catalogue.clauses_where(function(entry) return entry.own end)) do beyond_standard[name] = true end
end
-- Returns true if a node is an alias (@).
local function is_alias(node) return node.tag == "alias" end
-- Returns true if a node is the number of a pointer (#).
local function is_row(node) return node.tag == "row" end

-- Returns words for the non-standard feature of a directive, or nil; and true if it is only shapes, policies or nests.
function deep_directive.extension(node)
  if node.name == "declare group" then return "groups", false end
  local extension
  for _, clause in ipairs(node.clauses) do
    if beyond_standard[clause.name] then return ("the clause '%s'"):format(clause.name), false end
    if clause.name == "invoke" or clause.nest or clause.shape then
      local word = clause.name == "invoke" and "policy" or "shape"
      extension = clause.nest and "a nest" or ("the %s of '%s<...>'"):format(word, clause.name)
    end
  end
  if not extension and ast.any(node.clauses, is_alias) then extension = "an alias (@)" end
  if not extension and ast.any(node.clauses, is_row) then extension = "the number of a pointer (#)" end
  return extension, true
end

-- Returns an expression as text that can be an operand: simple names and members unchanged, otherwise in parentheses.
local function operand(text) return text:find "^[%w_.>-]+$" and text or "(" .. text .. ")" end

-- Returns as C: the address of an item's first object, the number of objects, and the pointer to test for null or nil.
local function objects_of(session, node)
  local base, subscripts = list_item.split_designator(list_item.single(node))
  local t = list_item.type_of(session, base)
  if not subscripts then
    local text, count, is_array = unparse.expression(base), 1, t.kind == "array"
    while t.kind == "array" do count, t, text = count * t.n, t.of, operand(text) .. "[0]" end
    return "&" .. (is_array and text or operand(text)), ("%d"):format(count)
  end
  local section, element_type = subscripts[1], types.element(t)
  if subscripts[2] or section.tag ~= "section" or not types.is_record(element_type) then
    cannot "a deep section of several dimensions"
  end
  local start = section.start and unparse.expression(section.start) or "0"
  local length = section.length and unparse.expression(section.length)
    or start == "0" and ("%d"):format(t.n) or ("%d - (%s)"):format(t.n, start)
  local pointer = unparse.expression(base)
  local text = start == "0" and pointer or ("%s + %s"):format(operand(pointer), operand(start))
  return text, length, t.kind == "pointer" and pointer ~= "this" and pointer or nil
end

local Deep = {}
Deep.__index = Deep
local phases = { enter = { "enter", "attach" }, exit = { "detach", "exit" }, update = { "update" } }

-- Returns the call of the generated function `name` for the objects of an item; `...`: further arguments.
local function call_text(name, item, ...)
  local text = item.text:find "^&?[%w_]+$" and item.text or "(" .. item.text .. ")"
  return ("%s((char *)%s, %s);"):format(name, text, table.concat({ item.count, ... }, ", "))
end

-- Returns calls that map (`kind`: "enter"), unmap ("exit") or update ("update") targets of deep variables, as lines.
function Deep:calls(kind, finalize)
  local lines = {}
  for _, phase in ipairs(phases[kind]) do self:calls_in(phase, finalize, lines) end
  return lines
end

-- Appends the call of the generated function `name` for the objects of an item to `lines`, with the test of the item's
-- pointer; `...`: further arguments.
function Deep:add_call(lines, item, name, ...)
  if self.program.called then self.program.called(name, item.member_mapping.record) end
  if item.pointer then lines[#lines + 1] = ("if (%s)"):format(item.pointer) end
  lines[#lines + 1] = (item.pointer and "    " or "") .. call_text(name, item, ...)
end

-- Appends the calls of one phase (see phases) to `lines`.
function Deep:calls_in(phase, finalize, lines)
  local from, to, step = 1, #self.list, 1
  if phase == "exit" then from, to, step = to, from, -1 end
  for i = from, to, step do
    local item = self.list[i]
    local fn = not item.there and item.program and self.functions:of(item.program, { phase = phase,
      direction = clause_of(item.action).update, action = item.action, finalize = finalize,
      if_present = self.plan.if_present })
    if fn then self:add_call(lines, item, fn.name, table.unpack(fn.inputs)) end
  end
end

-- Returns the three flags of program_transfers.traffic about an item.
local function traffic(self, item)
  if not item.program then
    local clause = clause_of(item.action)
    return clause.moves_in or false, clause.moves_out or false, false
  end
  return program_transfers.traffic({ item.program }, item.action, self.program.keeps_pointers)
end

-- Returns lines for before and lines for after the unmapping of the variables, which save and restore host values.
function Deep:keeping()
  local preceding, following, program = {}, {}, self.program
  local builtin = program.is_unit and "__builtin_" or "" -- a unit may lack the headers where the directive is
  for _, item in ipairs(self.list) do
    local _, _, stays = traffic(self, item)
    if stays then
      local name = ("kept_%d"):format(#program.globals + 1)
      local fn = self.functions:of(item.program, { phase = "keep", action = item.action })
      table.insert(program.globals, ("static char *%s;"):format(name))
      local args = {}
      for i, text in ipairs(fn.inputs) do -- the transfer may change what the values are computed from
        args[i] = ("%s_bound_%d"):format(name, i)
        table.insert(program.globals, ("static long %s;"):format(args[i]))
        preceding[#preceding + 1] = ("%s = (long)(%s);"):format(args[i], text)
      end
      local bytes = ("%s * sizeof *(%s)"):format(operand(item.count), item.text)
      preceding[#preceding + 1] = ("%s = (char *)%smalloc(%s);"):format(name, builtin, bytes)
      preceding[#preceding + 1] = ("%smemcpy(%s, (const void *)%s, %s);"):format(builtin, name, operand(item.text),
        bytes)
      if program.called then program.called(fn.name, item.member_mapping.record) end
      following[#following + 1] = call_text(fn.name, item, name, table.unpack(args))
      following[#following + 1] = ("%sfree(%s);"):format(builtin, name)
    end
  end
  return preceding, following
end

-- Returns the offsets of the pointers that a member mapping leaves out, but that the type's shape maps: other
-- directives may have attached these pointers.
local function left_out(session, member_mapping)
  local attached, list = {}, {}
  for _, entry in ipairs(nest.entries(session, nest.shape(session, member_mapping.record))) do
    attached[entry.member] = entry.include and entry.member.type.kind == "pointer" and entry.subscripts
  end
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    if not entry.include and attached[entry.member] then list[#list + 1] = entry.offset end
  end
  return list
end

-- Returns the name of a variable that is true if other directives attached pointers in objects, and the lines that set
-- it. With finalize such objects are only decremented (TR14-4.3-12). Returns nil if no such pointer can exist.
function Deep:rest()
  local program, name, lines = self.program, nil, {}
  for _, item in ipairs(self.plan.finalize and self.list or {}) do
    local record = item.member_mapping.record
    local offsets = left_out(self.session, item.member_mapping)
    if offsets[1] then
      name = name or ("rest_%d"):format(#program.globals + 1)
      local tag = (record.tag or "object"):gsub("%b<>", ""):match "([%w_]+)$" or "object"
      self:add_call(lines, item, c_functions.find(program, tag, record.size, offsets), "&" .. name)
    end
  end
  if not name then return nil end
  table.insert(program.globals, ("static int %s;"):format(name))
  table.insert(lines, 1, name .. " = 0;")
  return name, lines
end

-- Returns a variable as an item of a clause: *p becomes p[0:1], because compilers do not accept *p there.
local function clause_text(node)
  if node.tag == "unary" and node.op == "*" and node.e.tag == "id" then return node.e.name .. "[0:1]" end
  return unparse.expression(node)
end

-- Raises {cannot = reason} if a clause of a deep copy has a modifier, which copies of parts cannot have.
function deep_directive.check_modifiers(clause)
  local modifier = (clause.modifiers or {})[1]
  if modifier then cannot(("the modifier '%s' of a deep copy"):format(modifier.name)) end
end

-- Returns the clause that maps a deep variable itself.
function Deep:own_clause(item)
  local moves_in, moves_out = traffic(self, item)
  local kind, word = self.plan.kind
  if kind == "enter data" then
    word = moves_in and "copyin" or "create"
  elseif kind == "exit data" then
    word = moves_out and "copyout" or "delete"
  else
    word = item.action == "present" and "present" or program_transfers.region_clause[moves_in][moves_out]
  end
  return ("%s(%s)"):format(word, clause_text(item.node))
end

local IF = "if(accdeep_if)"

-- Returns two lists of texts: clauses for deep variables, and other clauses. Raises if a variable has two data clauses.
function Deep:clauses()
  local own, others, named = {}, {}, {}
  for _, clause in ipairs(self.plan.clauses) do
    local is_deep, rest = false, {}
    for _, variable in ipairs(clause.vars or {}) do
      local item = self.by_node[variable]
      if item then
        deep_directive.check_modifiers(clause)
        own[#own + 1], is_deep, named[item] = self:own_clause(item), true, true
      else
        rest[#rest + 1] = variable
      end
    end
    if clause.name == "if" then
      others[#others + 1] = IF
    elseif not is_deep then
      others[#others + 1] = unparse.clause(clause)
    elseif rest[1] then
      others[#others + 1] = unparse.clause(setmetatable({ vars = rest, nest = false, shape = false },
        { __index = clause }))
    end
  end
  for _, item in ipairs(self.list) do
    if item.implicit then own[#own + 1] = self:own_clause(item)
    elseif not named[item] then cannot "a section of a container" end
  end
  local variables = {}
  for _, text in ipairs(self.plan.kind == "update" and {} or own) do
    local variable = text:match "%((.*)%)$"
    if variables[variable] then cannot(("'%s' has two data clauses"):format(variable)) end
    variables[variable] = true
  end
  return own, others
end

-- Returns a list of `present` clauses for the deep variables.
function Deep:present()
  local list = {}
  for i, item in ipairs(self.list) do list[i] = ("present(%s)"):format(clause_text(item.node)) end
  return list
end

-- Returns true if the directive requires all deep variables to be present, so that nothing is mapped.
function Deep:is_there()
  for _, item in ipairs(self.list) do
    if not item.there then return false end
  end
  return true
end

-- Returns true if one of the clauses `others` moves data in an update.
local function has_data(others)
  for _, text in ipairs(others) do
    if text:find "^self" or text:find "^host" or text:find "^device%f[^%w_]" then return true end
  end
  return false
end

-- Writes lines that are executed only if the directive's condition, if it has one, is true.
function Deep:conditional(writer, lines)
  if self.plan.condition and lines[1] then
    writer:line "if (accdeep_if)"
    writer:open_brace()
  end
  for _, text in ipairs(lines) do writer:line(text) end
  if self.plan.condition and lines[1] then writer:close_brace() end
end

-- Writes declarations that save addresses and counts of objects, because the region's end must unmap the same ones.
function Deep:save(writer)
  if not self.program.is_unit then return end
  for i, item in ipairs(self.list) do
    if not item.text:find "^&[%w_]+$" then
      local name = "accdeep_objects_" .. i
      local pointer = item.text:find "^&" and item.text or ("&*(%s)"):format(item.text)
      local kind = self.program.is_cxx and "auto" or ("__typeof__(%s)"):format(pointer)
      writer:line(("%s %s = %s; (void)%s;"):format(kind, name, item.text, name))
      item.text, item.pointer = name, item.pointer and name
    end
    if not item.count:find "^%d+$" then
      local name = "accdeep_count_" .. i
      writer:line(("const long %s = (long)(%s); (void)%s;"):format(name, item.count, name))
      item.count = name
    end
  end
end

-- Writes the directive `node` to `writer` (c_writer.lua, c_program.lua). Returns true if `finish` must end a region.
function Deep:write(node, writer)
  local own, others = self:clauses()
  local computes = node.name ~= "data" and node.name ~= "enter data"
  local is_alone = computes and node.name ~= "update" and node.name ~= "exit data" and self:is_there()
  if self.plan.condition and not is_alone then
    writer:line(("const int accdeep_if = (%s) != 0;"):format(unparse.expression(self.plan.condition)))
  end
  local function pragma(name, ...)
    local parts = { "#pragma acc", name }
    for _, list in ipairs { ... } do table.move(list, 1, #list, #parts + 1, parts) end
    writer:line(table.concat(parts, " "))
  end
  local function calls(phase, finalize) self:conditional(writer, self:calls(phase, finalize)) end
  if node.name == "update" then
    if has_data(others) then pragma(node.name, others) end
    calls "update"
    return false
  elseif node.name == "exit data" then
    local preceding, following = self:keeping()
    local rest, search_lines = self:rest()
    calls("exit", self.plan.finalize)
    for _, text in ipairs(search_lines or {}) do writer:line(text) end
    for _, text in ipairs(preceding) do writer:line(text) end
    if rest then
      local counts = {}
      for _, text in ipairs(others) do
        if text ~= "finalize" then counts[#counts + 1] = text end
      end
      writer:line(("if (%s)"):format(rest))
      writer:open_brace()
      pragma(node.name, own, counts)
      writer:close_brace()
      writer:line "else"
      writer:open_brace()
    end
    pragma(node.name, own, others)
    if rest then writer:close_brace() end
    for _, text in ipairs(following) do writer:line(text) end
    return false
  end
  if not is_alone and node.name ~= "update" and node.name ~= "exit data" and node.name ~= "enter data" then
    self:save(writer)
  end
  if is_alone then
    for i, text in ipairs(others) do
      if text == IF then others[i] = ("if(%s)"):format(unparse.expression(self.plan.condition)) end
    end
    pragma(node.name, own, others)
    return false
  end
  local condition = self.plan.condition and { IF } or {}
  pragma(computes and "data" or node.name, own, computes and condition or others)
  if node.name ~= "enter data" then writer:open_brace() end
  calls "enter"
  if computes then pragma(node.name, self:present(), others) end
  return node.name ~= "enter data"
end

-- Writes the end of a region: unmaps the targets, closes the region, and restores values of the host.
function Deep:finish(writer)
  local preceding, following = self:keeping()
  self:conditional(writer, self:calls "exit")
  for _, text in ipairs(preceding) do writer:line(text) end
  writer:close_brace()
  for _, text in ipairs(following) do writer:line(text) end
end

-- Returns the deep variables (Deep) of a directive's plan, or nil. `leads_back`: objects on the device form a cycle.
-- This function and Deep's methods raise {cannot = reason} for whatever standard directives cannot express.
function deep_directive.new(program, session, plan, leads_back)
  program.deep_functions = program.deep_functions or c_functions.new(program)
  local deep = setmetatable({ program = program, session = session, plan = plan, list = {}, by_node = {},
    functions = program.deep_functions }, Deep)
  for _, item in ipairs(plan.items) do
    local member_mapping, clause = item.member_mapping, item.clause or {}
    local is_specified = clause.shape or clause.nest or clause.name == "invoke" -- no standard directive has these
    local mapping_program = item.program
    if member_mapping and (is_specified or not program_transfers.is_trivial(mapping_program)) then
      local action = actions[item.action]
      clause_of(action)
      if leads_back and mapping_program and program_transfers.is_recursive({ mapping_program }, {}) then
        cannot "objects that lead back to themselves"
      end
      local text, count, pointer = objects_of(session, item.node)
      local entry = { member_mapping = member_mapping, action = action, node = item.node, text = text, count = count,
        pointer = pointer, implicit = not clause.name, there = action == "present" and not member_mapping.policy,
        program = mapping_program }
      deep.list[#deep.list + 1], deep.by_node[item.node] = entry, entry
    end
  end
  if #deep.list == 0 then return nil end
  if plan.condition and not program.is_unit then cannot "'if' on a deep copy" end
  return deep
end

return deep_directive
