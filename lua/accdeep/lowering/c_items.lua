-- c_items.lua - lowers typed list items of C (variables, members, elements and sections) to items, the operands of a
-- plan.
--
-- Input: a request (requested_action.lua) with its typed list item (sema/c/list_item.lua). Output: an item with
-- register code that computes its base, count, start and pointer cell (fields of an item: construct_ir.lua). The
-- pointer cell is the memory of the pointer that the core attaches. The session's language calls this file through
-- Plan:object, :section and :pointer. requested_action.lua decides the item's action and member mapping.
--
-- Parameters: `b` is the builder of the item's register code, `env` the environment of code generation ({session}), `e`
-- a typed l-value, `typed` a typed list item, `request` a request. A request is one list item of a clause with its
-- action (requested_action.lua).

local codegen = require "accdeep.lowering.codegen"
local mapping_compiler = require "accdeep.lowering.mapping_compiler"
local core = require "accdeep.core"
local section_subscripts = require "accdeep.lowering.section_subscripts"
local requests = require "accdeep.sema.clauses.requests"
local resolve = require "accdeep.lowering.requested_action".resolve
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local action = core.action

local c_items = {}

-- Returns the registers that hold the subscripts of an item's name, `indices`: typed integers.
local function index_registers(b, env, indices)
  local list = {}
  for i, index in ipairs(indices) do list[i] = codegen.reg(b, codegen.value(b, env, index), index.pos) end
  return list
end

-- Returns the variable of which the l-value `e` is a member; nil if `e` is no member, or is reached through a pointer
-- or an index.
local function enclosing_variable(e)
  return e.op == "member" and e.base.op == "fixed" and e.base.variable or nil
end

-- Sets the fields `frame` and `room` of an item: address and bytes of the variable that contains the member `e`. The
-- member then keeps its offset in the variable on the device. Does nothing unless rules.members is "mapped", by which
-- members are mapped without their structure.
local function keep_place(plan, item, e)
  local variable = plan.session.rules.members == "mapped" and enclosing_variable(e)
  if variable then item.frame, item.room = codegen.symbol(variable, 0), variable.type.size end
end

-- Adds an item that maps only a pointer; `request` maps its target. pointer: the pointer, a typed list item. fields:
-- fields of the new request; the function adds action, clause, node and kind to the table.
local function map_pointer(plan, request, pointer, fields)
  fields.action, fields.clause = plan.kind == "exit data" and "delete" or "create", {}
  fields.node, fields.kind, fields.item, fields.word = request.node, plan.kind, pointer, fields.action
  plan:object(fields)
end

-- Adds an item for a pointer member alone, without its target, which `request` maps. Adds nothing if the construct has
-- an item for this member already (plan.pointers: text of the member -> true).
local function pointer_member(plan, request, pointer)
  local text = unparse.expression(pointer.node)
  if plan.pointers[text] then return end
  plan.pointers[text] = true
  map_pointer(plan, request, pointer, { pointer = true })
end

-- Adds items that map the base pointer of a request and, if rules.chains is "mapped", the pointers on the access path
-- to it. pointer: the base pointer, a typed list item. Pointer members of a variable, or of a variable's target, are
-- mapped once per construct; other pointers once per list item. Does nothing for update, or if rules.members is not
-- "mapped".
local function map_pointers(plan, request, pointer)
  local rules = plan.session.rules
  if rules.members ~= "mapped" or plan.kind == "update" then return end
  if rules.chains == "ignored" then
    if enclosing_variable(pointer.lvalue) then pointer_member(plan, request, pointer) end
  elseif pointer.node.tag ~= "id" then
    local outer = pointer.path
    if not outer or outer.node.tag == "id" then return pointer_member(plan, request, pointer) end
    map_pointers(plan, request, outer)
    map_pointer(plan, request, pointer, { base_pointer = outer.lvalue,
      flags = plan.kind ~= "exit data" and core.flag.chain or 0 })
  end
end

-- Adds items that map the pointers on the access path to the list item `typed`. A list item that is a pointer itself,
-- and is reached through a pointer member, counts as part of the path, as in clang. `item` then allocates or deletes
-- this pointer, and copies nothing.
local function map_chain(plan, request, typed, item)
  local pointer = typed.path
  if pointer then map_pointers(plan, request, pointer) end
  if pointer and pointer.node.tag ~= "id" and typed.type.kind == "pointer" then
    item.action = plan.kind == "exit data" and action.delete or action.create
    item.flags = item.flags & ~(core.flag.always_in | core.flag.always_out | core.flag.finalize)
  end
