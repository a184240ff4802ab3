-- deep_copy.lua - expresses deep directives of C and C++ in standard OpenACC: functions with data directives.
--
-- deep_copy.new(program, session, plan) returns the deep variables of a plan (construct IR), or nil. For each member
-- mapping (nest.lua; its entries are the members) and phase (enter, exit, ...), the program gets a function for `count`
-- objects. The function calls those for targets of pointers, so types may be recursive. A data clause maps the variable
-- itself. An alias (@) is a pointer into other mapped data. Used by lower/c_unit.lua, scenario_recorder.lua.

local c_dialects = require "accdeep.tools.export.c_dialects"
local exits = require "accdeep.tools.export.exits"
local nest = require "accdeep.lowering.nest"
local list_item = require "accdeep.sema.c.list_item"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local member_transfers = require "accdeep.tools.export.member_transfers"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local deep_copy = {}
local operand = c_dialects.operand

local cannot, clauses, clause_of, traffic = member_transfers.cannot, member_transfers.clauses,
  member_transfers.clause_of, member_transfers.traffic
local action_of, action_inside, held_record = member_transfers.action_of, member_transfers.action_inside,
  member_transfers.held_record
local is_plain, has_aliases, is_recursive = member_transfers.is_plain, member_transfers.has_aliases,
  member_transfers.is_recursive
local number_of, is_part, actions = member_transfers.number_of, member_transfers.is_part, member_transfers.actions

deep_copy.cannot, deep_copy.actions, deep_copy.clause_of, deep_copy.region_clause = cannot, actions, clause_of,
  member_transfers.region_clause
deep_copy.action_of, deep_copy.action_inside, deep_copy.held_record = action_of, action_inside, held_record
-- Returns true if an error is {cannot = reason}: standard directives cannot express the request.
function deep_copy.is_reason(err) return type(err) == "table" and err.cannot ~= nil end

-- Clauses that no standard has.
local beyond_standard = {}
for _, catalogue in ipairs { openacc_directives, openmp_directives } do
  for name in pairs(catalogue.clauses_where(function(entry) return entry.own end)) do beyond_standard[name] = true end
end
-- Returns true if a node is an alias (@).
local function is_alias(node) return node.tag == "alias" end

-- Returns words for the non-standard feature of a directive, or nil; and true if it is only shapes, policies or nests.
function deep_copy.extension(node)
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
  return extension, true
end

-- Returns the dialect of a program (c_dialects.lua): C by default.
local function dialect_of(program) return program.dialect or c_dialects.c end

local Writer = {}
Writer.__index = Writer

