-- openmp.lua - carries out OpenMP directives in a session.
--
-- A directive's tree passes through the groups that apply to it (types/groups.lua), is lowered to the items of one
-- construct (plan/openmp.lua), and run on the device it names. The host is the device behind the last one: there data
-- directives do nothing, and target constructs run on host memory (OMP60-tgt-1). Everything is done when a directive
-- returns: nowait and depend make no difference.

local catalogue = require "accdeep.catalogue.openmp"
local api = require "accdeep.run.api_openacc"
local core = require "accdeep.core"
local depend = require "accdeep.plan.openmp_depend"
local diagnostic = require "accdeep.base.diagnostic"
local directive = require "accdeep.check.openmp"
local group = require "accdeep.types.groups"
local host = require "accdeep.run.openmp_host"
local kernel = require "accdeep.run.kernel"
local lower = require "accdeep.plan.openacc"
local mapper = require "accdeep.shape.mapper"
local map = require "accdeep.plan.openmp"
local openacc = require "accdeep.grammar.openacc"
local region = require "accdeep.run.region"
local profiles = require "accdeep.catalogue.profiles"
local transaction = require "accdeep.types.transaction"
local with = require "accdeep.base.dynamic"

local raise = diagnostic.raise

local openmp = {}

local Session = {} -- methods that sessions get

-- Runs fn with the device of a directive as the current one; on_host(): the directive is for the host.
-- Decides OMP60-tgt-2.
local function on_its_device(self, plan, fn, on_host)
  if not plan.on_device then return fn() end
  local number = self.language.integer(self, plan.on_device)
  -- as a number -1 is as wrong as others
  local by_name = plan.on_device.tag == "id" and number == api.constants[plan.on_device.name]
  if number == self.devices or by_name and number == api.constants.omp_initial_device then return on_host() end
  if number < 0 or number > self.devices then
    raise("no-device", plan.on_device.pos, ("there is no device %d; devices are 0 to %d, and %d is the host"):format(
      number, self.devices - 1, self.devices), { rule = "OMP60-tgt-2", help = "scenario { devices = n } makes more" })
  end
  return with(self, { device = number }, fn)
end

-- Help for rules of OpenACC, where OpenMP has other means.
local helps = { ["TR14-3.4-02"] = "name one element: Y[i].a[0:n], or map the structures by a declare mapper" }

