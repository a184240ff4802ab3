-- sandbox.lua - the part of Lua's library that a scenario sees. It can neither access files and processes, nor the
-- internals of the language's objects, nor run where steps are not counted. print writes to `out`.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local value_text = require "accdeep.script.value_text".text

local sandbox = {}

-- Limit of list indices: library functions iterate over lists without counting steps.
local LARGEST_INDEX = 1 << 28

local function copy(library, names)
  local t = {}
  for name in names:gmatch "%S+" do t[name] = library[name] end
  return t
end

-- Returns the methods of strings: those that the library has now, whatever the script changes, and those that it adds.
function sandbox.methods(library)
  local methods = {}
  for name, fn in pairs(library) do methods[name] = fn end
  return setmetatable(methods, { __index = library })
end

-- Returns the environment of a script: the safe part of Lua's library.
function sandbox.environment(out)
  local env = copy(_G, [[assert error ipairs next pairs pcall rawequal rawget rawlen rawset select
    setmetatable tonumber tostring type xpcall _VERSION]])
  env.string = copy(string, [[byte char find format gmatch gsub len lower match pack packsize rep
    reverse sub unpack upper]])
  env.table = copy(table, "concat insert move pack remove sort unpack")
  env.math = copy(math, [[abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger min
    mininteger modf pi rad random randomseed sin sqrt tan tointeger type ult]])
  env.utf8 = copy(utf8, "char charpattern codepoint codes len offset")
  env.coroutine = copy(coroutine, "close create isyieldable resume running status wrap yield")
  env.os = { clock = os.clock, time = os.time }
  -- Raw access and metatables are allowed only for tables that the script made, not for objects of the language.
  local made = setmetatable({}, { __mode = "k" })
  local function is_open(value)
    local mt = getmetatable(value)
    return type(value) ~= "table" or mt == nil or made[mt] or diagnostic.is(value) or rawequal(value, env)
  end
  local function complain(message)
    local file, line = location.scenario(1)
    error(file and ("%s:%d: %s"):format(file, line, message) or message, 0)
  end
  -- Returns results; an error becomes one of the script's own line.
  local function relay_results(ok, ...)
    if ok then return ... end
    local message = ...
    if type(message) ~= "string" or message == "not enough memory" then error(message, 0) end
    complain(message)
  end
  local function guard_table(fn)
    return function(value, ...)
      if not is_open(value) then complain "this is not a plain table" end
      local result, other = relay_results(pcall(fn, value, ...))
      return result, other
    end
  end
  for _, name in ipairs { "next", "rawget", "rawset", "rawlen" } do env[name] = guard_table(_G[name]) end
  function env.pairs(value)
    if not is_open(value) then complain "this is not a plain table" end
    local mt = getmetatable(value)
    if type(mt) == "table" and mt.__pairs then return pairs(value) end
    if type(value) ~= "table" then complain "pairs takes a table" end
    return sorted_pairs(value)
  end
  -- Steps are not counted while a limit is raised, so the handler runs after pcall.
  function env.xpcall(fn, handler, ...)
    if type(handler) ~= "function" then complain "xpcall takes a function that handles errors" end
    local results = table.pack(pcall(fn, ...))
    if results[1] then return table.unpack(results, 1, results.n) end
    return false, handler(results[2])
  end
  -- Returns the results of a coroutine that ran, unless it reached a limit.
  local function count_results(...)
    core.count_thread()
    return ...
  end
  local function resume(co, ...)
    if type(co) == "thread" then core.count_thread(co) end
    return count_results(relay_results(pcall(coroutine.resume, co, ...)))
  end
  env.coroutine.resume = resume
  local function after_resume(ok, ...)
    if not ok then error((...), 0) end
    return ...
  end
  function env.coroutine.wrap(fn)
    local made_here = relay_results(pcall(coroutine.create, fn))
    return function(...) return after_resume(resume(made_here, ...)) end
  end
  function env.coroutine.close(co)
    if relay_results(pcall(coroutine.status, co)) == "dead" then return true end
    core.count_thread(co)
    local ok, problem = relay_results(pcall(coroutine.close, co))
    return ok, problem
  end
  -- Rejects finalizers: they run where steps are not counted, and after the end.
  function env.setmetatable(value, mt)
    if not is_open(value) or rawequal(value, env) or diagnostic.is(value) then
      complain "this is not a plain table"
    end
    if type(mt) == "table" and rawget(mt, "__gc") ~= nil then
      complain "a scenario's tables have no finalizers (__gc)"
    end
    relay_results(pcall(setmetatable, value, mt))
    if mt then made[mt] = true end
    return value
  end
  function env.getmetatable(value)
    local mt = getmetatable(value)
    if type(mt) == "table" and not made[mt] then return nil end
    return mt
  end
  function env.print(...)
    local parts = table.pack(...)
    for i = 1, parts.n do parts[i] = type(parts[i]) == "table" and value_text(parts[i]) or tostring(parts[i]) end
    out(table.concat(parts, "\t") .. "\n")
  end
  -- Functions that could run for a long time inside the library, where steps are not counted.
  function env.string.rep(s, n, separator)
    if type(s) == "string" and s == "" and (separator or "") == "" then return "" end
    local result = relay_results(pcall(string.rep, s, n, separator))
    return result
  end
  for _, name in ipairs { "insert", "move" } do
    local fn = table[name]
    env.table[name] = function(...)
      for i = 1, select("#", ...) do
        local value = select(i, ...)
        if math.type(value) == "integer" and (value > LARGEST_INDEX or value < -LARGEST_INDEX)
          and (name == "move" or i == 2) then
          complain(("%d is not an index of a list"):format(value))
        elseif type(value) == "table" and i == 1 and #value > LARGEST_INDEX then
          complain "the list is too long"
        end
      end
      local result = relay_results(pcall(fn, ...))
      return result
    end
  end
  function env.load(chunk, name, _, chunk_env)
    if type(chunk) ~= "string" then return nil, "only text can be loaded" end
    name = type(name) == "string" and name:gsub("^[@=]", "") or nil
    return load(chunk, name or "=(load)", "t", chunk_env or env)
  end
  env._G = env
  return env
end

return sandbox
