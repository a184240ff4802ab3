-- region.lua - structured regions of a session: data regions that a directive opens. A call, the end of a body, or the
-- end of a Lua scope closes a region.
--
--   life:  region.open -> on the device's stack -> close (exit actions) or abandon (no copies) -> off the stack.
-- Invariant: regions of a device are closed in the reverse order of their opening.
--
-- Functions with a parameter `self` get the session; methods of Region get the region.

local lazy = require "accdeep.base.lazy"
local changed_bounds = require "accdeep.run.changed_bounds"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_kernel = lazy.require "accdeep.backend.fortran.fortran_kernel"
local clause_groups = require "accdeep.types.clause_groups"
local location = require "accdeep.base.location"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local raise = diagnostic.raise

local region = {}

local Region = {}
Region.__index = Region
Region.__name = "region"

-- Closes the region with its exit actions and leaves its scope of clause groups. Raises if the region is closed
-- already, if an inner region is open, or if the core fails; after an error, the region is still open.
function Region:close()
  local owner = self.session
  if self.closed then
    raise("region-nesting", nil, ("the region was closed already, at %s"):format(self.closed_at or "its end"),
      { rule = "DIR-4.3-06" })
  end
  local stack = owner.device_side.regions[self.device]
  if stack[#stack] ~= self then
    local inner = stack[#stack]
    raise("region-nesting", nil, ("another region, opened at %s:%d, is still open inside this one"):format(
      inner.file or "?", inner.line or 0), { rule = "DIR-4.3-06", help = "close the inner one first" })
  end
  -- A region with a false condition has no handle: its data are not mapped.
  if self.handle then
    local warn = self.bounds and changed_bounds.check_at_end(owner, self.plan, self.bounds)
    local notify_end = owner.observers.construct and owner.observers.construct(owner, self.plan, true)
    local snapshot = owner.now.expects_failure and owner:snapshot()
    owner:may_detach()
    local ok, err = self.handle:close()
    if not ok then
      if notify_end then notify_end(err) end
      if snapshot then owner:compare(snapshot) end
      local located_error = owner:core_error(err, nil)
      location.locate_error(located_error, nil, self.file, self.line)
      local file, line = location.scenario(2)
      if file and line ~= self.line then
        located_error.notes = { ("at the end of the region, %s:%d"):format(file, line) }
      end
      located_error.callers = location.callers(file, line)
      error(located_error, 0)
    end
    if owner.device_side.is_observed then owner:notify_events() end
    if notify_end then notify_end() end
    if warn then warn() end
  end
  stack[#stack] = nil
  self.closed = true
  clause_groups.leave_scope(owner, self.scope)
  if self.undo then self.undo() end
  local file, line = location.scenario(2)
  self.closed_at = file and ("%s:%d"):format(file, line)
end

-- Calls `body`, then closes the region, also if the body raises. If the body raises and closing fails, too, the region
-- is abandoned. Raises the body's error, an error of closing, or an error if `body` is not a function.
function Region:__call(body)
  if type(body) ~= "function" then
    raise("type-mismatch", nil, "a data region takes a function as its body")
  end
  if self.closed then self:close() end -- raises the error for a closed region
  local ok, err = self.session:attempt(body)
  if ok then
    if not self.closed then self:close() end
    return
  end
  if not self.closed then
    local closed = pcall(self.close, self)
    if not closed then self:abandon() end
  end
  error(err, 0)
end

-- Closes the region at the end of the scope of a `<close>` variable, unless it is closed already.
Region.__close = function(self)
  if not self.closed then self:close() end
end

-- Removes the region and all regions inside it from the stack, without copying data to the host. Does nothing if the
-- region is closed already.
function Region:abandon()
  local stack = self.session.device_side.regions[self.device]
  if self.closed then return end
  while #stack > 0 do
    local top = table.remove(stack)
    top.closed = true
    clause_groups.leave_scope(top.session, top.scope)
    if top.undo then top.undo() end
    if top.handle then top.handle:abandon() end
    if top == self then break end
  end
  if self.session.device_side.is_observed then self.session:notify_events() end
end

-- Opens the region of a plan, executes its entry actions and returns the region. enabled: false if the directive's
-- condition is false; the region then has no effect. queue: the plan's queue if already known, otherwise nil. Raises
-- the core's error; no region is open then.
function region.open(self, plan, enabled, queue)
  local new_region = setmetatable({ session = self, device = self.now.device, plan = plan, file = plan.file,
    line = plan.line, where = {} }, Region)
  if enabled then
    new_region.handle = self:run(plan, queue)
    new_region.bounds = plan.watched and changed_bounds.current_bounds(plan) or nil
    for name, item in pairs(plan.named) do
      new_region.where[name] = item.number and (plan.construct:where(item.number)) or 0
    end
  end
  table.insert(self.device_side.regions[self.now.device], new_region)
  new_region.scope = clause_groups.enter_scope(self) -- clause groups that the body declares end with the region
  return new_region
end

-- Binds the names of use_device clauses to device addresses in now.replaced; opened_region.undo() removes the bindings.
-- names: list of {variable, start, by_address, pos} (plan.use_device); start: function that returns a section's
-- address, or nil. if_present: true to leave names of absent data unbound, so that they keep host addresses; otherwise
-- absent data raise. A null pointer stays unbound. In OpenMP, a pointer without a match becomes null if
-- rules.use_device is "null".
local function use_device(self, opened_region, names, if_present)
  local previous = self.now.replaced
  local replaced = setmetatable({}, previous and { __index = previous } or nil)
  local ctx, device = self.ctx, self.now.device
  for _, item in ipairs(names) do
    local variable = item.variable
    local t, address = variable.type, variable.address
    local descriptor_binding = t.kind == "descriptor" and fortran_kernel.use_device(self, variable)
    if descriptor_binding then address = descriptor_binding.host end
    local by_value = t.kind == "pointer" and (item.start or not item.by_address)
    if by_value then address = self.host_space:load(variable.address, t.code, t.size) end
    local start = item.start and item.start() or address -- the section's first byte, since a[0] may be absent
    local dev, low, high
    local is_null = false
    -- A pointer without a section is translated as in a body in which no clause names it (OMP60-map-10).
    if by_value and opened_region.plan.openmp and not item.start then
      dev, low, high = ctx:matching(device, start)
      is_null = not dev and self.rules.use_device == "null"
    else
      dev = start ~= 0 and ctx:deviceptr(device, start) or 0
      low, high = ctx:device_bounds(device, dev)
    end
    if is_null then
      replaced[variable.name] = { type = t, value = function() return 0 end, dev = 0 }
    elseif dev and dev ~= 0 then
      dev = dev - (start - address)
      local function at() return dev, low, high end
      local binding = descriptor_binding or by_value and { type = t, value = at } or { type = t, lvalue = at }
      binding.dev = dev
      replaced[variable.name] = binding
    elseif address ~= 0 and not if_present then
      raise("not-present", item.pos, ("%s is not present on device %d"):format(
        t.kind == "pointer" and "what " .. variable.name .. " points to" or variable.name, device),
        { length = #variable.name, rule = "ACC33-hd-1" })
    end
  end
  self.now.replaced = replaced
  opened_region.undo = function() self.now.replaced = previous end
end

-- Binds the names of use_device clauses (see use_device above) until the region closes. Returns the region. If this
-- fails, abandons the region and raises the error.
function region.using(opened_region, names, if_present)
  local ok, err = pcall(use_device, opened_region.session, opened_region, names, if_present)
  if ok then return opened_region end
  opened_region:abandon()
  error(err, 0)
end

-- Returns an iterator over the names that open regions bind to device addresses, sorted by name: name, address.
function region.replaced_names(self)
  local addresses, layer = {}, self.now.replaced or nil
  while layer do
    for name, binding in next, layer do addresses[name] = addresses[name] or binding.dev end
    layer = (getmetatable(layer) or {}).__index
  end
  return sorted_pairs(addresses)
end

-- Closes the innermost region of the current device whose plan has this `kind` ("region", "host data") and language.
-- is_openmp: true if the end directive is one of OpenMP. Raises if there is no such region, or if it cannot be closed
-- because a region inside it is open.
function region.close_innermost(self, pos, kind, is_openmp)
  local stack, other = self.device_side.regions[self.now.device], nil
  for i = #stack, 1, -1 do
    local plan = stack[i].plan
    if plan.kind == kind and not plan.openmp == not is_openmp then return stack[i]:close() end
    if plan.kind == kind then other = is_openmp and 'acc "end data"' or 'omp "end target data"' end
  end
  local name = kind ~= "region" and "host_data" or is_openmp and "target data" or "data"
  raise("region-nesting", pos, ("there is no open %s region to end"):format(name), {
    rule = kind == "region" and "DIR-4.3-06" or "ACC33-hd-1",
    help = other and ("the open one is ended by %s"):format(other) })
end

return region
