-- compared.lua - what programs do under several rule profiles: expect.differs.

local diagnostic = require "accdeep.base.diagnostic"
local profiles = require "accdeep.catalogue.profiles"
local sorted = require "accdeep.base.sorted"

local compared = {}

-- What is observed behind a program, in the order in which differences are named.
compared.parts = { { "host", "values on the host" }, { "present", "what is present" },
  { "values", "values on the device" }, { "counters", "counters" } }

local function mixed(hash, number) return (hash ~ number) * 0x9E3779B97F4A7C15 end

-- Numbers that stand for what the host's memory holds, what is present, what the devices' memory holds, counters, and
-- all else that decides what comes next. Numbers of two sessions are equal if they show the same. numbers: of host
-- memory under other names (tools/explore/names.lua).
function compared.digests(session, numbers)
  local ctx, now = session.ctx, session.now
  if session.devices == 1 then return ctx:digests(now.device, numbers) end
  local host, present, values, counters, rest = nil, 0, 0, 0, now.device
  for device = 0, session.devices - 1 do
    local h, p, v, c, r = ctx:digests(device, numbers)
    host, present, values, counters, rest = h, mixed(present, p), mixed(values, v), mixed(counters, c), mixed(rest, r)
  end
  return host, present, values, counters, rest
end

-- What the devices and the host show now, by part.
function compared.shown(session)
  local shown = {}
  shown.host, shown.present, shown.values, shown.counters, shown.rest = compared.digests(session)
  return shown
end

-- Where two outcomes {code?, host, present, values, counters} differ first: "error", or a part in words; nil: they do
-- not. counters: whether they count.
function compared.difference(a, b, counters)
  if a.code ~= b.code then return "error" end
  for _, part in ipairs(compared.parts) do
    if a[part[1]] ~= b[part[1]] and (counters or part[1] ~= "counters") then return part[2] end
  end
  return nil
end

-- What a function does in a session under other rules. under: see check.
local function outcome(rules, fn, under)
  local ok, result = under(rules, fn, compared.shown)
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
function compared.check(wanted, fn, counters, under, fail)
  local firsts = {}
  for name, text in sorted(wanted) do
    profiles.profile(name)
    local found = outcome(name, fn, under)
    local code = not text:find "^accepted" and text or nil
    if found.code ~= code then
      fail(("outcome under %s"):format(name), text, found.code or "accepted")
    end
    for _, first in ipairs(code and {} or firsts) do
      local difference = compared.difference(first.found, found, counters)
      if difference and first.text == text then
        fail(("%s and %s differ in %s"):format(first.name, name, difference), "the same outcome", "another one")
      elseif not difference and first.text ~= text then
        fail(("%s and %s do the same"):format(first.name, name), "different outcomes", "the same one")
      end
    end
    if not code then firsts[#firsts + 1] = { name = name, text = text, found = found } end
  end
end

return compared
