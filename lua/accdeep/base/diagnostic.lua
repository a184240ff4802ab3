-- diagnostic.lua - errors that carry a stable code, a position, a rule and a help text.
--
-- Every error of the interpreter is a table of this class. A phase raises it with an index into the text that the phase
-- processes (`pos`); the caller that has the text adds file, line and column (location.locate_error). Fields that a
-- scenario sees: code, message, rule, file, line, column, help, objects and callers. `callers` is a list of {file,
-- line}, innermost first: the calls that reach file:line. `in_text` means that the column refers to the text of the
-- directive, because the file does not contain that text literally.

local error_codes = require "accdeep.base.error_codes"
local location = require "accdeep.base.location"

local diagnostic = {}

local Error = { __name = "accdeep.error" }

-- Metamethod for fields that an error lacks. Returns the help of the error's code if `key` is "help", which the raising
-- function did not give; nil for other keys.
function Error:__index(key)
  if key == "help" then return diagnostic.help(self) end
  return nil
end

-- Returns the error as text: "file:line:column: error[CODE]: message". The location is left out if the file is unknown,
-- the column if it is unknown or counts in the directive's text (`in_text`). An unknown line is 0.
function Error:__tostring()
  local prefix = ""
  if self.file then
    prefix = ("%s:%d:"):format(self.file, self.line or 0)
    if self.column and not self.in_text then prefix = prefix .. ("%d:"):format(self.column) end
    prefix = prefix .. " "
  end
  return ("%serror[%s]: %s"):format(prefix, self.code, self.message)
end

-- Error codes by phase. text: malformed text; static: broken static rules; run: run time; environment: failures outside
-- of accdeep; internal: errors of accdeep itself; finding: reports of `accdeep exec`. The phase determines the exit
-- status of the program `accdeep` (report.lua).
local phases = {
  text = "syntax",
  static = [[unknown-name unknown-type unknown-member unknown-shape unknown-policy unknown-clause
    duplicate-default-shape duplicate-name duplicate-clause duplicate-member clause-not-allowed
    missing-type mixed-types not-a-pointer not-a-struct shape-required recursive-type type-mismatch
    default-none conflicting-clauses missing-clause unknown-group unsupported]],
  run = [[not-present already-present partially-present partial-overlap not-attached pointer-changed bounds-changed
    still-attached missing-wait data-race invalid-async invalid-section null-pointer out-of-bounds
    host-pointer-on-device device-pointer-on-host excluded-member uninitialized-read region-nesting callback expectation
    scenario-error]],
  environment = "no-device out-of-device-memory device-error out-of-memory limit file",
  internal = "internal misuse",
  finding = [[still-mapped overwritten-change stale-data lost-change idle-transfer repeated-transfer repeated-allocation
    unread-transfer unused-data peak-memory link-time
    not-watched not-checked not-portable order-dependent unused-suppression]],
}

local phase_of = {}
for phase, list in pairs(phases) do
  for code in list:gmatch "[%w-]+" do phase_of[code] = phase end
end

-- Returns the phase of an error code: "text", "static", "run", "environment", "internal", or "finding" for a report of
-- `accdeep exec`; nil for an unknown code.
function diagnostic.phase(code) return phase_of[code] end

