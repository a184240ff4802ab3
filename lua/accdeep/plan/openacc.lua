-- openacc.lua - from a directive's tree to the items of one construct.
--
-- Input: a directive node. Result: {kind, name, items, finalize, condition, ...}; an item tells by code
-- where it lies, what it asks for and by which program its elements are walked. On the way clauses are
-- checked against what the directive allows, members in data clauses become nests (convenience.lua), and
-- each variable becomes an item, treated as its clause's shape, policy or nest says (nest.lua).

local advice = require "accdeep.grammar.advice"
local allowed = require "accdeep.check.openacc"
local codegen = require "accdeep.code.codegen"
local compile = require "accdeep.shape.compile"
local convenience = require "accdeep.shape.convenience"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local nest = require "accdeep.shape.nest"
local pieces = require "accdeep.plan.pieces"
local list_item = require "accdeep.shape.list_item"
local openacc = require "accdeep.catalogue.openacc"
local policy = require "accdeep.shape.policy"
local shape = require "accdeep.shape.shape"
local types = require "accdeep.types"
local unparse = require "accdeep.grammar.unparse"

local raise = diagnostic.raise
local action, flag, kinds = core.action, core.flag, core.kind
local render, take_apart, type_of = list_item.render, list_item.take_apart, list_item.type_of

local lower = {}


-- What data clauses ask for.
local data_actions = openacc.where(function(entry, clause)
  return policy.actions[clause.name] or openacc.of.policy[clause.name] == nil and entry.action
end)

-- ------------------------------------------------------------------------------------------- items --

local Plan = {}
Plan.__index = Plan

