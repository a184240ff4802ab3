-- fortran_construct.lua - executes directives among Fortran statements, with the statements of their constructs.
--
-- The session executes OpenACC directives and OpenMP's target directives. A construct of OpenMP's host threads is run
-- by one thread, on the host or in a target construct's body. Shared variables are the originals; names of private
-- variables are bound to other memory during the construct. Statements of such a construct are compiled again for each
-- run, because names denote other memory each time. fortran_statement.lua calls fortran_construct.define.

local assignment = require "accdeep.backend.fortran.assignment"
local fortran_body = require "accdeep.sema.body.fortran_body"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local openmp_sema = require "accdeep.sema.openmp_sema"
local fortran_expression = require "accdeep.backend.fortran.fortran_expression"
local list_item = require "accdeep.sema.c.list_item"
local fortran_types = require "accdeep.types.fortran_types"
local openmp_host = require "accdeep.run.openmp_host"
local host_privatization = require "accdeep.run.host_privatization"
local privatization = require "accdeep.backend.privatization"

local raise = diagnostic.raise

local fortran_construct = {}

-- Returns a true value if statements of this environment run in a kernel or on device memory, so that no directive can
-- be executed.
local function is_in_kernel(env) return env.session.now.kernel or env.space.on_device end

-- Returns the AST of the OpenMP directive node `node` among statements, its entry (openmp_directives.directive),
-- and its text. Raises for syntax errors.
local function parse_omp_directive(session, node)
  local text = session:padded_directive_text(node)
  local tree = session:parse(text, "omp_directive")
  return tree, openmp_directives.directive(tree.name), text
end

-- ------------------------------------------------------------------------------- private variables --

