-- exec.lua - `accdeep exec`: replaces this process by a compiled OpenACC or OpenMP program whose runtime is accdeep.
--
-- The program keeps its standard streams, signals and exit status. The runtime library is preloaded and configured by
-- environment variables. cli/exec.lua calls the function that this module returns.

local error_codes = require "accdeep.base.error_codes"
local diagnostic = require "accdeep.base.diagnostic"
local lazy = require "accdeep.base.lazy"
local exec_picture = lazy.require "accdeep.tools.exec_picture"
local files = require "accdeep.tools.files"
local orders = lazy.require "accdeep.tools.orders"
local system = require "accdeep.system"

local LIBRARY = "libaccdeep-goacc.so"

-- Raises an error about a file or library. `help`: advice, or nil.
local function fail(message, help)
  error(diagnostic.new { code = "file", message = message, rule = "HOUSE-files", help = help }, 0)
end

-- Returns the path of a library of accdeep. Raises if it is missing, or if its path cannot be written in LD_PRELOAD.
local function library(name)
  local path, problem = files.library(name)
  if not path then fail(problem, "run `make`, which builds the library") end
  if path:find "[ :]" then fail(("%s cannot be preloaded: its path has a space or a colon"):format(path)) end
  return path
end

-- Returns the bytes of a file. Raises if it cannot be opened.
local function read_file(path)
  local file, problem = io.open(path, "rb")
  if not file then fail(problem) end
  local text = file:read "a" or ""
  file:close()
  return text
end

-- Prefixes of calls that other compilers generate for OpenACC, and the compilers' names.
local OTHERS = {
  { "__pgi_uacc_", "the NVIDIA HPC compilers" }, { "__cray_acc_", "the Cray compilers" },
}

-- The library of programs compiled for checking, and the prefix of calls that such programs make.
local CHECKED, CHECKED_CALL = "libaccdeep-check.so", "__tsan_"
-- Factor by which the stack limit is raised for instrumented programs, whose functions need more stack.
local CHECKED_STACK = 4

-- Returns the name of the sanitizer library that must be loaded first into a program compiled with -fsanitize=address;
-- nil for other programs. `text`: the bytes of the program. Raises if such a program cannot run: in a strict run, or
-- compiled by clang. The pattern is written so that it does not match the text of this module.
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

-- Returns a line for standard error about the run as a whole. `level`: such as "warning". `json`: the line is a JSON
-- object. `code`: error code, or nil.
local function message(level, text, json, code)
  local order = { keyorder = { "level", "code" } }
  return (json and require "dkjson".encode({ level = level, code = code, message = text }, order)
    or ("accdeep: %s%s: %s"):format(level, code and ("[%s]"):format(code) or "", text)) .. "\n"
end

-- Returns what is missing in a program that makes no device calls, as the sentence for its compiler. `text`: the bytes
-- of the program.
local function describe_missing_calls(text)
  local advice = "gcc needs -fopenacc or -fopenmp, and clang -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu"
  if text:find("__kmpc_", 1, true) then
    advice = "clang needs -fopenmp-targets=x86_64-pc-linux-gnu beside -fopenmp"
  elseif text:find("clang version ", 1, true) then
    advice = "clang needs -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu"
  elseif text:find("GOMP_", 1, true) then
    advice = "the program has OpenMP directives for the host alone"
  elseif text:find("GCC: (", 1, true) then
    advice = "gcc needs -fopenacc or -fopenmp"
  end
  return "no directive ran on a device; " .. advice
end

