-- c_body.lua - semantic analysis of directives in a C body: checks each directive and the statement after it, and
-- replaces them by what they mean.
--
-- Input: the AST of a body (syntax/c_statement.lua), with a `pragma` node where a directive is. Output: the same AST,
-- in which each directive is replaced by what it means for one thread:
--   a plain statement            the directive has no effect on one thread.
--   private{node, copies, ...}   private copies (backend/privatization.lua, sema/body/data_sharing.lua).
--   carried{language, text, kind, body?}   the directive and its statement `body`, executed on devices while the body
--                                          runs on the host (backend/nested_directives.lua).
-- A directive at a place that does not allow it is an error; no directive is ignored (HOUSE-bodies). run/ calls
-- c_body.body.
--
-- Parameters of many functions: `rule` is the rule that errors cite. Methods of Reader get `list` and `at`: the
-- statements around a directive, and the index of the next statement. `level` or `outer` is the innermost enclosing
-- level, or nil: a constituent of an enclosing construct, such as "parallel" (nesting_check.lua). Each method raises
-- for errors of the directive.

local lazy = require "accdeep.base.lazy"
local openacc_sema = require "accdeep.sema.openacc_sema"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_sema = lazy.require "accdeep.sema.openmp_sema"
local statement_patterns = require "accdeep.sema.body.statement_patterns"
local clause_groups = require "accdeep.types.clause_groups"
local nesting_check = require "accdeep.sema.body.nesting_check"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local parallel_loops = require "accdeep.sema.body.parallel_loops"
local pragma = require "accdeep.syntax.pragma"
local reductions = require "accdeep.sema.body.reductions"
local data_sharing = require "accdeep.sema.body.data_sharing"
local types = require "accdeep.types"

local raise = diagnostic.raise
local has_clause = nesting_check.has_clause

local c_body = {}

local Reader = {}
Reader.__index = Reader


-- Returns a new empty block node.
local function empty(pos) return { tag = "block", pos = pos, list = {} } end

-- Returns the first integer in the text of a clause's parentheses; nil if there is none.
local function number_in(clause) return math.tointeger(tonumber((clause.text or ""):match "%d+")) end

