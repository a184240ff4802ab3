-- cc.lua - `accdeep cc`: builds the compiler command for programs that are checked access by access.
--
-- The compiler instruments loads and stores as for its thread sanitizer; libaccdeep-check provides the functions that
-- the instrumentation calls. cli/cc.lua calls cc.command, lowers units through lower/compiler_driver.lua, and runs
-- the command.

local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local shell_command = require "accdeep.tools.shell_command"
local system = require "accdeep.system"

-- Names of library folders: for checked programs, and for programs whose directives became calls.
local CHECK, LOWERED = "accdeep-check", "accdeep-lowered"

-- Options inserted before the user's options, by kind of compiler. They disable two kinds of optimization. Some add
-- loads, which would be reported as loads of the program; others turn stores into calls, whose stores would be missed.
-- Other options avoid the PLT, and make gcc's compare-and-exchange for `atomic` a call.
local ALWAYS = {
  gcc = { "-g", "-fsanitize=thread", "-fno-inline-atomics", "-fno-plt", "-fno-tree-loop-vectorize",
    "-fno-tree-slp-vectorize", "-fno-tree-loop-im", "-fno-tree-pre", "-fno-code-hoisting", "-fno-hoist-adjacent-loads",
    "-fno-tree-loop-if-convert", "-fno-tree-loop-distribute-patterns", "-mmemcpy-strategy=libcall:-1:noalign",
    "-mmemset-strategy=libcall:-1:noalign" },
  -- LLVM's thread sanitizer ignores arrays on the stack, so coverage instrumentation traces loads and stores.
  clang = { "-g", "-fsanitize=thread", "-fno-plt", "-Xclang", "-mllvm", "-Xclang", "-tsan-instrument-memory-accesses=0",
    "-fsanitize-coverage=func,trace-loads,trace-stores", "-fno-vectorize", "-fno-slp-vectorize" },
}
-- Options that keep calls which gcc would replace by stores, because the library checks the calls. gfortran lacks them.
local CALLS = { "-fno-builtin-memset", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memcmp",
  "-fno-builtin-sprintf", "-fno-builtin-snprintf", "-fno-builtin-strcpy", "-fno-builtin-strncpy" }

-- Option that disables an analysis of gfortran, which assumes that a dummy argument does not escape from its procedure.
-- With this analysis gfortran omits loads and stores of local arrays that directives in other procedures map.
local ESCAPES = "-fno-tree-pta"

-- Options that keep device queries which gcc would evaluate for the host. gfortran accepts them since version 15.
local QUERIES = { "-fno-builtin-acc_on_device", "-fno-builtin-omp_is_initial_device" }

-- Options that make the compiler stop before linking.
local PARTIAL = { ["-c"] = true, ["-S"] = true, ["-E"] = true, ["-M"] = true, ["-MM"] = true, ["-fsyntax-only"] = true,
  ["-r"] = true }

-- Raises an error about a file or compiler. `help`: advice, or nil.
local function fail(message, help)
  error(diagnostic.new { code = "file", message = message, rule = "HOUSE-files", help = help }, 0)
end

-- Returns the compiler that an MPI wrapper such as mpicc or mpifort runs; returns the names of other compilers, and of
-- wrappers that do not tell, unchanged.
local function underlying_compiler(compiler)
  if not compiler:match("[^/]*$"):find "^mpi" then return compiler end
  local _, command = shell_command.run(shell_command.quote(compiler) .. " -show")
  return command:match "^%S+" or compiler
end

-- Returns the folder of the library `name`. Raises if the library was not built.
local function folder(name)
  local path, problem = files.library(("%s/lib%s.so"):format(name, name))
  if not path then fail(problem, "run `make`, which builds the library") end
  return (path:match "^(.*)/")
end

-- Returns "gcc" or "clang" for a compiler's name, such as x86_64-linux-gnu-gcc-12 or clang++-14. Raises for other
-- names.
local function kind_of(compiler)
  local name = compiler:match "[^/]*$"
  if name:find "clang" then return "clang" end
  if name:find "gcc" or name:find "g%+%+" or name:find "gfortran" or name == "cc" or name == "c++" then return "gcc" end
  fail(("%s is not the name of a compiler of GNU or LLVM"):format(compiler),
    "write gcc, g++, gfortran, clang or clang++, with or without a version, or MPI's mpicc, mpicxx or mpifort")
end

-- Returns true if a GNU compiler accepts the options of QUERIES: all except gfortran before version 15.
local function knows_queries(compiler)
  if not compiler:find "gfortran[^/]*$" then return true end
  local _, version = shell_command.run(shell_command.quote(compiler) .. " -dumpversion")
  return (tonumber(version:match "^%d+") or 0) >= 15
end

