-- arithmetic.lua - arithmetic of C: integer promotions, conversions and operations, as types and as Lua functions.
--
-- A value is a Lua number. An unsigned integer of 64 bits is represented by the Lua integer with the same bits.
-- sema/c/c_sema.lua uses the types and folds constants; backend/closures.lua uses the functions. Bounds of sections
-- are computed by the core (core/walk/arithmetic.c) with the same rules.
--
-- Types here are scalar types (types/init.lua). A type with the field `auto` (types.auto) has values that are integers
-- or floating numbers, known only at run time. `op` is an operator as a text, such as "+".

local core = require "accdeep.core"
local types = require "accdeep.types"

local convert_scalar = core.convert
local scalars = types.scalars
local INT = scalars.int
local ULONG = scalars["unsigned long"]
local F32, BOOL = core.scalar.f32, core.scalar.bool

local arithmetic = {}

-- --------------------------------------------------------------------------------------- types --

-- Returns the type that integer promotion gives a type: int for integers of lower rank, otherwise the type itself.
function arithmetic.promoted_type(t)
  if t.rank and t.rank < INT.rank then return INT end
  return t
end
local promoted = arithmetic.promoted_type

-- Returns the type that the usual arithmetic conversions give operands of types a and b.
function arithmetic.common_type(a, b)
  if a.auto or b.auto then return types.auto end
  a, b = promoted(a), promoted(b)
  if a.float or b.float then
    if a.rank >= b.rank then return a.float and a or b end
    return b.float and b or a
  end
  if a.signed == b.signed then return a.rank >= b.rank and a or b end
  local unsigned, signed = a, b
  if a.signed then unsigned, signed = b, a end
  if unsigned.rank >= signed.rank then return unsigned end
  return signed.size > unsigned.size and signed or scalars["unsigned " .. signed.name] or unsigned
end

-- Operators whose result is an int, 0 or 1.
local compares = { ["<"] = true, [">"] = true, ["<="] = true, [">="] = true, ["=="] = true, ["!="] = true }

-- Returns the types of the binary operation `op` on operands of types a and b. The first two results are the types to
-- which the left and the right operand are converted, the third is that of the result.
function arithmetic.binary(op, a, b)
  if op == "<<" or op == ">>" then
    local left = promoted(a)
    return left, promoted(b), left
  end
  local t = arithmetic.common_type(a, b)
  return t, t, compares[op] and INT or t
end

-- Returns the type of an enumeration's constant with this value, as gcc chooses it: the first of int, unsigned int and
-- long that can hold it.
function arithmetic.enumerator(value)
  if value >= -0x80000000 and value <= 0x7fffffff then return INT end
  return value >= 0 and value <= 0xffffffff and scalars["unsigned int"] or scalars.long
end

-- Returns true for unsigned integers of 64 bits, on which Lua's signed operations are wrong.
local function is_wide(t) return not t.signed and t.size == 8 and not t.float end

-- Returns true if converting an integer from type `from` to type `to` preserves its value or its bits, so that no code
-- is needed. Both are integer types.
function arithmetic.holds(from, to)
  if from.code == to.code or to.size == 8 and to.code ~= BOOL then return true end
  if to.code == BOOL or from.size > to.size then return false end
  return from.size < to.size and (to.signed or not from.signed)
end

-- --------------------------------------------------------------------------------- conversions --

local function identity(v) return v end
-- Function that returns its argument. Code that gets this conversion can omit the call.
arithmetic.identity = identity

-- Returns a function that wraps an integer into the range of the integer type t, as C's conversions do; for _Bool, it
-- returns 1 for all values except 0.
local function wrapper(t)
  local bits = t.size * 8
  if t.code == BOOL then
    return function(v) return v ~= 0 and 1 or 0 end
  elseif bits == 64 then
    return identity
  elseif t.signed then
    local mask, sign, modulus = (1 << bits) - 1, 1 << (bits - 1), 1 << bits
    return function(v)
      v = v & mask
      return v >= sign and v - modulus or v
    end
  end
  local mask = (1 << bits) - 1
  return function(v) return v & mask end
