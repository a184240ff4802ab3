-- symbols.lua - name resolution in C expressions: returns the typed node (typed_ast.lua) of the entity that a name
-- stands for. Called by c_sema.lua.
--
-- Input: an identifier and an environment. Output: a typed node.
--
-- The environment of bodies and of the host program has lookup(name, pos), which returns the name's binding: {type,
-- lvalue}, {type, value}, {type, frame_slot}, {type, const} or {fn}. The binding's lvalue and value are functions of
-- the frame (closures.lua).
--
-- A bound of a section has no lookup. In a bound, a name means a member of the element, the structure to whose type the
-- bound belongs. If that has no such member, the name means a member of an enclosing object (only with rules.extended),
-- or of *this inside a member function. Other names are those of the host program (TR14-3.3-07). Fields of the
-- environment of a bound:
--   record          type of the structure.
--   above           environment of the enclosing structure in the same element, or nil.
--   out             the element: {ctx (environment of its innermost structure), enclosing, touched}; out.enclosing is
--                   the enclosing element, or nil.
--   out.touched     true once a bound depends on the enclosing element.
--   values          values of a shape's parameters, by name (TR14-5-01).
--   row             true if '#' has a value: the number of the pointer to whose target the section belongs (TR14-5-06).
-- A typed node names parts of a structure relative to the environment in which it was analysed, so that it serves
-- wherever structures of this kind lie in elements.

local diagnostic = require "accdeep.base.diagnostic"
local typed_ast = require "accdeep.sema.c.typed_ast"
local types = require "accdeep.types"

local raise = diagnostic.raise
local constant, lvalue = typed_ast.constant, typed_ast.lvalue

local symbols = {}

-- True if `env` is the environment of a section's bound, which has no function `lookup`.
function symbols.is_bound(env) return not env.lookup end

-- Always raises: the name in the identifier `node` is unknown. Decides HOUSE-names.
local function raise_unknown(env, node)
  if env.record and env.record.bit_fields and env.record.bit_fields[node.name] then
    diagnostic.no_member(env.record, types.name(env.record), node.name, node.pos)
  end
  env.session.now.scope:no_variable(node, env.record and env.record.by_name)
end

