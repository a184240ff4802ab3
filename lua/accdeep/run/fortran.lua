-- fortran.lua - the language of a scenario's host program, where it is Fortran: texts of declarations and statements,
-- expressions, directives. A session asks its dialect (session.lua) for what differs between C and this.

local addendum = require "accdeep.shape.fortran_addendum"
local body = require "accdeep.plan.body.fortran"
require "accdeep.code.fortran.constructor"
local debug = require "accdeep.types.fortran_debug"
local construct = require "accdeep.run.fortran_construct"
local declare = require "accdeep.code.fortran.declare"
local descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local directive = require "accdeep.grammar.openacc"
local expression = require "accdeep.code.fortran.expression"
local fview = require "accdeep.code.fortran.view"
local grammar = require "accdeep.grammar.fortran"
local kernel = require "accdeep.code.fortran.kernel"
local declared = require "accdeep.code.fortran.declared"
local location = require "accdeep.base.location"
local mapping = require "accdeep.plan.fortran_map"
local inputs = require "accdeep.shape.fortran_inputs"
local procedure = require "accdeep.code.fortran.procedure"
local section = require "accdeep.plan.fortran_section"
local source = require "accdeep.grammar.fortran_source"
local statement = require "accdeep.run.fortran_statement"
local structure = require "accdeep.grammar.fortran_structure"
local view = require "accdeep.code.view"

local raise = diagnostic.raise

-- Plans hold addresses: they serve again while these are the same.
local fortran = { measured = inputs.plan, holds = inputs.holds }

-- ----------------------------------------------------------------------------------- expressions --

local function parse(text, start)
  return (grammar.parse(start or "expression", source.directive(text), 1))
end

-- The value of an expression in a memory: a number, truth, text, a view; lists for arrays; nil for what is not
-- there.
function fortran.value(_, env, text)
  local node = parse(text)
  local frame = { pos = node.pos }
  local ok, result = pcall(function()
    local e = expression.compile(env, node)
    if e.rank > 0 and e.section then return fview.nested(e.section(frame), env.space) end
    if e.rank > 1 then raise("unsupported", node.pos, "values of more than one dimension cannot be shown") end
    if e.rank == 1 then
      local values = e.array(frame)
      values.shape = nil
      return values
    end
    if e.value then return (e.value(frame)) end
    if not e.place then raise("type-mismatch", node.pos, "this has no value") end
    local address, low, high = e.place(frame)
    return view.read(env.space, e.type, address, low, high)
  end)
  if ok then return result end
  if diagnostic.is(result) and not result.pos then result.pos = frame.pos end
  error(result, 0)
end

function fortran.extent(session, text) return section.extent(session, parse(text)) end
function fortran.slot(session, text)
  local address, t = section.slot(session, parse(text))
  return address, t
end
fortran.target, fortran.extent_or_none = section.target, section.extent_or_none
fortran.list_items, fortran.category = mapping.list_items, mapping.category

-- The type that a text names: real(8), type(t).
function fortran.type(session, text) return declare.type(session, parse(text, "spec")) end

fortran.type_of = declare.type

function fortran.number(value, pos) return { tag = "num", class = "integer", kind = 4, value = value, pos = pos } end

-- The allocatables of a declare directive: what they hold now, and what they will hold.
function fortran.last(session, plan)
  for _, one in ipairs(plan.lasting) do
    declared.add(session, one.descriptor, one.name)
    declared.allocated(session, one.descriptor, one.address, one.bytes, plan.node.pos)
  end
end

-- Whether a clause names an optional argument that is absent: it has no effect (ACC33-2.17.1-1).
function fortran.is_absent(session, node)
  while node.base do node = node.base end
  local variable = session.scope.variables[node.name]
  return variable ~= nil and variable.absent ~= nil
end

function fortran.condition(session, node)
  local e = expression.compile(session:host_env(), node)
  expression.needs(node, "logical", e)
  if e.rank > 0 then raise("type-mismatch", node.pos, "a condition is a scalar") end
  return function() return e.value { pos = node.pos } end
end

function fortran.integer(session, node)
  return expression.integer(session:host_env(), node) { pos = node.pos }
end

-- ------------------------------------------------------------------------------------ directives --

-- Whether a text is one directive; otherwise it is declarations and statements.
function fortran.is_directive(text)
  local plain = source.plain(text)
  local line, rest = plain:match "^%s*([^\n]*)(.*)$"
  local word = line:match "^[%a_]+"
  if rest:find "%S" then return false end
  return line:find "^!%$%a" ~= nil or directive.first_words[word] and not line:find "^[%w_]+%s*[=%%]" or false
