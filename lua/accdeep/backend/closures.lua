-- closures.lua - code generator for bodies and host expressions: compiles typed ASTs (typed_ast.lua) to Lua closures
-- over a memory space.
--
-- Input: typed ASTs. Output: functions of a frame.
--
-- A value compiles to function(frame) -> v. For pointers the function also returns the bounds low, high of the object
-- that contains the pointer's target, if they are known. If the pointer cannot be followed, low is a note, a table with
-- the reason (memory_view.lua). Bounds catch accesses that hardware would not detect. An l-value compiles to
-- function(frame) -> address, low, high. The memory space (env.space, memory_view.lua) loads, stores and checks; it is
-- the only difference between host and device. A frame is the table of one execution: frame.pos is the position for
-- errors; local scalars are in frame slots (statement.lua). The compiled functions raise if an access is invalid.
--
-- Parameters: `env` is the environment of the code (c_sema.lua), `e` a typed node, `node` an AST node.

local arithmetic = require "accdeep.types.arithmetic"
local c_sema = require "accdeep.sema.c.c_sema"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local c_library = require "accdeep.sema.c.c_library"
local member_calls = require "accdeep.backend.member_calls"
local typed_ast = require "accdeep.sema.c.typed_ast"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise
local identity, converter = arithmetic.identity, arithmetic.converter
local scalars = types.scalars
local LONG, DOUBLE, ULONG = scalars.long, scalars.double, scalars["unsigned long"]

local closures = {}

local value, lvalue, condition -- forward declarations

-- Returns a function that sets frame.pos to the position of `node` before and after it calls fn. The access that
-- follows the call then reports its error at the operator `node`, not at the last operand. Returns fn itself if the
-- node has no position.
function closures.with_position(node, fn)
  local pos = node.pos
  if not pos then return fn end
  return function(f)
    f.pos = pos
    local v, low, high = fn(f)
    f.pos = pos
    return v, low, high
  end
end
local at = closures.with_position

-- -------------------------------------------------------------------------------------- l-values --

-- Compilers of l-values, by op of the typed node: function(env, e) -> function(frame) -> address, low, high.
local lvalues = {}

-- Compiles a variable: its binding (symbols.lua) has the function that returns its address and bounds.
function lvalues.variable(_, e) return at(e, e.binding.lvalue) end
-- Returns e.lvalue, a function of the frame that the compiler itself put into the node.
function lvalues.computed(_, e) return e.lvalue end

-- Compiles a member: the address of its object plus an offset, with the bounds of the object.
function lvalues.member(env, e)
  local base, offset = lvalue(env, e.base), e.offset
  return at(e, function(f)
    local address, low, high = base(f)
    return address + offset, low, high
  end)
end

-- Compiles an element of an array. The compiled function raises for an index out of bounds. may_end: true to also
-- accept the index after the last element: C may form its address (C11 6.5.6p8), but not access it. The bounds are then
-- those of the array.
function lvalues.element(env, e, may_end)
  local base, index, n, size, pos, space = lvalue(env, e.base), value(env, e.index), e.n, e.type.size, e.pos, env.space
  return at(e, function(f)
    local address, low, high = base(f)
    local i = index(f)
    if n and (i < 0 or i >= n) then
      local last = address + n * size
      if may_end and i == n and type(low) == "table" then return last, low, high end
      if may_end and i == n then return last, address, last end
      f.pos = pos
      space:out_of_bounds(address, ("index %d is outside the array of %s"):format(i, strings.count(n, "element")), f)
    end
    return address + i * size, low, high
  end)
end

-- Compiles the target of a pointer, displaced by e.index elements if there is an index. The bounds are those of the
-- object to which the pointer points.
function lvalues.deref(env, e)
  local pointer = value(env, e.pointer)
  if not e.index then return at(e, pointer) end
  local index, size = value(env, e.index), e.type.size
  return at(e, function(f)
    local address, low, high = pointer(f)
    return address + index(f) * size, low, high
  end)
end

-- Compiles the target of a compound assignment. The node is compiled twice, for the read and the write. The first
-- result computes and saves the address; the second returns the saved address, so that side effects occur only once.
function lvalues.once(env, e)
  if e.compiled then return e.compiled end
  local find, address, low, high, pos = lvalue(env, e.lvalue), nil, nil, nil, nil
  function e.compiled(f)
    f.pos = pos
    return address, low, high
  end
  return function(f)
    address, low, high = find(f)
    pos = f.pos
    return address, low, high
  end
end

-- ---------------------------------------------------------------------------------------- values --

