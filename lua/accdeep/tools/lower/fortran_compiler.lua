-- fortran_compiler.lua - queries the Fortran compiler of a unit: the preprocessed text, and the types and attributes
-- of variables at a directive.
--
-- A query is a statement inserted before a directive. The answer is an error message, or the debug information of a
-- name associated with the variable. The compiler thereby resolves scopes, modules and renamings itself.
-- fortran_unit.lua calls this module.

local c_compiler = require "accdeep.tools.lower.c_compiler"
local files = require "accdeep.tools.files"
local fortran_fixed_form = require "accdeep.tools.lower.fortran_fixed_form"
local shell_command = require "accdeep.tools.shell_command"
local line_markers = require "accdeep.tools.lower.line_markers"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local system = require "accdeep.system"

local fortran_compiler = {}

local quote = shell_command.quote

-- Returns true if the compiler preprocesses the unit: -cpp, or a suffix in upper case.
function fortran_compiler.is_preprocessed(unit)
  for _, option in ipairs(unit.options) do
    if option == "-cpp" then return true end
    if option == "-nocpp" then return false end
  end
  return unit.path:find "%.F%w*$" ~= nil
end

-- Returns a path of the command line, quoted for a shell command that begins with `cd`: relative paths start at
-- $OLDPWD.
local function from_elsewhere(path)
  return path:find "^/" and quote(path) or '"$OLDPWD"/' .. quote(path)
end

