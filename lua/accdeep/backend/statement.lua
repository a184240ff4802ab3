-- statement.lua - compiles bodies of C text: statements become Lua closures over a frame. The file also finds the
-- variables that a body uses. Input: the AST of syntax/c_statement.lua, after analysis by sema/body/c_body.lua.
--
-- A compiled statement is function(frame) -> signal. The signal is nil, or BREAK, CONTINUE or RETURN if the statements
-- after it must be skipped. A frame is the table of one execution of the body. frame[1], frame[2] and so on are its
-- slots. Local scalars and pointers have three slots each: value, low, high (low and high are the bounds of a pointer's
-- target). Arrays, records, and locals whose address is taken are in memory; the first of their slots holds the
-- address. frame.pos is the position being executed, for errors; frame.least belongs to check_step_budget.
--
-- The environment `env` of a body has lookup(name, pos), session and space (c_sema.lua). This file adds: locals, the
-- bindings (symbols.lua) of local names; addressed, the set of names whose address is taken. root.slots is the next
-- free slot; root.in_memory is true if all locals are in memory. level is the number of enclosing parallel or teams
-- regions in the body.

local nested_directives = require "accdeep.backend.nested_directives"
local c_sema = require "accdeep.sema.c.c_sema"
local closures = require "accdeep.backend.closures"
local core = require "accdeep.core"
local lazy = require "accdeep.base.lazy"
local diagnostic = require "accdeep.base.diagnostic"
local iteration_races = lazy.require "accdeep.backend.iteration_races"
local member_functions = require "accdeep.sema.c.member_functions"
local privatization = require "accdeep.backend.privatization"
local ast = require "accdeep.base.ast"

local raise = diagnostic.raise
local truth = closures.truth

local statement = {}

local BREAK, CONTINUE, RETURN = 1, 2, 3

local compile_statement -- forward declaration

-- Returns the environment of a block inside that of `env`: the names of the block hide those of the enclosing block.
local function block_environment(env)
  local inner = setmetatable({ locals = setmetatable({}, { __index = env.locals }) }, { __index = env })
  local outer = env.lookup
  function inner.lookup(name, pos)
    local binding = inner.locals[name]
    return binding or outer(name, pos)
  end
  return inner
end
statement.scoped = block_environment

-- Compiles the list of AST statements as a block with local names of its own. The compiled block stops at the first
-- signal and returns it.
local function block(env, list)
  local inner = block_environment(env)
  local steps = {}
  for i, item in ipairs(list) do steps[i] = compile_statement(inner, item) end
  local n = #steps
  return function(f)
    for i = 1, n do
      local signal = steps[i](f)
      if signal then return signal end
    end
  end
end

-- Returns the set of variables in the AST `body` whose address is taken (&name). Such variables must be in memory;
-- other scalars can be in frame slots.
local function address_taken_names(body)
  local names = {}
  ast.visit(body, function(node)
    if node.tag == "unary" and node.op == "&" and node.e.tag == "id" then names[node.e.name] = true end
  end)
  return names
end

-- Declares a new local variable `name` of type t in a body, without a value. Returns its binding (symbols.lua), and a
-- function of the frame that makes the variable uninitialized when its declaration is executed. A scalar or pointer
-- gets frame slots, where nil means not initialized. It gets memory if its address is taken or if all locals of the
-- body are in memory, as do arrays and records.
function statement.variable(env, name, t)
  local frame_slot = env.root.slots
  env.root.slots = frame_slot + 3
  local binding = { type = t, level = env.level or 0 }
  env.locals[name] = binding
  if (t.kind == "scalar" or t.kind == "pointer") and not env.addressed[name] and not env.root.in_memory then
    binding.frame_slot, binding.local_name = frame_slot, name
    return binding, function(f) f[frame_slot], f[frame_slot + 1], f[frame_slot + 2] = nil, nil, nil end
  end
  local size, space = t.size, env.space
  function binding.lvalue(f) return f[frame_slot], f[frame_slot], f[frame_slot] + size end
  return binding, function(f) f[frame_slot] = space:local_memory(size, name) end
