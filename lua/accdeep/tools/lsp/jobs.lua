-- jobs.lua - work in child processes: a check that never ends, or takes all memory, ends with its process, and the
-- server continues. A child gets a copy of the server's state, and writes its result to a file as JSON.

local core = require "accdeep.core"
local dkjson = require "dkjson"
local shell_command = require "accdeep.tools.shell_command"
local system = require "accdeep.system"

local jobs = {}

local Queue = {}
Queue.__index = Queue

local MOST_CHILDREN = 2 -- limit of processes at a time

-- Returns an empty queue. `folder`: of the temporary files of children.
function jobs.queue(folder)
  return setmetatable({ folder = folder, waiting = {}, running = {} }, Queue)
end

-- Adds a job {key, run, done, seconds, delay}, and removes the job with the same key. run() is called in a child, and
-- returns plain data. done(result) is called in this process; result is nil if the job was cancelled, failed, or took
-- more than `seconds`. The second argument of `done` is then "cancelled", "failed" or "late". `delay`: seconds before
-- the job starts.
function Queue:add(job)
  self:cancel(job.key)
  job.start = core.clock() + (job.delay or 0)
  table.insert(self.waiting, job)
end

-- Removes the job with this key, and ends its process.
function Queue:cancel(key)
  for i = #self.waiting, 1, -1 do
    local job = self.waiting[i]
    if job.key == key then
      table.remove(self.waiting, i)
      job.done(nil, "cancelled")
    end
  end
  for _, job in pairs(self.running) do
    if job.key == key and not job.reason then
      job.reason = "cancelled"
      system.kill(job.pid)
    end
  end
end

-- Starts a job in a child.
local function start(self, job)
  local pipe = assert(io.tmpfile())
  job.deadline, job.pipe = core.clock() + job.seconds, pipe
  job.pid = system.fork()
  if job.pid == 0 then
    system.redirect(0, "/dev/null")
    system.redirect(1, "/dev/null") -- standard output belongs to the protocol
    shell_command.parent = self.folder
    local ok, result = pcall(job.run)
    pipe:write(ok and dkjson.encode { result = result } or dkjson.encode { failure = tostring(result) })
    pipe:flush()
    system.exit(0)
  end
  self.running[job.pid] = job
end

-- Ends the job of a child that has ended: reads its result and calls `done`.
local function finish(self, pid)
  local job = self.running[pid]
  if not job then return end
  self.running[pid] = nil
  job.pipe:seek "set"
  local answer = not job.reason and dkjson.decode(job.pipe:read "a", 1, nil, nil, nil)
  job.pipe:close()
  if answer and answer.result ~= nil then
    job.done(answer.result)
  else
    job.done(nil, job.reason or "failed", answer and answer.failure)
  end
end

-- Starts and ends what can be, without waiting. Returns the number of seconds after which it has to be called again;
-- nil if there is nothing to do.
function Queue:step()
  local pid = system.wait(0)
  while pid do
    finish(self, pid)
    pid = system.wait(0)
  end
  local now, n, soonest = core.clock(), 0, nil
  for _, job in pairs(self.running) do
    n = n + 1
    if now > job.deadline and not job.reason then
      job.reason = "late"
      system.kill(job.pid)
    end
  end
  local i = 1
  while self.waiting[i] do
    local job = self.waiting[i]
    if n >= MOST_CHILDREN then break end
    if job.start <= now then
      table.remove(self.waiting, i)
      start(self, job)
      n = n + 1
    else
      soonest = math.min(soonest or math.huge, job.start - now)
      i = i + 1
    end
  end
  if n > 0 then return 0.01 end
  return soonest
end

-- Ends all jobs; their `done` is not called.
function Queue:close()
  for pid in pairs(self.running) do system.kill(pid) end
  while next(self.running) do
    local pid = system.wait()
    if not pid then break end
    self.running[pid] = nil
  end
end

return jobs
