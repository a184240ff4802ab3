-- fortran_inputs.lua - records the host values that a Fortran plan depends on: addresses, bounds and types. A plan, the
-- lowered form of a directive (construct_ir.lua), is reused while these values, computed again, are unchanged.
-- run/plan_cache.lua calls this file.
--
--   plan.measured   {fn1, values1, fn2, values2, ...; calls}: functions, and the packed results that they had. calls is
--                   true if procedures of the program were called.

local with_fields = require "accdeep.base.with_fields"

local fortran_inputs = {}

-- Calls fn, a function without arguments, and returns its results. While a plan is being made, also records fn and the
-- results as an input of the plan. Errors of fn propagate.
function fortran_inputs.record_inputs(session, fn)
  local values = table.pack(fn())
  local measured = session.now.measured
  if measured then
    measured[#measured + 1] = fn
    measured[#measured + 1] = values
  end
  return table.unpack(values, 1, values.n)
end

-- Returns true if there are `n` arguments after `n`, and they equal the first `n` values of the list `values`.
local function same(values, n, ...)
  if select("#", ...) ~= n then return false end
  for i = 1, n do
    if values[i] ~= (select(i, ...)) then return false end
  end
  return true
end

-- Returns true if every function in `measured` (plan.measured), called again, returns its recorded values again. Errors
-- of the functions propagate.
local function all_hold(measured)
  for i = 1, #measured, 2 do
    local values = measured[i + 1]
    if not same(values, values.n, measured[i]()) then return false end
  end
  return true
end

-- Returns true if a plan may be executed again: its scope has not changed, no names are replaced by host_data, and its
-- inputs have their recorded values. A value that cannot be computed any more also makes the plan invalid; lowering the
-- directive again then reports the error.
function fortran_inputs.holds(session, plan)
  local scope = session.now.scope
  if plan.scope ~= scope or plan.scope_version ~= scope.version or session.now.replaced then return false end
  local ok, hold = pcall(all_hold, plan.measured)
  return ok and hold
end

-- Calls fn(...), which makes a plan, and returns the plan with the fields measured, scope, scope_version and single_use
-- (true: the plan is executed only once). Errors of fn propagate.
function fortran_inputs.plan_with_inputs(session, fn, ...)
  local measured = {}
  local plan = with_fields(session.now, { measured = measured }, fn, ...)
  -- A plan is used once if it called functions of the program, because they may have side effects. The same is true if
  -- it depends on device state: type records to map (plan.typed), or replaced names inside a host_data region.
  plan.single_use = plan.single_use or measured.calls or plan.typed ~= nil or session.now.replaced ~= false
  plan.measured, plan.scope, plan.scope_version = measured, session.now.scope, session.now.scope.version
  return plan
end

return fortran_inputs
