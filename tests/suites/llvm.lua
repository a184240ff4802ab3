-- llvm.lua - LLVM's tests of offloading: sources with RUN lines, which say how each is compiled and run, and what
-- FileCheck finds in its output. Counted are those for this machine as a device. Each becomes two scripts: one that
-- compiles, and a program that runs what was compiled and checks its output.

local shell = require "suites.shell"

local llvm = { option = "-fopenmp" }

llvm.groups = { "api", "env", "jit", "libc", "mapping", "offloading", "ompt", "unified_shared_memory" }

local TARGET = "x86_64-pc-linux-gnu"
local SUFFIXES = { "-generic", "-" .. TARGET }
local FEATURES = { [TARGET] = true, host = true, ompt = true, unified_shared_memory = true, clang = true }
local LANGUAGES = { c = true, cpp = true, cc = true }

-- RUN has the words in front of each program. `other` notes that a text of the runtime is another one, in tests about
-- such texts: the status of the script is then one of its own. Without FileCheck all texts are as wanted.
local PROGRAM = [[#!/bin/bash
set -o pipefail
fails() { "$@"; test $? -ne 0; }
check() {
  cat >said
  command -v %s >/dev/null || return 0
  %s --dump-input=never "$@" <said 2>missed && return
  grep -a 'error\[' said >&2
  cat missed >&2
  %s
}
other=0
%s && exit $other
]]
llvm.OTHER_TEXT = 99

-- A line of conditions: features joined by commas, each an expression with &&, || and !.
local function holds(conditions, joined, features)
  local code = conditions:gsub(",", " " .. joined .. " "):gsub("[%w_.+%-]+", function(word)
    return (word == "and" or word == "or") and word or features[word] and "true" or "false"
  end):gsub("&&", " and "):gsub("||", " or "):gsub("!", " not ")
  local expression = load("return " .. code)
  return expression ~= nil and expression() == true
end

local function is_for_us(source, features)
  for name, conditions in source:gmatch "(%u+):[ \t]*([^\n]*)" do
    if name == "REQUIRES" and not holds(conditions, "and", features) then return false end
    if (name == "UNSUPPORTED" or name == "XFAIL") and holds(conditions, "or", features) then return false end
  end
  return true
end

-- The commands of all RUN lines, one string each; a backslash at its end continues a line.
local function run_lines(source)
  local lines, open = {}, nil
  for text in source:gmatch "RUN:[ \t]*([^\n]*)" do
    open = (open and open .. " " or "") .. text:gsub("%s*\\?%s*$", "")
    if not text:find "\\%s*$" then
      lines[#lines + 1] = open
      open = nil
    end
  end
  return lines
end

-- What stands for a name of LLVM's configuration behind a percent sign; nil: for nothing here.
local function meaning(name, compilers)
  if name == "not" then return "fails" end
  local base
  for _, suffix in ipairs(SUFFIXES) do
    if name:sub(-#suffix) == suffix then base = name:sub(1, -#suffix - 1) end
  end
  local simple = { clang = compilers.c, clangxx = compilers.cxx, fcheck = "check %s", ["fcheck-plain"] = "check",
    ["libomptarget-run"] = "$RUN %t", ["libomptarget-run-fail"] = "fails $RUN %t" }
  if not base or simple[base] then return simple[base] end
  local kind, action = base:match "^libomptarget%-compile(%a*)(.*)$"
  local actions = { [""] = "", ["-and-run"] = " && $RUN %t", ["-run-and-check"] = " && $RUN %t | check %s" }
  if not kind or not actions[action] or kind:find "xxx" then return nil end
  return (kind:find "xx" and compilers.cxx or compilers.c) .. (kind:find "opt" and " -O3" or "") .. " %s -o %t"
    .. actions[action]
end

-- The commands of a test: those that compile, and those that run. Each program that is compiled after another has run
-- has a name of its own. nil: the test is not for this machine, or needs more than there is.
local function commands_of(source, path, compilers)
  local compile, run, number, has_run = {}, {}, 1, false
  for _, line in ipairs(run_lines(source)) do
    local is_whole = true
    line = line:gsub("%%([%a][%w_%-]+)", function(name)
      local text = meaning(name, compilers)
      is_whole = is_whole and text ~= nil
      return text
    end):gsub("^(e?n?v?[^%%|]-)%%t", function(before) -- a program that is named alone
      return (before == "" or before:find "^env [%w_= ]*$") and before .. "$RUN %t" or nil
    end)
    for command in (is_whole and line .. " && " or ""):gmatch "(.-) && " do
      local is_run = command:find("$RUN", 1, true) or command:find "%f[%w]check "
      if has_run and not is_run then number = number + 1 end
      has_run = is_run
      command = command:gsub("%%([stST])%f[%W]", { s = path, t = "../program." .. number, S = path:match "^(.*)/",
        T = "." })
      if command:find "%%" then return nil end
      table.insert(is_run and run or compile, command)
    end
  end
  if #compile > 0 and #run > 0 then return compile, run end
end

-- Where the tests are below a folder that holds these files, or nil if it is another suite.
function llvm.root(files)
  for path in pairs(files) do
    local root = path:match "^(.*)api/omp_get_num_devices%.c$"
    if root then return root end
  end
end

-- read(path): the text of a file. full(path): its name for the compiler. compiler(name): the words for a compiler.
function llvm.tests(files, root, read, full, compiler)
  local tests, features = {}, setmetatable({}, { __index = FEATURES })
  local flags = " -fopenmp -fopenmp-targets=" .. TARGET .. " -I" .. shell.quote(full(root))
  local compilers = { c = shell.command(compiler "gcc") .. flags, cxx = shell.command(compiler "g++") .. flags }
  local words = compiler "gcc"
  local filecheck = words[#words]:gsub("clang", "FileCheck", 1)
  features[words[#words]] = true
  for path in pairs(files) do
    local name = path:sub(1, #root) == root and path:sub(#root + 1)
    local source = name and name:find "/" and LANGUAGES[name:match "%.(%w+)$"] and read(path)
    local compile, run
    if source and is_for_us(source, features) then compile, run = commands_of(source, full(path), compilers) end
    if compile then
      local about_texts = source:find "LIBOMPTARGET_INFO" or source:find "LIBOMPTARGET_DEBUG" or source:find "run%-fail"
        or source:find "%%not "
      local program = PROGRAM:format(filecheck, filecheck, about_texts and "other=" .. llvm.OTHER_TEXT or "return 1",
        table.concat(run, " &&\n"))
      local script = ("%s &&\nprintf %%s %s >\"$1\" && chmod +x \"$1\""):format(table.concat(compile, " &&\n"),
        shell.quote(program))
      tests[#tests + 1] = { name = name, groups = { name:match "^[^/]*" }, sources = { path }, environment = {},
        compile = { "bash", "-c", script }, is_script = true } -- "-o" becomes $0
    end
  end
  return tests
end

return llvm
