-- openacc.lua - OpenACC's directives, as the front door asks for them (directives.lua).

local lazy = require "accdeep.base.lazy"
local async = require "accdeep.run.async"
local check = require "accdeep.check.openacc"
local declared = lazy.require "accdeep.code.fortran.declared"
local diagnostic = require "accdeep.base.diagnostic"
local lower = require "accdeep.plan.openacc"
local region = require "accdeep.run.region"
local sorted = require "accdeep.base.sorted"
local transaction = require "accdeep.types.transaction"
local with = require "accdeep.base.dynamic"

local raise = diagnostic.raise

local openacc = { name = "acc", lower = lower.directive }

openacc.in_kernel = { "a directive inside a compute construct", "ACC33-impl-1" }

function openacc.understand(session, text) return session:parse(text) end
function openacc.kind_of(node) return check.kind_of(node.name) end
function openacc.citing(_, fn, ...) return fn(...) end
function openacc.on_its_device(_, _, fn) return fn() end

-- A plan depends on which variables of the body are in regions around, on the default of these, and on which variables
-- the body reduces.
function openacc.signature(session, references)
  local seen = { [0] = session:visible_default() or "" }
  for i, r in ipairs(references) do
    seen[i] = r.name .. (session:visible(r.name) and "+" or "")
      .. (session:visible_deviceptr(r.name) and "*" or "") .. (r.reduced and "~" or "")
  end
  return table.concat(seen, ",", 0)
end

-- ------------------------------------------------------------------------------------ without plans --

local definition = {
  check = function(session, node) session:define(node) end,
  run = function(session, node) transaction.run(session, session.define, session, node) end,
}

-- Shapes and policies have no kind.
function openacc.unplanned(kind) return not kind and definition or nil end

-- -------------------------------------------------------------------------------------- with plans --

local acts = { region = region.open }
openacc.acts = acts

-- declare at global scope: the data stay until the program, or the case, ends. Decides ACC33-dec-1.
function acts.declare(session, plan)
  local stack = session.device_side.regions[session.now.device]
  local top = stack[#stack]
  if top and top.plan.kind ~= "declare" then
    raise("region-nesting", plan.node.pos, "declare inside a data region", { rule = "ACC33-dec-1" })
  end
  for name, item in sorted(plan.named) do
    if session:visible(name) then lower.declared_twice(name, item.pos) end
  end
  region.open(session, plan, true)
  if plan.lasting then declared.last(session, plan) end
end

-- host_data: names stand for device addresses until the region ends. Decides ACC33-hd-1.
local function host_data(session, plan, enabled)
  return region.using(region.open(session, plan, false), enabled and plan.use_device or {}, plan.if_present)
end
acts["host data"] = host_data

-- What a directive does unless its condition is false.
local function act(kind, fn)
  acts[kind] = function(session, plan, enabled)
    if enabled then fn(session, plan) end
  end
end

-- The device that device_num names, otherwise the current one. A negative number is the usual device.
-- Decides ACC33-set-1.
local function device_of(session, plan)
  if not plan.device_num then return session.now.device end
  return session:device_number(math.max(session.language.integer(session, plan.device_num), 0), plan.device_num.pos)
end

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
-- Decides ACC33-shut-1.
act("shutdown", function(session, plan)
  if not plan.device_num then return session:forget_devices(plan.node.pos) end
  with(session.now, { device = device_of(session, plan) }, session.forget_device, session, plan.node.pos)
end)
act("end data", function(session, plan) region.close_innermost(session, plan.node.pos, "region", false) end)
act("end host data", function(session, plan) region.close_innermost(session, plan.node.pos, "host data", false) end)

return openacc
