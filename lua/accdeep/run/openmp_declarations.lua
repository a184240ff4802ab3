-- openmp_declarations.lua - executes OpenMP's declarative directives in a session: declare target, declare mapper,
-- declare group.

local lazy = require "accdeep.base.lazy"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local openmp_sema = lazy.require "accdeep.sema.openmp_sema"
local clause_groups = require "accdeep.types.clause_groups"
local openacc_sema = require "accdeep.sema.openacc_sema"
local mapper_definition = lazy.require "accdeep.sema.members.mapper_definition"
local transaction = require "accdeep.types.transaction"

local raise = diagnostic.raise

local openmp_declarations = {}

local Session = {} -- methods of sessions

-- Makes a variable a device variable (OMPEX-struct_map-14). kind: "enter" makes the variable present on all devices
-- permanently; "link" allows later maps of the variable. pos: position for errors, or nil. Does nothing if the variable
-- is a device variable of this kind already. Raises if it is a device variable of the other kind, and the core's error.
-- Decides OMPEX-struct_map-14.
local function add_target_variable(self, variable, kind, pos)
  local previous = self.program.target_variables[variable]
  if previous and previous ~= kind then
    raise("conflicting-clauses", pos, ("'%s' is declared with '%s' already"):format(variable.name, previous),
      { length = #variable.name, rule = "OMPEX-struct_map-14" })
  elseif previous then
    return
  elseif kind == "link" then
    self.program.target_variables[variable] = kind
    return
  end
  local size = variable.type.size
  for device = 0, self.devices - 1 do
    local dev = self:check_result(self.ctx:device_alloc(device, size))
    self:check_result(self.ctx:map(device, variable.address, dev, size, self:label { name = variable.name }))
    self:check_result(self.ctx:to_device(device, dev, variable.address, size))
  end
  self.program.target_variables[variable] = kind
end

-- Registers the undo of a text that fails (transaction.lua): it unmaps the device variables that the text declared, and
-- frees their device memory.
transaction.register(function(session)
  local variables = session.program.target_variables
  local put_back, old_variables = transaction.save_fields(session.program, { "target_blocks", "target_variables" }), {}
  for variable in next, variables do old_variables[variable] = true end
  return function()
    for variable, kind in next, variables do
      for device = 0, kind == "enter" and not old_variables[variable] and session.devices - 1 or -1 do
        local dev = session.ctx:deviceptr(device, variable.address)
        if dev ~= 0 and session.ctx:unmap(device, variable.address) then session.ctx:device_free(device, dev) end
      end
    end
    put_back()
  end
end)

-- Clause of declare target -> kind of device variable.
local target_clauses = { enter = "enter", to = "enter", link = "link" }

-- Executes declare target, for its list items or for variables declared until its end, and end declare target. Raises
-- for errors of the directive.
local function declare_target(self, node)
  openmp_sema.check(node, self.rules.openmp)
  local blocks = self.program.target_blocks
  if node.name == "end declare target" then
    if #blocks == 0 then
      raise("region-nesting", node.pos, "there is no open declare target to end", { length = #node.name,
        rule = "OMP60-tgt-1" })
    end
    blocks[#blocks] = nil
    return
  end
  local opens = not node.vars
  -- Makes the variables of a clause device variables; the directive then opens no block.
  local function add(clause, kind)
    opens = false
    openacc_sema.check_names(clause)
    for _, item in ipairs(clause.vars) do
      add_target_variable(self, self.now.scope:declared_variable(item), kind, item.pos)
    end
  end
  if node.vars then add(node, "enter") end
  for _, clause in ipairs(node.clauses) do
    local kind = target_clauses[clause.name]
    if kind then add(clause, kind) end
  end
  -- A directive among statements that has no list items applies to the enclosing procedure and has no effect.
  if opens and not self.language.has_blocks then
    if self.now.depth > 0 then return end
    raise("syntax", node.pos + #node.name, "'declare target' must name variables, or be in a procedure",
      { rule = "OMPEX-struct_map-14", help = "write declare target(x)" })
  end
  if opens then blocks[#blocks + 1] = self:location_of(node.pos) end
end

-- Makes a newly declared variable a device variable if a declare target block is open. Must be called for each
-- declaration of a variable.
function Session:variable_declared(variable)
  if #self.program.target_blocks > 0 then add_target_variable(self, variable, "enter") end
end

-- Executes the declarative directive `node`. record: the enclosing type, or nil. Does nothing for kinds "nothing" and
-- "requires". Raises for other directives, and for declare target inside of a type.
function Session:declare_openmp(node, record)
  local kind = openmp_directives.directive(node.name).kind
  if kind == "declare mapper" then
    mapper_definition.define(self, node)
  elseif kind == "declare group" then
    clause_groups.define(self, node, record)
  elseif kind == "declare target" and not record then
    declare_target(self, node)
  elseif kind ~= "nothing" and kind ~= "requires" then
    raise("clause-not-allowed", node.pos, ("'%s' is not a declaration"):format(node.name),
      { length = #node.name, rule = "OMP60-tgt-1" })
  end
end

-- Executes the OpenMP directive `node` among declarations. record: the enclosing type, or nil. Raises if the directive
-- is wrong or is no declaration.
function Session:omp_declaration(node, record)
  local kind = openmp_directives.directive(node.name).kind
  if kind == "beyond" or kind == "requires" then openmp_sema.check(node, self.rules.openmp) end
  if kind == "nothing" and node.name ~= "nothing" or kind == "requires" and record then
    raise("clause-not-allowed", node.pos, ("'%s' is not a declaration"):format(node.name),
      { length = #node.name, rule = "OMP60-tgt-1" })
  end
  return self:declare_openmp(node, record)
end

-- Makes the device variables of the outer session device variables of the new session `self`, too. Does nothing if
-- there is no outer session.
function openmp_declarations.begin(self)
  local outer = self.outer
  local list = {}
  for variable in pairs(outer and outer.program.target_variables or {}) do list[#list + 1] = variable end
  table.sort(list, function(a, b) return a.name < b.name end)
  for _, variable in ipairs(list) do add_target_variable(self, variable, outer.program.target_variables[variable]) end
end

-- Adds the methods of this file to `class`.
function openmp_declarations.extend(class)
  for name, method in pairs(Session) do class[name] = method end
end

return openmp_declarations
