-- eval.lua - C expressions, compiled to Lua functions over a memory.
--
-- An expression becomes {type, value = function(frame) -> v [, low, high]} and, if it is an lvalue,
-- place = function(frame) -> address, low, high. Pointers carry the bounds of the object they lead
-- into, as far as these are known: that is what finds accesses hardware would let pass. The memory
-- (view.lua) loads, stores and checks; host and device differ only there.
--
-- env: session, space (the memory), lookup(name, pos) -> binding. A binding is {type, place},
-- {type, value}, {type, const} or {fn}. frame.pos is the place in the text being executed.

local arithmetic = require "accdeep.types.arithmetic"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local member_functions = require "accdeep.code.member_functions"
local names = require "accdeep.types.names"
local types = require "accdeep.types"

local raise = diagnostic.raise
local convert_scalar = core.convert
local scalars = types.scalars
local INT, LONG, DOUBLE, ULONG = scalars.int, scalars.long, scalars.double, scalars["unsigned long"]
local F32 = core.scalar.f32
local identity, converter, wrapper = arithmetic.identity, arithmetic.converter, arithmetic.wrapper
local promoted, common = arithmetic.promoted, arithmetic.common

local eval = {}

-- ------------------------------------------------------------------------------- compilation --

local compile -- forward

local function decayed(env, e)
  if e.type.kind ~= "array" then return e end
  local place, size = e.place, e.type.size
  return { type = types.pointer(e.type.of), value = function(f)
    local address, low = place(f)
    if type(low) == "table" then return address, low end
    return address, address, address + size
  end, env = env }
end

-- The expression as a value of arithmetic or pointer type.
local function rvalue(env, node)
  local e = decayed(env, compile(env, node))
  if e.type.kind == "record" then return e end
  if e.type.kind == "void" or e.type.kind == "function" then
    raise("type-mismatch", node.pos, "this has no value")
  end
  return e
end

local function arithmetic_value(env, node)
  local e = rvalue(env, node)
  if e.type.kind ~= "scalar" then
    raise("type-mismatch", node.pos, ("a number is needed, this is %s"):format(types.name(e.type)))
  end
  return e
end

local function load_from(env, t, place)
  local space = env.space
  if t.kind == "pointer" then
    return function(f)
      local address, low, high = place(f)
      return space:load_pointer(address, low, high, f)
    end
  end
  local code, size = t.code, t.size
  return function(f)
    local address, low, high = place(f)
    return space:load(address, code, size, low, high, f)
  end
end

local function lvalue(env, t, place)
  local e = { type = t, place = place }
  if t.kind == "scalar" or t.kind == "pointer" then e.value = load_from(env, t, place) end
  return e
end

-- For an lvalue that is read and then written: its value, and the place that was found with it, which is computed once.
local function once(env, e)
  local find, address, low, high, pos = e.place, nil, nil, nil, nil
  local value = load_from(env, e.type, function(f)
    address, low, high = find(f)
    pos = f.pos
    return address, low, high
  end)
  return value, function(f)
    f.pos = pos
    return address, low, high
  end
end

-- What goes wrong in an access is at its own operator, not at the last operand.
local function at(node, fn)
  local pos = node.pos
  return function(f)
    f.pos = pos
    local value, low, high = fn(f)
    f.pos = pos
    return value, low, high
  end
end

-- Stores the value of e, of any type that converts, into an lvalue. Returns a function.
local function assignment(env, node, t, place, e)
  local space = env.space
  if t.kind == "record" then
    if not types.same(t, e.type) or not e.place then
      raise("type-mismatch", node.pos, ("%s cannot be assigned to %s"):format(types.name(e.type),
        types.name(t)))
    end
    local from, size = e.place, t.size
    return function(f)
      local source, slow, shigh = from(f)
      local target, low, high = place(f)
      space:copy(target, source, size, low, high, slow, shigh, f)
    end
  end
  local code, size, value = t.code, t.size, e.value
  if t.kind == "pointer" then
    if e.type.kind == "scalar" and e.const ~= 0 and e.type.float then
      raise("type-mismatch", node.pos, "a number cannot be assigned to a pointer")
    end
    if e.type.kind == "pointer" and e.type.to.kind ~= "void" and t.to.kind ~= "void"
      and not types.same(e.type.to, t.to) and not env.lenient then
      raise("type-mismatch", node.pos, ("%s cannot be assigned to %s"):format(types.name(e.type),
        types.name(t)), { help = "use a cast" })
    end
    return function(f)
      local v, l, h = value(f)
      local address, low, high = place(f)
      space:store(address, code, size, space:settled(v, l), low, high, f)
      return v, l, h
    end
  end
  if t.kind ~= "scalar" or e.type.kind ~= "scalar" then
    raise("type-mismatch", node.pos, ("%s cannot be assigned to %s"):format(types.name(e.type),
      types.name(t)))
  end
  local convert = converter(e.type, t)
  return function(f)
    local v = convert(value(f))
    local address, low, high = place(f)
    space:store(address, code, size, v, low, high, f)
    return v
  end
