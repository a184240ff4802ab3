-- record.lua - what a scenario does, as steps of a C program, while it runs in the tool.
--
-- A scenario is a straight-line script, so that running it once tells all of its steps. The functions that a
-- script sees are wrapped: each first brings the program's memory up to date (program.lua), adds its own
-- statements, does what it always does, and then takes over what that wrote on the host. Whatever a script
-- reads of host memory, and what routines return, is checked in the program where the script reads it: what a
-- script concludes from it holds there, too. What C has no words for closes the program with a reason.

local core = require "accdeep.core"
local diagnostic = require "accdeep.diagnostic"
local export_program = require "accdeep.export.program"
local grammar = require "accdeep.grammar"
local location = require "accdeep.location"
local place = require "accdeep.place"
local routines = require "accdeep.export.routines"
local types = require "accdeep.types"
local unparse = require "accdeep.unparse"
local view = require "accdeep.view"

local Recorder = {}
Recorder.__index = Recorder

-- ------------------------------------------------------------------------------------ the program --

function Recorder:cannot(message) self.program:cannot(message) end
-- What stands outside of cases is there in all of them.
function Recorder:cannot_declare(message) self.program:cannot(message, not self.in_case) end

-- The session under way; what the script reads of its host memory is told to the recorder.
function Recorder:session()
  local session = self.run.session
  local rules = session.options.rules or "tr14"
  self.program.rules = type(rules) == "string" and rules or nil
  local space = session.host_space
  if space.load ~= self.loads[space] then
    local load = space.load
    self.loads[space] = function(at, address, code, size, ...)
      local value = load(at, address, code, size, ...)
      if not session.current and not self.quiet and self.run.session == session then
        self:read(session, address, code, value)
      end
      return value
    end
    space.load = self.loads[space]
  end
  return session
end

function Recorder:catch_up() self.program:catch_up(self:session()) end
function Recorder:settle()
  self.seen = {}
  self.program:settle(self:session())
end
function Recorder:line(text)
  if self.program:is_open() then self.program:line(text) end
end
function Recorder:linef(format, ...) self:line(format:format(...)) end

-- Evaluates something for the program itself: what it reads is not the script's reading.
function Recorder:quietly(fn, ...)
  local before = self.quiet
  self.quiet = true
  local results = table.pack(pcall(fn, ...))
  self.quiet = before
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

-- A step: statements that are added by write, then fn, whose errors end the program.
function Recorder:step(write, fn, ...)
  self:catch_up()
  if self.program:is_open() then write() end
  local results = table.pack(pcall(fn, ...))
  if not results[1] then
    self.failed = true
    if not self.failing then
      self:cannot "a step that fails outside of expect.fails: it would end the program"
    end
    error(results[2], 0)
  end
  self:settle()
  return table.unpack(results, 2, results.n)
end

-- The language of the directives and routines that are used: one of the two.
function Recorder:speak(language)
  local program = self.program
  if self.wanted and self.wanted ~= language then
    self:cannot(("this is %s, whose directives mean other things than those of the language asked for"):format(
      language == "openmp" and "OpenMP" or "OpenACC"))
  elseif program.language and program.language ~= language then
    self:cannot "OpenACC and OpenMP in one program: no compiler has both runtimes"
  end
  program.language = program.language or language
end

-- ----------------------------------------------------------------------------------------- checks --

local function quoted(text) return '"' .. text:gsub('[\\"]', "\\%0"):gsub("\n", " ") .. '"' end

