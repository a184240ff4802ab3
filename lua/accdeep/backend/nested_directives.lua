-- nested_directives.lua - directives inside the body of a host construct that devices execute: target constructs, data
-- regions and updates (OMP60-body-1). statement.lua calls this file for carried{} nodes, which sema/body makes: {kind,
-- language, text, pos, body?}; kind is "compute", "region", "host data" or another kind of directive.
--
-- Input: a `carried` node. Output: a compiled statement, which executes the directive each time.
--
-- The locals of a body with such directives are in memory, not in frame slots (statement.lua). While a nested directive
-- is executed, these locals are variables of the program, so that clauses can name them.

local location = require "accdeep.base.location"
local scope = require "accdeep.types.scope"
local with_fields = require "accdeep.base.with_fields"

local nested_directives = {}

-- Number of executions of nested directives so far. Each execution has its own variables. Therefore it gets a private
-- scope of its own, which is a part of the keys in the plan cache.
local execution_count = 0

-- Returns a scope inside the session's scope, in which the locals of the body `env` that are in memory are variables.
-- f: frame of the body (the table of one execution), from which the addresses are read.
local function scope_with_locals(env, session, f)
  local inner, at = scope.new(session.now.scope), env.locals
  while at do
    for name, binding in next, at do
      if type(binding) == "table" and binding.lvalue and not rawget(inner.variables, name) then
        inner.variables[name] = { name = name, type = binding.type, address = (binding.lvalue(f)) }
      end
    end
    local meta = getmetatable(at)
    at = meta and meta.__index
  end
  return inner
end

-- Compiles and runs the body of the data region `node` in frame f, and returns its signal (statement.lua). Names in
-- use_device clauses get their device addresses as bindings. compile_statement, statement: function and module of
-- statement.lua.
local function run_inside(env, node, f, compile_statement, statement)
  local session = env.session
  local inner = statement.scoped(env)
  for name in next, env.session.now.replaced or {} do inner.locals[name] = session.now.replaced[name] end
  return compile_statement(inner, node.body)(f)
end

-- Compiles the nested directive `node` to a function of the frame. This function executes the directive through the
-- session; it returns no signal. compile_statement, statement: the function and the module of statement.lua. Raises at
-- once for errors in the body of a data region.
function nested_directives.compile(env, node, compile_statement, statement)
  local session = env.session
  local source = session.now.current
  if node.kind == "region" or node.kind == "host data" then
    -- Compiled only to report errors of the body's text before it runs; the result is discarded, because run_inside
    -- compiles the body again at each execution.
    compile_statement(statement.scoped(env), node.body)
  end
  return function(f)
    local k, private_scope = session.now.kernel, session.now.private_scope
    local line = source.file and location.line_of(source.text, node.pos, source.file, source.line)
    execution_count = execution_count + 1
    local inner = scope_with_locals(env, session, f)
    if next(inner.variables) then private_scope = "body " .. execution_count end
    with_fields(session.now, { scope = inner, kernel = false, private_scope = private_scope }, function()
      local execute = session[node.language == "omp" and "omp" or "acc"](session, node.text, nil, source.file, line)
      if node.kind == "compute" then
        execute({ tree = node.body, text = source.text }, { file = source.file, line = source.line })
      elseif node.body then
        execute(function() with_fields(session.now, { kernel = k }, run_inside, env, node, f, compile_statement,
          statement) end)
      end
    end)
  end
end

return nested_directives
