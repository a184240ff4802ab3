-- c_compiler.lua - queries the C or C++ compiler of a unit: which directives are active, how macros expand in them,
-- and the types of variables at a directive.
--
-- Types: the unit is compiled again with debug information. Before the statement of each directive, a loop declares a
-- pointer to each variable that the directive names. The compiler thereby resolves scopes, macros and types itself.
-- c_unit.lua calls this module.

local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local line_markers = require "accdeep.tools.lower.line_markers"
local shell_command = require "accdeep.tools.shell_command"
local c_source = require "accdeep.tools.lower.c_source"

local c_compiler = {}

c_compiler.PREFIX = "accdeep_type_"
-- Returns the name of the probe for the variable `name` at directive i: a pointer whose target type is the variable's
-- type.
function c_compiler.variable(i, name) return ("%s%d_%s"):format(c_compiler.PREFIX, i, (name:gsub("::", "__"))) end

local quote, run = shell_command.quote, shell_command.run

-- Raises an error about a compiler that cannot be run.
local function environment(message)
  error(diagnostic.new { code = "file", message = message, rule = "HOUSE-files",
    help = "name a compiler that is installed: --cc gcc" }, 0)
end

-- Options without a value that select the kind of the output or ask for lists of dependencies; queries omit them.
local valueless = { ["-c"] = true, ["-S"] = true, ["-E"] = true, ["-M"] = true, ["-MM"] = true, ["-MD"] = true,
  ["-MMD"] = true, ["-MP"] = true, ["-MG"] = true, ["-fsyntax-only"] = true, ["-save-temps"] = true }
local with_value = { ["-o"] = true, ["-MF"] = true, ["-MT"] = true, ["-MQ"] = true }
-- Options that turn directives into code, and the macro definition that replaces each in queries. With the options, the
-- probe loops would separate directives from their statements.
local directives = { ["-fopenacc"] = "-D_OPENACC=201711", ["-fopenmp"] = "-D_OPENMP=201511" }

