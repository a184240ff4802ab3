-- expression.lua - C expressions as text for the GPU: what closures.lua makes functions of, as statements.
--
-- An expression becomes {type, value = function() -> operand} and, if it is an lvalue, place = function() ->
-- operand. Calling one of them writes the statements that compute it, each into a name of its own, in the order in
-- which closures.lua computes. The body has been through closures.lua before: it is known to be right, and what is told
-- apart here is only what a GPU cannot do alike (writer:give_up).

local arithmetic = require "accdeep.types.arithmetic"
local core = require "accdeep.core"
local member_functions = require "accdeep.code.member_functions"
local types = require "accdeep.types"

local scalar, scalars = core.scalar, types.scalars
local INT, LONG, DOUBLE, ULONG = scalars.int, scalars.long, scalars.double, scalars["unsigned long"]

local expression = {}

-- --------------------------------------------------------------------------------- the writer --

local Writer = {}
Writer.__index = Writer

function expression.writer(session)
  return setmetatable({ session = session, lines = {}, names = 0, variables = {}, known = {}, writes = false }, Writer)
end

-- What the interpreter has to do; reason: a clause that says why.
function Writer.give_up(_, reason) error({ interpreted = reason }, 0) end

function Writer:line(format, ...) self.lines[#self.lines + 1] = format:format(...) end

function Writer:name()
  self.names = self.names + 1
  return "t" .. self.names
end

-- A name for what a piece of text computes.
function Writer:keep(ctype, text)
  local name = self:name()
  self:line("const %s %s = %s;", ctype, name, text)
  return name
end

-- The kernel's name for the place or value that a variable of the host program has on the device.
function Writer:variable(name, binding)
  local number = self.known[name]
  if not number then
    self.variables[#self.variables + 1] = binding
    number = #self.variables - 1
    self.known[name] = number
  end
  return "p" .. number
end

-- The type of C that holds values of a type.
local function holder(t)
  return t.kind == "pointer" and "accd_pointer" or t.float and "double" or "i64"
end
expression.holder, expression.long = holder, LONG

-- A type whose values are the same on every device.
local function checked(w, t)
  if t.auto then w:give_up "a function of the scenario is called" end
  if t.code == scalar.f80 then w:give_up "no GPU has long double" end
  return t
end

-- -------------------------------------------------------------------------------- conversions --

local wraps = {
  [scalar.i8] = "(i64)(signed char)(%s)", [scalar.u8] = "(i64)(unsigned char)(%s)",
  [scalar.i16] = "(i64)(short)(%s)", [scalar.u16] = "(i64)(unsigned short)(%s)",
  [scalar.i32] = "(i64)(int)(%s)", [scalar.u32] = "(i64)(u32)(%s)",
  [scalar.bool] = "(i64)((%s) != 0)",
}

local function wrapped(t, text)
  local wrap = wraps[t.code]
  return wrap and wrap:format(text) or text
end

local function rounded(t, text) return t.code == scalar.f32 and ("(double)(float)(%s)"):format(text) or text end

-- Text of one type as text of another: closures.lua's converter.
local function converted(w, from, to, text)
  checked(w, from)
  checked(w, to)
  if to.float then
    if not from.float then
      text = (from.code == ULONG.code and "accd_from_unsigned(%s)" or "(double)(%s)"):format(text)
    end
    return rounded(to, text)
  end
  if to.code == scalar.bool then return wrapped(to, text) end
  if from.float then return wrapped(to, ("accd_integer(%s)"):format(text)) end
  return from.code == to.code and text or wrapped(to, text)
end
expression.converted = converted

-- ----------------------------------------------------------------------------------- accesses --

local function loaded(w, t, place, site)
  if t.kind == "pointer" then return w:keep("accd_pointer", ("accd_get_pointer(t, %s, %d)"):format(place, site)) end
  checked(w, t)
  local bits = ("accd_get(t, %s, %d, %d)"):format(place, t.size, site)
  if t.code == scalar.f32 then return w:keep("double", ("accd_as_f32(%s)"):format(bits)) end
  if t.float then return w:keep("double", ("accd_as_f64(%s)"):format(bits)) end
  return w:keep("i64", wrapped(t, "(i64)" .. bits))
end

local function stored(w, t, place, value, site)
  w.writes = true
  if t.kind == "pointer" then return w:line("accd_put_pointer(t, %s, %s, %d);", place, value, site) end
  checked(w, t)
  local bits = t.float and ("accd_%s_bits(t, %s, %d)"):format(t.code == scalar.f32 and "f32" or "f64", value, site)
    or ("(u64)(%s)"):format(value)
  w:line("accd_put(t, %s, %d, %s, %d);", place, t.size, bits, site)
end

local function lvalue(w, t, place, site)
  local e = { type = t, place = place, site = site }
  if t.kind == "scalar" or t.kind == "pointer" then
    e.value = function() return loaded(w, t, place(), site) end
  end
  return e
end

-- As closures.lua's: the value of an lvalue, and the place that was found with it.
local function once(w, e)
  local found
  local function value()
    found = e.place()
    return loaded(w, e.type, found, e.site)
  end
  return value, function() return found end
end

-- ------------------------------------------------------------------------------- compilation --

local compile -- forward

local function decayed(w, e)
  if e.type.kind ~= "array" then return e end
  return { type = types.pointer(e.type.of), value = function()
    return w:keep("accd_pointer", ("accd_decayed(%s, %d)"):format(e.place(), e.type.size))
  end }
end

local function rvalue(w, node) return decayed(w, compile(w, node)) end

-- An operand for a value that is used as a pointer.
local function pointer_of(e)
  local value = e.value()
  return e.type.kind == "pointer" and value or ("accd_unknown((u64)(%s))"):format(value)
end

-- The value of e as a variable of a type holds it.
local function held(w, t, e)
  return t.kind == "pointer" and pointer_of(e) or converted(w, e.type, t, e.value())
end

-- Text of a number or an address.
local function number_of(e, operand) return e.type.kind == "pointer" and ("(i64)%s.at"):format(operand) or operand end

local function truth(e)
  local operand = e.value()
  return ("%s != 0"):format(e.type.kind == "pointer" and operand .. ".at" or operand)
end

-- Stores e into an lvalue; the value is computed first, as in closures.lua.
local function assignment(w, node, t, place, e)
  if t.kind == "record" then
    return function()
      w.writes = true
      local from = e.place()
      local to = place()
      w:line("accd_copy(t, %s, %s, %d, %d);", to, from, t.size, node.pos)
    end
  end
  return function()
    local value = w:keep(holder(t), held(w, t, e))
    stored(w, t, place(), value, node.pos)
    return value
  end
end

local wrapping = { ["+"] = true, ["-"] = true, ["*"] = true, ["&"] = true, ["|"] = true, ["^"] = true }

-- Arithmetic of two operands of the common type.
local function operation(node, op, t, a, b)
  if t.float then return rounded(t, ("%s %s %s"):format(a, op, b)) end
  if wrapping[op] then return wrapped(t, ("(i64)((u64)(%s) %s (u64)(%s))"):format(a, op, b)) end
  local is_unsigned = not t.signed and t.size == 8
  return wrapped(t, ("accd_divided(t, %s, %s, %s, %s, %d)"):format(a, b, is_unsigned, op == "%", node.pos))
end

local comparing = { ["<"] = true, [">"] = true, ["<="] = true, [">="] = true, ["=="] = true, ["!="] = true }

local function displaced(w, p, i, sign)
  local step = p.type.to.size * sign
  return { type = p.type, value = function()
    local base = p.value()
    local index = converted(w, i.type, LONG, i.value())
    return w:keep("accd_pointer", ("accd_moved(%s, (i64)((u64)(%s) * (u64)(%dll)))"):format(base, index, step))
  end }
end

local function shift(w, op, a, b)
  local t = arithmetic.promoted(a.type)
  return { type = t, value = function()
    local x, y = a.value(), b.value()
    x = converted(w, a.type, t, x)
    local n = ("((%s) & %d)"):format(y, t.size * 8 - 1)
    if op == "<<" then return w:keep("i64", wrapped(t, ("(i64)((u64)(%s) << %s)"):format(x, n))) end
    return w:keep("i64", ("accd_shifted_right(%s, %s, %s)"):format(x, n, t.signed))
  end }
end

local function numbers(w, node, op, a, b)
  if op == "<<" or op == ">>" then return shift(w, op, a, b) end
  local t = checked(w, arithmetic.common(a.type, b.type))
  local function operands()
    local x, y = a.value(), b.value()
    return converted(w, a.type, t, x), converted(w, b.type, t, y)
  end
  if comparing[op] then
    local cast = not t.signed and t.size == 8 and not t.float and "(u64)" or ""
    return { type = INT, value = function()
      local x, y = operands()
      return w:keep("i64", ("%s(%s) %s %s(%s)"):format(cast, x, op, cast, y))
    end }
  end
  return { type = t, value = function()
    local x, y = operands()
    return w:keep(holder(t), operation(node, op, t, x, y))
  end }
end

-- && and ||: the second operand is computed if the first one does not decide.
local function logical(w, op, a, b)
  return { type = INT, value = function()
    local result = w:name()
    w:line("i64 %s = %s;", result, truth(a))
    w:line("if (%s%s) {", op == "||" and "!" or "", result)
    w:line("%s = %s;", result, truth(b))
    w:line("}")
    return result
  end }
end

local function binary(w, node, op, a, b)
  if op == "&&" or op == "||" then return logical(w, op, a, b) end
  local pa, pb = a.type.kind == "pointer", b.type.kind == "pointer"
  if not pa and not pb then return numbers(w, node, op, a, b) end
  if op == "+" and not pb then return displaced(w, a, b, 1) end
  if op == "+" then return displaced(w, b, a, 1) end
  if op == "-" and not pb then return displaced(w, a, b, -1) end
  if op == "-" then
    return { type = LONG, value = function()
      local x, y = a.value(), b.value()
      return w:keep("i64", ("accd_distance(%s.at, %s.at, %d)"):format(x, y, a.type.to.size))
    end }
  end
  return { type = INT, value = function()
    local x, y = a.value(), b.value()
    return w:keep("i64", ("(u64)(%s) %s (u64)(%s)"):format(number_of(a, x), op, number_of(b, y)))
  end }
end

local compilers = {}

local function literal(value)
  if math.type(value) == "integer" then
    return value == math.mininteger and "(-9223372036854775807ll - 1)" or ("%dll"):format(value)
  elseif value ~= value or value == math.huge or value == -math.huge then
    return ("accd_as_f64(0x%xull)"):format((string.unpack("<i8", string.pack("<d", value))))
  end
  local text = ("%.17g"):format(value)
  return text:find "[.e]" and text or text .. ".0"
end

local function constant(t, value) return { type = t, value = function() return literal(value) end } end

function compilers.num(_, node) return constant(scalars[node.type], node.value) end

function compilers.id(w, node)
  local binding = w.env.lookup(node.name, node.pos)
  if binding.const then return constant(binding.type, binding.const) end
  if binding.slot then -- read now: what follows may change it
    local name, written = "v" .. binding.slot, binding.written
    return { type = binding.type, slot = name, written = written, value = function()
      if written then w:line("if (!%s) accd_stop(t, ACCD_UNWRITTEN, %d);", written, node.pos) end
      return w:keep(holder(binding.type), name)
    end }
  end
  local name = binding.operand or w:variable(node.name, binding)
  local function operand() return name end
  if binding.place or binding.operand then return lvalue(w, binding.type, operand, node.pos) end
  return { type = binding.type, value = operand }
end

function compilers.member(w, node)
  local base
  if node.arrow then
    local pointer = rvalue(w, node.base)
    base = { type = pointer.type.to, place = pointer.value }
  else
    base = compile(w, node.base)
  end
  local member = types.member(base.type, node.name)
  return lvalue(w, member.type, function()
    return w:keep("accd_pointer", ("accd_moved(%s, %d)"):format(base.place(), member.offset))
  end, node.pos)
end

function compilers.index(w, node)
  local base, index = compile(w, node.base), rvalue(w, node.index)
  local of = types.element(base.type)
  local n = base.type.kind == "array" and base.type.n
  return lvalue(w, of, function()
    local start = base.type.kind == "array" and base.place() or base.value()
    local i = w:keep("i64", converted(w, index.type, LONG, index.value()))
    if n then w:line("if (%s < 0 || %s >= %d) accd_stop(t, ACCD_BOUNDS, %d);", i, i, n, node.pos) end
    return w:keep("accd_pointer", ("accd_moved(%s, (i64)((u64)%s * %d))"):format(start, i, of.size))
  end, node.pos)
end

-- ------------------------------------------------------------------------------------- calls --

-- What is computed to the last bit alike everywhere.
local library = {
  sqrt = "sqrt(%s)", fabs = "fabs(%s)", floor = "floor(%s) + 0.0", ceil = "ceil(%s) + 0.0", fmod = "fmod(%s, %s)",
  fmax = "%1$s < %2$s ? %2$s : %1$s", fmin = "%2$s < %1$s ? %2$s : %1$s",
}

local function call_library(w, node, name)
  local plain = name:match "^(.*)f$"
  if name == "abs" then
    local e = rvalue(w, node.args[1])
    return { type = INT, value = function()
      local v = w:keep("i64", converted(w, e.type, INT, e.value()))
      return w:keep("i64", wrapped(INT, ("%s < 0 ? -%s : %s"):format(v, v, v)))
    end }
  end
  local t = DOUBLE
  if not library[name] and plain and library[plain] then name, t = plain, scalars.float end
  local text = library[name]
  if not text then w:give_up(("%s is not computed alike on every device"):format(name)) end
  local args = {}
  for i, arg in ipairs(node.args) do args[i] = rvalue(w, arg) end
  return { type = t, value = function()
    local operands = {}
    for i, e in ipairs(args) do operands[i] = w:keep("double", converted(w, e.type, t, e.value())) end
    local n = 0
    local filled = text:gsub("%%(%d?)%$?s", function(at)
      n = n + 1
      return operands[tonumber(at) or n]
    end)
    return w:keep("double", rounded(t, filled))
  end }
end

local function call_method(w, node)
  local base, session = node.base, w.session
  local t = compile(w, base.base).type
  if base.arrow and t.kind == "pointer" then t = t.to end
  local made = member_functions.of(session, t, base.name)
  if made.fn then w:give_up(("%s is a function of the scenario"):format(base.name)) end
  local inlined, depth = member_functions.inlined(session, made, base.base, base.arrow, node)
  return member_functions.inside(session, depth, compile, w, inlined)
end

function compilers.call(w, node)
  local whole = member_functions.of_this(w.session, node)
  if whole or node.base.tag == "member" then return call_method(w, whole or node) end
  local name = node.base.name
  if w.env.lookup(name, node.base.pos) then w:give_up(("%s is a function of the scenario"):format(name)) end
  return call_library(w, node, name)
end

-- --------------------------------------------------------------------------------- operators --

local function incremented(w, node, after)
  local e = compile(w, node.e or node.base)
  local t = e.type
  local step = (t.kind == "pointer" and t.to.size or 1) * (node.op == "--" and -1 or 1)
  local function next_of(old)
    if t.kind == "pointer" then return ("accd_moved(%s, %d)"):format(old, step) end
    checked(w, t)
    return t.float and rounded(t, ("%s + %d.0"):format(old, step))
      or wrapped(t, ("(i64)((u64)%s + (u64)%dll)"):format(old, step))
  end
  if e.slot then
    return { type = t, value = function()
      local old = e.value()
      w:line("%s = %s;", e.slot, next_of(old))
      return after and old or w:keep(holder(t), e.slot)
    end }
  end
  local value, place = once(w, e)
  return { type = t, value = function()
    local old = value()
    local new = w:keep(holder(t), next_of(old))
    stored(w, t, place(), new, node.pos)
    return after and old or new
  end }
end

function compilers.postfix(w, node) return incremented(w, node, true) end

function compilers.unary(w, node)
  local op = node.op
  if op == "++" or op == "--" then return incremented(w, node, false) end
  if op == "&" then
    local e = compile(w, node.e)
    return { type = types.pointer(e.type), value = function()
      return w:keep("accd_pointer", ("accd_address(%s, %d)"):format(e.place(), e.type.size))
    end }
  elseif op == "*" then
    local e = rvalue(w, node.e)
    return lvalue(w, e.type.to, e.value, node.pos)
  elseif op == "!" then
    local e = rvalue(w, node.e)
    return { type = INT, value = function() return w:keep("i64", ("!(%s)"):format(truth(e))) end }
  end
  local e = rvalue(w, node.e)
  local t = checked(w, arithmetic.promoted(e.type))
  return { type = t, value = function()
    local v = converted(w, e.type, t, e.value())
    if op == "~" then return w:keep("i64", wrapped(t, ("~(%s)"):format(v))) end
    if op == "-" and t.float then return w:keep("double", ("-(%s)"):format(v)) end
    if op == "-" then return w:keep("i64", wrapped(t, ("(i64)(0 - (u64)(%s))"):format(v))) end
    return w:keep(holder(t), v)
  end }
end

function compilers.binary(w, node) return binary(w, node, node.op, rvalue(w, node.a), rvalue(w, node.b)) end

function compilers.cond(w, node)
  local c, a, b = rvalue(w, node.c), rvalue(w, node.a), rvalue(w, node.b)
  local t = a.type.kind == "pointer" and a.type or b.type
  if a.type.kind == "scalar" and b.type.kind == "scalar" then t = checked(w, arithmetic.common(a.type, b.type)) end
  local function branch(result, e)
    w:line("%s = %s;", result, held(w, t, e))
  end
  return { type = t, value = function()
    local decides, result = truth(c), w:name()
    w:line("%s %s;", holder(t), result)
    w:line("if (%s) {", decides)
    branch(result, a)
    w:line("} else {")
    branch(result, b)
    w:line("}")
    return result
  end }
end

function compilers.cast(w, node)
  local t, e = w.session:type_of(node.type), rvalue(w, node.e)
  if t.kind == "void" then return { type = t, value = e.value } end
  if t.kind == "pointer" then
    return { type = t, value = function() return w:keep("accd_pointer", pointer_of(e)) end }
  end
  return { type = t, value = function()
    local from = e.type.kind == "pointer" and ULONG or e.type
    return w:keep(holder(t), converted(w, from, t, number_of(e, e.value())))
  end }
end

function compilers.sizeof(w, node)
  return constant(ULONG, (node.type and w.session:type_of(node.type) or compile(w, node.e).type).size)
end

function compilers.assign(w, node)
  local to, e = compile(w, node.to), rvalue(w, node.e)
  local op = node.op:sub(1, -2)
  local t, value, place = to.type, to.value, to.place
  if op ~= "" then
    if place then value, place = once(w, to) end
    e = binary(w, node, op, { type = t, value = value }, e)
  end
  if not to.slot then return { type = t, value = assignment(w, node, t, place, e) } end
  return { type = t, value = function()
    local new = w:keep(holder(t), held(w, t, e))
    w:line("%s = %s;", to.slot, new)
    if to.written then w:line("%s = true;", to.written) end
    return new
  end }
end

function compilers.compiled(_, node) return node.e end -- a tree that is an expression already

function compilers.comma(w, node)
  local list = {}
  for i, item in ipairs(node.list) do list[i] = rvalue(w, item) end
  local last = list[#list]
  return { type = last.type, value = function()
    for i = 1, #list - 1 do list[i].value() end
    return last.value()
  end }
end

function compile(w, node)
  return (compilers[node.tag] or w:give_up(("there is no text for '%s'"):format(node.tag)))(w, node)
end

expression.compile, expression.rvalue, expression.truth = compile, rvalue, truth
expression.held, expression.assignment = held, assignment

return expression
