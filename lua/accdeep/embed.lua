-- embed.lua - the Lua half of libaccdeep, the interface for C programs (lua/embed): analyses directives in a session
-- whose host memory is the program's own.
--
--   C: accd_run_directive -> Host:directive -> plan -> C runs the plan's construct in the core.
--
-- Directives that are executed here completely (kind "done") may change data of a device. All functions raise their
-- errors as diagnostics; reported() converts them for C. lua/embed/*.c calls all functions of this file. Parameters
-- `file` and `line` are the location of the call in the C program, or nil.
--
-- A record describes a planned directive: {text, file, line, accepts, plan, construct, kind, name, is_openmp}. C keeps
-- it to report errors, and passes it to Host:again to plan the directive with present values.

local lazy = require "accdeep.base.lazy"
local async = require "accdeep.run.async"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local languages = require "accdeep.run.languages"
local scoped_names = require "accdeep.types.scoped_names"
local qualified_names = require "accdeep.types.qualified_names"
local report = lazy.require "accdeep.base.report"
local profiles = require "accdeep.definitions.profiles"
local session = require "accdeep.run.session"
local transaction = require "accdeep.types.transaction"
local types = require "accdeep.types"
local memory_view = require "accdeep.backend.memory_view"

local raise = diagnostic.raise

local embed = {}

local Host = {}
Host.__index = Host

-- --------------------------------------------------------------------------------------- open, close --

local backends = { sim = true, direct = true, cuda = true }

-- Raises unless the option `value` is nil or a key of `choices`. kind_name: kind of the option in the message; list:
-- help that lists the choices, used if none is close to `value`.
local function choice(value, choices, kind_name, list)
  if value == nil or choices[value] then return end
  raise("unknown-name", nil, ("there is no %s '%s'"):format(kind_name, value),
    { help = diagnostic.suggest(value, choices) or list })
end

-- Returns a host for a new session, which the caller closes. options: those of session.new, changed here; allocator:
-- that of core.open. Raises for unknown options before a device is opened, and if a device cannot be opened.
function embed.open(options)
  choice(options.language, languages, "language", "c and fortran")
  choice(options.descriptors, fortran_descriptor.layouts, "layout of descriptors", "cfi, flang and gfortran")
  choice(options.async, { program = true, concurrent = true }, "mode of queues", "program and concurrent")
  local kind = (options.device or "sim"):gsub("^(cuda):%d+$", "%1")
  choice(kind, backends, "kind of device", "sim, direct, cuda and cuda:N")
  local self = setmetatable({ records = {} }, Host) -- records: text -> line -> record of the directive
  options.unchecked = true
  -- kernels are the program's: all device memory counts as written, because the core does not see what they write
  options.own_kernels = true
  profiles.profile(options.rules) -- raises before a device is opened
  self.session = session.new(options)
  self.ctx = self.session.ctx
  return self
end

-- Closes the session. The host must not be used afterwards.
function Host:close() self.session:close() end

-- Removes all fields of a table, without allocating memory.
local function empty(t)
  for key in next, t do t[key] = nil end
end

-- Clears the caches of ASTs, plans and records after memory ran out. Allocates no tables, so it cannot fail.
function Host:relieve()
  local s = self.session
  empty(s.caches.parsed)
  empty(s.caches.prepared)
  empty(self.records)
  s.caches.nparsed, s.caches.nprepared = 0, 0
end

-- Value of the error that C raises in a call that takes too many steps; embed.reported recognizes it.
embed.limit = { code = "limit" }

-- Returns the help `help` for a scenario in terms of C: func becomes accd_bind_function, and scenario { field = value }
-- a field of accd_session_config. Functions that take a text become calls of C.
local function help_for_c(help)
  if help:find "^register it: " then return "register it: accd_bind_function" end
  return (help:gsub("scenario { (%l+) = (.-) }", "accd_session_config { .%1 = %2 }")
    :gsub("%f[%w_]declare_from%f[^%w_]", "accd_declare_from_debug_info")
    :gsub('%f[%w_]declare "([^"]*)"', 'accd_declare(session, "%1")')
    :gsub('%f[%w_]([ao][cm][cp]) "([^"]*)"', 'accd_run_directive(session, "%1 %2")')
    :gsub("^give the function in Lua, with method%(%).*", "write its body as one return of an expression"))
end

-- Returns any Lua error as a table for C: texts, objects, and `report`, the message as the command line prints it.
-- `err`: a diagnostic, whose help is changed to terms of C; embed.limit; or another value, which becomes an internal
-- error.
function embed.reported(err)
  if err == embed.limit then
    err = diagnostic.new { code = "limit",
      message = "the call takes more steps of the interpreter than the limit allows" }
  elseif not diagnostic.is(err) then
    err = diagnostic.new { code = "internal", message = tostring(err) }
  end
  err.help = err.help and help_for_c(err.help)
  local data = report.to_plain_data(err)
  data.text, data.column = err.text, data.column or data.text_column
  data.report = report.error(err):gsub("\n$", "")
  data.objects = err.objects or {}
  return data
end

-- --------------------------------------------------------------------------------- types, objects --

-- Returns `name`. Raises if it is not an identifier, or is a keyword of the session's language.
local function identifier(s, name)
  local reserved = s.language.keywords[name]
  if not name:match "^[%a_][%w_]*$" or reserved then
    raise("syntax", nil, ("'%s' is not a name"):format(name), { rule = "HOUSE-names" })
  end
  return name
end

-- Executes the declarations in `text`. If one of them is wrong, raises and declares nothing.
function Host:declare(text, file, line)
  local s = self.session
  transaction.run(s, s.declare, s, text, file, line)
end

-- Declares the type that `text` names from debug information. `program`: path of the program that has it; "" for the
-- calling process. Raises if there is no such information or type.
function Host:declare_from(text, program, file, line)
  self.session:declare_from(program ~= "" and program or nil, text, file, line)
end

-- Returns the type that `text` names. Raises if there is no such type, or if it has no size.
local function type_named(s, text, file, line)
  return s:with_text(text, file, line, function()
    if text:find("::", 1, true) and qualified_names.parse(text) and not s.now.scope:type_spelled(text)
      and not s.now.scope.is_template(text:match "[%w_]+") then
      raise("unknown-type", 1, ("there is no type '%s'"):format(text), { length = #text,
        help = "accd_declare_from_debug_info declares it as the compiler knows it" })
    end
    local t = s.language.type(s, text)
    if t.kind == "void" or t.kind == "function" or t.kind == "record" and not t.complete
      or t.kind == "array" and not t.n then
      scoped_names.no_size(t, 1, { code = "unknown-type", length = #text })
    end
    return t
  end)
end

-- Clears plans and mapping programs, which hold addresses, before the variable `name` changes. ASTs are kept, unless
-- the name is also a C++ type.
local function forget_plans(s, name)
  if s.now.scope.tags[name] then return s:types_changed() end
  s.caches.programs, s.caches.member_mappings, s.caches.prepared, s.caches.nprepared = {}, {}, {}, 0
end

-- Raises if the object of the variable `name`, of `bytes` bytes, has another size than its type `t`. Sizes up to 1 mean
-- that the program did not give one. An array may also have the size of its first element.
local function check_size(name, t, bytes, file, line)
  -- compilers give sizeof(void) as 1, so a size of 1 may mean that the program has no type for the object
  local is_size_specified = bytes > 1
  local is_first = t.kind == "array" and t.of.size == bytes
  if not is_size_specified or bytes == t.size or is_first then return end
  raise("type-mismatch", nil, ("%s has %d bytes, the object of the program %d"):format(types.name(t), t.size, bytes),
    { rule = "HOUSE-binding", file = file, line = line, help = t.kind == "pointer"
      and ("pass the address of the pointer: &%s"):format(name)
      or "declare the type as the compiler has it; ACCD_CHECK_MEMBER finds the member" })
end

-- Binds the name `name` to the program's object at `address`, of the type or declaration `text`. A name that was bound
-- before is bound again. `bytes`: see check_size. Raises, and changes no variable, if the name is declared otherwise or
-- the size is wrong.
function Host:bind(name, text, file, line, address, bytes)
  local s = self.session
  name = s.language.normalize_name(name)
  local existing = s.now.scope.variables[identifier(s, name)]
  if existing and not existing.bound
    or not existing and (s.now.scope:find_declared(name) or s.now.scope.functions[name]) then
    raise("duplicate-name", nil, ("'%s' is declared already"):format(name), { file = file, line = line })
  end
  transaction.run(s, function()
    s.now.scope.variables[name] = nil
    local variable = s.language.variable(s, name, text, file, line)
      or { name = name, type = type_named(s, text, file, line) }
    check_size(name, variable.type, bytes, file, line)
    forget_plans(s, name) -- must precede the change of the variable: if memory runs out here, nothing has changed
    variable.address, variable.lvalue, variable.bound = address, nil, true
    s.now.scope.variables[name] = variable
    s:variable_declared(variable)
  end)
end

-- Removes a variable that Host:bind made. Raises if `name` is not bound.
function Host:unbind(name, file, line)
  local s = self.session
  name = s.language.normalize_name(name)
  local variable = s.now.scope.variables[name]
  if not variable or not variable.bound then
    raise("unknown-name", nil, ("'%s' is not bound"):format(name),
      { file = file, line = line, help = diagnostic.suggest(name, s.now.scope:names()) })
  end
  forget_plans(s, name)
  s.now.scope.variables[name] = nil
end

-- Raises unless the structure type that `text` names has the member `name` of `bytes` bytes at the offset `offset`.
function Host:check_member(text, name, file, line, offset, bytes)
  local s = self.session
  local t = type_named(s, text, file, line)
  local member = types.is_record(t) and types.member(t, name)
  if not member then
    raise(types.is_record(t) and "unknown-member" or "not-a-struct", nil, types.is_record(t)
      and ("%s has no member '%s'"):format(types.name(t), name) or ("%s has no members"):format(types.name(t)),
      { file = file, line = line })
  end
  if member.offset ~= offset or member.type.size ~= bytes then
    raise("type-mismatch", nil, ("%s.%s is %d bytes at offset %d, in the program %d at %d"):format(types.name(t), name,
      member.type.size, member.offset, bytes, offset), { rule = "HOUSE-binding", file = file, line = line })
  end
end

-- Registers a C function as `name`, for bounds of sections. fn receives integers (numbers and addresses). It returns an
-- integer, or nil and the number of its error, which is raised when the bound is evaluated. Raises if the name exists.
function Host:func(name, fn, file, line)
  local s = self.session
  if s.now.scope:find_declared(identifier(s, name)) or s.now.scope.functions[name] then
    raise("duplicate-name", nil, ("'%s' is declared already"):format(name), { file = file, line = line })
  end
  -- Calls `fn` with arguments as integers and returns its result. Raises for an argument that is neither an integer nor
  -- an address, and if `fn` fails.
  local function check_results(...)
    local arguments = table.pack(...)
    for i = 1, arguments.n do
      local value = arguments[i]
      arguments[i] = math.tointeger(value) or memory_view.address(value)
      if not arguments[i] then
        error(diagnostic.new { code = "type-mismatch", rule = "TR14-3.1.1-21",
          message = ("argument %d of %s is not an integer or an address"):format(i, name) }, 0)
      end
    end
    local result, problem = fn(table.unpack(arguments, 1, arguments.n))
    if result then return result end
    error(diagnostic.new { code = "callback", rule = "TR14-3.1.1-21",
      message = ("the function '%s' failed: it returned %d"):format(name, problem) }, 0)
  end
  s:types_changed()
  s.now.scope.functions[name] = check_results
end

-- ------------------------------------------------------------------------------------- directives --

-- Action of C for a plan, by kind of the plan: "step" runs the construct once, "region" runs it and opens a region.
-- "compute" opens a region whose body is a kernel. Plans of other kinds are executed in Lua.
local kinds = { ["enter data"] = "step", ["exit data"] = "step", update = "step", region = "region",
  declare = "region", compute = "compute" }

-- Returns the text of a directive without "#pragma" or "!$" and the language's word. The second result is true if the
-- word is "omp", false if it is "acc", and nil if there is none.
local function strip_sentinel(text)
  local bare_text = text:gsub("^%s*#%s*pragma%s+", ""):gsub("^%s*!%$", "")
  local word, rest = bare_text:match "^%s*(%a+)%s+(.*)$"
  word = word and word:lower()
  if word == "acc" or word == "omp" then return rest, word == "omp" end
  return bare_text, nil
end

-- Returns the name of the region that the directive `text` ends, and true if it is OpenMP's; nil for other directives.
local function ended_region(s, text)
  local bare_text, is_openmp = strip_sentinel(text)
  local name = bare_text:lower():match "^%s*end%s+([%l%s_]-)%s*$"
  if not name or name:find "^declare" then return nil end -- end declare target ends a declaration, not a region
  if is_openmp == nil then is_openmp = s:is_openmp(text) end
  return name:gsub("%s+", " "), is_openmp
end

-- Raises the error for the construct or clause `name` at index `pos` of its text. It changes what names in the
-- program's text mean, and accdeep does not see that text.
local function refuse(name, pos)
  raise("unsupported", pos, ("'%s' is about names in the text of a program, which is not seen here"):format(name),
    { length = #name, help = "accd_deviceptr gives the address" })
end

-- Returns true if C runs the plan of the directive `node`, or if making the plan raises an error; false if Lua executes
-- the directive. kind: kind of its plan. accepts: set of the actions in `kinds` that the caller allows, nil for any.
-- Raises for actions that are not allowed, directives for other compilers, and wrong nesting.
local function is_accepted_kind(s, node, kind, text, accepts)
  if kind == "body" or kind == "declaration" then
    return true
  elseif kind == "host data" then
    refuse("host_data", node.pos)
  elseif accepts and not accepts[kinds[kind]] then
    raise("clause-not-allowed", 1, ("'%s' is not a %s"):format(node.name, accepts.step and "construct on data"
      or "compute construct"), { length = #text, help = "accd_run_directive carries it out" })
  elseif kind == "host" then
    raise("unsupported", 1, ("'%s' is about the threads of the program: its own compiler does that"):format(node.name))
  elseif kind == "shutdown" and #s.ctx:levels(s.now.device) > 0 then
    raise("region-nesting", node.pos, "a region is still open on the device", { rule = "ACC33-shut-1" })
  end
  for _, level in ipairs(kind == "declare" and s.ctx:levels(s.now.device) or {}) do
    if level.kind ~= "declare" then
      raise("region-nesting", node.pos, "declare inside a data region", { rule = "ACC33-dec-1" })
    end
  end
  return kinds[kind] ~= nil
end

-- Returns true if C must request a plan each time, because it depends on values that only Lua reads: conditions, the
-- device, the order of queues, or bounds.
local function is_gated(s, plan)
  return (plan.condition_value or plan.on_device or plan.ordered or s.language.computes_bounds or plan.single_use)
    and true or false
end

-- Returns what C needs of the directive `text`: kind ("done", "end" or a value of `kinds`), construct, device, queue,
-- name, is_openmp, gated, record. A directive of kind "done" has been executed; "end" ends the region `name`. accepts:
-- see is_accepted_kind. is_deferred: true if conditions are not evaluated now. Raises if the directive is not valid.
local function describe_plan(self, text, file, line, accepts, is_deferred)
  local s = self.session
  local record = { text = text, file = file, line = line, accepts = accepts }
  return s:with_text(text, file, line, function()
    local end_of, is_openmp = ended_region(s, text)
    if end_of and not accepts then return "end", nil, s.now.device, 0, end_of, is_openmp, false, record end
    local plan = s:plan_or_run(text, file, line, function(node, kind)
      return is_accepted_kind(s, node, kind, text, accepts) end)
    if not plan then return "done", nil, s.now.device, 0, "", false, false, record end
    if #plan.use_device > 0 then refuse("use_device", plan.use_device[1].pos) end
    if plan.typed then
      raise("unsupported", plan.node.pos, "polymorphic objects need steps of their own", { length = #plan.node.name })
    end
    record.plan, record.construct = plan, plan.construct
    local device = is_deferred and s.now.device or s:device_of(plan)
    local queue = plan.ordered and not is_deferred and device >= 0 and async.order(s, plan) or 0
    return kinds[plan.kind], plan.construct, device, queue, plan.node.name, plan.openmp or false, is_gated(s, plan),
      record
  end)
end

local COMPUTE = { compute = true }
local CONSTRUCTS = { compute = true, region = true, step = true }

-- Takes and returns the results of describe_plan. Stores their record in self.records unless the plan must be requested
-- each time (is_gated). After a directive of kind "done" all records are removed, since clause groups may have changed.
local function cache_plan(self, kind, construct, device, queue, name, is_openmp, gated, record)
  if kind == "done" then
    self.records = {} -- the directive may have changed clause groups, on which plans depend
  elseif not gated then
    record.kind, record.name, record.is_openmp = kind, name, is_openmp
    local by_line = self.records[record.text] or {}
    self.records[record.text], by_line[record.line] = by_line, record
  end
  return kind, construct, device, queue, name, is_openmp, gated, record
end

-- Returns what describe_plan returns. Directives whose plans do not depend on run-time values are cached by text and
-- line, until the session clears its plans.
local function plan_once(self, text, file, line, accepts)
  local s = self.session
  if self.recorded_plans ~= s.caches.prepared then self.records, self.recorded_plans = {}, s.caches.prepared end
  local by_line = self.records[text]
  local record = by_line and by_line[line]
  if record and record.file == file and (not accepts or accepts[record.kind]) then
    return record.kind, record.construct, s.now.device, 0, record.name, record.is_openmp, false, record
  end
  return cache_plan(self, describe_plan(self, text, file, line, accepts))
end

-- Returns the description (see describe_plan) of any directive.
function Host:directive(text, file, line) return plan_once(self, text, file, line) end
-- Returns the description of a compute construct. Raises for other directives.
function Host:compute(text, file, line) return plan_once(self, text, file, line, COMPUTE) end
-- Returns the description of a construct that runs later; its conditions are not evaluated now.
function Host:prepare(text, file, line) return describe_plan(self, text, file, line, CONSTRUCTS, true) end
-- Returns the description of the directive of `record` again, with present values.
function Host:again(record) return describe_plan(self, record.text, record.file, record.line, record.accepts) end

-- Raises the error diagnostic.raise(...), located in the text of the directive of `record`.
local function raise_in(self, record, ...)
  self.session:with_text(record.text, record.file, record.line, raise, ...)
end

-- Raises the error `err` of the core about the plan of `record`. at_end: true if the construct failed at its end.
function Host:failed(err, record, at_end)
  local s, plan = self.session, record.plan
  s:with_text(record.text, record.file, record.line, function()
    local core_error = s:core_error(err, not at_end and plan or nil)
    if at_end then core_error.notes = { "at the end of the region" } end
    error(core_error, 0)
  end)
end

-- Raises the error for the kernel of a compute construct that returned `number`, which is not 0.
function Host:kernel_failed(record, _, number)
  raise_in(self, record, "callback", 1, ("the kernel of '%s' failed: it returned %d"):format(record.plan.node.name,
    number), { length = #record.text, rule = "HOUSE-misuse" })
end

-- Raises the error for a directive that ends no open region. innermost: name of the innermost open region, nil if none
-- is open; is_openmp: 0 if that region is OpenACC's.
function Host:cannot_end(record, innermost, is_openmp)
  local help = innermost and ("it is ended by '%s end %s'"):format(is_openmp ~= 0 and "omp" or "acc", innermost)
  raise_in(self, record, "region-nesting", 1, innermost and ("the innermost open region is '%s'"):format(innermost)
    or "there is no open region to end", { length = #record.text, rule = "DIR-4.3-06", help = help })
end

-- Raises the error for ending a region that is not the innermost open one. innermost: name of the innermost open
-- region, nil if none is open.
function Host:not_innermost(record, innermost)
  raise_in(self, record, "region-nesting", 1, innermost
    and ("this is not the innermost open region, which is '%s'"):format(innermost) or "it is not open",
    { length = #record.text, rule = "DIR-4.3-06" })
end

-- Makes device `number` the current device. Raises if there is no such device.
function Host:set_device(number) self.session:set_device(number) end

return embed
