-- openmp_requested_action.lua - makes the request of one list item of an OpenMP map, to or from clause. A request is a
-- list item with its action (requested_action.lua). The function request.resolve(t) replaces
-- requested_action.resolve for OpenMP: it lets mappers decide the action.
--
-- Input: a clause with its modifiers, and a list item. Output: a request.

local mapping_compiler = require "accdeep.lowering.mapping_compiler"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_sema = require "accdeep.sema.openmp_sema"
local mapper = require "accdeep.lowering.mapper"
local policy = require "accdeep.sema.members.policy"
local types = require "accdeep.types"

local raise = diagnostic.raise

-- Map type -> the core's action on exit data.
local exit_actions = { from = "copyout", tofrom = "copyout", to = "delete", alloc = "delete", release = "delete",
  delete = "delete" }

-- Returns the core's action, the mapping program (nil: only bytes are mapped) and the flags of a request for objects of
-- type t. The mapper that the request selects decides them. Sets request.member_mapping. Raises if t is not a structure
-- but a mapper is named, or if there is no such mapper.
local function resolve_action(plan, request, t)
  local session, map_modifiers = plan.session, request.map_modifiers
  local member_mapping
  if types.is_record(t) then
    local mapper_record = mapper.find(session, t, map_modifiers.mapper, map_modifiers.mapper_pos)
    member_mapping = mapper.member_mapping(session, t, mapper_record, request.map_request)
  elseif map_modifiers.mapper and map_modifiers.mapper ~= "default" then
    raise("not-a-struct", map_modifiers.mapper_pos, ("%s has no mappers"):format(types.name(t)),
      { rule = "OMP60-map-15" })
  end
  request.member_mapping = member_mapping
  local code, flags = policy.code(member_mapping and member_mapping.own or request.action)
  local program = member_mapping and mapping_compiler.program(session, member_mapping, request.node.pos) or nil
  return code, program, flags | mapper.bits(request.map_request.flags)
end

-- Returns the request of the list item `node` of a clause, with the fields of requested_action.lua and: from (the
-- clause), map_modifiers, map_request (mapper.lua). action: the action's name; map_type: map type as directives spell
-- it, or "to" or "from" in an update; map_modifiers: result of openmp_sema.modifiers.
return function(plan, clause, node, action, map_type, map_modifiers)
  local update = plan.kind == "update"
  local exit = plan.kind == "exit data"
  local request = { session = plan.session, clause = {}, from = clause, node = node, action = action, kind = plan.kind,
    update = update, present_or = true, if_present = (update or exit) and not map_modifiers.present,
    map_modifiers = map_modifiers }
  request.map_request = { type = map_type, kind = plan.kind, update = update,
    flags = mapper.flags(map_modifiers, map_type), actions = exit and exit_actions or openmp_sema.map_actions }
  -- Replaces requested_action.resolve for objects of type t.
  function request.resolve(t) return resolve_action(plan, request, t) end
  return request
end
