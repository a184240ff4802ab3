-- profile_comparison.lua - compares what a program does under several rule profiles, for expect.differs. tools/explore
-- uses digests, observe and difference. A digest is a 64-bit hash of one part of a session's state.

local diagnostic = require "accdeep.base.diagnostic"
local profiles = require "accdeep.definitions.profiles"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local profile_comparison = {}

-- Parts of an observation (fields of the result of `observe`) and their descriptions, in the order in which differences
-- are reported.
profile_comparison.parts = { { "host", "values on the host" }, { "present", "what is present" },
  { "values", "values on the device" }, { "counters", "counters" } }

-- Mixes a number into a hash and returns the new hash.
local function mix_hash(hash, number) return (hash ~ number) * 0x9E3779B97F4A7C15 end

-- Returns five digests: of host memory, present objects, device memory, counters, and all other state on which later
-- operations depend. Two sessions in equal states have equal digests. `numbers`: a permutation of the host's memory
-- blocks, as a string of 32-bit integers (tools/explore/symmetry.lua), or nil. With `numbers`, the digests are those of
-- the state with exchanged blocks.
function profile_comparison.digests(session, numbers)
  local ctx, now = session.ctx, session.now
  if session.devices == 1 then return ctx:digests(now.device, numbers) end
  local host, present, values, counters, rest = nil, 0, 0, 0, now.device
  for device = 0, session.devices - 1 do
    local h, p, v, c, r = ctx:digests(device, numbers)
    host, present, values, counters, rest = h, mix_hash(present, p), mix_hash(values, v), mix_hash(counters, c),
      mix_hash(rest, r)
  end
  return host, present, values, counters, rest
end

-- Returns the digests of a session as a table {host, present, values, counters, rest}.
function profile_comparison.observe(session)
  local host, present, values, counters, rest = profile_comparison.digests(session)
  return { host = host, present = present, values = values, counters = counters, rest = rest }
end

-- Returns a description of the first part in which two outcomes {code, host, present, values, counters} differ; "error"
-- if their codes differ; nil if the outcomes are equal. `code`: nil if the program was accepted. `counters`: true if
-- counters are compared.
function profile_comparison.difference(a, b, counters)
  if a.code ~= b.code then return "error" end
  for _, part in ipairs(profile_comparison.parts) do
    if a[part[1]] ~= b[part[1]] and (counters or part[1] ~= "counters") then return part[2] end
  end
  return nil
end

-- Returns the outcome of the function `fn` in a session under the profile `rules`: the table of digests of `observe`,
-- or {code} of the diagnostic that it raised. Failed expectations, internal errors, and errors that are no diagnostics
-- (limits of the run, Lua errors) are raised again. `run_under(rules, fn, observe)`: see profile_comparison.check.
local function run_under_rules(rules, fn, run_under)
  local ok, result = run_under(rules, fn, profile_comparison.observe)
  if ok then return result end
  if diagnostic.is(result) and result.code ~= "expectation" and result.code ~= "internal" then
    return { code = result.code }
  end
  error(result, 0)
end

-- Checks expect.differs({profile = outcome ...}, fn [, "counters"]). Calls fail(...), which expect.lua passes and which
-- raises, if a profile has another outcome. An outcome is an error code, or a text that begins with "accepted".
-- Profiles with equal texts must have equal observations, and profiles with different texts different observations.
--
-- `run_under(rules, fn, observe)` calls `fn` in a copy of the session under other rules; it returns true and
-- observe(session), or false and the error. `counters`: nil if counters are not compared. Decides HOUSE-explore.
function profile_comparison.check(outcomes, fn, counters, run_under, fail)
  local firsts = {}
  for name, text in sorted_pairs(outcomes) do
    profiles.profile(name)
    local observation = run_under_rules(name, fn, run_under)
    local code = not text:find "^accepted" and text or nil
    if observation.code ~= code then
      fail(("outcome under %s"):format(name), text, observation.code or "accepted")
    end
    for _, first in ipairs(code and {} or firsts) do
      local difference = profile_comparison.difference(first.observation, observation, counters)
      if difference and first.text == text then
        fail(("%s and %s differ in %s"):format(first.name, name, difference), "the same outcome", "another one")
      elseif not difference and first.text ~= text then
        fail(("%s and %s do the same"):format(first.name, name), "different outcomes", "the same one")
      end
    end
    if not code then firsts[#firsts + 1] = { name = name, text = text, observation = observation } end
  end
end

return profile_comparison
