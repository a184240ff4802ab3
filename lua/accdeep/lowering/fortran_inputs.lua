-- fortran_inputs.lua - what plans are made from: numbers and types that a directive finds in the host program.
--
-- A plan of Fortran holds addresses and bounds that were measured when it was made. It serves again as long as
-- measuring gives the same, for the same variables.

local with_fields = require "accdeep.base.with_fields"

local fortran_inputs = {}

-- Values of fn, a function without arguments; while a plan is made, they are kept with what gives them.
function fortran_inputs.record_inputs(session, fn)
  local values = table.pack(fn())
  local measured = session.now.measured
  if measured then
    measured[#measured + 1] = fn
    measured[#measured + 1] = values
  end
  return table.unpack(values, 1, values.n)
end

local function same(values, n, ...)
  if select("#", ...) ~= n then return false end
  for i = 1, n do
    if values[i] ~= (select(i, ...)) then return false end
  end
  return true
end

local function all_hold(measured)
  for i = 1, #measured, 2 do
    local values = measured[i + 1]
    if not same(values, values.n, measured[i]()) then return false end
  end
  return true
end

-- Whether a plan may be run as it is. What cannot be measured any more is an error that making the plan anew
-- tells about.
function fortran_inputs.holds(session, plan)
  local scope = session.now.scope
  if plan.scope ~= scope or plan.scope_version ~= scope.version or session.now.replaced then return false end
  local ok, hold = pcall(all_hold, plan.measured)
  return ok and hold
end

-- Makes a plan with fn and keeps what it is made from.
function fortran_inputs.plan_with_inputs(session, fn, ...)
  local measured = {}
  local plan = with_fields(session.now, { measured = measured }, fn, ...)
  -- a function of the program may do more than give a number; what devices hold is not measured
  plan.single_use = plan.single_use or measured.calls or plan.typed ~= nil or session.now.replaced ~= false
  plan.measured, plan.scope, plan.scope_version = measured, session.now.scope, session.now.scope.version
  return plan
end

return fortran_inputs