-- Runs fn; errors cite the rules of OpenMP.
local function citing(self, fn, ...)
  local results = table.pack(pcall(fn, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local err, documents = results[2], self.rules.documents
  if diagnostic.is(err) and err.rule then
    err.help = err.code == "syntax" and helps[err.rule] or err.help
    err.rule = profiles.cited(err.rule, documents:find "OMP60" and documents or "OMP60 OMPEX")
  end
  error(err, 0)
end

local function enabled(plan) return not plan.condition_value or plan.condition_value() end

-- Makes a variable one of the devices (OMPEX-struct_map-14). how: "enter" makes it present on all of them for good,
-- "link" lets it be there while it is mapped.
-- Decides OMPEX-struct_map-14.
local function add_target_variable(self, variable, how, pos)
  local before = self.target_variables[variable]
  if before and before ~= how then
    raise("conflicting-clauses", pos, ("'%s' is declared with '%s' already"):format(variable.name, before),
      { length = #variable.name, rule = "OMPEX-struct_map-14" })
  elseif before then
    return
  elseif how == "link" then
    self.target_variables[variable] = how
    return
  end
  local size = variable.type.size
  for device = 0, self.devices - 1 do
    local dev, err = self.ctx:device_alloc(device, size)
    local ok = dev
    if ok then ok, err = self.ctx:map(device, variable.address, dev, size, self:label { name = variable.name }) end
    if ok then ok, err = self.ctx:to_device(device, dev, variable.address, size) end
    if not ok then error(self:core_error(err, nil), 0) end
  end
  self.target_variables[variable] = how
end

-- Variables that a text declares which fails are taken off the devices.
transaction.register(function(session)
  local variables = session.target_variables
  local put_back, known = transaction.kept_fields(session, { "target_blocks", "target_variables" }), {}
  for variable in next, variables do known[variable] = true end
  return function()
    for variable, how in next, variables do
      for device = 0, how == "enter" and not known[variable] and session.devices - 1 or -1 do
        local dev = session.ctx:deviceptr(device, variable.address)
        if dev ~= 0 and session.ctx:unmap(device, variable.address) then session.ctx:device_free(device, dev) end
      end
    end
    put_back()
  end
end)

local target_clauses = { enter = "enter", to = "enter", link = "link" }

-- declare target: its variables, or those declared until its end.
local function declare_target(self, node)
  directive.check(node, self.rules.openmp)
  local blocks = self.target_blocks
  if node.name == "end declare target" then
    if #blocks == 0 then
      raise("region-nesting", node.pos, "there is no open declare target to end", { length = #node.name,
        rule = "OMP60-tgt-1" })
    end
    blocks[#blocks] = nil
    return
  end
  local opens = not node.vars
  local function add(clause, how)
    opens = false
    for _, item in ipairs(lower.simple_names(clause)) do
      add_target_variable(self, lower.declared(self, item), how, item.pos)
    end
  end
  if node.vars then add(node, "enter") end
  for _, clause in ipairs(node.clauses) do
    local how = target_clauses[clause.name]
    if how then add(clause, how) end
  end
  if opens and not self.language.has_blocks then -- it is about the procedure it stands in
    if self.depth > 0 then return end
    raise("syntax", node.pos + #node.name, "'declare target' names variables, or stands in a procedure",
      { rule = "OMPEX-struct_map-14", help = "write declare target(x)" })
  end
  if opens then blocks[#blocks + 1] = self:here(node.pos) end
end

-- Tells of a variable that was declared: between declare target and its end it is one of the devices.
function Session:variable_declared(variable)
  if #self.target_blocks > 0 then add_target_variable(self, variable, "enter") end
end

-- What a directive that describes something says; record: the type it stands in, or nil.
function Session:declare_openmp(node, record)
  local kind = directive.of(node.name).kind
  if kind == "declare mapper" then
    mapper.define(self, node)
  elseif kind == "declare group" then
    group.define(self, node, record)
  elseif kind == "declare target" and not record then
    declare_target(self, node)
  elseif kind ~= "nothing" and kind ~= "requires" then
    raise("clause-not-allowed", node.pos, ("'%s' is not a declaration"):format(node.name),
      { length = #node.name, rule = "OMP60-tgt-1" })
  end
end

-- A directive among declarations; record: the type it stands in, or nil.
function Session:omp_declaration(node, record)
  local kind = directive.of(node.name).kind
  if kind == "beyond" or kind == "requires" then directive.check(node, self.rules.openmp) end
  if kind == "nothing" and node.name ~= "nothing" or kind == "requires" and record then
    raise("clause-not-allowed", node.pos, ("'%s' is not a declaration"):format(node.name),
      { length = #node.name, rule = "OMP60-tgt-1" })
  end
  return self:declare_openmp(node, record)
end

-- The plan of a directive at a place; one that depends on nothing but its text is made once.
local function prepare(self, node, text, file, line, options)
  local key = ("omp %s %d %s"):format(self:key_of(line), group.state(self), options.signature or "")
  local plan = self:seen(text, file, key)
  if plan then return plan end
  local ok, made = pcall(map.directive, self, node, { file = file, line = line, references = options.references,
    text = options.text })
  if not ok then
    -- what is wrong with a text is wrong whenever it is read; values are not
    if diagnostic.is(made) and made.code ~= "null-pointer" then made.phase = "static" end
    error(made, 0)
  end
  made.openmp, made.clauses = true, node.clauses
  if #made.items > 0 or made.kind == "region" or made.kind == "compute" then
    made.construct = made:prepare()
  end
  if made.condition then made.condition_value = self.language.condition(self, made.condition) end
  made.place = { text = text, file = file, line = line }
  self:keep(made, text, file, key)
  return made
end

-- Opens a target data region; the names of use_device clauses stand for device addresses in it.
local function open_region(self, plan)
  local on = enabled(plan)
  local made = self:open_region(plan, on)
  if #plan.use_device == 0 then return made end
  local ok, err = pcall(region.use_device, self, made, on and plan.use_device or {}, true)
  if ok then return made end
  made:abandon()
  error(err, 0)
end

local function compute(self, node, text, refs, file, line)
  local key = ("omp check %s %d"):format(self:key_of(line), group.state(self))
  local checked = self:seen(text, file, key) -- once for its place; it is run when the body is there
  if not checked then
    checked = map.directive(self, node, { file = file, line = line })
    self:keep(checked, text, file, key)
  end
  local run_body = kernel.construct(self, text, refs, file, line, function(references, is_text, run)
    local function planned() -- by what is present on the construct's device (OMP60-map-12)
      local names = {}
      for i, reference in ipairs(references) do
        local variable = self.scope.variables[reference.name]
        names[i] = reference.name .. "=" .. (variable and self.ctx:presence(self.device, variable.address,
          variable.type.size) or "")
      end
      return prepare(self, node, text, file, line, { references = references, text = is_text,
        signature = (is_text and "text " or "") .. table.concat(names, ",") })
    end
    local function on_host(plan)
      return host.instead(self, plan.private, function() return run(plan, false) end)
    end
    return on_its_device(self, checked, function()
      local plan = planned()
      if not enabled(plan) then return on_host(plan) end
      return run(plan, true)
    end, function() return on_host(planned()) end)
  end, node, "omp")
  return function(...) return citing(self, run_body, ...) end
end

-- A directive with the clauses of its groups; declarations have none.
local function in_effect(self, node)
  local what = directive.of(node.name)
  if what.kind:find "^declare" then return node end
  node = group.apply(self, node)
  if what.clauses.depend then depend.check(self, node) end
  return node
end

-- The tree of a directive's text. Names of several words may have underscores since 6.0.
local function parsed(self, text)
  local node = self:parse(text, "omp_directive")
  local written = text:sub(node.pos, node.pos + #node.name - 1)
  if written:find("_", 1, true) and not node.name:find("_", 1, true) then
    directive.since(self.rules.openmp, 60, ("'%s'"):format(written), node.pos, #written)
  end
  return node
end

local function carry_out(self, text, refs, file, line)
  local node = in_effect(self, parsed(self, text))
  local what = directive.of(node.name)
  local kind = what.kind
  if kind == "compute" then return compute(self, node, text, refs, file, line) end
  if kind == "host" then return host.construct(self, node, text, refs, file, line) end
  if kind == "end data" then
    directive.check(node, self.rules.openmp)
    return self:end_data(node.pos, "region", true)
  elseif not core.kind[kind] then
    if kind ~= "declare group" then directive.check(node, self.rules.openmp) end -- which may have any clause
    return self:declare_openmp(node, nil)
  end
  local plan = prepare(self, node, text, file, line, {})
  return on_its_device(self, plan, function()
    if plan.kind == "region" then return open_region(self, plan) end
    if not enabled(plan) then return end
    if plan.construct then self:run(plan) end -- an iterator may have no instances
  end, function()
    if plan.kind == "region" then return self:open_region(plan, false) end
  end)
end

-- First words of directives, and those that OpenACC has, too.
local first_words = {}
for _, list in ipairs { catalogue.names, catalogue.beyond } do
  for _, name in ipairs(list) do first_words[name:match "^%a+"] = true end
end
for word in pairs(first_words) do if openacc.first_words[word] then first_words[word] = "both" end end

-- Whether a text is an OpenMP directive: by its sentinel, or by its first word; words that both languages have
-- are those of the session's rules.
function Session:is_openmp(text)
  local word, rest = text:gsub("^%s*#%s*pragma%s+", ""):gsub("^%s*!%$", ""):lower():match "^%s*(%a+)(.?)"
  if word == "omp" or word == "acc" then return word == "omp" end
  local known = rest ~= ":" and first_words[word]
  return known == true or known == "both" and self.rules.is_openmp
end

local function check(self, text)
  local node = in_effect(self, parsed(self, text))
  local kind = directive.of(node.name).kind
  if core.kind[kind] then return map.directive(self, node, {}) end
  if kind == "host" then return host.check(self, node) end
  if kind ~= "declare group" then directive.check(node, self.rules.openmp) end -- which may have any clause
  self:declare_openmp(node, nil)
end

-- Static checks only. What the directive defines is defined.
function Session:check_openmp(text) return citing(self, check, self, text) end

-- Carries out a directive. Returns what Session:directive does.
function Session:omp(text, refs, file, line)
  if self.kernel then
    raise("region-nesting", nil, "a directive inside a target construct", { rule = "OMP60-tgt-1" })
  end
  return self:within(text, file, line, citing, self, carry_out, self, text, refs, file, line)
end

local function plan_here(self, text, file, line, accepts)
  local node = in_effect(self, parsed(self, text))
  local kind = directive.of(node.name).kind
  if kind == "host" or accepts and not accepts(kind) then return nil, node.name end
  if core.kind[kind] then
    return prepare(self, node, text, file, line, { signature = "for a program's kernel" })
  end
  if kind ~= "declare group" then directive.check(node, self.rules.openmp) end -- which may have any clause
  transaction.run(self, self.declare_openmp, self, node, nil)
end

-- For a program with kernels of its own (embed.lua): the plan of a construct on a device; nil for what is carried out
-- here, and, with its name, for a construct of the host or one whose kind accepts(kind) does not accept.
function Session:omp_plan(text, file, line, accepts) return citing(self, plan_here, self, text, file, line, accepts) end

-- The device that a plan is for; -1: the host.
function Session:omp_device(plan)
  return on_its_device(self, plan, function() return self.device end, function() return -1 end)
end

-- Variables of the device that an outer session declared are ones of this session, too.
function openmp.begin(self)
  self.target_variables, self.target_blocks = {}, {}
  local outer = self.outer
  local list = {}
  for variable in pairs(outer and outer.target_variables or {}) do list[#list + 1] = variable end
  table.sort(list, function(a, b) return a.name < b.name end)
  for _, variable in ipairs(list) do add_target_variable(self, variable, outer.target_variables[variable]) end
end

function openmp.extend(methods)
  for name, method in pairs(Session) do methods[name] = method end
end

return openmp