end

local function truth(e, node)
  local value = e.value
  if not value then
    raise("type-mismatch", node and node.pos, ("a condition is a number or a pointer, not %s"):format(
      types.name(e.type)))
  end
  return function(f) return value(f) ~= 0 end
end

-- Arithmetic of two values already of the common type.
local function operation(node, op, t)
  if (t.auto and not (op == "<<" or op == ">>")) or t.float then
    local round = t.code == F32 and function(v) return convert_scalar(F32, v) end or identity
    if op == "+" then return function(a, b) return round(a + b) end
    elseif op == "-" then return function(a, b) return round(a - b) end
    elseif op == "*" then return function(a, b) return round(a * b) end
    elseif op == "/" then
      if t.auto then
        return function(a, b)
          if math.type(a) == "integer" and math.type(b) == "integer" then
            if b == 0 then raise("scenario-error", node.pos, "division by zero") end
            return arithmetic.quotient(a, b)
          end
          return a / b
        end
      end
      return function(a, b) return round(a / b) end
    elseif t.auto and op == "%" then
      return function(a, b)
        if b == 0 then raise("scenario-error", node.pos, "division by zero") end
        return math.fmod(a, b)
      end
    end
    raise("type-mismatch", node.pos, ("'%s' needs integers"):format(op))
  end
  return arithmetic.operation(op, t, function() raise("scenario-error", node.pos, "division by zero") end)
end

local function step_of(node, pointer)
  local to = pointer.to
  if to.kind == "void" or to.kind == "function" or (to.kind == "record" and not to.complete)
    or to.size == 0 then
    names.no_size(to, node.pos)
  end
  return to.size
end

-- Pointer plus or minus a number.
local function displaced(node, p, i, sign)
  local step = step_of(node, p.type) * sign
  local base, index, convert = p.value, i.value, converter(i.type, LONG)
  return { type = p.type, value = function(f)
    local v, low, high = base(f)
    return v + convert(index(f)) * step, low, high
  end }
end

local function binary_numbers(node, op, a, b)
  local x, y = a.value, b.value
  local left, right, t = arithmetic.binary(op, a.type, b.type)
  local cx, cy = converter(a.type, left), converter(b.type, right)
  local compare = arithmetic.comparison(op, left)
  if compare then return { type = t, value = function(f) return compare(cx(x(f)), cy(y(f))) and 1 or 0 end } end
  if (op == "<<" or op == ">>") and (left.float or right.float) then
    raise("type-mismatch", node.pos, ("'%s' needs integers"):format(op))
  end
  local apply = operation(node, op, t)
  return { type = t, value = function(f) return apply(cx(x(f)), cy(y(f))) end }
end

