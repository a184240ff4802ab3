-- lower.lua - from a directive's tree to the items of one construct.
--
-- Input: a directive node. Result: {kind, name, items, finalize, condition, ...}; an item tells by code
-- where it lies, what it asks for and by which program its elements are walked. On the way:
--   1. clauses are checked against what the directive allows,
--   2. variables are taken apart: base, sections, the objects a member lies in,
--   3. members in data clauses are gathered under their base, as the convenience syntax of TR14 3.4
--      lowers them to one nest: the base is held, or has the clause that names it itself.

local codegen = require "accdeep.codegen"
local compile = require "accdeep.compile"
local core = require "accdeep.core"
local diagnostic = require "accdeep.diagnostic"
local types = require "accdeep.types"

local raise = diagnostic.raise
local action, flag, kinds = core.action, core.flag, core.kind

local lower = {}

-- ------------------------------------------------------------------------------ what is allowed --

local function set(...)
  local s = {}
  for _, list in ipairs { ... } do
    for name in list:gmatch "%S+" do s[name] = true end
  end
  return s
end

local entries = [[copyin create pcopyin pcreate present_or_copyin present_or_create]]
local region = entries .. [[ copy copyout no_create present deviceptr attach pcopy pcopyout
  present_or_copy present_or_copyout default if async wait]]
local compute = region .. [[ private firstprivate reduction num_gangs num_workers vector_length
  device_type dtype]]
local loop = compute .. [[ gang worker vector seq independent auto collapse tile]]

local directives = {
  ["data"] = { kind = "region", clauses = set(region) },
  ["enter data"] = { kind = "enter data", clauses = set(entries, "attach if async wait") },
  ["exit data"] = { kind = "exit data",
    clauses = set "copyout delete detach finalize if async wait" },
  ["update"] = { kind = "update",
    clauses = set "self host device if if_present async wait device_type dtype" },
  ["parallel"] = { kind = "compute", clauses = set(compute) },
  ["serial"] = { kind = "compute", clauses = set(compute) },
  ["kernels"] = { kind = "compute", clauses = set(compute) },
  ["parallel loop"] = { kind = "compute", clauses = set(loop) },
  ["serial loop"] = { kind = "compute", clauses = set(loop) },
  ["kernels loop"] = { kind = "compute", clauses = set(loop) },
  ["set"] = { kind = "set", clauses = set "device_num default_async if device_type dtype" },
  ["wait"] = { kind = "wait", clauses = set "async if" },
  ["init"] = { kind = "init", clauses = set "device_num device_type dtype if" },
  ["shutdown"] = { kind = "shutdown", clauses = set "device_num device_type dtype if" },
  ["end data"] = { kind = "end data", clauses = {} },
}

local all_clauses = set(loop, "copyout delete detach finalize self host device if_present",
  "device_num default_async include exclude init_needed type")

-- Clauses that stand once, whatever they say.
local once = set "if finalize if_present default async device_num default_async"

local data_actions = {
  copy = "copy", copyin = "copyin", copyout = "copyout", create = "create", no_create = "no_create",
  present = "present", delete = "delete", attach = "attach", detach = "detach",
  self = "update self", host = "update self", device = "update device",
}
for _, name in ipairs { "copy", "copyin", "copyout", "create" } do
  data_actions["p" .. name], data_actions["present_or_" .. name] = name, name
end
local present_or = set [[pcopy pcopyin pcopyout pcreate present_or_copy present_or_copyin
  present_or_copyout present_or_create]]

