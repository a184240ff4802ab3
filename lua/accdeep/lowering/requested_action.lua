-- requested_action.lua - resolves a request to the core's action and flags, and the mapping program of its members.
--
-- Input: a request, and the type of its list item. Output: the action, the mapping program of the members, and the
-- flags.
--
-- A request is one list item of one clause: {clause, action, node, kind, update?, if_present?, present_or?, ...}.
-- action: name of the clause's action; node: AST of the list item; kind: operation of the plan; update: true in an
-- update. if_present: true if absent data are no error; present_or: true if present data are kept. The lowerings make
-- requests; c_items.lua and fortran_section.lua resolve them. A request of OpenMP has a function resolve(type), which
-- is called in place of requested_action.resolve.

local mapping_compiler = require "accdeep.lowering.mapping_compiler"
local diagnostic = require "accdeep.base.diagnostic"
local nest = require "accdeep.sema.members.nest"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local policy = require "accdeep.sema.members.policy"
local types = require "accdeep.types"

local raise = diagnostic.raise

local requested_action = {}

-- Returns the member mapping (which members are mapped, and how: nest.lua) of a request for objects of type t,
-- or nil if only their bytes are mapped. If rules.present is "shallow", a present clause tests only the object itself,
-- without the targets of its pointers (TR14-1.2-08). Raises if t is not a structure but the clause has a shape, a nest
-- or a policy. Decides TR14-1.2-08.
local function member_mapping_of(session, request, t)
  local clause, update = request.clause, request.update
  local invoke = clause.name == "invoke"
  if not types.is_record(t) then
    if not invoke and not clause.shape and not clause.nest then return nil end
    raise("not-a-struct", request.node.pos, ("%s has no %s"):format(types.name(t),
      invoke and "policies" or "shapes"), { rule = clause.nest and "TR14-3.3-15"
        or invoke and "TR14-3.2.2-02" or "TR14-3.1.2-08" })
  end
  if invoke then return nest.mapping_of_invoke(session, t, clause, update) end
  if request.action == "present" and session.rules.present == "shallow" then return nil end
  return nest.mapping_of_clause(session, t, clause, update, request.action)
end

-- Action of a policy -> action on exit data: the half of the policy's action that takes place at the exit
-- (AMB-TR14-10).
local exit_half = openacc_directives.clauses_where(function(entry, clause)
  if clause.present_or then return nil end
  return entry.data and (entry.data:find "out" and "copyout" or "delete")
    or (clause.name == "present" or clause.name == "no_create") and "hold"
end)

-- True if a member mapping, or a mapping that it invokes for members, deletes data. visited: set of member mappings
-- already visited, because types may be recursive; the function adds to it.
local function deletes(session, member_mapping, visited)
  if member_mapping.own == "delete" then return true end
  if visited[member_mapping] then return false end
  visited[member_mapping] = true
  for _, entry in ipairs(member_mapping.policy and nest.entries(session, member_mapping) or {}) do
    if entry.action == "delete" or entry.invoke and deletes(session, nest.inner(session, member_mapping, entry),
      visited) then
      return true
    end
  end
  return false
end

-- Returns the core's action, the mapping program of the elements (nil: only their bytes are mapped), and the core's
-- flags for a request on type t. Sets request.member_mapping. Raises if t has no such policy or shape, or if a policy
-- deletes outside of exit data. Decides TR14-3.2.2-06.
function requested_action.resolve(session, request, t)
  if request.resolve then return request.resolve(t) end
  local member_mapping = member_mapping_of(session, request, t)
  local action = request.action or member_mapping.own
  -- If the policy has an action for the whole object, this action replaces that of the clause.
  if member_mapping and member_mapping.own then action = member_mapping.own end
  if member_mapping and member_mapping.policy and request.kind ~= "exit data"
    and deletes(session, member_mapping, {}) then
    raise("clause-not-allowed", request.node.pos, "a policy that deletes is for exit data",
      { rule = "TR14-3.2.2-06" })
  end
  if request.kind == "exit data" then action = exit_half[action] or action end
  request.member_mapping = member_mapping
  local code, flags = policy.code(action)
  return code, member_mapping and mapping_compiler.program(session, member_mapping, request.node.pos) or nil, flags
end

return requested_action
