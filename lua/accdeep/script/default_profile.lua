-- default_profile.lua - the rule profile of a scenario that chooses none. scenario.lua, the prompt of repl and explain
-- use it; every command that executes a scenario has its default from here.

local lpeg = require "lpeg"
local profiles = require "accdeep.definitions.profiles"

local default_profile = {}

-- Returns the pattern of a script, whose capture is a list of two values for each word: "name" and the word, if it
-- follows neither '.' nor ':'; "text" and its content. A text that is not closed ends with the script or the line.
local function grammar()
  local C, Cb, Cc, Cg, Cmt, Ct = lpeg.C, lpeg.Cb, lpeg.Cc, lpeg.Cg, lpeg.Cmt, lpeg.Ct
  local P, R, S, V = lpeg.P, lpeg.R, lpeg.S, lpeg.V
  local long = P { "[" * Cg(P "="^0, "level") * "[" * C((1 - V "close")^0) * (V "close" + -1),
    close = "]" * Cmt(C(P "="^0) * Cb "level", function(_, _, found, level) return found == level end) * "]" } / 1
  local double = P '"' * C((P "\\" * 1 + (1 - S '"\n'))^0) * P '"'^-1
  local single = P "'" * C((P "\\" * 1 + (1 - S "'\n"))^0) * P "'"^-1
  local comment = P "--" * (long / 0 + (1 - P "\n")^0)
  local letter, digit = R("az", "AZ") + "_", R "09"
  local name = C(letter * (letter + digit)^0)
  return Ct((comment + ".." + Cc "text" * (long + double + single) + S ".:" * S " \t\n"^0 * name / 0
    + Cc "name" * name + digit * (letter + digit + S "._")^0 + 1)^0)
end

local words -- result of grammar(), made when it is first needed

-- Patterns of the languages: of functions and routines among names, and of sentinels in texts.
local PATTERNS = {}
for _, language in ipairs { "acc", "omp" } do
  PATTERNS[language] = { name = { "^" .. language .. "$", "^" .. language .. "_" },
    text = { "#%s*pragma%s+" .. language .. "%f[%W]", "!%$" .. language .. "%f[%W]" } }
end

-- Returns the set of the languages, acc and omp, that the script `text` has directives or routines of.
function default_profile.languages(text)
  words = words or grammar()
  local found = {}
  local list = lpeg.match(words, text)
  for i = 1, #list, 2 do
    local kind, word = list[i], list[i + 1]
    for language, patterns in pairs(PATTERNS) do
      for _, pattern in ipairs(patterns[kind]) do
        if word:lower():find(pattern) then found[language] = true end
      end
    end
  end
  return found
end

-- Returns the name of the profile for the scenario `text`, which chooses none: OpenMP's newest if its directives and
-- routines are of OpenMP alone, otherwise tr14. Decides HOUSE-default.
function default_profile.of(text)
  if not text:lower():find("omp", 1, true) then return profiles.DEFAULT end
  local found = default_profile.languages(text)
  return found.omp and not found.acc and profiles.newest "openmp" or profiles.DEFAULT
end

return default_profile