-- Returns the options to insert before `arguments`, the options of the command line. Raises for static linking and
-- unknown compilers, and if the library was not built.
local function options(compiler, arguments)
  compiler = underlying_compiler(compiler)
  local kind = kind_of(compiler)
  local list = table.move(ALWAYS[kind], 1, #ALWAYS[kind], 1, {})
  -- Appends options to the result.
  local function add(...) table.move({ ... }, 1, select("#", ...), #list + 1, list) end
  local is_linking, offloads, chosen, inputs, static = true, false, false, false, false
  local fortran = compiler:find "gfortran[^/]*$"
  for _, argument in ipairs(arguments) do
    is_linking = is_linking and not PARTIAL[argument]
    offloads = offloads or argument:find "^%-fopenacc" or argument:find "^%-fopenmp"
    chosen = chosen or argument:find "^%-foffload"
    inputs = inputs or not argument:find "^%-"
    fortran = fortran or argument:find "%.[fF]%w*$"
    static = static or argument == "-static" or argument == "-static-libtsan"
  end
  if static then
    fail("a program that is checked cannot be linked statically", "leave out -static")
  end
  if kind == "gcc" and not compiler:find "gfortran[^/]*$" then add(table.unpack(CALLS)) end
  if kind == "gcc" and fortran then add(ESCAPES) end
  if kind == "gcc" and offloads and knows_queries(compiler) then add(table.unpack(QUERIES)) end
  if kind == "gcc" and offloads and not chosen then add "-foffload=disable" end
  if is_linking and inputs then
    local library_folder = folder(CHECK)
    if kind == "gcc" then add("-L" .. library_folder)
    else
      add("-fno-sanitize-link-runtime", "-L" .. library_folder, "-Wl,--push-state,--no-as-needed", "-laccdeep-check",
        "-Wl,--pop-state")
    end
    add("-Wl,-rpath," .. library_folder)
  end
  return list
end

local cc = {}

-- Returns the folder of the library that compiled programs need. `to`: "accdeep" if directives become calls, or nil.
-- Raises if the library was not built.
function cc.folder(to) return folder(to == "accdeep" and LOWERED or CHECK) end

-- Appends options to the command `list` whose directives became calls: the folder of the header, and, unless it only
-- compiles, options for linking. Raises if the library was not built.
local function add_lowered(list)
  local library_folder, is_linking = folder(LOWERED), true
  for _, argument in ipairs(list) do is_linking = is_linking and not PARTIAL[argument] end
  list[#list + 1] = "-I" .. library_folder
  if not is_linking then return end
  for _, option in ipairs { "-L" .. library_folder, "-Wl,-rpath," .. library_folder, "-laccdeep-lowered" } do
    list[#list + 1] = option
  end
end

-- Returns the members of the archive `path` as a list of {name, text}; for other files, a list with the file itself.
-- `text`: the bytes of the file.
local function members_of(path, text)
  if text:sub(1, 8) ~= "!<arch>\n" then return { { path, text } } end
  local list, at = {}, 9
  while at + 60 <= #text do
    local name, size = text:sub(at, at + 15):match "^/?[^/ ]*", tonumber(text:sub(at + 48, at + 57):match "%d+")
    if not size then break end
    list[#list + 1] = { ("%s(%s)"):format(path, name), text:sub(at + 60, at + 59 + size) }
    at = at + 60 + size + size % 2
  end
  return list
end

-- Prints a warning for each object file in the command line that uses devices but was not compiled for checking.
local function warn_of_unchecked(arguments)
  for _, path in ipairs(arguments) do
    local file = path:find "%.[oa]$" and io.open(path, "rb")
    for _, member in ipairs(file and members_of(path, file:read "a") or {}) do
      local name, text = member[1], member[2]
      local calls = text:find("GOACC_", 1, true) or text:find("GOMP_target", 1, true) or text:find("__tgt_", 1, true)
      if calls and not text:find("__tsan_init", 1, true) then
        io.stderr:write(("accdeep: warning[not-checked]: %s was not compiled by accdeep cc, so it is not checked\n"
          .. "  help: build it again, after make clean or in another folder\n"):format(name))
      end
    end
    if file then file:close() end
  end
end

-- Returns the command of a compiler as a list. `invocation`: {compiler, arguments, to, no_check}. `to`: as in
-- cc.folder. `no_check`: the program is not instrumented. Warns of object files that were not compiled for checking.
-- Raises if there is no such compiler, and as `options`.
function cc.command(invocation)
  if not invocation.compiler then
    fail("there is no compiler to run", "write: accdeep cc gcc -fopenacc prog.c -o prog")
  end
  local path = files.program(invocation.compiler)
  if not path then fail(("%s: there is no such program"):format(invocation.compiler)) end
  local is_unchecked = invocation.no_check or invocation.to == "accdeep"
  if not is_unchecked then warn_of_unchecked(invocation.arguments) end
  local list = is_unchecked and {} or options(invocation.compiler, invocation.arguments)
  table.insert(list, 1, path)
  table.move(invocation.arguments, 1, #invocation.arguments, #list + 1, list)
  -- Fortified functions, such as __memcpy_chk, would be called instead of the functions that the library checks.
  if not is_unchecked then table.insert(list, "-U_FORTIFY_SOURCE") end
  if invocation.to == "accdeep" then add_lowered(list) end
  return list
end

-- Replaces this process by the command `list`. Raises an error if that fails; does not return otherwise.
function cc.become(list) fail(("%s: %s"):format(list[1], system.exec(list, {}))) end

return cc
