-- language_c.lua - C, and the supported part of C++, as the language of host programs. run/languages.lua describes each
-- function.

local lazy = require "accdeep.base.lazy"
local contiguous_runs = lazy.require "accdeep.sema.clauses.contiguous_runs"
local cuda = lazy.require "accdeep.backend.cuda"
local debug_types = require "accdeep.types.debug_types"
local declarations = require "accdeep.backend.declarations"
local openmp_depend = lazy.require "accdeep.sema.c.openmp_depend"
local diagnostic = require "accdeep.base.diagnostic"
local closures = require "accdeep.backend.closures"
local host_expression = require "accdeep.backend.host_expression"
local syntax = require "accdeep.syntax"
local kernel = require "accdeep.run.kernel"
local lex = require "accdeep.syntax.lex"
local list_item = require "accdeep.sema.c.list_item"
local openacc_syntax = require "accdeep.syntax.openacc_syntax"
local openmp_analysis = lazy.require "accdeep.sema.clauses.openmp_analysis"
local openmp_lowering = lazy.require "accdeep.lowering.openmp_lowering"
local c_body = lazy.require "accdeep.sema.body.c_body"
local word_set = require "accdeep.base.strings".word_set
local statement = lazy.require "accdeep.backend.statement"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local raise = diagnostic.raise

-- Value of slots (functions of the language interface) whose result is always false in C.
local function no() return false end
-- Value of slots that return their second argument unchanged in C.
local function same(_, value) return value end

local language_c = {
  name = "c", pointers = "ACC33", keywords = lex.keywords,
  some_section = "%s[0:n]", least_section = "%s[:0]", text_of = unparse.expression,
  has_paragraphs = false, numbers_places = true, member_sign = ".", debug = debug_types.c,
  value = host_expression.value, extent = host_expression.extent, extent_of = host_expression.extent_of,
  pointer_cell = host_expression.pointer,
  number = list_item.number, first = 0, includes_last = false,
  element_type = list_item.c_element_type, object_of = list_item.object_of, access_path = list_item.access_path,
  analyse_item = list_item.analyse, is_designator = no, is_absent = false, is_part = false, check_completed = false,
  attaches_variables = false,
  items = lazy.require "accdeep.lowering.c_items", update_pieces = lazy.method(contiguous_runs, "split_update"),
  with_roots = same, categories = word_set "scalar aggregate pointer all",
  computes_bounds = false, takes_self = true, has_blocks = true, is_compiled = true,
}

-- Slots of the language interface; run/languages.lua describes their arguments and results.
function language_c.normalize_name(name) return name end
function language_c.variable() end
function language_c.holds() return true end
function language_c.analyse_maps(...) return openmp_analysis.c_maps(...) end
function language_c.map_items(...) return openmp_lowering.c_items(...) end
function language_c.check_dependence(...) return openmp_depend.check_c(...) end
function language_c.subscripts(_, index) return ("[%d]"):format(index) end
function language_c.range_text(_, first, finish) return ("[%d:%d]"):format(first, finish - first) end

-- Returns the name of a pointer's target or a part of it, as text: *p, p[i], v.m or p->m. base: the pointer's name;
-- is_variable: true if `base` names a variable of structure type; path: subscripts or members after it, or "".
function language_c.pointee_name(base, is_variable, path)
  if path == "" then return "*" .. base end
  if path:sub(1, 1) == "[" then return base:gsub("^%*", "") .. path end
  if is_variable or base:sub(-1) == "]" then return base .. "." .. path end
  return base:gsub("^%*", "") .. "->" .. path
end

-- ------------------------------------------------------------------------------------------- texts --

function language_c.parse(session, start, text) return (syntax.parse(start, text, 1, session.now.scope)) end

