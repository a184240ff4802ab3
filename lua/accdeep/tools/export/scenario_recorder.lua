-- scenario_recorder.lua - records the steps of a running scenario (steps/init.lua) as those of a C program.
--
-- A scenario is a straight-line script, so one run determines all steps. Wrappers replace the functions that the script
-- sees. Each wrapper first adds assignments for the script's changes of host memory (c_program.lua). It then adds its
-- statements, calls the original function, and notes what that function wrote on the host. Values that the script reads
-- are checked in the program at the same point, so that the script's conclusions are valid there. A step that C cannot
-- express ends the recording with a reason. export/init.lua creates recorders; explore/oracle_comparison.lua uses a
-- recorder for declarations. Deep variables are structures whose pointers are followed; emit/deep_directive.lua writes
-- their transfers.

local checks = require "accdeep.tools.export.checks"
local deep_directive = require "accdeep.tools.emit.deep_directive"
local diagnostic = require "accdeep.base.diagnostic"
local c_program = require "accdeep.tools.export.c_program"
local syntax = require "accdeep.syntax"
local has_clause = require "accdeep.sema.body.nesting_check".has_clause
local location = require "accdeep.base.location"
local list_item = require "accdeep.sema.c.list_item"
local scenario = require "accdeep.script.scenario"
local steps = require "accdeep.steps"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local routine_calls = require "accdeep.tools.export.routine_calls"
local memory_view = require "accdeep.backend.memory_view"

local Recorder = {}
Recorder.__index = Recorder
checks.extend(Recorder)

-- ------------------------------------------------------------------------------------ the program --

-- Ends the recording of the current program with a reason; later steps are executed but not recorded.
function Recorder:cannot(message) self.program:cannot(message) end
-- Ends the recording of the current program with a reason. A reason outside of cases applies to all cases of the file.
function Recorder:cannot_declare(message) self.program:cannot(message, not self.in_case) end

-- Returns the current session of the scenario. Sets the rule profile of the program.
function Recorder:session()
  local session = self.run.session
  local rules = session.options.rules or "tr14"
  -- The head of the program names the profile for accdeep exec. The name is nil for a profile with changed knobs,
  -- because accdeep exec cannot accept these.
  self.program.rules = type(rules) == "string" and session.rules.core or nil
  return session
end

-- Adds assignments, so that the program's variables get the values of the session's host memory (c_program.lua).
function Recorder:catch_up() self.program:catch_up(self:session()) end
-- Records the values that a step wrote on the host, without assignments: the program's step writes the same values.
-- Forgets which addresses were checked, because each is checked once per step.
function Recorder:adopt_host_writes()
  self.checked_addresses = {}
  self.program:adopt_host_writes(self:session())
end
-- Adds a step to the program, unless the recording has ended.
function Recorder:add(step)
  if self.program:is_open() then self.program:add(step) end
end
-- Adds a line to the program, unless the recording has ended.
function Recorder:line(text) self:add { kind = "c", text = text } end
-- Adds a formatted line to the program, unless the recording has ended.
function Recorder:linef(format, ...) self:line(format:format(...)) end

-- Calls fn(...) for the recorder's own purposes, so that its reads are not recorded as reads of the script. Returns its
-- results; its errors are raised again.
function Recorder:quietly(fn, ...)
  local before = self.quiet
  self.quiet = true
  local results = table.pack(pcall(fn, ...))
  self.quiet = before
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

-- Finishes a step. `results`: packed results of pcall. Returns the results of the call. An error of the call ends the
-- recording, unless expect.fails expects it, and is raised again.
function Recorder:finish(results)
  if not results[1] then
    self.failed = true
    if not self.failing then
      self:cannot "a step that fails outside of expect.fails: it would end the program"
    end
    error(results[2], 0)
  end
  self:adopt_host_writes()
  return table.unpack(results, 2, results.n)
end

-- Records a step: write() adds its statements, then fn is called. Returns the results of fn.
function Recorder:step(write, fn, ...)
  self:catch_up()
  if self.program:is_open() then write() end
  return self:finish(table.pack(pcall(fn, ...)))
end

