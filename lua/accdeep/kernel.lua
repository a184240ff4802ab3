-- kernel.lua - compute constructs: the body runs on device memory, whoever writes it.
--
-- A body is a Lua function of the device view, or C text. Variables are found as a compiler would
-- arrange: private copies, pointers whose section a visible clause names, present objects. A body
-- that fails leaves device memory as it was: its writes are in a journal of the core.

local core = require "accdeep.core"
local diagnostic = require "accdeep.diagnostic"
local grammar = require "accdeep.grammar"
local statement = require "accdeep.statement"
local types = require "accdeep.types"
local view = require "accdeep.view"

local raise = diagnostic.raise

local kernel = {}

local Kernel = {}
Kernel.__index = Kernel

function Kernel:memory(size)
  local session = self.session
  if self.on_host then return session:new_block(size, nil) end
  local address, err = session.ctx:device_alloc(self.device, size)
  if not address then error(session:core_error(err, nil), 0) end
  self.allocated[#self.allocated + 1] = address
  return address
end

function Kernel:release()
  for _, address in ipairs(self.allocated) do self.session.ctx:device_free(self.device, address) end
  self.allocated = {}
end

-- ------------------------------------------------------------------------------------ variables --

-- Where on the host begins what a clause names of a pointer or an array, here or in an open region: a
-- section of it, or an element of the array.
local function section_start(session, k, name)
  local variable = session.scope.variables[name]
  local function start_in(named, where)
    local item, start = named[name], where[name]
    if not item or not start then return nil end
    local inside = variable.type.kind == "array" and start >= variable.address
      and start < variable.address + variable.type.size
    return (inside or item.variable == name) and start or nil
  end
  local here = k and k.plan and start_in(k.plan.named, k.where)
  if here then return here end
  local stack = session.regions[session.device]
  for i = #stack, 1, -1 do
    local start = stack[i].handle and start_in(stack[i].plan.named, stack[i].where)
    if start then return start end
  end
  return nil
end

-- Whether a clause goes through a pointer: it names a member of what the pointer leads to.
local function on_the_way(session, k, name)
  local region = not k.plan.named[name] and session:visible(name)
  local item = (region and region.plan or k.plan).named[name]
  return item ~= nil and item.variable ~= name
end

-- What a pointer variable holds in a kernel: its host value translated, if a clause says how.
local function translated(session, k, variable, device)
  local ctx = session.ctx
  local value = session.host_space:load(variable.address, core.scalar.pointer, 8)
  local start = section_start(session, k, variable.name)
  local dev = start and start ~= 0 and ctx:deviceptr(device, start) or 0
  if dev == 0 then
    if value == 0 then return 0, { name = variable.name } end
    -- a device address serves as it is, whoever found it
    if ctx:device_of(value) == device then return value, ctx:device_bounds(device, value) end
    -- for looking at what is present, and for members behind it
    local there = (not k or on_the_way(session, k, variable.name)) and ctx:deviceptr(device, value) or 0
    if there ~= 0 then return there, ctx:device_bounds(device, there) end
    return value, { name = variable.name }
  end
  return dev - (start - value), ctx:device_bounds(device, dev)
end

local function private_binding(k, name, variable, how)
  local session = k.session
  local t = variable.type
  if t.kind == "descriptor" then
    k.private[name] = session.dialect.private(k, variable, how)
    return k.private[name]
  end
  local address = k:memory(t.size)
  k.private[name] = { type = t, place = function() return address, address, address + t.size end }
  if how == "private" then return k.private[name] end
  if t.kind == "pointer" then
    local value, low, high = translated(session, k, variable, k.device)
    if type(low) == "table" then -- a host address: following it is the error to tell about
      k.private[name] = { type = t, value = function() return value, low, high end }
      return k.private[name]
    end
    local ok, err = session.ctx:device_write(k.device, address, core.scalar.pointer, value)
    if not ok then error(session:core_error(err, nil), 0) end
  else
    local ok, err = session.ctx:to_device(k.device, address, variable.address, t.size)
    if not ok then error(session:core_error(err, nil), 0) end
  end
  return k.private[name]
end

local function lookup(session, k, name, pos)
  if k and k.private[name] then return k.private[name] end
  local ctx, device = session.ctx, session.device
  local variable = session:this_member(name) or session.scope.variables[name]
  if not variable then
    local value = session.scope.enumerators[name]
    if value then return { type = types.scalars.int, const = value } end
    local fn = session.scope.functions[name]
    return fn and { fn = fn }
  end
  local t = variable.type
  if t.kind == "descriptor" then
    return session.dialect.binding(session, k, variable, section_start(session, k, name))
  end
  if k and k.plan.deviceptr[name] then
    return { type = t, value = function()
      local value = session.host_space:load(variable.address, core.scalar.pointer, 8)
      if ctx:device_of(value) == device then return value, ctx:device_bounds(device, value) end
      return value, { name = name }
    end }
  end
  local dev = ctx:deviceptr(device, variable.address)
  if dev ~= 0 and ctx:presence(device, variable.address, t.size) == "wholly" then
    return { type = t, place = function() return dev, dev, dev + t.size end }
  end
  if (t.kind == "record" or t.kind == "array" and not k)
    and ctx:presence(device, variable.address, t.size) ~= "absent" then
    -- for using members that are present, and for looking at what is, piece by piece
    local low = variable.address
    return { type = t, place = function() return low, { name = name, pieces = true } end }
  end
  if t.kind == "array" then -- a section of it, as a clause names it
    local start = section_start(session, k, name)
    local at = start and start ~= 0 and ctx:deviceptr(device, start) or 0
    if at ~= 0 then
      local low, high = ctx:device_bounds(device, at)
      local address = at - (start - variable.address)
      return { type = t, place = function() return address, low, high end }
    end
  end
  if k and k.plan.private[name] then
    return private_binding(k, name, variable, k.plan.private[name].how)
  end
  if t.kind == "pointer" then
    return { type = t, value = function() return translated(session, k, variable, device) end }
  end
  if k and t.kind == "scalar" then return private_binding(k, name, variable, "firstprivate") end
  raise("not-present", pos, ("'%s' is not present on device %d"):format(name, device),
    { length = #name, rule = "ACC33-2.6.7-1",
      help = ("name '%s' in a data clause, or in the second argument of acc"):format(name) })
end

-- The names of a device: for expressions in a kernel, or between kernels (k nil).
function kernel.env(session, k, space)
  return { session = session, space = space, lookup = function(name, pos)
    return lookup(session, k, name, pos)
  end }
end

-- --------------------------------------------------------------------------------------- the view --

local View = { __name = "device view" }
local STATE = {}

function View:__index(name)
  local k = rawget(self, STATE)
  if type(name) ~= "string" then return nil end
  if k.session.options.language == "fortran" then name = name:lower() end
  local binding = k.env.lookup(name)
  if not binding or binding.fn then
    local near = diagnostic.closest(name, k.session.scope:names())
    raise("unknown-name", nil, ("there is no variable '%s'"):format(name),
      { help = near and ("did you mean '%s'?"):format(near) })
  end
  if binding.const then return binding.const end
  if binding.view then return binding.view(k.env.space) end
  if binding.place then
    return view.read(k.env.space, binding.type, binding.place({}))
  end
  return k.env.space:pointer(binding.type, binding.value({}))
end

function View:__newindex(name, value)
  local k = rawget(self, STATE)
  if k.session.options.language == "fortran" and type(name) == "string" then name = name:lower() end
  local binding = type(name) == "string" and k.env.lookup(name)
  if not binding then raise("unknown-name", nil, ("there is no variable '%s'"):format(tostring(name))) end
  if not binding.place then
    raise("type-mismatch", nil, ("'%s' cannot be assigned to here"):format(name))
  end
  local address, low, high = binding.place({})
  view.write(k.env.space, binding.type, address, value, low, high)
end

-- d "EXPR"
function View:__call(text)
  local k = rawget(self, STATE)
  if type(text) ~= "string" then raise("type-mismatch", nil, "d takes an expression as text") end
  return k.session:value(k.env, text)
end

-- ------------------------------------------------------------------------------------ the body --

-- Runs the body; errors get the place in its text.
local function run_body(session, k, body, text_node)
  if type(body) == "function" then
    return body(setmetatable({ [STATE] = k }, View))
  elseif type(body) == "table" then -- statements of the text that the construct stands in
    return session.dialect.run_body(k.env, body)
  elseif session.dialect.run_body then
    return session:within(body, k.body_file, k.body_line, session.dialect.run_body, k.env, text_node)
  end
  session:within(body, k.body_file, k.body_line, function()
    local run = statement.body(k.env, text_node)
    local frame = {}
    local ok, err = pcall(run, frame)
    if ok then return end
    if diagnostic.is(err) and not err.pos then err.pos = frame.pos end
    error(err, 0)
  end)
end

local function on_host(session, plan, body, node, place)
  local k = setmetatable({ session = session, plan = plan, private = {}, allocated = {}, where = {},
    on_host = true, env = session:host_env(), body_file = place.file, body_line = place.line }, Kernel)
  session.kernel = k
  local ok, err = pcall(run_body, session, k, body, node)
  session.kernel = false
  if not ok then error(err, 0) end
end

local function on_device(session, plan, body, node, place)
  local ctx, device = session.ctx, session.device
  local before = session.watching and session:snapshot()
  local region = session:open_region(plan, true)
  local k = setmetatable({ session = session, plan = plan, device = device, private = {},
    allocated = {}, where = region.where, body_file = place.file, body_line = place.line }, Kernel)
  k.env = kernel.env(session, k, session.device_spaces[device])
  session.kernel = k
  local ok, err = pcall(function()
    local opened, problem = ctx:journal_open(device)
    if not opened then error(session:core_error(problem, plan), 0) end
    for name, private in pairs(plan.private) do
      if not k.private[name] then private_binding(k, name, private.variable, private.how) end
    end
    run_body(session, k, body, node)
  end)
  session.kernel = false
  if ok then ok, err = pcall(region.close, region) end -- a failing end undoes the body too
  ctx:journal_close(device, ok)
  k:release()
  if not ok then
    region:abandon()
    if before then session:compare(before, true) end
    error(err, 0)
  end
end

-- acc("parallel ...", refs)(body): checks the references now, runs the body when it is given.
function kernel.construct(session, text, refs, file, line)
  local references
  if refs then
    references = session:within(refs, file, line, function()
      local list = {}
      for i, node in ipairs(session.dialect.references(session, refs)) do
        if node.tag ~= "id" then raise("syntax", node.pos, "references are names of variables") end
        if session:this_member(node.name) then node = { tag = "id", pos = node.pos, name = "this" } end
        list[i] = { name = node.name, pos = node.pos, in_text = true }
        if not session.scope.variables[node.name] then
          local near = diagnostic.closest(node.name, session.scope:names())
          raise("unknown-name", node.pos, ("there is no variable '%s'"):format(node.name),
            { length = #node.name, help = near and ("did you mean '%s'?"):format(near) })
        end
      end
      return list
    end)
  end
  return function(body, place)
    local node
    local used = references
    if session.dialect.body and type(body) ~= "function" then
      local parse, own, where = session.dialect.body, type(body) == "string", place
      if own then node, used = session:within(body, where.file, where.line, parse, session, body)
      else node, used = parse(session, body) end
      for _, r in ipairs(references or {}) do used[#used + 1] = r end
    elseif type(body) == "string" then
      node = session:within(body, place.file, place.line, grammar.parse, "body", body, 1, session.scope)
      used = statement.references(session, node)
      for _, r in ipairs(used) do r.in_text = true end
      for _, r in ipairs(references or {}) do used[#used + 1] = r end
    elseif type(body) ~= "function" then
      raise("type-mismatch", nil, "a compute construct takes a function or C text as its body")
    end
    local names = {}
    for _, r in ipairs(used or {}) do
      names[#names + 1] = r.name .. (session:visible(r.name) and "+" or "")
    end
    session:within(text, file, line, function()
      local plan = session:prepare(text, file, line, used or {}, "\0" .. table.concat(names, ","))
      local enabled = not plan.condition_value or plan.condition_value()
      return (enabled and on_device or on_host)(session, plan, body, node, place)
    end)
  end
end

return kernel
