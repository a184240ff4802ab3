-- scope.lua - symbol tables of the host program: one scope of names, with a table for each kind of symbol.
--
-- Kinds: variables, typedefs, tags, enumerators (all constants; constant_types has their types, false: by value),
-- functions, prototypes, procedures, templates, instances (types made from templates), namespaces. Procedures are those
-- of Fortran. The kind qualified maps the keys of C++ names to the items of qualified_names.lua.
--
-- A scope may have an outer scope: a case's scope has the file's scope. A lookup continues in the outer scope (by
-- __index); declarations are entered into the scope itself. variables[name] is false where a constant hides an outer
-- variable. Scopes of a namespace, a class or a template's arguments have a `home`: the enclosing scope whose
-- `instances` has the types made from templates.
--
-- The parsers call the fields is_type(name), is_template(name) and qualified_type(text) of a scope to distinguish types
-- from other names. qualified_type returns the type, or its key, of a name with scopes or arguments.

local arithmetic = require "accdeep.types.arithmetic"
local diagnostic = require "accdeep.base.diagnostic"
local qualified_names = require "accdeep.types.qualified_names"
local transaction = require "accdeep.types.transaction"
local types = require "accdeep.types"

local raise = diagnostic.raise

local Scope = {}
Scope.__index = Scope

-- Names of the tables of a scope.
local SPACES = { "variables", "typedefs", "tags", "enumerators", "functions", "prototypes", "procedures", "templates",
  "instances", "qualified", "namespaces", "constant_types" }

-- Returns a new scope inside `outer`; if `outer` is nil, a scope with the predefined types.
local function new(outer)
  local function space(name) return setmetatable({}, outer and { __index = outer[name] } or nil) end
  local self = setmetatable({ outer = outer }, Scope)
  for _, name in ipairs(SPACES) do self[name] = space(name) end
  if not outer then
    for name, scalar in pairs(types.predefined) do self.typedefs[name] = types.scalars[scalar] end
  end
  self.is_type = function(name) return self:type_named(name) ~= nil end
  self.is_template = function(name) return self.templates[name] ~= nil end
  self.qualified_type = function(text) return self:type_spelled(text) or self:type_inside(text) end
  return self
end

-- Registers the undo of a text that fails (transaction.lua): it restores the tables of the current scope. It also
-- restores the incomplete types of this and the enclosing scopes, because a definition in the text may have completed
-- them.
transaction.register(function(session)
  local undo = { transaction.save_fields(session.now.scope, SPACES) }
  local scope = session.now.scope
  while scope do
    for _, t in next, scope.tags do
      if t.kind == "record" and not t.complete then undo[#undo + 1] = transaction.save(t) end
    end
    scope = scope.outer
  end
  return function() for i = #undo, 1, -1 do undo[i]() end end
end)

-- Returns the type of a typedef or, as in C++, of a tag; nil if the name does not exist, or a variable with the name
-- hides the type.
function Scope:type_named(name)
  if self.variables[name] then return nil end
  return self.typedefs[name] or self.tags[name]
end

-- Returns the key of the type that a text names in any spelling, with scopes or template arguments
-- (qualified_names.lua). Only types from debug information have such keys. Returns nil if the text is not a name, no
-- type matches, or several different types match.
function Scope:type_spelled(text)
  local at = self
  while at and not next(at.qualified) do at = at.outer end
  local spelling, key = nil, nil
  if at then spelling, key = qualified_names.parse(text) end
  if not spelling or self:type_named(key) then return key end
  local match
  while at do
    for other, items in next, at.qualified do
      if qualified_names.accepts(spelling, items) then
        if match and self:type_named(match) ~= self:type_named(other) then return nil end
        if not match or other < match then match = other end
      end
    end
    at = at.outer
  end
  return match
end

-- Returns the type that a text such as Outer::Inner names inside a class or namespace. Returns nil if there is no such
-- type, or the text has template arguments or no "::".
function Scope:type_inside(text)
  local t, key = nil, nil
  if text:find "[<>]" or not text:find("::", 1, true) then return nil end
  for name in text:gmatch "[%w_]+" do
    if t then
      local inner = t.names
      t = inner and (rawget(inner.typedefs, name) or rawget(inner.tags, name))
      if not t then return nil end
    else
      key = key and key .. "::" .. name or name
      t = self.typedefs[key] or self.tags[key]
      if not t and not self.namespaces[key] then return nil end
    end
  end
  return t
end

-- Enters a constant of type t in this scope; t nil: the type that arithmetic.enumerator gives its value. The constant
-- hides a variable of the same name.
function Scope:constant(name, value, t)
  self.enumerators[name], self.variables[name] = value, false
  self.constant_types[name] = t or false -- hides the type of a constant of this name in an enclosing scope
end

-- Returns the value and the type of a constant. Returns nil if the name is not a constant.
function Scope:constant_named(name)
  local value = self.enumerators[name]
  return value, value and (self.constant_types[name] or arithmetic.enumerator(value))
end

-- Returns a true value if the name is declared in this scope itself as a variable, typedef or constant. Enclosing
-- scopes do not matter.
function Scope:find_declared(name)
  return rawget(self.variables, name) or rawget(self.typedefs, name) or rawget(self.enumerators, name)
end

-- Raises the error for a name at `pos` that is declared already.
function Scope:raise_taken(name, pos)
  raise("duplicate-name", pos, ("'%s' is declared already"):format(name), { length = #name })
end

-- Enters a typedef name for the type t in this scope. Declaring the same type again is allowed. A record without a tag
-- gets the name for messages. Raises at `pos` if the scope has another type of this name.
function Scope:define_type(name, t, pos)
  local before = rawget(self.typedefs, name)
  if before and not types.same(before, t) then self:raise_taken(name, pos) end
  if t.kind == "record" and not t.tag then t.name = t.name or name end
  self.typedefs[name] = t
end

-- Raises the error for a name, {name, pos}, that is not a variable. others: table whose keys are further names to
-- suggest, or nil; rule: rule of the error, or nil.
function Scope:no_variable(node, others, rule)
  local names = self:names()
  for name in pairs(others or {}) do names[name] = true end
  raise("unknown-name", node.pos, ("there is no variable '%s'"):format(node.name), { length = #node.name, rule = rule,
    help = diagnostic.suggest(node.name, names) })
end

-- Returns the variable that a list item {name, pos} names; raises if no variable is declared with this name.
function Scope:declared_variable(item) return self.variables[item.name] or self:no_variable(item) end

-- Returns all types made from templates in this and the enclosing scopes: name -> type. A name of an inner scope hides
-- that of an outer one.
function Scope:all_instances()
  local all = {}
  local scope = self
  while scope do
    for name, t in next, scope.instances do all[name] = all[name] or t end
    scope = scope.outer
  end
  return all
end

-- Returns the set of all names of variables, constants and functions in this and the enclosing scopes, for suggestions.
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