-- Raises if the identifier `node`, which is used as a value, names a function. fn: the function of this name, or nil.
local function check_function(fn, node)
  if fn then
    raise("type-mismatch", node.pos, ("'%s' is a function: call it"):format(node.name), { length = #node.name })
  end
end

-- ------------------------------------------------------------------- bodies and the host program --

-- Returns the typed node of the identifier `node` in a body or in the host program. Raises if the name is unknown or a
-- function.
local function program_variable(env, node)
  local name, pos = node.name, node.pos
  local binding = env.lookup(name, pos)
  if not binding then raise_unknown(env, node) end
  check_function(binding.fn, node)
  local t = binding.type
  if binding.const then return constant(t, binding.const, pos) end
  local const_name = binding.is_const and name or nil
  if binding.frame_slot then
    return { op = "local", type = t, pos = pos, binding = binding, name = name, const_name = const_name }
  elseif not binding.lvalue and not binding.operand then
    return { op = "value", type = t, pos = pos, binding = binding, name = name }
  end
  -- A binding with `level` is that of a local variable. It hides a variable of the program with the same name, so only
  -- other bindings get the program's const.
  local variable = not binding.level and env.session.now.scope.variables[name]
  if variable and variable.is_const then const_name = name end
  return lvalue("variable", t, pos, { binding = binding, name = name, const_name = const_name })
end

-- ---------------------------------------------------------------------------- bounds of sections --

-- Returns the value of a shape's parameter as a typed node; nil if the name in `node` is not a parameter. The
-- environments from `env` outwards are searched. An argument that the enclosing element gives sets out.touched. check:
-- c_sema.value, which is passed to avoid a circular require.
local function parameter(env, node, check)
  local at, up = env, 0
  while at do
    local bound = at.values and at.values[node.name]
    if bound and bound.node then
      local argument = { op = "parameter", pos = node.pos, up = up }
      if bound.default then
        argument.within = bound.location
        argument.e = env.session:with_location(bound.location, check, setmetatable({ values = false },
          { __index = at }), bound.node)
      elseif at.above then
        argument.up, argument.e = up + 1, check(at.above, bound.node)
      elseif not (at.out and at.out.enclosing) then
        argument.e = check({ session = env.session }, bound.node)
      else
        argument.of_enclosing, at.out.touched = true, true
        argument.e = check(at.out.enclosing.ctx, bound.node)
      end
      argument.type = argument.e.type
      return argument.e.const and argument.e or argument
    end
    at, up = at.above, up + 1
  end
  return nil
end

-- Searches the objects that enclose the structure of `env`, innermost first, for one that `find` accepts. find(env):
-- returns offset and type of the accepted object or its part, or nil. Returns the l-value of what was found, or nil. In
-- an enclosing element, it sets out.touched.
local function enclosing_object(env, find, pos)
  local at, up = env.above, 1
  while at do
    local offset, t = find(at)
    if offset then return lvalue("self", t, pos, { offset = offset, up = up }) end
    at, up = at.above, up + 1
  end
  local outer_level = env.out and env.out.enclosing
  if not outer_level then return nil end
  local inner = outer_level.ctx
  local offset, t = find(inner)
  local object = offset and lvalue("self", t, pos, { offset = offset }) or enclosing_object(inner, find, pos)
  if not object then return nil end
  env.out.touched = true
  return lvalue("enclosing", object.type, pos, { lvalue = object })
end

-- Returns the l-value of the object for which a mapper's variable stands (OMP60-map-15). The object is the structure of
-- `env`, or else an object of type `record` that encloses it. Returns nil if none of them has the type `record`.
local function mapper_object(env, record, pos)
  if env.record == record then return lvalue("self", record, pos, { offset = 0 }) end
  return enclosing_object(env, function(at)
    if at.record == record then return 0, record end
  end, pos)
end

-- Returns the l-value of the member of *this that the identifier `node` names inside a member function; nil if it names
-- no such member, or is ::name.
local function this_member(env, node)
  local session, pos = env.session, node.pos
  if node.global or not session.now.this or not session:this_member(node.name) then return nil end
  local this = session.now.scope.variables.this
  local member = types.member(this.type.to, node.name)
  local pointer = typed_ast.load(lvalue("fixed", this.type, pos, { variable = this }), pos)
  return typed_ast.member(lvalue("deref", this.type.to, pos, { pointer = pointer }), member.offset, member.type, pos)
end

-- Returns the l-value that the identifier `node` in a bound stands for; ::name always refers to the host program.
-- Raises if no variable or member has the name. Decides TR14-3.3-07, TR14-5-04.
function symbols.resolve_lvalue(env, node)
  local object = node.mapped and mapper_object(env, node.mapped, node.pos)
  if object then return object end
  local pos = node.pos
  local member = env.record and not node.global and types.member(env.record, node.name)
  if member then return lvalue("self", member.type, pos, { offset = member.offset }) end
  if not node.global and env.session.rules.extended then
    local enclosing_member = enclosing_object(env, function(at)
      local inner = at.record and types.member(at.record, node.name)
      if inner then return inner.offset, inner.type end
    end, pos)
    if enclosing_member then return enclosing_member end
  end
  local own_member = this_member(env, node)
  if own_member then return own_member end
  local variable = env.session.now.scope.variables[node.name]
  if not variable then raise_unknown(env, node) end
  return lvalue("fixed", variable.type, pos, { variable = variable })
end

-- Returns the typed node of the identifier `node` in a section's bound: a parameter, a constant or an l-value. check:
-- c_sema.value. Raises if the name is unknown or a function.
local function bound_symbol(env, node, check)
  local session = env.session
  local bound = not node.global and session.rules.extended and parameter(env, node, check)
  if bound then return bound end
  local hidden = env.record and not node.global and types.member(env.record, node.name)
    or session.now.this and session:this_member(node.name) or session.now.scope.variables[node.name]
  if not hidden then
    local value, t = session.now.scope:constant_named(node.name)
    if value then return constant(t, value, node.pos) end
    check_function(session.now.scope.functions[node.name], node)
  end
  return symbols.resolve_lvalue(env, node)
end

-- Returns the typed node of the identifier `node`, as an l-value or a value. check: c_sema.value, which is passed to
-- avoid a circular require. Raises if the name is unknown or a function.
function symbols.resolve(env, node, check)
  return (symbols.is_bound(env) and bound_symbol or program_variable)(env, node, check)
end

return symbols
