-- openacc_execution.lua - OpenACC as a directive language of directive_dispatch.lua, whose table `slots` describes the
-- functions of a language.

local lazy = require "accdeep.base.lazy"
local async = require "accdeep.run.async"
local declare_allocatables = lazy.require "accdeep.backend.fortran.declare_allocatables"
local diagnostic = require "accdeep.base.diagnostic"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openacc_analysis = lazy.require "accdeep.sema.clauses.openacc_analysis"
local openacc_lowering = lazy.require "accdeep.lowering.openacc_lowering"
local region = require "accdeep.run.region"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local transaction = require "accdeep.types.transaction"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local openacc_execution = { name = "acc" }

-- Error for a directive in the body of a compute construct: message, rule.
openacc_execution.in_kernel = { "a directive inside a compute construct", "ACC33-impl-1" }

-- Slots (functions that directive_dispatch.lua requires of a language). citing changes no rules, and with_target_device
-- keeps the current device, because OpenACC's directives have no device clause.
function openacc_execution.parse_and_analyze(session, text) return session:parse(text) end
function openacc_execution.kind_of(node) return openacc_directives.directive(node.name).kind end
function openacc_execution.citing(_, fn, ...) return fn(...) end
function openacc_execution.lower(session, node, options)
  return openacc_lowering.lower(openacc_analysis.directive(session, node, options), options)
end
function openacc_execution.with_target_device(_, _, fn) return fn() end

-- Returns a text that is a part of the cache key for plans of a body. The text begins with the visible default clause
-- and lists the variables `references`. Signs after a variable: an enclosing region names it (+), or names it in
-- deviceptr (*); the body reduces it (~).
function openacc_execution.signature(session, references)
  local parts = { [0] = session:visible_default() or "" }
  for i, r in ipairs(references) do
    parts[i] = r.name .. (session:visible(r.name) and "+" or "")
      .. (session:visible_deviceptr(r.name) and "*" or "") .. (r.reduced and "~" or "")
  end
  return table.concat(parts, ",", 0)
end

-- ------------------------------------------------------------------------------------ without plans --

local definition = { -- executor of definitions, which have no plans
  check = function(session, node) session:define(node) end,
  run = function(session, node) transaction.run(session, session.define, session, node) end,
}

-- Returns the executor of a directive that describes members (shape, policy); nil for other directives.
function openacc_execution.direct_executor(kind) return kind == "members" and definition or nil end

-- -------------------------------------------------------------------------------------- with plans --

local executors = { region = region.open }
openacc_execution.executors = executors

-- Executes declare at global scope: the data stay present until the program or the scenario's case ends. Raises inside
-- of a region, and if a variable was declared before. Decides ACC33-dec-1.
function executors.declare(session, plan)
  local stack = session.device_side.regions[session.now.device]
  local top = stack[#stack]
  if top and top.plan.kind ~= "declare" then
    raise("region-nesting", plan.node.pos, "declare inside a data region", { rule = "ACC33-dec-1" })
  end
  for name, item in sorted_pairs(plan.named) do
    if session:visible(name) then openacc_analysis.raise_declared_twice(name, item.pos) end
  end
  region.open(session, plan, true)
  if plan.persistent then declare_allocatables.last(session, plan) end
end

-- Executes host_data: opens and returns a region in which names are bound to device addresses, if `enabled` is true.
-- Raises if data are absent without if_present. Decides ACC33-hd-1.
local function host_data(session, plan, enabled)
  return region.using(region.open(session, plan, false), enabled and plan.use_device or {}, plan.if_present)
end
executors["host data"] = host_data

-- Registers the executor of a directive kind: fn(session, plan), which is called if the condition of the directive is
-- true.
local function act(kind, fn)
  executors[kind] = function(session, plan, enabled)
    if enabled then fn(session, plan) end
  end
end

-- Returns the device that device_num names, or the current device without device_num. A negative number is device 0.
-- Raises if there is no such device. Decides ACC33-set-1.
local function device_of(session, plan)
  if not plan.device_num then return session.now.device end
  return session:device_number(math.max(session.language.integer(session, plan.device_num), 0), plan.device_num.pos)
end

-- Makes the plan's device the current one; raises if there is no such device.
local function set_device(session, plan) session.now.device = device_of(session, plan) end

act("set", function(session, plan)
  if plan.default_async then
    async.set_default(session, session.language.integer(session, plan.default_async), plan.default_async.pos)
  end
  set_device(session, plan)
end)
act("wait", function(session, plan)
  async.wait_for(session, plan.waiting, plan.async and async.order(session, plan) or 0)
end)
act("init", set_device)
-- Executes shutdown: ends all lifetimes on the device that device_num names, or on all devices. Decides ACC33-shut-1.
act("shutdown", function(session, plan)
  if not plan.device_num then return session:forget_devices(plan.node.pos) end
  with_fields(session.now, { device = device_of(session, plan) }, session.forget_device, session, plan.node.pos)
end)
act("end data", function(session, plan) region.close_innermost(session, plan.node.pos, "region", false) end)
act("end host data", function(session, plan) region.close_innermost(session, plan.node.pos, "host data", false) end)

return openacc_execution
