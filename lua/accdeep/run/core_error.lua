-- core_error.lua - converts an error of the core to a diagnostic with the name and position of its list item.

local lazy = require "accdeep.base.lazy"
local absent_alias = lazy.require "accdeep.lowering.absent_alias"
local diagnostic = require "accdeep.base.diagnostic"

local ONLY_COMPUTES = "a function that a bound calls computes a number, and does nothing else"

-- Returns the message of the core error `err` with another name for the object that the construct requested; unchanged
-- if the message has no name.
local function rename_object(err, name)
  if not err.named then return err.message end
  return err.message:sub(1, err.named - 1) .. name .. err.message:sub(err.named_end + 1)
end

-- Returns the position of the list item that the core error `err` names, if several list items share the plan's item
-- `item` (item.places: a block of members). Otherwise returns nil.
local function position_of(item, err)
  local object_name = err.asked and err.asked.name or ""
  local best, pos
  for _, list_item in ipairs(item.places or {}) do
    local pattern = "^" .. list_item.name:gsub("%p", "%%%0"):gsub("%%#", "%%-?%%d+") .. "%f[^%w_]"
    if object_name:find(pattern) and #list_item.name > (best or 0) then
      best, pos = #list_item.name, list_item.pos
    end
  end
  return pos
end

-- Returns the diagnostic of the core error `err`, whose fields it changes. self: the session; plan: the construct's
-- plan, or nil. If a function that a bound calls raised a diagnostic, returns that one; another error becomes a
-- scenario-error.
return function(self, err, plan)
  local item = err.item and plan and plan.items[err.item]
  local object = err.asked
  local base = err.code == "not-present" and item and object and absent_alias.base(self, item, object.name)
  if base then
    err.message = rename_object(err, ("%s, the base of %s,"):format(base, object.name))
    object.name = base
  elseif not object and item and (err.code == "invalid-section" or err.code == "out-of-bounds") and item.name then
    err.message = ("%s: %s"):format(item.name, err.message)
  end
  if err.advice == "whole rows" then err.help = "take all elements of the inner dimension, or one row" end
  err.objects = { object, err.other }
  err.openmp = plan and plan.openmp and true
  err.pos = item and (position_of(item, err) or item.pos) or plan and plan.node.pos
  if err.code == "misuse" and self.program.bound.calling > 0 then
    err.code, err.rule, err.help = "region-nesting", "TR14-3.1.1-21", ONLY_COMPUTES
  end
  if err.code == "callback" then
    local cause = err.cause
    if diagnostic.is(cause) then
      cause.pos = cause.pos or err.pos
      return cause
    end
    err.code, err.message = "scenario-error", ("%s: %s"):format(err.message, tostring(cause))
  end
  return diagnostic.new(err)
end
