-- template.lua - class templates: a type is made for each list of arguments (TR14-4.3-16).

local diagnostic = require "accdeep.diagnostic"
local scope = require "accdeep.scope"
local types = require "accdeep.types"

local raise = diagnostic.raise

local template = {}

-- Keeps a template. Its directives are carried out for every type that is made from it.
function template.declare(session, node)
  local name = node.record.name
  if not name or not node.record.members then
    raise("syntax", node.pos, "a template defines a class with a name")
  end
  if rawget(session.scope.templates, name) or session.scope:declared(name) then
    raise("duplicate-name", node.record.pos, ("'%s' is declared already"):format(name))
  end
  session.scope.templates[name] = { name = name, params = node.params, record = node.record,
    place = session:here(node.pos), directives = {} }
end

-- Runs fn with the template's parameters as names of types.
local function with_arguments(session, made, arguments, fn, ...)
  local outer = session.scope
  local inner = scope.new(outer)
  inner.passing = true -- what is made meanwhile belongs to the scope around
  for i, name in ipairs(made.params) do inner.typedefs[name] = arguments[i] end
  session.scope = inner
  local ok, result = pcall(fn, ...)
  session.scope = outer
  if not ok then error(result, 0) end
  return result
end

-- The type for arguments. fill(session, t, spec): gives the record its members.
function template.instance(session, spec, arguments, fill)
  local made = session.scope.templates[spec.name]
  if #arguments ~= #made.params then
    raise("type-mismatch", spec.pos, ("%s takes %d type%s"):format(spec.name, #made.params,
      #made.params == 1 and "" or "s"), { length = #spec.name })
  end
  local names = {}
  for i, t in ipairs(arguments) do names[i] = types.name(t) end
  local name = ("%s<%s>"):format(spec.name, table.concat(names, ", "))
  local home = session.scope
  while home.passing do home = home.outer end
  local known = home.instances[name]
  if known then return known end
  local t = types.record("struct", name)
  t.name, t.template, t.arguments = name, made, arguments
  home.instances[name] = t
  local ok, err = pcall(with_arguments, session, made, arguments, function()
    session:at(made.place, fill, session, t, made.record)
    for _, directive in ipairs(made.directives) do
      session:at(directive.place, session.define_for, session, directive.node, t)
    end
  end)
  if not ok then
    home.instances[name] = nil
    error(err, 0)
  end
  return t
end

-- A shape or policy of the template itself: for the types there are, and for those to come.
function template.describe(session, made, node)
  local directive = { node = node, place = session:here(node.pos) }
  for _, t in pairs(session.scope:all_instances()) do
    if t.template == made then
      with_arguments(session, made, t.arguments, session.define_for, session, node, t)
    end
  end
  made.directives[#made.directives + 1] = directive
end

return template
