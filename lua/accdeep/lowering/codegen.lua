-- codegen.lua - code generator for bounds of sections: compiles typed ASTs (typed_ast.lua) to the bytecode of the
-- core's mapping programs (core/walk). A mapping program runs once for each element of a structure.
--
-- Input: typed ASTs of bounds. Output: instructions of a builder, and the values that they compute.
--
-- Expressions have the types and values that C defines (c_sema.lua, core/walk/arithmetic.c). Undefined behaviour makes
-- the section invalid. Start and length of a section, and computations with them here, are signed integers of 64 bits.
--
-- A value is {reg | const | symbol, type}: a register, a constant, or the address of a variable. An l-value is {self |
-- variable | reg, offset, type}. It lies `offset` bytes after the current element (self), after the beginning of a
-- variable of the host program, or after the address in a register. An instruction is five integers: opcode, target
-- register, two operands, constant. A table {value = integer, ...} in place of the constant is a symbol, which names
-- what the integer stands for: a variable's address (codegen.symbol), or a function (Session:bound_function). Equal
-- instructions are emitted once and share a register (Builder.constants). Common arguments: `b` is the builder of the
-- program, `e` a typed node, `pos` the position for errors. `env` is the environment of a bound: {session, base, above,
-- out}, with the structure's offset in its element, and further fields as in symbols.lua. All functions that emit
-- instructions raise if no register is free.

local arithmetic = require "accdeep.types.arithmetic"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local member_calls = require "accdeep.backend.member_calls"
local types = require "accdeep.types"

local raise = diagnostic.raise
local op, scalar = core.opcode, core.scalar
local INT, LONG, ULONG = types.scalars.int, types.scalars.long, types.scalars["unsigned long"]

local codegen = {}

local REGISTERS = 64
local INVALID_ADDRESS = -1 -- address for a load that is skipped: the core loads 0 without an access (ACCD_NO_ADDRESS)
local MIN_FREE_REGISTERS = 24 -- minimum of free registers with which a field of a nest begins (Builder:boundary)

-- ----------------------------------------------------------------------------- program builder --

-- Collects the instructions of one program: {code, n, next, most, constants, pinned, guard}.
--   code, n    integers of the instructions, and the number of instructions.
--   next       number of the register that is tried next; most: number of registers that the program needs.
--   constants  key of each emitted instruction -> register of its result; pinned: set of reserved registers.
--   row(pos)   in a program of pointers: emits '#', the number of the pointer (a method of this builder only).
--   location   location of the text whose bounds are being compiled, for errors; nil: the directive.
--   guard      register that is 0 where the code being emitted must not be evaluated; nil: it is always evaluated.
local Builder = {}
Builder.__index = Builder

-- Returns a new builder without instructions.
function codegen.builder()
  return setmetatable({ code = {}, n = 0, next = 0, most = 0, constants = {}, pinned = {} }, Builder)
end

-- Returns a free register; raises if all are in use. pos: position for the error.
function Builder:register(pos)
  while self.pinned[self.next] do self.next = self.next + 1 end
  local r = self.next
  if r >= REGISTERS then
    raise("limit", pos, "the expression is too long", { rule = "HOUSE-limit", of_construct = true,
      location = self.location and self.location.text and self.location or nil })
  end
  self.next = r + 1
  if self.next > self.most then self.most = self.next end
  return r
end

-- Appends an instruction, even if an equal one exists. opcode: of core.opcode; to: target register; a, b: operands,
-- mainly registers; k: constant.
function Builder:append(opcode, to, a, b, k)
  local code, n = self.code, self.n * 5
  code[n + 1], code[n + 2], code[n + 3], code[n + 4], code[n + 5] = opcode, to, a, b, k
  self.n = self.n + 1
end

-- Returns the register with the result of an instruction. The instruction is emitted only if no equal one was emitted
-- since the registers were last freed. opcode, a, b, k: as in Builder:append.
function Builder:emit(pos, opcode, a, b, k)
  local key = ("%d:%d:%d:%s"):format(opcode, a, b, type(k) == "table" and k.key or k)
  local r = self.constants[key]
  if r then return r end
  r = self:register(pos)
  self:append(opcode, r, a, b, k)
  self.constants[key] = r
  return r
end

