-- checkpoint.lua - saves and restores the state of a session: the core's context with its devices, open regions, and
-- blocks of host memory. tools/explore uses it.
--
-- The session must be opened with options.checkpoints. Plans and declarations made after a checkpoint remain when it is
-- restored.

local core = require "accdeep.core"

local checkpoint = {}

-- Returns a shallow copy of the table `t`.
local function copy(t)
  local duplicate = {}
  for key, value in next, t do duplicate[key] = value end
  return duplicate
end

-- Sets the fields of the table `t` to those of `contents`, an earlier copy; removes all other fields.
local function become(t, contents)
  for key in next, t do
    if contents[key] == nil then t[key] = nil end
  end
  for key, value in next, contents do t[key] = value end
end

-- Returns the list of the tables of a session that executed directives change, always in the same order. `self` is the
-- session.
local function tables_of(self)
  local program, side = self.program, self.device_side
  local list = { self.now, side.entry_bounds, program.target_variables, program.target_blocks, program.quarantine }
  for device = 0, self.devices - 1 do list[#list + 1] = side.regions[device] end
  return list
end

local Session = {} -- methods of sessions

-- --------------------------------------------------------------------------------------- memory --

-- Host memory of a session with checkpoints is one range. Blocks are taken from the start of this range onwards, and
-- Session:restore sets back the end of the used part. Blocks of a program therefore have the same order and distances
-- in each run.

local ROOM, GAP = 64 << 20, 16 -- bytes; the gap keeps the end of a block distinct from the start of the next block

-- Returns the address of zeroed host memory; nil if no memory is left.
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

-- Frees the heap, the range that holds all blocks. Does nothing if there is none.
function Session:close_heap()
  if self.program.heap then core.free(self.program.heap.start) end
  self.program.heap = false
end

-- --------------------------------------------------------------------------------------- states --

-- Returns a checkpoint of the session, which can be restored any number of times. Raises the core's error.
function Session:checkpoint()
  local cp = self:check_result(self.ctx:checkpoint())
  local tables, live = tables_of(self), {}
  for i, t in ipairs(tables) do tables[i] = copy(t) end
  for address, block in next, self.program.blocks do live[address] = block.live end
  return { core = cp, tables = tables, live = live, used = self.program.heap and self.program.heap.used or 0,
    group_scope = self.program.group_scope,
    has_detached = self.device_side.has_detached, default_async = self.device_side.default_async }
end

-- Frees blocks made since the checkpoint, and marks blocks that were freed since then as live again. live: address ->
-- true or false, for a block that was live or freed at the checkpoint; used: bytes of the heap then.
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

-- Restores the session to `saved_state`, a result of Session:checkpoint: blocks, the core's state, regions and current
-- state. Plans and declarations stay.
function Session:restore(saved_state)
  restore_blocks(self, saved_state.live, saved_state.used)
  self.ctx:restore(saved_state.core)
  for i, t in ipairs(tables_of(self)) do become(t, saved_state.tables[i]) end
  for device = 0, self.devices - 1 do
    for _, region in ipairs(self.device_side.regions[device]) do region.closed = nil end
  end
  self.program.group_scope = saved_state.group_scope
  self.device_side.has_detached, self.device_side.default_async = saved_state.has_detached, saved_state.default_async
end

-- Adds the methods of this file to `class`.
function checkpoint.extend(class)
  for name, method in pairs(Session) do class[name] = method end
end

return checkpoint
