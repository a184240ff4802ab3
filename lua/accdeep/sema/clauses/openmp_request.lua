-- openmp_request.lua - makes the request (requests.lua) of one list item of an OpenMP map, to or from clause.
--
-- Input: a clause with its modifiers, and a list item. Output: a request, whose members mappers decide.

local mapper = require "accdeep.sema.members.mapper"
local openmp_sema = require "accdeep.sema.openmp_sema"

-- Map type -> the core's action on exit data.
local exit_actions = { from = "copyout", tofrom = "copyout", to = "delete", alloc = "delete", release = "delete",
  delete = "delete" }

-- Returns the request of the list item `node` of a clause, with the fields of requests.lua and: from (the clause),
-- map_modifiers, map_request (mapper.lua). directive: {session, kind}; action: the action's name; map_type: map type as
-- directives spell it, or "to" or "from" in an update; map_modifiers: result of openmp_sema.modifiers.
return function(directive, clause, node, action, map_type, map_modifiers)
  local kind = directive.kind
  local update, exit = kind == "update", kind == "exit data"
  return { session = directive.session, clause = {}, from = clause, node = node, action = action, kind = kind,
    update = update, present_or = true, if_present = (update or exit) and not map_modifiers.present,
    map_modifiers = map_modifiers, map_request = { type = map_type, kind = kind, update = update,
      flags = mapper.flags(map_modifiers, map_type), actions = exit and exit_actions or openmp_sema.map_actions } }
end
