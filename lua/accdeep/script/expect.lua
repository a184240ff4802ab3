-- expect.lua - expectations of scenarios: expect.host, expect.present, expect.fails, ... A failure stops the case and
-- reports the expected and the actual value with their location. scenario.lua calls expect.new. A session holds the
-- memory and the data environment of a scenario. A view is a Lua value that stands for an object in host or device
-- memory. An l-value or section that an expectation names is given as text.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local text_of = require "accdeep.script.value_text".text
local memory_view = require "accdeep.backend.memory_view"
local expect_errors = require "accdeep.script.expect_errors"
local expect_events = require "accdeep.script.expect_events"
local expect_state = require "accdeep.script.expect_state"

local expect = {}

local F32 = core.scalar.f32

-- ------------------------------------------------------------------------------------- values --

-- Returns true if two numbers are equal. If one of them is a float, also returns true if both are not a number, or if
-- `expected` rounded to single precision equals `actual`.
local function same_number(actual, expected)
  if actual == expected then return true end
  if math.type(actual) == "float" or math.type(expected) == "float" then
    if actual ~= actual and expected ~= expected then return true end
    return core.convert(F32, expected) == actual
  end
  return false
end

-- Returns the elements of a view of an array or pointer as a list; nil for other values. `n`: number of elements to
-- read through a pointer; arrays ignore it.
local function elements(value, n)
  local at = memory_view.location(value)
  if not at then return nil end
  if at.type.kind == "array" then return value:values() end
  if at.type.kind == "pointer" then return value:values(n) end
  return nil
end

-- Returns the number of elements of a list whose first index is 0 or 1.
local function length(list) return list[0] ~= nil and #list + 1 or #list end

local equal

-- Returns true if all members of the structure type `t` are equal in `actual` and `expected`, which are objects or
-- tables.
local function equal_members(actual, expected, t)
  for name in pairs(t.by_name or {}) do
    if not equal(actual[name], expected[name]) then return false end
  end
  return true
end

-- Returns true if the value `actual` equals the value `expected`. Numbers are compared by value, views and tables
-- member by member. A list may begin at index 0 or 1. Members of a structure `actual` that the table `expected` does
-- not list are ignored. A boolean `expected` equals the number `actual` if it is true and the number is not 0, or false
-- and the number is 0.
function equal(actual, expected)
  if rawequal(actual, expected) then return true end
  if type(expected) == "number" and type(actual) == "number" then return same_number(actual, expected) end
  if type(expected) == "boolean" and type(actual) == "number" then return (actual ~= 0) == expected end
  if type(expected) ~= "table" then return actual == expected end
  local expected_at, actual_at = memory_view.location(expected), memory_view.location(actual)
  if expected_at and expected_at.type.kind == "record" then
    if type(actual) ~= "table" or actual_at and actual_at.type ~= expected_at.type then return false end
    return equal_members(actual, expected, expected_at.type)
  end
  if expected_at and expected_at.type.kind == "pointer" then
    return memory_view.is_pointer(actual) and actual == expected
  end
  if expected_at then expected = elements(expected) or expected end
  if actual_at then
    if actual_at.type.kind == "record" then -- members that the table does not list are ignored
      for name, value in sorted_pairs(expected) do
        if not equal(actual[name], value) then return false end
      end
      return true
    end
    actual = elements(actual, length(expected))
  end
  if type(actual) ~= "table" then return false end
  local base = expected[0] ~= nil and 0 or 1
  local count = 0
  for key, value in sorted_pairs(expected) do
    local other = actual[key]
    if math.type(key) == "integer" then other = actual[key - base + 1] end
    if not equal(other, value) then return false end
    count = count + 1
  end
  for _ in pairs(actual) do count = count - 1 end
  return count == 0
end

expect.text_of = text_of

-- ------------------------------------------------------------------------------------- failures --

-- Raises a failed expectation; never returns. `message`: what differs. `expected`, `actual`: texts of both values.
-- `fields`: further fields of the error (diagnostic.raise), or nil. Decides HOUSE-expect.
local function fail(message, expected, actual, fields)
  fields = fields or {}
  fields.wanted, fields.found = expected, actual
  diagnostic.raise("expectation", nil, message, fields)
end

-- Returns the table `expect` of a scenario, and the function `collect` (expect_events.lua). Each function of the table
-- raises the error "expectation" if its requirement does not hold, and other errors for wrong arguments. The table can
-- be called with a condition and a message.
--
-- `current()` returns the current session. `checks`: {n, refused}, the number of expectations and the rules of expected
-- errors, both updated here. `carry_out(text)` executes a directive and returns what `acc` returns to a script.
-- `run_under(rules, fn, observe)` calls `fn` in a copy of the session under other rules (see profile_comparison.check).
function expect.new(current, checks, carry_out, run_under)
  local e = {}

  -- Raises an error with the code type-mismatch and the text `message` unless `ok` is true.
  local function need(ok, message)
    if not ok then diagnostic.raise("type-mismatch", nil, message) end
  end

  -- Calls fn(...) with the expression `text` and the script's line as the location of errors. Returns the results of
  -- `fn`. Raises if `text` is no string.
  local function with_text(text, fn, ...)
    need(type(text) == "string", "an expectation takes an expression as text")
    local file, line = location.scenario(2)
    return current():with_text(text, file, line, fn, ...)
  end

  -- Returns the host address and the size in bytes of the l-value or section `text`, and the session. Raises for other
  -- expressions.
  local function extent(text)
    local session = current()
    local address, bytes = with_text(text, session.extent, session, text)
    return address, bytes, session
  end

  -- Functions and values for the files of expectations.
  local tools = { current = current, checks = checks, need = need, with_text = with_text, extent = extent,
    fail = fail, equal = equal, carry_out = carry_out, run_under = run_under }
  expect_state.define(e, tools)
  local collect = expect_events.define(e, tools)
  expect_errors.define(e, tools)
  for name, expectation in pairs(e) do
    e[name] = function(...)
      checks.n = checks.n + 1
      return expectation(...)
    end
  end
  return setmetatable(e, { __index = function(_, name)
    if type(name) ~= "string" then return nil end
    local nearest = diagnostic.closest(name, e)
    diagnostic.raise("unknown-name", nil, ("there is no expectation '%s'"):format(name), { rule = "HOUSE-scenario",
      help = nearest and ("did you mean 'expect.%s'?"):format(nearest) or "accdeep explain expect" })
  end, __call = function(_, condition, message)
    checks.n = checks.n + 1
    if not condition then fail(message or "the condition does not hold", "true", tostring(condition)) end
  end }), collect
end

return expect
