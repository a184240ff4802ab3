-- language_fortran.lua - Fortran as the language of host programs: texts, expressions, list items, bodies.
-- run/languages.lua describes each function.

local fortran_addendum = require "accdeep.lowering.fortran_addendum"
local fortran_body = require "accdeep.sema.body.fortran_body"
local fortran_construct = require "accdeep.run.fortran_construct"
local cuda = require "accdeep.backend.cuda"
local fortran_debug_types = require "accdeep.types.fortran_debug_types"
local fortran_declarations = require "accdeep.backend.fortran.fortran_declarations"
local openmp_depend = require "accdeep.sema.c.openmp_depend"
local diagnostic = require "accdeep.base.diagnostic"
local openacc_syntax = require "accdeep.syntax.openacc_syntax"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
local fortran_view = require "accdeep.backend.fortran.fortran_view"
local fortran_syntax = require "accdeep.syntax.fortran_syntax"
local fortran_inputs = require "accdeep.lowering.fortran_inputs"
local fortran_kernel = require "accdeep.backend.fortran.fortran_kernel"
local fortran_map = require "accdeep.lowering.fortran_map"
local procedure = require "accdeep.backend.fortran.procedure"
local fortran_section = require "accdeep.lowering.fortran_section"
local word_set = require "accdeep.base.strings".word_set
local fortran_free_form = require "accdeep.syntax.fortran_free_form"
local fortran_statement = require "accdeep.run.fortran_statement"
local fortran_blocks = require "accdeep.syntax.fortran_blocks"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"
local memory_view = require "accdeep.backend.memory_view"

local raise = diagnostic.raise

-- Value of slots (functions of the language interface) that return their second argument unchanged in Fortran.
local function same(_, value) return value end
-- Value of slots whose result is always nil in Fortran.
local function none() end

-- Plans hold addresses and bounds; a plan is reused while these are unchanged (lowering/fortran_inputs.lua).
local language_fortran = {
  name = "fortran", pointers = "FLANG", keywords = {}, normalize_name = string.lower,
  some_section = "%s(1:n)", least_section = "%s(1:0)", text_of = unparse_fortran, member_sign = "%",
  numbers_places = false,
  has_paragraphs = true, debug = fortran_debug_types,
  first = 1, includes_last = true, check_and_plan = fortran_inputs.plan_with_inputs, holds = fortran_inputs.holds,
  computes_bounds = true,
  element_type = fortran_section.element_type, object_of = fortran_section.object_of,
  access_path = fortran_section.access_path,
  items = fortran_section, is_part = fortran_section.is_part, attaches_variables = true,
  update_pieces = same, analyse_item = none,
  with_roots = fortran_section.add_root_objects, check_completed = fortran_addendum.complete, takes_self = false,
  has_blocks = false,
  extent_of = fortran_section.extent_or_none, map_items = fortran_map.map_items, analyse_maps = false,
  category = fortran_map.category,
  categories = word_set "scalar aggregate pointer allocatable all", check_dependence = openmp_depend.check_fortran,
  counters = fortran_construct.counters, is_compiled = false,
}

-- ----------------------------------------------------------------------------------- expressions --

-- Returns the AST of `text`. start: the grammar rule; nil: an expression. Raises for syntax errors.
local function parse(text, start)
  return (fortran_syntax.parse(start or "expression", fortran_free_form.directive(text), 1))
end

-- Returns the value of the expression `text` in the memory of `env`: a number, a boolean, text or a view. The value of
-- an array is a list, or nested lists for several dimensions. The value of an object that is not allocated is nil.
-- Raises for errors of the expression.
function language_fortran.value(_, env, text)
  local node = parse(text)
  local frame = { pos = node.pos }
  local ok, result = pcall(function()
    local e = fortran_expression.compile(env, node)
    if e.rank > 0 and e.section then return fortran_view.nested(e.section(frame), env.space) end
    if e.rank > 1 then raise("unsupported", node.pos, "values of more than one dimension cannot be shown") end
    if e.rank == 1 then
      local values = e.array(frame)
      values.shape = nil
      return values
    end
    if e.value then return (e.value(frame)) end
    if not e.lvalue then raise("type-mismatch", node.pos, "this has no value") end
    local address, low, high = e.lvalue(frame)
    return memory_view.read(env.space, e.type, address, low, high)
  end)
  if ok then return result end
  if diagnostic.is(result) and not result.pos then result.pos = frame.pos end
  error(result, 0)
