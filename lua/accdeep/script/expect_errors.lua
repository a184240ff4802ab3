-- expect_errors.lua - expectations about errors, warnings and profiles: expect.malformed, invalid, fails, accepts,
-- warns and differs.

local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local with_fields = require "accdeep.base.with_fields"
local rules = require "accdeep.definitions.rules"
local state = require "accdeep.run.state"
local lazy = require "accdeep.base.lazy"
local profile_comparison = lazy.require "accdeep.script.profile_comparison"

local expect_errors = {}

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

-- Adds the expectations to `e`. tools: see expect.lua.
function expect_errors.define(e, tools)
  local current, checks, need = tools.current, tools.checks, tools.need
  local fail, carry_out, run_under = tools.fail, tools.carry_out, tools.run_under

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
  local function each_error(texts, code, details, accepts, description)
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
    return each_error(texts, code, details, function(err) return err.code == "syntax" end,
      "text that does not parse")
  end

  -- Requires that the text or each text of the list `texts` has a static error, which is not a syntax error unless
  -- `code` is "syntax". `code`: required code, or nil for any. `details`: see details_of; nil for none. Returns the
  -- error of the first text.
  function e.invalid(texts, code, details)
    return each_error(texts, code, details, function(err) return err.code ~= "syntax" or code == "syntax" end,
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
end

return expect_errors
