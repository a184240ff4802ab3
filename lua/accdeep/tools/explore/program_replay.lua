-- program_replay.lua - programs carried out from the beginning, as scenarios carry them out: until a word fails.

local profile_comparison = require "accdeep.script.profile_comparison"
local transition_system = require "accdeep.tools.explore.transition_system"

local program_replay = {}

local Replay = {}
Replay.__index = Replay

local MOST = 800 -- devices of the worlds that are kept

-- source: {file, text}; words: those of its vocabulary.
function program_replay.new(source, words)
  return setmetatable({ source = source, words = words, systems = {}, n = 0 }, Replay)
end

function Replay:close()
  for _, one in pairs(self.systems) do one.world:close() end
  self.systems, self.n = {}, 0
end

-- A world at its beginning.
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

-- What is shown behind a program: {code, at, host, present, values, counters}; code: of the word that failed, the
-- at-th. look(session): is called at the end, if no word fails; its result is outcome.seen. rules: a profile's name,
-- which may have changes.
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

-- The same of a new session: {code, host, present, values, counters, rest}; code: of the word that failed.
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
