-- input.lua - translates what is typed at the prompt of `accdeep repl` to Lua.
--
-- A directive may be typed bare, with or without its sentinel or the word acc or omp. An expression of the scenario's
-- language, or an assignment, may begin with the name of a variable. repl.lua calls these functions.

local openacc_syntax = require "accdeep.syntax.openacc_syntax"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"

local input = {}

-- Returns a text as a readable Lua literal: in quotation marks, or in long brackets if it has a quotation mark, a
-- backslash or a line break.
function input.quote(text)
  if not text:find '["\\\n\r]' then return '"' .. text .. '"' end
  local level = ""
  while text:find("]" .. level .. "]", 1, true) or (text .. "]"):find("]" .. level .. "]", 1, true) and level == "" do
    level = level .. "="
  end
  return ("[%s[%s%s]%s]"):format(level, text:sub(1, 1) == "\n" and "\n" or "", text, level)
end

-- Directive tables of the languages.
local DIRECTIVES = { acc = openacc_directives, omp = openmp_directives }

-- First words of directives, by language.
local FIRST = { acc = openacc_syntax.first_words, omp = {} }
for _, name in ipairs(openmp_directives.names) do FIRST.omp[name:match "^%a+"] = true end
FIRST.omp["for"] = nil -- a loop of Lua begins with it, too

-- Returns the language (acc or omp) of a line that begins with the first word of a directive. If both languages have
-- the word, returns the language of the profile. Returns nil for lines of Lua and expressions: no word or parenthesis
-- follows the first word, or that word is a function or a variable. Parameters: as in input.directive.
local function language_of(line, env, variables, is_openmp)
  local word, rest = line:match "^%s*(%a+)%s*(.*)$"
  if not word or not rest:find "^[%a(]" and rest ~= "" then return nil end
  if not rest:find "^%a" and (rawget(env, word) ~= nil or variables[word]) then return nil end
  local first, second = is_openmp and "omp" or "acc", is_openmp and "acc" or "omp"
  word = word:lower()
  return FIRST[first][word] and first or FIRST[second][word] and second or nil
end

-- Parses a directive without quotation marks. Returns its language (acc or omp), its text, and true if it has a body;
-- nil for other lines. `env`: the script's environment. `variables`: set of the names in the host program. `is_openmp`:
-- the profile is one of OpenMP.
function input.directive(line, env, variables, is_openmp)
  local word, text = line:match "^%s*#%s*pragma%s+(%a+)%s+(.*)$"
  if not word then word, text = line:match "^%s*!%$(%a+)%s+(.*)$" end
  if not word then word, text = line:match "^%s*(%a+)%s+(%a.*)$" end
  word = word and word:lower()
  if not DIRECTIVES[word] then
    word, text = language_of(line, env, variables, is_openmp), line:match "^%s*(.*)$"
    if not word then return nil end
  end
  local definition = DIRECTIVES[word].find(text:lower())
  return word, text:gsub("%s+$", ""), definition ~= nil and definition.kind == "compute"
end

-- Returns true if a line ends with a continuation mark (`\` or `&`), and the line without the mark.
function input.is_continued(line)
  local text, n = line:gsub("\\%s*$", "")
  if n == 0 then text, n = line:gsub("&%s*$", "") end
  return n > 0, text
end

-- Returns true if the text of a body is complete: brackets are closed and the last statement has ended.
function input.is_whole_body(text)
  local _, open = text:gsub("[({]", "")
  local _, closed = text:gsub("[)}]", "")
  return open <= closed and text:find "[;}]%s*$" ~= nil
end

-- Compiles a text as Lua. Returns its kind ("expression", "statement", "incomplete" or "wrong"), and a function or the
-- error message. The function of an expression returns a list of its values, because a tail call would hide its
-- location. `name`: the chunk name. `env`: the script's environment.
function input.compile(text, name, env)
  local chunk = load("return " .. text, name, "t", env) and load("return {" .. text .. "\n}", name, "t", env)
  if chunk then return "expression", chunk end
  local problem
  chunk, problem = load(text, name, "t", env)
  if chunk then return "statement", chunk end
  if problem:find "<eof>$" then return "incomplete", problem end
  return "wrong", problem
end

-- Returns true if a line that begins with the word of a command is the command and not Lua. `rest`: the text after the
-- word.
function input.is_command(rest)
  return rest == "" or not rest:find "^%s*[%(%[\"'{=.,:]"
end

return input