-- Records the directive `node`. fn(...) is called first, because the deep variables of its plan determine the
-- statements; then write(deep) adds these. `deep`: result of deep_directive.new, or nil. Returns the results of fn.
function Recorder:directive_step(node, write, fn, ...)
  self:catch_up()
  self.plan = nil
  local results = table.pack(pcall(fn, ...))
  if self.program:is_open() then
    self:try_lowering(function()
      local deep, extension = nil, deep_directive.extension(node)
      if self.plan and (extension or self.program.shapes) then
        deep = deep_directive.new(self.program, self.run.session, self.plan, self.leads_back)
      end
      if deep and self.failing then deep_directive.cannot "a deep copy that fails: it would begin before it fails" end
      if extension and not deep then deep_directive.cannot(extension .. ": no standard directive can express that") end
      write(deep)
    end)
  end
  return self:finish(results)
end

-- Calls fn(). An error {cannot = reason} of fn ends the recording; other errors are raised again.
function Recorder:try_lowering(fn)
  local ok, problem = pcall(fn)
  if ok then return end
  if not deep_directive.is_reason(problem) then error(problem, 0) end
  self:cannot(problem.cannot)
end

-- Sets the language of the program, "openacc" or "openmp". Ends the recording if the program uses both.
function Recorder:speak(language)
  local program = self.program
  if self.requested_language and self.requested_language ~= language then
    self.program:cannot(("a scenario in %s cannot be exported as %s"):format(language == "openmp" and "OpenMP"
      or "OpenACC", language == "openmp" and "OpenACC" or "OpenMP"), false, "leave out --c")
  elseif program.language and program.language ~= language then
    self:cannot "OpenACC and OpenMP in one program: no compiler has both runtimes"
  end
  program.language = program.language or language
end

-- ------------------------------------------------------------------------------------- directives --

local dialects = {
  acc = { language = "openacc", directive = openacc_directives.directive, start = "directive",
    wait = "#pragma acc wait", queued = "async" },
  omp = { language = "openmp", directive = openmp_directives.directive, start = "omp_directive",
    wait = "#pragma omp taskwait", queued = "nowait" },
}

-- Returns the name of a variable that is in two data clauses, which gcc rejects; nil if there is none.
local function duplicate_variable(node)
  local names = {}
  for _, clause in ipairs(node.clauses) do
    for _, variable in ipairs(clause.vars or {}) do
      local base = list_item.split_designator(variable)
      if base.tag == "id" and names[base.name] then return base.name end
      if base.tag == "id" then names[base.name] = true end
    end
  end
end

-- Adds a directive. `name`: "acc" or "omp". `body`: the statements of a compute construct, or nil. The device number of
-- the host is replaced, because the program may have more devices than the scenario.
function Recorder:pragma(name, text, body)
  local session = self:session()
  if name == "omp" then
    text = text:gsub("%f[%w_]device(%b())", function(number)
      local ok, value = pcall(self.quietly, self, session.value, session, session:host_env(), number)
      return ok and value == session.devices and "device(omp_get_initial_device())" or nil
    end)
  end
  self:add { kind = name, text = text, body = body }
end

-- Adds variables that keep the device addresses which names denote in a region that was just opened, such as host_data.
-- `before`: the table of replaced names outside of the region (session.now.replaced).
function Recorder:keep_replaced(session, before)
  local replaced = session.now.replaced
  if not replaced or replaced == before then return end
  local names = {}
  for name in next, replaced do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local binding = rawget(replaced, name)
    local address = binding.value and binding.value() or binding.lvalue and binding.lvalue()
    if address then
      self:linef("%s = %s%s;", self.program:keep_device(address), binding.value and "(void *)" or "(void *)&", name)
    end
  end
end

-- Adds the end of the innermost region. Deep members are unmapped first; host-only values are restored afterwards.
function Recorder:end_region()
  if not self.program:is_open() then return end
  self:try_lowering(function()
    local region = table.remove(self.regions)
    if region then region:finish(self.program) else self.program:close_brace() end
  end)
end

