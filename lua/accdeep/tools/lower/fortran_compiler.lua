-- fortran_compiler.lua - the compiler of a unit of Fortran, asked what only it knows: what the preprocessor makes of
-- the unit, and the types and attributes of variables where a directive stands.
--
-- Questions are statements in front of a directive: the answer is an error, or the debug information of a name that
-- stands for the variable there. So scopes, modules and renamings are the compiler's.

local c_compiler = require "accdeep.tools.lower.c_compiler"
local files = require "accdeep.tools.files"
local shell_command = require "accdeep.tools.shell_command"
local line_markers = require "accdeep.tools.lower.line_markers"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local system = require "accdeep.system"

local fortran_compiler = {}

local quote = shell_command.quote

local function is_preprocessed(unit)
  for _, option in ipairs(unit.given) do
    if option == "-cpp" then return true end
    if option == "-nocpp" then return false end
  end
  return unit.path:find "%.F%w*$" ~= nil
end

-- A path of the unit's command line for a command that runs elsewhere.
local function from_elsewhere(path)
  return path:find "^/" and quote(path) or '"$OLDPWD"/' .. quote(path)
end

-- Options of the unit, as text for a command that runs in another folder. plain: without what makes code of directives.
local function options(unit, plain)
  local given, folders, i = {}, {}, 1
  while unit.given[i] do
    local folder = unit.given[i]:match "^%-[IJ](.*)$"
    if folder == "" then
      i = i + 1
      folder = unit.given[i]
    end
    if folder then
      folders[#folders + 1] = " -I " .. from_elsewhere(folder)
    else
      given[#given + 1] = unit.given[i]
    end
    i = i + 1
  end
  return c_compiler.options(given, plain) .. table.concat(folders) .. " -I "
    .. from_elsewhere(unit.path:match "^(.*)/" or ".") .. ' -I "$OLDPWD"'
end

-- Runs the unit's compiler in a folder of ours: modules that lie where the command runs would be older ones. Returns as
-- shell.run, with paths as the unit's command has them.
local function run(unit, folder, format, ...)
  local ok, output, messages = shell_command.run(("cd %s && %s %s"):format(quote(folder), unit.command:find "/"
    and from_elsewhere(unit.command) or quote(unit.command), format:format(...)))
  local _, here = shell_command.run "pwd"
  local function normalize_paths(text)
    local prefix, parts, at = here:gsub("\n", "") .. "/", {}, 1
    while not unit.path:find "^/" do
      local first, last = text:find(prefix .. unit.path, at, true)
      if not first then break end
      parts[#parts + 1], at = text:sub(at, first - 1) .. unit.path, last + 1
    end
    return table.concat(parts) .. text:sub(at)
  end
  return ok, normalize_paths(output), normalize_paths(messages)
end

-- The lines that the compiler sees: list of {text, line (in the unit; nil: of another file)}. nil, and what the
-- compiler said.
function fortran_compiler.view(unit, text)
  local view = {}
  if not is_preprocessed(unit) then
    for line in (text:find "\n$" and text or text .. "\n"):gmatch "(.-)\r?\n" do
      view[#view + 1] = { text = line, line = #view + 1 }
    end
    return view
  end
  local ok, output, messages = run(unit, unit.folder, "%s -w -cpp -E %s", options(unit), from_elsewhere(unit.path))
  if not ok then return nil, messages end
  local file, line = unit.path, 1
  for one in output:gmatch "(.-)\n" do
    local number, name = line_markers.read(one)
    if number then
      file, line = name, number
    else
      view[#view + 1] = { text = one, line = file == unit.path and line or nil }
      line = line + 1
    end
  end
  return view
end

-- The text of a file that a unit includes, or nil.
function fortran_compiler.read_include(unit, name)
  local folders = { unit.path:match "^(.*)/" or ".", "." }
  for i, option in ipairs(unit.given) do
    local folder = option:match "^%-I(.*)$"
    if folder then folders[#folders + 1] = folder == "" and unit.given[i + 1] or folder end
  end
  for _, folder in ipairs(folders) do
    local path = name:find "^/" and name or folder .. "/" .. name
    if system.filetype(path) == "file" then return files.read(path) end
  end
end

-- Runs the compiler over lines, with these options besides the unit's. Returns whether it succeeds, what it said, and
-- errors: line -> text of the first one there.
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

-- Lines of a view with questions in front of its lines: questions: view index -> list of {text, ...}. A question has a
-- block, where the compiler forgets what a name would be that it did not know. Returns lines, and line -> question.
local function insert_questions(view, questions)
  local lines, asked = {}, {}
  for i, one in ipairs(view) do
    for _, question in ipairs(questions[i] or {}) do
      lines[#lines + 1] = ("block; %s; end block"):format(question.text)
      asked[#lines] = question
    end
    lines[#lines + 1] = one.text
  end
  return lines, asked
end

-- Asks whether statements are possible: sets .error of questions to the compiler's. nil, and what the compiler said,
-- if something else is wrong, but for what questions may do to names behind them (alone).
local function ask_compiler(unit, view, questions, flags, alone)
  local lines, asked = insert_questions(view, questions)
  local ok, messages, errors = try(unit, lines, flags)
  if ok then return true end
  for line, message in pairs(errors) do
    if asked[line] then
      asked[line].error = message
    elseif not alone then
      return nil, messages
    end
  end
  if not next(errors) then return nil, messages end
  return true
end

-- What the compiler says of the unit's own text without our directives; nil: nothing is wrong. Then there are its
-- modules, whatever is asked in their procedures.
function fortran_compiler.refuses(unit)
  local ok, _, messages = run(unit, unit.modules, "%s -w -fsyntax-only %s", options(unit, true),
    from_elsewhere(unit.path))
  return not ok and messages or nil
end

-- What one may ask of a name, and, where directives become calls, whether it is an array, a text, a constant.
local attributes = { allocated = "if (allocated(%s)) continue", associated = "if (associated(%s)) continue",
  present = "if (present(%s)) continue" }
local of_calls = { array = "if (lbound(%s,1) > 0) continue", len = "if (len(%s) > 0) continue",
  read = "read (5,*) %s" }

-- Takes names away that stand in front of parentheses only and are no arrays: a question about a function of Fortran
-- makes it something else for the compiler.
local function leave_functions(unit, view, wanted)
  local questions = {}
  for _, one in ipairs(wanted) do
    local list = questions[one.at] or {}
    questions[one.at] = list
    for _, name in ipairs(one.names) do
      if not one.bare[name] then
        list[#list + 1] = { text = of_calls.array:gsub("%%s", name), one = one, name = name }
      end
    end
  end
  ask_compiler(unit, view, questions, "-fsyntax-only", true)
  for _, list in pairs(questions) do
    for _, question in ipairs(list) do
      if question.error then question.one.bare[question.name] = 0 end
    end
  end
  for _, one in ipairs(wanted) do
    local names = {}
    for _, name in ipairs(one.names) do
      if one.bare[name] ~= 0 then names[#names + 1] = name end
    end
    one.names = names
  end
end

-- Attributes of names: wanted: list of {at (index in the view), names (list), bare (names that stand somewhere without
-- a parenthesis behind them, a set)}. Gives each wanted attributes: name -> {allocated, associated, present (whether
-- one may ask), array, len, constant}; names of no variables are left out.
function fortran_compiler.attributes(unit, view, wanted)
  if unit.calls then leave_functions(unit, view, wanted) end
  local questions = {}
  for _, one in ipairs(wanted) do
    one.attributes = {}
    local list = questions[one.at] or {}
    questions[one.at] = list
    for _, name in ipairs(one.names) do
      for _, texts in ipairs { attributes, unit.calls and of_calls or {} } do
        for attribute, text in sorted_pairs(texts) do
          list[#list + 1] = { text = text:gsub("%%s", name), one = one, name = name, attribute = attribute }
        end
      end
    end
  end
  local ok, messages = ask_compiler(unit, view, questions, "-fsyntax-only")
  if not ok then return nil, messages end
  for _, list in pairs(questions) do
    for _, question in ipairs(list) do
      local of, name = question.one.attributes, question.name
      if of[name] == nil then of[name] = {} end
      if question.error and question.error:find "IMPLICIT type" then of[name] = false end
      if of[name] then of[name][question.attribute] = not question.error end
      local reason = question.error or ""
      if of[name] and reason:find "^Named constant" then of[name].constant = true end
      if reason:find "is not a variable$" then of[name] = false end
    end
  end
  for _, one in ipairs(wanted) do
    for _, name in ipairs(one.names) do one.attributes[name] = one.attributes[name] or nil end
  end
  return true
end

-- Whether statements are possible where they stand: list of {at, text}; sets .error of those that are not.
function fortran_compiler.try_statements(unit, view, list)
  local questions = {}
  for _, question in ipairs(list) do
    questions[question.at] = questions[question.at] or {}
    table.insert(questions[question.at], question)
  end
  return ask_compiler(unit, view, questions, "-fsyntax-only")
end

local subscripts = { "", "(1)", "(1,1)", "(1,1,1)", "(1,1,1,1)" }

-- The path of an object file that has, for each name, a variable compiler.variable(i, name) of its type; sets
-- one.assumed_size[name] to the rank of what has assumed size. nil, and what the compiler said.
function fortran_compiler.types(unit, view, wanted)
  local pending = {}
  for i, one in ipairs(wanted) do
    one.assumed_size = {}
    for _, name in ipairs(one.names) do
      if one.attributes[name] then pending[#pending + 1] = { at = one.at, i = i, one = one, name = name, try = 1 } end
    end
  end
  local object = unit.folder .. "/unit.o"
  while true do
    local questions, asked = {}, {}
    for _, question in ipairs(pending) do
      if subscripts[question.try] then
        question.error = nil
        question.text = ("associate (%s => %s%s); end associate"):format(c_compiler.variable(question.i, question.name),
          question.name, subscripts[question.try])
        questions[question.at] = questions[question.at] or {}
        table.insert(questions[question.at], question)
        asked[#asked + 1] = question
      end
    end
    local ok, messages = ask_compiler(unit, view, questions, ("-g -O0 -c -o %s"):format(quote(object)))
    if not ok then return nil, messages end
    local again = false
    for _, question in ipairs(asked) do
      if question.error then
        local is_array = question.one.attributes[question.name].array ~= false
        question.try, again = is_array and question.try + 1 or #subscripts + 1, true
      elseif question.try > 1 then
        question.one.assumed_size[question.name] = question.try - 1
      end
    end
    if not again then return object end
  end
end

-- What the compiler says of the lowered text; nil: nothing is wrong.
function fortran_compiler.refuses_lowered(unit, text)
  local ok, messages = try(unit, { text }, "-fopenacc -fsyntax-only", unit.path:match "%.%w+$")
  return not ok and messages or nil
end

return fortran_compiler
