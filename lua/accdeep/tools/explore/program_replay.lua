-- program_replay.lua - executes single programs from the initial state, until an action fails.
--
-- deciding_knobs.lua, equivalence.lua and profile_differences.lua observe programs with it after the search has found
-- them. One system per profile is kept open and restored to its initial state before each program.

local profile_comparison = require "accdeep.script.profile_comparison"
local transition_system = require "accdeep.tools.explore.transition_system"

local program_replay = {}

local Replay = {}
Replay.__index = Replay

local MOST = 800 -- limit of devices of all open systems together

-- Returns a replay. source: {file, text} of the scenario; words: the actions of its vocabulary.
function program_replay.new(source, words)
  return setmetatable({ source = source, words = words, systems = {}, n = 0 }, Replay)
end

-- Closes all systems; later calls open new ones.
function Replay:close()
  for _, one in pairs(self.systems) do one.world:close() end
  self.systems, self.n = {}, 0
end

-- Returns the system of the profile `rules` in its initial state, and opens it if needed. If the open systems have MOST
-- devices or more, all of them are closed before a system is opened.
function Replay:system_at_start(rules)
  local one = self.systems[rules]
  if one then
    one.world:restore(one.saved)
    return one.world
  end
  if self.n >= MOST then self:close() end
  local made = transition_system.open(self.source.file, self.source.text, rules)
  made:prepare(self.words)
  self.systems[rules], self.n = { world = made, saved = made:save() }, self.n + made.session.devices
  return made
end

-- Executes a program and returns an outcome: {host, present, values, counters, rest, seen}, digests and the result of
-- `look(session)`. If an action fails, returns {code, at} instead; `at` is the index of the action. `rules`: a profile
-- name, perhaps with changed knobs. `look`: a function, or nil; `seen` is nil then.
function Replay:observe(program, rules, look)
  local made = self:system_at_start(rules)
  for i = 1, #program do
    local code = made:step(program:byte(i))
    if code then return { code = code, at = i } end
  end
  local outcome = profile_comparison.observe(made.session)
  outcome.seen = look and look(made.session)
  return outcome
end

-- Executes a program in a new session, which is closed afterwards. Returns {code, host, present, values, counters,
-- rest}; `code` is the code of the first error, after which no action is executed, or nil. Tests compare the result
-- with that of Replay:observe.
function program_replay.fresh(source, words, program, rules)
  local made, code = transition_system.open(source.file, source.text, rules), nil
  made:prepare(words)
  for i = 1, #program do
    code = code or made:step(program:byte(i))
  end
  local outcome = profile_comparison.observe(made.session)
  outcome.code = code
  made:close()
  return outcome
end

return program_replay
