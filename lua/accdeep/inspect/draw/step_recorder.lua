-- step_recorder.lua - records a snapshot of host and device after each step of a running scenario.
--
-- step_recorder.new(listed_names) returns a recorder. Recorder:observer returns the observer of a run;
-- Recorder:finish(result of the run) returns the cases:
--   case   {name, ok, rules, steps, failed_at, dropped, hidden}
--     failed_at  number of the step that failed.
--     dropped    number of steps that were not recorded, beyond the limits.
--     hidden     names of objects in groups that a step is about, as keys, or nil.
--   step   {title, text, file, line, callers, ends, events, moved, snapshot, error}
--     text       of the directive; ends: true for the end of a region.
--     moved      copied bytes: {{host = id, device = id, offset, bytes, direction = "in" or "out"} ...}. host and
--                device are ids of the snapshot's objects.
--     error      as report.to_plain_data returns it.
-- `listed_names`: hidden names by number of the case, for a second run that lists these objects one by one.
-- draw/init.lua runs scenarios with a recorder.

local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local report = require "accdeep.base.report"
local scenario = require "accdeep.script.scenario"
local snapshot = require "accdeep.inspect.snapshot"

-- Limits of the recorded steps of a case, and of the objects in all steps of all cases. Beyond these limits, the last
-- step of a case is recorded, and failed steps while the case has fewer than MAX_FAILURES steps.
local MAX_STEPS, MAX_OBJECTS = 300, 400000
local MAX_FAILURES = 2 * MAX_STEPS
-- Limits of copied objects in groups that the second run lists one by one: of one step, and of all steps of a case. The
-- objects of a step beyond a limit stay in their groups.
local MAX_PER_STEP, MAX_PER_CASE = 6, 24

local Recorder = {}
Recorder.__index = Recorder

local DIRECTIONS = { h2d = "in", d2h = "out" }

-- Returns a function (session, numbers, listed_names) that takes snapshots and returns the results of snapshot.take.
-- Snapshots must not count as steps of the scenario's limit. They are therefore taken in a coroutine that is created
-- before the scenario runs: the limit counts only coroutines that the scenario makes.
local function new_snapshot_thread()
  local thread = coroutine.create(function(session, numbers, listed_names)
    while true do
      session, numbers, listed_names = coroutine.yield(snapshot.take(session, nil, numbers, nil, listed_names))
    end
  end)
  return function(session, numbers, listed_names)
    local ok, result, locate = coroutine.resume(thread, session, numbers, listed_names)
    if not ok then error(result, 0) end
    return result, locate
  end
end

-- Returns a recorder. `listed_names`: number of the case -> set of the names of objects that snapshots list one by one;
-- or nil.
local function new(listed_names)
  return setmetatable({ cases = {}, events = {}, objects = 0, take_snapshot = new_snapshot_thread(),
    listed_names = listed_names or {} }, Recorder)
end

-- ------------------------------------------------------------------------------------------ steps --

