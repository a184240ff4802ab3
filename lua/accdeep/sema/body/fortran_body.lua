-- fortran_body.lua - semantic analysis of directives among Fortran statements, before anything is executed. Each
-- directive is parsed and checked where it is; none is ignored (HOUSE-bodies).
--
-- Input: the statements of a text (syntax/fortran_blocks.lua). Output: the same AST. The node of an OpenACC loop or
-- atomic construct gets a field acc = {tree, copies, loops}: its directive, its private variables {name, pos, op?}, and
-- its loops. check sets tree and loops; names sets copies. op is the operator that combines a private variable with the
-- original at the end.
--
-- `list` is a list of statements, `node` the AST of a directive, `level` the innermost enclosing level
-- (nesting_check.lua) or nil. Methods of Reader raise for errors of a directive.

local openacc_sema = require "accdeep.sema.openacc_sema"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_sema = require "accdeep.sema.openmp_sema"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local statement_patterns = require "accdeep.sema.body.statement_patterns"
local parallel_loops = require "accdeep.sema.body.parallel_loops"
local nesting_check = require "accdeep.sema.body.nesting_check"
local c_body = require "accdeep.sema.body.c_body"
local reductions = require "accdeep.sema.body.reductions"
local data_sharing = require "accdeep.sema.body.data_sharing"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"
local word_set = require "accdeep.base.strings".word_set

local raise, no_place = diagnostic.raise, c_body.no_place

local fortran_body = {}

-- Calls fn(list) for each list of statements directly inside the statement `item`; does nothing for a procedure.
local function each_list(item, fn)
  if item.tag == "procedure" then return end
  for _, branch in ipairs(item.list or {}) do
    if type(branch.body) == "table" and branch.tag ~= "do" and branch.tag ~= "while" then fn(branch.body) end
  end
  if item.body then fn(item.body) end
end

-- ------------------------------------------------------------------------------------------ loops --

