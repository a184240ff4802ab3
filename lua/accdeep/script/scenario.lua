-- scenario.lua - the scenario language: the names that a script sees, and the execution of a file of cases.
--
-- Scripts are untrusted: they see a safe part of Lua's library (sandbox.lua) and the names of this language. tools/cli,
-- tools/explore and tools/export call scenario.run and scenario.open.
--
--   Run {file, options, sessions (stack), session (its top), cases, head, checks, observers, out}
--     file session   made by `open`, replaced by scenario { } and rules { }.
--       case session   an inner session for each case, closed at its end.

local advice = require "accdeep.syntax.advice"
local api_routines = require "accdeep.run.api_routines"
local async = require "accdeep.run.async"
local conformance = require "accdeep.definitions.conformance"
local core = require "accdeep.core"
local default_profile = require "accdeep.script.default_profile"
local diagnostic = require "accdeep.base.diagnostic"
local expect = require "accdeep.script.expect"
local location = require "accdeep.base.location"
local report = require "accdeep.base.report"
local observers = require "accdeep.base.observers"
local profiles = require "accdeep.definitions.profiles"
local sandbox = require "accdeep.script.sandbox"
local session = require "accdeep.run.session"
local directive_functions = require "accdeep.script.directive_functions"
local head_functions = require "accdeep.script.head_functions"
local host_functions = require "accdeep.script.host_functions"
local state_functions = require "accdeep.script.state_functions"
local vocabulary = require "accdeep.script.vocabulary"

local raise = diagnostic.raise
local scenario = {}

-- -------------------------------------------------------------------------------------- language --

local STEPS_OF_A_BYTE = 10 -- steps that count for each written byte: thus the step limit also limits the output

-- Raises an error with the text `message` unless `value` is a string.
local function need_text(value, message)
  if type(value) ~= "string" then raise("type-mismatch", nil, message) end
end