-- Returns the results of fn(...), a function that analyses a text. If fn raises, raises the same error again. Its phase
-- becomes "static" if it is a diagnostic with any code except null-pointer, because a null pointer depends on values.
function diagnostic.static(fn, ...)
  local results = table.pack(pcall(fn, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local err = results[2]
  if diagnostic.is(err) and err.code ~= "null-pointer" then err.phase = "static" end
  error(err, 0)
end

-- Returns the table of all error codes: code -> phase. Callers must not change it.
function diagnostic.codes() return phase_of end

-- Returns the help text of an entry of error_codes.lua for the error `err`, a table: see diagnostic.help.
local function fill_help(entry, err)
  local rule, objects, file = rawget(err, "rule"), rawget(err, "objects"), rawget(err, "file")
  local openmp = rawget(err, "openmp") == true
    or type(rule) == "string" and (rule:find "^OMP" or rule:find "^LLNL") ~= nil
  -- Returns the text for the placeholder {key|otherwise} (error_codes.lua): the name of the error's object number
  -- `key`, or its file if `key` is "file" and the file is a scenario (*.lua). Returns `otherwise` if the error has no
  -- such name.
  local function fill_placeholder(key, otherwise)
    local object = math.tointeger(key) and type(objects) == "table" and rawget(objects, math.tointeger(key))
    local name = type(object) == "table" and rawget(object, "name")
      or key == "file" and type(file) == "string" and file:find "%.lua$" and file
    return type(name) == "string" and name ~= "" and name or otherwise
  end
  return (((openmp and entry.openmp) or entry[3]):gsub("{(%w+)|(.-)}", fill_placeholder))
end

-- Returns the help text of an error's code, with the names of the error's objects and its file filled in. Returns nil
-- for an unknown code, and for one whose help is general. err: any table with a code; rule, objects, file and openmp
-- may be nil. The text for OpenMP is chosen if err.openmp is true or the rule belongs to OpenMP.
function diagnostic.help(err)
  local entry = error_codes[rawget(err, "code")]
  return entry and not entry.is_general and fill_help(entry, err) or nil
end

-- Returns the help text of the error code `code`, also a general one. Precondition: the code exists.
function diagnostic.help_of_code(code) return fill_help(error_codes[code], { code = code }) end

-- Returns true if a value, of any type, is an error of this class.
function diagnostic.is(value) return getmetatable(value) == Error end

-- Returns true if an error is the step or memory limit of the whole run, which a scenario cannot catch: expectations
-- and cases raise it again. A limit of a single construct (field of_construct) is an ordinary error.
function diagnostic.is_limit(value)
  return type(value) == "table" and rawget(value, "code") == "limit" and not rawget(value, "of_construct")
end

local KILLED = 128 + 9 -- status of a process that signal 9 (SIGKILL) ended

-- Returns the error for a child process that ended too early. process: its name in the message; status: the status that
-- system.wait returned. A killed process gets the code out-of-memory, because the system kills processes if memory runs
-- out; any other status gets the code internal.
function diagnostic.process_error(process, status)
  if status ~= KILLED then
    return diagnostic.new { code = "internal", rule = "HOUSE-jobs",
      message = ("%s ended with status %s"):format(process, status) }
  end
  return diagnostic.new { code = "out-of-memory", rule = "HOUSE-jobs", message = process .. " was killed",
    help = "the system does that where memory runs out: fewer --jobs need less" }
end

-- Rules of accdeep itself by code, for errors that cite no document's rule.
local house_rules = {
  ["syntax"] = "HOUSE-syntax", ["scenario-error"] = "HOUSE-scenario", ["expectation"] = "HOUSE-expect",
  ["unsupported"] = "HOUSE-version", ["internal"] = "HOUSE-internal", ["misuse"] = "HOUSE-internal",
  ["file"] = "HOUSE-files", ["limit"] = "HOUSE-limit", ["out-of-memory"] = "HOUSE-memory",
  ["out-of-device-memory"] = "HOUSE-memory", ["device-error"] = "HOUSE-memory",
}
for name in ([[unknown-name unknown-type unknown-member unknown-shape unknown-policy unknown-clause
    unknown-group duplicate-name]]):gmatch "%S+" do
  house_rules[name] = "HOUSE-names"
end

-- Makes the table `fields` an error and returns it. It must have a known code (asserted) and a message. An error
-- without a rule gets the rule of accdeep for its code. Decides HOUSE-language.
function diagnostic.new(fields)
  assert(phase_of[fields.code], fields.code)
  fields.rule = fields.rule or house_rules[fields.code] or "HOUSE-language"
  return setmetatable(fields, Error)
end

-- Raises an error. pos: index into the text of the directive or declaration; nil if the error concerns the scenario's
-- own line, which is then looked up on the stack. fields: table that becomes the error, or nil. It may have rule, help,
-- length (of the offending word), objects and, if `pos` is nil, file and line.
function diagnostic.raise(code, pos, message, fields)
  fields = fields or {}
  fields.code, fields.pos, fields.message = code, pos, message
  if not pos and not fields.file then
    fields.file, fields.line = location.scenario(2)
    fields.callers = location.callers(fields.file, fields.line)
  end
  error(diagnostic.new(fields), 0)
end

-- Returns an error for `text`, the message of a Lua error in the interpreter itself, located at the scenario's line.
-- Its code is scenario-error if the script used a value of a session that has ended ("context is closed"), else
-- internal. Returns nil if `text` does not begin with a location in the interpreter, is not a string, or says that no
-- memory is left.
function diagnostic.internal(text)
  local at = type(text) == "string" and text:match "^(.-):%d+: "
  if not at or not location.is_own(at) or text:find "not enough memory$" then return nil end
  local file, line = location.scenario(1)
  if text:find("context is closed)", 1, true) then
    return diagnostic.new { code = "scenario-error", message = "this value is from a session that has ended",
      file = file, line = line, rule = "HOUSE-scenario",
      help = "each case is a session of its own, and rules begins one: take the value there" }
  end
  return diagnostic.new { code = "internal", message = text, file = file, line = line, rule = "HOUSE-internal",
    help = "this is an error of accdeep, not of the scenario" }
end

-- Returns the string key of the table `names` that is closest to a misspelt name; nil if none is close. Close means at
-- most two edits away, or one edit for names of up to three letters. An equal key is never returned. Ties: first a key
-- with the same first letter as `name`, then alphabetical order.
function diagnostic.closest(name, names)
  local best, least = nil, #name < 4 and 2 or 3
  -- Returns true if `candidate`, which is as close as `best`, replaces `best`.
  local function is_better(candidate)
    local a, b = candidate:byte(1) == name:byte(1), best:byte(1) == name:byte(1)
    if a ~= b then return a end
    return candidate < best
  end
  for candidate in pairs(names) do
    if type(candidate) == "string" and math.abs(#candidate - #name) <= least then
      local row = {}
      for j = 0, #candidate do row[j] = j end
      for i = 1, #name do
        local before = row[0]
        row[0] = i
        for j = 1, #candidate do
          local cost = name:byte(i) == candidate:byte(j) and 0 or 1
          before, row[j] = row[j], math.min(row[j] + 1, row[j - 1] + 1, before + cost)
        end
      end
      local distance = row[#candidate]
      if distance > 0 and (distance < least or distance == least and best and is_better(candidate)) then
        best, least = candidate, distance
      end
    end
  end
  return least < #name and best or nil
end

-- Returns "did you mean 'X'?" if a key X of the table `names` is close to `name`. Returns nil if no key is close, or if
-- `name` is not a string.
function diagnostic.suggest(name, names)
  local nearest = type(name) == "string" and diagnostic.closest(name, names)
  return nearest and ("did you mean '%s'?"):format(nearest) or nil
end

local MAX_MEMBERS = 12 -- largest number of members that a help text lists

-- Returns a help text for the unknown member `name` of the type `record`: a close name, otherwise the list of members.
-- Returns nil if the type has no named members or more than MAX_MEMBERS.
function diagnostic.suggest_member(name, record)
  local nearest = diagnostic.suggest(name, record.by_name or {})
  if nearest or not record.by_name then return nearest end
  local names = {}
  for member in pairs(record.by_name) do names[#names + 1] = member:match "^[%a_].*" end
  if #names == 0 or #names > MAX_MEMBERS then return nil end
  table.sort(names)
  return "its members: " .. table.concat(names, ", ")
end

-- Raises the error for a member that the type `record` does not have or that directives cannot name; never returns.
-- record_name: the type's name in messages; name: the member; pos: its index in the text; rule: rule of an unknown
-- member.
function diagnostic.no_member(record, record_name, name, pos, rule)
  if record.hidden and record.hidden[name] then
    diagnostic.raise("unsupported", pos,
      ("'%s', a component that is polymorphic, a procedure pointer, or of deferred length"):format(name),
      { length = #name, rule = "HOUSE-lower", help = "give it a declared type and length" })
  elseif record.bit_fields and record.bit_fields[name] then
    diagnostic.raise("unsupported", pos, ("'%s' is a bit-field, which directives cannot name"):format(name),
      { length = #name, rule = "HOUSE-layout", help = "keep the number in a member that is no bit-field, too" })
  end
  diagnostic.raise("unknown-member", pos, ("%s has no member '%s'"):format(record_name, name),
    { length = #name, rule = rule, help = diagnostic.suggest_member(name, record) })
end

return diagnostic
