-- privatization.lua - data sharing of thread constructs (parallel, for, task and the like) inside a body: private
-- variables and reductions. One thread executes a body, so each construct has one copy of each private variable.
-- statement.lua calls this file for private{} nodes; sema/body/data_sharing.lua makes these nodes and lists their
-- fields.
--
-- Input: a `private` node. Output: a compiled statement.
--
-- A private copy is a new variable with the same name as the original, which is the variable outside of the construct.
-- Life of a copy:
--   begin:  the copy is uninitialized, or gets the original's value (firstprivate, linear) or the identity of the
--           reduction's operator.
--   body:   the name means the copy.
--   end:    the last value is stored in the original (lastprivate, linear), or combined with it (reduction).
-- A part of an array, such as a[0:n], is reduced in place, without a copy. At the beginning its old values are saved,
-- and its elements get the identity. At the end the saved values are combined with those that the body stored. Rules:
-- OMP60-share-1, OMP60-share-2, ACC33-2.9-4, ACC33-2.9.11-1.
--
-- Terms: a step is a compiled piece of code, a function of the frame (the table of one execution, see statement.lua). A
-- copy is described by {name, pos, begins, lasts, op, shared, rule}. begins: the copy gets the original's value; lasts:
-- the copy's last value is stored in the original; op: operator of the reduction, or nil; shared: no copy is made.

local c_sema = require "accdeep.sema.c.c_sema"
local closures = require "accdeep.backend.closures"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local local_memory = require "accdeep.backend.local_memory"
local typed_ast = require "accdeep.sema.c.typed_ast"
local types = require "accdeep.types"

local raise = diagnostic.raise

local privatization = {}

local LONG = types.scalars.long
local run = closures.run

-- ------------------------------------------------------------------------------------------ names --

-- Returns what `name` means outside of a construct that may have a private copy of it. The result is the binding
-- (symbols.lua) of a local of the body, or else a member of *this or a variable of the program. Each has a field
-- `type`. Returns nil if nothing has this name.
function privatization.variable(env, name)
  local session = env.session
  return env.locals[name] or session:this_member(name) or session.now.scope.variables[name]
end

-- Returns what privatization.variable finds for a name in a clause; raises if it finds nothing. item: {name, pos}.
local function find_variable(env, item)
  return privatization.variable(env, item.name) or env.session.now.scope:no_variable(item)
end

-- Raises if an entry {name, pos} of the list `names` is neither a variable nor an enumerator.
local function check_names(env, names)
  for _, item in ipairs(names) do
    if not env.session.now.scope.enumerators[item.name] then find_variable(env, item) end
  end
end

-- True if the variable `name` is private to the task that encounters a construct. This holds for a local of the body
-- that was declared at the current nesting level of teams. Outside of all teams, it also holds for a variable that is
-- private in the kernel.
local function is_own(env, name)
  local binding, level = env.locals[name], env.level or 0
  if binding then return binding.level == level end
  local k = env.session.now.kernel
  return level == 0 and k and k.plan.private[name] ~= nil
end

