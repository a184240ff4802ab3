-- assignment.lua - Fortran's assignments: values to variables (=) and targets to pointers (=>).
--
-- assignment.value(env, node, to, e) and assignment.target(env, node, to_node, e) compile an assignment to a function
-- of the frame. node: AST of the statement, for positions; to, e: expressions (fortran_expression.lua). A whole
-- allocatable takes the shape of the assigned value.

local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_dynamic_types = require "accdeep.types.fortran_dynamic_types"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
local fortran_types = require "accdeep.types.fortran_types"
local object = require "accdeep.backend.fortran.object"
local types = require "accdeep.types"

local raise = diagnostic.raise
local shape_of = fortran_expression.shape_of

local assignment = {}

-- Raises if the types of the value `e` and of the variable `target` do not allow an assignment. node: AST of the
-- statement.
local function check_types(node, target, e)
  local to, from, text = target.type, e.type, target.text
  if target.dynamic and from.kind == "record" then
    if not node.is_source and (not target.dtype or target.dtype.attribute ~= "allocatable") then
      raise("type-mismatch", node.pos, ("%s is polymorphic: only an allocatable one can be assigned to"):format(text),
        { help = "assign components, or in select type" })
    elseif fortran_dynamic_types.extends(from, to) then
      return
    end
  end
  local fits = from.class == to.class or fortran_expression.numeric[from.class] and fortran_expression.numeric[to.class]
  if from.kind == "record" and from ~= to or not fits then
    raise("type-mismatch", node.pos, ("%s cannot be assigned to %s, which is %s"):format(types.name(from),
      text or "this", types.name(to)))
  end
end

-- Reallocates the whole allocatable `to` in frame f if its shape differs from `shape`, or its dynamic type from
-- `element_type` (nil: any). shape: extents of the value; dims: its dimensions, for the lower bounds. For a scalar
-- value both are nil, and the shape is kept; this raises if `to` is an array that is not allocated.
local function ensure_shape(env, to, f, shape, dims, element_type)
  local session, t = env.session, to.dtype
  local address = to.descriptor(f)
  local base, _, current_dims, current_type = object.current_elements(session, t, address, f)
  local fits = base ~= nil and (not element_type or element_type == current_type)
  if not shape then
    if fits then return end
    if t.rank > 0 and not base then
      raise("null-pointer", f.pos, ("%s is not allocated"):format(to.text), { rule = "ACC33-2.7-2",
        help = "a scalar gives it no shape: allocate it first" })
    end
    shape, dims = {}, base and current_dims
    for i, dim in ipairs(dims or {}) do shape[i] = dim.extent end
  end
  for i, n in ipairs(shape) do fits = fits and current_dims[i].extent == n end
  if fits then return end
  object.release(session, t, address, f)
  local new_dims = {}
  for i, n in ipairs(shape) do new_dims[i] = { lower = dims and dims[i].lower or 1, extent = n } end
  object.allocate(session, t, address, new_dims, to.text, f, element_type)
end

-- Returns a true value if an assignment may reallocate the variable `to`: a whole allocatable on the host.
local function is_reallocated(env, to)
  return to.dtype and to.dtype.attribute == "allocatable" and not env.space.on_device
end

-- Compiles the assignment of objects of derived types, element by element. Raises on a device for types with
-- descriptors. The compiled function raises if shapes differ.
local function records(env, node, to, e)
  local session, declared = env.session, to.type
  if env.space.on_device and object.has_start(declared) then
    raise("unsupported", node.pos, ("the device cannot assign objects of %s: they have descriptors")
      :format(types.name(declared)))
  end
  local space = env.space
  local function copy(target, source, f, t)
    if space.on_device then return space:copy(target, source, t.size, nil, nil, nil, nil, f) end
    object.copy(session, t, target, source, f)
  end
  local pos = node.pos
  return function(f)
    f.pos = pos
    local from = e.rank > 0 and e.section(f)
    local t = declared
    if to.dynamic then t = fortran_expression.type_of(e, f) end
    if is_reallocated(env, to) then
      ensure_shape(env, to, f, from and shape_of(from.dims), from and from.dims, to.dynamic and t)
    end
    if to.rank == 0 then
      local source = e.lvalue(f)
      return copy((to.lvalue(f)), source, f, t)
    end
    local section = to.section(f)
    local targets = fortran_expression.addresses(section)
    if not from then
      local source = e.lvalue(f)
      for _, target in ipairs(targets) do copy(target, source, f, t) end
      return
    end
    fortran_expression.conform(shape_of(section.dims), shape_of(from.dims), pos)
    for i, source in ipairs(fortran_expression.addresses(from)) do copy(targets[i], source, f, t) end
  end