-- Returns a list {variable} of the counters of the `depth` outermost loops of the loop construct `node`
-- (HOUSE-threads).
function fortran_construct.counters(session, depth, node)
  local list, at = {}, node.list and node.list[1]
  while at and at.tag == "construct" do at = at.list[1] end
  while at and depth > 0 and at.tag == "do" do
    list[#list + 1] = { variable = session.now.scope.variables[at.name] }
    at, depth = at.body[1], depth - 1
  end
  return list
end

-- Copies `size` bytes of a variable from one l-value to another in the memory `space` of a kernel. from, to: functions
-- (frame) -> address, low, high.
local function copy(space, from, to, size, frame)
  local address, low, high = from(frame)
  local target, target_low, target_high = to(frame)
  space:copy(target, address, size, target_low, target_high, low, high, frame)
end

-- Runs fn with private copies of variables, on the host or in a kernel, and returns fn's signal: the reason to skip the
-- following statements, or nil (fortran_statement.lua). copies: list of {variable, pos, begins, lasts}. begins: true if
-- the copy is initialised from the original; lasts: true if the copy is copied back. construct: {iteration?, level?,
-- reduced?}. The first two are as in private{} nodes (sema/body/data_sharing.lua), `reduced` is a result of
-- reduced_memory. Raises fn's error; nothing is copied back then.
local function run_with_private(env, copies, construct, frame, fn)
  if not env.space.on_device then
    local signal
    host_privatization.run(env.session, copies, function() signal = fn() end)
    return signal
  end
  local space, k, own, records, saved_lookup = env.space, env.session.now.kernel, {}, {}, rawget(env, "lookup")
  local look_up = env.lookup
  local function make_copies()
    for i, private in ipairs(copies) do
      local variable = private.variable
      host_privatization.needs_memory(variable, private.pos or frame.pos)
      local t, name = variable.type, variable.name
      local outer = (private.begins or private.lasts) and look_up(name, frame.pos)
      local address = k:memory(t.size, name)
      local function lvalue() return address, address, address + t.size end
      records[i] = { outer = outer, lvalue = lvalue, lasts = private.lasts, size = t.size }
      if private.begins then copy(space, outer.lvalue, lvalue, t.size, frame) end
      own[name] = { type = t, lvalue = lvalue }
    end
    for _, memory in ipairs(construct.reduced or {}) do space:share_copies(memory.address, memory.size) end
  end
  local function run()
    -- If a kernel runs later, its env.lookup finds captured names (backend/captured_environment.lua). Private copies
    -- take precedence over these.
    env.lookup = function(name, pos) return own[name] or look_up(name, pos) end
    local ok, signal = pcall(fn)
    env.lookup = saved_lookup
    if not ok then error(signal, 0) end
    return signal
  end
  local function copy_back()
    for _, memory in ipairs(construct.reduced or {}) do space:unshare_copies(memory.address, memory.size) end
    for _, record in ipairs(records) do
      if record.lasts then copy(space, record.lvalue, record.outer.lvalue, record.size, frame) end
    end
  end
  if space.record then return space:run_construct(construct, make_copies, run, copy_back, frame) end
  make_copies()
  local signal = run()
  copy_back()
  return signal
end

-- Returns {address, size} of each variable that the OpenMP construct `tree` reduces; the reduction uses the original.
local function reduced_memory(env, tree, frame)
  local list = {}
  for _, clause in ipairs(tree.clauses) do
    for _, item in ipairs(clause.name == "reduction" and clause.vars or {}) do
      local name = list_item.root_variable(item)
      local binding = name and env.lookup(name, frame.pos) or {}
      local section = binding.dope and binding.dope(frame)
      if section and math.type(section.low) then
        list[#list + 1] = { address = section.low, size = section.high - section.low }
      elseif binding.lvalue then
        list[#list + 1] = { address = (binding.lvalue(frame)), size = binding.type.size }
      end
    end
  end
  return list
end

-- Returns a function(frame) that runs the atomic or critical construct `node` as `run` does, which it returns unchanged
-- for other constructs.
local function lock(env, node, run)
  local space = env.space
  if not (node.lock and space.record) then return run end
  return function(f) return space:run_locked(node.lock, run, f) end
end

-- ---------------------------------------------------------------------- OpenACC's loops and atomic --

-- Returns the initial value of a reduction by the operator `op` of a variable or array of type `t`, and the type of
-- this value. The value is true for .and. and .eqv., and false for other operators of logicals.
local function identity(op, t)
  while t.kind == "array" do t = t.of end
  if op == "max" or op == "min" then return privatization.identity(op, t), t end
  if t.class == "logical" then return op == ".and." or op == ".eqv.", t end
  return op == "*" and 1 or op == "iand" and -1 or 0, fortran_types.INTEGER
end

-- Returns the AST that combines the ASTs `a` and `b` by a reduction's operator or function.
local function reduction_tree(op, pos, a, b)
  if op:find "^[.+*]" then return { tag = "binary", op = op, pos = pos, a = a, b = b } end
  return { tag = "reference", pos = pos, base = { tag = "id", name = op, pos = pos }, args = { a, b } }
end

-- Returns a function(frame) that runs the OpenACC loop or atomic construct `node` by one thread, with the private
-- variables of a loop (ACC33-2.9-4, ACC33-2.9.11-1). block: see fortran_construct.define. The function returns a signal
-- (fortran_statement.lua).
local function acc_inside(env, node, block)
  local acc, session = node.acc, env.session
  for _, clause in ipairs(acc.tree.clauses) do
    if clause.name == "if" then session.language.condition(session, clause.e) end
  end
  return lock(env, node, function(f)
    -- A procedure with a routine directive is analysed before its variables are declared, so the loop's private
    -- variables are set only now.
    if not acc.copies then fortran_body.names(session, { node }) end
    local copies, reduced = {}, {}
    for i, variable in ipairs(acc.copies) do
      local id = { tag = "id", name = variable.name, pos = variable.pos }
      copies[i] = { variable = session.now.scope.variables[variable.name], pos = variable.pos }
      if variable.op then
        reduced[#reduced + 1] = { id = id, op = variable.op, outer = fortran_expression.compile(env, id),
          pos = variable.pos }
      end
    end
    if #copies == 0 then return block(env, node.list)(f) end
    return run_with_private(env, copies, node, f, function()
      for _, reduction in ipairs(reduced) do
        local own = fortran_expression.compile(env, reduction.id)
        local value, t = identity(reduction.op, own.type)
        assignment.value(env, { pos = reduction.pos }, own, fortran_expression.constant(t, value))(f)
      end
      local signal = block(env, node.list)(f)
      for _, reduction in ipairs(reduced) do
        local outer = { tag = "compiled", pos = reduction.pos, e = reduction.outer }
        local both = reduction_tree(reduction.op, reduction.pos, outer, reduction.id)
        assignment.value(env, { pos = reduction.pos }, reduction.outer, fortran_expression.compile(env, both))(f)
      end
      return signal
    end)
  end)
end

-- Checks the list items of the cache directive `node`, and returns a function that does nothing. Raises if a list item
-- is invalid.
local function compile_cache_directive(env, node)
  for _, item in ipairs(node.vars) do fortran_expression.compile(env, item) end
  return function() end
end

-- Returns a function(frame) that runs the OpenMP construct `node` of host threads in the body of a target construct.
-- block: see fortran_construct.define. Raises for other directives.
local function execute_host_construct(env, node, block)
  local session = env.session
  local tree, info = parse_omp_directive(session, node.directive)
  if info.kind ~= "host" then
    raise("region-nesting", node.pos, "a directive inside a target construct", { length = #node.directive.sentinel,
      rule = "OMP60-tgt-1" })
  end
  for _, clause in ipairs(tree.clauses) do
    if clause.kind == "expression" then fortran_expression.compile(env, clause.e) end
  end
  local construct = { iteration = node.iteration, level = (" " .. tree.name):find " parallel" and 2
    or tree.name:find "^teams" and 1 or nil }
  return lock(env, node, function(f)
    local _, used = session.language.read_body(session, node)
    local copies = openmp_host.copies(session, tree, node, used)
    construct.reduced = env.space.record and reduced_memory(env, tree, f)
    return run_with_private(env, copies, construct, f, function() return block(env, node.list)(f) end)
  end)
end

-- ------------------------------------------------------------------------------------- statements --

-- Checks the end directive of the construct `node`; does nothing if the construct has none. Raises if the directive
-- does not parse, or has a wrong clause.
local function closing(session, node)
  local finish = node.end_directive
  if not finish then return end
  local tree = parse_omp_directive(session, finish)
  openmp_sema.check(tree, session.rules.openmp)
end

-- Adds compilers for the tags `directive` and `construct` to the table `statements` (fortran_statement.lua). block(env,
-- list) returns a function(frame) that runs the statements `list` and returns a signal.
function fortran_construct.define(statements, block)
  -- Compiles a directive without statements of its own. In a kernel, most directives are errors.
  function statements.directive_line(env, node)
    if node.omp == "section" then return function() end end
    local acc_tree = node.sentinel == "!$acc" and fortran_body.tree_of(env.session, node)
    if acc_tree and acc_tree.name == "routine" then return function() end end -- valid everywhere (ACC33-2.15-1)
    if acc_tree and acc_tree.name == "cache" then return compile_cache_directive(env, acc_tree) end
    if not is_in_kernel(env) then return function() env.session:fortran_directive(node) end end
    local tree, info = parse_omp_directive(env.session, node)
    if info.kind ~= "nothing" and info.kind ~= "declare target" then
      raise("region-nesting", node.pos, "a directive inside a target construct", { length = #node.sentinel,
        rule = "OMP60-tgt-1" })
    end
    openmp_sema.check(tree, env.session.rules.openmp)
    return function() end
  end

  -- Compiles a directive with its statements. If the directive opens a region, the region is closed after the
  -- statements, or abandoned if they raise.
  function statements.construct(env, node)
    local session = env.session
    if node.acc then return acc_inside(env, node, block) end
    closing(session, node)
    if is_in_kernel(env) then return execute_host_construct(env, node, block) end
    local run = block(env, node.list)
    return function(f)
      local opened, signal = session:fortran_directive(node.directive), nil
      if type(opened) == "function" then
        opened({ list = node.list, run = function() signal = block(env, node.list)(f) end }, {})
        return signal
      end
      local ok, result = pcall(run, f)
      if ok then
        opened:close()
        return result
      end
      if not opened.closed then opened:abandon() end
      error(result, 0)
    end
  end
end

return fortran_construct