end

-- language_fortran.extent returns address, bytes and type of the data object that a text names. pointer_cell returns
-- address and type of the descriptor of the allocatable or pointer that a text names. Both raise for other texts.
function language_fortran.extent(session, text) return fortran_section.extent(session, parse(text)) end
function language_fortran.pointer_cell(session, text)
  local address, t = fortran_section.descriptor_of(session, parse(text))
  return address, t
end

-- Returns the type that `text`, a type specification such as real(8) or type(t), names. Raises for other texts and
-- unknown types.
function language_fortran.type(session, text) return fortran_declarations.type(session, parse(text, "spec")) end

-- Returns the type that the AST of a type or specification names.
function language_fortran.type_of(session, tree) return fortran_declarations.type(session, tree.spec or tree) end

-- Executes the declaration `text` at file:line and returns the variable `name` that it declares, whose memory is freed
-- again: only its type is of use. Returns nil if the text is not a declaration; raises if it does not declare `name`.
function language_fortran.variable(session, name, text, file, line)
  if not text:find "::" then return nil end
  session:declare(text, file, line)
  local variable = session.now.scope.variables[name]
  if not variable then
    raise("unknown-name", nil, ("this declares no '%s'"):format(name), { file = file, line = line })
  end
  session:forget_block(variable.address)
  return variable
end

-- Returns the AST of an integer constant.
function language_fortran.number(value, pos) return { tag = "num", class = "integer", kind = 4, value = value,
  pos = pos } end

-- Returns true if the list item `node` is an absent optional argument or a part of one; the list item then has no
-- effect. Decides ACC33-2.17.1-1.
function language_fortran.is_absent(session, node)
  while node.base do node = node.base end
  local variable = session.now.scope.variables[node.name]
  return variable ~= nil and variable.absent ~= nil
end

-- Returns a function that returns the value of the condition `node`; raises if the condition is not a logical scalar.
function language_fortran.condition(session, node)
  local e = fortran_expression.compile(session:host_env(), node)
  fortran_expression.needs(node, "logical", e)
  if e.rank > 0 then raise("type-mismatch", node.pos, "a condition is a scalar") end
  return function() return e.value { pos = node.pos } end
end

-- Returns the value of the integer expression `node`; raises for other types.
function language_fortran.integer(session, node)
  return fortran_expression.integer(session:host_env(), node) { pos = node.pos }
end

-- ------------------------------------------------------------------------------------------ names --