-- Returns the environment of a script: the names of the language. `run`: the Run that executes the script.
local function language(run)
  local env = sandbox.environment(run.out)
  local function current() return run.session end
  -- Records that the script has executed a statement, so that scenario { } is not allowed any more.
  local function begin() run.begun = true end

  -- Functions and values for the modules of functions: the Run; current(): the session; begin(); need_text(value,
  -- message): raises unless the value is a text; new_word: result of vocabulary.extend.
  local script = { run = run, current = current, begin = begin, need_text = need_text,
    new_word = vocabulary.extend(env, run) }
  for _, functions in ipairs { head_functions, host_functions, directive_functions, state_functions } do
    functions.define(env, script)
  end

  local collect
  env.expect, collect = expect.new(current, run.checks, function(text)
    return env[current():is_openmp(text) and "omp" or "acc"](text)
  end, function(profile, fn, observe)
    run:open_session(current():inner(profile))
    local inner = current()
    local was_comparing = run.comparing
    run.comparing = true
    local ok, result = inner:attempt(fn)
    run.comparing = was_comparing
    if ok then result = observe(inner) end
    run:close_session()
    return ok, result
  end)
  -- Defines events(fn): calls `fn` and returns the list of the data events that it caused, as tables of the script.
  function env.events(fn)
    local list = collect(fn)
    local named = {}
    for i, event in ipairs(list) do
      named[i] = env.setmetatable({ op = event.op, name = event.name, bytes = event.bytes,
        rule = event.rule, at = event.at, device = event.device, async = event.async },
        { __tostring = function(e) return e.op .. " " .. e.name end })
    end
    return named
  end

  -- Defines case(name, fn) and case(fn): runs `fn` as a case; without a name, the case is called "case N".
  function env.case(name, body)
    begin()
    if type(name) == "function" then name, body = "case " .. (#run.cases + 1), name end
    if type(body) ~= "function" then raise("type-mismatch", nil, "case takes a name and a function") end
    if run.in_case then
      raise("scenario-error", nil, "a case inside a case", { rule = "HOUSE-scenario",
        help = "end one case before the next one begins" })
    end
    need_text(name, "case takes a name and a function")
    run:case(name, body, location.caller(2))
  end

  -- While the script runs, reading a global name that neither the language defines nor the script has assigned raises.
  local assigned, meta = {}, getmetatable(env)
  local words = meta.__index
  function meta.__newindex(_, name, value)
    assigned[name] = true
    rawset(env, name, value)
  end
  function meta.__index(_, name)
    local value = words(_, name)
    if value ~= nil or not run.reads_names or type(name) ~= "string" or assigned[name] then return value end
    local file, line = location.scenario(1)
    local source = file and location.source(file)
    raise("unknown-name", nil, ("there is no name '%s'"):format(name), { rule = "HOUSE-scenario",
      help = advice.name(name, current().now.scope:names(), env, source and location.line(source, line))
        or "assign it first, or make it local" })
  end

  return env
end

-- -------------------------------------------------------------------------------------- running --

local Run = {}
Run.__index = Run

-- Makes the open session `new_session` the current session. The session is closed at the latest when the file ends.
function Run:open_session(new_session)
  self.session = new_session
  table.insert(self.sessions, new_session)
end

-- Closes the current session; the session below it on the stack, or nil, becomes the current session.
function Run:close_session()
  local n = #self.sessions
  self.sessions[n]:close()
  self.session = self.sessions[n - 1]
  self.sessions[n] = nil
end

-- Replaces the current session, which has executed nothing yet, by one with other options. Raises for unknown rules.
function Run:renew(options)
  profiles.profile(options.rules) -- raises before the old session is closed
  local outer = self.session.outer
  self:close_session()
  self:open_session(session.new(options, outer))
end

-- Returns the error `err`, of any type, as a diagnostic. `file`: the scenario's file, for errors without a location.
-- `run`: the Run whose names help texts may suggest, or nil for no suggestions.
function scenario.to_diagnostic(err, file, run)
  if diagnostic.is(err) then return err end
  if diagnostic.is_limit(err) then
    local at, line = tostring(rawget(err, "where") or ""):match "^(.-):(%d+):"
    return diagnostic.new { code = "limit", rule = err.rule, message = err.message,
      file = at or file, line = tonumber(line),
      help = not rawget(err, "stopped") and ("raise --limit-%s if the scenario needs more"):format(
        rawget(err, "memory") and "memory" or "steps") or nil }
  end
  local source = location.recall_error(err)
  -- The script's metamethods must not run here, since its limits no longer apply.
  if type(err) == "table" then err = rawget(err, "message") end
  local text = (type(err) == "string" or type(err) == "number") and tostring(err)
    or "an error without a message"
  -- Functions in C, LPeg among them, put the place of the call before the message.
  if text:find "not enough memory$" then
    return diagnostic.new { code = "limit", rule = "HOUSE-limit", file = file,
      message = "the scenario needs more memory than the limit allows",
      help = "raise --limit-memory if the scenario needs more" }
  end
  if text:find("stack overflow", 1, true) then text = text:match "^[^\n]*" end
  local at, line, message = text:match "^(.-):(%d+): (.*)$"
  if text:find("C stack overflow", 1, true) or at and location.is_own(at) and message:find "^stack overflow" then
    return diagnostic.new { code = "limit", rule = "HOUSE-limit", file = source.file or file, line = source.line,
      message = "functions and regions are nested too deeply" }
  end
  local internal = diagnostic.internal(text)
  if internal then
    internal.file = internal.file or file
    return internal
  end
  if at and (at == file or at:find "^%[string" or at:sub(1, 3) == "...") then
    return diagnostic.new { code = "scenario-error", message = message, file = file, line = tonumber(line),
      callers = source.callers,
      help = run and run.env and advice.lua(message, run.session and run.session.now.scope:names() or {}, run.env) }
  end
  if at then source = {} end -- the text begins with a location, so no other one is added
  return diagnostic.new { code = "scenario-error", message = text, file = source.file or file, line = source.line }
end

-- Raises if a construct of the session `s` that takes a body has not been given one.
function scenario.check_bodies(s)
  local waiting
  for construct in pairs(s.program.without_body) do
    if not waiting or construct.line < waiting.line then waiting = construct end
  end
  if waiting then
    raise("region-nesting", nil, "the construct has no body", { file = waiting.file, line = waiting.line,
      rule = "HOUSE-scenario", help = "give it one: a function of the device view, or a text of C statements" })
  end
end

-- Raises if a region, the body of a construct, or a declare target is still open at the end of a case.
local function check_regions(s)
  scenario.check_bodies(s)
  local block = s.program.target_blocks[1]
  if block then
    error(location.locate_error(diagnostic.new { code = "region-nesting", pos = block.pos, rule = "OMP60-tgt-1",
      message = "the declare target is still open at the end of the case", help = "end it: end declare target" },
      block.text, block.file, block.line), 0)
  end
  for device = 0, s.devices - 1 do
    local stack = s.device_side.regions[device]
    local top = stack[#stack]
    if top and top.plan.kind ~= "declare" then
      raise("region-nesting", nil, "the region is still open at the end of the case", {
        file = top.file, line = top.line, rule = "DIR-4.3-06",
        help = ("end it: %s, region:close(), or a body"):format(top.plan.openmp and 'omp "end target data"'
          or 'acc "end data"') })
    end
  end
end

-- Ends a case or file in the session `s`: raises if a region is still open (check_regions), else waits for all queues.
local function finish(s)
  check_regions(s)
  async.finish(s)
end

-- Appends the result of a case to self.cases. `profile`: the name of its rule profile; `err`: the error, if `ok` is
-- false; `seconds`: the run time.
function Run:record(name, profile, ok, err, seconds)
  self.cases[#self.cases + 1] = { name = name, profile = profile, ok = ok, seconds = seconds,
    error = not ok and scenario.to_diagnostic(err, self.file) or nil }
end

-- Notifies observers of a beginning ("scenario": file, "case": case; `name`: its name) or of the end of a case ("end").
function Run:mark(kind, name)
  if self.observers.mark then self.observers.mark(kind, name) end
end

-- Returns the error `err`; Lua's messages about a global name or field are returned as diagnostics with a help text.
function Run:add_help(err)
  local about_name = type(err) == "string" and err:find "%(%l+ '[%w_]+'%)"
  return about_name and scenario.to_diagnostic(err, self.file, self) or err
end

-- Runs the function `body` as a case in an inner session, and records its result; errors of the case are recorded, not
-- raised, except limits of the run. `file`, `line`: location of the case.
function Run:case(name, body, file, line)
  local started = core.clock()
  self.checks.n, self.checks.refused = 0, {}
  self:open_session(self.session:inner())
  self:mark("case", name)
  self.in_case = true
  local ok, err = self.session:attempt(body)
  if ok then
    ok, err = pcall(function()
      if self.observers.ended then self.observers.ended() end
      finish(self.session)
      local flaw = self.options.conform and conformance.flaw(name, self.checks)
      if flaw then raise("expectation", nil, flaw, { file = file, line = line }) end
    end)
  end
  if diagnostic.is_limit(err) then error(err, 0) end
  self.in_case = nil
  if not ok then err = self:add_help(err) end
  local profile = self.session.rules.name
  self:close_session()
  self:mark "end"
  self:record(name, profile, ok, err, core.clock() - started)
end

-- Kinds of the language's functions that observers may replace (hook `statement`): name -> kind.
scenario.statements = { acc = "directive", omp = "directive", declare = "text", declare_from = "text",
  fortran = "text", call = "text", func = "function", method = "function", alloc = "memory", free = "memory",
  output = "answer", state = "answer", events = "answer", case = "case" }
for name in pairs(api_routines.routines) do scenario.statements[name] = "routine" end

-- Replaces functions in `env` by wrappers that the hook `statement` returns. Precondition: an observer has this hook.
local function announce(run, env)
  local statement = run.observers.statement
  for name in pairs(scenario.statements) do
    if rawget(env, name) then env[name] = statement(run, name, env[name]) end
  end
  for name, fn in pairs(env.expect) do env.expect[name] = statement(run, "expect." .. name, fn) end
end

-- Returns a new Run with an open file session. `options`: see scenario.run.
local function open(file, text, options)
  location.remember(file, text)
  local list = table.move(options.observers or {}, 1, #(options.observers or {}), 1, {})
  if options.trace then list[#list + 1] = { event = options.trace } end
  local write = options.out or function(s) io.write(s) end
  local function out(s)
    core.take_steps(#s * STEPS_OF_A_BYTE)
    write(s)
  end
  local run = setmetatable({ file = file, cases = {}, options = options, sessions = {},
    observers = observers.combine(list), out = out, head = {}, checks = { n = 0, refused = {} } }, Run)
  run:mark("scenario", file)
  run.default_rules = options.default_rules or file:find "%.ir$" and profiles.DEFAULT or default_profile.of(text)
  run:open_session(session.new { rules = options.rules or run.default_rules, device = options.device, observers = list,
    warn = function(warning) run.out(report.error(warning, { warning = true })) end,
    async = options.async, descriptors = options.descriptors, device_bytes = options.device_bytes,
    group_least = options.group_least, threads = options.threads, checkpoints = options.checkpoints })
  local env = language(run)
  run.env = env
  if run.observers.statement then announce(run, env) end
  if run.observers.names then run.observers.names(env, run) end
  if options.trust then
    for name, value in pairs(_G) do
      if name ~= "print" and name ~= "_G" then env[name] = value end
    end
  end
  return run
end

-- Runs the script `text`, then finished(is_module); `is_module` is true if the script executed no statement and
-- returned a value. Returns true, or false and the error of the script or of `finished`.
local function execute(run, text, finished)
  local file, options = run.file, run.options
  -- While the script runs, methods of strings are those of its own string library, except for a trusted script.
  local strings = getmetatable ""
  local all_strings = strings.__index
  if not options.trust then strings.__index = sandbox.methods(run.env.string) end
  local ok, err = core.limited(options.limit_memory or 0, options.limit_steps or 0, function()
    -- A byte order mark and a first line for the shell are skipped, as Lua does.
    local script = text:gsub("^\xEF\xBB\xBF", ""):gsub("^#[^\n]*", "")
    local chunk, problem
    if file:find "%.ir$" then chunk = function() run.env.ir(text, file) end
    else chunk, problem = load(script, "@" .. file, "t", run.env) end
    if problem == "not enough memory" then error(problem, 0) end
    if not chunk then
      local line, message = problem:match ":(%d+): (.*)$"
      error(diagnostic.new { code = "syntax", message = message or problem, file = file,
        line = tonumber(line) or 1, rule = "HOUSE-scenario",
        help = advice.no_lua(problem, location.line(script, tonumber(line) or 1)) }, 0)
    end
    run.reads_names = not options.trust
    local done, value = run.session:attempt(chunk)
    run.reads_names = false
    if not done then error(run:add_help(value), 0) end
    vocabulary.require_accepted(run)
    finished(value ~= nil and not run.begun)
  end, "@" .. file)
  strings.__index = all_strings
  return ok, err
end

-- Closes all sessions of the run.
function Run:close()
  while #self.sessions > 0 do self:close_session() end
end

-- Runs the text of a scenario and returns the Run with its session open; the caller closes it. Raises errors of the
-- script.
function scenario.open(file, text, options)
  local run = open(file, text, options)
  local ok, err = execute(run, text, function() end)
  if ok then return run end
  run:close()
  error(scenario.to_diagnostic(err, file), 0)
end

-- Runs the text of a scenario. Returns {file, title, cases = {{name, profile, ok, error?, seconds}}, seconds}.
-- options:
--     rules        the profile, whatever the scenario chooses; nil: its own.
--     default_rules  the profile if the scenario chooses none; nil: by its directives (default_profile.lua).
--     device ("sim", "cuda", "cuda:1"); device_bytes, group_least, threads (see session.new).
--     out          function of text; nil: standard output.
--     trust        true: the script sees all of Lua's library.
--     limit_memory (bytes), limit_steps; async, descriptors: used if the scenario does not specify them.
--     draw         function of the session and a file's name.
--     observers    list of tables of callbacks (base/observers.lua).
--     trace        function that is called with each event.
--     conform      true: cases must show what their names say (conformance.flaw).
-- Decides HOUSE-scenario.
function scenario.run(file, text, options)
  local started = core.clock()
  local run = open(file, text, options or {})
  local is_module = false
  local ok, err = execute(run, text, function(gives_value)
    is_module = gives_value
    if run.observers.ended then run.observers.ended() end
    if run.observers.last then run.observers.last(run.session) end
    finish(run.session)
  end)
  local profile = run.session and run.session.rules.name
  run:close()
  local seconds = core.clock() - started
  -- Statements of the file outside of cases count as one more case if they failed, or if the file has no cases. A file
  -- that only returns a value is a module, not a scenario.
  if not ok or #run.cases == 0 and not is_module then
    run:record(run.head.title or file, profile, ok, err, seconds)
  end
  return { file = file, title = run.head.title, cases = run.cases, seconds = seconds }
end

return scenario