-- Returns the options of a unit as quoted text, without options about the output, link-time optimization and offload
-- targets. `without_directives`: also without options that turn directives into code, warn or optimize, which queries
-- do not need.
local function options(option_list, without_directives)
  local list, i = {}, 1
  while option_list[i] do
    local option = option_list[i]
    if with_value[option] then
      i = i + 1
    elseif not valueless[option] and not option:find "^%-o." and not option:find "^%-flto"
      and not option:find "^%-fopenmp%-targets" and not option:find "^%-%-offload" then -- compile for the host only
      local replacement = without_directives and directives[option]
      local is_other = without_directives and (option:find "^%-fopen" or option:find "^%-foffload" or option:find "^%-O"
        or option:find "^%-g" or option:find "^%-W" or option:find "^%-fsanitize" or option:find "^%-pedantic")
      if replacement or not is_other then list[#list + 1] = quote(replacement or option) end
    end
    i = i + 1
  end
  return table.concat(list, " ")
end

c_compiler.options = options

-- Fields of a unit. `command`: the compiler. `path`: the file. `options`: list of the compiler's options. `text`: a
-- text that replaces the text of the file, or nil. `folder`: a folder for temporary files. `is_cxx`: C++.

-- Writes a text, preceded by a line marker of the unit, to the file unit`suffix` in the unit's folder. Returns the
-- path.
local function write_unit(unit, suffix, text)
  local path = unit.folder .. "/unit" .. suffix
  files.write(path, line_markers.line(1, unit.path) .. text)
  return path
end

-- Returns the option with which the compiler finds files of #include "..." in the folder of the original unit.
local function folder_of(unit) return "-iquote " .. quote(unit.path:match "^(.*)/" or ".") end

-- Returns the preprocessed unit, in which directives remain, or nil if the compiler rejects it; and the compiler's
-- messages. `expanding`: further options, already quoted.
function c_compiler.preprocess(unit, expanding)
  local path = unit.text and write_unit(unit, unit.path:match "%.%w+$" or "", unit.text) or unit.path
  local ok, text, messages = run(("%s %s %s -w -E %s %s"):format(quote(unit.command), expanding, options(unit.options),
    unit.text and folder_of(unit) or "", quote(path)))
  return ok and text or nil, messages
end

-- Returns true if one of the open braces `open` (c_source.lua) opens neither a class nor a namespace.
local function is_in_function(scanned, open)
  for _, i in ipairs(open) do
    if not scanned:record_name(i) and not scanned:is_transparent(i) then return true end
  end
  return false
end

-- Returns the set of names in the statement that begins at token `first`. Raises {cannot = reason} if the statement is
-- not understood.
local function statement_words(scanned, first)
  local set = {}
  for _, word in scanned:names(first, scanned:statement(first)) do set[word] = true end
  return set
end

-- Returns true if the name of the unit's compiler contains "clang".
function c_compiler.is_clang(unit) return unit.command:match("[^/]*$"):find "clang" ~= nil end

-- Returns the line marker at the beginning of another file's text, or at the return to the enclosing file.
-- `source_location`: an entry of `places` (source_map.lua). clang warns of unused functions, except in files entered by
-- a linemarker with a flag. Such linemarkers are not standard C: with -pedantic, for other compilers and without a
-- flag, the marker is a #line.
function c_compiler.marker(unit, source_location)
  local is_pedantic = false
  for _, option in ipairs(unit.options) do is_pedantic = is_pedantic or option:find "pedantic" ~= nil end
  local line, path, entry_flag = source_location.line, source_location.path, source_location.flag
  if not c_compiler.is_clang(unit) or is_pedantic or not entry_flag then return line_markers.line(line, path) end
  return line_markers.linemarker(line, path, entry_flag)
end

-- Returns the options that make GNU compilers expand macros in OpenACC directives; "" if the compiler does so anyway.
local function expanding(unit)
  if c_compiler.is_clang(unit) then return "" end
  for _, option in ipairs(unit.options) do
    if option == "-fopenacc" then return "" end
  end
  return "-fopenacc -U_OPENACC"
end

-- Returns the active OpenACC directives (not excluded by conditional compilation), in order, and the preprocessed unit;
-- or nil and the compiler's messages if it rejects the unit. A directive is {file, line, text, is_inside, record,
-- is_local, is_unnamed, in_function, words}. Raises if the compiler does not exist.
--
-- `is_inside`: within braces. `record`: the class in whose body the directive is, or nil. `is_local`: that class is
-- local to a function (C++). `is_unnamed`: the class has only the name of a typedef. `in_function`: within a function.
-- `words()` returns the set of names in the statement after the directive, with macros expanded.
function c_compiler.directives(unit)
  if not files.program(unit.command) then environment(("%s: there is no such program"):format(unit.command)) end
  local text, messages = c_compiler.preprocess(unit, expanding(unit))
  if not text then return nil, messages end
  if not text:find "#%s*pragma%s+acc%f[^%w_]" then return {}, text end
  local scanned, list = c_source.scan(text), {}
  local file, line, at = unit.path, 1, 1
  -- Line numbers of clang do not count the line feeds in strings, therefore these are skipped.
  local open, skips = {}, c_compiler.is_clang(unit)
  for i = 1, scanned.n do
    if skips and scanned.kind[i - 1] == "string" then at = scanned.finish[i - 1] end
    for _ in text:sub(at, scanned.at[i] - 1):gmatch "\n" do line = line + 1 end
    at = scanned.at[i]
    local token = scanned.kind[i] ~= "string" and scanned:token(i)
    if scanned.kind[i] == "line" then
      local number, name = line_markers.read(token)
      local directive = c_source.openacc(token)
      if number then
        file, line = name, number - 1
      elseif directive then
        local brace = open[#open]
        local record, is_local, is_unnamed
        if brace then record, is_unnamed = scanned:record_name(brace) end
        if record and unit.is_cxx then record, is_local = scanned:qualified_name(open) end
        list[#list + 1] = { file = file, line = line, text = directive, is_inside = brace ~= nil, record = record,
          is_local = is_local, is_unnamed = is_unnamed, in_function = is_in_function(scanned, open),
          words = function() return statement_words(scanned, i + 1) end }
      end
    elseif token == "{" then
      open[#open + 1] = i
    elseif token == "}" then
      open[#open] = nil
    end
  end
  return list, text
end

-- Returns true if a file is in /usr/, so that it is never inlined.
function c_compiler.is_system_file(path) return path:find "^/usr/" ~= nil end

-- File suffixes of C++ units.
local cxx_suffixes = { cc = true, cp = true, cxx = true, cpp = true, CPP = true, ["c++"] = true, C = true }
-- Returns true if a unit is C++: by its suffix, or because the compiler's name contains "++".
function c_compiler.is_cxx(path, command)
  local name = command:match "[^/]*$"
  return cxx_suffixes[path:match "%.([%w+]+)$" or ""] or name:find("++", 1, true) ~= nil
end

-- Returns the options by which the compiler emits unused functions and complete class descriptions, which the debug
-- information then contains. GNU compilers then also report errors in macros where the macros are used.
local function all_functions(unit)
  return c_compiler.is_clang(unit) and "-Xclang -femit-all-decls -fstandalone-debug"
    or "-fkeep-inline-functions -fkeep-static-functions -ftrack-macro-expansion=0"
end

-- Line number of the first probe. Each probe has its own line, so that a compiler error identifies the name.
local FIRST_LINE = 100000000

-- Compiles the unit with probes to debug information. For each name at each directive, the object file has a variable
-- c_compiler.variable(i, name), a pointer to the name's type. Returns the path of the object file. If the compiler
-- rejects names at their directive, returns nil and a list of {i, name, message}; i is 0 for `at_end`. For other
-- errors, returns nil, nil and the messages.
--
-- `probes`: a list of {first, last, next, names, addressless, is_standalone}. `first`, `last`: positions of the
-- directive. `next`: line after the directive. `addressless`: set of the names without an address. `is_standalone`: no
-- statement follows. `at_end`: {names, addressless} for probes at the end of the file.
function c_compiler.debug_information(unit, text, probes, at_end)
  local parts, at, queries = {}, 1, {}
  local lvalue = unit.is_cxx and "*__builtin_addressof(%s)" or "*&%s"
  -- Appends the probe loops for the names of directive i (0: the end of the file).
  local function loops(i, probe)
    for _, name in ipairs(probe.names) do
      local pointer = c_compiler.variable(i, name)
      parts[#parts + 1] = line_markers.line(FIRST_LINE + #queries, unit.path)
      local object = (name == "this" or probe.addressless[name]) and name or lvalue:format(name)
      parts[#parts + 1] = ("for (__typeof__(%s) *%s = 0; %s;)\n"):format(object, pointer, pointer)
      queries[#queries + 1] = { i = i, name = name }
    end
  end
  for i, probe in ipairs(probes) do
    parts[#parts + 1] = text:sub(at, probe.first - 1)
    loops(i, probe)
    parts[#parts + 1] = (probe.is_standalone and ";\n" or "\n") .. line_markers.line(probe.next, unit.path)
    at = probe.last + 1
  end
  parts[#parts + 1] = text:sub(at)
  parts[#parts + 1] = "\nstatic void accdeep_types(void) {\n"
  loops(0, at_end)
  parts[#parts + 1] = ";\n}\n"
  local suffix = unit.is_cxx and ".cc" or ".c"
  local path, object = write_unit(unit, suffix, table.concat(parts)), unit.folder .. "/unit.o"
  local ok, _, messages = run(("%s %s %s -w -g -O0 -x %s %s -c %s -o %s"):format(quote(unit.command),
    options(unit.options, true), all_functions(unit), unit.is_cxx and "c++" or "c", folder_of(unit), quote(path),
    quote(object)))
  if ok then return object end
  local missing, reported = {}, {}
  for line, message in messages:gmatch "[^\n]-:(%d+):%d+: error: ([^\n]*)" do
    local query = queries[tonumber(line) - FIRST_LINE + 1]
    if query and not reported[query] then
      reported[query], query.message = true, message
      missing[#missing + 1] = query
    end
  end
  if missing[1] then return nil, missing end
  return nil, nil, messages
end

return c_compiler