-- Compilers of values, by op of the typed node: function(env, e) -> function(frame) -> v, low, high.
local values = {}

-- Compiles a constant.
function values.const(_, e)
  local v = e.const
  return function() return v end
end

-- Compiles the read of a local variable in a frame slot. binding.value, if present, raises if the variable was not
-- written yet.
values["local"] = function(_, e)
  local binding = e.binding
  local frame_slot = binding.frame_slot
  if binding.value then return at(e, binding.value) end
  if e.type.kind == "pointer" then return function(f) return f[frame_slot], f[frame_slot + 1], f[frame_slot + 2] end end
  return function(f) return f[frame_slot] end
end

-- Compiles a name without an l-value, such as a device address: its binding has the function that returns the value.
function values.value(_, e) return at(e, e.binding.value) end
-- Returns e.value, a function of the frame that the compiler itself put into the node.
function values.computed(_, e) return e.value end

-- Compiles the load of a scalar, or of a pointer with its bounds.
function values.load(env, e)
  local t, find, space = e.type, lvalue(env, e.lvalue), env.space
  if t.kind == "pointer" then
    return function(f)
      local address, low, high = find(f)
      return space:load_pointer(address, low, high, f)
    end
  end
  local code, size = t.code, t.size
  return function(f)
    local address, low, high = find(f)
    return space:load(address, code, size, low, high, f)
  end
end

-- Compiles the pointer to which an array decays. Its bounds are those of the array itself.
function values.decay(env, e)
  local find, size = lvalue(env, e.lvalue), e.lvalue.type.size
  return function(f)
    local address, low = find(f)
    if type(low) == "table" then return address, low end
    return address, address, address + size
  end
end

-- Compiles &e. If the bounds of the object are not known, the pointer's bounds are begin and end of the l-value itself.
function values.address(env, e)
  local size = e.lvalue.type.size
  local find = e.lvalue.op == "element" and lvalues.element(env, e.lvalue, true) or lvalue(env, e.lvalue)
  return function(f)
    local address, low, high = find(f)
    return address, low or address, high or address + size
  end
end

-- Compiles a conversion to a number. A conversion to a pointer or void needs no code: the value keeps its bounds.
function values.convert(env, e)
  local t, from, v = e.type, e.e.type, value(env, e.e)
  if t.kind ~= "scalar" then return v end
  local convert = converter(from.kind == "pointer" and ULONG or from, t)
  if from.kind == "pointer" then return function(f) return convert((v(f))) end end
  if convert == identity then return v end
  return function(f) return convert(v(f)) end
end

-- Compiles an arithmetic operation. The compiled function raises for a division by zero.
function values.arith(env, e)
  local x, y, pos = value(env, e.a), value(env, e.b), e.pos
  local apply = arithmetic.operation(e.operator, e.type, function()
    raise("scenario-error", pos, "division by zero")
  end)
  return function(f) return apply(x(f), y(f)) end
end

-- Compiles the negation of a floating number.
function values.negate(env, e)
  local v = value(env, e.e)
  return function(f) return -v(f) end
end

-- Compiles a condition as a value: 1 if it holds, otherwise 0.
function values.compare(env, e)
  local is = condition(env, e)
  return function(f) return is(f) and 1 or 0 end
end
values["not"], values["and"], values["or"] = values.compare, values.compare, values.compare

-- Compiles ?:. Only the selected value is evaluated.
function values.select(env, e)
  local c, x, y = condition(env, e.c), value(env, e.a), value(env, e.b)
  return function(f)
    if c(f) then return x(f) end
    return y(f)
  end
end

-- Compiles a pointer plus or minus an index; the bounds stay those of the object to which the pointer points.
function values.displace(env, e)
  local base, index, step = value(env, e.pointer), value(env, e.index), e.type.to.size
  if e.operator == "-" then step = -step end
  return function(f)
    local address, low, high = base(f)
    return address + index(f) * step, low, high
  end
end

-- Compiles the difference of two pointers, in elements.
function values.distance(env, e)
  local x, y, size = value(env, e.a), value(env, e.b), e.a.type.to.size
  return function(f) return ((x(f)) - (y(f))) // size end
end

