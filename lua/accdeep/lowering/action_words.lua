-- action_words.lua - translates words of actions (sema/members/policy.lua) to the core's actions and flags, and back.

local core = require "accdeep.core"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local policy = require "accdeep.sema.members.policy"

local action_words = {}

-- The core's actions and flags for words that are not the plain name of an action: word -> number.
local codes, flags = { hold = core.action.hold }, { hold = core.flag.present_or }
for name, word in pairs(policy.requested_actions) do
  local clause = openacc_directives.clause[name]
  local entry = clause.entry
  if entry.action then codes[word], flags[word] = core.action[entry.action], core.flag[entry.flag] end
  if clause.present_or then codes[word], flags[word] = core.action[clause.first], core.flag.present_or end
end

-- Returns the core's action and flags of an action's word, which may begin with modifiers. `word` nil stands for the
-- enclosing object's action: returns nil and 0.
function action_words.code(word)
  local bits = 0
  for _, modifier in ipairs(word and word:find(" ", 1, true) and policy.modifiers or {}) do
    if word:find("^" .. modifier .. " ") then
      bits, word = bits | core.flag[modifier], word:sub(#modifier + 2)
    end
  end
  return codes[word] or core.action[word], bits | (flags[word] or 0)
end

-- Pairs of a flag and the format of the word that an action with this flag has. The first pair that fits counts.
local words_by_flag = { { core.flag.copy_absent, "present_and_%s" }, { core.flag.update_present, "update_and_copy" },
  { core.flag.present_or, "p%s" } }

-- Returns the word of an action, given its name and the core's flags; the inverse of action_words.code. A flag without
-- a word for this action is ignored.
function action_words.format_action(action, bits)
  local words, word = {}, action
  for _, modifier in ipairs(policy.modifiers) do
    if bits & core.flag[modifier] ~= 0 then words[#words + 1] = modifier end
  end
  for _, entry in ipairs(words_by_flag) do
    local other = entry[2]:format(action)
    if bits & entry[1] ~= 0 and codes[other] == core.action[action] then
      word = other
      break
    end
  end
  words[#words + 1] = word
  return table.concat(words, " ")
end

return action_words
