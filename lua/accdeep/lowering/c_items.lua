-- c_items.lua - lowers list items of C (variables, members, elements and sections) to items, the operands of a plan.
--
-- Input: a request (requested_action.lua) and the AST of its list item. Output: an item with register code that
-- computes its base, count, start and pointer cell (fields of an item: construct_ir.lua). The pointer cell is the
-- memory of the pointer that the core attaches. The session's language calls this file through Plan:object, :section
-- and :pointer. requested_action.lua decides the item's action and member mapping.
--
-- Parameters: `b` is the builder of the item's register code, `ctx` the context of code generation ({session}), `node`
-- the AST of an l-value, `request` a request. A request is one list item of a clause with its action
-- (requested_action.lua).

local lazy = require "accdeep.base.lazy"
local advice = lazy.require "accdeep.syntax.advice"
local codegen = require "accdeep.lowering.codegen"
local mapping_compiler = require "accdeep.lowering.mapping_compiler"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local list_item = require "accdeep.sema.c.list_item"
local section_subscripts = require "accdeep.lowering.section_subscripts"
local resolve = require "accdeep.lowering.requested_action".resolve
local shape = require "accdeep.sema.members.shape"
local types = require "accdeep.types"
local scoped_names = require "accdeep.types.scoped_names"
local unparse = require "accdeep.syntax.unparse"

local raise = diagnostic.raise
local action = core.action
local render, type_of = list_item.render, list_item.type_of

local c_items = {}

