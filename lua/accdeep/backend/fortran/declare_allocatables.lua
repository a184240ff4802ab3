-- declare_allocatables.lua - allocatables in OpenACC's declare directives: their data are on the device from each
-- allocation to the deallocation.
--
-- declare create and device_resident name the variable. allocate then creates the device copy with a dynamic reference;
-- deallocate deletes it, which is an error while a region holds the data (ACC33-dec-1). session.program.persistent has
-- the registered allocatables by the address of their descriptor; nil: none yet.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"

local declare_allocatables = {}

-- Registers an allocatable of a declare directive for the current device. address: address of its descriptor.
function declare_allocatables.add(session, address, name)
  session.program.persistent = session.program.persistent or {}
  session.program.persistent[address] = { name = name, device = session.now.device }
end

-- Creates the device copy when the descriptor at `address` gets memory, `bytes` bytes at `base`. Does nothing for
-- descriptors that are not registered, and for 0 bytes. Raises if the device copy cannot be created; the caller then
-- frees the host memory.
function declare_allocatables.on_allocate(session, address, base, bytes, pos)
  local entry = session.program.persistent and session.program.persistent[address]
  if not entry or bytes == 0 then return end
  local current = session.now.current or {}
  local label = session:label { name = entry.name, unit = bytes, file = current.file, line = current.line }
  local ok, err = pcall(session.run_one, session, "enter data", "create", base, bytes, 0, false, label)
  if ok then return end
  if diagnostic.is(err) then err.pos = err.pos or pos end
  error(err, 0)
end

-- Deletes the device copy when the memory at `base` of the descriptor at `address` is freed. Does nothing for
-- descriptors that are not registered. Raises while a region holds the data.
function declare_allocatables.on_free(session, address, base, pos)
  local entry = session.program.persistent and session.program.persistent[address]
  if not entry then return end
  local object = session.ctx:present_at(entry.device, base)
  if not object then return end
  if object.structured > 0 then
    diagnostic.raise("region-nesting", pos, ("%s is deallocated while a data region holds it"):format(entry.name),
      { rule = "ACC33-dec-1", objects = { object }, help = "end the region first" })
  end
  session:run_one("exit data", "delete", base, object.bytes, 0, true, nil, 0, core.flag.try)
end

-- Removes the variable with the descriptor at `address` from the registered allocatables, at the end of its life.
function declare_allocatables.forget(session, address)
  if session.program.persistent then session.program.persistent[address] = nil end
end

-- Completes a declare directive: registers its allocatables, and creates device copies of data that are allocated
-- already. Raises if a copy cannot be created.
function declare_allocatables.last(session, plan)
  for _, variable in ipairs(plan.persistent) do
    declare_allocatables.add(session, variable.descriptor, variable.name)
    declare_allocatables.on_allocate(session, variable.descriptor, variable.address, variable.bytes, plan.node.pos)
  end
end

return declare_allocatables