end

-- Converts a number to an integer of 64 bits, truncating towards zero; numbers out of range, and NaN, become 0.
local function to_integer(v)
  if math.type(v) == "integer" then return v end
  if v ~= v or v >= 0x1p63 or v < -0x1p63 then return 0 end
  return math.tointeger(v >= 0 and math.floor(v) or math.ceil(v))
end

-- Converts a number to an integer of 64 bits, truncating towards zero. Numbers from 2^63 to 2^64 become the negative
-- integer with the same bits; other numbers out of range, and NaN, become 0.
local function to_unsigned(v)
  if math.type(v) == "float" and v >= 0x1p63 and v < 0x1p64 then return math.tointeger(v - 0x1p64) end
  return to_integer(v)
end

-- Returns a double whose rounding to float gives the float nearest to `v`, an integer of 64 bits. A direct conversion
-- could round twice: to double, then to float.
local function nearly(v)
  if v < 1 << 53 and v > -1 << 53 then return v + 0.0 end
  return (v & ~0x7ff | (v & 0x7ff ~= 0 and 0x800 or 0)) + 0.0
end

-- Returns a function that converts integers of type `from` to double. to_float: true if the result will be rounded to
-- float next.
local function widener(from, to_float)
  local widen = to_float and from.size == 8 and not from.auto and nearly or function(v) return v + 0.0 end
  if from.code ~= ULONG.code then return widen end
  return function(v) return v >= 0 and widen(v) or widen(v >> 1 | v & 1) * 2.0 end
end

-- Returns a function that converts values of the scalar type `from` to the scalar type `to`; arithmetic.identity if
-- nothing changes.
function arithmetic.converter(from, to)
  if to.auto then return identity end
  if to.float then
    local widen = from.float and identity or widener(from, to.code == F32)
    if to.code == F32 then return function(v) return convert_scalar(F32, widen(v)) end end
    return widen
  end
  local wrap = wrapper(to)
  if to.code == BOOL then return wrap end
  local whole = is_wide(to) and to_unsigned or to_integer
  if from.float or from.auto then return function(v) return wrap(whole(v)) end end
  if from.code == to.code then return identity end
  return wrap
end

-- ---------------------------------------------------------------------------------- operations --

-- Operator -> comparison of two values, for signed integers and floating numbers.
local comparisons = {
  ["<"] = function(a, b) return a < b end,
  [">"] = function(a, b) return a > b end,
  ["<="] = function(a, b) return a <= b end,
  [">="] = function(a, b) return a >= b end,
  ["=="] = function(a, b) return a == b end,
  ["!="] = function(a, b) return a ~= b end,
}
-- Operator -> comparison of two integers of 64 bits as unsigned numbers; == and != are missing, because comparisons has
-- them.
local unsigned_comparisons = {
  ["<"] = math.ult,
  [">"] = function(a, b) return math.ult(b, a) end,
  ["<="] = function(a, b) return not math.ult(b, a) end,
  [">="] = function(a, b) return not math.ult(a, b) end,
}

-- Returns a function(a, b) that compares two values of a type and returns true or false; nil if `op` is not a
-- comparison. Pointers compare as unsigned numbers.
function arithmetic.comparison(op, t)
  return (t.kind == "pointer" or is_wide(t)) and unsigned_comparisons[op] or comparisons[op]
end

-- Returns the quotient of two signed integers, truncated towards zero. Precondition: b is not 0.
local function quotient(a, b)
  local q = a // b
  if q < 0 and q * b ~= a then q = q + 1 end
  return q
end

