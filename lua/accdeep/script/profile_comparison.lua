-- profile_comparison.lua - what programs do under several rule profiles: expect.differs.

local diagnostic = require "accdeep.base.diagnostic"
local profiles = require "accdeep.definitions.profiles"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local profile_comparison = {}

-- What is observed behind a program, in the order in which differences are named.
profile_comparison.parts = { { "host", "values on the host" }, { "present", "what is present" },
  { "values", "values on the device" }, { "counters", "counters" } }

local function mix_hash(hash, number) return (hash ~ number) * 0x9E3779B97F4A7C15 end

-- Numbers that stand for what the host's memory holds, what is present, what the devices' memory holds, counters, and
-- all else that decides what comes next. Numbers of two sessions are equal if they show the same. numbers: of host
-- memory under other names (tools/explore/symmetry.lua).
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

-- What the devices and the host show now, by part.
function profile_comparison.observe(session)
  local shown = {}
  shown.host, shown.present, shown.values, shown.counters, shown.rest = profile_comparison.digests(session)
  return shown
end

-- Where two outcomes {code?, host, present, values, counters} differ first: "error", or a part in words; nil: they do
-- not. counters: whether they count.
function profile_comparison.difference(a, b, counters)
  if a.code ~= b.code then return "error" end
  for _, part in ipairs(profile_comparison.parts) do
    if a[part[1]] ~= b[part[1]] and (counters or part[1] ~= "counters") then return part[2] end
  end
  return nil
end

-- What a function does in a session under other rules. under: see check.
local function run_under_rules(rules, fn, under)
  local ok, result = under(rules, fn, profile_comparison.observe)
  if ok then return result end
  if diagnostic.is(result) and result.code ~= "expectation" and result.code ~= "internal" then
    return { code = result.code }
  end
  error(result, 0)
end

-- expect.differs({profile = outcome ...}, fn [, "counters"]). An outcome is the code of an error, or a text that begins
-- with "accepted"; profiles with the same text show the same, others differ. under(rules, fn, look): calls fn in a
-- session that begins like this one, under other rules; returns true and look(session), or false and the error. fail:
-- as expect.lua has it. Decides HOUSE-explore.
function profile_comparison.check(wanted, fn, counters, under, fail)
  local firsts = {}
  for name, text in sorted_pairs(wanted) do
    profiles.profile(name)
    local found = run_under_rules(name, fn, under)
    local code = not text:find "^accepted" and text or nil
    if found.code ~= code then
      fail(("outcome under %s"):format(name), text, found.code or "accepted")
    end
    for _, first in ipairs(code and {} or firsts) do
      local difference = profile_comparison.difference(first.found, found, counters)
      if difference and first.text == text then
        fail(("%s and %s differ in %s"):format(first.name, name, difference), "the same outcome", "another one")
      elseif not difference and first.text ~= text then
        fail(("%s and %s do the same"):format(first.name, name), "different outcomes", "the same one")
      end
    end
    if not code then firsts[#firsts + 1] = { name = name, text = text, found = found } end
  end
end

return profile_comparison
