-- procedure.lua - calls of Fortran subroutines and functions: binds arguments, runs the body, frees locals.
--
-- A run, one execution of a procedure, has its own scope inside the scope of the host program or procedure. Each dummy
-- argument is entered there with the address of its actual argument, so that directives inside find the caller's data.
-- A pointer or allocatable argument shares the descriptor of its actual argument. An argument of assumed shape gets a
-- descriptor for the duration of the run.
--
-- Common arguments: entity is the AST of a dummy's name; actual is {e = expression, node, keyword}; frame is the
-- caller's. run is {back, frame, names, bind}: back: functions that copy arguments back; names: actual arguments by
-- dummy's name.

local core = require "accdeep.core"
local fortran_declarations = require "accdeep.backend.fortran.fortran_declarations"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_dynamic_types = require "accdeep.types.fortran_dynamic_types"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
local fortran_types = require "accdeep.types.fortran_types"
local declare_allocatables = require "accdeep.backend.fortran.declare_allocatables"
local location = require "accdeep.base.location"
local object = require "accdeep.backend.fortran.object"
local scope = require "accdeep.types.scope"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local raise, type_of = diagnostic.raise, fortran_expression.type_of

local procedure = {}

local MAX_CALL_DEPTH = 50 -- Lua allows about 200 nested protected calls, and a nested call takes several

-- Enters the procedures among the AST nodes of `list` into the session's scope. host: the scope that contains the
-- procedures; nil for procedures of the program itself.
function procedure.define(session, list, host)
  for _, node in ipairs(list) do
    if node.tag == "procedure" then
      session.now.scope.procedures[node.name] = { node = node, host = host, location = session:location_of(node.pos) }
    end
  end
end

-- Returns the address of a new temporary object of type t, which the end of the procedure's run frees.
local function temporary(session, t, name)
  local address = object.new(session, t, name)
  table.insert(session.now.locals, { type = t, address = address })
  return address
end

-- Always raises: an actual argument does not match its dummy. expectation: the end of the message.
local function wrong_type(entity, actual, expectation)
  raise("type-mismatch", actual.node.pos, ("the argument '%s' is %s"):format(entity.name, expectation))
end

-- Raises if the type of an actual argument does not fit dummy_type, the type of its dummy argument. is_polymorphic:
-- true if the dummy argument also accepts extensions of its type.
local function check_type(entity, actual, dummy_type, is_polymorphic)
  local t = actual.e.type
  if is_polymorphic and t.kind == "record" and fortran_dynamic_types.extends(t, dummy_type) then return end
  if fortran_types.same(t, dummy_type) then return end
  if t.kind == "character" and dummy_type.kind == "character" and t.len >= dummy_type.len then return end
  wrong_type(entity, actual, ("%s, not %s"):format(types.name(dummy_type), types.name(t)))
end

-- Returns the section of an actual argument, which is an array. A value without memory is converted to `element_type`
-- and stored in a temporary object.
local function section_of(session, entity, actual, element_type, frame)
  local e = actual.e
  if e.section then return e.section(frame) end
  local values = e.array(frame)
  local dims = {}
  for i, n in ipairs(values.shape) do dims[i] = { lower = 1, extent = n } end
  fortran_descriptor.pack_strides(element_type, dims)
  local t = fortran_types.array(element_type, dims)
  local section = { address = temporary(session, t, entity.name), of = element_type, dims = dims }
  local store = fortran_expression.storer(session.host_space, element_type)
  local convert = fortran_expression.converter(e.type, element_type)
  for i, address in ipairs(fortran_expression.addresses(section)) do
    store(address, convert(values[i]), nil, nil, frame)
  end
  return section
end

-- Raises if the rank (number of dimensions) of an actual argument is not `rank`.
local function need_rank(entity, actual, rank)
  if actual.e.rank ~= rank then
    wrong_type(entity, actual, ("of rank %d, not %d"):format(rank, actual.e.rank))
  end
end

-- Returns the address of a contiguous copy of a section. At the end of the procedure's run, the elements are copied
-- back to the section, unless the run fails.
local function pack_argument(session, entity, section, run, frame)
  local t = fortran_types.array(section.of, section.dims)
  local address, list, space = temporary(session, t, entity.name), fortran_expression.addresses(section),
    session.host_space
  local size = section.of.size
  for i, from in ipairs(list) do space:copy(address + (i - 1) * size, from, size, nil, nil, nil, nil, frame) end
  table.insert(run.back, function()
    for i, to in ipairs(list) do space:copy(to, address + (i - 1) * size, size, nil, nil, nil, nil, frame) end
  end)
  return address
