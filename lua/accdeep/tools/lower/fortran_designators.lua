-- fortran_designators.lua - types of designators in directives of a Fortran unit, computed without a running program.
--
-- fortran_unit.lua and fortran_calls.lua use it. fortran_designators.unread replaces functions of the session's
-- language (run/language_fortran.lua) that would read memory.

local diagnostic = require "accdeep.base.diagnostic"
local fortran_types = require "accdeep.types.fortran_types"
local fortran_section = require "accdeep.lowering.fortran_section"
local types = require "accdeep.types"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"

local raise = diagnostic.raise

local fortran_designators = {}

-- Returns the type of a designator: {element, rank, fits}. `element`: type of its elements. `fits`: false if it names
-- an array component, or an allocatable or pointer component, of several objects, which is not valid Fortran. Raises if
-- a variable or component does not exist.
function fortran_designators.designator_type(session, node)
  if node.tag == "id" then
    local variable = session.now.scope.variables[node.name] or session.now.scope:no_variable(node)
    local element, rank = fortran_types.element(variable.type)
    return { element = element, rank = rank, fits = true }
  end
  local base = fortran_designators.designator_type(session, node.base)
  if node.tag == "component" then
    local member = types.is_record(base.element) and types.member(base.element, node.name)
    if not types.is_record(base.element) then
      raise("not-a-struct", node.name_pos, ("%s is %s: it has no components"):format(unparse_fortran(node.base),
        types.name(base.element)), { rule = "TR14-3.4-03" })
    elseif not member then
      raise("unknown-member", node.name_pos, ("%s has no component '%s'"):format(types.name(base.element), node.name),
        { length = #node.name })
    end
    local element, rank = fortran_types.element(member.type)
    local fits = base.fits and (base.rank == 0 or rank == 0 and member.type.kind ~= "descriptor")
    return { element = element, rank = base.rank + rank, fits = fits }
  elseif node.tag == "reference" then
    local rank = 0
    for _, arg in ipairs(node.args) do rank = rank + (arg.tag == "range" and 1 or 0) end
    return { element = base.element, rank = rank, fits = base.fits }
  end
  return { element = base.element, rank = base.rank, fits = base.fits }
end

fortran_designators.has_component = fortran_section.has_component

-- Returns the subscripts `args` with value(node) in place of each expression except number literals.
local function substitute_values(args, value)
  -- Returns the node for a bound; nil for an omitted bound.
  local function substitute(node) return node and (node.tag == "num" and node or value(node)) end
  local list = {}
  for i, arg in ipairs(args) do
    list[i] = arg.tag == "range" and { tag = "range", pos = arg.pos, first = substitute(arg.first),
      last = substitute(arg.last), step = arg.step } or substitute(arg)
  end
  return list
end

-- Returns the section node for the subscripts of `node`, whose values are unknown. `value`: a function that returns a
-- node for an expression.
local function symbolic_subscripts(node, value)
  return { tag = "section", pos = node.pos, ranges = substitute_values(node.args, value) }
end

-- Returns the access path to the component `variable` (convenience.lua): the outermost object, the type of that object,
-- the steps and the subscripts. Returns nil if a step goes through an array, or if `variable` is no component. `value`:
-- a function that returns a node for a subscript.
local function access_path(session, variable, value)
  local steps, subscripts, node = {}, nil, variable
  if variable.tag == "alias" then node, subscripts = variable.base, { variable } end
  local component_subscripts
  while fortran_designators.has_component(node) do
    local base_type = fortran_designators.designator_type(session, node.base)
    if node.tag == "component" then
      if base_type.rank > 0 then return nil end
      fortran_designators.designator_type(session, node)
      table.insert(steps, 1, { name = node.name, pos = node.name_pos, subscripts = component_subscripts })
      component_subscripts = nil
      if not fortran_designators.has_component(node.base) then
        return node.base, base_type.element, steps, subscripts
      end
    elseif node == variable then
      subscripts = { symbolic_subscripts(node, value) }
    else
      component_subscripts = { symbolic_subscripts(node, value) }
    end
    node = node.base
  end
  return nil
end

-- Returns a copy of the session's language that does not evaluate designators, because lowering has no running program.
-- `value`: a function that returns a node for the value of a subscript.
function fortran_designators.unread(language, value)
  return setmetatable({ access_path = function(session, variable) return access_path(session, variable, value) end,
    element_type = function(session, node) return fortran_designators.designator_type(session, node).element end,
    is_designator = function(session, node) return fortran_designators.designator_type(session, node).fits end },
    { __index = language })
end

-- Returns the name of the variable at the root of a designator, `x` for `x%y(1)`.
function fortran_designators.root_of(node)
  while node.base do node = node.base end
  return node.name
end

return fortran_designators