-- Returns the list of a construct's copies. They are the copies that the private{} node `node` lists, and copies of
-- variables in no clause that the attribute node.implicit makes private. free(body): returns the names that the body
-- uses, a list of {name, pos}. Raises if default(none) applies to a variable in no clause. Decides OMP60-share-1.
local function copies_of(env, node, free)
  local implicit = node.implicit
  if not implicit then return node.copies end
  local list = table.move(node.copies, 1, #node.copies, 1, {})
  for _, item in ipairs(free(node.body)) do
    local name = item.name
    if not node.is_named(name) and privatization.variable(env, name) then
      if implicit == "none" then
        raise("default-none", item.pos, ("default(none), but '%s' is in no clause"):format(name), { length = #name,
          rule = "OMP60-share-1", help = ("say shared(%s), or what else it is"):format(name) })
      elseif implicit ~= "task" or is_own(env, name) then
        list[#list + 1] = { name = name, pos = item.pos, begins = implicit ~= "private" }
      end
    end
  end
  return list
end

-- ------------------------------------------------------------------------------------- reductions --

-- Smallest value of a signed integer type, by the type's size in bytes.
local least = { [1] = -0x80, [2] = -0x8000, [4] = -0x80000000, [8] = math.mininteger }

-- Returns the identity of the reduction operator `op` for the type t: the value that leaves every other operand
-- unchanged, such as 0 for + and 1 for *.
function privatization.identity(op, t)
  if op == "*" or op == "&&" then return 1 end
  if op == "&" then return -1 end
  if op ~= "max" and op ~= "min" then return 0 end
  local low, high = least[t.size], t.size == 8 and math.maxinteger or -(least[t.size] or 0) - 1
  if t.float then low, high = -math.huge, math.huge
  elseif not t.signed then low, high = 0, t.size == 8 and -1 or (1 << 8 * t.size) - 1 end
  return op == "max" and low or high
end

-- Returns an AST node for the identity of the reduction operator `op` for the type t. pos: position of the node.
function privatization.beginning(op, t, pos)
  return { tag = "num", pos = pos, value = privatization.identity(op, t), type = t.float and "double" or "long" }
end

-- Returns the AST of `variable = variable op copy`, with which a reduction ends. op: the reduction operator; pos:
-- position for errors; variable, copy: typed nodes. If the typed node `value` is given, it is the left operand in place
-- of the variable.
function privatization.combine(op, pos, variable, copy, value)
  local a, b = typed_ast.wrap_typed(value or variable), typed_ast.wrap_typed(copy)
  local combination = { tag = "binary", op = op == "-" and "+" or op, pos = pos, a = a, b = b }
  if op == "max" or op == "min" then
    combination.op = op == "max" and ">" or "<"
    combination = { tag = "cond", pos = pos, a = a, b = b, c = combination }
  end
  return typed_ast.assignment(pos, variable, combination)
end

local each_number

-- Reserves a frame slot in the body of `env`, and returns its index in the frame.
local function new_frame_slot(env)
  local frame_slot = env.root.slots
  env.root.slots = frame_slot + 1
  return frame_slot
end

-- Returns a typed node that reads the frame slot `frame_slot` as a value of type t.
local function slot_expression(frame_slot, t, pos)
  return { op = "computed", type = t, pos = pos, value = function(f) return f[frame_slot] end }
end

-- Returns an AST node for an index of type long, whose value is read from the frame slot `frame_slot`.
local function index_in(frame_slot, pos)
  local index = typed_ast.wrap_typed(slot_expression(frame_slot, LONG, pos))
  index.pos = pos
  return index
end

-- Returns a step that runs the steps of all members of a structure of type t. list: typed nodes of several objects of
-- this type, such as the original and its copy. make(expressions, type): returns the step for one number; `expressions`
-- are the typed nodes of this number in each of the objects.
local function each_member(env, pos, t, list, make)
  local steps = {}
  for k, member in ipairs(t.members) do
    local parts = {}
    for i, e in ipairs(list) do parts[i] = typed_ast.member(e, member.offset, member.type, pos) end
    steps[k] = each_number(env, pos, member.type, parts, make)
  end
  return function(f)
    for k = 1, #steps do steps[k](f) end
  end
end

-- Returns a step that runs one step for each number in an object of type t. The numbers are the elements of arrays and
-- the members of structures, at any depth. list: typed nodes of several objects of this type, such as the original and
-- its copy. make(expressions, type): returns the step for one number; `expressions` are the typed nodes of this number
-- in each of the objects.
function each_number(env, pos, t, list, make)
  if t.kind == "record" then return each_member(env, pos, t, list, make) end
  if t.kind ~= "array" then return make(list, t) end
  local frame_slot, n, elements = new_frame_slot(env), t.n, {}
  local index = index_in(frame_slot, pos)
  for i, e in ipairs(list) do
    elements[i] = c_sema.expression(env, { tag = "index", pos = pos, base = typed_ast.wrap_typed(e), index = index })
  end
  local step = each_number(env, pos, t.of, elements, make)
  return function(f)
    for i = 0, n - 1 do
      f[frame_slot] = i
      step(f)
    end
  end
end

-- Reduction operators that floating-point types do not have.
local integer_operators = { ["&"] = true, ["|"] = true, ["^"] = true }

-- Raises if a number in a value of type t cannot be reduced by the operator copy.op: an element of an array, or a
-- member of a structure (OpenACC only). copy: the copy or part of an array, with op, rule and pos; whole: the
-- variable's type, for the message. Decides OMP60-share-2, ACC33-2.5.15-1.
function privatization.check_reduced(copy, whole, t)
  while t.kind == "array" do t = t.of end
  local rule = copy.rule
  if t.kind == "record" and rule ~= "OMP60-share-2" and t.record ~= "union" then
    for _, member in ipairs(t.members) do privatization.check_reduced(copy, whole, member.type) end
  elseif t.kind ~= "scalar" or t.float and integer_operators[copy.op] then
    local message = t.kind == "scalar" and "%s cannot be reduced by '%s'" or "%s cannot be reduced: it is not a number"
    raise("type-mismatch", copy.pos, message:format(types.name(whole), copy.op),
      { length = copy.name and #copy.name, rule = rule })
  end
end

-- Returns two steps of the reduction `copy`: for the beginning and for the end of the construct. outer, inner: typed
-- nodes of the original and of the private copy, both of type t. Raises if a number in them cannot be reduced by the
-- operator. Decides ACC33-2.9.11-1, OMP60-share-2.
local function reduction(env, copy, t, outer, inner)
  local pos, op = copy.pos, copy.op
  privatization.check_reduced(copy, t, t)
  local begin = each_number(env, pos, t, { inner }, function(list, element)
    return run(env, typed_ast.assignment(pos, list[1], privatization.beginning(op, element, pos)))
  end)
  local finish = each_number(env, pos, t, { outer, inner }, function(list)
    return run(env, privatization.combine(op, pos, list[1], list[2]))
  end)
  return begin, finish
end

-- Returns the AST of one element of the reduced part `node` of an array, a[i] or a[first:n]. Appends {frame_slot,
-- first, n} to `loops` for each dimension. frame_slot holds the element's index; `first` and `n` are functions of the
-- frame that return the first index and the number of indices. Raises if a section of a pointer has no length.
local function element_of(env, node, loops)
  if node.tag ~= "index" and node.tag ~= "section" then return node end
  local base, first = element_of(env, node.base, loops), node.index or node.start
  local loop = { frame_slot = new_frame_slot(env), first = function() return 0 end, n = function() return 1 end }
  if first then loop.first = closures.value(env, c_sema.value(env, first)) end
  if node.length then
    loop.n = closures.value(env, c_sema.value(env, node.length))
  elseif node.tag == "section" then
    local t = c_sema.expression(env, base).type
    if t.kind ~= "array" then
      raise("invalid-section", node.pos, "the section has no length", { rule = "ACC33-2.7.1-1" })
    end
    loop.n = function(f) return t.n - loop.first(f) end
  end
  loops[#loops + 1] = loop
  return { tag = "index", pos = node.pos, base = base, index = index_in(loop.frame_slot, node.pos) }
end

-- Runs `step` in frame f for every combination of indices. loops: as appended by element_of, one entry for each
-- dimension; the indices of the loops before number k are already set. bounds: {first index, number of indices} for
-- each loop.
local function run_loops(loops, k, f, bounds, step)
  local loop, bound = loops[k], bounds[k]
  if not loop then return step(f) end
  for i = bound[1], bound[1] + bound[2] - 1 do
    f[loop.frame_slot] = i
    run_loops(loops, k + 1, f, bounds, step)
  end
end

-- Compiles the reduction of a part of an array in place. part: {item (AST of the part), op, pos, rule}. Returns two
-- steps, for the beginning and the end of the construct. Raises if the elements cannot be reduced by the operator, or a
-- section of a pointer has no length. Decides ACC33-2.5.15-1.
local function compile_part(env, part)
  local pos, op, loops = part.pos, part.op, {}
  local element = c_sema.expression(env, element_of(env, part.item, loops))
  local t = element.type
  privatization.check_reduced(part, t, t)
  -- f[saved_slot] is the list of the elements' old values. Its field `bounds` is the argument of run_loops; `at` is the
  -- index of the last old value that the end of the construct used. f[value_slot] is the old value that is being
  -- combined.
  local saved_slot, value_slot = new_frame_slot(env), new_frame_slot(env)
  local begin = each_number(env, pos, t, { element }, function(list, element_type)
    local read = closures.value(env, typed_ast.load(list[1], pos))
    local set = run(env, typed_ast.assignment(pos, list[1], privatization.beginning(op, element_type, pos)))
    return function(f)
      table.insert(f[saved_slot], read(f))
      set(f)
    end
  end)
  local space, release = env.space, function() end
  if space.record then
    local find, size = closures.lvalue(env, element), t.size
    local reset = begin
    begin = function(f)
      reset(f)
      space:share_copies(find(f), size)
    end
    release = function(f) space:unshare_copies(find(f), size) end
  end
  local finish = each_number(env, pos, t, { element }, function(list, element_type)
    local old = slot_expression(value_slot, element_type, pos)
    local set = run(env, privatization.combine(op, pos, list[1], list[1], old))
    return function(f)
      local values = f[saved_slot]
      values.at = values.at + 1
      f[value_slot] = values[values.at]
      set(f)
    end
  end)
  return function(f)
    local bounds = {}
    for k, loop in ipairs(loops) do bounds[k] = { loop.first(f), loop.n(f) } end
    f[saved_slot] = { bounds = bounds, at = 0 }
    run_loops(loops, 1, f, bounds, begin)
  end, function(f)
    run_loops(loops, 1, f, f[saved_slot].bounds, function()
      release(f)
      finish(f)
    end)
  end
end

-- ----------------------------------------------------------------------------------------- copies --

local BYTE = core.scalar.u8

-- Returns a step that copies the `size` bytes of a variable, except those that were never written: they stay unwritten
-- in the target. to, from: functions of the frame that return the address of target and source, with the bounds low,
-- high.
local function copy_bytes(env, to, from, size)
  local space = env.space
  return function(f)
    local source, slow, shigh = from(f)
    local target, low, high = to(f)
    if not space.on_device then return local_memory.copy(env.session, target, source, size) end
    source, target = space:check(source, size, slow, shigh, f), space:check(target, size, low, high, f)
    for i = 0, size - 1 do
      local value = env.session.ctx:device_read(space.number, source + i, BYTE)
      if value ~= nil then env.session.ctx:device_write(space.number, target + i, BYTE, value) end
    end
  end
end

-- Compiles one private copy. env, inner: environments outside of the construct and of its body, in which the copy is
-- declared. copy: its description (head of this file); statement: the module statement.lua. Returns the list of steps
-- for the beginning of the construct, and the step for its end or nil. Raises if the variable is unknown or cannot be
-- reduced.
local function compile_copy(env, inner, copy, statement)
  local name, pos = copy.name, copy.pos
  local t = find_variable(env, copy).type
  local outer = (copy.begins or copy.lasts or copy.op) and c_sema.expression(
    env, { tag = "id", name = name, pos = pos })
  local binding, begin = statement.variable(inner, name, t)
  local steps, last = { begin }, nil
  if binding.frame_slot then statement.check_initialized(binding, name) end
  local copy_expression = c_sema.expression(inner, { tag = "id", name = name, pos = pos })
  local simple = t.kind == "scalar" or t.kind == "pointer"
  if copy.op then
    steps[2], last = reduction(inner, copy, t, outer, copy_expression)
  elseif copy.begins and simple then
    steps[2] = run(inner, typed_ast.assignment(pos, copy_expression, typed_ast.wrap_typed(outer)))
  elseif copy.begins then
    steps[2] = copy_bytes(env, binding.lvalue, closures.lvalue(env, outer), t.size)
  end
  if copy.lasts and binding.frame_slot then
    local frame_slot = binding.frame_slot
    local function read(f) return f[frame_slot], f[frame_slot + 1], f[frame_slot + 2] end
    local raw = { op = "computed", type = t, value = read }
    local write = run(inner, typed_ast.assignment(pos, outer, typed_ast.wrap_typed(raw)))
    last = function(f)
      if f[frame_slot] ~= nil then write(f) end
    end
  elseif copy.lasts then
    last = copy_bytes(env, closures.lvalue(env, outer), binding.lvalue, t.size)
  end
  return steps, last
end

-- Compiles a thread construct, the private{} node `node`, to a function of the frame that returns the signal of its
-- body. A signal (break, continue, return) leaves the construct; the steps for its end are then not run.
-- compile_statement, statement: function and module of statement.lua. Raises if a clause names no variable, a reduction
-- is invalid, a value in a clause is no number, or default(none) is violated.
function privatization.compile(env, node, compile_statement, statement)
  local inner, begin, finish = statement.scoped(env), {}, {}
  check_names(env, node.names)
  for _, e in ipairs(node.values) do
    local value = c_sema.value(env, e)
    if value.type.kind ~= "scalar" and value.type.kind ~= "pointer" then
      raise("type-mismatch", e.pos, "a number is needed")
    end
    begin[#begin + 1] = closures.value(env, value)
  end
  inner.level = (env.level or 0) + (node.team and 1 or 0)
  for _, copy in ipairs(copies_of(env, node, statement.free)) do
    if not copy.shared then
      local steps, last = compile_copy(env, inner, copy, statement)
      for _, step in ipairs(steps) do begin[#begin + 1] = step end
      finish[#finish + 1] = last
    end
  end
  for _, part in ipairs(node.parts) do
    begin[#begin + 1], finish[#finish + 1] = compile_part(env, part)
  end
  local body, space = compile_statement(inner, node.body), env.space
  local function run_begin(f)
    for i = 1, #begin do begin[i](f) end
  end
  local function run_finish(f, signal)
    if signal then return end
    for i = 1, #finish do finish[i](f) end
  end
  if space.record then return function(f) return space:run_construct(node, run_begin, body, run_finish, f) end end
  return function(f)
    run_begin(f)
    local signal = body(f)
    run_finish(f, signal)
    return signal
  end
end

return privatization
