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

-- What the session is now. It is given back to restore as often as one likes.
function Session:checkpoint()
  local cp, err = self.ctx:checkpoint()
  if not cp then error(self:core_error(err, nil), 0) end
  local tables, live = tables_of(self), {}
  for i, t in ipairs(tables) do tables[i] = copy(t) end
  for address, block in next, self.program.blocks do live[address] = block.live end
  return { core = cp, tables = tables, live = live, group_scope = self.program.group_scope,
    has_detached = self.device_side.has_detached, default_async = self.device_side.default_async }
end

-- Blocks that were made since are freed, and those that were freed since are live again.
local function restore_blocks(self, live)
  local blocks = self.program.blocks
  for address, block in next, blocks do
    if live[address] == nil then
      blocks[address] = nil
      core.free(address)
      core.charge(-block.bytes)
    else
      block.live = live[address]
    end
  end
end

-- The session is again what it was.
function Session:restore(made)
  restore_blocks(self, made.live)
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
