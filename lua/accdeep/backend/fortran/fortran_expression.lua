-- fortran_expression.lua - compiles Fortran expressions to Lua closures over a memory space, as closures.lua does for
-- C. There is no typed AST: types are checked while compiling.
--
-- Input: the AST of an expression. Output: an expression, as below.
--
-- An expression (AST) compiles to a table {type, rank, ...} with functions of the frame:
--   value       -> v, for scalars. Logical values are booleans, characters strings, complex values {re, im}.
--   array       -> {shape, v1, v2 ...} in memory order, for arrays.
--   lvalue      -> address, low, high, for scalars in memory.
--   section     -> {address, low, high, of, dims}, for arrays in memory; dims: list of {lower, extent, sm (stride)}.
--   descriptor  -> address, low, high of the descriptor, for whole allocatables and pointers; dtype: its type.
--   dynamic     -> the dynamic type, for polymorphic objects; `type` is the declared one.
-- Further fields: is_target (a pointer may point to it), constant (it cannot be assigned to), whole (a whole variable),
-- any_rank (assumed rank). Also text (for messages), node (its AST node), element_of and part_of (the array).
--
-- fortran_operations.lua adds operators, intrinsics.lua functions, constructor.lua structure constructors.
--
-- env: session, space (the memory), lookup(name, pos) -> binding {type, lvalue}; or {type, dope} for a descriptor
-- outside of this memory, where dope(frame) returns a section. frame: the table of one execution, as in closures.lua.
-- Compiled functions raise if an access is invalid; compilers raise if the text is.

local arithmetic = require "accdeep.types.arithmetic"
local closures = require "accdeep.backend.closures"
local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_types = require "accdeep.types.fortran_types"
local strings = require "accdeep.base.strings"
local types = require "accdeep.types"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"
local memory_view = require "accdeep.backend.memory_view"

local raise = diagnostic.raise
local with_position = closures.with_position

local fortran_expression = {}

local compile -- forward declaration

-- ------------------------------------------------------------------------------ loads and stores --

-- Returns a function (address, low, high, frame) -> v that loads a value of type t from a memory space.
local function loader(space, t)
  if t.kind == "character" then
    local byte = core.scalar.u8
    return function(address, low, high, f)
      local bytes = {}
      for i = 1, t.len do bytes[i] = string.char(space:load(address + i - 1, byte, 1, low, high, f)) end
      return table.concat(bytes)
    end
  end
  if t.kind == "complex" then
    local code, size = t.part.code, t.part.size
    return function(address, low, high, f)
      local re = space:load(address, code, size, low, high, f)
      return { re, (space:load(address + size, code, size, low, high, f)) }
    end
  end
  local code, size = t.code, t.size
  if t.logical then
    return function(address, low, high, f) return space:load(address, code, size, low, high, f) ~= 0 end
  end
  return function(address, low, high, f) return (space:load(address, code, size, low, high, f)) end
end

