-- expect_state.lua - expectations about values, presence, attachments and counters: expect.equal, host, device,
-- present, absent, attached, detached, count and uninitialized.

local diagnostic = require "accdeep.base.diagnostic"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local state = require "accdeep.run.state"
local text_of = require "accdeep.script.value_text".text
local types = require "accdeep.types"

local expect_state = {}

-- Adds the expectations to `e`. tools: see expect.lua.
function expect_state.define(e, tools)
  local current, need, with_text = tools.current, tools.need, tools.with_text
  local extent, fail, equal = tools.extent, tools.fail, tools.equal

  -- Requires that two values are equal (see `equal`).
  function e.equal(actual, expected)
    if not equal(actual, expected) then fail("values differ", text_of(expected), text_of(actual)) end
  end

  -- Returns the value of the expression `text`, whose names are looked up in the environment env_of(session).
  local function value_in(env_of, text)
    local session = current()
    return with_text(text, session.value, session, env_of(session), text)
  end

  -- Requires that the expression `text` has the value `expected` on the host.
  function e.host(text, expected)
    local actual = value_in(function(s) return s:host_env() end, text)
    if not equal(actual, expected) then
      fail(("host value of %s"):format(text), text_of(expected), text_of(actual))
    end
  end

  -- Requires that the expression `text` has the value `expected` on the current device.
  function e.device(text, expected)
    local actual = value_in(function(s) return s:device_env() end, text)
    if not equal(actual, expected) then
      fail(("device value of %s"):format(text), text_of(expected), text_of(actual))
    end
  end

  local words = { wholly = "present", partly = "partly present", absent = "absent" }

  -- Requires that all bytes of the object or section `text` are in one present object, which has a copy on the current
  -- device.
  function e.present(text)
    local address, bytes, session = extent(text)
    local presence = session.ctx:presence(session.now.device, address, bytes)
    if presence ~= "wholly" then
      fail(("presence of %s on device %d"):format(text, session.now.device), "present", words[presence])
    end
  end

  -- Requires that no byte of the object or section `text` is present on the current device.
  function e.absent(text)
    local address, bytes, session = extent(text)
    local presence = session.ctx:presence(session.now.device, address, bytes)
    if presence ~= "absent" then
      fail(("presence of %s on device %d"):format(text, session.now.device), "absent", words[presence],
        { objects = { session.ctx:present_at(session.now.device, address, false) } })
    end
  end

  -- Returns the attachment on the current device of the pointer that `text` names, or nil if the pointer is not
  -- attached; and the session. Raises not-a-pointer for other types.
  local function attachment(text)
    local session = current()
    local address, t = with_text(text, session.pointer_cell, session, text)
    if t.kind ~= "pointer" and t.kind ~= "descriptor" then
      diagnostic.raise("not-a-pointer", nil, ("'%s' is %s"):format(text, types.name(t)), { rule = "ACC33-att-5" })
    end
    local attached = session.ctx:attachment_at(session.now.device, address)
    -- The target of an attached pointer may have been unmapped. OpenACC, which counts attachments, still treats the
    -- pointer as attached; OpenMP does not.
    if attached and attached.low == 0 and session.rules.is_openmp then attached = nil end
    return attached, session
  end

  -- Requires that the pointer `text` is attached on the current device. If `count` is not nil, the pointer's attachment
  -- counter must equal `count`.
  function e.attached(text, count)
    local attached = attachment(text)
    if not attached then fail(("attachment of %s"):format(text), "attached", "not attached") end
    if count and attached.count ~= count then
      fail(("attachment counter of %s"):format(text), tostring(count), tostring(attached.count))
    end
  end

  -- Requires that the pointer `text` is not attached on the current device.
  function e.detached(text)
    local attached = attachment(text)
    if attached then
      fail(("attachment of %s"):format(text), "not attached", ("attached, counter %d"):format(attached.count))
    end
  end

  -- Requires that the reference counters of the object `text` on the current device are those in `expected`:
  -- {structured = n, dynamic = n}. A field that is nil is not checked. Both counters are 0 if the object is absent.
  function e.count(text, expected)
    need(type(expected) == "table", "expect.count takes {structured = n, dynamic = n}")
    for key in sorted_pairs(expected) do
      if key ~= "structured" and key ~= "dynamic" then
        diagnostic.raise("unknown-name", nil, ("there is no '%s' counter"):format(tostring(key)),
          { help = "structured and dynamic" })
      end
    end
    local address, _, session = extent(text)
    local actual = session.ctx:present_at(session.now.device, address, false)
      or { structured = 0, dynamic = 0 }
    actual = { structured = actual.structured, dynamic = state.dynamic(session, actual) }
    for _, key in ipairs { "structured", "dynamic" } do
      if expected[key] ~= nil and expected[key] ~= actual[key] then
        fail(("%s reference counter of %s"):format(key, text), tostring(expected[key]), tostring(actual[key]))
      end
    end
  end

  -- Requires that the object `text` is present on the current device and that none of its bytes was written there.
  function e.uninitialized(text)
    local address, bytes, session = extent(text)
    local dev = session.ctx:deviceptr(session.now.device, address)
    if dev == 0 then fail(("device bytes of %s"):format(text), "not initialised", "not present") end
    local written = session.ctx:device_written(session.now.device, dev, bytes)
    if written ~= 0 then
      fail(("device bytes of %s"):format(text), "not initialised",
        ("%d of %d initialised"):format(written, bytes))
    end
  end
end

return expect_state
