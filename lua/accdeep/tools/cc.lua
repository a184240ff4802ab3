-- cc.lua - `accdeep cc`: command lines of compilers whose programs can be checked access by access. The compiler
-- instruments loads and stores as for its thread sanitizer; the functions that it calls are those of accdeep's own
-- library.

local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local shell_command = require "accdeep.tools.shell_command"
local system = require "accdeep.system"

-- Folders of libraries: of programs that are checked, of those whose directives became calls.
local CHECK, LOWERED = "accdeep-check", "accdeep-lowered"

-- What each kind of compiler gets in front of its own options. Loads that the program does not make would be taken for
-- its own, and stores that become calls are not seen: such optimizations are switched off. Calls need no table. The
-- instruction by which gcc would compare and exchange for `atomic` is a call, too.
local ALWAYS = {
  gcc = { "-g", "-fsanitize=thread", "-fno-inline-atomics", "-fno-plt", "-fno-tree-loop-vectorize",
    "-fno-tree-slp-vectorize", "-fno-tree-loop-im", "-fno-tree-pre", "-fno-code-hoisting", "-fno-hoist-adjacent-loads",
    "-fno-tree-loop-if-convert", "-fno-tree-loop-distribute-patterns", "-mmemcpy-strategy=libcall:-1:noalign",
    "-mmemset-strategy=libcall:-1:noalign" },
  -- The thread sanitizer of LLVM leaves out arrays on the stack: loads and stores are traced in another way.
  clang = { "-g", "-fsanitize=thread", "-fno-plt", "-Xclang", "-mllvm", "-Xclang", "-tsan-instrument-memory-accesses=0",
    "-fsanitize-coverage=func,trace-loads,trace-stores", "-fno-vectorize", "-fno-slp-vectorize" },
}
-- Calls that gcc would replace by stores, in languages that have them.
local CALLS = { "-fno-builtin-memset", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memcmp",
  "-fno-builtin-sprintf", "-fno-builtin-snprintf", "-fno-builtin-strcpy", "-fno-builtin-strncpy" }

-- A dummy argument of Fortran does not escape from its procedure, so that gfortran would leave out loads and stores of
-- local arrays that directives in other procedures map.
local ESCAPES = "-fno-tree-pta"

-- Queries of the device that gcc would answer for the host. gfortran knows the options since version 15.
local QUERIES = { "-fno-builtin-acc_on_device", "-fno-builtin-omp_is_initial_device" }

-- Options of a command line that make no program.
local PARTIAL = { ["-c"] = true, ["-S"] = true, ["-E"] = true, ["-M"] = true, ["-MM"] = true, ["-fsyntax-only"] = true,
  ["-r"] = true }

local function fail(message, help)
  error(diagnostic.new { code = "file", message = message, rule = "HOUSE-files", help = help }, 0)
end

-- The compiler that an MPI library's own compiler, mpicc or mpifort, runs; other names as they are.
local function underlying_compiler(compiler)
  if not compiler:match("[^/]*$"):find "^mpi" then return compiler end
  local _, command = shell_command.run(shell_command.quote(compiler) .. " -show")
  return command:match "^%S+" or compiler
end

-- The folder of a library that programs need.
local function folder(name)
  local path, problem = files.library(("%s/lib%s.so"):format(name, name))
  if not path then fail(problem, "run `make`, which builds the library") end
  return (path:match "^(.*)/")
end

-- A compiler's kind by the last part of its name: x86_64-linux-gnu-gcc-12, clang++-14.
local function kind_of(compiler)
  local name = compiler:match "[^/]*$"
  if name:find "clang" then return "clang" end
  if name:find "gcc" or name:find "g%+%+" or name:find "gfortran" or name == "cc" or name == "c++" then return "gcc" end
  fail(("%s is not the name of a compiler of GNU or LLVM"):format(compiler),
    "write gcc, g++, gfortran, clang or clang++, with or without a version, or MPI's mpicc, mpicxx or mpifort")
end

-- Whether a compiler of gcc takes the options of QUERIES.
local function knows_queries(compiler)
  if not compiler:find "gfortran[^/]*$" then return true end
  local _, version = shell_command.run(shell_command.quote(compiler) .. " -dumpversion")
  return (tonumber(version:match "^%d+") or 0) >= 15
end

-- A compiler's options in front of those of the command line.
local function options(compiler, arguments)
  compiler = underlying_compiler(compiler)
  local kind = kind_of(compiler)
  local list = table.move(ALWAYS[kind], 1, #ALWAYS[kind], 1, {})
  local function add(...) table.move({ ... }, 1, select("#", ...), #list + 1, list) end
  local whole, offloads, chosen, inputs, static = true, false, false, false, false
  local fortran = compiler:find "gfortran[^/]*$"
  for _, argument in ipairs(arguments) do
    whole = whole and not PARTIAL[argument]
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
  if whole and inputs then
    local place = folder(CHECK)
    if kind == "gcc" then add("-L" .. place)
    else
      add("-fno-sanitize-link-runtime", "-L" .. place, "-Wl,--push-state,--no-as-needed", "-laccdeep-check",
        "-Wl,--pop-state")
    end
    add("-Wl,-rpath," .. place)
  end
  return list
end

local cc = {}

-- The folder of the library that programs need which are checked, or whose directives become what `to` says.
function cc.folder(to) return folder(to == "accdeep" and LOWERED or CHECK) end

-- Options of a compiler for units whose directives became calls, and for programs of them.
local function add_lowered(list)
  local place, whole = folder(LOWERED), true
  for _, argument in ipairs(list) do whole = whole and not PARTIAL[argument] end
  list[#list + 1] = "-I" .. place
  if not whole then return end
  for _, option in ipairs { "-L" .. place, "-Wl,-rpath," .. place, "-laccdeep-lowered" } do list[#list + 1] = option end
end

-- The members of an archive, or a file itself: { name, text } ...
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

-- Object files of a command line that use devices, and were not compiled for checking: a warning for each.
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

-- The command line of a compiler, a list. given: {compiler, arguments, to, no_check: the program is not to be checked}.
function cc.command(given)
  if not given.compiler then fail("there is no compiler to run", "write: accdeep cc gcc -fopenacc prog.c -o prog") end
  local path = files.program(given.compiler)
  if not path then fail(("%s: there is no such program"):format(given.compiler)) end
  local is_plain = given.no_check or given.to == "accdeep"
  if not is_plain then warn_of_unchecked(given.arguments) end
  local list = is_plain and {} or options(given.compiler, given.arguments)
  table.insert(list, 1, path)
  table.move(given.arguments, 1, #given.arguments, #list + 1, list)
  if not is_plain then table.insert(list, "-U_FORTIFY_SOURCE") end -- which calls other functions of the C library
  if given.to == "accdeep" then add_lowered(list) end
  return list
end

-- Becomes the command. Returns only by an error.
function cc.become(list) fail(("%s: %s"):format(list[1], system.exec(list, {}))) end

return cc