end

-- Compiles the assignment of the expression `e` to the variable `to`. node: position for errors; its fields is_source
-- (allocate with source=) and masked (where) say how the assignment is used. Raises if `to` is no variable or is
-- constant, or if type or rank do not fit. The compiled function raises if shapes differ.
function assignment.value(env, node, to, e)
  if to.any_rank then
    raise("type-mismatch", node.pos, ("%s has assumed rank: select rank tells what can be assigned to"):format(to.text),
      { length = #to.text })
  elseif not to.lvalue and not to.section then
    raise("type-mismatch", node.pos, "only variables can be assigned to")
  end
  if to.constant then
    raise("type-mismatch", node.pos, ("%s is a constant"):format(to.text))
  end
  if e.is_null or e.type.kind == "void" then raise("type-mismatch", node.pos, "null() is a target: write '=>'") end
  check_types(node, to, e)
  if e.rank > 0 and to.rank ~= e.rank then
    raise("type-mismatch", node.pos, ("%s has rank %d, the value has rank %d"):format(to.text, to.rank, e.rank))
  end
  if to.type.kind == "record" and node.masked then
    raise("unsupported", node.pos, "where assigns to intrinsic types here")
  end
  if to.type.kind == "record" then return records(env, node, to, e) end
  local convert, store, pos = fortran_expression.converter(e.type, to.type),
    fortran_expression.storer(env.space, to.type), node.pos
  local grows = is_reallocated(env, to) and not node.masked
  if to.rank == 0 then
    local value, lvalue = e.value, to.lvalue
    return function(f)
      f.pos = pos
      local v = convert(value(f))
      if grows then ensure_shape(env, to, f) end
      local address, low, high = lvalue(f)
      store(address, v, low, high, f)
    end
  end
  return function(f)
    f.pos = pos
    local values = e.rank > 0 and e.array(f)
    local v = not values and convert(e.value(f))
    if grows then
      local from = values and e.whole and e.section and e.section(f)
      ensure_shape(env, to, f, values and values.shape, from and from.dims)
    end
    local section = to.section(f)
    if values then fortran_expression.conform(shape_of(section.dims), values.shape, pos) end
    local mask = f.mask
    if mask then fortran_expression.conform(shape_of(section.dims), mask.shape, pos) end
    for i, address in ipairs(fortran_expression.addresses(section)) do
      if not mask or mask[i] then
        if values then v = convert(values[i]) end
        store(address, v, section.low, section.high, f)
      end
    end
  end
end

-- ------------------------------------------------------------------------------------- pointers --

-- Returns the bounds of a pointer assignment p(lower:) => or p(lower:upper) =>: a list of {lower, upper?, pos} with
-- functions of the frame. The second result is true if there are upper bounds, which remap the target. Returns nil if
-- the text has no bounds.
local function pointer_bounds(env, node)
  if node.to.tag ~= "reference" then return nil end
  local bounds, remaps = {}, nil
  for i, arg in ipairs(node.to.args) do
    if arg.tag ~= "range" or not arg.first or arg.step then
      raise("syntax", arg.pos, "the bounds of a pointer are written as (lower:) or (lower:upper)")
    end
    local is_remap = arg.last ~= nil
    if remaps ~= nil and remaps ~= is_remap then
      raise("syntax", arg.pos, "either all dimensions have an upper bound here, or none has")
    end
    remaps = is_remap
    bounds[i] = { lower = fortran_expression.integer(env, arg.first), upper = arg.last
      and fortran_expression.integer(env, arg.last),
      pos = arg.pos }
  end
  return bounds, remaps
end

-- Returns base address, dims (list of dimensions) and dynamic type of the target that the expression `e` describes in
-- frame f. The base is 0 for a pointer that is not associated; dims is then nil.
local function describe_target(env, e, f)
  local space = env.space
  local element_type = fortran_expression.type_of(e, f)
  if e.descriptor then
    local address, low, high = e.descriptor(f)
    local base = fortran_descriptor.base(space, address, low, high, f)
    if base == 0 then return 0, nil, element_type end
    return base, fortran_descriptor.dims(space, e.dtype, address, low, high, f), element_type
  elseif e.rank > 0 then
    local section = e.section(f)
    return section.address, section.dims, element_type
  end
  return (e.lvalue(f)), {}, element_type
end

-- Returns new dims that give the elements of a target the bounds of the pointer. bounds: from pointer_bounds; base,
-- dims, element_type: from describe_target. Raises if the target `e` has too few elements, is not associated, or has
-- several dimensions and is not contiguous.
local function remap_dims(bounds, element_type, e, base, dims, f)
  local remapped, n = {}, 1
  for i, bound in ipairs(bounds) do
    local lower = bound.lower(f)
    remapped[i] = { lower = lower, extent = math.max(bound.upper(f) - lower + 1, 0) }
    n = n * remapped[i].extent
  end
  if base == 0 then
    raise("null-pointer", f.pos, ("%s is not associated: it has no elements to remap"):format(e.text),
      { rule = "ACC33-2.7-2" })
  end
  if n > fortran_descriptor.count(dims) then
    raise("out-of-bounds", f.pos, ("%d elements are wanted, %s has %d"):format(
      n, e.text, fortran_descriptor.count(dims)))
  end
  if #dims > 1 and not fortran_descriptor.is_contiguous(element_type, dims) then
    raise("invalid-section", f.pos, ("%s is not contiguous: its elements cannot be remapped"):format(e.text))
  end
  local sm = #dims == 1 and dims[1].sm or element_type.size
  for _, dim in ipairs(remapped) do
    dim.sm = sm
    sm = sm * dim.extent
  end
  return remapped
end

-- Compiles the assignment of the target `e` to the pointer with the AST `to_node`, with or without bounds. node: AST of
-- the statement. Raises if to_node is not a pointer, or if the target does not fit.
function assignment.target(env, node, to_node, e)
  local bounds, remaps = pointer_bounds(env, node)
  return assignment.onto(env, node, fortran_expression.compile(env, bounds and to_node.base or to_node), e, bounds,
    remaps)
end

-- Compiles the assignment of the target `e` to a pointer `to` whose expression is compiled already. bounds, remaps:
-- from pointer_bounds, or nil. Raises if `to` is not a pointer, or if the target does not fit in type or rank.
function assignment.onto(env, node, to, e, bounds, remaps)
  local to_node = node.to
  local t, space, pos = to.dtype, env.space, node.pos
  if not t or t.attribute ~= "pointer" then
    raise("not-a-pointer", to_node.pos, ("%s is not a pointer"):format(to.text or "this"),
      { help = "use '=' to assign a value" })
  end
  if bounds and #bounds ~= t.rank then
    raise("type-mismatch", to_node.pos, ("%s has %d dimensions, not %d"):format(to.text, t.rank, #bounds))
  end
  if e.is_null then
    return function(f)
      f.pos = pos
      local address, low, high = to.descriptor(f)
      fortran_descriptor.write(space, t, address, 0, nil, low, high, f)
    end
  end
  if not e.lvalue and not e.section then raise("type-mismatch", node.e.pos, "the target of a pointer is a variable") end
  if not fortran_types.fits(e.type, t) then
    raise("type-mismatch", node.e.pos, ("%s points to %s, this is %s"):format(to.text, types.name(t.of),
      types.name(e.type)))
  end
  if e.rank ~= t.rank and not remaps then
    raise("type-mismatch", node.e.pos, ("%s has rank %d, its target has rank %d"):format(to.text, t.rank, e.rank))
  end
  if not e.is_target then
    raise("type-mismatch", node.e.pos, ("%s is not a target"):format(e.text),
      { help = "declare it with the attribute target" })
  end
  return function(f)
    f.pos = pos
    local base, dims, element_type = describe_target(env, e, f)
    if remaps then
      dims = remap_dims(bounds, element_type, e, base, dims, f)
    elseif base ~= 0 then
      for i, dim in ipairs(dims) do
        -- If the text has no bounds, the pointer keeps the lower bounds of `dims`: 1 for a section, the declared ones
        -- for a whole array.
        if bounds then dim.lower = bounds[i].lower(f) end
      end
    end
    local address, low, high = to.descriptor(f)
    fortran_descriptor.write(space, t, address, base, base ~= 0 and dims or nil, low, high, f,
      t.polymorphic and element_type)
  end
end

return assignment
