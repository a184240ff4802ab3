-- compiler_driver.lua - runs a compiler command whose units may have directives of TR-14-1.
--
-- Lowered units are written to files of the same name in a temporary folder, and the command compiles these instead.
-- Lists of dependencies still name the original units. tools/cc.lua (`accdeep cc`) calls compiler_driver.compile.

local c_compiler = require "accdeep.tools.lower.c_compiler"
local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local fortran_compiler = require "accdeep.tools.lower.fortran_compiler"
local fortran_fixed_form = require "accdeep.tools.lower.fortran_fixed_form"
local fortran_loop_marks = require "accdeep.tools.lower.fortran_loop_marks"
local fortran_modules = require "accdeep.tools.lower.fortran_modules"
local loop_marks = require "accdeep.tools.lower.loop_marks"
local lower = require "accdeep.tools.lower"
local shell_command = require "accdeep.tools.shell_command"
local system = require "accdeep.system"
local strings = require "accdeep.base.strings"

local compiler_driver = {}

local suffixes = {}
for suffix in ("c cc cpp cxx C f90 F90 f95 F95 f03 F03 f08 F08 f F for FOR"):gmatch "%S+" do suffixes[suffix] = true end

local quote = shell_command.quote

-- Returns true if a text may have an OpenACC directive or a call of an OpenACC routine. Such a text has a pragma or
-- sentinel `acc`, the operator _Pragma, or a name that begins with acc_.
local function has_directives(text)
  local lower_case = text:lower()
  return lower_case:find "pragma%s+acc" ~= nil or lower_case:find("!$acc", 1, true) ~= nil
    or lower_case:find "\n[c*]%$acc" ~= nil or text:find("_Pragma", 1, true) ~= nil or text:find "%f[%w_]acc_" ~= nil
end

-- Options whose value is the next argument, in addition to those that begin with -i and to -I, -J, -D, -U, -x and -o.
local with_value = strings.word_set "--param -target -Xclang -Xpreprocessor -mllvm"

