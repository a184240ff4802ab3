-- Places that raise errors, and how many of them scenarios reach: lua5.4 tests/raises.lua [--list] FILE...
--
-- A place is a call of raise in a module of lua/accdeep. Prints a line for each module; with --list also the places
-- that no scenario reached. It runs in stock Lua with the built module: LUA_PATH and LUA_CPATH lead there.

local diagnostic = require "accdeep.base.diagnostic"

-- ------------------------------------------------------------------------------------- reached --

local reached = {} -- "file:line" of a call that raised

local raise = diagnostic.raise
function diagnostic.raise(...)
  local caller = debug.getinfo(2, "Sl")
  reached[("%s:%d"):format(caller.source:sub(2), caller.currentline)] = true
  return raise(...)
end

-- -------------------------------------------------------------------------------------- places --

-- The lines of a module on which a call of raise begins.
local function places(path)
  local list, n = {}, 0
  for line in io.lines(path) do
    n = n + 1
    local code = line:gsub("%-%-.*$", "")
    if code:find "%f[%w_]raise%s*%(" and not code:find "function%s+[%w_.]*raise" then list[#list + 1] = n end
  end
  return list
end

local function modules(folder, list)
  local pipe <close> = assert(io.popen(("find '%s' -name '*.lua' | LC_ALL=C sort"):format(folder)))
  for path in pipe:lines() do list[#list + 1] = path end
  return list
end

-- ------------------------------------------------------------------------------------- the run --

local is_list = arg[1] == "--list"
if is_list then table.remove(arg, 1) end
local scenario = require "accdeep.script.scenario"
local failed = 0
for _, path in ipairs(arg) do
  local file <close> = assert(io.open(path))
  for _, case in ipairs(scenario.run(path, file:read "a", { out = function() end }).cases) do
    if not case.ok then
      failed = failed + 1
      io.stderr:write(("FAIL %s: %s\n"):format(path, case.name))
    end
  end
end

local all, met = 0, 0
for _, path in ipairs(modules("lua/accdeep", {})) do
  local lines, here, silent = places(path), 0, {}
  for _, line in ipairs(lines) do
    if reached[("%s:%d"):format(path, line)] then here = here + 1 else silent[#silent + 1] = line end
  end
  all, met = all + #lines, met + here
  if #lines > 0 then print(("%4d of %4d  %s"):format(here, #lines, path)) end
  if is_list then
    local text = {}
    for line in io.lines(path) do text[#text + 1] = line end
    for _, line in ipairs(silent) do print(("      %s:%d:%s"):format(path, line, text[line]:gsub("^%s+", " "))) end
  end
end
print(("%4d of %4d places are reached, %d cases fail"):format(met, all, failed))
os.exit(failed == 0)
