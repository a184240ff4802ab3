-- rules.lua - `accdeep rules`: the catalogue, and what profiles decide.

local catalogue = require "accdeep.catalogue"
local common = require "accdeep.cli.common"
local profile = require "accdeep.profile"

local function options(command)
  command:argument("id", "An id, or how ids begin: TR14, TR14-3.2, TR14-4.2-05."):args "?"
  command:mutex(
    command:flag("--coverage", "How many rules scenarios show from both sides, by section."),
    command:option("--profile", "What a rule profile decides, otherwise than tr14 first."):convert(common.profile))
end

local function run(chosen)
  if chosen.coverage then
    common.out(catalogue.coverage())
    return 0
  end
  if chosen.profile and chosen.id then
    common.err "accdeep: rules takes an id or --profile, not both\n"
    return common.USAGE
  end
  if chosen.profile then
    common.out(profile.text(chosen.profile))
    return 0
  end
  local text = catalogue.describe(chosen.id or "")
  if not text then
    common.err(("accdeep: there is no rule '%s'\n"):format(chosen.id))
    return common.USAGE
  end
  common.out(text)
  return 0
end

return { about = "Show rules of the specification.", options = options, run = run }
