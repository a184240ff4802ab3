-- exec.lua - `accdeep exec`: becomes a real OpenACC or OpenMP program whose runtime is accdeep. The program keeps
-- its standard streams, its signals and its exit status; the runtime library is configured by environment
-- variables what to do.

local error_codes = require "accdeep.base.error_codes"
local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local system = require "accdeep.system"

local LIBRARY = "libaccdeep-goacc.so"

local function fail(message, help)
  error(diagnostic.new { code = "file", message = message, rule = "HOUSE-files", help = help }, 0)
end

local function library(name)
  local path, problem = files.library(name)
  if not path then fail(problem, "run `make`, which builds the library") end
  if path:find "[ :]" then fail(("%s cannot be preloaded: its path has a space or a colon"):format(path)) end
  return path
end

local function read_file(path)
  local file, problem = io.open(path, "rb")
  if not file then fail(problem) end
  local text = file:read "a" or ""
  file:close()
  return text
end

-- Calls that other compilers make for OpenACC, and whose they are.
local OTHERS = {
  { "__pgi_uacc_", "the NVIDIA HPC compilers" }, { "__cray_acc_", "the Cray compilers" },
}

-- The name of the library that programs compiled for checking need, and a call that they make.
local CHECKED, CHECKED_CALL = "libaccdeep-check.so", "__tsan_"
-- Instrumented functions need more stack: so many times that of the shell.
local CHECKED_STACK = 4

-- The library that a program compiled with -fsanitize=address needs before all others, or nil. The pattern does not
-- match itself in a program that contains this module.
local function sanitizer(path, text, strict)
  if not text:find "__asan_[i]nit\0" then return nil end
  if strict then
    fail(("%s was compiled with -fsanitize=address, and cannot run with --strict, which closes the host's memory")
      :format(path), "run it without --strict, or compile it without -fsanitize=address")
  end
  local first = text:match "%z(libasan%.so%.%d+)%z"
  if not first and text:find("__tgt_register_lib", 1, true) then
    fail(("%s was compiled by clang with -fsanitize=address, which does not know the device's variables"):format(path),
      "compile it without -fsanitize=address")
  end
  return first
end

-- A line for standard error that is about the run, not about a place in the program.
local function message(level, text, json)
  return (json and require "dkjson".encode({ level = level, message = text }, { keyorder = { "level" } })
    or ("accdeep: %s: %s"):format(level, text)) .. "\n"
end

