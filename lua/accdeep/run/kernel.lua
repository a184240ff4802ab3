-- kernel.lua - executes compute constructs: the body runs on device memory, be it a Lua function, interpreted C or
-- Fortran text, or text compiled for a GPU.
--
-- Input: a plan and a body, which is text, or a Lua function whose argument is the device view. The device view gives
-- access to variables by name, as in d.x. run/directive_dispatch.lua calls kernel.construct. Variables of the body are
-- bound as a compiler would: private copies, pointers translated to device addresses by a clause that maps their
-- target, present objects.
--
--   construct -> read_body -> run_on_device.
--     open journal      records device writes, so that a failing body has no effect.
--     open_region       the construct's data environment.
--     bind_privates     private and firstprivate copies in device memory.
--     run_body          interpreted, or compiled for a GPU (backend/cuda).
--     close region, close journal (commit or undo), release private memory.
-- With a queue, run_in_queue performs the same steps, but the body is launched in the queue and runs later.
--
-- Records of this file:
--   k         a kernel: the state of one execution of a body (new_kernel); nil between kernels.
--   binding   meaning of a name in the body: {type, lvalue = function -> address, low, high}, {type, value =
--             function -> value, low, high}, {type, const} or {fn}.
--   bounds    low, high: the addresses that may be accessed through a pointer. If `low` is a table, accesses are
--             special. With the field `pieces`, each access looks up the present piece that contains it; otherwise each
--             is an error, which name, clause and unmatched explain.

local lazy = require "accdeep.base.lazy"
local api_routines = require "accdeep.run.api_routines"
local async = require "accdeep.run.async"
local c_effects = require "accdeep.sema.c.c_effects"
local c_sema = require "accdeep.sema.c.c_sema"
local core = require "accdeep.core"
local cuda = lazy.require "accdeep.backend.cuda"
local fortran_kernel = lazy.require "accdeep.backend.fortran.fortran_kernel"
local iteration_races = lazy.require "accdeep.backend.iteration_races"
local diagnostic = require "accdeep.base.diagnostic"
local captured_environment = lazy.require "accdeep.backend.captured_environment"
local local_memory = lazy.require "accdeep.backend.local_memory"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local statement = lazy.require "accdeep.backend.statement"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local memory_view = require "accdeep.backend.memory_view"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local kernel = {}

local Kernel = {}
Kernel.__index = Kernel

