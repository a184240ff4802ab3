-- mutation.lua [--list] FILE... - mutation test of scenarios: each case is run once without each of its directives,
-- and once with each of its expectations inverted.
--
-- A mutant survives if the case still holds; its test then shows nothing. A directive without an event or error
-- (enter, exit, update or wait without effect) may survive: it is counted separately. The event of a wait does not
-- count. Expectations inside of `expect.fails` are not mutated, because they are not evaluated. A directive that is
-- the text of an expectation is mutated with the expectation.
--
-- The script prints the number of noticed mutants for each folder, and with --list the survivors: the lines of the
-- calls, innermost first. A comment "-- unnoticed: ..." in one of these lines, or above, gives a survivor's reason.
-- The exit status is 1 if less than 95 % of a folder's mutants are noticed, or if nothing survives at a reason. It
-- runs in stock Lua with the built module: LUA_PATH and LUA_CPATH must name their folders.

local scenario = require "accdeep.script.scenario"
local definition = require "accdeep.steps".definition

local LEAST, STEPS = 0.95, 1 << 26

-- Kinds of directives that have no effect if they have no event.
local eventful = { ["enter data"] = true, ["exit data"] = true, ["end data"] = true, update = true, wait = true,
  init = true }

-- Returns the entry of a directive in its table, or an empty table. word: acc or omp.
local function definition_of(word, text)
  return type(text) == "string" and definition { kind = word, text = text } or {}
end

local function is_eventful(word, text)
  return eventful[definition_of(word, text).kind] and not text:find "async" -- events of async occur at the wait
end

-- Returns the object that replaces an omitted construct. The body of a data construct runs without the construct; an
-- omitted kernel does nothing.
local function no_operation(word, text)
  local function run(body)
    if definition_of(word, text).structured and type(body) == "function" then return body() end
    return nil
  end
  return setmetatable({ close = function() end, abandon = function() end },
    { __call = function(_, body) return run(body) end, __close = function() end })
end

-- ------------------------------------------------------------------------------- expectations --

local ODD = "something else"

