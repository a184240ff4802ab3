-- intrinsics.lua - intrinsic functions of Fortran: name -> function(env, node) -> expression (fortran_expression.lua).
-- Arguments may have the standard's keywords, which the signatures list. All of them raise if an argument is missing,
-- unknown or of a wrong type. A builder is the function `build` of `define`.

local complex = require "accdeep.backend.fortran.complex"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_dynamic_types = require "accdeep.types.fortran_dynamic_types"
local fortran_operations = require "accdeep.backend.fortran.fortran_operations"
local fortran_types = require "accdeep.types.fortran_types"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise
local compile, needs, converter = fortran_operations.compile, fortran_operations.needs, fortran_operations.converter
local INTEGER, LOGICAL, REAL, DOUBLE, LONG =
  fortran_types.INTEGER, fortran_types.LOGICAL, fortran_types.REAL, fortran_types.DOUBLE, fortran_types.LONG

local intrinsics, scalar, type_of = fortran_operations.intrinsics, fortran_operations.scalar, fortran_operations.type_of

-- Returns the arguments of a call by name. signature: names in order, where ? marks optional arguments: "array dim?"
-- gives {array = node, dim = node or nil}. Raises for missing, unknown and repeated arguments, and for ranges.
local function match_arguments(node, signature)
  local actuals, name = {}, node.base.name
  local names, needed = {}, {}
  for word, mark in signature:gmatch "([%w_]+)(%??)" do
    names[#names + 1] = word
    names[word] = true
    if mark == "" then needed[#needed + 1] = word end
  end
  for i, arg in ipairs(node.args) do
    local key = arg.tag == "keyword" and arg.name or names[i]
    if not key or not names[key] or actuals[key] then
      raise("type-mismatch", arg.pos, ("%s has no such argument"):format(name),
        { help = ("%s(%s)"):format(name, signature:gsub(" ", ", "):gsub("%?", "")) })
    end
    if arg.tag == "range" then raise("type-mismatch", arg.pos, ("%s takes no range"):format(name)) end
    actuals[key] = arg.tag == "keyword" and arg.e or arg
  end
  for _, word in ipairs(needed) do
    if not actuals[word] then
      raise("type-mismatch", node.pos, ("%s needs its argument '%s'"):format(name, word), { length = #name })
    end
  end
  return actuals
end

-- Compiles an argument; raises if the argument is not of the sort `required` (needs in fortran_operations.lua).
local function argument(env, node, required)
  local e = compile(env, node)
  needs(node, required, e)
  return e
end

-- Defines intrinsic functions. names: separated by blanks; signature: as in match_arguments. build(env, node,
-- arguments, name): returns the expression of a call, where arguments has AST nodes by name.
local function define(names, signature, build)
  for name in names:gmatch "%S+" do
    intrinsics[name] = function(env, node) return build(env, node, match_arguments(node, signature), name) end
  end
end

-- Returns the type that a kind argument selects in a class of types. node: AST of the argument; nil: the result is
-- `default`. Raises if there is no such type.
local function kind_of(env, node, class, default)
  if not node then return default end
  local value = fortran_operations.integer(env, node)
  local kind = value {}
  return fortran_types.intrinsic[class][kind]
    or raise("unknown-type", node.pos, ("there is no %s of kind %d"):format(class, kind))
end

-- ------------------------------------------------------------------------- shapes and pointers --

-- Compiles an argument; raises if it is neither an array nor of assumed rank.
local function array_of(env, node)
  local e = compile(env, node)
  if e.rank == 0 and not e.any_rank then
    raise("type-mismatch", node.pos, ("%s is not an array"):format(e.text or "this"))
  end
  return e
end

-- Returns a function of the frame that returns the dims of an array expression, a list of {lower, extent}; an empty
-- list for a scalar. Lower bounds of values without memory are 1.
local function dims_of(e)
  if e.rank == 0 then return function() return {} end end
  if e.section then
    local section = e.section
    return function(f) return section(f).dims end
  end
  local array = e.array
  return function(f)
    local dims = {}
    for i, n in ipairs(array(f).shape) do dims[i] = { lower = 1, extent = n } end
    return dims
  end
end

define("rank", "a", function(env, _, arguments)
  return fortran_operations.constant(INTEGER, compile(env, arguments.a).rank)
end)

-- Returns the builder of an inquiry (lbound, ubound, size, shape). of_dimension(dim): result for one dimension;
-- of_shape(dims): result for all dimensions together; nil: the result is an array with one value for each dimension.
local function inquiry(of_dimension, of_shape)
  return function(env, node, arguments)
    local e = array_of(env, arguments.array or arguments.source)
    local dims, t = dims_of(e), kind_of(env, arguments.kind, "integer", INTEGER)
    local pos = node.pos
    if arguments.dim then
      local number = fortran_operations.integer(env, arguments.dim)
      return scalar(t, function(f)
        f.pos = pos
        local i, list = number(f), dims(f)
        if i < 1 or i > #list then
          raise("out-of-bounds", arguments.dim.pos, ("%s has no dimension %d"):format(e.text or "the array", i))
        end
        return of_dimension(list[i])
      end)
    elseif of_shape then
      return scalar(t, function(f)
        f.pos = pos
        return of_shape(dims(f))
      end)
    end
    return { type = t, rank = 1, array = function(f)
      f.pos = pos
      local values = { shape = { e.rank } }
      for i, dim in ipairs(dims(f)) do values[i] = of_dimension(dim) end
      return values
    end }
  end
end
-- Results of lbound, ubound, and of size and shape for one dimension; a dimension without elements is 1:0.
local function lower(dim) return dim.extent > 0 and dim.lower or 1 end
local function upper(dim) return dim.extent > 0 and dim.lower + dim.extent - 1 or 0 end
local function extent(dim) return math.max(dim.extent, 0) end
define("lbound", "array dim? kind?", inquiry(lower))
define("ubound", "array dim? kind?", inquiry(upper))
define("size", "array dim? kind?", inquiry(extent, fortran_descriptor.count))
define("shape", "source kind?", inquiry(extent))

-- Compiles an argument; raises if it is not a whole variable with the attribute `attribute`: "pointer" or
-- "allocatable".
local function descriptor_of(env, node, attribute)
  local e = compile(env, node)
  if not e.descriptor or e.dtype.attribute ~= attribute then
    raise("not-a-pointer", node.pos, ("%s is not %s"):format(e.text or "this",
      attribute == "pointer" and "a pointer" or "allocatable"))
  end
  return e
end

-- Returns a function of the frame that returns the base address in the descriptor of expression `e`; 0 if `e` has no
-- target.
local function base_of(env, e)
  local descriptor, space = e.descriptor, env.space
  return function(f)
    local address, low, high = descriptor(f)
    return (fortran_descriptor.base(space, address, low, high, f))
  end
end

define("allocated", "array", function(env, _, arguments)
  local base = base_of(env, descriptor_of(env, arguments.array, "allocatable"))
  return scalar(LOGICAL, function(f) return base(f) ~= 0 end)
end)

-- True if two sections have the same elements in the same order, and have at least one element. Strides of dimensions
-- with one element do not count.
local function same_section(a, b)
  if a.address ~= b.address or #a.dims ~= #b.dims then return false end
  for i, dim in ipairs(a.dims) do
    local other = b.dims[i]
    if dim.extent ~= other.extent or dim.extent < 1 or dim.extent > 1 and dim.sm ~= other.sm then return false end
  end
  return true
end

define("associated", "pointer target?", function(env, node, arguments)
  local pointer = descriptor_of(env, arguments.pointer, "pointer")
  local base = base_of(env, pointer)
  if not arguments.target then
    return scalar(LOGICAL, function(f) return base(f) ~= 0 end)
  end
  local target = compile(env, arguments.target)
  if not target.lvalue and not target.section then
    raise("type-mismatch", arguments.target.pos, "the target of associated is a variable")
  end
  local other = target.descriptor and base_of(env, target)
  return scalar(LOGICAL, function(f)
    f.pos = node.pos
    if base(f) == 0 or other and other(f) == 0 then return false end
    if pointer.rank > 0 and target.rank > 0 then return same_section(pointer.section(f), target.section(f)) end
    if target.rank > 0 then return pointer.lvalue(f) == target.section(f).address end
    if pointer.rank > 0 then return pointer.section(f).address == target.lvalue(f) end
    return pointer.lvalue(f) == target.lvalue(f)
  end)
end)

define("null", "mold?", function() return { type = types.void, rank = 0, is_null = true } end)

define("present", "a", function(env, _, arguments)
  local binding = arguments.a.tag == "id" and env.session.now.scope.variables[arguments.a.name]
  if not binding then raise("type-mismatch", arguments.a.pos, "present takes the name of an argument") end
  return scalar(LOGICAL, function() return not binding.absent end)
end)

-- -------------------------------------------------------------------------------------- numbers --

define("real float", "a kind?", function(env, _, arguments)
  local e = argument(env, arguments.a, "numeric")
  local t = kind_of(env, arguments.kind, "real", e.type.part or REAL)
  return fortran_operations.map_elements(t, converter(e.type, t), e)
end)
define("dble", "a", function(env, _, arguments)
  local e = argument(env, arguments.a, "numeric")
  return fortran_operations.map_elements(DOUBLE, converter(e.type, DOUBLE), e)
end)

-- Returns the builder of a conversion to integer. round: function that rounds a real number; nil: the conversion
-- truncates.
local function define_conversion(round)
  return function(env, _, arguments)
    local e = argument(env, arguments.a, round and "number" or "numeric")
    local t = kind_of(env, arguments.kind, "integer", INTEGER)
    local fit = converter(e.type.float and DOUBLE or e.type, t)
    return fortran_operations.map_elements(t, function(v) return fit(round and e.type.float and round(v) or v) end, e)
  end
end
define("int", "a kind?", define_conversion())
define("nint", "a kind?", define_conversion(function(v) return v < 0 and math.ceil(v - 0.5) or math.floor(v + 0.5) end))
define("floor", "a kind?", define_conversion(math.floor))
define("ceiling", "a kind?", define_conversion(math.ceil))

define("logical", "l kind?", function(env, _, arguments)
  local e = argument(env, arguments.l, "logical")
  return fortran_operations.map_elements(kind_of(env, arguments.kind, "logical", LOGICAL), function(v) return v end, e)
end)

for name, fn in pairs { sqrt = math.sqrt, exp = math.exp, log = math.log, sin = math.sin, cos = math.cos,
  tan = math.tan, atan = math.atan, asin = math.asin, acos = math.acos } do
  define(name, "x", function(env, _, arguments)
    local e = argument(env, arguments.x, "number")
    if not e.type.float then raise("type-mismatch", arguments.x.pos, ("%s needs a real number"):format(name)) end
    local fit = converter(DOUBLE, e.type)
    return fortran_operations.map_elements(e.type, function(v) return fit(fn(v)) end, e)
  end)
end

-- cmplx: makes a complex number of one or two parts. kind: kind of the result.
define("cmplx", "x y? kind?", function(env, node, arguments)
  local t = kind_of(env, arguments.kind, "complex", fortran_types.COMPLEX)
  local x, y = compile(env, arguments.x), arguments.y and compile(env, arguments.y)
  needs(arguments.x, y and "number" or "numeric", x)
  local cx = converter(x.type, y and t.part or t)
  if not y then return fortran_operations.map_elements(t, cx, x) end
  needs(arguments.y, "number", y)
  local cy = converter(y.type, t.part)
  return fortran_operations.map_elements(t, function(re, im) return { cx(re), cy(im) } end, x, y, node.pos)
end)

define("aimag", "z", function(env, _, arguments)
  local e = argument(env, arguments.z, "complex")
  return fortran_operations.map_elements(e.type.part, function(v) return v[2] end, e)
end)
define("conjg", "z", function(env, _, arguments)
  local e = argument(env, arguments.z, "complex")
  return fortran_operations.map_elements(e.type, function(v) return { v[1], -v[2] } end, e)
end)

define("abs", "a", function(env, _, arguments)
  local e = argument(env, arguments.a, "numeric")
  if e.type.part then
    local fit = converter(DOUBLE, e.type.part)
    return fortran_operations.map_elements(e.type.part, function(v) return fit(complex.abs(v)) end, e)
  end
  return fortran_operations.map_elements(e.type, math.abs, e)
end)

-- Compiles two arguments; returns both and their common type. x, y: names of the arguments. Raises if one is not a
-- number.
local function two_numbers(env, arguments, x, y)
  local a, b = compile(env, arguments[x]), compile(env, arguments[y])
  needs(arguments[x], "number", a)
  needs(arguments[y], "number", b)
  return a, b, fortran_operations.common_type(a.type, b.type)
end
-- Returns the builder of mod or modulo. apply: the function on two numbers. A zero divisor raises for integers.
local function remainder(apply)
  return function(env, node, arguments)
    local a, b, t = two_numbers(env, arguments, "a", "p")
    local cx, cy, fit = converter(a.type, t), converter(b.type, t), converter(t.float and DOUBLE or LONG, t)
    return fortran_operations.map_elements(t, function(x, y)
      x, y = cx(x), cy(y)
      if y == 0 and not t.float then raise("scenario-error", node.pos, "division by zero") end
      return fit(apply(x, y))
    end, a, b, node.pos)
  end
end
define("mod", "a p", remainder(math.fmod))
define("modulo", "a p", remainder(function(a, b) return a - (a // b) * b end))

-- Bitwise operations iand, ior and ieor.
for name, apply in pairs { iand = function(x, y) return x & y end, ior = function(x, y) return x | y end,
  ieor = function(x, y) return x ~ y end } do
  define(name, "i j", function(env, node, arguments)
    local a, b = compile(env, arguments.i), compile(env, arguments.j)
    needs(arguments.i, "integer", a)
    needs(arguments.j, "integer", b)
    return fortran_operations.map_elements(fortran_operations.common_type(a.type, b.type), apply, a, b, node.pos)
  end)
end

-- max and min take two or more arguments.
for name, better in pairs { max = function(a, b) return a > b end, min = function(a, b) return a < b end } do
  intrinsics[name] = function(env, node)
    if #node.args < 2 then raise("type-mismatch", node.pos, ("%s needs two arguments"):format(name)) end
    local result
    for _, arg in ipairs(node.args) do
      local e = compile(env, arg)
      needs(arg, "number", e)
      if result then
        local t = fortran_operations.common_type(result.type, e.type)
        local cx, cy = converter(result.type, t), converter(e.type, t)
        result = fortran_operations.map_elements(t, function(x, y)
          x, y = cx(x), cy(y)
          return better(y, x) and y or x
        end, result, e, node.pos)
      else
        result = e
      end
    end
    return result
  end
end

-- --------------------------------------------------------------------------------------- arrays --

-- Returns the greatest value of an integer or real type t.
local function greatest_value(t)
  if t.class == "integer" then return (1 << (8 * t.size - 1)) - 1 end
  return t.size == 4 and 0x1.fffffep127 or 0x1.fffffffffffffp1023
end

-- Returns the least value of an integer or real type t.
local function least_value(t) return t.class == "integer" and -greatest_value(t) - 1 or -greatest_value(t) end

-- Returns the builder of a reduction of an array. value_of_empty: a function of the type, whose result is the value for
-- an array without elements. apply: a function of two values, or an operator. class: required sort of the elements
-- (needs in fortran_operations.lua).
local function reduction(value_of_empty, apply, class)
  return function(env, node, arguments)
    if arguments.dim then raise("unsupported", node.pos, "reductions of one dimension are not supported") end
    local e = array_of(env, arguments.array)
    needs(arguments.array, class, e)
    local t = e.type
    local fn = type(apply) == "string" and fortran_operations.operators[t.class][apply] or apply
    local fit, empty = converter(fortran_operations.widest[t.class], t), value_of_empty(t)
    return scalar(t, function(f)
      local result
      for _, v in ipairs(e.array(f)) do result = result and fit(fn(result, v)) or v end
      return result or empty
    end)
  end
end
local function zero(t) return converter(INTEGER, t)(0) end
local function unity(t) return converter(INTEGER, t)(1) end
define("sum", "array dim?", reduction(zero, "+", "numeric"))
define("product", "array dim?", reduction(unity, "*", "numeric"))
define("maxval", "array dim?", reduction(least_value, math.max, "number"))
define("minval", "array dim?", reduction(greatest_value, math.min, "number"))
define("huge", "x", function(env, _, arguments)
  local t = compile(env, arguments.x).type
  return fortran_operations.constant(t, greatest_value(t))
end)

-- Returns the builder of all, any or count, functions of a mask. t: type of the result; result(n, total): the result
-- for n true elements of `total` elements.
local function define_mask_function(t, result)
  return function(env, node, arguments)
    if arguments.dim then raise("unsupported", node.pos, "reductions of one dimension are not supported") end
    local e = array_of(env, arguments.mask)
    needs(arguments.mask, "logical", e)
    return scalar(t, function(f)
      f.pos = node.pos
      local values, n = e.array(f), 0
      for _, v in ipairs(values) do n = n + (v and 1 or 0) end
      return result(n, #values)
    end)
  end
end
define("all", "mask dim?", define_mask_function(LOGICAL, function(n, total) return n == total end))
define("any", "mask dim?", define_mask_function(LOGICAL, function(n) return n > 0 end))
define("count", "mask dim?", define_mask_function(INTEGER, function(n) return n end))

define("reshape", "source shape", function(env, node, arguments)
  local e, shape = array_of(env, arguments.source), array_of(env, arguments.shape)
  needs(arguments.source, "value", e)
  needs(arguments.shape, "integer", shape)
  -- The rank of the result is the length of the shape. It must be known now, so only an array constructor is accepted.
  local rank = arguments.shape.tag == "array" and #arguments.shape.list
  if not rank then raise("unsupported", arguments.shape.pos, "the shape is written as an array constructor here") end
  return { type = e.type, rank = rank, array = function(f)
    local values, extents = e.array(f), shape.array(f)
    local n, result = 1, { shape = {} }
    for i, length in ipairs(extents) do
      n, result.shape[i] = n * length, length
    end
    if #values < n then
      raise("out-of-bounds", node.pos, ("%s for %s"):format(strings.count(#values, "value"),
        strings.count(n, "element")))
    end
    for i = 1, n do result[i] = values[i] end
    return result
  end }
end)

define("len", "string", function(env, _, arguments)
  local e = argument(env, arguments.string, "character")
  return scalar(INTEGER, function() return e.type.len end)
end)
define("trim", "string", function(env, _, arguments)
  local e = argument(env, arguments.string, "character")
  return fortran_operations.map_elements(e.type, function(v) return (v:gsub(" +$", "")) end, e)
end)
define("merge", "tsource fsource mask", function(env, node, arguments)
  local yes, no, mask = compile(env, arguments.tsource), compile(env, arguments.fsource), compile(env, arguments.mask)
  needs(arguments.mask, "logical", mask)
  needs(arguments.tsource, "value", yes)
  needs(arguments.fsource, yes.type.class, no)
  if mask.rank > 0 then raise("unsupported", node.pos, "the mask of merge is a scalar here") end
  if yes.rank ~= no.rank then raise("unsupported", node.pos, "tsource and fsource of merge have the same rank here") end
  return { type = yes.type, rank = yes.rank, [yes.rank > 0 and "array" or "value"] = function(f)
    local e = mask.value(f) and yes or no
    return (e.rank > 0 and e.array or e.value)(f)
  end }
end)

define("kind", "x", function(env, _, arguments)
  return fortran_operations.constant(INTEGER, compile(env, arguments.x).type.fkind)
end)

-- storage_size and sizeof: bits of an element, and bytes of the whole argument.
define("storage_size sizeof", "a", function(env, node, arguments, name)
  local e = compile(env, arguments.a)
  local times = name == "sizeof" and 1 or 8
  return scalar(LONG, function(f)
    f.pos = node.pos
    local n = name == "sizeof" and e.rank > 0 and fortran_descriptor.count(dims_of(e)(f)) or 1
    return type_of(e, f).size * n * times
  end)
end)

-- Returns the builder of an inquiry about the dynamic types of two objects. holds(a, b): the result for these types.
local function inquiry_of_types(holds)
  return function(env, node, arguments)
    local a, b = compile(env, arguments.a), compile(env, arguments.b or arguments.mold)
    for i, e in ipairs { a, b } do
      if e.type.kind ~= "record" then
        raise("type-mismatch", (i == 1 and arguments.a or arguments.b or arguments.mold).pos,
          ("%s is %s, no derived type"):format(e.text or "this", types.name(e.type)))
      end
    end
    return scalar(LOGICAL, function(f)
      f.pos = node.pos
      return holds(type_of(a, f), type_of(b, f))
    end)
  end
end
define("same_type_as", "a b", inquiry_of_types(function(a, b) return a == b end))
define("extends_type_of", "a mold", inquiry_of_types(fortran_dynamic_types.extends))

-- is_contiguous: true if the elements of an array are contiguous in memory.
define("is_contiguous", "array", function(env, _, arguments)
  local e = array_of(env, arguments.array)
  if not e.section then raise("type-mismatch", arguments.array.pos, "is_contiguous takes a variable") end
  return scalar(LOGICAL, function(f)
    return fortran_descriptor.is_contiguous(type_of(e, f), e.section(f).dims)
  end)
end)

return intrinsics