end

-- Sets slot or slot_address of an item, the address of the pointer `e`, a typed l-value, so that the core attaches the
-- pointer. If rules.members is "mapped", clauses other than attach and detach attach only pointers that are members.
local function pointer_cell(b, env, e, item)
  local members = env.session.rules.members == "mapped" and item.action ~= action.attach
    and item.action ~= action.detach
  if members and e.op ~= "member" then return end
  local address = codegen.address_of(b, codegen.lvalue(b, env, e), e.pos)
  if address.symbol then
    item.slot_address = address.symbol
  else
    item.slot = codegen.reg(b, address, e.pos)
  end
end

-- Calls pointer_cell for the pointer whose target the l-value `e` is, or whose target is the array that contains `e`.
-- Does nothing if there is no pointer, or if it has no memory.
local function target_cell(b, env, e, item)
  while e.op == "element" do e = e.base end
  local pointer = e.op == "deref" and e.pointer
  if pointer and pointer.op == "load" then pointer_cell(b, env, pointer.lvalue, item) end
end

-- Returns the register with the address where the array begins that encloses the l-value `e`, an element or a row; nil
-- if `e` is not part of an array. With rules.fusion, arrays around an enclosing structure count, too: the array is the
-- outermost one in the variable or in the pointer's target (DIR-4.1-03).
local function origin_of(b, env, e, pos)
  local whole, at = nil, e
  while true do
    if at.op == "element" then
      at = at.base
      whole = at
    elseif at.op == "member" and env.session.rules.fusion then
      at = at.base
    else
      break
    end
  end
  if at.op == "deref" and at.index then return codegen.reg(b, codegen.value(b, env, at.pointer), pos) end
  return whole and codegen.reg(b, codegen.address_of(b, codegen.lvalue(b, env, whole), pos), pos)
end

-- Adds an item with the code of builder b, and returns the item. If the item has no pointer cell (pointer to attach)
-- yet, it gets the cell of the request's base pointer, a typed l-value.
local function add(plan, item, b, request)
  local pointer = request.base_pointer
  if pointer and not item.slot and not item.slot_address then
    pointer_cell(b, { session = plan.session }, pointer, item) end
  return plan:add(item, b, request)
end
c_items.add = add

