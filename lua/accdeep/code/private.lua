-- private.lua - constructs of threads in a body, executed by one thread: variables that the construct has for itself.
--
-- A private copy is another variable with the same name: new, with the value of before (firstprivate, linear), or with
-- the identity of a reduction's operator. At the end the last value is the variable's (lastprivate, linear), or both
-- are combined (OMP60-share-1, OMP60-share-2; ACC33-2.9-4, ACC33-2.9.11-1).

local check = require "accdeep.code.check_c"
local closures = require "accdeep.code.closures"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local memory = require "accdeep.code.local_memory"
local typed = require "accdeep.code.typed"
local types = require "accdeep.types"

local raise = diagnostic.raise

local private = {}

local LONG = types.scalars.long
local run = closures.run

-- ------------------------------------------------------------------------------------------ names --

-- What a construct may have a copy of: a variable or a member with a type; nil: nothing has the name.
function private.variable(env, name)
  local session = env.session
  return env.locals[name] or session:this_member(name) or session.now.scope.variables[name]
end

-- The variable of a name that a clause names, for its type.
local function known(env, item)
  return private.variable(env, item.name) or env.session.now.scope:no_variable(item)
end

local function check_names(env, names)
  for _, item in ipairs(names) do
    if not env.session.now.scope.enumerators[item.name] then known(env, item) end
  end
end

-- Whether a variable of the region around is a task's own: it is not shared by the threads of the innermost team.
local function is_own(env, name)
  local binding, level = env.locals[name], env.level or 0
  if binding then return binding.level == level end
  local k = env.session.now.kernel
  return level == 0 and k and k.plan.private[name] ~= nil
end

