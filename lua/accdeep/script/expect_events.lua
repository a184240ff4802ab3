-- expect_events.lua - expectations about what directives do: expect.events and moves.

local diagnostic = require "accdeep.base.diagnostic"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local expect_events = {}

local move_kinds = { h2d = true, d2h = true, d2d = true }
local move_fields = { count = true, bytes = true, transfers = true }

-- Raises if the argument of expect.moves, a table of expected copies by kind, has an unknown kind or field.
local function check_moves(expected)
  -- Raises unless `key` is a key of the set `names`. `help`: help text of the error.
  local function check_known(key, names, help)
    if not names[key] then
      diagnostic.raise("unknown-name", nil, ("there are no '%s' moves"):format(tostring(key)), { help = help })
    end
  end
  for kind, expected_move in sorted_pairs(expected) do
    check_known(kind, move_kinds, "h2d, d2h and d2d")
    for field in sorted_pairs(type(expected_move) == "table" and expected_move or {}) do
      check_known(field, move_fields, "count and bytes") end
  end
end

-- Adds the expectations to `e`. tools: see expect.lua. Returns collect.
function expect_events.define(e, tools)
  local current, need, fail = tools.current, tools.need, tools.fail

  -- Calls `fn` and returns the list of the data events that it caused: allocations, transfers, attachments and so on,
  -- without kernels and waits. If `fn` raises, raises the same error.
  local function collect(fn)
    need(type(fn) == "function", "events are those of a function")
    local session, list = current(), {}
    session:collect_into(function(event)
      if event.op ~= "kernel" and event.op ~= "wait" then list[#list + 1] = event end -- these are not data events
    end)
    local ok, err = pcall(fn)
    session:stop_collecting()
    if not ok then error(err, 0) end
    return list
  end

  -- Requires that the function `fn` causes exactly the data events `expected`: a list of texts "op name", in order.
  function e.events(fn, expected)
    need(type(expected) == "table", "expect.events takes a function and a list of events")
    local list = collect(fn)
    local actual = {}
    for i, event in ipairs(list) do actual[i] = event.op .. " " .. event.name end
    for i = 1, math.max(#actual, #expected) do
      if actual[i] ~= expected[i] then
        fail(("event %d differs"):format(i), expected[i] or "no more events", actual[i] or "no more events",
          { notes = { "events were: " .. table.concat(actual, ", ") } })
      end
    end
  end

  -- Requires that the function `fn` causes the transfers `expected`: a table from kind (h2d, d2h, d2d) to their number,
  -- or to {count, bytes, transfers}. `count` and `bytes`: number of events and their bytes. `transfers`: number of
  -- operations of the device, which may combine events. A number 0 also requires 0 bytes. Kinds and fields that are nil
  -- are not checked.
  function e.moves(fn, expected)
    need(type(expected) == "table", "expect.moves takes a function and what it moves: {h2d = ..., d2h = ...}")
    check_moves(expected)
    local session = current()
    local before = session.ctx:stats(session.now.device)
    local list = collect(fn)
    local after = session.ctx:stats(session.now.device)
    for _, kind in ipairs { "h2d", "d2h", "d2d" } do
      local expected_move = expected[kind]
      if expected_move ~= nil then
        if math.type(expected_move) == "integer" then
          expected_move = { count = expected_move, bytes = expected_move == 0 and 0 or nil }
        end
        local actual = { count = 0, bytes = 0,
          transfers = after[kind .. "_transfers"] - before[kind .. "_transfers"] }
        for _, event in ipairs(list) do
          if event.op == kind then
            actual.count = actual.count + 1
            actual.bytes = actual.bytes + event.bytes
          end
        end
        for _, key in ipairs { "count", "bytes", "transfers" } do
          if expected_move[key] ~= nil and expected_move[key] ~= actual[key] then
            fail(("%s of %s moves"):format(key, kind), tostring(expected_move[key]), tostring(actual[key]))
          end
        end
      end
    end
  end

  return collect
end

return expect_events
