-- input.lua - what a person types at the prompt of `accdeep repl`, as statements of Lua.
--
-- A directive may stand bare, with or without its sentinel or the word acc or omp; so may an expression of the
-- scenario's language, and an assignment, that begins with the name of a variable.

local openacc_syntax = require "accdeep.syntax.openacc_syntax"
local openmp_directives = require "accdeep.definitions.openmp_directives"

local input = {}

-- A text as a literal of Lua, as a person would write it.
function input.quote(text)
  if not text:find '["\\\n\r]' then return '"' .. text .. '"' end
  local level = ""
  while text:find("]" .. level .. "]", 1, true) or (text .. "]"):find("]" .. level .. "]", 1, true) and level == "" do
    level = level .. "="
  end
  return ("[%s[%s%s]%s]"):format(level, text:sub(1, 1) == "\n" and "\n" or "", text, level)
end

-- Constructs that have a body.
local BODIES = {
  acc = function(words) return words[1] == "parallel" or words[1] == "serial" or words[1] == "kernels" end,
  omp = function(words)
    local others = { data = true, enter = true, exit = true, update = true }
    return words[1] == "target" and not others[words[2]]
  end,
}

-- First words of the directives of both languages.
local FIRST = { acc = openacc_syntax.first_words, omp = {} }
for _, name in ipairs(openmp_directives.names) do FIRST.omp[name:match "^%a+"] = true end
FIRST.omp["for"] = nil -- a word of Lua

-- The language of a line that begins with a directive's first word: the profile's, if both have the word. Nil for a
-- line of Lua or an expression: the word is followed by neither a word nor a parenthesis, or names a function or a
-- variable.
local function language_of(line, env, variables, is_openmp)
  local word, rest = line:match "^%s*(%a+)%s*(.*)$"
  if not word or not rest:find "^[%a(]" and rest ~= "" then return nil end
  if not rest:find "^%a" and (rawget(env, word) ~= nil or variables[word]) then return nil end
  local first, second = is_openmp and "omp" or "acc", is_openmp and "acc" or "omp"
  word = word:lower()
  return FIRST[first][word] and first or FIRST[second][word] and second or nil
end

-- A bare directive: its language (acc or omp), its text, whether it has a body; nil for other lines. env is that of
-- the script, variables those of the host program as a set of names.
function input.directive(line, env, variables, is_openmp)
  local word, text = line:match "^%s*#%s*pragma%s+(%a+)%s+(.*)$"
  if not word then word, text = line:match "^%s*!%$(%a+)%s+(.*)$" end
  if not word then word, text = line:match "^%s*(%a+)%s+(%a.*)$" end
  word = word and word:lower()
  if not BODIES[word] then
    word, text = language_of(line, env, variables, is_openmp), line:match "^%s*(.*)$"
    if not word then return nil end
  end
  local words = {}
  for found in text:lower():gmatch "%a+" do words[#words + 1] = found end
  return word, text:gsub("%s+$", ""), BODIES[word](words)
end

-- A line that another one follows.
function input.is_continued(line)
  local text, n = line:gsub("\\%s*$", "")
  if n == 0 then text, n = line:gsub("&%s*$", "") end
  return n > 0, text
end

-- Whether the text of a body is whole: brackets are closed, the last statement is ended.
function input.is_whole_body(text)
  local _, open = text:gsub("[({]", "")
  local _, closed = text:gsub("[)}]", "")
  return open <= closed and text:find "[;}]%s*$" ~= nil
end

-- What a text is for Lua: "expression", "statement", "incomplete", or "wrong"; the function, or why there is none.
-- That of an expression returns a list; a tail call would hide where it stands.
function input.compile(text, name, env)
  local made = load("return " .. text, name, "t", env) and load("return {" .. text .. "\n}", name, "t", env)
  if made then return "expression", made end
  local problem
  made, problem = load(text, name, "t", env)
  if made then return "statement", made end
  if problem:find "<eof>$" then return "incomplete", problem end
  return "wrong", problem
end

-- Whether a line that begins with a command's word is the command, not Lua.
function input.is_command(rest)
  return rest == "" or not rest:find "^%s*[%(%[\"'{=.,:]"
end

return input
