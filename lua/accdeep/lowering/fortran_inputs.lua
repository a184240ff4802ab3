-- fortran_inputs.lua - records the host values that a Fortran plan depends on: addresses, bounds and types. A plan is
-- reused as long as these values, evaluated again, are unchanged. run/plan_cache.lua calls this file.

local with_fields = require "accdeep.base.with_fields"

local fortran_inputs = {}

-- Calls fn, a function without arguments, and returns its values. While a plan is being made, also records fn and the
-- values.
function fortran_inputs.record_inputs(session, fn)
  local values = table.pack(fn())
  local measured = session.now.measured
  if measured then
    measured[#measured + 1] = fn
    measured[#measured + 1] = values
  end
  return table.unpack(values, 1, values.n)
end

-- True if the arguments after `n` equal the `n` recorded values.
local function same(values, n, ...)
  if select("#", ...) ~= n then return false end
  for i = 1, n do
    if values[i] ~= (select(i, ...)) then return false end
  end
  return true
end

-- True if all recorded functions return their recorded values.
local function all_hold(measured)
  for i = 1, #measured, 2 do
    local values = measured[i + 1]
    if not same(values, values.n, measured[i]()) then return false end
  end
  return true
end

-- True if a plan may be executed again. A value that can no longer be computed also makes the plan invalid; lowering
-- the directive again then reports the error.
function fortran_inputs.holds(session, plan)
  local scope = session.now.scope
  if plan.scope ~= scope or plan.scope_version ~= scope.version or session.now.replaced then return false end
  local ok, hold = pcall(all_hold, plan.measured)
  return ok and hold
end

-- Returns the plan that fn makes, with its recorded inputs.
function fortran_inputs.plan_with_inputs(session, fn, ...)
  local measured = {}
  local plan = with_fields(session.now, { measured = measured }, fn, ...)
  -- A plan is single_use if it called functions of the program, which may have side effects, or depends on device
  -- state.
  plan.single_use = plan.single_use or measured.calls or plan.typed ~= nil or session.now.replaced ~= false
  plan.measured, plan.scope, plan.scope_version = measured, session.now.scope, session.now.scope.version
  return plan
end

return fortran_inputs