-- Returns the address of `size` new bytes for a private variable of the kernel: device memory, or host memory if the
-- body runs on the host. name: for messages, or nil; is_own: true for the copy that the kernel as a whole has, not one
-- of its loops. The memory lives until the body has ended. Raises if no memory is left.
function Kernel:memory(size, name, is_own)
  local session = self.session
  if self.on_host then return local_memory.new(session, name or "", nil, size).address end
  local address = session:check_result(session.ctx:device_alloc(self.device, size))
  self.allocated[#self.allocated + 1] = address
  local space = self.env.space
  if space.record then space[is_own and "add_kernel_private" or "add_private"](space, address, size, name) end
  return address
end

-- Frees the kernel's private device memory and ends the kernel: each later access by its device view raises an error.
function Kernel:release()
  for _, address in ipairs(self.allocated) do
    self.session.ctx:device_free(self.device, address)
    self.env.space.private[address] = nil
  end
  self.allocated, self.has_ended = {}, true
end

-- ------------------------------------------------------------------------------------ variables --

-- Returns the host address where the section or element begins that a clause maps for the pointer or array `name`.
-- named: name of a variable -> item of the plan (plan.named). where: name -> host address of the item. Returns nil if
-- no clause names the variable, if the clause maps the pointer itself, or if it maps only members of the pointer's
-- target.
local function start_in(session, name, named, where)
  local variable = session.now.scope.variables[name]
  local item, start = named[name], where[name]
  if not item or not start or start == variable.address and variable.type.kind == "pointer" then return nil end
  local inside = variable.type.kind == "array" and start >= variable.address
    and start < variable.address + variable.type.size
  return (inside or item.variable == name) and start or nil
end

-- Returns the host address where the data begin that a clause of kernel `k`'s construct maps for the pointer or array
-- `name`. Returns a false value if `k` or its plan is nil, or if there is no such clause (start_in).
local function start_here(session, k, name)
  return k and k.plan and start_in(session, name, k.plan.named, k.where)
end

-- Returns the host address where the section of `name` begins that the construct of kernel `k` maps (start_in). If the
-- construct maps none, or `k` is nil, the innermost open region that maps such a section decides; nil if no region
-- does. In a kernel of OpenMP, only the construct's own clauses count.
local function section_start(session, k, name)
  local own_start = start_here(session, k, name)
  -- Clauses of enclosing regions do not matter in OpenMP: the present table translates the pointer's value
  -- (OMP60-map-10).
  if own_start or k and k.plan.openmp then return own_start end
  local stack = session.device_side.regions[session.now.device]
  for i = #stack, 1, -1 do
    local start = stack[i].handle and start_in(session, name, stack[i].plan.named, stack[i].where)
    if start then return start end
  end
  return nil
end

-- Returns true if the pointer `name` is named by a clause only on the path to a member, as in p->a. The clause then
-- maps neither the pointer nor a section of its target. The clause belongs to the construct of kernel `k` or else to
-- the innermost region that names the pointer.
local function is_path_pointer(session, k, name)
  local region = not k.plan.named[name] and session:visible(name)
  local item = (region and region.plan or k.plan).named[name]
  return item ~= nil and item.variable ~= name
end

-- Returns the value of a pointer variable on the host. In a region whose use_device names the variable, the value is
-- the one that the region gives it, usually a device address.
local function pointer_value(session, variable)
  local stands_for = session.now.replaced and session.now.replaced[variable.name]
  if stands_for and stands_for.value then return (stands_for.value()) end
  return session.host_space:load(variable.address, core.scalar.pointer, 8)
end

-- Returns true if each access through a pointer with the value `value` must look up the present piece that contains it
-- (OMP60-map-4). That is so if the construct of kernel `k` maps several sections or members of the target. It is also
-- so for a structure that is partly present, if no clause of the construct maps a section for the pointer. Returns
-- false for a null pointer.
local function is_present_in_pieces(session, k, variable, value)
  local to = variable.type.to
  if value == 0 or k.plan.several[variable.name] then return value ~= 0 end
  if to.kind ~= "record" or not to.complete or start_here(session, k, variable.name) then return false end
  return session.ctx:matching(session.now.device, value)
    and session.ctx:presence(session.now.device, value, to.size) == "partly"
end

-- Returns the value of a pointer variable in the body of a target construct, then its bounds (addresses that may be
-- accessed). value: the pointer's value on the host. If a clause maps a section of the target, this section translates
-- the pointer; otherwise the present table does (OMP60-map-11). An address of the current device is returned unchanged.
-- Without a match, the result is null or `value`, as rules.unmatched says; accesses are then errors. If the target is
-- present in pieces, the result is `value`, and its bounds make each access look up its piece. Decides OMP60-map-11,
-- LLNL-3.2-02.
local function matching_pointer(session, k, variable, value)
  local device, name = session.now.device, variable.name
  -- A pointer that the body changes (k.assigned) must be a single device address, so its accesses cannot look up
  -- pieces.
  local changes = k.assigned and k.assigned[name]
  if not changes and is_present_in_pieces(session, k, variable, value) then
    return value, { name = name, pieces = true, pointer = variable.type, host = value }
  end
  local start = start_here(session, k, name) or value
  local dev, low, high = session.ctx:matching(device, start)
  if dev then return dev - (start - value), low, high end
  if value == 0 then return 0, { name = name } end
  -- A device address is used unchanged, however the program obtained it.
  if session.ctx:device_of(value) == device then return value, session.ctx:device_bounds(device, value) end
  if session.rules.unmatched == "null" then
    return 0, { name = name, unmatched = true, record = types.is_record(variable.type.to) }
  end
  return value, { name = name }
end

-- Returns the value of a pointer variable in kernel `k` (nil: between kernels), then the pointer's bounds. The value is
-- the host's value, translated to a device address if a clause maps the pointer's target. Without such a clause, an
-- address of `device` is returned unchanged. The present table also translates the value in OpenMP, between kernels,
-- and if a clause maps members of the target. If nothing translates the value, it is returned unchanged, with bounds
-- that make accesses errors.
local function translate_pointer(session, k, variable, device)
  local ctx = session.ctx
  local value = pointer_value(session, variable)
  if k and k.plan.openmp then return matching_pointer(session, k, variable, value) end
  local start = section_start(session, k, variable.name)
  local dev = start and start ~= 0 and ctx:deviceptr(device, start) or 0
  if dev == 0 then
    if value == 0 then return 0, { name = variable.name } end
    -- A device address is used unchanged, however the program obtained it.
    if ctx:device_of(value) == device then return value, ctx:device_bounds(device, value) end
    -- OpenMP's present table translates the value of a pointer without a section. In OpenACC, the present table does so
    -- only between kernels (inspection by scenarios), and if a clause maps members of the pointer's target.
    if session.rules.is_openmp then
      local device_address, low, high = ctx:matching(device, value)
      if device_address then return device_address, low, high end
    elseif not k or is_path_pointer(session, k, variable.name) then
      local device_address = ctx:deviceptr(device, value)
      if device_address ~= 0 then return device_address, ctx:device_bounds(device, device_address) end
    end
    return value, { name = variable.name }
  end
  return dev - (start - value), ctx:device_bounds(device, dev)
end

-- Makes the private copy of pointer `name` with this value and these bounds, stores its binding in k.private and
-- returns the binding. t: the pointer's type. In C text, the copy is in device memory if the body assigns to it,
-- otherwise a constant. For a Lua function, the copy is in device memory if the value is within its bounds. Raises if
-- no device memory is left.
local function pointer_copy(k, name, t, value, low, high)
  local session = k.session
  local matches = type(low) ~= "table" and (not low or value >= low and value <= high)
  local assigned = k.assigned and k.assigned[name]
  -- The bounds of the constant tell the reason if an access is an error.
  if not assigned and (k.assigned or not matches) then
    k.private[name] = { type = t, value = function() return value, low, high end }
    return k.private[name]
  end
  local address = k:memory(t.size, name, true)
  local translated = k.env.space:translate_pointer(value, low)
  k.env.space.private[address] = low and { value = translated, low = low, high = high }
  session:check_result(session.ctx:device_write(k.device, address, core.scalar.pointer, translated))
  k.private[name] = { type = t, lvalue = function() return address, address, address + t.size end }
  return k.private[name]
end

-- Returns the value of a pointer that a clause (deviceptr, firstprivate) excludes from translation, then the pointer's
-- bounds. Unless the value is an address of the current device, an access is an error that names `clause`. clause: name
-- of the clause, or nil for deviceptr.
local function untranslated_pointer(session, variable, clause)
  local value = pointer_value(session, variable)
  if session.ctx:device_of(value) == session.now.device then
    return value, session.ctx:device_bounds(session.now.device, value)
  end
  return value, { name = variable.name, clause = clause }
end

-- Makes the private copy of variable `name` for kernel `k`, stores its binding in k.private and returns the binding.
-- attribute: private (no value), firstprivate (the host's value), or matched (OpenMP's firstprivate with a translated
-- pointer). In OpenACC, pointers with firstprivate are translated, too. Raises if no device memory is left.
local function private_binding(k, name, variable, attribute)
  local session = k.session
  local t = variable.type
  if t.kind == "descriptor" then
    k.private[name] = fortran_kernel.private_copy(k, variable, attribute)
    return k.private[name]
  end
  if t.kind == "pointer" and attribute ~= "private" then
    -- OpenMP's firstprivate requests the pointer's own value; matched requests a translated one (OMP60-map-11).
    local is_untranslated = k.plan.openmp and attribute ~= "matched"
    if is_untranslated then return pointer_copy(k, name, t, untranslated_pointer(session, variable, attribute)) end
    return pointer_copy(k, name, t, translate_pointer(session, k, variable, k.device))
  end
  local address = k:memory(t.size, name, true)
  k.private[name] = { type = t, lvalue = function() return address, address, address + t.size end }
  if attribute == "private" then return k.private[name] end
  session:check_result(session.ctx:to_device(k.device, address, variable.address, t.size))
  return k.private[name]
end

-- Returns the binding of a name on the device, which the head of this file describes; nil if nothing has this name. k:
-- the kernel, or nil between kernels. pos: position in the text, for errors. Raises if a variable is not present and
-- cannot be made private.
local function lookup(session, k, name, pos)
  if k and k.private[name] then return k.private[name] end
  local ctx, device = session.ctx, session.now.device
  local member = session:this_member(name)
  local variable = member or session.now.scope.variables[name]
  if not variable then
    local value, value_type = session.now.scope:constant_named(name)
    if value then return { type = value_type, const = value } end
    local fn = session.now.scope.functions[name] or api_routines.text_routine(session, name)
    return fn and { fn = fn } or api_routines.constant_in_text(name)
  end
  local t = variable.type
  if t.kind == "descriptor" then
    return fortran_kernel.binding(session, k, variable, section_start(session, k, name))
  end
  -- A Lua function cannot change pointers in OpenACC constructs, so its pointers need no private copy.
  local has_copy = k and (k.plan.openmp or k.assigned)
  if k and k.plan.deviceptr[name] then
    if has_copy then return pointer_copy(k, name, t, untranslated_pointer(session, variable)) end
    return { type = t, value = function() return untranslated_pointer(session, variable) end }
  end
  local dev = ctx:deviceptr(device, variable.address)
  -- If clauses do not attach variables (rules.members is "mapped"), a pointer of which a section is mapped gets a
  -- private copy, even if the pointer itself is present.
  local is_own = t.kind == "pointer" and session.rules.members == "mapped" and k and not k.plan.openmp
    and start_here(session, k, name)
  if dev ~= 0 and not is_own and ctx:presence(device, variable.address, t.size) == "wholly" then
    return { type = t, lvalue = function() return dev, dev, dev + t.size end }
  end
  local mapped_start = t.kind == "array" and k and k.plan.openmp and not k.plan.several[name]
    and start_here(session, k, name)
  local part = mapped_start and ctx:present_at(device, mapped_start, false)
  -- The construct maps only a section of the array: an access to any other element is an error.
  if part then
    local low = variable.address
    return { type = t, lvalue = function()
      return low, { name = name, pieces = true, type = t, host = low, present = { part } }
    end }
  end
  if (t.kind == "record" or t.kind == "array" and (not k or k.plan.openmp))
    and ctx:presence(device, variable.address, t.size) ~= "absent" then
    -- Each access looks up the present piece that contains it (OMP60-map-12). In OpenACC, this is needed for
    -- structures, and for arrays that scenarios inspect between kernels.
    local low = variable.address
    return { type = t, lvalue = function() return low, { name = name, pieces = true, type = t, host = low } end }
  end
  if k and k.plan.looked_up and k.plan.looked_up[name] then
    return { type = t, lvalue = function(frame)
      raise("host-pointer-on-device", frame and frame.pos or pos,
        ("the reference %s holds a host address on device %d: what it stands for is not present"):format(name, device),
        { length = #name, rule = "LLNL-3.2-02", help = ("map it as a value: map(%s)"):format(name) })
    end }
  end
  if t.kind == "array" then -- A clause names a section of the array.
    local start = section_start(session, k, name)
    local at = start and start ~= 0 and ctx:deviceptr(device, start) or 0
    if at ~= 0 then
      local low, high = ctx:device_bounds(device, at)
      local address = at - (start - variable.address)
      return { type = t, lvalue = function() return address, low, high end }
    end
  end
  if k and k.plan.private[name] then
    return private_binding(k, name, variable, k.plan.private[name].attribute)
  end
  if t.kind == "pointer" and not (member and k and k.plan.openmp) then
    if has_copy and not member then return pointer_copy(k, name, t, translate_pointer(session, k, variable, device)) end
    return { type = t, value = function() return translate_pointer(session, k, variable, device) end }
  end
  -- A variable of has_device_addr must have a device address, so it is never copied.
  local needs_address = k and k.plan.device_addresses and k.plan.device_addresses[name]
  if k and t.kind == "scalar" and not needs_address and not member then
    return private_binding(k, name, variable, "firstprivate")
  end
  raise("not-present", pos, ("%s is not present on device %d"):format(member and "this->" .. name
    or ("'%s'"):format(name), device), { length = #name, rule = "ACC33-2.6.7-1",
    help = k and k.plan.openmp and ("name '%s' in a map clause"):format(name)
      or ("name '%s' in a data clause, or in the second argument of acc"):format(name) })
end

-- Returns the environment for expressions on device memory: {session, space, lookup}. k: the kernel, or nil between
-- kernels. space: the memory (backend/memory_view.lua).
function kernel.env(session, k, space)
  return { session = session, space = space, lookup = function(name, pos)
    return lookup(session, k, name, pos)
  end }
end

-- --------------------------------------------------------------------------------------- the view --

local View = { __name = "device view" }
local STATE = {}

-- Returns the kernel of the device view `self`; raises if its body has ended.
local function kernel_of(self)
  local k = rawget(self, STATE)
  if k.has_ended then
    raise("device-pointer-on-host", nil, "the compute construct of this device view has ended", {
      rule = "TR14-1.1-02", help = "read it in the compute construct, or update self first" })
  end
  return k
end

-- Returns the value of variable `name` on the device or of a constant, or a view of an array or structure. Returns nil
-- if `name` is not text; raises if no variable has this name, or if it is not present.
function View:__index(name)
  local k = kernel_of(self)
  if type(name) ~= "string" then return nil end
  name = k.session.language.normalize_name(name)
  local binding = k.env.lookup(name)
  if not binding or binding.fn then
    raise("unknown-name", nil, ("there is no variable '%s'"):format(name),
      { help = diagnostic.suggest(name, k.session.now.scope:names()) })
  end
  if binding.const then return binding.const end
  if binding.view then return binding.view(k.env.space) end
  if binding.lvalue then
    return memory_view.read(k.env.space, binding.type, binding.lvalue({}))
  end
  return k.env.space:pointer(binding.type, binding.value({}))
end

-- Assigns `value` to variable `name` on the device. Raises for unknown names, constants, const variables and pointers
-- without memory.
function View:__newindex(name, value)
  local k = kernel_of(self)
  name = type(name) == "string" and k.session.language.normalize_name(name) or name
  local binding = type(name) == "string" and k.env.lookup(name)
  if not binding then raise("unknown-name", nil, ("there is no variable '%s'"):format(tostring(name))) end
  if not binding.lvalue then
    raise("type-mismatch", nil, ("'%s' cannot be assigned to here"):format(name))
  end
  c_sema.constness(k.session, name)
  local address, low, high = binding.lvalue({})
  memory_view.write(k.env.space, binding.type, address, value, low, high)
end

-- Returns the value of the expression `text` on the device: d "EXPR". Raises if `text` is not a string, and for errors
-- of the expression.
function View:__call(text)
  local k = kernel_of(self)
  if type(text) ~= "string" then raise("type-mismatch", nil, "d takes an expression as text") end
  return k.session:value(k.env, text)
end

-- ------------------------------------------------------------------------------------ the body --

-- Returns the variables that a C body may change, as keys of a table. The body assigns to these variables, takes their
-- address, or names them in a clause that writes them at the end (lastprivate, reduction). body: AST of the body.
local function assigned_variables(body)
  local set = {}
  ast.visit(body, function(node)
    for _, copy in ipairs(node.tag == "private" and node.copies or {}) do
      if copy.lasts or copy.op then set[copy.name] = true end
    end
    local to = c_effects.assignment_target(node) or node.tag == "unary" and node.op == "&" and node.e
    if to and to.tag == "id" then set[to.name] = true end
  end)
  return set
end

-- Returns the text of a body that is text: a string, or a table {text, ...} if it was parsed before.
local function text_of(body) return type(body) == "table" and body.text or body end

-- Returns true if a body is text that a GPU may compile as a kernel, that is C; false for Fortran text and a Lua
-- function. Directives in such a text are analysed together with the text.
local function is_compiled(session, body) return type(body) ~= "function" and session.language.is_compiled end

-- Calls fn({text, file, line}) for the text of kernel `k`'s body, and returns fn's results. Errors that fn raises are
-- located in this text. body: not a Lua function.
function kernel.with_text_positions(session, k, body, fn)
  local text = text_of(body)
  return session:with_text(text, k.body_file, k.body_line, fn, { text = text, file = k.body_file, line = k.body_line })
end

-- Runs a body for kernel `k` and returns the body's results. A Lua function receives the device view. text_node: AST of
-- a body that is text; nil for a Lua function. Errors in a body of text are located in that text.
local function run_body(session, k, body, text_node)
  if type(body) == "function" then
    cuda.report_interpreted(k, "it is a function of Lua")
    return body(setmetatable({ [STATE] = k }, View))
  end
  return session.language.run_body(session, k, body, text_node)
end

-- Runs a body on host memory, then releases the body's private variables. node: AST of the body, nil for a Lua
-- function. location: {file, line} of the body. directives: true to allow calls of directives in a Lua function or
-- Fortran text; directives in C text were analysed with the text. Raises the body's error.
function kernel.run_on_host(session, plan, body, node, location, directives)
  local k = setmetatable({ session = session, plan = plan, private = {}, allocated = {}, where = {}, on_host = true,
    env = session:host_env(), body_file = location.file, body_line = location.line }, Kernel)
  local block_count = #session.now.private_blocks
  local is_kernel_body = not directives or is_compiled(session, body)
  local fields = { kernel = is_kernel_body and k or session.now.kernel }
  local ok, err = pcall(with_fields, session.now, fields, run_body, session, k, body, node)
  local_memory.release(session, block_count)
  k.has_ended = true
  if not ok then error(err, 0) end
end

-- Returns true if the accesses of a body are recorded to find data races. A GPU that compiles the body does not record
-- them; if the scenario expects an error, the body is interpreted. node: AST of the body, nil for a Lua function.
local function checks_races(session, body, node)
  local has_loops = node and (node.has_parallel or node.list and node.list.has_parallel)
  return has_loops and session.rules.races == "reported" and (session.now.expects_failure
    or not is_compiled(session, body) or not cuda.compiles(session, session.now.device))
end

-- Returns a new kernel for an open region. node: AST of the body, nil for a Lua function; location: {file, line} of the
-- body.
local function new_kernel(session, plan, region, body, node, location)
  local k = setmetatable({ session = session, plan = plan, device = session.now.device, private = {},
    allocated = {}, where = region.where, body_file = location.file, body_line = location.line }, Kernel)
  if is_compiled(session, body) then k.assigned = assigned_variables(node) end
  -- Pointer spaces keep track of pointers that a Lua function stores.
  local side = session.device_side
  local space = (type(body) == "function" and side.pointer_spaces or side.spaces)[k.device]
  if checks_races(session, body, node) then space = iteration_races.new(space, k) end
  k.env = kernel.env(session, k, space)
  return k
end

-- Makes the private copies that clauses request (plan.private) and that kernel `k` does not have yet. Raises if no
-- device memory is left.
local function bind_privates(k)
  for name, private in sorted_pairs(k.plan.private) do
    if not k.private[name] then private_binding(k, name, private.variable, private.attribute) end
  end
end

-- Runs the body of kernel `k` in its captured environment when its queue reaches the kernel, then releases the kernel.
-- was_run: true if a GPU kernel has executed the body already, so that only the release is left. If the body fails, its
-- device writes are undone and its error is raised.
local function run_later(k, body, node, was_run)
  if was_run then return k:release() end
  local session, ctx = k.session, k.session.ctx
  local ok, err = ctx:journal_open(k.device)
  if ok then ok, err = pcall(k.captured_environment.run, k.captured_environment, run_body, session, k, body, node)
  else err = session:core_error(err, k.plan) end
  ctx:journal_close(k.device, ok)
  k:release()
  if not ok then error(err, 0) end
end

-- Launches the body of kernel `k` in its queue: as a GPU kernel if the device can start one, otherwise as a task that
-- interprets it later. region: the core's handle of the open region. Returns true; or nil and the core's error.
local function leave_to_queue(session, k, body, node, region)
  -- Ends the kernel when its queue reaches it; see run_later.
  local function finish(was_run) run_later(k, body, node, was_run) end
  local may_compile = session.device_side.concurrent and not k.env.space.record
  local started = may_compile and kernel.with_text_positions(session, k, body, function(location)
    statement.body(k.env, node)
    return cuda.start(k, node, location, region, finish)
  end)
  if started then return true end
  return session.ctx:launch(region, finish, k.captured_environment.uses)
end

-- Executes a compute construct whose body runs later in `queue`. The construct's data environment opens and closes now.
-- used: variables that the body uses, whose values at this moment are kept for the body (captured_environment.lua).
-- Raises if a step fails; the construct then has no effect.
local function run_in_queue(session, plan, body, node, location, used, queue)
  local snapshot = session.now.expects_failure and session:snapshot()
  local region = session:open_region(plan, true, queue)
  local k = new_kernel(session, plan, region, body, node, location)
  local ok, err = pcall(with_fields, session.now, { kernel = k }, function()
    bind_privates(k)
    k.captured_environment = captured_environment.capture(k, type(body) ~= "function" and used)
  end)
  if ok then
    local done, problem
    ok, done, problem = pcall(leave_to_queue, session, k, body, node, region.handle)
    err = not ok and done or problem and session:core_error(problem, plan)
    ok = ok and done
  end
  if ok then ok, err = pcall(region.close, region) end
  if ok then return end
  region:abandon() -- this also drops the construct from the queue
  k:release()
  if snapshot then session:compare(snapshot, true) end
  error(err, 0)
end

-- Raises if num_gangs is less than 1. sizes: list of {name, e}, with the AST of the number in `e` (plan.sizes). Decides
-- ACC33-2.5.10-1.
local function check_sizes(session, sizes)
  for _, size in ipairs(sizes) do
    local value = session.language.integer(session, size.e)
    if value < 1 and size.name == "num_gangs" then
      raise("type-mismatch", size.e.pos, ("num_gangs is %d: at least one gang executes a construct"):format(value),
        { rule = "ACC33-2.5.10-1" })
    end
  end
end

-- Executes a compute construct on the current device: at once, or later in its queue. The construct runs later if it
-- has a queue and either the session delays queued work, or a concurrent device can run the compiled body. node: AST of
-- the body, nil for a Lua function; location: {file, line} of the body; used: variables that the body uses. If a step
-- fails, the construct's effects are undone and the error is raised.
local function run_on_device(session, plan, body, node, location, used)
  local ctx, device = session.ctx, session.now.device
  if plan.sizes then check_sizes(session, plan.sizes) end
  local queue = plan.ordered and async.order(session, plan) or 0
  -- goes_on: true if the device executes the compiled body while the program continues.
  local goes_on = session.device_side.concurrent and is_compiled(session, body) and cuda.compiles(session, device)
  if queue ~= 0 and (session.device_side.delayed or goes_on) then
    return run_in_queue(session, plan, body, node, location, used, queue)
  end
  -- The body must see the results of pending transfers, so all queues of the device complete first.
  if session.device_side.concurrent then async.wait(session, device, 0) end
  local snapshot = session.now.expects_failure and session:snapshot()
  local journal, problem = ctx:journal_open(device)
  session:check_result(journal, problem, plan)
  local opened, region = pcall(session.open_region, session, plan, true, queue)
  if not opened then
    ctx:journal_close(device, false)
    error(region, 0)
  end
  local k = new_kernel(session, plan, region, body, node, location)
  session.now.kernel = k
  local ok, err = session:attempt(function()
    bind_privates(k)
    run_body(session, k, body, node)
  end)
  session.now.kernel = false
  -- If the exit of the region fails, closing the journal with `ok` false also undoes the body's writes.
  if ok then ok, err = pcall(region.close, region) end
  ctx:journal_close(device, ok)
  k:release()
  if not ok then
    region:abandon()
    if snapshot then session:compare(snapshot, true) end
    error(err, 0)
  end
end

-- Returns the variables that `refs`, the second argument of acc, names: {name, pos, in_text}; nil if refs is nil. file,
-- line: location of refs. Raises for unknown names, and for anything that is not a name.
function kernel.references(session, refs, file, line)
  return refs and session:with_text(refs, file, line, function()
    local list = {}
    for i, node in ipairs(session.language.parse(session, "references", refs)) do
      if node.tag ~= "id" then raise("syntax", node.pos, "references are names of variables") end
      if session:this_member(node.name) then node = { tag = "id", pos = node.pos, name = "this" } end
      list[i] = { name = node.name, pos = node.pos, in_text = true }
      if not session.now.scope.variables[node.name] then
        session.now.scope:no_variable(node)
      end
    end
    return list
  end)
end

-- Returns the AST of a body (nil for a Lua function) and the list of variables that the body uses, references included.
-- references: result of kernel.references. construct: {node, on, location}: the AST of the directive, where the body
-- runs ("host", "omp", "acc"), and the directive's location.
function kernel.read_body(session, body, location, references, construct)
  if type(body) == "function" then return nil, references or {} end
  local node, used = session.language.read_body(session, body, location, construct)
  for _, r in ipairs(references or {}) do used[#used + 1] = r end
  return node, used
end

-- Returns the function that acc("parallel ...", refs) returns: it takes a body, and its location {file, line} if this
-- differs from the directive's, and runs the body. node: AST of the directive; on: "acc" or "omp".
-- with_plan(references, is_text, run) calls run(plan, enabled) with the construct's plan; enabled: false if the host
-- runs the body. is_text: true for a body that is text, all of whose variables are then in `references`. Raises at once
-- for unknown names in refs.
function kernel.construct(session, text, refs, file, line, with_plan, node, on)
  local construct = { node = node, on = on, location = { text = text, file = file, line = line } }
  local references = kernel.references(session, refs, file, line)
  return function(body, location)
    location = location or { file = file, line = line }
    local root, used = kernel.read_body(session, body, location, references, construct)
    session:with_text(text, file, line, with_plan, used, type(body) ~= "function", function(plan, enabled)
      if enabled then return run_on_device(session, plan, body, root, location, used) end
      return kernel.run_on_host(session, plan, body, root, location)
    end)
  end
end

return kernel
