-- report.lua - formats errors and results: error texts as compilers print them, and the formats of `accdeep run` (text,
-- TAP, JSON, JUnit).
--
-- Input is a record for each scenario file. It is plain data, so a child process can send it to its parent:
--   {file, title, seconds, output, cases = {{name, profile, ok, seconds,
--     error = {code, message, rule, file, line, ...}}}}.

local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local strings = require "accdeep.base.strings"

local report = {}

local SGR = { bold = "1", red = "1;31", green = "32", cyan = "36" }

-- Returns a function (style, text) that returns the text with the escape sequences of a style, a key of SGR; the text
-- alone if `color` is false.
local function painter(color)
  return function(style, text)
    return color and ("\27[%sm%s\27[0m"):format(SGR[style], text) or text
  end
end

-- ---------------------------------------------------------------------------- a single error --

local FIELDS = { "code", "message", "rule", "file", "line", "column", "help", "wanted", "found",
  "notes", "snippet", "snippet_column", "length", "text_line", "text_column", "callers" }
local TYPES = { line = "integer", column = "integer", snippet_column = "integer", length = "integer",
  text_line = "integer", text_column = "integer", bytes = "integer" }

-- Returns field `key` of the table `t` (an error, or a part of one) if it has the type that TYPES requires, otherwise
-- nil. The check is needed because a script may have stored anything in an error that it caught.
local function field(t, key)
  local value = rawget(t, key)
  if (math.type(value) or type(value)) == (TYPES[key] or "string") then return value end
  return nil
end

-- Returns field `key` of the error `t` if it is a table, otherwise an empty table.
local function list(t, key)
  local value = rawget(t, key)
  return type(value) == "table" and value or {}
end

-- Returns a table of name, bytes, file and line of an object in an error, each only if it has the expected type. A
-- missing name becomes "", and `file` is left out if `line` is. Returns false for a value that is not a table.
local function object_fields(object)
  return type(object) == "table" and { name = field(object, "name") or "", bytes = field(object, "bytes"),
    file = field(object, "line") and field(object, "file"), line = field(object, "line") }
end

-- Returns an error as a new table of plain data, with the source line of its location. `err`: a diagnostic or any
-- table, whose metamethods are not called. An unknown code becomes scenario-error. At most 16 callers, 16 notes and 2
-- objects that are not empty are copied; a missing help is that of the code.
function report.to_plain_data(err)
  local data = {}
  for _, key in ipairs(FIELDS) do data[key] = field(err, key) end
  if not diagnostic.phase(data.code) then data.code = "scenario-error" end
  data.message = data.message or "an error without a message"
  local phase = diagnostic.phase(data.code)
  data.phase = phase == "run" and field(err, "phase") == "static" and "static" or phase
  if rawget(err, "in_text") == true then -- the file does not contain the text literally, so its line has no such column
    data.text_column, data.column = data.column, nil
  end
  for i = 1, math.min(rawlen(list(err, "callers")), 16) do
    local caller = rawget(list(err, "callers"), i)
    if type(caller) == "table" and field(caller, "file") and field(caller, "line") then
      data.callers = data.callers or {}
      table.insert(data.callers, { file = field(caller, "file"), line = field(caller, "line") })
    end
  end
  local notes = list(err, "notes")
  for i = 1, math.min(rawlen(notes), 16) do
    if type(rawget(notes, i)) == "string" then
      data.notes = data.notes or {}
      table.insert(data.notes, notes[i])
    end
  end
  if data.file and data.line and not (data.snippet and data.snippet:find "%S") then
    local source = location.source(data.file)
    data.snippet, data.snippet_column = source and location.line(source, data.line), nil
  end
  local objects = list(err, "objects")
  for i = 1, 2 do
    local object = object_fields(rawget(objects, i))
    if object and object.bytes and object.bytes > 0 then
      data.objects = data.objects or {}
      table.insert(data.objects, object)
    end
  end
  data.help = data.help or diagnostic.help { code = data.code, rule = data.rule, file = data.file,
    openmp = rawget(err, "openmp"), objects = { object_fields(rawget(objects, 1)), object_fields(rawget(objects, 2)) } }
  return data
