-- template.lua - class templates: makes one record type, an instance, for each list of arguments (TR14-4.3-16).
-- backend/declarations.lua calls it.
--
-- A template is {name, params, record = AST, location, scope, directives}. A parameter is {name, spec?, default?}; a
-- parameter with `spec` stands for a number, one without it for a type. An argument is a type, or {value, type} for a
-- number. directives: {node, location} of shapes and policies that every instance gets. scope: the class or namespace
-- that declares the template; nil outside of these.

local diagnostic = require "accdeep.base.diagnostic"
local scope = require "accdeep.types.scope"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local types = require "accdeep.types"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

-- Limit of nested instantiations, which Lua's stack can hold. A template that needs ever more types exceeds this limit.
local DEEPEST = 24

local template = {}

-- Returns the source location of a node without its scope, so that names there are resolved in the scope of
-- run_with_arguments.
local function location_of(session, node)
  local location = session:location_of(node.pos)
  location.scope = nil
  return location
end

-- Enters a template into the current scope. node: AST {params, record}. A forward declaration has no effect. Raises if
-- the class has no name, or the name is declared already.
function template.declare(session, node)
  local name, at = node.record.name, session.now.scope
  if not name or not node.record.members then
    if name then return end -- forward declaration
    raise("syntax", node.pos, "a template defines a class with a name")
  end
  if rawget(at.templates, name) or at:find_declared(name) then
    raise("duplicate-name", node.record.pos, ("'%s' is declared already"):format(name))
  end
  at.templates[name] = { name = (at.prefix or "") .. name, params = node.params, record = node.record,
    location = location_of(session, node), scope = at.home and at or nil, directives = {} }
end

-- Runs fn(...) in a scope in which the template's parameters name the arguments, and returns its results. Errors of fn
-- propagate. class_template: {params, scope?}; arguments: one for each parameter.
local function run_with_arguments(session, class_template, arguments, fn, ...)
  local outer = session.now.scope
  local inner = scope.new(class_template.scope or outer)
  -- Instances that are made while fn runs are owned by the enclosing scope, because `inner` is dropped.
  inner.home = outer.home or outer
  for i, parameter in ipairs(class_template.params) do
    if parameter.spec then inner:constant(parameter.name, arguments[i].value, arguments[i].type)
    else inner.typedefs[parameter.name] = arguments[i] end
  end
  return with_fields(session.now, { scope = inner }, fn, ...)
end
template.with_arguments = run_with_arguments

-- Returns true if two lists of template arguments, of equal length, are equal.
local function same(a, b)
  for i, argument in ipairs(a) do
    local other = b[i]
    if argument.value ~= other.value or argument.kind ~= other.kind
      or argument.kind and argument ~= other and not types.same(argument, other) then
      return false
    end
  end
  return true
end

-- Returns the instance for a list of arguments; makes it at the first call. Instances are cached in the home scope
-- (scope.lua). spec: AST of the name with arguments, for errors. fill(session, t, node) gives the new record t the
-- members of `node`, the template's AST. Raises if `fill` or a directive of the template fails; the instance is then
-- removed. Also raises if instances are nested too deeply. Decides TR14-4.3-16.
function template.instance(session, spec, class_template, arguments, fill)
  local texts = {}
  for i, argument in ipairs(arguments) do
    texts[i] = argument.value and ("%d"):format(argument.value) or types.name(argument)
  end
  local name = ("%s<%s>"):format(class_template.name, table.concat(texts, ", "))
  local home = session.now.scope.home or session.now.scope
  local key, instance = name, home.instances[name]
  -- An instance of equal name may be of another template or have other types as arguments, declared in another scope.
  while instance and not (instance.template == class_template and same(instance.arguments, arguments)) do
    key = key .. " "
    instance = home.instances[key]
  end
  if instance then return instance end
  local depth = session.now.instantiating + 1
  if depth > DEEPEST then
    raise("limit", spec.pos, ("%s needs ever more types"):format(class_template.name),
      { rule = "HOUSE-limit", of_construct = true })
  end
  local t = types.record(class_template.record.kind == "union" and "union" or "struct", name)
  t.name, t.template, t.arguments = name, class_template, arguments
  home.instances[key] = t
  local function define()
    session:with_location(class_template.location, fill, session, t, class_template.record)
    for _, directive in ipairs(class_template.directives) do
      session:with_location(directive.location, session.define_for, session, directive.node, t)
    end
  end
  local ok, err = pcall(with_fields, session.now, { instantiating = depth }, run_with_arguments, session,
    class_template, arguments, define)
  if not ok then
    home.instances[key] = nil
    error(err, 0)
  end
  return t
end

-- Applies a shape or policy directive for the template itself to all existing instances, and records the directive,
-- `node`, for later instances. Raises if the directive is wrong for an instance.
function template.describe(session, class_template, node)
  local directive = { node = node, location = location_of(session, node) }
  for _, t in sorted_pairs(session.now.scope:all_instances()) do
    if t.template == class_template then
      run_with_arguments(session, class_template, t.arguments, session.define_for, session, node, t)
    end
  end
  class_template.directives[#class_template.directives + 1] = directive
end

return template