end

function fortran.directive(session, text)
  return (grammar.parse("directive", source.directive(text), 1, session.scope))
end
function fortran.omp_directive(session, text)
  return (grammar.parse("omp_directive", source.directive(text), 1, session.scope))
end
function fortran.references(_, text) return (grammar.parse("references", source.directive(text), 1)) end
fortran.layouts, fortran.debug = descriptor.layouts, debug
fortran.item, fortran.pointer, fortran.with_roots = section.item, section.pointer, section.with_roots
fortran.element_type, fortran.way_to, fortran.object_of = section.element_type, section.way_to, section.object_of
fortran.completed, fortran.settle = addendum.complete, addendum.settle
fortran.binding, fortran.private, fortran.use_device = kernel.binding, kernel.private, kernel.use_device

-- The body of a construct: text, or a list of statements that stand in one. made_by: {node, on, place} of a construct
-- whose directives inside are read (kernel.lua). Returns {list}, and what it refers to.
function fortran.body(session, text, made_by)
  local is_own = type(text) == "string"
  local list = is_own and structure.arrange((grammar.parse("body", source.plain(text), 1))) or text.list
  if made_by then list = body.read(session, list, made_by, is_own) end
  return { list = list, run = not is_own and text.run or nil }, kernel.references(session, list)
end

-- Runs such a body. One that has run runs itself: statements of the host program.
function fortran.run_body(env, made)
  if made.run and not env.space.on_device and not env.session.kernel then return made.run() end
  statement.over(env, made.list)
end
fortran.counters = construct.counters

-- -------------------------------------------------------------------------------------- sessions --

local Session = { forward = {} } -- types that are named and not yet defined: declare.lua

local function carry_out(session, text)
  local list = structure.arrange((grammar.parse("program", source.plain(text), 1)))
  body.check(session, list)
  procedure.define(session, list)
  declare.complete(session, function() statement.over(session:host_env(), list) end)
end

-- Carries out a text: declarations, statements, directives, in order; procedures are known from its beginning.
function fortran.declare(session, text) session:describing(carry_out, session, text) end

function Session:fortran(text, file, line) self:within(text, file, line, fortran.declare, self, text) end

-- call "wrapper(d, t1)"
function Session:fortran_call(text, file, line)
  self:within(text, file, line, function()
    local node = grammar.parse("call", source.plain(text), 1)
    declare.complete(self, function() statement.over(self:host_env(), { node }) end)
  end)
end

function Session:fortran_type(spec) return declare.type(self, spec) end
function Session:fortran_procedure(name) return self.scope.procedures[name] end

function Session:fortran_procedure_names()
  local names, at = {}, self.scope
  while at do
    for name in next, at.procedures do names[name] = true end
    at = at.outer
  end
  return names
end

function Session:fortran_function(env, node, made)
  return procedure.call_function(env, node, made, function(list, frame) statement.run(self, list, frame) end)
end

-- File and line of a place in a text.
function Session:line_of(here)
  if not here.text or not here.line then return here.file, here.line end
  return here.file, location.line_of(here.text, here.pos, here.file, here.line)
end

-- The text of a directive among statements: blanks, then the directive at its place in the whole text.
function Session:in_place(node)
  local current = self.current
  local text = current.text:sub(1, node.pos - 1):gsub("[^\n]", " ") .. node.text
  self.inside[text] = current
  return text
end

function Session:fortran_directive(node)
  local file, line = self:line_of(self:here(node.pos))
  return self[node.omp and "omp" or "directive"](self, self:in_place(node), nil, file, line)
end

-- Shapes and policies among the components of a type.
function Session:fortran_descriptions(record, directives)
  local policies = {}
  for _, node in ipairs(directives) do
    local text = self:in_place(node)
    if node.sentinel == "!$omp" then
      self:declare_openmp(self:parse(text, "omp_directive"), record)
    else
      policies[#policies + 1] = self:described(self:parse(text), record)
    end
  end
  self:check_policies(record, policies)
  self:types_changed()
end

-- Lines printed so far; they are forgotten.
function Session:output()
  local lines = self.printed
  self.printed = {}
  return lines
end

-- Adds what sessions do in Fortran to their class.
function fortran.extend(class)
  for name, method in pairs(Session) do class[name] = method end
end

return fortran
