-- async.lua - async and wait: selects the queue of a directive's work, and orders queues. `self` is the session.
--
-- Queues belong to the core, by async value and device. Presence and counters change at the directive (ACC33-2.6.7-4),
-- while transfers, kernels and the freeing of memory are tasks of the queue. The session's mode decides when queued
-- tasks run:
--   program      at once; only arguments are checked here.
--   delayed      when the program waits.
--   concurrent   starts at the directive, where the device can run by itself, and ends at the wait.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local async = {}

local NOVAL, SYNC, DEFAULT = core.constants.acc_async_noval, core.constants.acc_async_sync, -3
async.constants = { acc_async_noval = NOVAL, acc_async_sync = SYNC, acc_async_default = DEFAULT }
async.modes = { program = true, delayed = true, concurrent = true }

-- Returns `value`; raises if it is not an async value. Decides ACC33-async-1.
local function check_value(value, pos)
  if not core.is_async_value(value) then
    raise("invalid-async", pos, ("%d is not an async value"):format(value), { rule = "ACC33-async-1",
      help = "a number from 0 on, acc_async_noval or acc_async_sync" })
  end
  return value
end

-- Returns the queue of an async value on a device (nil: the current one); 0: the work is synchronous. Raises if the
-- value is invalid, or no memory is left. pos: position for errors, or nil.
function async.queue(self, value, device, pos)
  value = check_value(value, pos)
  if value == NOVAL then value = self.device_side.default_async end
  if value == SYNC then return 0 end
  return self:check_result(self.ctx:queue(device or self.now.device, value))
end

-- Completes a call of the core, whose results are `ok` and `err`: reports new events to observers, then returns `ok`.
-- If `ok` is nil, the call failed, and its error `err` is raised. If a Lua function that a queue ran, such as the body
-- of a kernel, caused the failure, raises the error object of that function instead.
local function finish(self, ok, err)
  -- Events before the failure are reported as well.
  if self.device_side.is_observed then self:notify_events() end
  if ok ~= nil then return ok end
  -- The kernel's own error has its location already.
  if err.code == "callback" then error(err.cause, 0) end
  self:check_result(nil, err)
end

-- Waits until the work of a queue of a device is complete; queue 0: the work of all queues of the device. Raises errors
-- of queued work.
function async.wait(self, device, queue)
  finish(self, self.ctx:queue_wait(device, queue))
end

-- Waits for all queues of all devices. Raises errors of queued work.
function async.finish(self)
  for device = 0, self.devices - 1 do async.wait(self, device, 0) end
end

-- Returns true if `queue` of a device has no pending work, otherwise false. Queue 0 stands for all queues of the
-- device. Raises errors of queued work. Decides ACC33-async-5.
function async.test(self, device, queue)
  return finish(self, self.ctx:queue_test(device, queue))
end

-- Makes `queue` of the current device wait for the work queued on `other` of `device`; other 0: for the work of every
-- queue of `device`. Raises the core's error.
function async.order_after(self, queue, device, other)
  local others = { other }
  if other == 0 then others = self.ctx:queues(device) end
  for number in ipairs(others) do
    finish(self, self.ctx:queue_after(self.now.device, queue, device, other ~= 0 and other or number))
  end
end

-- Makes `queue` of the current device wait for the queue `other` of `device`, and reports the wait. queue 0: the
-- program waits; other 0: the wait is for all queues of `device`. at: {file, line} of the directive or call. Raises
-- errors of queued work.
function async.wait_at(self, at, queue, device, other)
  if queue ~= 0 then async.order_after(self, queue, device, other) else async.wait(self, device, other) end
  self.ctx:waited(self.now.device, queue, device, other, at.file, at.line)
  if self.device_side.is_observed then self:notify_events() end
end

-- Returns the device of the queues in a wait argument; without devnum, the current device. Raises if there is no such
-- device.
local function device_of(self, waiting)
  if not waiting.devnum then return self.now.device end
  local number = self.language.integer(self, waiting.devnum)
  if number < 0 or number >= self.devices then
    raise("no-device", waiting.devnum.pos, ("there is no device %d; devices are 0 to %d"):format(number,
      self.devices - 1), { rule = "ACC33-async-3" })
  end
  return number
end

-- Makes `queue` wait for the queues in a wait argument {queues, devnum}, or for all queues if it names none. queue 0:
-- the host waits. Raises for wrong numbers, and errors of queued work. Decides ACC33-async-3.
function async.wait_for(self, waiting, queue)
  local device = device_of(self, waiting)
  local queues = {}
  for i, node in ipairs(waiting.queues) do
    queues[i] = async.queue(self, self.language.integer(self, node), device, node.pos)
  end
  if #queues == 0 then queues[1] = 0 end
  for i, other in ipairs(queues) do
    local synchronous = other == 0 and waiting.queues[i] -- acc_async_sync: there is nothing to wait for
    if not synchronous then async.wait_at(self, self.now.current or {}, queue, device, other) end
  end
end

-- Returns the queue of a plan (0: synchronous). First makes this queue, or the host if synchronous, wait as the plan's
-- wait clauses request. Raises for wrong numbers, and errors of queued work. Decides TR14-4.3-19, ACC33-async-2.
function async.order(self, plan)
  local clause, queue = plan.async, 0
  if clause then
    queue = async.queue(self, clause.e and self.language.integer(self, clause.e) or NOVAL, nil,
      clause.e and clause.e.pos or clause.pos)
  end
  for _, waiting in ipairs(plan.waits or {}) do async.wait_for(self, waiting, queue) end
  return queue
end

-- Sets the queue for async clauses without an argument. acc_async_default restores the initial queue; acc_async_noval
-- has no effect. acc_async_sync makes the work of such clauses synchronous. Raises for other negative values. Decides
-- ACC33-async-1.
function async.set_default(self, value, pos)
  if value == NOVAL then return end
  self.device_side.default_async = value == DEFAULT and NOVAL or check_value(value, pos)
end

-- Calls fn(...) so that its constructs and copies run in the queue of an async value, on the current device. Returns
-- fn's results. Raises if the value is invalid.
function async.with_queue(self, value, fn, ...)
  return with_fields(self.now, { queue = async.queue(self, value) }, fn, ...)
end

return async
