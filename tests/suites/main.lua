-- main.lua - the command line of tests/suites/run. The module is a function: arguments and the folder of
-- this script -> exit status.

local argparse = require "argparse"
local jobs = require "suites.jobs"
local suite_report = require "suites.suite_report"
local shell = require "suites.shell"
local verdict = require "suites.verdict"

local NOTHING_RUN = 2

local SUITES = { validation = require "suites.validation", openmp = require "suites.openmp",
  gcc = require "suites.gcc".openacc }
local GCC_OPENMP = { gcc = require "suites.gcc".openmp }
local OF_CLANG = { openmp = SUITES.openmp, llvm = require "suites.llvm" }

local function options_of(arguments)
  local parser = argparse("tests/suites/run", "Runs a suite of OpenACC or OpenMP on accdeep and on stock libgomp.")
  parser:argument("folder", "The validation suite of OpenACC or OpenMP, a source of gcc 12, or LLVM's offload tests.")
  parser:flag("--openmp", "Of gcc's tests, those of OpenMP's target directives.")
  parser:option("--clang", "Compile with this clang, and compare with libomptarget: OpenMP's suite, LLVM's own tests.")
    :argname "COMMAND"
  parser:option("--ways", "What COMMAND does: any of plain, strict and checked.", "plain,strict,checked")
    :argname "LIST"
  parser:option("--cc", "Words in front of each compiler for the programs that are checked.", "build/accdeep cc")
    :argname "COMMAND"
  parser:option("--exec", "What runs a program: words to put in front of it. 'none' for libgomp alone.",
    "build/accdeep exec -q"):argname "COMMAND"
  parser:option("--rules", "Passed on to COMMAND; if that is accdeep, libgomp-12 for gcc's OpenACC tests.")
    :argname "PROFILE"
  parser:option("--filter", "Only tests whose name has a match for this Lua pattern."):argname "PATTERN"
  parser:option("--jobs", "How many tests at a time.", "2"):convert(math.tointeger):argname "N"
  parser:option("--limit", "How long a program may run.", "60"):convert(math.tointeger):argname "SECONDS"
  parser:option("--keep", "Keep programs and the stock runtime's results here, and use those kept."):argname "DIR"
  parser:option("--known", "The reasons of failures; known.lua if not given."):argname "FILE"
  parser:flag("--all", "One line for every test.")
  parser:flag("--list", "Print the names and the groups of the tests, run none.")
  return parser:parse(arguments)
end

-- The files of a folder: path below it -> time of the last change.
local function files_of(folder)
  if not os.execute(shell.command { "test", "-d", folder }) then error("there is no folder " .. folder, 0) end
  local files = {}
  for _, line in ipairs(shell.lines(("find %s -type f -printf '%%T@ %%P\\n'"):format(shell.quote(folder)))) do
    local time, path = line:match "^(%S+) (.*)$"
    files[path] = time
  end
  return files
end

local function absolute(path)
  return path:sub(1, 1) == "/" and path or shell.lines("pwd")[1] .. "/" .. path
end

