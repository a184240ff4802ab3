-- jobs.lua - compiles tests and runs them, several at a time. Each test has a folder of its own in the
-- work folder: what it was compiled from (key), the program, the log of the compiler, and for each
-- runtime what the program wrote and how it ended (out, err, status; the status comes last).

local shell = require "suites.shell"

local jobs = {}

local COMPILE_SECONDS = 120
local FILE_BLOCKS = 1 << 16 -- of 512 bytes, that a program may write into one file

local COMPILE = [[
rm -rf ./* && mkdir scratch && cd scratch &&
timeout -k 2 %d %s -o ../program >../compile.log 2>&1 </dev/null
cd .. && rm -rf scratch && printf %%s %s >key
]]

local RUN = [[
if test -x program; then
  rm -f %s.status %s.reports && mkdir -p scratch && cd scratch
  (ulimit -c 0; ulimit -f %d; exec timeout -k 2 %d env %s ../program) >../%s.out 2>../%s.err </dev/null
  status=$?
  cd .. && rm -rf scratch && printf %%s "$status" >%s.status
fi
]]

local function run_script(runtime, test, seconds)
  local environment = table.move(test.environment, 1, #test.environment, 1, {})
  table.move(runtime.environment, 1, #runtime.environment, #environment + 1, environment)
  local command = table.move(runtime.command, 1, #runtime.command, 1, {})
  if runtime.has_reports then
    table.move({ "--report", ("../%s.reports"):format(runtime.name) }, 1, 2, #command + 1, command)
  end
  local rules = runtime.rules or runtime.usual and (test.rules or runtime.usual)
  if rules then table.move({ "--rules", rules }, 1, 2, #command + 1, command) end
  if test.is_script then command = { "RUN=" .. table.concat(command, " ") } end
  local words = shell.command(environment) .. " " .. shell.command(command)
  local name = runtime.name
  return RUN:format(name, name, FILE_BLOCKS, seconds, words, name, name, name)
end

-- What a kept program depends on. Included files of a suite do not change without its sources.
local function key_of(test, times)
  local parts = { shell.command(test.compile) }
  for _, source in ipairs(test.sources) do parts[#parts + 1] = times[source] or "" end
  return table.concat(parts, " ")
end

-- The script that does what is left to do for a test, or nil. A runtime with a key is one whose results
-- stay right as long as the key is the same.
local function script_of(test, runtimes, folder, times, seconds)
  local key = key_of(test, times)
  local parts = {}
  local is_compiled = shell.read(folder .. "/key") == key
  if not is_compiled then
    parts[1] = COMPILE:format(COMPILE_SECONDS, shell.command(test.compile), shell.quote(key))
  elseif not shell.exists(folder .. "/program") then
    return nil
  end
  for _, runtime in ipairs(runtimes) do
    local base = folder .. "/" .. runtime.name
    local has_result = is_compiled and runtime.key and shell.read(base .. ".key") == runtime.key
      and shell.exists(base .. ".status")
    if not has_result then parts[#parts + 1] = run_script(runtime, test, seconds) end
    if runtime.key and not has_result then
      parts[#parts + 1] = ("printf %%s %s >%s.key\n"):format(shell.quote(runtime.key), runtime.name)
    end
  end
  if #parts == 0 then return nil end
  -- The shell says on stderr which programs died of a signal; they are many.
  return ("mkdir -p %s && cd %s || exit 255\nexec 2>/dev/null\n"):format(shell.quote(folder), shell.quote(folder))
    .. table.concat(parts) .. "echo\n"
end

-- options: count of jobs at a time, seconds a program may run; progress(done, all) is called after each.
function jobs.run(tests, runtimes, work, times, options)
  local scripts = {}
  for _, test in ipairs(tests) do
    test.folder = work .. "/" .. test.name
    if not test.missing then
      scripts[#scripts + 1] = script_of(test, runtimes, test.folder, times, options.seconds)
    end
  end
  if #scripts == 0 then return end
  local list = work .. "/jobs"
  shell.write(list, table.concat(scripts, "\0") .. "\0")
  local pipe = assert(io.popen(("xargs -0 -n 1 -P %d sh -c <%s"):format(options.count, shell.quote(list))))
  local done = 0
  for _ in pipe:lines() do
    done = done + 1
    options.progress(done, #scripts)
  end
  if not pipe:close() then error("jobs could not be run", 0) end
end

return jobs
