-- checkpoint.lua - a session at one moment, to go back to: the core's context with its devices, host memory, and what
-- the session knows of regions and blocks. The session was opened with options.checkpoints. Plans that are prepared in
-- between stay, and so do declarations.

local core = require "accdeep.core"

local checkpoint = {}

local function copy(t)
  local made = {}
  for key, value in next, t do made[key] = value end
  return made
end

-- Makes a table what it was when it was copied.
local function become(t, was)
  for key in next, t do
    if was[key] == nil then t[key] = nil end
  end
  for key, value in next, was do t[key] = value end
end

-- The tables of a session that programs change.
local function tables_of(self)
  local program, side = self.program, self.device_side
  local list = { self.now, side.entered, program.target_variables, program.target_blocks, program.quarantine }
  for device = 0, self.devices - 1 do list[#list + 1] = side.regions[device] end
  return list
end

local Session = {} -- methods that sessions get

-- --------------------------------------------------------------------------------------- memory --

-- Host memory of a session with checkpoints is one range, from which blocks are taken in order, and which restore makes
-- shorter again. So a program has its blocks in the same order and at the same distances wherever it runs.

local ROOM, GAP = 64 << 20, 16 -- bytes; the address behind a block is not that of the next one

-- Zeroed memory of the host, or nil.
function Session:allocate_host(bytes)
  if not self.options.checkpoints then return core.malloc(bytes) end
  local heap = self.program.heap or { start = core.malloc(ROOM), used = 0, touched = 0 }
  if not heap.start or bytes > ROOM - GAP - heap.used then return nil end
  self.program.heap = heap
  local address, at = heap.start + heap.used, heap.used
  heap.used = at + (bytes + 15 & ~15) + GAP
  if at < heap.touched then core.put(address, ("\0"):rep(bytes)) end
  heap.touched = math.max(heap.touched, heap.used)
  return address
end

function Session:close_heap()
  if self.program.heap then core.free(self.program.heap.start) end
  self.program.heap = false
end

-- --------------------------------------------------------------------------------------- states --

-- What the session is now. It is given back to restore as often as one likes.
function Session:checkpoint()
  local cp = self:check_result(self.ctx:checkpoint())
  local tables, live = tables_of(self), {}
  for i, t in ipairs(tables) do tables[i] = copy(t) end
  for address, block in next, self.program.blocks do live[address] = block.live end
  return { core = cp, tables = tables, live = live, used = self.program.heap and self.program.heap.used or 0,
    group_scope = self.program.group_scope,
    has_detached = self.device_side.has_detached, default_async = self.device_side.default_async }
end

-- Blocks that were made since are freed, and those that were freed since are live again.
local function restore_blocks(self, live, used)
  for address, block in next, self.program.blocks do
    if live[address] == nil then
      self:give_back(address)
    else
      block.live = live[address]
    end
  end
  if self.program.heap then self.program.heap.used = used end
end

-- The session is again what it was.
function Session:restore(made)
  restore_blocks(self, made.live, made.used)
  self.ctx:restore(made.core)
  for i, t in ipairs(tables_of(self)) do become(t, made.tables[i]) end
  for device = 0, self.devices - 1 do
    for _, region in ipairs(self.device_side.regions[device]) do region.closed = nil end
  end
  self.program.group_scope = made.group_scope
  self.device_side.has_detached, self.device_side.default_async = made.has_detached, made.default_async
end

-- Adds to sessions what they do with checkpoints.
function checkpoint.extend(class)
  for name, method in pairs(Session) do class[name] = method end
end

return checkpoint