-- Returns the quotient of two integers of 64 bits as unsigned numbers. Precondition: b is not 0.
local function unsigned_quotient(a, b)
  if b < 0 then return math.ult(a, b) and 0 or 1 end
  if a >= 0 then return a // b end
  local q = ((a >> 1) // b) << 1
  if not math.ult(a - q * b, b) then q = q + 1 end
  return q
end

-- Returns a function(a, b) for + - * / and %, on two numbers of the floating type t. With types.auto, operands are
-- integers or floating numbers, known only at run time. zero(): function that raises; called for % by 0, and for
-- division of integers by 0.
local function floating_operation(op, t, zero)
  if t.code == F32 then
    local apply = floating_operation(op, scalars.double)
    return function(a, b) return convert_scalar(F32, apply(a, b)) end
  elseif op == "+" then return function(a, b) return a + b end
  elseif op == "-" then return function(a, b) return a - b end
  elseif op == "*" then return function(a, b) return a * b end
  elseif op == "%" then
    return function(a, b)
      if b == 0 then zero() end
      return math.fmod(a, b)
    end
  elseif not t.auto then return function(a, b) return a / b end end
  return function(a, b)
    if math.type(a) ~= "integer" or math.type(b) ~= "integer" then return a / b end
    if b == 0 then zero() end
    return quotient(a, b)
  end
end

-- Returns a function(a, b) that applies an arithmetic operator to two numbers of a type; the right operand of a shift
-- may have any integer type. Results that C leaves undefined wrap. zero(): function that is called for an integer
-- division by zero and must raise; nil if b is never 0.
function arithmetic.operation(op, t, zero)
  if t.float or t.auto and op ~= "<<" and op ~= ">>" then return floating_operation(op, t, zero) end
  local wrap = wrapper(t)
  if op == "+" then return function(a, b) return wrap(a + b) end
  elseif op == "-" then return function(a, b) return wrap(a - b) end
  elseif op == "*" then return function(a, b) return wrap(a * b) end
  elseif op == "&" then return function(a, b) return a & b end
  elseif op == "|" then return function(a, b) return a | b end
  elseif op == "^" then return function(a, b) return wrap(a ~ b) end
  elseif op == "<<" or op == ">>" then
    local bits = t.size * 8 - 1
    if op == "<<" then return function(a, b) return wrap(a << (b & bits)) end end
    return function(a, b)
      if t.signed and a < 0 then return ~(~a >> (b & bits)) end
      return a >> (b & bits)
    end
  end
  local divide = is_wide(t) and unsigned_quotient or quotient
  return function(a, b)
    if b == 0 then zero() end
    local q = divide(a, b)
    return wrap(op == "/" and q or a - q * b)
  end
end

-- Returns true if C defines the result of an arithmetic operation on two numbers a, b of type t.
function arithmetic.is_defined(op, t, a, b)
  if t.float then return true end
  local least = t.signed and -1 << (t.size * 8 - 1)
  if op == "/" or op == "%" then return b ~= 0 and not (a == least and b == -1) end
  if op == "<<" or op == ">>" then
    if b < 0 or b >= t.size * 8 then return false end
    if op == ">>" or not t.signed then return true end
    local v = wrapper(t)(a << b)
    return quotient(v, 1 << b) == a and (b < 63 or a == 0)
  end
  if not t.signed then return true end
  if t.size < 8 then
    local v = op == "+" and a + b or op == "-" and a - b or op == "*" and a * b or 0
    return v == wrapper(t)(v)
  end
  if op == "+" then return (a ~ (a + b)) & (b ~ (a + b)) >= 0 end
  if op == "-" then return (a ~ b) & (a ~ (a - b)) >= 0 end
  if op == "*" then return a == 0 or not (a == -1 and b == least) and quotient(a * b, a) == b and (a * b) % a == 0 end
  return true
end

-- Returns the result of an operation on two constants a, b of type t; a comparison gives 1 or 0. Returns nil if C does
-- not define the result.
function arithmetic.fold(op, t, a, b)
  local compare = arithmetic.comparison(op, t)
  if compare then return compare(a, b) and 1 or 0 end
  return arithmetic.is_defined(op, t, a, b) and arithmetic.operation(op, t)(a, b) or nil
end

return arithmetic
