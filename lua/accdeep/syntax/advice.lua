-- advice.lua - help texts for mistakes that the raising phase cannot explain: words of the other directive language,
-- and errors of Lua itself. The module is loaded only when an error occurs.

local diagnostic = require "accdeep.base.diagnostic"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local word_set = require "accdeep.base.strings".word_set

local advice = {}

-- --------------------------------------------------------------------------------------- directives --

-- Counterparts of clauses in the other language. of_openacc: name of OpenMP -> clause of OpenACC; of_openmp: name of
-- OpenACC -> clause of OpenMP.
local of_openacc = {
  ["for"] = "OpenACC's word is loop", ["do"] = "OpenACC's word is loop", map = "OpenACC: copy, copyin, copyout, create",
  to = "OpenACC: copyin, or device of an update", from = "OpenACC: copyout, or self of an update",
  tofrom = "OpenACC: copy", alloc = "OpenACC: create", release = "OpenACC: delete", nowait = "OpenACC: async",
  depend = "OpenACC: async and wait", use_device_ptr = "OpenACC: use_device", use_device_addr = "OpenACC: use_device",
  is_device_ptr = "OpenACC: deviceptr", has_device_addr = "OpenACC: deviceptr", num_teams = "OpenACC: num_gangs",
  thread_limit = "OpenACC: num_workers, vector_length", num_threads = "OpenACC: num_workers",
  defaultmap = "OpenACC: default(present) or default(none)", device_ptr = "OpenACC: deviceptr",
}
local of_openmp = {
  copy = "OpenMP: map(tofrom: ...)", copyout = "OpenMP: map(from: ...)", create = "OpenMP: map(alloc: ...)",
  copyin = "OpenMP: map(to: ...)", present = "OpenMP: map(present: ...)", delete = "OpenMP: map(delete: ...)",
  deviceptr = "OpenMP: is_device_ptr", use_device = "OpenMP: use_device_ptr", async = "OpenMP: nowait and depend",
  wait = "OpenMP: depend, or a taskwait directive", loop = "OpenMP's word is for", self = "OpenMP: from",
  host = "OpenMP: from", num_gangs = "OpenMP: num_teams", finalize = "OpenMP: map(delete: ...)",
  no_create = "OpenMP has no such clause", default_async = "OpenMP has no such clause",
}

-- Returns help for the unknown clause `name`: its counterpart in this language, or the closest name in the tables of
-- names after `is_openmp`; nil if no name is close. is_openmp: language of the directive.
function advice.clause(name, is_openmp, ...)
  local other = (is_openmp and of_openmp or of_openacc)[name]
  if other then return other end
  for _, names in ipairs { ... } do
    local near = diagnostic.suggest(name, names)
    if near then return near end
  end
  return nil
end

-- Returns the directive of the list `names` that is closest to the first words of a text; nil if none is close. Names
-- of four words are tried first, then shorter ones.
local function nearest_directive(text, names)
  for count = 4, 1, -1 do
    local words = {}
    for word in text:match "^[%a_%s]*":gmatch "[%a_]+" do
      if #words < count then words[#words + 1] = word end
    end
    local candidates = {}
    for _, name in ipairs(names) do
      local _, blanks = name:gsub(" ", "")
      if blanks + 1 == count then candidates[name] = true end
    end
    local near = #words == count and diagnostic.closest(table.concat(words, " "), candidates)
    if near then return near end
  end
  return nil
end