end

-- Returns the dims of a dummy array whose bounds, or whose last bound, come from the actual argument's section. open:
-- the second result of entity_type in fortran_declarations.lua.
local function open_bounds(session, open, section)
  local env, frame = session:host_env(), {}
  local dims = {}
  if open.any_rank then
    for i, dim in ipairs(section.dims) do dims[i] = { lower = 1, extent = dim.extent, sm = dim.sm } end
    return dims
  end
  for i, dim in ipairs(open.list) do
    local lower = dim.lower and fortran_expression.integer(env, dim.lower)(frame) or 1
    local extent
    if dim.open then
      extent = section.dims[i].extent
    elseif dim.upper then
      extent = math.max(fortran_expression.integer(env, dim.upper)(frame) - lower + 1, 0)
    else
      extent = fortran_descriptor.count(section.dims)
      for _, preceding in ipairs(dims) do extent = extent // math.max(preceding.extent, 1) end
    end
    dims[i] = { lower = lower, extent = extent, sm = dim.open and section.dims[i].sm or nil }
  end
  return dims
end

-- Returns the address and type of a descriptor of a scalar, which lasts as long as the run. t: type of the descriptor.
-- It is for scalars whose dynamic type or rank is known only at the call (FLANG-other-1). Raises if the actual argument
-- does not match. Decides FLANG-other-1.
local function describe_scalar(session, entity, actual, t, frame)
  local e = actual.e
  check_type(entity, actual, t.of, t.polymorphic)
  need_rank(entity, actual, 0)
  if not e.lvalue then wrong_type(entity, actual, ("an object, %s is not"):format(e.text or "the value")) end
  local address = temporary(session, t, entity.name)
  core.put(address, fortran_descriptor.pack(session, t, (e.lvalue(frame)), nil, type_of(e, frame)))
  return address, t
end

