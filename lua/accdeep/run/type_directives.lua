-- type_directives.lua - directives that describe types: shape, policy, routine, and declare among declarations. It also
-- holds the tables of shapes, policies, mappers and member functions.
--
-- The functions are methods of sessions. Each session has tables of its own, and inherits those of the outer session.

local lazy = require "accdeep.base.lazy"
local openacc_sema = require "accdeep.sema.openacc_sema"
local declarations = require "accdeep.backend.declarations"
local diagnostic = require "accdeep.base.diagnostic"
local nest = lazy.require "accdeep.sema.members.nest"
local policy = lazy.require "accdeep.sema.members.policy"
local pragma = require "accdeep.syntax.pragma"
local shape = lazy.require "accdeep.sema.members.shape"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local template = require "accdeep.types.template"
local transaction = require "accdeep.types.transaction"
local typed_members = lazy.require "accdeep.sema.members.typed_members"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local type_directives = {}

local definitions = { shape = lazy.method(shape, "define"), policy = lazy.method(policy, "define") }
type_directives.definitions = definitions

local Session = {}

-- If a declaration fails, these tables (record -> name -> definition) are restored.
transaction.register(function(session)
  return transaction.save_fields(session.program,
    { "shape_tables", "policy_tables", "method_tables", "mapper_tables" }, true)
end)

-- Adds the methods of this file to `class`.
function type_directives.extend(class)
  for name, fn in pairs(Session) do class[name] = fn end
end

-- Returns the table `kind` (name -> definition) of a record in this session; it inherits the entries of the outer
-- session's table.
local function table_of(self, kind, record)
  local tables = self.program[kind]
  local by_name = tables[record]
  if not by_name then
    by_name = setmetatable({}, self.outer and { __index = table_of(self.outer, kind, record) } or nil)
    tables[record] = by_name
  end
  return by_name
end

-- Returns the member functions of a record by name. The session's option method_named(record, name) adds others.
function Session:methods_of(record)
  local methods, method_named = table_of(self, "method_tables", record), self.options.method_named
  if not method_named then return methods end
  return setmetatable({}, { __index = function(_, name) return method_named(record, name) or methods[name] end })
end

-- Returns the shapes of a record by name. Decides TR14-1.2-04.
function Session:shapes_of(record) return table_of(self, "shape_tables", record) end
-- Session:policies_of and mappers_of return the policies and the mappers of a record by name.
function Session:policies_of(record) return table_of(self, "policy_tables", record) end
function Session:mappers_of(record) return table_of(self, "mapper_tables", record) end

-- Returns the shape or policy of this name, from the record or a base class (TR14-3.1.2-08); nil if none has it. kind:
-- name of the table.
local function find_named(self, kind, record, name)
  local match = table_of(self, kind, record)[name]
  for _, base in ipairs(not match and record.bases or {}) do match = match or find_named(self, kind, base, name) end
  return match
end

-- Session:shape_named and policy_named return the shape or policy `name` of a record or its base classes; nil if none
-- has it.
function Session:shape_named(record, name) return find_named(self, "shape_tables", record, name) end
function Session:policy_named(record, name) return find_named(self, "policy_tables", record, name) end

-- Returns a set of the names of a record's shapes, policies or mappers, for suggestions in errors. kind: name of the
-- table; names: set to extend, or nil.
local function names_in(self, kind, record, names)
  names = names or {}
  local owner = self
  while owner do
    for name in next, table_of(owner, kind, record) do names[name] = true end
    owner = owner.outer
  end
  for _, base in ipairs(record.bases or {}) do names_in(self, kind, base, names) end
  return names
end

-- Session:shape_names, policy_names and mapper_names return the names of a record's shapes, policies and mappers as
-- keys.
function Session:shape_names(record) return names_in(self, "shape_tables", record) end
function Session:policy_names(record) return names_in(self, "policy_tables", record) end
function Session:mapper_names(record) return names_in(self, "mapper_tables", record) end

-- Executes the pragma `node` among declarations; ignores pragmas of other languages. record: the enclosing type, or
-- nil. Returns the policy that the pragma defines, or nil. Raises for errors of the directive.
function Session:type_directive(node, record)
  local directive = pragma.read(self, node)
  if not directive then return end
  if directive.language == "omp" then return self:omp_declaration(directive.tree, record) end
  return self:define_type_directive(directive.tree, record, directive.text)
end

