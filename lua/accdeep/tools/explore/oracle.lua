-- oracle.lua - runs programs of a vocabulary on the runtime of a real compiler, with host memory as the device. A
-- program is a list of actions, which are steps (steps/init.lua).
--
-- gcc: libgomp 12 with a plugin that simulates a device (plugin.c). clang: libomptarget and its x86-64 device. One C
-- program (test_driver.lua) contains all actions; it is compiled once and then executes any programs of these
-- actions. oracle_comparison.lua opens an oracle and calls Oracle:run.

local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local shell_command = require "accdeep.tools.shell_command"
local steps = require "accdeep.steps"
local system = require "accdeep.system"
local test_driver = require "accdeep.tools.explore.test_driver"

local oracle = {}

local SECONDS = 600 -- limit in seconds of one run of the C program
local COMPILE_SECONDS = 60

-- Compiler families. `options`: the option for directives of each kind; directives of a kind without an option are not
-- supported. `always`: options of every compilation. `environment`: environment variables of a run of the C program.
local families = {
  gcc = {
    options = { acc = "-fopenacc", omp = "-fopenmp" },
    always = "-foffload=disable -fno-toplevel-reorder",
    environment = { "ACC_DEVICE_TYPE=nvidia" },
  },
  clang = {
    options = { omp = "-fopenmp" },
    always = "-fopenmp -fopenmp-version=51 -fopenmp-targets=x86_64-pc-linux-gnu",
    environment = { "OMP_TARGET_OFFLOAD=MANDATORY", "LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD=0" },
  },
}

local quote = shell_command.quote

-- Returns a diagnostic about a missing or unsuitable program or file.
local function environment_error(message, help)
  return diagnostic.new { code = "file", message = message, rule = "HOUSE-files", help = help }
end

-- ------------------------------------------------------------------------------------- the runtimes --

-- Returns the path of the plugin's source: $ACCDEEP_PLUGIN if that is set, otherwise the installed file or the file of
-- the tests. Raises if the file does not exist.
local function plugin_source()
  local folder = (system.executable() or ""):match "^(.*)/[^/]*$" or "."
  local user_path = os.getenv "ACCDEEP_PLUGIN"
  for _, path in ipairs(user_path and { user_path } or { folder .. "/../share/accdeep/plugin.c",
    folder .. "/../tests/suites/plugin.c" }) do
    if system.filetype(path) == "file" then return path end
  end
  error(environment_error("the plugin for libgomp, plugin.c, is not here",
    "the variable ACCDEEP_PLUGIN names the file: tests/suites/plugin.c of accdeep's sources"), 0)
end

-- Returns the family of a compiler command, "gcc" or "clang", and its entry of `families`. Raises for other compilers.
local function family_of(command)
  local family = command:find "clang" and "clang" or command:find "gcc" and "gcc"
  if family then return family, families[family] end
  error(environment_error(("'%s' is neither a gcc nor a clang"):format(command), "--oracle gcc, or --oracle clang"), 0)
end

-- Returns the folder of the libomptarget that belongs to a clang; a false value if this clang has no folder in
-- /usr/lib.
local function folder_of_clang(command)
  local _, version = shell_command.run(quote(command) .. " --version")
  local release = version:match "version (%d+)"
  local folder = release and ("/usr/lib/llvm-%s/lib"):format(release)
  return folder and system.filetype(folder) and folder
end

-- Returns a help text that names the Debian packages of the compiler and its runtime.
local function packages(self)
  if self.family == "gcc" then return "Debian packages: gcc libc6-dev" end
  return ("Debian packages: %s libomp%s-dev"):format(self.compiler, self.compiler:match "%-%d+$" or "")
end

-- ----------------------------------------------------------------------------------------- compiling --

local Oracle = {}
Oracle.__index = Oracle

-- Compiles a test driver with these actions to the file `name` in the oracle's folder. Returns the path of the
-- program, or false if the compiler failed; and the compiler's messages.
function Oracle:compile(actions, name)
  local source, program = ("%s/%s.c"):format(self.folder, name), ("%s/%s"):format(self.folder, name)
  files.write(source, test_driver.text(self.family, self.declared, actions, self.layout))
  local ok, _, messages = shell_command.run(("timeout %d %s -O0 -w %s %s -o %s"):format(
    COMPILE_SECONDS, quote(self.compiler),
    self.options, quote(source), quote(program)))
  return ok and program, messages
end

-- Returns the first error in the compiler's messages, in one line. If no error is found, returns the first line that is
-- not empty, or "no program was made".
local function complaint(messages)
  return messages:match "error: ([^\n]*)" or messages:match "[^\n]*internal compiler error[^\n]*"
    or messages:match "[^\n]+" or "no program was made"
end

