-- expect.lua - expectations of scenarios: expect.host, expect.present, expect.fails, ... A failure stops the case and
-- reports the expected and the actual value with their location. scenario.lua calls expect.new. A session holds the
-- memory and the data environment of a scenario. A view is a Lua value that stands for an object in host or device
-- memory. An l-value or section that an expectation names is given as text.

local profile_comparison = require "accdeep.script.profile_comparison"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local rules = require "accdeep.definitions.rules"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local state = require "accdeep.run.state"
local text_of = require "accdeep.script.value_text".text
local types = require "accdeep.types"
local memory_view = require "accdeep.backend.memory_view"
local with_fields = require "accdeep.base.with_fields"

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

-- Splits a text at its mark '@' ('@@' is the character '@'). Returns the text without the mark, and the position of the
-- mark or nil. Raises if the text has two marks.
local function split_mark(text)
  local unmarked, position, from = "", nil, 1
  while true do
    local at = text:find("@", from, true)
    unmarked = unmarked .. text:sub(from, (at or 0) - 1)
    if not at then return unmarked, position end
    from = at + 1
    if text:sub(from, from) == "@" then
      unmarked, from = unmarked .. "@", from + 1
    else
      if position then
        diagnostic.raise("type-mismatch", nil, ("%s has two marks"):format(text),
          { help = "write @@ for an @ of the text" })
      end
      position = #unmarked + 1
    end
  end
end

local detail_types = { rule = "string", message = "string", help = "string", by = "function" }

-- Returns the details that an error must have besides its code, as a table: {rule, message, help, by}. `details`: the
-- argument of the script, such a table or a rule. `message` and `help` are parts of the error's texts; `by` is the
-- function that executes the text. Raises for invalid details.
local function details_of(details)
  if type(details) == "string" then details = { rule = details } end
  if type(details) ~= "table" then
    diagnostic.raise("type-mismatch", nil, "an error is described by a rule, or by a table")
  end
  for key, value in sorted_pairs(details) do
    local fits = type(value) == detail_types[key] or key == "by" and (getmetatable(value) or {}).__call
    if not fits then
      diagnostic.raise("unknown-name", nil, ("an error is not described by the %s '%s'"):format(type(value),
        tostring(key)), { help = "rule, message and help are texts, by is a function" })
    end
  end
  if details.rule then rules.need(details.rule) end
  return details
end

-- Raises if `details` (result of details_of) has a function `by`, which is allowed only if expect.fails executes a
-- text.
local function need_no_by(details)
  if details.by then
    diagnostic.raise("type-mismatch", nil, "'by' is for a text that expect.fails carries out",
      { help = "leave 'by' out" })
  end
end

-- Calls expectation(item) for `items` itself if it is a text or function, or for each entry if `items` is a list.
-- Returns the result for the first item. Raises for an empty list, and what `expectation` raises.
local function for_each(items, expectation)
  if type(items) ~= "table" then return expectation(items) end
  local first
  for i, item in ipairs(items) do
    local result = expectation(item)
    if i == 1 then first = result end
  end
  return first or diagnostic.raise("type-mismatch", nil, "a list of what fails has one text or more")
end