-- Functions that return the inverted expectation and its arguments; other expectations cannot be inverted.
local inversions = {
  equal = function(e, value) return e.equal, value, ODD end,
  host = function(e, text) return e.host, text, ODD end,
  device = function(e, text) return e.device, text, ODD end,
  present = function(e, text) return e.absent, text end,
  absent = function(e, text) return e.present, text end,
  attached = function(e, text) return e.detached, text end,
  detached = function(e, text) return e.attached, text end,
  uninitialized = function(e, text)
    return function() e(not pcall(e.uninitialized, text)) end
  end,
  moves = function(e, fn, expected)
    local other = {}
    for kind, amount in pairs(expected) do
      other[kind] = math.type(amount) == "integer" and amount + 1 or {}
      for field, n in pairs(type(amount) == "table" and amount or {}) do other[kind][field] = n + 1 end
    end
    return e.moves, fn, other
  end,
  count = function(e, text, expected)
    local other = {}
    for key, n in pairs(expected) do other[key] = n == math.huge and 0 or n + 1 end
    return e.count, text, other
  end,
  events = function(e, fn, expected)
    local other = table.move(expected, 1, #expected, 1, {})
    other[#other + 1] = "fuse " .. ODD
    return e.events, fn, other
  end,
  fails = function(e, code, ...) return e.fails, code == "limit" and "file" or "limit", ... end,
  warns = function(e, code, ...) return e.warns, code == "limit" and "file" or "limit", ... end,
  invalid = function(e, text, code, details) return e.invalid, text, code == "limit" and "file" or "limit", details end,
  accepts = function(e, text) return e.invalid, text, "limit" end,
  malformed = function(e, text, _, details) return e.malformed, text, "unknown-name", details end,
}

-- ------------------------------------------------------------------------------------ mutants --

-- Returns the lines of a file in the call stack, innermost first.
local function place_in(path)
  local lines = {}
  for level = 3, 60 do
    local info = debug.getinfo(level, "Sl")
    if not info then break end
    if info.source == "@" .. path then lines[#lines + 1] = info.currentline end
  end
  return lines
end

-- Runs a file with one step of one case mutated. mutation: {case, key}. steps: filled with the steps of the case
-- if mutation has no key. Returns true if the case holds, true if the step was reached, and the result.
local function run(path, text, mutation, steps)
  local current, is_reached
  local events, failing, last, is_expected = 0, 0, nil, false
  -- Ends the last step: later events are not its own.
  local function end_step()
    if last and events > last.before then last.is_idle = false end
    last = nil
  end
  local function step(kind, word, directive)
    if current ~= mutation.case or failing > 0 and kind == "expectation" then return false end
    local lines = place_in(path)
    local key = kind .. " " .. table.concat(lines, " ")
    if mutation.key then
      is_reached = is_reached or key == mutation.key
      return key == mutation.key
    end
    end_step()
    last = steps[key]
    if not last then
      last = { key = key, kind = kind, lines = lines, is_idle = word ~= nil and is_eventful(word, directive) }
      steps[key], steps[#steps + 1] = last, last
    end
    last.before = events
    if failing > 0 then last.is_idle = false end
    return false
  end
  local function record(env, scenario_run)
    for _, word in ipairs { "acc", "omp" } do
      local carry_out = env[word]
      env[word] = function(directive, ...)
        if scenario_run.words then return carry_out(directive, ...) end -- words of a vocabulary
        if is_expected then -- the directive belongs to an expectation, which is mutated itself
          is_expected = false
          return carry_out(directive, ...)
        end
        if step("directive", word, directive) then return no_operation(word, directive) end
        return carry_out(directive, ...)
      end
    end
    local original_expect = env.expect
    local e = {}
    for name, expectation in pairs(original_expect) do
      e[name] = function(...)
        if inversions[name] and step "expectation" then
          local changed = table.pack(inversions[name](original_expect, ...))
          return changed[1](table.unpack(changed, 2, changed.n))
        end
        is_expected = name == "accepts" or name == "fails" and type((select(2, ...))) == "string"
        if name ~= "fails" then return expectation(...) end
        failing = failing + 1 -- expectations inside are not evaluated
        local result = table.pack(pcall(expectation, ...))
        failing, is_expected = failing - 1, false
        if not result[1] then error(result[2], 0) end
        return table.unpack(result, 2, result.n)
      end
    end
    env.expect = setmetatable(e, { __call = function(_, condition, message)
      if step "expectation" then condition = not condition end
      return original_expect(condition, message)
    end })
    local case = env.case
    local number = 0
    env.case = function(name, body)
      if current then return case(name, body) end
      number = number + 1
      if mutation.case and number ~= mutation.case then return end
      current = number
      case(name, body)
      end_step()
      current = nil
    end
    is_reached = false
    return scenario_run
  end
  local observer = { names = record }
  function observer.event(event)
    if event.op ~= "wait" then events = events + 1 end -- a wait for nothing reports itself
  end
  function observer.construct(_, _, ends)
    if ends then end_step() end
  end
  function observer.statement(_, name, statement)
    return name ~= "acc" and name ~= "omp" and function(...)
      end_step()
      return statement(...)
    end
  end
  local result = scenario.run(path, text, { out = function() end, limit_steps = STEPS, observers = { observer } })
  local case = result.cases[#result.cases]
  return case and case.ok, is_reached, result
end

-- ---------------------------------------------------------------------------------- the whole --

local function lines_of(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  return lines
end

-- Returns the line with the reason why an omitted step is not noticed, or nil.
local function reason_of(step, lines)
  for _, line in ipairs(step.lines) do
    if lines[line]:find "%-%- unnoticed: " then return line end
    if (lines[line - 1] or ""):find "^%s*%-%- unnoticed: " then return line - 1 end
  end
  return nil
end

local is_list = arg[1] == "--list"
if is_list then table.remove(arg, 1) end

-- Counts of mutants by folder, and in total.
local total = { name = "all" }
local parts, failed = {}, false

local function part_of(path)
  local name = path:match "^(.*)/" or "."
  if not parts[name] then
    parts[name] = { name = name }
    parts[#parts + 1] = parts[name]
  end
  return parts[name]
end

local function count(path, kind, result)
  for _, part in ipairs { part_of(path), total } do
    local n = part[kind] or { idle = 0, noticed = 0, excused = 0, silent = 0 }
    n[result], part[kind] = n[result] + 1, n
  end
end

for _, path in ipairs(arg) do
  local file <close> = assert(io.open(path))
  local text = file:read "a"
  local lines, used = lines_of(text), {}
  local cases = scenario.run(path, text, { out = function() end }).cases
  for k, case in ipairs(cases) do
    local steps = {}
    local ok = run(path, text, { case = k }, steps)
    if not ok then error(("%s: %s does not hold by itself"):format(path, case.name)) end
    for _, step in ipairs(steps) do
      local holds, is_reached = run(path, text, { case = k, key = step.key }, steps)
      if not is_reached then error(("%s: %s does not get to %s again"):format(path, case.name, step.key)) end
      local reason = holds and not step.is_idle and reason_of(step, lines)
      if reason then used[reason] = true end
      local result = not holds and "noticed" or step.is_idle and "idle" or reason and "excused" or "silent"
      if is_list and result == "silent" then
        print(("%s:%s: %s: %s"):format(path, table.concat(step.lines, " < "), step.kind, case.name))
      end
      count(path, step.kind, result)
    end
  end
  for line, row in ipairs(lines) do
    if row:find "%-%- unnoticed: " and not used[line] then
      print(("%s:%d: this reason is out of date: nothing survives here"):format(path, line))
      failed = true
    end
  end
end

parts[#parts + 1] = total
for _, kind in ipairs { "directive", "expectation" } do
  for _, part in ipairs(parts) do
    local n = part[kind] or { idle = 0, noticed = 0, excused = 0, silent = 0 }
    local all = n.noticed + n.excused + n.silent
    print(("%s: %d of %d mutants by %s are noticed, %.1f %%; %d have a reason, %d do nothing"):format(part.name,
      n.noticed, all, kind, 100 * n.noticed / math.max(all, 1), n.excused, n.idle))
    failed = failed or n.noticed < LEAST * all or part == total and all == 0
  end
end
os.exit(not failed)
