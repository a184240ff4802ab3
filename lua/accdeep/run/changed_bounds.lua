-- changed_bounds.lua - warns at exit data, or at the end of a region, if values from which bounds of mapped members are
-- computed have changed since the entry (TR14-4.3-04).
--
-- Bounds are compared only in sessions that receive warnings, and only for items with a mapping program. The bounds of
-- exit data are compared with those of enter data with the same shape or policy, because another shape may describe
-- other data (TR14-4.3-11). session.lua calls run_and_check, region.lua the other functions.

local location = require "accdeep.base.location"
local types = require "accdeep.types"

local changed_bounds = {}

-- Returns true if the bounds of a plan's items must be recorded or compared. The session must receive warnings, and
-- rules.members must be "held". The plan must be an OpenACC region, enter data or exit data with a mapping program.
function changed_bounds.is_tracked(session, plan)
  if not session.options.warn or session.rules.members ~= "held" or plan.openmp then return false end
  if plan.kind ~= "region" and plan.kind ~= "enter data" and plan.kind ~= "exit data" then return false end
  for _, item in ipairs(plan.items) do
    if item.program then return true end
  end
  return false
end

-- Returns the current bounds of a plan's items, as objects of the core: item number -> bounds. Items without a mapping
-- program, and bounds that cannot be computed, are omitted.
function changed_bounds.current_bounds(plan)
  local bounds = {}
  for i, item in ipairs(plan.items) do
    if item.program then bounds[i] = plan.construct:bounds(i) end
  end
  return bounds
end

local HELP = "put the values back that the bounds are computed from, or unmap the data before they change"

-- Returns the warning about the first item whose bounds changed, as {pos, message, fields}; nil if no bounds changed.
-- recorded_bounds(i): the recorded bounds of item i; now: the current bounds. Decides TR14-4.3-04, TR14-4.3-07.
local function difference(plan, recorded_bounds, now)
  for i, item in ipairs(plan.items) do
    local recorded = now[i] and recorded_bounds(i)
    if recorded then
      local was, is = recorded:changed(now[i])
      if was then
        return { pos = item.pos, message = ("%s was mapped, and its bounds have changed since: %s"):format(was, is),
          fields = { rule = "TR14-4.3-04", help = HELP } }
      end
    end
  end
  return nil
end

-- Reports `warning`, a result of the function `difference`. source_location: {text, file, line} of the directive.
local function warn(session, source_location, warning)
  session:with_text(source_location.text, source_location.file, source_location.line, session.warn, session,
    "bounds-changed", warning.pos, warning.message, warning.fields)
end

-- Compares the bounds of a region's plan before the region ends with `recorded`, those at its beginning. Returns a
-- function that reports the warning after the end; nil if no bounds changed.
function changed_bounds.check_at_end(session, plan, recorded)
  local warning = difference(plan, function(i) return recorded[i] end, changed_bounds.current_bounds(plan))
  if not warning then return nil end
  return function()
    local file, line = location.scenario(2)
    if file and line ~= plan.line then
      warning.fields.notes = { ("at the end of the region, %s:%d"):format(file, line) }
    end
    warn(session, plan.location, warning)
  end
end

-- Returns the key of the recorded bounds of item number `i`: device, address, shape or policy. Returns nil if the
-- mapping has no key (a nest, or values of shapes), so that its bounds are not recorded.
local function key_of(session, plan, i)
  local member_mapping = plan.items[i].member_mapping
  local mapping_key = member_mapping and member_mapping.key
  return mapping_key and ("%d %d %s, %s"):format(session.now.device, (plan.construct:where(i)),
    types.name(member_mapping.record), mapping_key)
end

-- Executes a plan of enter data or exit data by run(session, plan, ...). Enter data records the bounds of items that
-- were not present before. Exit data compares the current bounds with the recorded ones, and forgets the bounds of
-- items that are absent afterwards. Warns after the execution; returns run's result. If run raises, nothing is
-- recorded.
function changed_bounds.run_and_check(session, plan, run, ...)
  local entry_bounds, now, warning = session.device_side.entry_bounds, changed_bounds.current_bounds(plan), nil
  if plan.kind == "exit data" then
    warning = difference(plan, function(i)
      local key = key_of(session, plan, i)
      return key and entry_bounds[key]
    end, now)
  end
  local was_present = {}
  for i in ipairs(plan.items) do
    was_present[i] = now[i] and session.ctx:presence(session.now.device, (plan.construct:where(i)), 1) ~= "absent"
  end
  local result = run(session, plan, ...)
  for i in ipairs(plan.items) do
    local key = now[i] and key_of(session, plan, i)
    if key and plan.kind == "enter data" then
      -- Data that were present before keep the bounds of their own entry.
      if not was_present[i] then entry_bounds[key] = now[i] end
    elseif key and session.ctx:presence(session.now.device, (plan.construct:where(i)), 1) == "absent" then
      entry_bounds[key] = nil
    end
  end
  if warning then warn(session, plan.location, warning) end
  return result
end

return changed_bounds