-- Appends a formatted line with indentation.
function Writer:line(format, ...)
  self.lines[#self.lines + 1] = ("    "):rep(self.depth) .. format:format(...)
end

-- Appends a formatted line with an opening brace; later lines are indented.
function Writer:open(format, ...)
  self:line(format .. " {", ...)
  self.depth = self.depth + 1
end

-- Appends the closing brace of the innermost open block.
function Writer:close()
  self.depth = self.depth - 1
  self:line "}"
end

-- Returns the name of the parameter that passes the expression `text`, evaluated at the directive; adds new ones.
function Writer:pass_parameter(text)
  for i, other in ipairs(self.parameters) do
    if other == text then return "bound_" .. i end
  end
  self.parameters[#self.parameters + 1] = text
  return "bound_" .. #self.parameters
end

local ENCLOSING = "around " -- prefix in `parameters` of a member of an enclosing structure
-- Returns true if an enclosing structure has a member `name`. `outer`: {record, above} of the enclosing structures.
local function is_enclosing_member(outer, name)
  return outer ~= nil and (types.member(outer.record, name) ~= nil or is_enclosing_member(outer.above, name))
end

-- Returns true if an expression has names, and all of them have a meaning only at the directive. `record`: type of *q.
local function is_passed_whole(writer, expression, record, scope)
  local is_passed, has_names = writer.program.is_passed, false
  local has_others = not is_passed or ast.any(expression, function(node)
    if node.tag ~= "id" then return node.tag == "row" end
    has_names = true
    local is_member = not node.global and (types.member(record, node.name)
      or is_enclosing_member(writer.enclosing, node.name))
    return is_member or not scope:find_declared(node.name) or not is_passed(node, record)
  end)
  return has_names and not has_others
end

-- Raises {cannot = reason} if `node` guards a call, since the directive would evaluate the call for all objects.
local function check_calls(writer, node, record)
  local is_value = writer.program.is_value
  local is_guard = node.tag == "cond" or node.tag == "binary" and (node.op == "&&" or node.op == "||")
  if not is_guard or not is_value then return end
  for _, part in ipairs { node.b, node.c and node.a } do
    if ast.any(part, function(n)
      return n.tag == "id" and is_value(n.name) and writer.program.is_passed(n, record)
    end) then
      cannot "a call that a bound makes for some objects only"
    end
  end
end

-- Returns a bound as an AST with names as members of *q, parameters or globals. Raises {cannot = reason} for others.
local function rebase(writer, expression, record, scope)
  return ast.map(expression, function(node)
    if is_passed_whole(writer, node, record, scope) then
      local unqualified = ast.map(node, function(n) return n.global and ast.copy_with(n, "global", nil) or nil end)
      return { tag = "id", name = writer:pass_parameter(unparse.expression(unqualified)) }
    end
    check_calls(writer, node, record)
    if node.tag == "row" then cannot "a bound that uses the number of its pointer (#)" end
    if node.tag ~= "id" then return nil end
    if node.name == "this" then cannot "a bound that uses 'this'" end
    if not node.global and types.member(record, node.name) then
      writer.dialect.member(writer.program, record, node.name) -- raises for inaccessible members
      return { tag = "member", arrow = true, base = { tag = "id", name = "q" }, name = node.name }
    end
    if not node.global and is_enclosing_member(writer.enclosing, node.name) then
      return { tag = "id", name = writer:pass_parameter(ENCLOSING .. node.name) }
    end
    if not scope:find_declared(node.name) then cannot "a bound that uses a member of a structure around" end
    if c_dialects.is_own(node.name) then
      return { tag = "id", name = c_dialects.value(writer.program, node.name) .. "()" }
    end
    return ast.copy_with(node, "global", nil)
  end)
end

-- Returns the bound `node` of an entry as C. entry.outer: its names have the meaning they have at the directive.
local function bound(writer, member_mapping, entry, node)
  local session = writer.session
  if entry.values and next(entry.values) then cannot "parameters of shapes and policies" end
  if not entry.outer then return unparse.expression(rebase(writer, node, member_mapping.record, session.now.scope)) end
  local text = unparse.expression(node)
  if not writer.program.is_passed or text:find "^%d+$" then return text end
  return writer:pass_parameter(text)
end

-- Returns the start and the length of a subscript as C; an omitted start is "0". `t`: the type that is subscripted.
local function range(writer, member_mapping, entry, subscript, t)
  if subscript.ranges then cannot "a section of Fortran" end
  if subscript.tag == "index" then return bound(writer, member_mapping, entry, subscript.index), "1" end
  local start = subscript.start and bound(writer, member_mapping, entry, subscript.start) or "0"
  if subscript.length then return start, bound(writer, member_mapping, entry, subscript.length) end
  return start, start == "0" and ("%d"):format(t.n) or ("%d - (%s)"):format(t.n, start)
end

-- Returns the pointer to element `start` as C.
local function plus(base, start) return start == "0" and base or ("%s + %s"):format(base, operand(start)) end

-- Opens a block that is executed if `pointer` is not null and `length` is positive.
function Writer:guard(pointer, length)
  local always = length:find "^%d+$" and length ~= "0"
  self:open(always and "if (%s)" or "if (%s && %s > 0)", pointer, operand(length))
end

-- Closes the block of `guard`. In objects that are not copied in, pointers without a target get the host's values.
function Writer:close_pointer(pointer)
  self:close()
  if not self.sets_pointers then return end
  self:line("else if (acc_is_present((void *)&%s, sizeof %s))", pointer, pointer)
  self:line("    acc_update_device((void *)&%s, sizeof %s);", pointer, pointer)
end

-- Returns true if the function of the mapping `inner` would be empty: no aliases (in an alias phase), else no pointers.
function Writer:has_nothing(inner)
  if self.aliases then return not has_aliases(self.session, inner, {}) end
  return is_plain(self.session, inner, {})
end

-- Sets the field `spelled` of an unnamed structure, the innermost type of a member: __typeof__ of an expression in C.
local function spell_unnamed(member_mapping, entry)
  local t = entry.member.type
  local text = ("((%s *)0)->%s"):format(c_dialects.c.declaration(member_mapping.record, ""), entry.member.name)
  while t.kind == "array" or t.kind == "pointer" do t, text = t.of or t.to, ("*(%s)"):format(text) end
  if types.is_record(t) and not t.tag and not t.name then t.spelled = ("__typeof__(%s)"):format(text) end
end

-- Returns the arguments for the parameters of an inner function as text that begins with a comma, or "".
function Writer:arguments(member_mapping, parameters)
  local passed = {}
  for i, parameter in ipairs(parameters) do
    local outer_member = parameter:match("^" .. ENCLOSING .. "(.*)$")
    local is_own = outer_member and types.member(member_mapping.record, outer_member)
    passed[i] = ", " .. (is_own and self.dialect.member(self.program, member_mapping.record, outer_member)
      or self:pass_parameter(parameter))
  end
  return table.concat(passed)
end

-- Writes a call for the elements of a target or array, unless nothing is deep. `saved`: address of saved values or nil.
function Writer:elements(member_mapping, entry, text, count, saved)
  spell_unnamed(member_mapping, entry)
  local action, inner = action_inside(self.session, member_mapping, entry, self.action)
  if not saved and self:has_nothing(inner) then return end
  local name, parameters = self.make(inner, action)
  local passed = (saved and ", (void *)" .. operand(saved) or "") .. self:arguments(member_mapping, parameters)
  if entry.member.qualified then text = self.dialect.unqualified_address(text, inner.record) end
  local deeper = is_recursive(self.session, inner, {}) and c_dialects.deeper(self.program)
  if deeper then self:line("%s(1);", deeper) end
  self:line("%s(%s, %s%s);", self.dialect.called(name), text, count, passed)
  if deeper then self:line("%s(-1);", deeper) end
end

-- Returns the clause that moves a section, and true if host values of its elements must be restored afterwards.
function Writer:section_clause(member_mapping, entry, element)
  local action = action_of(member_mapping, entry, self.action)
  if not types.is_record(element) then return clause_of(action)[self.phase], false end
  local inner_action, inner = action_inside(self.session, member_mapping, entry, self.action)
  local moves_in, moves_out, stays = traffic(self.session, inner, inner_action, self.program.keeps_pointers)
  if self.phase == "enter" then return moves_in and "copyin" or "create", false end
  return moves_out and "copyout" or "delete", stays
end

local words = { enter = "enter data", exit = "exit data" }
-- Phases for aliases: attach when all data are present, detach before any are unmapped.
local alias_routines = { attach = "acc_attach", detach = "acc_detach" }

-- Returns true if the member `name` is in a union: compilers reject such members in directives.
local function is_in_union(record, name)
  if record.record == "union" then return true end
  for _, member in ipairs(record.members) do
    if not member.name and member.type.by_name[name] then return is_in_union(member.type, name) end
  end
  return false
end

-- Writes the code for the target of one pointer. A data clause attaches the pointer q->name (is_member); acc_attach
-- attaches pointers in arrays and unions. nested(start, length): writes the code for pointers in the section; nil:
-- there are none.
function Writer:section(member_mapping, entry, pointer, t, subscript, is_member, nested)
  local element = t.to
  local start, length = range(self, member_mapping, entry, subscript, t)
  local is_deep = types.is_record(element) and not nested
  if self.aliases then
    if not nested and not (is_deep and not self:has_nothing(nest.inner(self.session, member_mapping, entry))) then
      return end
    self:guard(pointer, length)
    if nested then nested(start, length) else self:elements(member_mapping, entry, plus(pointer, start), length) end
    return self:close()
  elseif self.phase == "update" then
    self:guard(pointer, length)
    if nested then
      nested(start, length)
    elseif not is_deep or is_plain(self.session, nest.inner(self.session, member_mapping, entry), {}) then
      local base = pointer
      if not is_member or not pointer:find "^[%w_]" then -- directives accept no cast
        base = "row"
        self:line("%s = %s; (void)row;", self.dialect.declaration(types.pointer(element), "row"), pointer)
      end
      self:line("#pragma acc update %s(%s[%s:%s])%s", self.update, base, start, length,
        self.if_present and " if_present" or "")
    else
      self:elements(member_mapping, entry, plus(pointer, start), length)
    end
    return self:close()
  end
  local clause, stays = self:section_clause(member_mapping, entry, element)
  local finalize = self.finalize and " finalize" or ""
  self:guard(pointer, length)
  local base = pointer
  if not is_member then
    if start ~= "0" then cannot "a section of a pointer in an array or a union that begins after element 0" end
    base = "row"
    self:line("%s = %s; (void)row;", self.dialect.declaration(types.pointer(element), "row"), pointer)
  end
  local function move() self:line("#pragma acc %s %s(%s[%s:%s])%s", words[self.phase], clause, base, start, length,
    finalize) end
  if self.phase == "enter" then
    local may_be_present = is_member and self.program.keeps_pointers -- nothing is attached if present
    if may_be_present then self:line("const int was_present = acc_is_present((void *)(%s), 1);", plus(base, start)) end
    move()
    if may_be_present then
      self:line "if (was_present)"
      self:line("    acc_attach_at((void **)&%s, (void *)(%s));", pointer, plus(base, start))
    elseif not is_member then
      self:line("acc_attach((void **)&%s);", pointer)
    end
    if nested then nested(start, length) end
    if is_deep then self:elements(member_mapping, entry, plus(pointer, start), length) end
  else
    if nested then nested(start, length) end
    if is_deep then self:elements(member_mapping, entry, plus(pointer, start), length) end
    if not is_member then self:line("acc_detach%s((void **)&%s);", self.finalize and "_finalize" or "", pointer) end
    local preceding, following = {}, {}
    if stays then
      local inner_action, inner = action_inside(self.session, member_mapping, entry, self.action)
      local name, parameters = self.make(inner, inner_action, "keep")
      preceding, following = self.dialect.keep_values("kept", plus(base, start), length, name,
        self:arguments(member_mapping, parameters))
      self:line "void *kept;"
    end
    for _, text in ipairs(preceding) do self:line("%s", text) end
    move()
    for _, text in ipairs(following) do self:line("%s", text) end
  end
  self:close_pointer(pointer)
end

-- Writes the code for the pointer or array of pointers `text` of type `t`, from the entry's subscript `at` on.
function Writer:follow_pointer(member_mapping, entry, text, t, at)
  local subscript = entry.subscripts[at]
  local is_member = text == "q->" .. entry.member.name and not is_in_union(member_mapping.record, entry.member.name)
  local function each_pointer(array_text, first, count, element_type)
    local i = ("i%d"):format(at)
    self:open("for (size_t %s = 0; %s < (size_t)%s; %s++)", i, i, operand(count), i)
    self:follow_pointer(member_mapping, entry, ("%s[%s%s]"):format(array_text,
      first == "0" and "" or operand(first) .. " + ", i), element_type, at + 1)
    self:close()
  end
  if subscript.tag == "alias" then
    if not self.aliases then return end
    self:open("if (%s)", text)
    local base = subscript.to
    local is_beside = base and base.tag == "id" and not base.global and types.member(member_mapping.record, base.name)
    local routine = self.aliases .. (self.finalize and "_finalize" or "")
    if is_beside then
      self:line("%s((void **)&%s, (void *)q->%s);", c_dialects.alias(self.program, routine), text, base.name)
    else
      self:line("%s((void **)&%s);", routine, text)
    end
    return self:close_pointer(text)
  elseif t.kind == "array" then
    local first, count = range(self, member_mapping, entry, subscript, t)
    return each_pointer(text, first, count, t.of)
  end
  local nested = entry.subscripts[at + 1] and function(first, count) each_pointer(text, first, count, t.to) end
  if nested and t.to.kind ~= "pointer" then cannot "a section of rows that a pointer points to" end
  self:section(member_mapping, entry, text, t, subscript, is_member, nested)
end

-- Returns the part of an array that an entry selects: subscripts, length, element type; nil if that is the whole array.
function Writer:array_part(member_mapping, entry)
  if not is_part(entry) then return nil end
  local t, list, first = entry.member.type, {}, {}
  for i, subscript in ipairs(entry.subscripts) do
    local start, length = range(self, member_mapping, entry, subscript, t)
    list[i] = { start = start, length = length, is_whole = start == "0" and length == ("%d"):format(t.n), of = t.of }
    t = t.of
  end
  while list[1] and list[#list].is_whole do list[#list] = nil end
  for i, part in ipairs(list) do
    if i < #list and part.length ~= "1" then cannot "a section of a member in several dimensions" end
    first[i] = ("[%s]"):format(part.start)
  end
  if not list[1] then return nil end
  return table.concat(first), list[#list].length, list[#list].of
end

-- Calls fn(address, count, ...) for the structures in a member or its section, with each text in `...` as an address.
function Writer:each_nested_record(member_mapping, entry, fn, ...)
  local t, list = entry.member.type, { ... }
  local first, length, element = self:array_part(member_mapping, entry)
  for i, text in ipairs(list) do
    if first then
      list[i], t = "&" .. text .. first, element
      while t.kind == "array" do list[i], t = list[i] .. "[0]", t.of end
    else
      list[i] = t.kind == "array" and self.dialect.first_element(text, t) or "&" .. text
    end
  end
  local element_count = number_of(element or entry.member.type)
  local count = not first and ("%d"):format(element_count) or element_count == 1 and length
    or ("%s * %d"):format(operand(length), element_count)
  local may_be_empty = not count:find "^[%d* ]+$"
  if may_be_empty then self:open("if (%s > 0)", operand(length)) end
  fn(list[1], count, list[2])
  if may_be_empty then self:close() end
end

-- Writes the update of a member that is not a pointer, or of its section, to self.values and self.bounds.
function Writer:update_value(member_mapping, entry, text)
  local function add(...) self.values[#self.values + 1] = ("    "):rep(self.depth) .. string.format(...) end
  local function call(address, bytes)
    local condition_text = self.if_present and ("if (acc_is_present(%s, %s)) "):format(address, bytes) or ""
    add("%sacc_update_%s(%s, %s);", condition_text, self.update, address, bytes)
  end
  local first, length = self:array_part(member_mapping, entry)
  if entry.member.name:find "^%(" then -- bytes of bit-fields or padding
    local at, bytes = types.member(member_mapping.record, entry.member.name).offset, entry.member.type.size
    call(("(char *)q + %d"):format(at), bytes)
  elseif not first then
    local is_refused = not text:find "^[%w_]" or is_in_union(member_mapping.record, entry.member.name)
    if is_refused then return call("(void *)&" .. text, "sizeof " .. text) end
    add("#pragma acc update %s(%s)%s", self.update, text, self.if_present and " if_present" or "")
  elseif (first .. length):find "^[%d%[%]]+$" then
    call(("(void *)&%s%s"):format(text, first), ("%s * sizeof %s%s"):format(length, text, first))
  else -- the bounds have the values from before the update
    self.nparts = self.nparts + 1
    table.insert(self.bounds, ("void *part_%d = (void *)&%s%s;"):format(self.nparts, text, first))
    table.insert(self.bounds, ("size_t bytes_%d = %s > 0 ? (size_t)%s * sizeof %s%s : 0;"):format(self.nparts,
      operand(length), operand(length), text, first))
    add("if (bytes_%d)", self.nparts)
    call(("part_%d"):format(self.nparts), ("bytes_%d"):format(self.nparts))
  end
end

-- Writes the code for a member of the objects; nothing if the member mapping excludes it.
function Writer:entry(member_mapping, entry)
  if not entry.include then return end
  local t, text = entry.member.type, self.dialect.member(self.program, member_mapping.record, entry.member.name)
  local is_update = self.phase == "update"
  local is_held = held_record(t) and not (is_update
    and is_plain(self.session, nest.inner(self.session, member_mapping, entry), {}))
  if is_held then
    local at = #self.lines
    self:each_nested_record(member_mapping, entry, function(address, count) self:elements(
      member_mapping, entry, address, count) end, text)
    if self.update and self.update ~= "device" then -- bounds of targets use the values from before the update
      table.move(self.lines, at + 1, #self.lines, #self.deferred_lines + 1, self.deferred_lines)
      for i = #self.lines, at + 1, -1 do self.lines[i] = nil end
    end
  elseif entry.subscripts and not is_part(entry) and types.innermost(t) ~= t then
    return self:follow_pointer(member_mapping, entry, text, t, 1)
  elseif is_update and t.kind ~= "pointer" then
    return self:update_value(member_mapping, entry, text)
  end
end

-- Writes the code for the members of an object, in reverse order when data are unmapped. Bounds use the host's values
-- from before the directive; an update of the host therefore copies the object's own values last.
function Writer:members(member_mapping)
  self.values, self.deferred_lines, self.bounds, self.nparts = {}, {}, {}, 0
  local entries = nest.entries(self.session, member_mapping)
  local from, to, step = 1, #entries, 1
  if self.phase == "exit" or self.phase == "detach" then from, to, step = to, from, -1 end
  if self.phase == "enter" or self.phase == "attach" then
    self.sets_pointers = self.action ~= "present" and not traffic(self.session, member_mapping, self.action)
  end
  for i = from, to, step do self:entry(member_mapping, entries[i]) end
  table.move(self.deferred_lines, 1, #self.deferred_lines, #self.lines + 1, self.lines)
  local at = self.update == "device" and 0 or #self.lines
  for i, text in ipairs(self.values) do table.insert(self.lines, at + i, text) end
  for i, text in ipairs(self.bounds) do table.insert(self.lines, i, ("    "):rep(self.depth) .. text) end
end

-- Returns the name of the function for a mapping and a `phase` (phase and action), and its parameters. Adds new ones.
local function function_for(program, session, member_mapping, phase)
  local functions = program.deep_functions
  local by_phase = functions[member_mapping] or {}
  functions[member_mapping] = by_phase
  local key = ("%s %s %s"):format(phase.phase, phase.update or phase.action, (phase.finalize and "final" or "")
    .. (phase.if_present and "present" or ""))
  local existing = by_phase[key]
  if existing then return existing.name, existing.parameters end
  local tag = (member_mapping.record.tag or "object"):gsub("%b<>", ""):match "([%w_]+)$" or "object"
  local writer = setmetatable({ session = session, program = program, dialect = dialect_of(program), lines = {},
    depth = 2, phase = phase.phase, update = phase.update, action = phase.action, finalize = phase.finalize,
    if_present = phase.if_present,
    aliases = alias_routines[phase.phase], enclosing = phase.enclosing, parameters = {} }, Writer)
  function writer.make(inner, action, other_phase)
    return function_for(program, session, inner, { phase = other_phase or phase.phase, update = phase.update,
      action = action, finalize = phase.finalize, if_present = phase.if_present,
      enclosing = { record = member_mapping.record, above = phase.enclosing } })
  end
  local new_function = { parameters = writer.parameters }
  by_phase[key] = new_function
  local is_keep = phase.phase == "keep"
  local word = is_keep and "put_back" or phase.update and "update_" .. phase.update or phase.phase
  new_function.name = c_dialects.add(program, word .. "_" .. tag,
    function(name)
      new_function.name = name
      local write = is_keep and exits.put_back or phase.phase == "find" and exits.find_rest or writer.members
      write(writer, member_mapping)
      local uses = false -- compilers warn of unused variables and ignore directives
      for _, text in ipairs(writer.lines) do
        uses = uses or not text:find "^%s*#" and text:find "%f[%w_]q%f[^%w_]" ~= nil
      end
      if not uses then table.insert(writer.lines, 1, "        (void)q;") end
      local body = table.concat(writer.lines, "\n") .. "\n"
      if program.finished then body = program.finished(body, member_mapping.record) end
      return writer.dialect.define(name, member_mapping.record, #writer.parameters, body, is_keep)
    end)
  return new_function.name, writer.parameters
end

-- Returns as C: the address of an item's first object, the number of objects, and the pointer to test for null or nil.
local function objects_of(session, node, dialect)
  local base, subscripts = list_item.split_designator(list_item.single(node))
  local t = list_item.type_of(session, base)
  if not subscripts then
    local text = unparse.expression(base)
    if t.kind ~= "array" then return "&" .. text, "1" end
    return dialect.first_element(text, t), ("%d"):format(number_of(t))
  end
  local section, element_type = subscripts[1], types.element(t)
  if subscripts[2] or section.tag ~= "section" or not types.is_record(element_type) then
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

-- Returns calls that map (`kind`: "enter"), unmap ("exit") or update ("update") targets of deep variables, as lines.
function Deep:calls(kind, finalize)
  local lines = {}
  for _, phase in ipairs(phases[kind]) do self:calls_in(phase, finalize, lines) end
  return lines
end

-- Appends the calls of one phase (see phases) to `lines`.
function Deep:calls_in(phase, finalize, lines)
  local from, to, step = 1, #self.list, 1
  if phase == "exit" then from, to, step = to, from, -1 end
  for i = from, to, step do
    local item = self.list[i]
    if not item.there and not (alias_routines[phase] and not has_aliases(self.session, item.member_mapping, {})) then
      local name, parameters = function_for(self.program, self.session, item.member_mapping, { phase = phase,
        update = clauses[item.action].update, action = item.action, finalize = finalize,
        if_present = self.plan.if_present })
      if item.pointer then lines[#lines + 1] = ("if (%s)"):format(item.pointer) end
      if self.program.called then self.program.called(name, item.member_mapping.record) end
      lines[#lines + 1] = ("%s%s(%s);"):format(item.pointer and "    " or "", dialect_of(self.program).called(name),
        table.concat({ item.text, item.count, table.unpack(parameters) }, ", "))
    end
  end
end

-- Returns lines for before and lines for after the unmapping of the variables, which save and restore host values.
function Deep:keeping()
  local all_preceding, all_following = {}, {}
  local program, dialect = self.program, dialect_of(self.program)
  for _, item in ipairs(self.list) do
    local _, _, stays = traffic(self.session, item.member_mapping, item.action, program.keeps_pointers)
    if stays then
      local name = ("kept_%d"):format(#program.globals + 1)
      local callee, parameters = function_for(program, self.session, item.member_mapping, { phase = "keep",
        action = item.action })
      if program.called then program.called(callee, item.member_mapping.record) end
      table.insert(program.globals, ("static void *%s;"):format(name))
      local args = { "" }
      for i, parameter in ipairs(parameters) do -- the transfer may change what the parameters use
        local saved = ("%s_bound_%d"):format(name, i)
        table.insert(program.globals, ("static long %s;"):format(saved))
        all_preceding[#all_preceding + 1], args[i + 1] = ("%s = (long)(%s);"):format(saved, parameter), saved
      end
      local preceding, following = dialect.keep_values(name, item.text, item.count, callee, table.concat(args, ", "))
      table.move(preceding, 1, #preceding, #all_preceding + 1, all_preceding)
      table.move(following, 1, #following, #all_following + 1, all_following)
    end
  end
  return all_preceding, all_following
end

-- Returns the name of a variable that is true if other directives attached pointers in objects, and the lines that set
-- it. With finalize such objects are only decremented (TR14-4.3-12). Returns nil if no such pointer can exist.
function Deep:rest()
  local program, name, lines = self.program, nil, {}
  for _, item in ipairs(self.plan.finalize and self.list or {}) do
    if exits.left_out(self.session, item.member_mapping)[1] then
      name = name or ("rest_%d"):format(#program.globals + 1)
      local callee = function_for(program, self.session, item.member_mapping, { phase = "find", action = "release" })
      if program.called then program.called(callee, item.member_mapping.record) end
      lines[#lines + 1] = ("%s%s(%s, %s, (long)&%s);"):format(item.pointer and ("if (%s) "):format(item.pointer) or "",
        dialect_of(program).called(callee), item.text, item.count, name)
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
function deep_copy.check_modifiers(clause)
  local modifier = (clause.modifiers or {})[1]
  if modifier then cannot(("the modifier '%s' of a deep copy"):format(modifier.name)) end
end

-- Returns the clause that maps a deep variable itself.
function Deep:own_clause(item)
  local moves_in, moves_out = traffic(self.session, item.member_mapping, item.action)
  local kind, word = self.plan.kind
  if kind == "enter data" then
    word = moves_in and "copyin" or "create"
  elseif kind == "exit data" then
    word = moves_out and "copyout" or "delete"
  else
    word = item.action == "present" and "present" or member_transfers.region_clause[moves_in][moves_out]
  end
  return ("%s(%s)"):format(word, clause_text(item.node))
end

local IF = "if(accdeep_if)"

-- Returns two lists of texts: clauses for deep variables, and other clauses. Raises if a variable has two data clauses.
function Deep:clauses()
  local own, others = {}, {}
  for _, clause in ipairs(self.plan.clauses) do
    local is_deep, rest = false, {}
    for _, variable in ipairs(clause.vars or {}) do
      local item = self.by_node[variable]
      if item then
        deep_copy.check_modifiers(clause)
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
  if not self.program.is_passed then return end
  local dialect = dialect_of(self.program)
  for i, item in ipairs(self.list) do
    if not item.text:find "^&[%w_]+$" then
      local name = "accdeep_objects_" .. i
      writer:line(("%s = %s;"):format(dialect.declaration(types.pointer(item.member_mapping.record), name), item.text))
      item.text, item.pointer = name, item.pointer and name
    end
    if not item.count:find "^%d+$" then
      local name = "accdeep_count_" .. i
      writer:line(("const size_t %s = (size_t)(%s);"):format(name, item.count))
      item.count = name
    end
  end
end

-- Writes the directive `node` to `writer` (line_writer.lua, c_program.lua). Returns true if `finish` must end a region.
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
function deep_copy.new(program, session, plan, leads_back)
  local deep = setmetatable({ program = program, session = session, plan = plan, list = {}, by_node = {} }, Deep)
  for _, item in ipairs(plan.items) do
    local member_mapping, clause = item.member_mapping, item.clause or {}
    local is_specified = clause.shape or clause.nest or clause.name == "invoke" -- no standard directive has these
    if member_mapping and (is_specified or not is_plain(session, member_mapping, {})) then
      local action = actions[item.action]
      clause_of(action)
      if leads_back and is_recursive(session, member_mapping, {}) then cannot "objects that lead back to themselves" end
      local text, count, pointer = objects_of(session, item.node, dialect_of(program))
      local base = list_item.root_variable(item.node)
      if base and program.qualified and program.qualified[base] then
        text = dialect_of(program).unqualified_address(text, member_mapping.record)
      end
      local entry = { member_mapping = member_mapping, action = action, node = item.node, text = text, count = count,
        pointer = pointer, implicit = not clause.name, there = action == "present" and not member_mapping.policy }
      deep.list[#deep.list + 1], deep.by_node[item.node] = entry, entry
    end
  end
  if #deep.list == 0 then return nil end
  if plan.condition and not program.is_passed then cannot "'if' on a deep copy" end
  return deep
end

return deep_copy