-- Raises if a statement of `list` leaves the body of a construct. rule: the rule to cite; if it is ACC33-2.9-3 (loops),
-- cycle is allowed. inner: true inside a nested loop. Decides ACC33-2.5-1.
local function check_end(list, node, rule, inner)
  for _, item in ipairs(list) do
    if item.tag == "return" or not inner and (item.tag == "exit" or item.tag == "cycle" and rule ~= "ACC33-2.9-3") then
      raise("region-nesting", item.pos, ("'%s' leaves the body of '%s'"):format(item.tag, node.name),
        { length = #item.tag, rule = rule, help = statement_patterns.STAY })
    elseif item.tag == "construct" then
      check_end(item.list, node, rule, inner)
    else
      each_list(item, function(own) check_end(own, node, rule, inner or item.tag == "do" or item.tag == "while") end)
    end
  end
end

-- Raises if a statement of `list` changes the counter `name` of a loop. Decides ACC33-2.9-3.
local function check_counter(list, name, node)
  for _, item in ipairs(list) do
    local changes = item.tag == "assign" and item.to.tag == "id" and item.to.name == name
    if changes or item.tag == "do" and item.name == name then
      raise("syntax", item.pos, ("the loop of '%s' changes %s, which counts it"):format(node.name, name),
        { rule = "ACC33-2.9-3" })
    elseif item.tag == "construct" then
      check_counter(item.list, name, node)
    else
      each_list(item, function(own) check_counter(own, name, node) end)
    end
  end
end

-- Returns the first do loop of `list`; nil if it has none. Raises if another statement contains a loop, a directive or
-- a call of an acc_* routine. Decides ACC33-2.9-3.
local function only_loop(list, node)
  local loop
  for _, item in ipairs(list) do
    if item.tag == "do" and not loop then
      loop = item
    elseif ast.any(item, function(n)
      return n.tag == "do" or n.tag == "construct" or n.tag == "directive_line"
        or n.tag == "call" and unparse_fortran(n.target):find "^acc_"
    end) then
      raise("syntax", item.pos, ("a loop, a directive or a call of a routine stands between the loops of '%s'"):format(
        node.name), { rule = "ACC33-2.9-3" })
    end
  end
  return loop
end

-- Returns the loops to which the directive `node` applies, from the outermost. location: text with the directive, for
-- errors; nil: the current text. Raises if loops are missing, or if a statement changes a counter or leaves the loop.
local function loops_of(node, list, location)
  local depth, at, loops, counters = c_body.depth_of(node, "ACC33-2.9-3", location), list, {}, {}
  for i = 1, depth do
    local loop = at[1]
    if i > 1 and node.forced then loop = only_loop(at, node) end
    if not loop or loop.tag ~= "do" or i > 1 and at[2] and not node.forced then
      if i > 1 then
        raise("syntax", node.collapse_pos or node.pos,
          ("%d nested loops are required, found %d"):format(depth, i - 1),
          { rule = "ACC33-2.9-3", location = location })
      end
      raise("syntax", loop and loop.pos or node.pos, ("'%s' is about a do loop that counts"):format(node.name),
        { rule = "ACC33-2.9-3", help = "do i = first, last" })
    end
    if node.collapses then statement_patterns.check_invariant(loop.first, loop.last, counters, node) end
    counters[loop.name] = true
    loops[i], at = loop, loop.body
  end
  for _, loop in ipairs(loops) do check_counter(loop.body, loop.name, node) end
  check_end(loops[depth].body, node, "ACC33-2.9-3")
  return loops
end

-- ----------------------------------------------------------------------------------------- atomic --

local operators = word_set "+ - * / .and. .or. .eqv. .neqv." -- operators of an atomic update
local functions = word_set "max min iand ior ieor" -- intrinsic functions of an atomic update
-- forms of statements, for help texts
local written_as = { read = "v = x", write = "x = expr", update = "x = x op expr, x = expr op x, x = max(x, expr, ...)",
  capture = "v = x and an update or x = expr, in two statements" }

-- True if `node` is a variable, a component, or an array element or section.
local function is_lvalue(node) return node.tag == "id" or node.tag == "component" or node.tag == "reference" end

-- True if the expression `e` contains the l-value with this text.
local function mentions(e, text)
  return ast.any(e, function(node) return is_lvalue(node) and unparse_fortran(node) == text end)
end

-- Returns the text of the variable x that the statement `item`, x = x op expr or a similar form, updates; nil for other
-- statements.
local function updated_variable(item)
  if item.tag ~= "assign" then return nil end
  local x, e = unparse_fortran(item.to), item.e
  local operands = {}
  if e.tag == "binary" and operators[e.op] then
    local left = e.a
    while left.tag == "binary" and left.op == e.op and not (is_lvalue(left) and unparse_fortran(left) == x) do
      operands[#operands + 1], left = left.b, left.a
    end
    operands[#operands + 1], operands[#operands + 2] = left, e.b
  elseif e.tag == "reference" and e.base.tag == "id" and functions[e.base.name] then
    operands = e.args
  end
  local itself, others = 0, 0
  for _, operand in ipairs(operands) do
    if is_lvalue(operand) and unparse_fortran(operand) == x then itself = itself + 1
    elseif mentions(operand, x) then others = others + 1 end
  end
  return itself == 1 and others == 0 and x or nil
end

-- Returns the text of the variable that the statement `item` assigns without reading it; nil for other statements.
local function written_variable(item)
  return item.tag == "assign" and not mentions(item.e, unparse_fortran(item.to)) and unparse_fortran(item.to) or nil
end

-- Returns the text of the variable x that the statement `item`, v = x, reads; nil for other statements.
local function copied_variable(item) return item.tag == "assign" and is_lvalue(item.e) and unparse_fortran(item.e)
  or nil end

-- Returns a true value if `list` is two statements that have the form of atomic capture.
local function captured_variable(list) return #list == 2 and statement_patterns.captures(
  list[1], list[2], copied_variable, updated_variable, written_variable) end

-- form of the atomic directive -> function(list), which returns a true value if the statements have the form
local atomic = {
  read = function(list) return #list == 1 and copied_variable(list[1]) end,
  write = function(list) return #list == 1 and written_variable(list[1]) end,
  update = function(list) return #list == 1 and updated_variable(list[1]) end,
  capture = captured_variable,
}

-- Raises if the statements do not have the form of the atomic directive `node`. Decides ACC33-2.12-1.
local function check_atomic(node, list)
  local kind = c_body.atomic_form(node, "ACC33-2.12-1")
  if atomic[kind](list) then return end
  raise("syntax", list[1] and list[1].pos or node.pos, ("this is not a statement of 'atomic %s'"):format(kind),
    { rule = "ACC33-2.12-1", help = written_as[kind] })
end

-- --------------------------------------------------------------------------------------- variables --

local integers = word_set "iand ior ieor" -- reduction operators that take only integers
local logicals = word_set ".and. .or. .eqv. .neqv." -- reduction operators that take only logicals

-- Raises if the type of `variable` cannot be reduced by the clause's operator. item: the list item, for the position.
local function check_reduction(clause, item, variable)
  local t, op = variable.type, clause.op
  while t.kind == "array" do t = t.of end
  local class = t.class
  local fits = logicals[op] and class == "logical" or class == "integer"
    or not logicals[op] and not integers[op] and (class == "real" or class == "complex" and (op == "+" or op == "*"))
  if logicals[op] then fits = class == "logical" end
  if t.kind ~= "descriptor" and not fits then
    raise("type-mismatch", item.pos, ("%s cannot be reduced by '%s'"):format(types.name(variable.type), op),
      { length = #item.name, rule = "ACC33-2.9.11-1" })
  end
end

-- Returns the private variables {name, pos, op?} of a loop construct: those of its clauses, then the counters of its
-- loops. Raises if a variable is not declared, is in two clauses, or has a descriptor.
local function copies_of(session, node, loops)
  local list, clause_of = {}, {}
  for _, clause in ipairs(node.clauses) do
    for _, item in ipairs((clause.name == "private" or clause.name == "reduction") and clause.vars or {}) do
      if item.tag ~= "id" then data_sharing.refuse_part(clause, item) end
      local name, variable = item.name, session.now.scope:declared_variable(item)
      if clause_of[name] then
        raise("conflicting-clauses", item.pos, ("'%s' is in %s already"):format(name, clause_of[name]),
          { length = #name, rule = "ACC33-2.9-4" })
      elseif variable.type.kind == "descriptor" then
        raise("unsupported", item.pos, ("'%s' is %s: private copies of such are not made"):format(name,
          types.name(variable.type)), { length = #name, rule = "ACC33-2.9-4",
          help = "declare a variable with bounds for the private values" })
      end
      if clause.op then check_reduction(clause, item, variable) end
      clause_of[name] = clause.name
      list[#list + 1] = { name = name, pos = item.pos, op = clause.op }
    end
  end
  for _, loop in ipairs(loops) do
    if not clause_of[loop.name] then
      clause_of[loop.name] = "the loop"
      session.now.scope:declared_variable({ name = loop.name, pos = loop.pos })
      list[#list + 1] = { name = loop.name, pos = loop.pos }
    end
  end
  return list
end

-- ------------------------------------------------------------------------------------- directives --

-- Returns the AST of the directive node `item`. Its text is parsed once; the AST is stored in `item`.
local function directive_tree(session, item)
  if not item.tree then
    item.tree = session:parse(session:padded_directive_text(item), item.sentinel == "!$omp" and "omp_directive" or nil)
  end
  return item.tree
end
fortran_body.tree_of = directive_tree

local is_part = { reference = true } -- tag of the ASTs of array elements and sections

local Reader = {}
Reader.__index = Reader

-- Marks the loops of a construct inside `outer` if their iterations may run in parallel. item: the construct, which
-- gets the field `iteration` then; loops: its do loops, from the outermost.
function Reader:mark_loops(language, node, outer, item, loops)
  local is_marked = parallel_loops.mark(language, node, outer, loops, function(loop) return loop.name end)
  if is_marked then self.has_parallel, item.iteration = true, loops[1].parallel end
end

-- Returns the level of the OpenMP construct `node` inside `outer`, one for each constituent.
local function omp_level(node, outer)
  for part in node.name:gmatch "%S+" do outer = { part = part, node = node, outer = outer, on = "omp" } end
  return outer
end

-- Returns the do loops that the OpenMP construct `node` with the statements `list` divides, from the outermost. Returns
-- an empty list for other constructs.
local function omp_loops(node, list)
  local loops = {}
  if openmp_directives.directive(node.name).association ~= "loop" then return loops end
  for i = 1, c_body.depth_of(node, "OMP60-loop-1") do
    local loop = list[1]
    if not loop or loop.tag ~= "do" then break end
    loops[i], list = loop, loop.body
  end
  return loops
end

-- Analyses an OpenACC directive inside a compute construct, or inside a procedure with a routine directive. item: the
-- directive or its construct.
function Reader:in_compute(item, node, level)
  c_body.check_inside(node, self.session.rules)
  if node.name == "cache" then return data_sharing.check_cache(node, is_part) end
  item.acc = { tree = node }
  if node.name == "atomic" then
    check_atomic(node, item.list)
    item.lock = c_body.atomic_form(node) == "write" and "atomic write" or "atomic"
  else
    c_body.check_loop(node, level)
    item.acc.loops = loops_of(node, item.list)
    self:mark_loops("acc", node, level, item, item.acc.loops)
    level = { part = "loop", node = node, outer = level, on = "acc" }
  end
  return self:list(item.list, level)
end

-- Analyses the OpenACC directive or construct `item` and the statements inside it.
function Reader:acc(item, level)
  local line = item.directive or item
  local node = directive_tree(self.session, line)
  local definition = openacc_directives.directive(node.name)
  local kind, on = definition.kind, level and level.on or "host"
  if on == "omp" then no_place(node, "inside of a target region", "OMP60-nest-2") end
  if on == "acc" then
    if node.name == "routine" and level.orphan then return self.session:define_type_directive(node) end
    if kind == "body" or not level.orphan then return self:in_compute(item, node, level) end
  end
  if kind == "body" then
    no_place(node, "is allowed only in the body of a compute construct", "ACC33-2.9-1")
  elseif node.name == "routine" then
    return self.session:define_type_directive(node)
  elseif kind ~= "members" then
    openacc_sema.check(node)
  end
  if not item.list then return end
  local has_parallel = self.has_parallel
  self.has_parallel = nil
  if kind == "compute" then
    level = nesting_check.compute(node)
    if definition.association == "loop" then item.loops = loops_of(node, item.list) end
    check_end(item.list, node, "ACC33-2.5-1")
  end
  self:list(item.list, level)
  item.list.has_parallel, self.has_parallel = self.has_parallel, has_parallel
end

-- Analyses the OpenMP directive or construct `item` and the statements inside it.
function Reader:omp(item, level)
  local node = directive_tree(self.session, item.directive or item)
  local kind = openmp_directives.directive(node.name).kind
  if level and level.on == "acc" and not level.orphan then
    no_place(node, "inside of a compute construct of OpenACC", "ACC33-2.5-1")
  end
  if item.end_directive then openmp_sema.check(directive_tree(self.session, item.end_directive)) end
  if not item.list then return end
  local has_parallel = self.has_parallel
  if kind ~= "host" and kind ~= "region" then
    level, self.has_parallel = omp_level(node, level), nil
  elseif level and kind == "host" then
    self:mark_loops("omp", node, level, item, omp_loops(node, item.list))
    if node.name == "atomic" then
      item.lock = c_body.atomic_form(node) == "write" and "atomic write" or "atomic"
    elseif node.name == "critical" then
      item.lock = "critical " .. nesting_check.name_of(node)
    end
    level = omp_level(node, level)
  end
  self:list(item.list, level)
  if kind ~= "host" then item.list.has_parallel, self.has_parallel = self.has_parallel, has_parallel end
end

-- True if `list` has a routine directive.
local function has_routine(self, list)
  for _, item in ipairs(list) do
    if item.tag == "directive_line" and item.sentinel == "!$acc" and directive_tree(
      self.session, item).name == "routine" then
      return true
    end
  end
  return false
end

-- tags of statements that are not executable
local specifies = word_set "declaration derived attributes nothing directive_line procedure"

-- Analyses the procedure `item` and its internal procedures. With a routine directive, its statements are treated like
-- those in a compute construct.
function Reader:procedure(item)
  local level
  if has_routine(self, item.list) then
    local node = { tag = "directive", name = "routine", clauses = {}, pos = item.pos }
    level = { part = "routine", node = node, on = "acc", orphan = true }
  end
  self:list(item.list, level)
  for _, inner in ipairs(item.inner) do self:procedure(inner) end
end

-- Analyses a list of statements. Raises for errors of directives, and for a routine directive after the first
-- executable statement.
function Reader:list(list, level)
  local runs = false -- true after the first executable statement
  for _, item in ipairs(list) do
    local line = item.tag == "construct" and item.directive or item.tag == "directive_line" and item
    if item.tag == "procedure" then
      self:procedure(item)
    elseif line and line.sentinel == "!$omp" then
      self:omp(item, level)
    elseif line then
      self:acc(item, level)
      if runs and line.tree.name == "routine" then
        raise("clause-not-allowed", line.tree.pos, "'routine' stands among declarations",
          { length = #"routine", rule = "ACC33-2.15-1" })
      end
    else
      each_list(item, function(own) self:list(own, level) end)
    end
    runs = runs or not specifies[item.tag]
  end
end

-- Analyses all directives in `list`, the statements of a text; raises for errors. Variables are looked up later, when
-- their construct is reached.
function fortran_body.check(session, list) setmetatable({ session = session }, Reader):list(list) end

-- Sets the private variables (field copies) of loop constructs in `list`. The variables must be declared by now; raises
-- if one is not.
function fortran_body.names(session, list)
  for _, item in ipairs(list) do
    if item.tag == "construct" then
      if item.acc then item.acc.copies = copies_of(session, item.acc.tree, item.acc.loops or {}) end
      fortran_body.names(session, item.list)
    elseif item.tag == "directive_line" and item.tree and item.tree.name == "cache" then
      for _, part in ipairs(item.tree.vars) do
        local root = part
        while root.base do root = root.base end
        session.now.scope:declared_variable(root)
      end
    else
      each_list(item, function(own) fortran_body.names(session, own) end)
    end
  end
end

-- Returns the loop directive of the construct node `item`; nil for other nodes.
local function loop_directive(item) return item.acc and item.acc.tree.name == "loop" and item.acc.tree or nil end

-- Returns the statements `list` of a construct's body with directives analysed. construct: {node, on, location};
-- is_own: true if the body is a text separate from the construct's; its directives are then analysed here. A combined
-- construct's loops get a construct node, so that their counters are private, like those of a loop construct
-- (ACC33-2.9-4). Raises for errors of directives.
function fortran_body.read(session, list, construct, is_own)
  local node = construct.node
  if construct.on == "host" then return list end
  local level = construct.on == "omp" and omp_level(node) or nesting_check.compute(node)
  local reader = setmetatable({ session = session, has_parallel = list.has_parallel }, Reader)
  if is_own then reader:list(list, level) end
  if construct.on ~= "acc" then
    reader:mark_loops("omp", node, nil, {}, omp_loops(node, list))
    list.has_parallel = reader.has_parallel
    return list
  end
  if is_own then check_end(list, node, "ACC33-2.5-1") end
  if openacc_directives.directive(node.name).association == "loop" then
    c_body.check_combined(node)
    local loops = loops_of(node, list, is_own and construct.location or nil)
    local is_named, own = {}, {}
    for _, clause in ipairs(node.clauses) do
      for _, item in ipairs(clause.vars or {}) do is_named[item.name or ""] = true end
    end
    for _, loop in ipairs(loops) do
      if not is_named[loop.name] then own[#own + 1] = loop end
    end
    local loop_node = { tag = "directive", name = node.name, pos = node.pos, clauses = {} }
    list = { { tag = "construct", pos = list[1].pos, list = list, acc = { tree = loop_node, loops = own },
      directive = { tag = "directive_line", sentinel = "!$acc" } } }
    reader:mark_loops("acc", node, nil, list[1], loops)
  end
  list.has_parallel = reader.has_parallel
  fortran_body.names(session, list)
  reductions.check(node, list, loop_directive)
  return list
end

return fortran_body
