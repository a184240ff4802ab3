-- topics.lua - descriptions of everything that has a name: terms, error codes, rules, names of the scenario language,
-- clauses, directives and profiles. `accdeep explain WORD` and the language server use it.

local diagnostic = require "accdeep.base.diagnostic"
local directive_words = require "accdeep.inspect.reference.directive_words"
local glossary = require "accdeep.inspect.glossary"
local profile_page = require "accdeep.inspect.profile_page"
local profiles = require "accdeep.definitions.profiles"
local reference = require "accdeep.inspect.reference"
local rule_text = require "accdeep.inspect.rule_text"
local rules = require "accdeep.definitions.rules"

local topics = {}

-- Returns the description of a term, code, rule, name, clause, directive or profile; nil if the text is none of these.
function topics.describe(text)
  local parts = {}
  -- Appends a description; nothing for nil.
  local function add(part) parts[#parts + 1] = part end
  add(glossary.text(text))
  add(rule_text.describe_code(text) or rule_text.describe_rule(text) or reference.text(text))
  add(directive_words.text(text) or directive_words.text(text:lower()))
  for _, name in ipairs(profiles.names()) do
    if name == text:lower() then add(profile_page.head(name) .. "  more: accdeep rules --profile " .. name .. "\n") end
  end
  if #parts > 0 then return table.concat(parts, "\n") end
  return rule_text.describe_code(text:lower()) or reference.text(text:lower())
    or rule_text.describe_rule(rules.normalize_id(text))
end

-- Returns everything that can be explained: a table from the name in lower case to the proper spelling.
function topics.all()
  local all = {}
  for _, name in ipairs(profiles.names()) do all[name] = name end
  for _, list in ipairs { rules.names(), glossary.all(), directive_words.all(), reference.all(), diagnostic.codes() } do
    for name in pairs(list) do all[name:lower()] = name end
  end
  return all
end

return topics
