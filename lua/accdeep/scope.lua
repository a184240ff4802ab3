-- scope.lua - names of a host program: variables, types, tags, enumerators, functions, procedures, templates.
--
-- A scope may have an outer one; a case's scope has the file's. Names found in the outer scope are
-- used, new ones are entered here.

local types = require "accdeep.types"

local Scope = {}
Scope.__index = Scope

local function new(outer)
  local function space(name) return setmetatable({}, outer and { __index = outer[name] } or nil) end
  local self = setmetatable({ outer = outer, variables = space "variables", typedefs = space "typedefs",
    tags = space "tags", enumerators = space "enumerators", functions = space "functions",
    procedures = space "procedures", templates = space "templates", instances = space "instances" }, Scope)
  if not outer then
    for name, scalar in pairs(types.predefined) do self.typedefs[name] = types.scalars[scalar] end
  end
  self.is_type = function(name) return self:type_named(name) ~= nil end
  self.is_template = function(name) return self.templates[name] ~= nil end
  return self
end

-- A typedef's name or, as in C++, a tag.
function Scope:type_named(name)
  if self.variables[name] then return nil end
  return self.typedefs[name] or self.tags[name]
end

-- Whether the name is taken in this scope itself.
function Scope:declared(name)
  return rawget(self.variables, name) or rawget(self.typedefs, name) or rawget(self.enumerators, name)
end

-- Types made from templates, by name.
function Scope:all_instances()
  local all = {}
  local scope = self
  while scope do
    for name, t in next, scope.instances do all[name] = all[name] or t end
    scope = scope.outer
  end
  return all
end

-- Names of everything that can stand in an expression, for "did you mean".
function Scope:names()
  local all = {}
  local scope = self
  while scope do
    for _, space in ipairs { "variables", "enumerators", "functions" } do
      for name in next, scope[space] do all[name] = true end
    end
    scope = scope.outer
  end
  return all
end

return { new = new }
