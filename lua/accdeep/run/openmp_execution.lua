-- openmp_execution.lua - OpenMP as a directive language of directive_dispatch.lua.
--
-- The clauses in effect include those of a directive's groups (types/clause_groups.lua). The host is the device whose
-- number is session.devices. Data directives that name the host have no effect, and target constructs that name it run
-- on host memory (OMP60-tgt-1). All work is complete when a directive returns, so nowait and depend have no effect.

local lazy = require "accdeep.base.lazy"
local api_routines = require "accdeep.run.api_routines"
local core = require "accdeep.core"
local openmp_depend = lazy.require "accdeep.sema.c.openmp_depend"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local openmp_sema = lazy.require "accdeep.sema.openmp_sema"
local clause_groups = require "accdeep.types.clause_groups"
local openmp_host = lazy.require "accdeep.run.openmp_host"
local openmp_analysis = lazy.require "accdeep.sema.clauses.openmp_analysis"
local openmp_lowering = lazy.require "accdeep.lowering.openmp_lowering"
local region = require "accdeep.run.region"
local version_checks = lazy.require "accdeep.sema.version_checks"
local profiles = require "accdeep.definitions.profiles"
local transaction = require "accdeep.types.transaction"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local openmp_execution = { name = "omp" }

-- Returns the plan of a directive (directive_dispatch.lua); its errors are static.
local function lower(session, node, options)
  return openmp_lowering.lower(openmp_analysis.directive(session, node), options)
end
function openmp_execution.lower(...) return diagnostic.static(lower, ...) end

-- Error for a directive where no directive is allowed: message, rule.
openmp_execution.in_kernel = { "a directive inside a target construct", "OMP60-tgt-1" }

-- Calls fn with the plan's device as the current device and returns its results. If the device is the host, calls
-- on_host instead. Raises if no device has the number. Decides OMP60-tgt-2.
function openmp_execution.with_target_device(self, plan, fn, on_host)
  if not plan.on_device then return fn() end
  local number = self.language.integer(self, plan.on_device)
  -- Extension for OpenMP before 5.2: the name omp_initial_device means the host, but its value -1 as a number does not.
  local is_initial = number == api_routines.constants.omp_initial_device
    and ((self.rules.openmp or 0) >= 52 or plan.on_device.tag == "id")
  if number == self.devices or is_initial then return on_host() end
  if number < 0 or number > self.devices then
    raise("no-device", plan.on_device.pos, ("there is no device %d; devices are 0 to %d, and %d is the host"):format(
      number, self.devices - 1, self.devices), { rule = "OMP60-tgt-2", help = "scenario { devices = n } makes more" })
  end
  return with_fields(self.now, { device = number }, fn)
end

-- Help texts that replace those of OpenACC's rules: rule -> text.
local helps = { ["TR14-3.4-02"] = "name one element: Y[i].a[0:n], or map the structures by a declare mapper" }

-- Calls fn(...) and returns its results. An error of fn is raised with the corresponding rule of OpenMP and, for some
-- syntax errors, another help text (helps).
function openmp_execution.citing(self, fn, ...)
  local results = table.pack(pcall(fn, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local err, documents = results[2], self.rules.documents
  if diagnostic.is(err) and err.rule then
    err.help = err.code == "syntax" and helps[err.rule] or err.help
    err.rule = profiles.applicable_rule(err.rule, documents:find "OMP60" and documents or "OMP60 OMPEX")
  end
  error(err, 0)
end

-- Executor of target data: opens and returns a region, in which names of use_device clauses are bound to device
-- addresses.
openmp_execution.executors = { region = function(self, plan, enabled)
  local new_region = region.open(self, plan, enabled)
  if #plan.use_device == 0 then return new_region end
  return region.using(new_region, enabled and plan.use_device or {}, true)
end }

-- Returns a text that is a part of the cache key for plans of a body. The text tells whether the body is text, and how
-- much of each variable is present on the current device, because implicit maps depend on both. references: variables
-- that the body uses. Decides OMP60-map-12.
function openmp_execution.signature(self, references, is_text)
  local names = { is_text and "text" or "" }
  for i, reference in ipairs(references) do
    local variable = self.now.scope.variables[reference.name]
    names[i + 1] = reference.name .. "=" .. (variable and self.ctx:presence(self.now.device, variable.address,
      variable.type.size) or "")
  end
  return table.concat(names, ",")
end

-- Returns the directive `node` with the clauses of its groups added; a declarative directive is returned unchanged.
-- Raises for wrong groups and depend clauses.
local function with_group_clauses(self, node)
  local info = openmp_directives.directive(node.name)
  if info.kind:find "^declare" then return node end
  node = clause_groups.apply(self, node)
  if info.clauses.depend then openmp_depend.check(self, node) end
  return node
end

-- Returns the AST of the directive `text`. Raises for syntax errors, and before OpenMP 6.0 for underscores between the
-- words of a directive's name.
local function parse_directive(self, text)
  local node = self:parse(text, "omp_directive")
  local spelling = text:sub(node.pos, node.pos + #node.name - 1)
  if spelling:find("_", 1, true) and not node.name:find("_", 1, true) then
    version_checks("openmp", self.rules.openmp, 60, ("'%s'"):format(spelling), node.pos, #spelling)
  end
  return node
end

-- Slots: functions that directive_dispatch.lua requires of a directive language.
function openmp_execution.parse_and_analyze(self, text) return with_group_clauses(self, parse_directive(self, text)) end
function openmp_execution.kind_of(node) return openmp_directives.directive(node.name).kind end

-- Raises if a clause of the directive `node` is wrong (openmp_sema.check).
local function check(self, node) openmp_sema.check(node, self.rules.openmp) end

-- Executors of directives without a plan: host constructs, ends of regions, declarations. declare group is not checked
-- here, because its clauses are those of the constructs to which the group is bound.
local direct_executors = {
  host = { check = function(...) return openmp_host.check(...) end,
    run = function(...) return openmp_host.construct(...) end },
  ["end data"] = { check = check, run = function(self, node)
    check(self, node)
    region.close_innermost(self, node.pos, "region", true)
  end },
  ["declare group"] = { check = function(self, node) self:declare_openmp(node) end, run = function(self, node)
    transaction.run(self, self.declare_openmp, self, node)
  end },
}
local declaration = { check = function(self, node) -- executor of the other declarations
  check(self, node)
  self:declare_openmp(node)
end, run = function(self, node)
  check(self, node)
  transaction.run(self, self.declare_openmp, self, node)
end }

-- Returns the executor of a directive without a plan: host constructs, ends of regions, and declarations (kinds that
-- the core does not have). Returns nil for directives with plans.
function openmp_execution.direct_executor(kind)
  return direct_executors[kind] or kind ~= "compute" and not core.kind[kind] and declaration or nil
end

return openmp_execution
