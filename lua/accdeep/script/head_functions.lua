-- head_functions.lua - the functions of a scenario that choose its session: scenario and rules.
--
-- define(env, script) adds the functions to the environment `env` of a script. script: {run, current, begin, need_text,
-- new_word}, which scenario.lua describes.

local diagnostic = require "accdeep.base.diagnostic"
local rules = require "accdeep.definitions.rules"
local async = require "accdeep.run.async"
local languages = require "accdeep.run.languages"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"

local raise = diagnostic.raise

local head_functions = {}

-- Set of the fields that a head may have.
head_functions.keys = { title = true, rules = true, cites = true, devices = true, language = true,
  strict = true, descriptors = true, async = true }

-- Returns a copy of a session's options.
local function options_of(s)
  local options = {}
  for key, value in pairs(s.options) do options[key] = value end
  return options
end

-- Adds the functions to `env`.
function head_functions.define(env, script)
  local run, current, need_text = script.run, script.current, script.need_text

  -- Returns the rules that a script requests, a table without a base with the scenario's default profile as its base.
  local function with_base(requested)
    if type(requested) ~= "table" or requested.base ~= nil then return requested end
    local settings = { base = run.default_rules }
    for knob, value in next, requested do settings[knob] = value end
    return settings
  end

  -- Defines scenario { }, the first statement: sets the title and replaces the session by one with options of `head`.
  function env.scenario(head)
    if type(head) ~= "table" then raise("type-mismatch", nil, "scenario takes a table") end
    if run.begun then
      raise("scenario-error", nil, "scenario { } is the first statement",
        { rule = "HOUSE-scenario", help = "move scenario { } to the top of the file" })
    end
    local unknown
    for key in pairs(head) do
      local name = not head_functions.keys[key] and tostring(key)
      if name and not (unknown and unknown < name) then unknown = name end
    end
    if unknown then
      raise("unknown-name", nil, ("scenario has no field '%s'"):format(unknown),
        { help = diagnostic.suggest(unknown, head_functions.keys) })
    end
    if head.language ~= nil and not languages[head.language] then
      raise("unknown-name", nil, ("there is no language '%s'"):format(tostring(head.language)),
        { help = "c and fortran" })
    end
    if run.head.declared then raise("scenario-error", nil, "a file has one head", { rule = "HOUSE-scenario" }) end
    need_text(head.title or "", "title is a text")
    run.head.title = head.title
    if head.descriptors ~= nil and not fortran_descriptor.layouts[head.descriptors] then
      raise("unknown-name", nil, ("there is no layout of descriptors '%s'"):format(tostring(head.descriptors)),
        { help = "cfi, flang and gfortran" })
    end
    if head.async ~= nil and not async.modes[head.async] then
      raise("unknown-name", nil, ("there is no mode '%s' of queues"):format(tostring(head.async)),
        { help = "program, delayed and concurrent" })
    end
    if head.strict ~= nil and type(head.strict) ~= "boolean" then
      raise("type-mismatch", nil, "strict is true or false")
    end
    if head.cites ~= nil and type(head.cites) ~= "table" then
      raise("type-mismatch", nil, "cites is a list of rules")
    end
    for _, id in ipairs(head.cites or {}) do rules.need(id) end
    if head.devices ~= nil and type(head.devices) ~= "number" then
      raise("type-mismatch", nil, "devices is a number")
    end
    local devices = math.tointeger(head.devices)
    if head.devices ~= nil and not (devices and devices >= 1 and devices <= 64) then
      raise("no-device", nil, "devices is a number from 1 to 64")
    end
    local options = options_of(run.session)
    if run.options.rules then
      options.rules = run.options.rules
    elseif head.rules ~= nil then
      options.rules = with_base(head.rules)
    end
    options.devices = devices or options.devices
    if head.strict ~= nil then options.strict = head.strict end
    options.async = head.async or options.async
    options.descriptors = head.descriptors or options.descriptors
    options.language = head.language
    run:renew(options)
    run.head.declared = true
  end

  -- Defines rules { ... } or rules "name": replaces the session, which has no declarations of its own yet, by one under
  -- other rules.
  function env.rules(requested_rules)
    local s = current()
    if s:is_busy() or run.comparing then
      raise("scenario-error", nil, "rules are outside of regions, bodies and expectations", {
        rule = "HOUSE-scenario", help = "they begin a new session: make them the first statement of the case" })
    end
    if next(s.program.blocks) or next(s.now.scope.functions) or next(s.now.scope.tags) then
      raise("scenario-error", nil, "rules come before declarations", { rule = "HOUSE-scenario",
        help = s.outer and "make them the first statement of the case: it starts again with what the file declares"
          or "give them in scenario { rules = ... }, or in each case" })
    end
    if requested_rules == nil then raise("type-mismatch", nil, "rules takes a profile's name or a table with base") end
    local options = options_of(s)
    options.rules = run.options.rules or with_base(requested_rules)
    run:renew(options)
    return requested_rules
  end
end

return head_functions