-- Returns a region object for the script, which wraps `region`: the end of the region is recorded as a step.
function Recorder:region(region)
  local recorded_region = {}
  local function close()
    return self:step(function() self:end_region() end, region.close)
  end
  recorded_region.close = close
  return setmetatable(recorded_region, { __name = "region", __close = getmetatable(region).__close and close,
    __call = function(_, body)
      if type(body) ~= "function" then return region(body) end
      return self:step(function() end, region, function()
        body()
        self:catch_up()
        self:end_region()
      end)
    end })
end

-- Adds the statements of a deep directive. `deep`: result of deep_directive.new. Opens a region if the directive has
-- one.
function Recorder:deep_directive(node, deep)
  if deep:write(node, self.program) then table.insert(self.regions, deep) end
end

-- Records and executes a directive. `name`: "acc" or "omp". original(text, refs): executes the directive. `refs`:
-- second argument of the script, or nil. Returns the result of `original`, wrapped to record a body or the end of a
-- region. A directive that cannot be parsed, and every directive after the recording has ended, is only executed.
function Recorder:directive(name, original, text, refs)
  local session = self:session()
  local dialect = dialects[name]
  local ok, node = pcall(syntax.parse, dialect.start, text, 1, session.now.scope)
  if not ok or not self.program:is_open() then return original(text, refs) end
  self:speak(dialect.language)
  local twice = name == "acc" and node.name ~= "update" and duplicate_variable(node)
  if twice then self:cannot(("'%s' is in two data clauses of one directive, which gcc refuses"):format(twice)) end
  local definition = dialect.directive(node.name)
  if definition.kind == "members" then -- emit/deep_directive.lua writes the transfers that it causes
    self.program.shapes = true
    return original(text, refs)
  end
  local extension, is_described = deep_directive.extension(node)
  if extension and not (is_described and name == "acc") then
    self:cannot_declare(("%s: no standard directive can express that"):format(extension))
  end
  if name == "omp" and definition.kind:find "^declare" then
    table.insert(self.program.declarations, ("#pragma %s %s"):format(name, steps.strip_sentinel(name, text)))
    return original(text, refs)
  elseif definition.ends then
    return self:step(function() self:end_region() end, original, text, refs)
  elseif definition.kind == "declare" then
    self:cannot "declare acts when a C program starts, not where the scenario has it"
    return original(text, refs)
  end
  local before = session.now.replaced
  local queued = has_clause(node, dialect.queued)
  -- Adds the statements of the directive; opens a region, or waits if the directive is queued.
  local function write(deep)
    if deep then
      self:deep_directive(node, deep)
    else
      self:pragma(name, text)
    end
    if definition.structured then
      if not deep then table.insert(self.regions, false) end
    elseif queued then
      self:line(dialect.wait)
    end
  end
  -- A compute construct is recorded when its body is known; other directives are recorded at once.
  if definition.kind == "compute" or definition.kind == "host" then
    local result = original(text, refs)
    return type(result) == "function" and self:compute(name, node, text, refs, result, queued) or result
  end
  local result = self:directive_step(node, write, original, text, refs)
  if result == nil then return nil end
  self:keep_replaced(session, before)
  return self:region(result)
end

-- Returns the function that takes the body of a compute construct, records the construct and executes it by run(body).
-- `queued`: the construct has async or nowait, so the program waits after it. `name`: "acc" or "omp"; `node`: the AST
-- of the directive `text`; `refs`: second argument of the script, or nil.
function Recorder:compute(name, node, text, refs, run, queued)
  return function(body)
    if type(body) ~= "string" then
      self:cannot "the body of a kernel is a Lua function: write it as C text"
      return run(body)
    end
    return self:directive_step(node, function(deep)
      local is_loop = dialects[name].directive(node.name).association == "loop"
      if refs then
        if is_loop then self:cannot "variables that a loop only refers to (the second argument)" end
        body = refs:gsub("[%a_][%w_]*", "(void)&%0;"):gsub("%s*,%s*", " ") .. "\n" .. body
      end
      if deep then
        self:deep_directive(node, deep)
        self:add { kind = "statements", text = body, in_braces = not is_loop }
      else
        self:pragma(name, text, body)
      end
      if queued then self:line(dialects[name].wait) end
      if deep and not deep:is_there() then self:end_region() end
    end, run, body)
  end
end

-- --------------------------------------------------------------------------------------- routines --

