-- observers.lua - combines the observers of a run (traces, pictures, steps, explanations, exports) into one.
--
-- An observer is a table whose functions have the names of the hooks below. A session calls each hook on every observer
-- that has it, in the order of the list.

local diagnostic = require "accdeep.base.diagnostic"

local observers = {}

-- Hooks without results: the function of each observer is called. The texts below give the parameters of the hook's
-- function, and the moment when it is called.
local notification_hooks = {
  names = "(env, run): the script's names are there; nothing has run",
  mark = "(kind, name): \"scenario\" or \"case\" begins; \"end\" of a case",
  event = "(event, session, batch, i): what the core did",
  body = "(session, description): how a device has run a body, or why not",
  read = "(session, address, code, value): the script has read host memory",
  warning = "(session, code)",
  failed = "(err): an error, before what it undoes is undone",
  ended = "(): a case or the script has run, and all is as it was left",
  last = "(session): the script has run",
  draw = "(session, name): the script wants a picture",
}
-- Hooks whose functions may return a finisher, a function that is called at the end of the construct. Finishers run in
-- reverse order of the observers.
local construct_hooks = {
  construct = "(session, plan, ends) -> function(err): a construct is carried out, or a region ends",
}
-- Hooks whose functions return a replacement for a function of the script, or nil to keep the function.
local replacement_hooks = {
  statement = "(run, name, fn) -> function: what the script calls by that name; kinds of names: scenario.statements",
}

local hooks = {}
for _, kind in ipairs { notification_hooks, construct_hooks, replacement_hooks } do
  for hook in pairs(kind) do hooks[hook] = true end
end

-- Returns a list of the functions that the observers of `list` have for a hook, in the same order.
local function observers_with(list, hook)
  local functions = {}
  for _, observer in ipairs(list) do functions[#functions + 1] = observer[hook] end
  return functions
end

-- Returns a function that calls each of `functions` with its arguments. The list must not be empty.
local function notify_all(functions)
  if #functions == 1 then return functions[1] end
  return function(...)
    for _, fn in ipairs(functions) do fn(...) end
  end
end

-- Returns a function that calls each of `functions` with its arguments. It returns one finisher, which runs the
-- finishers that they returned in reverse order; nil if no function returned one. The list must not be empty.
local function query_all(functions)
  if #functions == 1 then return functions[1] end
  return function(...)
    local finishers, n = {}, 0
    for _, fn in ipairs(functions) do
      local finisher = fn(...)
      if finisher then n = n + 1 finishers[n] = finisher end
    end
    return n > 0 and function(...)
      for i = n, 1, -1 do finishers[i](...) end
    end or nil
  end
end

-- Returns a function (run, name, fn) that returns a replacement for the script's function `fn`. Each of `functions` in
-- turn may replace the previous replacement; one that returns nil keeps it.
local function wrap_all(functions)
  return function(run, name, fn)
    for _, replace in ipairs(functions) do fn = replace(run, name, fn) or fn end
    return fn
  end
end

-- Returns the observers of a list as one table: for each hook a function that calls all observers with the hook, or
-- false if no observer has it. Raises a Lua error if an observer has a field that is not a hook.
function observers.combine(list)
  for _, observer in ipairs(list) do
    for hook in pairs(observer) do
      if not hooks[hook] then
        local near = diagnostic.closest(tostring(hook), hooks)
        error(("an observer has no '%s'%s"):format(tostring(hook), near and (", is it '%s'?"):format(near) or ""), 2)
      end
    end
  end
  local combined = {}
  local joins = { [notification_hooks] = notify_all, [construct_hooks] = query_all, [replacement_hooks] = wrap_all }
  for kind, join in pairs(joins) do
    for hook in pairs(kind) do
      local functions = observers_with(list, hook)
      combined[hook] = #functions > 0 and join(functions)
    end
  end
  return combined
end

return observers
