-- fortran_operations.lua - operations of Fortran expressions: literals, operators, array constructors. Extends
-- fortran_expression.lua, whose head describes expressions.
--
-- An operation works on scalars, or element by element on arrays of one shape. All compilers here raise if an operand
-- has a wrong type. Functions of the frame raise if shapes differ.

local complex = require "accdeep.backend.fortran.complex"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
local fortran_types = require "accdeep.types.fortran_types"
local types = require "accdeep.types"

local raise = diagnostic.raise
local INTEGER, LONG, LOGICAL, DOUBLE = fortran_types.INTEGER, fortran_types.LONG, fortran_types.LOGICAL,
  fortran_types.DOUBLE
local compile, compilers, converter = fortran_expression.compile, fortran_expression.compilers,
  fortran_expression.converter
local integer, scalar = fortran_expression.integer, fortran_expression.scalar

-- Returns the expression of type t that applies fn to one or two expressions, element by element. b: nil for one; pos:
-- position for errors. In a where statement (f.mask is set), only elements that the mask selects are computed.
local function map_elements(t, fn, a, b, pos)
  if a.rank == 0 and (not b or b.rank == 0) then
    local x, y = a.value, b and b.value
    if not b then return scalar(t, function(f) return fn(x(f)) end) end
    return scalar(t, function(f)
      local v = x(f)
      return fn(v, y(f))
    end)
  end
  return { type = t, rank = math.max(a.rank, b and b.rank or 0), elemental = true, array = function(f)
    local mask = f.mask
    local x = a.rank > 0 and a.array(f) or a.value(f)
    local y = b and (b.rank > 0 and b.array(f) or b.value(f))
    local shape = a.rank > 0 and x.shape or y.shape
    local result = { shape = shape }
    if b and a.rank > 0 and b.rank > 0 then fortran_expression.conform(x.shape, y.shape, pos) end
    for i = 1, a.rank > 0 and #x or #y do
      local v = x
      if a.rank > 0 then v = x[i] end
      if not mask or mask[i] then
        local w = y
        if b and b.rank > 0 then w = y[i] end
        result[i] = fn(v, w)
      else
        -- The mask excludes this element, so its value is never used.
        result[i] = v
      end
    end
    return result
  end }
end
fortran_expression.map_elements = map_elements

-- Returns the extents of a shape as text for messages.
local function shape_text(shape) return "(" .. table.concat(shape, ",") .. ")" end

-- Raises if two shapes, lists of extents, differ. pos: position for the error.
function fortran_expression.conform(a, b, pos)
  for i = 1, math.max(#a, #b) do
    if a[i] ~= b[i] then
      raise("type-mismatch", pos, ("the shapes %s and %s differ"):format(shape_text(a), shape_text(b)))
    end
  end
end

-- Classes of comparable numbers, and of all numbers.
local number = { integer = true, real = true }
local numeric = { integer = true, real = true, complex = true }

fortran_expression.numeric = numeric

-- Raises if one of several expressions is not of the required sort or has no value. required: "value" (any value), the
-- name of a class, "number" (comparable) or "numeric" (any number). node: position for the error.
local function needs(node, required, ...)
  for _, e in ipairs { ... } do
    local class = e.type.class
    local is_accepted = required == "value" or class == required or required == "number" and number[class]
      or required == "numeric" and numeric[class]
    local has_value = e.rank == 0 and e.value or e.rank > 0 and e.array
    if not has_value or not is_accepted then
      raise("type-mismatch", node.pos, ("a %s is needed, this is %s"):format(required == "logical" and "logical value"
        or required == "numeric" and "number" or required, types.name(e.type)))
    end
  end
end
fortran_expression.needs = needs

-- Returns the type of an operation on two numbers of the types a and b.
local function common_type(a, b)
  if a.class == b.class then return a.size >= b.size and a or b end
  if a.class == "complex" or b.class == "complex" then
    local kinds = math.max(a.class == "integer" and 4 or a.fkind, b.class == "integer" and 4 or b.fkind)
    return fortran_types.intrinsic.complex[kinds]
  end
  return a.class == "real" and a or b
end
fortran_expression.common_type = common_type

-- Returns a to the power b, both integers. Raises for 0 to a negative power, at `pos`.
local function integer_power(a, b, pos)
  if b < 0 then
    if a == 0 then raise("scenario-error", pos, "division by zero") end
    return (a == 1 or a == -1) and (b % 2 == 0 and 1 or a) or 0
  end
  local r = 1
  while b > 0 do
    if b % 2 == 1 then r = r * a end
    a, b = a * a, b // 2
  end
  return r
end

-- Returns the quotient of two integers, truncated towards zero. Raises for a division by zero, at `pos`.
local function divide(a, b, pos)
  if b == 0 then raise("scenario-error", pos, "division by zero") end
  local q = a // b
  if q < 0 and q * b ~= a then q = q + 1 end
  return q
end

-- Operators of numbers, comparisons and logical operators: operator -> function(a, b, pos) -> result.
local integers = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end, ["/"] = divide, ["**"] = integer_power,
}
local reals = {
  ["+"] = integers["+"], ["-"] = integers["-"], ["*"] = integers["*"],
  ["/"] = function(a, b) return a / b end, ["**"] = function(a, b) return a ^ b end,
}
local operators = { integer = integers, real = reals, complex = complex.operators }
-- Types in which operations compute, by class: the widest type of each class.
local widest = { integer = LONG, real = DOUBLE, complex = fortran_types.intrinsic.complex[8] }
fortran_expression.operators, fortran_expression.widest = operators, widest
local comparisons = {
  ["<"] = function(a, b) return a < b end, [">"] = function(a, b) return a > b end,
  ["<="] = function(a, b) return a <= b end, [">="] = function(a, b) return a >= b end,
  ["=="] = function(a, b) return a == b end, ["/="] = function(a, b) return a ~= b end,
}
local logicals = {
  [".eqv."] = comparisons["=="], [".neqv."] = comparisons["/="],
  [".and."] = function(a, b) return a and b end, [".or."] = function(a, b) return a or b end,
}

