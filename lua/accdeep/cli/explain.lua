-- explain.lua - `accdeep explain`: how a directive is understood; what an error code, a rule or a name of the scenario
-- language means.

local common = require "accdeep.cli.common"
local diagnostic = require "accdeep.diagnostic"
local explain = require "accdeep.explain"
local location = require "accdeep.location"
local meaning = require "accdeep.meaning"
local reference = require "accdeep.reference"
local scenario = require "accdeep.scenario"

local function options(command)
  command:argument("what", "FILE:LINE of a directive in a scenario, an error code, the id of a rule, or a name of the "
    .. "scenario language; with --in, the text of a directive.")
  command:option("--in", "The scenario whose declarations the text is about."):target "scenario":argname "<file>"
  command:option("--rules", "Rule profile, instead of the scenario's own."):convert(common.profile)
  command:option("--device", "Device to run on: sim, cuda, or cuda:N."):default "sim":convert(common.device)
end

-- A word that is neither a place, nor a code, nor a rule, nor a name.
local function unknown(word)
  common.err "accdeep: explain takes FILE:LINE, an error code, a rule, a name, or --in FILE and a directive\n"
  local near = diagnostic.closest(word, diagnostic.codes()) or diagnostic.closest(word, reference.all())
  if near then common.err(("did you mean '%s'?\n"):format(near)) end
  return common.USAGE
end

-- Runs a scenario up to a directive, or a directive behind a scenario.
local function run(chosen)
  local path, line, text = chosen.scenario, nil, chosen.what
  if not path then
    local about = meaning.of_code(text) or meaning.of_rule(text) or reference.text(text)
    if about then
      common.out(about)
      return 0
    end
    path, line = text:match "^(.+):(%d+)$"
    line = math.tointeger(tonumber(line))
    if not line then return unknown(text) end
  end
  local source = common.read(path)
  local failure
  local ask, done = explain.new(common.out, function(place)
    if not line then return place.file == "directive" end
    local _, more = (place.text or ""):gsub("\n", "")
    return place.file == path and place.line and place.line <= line and line <= place.line + more
  end)
  common.check_device(chosen.device)
  local record = scenario.run(path, source, { device = chosen.device, rules = chosen.rules, explain = ask,
    out = function() end, draw = function() end,
    limit_memory = common.size(common.LIMIT_MEMORY), limit_steps = common.whole(common.LIMIT_STEPS),
    last = not line and function(session)
      location.remember("directive", text)
      local run_directive = session:is_openmp(text) and session.omp or session.directive
      local ok, made = pcall(run_directive, session, text, nil, "directive", 1)
      if not ok then
        failure = made
      elseif type(made) == "function" then -- a compute construct
        ok, made = pcall(made, function() end, {})
        failure = not ok and made or nil
      elseif made then
        if not pcall(made.close, made) then made:abandon() end -- the plan at the end
      end
    end or nil })
  if done() then return 0 end
  for _, case in ipairs(record.cases) do failure = failure or case.error end
  if failure then
    common.show_error(failure)
    return 2
  end
  common.err(("accdeep: no directive that moves data runs at %s\n"):format(text))
  return common.USAGE
end

return { options = options, run = run,
  about = "Show how one directive is understood and what it does; what an error code, a rule or a name means." }
