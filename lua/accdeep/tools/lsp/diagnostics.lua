-- diagnostics.lua - errors of accdeep as diagnostics of the protocol.
--
-- A diagnostic has the code, and the message with help and rule. The description of the code is the rule's text.
-- Related information has the places of the rule, of objects and of callers.

local documents = require "accdeep.tools.lsp.documents"
local lookup = require "accdeep.tools.lsp.lookup"
local messages = require "accdeep.tools.lsp.messages"
local rules = require "accdeep.definitions.rules"
local strings = require "accdeep.base.strings"

local diagnostics = {}

local SEVERITY = { error = 1, warning = 2, information = 3 }

-- Returns the range of the protocol from a column to the column `last`, which is included, of a line of a document.
local function range(document, line, first, last, encoding)
  return { start = document:to_protocol(line, first, encoding),
    ["end"] = document:to_protocol(line, last + 1, encoding) }
end

diagnostics.range = range

-- Returns the first and last column of the word at a column of a text; of the text without its indentation if `column`
-- is nil. `length`: of the word, if it is known.
local function span(text, column, length)
  if not column then
    local first = text:find "%S" or 1
    return first, math.max(first, #text:match "^(.-)%s*$")
  end
  local word = text:match("^[%w_]+", column)
  return column, column + math.max(1, length or (word and #word) or 1) - 1
end

-- Returns the location of a line in a file as related information; nil if the file has no path.
local function related(file, line, message)
  if not file or not file:find "^/" then return nil end
  local position = { line = math.max(0, line - 1), character = 0 }
  return { location = { uri = documents.uri(file), range = { start = position, ["end"] = position } },
    message = message }
end

-- Returns the diagnostic of an error at a range. `err`: {code, message, rule, help, notes, wanted, found, callers,
-- objects}; `severity`: a key of SEVERITY.
local function diagnostic_of(err, at, severity)
  local parts = { err.message }
  -- Appends a line "word: text".
  local function add(word, text) if text then parts[#parts + 1] = ("%s: %s"):format(word, text) end end
  add("wanted", err.wanted)
  add("found", err.found)
  for _, note in ipairs(err.notes or {}) do add("note", note) end
  add("help", err.help)
  local title = err.rule and rules.title(err.rule)
  add("rule", err.rule and (title and err.rule .. ", " .. title or err.rule))
  local list = {}
  -- Appends related information; nothing for nil.
  local function relate(information) list[#list + 1] = information end
  for _, caller in ipairs(err.callers or {}) do relate(related(caller.file, caller.line, "called from here")) end
  for _, object in ipairs(err.objects or {}) do
    if object.file then
      relate(related(object.file, object.line, ("%s, %d bytes, is mapped here"):format(object.name ~= "" and object.name
        or "an unnamed object", object.bytes)))
    end
  end
  local path, line = lookup.rule(err.rule or "")
  relate(path and related(path, line, ("%s: %s"):format(err.rule, title)))
  return { range = at, severity = SEVERITY[severity], code = err.code, source = "accdeep",
    codeDescription = path and { href = ("%s#L%d"):format(documents.uri(path), line) } or nil,
    message = strings.to_utf8(table.concat(parts, "\n")), relatedInformation = list[1] and messages.array(list) or nil }
end

-- Returns the diagnostic of an error that names file, line and perhaps column, as report.to_plain_data returns it. An
-- error in another file is shown in the first line.
function diagnostics.of_error(document, err, encoding, severity)
  if err.file ~= document.path or not err.line then
    local copy = {}
    for key, value in pairs(err) do copy[key] = value end
    if err.file then copy.message = ("in %s:%d: %s"):format(err.file, err.line or 0, err.message) end
    local first, last = span(document:line(1))
    return diagnostic_of(copy, range(document, 1, first, last, encoding), severity or "error")
  end
  local text = document:line(err.line)
  local first, last = span(text, err.column, err.length)
  return diagnostic_of(err, range(document, err.line, first, last, encoding), severity or "error")
end

-- Returns the diagnostic of a finding of unit_check.lua.
function diagnostics.of_finding(document, finding, encoding)
  local line, column = document:position(finding.at)
  local first, last = span(document:line(line), column, finding.length)
  return diagnostic_of(finding, range(document, line, first, last, encoding), finding.severity)
end

return diagnostics
