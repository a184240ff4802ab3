-- language_fortran.lua - Fortran as the language of host programs: texts of declarations and statements, expressions,
-- list items, bodies. languages.lua says what each function is for.

local addendum = require "accdeep.shape.fortran_addendum"
local body = require "accdeep.plan.body.fortran"
local construct = require "accdeep.run.fortran_construct"
local cuda = require "accdeep.code.cuda"
local debug = require "accdeep.types.fortran_debug"
local declare = require "accdeep.code.fortran.declare"
local depend = require "accdeep.plan.openmp_depend"
local diagnostic = require "accdeep.base.diagnostic"
local directive = require "accdeep.grammar.openacc"
local expression = require "accdeep.code.fortran.expression"
local fview = require "accdeep.code.fortran.view"
local grammar = require "accdeep.grammar.fortran"
local inputs = require "accdeep.shape.fortran_inputs"
local kernel = require "accdeep.code.fortran.kernel"
local mapping = require "accdeep.plan.fortran_map"
local procedure = require "accdeep.code.fortran.procedure"
local section = require "accdeep.plan.fortran_section"
local set = require "accdeep.base.words".set
local source = require "accdeep.grammar.fortran_source"
local statement = require "accdeep.run.fortran_statement"
local structure = require "accdeep.grammar.fortran_structure"
local unparse = require "accdeep.grammar.unparse_fortran"
local view = require "accdeep.code.view"

local raise = diagnostic.raise

local function same(_, given) return given end

-- Plans hold addresses: they serve again while these are the same.
local fortran = {
  name = "fortran", pointers = "FLANG", keywords = {}, spelled = string.lower,
  some_section = "%s(1:n)", least_section = "%s(1:0)", text_of = unparse, member_sign = "%", numbers_places = false,
  has_paragraphs = true, debug = debug,
  first = 1, includes_last = true, planned = inputs.plan, holds = inputs.holds, computes_bounds = true,
  element_type = section.element_type, object_of = section.object_of, way_to = section.way_to,
  object = section.object, section = section.section, pointer = section.pointer, update_pieces = same,
  with_roots = section.with_roots, completed = addendum.complete, takes_self = false, has_blocks = false,
  extent_of = section.extent_or_none, map_items = mapping.map_items, category = mapping.category,
  categories = set "scalar aggregate pointer allocatable all", check_dependence = depend.check_fortran,
  counters = construct.counters, is_compiled = false,
}

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

-- The type that a text names: real(8), type(t).
function fortran.type(session, text) return declare.type(session, parse(text, "spec")) end

function fortran.type_of(session, tree) return declare.type(session, tree.spec or tree) end

-- A variable by its declaration, which gives it memory, too: the variable is returned without.
function fortran.variable(session, name, text, file, line)
  if not text:find "::" then return nil end
  session:declare(text, file, line)
  local variable = session.now.scope.variables[name]
  if not variable then
    raise("unknown-name", nil, ("this declares no '%s'"):format(name), { file = file, line = line })
  end
  session:forget_block(variable.address)
  return variable
end

function fortran.number(value, pos) return { tag = "num", class = "integer", kind = 4, value = value, pos = pos } end

-- Whether a clause names an optional argument that is absent: it has no effect (ACC33-2.17.1-1).
-- Decides ACC33-2.17.1-1.
function fortran.is_absent(session, node)
  while node.base do node = node.base end
  local variable = session.now.scope.variables[node.name]
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

-- ------------------------------------------------------------------------------------------ names --

-- The subscripts of an element: (3) or (1,2) by the array's bounds.
function fortran.subscripts(t, index)
  local parts = {}
  for i, bound in ipairs(t.bounds or { { lower = 1, extent = math.maxinteger } }) do
    local extent = math.max(bound.extent, 1)
    parts[i] = ("%d"):format(bound.lower + (t.bounds and i == #t.bounds and index or index % extent))
    index = index // extent
  end
  return ("(%s)"):format(table.concat(parts, ","))
end

-- (3:5) of an array of one dimension, in others elements from 0 in memory order.
function fortran.range_text(t, first, behind)
  if t.bounds and #t.bounds > 1 then return ("[%d:%d]"):format(first, behind - first) end
  local lower = t.bounds and t.bounds[1].lower or 1
  return ("(%d:%d)"):format(lower + first, lower + behind - 1)
end

function fortran.behind(base, _, path)
  base = base:gsub("%(:%)$", "")
  return path == "" and base .. "(:)" or path:sub(1, 1) == "(" and base .. path or base .. "%" .. path
end

-- Whether a text is one directive; otherwise it is declarations and statements.
function fortran.is_directive(text)
  local plain = source.plain(text)
  local line, rest = plain:match "^%s*([^\n]*)(.*)$"
  local word = line:match "^[%a_]+"
  if rest:find "%S" then return false end
  return line:find "^!%$%a" ~= nil or directive.first_words[word] and not line:find "^[%w_]+%s*[=%%]" or false
end

function fortran.parse(session, start, text)
  return (grammar.parse(start, source.directive(text), 1, session.now.scope))
end

function fortran.is_designator(session, variable) -- p(:)%n is one, of p(:)%a(:) there is none
  local ok, err = pcall(section.element_type, session, variable)
  return ok or not diagnostic.is(err) or err.code ~= "type-mismatch"
end

-- ---------------------------------------------------------------------------------------- bodies --

-- The body of a construct: text, or a list of statements that stand in one.
local function read_body(session, text, made_by)
  local is_own = type(text) == "string"
  local list = is_own and structure.arrange((grammar.parse("body", source.plain(text), 1))) or text.list
  if made_by then list = body.read(session, list, made_by, is_own) end
  return { list = list, run = not is_own and text.run or nil }, kernel.references(session, list)
end

function fortran.read_body(session, text, place, construct_of)
  if type(text) ~= "string" then return read_body(session, text, construct_of) end
  return session:within(text, place.file, place.line, read_body, session, text, construct_of)
end

-- Runs such a body. One that has run runs itself: statements of the host program.
local function run_body(env, tree)
  if tree.run and not env.space.on_device and not env.session.now.kernel then return tree.run() end
  statement.over(env, tree.list)
end

function fortran.run_body(session, k, text, tree)
  cuda.interpreted(k, "it is Fortran")
  if type(text) ~= "string" then return run_body(k.env, tree) end
  return session:within(text, k.body_file, k.body_line, run_body, k.env, tree)
end

-- ------------------------------------------------------------------------------------------- texts --

local function run_text(session, text)
  local list = structure.arrange((grammar.parse("program", source.plain(text), 1)))
  body.check(session, list)
  procedure.define(session, list)
  declare.complete(session, function() statement.over(session:host_env(), list) end)
end

-- Carries out a text: declarations, statements, directives, in order; procedures are known from its beginning.
function fortran.declare(session, text) session:describing(run_text, session, text) end

return fortran