-- Compiles a string literal. The first evaluation allocates its block in host memory, which all evaluations share.
function values.string(env, e)
  local address, finish
  local text, session = e.text, env.session
  return function()
    if not address then
      address = session:new_block(#text + 1, "a string")
      finish = address + #text + 1
      core.put(address, text .. "\0")
    end
    return address, address, finish
  end
end

-- Compiles a comma expression: evaluates all operands and returns the last value.
function values.comma(env, e)
  local list, n = {}, #e.list
  for i, item in ipairs(e.list) do list[i] = value(env, item) end
  local last = list[n]
  return function(f)
    for i = 1, n - 1 do list[i](f) end
    return last(f)
  end
end

-- ------------------------------------------------------------------------------------ assignment --

-- Compiles an assignment: to a record, which returns no value, to a local in a frame slot, or to memory.
function values.assign(env, e)
  local t, to, space = e.type, e.to, env.space
  if t.kind == "record" then
    local from, into, size = lvalue(env, e.e), lvalue(env, to), t.size
    return function(f)
      local source, slow, shigh = from(f)
      local target, low, high = into(f)
      space:copy(target, source, size, low, high, slow, shigh, f)
    end
  end
  local v, frame_slot = value(env, e.e), to.op == "local" and to.binding.frame_slot
  if frame_slot and t.kind == "pointer" then
    return function(f)
      f[frame_slot], f[frame_slot + 1], f[frame_slot + 2] = v(f)
      return f[frame_slot], f[frame_slot + 1], f[frame_slot + 2]
    end
  elseif frame_slot then
    return function(f)
      local new = v(f)
      f[frame_slot] = new
      return new
    end
  end
  local find, code, size = lvalue(env, to), t.code, t.size
  if t.kind == "pointer" then
    return function(f)
      local new, l, h = v(f)
      local address, low, high = find(f)
      space:store(address, code, size, space:translate_pointer(new, l), low, high, f)
      return new, l, h
    end
  end
  return function(f)
    local new = v(f)
    local address, low, high = find(f)
    space:store(address, code, size, new, low, high, f)
    return new
  end
end

-- Compiles ++ and --. The compiled function returns the old value if e.after is set (postfix), otherwise the new value.
function values.step(env, e)
  local t, to, amount, after = e.type, e.to, e.amount, e.after
  local wrap = t.kind == "scalar" and converter(t.float and DOUBLE or LONG, t) or identity
  if to.op == "local" then
    local frame_slot, current = to.binding.frame_slot, value(env, to)
    return function(f)
      local old = current(f)
      f[frame_slot] = wrap(old + amount)
      return after and old or f[frame_slot], f[frame_slot + 1], f[frame_slot + 2]
    end
  end
  local once = typed_ast.lvalue("once", t, e.pos, { lvalue = to })
  local current, space, code, size = value(env, typed_ast.load(once, e.pos)), env.space, t.code, t.size
  local find = lvalue(env, once)
  return function(f)
    local old, l, h = current(f)
    local address, low, high = find(f)
    local new = wrap(old + amount)
    space:store(address, code, size, new, low, high, f)
    return after and old or new, l, h
  end
end

-- ------------------------------------------------------------------------------------------- calls --

-- Returns a function that evaluates the arguments e.args of a call of a Lua function. The returned function takes a
-- frame and returns the list of arguments and its length. The arguments are numbers, and views (memory_view.lua) of
-- pointers and records.
local function arguments(env, e)
  local args, list, n, space = e.args, {}, #e.args, env.space
  for i, arg in ipairs(args) do list[i] = arg.is_lvalue and lvalue(env, arg) or value(env, arg) end
  return function(f)
    local evaluated = {}
    for i = 1, n do
      local t = args[i].type
      local v, low, high = list[i](f)
      if t.kind == "record" then
        v = space:view(t, v, low, high)
      elseif t.kind == "pointer" then
        v = space:pointer(t, v, low, high)
      end
      evaluated[i] = v
    end
    return evaluated, n
  end
end

-- Returns the result of the Lua function `name` as a number: 0 for nil or false, 1 for true. Raises for other values,
-- at position `pos`.
local function number_of(name, pos, result)
  if result == nil then return 0 end
  if type(result) == "boolean" then return result and 1 or 0 end
  if type(result) ~= "number" then
    raise("type-mismatch", pos, ("%s returned a %s"):format(name, type(result)))
  end
  return result
end

-- Compiles a call of a Lua function that the scenario registered with func().
function values.call(env, e)
  local fn, args, name, pos = e.fn, arguments(env, e), e.name, e.pos
  return function(f)
    local list, n = args(f)
    f.pos = pos
    return number_of(name, pos, fn(table.unpack(list, 1, n)))
  end
end

-- Compiles a call of a member function that is a Lua function, with a view of the object as first argument. On the
-- host, the function can also use the object as `this`.
function values.method(env, e)
  local args, name, pos, space, t = arguments(env, e), e.name, e.pos, env.space, e.object.type
  local find = lvalue(env, e.object)
  local fn = space.on_device and e.method.fn or member_calls.bind_this(env.session, e.method)
  return function(f)
    local list, n = args(f)
    f.pos = pos
    return number_of(name, pos, fn(space:view(t, find(f)), table.unpack(list, 1, n)))
  end
end

-- Compiles a call of a function of C's library, with one or two arguments.
function values.library(env, e)
  local fn = c_library[e.name][2]
  local convert = converter(DOUBLE, e.type)
  local a, b = value(env, e.args[1]), e.args[2] and value(env, e.args[2])
  if b then return function(f) return convert(fn(a(f), b(f))) end end
  return function(f) return convert(fn(a(f))) end
end

-- -------------------------------------------------------------------------------------- conditions --

-- Compilers of conditions, by op of the typed node: function(env, e) -> function(frame) -> true or false. A node whose
-- op is missing here is compiled as a value, which is compared with zero.
local conditions = {}

-- Compiles a comparison; a comparison != 0, which c_sema.lua makes of `if (x)`, becomes a shorter function.
function conditions.compare(env, e)
  local a, b = e.a, e.b
  local x = value(env, a)
  if e.operator == "!=" and b.const == 0 then return function(f) return x(f) ~= 0 end end
  local y = value(env, b)
  local compare = arithmetic.comparison(e.operator, a.type.kind == "pointer" and a.type or b.type)
  return function(f) return compare((x(f)), (y(f))) end
end

-- Compiles the negation of a condition.
conditions["not"] = function(env, e)
  local is = condition(env, e.e)
  return function(f) return not is(f) end
end

-- Compiles &&. The second condition is evaluated only if the first one is true.
conditions["and"] = function(env, e)
  local x, y = condition(env, e.a), condition(env, e.b)
  return function(f) return x(f) and y(f) end
end

-- Compiles ||. The second condition is evaluated only if the first one is false.
conditions["or"] = function(env, e)
  local x, y = condition(env, e.a), condition(env, e.b)
  return function(f) return x(f) or y(f) end
end

-- Compiles any typed node as a value.
function value(env, e) return values[e.op](env, e) end
-- Compiles any typed node as an l-value.
function lvalue(env, e) return lvalues[e.op](env, e) end

-- Compiles a typed node as a condition: a function of the frame that returns true if the value of `e` is not zero.
function condition(env, e)
  if conditions[e.op] then return conditions[e.op](env, e) end
  local v = value(env, e)
  return function(f) return v(f) ~= 0 end
end

-- Compile a typed node to a function of the frame, with the parameters (env, e): as a value, as an l-value.
closures.value, closures.lvalue = value, lvalue

-- --------------------------------------------------------------------------- entry points for the AST --

-- Compiles an expression of the AST. Returns {type, value?, lvalue?}. `value` is a function of the frame; it is nil for
-- an l-value that is an array or a record. `lvalue` is a function of the frame for an l-value, otherwise nil. Raises if
-- the expression is invalid.
function closures.compile(env, node)
  local e = c_sema.expression(env, node)
  local t = e.type
  local compiled = { type = t, lvalue = e.is_lvalue and lvalue(env, e) or nil }
  if not e.is_lvalue or t.kind == "scalar" or t.kind == "pointer" then
    compiled.value = value(env, e.is_lvalue and typed_ast.load(e, node.pos) or e)
  end
  return compiled
end

-- Compiles a condition of the AST to a function of the frame that returns true or false. Raises if the AST is no valid
-- condition.
function closures.truth(env, node) return condition(env, c_sema.condition(env, node, node.pos)) end

-- Compiles an expression statement to a function of the frame, which also returns the expression's value. Raises if the
-- expression is invalid.
function closures.run(env, node) return value(env, c_sema.effect(env, node)) end

-- Returns the value of the constant integer expression `node`. Raises if the expression is not constant or no integer.
function closures.constant(session, node)
  local e, env = c_sema.constant(session, node)
  return value(env, e) {}
end

-- Evaluates an initializer in the host program and stores the value in an object of type t at a host address. node: AST
-- of the initializer. Raises if the types do not fit.
function closures.store_into(session, t, address, node)
  local env = session:host_env()
  local e = c_sema.value(env, node)
  local to = typed_ast.lvalue("computed", t, node.pos, { lvalue =
    function() return address, address, address + t.size end })
  value(env, c_sema.convert_for_assignment(node, to, e, e.const == 0)) {}
end

return closures
