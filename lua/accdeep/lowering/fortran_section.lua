-- fortran_section.lua - lowers list items of Fortran to operands (items) of a plan. An item has the bytes from the
-- first to the last element. The item also names the descriptor (the compiler's record of address and bounds) of the
-- allocatable or pointer that points there.
--
-- Input: a request (requested_action.lua) and the AST of its list item; the session's language calls this file
-- through Plan:object and :pointer. Bounds and subscripts are evaluated when the directive is encountered, so
-- items hold constants. Sections must be contiguous (ACC33-2.7.1-4), with two exceptions: a whole pointer with strides,
-- and updates. For these, all bytes from the first to the last element get memory, but only the bytes of elements are
-- copied (ACC33-upd-2).

local fortran_addendum = require "accdeep.lowering.fortran_addendum"
local codegen = require "accdeep.lowering.codegen"
local resolve = require "accdeep.lowering.requested_action".resolve
local mapping_compiler = require "accdeep.lowering.mapping_compiler"
local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
local fortran_extension = require "accdeep.lowering.fortran_extension"
local fortran_inputs = require "accdeep.lowering.fortran_inputs"

local raise = diagnostic.raise
local action = core.action

local fortran_section = {}

-- Return the register that holds the constant `value`, and that of the host address `at`. b: builder of register code;
-- pos: position for errors.
local function load_constant(b, value, pos) return codegen.reg(b, codegen.constant(value), pos) end
local function load_address(b, at, pos) return codegen.reg(b, codegen.address(at), pos) end

-- Returns address, bytes, number and type of the elements that an expression designates, and the address of its
-- descriptor. If there are gaps, the bytes of a run without gaps and the steps between runs follow
-- (fortran_descriptor.gaps). e: compiled expression; pointer: expression of the allocatable or pointer whose target
-- contains the elements, or nil; node: AST. All numbers are 0 if the pointer has no target. Raises if the elements are
-- not contiguous, unless gaps are allowed (`gaps` is true).
local function extent_of(session, e, pointer, node, gaps)
  local frame = { pos = node.pos }
  if e.descriptor then
    local address = e.descriptor(frame)
    local base = fortran_descriptor.base(session.host_space, address, nil, nil, frame)
    if base == 0 then return 0, 0, 0, e.type, address end
  end
  local element = fortran_expression.type_of(e, frame)
  local descriptor = pointer and pointer.descriptor(frame)
  if e.rank == 0 then return e.lvalue(frame), element.size, 1, element, descriptor end
  local s = e.section(frame)
  local is_part = e.part_of or node.tag == "component" and not e.descriptor and not e.dims
  if is_part and not gaps and not fortran_descriptor.is_contiguous(element, s.dims) then
    raise("invalid-section", node.pos, ("%s is not contiguous"):format(e.text), { rule = "ACC33-2.7.1-4",
      help = "take whole leading dimensions, without a step" })
  end
  local address, bytes = fortran_descriptor.hull(s.address, element, s.dims)
  local run, steps = fortran_descriptor.gaps(element, s.dims)
  return address, bytes, bytes // element.size, element, descriptor, run, table.unpack(steps or {})
end

-- Returns numbers by which elements of an array are named: the address where the array begins, then lower bound, extent
-- and stride in bytes of each dimension. whole: expression of the array; pos: position for errors.
local function subscripts_of(whole, pos)
  local s = whole.section { pos = pos }
  local list = { s.address }
  for _, dim in ipairs(s.dims) do
    local n = #list
    list[n + 1], list[n + 2], list[n + 3] = dim.lower, dim.extent, dim.sm
  end
  return table.unpack(list)
end

-- Returns the expression of the outermost array or target that encloses the object `node` without an allocatable or
-- pointer between them; nil if there is none.
local function outermost(session, node)
  local env, outermost_array = session:host_env(), nil
  while node.base and not fortran_expression.compile(env, node).descriptor do
    node = node.base
    local enclosing = fortran_expression.compile(env, node)
    if enclosing.rank > 0 or enclosing.descriptor then outermost_array = enclosing end
  end
  return outermost_array
end

-- Returns a record {name, rank, shift, {lower, extent, sm} ...} by which the core names elements of an object; nil for
-- a scalar. The second result is the address where the object's array begins; with rules.fusion the outermost array,
-- the object's base in the directory (DIR-4.1-03). object: result of describe_object. Returns nil, 0 if the object has
-- no memory.
local function array_of(session, object, node)
  local e, pos = object.e, node.pos
  if object.address == 0 then return nil, 0 end
  local outer = session.rules.fusion and outermost(session, node)
  local origin = outer and fortran_inputs.record_inputs(session, function()
    return outer.rank > 0 and outer.section({ pos = pos }).address or (outer.lvalue { pos = pos })
  end)
  local whole = e.part_of or e.element_of or e.rank > 0 and e
  if not whole then return nil, origin or object.address end
  local list = { fortran_inputs.record_inputs(session, function() return subscripts_of(whole, pos) end) }
  local array = { name = whole ~= e and whole.text, rank = (#list - 1) // 3, shift = object.address - list[1] }
  for i = 1, array.rank do
    array[i] = { lower = list[3 * i - 1], extent = list[3 * i], sm = list[3 * i + 1] }
  end
  return array, origin or list[1]
end

-- Returns a record for a list item: {address, bytes, count, of (element type), run, dims, e, pointer, descriptor}. e:
-- compiled expression of the list item; pointer: expression of the allocatable or pointer whose target contains the
-- list item, or nil; descriptor: address of the descriptor of `pointer`. An object that is not allocated or associated
-- has 0 bytes. run, dims: the runs of a section with gaps (fortran_descriptor.gaps). gaps: true if a section may have
-- gaps between its elements. Raises if `node` is no variable, or has gaps that are not allowed.
local function describe_object(session, node, gaps)
  local e = fortran_expression.compile(session:host_env(), node)
  if not e.lvalue and not e.section then
    raise("type-mismatch", node.pos, "a variable is needed",
      { help = "name a variable or a part of one: a, a(1:n), s%p" })
  end
  local pointer = e.part_of or e.element_of or e
  if not pointer.descriptor then pointer = nil end
  local extent = table.pack(fortran_inputs.record_inputs(session, function()
    return extent_of(session, e, pointer, node, gaps)
  end))
  local address, bytes, count, element, descriptor, run = table.unpack(extent, 1, 6)
  return { address = address, bytes = bytes, count = count, of = element, run = run,
    dims = run and table.move(extent, 7, extent.n, 1, {}), e = e, pointer = pointer, descriptor = descriptor }
end

fortran_section.named = describe_object

-- Returns address and bytes of the object `node` on the host; 0, 0 if it is not allocated or associated.
function fortran_section.extent_or_none(session, node)
  local object = describe_object(session, node)
  return object.address, object.bytes
end

-- Returns address, bytes and element type of the object `node` on the host; raises if it is not allocated or
-- associated.
function fortran_section.extent(session, node)
  local object = describe_object(session, node)
  if object.bytes == 0 and object.e.descriptor then
    raise("null-pointer", node.pos, ("%s is not %s"):format(object.e.text, object.e.dtype.attribute == "allocatable"
      and "allocated" or "associated"), { rule = "ACC33-2.7-2" })
  end
  return object.address, object.bytes, object.of
end

-- Returns the address and type of the descriptor of a whole pointer or allocatable `node`, and its expression. Raises
-- for other variables.
function fortran_section.descriptor_of(session, node)
  local e = fortran_expression.compile(session:host_env(), node)
  if not e.descriptor or e.dtype.attribute == "other" then
    raise("not-a-pointer", node.pos, ("%s is neither allocatable nor a pointer"):format(e.text or "this"),
      { rule = "ACC33-att-5" })
  end
  local address = fortran_inputs.record_inputs(session, function() return (e.descriptor { pos = node.pos }) end)
  return address, e.dtype, e
end

-- Returns the address of the first byte and the number of bytes of the target of a descriptor; 0, 0 if the descriptor
-- has no target. address, t: address and type of the descriptor.
function fortran_section.target(session, address, t)
  local space = session.host_space
  return fortran_inputs.record_inputs(session, function()
    local base = fortran_descriptor.base(space, address)
    if base == 0 then return 0, 0 end
    return fortran_descriptor.hull(base, fortran_descriptor.type(space, t, address),
      fortran_descriptor.dims(space, t, address))
  end)
end

-- Returns the variable at the root of the list item `node` (nil if it is not declared), and its name.
local function root_variable(session, node)
  while node.base do node = node.base end
  return session.now.scope.variables[node.name], node.name
end

-- True if the list item `node` is a component or part of one. A clause with such a list item does not name the root
-- variable.
local function has_component(node)
  while node.base do
    if node.tag == "component" then return true end
    node = node.base
  end
  return false
end
fortran_section.has_component = has_component

-- Returns the AST of the object that encloses the list item `variable`, a component or a part of one. The second result
-- is true if the object is reached through an allocatable or pointer, whose target it is in. Returns nil if the list
-- item is not a component, has a descriptor itself, or is a component of all elements of an array.
function fortran_section.object_of(session, variable)
  local env, node, object = session:host_env(), variable, nil
  if variable.tag == "alias" then return nil end
  while has_component(node) do
    if fortran_expression.compile(env, node).descriptor then return object, true end
    if node.tag == "component" then
      object = node.base
      if fortran_expression.compile(env, object).rank > 0 then return nil end
    end
    node = node.base
  end
  return object, false
end

-- Returns true if rules.fusion is set and the list item is a component stored directly in its variable, not in a
-- target.
local function is_piece(session, node)
  if not session.rules.fusion then return false end
  local object, is_led = fortran_section.object_of(session, node)
  return object ~= nil and not is_led
end

-- Returns true if a clause with the list item `node` does not name its variable: the node is a component, and no piece.
function fortran_section.is_part(session, node)
  if node.tag == "alias" then return has_component(node.base) end
  return has_component(node) and not is_piece(session, node)
end

-- Sets in an item the descriptor that the core attaches, and registers the descriptor's type record
-- (fortran_addendum.lua). object: result of describe_object. Does nothing without an allocatable or pointer, and for
-- variables if rules.members is "mapped". Decides FLANG-other-2.
local function set_descriptor(plan, request, item, object)
  local session = plan.session
  local pointer = object.pointer
  local is_variable = pointer and pointer.node.tag == "id"
  if pointer and pointer.dtype.attribute ~= "other" and not (is_variable and session.rules.members == "mapped") then
    item.slot_address, item.slot_bytes = object.descriptor, pointer.dtype.size
    fortran_addendum.note(plan, request, object.descriptor, pointer.dtype, object.address, object.bytes, pointer.text)
  end
end

-- Returns the name of an object for messages; a section of all elements, such as a(:), gets the name of its array. e:
-- its expression.
local function display_name(e)
  local node = e.node
  if not e.part_of or node.tag ~= "reference" then return e.text end
  for _, arg in ipairs(node.args) do
    if arg.tag ~= "range" or arg.first or arg.last or arg.step then return e.text end
  end
  return e.part_of.text or e.text
end

-- Returns the address of the first byte of the variable `node`, or of its target if it is a pointer or allocatable; 0
-- if there is no target. Raises if `node` is no variable.
local function first_byte(session, node)
  local e = fortran_expression.compile(session:host_env(), node)
  if not e.lvalue and not e.section then
    raise("type-mismatch", node.pos, "the base of '@' is a variable", { rule = "TR14-3.5-01" })
  end
  return fortran_inputs.record_inputs(session, function()
    local frame = { pos = node.pos }
    if e.descriptor then return (fortran_descriptor.base(session.host_space, (e.descriptor(frame)))) end
    return e.lvalue and e.lvalue(frame) or e.section(frame).address
  end)
end

-- Returns the item of p(@) or p(@base), for which one byte must be present: of the target of p, or of the target of the
-- base (TR14-3.5-03). b: builder of its register code. Raises outside of present clauses. Decides TR14-3.5-10.
local function alias_item(plan, request, node, b)
  local session, pos = plan.session, node.pos
  if request.action ~= "present" then
    raise("clause-not-allowed", pos, "'@' alone is allowed only in a present clause, or on a component",
      { rule = "TR14-3.5-10" })
  end
  local descriptor, t, e = fortran_section.descriptor_of(session, node.base)
  local value = first_byte(session, node.base)
  local base = node.to and first_byte(session, node.to) or value
  local count = value ~= 0 and base ~= 0 and 1 or 0
  local item = { action = action.present, flags = plan:flags(request), pos = request.node.pos, unit = 1, indices = {},
    name = e.text, label = plan:label(e.text, 1), inside = has_component(node.base),
    home = root_variable(session, node), base = load_address(b, value, pos),
    start = base ~= value and load_constant(b, base - value, pos) or nil, count = load_constant(b, count, pos) }
  local object = { pointer = e, descriptor = descriptor, address = value, bytes = 0, of = t.of }
  set_descriptor(plan, request, item, object)
  if node.base.tag == "id" then item.variable = node.base.name end
  return item
end

-- Raises if a list item is all of an assumed-size argument, or a section of it without a last bound (ACC33-2.7.1-1).
local function check_assumed_size(session, node)
  local name = node.tag == "id" and node or node.tag == "reference" and node.base.tag == "id" and node.base
  local variable = name and session.now.scope.variables[name.name]
  if not variable or not variable.assumed_size then return end
  local last = node.tag == "reference" and node.args[#node.args]
  if last and (last.tag ~= "range" or last.last) then return end
  local bounds = (":,"):rep(variable.assumed_size - 1)
  raise("invalid-section", node.pos, ("the last bound of %s is not known: it has assumed size"):format(name.name),
    { length = #name.name, rule = "ACC33-2.7.1-1",
      help = ("name a section of it: %s(%s1:n)"):format(name.name, bounds) })
end

-- Adds the item of a request's list item, and an item for each object inside whose dynamic type extends the declared
-- one (fortran_extension.lua). Returns the first item. Raises for errors of the list item. Decides TR14-A.5-01,
-- FLANG-recipe-1.
function fortran_section.object(plan, request)
  local session, node, b = plan.session, request.node, codegen.builder()
  check_assumed_size(session, node)
  if node.tag == "alias" then return plan:add(alias_item(plan, request, node, b), b, request) end
  local object = describe_object(session, node, plan.kind == "update")
  local e, element = object.e, object.of
  if plan.kind == "declare" and e.dtype and e.dtype.attribute == "allocatable" and e.node.tag == "id" then
    plan.persistent = plan.persistent or {}
    table.insert(plan.persistent, { descriptor = e.descriptor { pos = node.pos }, name = e.text,
      address = object.address, bytes = object.bytes })
    -- Allocatables of declare are only registered here: deallocate may free the data before the program ends, so the
    -- item has no bytes and no structured reference.
    object.count, object.bytes, object.pointer = 0, 0, nil
  end
  local item = { flags = plan:flags(request), pos = request.node.pos, unit = element.size, name = display_name(e),
    element = element,
    run = object.run, dims = object.dims, indices = {} }
  local flags
  item.action, item.program, flags = resolve(session, request, element)
  item.flags = item.flags | (flags or 0)
  item.base, item.count = load_address(b, object.address, node.pos), load_constant(b, object.count, node.pos)
  item.first, item.bytes = object.address, object.bytes
  set_descriptor(plan, request, item, object)
  local array, origin = array_of(session, object, node)
  if origin ~= object.address then item.origin = load_address(b, origin, node.pos) end
  item.label = { name = item.name, unit = element.size, round = true, file = plan.file, line = plan.line,
    layout = mapping_compiler.layout(session, element, item.program), array = array,
    pointer = object.pointer and object.pointer.text }
  item.home, item.inside = root_variable(session, node), fortran_section.is_part(session, node)
  if node.tag == "id" or (e.part_of or e.element_of or e).node.tag == "id" then
    item.variable = select(2, root_variable(session, node))
  end
  plan:add(item, b, request)
  for _, extended in ipairs(fortran_extension.extended_objects(session, request.member_mapping, object, item.name)) do
    local code, own_request = codegen.builder(), setmetatable({ clause = {} }, { __index = request })
    local inner = { pos = item.pos, unit = extended.of.size, name = extended.name, element = extended.of, indices = {},
      inside = true, flags = item.flags }
    inner.action, inner.program, flags = resolve(session, own_request, extended.of)
    inner.flags = inner.flags | (flags or 0)
    inner.base = load_address(code, extended.address, node.pos)
    inner.count = load_constant(code, extended.count, node.pos)
    inner.label = { name = extended.name, unit = extended.of.size, round = true, file = plan.file,
      line = plan.line, layout = mapping_compiler.layout(session, extended.of, inner.program) }
    plan:add(inner, code, own_request)
  end
  return item
end

-- Adds the item that attaches or detaches the descriptor that a request names, and returns the item. Raises if it is
-- neither an allocatable nor a pointer, or is a section of one.
function fortran_section.pointer(plan, request)
  local session, node, b = plan.session, request.node, codegen.builder()
  if node.tag == "reference" then
    local base = fortran_expression.compile(session:host_env(), node)
    if base.part_of then
      raise("not-a-pointer", node.pos, ("'%s' takes the pointer itself, not a section of it"):format(request.action),
        { rule = "ACC33-att-5" })
    end
  end
  local address, t, e = fortran_section.descriptor_of(session, node)
  local first, bytes = 0, 0
  if request.action == "attach" then first, bytes = fortran_section.target(session, address, t) end
  fortran_addendum.note(plan, request, address, t, first, bytes, e.text)
  return plan:add({ action = action[request.action], flags = plan:flags(request), pos = request.node.pos, unit = 1,
    base = load_address(b, first, node.pos), count = load_constant(b, bytes, node.pos), slot_address = address,
    slot_bytes = t.size, label = plan:label(e.text, 1), indices = {} }, b, request)
end

-- Returns a list of the requests, preceded by implicit requests for the objects of components. A component in a clause
-- of a compute construct needs its object to be present, because the object holds the component's descriptor
-- (FLANG-storage-2). An object that a clause or an enclosing region names, or a piece of fused data (is_piece), needs
-- no implicit request. Decides FLANG-storage-1, FLANG-storage-2.
function fortran_section.add_root_objects(plan, requests)
  local session, named, implied, list = plan.session, {}, {}, {}
  for _, request in ipairs(requests) do
    if request.node.tag == "id" then named[request.node.name] = true end
  end
  for _, request in ipairs(requests) do
    local variable, name = root_variable(session, request.node)
    local is_object = variable and request.node.tag ~= "id" and variable.type.kind == "record"
      and not is_piece(session, request.node)
    if is_object and not named[name] and not implied[name]
      and not fortran_inputs.record_inputs(session, function() return session:visible(name) ~= nil end) then
      implied[name] = true
      list[#list + 1] = { action = plan.default == "present" and "present" or "copy", clause = {}, present_or = true,
        node = { tag = "id", name = name, pos = request.node.pos }, kind = plan.kind }
    end
  end
  return table.move(requests, 1, #requests, #list + 1, list)
end

-- Returns the AST of a section with the numbers `start` and `length` as bounds. written: ASTs of the subscripts as the
-- program wrote them.
local function constant_section(pos, start, length, written)
  return { tag = "section", pos = pos, start = { tag = "num", type = "long", value = start, pos = pos },
    length = { tag = "num", type = "long", value = length, pos = pos }, written = written }
end

-- Returns the subscripts `args` (ASTs) with all expressions replaced by their current values, so that the subscripts
-- stay valid in another scope.
local function evaluate_subscripts(session, args)
  local env, list = session:host_env(), {}
  -- Returns a number node with the current value of an expression; nil for nil.
  local function value(node)
    if not node then return nil end
    local v = fortran_inputs.record_inputs(session, function()
      return (fortran_expression.integer(env, node) { pos = node.pos }) end)
    return { tag = "num", class = "integer", kind = 4, value = v, pos = node.pos }
  end
  for i, arg in ipairs(args) do
    list[i] = arg.tag == "range" and { tag = "range", pos = arg.pos, first = value(arg.first), last = value(arg.last),
      step = value(arg.step) } or value(arg)
  end
  return list
end

-- Returns the number of the first element of an array part, counted from 0 in memory order, and its number of elements.
-- whole: expression of the array; node: AST of the part. Raises if the part is not contiguous, or `node` is no
-- variable.
local function elements_of(session, whole, node)
  local part = describe_object(session, node) -- raises if `node` is no variable
  local s = whole.section { pos = node.pos }
  if not fortran_descriptor.is_contiguous(part.of, s.dims) then
    raise("invalid-section", node.pos, ("%s is not contiguous"):format(whole.text), { rule = "ACC33-2.7.1-4" })
  end
  return fortran_inputs.record_inputs(session, function()
    return (part.address - whole.section { pos = node.pos }.address) // part.of.size
  end), part.count
end

-- Returns the access path from the outermost object to the component `variable`: the object's AST, its type, the steps,
-- and the subscripts of the last component, or nil. A step is {name, pos} or {index, pos, written}. Returns nil if the
-- list item is not a component, or is a component of all elements of an array.
function fortran_section.access_path(session, variable)
  local env, steps, subscripts, node = session:host_env(), {}, nil, variable
  if variable.tag == "alias" then node, subscripts = variable.base, { variable } end
  while has_component(node) do
    local enclosing = fortran_expression.compile(env, node.base)
    if node.tag == "component" then
      -- A component of all elements of an array designates no single object.
      if enclosing.rank > 0 then return nil end
      -- The type has no components: compilation raises the error.
      if enclosing.type.kind ~= "record" then fortran_expression.compile(env, node) end
      table.insert(steps, 1, { name = node.name, pos = node.name_pos })
      if not has_component(node.base) then return node.base, enclosing.type, steps, subscripts end
    else
      local first, count = elements_of(session, enclosing, node)
      local elements = constant_section(node.pos, first, count, evaluate_subscripts(session, node.args))
      if node == variable then
        subscripts = { elements }
      else
        table.insert(steps, 1, { index = elements.start, pos = node.pos, written = elements.written })
      end
    end
    node = node.base
  end
  return nil
end

-- Returns the element type of the list item `node`; for a polymorphic object the dynamic type.
function fortran_section.element_type(session, node)
  local e = fortran_expression.compile(session:host_env(), node)
  return e.dynamic and fortran_inputs.record_inputs(session, function() return (e.dynamic { pos = node.pos }) end)
    or e.type
end

return fortran_section