end

-- Returns the number of columns to underline in the source line `line`: the error's own length if it has one. Otherwise
-- returns the length of the word at the error's column, or 1 if no word stands there.
local function caret_length(err, line)
  local at = err.snippet_column
  local word = line:match("^[%w_]+", at) or line:match("^%S", at) or " "
  return err.length or #word
end

local WIDTH = 120 -- limit of columns of a printed source line; of a longer line, a part is printed
local CONTEXT_WIDTH = 60 -- columns before the error's column in such a part

local MAX_LINE_BYTES = 2000 -- limit of bytes of one printed line of a message

-- Returns a line in which control characters except tabs, which could affect the terminal, are question marks. A line
-- of more than MAX_LINE_BYTES bytes is cut off there and gets "...".
local function printable(text)
  if #text > MAX_LINE_BYTES then text = text:sub(1, MAX_LINE_BYTES) .. "..." end
  return (text:gsub("[%c\127]", function(c) return c == "\t" and c or "?" end))
end

-- Returns a message of several lines with each line made printable.
local function printable_lines(text)
  return (text:gsub("[^\n]+", printable))
end

-- Returns at most WIDTH columns of a line around column `at`, with "..." for omitted parts, and the position of that
-- column in the result. `at` may be nil: then the line's beginning and nil are returned.
local function window(text, at)
  if #text <= WIDTH then return text, at end
  local from = at and at > CONTEXT_WIDTH and at - CONTEXT_WIDTH + 1 or 1
  local before = from > 1 and "..." or ""
  local rest = text:sub(from, from + WIDTH - 1)
  if from + WIDTH - 1 < #text then rest = rest .. "..." end
  return before .. rest, at and at - from + 1 + #before
end

