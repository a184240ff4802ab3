-- diagnostic.lua - errors that carry a stable code, a position, a rule and help.
--
-- Every error of the interpreter is one of these tables. Passes raise it with the position they know
-- (an index into the text they work on); whoever knows the text adds file, line and column. In Lua a
-- scenario sees the fields code, message, rule, file, line, column, help, objects, callers (a list of {file, line}:
-- the calls that reach the one at file:line, from the inside). Where in_text is set, the column is one of the text,
-- which does not stand in the file as it is.

local error_codes = require "accdeep.base.error_codes"
local location = require "accdeep.base.location"

local diagnostic = {}

local Error = { __name = "accdeep.error" }

-- Where an error comes from the place that raised it has no help, its code's is read.
function Error:__index(key)
  if key == "help" then return diagnostic.help(self) end
  return nil
end

function Error:__tostring()
  local where = ""
  if self.file then
    where = ("%s:%d:"):format(self.file, self.line or 0)
    if self.column and not self.in_text then where = where .. ("%d:"):format(self.column) end
    where = where .. " "
  end
  return ("%serror[%s]: %s"):format(where, self.code, self.message)
end

-- What each code means in the phases a directive goes through: malformed text, broken static rules,
-- run time, and failures of the environment. The exit status of the program follows from it.
local phases = {
  text = "syntax",
  static = [[unknown-name unknown-type unknown-member unknown-shape unknown-policy unknown-clause
    duplicate-default-shape duplicate-name duplicate-clause duplicate-member clause-not-allowed
    missing-type mixed-types not-a-pointer not-a-struct shape-required recursive-type type-mismatch
    default-none conflicting-clauses missing-clause unknown-group unsupported]],
  run = [[not-present already-present partially-present partial-overlap not-attached pointer-changed bounds-changed
    still-attached missing-wait invalid-async invalid-section null-pointer out-of-bounds host-pointer-on-device
    device-pointer-on-host excluded-member uninitialized-read region-nesting callback expectation
    scenario-error]],
  environment = "no-device out-of-device-memory device-error out-of-memory limit file",
  internal = "internal misuse",
  finding = [[still-mapped overwritten-change stale-data lost-change idle-transfer unread-transfer unused-data
    not-watched not-checked unused-suppression]],
}

local phase_of = {}
for phase, list in pairs(phases) do
  for code in list:gmatch "[%w-]+" do phase_of[code] = phase end
end

-- "text", "static", "run", "environment", "internal", or "finding": a report of `accdeep exec`; nil for a code that is
-- unknown.
function diagnostic.phase(code) return phase_of[code] end

-- Results of fn(...), which reads a text: whatever the code of an error, the text is wrong, but for values of pointers.
function diagnostic.static(fn, ...)
  local results = table.pack(pcall(fn, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local err = results[2]
  if diagnostic.is(err) and err.code ~= "null-pointer" then err.phase = "static" end
  error(err, 0)
end

-- All codes, as keys.
function diagnostic.codes() return phase_of end

-- The help of an error's code, in the words of its language, with the names of its objects and its file. err: any
-- table with a code; openmp: the construct is one of OpenMP (else its rule tells).
function diagnostic.help(err)
  local entry = error_codes[rawget(err, "code")]
  if not entry then return nil end
  local rule, objects, file = rawget(err, "rule"), rawget(err, "objects"), rawget(err, "file")
  local openmp = rawget(err, "openmp") == true
    or type(rule) == "string" and (rule:find "^OMP" or rule:find "^LLNL") ~= nil
  local function fill_placeholder(what, otherwise)
    local object = math.tointeger(what) and type(objects) == "table" and rawget(objects, math.tointeger(what))
    local name = type(object) == "table" and rawget(object, "name")
      or what == "file" and type(file) == "string" and file:find "%.lua$" and file
    return type(name) == "string" and name ~= "" and name or otherwise
  end
  return (((openmp and entry.openmp) or entry[3]):gsub("{(%w+)|(.-)}", fill_placeholder))
end

function diagnostic.is(value) return getmetatable(value) == Error end

-- A scenario may not catch a limit of the run: expectations and cases pass it on. One of a construct is
-- an error like others.
function diagnostic.is_limit(value)
  return type(value) == "table" and rawget(value, "code") == "limit" and not rawget(value, "of_construct")
end

local KILLED = 128 + 9

-- The error of a process of ours that ended too early. status: as system.wait gives it. Only the system or a user sends
-- the signal that kills: it is no error of accdeep.
function diagnostic.process_error(what, status)
  if status ~= KILLED then
    return diagnostic.new { code = "internal", rule = "HOUSE-jobs",
      message = ("%s ended with status %s"):format(what, status) }
  end
  return diagnostic.new { code = "out-of-memory", rule = "HOUSE-jobs", message = what .. " was killed",
    help = "the system does that where memory runs out: fewer --jobs need less" }
end

-- The house rule behind a code, for errors that no document's rule asks for.
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

-- Makes an error of a table with at least code and message.
-- Decides HOUSE-language.
function diagnostic.new(fields)
  assert(phase_of[fields.code], fields.code)
  fields.rule = fields.rule or house_rules[fields.code] or "HOUSE-language"
  return setmetatable(fields, Error)
end

-- Raises. pos is an index into the text of the directive or declaration; without one the error is
-- about the scenario's own line. fields may add rule, help, length (of the offending word), objects.
function diagnostic.raise(code, pos, message, fields)
  fields = fields or {}
  fields.code, fields.pos, fields.message = code, pos, message
  if not pos and not fields.file then
    fields.file, fields.line = location.scenario(2)
    fields.callers = location.callers(fields.file, fields.line)
  end
  error(diagnostic.new(fields), 0)
end

-- An error of the interpreter's own, which is not a fault of the scenario whose line it is reported at; nil for a text
-- that does not begin with a place in the interpreter.
function diagnostic.internal(text)
  local at = type(text) == "string" and text:match "^(.-):%d+: "
  if not at or not location.is_own(at) then return nil end
  local file, line = location.scenario(1)
  if text:find("context is closed)", 1, true) then
    return diagnostic.new { code = "scenario-error", message = "this value is from a session that has ended",
      file = file, line = line, rule = "HOUSE-scenario",
      help = "each case is a session of its own, and rules begins one: take the value there" }
  end
  return diagnostic.new { code = "internal", message = text, file = file, line = line, rule = "HOUSE-internal",
    help = "this is an error of accdeep, not of the scenario" }
end

-- The closest of several names to a wrong one, for "did you mean": at most two edits away, one of a name of three
-- letters. Of equally close ones the one that begins alike, then the first of the alphabet.
function diagnostic.closest(name, names)
  local best, least = nil, #name < 4 and 2 or 3
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

-- "did you mean 'X'?" where one of the names is close; nil if none is.
function diagnostic.suggest(name, names)
  local near = type(name) == "string" and diagnostic.closest(name, names)
  return near and ("did you mean '%s'?"):format(near) or nil
end

local MOST_MEMBERS = 12 -- that a help lists

-- Help for a member that a record does not have: a close one, else all that there are.
function diagnostic.suggest_member(name, record)
  local near = diagnostic.suggest(name, record.by_name or {})
  if near or not record.by_name then return near end
  local names = {}
  for member in pairs(record.by_name) do names[#names + 1] = member:match "^[%a_].*" end
  if #names == 0 or #names > MOST_MEMBERS then return nil end
  table.sort(names)
  return "its members: " .. table.concat(names, ", ")
end

-- Raises: a record has no member of that name, or one that cannot be named. record_name: what messages call it.
-- rule: of the text that names it.
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
