-- scoped_names.lua - resolves C++ names with scopes, such as Outer::Inner and std::vector<float>::impl.
--
-- A record's field `names` is the scope of the declarations inside its definition; `enclosing_scope` is the scope that
-- encloses the record. Declarations of a namespace are entered into the enclosing scope under the namespace's prefix:
-- `app::grid`. The table `namespaces` of a scope is the set of known namespaces. Scopes: scope.lua.

local diagnostic = require "accdeep.base.diagnostic"
local scope = require "accdeep.types.scope"
local types = require "accdeep.types"
local word_set = require "accdeep.base.strings".word_set
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local scoped_names = {}

-- Scope of a class without declarations; also without the predefined types, which a new scope has.
local empty_scope = scope.new()
for name in next, empty_scope.typedefs do empty_scope.typedefs[name] = nil end

-- Tables of a scope whose names a namespace makes known in the enclosing scope.
local SPACES = { "typedefs", "tags", "templates", "enumerators", "constant_types", "variables", "functions",
  "namespaces" }

-- Runs fn(...) with `inner` as the scope for lookups and declarations, and returns its results. Errors of fn propagate.
function scoped_names.with_scope(session, inner, fn, ...)
  return with_fields(session.now, { scope = inner }, fn, ...)
end

-- Returns a new scope inside the current one, for definitions of types. prefix: the beginning of their full names, such
-- as "app::".
function scoped_names.inner(session, prefix)
  local inner = scope.new(session.now.scope)
  inner.home, inner.prefix = session.now.scope.home or session.now.scope, prefix
  return inner
end

-- ---------------------------------------------------------------------------------- namespaces --

