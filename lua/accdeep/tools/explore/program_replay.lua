-- program_replay.lua - executes single programs from the initial state, until an action fails.
--
-- deciding_knobs.lua and profile_differences.lua observe programs with a replay after the search has found them. A
-- system (transition_system.lua) executes actions under one profile. One system per profile is kept open and restored
-- to its initial state before each program. A program is a string of action numbers, one byte each.

local profile_comparison = require "accdeep.script.profile_comparison"
local transition_system = require "accdeep.tools.explore.transition_system"

local program_replay = {}

local Replay = {}
Replay.__index = Replay

local MOST = 800 -- limit of devices of all open systems together

-- Returns a replay. `source`: {file, text} of the scenario. `actions`: the actions of its vocabulary.
function program_replay.new(source, actions)
  return setmetatable({ source = source, actions = actions, systems = {}, n = 0 }, Replay)
end

-- Closes all systems; later calls of Replay:observe open new ones.
function Replay:close()
  for _, entry in pairs(self.systems) do entry.system:close() end
  self.systems, self.n = {}, 0
end

-- Returns the system of the profile `rules` in its initial state, and opens it if needed. If the open systems have MOST
-- devices or more, all of them are closed before a system is opened.
function Replay:system_at_start(rules)
  local entry = self.systems[rules]
  if entry then
    entry.system:restore(entry.saved)
    return entry.system
  end
  if self.n >= MOST then self:close() end
  local system = transition_system.open(self.source.file, self.source.text, rules)
  system:prepare(self.actions)
  self.systems[rules], self.n = { system = system, saved = system:save() }, self.n + system.session.devices
  return system
end

-- Executes a program and returns an observation: {host, present, values, counters, rest, rendering}, the digests and
-- the result of look(session). If an action fails, returns {code, at} instead; `at` is the index of the action.
-- `rules`: a profile name, perhaps with changed knobs. `look`: a function, or nil; `rendering` is nil then.
function Replay:observe(program, rules, look)
  local system = self:system_at_start(rules)
  for i = 1, #program do
    local code = system:step(program:byte(i))
    if code then return { code = code, at = i } end
  end
  local observation = profile_comparison.observe(system.session)
  observation.rendering = look and look(system.session)
  return observation
end

-- Executes a program in a new session, which is closed afterwards. Returns {code, host, present, values, counters,
-- rest}; `code` is the code of the first error, after which no action is executed, or nil. Tests compare the result
-- with that of Replay:observe.
function program_replay.fresh(source, actions, program, rules)
  local system, code = transition_system.open(source.file, source.text, rules), nil
  system:prepare(actions)
  for i = 1, #program do
    code = code or system:step(program:byte(i))
  end
  local observation = profile_comparison.observe(system.session)
  observation.code = code
  system:close()
  return observation
end

return program_replay