-- The copies of a construct, those among them of which no clause says what they are.
-- Decides OMP60-share-1.
local function copies_of(env, node, free)
  local implicit = node.implicit
  if not implicit then return node.copies end
  local list = table.move(node.copies, 1, #node.copies, 1, {})
  for _, item in ipairs(free(node.body)) do
    local name = item.name
    if not node.is_said(name) and private.variable(env, name) then
      if implicit == "none" then
        raise("default-none", item.pos, ("default(none), but '%s' is in no clause"):format(name), { length = #name,
          rule = "OMP60-share-1", help = ("say shared(%s), or what else it is"):format(name) })
      elseif implicit ~= "task" or is_own(env, name) then
        list[#list + 1] = { name = name, pos = item.pos, begins = implicit ~= "private" }
      end
    end
  end
  return list
end

-- ------------------------------------------------------------------------------------- reductions --

local least = { [1] = -0x80, [2] = -0x8000, [4] = -0x80000000, [8] = math.mininteger }

-- The number with which a reduction begins.
function private.identity(op, t)
  if op == "*" or op == "&&" then return 1 end
  if op == "&" then return -1 end
  if op ~= "max" and op ~= "min" then return 0 end
  local low, high = least[t.size], t.size == 8 and math.maxinteger or -(least[t.size] or 0) - 1
  if t.float then low, high = -math.huge, math.huge
  elseif not t.signed then low, high = 0, t.size == 8 and -1 or (1 << 8 * t.size) - 1 end
  return op == "max" and low or high
end

-- A tree of the same.
function private.beginning(op, t, pos)
  return { tag = "num", pos = pos, value = private.identity(op, t), type = t.float and "double" or "long" }
end

-- The tree that combines a variable with its copy.
function private.combined(op, pos, variable, copy)
  local a, b = typed.node(variable), typed.node(copy)
  local both = { tag = "binary", op = op == "-" and "+" or op, pos = pos, a = a, b = b }
  if op == "max" or op == "min" then
    both.op = op == "max" and ">" or "<"
    both = { tag = "cond", pos = pos, a = a, b = b, c = both }
  end
  return typed.assignment(pos, variable, both)
end

-- A step of the frame for each number in a variable: make(expressions) gives the step for one.
local function each_number(env, pos, t, list, make)
  if t.kind ~= "array" then return make(list, t) end
  local slot, n, elements = env.root.slots, t.n, {}
  env.root.slots = slot + 1
  local index = typed.node { op = "given", type = LONG, value = function(f) return f[slot] end }
  index.pos = pos
  for i, e in ipairs(list) do
    elements[i] = check.expression(env, { tag = "index", pos = pos, base = typed.node(e), index = index })
  end
  local step = each_number(env, pos, t.of, elements, make)
  return function(f)
    for i = 0, n - 1 do
      f[slot] = i
      step(f)
    end
  end
end

-- Decides ACC33-2.9.11-1, OMP60-share-2.
local function reduction(env, copy, t, outer, inner)
  local pos, op = copy.pos, copy.op
  local element = t
  while element.kind == "array" do element = element.of end
  if element.kind ~= "scalar" then
    raise("type-mismatch", pos, ("%s cannot be reduced: it is not a number"):format(types.name(t)),
      { length = #copy.name, rule = "OMP60-share-2" })
  end
  local value = private.beginning(op, element, pos)
  local begin = each_number(env, pos, t, { inner }, function(list)
    return run(env, typed.assignment(pos, list[1], value))
  end)
  local finish = each_number(env, pos, t, { outer, inner }, function(list)
    return run(env, private.combined(op, pos, list[1], list[2]))
  end)
  return begin, finish
end

-- ----------------------------------------------------------------------------------------- copies --

local BYTE = core.scalar.u8

-- Copies the bytes of a variable that were written.
local function copy_bytes(env, to, from, size)
  local space = env.space
  return function(f)
    local source, slow, shigh = from(f)
    local target, low, high = to(f)
    if not space.on_device then return memory.copy(env.session, target, source, size) end
    source, target = space:check(source, size, slow, shigh, f), space:check(target, size, low, high, f)
    for i = 0, size - 1 do
      local value = env.session.ctx:device_read(space.number, source + i, BYTE)
      if value ~= nil then env.session.ctx:device_write(space.number, target + i, BYTE, value) end
    end
  end
end

-- Steps of one copy: at the beginning, and at the end or nil.
local function compile_copy(env, inner, copy, statement)
  local name, pos = copy.name, copy.pos
  local t = known(env, copy).type
  local outer = (copy.begins or copy.lasts or copy.op) and check.expression(env, { tag = "id", name = name, pos = pos })
  local binding, begin = statement.variable(inner, name, t)
  local steps, last = { begin }, nil
  if binding.slot then statement.watched(binding, name) end
  local own = check.expression(inner, { tag = "id", name = name, pos = pos })
  local simple = t.kind == "scalar" or t.kind == "pointer"
  if copy.op then
    steps[2], last = reduction(inner, copy, t, outer, own)
  elseif copy.begins and simple then
    steps[2] = run(inner, typed.assignment(pos, own, typed.node(outer)))
  elseif copy.begins then
    steps[2] = copy_bytes(env, binding.place, closures.place(env, outer), t.size)
  end
  if copy.lasts and binding.slot then
    local slot = binding.slot
    local raw = { op = "given", type = t, value = function(f) return f[slot], f[slot + 1], f[slot + 2] end }
    local write = run(inner, typed.assignment(pos, outer, typed.node(raw)))
    last = function(f)
      if f[slot] ~= nil then write(f) end
    end
  elseif copy.lasts then
    last = copy_bytes(env, closures.place(env, outer), binding.place, t.size)
  end
  return steps, last
end

-- A construct of threads as a function of the frame.
function private.compile(env, node, compile_statement, statement)
  local inner, begin, finish = statement.scoped(env), {}, {}
  check_names(env, node.names)
  for _, e in ipairs(node.values) do
    local value = check.value(env, e)
    if value.type.kind ~= "scalar" and value.type.kind ~= "pointer" then
      raise("type-mismatch", e.pos, "a number is needed")
    end
    begin[#begin + 1] = closures.value(env, value)
  end
  inner.level = (env.level or 0) + (node.team and 1 or 0)
  for _, copy in ipairs(copies_of(env, node, statement.free)) do
    if not copy.shared then
      local steps, last = compile_copy(env, inner, copy, statement)
      for _, step in ipairs(steps) do begin[#begin + 1] = step end
      finish[#finish + 1] = last
    end
  end
  local body = compile_statement(inner, node.body)
  return function(f)
    for i = 1, #begin do begin[i](f) end
    local signal = body(f)
    if signal then return signal end
    for i = 1, #finish do finish[i](f) end
  end
end

return private