-- Raises if the routine directive `node` is wrong. The directive has no effect, because functions of a scenario can
-- always run on devices. Decides ACC33-2.15-1.
local function check_routine(node)
  openacc_sema.check(node)
  for _, clauses in ipairs(openacc_sema.clauses_by_device(node)) do
    local level
    for _, clause in ipairs(clauses) do
      local name = clause.name
      if name == "bind" or name == "nohost" then
        raise("unsupported", clause.pos, ("'%s' on 'routine'"):format(name), { length = #name })
      elseif level then
        raise("conflicting-clauses", clause.pos, ("'%s' stands here already"):format(level),
          { length = #name, rule = "ACC33-2.15-1" })
      end
      level = name
    end
    if not level then
      raise("syntax", node.pos + #node.name, "'routine' needs gang, worker, vector or seq", { rule = "ACC33-2.15-1" })
    end
  end
end

-- Executes the declare directive `node` among declarations, as if it came after them (ACC33-dec-1). text: the
-- directive's text. Raises in sessions on the host program's own memory, and for errors of the directive.
local function declare_data(self, node, text)
  if self.options.unchecked then
    raise("unsupported", node.pos, "'declare' in a text of declarations", { length = #node.name,
      help = "accd_run_directive executes it after them: acc declare create(...)" })
  end
  self:types_changed() -- variables declared in this text must be visible
  local current = self.now.current
  self:acc(text, nil, current.file, current.line)
end

-- Executes a directive that describes a type. record: the enclosing type, or nil; text: the directive's text if it is
-- among C declarations, otherwise nil. Returns the policy that the directive defines in a record, or nil. Raises for
-- other directives.
function Session:define_type_directive(node, record, text)
  local define, name = definitions[node.name], node.name
  if name == "routine" and not record then return check_routine(node) end
  if name == "declare" and not record and text then return declare_data(self, node, text) end
  if not define then
    raise("clause-not-allowed", node.pos, ("'%s' is not a declaration"):format(node.name),
      { length = #node.name, rule = "TR14-3.1.1-01",
        help = ('declarations hold shape, policy, declare and routine; write acc "%s ..." after them'):format(
          node.name) })
  end
  if not record then return self:define(node) end
  local _, definition = define(self, node, record)
  return node.name == "policy" and definition or nil
end

-- Checks the list `policies` of a record; removes the first wrong policy from the record and raises its error. Must be
-- called when all policies of the type are known.
function Session:check_policies(record, policies)
  for _, policy_record in ipairs(policies) do
    local ok, err = pcall(nest.check_policy, self, record, policy_record)
    if not ok then
      for _, entry in ipairs(policy_record.names) do self:policies_of(record)[entry.name] = nil end
      error(err, 0)
    end
  end
end

-- Returns true if the error `err` in a shape depends on the use of the shape. Such errors concern unknown names of
-- enclosing objects (TR14-5-04), or member functions whose bodies method() may define later.
local function is_of_use(self, err)
  return err.of_body or self.rules.extended and err.code == "unknown-name"
end

-- Raises if the bounds of a shape or policy are wrong, even if it is never used (TR14-3.1.1-21). Must
-- be called at the end of the text, when all names of the text are known. description: entry of now.descriptions.
-- Decides TR14-3.1.1-21.
local function check_described(self, description)
  local definition, record = description.definition, description.record
  if definition.params then return end -- parameters have values only where the shape is used (TR14-5-01)
  local ok, err = pcall(with_fields, self.now, { scope = description.scope }, self.with_location, self,
    definition.location, function()
      typed_members.element(self, nest.mapping_of_definition(self, record, definition), definition.location.pos)
    end)
  if ok or diagnostic.is(err) and is_of_use(self, err) then return end
  if err.rule == "HOUSE-names" then err.rule = "TR14-3.1.1-21" end
  error(err, 0)
end

-- Calls fn(...), which executes a text that may describe types, and then checks the shapes and policies of the text.
-- Inside of another call of this function, only returns fn's results, because the outer call makes the checks.
-- Otherwise returns nothing. Raises for wrong bounds.
function Session:describing(fn, ...)
  if self.now.descriptions then return fn(...) end
  local list = {}
  with_fields(self.now, { descriptions = list }, fn, ...)
  if #list > 0 then self:types_changed() end
  for _, description in ipairs(list) do check_described(self, description) end
end

-- Must be called after a shape or policy of `record` was defined. Clears caches, and registers the definition for the
-- check at the end of the text; outside of Session:describing, nothing is registered.
function Session:has_described(record, definition)
  self:types_changed()
  local list = self.now.descriptions
  if list then list[#list + 1] = { record = record, definition = definition, scope = self.now.scope } end
end

-- Executes a shape or policy directive. record: the type that it describes, or nil if its clause names the type. Raises
-- for errors.
function Session:define_for(node, record)
  local target, definition = definitions[node.name](self, node, record)
  if node.name == "policy" then self:check_policies(target, { definition }) end
end

-- Returns the instances of a template that debug information describes: name -> type. Debug information does not
-- describe the template itself. spec: AST of the template's name.
local function debug_instances(self, spec)
  local texts, instances = {}, {}
  for i, step in ipairs(spec.steps or { spec }) do texts[i] = step.name or "" end
  local name = table.concat(texts, "::")
  local scope = self.now.scope
  while scope do
    for key, t in next, scope.tags do
      if key:sub(1, #name) == name and key:find("^%b<>$", #name + 1) and t.from_debug then instances[key] = t end
    end
    scope = scope.outer
  end
  return instances
end

-- Executes the shape or policy directive `node`; if its type is a template, the directive applies to all instances.
local function define(self, node)
  for i, clause in ipairs(node.clauses) do
    local spec = clause.type and clause.type.spec
    local is_name = spec and not spec.type and (spec.tag == "named" or spec.tag == "path")
    local template_record = is_name and declarations.template(self, spec)
    local instances = is_name and not template_record and debug_instances(self, spec) or {}
    if template_record or next(instances) then
      local clauses = table.move(node.clauses, 1, #node.clauses, 1, {})
      table.remove(clauses, i)
      local directive = { tag = node.tag, pos = node.pos, name = node.name, argument = node.argument,
        clauses = clauses }
      if template_record then return template.describe(self, template_record, directive) end
      for _, t in sorted_pairs(instances) do self:define_for(directive, t) end
      return
    end
  end
  self:define_for(node, nil)
end

-- Executes the shape or policy directive `node` outside of types, then checks it; type(T) may name a template. Raises
-- for errors.
function Session:define(node) self:describing(define, self, node) end

return type_directives
