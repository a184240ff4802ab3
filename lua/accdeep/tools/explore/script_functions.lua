-- script_functions.lua - checks that functions of a script, called by actions, do not change Lua variables.
--
-- Restoring a state restores host and device memory, but not Lua variables. Functions may therefore read variables of
-- the script, and tables in them, but not change them. transition_system.lua calls the check after each action.

local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local script_functions = {}

-- Returns a list of the functions that expressions may call: those registered by `func` and `method`.
local function roots(session)
  local list = {}
  for _, fn in sorted_pairs(session.now.scope.functions) do list[#list + 1] = fn end
  for _, methods in next, session.program.method_tables do
    for _, method in sorted_pairs(methods) do list[#list + 1] = method.fn end
  end
  return list
end

-- Returns true if expressions may call functions of the script.
function script_functions.exist(session) return #roots(session) > 0 end

-- Returns the variables that functions of the script can reach, in a fixed order: {value, name, from}. `from`: the
-- function through which the variable is reached. `env`: the script's globals. Functions of C and of accdeep itself are
-- listed, but not what they use.
local function reachable_variables(session, env)
  local list, visited = {}, {}
  local visit
  -- Visits the upvalues of a function of the script; nothing for other functions.
  local function visit_upvalues(fn)
    local info = debug.getinfo(fn, "S")
    if info.what == "C" or location.is_own(info.source:sub(2)) then return end
    for i = 1, math.huge do
      local name, value = debug.getupvalue(fn, i)
      if not name then return end
      visit(value, name, fn)
    end
  end
  -- Appends a variable, and what its value can reach if that is not yet visited.
  function visit(value, name, from)
    list[#list + 1] = { value = value, name = name, from = from }
    if value == nil or visited[value] then return end
    visited[value] = true
    if type(value) == "function" then
      visit_upvalues(value)
    elseif rawequal(value, env) then
      for key, element in sorted_pairs(env) do visit(element, key, from) end
    elseif type(value) == "table" and (debug.getmetatable(value) == nil or env.getmetatable(value)) then
      for key, element in next, value do
        visit(key, name, from)
        visit(element, name, from)
      end
    end
  end
  for _, fn in ipairs(roots(session)) do visit(fn, "", fn) end
  return list
end

-- Returns true if two values are identical, or both are not a number.
local function is_same(a, b) return rawequal(a, b) or a ~= a and b ~= b end

-- Returns a function that raises if a variable that functions of the script can reach has changed since
-- new_change_check was called. `env`: the script's globals.
function script_functions.new_change_check(session, env)
  local before = reachable_variables(session, env)
  return function()
    local now = reachable_variables(session, env)
    for i = 1, math.max(#before, #now) do
      local old, new = before[i], now[i]
      if not old or not new or old.name ~= new.name or not is_same(old.value, new.value) then
        local variable = (#now > #before or not old) and new or old
        local info = debug.getinfo(variable.from, "S")
        error(diagnostic.new { code = "scenario-error", rule = "HOUSE-explore", file = info.source:sub(2),
          line = info.linedefined, message = ("the function changes the variable '%s' of Lua"):format(variable.name),
          help = "keep what changes in a variable of the host, which goes back with the state" }, 0)
      end
    end
  end
end

return script_functions
