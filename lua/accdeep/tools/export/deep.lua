-- deep.lua - shapes, policies and nests as standard OpenACC: functions of enter data, exit data, update and loops.
--
-- deep.of(program, session, plan) gives the deep variables of a directive's plan, or nil if it has none: then the
-- directive is standard as it stands. For each treatment (nest.lua) and phase the program gets one function that
-- goes through count elements; it calls those of the elements behind, so that a type may lead back to itself.
-- A data clause of the variable itself stays a clause: the functions begin where the pointers are.

local core = require "accdeep.core"
local dialects = require "accdeep.tools.export.dialects"
local nest = require "accdeep.shape.nest"
local list_item = require "accdeep.shape.list_item"
local openacc = require "accdeep.catalogue.openacc"
local openmp = require "accdeep.catalogue.openmp"
local tree = require "accdeep.base.tree"
local types = require "accdeep.types"
local unparse = require "accdeep.grammar.unparse"

local deep = {}

local operand = dialects.operand

local actions = {}
for name, code in pairs(core.action) do actions[code] = name end

-- What an action is on the way in, on the way out, and as a clause of a region. Storage that a policy asks for
-- (hold), and what must be present, is memory without values.
local clauses = { hold = { enter = "create", exit = "delete" }, present = { enter = "create", exit = "delete" },
  delete = { exit = "delete" } }
for name, clause in pairs(openacc.clause) do
  local data, update = clause.entry.data, clause.entry.update
  if data and not clause.entry.own and not clause.present_or then
    local moves_in, moves_out = data:find "in" ~= nil, data:find "out" ~= nil
    clauses[name] = { enter = moves_in and "copyin" or "create", exit = moves_out and "copyout" or "delete",
      moves_in = moves_in, moves_out = moves_out }
  elseif update then
    clauses[clause.entry.action] = { update = update }
  end
end
local region_clause = { [true] = { [true] = "copy", [false] = "copyin" }, [false] = { [true] = "copyout",
  [false] = "create" } }

-- Why there is no program: a reason, not an error of the scenario.
local function cannot(message) error({ cannot = message }, 0) end
function deep.is_reason(err) return type(err) == "table" and err.cannot ~= nil end
deep.cannot = cannot

-- What there are no standard directives for, however written.
local beyond_standard = {}
for _, catalogue in ipairs { openacc, openmp } do
  for name in pairs(catalogue.where(function(entry) return entry.own end)) do beyond_standard[name] = true end
end
local function is_alias(node) return node.tag == "alias" end

-- What of a directive is not a standard's: a reason, and whether shapes, policies or nests are all there is of it.
function deep.extension(node)
  if node.name == "declare group" then return "groups", false end
  local found
  for _, clause in ipairs(node.clauses) do
    if beyond_standard[clause.name] then return ("the clause '%s'"):format(clause.name), false end
    if clause.name == "invoke" or clause.nest or clause.shape then
      local word = clause.name == "invoke" and "policy" or "shape"
      found = clause.nest and "a nest" or ("the %s of '%s<...>'"):format(word, clause.name)
    end
  end
  if not found and tree.any(node.clauses, is_alias) then found = "an alias (@)" end
  return found, true
end

local function dialect_of(program) return program.dialect or dialects.c end

local function clause_of(action)
  return clauses[action] or cannot(("'%s' of what a structure points to"):format(action))
end

-- ---------------------------------------------------------------------------------------- members --

-- init_needed: the values move in, whatever else is asked (TR14-3.1.1-17).
local with_values = { create = "copyin", copyout = "copy" }

local function action_of(treatment, entry, action)
  local own = treatment.own
  local wanted = entry.action or own and own ~= "hold" and own or action
  return entry.init and with_values[wanted] or wanted
end

-- The same for the objects that an entry holds or points to.
local function action_inside(session, treatment, entry, action)
  local inner = nest.inner(session, treatment, entry)
  return inner.own or action_of(treatment, entry, action), inner
