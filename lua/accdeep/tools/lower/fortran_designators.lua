-- fortran_designators.lua - types of designators in directives of a Fortran unit, computed without a running program.
--
-- fortran_unit.lua and fortran_calls.lua use it; unread replaces functions of the session's language.

local diagnostic = require "accdeep.base.diagnostic"
local fortran_types = require "accdeep.types.fortran_types"
local fortran_section = require "accdeep.plan.fortran_section"
local types = require "accdeep.types"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"

local raise = diagnostic.raise

local fortran_designators = {}

-- Returns the type of a designator: {of, rank, fits}. `of`: type of its elements. `fits`: true if the designator is
-- valid Fortran. Raises if a variable or component does not exist.
function fortran_designators.designator_type(session, node)
  if node.tag == "id" then
    local variable = session.now.scope.variables[node.name] or session.now.scope:no_variable(node)
    local of, rank = fortran_types.element(variable.type)
    return { of = of, rank = rank, fits = true }
  end
  local base = fortran_designators.designator_type(session, node.base)
  if node.tag == "component" then
    local member = types.is_record(base.of) and types.member(base.of, node.name)
    if not types.is_record(base.of) then
      raise("not-a-struct", node.name_pos, ("%s is %s: it has no components"):format(unparse_fortran(node.base),
        types.name(base.of)), { rule = "TR14-3.4-03" })
    elseif not member then
      raise("unknown-member", node.name_pos, ("%s has no component '%s'"):format(types.name(base.of), node.name),
        { length = #node.name })
    end
    local of, rank = fortran_types.element(member.type)
    local fits = base.fits and (base.rank == 0 or rank == 0 and member.type.kind ~= "descriptor")
    return { of = of, rank = base.rank + rank, fits = fits }
  elseif node.tag == "reference" then
    local rank = 0
    for _, arg in ipairs(node.args) do rank = rank + (arg.tag == "range" and 1 or 0) end
    return { of = base.of, rank = rank, fits = base.fits }
  end
  return { of = base.of, rank = base.rank, fits = base.fits }
end

fortran_designators.has_component = fortran_section.has_component

-- Returns subscripts in which value(node) replaces each expression except number literals.
local function substitute_values(args, value)
  local function one(node) return node and (node.tag == "num" and node or value(node)) end
  local list = {}
  for i, arg in ipairs(args) do
    list[i] = arg.tag == "range" and { tag = "range", pos = arg.pos, first = one(arg.first), last = one(arg.last),
      step = arg.step } or one(arg)
  end
  return list
end

-- Returns the section node for the subscripts of `node`, whose values are unknown. `value`: a function that returns a
-- node for an expression; nil: the subscripts are replaced by the section 0:1.
local function symbolic_subscripts(node, value)
  local made = { tag = "section", pos = node.pos, written = node.args }
  if value then
    made.ranges = substitute_values(node.args, value)
  else
    made.start = { tag = "num", type = "long", value = 0, pos = node.pos }
    made.length = { tag = "num", type = "long", value = 1, pos = node.pos }
  end
  return made
end

-- Returns the access path to a component (convenience.lua): the outermost object, the type of that object, the steps
-- and the subscripts. Returns nil if a step goes through an array.
local function access_path(session, variable, value)
  local steps, subscripts, node = {}, nil, variable
  if variable.tag == "alias" then node, subscripts = variable.base, { variable } end
  local behind
  while fortran_designators.has_component(node) do
    local around = fortran_designators.designator_type(session, node.base)
    if node.tag == "component" then
      if around.rank > 0 then return nil end
      fortran_designators.designator_type(session, node)
      table.insert(steps, 1, { name = node.name, pos = node.name_pos, subscripts = behind })
      behind = nil
      if not fortran_designators.has_component(node.base) then return node.base, around.of, steps, subscripts end
    elseif node == variable then
      subscripts = { symbolic_subscripts(node, value) }
    elseif value then
      behind = { symbolic_subscripts(node, value) }
    else
      local one = symbolic_subscripts(node)
      table.insert(steps, 1, { index = one.start, pos = node.pos, written = one.written })
    end
    node = node.base
  end
  return nil
end

-- Returns a session's language that does not evaluate designators. `value`: a function that returns an AST for the
-- value of an expression, or nil; nil gives subscripts no value.
function fortran_designators.unread(language, value)
  return setmetatable({ access_path = function(session, variable) return access_path(session, variable, value) end,
    element_type = function(session, node) return fortran_designators.designator_type(session, node).of end,
    is_designator = function(session, node) return fortran_designators.designator_type(session, node).fits end },
    { __index = language })
end

-- Returns the name of the variable at the root of a designator.
function fortran_designators.root_of(node)
  while node.base do node = node.base end
  return node.name
end

return fortran_designators