-- Appends the source line of the plain error `err` and the carets below it to the list of lines `out`. Appends nothing
-- if the source line is unknown or blank, and no carets if the column is unknown. paint: result of painter.
local function snippet(err, paint, out)
  local text, at = err.snippet, err.snippet_column
  if not text or not text:find "%S" then return end
  local number = err.text_column and ("text %d:%d"):format(err.text_line or 1, err.text_column)
    or tostring(err.line or "")
  local margin = (" "):rep(#number)
  local length = at and caret_length(err, text)
  text, at = window(text, at)
  text = printable(text)
  out[#out + 1] = (" %s | %s"):format(number, text)
  if at and at <= #text + 1 then
    local before = text:sub(1, at - 1):gsub("[^\t]", " ")
    out[#out + 1] = (" %s | %s%s"):format(margin, before,
      paint("red", "^" .. ("~"):rep(math.max(1, math.min(length, #text - at + 1)) - 1)))
  end
end

-- Returns the error as text: location, code, message, source line with carets, callers, notes, objects, rule, help, and
-- the command that explains the code. The command is left out of warnings, and for codes in options.explained, the set
-- of codes that earlier errors explained; this function adds the error's code to it. Other options (all may be nil):
-- color; case: the name of the error's case; profile: the name of its rule profile; warning: true to print the error as
-- a warning.
function report.error(err, options)
  err = report.to_plain_data(err)
  local paint = painter(options and options.color)
  local out = {}
  local location_text = err.file or "accdeep"
  if err.line then location_text = location_text .. ":" .. err.line end
  if err.column then location_text = location_text .. ":" .. err.column end
  local kind = options and options.warning and "warning" or "error"
  out[1] = ("%s: %s: %s"):format(paint("bold", location_text), paint("red", ("%s[%s]"):format(kind, err.code)),
    paint("bold", printable_lines(err.message)))
  snippet(err, paint, out)
  -- Appends a line "word: text" to the error.
  local function note(word, text) out[#out + 1] = ("  %s %s"):format(paint("cyan", word .. ":"), text) end
  if options and options.case then note("case", printable(options.case)) end
  if options and options.profile then note("profile", options.profile) end
  if err.callers then note("called from", printable(location.callers_text(err.callers))) end
  if err.wanted then note("wanted", err.wanted) end
  if err.found then note("found", err.found) end
  for _, text in ipairs(err.notes or {}) do note("note", text) end
  for _, object in ipairs(err.objects or {}) do
    local name = object.name ~= "" and object.name or "unnamed object"
    local text = ("%s, %s"):format(name, strings.count(object.bytes, "byte"))
    if object.file then text = ("%s, from %s:%d"):format(text, object.file, object.line) end
    note("object", text)
  end
  if err.rule then note("rule", err.rule) end
  if err.help then note("help", err.help) end
  local explained = options and options.explained
  if kind == "error" and not (explained and explained[err.code]) then note("more", "accdeep explain " .. err.code) end
  if explained then explained[err.code] = true end
  return table.concat(out, "\n") .. "\n"
end

-- ------------------------------------------------------------------------------------- formats --

-- Returns two numbers: the cases in all records, and the failed cases.
local function count(records)
  local total, failed = 0, 0
  for _, record in ipairs(records) do
    for _, case in ipairs(record.cases) do
      total = total + 1
      if not case.ok then failed = failed + 1 end
    end
  end
  return total, failed
end

-- Formatters by name: formats.NAME(options) returns a formatter. Its method record(record) is called with each record
-- when the record is complete, in the order of the files. Its method finish(records) is called once at the end. The
-- functions options.out(text) and options.err(text) write. Its field `live` is true if the scenario's output is printed
-- while the scenario runs; otherwise that output is stored in the record.
local formats = {}

-- Returns a predicate that is true for a failed case if the error of another case of `record` has the same location.
-- Such an error is printed with the name of its case.
local function shared_locations(record)
  local counts = {}
  local function location_text(case) return ("%s:%s"):format(case.error.file, case.error.line) end
  for _, case in ipairs(record.cases) do
    if case.error then counts[location_text(case)] = (counts[location_text(case)] or 0) + 1 end
  end
  return function(case) return counts[location_text(case)] > 1 end
end

-- Returns the rule profile of a failed case, in parentheses after a blank; "" for other cases, and if the reason is a
-- file, a device or a limit.
local function profile_note(case)
  if case.ok or not case.profile or case.error.phase == "environment" then return "" end
  return (" (rules: %s)"):format(case.profile)
end

-- Returns the formatter for people: a line for each case, and the full text of each error. Unless there is one case in
-- one file, the number of cases that hold follows at the end. options.color: true to color results;
-- options.color_errors: true to color errors.
function formats.text(options)
  local paint = painter(options.color)
  local paint_error = { color = options.color_errors, explained = {} }
  local self = { live = true }
  function self.record(record)
    local is_shared = shared_locations(record)
    for _, case in ipairs(record.cases) do
      local name = case.name
      if #record.cases > 1 or name ~= record.file then name = ("%s: %s"):format(record.file, name) end
      options.out(("%s %s%s\n"):format(case.ok and paint("green", "ok  ") or paint("red", "FAIL"), printable(name),
        profile_note(case)))
      if not case.ok then
        paint_error.case = is_shared(case) and case.name or nil
        options.err(report.error(case.error, paint_error))
      end
    end
  end
  function self.finish(records)
    local total, failed = count(records)
    if total == 1 and #records == 1 then return end
    options.out(("%d of %d cases hold, in %s\n"):format(total - failed, total, strings.count(#records, "file")))
  end
  return self
end

-- Returns the formatter for the Test Anything Protocol, version 13. Output and errors become comments.
function formats.tap(options)
  local n, explained = 0, {}
  local self = {}
  function self.record(record)
    if n == 0 then options.out("TAP version 13\n") end
    for line in (record.output or ""):gmatch "[^\n]+" do options.out("# " .. line .. "\n") end
    for _, case in ipairs(record.cases) do
      n = n + 1
      local name = printable(("%s: %s"):format(record.file, case.name)):gsub("#", " ") -- "# TODO" is a directive
      options.out(("%s %d - %s%s\n"):format(case.ok and "ok" or "not ok", n, name, profile_note(case)))
      if not case.ok then
        local text = report.error(case.error, { explained = explained })
        for line in text:gmatch "[^\n]+" do options.out("# " .. line .. "\n") end
      end
    end
  end
  function self.finish() options.out(("1..%d\n"):format(n)) end
  return self
end

local KEYS = { "files", "profiles", "file", "title", "cases", "name", "profile", "bytes", "same", "outcomes", "ok",
  "differs_in", "differs_from", "seconds", "error", "phase" }
for _, key in ipairs(FIELDS) do
  if key ~= "file" then KEYS[#KEYS + 1] = key end
  if key == "rule" then KEYS[#KEYS + 1] = "rule_title" end
end
for _, key in ipairs { "objects", "output", "failed", "differing" } do KEYS[#KEYS + 1] = key end

-- Returns a copy of a value in which all strings are valid UTF-8; tables are copied at all depths. Keys are not
-- changed.
local function utf8_all(value)
  if type(value) == "string" then return strings.to_utf8(value) end
  if type(value) ~= "table" then return value end
  local copy = setmetatable({}, getmetatable(value))
  for k, v in pairs(value) do copy[k] = utf8_all(v) end
  return copy
end

-- Returns a value as JSON text, with invalid UTF-8 replaced, and a line feed. A list must not be empty.
function report.json(value)
  return require "dkjson".encode(utf8_all(value), { indent = true, keyorder = KEYS }) .. "\n"
end

-- Returns the formatter for JSON: one object at the end, with the records and the numbers of cases and of failed cases.
-- options.rule_title(id), if there is one, returns the title of a rule or nil: errors get the title beside their rule.
function formats.json(options)
  local self = {}
  function self.record(record)
    for _, case in ipairs(record.cases) do
      local rule = options.rule_title and case.error and case.error.rule
      if rule then case.error.rule_title = options.rule_title(rule) end
    end
  end
  function self.finish(records)
    local total, failed = count(records)
    options.out(report.json { files = setmetatable(records, { __jsontype = "array" }), cases = total, failed = failed })
  end
  return self
end

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }
-- Returns a value as text for XML: special characters escaped, characters that XML does not allow replaced by a
-- question mark.
local function xml(text)
  return (strings.to_utf8(tostring(text)):gsub('[&<>"]', ENTITIES):gsub("\u{FFFE}", "?"):gsub("\u{FFFF}", "?")
    :gsub("[%c]", function(c) return (c == "\n" or c == "\t") and c or "?" end))
end

-- Returns the formatter for JUnit's XML: one document at the end, with a test suite for each record.
function formats.junit(options)
  local self = {}
  function self.record() end
  function self.finish(records)
    local total, failed = count(records)
    local out = options.out
    out('<?xml version="1.0" encoding="UTF-8"?>\n')
    out(('<testsuites tests="%d" failures="%d">\n'):format(total, failed))
    for _, record in ipairs(records) do
      local n, failures = count { record }
      out(('  <testsuite name="%s" tests="%d" failures="%d" time="%.6f">\n'):format(xml(record.file), n,
        failures, record.seconds))
      for _, case in ipairs(record.cases) do
        out(('    <testcase name="%s" classname="%s" time="%.6f"'):format(xml(case.name), xml(record.file),
          case.seconds))
        if case.ok then
          out("/>\n")
        else
          out(('>\n      <failure type="%s" message="%s">%s</failure>\n    </testcase>\n'):format(
            xml(case.error.code), xml(case.error.message .. profile_note(case)), xml(report.error(case.error))))
        end
      end
      if record.output and record.output ~= "" then
        out(("    <system-out>%s</system-out>\n"):format(xml(record.output)))
      end
      out("  </testsuite>\n")
    end
    out("</testsuites>\n")
  end
  return self
end

report.formats = formats

-- ---------------------------------------------------------------------------------- exit status --

local STATUS = { text = 2, static = 2, run = 1, environment = 3, internal = 70 }

-- Returns the program's exit status for an error's phase; 70 for a phase without a status of its own.
function report.status_of(phase) return STATUS[phase] or 70 end

-- Returns the program's exit status after these records: the highest status of a failed case; 0 if no case failed.
function report.status(records)
  local status = 0
  for _, record in ipairs(records) do
    for _, case in ipairs(record.cases) do
      if not case.ok then status = math.max(status, report.status_of(case.error.phase)) end
    end
  end
  return status
end

return report