-- Returns the number of nested loops to which the directive `node` applies, from collapse, ordered(n) and tile; 1
-- without these clauses. Sets fields of the node: collapse_pos, the position of the last such clause; collapses, true
-- with collapse or ordered(n); forced, true for collapse(force: n). location: text with the directive, for errors; nil:
-- the current text. Raises if a number of loops is missing.
local function depth_of(node, rule, location)
  local depth = 1
  for _, clause in ipairs(openacc_sema.default_device_clauses(node)) do
    if clause.name == "collapse" or clause.name == "ordered" and clause.text then
      local n = number_in(clause)
      if not n or n < 1 then
        raise("syntax", clause.pos, ("'%s' takes a number of loops"):format(clause.name),
          { length = #clause.name, rule = rule, location = location })
      end
      depth, node.collapse_pos, node.collapses = math.max(depth, n), clause.pos, true
      node.forced = (clause.text or ""):lower():find "^%(%s*force%s*:" ~= nil
    elseif clause.name == "tile" then
      local _, commas = (clause.text or ""):gsub(",", "")
      depth, node.collapse_pos = math.max(depth, commas + 1), clause.pos
    end
  end
  return depth
end
c_body.depth_of = depth_of

-- ------------------------------------------------------------------------------------- statements --

-- Analyses a statement and the statements inside it; returns its replacement. Raises if a directive that takes no
-- statement is where only one statement is allowed. Decides HOUSE-bodies.
function Reader:statement(node, level)
  if node.tag == "block" then
    node.list = self:items(node.list, level)
    if node.inner and #node.list > 1 then
      raise("syntax", node.list[2].pos, "one statement stands here: a directive of its own needs a block",
        { rule = "HOUSE-bodies", help = "{ ... }" })
    end
    return node
  end
  for _, key in ipairs { "body", "yes", "no" } do
    if node[key] then node[key] = self:statement(node[key], level) end
  end
  return node
end

-- Analyses a list of statements and returns a list in which directives are replaced.
function Reader:items(list, level)
  local statements, at = {}, 1
  while at <= #list do
    local item = list[at]
    at = at + 1
    if item.tag == "pragma" then
      local replacement
      replacement, at = self:directive(item, list, at, level)
      statements[#statements + 1] = replacement or nil
    else
      statements[#statements + 1] = self:statement(item, level)
    end
  end
  return statements
end

-- Returns the analysed statement that follows the directive `node`, and the index in `list` where analysis continues.
-- If another directive follows, its replacement is this statement; pragmas without a replacement are skipped. Raises if
-- there is no statement.
function Reader:statement_after(node, list, at, level)
  while list[at] and list[at].tag == "pragma" do
    local replacement
    replacement, at = self:directive(list[at], list, at + 1, level)
    if replacement then return replacement, at end
  end
  local item = list[at]
  if not item or item.tag == "decl" or item.tag == "case" then
    raise("syntax", item and item.pos or node.pos, ("'%s' needs a statement after it"):format(node.name),
      { length = not item and #node.name or nil, rule = "HOUSE-bodies" })
  end
  return self:statement(item, level), at + 1
end

-- ------------------------------------------------------------------------------ constructs of threads --

-- Returns the counters {name, pos, counter, lasts} of a construct's loops that are declared outside of these loops:
-- they are private without a clause. list: the loops; lasts: true if the counters' last values are assigned to the
-- originals. `counter` is true in each entry. Decides ACC33-2.9-4.
local function counters_of(list, lasts)
  local counters = {}
  for _, loop in ipairs(list) do
    local name, pos, own = statement_patterns.counter(loop)
    if not own then counters[#counters + 1] = { name = name, pos = pos, counter = true, lasts = lasts } end
  end
  return counters
end

-- Adds one level per constituent of the construct `node` inside `level`, and returns the innermost one. Raises if a
-- constituent may not be nested there. on: where statements inside run, "host", "omp" or "acc"; inside target it is
-- "omp".
local function levels_of(node, level, on)
  for part in node.name:gmatch "%S+" do
    if part ~= "target" then nesting_check.check(part, node, level) end
    level = { part = part, node = node, outer = level, on = part == "target" and "omp" or on }
  end
  return level
end

-- Marks the loops of a construct inside `outer` if their iterations may run in parallel. Also marks `replacement` if it
-- is a private{} node. language: "acc" or "omp"; loops: the loop nodes, from the outermost.
function Reader:mark_loops(language, node, outer, loops, replacement)
  if not parallel_loops.mark(language, node, outer, loops, statement_patterns.counter) then return end
  self.has_parallel = true
  if replacement.tag == "private" then replacement.iteration = loops[1].parallel end
end

-- Raises if the counter of a loop in `list` is neither an integer nor a pointer. Decides ACC33-2.9-3.
local function check_counters(session, list, construct)
  for _, loop in ipairs(list) do
    local name, pos, own = statement_patterns.counter(loop)
    local variable = own and session:locals_of(loop.init)[1] or not own and session.now.scope.variables[name]
    local t = variable and variable.type
    if t and (t.kind ~= "scalar" and t.kind ~= "pointer" or t.float) then
      raise("type-mismatch", pos, ("the loop of '%s' counts %s"):format(construct.name, types.name(t)),
        { length = #name, rule = "ACC33-2.9-3", help = "count by an integer or a pointer" })
    end
  end
end

-- Clauses of atomic that name a form, in the order in which c_body.atomic_form looks for them.
local atomic_forms = { "capture", "compare", "read", "write", "update" }

-- Returns the form of the atomic directive `node`: read, write, update (the default), capture or compare. Raises if two
-- clauses name forms.
function c_body.atomic_form(node, rule)
  local forms = {}
  for _, name in ipairs(atomic_forms) do
    if has_clause(node, name) then forms[#forms + 1] = name end
  end
  if #forms > 1 and not (forms[1] == "capture" and forms[2] == "compare" and #forms == 2) then
    raise("conflicting-clauses", node.pos, ("'atomic' is %s or %s, not both"):format(forms[1], forms[2]),
      { length = #node.name, rule = rule })
  elseif #forms > 1 then
    raise("unsupported", node.pos, "'atomic compare capture'", { length = #node.name })
  end
  return forms[1] or "update"
end

-- Raises if a statement does not have its directive's atomic form, even if an if clause makes the directive
-- ineffective. Decides ACC34-2.12-1.
local function check_atomic(node, statement, rule)
  statement_patterns.check_atomic(statement, c_body.atomic_form(node, rule), node, rule)
end

-- Splits the block of a sections construct into blocks, one per section, from each section directive to the next.
-- Statements before the first directive also form a section. Returns the block; raises if `block` is no block.
function Reader:sections(node, block, level)
  if block.tag ~= "block" or block.inner then
    raise("syntax", block.pos or node.pos, ("'%s' needs a block of sections"):format(node.name),
      { rule = "OMP60-nest-1" })
  end
  local sections, list, own = {}, block.list, {}
  local inner = { part = "section", node = node, outer = level, on = level.on }
  -- Analyses the statements collected in `own` as one section; does nothing if there are none.
  local function finish()
    if #own > 0 then
      local section = { tag = "block", pos = own[1].pos, list = self:items(own, inner) }
      statement_patterns.check_end(section, node, "OMP60-nest-1")
      sections[#sections + 1], own = section, {}
    end
  end
  for _, item in ipairs(list) do
    local directive = item.tag == "pragma" and self:parse_pragma(item)
    if directive and directive.language == "omp" and directive.tree.name == "section" then
      openmp_sema.check(directive.tree, self.session.rules.openmp)
      finish()
    else
      own[#own + 1] = item
    end
  end
  finish()
  block.list = sections
  return block
end

-- Analyses an OpenMP construct that threads of the host or of a device execute. Returns its replacement, and the index
-- in `list` where analysis continues.
function Reader:threads(node, list, at, outer)
  local definition = openmp_sema.check(node, self.session.rules.openmp)
  local body
  local level = levels_of(node, outer, outer and outer.on or "host")
  local rule = "OMP60-nest-1"
  if definition.parts.sections then
    local block = list[at]
    while block and block.tag == "pragma" and not self:parse_pragma(block) do
      at = at + 1
      block = list[at]
    end
    body, at = self:sections(node, block or empty(node.pos), level), at + 1
  else
    body, at = self:statement_after(node, list, at, level)
  end
  local counters, own = {}, nil
  if definition.association == "loop" then
    own = statement_patterns.loops(body, node, depth_of(node, "OMP60-loop-1"), "OMP60-loop-1")
    for _, loop in ipairs(own) do statement_patterns.check_end(loop.body, node, "OMP60-loop-1", true) end
    data_sharing.count_linear(node, own[#own])
    counters = counters_of(own, definition.parts.simd ~= nil)
  elseif definition.association == "statement" then
    check_atomic(node, body, "OMP60-atomic-1")
  else
    statement_patterns.check_end(body, node, rule)
  end
  if definition.parts.teams and outer and outer.part == "target" then self.lone_teams = node end
  local replacement = data_sharing.construct(node, body, counters, "OMP60-share-1")
  if own then self:mark_loops("omp", node, outer, own, replacement) end
  if node.name == "atomic" then
    replacement.lock = c_body.atomic_form(node) == "write" and "atomic write" or "atomic"
  elseif node.name == "critical" then
    replacement.lock = "critical " .. nesting_check.name_of(node)
  end
  return replacement, at
end

-- ---------------------------------------------------------------------------------------- OpenACC --

local loop_clauses = openacc_directives.clauses_of.loop
-- pairs of loop clauses that exclude each other
local exclusive = { { "seq", "independent" }, { "seq", "auto" }, { "independent", "auto" }, { "seq", "gang" },
  { "seq", "worker" }, { "seq", "vector" }, { "tile", "collapse" } }

-- Raises if two clauses of a loop for one device type are duplicates or exclude each other. clauses: those of the type.
local function check_loop_clauses(clauses)
  local by_name = {}
  for _, clause in ipairs(clauses) do
    if by_name[clause.name] and loop_clauses[clause.name] and clause.kind ~= "vars" and clause.kind ~= "reduction" then
      raise("duplicate-clause", clause.pos, ("'%s' stands here twice"):format(clause.name),
        { length = #clause.name, rule = "ACC33-2.9-1" })
    end
    by_name[clause.name] = clause
  end
  for _, pair in ipairs(exclusive) do
    local a, b = by_name[pair[1]], by_name[pair[2]]
    if a and b then
      local later = a.pos > b.pos and a or b
      raise("conflicting-clauses", later.pos, ("'%s' and '%s' exclude each other"):format(pair[1], pair[2]),
        { length = #later.name, rule = "ACC33-2.9-1" })
    end
  end
end

-- Clause of a loop -> clause of the compute construct that gives the size of the same level of parallelism.
local size_of = { gang = "num_gangs", worker = "num_workers", vector = "vector_length" }

-- Raises if a clause of a loop gives a number of gangs, workers or lanes outside of a kernels construct, or if the
-- kernels construct gives this number, too. Raises for a gang dimension in kernels. compute: level of the enclosing
-- compute construct, or nil. Decides ACC33-2.9-1.
local function check_sizes(clauses, compute)
  local in_kernels = compute and openacc_directives.directive(compute.node.name).construct == "kernels"
  for _, clause in ipairs(clauses) do
    local name, arguments = clause.name, size_of[clause.name] and openacc_sema.arguments(clause) or {}
    local size = arguments.num or arguments.length
    local message = size and not in_kernels and "'%s' with a size is allowed only in kernels"
      or size and has_clause(compute.node, size_of[name]) and "'%s' with a size, where the construct has one"
      or arguments.dim and in_kernels and "'%s' with a dimension has no place in kernels"
    if message then
      raise("clause-not-allowed", clause.pos, message:format(name), { length = #name, rule = "ACC33-2.9-1" })
    end
  end
end

-- Raises if clauses of a loop or a combined construct exclude each other, or set sizes that are not allowed. Sets
-- node.sequential: true for seq without collapse and tile. compute: level of the enclosing compute construct, or of the
-- construct itself; nil if there is none.
local function check_clauses(node, compute)
  for _, clauses in ipairs(openacc_sema.clauses_by_device(node)) do check_loop_clauses(clauses) end
  check_sizes(openacc_sema.default_device_clauses(node), compute)
  node.sequential = has_clause(node, "seq") and not has_clause(node, "collapse") and not has_clause(node, "tile")
end

-- Raises if loop clauses of the combined construct `node` exclude each other or set sizes wrongly. Decides ACC33-2.9-1.
function c_body.check_combined(node) check_clauses(node, { node = node }) end

-- Raises if clauses of the loop `node` exclude each other, or conflict with those of enclosing constructs. Decides
-- ACC33-2.9-1.
function c_body.check_loop(node, outer)
  local compute = nesting_check.enclosing_compute(outer)
  check_clauses(node, compute)
  nesting_check.check_levels(node, outer)
  if compute then openacc_sema.check_reduction(node, compute.node) end
end

-- Raises the error for a directive at a place that does not allow it. reason: the end of the message.
local function no_place(node, reason, rule)
  raise("region-nesting", node.pos, ("'%s' %s"):format(node.name, reason), { length = #node.name, rule = rule,
    help = reason:find "^inside" and "move it out of the text of the construct's body" or nil })
end
c_body.no_place = no_place

-- Raises if the OpenACC directive `node` is not allowed inside a compute construct, or is wrong. Decides ACC33-2.5-1.
function c_body.check_inside(node, rules)
  local kind = openacc_directives.directive(node.name).kind
  if kind ~= "body" then
    no_place(node, "inside of a compute construct", kind == "compute" and "ACC33-2.5-1" or "ACC33-impl-1")
  end
  openacc_sema.check(node)
  openacc_sema.check_forms(node, "body", rules)
end

-- Analyses the OpenACC loop construct `node`. Returns its replacement, and the index in `list` where analysis
-- continues.
function Reader:acc_loop(node, list, at, outer)
  c_body.check_loop(node, outer)
  local level = { part = "loop", node = node, outer = outer, on = "acc" }
  local body
  body, at = self:statement_after(node, list, at, level)
  local own = statement_patterns.loops(body, node, depth_of(node, "ACC33-2.9-3"), "ACC33-2.9-3", true)
  if not node.sequential then
    statement_patterns.check_end(own[#own].body, node, "ACC33-2.9-3", true)
    check_counters(self.session, own, node)
  end
  local replacement = data_sharing.construct(node, body, counters_of(own, false), "ACC33-2.9-4")
  replacement.construct = node
  self:mark_loops("acc", node, outer, own, replacement)
  return replacement, at
end

-- Analyses an OpenACC directive inside a compute construct: loop, atomic or cache. Returns its replacement, and the
-- index in `list` where analysis continues.
function Reader:in_compute(node, list, at, level)
  c_body.check_inside(node, self.session.rules)
  if node.name == "loop" then return self:acc_loop(node, list, at, level) end
  if node.name == "atomic" then
    local body
    body, at = self:statement_after(node, list, at, level)
    check_atomic(node, body, "ACC33-2.12-1")
    local replacement = data_sharing.construct(node, body, {}, "ACC33-2.12-1")
    replacement.directive = node.name
    replacement.lock = c_body.atomic_form(node) == "write" and "atomic write" or "atomic"
    return replacement, at
  end
  return data_sharing.cache(node), at
end

-- Raises if a target construct with a teams construct directly inside contains another statement (OMP60-nest-1). tree:
-- the body; lone_teams: the teams directive.
local function check_only_teams(tree, lone_teams)
  local at = tree
  while at.tag == "block" and #at.list == 1 do at = at.list[1] end
  if at.tag == "block" and #at.list > 1 then
    raise("region-nesting", lone_teams.pos, "a target construct with 'teams' inside has nothing else inside",
      { length = #lone_teams.name, rule = "OMP60-nest-1" })
  end
end

-- ------------------------------------------------------------------------------- carried directives --

-- Returns the `carried` node of a directive that is executed on devices while the body runs on the host, and the index
-- in `list` where analysis continues. directive: a parsed pragma; definition: its entry (definitions/). Decides
-- OMP60-body-1.
function Reader:read_nested_directive(directive, definition, list, at, level)
  local node, kind = directive.tree, definition.kind
  local nested_node = { tag = "carried", pos = node.pos, language = directive.language, text = directive.text,
    kind = kind, clauses = function() return node.clauses end }
  self.carries = true
  if not definition.association then return nested_node, at end
  local lone_teams, has_parallel = self.lone_teams, self.has_parallel
  self.lone_teams, self.has_parallel = nil, nil
  if kind == "compute" then
    level = directive.language == "omp" and levels_of(node, nil, "omp")
      or nesting_check.compute(node)
  else
    level = { part = node.name, node = node, outer = level, on = "host" }
  end
  nested_node.body, at = self:statement_after(node, list, at, level)
  statement_patterns.check_end(nested_node.body, node, directive.language == "omp" and "OMP60-nest-1" or "ACC33-2.5-1")
  if kind == "compute" then
    self:top(node, nested_node.body, directive.language)
    nested_node.body = { tag = "block", pos = nested_node.body.pos, list = { nested_node.body },
      has_parallel = self.has_parallel }
  end
  if self.lone_teams then check_only_teams(nested_node.body, self.lone_teams) end
  self.lone_teams, self.has_parallel = lone_teams, has_parallel
  return nested_node, at
end

-- ------------------------------------------------------------------------------------- directives --

-- Returns the parsed pragma {language, tree, text} of the node `item`; nil if the pragma is neither OpenACC nor OpenMP.
-- Results are cached.
function Reader:parse_pragma(item)
  if self.pragma_cache[item] == nil then self.pragma_cache[item] = pragma.read(self.session, item) or false end
  return self.pragma_cache[item] or nil
end

-- Analyses an OpenMP directive (a parsed pragma). Returns its replacement, and the index in `list` where analysis
-- continues. Decides OMP60-nest-2.
function Reader:omp(directive, list, at, level)
  local node = directive.tree
  local definition = openmp_directives.directive(node.name)
  local kind, on = definition.kind, level and level.on or "host"
  if on == "acc" then no_place(node, "inside of a compute construct of OpenACC", "ACC33-2.5-1") end
  if kind == "beyond" then openmp_sema.check(node, self.session.rules.openmp) end
  if kind == "requires" or kind == "declare mapper" or kind == "declare target" then
    raise("clause-not-allowed", node.pos, ("'%s' stands among declarations"):format(node.name),
      { length = #node.name, rule = "OMP60-tgt-1" })
  elseif kind == "declare group" then
    raise("unsupported", node.pos, "'declare group' in C text", { length = #node.name,
      help = 'write it as a statement of the scenario: omp "declare group ..."' })
  elseif definition.ends then
    no_place(node, "is not allowed in C text: the region is the statement after 'target data'", "OMP60-tgt-1")
  elseif kind == "nothing" then
    openmp_sema.check(node, self.session.rules.openmp)
    if node.name ~= "nothing" then nesting_check.check(node.name, node, level) end
    return data_sharing.standalone(node), at
  elseif kind == "host" then
    return self:threads(clause_groups.apply(self.session, node), list, at, level)
  elseif on == "host" then
    return self:read_nested_directive(directive, definition, list, at, level)
  end
  for _, clause in ipairs(node.clauses) do
    if clause.name == "device" and clause.modifier and clause.modifier.name == "ancestor" then
      raise("unsupported", clause.modifier.pos, "device(ancestor: ...): nothing is executed on the host from a device",
        { length = #clause.modifier.name })
    end
  end
  no_place(node, "inside of a target region", "OMP60-nest-2")
end

-- Analyses an OpenACC directive (a parsed pragma). Returns its replacement, and the index in `list` where analysis
-- continues.
function Reader:acc(directive, list, at, level)
  local node = directive.tree
  local definition = openacc_directives.directive(node.name)
  local kind, on = definition.kind, level and level.on or "host"
  if on == "acc" then return self:in_compute(node, list, at, level) end
  if on == "omp" then no_place(node, "inside of a target region", "OMP60-nest-2") end
  if kind == "body" then
    no_place(node, "is allowed only in the body of a compute construct", "ACC33-2.9-1")
  elseif kind == "members" or kind == "declaration" or kind == "declare" then
    raise("clause-not-allowed", node.pos, ("'%s' stands among declarations"):format(node.name),
      { length = #node.name, rule = kind == "declare" and "ACC33-dec-1" or "TR14-3.1.1-01" })
  elseif definition.ends then
    no_place(node, "is not allowed in C text: the region is the statement after its beginning", "ACC33-2.6-1")
  end
  return self:read_nested_directive(directive, definition, list, at, level)
end

-- Returns the replacement of the pragma node `item`, and the index in `list` where analysis continues. The replacement
-- is nil, and the pragma is dropped, if its language is neither OpenACC nor OpenMP.
function Reader:directive(item, list, at, level)
  local directive = self:parse_pragma(item)
  if not directive then return nil, at end
  return self[directive.language](self, directive, list, at, level)
end

-- --------------------------------------------------------------------------------------- whole bodies --

-- Returns the OpenACC loop directive of which `node` is the replacement (Reader:acc_loop); nil for other nodes.
local function loop_directive(node) return node.construct end

-- Checks and marks the loops of a combined construct. Raises if the loops that it, collapse or tile needs are missing,
-- or if reductions of nested loops disagree. language: "acc" or "omp"; location: where errors are reported, if the
-- construct's text is not the current text, or nil.
function Reader:top(node, body, language, location)
  local directives, at = language == "acc" and openacc_directives or openmp_directives, body
  local is_loop = directives.directive(node.name).association == "loop"
  if language == "acc" then
    reductions.check(node, body, loop_directive)
    if is_loop then c_body.check_combined(node) end
  end
  while at.tag == "block" and #at.list == 1 do at = at.list[1] end
  if at.tag == "private" then return end
  local needs_loops = has_clause(node, "collapse") or has_clause(node, "tile")
  if not is_loop or not (needs_loops or at.tag == "for") then return end
  local rule = language == "omp" and "OMP60-loop-1" or "ACC33-2.9-3"
  local own = statement_patterns.loops(at, node, depth_of(node, rule, location), rule, language == "acc", location)
  if not node.sequential then statement_patterns.check_end(own[#own].body, node, rule, true) end
  if language == "omp" then data_sharing.count_linear(node, own[#own]) end
  self:mark_loops(language, node, nil, own, at)
end

-- Analyses the directives in the AST `tree` of a body and returns the body's new AST. node: the construct's directive.
-- on: where the body runs, "host", "omp" (a target region) or "acc" (a compute region). location: location of the
-- directive's text, for errors. The result's field `carries` is true if a directive inside is executed on devices.
-- Raises for errors of directives.
function c_body.body(session, tree, node, on, location)
  local language = on == "acc" and "acc" or "omp"
  local reader = setmetatable({ session = session, pragma_cache = {} }, Reader)
  local level
  if language == "acc" then
    level = nesting_check.compute(node)
  else
    for part in node.name:gmatch "%S+" do level = { part = part, node = node, outer = level, on = on } end
  end
  local has_sections = language == "omp" and openmp_directives.directive(node.name).parts.sections
  if has_sections and #tree.list == 1 and tree.list[1].tag == "block" then
    tree.list[1] = reader:sections(node, tree.list[1], level)
  else
    tree.list = reader:items(tree.list, level)
  end
  if reader.lone_teams and on == "omp" then check_only_teams(tree, reader.lone_teams) end
  statement_patterns.check_end(tree, node, language == "acc" and "ACC33-2.5-1" or "OMP60-nest-1", false, true)
  reader:top(node, tree, language, location)
  tree.carries, tree.has_parallel = reader.carries, reader.has_parallel
  return tree
end

return c_body