-- Compiles a comparison of numbers or characters. op: a key of `comparisons`; a, b: compiled operands; node: position
-- for errors. The shorter of two characters is extended by blanks. Raises for other types.
function fortran_expression.compile_comparison(node, op, a, b)
  local compare = comparisons[op]
  if a.type.kind == "character" and b.type.kind == "character" then
    return map_elements(LOGICAL, function(x, y)
      local n = math.max(#x, #y)
      return compare(x .. (" "):rep(n - #x), y .. (" "):rep(n - #y))
    end, a, b, node.pos)
  end
  local required = (op == "==" or op == "/=") and "numeric" or "number"
  needs(node.a or node, required, a)
  needs(node.b or node, required, b)
  local t = common_type(a.type, b.type)
  if t.class == "complex" then
    compare = op == "==" and complex.equal or function(x, y) return not complex.equal(x, y) end
  end
  local cx, cy = converter(a.type, t), converter(b.type, t)
  return map_elements(LOGICAL, function(x, y) return compare(cx(x), cy(y)) end, a, b, node.pos)
end

-- Compiles a binary operation: logical, concatenation (//), comparison or arithmetic. Raises if the types do not fit.
function compilers.binary(env, node)
  local a, b, op = compile(env, node.a), compile(env, node.b), node.op
  if logicals[op] then
    needs(node.a, "logical", a)
    needs(node.b, "logical", b)
    -- Scalar operands are evaluated only as needed, because evaluating the second may be an error if the first decides.
    if a.rank == 0 and b.rank == 0 then
      local x, y = a.value, b.value
      if op == ".and." then return scalar(LOGICAL, function(f) return x(f) and y(f) end) end
      if op == ".or." then return scalar(LOGICAL, function(f) return x(f) or y(f) end) end
    end
    return map_elements(LOGICAL, logicals[op], a, b, node.pos)
  end
  if a.type.kind == "character" and b.type.kind == "character" and op == "//" then
    return map_elements(fortran_types.character(a.type.len + b.type.len), function(x, y) return x .. y end, a, b,
      node.pos)
  end
  if comparisons[op] then return fortran_expression.compile_comparison(node, op, a, b) end
  needs(node.a, "numeric", a)
  needs(node.b, "numeric", b)
  local t = common_type(a.type, b.type)
  local cx, cy = converter(a.type, t), converter(b.type, t)
  if op == "**" and t.class == "real" and b.type.class == "integer" then cy = converter(b.type, DOUBLE) end
  local apply = operators[t.class][op]
  if not apply then raise("type-mismatch", node.pos, ("'%s' cannot be applied to numbers"):format(op)) end
  local fit, pos = converter(widest[t.class], t), node.pos
  return map_elements(t, function(x, y) return fit(apply(cx(x), cy(y), pos)) end, a, b, pos)
end

-- Compiles a unary operator: .not., + or -. Raises if the operand has a wrong type.
function compilers.unary(env, node)
  local e = compile(env, node.e)
  if node.op == ".not." then
    needs(node.e, "logical", e)
    return map_elements(LOGICAL, function(v) return not v end, e)
  end
  needs(node.e, "numeric", e)
  if node.op == "+" then return map_elements(e.type, function(v) return v end, e) end
  if e.type.class == "complex" then return map_elements(e.type, complex.negate, e) end
  local fit = converter(e.type.class == "real" and DOUBLE or LONG, e.type)
  return map_elements(e.type, function(v) return fit(-v) end, e)
end

-- Compiles a number; raises if there is no such kind.
function compilers.num(_, node)
  local t = fortran_types.intrinsic[node.class][tonumber(node.kind) or 4]
  if not t then raise("unknown-type", node.pos, ("there is no %s of kind %s"):format(node.class, node.kind)) end
  return fortran_expression.constant(t, t.class == "real" and converter(DOUBLE, t)(node.value) or node.value)
end
-- Compiles a complex constant (re, im); raises if a part is not a constant.
function compilers.complex(env, node)
  local re, im = compile(env, node.re), compile(env, node.im)
  for part, e in pairs { [node.re] = re, [node.im] = im } do
    needs(part, "number", e)
    if e.rank > 0 or part.tag == "id" and not e.constant then
      raise("type-mismatch", part.pos, "the parts of a complex number are constants",
        { help = "write cmplx(x, y)" })
    end
  end
  local part = common_type(common_type(re.type, im.type), fortran_types.REAL)
  local cx, cy = converter(re.type, part), converter(im.type, part)
  return scalar(fortran_types.intrinsic.complex[part.fkind], function(f)
    return { cx(re.value(f)), cy(im.value(f)) } end)
end
-- Compiles a character constant.
function compilers.str(_, node)
  return fortran_expression.constant(fortran_types.character(#node.value), node.value)
end
-- Compiles .true. or .false.
function compilers.truth(_, node)
  return fortran_expression.constant(LOGICAL, node.value)
end

-- ---------------------------------------------------------------------------- array constructors --

-- Compiles the items of an array constructor and appends them to the list `into`. An expression becomes {e, pos}, an
-- implied loop {counter, first, last, step, items, pos}, where `items` is such a list.
local function constructor_items(env, list, into)
  for _, node in ipairs(list) do
    if node.tag == "implied" then
      local inner = setmetatable({}, { __index = env })
      local counter = {}
      function inner.lookup(name, pos)
        if name ~= node.name then return env.lookup(name, pos) end
        return { type = INTEGER, counter = counter }
      end
      local items = {}
      constructor_items(inner, node.list, items)
      into[#into + 1] = { counter = counter, first = integer(env, node.first), last = integer(env, node.last),
        step = node.step and integer(env, node.step), items = items, pos = node.pos }
    else
      local e = compile(env, node)
      needs(node, "value", e)
      into[#into + 1] = { e = e, pos = node.pos }
    end
  end
end

-- Returns the common type of the items of an array constructor. specified_type: the type in the constructor's text, or
-- nil. Returns nil if there are no items and no such type. Raises if items have no common type.
local function types_in(items, specified_type)
  local t = specified_type
  for _, item in ipairs(items) do
    local item_type = item.e and item.e.type or types_in(item.items, specified_type)
    if not t then
      t = item_type
    elseif t.class ~= item_type.class and not (numeric[t.class] and numeric[item_type.class]) then
      raise("type-mismatch", item.pos, ("%s and %s in one array"):format(types.name(t), types.name(item_type)))
    elseif not specified_type then
      t = t.kind == "character" and (t.len >= item_type.len and t or item_type) or t.logical and t
        or common_type(t, item_type)
    end
  end
  return t
end

-- Appends the values of an array constructor's items in frame f, converted to type t, to the list `values`. Returns
-- this list.
local function collect(items, t, f, values)
  for _, item in ipairs(items) do
    if item.e then
      local convert = converter(item.e.type, t)
      if item.e.rank == 0 then
        values[#values + 1] = convert(item.e.value(f))
      else
        for _, v in ipairs(item.e.array(f)) do values[#values + 1] = convert(v) end
      end
    else
      for i = item.first(f), item.last(f), item.step and item.step(f) or 1 do
        item.counter.value = i
        collect(item.items, t, f, values)
      end
    end
  end
  return values
end

-- Compiles an array constructor; raises if it is empty and has no type.
function compilers.array(env, node)
  local items = {}
  constructor_items(env, node.list, items)
  local t = types_in(items, node.spec and env.session:fortran_type(node.spec))
  if not t then raise("type-mismatch", node.pos, "an empty array needs a type", { help = "write [real ::]" }) end
  return { type = t, rank = 1, array = function(f)
    local values = collect(items, t, f, {})
    values.shape = { #values }
    return values
  end }
end

return fortran_expression
