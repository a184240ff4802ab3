-- explain.lua - `accdeep explain`: shows how a directive is interpreted, or what an error code, a rule, a term or a
-- name of the scenario language means.

local lazy = require "accdeep.base.lazy"
local profiles = lazy.require "accdeep.definitions.profiles"
local rules = lazy.require "accdeep.definitions.rules"
local common = require "accdeep.tools.cli.common"
local default_profile = lazy.require "accdeep.script.default_profile"
local diagnostic = require "accdeep.base.diagnostic"
local directive_dispatch = lazy.require "accdeep.run.directive_dispatch"
local explain = lazy.require "accdeep.inspect.explain"
local glossary = lazy.require "accdeep.inspect.glossary"
local location = require "accdeep.base.location"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local scenario = lazy.require "accdeep.script.scenario"
local directive_words = lazy.require "accdeep.inspect.reference.directive_words"
local topics = lazy.require "accdeep.inspect.topics"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("what", "FILE:LINE of a directive in a scenario, the text of a directive, an error code, a "
    .. "rule, a term, a clause, or a name of the scenario language.")
  command:option("--in",
    "The scenario with the declarations for the text of a directive."):target "scenario":argname "<file>"
  command:flag("--ir", "Print only the construct IR of the directive: its meaning as a text.")
  command:option("--rules", "Rule profile, instead of the scenario's own."):convert(common.rules)
  command:option("--device", "Device to run on: sim, cuda, or cuda:N."):default "sim":convert(common.device)
end

-- Returns true if the text begins like a directive of several words. A blank then follows the first word, which begins
-- with `#` or `!` or is the first word of a directive.
local function is_directive(text)
  local first = text:match "^([%a_#!]+)%s"
  if first and first:find "^[#!]" then return true end
  for word in pairs(directive_words.all()) do
    if word:match "^%S+" == first then return true end
  end
  return false
end

-- Prints that `word` cannot be explained, with suggestions. Returns the exit status for usage errors.
local function unknown(word)
  common.err "accdeep: explain takes FILE:LINE, an error code, a rule, a term, a clause, a name, or a directive\n"
  local names, rules_about, key = topics.all(), rules.search(word), word:lower()
  -- A term is suggested by each of its words, such as "canonical" of "canonical form".
  for term in sorted_pairs(glossary.all()) do
    for part in term:gmatch "%S+" do names[part] = names[part] or term end
  end
  local near = #word > 3 and (names[key] or names[diagnostic.closest(key, names)])
  if near then
    common.err(("did you mean '%s'?\n"):format(near))
  elseif #rules_about > 0 then
    common.err(("rules that have the word: accdeep rules '%s'\n"):format(word))
  else
    common.err "for example: accdeep explain not-present, TR14-4.2-07, 'attach counter', copyin, acc_attach\n"
  end
  return common.USAGE
end

-- Returns the profile for the directive `text` after the scenario `source`, which may choose another one: that of a
-- scenario with this directive at its end (default_profile.lua).
local function default_rules(source, text)
  local rules_of_source = profiles.profile(default_profile.of(source))
  return default_profile.of(("%s\n%s()"):format(source,
    directive_dispatch.is_openmp(text, rules_of_source) and "omp" or "acc"))
end

-- Prints the description of a word, or explains a directive: one in a scenario (FILE:LINE), or a text that is executed
-- after a scenario. Returns the exit status: 2 if the scenario or the directive fails before the directive can be
-- explained; that of a usage error if nothing was found.
local function run(chosen)
  local path, line, text = chosen.scenario, nil, chosen.what
  if not path then
    local description = not chosen.ir and topics.describe(text)
    if description then
      common.write_output(description)
      return 0
    end
    path, line = text:match "^(.+):(%d+)$"
    line = math.tointeger(tonumber(line))
    if not line and not text:find "%(" and not is_directive(text) then return unknown(text) end
  end
  local source = path and common.scenario(path) or ""
  local failure
  local observer, done = explain.new(common.write_output, function(source_location)
    if not line then return source_location.file == "directive" end
    return explain.covers_line(source_location, path, line)
  end, chosen.ir)
  observer.last = not line and function(session)
    location.remember("directive", text)
    local ok, result = pcall(session.directive, session, text, nil, "directive", 1)
    if not ok then
      failure = result
    elseif type(result) == "function" then
      -- The directive is a compute construct, which is executed with an empty body.
      ok, result = pcall(result, function() end, {})
      failure = not ok and result or nil
    elseif result then
      -- The observer prints the plan when the region ends, therefore the region is closed here.
      if not pcall(result.close, result) then result:abandon() end
    end
  end or nil
  common.check_device(chosen.device)
  local record = scenario.run(path or "nothing", source, { device = chosen.device, rules = chosen.rules,
    default_rules = not line and default_rules(source, text) or nil, out = function() end, draw = function() end,
    limit_memory = common.size(common.LIMIT_MEMORY), limit_steps = common.parse_whole_number(common.LIMIT_STEPS),
    observers = { observer } })
  if done() then return 0 end
  for _, case in ipairs(record.cases) do failure = failure or case.error end
  if failure then
    if not path and failure.code:find "^unknown" and failure.code ~= "unknown-clause" then
      failure.help = "accdeep explain --in FILE takes the declarations of a scenario"
    end
    common.show_error(failure)
    return 2
  end
  common.err(("accdeep: no directive that moves data runs at %s\n"):format(text))
  return common.USAGE
end

return { options = options, run = run, topics = function() return topics.all() end, is_paged = true,
  about = "Explain an error code, a directive, a rule, a term or a name." }