-- Places in a label's name that are computed: registers of their values.
local function index_registers(b, ctx, indices)
  local list = {}
  for i = 1, math.min(#indices, 3) do
    local v = codegen.integer(b, ctx, indices[i])
    list[i] = codegen.reg(b, v, indices[i].pos)
  end
  return list
end

function Plan:label(name, unit, how, layout, rows)
  local fields = { name = name, unit = unit, layout = layout, array = rows, file = self.file, line = self.line }
  if how then fields[how] = true end
  return self.session:label(fields)
end

function Plan:add(item)
  self.items[#self.items + 1] = item
  return item
end

function Plan:flags(request)
  local f = 0
  if request.try then f = f | flag.try end
  if request.present_or then f = f | flag.present_or end
  if request.pointer then f = f | flag.pointer end
  return f | (request.flags or 0)
end

-- The variable that a member is a part of; nil if a pointer leads to it.
local function variable_around(node)
  local root = node
  while root.tag == "member" and not root.arrow do root = root.base end
  return root ~= node and root.tag == "id" and root or nil
end

-- Where members are mapped without the structure they lie in, they keep their places in it.
function Plan:keep_place(item, node)
  local root = variable_around(node)
  if self.session.rules.members ~= "mapped" or not root then return end
  local b = codegen.builder()
  local from = codegen.lvalue(b, { session = self.session }, root)
  local address = codegen.address_of(b, from, root.pos)
  if address.const then item.frame, item.room = address.const, from.type.size end
end

-- The member that leads to a section is mapped with it.
function Plan:pointer_member(request, node)
  if self.session.rules.members ~= "mapped" or self.kind == "update" or not variable_around(node) then return end
  local text = unparse.expression(node)
  if self.pointers[text] then return end
  self.pointers[text] = true
  self:object({ action = self.kind == "exit data" and "delete" or "create", clause = {}, node = request.node,
    kind = self.kind, pointer = true }, node)
end

-- The pointer's own address, if the pointer is one that data clauses attach.
local function slot_of(b, ctx, node, item)
  local members = ctx.session.rules.members == "mapped" and item.action ~= action.attach
    and item.action ~= action.detach
  if node.tag ~= "member" and (members or node.tag ~= "id" and node.tag ~= "index" and node.tag ~= "unary") then
    return
  end
  local address = codegen.address_of(b, codegen.lvalue(b, ctx, node), node.pos)
  if address.const then
    item.slot_address = address.const
  else
    item.slot = codegen.reg(b, address, node.pos)
  end
end

-- Where element 0 lies of what holds an element or row of an array, where data are fused of the outermost array with
-- the place in it: that is a variable, a member, or what a pointer leads to (DIR-4.1-03). nil for what is no part of an
-- array.
local function origin_of(b, ctx, node)
  local whole, at = nil, node
  while true do
    if at.tag == "index" and type_of(ctx.session, at.base).kind == "array" then
      at = at.base
      whole = at
    elseif at.tag == "member" and not at.arrow and ctx.session.rules.fusion then
      at = at.base
    else
      break
    end
  end
  if at.tag == "index" then return codegen.reg(b, codegen.value(b, ctx, at.base), node.pos) end
  return whole and codegen.reg(b, codegen.address_of(b, codegen.lvalue(b, ctx, whole), node.pos), node.pos)
end

-- How the objects of a request are treated, or nil if it asks for no more than their bytes. A shallow
-- present asks for the object alone, whatever its shape leads to (TR14-1.2-08).
local function treatment_of(session, request, t)
  local clause, update = request.clause, request.update
  local invoke = clause.name == "invoke"
  if not types.is_record(t) then
    if not invoke and not clause.shape and not clause.nest then return nil end
    raise("not-a-struct", request.node.pos, ("%s has no %s"):format(types.name(t),
      invoke and "policies" or "shapes"), { rule = clause.nest and "TR14-3.3-15"
        or invoke and "TR14-3.2.2-02" or "TR14-3.1.2-08" })
  end
  if invoke then return nest.of_invoke(session, t, clause, update) end
  if request.action == "present" and session.rules.present == "shallow" then return nil end
  return nest.of_clause(session, t, clause, update, request.action)
end

-- What is left of a policy's actions on exit data (AMB-TR14-10).
local exit_half = openacc.where(function(entry, clause)
  if clause.present_or then return nil end
  return entry.data and (entry.data:find "out" and "copyout" or "delete")
    or (clause.name == "present" or clause.name == "no_create") and "hold"
end)

local function deletes(session, treatment, seen)
  if treatment.own == "delete" then return true end
  if seen[treatment] then return false end
  seen[treatment] = true
  for _, entry in ipairs(treatment.policy and nest.entries(session, treatment) or {}) do
    if entry.action == "delete" or entry.invoke and deletes(session, nest.inner(session, treatment, entry), seen) then
      return true
    end
  end
  return false
end

-- What a request asks for, the program of its elements, and flags that go with it.
local function asked(session, request, t)
  if request.mapped then return request.mapped(t) end -- a front end with rules of its own (openmp.lua)
  local treatment = treatment_of(session, request, t)
  local wanted = request.action or treatment.own
  if treatment and treatment.own then wanted = treatment.own end -- a policy says what is asked for
  if treatment and treatment.policy and request.kind ~= "exit data" and deletes(session, treatment, {}) then
    raise("clause-not-allowed", request.node.pos, "a policy that deletes is for exit data",
      { rule = "TR14-3.2.2-06" })
  end
  if request.kind == "exit data" then wanted = exit_half[wanted] or wanted end
  request.treatment = treatment
  local code, flags = policy.code(wanted)
  return code, treatment and compile.program(session, treatment, request.node.pos) or nil, flags
end

local function finish(item, b, request)
  local pointer = request.base_pointer -- the one that leads to the structure of a member
  if pointer and not item.slot and not item.slot_address then
    slot_of(b, { session = request.session }, pointer, item)
  end
  item.places = request.clause and request.clause.places
  item.clause, item.node, item.treatment = request.clause, request.node, request.treatment
  item.code, item.registers = b.code, math.max(b.most, 1)
  return item
end

-- An alias: one byte of what the pointer, or its base, leads to (TR14 3.5).
local function alias_section(session, b, ctx, item, base, subscript, sections)
  local value = codegen.value(b, ctx, base)
  local section = subscript.to and sections[unparse.expression(subscript.to)]
  local length = section and compile.base_section(b, ctx, section.subscript, section.type)
  local field = compile.alias_field(session, b, ctx, value, subscript, length)
  item.base = codegen.reg(b, value, base.pos)
  slot_of(b, ctx, base, item)
  item.count, item.start, item.unit = field.count, field.start, 1
  item.alias = subscript.to and unparse.expression(subscript.to)
end

-- An item for base[s:l]...
function Plan:section(request, base, subscripts)
  local session, b = self.session, codegen.builder()
  local ctx = { session = session }
  local t = type_of(session, base)
  local item = { flags = self:flags(request), pos = request.node.pos }
  local of, first = types.element(t), subscripts[1]
  if not of then
    raise("not-a-pointer", first.pos, ("'%s' is %s: it has no elements"):format(
      render(base, {}), types.name(t)), { rule = "TR14-3.1.1-22" })
  end
  local element, rows
  for i, subscript in ipairs(subscripts) do
    if subscript.tag == "alias" and subscripts[i + 1] then
      raise("not-a-pointer", subscripts[i + 1].pos, "'@' stands for what a pointer leads to, as the last section",
        { rule = "TR14-3.5-01" })
    end
  end
  if first.tag == "alias" then
    if request.action ~= "present" then
      raise("clause-not-allowed", first.pos, "'@' alone stands in a present clause, or on a member",
        { rule = "TR14-3.5-10" })
    end
    if t.kind ~= "pointer" then
      raise("not-a-pointer", first.pos, ("'@' needs a pointer, this is %s"):format(types.name(t)),
        { rule = "TR14-3.5-01" })
    end
    alias_section(session, b, ctx, item, base, first, self.sections)
    item.action, element = action.present, types.scalars.char
  else
    element, rows = self:plain_section(request, b, ctx, item, base, subscripts, t)
  end
  local indices = {}
  local name = render(base, indices)
  item.label = self:label(name, item.unit, first.tag ~= "alias" and "section" or nil,
    compile.layout(session, element, item.program), rows)
  item.name = name
  item.indices = index_registers(b, ctx, indices)
  item.element = element
  if base.tag == "id" then item.variable = base.name end
  return self:add(finish(item, b, request))
end

-- Address, length and program of base[s:l]... Returns the type of its elements, and the rows around them.
function Plan:plain_section(request, b, ctx, item, base, subscripts, t)
  local session = self.session
  local of, start, length, rest = compile.first_section(b, ctx, t, subscripts)
  local element, times, more = compile.section_elements(of, rest)
  local pos = subscripts[1].pos
  subscripts = rest
  if length.const and length.const < 0 then
    raise("invalid-section", pos, ("the section has a negative length, %d"):format(length.const),
      { rule = "TR14-3.1.1-23" })
  end
  if t.kind == "array" and start.const and length.const
    and (start.const < 0 or start.const + length.const > t.size // of.size) then
    raise("out-of-bounds", pos, ("the section [%d:%d] is outside the array of %d elements"):format(
      start.const, length.const, t.size // of.size), { rule = "ACC33-2.7.1-1",
      help = advice.section(start.const, length.const, t.size // of.size) })
  end
  local flags
  if more then -- pointers that are followed: bounds are the host's own
    item.action, item.program, flags = asked(session, request, types.innermost(element))
    item.program = compile.pointer_program(session, nil, nil, ctx, element, subscripts, more, function(last)
      local _, program = asked(session, request, last)
      return program
    end, request.action == "no_create" and action.no_create or nil, function(builder)
      return codegen.reg(builder, codegen.value(builder, ctx, base), base.pos)
    end)
  else
    item.action, item.program, flags = asked(session, request, element)
  end
  item.flags = item.flags | flags
  local from = codegen.lvalue(b, ctx, base)
  if t.kind == "array" then
    item.base = codegen.reg(b, codegen.address_of(b, from, base.pos), base.pos)
    item.origin = origin_of(b, ctx, base)
    self:keep_place(item, base)
    local pointer = list_item.pointer_to_array(session, base)
    if pointer then slot_of(b, ctx, pointer, item) end
  else
    item.base = codegen.reg(b, codegen.load(b, from, base.pos), base.pos)
    slot_of(b, ctx, base, item)
    self:pointer_member(request, base)
  end
  item.count = codegen.reg(b, length, pos)
  item.start = start.const ~= 0 and codegen.reg(b, start, pos) or nil
  item.unit = element.size * times -- a row of an array is one element in names
  return element, compile.rows(types.element(t), of)
end

-- An item for an object named as it is: a variable, a member, an element.
function Plan:object(request, node)
  local session, b = self.session, codegen.builder()
  if session.dialect.item then
    local made, code = session.dialect.item(self, request, node, asked)
    self:add(finish(made, code, request))
    for _, more in ipairs(self.extensions or {}) do self:add(finish(table.unpack(more))) end
    self.extensions = nil
    return made
  end
  local ctx = { session = session }
  local from = codegen.lvalue(b, ctx, node)
  local t = from.type
  if t.kind == "array" and not t.n or t.kind == "function" or t.kind == "void" then
    raise("type-mismatch", node.pos, ("%s cannot be mapped"):format(types.name(t)))
  end
  local element, count = t, 1
  while element.kind == "array" do element, count = element.of, count * element.n end
  local item = { pos = request.node.pos, unit = element.size }
  local flags
  item.action, item.program, flags = asked(session, request, element)
  item.flags = self:flags(request) | flags
  local how, base, indices = nil, node, {}
  if node.tag == "index" and type_of(session, node.base).kind == "pointer" then
    -- an element behind a pointer: its number is part of its name, its pointer may be attached
    local index = codegen.integer(b, ctx, node.index)
    local pointer = codegen.value(b, ctx, node.base)
    how, base = "element", node.base
    item.base = codegen.reg(b, pointer, node.pos)
    item.start = codegen.reg(b, index, node.pos)
    if count > 1 then
      item.start = codegen.reg(b, codegen.apply(b, "*", index, codegen.constant(count), node.pos), node.pos)
    end
    slot_of(b, ctx, node.base, item)
  else
    item.base = codegen.reg(b, codegen.address_of(b, from, node.pos), node.pos)
    item.origin = origin_of(b, ctx, node)
    self:keep_place(item, node)
    if node.tag == "unary" then
      base = node.e
      slot_of(b, ctx, node.e, item)
      how = "element"
    elseif node.tag == "index" then
      local pointer = list_item.pointer_to_array(session, node)
      if pointer then slot_of(b, ctx, pointer, item) end
    end
  end
  item.count = codegen.reg(b, codegen.constant(count), node.pos)
  local name = render(base, indices)
  item.label = self:label(name, element.size, how, compile.layout(session, element, item.program))
  item.name = name
  item.indices = index_registers(b, ctx, indices)
  item.element = element
  if base.tag == "id" then item.variable = base.name end
  finish(item, b, request)
  self:add(item)
  if t.kind == "pointer" and t.to.kind ~= "function" and self.kind ~= "update" and not request.mapped
    and session.rules.members ~= "mapped" then
    -- a pointer reference: attached if what it points to is present (ACC33-att-5)
    self:pointer({ action = self.kind == "exit data" and "detach" or "attach", node = request.node,
      try = true }, node)
  end
  return item
end

-- a[0:n] of a structure: start and length are values for its shape (TR14-5-03).
function Plan:container(request, base, subscripts)
  local first = subscripts[1]
  if subscripts[2] or first.tag ~= "section" or not first.length then
    raise("invalid-section", first.pos, "a container's section has a length", { rule = "TR14-5-03" })
  end
  local clause, shape_node = request.clause, request.clause.shape
  if shape_node and shape_node.args then
    raise("duplicate-clause", shape_node.pos, "values stand in the section already", { rule = "TR14-5-03" })
  end
  local with_values = setmetatable({ shape = { pos = first.pos, name = shape_node and shape_node.name,
    args = shape.section_values(first) } }, { __index = clause })
  return self:object(setmetatable({ clause = with_values, node = base }, { __index = request }), base)
end

-- An attach or detach of the pointer itself.
function Plan:pointer(request, node)
  local session, b = self.session, codegen.builder()
  if session.dialect.pointer then
    local made, code = session.dialect.pointer(self, request, node)
    return self:add(finish(made, code, request))
  end
  local ctx = { session = session }
  local t = type_of(session, node)
  if t.kind ~= "pointer" then
    raise("not-a-pointer", node.pos, ("'%s' needs a pointer, this is %s"):format(request.action,
      types.name(t)), { rule = "ACC33-att-5" })
  end
  local item = { action = action[request.action], flags = self:flags(request), pos = request.node.pos,
    unit = 1 }
  item.base = codegen.reg(b, codegen.constant(0), node.pos)
  item.count = item.base
  slot_of(b, ctx, node, item)
  local indices = {}
  item.label = self:label(render(node, indices), 1)
  item.indices = index_registers(b, ctx, indices)
  return self:add(finish(item, b, request))
end

-- ------------------------------------------------------------------------------------------ requests --

local directions = openacc.where(function(entry) return entry.update and entry.action end)

-- The direction of an update that invokes a policy; other constructs have none.
local function direction_of(plan, clause)
  local way = clause.direction
  if plan.kind == "update" and not (way and directions[way.name]) then
    raise("syntax", way and way.pos or clause.pos, "a policy updates in a direction: invoke<p>(self: X) or "
      .. "invoke<p>(device: X)", { length = way and #way.name or #clause.name, rule = "TR14-3.2.3-01" })
  elseif plan.kind ~= "update" and way then
    raise("syntax", way.pos, "a direction is for update", { length = #way.name, rule = "TR14-3.2.3-01" })
  end
  return way and directions[way.name]
end

local function all_pieces(plan, vars)
  local list = {}
  for _, variable in ipairs(vars) do
    for _, piece in ipairs(pieces.contiguous(plan, variable, "ACC33-2.7.1-1")) do list[#list + 1] = piece end
  end
  return list
end

local function requests_of(plan, clauses)
  local list, session = {}, plan.session
  local is_absent = session.dialect.is_absent
  for _, clause in ipairs(clauses) do
    local invoke = clause.name == "invoke"
    local wanted = (clause.name ~= "self" or plan.kind == "update") and data_actions[clause.name]
    if invoke then wanted = direction_of(plan, clause) end
    local vars = (invoke or wanted) and clause.vars or {}
    if plan.kind == "update" and not invoke and not session.dialect.item then vars = all_pieces(plan, vars) end
    for _, variable in ipairs(vars) do
      if is_absent and is_absent(session, variable) then
        plan.absent = true
      else
        list[#list + 1] = { clause = clause, action = wanted, node = variable, kind = plan.kind,
          update = plan.kind == "update", try = plan.if_present,
          present_or = clause.present_or or policy.asks[clause.name] ~= policy.actions[clause.name] }
      end
    end
  end
  return list
end

-- Clauses as a member function means them: with this-> where it was left out (TR14-3.4-08).
local function qualified(session, clauses)
  local list = {}
  for i, clause in ipairs(clauses) do
    list[i] = clause
    if clause.vars then
      local vars = {}
      for k, variable in ipairs(clause.vars) do vars[k] = list_item.qualified(session, variable) end
      list[i] = setmetatable({ vars = vars }, { __index = clause })
    end
  end
  return list
end

local takes_shape = openacc.where(function(entry, clause)
  return policy.actions[clause.name] or entry.update or entry.takes == "invoke"
end)

-- All variables of a clause with a nest are of one type (TR14-3.3-03).
local function check_one_type(session, clause)
  local record
  for _, variable in ipairs(clause.nest and clause.vars or {}) do
    local t = list_item.element_type(session, variable)
    while t.kind == "array" do t = t.of end
    if record and t ~= record then
      raise("mixed-types", variable.pos, ("the nest is for %s, this is %s"):format(types.name(record),
        types.name(t)), { rule = "TR14-3.3-03", help = "give it a clause of its own" })
    end
    record = t
  end
end

-- The sections of pointers that a directive names: what aliases of these pointers go by.
local function sections_of(session, requests)
  local sections = {}
  for _, request in ipairs(requests) do
    local base, subscripts = take_apart(request.node)
    local first = subscripts and subscripts[1]
    if first and first.tag == "section" and first.length and request.action ~= "attach" then
      local t = type_of(session, base)
      if t.kind == "pointer" then sections[unparse.expression(base)] = { subscript = first, type = t } end
    end
  end
  return sections
end

-- Whether a section is one of a container: values for its shape (TR14-5-03).
local function is_container(plan, base)
  return plan.session.rules.extended and types.is_record(type_of(plan.session, base))
end

lower.finish, lower.slot_of = finish, slot_of

local function add_requests(plan, requests)
  plan.sections = sections_of(plan.session, requests)
  for _, request in ipairs(requests) do
    local item
    if request.action == "attach" or request.action == "detach" then
      local _, subscripts = take_apart(request.node)
      if subscripts then
        raise("not-a-pointer", request.node.pos,
          ("'%s' takes the pointer itself, not a section of it"):format(request.action),
          { rule = "ACC33-att-5" })
      end
      plan:pointer(request, request.node)
    else
      local base, subscripts = take_apart(request.node)
      if subscripts and plan.session.dialect.item then -- Fortran's '@'
        item = plan:object(request, request.node)
      elseif subscripts and is_container(plan, base) then
        item = plan:container(request, base, subscripts)
      elseif subscripts then
        item = plan:section(request, base, subscripts)
      else
        item = plan:object(request, request.node)
      end
    end
    local name = item and not item.inside and list_item.root_variable(request.node)
    if name then plan.named[name] = plan.named[name] or item end
  end
end

-- --------------------------------------------------------------------------------------- directives --

-- Directives that are nothing without a data clause.
local needs_data = {}
for _, directive in ipairs(openacc.directives) do needs_data[directive[1]] = directive.needs_data end

-- Clauses of declare whose data live as long as the program.
local lasting = openacc.where(function(entry, clause) return entry.lasting and not clause.present_or end)

function lower.simple_names(clause)
  local names = {}
  for _, variable in ipairs(clause.vars) do
    if variable.tag ~= "id" then
      raise("syntax", variable.pos, ("'%s' takes names of variables"):format(clause.name))
    end
    names[#names + 1] = { name = variable.name, pos = variable.pos }
  end
  return names
end

-- The variable of a name in a clause: {name, pos}.
function lower.declared(session, item)
  local variable = session.scope.variables[item.name]
  if not variable then
    local near = diagnostic.closest(item.name, session.scope:names())
    raise("unknown-name", item.pos, ("there is no variable '%s'"):format(item.name),
      { length = #item.name, help = near and ("did you mean '%s'?"):format(near) })
  end
  return variable
end

-- Raises if there are references to variables that a construct wants in clauses: at the first use in a body that is C
-- text, else at the construct. Tells all of them.
function lower.in_no_clause(node, missing, wanted, clause, rule)
  local first, names, seen = missing[1], {}, {}
  if not first then return end
  for _, reference in ipairs(missing) do
    if not seen[reference.name] then names[#names + 1] = ("'%s'"):format(reference.name) end
    seen[reference.name] = true
  end
  local list = table.concat(names, ", ")
  local err = diagnostic.new { code = "default-none", rule = rule, length = first.place and #first.name,
    pos = first.place and first.pos or not first.in_text and first.pos or node.pos,
    message = ("%s, but %s %s in no clause"):format(wanted, list, #names > 1 and "are" or "is"),
    help = ("name %s in %s"):format(list, clause) }
  if first.place then
    location.place(err, first.place.text, first.place.file, first.place.line)
    err.text = first.place.text
  end
  error(err, 0)
end

-- Implicit data attributes of a compute construct (ACC33-impl-1..3).
local function add_implicit(plan, node, references, default)
  local session, missing = plan.session, {}
  for _, reference in ipairs(references) do
    local variable = lower.declared(session, reference)
    local t, name = variable.type, reference.name
    if session.this and name == "this" then -- TR14-1.1-06: the use of a member is one of *this
      if not plan.named.this and default == "none" then
        raise("default-none", node.pos, "default(none), but '*this' is in no clause", { rule = "ACC33-impl-2",
          help = "name 'this[0:1]' in a data clause" })
      elseif not plan.named.this and not session:visible "this" then
        local node_of = list_item.single { tag = "unary", op = "*", pos = node.pos,
          e = { tag = "id", name = "this", pos = node.pos } }
        plan.named.this = plan:object({ action = default == "present" and "present" or "copy", clause = {},
          present_or = true, node = node_of }, node_of)
      end
    elseif not plan.named[name] and not plan.private[name] and not plan.deviceptr[name]
      and not plan.attached[name] and not variable.absent then
      local aggregate = t.kind == "record" or t.kind == "array" or t.kind == "descriptor"
      -- a reduction in the body is the host's, too (ACC33-impl-1)
      local copied = reference.reduced or node.name:find "^kernels" and t.kind == "scalar"
      local is_visible = session:visible(name) -- what an enclosing clause made present is used (ACC33-impl-3)
      if default == "none" then
        missing[#missing + 1] = reference
      elseif not is_visible and not aggregate and not copied then
        plan.private[name] = { how = "firstprivate", variable = variable }
      elseif not is_visible then
        local request = { action = aggregate and default == "present" and "present" or "copy", clause = {},
          present_or = true, node = { tag = "id", name = name, pos = node.pos } }
        plan.named[name] = plan:object(request, request.node)
      end
    end
  end
  lower.in_no_clause(node, missing, "default(none)", "a data clause", "ACC33-impl-2")
end

-- An empty plan of a directive.
function lower.plan(session, node, kind, options)
  return setmetatable({
    session = session, node = node, kind = kind, items = {}, named = {}, private = {}, pointers = {},
    attached = {}, deviceptr = {}, use_device = {}, sections = {}, file = options.file, line = options.line,
  }, Plan)
end

-- self on a compute construct: where its condition holds, or without one, the construct runs on the host, on the host's
-- own data (ACC33-2.5.7-1).
local function add_self(plan, clause)
  local vars = clause.vars
  if plan.session.dialect.body then
    raise("unsupported", clause.pos, "'self' on a compute construct", { length = 4 })
  elseif plan.on_self then
    raise("duplicate-clause", clause.pos, "'self' stands here twice", { length = 4, rule = "ACC33-2.6-1" })
  elseif vars and vars[2] then
    raise("syntax", vars[2].pos, "'self' takes one condition", { rule = "ACC33-2.5.7-1" })
  end
  plan.on_self = vars and vars[1] or clause.e or list_item.number(1, clause.pos)
end

-- Lowers a directive. references: variables that a compute construct's body uses.
function lower.directive(session, node, options)
  local kind = allowed.kind_of(node.name)
  if kind == "body" then
    raise("region-nesting", node.pos, ("'%s' stands in the text of a compute construct's body"):format(node.name),
      { length = #node.name, rule = "ACC33-2.9-1" })
  elseif kind == "declaration" then
    raise("clause-not-allowed", node.pos, ("'%s' stands among declarations"):format(node.name),
      { length = #node.name, rule = "ACC33-2.15-1" })
  end
  if node.argument then
    raise("syntax", node.argument.pos, ("'%s' takes no name"):format(node.name))
  end
  local seen = allowed.check(node)
  local plan = lower.plan(session, node, kind, options)
  plan.if_present = seen.if_present
  plan.waiting = node.waiting
  local default
  allowed.check_forms(node, kind)
  for _, clause in ipairs(node.clauses) do
    if clause.nest and clause.nest.single then
      session:warn("syntax", clause.nest.pos, "a nest begins with '::{'", { length = 1, rule = "TR14-3.3-01" })
    end
    if (clause.shape or clause.nest) and not takes_shape[clause.name] then
      raise("clause-not-allowed", (clause.shape or clause.nest).pos, ("'%s' takes no %s"):format(clause.name,
        clause.shape and "shape" or "nest"), { rule = clause.shape and "TR14-3.1.2-02" or "TR14-3.3-02" })
    end
    check_one_type(session, clause)
    if clause.name == "if" then
      if not clause.e then raise("syntax", clause.pos, "'if' needs a condition", { length = 2 }) end
      plan.condition = clause.e
    elseif clause.name == "self" and kind == "compute" then
      add_self(plan, clause)
    elseif clause.name == "finalize" then
      plan.finalize = true
    elseif clause.name == "async" then
      plan.async, plan.ordered = clause, true
    elseif clause.name == "wait" then
      plan.ordered = true
      plan.waits = plan.waits or {}
      table.insert(plan.waits, clause)
    elseif clause.name == "default_async" then
      if not clause.e then raise("syntax", clause.pos, "'default_async' needs a value", { length = #clause.name }) end
      plan.default_async = clause.e
    elseif clause.name == "device_num" then
      plan.device_num = clause.e
    elseif clause.name == "default" then
      if clause.word ~= "none" and clause.word ~= "present" then
        raise("clause-not-allowed", clause.word_pos,
          ("default is none or present here, not '%s'"):format(clause.word),
          { length = #clause.word, rule = "ACC33-impl-2" })
      end
      default = clause.word
    elseif clause.name == "private" or clause.name == "firstprivate" then
      for _, item in ipairs(lower.simple_names(clause)) do
        local variable = lower.declared(session, item)
        if plan.private[item.name] then
          raise("conflicting-clauses", item.pos, ("'%s' is private already"):format(item.name),
            { length = #item.name, rule = "ACC33-2.7-8" })
        end
        plan.private[item.name] = { how = clause.name, variable = variable }
      end
    elseif clause.name == "reduction" then
      for _, item in ipairs(lower.simple_names(clause)) do
        lower.declared(session, item)
        local request = { action = "copy", present_or = true, clause = {},
          node = { tag = "id", name = item.name, pos = item.pos } }
        plan.named[item.name] = plan.named[item.name] or plan:object(request, request.node)
      end
    elseif clause.name == "deviceptr" then
      for _, item in ipairs(lower.simple_names(clause)) do
        local variable = lower.declared(session, item)
        if variable.type.kind ~= "pointer" then
          raise("not-a-pointer", item.pos, ("'%s' is %s"):format(item.name, types.name(variable.type)),
            { length = #item.name, rule = "ACC33-2.7-9" })
        end
        plan.deviceptr[item.name] = variable
      end
    elseif clause.name == "use_device" then
      for _, item in ipairs(lower.simple_names(clause)) do
        plan.use_device[#plan.use_device + 1] = { variable = lower.declared(session, item), pos = item.pos }
      end
    elseif kind == "declare" and not lasting[clause.name] then
      raise("clause-not-allowed", clause.pos, ("'%s' has no place at global scope: there is no region around"):format(
        clause.name), { length = #clause.name, rule = "ACC33-dec-1", help = "create, copyin, "
          .. "device_resident and link last" })
    end
  end
  if plan.on_self then
    local elsewhere = { tag = "unary", op = "!", pos = plan.on_self.pos, e = plan.on_self }
    plan.condition = plan.condition and { tag = "binary", op = "&&", pos = plan.on_self.pos, a = plan.condition,
      b = elsewhere } or elsewhere
  end
  if kind == "host data" and #plan.use_device == 0 then
    raise("syntax", node.pos + #node.name, "'host_data' needs a use_device clause", { rule = "ACC33-hd-1" })
  end
  plan.clauses = session.this and qualified(session, node.clauses) or node.clauses
  -- where bounds are computed here, those of a directive that does nothing are left alone
  if session.dialect.measured and plan.condition and not session.dialect.condition(session, plan.condition)() then
    plan.once = true
    return plan
  end
  if session.rules.members == "held" then
    plan.clauses = convenience.lower(session, plan.kind, plan.clauses, node.name)
  end
  local requests = requests_of(plan, plan.clauses)
  for _, clause in ipairs(node.clauses) do -- nothing until a data clause maps them (ACC33-dec-1)
    local names = clause.name == "link" and lower.simple_names(clause) or {}
    for _, item in ipairs(names) do lower.declared(session, item) end
  end
  if #requests == 0 and not plan.absent and not seen.link and (needs_data[kind]
      or (kind == "region" and not seen.default and not seen.deviceptr)) then
    raise("syntax", node.pos + #node.name, ("'%s' needs at least one data clause"):format(node.name),
      { rule = "ACC33-2.6-1" })
  end
  plan.default = default
  if kind == "compute" and session.dialect.with_roots then
    requests = session.dialect.with_roots(plan, requests)
  end
  add_requests(plan, requests)
  for _, request in ipairs(requests) do
    local name = list_item.root_variable(request.node)
    if plan.private[name] and request.node.tag == "id" then
      raise("conflicting-clauses", request.node.pos, ("'%s' is both private and in a data clause"):format(name),
        { length = #name, rule = "ACC33-2.7-8" })
    end
  end
  if options.references then add_implicit(plan, node, options.references, default) end
  if session.dialect.completed then session.dialect.completed(plan) end
  return plan
end

-- Prepares the items for the core.
function lower.prepare(session, plan)
  local spec = { kind = kinds[plan.kind == "declare" and "region" or plan.kind], name = plan.node.name,
    file = plan.file, line = plan.line, finalize = plan.finalize }
  for i, item in ipairs(plan.items) do
    spec[i] = item
    item.number = i
  end
  return session.ctx:construct(spec)
end

return lower
