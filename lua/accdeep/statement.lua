-- statement.lua - bodies of C text: statements compiled to Lua functions of a frame, and the variables
-- they use.
--
-- A statement's function returns a signal if it leaves the statements behind it out. Local scalars live
-- in the frame, what has an address in memory.

local arithmetic = require "accdeep.arithmetic"
local diagnostic = require "accdeep.diagnostic"
local eval = require "accdeep.eval"
local method = require "accdeep.method"

local raise = diagnostic.raise
local compile, rvalue, truth = eval.compile, eval.rvalue, eval.truth
local assignment, converter = eval.assignment, arithmetic.converter

local statement = {}

local BREAK, CONTINUE, RETURN = 1, 2, 3

local compile_statement -- forward

local function block(env, list)
  local inner = setmetatable({ locals = setmetatable({}, { __index = env.locals }) }, { __index = env })
  local outer = env.lookup
  function inner.lookup(name, pos)
    local found = inner.locals[name]
    return found or outer(name, pos)
  end
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

-- Names whose address is taken: they live in memory, all other scalars in the frame.
local function addressed(node, names)
  if type(node) ~= "table" then return names end
  if node.tag == "unary" and node.op == "&" and node.e.tag == "id" then names[node.e.name] = true end
  for _, child in pairs(node) do addressed(child, names) end
  return names
end

local function declaration(env, node)
  local steps = {}
  for _, variable in ipairs(env.session:locals_of(node)) do
    local t, name = variable.type, variable.name
    if rawget(env.locals, name) then
      raise("duplicate-name", variable.pos, ("'%s' is declared already"):format(name), { length = #name })
    end
    if (t.kind == "scalar" or t.kind == "pointer") and not env.addressed[name] then
      local slot = env.root.slots
      env.root.slots = slot + 3
      local value = variable.value
      local e = value and rvalue(env, value)
      env.locals[name] = { type = t, slot = slot, local_name = name }
      if e and t.kind == "scalar" then
        if e.type.kind ~= "scalar" then raise("type-mismatch", variable.pos, "a number is needed") end
        local convert, v = converter(e.type, t), e.value
        steps[#steps + 1] = function(f) f[slot] = convert(v(f)) end
      elseif e then
        local v = e.value
        steps[#steps + 1] = function(f) f[slot], f[slot + 1], f[slot + 2] = v(f) end
      else
        steps[#steps + 1] = function(f) f[slot], f[slot + 1], f[slot + 2] = 0, nil, nil end
      end
    else
      local slot = env.root.slots
      env.root.slots = slot + 3
      local size, space = t.size, env.space
      local function place(f) return f[slot], f[slot], f[slot] + size end
      env.locals[name] = { type = t, place = place }
      steps[#steps + 1] = function(f) f[slot] = space:local_memory(size) end
      if variable.value then
        if variable.value.tag == "braces" then
          raise("unsupported", variable.value.pos, "a local list in braces",
            { help = "assign the elements one by one" })
        end
        steps[#steps + 1] = assignment(env, variable, t, place, rvalue(env, variable.value))
      end
    end
  end
  return function(f)
    for i = 1, #steps do steps[i](f) end
  end
end

local statements = {}

function statements.block(env, node) return block(env, node.list) end
function statements.decl(env, node) return declaration(env, node.declaration) end
function statements.expr(env, node)
  local value = compile(env, node.e).value
  if not value then raise("type-mismatch", node.pos, "this statement does nothing") end
  return function(f) value(f) end
end
statements["break"] = function() return function() return BREAK end end
statements["continue"] = function() return function() return CONTINUE end end
statements["return"] = function(_, node)
  if node.e then raise("type-mismatch", node.pos, "a kernel returns nothing") end
  return function() return RETURN end
end
statements["if"] = function(env, node)
  local c, yes = truth(rvalue(env, node.c), node.c), compile_statement(env, node.yes)
  local no = node.no and compile_statement(env, node.no)
  return function(f)
    if c(f) then return yes(f) end
    if no then return no(f) end
  end
end

local function loop(c, body, step)
  return function(f)
    while not c or c(f) do
      local signal = body(f)
      if signal == BREAK then return end
      if signal == RETURN then return RETURN end
      if step then step(f) end
    end
  end
end

statements["while"] = function(env, node)
  return loop(truth(rvalue(env, node.c), node.c), compile_statement(env, node.body))
end
statements["do"] = function(env, node)
  local body = compile_statement(env, node.body)
  local again = loop(truth(rvalue(env, node.c), node.c), body)
  return function(f)
    local signal = body(f)
    if signal == BREAK then return end
    if signal == RETURN then return RETURN end
    return again(f)
  end
end
statements["for"] = function(env, node)
  local init = node.init and (node.init.tag == "declaration"
    and { tag = "decl", pos = node.init.pos, declaration = node.init }
    or { tag = "expr", pos = node.init.pos, e = node.init })
  local inner = { tag = "block", pos = node.pos, list = { init } }
  -- the loop's variable lives in a block around it
  local made
  inner.list[#inner.list + 1] = { tag = "made", make = function(scoped)
    local c = node.c and truth(rvalue(scoped, node.c), node.c)
    local step = node.step and rvalue(scoped, node.step).value
    made = loop(c, compile_statement(scoped, node.body), step)
    return made
  end }
  return block(env, inner.list)
end
function statements.made(env, node) return node.make(env) end

function compile_statement(env, node)
  local made = statements[node.tag](env, node)
  local pos = node.pos
  if not pos then return made end
  return function(f)
    f.pos = pos
    return made(f)
  end
end

-- A function that runs the body once, with a fresh frame it returns errors' positions in.
function statement.body(env, node)
  env.root = { slots = 1 }
  env.locals = {}
  env.addressed = addressed(node, {})
  local run = block(env, node.list)
  return function(frame) run(frame) end
end

-- Names of variables a body uses, in order, for the implicit data rules. Locals are left out.
function statement.references(session, node)
  local found, list = {}, {}
  local function visit(n, locals)
    if type(n) ~= "table" then return end
    if n.tag == "block" or n.tag == "for" then locals = setmetatable({}, { __index = locals }) end
    if n.tag == "declaration" then
      for _, item in ipairs(n.list) do
        visit(item.value, locals)
        local d = item.declarator
        while d.inner do d = d.inner end
        locals[d.name] = true
      end
      return
    end
    if n.tag == "call" and n.base.tag == "id" and method.of_this(session, n) and not found.this then
      found.this = true
      list[#list + 1] = { name = "this", pos = n.pos }
    elseif n.tag == "id" and not locals[n.name] then
      local name = session:this_member(n.name) and "this" or n.name
      if not found[name] and session.scope.variables[name] then
        found[name] = true
        list[#list + 1] = { name = name, pos = n.pos }
      end
    end
    if n.tag == "for" then
      visit(n.init, locals)
      visit(n.c, locals)
      visit(n.step, locals)
      visit(n.body, locals)
      return
    end
    for _, key in ipairs { "list", "declaration", "e", "c", "a", "b", "to", "base", "index", "args",
      "yes", "no", "body", "value" } do
      local child = n[key]
      if type(child) == "table" then
        if child.tag then visit(child, locals) else
          for _, item in ipairs(child) do visit(item, locals) end
        end
      end
    end
  end
  visit(node, {})
  return list
end

return statement