-- Returns a function that converts values of type `from` to type `to`. Both must be of one class: numbers, logical or
-- character.
local function converter(from, to)
  if to.kind == "character" then
    return function(v) return (v .. (" "):rep(to.len - #v)):sub(1, to.len) end
  elseif to.logical then
    return function(v) return v end
  elseif to.kind == "complex" then
    local part = arithmetic.converter(from.part or from, to.part)
    if not from.part then return function(v) return { part(v), 0.0 } end end
    return function(v) return { part(v[1]), part(v[2]) } end
  elseif from.kind == "complex" then
    local part = arithmetic.converter(from.part, to)
    return function(v) return part(v[1]) end
  end
  return arithmetic.converter(from, to)
end

-- Returns a function (address, v, low, high, frame) that stores a value of type t in a memory space.
local function storer(space, t)
  if t.kind == "character" then
    local byte = core.scalar.u8
    return function(address, v, low, high, f)
      for i = 1, t.len do space:store(address + i - 1, byte, 1, v:byte(i), low, high, f) end
    end
  end
  if t.kind == "complex" then
    local code, size = t.part.code, t.part.size
    return function(address, v, low, high, f)
      space:store(address, code, size, v[1], low, high, f)
      space:store(address + size, code, size, v[2], low, high, f)
    end
  end
  local code, size = t.code, t.size
  if t.logical then
    return function(address, v, low, high, f) space:store(address, code, size, v and 1 or 0, low, high, f) end
  end
  return function(address, v, low, high, f) space:store(address, code, size, v, low, high, f) end
end
fortran_expression.loader, fortran_expression.storer, fortran_expression.converter = loader, storer, converter

-- Returns a list with the addresses of a section's elements in memory order; an empty list if it has no elements.
function fortran_expression.addresses(section)
  local dims, list = section.dims, { section.address }
  local sizes = { [0] = 1 }
  for i, dim in ipairs(dims) do
    if dim.extent <= 0 then return {} end
    sizes[i] = sizes[i - 1] * dim.extent
  end
  for i, dim in ipairs(dims) do
    local n = sizes[i - 1]
    for k = n + 1, sizes[i] do list[k] = list[k - n] + dim.sm end
  end
  return list
end

-- Returns the extents of a list of dimensions `dims`; negative extents count as 0.
local function shape_of(dims)
  local shape = {}
  for i, dim in ipairs(dims) do shape[i] = math.max(dim.extent, 0) end
  return shape
end
fortran_expression.shape_of = shape_of

-- Returns the dynamic type of the expression `e` in frame f if it is polymorphic, otherwise its declared type.
function fortran_expression.type_of(e, f) return e.dynamic and e.dynamic(f) or e.type end

-- Returns the expression of a scalar value of type t. value: function of the frame.
function fortran_expression.scalar(t, value) return { type = t, rank = 0, value = value } end

-- Returns the expression of the constant v of type t.
function fortran_expression.constant(t, v)
  return fortran_expression.scalar(t, function() return v end)
end

-- -------------------------------------------------------------------------------- designators --

-- Always raises: the allocatable or pointer `e` has no target.
local function raise_absent(e, f, space)
  raise("null-pointer", f.pos, ("%s is not %s%s"):format(e.text or "the variable",
    e.dtype.attribute == "allocatable" and "allocated" or "associated", space.on_device and " on the device" or ""),
    { rule = space.on_device and memory_view.null_rule(space.session) or "ACC33-2.7-2" })
end

-- Always raises: an index is outside of its dimension. text: the array's name; i: number of the dimension.
local function out_of_bounds(space, address, f, pos, text, index, i, lower, extent)
  f.pos = pos
  space:out_of_bounds(address, ("index %d in dimension %d of %s is outside %d:%d"):format(index, i, text, lower,
    lower + extent - 1), f)
end

-- Returns the expression of an object of type t. node: its AST node; lvalue: function of the frame that returns its
-- address and bounds; fields: additional fields of the expression, or nil.
local function designator(env, node, t, lvalue, fields)
  local space = env.space
  local element_type, rank = fortran_types.element(t)
  local e = { type = element_type, rank = rank, text = unparse_fortran(node), node = node }
  for k, v in pairs(fields or {}) do e[k] = v end
  if t.kind == "descriptor" then
    e.dtype, e.descriptor = t, lvalue
    e.is_target = e.is_target or t.attribute == "pointer"
    local function load_base(f)
      local address, low, high = lvalue(f)
      local base, blow, bhigh = fortran_descriptor.base(space, address, low, high, f)
      if base == 0 then raise_absent(e, f, space) end
      return base, blow, bhigh, address, low, high
    end
    e.based = load_base
    e.dynamic = t.polymorphic and function(f)
      local address, low, high = lvalue(f)
      return (fortran_descriptor.type(space, t, address, low, high, f))
    end
    if rank == 0 then
      e.lvalue = function(f)
        local base, low, high = load_base(f)
        return base, low, high
      end
    else
      e.section = function(f)
        local base, blow, bhigh, address, low, high = load_base(f)
        return { address = base, low = blow, high = bhigh, of = element_type,
          dims = fortran_descriptor.dims(space, t, address, low, high, f) }
      end
    end
  elseif rank > 0 then
    local dims = fortran_descriptor.pack_strides(element_type, fortran_descriptor.copy_dims(t.bounds))
    e.dims, e.origin = dims, lvalue
    e.section = function(f)
      local address, low, high = lvalue(f)
      return { address = address, low = low, high = high, of = element_type, dims = fortran_descriptor.copy_dims(dims) }
    end
  else
    e.lvalue = lvalue
  end
  return fortran_expression.add_values(env, e)
end

-- Adds the function `value` (scalars) or `array` to an expression in memory, if its type has values; returns the
-- expression. A derived type has no values, so the expression stays as it is.
function fortran_expression.add_values(env, e)
  local t = e.type
  if t.kind ~= "scalar" and t.kind ~= "character" and t.kind ~= "complex" then return e end
  local load, lvalue, section = loader(env.space, t), e.lvalue, e.section
  if lvalue then
    e.value = function(f)
      local address, low, high = lvalue(f)
      return load(address, low, high, f)
    end
  else
    e.array = function(f)
      local s = section(f)
      local values = { shape = shape_of(s.dims) }
      for i, address in ipairs(fortran_expression.addresses(s)) do values[i] = load(address, s.low, s.high, f) end
      return values
    end
  end
  return e
end

-- Intrinsic procedures of Fortran that are not supported; a call raises an error that says so.
local unsupported_intrinsics = strings.word_set [[
  adjustl adjustr atan2 bessel_j0 c_associated c_f_pointer c_loc c_sizeof
  ceiling char command_argument_count cpu_time cshift date_and_time dot_product eoshift erf execute_command_line
  findloc gamma get_command_argument get_environment_variable iachar ichar index ishft len_trim maxloc merge
  minloc move_alloc norm2 pack parity popcnt present product random_number random_seed repeat scan
  selected_int_kind selected_real_kind spread storage_size system_clock trim unpack verify]]

-- Raises if the name is the name of an intrinsic procedure that is not supported.
function fortran_expression.check_intrinsic(name, pos)
  if not unsupported_intrinsics[name] then return end
  raise("unsupported", pos, ("the intrinsic procedure '%s' is not supported"):format(name), { length = #name,
    rule = "HOUSE-version", help = "write what it computes as statements" })
end

-- Always raises: the name `node` is unknown, or is an unsupported intrinsic procedure.
local function unknown_name(env, node)
  fortran_expression.check_intrinsic(node.name, node.pos)
  env.session.now.scope:no_variable(node, fortran_expression.intrinsics)
end

-- Compilers of expressions, by tag of the AST node: function(env, node) -> expression (see the head).
local compilers = {}

-- Makes an argument of assumed rank hide its elements, so that only inquiries such as shape() can use it; returns the
-- expression.
local function hide_rank(e)
  e.any_rank, e.value, e.array, e.lvalue = true, nil, nil, e.rank == 0 and e.lvalue or nil
  return e
end

-- Compiles a variable. node: AST of its name; binding: its binding in the environment (see the head).
local function variable(env, node, binding)
  -- The variable of an implied do has its value in `counter`.
  local counter = binding.counter
  if counter then return fortran_expression.scalar(binding.type, function() return counter.value end) end
  local t = binding.type
  -- A binding in a kernel describes only memory; attributes come from the declared variable.
  local declared = env.session.now.scope.variables[node.name] or binding
  if declared.any_rank and not binding.ranked then
    return hide_rank(variable(env, node, setmetatable({ ranked = true }, { __index = binding })))
  end
  if binding.dope then
    local element_type, rank = fortran_types.element(t)
    local e = { type = element_type, rank = rank, text = node.name, node = node, is_target = true, whole = true,
      constant = declared.constant, dynamic = binding.dynamic }
    if rank == 0 then
      e.lvalue = with_position(node, function(f)
        local s = binding.dope(f)
        return s.address, s.low, s.high
      end)
    else
      e.section = with_position(node, binding.dope)
    end
    return fortran_expression.add_values(env, e)
  end
  return designator(env, node, t, with_position(node, binding.lvalue), { is_target = declared.target, whole = true,
    constant = declared.constant, dynamic = binding.dynamic })
end

-- Compiles a name: a constant or a variable. Raises for procedures and unknown names.
function compilers.id(env, node)
  local binding = env.lookup(node.name, node.pos)
  if not binding then
    local intrinsic = fortran_expression.intrinsics[node.name]
    if intrinsic or env.session:fortran_procedure(node.name) then
      raise("type-mismatch", node.pos, ("'%s' is a procedure: give it arguments"):format(node.name),
        { length = #node.name })
    end
    unknown_name(env, node)
  end
  if binding.const then return fortran_expression.constant(fortran_types.INTEGER, binding.const) end
  if binding.fn then
    raise("type-mismatch", node.pos, ("'%s' is a function: give it arguments"):format(node.name),
      { length = #node.name })
  end
  return variable(env, node, binding)
end

-- Returns the parts z%re and z%im of a complex variable of type t, by name: real variables {type, offset}.
local function complex_parts(t)
  return { re = { type = t.part, offset = 0 }, im = { type = t.part, offset = t.part.size } }
end

-- Compiles a component. For an array of objects, the result is the section of this component in all elements. Raises if
-- the base has no such component, or if the component is an array in every element of an array.
function compilers.component(env, node)
  local base = compile(env, node.base)
  local record = base.type
  local part = record.kind == "complex" and (base.lvalue or base.section) and complex_parts(record)[node.name]
  if record.kind ~= "record" and not part then
    raise("not-a-struct", node.pos, ("%s is %s: it has no components"):format(base.text or "this", types.name(record)))
  end
  local member = part or types.member(record, node.name)
  if not member then
    raise("unknown-member", node.name_pos, ("%s has no component '%s'"):format(types.name(record), node.name),
      { length = #node.name, help = diagnostic.suggest(node.name, record.by_name or {}) })
  end
  local offset, fields = member.offset, { is_target = base.is_target, constant = base.constant }
  if base.rank == 0 then
    local lvalue = base.lvalue
    return designator(env, node, member.type, with_position(node, function(f)
      local address, low, high = lvalue(f)
      return address + offset, low, high
    end), fields)
  end
  if member.type.kind == "array" or member.type.kind == "descriptor" then
    raise("type-mismatch", node.name_pos, ("'%s' is an array in every element of %s"):format(node.name, base.text),
      { length = #node.name, help = "name one element" })
  end
  local section = base.section
  fields.type, fields.rank, fields.text, fields.node = member.type, base.rank, unparse_fortran(node), node
  fields.section = with_position(node, function(f)
    local s = section(f)
    for _, dim in ipairs(s.dims) do dim.lower = 1 end
    return { address = s.address + offset, low = s.low, high = s.high, of = member.type, dims = s.dims }
  end)
  return fortran_expression.add_values(env, fields)
end

-- ------------------------------------------------------------------------- elements and sections --

-- Compiles a scalar integer expression, such as a bound or an index. Returns its value function and the expression;
-- raises if it is an array or of another type.
local function integer(env, node)
  local e = compile(env, node)
  if e.rank ~= 0 then
    raise("type-mismatch", node.pos, ("a scalar is needed, this has %s"):format(
      strings.count(e.rank, "dimension")))
  elseif e.type.class ~= "integer" then
    raise("type-mismatch", node.pos, ("an integer is needed, this is %s"):format(types.name(e.type)))
  end
  return e.value, e
end
fortran_expression.integer = integer

-- Returns two functions that find the dimensions of the array expression `base`. The first, start(frame), returns the
-- address of the first element, its bounds and three values x, y, z. The second, dim(i, x, y, z, frame), takes these
-- values and returns lower bound, extent and stride of dimension i.
local function dimensions(space, base)
  local t = base.dtype
  local function dim_of(i, dims)
    local dim = dims[i]
    return dim.lower, dim.extent, dim.sm
  end
  if base.dims then
    local origin, dims = base.origin, base.dims
    return function(f)
      local address, low, high = origin(f)
      return address, low, high, dims
    end, dim_of
  -- The second function reads only those words of the descriptor that the indices need.
  elseif base.descriptor then
    return base.based, function(i, address, low, high, f) return fortran_descriptor.dim(
      space, t, address, i, low, high, f) end
  end
  return function(f)
    local s = base.section(f)
    return s.address, s.low, s.high, s.dims
  end, dim_of
end

-- Returns an lvalue function for one element of the array `base`, which raises if an index is out of bounds. indices:
-- value functions; pos: position for errors.
local function element(env, base, indices, pos)
  local n, space, text = #indices, env.space, base.text
  local start, dim = dimensions(space, base)
  return function(f)
    local address, low, high, x, y, z = start(f)
    local offset = 0
    for i = 1, n do
      local index = indices[i](f)
      local lower, extent, sm = dim(i, x, y, z, f)
      local distance = index - lower
      if distance < 0 or distance >= extent then
        out_of_bounds(space, address, f, pos, text, index, i, lower, extent)
      end
      offset = offset + distance * sm
    end
    return address + offset, low, high
  end
end

-- Compiles a section of the array `base`. subscripts: {index} removes its dimension; {first, last, step, pos} keeps its
-- dimension, where nil means the array's bound. All are value functions. The compiled function raises if an index is
-- out of bounds.
local function array_part(env, node, base, subscripts)
  local section, space, text, pos = base.section, env.space, base.text, node.pos
  local rank = 0
  for _, subscript in ipairs(subscripts) do rank = rank + (subscript.index and 0 or 1) end
  local e = { type = base.type, rank = rank, text = unparse_fortran(node), node = node, is_target = base.is_target,
    constant = base.constant, part_of = base, dynamic = base.dynamic }
  e.section = with_position(node, function(f)
    local s = section(f)
    local address, dims = s.address, {}
    for i, subscript in ipairs(subscripts) do
      local dim = s.dims[i]
      local last = dim.lower + dim.extent - 1
      if subscript.index then
        local index = subscript.index(f)
        if index < dim.lower or index > last then
          out_of_bounds(space, s.address, f, pos, text, index, i, dim.lower, dim.extent)
        end
        address = address + (index - dim.lower) * dim.sm
      else
        local step = subscript.step and subscript.step(f) or 1
        if step == 0 then raise("invalid-section", subscript.pos, "a step of zero", { rule = "ACC33-2.7.1-1" }) end
        local from = subscript.first and subscript.first(f) or (step > 0 and dim.lower or last)
        local to = subscript.last and subscript.last(f) or (step > 0 and last or dim.lower)
        local extent = math.max((to - from + step) // step, 0)
        if extent > 0 then
          local finish = from + (extent - 1) * step
          if math.min(from, finish) < dim.lower or math.max(from, finish) > last then
            local index = (from < dim.lower or from > last) and from or finish
            out_of_bounds(space, s.address, f, pos, text, index, i, dim.lower, dim.extent)
          end
          address = address + (from - dim.lower) * dim.sm
        end
        dims[#dims + 1] = { lower = 1, extent = extent, sm = step * dim.sm }
      end
    end
    return { address = address, low = s.low, high = s.high, of = s.of, dims = dims }
  end)
  return fortran_expression.add_values(env, e)
end

-- Returns the array whose elements a reference a(...) selects. Returns nil if `a` is not a variable, so that the
-- reference is a call.
local function array_base(env, node)
  if node.base.tag ~= "id" then return compile(env, node.base) end
  local binding = env.lookup(node.base.name, node.base.pos)
  if not binding or binding.fn then return nil end
  return compile(env, node.base)
end

-- Compiles a(...): an element or section of an array, or a call. Raises if the subscripts do not fit the array.
function compilers.reference(env, node)
  local base = array_base(env, node)
  if not base then return fortran_expression.call(env, node) end
  if base.any_rank then
    raise("type-mismatch", node.pos, ("%s has assumed rank: its elements are known in select rank"):format(base.text),
      { length = #base.text })
  end
  if base.rank == 0 then
    if base.type.kind == "character" and #node.args == 1 and node.args[1].tag == "range" then
      raise("unsupported", node.pos, "substrings are not supported", { rule = "HOUSE-version" })
    end
    raise("type-mismatch", node.pos, ("%s is %s, no array"):format(base.text or "this", types.name(base.type)))
  end
  if not base.section then raise("syntax", node.pos, "elements are those of variables") end
  if #node.args ~= base.rank then
    raise("type-mismatch", node.pos, ("%s has %s, not %d"):format(base.text,
      strings.count(base.rank, "dimension"), #node.args))
  end
  local subscripts, is_element, indices = {}, true, {}
  for i, arg in ipairs(node.args) do
    if arg.tag == "range" then
      is_element = false
      subscripts[i] = { pos = arg.pos, first = arg.first and integer(env, arg.first),
        last = arg.last and integer(env, arg.last), step = arg.step and integer(env, arg.step) }
    elseif arg.tag == "keyword" then
      raise("syntax", arg.pos, "an index has no keyword")
    else
      if compile(env, arg).rank > 0 then
        raise("unsupported", arg.pos, "vector subscripts are not supported", { rule = "HOUSE-version",
          help = "write a loop over the elements" })
      end
      local value = integer(env, arg)
      indices[i] = value
      subscripts[i] = { index = value }
    end
  end
  if not is_element then return array_part(env, node, base, subscripts) end
  local lvalue = element(env, base, indices, node.pos)
  local e = designator(env, node, base.type, with_position(node, lvalue),
    { is_target = base.is_target, constant = base.constant })
  e.element_of, e.dynamic = base, base.dynamic
  return e
end

-- Returns an expression that is compiled already, inside an AST.
function compilers.compiled(_, node) return node.e end
-- These nodes are only parts of subscripts and arguments; as an expression, each of them raises.
function compilers.star(_, node) raise("syntax", node.pos, "'*' is not a value") end
function compilers.range(_, node) raise("syntax", node.pos, "a range is not a value") end
function compilers.keyword(_, node) raise("syntax", node.pos, "a keyword stands among arguments") end

-- Compiles any expression; raises if it is invalid.
function compile(env, node) return compilers[node.tag](env, node) end

fortran_expression.compile, fortran_expression.compilers, fortran_expression.designator = compile, compilers, designator
-- The function constructor(env, node) is set by constructor.lua.
fortran_expression.intrinsics = {} -- name -> function(env, node): set by intrinsics.lua

-- Makes an expression ignore the mask of a where statement, unless it is elemental; returns the expression. The mask is
-- in frame.mask. Elemental operations skip the elements that the mask excludes; all other operations compute all
-- elements.
local function ignore_mask(e)
  if e.elemental then return e end
  for _, form in ipairs { "value", "array" } do
    local fn = e[form]
    e[form] = fn and function(f)
      local mask = f.mask
      f.mask = nil
      local v = fn(f)
      f.mask = mask
      return v
    end
  end
  return e
end

-- Compiles a call in an expression: a function of the text, a structure constructor, an intrinsic function, or a
-- function of the scenario, in this order. Raises if none has the name.
function fortran_expression.call(env, node)
  local name = node.base.name
  local procedure, measured = env.session:fortran_procedure(name), env.session.now.measured
  if procedure and measured then measured.calls = true end
  if procedure then return ignore_mask(env.session:fortran_function(env, node, procedure)) end
  local object = fortran_expression.constructor(env, node)
  if object then return object end
  local intrinsic = fortran_expression.intrinsics[name]
  if intrinsic then return ignore_mask(intrinsic(env, node)) end
  local binding = env.lookup(name, node.base.pos)
  if not binding then unknown_name(env, node.base) end
  if measured then measured.calls = true end
  local args = {}
  for i, arg in ipairs(node.args) do
    args[i] = compile(env, arg)
    fortran_expression.needs(arg, "value", args[i])
  end
  -- The type of a scenario's function follows its name, because it has no declaration: i to n are integers.
  local t = name:find "^[i-n]" and fortran_types.LONG or fortran_types.DOUBLE
  return fortran_expression.scalar(t, function(f)
    local values = {}
    for i, arg in ipairs(args) do values[i] = (arg.value or arg.array)(f) end
    f.pos = node.pos
    local result = binding.fn(table.unpack(values, 1, #args))
    local v = type(result) == "number" and (t == fortran_types.DOUBLE and result + 0.0 or math.tointeger(result))
    return v or raise("type-mismatch", node.pos, ("%s returned %s, not %s"):format(name, tostring(result),
      types.name(t)), { length = #name, help = "functions are integer if their names begin with i to n, else real" })
  end)
end

return fortran_expression
