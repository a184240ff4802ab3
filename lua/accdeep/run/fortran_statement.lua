-- fortran_statement.lua - compiles Fortran statements to closures and runs them in sequence, on the memory of the host
-- program or of a kernel.
--
-- Each statement is compiled when it is first reached, so that earlier declarations are known. The table `statements`
-- maps the tag of a statement node to its compiler, a function(env, node) that returns a closure. The closure takes a
-- frame (frame.pos: the position for errors) and returns a signal (EXIT, CYCLE, RETURN, STOP) if the following
-- statements must be skipped; otherwise nil. Compilers raise for errors of the statement.

local lazy = require "accdeep.base.lazy"
local api_routines = require "accdeep.run.api_routines"
local assignment = require "accdeep.backend.fortran.assignment"
local fortran_construct = require "accdeep.run.fortran_construct"
local fortran_declarations = require "accdeep.backend.fortran.fortran_declarations"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
require "accdeep.backend.fortran.constructor"
require "accdeep.backend.fortran.intrinsics"
local iteration_races = lazy.require "accdeep.backend.iteration_races"
local fortran_types = require "accdeep.types.fortran_types"
local object = require "accdeep.backend.fortran.object"
local procedure = require "accdeep.backend.fortran.procedure"
local selection = require "accdeep.backend.fortran.selection"
local transaction = require "accdeep.types.transaction"
local types = require "accdeep.types"

local raise = diagnostic.raise
local compile = fortran_expression.compile

local fortran_statement = {}

local EXIT, CYCLE, RETURN, STOP = 1, 2, 3, 4 -- signals: reasons to skip the following statements
local ALLOCATED, NOT_ALLOCATED = 1, 2 -- values of the variable in stat=

local statements = {}

-- Returns a function(frame) that runs the statements of `list` until one returns a signal, and returns this signal; nil
-- if all statements ran.
local function block(env, list)
  local steps = {}
  return function(f)
    for i, node in ipairs(list) do
      f.pos = node.pos
      local step = steps[i]
      if not step then
        step = statements[node.tag](env, node)
        steps[i] = step
      end
      local signal = step(f)
      if signal then return signal end
    end
  end
end

-- Closure of statements that have no effect.
local function nothing() end
selection.define(statements, block)
fortran_construct.define(statements, block)

function statements.nothing() return nothing end
statements["return"] = function() return function() return RETURN end end

