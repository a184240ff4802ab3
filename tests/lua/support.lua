-- What the specs share: sessions with declarations, and errors caught.
local accdeep = require "accdeep"
local diagnostic = require "accdeep.base.diagnostic"
local memory_view = require "accdeep.backend.memory_view"

local support = {}

local open = {}

-- A session with declarations; support.close_all ends it.
function support.session(declarations, options)
  local session = accdeep.session(options)
  open[#open + 1] = session
  if declarations then session:declare(declarations, "spec.lua", 1) end
  return session
end

-- Variables of a session, to be read and assigned to.
function support.host(session)
  local function place(name)
    local binding = session:host_env().lookup(name)
    return binding.type, binding.lvalue()
  end
  return setmetatable({}, {
    __index = function(_, name) return memory_view.read(session.host_space, place(name)) end,
    __newindex = function(_, name, value)
      local t, address, low, high = place(name)
      memory_view.write(session.host_space, t, address, value, low, high)
    end,
  })
end

function support.close_all()
  for i = #open, 1, -1 do
    open[i]:close()
    open[i] = nil
  end
end

-- The error a function raises, which must be one of ours.
function support.error_of(fn, ...)
  local ok, err = pcall(fn, ...)
  assert(not ok, "nothing failed")
  if not diagnostic.is(err) then error("not an error of the interpreter: " .. tostring(err), 2) end
  return err
end

-- Runs a scenario's text; returns its record and what it printed.
function support.run(text, options)
  local printed = {}
  options = options or {}
  options.out = function(s) printed[#printed + 1] = s end
  return accdeep.run("spec.lua", text, options), table.concat(printed)
end

-- Runs a scenario's text, which must hold.
function support.holds(text, options)
  local record, printed = support.run(text, options)
  for _, case in ipairs(record.cases) do
    if not case.ok then error(case.name .. "\n" .. accdeep.format_error(case.error), 2) end
  end
  return printed
end

-- Runs a scenario's text, whose only case must fail; returns the error.
function support.fails(text, options)
  local record = support.run(text, options)
  assert(#record.cases == 1 and not record.cases[1].ok, "the scenario holds")
  return record.cases[1].error
end

return support