-- Called between two fields of a nest (the list of a structure's sections). If few registers are left, all that are not
-- pinned become free, and the results of the emitted instructions are forgotten.
function Builder:boundary()
  if self.next > REGISTERS - MIN_FREE_REGISTERS then
    self.constants, self.next = {}, 0
  end
end

-- Returns the register for an operand of an instruction that may fail, such as a divisor. r: register of the operand.
-- With no guard the result is `r`. With a guard, the result holds the value of `r` where the guarded code must be
-- evaluated. It holds `harmless`, an integer with which the instruction cannot fail, elsewhere.
function Builder:guard_operand(pos, r, harmless)
  if not self.guard then return r end
  return self:emit(pos, op.SELECT, self.guard, r, self:emit(pos, op.CONST, 0, 0, harmless))
end

-- Calls fn(...) to emit code under a guard: only where register `r` is 1 can its instructions fail or call functions.
-- Returns the first result of fn.
function Builder:only_if(pos, r, fn, ...)
  local outer = self.guard
  self.guard = outer and self:emit(pos, op.AND, outer, r, 0) or r
  local v = fn(...)
  self.guard = outer
  return v
end

-- Reserves register `r` until the end of the program, because the programs of inner elements inherit its value.
function Builder:pin(r) self.pinned[r] = true end

-- --------------------------------------------------------------------- l-values and operations --

-- Returns the constant v as a value. t: its type; nil: long.
local function constant(v, t) return { const = v, type = t or LONG } end

-- Returns the symbol of the address `offset` bytes after the beginning of `variable`, an entry of scope.variables.
local function symbol(variable, offset)
  return { value = variable.address + offset, variable = variable, offset = offset,
    key = ("%p+%d"):format(variable, offset) }
end

-- Returns a host address that was computed during lowering, as a value.
function codegen.address(address) return { symbol = { value = address, key = "+" .. address }, type = LONG } end

-- Returns the register of the value `v`; a constant or an address is loaded into a register.
local function reg(b, v, pos) return v.reg or b:emit(pos, op.CONST, 0, 0, v.symbol or v.const) end

-- Returns the address of the l-value `at`, as a value of type long.
local function address_of(b, at, pos)
  if at.variable then return { symbol = symbol(at.variable, at.offset), type = LONG } end
  local base = at.self and b:emit(pos, op.SELF, 0, 0, 0) or at.reg
  if at.offset == 0 then return { reg = base, type = LONG } end
  local offset = b:emit(pos, op.CONST, 0, 0, at.offset)
  return { reg = b:emit(pos, op.ADD, base, offset, 0), type = LONG }
end

-- Emits a load of the l-value `at` and returns the value. For an array nothing is loaded: the result is its address, as
-- a pointer to its first element.
local function load(b, at, pos)
  local t = at.type
  if t.kind == "array" then
    local address = address_of(b, at, pos)
    return { reg = address.reg, symbol = address.symbol, type = types.pointer(t.of) }
  end
  local code = t.kind == "pointer" and scalar.u64 or t.code
  if at.self then
    return { reg = b:emit(pos, op.LOAD, 0, code, at.offset), type = t }
  elseif at.variable then
    local address = b:emit(pos, op.CONST, 0, 0, symbol(at.variable, at.offset))
    return { reg = b:emit(pos, op.LOAD_AT, address, code, 0), type = t }
  end
  local address = b:guard_operand(pos, at.reg, INVALID_ADDRESS)
  return { reg = b:emit(pos, op.LOAD_AT, address, code, at.offset), type = t }
end

local SMALL = 1 << 31
-- True if the constant v is so small that no operation on two such constants overflows.
local function is_small(v) return v < SMALL and v > -SMALL end

local opcodes = {
  ["+"] = op.ADD, ["-"] = op.SUB, ["*"] = op.MUL, ["/"] = op.DIV, ["%"] = op.MOD, ["&"] = op.AND,
  ["|"] = op.OR, ["^"] = op.XOR, ["<<"] = op.SHL, [">>"] = op.SHR, ["=="] = op.EQ, ["!="] = op.NE,
  ["<"] = op.LT, ["<="] = op.LE,
}

-- Emits the operation `operator` on x and y, which are starts, lengths or addresses: signed integers of 64 bits.
-- Returns the value. An operation on two small constants is computed here instead. t: type of the result, nil: long.
local function apply(b, operator, x, y, pos, t)
  if x.const and y.const and is_small(x.const) and is_small(y.const) then
    local v = arithmetic.fold(operator, LONG, x.const, y.const)
    if v then return constant(v, t) end
  end
  if operator == ">" then return apply(b, "<", y, x, pos) end
  if operator == ">=" then return apply(b, "<=", y, x, pos) end
  return { reg = b:emit(pos, opcodes[operator], reg(b, x, pos), reg(b, y, pos), 0), type = t or LONG }
end

-- Returns the value x where the condition is not 0, otherwise y. A constant condition needs no code.
function codegen.select(b, condition, x, y, pos)
  if condition.const then return condition.const ~= 0 and x or y end
  return { reg = b:emit(pos, op.SELECT, condition.reg, reg(b, x, pos), reg(b, y, pos)), type = LONG }
end

-- Returns the conjunction of two conditions that are 0 or 1. Constant conditions need no code.
function codegen.logical_and(b, x, y, pos)
  if x.const then return x.const == 0 and x or y end
  return y.const == 1 and x or y.const == 0 and y or apply(b, "&", x, y, pos)
end

-- Returns the disjunction of two conditions that are 0 or 1. Constant conditions need no code.
function codegen.logical_or(b, x, y, pos)
  if x.const then return x.const ~= 0 and x or y end
  return y.const == 0 and x or y.const and y or apply(b, "|", x, y, pos)
end

-- Emits a check that makes the section invalid where the condition is 0. A constant condition emits nothing, because
-- the caller has checked it. n, for the message: number of elements in a row if the section takes a part of rows;
-- otherwise 0.
function codegen.emit_check(b, condition, n, pos)
  if not condition.const then b:emit(pos, op.REQUIRE, condition.reg, 0, n) end
end

-- Right operand with which an operation cannot fail, by operator. Operators that are not in the table never fail.
local harmless = { ["+"] = 0, ["-"] = 0, ["*"] = 0, ["/"] = 1, ["%"] = 1, ["<<"] = 0, [">>"] = 0 }

-- Emits the operation `operator` on two values x and y of type t, as C defines it, and returns the value. compares:
-- true for a comparison, whose result is 0 or 1.
local function operation(b, operator, t, x, y, pos, compares)
  if operator == ">" then return operation(b, "<", t, y, x, pos, true) end
  if operator == ">=" then return operation(b, "<=", t, y, x, pos, true) end
  local left, right, kind = reg(b, x, pos), reg(b, y, pos), 0
  if compares then
    local is_wide = t.code == scalar.u64 or t.kind == "pointer"
    if is_wide and operator ~= "==" and operator ~= "!=" then kind = 1 + scalar.u64 end
    return { reg = b:emit(pos, opcodes[operator], left, right, kind), type = INT }
  end
  if harmless[operator] then
    kind = 1 + t.code
    local never_fails = y.const and arithmetic.is_defined(operator, t, 0, y.const)
      and (not t.signed or operator == ">>" or (operator == "/" or operator == "%") and y.const ~= -1)
    local wraps = not t.signed and (operator == "+" or operator == "-" or operator == "*")
    if not never_fails and not wraps then right = b:guard_operand(pos, right, harmless[operator]) end
  end
  return { reg = b:emit(pos, opcodes[operator], left, right, kind), type = t }
end

-- Returns the l-value `at` displaced by `index` elements of type t.
local function displace(b, at, index, t, pos)
  if index.const and is_small(index.const) then
    return { self = at.self, variable = at.variable, reg = at.reg, offset = at.offset + index.const * t.size, type = t }
  end
  local bytes = apply(b, "*", index, constant(t.size), pos)
  local address = apply(b, "+", address_of(b, at, pos), bytes, pos)
  return { reg = reg(b, address, pos), offset = 0, type = t }
end

-- ---------------------------------------------------------------------- l-values of typed nodes --

local value, lvalue -- forward declarations

-- Returns a register of the inner element's program `b` with the value of `register`, a register of the program of the
-- element `enclosing`, which is pinned there.
local function inherit_register(b, pos, enclosing, register)
  enclosing.builder:pin(register)
  return b:emit(pos, op.INHERIT, 0, 0, register)
end

-- Returns the environment of the structure `up` levels above that of `env`; nil counts as 0.
local function environment_above(env, up)
  for _ = 1, up or 0 do env = env.above end
  return env
end

-- Compilers of l-values, by op of the typed node: function(b, env, e) -> l-value.
local lvalues = {}

-- Returns the l-value of a variable of the host program, whose address is known.
function lvalues.fixed(_, _, e) return { variable = e.variable, offset = 0, type = e.type } end
-- Returns the l-value of a part of the element for which the program runs.
function lvalues.self(_, env, e)
  return { self = true, offset = environment_above(env, e.up).base + e.offset, type = e.type }
end

-- Returns the l-value of an object of the enclosing element. The address is computed in the program of that element,
-- and inherited.
function lvalues.enclosing(b, env, e)
  local enclosing, pos = env.out.enclosing, e.pos
  local address = address_of(enclosing.builder, lvalue(enclosing.builder, enclosing.ctx, e.lvalue), pos)
  local register = reg(enclosing.builder, address, pos)
  return { reg = inherit_register(b, pos, enclosing, register), offset = 0, type = e.type }
end

-- Returns the l-value of a member: that of its object with the member's offset added.
function lvalues.member(b, env, e)
  local base = lvalue(b, env, e.base)
  return { self = base.self, variable = base.variable, reg = base.reg, offset = base.offset + e.offset, type = e.type }
end

-- Returns the l-value of an array's element.
function lvalues.element(b, env, e)
  local index = value(b, env, e.index)
  return displace(b, lvalue(b, env, e.base), index, e.type, e.pos)
end

-- Returns the l-value of a pointer's target, displaced by e.index elements if there is an index.
function lvalues.deref(b, env, e)
  local pos = e.pos or e.pointer.pos
  local index = e.index and value(b, env, e.index)
  local base = { reg = reg(b, value(b, env, e.pointer), pos), offset = 0, type = e.type }
  return index and displace(b, base, index, e.type, pos) or base
end

-- ------------------------------------------------------------------------ values of typed nodes --

-- Compilers of values, by op of the typed node: function(b, env, e) -> value.
local values = {}

-- Returns a constant; it needs no code.
function values.const(_, _, e) return constant(e.const, e.type) end
-- Emits the load of an l-value and returns the value.
function values.load(b, env, e) return load(b, lvalue(b, env, e.lvalue), e.pos) end
values.decay = values.load
-- Emits the number of the pointer to whose target the section belongs, '#', and returns it.
function values.row(b, _, e) return b:row(e.pos) end

-- Returns the address of an l-value as a pointer.
function values.address(b, env, e)
  local address = address_of(b, lvalue(b, env, e.lvalue), e.pos)
  return { reg = address.reg, symbol = address.symbol, type = e.type }
end

-- Compiles the value of a shape's parameter. With e.of_enclosing, the argument is computed in the program of the
-- enclosing element, and inherited.
function values.parameter(b, env, e)
  local at = environment_above(env, e.up)
  if not e.of_enclosing then return env.session:with_location(e.within, value, b, at, e.e) end
  local enclosing = at.out.enclosing
  local v = value(enclosing.builder, enclosing.ctx, e.e)
  return { reg = inherit_register(b, e.pos, enclosing, reg(enclosing.builder, v, e.pos)), type = e.type }
end

-- Emits a call of the Lua function `fn` and returns its result, of type long. name: the function, for errors; args: its
-- arguments, as values. The arguments are copied to consecutive registers. Under a guard, a copy of the guard's
-- register precedes them, and the call is skipped where the guard is 0. Raises for more than 8 arguments.
local function call_out(b, env, e, name, fn, args)
  local argument_types, sources = {}, {}
  for i, arg in ipairs(args) do argument_types[i], sources[i] = arg.type, reg(b, arg, e.pos) end
  if #args > 8 then
    raise("limit", e.pos, "a function in a bound takes at most 8 arguments", { of_construct = true })
  end
  local called = env.session:bound_function(name, fn, argument_types)
  if b.guard then table.insert(sources, 1, b.guard) end
  local first = b.next
  for i, source in ipairs(sources) do -- each source is moved: x OR x is x
    local to = b:register(e.pos)
    if to ~= first + i - 1 then raise("limit", e.pos, "the expression is too long", { of_construct = true }) end
    b:append(op.OR, to, source, source, 0)
  end
  local to = b:register(e.pos)
  b:append(b.guard and op.CALL_IF or op.CALL, to, #sources > 0 and first or 0, #args, called)
  return { reg = to, type = LONG }
end

-- Appends the values of the arguments of call `e` to `list`, and returns `list`.
local function arguments(b, env, e, list)
  for _, arg in ipairs(e.args) do list[#list + 1] = value(b, env, arg) end
  return list
end

-- Emits the call of a scenario's function.
function values.call(b, env, e) return call_out(b, env, e, e.name, e.fn, arguments(b, env, e, {})) end

-- Emits the call of a member function that is a Lua function; the object's address is the first argument.
function values.method(b, env, e)
  local object = address_of(b, lvalue(b, env, e.object), e.pos)
  object.type = e.object.type
  return call_out(b, env, e, e.name, member_calls.bind_this(env.session, e.method),
    arguments(b, env, e, { object }))
end

-- Emits the conversion of a floating number, an l-value, to the integer type e.type. Bytecode has only integers, so a
-- Lua function reads the number from memory. A NaN or a number beyond 2^62 makes the bound invalid.
local function truncate(b, env, e)
  local pointer = values.address(b, env, { lvalue = e.e.lvalue, type = types.pointer(e.e.type), pos = e.pos })
  return call_out(b, env, e, "a cast", function(p)
    local x = p[0]
    -- The core rejects mininteger as a bound. This makes the section invalid.
    return x == x and math.abs(x) < 2^62 and core.convert(e.type.code, x) or math.mininteger
  end, { pointer })
end

-- Emits a conversion to the type e.type, and returns the value. No instruction is needed if every value of the old type
-- is a value of the new type, or if a pointer results.
function values.convert(b, env, e)
  local t, from = e.type, e.e.type
  if from.float then return truncate(b, env, e) end
  local v = value(b, env, e.e)
  if t.kind == "pointer" then return { reg = v.reg, const = v.const, symbol = v.symbol, type = t } end
  local register = reg(b, v, e.pos)
  if arithmetic.holds(from.kind == "pointer" and ULONG or from, t) then return { reg = register, type = t } end
  return { reg = b:emit(e.pos, op.CAST, register, t.code, 0), type = t }
end

-- Emits an arithmetic operation.
function values.arith(b, env, e)
  return operation(b, e.operator, e.type, value(b, env, e.a), value(b, env, e.b), e.pos)
end

-- Emits a comparison; the result is 0 or 1.
function values.compare(b, env, e)
  local t = e.a.type.kind == "pointer" and e.a.type or e.b.type
  return operation(b, e.operator, t, value(b, env, e.a), value(b, env, e.b), e.pos, true)
end

-- Emits the logical negation of a register; returns the register with the result.
local function negate(b, register, pos) return b:emit(pos, op.LNOT, register, 0, 0) end

-- Emits the negation of a condition.
values["not"] = function(b, env, e) return { reg = negate(b, value(b, env, e.e).reg, e.pos), type = INT } end

-- Compiles && and ||. The second operand is evaluated only where the first one does not decide.
values["and"] = function(b, env, e)
  local is_and, pos = e.op == "and", e.pos
  local x = value(b, env, e.a)
  if e.b.const and (e.b.const ~= 0) == is_and then return x end
  local y = b:only_if(pos, is_and and x.reg or negate(b, x.reg, pos), value, b, env, e.b)
  return { reg = b:emit(pos, is_and and op.AND or op.OR, x.reg, reg(b, y, pos), 0), type = INT }
end
values["or"] = values["and"]

-- Compiles ?: with each of the two values evaluated only where the condition selects it.
function values.select(b, env, e)
  local pos = e.pos
  local c = value(b, env, e.c).reg
  local x = b:only_if(pos, c, value, b, env, e.a)
  local y = b:only_if(pos, negate(b, c, pos), value, b, env, e.b)
  return { reg = b:emit(pos, op.SELECT, c, reg(b, x, pos), reg(b, y, pos)), type = e.type }
end

-- Emits a pointer plus or minus an index.
function values.displace(b, env, e)
  local pointer = value(b, env, e.pointer)
  local bytes = apply(b, "*", value(b, env, e.index), constant(e.type.to.size), e.pos)
  return apply(b, e.operator, pointer, bytes, e.pos, e.type)
end

-- Emits the difference of two pointers, in elements.
function values.distance(b, env, e)
  local x, y = reg(b, value(b, env, e.a), e.pos), reg(b, value(b, env, e.b), e.pos)
  return { reg = b:emit(e.pos, op.DISTANCE, x, y, e.a.type.to.size), type = LONG }
end

-- Compiles any typed node as a value.
function value(b, env, e) return values[e.op](b, env, e) end
-- Compiles any typed node as an l-value.
function lvalue(b, env, e) return lvalues[e.op](b, env, e) end

codegen.value, codegen.lvalue = value, lvalue
codegen.symbol, codegen.address_of, codegen.load = symbol, address_of, load
codegen.reg, codegen.constant, codegen.apply = reg, constant, apply

return codegen