-- Checks that a program can run under this runtime; raises if it cannot. Files other than ELF, such as scripts, are
-- accepted, because they may start such a program. Returns four values. First: true if the program was compiled for
-- checking. Second: a library to preload first, or nil. Third: true if the file is not ELF. Fourth: what is missing if
-- the program itself has no device calls, or nil.
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
    -- Type 3 is PT_INTERP: the program has a dynamic linker, which preloads libraries
    dynamic = dynamic or (at + 4 <= #text and string.unpack("<I4", text, at) == 3)
  end
  if not dynamic then
    fail(("%s is linked statically, so that no other runtime can replace its own"):format(path),
      "link it without -static, or with libaccdeep-goacc.a before libgomp")
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
  -- The program itself makes no device calls, but its libraries may; the runtime decides at the end whether to warn.
  return checked, first, false, describe_missing_calls(text)
end

-- Arranges a warning that is printed if nothing was checked: the system may ignore LD_PRELOAD, and a script may start
-- programs without it. `script`: the program is a script. `at_end`: a function that is called when the program has
-- ended, or nil; raises if it cannot be called.
local function supervise(path, script, json, at_end)
  local is_supervised = system.supervise(
    message("warning", ("nothing was checked: the system did not load accdeep's library into %s"):format(path), json),
    script and message("warning", ("nothing was checked: %s ended, and no directive was executed with accdeep's "
      .. "library; programs that it starts need the variable LD_PRELOAD (sudo and env -i remove it)"):format(path),
      json) or nil, at_end)
  if at_end and not is_supervised then
    at_end(false)
    fail("the system does not let accdeep wait for the end of the program, so that nothing can be drawn",
      "run it with --trace=FILE, then: accdeep draw FILE -o PICTURE")
  end
end

-- Returns the MPI rank of this process as text, or nil. exec/lib/rank.c reads the same variables.
local function rank()
  for _, name in ipairs { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" } do
    local value = os.getenv(name)
    if value and value:find "^%d+$" and #value < 10 then return value end
  end
  return nil
end

-- Returns the file name `pattern` for this rank; unchanged if the process has no rank, or if the name is nil or "-".
-- The rank replaces %r. If the name has neither %r nor %p, the rank is inserted before the suffix, so that each rank
-- has its own file. The runtime replaces %p, and also %r if the program starts the ranks.
local function rank_file_name(pattern)
  local number = rank()
  if not pattern or pattern == "-" or not number then return pattern end
  if not pattern:find "%%[pr]" then
    local stem, suffix = pattern:match "^(.*[^/])(%.[^./]*)$"
    pattern = (stem or pattern) .. ".%r" .. (suffix or "")
  end
  return (pattern:gsub("%%r", number))
end

-- Checks a file of suppressions, which exec/diag/suppress.c reads. Returns the absolute path of the file,
-- because the program may change its working directory. Raises if the file cannot be read, a line is malformed, or its
-- code is unknown.
local function suppressions(path)
  local number, help = 0, "a line is CODE:FUNCTION-OR-FILE or CODE:FUNCTION-OR-FILE:OBJECT, with * and ? in patterns"
  for row in (files.read(path) .. "\n"):gmatch "(.-)\r?\n" do
    number = number + 1
    local text = (" " .. row):gsub("%s#.*", ""):match "^%s*(.-)%s*$"
    local code, location_pattern, object = text:match "^([^:]*):([^:]*):?(.*)$"
    local problem
    if text == "" then goto continue end
    if not code or code == "" or location_pattern == "" or text:find "^[^:]*:[^:]*:$" then
      problem = ("this is not a suppression: '%s'"):format(text)
    elseif not code:find "[*?]" and not error_codes[code] then
      problem = ("there is no code '%s'"):format(code)
      help = diagnostic.suggest(code, error_codes) or "`accdeep explain` has the codes of reports"
    elseif object:find "^%s" or location_pattern:find "^%s" then
      problem = "a pattern begins with a space"
    end
    if problem then fail(("%s:%d: %s"):format(path, number, problem), help) end
    ::continue::
  end
  return assert(system.realpath(path))
end

-- Checks the libraries of tools, which exec/trace/user_tools.c loads, by loading them into this process. Returns their
-- absolute paths, separated by colons. Raises if one cannot be loaded, or is not a tool.
local function tools(paths)
  local list = {}
  for i, path in ipairs(paths) do
    local absolute = system.realpath(path)
    if not absolute then fail(("the tool %s: there is no such file"):format(path)) end
    if absolute:find ":" then fail(("the tool %s cannot be loaded: its path has a colon"):format(path)) end
    local _, problem, step = package.loadlib(absolute, "accdeep_tool_start")
    if step == "open" then
      fail(("the tool %s cannot be loaded: %s"):format(path, problem), "compile it with -shared -fPIC")
    elseif step == "init" then
      fail(("%s is not a tool: it has no function accdeep_tool_start"):format(path),
        "examples/tools.md shows how to write one")
    end
    list[i] = absolute
  end
  return table.concat(list, ":")
end

-- Removes the files of ranks that an earlier run left, because the runtime appends to existing files. `pattern`: a file
-- name with %r. Does nothing if it has %p, too.
local function remove_old(pattern)
  -- The name of each process is new then. Files of concurrent processes may match the pattern, too.
  if pattern:find("%p", 1, true) then return end
  local folder, name = pattern:match "^(.*/)([^/]*)$"
  folder, name = folder or "./", name or pattern
  local name_pattern = "^" .. name:gsub("%p", "%%%0"):gsub("%%%%r", "%%d+") .. "$"
  for _, file in ipairs(system.listdir(folder) or {}) do
    if file:find(name_pattern) then os.remove(folder .. file) end
  end
end

-- Environment of strict runs. MPI ranks of one machine may read each other's memory by system calls, which fail on
-- memory that a running kernel protects. These variables make Open MPI, UCX and libfabric copy through shared memory.
-- The last one makes libomp run target tasks in the thread that creates them.
local for_strict = {
  OMPI_MCA_btl_vader_single_copy_mechanism = "none",
  OMPI_MCA_btl_sm_single_copy_mechanism = "none",
  OMPI_MCA_smsc = "^cma,knem,xpmem",
  UCX_TLS = "^cma",
  FI_SHM_DISABLE_CMA = "1",
  LIBOMP_NUM_HIDDEN_HELPER_THREADS = "0",
}

-- Returns a true value if all ranks of an MPI program run on this machine, according to Open MPI's and MPICH's
-- launchers. UCX then needs no TCP; with TCP, a rank may wait in MPI_Finalize for a rank that has ended.
local function ranks_are_here()
  local all = os.getenv "OMPI_COMM_WORLD_SIZE" or os.getenv "PMI_SIZE"
  return all and all == (os.getenv "OMPI_COMM_WORLD_LOCAL_SIZE" or os.getenv "MPI_LOCALNRANKS")
end

-- Renames the report `name` of another test of this run, or of another command of this script, which the new report
-- would overwrite; prints a warning then. The new name has a number before the suffix. Leaves other files, which are
-- overwritten. `json`: as in message.
local function keep_sibling(name, json)
  if not system.is_of_sibling(name) then return end
  local stem, suffix = name:match "^(.*[^/])(%.[^./]*)$"
  local new_name
  local number = 0
  repeat
    number = number + 1
    new_name = ("%s.%d%s"):format(stem or name, number, suffix or "")
  until not system.is_of_sibling(new_name)
  if not os.rename(name, new_name) then return end
  io.stderr:write(message("warning", ("%s was the report of another run, and is %s now; with %%p in its name each "
    .. "run has a report of its own, and `accdeep merge` makes one of them"):format(name, new_name), json))
end

-- Prepares an output file, to which the runtime appends, and its folder. A name without %r and %p is created or
-- emptied, so that a program without runtime calls leaves an empty report. For %r, files of an earlier run are removed;
-- for %p, nothing is removed. Raises if the file cannot be written.
local function begin_file(name)
  if files.prepare_output(name):find "%%[pr]" then return remove_old(name) end
  local file = files.open(name, "wb")
  if name:find "%.sarif$" then
    file:write('{"version":"2.1.0","runs":[{"results":[],"tool":{"driver":{"name":"accdeep"}}}]}\n')
  end
  file:close()
end

-- Raises if other options exclude --orders or --seed. is_checked: the program was compiled for checking.
local function check_orders(options, is_checked)
  local name = options.orders and "--orders" or "--seed"
  if options.orders and options.seed then
    fail("--orders tries all seeds from 1 on, and --seed one of them", "leave out one of the two")
  elseif options.strict or is_checked then
    fail(("%s cannot be combined with %s, whose checks need the work in program order"):format(name,
      options.strict and "--strict" or "a program of accdeep cc"),
      options.strict and "leave out one of the two" or "compile the program without accdeep cc")
  end
  if not options.orders then return end
  for _, other in ipairs { "trace", "draw", "advice", "tool" } do
    local value = options[other]
    if value and (type(value) ~= "table" or #value > 0) then
      fail(("--orders runs the program several times, and --%s is for one run"):format(other),
        "--seed N runs one of the orders, and can be combined with it")
    end
  end
  if rank() then
    fail("--orders cannot run in a rank of an MPI program", "--seed N, in all ranks, runs one of the orders")
  end
end

-- Runs the program in several orders (tools/orders.lua), and returns the exit status. `env`: the variables of the first
-- run.
local function run_orders(options, path, args, env, script)
  local is_json = options.format == "json"
  local folder, problem = system.temporary_folder()
  if not folder then fail(problem) end
  local text = read_file(path)
  -- libomp then runs target tasks of the first run in the thread that creates them, in program order
  local helpers = "LIBOMP_NUM_HIDDEN_HELPER_THREADS"
  env[helpers] = os.getenv(helpers) or for_strict[helpers]
  local job = { args = args, env = env, folder = folder, report = env.ACCDEEP_REPORT ~= "" and env.ACCDEEP_REPORT,
    input = system.filetype "/proc/self/fd/0" == "file" and "/proc/self/fd/0" or "/dev/null",
    is_openmp = not text:find("GOACC_", 1, true) and (text:find("GOMP_target", 1, true)
      or text:find("__tgt_", 1, true)) ~= nil,
    supervise = function() supervise(path, script, is_json) end }
  local is_complete, status = pcall(orders.run, options, job, function(level, text_of_message)
    io.stderr:write(message(level, text_of_message, is_json))
  end)
  for _, name in ipairs { "output", "report", "deferred" } do os.remove(folder .. "/" .. name) end
  os.remove(folder)
  if not is_complete then error(status, 0) end
  return status
end

-- Runs a program in place of this process, so it returns only by raising an error; with options.orders, runs it several
-- times, and returns the exit status. `options`: program, arguments, rules, format, trace, draw, advice (the link as
-- ACCDEEP_ADVICE has it), strict, fail, report, suppress, tool, orders, seed, quiet; color: reports are colored.
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
  local checked, first, script, missing_calls = check(path, options.strict)
  if options.orders or options.seed then check_orders(options, checked) end
  local trace, report, is_json = rank_file_name(options.trace), rank_file_name(options.report), options.format == "json"
  if trace and trace ~= "-" then begin_file(trace) end
  if report then
    keep_sibling(report, is_json)
    begin_file(report)
  end
  local libraries, before = { library(LIBRARY) }, os.getenv "LD_PRELOAD"
  if first then table.insert(libraries, 1, first) end
  if checked then table.insert(libraries, library("accdeep-check/" .. CHECKED)) end
  if before and before ~= "" then table.insert(libraries, before) end
  local env = {
    LD_PRELOAD = table.concat(libraries, ":"),
    ACCDEEP_RULES = options.rules or "",
    ACCDEEP_ALSO = table.concat(options.also or {}, ","),
    ACCDEEP_FORMAT = options.format,
    ACCDEEP_TRACE = trace or "",
    ACCDEEP_DRAW = "",
    ACCDEEP_ADVICE = options.advice or "",
    ACCDEEP_REPORT = report or "",
    ACCDEEP_SUPPRESS = options.suppress and suppressions(options.suppress) or "",
    ACCDEEP_STRICT = options.strict and (options.strict[1] ~= "end" and options.strict[1] or "1") or "0",
    ACCDEEP_TOOL = tools(options.tool or {}),
    ACCDEEP_NO_RACES = options.no_races and "1" or "0",
    ACCDEEP_ALL_RACES = options.all_races and "1" or "0",
    ACCDEEP_FAIL = options.fail and "1" or "0",
    ACCDEEP_ORDER = tostring(options.seed or 0),
    ACCDEEP_COLOR = options.color and "1" or "0",
    ACCDEEP_SUMMARY = (options.quiet or options.orders) and "0" or "1",
    -- Text of a note, which the runtime prints if neither the program nor its libraries execute a directive
    ACCDEEP_SILENT = missing_calls
      or not (script or options.quiet) and "no directive ran on a device, so that nothing was checked" or "",
  }
  if options.strict then
    for name, value in pairs(for_strict) do env[name] = os.getenv(name) or value end
    if ranks_are_here() then env.UCX_TLS = os.getenv "UCX_TLS" or "^cma,tcp" end
    -- A limit of arenas would place memory that kernels allocate on pages of the host's memory, which strict runs
    -- protect
    if os.getenv "MALLOC_ARENA_MAX" then env.MALLOC_ARENA_MAX = "0" end
  end
  local draw
  if options.draw then
    env.ACCDEEP_DRAW, draw = exec_picture(rank_file_name(options.draw),
      function(text) io.stderr:write(message("note", text, is_json, "file")) end)
  end
  local args = { path }
  for _, arg in ipairs(options.arguments) do args[#args + 1] = arg end
  if options.orders then return run_orders(options, path, args, env, script) end
  supervise(path, script, is_json, draw)
  fail(("%s: %s"):format(path, system.exec(args, env, checked and CHECKED_STACK or 1)))
end