-- Returns the text of the subscripts of element `index`, counted from 0 in memory order: (3) or (1,2). t: the array's
-- type; without bounds, subscripts are counted from 1.
function language_fortran.subscripts(t, index)
  local parts = {}
  for i, bound in ipairs(t.bounds or { { lower = 1, extent = math.maxinteger } }) do
    local extent = math.max(bound.extent, 1)
    parts[i] = ("%d"):format(bound.lower + (t.bounds and i == #t.bounds and index or index % extent))
    index = index // extent
  end
  return ("(%s)"):format(table.concat(parts, ","))
end

-- Returns the text of the subscripts of consecutive elements, counted from 0: `first` to the one before `finish`. The
-- text is (3:5) for one dimension, otherwise [first:count]. t: the array's type.
function language_fortran.range_text(t, first, finish)
  if t.bounds and #t.bounds > 1 then return ("[%d:%d]"):format(first, finish - first) end
  local lower = t.bounds and t.bounds[1].lower or 1
  return ("(%d:%d)"):format(lower + first, lower + finish - 1)
end

-- Returns the name of a pointer's target or a part of it: p(:), p(i) or p%m. base: the pointer's name; path: subscripts
-- or components after it, or "".
function language_fortran.pointee_name(base, _, path)
  base = base:gsub("%(:%)$", "")
  return path == "" and base .. "(:)" or path:sub(1, 1) == "(" and base .. path or base .. "%" .. path
end

-- Returns true if `text` is a single directive; false for a text of declarations and statements.
function language_fortran.is_directive(text)
  local normalized = fortran_free_form.normalize(text)
  local line, rest = normalized:match "^%s*([^\n]*)(.*)$"
  local word = line:match "^[%a_]+"
  if rest:find "%S" then return false end
  return line:find "^!%$%a" ~= nil or openacc_syntax.first_words[word] and not line:find "^[%w_]+%s*[=%%]" or false
end

-- Returns the AST of `text`: one directive (with or without sentinel), or a list of names. start: the grammar rule
-- (directive, omp_directive, references). Raises for syntax errors.
function language_fortran.parse(session, start, text)
  return (fortran_syntax.parse(start, fortran_free_form.directive(text), 1, session.now.scope))
end

-- Returns false if the AST `variable` has a type that no designator of Fortran can have, such as p(:)%a(:) with two
-- array parts. Otherwise returns true, also for other errors, such as unknown names.
function language_fortran.is_designator(session, variable)
  local ok, err = pcall(fortran_section.element_type, session, variable)
  return ok or not diagnostic.is(err) or err.code ~= "type-mismatch"
end

-- ---------------------------------------------------------------------------------------- bodies --

-- Returns the body {list, run} of a construct and the list of variables that it uses. text: a string, or the node of a
-- construct among statements; construct: {node, on, location}, or nil to analyse no directives. Raises for errors.
local function read_body(session, text, construct)
  local is_own = type(text) == "string"
  local list = is_own and fortran_blocks.arrange((fortran_syntax.parse("body", fortran_free_form.normalize(text), 1)))
    or text.list
  if construct then list = fortran_body.read(session, list, construct, is_own) end
  return { list = list, run = not is_own and text.run or nil }, fortran_kernel.references(session, list)
end

-- Returns the body {list, run} of a construct and the list of variables that it uses. text: a string, whose errors are
-- located at `location` {file, line}, or the node of a construct among statements. construct: {node, on, location}, or
-- nil to analyse no directives.
function language_fortran.read_body(session, text, location, construct)
  if type(text) ~= "string" then return read_body(session, text, construct) end
  return session:with_text(text, location.file, location.line, read_body, session, text, construct)
end

-- Runs a body in the environment `env`. tree: first result of read_body. If the construct is among statements of the
-- host program and no kernel is active, tree.run runs the body; otherwise the body is interpreted. Raises the body's
-- errors.
local function run_body(env, tree)
  if tree.run and not env.space.on_device and not env.session.now.kernel then return tree.run() end
  fortran_statement.new_executor(env, tree.list)
end

-- Runs the body of kernel k, which is interpreted. text: the body, as for read_body; tree: result of read_body. Raises
-- the body's errors.
function language_fortran.run_body(session, k, text, tree)
  cuda.report_interpreted(k, "it is Fortran")
  if type(text) ~= "string" then return run_body(k.env, tree) end
  return session:with_text(text, k.body_file, k.body_line, run_body, k.env, tree)
end

-- ------------------------------------------------------------------------------------------- texts --

-- Analyses the directives of a text, defines its procedures and runs its statements. Raises for errors.
local function run_text(session, text)
  local list = fortran_blocks.arrange((fortran_syntax.parse("program", fortran_free_form.normalize(text), 1)))
  fortran_body.check(session, list)
  procedure.define(session, list)
  fortran_declarations.complete(session, function() fortran_statement.new_executor(session:host_env(), list) end)
end

-- Executes a text: declarations, statements and directives, in order. Procedures of the text are known from its
-- beginning. Raises for errors.
function language_fortran.declare(session, text) session:describing(run_text, session, text) end

return language_fortran