-- Returns the table `expect` of a scenario, and the function `collect` (below). Each function of the table raises the
-- error "expectation" if its requirement does not hold, and other errors for wrong arguments. The table can be called
-- with a condition and a message.
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

  -- Checks the directive or declaration `text` in an inner session (a copy), so that definitions in the text are
  -- discarded. A directive is not executed. Raises the error of the text.
  local function check_text(text)
    local inner = current():inner()
    local file, line = location.scenario(2)
    local ok, err = pcall(inner.with_text, inner, text, file, line, function()
      local language = inner.language
      if language.is_directive(text) or inner:is_openmp(text) then return inner:check_directive(text) end
      language.declare(inner, text)
    end)
    inner:close()
    if not ok then error(err, 0) end
  end

  -- Raises unless `code` is the code of an error that can occur in a scenario. Codes of the phase "finding" cannot:
  -- only checks of compiled programs report them.
  local function check_code(code)
    local phase = type(code) == "string" and diagnostic.phase(code)
    if phase and phase ~= "finding" then return end
    diagnostic.raise("unknown-name", nil, ("there is no error code '%s'"):format(tostring(code)),
      { help = diagnostic.suggest(code, diagnostic.codes()) })
  end

  -- Requires that the error `err` has the details `details` (result of details_of). If `position` is not nil, the error
  -- must be at this index of `text`. `text` may be nil if `position` is nil. Records the error's rule in
  -- checks.refused. Returns the error.
  local function check_details(err, details, text, position)
    table.insert(checks.refused, err.rule)
    local suffix = text and " of " .. text or ""
    if details.rule and err.rule ~= details.rule then fail("rule of the error" .. suffix, details.rule, err.rule) end
    for _, key in ipairs { "message", "help" } do
      local part, whole = details[key], err[key] or ""
      if part and not whole:find(part, 1, true) then fail(("%s of the error%s"):format(key, suffix), part, whole) end
    end
    if position then
      local line, column = location.position(text, position)
      if not err.in_text or err.text_line ~= line or err.column ~= column then
        fail("place of the error" .. suffix, ("%d:%d"):format(line, column),
          ("%s:%s: %s"):format(err.text_line, err.column, err.message))
      end
    end
    return err
  end

  -- Requires that `text` has a static error for which accepts(err) is true, with the code `code` unless that is nil.
  -- `details`: result of details_of, or nil; a mark '@' in `text` is recognized only with details. `description`: text
  -- about the required error. Returns the error. Errors of limits and of the interpreter itself are raised again.
  local function expect_error(text, code, details, accepts, description)
    need(type(text) == "string", "a directive or a declaration is a text")
    local position
    if details then text, position = split_mark(text) end
    local ok, err = pcall(check_text, text)
    if ok then fail(("%s is accepted"):format(text), description, "no error") end
    if not diagnostic.is(err) or diagnostic.is_limit(err) then error(err, 0) end
    if not accepts(err) or (code and err.code ~= code) then
      fail(("error of %s"):format(text), code or description, ("%s: %s"):format(err.code, err.message))
    end
    return check_details(err, details or {}, text, position)
  end

  -- Calls expect_error for a text, or for each text of the list `texts`. `details`: the value that the script passed (a
  -- table, a rule or nil); the other arguments are those of expect_error. Texts of a list may always have marks '@'; a
  -- single text only with details. Returns the error of the first text.
  local function expect_errors(texts, code, details, accepts, description)
    if code ~= nil then check_code(code) end
    if details ~= nil or type(texts) == "table" then
      details = details_of(details or {})
      need_no_by(details)
    end
    return for_each(texts, function(text) return expect_error(text, code, details, accepts, description) end)
  end

  -- Requires that the text or each text of the list `texts` has a syntax error. `code`: nil or "syntax", because other
  -- codes never match. `details`: see details_of; nil for none. Returns the error of the first text.
  function e.malformed(texts, code, details)
    return expect_errors(texts, code, details, function(err) return err.code == "syntax" end,
      "text that does not parse")
  end

  -- Requires that the text or each text of the list `texts` has a static error, which is not a syntax error unless
  -- `code` is "syntax". `code`: required code, or nil for any. `details`: see details_of; nil for none. Returns the
  -- error of the first text.
  function e.invalid(texts, code, details)
    return expect_errors(texts, code, details, function(err) return err.code ~= "syntax" or code == "syntax" end,
      "a static error")
  end

  -- Returns a function that executes the directive `text`, with an empty body if the directive takes a body.
  local function directive_of(text)
    return function()
      local opened = carry_out(text)
      if opened then opened(function() end) end
    end
  end

  -- Requires that `action`, a function or the text of a directive, fails with the error `code`. A directive must not
  -- change the state, unless the function details.by executes its text. `details`: result of details_of. Returns the
  -- error. Limits of the run and failed expectations inside `action` are raised again unless `code` names them;
  -- internal errors are always raised again.
  local function fails(code, action, details)
    local session, fn, text, position = current(), action, nil, nil
    local before = false
    if type(action) == "string" then
      text, position = split_mark(action)
      if details.by then
        fn = function() details.by(text) end
      else
        fn, before = directive_of(text), state.text(session)
      end
    else
      need_no_by(details)
    end
    need(type(fn) == "function", "what fails is a function, or a directive as text")
    local ok, err = pcall(with_fields, session.now, { expects_failure = true }, fn)
    if ok then fail(text and ("%s is carried out"):format(text) or "nothing failed", code, "no error") end
    if diagnostic.is_limit(err) and code ~= "limit" then error(err, 0) end
    if not diagnostic.is(err) then -- an error of the script itself
      if code ~= "scenario-error" then fail("another error", code, tostring(err)) end
      err = diagnostic.new { code = code, message = tostring(err), rule = "HOUSE-scenario" }
    end
    if err.code == "internal" or err.code == "expectation" and code ~= "expectation" then error(err, 0) end
    if err.code ~= code then
      fail(text and "error of " .. text or "another error", code, ("%s: %s"):format(err.code, err.message))
    end
    local after = before and state.text(session)
    if after ~= before then fail("state that a failing directive leaves", before, after) end
    return check_details(err, details, text, position)
  end

  -- Requires that a function, a directive, or each entry of a list of them fails with the error `code` (see `fails`).
  -- `details`: the script's argument (see details_of), or nil. Returns the error of the first entry.
  function e.fails(code, actions, details)
    check_code(code)
    details = details_of(details or {})
    return for_each(actions, function(action) return fails(code, action, details) end)
  end

  -- Executes the directive `text`, and the body if the directive takes one. `body`: a function, which the directive
  -- must call; a text; or nil for an empty body. Errors are raised again after an open region is abandoned. Also raises
  -- if `body` is given for a directive without a body.
  function e.accepts(text, body)
    need(type(text) == "string", "expect.accepts takes a directive as text")
    local opened, is_run = carry_out(text), type(body) ~= "function"
    need(opened ~= nil or body == nil, "a directive that is done at once has no body")
    if opened then
      local ok, err = pcall(opened, is_run and (body or function() end) or function(...)
        is_run = true
        return body(...)
      end)
      if not ok then
        if type(opened) == "table" then opened.abandon() end
        error(err, 0)
      end
    end
    if not is_run then fail(("body of %s"):format(text), "run", "not run") end
  end

  -- Requires that `fn` causes a warning with the code `code`. Returns the first such warning. Warnings with this code
  -- are not printed; other warnings are.
  function e.warns(code, fn)
    check_code(code)
    need(type(fn) == "function", "warnings are those of a function")
    local options = current().options
    local outer, first_warning, other_warning = options.warn, nil, nil
    options.warn = function(warning)
      if warning.code == code then
        first_warning = first_warning or warning
      else
        other_warning = other_warning or warning
        if outer then outer(warning) end
      end
    end
    local ok, err = pcall(fn)
    options.warn = outer
    if not ok then error(err, 0) end
    if not first_warning then
      fail(other_warning and "another warning" or "nothing is warned of", code,
        other_warning and ("%s: %s"):format(other_warning.code, other_warning.message) or "no warning")
    end
    return first_warning
  end

  -- Requires that `fn` has the outcomes `outcomes` under several rule profiles. `outcomes`: a table from profile to an
  -- error code or to a text that begins with "accepted" (see profile_comparison.check). `counters`: "counters" to
  -- compare counters, too, or nil.
  function e.differs(outcomes, fn, counters)
    need(type(outcomes) == "table" and next(outcomes), "expect.differs takes a table of outcomes by profile")
    for name, text in sorted_pairs(outcomes) do
      need(type(name) == "string" and type(text) == "string", "an outcome is a text, by the name of a profile")
      if not text:find "^accepted" then check_code(text) end
    end
    need(type(fn) == "function", "what profiles do is a function")
    need(counters == nil or counters == "counters", "counters are compared, or nothing more is said")
    profile_comparison.check(outcomes, fn, counters, run_under, fail)
  end

  for name, expectation in pairs(e) do
    e[name] = function(...)
      checks.n = checks.n + 1
      return expectation(...)
    end
  end
  return setmetatable(e, { __call = function(_, condition, message)
    checks.n = checks.n + 1
    if not condition then fail(message or "the condition does not hold", "true", tostring(condition)) end
  end }), collect
end

return expect