-- Returns the options of a unit as quoted text, for a command that runs in another folder. The folders of included
-- files and modules become -I options. `without_directives`: leave out options that turn directives into code, warn or
-- optimize.
local function options(unit, without_directives)
  local option_list, folders, i = {}, {}, 1
  while unit.options[i] do
    local folder = unit.options[i]:match "^%-[IJ](.*)$"
    if folder == "" then
      i = i + 1
      folder = unit.options[i]
    end
    if folder then
      folders[#folders + 1] = " -I " .. from_elsewhere(folder)
    else
      option_list[#option_list + 1] = unit.options[i]
    end
    i = i + 1
  end
  return c_compiler.options(option_list, without_directives) .. table.concat(folders) .. " -I "
    .. from_elsewhere(unit.path:match "^(.*)/" or ".") .. ' -I "$OLDPWD"'
end

-- Runs the unit's compiler in `folder`, so that it does not find outdated modules in the current folder. Returns true
-- if it succeeded, its output and its messages, in which paths are as in the original command. `format`, `...`: the
-- arguments, formatted.
local function run(unit, folder, format, ...)
  local ok, output, messages = shell_command.run(("cd %s && %s %s"):format(quote(folder), unit.command:find "/"
    and from_elsewhere(unit.command) or quote(unit.command), format:format(...)))
  local _, directory = shell_command.run "pwd"
  -- Returns the compiler's text with the unit's path as in the original command.
  local function normalize_paths(text)
    local prefix, parts, at = directory:gsub("\n", "") .. "/", {}, 1
    while not unit.path:find "^/" do
      local first, last = text:find(prefix .. unit.path, at, true)
      if not first then break end
      parts[#parts + 1], at = text:sub(at, first - 1) .. unit.path, last + 1
    end
    return table.concat(parts) .. text:sub(at)
  end
  return ok, normalize_paths(output), normalize_paths(messages)
end

-- Returns the view of a unit, the lines that the compiler sees: a list of {text, line}. `line` is the line in the unit,
-- or nil for lines of included files. Returns nil and the compiler's messages if preprocessing fails.
function fortran_compiler.view(unit, text)
  local view = {}
  if not fortran_compiler.is_preprocessed(unit) then
    for line in (text:find "\n$" and text or text .. "\n"):gmatch "(.-)\r?\n" do
      view[#view + 1] = { text = line, line = #view + 1 }
    end
    return view
  end
  local ok, output, messages = run(unit, unit.folder, "%s -w -cpp -E %s", options(unit), from_elsewhere(unit.path))
  if not ok then return nil, messages end
  local file, line = unit.path, 1
  for row in output:gmatch "(.-)\n" do
    local number, name = line_markers.read(row)
    if number then
      file, line = name, number
    else
      view[#view + 1] = { text = row, line = file == unit.path and line or nil }
      line = line + 1
    end
  end
  if not unit.is_fixed then return view end
  local rows, at = {}, 0
  for i, entry in ipairs(view) do rows[i] = entry.text end
  for row in fortran_fixed_form.convert(table.concat(rows, "\n"), unit.options):gmatch "(.-)\n" do
    at = at + 1
    view[at].text = row
  end
  return view
end

-- Returns the text of the file `name` that a unit includes, or nil if the file is not found.
function fortran_compiler.read_include(unit, name)
  local folders = { unit.path:match "^(.*)/" or ".", "." }
  for i, option in ipairs(unit.options) do
    local folder = option:match "^%-I(.*)$"
    if folder then folders[#folders + 1] = folder == "" and unit.options[i + 1] or folder end
  end
  for _, folder in ipairs(folders) do
    local path = name:find "^/" and name or folder .. "/" .. name
    if system.filetype(path) == "file" then return files.read(path) end
  end
end

-- Compiles `lines` with the additional options `flags`. Returns true if the compiler succeeds, its messages, and a
-- table from line number to the first error of that line. `extension`: suffix of the file, or nil for preprocessed free
-- form.
local function try(unit, lines, flags, extension)
  local path = unit.folder .. "/unit" .. (extension or ".f90")
  files.write(path, table.concat(lines, "\n") .. "\n")
  local ok, _, messages = run(unit, unit.folder, "-I %s %s -w -fmax-errors=0 %s %s", quote(unit.modules),
    options(unit, true) .. (extension and "" or " -nocpp -ffree-line-length-none"), flags, quote(path))
  local errors, at = {}, nil
  for line in (messages or ""):gmatch "[^\n]+" do
    at = tonumber(line:match ":(%d+):%d+:%s*$") or tonumber(line:match ":(%d+):%d+: Error") or at
    local message = line:match "Error: (.*)$"
    if message and at then errors[at] = errors[at] or message end
  end
  return ok, messages, errors
end

-- Inserts queries before lines of a view (see fortran_compiler.view). Returns the lines, and a table from line number
-- to the query in that line. `questions`: a table from view index to a list of queries {text}. Each query is in a block
-- construct, so that implicit declarations do not affect later statements.
local function insert_questions(view, questions)
  local lines, queries = {}, {}
  for i, view_line in ipairs(view) do
    for _, question in ipairs(questions[i] or {}) do
      lines[#lines + 1] = ("block; %s; end block"):format(question.text)
      queries[#lines] = question
    end
    lines[#lines + 1] = view_line.text
  end
  return lines, queries
end

-- Compiles the unit with queries; sets `error` of each query that the compiler rejects to its message. Returns true, or
-- nil and the messages if other lines have errors. `questions`: a table from view index to a list of queries {text}.
-- `flags`: additional options. `ignores_others`: ignore errors of other lines, which queries may cause.
local function ask_compiler(unit, view, questions, flags, ignores_others)
  local lines, queries = insert_questions(view, questions)
  local ok, messages, errors = try(unit, lines, flags)
  if ok then return true end
  for line, message in pairs(errors) do
    if queries[line] then
      queries[line].error = message
    elseif not ignores_others then
      return nil, messages
    end
  end
  if not next(errors) then return nil, messages end
  return true
end

-- Compiles the unit without its OpenACC directives, which also writes compiled modules to the folder unit.modules.
-- Returns the messages if that fails, or nil.
function fortran_compiler.refuses(unit)
  local ok, _, messages = run(unit, unit.modules, "%s -w -fsyntax-only %s", options(unit, true),
    from_elsewhere(unit.path))
  return not ok and messages or nil
end

-- Statements, by attribute, that the compiler accepts only if a name has the attribute. With --to openmp and --to
-- accdeep, the statements in `of_openmp` and `of_calls` are used, too. They query whether the name is an array, a
-- character variable, or a variable that can be read (a constant cannot).
local attributes = { allocated = "if (allocated(%s)) continue", associated = "if (associated(%s)) continue",
  present = "if (present(%s)) continue" }
local of_openmp = { array = "if (lbound(%s,1) > 0) continue", read = "read (5,*) %s" }
local of_calls = { array = of_openmp.array, read = of_openmp.read, len = "if (len(%s) > 0) continue" }

-- Removes names from `entries` (see fortran_compiler.attributes) that occur only before parentheses and are not arrays.
-- These may be functions, and a query about a function would change its declaration.
local function leave_functions(unit, view, entries)
  local questions = {}
  for _, entry in ipairs(entries) do
    local list = questions[entry.at] or {}
    questions[entry.at] = list
    for _, name in ipairs(entry.names) do
      if not entry.bare[name] then
        list[#list + 1] = { text = of_calls.array:gsub("%%s", name), entry = entry, name = name }
      end
    end
  end
  ask_compiler(unit, view, questions, "-fsyntax-only", true)
  for _, list in pairs(questions) do
    for _, question in ipairs(list) do
      if question.error then question.entry.bare[question.name] = 0 end
    end
  end
  for _, entry in ipairs(entries) do
    local names = {}
    for _, name in ipairs(entry.names) do
      if entry.bare[name] ~= 0 then names[#names + 1] = name end
    end
    entry.names = names
  end
end

-- Sets `attributes` of each of `entries`, {at, names, bare}: a table from name to {allocated, associated, present,
-- array, len, constant}. A flag is true if the compiler accepts the query; names that are not variables have no entry.
-- `at`: view index. `bare`: set of names that occur without parentheses. Returns true, or nil and the messages.
function fortran_compiler.attributes(unit, view, entries)
  if unit.calls then leave_functions(unit, view, entries) end
  local questions = {}
  for _, entry in ipairs(entries) do
    entry.attributes = {}
    local list = questions[entry.at] or {}
    questions[entry.at] = list
    for _, name in ipairs(entry.names) do
      for _, texts in ipairs { attributes, unit.calls and of_calls or unit.openmp and of_openmp or {} } do
        for attribute, text in sorted_pairs(texts) do
          list[#list + 1] = { text = text:gsub("%%s", name), entry = entry, name = name, attribute = attribute }
        end
      end
    end
  end
  local ok, messages = ask_compiler(unit, view, questions, "-fsyntax-only")
  if not ok then return nil, messages end
  for _, list in pairs(questions) do
    for _, question in ipairs(list) do
      local by_name, name = question.entry.attributes, question.name
      if by_name[name] == nil then by_name[name] = {} end
      if question.error and question.error:find "IMPLICIT type" then by_name[name] = false end
      if by_name[name] then by_name[name][question.attribute] = not question.error end
      local reason = question.error or ""
      if by_name[name] and reason:find "^Named constant" then by_name[name].constant = true end
      if reason:find "is not a variable$" then by_name[name] = false end
    end
  end
  for _, entry in ipairs(entries) do
    for _, name in ipairs(entry.names) do entry.attributes[name] = entry.attributes[name] or nil end
  end
  return true
end

-- Compiles statements at view indices. `list`: entries {at, text}. Sets `error` of each entry that the compiler
-- rejects. Returns true, or nil and the messages if other lines have errors.
function fortran_compiler.try_statements(unit, view, list)
  local questions = {}
  for _, question in ipairs(list) do
    questions[question.at] = questions[question.at] or {}
    table.insert(questions[question.at], question)
  end
  return ask_compiler(unit, view, questions, "-fsyntax-only")
end

-- Suffixes of array designators by rank, from 0.
local subscripts = { "", "(1)", "(1,1)", "(1,1,1)", "(1,1,1,1)" }

-- Compiles the unit to an object file in which the debug information of c_compiler.variable(i, name) describes each
-- name of entries[i]. `entries`: results of fortran_compiler.attributes. Returns the path of the file, or nil and the
-- messages. Sets assumed_size of each entry: a table from each array of assumed size to its rank.
function fortran_compiler.types(unit, view, entries)
  local pending = {}
  for i, entry in ipairs(entries) do
    entry.assumed_size = {}
    for _, name in ipairs(entry.names) do
      if entry.attributes[name] then
        pending[#pending + 1] = { at = entry.at, i = i, entry = entry, name = name, try = 1 }
      end
    end
  end
  local object = unit.folder .. "/unit.o"
  while true do
    local questions, queries = {}, {}
    for _, question in ipairs(pending) do
      if subscripts[question.try] then
        question.error = nil
        question.text = ("associate (%s => %s%s); end associate"):format(c_compiler.variable(question.i, question.name),
          question.name, subscripts[question.try])
        questions[question.at] = questions[question.at] or {}
        table.insert(questions[question.at], question)
        queries[#queries + 1] = question
      end
    end
    local ok, messages = ask_compiler(unit, view, questions, ("-g -O0 -c -o %s"):format(quote(object)))
    if not ok then return nil, messages end
    local has_retries = false
    for _, question in ipairs(queries) do
      if question.error then
        local is_array = question.entry.attributes[question.name].array ~= false
        question.try, has_retries = is_array and question.try + 1 or #subscripts + 1, true
      elseif question.try > 1 then
        question.entry.assumed_size[question.name] = question.try - 1
      end
    end
    if not has_retries then return object end
  end
end

-- Compiles the lowered text with its directives, as a check. Returns the messages if that fails, or nil.
function fortran_compiler.refuses_lowered(unit, text)
  local flags = (unit.openmp and "-fopenmp" or "-fopenacc") .. " -fsyntax-only"
  local extension = unit.path:match "%.%w+$"
  if unit.is_fixed then extension = fortran_compiler.is_preprocessed(unit) and ".F90" or ".f90" end
  local ok, messages = try(unit, { text }, flags, extension)
  return not ok and messages or nil
end

return fortran_compiler