end

-- Gives the binding of the variable `name`, which is in a frame slot, a function `value` that raises if the variable
-- was not written before the read. Decides HOUSE-locals.
local function check_initialized(binding, name)
  local frame_slot = binding.frame_slot
  function binding.value(f)
    local v = f[frame_slot]
    if v == nil then
      raise("uninitialized-read", f.pos, ("%s was not written yet"):format(name), { rule = "HOUSE-locals" })
    end
    return v, f[frame_slot + 1], f[frame_slot + 2]
  end
end
statement.check_initialized = check_initialized

-- Compiles a local declaration to a function of the frame that begins the life of its variables and initializes them.
-- Raises if a name is already declared in the block, for a list in braces, and if an initializer does not fit the type.
local function declaration(env, node)
  local steps = {}
  for _, variable in ipairs(env.session:locals_of(node)) do
    local t, name, value = variable.type, variable.name, variable.value
    if rawget(env.locals, name) then env.session.now.scope:raise_taken(name, variable.pos) end
    if value and value.tag == "braces" then
      raise("unsupported", value.pos, "a local list in braces", { help = "assign the elements one by one" })
    end
    local e = value and c_sema.value(env, value)
    local binding, begin = statement.variable(env, name, t)
    if binding.frame_slot and not e then check_initialized(binding, name) end
    if not binding.frame_slot or not e then steps[#steps + 1] = begin end
    if e then
      local to = c_sema.expression(env, { tag = "id", name = name })
      steps[#steps + 1] = closures.value(env, c_sema.convert_for_assignment(variable, to, e))
    end
    binding.is_const = variable.is_const
  end
  return function(f)
    for i = 1, #steps do steps[i](f) end
  end
end

-- Compilers of statements, by tag of the AST node: function(env, node) -> function(frame) -> signal.
local statements = {}

-- Compiles a block, which has names of its own.
function statements.block(env, node) return block(env, node.list) end
-- Compiles a local declaration.
function statements.decl(env, node) return declaration(env, node.declaration) end
-- Compiles an expression statement; its value is discarded.
function statements.expr(env, node)
  local run = closures.run(env, node.e)
  return function(f) run(f) end
end
-- Compile jumps: their signals end loops, switches and the body. Jumps that leave a construct, and those outside of
-- loops and switches, were rejected by sema/body/c_body.lua.
statements["break"] = function() return function() return BREAK end end
statements["continue"] = function() return function() return CONTINUE end end
statements["return"] = function() return function() return RETURN end end
-- Compiles an if statement.
statements["if"] = function(env, node)
  local c, yes = truth(env, node.c), compile_statement(env, node.yes)
  local no = node.no and compile_statement(env, node.no)
  return function(f)
    if c(f) then return yes(f) end
    if no then return no(f) end
  end
end

-- Number of iterations between two checks of the construct's step budget.
local STEP_BUDGET_INTERVAL = 32

-- Raises if, since the first call in frame f, the construct has used more than half of the steps that the step limit
-- then left. Does nothing without a step limit.
local function check_step_budget(f)
  local steps_left = core.steps_left()
  if not steps_left then return end
  f.least = f.least or steps_left // 2
  if steps_left < f.least then
    raise("limit", f.pos, "the construct takes more than half of the steps that the limit leaves", {
      of_construct = true, help = "raise --limit-steps if the scenario needs more" })
  end
end

-- Returns a function of the frame that runs a loop; the function returns RETURN or nil. c: compiled condition, nil for
-- an endless loop; body: compiled statement; step: function that runs after each iteration, or nil.
local function loop(c, body, step)
  return function(f)
    local iterations = 0
    while not c or c(f) do
      iterations = iterations + 1
      if iterations == STEP_BUDGET_INTERVAL then
        iterations = 0
        check_step_budget(f)
      end
      local signal = body(f)
      if signal == BREAK then return end
      if signal == RETURN then return RETURN end
      if step then step(f) end
    end
  end
end

-- Compiles a while loop.
statements["while"] = function(env, node)
  return loop(truth(env, node.c), compile_statement(env, node.body))
end
-- Compiles a do loop: the body runs once before the condition is evaluated.
statements["do"] = function(env, node)
  local body = compile_statement(env, node.body)
  local again = loop(truth(env, node.c), body)
  return function(f)
    local signal = body(f)
    if signal == BREAK then return end
    if signal == RETURN then return RETURN end
    return again(f)
  end
end
-- Compiles a for loop; its three parts may be missing.
statements["for"] = function(env, node)
  -- The loop's variable is declared in a block around the body, so that condition and step can use it.
  local loop_env, init = block_environment(env), node.init
  local begin = init and compile_statement(loop_env, { tag = init.tag == "declaration" and "decl" or "expr",
    pos = init.pos, declaration = init, e = init })
  local c, step = node.c and truth(loop_env, node.c), node.step and closures.run(loop_env, node.step)
  local body, space = compile_statement(loop_env, node.body), env.space
  if space.record and node.iteration then
    body = iteration_races.iteration(space, node.iteration, body, iteration_races.c_counters(loop_env, node.iteration))
  end
  local run = loop(c, body, step)
  if space.record and node.parallel then run = iteration_races.c_loop(loop_env, node.parallel, run) end
  return function(f)
    if begin then begin(f) end
    return run(f)
  end
end

-- Compiles a switch: runs the statements of its block from the label that matches the value, or from `default`. Raises
-- if the value is no integer, the body is not a block, a label is not constant, or a label occurs twice.
statements["switch"] = function(env, node)
  local c = c_sema.value(env, node.c)
  if c.type.kind ~= "scalar" or c.type.float then raise("type-mismatch", node.c.pos, "an integer is needed") end
  if node.body.tag ~= "block" or node.body.inner then
    raise("unsupported", node.body.pos, "a switch without a block", { help = "switch (...) { case ...: }" })
  end
  local inner, steps, starts, otherwise = block_environment(env), {}, {}, nil
  for _, item in ipairs(node.body.list) do
    if item.tag ~= "case" then
      steps[#steps + 1] = compile_statement(inner, item)
    else
      local value = item.e and closures.constant(env.session, item.e)
      if starts[value or 0] and value or otherwise and not value then
        raise("duplicate-name", item.pos, "this label stands here twice", { length = value and 4 or 7 })
      end
      if value then starts[value] = #steps + 1 else otherwise = #steps + 1 end
    end
  end
  local n, value = #steps, closures.value(env, c)
  return function(f)
    for i = starts[value(f)] or otherwise or n + 1, n do
      local signal = steps[i](f)
      if signal == BREAK then return end
      if signal then return signal end
    end
  end
end
-- Raises: a case or default label outside of a switch's block. statements.switch handles the labels directly in its
-- block.
function statements.case(_, node)
  raise("syntax", node.pos, "a label is allowed only in the block of a switch", { length = node.e and 4 or 7 })
end

-- Compile the nodes that sema/body makes of directives in a body: private{} is a thread construct with private copies
-- (privatization.lua); carried{} is a nested directive, which the devices execute (nested_directives.lua).
function statements.private(env, node) return privatization.compile(env, node, compile_statement, statement) end
function statements.carried(env, node) return nested_directives.compile(env, node, compile_statement, statement) end

-- Compiles a statement of any kind to a function of the frame. If the AST node has a position, the function sets
-- frame.pos first. Raises if the statement is invalid.
function compile_statement(env, node)
  local run = statements[node.tag](env, node)
  local pos, lock, space = node.pos, node.lock, env.space
  if lock and space.record then
    local unlocked = run
    run = function(f) return space:run_locked(lock, unlocked, f) end
  end
  if not pos then return run end
  return function(f)
    f.pos = pos
    return run(f)
  end
end

-- Compiles a whole body, the AST block `node`, to a function of a frame; the caller passes a new frame for each run.
-- env is changed: it gets the fields root, locals and addressed. Raises if the body is invalid.
function statement.body(env, node)
  env.root = { slots = 1, in_memory = node.carries }
  env.locals = {}
  env.addressed = address_taken_names(node)
  if env.space.record then iteration_races.add_assigned(node, env.addressed, statement.free) end
  local run = block(env, node.list)
  return function(frame)
    frame.least = false
    run(frame)
  end
end

-- Visits the free names of the AST `node`: names that are used in it and not declared in it. Calls see(node, call):
-- `node` is the identifier; `call` is the call's node if the identifier is the called function, otherwise nil. If `see`
-- returns true for a call, the identifier is done; otherwise `see` is called again for it as for a variable. For a
-- private copy (privatization.lua) whose original variable is read or written, the call is see(copy).
local function each_free(node, see)
  local function visit(n, locals)
    -- sizeof evaluates neither value nor address of its operand, therefore names in it are not used (ACC33-impl-3).
    -- Bounds in types are constants.
    if not n or n.tag == "sizeof" or n.tag == "type_name" then return end
    if n.tag == "block" or n.tag == "for" or n.tag == "switch" then
      locals = setmetatable({}, { __index = locals })
    elseif n.tag == "declaration" then
      return visit(n.list, locals)
    elseif n.tag == "init" then
      visit(n.value, locals)
      local d = n.declarator
      while d.inner do d = d.inner end
      locals[d.name] = true
      return
    elseif n.tag == "private" then
      visit(n.values, locals)
      visit(n.names, locals)
      local inner = setmetatable({}, { __index = locals })
      for _, copy in ipairs(n.copies) do
        if (copy.begins or copy.lasts or copy.op or copy.shared) and not locals[copy.name] then see(copy) end
        if not copy.shared then inner[copy.name] = true end
      end
      return visit(n.body, inner)
    elseif n.tag == "carried" then
      for _, clause in ipairs(n.clauses()) do visit(clause.e, locals) end
      for _, clause in ipairs(n.clauses()) do visit(clause.vars, locals) end
      return visit(n.body, locals)
    elseif n.tag == "call" and n.base.tag == "id" and see(n.base, n) then
      return visit(n.args, locals)
    elseif n.tag == "id" and not locals[n.name] then
      see(n)
    end
    for _, child in ast.children(n) do visit(child, locals) end
  end
  visit(node, {})
end

-- Returns the free names of an AST (used in it and not declared in it), each name once, as a list of {name, pos}. Names
-- of called functions are included.
function statement.free(node)
  local visited, list = {}, {}
  each_free(node, function(n)
    if not visited[n.name] then list[#list + 1] = { name = n.name, pos = n.pos } end
    visited[n.name] = true
  end)
  return list
end

-- Returns the program's variables that the body `node` uses, in the order of their first use, for the implicit data
-- rules. Each entry is {name, pos, reduced?}; reduced is true if the body reduces the variable. A member of *this, or a
-- call of a member function of *this, counts as a use of `this`. Locals of the body are not included.
function statement.references(session, node)
  local by_name, list = {}, {}
  local function add(name, pos)
    if not by_name[name] then
      by_name[name] = { name = name, pos = pos }
      list[#list + 1] = by_name[name]
    end
    return by_name[name]
  end
  each_free(node, function(n, call)
    if call then
      if member_functions.call_on_this(session, call) then add("this", call.pos) end
      return true
    end
    local name = session:this_member(n.name) and "this" or n.name
    if session.now.scope.variables[name] then
      local reference = add(name, n.pos)
      reference.reduced = reference.reduced or n.op ~= nil and not n.tag
    end
  end)
  return list
end

return statement