end

-- The record that lies in the object as a member, or an array of them; nil for others.
local function held_record(t)
  while t.kind == "array" do t = t.of end
  return types.is_record(t) and t or nil
end

-- How many elements an array of arrays has.
local function number_of(t) return t.kind == "array" and t.n * number_of(t.of) or 1 end

-- Calls visit(path, moves_in, moves_out) for each member of an object that is not a pointer to follow.
local function each_value(session, treatment, action, path, visit)
  for _, entry in ipairs(nest.entries(session, treatment)) do
    local name = path .. entry.member.name
    if held_record(entry.member.type) and entry.include then
      local inner_action, inner = action_inside(session, treatment, entry, action)
      local list = {} -- of an array: as a whole, if its elements move as one
      local function add(...) list[#list + 1] = { ... } end
      local is_array = entry.member.type.kind == "array"
      each_value(session, inner, inner_action, name .. (is_array and "[]." or "."), is_array and add or visit)
      local is_one = list[1] ~= nil
      for _, value in ipairs(list) do is_one = is_one and value[2] == list[1][2] and value[3] == list[1][3] end
      if is_one then list = { { name, list[1][2], list[1][3] } } end
      for _, value in ipairs(list) do visit(value[1], value[2], value[3]) end
    elseif not entry.subscripts then
      local how = clause_of(action_of(treatment, entry, action))
      visit(name, entry.include and how.moves_in or false, entry.include and how.moves_out or false)
    end
  end
end

-- Whether any value of an object moves in, whether any moves out, and which stay the host's own then.
local function traffic(session, treatment, action)
  local moves_in, moves_out, kept = false, false, {}
  each_value(session, treatment, action, "", function(path, goes_in, goes_out)
    moves_in, moves_out = moves_in or goes_in, moves_out or goes_out
    if not goes_out then kept[#kept + 1] = path end
  end)
  return moves_in, moves_out, moves_out and kept or {}
end

-- Whether objects of a treatment are plain data, which a clause moves as they are.
local function is_plain(session, treatment, seen)
  if treatment.policy or seen[treatment] then return false end
  seen[treatment] = true
  local plain = true
  for _, entry in ipairs(nest.entries(session, treatment)) do
    plain = plain and entry.include and not (entry.subscripts or entry.init or entry.action)
      and (not held_record(entry.member.type) or is_plain(session, nest.inner(session, treatment, entry), seen))
  end
  seen[treatment] = nil
  return plain
end

-- Whether pointers of objects point into what others bring (@).
local function has_aliases(session, treatment, seen)
  if seen[treatment] then return false end
  seen[treatment] = true
  for _, entry in ipairs(nest.entries(session, treatment)) do
    if entry.include and nest.is_alias(entry) then return true end
    local behind = types.innermost(entry.member.type)
    if entry.include and types.is_record(behind) and (entry.subscripts or held_record(entry.member.type))
      and has_aliases(session, nest.inner(session, treatment, entry), seen) then
      return true
    end
  end
  return false
end

-- Whether a type points back to itself.
local function is_recursive(session, treatment, around)
  if around[treatment] then return true end
  around[treatment] = true
  for _, entry in ipairs(nest.entries(session, treatment)) do
    if entry.include and types.is_record(types.innermost(entry.member.type)) and not nest.is_alias(entry)
      and (entry.subscripts or held_record(entry.member.type))
      and is_recursive(session, nest.inner(session, treatment, entry), around) then
      return true
    end
  end
  around[treatment] = nil
  return false
end

-- Whether objects on the device lead back to themselves: functions that follow pointers would not end.
function deep.is_cyclic(session)
  local ctx, device, targets = session.ctx, session.now.device, {}
  local function object(address)
    local found = ctx:present_at(device, address, false)
    return found and found.host
  end
  for _, attached in ipairs(ctx:attachments(device)) do
    local from, to = object(attached.slot), object(attached.target)
    if from and to then
      targets[from] = targets[from] or {}
      table.insert(targets[from], to)
    end
  end
  local state = {}
  local function leads_back(at)
    if state[at] ~= nil then return state[at] end
    state[at] = true
    for _, to in ipairs(targets[at] or {}) do
      if leads_back(to) then return true end
    end
    state[at] = false
    return false
  end
  for from in pairs(targets) do
    if leads_back(from) then return true end
  end
  return false
end

-- What other languages' writers need of this, too.
deep.actions, deep.clause_of, deep.region_clause = actions, clause_of, region_clause
deep.action_of, deep.action_inside, deep.held_record = action_of, action_inside, held_record

-- ------------------------------------------------------------------------------------- functions --

local Writer = {}
Writer.__index = Writer

function Writer:line(format, ...)
  self.lines[#self.lines + 1] = ("    "):rep(self.depth) .. format:format(...)
end

function Writer:open(format, ...)
  self:line(format .. " {", ...)
  self.depth = self.depth + 1
end

function Writer:close()
  self.depth = self.depth - 1
  self:line "}"
end

-- A parameter of the function under way for an expression that only the directive's own place knows.
function Writer:passed(text)
  for i, other in ipairs(self.parameters) do
    if other == text then return "bound_" .. i end
  end
  self.parameters[#self.parameters + 1] = text
  return "bound_" .. #self.parameters
end

-- Whether a structure around the one that q points to has a member. Its value is a parameter with this mark.
local AROUND = "around "
local function is_around(around, name)
  return around ~= nil and (types.member(around.record, name) ~= nil or is_around(around.above, name))
end

-- A bound as C: names of members are those of the element q points to, or of one around, others those of variables.
local function rebased(writer, expression, record, scope)
  local is_passed = writer.program.is_passed
  return tree.map(expression, function(node)
    if node.tag == "row" then cannot "a bound that uses the number of its pointer (#)" end
    if node.tag ~= "id" then return nil end
    if node.name == "this" then cannot "a bound that uses 'this'" end
    if not node.global and types.member(record, node.name) then
      writer.dialect.member(writer.program, record, node.name) -- it can be reached
      return { tag = "member", arrow = true, base = { tag = "id", name = "q" }, name = node.name }
    end
    if not node.global and is_around(writer.around, node.name) then
      return { tag = "id", name = writer:passed(AROUND .. node.name) }
    end
    if not scope:declared(node.name) then cannot "a bound that uses a member of a structure around" end
    if is_passed and is_passed(node, record) then return { tag = "id", name = writer:passed(node.name) } end
    return tree.with(node, "global", nil)
  end)
end

local function bound(writer, treatment, entry, node)
  local session = writer.session
  if entry.values and next(entry.values) then cannot "parameters of shapes and policies" end
  if not entry.outer then return unparse.expression(rebased(writer, node, treatment.record, session.now.scope)) end
  local text = unparse.expression(node)
  if not writer.program.is_passed or text:find "^%d+$" then return text end
  return writer:passed(text)
end

-- Start and length of a subscript as C, "0" for no start.
local function range(writer, treatment, entry, subscript, t)
  if subscript.ranges then cannot "a section of Fortran" end
  if subscript.tag == "index" then return bound(writer, treatment, entry, subscript.index), "1" end
  local start = subscript.start and bound(writer, treatment, entry, subscript.start) or "0"
  if subscript.length then return start, bound(writer, treatment, entry, subscript.length) end
  return start, start == "0" and ("%d"):format(t.n) or ("%d - (%s)"):format(t.n, start)
end

local function plus(base, start) return start == "0" and base or ("%s + %s"):format(base, operand(start)) end

function Writer:guard(pointer, length)
  local always = length:find "^%d+$" and length ~= "0"
  self:open(always and "if (%s)" or "if (%s && %s > 0)", pointer, operand(length))
end

-- Whether the function of objects of a treatment would be empty in this phase.
function Writer:has_nothing(inner)
  if self.aliases then return not has_aliases(self.session, inner, {}) end
  return is_plain(self.session, inner, {})
end

-- A structure without a name, which only its member knows.
local function spell_unnamed(treatment, entry)
  local t = entry.member.type
  local text = ("((%s *)0)->%s"):format(dialects.c.declared(treatment.record, ""), entry.member.name)
  while t.kind == "array" or t.kind == "pointer" do t, text = t.of or t.to, ("*(%s)"):format(text) end
  if types.is_record(t) and not t.tag and not t.name then t.spelled = ("__typeof__(%s)"):format(text) end
end

-- Elements behind a pointer or in an array that are deep themselves: a call for all of them, or nothing.
function Writer:elements(treatment, entry, text, count)
  spell_unnamed(treatment, entry)
  local action, inner = action_inside(self.session, treatment, entry, self.action)
  if self:has_nothing(inner) then return end
  local name, parameters = self.make(inner, action)
  local passed = {}
  for i, parameter in ipairs(parameters) do
    local around = parameter:match("^" .. AROUND .. "(.*)$")
    local is_own = around and types.member(treatment.record, around)
    passed[i] = ", " .. (is_own and self.dialect.member(self.program, treatment.record, around)
      or self:passed(parameter))
  end
  if entry.member.qualified then text = self.dialect.unqualified(text, inner.record) end
  local deeper = is_recursive(self.session, inner, {}) and dialects.deeper(self.program)
  if deeper then self:line("%s(1);", deeper) end
  self:line("%s(%s, %s%s);", self.dialect.called(name), text, count, table.concat(passed))
  if deeper then self:line("%s(-1);", deeper) end
end

-- How the elements of a section move: the clause, and for records what of them stays as it is.
function Writer:section_clause(treatment, entry, element)
  local action = action_of(treatment, entry, self.action)
  if not types.is_record(element) then return clause_of(action)[self.phase], {} end
  local inner_action, inner = action_inside(self.session, treatment, entry, self.action)
  local moves_in, moves_out, kept = traffic(self.session, inner, inner_action)
  if self.phase == "enter" then return moves_in and "copyin" or "create", {} end
  if clause_of(inner_action).exit == "delete" and not moves_out then return "delete", {} end
  return moves_out and "copyout" or "delete", kept
end

local words = { enter = "enter data", exit = "exit data" }
-- Phases of their own for aliases: when everything is there, and before anything goes.
local alias_routines = { attach = "acc_attach", detach = "acc_detach" }

-- Whether a member shares its bytes with others: compilers refuse it in a directive.
local function is_in_union(record, name)
  if record.record == "union" then return true end
  for _, member in ipairs(record.members) do
    if not member.name and member.type.by_name[name] then return is_in_union(member.type, name) end
  end
  return false
end

-- One section: the member q->name itself is attached by its clause, other pointers and those in unions by the routine.
function Writer:section(treatment, entry, pointer, t, subscript, is_member, inside)
  local element = t.to
  local start, length = range(self, treatment, entry, subscript, t)
  local is_deep = types.is_record(element) and not inside
  if self.aliases then
    if not inside and not (is_deep and not self:has_nothing(nest.inner(self.session, treatment, entry))) then return end
    self:guard(pointer, length)
    if inside then inside(start, length) else self:elements(treatment, entry, plus(pointer, start), length) end
    return self:close()
  elseif self.phase == "update" then
    self:guard(pointer, length)
    if inside then
      inside(start, length)
    elseif not is_deep or is_plain(self.session, nest.inner(self.session, treatment, entry), {}) then
      local base = pointer
      if not is_member or not pointer:find "^[%w_]" then -- no directive takes a cast
        base = "row"
        self:line("%s = %s; (void)row;", self.dialect.declared(types.pointer(element), "row"), pointer)
      end
      self:line("#pragma acc update %s(%s[%s:%s])", self.update, base, start, length)
    else
      self:elements(treatment, entry, plus(pointer, start), length)
    end
    return self:close()
  end
  local clause, kept = self:section_clause(treatment, entry, element)
  local finalize = self.finalize and " finalize" or ""
  self:guard(pointer, length)
  local base = pointer
  if not is_member then
    if start ~= "0" then cannot "a section behind a pointer of an array or a union that begins behind element 0" end
    base = "row"
    self:line("%s = %s; (void)row;", self.dialect.declared(types.pointer(element), "row"), pointer)
  end
  local function move() self:line("#pragma acc %s %s(%s[%s:%s])%s", words[self.phase], clause, base, start, length,
    finalize) end
  if self.phase == "enter" then
    move()
    if not is_member then self:line("acc_attach((void **)&%s);", pointer) end
    if inside then inside(start, length) end
    if is_deep then self:elements(treatment, entry, plus(pointer, start), length) end
  else
    if inside then inside(start, length) end
    if is_deep then self:elements(treatment, entry, plus(pointer, start), length) end
    if not is_member then self:line("acc_detach%s((void **)&%s);", self.finalize and "_finalize" or "", pointer) end
    local before, behind, declared = {}, {}
    if #kept > 0 then
      before, behind, declared = self.dialect.keep(self.program, kept, element, "kept", plus(base, start), length)
      self:line("%s;", declared)
    end
    for _, text in ipairs(before) do self:line("%s", text) end
    move()
    for _, text in ipairs(behind) do self:line("%s", text) end
  end
  self:close()
end

-- What a pointer or an array of pointers points to, by its subscripts from the at-th one on.
function Writer:follow(treatment, entry, text, t, at)
  local subscript = entry.subscripts[at]
  local is_member = text == "q->" .. entry.member.name and not is_in_union(treatment.record, entry.member.name)
  local function each(over, first, count, of)
    local i = ("i%d"):format(at)
    self:open("for (size_t %s = 0; %s < (size_t)%s; %s++)", i, i, operand(count), i)
    self:follow(treatment, entry, ("%s[%s%s]"):format(over, first == "0" and "" or operand(first) .. " + ", i), of,
      at + 1)
    self:close()
  end
  if subscript.tag == "alias" then
    if not self.aliases then return end
    self:open("if (%s)", text)
    local base = subscript.to
    local is_beside = base and base.tag == "id" and not base.global and types.member(treatment.record, base.name)
    local routine = self.aliases .. (self.finalize and "_finalize" or "")
    if is_beside then
      self:line("%s((void **)&%s, (void *)q->%s);", dialects.alias(self.program, routine), text, base.name)
    else
      self:line("%s((void **)&%s);", routine, text)
    end
    return self:close()
  elseif t.kind == "array" then
    local first, count = range(self, treatment, entry, subscript, t)
    if not entry.subscripts[at + 1] then return end -- elements of the object itself
    return each(text, first, count, t.of)
  end
  local inside = entry.subscripts[at + 1] and function(first, count) each(text, first, count, t.to) end
  if inside and t.to.kind ~= "pointer" then cannot "a section of rows behind a pointer" end
  self:section(treatment, entry, text, t, subscript, is_member, inside)
end

function Writer:entry(treatment, entry)
  local t, text = entry.member.type, self.dialect.member(self.program, treatment.record, entry.member.name)
  if not entry.include then return end
  local moves_whole = self.phase == "update" and held_record(t)
    and is_plain(self.session, nest.inner(self.session, treatment, entry), {})
  if held_record(t) and not moves_whole then
    text = t.kind == "array" and self.dialect.first_of(text, t) or "&" .. text
    return self:elements(treatment, entry, text, ("%d"):format(number_of(t)))
  elseif entry.subscripts and types.innermost(t) ~= t then
    return self:follow(treatment, entry, text, t, 1)
  elseif self.phase == "update" and t.kind ~= "pointer" then
    if entry.member.name:find "^%(" then -- bytes that bit-fields have, among others
      local at, bytes = types.member(treatment.record, entry.member.name).offset, t.size
      self.values[#self.values + 1] = ("acc_update_%s((char *)q + %d, %d);"):format(self.update, at, bytes)
      return
    end
    local is_refused = not text:find "^[%w_]" or is_in_union(treatment.record, entry.member.name)
    local form = is_refused and "acc_update_%s(&%s, sizeof %s);"
      or "#pragma acc update %s(%s)"
    self.values[#self.values + 1] = form:format(self.update, text, text)
  end
end

-- What is done for the members of an object. Bounds have the host's values from before the directive: an update that
-- writes the host moves the values of the object itself last.
function Writer:members(treatment)
  self.values = {}
  local entries, at = nest.entries(self.session, treatment), #self.lines
  for _, entry in ipairs(entries) do self:entry(treatment, entry) end
  if self.update == "device" then at = at + 1 else at = #self.lines + 1 end
  for i, text in ipairs(self.values) do
    table.insert(self.lines, at + i - 1, ("    "):rep(self.depth) .. text)
  end
end

-- The function of a treatment in a phase, and the expressions that it takes as parameters; makes it if the program does
-- not have it.
local function function_for(program, session, treatment, phase)
  local known = program.deep_functions
  local by_phase = known[treatment] or {}
  known[treatment] = by_phase
  local key = ("%s %s %s"):format(phase.phase, phase.update or phase.action, phase.finalize and "final" or "")
  local found = by_phase[key]
  if found then return found.name, found.parameters end
  local tag = (treatment.record.tag or "object"):gsub("%b<>", ""):match "([%w_]+)$" or "object"
  local writer = setmetatable({ session = session, program = program, dialect = dialect_of(program), lines = {},
    depth = 2, phase = phase.phase, update = phase.update, action = phase.action, finalize = phase.finalize,
    aliases = alias_routines[phase.phase], around = phase.around, parameters = {} }, Writer)
  function writer.make(inner, action)
    return function_for(program, session, inner, { phase = phase.phase, update = phase.update, action = action,
      finalize = phase.finalize, around = { record = treatment.record, above = phase.around } })
  end
  local made = { parameters = writer.parameters }
  by_phase[key] = made
  made.name = dialects.add(program, (phase.update and "update_" .. phase.update or phase.phase) .. "_" .. tag,
    function(name)
      made.name = name
      writer:members(treatment)
      if not writer.lines[1] then writer:line "(void)q;" end
      local body = table.concat(writer.lines, "\n") .. "\n"
      if program.finished then body = program.finished(body, treatment.record) end
      return writer.dialect.define(name, treatment.record, #writer.parameters, body)
    end)
  return made.name, writer.parameters
end

-- ------------------------------------------------------------------------------------- directives --

-- The objects of an item as C: the address of the first one, how many, and the pointer that points there, which may
-- be null.
local function objects_of(session, node, dialect)
  local base, subscripts = list_item.take_apart(list_item.single(node))
  local t = list_item.type_of(session, base)
  if not subscripts then
    local text = unparse.expression(base)
    if t.kind ~= "array" then return "&" .. text, "1" end
    return dialect.first_of(text, t), ("%d"):format(number_of(t))
  end
  local section, of = subscripts[1], types.element(t)
  if subscripts[2] or section.tag ~= "section" or not types.is_record(of) then
    cannot "a deep section of several dimensions"
  end
  local start = section.start and unparse.expression(section.start) or "0"
  local length = section.length and unparse.expression(section.length)
    or start == "0" and ("%d"):format(t.n) or ("%d - (%s)"):format(t.n, start)
  local pointer = unparse.expression(base)
  return plus(pointer, start), length, t.kind == "pointer" and pointer ~= "this" and pointer or nil
end

local Deep = {}
Deep.__index = Deep

local phases = { enter = { "enter", "attach" }, exit = { "detach", "exit" }, update = { "update" } }

-- Statements that bring, end or update what the deep variables point to; at the end the last one comes first.
function Deep:calls(what, finalize)
  local lines = {}
  for _, phase in ipairs(phases[what]) do self:calls_in(phase, finalize, lines) end
  return lines
end

function Deep:calls_in(phase, finalize, lines)
  local from, to, step = 1, #self.list, 1
  if phase == "exit" then from, to, step = to, from, -1 end
  for i = from, to, step do
    local item = self.list[i]
    if not item.there and not (alias_routines[phase] and not has_aliases(self.session, item.treatment, {})) then
      local name, parameters = function_for(self.program, self.session, item.treatment, { phase = phase,
        update = clauses[item.action].update, action = item.action, finalize = finalize })
      if item.pointer then lines[#lines + 1] = ("if (%s)"):format(item.pointer) end
      if self.program.called then self.program.called(name, item.treatment.record) end
      lines[#lines + 1] = ("%s%s(%s);"):format(item.pointer and "    " or "", dialect_of(self.program).called(name),
        table.concat({ item.text, item.count, table.unpack(parameters) }, ", "))
    end
  end
end

-- Statements before and behind the end of the variables' own data, which put back what stays the host's.
function Deep:keeping()
  local all_before, all_behind = {}, {}
  for _, item in ipairs(self.list) do
    local _, _, kept = traffic(self.session, item.treatment, item.action)
    local name = ("kept_%d"):format(#self.program.globals + 1)
    if #kept > 0 then
      local before, behind, declared = dialect_of(self.program).keep(self.program, kept, item.treatment.record, name,
        item.text, item.count)
      table.insert(self.program.globals, "static " .. declared .. ";")
      table.move(before, 1, #before, #all_before + 1, all_before)
      table.move(behind, 1, #behind, #all_behind + 1, all_behind)
    end
  end
  return all_before, all_behind
end

-- A variable in a clause: compilers do not take *p there.
local function clause_text(node)
  if node.tag == "unary" and node.op == "*" and node.e.tag == "id" then return node.e.name .. "[0:1]" end
  return unparse.expression(node)
end

-- Raises if a deep copy is asked for with a modifier: it is written as copies of its parts, which have none.
function deep.check_modifiers(clause)
  local modifier = (clause.modifiers or {})[1]
  if modifier then cannot(("the modifier '%s' of a deep copy"):format(modifier.name)) end
end

-- The clause of a variable itself.
function Deep:own_clause(item)
  local moves_in, moves_out = traffic(self.session, item.treatment, item.action)
  local kind, word = self.plan.kind
  if kind == "enter data" then
    word = moves_in and "copyin" or "create"
  elseif kind == "exit data" then
    word = moves_out and "copyout" or "delete"
  else
    word = item.action == "present" and "present" or region_clause[moves_in][moves_out]
  end
  return ("%s(%s)"):format(word, clause_text(item.node))
end

local IF = "if(accdeep_if)"

-- The clauses of the directive: of the deep variables, and the others.
function Deep:clauses()
  local own, others = {}, {}
  for _, clause in ipairs(self.plan.clauses) do
    local is_deep, rest = false, {}
    for _, variable in ipairs(clause.vars or {}) do
      local item = self.by_node[variable]
      if item then
        deep.check_modifiers(clause)
        own[#own + 1], is_deep = self:own_clause(item), true
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
    if item.implicit then own[#own + 1] = self:own_clause(item) end
  end
  local seen = {}
  for _, text in ipairs(own) do
    local variable = text:match "%((.*)%)$"
    if seen[variable] then cannot(("'%s' has two data clauses"):format(variable)) end
    seen[variable] = true
  end
  return own, others
end

-- Clauses by which a construct finds the variables that are there already.
function Deep:present()
  local list = {}
  for i, item in ipairs(self.list) do list[i] = ("present(%s)"):format(clause_text(item.node)) end
  return list
end

-- Whether all of them are there already: nothing has to be mapped.
function Deep:is_there()
  for _, item in ipairs(self.list) do
    if not item.there then return false end
  end
  return true
end

-- Whether clauses, as text, are about data.
local function has_data(others)
  for _, text in ipairs(others) do
    if text:find "^self" or text:find "^host" or text:find "^device%f[^%w_]" then return true end
  end
  return false
end

-- Statements that depend on the directive's condition.
function Deep:conditional(writer, lines)
  if self.plan.condition and lines[1] then
    writer:line "if (accdeep_if)"
    writer:open_brace()
  end
  for _, text in ipairs(lines) do writer:line(text) end
  if self.plan.condition and lines[1] then writer:close_brace() end
end

-- A region ends for the objects that it began with, whatever its statement makes of pointers and lengths.
function Deep:save(writer)
  if not self.program.is_passed then return end
  local dialect = dialect_of(self.program)
  for i, item in ipairs(self.list) do
    if not item.text:find "^&[%w_]+$" then
      local name = "accdeep_objects_" .. i
      writer:line(("%s = %s;"):format(dialect.declared(types.pointer(item.treatment.record), name), item.text))
      item.text, item.pointer = name, item.pointer and name
    end
    if not item.count:find "^%d+$" then
      local name = "accdeep_count_" .. i
      writer:line(("const size_t %s = (size_t)(%s);"):format(name, item.count))
      item.count = name
    end
  end
end

-- Writes the directive: clauses of the variables themselves, and calls for what they point to. writer: with the methods
-- line, open_brace, close_brace. True: finish ends the region that was begun.
function Deep:write(node, writer)
  local own, others = self:clauses()
  local computes = node.name ~= "data" and node.name ~= "enter data"
  local is_alone = computes and node.name ~= "update" and node.name ~= "exit data" and self:is_there() -- no block
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
    local before, behind = self:keeping()
    calls("exit", self.plan.finalize)
    for _, text in ipairs(before) do writer:line(text) end
    pragma(node.name, own, others)
    for _, text in ipairs(behind) do writer:line(text) end
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

-- Writes the end of a region.
function Deep:finish(writer)
  local before, behind = self:keeping()
  self:conditional(writer, self:calls "exit")
  for _, text in ipairs(before) do writer:line(text) end
  writer:close_brace()
  for _, text in ipairs(behind) do writer:line(text) end
end

-- What is deep in a directive's plan, or nil. leads_back: objects on the device then led back to themselves. This,
-- and the methods of what it gives, raise {cannot = reason} for what no standard directives can do.
function deep.of(program, session, plan, leads_back)
  local made = setmetatable({ program = program, session = session, plan = plan, list = {}, by_node = {} }, Deep)
  for _, item in ipairs(plan.items) do
    local treatment, clause = item.treatment, item.clause or {}
    local said = clause.shape or clause.nest or clause.name == "invoke" -- has to be said otherwise, however plain
    if treatment and (said or not is_plain(session, treatment, {})) then
      local action = actions[item.action]
      clause_of(action)
      if leads_back and is_recursive(session, treatment, {}) then cannot "objects that lead back to themselves" end
      if plan.kind == "exit data" and action == "hold" then cannot "a policy on exit data that ends nothing" end
      local text, count, pointer = objects_of(session, item.node, dialect_of(program))
      local base = list_item.root_variable(item.node)
      if base and program.qualified and program.qualified[base] then
        text = dialect_of(program).unqualified(text, treatment.record)
      end
      local entry = { treatment = treatment, action = action, node = item.node, text = text, count = count,
        pointer = pointer, implicit = not clause.name, there = action == "present" and not treatment.policy }
      made.list[#made.list + 1], made.by_node[item.node] = entry, entry
    end
  end
  if #made.list == 0 then return nil end
  if plan.condition and not program.is_passed then cannot "'if' on a deep copy" end
  return made
end

return deep
