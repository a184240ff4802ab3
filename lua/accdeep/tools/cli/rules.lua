-- rules.lua - `accdeep rules`: prints the catalogue of rules, and what profiles decide.

local lazy = require "accdeep.base.lazy"
local conformance = lazy.require "accdeep.definitions.conformance"
local rules = lazy.require "accdeep.definitions.rules"
local common = require "accdeep.tools.cli.common"
local diagnostic = require "accdeep.base.diagnostic"
local glossary = lazy.require "accdeep.inspect.glossary"
local profile_page = lazy.require "accdeep.inspect.profile_page"
local directive_words = lazy.require "accdeep.inspect.reference.directive_words"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("id", "An id, or how ids begin: TR14, TR14-3.2, TR14-4.2-05. Or words: the "
    .. "rules that speak of them."):args "?"
  command:mutex(
    command:flag("--coverage", "How many rules scenarios show from both sides, by section."),
    command:option("--profile", "What a rule profile decides, what differs from tr14 first."):convert(common.profile))
end

-- Prints rules, the coverage of rules, or a profile. Returns 0, or the status of a usage error if nothing is found.
local function run(chosen)
  if chosen.coverage then
    common.write_output(rules.coverage())
    return 0
  end
  if chosen.profile and chosen.id then
    common.err "accdeep: rules takes an id or --profile, not both\n"
    return common.USAGE
  end
  if chosen.profile then
    common.write_output(profile_page.text(chosen.profile))
    return 0
  end
  local counts = conformance.counts()
  local text = rules.describe(rules.normalize_id(chosen.id or ""), counts)
  local matches = not text and rules.search(chosen.id) or {}
  local term = not text and #matches == 0 and glossary.term(chosen.id)
  if term then
    common.write_output(("'%s' is in our words: %s\n"):format(chosen.id, term))
    matches = rules.search(term)
  end
  if not text and #matches == 0 then
    common.err(("accdeep: there is no rule '%s', and none speaks of it\n"):format(chosen.id))
    local near = diagnostic.closest(chosen.id:upper(), rules.names())
      or diagnostic.closest(chosen.id, directive_words.all())
    if near then common.err(("did you mean '%s'?\n"):format(near)) end
    return common.USAGE
  end
  if text then common.write_output(text) end
  for _, id in ipairs(matches) do common.write_output(rules.describe(id, counts)) end
  return 0
end

return { about = "Show rules of the specification.", options = options, run = run, is_paged = true }
