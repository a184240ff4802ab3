-- describe.lua - what directives say of a session's types: shapes, policies, mappers, beside member functions.
--
-- Each session has tables of its own, through which those of the outer one are seen; they are methods of sessions.

local declare = require "accdeep.declare"
local diagnostic = require "accdeep.diagnostic"
local grammar = require "accdeep.grammar"
local nest = require "accdeep.nest"
local policy = require "accdeep.policy"
local shape = require "accdeep.shape"
local template = require "accdeep.template"

local raise = diagnostic.raise

local describe = {}

local definitions = { shape = shape.define, policy = policy.define }
describe.definitions = definitions

local Session = {}

function describe.extend(class)
  for name, fn in pairs(Session) do class[name] = fn end
end

-- Shapes and policies of a record in this session; those of the outer one are seen through.
local function table_of(self, kind, record)
  local tables = self[kind]
  local found = tables[record]
  if not found then
    found = setmetatable({}, self.outer and { __index = table_of(self.outer, kind, record) } or nil)
    tables[record] = found
  end
  return found
end

function Session:methods_of(record) return table_of(self, "method_tables", record) end
function Session:shapes_of(record) return table_of(self, "shape_tables", record) end
function Session:policies_of(record) return table_of(self, "policy_tables", record) end
function Session:mappers_of(record) return table_of(self, "mapper_tables", record) end

-- Names of a record's shapes or policies, for "did you mean".
local function names_in(self, kind, record)
  local names, owner = {}, self
  while owner do
    for name in next, table_of(owner, kind, record) do names[name] = true end
    owner = owner.outer
  end
  return names
end

function Session:shape_names(record) return names_in(self, "shape_tables", record) end
function Session:policy_names(record) return names_in(self, "policy_tables", record) end
function Session:mapper_names(record) return names_in(self, "mapper_tables", record) end

-- A directive among declarations.
function Session:type_directive(node, record)
  local text = node.text
  local is_openmp = text:match "^omp%f[^%w_]"
  if not is_openmp and not text:match "^acc%f[^%w_]" then
    if text:match "^pack" then
      raise("unsupported", node.start, "packed layouts are not supported", { length = #"pack" })
    end
    return
  end
  local current = self.current
  local whole = current.text
  local before = whole:sub(1, node.start - 1)
  -- parsed in place, so that positions are those of the whole text
  local finish = node.start + #text - 1
  local padded = before:gsub("[^\n]", " ") .. whole:sub(node.start, finish)
  if is_openmp then
    return self:declare_openmp(grammar.parse("omp_directive", padded, node.start, self.scope), record)
  end
  return self:described(grammar.parse("directive", padded, node.start, self.scope), record)
end

-- Carries out a directive that describes a type; record: the one it stands in, or nil. Returns a policy.
function Session:described(parsed, record)
  local define = definitions[parsed.name]
  if not define then
    raise("clause-not-allowed", parsed.pos, ("'%s' is not a declaration"):format(parsed.name),
      { length = #parsed.name, rule = "TR14-3.1.1-01" })
  end
  if not record then return self:define(parsed) end
  local _, made = define(self, parsed, record)
  return parsed.name == "policy" and made or nil
end

-- What could not be checked of policies before all of a type's are known. One that is wrong is taken back.
function Session:check_policies(record, defined)
  for _, made in ipairs(defined) do
    local ok, err = pcall(nest.check_policy, self, record, made)
    if not ok then
      for _, given in ipairs(made.names) do self:policies_of(record)[given.name] = nil end
      error(err, 0)
    end
  end
end

-- A shape or policy directive about a type.
function Session:define_for(node, record)
  local target, made = definitions[node.name](self, node, record)
  if node.name == "policy" then self:check_policies(target, { made }) end
end

-- A shape or policy that stands outside of types; type(T) may name a template.
function Session:define(node)
  for i, clause in ipairs(node.clauses) do
    local spec = clause.type and clause.type.spec
    local made = spec and not clause.type.spec.type and declare.template(self, spec)
    if made then
      local clauses = table.move(node.clauses, 1, #node.clauses, 1, {})
      table.remove(clauses, i)
      return template.describe(self, made, { tag = node.tag, pos = node.pos, name = node.name,
        argument = node.argument, clauses = clauses })
    end
  end
  self:define_for(node, nil)
end

return describe