local function binary(node, op, a, b)
  if op == "&&" or op == "||" then
    local x, y = truth(a, node), truth(b, node)
    if op == "&&" then
      return { type = INT, value = function(f) return x(f) and y(f) and 1 or 0 end }
    end
    return { type = INT, value = function(f) return (x(f) or y(f)) and 1 or 0 end }
  end
  local pa, pb = a.type.kind == "pointer", b.type.kind == "pointer"
  if not pa and not pb then
    if a.type.kind ~= "scalar" or b.type.kind ~= "scalar" then
      raise("type-mismatch", node.pos, ("'%s' needs numbers or pointers"):format(op))
    end
    return binary_numbers(node, op, a, b)
  end
  for _, e in ipairs { a, b } do
    if e.type.kind ~= "pointer" and (e.type.kind ~= "scalar" or e.type.float) then
      raise("type-mismatch", node.pos, ("'%s' needs pointers and integers"):format(op))
    end
  end
  if op == "+" and pa and not pb then return displaced(node, a, b, 1) end
  if op == "+" and pb and not pa then return displaced(node, b, a, 1) end
  if op == "-" and pa and not pb then return displaced(node, a, b, -1) end
  local x, y = a.value, b.value
  if op == "-" and pa and pb then
    local size = step_of(node, a.type)
    return { type = LONG, value = function(f) return ((x(f)) - (y(f))) // size end }
  end
  local compare = arithmetic.comparison(op, pa and a.type or b.type)
  if not compare then raise("type-mismatch", node.pos, ("'%s' cannot be applied to pointers"):format(op)) end
  return { type = INT, value = function(f) return compare((x(f)), (y(f))) and 1 or 0 end }
end

local compilers = {}

function compilers.num(_, node)
  local value = node.value
  return { type = scalars[node.type], const = value, value = function() return value end }
end

-- A string literal lies in host memory of its own.
function compilers.str(env, node)
  if env.space.on_device then
    raise("unsupported", node.pos, "a string has no place in a kernel", { rule = "HOUSE-version" })
  end
  local address, finish
  return { type = types.pointer(scalars.char), value = function()
    if not address then
      address = env.session:new_block(#node.value + 1, "a string")
      finish = address + #node.value + 1
      core.put(address, node.value .. "\0")
    end
    return address, address, finish
  end }
end

function compilers.id(env, node)
  local binding = env.lookup(node.name, node.pos)
  if not binding then
    local near = diagnostic.closest(node.name, env.session.scope:names())
    raise("unknown-name", node.pos, ("there is no variable '%s'"):format(node.name),
      { length = #node.name, help = near and ("did you mean '%s'?"):format(near) })
  end
  if binding.fn then
    raise("type-mismatch", node.pos, ("'%s' is a function: call it"):format(node.name),
      { length = #node.name })
  end
  if binding.const then
    local value = binding.const
    return { type = binding.type, const = value, value = function() return value end }
  end
  local is_const = binding.is_const
  if binding.slot then -- a local variable kept in the frame
    local slot = binding.slot
    local e = { type = binding.type, slot = slot, const_name = is_const and node.name or nil }
    if binding.value then
      e.value = at(node, binding.value)
    elseif binding.type.kind == "pointer" then
      e.value = function(f) return f[slot], f[slot + 1], f[slot + 2] end
    else
      e.value = function(f) return f[slot] end
    end
    return e
  end
  if binding.place then
    local variable = not binding.level and env.session.scope.variables[node.name] -- else it is a local one
    local e = lvalue(env, binding.type, at(node, binding.place))
    e.const_name = (is_const or variable and variable.is_const) and node.name or nil
    return e
  end
  return { type = binding.type, value = at(node, binding.value), readonly = true }
end

function compilers.member(env, node)
  local base
  if node.arrow then
    base = rvalue(env, node.base)
    if base.type.kind ~= "pointer" then
      raise("not-a-pointer", node.pos, ("'->' needs a pointer, this is %s"):format(types.name(base.type)),
        { length = 2 })
    end
    local value = base.value
    base = { type = base.type.to, place = function(f) return value(f) end }
  else
    base = compile(env, node.base)
  end
  if base.type.kind ~= "record" then
    local help = base.type.kind == "pointer" and "use '->'" or nil
    raise("not-a-struct", node.pos, ("%s has no members"):format(types.name(base.type)), { help = help })
  end
  local member = types.member(base.type, node.name)
  if not member then
    local near = diagnostic.closest(node.name, base.type.by_name or {})
    raise("unknown-member", node.name_pos,
      ("%s has no member '%s'"):format(types.name(base.type), node.name),
      { length = #node.name, help = near and ("did you mean '%s'?"):format(near) })
  end
  local place, offset = base.place, member.offset
  local e = lvalue(env, member.type, at(node, function(f)
    local address, low, high = place(f)
    return address + offset, low, high
  end))
  e.const_name = member.is_const and node.name or base.const_name
  return e
end

function compilers.index(env, node)
  local base = compile(env, node.base)
  local index = arithmetic_value(env, node.index)
  if index.type.float then raise("type-mismatch", node.index.pos, "an index is an integer") end
  local convert, number = converter(index.type, LONG), index.value
  if base.type.kind == "array" then
    local of, n, place = base.type.of, base.type.n, base.place
    local size, space = of.size, env.space
    local e = lvalue(env, of, at(node, function(f)
      local address, low, high = place(f)
      local i = convert(number(f))
      if n and (i < 0 or i >= n) then
        f.pos = node.pos
        space:out_of_bounds(address, ("index %d is outside the array of %d elements"):format(i, n), f)
      end
      return address + i * size, low, high
    end))
    e.const_name = base.const_name
    return e
  end
  if base.type.kind ~= "pointer" then
    raise("not-a-pointer", node.pos, ("%s cannot be indexed"):format(types.name(base.type)))
  end
  local size, value = step_of(node, base.type), base.value
  return lvalue(env, base.type.to, at(node, function(f)
    local address, low, high = value(f)
    return address + convert(number(f)) * size, low, high
  end))
end

function compilers.section(_, node)
  raise("invalid-section", node.pos, "a section has no value here",
    { help = "sections stand in clauses, host, d and expect" })
end
compilers.alias = compilers.section
function compilers.row(_, node) raise("syntax", node.pos, "'#' stands in bounds of sections", { length = 1 }) end

-- Values for a function of the scenario: numbers, and pointers as it knows them.
local function arguments(env, node)
  local list = {}
  for i, arg in ipairs(node.args) do list[i] = rvalue(env, arg) end
  local n, space = #list, env.space
  return function(f)
    local values = {}
    for i = 1, n do
      local e = list[i]
      if e.type.kind == "record" then
        local address, low, high = e.place(f)
        values[i] = space:view(e.type, address, low, high)
      elseif e.type.kind == "pointer" then
        local v, low, high = e.value(f)
        values[i] = space:pointer(e.type, v, low, high)
      else
        values[i] = e.value(f)
      end
    end
    return values, n
  end
end

-- What a Lua function returned, as a value of C.
local function number_of(name, pos, result)
  if result == nil then return 0 end
  if type(result) == "boolean" then return result and 1 or 0 end
  if type(result) ~= "number" then
    raise("type-mismatch", pos, ("%s returned a %s"):format(name, type(result)))
  end
  return result
end

local function unary_math(fn) return { fn = fn, arity = 1 } end
local library = {
  sqrt = unary_math(math.sqrt), fabs = unary_math(math.abs), exp = unary_math(math.exp),
  log = unary_math(math.log), sin = unary_math(math.sin), cos = unary_math(math.cos),
  tan = unary_math(math.tan), atan = unary_math(math.atan), floor = unary_math(function(x)
    return math.floor(x) + 0.0 end), ceil = unary_math(function(x) return math.ceil(x) + 0.0 end),
  pow = { fn = function(x, y) return x ^ y end, arity = 2 },
  fmax = { fn = math.max, arity = 2 }, fmin = { fn = math.min, arity = 2 },
  fmod = { fn = math.fmod, arity = 2 }, abs = { fn = math.abs, arity = 1, type = INT },
}

-- A member function of an object.
local function call_method(env, node)
  local base, session = node.base, env.session
  local object = compile(env, base.base)
  local t = object.type
  if base.arrow and t.kind == "pointer" then
    local value = rvalue(env, base.base).value
    t, object = t.to, { type = t.to, place = function(f) return value(f) end }
  end
  if t.kind ~= "record" then raise("not-a-struct", base.pos, "only objects have member functions") end
  local made = member_functions.of(session, t, base.name)
  if not made then member_functions.unknown(session, t, node) end
  if not made.fn then
    local inlined, depth = member_functions.inlined(session, made, base.base, base.arrow, node)
    return member_functions.inside(session, depth, compile, env, inlined)
  end
  local args, pos, place, space = arguments(env, node), node.pos, object.place, env.space
  local fn = space.on_device and made.fn or member_functions.with_this(session, made)
  return { type = types.auto, value = function(f)
    local values, n = args(f)
    f.pos = pos
    return number_of(base.name, pos, fn(space:view(t, place(f)), table.unpack(values, 1, n)))
  end }
end

function compilers.call(env, node)
  local whole = member_functions.of_this(env.session, node)
  if whole or node.base.tag == "member" then return call_method(env, whole or node) end
  local name = node.base.tag == "id" and node.base.name
  if not name then raise("type-mismatch", node.pos, "only functions can be called") end
  local binding = env.lookup(name, node.base.pos)
  local known = not binding and (library[name] or library[name:match "^(.*)f$" or ""])
  if known then
    if #node.args ~= known.arity then
      raise("type-mismatch", node.pos, ("%s takes %d arguments"):format(name, known.arity))
    end
    local t = known.type or (library[name] and DOUBLE or scalars.float)
    local args, convert = {}, converter(DOUBLE, t)
    for i, arg in ipairs(node.args) do
      local e = arithmetic_value(env, arg)
      local value, c = e.value, converter(e.type, t)
      args[i] = function(f) return c(value(f)) end
    end
    local fn, a, b = known.fn, args[1], args[2]
    return { type = t, value = function(f) return convert(b and fn(a(f), b(f)) or fn(a(f))) end }
  end
  if not binding or not binding.fn then
    local near = diagnostic.closest(name, env.session.scope:names())
    raise("unknown-name", node.base.pos, ("there is no function '%s'"):format(name),
      { length = #name, help = near and ("did you mean '%s'?"):format(near)
        or ("register it: func(%q, function(...) ... end)"):format(name) })
  end
  local fn, args, pos = binding.fn, arguments(env, node), node.pos
  return { type = types.auto, value = function(f)
    local values, n = args(f)
    f.pos = pos
    return number_of(name, pos, fn(table.unpack(values, 1, n)))
  end }
end

-- Raises if a name is that of a const variable, which keeps the value of its declaration.
function eval.check_const(session, name, pos)
  local variable = session.scope.variables[name]
  if not variable or not variable.is_const then return end
  raise("type-mismatch", pos, ("'%s' is const: it cannot be assigned to"):format(name), { length = #name,
    rule = "HOUSE-language" })
end

-- The same for what is assigned to: a const variable, a part of one, a const member, an object with one.
local function check_const(node, e)
  local inner = types.const_member(e.type)
  if not e.const_name and not inner then return end
  local pos = node.tag == "member" and node.name_pos or node.pos
  raise("type-mismatch", pos, e.const_name and ("'%s' is const: it cannot be assigned to"):format(e.const_name)
    or ("%s has the const member '%s': it cannot be assigned to"):format(types.name(e.type), inner),
    { length = e.const_name and node.name == e.const_name and #node.name or nil, rule = "HOUSE-language" })
end

local function incremented(env, node, op, after)
  local e = compile(env, node.e or node.base)
  check_const(node.e or node.base, e)
  if (e.type.kind ~= "scalar" and e.type.kind ~= "pointer") or (not e.place and not e.slot) then
    raise("type-mismatch", node.pos, ("'%s' needs a variable"):format(op))
  end
  local step = e.type.kind == "pointer" and step_of(node, e.type) or 1
  if op == "--" then step = -step end
  local wrap = e.type.kind == "scalar" and converter(e.type.float and DOUBLE or LONG, e.type) or identity
  if e.slot then
    local slot, current = e.slot, e.value
    return { type = e.type, value = function(f)
      local old = current(f)
      f[slot] = wrap(old + step)
      return after and old or f[slot], f[slot + 1], f[slot + 2]
    end }
  end
  local value, place = once(env, e)
  local space, code, size = env.space, e.type.code, e.type.size
  return { type = e.type, value = function(f)
    local old, l, h = value(f)
    local address, low, high = place(f)
    local new = wrap(old + step)
    space:store(address, code, size, new, low, high, f)
    return after and old or new, l, h
  end }
end

function compilers.postfix(env, node) return incremented(env, node, node.op, true) end

function compilers.unary(env, node)
  local op = node.op
  if op == "++" or op == "--" then return incremented(env, node, op, false) end
  if op == "&" then
    local e = compile(env, node.e)
    if not e.place then raise("type-mismatch", node.pos, "'&' needs a variable") end
    local place, size = e.place, e.type.size
    return { type = types.pointer(e.type), value = function(f)
      local address, low, high = place(f)
      return address, low or address, high or address + size
    end }
  elseif op == "*" then
    local e = rvalue(env, node.e)
    if e.type.kind ~= "pointer" then
      raise("not-a-pointer", node.pos, ("'*' needs a pointer, this is %s"):format(types.name(e.type)))
    end
    step_of(node, e.type)
    return lvalue(env, e.type.to, at(node, e.value))
  elseif op == "!" then
    local e = rvalue(env, node.e)
    local is = truth(e, node)
    return { type = INT, value = function(f) return is(f) and 0 or 1 end }
  end
  local e = arithmetic_value(env, node.e)
  local t = promoted(e.type)
  local value, convert = e.value, converter(e.type, t)
  if op == "~" then
    if t.float then raise("type-mismatch", node.pos, "'~' needs an integer") end
    local wrap = wrapper(t)
    return { type = t, value = function(f) return wrap(~convert(value(f))) end }
  elseif op == "-" then
    local wrap = (t.float or t.auto) and identity or wrapper(t)
    return { type = t, const = e.const and wrap(-e.const), value = function(f)
      return wrap(-convert(value(f)))
    end }
  end
  return { type = t, value = function(f) return convert(value(f)) end }
end

function compilers.binary(env, node)
  return binary(node, node.op, rvalue(env, node.a), rvalue(env, node.b))
end

function compilers.cond(env, node)
  local c, a, b = truth(rvalue(env, node.c), node.c), rvalue(env, node.a), rvalue(env, node.b)
  if a.type.kind == "scalar" and b.type.kind == "scalar" then
    local t = common(a.type, b.type)
    local x, y, cx, cy = a.value, b.value, converter(a.type, t), converter(b.type, t)
    return { type = t, value = function(f)
      if c(f) then return cx(x(f)) end
      return cy(y(f))
    end }
  end
  local t = a.type.kind == "pointer" and a.type or b.type
  if t.kind ~= "pointer" then raise("type-mismatch", node.pos, "the two values are of different kinds") end
  local x, y = a.value, b.value
  return { type = t, value = function(f)
    if c(f) then return x(f) end
    return y(f)
  end }
end

function compilers.cast(env, node)
  local t = env.session:type_of(node.type)
  local e = rvalue(env, node.e)
  if t.kind == "void" then return { type = t, value = e.value } end
  if t.kind == "pointer" then return { type = t, value = e.value, const = e.const } end
  if t.kind ~= "scalar" or e.type.kind == "record" then
    raise("type-mismatch", node.pos, ("a cast to %s"):format(types.name(t)))
  end
  local convert, value = converter(e.type.kind == "pointer" and ULONG or e.type, t), e.value
  return { type = t, value = function(f) return convert((value(f))) end }
end

function compilers.sizeof(env, node)
  local t = node.type and env.session:type_of(node.type) or compile(env, node.e).type
  if t.kind == "record" and not t.complete then
    names.no_size(t, node.pos)
  end
  local size = t.size
  return { type = ULONG, const = size, value = function() return size end }
end

function compilers.assign(env, node)
  local to = compile(env, node.to)
  if not to.place and not to.slot then
    raise("type-mismatch", node.pos, "only variables can be assigned to")
  end
  check_const(node.to, to)
  local e = rvalue(env, node.e)
  local op = node.op:sub(1, -2)
  local place = to.place
  if op ~= "" then
    local current = { type = to.type, value = to.value }
    if place and current.value then current.value, place = once(env, to) end
    e = binary(node, op, current, e)
  end
  if to.slot then
    local slot, value = to.slot, e.value
    if to.type.kind == "pointer" then
      return { type = to.type, value = function(f)
        f[slot], f[slot + 1], f[slot + 2] = value(f)
        return f[slot], f[slot + 1], f[slot + 2]
      end }
    end
    if e.type.kind ~= "scalar" then raise("type-mismatch", node.pos, "a number is needed") end
    local convert = converter(e.type, to.type)
    return { type = to.type, value = function(f)
      local v = convert(value(f))
      f[slot] = v
      return v
    end }
  end
  return { type = to.type, value = assignment(env, node, to.type, place, e) }
end

function compilers.compiled(_, node) return node.e end -- a tree that is an expression already

function compilers.comma(env, node)
  local last
  local before = {}
  for i, item in ipairs(node.list) do
    last = rvalue(env, item)
    if i < #node.list then before[i] = last.value end
  end
  local value = last.value
  return { type = last.type, value = function(f)
    for i = 1, #before do before[i](f) end
    return value(f)
  end }
end

function compile(env, node)
  return compilers[node.tag](env, node)
end

eval.compile, eval.rvalue, eval.truth = compile, rvalue, truth
eval.assignment, eval.at = assignment, at

-- The value of a constant integer expression: array sizes, enumerators, designators.
function eval.constant(session, node)
  local env = { session = session, space = {}, lookup = function(name, pos)
    local value, t = session.scope:constant_named(name)
    local variable = not value and session.scope.variables[name]
    if variable and variable.constant then value, t = variable.constant, variable.type end
    if variable and not value then
      raise("type-mismatch", pos, ("'%s' is a variable, a constant is needed"):format(name),
        { length = #name })
    end
    return value and { type = t, const = value } or nil
  end }
  local e = arithmetic_value(env, node)
  if e.type.float then raise("type-mismatch", node.pos, "an integer is needed") end
  return e.value({})
end

-- Evaluates an initialiser in the host program and stores it at an address.
function eval.store_into(session, t, address, node)
  local env = session:host_env()
  local e = rvalue(env, node)
  local function place() return address, address, address + t.size end
  env.lenient = e.const == 0
  assignment(env, node, t, place, e)({})
end

return eval