-- Returns true if `text` is a single directive: by its sentinel, by its first word, or because it is words without ;
-- and {. Also returns true for an empty text.
function language_c.is_directive(text)
  if not text:find "%S" then return true end -- an empty directive
  local rest = text:match "^%s*#%s*pragma%f[^%w_](.*)$" or text:match "^%s*acc%f[^%w_](.*)$"
    or text:match "^%s*!%$[aA][cC][cC]%f[^%w_](.*)$"
  if rest then return not rest:gsub("\\\n", " "):find "\n%s*%S" end
  local word = text:match "^%s*([%a_]+)"
  if word and openacc_syntax.first_words[word] then return true end
  return not text:find "[;{]" and text:match "^%s*[%a_ ]+" ~= nil
end

-- Executes a text of declarations, checks the shapes and policies in it, and clears caches. Raises for errors.
function language_c.declare(session, text)
  session:describing(declarations.text, session, text)
  session:types_changed()
end

-- language_c.type returns the type that a text names; language_c.type_of the type that an AST names. Both raise if
-- there is no such type.
function language_c.type(session, text) return session:type_of(
  syntax.parse("any_type", text, 1, session.now.scope)) end
function language_c.type_of(session, tree) return session:type_of(tree) end

-- ------------------------------------------------------------------------------------------ values --

-- Returns value({}), where `value` is a clause's compiled expression. Raises a type mismatch if the expression has no
-- value. subject: the noun of the message.
local function evaluate_clause(value, subject)
  local ok, result = pcall(value, {})
  if ok then return result end
  if diagnostic.is(result) and result.code == "scenario-error" and result.pos then
    raise("type-mismatch", result.pos, ("%s is needed, this has no value: %s"):format(subject, result.message))
  end
  error(result, 0)
end

-- Returns a function that returns true if the value of `node`, the condition of a clause, is not 0. Raises if the
-- condition is not a number.
function language_c.condition(session, node)
  local value = closures.compile(session:host_env(), node).value
  if not value then raise("type-mismatch", node.pos, "a condition is a number") end
  return function() return evaluate_clause(value, "a condition") ~= 0 end
end

-- Returns the value of the expression `node` of a clause; raises if it is not an integer.
function language_c.integer(session, node)
  local e = closures.compile(session:host_env(), node)
  if not e.value or e.type.kind ~= "scalar" then raise("type-mismatch", node.pos, "an integer is needed") end
  return math.tointeger(evaluate_clause(e.value, "an integer"))
    or raise("type-mismatch", node.pos, "an integer is needed")
end

-- ------------------------------------------------------------------------------------------- plans --

-- Returns the category of variables of type `t` in OpenMP's clause defaultmap: aggregate, pointer or scalar.
function language_c.category(_, t)
  return (types.is_record(t) or t.kind == "array") and "aggregate" or t.kind == "pointer" and "pointer" or "scalar"
end

-- Returns the results of fn(...). Unlike Fortran, C records no host values for the plan that fn makes.
function language_c.check_and_plan(_, fn, ...) return diagnostic.static(fn, ...) end


-- ------------------------------------------------------------------------------------------ bodies --

-- Returns the AST of the body text `body` with its directives analysed. construct: {node, on, location}. Raises for
-- errors.
local function read_text(session, body, construct)
  return c_body.body(session, syntax.parse("body", body, 1, session.now.scope), construct.node, construct.on,
    construct.location)
end

-- Returns {tree, directive}: the AST of the body text `body` and the directive of its construct. The directive must
-- live as long as the AST, because its address is a part of the cache key in body_tree.
local function read_body(session, body, construct)
  return { tree = read_text(session, body, construct), directive = construct.node }
end

-- Returns the AST of the body text `body`. The AST is cached if the text has no directives, and no inner scope or
-- member function is active that could give its names other meanings. Raises for errors.
local function body_tree(session, body, construct)
  local now = session.now
  if now.this or now.scope ~= session.program.root or body:find("#", 1, true) or body:find "_Pragma" then
    return read_text(session, body, construct)
  end
  return session:kept_tree(("body %p\0%s"):format(construct.node, body), read_body, session, body, construct).tree
end

-- Returns the AST of a body, text or {tree, text}, and the list of variables that it uses. location: {file, line} of
-- the body. construct: {node, on, location}: the directive, where the body runs ("host", "omp", "acc"), and the
-- directive's location {text, file, line}. Raises for errors, and if `body` is neither a text nor such a table.
function language_c.read_body(session, body, location, construct)
  local tree = type(body) == "table" and body.tree
  if type(body) ~= "string" and not tree then
    raise("type-mismatch", nil, "a construct takes a function or C text as its body")
  end
  tree = tree or session:with_text(body, location.file, location.line, body_tree, session, body, construct)
  local used = statement.references(session, tree)
  for _, r in ipairs(used) do
    r.in_text, r.location = true, { text = body, file = location.file, line = location.line }
  end
  return tree, used
end

-- Runs the body of kernel k, compiled for a GPU if possible, otherwise interpreted. tree: AST of the body. Raises the
-- body's error, located in its text.
function language_c.run_body(session, k, body, tree)
  kernel.with_text_positions(session, k, body, function(location)
    local run = statement.body(k.env, tree)
    if k.env.space.record then cuda.report_interpreted(k, "its loops are checked for data races")
    elseif cuda.run(k, tree, location) then return end
    local frame = {}
    local ok, err = pcall(run, frame)
    if ok then return end
    if diagnostic.is(err) and not err.pos then err.pos = frame.pos end
    error(err, 0)
  end)
end

-- Returns a list {variable} of the counters of at most `depth` nested for loops, from the outermost loop of the AST
-- `tree` on. Counters that loops declare are left out.
function language_c.counters(session, depth, tree)
  local list, at = {}, tree
  while at and depth > 0 do
    while at and at.tag == "block" do at = at.list[1] end
    if not at or at.tag ~= "for" then break end
    local init = at.init
    local variable = init and init.tag == "assign" and init.to.tag == "id" and session.now.scope.variables[init.to.name]
    if variable then list[#list + 1] = { variable = variable } end
    at, depth = at.body, depth - 1
  end
  return list
end

return language_c