-- Records and executes the API routine `name`. original(...): executes the routine. Returns the routine's result. Adds
-- a check of the result, unless its kind is "nothing" or "count", which depends on the machine.
function Recorder:routine(name, original, ...)
  local session = self:session()
  if not self.program:is_open() then return original(...) end
  self:speak(name:find "^acc_" and "openacc" or "openmp")
  self:catch_up()
  local call, returns = routine_calls.call(self, session, name, ...)
  if not call then
    self:cannot(("the routine %s%s"):format(name, returns or ""))
    return original(...)
  end
  if returns == "nothing" or returns == "count" then
    return self:step(function() if returns == "nothing" then self:line(call .. ";") end end, original, ...)
  end
  local variable = returns == "device" and self.program:keep_device() or "result"
  local value = self:step(function() self:line(("%s = %s;"):format(variable, call)) end, original, ...)
  if not self.program:is_open() then return value end
  if returns == "device" then
    local at = memory_view.location(value)
    self.program.devices[#self.program.devices].address = at and at.address or 0
    self:check(call .. " is null", function()
      self:linef("check_number(%s == NULL, %d);", variable, (not at or at.address == 0) and 1 or 0)
    end)
  else
    self.program.uses.result = true
    local truth = returns == "truth"
    self:check(call, function()
      self:linef("check_number(%s, %s);", truth and "result != 0" or "result",
        checks.number_text(truth and value ~= 0 and value ~= false or not truth and value))
    end)
  end
  return value
end

-- ----------------------------------------------------------------------------------- expectations --

local beyond_c = {
  count = "reference counters", uninitialized = "bytes that were never initialised",
  events = "events", moves = "transfers", warns = "warnings",
  malformed = "text that does not compile", invalid = "directives that do not compile",
}

-- Records an expected error, which ends the C program; its output shows whether the error was reached. original(code,
-- text, details): executes expect.fails. Returns the error.
function Recorder:fails(original, code, text, details)
  local program = self.program
  if type(text) == "table" then self:cannot "several texts that fail: the program would end at the first" end
  if not program:is_open() then return original(code, text, details) end
  self:catch_up()
  local depth = program.depth
  local _, line = location.scenario(1)
  program.uses.fails = true
  -- Some errors are found only by checks of the addresses in kernels.
  program.uses.strict = program.uses.strict or code == "host-pointer-on-device" or code == "excluded-member"
  self:linef("check_fails(%d, %s);", line or 0, checks.quoted(tostring(code)))
  self.failing, self.failed = true, false
  local ok, err = pcall(original, code, text, details)
  self.failing = false
  if not ok then error(err, 0) end
  local phase = diagnostic.is(err) and (rawget(err, "phase") == "static" and "static" or diagnostic.phase(err.code))
  if phase == "static" or phase == "text" then
    self:cannot "an error that a compiler would report: there would be no program to run"
  elseif not self.failed then
    self:cannot "an error of the script itself, not of a directive or a routine"
  end
  if program:is_open() then
    while program.depth > depth do program:close_brace() end
    self:line "exit(check_survived());"
    while program.depth > 1 do program:close_brace() end
    program.ended = true
  end
  return err
end

local expectations = {}

for name, subject in pairs(beyond_c) do
  expectations[name] = function(self, fn, ...)
    local result = fn(...)
    self:mark_unchecked("expect." .. name, subject)
    return result
  end
end
for name, expected in pairs { attached = 1, detached = 0 } do
  expectations[name] = function(self, fn, text, count)
    local result = fn(text, count)
    self:attachment(text, expected)
    return result
  end
end
for name, expected in pairs { present = 1, absent = 0 } do
  expectations[name] = function(self, fn, text)
    fn(text)
    self:catch_up()
    self:presence(text, expected)
  end
end

-- Calls fn, expect.host of the scenario, and adds the same check of the host value `text` to the program.
function expectations.host(self, fn, text, expected)
  fn(text, expected)
  self:catch_up()
  local session = self:session()
  self:check(text, function() self:compare_expression(session, text, expected) end)
end

-- Calls fn, expect.device of the scenario, and adds the same check of the device value `text` to the program. Ends the
-- recording in OpenMP, which has no routine for such a check.
function expectations.device(self, fn, text, expected)
  fn(text, expected)
  self:catch_up()
  local session = self:session()
  if self.program.language == "openmp" then
    return self:cannot "expect.device: OpenMP has no routine for it; read it in a region, or update from"
  end
  self:check("device " .. text, function()
    self:compare_expression(session, text, expected, function(lvalue, is_pointer)
      self.program.uses[is_pointer and "pointer" or "device"] = true
      return (is_pointer and "check_pointer(&%s)" or "check_on_device(%s)"):format(lvalue)
    end)
  end)
end

-- Records the expected error `code` of expect.fails; `fn` executes it.
function expectations.fails(self, fn, code, text, details) return self:fails(fn, code, text, details) end

-- ---------------------------------------------------------------------------------- the language --

local beyond_language = {
  fortran = "Fortran", call = "Fortran", output = "Fortran", func = "functions written in Lua",
  method = "member functions",
}
local beyond_routines = { events = "events", state = "the present table, levels and counters" }

-- Replaces the accesses of the script to host variables by functions that first update the session, and add a check of
-- each value that the script evaluates. `env`: the names that the script sees. `run`: the scenario's run. In a
-- vocabulary, which executes nothing, the accesses stay as they are.
local function host_names(self, env, run)
  local meta = getmetatable(env.host)
  local index, newindex, call = meta.__index, meta.__newindex, meta.__call
  meta.__index = function(...) self:session() return index(...) end
  meta.__newindex = function(...) self:session() return newindex(...) end
  meta.__call = function(_, text)
    local value = call(_, text)
    if run.words then return value end
    local session = self:session()
    self:catch_up()
    local at = memory_view.location(value)
    if not at and self.program:is_open() then
      self:check(text, function() self:compare_expression(session, text, value) end)
    end
    return value
  end
end

-- Returns the word which shows that the declarations `text` are C++, so that a C compiler would reject them: class,
-- template, virtual, public or the & of a reference. Returns nil if no such word occurs.
local function check_not_cpp(text)
  local bare_text = text:gsub("/%*.-%*/", " "):gsub("//[^\n]*", " ")
  return bare_text:match "%f[%w_](class)%f[^%w_]" or bare_text:match "%f[%w_](template)%f[^%w_]"
    or bare_text:match "%f[%w_](virtual)%f[^%w_]" or bare_text:match "%f[%w_](public)%s*:"
    or bare_text:match "(&)%s*[%a_][%w_]*%s*%)?[%[%]%w_]*%s*=[^=]"
end

-- Returns declarations without OpenACC directives in them, which describe types and which compilers do not know.
local function strip_shapes(text)
  local bare_text = ("\n" .. text):gsub("\n[ \t]*#%s*pragma%s+acc%f[%s][^\n]*", function(line)
    return line:find "\\%s*$" and "\n\0" or ""
  end)
  while bare_text:find "\0" do -- remove continuation lines
    bare_text = bare_text:gsub("\n%z\n[^\n]*", function(line) return line:find "\\%s*$" and "\n\0" or "" end, 1)
  end
  return bare_text:sub(2)
end

-- Records and executes the declarations `text`. original(text): executes the declarations. Ends the recording if the
-- declarations are C++; outside of a case, the recording of all cases of the file.
function Recorder:declare(original, text)
  self:catch_up()
  original(text)
  local session = self:session()
  if text:find "#%s*pragma%s+acc%f[%s]" then self.program.shapes = true end
  local cpp = check_not_cpp(text)
  if cpp then self:cannot_declare(("'%s' is C++: programs are written in C"):format(cpp)) end
  if not self.program:is_open() then return end
  table.insert(self.program.declarations, (strip_shapes(text):gsub("^%s*\n", ""):gsub("%s+$", "")))
  self.program:adopt_declared(session)
end

local wrappers = {}

-- Returns the function that replaces acc or omp.
function wrappers.directive(self, name, fn)
  return function(text, refs)
    if type(text) ~= "string" then return fn(text, refs) end
    return self:directive(name, fn, text, refs)
  end
end

-- Returns the function that replaces an API routine.
function wrappers.routine(self, name, fn)
  return function(...) return self:routine(name, fn, ...) end
end

-- Returns the function that replaces `case`: each case is recorded as a separate program.
function wrappers.case(self, _, fn)
  return function(name, body)
    if type(name) == "function" then name, body = nil, name end
    if type(body) ~= "function" then return fn(name, body) end
    local outer = self.program
    name = name or "case " .. (#self.run.cases + 1)
    self.cases[#self.cases + 1] = outer:case(name)
    local index = #self.cases
    fn(name, function()
      self.program, self.in_case, self.regions = self.cases[index], true, {}
      self:session()
      body()
      self:catch_up()
    end)
    self.program, self.in_case = outer, false
  end
end

-- Returns the function that replaces `declare`.
function wrappers.declare(self, _, fn)
  return function(text) return self:declare(fn, text) end
end

-- Returns the function that replaces `free`.
function wrappers.free(self, _, fn)
  return function(pointer)
    local at = memory_view.location(pointer)
    return self:step(function()
      self:linef("free(%s);", at and self.program:pointer_text(self:session(), at.address, at.type.to) or "NULL")
    end, fn, pointer)
  end
end

-- Returns the wrapper of the function `fn` that the script sees as `name`; nil if the function is not replaced.
function Recorder:wrap(name, fn)
  local wrapper = wrappers[name] or wrappers[scenario.statements[name]]
  if wrapper then return wrapper(self, name, fn) end
  if beyond_language[name] then
    return function(...)
      self:cannot_declare(beyond_language[name] .. " cannot be written in C")
      return fn(...)
    end
  elseif beyond_routines[name] then
    return function(...)
      local result = fn(...)
      self:mark_unchecked(name .. "()", beyond_routines[name])
      return result
    end
  end
  local expectation = expectations[name:match "^expect%.(.*)" or ""]
  return expectation and function(...) return expectation(self, fn, ...) end
end

-- Returns true if attached pointers of objects on the current device form a cycle, so that functions which follow
-- pointers would not end.
local function is_cyclic(session)
  local ctx, device, targets = session.ctx, session.now.device, {}
  -- Returns the host address of the present object that contains `address`, or a false value.
  local function object(address)
    local present_object = ctx:present_at(device, address, false)
    return present_object and present_object.host
  end
  for _, attached in ipairs(ctx:attachments(device)) do
    local from, to = object(attached.slot), object(attached.target)
    if from and to then
      targets[from] = targets[from] or {}
      table.insert(targets[from], to)
    end
  end
  local state = {}
  -- Returns true if pointers of the object `at` form a cycle. state[object]: true while it is being visited, false
  -- afterwards.
  local function is_cyclic_from(at)
    if state[at] ~= nil then return state[at] end
    state[at] = true
    for _, to in ipairs(targets[at] or {}) do
      if is_cyclic_from(to) then return true end
    end
    state[at] = false
    return false
  end
  for from in pairs(targets) do
    if is_cyclic_from(from) then return true end
  end
  return false
end

-- Returns a recorder of the scenario file `file`. Its field `observer` must be passed to the run as an observer.
-- `cases`: list of the programs of the cases. `program`: the program of the file, without cases. `language`: "openacc",
-- "openmp", or nil for the scenario's language.
local function scenario_recorder(file, language)
  local self = setmetatable({ program = c_program.new(file), requested_language = language, cases = {},
    checked_addresses = {}, regions = {} }, Recorder)
  self.observer = {
    construct = function(session, plan, ends)
      if ends then return nil end
      if not plan.language then self:cannot "a text of the construct IR" end
      self.plan = plan
      return function(err) self.leads_back = not err and self.program.shapes and is_cyclic(session) end
    end,
    warning = function(_, code)
      if code == "bounds-changed" then
        self:cannot "bounds that change while data are present: a program computes them again"
      end
    end,
    read = function(session, address, code, value)
      if not session.now.current and not self.quiet and self.run.session == session then
        self:read(session, address, code, value)
      end
    end,
    statement = function(run, name, fn)
      self.run = run
      local recording = self:wrap(name, fn)
      -- The words of a vocabulary are no steps.
      return recording and function(...) return (run.words and fn or recording)(...) end
    end,
    names = function(env, run) host_names(self, env, run) end,
  }
  return self
end

return scenario_recorder
