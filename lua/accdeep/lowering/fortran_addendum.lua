-- fortran_addendum.lua - maps type records (types/fortran_dynamic_types.lua), to which descriptors of polymorphic
-- objects point. A type record is mapped with the attach of the descriptor and unmapped with the detach
-- (FLANG-composite-1, FLANG-api-5, FLANG-todo-1).
--
-- The attach counter of the pointer to the type record follows that of the descriptor. If the descriptor changes its
-- target or bounds, its counter restarts at 1; restore_counters then releases the lost references to the type record.

local codegen = require "accdeep.backend.codegen"
local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local fortran_dynamic_types = require "accdeep.types.fortran_dynamic_types"
local types = require "accdeep.types"

local action, flag = core.action, core.flag

local fortran_addendum = {}

-- Registers in a plan that it attaches or detaches a descriptor of type t at the address `slot`. Does nothing if t is
-- not polymorphic, or in an update. first, bytes: the descriptor's target; name: the pointer's name.
function fortran_addendum.note(plan, request, slot, t, first, bytes, name)
  if not t.polymorphic or plan.kind == "update" then return end
  plan.typed = plan.typed or {}
  table.insert(plan.typed, { slot = slot, t = t, first = first, bytes = bytes, request = request, name = name })
end

-- Inserts an item for a type record before all other items. wanted: name of the item's action; of: the dynamic type.
local function add(plan, noted, wanted, of, record, slot)
  local session, b, pos = plan.session, codegen.builder(), noted.request.node.pos
  -- The item precedes that of the descriptor, because copying the descriptor writes the record's device address.
  table.insert(plan.items, 1, { action = action[wanted],
    flags = wanted == "copyin" and flag.present_or or flag.present_or | flag.try,
    pos = pos, unit = 1, base = codegen.reg(b, codegen.constant(record), pos),
    count = codegen.reg(b, codegen.constant(record ~= 0 and fortran_dynamic_types.BYTES or 0), pos),
    slot_address = slot, indices = {}, code = b.code, registers = math.max(b.most, 1), node = noted.request.node,
    label = session:label { name = types.name(of), unit = 1, file = plan.file, line = plan.line,
      pointer = noted.name .. " (type)" } })
end

-- True if a range of bytes is present, or mapped by this construct.
local function is_covered(plan, first, bytes)
  if plan.session.ctx:presence(plan.session.now.device, first, bytes) == "wholly" then return true end
  for _, item in ipairs(plan.items) do
    if item.first and item.first <= first and first + bytes <= item.first + item.bytes then return true end
  end
  return false
end

-- Inserts the items of type records, after all other items are known. An absent target is not attached (FLANG-api-2,
-- FLANG-api-3), so its record is not mapped.
function fortran_addendum.complete(plan)
  local session, done = plan.session, {}
  local ctx, device = session.ctx, session.now.device
  for _, noted in ipairs(plan.typed or {}) do
    local slot = noted.slot + fortran_descriptor.type_record_offset(noted.t)
    local typed = ctx:attachment_at(device, slot)
    noted.type_slot, noted.before = slot, typed
    if done[slot] then -- a construct counts each pointer once
      noted.before = nil
    elseif plan.kind == "exit data" and typed then
      local of = fortran_descriptor.type(session.host_space, noted.t, noted.slot)
      -- The record may serve several descriptors: restore_counters releases the references of this one, one by one.
      if plan.finalize then
        add(plan, noted, "detach", of, 0, slot)
      else
        add(plan, noted, "delete", of, typed.target, slot)
      end
    elseif plan.kind ~= "exit data" and noted.bytes > 0 and is_covered(plan, noted.slot, noted.t.size)
      and is_covered(plan, noted.first, noted.bytes) then
      local of = fortran_descriptor.type(session.host_space, noted.t, noted.slot)
      add(plan, noted, "copyin", of, fortran_dynamic_types.record(session, of), slot)
    end
    done[slot] = true
  end
end

-- Releases the references to type records that attach counters have lost, after the construct.
function fortran_addendum.restore_counters(plan)
  local session = plan.session
  local ctx, device = session.ctx, session.now.device
  for _, noted in ipairs(plan.typed) do
    local before = noted.before
    local main, typed = ctx:attachment_at(device, noted.slot), ctx:attachment_at(device, noted.type_slot)
    local function give_back(record, slot, n)
      for _ = 1, n do
        session:run_one("exit data", "delete", record, fortran_dynamic_types.BYTES, slot, false, nil, 0,
          flag.present_or | flag.try)
      end
    end
    if before and (not typed or typed.target ~= before.target) and (plan.finalize or plan.kind ~= "exit data") then
      give_back(before.target, 0, before.count)
    elseif typed and before and main and typed.count > main.count then
      give_back(typed.target, noted.type_slot, typed.count - main.count)
    end
  end
end

return fortran_addendum