-- A program that cannot work under this runtime is recognised before it starts. What is not an ELF file, a
-- script for example, may start one that can. Returns whether it was compiled for checking, a library that comes
-- first, whether it is no ELF file, and whether it makes no calls for devices itself.
local function check(path, strict)
  local rights = system.elevates(path)
  if rights then
    fail(("%s gets %s, and the system preloads no library for it"):format(path, rights),
      "run a copy of it, which has no such rights")
  end
  local text = read_file(path)
  if text:sub(1, 4) ~= "\127ELF" then return nil, nil, true end
  if #text < 64 or text:byte(5) ~= 2 or text:sub(19, 20) ~= "\62\0" or text:byte(17) ~= 2 and text:byte(17) ~= 3 then
    fail(("%s is not a program for x86-64"):format(path))
  end
  local offset, size, count = string.unpack("<I8", text, 33), string.unpack("<I2I2", text, 55)
  count = string.unpack("<I2", text, 57)
  if offset + size * count > #text then fail(("%s is not complete"):format(path)) end
  local dynamic = false
  for i = 0, count - 1 do
    local at = offset + i * size + 1
    dynamic = dynamic or (at + 4 <= #text and string.unpack("<I4", text, at) == 3) -- PT_INTERP
  end
  if not dynamic then
    fail(("%s is linked statically, so that no other runtime can be put in front of its own"):format(path),
      "link it without -static, or with libaccdeep-goacc.a in front of libgomp")
  end
  local checked = text:find(CHECKED, 1, true) ~= nil
  if not checked and text:find(CHECKED_CALL, 1, true) then
    fail(("%s was compiled with -fsanitize=thread, and needs the library of the thread sanitizer"):format(path),
      "compile and link the program by `accdeep cc`")
  end
  if text:find("GOACC_", 1, true) or text:find("GOMP_target", 1, true) or text:find("__tgt_", 1, true)
    or text:find("%f[%w_]acc_[a-z]") or text:find("%f[%w_]omp_target_[a-z]") then
    return checked, sanitizer(path, text, strict)
  end
  for _, other in ipairs(OTHERS) do
    if text:find(other[1], 1, true) then
      fail(("%s was compiled for another runtime, that of %s"):format(path, other[2]),
        "compile it with gcc -fopenacc (or -fopenmp) -foffload=disable")
    end
  end
  local first = sanitizer(path, text, strict)
  return checked, first, false, true -- its libraries may make calls
end

-- Sees to it that a run in which nothing was checked does not pass in silence: the system may have left the library
-- out. A script may start programs without it.
local function supervise(path, script, json)
  system.supervise(
    message("warning", ("nothing was checked: the system did not load accdeep's library into %s"):format(path), json),
    script and message("warning", ("nothing was checked: %s ended, and no directive was executed with accdeep's "
      .. "library; programs that it starts need the variable LD_PRELOAD (sudo and env -i remove it)"):format(path),
      json) or nil)
end

-- The number of this process in an MPI program, as text; nil outside of one. core/abi/program/base/rank.c has the same
-- list.
local function rank()
  for _, name in ipairs { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" } do
    local value = os.getenv(name)
    if value and value:find "^%d+$" and #value < 10 then return value end
  end
  return nil
end

-- The name of a file of this rank: %r is the rank. Without %r and %p the rank is inserted before the suffix, so that no
-- rank writes the file of another. The runtime replaces %p, and %r if the program starts the ranks.
local function rank_file_name(pattern)
  local number = rank()
  if not pattern or pattern == "-" or not number then return pattern end
  if not pattern:find "%%[pr]" then
    local stem, suffix = pattern:match "^(.*[^/])(%.[^./]*)$"
    pattern = (stem or pattern) .. ".%r" .. (suffix or "")
  end
  return (pattern:gsub("%%r", number))
end

-- A file of suppressions, core/abi/program/base/suppress.c reads it, is checked. Returns its absolute path: the program
-- may change its folder.
local function suppressions(path)
  local number, help = 0, "a line is CODE:FUNCTION-OR-FILE or CODE:FUNCTION-OR-FILE:OBJECT, with * and ? in patterns"
  for row in (files.read(path) .. "\n"):gmatch "(.-)\r?\n" do
    number = number + 1
    local text = (" " .. row):gsub("%s#.*", ""):match "^%s*(.-)%s*$"
    local code, place, object = text:match "^([^:]*):([^:]*):?(.*)$"
    local problem
    if text == "" then goto continue end
    if not code or code == "" or place == "" or text:find "^[^:]*:[^:]*:$" then
      problem = ("this is not a suppression: '%s'"):format(text)
    elseif not code:find "[*?]" and not error_codes[code] then
      problem = ("there is no code '%s'"):format(code)
      help = diagnostic.suggest(code, error_codes) or "`accdeep explain` has the codes of reports"
    elseif object:find "^%s" or place:find "^%s" then
      problem = "a pattern begins with a space"
    end
    if problem then fail(("%s:%d: %s"):format(path, number, problem), help) end
    ::continue::
  end
  return assert(system.realpath(path))
end

-- Files of ranks that an earlier run left are removed: the runtime appends.
local function remove_old(pattern)
  if pattern:find("%p", 1, true) then return end -- other processes of this run may be there
  local folder, name = pattern:match "^(.*/)([^/]*)$"
  folder, name = folder or "./", name or pattern
  local wanted = "^" .. name:gsub("%p", "%%%0"):gsub("%%%%r", "%%d+") .. "$"
  for _, file in ipairs(system.listdir(folder) or {}) do
    if file:find(wanted) then os.remove(folder .. file) end
  end
end

-- Strict runs. MPI ranks of one machine may read each other's memory by system calls, which fail while a kernel of the
-- other rank runs: its memory is closed. These variables of Open MPI, UCX and libfabric choose copies through shared
-- memory. The last one lets libomp run the tasks of target constructs in the threads that make them.
local for_strict = {
  OMPI_MCA_btl_vader_single_copy_mechanism = "none",
  OMPI_MCA_btl_sm_single_copy_mechanism = "none",
  OMPI_MCA_smsc = "^cma,knem,xpmem",
  UCX_TLS = "^cma",
  FI_SHM_DISABLE_CMA = "1",
  LIBOMP_NUM_HIDDEN_HELPER_THREADS = "0",
}

-- Whether all ranks of an MPI program run on this machine, as Open MPI's and MPICH's launchers tell. UCX, which MPICH
-- uses, needs no TCP then: with it, a rank may wait in MPI_Finalize for another one that has ended.
local function ranks_are_here()
  local all = os.getenv "OMPI_COMM_WORLD_SIZE" or os.getenv "PMI_SIZE"
  return all and all == (os.getenv "OMPI_COMM_WORLD_LOCAL_SIZE" or os.getenv "MPI_LOCALNRANKS")
end

-- A report that another test of this run has written, or another command of this script, is not lost: it gets a number
-- before its suffix.
local function keep_sibling(name, json)
  if not system.is_of_sibling(name) then return end
  local stem, suffix = name:match "^(.*[^/])(%.[^./]*)$"
  local beside
  local number = 0
  repeat
    number = number + 1
    beside = ("%s.%d%s"):format(stem or name, number, suffix or "")
  until not system.is_of_sibling(beside)
  if not os.rename(name, beside) then return end
  io.stderr:write(message("warning", ("%s was the report of another run, and is %s now; with %%p in its name each "
    .. "run has a report of its own, and `accdeep merge` makes one of them"):format(name, beside), json))
end

-- The runtime appends: programs may start others. A program that never calls it leaves an empty report.
local function begin_file(name)
  if files.prepare_output(name):find "%%[pr]" then return remove_old(name) end
  local file = files.open(name, "wb")
  if name:find "%.sarif$" then
    file:write('{"version":"2.1.0","runs":[{"results":[],"tool":{"driver":{"name":"accdeep"}}}]}\n')
  end
  file:close()
end

-- options: program, arguments, rules, format, trace, draw, strict, fail, report, suppress. Returns only by an error.
return function(options)
  files.refuse_source(options.program)
  local path = files.program(options.program)
  if not path and system.filetype(options.program) then
    fail(("%s is not in a folder of PATH"):format(options.program),
      ("if the file in this folder is meant, write ./%s"):format(options.program))
  elseif not path then
    error(files.unreadable(options.program, ("%s: there is no such program"):format(options.program), options.trace), 0)
  end
  local kind = system.filetype(path)
  if kind == "directory" then fail(("%s is a directory"):format(path)) end
  if kind == "device" then fail(("%s is a device or a pipe, not a program"):format(path)) end
  local checked, first, script, is_silent = check(path, options.strict)
  local trace, draw, report = rank_file_name(options.trace), rank_file_name(options.draw),
    rank_file_name(options.report)
  if draw and not files.prepare_output(draw):find "%%[pr]" then files.open(draw, "ab"):close() end
  if trace and trace ~= "-" then begin_file(trace) end
  if report then
    keep_sibling(report, options.format == "json")
    begin_file(report)
  end
  local libraries, before = { library(LIBRARY) }, os.getenv "LD_PRELOAD"
  if first then table.insert(libraries, 1, first) end
  if checked then table.insert(libraries, library("accdeep-check/" .. CHECKED)) end
  if before and before ~= "" then table.insert(libraries, before) end
  local env = {
    LD_PRELOAD = table.concat(libraries, ":"),
    ACCDEEP_RULES = options.rules or "",
    ACCDEEP_FORMAT = options.format,
    ACCDEEP_TRACE = trace or "",
    ACCDEEP_DRAW = draw or "",
    ACCDEEP_REPORT = report or "",
    ACCDEEP_SUPPRESS = options.suppress and suppressions(options.suppress) or "",
    ACCDEEP_STRICT = options.strict and (options.strict[1] ~= "end" and options.strict[1] or "1") or "0",
    ACCDEEP_FAIL = options.fail and "1" or "0",
    ACCDEEP_SILENT = is_silent and "1" or "", -- the end tells if no library made a call either
  }
  if options.strict then
    for name, value in pairs(for_strict) do env[name] = os.getenv(name) or value end
    if ranks_are_here() then env.UCX_TLS = os.getenv "UCX_TLS" or "^cma,tcp" end
    if os.getenv "MALLOC_ARENA_MAX" then env.MALLOC_ARENA_MAX = "0" end -- what a kernel allocates is not the host's
  end
  local args = { path }
  for _, arg in ipairs(options.arguments) do args[#args + 1] = arg end
  supervise(path, script, options.format == "json")
  fail(("%s: %s"):format(path, system.exec(args, env, checked and CHECKED_STACK or 1)))
end
