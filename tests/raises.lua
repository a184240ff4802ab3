-- raises.lua [--list] [--library LIBRARY] WHAT... - reports which calls of raise in lua/accdeep the tests reach.
--
-- Values of WHAT: a scenario; NAME=VALUE, an environment variable of the next scenario, which is then trusted; or a
-- program of libaccdeep, which runs with LIBRARY preloaded (raises.c). It prints a line for each module, and with
-- --list the unreached places. tests/unreached.lua lists places that may stay unreached, with reasons. The exit
-- status is 1 if another place is not reached, if a listed one is, or if a case of spec fails. It runs in stock Lua
-- with the built module: LUA_PATH and LUA_CPATH must name their folders.

local diagnostic = require "accdeep.base.diagnostic"

-- ------------------------------------------------------------------------------------- reached --

local reached = {} -- set of "accdeep/x.lua:line": calls that raised

local function reach(call_site) reached[call_site:match "accdeep/.*$" or call_site] = true end

local raise = diagnostic.raise
function diagnostic.raise(...)
  local caller = debug.getinfo(2, "Sl")
  reach(("%s:%d"):format(caller.source, caller.currentline))
  return raise(...)
end

-- -------------------------------------------------------------------------------------- places --

local function code_of(line) return (line:gsub("%-%-.*$", "")) end

-- Returns the lines of a module, and the numbers of those on which a call of raise begins.
local function places(path)
  local lines, list = {}, {}
  for line in io.lines(path) do
    lines[#lines + 1] = line
    local code = code_of(line)
    if code:find "%f[%w_]raise%s*%(" and not code:find "function%s+[%w_.]*raise" then list[#list + 1] = #lines end
  end
  return lines, list
end

local function modules(folder, list)
  local pipe <close> = assert(io.popen(("find '%s' -name '*.lua' | LC_ALL=C sort"):format(folder)))
  for path in pipe:lines() do list[#list + 1] = path end
  return list
end

-- ------------------------------------------------------------------------------------- the run --

local failed = 0
local function check(ok, ...)
  if ok then return end
  failed = failed + 1
  io.stderr:write("FAIL ", (...):format(select(2, ...)), "\n")
end

local scenario = require "accdeep.script.scenario"
local environment = {} -- environment of the next scenario
local getenv = os.getenv
function os.getenv(name) return environment[name] or getenv(name) end -- luacheck: ignore

-- Scenarios outside of spec may fail.
local function run_scenario(path)
  local file <close> = assert(io.open(path))
  local record = scenario.run(path, file:read "a", { out = function() end, trust = next(environment) ~= nil })
  for _, case in ipairs(record.cases) do
    check(case.ok or not path:find "^spec/", "%s: %s", path, case.name)
  end
  environment = {}
end

local function run_program(path, library)
  local list = os.tmpname()
  local ok = os.execute(("LD_PRELOAD='%s' ACCDEEP_RAISES='%s' '%s' >/dev/null"):format(library, list, path))
  check(ok, "%s", path)
  for call_site in io.lines(list) do reach(call_site) end
  os.remove(list)
end

local is_list, library = false, nil
local at = 1
while arg[at] do
  local argument = arg[at]
  local name, value = argument:match "^(%u+)=(.*)$"
  if argument == "--list" then
    is_list = true
  elseif argument == "--library" then
    at = at + 1
    library = arg[at]
  elseif name then
    environment[name] = value
  elseif argument:find "%.lua$" then
    run_scenario(argument)
  else
    run_program(argument, library)
  end
  at = at + 1
end

-- -------------------------------------------------------------------------------------- result --

local unreached = dofile "tests/unreached.lua" -- by module: a part of the call's text -> the reason
local all, reached_count = 0, 0
for _, path in ipairs(modules("lua/accdeep", {})) do
  local lines, list = places(path)
  local module_count, silent, reasons = 0, {}, unreached[path:match "accdeep/(.*)"] or {}
  local used = {}
  for _, line in ipairs(list) do
    local is_reached = reached[("%s:%d"):format(path:match "accdeep/.*", line)]
    if is_reached then module_count = module_count + 1 else silent[#silent + 1] = line end
    local reason
    for part in pairs(reasons) do
      if (lines[line] .. (lines[line + 1] or "")):find(part, 1, true) then
        reason, used[part] = part, true
        check(not is_reached, "%s:%d is reached, and listed in tests/unreached.lua", path, line)
      end
    end
    check(is_reached or reason, "%s:%d: nothing reaches this error:%s", path, line, lines[line]:gsub("^%s+", " "))
  end
  for part in pairs(reasons) do check(used[part], "%s: no error '%s', which tests/unreached.lua lists", path, part) end
  all, reached_count = all + #list, reached_count + module_count
  if #list > 0 then print(("%4d of %4d  %s"):format(module_count, #list, path)) end
  for _, line in ipairs(is_list and silent or {}) do
    print(("      %s:%d:%s"):format(path, line, lines[line]:gsub("^%s+", " ")))
  end
end
print(("%4d of %4d places are reached, %d failures"):format(reached_count, all, failed))
os.exit(failed == 0)
