-- selection.lua - compiles select case, select type and select rank: statements that choose one of several blocks. A
-- compiled statement is a function of the frame that returns a signal (run/fortran_statement.lua).
--
-- Input: a statement. Output: a compiled statement, which runs at most one block.

local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_dynamic_types = require "accdeep.types.fortran_dynamic_types"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
local fortran_types = require "accdeep.types.fortran_types"
local object = require "accdeep.backend.fortran.object"
local scope = require "accdeep.types.scope"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local selection = {}

local compile = fortran_expression.compile

-- ------------------------------------------------------------------------------------ select case --

-- Compiles the constant of a case to an expression (fortran_expression.lua); raises if it is not a constant scalar.
local function constant(session, node)
  ast.visit(node, function(n)
    local variable = n.tag == "id" and session.now.scope.variables[n.name]
    if variable and not variable.constant then
      raise("type-mismatch", n.pos, ("'%s' is a variable, a constant is needed"):format(n.name), { length = #n.name })
    end
  end)
  local e = compile(session:host_env(), node)
  fortran_expression.needs(node, "value", e)
  if e.rank > 0 then raise("type-mismatch", node.pos, "the value of a case is a scalar") end
  local value = fortran_expression.constant(e.type, e.value { pos = node.pos })
  value.node = node
  return value
end

-- Returns the range of values of a case: {pos, first?, last?}. first, last: expressions of its bounds; nil: unbounded
-- on this side. A single value is a range with equal bounds.
local function range_of(session, case)
  if case.tag ~= "range" then
    local value = constant(session, case)
    return { pos = case.pos, first = value, last = value }
  end
  return { pos = case.pos, first = case.first and constant(session, case.first),
    last = case.last and constant(session, case.last) }
end

-- Predicate for a side of a range that has no bound: every value fits.
local function always_true() return true end

-- Returns a function of the frame that is true if the value of `a` is at most that of `b`. a, b: expressions. If one of
-- them is nil (no bound), the function always returns true.
local function compile_at_most(a, b)
  return a and b and fortran_expression.compile_comparison(a.node or b.node, "<=", a, b).value or always_true
end

-- True if the ranges of two cases have a common value. All bounds are constants, so an empty frame is enough to compute
-- them.
local function overlap(a, b)
  return compile_at_most(a.first, a.last) {} and compile_at_most(b.first, b.last) {}
    and compile_at_most(a.first, b.last) {}
    and compile_at_most(b.first, a.last) {}
end

-- Returns a list of predicates, functions of the frame, for the cases of a branch, applied to the expression `e`.
-- ranges: those of earlier cases, to which the ranges of this branch are appended. Raises if two ranges overlap.
local function tests_of(session, branch, e, ranges)
  local tests = {}
  for _, case in ipairs(branch.cases) do
    local range = range_of(session, case)
    local above, below = compile_at_most(range.first, e), compile_at_most(e, range.last)
    for _, other in ipairs(ranges) do
      if overlap(range, other) then raise("duplicate-name", range.pos, "two cases are for the same value") end
    end
    ranges[#ranges + 1] = range
    tests[#tests + 1] = function(f) return above(f) and below(f) end
  end
  return tests
end

-- Compiles select case: the first branch with a matching range runs, otherwise the default, if there is one. Raises if
-- the value is not an integer or characters, or if cases overlap.
local function select_case(env, node, block)
  local subject = compile(env, node.e)
  fortran_expression.needs(node.e, "value", subject)
  if subject.rank > 0 or subject.type.float or subject.type.logical then
    raise("type-mismatch", node.e.pos, "select case takes an integer or characters")
  end
  local e = fortran_expression.scalar(subject.type, function(f) return f.selected end)
  local branches, default, ranges = {}, nil, {}
  for _, branch in ipairs(node.list) do
    local run = block(env, branch.body)
    if branch.cases then
      branches[#branches + 1] = { tests = tests_of(env.session, branch, e, ranges), run = run }
    elseif default then
      raise("duplicate-name", branch.pos, "two cases are the default", { length = #"case" })
    else
      default = run
    end
  end
  return function(f)
    local value = subject.value(f)
    for _, branch in ipairs(branches) do
      for _, test in ipairs(branch.tests) do
        f.selected = value
        if test(f) then return branch.run(f) end
      end
    end
    return default and default(f)
  end
end

-- ------------------------------------------------------------------------------------ select type --

-- Returns the binding of the selected object in a block of select type. e: its expression; t: the block's type;
-- is_class: true if the object stays polymorphic in the block. selected: table with the object's address, low, high,
-- dims (of an array) and type in the current run.
local function associate_binding(session, e, selected, t, is_class)
  local binding = { type = t, target = true, dynamic = is_class and function() return selected.type end or nil }
  if e.rank == 0 then
    binding.lvalue = function() return selected.address, selected.low, selected.high end
    return binding
  end
  binding.type = fortran_types.descriptor(session.program.layout, t, e.rank, "other", is_class)
  binding.dope = function()
    return { address = selected.address, low = selected.low, high = selected.high, of = t,
      dims = fortran_descriptor.copy_dims(selected.dims) }
  end
  return binding
end

-- Runs a block of the host program with the object declared as the variable `name`, so that directives inside can name
-- it. run: the compiled block. Returns the block's signal or raises its error; the variable is removed in any case.
local function run_with_variable(session, name, binding, selected, run, f)
  local outer = session.now.scope
  local inner = scope.new(outer)
  local t, address, temporary = binding.type, selected.address, nil
  if t.kind ~= "descriptor" and binding.dynamic then
    t = fortran_types.descriptor(session.program.layout, t, 0, "other", true)
  end
  if t.kind == "descriptor" then
    address = object.new(session, t, name, f.pos)
    temporary = address
    core.put(address, fortran_descriptor.pack(session, t, selected.address, selected.dims, selected.type))
  end
  inner.variables[name] = { name = name, type = t, address = address, target = true }
  local ok, signal = pcall(with_fields, session.now, { scope = inner }, run, f)
  if temporary then session:free(temporary) end
  if not ok then error(signal, 0) end
  return signal
end

-- Returns the blocks of select type by precedence: first `type is`, then `class is` beginning with the most derived
-- type, then the default. The fields rank and number of each block are set.
local function order_branches(branches)
  local order = {}
  for i, branch in ipairs(branches) do order[i] = branch end
  local function rank(branch)
    if branch.guard == "type" then return math.huge end
    return branch.guard and fortran_dynamic_types.depth(branch.type) or -1
  end
  for i, branch in ipairs(order) do branch.rank, branch.number = rank(branch), i end
  table.sort(order, function(a, b)
    if a.rank ~= b.rank then return a.rank > b.rank end
    return a.number < b.number
  end)
  return order
end

-- True if a block of select type accepts an object whose dynamic type is t. A block without a guard, the default,
-- accepts any.
local function matches_guard(branch, t)
  if branch.guard == "type" then return branch.type == t end
  return not branch.guard or fortran_dynamic_types.extends(t, branch.type)
end

-- Compiles select type: the first matching block in the order of order_branches runs with the object's binding; none
-- runs if no block matches. Raises if the object is not polymorphic or has no name, or a block's type does not extend
-- its type.
local function select_type(env, node, block)
  local session, subject = env.session, compile(env, node.e)
  local name = node.name or node.e.tag == "id" and node.e.name
  if not subject.dynamic then
    raise("type-mismatch", node.e.pos, ("%s is not polymorphic: select type takes what is declared with class")
      :format(subject.text or "this"))
  end
  if not name then
    raise("syntax", node.e.pos, "expected a name for the object", { help = "write select type (x => ...)" })
  end
  local selected, branches, type_keys = {}, {}, {}
  for i, clause in ipairs(node.list) do
    local t = clause.spec and session:fortran_type(clause.spec) or subject.type
    local key = (clause.guard or "default") .. " " .. types.name(t)
    if t.kind ~= "record" or not fortran_dynamic_types.extends(t, subject.type) then
      raise("type-mismatch", clause.spec.name_pos or clause.spec.pos, ("%s does not extend %s"):format(types.name(t),
        types.name(subject.type)), { length = clause.spec.name and #clause.spec.name })
    elseif type_keys[key] then
      raise("duplicate-name", clause.spec and clause.spec.pos or node.pos, "two blocks are for the same type")
    end
    type_keys[key] = true
    local binding = associate_binding(session, subject, selected, t, clause.guard ~= "type")
    local inner = setmetatable({ lookup = function(other, pos)
      if other == name then return binding end
      return env.lookup(other, pos)
    end }, { __index = env })
    branches[i] = { guard = clause.guard, type = t, binding = binding, run = block(inner, clause.body) }
  end
  local order = order_branches(branches)
  return function(f)
    f.pos = node.e.pos
    selected.type = subject.dynamic(f)
    selected.dims = nil
    if subject.rank > 0 then
      local s = subject.section(f)
      selected.address, selected.low, selected.high, selected.dims = s.address, s.low, s.high, s.dims
    else
      selected.address, selected.low, selected.high = subject.lvalue(f)
    end
    for _, branch in ipairs(order) do
      if matches_guard(branch, selected.type) then
        if env.space.on_device then return branch.run(f) end
        return run_with_variable(session, name, branch.binding, selected, branch.run, f)
      end
    end
  end
end

-- ------------------------------------------------------------------------------------ select rank --

-- Compiles select rank: only the block for the argument's rank, or else the default. The rank is known, because a
-- procedure is compiled when it is called. Raises if the argument is not of assumed rank.
local function select_rank(env, node, block)
  local session, subject = env.session, compile(env, node.e)
  if not subject.any_rank then
    raise("type-mismatch", node.e.pos, ("%s has a rank: select rank takes an argument declared with (..)"):format(
      subject.text or "this"))
  end
  local name, variable = node.name or node.e.name, session.now.scope.variables[node.e.name]
  local body, default, ranks = nil, nil, {}
  for _, branch in ipairs(node.list) do
    local rank = branch.rank
    if type(rank) == "table" then
      rank = fortran_expression.integer(env, rank) { pos = rank.pos }
    end
    if ranks[rank] then raise("duplicate-name", node.pos, "two blocks are for the same rank") end
    ranks[rank] = true
    if rank == subject.rank then body = branch.body end
    -- rank (*) matches nothing here, because it is for assumed size, which has no descriptor.
    if rank == "default" then default = branch.body end
  end
  local is_ranked = body ~= nil
  body = body or default
  if not body then return function() end end
  local binding = env.lookup(node.e.name, node.e.pos)
  local ranked_binding = setmetatable({ ranked = true }, { __index = binding })
  local inner = setmetatable({ lookup = function(other, pos)
    if other ~= name then return env.lookup(other, pos) end
    return is_ranked and ranked_binding or binding
  end }, { __index = env })
  local run = block(inner, body)
  return function(f)
    local block_scope = scope.new(session.now.scope)
    block_scope.variables[name] = setmetatable({ name = name, any_rank = not is_ranked }, { __index = variable })
    return with_fields(session.now, { scope = block_scope }, run, f)
  end
end

-- Adds the selecting statements to `statements`, the table of run/fortran_statement.lua. block(env, list): compiles a
-- list of statements.
function selection.define(statements, block)
  statements["select"] = function(env, node) return select_case(env, node, block) end
  function statements.select_rank(env, node) return select_rank(env, node, block) end
  function statements.select_type(env, node) return select_type(env, node, block) end
end

return selection