-- The words of a command. Those that name files do so from here, not from where tests run.
local function words_of(command)
  local words = {}
  for word in command:gmatch "%S+" do
    words[#words + 1] = word:find "/" and shell.exists(word) and absolute(word) or word
  end
  if words[1] and words[1]:find "/" and not shell.exists(words[1]) then error("there is no " .. words[1], 0) end
  return words
end

-- The words for a compiler of gcc, behind others; nil if clang has none.
local function words_for(compiler, clang, before)
  local compilers = { gcc = clang, ["g++"] = clang and clang:gsub("clang", "clang++", 1) }
  if clang and not compilers[compiler] then return nil end
  local words = table.move(before, 1, #before, 1, {})
  words[#words + 1] = compilers[compiler] or compiler
  return words
end

-- A test whose first word is one for a compiler, with the whole command line.
local function compiled_by(clang, test, option, compiler, is_checked)
  local words = compiler(test.compile[1])
  if not words then return nil end
  if is_checked then words[#words + 1] = "-g" end
  words[#words + 1] = option
  words[#words + 1] = clang and "-fopenmp-targets=x86_64-pc-linux-gnu" or "-foffload=disable"
  test.compile = table.move(test.compile, 2, #test.compile, #words + 1, words)
  return test
end

-- before: words in front of each compiler.
local function tests_of(folder, files, options, suites, before)
  local function read(path) return assert(shell.read(folder .. "/" .. path)) end
  local function full(path) return folder .. "/" .. path end
  local function compiler(name) return words_for(name, options.clang, before) end
  for name, suite in pairs(suites) do
    local root = suite.root(files)
    if root then
      local tests = {}
      for _, test in ipairs(suite.tests(files, root, read, full, compiler)) do
        if not options.filter or test.name:find(options.filter) then
          tests[#tests + 1] = test.is_script and test or compiled_by(options.clang, test, suite.option, compiler,
            #before > 0)
        end
      end
      table.sort(tests, function(a, b) return a.name < b.name end)
      local kind = suites == GCC_OPENMP and "-openmp" or options.clang and "-clang" or ""
      return name .. kind, tests, suite.groups
    end
  end
  error(folder .. " holds neither a validation suite nor the tests of a compiler", 0)
end

-- The rules each suite tests. Reasons in known.lua are about these.
local PROFILES = { validation = "openacc-3.3", gcc = "libgomp-12", openmp = "openmp-5.1",
  ["gcc-openmp"] = "openmp-5.1", ["openmp-clang"] = "openmp-5.1", ["llvm-clang"] = "openmp-5.2" }

-- The modes in which a program is run on accdeep: options of exec. has_reports: warnings are looked at.
local MODES = { plain = { options = {} }, strict = { options = { "--strict" }, has_reports = true },
  checked = { options = {}, has_reports = true, is_compiled_for_it = true } }

-- rules: the profile of all tests. usual: that of tests that have none of their own. Both may be nil.
local function tested(name, command, rules, usual)
  local mode = MODES[name] or error("there is no way " .. name, 0)
  local words = words_of(command)
  return { name = name, command = table.move(mode.options, 1, #mode.options, #words + 1, words), rules = rules,
    usual = usual, environment = {}, has_reports = mode.has_reports, is_compiled_for_it = mode.is_compiled_for_it }
end

local function libomptarget(clang, seconds)
  local version = shell.lines(shell.command { clang, "--version" })[1]
  return { name = "libomptarget", command = {}, key = version .. " " .. seconds, environment = {} }
end

-- The interface of plugins is another one in each version of gcc.
local function libgomp(script_folder, work, seconds)
  if shell.lines("gcc -dumpversion")[1]:match "^%d+" ~= "12" then
    error("the simulated device for libgomp is made for gcc 12", 0)
  end
  local source, folder = script_folder .. "/plugin.c", work .. "/plugin"
  local sum = shell.lines("cksum <" .. shell.quote(source))[1]
  if shell.read(folder .. "/sum") ~= sum then
    shell.lines(shell.command { "mkdir", "-p", folder })
    shell.lines(shell.command { "gcc", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", source,
      "-o", folder .. "/libgomp-plugin-nvptx.so.1" })
    shell.write(folder .. "/sum", sum)
  end
  return { name = "libgomp", command = {}, key = sum .. " " .. seconds,
    environment = { "LD_LIBRARY_PATH=" .. folder } }
end

local function version_of(clang)
  return shell.lines(shell.command { clang, "-dumpversion" })[1]:match "^%d+"
end

local function progress(is_shown)
  return function(done, all)
    if is_shown then io.stderr:write(("\r%d of %d "):format(done, all), done == all and "\r\27[K" or "") end
  end
end

-- Runs the tests by the runtimes that take programs compiled in one way. Returns their results: name of a test ->
-- name of a runtime -> verdict.
local function results_of(tests, runtimes, work, files, options)
  jobs.run(tests, runtimes, work, files, { count = options.jobs, seconds = options.limit,
    progress = progress(os.execute "test -t 2") })
  local results = {}
  for _, test in ipairs(tests) do
    results[test.name] = {}
    for _, runtime in ipairs(runtimes) do results[test.name][runtime.name] = verdict(test, runtime) end
  end
  return results
end

local function run(options, script_folder, work)
  local files = files_of(options.folder)
  local folder = absolute(options.folder)
  local suites = options.openmp and GCC_OPENMP or options.clang and OF_CLANG or SUITES
  local suite, tests, groups = tests_of(folder, files, options, suites, {})
  if options.list then
    for _, test in ipairs(tests) do print(("%-40s %s"):format(test.name, table.concat(test.groups, ", "))) end
    return #tests > 0 and 0 or NOTHING_RUN
  end
  local runtimes = { options.clang and libomptarget(options.clang, options.limit)
    or libgomp(script_folder, work, options.limit) }
  local uncompiled, compiled = { runtimes[1] }, {} -- for checking
  for name in options.ways:gmatch(options.exec ~= "none" and "[^,]+" or "^$") do
    local runtime = tested(name, options.exec, options.rules, options.exec:find "accdeep exec" and PROFILES[suite])
    table.insert(runtimes, runtime)
    table.insert(runtime.is_compiled_for_it and compiled or uncompiled, runtime)
  end
  local results = results_of(tests, uncompiled, work, files, options)
  if #compiled > 0 then
    shell.lines(shell.command { "mkdir", "-p", work .. "/checked" })
    local _, checked = tests_of(folder, files, options, suites, words_of(options.cc))
    for name, more_results in pairs(results_of(checked, compiled, work .. "/checked", files, options)) do
      for mode, result in pairs(more_results) do results[name][mode] = result end
    end
  end
  local is_any_run = false
  for _, test in ipairs(tests) do
    is_any_run = is_any_run or results[test.name][runtimes[1].name].state ~= "not compiled"
  end
  local known_reasons = dofile(options.known or script_folder .. "/known.lua")
  for name, reason in pairs(options.clang and known_reasons[suite .. " " .. version_of(options.clang)] or {}) do
    known_reasons[suite][name] = known_reasons[suite][name] or reason.failed
  end
  local unexplained = suite_report.lines(tests, runtimes, results, suite, known_reasons, options.all)
  local worse_groups = suite_report.table(groups, tests, runtimes, results)
  if not is_any_run then return NOTHING_RUN end
  if unexplained > 0 then print(("differences without a known reason: %d"):format(unexplained)) end
  if #worse_groups > 0 then print(runtimes[1].name .. " passes more of: " .. table.concat(worse_groups, "; ")) end
  return #worse_groups == 0 and unexplained == 0 and 0 or 1
end

return function(arguments, script_folder)
  local options = options_of(arguments)
  local work = options.keep and absolute(options.keep) or shell.lines("mktemp -d")[1]
  local ok, status = xpcall(function()
    shell.lines(shell.command { "mkdir", "-p", work })
    return run(options, script_folder, work)
  end, function(problem) return type(problem) == "string" and problem or debug.traceback(problem) end)
  if not options.keep then shell.lines(shell.command { "rm", "-rf", work }) end
  if ok then return status end
  io.stderr:write("tests/suites/run: ", status, "\n")
  return NOTHING_RUN
end