-- Compiles the test driver; sets self.program, the path of the compiled program. Actions that the compiler rejects are
-- left out; self.refused becomes a table from the number of such an action to the reason. The first round finds them by
-- the file name "word N" in the compiler's errors, which `#line` gives to action N. If the other actions do not compile
-- either, the second round compiles each action alone. Raises if no driver compiles.
function Oracle:build()
  local accepted, refused = {}, {}
  for number, action in ipairs(self.actions) do
    if action.kind ~= "end" then accepted[number] = action end
  end
  local program, messages = self:compile(accepted, "player")
  for round = 1, 2 do
    if program then break end
    for number, action in pairs(accepted) do
      local is_wrong = round == 1 and messages:match(('"?word %d"?:%%d+:[^\n]*error: ([^\n]*)'):format(number))
      if round == 2 then
        local single_program, why = self:compile({ [number] = action }, "alone")
        is_wrong = not single_program and complaint(why)
      end
      if is_wrong then refused[number], accepted[number] = is_wrong, nil end
    end
    program, messages = self:compile(accepted, "player")
  end
  if not program then
    error(environment_error(("%s compiles no program of these words: %s"):format(self.compiler, complaint(messages)),
      packages(self)), 0)
  end
  self.program, self.refused = program, refused
end

-- Sets the compiler's options and the environment of the runtime, and compiles the test driver (for gcc, also the
-- plugin). `family_entry`: the entry of `families`. `options`: a list of options, extended here. Raises if something
-- does not compile.
function Oracle:prepare(family_entry, options)
  local settings = table.move(family_entry.environment, 1, #family_entry.environment, 1, {})
  local library = self.folder -- folder of the runtime (clang) or of the plugin (gcc)
  if self.family == "gcc" then
    local ok, _, messages = shell_command.run(("gcc -O1 -shared -fPIC -w %s -o %s/libgomp-plugin-nvptx.so.1"):format(
      quote(plugin_source()), quote(self.folder)))
    if not ok then error(environment_error("the plugin for libgomp was not made: " .. complaint(messages)), 0) end
    -- The test driver calls OpenACC routines to query single bytes, also for programs of OpenMP.
    options[#options + 1] = "-fopenacc"
  else
    library = folder_of_clang(self.compiler)
    if library then options[#options + 1] = "-L" .. library end
  end
  if library then
    local user_libraries = self.family == "clang" and os.getenv "LD_LIBRARY_PATH" -- a runtime that the user provides
    settings[#settings + 1] = ("LD_LIBRARY_PATH=%s%s"):format(user_libraries and user_libraries .. ":" or "", library)
  end
  for i, setting in ipairs(settings) do settings[i] = quote(setting) end
  self.options, self.environment = table.concat(options, " "), table.concat(settings, " ")
  self:build()
end

-- ------------------------------------------------------------------------------------------- running --

-- Returns the prefix tree of programs. A node is {action, children, list}: the action
-- number, the child nodes by action, and the child nodes in order. number_nodes adds `number`.
local function build_tree(programs)
  local root = { children = {}, list = {} }
  for _, program in ipairs(programs) do
    local at = root
    for _, action in ipairs(program) do
      local child = at.children[action.number]
      if not child then
        child = { action = action.number, children = {}, list = {} }
        at.children[action.number] = child
        at.list[#at.list + 1] = child
      end
      at = child
    end
  end
  return root
end

-- Numbers the nodes below the root in preorder, from 1, and writes the line "depth action" of node n to lines[n].
-- Returns the number of nodes.
local function number_nodes(root, lines)
  local n = 0
  -- Numbers the nodes below `node`, whose children have the depth `depth`.
  local function visit(node, depth)
    for _, child in ipairs(node.list) do
      n = n + 1
      child.number = n
      lines[n] = ("%d %d"):format(depth, child.action)
      visit(child, depth + 1)
    end
  end
  visit(root, 1)
  return n
end

-- Returns the message that a runtime printed before it ended a program, in one line with addresses replaced by ADDRESS.
-- `lines`: output since the last state. Returns the first line if none looks like an error, nil if there is none.
local function message_of(lines)
  for _, line in ipairs(lines) do
    local text = line:match "error(%[[%w-]+%])" or line:match "^libgomp: (.*)" or line:match "^%S+ message: (.*)"
      or line:match "^%S+ error: (.*)" or line:match "error: (.*)"
    if text then return (text:gsub("0x%x+", "ADDRESS"):gsub("%f[%w]%x%x%x%x%x%x%x+%f[%W]", "ADDRESS")) end
  end
  return lines[1]
end

-- Words for the end of a process, by signal number.
local signals = { [6] = "abort", [7] = "bus error", [8] = "arithmetic error", [11] = "segmentation fault",
  [14] = "no end within 10 seconds" }

-- Returns a text for the end of a process. `end_kind`: "signal" or "status"; `number`: the signal or the exit status;
-- `lines`: the output before the end.
local function ending(end_kind, number, lines)
  local text = message_of(lines)
  local ending_text = end_kind == "signal" and (signals[number] or "signal " .. number) or "exit " .. number
  return text and ("%s: %s"):format(ending_text, text) or ending_text
end

-- Runs the programs of one tree, whose nodes are `lines` (number_nodes). Returns a table from node number (0: the
-- initial state) to the text of the state, or to { stopped = reason } if the process ended there. Nodes below such a
-- node have no entry. Raises if the C program itself fails.
function Oracle:run_tree(lines)
  local list = self.folder .. "/tree"
  files.write(list, table.concat(lines, "\n") .. "\n")
  local pipe = assert(io.popen(("LC_ALL=C env %s timeout -k 2 %d %s %s %s 2>&1"):format(self.environment, SECONDS,
    self.under, quote(self.program), quote(list))))
  local results, other = {}, {}
  for line in pipe:lines() do
    local number, state = line:match "^S (%d+) (.*)$"
    if number then
      results[math.tointeger(tonumber(number))], other = state, {}
    else
      local at, end_kind, code = line:match "^E (%d+) (%a+) (%d+)$"
      if at then
        results[math.tointeger(tonumber(at))] = { stopped = ending(end_kind, math.tointeger(tonumber(code)), other) }
        other = {}
      elseif #other < 16 and line:find "%S" then
        other[#other + 1] = line
      end
    end
  end
  local ok, end_kind, code = pipe:close()
  if not ok or not results[0] then
    error(environment_error(("the program of %s ended with %s %s: %s"):format(self.compiler, end_kind, code,
      other[1] or "no message"), self.family == "gcc" and "the plugin is for libgomp of gcc 12"
      or packages(self)), 0)
  end
  return results
end

-- Returns the reason why a program cannot be run: a refused action, or an `end` without a region. Returns nil if it can
-- be run.
function Oracle:unfit(program)
  local open = 0
  for _, action in ipairs(program) do
    local reason = self.refused[action.number]
    if reason then return ("%s: %s"):format(self.compiler, reason) end
    open = open + steps.depth_change(action)
    if open < 0 then return "no region is open" end
  end
  return nil
end

-- Maximal sum of the lengths of programs in one tree. It is one less than the tree's capacity in nodes, because the
-- root needs a node.
local MOST = test_driver.MOST_NODES - 1

-- Runs programs. Returns a list of results in the same order. A result holds the text of
-- the state (observation.lua) after each action, and in `start` the state before the first action. If the runtime ended
-- the program, the last entry of the result is { stopped = reason }. The result of a program that cannot be run is {
-- refused = reason }. Raises if the C program fails.
function Oracle:run(programs)
  local results, runnable, nodes = {}, {}, 0
  -- Runs the collected programs, adds their results, and empties the collection.
  local function flush()
    if #runnable == 0 then return end
    local list = {}
    for _, i in ipairs(runnable) do list[#list + 1] = programs[i] end
    local root, lines = build_tree(list), {}
    number_nodes(root, lines)
    local states = self:run_tree(lines)
    for _, i in ipairs(runnable) do
      local result, at = { start = states[0] }, root
      for k, action in ipairs(programs[i]) do
        at = at.children[action.number]
        result[k] = states[at.number]
        if type(result[k]) == "table" or not result[k] then break end
      end
      results[i] = result
    end
    runnable, nodes = {}, 0
  end
  for i, program in ipairs(programs) do
    local why = self:unfit(program)
    if why then
      results[i] = { refused = why }
    else
      if nodes + #program > MOST then flush() end
      runnable[#runnable + 1], nodes = i, nodes + #program
    end
  end
  flush()
  return results
end

-- Removes the folder with the compiled programs. The oracle cannot be used afterwards.
function Oracle:close() shell_command.remove(self.folder) end

-- ------------------------------------------------------------------------------------------- opening --

-- Opens an oracle; the caller closes it. Raises if the compiler or its runtime is missing.
--
-- Fields of spec. `compiler`: a command, such as "gcc" or "clang-19". `declared`: an exported program with the
-- declarations and the initial statements. `actions`: acc, omp, host, kernel and end steps. `layout`: a result of
-- observation.layout. `exec`: a rule profile, under which `accdeep exec` then runs the C program; nil or false: the
-- compiler's own runtime is used.
function oracle.open(spec)
  local family, family_entry = family_of(spec.compiler)
  local options, used = { spec.exec and "-g" or "-g0", family_entry.always }, {}
  for _, action in ipairs(spec.actions) do used[(action.construct or action).kind] = true end
  if used.acc and not family_entry.options.acc then
    error(environment_error(("%s has no directives of OpenACC"):format(spec.compiler), "--oracle gcc"), 0)
  end
  for _, kind in ipairs { "acc", "omp" } do options[#options + 1] = used[kind] and family_entry.options[kind] or nil end
  if not files.program(spec.compiler) then
    error(environment_error(("there is no %s"):format(spec.compiler)), 0)
  end
  local self = setmetatable({ family = family, compiler = spec.compiler, actions = spec.actions,
    declared = spec.declared, layout = spec.layout, under = spec.exec
      and ("%s exec --rules %s"):format(quote(system.executable()), quote(spec.exec)) or "",
    folder = shell_command.folder() }, Oracle)
  local ok, err = pcall(self.prepare, self, family_entry, options)
  if not ok then
    self:close()
    error(err, 0)
  end
  return self
end

return oracle
