-- declare_allocatables.lua - allocatables of OpenACC's declare: the device has what they hold from its allocation to
-- its end.
--
-- declare create and device_resident name the variable, allocate makes the device copy with a dynamic reference, and
-- deallocate ends it, which is an error while a region holds the data (ACC33-dec-1).

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"

local declare_allocatables = {}

-- Notes an allocatable that a declare directive names: address of its descriptor.
function declare_allocatables.add(session, address, name)
  session.program.lasting = session.program.lasting or {}
  session.program.lasting[address] = { name = name, device = session.now.device }
end

-- A descriptor got memory. The memory is the caller's to free if this fails.
function declare_allocatables.on_allocate(session, address, base, bytes, pos)
  local made = session.program.lasting and session.program.lasting[address]
  if not made or bytes == 0 then return end
  local current = session.now.current or {}
  local label = session:label { name = made.name, unit = bytes, file = current.file, line = current.line }
  local ok, err = pcall(session.run_one, session, "enter data", "create", base, bytes, 0, false, label)
  if ok then return end
  if diagnostic.is(err) then err.pos = err.pos or pos end
  error(err, 0)
end

-- The memory of a descriptor ends.
function declare_allocatables.on_free(session, address, base, pos)
  local made = session.program.lasting and session.program.lasting[address]
  if not made then return end
  local object = session.ctx:present_at(made.device, base)
  if not object then return end
  if object.structured > 0 then
    diagnostic.raise("region-nesting", pos, ("%s is deallocated while a data region holds it"):format(made.name),
      { rule = "ACC33-dec-1", objects = { object }, help = "end the region first" })
  end
  session:run_one("exit data", "delete", base, object.bytes, 0, true, nil, 0, core.flag.try)
end

-- A variable ends.
function declare_allocatables.forget(session, address)
  if session.program.lasting then session.program.lasting[address] = nil end
end

-- The allocatables of a declare directive: what they hold now, and what they will hold.
function declare_allocatables.last(session, plan)
  for _, one in ipairs(plan.lasting) do
    declare_allocatables.add(session, one.descriptor, one.name)
    declare_allocatables.on_allocate(session, one.descriptor, one.address, one.bytes, plan.node.pos)
  end
end

return declare_allocatables