-- Returns the current case; begins a new case if there is none.
function Recorder:case()
  if not self.current then
    self.current = { steps = {}, numbers = {}, dropped = 0, moved = 0 }
    self.cases[#self.cases + 1] = self.current
  end
  return self.current
end

-- Returns a list of what the events copied ({host, device, offset, bytes, direction}), and a list of the names of
-- copied objects that are in groups. `locate`: second result of snapshot.take.
local function moves(events, locate)
  local list, hidden = {}, {}
  for _, event in ipairs(events) do
    if DIRECTIONS[event.op] and event.host and event.host ~= 0 then
      local host, offset, device, grouped = locate(event.host)
      list[#list + 1] = { host = host, device = device, offset = offset, bytes = event.bytes,
        direction = DIRECTIONS[event.op] }
      hidden[#hidden + 1] = grouped
    end
  end
  return list, hidden
end

-- Returns a list of the names of objects in groups that an error is about: the objects that the error carries, and the
-- objects named in its message. Both are needed because, for an unattached pointer, the error does not carry the
-- target. `locate`: second result of snapshot.take.
local function hidden_objects(err, locate)
  local hidden = {}
  for _, object in ipairs(rawget(err, "objects") or {}) do
    local _, _, _, grouped = locate(type(object) == "table" and object.host or 0)
    hidden[#hidden + 1] = grouped
  end
  for name in err.message:gmatch "[%a_][%w_.%[%]()%%>-]*[%w_%])]" do hidden[#hidden + 1] = locate(name) end
  return hidden
end

-- Adds the names in `list`, of objects in groups, to the set `hidden` of a case.
local function remember_hidden(case, list)
  for _, name in ipairs(list) do
    case.hidden = case.hidden or {}
    case.hidden[name] = true
  end
end

-- Returns a new table with the fields of an event that a step needs.
local function event_record(event)
  return { op = event.op, name = event.name, bytes = event.bytes, rule = event.rule, device = event.device }
end

-- Returns true if two values are equal; tables are compared at all depths and must not contain themselves.
local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

-- Replaces parts of the snapshot `shot` by the equal parts of the previous snapshot `before`, to share memory.
-- picture.lua finds unchanged objects by this identity.
local function share(shot, before)
  for key, list in pairs(shot) do
    for i, item in ipairs(type(list) == "table" and list or {}) do
      local old = before[key][i]
      if old and same(old, item) then list[i] = old end
    end
  end
end

-- Records `step`, a table with title and location: adds a snapshot of the session, and the events since the previous
-- step. Beyond the limits (MAX_STEPS, MAX_OBJECTS), steps are only counted in `dropped`, except failed steps (up to
-- MAX_FAILURES) and steps with `always`, the last one.
function Recorder:add(session, step, always)
  local case = self:case()
  local events = self.events
  self.events = {}
  local full = #case.steps >= (step.error and MAX_FAILURES or MAX_STEPS)
    or not step.error and self.objects > MAX_OBJECTS
  if full and not always then
    case.dropped = case.dropped + 1
    return
  end
  local locate
  step.snapshot, locate = self.take_snapshot(session, case.numbers, self.listed_names[#self.cases])
  local before = case.steps[#case.steps]
  if before then share(step.snapshot, before.snapshot) end
  self.objects = self.objects + #step.snapshot.present + #step.snapshot.host
  local hidden
  step.moved, hidden = moves(events, locate)
  if #hidden <= MAX_PER_STEP and case.moved < MAX_PER_CASE then
    case.moved = case.moved + #hidden
    remember_hidden(case, hidden)
  end
  if step.error then remember_hidden(case, hidden_objects(step.error, locate)) end
  step.events = {}
  for i, event in ipairs(events) do step.events[i] = event_record(event) end
  case.rules = session.rules.name or session.options.rules or "tr14"
  case.steps[#case.steps + 1] = step
end

-- Records the state before the first step of a case; does nothing if the case has steps. Events so far are kept for the
-- next step.
function Recorder:begin(session)
  if #self:case().steps == 0 then
    local events = self.events
    self.events = {}
    self:add(session, { title = "at the beginning" })
    self.events = events
  end
end

-- Records `step` as a step that failed with the error `err`. An error is recorded once, however many functions it
-- passes through. Errors of limits are not recorded.
function Recorder:add_failure(session, err, step)
  if err == self.reported_error or diagnostic.is_limit(err) then return end
  self.reported_error, step.error = err, err
  self:add(session, step)
end

-- Observes the beginning of a construct, or, if `ends` is true, the end of a region. `plan`: the construct IR of the
-- directive. Returns the finisher, a function (err) that records the construct as a step; err: its error, or nil.
function Recorder:observe_construct(session, plan, ends)
  local source_location = plan.location
  self:begin(session)
  self.events = {}
  return function(err)
    local text = (source_location.text or ""):gsub("%s+", " "):gsub("^ ", "")
    local step = { title = ends and "end of " .. text or text, text = source_location.text,
      file = source_location.file, line = source_location.line, ends = ends or nil,
      callers = location.callers(source_location.file, source_location.line) }
    local enclosing = session.program.enclosing_texts[source_location.text]
    if enclosing then
      local at = enclosing.text:find(source_location.text, 1, true)
        or source_location.text:find "%S" -- blanks before the directive stand for the enclosing text before it
      step.line = location.line_of(enclosing.text, at, enclosing.file, enclosing.line)
    elseif ends then
      local file, line = location.scenario(2)
      step.file, step.line = file or step.file, line or step.line
      step.callers = location.callers(step.file, step.line)
    end
    if err then return self:add_failure(session, err, step) end
    self:add(session, step)
  end
end

-- ------------------------------------------------------------------------------- the script's names --

-- Returns the source line of a script in which the error `err` was raised, without indentation; nil if it is unknown.
local function source_line(err)
  local source = err.file and err.line and location.source(err.file)
  local line = source and location.line(source, err.line)
  return line and line:match "^%s*(.-)%s*$" or nil
end

-- Calls fn(...), a function of the script's language, and returns its results. An error that no construct has reported
-- becomes a step. Every error is raised again. `title`: title of that step, or nil for the source line.
function Recorder:run_recorded(run, title, fn, ...)
  local file, line = location.scenario(2)
  local results = table.pack(pcall(fn, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local err = results[2]
  if diagnostic.is(err) then
    self:begin(run.session)
    self:add_failure(run.session, err, { title = title or source_line(err) or err.code, text = err.text,
      file = err.file or file, line = err.line or line })
  end
  error(err, 0)
end

-- Returns a text in one line without leading blanks; "" for a value that is no text.
local function one_line(text) return type(text) == "string" and text:gsub("%s+", " "):gsub("^ ", "") or "" end

-- Functions (recorder, run, name, fn) that return the replacement for the script's function `fn`, by the kind of `fn`
-- in scenario.statements.
local wrappers = {}

-- Wraps acc and omp: their errors, and errors of the function that takes a body, become steps.
function wrappers.directive(self, run, _, fn)
  return function(text, ...)
    local result = self:run_recorded(run, one_line(text), fn, text, ...)
    if type(result) ~= "function" then return result end
    return function(...) return self:run_recorded(run, one_line(text), result, ...) end
  end
end

-- Wraps an API routine: a call that causes events, or fails, is a step.
function wrappers.routine(self, run, name, fn)
  return function(...)
    self:begin(run.session)
    local file, line = location.scenario(1)
    local results = table.pack(self:run_recorded(run, name, fn, ...))
    if #self.events > 0 then
      self:add(run.session, { title = ("%s(%s)"):format(name, type((...)) == "string" and one_line((...)) or "..."),
        file = file, line = line })
    end
    return table.unpack(results, 1, results.n)
  end
end

-- Wraps case: the steps of a case are recorded as a case of the recorder. Errors of `fn`, such as limits, are raised
-- again after the case was marked as failed.
function wrappers.case(self, run, _, fn)
  return function(name, body)
    self.current = nil
    local case = self:case()
    local ok, err = pcall(fn, name, type(body) == "function" and function()
      body()
      self:add_end(run.session)
    end or body)
    self.current = nil
    local result = ok and run.cases[#run.cases]
    if result then
      case.name, case.ok, case.failure = result.name, result.ok, result.error
    else -- scenario.lua recorded no result: a limit ended the run, or the arguments of `case` are invalid
      case.name, case.ok, case.failure = type(name) == "string" and name or "case", false, err
    end
    if not ok then error(err, 0) end
  end
end

-- Returns the function that replaces the function `fn` of the script, called `name`; nil if `fn` stays.
function Recorder:wrap(run, name, fn)
  local wrapper = wrappers[scenario.statements[name]]
  if wrapper then return wrapper(self, run, name, fn) end
  if name == "fortran" or name == "call" then return function(...) return self:run_recorded(run, nil, fn, ...) end end
  if name:find "^expect%." then return function(...) return self:run_recorded(run, name, fn, ...) end end
end

-- Records the end of a case as a step, if the state has changed since the previous step.
function Recorder:add_end(session)
  local steps = self:case().steps
  self:begin(session)
  self:add(session, { title = "at the end" }, true)
  if #steps < 2 then return end
  if same(steps[#steps].snapshot, steps[#steps - 1].snapshot) then steps[#steps] = nil end
end

-- --------------------------------------------------------------------------------------- the run --

-- Returns the observer of a run (base/observers.lua).
function Recorder:observer()
  return {
    event = function(event) table.insert(self.events, event) end,
    construct = function(...) return self:observe_construct(...) end,
    statement = function(...) return self:wrap(...) end,
    -- records the end of a file that has statements outside of cases, or no cases
    last = function(session) if self.current or #self.cases == 0 then self:add_end(session) end end,
    draw = function(session, name) self:add(session, { title = ('draw "%s"'):format(name) }) end,
  }
end

local NOTHING = { host = {}, device = {}, attached = {}, present = {}, levels = {} }

-- Completes the steps of a case at the end of the run: errors become plain data, and a failure that is not a step yet
-- is appended as one.
local function close(case)
  local steps, is_recorded = case.steps, false
  for i, step in ipairs(steps) do
    if case.failure and step.error == case.failure then case.failed_at, is_recorded = i, true end
    step.error = step.error and report.to_plain_data(step.error)
  end
  if case.failure and not is_recorded then -- the failure was in no directive: a script error, or a limit
    local failure = report.to_plain_data(case.failure)
    local before = steps[#steps]
    steps[#steps + 1] = { title = "the script fails", file = failure.file, line = failure.line, events = {},
      moved = {}, snapshot = before and before.snapshot or NOTHING, error = failure }
    case.failed_at = #steps
  end
  case.numbers = nil
end

-- Returns a list of the cases of a finished run; statements outside of cases count as a case. `record`: the result of
-- scenario.run.
function Recorder:finish(record)
  -- scenario.run appends the result of the statements outside of cases as the last case
  local own = record.cases[#record.cases]
  if #self.cases == 0 then self:case() end
  for _, case in ipairs(self.cases) do
    if case.ok == nil then
      case.ok, case.name = true, record.title or record.file
      if own and own.name == case.name then case.ok, case.failure = own.ok, own.error end
    end
    close(case)
  end
  return self.cases
end

return { new = new }
