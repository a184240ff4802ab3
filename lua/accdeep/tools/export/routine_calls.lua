-- routine_calls.lua - writes calls of OpenACC and OpenMP routines in C from a script's arguments, for
-- scenario_recorder.lua.

local api_routines = require "accdeep.run.api_routines"
local memory_view = require "accdeep.backend.memory_view"
local strings = require "accdeep.base.strings"

local routine_calls = {}

-- Routines that compilers lack or that depend on queues, and those without a writer of their arguments or result.
local unsupported = strings.word_set [[acc_hostptr acc_memcpy_d2d acc_on_device acc_init acc_shutdown acc_wait
  acc_wait_async acc_wait_all_async acc_async_test acc_async_test_all acc_get_default_async acc_set_default_async
  omp_target_memcpy_rect omp_target_memset]]

-- Returns the address that an argument of the script denotes, as a C expression: the value of a pointer, or the address
-- of an l-value given as text. For a text, also returns the size of the l-value in bytes. Returns nil if C cannot
-- express the address. `recorder`: a Recorder of scenario_recorder.lua.
local function address_text(recorder, session, value)
  if type(value) == "string" then
    local text, bytes = recorder:extent(value)
    return text, bytes
  end
  local address, at = memory_view.address(value)
  if not address then return nil end
  local to = at and (at.type.kind == "pointer" and at.type.to or at.type) or { kind = "void" }
  return recorder.program:pointer_text(session, address, to)
end

local writers = {}

-- Functions by kind of argument (core/accdeep_routines.h), which return an argument of the script as a C expression.
-- writers.host returns an address, or nil if C cannot express the address.
function writers.host(recorder, session, value) return (address_text(recorder, session, value)) end
writers.device = writers.host
-- Returns the address of a pointer as a C expression, or nil if C cannot express it.
function writers.slot(recorder, session, value)
  local text = address_text(recorder, session, value)
  return text and "(void **)" .. text
end
-- Returns an integer as text, or nil for other values.
function writers.bytes(_, _, value)
  local n = math.tointeger(value)
  return n and ("%d"):format(n)
end
writers.number, writers.offset = writers.bytes, writers.bytes
-- Returns the type of the current device, whatever the script gives.
function writers.type() return "acc_get_device_type()" end
-- Returns a device number as text, or nil for other values. The number of the host becomes a call of
-- omp_get_initial_device.
function writers.devnum(_, session, value)
  local n = math.tointeger(value)
  return n and (n == session.devices and "omp_get_initial_device()" or ("%d"):format(n))
end

-- Returns the call of the routine `name` with the script's arguments `...`, as text, and the kind of its result
-- (core/accdeep_routines.h; "nothing": none). Returns nil and a reason if C cannot express the call.
function routine_calls.call(recorder, session, name, ...)
  local routine = api_routines.find(name)
  if not routine or unsupported[routine.name] or name == routine.name .. "_async" then
    return nil, " has no form that both the tool and compilers know"
  end
  local arguments, at, parts = table.pack(...), 1, {}
  for _, kind in ipairs(routine.arguments) do
    local text
    if kind == "range" then
      local bytes
      text, bytes = address_text(recorder, session, arguments[at])
      if type(arguments[at]) ~= "string" or math.type(arguments[at + 1]) == "integer" then
        at = at + 1
        bytes = writers.bytes(nil, nil, arguments[at])
      end
      text = text and bytes and ("%s, %s"):format(text, bytes)
    else
      text = writers[kind] and writers[kind](recorder, session, arguments[at])
    end
    at = at + 1
    if not text then return nil, " is called with something that C has no name for" end
    parts[#parts + 1] = text
  end
  return ("%s(%s)"):format(routine.name, table.concat(parts, ", ")), routine.returns or "nothing"
end

return routine_calls
