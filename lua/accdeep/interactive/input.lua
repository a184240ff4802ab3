-- input.lua - what a person types at the prompt of `accdeep repl`, as statements of Lua.
--
-- A directive may stand bare, with or without its sentinel; so may an expression of the scenario's language, and an
-- assignment, that begins with the name of a variable.

local input = {}

-- A text as a literal of Lua, as a person would write it.
function input.quoted(text)
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

-- A bare directive: its word (acc or omp), its text, whether it has a body; nil for other lines.
function input.directive(line)
  local word, text = line:match "^%s*#%s*pragma%s+(%a+)%s+(.*)$"
  if not word then word, text = line:match "^%s*!%$(%a+)%s+(.*)$" end
  if not word then word, text = line:match "^%s*(%a+)%s+(%a.*)$" end
  word = word and word:lower()
  if not BODIES[word] then return nil end
  local words = {}
  for found in text:lower():gmatch "%a+" do words[#words + 1] = found end
  return word, text:gsub("%s+$", ""), BODIES[word](words)
end

-- A line that another one follows.
function input.goes_on(line)
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
