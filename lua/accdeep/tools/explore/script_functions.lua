-- script_functions.lua - functions of a script that words call: variables of Lua stay as they are.
--
-- A world goes back to the state before a word, and what functions keep in Lua does not. So they may read variables of
-- the script, and tables in them, but not change them.

local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local script_functions = {}

-- The functions that expressions may call: those of func and of method.
local function roots(session)
  local list = {}
  for _, fn in sorted_pairs(session.now.scope.functions) do list[#list + 1] = fn end
  for _, methods in next, session.program.method_tables do
    for _, method in sorted_pairs(methods) do list[#list + 1] = method.fn end
  end
  return list
end

-- Whether expressions may call functions, which may not end.
function script_functions.exist(session) return #roots(session) > 0 end

-- What is in the variables that functions of the script can reach, in order: {value, name, from = a function}.
local function reachable_variables(session, env)
  local list, seen = {}, {}
  local visit
  local function visit_upvalues(fn)
    local info = debug.getinfo(fn, "S")
    if info.what == "C" or location.is_own(info.source:sub(2)) then return end
    for i = 1, math.huge do
      local name, value = debug.getupvalue(fn, i)
      if not name then return end
      visit(value, name, fn)
    end
  end
  function visit(value, name, from)
    list[#list + 1] = { value = value, name = name, from = from }
    if value == nil or seen[value] then return end
    seen[value] = true
    if type(value) == "function" then
      visit_upvalues(value)
    elseif rawequal(value, env) then
      for key, one in sorted_pairs(env) do visit(one, key, from) end
    elseif type(value) == "table" and (debug.getmetatable(value) == nil or env.getmetatable(value)) then
      for key, one in next, value do
        visit(key, name, from)
        visit(one, name, from)
      end
    end
  end
  for _, fn in ipairs(roots(session)) do visit(fn, "", fn) end
  return list
end

local function is_same(a, b) return rawequal(a, b) or a ~= a and b ~= b end

-- A function that raises an error if a variable has changed. env: the script's names.
function script_functions.new_change_check(session, env)
  local before = reachable_variables(session, env)
  return function()
    local now = reachable_variables(session, env)
    for i = 1, math.max(#before, #now) do
      local was, is = before[i], now[i]
      if not was or not is or was.name ~= is.name or not is_same(was.value, is.value) then
        local one = (#now > #before or not was) and is or was
        local info = debug.getinfo(one.from, "S")
        error(diagnostic.new { code = "scenario-error", rule = "HOUSE-explore", file = info.source:sub(2),
          line = info.linedefined, message = ("the function changes the variable '%s' of Lua"):format(one.name),
          help = "keep what changes in a variable of the host, which goes back with the state" }, 0)
      end
    end
  end
end

return script_functions
