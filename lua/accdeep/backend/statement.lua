-- statement.lua - compiles bodies of C text: statements become Lua closures over a frame. The file also finds the
-- variables that a body uses. Input: the AST of syntax/c_statement.lua, after analysis by plan/body/c_body.lua.
--
-- A compiled statement is function(frame) -> signal. The signal is nil, or BREAK, CONTINUE or RETURN if the statements
-- after it must be skipped. A frame is the table of one execution of the body. Its slots 1.. hold local scalars and
-- pointers (three slots each: value, low, high), and frame.pos the position being executed. Arrays, records, and locals
-- whose address is taken are in memory; their slot holds the address.

local nested_directives = require "accdeep.backend.nested_directives"
local c_sema = require "accdeep.backend.c_sema"
local closures = require "accdeep.backend.closures"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local member_functions = require "accdeep.backend.member_functions"
local privatization = require "accdeep.backend.privatization"
local ast = require "accdeep.base.ast"

local raise = diagnostic.raise
local truth = closures.truth

local statement = {}

local BREAK, CONTINUE, RETURN = 1, 2, 3

local compile_statement -- forward declaration

-- Returns an environment for a block inside that of `env`: its own names precede those of the enclosing block.
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

-- Compiles a list of statements as a block. The compiled block stops at the first signal and returns it.
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

-- Returns the set of names whose address is taken. Such variables are in memory; other scalars are in frame slots.
local function address_taken_names(body)
  local names = {}
  ast.visit(body, function(node)
    if node.tag == "unary" and node.op == "&" and node.e.tag == "id" then names[node.e.name] = true end
  end)
  return names
end

-- Declares a new variable `name` of type t in a body, without a value. Returns its binding (symbols.lua), and a
-- function that begins its life in a frame. Scalars and pointers whose address is not taken get a frame slot, where nil
-- means not initialized. Other variables get memory.
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

-- Makes reads of the variable `name` in a frame slot raise if the variable was not written. Decides HOUSE-locals.
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

-- Compiles a local declaration to a function that begins and initializes its variables. Raises if a name is in use in
-- the block, for lists in braces, and if an initializer does not fit.
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
-- Returns an environment in which break is allowed; with kind == "loop", continue as well. kind: "loop" or "switch".
local function breakable_environment(env, kind)
  return setmetatable({ breaks = true, continues = kind == "loop" or env.continues }, { __index = env })
end

