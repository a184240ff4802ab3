-- fortran_addendum.lua - maps type records (types/fortran_dynamic_types.lua): blocks of memory that name the dynamic
-- type of a polymorphic object. The addendum at the end of the object's descriptor points to its type record. A type
-- record is mapped when the descriptor is attached, and unmapped when it is detached (FLANG-composite-1, FLANG-api-5,
-- FLANG-todo-1).
--
-- An attach counter counts the attaches of one pointer. The counter of the pointer to the type record must equal the
-- counter of the descriptor. If the descriptor changes its target or bounds, its counter restarts at 1;
-- restore_counters then releases the references to the type record that no detach will release.
--
--   Life of an entry of plan.typed {descriptor, t, first, bytes, request, name, record_pointer, previous}:
--     note              adds it while list items are lowered.
--     complete          inserts the item of its type record, before the construct is executed.
--     restore_counters  releases references, after the construct.
--   record_pointer: address of the pointer to the type record; previous: attachment of this pointer before the
--   construct, {target, count}, or nil. first, bytes: address and size of the descriptor's target. request: the list
--   item's request (requested_action.lua).

local codegen = require "accdeep.lowering.codegen"
local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local fortran_dynamic_types = require "accdeep.types.fortran_dynamic_types"
local types = require "accdeep.types"

local action, flag = core.action, core.flag

local fortran_addendum = {}

-- Registers in plan.typed that a plan attaches or detaches a descriptor of type t at the host address `descriptor`.
-- Does nothing if t is not polymorphic, or in an update. first, bytes: address and size of the descriptor's target;
-- request: the list item's request; name: the pointer's name in messages.
function fortran_addendum.note(plan, request, descriptor, t, first, bytes, name)
  if not t.polymorphic or plan.kind == "update" then return end
  plan.typed = plan.typed or {}
  table.insert(plan.typed, { descriptor = descriptor, t = t, first = first, bytes = bytes, request = request,
    name = name })
end

-- Inserts an item for a type record before all other items of a plan. entry: entry of plan.typed; action_name:
-- "copyin", "delete" or "detach"; dynamic_type: type that the record describes. record: the record's address, 0 for a
-- detach; pointer: address of the pointer to the record.
local function add(plan, entry, action_name, dynamic_type, record, pointer)
  local b, pos = codegen.builder(), entry.request.node.pos
  -- The item precedes that of the descriptor, because copying the descriptor writes the record's device address.
  table.insert(plan.items, 1, { action = action[action_name],
    flags = action_name == "copyin" and flag.present_or or flag.present_or | flag.if_present,
    pos = pos, unit = 1, base = codegen.reg(b, codegen.address(record), pos),
    count = codegen.reg(b, codegen.constant(record ~= 0 and fortran_dynamic_types.BYTES or 0), pos),
    slot_address = pointer, indices = {}, code = b.code, registers = math.max(b.most, 1), node = entry.request.node,
    label = { name = types.name(dynamic_type), unit = 1, file = plan.file, line = plan.line,
      pointer = entry.name .. " (type)" } })
end

-- Returns true if the host range of `bytes` bytes at `first` is present, or inside an item that this plan maps.
local function is_covered(plan, first, bytes)
  if plan.session.ctx:presence(plan.session.now.device, first, bytes) == "wholly" then return true end
  for _, item in ipairs(plan.items) do
    if item.first and item.first <= first and first + bytes <= item.first + item.bytes then return true end
  end
  return false
end

-- Inserts the items of all type records that a plan maps or unmaps, and sets record_pointer and previous in plan.typed.
-- Precondition: all other items are in the plan. Descriptors with an absent target are not attached (FLANG-api-2,
-- FLANG-api-3), so their records are not mapped.
function fortran_addendum.complete(plan)
  local session, done = plan.session, {}
  local ctx, device = session.ctx, session.now.device
  for _, entry in ipairs(plan.typed or {}) do
    local pointer = entry.descriptor + fortran_descriptor.type_record_offset(entry.t)
    local attachment = ctx:attachment_at(device, pointer)
    entry.record_pointer, entry.previous = pointer, attachment
    -- A construct counts each pointer once, so only the first entry of a pointer restores its counter.
    if done[pointer] then
      entry.previous = nil
    elseif plan.kind == "exit data" and attachment then
      local dynamic_type = fortran_descriptor.type(session.host_space, entry.t, entry.descriptor)
      -- Several descriptors may use this record, so finalize must not delete it: restore_counters releases the
      -- references of this descriptor, one by one.
      if plan.finalize then
        add(plan, entry, "detach", dynamic_type, 0, pointer)
      else
        add(plan, entry, "delete", dynamic_type, attachment.target, pointer)
      end
    elseif plan.kind ~= "exit data" and entry.bytes > 0 and is_covered(plan, entry.descriptor, entry.t.size)
      and is_covered(plan, entry.first, entry.bytes) then
      local dynamic_type = fortran_descriptor.type(session.host_space, entry.t, entry.descriptor)
      add(plan, entry, "copyin", dynamic_type, fortran_dynamic_types.record(session, dynamic_type), pointer)
    end
    done[pointer] = true
  end
end

-- Releases references to type records that no detach will release (see the head of this file). Called after the plan's
-- construct. Precondition: complete was called, and plan.typed is not nil. Raises an error of the core.
function fortran_addendum.restore_counters(plan)
  local session = plan.session
  local ctx, device = session.ctx, session.now.device
  for _, entry in ipairs(plan.typed) do
    local previous = entry.previous
    local main = ctx:attachment_at(device, entry.descriptor)
    local attachment = ctx:attachment_at(device, entry.record_pointer)
    local function give_back(record, pointer, n)
      for _ = 1, n do
        session:run_one("exit data", "delete", record, fortran_dynamic_types.BYTES, pointer, false, nil, 0,
          flag.present_or | flag.if_present)
      end
    end
    if previous and (not attachment or attachment.target ~= previous.target)
      and (plan.finalize or plan.kind ~= "exit data") then
      give_back(previous.target, 0, previous.count)
    elseif attachment and previous and main and attachment.count > main.count then
      give_back(attachment.target, entry.record_pointer, attachment.count - main.count)
    end
  end
end

return fortran_addendum
