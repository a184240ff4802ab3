-- declare_allocatables.lua - allocatables in OpenACC's declare directives: their data are on the device from each
-- allocation to the deallocation.
--
-- A declare directive with the clause create or device_resident registers the allocatable. allocate then creates the
-- device copy with a dynamic reference; deallocate deletes it, which is an error while a data region holds the data
-- (ACC33-dec-1). session.program.persistent has an entry {name, device} for each registered allocatable, by the address
-- of its descriptor; nil: no allocatable was registered yet.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"

local declare_allocatables = {}

-- Registers the allocatable `name` of a declare directive for the current device. address: address of its descriptor.
function declare_allocatables.add(session, address, name)
  session.program.persistent = session.program.persistent or {}
  session.program.persistent[address] = { name = name, device = session.now.device }
end

-- Called after the descriptor at `address` got `bytes` bytes of memory at `base`: creates their device copy. Does
-- nothing for descriptors that are not registered, and for 0 bytes. pos: position for errors. Raises if the device copy
-- cannot be created; the caller then frees the host memory.
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

-- Called before the memory at `base` of the descriptor at `address` is freed: deletes its device copy. Does nothing for
-- descriptors that are not registered, and for data that are not present. pos: position for errors. Raises while a data
-- region holds the data.
function declare_allocatables.on_free(session, address, base, pos)
  local entry = session.program.persistent and session.program.persistent[address]
  if not entry then return end
  local object = session.ctx:present_at(entry.device, base)
  if not object then return end
  if object.structured > 0 then
    diagnostic.raise("region-nesting", pos, ("%s is deallocated while a data region holds it"):format(entry.name),
      { rule = "ACC33-dec-1", objects = { object }, help = "end the region first" })
  end
  session:run_one("exit data", "delete", base, object.bytes, 0, true, nil, 0, core.flag.if_present)
end

-- Called at the end of a variable's life: removes the descriptor at `address` from the registered allocatables.
function declare_allocatables.forget(session, address)
  if session.program.persistent then session.program.persistent[address] = nil end
end

-- The last step of a declare directive, whose plan is `plan`: registers the allocatables in plan.persistent, and
-- creates device copies of those that are allocated already. Raises if a copy cannot be created.
function declare_allocatables.last(session, plan)
  for _, variable in ipairs(plan.persistent) do
    declare_allocatables.add(session, variable.descriptor, variable.name)
    declare_allocatables.on_allocate(session, variable.descriptor, variable.address, variable.bytes, plan.node.pos)
  end
end

return declare_allocatables