-- Compiles stop and error stop, which end the program. A stop code other than 0, and error stop, raise an error.
function statements.stop(env, node)
  local code = node.code and compile(env, node.code)
  if code and (code.rank > 0 or code.type.class ~= "integer" and code.type.kind ~= "character") then
    raise("type-mismatch", node.code.pos, "a stop code is an integer or characters")
  end
  return function(f)
    local value = code and code.value(f)
    if not node.failed and (value == nil or value == 0) then return STOP end
    raise("scenario-error", node.pos, "the program stopped" .. (value and (": %s"):format(value) or ""),
      { length = node.failed and #"error" or #"stop" })
  end
end

-- Compilers of exit and cycle, whose closures return the signal for the loop.
function statements.exit() return function() return EXIT end end
function statements.cycle() return function() return CYCLE end end

-- ------------------------------------------------------------------------------------- variables --

-- Compiles the assignment of a value.
function statements.assign(env, node)
  local e = compile(env, node.e)
  return assignment.value(env, node, compile(env, node.to), e)
end

-- Compiles the assignment of a target to a pointer, p => e.
function statements.associate(env, node)
  return assignment.target(env, node, node.to, compile(env, node.e))
end

-- Keyword arguments that the statements allocate and deallocate may have.
local known_options = { allocate = { source = true, mold = true, stat = true, errmsg = true },
  deallocate = { stat = true, errmsg = true } }

-- Returns the objects of the statement `node`, allocate or deallocate, and its keyword arguments: name -> AST. Raises
-- for unknown keywords.
local function objects_of(node)
  local objects, options = {}, {}
  for _, arg in ipairs(node.list) do
    if arg.tag ~= "keyword" then
      objects[#objects + 1] = arg
    elseif not known_options[node.tag][arg.name] or not arg.e then
      raise("syntax", arg.pos, ("%s has no '%s='"):format(node.tag, arg.name), { length = #arg.name,
        help = "stat= and errmsg= tell how it went" })
    else
      options[arg.name] = arg.e
    end
  end
  return objects, options
end

-- Returns a function(frame) that runs the functions `steps`. options: keyword arguments. With stat=, the function sets
-- the variable of stat= to 0, or to the error's value instead of raising. Errors without a field `stat` are still
-- raised.
local function run_with_stat(env, node, options, steps)
  -- Runs all steps; raises the error of a step.
  local function run(f)
    for _, step in ipairs(steps) do step(f) end
  end
  if not options.stat then return run end
  local value, text = 0, ""
  local set = assignment.value(env, node, compile(env, options.stat),
    fortran_expression.scalar(fortran_types.INTEGER, function() return value end))
  local set_message = options.errmsg and assignment.value(env, node, compile(env, options.errmsg),
    fortran_expression.scalar(fortran_types.character(80), function() return text .. (" "):rep(80 - #text) end))
  return function(f)
    local ok, err = pcall(run, f)
    if not ok and not (diagnostic.is(err) and err.stat) then error(err, 0) end
    value, text = ok and 0 or err.stat, not ok and err.message:sub(1, 80) or ""
    set(f)
    if set_message and not ok then set_message(f) end
  end
end

-- Raises if the statement `node` is compiled for a kernel on device memory, where it is not supported.
local function only_on_host(env, node)
  if env.space.on_device then
    raise("unsupported", node.pos, ("'%s' is not for kernels"):format(node.tag), { rule = "HOUSE-version" })
  end
end

-- Returns the compiled expression of the allocatable or pointer `node`; raises for other variables.
local function descriptor_of(env, node)
  local e = compile(env, node)
  if not e.descriptor or e.dtype.attribute == "other" then
    raise("not-a-pointer", node.pos, ("%s is neither allocatable nor a pointer"):format(e.text or "this"))
  end
  return e
end

-- Returns a function(frame) that returns the dynamic type of the object that allocate makes; nil if the object gets its
-- declared type. e: expression of the object; named_type: the type that allocate names; source: an expression; each may
-- be nil. Raises if the type does not fit the object, or is abstract.
local function allocated_type(e, named_type, source, pos)
  local t = e.dtype
  local dynamic_type = named_type or source and source.type
  if dynamic_type and not fortran_types.fits(dynamic_type, t) then
    raise("type-mismatch", pos, ("%s is %s, this is %s"):format(e.text, types.name(t), types.name(dynamic_type)))
  end
  if dynamic_type and t.polymorphic then
    return not named_type and source.dynamic or function() return dynamic_type end
  end
  if t.of.abstract then
    raise("type-mismatch", pos, ("%s is abstract: there are no objects of it"):format(types.name(t.of)),
      { help = ("write allocate(type :: %s)"):format(e.text) })
  end
end

-- Returns the expression of an object in allocate, and the list of its bounds {lower?, upper}, which are functions of a
-- frame. Raises if the object has no descriptor, another number of dimensions than the statement gives, or a dimension
-- without an upper bound.
local function allocation(env, node)
  local whole = compile(env, node.tag == "reference" and node.base or node)
  local bounds = {}
  if node.tag ~= "reference" or not whole.dtype or whole.rank == 0 then
    local e = descriptor_of(env, node)
    return e, bounds
  end
  local e = descriptor_of(env, node.base)
  if #node.args ~= e.rank then
    raise("type-mismatch", node.pos, ("%s has %d dimensions, not %d"):format(e.text, e.rank, #node.args))
  end
  for i, arg in ipairs(node.args) do
    if arg.tag == "range" then
      if not arg.last or arg.step then raise("syntax", arg.pos, "an allocated dimension has an upper bound") end
      bounds[i] = { lower = arg.first and fortran_expression.integer(env, arg.first),
        upper = fortran_expression.integer(env, arg.last) }
    else
      bounds[i] = { upper = fortran_expression.integer(env, arg) }
    end
  end
  return e, bounds
end

-- Returns a function(frame) that allocates the object `node`, and the object's expression. source: expression of
-- source= or mold=, or nil; named_type: the type that allocate names, or nil. Raises if an array has neither bounds nor
-- a source of its rank. The function raises if an allocatable is allocated already, or its type is not complete.
local function allocate_one(env, node, source, named_type)
  local e, bounds = allocation(env, node)
  local type_of = allocated_type(e, named_type, source, node.pos)
  if e.rank > 0 and #bounds == 0 and not (source and source.rank == e.rank) then
    raise("syntax", node.pos, ("'%s' needs bounds"):format(e.text), { help = ("write %s(n)"):format(e.text) })
  end
  local session, pos = env.session, node.pos
  return function(f)
    f.pos = pos
    local address = e.descriptor(f)
    local t = e.dtype
    if t.attribute == "allocatable" and fortran_descriptor.base(env.space, address, nil, nil, f) ~= 0 then
      raise("type-mismatch", pos, ("%s is allocated already"):format(e.text), { help = "deallocate it first",
        stat = ALLOCATED })
    end
    if not t.of.complete and t.of.kind == "record" then
      raise("unknown-type", pos, ("%s is not complete"):format(types.name(t.of)))
    end
    local dims = {}
    for i, bound in ipairs(bounds) do
      local lower = bound.lower and bound.lower(f) or 1
      dims[i] = { lower = lower, extent = math.max(bound.upper(f) - lower + 1, 0) }
    end
    if #dims < e.rank then
      for i, dim in ipairs(source.section and source.section(f).dims or {}) do
        dims[i] = { lower = dim.lower, extent = dim.extent }
      end
      for i, n in ipairs(#dims == 0 and source.array(f).shape or {}) do dims[i] = { lower = 1, extent = n } end
    end
    object.allocate(session, t, address, dims, e.text, f, type_of and type_of(f))
  end, e
end

-- Compiles allocate: each object is allocated and, with source=, gets the value of source=.
function statements.allocate(env, node)
  only_on_host(env, node)
  local objects, options = objects_of(node)
  local source = options.source and compile(env, options.source)
  local shape = source or options.mold and compile(env, options.mold)
  local named_type, steps = node.spec and env.session:fortran_type(node.spec), {}
  for _, item in ipairs(objects) do
    local run, e = allocate_one(env, item, shape, named_type)
    steps[#steps + 1] = run
    if source then
      local to = compile(env, item.tag == "reference" and e.rank > 0 and item.base or item)
      local assign_node = { pos = item.pos, to = item, e = options.source, is_source = true }
      steps[#steps + 1] = assignment.value(env, assign_node, to, source)
    end
  end
  return run_with_stat(env, node, options, steps)
end

-- Compiles deallocate; its closure raises for an object that is not allocated.
function statements.deallocate(env, node)
  only_on_host(env, node)
  local session, steps = env.session, {}
  local objects, options = objects_of(node)
  for i, item in ipairs(objects) do
    local e = descriptor_of(env, item)
    steps[i] = function(f)
      f.pos = e.node.pos
      local address, t = e.descriptor(f), e.dtype
      local base, n, _, element = object.current_elements(session, t, address, f)
      if not base then
        raise("null-pointer", f.pos, ("%s is not %s"):format(e.text, t.attribute == "pointer" and "associated"
          or "allocated"), { rule = "ACC33-2.7-2", stat = NOT_ALLOCATED })
      end
      object.free(session, t, address, base, n, element, f)
    end
  end
  return run_with_stat(env, node, options, steps)
end

-- Compiles nullify, which sets pointers to no target.
function statements.nullify(env, node)
  local steps = {}
  for i, item in ipairs(node.list) do
    steps[i] = assignment.target(env, { pos = item.pos, to = item }, item, { is_null = true })
  end
  return function(f)
    for _, step in ipairs(steps) do step(f) end
  end
end

-- ------------------------------------------------------------------------------------------ control --

-- Returns a function(frame) that returns the value of the condition `node`; raises if the condition is not a logical
-- scalar.
local function condition(env, node)
  local e = compile(env, node)
  fortran_expression.needs(node, "logical", e)
  if e.rank > 0 then raise("type-mismatch", node.pos, "a condition is a scalar") end
  return e.value
end

-- Compiles if: its closure runs the first branch whose condition is true, and returns this branch's signal.
statements["if"] = function(env, node)
  local branches = {}
  for i, branch in ipairs(node.list) do
    branches[i] = { c = branch.c and condition(env, branch.c), run = block(env, branch.body) }
  end
  return function(f)
    for _, branch in ipairs(branches) do
      if not branch.c or branch.c(f) then return branch.run(f) end
    end
  end
end

-- Compiles where, which assigns to the elements that masks select. A mask is evaluated once; the mask of elsewhere
-- applies to the elements that no earlier mask selected (Fortran 2018, 10.2.3.2).
function statements.where(env, node)
  local branches = {}
  for i, branch in ipairs(node.list) do
    local mask = branch.mask and compile(env, branch.mask)
    if mask then
      fortran_expression.needs(branch.mask, "logical", mask)
      if mask.rank == 0 then raise("type-mismatch", branch.mask.pos, "the mask of where is an array") end
    end
    local steps = {}
    for k, item in ipairs(branch.body) do
      if item.tag == "associate" then
        raise("syntax", item.sign, "where takes assignments of values")
      elseif item.tag == "assign" and compile(env, item.to).rank == 0 then
        raise("type-mismatch", item.pos, "where assigns to arrays")
      end
      item.masked = true
      steps[k] = statements[item.tag](env, item)
    end
    branches[i] = { mask = mask, steps = steps, pos = branch.mask and branch.mask.pos }
  end
  return function(f)
    local outer_mask = f.mask
    local unselected = outer_mask -- elements not selected so far; nil: all elements
    for _, branch in ipairs(branches) do
      f.mask = nil
      local selected, mask, rest = branch.mask and branch.mask.array(f), unselected, nil
      if selected then
        if unselected then fortran_expression.conform(unselected.shape, selected.shape, branch.pos) end
        mask, rest = { shape = selected.shape }, { shape = selected.shape }
        for i, v in ipairs(selected) do
          local open = not unselected or unselected[i]
          mask[i], rest[i] = open and v, open and not v
        end
      end
      f.mask = mask
      for _, step in ipairs(branch.steps) do step(f) end
      unselected = rest or unselected
    end
    f.mask = outer_mask
  end
end

-- Compiles do while, and do without a condition. EXIT ends the loop, CYCLE the iteration; RETURN and STOP also end the
-- enclosing block.
statements["while"] = function(env, node)
  local c, run, pos = node.c and condition(env, node.c), block(env, node.body), node.pos
  return function(f)
    while not c or c(f) do
      local signal = run(f)
      if signal == EXIT then return nil end
      if signal == RETURN or signal == STOP then return signal end
      f.pos = pos
    end
  end
end

-- Returns the compiled counters of a parallel loop for iteration_races.iteration. pos: for errors.
local function counters_of(env, parallel, pos)
  local counters = {}
  for i, name in ipairs(parallel.counters) do
    counters[i] = { value = compile(env, { tag = "id", name = name, pos = pos }).value }
  end
  return counters
end

-- Compiles do with a counter. The number of iterations is computed once, before the first one; raises if the step is
-- zero.
statements["do"] = function(env, node)
  local variable = compile(env, { tag = "id", name = node.name, pos = node.pos })
  if variable.rank ~= 0 or variable.type.class ~= "integer" or not variable.lvalue then
    raise("type-mismatch", node.pos, ("'%s' is not an integer variable"):format(node.name), { length = #"do" })
  end
  local first, last = fortran_expression.integer(env, node.first), fortran_expression.integer(env, node.last)
  local step = node.step and fortran_expression.integer(env, node.step)
  local space = env.space
  local store, lvalue, run = fortran_expression.storer(space, variable.type), variable.lvalue, block(env, node.body)
  if space.record and node.iteration then
    run = iteration_races.iteration(space, node.iteration, run, counters_of(env, node.iteration, node.pos))
  end
  local function run_loop(f)
    if space.record then space:add_counter(lvalue(f), variable.type.size) end
    local i, finish, increment = first(f), last(f), step and step(f) or 1
    if increment == 0 then raise("invalid-section", node.pos, "a loop's step is zero", { rule = "HOUSE-language" }) end
    local n = (finish - i + increment) // increment
    while n > 0 do
      local address, low, high = lvalue(f)
      store(address, i, low, high, f)
      local signal = run(f)
      if signal == EXIT then return nil end
      if signal == RETURN or signal == STOP then return signal end
      i, n = i + increment, n - 1
    end
    local address, low, high = lvalue(f)
    store(address, i, low, high, f)
  end
  if not (space.record and node.parallel) then return run_loop end
  return iteration_races.loop(space, node.parallel, run_loop, function(e, is_condition)
    return is_condition and condition(env, e) or fortran_expression.integer(env, e)
  end)
end

-- ------------------------------------------------------------------------------------------ output --

-- Returns the value `v` as the text that print writes. v: number, boolean, text, or {re, im} of a complex number.
local function format_value(v)
  if type(v) == "table" then return ("(%s,%s)"):format(format_value(v[1]), format_value(v[2])) end
  if type(v) == "boolean" then return v and "T" or "F" end
  if math.type(v) == "float" and v == math.floor(v) and math.abs(v) < 1e15 then return ("%.1f"):format(v) end
  if math.type(v) == "float" then return ("%.7g"):format(v) end
  return tostring(v)
end

-- Compiles print: its closure adds a line to the session's output (Session:output); items are separated by blanks.
function statements.print(env, node)
  local list = {}
  for i, item in ipairs(node.list) do
    list[i] = compile(env, item)
    fortran_expression.needs(item, "value", list[i])
  end
  local session = env.session
  return function(f)
    local words = {}
    for i, e in ipairs(list) do
      f.pos = node.list[i].pos
      for _, v in ipairs(e.rank > 0 and e.array(f) or { e.value(f) }) do words[#words + 1] = format_value(v) end
    end
    table.insert(session.program.printed, table.concat(words, " "))
  end
end

-- ------------------------------------------------------------------------------------------ calls --

-- Returns a function(frame) that calls the API routine `name` and returns its result. list: ASTs of the arguments.
-- Variables are passed as text, except that integer scalars after the first argument are passed by value, like other
-- numbers and constants of routines. Raises for other arguments, and if attach and detach routines do not have exactly
-- one.
local function api_call(env, node, name, list)
  local session = env.session
  local args = {}
  local only = name:find "^acc_attach" or name:find "^acc_detach"
  if only and #list ~= 1 then
    raise("type-mismatch", list[2] and list[2].pos or node.pos, ("'%s' has one argument"):format(name))
  end
  for i, arg in ipairs(list) do
    local is_variable = arg.tag ~= "id" or session.now.scope.variables[arg.name]
    local constant = not is_variable and api_routines.constants[arg.name]
    local e = constant and { value = function() return constant end } or compile(env, arg)
    local text = (e.lvalue or e.section or e.descriptor) and e.text
    local is_data = text and (e.type.class ~= "integer" or e.rank > 0 or e.descriptor or i == 1)
    args[i] = is_data and function() return text end or e.value
      or raise("type-mismatch", arg.pos, "a routine takes variables and numbers")
  end
  return function(f)
    local values = {}
    for i, arg in ipairs(args) do values[i] = arg(f) end
    f.pos = node.pos
    local source_location = session:location_of(node.pos)
    local file, line = session:line_of(source_location)
    return api_routines.call(session, name, { file = file, line = line }, table.unpack(values, 1, #args))
  end
end

-- Adds the API routines to the functions that expressions may call.
for name in pairs(api_routines.routines) do
  fortran_expression.intrinsics[name] = fortran_expression.intrinsics[name] or function(env, node)
    local call = api_call(env, node, name, node.args)
    local is_logical = name == "omp_is_initial_device"
      or name:find "^acc_" and api_routines.find(name).returns == "truth"
    return fortran_expression.scalar(is_logical and fortran_types.LOGICAL or fortran_types.INTEGER, function(f)
      local value = call(f)
      if is_logical then return value ~= 0 and value ~= false end
      if value == nil or type(value) == "table" then
        raise("type-mismatch", node.pos, ("'%s' gives %s, not a number"):format(name, value and "an address"
          or "nothing"), { length = #name })
      end
      return value
    end)
  end
end

-- Compiles a call of a subroutine of the text, of an API routine, or of a function of the scenario; raises if there is
-- none.
function statements.call(env, node)
  local target = node.target
  local base = target.tag == "reference" and target.base or target
  if base.tag ~= "id" then raise("unsupported", base.pos, "type-bound procedures are not supported") end
  local session, name = env.session, base.name
  local procedure_record = session:fortran_procedure(name)
  if procedure_record then
    if procedure_record.node.kind ~= "subroutine" then
      raise("type-mismatch", base.pos, ("'%s' is a function"):format(name), { length = #name })
    end
    local args = procedure.actuals(env, target.args or {})
    return function()
      local signal
      procedure.run(session, procedure_record, args, { pos = node.pos }, function(list, frame)
        signal = fortran_statement.run(session, list, frame)
      end)
      return signal == STOP and STOP or nil
    end
  end
  if api_routines.routines[name] then
    only_on_host(env, node)
    local run = api_call(env, node, name, target.args or {})
    return function(f) run(f) end
  end
  local fn = session.now.scope.functions[name]
  if fn then
    local e = fortran_expression.call(env, { tag = "reference", pos = node.pos, base = base, args = target.args or {} })
    return function(f) e.value(f) end
  end
  fortran_expression.check_intrinsic(name, base.pos)
  raise("unknown-name", base.pos, ("there is no subroutine '%s'"):format(name), { length = #name,
    help = diagnostic.suggest(name, session:fortran_procedure_names()) })
end

-- ------------------------------------------------------------------------- declarations, directives --

-- Compiles a declaration, whose closure declares variables in the current scope when it is reached.
function statements.declaration(env, node)
  return function()
    -- A procedure declares all its variables when it starts (backend/fortran/procedure.lua).
    if env.procedure then return end
    transaction.run(env.session, fortran_declarations.declare_variables, env.session, node)
  end
end
-- Compiles the definition of a derived type, whose closure declares the type when it is reached.
function statements.derived(env, node)
  return function()
    if not env.procedure then fortran_declarations.declare_derived_type(env.session, node) end
  end
end
-- Raises for a statement that gives attributes, such as `target :: a`, because such statements are not supported.
function statements.attributes(_, node)
  raise("unsupported", node.pos, ("'%s' as a statement is not supported"):format(node.name),
    { length = #node.name, help = "write the attribute in the declaration" })
end
-- Procedures are defined before the statements run (procedure.define), so their nodes have no effect.
function statements.procedure() return nothing end

-- ---------------------------------------------------------------------------------------- running --

-- Runs the statements `list` on the memory of `env` at once (the name is misleading). Returns nothing: a signal, such
-- as STOP, only ends the list. Raises the error of a statement, with the statement's position.
function fortran_statement.new_executor(env, list)
  local frame = {}
  local ok, err = pcall(block(env, list), frame)
  if ok then return end
  if diagnostic.is(err) and not err.pos and not err.file then err.pos = frame.pos end
  error(err, 0)
end

-- Runs the statements `list` of a procedure in its scope. frame.pos is set to the current position. Returns the signal
-- of the last statement; nil if all statements ran. Raises the error of a statement.
function fortran_statement.run(session, list, frame)
  return block(setmetatable({ procedure = true }, { __index = session:host_env() }), list)(frame)
end

return fortran_statement
