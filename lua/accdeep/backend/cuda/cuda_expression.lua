-- cuda_expression.lua - code generator for GPUs: writes typed ASTs of C expressions (sema/c/typed_ast.lua) as CUDA
-- text.
--
-- Input: typed ASTs. Output: statements of the kernel, and operands.
--
-- A value or l-value becomes an operand: CUDA text for it. The writer appends the statements that compute the operand,
-- each into a new name, in the order in which closures.lua computes. If a GPU would not compute an expression
-- identically, the interpreter runs the body (Writer:give_up). Common arguments: `w` is the writer, `e` a typed node,
-- `t` a type, `at` an operand with an address, `site` the position for errors.

local c_sema = require "accdeep.sema.c.c_sema"
local core = require "accdeep.core"
local c_library = require "accdeep.sema.c.c_library"
local typed_ast = require "accdeep.sema.c.typed_ast"
local types = require "accdeep.types"

local scalar, scalars = core.scalar, types.scalars
local LONG, ULONG = scalars.long, scalars["unsigned long"]

local cuda_expression = {}

-- ------------------------------------------------------------------------------------- writer --

-- The text of one kernel, with these fields:
--   lines             the text so far; names: number of temporaries.
--   variables         bindings of the variables of the host program that are used.
--   variable_numbers  numbers of these variables from 0, by name.
--   writes            true if the kernel stores to memory.
local Writer = {}
Writer.__index = Writer

-- Returns a new writer without text.
function cuda_expression.writer(session)
  return setmetatable({ session = session, lines = {}, names = 0, variables = {},
    variable_numbers = {}, writes = false }, Writer)
end

-- Raises a table {interpreted = reason}, which ends the generation, so that the interpreter runs the body. reason: a
-- clause that explains why.
function Writer.give_up(_, reason) error({ interpreted = reason }, 0) end

