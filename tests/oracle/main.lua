-- main.lua - the work of tests/oracle/run.

local jobs = require "suites.jobs"
local known = require "oracle.known"
local shell = require "suites.shell"

local SKIPPED = 77
local SECONDS = 20

-- A device with memory of its own, which is what makes comparisons worth anything.
local PROBE = [[
#include <omp.h>
int main(void) {
  int v = 1, seen = 0, present = 0;
  if (omp_get_num_devices() < 1) return 1;
  #pragma omp target data map(to: v)
  {
    v = 2;
    #pragma omp target map(v) map(from: seen)
    seen = v;
    present = omp_target_is_present(&v, omp_get_default_device());
  }
  return seen != 1 || !present;
}
]]

local function output(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "a"
  return pipe:close() and text or nil
end

local function words_of(text)
  local words = {}
  for word in text:gmatch "%S+" do words[#words + 1] = word end
  return words
end

local function with(words, ...)
  local all = table.move(words, 1, #words, 1, {})
  for _, word in ipairs { ... } do all[#all + 1] = word end
  return all
end

local languages = {}

languages.openmp = {
  files = function(here) return shell.lines(("ls %s/openmp/*.lua"):format(shell.quote(here))) end,
  compiler = function(work)
    local words = with(words_of(os.getenv "CLANG" or "clang"), "-g", "-O1", "-fopenmp", "-fopenmp-version=51",
      "-fopenmp-targets=x86_64-pc-linux-gnu")
    local version = output(shell.quote(words[1]) .. " --version")
    if not version then return nil, ("there is no %s"):format(words[1]) end
    shell.write(work .. "/probe.c", PROBE)
    local compiled = shell.command(with(words, work .. "/probe.c", "-o", work .. "/probe"))
    if not output(compiled) then
      return nil, ("%s cannot compile for a device; Debian packages: clang libomp-dev"):format(words[1])
    elseif not output("timeout 20 " .. shell.quote(work .. "/probe")) then
      return nil, ("programs of %s find no device with memory of its own"):format(words[1])
    end
    return words, version:match "^[^\n]*", version:match "version (%d+)"
  end,
  command = function() return {} end,
}

languages.openacc = {
  files = function(here)
    local list = shell.lines(("ls %s/../../spec/tr14/*.lua"):format(shell.quote(here)))
    for _, name in ipairs { "2.7-clauses", "2.7.2-attach", "2.8-host_data", "3.2-routines", "attach", "lifetimes" } do
      list[#list + 1] = ("%s/../../spec/openacc/%s.lua"):format(here, name)
    end
    return list
  end,
  compiler = function(work)
    local words = { "gcc", "-g", "-fopenacc", "-foffload=disable" }
    local version = output "gcc --version"
    shell.write(work .. "/probe.c", "#include <openacc.h>\nint main(void) { return 0; }\n")
    if not version or not output(shell.command(with(words, work .. "/probe.c", "-o", work .. "/probe"))) then
      return nil, "gcc cannot compile OpenACC"
    end
    return words, version:match "^[^\n]*", nil
  end,
  is_partial = true, -- the specification has cases that C has no words for
  command = function(program, rules) return { program, "exec", "-q", "--strict", "--rules", rules } end,
}

-- ------------------------------------------------------------------------------------------- a case --

-- What a program printed that the scenario does not say: number of the check, or "compile", "end" -> text.
local function differences(test)
  local found = {}
  local status = tonumber(shell.read(test.folder .. "/run.status") or "")
  if not status then
    local log = shell.read(test.folder .. "/compile.log") or ""
    return { compile = log:match "error: ([^\n]*)" or "it was not compiled" }
  end
  local last, ended, fails = 0, false, false
  for line in (shell.read(test.folder .. "/run.out") or ""):gmatch "[^\n]+" do
    local number, text = line:match "^check (%d+)[^:]*: (.*)$"
    if number then
      last = math.tointeger(tonumber(number))
      fails = fails or text:find "^fails " ~= nil -- what is checked behind it belongs to what fails
      if text == "nothing failed" or text:find(", not ", 1, true) then found[last] = text end
      ended = text == "nothing failed"
    elseif line:find "^%d+ checks?, " then
      ended = true
    end
  end
  if not ended and not (fails and status ~= 0) then
    local message = (shell.read(test.folder .. "/run.err") or ""):match "[^\n]+" or "no message"
    found["end"] = ("it ended with status %d behind check %d: %s"):format(status, last,
      message:gsub("0x%x+", "ADDRESS"))
  end
  return found
end

local function sorted(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if type(a) == type(b) then return a < b end
    return type(a) == "number"
  end)
  return keys
end

-- A reading holds for the releases of the compiler that it names, or for all.
local function readings_of(language, test, release)
  local readings = {}
  for key, reading in pairs((known[language][test.file] or {})[test.case] or {}) do
    local is_for = not reading.releases
    for _, number in ipairs(reading.releases or {}) do is_for = is_for or tostring(number) == release end
    if is_for then readings[key] = reading end
  end
  return readings
end

-- Prints how a case differs; whether that is as known.
local function judge(language, test, release)
  local found, readings = differences(test), readings_of(language, test, release)
  local all = {}
  for key in pairs(found) do all[key] = true end
  for key in pairs(readings) do all[key] = true end
  local ok = true
  for _, key in ipairs(sorted(all)) do
    local what = type(key) == "number" and "check " .. key or key
    local where = ("%s, %s, %s"):format(test.file, test.case, what)
    if not readings[key] then
      print(("FAIL   %s: %s"):format(where, found[key]))
      ok = false
    elseif not found[key] then
      print(("FAIL   %s: no difference any more, but known.lua has a reading of it"):format(where))
      ok = false
    else
      print(("differs %s: %s\n        %s: %s"):format(where, found[key], readings[key].rule, readings[key].text))
    end
  end
  return ok, next(found) ~= nil
end

-- --------------------------------------------------------------------------------------- all of them --

-- Exports the cases of a file: {name, file, case (its sentence), source}; nil if one has no program.
local function export(program, language, file, work, tests)
  local name = file:match "([^/]*)%.lua$"
  local pipe = assert(io.popen(("%s export --c %s --out %s %s"):format(shell.quote(program), language,
    shell.quote(work), shell.quote(file))))
  for line in pipe:lines() do
    local source, case = line:match "^(.-%.c): (.*)$"
    local sentence = case:gsub("^%l+: ", ""):gsub(" %[[^%]]*%]$", "")
    tests[#tests + 1] = { name = source:match "([^/]*)%.c$", file = name, case = sentence, source = source }
  end
  return pipe:close()
end

local function run(here, program, language, pattern, work)
  local how = languages[language]
  local compiler, version, release = how.compiler(work)
  if not compiler then
    print(("skipped: %s"):format(version))
    return SKIPPED
  end
  local exported, complete = {}, true
  for _, file in ipairs(how.files(here)) do
    local ok = export(program, language, file, work, exported)
    complete = complete and (ok or how.is_partial)
  end
  local tests, by_rules = {}, {}
  for _, test in ipairs(exported) do
    test.rules = shell.read(test.source):match "\n%s*Rules: ([^\n]*)"
    if (not pattern or test.case:find(pattern)) and test.rules ~= "with knobs" then
      test.compile, test.sources, test.environment = with(compiler, test.source), {}, {}
      tests[#tests + 1] = test
      by_rules[test.rules] = by_rules[test.rules] or {}
      table.insert(by_rules[test.rules], test)
    end
  end
  for rules, group in pairs(by_rules) do
    jobs.run(group, { { name = "run", command = how.command(program, rules), environment = {} } }, work, {},
      { count = 2, seconds = SECONDS, progress = function() end })
  end
  local failed, differ, seen = 0, 0, {}
  for _, test in ipairs(tests) do
    local ok, differs = judge(language, test, release)
    failed, differ = failed + (ok and 0 or 1), differ + (differs and 1 or 0)
    seen[test.file .. ", " .. test.case] = true
  end
  for file, cases in pairs(pattern and {} or known[language]) do
    for case in pairs(cases) do
      if not seen[file .. ", " .. case] then
        print(("FAIL   known.lua is about a case that there is not: %s, %s"):format(file, case))
        failed = failed + 1
      end
    end
  end
  print(("%d cases on %s: %d agree, %d differ; %d unexplained"):format(#tests, version, #tests - differ, differ,
    failed))
  return complete and failed == 0 and #tests > 0 and 0 or 1
end

return function(here, program, language, pattern)
  local work = shell.lines("mktemp -d")[1]
  local ok, status = pcall(run, here, program, language, pattern, work)
  os.execute("rm -rf " .. shell.quote(work))
  if not ok then error(status, 0) end
  return status
end