-- Returns address and type of a dummy argument; the address is 0 for an absent optional argument. t, open: type of the
-- dummy, as returned by entity_type in fortran_declarations.lua; attributes: its attributes by name. Raises if the
-- actual argument does not match or is missing. Decides FLANG-dummy-1.
local function bound(session, run, entity, t, open, attributes)
  local actual, frame = run.names[entity.name], run.frame
  if actual == true then -- the argument is absent
    if not attributes.optional then
      raise("type-mismatch", run.frame.pos, ("the argument '%s' is missing"):format(entity.name))
    end
    return 0, t or fortran_types.descriptor(session.program.layout, open.of, #open.list, "other", open.polymorphic)
  end
  local e = actual.e
  frame.pos = actual.node.pos
  if t and t.kind == "descriptor" and t.attribute == "other" then
    return describe_scalar(session, entity, actual, t, frame)
  end
  if t and t.kind == "descriptor" then
    check_type(entity, actual, t.of)
    need_rank(entity, actual, t.rank)
    if t.polymorphic and not e.dynamic or e.dynamic and not t.polymorphic then
      wrong_type(entity, actual, ("%s, not %s"):format(types.name(t), types.name(e.dtype or e.type)))
    end
    if not e.descriptor or e.dtype.attribute ~= t.attribute then
      wrong_type(entity, actual, ("%s, %s is not"):format(t.attribute == "pointer" and "a pointer" or "allocatable",
        e.text or "the value"))
    end
    local address = e.descriptor(frame)
    if t.attribute == "allocatable" and attributes.intent and attributes.intent.direction == "out" then
      object.release(session, t, address, frame)
    end
    return address, t
  end
  local element_type = open and open.of or fortran_types.element(t)
  check_type(entity, actual, element_type, open and open.polymorphic)
  if open and open.any_rank and e.rank == 0 then
    return describe_scalar(session, entity, actual,
      fortran_types.descriptor(session.program.layout, element_type, 0, "other", open.polymorphic), frame)
  elseif open and (open.list[1].open or open.any_rank) then
    if not open.any_rank then need_rank(entity, actual, #open.list) end
    local section = section_of(session, entity, actual, element_type, frame)
    local dummy_type = fortran_types.descriptor(session.program.layout, element_type, e.rank, "other", open.polymorphic)
    local address = temporary(session, dummy_type, entity.name)
    core.put(address, fortran_descriptor.pack(session, dummy_type, section.address,
      open_bounds(session, open, section), open.polymorphic and type_of(e, frame)))
    return address, dummy_type
  elseif not open and not t.bounds then
    need_rank(entity, actual, 0)
    if e.lvalue and not attributes.value then return (e.lvalue(frame)), t end
    local address = temporary(session, t, entity.name)
    if t.kind == "record" then
      object.copy(session, t, address, (e.lvalue(frame)), frame)
    else
      local v = fortran_expression.converter(e.type, t)(e.value(frame))
      fortran_expression.storer(session.host_space, t)(address, v, nil, nil, frame)
    end
    return address, t
  end
  -- Dummies of explicit shape or assumed size need contiguous elements, beginning with the first.
  local section
  if e.rank == 0 and e.element_of then
    section = { address = e.lvalue(frame), of = element_type, dims = { { lower = 1, extent = 1 } } }
    t = t or fortran_types.array(element_type, open_bounds(session, open, section))
    return section.address, t
  elseif e.rank == 0 then
    wrong_type(entity, actual, ("an array, %s is not"):format(e.text or "the value"))
  end
  section = section_of(session, entity, actual, element_type, frame)
  t = t or fortran_types.array(element_type, open_bounds(session, open, section))
  if t.n > fortran_descriptor.count(section.dims) then
    raise("out-of-bounds", frame.pos, ("the argument '%s' has %s, %s has %d"):format(entity.name,
      strings.count(t.n, "element"), e.text or "the value", fortran_descriptor.count(section.dims)))
  end
  if fortran_descriptor.is_contiguous(element_type, section.dims) then return section.address, t end
  return pack_argument(session, entity, section, run, frame), t
end

-- True if the declaration `node` has explicit bounds, which may depend on other arguments.
local function has_bounds(node)
  for _, entity in ipairs(node.list) do
    for _, dim in ipairs(entity.dims and entity.dims.list or {}) do
      if dim.upper or dim.lower then return true end
    end
  end
  for _, attribute in ipairs(node.attrs) do
    if attribute.dims then return true end
  end
  return false
end

-- Declares the dummy arguments and local variables of the procedure `node`. Arguments without explicit bounds are
-- declared first, because bounds may use them. Raises if a declaration is invalid or an argument is not declared.
local function declare_all(session, run, node)
  for _, item in ipairs(node.list) do
    if item.tag == "derived" then fortran_declarations.declare_derived_type(session, item) end
  end
  local function declare_each(first)
    for _, item in ipairs(node.list) do
      if item.tag == "declaration" then
        local early = not has_bounds(item)
        for _, entity in ipairs(item.list) do early = early and run.names[entity.name] ~= nil end
        if early == first then fortran_declarations.declare_variables(session, item, run) end
      end
    end
  end
  declare_each(true)
  declare_each(false)
  for name, actual in sorted_pairs(run.names) do
    local variable = rawget(session.now.scope.variables, name)
    if not variable then
      raise("unknown-name", node.pos, ("the argument '%s' of '%s' is not declared"):format(name, node.name))
    end
    variable.absent = actual == true or nil
  end
end

-- Returns the actual arguments of a call by the names of the dummies; true means that the argument is absent. Also
-- returns `pos`. node: the procedure; args: list of actual arguments. Raises for unknown and repeated arguments;
-- missing ones are reported when they are bound.
local function match_arguments(node, args, pos)
  local names, is_dummy = {}, {}
  for _, name in ipairs(node.params) do
    names[name], is_dummy[name] = true, true
  end
  for i, actual in ipairs(args) do
    local name = actual.keyword or node.params[i]
    if not name or not is_dummy[name] then
      raise("type-mismatch", actual.node.pos, actual.keyword and ("'%s' has no argument '%s'"):format(node.name, name)
        or ("'%s' has %s"):format(node.name, strings.count(#node.params, "argument")))
    end
    if names[name] ~= true then
      raise("type-mismatch", actual.node.pos, ("the argument '%s' is given twice"):format(name))
    end
    names[name] = actual
  end
  return names, pos
end

-- Compiles the actual arguments of a call in the caller's environment. nodes: their ASTs. Returns a list of {e, node,
-- keyword}, where keyword is nil for a positional argument.
function procedure.actuals(env, nodes)
  local args = {}
  for i, node in ipairs(nodes) do
    local keyword = node.tag == "keyword" and node.name or nil
    local value = keyword and node.e or node
    args[i] = { e = fortran_expression.compile(env, value), node = value, keyword = keyword }
  end
  return args
end

-- Returns the name of the variable that holds the result of the function `node`.
local function result_entity(node) return node.result or node.name end

-- Runs a procedure and frees its locals, even if it fails. callee: its entry from procedure.define; args: from
-- procedure.actuals. body(list, frame): runs its statements. result(variable): called before the procedure's variables
-- are freed; its value is returned; nil for a subroutine. Raises the error of the procedure, for wrong arguments, in
-- compute constructs, and if calls are nested too deeply.
function procedure.run(session, callee, args, frame, body, result)
  local node = callee.node
  if session.now.kernel then
    raise("unsupported", frame.pos, ("'%s' cannot be called in a compute construct"):format(node.name))
  end
  local run = { back = {}, frame = frame, names = match_arguments(node, args, frame.pos) }
  local call_location = session:location_of(frame.pos)
  run.bind = function(...) return session:with_location(call_location, bound, session, run, ...) end
  local outer, locals, depth = session.now.scope, session.now.locals, session.now.depth
  if depth >= MAX_CALL_DEPTH then
    raise("limit", frame.pos, "procedures are nested too deeply", { rule = "HOUSE-limit" })
  end
  session.now.scope, session.now.locals = scope.new(callee.host or session.program.root), {}
  session.now.depth = depth + 1
  session.now.activation = session.now.activation + 1
  local caller, body_frame = session.now.current, { pos = node.pos }
  session.now.current = callee.location
  local ok, value = pcall(function()
    procedure.define(session, node.inner, session.now.scope)
    if node.kind == "function" and node.spec then
      fortran_declarations.declare_variables(session, { tag = "declaration", pos = node.pos, spec = node.spec,
        attrs = {},
        list = { { tag = "entity", pos = node.pos, name = result_entity(node) } } })
    end
    declare_all(session, run, node)
    body(node.list, body_frame)
    return result and result(session.now.scope.variables[result_entity(node)])
  end)
  session.now.current = caller
  if not ok and diagnostic.is(value) and not value.file then
    value.pos = value.pos or body_frame.pos
    location.locate_error(value, callee.location.text, callee.location.file, callee.location.line)
    value.text = value.text or callee.location.text
  end
  if not ok and diagnostic.is(value) then location.add_caller(value, session:line_of(call_location)) end
  local run_locals = session.now.locals
  session.now.scope, session.now.locals, session.now.depth = outer, locals, depth
  local cleaned, problem = pcall(function()
    if ok then
      for _, back in ipairs(run.back) do back() end
    end
    for _, variable in ipairs(run_locals) do
      if ok then object.release(session, variable.type, variable.address, frame) end
      declare_allocatables.forget(session, variable.address)
      session.program.blocks[variable.address].variable = nil
      session:free(variable.address)
    end
  end)
  if not ok then error(value, 0) end
  if not cleaned then error(problem, 0) end
  return value
end

-- Returns type specification and dims (nil: a scalar) of a function's result. Raises if the result is not declared.
local function result_declaration(callee)
  local node, name = callee.node, result_entity(callee.node)
  if node.spec then return node.spec, nil end
  for _, item in ipairs(node.list) do
    for _, entity in ipairs(item.tag == "declaration" and item.list or {}) do
      if entity.name == name then
        local dims = entity.dims
        for _, attribute in ipairs(item.attrs) do dims = dims or attribute.dims end
        return item.spec, dims
      end
    end
  end
  raise("unknown-name", node.pos, ("the result '%s' is not declared"):format(name))
end

-- Compiles a call of a function in an expression; each evaluation runs the function. node: the call; callee, body: as
-- in procedure.run. Raises for a subroutine, and if the result has a derived type.
function procedure.call_function(env, node, callee, body)
  if callee.node.kind ~= "function" then
    raise("type-mismatch", node.pos, ("'%s' is a subroutine"):format(callee.node.name), { help = "use call" })
  end
  local session = env.session
  local args = procedure.actuals(env, node.args)
  local spec, dims = session:with_location(callee.location, result_declaration, callee)
  local t = session:with_location(callee.location, fortran_declarations.type, session, spec)
  local rank = dims and #dims.list or 0
  if t.kind == "record" then raise("unsupported", node.pos, "functions give intrinsic types here") end
  local function run(f)
    f.pos = node.pos
    return procedure.run(session, callee, args, { pos = node.pos }, body, function(variable)
      local e = fortran_expression.designator(session:host_env(), { tag = "id", name = variable.name, pos = node.pos },
        variable.type, function() return variable.address end)
      return (e.rank > 0 and e.array or e.value) {}
    end)
  end
  return { type = t, rank = rank, [rank > 0 and "array" or "value"] = run }
end

return procedure
