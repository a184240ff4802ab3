-- construct.lua - directives among Fortran statements, and the statements that belong to them.
--
-- Directives of OpenACC and OpenMP's target directives are the session's. A construct of OpenMP's host threads runs
-- its statements by one thread wherever it is reached, on the host or in a target construct's body: shared variables
-- are the variables themselves, private ones are others while the statements run. Statements are compiled anew for
-- each run, as names stand for other memory then.

local diagnostic = require "accdeep.diagnostic"
local directive = require "accdeep.openmp.directive"
local expression = require "accdeep.fortran.expression"
local host = require "accdeep.openmp.host"

local raise = diagnostic.raise

local construct = {}

local function in_kernel(env, node)
  local k = env.session.kernel
  if not k and not env.space.on_device then return false end
  if not node.omp then
    raise("unsupported", node.pos, "'!$acc' is not for kernels", { length = #node.sentinel, rule = "HOUSE-version" })
  end
  return true
end

-- The tree of an OpenMP directive that stands among statements, and what it is (openmp/directive.lua).
local function omp_tree(session, node)
  local text = session:in_place(node)
  local tree = session:parse(text, "omp_directive")
  return tree, directive.of(tree.name), text
end

-- ------------------------------------------------------------------------------- private variables --

-- The variables that count the loops of a loop construct: {variable} (HOUSE-threads).
function construct.counters(session, depth, body)
  local list, at = {}, body.list and body.list[1]
  while at and at.tag == "construct" do at = at.list[1] end
  while at and depth > 0 and at.tag == "do" do
    list[#list + 1] = { variable = session.scope.variables[at.name] }
    at, depth = at.body[1], depth - 1
  end
  return list
end

-- Copies the bytes of a variable from one place to another, both of the kernel's memory.
local function copy(space, from, to, size, frame)
  local address, low, high = from(frame)
  local target, target_low, target_high = to(frame)
  space:copy(target, address, size, target_low, target_high, low, high, frame)
end

-- Runs fn in a target construct's body with private variables: a list of {variable, begins, lasts}.
local function with_private(env, copies, frame, fn)
  local k, before = env.session.kernel, {}
  if not env.space.on_device then
    local signal
    host.with_private(env.session, copies, function() signal = fn() end)
    return signal
  end
  for _, one in ipairs(copies) do
    local variable = one.variable
    host.needs_memory(variable, one.pos or frame.pos)
    local t, name = variable.type, variable.name
    local outer = env.lookup(name, frame.pos)
    local address = k:memory(t.size)
    local function place() return address, address, address + t.size end
    before[#before + 1] = { name = name, was = k.private[name] or false, outer = outer, place = place, one = one,
      t = t }
    if one.begins then copy(env.space, outer.place, place, t.size, frame) end
  end
  for _, made in ipairs(before) do k.private[made.name] = { type = made.t, place = made.place } end
  local ok, signal = pcall(fn)
  for _, made in ipairs(before) do k.private[made.name] = made.was or nil end
  if not ok then error(signal, 0) end
  for _, made in ipairs(before) do
    if made.one.lasts then copy(env.space, made.place, made.outer.place, made.t.size, frame) end
  end
  return signal
end

-- A construct of the host's threads in the body of a target construct.
local function inside(env, node, block)
  local session = env.session
  local tree, what = omp_tree(session, node.directive)
  if what.kind ~= "host" then
    raise("region-nesting", node.pos, "a directive inside a target construct", { length = #node.directive.sentinel,
      rule = "OMP60-tgt-1" })
  end
  for _, clause in ipairs(tree.clauses) do
    if clause.kind == "expression" then expression.compile(env, clause.e) end
  end
  return function(f)
    local _, used = session.dialect.body(session, node)
    local copies = host.copies(session, tree, node, used)
    return with_private(env, copies, f, function() return block(env, node.list)(f) end)
  end
end

-- ------------------------------------------------------------------------------------- statements --

local function closing(session, node)
  local finish = node.end_directive
  if not finish then return end
  directive.check((omp_tree(session, finish)))
end

-- Adds what statements they are. block(env, list): a function that runs a list of statements.
function construct.define(statements, block)
  function statements.directive(env, node)
    if node.omp == "section" then return function() end end
    if not in_kernel(env, node) then return function() env.session:fortran_directive(node) end end
    local tree, what = omp_tree(env.session, node)
    if what.kind ~= "nothing" and what.kind ~= "declare target" then
      raise("region-nesting", node.pos, "a directive inside a target construct", { length = #node.sentinel,
        rule = "OMP60-tgt-1" })
    end
    directive.check(tree)
    return function() end
  end

  -- A structured directive with its statements.
  function statements.construct(env, node)
    local session = env.session
    closing(session, node)
    if in_kernel(env, node.directive) then return inside(env, node, block) end
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

return construct