-- Returns the registers that hold the computed subscripts of an item's name. indices: ASTs of these subscripts; the
-- core keeps three per name, so further subscripts are dropped.
local function index_registers(b, ctx, indices)
  local list = {}
  for i = 1, math.min(#indices, 3) do
    local v = codegen.integer(b, ctx, indices[i])
    list[i] = codegen.reg(b, v, indices[i].pos)
  end
  return list
end

-- Returns the AST of the variable of which the member `node` is a part; nil if `node` is no member, or is reached
-- through a pointer or an index.
local function enclosing_variable(node)
  local root = node
  while root.tag == "member" and not root.arrow do root = root.base end
  return root ~= node and root.tag == "id" and root or nil
end

-- Sets the fields `frame` and `room` of an item: address and bytes of the variable that contains the member `node`. The
-- member then keeps its offset in the variable on the device. Does nothing unless rules.members is "mapped", by which
-- members are mapped without their structure.
local function keep_place(plan, item, node)
  local root = enclosing_variable(node)
  if plan.session.rules.members ~= "mapped" or not root then return end
  local b = codegen.builder()
  local from = codegen.lvalue(b, { session = plan.session }, root)
  local address = codegen.address_of(b, from, root.pos)
  if address.symbol then item.frame, item.room = address.symbol, from.type.size end
end

-- Adds an item that maps only the pointer `node`; `request` maps its target. fields: fields of the new request; the
-- function adds action, clause, node and kind to the table.
local function map_pointer(plan, request, node, fields)
  fields.action, fields.clause = plan.kind == "exit data" and "delete" or "create", {}
  fields.node, fields.kind = request.node, plan.kind
  plan:object(fields, node)
end

-- Adds an item for the pointer member `node` alone, without its target, which `request` maps. Adds nothing if the
-- construct has an item for this member already (plan.pointers: text of the member -> true).
local function pointer_member(plan, request, node)
  local text = unparse.expression(node)
  if plan.pointers[text] then return end
  plan.pointers[text] = true
  map_pointer(plan, request, node, { pointer = true })
end

-- Adds items that map the base pointer `node` of a request and, if rules.chains is "mapped", the pointers on the access
-- path to it. Pointer members of a variable, or of a variable's target, are mapped once per construct; other pointers
-- once per list item. Does nothing for update, or if rules.members is not "mapped".
local function map_pointers(plan, request, node)
  local rules = plan.session.rules
  if rules.members ~= "mapped" or plan.kind == "update" then return end
  if rules.chains == "ignored" then
    if enclosing_variable(node) then pointer_member(plan, request, node) end
  elseif node.tag ~= "id" then
    local outer = list_item.pointer_to(plan.session, node)
    if not outer or outer.tag == "id" then return pointer_member(plan, request, node) end
    map_pointers(plan, request, outer)
    map_pointer(plan, request, node, { base_pointer = outer,
      flags = plan.kind ~= "exit data" and core.flag.chain or 0 })
  end
end

-- Adds items that map the pointers on the access path to the list item `node` of type t. A list item that is a pointer
-- itself, and is reached through a pointer member, counts as part of the path, as in clang. `item` then allocates or
-- deletes this pointer, and copies nothing.
local function map_chain(plan, request, node, t, item)
  local pointer = list_item.pointer_to(plan.session, node)
  if pointer then map_pointers(plan, request, pointer) end
  if pointer and pointer.tag ~= "id" and t.kind == "pointer" then
    item.action = plan.kind == "exit data" and action.delete or action.create
    item.flags = item.flags & ~(core.flag.always_in | core.flag.always_out | core.flag.finalize)
  end
end

-- Sets slot or slot_address of an item, the address of the pointer `node`, so that the core attaches the pointer. Does
-- nothing for r-values. If rules.members is "mapped", clauses other than attach and detach attach only pointers that
-- are members.
local function pointer_cell(b, ctx, node, item)
  local members = ctx.session.rules.members == "mapped" and item.action ~= action.attach
    and item.action ~= action.detach
  if node.tag ~= "member" and (members or node.tag ~= "id" and node.tag ~= "index" and node.tag ~= "unary") then
    return
  end
  local address = codegen.address_of(b, codegen.lvalue(b, ctx, node), node.pos)
  if address.symbol then
    item.slot_address = address.symbol
  else
    item.slot = codegen.reg(b, address, node.pos)
  end
end

-- Returns the register with the address where the array begins that encloses `node`, an element or a row; nil if `node`
-- is not part of an array. With rules.fusion, arrays around an enclosing structure count, too: the array is the
-- outermost one in the variable or in the pointer's target (DIR-4.1-03).
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

-- Adds an item with the code of builder b, and returns the item. If the item has no pointer cell (pointer to attach)
-- yet, it gets the cell of the request's base pointer.
local function add(plan, item, b, request)
  local pointer = request.base_pointer
  if pointer and not item.slot and not item.slot_address then
    pointer_cell(b, { session = plan.session }, pointer, item) end
  return plan:add(item, b, request)
end
c_items.add = add

-- Sets the fields name and label (the core's symbol, for messages) of an item, adds the item to the plan, and returns
-- it. request: the request that the item lowers. base: AST of the object or pointer from whose text the name is made.
-- element: type of the item's elements. kind: "section", "element" (of a pointer's target) or nil (the whole object).
-- rows: dimensions of one element of a section, if it is an array; nil otherwise.
local function add_elements(plan, item, b, ctx, request, base, element, kind, rows)
  local indices = {}
  item.name, item.element = render(base, indices), element
  local layout = mapping_compiler.layout(plan.session, element, item.program)
  item.label = plan:label(item.name, item.unit, kind, layout, rows)
  item.indices = index_registers(b, ctx, indices)
  if base.tag == "id" then item.variable = base.name end
  return add(plan, item, b, request)
end

-- Sets the extent of an item p[@] or p[@base], an alias (TR14 3.5): one byte, which must be present. The byte lies in
-- the target of the pointer p or, for p[@base], in the target of `base`, at the section of `base` that the construct
-- names. base: AST of p; subscript: the alias; sections: sections of the construct, by text.
local function alias_section(b, ctx, item, base, subscript, sections)
  local value = codegen.value(b, ctx, base)
  local section = subscript.to and sections[unparse.expression(subscript.to)]
  local length = section and mapping_compiler.base_section(b, ctx, section.subscript, section.type)
  local field = mapping_compiler.alias_field(b, ctx, value, subscript, length)
  item.base = codegen.reg(b, value, base.pos)
  pointer_cell(b, ctx, base, item)
  item.count, item.start, item.unit = field.count, field.start, 1
  item.alias = subscript.to and unparse.expression(subscript.to)
end

-- Sets address, length, action and mapping program of a section item. base, subscripts: AST of the base, and ASTs of
-- the section's subscripts. t: type of `base`, an array or pointer. Returns the type of the section's elements and the
-- dimensions inside them. Raises if a constant section has a negative length or is outside of its array.
local function compile_section(plan, request, b, ctx, item, base, subscripts, t)
  local session = plan.session
  local row_type, start, length, rest = section_subscripts.first_section(b, ctx, t, subscripts)
  local element, times, more = section_subscripts.elements(row_type, rest)
  local pos = subscripts[1].pos
  subscripts = rest
  if length.const and length.const < 0 then
    raise("invalid-section", pos, ("the section has a negative length, %d"):format(length.const),
      { rule = "TR14-3.1.1-23" })
  end
  if t.kind == "array" and start.const and length.const
    and (start.const < 0 or start.const + length.const > t.size // row_type.size) then
    raise("out-of-bounds", pos, ("the section [%d:%d] is outside the array of %d elements"):format(
      start.const, length.const, t.size // row_type.size), { rule = "ACC33-2.7.1-1",
      help = advice.section(start.const, length.const, t.size // row_type.size) })
  end
  local flags
  -- The section follows several pointers, so a mapping program walks them; its bounds are evaluated with the host
  -- program's names.
  if more then
    item.action, item.program, flags = resolve(session, request, types.innermost(element))
    item.program = mapping_compiler.pointer_program(session, nil, nil, ctx, element, subscripts, more, function(last)
      local _, program = resolve(session, request, last)
      return program
    end, request.action == "no_create" and action.no_create or nil, function(builder)
      return codegen.reg(builder, codegen.value(builder, ctx, base), base.pos)
    end)
  else
    item.action, item.program, flags = resolve(session, request, element)
  end
  item.flags = item.flags | flags
  local from = codegen.lvalue(b, ctx, base)
  if t.kind == "array" then
    item.base = codegen.reg(b, codegen.address_of(b, from, base.pos), base.pos)
    item.origin = origin_of(b, ctx, base)
    keep_place(plan, item, base)
    local pointer = list_item.pointer_to_array(session, base)
    if pointer then pointer_cell(b, ctx, pointer, item) end
  else
    item.base = codegen.reg(b, codegen.load(b, from, base.pos), base.pos)
    pointer_cell(b, ctx, base, item)
    map_pointers(plan, request, base)
  end
  item.count = codegen.reg(b, length, pos)
  item.start = start.const ~= 0 and codegen.reg(b, start, pos) or nil
  item.unit = element.size * times -- a row of an array counts as one element in names
  return element, mapping_compiler.rows(types.element(t), row_type)
end

-- Adds and returns the item of a[0:n] for a structure a, which is a container: start and length become arguments of its
-- shape (TR14-5-03). Raises if there is no length, a second subscript, or a shape that has arguments. Decides
-- TR14-5-03.
local function container(plan, request, base, subscripts)
  local first = subscripts[1]
  if subscripts[2] or first.tag ~= "section" or not first.length then
    raise("invalid-section", first.pos, "a container's section has a length", { rule = "TR14-5-03" })
  end
  local clause, shape_node = request.clause, request.clause.shape
  if shape_node and shape_node.args then
    raise("duplicate-clause", shape_node.pos, "the section has values already", { rule = "TR14-5-03" })
  end
  local with_values = setmetatable({ shape = { pos = first.pos, name = shape_node and shape_node.name,
    args = shape.section_values(first) } }, { __index = clause })
  return c_items.object(plan, setmetatable({ clause = with_values, node = base }, { __index = request }), base)
end

-- Adds the item of a section base[s:l]... and returns it. base, subscripts: ASTs of the base and of the subscripts.
-- Raises if `base` has no elements, if '@' is not allowed there, and for errors of the bounds. Decides TR14-3.5-10.
function c_items.section(plan, request, base, subscripts)
  local session, b = plan.session, codegen.builder()
  local ctx = { session = session }
  local t = type_of(session, base)
  local item = { flags = plan:flags(request), pos = request.node.pos }
  if session.rules.extended and types.is_record(t) and not request.resolve then
    return container(plan, request, base, subscripts)
  end
  local element_type, first = types.element(t), subscripts[1]
  if not element_type then
    raise("not-a-pointer", first.pos, ("'%s' is %s: it has no elements"):format(
      render(base, {}), types.name(t)), { rule = "TR14-3.1.1-22" })
  end
  local element, rows
  for i, subscript in ipairs(subscripts) do
    if subscript.tag == "alias" and subscripts[i + 1] then
      raise("not-a-pointer", subscripts[i + 1].pos, "'@' stands for what a pointer points to, as the last section",
        { rule = "TR14-3.5-01" })
    end
  end
  if first.tag == "alias" then
    if request.action ~= "present" then
      raise("clause-not-allowed", first.pos, "'@' alone is allowed only in a present clause, or on a member",
        { rule = "TR14-3.5-10" })
    end
    if t.kind ~= "pointer" then
      raise("not-a-pointer", first.pos, ("'@' needs a pointer, this is %s"):format(types.name(t)),
        { rule = "TR14-3.5-01" })
    end
    alias_section(b, ctx, item, base, first, plan.sections)
    item.action, element = action.present, types.scalars.char
  else
    element, rows = compile_section(plan, request, b, ctx, item, base, subscripts, t)
  end
  return add_elements(plan, item, b, ctx, request, base, element, first.tag ~= "alias" and "section" or nil, rows)
end

-- Adds the item of a whole variable, member or element and returns it. A pointer also gets an item that attaches or
-- detaches the pointer, unless rules.members is "mapped". Raises if the type of `node` has no size. Decides
-- ACC33-att-5.
function c_items.object(plan, request, node)
  local session, b = plan.session, codegen.builder()
  local ctx = { session = session }
  local from = codegen.lvalue(b, ctx, node)
  local t = from.type
  if t.kind == "array" and not t.n or t.kind == "function" or t.kind == "void"
    or t.kind == "record" and not t.complete then
    scoped_names.no_size(t, node.pos)
  end
  local element, count = t, 1
  while element.kind == "array" do element, count = element.of, count * element.n end
  local item = { pos = request.node.pos, unit = element.size }
  local flags
  item.action, item.program, flags = resolve(session, request, element)
  item.flags = plan:flags(request) | flags
  if request.map_request and session.rules.chains == "mapped" then map_chain(plan, request, node, t, item) end
  local kind, base = nil, node
  if node.tag == "index" and type_of(session, node.base).kind == "pointer" then
    -- Element of a pointer's target: its subscript is part of the name, and the pointer may be attached.
    local index = codegen.integer(b, ctx, node.index)
    local pointer = codegen.value(b, ctx, node.base)
    kind, base = "element", node.base
    item.base = codegen.reg(b, pointer, node.pos)
    item.start = codegen.reg(b, index, node.pos)
    if count > 1 then
      item.start = codegen.reg(b, codegen.apply(b, "*", index, codegen.constant(count), node.pos), node.pos)
    end
    pointer_cell(b, ctx, node.base, item)
  else
    item.base = codegen.reg(b, codegen.address_of(b, from, node.pos), node.pos)
    item.origin = origin_of(b, ctx, node)
    keep_place(plan, item, node)
    if node.tag == "unary" then
      base = node.e
      pointer_cell(b, ctx, node.e, item)
      kind = "element"
    elseif node.tag == "index" then
      local pointer = list_item.pointer_to_array(session, node)
      if pointer then pointer_cell(b, ctx, pointer, item) end
    end
  end
  item.count = codegen.reg(b, codegen.constant(count), node.pos)
  add_elements(plan, item, b, ctx, request, base, element, kind)
  if t.kind == "pointer" and t.to.kind ~= "function" and plan.kind ~= "update" and not request.resolve
    and session.rules.members ~= "mapped" then
    -- The pointer is attached if its target is present, because `if_present` is set (ACC33-att-5).
    plan:pointer({ action = plan.kind == "exit data" and "detach" or "attach", node = request.node,
      if_present = true }, node)
  end
  return item
end

-- Adds the item that attaches or detaches the pointer `node` itself, as request.action says, and returns the item.
-- Raises if `node` is not a pointer. Decides ACC33-att-5.
function c_items.pointer(plan, request, node)
  local session, b = plan.session, codegen.builder()
  local ctx = { session = session }
  local t = type_of(session, node)
  if t.kind ~= "pointer" then
    raise("not-a-pointer", node.pos, ("'%s' needs a pointer, this is %s"):format(request.action,
      types.name(t)), { rule = "ACC33-att-5" })
  end
  local item = { action = action[request.action], flags = plan:flags(request), pos = request.node.pos,
    unit = 1 }
  item.base = codegen.reg(b, codegen.constant(0), node.pos)
  item.count = item.base
  pointer_cell(b, ctx, node, item)
  local indices = {}
  item.label = plan:label(render(node, indices), 1)
  item.indices = index_registers(b, ctx, indices)
  return add(plan, item, b, request)
end

return c_items
