-- sandbox.lua - the part of Lua's library that a scenario sees. A script that sees only this part cannot access files,
-- processes or the internals of the language's objects. Steps are instructions of Lua's virtual machine, of which a
-- scenario may execute a limited number. All code of a script runs where steps are counted, so the limit always
-- applies.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local value_text = require "accdeep.script.value_text".text

local sandbox = {}

-- Largest index of a list that library functions accept: they iterate over lists without counting steps, so a large
-- index would keep them busy beyond every limit.
local LARGEST_INDEX = 1 << 28

-- Returns a new table with some functions of the table `library`. `names`: the names of these functions, separated by
-- blanks.
local function copy(library, names)
  local t = {}
  for name in names:gmatch "%S+" do t[name] = library[name] end
  return t
end

-- Returns a table of the methods of strings, for the metatable of strings. Functions that the table `library` has now
-- stay methods, whatever the script assigns later. Functions that the script adds to `library` become methods, too.
function sandbox.methods(library)
  local methods = {}
  for name, fn in pairs(library) do methods[name] = fn end
  return setmetatable(methods, { __index = library })
end

-- Returns the environment of a script, a new table with the safe part of Lua's library. `out(text)` is called by print.
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
  -- `own_metatables` has the metatables that the script set, as keys.
  local own_metatables = setmetatable({}, { __mode = "k" })
  -- Returns a true value if the script may access a value directly: it is not a table, has no metatable, or has a
  -- metatable that the script set. Errors (diagnostics) and the environment `env` are open, too.
  local function is_open(value)
    local mt = getmetatable(value)
    return type(value) ~= "table" or mt == nil or own_metatables[mt] or diagnostic.is(value) or rawequal(value, env)
  end
  -- Raises `message` with the location of the script's innermost call; without a location if there is none.
  local function complain(message)
    local file, line = location.scenario(1)
    error(file and ("%s:%d: %s"):format(file, line, message) or message, 0)
  end
  -- Takes the results of pcall. Returns them without `ok`. If `ok` is false, raises the error again: a text with the
  -- script's line, except Lua's message that memory ran out; other values unchanged.
  local function relay_results(ok, ...)
    if ok then return ... end
    local message = ...
    if type(message) ~= "string" or message == "not enough memory" then error(message, 0) end
    complain(message)
  end
  -- Returns a function that calls `fn` if the script may access the first argument (is_open). Otherwise that function
  -- raises; errors of `fn` are raised again with the script's line. The function returns at most two results of `fn`.
  local function guard_table(fn)
    return function(value, ...)
      if not is_open(value) then complain "this is not a plain table" end
      local result, other = relay_results(pcall(fn, value, ...))
      return result, other
    end
  end
  for _, name in ipairs { "next", "rawget", "rawset", "rawlen" } do env[name] = guard_table(_G[name]) end
  -- Defines pairs, which visits keys in sorted order, since Lua's order differs from process to process. Raises for
  -- objects of the language, unless they have __pairs.
  function env.pairs(value)
    if not is_open(value) then complain "this is not a plain table" end
    local mt = getmetatable(value)
    if type(mt) == "table" and mt.__pairs then return pairs(value) end
    if type(value) ~= "table" then complain "pairs takes a table" end
    return sorted_pairs(value)
  end
  -- Defines xpcall: the handler runs after pcall has returned, because steps are not counted while a limit is raised.
  function env.xpcall(fn, handler, ...)
    if type(handler) ~= "function" then complain "xpcall takes a function that handles errors" end
    local results = table.pack(pcall(fn, ...))
    if results[1] then return table.unpack(results, 1, results.n) end
    return false, handler(results[2])
  end
  -- Takes the results of a coroutine that has just run, counts its steps, and returns its arguments unchanged. Raises
  -- if a limit was reached.
  local function count_results(...)
    core.count_thread()
    return ...
  end
  -- Defines coroutine.resume: resumes the coroutine `co`, and counts its steps. Returns what Lua's coroutine.resume
  -- returns. Raises if `co` is no coroutine, or if a limit was reached.
  local function resume(co, ...)
    if type(co) == "thread" then core.count_thread(co) end
    return count_results(relay_results(pcall(coroutine.resume, co, ...)))
  end
  env.coroutine.resume = resume
  -- Takes the results of coroutine.resume. Returns them without `ok`; if `ok` is false, raises the error.
  local function after_resume(ok, ...)
    if not ok then error((...), 0) end
    return ...
  end
  -- Defines coroutine.wrap on the `resume` above, so that steps are counted.
  function env.coroutine.wrap(fn)
    local thread = relay_results(pcall(coroutine.create, fn))
    return function(...) return after_resume(resume(thread, ...)) end
  end
  -- Defines coroutine.close, which counts the steps of pending __close metamethods. Returns what Lua's coroutine.close
  -- returns: true, or false and the error. Raises if `co` is no coroutine, or is running.
  function env.coroutine.close(co)
    if relay_results(pcall(coroutine.status, co)) == "dead" then return true end
    core.count_thread(co)
    local ok, problem = relay_results(pcall(coroutine.close, co))
    return ok, problem
  end
  -- Defines setmetatable, which raises for objects that are not the script's own. It also raises for metatables with
  -- finalizers (__gc), which would run where steps are not counted, and after the end of the script.
  function env.setmetatable(value, mt)
    if not is_open(value) or rawequal(value, env) or diagnostic.is(value) then
      complain "this is not a plain table"
    end
    if type(mt) == "table" and rawget(mt, "__gc") ~= nil then
      complain "a scenario's tables have no finalizers (__gc)"
    end
    relay_results(pcall(setmetatable, value, mt))
    if mt then own_metatables[mt] = true end
    return value
  end
  -- Defines getmetatable, which returns nil for metatables that the script did not make.
  function env.getmetatable(value)
    local mt = getmetatable(value)
    if type(mt) == "table" and not own_metatables[mt] then return nil end
    return mt
  end
  -- Defines print, which writes to `out` and shows the contents of views and tables.
  function env.print(...)
    local parts = table.pack(...)
    for i = 1, parts.n do parts[i] = type(parts[i]) == "table" and value_text(parts[i]) or tostring(parts[i]) end
    out(table.concat(parts, "\t") .. "\n")
  end
  -- Some library functions could run for a long time without counted steps. They are replaced here: string.rep returns
  -- at once for empty texts; table.insert and table.move raise for large indices (LARGEST_INDEX).
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
  -- Defines load for text only, in the script's environment unless `chunk_env` is given. Returns nil and a message for
  -- other chunks and for syntax errors.
  function env.load(chunk, name, _, chunk_env)
    if type(chunk) ~= "string" then return nil, "only text can be loaded" end
    name = type(name) == "string" and name:gsub("^[@=]", "") or nil
    return load(chunk, name or "=(load)", "t", chunk_env or env)
  end
  env._G = env
  return env
end

return sandbox