-- Adds a check: text is what it is called, write adds the comparisons.
function Recorder:check(text, write)
  if not self.program:is_open() then return end
  local _, line = location.scenario(1)
  local begin = #self.program.lines + 1
  self:linef("check_begin(%d, %s);", line or 0, quoted(text))
  write()
  if not self.program:is_open() then return end
  local lines = self.program.lines
  local indent, single = lines[#lines]:match "^( *)check_number(%b());$"
  if #lines == begin + 1 and single then -- one number, one line
    lines[begin] = ("%scheck(%d, %s, %s;"):format(indent, line or 0, quoted(text), single:sub(2))
    lines[begin + 1] = nil
  else
    self:line "check_end();"
  end
end

local function number_text(value)
  if type(value) == "boolean" then return value and "1" or "0" end
  return export_program.scalar_text(math.type(value) == "float" and types.scalars.double or types.scalars.long, value)
end

-- A value of the host that the script reads; the same one once, until something happens.
function Recorder:read(session, address, code, value)
  if not self.program:is_open() or self.seen[address] then return end
  self:catch_up()
  self.seen[address] = true
  local is_pointer = code == core.scalar.pointer
  local text = self.program:object(address, is_pointer and "pointer" or code)
  if not text then
    return self:cannot "it reads host memory that no variable of a C program names"
  end
  if is_pointer then
    value = session.host_space:pointer(types.pointer(types.void), value)
    local pointer = self.program:pointer_text(session, view.address(value), types.void)
    return self:check(("%s == %s"):format(text, pointer or "?"), function() self:compare(session, text, value) end)
  end
  self:check(text, function() self:compare(session, text, value) end)
end

local function as_it_is(text) return text end

-- Comparisons of what is at a C expression with a value or a list of values. around: what is asked of each
-- expression.
function Recorder:compare(session, text, wanted, around)
  around = around or as_it_is
  local at = view.location(wanted)
  if at and at.type.kind == "pointer" then
    local pointer = self.program:pointer_text(session, at.address, at.type.to)
    if not pointer then return self:cannot(("the address that %s is compared with has no name"):format(text)) end
    return self:linef("check_number((const void *)(%s) == (const void *)(%s), 1);", around(text), pointer)
  elseif at then
    return self:cannot(("%s is compared with another object as a whole"):format(text))
  end
  if type(wanted) == "number" then
    return self:linef("check_number(%s, %s);", around(text), number_text(wanted))
  elseif type(wanted) == "boolean" then
    return self:linef("check_number((%s) != 0, %s);", around(text), number_text(wanted))
  elseif type(wanted) ~= "table" then
    return self:cannot(("%s is compared with a %s"):format(text, type(wanted)))
  end
  local names, base = {}, wanted[0] ~= nil and 0 or 1
  for key in pairs(wanted) do
    if math.type(key) ~= "integer" then names[#names + 1] = tostring(key) end
  end
  table.sort(names)
  for i = base, #wanted do self:compare(session, ("%s[%d]"):format(text, i - base), wanted[i], around) end
  for _, name in ipairs(names) do self:compare(session, text .. "." .. name, wanted[name], around) end
end

local function postfix_text(node)
  local text = unparse.expression(node)
  return text:find "^[%w_.%[%]>-]+$" and text or "(" .. text .. ")"
end

-- Comparisons of an expression of the scenario, which may be a section, with its value.
function Recorder:compare_expression(session, expression, wanted, around)
  local node = grammar.parse("expression", expression, 1, session.scope)
  local dimensions = {}
  while node.tag == "section" do
    table.insert(dimensions, 1, node)
    node = node.base
  end
  if #dimensions == 0 then return self:compare(session, postfix_text(node), wanted, around) end
  local function elements(text, list, depth)
    local section = dimensions[depth]
    if not section then return self:compare(session, text, list, around) end
    local at = view.location(list)
    if at then list = at.type.kind == "array" and self:quietly(list.values, list) or {} end
    local start = section.start and unparse.expression(section.start)
    start = start and self:quietly(session.value, session, session:host_env(), start) or 0
    local base = list[0] ~= nil and 0 or 1
    for i = base, #list do elements(("%s[%d]"):format(text, start + i - base), list[i], depth + 1) end
  end
  elements(postfix_text(node), wanted, 1)
end

-- The address of an lvalue or section as C, and its bytes.
function Recorder:extent(expression)
  local session = self:session()
  local _, bytes = self:quietly(session.extent, session, expression)
  local node = grammar.parse("expression", expression, 1, session.scope)
  local base, subscripts = place.take_apart(node)
  if not subscripts then return "&" .. postfix_text(node), bytes end
  local text = postfix_text(base)
  local start = subscripts[1].start
  if start and not (start.tag == "num" and start.value == 0) then
    text = ("%s + %s"):format(text, unparse.expression(start))
  end
  return text, bytes
end

-- ------------------------------------------------------------------------------------- directives --

local extensions = { shape = "shapes", policy = "policies", ["declare group"] = "groups" }
local extension_clauses = { present_and_copyin = true, update_and_copy = true, invoke = true, include = true,
  exclude = true, init_needed = true, use = true, shape = true, type = true, bind_group = true, bind_groups = true,
  bind_types = true, nogroup = true, name = true, bind_all = true, bind_type = true }

-- What of a directive no standard has, or nil.
local function extension(node)
  if extensions[node.name] then return extensions[node.name] end
  for _, clause in ipairs(node.clauses) do
    if extension_clauses[clause.name] then return ("the clause '%s'"):format(clause.name) end
    if clause.shape then return ("the shape of '%s<...>'"):format(clause.name) end
    if clause.nest then return "a nest" end
  end
  local found
  local function visit(n)
    if type(n) ~= "table" or found then return end
    if n.tag == "alias" then found = "an alias (@)" end
    for _, child in pairs(n) do visit(child) end
  end
  visit(node.clauses)
  return found
end

local dialects = {
  acc = { language = "openacc", start = "directive", prefix = "^%s*#%s*pragma%s+acc%f[^%w_]%s*",
    word = "^%s*acc%f[^%w_]%s*", wait = "#pragma acc wait", queued = "async" },
  omp = { language = "openmp", start = "omp_directive", prefix = "^%s*#%s*pragma%s+omp%f[^%w_]%s*",
    word = "^%s*omp%f[^%w_]%s*", wait = "#pragma omp taskwait", queued = "nowait" },
}

local structured = { data = true, ["host data"] = true, host_data = true, ["target data"] = true }
local declarations = { ["declare mapper"] = true, ["declare target"] = true, ["begin declare target"] = true,
  ["end declare target"] = true }

local function one_line(text) return (text:gsub("\\\r?\n", " "):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")) end

local function has_clause(node, name)
  for _, clause in ipairs(node.clauses) do
    if clause.name == name then return true end
  end
  return false
end

local function without_sentinel(name, text)
  local dialect = dialects[name]
  return one_line(text:gsub(dialect.prefix, ""):gsub(dialect.word, ""))
end

-- A directive. The host is another number where there are more devices than the scenario has.
function Recorder:pragma(name, text)
  local session = self:session()
  local line = without_sentinel(name, text)
  if name == "omp" then
    line = line:gsub("%f[%w_]device(%b())", function(number)
      local ok, value = pcall(self.quietly, self, session.value, session, session:host_env(), number)
      return ok and value == session.devices and "device(omp_get_initial_device())" or nil
    end)
  end
  self:linef("#pragma %s %s", name, line)
end

-- The lines of a kernel's text, moved to where the program is.
function Recorder:body(text, in_braces)
  local lines, least = {}, math.huge
  for line in (text:gsub("^[ \t]*\r?\n", ""):gsub("%s+$", "") .. "\n"):gmatch "(.-)\r?\n" do
    lines[#lines + 1] = line
    local indent = #line:match "^%s*"
    if line:find "%S" and (#lines > 1 or indent > 0) then least = math.min(least, indent) end
  end
  if in_braces then self.program:open_brace() end
  for _, line in ipairs(lines) do
    self:line(line:sub(math.min(least, #line:match "^%s*") + 1))
  end
  if in_braces then self.program:close_brace() end
end

-- Names that stand for device addresses in a region just opened: the addresses are kept.
function Recorder:keep_replaced(session, before)
  local replaced = session.replaced
  if not replaced or replaced == before then return end
  local names = {}
  for name in next, replaced do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local binding = rawget(replaced, name)
    local address = binding.value and binding.value() or binding.place and binding.place()
    if address then
      self:linef("%s = %s%s;", self.program:keep_device(address), binding.value and "(void *)" or "(void *)&", name)
    end
  end
end

-- A region as the script has it: its end is a step, too.
function Recorder:region(region)
  local made = {}
  local function close()
    return self:step(function() self.program:close_brace() end, region.close)
  end
  made.close = close
  return setmetatable(made, { __name = "region", __close = getmetatable(region).__close and close,
    __call = function(_, body)
      if type(body) ~= "function" then return region(body) end
      return self:step(function() end, region, function()
        body()
        self:catch_up()
        if self.program:is_open() then self.program:close_brace() end
      end)
    end })
end

function Recorder:directive(name, original, text, refs)
  local session = self:session()
  local dialect = dialects[name]
  local ok, node = pcall(grammar.parse, dialect.start, text, 1, session.scope)
  if not ok or not self.program:is_open() then return original(text, refs) end
  self:speak(dialect.language)
  local beyond = extension(node)
  if beyond then self:cannot_declare(("%s: no standard directive can express that"):format(beyond)) end
  if declarations[node.name] then
    table.insert(self.program.declarations, ("#pragma %s %s"):format(name, without_sentinel(name, text)))
    return original(text, refs)
  elseif node.name:find "^end " or node.name:find "^end_" then
    return self:step(function() self.program:close_brace() end, original, text, refs)
  elseif node.name == "declare" then
    self:cannot "declare acts when a C program starts, not where the scenario has it"
    return original(text, refs)
  end
  local before = session.replaced
  local result
  local queued = has_clause(node, dialect.queued)
  local function write()
    self:pragma(name, text)
    if structured[node.name] then
      self.program:open_brace()
    elseif queued then
      self:line(dialect.wait)
    end
  end
  -- a compute construct is only looked at until its body is there
  local standalone = structured[node.name] or not routines.is_compute(name, node)
  if not standalone then
    result = original(text, refs)
    return type(result) == "function" and self:compute(name, node, text, refs, result, queued) or result
  end
  result = self:step(write, original, text, refs)
  if result == nil then return nil end
  self:keep_replaced(session, before)
  return self:region(result)
end

-- A compute construct that waits for its body.
function Recorder:compute(name, node, text, refs, run, queued)
  return function(body)
    if type(body) ~= "string" then
      self:cannot "the body of a kernel is a Lua function: write it as C text"
      return run(body)
    end
    return self:step(function()
      self:pragma(name, text)
      local is_loop = routines.is_loop(node)
      if refs then
        if is_loop then self:cannot "variables that a loop only refers to (the second argument)" end
        body = refs:gsub("[%a_][%w_]*", "(void)&%0;"):gsub("%s*,%s*", " ") .. "\n" .. body
      end
      self:body(body, not is_loop)
      if queued then self:line(dialects[name].wait) end
    end, run, body)
  end
end

-- --------------------------------------------------------------------------------------- routines --

function Recorder:routine(name, original, ...)
  local session = self:session()
  if not self.program:is_open() then return original(...) end
  self:speak(name:find "^acc_" and "openacc" or "openmp")
  self:catch_up()
  local call, returns = routines.call(self, session, name, ...)
  if not call then
    self:cannot(("the routine %s%s"):format(name, returns or ""))
    return original(...)
  end
  if returns == "nothing" or returns == "unchecked" then
    return self:step(function() if returns == "nothing" then self:line(call .. ";") end end, original, ...)
  end
  local kept = returns == "device" and self.program:keep_device() or "result"
  local value = self:step(function() self:line(("%s = %s;"):format(kept, call)) end, original, ...)
  if not self.program:is_open() then return value end
  if returns == "device" then
    local at = view.location(value)
    self.program.devices[#self.program.devices].address = at and at.address or 0
    self:check(call .. " is null", function()
      self:linef("check_number(%s == NULL, %d);", kept, (not at or at.address == 0) and 1 or 0)
    end)
  else
    self.program.uses.result = true
    local truth = returns == "truth"
    self:check(call, function()
      self:linef("check_number(%s, %s);", truth and "result != 0" or "result",
        number_text(truth and value ~= 0 and value ~= false or not truth and value))
    end)
  end
  return value
end

-- ----------------------------------------------------------------------------------- expectations --

local beyond_c = {
  attached = "whether a pointer is attached", detached = "whether a pointer is attached",
  count = "reference counters", uninitialized = "bytes that nobody has initialised",
  events = "events", moves = "transfers",
  malformed = "text that does not compile", invalid = "directives that do not compile",
}

function Recorder:presence(text, wanted)
  if not self.program:is_open() then return end
  local address, bytes = self:extent(text)
  self.program.uses.present = true
  self:check(text .. " present", function()
    self:linef("check_number(check_present(%s, %d), %d);", address, bytes, wanted)
  end)
end

-- An error is the end of a C program: what it prints tells whether it was reached.
function Recorder:fails(original, code, fn)
  local program = self.program
  if not program:is_open() then return original(code, fn) end
  self:catch_up()
  local depth = program.depth
  local _, line = location.scenario(1)
  program.uses.fails = true
  self:linef("check_fails(%d, %s);", line or 0, quoted(tostring(code)))
  self.failing, self.failed = true, false
  local ok, err = pcall(original, code, fn)
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

local function expectations(self, env)
  local plain = env.expect
  local e = {}
  for name, fn in pairs(plain) do e[name] = fn end
  for name, what in pairs(beyond_c) do
    e[name] = function(...)
      self:cannot(("expect.%s: no standard routine tells of %s"):format(name, what))
      return plain[name](...)
    end
  end
  function e.host(text, wanted)
    plain.host(text, wanted)
    self:catch_up()
    local session = self:session()
    self:check(text, function() self:compare_expression(session, text, wanted) end)
  end
  function e.device(text, wanted)
    plain.device(text, wanted)
    self:catch_up()
    local session = self:session()
    if self.program.language == "openmp" then
      return self:cannot "expect.device: OpenMP has no routine for it; read it in a region, or update from"
    end
    self.program.uses.device = true
    self:check("device " .. text, function()
      self:compare_expression(session, text, wanted,
        function(lvalue) return ("check_on_device(%s)"):format(lvalue) end)
    end)
  end
  function e.present(text)
    plain.present(text)
    self:catch_up()
    self:presence(text, 1)
  end
  function e.absent(text)
    plain.absent(text)
    self:catch_up()
    self:presence(text, 0)
  end
  function e.fails(code, fn) return self:fails(plain.fails, code, fn) end
  env.expect = setmetatable(e, { __call = function(_, ...) return plain(...) end })
end

-- ---------------------------------------------------------------------------------- the language --

local beyond_language = {
  fortran = "Fortran", call = "Fortran", output = "Fortran", func = "functions written in Lua",
  method = "member functions", events = "events", state = "the state of a device",
}

local function host_names(self, env)
  local meta = getmetatable(env.host)
  local index, newindex, call = meta.__index, meta.__newindex, meta.__call
  meta.__index = function(...) self:session() return index(...) end
  meta.__newindex = function(...) self:session() return newindex(...) end
  meta.__call = function(_, text)
    local value = call(_, text)
    local session = self:session()
    self:catch_up()
    local at = view.location(value)
    if not at and self.program:is_open() then
      self:check(text, function() self:compare_expression(session, text, value) end)
    end
    return value
  end
end

-- C++ has no place in a C program. The text stands in for what a compiler would say first.
local function of_cpp(text)
  local plain = text:gsub("/%*.-%*/", " "):gsub("//[^\n]*", " ")
  return plain:match "%f[%w_](class)%f[^%w_]" or plain:match "%f[%w_](template)%f[^%w_]"
    or plain:match "%f[%w_](virtual)%f[^%w_]" or plain:match "%f[%w_](public)%s*:"
    or plain:match "(&)%s*[%a_][%w_]*%s*%)?[%[%]%w_]*%s*=[^=]"
end

function Recorder:declare(original, text)
  self:catch_up()
  original(text)
  local session = self:session()
  local pragma = text:match "#%s*pragma%s+acc%s+(%a+)"
  if pragma then self:cannot_declare(("a type's %s: no standard directive can express that"):format(pragma)) end
  local cpp = of_cpp(text)
  if cpp then self:cannot_declare(("'%s' is C++: programs are written in C"):format(cpp)) end
  if not self.program:is_open() then return end
  table.insert(self.program.declarations, (text:gsub("^%s*\n", ""):gsub("%s+$", "")))
  self.program:declared(session)
end

-- Wraps the script's names. wanted: the language of the program, or nil for that of the scenario.
local function record(file, wanted)
  local self = setmetatable({ program = export_program.new(file), wanted = wanted, cases = {}, seen = {}, loads = {} },
    Recorder)
  function self.attach(env, run)
    self.run = run
    local plain = {}
    for name, value in next, env do plain[name] = value end
    for name in pairs(dialects) do
      if plain[name] then
        env[name] = function(text, refs)
          if type(text) ~= "string" then return plain[name](text, refs) end
          return self:directive(name, plain[name], text, refs)
        end
      end
    end
    for name, value in pairs(plain) do
      if type(value) == "function" and (name:find "^acc_" or name:find "^omp_") then
        env[name] = function(...) return self:routine(name, value, ...) end
      elseif beyond_language[name] then
        env[name] = function(...)
          self:cannot_declare(beyond_language[name] .. " cannot be written in C")
          return value(...)
        end
      end
    end
    function env.declare(text) return self:declare(plain.declare, text) end
    function env.free(pointer)
      local at = view.location(pointer)
      return self:step(function()
        self:linef("free(%s);", at and self.program:pointer_text(self:session(), at.address, at.type.to) or "NULL")
      end, plain.free, pointer)
    end
    function env.case(name, body)
      if type(name) == "function" then name, body = nil, name end
      if type(body) ~= "function" then return plain.case(name, body) end
      local outer = self.program
      self.cases[#self.cases + 1] = outer:case(name or "case " .. (#run.cases + 1))
      local index = #self.cases
      plain.case(name or "case " .. (#run.cases + 1), function()
        self.program, self.in_case = self.cases[index], true
        self:session()
        body()
        self:catch_up()
      end)
      self.program, self.in_case = outer, false
    end
    host_names(self, env)
    expectations(self, env)
  end
  return self
end

return record