-- Appends a line of text, formatted as by string.format.
function Writer:line(format, ...) self.lines[#self.lines + 1] = format:format(...) end

-- Returns a new name for a temporary.
function Writer:name()
  self.names = self.names + 1
  return "t" .. self.names
end

-- Appends a definition of a new name with the value of `text`; returns the name. ctype: CUDA type of the name.
function Writer:assign_temporary(ctype, text)
  local name = self:name()
  self:line("const %s %s = %s;", ctype, name, text)
  return name
end

-- Returns the name that the kernel's text uses for the device address or value of a variable of the host program.
-- binding: the variable's binding (symbols.lua). The first use of a variable appends it to w.variables.
function Writer:variable(name, binding)
  local number = self.variable_numbers[name]
  if not number then
    self.variables[#self.variables + 1] = binding
    number = #self.variables - 1
    self.variable_numbers[name] = number
  end
  return "p" .. number
end

-- Returns the CUDA type of a temporary or register for values of type t.
local function holder(t)
  return t.kind == "pointer" and "accd_pointer" or t.float and "double" or "i64"
end
cuda_expression.holder = holder

-- -------------------------------------------------------------------------------- conversions --

-- Texts that wrap the integer %s into the range of a type, by code of the type. Types of 64 bits need no wrapping.
local wraps = {
  [scalar.i8] = "(i64)(signed char)(%s)", [scalar.u8] = "(i64)(unsigned char)(%s)",
  [scalar.i16] = "(i64)(short)(%s)", [scalar.u16] = "(i64)(unsigned short)(%s)",
  [scalar.i32] = "(i64)(int)(%s)", [scalar.u32] = "(i64)(u32)(%s)",
  [scalar.bool] = "(i64)((%s) != 0)",
}

-- Returns text for the integer `text`, wrapped into the range of type t.
local function wrap_integer(t, text)
  local wrap = wraps[t.code]
  return wrap and wrap:format(text) or text
end

-- Returns text for the floating number `text`, rounded to the precision of type t.
local function round_float(t, text) return t.code == scalar.f32 and ("(double)(float)(%s)"):format(text) or text end

-- Returns `text`, a number of type `from`, converted to type `to` as types/arithmetic.lua converts.
local function convert(from, to, text)
  if to.float then
    if not from.float then text = (from.code == ULONG.code and "(u64)(%s)" or "(%s)"):format(text) end
    return to.code == scalar.f32 and round_float(to, text) or ("(double)%s"):format(text)
  end
  if to.code == scalar.bool then return wrap_integer(to, text) end
  if from.float then
    return wrap_integer(to, (to.size == 8 and not to.signed and "accd_unsigned(%s)" or "accd_integer(%s)"):format(text))
  end
  return from.code == to.code and text or wrap_integer(to, text)
end

-- Returns text for `text`, an integer of 64 bits, converted to type t.
function cuda_expression.wrap_integer(t, text) return convert(LONG, t, text) end

-- ----------------------------------------------------------------------------------- accesses --

local value, lvalue -- forward declarations

-- Appends a checked load of a value of type t from address `at`; returns the name with the value.
local function emit_load(w, t, at, site)
  if t.kind == "pointer" then return w:assign_temporary("accd_pointer",
    ("accd_get_pointer(t, %s, %d)"):format(at, site)) end
  local bits = ("accd_get(t, %s, %d, %d)"):format(at, t.size, site)
  if t.code == scalar.f32 then return w:assign_temporary("double", ("accd_as_f32(%s)"):format(bits)) end
  if t.float then return w:assign_temporary("double", ("accd_as_f64(%s)"):format(bits)) end
  return w:assign_temporary("i64", wrap_integer(t, "(i64)" .. bits))
end

-- Appends a checked store of an operand of type t at address `at`.
local function emit_store(w, t, at, operand, site)
  w.writes = true
  if t.kind == "pointer" then return w:line("accd_put_pointer(t, %s, %s, %d);", at, operand, site) end
  local bits = t.float and ("accd_%s_bits(t, %s, %d)"):format(t.code == scalar.f32 and "f32" or "f64", operand, site)
    or ("(u64)(%s)"):format(operand)
  w:line("accd_put(t, %s, %d, %s, %d);", at, t.size, bits, site)
end

-- Appends the computation of a pointer displaced by `index` elements of `size` bytes. Returns the name with the result.
local function emit_displace(w, operand, index, size)
  return w:assign_temporary("accd_pointer", ("accd_moved(%s, (i64)((u64)(%s) * (u64)(%dll)))"):format(
    operand, index, size))
end

-- Returns an operand of pointer type for the value of `e`, which may be a number.
local function pointer_of(w, e)
  local operand = value(w, e)
  return e.type.kind == "pointer" and operand or ("accd_unknown((u64)(%s))"):format(operand)
end

-- Returns an operand for the value of `e`, in the form in which a variable of type t holds the value.
local function stored_value(w, t, e)
  return t.kind == "pointer" and pointer_of(w, e) or value(w, typed_ast.convert(e, t))
end

-- Returns text for the value of `e` as a number; for a pointer, its address.
local function number_of(w, e)
  local operand = value(w, e)
  return e.type.kind == "pointer" and ("(i64)%s.at"):format(operand) or operand
end

-- ------------------------------------------------------------------------------------ l-values --

-- Writers of l-values, by op of the typed node: function(w, e) -> operand, which is a pointer to the l-value.
local lvalues = {}

-- Returns the name of a local variable in memory, or the kernel's name for a variable of the host program.
function lvalues.variable(w, e) return e.binding.operand or w:variable(e.name, e.binding) end

-- Appends the address of a member.
function lvalues.member(w, e)
  return w:assign_temporary("accd_pointer", ("accd_moved(%s, %d)"):format(lvalue(w, e.base), e.offset))
end

-- Appends the address of an array's element, with a check of the index that stops the kernel.
function lvalues.element(w, e)
  local start, i, n = lvalue(w, e.base), value(w, e.index), e.n
  if n then w:line("if (%s < 0 || %s >= %d) accd_stop(t, ACCD_BOUNDS, %d);", i, i, n, e.pos) end
  return emit_displace(w, start, i, e.type.size)
end

-- Returns the pointer whose target is the l-value, displaced by e.index elements if there is an index.
function lvalues.deref(w, e)
  local pointer = value(w, e.pointer)
  return e.index and emit_displace(w, pointer, value(w, e.index), e.type.size) or pointer
end

-- Returns the address of a compound assignment's target. Its code is appended at the first call only, so side effects
-- of the target occur once.
function lvalues.once(w, e)
  e.compiled = e.compiled or lvalue(w, e.lvalue)
  return e.compiled
end

-- ------------------------------------------------------------------------------------ operators --

-- Operators whose result is wrapped into the range of the type.
local wrapping = { ["+"] = true, ["-"] = true, ["*"] = true, ["&"] = true, ["|"] = true, ["^"] = true }

-- Returns text for an operation on two values of type t, as types/arithmetic.lua computes it. a, b: their texts.
local function operation(operator, t, a, b, site)
  if t.float then return round_float(t, ("%s %s %s"):format(a, operator, b)) end
  if wrapping[operator] then return wrap_integer(t, ("(i64)((u64)(%s) %s (u64)(%s))"):format(a, operator, b)) end
  if operator == "<<" or operator == ">>" then
    local n = ("((%s) & %d)"):format(b, t.size * 8 - 1)
    if operator == "<<" then return wrap_integer(t, ("(i64)((u64)(%s) << %s)"):format(a, n)) end
    return ("accd_shifted_right(%s, %s, %s)"):format(a, n, t.signed)
  end
  local is_unsigned = not t.signed and t.size == 8
  return wrap_integer(t, ("accd_divided(t, %s, %s, %s, %s, %d)"):format(a, b, is_unsigned, operator == "%", site))
end

-- Writes the statements that compute the operands of a condition `e`. Returns CUDA text that is true or false, for use
-- in `if (...)`.
local function condition(w, e)
  if e.op == "not" then return ("!(%s)"):format(condition(w, e.e)) end
  if e.op ~= "compare" then return ("%s != 0"):format(value(w, e)) end
  local t = e.a.type
  local cast = (t.kind == "pointer" or e.b.type.kind == "pointer" or not t.signed and t.size == 8 and not t.float)
    and "(u64)" or ""
  local x, y = number_of(w, e.a), number_of(w, e.b)
  return ("%s(%s) %s %s(%s)"):format(cast, x, e.operator, cast, y)
end

-- Returns a Lua number as a CUDA literal.
local function literal(v)
  if math.type(v) == "integer" then
    return v == math.mininteger and "(-9223372036854775807ll - 1)" or ("%dll"):format(v)
  elseif v ~= v or v == math.huge or v == -math.huge then
    return ("accd_as_f64(0x%xull)"):format((string.unpack("<i8", string.pack("<d", v))))
  end
  local text = ("%.17g"):format(v)
  return text:find "[.e]" and text or text .. ".0"
end

-- Writers of values, by op of the typed node: function(w, e) -> operand.
local values = {}

-- Returns a literal; a constant pointer becomes a temporary with unknown bounds.
function values.const(w, e)
  local text = literal(e.const)
  return e.type.kind == "pointer" and w:assign_temporary("accd_pointer", ("accd_unknown((u64)%s)"):format(text))
    or text
end

-- The variable's value is copied into a temporary at once, because later code may change the variable.
values["local"] = function(w, e)
  local frame_slot, written = e.binding.frame_slot, e.binding.written
  if written then w:line("if (!%s) accd_stop(t, ACCD_UNWRITTEN, %d);", written, e.pos) end
  return w:assign_temporary(holder(e.type), "v" .. frame_slot)
end

-- Returns the kernel's name for a value of the host program.
function values.value(w, e) return w:variable(e.name, e.binding) end
-- Appends the load of an l-value.
function values.load(w, e) return emit_load(w, e.type, lvalue(w, e.lvalue), e.pos) end

-- Appends the pointer to which an array decays.
function values.decay(w, e)
  return w:assign_temporary("accd_pointer", ("accd_decayed(%s, %d)"):format(lvalue(w, e.lvalue), e.lvalue.type.size))
end

-- Appends the address of an l-value as a pointer.
function values.address(w, e)
  return w:assign_temporary("accd_pointer", ("accd_address(%s, %d)"):format(lvalue(w, e.lvalue), e.lvalue.type.size))
end

-- Appends a conversion; one to void only computes the value.
function values.convert(w, e)
  local t, from = e.type, e.e.type
  if t.kind == "void" then return value(w, e.e) end
  if t.kind == "pointer" then return w:assign_temporary("accd_pointer", pointer_of(w, e.e)) end
  return w:assign_temporary(holder(t), convert(from.kind == "pointer" and ULONG or from, t, number_of(w, e.e)))
end

-- Appends an arithmetic operation.
function values.arith(w, e)
  local x, y = value(w, e.a), value(w, e.b)
  return w:assign_temporary(holder(e.type), operation(e.operator, e.type, x, y, e.pos))
end

-- Appends the negation of a floating number.
function values.negate(w, e) return w:assign_temporary("double", ("-(%s)"):format(value(w, e.e))) end
-- Appends the computation of a condition, and returns it as a number, 0 or 1.
function values.compare(w, e) return w:assign_temporary("i64", condition(w, e)) end
values["not"] = values.compare

-- Writes && and ||. The second operand is computed only if the first one does not decide.
values["and"] = function(w, e)
  local result = w:name()
  w:line("i64 %s = %s;", result, condition(w, e.a))
  w:line("if (%s%s) {", e.op == "or" and "!" or "", result)
  w:line("%s = %s;", result, condition(w, e.b))
  w:line("}")
  return result
end
values["or"] = values["and"]

-- Appends ?:. Only the selected value is computed.
function values.select(w, e)
  local decides, result = condition(w, e.c), w:name()
  w:line("%s %s;", holder(e.type), result)
  w:line("if (%s) {", decides)
  w:line("%s = %s;", result, stored_value(w, e.type, e.a))
  w:line("} else {")
  w:line("%s = %s;", result, stored_value(w, e.type, e.b))
  w:line("}")
  return result
end

-- Appends a pointer plus or minus an index.
function values.displace(w, e)
  local base, index = value(w, e.pointer), value(w, e.index)
  return emit_displace(w, base, index, e.operator == "-" and -e.type.to.size or e.type.to.size)
end

-- Appends the difference of two pointers, in elements.
function values.distance(w, e)
  local x, y = value(w, e.a), value(w, e.b)
  return w:assign_temporary("i64", ("accd_distance(%s.at, %s.at, %d)"):format(x, y, e.a.type.to.size))
end

-- Appends all operands of a comma expression; returns the last value.
function values.comma(w, e)
  for i = 1, #e.list - 1 do value(w, e.list[i]) end
  return value(w, e.list[#e.list])
end

-- ------------------------------------------------------------------------------------ assignment --

-- Writes an assignment and returns the operand with the new value; nil for records. The value is computed before the
-- address, as in closures.lua.
function values.assign(w, e)
  local t, to = e.type, e.to
  if t.kind == "record" then
    w.writes = true
    local from, into = lvalue(w, e.e), lvalue(w, to)
    return w:line("accd_copy(t, %s, %s, %d, %d);", into, from, t.size, e.pos)
  end
  local new = w:assign_temporary(holder(t), stored_value(w, t, e.e))
  if to.op ~= "local" then
    emit_store(w, t, lvalue(w, to), new, e.pos)
    return new
  end
  w:line("v%d = %s;", to.binding.frame_slot, new)
  if to.binding.written then w:line("%s = true;", to.binding.written) end
  return new
end

-- Writes ++ or --; returns the operand with the old value (e.after) or the new one.
function values.step(w, e)
  local t, to = e.type, e.to
  local at = to.op ~= "local" and lvalue(w, to)
  local old = at and emit_load(w, t, at, to.pos) or value(w, to)
  local new
  if t.kind == "pointer" then
    new = ("accd_moved(%s, %d)"):format(old, e.amount)
  else
    new = t.float and round_float(t, ("%s + %d.0"):format(old, e.amount))
      or wrap_integer(t, ("(i64)((u64)%s + (u64)%dll)"):format(old, e.amount))
  end
  new = w:assign_temporary(holder(t), new)
  if at then emit_store(w, t, at, new, e.pos) else w:line("v%d = %s;", to.binding.frame_slot, new) end
  return e.after and old or new
end

-- ----------------------------------------------------------------------------------------- calls --

-- Writes a call of a function of C's library. Gives up if the function has no CUDA text.
function values.library(w, e)
  local operands = {}
  for i, arg in ipairs(e.args) do operands[i] = w:assign_temporary(holder(e.type), value(w, arg)) end
  local text = c_library[e.name][3]
  if not text then
    local suffix = e.type.code == scalar.f32 and "f" or ""
    w:give_up(("%s%s is not computed alike on every device"):format(e.name, suffix))
  end
  local filled = text:gsub("%%(%d)", function(number) return operands[tonumber(number)] end)
  return w:assign_temporary(holder(e.type), e.type.float and round_float(e.type, filled)
    or wrap_integer(e.type, filled))
end

-- Gives up (the interpreter runs the body), because the called function is written in Lua.
function values.call(w, e) w:give_up(("%s is a function of the scenario"):format(e.name)) end
values.method = values.call

-- Writes any typed node as a value, and returns its operand. Gives up for long double and for nodes without CUDA text.
function value(w, e)
  if e.type.code == scalar.f80 then w:give_up "no GPU has long double" end
  return (values[e.op] or w:give_up(("there is no text for '%s'"):format(e.op)))(w, e)
end

-- Writes any typed node as an l-value, and returns its operand.
function lvalue(w, e) return lvalues[e.op](w, e) end

-- run writes an expression statement, a node of the AST, and returns the operand of its value. truth writes the
-- statements that compute a condition, a node of the AST, and returns CUDA text that is true or false, for use in
-- `if (...)`. Both raise if the node is invalid, and give up if it has no CUDA text.
function cuda_expression.run(w, node) return value(w, c_sema.effect(w.env, node)) end
function cuda_expression.truth(w, node) return condition(w, c_sema.condition(w.env, node, node.pos)) end

cuda_expression.value, cuda_expression.stored_value = value, stored_value

return cuda_expression