local function check_clauses(node, allowed)
  local seen = {}
  for _, clause in ipairs(node.clauses) do
    local name = clause.name
    if not allowed[name] then
      if not all_clauses[name] then
        local near = diagnostic.closest(name, allowed) or diagnostic.closest(name, all_clauses)
        raise("unknown-clause", clause.pos, ("there is no clause '%s'"):format(name),
          { length = #name, rule = "ACC33-2.7-8", help = near and ("did you mean '%s'?"):format(near) })
      end
      raise("clause-not-allowed", clause.pos, ("'%s' is not allowed on '%s'"):format(name, node.name),
        { length = #name, rule = name == "finalize" and "ACC33-2.6-1" or "ACC33-2.7-8" })
    end
    if seen[name] and once[name] then
      raise("duplicate-clause", clause.pos, ("'%s' stands here twice"):format(name),
        { length = #name, rule = "ACC33-2.6-1" })
    end
    seen[name] = true
  end
  return seen
end

-- ----------------------------------------------------------------------------- taking variables apart --

local function index_node(base, index, pos) return { tag = "index", pos = pos, base = base, index = index } end

-- core[i]...[s:l]...: indices before the first section belong to the core.
local function take_apart(node)
  local subscripts = {}
  local at = node
  while at.tag == "index" or at.tag == "section" do
    table.insert(subscripts, 1, at)
    at = at.base
  end
  local first
  for i, s in ipairs(subscripts) do
    if s.tag == "section" then
      first = i
      break
    end
  end
  if not first then return node, nil end
  local base = at
  for i = 1, first - 1 do base = index_node(base, subscripts[i].index, subscripts[i].pos) end
  return base, table.move(subscripts, first, #subscripts, 1, {})
end

-- Text of an lvalue; indices that are not constant become #, their nodes are collected.
local function render(node, indices)
  if node.tag == "id" then return node.name end
  if node.tag == "member" then
    return render(node.base, indices) .. (node.arrow and "->" or ".") .. node.name
  elseif node.tag == "index" then
    local base = render(node.base, indices)
    if node.index.tag == "num" then return ("%s[%d]"):format(base, node.index.value) end
    indices[#indices + 1] = node.index
    return base .. "[#]"
  elseif node.tag == "unary" then
    return ("(%s%s)"):format(node.op, render(node.e, indices))
  elseif node.tag == "section" then
    raise("syntax", node.pos, "a section cannot have members", { rule = "TR14-3.4-02",
      help = "name one element: Y[i].a[0:n], or give the structure a shape" })
  end
  raise("syntax", node.pos, "a variable is needed", { rule = "ACC33-2.7.1-5" })
end

-- A text that is equal for equal lvalues.
local function canonical(node)
  if node.tag == "id" then return node.name end
  if node.tag == "num" then return tostring(node.value) end
  if node.tag == "member" then
    return canonical(node.base) .. (node.arrow and "->" or ".") .. node.name
  end
  local parts = { node.tag, node.op or "" }
  for _, key in ipairs { "base", "index", "e", "a", "b", "c" } do
    if node[key] and node[key].tag then parts[#parts + 1] = canonical(node[key]) end
  end
  return "(" .. table.concat(parts, " ") .. ")"
end

local function root_variable(node)
  while node.base or node.e do node = node.base or node.e end
  return node.tag == "id" and node.name or nil
end

-- Type of an lvalue, without code that is kept.
local function type_of(session, node)
  return codegen.lvalue(codegen.builder(), { session = session }, node).type
end

-- A place as steps from its root: a variable, or what a pointer leads to.
local function decompose(session, node)
  if node.tag == "member" and not node.arrow then
    local root, steps = decompose(session, node.base)
    steps[#steps + 1] = { name = node.name }
    return root, steps
  elseif node.tag == "member" then
    type_of(session, node) -- an error about it is one about '->'
    return { node = { tag = "unary", op = "*", pos = node.base.pos, e = node.base, arrow = node.pos },
      pointer = node.base },
      { { name = node.name } }
  elseif node.tag == "index" then
    if type_of(session, node.base).kind == "array" then
      local root, steps = decompose(session, node.base)
      steps[#steps + 1] = { index = node.index, pos = node.pos }
      return root, steps
    end
    return { node = node, pointer = node.base, index = node.index }, {}
  elseif node.tag == "unary" and node.op == "*" then
    return { node = node, pointer = node.e }, {}
  end
  return { node = node }, {}
end

-- The structures that a member lies in, outermost first, as far as they are objects of their own: the
-- variable or the element that holds it, and before it those that hold the pointers on the way. Each
-- has the path that leads on from it. Empty if the place is no member.
local function enclosing(session, node)
  local root, steps = decompose(session, node)
  local objects = {}
  if root.pointer and root.pointer.tag ~= "id" then objects = enclosing(session, root.pointer) end
  local at, t, i = root.node, type_of(session, root.node), 1
  while t.kind == "array" and steps[i] and steps[i].index do
    at, t, i = index_node(at, steps[i].index, steps[i].pos), t.of, i + 1
  end
  if not types.is_record(t) or not steps[i] then
    if #objects > 0 then return objects end -- the pointer on the way lies in a structure
    return {}
  end
  local path = ""
  for k = i, #steps do
    local step = steps[k]
    if step.name then
      path = path == "" and step.name or path .. "." .. step.name
    else
      path = path .. (math.type(step.index.value) == "integer" and ("[%d]"):format(step.index.value) or "[?]")
    end
  end
  objects[#objects + 1] = { node = at, type = t, path = path, key = canonical(at),
    pointer = at == root.node and root.pointer or nil, index = at == root.node and root.index or nil }
  return objects
end

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

function Plan:label(name, unit, how, layout)
  local fields = { name = name, unit = unit, layout = layout, file = self.file, line = self.line }
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
  if request.uncounted then f = f | flag.uncounted end
  return f
end

local function slot_of(b, ctx, node, item)
  if node.tag ~= "id" and node.tag ~= "member" and node.tag ~= "index" and node.tag ~= "unary" then
    return
  end
  local place = codegen.lvalue(b, ctx, node)
  local address = codegen.address_of(b, place, node.pos)
  if address.const then
    item.slot_address = address.const
  else
    item.slot = codegen.reg(b, address, node.pos)
  end
end

-- The shape a clause asks for must be one of the variable's type.
local function check_shape(session, request, t)
  local wanted = request.shape
  if not wanted then return nil end
  if not wanted.name then
    raise("syntax", wanted.pos, "expected a shape's name", { rule = "TR14-3.1.2-02" })
  end
  if not types.is_record(t) then
    raise("not-a-struct", request.node.pos, ("%s has no shapes"):format(types.name(t)),
      { rule = "TR14-3.1.2-08" })
  end
  local shapes = session:shapes_of(t)
  if not shapes[wanted.name] then
    local near = diagnostic.closest(wanted.name, session:shape_names(t))
    raise("unknown-shape", wanted.pos, ("%s has no shape '%s'"):format(types.name(t), wanted.name),
      { length = #wanted.name, rule = "TR14-3.1.2-08", help = near and ("did you mean '%s'?"):format(near) })
  end
  return wanted.name
end

-- A shallow present asks for the object alone, whatever its shape leads to (TR14-1.2-08).
local function program_for(session, t, request)
  local shape_name = check_shape(session, request, t)
  if not types.is_record(t) then return nil end
  if request.action == "present" and session.rules.present == "shallow" then return nil end
  return compile.program(session, t, shape_name, request.overrides)
end

local function finish(item, b)
  item.code, item.registers = b.code, math.max(b.most, 1)
  return item
end

-- p[0:n][0:m] at the root: the elements are pointers, followed by a program of the host's own bounds.
local function pointers_program(session, ctx, t, subscripts, from, shape_name)
  local b = codegen.builder()
  local rest = table.move(subscripts, from, #subscripts, 1, {})
  local element, times, more = compile.section_elements(ctx, t.to, rest)
  local start, length = compile.bounds(b, ctx, rest[1], {})
  if times > 1 then raise("unsupported", rest[1].pos, "pointers to rows behind pointers") end
  local child
  if more then
    child = compile.pointer_program(session, b, ctx, element, rest, more, shape_name)
  elseif types.is_record(element) then
    child = compile.program(session, element, shape_name)
  end
  local pos = rest[1].pos
  local count = codegen.reg(b, length, pos)
  local first = start.const ~= 0 and codegen.reg(b, start, pos) or nil
  return session:program {
    stride = 8, pieces = { { offset = 0, bytes = 8 } }, excluded = {},
    fields = { { offset = 0, unit = element.size, count = count, start = first, child = child,
      code_end = b.n,
      label = session:label { name = "", unit = element.size, member = true, section = true, layout = child } } },
    code = b.code, registers = b.most, params = 0,
  }
end

-- An item for base[s:l]...
function Plan:section(request, base, subscripts)
  local session, b = self.session, codegen.builder()
  local ctx = { session = session }
  local t = type_of(session, base)
  local item = { action = action[request.action], flags = self:flags(request), pos = request.node.pos }
  local of = types.element(t)
  if not of then
    raise("not-a-pointer", subscripts[1].pos, ("'%s' is %s: it has no elements"):format(
      render(base, {}), types.name(t)), { rule = "TR14-3.1.1-22" })
  end
  local element, times, more = compile.section_elements(ctx, of, subscripts)
  local start, length = compile.bounds(b, ctx, subscripts[1], t.kind == "array" and t or {})
  local pos = subscripts[1].pos
  if times > 1 then
    start = codegen.apply(b, "*", start, codegen.constant(times), pos)
    length = codegen.apply(b, "*", length, codegen.constant(times), pos)
  end
  if length.const and length.const < 0 then
    raise("invalid-section", pos, ("the section has a negative length, %d"):format(length.const),
      { rule = "TR14-3.1.1-23" })
  end
  if t.kind == "array" and start.const and length.const
    and (start.const < 0 or start.const + length.const > t.n * times) then
    raise("out-of-bounds", pos, ("the section [%d:%d] is outside the array of %d elements"):format(
      start.const, length.const, t.n * times), { rule = "ACC33-2.7.1-1" })
  end
  if more then
    check_shape(session, request, types.innermost(element))
    item.program = pointers_program(session, ctx, element, subscripts, more,
      request.shape and request.shape.name)
  else
    item.program = program_for(session, element, request)
  end
  local place = codegen.lvalue(b, ctx, base)
  if t.kind == "array" then
    item.base = codegen.reg(b, codegen.address_of(b, place, base.pos), base.pos)
  else
    item.base = codegen.reg(b, codegen.load(b, place, base.pos), base.pos)
    slot_of(b, ctx, base, item)
  end
  item.count = codegen.reg(b, length, pos)
  item.start = start.const ~= 0 and codegen.reg(b, start, pos) or nil
  item.unit = element.size
  local indices = {}
  local name = render(base, indices)
  item.label = self:label(name, element.size, "section", compile.layout(session, element, item.program))
  item.name = name
  item.indices = index_registers(b, ctx, indices)
  item.element = element
  if base.tag == "id" then item.variable = base.name end
  return self:add(finish(item, b))
end

-- An item for an object named as it is: a variable, a member, an element.
function Plan:object(request, node)
  local session, b = self.session, codegen.builder()
  local ctx = { session = session }
  local place = codegen.lvalue(b, ctx, node)
  local t = place.type
  if t.kind == "array" and not t.n or t.kind == "function" or t.kind == "void" then
    raise("type-mismatch", node.pos, ("%s cannot be mapped"):format(types.name(t)))
  end
  local element, count = t, 1
  while element.kind == "array" do element, count = element.of, count * element.n end
  local item = { action = action[request.action], flags = self:flags(request), pos = request.node.pos,
    unit = element.size }
  item.program = program_for(session, element, request)
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
    item.base = codegen.reg(b, codegen.address_of(b, place, node.pos), node.pos)
    if node.tag == "unary" then
      base = node.e
      slot_of(b, ctx, node.e, item)
      how = "element"
    end
  end
  item.count = codegen.reg(b, codegen.constant(count), node.pos)
  local name = render(base, indices)
  item.label = self:label(name, element.size, how, compile.layout(session, element, item.program))
  item.name = name
  item.indices = index_registers(b, ctx, indices)
  item.element = element
  if node.tag == "id" then item.variable = node.name end
  if request.uncounted then item.slot, item.slot_address = nil, nil end
  finish(item, b)
  self:add(item)
  if t.kind == "pointer" and t.to.kind ~= "function" and not request.uncounted
    and self.kind ~= "update" then
    -- a pointer reference: attached if what it points to is present (ACC33-att-5)
    self:pointer({ action = self.kind == "exit data" and "detach" or "attach", node = request.node,
      try = true }, node)
  end
  return item
end

-- An attach or detach of the pointer itself.
function Plan:pointer(request, node)
  local session, b = self.session, codegen.builder()
  local ctx = { session = session }
  local place = codegen.lvalue(b, ctx, node)
  if place.type.kind ~= "pointer" then
    raise("not-a-pointer", node.pos, ("'%s' needs a pointer, this is %s"):format(request.action,
      types.name(place.type)), { rule = "ACC33-att-5" })
  end
  local item = { action = action[request.action], flags = self:flags(request), pos = request.node.pos,
    unit = 1 }
  item.base = codegen.reg(b, codegen.constant(0), node.pos)
  item.count = item.base
  slot_of(b, ctx, node, item)
  local indices = {}
  item.label = self:label(render(node, indices), 1)
  item.indices = index_registers(b, ctx, indices)
  return self:add(finish(item, b))
end

-- The base of members that have clauses of their own: storage and a reference (TR14-3.2.2-05).
function Plan:hold(object, request)
  local item
  local all = { action = "hold", node = request.node, overrides = object.members }
  local session = self.session
  if object.pointer then
    local zero = { tag = "num", value = 0, type = "int", pos = object.node.pos }
    local element = index_node(object.pointer, object.index or zero, object.node.pos)
    item = self:object(all, element)
  else
    item = self:object(all, object.node)
  end
  item.program = session:hold_program(object.type, object.members)
  item.label = self:label(object.pointer and render(object.pointer, {}) or render(object.node, {}),
    object.type.size, object.pointer and "element" or nil, item.program)
  return item
end

-- ------------------------------------------------------------------------------------------ requests --

local function requests_of(node)
  local list = {}
  for _, clause in ipairs(node.clauses) do
    local wanted = data_actions[clause.name]
    if wanted and clause.vars then
      for _, variable in ipairs(clause.vars) do
        list[#list + 1] = { clause = clause, action = wanted, node = variable, shape = clause.shape,
          present_or = present_or[clause.name] }
      end
    end
  end
  return list
end

local takes_shape = set [[copy copyin copyout create no_create present delete self host device
  pcopy pcopyin pcopyout pcreate present_or_copy present_or_copyin present_or_copyout present_or_create]]

-- Members under their bases: which objects are held, which bases have clauses themselves.
local function gather(plan, requests)
  local session = plan.session
  local bases = {} -- key -> {request?, members}
  local function base_for(key)
    bases[key] = bases[key] or { members = {} }
    return bases[key]
  end
  for _, request in ipairs(requests) do
    local base, subscripts = take_apart(request.node)
    request.base, request.subscripts = base, subscripts
    if request.action == "attach" or request.action == "detach" then goto next end
    request.objects = enclosing(session, base)
    local innermost = request.objects[#request.objects]
    request.member = innermost and canonical(innermost.node) ~= canonical(base)
    if not request.member and not subscripts then
      local known = base_for(canonical(request.node))
      if known.request and known.request.action ~= request.action then known.conflict = request end
      known.request = known.request or request
    elseif plan.parents and innermost then
      local direct = not subscripts or type_of(session, base).kind == "array"
      for i, object in ipairs(request.objects) do
        local entry = base_for(object.key)
        entry.object = entry.object or object
        local last = i == #request.objects
        entry.members[object.path] = last and direct and "own" or "section"
      end
      request.uncounted = direct
    end
    ::next::
  end
  for _, entry in pairs(bases) do
    if entry.object and entry.request then
      if entry.conflict then
        raise("duplicate-clause", entry.conflict.node.pos,
          ("'%s' is in two different clauses"):format(canonical(entry.conflict.node)),
          { rule = "TR14-3.4-07" })
      end
      entry.request.overrides = entry.members
    elseif entry.object then
      entry.object.members = entry.members
    end
  end
  return bases
end

local function add_requests(plan, requests)
  local bases = gather(plan, requests)
  local held = {}
  for _, request in ipairs(requests) do
    if request.action == "attach" or request.action == "detach" then
      if request.subscripts then
        raise("not-a-pointer", request.node.pos,
          ("'%s' takes the pointer itself, not a section of it"):format(request.action),
          { rule = "ACC33-att-5" })
      end
      plan:pointer(request, request.node)
    else
      for _, object in ipairs(plan.parents and (request.member or request.subscripts)
        and request.objects or {}) do
        local entry = bases[object.key]
        if not entry.request and not held[object.key] then
          held[object.key] = true
          local name, item = root_variable(request.node), plan:hold(entry.object, request)
          if name then plan.named[name] = plan.named[name] or item end
        end
      end
      local item
      if request.subscripts then
        item = plan:section(request, request.base, request.subscripts)
      else
        item = plan:object(request, request.node)
      end
      local name = root_variable(request.node)
      if name then plan.named[name] = plan.named[name] or item end
    end
  end
end

-- --------------------------------------------------------------------------------------- directives --

local function simple_names(clause)
  local names = {}
  for _, variable in ipairs(clause.vars) do
    if variable.tag ~= "id" then
      raise("syntax", variable.pos, ("'%s' takes names of variables"):format(clause.name))
    end
    names[#names + 1] = { name = variable.name, pos = variable.pos }
  end
  return names
end

local function declared(session, item)
  local variable = session.scope.variables[item.name]
  if not variable then
    local near = diagnostic.closest(item.name, session.scope:names())
    raise("unknown-name", item.pos, ("there is no variable '%s'"):format(item.name),
      { length = #item.name, help = near and ("did you mean '%s'?"):format(near) })
  end
  return variable
end

-- Implicit data attributes of a compute construct (ACC33-impl-1..3).
local function add_implicit(plan, node, references, default)
  local session = plan.session
  for _, reference in ipairs(references) do
    local variable = declared(session, reference)
    local t, name = variable.type, reference.name
    if not plan.named[name] and not plan.private[name] and not plan.deviceptr[name] then
      if default == "none" then
        raise("default-none", reference.in_text and node.pos or reference.pos or node.pos,
          ("default(none), but '%s' is in no clause"):format(name), { rule = "ACC33-impl-2",
          help = ("name '%s' in a data clause"):format(name) })
      end
      local aggregate = t.kind == "record" or t.kind == "array"
      if not aggregate and not (node.name:find "^kernels" and t.kind == "scalar") then
        plan.private[name] = { how = "firstprivate", variable = variable }
      elseif not session:visible(name) then
        local request = { action = aggregate and default == "present" and "present" or "copy",
          present_or = true, node = { tag = "id", name = name, pos = node.pos } }
        plan.named[name] = plan:object(request, request.node)
      end
    end
  end
end

-- Lowers a directive. references: variables that a compute construct's body uses.
function lower.directive(session, node, options)
  local what = directives[node.name]
  if not what then
    raise("syntax", node.pos, ("'%s' does not stand alone"):format(node.name))
  end
  if node.argument and node.name ~= "shape" then
    raise("syntax", node.argument.pos, ("'%s' takes no name"):format(node.name))
  end
  local seen = check_clauses(node, what.clauses)
  local plan = setmetatable({
    session = session, node = node, kind = what.kind, items = {}, named = {}, private = {},
    deviceptr = {}, file = options.file, line = options.line,
    parents = session.rules.members == "held" and what.kind ~= "update",
  }, Plan)
  local default
  for _, clause in ipairs(node.clauses) do
    if clause.shape and not takes_shape[clause.name] then
      raise("clause-not-allowed", clause.shape.pos, ("'%s' takes no shape"):format(clause.name),
        { rule = "TR14-3.1.2-02" })
    end
    if clause.name == "if" then
      if not clause.e then raise("syntax", clause.pos, "'if' needs a condition", { length = 2 }) end
      plan.condition = clause.e
    elseif clause.name == "finalize" then
      plan.finalize = true
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
      for _, item in ipairs(simple_names(clause)) do
        plan.private[item.name] = { how = clause.name, variable = declared(session, item) }
      end
    elseif clause.name == "reduction" then
      for _, item in ipairs(simple_names(clause)) do
        declared(session, item)
        local request = { action = "copy", present_or = true,
          node = { tag = "id", name = item.name, pos = item.pos } }
        plan.named[item.name] = plan.named[item.name] or plan:object(request, request.node)
      end
    elseif clause.name == "deviceptr" then
      for _, item in ipairs(simple_names(clause)) do
        local variable = declared(session, item)
        if variable.type.kind ~= "pointer" then
          raise("not-a-pointer", item.pos, ("'%s' is %s"):format(item.name, types.name(variable.type)),
            { length = #item.name, rule = "ACC33-2.7-9" })
        end
        plan.deviceptr[item.name] = variable
      end
    end
  end
  local requests = requests_of(node)
  for _, request in ipairs(requests) do request.try = seen.if_present end
  if #requests == 0 and (what.kind == "enter data" or what.kind == "exit data" or what.kind == "update"
      or (what.kind == "region" and not seen.default and not seen.deviceptr)) then
    raise("syntax", node.pos + #node.name, ("'%s' needs at least one data clause"):format(node.name),
      { rule = "ACC33-2.6-1" })
  end
  add_requests(plan, requests)
  if options.references then add_implicit(plan, node, options.references, default) end
  return plan
end

-- Prepares the items for the core.
function lower.prepare(session, plan)
  local spec = { kind = kinds[plan.kind], name = plan.node.name, file = plan.file, line = plan.line,
    finalize = plan.finalize }
  for i, item in ipairs(plan.items) do
    spec[i] = item
    item.number = i
  end
  return session.ctx:construct(spec)
end

lower.take_apart = take_apart

return lower