-- Returns help for a text that does not begin with a directive. pos: position of the error; is_openmp: true if the text
-- is OpenMP, false for OpenACC; own: names of this language's directives; other: names of the other language's
-- directives.
local function no_directive(text, pos, is_openmp, own, other)
  local word, own_language, other_language = "acc", "OpenMP", "OpenACC"
  if not is_openmp then word, own_language, other_language = "omp", "OpenACC", "OpenMP" end
  local _, last, sentinel = text:find "^%s*#%s*pragma%s+(%a+)%s*"
  if sentinel == word then text, pos = text:sub(last + 1), 1 end
  local rest = text:sub(pos):gsub("%s+", " ")
  for _, name in ipairs(other) do
    if rest:sub(1, #name) == name and not rest:find("^[%w_]", #name + 1) then
      return ("'%s' is a directive of %s, not of %s: %s \"%s ...\""):format(name, other_language, own_language, word,
        name)
    end
  end
  local near = nearest_directive(rest, own)
  if near then return ("did you mean '%s'?"):format(near) end
  local clause = rest:match "^[%a_]+"
  if clause and (openacc_directives.clause_names[clause] or openmp_directives.clause[clause]) then
    return ("'%s' is a clause: the directive comes first, as in %s"):format(clause,
      openacc_directives.clause_names[clause] and "enter data copyin(a)" or "target map(to: a)")
  end
  return "the name of a directive comes first: enter data, parallel, update, target"
end

local acc_names = {}
for i, directive in ipairs(openacc_directives.directives) do acc_names[i] = directive[1] end
table.sort(acc_names, function(a, b) return #a > #b or #a == #b and a < b end)

-- Returns the names of this language's directives, and those of the other language. is_openmp: the language.
local function names_of(is_openmp)
  if is_openmp then return openmp_directives.names, acc_names end
  return acc_names, openmp_directives.names
end

-- Returns help for a C text or directive that does not parse; nil if there is none. start: the start rule; pos:
-- position of the error; message: the error's message, or nil.
function advice.syntax(start, text, pos, message)
  message = message or ""
  local rest = text:sub(pos)
  local operator, after = rest:match "^([-+*/%%<>&|^=!]+)%s*(.?)"
  if operator and start ~= "external" and (after == "" or after:find "[%]),:;]") then
    return ("an operand is missing after '%s'"):format(operator)
  end
  if start:find "directive$" then
    local is_openmp = start == "omp_directive"
    if message == "expected a directive" then return no_directive(text, pos, is_openmp, names_of(is_openmp)) end
    if rest:find "^;" then return "a directive has no ';' at its end" end
    if rest == "" and message:find("')'", 1, true) then return "there is one '(' more than ')'" end
    if rest:find "^%)" and message == "expected a clause" then return "there is one ')' more than '('" end
    if rest:find "^:" and message:find("']'", 1, true) then
      return is_openmp and "a section is [start:length:stride]" or "a section has no stride: [start:length]"
    end
    local base, first = text:sub(1, pos - 1):match "[%(,]%s*([%a_][%w_.>%-]*)%s*%(([^()]*)$"
    if base and rest:find "^:" then
      local length = rest:match "^:%s*([%w_]+)%s*%)"
      return ("a section is written in brackets, [start:length]: %s[%s:%s]"):format(base, first, length or "n")
    end
  elseif message == "expected ';' after a declaration" and rest == "" then
    return "a declaration ends with ';'"
  elseif rest:find "^::" then
    local name = rest:match "^::%s*([%a_][%w_]*)"
    return ("there are no namespaces here: declare a class template %s, or take the type from a program "):format(
      name or "of your own") .. "that was compiled with -g: declare_from"
  end
  return nil
end

-- Returns help for a section [first:count] that exceeds an array of n elements. If `count` may be meant as an end, the
-- help is the section with this end; otherwise it gives the valid numbers.
function advice.section(first, count, n)
  if first >= 0 and first < count and count <= n then
    return ("a section is [start:length]: [%d:%d] has the elements %d to %d"):format(first, count - first, first,
      count - 1)
  elseif first >= 0 and first < n then
    return ("a section is [start:length]: from element %d there are %d"):format(first, n - first)
  end
  return ("a section is [start:length]: start is 0 to %d"):format(n - 1)
end

-- ---------------------------------------------------------------------------------- Lua's own errors --

-- Name that users may try, though the scenario language does not have it -> help text.
local no_name = { device = 'values on the device: expect.device("a[0]", 1), or state()' }

local of_library = word_set "io os require dofile loadfile load package debug collectgarbage"

-- Patterns of functions whose first argument is a text with a variable: expectations, and routines for data.
local TAKES_TEXT = { "^expect%.%a+$", "^acc_.*copy", "^acc_.*create", "^acc_.*delete", "^acc_.*update", "^acc_.*tach",
  "_is_present$", "^addr$", "^sizeof$" }

-- Returns the function that a line of a script calls with the variable `name` as its first argument, if that must be a
-- text; nil if there is none.
local function caller_with(name, line)
  for called, argument in line:gmatch "([%a_][%w_.]*)%s*%(%s*([%a_][%w_]*)" do
    for _, pattern in ipairs(argument == name and TAKES_TEXT or {}) do
      if called:find(pattern) then return called end
    end
  end
  return nil
end

-- Returns help for the unknown name `name` in a script; nil if no name is close. variables: the host program's
-- variables, as keys; names: table of the scenario language's names; line: the line of the script, or nil.
function advice.name(name, variables, names, line)
  local called = variables[name] and line and caller_with(name, line)
  if called then return ("%s takes a variable as a text: %s \"%s\""):format(called, called, name) end
  if variables[name] then return ("'%s' is a variable of the host program: host.%s"):format(name, name) end
  if of_library[name] and not rawget(names, name) then
    return ("scenarios have no '%s': accdeep run --trust gives them all of Lua's library"):format(name)
  end
  return no_name[name] or diagnostic.suggest(name, names) or diagnostic.suggest(name, variables)
end

-- Names of tables with functions that a script has.
local LIBRARIES = { "string", "table", "math", "utf8", "coroutine", "os" }

-- Returns help for an error message of Lua itself; nil if there is none. variables, names: as for advice.name.
function advice.lua(message, variables, names)
  local name = message:match "%(global '([%w_]+)'%)"
  if name then return advice.name(name, variables, names) end
  local array = message:match "arithmetic on an? %a+ value %(field '([%w_]+)'%)"
  if array and variables[array] then
    return ("an expression of C is written as a text: host \"%s + 1\""):format(array)
  end
  local field = message:match "%(field '([%w_]+)'%)" or message:match "%(method '([%w_]+)'%)"
  for _, library in ipairs(field and LIBRARIES or {}) do
    local near = type(names[library]) == "table" and diagnostic.closest(field, names[library])
    if near then return ("did you mean '%s.%s'?"):format(library, near) end
  end
  return nil
end

-- Returns help for a script that is not valid Lua. message: Lua's error; line: text of the line that it names, or nil.
function advice.no_lua(message, line)
  local section = line and line:match "host%.([%w_.%[%]]*%[[^%[%]:]*:[^%[%]:]*%])"
  if section and message:find "near ':'" then
    return ('a section is written as a text: host "%s"'):format(section)
  end
  return "the scenario is not a Lua program: correct it at this line, or where the last statement begins"
end

return advice