-- Sets the fields name and label (the core's symbol, for messages) of an item, adds the item to the plan, and returns
-- it. element: type of the item's elements. rows: dimensions of one element of a section, if it is an array; nil
-- otherwise.
local function add_elements(plan, item, b, env, request, typed, element, rows)
  item.name, item.element, item.variable = typed.name, element, typed.variable
  local layout = mapping_compiler.layout(plan.session, element, item.program)
  item.label = plan:label(item.name, item.unit, typed.kind, layout, rows)
  item.indices = index_registers(b, env, typed.indices)
  return add(plan, item, b, request)
end

-- Sets the extent of an item p[@] or p[@base], an alias (TR14 3.5): one byte, which must be present. The byte lies in
-- the target of the pointer p or, for p[@base], in the target of `base`, at the section of `base` that the construct
-- names. sections: these sections {subscript, unit}, by text of the base.
local function alias_section(b, env, item, typed, sections)
  local alias = typed.alias
  local value = codegen.load(b, codegen.lvalue(b, env, typed.lvalue), typed.base.pos)
  local target = alias.to and sections[unparse.expression(alias.to)]
  local field = mapping_compiler.alias_field(b, env, value, alias, target
    and mapping_compiler.base_section(b, env, target))
  item.base = codegen.reg(b, value, typed.base.pos)
  pointer_cell(b, env, typed.lvalue, item)
  item.count, item.start, item.unit = field.count, field.start, 1
  item.alias = alias.to and unparse.expression(alias.to)
end

-- Sets address, length, action and mapping program of a section item. Returns the type of the section's elements and
-- the dimensions inside them.
local function compile_section(plan, request, b, env, item, typed)
  local session, section, t, base = plan.session, typed.section, typed.type, typed.base
  local start, length = section_subscripts.first_section(b, env, section)
  local element, pos = section.element, section.pos
  local code, program, flags = resolve(session, request, element)
  item.action, item.program, item.flags = code, program, item.flags | flags
  -- The section follows several pointers, so a mapping program walks them; its bounds are evaluated with the host
  -- program's names.
  if section.levels then
    item.program = mapping_compiler.pointer_program(session, nil, nil, env, section.levels, function()
      return program
    end, request.action == "no_create" and action.no_create or nil, function(builder)
      local pointer = codegen.load(builder, codegen.lvalue(builder, env, typed.lvalue), base.pos)
      return codegen.reg(builder, pointer, base.pos)
    end)
  end
  local from = codegen.lvalue(b, env, typed.lvalue)
  if t.kind == "array" then
    item.base = codegen.reg(b, codegen.address_of(b, from, base.pos), base.pos)
    item.origin = origin_of(b, env, typed.lvalue, base.pos)
    keep_place(plan, item, typed.lvalue)
    target_cell(b, env, typed.lvalue, item)
  else
    item.base = codegen.reg(b, codegen.load(b, from, base.pos), base.pos)
    pointer_cell(b, env, typed.lvalue, item)
    if typed.path then map_pointers(plan, request, typed.path) end
  end
  item.count = codegen.reg(b, length, pos)
  item.start = start.const ~= 0 and codegen.reg(b, start, pos) or nil
  item.unit = element.size * section.times -- a row of an array counts as one element in names
  return element, mapping_compiler.rows(t.of or t.to, section.row)
end

-- Returns the typed list item of a request, which is analysed now if it is a part of a block of OpenMP.
local function item_of(plan, request)
  if not request.item then requests.analyse(plan.session, request) end
  return request.item
end

-- Adds the item of a section base[s:l]..., the list item `typed` of a request, and returns it.
local function add_section(plan, request, typed)
  local b, env = codegen.builder(), { session = plan.session }
  local item, element, rows = { flags = plan:flags(request), pos = request.node.pos }, types.scalars.char, nil
  if typed.alias then
    alias_section(b, env, item, typed, plan.sections)
    item.action = action.present
  else
    element, rows = compile_section(plan, request, b, env, item, typed)
  end
  return add_elements(plan, item, b, env, request, typed, element, rows)
end

-- Adds the item of a request and returns it: of a section, or of a whole variable, member or element. A pointer also
-- gets an item that attaches or detaches the pointer, unless rules.members is "mapped". Decides ACC33-att-5.
function c_items.object(plan, request)
  local session, typed = plan.session, item_of(plan, request)
  if typed.subscripts then return add_section(plan, request, typed) end
  local b, env, pos = codegen.builder(), { session = session }, typed.node.pos
  local e, t, element = typed.lvalue, typed.type, typed.objects
  local item = { pos = request.node.pos, unit = element.size }
  local flags
  item.action, item.program, flags = resolve(session, request, element)
  item.flags = plan:flags(request) | flags
  if request.map_request and session.rules.chains == "mapped" then map_chain(plan, request, typed, item) end
  if typed.kind == "element" and e.index then
    -- Element of a pointer's target: its subscript is part of the name, and the pointer may be attached.
    local index = codegen.value(b, env, e.index)
    item.base = codegen.reg(b, codegen.value(b, env, e.pointer), pos)
    item.start = codegen.reg(b, index, pos)
    if typed.count > 1 then
      item.start = codegen.reg(b, codegen.apply(b, "*", index, codegen.constant(typed.count), pos), pos)
    end
  else
    item.base = codegen.reg(b, codegen.address_of(b, codegen.lvalue(b, env, e), pos), pos)
    item.origin = origin_of(b, env, e, pos)
    keep_place(plan, item, e)
  end
  target_cell(b, env, e, item)
  item.count = codegen.reg(b, codegen.constant(typed.count), pos)
  add_elements(plan, item, b, env, request, typed, element)
  if t.kind == "pointer" and t.to.kind ~= "function" and plan.kind ~= "update" and not request.map_request
    and session.rules.members ~= "mapped" then
    -- The pointer is attached if its target is present, because `if_present` is set (ACC33-att-5).
    plan:pointer({ action = plan.kind == "exit data" and "detach" or "attach", node = request.node,
      if_present = true, item = typed })
  end
  return item
end

-- Adds the item that attaches or detaches the pointer itself, as request.action says, and returns the item. Decides
-- ACC33-att-5.
function c_items.pointer(plan, request)
  local session, b = plan.session, codegen.builder()
  local env, typed = { session = session }, item_of(plan, request)
  local item = { action = action[request.action], flags = plan:flags(request), pos = request.node.pos,
    unit = 1 }
  item.base = codegen.reg(b, codegen.constant(0), typed.node.pos)
  item.count = item.base
  pointer_cell(b, env, typed.lvalue, item)
  item.label = plan:label(typed.pointer_name or typed.name, 1)
  item.indices = index_registers(b, env, typed.pointer_indices or typed.indices)
  return add(plan, item, b, request)
end

return c_items