-- Compiles break; raises outside of loops and switches.
statements["break"] = function(env, node)
  if not env.breaks then
    raise("syntax", node.pos, "'break' is allowed only in a loop or a switch", { length = #"break" })
  end
  return function() return BREAK end
end
-- Compiles continue; raises outside of loops.
statements["continue"] = function(env, node)
  if not env.continues then
    raise("syntax", node.pos, "'continue' is allowed only in a loop", { length = #"continue" })
  end
  return function() return CONTINUE end
end
-- The signal ends the body, as plan/body/c_body.lua rejects return inside constructs.
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

-- Raises if a construct has used more than half of the steps that were left at the first check in frame f. Does nothing
-- without a step limit.
local function check_step_budget(f)
  local steps_left = core.steps_left()
  if not steps_left then return end
  f.least = f.least or steps_left // 2
  if steps_left < f.least then
    raise("limit", f.pos, "the construct takes more than half of the steps that the limit leaves", {
      of_construct = true, help = "raise --limit-steps if the scenario needs more" })
  end
end

-- Returns a function that runs a loop and returns RETURN or nil. c: condition, or nil: true; body: compiled statement;
-- step: function that runs after each iteration, or nil.
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
  return loop(truth(env, node.c), compile_statement(breakable_environment(env, "loop"), node.body))
end
-- Compiles a do loop: the body runs once before the condition is evaluated.
statements["do"] = function(env, node)
  local body = compile_statement(breakable_environment(env, "loop"), node.body)
  local again = loop(truth(env, node.c), body)
  return function(f)
    local signal = body(f)
    if signal == BREAK then return end
    if signal == RETURN then return RETURN end
    return again(f)
  end
end
-- Compiles a for loop.
statements["for"] = function(env, node)
  -- The loop's variable is declared in a block around the body, so that condition and step can use it.
  local loop_env, init = block_environment(env), node.init
  local begin = init and compile_statement(loop_env, { tag = init.tag == "declaration" and "decl" or "expr",
    pos = init.pos, declaration = init, e = init })
  local c, step = node.c and truth(loop_env, node.c), node.step and closures.run(loop_env, node.step)
  local run = loop(c, compile_statement(breakable_environment(loop_env, "loop"), node.body), step)
  return function(f)
    if begin then begin(f) end
    return run(f)
  end
end

-- Compiles a switch: runs the statements of its block from the label that matches. Raises if the value is no integer,
-- the body is not a block, or a label occurs twice.
statements["switch"] = function(env, node)
  local c = c_sema.value(env, node.c)
  if c.type.kind ~= "scalar" or c.type.float then raise("type-mismatch", node.c.pos, "an integer is needed") end
  if node.body.tag ~= "block" or node.body.inner then
    raise("unsupported", node.body.pos, "a switch without a block", { help = "switch (...) { case ...: }" })
  end
  local inner, steps, starts, otherwise = block_environment(breakable_environment(env, "switch")), {}, {}, nil
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
-- Raises, because a label is valid only directly in the block of a switch.
function statements.case(_, node)
  raise("syntax", node.pos, "a label is allowed only in the block of a switch", { length = node.e and 4 or 7 })
end

-- Compile the nodes of plan/body/c_body.lua: a construct with private copies, and a nested directive.
function statements.private(env, node) return privatization.compile(env, node, compile_statement, statement) end
function statements.carried(env, node) return nested_directives.compile(env, node, compile_statement, statement) end

-- Compiles a statement to a function that sets frame.pos first. Raises if the statement is invalid.
function compile_statement(env, node)
  local run = statements[node.tag](env, node)
  local pos = node.pos
  if not pos then return run end
  return function(f)
    f.pos = pos
    return run(f)
  end
end

-- Compiles a whole body to a function of a frame; a fresh frame is passed for each run. env is changed: it gets the
-- fields root, locals and addressed. Raises if the body is invalid.
function statement.body(env, node)
  env.root = { slots = 1, in_memory = node.carries }
  env.locals = {}
  env.addressed = address_taken_names(node)
  local run = block(env, node.list)
  return function(frame)
    frame.least = false
    run(frame)
  end
end

-- Fields of an AST node that may contain names of variables, in the order of visits.
local children = { "list", "declaration", "e", "c", "a", "b", "to", "base", "index", "args", "start", "length",
  "yes", "no", "body", "value", "values", "names" }

-- Visits the free names of an AST: those that the AST uses and does not declare. Calls see(node, call), where call is
-- the node of a call of this name, or nil. For a call, `see` returns true if the name is not to be visited as a
-- variable. Copies of private{} (privatization.lua) whose original variable is read or written are visited as well:
-- see(copy).
local function each_free(node, see)
  local visit
  local function visit_all(list, locals)
    for _, item in ipairs(list) do visit(item, locals) end
  end
  function visit(n, locals)
    -- sizeof evaluates neither value nor address of its operand, therefore names in it are not used (ACC33-impl-3).
    if type(n) ~= "table" or n.tag == "sizeof" then return end
    if n.tag == "block" or n.tag == "for" or n.tag == "switch" then
      locals = setmetatable({}, { __index = locals })
    end
    if n.tag == "declaration" then
      for _, item in ipairs(n.list) do
        visit(item.value, locals)
        local d = item.declarator
        while d.inner do d = d.inner end
        locals[d.name] = true
      end
      return
    elseif n.tag == "private" then
      visit_all(n.values, locals)
      for _, item in ipairs(n.names) do visit(item, locals) end
      local inner = setmetatable({}, { __index = locals })
      for _, copy in ipairs(n.copies) do
        if (copy.begins or copy.lasts or copy.op or copy.shared) and not locals[copy.name] then see(copy) end
        if not copy.shared then inner[copy.name] = true end
      end
      return visit(n.body, inner)
    elseif n.tag == "carried" then
      for _, clause in ipairs(n.clauses()) do visit_all({ clause.e or false }, locals) end
      for _, clause in ipairs(n.clauses()) do visit_all(clause.vars or {}, locals) end
      return visit(n.body, locals)
    elseif n.tag == "call" and n.base.tag == "id" and see(n.base, n) then
      return visit_all(n.args, locals)
    elseif n.tag == "id" and not locals[n.name] then
      see(n)
    end
    if n.tag == "for" then
      visit(n.init, locals)
      visit(n.c, locals)
      visit(n.step, locals)
      return visit(n.body, locals)
    end
    for _, key in ipairs(children) do
      local child = n[key]
      if type(child) == "table" then
        if child.tag then visit(child, locals) else visit_all(child, locals) end
      end
    end
  end
  visit(node, {})
end

-- Returns the free names of an AST, each name once, as a list of {name, pos}. Names of called functions are included.
function statement.free(node)
  local visited, list = {}, {}
  each_free(node, function(n)
    if not visited[n.name] then list[#list + 1] = { name = n.name, pos = n.pos } end
    visited[n.name] = true
  end)
  return list
end

-- Returns the variables that a body uses, in order, for the implicit data rules: list of {name, pos, reduced?}, where
-- reduced is true for the variable of a reduction. A member of *this counts as `this`. Locals of the body are not
-- included.
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