-- Returns the options of a command without its units. The lowering runs the compiler with these options on single
-- units.
local function options_of(list)
  local options = {}
  for i = 2, #list do
    local argument = list[i]
    local is_value = list[i - 1]:find "^%-[IJDUxo]$" or list[i - 1]:find "^%-i" or with_value[list[i - 1]]
    if argument:find "^[-@]" or is_value then
      options[#options + 1] = argument
    end
  end
  return options
end

-- Options with which the compiler does not compile; no unit is lowered then.
local reading = { ["-E"] = true, ["-M"] = true, ["-MM"] = true }

-- Returns the indices of the units in a command, the files with a suffix of C, C++ or Fortran. Returns an empty list if
-- the command only preprocesses or lists dependencies.
local function units_of(list)
  local places = {}
  for i = 2, #list do
    local path = list[i]
    local suffix = path:sub(1, 1) ~= "-" and path:match "%.(%w+)$"
    if reading[path] then return {} end
    if suffix and suffixes[suffix] and list[i - 1] ~= "-o" and system.filetype(path) == "file" then
      places[#places + 1] = i
    end
  end
  return places
end

-- A temporary folder that is created on first use.
local Folder = {}
Folder.__index = Folder

-- Returns the path of the folder, which exists then. Raises if it cannot be created.
function Folder:path()
  self.name = self.name or shell_command.folder()
  return self.name
end

-- Returns the path of a subfolder for compiled Fortran modules, which exists then.
function Folder:modules()
  local modules = self:path() .. "/modules"
  files.make_folder(modules)
  return modules
end

-- Removes the folder, if it was created.
function Folder:remove()
  if self.name then shell_command.remove(self.name) end
end

-- Writes the shapes and policies of the modules in the unit `text` next to the compiled modules (fortran_modules.lua).
-- `options`: the command's options. `exported`: the field of lower.unit's third result, or nil. `extra`: a second
-- folder to write the shapes and policies to, or nil.
function compiler_driver.export(options, text, exported, extra)
  local used = fortran_modules.defined_modules(text)
  if not next(used) then return end
  local folders = fortran_modules.folders(options)
  fortran_modules.write(folders[1], folders, used, exported or {})
  if extra then fortran_modules.write(extra, { extra, table.unpack(folders) }, used, exported or {}) end
end

-- Returns true if a path is that of a unit of Fortran.
local function is_fortran_unit(path) return path:find "%.[fF]%d*$" ~= nil or path:find "%.[fF][oO][rR]$" ~= nil end

-- Returns the name of the file, without folders, to which a unit in fixed form is written in free form.
local function free_form_name(path)
  return (path:match "[^/]*$":gsub("%.%w+$", path:find "%.F%w*$" and ".F90" or ".f90"))
end

-- Lowers the units of the command `list`. Returns a list of {at, path, text, described, pasted, name} for the units
-- whose text changed, or whose included files have shapes or policies (`described`). `at`: index in the command.
-- `pasted`: paths of the files inlined in `text`. `name`: name of the file to write, without folders. The second result
-- is {path, messages} for the first unit with directives that the compiler rejects, or nil. `folder`: a Folder for
-- temporary files. Raises errors of directives.
local function lower_units(list, request, folder)
  local units, options, problem = {}, options_of(list), nil
  local unit_indices, modules = units_of(list), nil
  for _, i in ipairs(unit_indices) do
    local path = list[i]
    local text, is_fortran = files.read(path), is_fortran_unit(path)
    -- Later units may use the modules of this unit, therefore the modules are compiled first, to a temporary folder.
    if is_fortran and unit_indices[2] then
      modules = modules or folder:modules()
      fortran_compiler.refuses { path = path, command = list[1], options = options, modules = modules }
    end
    local details, has_own = {}, has_directives(text)
    if has_own or not is_fortran and text:find "#%s*include" then -- an included file may have directives
      local lowered_text, messages
      lowered_text, messages, details = lower.unit { path = path, text = text, command = list[1], options = options,
        to = request.to, rules = request.rules, modules = modules }
      if lowered_text and (lowered_text ~= text or details.described) then
        units[#units + 1] = { at = i, path = path, text = lowered_text, described = details.described,
          pasted = details.pasted, name = details.is_free and free_form_name(path) or path:match "[^/]*$" }
      end
      if not lowered_text and (has_own or details.is_read) then
        problem = problem or { path = path, messages = messages }
      end
    end
    if is_fortran then compiler_driver.export(options, text, details.exported, modules) end
  end
  return units, problem
end

-- Returns the path of the file to which the command `list` writes the dependencies of a unit; nil if it writes none.
local function dependencies(list, unit)
  local is_requested, named, output = false, nil, nil
  for i, argument in ipairs(list) do
    is_requested = is_requested or argument == "-MD" or argument == "-MMD"
    if argument == "-MF" then named = list[i + 1] end
    if argument == "-o" then output = list[i + 1] end
  end
  if not is_requested then return named end
  local base = output or unit.path:match "[^/]*$"
  return named or base:gsub("%.%w+$", "") .. ".d"
end

-- Writes the lowered units to `folder`, and runs the command `list` with them in place of the original ones. Returns
-- its exit status, or 128 + the signal that ended it. Sets lowered_path of each unit. `log`: file for the compiler's
-- messages, or nil.
local function run(list, units, folder, log)
  local command = table.move(list, 1, #list, 1, {})
  for number, unit in ipairs(units) do
    unit.lowered_path = ("%s/%d/%s"):format(folder:path(), number, unit.name)
    files.write(unit.lowered_path, unit.text)
    command[unit.at] = unit.lowered_path
    local unit_folder = unit.path:match "^(.*)/" or "."
    command[#command + 1] = (is_fortran_unit(unit.path) and "-I" or "-iquote") .. unit_folder
    if unit.is_marked and is_fortran_unit(unit.path) then
      command[#command + 1] = "-ffree-line-length-none"
      -- gfortran writes dependencies of preprocessed units alone; the marked text of such a unit has no suffix of them.
      if unit.was_preprocessed and dependencies(list, unit) then command[#command + 1] = "-cpp" end
    end
    if unit.described then command[#command + 1] = "-Wno-unknown-pragmas" end
    command[#command + 1] = ("-fdebug-prefix-map=%s=%s"):format(unit.lowered_path:match "^(.*)/", unit_folder)
  end
  if log and system.isatty(2) then table.insert(command, 2, "-fdiagnostics-color=always") end
  for i, argument in ipairs(command) do command[i] = quote(argument) end
  local _, end_kind, status = os.execute(table.concat(command, " ") .. (log and " 2>" .. quote(log) or ""))
  return end_kind == "exit" and status or 128 + status
end

-- Returns a path with the escapes that compilers write in lists of dependencies.
local function for_make(path) return (path:gsub("%$", "$$$$"):gsub("[ #]", "\\%0")) end

-- Corrects the lists of dependencies that the command has written: replaces the paths of lowered units by the original
-- ones, and adds the pasted files. Precondition: `run` was called.
local function name_dependencies(list, units)
  local with_targets = false
  for _, argument in ipairs(list) do with_targets = with_targets or argument == "-MP" end
  for _, unit in ipairs(units) do
    local path = dependencies(list, unit)
    if path and system.filetype(path) == "file" then
      local text = files.read(path)
      local at, finish = text:find(for_make(unit.lowered_path), 1, true)
      if at then
        local names, targets = { for_make(unit.path) }, {}
        for k, name in ipairs(unit.pasted or {}) do
          names[k + 1] = for_make(name)
          targets[k] = with_targets and names[k + 1] .. ":\n" or ""
        end
        files.write(path, text:sub(1, at - 1) .. table.concat(names, " \\\n ") .. text:sub(finish + 1)
          .. table.concat(targets))
      end
    end
  end
end

-- Returns the text of a unit with marks at its parallel loops, a list of loops that cannot be marked (loop_marks.lua),
-- and the name of the file to write. The fourth result is true for a unit of Fortran that the compiler preprocesses.
-- Returns nil for a unit without such loops, and for one that the compiler does not preprocess. `unit`: {path, name,
-- command, options, text, folder}, as in c_compiler.lua. `text`: its text.
local function mark_unit(unit, text)
  local base = unit.name:gsub("%.%w+$", "")
  if not is_fortran_unit(unit.path) then
    local is_cxx = c_compiler.is_cxx(unit.path, unit.command)
    local may_have_loops = text:find "[pP]ragma" or text:find "#%s*include"
    local preprocessed = may_have_loops and c_compiler.preprocess(unit, "")
    if not preprocessed then return nil end
    local marked, unmarked = loop_marks.insert(preprocessed, unit.path, is_cxx, c_compiler.is_clang(unit))
    -- clang makes no device code of files with the suffixes of preprocessed ones.
    local suffix = c_compiler.is_clang(unit) and (is_cxx and ".cpp" or ".c") or is_cxx and ".ii" or ".i"
    return marked, unmarked, base .. suffix
  end
  if not text:lower():find "[!c*]%$%l%l%l" then return nil end
  for _, option in ipairs(unit.options) do
    if option:find "underscoring" then return nil end -- the calls would have other names than the functions
  end
  local was_preprocessed = fortran_compiler.is_preprocessed(unit)
  if was_preprocessed then text = c_compiler.preprocess(unit, "-cpp") end
  if text and fortran_fixed_form.is_fixed(unit.name, unit.options) then
    text = fortran_fixed_form.convert(text, unit.options)
  end
  if not text then return nil end
  local marked, unmarked = fortran_loop_marks.insert(text, unit.path)
  return marked, unmarked, base .. ".f90", was_preprocessed
end

-- Marks the parallel loops of the units in the command `list`. `units`: the lowered ones. Returns a list of the units
-- to compile, which have the field `is_marked` if loops are marked; nil if no unit has such loops. A unit that the
-- compiler does not preprocess stays as it is, so that the compiler reports its error.
local function mark_loops(list, units, folder)
  local lowered, marked_units = {}, {}
  for _, unit in ipairs(units) do lowered[unit.at] = unit end
  local options = options_of(list)
  for _, i in ipairs(units_of(list)) do
    local path, unit = list[i], lowered[i]
    local marked, unmarked, name, was_preprocessed = mark_unit({ path = path, command = list[1], options = options,
      text = unit and unit.text, folder = folder:path(), name = unit and unit.name or path:match "[^/]*$" },
      unit and unit.text or files.read(path))
    for _, loop in ipairs(unmarked or {}) do
      io.stderr:write(("%s:%d: note[not-checked]: races of this loop are not found: %s\n"):format(loop.path, loop.line,
        loop.reason))
    end
    if marked then
      unit = unit or { at = i, path = path, text = files.read(path), name = path:match "[^/]*$" }
      marked_units[#marked_units + 1] = setmetatable({ text = marked, name = name, is_marked = true,
        was_preprocessed = was_preprocessed,
        unmarked_text = unit.text, unmarked_name = unit.name }, { __index = unit })
      lowered[i] = nil
    end
  end
  if not marked_units[1] then return nil end
  for _, unit in pairs(lowered) do marked_units[#marked_units + 1] = unit end
  return marked_units
end

-- Writes the dependencies of a unit that was compiled in preprocessed form, if the command `list` asks for them:
-- compilers write none for such units.
local function write_dependencies(list, unit)
  local path = dependencies(list, unit)
  if not path then return end
  local command, output, targets = { list[1], "-MM", "-MF", path }, nil, {}
  for i, argument in ipairs(list) do
    if argument == "-MD" then command[2] = "-M" end
    if argument == "-MP" then command[#command + 1] = "-MP" end
    if argument == "-MT" or argument == "-MQ" then
      targets[#targets + 1] = argument
      targets[#targets + 1] = list[i + 1]
    end
    if argument == "-o" then output = list[i + 1] end
  end
  if not targets[1] then targets = { "-MQ", output or unit.path:match("[^/]*$"):gsub("%.%w+$", "") .. ".o" } end
  table.move(targets, 1, #targets, #command + 1, command)
  command[#command + 1] = unit.path
  for i, argument in ipairs(command) do command[i] = quote(argument) end
  shell_command.run(table.concat(command, " ") .. " " .. c_compiler.options(options_of(list)))
end

-- Removes the marks of the units that the compiler does not accept with them: their text becomes that of before. A note
-- names each.
local function remove_rejected_marks(list, units, folder)
  for _, unit in ipairs(units) do
    if unit.is_marked then
      local command = { list[1], table.unpack(options_of(list)) }
      command[#command + 1] = "-fsyntax-only"
      command[#command + 1] = unit.path
      local log = folder:path() .. "/log"
      if run(command, { setmetatable({ at = #command }, { __index = unit }) }, folder, log) ~= 0 then
        unit.text, unit.name, unit.is_marked = unit.unmarked_text, unit.unmarked_name, false
        io.stderr:write(("%s: note[not-checked]: races between iterations are not found: the compiler rejects the "
          .. "marks of its loops\n"):format(unit.path))
      end
    end
  end
end

-- Runs the command `list` with units of mark_loops. Returns 0 if the compiler accepts them, perhaps some of them
-- without marks. Returns nil without the compiler's messages if it does not.
local function run_marked(list, units, folder)
  local log = folder:path() .. "/messages"
  local status = run(list, units, folder, log)
  if status ~= 0 and units[2] then
    remove_rejected_marks(list, units, folder)
    status = run(list, units, folder, log)
  end
  if status ~= 0 then return nil end
  io.stderr:write(files.read(log))
  name_dependencies(list, units)
  for _, unit in ipairs(units) do
    if unit.is_marked and not is_fortran_unit(unit.path) then write_dependencies(list, unit) end
  end
  return 0
end

-- Runs the compiler on a unit that could not be lowered, so that it reports the error. `problem`: {path, messages} of
-- the lowering. Returns the exit status. Raises if the compiler accepts the unit, because the unit's directives would
-- have no effect.
local function compile_refused(list, problem)
  local command = {}
  for _, argument in ipairs(list) do
    -- The option -fopenacc makes the compiler reject directives of TR-14-1; here only its other errors matter
    if not argument:find "^%-fopen" then command[#command + 1] = argument end
  end
  command[#command + 1] = "-fsyntax-only"
  local status = run(command, {})
  if status ~= 0 then return status end
  error(diagnostic.new { code = "unsupported", rule = "HOUSE-lower", message = problem.path
    .. ": the compiler takes the unit, but not when it is asked for the types of variables: "
    .. (problem.messages:match "[eE]rror: ([^\n]*)" or problem.messages:match "[^\n]+" or "") }, 0)
end

-- Runs the command `list` with its units lowered for `request`. Returns the exit status; nil, without running it, if no
-- unit changed. Raises errors of directives. `folder`: a Folder for temporary files.
local function compile(list, request, folder)
  local units, problem = lower_units(list, request, folder)
  if problem then return compile_refused(list, problem) end
  local marked_units = request.marks_loops and mark_loops(list, units, folder)
  if marked_units and run_marked(list, marked_units, folder) then return 0 end
  if not units[1] and not marked_units then return nil end
  local status = run(list, units, folder)
  name_dependencies(list, units)
  if marked_units and status == 0 then
    io.stderr:write(("%s: note[not-checked]: races between iterations are not found: the compiler rejects the marks of "
      .. "its loops\n"):format(marked_units[1].path))
  end
  return status
end

-- Runs the compiler command `list` with lowered units. Returns its exit status; nil, without running the command, if no
-- unit changed. `request`: {to, rules} as in lower.unit, and
-- marks_loops: parallel loops are marked for the checks. Raises errors of directives, and an error for a unit that the
-- compiler accepts but the lowering cannot query.
function compiler_driver.compile(list, request)
  local folder = setmetatable({}, Folder)
  local ok, status = pcall(compile, list, request, folder)
  folder:remove()
  if not ok then error(status, 0) end
  return status
end

return compiler_driver