-- Returns a new scope for a namespace that is opened here, filled with the declarations that the namespace has so far.
-- The caller makes it current (with_scope) and passes it to leave_namespace.
function scoped_names.enter_namespace(session, name)
  local outer = session.now.scope
  local inner = scoped_names.inner(session, (outer.prefix or "") .. name .. "::")
  inner.namespace = name
  outer.namespaces[name] = true
  local key = name .. "::"
  local at = outer
  while at do
    for _, space in ipairs(SPACES) do
      for other, value in next, at[space] do
        if other:sub(1, #key) == key and rawget(inner[space], other:sub(#key + 1)) == nil then
          inner[space][other:sub(#key + 1)] = value
        end
      end
    end
    at = at.outer
  end
  return inner
end

-- Enters the declarations of a namespace into the enclosing scope, under the namespace's prefix. inner: the scope from
-- enter_namespace.
function scoped_names.leave_namespace(inner)
  for _, space in ipairs(SPACES) do
    for name, value in next, inner[space] do inner.outer[space][inner.namespace .. "::" .. name] = value end
  end
end

-- ----------------------------------------------------------------------------------------- lookup --

-- Returns the scope of the open namespace called `name`: the scope `at` or one of its enclosing scopes; nil if there is
-- none.
local function find_namespace(at, name)
  while at do
    if at.namespace == name then return at end
    at = at.outer
  end
  return nil
end

-- Returns the type that a name stands for in the scope `at`; nil if there is no such type. is_own: true to look only in
-- `at` itself.
local function type_in(at, name, is_own)
  if is_own then return rawget(at.typedefs, name) or rawget(at.tags, name) end
  return at.typedefs[name] or at.tags[name]
end

-- Names of types that are suggested in addition to declared ones.
local basic = word_set "char short int long float double signed unsigned void bool"

-- Raises the error for an unknown type. name: the whole path; length: length of the text to mark, nil for that of
-- `name`. inner: scope of the class before the last "::" of the path, or a false value; suggestions come from this
-- scope only. Decides HOUSE-names.
local function unknown(session, node, name, length, inner)
  local all, before = {}, inner and name:match "^.*::" or ""
  local function add(at)
    for text in next, at.tags do all[before .. text] = true end
    for text in next, at.typedefs do all[before .. text] = true end
  end
  if inner then
    add(inner)
  else
    for text in pairs(types.predefined) do all[text] = true end
    for text in pairs(basic) do all[text] = true end
    local at = session.now.scope
    while at do
      add(at)
      at = at.outer
    end
  end
  -- Finds an instance of a template called `name`, for the help. Debug information knows templates only by their
  -- instances.
  local instance
  for text in pairs(all) do
    if text:sub(1, #name + 1) == name .. "<" and not (instance and instance < text) then instance = text end
  end
  raise("unknown-type", node.pos, ("there is no type '%s'"):format(name), { length = length or #name,
    help = instance and ("name an instance: %s"):format(instance) or diagnostic.suggest(name, all)
      or name:find("::", 1, true) and "declare it, or take it from a program's debug information: declare_from"
      or nil })
end

-- Returns a help text for a type that is declared but not defined: the closest defined tag in its scopes; nil if no tag
-- is close.
local function closest_defined(t)
  local all, at = {}, t.enclosing_scope
  while at do
    for tag, other in next, at.tags do
      if other.complete then all[tag] = true end
    end
    at = at.outer
  end
  return diagnostic.suggest(t.tag, all)
end

-- Raises the error for a type t whose size is needed but unknown. fields: table of further fields of the error, code
-- included, or nil.
function scoped_names.no_size(t, pos, fields)
  local code = t.kind == "record" and "unknown-type" or "type-mismatch"
  fields = fields or {}
  fields.help = t.kind == "record" and closest_defined(t) or nil
  raise(fields.code or code, pos, ("the size of %s is not known"):format(types.name(t)), fields)
end

-- Raises the error for declaring `name` with the incomplete type t. subject: word before the name in the message, with
-- a blank, such as "member "; may be "".
function scoped_names.incomplete(subject, name, t, pos)
  raise("unknown-type", pos, ("%s'%s' has the incomplete type %s"):format(subject, name, types.name(t)),
    { length = #name, help = t.kind == "record" and closest_defined(t) or nil })
end

-- Raises the error for a template that is named without arguments. step: the last part of the path, as AST; name: the
-- path up to it.
local function is_template(step, name)
  raise("unknown-type", step.pos, ("'%s' is a template"):format(name), { length = #step.name,
    help = ("give it types: %s<float>"):format(name) })
end

-- Returns the type of a path. node: AST {steps, global?}; a step is {name, pos, arguments?}. instance(session, step,
-- class_template): function that returns the type of a template with arguments. If wants_template is true and the path
-- ends in the name of a template without arguments, returns nil and the template. Raises if the path names no type.
function scoped_names.find(session, node, instance, wants_template)
  local at, prefix, is_own = session.now.scope, "", false
  local function all_of_it()
    local texts = {}
    for i, step in ipairs(node.steps) do texts[i] = step.name end
    return table.concat(texts, "::")
  end
  if node.global then
    while at.outer and (at.prefix or at.home) do at = at.outer end
  end
  for i, step in ipairs(node.steps) do
    local name, is_last = prefix .. step.name, i == #node.steps
    local class_template = is_own and rawget(at.templates, name) or not is_own and at.templates[name] or nil
    local t
    if step.arguments then
      if not class_template then
        unknown(session, node.steps[1], all_of_it(), step.pos + #step.name - node.steps[1].pos)
      end
      t = instance(session, step, class_template)
    else
      t = type_in(at, name, is_own)
      if not t and class_template and is_last and wants_template then return nil, class_template end
      if not t and class_template then is_template(step, name) end
    end
    if t and is_last then return t end
    if t then
      if t.kind ~= "record" or not t.complete and not t.names then
        raise("unknown-type", step.pos, ("%s declares no types"):format(types.name(t)), { length = #step.name })
      end
      at, prefix, is_own = t.names or empty_scope, "", true
    else
      local open = prefix == "" and not is_own and find_namespace(at, step.name)
      if is_last or not open and not at.namespaces[name] then
        local last = node.steps[#node.steps]
        unknown(session, node.steps[1], all_of_it(), last.pos + #last.name - node.steps[1].pos, is_own and at)
      end
      if open then
        at, prefix = open, ""
      else
        prefix = name .. "::"
      end
    end
  end
end

return scoped_names
